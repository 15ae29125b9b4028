"""What was believed when: valid time across, system time as layers from the oldest belief on top to the present one."""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from tkgmem.graph import Version
from tkgmem.pictures import bars, frame, layout, spoken
from tkgmem.pictures.bars import Bar
from tkgmem.pictures.frame import AXIS, EDGE, GUTTER, HEAD, MARGIN
from tkgmem.pictures.keys import Key, keys, legend
from tkgmem.pictures.layers import Layer, layers
from tkgmem.pictures.layout import GAP, Placed
from tkgmem.pictures.reach import reach
from tkgmem.pictures.svg import Markup, line, one_line, text
from tkgmem.pictures.ticks import SIZE, Tick, ticks
from tkgmem.pictures.widths import wrapped
from tkgmem.temporal.period import to_micros

_WHAT = ": what was believed when"
_LABEL = 420.0
_AS_BEFORE = 8
"""Facts that are as before are drawn all the same where they are no more than so many, half as many of more."""
_AGAIN = 900.0
"""Pixels after which the axis is drawn again."""
_LEAST_HEIGHT = 70.0


def history_svg(versions: Sequence[Version], *, title: str, now: dt.datetime, zone: dt.tzinfo = dt.UTC) -> str:
    """A picture of what `Memory.history` returned, as an SVG file.

    title: whom or what it is about. now: where the line of the present is. zone: in which dates are shown. Each layer is a
    change of belief; what changed stands out, the rest is pale, and of many that are as before the layer tells the number. The
    same arguments always give the same bytes.
    """
    title = one_line(title)
    found = layers(versions, zone)
    if not found:
        return frame.empty(title, _WHAT, "Nothing was ever believed of it.")
    picture = _Picture(list(versions), title, zone, now)
    picture.draw(found)
    return frame.page(picture.y + 8, title + _WHAT, picture.below, [frame.head(title, _WHAT, picture.below), *picture.parts])


