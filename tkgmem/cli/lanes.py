"""A fact and its rivals as bars, one line each under a scale of dates: what held when, and what took over from what.

Where a period begins at an unknown time its bar begins with "?"; where it is open it ends with an arrow. What was stated and
does not count is dotted.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size

from tkgmem.cli.chart import Axis, Bar
from tkgmem.cli.screen import Screen

_CELLS = 68
_LEAST = 12  # cells below which bars say nothing
_MARGIN = 0.12
_GAP = 2


@dataclass(frozen=True, slots=True)
class Lane:
    """One line: periods in order of time, under a label. own: the fact that is asked about. counts: it holds then."""

    label: str
    periods: tuple[tuple[dt.datetime | None, dt.datetime | None], ...]
    own: bool = False
    counts: bool = True


def draw(screen: Screen, lanes: Sequence[Lane]) -> None:
    """Draw the lanes; nothing where there is nothing to compare, no date, or no room."""
    bounds = [bound for lane in lanes for period in lane.periods for bound in period if bound is not None]
    room = max((cell_len(lane.label) for lane in lanes), default=0)
    width = min(screen.console.width, _CELLS + room + _GAP)
    room = min(room, max(width // 3, 8))
    cells = width - room - _GAP
    if sum(len(lane.periods) for lane in lanes) < 2 or not bounds or cells < _LEAST:
        return
    axis = _axis(lanes, min(bounds), max(bounds), cells, plain=screen.plain)
    screen.line()
    screen.line(" " * (room + _GAP), (axis.marks(_marks(axis, screen.zone.info)), "dim"))
    for lane in lanes:
        label = set_cell_size(lane.label, room) if cell_len(lane.label) > room else lane.label
        style = "bold cyan" if lane.own else ""
        pieces = [
            (_stroke(text, lane, plain=screen.plain), style) for text, _ in axis.pieces([Bar("", *p) for p in lane.periods])
        ]
        screen.line((label + " " * (room + _GAP - cell_len(label)), style), *pieces)
    if any(start is None for lane in lanes for start, _ in lane.periods):
        screen.indented(("?: since when is not known", "dim"), indent=room + _GAP)
    if not all(lane.counts for lane in lanes):
        screen.indented(("dotted: was told, but does not hold", "dim"), indent=room + _GAP)


def _stroke(text: str, lane: Lane, *, plain: bool) -> str:
    return text if lane.counts else text.replace("=", ".") if plain else text.replace("━", "┈")


def _axis(lanes: Sequence[Lane], first: dt.datetime, last: dt.datetime, cells: int, *, plain: bool) -> Axis:
    """The stretch that all known dates lie in, with room for what is unknown before and open after."""
    periods = [period for lane in lanes for period in lane.periods]
    margin = (last - first) * _MARGIN or dt.timedelta(days=30)
    try:
        before = first - margin if any(start is None for start, _ in periods) or first == last else first
        after = last + margin if any(end is None for _, end in periods) or first == last else last
    except OverflowError:  # at either end of the calendar
        return Axis(first, max(last, first + dt.timedelta(microseconds=1)), cells, plain)
    return Axis(before, after, cells, plain)


# --- the scale ---

_DAY = dt.timedelta(days=1)


def _marks(axis: Axis, zone: dt.tzinfo) -> list[tuple[dt.datetime, str]]:
    """Dates along the axis in the asked zone, as many as there is room for."""
    try:
        first, last = axis.first.astimezone(zone), axis.last.astimezone(zone)
    except OverflowError:
        return []
    days = (last - first) / _DAY
    scales = [(days * 24 / step, 18, "hour", step) for step in (1, 3, 6, 12)]
    scales += [(days / step, 12, "day", step) for step in (1, 2, 7, 14)]
    scales += [(days / 30.4 / step, 9, "month", step) for step in (1, 3, 6)]
    scales += [(days / 365.2 / step, 6, "year", step) for step in (1, 2, 5, 10, 20, 50, 100, 500, 1000, 5000)]
    for number, width, unit, step in scales:
        if number * width <= axis.cells:
            found = [(when, text) for when, text in _ticks(first, last, unit, step) if first <= when <= last]
            return [(when, text) for when, text in found if axis.cell(when) + len(text) <= axis.cells]
    return []


def _ticks(first: dt.datetime, last: dt.datetime, unit: str, step: int) -> Iterator[tuple[dt.datetime, str]]:
    """Every `step` units from the one in which the first date lies, with their names."""
    midnight = first.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit == "hour":
        for number in range(int((last - midnight) / _DAY * 24 / step) + 1):
            when = midnight + dt.timedelta(hours=number * step)
            yield when, when.strftime("%Y-%m-%d %H:%M")
    elif unit == "day":
        for number in range(int((last - midnight) / _DAY / step) + 1):
            when = midnight + dt.timedelta(days=number * step)
            yield when, when.date().isoformat()
    else:
        length = step if unit == "month" else 12 * step
        start = (first.year * 12 + first.month - 1) // length * length
        for month in range(max(start, 12), last.year * 12 + last.month, length):
            when = midnight.replace(year=month // 12, month=month % 12 + 1, day=1)
            yield when, f"{when.year:04}" if unit == "year" else f"{when.year:04}-{when.month:02}"
