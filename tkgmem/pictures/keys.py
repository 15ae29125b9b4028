"""The key to the signs of a picture: those that are in it, with what they mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tkgmem.pictures import svg
from tkgmem.pictures.bars import HEIGHT, Bar, Edges, Tone, drawn
from tkgmem.pictures.frame import EDGE, MARGIN
from tkgmem.pictures.layout import Placed
from tkgmem.pictures.spoken import ENDINGS
from tkgmem.pictures.svg import Markup, element
from tkgmem.pictures.ticks import SIZE
from tkgmem.pictures.widths import width

_SAMPLE = Bar((0, 1), "", "", "", "past")
_BOX = Edges(0, 46, 0, 46)
_FADING = Edges(0, 46, 24, 46)
_TONES: tuple[tuple[Tone, str], ...] = (
    ("holds", "holds now"),
    ("past", "no longer holds"),
    ("later", "begins later"),
    ("fresh", "new or changed in this layer"),
    ("quiet", "as in the layer above"),
    ("gone", "no longer believed"),
)


@dataclass(frozen=True, slots=True)
class Key:
    """What one sign means. bar, edges: a sample of it, where it is one of bars; line: the class of a line else."""

    meaning: str
    bar: Bar | None = None
    edges: Edges = _BOX
    line: str = ""


def keys(placed: Sequence[Placed]) -> Iterator[Key]:
    """The signs of these bars, always in one order."""
    bars = [one.bar for one in placed]
    for tone, meaning in _TONES:
        if any(bar.tone == tone and not (tone == "later" and bar.planned) for bar in bars):
            yield Key(meaning, replace(_SAMPLE, tone=tone))
    if any(bar.before is not None for bar in bars):
        yield Key("believed before the change", line="before")
    if any(bar.planned for bar in bars):
        yield Key("planned", replace(_SAMPLE, tone="later", planned=True))
    if any(bar.span[1] is None for bar in bars):
        yield Key("no known end", replace(_SAMPLE, span=(0, None)))
    if any(bar.span[0] is None for bar in bars):
        yield Key("beginning unknown", replace(_SAMPLE, span=(None, 1)))
    if any(one.edges.soft for one in placed):
        yield Key("known only to the year, month or day", _SAMPLE, _FADING)
    for cause, meaning in ENDINGS.items():
        if any(bar.cause == cause and bar.tone != "gone" for bar in bars):
            yield Key(meaning, replace(_SAMPLE, cause=cause))


def legend(found: Sequence[Key], y: float) -> tuple[Markup, float]:
    """The key from `y` on, and where it ends."""
    parts: list[Markup] = []
    x = MARGIN
    for key in found:
        wide = 30 + width(key.meaning, SIZE) + 18
        if x + wide > EDGE and x > MARGIN:
            x, y = MARGIN, y + 20
        if key.bar is None:
            parts.append(svg.line(x, y + HEIGHT / 4, x + 23, y + HEIGHT / 4, key.line))
        else:
            place = f"translate({svg.number(x)} {svg.number(y)}) scale(0.5)"
            parts.append(element("g", drawn(key.bar, key.edges, 0), transform=place))
        parts.append(svg.text(key.meaning, x + 30, y + 11, "faint"))
        x += wide
    return svg.group(*parts), y + 20
