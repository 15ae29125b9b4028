"""Communities as they are kept: which there are, who belongs to which, when they were looked after.

Each row has its stretch of system time; none is edited but to close it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import apsw

from tkgmem.store.clocks import EVERYTHING, believed
from tkgmem.store.conditions import Arm
from tkgmem.store.rows import in_list, texts
from tkgmem.store.walk import Seen


class Pass(NamedTuple):
    """A row of `passes`."""

    id: int
    whole: bool
    valid_at: int
    known_at: int
    change: int
    entities: int
    changed: int
    modularity: float
    created_at: int


class Kept(NamedTuple):
    """A row of `communities`."""

    id: int
    uuid: str
    group_id: int
    created_at: int
    expired_at: int | None


class Belonging(NamedTuple):
    """A row of `members`."""

    community: int
    entity: int
    created_at: int
    expired_at: int | None


_PASS = "SELECT id, whole, valid_at, known_at, change, entities, changed, modularity, created_at FROM passes"
_KEPT = "SELECT id, uuid, group_id, created_at, expired_at FROM communities c"


def last_pass(db: apsw.Connection, group_id: int, known_at: int = EVERYTHING) -> Pass | None:
    """The last pass over a group up to a system time; None where none was made."""
    query = f"{_PASS} WHERE group_id = ? AND created_at <= ? ORDER BY created_at DESC, id DESC LIMIT 1"
    rows: list[tuple[Any, ...]] = db.execute(query, (group_id, known_at)).fetchall()
    return Pass(rows[0][0], bool(rows[0][1]), *rows[0][2:]) if rows else None


def communities(db: apsw.Connection, groups: Sequence[int], known_at: int = EVERYTHING) -> list[Kept]:
    """The communities of groups as they were kept then, in the order of their rows."""
    query = f"{_KEPT} WHERE c.group_id IN (SELECT value FROM json_each(:g)) AND {believed('c')} ORDER BY c.id"
    return [_kept(row) for row in db.execute(query, {"g": in_list(groups), "s": known_at})]


def by_rows(db: apsw.Connection, rows: Iterable[int]) -> dict[int, Kept]:
    """Communities by row."""
    query = f"{_KEPT} WHERE c.id IN (SELECT value FROM json_each(?)) ORDER BY c.id"
    return {kept.id: kept for kept in map(_kept, db.execute(query, (in_list(rows),)))}


def by_uuid(db: apsw.Connection, groups: Sequence[int], uuid: str) -> Kept | None:
    """The community with this uuid, whether it is kept now or was once, if it is in one of these groups."""
    query = f"{_KEPT} WHERE c.uuid = ? AND c.group_id IN (SELECT value FROM json_each(?))"
    row = db.execute(query, (uuid, in_list(groups))).fetchall()
    return _kept(row[0]) if row else None


def _kept(row: Any) -> Kept:
    kept = Kept(*row)
    texts(kept.uuid)
    return kept


def members(db: apsw.Connection, communities: Iterable[int], known_at: int = EVERYTHING) -> dict[int, list[int]]:
    """The entities that belonged to each community then, in the order of their rows."""
    found: dict[int, list[int]] = {row: [] for row in communities}
    query = (
        "SELECT m.community_id, m.entity_id FROM members m"
        f" WHERE m.community_id IN (SELECT value FROM json_each(:c)) AND {believed('m')} ORDER BY m.entity_id"
    )
    for community, entity in db.execute(query, {"c": in_list(found), "s": known_at}):
        found[community].append(entity)
    return found


def homes(db: apsw.Connection, entities: Iterable[int], known_at: int = EVERYTHING) -> dict[int, int]:
    """The community that each of these entities belonged to then; those that belonged to none are left out."""
    query = (
        "SELECT m.entity_id, m.community_id FROM members m"
        f" WHERE m.entity_id IN (SELECT value FROM json_each(:e)) AND {believed('m')}"
    )
    return dict(db.execute(query, {"e": in_list(entities), "s": known_at}))


def belongings(
    db: apsw.Connection, *, communities: Sequence[int] = (), entities: Sequence[int] = (), known_at: int = EVERYTHING
) -> list[Belonging]:
    """Who ever belonged to these communities, or where these entities ever belonged, as far as it was kept by then; in order of
    system time.
    """
    query = (
        "SELECT m.community_id, m.entity_id, m.created_at, m.expired_at FROM members m"
        " WHERE (m.community_id IN (SELECT value FROM json_each(:c)) OR m.entity_id IN (SELECT value FROM json_each(:e)))"
        " AND m.created_at <= :s ORDER BY m.created_at, m.id"
    )
    bindings = {"c": in_list(communities), "e": in_list(entities), "s": known_at}
    return [Belonging(*row) for row in db.execute(query, bindings)]


def keeping(db: apsw.Connection, groups: Sequence[int], known_at: int = EVERYTHING) -> set[int]:
    """Those of the groups that kept communities by then."""
    query = "SELECT DISTINCT group_id FROM passes WHERE group_id IN (SELECT value FROM json_each(?)) AND created_at <= ?"
    return {group for (group,) in db.execute(query, (in_list(groups), known_at))}


def living(table: str, community: str, seen: str) -> str:
    """On the rows of `table`, as SQL: that something is seen at a member of the community in this column.

    seen: the condition on a row v of `versions`, as `clocks.view_versions` makes it.
    """
    ends = " OR ".join(
        f"EXISTS (SELECT 1 FROM versions v INDEXED BY {index} WHERE v.group_id = {table}.group_id AND v.{end} = m.entity_id"
        f" AND {seen})"
        for end, index in (("source_id", "versions_from"), ("target_id", "versions_to"))
    )
    return f"EXISTS (SELECT 1 FROM members m WHERE m.community_id = {table}.{community} AND {believed('m')} AND ({ends}))"


def alive(db: apsw.Connection, communities: Iterable[int], seen: Seen) -> set[int]:
    """Those of the communities at a member of which something is seen."""
    where, bindings = seen
    query = f"SELECT c.id FROM communities c WHERE c.id IN (SELECT value FROM json_each(:c)) AND {living('c', 'id', where)}"
    return {row for (row,) in db.execute(query, {**bindings, "c": in_list(communities)})}


def of_few(db: apsw.Connection, seen: Seen, arms: Iterable[Arm], most: int) -> set[int] | None:
    """The communities at a member of which something is seen; None where more versions than `most` are.

    arms: where to look for them (see `Conditions.arms`).
    """
    where, bindings = seen
    pairs: list[tuple[int, int]] = []
    for rows, start in arms:
        query = f"SELECT v.source_id, v.target_id FROM {rows} WHERE {start} AND {where} LIMIT :most"
        pairs += db.execute(query, {**bindings, "most": most + 1 - len(pairs)})
        if len(pairs) > most:
            return None
    return set(homes(db, sorted({end for pair in pairs for end in pair}), bindings["s"]).values())


def last_community(db: apsw.Connection) -> int:
    """The highest row of a community, 0 if there is none."""
    return int(db.execute("SELECT coalesce(max(id), 0) FROM communities").get)


def rewritten_since(db: apsw.Connection, change: int) -> int:
    """The number of the last forget, merge or import after a change of belief, 0 for none: they bring or take what was believed
    earlier, so that it does not show by its instants.
    """
    query = "SELECT coalesce(max(id), 0) FROM transactions WHERE id > ? AND verb IN ('forget', 'import')"
    return int(db.execute(query, (change,)).get)


def last_change(db: apsw.Connection) -> int:
    """The number of the last change of belief, 0 before the first: it tells changes at one instant apart, and deletions."""
    return int(db.execute("SELECT coalesce(max(id), 0) FROM transactions").get)


def sizes(db: apsw.Connection, groups: Sequence[int]) -> tuple[int, int]:
    """How many communities are kept now, and how many entities are in them."""
    query = (
        "SELECT count(DISTINCT c.id), count(m.id) FROM communities c LEFT JOIN members m ON m.community_id = c.id"
        " AND m.expired_at IS NULL WHERE c.expired_at IS NULL AND c.group_id IN (SELECT value FROM json_each(?))"
    )
    found: list[tuple[int, int]] = db.execute(query, (in_list(groups),)).fetchall()  # type: ignore[assignment]
    return found[0]


# --- writing, in the caller's transaction ---


def insert_pass(db: apsw.Connection, group_id: int, made: Pass) -> None:
    """Record that the communities of a group were looked after. The row's id is given by the file."""
    db.execute(
        "INSERT INTO passes (group_id, whole, valid_at, known_at, change, entities, changed, modularity, created_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (group_id, int(made.whole), *made[2:]),
    )


