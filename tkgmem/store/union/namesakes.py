"""Entities that two files made each on its own, and that are one by their name: the exact name or another name, as for a text.

Two are joined if each goes by a name that nobody else has on its side, and neither side knows the other one; what both are
called first counts before what one of them is called too. That is recorded as a merge, from the instant at which both existed,
so it does not depend on when or in which order the two were merged. What is left apart is reported.
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
    first, second = dict[int, int](), list[tuple[str, int, int]]()
    for (_, key), sides in named.items():
        here, other = ({who.of(entity) for entity in side} for side in sides)
        if here & other or not here or not other:
            continue
        if len(here) > 1 or len(other) > 1:
            _leave(coming, here | other, key)
            continue
        [one], [two] = here, other
        if not theirs.isdisjoint(who.members(one)) or any(entity <= last_entity for entity in who.members(two)):
            _leave(coming, {one, two}, key)
        elif _key(coming, one) == _key(coming, two) == key:
            first[one] = two
        else:
            second.append((key, one, two))
    return _join_all(coming, first, second)


def _join_all(coming: Coming, first: Mapping[int, int], second: list[tuple[str, int, int]]) -> int:
    """Join by what both are called first, then by other names, where these say the same."""
    taken = {**first, **{two: one for one, two in first.items()}}
    pairs: dict[int, set[int]] = defaultdict(set)
    for _, one, two in second:
        pairs[one].add(two)
        pairs[two].add(one)
    joined = [*sorted(first.items())]
    for key, one, two in second:
        if taken.get(one) == two or (one, two) in joined:
            continue
        if one in taken or two in taken or len(pairs[one]) > 1 or len(pairs[two]) > 1:
            _leave(coming, {one, two}, key)
        else:
            joined.append((one, two))
    return sum(_join(coming, one, two) for one, two in joined)


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
    entities = read.entities(db, [one, two])
    kinds = [entities[row].type for row in (one, two)]
    if db.execute(ever, (one, two)).get or (None not in kinds and name_key(str(kinds[0])) != name_key(str(kinds[1]))):
        _leave(coming, {one, two}, _key(coming, one))
        return False
    query = "SELECT id, group_id, created_at FROM entities WHERE id IN (?, ?) ORDER BY created_at, uuid"
    rows: list[Any] = db.execute(query, (one, two)).fetchall()
    (keep, group, _), (other, _, at) = rows
    identity.insert_merge(db, group, other, keep, at, None)
    coming.touched |= {one, two}
    coming.joined |= {one, two}
    return True


def _leave(coming: Coming, rows: set[int], key: str) -> None:
    """Report entities that share a name and were not joined."""
    entities = sorted(read.entities(coming.db, rows).values(), key=lambda entity: entity.uuid)
    names = ", ".join(f"{entity.name} ({entity.uuid})" for entity in entities)
    coming.dispute("entity", entities[0].uuid, f"{key!r} may be one or several: {names}; merge_entities joins two that are one")


def _key(coming: Coming, row: int) -> str:
    """What an entity is called first, as it is compared."""
    return name_key(str(coming.db.execute("SELECT name FROM entities WHERE id = ?", (row,)).get))
