"""Rows to values: entities and episodes as known at an asked system time."""

from __future__ import annotations

import datetime as dt
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import apsw

from tkgmem.errors import AmbiguousName
from tkgmem.graph import Entity, Episode
from tkgmem.store.clocks import EVERYTHING, believed
from tkgmem.store.names import name_key
from tkgmem.temporal.period import to_datetime


def in_list(ids: Iterable[Any]) -> str:
    """The values as JSON, for `IN (SELECT value FROM json_each(?))`."""
    return json.dumps(list(ids))


def group_ids(db: apsw.Connection, names: Iterable[str]) -> list[int]:
    """The rows of the groups that exist."""
    query = "SELECT id FROM groups WHERE name IN (SELECT value FROM json_each(?)) ORDER BY id"
    return [row for (row,) in db.execute(query, (in_list(names),))]


def group_name(db: apsw.Connection, group_id: int) -> str:
    """The name of a group."""
    return str(db.execute("SELECT name FROM groups WHERE id = ?", (group_id,)).get)


def entities(db: apsw.Connection, ids: Iterable[int], known_at: int = EVERYTHING) -> dict[int, Entity]:
    """Entities by row, with the aliases believed then."""
    wanted = in_list(sorted(set(ids)))
    aliases: dict[int, list[str]] = defaultdict(list)
    for entity, name in db.execute(
        "SELECT a.entity_id, a.name FROM aliases a JOIN entities e ON e.id = a.entity_id"
        f" WHERE a.entity_id IN (SELECT value FROM json_each(:ids)) AND {believed('a')} AND a.name <> e.name ORDER BY a.id",
        {"ids": wanted, "s": known_at},
    ):
        aliases[entity].append(name)
    return {
        row: Entity(uuid, group, name, tuple(aliases[row]), to_datetime(created_at))
        for row, uuid, group, name, created_at in db.execute(
            "SELECT e.id, e.uuid, g.name, e.name, e.created_at FROM entities e JOIN groups g ON g.id = e.group_id"
            " WHERE e.id IN (SELECT value FROM json_each(?)) ORDER BY e.id",
            (wanted,),
        )
    }


def entity_ids(db: apsw.Connection, group: int, key: str, known_at: int) -> list[int]:
    """The rows of the entities that go by a name (given as its key) in a group, as believed then."""
    return [
        row
        for (row,) in db.execute(
            "SELECT DISTINCT a.entity_id FROM aliases a WHERE a.group_id = :g AND a.key = :k"
            f" AND {believed('a')} ORDER BY a.entity_id",
            {"g": group, "k": key, "s": known_at},
        )
    ]


def entity_named(db: apsw.Connection, group: int, name: str, known_at: int = EVERYTHING) -> int | None:
    """The row of the one entity of a group with this name, as believed then. AmbiguousName lists several."""
    rows = entity_ids(db, group, name_key(name), known_at)
    if len(rows) > 1:
        listed = ", ".join(f"{entity.name} ({entity.uuid})" for entity in entities(db, rows).values())
        raise AmbiguousName(f"{name!r} fits several entities: {listed}; give the uuid of the one you mean")
    return rows[0] if rows else None


def entity_by_uuid(db: apsw.Connection, groups: Sequence[int], uuid: str, known_at: int = EVERYTHING) -> int | None:
    """The row of the entity with this uuid, if it is in one of these groups and existed then."""
    found: int | None = db.execute(
        "SELECT id FROM entities WHERE uuid = ? AND group_id IN (SELECT value FROM json_each(?)) AND created_at <= ?",
        (uuid, in_list(groups), known_at),
    ).get
    return found


_EPISODE = (
    "SELECT e.id, e.uuid, g.name, e.source, e.content, e.reference_time, e.reference_offset, e.created_at, e.state, e.name,"
    " e.description, e.speaker, e.metadata, e.error FROM episodes e JOIN groups g ON g.id = e.group_id "
)


def _episode(row: Sequence[Any]) -> tuple[int, Episode]:
    _, uuid, group, source, content, reference, offset, created, state, name, description, speaker, metadata, error = row
    zone = dt.timezone(dt.timedelta(seconds=offset)) if offset else dt.UTC
    return row[0], Episode(
        uuid=uuid,
        group=group,
        source=source,
        content=content,
        reference_time=to_datetime(reference).astimezone(zone),
        created_at=to_datetime(created),
        state=state,
        name=name,
        description=description,
        speaker=speaker,
        metadata=json.loads(metadata),
        error=error,
    )


def episode(db: apsw.Connection, uuid: str) -> tuple[int, Episode] | None:
    """One episode and its row, by uuid."""
    row = db.execute(_EPISODE + "WHERE e.uuid = ?", (uuid,)).get
    return None if row is None else _episode(row)


def episodes(db: apsw.Connection, ids: Iterable[int]) -> dict[int, Episode]:
    """Episodes by row."""
    query = _EPISODE + "WHERE e.id IN (SELECT value FROM json_each(?))"
    return dict(_episode(row) for row in db.execute(query, (in_list(ids),)))


def list_episodes(
    db: apsw.Connection,
    groups: Sequence[int],
    *,
    known_at: int,
    name: str | None,
    state: str | None,
    limit: int,
    offset: int,
) -> list[Episode]:
    """Episodes stored by `known_at`, newest reference time first, a total order."""
    rows = db.execute(
        _EPISODE + "WHERE e.group_id IN (SELECT value FROM json_each(:g)) AND e.created_at <= :s"
        " AND (:name IS NULL OR e.name = :name) AND (:state IS NULL OR e.state = :state)"
        " ORDER BY e.reference_time DESC, e.id DESC LIMIT :limit OFFSET :offset",
        {"g": in_list(groups), "s": known_at, "name": name, "state": state, "limit": limit, "offset": offset},
    )
    return [_episode(row)[1] for row in rows]


def mentioned(db: apsw.Connection, episode_id: int) -> list[int]:
    """The rows of the entities that an episode names or is spoken by."""
    return [
        row for (row,) in db.execute("SELECT DISTINCT entity_id FROM mentions WHERE episode_id = ? ORDER BY 1", (episode_id,))
    ]
