"""What is drawn for a fact: a bar over its period, which shows what is known of each end."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from tkgmem.graph import Version
from tkgmem.pictures import spoken
from tkgmem.pictures.svg import Markup, element, line, one_line, path
from tkgmem.temporal.period import Precision, to_micros

Tone = Literal["holds", "past", "later", "fresh", "quiet", "gone"]
"""How a bar looks: in a timeline whether it holds now, in a history what became of it."""

HEIGHT = 30.0
MARK = 13.0
"""Pixels of the sign of why a fact ends."""
TIP = 9.0
"""Pixels of the tip of a bar without an end."""
TORN = 5.0
"""Depth of the torn edge of a bar whose beginning is unknown."""
_LEAST = 3.0
"""No bar is narrower, and no edge fades over less."""

Span = tuple[int | None, int | None]


@dataclass(frozen=True, slots=True)
class Bar:
    """A fact as it is to be drawn. span: its period in microseconds.

    name, dates: its two lines. hover: all of it. cause: as in a version. begins: in how many microseconds from its start on it
    began; ends: in how many after its end it ended, negative for before it; 0 where that is known exactly.
    before: the period that was believed before this one.
    """

    span: Span
    name: str
    dates: str
    hover: str
    tone: Tone
    planned: bool = False
    cause: str | None = None
    begins: int = 0
    ends: int = 0
    before: Span | None = None


@dataclass(frozen=True, slots=True)
class Edges:
    """Where a bar begins and ends on the page, where it may have begun and ended at most, and how high it is."""

    left: float
    right: float
    begun: float
    ended: float
    height: float = HEIGHT

    @property
    def soft(self) -> bool:
        """Whether one of its edges fades."""
        return self.begun - self.left >= _LEAST or abs(self.ended - self.right) >= _LEAST

    @property
    def wide(self) -> float:
        """Its right edge with what fades out after it."""
        return max(self.right, self.ended)


NOWHERE: Span = (0, 0)
"""The period of what has no place on the axis."""


def bar(
    version: Version, name: str, look: Tone, *, zone: dt.tzinfo, now: dt.datetime, note: str = "", before: Span | None = None
) -> Bar:
    """The bar of a version. note: what is said after its dates, from a comma on."""
    undated = spoken.undated(version)
    return Bar(
        NOWHERE if undated else span(version),
        one_line(name),
        spoken.period(version, zone, now) + note,
        spoken.sentence(version, zone, now) + (f" {note[2:3].upper()}{note[3:]}." if note else ""),
        look,
        version.planned,
        None if undated else version.cause,
        0 if undated else begins(version, zone),
        0 if undated else ends(version, zone),
        before,
    )


def span(version: Version) -> Span:
    """The period of a version in microseconds."""
    start, end = version.valid_at, version.invalid_at
    return None if start is None else to_micros(start), None if end is None else to_micros(end)


def tone(version: Version, now: dt.datetime) -> Tone:
    """Whether a fact holds now, no longer, or not yet."""
    if spoken.undated(version):
        return "later"
    if version.invalid_at is not None and version.invalid_at <= now:
        return "past"
    return "later" if version.valid_at is not None and version.valid_at > now else "holds"


def begins(version: Version, zone: dt.tzinfo) -> int:
    """In how many microseconds from its start on a fact began: those of the year, month or day that was stated."""
    return _unit(version.valid_at, version.valid_precision, zone, 1)


def ends(version: Version, zone: dt.tzinfo) -> int:
    """In how many microseconds a fact ended. A stint ends within the last stated unit, whatever ends it within the next."""
    return _unit(version.invalid_at, version.invalid_precision, zone, -1 if version.cause == "stated" else 1)


def _unit(at: dt.datetime | None, precision: Precision | None, zone: dt.tzinfo, way: int) -> int:
    if at is None or precision in (None, "time"):
        return 0
    here = spoken.local(at, zone)
    try:
        match precision:
            case "year":
                there = here.replace(year=here.year + way, day=min(here.day, 28))
            case "month":
                months = here.year * 12 + here.month - 1 + way
                there = here.replace(year=months // 12, month=months % 12 + 1, day=min(here.day, 28))
            case _:
                there = here + dt.timedelta(days=way)
    except (ValueError, OverflowError):  # beyond the calendar
        return 0
    return to_micros(there) - to_micros(at)


def drawn(bar: Bar, edges: Edges, y: float) -> Markup:
    """The shape of a bar whose upper edge is at `y`."""
    kind = f"bar {bar.tone}{' dashed' if bar.planned and bar.tone != 'gone' else ''}"
    outline = _outline(bar, edges, y)
    parts = [path(outline, kind)]
    if bar.planned and bar.tone != "gone":
        parts.append(element("path", fill="url(#tkgmem-hatch)", d=_steps(outline)))
    if edges.begun - edges.left >= _LEAST:
        parts.append(_veil(edges.left - 2, edges.begun, y, edges.height, "begins"))
    first, last = sorted((edges.right, edges.ended))
    if last - first >= _LEAST:
        parts.append(_veil(first, last + 2, y, edges.height, "ends"))
    if bar.tone == "gone":
        parts.append(line(edges.left, y + edges.height / 2, edges.right, y + edges.height / 2, "gone"))
    elif bar.cause is not None:
        parts += sign(bar.cause, _sign_at(bar, edges), y + edges.height / 2)
    return Markup("".join(parts))


def signed(bar: Bar) -> bool:
    """Whether a bar bears a sign of why it ends."""
    return bar.cause in {"ended", "superseded", "judged"} and bar.tone != "gone"


def sign(cause: str, right: float, y: float) -> list[Markup]:
    """The sign of why a fact ends, left of `right` and around the height `y`: a stop, an arrow onward, a contradiction."""
    match cause:
        case "ended":
            return [element("rect", class_="solid", x=right - 5, y=y - 7, width=4.0, height=14.0)]
        case "superseded":
            return [path([(right - 9, y - 5), (right - 1, y), (right - 9, y + 5)], "solid")]
        case "judged":
            rails = [line(right - 11, y + up, right - 2, y + up, "sign") for up in (-2.5, 2.5)]
            return [*rails, line(right - 9.5, y + 6, right - 3.5, y - 6, "sign")]
    return []


def outside(bar: Bar, edges: Edges) -> bool:
    """Whether a bar is too narrow for its sign, which then stands behind it."""
    return signed(bar) and edges.right - edges.left < MARK + 6


def _sign_at(bar: Bar, edges: Edges) -> float:
    return edges.wide + MARK if outside(bar, edges) else edges.right - 2


def _veil(left: float, right: float, y: float, height: float, way: str) -> Markup:
    return element("rect", fill=f"url(#tkgmem-{way})", x=left, y=y - 2, width=right - left, height=height + 4)


def _outline(bar: Bar, edges: Edges, y: float) -> list[tuple[float, float]]:
    bottom = y + edges.height
    left = list(_torn(edges.left, y, edges.height)) if bar.span[0] is None else [(edges.left, bottom), (edges.left, y)]
    if bar.span[1] is not None:
        return [*left, (edges.wide, y), (edges.wide, bottom)]
    neck = max(edges.right - TIP, edges.left)
    return [*left, (neck, y), (edges.right, y + edges.height / 2), (neck, bottom)]


def _torn(x: float, y: float, height: float) -> Iterator[tuple[float, float]]:
    teeth = 6
    for index in range(teeth, -1, -1):
        yield x + (TORN if index % 2 else 0), y + height * index / teeth


def _steps(points: list[tuple[float, float]]) -> str:
    return " ".join(f"{'L' if index else 'M'}{x:.2f} {y:.2f}" for index, (x, y) in enumerate(points)) + "Z"
