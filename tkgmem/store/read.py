"""Rows to values: entities and episodes as known at an asked system time."""

from __future__ import annotations

import datetime as dt
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import apsw

from tkgmem.errors import AmbiguousName
from tkgmem.graph import Entity, Episode
from tkgmem.store.clocks import EVERYTHING, believed
from tkgmem.store.identity import Identity
from tkgmem.store.names import name_key
from tkgmem.store.rows import in_list, texts
from tkgmem.temporal.period import to_datetime


def group_ids(db: apsw.Connection, names: Iterable[str]) -> list[int]:
    """The rows of the groups that exist."""
    query = "SELECT id FROM groups WHERE name IN (SELECT value FROM json_each(?)) ORDER BY id"
    return [row for (row,) in db.execute(query, (in_list(names),))]


def group_name(db: apsw.Connection, group_id: int) -> str:
    """The name of a group."""
    return str(db.execute("SELECT name FROM groups WHERE id = ?", (group_id,)).get)


def group_of(db: apsw.Connection, entity: int) -> int:
    """The row of an entity's group."""
    row: int = db.execute("SELECT group_id FROM entities WHERE id = ?", (entity,)).get
    return row


def entities(db: apsw.Connection, ids: Iterable[int], known_at: int = EVERYTHING) -> dict[int, Entity]:
    """Entities by row, with the names and traits believed of them then, and of what is merged into them."""
    wanted = sorted(set(ids))
    who = Identity(db, known_at)
    who.load(wanted)
    parts = {entity: who.members(entity) for entity in wanted}
    others = sorted({part for entity, members in parts.items() for part in members if part != entity})
    bindings = {"ids": in_list([*wanted, *others]), "others": in_list(others), "s": known_at}
    names = _by_entity(
        db, f"{_ALIASES} AND (a.name <> e.name OR a.entity_id IN (SELECT value FROM json_each(:others)))", bindings
    )
    traits = _by_entity(db, _TRAITS, bindings)
    found = {}
    for row, uuid, group, name, created_at in db.execute(
        "SELECT e.id, e.uuid, g.name, e.name, e.created_at FROM entities e JOIN groups g ON g.id = e.group_id"
        " WHERE e.id IN (SELECT value FROM json_each(?)) ORDER BY e.id",
        (in_list(wanted),),
    ):
        aliases = dict.fromkeys(alias for *_, alias in _joined(parts[row], names) if alias != name)
        kind, attributes = _told(_joined(parts[row], traits))
        texts(uuid, group, name, *aliases, kind)
        found[row] = Entity(uuid, group, name, tuple(aliases), to_datetime(created_at), kind, attributes)
    return found


_ALIASES = (
    "SELECT a.entity_id, a.created_at, a.id, a.name FROM aliases a JOIN entities e ON e.id = a.entity_id"
    f" WHERE a.entity_id IN (SELECT value FROM json_each(:ids)) AND {believed('a', 'alias')}"
)
_TRAITS = (
    "SELECT a.entity_id, a.created_at, a.id, a.type, a.attributes FROM traits a"
    f" WHERE a.entity_id IN (SELECT value FROM json_each(:ids)) AND {believed('a', 'trait')}"
)


def _by_entity(db: apsw.Connection, query: str, bindings: Mapping[str, Any]) -> dict[int, list[Sequence[Any]]]:
    """The rest of each row by its first column, an entity."""
    found: dict[int, list[Sequence[Any]]] = defaultdict(list)
    for entity, *row in db.execute(query, bindings):
        found[entity].append(row)
    return found


def _joined(parts: Sequence[int], rows: Mapping[int, list[Sequence[Any]]]) -> list[Sequence[Any]]:
    """The rows of all parts of an entity, in recorded order."""
    found = [row for part in parts if part in rows for row in rows[part]]
    return sorted(found, key=lambda row: (int(row[0]), int(row[1]))) if len(found) > 1 else found


def _told(traits: Iterable[Sequence[Any]]) -> tuple[str | None, dict[str, Any]]:
    """What kind of thing it is, and its attributes; what was told later counts."""
    kind: str | None = None
    attributes: dict[str, Any] = {}
    for _, _, told, more in traits:
        kind = told or kind
        attributes |= json.loads(more)
    return kind, attributes


