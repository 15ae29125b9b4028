"""English stretches named as a whole: last month, Q1 2019, the nineties, summer 2019, Easter.

Seasons are the northern ones, in whole months. A holiday's name alone is a date only where it does not describe something.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import replace

from tkgmem.temporal.timex.calendar import a_month, a_week, a_year, shifted, weekday_of_week
from tkgmem.temporal.timex.en.days import month
from tkgmem.temporal.timex.en.numbers import digits, ordinal, year
from tkgmem.temporal.timex.en.said import Hit, Said, When, of_stretch, on
from tkgmem.temporal.timex.en.words import (
    BEFORE_YEAR,
    CLOCK_UNITS,
    COMPOUNDS,
    COUNTED_THINGS,
    DATE_PREPOSITIONS,
    DECADES,
    FUNCTION_WORDS,
    SEASONS,
    TURNS,
    UNITS,
)
from tkgmem.temporal.timex.holidays import HOLIDAYS, on_holiday


def _hit(end: int, when: When | None) -> Hit | None:
    return Hit(end, when) if when else None


def unit_of(said: Said, unit: str, steps: int) -> When | None:
    """The whole calendar unit that lies `steps` units from now."""
    today = said.today
    found = None
    if unit == "week":
        found = a_week(today, steps)
    elif unit in ("weekend", "workweek"):
        monday = weekday_of_week(today, steps, 0)
        if monday is None:
            return None
        first, days = (monday.first + dt.timedelta(5), 2) if unit == "weekend" else (monday.first, 5)
        return replace(on(first), after=on(first + dt.timedelta(days)).first, grain="week")
    elif unit in ("month", "year", "day"):
        found = shifted(today, steps, unit)
    elif unit == "quarter":
        found = a_month(today.year, (today.month - 1) // 3 * 3 + 1 + 3 * steps, 3)
    elif unit in ("decade", "century"):
        years = 10 if unit == "decade" else 100
        found = a_month(today.year - today.year % years + years * steps, 1, 12 * years)
    return of_stretch(found, unit)


def _years(first: int, years: int, grain: str) -> When | None:
    return of_stretch(a_month(first, 1, 12 * years), grain)


def turned(said: Said, i: int) -> Hit | None:
    """ "last week", "this past month", "the coming quarter", "next April", "last summer", "next Easter"."""
    start = said.after(i, ("the",))
    turn = said.word(start)
    if turn not in TURNS:
        return _the_weekend(said, i)
    at = start + 1
    if turn == "this" and said.word(at) in ("past", "coming", "current", "last", "next"):
        turn, at = said.word(at), at + 1
    return _turned_at(said, said.after(at, ("calendar",)), turn)


def _turned_at(said: Said, at: int, turn: str) -> Hit | None:
    unit = UNITS.get(said.word(at), "")
    if unit in ("day", *CLOCK_UNITS):
        return None
    if unit:
        return _hit(at + 1, unit_of(said, unit, TURNS[turn])) if said.word(at)[-1] != "s" else None
    if said.word(at) in SEASONS:
        return _hit(at + 1, _season_turned(said, said.word(at), TURNS[turn]))
    if holiday := _holiday_name(said, at):
        return _hit(holiday[0], _holiday_turned(said, holiday[1], TURNS[turn]))
    if (named := month(said, at)) and said.token(at).capital and named.when.again and named.end == at + 1:
        return _hit(named.end, _month_turned(said, named.when.first.month, TURNS[turn]))
    return None


def _the_weekend(said: Said, i: int) -> Hit | None:
    """ "over the weekend": the latest begun, or the next not over."""
    if (
        (said.word(i), said.word(i + 1)) != ("the", "weekend")
        or said.word(i - 1) not in _AT_WEEKEND
        or said.word(i + 2) == "of"
    ):
        return None
    passed = said.prefer == "past" and said.today.weekday() < 5 and said.word(i - 1) != "for"
    return _hit(i + 2, unit_of(said, "weekend", -1 if passed else 0))


_AT_WEEKEND = frozenset(["over", "at", "on", "during", "for", "this", "until", "till", "after", "before"])


def _month_turned(said: Said, number: int, turn: int) -> When | None:
    today = said.today
    years = {-1: -(number >= today.month), 0: 0, 1: +(number <= today.month)}[turn]
    return of_stretch(a_month(today.year + years, number), "month")


def _season(year: int, name: str) -> When | None:
    return of_stretch(a_month(year, SEASONS[name], 3), "season")


def _nearest(build: Callable[[int], When | None], base: dt.date, *, ahead: bool) -> When | None:
    """The latest begun by `base`, or the first not over then, of what comes once a year."""
    years = (0, 1, 2) if ahead else (0, -1, -2)
    found = [when for step in ((-1, *years) if ahead else (1, *years)) if (when := build(base.year + step))]
    fits = [when for when in found if (when.after.date() > base if ahead else when.first.date() <= base)]
    return (min if ahead else max)(fits, key=lambda when: when.first, default=None)


def _season_turned(said: Said, name: str, turn: int) -> When | None:
    current = _nearest(lambda number: _season(number, name), said.today, ahead=turn > 0)
    if turn == 0:
        return _season(said.today.year, name)
    holds = current and current.first.date() <= said.today < current.after.date()
    return _season(current.first.year + turn, name) if current and holds else current


def _holiday_turned(said: Said, name: str, turn: int) -> When | None:
    if turn == 0:
        return _on_holiday(name, said.today.year)
    base = said.today + dt.timedelta(turn)
    return _nearest(lambda number: _on_holiday(name, number), base, ahead=turn > 0)


def _on_holiday(name: str, year: int) -> When | None:
    day = on_holiday(name, year)
    return on(day) if day else None


def _holiday_name(said: Said, i: int) -> tuple[int, str] | None:
    """The token after the longest holiday name at i, and that name."""
    text, found = "", None
    for step in range(8):
        token = said.token(i + step)
        text += (" " if step and token.gap else "") + token.text
        if text in HOLIDAYS:
            found = i + step + 1, text
    return found if found and said.token(i).kind in "wn" else None


def holiday(said: Said, i: int) -> Hit | None:
    """ "Thanksgiving 2023", "at Christmas", "on Easter Monday": with a year, or after a preposition and not before a noun."""
    named = _holiday_name(said, i)
    if named is None:
        return None
    end, name = named
    found = year(said, said.after(said.after(end, (",",)), ("of", "in")))
    if found and said.closes(found.end):
        return _hit(found.end, _on_holiday(name, found.value))
    asked = said.word(i - 1) in (*DATE_PREPOSITIONS, "at", "for", "over", "during", "around")
    apart = said.token(end).kind != "w" or said.word(end) in FUNCTION_WORDS
    owned = said.word(i - 1) in ("the", "a", "an", "my", "our", "your", "his", "her", "their")
    if said.word(end) in COMPOUNDS or not said.closes(end) or owned or not (asked or (apart and said.token(i).capital)):
        return None
    return _hit(end, _holiday_near(said, name))


def _holiday_near(said: Said, name: str) -> When | None:
    def around(base: dt.date, ahead: bool) -> When | None:
        return _nearest(lambda number: _on_holiday(name, number), base, ahead=ahead)

    found = _on_holiday(name, said.today.year) if said.prefer == "same_year" else around(said.today, said.prefer == "future")
    return found and replace(found, again=around)


def season(said: Said, i: int) -> Hit | None:
    """ "summer 2019", "the fall of 2020"; "in the summer"."""
    start = said.after(i, ("the",))
    name = said.word(start)
    if name not in SEASONS:
        return None
    at = said.after(said.after(start + 1, (",",)), ("of", "in"))
    if (found := year(said, at)) and said.closes(found.end):
        return _hit(found.end, _season(found.value, name))
    if (whole := turned(said, at)) and whole.when.grain == "year":
        return _hit(whole.end, _season(whole.when.first.year, name))
    return None


def quarter(said: Said, i: int) -> Hit | None:
    """ "Q1 2019", "2019-Q1", "q1 of 2019", "H2 2019", "Q3"."""
    if (found := year(said, i)) and (part := _quarter_sign(said, said.after(found.end, ("-",)))):
        return _hit(part[0], _portion(found.value, part[1], part[2])) if said.closes(part[0]) else None
    if (part := _quarter_sign(said, i)) is None or (not said.closes(part[0]) and said.word(part[0]) != "-"):
        return None
    at = said.after(said.after(part[0], (",", "-", "/")), ("of", "in"))
    if (found := year(said, at)) and said.closes(found.end):
        return _hit(found.end, _portion(found.value, part[1], part[2]))
    if not said.closes(part[0]) or said.word(part[0]) == "fy":
        return None

    def around(base: dt.date, ahead: bool) -> When | None:
        return _nearest(lambda number: _portion(number, part[1], part[2]), base, ahead=ahead)

    when = _portion(said.today.year, *part[1:]) if said.prefer == "same_year" else around(said.today, said.prefer == "future")
    return _hit(part[0], when and replace(when, again=around)) if part[1] == 3 else None


def _quarter_sign(said: Said, i: int) -> tuple[int, int, int] | None:
    """The token after "Q3" or "H2", its length in months, and its number."""
    months = {"q": 3, "h": 6}.get(said.word(i))
    number = digits(said, i + 1, 1)
    if months is None or number is None or not said.glued(i + 1) or not 1 <= number.value <= 12 // months:
        return None
    return number.end, months, number.value


def _portion(year: int, months: int, number: int) -> When | None:
    return of_stretch(a_month(year, months * (number - 1) + 1, months), "quarter" if months == 3 else "half")


def decade(said: Said, i: int) -> Hit | None:
    """ "the 1990s", "the nineties", "the '80s", "the 21st century"; "the 1800s" are a century."""
    start = said.after(i, ("the",))
    if (nth := ordinal(said, start)) and said.word(nth.end) == "century":
        return _hit(nth.end + 1, _years(100 * (nth.value - 1), 100, "century"))
    if said.word(start) in DECADES and (start > i or said.word(i - 1) in ("in", "of")):
        return _hit(start + 1, _years(1900 + DECADES[said.word(start)], 10, "decade"))
    at = said.after(start, ("'",))
    number = digits(said, at)
    if number is None or number.value % 10 or said.word(said.after(number.end, ("'",))) != "s":
        return None
    end = said.after(number.end, ("'",)) + 1
    if 1500 <= number.value <= 2190:
        whole = number.value % 100 == 0 and number.value < 2000
        return _hit(end, _years(number.value, 100 if whole else 10, "century" if whole else "decade"))
    asked = start > i or said.word(i - 1) in ("in", "of")
    return _hit(end, _years(1900 + number.value, 10, "decade")) if 20 <= number.value <= 90 and asked else None


def plain_year(said: Said, i: int) -> Hit | None:
    """A year: sure after a word that asks for one ("in 2012"), or where it is all the text; else weak."""
    start = said.after(said.after(i, ("the", "calendar")), ("calendar", "year"))
    start = said.after(start, ("year",)) if start > i else start
    named = said.word(start - 1) == "year" and start > i
    found = year(said, start)
    if (
        found is None
        or not said.closes(found.end)
        or (said.token(start).kind == "w" and said.word(i - 1) not in ("in", "since"))
    ):
        return None
    alone = start == 0 and found.end == len(said.tokens)
    if said.token(found.end).text in COUNTED_THINGS or (said.token(found.end).text == "%"):
        return None
    measured = said.word(found.end) in ("to", "-") and said.token(found.end + 1).kind == "n"
    listed = said.word(i - 1) in ("and", "or", "&") and year(said, i - 2) is not None and said.word(i - 3) in BEFORE_YEAR
    sure = named or alone or listed or (said.word(i - 1) in BEFORE_YEAR and not measured)
    return _hit(found.end, when and replace(when, weak=not sure)) if (when := of_stretch(a_year(found.value), "year")) else None
