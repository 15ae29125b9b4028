"""Facts as plain dated sentences. Only what holds is told: a text that speaks of what is over gives way to the triple.

"Ana, who works at Contoso, likes tea" is not shown when she has left: no text is that names anything which was ever tied to an
end of its fact, and is not now.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from tkgmem import wording
from tkgmem.graph import Fact
from tkgmem.store import facts, read, ties
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
    over = _over(db, at, records)
    instant = to_datetime(at.valid_at)
    found = []
    for record, fact in zip(records, values, strict=True):
        own = _own(fact, over.get(record.source, frozenset()) | over.get(record.target, frozenset()))
        words = wording.one_line(wording.triple_words(fact) if own is None else own)
        bounded = record.valid_at is not None or record.invalid_at is not None or fact.planned
        period = wording.period_words(fact, instant, phrases_for(words)) if bounded else ""
        found.append(Line(record.fact, fact, (record.source, record.target), words, own is not None, period))
    return found


def text_of(told: Iterable[Line]) -> str:
    """The lines as one text, in the order given. What is alike but for the target is told in one sentence; a sentence once."""
    given = list(told)
    say = phrases_for(" ".join(line.words for line in given))
    sentences: list[str] = []
    for _, several in groupby(given, key=_alike):
        group = list(several)
        if len(group) == 1 or group[0].own:
            sentences += [line.sentence for line in group]
        else:
            sentences.append(_joined(group, say))
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


def _own(fact: Fact, over: frozenset[str]) -> str | None:
    """The fact's own text, if it can stand alone and names nothing that is over; `over` are keys of names."""
    text = wording.sentence(fact)
    if (
        len(text) > _LONGEST
        or text == wording.triple_words(fact)
        or not all(wording.names(text, end) for end in (fact.source, fact.target))
    ):
        return None
    key = name_key(text)
    allowed = {name_key(name) for end in (fact.source, fact.target) for name in (end.name, *end.aliases)}
    return None if any(name in key for name in over - allowed) else text


def _over(db: Connection, at: At, records: Sequence[VersionRecord]) -> Mapping[int, frozenset[str]]:
    """The ends of facts, each with the names of what some fact ever tied it to, and none does at the two clocks."""
    [group] = at.groups
    ends = sorted({end for record in records for end in (record.source, record.target)})
    now = ties.ties_of(db, group, ends, valid_at=at.valid_at, known_at=at.known_at)
    past = {end: others - set(now[end]) - {end} for end, others in ties.ever_tied(db, group, ends).items()}
    names = read.names_of(db, sorted({other for others in past.values() for other in others}))
    keys = {entity: {name_key(name) for name in known} for entity, known in names.items()}
    return {end: frozenset(key for other in others for key in keys.get(other, ())) for end, others in past.items()}
