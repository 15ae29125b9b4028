"""What filters are resolved from, as believed at the asked system time: types, merged entities, undated announcements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import apsw

from tkgmem.store.clocks import believed
from tkgmem.store.facts import VersionRecord, undated_plans
from tkgmem.store.identity import Identity
from tkgmem.store.rows import in_list


def spelt(db: apsw.Connection, types: Iterable[str], same: Callable[[str], str]) -> tuple[str, ...]:
    """The types of entities, as stored, that are one of these when compared by `same`."""
    wanted = {same(kind) for kind in types}
    rows = db.execute("SELECT DISTINCT type FROM traits WHERE type IS NOT NULL ORDER BY type")
    return tuple(kind for (kind,) in rows if same(kind) in wanted)


def merged(db: apsw.Connection, groups: Iterable[int], known_at: int) -> dict[int, list[int]]:
    """The entities that others were one with at `known_at`, each with all that stand for it, itself included."""
    who = Identity(db, known_at)
    of = "group_id IN (SELECT value FROM json_each(:g))"
    query = f"SELECT DISTINCT entity_id FROM merges m WHERE {of} AND {believed('m', 'merge')}"
    rows = [] if who.plain else [row for (row,) in db.execute(query, {"g": in_list(groups), "s": known_at})]
    who.load(rows)
    return {root: who.members(root) for root in sorted({who.of(row) for row in rows})}


def plans(db: apsw.Connection, groups: Iterable[int], known_at: int) -> list[VersionRecord]:
    """The announcements without a date believed at `known_at`."""
    query = (
        "SELECT p.claim_id FROM supports p INDEXED BY supports_undated CROSS JOIN claims c NOT INDEXED ON c.id = p.claim_id"
        " WHERE p.undated AND p.claim_id = p.fact_id AND +c.group_id IN (SELECT value FROM json_each(:g))"
        f" AND {believed('p')}"
    )
    ids = [row for (row,) in db.execute(query, {"g": in_list(groups), "s": known_at})]
    if not ids:
        return []
    where = "v.id IN (SELECT value FROM json_each(:ids))"
    return undated_plans(db, known_at=known_at, where=where, bindings={"ids": in_list(ids)})


def meeting(db: apsw.Connection, condition: str, bindings: Mapping[str, Any], rows: Iterable[int], known_at: int) -> set[int]:
    """Those of the entities (as e.id) that meet an SQL condition of this package."""
    query = f"SELECT e.id FROM entities e WHERE e.id IN (SELECT value FROM json_each(:ids)) AND {condition}"
    return {row for (row,) in db.execute(query, {**bindings, "ids": in_list(rows), "s": known_at})}
