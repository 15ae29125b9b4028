"""The dates of a model's answer: as it resolved them, else as the text words them; what is no date is dropped and said.

An end is where the fact stopped, or the last unit of a stint (R8); a deadline is neither a start nor an end.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tkgmem.graph import ClaimKind
from tkgmem.temporal import timex
from tkgmem.temporal.period import Moment, Precision, parse_moment, show, to_datetime, to_micros
from tkgmem.temporal.timex import TimeExpression

_BESIDE = re.compile(r"\b(?:in|on|at|the|of|since|from|until|about|around|circa|ca)\b|\W", re.IGNORECASE)
"""What may stand beside the expression in a date that a model wrote in words."""
_NOTHING = frozenset(
    ("", "null", "none", "unknown", "n/a", "na", "-", "present", "now", "current", "ongoing", "未知", "无", "至今")
)


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds of a fact, the end exclusive, and what was dropped."""

    valid_at: Moment | None
    invalid_at: Moment | None
    warnings: tuple[str, ...] = ()


def bounds(item: Mapping[str, Any], kind: ClaimKind, sentence: str, reference: dt.datetime) -> Bounds:
    """The bounds that an answer's fact states. reference: when it was said; its offset is the calendar of dates without one."""
    reader = _Reader(kind, sentence, reference, [])
    valid = None if kind == "end" else reader.start(item.get("valid_at"), item.get("valid_text"))
    invalid = reader.end(item.get("invalid_at"), item.get("invalid_text"))
    if kind == "end" and invalid is None:
        told = reader.start(item.get("valid_at"), item.get("valid_text"))  # some put the date of an ending there
        invalid = told
    if valid is not None and invalid is not None and invalid.micros <= valid.micros:
        reader.warnings.append(
            f"dropped the end {show(invalid.micros)} of {sentence!r}: it is not after its start {show(valid.micros)}"
        )
        invalid = None
    return Bounds(valid, invalid, tuple(reader.warnings))


@dataclass(frozen=True, slots=True)
class _Reader:
    kind: ClaimKind
    sentence: str
    reference: dt.datetime
    warnings: list[str]

    def start(self, resolved: object, words: object) -> Moment | None:
        """The start that is stated."""
        date = self._iso(resolved) or self._worded(resolved, words, end=False)
        return self._stated("start", date, resolved)

    def end(self, resolved: object, words: object) -> Moment | None:
        """The end that is stated: that of a stint is the start of the unit after the last one."""
        last = self._iso(resolved)
        if last is not None and self._is_deadline(last):
            return self._stated("end", last, resolved)
        date = self._after(last) if last is not None and self.kind != "end" else last
        return self._stated("end", date or self._worded(resolved, words, end=True), resolved)

    def _iso(self, resolved: object) -> Moment | None:
        text = _text(resolved)
        if text is None:
            return None
        try:
            return parse_moment(text, tz=self.reference.tzinfo or dt.UTC)
        except ValueError:
            return None

    def _worded(self, resolved: object, words: object, *, end: bool) -> Moment | None:
        """What the one time expression that the date is, or that the words for it hold, says."""
        for text, whole in ((_text(resolved), True), (_text(words), False)):
            if text is None:
                continue
            prefer: timex.Prefer = "future" if self.kind == "planned" else "past"
            found = timex.find(text, self.reference, prefer=prefer, parts_of_day=False)
            if len(found) != 1 or (whole and _BESIDE.sub("", text[: found[0].start] + " " + text[found[0].end :]).strip()):
                continue
            if date := self._bound(found[0], end=end):
                return date
        return None

    def _bound(self, found: TimeExpression, *, end: bool) -> Moment | None:
        if not end or (self.kind == "end" and found.role == "point"):
            return _moment(found.period.start, found.precision)
        return _moment(found.period.end, found.end_precision or found.precision)

    def _after(self, date: Moment) -> Moment | None:
        local = to_datetime(date.micros).astimezone(self.reference.tzinfo or dt.UTC)
        try:
            if date.precision == "year":
                local = local.replace(year=local.year + 1)
            elif date.precision == "month":
                local = (local.replace(day=1) + dt.timedelta(days=32)).replace(day=1)
            elif date.precision == "day":
                local += dt.timedelta(days=1)
            return Moment(to_micros(local), date.precision)
        except (ValueError, OverflowError):
            return None

    def _stated(self, what: str, date: Moment | None, resolved: object) -> Moment | None:
        if date is None and (given := _text(resolved)) is not None:
            self.warnings.append(f"dropped the {what} {given!r} of {self.sentence!r}: not a date")
        if date is not None and self._is_deadline(date):
            self.warnings.append(f"dropped the {what} {show(date.micros)} of {self.sentence!r}: it is a deadline")
            return None
        return date

    def _is_deadline(self, date: Moment) -> bool:
        from tkgmem.ingest.rules.dates import is_deadline

        directions: tuple[timex.Prefer, ...] = ("past", "future")
        for prefer in directions:
            for found in timex.find(self.sentence, self.reference, prefer=prefer, parts_of_day=False):
                edges = {found.period.start, found.period.end}
                inside = date.micros in found.period
                if (date.micros in edges or inside) and is_deadline(self.sentence, found):
                    return True
        return False


def _moment(micros: int | None, precision: Precision) -> Moment | None:
    return None if micros is None else Moment(micros, precision)


def _text(value: object) -> str | None:
    """A date as text, None where there is none."""
    if value is None or isinstance(value, bool | list | dict):
        return None
    text = str(value).strip()
    return None if text.casefold() in _NOTHING else text
