"""Instants and closed-open periods.

An instant is an integer: microseconds since 1970-01-01 UTC, negative before. A period is [start, end); None is an unknown,
unbounded side. An empty or inverted period cannot be built.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from typing import Literal, get_args

from tkgmem.errors import InvalidPeriod

Precision = Literal["year", "month", "day", "time"]
"""How finely a bound was stated: "2024", "2024-05", "2024-05-17", or a time of day."""

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MICROSECOND = dt.timedelta(microseconds=1)
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")


@dataclass(frozen=True, slots=True, order=True)
class Moment:
    """An instant and how finely it was stated."""

    micros: int
    precision: Precision = "time"


def to_micros(value: dt.datetime) -> int:
    """Microseconds since 1970-01-01 UTC; a naive datetime is UTC, an offset is converted.

    >>> to_micros(dt.datetime(1970, 1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=1))))
    0
    """
    aware = value.replace(tzinfo=dt.UTC) if value.tzinfo is None else value
    return (aware - _EPOCH) // _MICROSECOND


def to_datetime(micros: int) -> dt.datetime:
    """The aware UTC datetime of an instant."""
    return _EPOCH + dt.timedelta(microseconds=micros)


def parse_moment(value: dt.datetime | dt.date | str | Moment, *, tz: dt.tzinfo = dt.UTC) -> Moment:
    """Read a date argument: a datetime, a date, a Moment, or ISO text ("YYYY", "YYYY-MM", "YYYY-MM-DD" keep their precision).

    What names no offset is read in `tz` (UTC by default). Raises ValueError naming anything else.

    >>> parse_moment("1970") == Moment(0, "year")
    True
    """
    try:
        if isinstance(value, Moment):
            to_datetime(value.micros)
            if isinstance(value.micros, int) and value.precision in get_args(Precision):
                return value
        if isinstance(value, str):
            return _parse_text(value.strip(), tz)
        if isinstance(value, dt.datetime):
            return Moment(_checked(value, tz), "time")
        if isinstance(value, dt.date):
            return Moment(_checked(dt.datetime(value.year, value.month, value.day), tz), "day")  # noqa: DTZ001
    except (TypeError, ValueError, OverflowError):
        pass
    raise ValueError(
        f"not a date: {value!r}; use a datetime, a date, or ISO text such as '2024', '2024-05', '2024-05-17' or "
        "'2024-05-17T09:30:00+02:00'"
    )


def _parse_text(text: str, tz: dt.tzinfo) -> Moment:
    if match := _DATE.fullmatch(text):
        year, month, day = (int(part) if part else None for part in match.groups())
        precision: Precision = "day" if day else "month" if month else "year"
        return Moment(_checked(dt.datetime(int(year or 0), month or 1, day or 1), tz), precision)  # noqa: DTZ001
    parsed = dt.datetime.fromisoformat(text)
    return Moment(_checked(parsed, tz), "time" if ":" in text or "T" in text else "day")


def _checked(value: dt.datetime, tz: dt.tzinfo) -> int:
    micros = to_micros(value if value.tzinfo else value.replace(tzinfo=tz))
    to_datetime(micros)  # an offset may lead out of years 1 to 9999
    return micros


def show(micros: int | None) -> str:
    """An instant as ISO text in UTC, without a time of day at midnight; "unknown" for None."""
    if micros is None:
        return "unknown"
    moment = to_datetime(micros)
    return moment.date().isoformat() if moment.time() == dt.time() else moment.isoformat().replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class Period:
    """A closed-open period [start, end) of instants; None is unbounded on that side.

    Raises InvalidPeriod, naming both bounds, when it would hold no instant.

    >>> 5 in Period(5, 9), 9 in Period(5, 9), 9 in Period(5, None)
    (True, False, True)
    """

    start: int | None = None
    end: int | None = None

    def __post_init__(self) -> None:
        if self.start is not None and self.end is not None and self.end <= self.start:
            raise InvalidPeriod(
                f"empty or inverted period: valid_at {show(self.start)} is not before invalid_at {show(self.end)}; "
                "give an end later than the start, or leave one of them out"
            )

    def __contains__(self, instant: int) -> bool:
        return (self.start is None or self.start <= instant) and (self.end is None or instant < self.end)
