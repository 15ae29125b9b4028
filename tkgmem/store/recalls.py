"""The recall log as rows: what the memory was asked and what it gave, the last ones only. It stays in this file.

A question asked before something was forgotten is never written after it: it might tell of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import apsw

from tkgmem.store.names import searchable
from tkgmem.store.rows import Damaged, in_list, texts
from tkgmem.temporal.period import to_datetime

Kind = Literal["search", "context"]

KEPT = 10_000
"""Entries that are kept."""
LONGEST_QUERY = 4_000
"""Characters of a question that are kept."""
MOST_HITS = 1_000
"""Hits of each scope that are kept."""

Stretch = tuple[int | None, int | None]
"""[from, until) of system time, None where it is unbounded."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A question and what was given, before it is a row: uuids of facts and so on, best first. options: JSON.

    tick: the last change of belief before it was asked, 0 for none.
    """

    kind: Kind
    query: str
    groups: tuple[str, ...]
    valid_at: int
    known_at: int
    options: str
    facts: tuple[str, ...]
    entities: tuple[str, ...]
    episodes: tuple[str, ...]
    communities: tuple[str, ...]
    at: int
    tick: int


class Row(NamedTuple):
    """A row of `recalls`. facts, entities, episodes, communities: rows, best first; a fact is that of its first claim then."""

    number: int
    kind: Kind
    query: str
    groups: list[int]
    valid_at: int
    known_at: int
    options: dict[str, Any]
    facts: list[int]
    entities: list[int]
    episodes: list[int]
    communities: list[int]
    at: int


def last_tick(db: apsw.Connection) -> int:
    """The last change of belief, 0 before the first."""
    return int(db.execute("SELECT max(created_at) FROM transactions").get or 0)


def basis(db: apsw.Connection, groups: Sequence[int]) -> int | None:
    """The greatest system time there is for these groups: of a change of belief, a text, or what was kept of communities and
    summaries; None where there is none.
    """
    last = "max((SELECT max(r.created_at) FROM {} r WHERE r.group_id = g.value))".format
    latest = ", ".join(last(table) for table in ("episodes", "passes", "summaries"))
    [stored] = db.execute(f"SELECT {latest} FROM json_each(?) g", (in_list(groups),)).fetchall()
    return max((int(at) for at in (last_tick(db), *stored) if at), default=None)


def key(query: str) -> str:
    """A question as it is compared: case folded, white space collapsed, no longer than what is kept.

    >>> key("Where  does Ana LIVE ") == key("where does ana live")
    True
    """
    return " ".join(searchable(query)[:LONGEST_QUERY].casefold().split())


# --- writing ---


def insert(db: apsw.Connection, entries: Sequence[Entry]) -> None:
    """Keep entries, without those asked before something was forgotten, or of a group that is not there; drop the oldest."""
    forgot: int | None = db.execute(
        "SELECT max(created_at) FROM transactions WHERE created_at > ? AND verb = 'forget'",
        (min(entry.tick for entry in entries),),
    ).get
    groups = _rows_of(db, "groups", "name", (name for entry in entries for name in entry.groups))
    kept = [
        entry
        for entry in entries
        if (forgot is None or entry.tick >= forgot) and entry.groups and groups.keys() >= set(entry.groups)
    ]
    facts = _rows_of(db, "claims", "uuid", (uuid for entry in kept for uuid in entry.facts))
    entities = _rows_of(db, "entities", "uuid", (uuid for entry in kept for uuid in entry.entities))
    episodes = _rows_of(db, "episodes", "uuid", (uuid for entry in kept for uuid in entry.episodes))
    communities = _rows_of(db, "communities", "uuid", (uuid for entry in kept for uuid in entry.communities))
    db.executemany(
        "INSERT INTO recalls (kind, query, group_ids, valid_at, known_at, options, facts, entities, episodes, communities,"
        " created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                entry.kind,
                entry.query,
                in_list(groups[name] for name in entry.groups),
                entry.valid_at,
                entry.known_at,
                entry.options,
                _listed(facts, entry.facts),
                _listed(entities, entry.entities),
                _listed(episodes, entry.episodes),
                _listed(communities, entry.communities),
                entry.at,
            )
            for entry in kept
        ],
    )
    db.execute("DELETE FROM recalls WHERE id <= (SELECT max(id) FROM recalls) - ?", (KEPT,))


def _rows_of(db: apsw.Connection, table: str, column: str, names: Iterable[str]) -> dict[str, int]:
    query = f"SELECT {column}, id FROM {table} WHERE {column} IN (SELECT value FROM json_each(?))"
    return dict(db.execute(query, (in_list(dict.fromkeys(names)),)))


def _listed(rows: Mapping[str, int], uuids: Sequence[str]) -> str:
    return json.dumps([rows[uuid] for uuid in uuids[:MOST_HITS] if uuid in rows], separators=(",", ":"))


# --- reading ---


def listed(db: apsw.Connection, groups: Sequence[int], stretch: Stretch, *, query: str | None, limit: int) -> list[Row]:
    """The last entries in a stretch of system time, newest first, of what was asked of these groups and of no other."""
    start, end = stretch
    ordered = (
        "SELECT id, kind, query, group_ids, valid_at, known_at, options, facts, entities, episodes, communities, created_at"
        " FROM recalls r"
        " WHERE (:start IS NULL OR created_at >= :start) AND (:end IS NULL OR created_at < :end) AND NOT EXISTS"
        " (SELECT 1 FROM json_each(r.group_ids) j WHERE j.value NOT IN (SELECT value FROM json_each(:groups)))"
        " ORDER BY created_at DESC, id DESC"
    )
    wanted = None if query is None else key(query)
    found: list[Row] = []
    # no name holds the rows: with a damaged one, its traceback would keep them, and so a lock
    for row in db.execute(ordered, {"start": start, "end": end, "groups": in_list(groups)}):
        if wanted is None or key(row[2]) == wanted:
            found.append(_row(row))
            if len(found) == limit:
                break
    return found


def _row(row: Sequence[Any]) -> Row:
    number, kind, query, groups, valid_at, known_at, options, *hits, at = row
    texts(kind, query)
    facts, entities, episodes, communities = (_rows(number, ids) for ids in hits)
    for instant in (valid_at, known_at, at):
        _check_instant(number, instant)
    given = json.loads(options)
    if not isinstance(given, dict):
        raise Damaged(f"entry {number} of the recall log has the options {options!r:.60}")
    return Row(
        number, kind, query, _rows(number, groups), valid_at, known_at, given, facts, entities, episodes, communities, at
    )


def _check_instant(number: int, instant: int) -> None:
    try:
        to_datetime(instant)
    except OverflowError as error:
        raise Damaged(f"entry {number} of the recall log has the instant {instant}, which no date can hold") from error


def _rows(number: int, text: str) -> list[int]:
    rows = json.loads(text)
    if not isinstance(rows, list) or not all(isinstance(row, int) for row in rows):
        raise Damaged(f"entry {number} of the recall log has {text!r:.60} where rows belong")
    return rows


# --- forgetting ---


def is_empty(db: apsw.Connection) -> bool:
    """Whether the log has no entry."""
    return not db.execute("SELECT EXISTS (SELECT 1 FROM recalls)").get


def asked(db: apsw.Connection) -> list[tuple[int, str, str]]:
    """Every entry's number, with its question and options."""
    return list(db.execute("SELECT id, query, options FROM recalls ORDER BY id"))


def delete(db: apsw.Connection, numbers: Iterable[int]) -> None:
    """Delete entries."""
    db.execute("DELETE FROM recalls WHERE id IN (SELECT value FROM json_each(?))", (in_list(numbers),))


def delete_giving(db: apsw.Connection, given: Mapping[str, Iterable[int]]) -> None:
    """Delete every entry that gave one of these. given: rows by the column that names them; of facts any of their claims."""
    for column, rows in given.items():
        gone = in_list(sorted(rows))
        if gone != "[]":
            db.execute(
                f"DELETE FROM recalls WHERE EXISTS (SELECT 1 FROM json_each(recalls.{column}) j"
                " WHERE j.value IN (SELECT value FROM json_each(?)))",
                (gone,),
            )


def delete_of_groups(db: apsw.Connection, groups: Sequence[int] | None) -> int:
    """Delete every entry that asked one of these groups, None for all there are; how many."""
    before = db.total_changes()
    asked_one = "EXISTS (SELECT 1 FROM json_each(recalls.group_ids) j WHERE j.value IN (SELECT value FROM json_each(?1)))"
    db.execute(f"DELETE FROM recalls WHERE ?1 IS NULL OR {asked_one}", (None if groups is None else in_list(groups),))
    return db.total_changes() - before
