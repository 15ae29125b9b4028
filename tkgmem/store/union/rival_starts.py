"""What two files tell differently of the world: one target at a time, from the same instant on, and each names another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence

from tkgmem.reports import MergeConflict
from tkgmem.store import claims, read, relations
from tkgmem.store.clocks import EVERYTHING
from tkgmem.store.union.coming import Coming
from tkgmem.temporal.claim import Claim
from tkgmem.temporal.period import show


def find(coming: Coming, fresh: Sequence[int]) -> list[MergeConflict]:
    """The facts that begin at one instant, exclude each other, and were known to one side only. The later recorded counts."""
    db = coming.db
    table = relations.load(db)
    rows = [
        row for row in claims.by_ids(db, fresh) if row.expired_at is None and row.kind == "assert" and row.valid_at is not None
    ]
    if not rows:
        return []
    near, _ = claims.component(db, rows, [table], ever=False)
    new, theirs = set(fresh), set(coming.claims.groups)
    by_start: dict[tuple[Hashable, int], list[Claim]] = defaultdict(list)
    for claim in claims.as_claims(db, near, table, EVERYTHING):
        if claim.kind == "assert" and claim.start is not None:
            for slot in claim.slots:
                by_start[slot, claim.start].append(claim)
    found = []
    for (_, start), told in by_start.items():
        here = {claim.triple for claim in told if claim.id not in theirs}
        there = {claim.triple for claim in told if claim.id in new}
        if here and there and here.isdisjoint(there):
            names = read.entities(db, [end for claim in told for end in claim.ends])
            say = sorted({f"{names[c.ends[0]].name} {c.relation} {names[c.ends[1]].name}" for c in told})
            uuid = min(str(claim.order[2]) for claim in told)
            found.append(MergeConflict("fact", uuid, f"from {show(start)} on: {' / '.join(say)}; the later recorded counts"))
    return sorted(found, key=lambda conflict: (conflict.uuid, conflict.detail))
