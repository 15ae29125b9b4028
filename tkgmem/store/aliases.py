"""The names that entities go by, as rows: each with the text that gave it, and the instants at which it was believed."""

from __future__ import annotations

import json
from collections.abc import Iterable

import apsw

from tkgmem.store.identity import Identity
from tkgmem.store.names import name_key
from tkgmem.store.rows import in_list


def insert(db: apsw.Connection, entity: int, group_id: int, name: str, at: int, *, episode_id: int | None) -> None:
    """Believe from `at` on that an entity goes by a name. episode_id: the text that says so, None for a program."""
    db.execute(
        "INSERT INTO aliases (entity_id, group_id, name, key, episode_id, created_at) VALUES (?, ?, ?, ?, ?, ?)",
        (entity, group_id, name, name_key(name), episode_id, at),
    )


def is_told(db: apsw.Connection, entities: Iterable[int], name: str, episode_id: int | None) -> bool:
    """Whether one of these entities goes by a name already, by this source or by no text at all."""
    return bool(
        db.execute(
            "SELECT EXISTS (SELECT 1 FROM aliases WHERE entity_id IN (SELECT value FROM json_each(?)) AND key = ?"
            " AND expired_at IS NULL AND (episode_id IS NULL OR episode_id = ?))",
            (json.dumps(list(entities)), name_key(name), episode_id),
        ).get
    )


def of_entities(db: apsw.Connection, entities: Iterable[int], name: str | None = None) -> list[int]:
    """The rows of the names of these entities, by default of every name."""
    of = "entity_id IN (SELECT value FROM json_each(?1)) AND (?2 IS NULL OR name = ?2)"
    rows = db.execute(f"SELECT id FROM aliases WHERE {of} ORDER BY id", (json.dumps(list(entities)), name))
    return [row for (row,) in rows]


def of_episodes(db: apsw.Connection, episodes: Iterable[int]) -> list[int]:
    """The rows of the names that episodes gave."""
    query = "SELECT id FROM aliases WHERE episode_id IN (SELECT value FROM json_each(?)) ORDER BY id"
    return [row for (row,) in db.execute(query, (json.dumps(list(episodes)),))]


def names_of(db: apsw.Connection, entities: Iterable[int]) -> dict[int, str]:
    """The names of these entities by their rows, whoever gave them and whether or not they are still believed."""
    query = "SELECT id, name FROM aliases WHERE entity_id IN (SELECT value FROM json_each(?)) ORDER BY id"
    return dict(db.execute(query, (json.dumps(list(entities)),)))


def given(db: apsw.Connection, entities: Iterable[int]) -> list[tuple[int, str]]:
    """The names that have vectors: entity and name of those that no text gave, or that came first."""
    query = (
        "SELECT entity_id, name FROM aliases WHERE entity_id IN (SELECT value FROM json_each(?)) AND episode_id IS NULL"
        " ORDER BY id"
    )
    return list(db.execute(query, (json.dumps(list(entities)),)))


def keys(db: apsw.Connection, rows: Iterable[int]) -> dict[int, str]:
    """The names in these rows as they are compared (see `names.name_key`)."""
    query = "SELECT id, key FROM aliases WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id"
    return dict(db.execute(query, (json.dumps(list(rows)),)))


def named(db: apsw.Connection, rows: Iterable[int], known_at: int) -> dict[int, int]:
    """For each of these rows the entity that goes by it, as believed then."""
    found: dict[int, int] = dict(
        db.execute("SELECT id, entity_id FROM aliases WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(list(rows)),))
    )
    who = Identity(db, known_at)
    who.load(found.values())
    return {row: who.of(entity) for row, entity in found.items()}


def called(db: apsw.Connection, group_id: int, keys: Iterable[str], known_at: int) -> dict[str, set[int]]:
    """Those of the names (as they are compared) that entities of a group ever went by up to then, each with these entities."""
    query = (
        "SELECT a.key, a.entity_id FROM json_each(:k) j CROSS JOIN aliases a INDEXED BY aliases_by_key"
        " ON a.group_id = :g AND a.key = j.value WHERE a.created_at <= :s"
    )
    rows = list(db.execute(query, {"k": in_list(keys), "g": group_id, "s": known_at}))
    who = Identity(db, known_at)
    who.load([entity for _, entity in rows])
    found: dict[str, set[int]] = {}
    for key, entity in rows:
        found.setdefault(key, set()).add(who.of(entity))
    return found


def give_way(db: apsw.Connection, entities: Iterable[int]) -> tuple[list[int], list[int]]:
    """Where no source that is left calls an entity by its first name, let it go by the first other name that a text gives it.

    The first name is deleted. Returns its rows, and the entities concerned. What a program told, or a merge, keeps the name.
    """
    gone, renamed = [], []
    for entity in sorted(entities):
        own: tuple[int, str] | None = db.execute(
            "SELECT a.id, a.key FROM aliases a JOIN entities e ON e.id = a.entity_id WHERE e.id = ? AND a.name = e.name"
            " AND a.episode_id IS NULL ORDER BY a.id LIMIT 1",
            (entity,),
        ).get
        other: tuple[int, str] | None = db.execute(
            "SELECT id, name FROM aliases WHERE entity_id = ? AND episode_id IS NOT NULL AND expired_at IS NULL"
            " ORDER BY id LIMIT 1",
            (entity,),
        ).get
        if own is None or other is None or _is_kept(db, entity) or _is_used(db, entity, own[1]):
            continue
        db.execute("UPDATE entities SET name = ? WHERE id = ?", (other[1], entity))
        db.execute("DELETE FROM aliases WHERE id = ?", (own[0],))
        db.execute("UPDATE aliases SET episode_id = NULL WHERE id = ?", (other[0],))
        gone.append(own[0])
        renamed.append(entity)
    return gone, renamed


def _is_kept(db: apsw.Connection, entity: int) -> bool:
    """Whether a program told something of an entity, or it was ever merged."""
    return bool(
        db.execute(
            "SELECT EXISTS (SELECT 1 FROM claims WHERE (source_id = ?1 OR target_id = ?1) AND episode_id IS NULL)"
            " OR EXISTS (SELECT 1 FROM merges WHERE entity_id = ?1 OR into_id = ?1)",
            (entity,),
        ).get
    )


def _is_used(db: apsw.Connection, entity: int, key: str) -> bool:
    """Whether an episode calls an entity, or who speaks in it, by the name with this key."""
    rows = db.execute(
        "SELECT CASE WHEN m.span_start = 0 AND m.span_end = 0 THEN e.speaker"
        " ELSE substr(e.content, m.span_start + 1, m.span_end - m.span_start) END"
        " FROM mentions m JOIN episodes e ON e.id = m.episode_id WHERE m.entity_id = ? AND m.span_start >= 0",
        (entity,),
    )
    return any(name_key(name) == key for (name,) in rows if name)
