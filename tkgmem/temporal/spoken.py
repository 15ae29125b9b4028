"""A date argument as people and language models say it: ISO text, or words ("last March", "two weeks ago", "去年三月")."""

from __future__ import annotations

import calendar
import datetime as dt
import re

from tkgmem.temporal import timex
from tkgmem.temporal.period import Moment, parse_moment, to_datetime, to_micros
from tkgmem.temporal.timex import TimeExpression

_BESIDE = re.compile(
    r"(?:[\s,.;:!?。，、]|\b(?:as|at|back|by|during|from|in|of|on|over|since|the|time|around|about)\b|在|于|的|时|时候)*",
    re.IGNORECASE,
)
_AGO = re.compile(r"(?:\bago|前)$", re.IGNORECASE)
_NOW = frozenset({"now", "right now", "at present", "present", "currently", "current", "现在", "目前", "当前"})


def moment_of(text: str, now: dt.datetime, *, asking: bool = True) -> Moment:
    """The moment that a date argument means. now: the aware moment of asking; what names no offset is in its calendar.

    A period counts from its start, as "2024-05" does. asking: it is what a question is about, so that one which has begun and
    is not over ("today", "this year") is now, and "two years ago" is that day. Where only an end is said ("before May 2024") it
    is that end.
    Raises ValueError naming what is no date, or more than one.

    >>> from tkgmem.temporal.period import show
    >>> moment = moment_of("last March", dt.datetime(2026, 12, 1, 9, tzinfo=dt.UTC))
    >>> show(moment.micros), moment.precision
    ('2026-03-01', 'month')
    """
    try:
        return parse_moment(text, tz=now.tzinfo or dt.UTC)
    except ValueError:
        pass
    if text.strip().lower() in _NOW:
        return Moment(to_micros(now))
    found = timex.find(text, now)
    if len(found) == 1 and _BESIDE.fullmatch(text[: found[0].start]) and _BESIDE.fullmatch(text[found[0].end :]):
        if asking and found[0].precision in {"year", "month"} and _AGO.search(text.strip()):
            return _that_day(found[0], now)
        return _meant(found[0], to_micros(now), asking)
    raise ValueError(
        f"not a date: {text!r:.100}; use ISO text such as '2024-05' or '2024-05-17', or words such as 'last March'"
    )


def _that_day(found: TimeExpression, now: dt.datetime) -> Moment:
    """The day of now in the year, or the month, that is so long ago; the last one of a shorter month."""
    start = found.period.start
    assert start is not None
    then = to_datetime(start).astimezone(now.tzinfo)
    month = now.month if found.precision == "year" else then.month
    day = min(now.day, calendar.monthrange(then.year, month)[1])
    return Moment(to_micros(then.replace(month=month, day=day)), "day")


def _meant(found: TimeExpression, now: int, asking: bool) -> Moment:
    start, end = found.period.start, found.period.end
    if start is None:
        assert end is not None
        return Moment(end, found.end_precision or found.precision)
    if asking and start <= now and (end is None or now < end) and found.role in {"point", "range"}:
        return Moment(now)
    return Moment(start, found.precision)
