"""Relation definitions: believed from a system time on, with the claims of their names derived again under them."""

from __future__ import annotations

from tkgmem.ingest.reconcile import derive_again
from tkgmem.store import claims, relations, write
from tkgmem.store.claims import ClaimRow
from tkgmem.store.connection import Connection
from tkgmem.temporal.relations import Relation, Relations


def define(db: Connection, relation: Relation, *, clock: int) -> None:
    """Believe a definition from now on, and derive the claims of its names again under it.

    It keeps the aliases and the inverse that it had; an alias is taken from the relation that had it, an inverse points back.
    """
    table = relations.load(db)
    known = relation.name in {definition.name for definition in table}
    if known:
        old = table.get(relation.name)
        aliases = tuple(dict.fromkeys([*old.aliases, *relation.aliases]))
        relation = Relation(relation.name, relation.functional, relation.inverse or old.inverse, aliases, old.since)
        if relation == old:
            return
    at = write.tick(db, clock, "define", reason=relation.name)
    for alias in relation.aliases:
        relations.close(db, alias, at)  # a relation that becomes another name of this one is none of its own any more
    for changed in _redefinitions(table, relation, at):
        relations.insert(db, changed, at)
    names = {relation.name, *relation.aliases} | ({relation.inverse} if relation.inverse else set())
    old = table.get(relation.name)
    names |= {name for name, _ in table.recorded_as(old.name)} | set(old.aliases)
    new_table = relations.load(db)
    names |= {name for name, _ in new_table.recorded_as(new_table.resolve(relation.name).relation.name)}
    wanted = claims.named(db, sorted(names))
    by_group: dict[int, list[ClaimRow]] = {}
    for row in wanted:
        by_group.setdefault(row.group_id, []).append(row)
    for rows in by_group.values():
        derive_again(db, rows, new_table, at)


def _redefinitions(table: Relations, relation: Relation, at: int) -> list[Relation]:
    old = table.get(relation.name)
    known = relation.name in {definition.name for definition in table}
    since = old.since if known and old.functional == relation.functional else at
    changed = [Relation(relation.name, relation.functional, relation.inverse, relation.aliases, since)]
    taken = {relation.name, *relation.aliases}
    for other in table:
        if other.name not in taken and taken & set(other.aliases):
            left = tuple(alias for alias in other.aliases if alias not in taken)
            changed.append(Relation(other.name, other.functional, other.inverse, left, other.since))
    if relation.inverse and relation.inverse != relation.name:
        back = table.get(relation.inverse)
        if back.inverse != relation.name:
            changed.append(Relation(back.name, back.functional, relation.name, back.aliases, back.since or at))
    return changed
