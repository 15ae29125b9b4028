"""Holidays that English names, and the day each falls on in a year. Movable feasts are computed, not listed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable

_Rule = Callable[[int], dt.date]


def easter(year: int) -> dt.date:
    """Easter Sunday of a Gregorian year (the anonymous algorithm of Nature, 1876, as given by Meeus).

    >>> easter(2019), easter(2018)
    (datetime.date(2019, 4, 21), datetime.date(2018, 4, 1))
    """
    golden, (century, rest) = year % 19, divmod(year, 100)
    moon = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    sunday = (32 + 2 * (century % 4) + 2 * (rest // 4) - moon - rest % 4) % 7
    shift = moon + sunday - 7 * ((golden + 11 * moon + 22 * sunday) // 451) + 114
    return dt.date(year, shift // 31, shift % 31 + 1)


def nth_weekday(year: int, month: int, weekday: int, nth: int) -> dt.date:
    """The nth such weekday (Monday is 0) of a month; -1 is the last. The fifth may lie in the next month.

    >>> nth_weekday(2010, 11, 3, 4), nth_weekday(2024, 5, 0, -1)
    (datetime.date(2010, 11, 25), datetime.date(2024, 5, 27))
    """
    if nth < 0:
        following = dt.date(year + month // 12, month % 12 + 1, 1)
        return following - dt.timedelta((following.weekday() - weekday - 1) % 7 + 1)
    first = dt.date(year, month, 1)
    return first + dt.timedelta((weekday - first.weekday()) % 7 + 7 * (nth - 1))


def _fixed(month: int, day: int) -> _Rule:
    return lambda year: dt.date(year, month, day)


def _nth(month: int, weekday: int, nth: int, days: int = 0) -> _Rule:
    return lambda year: nth_weekday(year, month, weekday, nth) + dt.timedelta(days)


def _easter(days: int) -> _Rule:
    return lambda year: easter(year) + dt.timedelta(days)


HOLIDAYS: dict[str, _Rule] = {
    name: rule
    for names, rule in (
        ("new year|new years|new year day|new year's|new year's day|new years day", _fixed(1, 1)),
        ("new year's eve|new years eve|new year eve|nye", _fixed(12, 31)),
        ("martin luther king day|mlk day", _nth(1, 0, 3)),
        ("groundhog day", _fixed(2, 2)),
        ("valentine's day|valentines day|valentine day|valentine's", _fixed(2, 14)),
        ("presidents' day|presidents day|president's day", _nth(2, 0, 3)),
        ("international women's day|women's day", _fixed(3, 8)),
        ("st patrick's day|st. patrick's day|saint patrick's day", _fixed(3, 17)),
        ("april fools' day|april fools day|april fool's day|april fools", _fixed(4, 1)),
        ("earth day", _fixed(4, 22)),
        ("shrove tuesday|mardi gras", _easter(-47)),
        ("ash wednesday", _easter(-46)),
        ("palm sunday", _easter(-7)),
        ("maundy thursday", _easter(-3)),
        ("good friday", _easter(-2)),
        ("easter|easter sunday|easter day", _easter(0)),
        ("easter monday", _easter(1)),
        ("ascension day", _easter(39)),
        ("pentecost|whit sunday", _easter(49)),
        ("may day|labour day|workers' day|international workers' day", _fixed(5, 1)),
        ("cinco de mayo", _fixed(5, 5)),
        ("mother's day|mothers day|mothers' day", _nth(5, 6, 2)),
        ("memorial day", _nth(5, 0, -1)),
        ("juneteenth|freedom day|jubilee day", _fixed(6, 19)),
        ("father's day|fathers day|fathers' day", _nth(6, 6, 3)),
        ("independence day|fourth of july|4th of july", _fixed(7, 4)),
        ("bastille day", _fixed(7, 14)),
        ("labor day", _nth(9, 0, 1)),
        ("columbus day|indigenous peoples' day", _nth(10, 0, 2)),
        ("halloween|hallowe'en|all hallows' eve", _fixed(10, 31)),
        ("all saints' day|all saints day", _fixed(11, 1)),
        ("guy fawkes night|bonfire night", _fixed(11, 5)),
        ("veterans day|veterans' day|remembrance day|armistice day", _fixed(11, 11)),
        ("thanksgiving|thanksgiving day", _nth(11, 3, 4)),
        ("black friday", _nth(11, 3, 4, 1)),
        ("cyber monday", _nth(11, 3, 4, 4)),
        ("christmas eve|xmas eve", _fixed(12, 24)),
        ("christmas|christmas day|xmas|xmas day", _fixed(12, 25)),
        ("boxing day|st stephen's day", _fixed(12, 26)),
    )
    for name in names.split("|")
}
"""A name to the day that it falls on in a given year; United States rules where countries differ."""


def on_holiday(name: str, year: int) -> dt.date | None:
    """The day on which a holiday falls; None outside the years of the calendar."""
    try:
        return HOLIDAYS[name](year)
    except (ValueError, OverflowError):
        return None
