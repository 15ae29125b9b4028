"""Rows of the graph other than claims: groups, ticks, episodes, entities, mentions, and what `forget` deletes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import apsw

from tkgmem.graph import EpisodeState
from tkgmem.store.names import name_key, searchable
from tkgmem.store.rows import in_list


def group(db: apsw.Connection, name: str) -> int:
    """The row of a group, made if it is new."""
    row: int | None = db.execute("SELECT id FROM groups WHERE name = ?", (name,)).get
    if row is None:  # not ON CONFLICT: an insert that does nothing still takes an id, which is a write
        db.execute("INSERT INTO groups (name) VALUES (?)", (name,))
        row = db.last_insert_rowid()
    return row


def now(db: apsw.Connection, clock: int) -> int:
    """The system time without a tick: the clock's, never before the last tick."""
    last: int | None = db.execute("SELECT max(created_at) FROM transactions").get
    return clock if last is None else max(clock, last)


def tick(
    db: apsw.Connection,
    clock: int,
    verb: str,
    *,
    group_id: int | None = None,
    episode_id: int | None = None,
    reason: str | None = None,
) -> int:
    """The instant of a change of belief: the clock's time, nudged to stay later than every tick before."""
    last = db.execute("SELECT max(created_at) FROM transactions").get
    at = clock if last is None else max(clock, last + 1)
    db.execute(
        "INSERT INTO transactions (created_at, verb, group_id, episode_id, reason) VALUES (?, ?, ?, ?, ?)",
        (at, verb, group_id, episode_id, reason),
    )
    return at


def set_detail(db: apsw.Connection, at: int, detail: Mapping[str, Any]) -> int:
    """Keep counts, and whatever else undoing it takes, with the last change of belief, which was at `at`; its number."""
    number: int = db.execute("SELECT max(id) FROM transactions WHERE created_at = ?", (at,)).get
    db.execute("UPDATE transactions SET detail = ? WHERE id = ?", (json.dumps(detail, ensure_ascii=False), number))
    return number


def insert_episode(db: apsw.Connection, row: Mapping[str, Any]) -> int:
    """Store a raw episode as pending; `row` has the columns of `episodes` by name."""
    columns = [*row]
    db.execute(
        f"INSERT INTO episodes ({', '.join(columns)}, state) VALUES (:{', :'.join(columns)}, 'pending')",
        {**row, "metadata": json.dumps(row["metadata"], ensure_ascii=False, sort_keys=True)},
    )
    return db.last_insert_rowid()


def set_settings(db: apsw.Connection, episode_id: int, settings: Mapping[str, Any]) -> None:
    """Keep what an episode's extraction is asked with."""
    text = json.dumps(settings, ensure_ascii=False, sort_keys=True)
    db.execute("UPDATE episodes SET settings = ? WHERE id = ? AND settings <> ?", (text, episode_id, text))


def set_state(db: apsw.Connection, episode_id: int, state: EpisodeState, error: str | None = None) -> None:
    """Mark an episode. error: the reason; what could not be stored in it is replaced."""
    reason = None if error is None else searchable(error)
    db.execute("UPDATE episodes SET state = ?, error = ? WHERE id = ?", (state, reason, episode_id))


def is_there(db: apsw.Connection, episode_id: int) -> bool:
    """Whether an episode is in the file."""
    return bool(db.execute("SELECT EXISTS (SELECT 1 FROM episodes WHERE id = ?)", (episode_id,)).get)


def unfinished(db: apsw.Connection, episode_id: int) -> bool:
    """Whether an episode waits to be worked on, now or again; not if it was taken back."""
    return bool(db.execute("SELECT state <> 'done' AND expired_at IS NULL FROM episodes WHERE id = ?", (episode_id,)).get)


def insert_entity(db: apsw.Connection, *, uuid: str, group_id: int, name: str, at: int) -> int:
    """Make an entity that goes by one name."""
    db.execute("INSERT INTO entities (uuid, group_id, name, created_at) VALUES (?, ?, ?, ?)", (uuid, group_id, name, at))
    row = db.last_insert_rowid()
    db.execute(
        "INSERT INTO aliases (entity_id, group_id, name, key, created_at) VALUES (?, ?, ?, ?, ?)",
        (row, group_id, name, name_key(name), at),
    )
    return row


def insert_name(db: apsw.Connection, *, uuid: str, group_id: int, name: str, at: int) -> int:
    """Make an entity that stands for a name only: nobody goes by it, so it is found by no name."""
    db.execute("INSERT INTO entities (uuid, group_id, name, created_at) VALUES (?, ?, ?, ?)", (uuid, group_id, name, at))
    return db.last_insert_rowid()


def last_entity(db: apsw.Connection) -> int:
    """The highest row of an entity, 0 if there is none."""
    return int(db.execute("SELECT coalesce(max(id), 0) FROM entities").get)