def insert_community(db: apsw.Connection, *, uuid: str, group_id: int, at: int) -> int:
    """Keep a new community, still without members."""
    db.execute("INSERT INTO communities (uuid, group_id, created_at) VALUES (?, ?, ?)", (uuid, group_id, at))
    return db.last_insert_rowid()


def close_communities(db: apsw.Connection, rows: Iterable[int], at: int) -> None:
    """No longer keep these communities."""
    db.execute("UPDATE communities SET expired_at = ? WHERE id IN (SELECT value FROM json_each(?))", (at, in_list(rows)))


def set_members(db: apsw.Connection, homes: Mapping[int, int], at: int, *, communities: Iterable[int]) -> None:
    """Make entities the members of these communities: each in `homes` of the one that it is given with, and no others."""
    query = (
        "SELECT id, entity_id, community_id FROM members WHERE expired_at IS NULL"
        " AND community_id IN (SELECT value FROM json_each(?)) ORDER BY id"
    )
    before = list(db.execute(query, (in_list(sorted(set(communities))),)))
    over = [row for row, entity, community in before if homes.get(entity) != community]
    db.execute("UPDATE members SET expired_at = ? WHERE id IN (SELECT value FROM json_each(?))", (at, in_list(over)))
    stays = {entity for _, entity, community in before if homes.get(entity) == community}
    new = [(community, entity, at) for entity, community in sorted(homes.items()) if entity not in stays]
    db.executemany("INSERT INTO members (community_id, entity_id, created_at) VALUES (?, ?, ?)", new)
