"""The turns told just before and just after an episode in the same conversation.

A conversation is a group and a name; texts told without a name are one only while people speak within the hour. What was told
more than a day away is another sitting, and a record of another program is no turn.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import apsw

from tkgmem.graph import Episode
from tkgmem.store import read
from tkgmem.store.clocks import believed
from tkgmem.store.rows import in_list

HOUR, SITTING = dt.timedelta(hours=1), dt.timedelta(days=1)
"""Between two turns of one sitting, at most; the first without a name."""


class Placed(NamedTuple):
    """An episode and its row, which orders what was told at one time."""

    row: int
    episode: Episode


class Around(NamedTuple):
    """The row of an episode, the turn before it and the one after; None where it is the first or last of its sitting."""

    row: int
    before: Placed | None
    after: Placed | None


_SEEN = believed("e", "episode")
_NAMED = "e.name = o.name"
_NAMELESS = "e.name IS NULL AND e.speaker IS NOT NULL"


def _nearest(same: str, order: str, way: str) -> str:
    """A query of the nearest turn of the same conversation on one side of the episode o."""
    return (
        f"SELECT e.id FROM episodes e WHERE e.group_id = o.group_id AND {same} AND {_SEEN} AND e.source <> 'json'"
        f" AND (e.reference_time, e.id) {order} (o.reference_time, o.id) ORDER BY e.reference_time {way}, e.id {way} LIMIT 1"
    )


def _side(order: str, way: str) -> str:
    """The same as a value, NULL for what is no turn of a conversation."""
    return (
        f"CASE WHEN o.source = 'json' THEN NULL WHEN o.name IS NOT NULL THEN ({_nearest(_NAMED, order, way)})"
        f" WHEN o.speaker IS NOT NULL THEN ({_nearest(_NAMELESS, order, way)}) END"
    )


_AROUND = (
    f"SELECT o.uuid, o.id, {_side('<', 'DESC')}, {_side('>', 'ASC')} FROM episodes o"
    " WHERE o.uuid IN (SELECT value FROM json_each(:uuids))"
)


def around(db: apsw.Connection, uuids: Iterable[str], known_at: int) -> dict[str, Around]:
    """What was told right before and after each of these episodes, as far as it was stored by `known_at` (microseconds).

    In the order of telling, (reference time, row). A record, and a text that nobody speaks in no conversation, stand alone.
    """
    rows: Sequence[Any] = db.execute(_AROUND, {"uuids": in_list(uuids), "s": known_at}).fetchall()
    found = read.episodes(db, {row for _, *group in rows for row in group if row is not None})

    def placed(row: int | None, beside: Episode) -> Placed | None:
        return Placed(row, found[row]) if row is not None and _one_sitting(found[row], beside) else None

    return {
        found[row].uuid: Around(row, placed(before, found[row]), placed(after, found[row])) for _, row, before, after in rows
    }


def _one_sitting(one: Episode, other: Episode) -> bool:
    return abs(one.reference_time - other.reference_time) <= (HOUR if one.name is None else SITTING)


def _step(order: str, way: str, offset: int) -> str:
    """The id of the next turn but `offset` of the same sitting, NULL where there is none."""
    within = f"e.reference_time BETWEEN o.reference_time - {_micros(SITTING)} AND o.reference_time + {_micros(SITTING)}"
    return (
        f"(SELECT e.id FROM episodes e WHERE e.group_id = o.group_id AND e.name = o.name AND {within} AND {_SEEN}"
        f" AND e.source <> 'json' AND (e.reference_time, e.id) {order} (o.reference_time, o.id)"
        f" ORDER BY e.reference_time {way}, e.id {way} LIMIT 1 OFFSET {offset})"
    )


def _micros(delta: dt.timedelta) -> int:
    return delta // dt.timedelta(microseconds=1)


_BESIDE = (
    f"SELECT o.id, {_step('<', 'DESC', 0)}, {_step('>', 'ASC', 0)}, {_step('<', 'DESC', 1)}, {_step('>', 'ASC', 1)}"
    " FROM episodes o WHERE o.id IN (SELECT value FROM json_each(:rows)) AND o.name IS NOT NULL AND o.source <> 'json'"
    " ORDER BY o.id"
)


def lengths(db: apsw.Connection, rows: Iterable[int]) -> dict[int, int]:
    """How many characters each of these turns has."""
    query = "SELECT id, length(content) FROM episodes WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id"
    return dict(db.execute(query, (in_list(rows),)))


def beside(db: apsw.Connection, rows: Iterable[int], known_at: int) -> dict[int, tuple[list[int], list[int]]]:
    """The rows of the turns next to each of these in its named conversation, and those next to them, stored by `known_at`."""
    return {
        row: ([near for near in (before, after) if near], [far for far in (earlier, later) if far])
        for row, before, after, earlier, later in db.execute(_BESIDE, {"rows": in_list(rows), "s": known_at})
    }
