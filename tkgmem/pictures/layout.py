"""Bars and their labels placed in rows: nothing in a row overlaps anything else in it, and all of it stays on the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tkgmem.pictures import bars
from tkgmem.pictures.bars import Bar, Edges, Span
from tkgmem.pictures.scale import Scale
from tkgmem.pictures.widths import cut, width

NAME, DATES = 12.0, 10.0
"""The font sizes of the two lines of a label."""
BOLD = 1.08
"""How much wider the name is for being bold."""
GAP = 6.0
ROW = bars.HEIGHT + GAP
LOW = 17.0
"""The height of a low bar."""
_INSET = 8.0
_BESIDE = 7.0
_APART = 12.0
_LEAST_WIDTH = 4.0


@dataclass(frozen=True, slots=True)
class Placed:
    """A bar with its label. left, right: all that it takes up in its row. x, anchor: where the label begins, or ends.

    beside: the label is not on its bar. before: where the bar was in an earlier belief.
    """

    bar: Bar
    edges: Edges
    name: str
    dates: str
    x: float
    anchor: str
    beside: bool
    before: tuple[float, float] | None
    left: float
    right: float


def rows(found: Sequence[Bar], scale: Scale, *, right: float, most: float, pale: Sequence[Bar] = ()) -> list[list[Placed]]:
    """The bars in rows, each in the first one with room for it, in order of time.

    right: the edge of the page. most: pixels that a label may take; what is longer is cut. pale: bars that matter less: beside
    the others where there is room, else in low rows of their own, with all they say in one line.
    """
    placed = _packed(sorted((place(bar, scale, right=right, most=most) for bar in found), key=_order))
    low: list[Placed] = []
    for one in sorted((place(bar, scale, right=right, most=most) for bar in pale), key=_order):
        row = next((row for row in placed if all(_clear(other, one) for other in row)), None)
        if row is None:
            bar = replace(one.bar, name="", dates=f"{one.bar.name}, {one.bar.dates}")
            low.append(place(bar, scale, right=right, most=most, height=LOW))
        else:
            row.append(one)
    return placed + _packed(low)


def _order(one: Placed) -> tuple[float, float, str, str]:
    return one.edges.left, one.edges.right, one.bar.name, one.bar.hover


def _packed(placed: Iterable[Placed]) -> list[list[Placed]]:
    found: list[list[Placed]] = []
    for one in placed:
        for row in found:
            if all(_clear(other, one) for other in row):
                row.append(one)
                break
        else:
            found.append([one])
    return found


def _clear(one: Placed, other: Placed) -> bool:
    """Whether two may share a row: bars may touch, a label needs air."""
    first, second = sorted((one, other), key=lambda each: (each.left, each.right))
    touching = first.right <= first.edges.wide + 0.1 and second.left >= second.edges.left - 0.1
    return second.left - first.right >= (-0.1 if touching else _APART)


def place(bar: Bar, scale: Scale, *, right: float, most: float, height: float = bars.HEIGHT) -> Placed:
    """One bar with its label: in it, else right of it, else left of it, else cut where there is the most room."""
    edges = _edges(bar, scale, height)
    end = edges.wide + (bars.MARK if bars.outside(bar, edges) else 0)
    begin, stop = _clear_run(bar, edges, scale)
    sides = {
        "in": (begin, stop - begin),
        "right": (end + _BESIDE, right - end - _BESIDE),
        "left": (edges.left - _BESIDE, edges.left - _BESIDE - scale.left),
    }
    wanted = min(label_width(bar.name, bar.dates), most)
    side = next((side for side, (_, room) in sides.items() if room >= wanted), max(sides, key=lambda side: sides[side][1]))
    x, room = sides[side]
    name, dates = (cut(text, size, min(room, most)) for text, size in ((bar.name, NAME * BOLD), (bar.dates, DATES)))
    taken = label_width(name, dates)
    before = None if bar.before is None else _extent(bar.before, scale)
    return Placed(
        bar,
        edges,
        name,
        dates,
        x,
        anchor="end" if side == "left" else "start",
        beside=side != "in",
        before=before,
        left=min(edges.left, x - taken if side == "left" else x, *(before or ())),
        right=max(edges.right, end if bars.outside(bar, edges) else 0, x if side == "left" else x + taken, *(before or ())),
    )


def flow(found: Sequence[Bar], left: float, right: float) -> list[list[Placed]]:
    """Bars without a place on the axis, as wide as their labels, one after another."""
    lines: list[list[Placed]] = []
    at = right
    for bar in found:
        room = right - left - 2 * _INSET
        name, dates = cut(bar.name, NAME * BOLD, room), cut(bar.dates, DATES, room)
        wide = label_width(name, dates) + 2 * _INSET
        if at + wide > right:
            lines.append([])
            at = left
        edges = Edges(at, at + wide, at, at + wide)
        lines[-1].append(Placed(bar, edges, name, dates, at + _INSET, "start", False, None, at, at + wide))
        at += wide + _APART
    return lines


def label_width(name: str, dates: str) -> float:
    """The estimated width of a label of two lines."""
    return max(width(name, NAME) * BOLD, width(dates, DATES))


def _extent(span: Span, scale: Scale) -> tuple[float, float]:
    """From where to where a period is drawn, at least a few pixels."""
    left = scale.left if span[0] is None else scale.x(span[0])
    return left, max(scale.right if span[1] is None else scale.x(span[1]), left + _LEAST_WIDTH)


def _edges(bar: Bar, scale: Scale, height: float) -> Edges:
    start, end = bar.span
    left, right = _extent(bar.span, scale)
    half = left + (right - left) / 2
    begun = left if start is None else min(scale.x(start + bar.begins), right if end is None else half)
    ended = right if end is None else max(scale.x(end + bar.ends), half)
    return Edges(left, right, begun, ended if abs(ended - right) >= 3 else right, height)


def _clear_run(bar: Bar, edges: Edges, scale: Scale) -> tuple[float, float]:
    """The widest stretch of a bar that a label may fill: no break of the axis runs through it."""
    left = edges.left + _INSET + (bars.TORN if bar.span[0] is None else 0)
    right = edges.right - _INSET - (bars.MARK - 4 if bars.signed(bar) else bars.TIP if bar.span[1] is None else 0)
    stops = [edge for strip in scale.breaks for edge in strip]
    cuts = [left, *(min(max(stop, left), right) for stop in stops), right]
    runs = [(cuts[index], cuts[index + 1]) for index in range(0, len(cuts), 2)]
    return max(runs, key=lambda run: (run[1] - run[0], -run[0]))