def uuids_of(db: apsw.Connection, ids: Iterable[int]) -> dict[int, str]:
    """The uuids of entities, by row."""
    found = dict(db.execute("SELECT id, uuid FROM entities WHERE id IN (SELECT value FROM json_each(?))", (in_list(ids),)))
    texts(*found.values())
    return found


def stored_as(db: apsw.Connection, group: int, name: str, known_at: int = EVERYTHING) -> list[int]:
    """The row of a group that has this uuid, else those that go by this name, as believed then, whatever they are part of."""
    bindings = {"g": group, "n": name, "k": name_key(name), "s": known_at}
    by_uuid = "SELECT id FROM entities WHERE uuid = :n AND group_id = :g AND created_at <= :s"
    by_name = "SELECT DISTINCT entity_id FROM aliases a WHERE a.group_id = :g AND a.key = :k AND {} ORDER BY entity_id"
    found = [row for (row,) in db.execute(by_uuid, bindings)]
    return found or [row for (row,) in db.execute(by_name.format(believed("a", "alias")), bindings)]


def entity_ids(db: apsw.Connection, group: int, key: str, known_at: int) -> list[int]:
    """The rows of the entities that go by a name (given as its key) in a group, as believed then."""
    rows = [
        row
        for (row,) in db.execute(
            "SELECT DISTINCT a.entity_id FROM aliases a WHERE a.group_id = :g AND a.key = :k"
            f" AND {believed('a', 'alias')} ORDER BY a.entity_id",
            {"g": group, "k": key, "s": known_at},
        )
    ]
    who = Identity(db, known_at)
    who.load(rows)
    return sorted({who.of(row) for row in rows})


def names_of(db: apsw.Connection, ids: Sequence[int]) -> dict[int, list[str]]:
    """The names that entities go by now, in the order they were given. One that is merged into another is that other one."""
    who = Identity(db)
    who.load(ids)
    parts = {entity: who.members(entity) for entity in dict.fromkeys(who.of(row) for row in ids)}
    bindings = {"ids": in_list(part for members in parts.values() for part in members), "s": EVERYTHING}
    names = _by_entity(db, _ALIASES, bindings)
    return {entity: [name for *_, name in _joined(members, names)] for entity, members in parts.items()}


def last_speaker(db: apsw.Connection, ids: Sequence[int]) -> int:
    """Of these entities the one that spoke last, else the first of them."""
    who = Identity(db)
    who.load(ids)
    found: int | None = db.execute(
        "SELECT m.entity_id FROM mentions m JOIN episodes e ON e.id = m.episode_id WHERE m.span_start = 0 AND m.span_end = 0"
        " AND m.entity_id IN (SELECT value FROM json_each(?)) ORDER BY e.reference_time DESC, e.id DESC LIMIT 1",
        (in_list(member for row in ids for member in who.members(row)),),
    ).get
    return ids[0] if found is None else who.of(found)


def entity_named(db: apsw.Connection, group: int, name: str, known_at: int = EVERYTHING) -> int | None:
    """The row of the one entity of a group with this name, as believed then. AmbiguousName lists several."""
    rows = entity_ids(db, group, name_key(name), known_at)
    if len(rows) > 1:
        raise ambiguous(db, repr(name), rows, known_at)
    return rows[0] if rows else None


def ambiguous(db: apsw.Connection, name: str, rows: Iterable[int], known_at: int = EVERYTHING) -> AmbiguousName:
    """The error that a name fits all of these."""
    listed = ", ".join(f"{entity.name} ({entity.uuid})" for entity in entities(db, rows, known_at).values())
    return AmbiguousName(f"{name} fits several entities: {listed}; give the uuid of the one you mean")


def entity_by_uuid(db: apsw.Connection, groups: Sequence[int], uuid: str, known_at: int = EVERYTHING) -> int | None:
    """The row of the entity with this uuid, or of the one it is part of, if it is in one of these groups and existed then."""
    found: int | None = db.execute(
        "SELECT id FROM entities WHERE uuid = ? AND group_id IN (SELECT value FROM json_each(?)) AND created_at <= ?",
        (uuid, in_list(groups), known_at),
    ).get
    return None if found is None else Identity(db, known_at).of(found)


