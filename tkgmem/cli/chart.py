"""Periods drawn as bars along one line of characters; each begins with its name where it fits.

A bar covers just the cells from its start to its end, and never those of the next one.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size


@dataclass(frozen=True, slots=True)
class Bar:
    """A named period [start, end); None is unknown or open."""

    name: str
    start: dt.datetime | None
    end: dt.datetime | None


@dataclass(frozen=True, slots=True)
class Axis:
    """The stretch of time that is drawn, in this many cells. plain: draw with ASCII only."""

    first: dt.datetime
    last: dt.datetime
    cells: int
    plain: bool = False

    def cell(self, when: dt.datetime) -> int:
        """The cell of an instant, at the edge where it lies outside.

        >>> day = dt.timedelta(days=1)
        >>> Axis(dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 11), 20).cell(dt.datetime(2024, 1, 6))
        10
        """
        share = (when - self.first) / (self.last - self.first)
        return round(min(max(share, 0.0), 1.0) * self.cells)

    def marks(self, marks: Sequence[tuple[dt.datetime, str]]) -> str:
        """The line above the bars: each text from its date on."""
        line = ""
        for when, text in marks:
            line = line.ljust(self.cell(when)) + text
        return line

    def pieces(self, bars: Sequence[Bar]) -> list[tuple[str, str | None]]:
        """The line of bars in order of time: pieces of text, each with the name of its bar, or None between bars."""
        line: list[tuple[str, str | None]] = []
        at = 0
        for bar in bars:
            start = max(at, 0 if bar.start is None else self.cell(bar.start))
            end = self.cells if bar.end is None else self.cell(bar.end)
            if end <= start:
                continue
            if start > at:
                line.append((" " * (start - at), None))
            line.append((self._drawn(bar, end - start), bar.name))
            at = end
        return line

    def _drawn(self, bar: Bar, cells: int) -> str:
        stroke, arrow = ("=", ">") if self.plain else ("━", "▶")
        head = arrow if bar.end is None else ""
        name = bar.name if bar.start is not None else f"?{stroke}{bar.name}"
        room = cells - len(head)
        shown = set_cell_size(name, room) if cell_len(name) > room else name
        return shown + stroke * (room - cell_len(shown)) + head
