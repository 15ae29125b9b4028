"""Versions to layers: what was believed in each stretch of system time, and what changed against the one before.

Every second in which the belief changes makes a layer. Where those are more than a page can show, the changes of one hour, day,
month or year share one: it shows what was believed at its end.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, zip_longest

from tkgmem.graph import Version
from tkgmem.pictures.spoken import local

MOST = 60
"""Layers of a picture."""


@dataclass(frozen=True, slots=True)
class Layer:
    """What was believed from `begun` on until `ended`, None for until now.

    new: what was not believed before in any form; changed: what was believed otherwise, with its version before; gone: what was
    believed before and no longer is; same: the rest. changes: how many changes of belief it stands for.
    """

    begun: dt.datetime
    ended: dt.datetime | None
    new: tuple[Version, ...]
    changed: tuple[tuple[Version, Version], ...]
    gone: tuple[Version, ...]
    same: tuple[Version, ...]
    changes: int


def layers(versions: Sequence[Version], zone: dt.tzinfo, *, most: int = MOST) -> list[Layer]:
    """The layers, oldest first. Changes that nobody could see in a picture make none."""
    begun, ended = _instants(versions)
    instants = sorted(begun.keys() | ended.keys())
    fold = next((fold for fold in _FOLDS if len({fold(local(at, zone)) for at in instants}) <= most), _FOLDS[-1])
    found: list[Layer] = []
    believed: set[int] = set()
    before: list[Version] = []
    for _, shared in groupby(instants, key=lambda at: fold(local(at, zone))):
        stretch = list(shared)
        for at in stretch:
            believed = (believed | set(begun[at])) - set(ended[at])
        after = [versions[index] for index in sorted(believed)]
        layer = _layer(stretch[0], before, after, len(stretch))
        if layer.new or layer.changed or layer.gone:
            found.append(layer)
        before = after
    ends = [layer.begun for layer in found[1:]]
    return [replace(layer, ended=end) for layer, end in zip_longest(found, ends)]


_FOLDS: tuple[Callable[[dt.datetime], Hashable], ...] = (
    lambda at: at.replace(microsecond=0),
    lambda at: (at.year, at.month, at.day, at.hour),
    lambda at: (at.year, at.month, at.day),
    lambda at: (at.year, at.month),
    lambda at: at.year,
    lambda at: at.year // 10,
)
"""What changes of belief have in common that share a layer."""


def _instants(versions: Sequence[Version]) -> tuple[dict[dt.datetime, list[int]], dict[dt.datetime, list[int]]]:
    """Which versions began to be believed when, and which ceased to be."""
    begun: dict[dt.datetime, list[int]] = defaultdict(list)
    ended: dict[dt.datetime, list[int]] = defaultdict(list)
    for index, version in enumerate(versions):
        begun[version.created_at].append(index)
        if version.expired_at is not None:
            ended[version.expired_at].append(index)
    return begun, ended


def _layer(begun: dt.datetime, before: Sequence[Version], after: Sequence[Version], changes: int) -> Layer:
    same, came = _split(after, before)
    _, gone = _split(before, after)
    changed: list[tuple[Version, Version]] = []
    for alike in (_fact, _triple):  # a correction makes another fact of the same triple
        came, left = [], came
        for version in left:
            old = next((one for one in gone if alike(one) == alike(version)), None)
            if old is None:
                came.append(version)
            else:
                gone.remove(old)
                changed.append((version, old))
    return Layer(begun, None, tuple(came), tuple(changed), tuple(gone), tuple(same), changes)


def _split(versions: Sequence[Version], others: Sequence[Version]) -> tuple[list[Version], list[Version]]:
    """The versions that look like one of the others each, and those that do not."""
    left = Counter(map(_look, others))
    alike: list[Version] = []
    unlike: list[Version] = []
    for version in versions:
        look = _look(version)
        (alike if left[look] else unlike).append(version)
        left[look] -= bool(left[look])
    return alike, unlike


def _fact(version: Version) -> Hashable:
    return version.uuid


def _triple(version: Version) -> Hashable:
    return version.source.uuid, version.relation, version.target.uuid


def _look(version: Version) -> Hashable:
    """What a picture shows of a version."""
    bounds = (version.valid_at, version.valid_precision, version.invalid_at, version.invalid_precision)
    return (_triple(version), bounds, version.cause, version.planned)
