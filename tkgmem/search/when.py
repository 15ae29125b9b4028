"""The time that a question speaks of, as a stretch of valid time: named by it, or by an event that the memory knows."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace

from tkgmem.graph import QueryTime
from tkgmem.search.budget import Budget
from tkgmem.search.question import Question
from tkgmem.store import facts, lexical, periods
from tkgmem.store.clocks import EVERYTHING
from tkgmem.store.connection import Connection
from tkgmem.temporal.period import to_datetime

_KNOWN = 0.22
"""The share of the highest score that a fact must have to be taken for the event; .45 is to hold each of its words once."""


@dataclass(frozen=True, slots=True)
class SpokenTime:
    """What a question speaks of: the words that say so, and stretches [from, until) in microseconds, None where unbounded."""

    words: str
    ranges: tuple[tuple[int | None, int | None], ...]

    @property
    def start(self) -> int | None:
        """Where the earliest stretch begins."""
        starts = [start for start, _ in self.ranges]
        return None if None in starts else min(start for start in starts if start is not None)

    @property
    def end(self) -> int | None:
        """Where the latest stretch ends."""
        ends = [end for _, end in self.ranges]
        return None if None in ends else max(end for end in ends if end is not None)

    def value(self) -> QueryTime:
        """As a result shows it."""
        start, end = self.start, self.end
        return QueryTime(self.words, None if start is None else to_datetime(start), None if end is None else to_datetime(end))


def spoken(text: str, now: dt.datetime) -> SpokenTime | None:
    """The time that a question names, None where it names none."""
    from tkgmem.search.query_time import read  # late: its tables would take a fifth of the time to import this package

    found = read(text, now)
    return None if found is None else SpokenTime(found.words, found.ranges)


def anchored(db: Connection, text: str, question: Question, budget: Budget) -> SpokenTime | None:
    """The time before, during or after an event that a question names ("before she moved to Lisbon"), if a fact tells of it.

    The fact must hold most of the event's words; whether it still holds does not matter. Looking for it takes a quarter of the
    time that is left at most.
    """
    from tkgmem.search.query_time import anchor  # late, as above

    event = anchor(text)
    if event is None:
        return None
    everything = replace(question, include_ended=True, conditions=None)
    words = lexical.words(db, "claim_text", event.clause)
    listed = lexical.search(db, words, everything.claims(), 1, ends=budget.share(0.25), cut=lambda: budget.skip("bm25"))
    if not listed or listed[0][1] < _KNOWN * words.most:
        return None
    owner = facts.supported_facts(db, [listed[0][0]], question.known_at)
    found = periods.seen(
        db, owner.values(), question.groups, valid_at=question.valid_at, known_at=question.known_at, include_ended=True
    )
    for record in found.values():
        stretch = event.range(record.valid_at, record.invalid_at)
        if stretch is not None:
            return SpokenTime(event.words, (stretch,))
    return None


def within(question: Question, told: SpokenTime | None) -> Question:
    """The question, put to the time that it speaks of."""
    if told is None:
        return question
    start, end = told.start, told.end
    return replace(
        question,
        valid_at=-EVERYTHING if start is None else start,
        until=EVERYTHING if end is None else end,
        instant=nearest(question.valid_at, start, end),
        told=told.ranges,
    )


def nearest(valid_at: int, start: int | None, end: int | None) -> int:
    """The instant of [start, end) that is nearest to `valid_at`: where one instant must do for a stretch of time.

    >>> [nearest(valid_at, 10, 20) for valid_at in (5, 15, 25)]
    [10, 15, 19]
    """
    last = valid_at if end is None else min(valid_at, end - 1)
    return last if start is None else max(last, start)
