"""How far a date reaches when it is asked about: wider than it is said, for what people remember is not so exact."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace

from tkgmem.search.query_time.found import again
from tkgmem.temporal.period import Period, to_micros
from tkgmem.temporal.timex import TimeExpression

_DAY = 86_400_000_000
_AS_OF = re.compile(r"as\s+of\s+", re.IGNORECASE)
_AGO = re.compile(r"(?:day|week|month)(?=s?\s+ago\b)|(?:天|周|星期|礼拜|个月)(?=以?之?前$)", re.IGNORECASE)
_DAYS_OF_UNIT = {"d": 1, "天": 1, "w": 3, "周": 3, "星": 3, "礼": 3, "m": 15, "个": 15}
_DAY_OR_WEEK = re.compile(r"(?:day|week|weekend|night|evening|morning)\s+$", re.IGNORECASE)
"""Before "before April 10": the one just before it, and not all time."""
_AROUND = re.compile(r"\b(?:around|circa|approximately|roughly)\s+$|大约$|大概$", re.IGNORECASE)
_BY = re.compile(r"(?:\bby|截至|截止到?)\s*(?:the\s+)?$", re.IGNORECASE)
_FESTIVAL = re.compile(
    r"christmas|xmas|easter|thanksgiving|halloween|new year|festival|national day|labou?r day|holiday|节|国庆|元旦|五一|除夕",
    re.IGNORECASE,
)


def as_asked(query: str, item: TimeExpression, reference: dt.datetime) -> TimeExpression:
    """The expression with the period that a question means by it.

    "As of May" is that May; "by May" is all that was so until it ended; "the Sunday before May" is about a week; what lasts
    until now has all of today in it.
    """
    start, end = item.period.start, item.period.end
    if as_of := _AS_OF.match(item.text):
        return next(again(query, replace(item, start=item.start + as_of.end()), reference, "past"), item)
    if (
        item.role == "until"
        and end is not None
        and _DAY_OR_WEEK.search(query[: item.start])
        and item.text[:6].lower() == "before"
    ):
        return replace(item, period=Period(end - 8 * _DAY, end))
    if item.role == "range" and end is not None:
        today = to_micros(reference.replace(hour=0, minute=0, second=0, microsecond=0))
        return replace(item, period=Period(start, today + _DAY)) if today <= end <= to_micros(reference) else item
    if item.role == "point" and (by := _BY.search(query[: item.start])):
        return replace(item, start=by.start(), period=Period(None, end), role="until")
    return _widened(query, item)


def _widened(query: str, item: TimeExpression) -> TimeExpression:
    """ "Two weeks ago" is not meant to the day, nor "around 2010" to the year; a festival is also the days off around it."""
    start, end = item.period.start, item.period.end
    if item.role != "point" or start is None or end is None:
        return item
    early = late = 0
    if ago := _AGO.search(item.text):
        early = late = _DAYS_OF_UNIT[ago.group().lower()[:1]] * _DAY
    elif _AROUND.search(query[: item.start]) or item.text.endswith(("左右", "前后")):
        early = late = (end - start) // 2
    elif end - start == _DAY and _FESTIVAL.search(item.text):
        early, late = _DAY, 7 * _DAY
    return replace(item, period=Period(start - early, end + late))
