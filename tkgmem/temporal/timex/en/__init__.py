"""English time expressions: points, ranges and open sides, read from a text's tokens from left to right.

At each token the longest expression is taken; what its readers do not know is left out, never guessed. A bare number or month
counts only where the words beside it ask for a date.

Own code, because measured on the 522 items of Recognizers-Text (benchmarks/dates.py) the search of dateparser gets 78 right and
parsedatetime 61: they give moments only, without units, ranges or open sides.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from tkgmem.errors import InvalidPeriod
from tkgmem.temporal.period import Period, to_micros
from tkgmem.temporal.timex.en.counts import bounded
from tkgmem.temporal.timex.en.days import spelled_month_day, trailing_year
from tkgmem.temporal.timex.en.said import Hit, Said, When, on, precision_of
from tkgmem.temporal.timex.en.times import Timed, clock_side, counted, dated, speaking, timed
from tkgmem.temporal.timex.en.words import (
    AFTER,
    BEFORE,
    CLOCK_UNITS,
    CORES,
    COUNTED_THINGS,
    LEADS,
    MONTHS,
    SINCE,
    UNITS,
    UNTIL,
    tokens,
)
from tkgmem.temporal.timex.expression import Prefer, Role, TimeExpression

_SIDES: tuple[tuple[str, tuple[str, ...]], ...] = (("since", SINCE), ("until", UNTIL), ("before", BEFORE), ("after", AFTER))
_JOINTS = ("to", "through", "thru", "until", "till", "up to", "up until", "-", "~")
_SINCE_TAILS = (
    "onwards", "onward", "on", "and onwards", "and later", "or later", "and after", "or after", "and greater", "and up",
    "until now", "till now", "to now", "- now", "- present", "to present", "to date",
)  # fmt: skip
_UNTIL_TAILS = ("or earlier", "and earlier", "or before", "and before")
_OPEN_TAILS = (("to", "the", "present"), ("until", "the", "present"))


class Found(NamedTuple):
    """An expression: the token after it, its moments (None on an open side), its sides' grains, where its last unit begins."""

    end: int
    role: Role
    first: dt.datetime | None
    after: dt.datetime | None
    grain: str
    end_grain: str
    last: dt.datetime | None = None


def find(text: str, reference: dt.datetime, *, prefer: Prefer, parts_of_day: bool = True) -> Iterator[TimeExpression]:
    """The expressions of a text in order; `reference` and what is found share one calendar. See `timex.find`."""
    said = Said.of(tokens(text), reference.replace(tzinfo=None), prefer)
    cores = [token.kind == "n" or token.text in CORES for token in said.tokens]
    i = 0
    while i < len(cores):
        found = _read(said, i) if cores[i] or (said.word(i) in LEADS and True in cores[i + 1 : i + 8]) else None
        if found is None:
            i += 1
            continue
        if not _is_measured(said, i) and (expression := _expressed(text, said, i, found, reference.tzinfo, parts_of_day)):
            yield expression
        i = found.end


def _read(said: Said, i: int) -> Found | None:
    """The longest expression at i; a date outside the calendar is none."""
    if not said.opens(i):
        return None
    candidates = []
    for reader in (_ranged, _sided, _point):
        try:
            found = reader(said, i)
        except (OverflowError, ValueError):
            continue
        if found and said.closes(found.end):
            candidates.append(found)
    return max(candidates, key=lambda found: found.end, default=None)


def _is_measured(said: Said, i: int) -> bool:
    """ "two hours before Friday" is neither Friday nor the time before it."""
    return said.word(i) in ("before", "after", "from") and said.word(i - 1) in UNITS


def _point(said: Said, i: int) -> Found | None:
    candidates = []
    if hit := timed(said, i):
        role = _role(hit)
        candidates.append(
            Found(hit.end, role, hit.first, hit.after, hit.grain, hit.grain, hit.after if role == "range" else None)
        )
    if (stretch := counted(said, i)) and stretch.when.first < stretch.when.after:
        when = stretch.when
        candidates.append(Found(stretch.end, "range", when.first, when.after, when.grain, when.grain))
    if date := dated(said, i):
        candidates += _tailed(said, date)
        if not date.when.weak:
            when = date.when
            candidates.append(Found(date.end, "point", when.first, when.after, when.grain, when.grain))
    return max(candidates, key=lambda found: found.end, default=None)


def _role(hit: Timed) -> Role:
    """A time of day is a point, one from another to a third, or the first of an open side, is not."""
    if hit.first is None or hit.after is None:
        return "until" if hit.first is None else "since"
    one = hit.grain == "part" or hit.after - hit.first <= dt.timedelta(seconds=CLOCK_UNITS[hit.grain])
    return "point" if one else "range"