class _Picture:
    """A picture in the making. y: how far down it goes already. below: what stands below its title."""

    def __init__(self, versions: list[Version], title: str, zone: dt.tzinfo, now: dt.datetime) -> None:
        self.parts: list[Markup] = []
        self.y = HEAD
        self.below = ""
        self._zone = zone
        self._now = now
        self._about = spoken.subject(versions, title)
        self._marks = frame.markers(now, None, zone)
        dated = [version for version in versions if not spoken.undated(version)]
        self._scale = reach(dated, self._marks, GUTTER, EDGE)
        self._ticks: list[Tick] = ticks(self._scale, zone)
        self._order = {lane: index for index, lane in enumerate(dict.fromkeys(map(self._lane, versions)))}
        self._placed: list[Placed] = []

    def draw(self, found: list[Layer]) -> None:
        """All of it: the layers between axes, and the key."""
        whole = spoken.counted(len(found), "layer", "layers")
        folded = sum(layer.changes for layer in found) - len(found)
        self.below = f"{whole}, the oldest belief on top. Across the page: when it holds in the world. Dates in {self._zone}."
        if folded:
            self.below += " Changes shortly after each other share a layer."
        days = Counter(spoken.day(layer.begun, self._zone) for layer in found)
        stretches = [self._said(layer, days) for layer in found]
        left = list(zip(found, stretches, strict=True))
        while left:
            self.parts.append(frame.axis(self._scale, self._ticks, self._marks, self.y))
            top = self.y = self.y + AXIS
            shapes: list[Markup] = []
            labels: list[Markup] = []
            while left and (self.y == top or self.y - top < _AGAIN):
                layer, said = left.pop(0)
                self._layer(layer, said, shapes, labels)
            self.parts += [
                frame.ground(self._ticks, top, self.y),
                *shapes,
                frame.over(self._scale, self._marks, top, self.y),
                *labels,
            ]
            self.y += 10
        signs = [*keys(self._placed), Key("when it was believed, on the same axis", line="believed")]
        key, self.y = legend(signs, self.y + 6)
        self.parts.append(key)

    def _layer(self, layer: Layer, said: list[tuple[str, str]], shapes: list[Markup], labels: list[Markup]) -> None:
        first = self.y
        shapes += self._edge(layer)
        height = first + 2
        for one, kind in said:
            height += 15
            labels.append(text(one, MARGIN, height, kind))
        self.y += 8
        crossing = [self._scale.x(mark.at) for mark in self._marks if self._scale.shows(mark.at)]
        shown, hidden = self._bars(layer)
        for lane in shown:
            for row in self._rows(lane):
                shapes += [frame.shape(one, self.y) for one in row]
                labels += [frame.label(one, self.y, crossing) for one in row]
                self._placed += row
                self.y += row[0].edges.height + GAP
        if hidden:
            labels.append(
                text(f"and {spoken.counted(hidden, 'more fact', 'more facts')} as before", GUTTER, self.y + 9, "faint")
            )
            self.y += 18
        self.y = max(self.y + 4, height + 12, first + _LEAST_HEIGHT)

    def _rows(self, lane: Sequence[Bar]) -> list[list[Placed]]:
        dated = [bar for bar in lane if bar.span != bars.NOWHERE]
        pale = [bar for bar in dated if bar.tone == "quiet"]
        found = layout.rows([bar for bar in dated if bar.tone != "quiet"], self._scale, right=EDGE, most=_LABEL, pale=pale)
        return found + layout.flow([bar for bar in lane if bar.span == bars.NOWHERE], GUTTER, EDGE)

    def _edge(self, layer: Layer) -> Iterator[Markup]:
        """The line above a layer, and on it, along the axis, the stretch of time in which it was believed."""
        yield line(MARGIN, self.y, EDGE, self.y, "rule")
        begun, ended = (self._scale.x(to_micros(at)) for at in (layer.begun, layer.ended or self._now))
        if ended > self._scale.left and begun < self._scale.right:
            yield line(begun, self.y, max(ended, begun + 2), self.y, "believed")

    def _said(self, layer: Layer, days: Counter[str]) -> list[tuple[str, str]]:
        """When a layer was believed, and what it brought."""
        counts = ((len(layer.new), "new"), (len(layer.changed), "changed"), (len(layer.gone), "no longer believed"))
        brought = ", ".join(f"{count:,} {what}" for count, what in counts if count)
        since = self._when(layer.begun, days)
        lines = [f"since {since}"] if layer.ended is None else [since, f"to {self._when(layer.ended, days)}"]
        folded = [f"{layer.changes:,} changes in one"] if layer.changes > 1 else []
        below = [*folded, *wrapped(brought, SIZE, GUTTER - MARGIN - 6, 3)]
        return [("believed", "faint"), *((one, "lane") for one in lines), *((one, "faint") for one in below)]

    def _when(self, at: dt.datetime, days: Counter[str]) -> str:
        day = spoken.day(at, self._zone)
        return f"{day} {spoken.clock(spoken.local(at, self._zone))}" if days[day] > 1 else day

    # --- the facts of a layer ---

    def _lane(self, version: Version) -> str:
        return spoken.side(version, self._about).heading

    def _bars(self, layer: Layer) -> tuple[list[list[Bar]], int]:
        """The bars of a layer, those of one relation together, and how many facts are left out that are as before."""
        found: dict[str, list[Bar]] = defaultdict(list)
        for version in layer.new:
            found[self._lane(version)].append(self._bar(version, "fresh", ", new"))
        for version, old in layer.changed:
            was = spoken.period(old, self._zone, self._now)
            now = spoken.period(version, self._zone, self._now)
            note = f", before: {was}" if was != now else ""
            found[self._lane(version)].append(self._bar(version, "fresh", note, before=old))
        for version in layer.gone:
            found[self._lane(version)].append(self._bar(version, "gone", ", no longer believed"))
        spans = {lane: [one.span for one in changed] for lane, changed in found.items()}
        same = sorted(layer.same, key=lambda version: _apart(bars.span(version), spans.get(self._lane(version), ())))
        shown = len(same) if len(same) <= _AS_BEFORE else _AS_BEFORE // 2
        for version in same[:shown]:
            found[self._lane(version)].append(self._bar(version, "quiet"))
        return [found[lane] for lane in sorted(found, key=self._order.__getitem__)], len(same) - shown

    def _bar(self, version: Version, tone: bars.Tone, note: str = "", before: Version | None = None) -> Bar:
        return bars.bar(
            version,
            spoken.side(version, self._about).whole,
            tone,
            zone=self._zone,
            now=self._now,
            note=note,
            before=None if before is None else bars.span(before),
        )


def _apart(one: bars.Span, others: Sequence[bars.Span]) -> float:
    """How far a period is from the nearest of others, in microseconds: those that touch are told of first."""
    start, end = _bounds(one)
    return min((max(start - last, first - end, 0.0) for first, last in map(_bounds, others)), default=math.inf)


def _bounds(span: bars.Span) -> tuple[float, float]:
    return -math.inf if span[0] is None else span[0], math.inf if span[1] is None else span[1]
