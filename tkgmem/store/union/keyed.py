"""Episodes, entities and claims come in by their uuid.

One that two files use for two different things goes to one of them by their content, the same in either order; the other gets
a new uuid made of both, so nothing is lost and a repeat finds it again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import apsw

from tkgmem.store.ids import make_uuid
from tkgmem.store.records import Record
from tkgmem.store.union import gaps
from tkgmem.store.union.coming import TABLES, Coming, Kind, inside

Content = tuple[Any, ...]
_STATES = ("pending", "failed", "done")


def _settle(
    coming: Coming, kind: Kind, uuid: str, content: Content, read: Callable[[str], tuple[int, Content] | None]
) -> tuple[int | None, str]:
    """The row that is the same thing, None if there is none; and the uuid that it has or is to get."""
    there = read(uuid)
    if there is None or there[1] == content or coming.by_uuid or (kind == "claim" and _is_part(there[1], content)):
        return (None if there is None else there[0]), uuid
    own = make_uuid(kind, uuid, content)
    again = read(own)
    if again is not None:
        return again[0], own
    if _canonical(there[1]) < _canonical(content):
        coming.dispute(kind, uuid, f"is two different things; one of them is {own} from now on")
        return None, own
    other = make_uuid(kind, uuid, there[1])
    coming.dispute(kind, uuid, f"is two different things; one of them is {other} from now on")
    coming.db.execute(f"UPDATE {TABLES[kind]} SET uuid = ? WHERE id = ?", (other, there[0]))
    return None, uuid


def _is_part(one: Content, other: Content) -> bool:
    """Whether two claims are one, of which one side knows the triple and the dates only, as from a share without texts."""
    bare = [content for content in (one, other) if not any(content[place] for place in _TOLD_BY_TEXTS) and content[-1] == "{}"]
    return bool(bare) and all(one[place] == other[place] for place in range(len(one) - 1) if place not in _TOLD_BY_TEXTS)


def _canonical(content: Content) -> str:
    return json.dumps(content, ensure_ascii=False, sort_keys=True)


def _json(value: object) -> str:
    return json.dumps(value or {}, ensure_ascii=False, sort_keys=True)


# --- episodes ---


def episode(coming: Coming, record: Record) -> None:
    """A text: new, or known; of two states the one that got further counts."""
    db, group = coming.db, coming.group(record["group"])
    parts = ("group", "source", "name", "description", "speaker", "content")
    content = (
        *map(record.get, parts),
        _json(record.get("metadata")),
        record["reference_time"],
        record.get("reference_offset", 0),
    )
    row, uuid = _settle(coming, "episode", record["uuid"], content, lambda uuid: _episode(db, uuid))
    state, extract = record.get("state", "pending"), int(record.get("extract", True))
    if row is None:
        db.execute(
            "INSERT INTO episodes (group_id, source, name, description, speaker, content, metadata, reference_time,"
            " reference_offset, uuid, extract, created_at, expired_at, state, error, settings)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                group,
                *content[1:],
                uuid,
                extract,
                record["created_at"],
                record.get("expired_at"),
                state,
                record.get("error"),
                _json(record.get("settings")),
            ),
        )
        row = db.last_insert_rowid()
        coming.episodes.fresh[row] = None
        gaps.take(coming, "episode", row, record)
    else:
        _episode_again(coming, row, record, state, extract)
    coming.episodes.rows[record["uuid"]] = row
    coming.episodes.groups[row] = group


def _episode(db: apsw.Connection, uuid: str) -> tuple[int, Content] | None:
    found = db.execute(
        "SELECT e.id, g.name, e.source, e.name, e.description, e.speaker, e.content, e.metadata, e.reference_time,"
        " e.reference_offset FROM episodes e JOIN groups g ON g.id = e.group_id WHERE e.uuid = ?",
        (uuid,),
    ).get
    return None if found is None else (found[0], (*found[1:7], _json(json.loads(found[7])), *found[8:]))


def _episode_again(coming: Coming, row: int, record: Record, state: str, extract: int) -> None:
    query = "SELECT created_at, expired_at, state, extract FROM episodes WHERE id = ?"
    created_at, expired_at, own, wanted = coming.db.execute(query, (row,)).get
    more = gaps.take(coming, "episode", row, record)
    ended = gaps.end(coming, "episode", row, expired_at, record.get("expired_at"))
    if more or ended != expired_at:
        coming.turn("episode", row, expired_at, ended)
        coming.db.execute("UPDATE episodes SET expired_at = ? WHERE id = ?", (ended, row))
        coming.changed += 1
    if record["created_at"] < created_at:
        coming.db.execute("UPDATE episodes SET created_at = ? WHERE id = ?", (record["created_at"], row))
        coming.changed += 1
    if (extract, _STATES.index(state)) > (wanted, _STATES.index(own)):  # where facts were looked for, or are to be
        values = (state, record.get("error"), extract, row)
        coming.db.execute("UPDATE episodes SET state = ?, error = ?, extract = ? WHERE id = ?", values)
        coming.changed += 1
        if own == "pending" and state != "pending":
            coming.episodes.fresh[row] = None  # it is not searchable yet


# --- entities ---


def entity(coming: Coming, record: Record) -> None:
    """An entity: new, or known; it exists from the earlier of the two instants, by the name it had then."""
    db, group = coming.db, coming.group(record["group"])
    found = db.execute("SELECT id, group_id, name, created_at FROM entities WHERE uuid = ?", (record["uuid"],)).get
    if found is None:
        values = (record["uuid"], group, record["name"], record["created_at"])
        db.execute("INSERT INTO entities (uuid, group_id, name, created_at) VALUES (?, ?, ?, ?)", values)
        row = db.last_insert_rowid()
        coming.entities.fresh[row] = None
    else:
        row, of, name, created_at = found
        if of != group:
            raise ValueError(f"the entity {record['uuid']!r} is of the group {record['group']!r} there and of another one here")
        first = min((created_at, name), (record["created_at"], record["name"]))
        if first != (created_at, name):
            db.execute("UPDATE entities SET created_at = ?, name = ? WHERE id = ?", (*first, row))
            coming.changed += 1
    coming.entities.rows[record["uuid"]] = row
    coming.entities.groups[row] = group


# --- claims ---

_CLAIM = (
    "SELECT c.id, g.name, c.kind, s.uuid, c.relation, t.uuid, c.fact, c.valid_at, c.invalid_at, c.valid_precision,"
    " c.invalid_precision, c.reference_time, e.uuid, c.attributes FROM claims c JOIN groups g ON g.id = c.group_id"
    " JOIN entities s ON s.id = c.source_id JOIN entities t ON t.id = c.target_id"
    " LEFT JOIN episodes e ON e.id = c.episode_id WHERE c.uuid = ?"
)
_PARTS = (
    "group", "kind", "source", "relation", "target", "fact", "valid_at", "invalid_at", "valid_precision", "invalid_precision",
    "reference_time", "episode",
)  # fmt: skip


_TOLD_BY_TEXTS = (_PARTS.index("fact"), _PARTS.index("episode"))


def claim(coming: Coming, record: Record) -> None:
    """A claim: new, or known; it is believed from the earlier instant on, until either side took it back."""
    db, group = coming.db, coming.group(record["group"])
    source, target = (coming.row("entity", record[end], group) for end in ("source", "target"))
    told = coming.optional("episode", record.get("episode"), group)
    if record.get("span") is not None and (told is None or not inside(db, told, record["span"])):
        raise ValueError(f"the claim {record['uuid']!r} is at {record['span']}, outside of its episode's text")
    content = (*map(record.get, _PARTS), _json(record.get("attributes")))
    row, uuid = _settle(coming, "claim", record["uuid"], content, lambda uuid: _claim(db, uuid))
    if row is None:
        row = _insert_claim(coming, record, uuid, (group, source, target, told))
    else:
        _claim_again(coming, row, record, group)
        _fill(coming, row, record, told)
    coming.claims.rows[record["uuid"]] = row
    coming.claims.groups[row] = group


def _claim(db: apsw.Connection, uuid: str) -> tuple[int, Content] | None:
    found = db.execute(_CLAIM, (uuid,)).get
    return None if found is None else (found[0], (*found[1:13], _json(json.loads(found[13]))))


def _insert_claim(coming: Coming, record: Record, uuid: str, rows: tuple[int, int, int, int | None]) -> int:
    group, source, target, told = rows
    span: Sequence[int | None] = record.get("span") or (None, None)
    coming.db.execute(
        "INSERT INTO claims (uuid, group_id, kind, source_id, relation, target_id, fact, lead, valid_at, invalid_at,"
        " valid_precision, invalid_precision, reference_time, episode_id, span_start, span_end, attributes, made_by, position,"
        " created_at, expired_at, expired_by_episode_id)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            uuid, group, record["kind"], source, record["relation"], target,
            *map(record.get, ("fact", "lead", "valid_at", "invalid_at", "valid_precision", "invalid_precision")),
            record.get("reference_time"), told, *span, _json(record.get("attributes")), record.get("made_by", "user"),
            record.get("position", 0), record["created_at"], record.get("expired_at"),
            coming.optional("episode", record.get("expired_by"), group),
        ),
    )  # fmt: skip
    row = coming.db.last_insert_rowid()
    gaps.take(coming, "claim", row, record)
    coming.claims.fresh[row] = None
    coming.seeds.add(row)
    return row


def _claim_again(coming: Coming, row: int, record: Record, group: int) -> None:
    query = "SELECT created_at, position, expired_at FROM claims WHERE id = ?"
    created_at, position, expired_at = coming.db.execute(query, (row,)).get
    first = min((created_at, position), (record["created_at"], record.get("position", 0)))
    more = gaps.take(coming, "claim", row, record)
    ended = gaps.end(coming, "claim", row, expired_at, record.get("expired_at"))
    if None not in {expired_at, ended} and record.get("expired_at") not in {None, expired_at}:
        coming.dispute("claim", record["uuid"], "was taken back at two different times; the earlier counts")
    if first == (created_at, position) and ended == expired_at and not more:
        return
    coming.turn("claim", row, expired_at, ended)
    coming.db.execute("UPDATE claims SET created_at = ?, position = ?, expired_at = ? WHERE id = ?", (*first, ended, row))
    if ended != expired_at:
        closer = coming.optional("episode", record.get("expired_by"), group)
        coming.db.execute("UPDATE claims SET expired_by_episode_id = ?, replaced_by_id = NULL WHERE id = ?", (closer, row))
    coming.changed += 1
    coming.seeds.add(row)


def _fill(coming: Coming, row: int, record: Record, told: int | None) -> None:
    """Give a claim that is known by its triple and dates only the words that the other side has."""
    attributes = _json(record.get("attributes"))
    if record.get("fact") is None and told is None and attributes == "{}":
        return
    bare = "SELECT EXISTS (SELECT 1 FROM claims WHERE id = ? AND fact IS NULL AND episode_id IS NULL AND attributes = '{}')"
    if not coming.db.execute(bare, (row,)).get:
        return
    span: Sequence[int | None] = record.get("span") or (None, None)
    coming.db.execute(
        "UPDATE claims SET fact = ?, lead = ?, episode_id = ?, span_start = ?, span_end = ?, attributes = ? WHERE id = ?",
        (record.get("fact"), record.get("lead"), told, *span, attributes, row),
    )
    coming.claims.filled[row] = None
    coming.seeds.add(row)
    coming.changed += 1


def replaced(coming: Coming, record: Record) -> None:
    """Once all claims are there: let a claim that was corrected address the one in its place."""
    row, wanted = coming.claims.rows[record["uuid"]], record["replaced_by"]
    new = coming.row("claim", wanted, coming.claims.groups[row])
    expired_at, kept = coming.db.execute("SELECT expired_at, replaced_by_id FROM claims WHERE id = ?", (row,)).get
    if expired_at != record.get("expired_at") or kept == new:
        return
    query = (
        "SELECT n.created_at >= max(c.created_at, min(c.expired_at, coalesce((SELECT min(created_at) FROM gaps"
        " WHERE claim_id = c.id), c.expired_at))) FROM claims c, claims n WHERE c.id = ? AND n.id = ?"
    )
    if not coming.db.execute(query, (row, new)).get:  # its first end: one that was undone may have come back since
        raise ValueError(f"the claim {record['uuid']!r} is replaced by {wanted!r}, which is not recorded when it ends or later")
    if kept is not None:
        coming.dispute("claim", record["uuid"], "was corrected in two ways at one instant")
        query = "SELECT id FROM claims WHERE id IN (?, ?) ORDER BY uuid LIMIT 1"
        new = coming.db.execute(query, (kept, new)).get
    coming.db.execute("UPDATE claims SET replaced_by_id = ? WHERE id = ?", (new, row))
