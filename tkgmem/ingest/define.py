"""Relation definitions: believed from a system time on, with the claims of their names derived again under them.

A name has one meaning: an alias has no definition of its own, an inverse always points back.
"""

from __future__ import annotations

from tkgmem.ingest.reconcile import derive_again
from tkgmem.store import claims, relations, write
from tkgmem.store.connection import Connection
from tkgmem.store.rows import ClaimRow
from tkgmem.temporal.relations import Relation, Relations, redefined


def define(db: Connection, relation: Relation, *, clock: int) -> None:
    """Believe a definition from now on, and derive the claims of its names again under it.

    It keeps the aliases and the inverse that it had. A relation that becomes an alias brings its own aliases along.
    """
    table = relations.load(db)
    before = {definition.name: definition for definition in table}
    after = redefined(before, relation)
    changed = [name for name in sorted(before.keys() | after.keys()) if before.get(name) != after.get(name)]
    if not changed:
        return
    at = write.tick(db, clock, "define", reason=relation.name)
    for name in sorted({*changed, relation.name}):
        if name in after:
            relations.insert(db, after[name], at, said=relation if name == relation.name else None)
        else:
            relations.close(db, name, at)
    new_table = relations.load(db)
    by_group: dict[int, list[ClaimRow]] = {}
    for row in claims.named(db, sorted(_names(changed, table) | _names(changed, new_table))):
        by_group.setdefault(row.group_id, []).append(row)
    for rows in by_group.values():
        derive_again(db, rows, new_table, at)


def _names(changed: list[str], table: Relations) -> set[str]:
    """Every name under which claims of these relations may have been recorded."""
    return {name for key in changed for name, _ in table.recorded_as(table.resolve(key).relation.name)} | set(changed)
