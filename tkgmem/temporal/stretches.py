"""Stretches of valid time: the one that a date names, and those that the periods of several facts cut time into.

Within a stretch the same facts hold at every instant; at its end that changes.
"""

from __future__ import annotations

import datetime as dt
from bisect import insort
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from tkgmem.temporal.claim import FUTURE, PAST
from tkgmem.temporal.period import Moment, Period, show, to_datetime, to_micros


def unit_end(moment: Moment, tz: dt.tzinfo = dt.UTC) -> Moment | None:
    """Where the year, month or day that a date names is over, in the calendar of `tz`; None at the end of the calendar.

    Raises ValueError for a time of day, and for what does not begin a unit in that calendar: they name no stretch.

    >>> unit_end(Moment(0, "month")) == Moment(31 * 24 * 3600 * 1_000_000, "month")
    True
    """
    first = to_datetime(moment.micros).astimezone(tz)
    aligned = first.time() == dt.time() and (moment.precision == "day" or first.day == 1)
    if moment.precision == "time" or not aligned or (moment.precision == "year" and first.month > 1):
        raise ValueError(f"{show(moment.micros)} is not a year, month or day, which would be a stretch of time")
    try:
        if moment.precision == "day":
            after = first + dt.timedelta(days=1)
        elif moment.precision == "month":
            after = first.replace(year=first.year + first.month // 12, month=first.month % 12 + 1)
        else:
            after = first.replace(year=first.year + 1)
        return Moment(to_micros(after), moment.precision)
    except (ValueError, OverflowError):
        return None


class Stretch(NamedTuple):
    """A stretch of time, and which of the periods hold in it, by their places in the list."""

    period: Period
    holding: tuple[int, ...]


def cut(periods: Sequence[Period], within: Period) -> Iterator[Stretch]:
    """The stretches that the periods cut `within` into, in order and without a hole; one in which none holds is a gap.

    On a side on which `within` is unbounded they reach as far as the periods. Nothing where no period has an instant of it.

    >>> [(s.period.start, s.period.end, s.holding) for s in cut([Period(1, 4), Period(3, 6), Period(8, None)], Period())]
    [(1, 3, (0,)), (3, 4, (0, 1)), (4, 6, (1,)), (6, 8, ()), (8, None, (2,))]
    """
    low, high = _bounds(within)
    begins, ends = defaultdict[float, list[int]](list), defaultdict[float, list[int]](list)
    for place, period in enumerate(periods):
        start, end = _bounds(period)
        if max(start, low) < min(end, high):
            begins[max(start, low)].append(place)
            ends[min(end, high)].append(place)
    if not begins:
        return
    first = min(begins) if within.start is None else low
    last = max(ends) if within.end is None else high
    holding: list[int] = []
    for start, end in pairwise(sorted({first, last, *begins, *ends})):
        for place in ends.get(start, ()):
            holding.remove(place)
        for place in begins.get(start, ()):
            insort(holding, place)
        yield Stretch(Period(None if start == PAST else int(start), None if end == FUTURE else int(end)), tuple(holding))


def _bounds(period: Period) -> tuple[float, float]:
    return PAST if period.start is None else period.start, FUTURE if period.end is None else period.end
