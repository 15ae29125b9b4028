"""English days and weeks named by others beside them: the week of April 10th, the day after Thanksgiving, two Fridays ago."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

from tkgmem.temporal.timex.en.counts import anchor
from tkgmem.temporal.timex.en.numbers import count
from tkgmem.temporal.timex.en.said import Hit, Said, When, on
from tkgmem.temporal.timex.en.units import unit_of
from tkgmem.temporal.timex.en.words import UNITS, WEEKDAYS


def week_of(said: Said, i: int) -> Hit | None:
    """ "the week of April 10th", "w/c Feb 4", "the weekend of Halloween" (that day and the weekend beside it)."""
    start = said.after(i, ("the",))
    short = [said.word(start + step) for step in range(3)] == ["w", "/", "c"]
    if not short and not (said.word(start) in ("week", "weekend") and said.word(start + 1) in _OF_WEEK):
        return None
    at = start + 3 if short else said.after(start + 2, ("on",))
    base = anchor(said, at)
    if base is None:
        return None
    day = base.when.day
    monday = day - dt.timedelta(day.weekday())
    if said.word(start) == "weekend":
        saturday = monday + dt.timedelta(5 if day.weekday() > 1 else -2)
        first, after = min(day, saturday), max(day + dt.timedelta(1), saturday + dt.timedelta(2))
        return Hit(base.end, replace(on(first), after=on(after).first, grain="week"))
    return Hit(base.end, replace(on(monday), after=on(monday + dt.timedelta(7)).first, grain="week"))


_OF_WEEK = ("of", "starting", "beginning", "commencing")


def beside(said: Said, i: int) -> Hit | None:
    """ "the day after Thanksgiving", "the week before Christmas" (seven days), "the weekend after 3 May"."""
    unit, side = said.word(i + 1), said.word(i + 2)
    if said.word(i) != "the" or unit not in ("day", "week", "weekend") or side not in ("before", "after"):
        return None
    base = anchor(said, i + 3)
    if base is None:
        return None
    first, after = base.when.first, base.when.after
    if unit == "weekend":
        away = (first.weekday() - 7) % 7 if side == "before" else (5 - after.weekday()) % 7
        saturday = first - dt.timedelta((away - 5) % 7 or 7) if side == "before" else after + dt.timedelta(away)
        return Hit(base.end, When(saturday, saturday + dt.timedelta(2), "week"))
    days = dt.timedelta(1 if unit == "day" else 7)
    first, after = (first - days, first) if side == "before" else (after, after + days)
    return Hit(base.end, When(first, after, unit))


def unit_ago(said: Said, i: int) -> Hit | None:
    """ "two weekends ago", "the weekend before last", "week before last"."""
    start = said.after(i, ("the",))
    unit = UNITS.get(said.word(start), "")
    if (
        unit
        and unit in ("week", "weekend", "month", "year")
        and (said.word(start + 1), said.word(start + 2)) == ("before", "last")
    ):
        when = unit_of(said, unit, -2)
        return Hit(start + 3, when) if when else None
    number = count(said, i)
    if number and UNITS.get(said.word(number.end)) == "weekend" and said.word(number.end + 1) == "ago":
        when = unit_of(said, "weekend", -number.value)
        return Hit(number.end + 2, when) if when else None
    return None


def weekdays_ago(said: Said, i: int) -> Hit | None:
    """ "two Fridays ago"."""
    number = count(said, i)
    weekday = WEEKDAYS.get(said.word(number.end).removesuffix("s")) if number else None
    if number is None or weekday is None or said.word(number.end + 1) != "ago":
        return None
    latest = said.today - dt.timedelta((said.today.weekday() - weekday - 1) % 7 + 1)
    return Hit(number.end + 2, on(latest - dt.timedelta(7 * (number.value - 1))))
