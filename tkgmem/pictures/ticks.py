"""The marks of an axis: whole years, months, days, hours, minutes or seconds of the zone, as fine as there is room for."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from tkgmem.pictures.scale import DAY, HOUR, MINUTE, SECOND, YEAR, Piece, Scale
from tkgmem.pictures.spoken import MONTHS, clock, local
from tkgmem.pictures.widths import width
from tkgmem.temporal.period import to_datetime, to_micros

Unit = Literal["year", "month", "day", "clock"]
_STEPS: tuple[tuple[Unit, int, int], ...] = (
    *(("clock", count, count * SECOND) for count in (1, 5, 15, 30)),
    *(("clock", count * 60, count * MINUTE) for count in (1, 5, 15, 30)),
    *(("clock", count * 3600, count * HOUR) for count in (1, 3, 6, 12)),
    *(("day", count, count * DAY) for count in (1, 2, 7)),
    *(("month", count, count * YEAR // 12) for count in (1, 3, 6)),
    *(("year", count, count * YEAR) for count in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)),
)
"""Unit, how many of it (of "clock": seconds), and about how many microseconds that is."""
_ROOM = {"year": 46, "month": 46, "day": 34, "clock": 54}
_FIRST = to_micros(dt.datetime(1, 1, 2, tzinfo=dt.UTC))
_LAST = to_micros(dt.datetime(9999, 12, 30, tzinfo=dt.UTC))
SIZE = 10.5
_BEYOND = 20.0
"""Pixels that a label may go beyond the end of the axis."""


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark at `x`. label: what stands there. above: what it is part of (the year of a month), where that is new."""

    x: float
    label: str
    above: str = ""


def ticks(scale: Scale, zone: dt.tzinfo) -> list[Tick]:
    """The marks of an axis from left to right; no two of their labels touch."""
    step = next((step for step in _STEPS if step[2] * scale.rate >= _ROOM[step[0]]), _STEPS[-1])
    found: list[Tick] = []
    for piece in scale.pieces:
        above = None
        for here in _whole(step[0], step[1], piece, zone):
            at = to_micros(here.replace(tzinfo=zone))
            x = scale.x(at)
            label, part = _labels(step[0], here)
            half = width(label, SIZE) / 2
            touching = found and x - half < found[-1].x + width(found[-1].label, SIZE) / 2 + 6
            if not piece.first <= at <= piece.last or touching or x + half > scale.right + _BEYOND:
                continue
            found.append(Tick(x, label, part if part != above else ""))
            above = part
    return _apart(found, scale.right + _BEYOND)


def _apart(found: list[Tick], edge: float) -> list[Tick]:
    """Without an upper label that would touch the next one, or go beyond the edge."""
    kept: list[Tick] = []
    for tick in reversed(found):
        if tick.above and tick.x + width(tick.above, SIZE) + 8 > edge:
            kept.append(Tick(tick.x, tick.label))
        else:
            kept.append(tick)
            edge = tick.x if tick.above else edge
    return kept[::-1]


def _labels(unit: Unit, here: dt.datetime) -> tuple[str, str]:
    match unit:
        case "year":
            return f"{here.year:04}", ""
        case "month":
            return MONTHS[here.month - 1], f"{here.year:04}"
        case "day":
            return str(here.day), f"{MONTHS[here.month - 1]} {here.year:04}"
    return clock(here), f"{here.day} {MONTHS[here.month - 1]} {here.year:04}"


def _whole(unit: Unit, count: int, piece: Piece, zone: dt.tzinfo) -> Iterator[dt.datetime]:
    """The whole steps of local time around a piece, in order."""
    first, last = (
        local(to_datetime(min(max(at, _FIRST), _LAST)), zone).replace(tzinfo=None) for at in (piece.first, piece.last)
    )
    match unit:
        case "year":
            for year in range(max(first.year // count * count, count), last.year + 1, count):
                yield dt.datetime(year, 1, 1)  # noqa: DTZ001  # in the zone of the picture
        case "month":
            for month in range((first.year * 12 + first.month - 1) // count * count, last.year * 12 + last.month, count):
                yield dt.datetime(month // 12, month % 12 + 1, 1)  # noqa: DTZ001
        case "day":
            monday = 1  # of the year 1
            begin = (first.toordinal() - monday) // count * count + monday
            for day in range(max(begin, 1), last.toordinal() + 1, count):
                yield dt.datetime.fromordinal(day)
        case _:
            midnight = dt.datetime(first.year, first.month, first.day)  # noqa: DTZ001
            skipped = (first - midnight) // dt.timedelta(seconds=count)
            for index in range((last - first) // dt.timedelta(seconds=count) + 2):
                yield midnight + dt.timedelta(seconds=count) * (skipped + index)
