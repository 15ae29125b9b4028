"""Names, traits, mentions, judged conflicts, merges, moves, ticks and model calls: rows without a uuid, the same where all that
they say and their first instant are the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

from tkgmem.store import lexical
from tkgmem.store.clocks import Told
from tkgmem.store.gaps import TABLES
from tkgmem.store.names import name_key
from tkgmem.store.records import Record
from tkgmem.store.union import gaps
from tkgmem.store.union.coming import Coming, inside

Outcome = Literal["new", "changed", "same"]


def _put(coming: Coming, told: Told, record: Record, key: Mapping[str, Any]) -> tuple[int, Outcome]:
    """The row that says this from this instant on, made if there is none; of two ends the earlier counts.

    What both sides believe now is one row, from the earlier instant on.
    """
    table = TABLES[told]
    values = {**key, "created_at": record["created_at"]}
    same = " AND ".join(f"{column} IS :{column}" for column in values)
    found = coming.db.execute(f"SELECT id, expired_at FROM {table} WHERE {same} ORDER BY id LIMIT 1", values).get
    if found is None:
        if (known := _believed(coming, told, record, key)) is not None:
            return known
        values["expired_at"] = record.get("expired_at")
        coming.changed += not coming.is_fresh(key)
        names = [*values]
        coming.db.execute(f"INSERT INTO {table} ({', '.join(names)}) VALUES (:{', :'.join(names)})", values)
        row = coming.db.last_insert_rowid()
        gaps.take(coming, told, row, record)
        return row, "new"
    row, expired_at = found
    more = gaps.take(coming, told, row, record)
    ended = gaps.end(coming, told, row, expired_at, record.get("expired_at"))
    if ended == expired_at and not more:
        return row, "same"
    coming.turn(told, row, expired_at, ended)
    coming.db.execute(f"UPDATE {table} SET expired_at = ? WHERE id = ?", (ended, row))
    coming.changed += 1
    return row, "changed"


def _believed(coming: Coming, told: Told, record: Record, key: Mapping[str, Any]) -> tuple[int, Outcome] | None:
    """The row that says what a record says, where both are believed now: it is from the earlier of the two instants."""
    table, same = TABLES[told], " AND ".join(f"{column} IS :{column}" for column in key)
    query = f"SELECT id, created_at FROM {table} WHERE {same} AND expired_at IS NULL ORDER BY id LIMIT 1"
    found = None if record.get("expired_at") is not None else coming.db.execute(query, dict(key)).get
    if found is None:
        return None
    row, created_at = found
    more = gaps.take(coming, told, row, record)
    if created_at <= record["created_at"] and not more:
        return row, "same"
    coming.db.execute(f"UPDATE {table} SET created_at = ? WHERE id = ?", (min(created_at, record["created_at"]), row))
    coming.changed += 1
    return row, "changed"


def alias(coming: Coming, record: Record) -> tuple[int, Outcome]:
    """A name of an entity, which is searchable at once."""
    entity = coming.row("entity", record["entity"])
    group, name = coming.entities.groups[entity], record["name"]
    told = coming.optional("episode", record.get("episode"), group)
    key = {"entity_id": entity, "group_id": group, "name": name, "key": name_key(name), "episode_id": told}
    row, outcome = _put(coming, "alias", record, key)
    if outcome == "new":
        lexical.index_alias(coming.db, row, name)
    return row, outcome


def trait(coming: Coming, record: Record) -> None:
    """What kind of thing an entity is, and its attributes."""
    entity = coming.row("entity", record["entity"])
    told = coming.optional("episode", record.get("episode"), coming.entities.groups[entity])
    attributes = json.dumps(record.get("attributes", {}), ensure_ascii=False, sort_keys=True)
    key = {"entity_id": entity, "episode_id": told, "type": record.get("kind"), "attributes": attributes}
    _put(coming, "trait", record, key)


def mention(coming: Coming, record: Record) -> None:
    """Where an episode names an entity."""
    entity = coming.row("entity", record["entity"])
    told = coming.row("episode", record["episode"], coming.entities.groups[entity])
    span = tuple(record["span"])
    if span not in {(0, 0), (-1, -1)} and not inside(coming.db, told, span):
        raise ValueError(f"a mention of the entity {record['entity']!r} is at {span}, outside of its episode's text")
    coming.db.execute(
        "INSERT INTO mentions (entity_id, episode_id, span_start, span_end, created_at) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET created_at = excluded.created_at WHERE excluded.created_at < created_at",
        (entity, told, *span, record["created_at"]),
    )


def conflict(coming: Coming, record: Record) -> None:
    """A judged conflict between two claims."""
    one = coming.row("claim", record["claim"])
    group = coming.claims.groups[one]
    other = coming.row("claim", record["other"], group)
    told = coming.optional("episode", record.get("episode"), group)
    _, outcome = _put(coming, "conflict", record, {"claim_id": one, "other_id": other, "episode_id": told})
    if outcome != "same":
        coming.seeds |= {one, other}


def merge(coming: Coming, record: Record) -> None:
    """That one entity is another."""
    one = coming.row("entity", record["entity"])
    group = coming.entities.groups[one]
    other = coming.row("entity", record["into"], group)
    if one == other:
        raise ValueError(f"the entity {record['entity']!r} cannot be merged into itself")
    told = coming.optional("episode", record.get("episode"), group)
    _, outcome = _put(coming, "merge", record, {"group_id": group, "entity_id": one, "into_id": other, "episode_id": told})
    if outcome != "same":
        coming.touched |= {one, other}


def move(coming: Coming, record: Record) -> None:
    """That one end of a claim is another entity: until the next move of that end."""
    claim = coming.row("claim", record["claim"])
    entity = coming.row("entity", record["entity"], coming.claims.groups[claim])
    key = {"claim_id": claim, "end": record["end"], "entity_id": entity}
    _, outcome = _put(coming, "move", record, key)
    if outcome == "same":
        return
    coming.seeds.add(claim)
    coming.db.execute(
        "UPDATE moves AS m SET expired_at = n.next FROM (SELECT id, lead(created_at) OVER (ORDER BY created_at, id) AS next"
        " FROM moves WHERE claim_id = :claim_id AND end = :end) n WHERE n.id = m.id AND n.next > m.created_at"
        " AND (m.expired_at IS NULL OR m.expired_at > n.next)"
        " AND NOT EXISTS (SELECT 1 FROM gaps x WHERE x.move_id = m.id AND x.created_at = n.next)",
        key,
    )


def transaction(coming: Coming, record: Record) -> None:
    """A tick. Two files may have ticked at one instant. One that says nothing of why is not needed beside another."""
    if record.get("reason") is None and record.get("episode") is None and record["verb"] in {"define", "import"}:
        known = "SELECT EXISTS (SELECT 1 FROM transactions WHERE created_at = ?)"
        if coming.db.execute(known, (record["created_at"],)).get:
            return
    group = None if record.get("group") is None else coming.group(record["group"])
    told = coming.optional("episode", record.get("episode"))
    coming.db.execute(
        "INSERT INTO transactions (created_at, verb, group_id, episode_id, reason) SELECT :at, :verb, :group, :told, :reason"
        " WHERE NOT EXISTS (SELECT 1 FROM transactions WHERE created_at = :at AND verb = :verb AND group_id IS :group"
        " AND episode_id IS :told AND reason IS :reason)",
        {"at": record["created_at"], "verb": record["verb"], "group": group, "told": told, "reason": record.get("reason")},
    )


def model_call(coming: Coming, record: Record) -> None:
    """A question that was put to a model, with the answer."""
    columns = ("key", "purpose", "model", "request", "response", "created_at")
    values = {column: record[column] for column in columns} | {"episode_id": coming.row("episode", record["episode"])}
    same = " AND ".join(f"{column} = :{column}" for column in values)
    if coming.db.execute(f"SELECT EXISTS (SELECT 1 FROM model_calls WHERE {same})", values).get:
        return
    values |= {"usable": int(record["usable"]), "cost": record.get("cost")}
    values |= {column: record.get(column, 0) for column in ("prompt_tokens", "completion_tokens")}
    names = [*values]
    coming.db.execute(f"INSERT INTO model_calls ({', '.join(names)}) VALUES (:{', :'.join(names)})", values)
    call = coming.db.last_insert_rowid()
    quoted = sorted({coming.row("episode", uuid) for uuid in record.get("quotes", ())})
    insert = "INSERT INTO model_call_quotes (call_id, episode_id) VALUES (?, ?)"
    coming.db.executemany(insert, [(call, episode) for episode in quoted])
