"""1,000 entities come one by one and join: how far the communities drift from a whole pass, which then restores them."""

from __future__ import annotations

import datetime as dt
import random
from typing import Any

from benchmarks.communities import graphs
from tkgmem import Memory
from tkgmem.communities import found
from tkgmem.communities.agreement import drift, moved
from tkgmem.communities.propagate import propagate
from tkgmem.store import partition
from tkgmem.store.clocks import EVERYTHING
from tkgmem.testing import FixedClock, HashEmbedder

_STEP = 100
"""Entities between two measurements."""
_KEPT = 20
"""Entities between two refreshes that let them join."""


def measured(*, quick: bool) -> dict[str, Any]:
    """Half of the entities are there from the beginning; the others come in an order of chance, with their facts."""
    size = 120 if quick else 2_000
    graph, _ = graphs.planted(size, 4 * size, 0.3, seed=3)
    order = random.Random(5).sample(range(size), size)
    place = {node: at for at, node in enumerate(order)}
    first = size // 2
    facts: dict[int, list[tuple[int, int]]] = {}
    for one, other, _ in graph.ties:
        facts.setdefault(max(place[one], place[other]), []).append((one, other))
    clock = FixedClock(dt.datetime(2026, 1, 1, tzinfo=dt.UTC))
    steps: list[dict[str, Any]] = []
    with Memory(":memory:", embedder=HashEmbedder(8), clock=clock) as memory:
        for at in range(size):
            for one, other in facts.get(at, ()):
                memory.add_fact(f"Entity {one}", "KNOWS", f"Entity {other}")
            if at + 1 == first:
                memory.refresh_communities()
            elif at + 1 > first and not (at + 1) % (5 if quick else _KEPT):
                memory.refresh_communities(whole=False)
            if at + 1 > first and not (at + 1 - first) % (30 if quick else _STEP):
                steps.append({"added": at + 1 - first, **_measured(memory)})
        report = memory.refresh_communities(whole=True)
        again = memory.refresh_communities(whole=True)
        return {
            "entities_at_first": first,
            "added": size - first,
            "by_additions": steps,
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
        [(group,)] = db.execute("SELECT id FROM groups").fetchall()
        whole = found.graph(db, group, valid_at=memory._now(), known_at=EVERYTHING)  # noqa: SLF001
        homes = found.homes_of(db, [one.id for one in partition.communities(db, [group])])
    kept, anew = whole.labels(homes), propagate(whole.network)
    return {"drift": round(drift(whole.network, kept, anew), 4), "elsewhere": round(moved(kept, anew), 3)}
