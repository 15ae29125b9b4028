"""Valid time across the page. Longer is wider everywhere but in a break: a stretch in which nothing begins or ends and that
would take nearly all of the width is cut to a narrow strip, so that one old date does not squash the rest.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
YEAR = 365 * DAY + 6 * HOUR

BREAK = 30.0
"""Pixels of a stretch that is cut out."""
_MOST_BREAKS = 4
_TIMES = 12
"""A stretch is cut out that is more than so many times as long as all that stay together."""
_MARGIN = 0.05


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of time [first, last] in microseconds, drawn from `left` to `right` in pixels."""

    first: int
    last: int
    left: float
    right: float


@dataclass(frozen=True, slots=True)
class Scale:
    """The pieces of the axis in order; between two of them lies a break."""

    pieces: tuple[Piece, ...]

    @property
    def left(self) -> float:
        """Where the axis begins."""
        return self.pieces[0].left

    @property
    def right(self) -> float:
        """Where it ends."""
        return self.pieces[-1].right

    @property
    def rate(self) -> float:
        """Pixels of a microsecond, the same in every piece."""
        piece = self.pieces[0]
        return (piece.right - piece.left) / (piece.last - piece.first)

    @property
    def breaks(self) -> list[tuple[float, float]]:
        """The strips that stand for what is cut out, in pixels."""
        return [(before.right, after.left) for before, after in itertools.pairwise(self.pieces)]

    def x(self, micros: int) -> float:
        """Where an instant is; at the edge of the axis for one outside.

        >>> Scale((Piece(0, 10, 100, 200), Piece(1000, 1010, 230, 330))).x(5)
        150.0
        """
        after = 0, self.left
        for piece in self.pieces:
            if micros < piece.first:
                since, left = after
                if piece is self.pieces[0]:
                    return left
                return left + (piece.left - left) * (micros - since) / (piece.first - since)
            if micros <= piece.last:
                return piece.left + (piece.right - piece.left) * (micros - piece.first) / (piece.last - piece.first)
            after = piece.last, piece.right
        return self.right

    def shows(self, micros: int) -> bool:
        """Whether an instant is on the axis, not outside and not cut out."""
        return any(piece.first <= micros <= piece.last for piece in self.pieces)


def scale(points: Iterable[int], left: float, right: float, *, least: int, ahead: float = _MARGIN) -> Scale:
    """The axis on which all these instants are, from `left` to `right` in pixels.

    least: microseconds to show on each side of them at least. ahead: the share of the whole that is left free at its end.

    >>> old, new = -120 * YEAR, 54 * YEAR
    >>> len(scale([old, new, new + YEAR], 0, 900, least=DAY).pieces), len(scale([0, YEAR, 3 * YEAR], 0, 900, least=DAY).pieces)
    (2, 1)
    """
    ordered = sorted(set(points))
    cuts = _cuts(ordered, least)
    kept = ordered[-1] - ordered[0] - sum(end - start for start, end in cuts)
    margin = max(round(kept * _MARGIN), least)
    starts = [ordered[0], *(end for _, end in cuts)]
    ends = [*(start for start, _ in cuts), ordered[-1]]
    spans = [(start - margin, end + margin) for start, end in zip(starts, ends, strict=True)]
    spans[-1] = spans[-1][0], ordered[-1] + max(round(kept * ahead), least)
    return Scale(tuple(_laid(spans, left, right)))


def _cuts(ordered: list[int], least: int) -> list[tuple[int, int]]:
    """The stretches to cut out, in order: as many as are each far longer than all that is left."""
    longest = sorted(itertools.pairwise(ordered), key=lambda stretch: stretch[0] - stretch[1])
    for count in range(_MOST_BREAKS, 0, -1):
        cuts, rest = longest[:count], longest[count:]
        left = sum(end - start for start, end in rest)
        if rest and all(end - start > _TIMES * max(left, least) for start, end in cuts):
            return sorted(cuts)
    return []


def _laid(spans: list[tuple[int, int]], left: float, right: float) -> Iterable[Piece]:
    rate = (right - left - BREAK * (len(spans) - 1)) / sum(last - first for first, last in spans)
    at = left
    for first, last in spans:
        end = at + (last - first) * rate
        yield Piece(first, last, at, end)
        at = end + BREAK
