"""How far the axis of a picture goes: over every known bound, and over the present where it matters."""

from __future__ import annotations

from collections.abc import Sequence

from tkgmem.graph import Version
from tkgmem.pictures.bars import span
from tkgmem.pictures.frame import Marker
from tkgmem.pictures.scale import DAY, MINUTE, YEAR, Scale, scale

_LEAST = {"year": YEAR // 2, "month": 20 * DAY, "day": 2 * DAY, "time": 20 * MINUTE}
"""Microseconds shown around the bounds at least, by how finely they were stated."""


_AHEAD = 0.13
"""The share of the axis that lies after the last known bound where facts go on after it: room for their names."""
_BEHIND = 0.05


def reach(versions: Sequence[Version], markers: Sequence[Marker], left: float, right: float) -> Scale:
    """The axis for these facts. The present is on it where a fact has no end or no bound at all, or where it is near."""
    points = {at for version in versions for at in span(version) if at is not None}
    unended = not versions or any(version.invalid_at is None for version in versions)
    for marker in markers:
        near = points and min(points) - _near(points) <= marker.at <= max(points) + _near(points)
        if unended or near or marker.kind == "asked":
            points.add(marker.at)
    stated = {fine for version in versions for fine in (version.valid_precision, version.invalid_precision) if fine}
    finest = next((fine for fine in ("time", "day", "month", "year") if fine in stated), "year")
    return scale(points, left, right, least=_LEAST[finest], ahead=_AHEAD if unended else _BEHIND)


def _near(points: set[int]) -> int:
    return (max(points) - min(points)) // 2
