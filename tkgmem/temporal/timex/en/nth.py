"""English stretches counted within others: the third week of May, the last Friday of 2020, week 10, next year's first quarter.

A week belongs to the month or year that holds its Thursday, as in ISO 8601.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

from tkgmem.temporal.timex.calendar import a_month, a_week, weekday_of_week
from tkgmem.temporal.timex.en.days import month, weekday_name
from tkgmem.temporal.timex.en.numbers import count, digits, ordinal
from tkgmem.temporal.timex.en.said import Hit, Said, When, of_stretch, on
from tkgmem.temporal.timex.en.units import decade, plain_year, quarter, season, turned, unit_of
from tkgmem.temporal.timex.en.words import UNITS
from tkgmem.temporal.timex.holidays import nth_weekday


def _hit(end: int, when: When | None) -> Hit | None:
    return Hit(end, when) if when else None


def week_number(said: Said, i: int) -> Hit | None:
    """ "week 10", "week 27 of last year": the ISO week."""
    start = said.after(i, ("the",))
    number = digits(said, start + 1, 2) if said.word(start) == "week" else None
    if number is None or not 1 <= number.value <= 53:
        return None
    at = said.after(said.after(number.end, (",",)), ("of", "in"))
    if (of := _container(said, at)) and of.when.grain == "year" and at > number.end:
        return _hit(of.end, _nth_unit(of.when, "week", number.value))
    this_year = unit_of(said, "year", 0)
    return _hit(number.end, _nth_unit(this_year, "week", number.value)) if this_year and said.closes(number.end) else None


def _container(said: Said, i: int) -> Hit | None:
    """What parts are counted in: "last year", "2021", "the month", "Jan 2015"."""
    if found := turned(said, i) or quarter(said, i) or season(said, i) or month(said, i) or decade(said, i):
        return Hit(found.end, replace(found.when, weak=False))
    if said.word(i) in ("the", "this") and (unit := UNITS.get(said.word(i + 1), "")) in ("week", "month", "quarter", "year"):
        return _hit(i + 2, unit_of(said, unit, 0))
    found = plain_year(said, i)
    return Hit(found.end, replace(found.when, weak=False)) if found else None


def container_after(said: Said, i: int) -> Hit | None:
    """A container after "of", "in" or "of the"."""
    at = said.after(said.after(i, (",",)), ("of", "in"))
    return _container(said, at)


def possessed(said: Said, i: int) -> Hit | None:
    """ "next year's first quarter"."""
    whole = turned(said, i)
    if whole is None or said.word(whole.end) != "'" or said.word(whole.end + 1) != "s":
        return None
    nth = ordinal(said, whole.end + 2)
    unit = UNITS.get(said.word(nth.end)) if nth else None
    return _hit(nth.end + 1, _nth_unit(whole.when, unit, nth.value)) if nth and unit else None


def nth_of(said: Said, i: int) -> Hit | None:
    """ "the third week of 2018", "first ten days of last year", "third Friday of June", "15th day of next month"."""
    start = said.after(i, ("the",))
    last = said.word(start) == "last"
    nth = ordinal(said, start)
    if not (last or nth):
        return None
    end = start + 1 if last else nth.end if nth else start
    number = -1 if last else nth.value if nth else 1
    many = count(said, end)
    if many and said.word(many.end) in UNITS and (last or number == 1):
        return _some_of(said, many.end, -many.value if last else many.value)
    if nth and said.word(end) == "of" and (of := container_after(said, end)) and of.when.grain == "month":
        return _hit(of.end, _nth_unit(of.when, "day", number))
    if (day := weekday_name(said, end)) is not None:
        of = container_after(said, end + 1)
        return _hit(of.end, _nth_weekday(of.when, day, number)) if of and of.when.grain in ("month", "year") else None
    unit = "half" if said.word(end) == "half" else UNITS.get(said.word(end))
    of = container_after(said, end + 1) if unit and end + 1 < len(said.tokens) else None
    if unit is None or of is None or said.word(end + 1) not in ("of", "in"):
        return None
    return _hit(of.end, _nth_unit(of.when, unit, number))


def _some_of(said: Said, i: int, many: int) -> Hit | None:
    """The first or last so many units of a container; i is at the unit."""
    unit, of = UNITS[said.word(i)], container_after(said, i + 1)
    if of is None or said.word(i + 1) not in ("of", "in"):
        return None
    first = _nth_unit(of.when, unit, 1 if many > 0 else many)
    final = _nth_unit(of.when, unit, many if many > 0 else -1)
    return _hit(of.end, When(first.first, final.after, unit)) if first and final else None


def _nth_weekday(of: When, weekday: int, number: int) -> When | None:
    day = of.day if number > 0 else (of.after - dt.timedelta(1)).date()
    found = nth_weekday(day.year, day.month, weekday, number)
    return on(found) if of.first.date() <= found < of.after.date() else None


def _nth_unit(of: When, unit: str, number: int) -> When | None:
    """The nth unit within a stretch, from its end if negative; None if it has not so many."""
    if unit == "weekend":
        saturday = _nth_weekday(of, 5, number)
        return saturday and replace(saturday, after=saturday.after + dt.timedelta(1), grain="week")
    if unit == "week":
        found = _nth_week(of.day, of.after.date(), number)
    elif unit == "half":
        return _half(of, number)
    elif unit == "day":
        found = on(of.day + dt.timedelta(number - 1) if number > 0 else of.after.date() + dt.timedelta(number))
    else:
        found = _nth_months(of, unit, number)
    middle = found and found.first + dt.timedelta(3 if unit == "week" else 0)
    return found if middle and of.first <= middle < of.after else None


def _nth_week(first: dt.date, after: dt.date, number: int) -> When | None:
    """The nth week whose Thursday is among the days [first, after)."""
    base = first if number > 0 else after - dt.timedelta(1)
    thursday = weekday_of_week(base, 0, 3)
    inside = thursday is not None and first <= thursday.first < after
    steps = number - 1 + (not inside) if number > 0 else number + 1 - (not inside)
    return of_stretch(a_week(base, steps), "week")


def _nth_months(of: When, unit: str, number: int) -> When | None:
    months = {"month": 1, "quarter": 3, "year": 12}.get(unit)
    if months is None:
        return None
    base = of.first if number > 0 else of.after
    steps = number - 1 if number > 0 else number
    found = of_stretch(a_month(base.year, base.month + months * steps, months), unit)
    return found if found and found.after <= of.after else None


def _half(of: When, number: int) -> When | None:
    """A half of a month (15 days and the rest) or of an even number of months."""
    months = (of.after.year - of.first.year) * 12 + of.after.month - of.first.month
    if abs(number) > 2 or (months % 2 and months != 1) or months == 0:
        return None
    whole = of_stretch(a_month(of.first.year, of.first.month, months // 2), "half") if months > 1 else None
    middle = whole.after if whole else of.first + dt.timedelta(15)
    return When(of.first, middle, "half") if number in (1, -2) else When(middle, of.after, "half")