def insert_trait(
    db: apsw.Connection, entity_id: int, *, episode_id: int, kind: str | None, attributes: Mapping[str, Any], at: int
) -> None:
    """Record what kind of thing an episode says an entity is, and its attributes."""
    text = json.dumps(attributes, ensure_ascii=False, sort_keys=True)
    db.execute(
        "INSERT INTO traits (entity_id, episode_id, type, attributes, created_at) VALUES (?, ?, ?, ?, ?)",
        (entity_id, episode_id, kind, text, at),
    )


def insert_judgement(db: apsw.Connection, claim_id: int, other_id: int, *, episode_id: int | None, at: int) -> None:
    """Record that an episode's claim and another one cannot hold together, as a model judged."""
    db.execute(
        "INSERT INTO conflicts (claim_id, other_id, episode_id, created_at) VALUES (?, ?, ?, ?)",
        (claim_id, other_id, episode_id, at),
    )


def insert_mention(db: apsw.Connection, entity_id: int, episode_id: int, span: tuple[int, int], at: int) -> None:
    """Record that an episode names an entity at a stretch of its characters."""
    db.execute(
        "INSERT INTO mentions (entity_id, episode_id, span_start, span_end, created_at) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT DO NOTHING",
        (entity_id, episode_id, *span, at),
    )


def delete_claims(db: apsw.Connection, ids: Iterable[int]) -> None:
    """Delete claims that no derived row names any more."""
    db.execute("DELETE FROM claims WHERE id IN (SELECT value FROM json_each(?))", (in_list(ids),))


def reopen_claims(db: apsw.Connection, ids: Iterable[int]) -> None:
    """Believe these claims again, as if they had never been closed."""
    db.execute(
        "UPDATE claims SET expired_at = NULL, expired_by_episode_id = NULL, replaced_by_id = NULL"
        " WHERE id IN (SELECT value FROM json_each(?))",
        (in_list(ids),),
    )


def delete_episodes(db: apsw.Connection, ids: Iterable[int]) -> None:
    """Delete episodes with their mentions, and the judged conflicts, names and traits that they brought."""
    db.execute("DELETE FROM episodes WHERE id IN (SELECT value FROM json_each(?))", (in_list(ids),))


def delete_judgements(db: apsw.Connection, episodes: Iterable[int]) -> None:
    """Delete the judged conflicts that episodes brought."""
    db.execute("DELETE FROM conflicts WHERE episode_id IN (SELECT value FROM json_each(?))", (in_list(episodes),))


def blank_reasons(db: apsw.Connection, group_id: int, episodes: Iterable[int], ticks: Iterable[int]) -> None:
    """Delete the words given as reasons at these ticks of a group, and by these episodes."""
    db.execute(
        "UPDATE transactions SET reason = NULL WHERE reason IS NOT NULL AND verb <> 'define'"
        " AND (group_id IS NULL OR group_id = ?)"
        " AND (episode_id IN (SELECT value FROM json_each(?)) OR created_at IN (SELECT value FROM json_each(?)))",
        (group_id, in_list(episodes), in_list(sorted(ticks))),
    )


def delete_group(db: apsw.Connection, group_id: int) -> None:
    """Delete a group with every row that belongs to it, but for its full text."""
    passages = "SELECT p.id FROM passages p JOIN shelves s ON s.id = p.shelf_id WHERE s.group_id = :g"
    of = {table: f"(SELECT id FROM {table} WHERE group_id = :g)" for table in ("episodes", "entities", "claims")}
    for statement in (
        f"vectors WHERE id IN ({passages})",
        f"passages WHERE id IN ({passages})",
        "shelves WHERE group_id = :g",
        f"next_vectors WHERE episode_id IN {of['episodes']} OR claim_id IN {of['claims']} OR entity_id IN {of['entities']}",
        "summaries WHERE group_id = :g",
        "communities WHERE group_id = :g",
        "passes WHERE group_id = :g",
        "summary_calls WHERE group_id = :g",
        "versions WHERE group_id = :g",
        f"supports WHERE claim_id IN {of['claims']}",
        f"conflicts WHERE claim_id IN {of['claims']}",
        f"moves WHERE claim_id IN {of['claims']}",
        "merges WHERE group_id = :g",
        "claims WHERE group_id = :g",
        "transactions WHERE group_id = :g",
        "episodes WHERE group_id = :g",
        "entities WHERE group_id = :g",
        "groups WHERE id = :g",
    ):
        db.execute(f"DELETE FROM {statement}", {"g": group_id})


def delete_entities(db: apsw.Connection, ids: Iterable[int]) -> None:
    """Delete entities with their names."""
    db.execute("DELETE FROM entities WHERE id IN (SELECT value FROM json_each(?))", (in_list(ids),))


def total_changes(db: apsw.Connection) -> int:
    """How many rows this connection has written so far."""
    return db.total_changes()
