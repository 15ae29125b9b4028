"""The names that entities go by, as rows: each with the text that gave it, and the instants at which it was believed."""

from __future__ import annotations

import json
from collections.abc import Iterable

import apsw

from tkgmem.store.identity import Identity
from tkgmem.store.names import name_key


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


def of_episode(db: apsw.Connection, episode_id: int) -> list[int]:
    """The rows of the names that an episode gave."""
    return [row for (row,) in db.execute("SELECT id FROM aliases WHERE episode_id = ? ORDER BY id", (episode_id,))]


def named(db: apsw.Connection, rows: Iterable[int], known_at: int) -> dict[int, int]:
    """For each of these rows the entity that goes by it, as believed then."""
    found: dict[int, int] = dict(
        db.execute("SELECT id, entity_id FROM aliases WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(list(rows)),))
    )
    who = Identity(db, known_at)
    who.load(found.values())
    return {row: who.of(entity) for row, entity in found.items()}
