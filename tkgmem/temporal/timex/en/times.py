"""English dates as a whole, and dates with a time of day: tonight at 7, tomorrow from 10 to 12, 5pm next Friday."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from tkgmem.temporal.timex.calendar import weekday_of_week
from tkgmem.temporal.timex.en.beside import beside, unit_ago, week_of, weekdays_ago
from tkgmem.temporal.timex.en.clock import Clock, DayPart, clock, clock_range, daypart, settled
from tkgmem.temporal.timex.en.counts import around_now, away, starting, to_date
from tkgmem.temporal.timex.en.days import day_alone, day_of_month, listed_day, month, near_day, weekday, weekday_name
from tkgmem.temporal.timex.en.nth import container_after, nth_of, possessed, week_number
from tkgmem.temporal.timex.en.numbers import count
from tkgmem.temporal.timex.en.numeric import numeric
from tkgmem.temporal.timex.en.parts import end_of_day, part, within_unit
from tkgmem.temporal.timex.en.said import Hit, Said, When, of_stretch, on, once
from tkgmem.temporal.timex.en.units import decade, holiday, plain_year, quarter, season, turned
from tkgmem.temporal.timex.en.words import (
    AFTER,
    BEFORE,
    CLOCK_UNITS,
    COUNTED_THINGS,
    DAYPARTS,
    SINCE,
    TURNS,
    UNITS,
    UNTIL,
    ZONES,
)

_READERS: tuple[Callable[[Said, int], Hit | None], ...] = (
    numeric, day_of_month, weekday, near_day, day_alone, listed_day, month, turned, part, within_unit, end_of_day, holiday,
    season, quarter, decade, week_number, week_of, possessed, nth_of, plain_year, away, unit_ago,
    weekdays_ago, beside,
)  # fmt: skip
_STRETCHES: tuple[Callable[[Said, int], Hit | None], ...] = (around_now, starting, to_date)


class Timed(NamedTuple):
    """A date with a time of day: the token after it, its moments (None on an open side), and the unit that the words give."""

    end: int
    first: dt.datetime | None
    after: dt.datetime | None
    grain: str


@once
def dated(said: Said, i: int) -> Hit | None:
    """The longest date at i; of equal ones the sure one."""
    hits = [hit for reader in _READERS if (hit := reader(said, i))]
    found = max(hits, key=lambda hit: (hit.end, not hit.when.weak), default=None)
    return (_weekday_in_week(said, i, found) or found) if found else None


def counted(said: Said, i: int) -> Hit | None:
    """The longest counted stretch at i."""
    return max((hit for reader in _STRETCHES if (hit := reader(said, i))), key=lambda hit: hit.end, default=None)


def _weekday_in_week(said: Said, i: int, found: Hit) -> Hit | None:
    """ "Tuesday of next week", "next week on Tuesday", "the first week of May on Friday"."""
    if found.when.grain == "week":
        at = said.after(said.after(found.end, (".", ",")), ("on",))
        number = weekday_name(said, at)
        when = of_stretch(weekday_of_week(found.when.day, 0, number), "day") if number is not None else None
        return Hit(at + 1, when) if when and said.word(found.end) != "," else None
    number = weekday_name(said, i)
    if number is None or found.end > i + 1 or found.when.grain != "day":
        return None
    whole = container_after(said, found.end)
    if whole is None or whole.when.grain != "week" or said.word(found.end) == ",":
        return None
    when = of_stretch(weekday_of_week(whole.when.day, 0, number), "day")
    return Hit(whole.end, when) if when else None


@once
def timed(said: Said, i: int) -> Timed | None:
    """The longest date with a time of day that begins at i."""
    found = [hit for hit in (_part_first(said, i), _date_first(said, i), _time_first(said, i), _split(said, i)) if hit]
    return max(found, key=lambda hit: hit.end, default=None)


def _near_part(said: Said, i: int) -> tuple[int, dt.datetime, DayPart] | None:
    """ "tonight", "last night", "this morning", "early this evening", "later today", "mid today"."""
    today = dt.datetime.combine(said.today, dt.time())
    if said.word(i) in ("tonight", "tonite"):
        return i + 1, today, DayPart(i + 1, *DAYPARTS["night"])
    modifier = said.word(i) in ("early", "late", "mid", "later", "earlier")
    at = said.after(i + modifier, ("in",)) if modifier else i
    if modifier and said.word(at) == "today" and said.word(i) in ("mid", "later", "late"):
        return at + 1, today, DayPart(at + 1, *((10, 14) if said.word(i) == "mid" else (12, 24)))
    turn = TURNS.get(said.word(at))
    hours = DAYPARTS.get(said.word(at + 1))
    if turn is None or hours is None or said.word(at) in ("past", "coming", "upcoming"):
        return None
    middle = sum(hours) // 2
    first = middle if said.word(i) in ("late", "later") else hours[0]
    after = middle if said.word(i) in ("early", "earlier") else hours[1]
    return at + 2, today + dt.timedelta(turn), DayPart(at + 2, first, after)


def _covering(end: int, day: dt.datetime, hours: DayPart) -> Timed:
    return Timed(end, day + dt.timedelta(hours=hours.first), day + dt.timedelta(hours=hours.after), "part")


def _part_first(said: Said, i: int) -> Timed | None:
    near = _near_part(said, i)
    if near is None:
        return None
    end, day, hours = near
    return _time_after(said, end, day, hours.half) or _covering(end, day, hours)


def _date_first(said: Said, i: int) -> Timed | None:
    found = dated(said, i)
    if found is None or found.when.grain != "day" or (found.when.weak and said.word(i + 1) != "/"):
        return None
    day = found.when.first
    if said.word(found.end) in ("am", "pm") and said.token(found.end).gap:
        return _covering(found.end + 1, day, DayPart(0, *DAYPARTS["morning" if said.word(found.end) == "am" else "afternoon"]))
    if hours := daypart(said, found.end):
        return _time_after(said, hours.end, day, hours.half) or _covering(hours.end, day, hours)
    return _time_after(said, found.end, day, None)


def _time_after(said: Said, i: int, day: dt.datetime, hint: str | None) -> Timed | None:
    """The time of day that follows a day at i."""
    at = said.after(i, (",", "-"))
    for phrases, side in ((BEFORE, "end"), ((*UNTIL, "by"), "end"), ((*AFTER, *SINCE), "start")):
        opened = said.phrase(at, phrases)
        moment = clock(said, said.after(opened, ("around", "about"))) if opened else None
        if moment and (not moment.bare or said.closes(moment.end)) and not _counts(said, moment.end):
            instant = moment.on(day, hint)
            first, after = (None, instant) if side == "end" else (instant, None)
            return Timed(moment.end, first, after, moment.grain)
    if found := clock_range(said, said.after(at, ("at",)) if clock_range(said, at) is None else at):
        wordy = said.word(at) not in ("from", "between") and found.first.bare and found.last.bare
        if not _counts(said, found.end) and not (wordy and (at > i or said.word(at + 1) != "-")):
            return Timed(found.end, *settled(found, day, hint), _finer(found.first, found.last))
    return _clock_after(said, at, day, hint)


def _clock_after(said: Said, i: int, day: dt.datetime, hint: str | None) -> Timed | None:
    asked = said.word(i) in ("at", "around", "about", "@", "for", "on", "from")
    at = said.after(said.after(i, ("at", "@", "for", "on", "from")), ("around", "about"))
    moment = clock(said, at)
    if moment is None or _counts(said, moment.end):
        return None
    if moment.bare and (not asked or said.word(i) in ("for", "on", "from")):
        dotted = moment.grain == "minute" and asked
        if (not dotted and moment.grain == "hour") or (moment.grain == "minute" and not asked):
            return None
    first = moment.on(day, hint)
    if (
        said.word(moment.end) == "for"
        and (many := count(said, moment.end + 1))
        and UNITS.get(said.word(many.end)) in CLOCK_UNITS
    ):
        return Timed(many.end + 1, first, first + _length(UNITS[said.word(many.end)], many.value), "minute")
    return Timed(moment.end, first, first + _length(moment.grain), moment.grain)


def _length(grain: str, number: int = 1) -> dt.timedelta:
    return dt.timedelta(seconds=number * CLOCK_UNITS[grain])


def _finer(first: Clock, last: Clock) -> str:
    return min(first.grain, last.grain, key=lambda grain: CLOCK_UNITS[grain])


def _counts(said: Said, i: int) -> bool:
    return said.word(i) in COUNTED_THINGS or said.word(i) == "%" or not said.closes(i)


def _time_first(said: Said, i: int) -> Timed | None:
    """A time of day and then its day: "8.30pm today", "from 5 to 6pm of April 22", "10am to 12pm Monday morning"."""
    span = clock_range(said, i)
    moment = clock(said, said.after(said.after(i, ("at",)), ("around", "about"))) if span is None else None
    hours = daypart(said, i) if span is None and moment is None and said.word(i) in DAYPARTS else None
    end = span.end if span else moment.end if moment else hours.end if hours else i
    if end == i or (moment and moment.bare and said.word(i) != "at"):
        return None
    found = _day_after(said, said.after(said.after(said.after(end, ZONES), (",",)), ("on", "of")))
    if found is None:
        return None
    end, day, hint = found
    if span:
        return Timed(end, *settled(span, day, hint), _finer(span.first, span.last))
    if moment:
        first = moment.on(day, hint)
        return Timed(end, first, first + _length(moment.grain), moment.grain)
    return _covering(end, day, hours) if hours else None


def _day_after(said: Said, i: int) -> tuple[int, dt.datetime, str | None] | None:
    if near := _near_part(said, i):
        return near[0], near[1], near[2].half
    found = dated(said, i)
    if found is None or found.when.grain != "day" or found.when.weak:
        return None
    hours = daypart(said, found.end)
    return (hours.end, found.when.first, hours.half) if hours else (found.end, found.when.first, None)


def _split(said: Said, i: int) -> Timed | None:
    """A weekday, a time, and then its week or month: "Wednesday evening next week", "the first Monday 1pm to 3pm of May"."""
    name = next((at for at in range(i, i + 4) if weekday_name(said, at) is not None), None)
    if name is None or (name > i and said.word(i) not in ("the", "first", "second", "third", "fourth", "last")):
        return None
    hours, span = daypart(said, name + 1), clock_range(said, name + 1)
    end = span.end if span else hours.end if hours else 0
    whole = container_after(said, end) if end else None
    if whole is None:
        return None
    joined = Said.of((*said.tokens[i : name + 1], *said.tokens[end : whole.end]), said.now, said.prefer)
    found = dated(joined, 0)
    if found is None or found.end < len(joined.tokens) or found.when.grain != "day":
        return None
    day = found.when.first
    if span:
        return Timed(whole.end, *settled(span, day, None), _finer(span.first, span.last))
    return _covering(whole.end, day, hours) if hours else None


def speaking(said: Said, i: int) -> Hit | None:
    """ "now" and "today" as the side of a range."""
    return Hit(i + 1, replace(on(said.today), grain="now")) if said.word(i) in ("now", "today") else None


def clock_side(said: Said, i: int, day: dt.datetime) -> Hit | None:
    """A time of day alone, as the side of a range whose other side gives the day: at or after that side, if it can be."""
    moment = clock(said, i)
    if moment is None or _counts(said, moment.end):
        return None
    first = moment.on(day)
    if first < day and moment.half is None:
        first = moment.on(day, "pm")
    return Hit(moment.end, When(first, first + _length(moment.grain), moment.grain))
