"""Changes of belief as rows: when, by which verb, of which group and text, with how many of what."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import apsw


class Row(NamedTuple):
    """A row of `transactions`. group, episode: rows, None where it is of none. detail: see `write.set_detail`."""

    number: int
    at: int
    verb: str
    group: int | None
    episode: int | None
    detail: dict[str, Any] | None


_SELECT = "SELECT id, created_at, verb, group_id, episode_id, detail FROM transactions "


def _row(row: Any) -> Row:
    number, at, verb, group, episode, detail = row
    return Row(number, at, verb, group, episode, None if detail is None else json.loads(detail))


def numbered(db: apsw.Connection, number: int) -> Row | None:
    """The change with this number."""
    row = db.execute(_SELECT + "WHERE id = ?", (number,)).get
    return None if row is None else _row(row)


def between(db: apsw.Connection, since: int, until: int) -> Iterator[Row]:
    """The changes in the system time [since, until), in order."""
    query = _SELECT + "WHERE created_at >= ? AND created_at < ? ORDER BY created_at, id"
    yield from [_row(row) for row in db.execute(query, (since, until))]


def groups_of(db: apsw.Connection, row: Row) -> list[int]:
    """The groups that a change is of: its own, or all there are."""
    return [row.group] if row.group is not None else [group for (group,) in db.execute("SELECT id FROM groups ORDER BY id")]


def undo_at(db: apsw.Connection, at: int) -> int | None:
    """The number of the undo at an instant."""
    query = "SELECT max(id) FROM transactions WHERE verb = 'undo' AND created_at = ?"
    number: int | None = db.execute(query, (at,)).get
    return number


def redone(db: apsw.Connection, number: int) -> list[int]:
    """When a change that was undone was brought back."""
    query = (
        "WITH RECURSIVE chain (id, at, back) AS (SELECT id, created_at, 1 FROM transactions WHERE id = ?1 UNION"
        " SELECT t.id, t.created_at, NOT chain.back FROM chain CROSS JOIN transactions t ON t.id > chain.id AND t.verb = 'undo'"
        " AND t.detail ->> 'change' = chain.id) SELECT at FROM chain WHERE back AND id <> ?1 ORDER BY at"
    )
    return [at for (at,) in db.execute(query, (number,))]