def _tailed(said: Said, date: Hit) -> list[Found]:
    """ "2018 or later", "from May 2020 onwards", "1/1/2016 and before"."""
    when, grain = date.when, date.when.grain
    end = said.phrase(date.end, _SINCE_TAILS)
    if end and said.token(end).kind != "n" and (said.word(date.end) != "on" or said.word(end) in ("", ".", ",", "and", ";")):
        return [Found(end, "since", when.first, None, grain, grain)]
    if tuple(said.word(date.end + step) for step in range(3)) in _OPEN_TAILS:
        return [Found(date.end + 3, "since", when.first, None, grain, grain)]
    if end := said.phrase(date.end, _UNTIL_TAILS):
        return [Found(end, "until", None, when.after, grain, grain, when.first)]
    return []


def _sided(said: Said, i: int) -> Found | None:
    if said.word(i) in ("more", "less") and said.word(i + 1) == "than":
        return _more_or_less(said, i)
    for side, phrases in _SIDES:
        end = said.phrase(i, phrases)
        if end is None:
            continue
        at = said.after(end, ("about", "around", "approximately", "roughly"))
        if (moment := timed(said, at)) and moment.first and moment.after and moment.grain in (*CLOCK_UNITS, "part"):
            return _open(moment.end, side, When(moment.first, moment.after, moment.grain))
        if (date := dated(said, at)) and (not date.when.weak or date.when.grain in ("year", "month")):
            tail = said.phrase(date.end, _SINCE_TAILS[-3:]) if side == "since" else None
            return _open(tail or date.end, side, date.when)
    if said.word(i) == "from" and (date := dated(said, i + 1)) and (tails := _tailed(said, date)) and tails[0].role == "since":
        return tails[0]
    return None


def _open(end: int, side: str, when: When) -> Found:
    """One side of a date. A time of day, and "the end of May", is a moment and not a unit that is counted in or out."""
    grain = when.grain
    moment = when.first if grain in CLOCK_UNITS else when.edge
    if side == "since":
        return Found(end, "since", when.first, None, grain, grain)
    if side == "until":
        return Found(end, "until", None, moment or when.after, grain, grain, moment or when.first)
    if side == "before":
        return Found(end, "until", None, moment or when.first, grain, grain)
    return Found(end, "since", moment or when.after, None, grain, grain, moment or when.first)


def _more_or_less(said: Said, i: int) -> Found | None:
    """ "more than 2 weeks after today", "less than 3 days after tomorrow"."""
    found = bounded(said, i + 2)
    if found is None:
        return None
    anchor, day, ahead = found
    if said.word(i) == "less":
        first, after = sorted((anchor.when.first, day))
        return Found(anchor.end, "range", first, after, "day", "day")
    if ahead:
        return Found(anchor.end, "since", day, None, "day", "day")
    return Found(anchor.end, "until", None, day, "day", "day")


def _ranged(said: Said, i: int) -> Found | None:
    opening = said.word(i) if said.word(i) in ("from", "between", "in") else ""
    at = said.after(i + 1, ("about", "around")) if opening else i
    joints = (*_JOINTS, "and") if opening == "between" else _JOINTS
    for left_end, left in _lefts(said, at):
        joint = said.phrase(left_end, joints)
        if joint is None:
            continue
        found = _joined(said, left, joint, opening)
        if found:
            return found
    return None


def _lefts(said: Said, i: int) -> Iterator[tuple[int, When | int]]:
    """What may be the left side of a range: a time on a day, a date, now, or the number of a day whose month follows."""
    if day := spelled_month_day(said, i):
        yield day
    if (moment := timed(said, i)) and moment.first and moment.after:
        yield moment.end, When(moment.first, moment.after, moment.grain)
    if now := speaking(said, i):
        yield now
    if date := dated(said, i):
        yield date
    if said.word(i - 1) in ("from", "between") and (side := clock_side(said, i, on(said.today).first)):
        yield side.end, replace(side.when, weak=True)


def _joined(said: Said, left: When | int, i: int, opening: str) -> Found | None:
    """A range whose right side begins at i."""
    if isinstance(left, When) and (found := _to_clock(said, left, i)):
        return found
    right = _right(said, left, i)
    if right is None:
        return None
    end, when = right
    if isinstance(left, int):
        monthly = when.grain == "day" and any(said.word(at) in MONTHS for at in range(i, end))
        before = _of_number(when, left) if monthly else None
        return _range(said, before, when, end, opening) if before else None
    if when.grain == "now" and said.word(end - 1) == "now" and opening != "between" and left.grain != "now":
        return Found(end, "since", left.first, None, left.grain, left.grain)
    alone = left.grain in CLOCK_UNITS and when.grain != "now" and (left.weak or when.grain not in CLOCK_UNITS)
    return None if alone else _range(said, left, when, end, opening)


