"""Words into periods: English and Chinese time expressions, resolved in the calendar of the reference's own offset.

Pure and total: any text gives a list, a date that does not exist gives nothing. A bare number is a year only where the words
around it say so.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from tkgmem.errors import InvalidPeriod
from tkgmem.temporal import timex_en, timex_zh
from tkgmem.temporal.period import Period, Precision, to_micros
from tkgmem.temporal.timex_calendar import Atom, Stretch, a_day, a_month, yearless

Role = Literal["point", "range", "since", "until"]
"""point: one unit ("May 2024"); range: from one to another; since: an open end; until: an open start."""


@dataclass(frozen=True, slots=True)
class TimeExpression:
    """A dated phrase: text[start:end], and what it covers.

    period: instants; it begins with the first unit and ends where the last one ends (so "2011 to 2013" ends with the start of
    2014, and "until May" with the start of June; "before May" ends with the start of May, "after May" starts with June). None
    on an open side. precision: of the start, or of the only bound; end_precision: of the end, where it differs.
    """

    start: int
    end: int
    text: str
    period: Period
    precision: Precision
    role: Role
    end_precision: Precision | None = None


class _Text(NamedTuple):
    """A text as given and with its digits made narrow (same length), and when it was said."""

    given: str
    plain: str
    reference: dt.datetime

    def before(self, atom: Atom) -> str:
        return self.plain[max(0, atom.start - 24) : atom.start]


_FULL_WIDTH = str.maketrans("０１２３４５６７８９－／：．", "0123456789-/:.")
_ISO = re.compile(
    r"(?<![\w./-])(?P<year>\d{4})(?:-(?P<month>\d{2})(?:-(?P<day>\d{2}))?|(?P<sep>[/.])(?P<m2>\d{1,2})(?P=sep)(?P<d2>\d{1,2}))"
    r"(?:[T ](?P<clock>\d{2}:\d{2}(?::\d{2})?)(?P<zone>Z|[+-]\d{2}:\d{2})?)?(?![\w/-]|\.\d)"
)
_HAN = re.compile(r"[\u4e00-\u9fff]")
_DATED = re.compile(
    r"\d|ago\b|day\b|week|month|year|night\b|morning\b|afternoon\b|evening\b|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|tomorrow",
    re.IGNORECASE,
)
_RANGE_GAP = re.compile(r"\s?(?:to|through|until|till|up to|[-–—~～]|到|至|直到)\s?", re.IGNORECASE)
_AND_GAP = re.compile(r"\s?(?:and|和|与)\s?", re.IGNORECASE)
_BETWEEN = re.compile(r"(?:\bbetween|在)\s?\Z", re.IGNORECASE)
_FROM = re.compile(r"(?:\bfrom(?: about| around)?|从|自|自从)\s?\Z", re.IGNORECASE)
_SINCE = re.compile(
    r"(?:\b(?:ever since|since|starting(?: in| on| from)?|beginning(?: in| on)?|as of|effective(?: from)?)|自从|从|自)"
    r"\s?(?:early |late |mid[- ]|about |around |the (?:start|beginning|end) of )?\Z",
    re.IGNORECASE,
)
_UNTIL = re.compile(
    r"(?:\b(?:until|till|up to|through)|直到|截至|截止到|到|至)\s?(?:early |late |mid[- ]|the end of )?\Z", re.IGNORECASE
)
_BEFORE = re.compile(r"\bbefore\s?\Z", re.IGNORECASE)
_AFTER = re.compile(r"\bafter\s?\Z", re.IGNORECASE)
_SINCE_TAIL = re.compile(
    r"\s?(?:onwards?\b|until now\b|to (?:the )?present\b|to date\b|起|以来|开始|至今|到现在)", re.IGNORECASE
)
_AFTER_TAIL = re.compile(r"\s?(?:之后|以后)")
_UNTIL_TAIL = re.compile(r"\s?(?:为止|以前|之前|前(?![\d一二三四五六七八九十半]))")
_COUNTED = re.compile(r"\b(?:days?|weeks?|months?|years?)\s(?:before|after|from)\s?\Z", re.IGNORECASE)


def find(text: str, reference: dt.datetime, *, prefer: Literal["past", "future"] = "past") -> list[TimeExpression]:
    """The time expressions of a text, in order, without overlap.

    reference: the aware moment at which the text was said; its own offset is the calendar for "today". prefer: what a month,
    day or weekday without a year means: the latest not after the reference, or ("future") the next one.

    >>> from tkgmem.temporal.period import show
    >>> [found] = find("She moved last March.", dt.datetime(2026, 2, 11, tzinfo=dt.UTC))
    >>> found.text, show(found.period.start), found.precision
    ('last March', '2025-03-01', 'month')
    """
    plain = text.translate(_FULL_WIDTH)
    chinese = _HAN.search(plain) is not None
    if not chinese and not _DATED.search(plain):
        return []
    today, future = reference.date(), prefer == "future"
    found: list[Atom | TimeExpression] = list(_iso(text, plain, reference))
    found += timex_en.atoms(plain, today, future=future)
    if chinese:
        found += timex_zh.atoms(plain, today, future=future)
    return _joined(_Text(text, plain, reference), _longest(found))


def _longest(found: Iterable[Atom | TimeExpression]) -> list[Atom | TimeExpression]:
    """The leftmost and longest of overlapping finds; of equal ones the strong one."""

    def rank(item: Atom | TimeExpression) -> tuple[int, int, bool]:
        return item.start, -item.end, isinstance(item, Atom) and item.weak

    kept: list[Atom | TimeExpression] = []
    for item in sorted(found, key=rank):
        if not kept or item.start >= kept[-1].end:
            kept.append(item)
    return kept


def _iso(text: str, plain: str, reference: dt.datetime) -> Iterable[Atom | TimeExpression]:
    for match in _ISO.finditer(plain):
        year, month, day = int(match["year"]), int(match["month"] or match["m2"]), match["day"] or match["d2"]
        if not 1 <= month <= 12:
            continue
        stretch = a_day(year, month, int(day)) if day else a_month(year, month)
        if stretch and match["clock"] and day:
            timed = _timed(text, match, stretch, reference)
            if timed:
                yield timed
        elif stretch:
            yield Atom(*match.span(), stretch)


def _timed(text: str, match: re.Match[str], day: Stretch, reference: dt.datetime) -> TimeExpression | None:
    """A timestamp covers its minute or its second."""
    try:
        zone = dt.datetime.fromisoformat(f"2000-01-01T00:00{match['zone']}").tzinfo if match["zone"] else reference.tzinfo
        start = dt.datetime.combine(day.first, dt.time.fromisoformat(match["clock"]), zone)
        first = to_micros(start)
        length = 1_000_000 if match["clock"].count(":") == 2 else 60_000_000
    except (ValueError, OverflowError):
        return None
    return TimeExpression(*match.span(), text[slice(*match.span())], Period(first, first + length), "time", "point")


def _joined(text: _Text, found: list[Atom | TimeExpression]) -> list[TimeExpression]:
    result: list[TimeExpression] = []
    skip = False
    for index, item in enumerate(found):
        following = found[index + 1] if index + 1 < len(found) else None
        if skip:
            skip = False
        elif isinstance(item, TimeExpression):
            result.append(item)
        elif isinstance(following, Atom) and (ranged := _range(text, item, following)):
            result.append(ranged)
            skip = True
        elif not item.weak and (single := _single(text, item)):
            result.append(single)
    return result


def _range(text: _Text, left: Atom, right: Atom) -> TimeExpression | None:
    if right.start - left.end > 9:
        return None
    gap, before = text.plain[left.end : right.start], text.before(left)
    joined_by_and = _AND_GAP.fullmatch(gap)
    opening = (_BETWEEN if joined_by_and else _FROM).search(before)
    if not (opening if joined_by_and else _RANGE_GAP.fullmatch(gap)):
        return None
    if left.weak and right.weak and left.stretch.precision != right.stretch.precision:
        return None
    left, right = _same_years(left, right)
    if left.stretch.first > right.stretch.first:
        return None
    start = left.start - len(opening.group()) if opening else left.start
    days = (left.stretch.first, right.stretch.after)
    return _expression(text, (start, right.end), days, (left.stretch.precision, right.stretch.precision), "range")


def _same_years(left: Atom, right: Atom) -> tuple[Atom, Atom]:
    """A side without a year takes the one that makes the range run forward."""
    if left.month:
        moved = yearless(right.stretch.first, left.month, left.day, future=False)
        return (replace(left, stretch=moved) if moved else left), right
    if right.month:
        moved = yearless(left.stretch.first, right.month, right.day, future=True)
        return left, (replace(right, stretch=moved) if moved else right)
    return left, right


def _single(text: _Text, atom: Atom) -> TimeExpression | None:
    before, unit = text.before(atom), atom.stretch
    precision = (unit.precision, unit.precision)
    if tail := _SINCE_TAIL.match(text.plain, atom.end):
        opening = _SINCE.search(before) or _FROM.search(before)
        start = atom.start - len(opening.group()) if opening else atom.start
        return _expression(text, (start, tail.end()), (unit.first, None), precision, "since")
    if _COUNTED.search(before):
        return None  # "two weeks before Friday" is neither Friday nor the time before it
    if tail := _AFTER_TAIL.match(text.plain, atom.end):
        return _expression(text, (atom.start, tail.end()), (unit.after, None), precision, "since")
    if tail := _UNTIL_TAIL.match(text.plain, atom.end):
        return _expression(text, (atom.start, tail.end()), (None, unit.first), precision, "until")
    sides: tuple[tuple[re.Pattern[str], dt.date | None, dt.date | None, Role], ...] = (
        (_SINCE, unit.first, None, "since"),
        (_UNTIL, None, unit.after, "until"),
        (_BEFORE, None, unit.first, "until"),
        (_AFTER, unit.after, None, "since"),
    )
    for pattern, first, after, role in sides:
        if opening := pattern.search(before):
            return _expression(text, (atom.start - len(opening.group()), atom.end), (first, after), precision, role)
    return _expression(text, (atom.start, atom.end), (unit.first, unit.after), precision, "point")


def _expression(
    text: _Text,
    span: tuple[int, int],
    days: tuple[dt.date | None, dt.date | None],
    precisions: tuple[Precision, Precision],
    role: Role,
) -> TimeExpression | None:
    try:
        period = Period(_instant(days[0], text.reference), _instant(days[1], text.reference))
    except (InvalidPeriod, OverflowError, ValueError):
        return None
    differs = precisions[1] if precisions[1] != precisions[0] else None
    return TimeExpression(*span, text.given[slice(*span)], period, precisions[0], role, differs)


def _instant(day: dt.date | None, reference: dt.datetime) -> int | None:
    """Midnight of a day in the reference's calendar."""
    return None if day is None else to_micros(dt.datetime(day.year, day.month, day.day, tzinfo=reference.tzinfo))
