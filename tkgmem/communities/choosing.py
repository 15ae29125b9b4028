"""Which facts a summary tells, of many: those that join what matters most, and each time something not yet told. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from tkgmem.store.facts import VersionRecord

MOST = 12
"""Facts of a summary."""
_CONSIDERED = 600
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
    waiting = sorted(records, key=lambda record: (-_worth(record, weights, told, related), *_newest_first(record)))
    waiting = waiting[:_CONSIDERED]
    taken: list[VersionRecord] = []
    while waiting and len(taken) < most:
        best = max(waiting, key=lambda record: _worth(record, weights, told, related))  # the first of the best
        waiting.remove(best)
        taken.append(best)
        told.update({best.source, best.target})
        related[best.source, best.relation] += 1
    return sorted(taken, key=lambda record: _place(record, weights))


def _worth(record: VersionRecord, weights: Mapping[int, float], told: Counter[int], related: Counter[tuple[int, str]]) -> float:
    ends = (record.source, record.target)
    inside = all(end in weights for end in ends)
    value = sum(weights.get(end, 0.0) / (1 + told[end]) for end in ends)
    return value * (1.0 if inside else _OUTSIDE) / (1 + 0.5 * related[record.source, record.relation])


def _newest_first(record: VersionRecord) -> tuple[bool, int, int]:
    return record.valid_at is None, -(record.valid_at or 0), record.fact


def _place(record: VersionRecord, weights: Mapping[int, float]) -> tuple[float, int, bool, int, str, int]:
    about = record.source if record.source in weights else record.target
    return -weights.get(about, 0.0), about, record.valid_at is not None, record.valid_at or 0, record.relation, record.fact
