"""Facts as plain dated sentences. Only what holds is told: a text that speaks of what is over gives way to the triple.

"Ana, who works at Contoso, likes tea" is not shown when she has left: no text is that names an entity which no fact ties to an
end of its own fact then, or two between which anything ever told is over, or whose words told anything else that is over.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from itertools import combinations_with_replacement, groupby
from typing import NamedTuple

from tkgmem import wording
from tkgmem.communities import quoting
from tkgmem.graph import Fact
from tkgmem.store import aliases, facts, over, ties
from tkgmem.store.clocks import At
from tkgmem.store.connection import Connection
from tkgmem.store.facts import VersionRecord
from tkgmem.store.names import name_key
from tkgmem.temporal.period import to_datetime
from tkgmem.wording.phrases import ENGLISH, Phrases, phrases_for

_STOPS = (".", "!", "?", "…", "。", "！", "？")
_LONGEST = 160
"""Characters of a fact's own text that a summary shows; of a longer one it tells the triple."""


class Line(NamedTuple):
    """A fact as it is told. row: of its first claim. words: its own text or its triple, without dates; own: whether it is the
    text. period: when it holds, "" where no bound is known.
    """

    row: int
    fact: Fact
    ends: tuple[int, int]
    words: str
    own: bool
    period: str

    @property
    def checksum(self) -> str:
        """What tells whether the line still reads the same."""
        return hashlib.sha256(f"{self.fact.relation}\n{self.words}\n{self.period}".encode()).hexdigest()[:16]

    @property
    def sentence(self) -> str:
        """The line as a sentence without its full stop."""
        return phrases_for(self.words).also.format(self.words, self.period) if self.period else self.words


def lines(db: Connection, at: At, records: Sequence[VersionRecord]) -> list[Line]:
    """A line for each fact, in the order given: facts of one group that hold at the two clocks."""
    if not records:
        return []
    values = facts.facts(db, records, at.known_at)
    told = [_own(fact) for fact in values]
    more = _speaking_of_more(db, at, records, values, told)
    instant = to_datetime(at.valid_at)
    found = []
    for place, (record, fact) in enumerate(zip(records, values, strict=True)):
        own = None if place in more else told[place]
        words = wording.one_line(wording.triple_words(fact) if own is None else own)
        bounded = record.valid_at is not None or record.invalid_at is not None or fact.planned
        period = wording.period_words(fact, instant, phrases_for(words)) if bounded else ""
        found.append(Line(record.fact, fact, (record.source, record.target), words, own is not None, period))
    return found


def text_of(told: Iterable[Line], *, left: int = 0) -> str:
    """The lines as one text, in the order given. What is alike but for the target is told in one sentence; a sentence once.

    left: facts that hold and are not among the lines; how many is said.
    """
    given = list(told)
    say = phrases_for(" ".join(line.words for line in given))
    sentences: list[str] = []
    for _, several in groupby(given, key=_alike):
        group = list(several)
        if len(group) == 1 or group[0].own:
            sentences += [line.sentence for line in group]
        else:
            sentences.append(_joined(group, say))
    if sentences and left:
        sentences.append(say.one_left if left == 1 else say.left.format(f"{left:,}"))
    return joined(dict.fromkeys(sentences), say)


def joined(sentences: Iterable[str], say: Phrases = ENGLISH) -> str:
    """Sentences as one text, each with its full stop."""
    return say.between_sentences.join(one if one.endswith(_STOPS) else f"{one}{say.stop}" for one in sentences)


def _joined(group: Sequence[Line], say: Phrases) -> str:
    """ "Ana likes tea, jazz and hiking (since 2021)" """
    first = group[0]
    names = list(dict.fromkeys(wording.one_line(line.fact.target.name) for line in group))
    last = say.and_.format(say.listed.join(names[:-1]), names[-1]) if len(names) > 1 else names[0]
    start = wording.one_line(f"{first.fact.source.name} {facts.words(first.fact.relation)}")
    return first._replace(words=f"{start} {last}").sentence


def _alike(line: Line) -> tuple[object, ...]:
    return (line.row,) if line.own else (line.fact.source.uuid, line.fact.relation, line.period)


def _own(fact: Fact) -> str | None:
    """The fact's own text, if it says more than its triple and can stand alone."""
    text = wording.sentence(fact)
    if len(text) > _LONGEST or text == wording.triple_words(fact):
        return None
    return text if all(wording.names(text, end) for end in (fact.source, fact.target)) else None


def _speaking_of_more(
    db: Connection, at: At, records: Sequence[VersionRecord], values: Sequence[Fact], told: Sequence[str | None]
) -> set[int]:
    """The places of texts that may tell what is over: see above."""
    [group] = at.groups
    named = {place: quoting.stretches(name_key(text)) for place, text in enumerate(told) if text is not None}
    called = aliases.called(db, group, sorted({key for keys in named.values() for key in keys}), at.known_at)
    ends = {place: {records[place].source, records[place].target} for place in named}
    near = ties.ties_of(db, group, sorted(set().union(*ends.values())), valid_at=at.valid_at, known_at=at.known_at)
    found = set()
    pairs: dict[int, set[over.Pair]] = {}
    for place, keys in named.items():
        allowed = set(ends[place]).union(*(near[end] for end in ends[place]))
        meant = [called[key] & ends[place] or called[key] & allowed for key in keys if key in called]
        if not all(meant):
            found.add(place)
        pairs[place] = set(combinations_with_replacement(sorted(ends[place].union(*meant)), 2))
    ended = over.between(db, at, set().union(*pairs.values()))
    beside = over.beside(db, at, [values[place].uuid for place in named])
    return found | {place for place, some in pairs.items() if values[place].uuid in beside or not some.isdisjoint(ended)}
