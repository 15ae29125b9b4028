"""What the recall log may tell of what is forgotten: entries that gave it, and questions with words that nothing else has.

The words of everything that goes are collected before it does; afterwards a word counts as forgotten if the full text of the
file, of whichever group, no longer has it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import apsw

from tkgmem.store import recalls
from tkgmem.store.bm25 import tokens
from tkgmem.store.rows import in_list
from tkgmem.store.words import is_function_word, segment

_TEXTS = (
    "SELECT content, name, description, speaker, error, metadata, settings FROM episodes WHERE id IN {episodes}",
    "SELECT fact, lead, relation, attributes FROM claims WHERE id IN {claims}",
    "SELECT type, attributes FROM traits WHERE episode_id IN {episodes} OR entity_id IN {entities}",
    "SELECT name FROM aliases WHERE episode_id IN {episodes} OR entity_id IN {entities}",
    "SELECT response FROM model_calls WHERE episode_id IN {episodes}",
    "SELECT reason FROM transactions WHERE episode_id IN {episodes} OR created_at IN {ticks}",
)
_JSON = ("{", "[")


@dataclass(slots=True)
class Traces:
    """What goes: rows, and the words that were in it, each as the full text has it with how it was written.

    wanted: whether there is anything in the log that it might be in; else nothing is collected.
    """

    wanted: bool = False
    episodes: set[int] = field(default_factory=set)
    claims: set[int] = field(default_factory=set)
    entities: set[int] = field(default_factory=set)
    communities: set[int] = field(default_factory=set)
    words: dict[str, str] = field(default_factory=dict)

    def take(
        self,
        db: apsw.Connection,
        *,
        episodes: Iterable[int] = (),
        claims: Iterable[int] = (),
        entities: Iterable[int] = (),
        ticks: Iterable[int] = (),
    ) -> None:
        """Keep what these rows say, before they go. ticks: instants at which reasons were given."""
        if not self.wanted:
            return
        rows = {"episodes": set(episodes), "claims": set(claims), "entities": set(entities)}
        self.episodes |= rows["episodes"]
        self.claims |= rows["claims"]
        self.entities |= rows["entities"]
        bindings = {what: in_list(sorted(ids)) for what, ids in (*rows.items(), ("ticks", set(ticks)))}
        lists = {what: f"(SELECT value FROM json_each(:{what}))" for what in bindings}
        for query in _TEXTS:
            given = {what: ids for what, ids in bindings.items() if f"{{{what}}}" in query}
            for row in db.execute(query.format(**lists), given):
                self.say(db, *(text for text in row if text is not None))

    def take_group(self, db: apsw.Connection, group_id: int) -> None:
        """Keep what all rows of a group say, and drop what it was asked."""
        if not self.wanted:
            return
        recalls.delete_of_groups(db, [group_id])
        of = "SELECT {} FROM {} WHERE group_id = ?"
        ticks, *rows = (
            [value for (value,) in db.execute(of.format(column, table), (group_id,))]
            for table, column in (("transactions", "created_at"), ("episodes", "id"), ("claims", "id"), ("entities", "id"))
        )
        self.take(db, episodes=rows[0], claims=rows[1], entities=rows[2], ticks=ticks)

    def say(self, db: apsw.Connection, *said: str) -> None:
        """Keep the words of texts that go."""
        if self.wanted:
            for text in said:
                self.words |= _words(db, text)

    def remove(self, db: apsw.Connection) -> None:
        """Delete the entries of the log that tell of what went, once it is gone."""
        if not self.wanted:
            return
        given = {"facts": self.claims, "entities": self.entities, "episodes": self.episodes, "communities": self.communities}
        recalls.delete_giving(db, given)
        asked = recalls.asked(db)
        shared = {
            text: words
            for text in {text for _, *texts in asked for text in texts}  # most options are alike, and many questions
            if (words := _words(db, text).keys() & self.words.keys())
        }
        lost = {word for word in set().union(*shared.values()) if not _is_there(db, self.words[word])}
        told = {text for text, words in shared.items() if not lost.isdisjoint(words)}
        told |= {text for _, text, _ in asked if len(text) == recalls.LONGEST_QUERY and self._is_begun(db, text)}
        recalls.delete(db, [number for number, *texts in asked if not told.isdisjoint(texts)])

    def _is_begun(self, db: apsw.Connection, cut: str) -> bool:
        """Whether a question that was cut to be kept ends within a word that goes."""
        found = tokens(db, segment(cut))
        return bool(found) and any(word.startswith(found[-1][1]) for word in self.words.values())


def _words(db: apsw.Connection, text: str) -> Mapping[str, str]:
    """The words of a text, or of all texts in JSON, as the full text has them, with how they were written."""
    return {
        token: written for part in _parts(text) for token, written in tokens(db, segment(part)) if not is_function_word(written)
    }


def _parts(text: str) -> Iterator[str]:
    if not text.startswith(_JSON):
        yield text
        return
    try:
        waiting = [json.loads(text)]
    except ValueError:  # a text that only begins like it
        yield text
        return
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list):
            waiting += value


def _is_there(db: apsw.Connection, word: str) -> bool:
    """Whether any text, name or summary in the file has a word."""
    match = f'"{word}"'
    return any(
        db.execute(f"SELECT EXISTS (SELECT 1 FROM {table} WHERE {table} MATCH ?)", (match,)).get
        for table in ("episode_text", "claim_text", "entity_text", "summary_text")
    )
