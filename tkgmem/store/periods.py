"""Which period of a fact a question is shown: one that it sees at its clocks and that meets what else it asks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import apsw

from tkgmem.store.clocks import view_versions
from tkgmem.store.conditions import Conditions
from tkgmem.store.facts import VersionRecord, best_period, undated_plans, versions
from tkgmem.store.rows import in_list


def seen(
    db: apsw.Connection,
    fact_ids: Iterable[int],
    groups: Sequence[int],
    *,
    valid_at: int,
    until: int | None = None,
    known_at: int,
    include_ended: bool,
    conditions: Conditions | None = None,
) -> dict[int, VersionRecord]:
    """The best period of each fact (row) among those that the question sees (see `view_versions`); one not seen is left out.

    The best is the one containing `valid_at`, else the latest that began before it, else the first. It is read from the end
    that is asked for. An announcement without a date is a record without a row.
    """
    ids = {"ids": in_list(sorted(set(fact_ids)))}
    where, bindings = view_versions(
        groups, valid_at=valid_at, until=until, known_at=known_at, include_ended=include_ended, conditions=conditions
    )
    asked = (conditions.plan("v.id") if conditions is not None else "") or "1"
    told = f"v.group_id IN (SELECT value FROM json_each(:g)) AND {asked}"
    among = "{} IN (SELECT value FROM json_each(:ids)) AND {}".format
    found: dict[int, list[VersionRecord]] = defaultdict(list)
    for record in versions(db, among("v.fact_id", where), {**bindings, **ids}):
        found[record.fact].append(record)
    for record in undated_plans(db, known_at=known_at, where=among("v.id", told), bindings={**bindings, **ids}):
        found[record.fact].append(record)
    best = {fact: best_period(records, valid_at) for fact, records in found.items()}
    return best if conditions is None else {fact: conditions.as_asked(record) for fact, record in best.items()}
