"""Relation definitions: believed from a system time on, with the claims of their names derived again under them.

A name has one meaning: an alias has no definition of its own, an inverse always points back.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

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
    for row in claims.named(db, sorted(names_of(changed, table) | names_of(changed, new_table))):
        by_group.setdefault(row.group_id, []).append(row)
    for rows in by_group.values():
        derive_again(db, rows, new_table, at)


def changed_since(db: Connection, before: Mapping[str, Relation | None], later: Collection[str], at: int) -> set[str]:
    """Those of these names that, as they were before or are now, hang together with a definition that is another since `at`.

    later: names of which that is known.
    """
    then, now = ({relation.name: relation for relation in relations.load(db, known)} for known in (at, None))
    table, left = Relations(now.values()), set(before)
    other = set(later) | {
        name
        for name in then.keys() | now.keys()
        if then.get(name) != now.get(name) and (name in then or not now[name].is_plain)
    }
    while True:
        found = {name for name in left if not other.isdisjoint(_near(name, before.get(name), table))}
        if not found:
            return before.keys() - left
        left -= found
        other |= found


def _near(name: str, before: Relation | None, table: Relations) -> set[str]:
    """The names that a definition, as it was or as it is now, has to do with."""
    both = [relation for relation in (before, table.get(name)) if relation is not None]
    return {end for one in both for end in (one.name, one.inverse, *one.aliases) if end is not None}


def restored(before: Mapping[str, Relation], definitions: Mapping[str, Relation | None]) -> dict[str, Relation]:
    """All definitions with these as they were; None: there was none."""
    back = {name: relation for name, relation in definitions.items() if relation is not None}
    aliases = {alias for relation in back.values() for alias in relation.aliases}
    return {name: relation for name, relation in before.items() if name not in definitions and name not in aliases} | back


def restore(db: Connection, definitions: Mapping[str, Relation | None], at: int) -> None:
    """Believe these definitions from `at` on just as they are, in the caller's transaction and tick; derives nothing.

    A name that had none is one that merely is in use, unless it is another name of one of them again.
    """
    before = {relation.name: relation for relation in relations.load(db)}
    after = restored(before, definitions)
    aliases = {alias for relation in after.values() for alias in relation.aliases}
    for name in sorted(before.keys() | definitions.keys()):
        if name not in definitions and name in after:
            continue
        if name not in after and name in aliases:
            relations.close(db, name, at)
        else:
            relation = after.get(name, Relation(name, functional=False))
            relations.insert(db, relation, at, said=relation, exact=True)


def names_of(changed: Collection[str], table: Relations) -> set[str]:
    """Every name under which claims of these relations may have been recorded."""
    return {name for key in changed for name, _ in table.recorded_as(table.resolve(key).relation.name)} | set(changed)
