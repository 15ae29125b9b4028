"""English dates: which stretch of days a phrase means, seen from the day it was said."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator

from tkgmem.temporal.timex_calendar import (
    Atom,
    Seen,
    Stretch,
    a_day,
    a_month,
    a_week,
    a_year,
    nearest_weekday,
    of_date,
    shifted,
    weekday_of_week,
    yearless,
)

_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WEEKDAY = r"(?P<weekday>(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_COUNT = r"(?P<count>\d{1,3}|an?|" + "|".join(_NUMBERS) + ")"
_YEAR = r"(?P<year>(?:1[5-9]|2[01])\d\d)"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_ORDINARY = r"(?!\d)(?![.,:/]\d)(?!['’]s)(?!\s?%)"
_TURNS = {"last": -1, "this": 0, "next": 1}
# What makes a lone number a year, or a lone month name a month and not a person.
_BEFORE_YEAR = (
    r"(?:in|since|during|until|till|before|after|by|early|late|mid|back in|around|circa|as of|year|"
    r"(?:spring|summer|fall|autumn|winter|end|start|beginning|middle|half|class|year) of|spring|summer|fall|autumn|winter)"
)
_BEFORE_MONTH = r"(?:in|since|during|until|till|before|after|by|early|late|mid|around|as of|end of|start of|beginning of)"
_COUNTED = (
    r"(?!\s(?:people|users|items|words|times|miles|meters|metres|km|kg|steps|hours|minutes|days|dollars|euros|cases|calories)"
    r"\b)"
)

_Builder = Callable[[Seen], Stretch | None]


def _number(word: str) -> int:
    word = word.lower()
    if word.isdigit():
        return int(word)
    return 1 if word in ("a", "an") else _NUMBERS.index(word) + 1


def _month_number(match: re.Match[str]) -> int:
    return _MONTHS.index(match["month"][:3].lower()) + 1


def _year(seen: Seen) -> Stretch | None:
    return a_year(int(seen.match["year"]))


def _month_of_year(seen: Seen) -> Stretch | None:
    match = seen.match
    return a_month(int(match["year"]), _month_number(match))


def _quarter(seen: Seen) -> Stretch | None:
    match = seen.match
    return a_month(int(match["year"]), int(match["quarter"]) * 3 - 2, 3)


def _day_of_month(seen: Seen) -> Stretch | None:
    match = seen.match
    month, day = _month_number(match), int(match["day"])
    if match["year"]:
        return a_day(int(match["year"]), month, day)
    return yearless(seen.today, month, day, future=seen.future) if match["month"][0].isupper() else None


def _bare_month(seen: Seen) -> Stretch | None:
    match = seen.match
    if match["month"].lower() in ("mar", "may") and not match["month"][0].isupper():
        return None
    return yearless(seen.today, _month_number(match), None, future=seen.future)


def _turned_month(seen: Seen) -> Stretch | None:
    match = seen.match
    month = _month_number(match)
    if not match["month"][0].isupper():
        return None
    if match["turn"].lower() == "this":
        return a_month(seen.today.year, month)
    if match["turn"].lower() == "next":
        return a_month(seen.today.year + (month <= seen.today.month), month)
    return a_month(seen.today.year - (month >= seen.today.month), month)


def _turned_weekday(seen: Seen) -> Stretch | None:
    match = seen.match
    weekday = _WEEKDAYS.index(match["weekday"][:3].lower())
    return weekday_of_week(seen.today, _TURNS[match["turn"].lower()], weekday)


def _bare_weekday(seen: Seen) -> Stretch | None:
    return nearest_weekday(seen.today, _WEEKDAYS.index(seen.match["weekday"][:3].lower()), future=seen.future)


def _turned_unit(seen: Seen) -> Stretch | None:
    match = seen.match
    turn, unit = _TURNS[match["turn"].lower()], match["unit"].lower()
    if unit == "weekend":
        saturday = weekday_of_week(seen.today, turn, 5)
        return of_date(saturday.first, 2) if saturday else None
    return a_week(seen.today, turn) if unit == "week" else shifted(seen.today, turn, unit)


def _ago(seen: Seen) -> Stretch | None:
    match = seen.match
    return shifted(seen.today, -_number(match["count"]), match["unit"].lower())


def _ahead(seen: Seen) -> Stretch | None:
    match = seen.match
    # "in two weeks" is a date of a plan and a duration of anything else.
    certain = match["now"] is not None
    return shifted(seen.today, _number(match["count"]), match["unit"].lower()) if seen.future or certain else None


def _near_day(seen: Seen) -> Stretch | None:
    words = seen.match["near"].lower()
    if words.startswith(("yesterday", "last")):
        return shifted(seen.today, -1, "day")
    if words.startswith("tomorrow"):
        return shifted(seen.today, 1, "day")
    if words.startswith("the day"):
        return shifted(seen.today, -2 if "before" in words else 2, "day")
    return shifted(seen.today, 0, "day")


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text.replace(" ", r"\s"), re.IGNORECASE)


_MONTH_NAMES = re.compile("|".join(_MONTHS))
# Each rule runs only on texts that hold what it needs: most texts hold no date at all.
_RULES: tuple[tuple[str, re.Pattern[str], _Builder], ...] = (
    (
        "month",
        _pattern(rf"(?<![\w./-])(?P<x>{_DAY} (?:of )?{_MONTH}\b\.?(?:,? (?:in |of )?{_YEAR}{_ORDINARY})?)"),
        _day_of_month,
    ),
    ("month", _pattern(rf"\b(?P<x>{_MONTH}\.? {_DAY}{_ORDINARY}(?![a-z])(?:,? {_YEAR}{_ORDINARY})?)"), _day_of_month),
    (
        "month",
        _pattern(rf"(?<!\d )(?<!\dth )(?<!\dst )(?<!\dnd )(?<!\drd )\b(?P<x>{_MONTH}\.?,?[ -](?:of )?{_YEAR}{_ORDINARY})"),
        _month_of_year,
    ),
    ("digit", _pattern(rf"\b(?P<x>q(?P<quarter>[1-4]) (?:of )?{_YEAR}{_ORDINARY})"), _quarter),
    ("month", _pattern(rf"\b(?P<x>(?P<turn>last|this|next) {_MONTH}\b)(?!['’]s)"), _turned_month),
    ("month", _pattern(rf"\b{_BEFORE_MONTH}[ -](?:early |late |mid[ -])?(?P<x>{_MONTH}\b)(?!['’]s)"), _bare_month),
    ("day", _pattern(rf"\b(?P<x>(?P<turn>last|this|next) {_WEEKDAY}\b)(?!['’]s)"), _turned_weekday),
    (
        "day",
        _pattern(rf"(?<!every )(?<!each )(?<!most )(?<!previous )(?<!following )\b(?P<x>{_WEEKDAY}\b)(?!['’]s)"),
        _bare_weekday,
    ),
    ("unit", _pattern(r"\b(?P<x>(?P<turn>last|this|next) (?P<unit>week|weekend|month|year)\b)(?!['’]s| of\b)"), _turned_unit),
    ("ago", _pattern(rf"\b(?P<x>{_COUNT} (?P<unit>day|week|month|year)s? ago\b)"), _ago),
    ("unit", _pattern(rf"\bin (?P<x>{_COUNT} (?P<unit>day|week|month|year)s?\b(?P<now> from now\b)?)(?! of\b)"), _ahead),
    (
        "near",
        _pattern(
            r"\b(?P<x>(?P<near>the day before yesterday|the day after tomorrow|yesterday|today|tomorrow|tonight|last night"
            r"|this (?:morning|afternoon|evening)))\b(?!['’]s)"
        ),
        _near_day,
    ),
    (
        "digit",
        _pattern(rf"\b{_BEFORE_YEAR}[ -](?:the year |early |late |mid[ -])?(?P<x>{_YEAR}{_ORDINARY}(?![\w-])){_COUNTED}"),
        _year,
    ),
    ("digit", _pattern(rf"\bfrom (?P<x>{_YEAR})(?= on(?:wards?)?\b)"), _year),
    ("month", _pattern(rf"\bfrom (?P<x>{_MONTH})(?= on(?:wards?)?\b)"), _bare_month),
    ("digit", _pattern(rf"\A\s{{0,9}}(?P<x>{_YEAR})\s{{0,9}}\Z"), _year),
)
_WEAK_RULES: tuple[tuple[str, re.Pattern[str], _Builder], ...] = (
    ("digit", _pattern(rf"(?<![\w.,/$€£#-])(?P<x>{_YEAR})(?!\d)(?![.,:/]\d)"), _year),
    ("digit", _pattern(rf"(?<=[-–—])(?P<x>{_YEAR}){_ORDINARY}(?![\w-])"), _year),
    ("month", _pattern(rf"\b(?P<x>{_MONTH}\b)"), _bare_month),
)
_NEEDS = {
    "month": _MONTH_NAMES,
    "digit": re.compile(r"\d"),
    "day": re.compile("day"),
    "unit": re.compile("day|week|month|year"),
    "ago": re.compile(r"ago\b"),
    "near": re.compile("day|night|tomorrow|morning|afternoon|evening"),
}


def atoms(text: str, today: dt.date, *, future: bool) -> Iterator[Atom]:
    """The dated phrases of an English text, overlapping ones included."""
    lowered = text.lower()
    held = {need for need, pattern in _NEEDS.items() if pattern.search(lowered)}
    for rules, weak in ((_RULES, False), (_WEAK_RULES, True)):
        for need, pattern, build in rules:
            if need not in held:
                continue
            for match in pattern.finditer(text):
                stretch = build(Seen(match, today, future))
                if stretch:
                    yield _atom(match, stretch, build, weak)


def _atom(match: re.Match[str], stretch: Stretch, build: _Builder, weak: bool) -> Atom:
    start, end = match.span("x")
    if build is _bare_month:
        return Atom(start, end, stretch, _month_number(match), None, weak)
    if build is _day_of_month and not match["year"]:
        return Atom(start, end, stretch, _month_number(match), int(match["day"]), weak)
    return Atom(start, end, stretch, weak=weak)