_EPISODE = (
    "SELECT e.id, e.uuid, g.name, e.source, e.content, e.reference_time, e.reference_offset, e.created_at, e.state, e.name,"
    " e.description, e.speaker, e.metadata, e.error, e.expired_at FROM episodes e JOIN groups g ON g.id = e.group_id "
)


def _episode(row: Sequence[Any]) -> tuple[int, Episode]:
    _, uuid, group, source, content, reference, offset, created, state, name, description, speaker, metadata, *last = row
    error, expired = last
    texts(uuid, group, source, content, state, name, description, speaker, error)
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
        expired_at=None if expired is None else to_datetime(expired),
    )


def episode(db: apsw.Connection, uuid: str) -> tuple[int, Episode] | None:
    """One episode and its row, by uuid."""
    row = db.execute(_EPISODE + "WHERE e.uuid = ?", (uuid,)).get
    return None if row is None else _episode(row)


def episodes(db: apsw.Connection, ids: Iterable[int], known_at: int = EVERYTHING) -> dict[int, Episode]:
    """Episodes by row. One that was taken back after `known_at` does not show that."""
    query = _EPISODE + "WHERE e.id IN (SELECT value FROM json_each(?))"
    rows = db.execute(query, (in_list(ids),))
    return dict(_episode(_as_of(row, known_at)) for row in rows)


def _as_of(row: Sequence[Any], known_at: int) -> Sequence[Any]:
    return row if row[-1] is None or row[-1] <= known_at else (*row[:-1], None)


def told_at(db: apsw.Connection, ids: Iterable[int]) -> dict[int, int]:
    """When episodes were told, by row, in microseconds."""
    query = "SELECT id, reference_time FROM episodes WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id"
    return dict(db.execute(query, (in_list(ids),)))


def earlier(db: apsw.Connection, episode_id: int, limit: int) -> list[tuple[int, Episode]]:
    """The last episodes of the same conversation (group and name) that were stored and told before this one, oldest first.

    What was taken back is left out.
    """
    rows = db.execute(
        _EPISODE + "JOIN episodes o ON o.id = :id WHERE e.group_id = o.group_id AND e.name IS o.name AND e.id < o.id"
        " AND e.reference_time <= o.reference_time AND e.source <> 'json' AND e.expired_at IS NULL"
        " ORDER BY e.reference_time DESC, e.id DESC LIMIT :n",
        {"id": episode_id, "n": limit},
    )
    return [_episode(row) for row in rows][::-1]


def settings(db: apsw.Connection, episode_id: int) -> dict[str, Any]:
    """What an episode's extraction is asked with."""
    kept: dict[str, Any] = json.loads(str(db.execute("SELECT settings FROM episodes WHERE id = ?", (episode_id,)).get))
    return kept


def described_by(db: apsw.Connection, ids: Iterable[int]) -> list[int]:
    """The episodes (rows) that gave these entities a name, a type or attributes, or were the first to name them."""
    who = Identity(db)
    wanted = list(ids)
    who.load(wanted)
    bindings = {"ids": in_list(sorted({member for row in wanted for member in who.members(row)}))}
    of = "entity_id IN (SELECT value FROM json_each(:ids))"
    return [
        row
        for (row,) in db.execute(
            f"SELECT episode_id FROM aliases WHERE {of} AND episode_id IS NOT NULL"
            f" UNION SELECT episode_id FROM traits WHERE {of} AND episode_id IS NOT NULL"
            f" UNION SELECT min(episode_id) FROM mentions WHERE {of} GROUP BY entity_id ORDER BY 1",
            bindings,
        )
    ]


def state(db: apsw.Connection) -> tuple[int | None, ...]:
    """What a plan depends on, in short: another one means that something was told or named since."""
    found: tuple[int | None, ...] = db.execute(
        "SELECT (SELECT max(id) FROM transactions), (SELECT max(id) FROM entities), (SELECT max(id) FROM aliases)"
    ).get
    return found


