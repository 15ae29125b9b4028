"""Parts of English stretches: early May, mid-2019, the end of the year, later this week, end of day.

A month has its first 15 days, the 10th to 20th and its days from the 16th; a year that is named has thirds, one counted from
now has halves; a week has three days and four. As a side of a range the beginning, the middle and the end are a moment.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

from tkgmem.temporal.timex.calendar import a_month
from tkgmem.temporal.timex.en.days import month, near_day, weekday
from tkgmem.temporal.timex.en.said import Hit, Said, When
from tkgmem.temporal.timex.en.units import decade, holiday, plain_year, quarter, season, turned, unit_of
from tkgmem.temporal.timex.en.words import PARTS, UNITS


class _Cut(NamedTuple):
    """Where a part begins and ends within its unit, counted in days, months or years; -1 is the unit's end."""

    measure: str
    early: tuple[int, int]
    mid: tuple[int, int]
    late: tuple[int, int]


_CUTS: Mapping[str, _Cut] = {
    "week": _Cut("day", (0, 3), (2, 4), (3, -1)),
    "month": _Cut("day", (0, 15), (9, 20), (15, -1)),
    "quarter": _Cut("month", (0, 1), (1, 2), (2, -1)),
    "season": _Cut("month", (0, 1), (1, 2), (2, -1)),
    "year": _Cut("month", (0, 4), (4, 8), (8, -1)),
    "this year": _Cut("month", (0, 6), (4, 8), (6, -1)),
    "decade": _Cut("year", (0, 4), (4, 7), (7, -1)),
}
_GRAINS = {"week": "day", "month": "half month", "quarter": "month", "season": "month", "year": "third", "decade": "year"}
_SHORT = {"eoy": "year", "eom": "month"}


def part(said: Said, i: int) -> Hit | None:
    """ "early May", "mid-November", "the end of 2019", "end of month", "EOY", "late last year"."""
    if said.word(i) in _SHORT or said.word(said.after(i, ("the",))) in _SHORT:
        at = said.after(i, ("the",))
        unit = _SHORT[said.word(at)]
        whole = unit_of(said, unit, 0)
        return Hit(at + 1, _cut(whole, "late", "this year" if unit == "year" else unit)) if whole else None
    start = said.after(i, ("the",))
    name = PARTS.get(said.word(start))
    if name is None:
        return None
    noun = said.word(start) not in ("early", "mid", "late")
    at = said.after(said.after(start + 1, ("-",)), ("of",))
    if (noun and said.word(at - 1) != "of") or (not noun and said.word(at - 1) == "of"):
        return None
    of = _whole(said, at)
    if of is None or of.when.grain not in _GRAINS:
        return None
    relative = of.when.grain == "year" and said.token(of.end - 1).kind == "w" and said.word(of.end - 1) in UNITS
    found = _cut(of.when, name, "this year" if relative else of.when.grain)
    return Hit(of.end, replace(found, edge=_edge(of.when, name) if noun else None, again=_again(of.when, name)))


def _whole(said: Said, i: int) -> Hit | None:
    readers = (turned, month, quarter, season, decade, plain_year)
    found = max((hit for reader in readers if (hit := reader(said, i))), key=lambda hit: hit.end, default=None)
    if found:
        return found
    at = said.after(i, ("the",))
    unit = UNITS.get(said.word(at), "")
    bare = unit in ("month", "year", "week") and said.closes(at + 1) and said.word(at)[-1] != "s"
    whole = unit_of(said, unit, 0) if bare else None
    return Hit(at + 1, whole) if whole else None


def _cut(of: When, name: str, kind: str) -> When:
    cut = _CUTS[kind]
    first, after = {"early": cut.early, "mid": cut.mid, "late": cut.late}[name]
    end = of.after if after < 0 else _moved(of.first, cut.measure, after)
    return When(_moved(of.first, cut.measure, first), end, _GRAINS[of.grain])


def _moved(base: dt.datetime, measure: str, number: int) -> dt.datetime:
    if measure == "day":
        return base + dt.timedelta(number)
    found = a_month(base.year, base.month + number * (1 if measure == "month" else 12))
    if found is None:
        raise OverflowError("outside the calendar")
    return dt.datetime.combine(found.first, dt.time())


def _edge(of: When, name: str) -> dt.datetime:
    if name != "mid":
        return of.first if name == "early" else of.after
    days = (of.after - of.first).days // 2
    return of.first + dt.timedelta(15 if of.grain == "month" else days)


def _again(of: When, name: str) -> Callable[[dt.date, bool], When | None] | None:
    if of.again is None:
        return None
    inner = of.again

    def around(base: dt.date, ahead: bool) -> When | None:
        found = inner(base, ahead)
        return replace(_cut(found, name, found.grain), edge=_edge(found, name)) if found else None

    return around


def within_unit(said: Said, i: int) -> Hit | None:
    """ "earlier this month", "later in the year", "the rest of the week"."""
    start = said.after(i, ("the",))
    word = said.word(start)
    if word in ("rest", "remaining", "remainder"):
        at = said.after(said.after(start + 1, ("of",)), ("the", "this"))
        earlier = None
    elif word in ("earlier", "later", "late", "early") and said.word(start + 1) in ("this", "in"):
        at = start + 2 + (said.word(start + 1) == "in" and said.word(start + 2) in ("the", "this"))
        earlier = word in ("earlier", "early")
    else:
        return None
    unit = UNITS.get(said.word(at), "")
    whole = unit_of(said, unit, 0) if unit in ("week", "month", "year") and said.word(at)[-1] != "s" else None
    if whole is None or at == start + 1:
        return None
    today = dt.datetime.combine(said.today, dt.time())
    kind = "this year" if unit == "year" else unit
    if earlier is None:
        first, after = today, whole.after
    elif earlier:
        half = _cut(whole, "early", kind)
        first, after = half.first, min(half.after, today) if unit != "week" else max(today, whole.first)
    else:
        half = _cut(whole, "late", kind)
        first, after = max(half.first, today), half.after
    return Hit(at + 1, When(first, after, "day")) if first < after else None


def end_of_day(said: Said, i: int) -> Hit | None:
    """ "EOD", "by end of day", "the end of this Sunday": its last second. "At the end of the day" sums up and is no date."""
    start = said.after(i, ("the",))
    if said.word(start) == "eod":
        day: Hit | None = Hit(start + 1, _today(said))
    elif (said.word(start), said.word(start + 1)) != ("end", "of"):
        return None
    elif said.word(start + 2) == "day" and said.closes(start + 3):
        day = Hit(start + 3, _today(said))
    else:
        day = near_day(said, start + 2) or weekday(said, start + 2) or holiday(said, start + 2)
    if day is None or day.when.grain != "day":
        return None
    return Hit(day.end, When(day.when.after - dt.timedelta(seconds=1), day.when.after, "second"))


def _today(said: Said) -> When:
    first = dt.datetime.combine(said.today, dt.time())
    return When(first, first + dt.timedelta(1), "day")
