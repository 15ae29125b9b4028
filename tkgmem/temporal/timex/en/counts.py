"""English stretches that are counted: two weeks ago, the past three months, 5 days before New Year, for a week from Friday.

Days and longer count from midnight, hours and shorter from the moment of speaking. "In two weeks" and "two weeks later" are
dates only where the text looks ahead: of the past they are a duration, or count from something else.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from tkgmem.temporal.timex.calendar import a_month
from tkgmem.temporal.timex.en.days import day_alone, day_of_month, near_day, weekday, weekday_name
from tkgmem.temporal.timex.en.nth import nth_of
from tkgmem.temporal.timex.en.numbers import count
from tkgmem.temporal.timex.en.numeric import numeric
from tkgmem.temporal.timex.en.said import Hit, Said, When, on
from tkgmem.temporal.timex.en.units import holiday, turned, unit_of
from tkgmem.temporal.timex.en.words import CLOCK_UNITS, NOT_DATES_AFTER_COUNT, TURNS, UNITS

_DAYS = {"day": 1, "week": 7, "fortnight": 14}
_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}
_SIZES = (
    "second",
    "minute",
    "hour",
    "business day",
    "day",
    "week",
    "fortnight",
    "month",
    "quarter",
    "year",
    "decade",
    "century",
)
_SIDES = {"before": -1, "after": 1, "from": 1, "since": 1, "following": 1}


class Amount(NamedTuple):
    """The index of the token after "2 weeks and 3 days", its parts, and the grain of its last unit."""

    end: int
    parts: tuple[tuple[int, str], ...]

    @property
    def grain(self) -> str:
        return self.parts[-1][1]

    @property
    def timed(self) -> bool:
        return any(unit in CLOCK_UNITS for _, unit in self.parts)


def _amount(said: Said, i: int) -> Amount | None:
    parts: list[tuple[int, str]] = []
    end = i
    for _ in range(4):
        at = said.after(said.after(end, (",",)), ("and",)) if parts else end
        found = _part(said, at)
        if found is None or (parts and _SIZES.index(found[1][1]) >= _SIZES.index(parts[-1][1])):
            break
        parts.append(found[1])
        end = found[0]
    return Amount(end, tuple(parts)) if parts else None


def _part(said: Said, i: int) -> tuple[int, tuple[int, str]] | None:
    if said.word(i) == "half" and said.word(i + 1) in ("a", "an") and said.word(i + 2) in ("hour", "year"):
        return i + 3, ((30, "minute") if said.word(i + 2) == "hour" else (6, "month"))
    number = count(said, i)
    if number is None or (said.word(i - 1) in (".", ":", "$", "-") and said.glued(i)):
        return None
    business = said.word(number.end) in ("business", "working") and said.word(number.end + 1) == "days"
    unit = "business day" if business else UNITS.get(said.word(number.end))
    if unit is None or unit in ("weekend", "workweek"):
        return None
    return number.end + 1 + business, (number.value, unit)


def moved(base: dt.datetime, parts: Sequence[tuple[int, str]], sign: int) -> dt.datetime:
    """A moment so much later (or with sign -1 earlier); a day that the month has not becomes its last one."""
    for many, unit in parts:
        number = many * sign
        if unit in CLOCK_UNITS:
            base += dt.timedelta(seconds=number * CLOCK_UNITS[unit])
        elif unit in _DAYS:
            base += dt.timedelta(number * _DAYS[unit])
        elif unit == "business day":
            base = _business_days(base, number)
        else:
            months = base.year * 12 + base.month - 1 + number * _MONTHS[unit]
            found = a_month(months // 12, months % 12 + 1)
            if found is None:
                raise OverflowError(f"year {months // 12} is outside the calendar")
            base = base.replace(
                year=found.first.year, month=found.first.month, day=min(base.day, (found.after - found.first).days)
            )
    return base


def _business_days(base: dt.datetime, number: int) -> dt.datetime:
    weeks, days = divmod(abs(number), 5)
    step = dt.timedelta(1 if number > 0 else -1)
    base += step * 7 * weeks
    while days:
        base += step
        days -= base.weekday() < 5
    return base


def _midnight(said: Said) -> dt.datetime:
    return on(said.today).first


def _at(said: Said, amount: Amount, sign: int) -> When:
    """The unit that lies so far from now: a day for days and weeks, the whole month or year, or the minute."""
    number, unit = amount.parts[0]
    if amount.timed:
        first = moved(said.now, amount.parts, sign).replace(microsecond=0)
        first = first.replace(second=0) if amount.grain != "second" else first
        return When(first, first + dt.timedelta(seconds=1 if amount.grain == "second" else 60), "minute")
    if len(amount.parts) == 1 and unit in ("month", "quarter", "year"):
        whole = unit_of(said, unit, sign * number)
        if whole is None:
            raise OverflowError("outside the calendar")
        return whole
    found = on(moved(_midnight(said), amount.parts, sign).date())
    return replace(found, grain="year") if unit in ("decade", "century") else found


def away(said: Said, i: int) -> Hit | None:
    """ "2 weeks ago", "3 days from now", "in two weeks", "5 days before New Year", each maybe with the weekday it falls on."""
    named = weekday_name(said, i)
    at = said.after(i + 1, (",",)) if named is not None else i
    amount = _amount(said, at + (said.word(at) == "in"))
    found = _away(said, at, amount) if amount else None
    if found is None or amount is None:
        return None
    if named is None and said.word(found.end) in ("on", ","):
        after = said.after(said.after(found.end, (",",)), ("on",))
        named = weekday_name(said, after)
        found = Hit(after + 1, found.when) if named is not None else found
    return found if named is None else Hit(found.end, _on_weekday(said, found.when, amount, named))


def _on_weekday(said: Said, when: When, amount: Amount, weekday: int) -> When:
    """The weekday of the week counted to, or the first one from the day that lies months or years away."""
    if amount.parts[0][1] in _MONTHS:
        sign = 1 if when.after > said.now else -1
        day = when.day if when.grain == "day" else moved(_midnight(said), amount.parts, sign).date()
        return on(day + dt.timedelta((weekday - day.weekday()) % 7))
    return on(when.day + dt.timedelta(weekday - when.day.weekday()))


def _away(said: Said, i: int, amount: Amount) -> Hit | None:
    end, word, following = amount.end, said.word(amount.end), said.word(amount.end + 1)
    if said.word(i) == "in":
        return _ahead(said, amount)
    if word == "ago" or (word, following) == ("before", "now"):
        return Hit(end + (1 if word == "ago" else 2), _at(said, amount, -1))
    if word == "hence" or (word in ("from", "after") and following in ("now", *(() if amount.timed else ("today",)))):
        return Hit(end + (1 if word == "hence" else 2), _at(said, amount, 1))
    if word == "later" and said.prefer == "future":
        return Hit(end + 1, _at(said, amount, 1))
    return _from_anchor(said, end + 1, amount, _SIDES[word]) if word in _SIDES else None


def _ahead(said: Said, amount: Amount) -> Hit | None:
    """ "in two weeks", "in a fortnight's time", "in 3 days from now"."""
    end, word = amount.end, said.word(amount.end)
    certain = word == "from" and said.word(end + 1) == "now"
    if certain:
        end += 2
    elif word == "'":
        end = next((at for at in (end + 2, end + 3) if said.word(at - 1) == "time"), end)
    if not certain and (said.prefer != "future" or word in (*NOT_DATES_AFTER_COUNT, "of", "-")):
        return None
    return Hit(end, _at(said, amount, 1))


def _from_anchor(said: Said, i: int, amount: Amount, sign: int) -> Hit | None:
    base = anchor(said, i)
    if base is None or amount.timed:
        return None
    return Hit(base.end, on(moved(base.when.first, amount.parts, sign).date()))


def anchor(said: Said, i: int) -> Hit | None:
    """A day that others are counted from."""
    readers = (day_of_month, numeric, near_day, weekday, day_alone, nth_of, holiday, turned)
    found = max((hit for reader in readers if (hit := reader(said, i))), key=lambda hit: hit.end, default=None)
    return found if found and found.when.grain == "day" else None


def bounded(said: Said, i: int) -> tuple[Hit, dt.datetime, bool] | None:
    """Of "2 weeks after today" the anchor, the day counted to, and whether it lies after the anchor."""
    amount = _amount(said, i)
    if amount is None or amount.timed or said.word(amount.end) not in _SIDES:
        return None
    sign = _SIDES[said.word(amount.end)]
    base = anchor(said, amount.end + 1)
    return (base, moved(base.when.first, amount.parts, sign), sign > 0) if base else None


def around_now(said: Said, i: int) -> Hit | None:
    """ "the past 3 weeks", "5 upcoming years", "within 9 months", "the next 4 business days", "the next hour"."""
    within = said.word(i) == "within"
    at = said.after(said.after(i, ("within",)), ("the",))
    turn = TURNS.get(said.word(at), 0)
    amount = _amount(said, at + 1) if turn else None
    single = ("hour", *(("decade", "century") if turn < 0 else ()), *(("day",) if within else ()))
    single += ("week", "month", "year") if said.word(at) == "past" else ()
    if turn and said.word(at + 1) in single:
        amount = _amount_of_one(said, at + 1)
    if amount is None and (number := count(said, at)) and (turn := TURNS.get(said.word(number.end), 0)):
        unit = UNITS.get(said.word(number.end + 1), "") if number.value == 1 or said.word(number.end + 1).endswith("s") else ""
        amount = Amount(number.end + 2, ((number.value, unit),)) if unit and number.end > at else None
    if amount is None and within:
        turn, amount = 1, _amount(said, at)
    if (
        amount is None
        or not turn
        or said.word(amount.end) in ("of", "'", "ago")
        or amount.parts[0][1] in ("weekend", "workweek")
    ):
        return None
    return Hit(amount.end, _stretch(said, amount, turn, within=within))


def _amount_of_one(said: Said, i: int) -> Amount:
    rest = _amount(said, said.after(i + 1, ("and",))) if said.word(i + 1) == "and" else None
    parts = ((1, UNITS[said.word(i)]), *(rest.parts if rest else ()))
    return Amount(rest.end if rest else i + 1, parts)


def _stretch(said: Said, amount: Amount, turn: int, *, within: bool) -> When:
    if amount.timed:
        now = said.now.replace(microsecond=0)
        other = moved(now, amount.parts, turn)
        return When(min(now, other), max(now, other), amount.grain)
    number, unit = amount.parts[0]
    if unit == "quarter" and not within:
        near, far = unit_of(said, unit, turn), unit_of(said, unit, turn * number)
        if near and far:
            return When(min(near.first, far.first), max(near.after, far.after), unit)
    base = _midnight(said)
    if turn < 0:
        return When(moved(base, amount.parts, -1), base, amount.grain)
    base += dt.timedelta(0 if within else 1)
    if unit == "business day":
        return When(base, moved(base - dt.timedelta(1), amount.parts, 1) + dt.timedelta(1), "day")
    return When(base, moved(base, amount.parts, 1), amount.grain)


def starting(said: Said, i: int) -> Hit | None:
    """ "a week starting tomorrow", "for 3 days, from today"."""
    amount = _amount(said, said.after(i, ("for",)))
    if amount is None:
        return None
    at = said.after(amount.end, (",",))
    word = said.word(at)
    if word not in ("starting", "beginning") and not (word == "from" and said.word(i) == "for"):
        return None
    base = anchor(said, said.after(at + 1, ("on", "from")))
    if base is None or amount.timed:
        return None
    return Hit(base.end, When(base.when.first, moved(base.when.first, amount.parts, 1), "day"))


def to_date(said: Said, i: int) -> Hit | None:
    """ "year to date"."""
    unit = UNITS.get(said.word(i))
    if unit not in ("year", "month", "quarter", "week") or (said.word(i + 1), said.word(i + 2)) != ("to", "date"):
        return None
    whole = unit_of(said, unit, 0)
    return Hit(i + 3, When(whole.first, _midnight(said), unit)) if whole and whole.first < _midnight(said) else None