def wants_extraction(db: apsw.Connection, episode_id: int) -> bool:
    """Whether facts are to be looked for in an episode."""
    return bool(db.execute("SELECT extract FROM episodes WHERE id = ?", (episode_id,)).get)


def waiting(db: apsw.Connection, groups: Sequence[int]) -> list[int]:
    """The rows of the episodes of these groups that are pending or failed, in the order they were stored."""
    query = (
        "SELECT id FROM episodes WHERE group_id IN (SELECT value FROM json_each(?)) AND state <> 'done' AND expired_at IS NULL"
        " ORDER BY id"
    )
    return [row for (row,) in db.execute(query, (in_list(groups),))]


def list_episodes(
    db: apsw.Connection,
    groups: Sequence[int],
    *,
    known_at: int,
    name: str | None,
    state: str | None,
    taken_back: bool,
    limit: int,
    offset: int,
) -> list[Episode]:
    """Episodes stored by `known_at`, newest reference time first, a total order. taken_back: also those taken back by then."""
    there = "e.created_at <= :s" if taken_back else believed("e", "episode")
    named = "" if name is None else " AND unlikely(e.name = :name)"  # so that its index is used
    rows = db.execute(
        _EPISODE + f"WHERE e.group_id IN (SELECT value FROM json_each(:g)) AND {there}{named}"
        " AND (:state IS NULL OR e.state = :state) ORDER BY e.reference_time DESC, e.id DESC LIMIT :limit OFFSET :offset",
        {"g": in_list(groups), "s": known_at, "name": name, "state": state, "limit": limit, "offset": offset},
    )
    return [_episode(_as_of(row, known_at))[1] for row in rows]


def named_in(db: apsw.Connection, ids: Iterable[int]) -> list[int]:
    """The rows of the entities that these episodes name or are spoken by."""
    query = "SELECT DISTINCT entity_id FROM mentions WHERE episode_id IN (SELECT value FROM json_each(?)) ORDER BY 1"
    return [row for (row,) in db.execute(query, (in_list(ids),))]


def naming(db: apsw.Connection, entities: Iterable[int]) -> list[int]:
    """The episodes (rows) that name one of these entities, are spoken by it, describe it, or state or end a fact of it."""
    of = "IN (SELECT value FROM json_each(?1))"
    query = (
        f"SELECT episode_id FROM mentions WHERE entity_id {of}"
        f" UNION SELECT episode_id FROM aliases WHERE entity_id {of}"
        f" UNION SELECT episode_id FROM traits WHERE entity_id {of}"
        f" UNION SELECT episode_id FROM claims WHERE source_id {of} OR target_id {of}"
        f" UNION SELECT c.episode_id FROM moves m JOIN claims c ON c.id = m.claim_id WHERE m.entity_id {of}"
    )
    return sorted(row for (row,) in db.execute(query, (in_list(entities),)) if row is not None)


def episode_ids(db: apsw.Connection, uuids: Iterable[str]) -> dict[str, tuple[int, int]]:
    """For each of these uuids that an episode has: its row and that of its group."""
    query = "SELECT uuid, id, group_id FROM episodes WHERE uuid IN (SELECT value FROM json_each(?))"
    return {uuid: (row, group) for uuid, row, group in db.execute(query, (in_list(uuids),))}


def done(db: apsw.Connection, uuids: Iterable[str]) -> set[str]:
    """Those of these uuids that an episode has which was read."""
    query = "SELECT uuid FROM episodes WHERE state = 'done' AND uuid IN (SELECT value FROM json_each(?))"
    return {uuid for (uuid,) in db.execute(query, (in_list(uuids),))}


def number_of_entities(db: apsw.Connection, group_id: int) -> int:
    """How many entities a group has, those that are part of another included."""
    count: int = db.execute("SELECT count(*) FROM entities WHERE group_id = ?", (group_id,)).get
    return count


def rows_of(db: apsw.Connection, group_id: int) -> dict[str, list[int]]:
    """The rows of a group that are in the full text: of episodes, claims and names."""
    tables = {"episodes": "episodes", "claims": "claims", "names": "aliases"}
    return {
        what: [row for (row,) in db.execute(f"SELECT id FROM {table} WHERE group_id = ? ORDER BY id", (group_id,))]
        for what, table in tables.items()
    }
