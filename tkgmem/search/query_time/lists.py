"""Dates listed beside one another, of which timex reads those that stand alone: "on June 3rd and 5th", "in 2019 and 2021"."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import replace

from tkgmem.search.query_time.found import again
from tkgmem.temporal.period import Period
from tkgmem.temporal.timex import Prefer, TimeExpression

_DAY = 86_400_000_000
_JOIN = r"(?:\s*[,、，]\s*(?:(?:and|or)\s+)?|\s+(?:and|or|&)\s+|\s*[和与及或]\s*)(?:in\s+|the\s+)?"
_MONTH_NAME = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_YEAR_BESIDE = re.compile(rf"{_JOIN}((?:19|20)\d\d年?)(?![\w/-])|(?<!\d)((?:19|20)\d\d年?){_JOIN}(?=(?:19|20)\d\d)")
_MONTH_BESIDE = re.compile(rf"{_JOIN}({_MONTH_NAME}(?:,?\s+(?:19|20)\d\d)?)\b(?!\s+\d)()")
_DAY_BESIDE = re.compile(
    rf"{_JOIN}(\d\d?(?:st|nd|rd|th))\b|(?<![\w/.-])(\d\d?(?:st|nd|rd|th)?){_JOIN}(?=(?:the\s+)?\d\d?(?:st|nd|rd|th)?\s)",
    re.IGNORECASE,
)
_DAY_OF_MONTH = re.compile(
    rf"{_MONTH_NAME[:-1]}|[a-z]{{3,4}})\.?\s+(\d\d?)(?:st|nd|rd|th)?$|^(?:the\s+)?(\d\d?)(?:st|nd|rd|th)?\s+(?:of\s+)?[a-z]+",
    re.IGNORECASE,
)


def beside(query: str, item: TimeExpression, reference: dt.datetime, prefer: Prefer) -> Iterator[TimeExpression]:
    """The years or months listed beside one: "in 2019, 2021 and 2023", "in May, June or July"."""
    pattern = {"year": _YEAR_BESIDE, "month": _MONTH_BESIDE}.get(item.precision) if item.role == "point" else None
    for start, end in _listed(pattern, query, item) if pattern else ():
        yield from again(query, replace(item, start=start, end=end), reference, prefer)


def days_beside(query: str, item: TimeExpression) -> Iterator[TimeExpression]:
    """The days listed beside a day of the same month: "on June 3rd and 5th"."""
    here = _DAY_OF_MONTH.search(item.text) if item.role == "point" and item.precision == "day" else None
    if here is None or item.period.start is None or item.period.end is None:
        return
    for start, end in _listed(_DAY_BESIDE, query, item):
        day = int(query[start:end].rstrip("stndrhSTNDRH"))
        away = (day - int(here[1] or here[2])) * _DAY
        if 1 <= day <= 31:
            yield replace(item, start=start, end=end, period=Period(item.period.start + away, item.period.end + away))


def _listed(pattern: re.Pattern[str], query: str, item: TimeExpression) -> Iterator[tuple[int, int]]:
    """Where members of a list stand, to the right of one and directly to its left."""
    at = item.end
    while more := pattern.match(query, at):
        if more[1] is None:
            break
        yield more.span(1)
        at = more.end()
    if item.text[:1].isdigit() or item.text[:3].lower() == "the":
        left = query.rfind(" ", 0, max(item.start - 24, 0)) + 1
        yield from (less.span(2) for less in pattern.finditer(query, left) if less.end() == item.start and less[2])
