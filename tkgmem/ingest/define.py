"""Relation definitions: believed from a system time on, with the claims of their names derived again under them.

A name has one meaning: an alias has no definition of its own, an inverse always points back.
"""

from __future__ import annotations

from dataclasses import replace

from tkgmem.ingest.reconcile import derive_again
from tkgmem.store import claims, relations, write
from tkgmem.store.connection import Connection
from tkgmem.store.rows import ClaimRow
from tkgmem.temporal.relations import Relation, Relations


def define(db: Connection, relation: Relation, *, clock: int) -> None:
    """Believe a definition from now on, and derive the claims of its names again under it.

    It keeps the aliases and the inverse that it had. A relation that becomes an alias brings its own aliases along.
    """
    table = relations.load(db)
    before = {definition.name: definition for definition in table}
    after = _redefined(before, relation)
    changed = [name for name in sorted(before.keys() | after.keys()) if before.get(name) != after.get(name)]
    if not changed:
        return
    at = write.tick(db, clock, "define", reason=relation.name)
    for name in changed:
        if name in after:
            relations.insert(db, after[name], at)
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


def _redefined(before: dict[str, Relation], new: Relation) -> dict[str, Relation]:
    """All definitions with this one in force."""
    old = before.get(new.name)
    merged = [before[alias] for alias in new.aliases if alias in before and alias != new.name]
    aliases = [*(old.aliases if old else ()), *new.aliases, *(alias for other in merged for alias in other.aliases)]
    taken = dict.fromkeys(alias for alias in aliases if alias != new.name)
    inverse = new.inverse or (old.inverse if old else None)
    if inverse in taken:
        inverse = new.name  # its own other name: it reads the same from both ends
    else:
        inverse = next((other.name for other in before.values() if inverse in other.aliases), inverse)
    after = {name: definition for name, definition in before.items() if name not in taken}
    after[new.name] = Relation(new.name, new.functional, inverse, tuple(taken))
    if inverse is not None and inverse != new.name:
        after[inverse] = replace(after.get(inverse, Relation(inverse, functional=False)), inverse=new.name)
    for name, other in after.items():
        if name in {new.name, inverse}:
            continue
        left = tuple(alias for alias in other.aliases if alias not in taken and alias != new.name)
        partner = None if other.inverse in {new.name, inverse, *taken} else other.inverse
        after[name] = replace(other, aliases=left, inverse=partner)
    return after
