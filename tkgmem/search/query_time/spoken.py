"""Dates named by a question, as ranges of valid time.

Questions that speak of now speak of no range: now is what a read answers for anyway. So is a time that is itself asked for.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tkgmem.search.query_time.extent import as_asked
from tkgmem.search.query_time.found import again, find
from tkgmem.search.query_time.kinds import Kind, kind
from tkgmem.search.query_time.lists import beside, days_beside
from tkgmem.temporal.period import Period, to_micros
from tkgmem.temporal.timex import Prefer, TimeExpression

Range = tuple[int | None, int | None]
"""Microseconds, closed-open; None is unbounded."""

Named = tuple[TimeExpression, Kind]

LONGEST = 1_000
"""Characters. A longer text is a document that speaks of many times, not a question about one."""

_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20|21)\d\d(?![\d,])")


@dataclass(frozen=True, slots=True)
class Spoken:
    """The time that a question speaks of.

    words: those that say so, joined by "; " where there are several. ranges: one or more [from, until) in the world, in
    microseconds, None where unbounded, in the order of the words. spans: where those words stand in the question.
    """

    words: str
    ranges: tuple[Range, ...]
    spans: tuple[tuple[int, int], ...]

    @property
    def valid_at(self) -> int | None:
        """Where the earliest range begins, None where one has no beginning."""
        starts = [start for start, _ in self.ranges]
        return None if None in starts else min(start for start in starts if start is not None)

    @property
    def valid_until(self) -> int | None:
        """Where the latest range ends, None where one has no end."""
        ends = [end for _, end in self.ranges]
        return None if None in ends else max(end for end in ends if end is not None)


def read(query: str, reference: dt.datetime, *, prefer: Prefer = "past") -> Spoken | None:
    """The time that a question speaks of, or None: also where it speaks of now, asks for a time, or has over 1,000 characters.

    reference: the aware moment of asking; its offset is the calendar. prefer: what a date without a year means: the latest
    not after the reference, ("future") the next one, ("same_year") that of its year; a year that the question names wins.

    >>> from tkgmem.temporal.period import show
    >>> asked = dt.datetime(2026, 7, 15, tzinfo=dt.UTC)
    >>> said = read("Where did she live between 2019 and 2021?", asked)
    >>> said.words, show(said.valid_at), show(said.valid_until)
    ('between 2019 and 2021', '2019-01-01', '2022-01-01')
    >>> read("Where does she live now?", asked), read("What year did she buy Windows 2000?", asked)
    (None, None)
    """
    if len(query) > LONGEST:
        return None
    named = [
        (member, sort)
        for item in find(query, reference, prefer)
        if (sort := kind(query, item))
        for member in (item, *beside(query, item, reference, prefer))
    ]
    kept = []
    for item in _counted_on(list(_in_their_year(query, named, reference)), reference):
        kept += [as_asked(query, item, reference), *days_beside(query, item)]
    if not kept:
        return None
    kept.sort(key=lambda item: item.start)
    spans = tuple(dict.fromkeys((item.start, item.end) for item in kept))
    words = "; ".join(dict.fromkeys(query[start:end].rstrip(" .,") for start, end in spans))
    ranges = _one_of_two_sides([(item.period.start, item.period.end) for item in kept])
    return Spoken(words, tuple(dict.fromkeys(ranges)), spans)


def _in_their_year(query: str, named: list[Named], reference: dt.datetime) -> Iterator[Named]:
    """Dates without a year take the one year that the question names ("in September and October 2025")."""
    years = {found[0] for item, _ in named if (found := _YEAR.findall(item.text))}
    for item, sort in named:
        if sort == "yearless" and not _YEAR.search(item.text) and len(years) == 1:
            in_year = dt.datetime(int(min(years)), 12, 31, tzinfo=reference.tzinfo)
            again_read = again(query, item, in_year, "same_year")
            yield next((found for found in again_read if found.role == item.role), item), sort
        else:
            yield item, sort


def _counted_on(named: list[Named], reference: dt.datetime) -> list[TimeExpression]:
    """Beside a date, "the next two weeks" are those after it, and reach on from it as far as they would from today."""
    items = [item for item, _ in named]
    dates = [at for at, (_, sort) in enumerate(named) if sort in ("year", "yearless")]
    today = to_micros(reference.replace(hour=0, minute=0, second=0, microsecond=0))
    for at, (then, sort) in enumerate(named) if dates else ():
        if sort in ("ahead", "then") and then.period.end is not None:
            near = max((date for date in dates if date < at), default=dates[0])
            start, end = items[near].period.start, items[near].period.end
            if items[near].role == "point" and end is not None and then.period.end > today:
                items[near] = replace(items[near], period=Period(start, end + then.period.end - today), role="range")
    dropped = ("then", "ahead") if dates else ("then",)
    return [item for item, (_, sort) in zip(items, named, strict=True) if sort not in dropped]


def _one_of_two_sides(ranges: list[Range]) -> list[Range]:
    """ "after 2019 but before 2021" is one range, not two that cover everything together."""
    opened = [start for start, end in ranges if end is None]
    closed = [end for start, end in ranges if start is None]
    if len(ranges) == 2 and len(opened) == len(closed) == 1:
        start, end = opened[0], closed[0]
        if start is not None and end is not None and start < end:
            return [(start, end)]
    return ranges
