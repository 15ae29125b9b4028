"""English times of day: 3:30 pm, half past nine, noon, in the morning, from 2 to 4pm.

A time without am or pm takes it from the part of the day beside it, else the hours from 1 to 6 are in the afternoon. It is in
the calendar of the reference: a zone's short name ("PST") is passed over, as several of them mean more than one zone.
"""

from __future__ import annotations

import datetime as dt
from typing import NamedTuple

from tkgmem.temporal.timex.en.numbers import below_hundred, digits
from tkgmem.temporal.timex.en.said import Said, once
from tkgmem.temporal.timex.en.words import DAYPARTS


class Clock(NamedTuple):
    """A time of day as said. half: "am", "pm", or None where the words leave it open. bare: a number alone."""

    end: int
    hour: int
    minute: int = 0
    second: int = 0
    grain: str = "hour"
    half: str | None = None
    bare: bool = False

    def on(self, day: dt.datetime, hint: str | None = None) -> dt.datetime:
        """That time on a day; hint: "am" or "pm" from the words around."""
        return day.replace(hour=0, minute=0, second=0) + dt.timedelta(
            hours=self._hour(self.half or hint), minutes=self.minute, seconds=self.second
        )

    def _hour(self, half: str | None) -> int:
        if half == "24" or self.hour > 12 or self.hour == 0:
            return self.hour
        if half is None:
            return self.hour + 12 * (self.hour < 7)
        return self.hour % 12 + 12 * (half == "pm")


class ClockRange(NamedTuple):
    """The index of the token after "from 2 to 4pm", and its two times."""

    end: int
    first: Clock
    last: Clock


class DayPart(NamedTuple):
    """A part of the day: the index of the token after it, and its hours [first, after)."""

    end: int
    first: int
    after: int

    @property
    def half(self) -> str:
        return "am" if self.after <= 12 else "pm"


@once
def clock(said: Said, i: int) -> Clock | None:
    """A time of day; a number alone is `bare`, and only the words around can make it a time."""
    if said.word(i) in ("noon", "midday", "midnight"):
        return Clock(i + 1, 0 if said.word(i) == "midnight" else 12, half="24")
    found = _past_or_to(said, i) or _figures(said, i) or _words(said, i)
    return _with_half(said, found) if found else None


def _figures(said: Said, i: int) -> Clock | None:
    hour = digits(said, i, 2)
    if hour is None or hour.value > 23:
        return None
    sign, end = said.word(i + 1), i + 1
    minute, second, grain = 0, 0, "hour"
    if sign in (":", ".") and said.glued(end) and said.glued(end + 1) and (found := digits(said, end + 1, 2)):
        if len(said.word(end + 1)) != 2 or found.value > 59:
            return None
        minute, end, grain = found.value, found.end, "minute"
        if said.word(end) == ":" and sign == ":" and (found := digits(said, end + 1, 2)) and found.value <= 59:
            second, end, grain = found.value, found.end, "second"
    whole = len(said.word(i)) == 2 and said.word(i)[0] == "0" and sign == ":"
    dotted = sign == "." and grain == "minute" and said.word(i - 1) not in ("at", "-", "to")
    return Clock(
        end, hour.value, minute, second, grain, "24" if whole or hour.value > 12 else None, bare=grain == "hour" or dotted
    )


def _words(said: Said, i: int) -> Clock | None:
    hour = below_hundred(said, i)
    if hour is None or not 1 <= hour.value <= 12 or said.word(hour.end) == "past":
        return None
    minute = below_hundred(said, said.after(hour.end, ("-",)))
    if minute is None or not 10 <= minute.value <= 59:
        return Clock(hour.end, hour.value, bare=True)
    return Clock(said.after(minute.end, ("minutes",)), hour.value, minute.value, grain="minute")


def _past_or_to(said: Said, i: int) -> Clock | None:
    """ "half past nine", "quarter to five", "thirty-six minutes past eight"."""
    at = said.after(i, ("a",))
    fixed = {"half": 30, "quarter": 15}.get(said.word(at))
    minutes = (at + 1, fixed) if fixed else (below_hundred(said, i) or digits(said, i, 2))
    if minutes is None:
        return None
    side = said.after(minutes[0], ("minutes",))
    if (side == minutes[0] and not fixed) or said.word(side) not in ("past", "to", "after"):
        return None
    hour = below_hundred(said, side + 1) or digits(said, side + 1, 2)
    if hour is None or not 1 <= hour.value <= 12 or minutes[1] > 59:
        return None
    if said.word(side) != "to":
        return Clock(hour.end, hour.value, minutes[1], grain="minute")
    return Clock(hour.end, (hour.value - 2) % 12 + 1, 60 - minutes[1], grain="minute")


