"""Calendar arithmetic for time expressions: whole days, months, years and weeks of one civil calendar.

Nothing here raises for a date that does not exist (30 February, the year 0 or 10000): it is None.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from tkgmem.temporal.period import Precision


@dataclass(frozen=True, slots=True)
class Stretch:
    """The days [first, after) that some words cover, and how finely they say it."""

    first: dt.date
    after: dt.date
    precision: Precision


def a_day(year: int, month: int, day: int) -> Stretch | None:
    """The stretch of one day."""
    try:
        return of_date(dt.date(year, month, day))
    except ValueError:
        return None


def of_date(first: dt.date, days: int = 1) -> Stretch | None:
    """The stretch of `days` days from `first`, at day precision."""
    try:
        return Stretch(first, first + dt.timedelta(days), "day")
    except OverflowError:
        return None


def a_month(year: int, month: int, months: int = 1) -> Stretch | None:
    """The stretch of `months` months from the given one; `month` may lie outside 1 to 12 and carries into the year."""
    first, after = _first_of_month(year, month), _first_of_month(year, month + months)
    return Stretch(first, after, "month") if first and after else None


def a_year(year: int) -> Stretch | None:
    """The stretch of one year."""
    first, after = _first_of_month(year, 1), _first_of_month(year + 1, 1)
    return Stretch(first, after, "year") if first and after else None


def _first_of_month(year: int, month: int) -> dt.date | None:
    year, zero_based = year + (month - 1) // 12, (month - 1) % 12
    return dt.date(year, zero_based + 1, 1) if 1 <= year <= 9999 else None


def shifted(today: dt.date, count: int, unit: str) -> Stretch | None:
    """`count` units ("day", "week", "month", "year") from today: the day for days and weeks, else the whole unit.

    >>> shifted(dt.date(2024, 3, 31), -1, "month").first
    datetime.date(2024, 2, 1)
    """
    if unit == "year":
        return a_year(today.year + count)
    if unit == "month":
        return a_month(today.year, today.month + count)
    try:
        return of_date(today + dt.timedelta(count * (7 if unit == "week" else 1)))
    except OverflowError:
        return None


def a_week(today: dt.date, weeks: int) -> Stretch | None:
    """The Monday-based week that lies `weeks` weeks from today's, at day precision."""
    monday = weekday_of_week(today, weeks, 0)
    return of_date(monday.first, 7) if monday else None


def weekday_of_week(today: dt.date, weeks: int, weekday: int) -> Stretch | None:
    """The given weekday (Monday is 0) of the Monday-based week that lies `weeks` weeks from today's."""
    return shifted(today, weeks * 7 + weekday - today.weekday(), "day")


def nearest_weekday(today: dt.date, weekday: int, *, future: bool) -> Stretch | None:
    """The latest such weekday not after today; with `future` the first one after today.

    >>> nearest_weekday(dt.date(2026, 1, 31), 0, future=True).first
    datetime.date(2026, 2, 2)
    """
    back = (today.weekday() - weekday) % 7
    return shifted(today, 7 - back if future else -back, "day")


def yearless(today: dt.date, month: int, day: int | None, *, future: bool) -> Stretch | None:
    """A month, or a day of it, named without a year: the latest not after today; with `future` the first not yet over.

    29 February is looked for among the eight nearest years.
    """
    for distance in range(9):
        year = today.year + (distance if future else -distance)
        found = a_month(year, month) if day is None else a_day(year, month, day)
        if found and (found.after > today if future else found.first <= today):
            return found
    return None
