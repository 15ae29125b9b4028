"""1,000 entities come one by one and join: how far the communities drift from a whole pass, which then restores them."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Mapping
from typing import Any

from benchmarks.communities import graphs
from tkgmem import Memory
from tkgmem.communities import found
from tkgmem.communities.agreement import drift, moved
from tkgmem.communities.propagate import propagate
from tkgmem.store import partition, read
from tkgmem.store.clocks import EVERYTHING
from tkgmem.testing import FixedClock, HashEmbedder

_STEP = 100
"""Entities between two measurements."""
_KEPT = 20
"""Entities between two refreshes that let them join."""


def measured(*, quick: bool) -> dict[str, Any]:
    """Half of the entities are there from the beginning; the others come in an order of chance, with their facts.

    Once they only join, and once the refreshes begin anew where the drift has passed the threshold, as they do by default.
    """
    size = 60 if quick else 2_000
    graph, _ = graphs.planted(size, 4 * size, 0.3, seed=3)
    place = {node: at for at, node in enumerate(random.Random(5).sample(range(size), size))}
    facts: dict[int, list[tuple[int, int]]] = {}
    for one, other, _ in graph.ties:
        facts.setdefault(max(place[one], place[other]), []).append((one, other))
    joined = _added(size, facts, quick=quick, whole=False)
    by_default = _added(size, facts, quick=quick, whole=None)
    return {"entities_at_first": size // 2, "added": size - size // 2, **joined, "by_default": by_default}


def _added(size: int, facts: Mapping[int, list[tuple[int, int]]], *, quick: bool, whole: bool | None) -> dict[str, Any]:
    """What the communities come to. facts: those that come with each entity, by its place in the order."""
    first, kept, step = size // 2, 5 if quick else _KEPT, 15 if quick else _STEP
    steps: list[dict[str, Any]] = []
    anew = 0
    with Memory(":memory:", embedder=HashEmbedder(8), clock=FixedClock(dt.datetime(2026, 1, 1, tzinfo=dt.UTC))) as memory:
        for number in range(1, size + 1):
            for one, other in facts.get(number - 1, ()):
                memory.add_fact(f"Entity {one}", "KNOWS", f"Entity {other}")
            if number == first:
                memory.refresh_communities()
            elif number > first and not number % kept:
                anew += memory.refresh_communities(whole=whole).whole
            if number > first and not (number - first) % step:
                steps.append({"added": number - first, **_measured(memory)})
        report = memory.refresh_communities(whole=True)
        again = memory.refresh_communities(whole=True)
    return {
        "by_additions": steps,
        "made_anew": anew,
        "whole_refresh": {
            "drift_before": round(report.drift or 0.0, 4),
            "drift_after": again.drift,
            "moved": report.moved,
            "modularity": round(report.modularity, 4),
            "summaries_renewed": report.renewed,
        },
    }


def _measured(memory: Memory) -> dict[str, float]:
    """How the communities as they are kept compare with those of a whole pass."""
    with memory._store.read() as db:  # noqa: SLF001 - measured without keeping anything
        [group] = read.group_ids(db, [memory.group])
        whole = found.graph(db, group, valid_at=memory._now(), known_at=EVERYTHING)  # noqa: SLF001
        homes = found.homes_of(db, [one.id for one in partition.communities(db, [group])])
    kept, anew = whole.labels(homes), propagate(whole.network)
    return {"drift": round(drift(whole.network, kept, anew), 4), "elsewhere": round(moved(kept, anew), 3)}
