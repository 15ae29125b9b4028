"""Entities that two files made each on its own, and that are one by their name: the exact name or another name, as for a text.

Two are joined if each goes by a name that nobody else has on its side, and neither side knows the other one. That is recorded
as a merge, from the instant at which both existed, so it does not depend on when or in which order the files were merged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from tkgmem.store import identity, read
from tkgmem.store.identity import Identity
from tkgmem.store.names import name_key
from tkgmem.store.rows import in_list
from tkgmem.store.union.coming import Coming

Sides = tuple[set[int], set[int]]
"""Entities of this file, and of the other."""


def join(coming: Coming, there: set[int], last_alias: int, last_entity: int) -> int:
    """Join what is one. there: the rows of `aliases` that the other side has. last_alias, last_entity: the highest rows of this
    side before. Returns how many were joined.
    """
    named = _by_name(coming, there, last_alias)
    if not any(here and other and here != other for here, other in named.values()):
        return 0
    who = Identity(coming.db)
    who.load(entity for sides in named.values() for side in sides for entity in side)
    theirs = set(coming.entities.groups)
    pairs: dict[int, set[int]] = defaultdict(set)
    for (_, key), sides in named.items():
        here, other = ({who.of(entity) for entity in side} for side in sides)
        if here & other or not here or not other:
            continue
        if len(here) > 1 or len(other) > 1:
            coming.dispute("entity", min(_uuid(coming, row) for row in here), f"{key!r} is several; they were left apart")
            continue
        [one], [two] = here, other
        if theirs.isdisjoint(who.members(one)) and all(entity > last_entity for entity in who.members(two)):
            pairs[one].add(two)
            pairs[two].add(one)
    joined = [(one, next(iter(others))) for one, others in sorted(pairs.items()) if len(others) == 1]
    return sum(_join(coming, one, two) for one, two in joined if one < two and pairs[two] == {one})


def _by_name(coming: Coming, there: set[int], last: int) -> Mapping[tuple[int, str], Sides]:
    """Who goes by each name that the other side has."""
    db, found = coming.db, defaultdict[tuple[int, str], Sides](lambda: (set(), set()))
    rows: list[Any] = db.execute(
        "SELECT entity_id, group_id, key FROM aliases WHERE id IN (SELECT value FROM json_each(?)) AND expired_at IS NULL"
        " ORDER BY id",
        (in_list(sorted(there)),),
    ).fetchall()
    for entity, group, key in rows:
        found[group, key][1].add(entity)
    query = "SELECT entity_id FROM aliases WHERE group_id = ? AND key = ? AND expired_at IS NULL AND id <= ?"
    for group, key in found:
        found[group, key][0].update(entity for (entity,) in db.execute(query, (group, key, last)))
    return found


def _join(coming: Coming, one: int, two: int) -> bool:
    """Let two entities be one from when both existed, unless they were told apart before, or are of two types."""
    db = coming.db
    ever = "SELECT EXISTS (SELECT 1 FROM merges WHERE (entity_id = ?1 AND into_id = ?2) OR (entity_id = ?2 AND into_id = ?1))"
    if db.execute(ever, (one, two)).get:
        return False
    entities = read.entities(db, [one, two])
    kinds = [entities[row].type for row in (one, two)]
    if None not in kinds and name_key(str(kinds[0])) != name_key(str(kinds[1])):
        first = min(entities[one].uuid, entities[two].uuid)
        coming.dispute("entity", first, f"{entities[one].name!r} is of two types; the two were left apart")
        return False
    query = "SELECT id, group_id, created_at FROM entities WHERE id IN (?, ?) ORDER BY created_at, uuid"
    rows: list[Any] = db.execute(query, (one, two)).fetchall()
    (keep, group, _), (other, _, at) = rows
    identity.insert_merge(db, group, other, keep, at, None)
    coming.touched |= {one, two}
    return True


def _uuid(coming: Coming, row: int) -> str:
    return str(coming.db.execute("SELECT uuid FROM entities WHERE id = ?", (row,)).get)
