"""What holds of an entity when: a lane for each relation, its facts side by side along valid time."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from tkgmem.graph import Entity, Version
from tkgmem.pictures import bars, frame, layout, spoken
from tkgmem.pictures.bars import Bar
from tkgmem.pictures.frame import AXIS, EDGE, GUTTER, HEAD, MARGIN, Marker
from tkgmem.pictures.keys import keys, legend
from tkgmem.pictures.layout import ROW, Placed
from tkgmem.pictures.reach import reach
from tkgmem.pictures.scale import Scale
from tkgmem.pictures.svg import Markup, line, one_line, text
from tkgmem.pictures.ticks import Tick, ticks
from tkgmem.pictures.widths import wrapped

_WHAT = ": what holds when"
_LABEL = 300.0
_HEADING = GUTTER - MARGIN - 14
_BLOCK = 20
"""Rows of one lane before its heading is said again."""
_AGAIN = 800.0
"""Pixels after which the axis is drawn again."""


def timeline_svg(
    versions: Sequence[Version],
    *,
    title: str,
    now: dt.datetime,
    zone: dt.tzinfo = dt.UTC,
    valid_at: dt.datetime | None = None,
    known_at: dt.datetime | None = None,
) -> str:
    """A picture of what `Memory.timeline` returned, as an SVG file.

    title: whom it is about. now: where the line of the present is. zone: in which dates are shown. valid_at, known_at: what was
    asked for, where it was; the picture says so. The same arguments always give the same bytes.
    """
    title = one_line(title)
    if not versions:
        return frame.empty(title, _WHAT, f"No fact is known{_at(valid_at, zone)}, {_belief(known_at, zone)}.")
    below = (
        f"{spoken.counted(len(versions), 'fact', 'facts')}{_at(valid_at, zone)}, {_belief(known_at, zone)}. Dates in {zone}."
    )
    picture = _Picture(frame.markers(now, valid_at, zone), zone, now)
    picture.draw(list(versions), title)
    return frame.page(picture.y + 8, title + _WHAT, below, [frame.head(title, _WHAT, below), *picture.parts])


def _belief(known_at: dt.datetime | None, zone: dt.tzinfo) -> str:
    return "as believed now" if known_at is None else f"as believed on {spoken.date(known_at, 'day', zone)}"


def _at(valid_at: dt.datetime | None, zone: dt.tzinfo) -> str:
    return "" if valid_at is None else f" holding on {spoken.date(valid_at, 'day', zone)}"


@dataclass(frozen=True, slots=True)
class _Lane:
    """The facts of one relation at one end. heading: the relation, with … for what the labels name."""

    heading: str
    bars: list[Bar]


class _Picture:
    """A picture in the making. y: how far down it goes already."""

    def __init__(self, marks: list[Marker], zone: dt.tzinfo, now: dt.datetime) -> None:
        self.parts: list[Markup] = []
        self.y = HEAD
        self._marks = marks
        self._zone = zone
        self._now = now
        self._placed: list[Placed] = []

    def draw(self, versions: list[Version], title: str) -> None:
        """All of it: the lanes, what has no date, and the key."""
        about = spoken.subject(versions, title)
        dated = [version for version in versions if not spoken.undated(version)]
        undated = [version for version in versions if spoken.undated(version)]
        lanes = list(self._lanes(dated, about))
        if dated:
            scale = reach(dated, self._marks, GUTTER, EDGE)
            blocks = [block for lane in lanes for block in _blocks(lane, scale)]
            self._axis_and(blocks, scale, ticks(scale, self._zone))
        if undated:
            plans = (self._bar(version, spoken.side(version, about).whole) for version in undated)
            self._plans([replace(bar, dates="") for bar in plans])  # the heading says it already
        key, self.y = legend(list(keys(self._placed)), self.y + 14)
        self.parts.append(key)

    def _bar(self, version: Version, name: str) -> Bar:
        return bars.bar(version, name, bars.tone(version, self._now), zone=self._zone, now=self._now)

    def _lanes(self, versions: Iterable[Version], about: Entity | None) -> Iterator[_Lane]:
        """The lanes: first those about the entity itself, then those that have it at the other end."""
        found: dict[tuple[bool, str], list[Bar]] = defaultdict(list)
        for version in versions:
            seen = spoken.side(version, about)
            found[seen.inward, seen.heading].append(self._bar(version, seen.name))
        for inward, heading in sorted(found, key=lambda lane: lane[0]):
            yield _Lane(heading, found[inward, heading])

    def _axis_and(self, blocks: list[tuple[str, list[list[Placed]]]], scale: Scale, marks: list[Tick]) -> None:
        """The lanes between axes; on a long page the axis comes again and again."""
        crossing = [scale.x(mark.at) for mark in self._marks if scale.shows(mark.at)]
        while blocks:
            self.parts.append(frame.axis(scale, marks, self._marks, self.y))
            top = self.y = self.y + AXIS
            shapes, labels = [], []
            while blocks and (self.y == top or self.y - top + len(blocks[0][1]) * ROW <= _AGAIN):
                heading, rows = blocks.pop(0)
                labels += self._heading(heading)
                for row in rows:
                    shapes += [frame.shape(one, self.y + 5) for one in row]
                    labels += [frame.label(one, self.y + 5, crossing) for one in row]
                    self._placed += row
                    self.y += ROW
                self.y += 6
                shapes.append(line(MARGIN, self.y, EDGE, self.y, "grid"))
            self.parts.append(frame.ground(marks, top, self.y))
            self.parts += [*shapes, frame.over(scale, self._marks, top, self.y), *labels]
            self.y += 8

    def _heading(self, heading: str) -> list[Markup]:
        lines = wrapped(one_line(heading), 12 * layout.BOLD, _HEADING, 2)
        first = self.y + (24 if len(lines) == 1 else 17)
        return [text(said, MARGIN, first + 15 * index, "lane") for index, said in enumerate(lines)]

    def _plans(self, plans: list[Bar]) -> None:
        self.parts += self._heading("planned, without a date")
        for row in layout.flow(plans, GUTTER, EDGE):
            for one in row:
                self.parts += [frame.shape(one, self.y + 5), frame.label(one, self.y + 5)]
            self._placed += row
            self.y += ROW
        self.y += 6


def _blocks(lane: _Lane, scale: Scale) -> Iterator[tuple[str, list[list[Placed]]]]:
    rows = layout.rows(lane.bars, scale, right=EDGE, most=_LABEL)
    for first in range(0, len(rows), _BLOCK):
        yield lane.heading, rows[first : first + _BLOCK]