def _to_clock(said: Said, left: When, i: int) -> Found | None:
    """A range from a time on a day, or from now, to a time of that day."""
    if left.weak or left.grain not in (*CLOCK_UNITS, "now") or dated(said, i):
        return None
    start = said.now if left.grain == "now" else left.first
    side = clock_side(said, i, start)
    if side is None or side.when.first <= start:
        return None
    return Found(side.end, "range", start, side.when.first, side.when.grain, side.when.grain, side.when.first)


def _right(said: Said, left: When | int, i: int) -> Hit | None:
    """The right side of a range: a time on a day, now, a date, or another day of the left side's month."""
    if (moment := timed(said, i)) and moment.first and moment.after and isinstance(left, When):
        return Hit(moment.end, When(moment.first, moment.after, moment.grain))
    found, now = dated(said, i), speaking(said, i)
    if now and (found is None or found.end <= now.end):
        return now
    return found or (_right_day(said, left, i) if isinstance(left, When) and left.grain == "day" else None)


def _right_day(said: Said, left: When, i: int) -> Hit | None:
    number = spelled_month_day(said, i)
    if number is None or said.word(number[0]) in COUNTED_THINGS:
        return None
    if (not left.again and not said.closes(number[0])) or number[1] <= left.first.day:
        return None
    if (found_year := trailing_year(said, number[0])) and left.again:
        return Hit(found_year[0], _day_of(left, number[1], found_year[1]))
    return Hit(number[0], _day_of(left, number[1]))


def _day_of(when: When, day: int, year: int | None = None) -> When:
    first = when.first.replace(year=year or when.first.year, day=day, hour=0, minute=0)
    return When(first, first + dt.timedelta(1), "day")


def _of_number(right: When, day: int) -> When | None:
    """The latest day of that number before the right side."""
    if day < right.first.day:
        return _day_of(right, day)
    last = right.first.replace(day=1) - dt.timedelta(1)
    return _day_of(When(last, last, "day"), day) if day <= last.day else None


def _range(said: Said, left: When, right: When, end: int, opening: str) -> Found | None:
    if left.weak and right.weak and (left.grain != right.grain or not _asked(said, left, end, opening)):
        return None
    if opening == "in" and not (left.grain == right.grain == "year"):
        return None
    if left.again and (not right.again or said.prefer == "future"):
        left = left.again(right.first.date(), False) or left
    elif right.again:
        right = right.again(left.first.date(), True) or right
    if right.grain == "now":
        timely = left.grain in CLOCK_UNITS
        right = replace(right, after=max(said.now, right.first), first=said.now if timely else right.first)
    first = left.edge or left.first
    moment = right.first if right.grain in CLOCK_UNITS else right.edge
    after, last = moment or right.after, moment or right.first
    if right.grain == "now" and after <= first:
        return None
    if first >= after or first > last:
        return None
    return Found(end, "range", first, after, _named(left.grain), _named(right.grain), last)


def _named(grain: str) -> str:
    return "day" if grain == "now" else grain


def _asked(said: Said, left: When, end: int, opening: str) -> bool:
    """Whether bare numbers as 10/1-11/7 are asked to be days; years and months may stand for themselves."""
    return left.grain != "day" or bool(opening) or end == len(said.tokens)


def _expressed(text: str, said: Said, i: int, found: Found, tz: dt.tzinfo | None, parts_of_day: bool) -> TimeExpression | None:
    if found.grain == "part" and not parts_of_day:
        found = _whole_days(found)

    def instant(moment: dt.datetime | None) -> int | None:
        return None if moment is None else to_micros(moment.replace(tzinfo=tz))

    try:
        period, last = Period(instant(found.first), instant(found.after)), instant(found.last)
    except (InvalidPeriod, OverflowError, ValueError):
        return None
    start, end = said.token(i).start, said.token(found.end - 1).end
    precision, end_precision = precision_of(found.grain), precision_of(found.end_grain)
    differs = end_precision if end_precision != precision else None
    return TimeExpression(start, end, text[start:end], period, precision, found.role, differs, last)


def _whole_days(found: Found) -> Found:
    first = found.first and found.first.replace(hour=0)
    after = found.after and (found.after - dt.timedelta(microseconds=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    return found._replace(first=first, after=after and after + dt.timedelta(1), grain="day", end_grain="day")
