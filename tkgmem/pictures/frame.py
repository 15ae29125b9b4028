"""What is around the bars of a picture: the page, its title, the axis, its breaks and markers; and a bar with its label."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tkgmem.pictures import spoken, svg
from tkgmem.pictures.bars import drawn
from tkgmem.pictures.layout import BOLD, Placed, label_width
from tkgmem.pictures.scale import Scale
from tkgmem.pictures.style import ROOT, style
from tkgmem.pictures.svg import Markup, element, line, path, text
from tkgmem.pictures.ticks import SIZE, Tick
from tkgmem.pictures.widths import cut, width
from tkgmem.temporal.period import to_micros

PAGE = 960.0
MARGIN = 24.0
GUTTER = 164.0
"""Where the axis begins: left of it stand the headings."""
EDGE = PAGE - MARGIN
"""The right end of the axis and of all labels."""
HEAD = 66.0
"""The height of the title and what is below it."""
AXIS = 46.0
"""The height of an axis with its labels."""


@dataclass(frozen=True, slots=True)
class Marker:
    """An instant that a line goes down from. kind: "now", or "asked" for a date that was asked for."""

    at: int
    label: str
    kind: str


def markers(now: dt.datetime, valid_at: dt.datetime | None, zone: dt.tzinfo) -> list[Marker]:
    """Now, and the date that was asked for."""
    found = [Marker(to_micros(now), f"now, {spoken.day(now, zone)}", "now")]
    if valid_at is not None:
        found.append(Marker(to_micros(valid_at), f"asked for {spoken.date(valid_at, 'day', zone)}", "asked"))
    return found


def page(height: float, title: str, told: str, body: Iterable[Markup]) -> str:
    """The whole file. title, told: what a screen reader says of it."""
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + element(
        "svg",
        element("title", svg.words(title), id="tkgmem-title"),
        element("desc", svg.words(told), id="tkgmem-desc"),
        style(),
        element("rect", class_="page", width=PAGE, height=height),
        *(Markup(f"\n{part}") for part in body),
        Markup("\n"),
        xmlns="http://www.w3.org/2000/svg",
        version="1.1",
        class_=ROOT,
        width=PAGE,
        height=height,
        viewBox=f"0 0 {svg.number(PAGE)} {svg.number(height)}",
        aria_labelledby="tkgmem-title tkgmem-desc",
    ) + "\n"  # fmt: skip


def head(name: str, what: str, below: str) -> Markup:
    """The title of a picture and the line below it; of a long name only the beginning."""
    room, size = PAGE - 2 * MARGIN, 18 * BOLD
    shown = cut(svg.one_line(name), size, room - width(what, size)) + what
    return Markup(svg.group(text(shown, MARGIN, 34, "title"), title=name + what) + text(below, MARGIN, 52, "faint"))


def empty(name: str, what: str, told: str) -> str:
    """The picture of nothing."""
    return page(84, name + what, told, [head(name, what, told)])


def axis(scale: Scale, marks: Sequence[Tick], found: Sequence[Marker], y: float) -> Markup:
    """The axis with its labels, from `y` down to `y + AXIS`."""
    parts = []
    for tick in marks:
        parts.append(text(tick.label, tick.x, y + 36, "faint", anchor="middle"))
        if tick.above:
            half = width(tick.label, SIZE) / 2
            parts.append(text(tick.above, tick.x - half, y + 24, "faint above"))
        parts.append(line(tick.x, y + 40, tick.x, y + AXIS, "rule"))
    parts += [line(piece.left, y + AXIS, piece.right, y + AXIS, "rule") for piece in scale.pieces]
    edge = scale.left
    for marker in sorted((one for one in found if scale.shows(one.at)), key=lambda one: one.at):
        wide = width(marker.label, SIZE)
        left = max(min(scale.x(marker.at) - wide / 2, EDGE - wide), edge)
        parts.append(text(marker.label, left, y + 10, "told" if marker.kind == "now" else "above"))
        edge = left + wide + 8
    return svg.group(*parts)


def ground(marks: Sequence[Tick], top: float, bottom: float) -> Markup:
    """The lines behind the bars."""
    return svg.group(*(line(tick.x, top, tick.x, bottom, "grid") for tick in marks))


def over(scale: Scale, found: Sequence[Marker], top: float, bottom: float) -> Markup:
    """What lies over the bars: the breaks, which cut through them, and the lines of the markers."""
    parts = []
    for left, right in scale.breaks:
        parts.append(element("rect", class_="page", x=left + 9, y=top - 6, width=right - left - 18, height=bottom - top + 6))
        for x in (left + 9, right - 9):
            teeth = range(int((bottom - top + 6) // 6) + 1)
            parts.append(path([(x + (3 if index % 2 else -1), top - 6 + 6 * index) for index in teeth], "torn", closed=False))
    downward = ((scale.x(marker.at), marker.kind) for marker in found if scale.shows(marker.at))
    parts += [line(x, top, x, bottom, kind) for x, kind in downward]
    return svg.group(*parts)


def shape(one: Placed, y: float) -> Markup:
    """The bar of a fact in a row whose upper edge is `y`."""
    parts = [drawn(one.bar, one.edges, y)]
    if one.before is not None:
        first, last = one.before
        parts.append(element("rect", class_="before", x=first, y=y - 2, width=last - first, height=one.edges.height + 4))
    return svg.group(*parts, title=one.bar.hover)


def label(one: Placed, y: float, crossing: Sequence[float] = ()) -> Markup:
    """Its two lines of text, on a ground of their own where a line would cross them. crossing: where lines go down."""
    dim = " faint" if one.bar.tone in {"quiet", "gone"} else ""
    struck = " strike" if one.bar.tone == "gone" else ""
    middle = one.edges.height / 2
    upper, lower = (middle - 2, middle + 10) if one.name and one.dates else (middle + 4.5, middle + 3.5)
    lines = ((one.name, upper, f"name{dim}{struck}"), (one.dates, lower, f"dates{dim}"))
    anchor = "end" if one.anchor == "end" else None
    said = [text(words, one.x, y + down, kind, anchor=anchor) for words, down, kind in lines if words]
    wide = label_width(one.name, one.dates)
    left = one.x - (wide if anchor else 0)
    if one.beside or any(left - 2 <= x <= left + wide + 2 for x in crossing):
        ground = "page" if one.beside else one.bar.tone
        size = {"width": wide + 4, "height": one.edges.height - 4}
        said.insert(0, element("rect", class_=ground, style="stroke:none", opacity="0.8", x=left - 2, y=y + 2, **size))
    return svg.group(*said, title=one.bar.hover)