def _with_half(said: Said, found: Clock) -> Clock:
    at, word = found.end, said.word(found.end)
    if word == "o" and said.word(at + 1) == "'" and said.word(at + 2) == "clock":
        found, at = found._replace(end=at + 3, bare=False), at + 3
    elif word in ("oclock", "hours") and (word == "oclock" or found.half == "24"):
        found, at = found._replace(end=at + 1, bare=False), at + 1
    half, end = _half(said, at)
    if half and 1 <= found.hour <= 12:
        return found._replace(end=end, half=half, bare=False)
    if half and found.half == "24":
        return found._replace(end=end, bare=False)
    if (part := daypart(said, found.end)) and not found.half:
        return found._replace(end=part.end, half=part.half, bare=False)
    return found


def _half(said: Said, i: int) -> tuple[str | None, int]:
    """ "am", "p.m.", "p m", "a" after a number that it is glued to."""
    word = said.word(i)
    if word in ("am", "pm"):
        return word, i + 1
    if word in ("a", "p"):
        if said.word(i + 1) == "." and said.word(i + 2) == "m":
            return word + "m", said.after(i + 3, (".",)) if said.glued(i + 3) else i + 3
        if said.word(i + 1) == "m":
            return word + "m", i + 2
        if said.glued(i) and said.token(i - 1).kind == "n" and said.closes(i + 1):
            return word + "m", i + 1
    return None, i


def daypart(said: Said, i: int) -> DayPart | None:
    """ "in the morning", "early evening", "at night", "late this morning" without its "this"."""
    at = said.phrase(i, ("in the", "during the", "in")) or said.after(i, ("at", ","))
    modifier = said.word(at) if said.word(at) in ("early", "late", "mid", "later", "earlier") else None
    name = said.after(at + 1, ("-", "in")) if modifier else at
    name = said.after(name, ("the",)) if modifier else name
    hours = DAYPARTS.get(said.word(name))
    if hours is None or (said.word(i) == "in" and at == i + 1 and modifier is None):
        return None
    first, after = hours
    if modifier:
        middle = (first + after) // 2
        first, after = (first, middle) if modifier in ("early", "earlier") else (middle, after) if modifier != "mid" else hours
    return DayPart(name + 1, first, after)


_JOINTS = ("to", "-", "until", "till", "til", "and", "through", "~")


@once
def clock_range(said: Said, i: int) -> ClockRange | None:
    """ "from 2 to 4pm", "between 9:30 and 3:00 pm", "3-8pm". Two bare numbers need "from", "between" or a dash."""
    opening = said.word(i) in ("from", "between")
    at = said.after(i, ("from", "between", "at"))
    first = clock(said, at)
    if first is None or said.word(first.end) not in _JOINTS:
        return None
    if said.word(first.end) == "and" and said.word(i) != "between":
        return None
    last = clock(said, first.end + 1)
    if last is None or (not said.closes(last.end) and said.word(last.end) != ","):
        return None
    if first.bare and last.bare and not opening and not said.glued(first.end):
        return None
    return ClockRange(last.end, first, last)


def settled(found: ClockRange, day: dt.datetime, hint: str | None) -> tuple[dt.datetime, dt.datetime]:
    """The two moments: what one side leaves open comes from the other, so that the range is short and runs forward."""
    first, last = found.first, found.last
    end = last.on(day, hint)
    if first.half is None and last.half in ("am", "pm"):
        same = first.on(day, last.half)
        start = same if same < end else first.on(day, "am" if last.half == "pm" else "pm")
    else:
        start = first.on(day, hint or (None if first.half else "am" if _runs_on(found) else None))
    if end <= start and last.half is None:
        end = min((moment for half in ("am", "pm") if (moment := last.on(day, half)) > start), default=end)
    return start, end + dt.timedelta(1) if end <= start else end


def _runs_on(found: ClockRange) -> bool:
    """ "6 to 8": a first hour that the second follows in the same half of the day stays as said."""
    return found.last.half is None and found.first.hour > found.last.hour
