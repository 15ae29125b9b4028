"""Which facts a summary tells, of many: those that join what matters most, and each time something not yet told. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heapreplace

from tkgmem.store.facts import VersionRecord

MOST = 12
"""Facts of a summary."""
_OUTSIDE = 0.25
"""What a fact that leads out of a community is worth beside one within."""


def chosen(records: Sequence[VersionRecord], weights: Mapping[int, float], most: int = MOST) -> list[VersionRecord]:
    """The facts to tell, in the order of telling: by whom they are about, the weightiest first, then by when they began.

    weights: the entities that the summary is about, with what each is worth; a fact with only one end among them counts less.
    Each time an entity, or a relation of one, has been told of, telling of it again is worth less. Of equals the one that
    began last is told.
    """
    told: Counter[int] = Counter()
    related: Counter[tuple[int, str]] = Counter()
    taken: list[VersionRecord] = []
    ordered = sorted(records, key=_newest_first)
    waiting = [(-_worth(record, weights, told, related), place) for place, record in enumerate(ordered)]
    heapify(waiting)
    while waiting and len(taken) < most:
        _, place = waiting[0]
        worth = _worth(ordered[place], weights, told, related)
        if len(waiting) > 1 and (-worth, place) > min(waiting[1:3]):
            heapreplace(waiting, (-worth, place))  # it has lost to others since; what anything is worth only ever sinks
            continue
        heappop(waiting)
        record = ordered[place]
        taken.append(record)
        told.update({record.source, record.target})
        related[record.source, record.relation] += 1
    return sorted(taken, key=lambda record: _place(record, weights))


def _worth(record: VersionRecord, weights: Mapping[int, float], told: Counter[int], related: Counter[tuple[int, str]]) -> float:
    source, target = weights.get(record.source), weights.get(record.target)
    value = (source or 0.0) / (1 + told[record.source]) + (target or 0.0) / (1 + told[record.target])
    share = _OUTSIDE if source is None or target is None else 1.0
    return value * share / (1 + 0.5 * related[record.source, record.relation])


def _newest_first(record: VersionRecord) -> tuple[bool, int, int]:
    return record.valid_at is None, -(record.valid_at or 0), record.fact


def _place(record: VersionRecord, weights: Mapping[int, float]) -> tuple[float, int, bool, int, str, int]:
    about = record.source if record.source in weights else record.target
    return -weights.get(about, 0.0), about, record.valid_at is not None, record.valid_at or 0, record.relation, record.fact
