"""Words into periods: English and Chinese time expressions, resolved in the calendar of the reference's own offset.

Pure and total: any text gives a list, a date that does not exist gives nothing. A bare number is a year only where the words
around it say so.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from tkgmem.errors import InvalidPeriod
from tkgmem.temporal.period import Period, to_micros
from tkgmem.temporal.timex import en
from tkgmem.temporal.timex.expression import Prefer, Role, TimeExpression

__all__ = ["Prefer", "Role", "TimeExpression", "find"]

_FULL_WIDTH = str.maketrans("０１２３４５６７８９－／：．", "0123456789-/:.")
_TIMESTAMP = re.compile(
    r"(?<![\w./-])(?P<day>\d{4}-\d{2}-\d{2})[T ](?P<clock>\d{2}:\d{2}(?::\d{2})?)(?:\.\d{1,9})?(?P<zone>Z|[+-]\d{2}:?\d{2})?"
    r"(?![\w/-]|\.\d)",
    re.ASCII,
)
_NUMBERS_ALONE = re.compile(r"[\d\s./:·~–—-]{4,40}")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_DATED = re.compile(
    r"\d|ago\b|day|week|wk|month|year|yr|hour|min|sec|tonite|night|noon|morning|evening|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
    r"|tomorrow|quarter|decade|centur|fortnight|spring|summer|autumn|fall|winter|teen|ties\b|thousand|now|eo[dmy]\b|x?mas|easter|eve\b"
    r"|hallow|new year|pentecost|mardi gras|cinco de mayo|valentine|juneteenth",
    re.IGNORECASE,
)


def find(text: str, reference: dt.datetime, *, prefer: Prefer = "past", parts_of_day: bool = True) -> list[TimeExpression]:
    """The time expressions of a text, in order, without overlap.

    reference: the aware moment at which the text was said; its own offset is the calendar for "today". prefer: what a month,
    day or weekday without a year means: the latest not after the reference, ("future") the next one, or ("same_year") that of
    the reference's year or week. parts_of_day: whether "this morning" is those hours; else it is the day.

    >>> from tkgmem.temporal.period import show
    >>> [found] = find("She moved last March.", dt.datetime(2026, 2, 11, tzinfo=dt.UTC))
    >>> found.text, show(found.period.start), found.precision
    ('last March', '2025-03-01', 'month')
    """
    plain = text.translate(_FULL_WIDTH)
    found = list(_timestamps(plain, reference))
    if _DATED.search(plain):
        found += en.find(plain, reference, prefer=prefer, parts_of_day=parts_of_day)
    if _HAN.search(plain) or _NUMBERS_ALONE.fullmatch(plain):
        from tkgmem.temporal.timex import zh  # its patterns take a quarter of a second to compile

        found += zh.find(plain, reference, prefer=prefer, parts_of_day=parts_of_day)
    return [replace(item, text=text[item.start : item.end]) for item in _longest(found)]


def _longest(found: Iterable[TimeExpression]) -> list[TimeExpression]:
    """The leftmost and longest of overlapping finds."""
    kept: list[TimeExpression] = []
    for item in sorted(found, key=lambda item: (item.start, -item.end)):
        if not kept or item.start >= kept[-1].end:
            kept.append(item)
    return kept


def _timestamps(text: str, reference: dt.datetime) -> Iterator[TimeExpression]:
    """ISO dates with a time cover their minute or their second; without an offset they are in the reference's calendar."""
    for match in _TIMESTAMP.finditer(text):
        try:
            given = dt.datetime.fromisoformat(f"{match['day']}T{match['clock']}{match['zone'] or ''}")
            first = to_micros(given if given.tzinfo else given.replace(tzinfo=reference.tzinfo))
            period = Period(first, first + (1_000_000 if match["clock"].count(":") == 2 else 60_000_000))
        except (ValueError, OverflowError, InvalidPeriod):
            continue
        yield TimeExpression(*match.span(), match.group(), period, "time", "point")
