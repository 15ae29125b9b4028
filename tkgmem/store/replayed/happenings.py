"""What happened in a file, in the order in which it came to it: texts that were read, and everything else that was told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import apsw

from tkgmem.store.ids import make_uuid
from tkgmem.store.relations import ALWAYS
from tkgmem.store.replayed.arrivals import Arrivals
from tkgmem.store.replayed.rows import GAPS, Table

BY_USER, BY_RULES, BY_MAPPING, GIVEN = "user", "rules", "mapping", "given"
"""What `claims.made_by` says where no model read the text."""

_DUMPS = ("graphiti", "mcp-memory")
"""What it says of the memories of other programs."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A text that was read: its row, the instant at which that was written, and what read it ("rules", "mapping", "given" where
    its facts came with it, a model).

    arrived: when its claims came to the file; later than `at` where they came from another file (`came`), which read it.
    dumped: they came from another program. hidden: it is taken back. place: its place among what happened at one instant, as
    what it made tells: a text by which nothing came to be believed does not tick the clock. silent: it made no claims, so that
    what read it is not known but for the log.
    """

    episode: int
    uuid: str
    at: int
    made_by: str
    arrived: int
    came: bool = False
    dumped: bool = False
    hidden: bool = False
    place: int = 0
    silent: bool = False


class Happening(NamedTuple):
    """One row that was told, closed, or believed again (a gap ends), at the instant at which it came to the file."""

    at: int
    what: Literal["told", "closed", "interrupted", "back", "ticked"]
    table: Table | Literal["gaps", "transactions"]
    row: int


class Call(NamedTuple):
    """A question of the model-call log, and what was said."""

    key: str
    purpose: str
    request: str
    response: str


LAST = 1 << 62
"""The place after everything else."""


def made_by_programs(db: apsw.Connection) -> dict[int, int]:
    """The entities that programs named first, as their uuids tell, and when."""
    rows: Any = db.execute(
        "SELECT e.id, e.uuid, g.name, e.name, c.uuid, e.created_at FROM claims c JOIN entities e"
        " ON e.id IN (c.source_id, c.target_id) AND e.created_at = c.created_at JOIN groups g ON g.id = e.group_id"
        f" WHERE c.made_by = '{BY_USER}'"
    )
    return {row: at for row, uuid, *named, at in rows if uuid == make_uuid("entity", *named)}


def _last_made(db: apsw.Connection) -> dict[int, int]:
    """By text: the last of the entities that came with it."""
    programs = made_by_programs(db)
    found: dict[int, int] = {}
    rows: Any = db.execute(
        "SELECT m.episode_id, e.id FROM mentions m JOIN entities e ON e.id = m.entity_id AND e.created_at = m.created_at"
    )
    for episode, entity in rows:
        if entity not in programs:
            found[episode] = max(entity, found.get(episode, 0))
    return found


def readings(db: apsw.Connection, arrivals: Arrivals) -> list[Reading]:
    """Every text that was read to the end, in the order in which the readings came to the file."""
    made = _made(db, arrivals)
    asked = dict(_pairs(db, "SELECT episode_id, model FROM model_calls WHERE usable AND purpose = 'extract' ORDER BY id"))
    ticks = dict(_pairs(db, "SELECT episode_id, min(created_at) FROM transactions WHERE verb = 'add' GROUP BY 1"))
    named = dict(_pairs(db, "SELECT episode_id, min(created_at) FROM mentions GROUP BY 1"))
    last = _last_made(db)
    spoken = "SELECT 1 FROM mentions m WHERE m.episode_id = e.id AND (m.span_start <> 0 OR m.span_end <> 0)"
    rows: Any = db.execute(
        "SELECT id, uuid, created_at, CASE WHEN json_type(settings, '$.mapping') IS NOT NULL THEN ?1"
        " WHEN json_type(settings, '$.facts') IS NOT NULL THEN ?2 END, NOT extract AND EXISTS"
        f" ({spoken}), expired_at IS NOT NULL FROM episodes e WHERE state = 'done'",
        (BY_MAPPING, GIVEN),
    )
    found = []
    for row, uuid, stored, told, foreign, hidden in rows:
        at = ticks.get(row, max(stored, named.get(row, stored)))
        usual = told or asked.get(row, BY_RULES)
        first = made.get(row) or _Made(at, arrivals.of("episodes", row, at), usual, arrivals.came("episodes", row))
        dumped = bool(foreign) or first.by in _DUMPS
        came = dumped or first.came
        place = 0 if came else last.get(row, 0 if row in made or row in ticks else LAST)
        found.append(Reading(row, uuid, first.at, first.by, first.arrived, came, dumped, bool(hidden), place, row not in made))
    return sorted(found, key=lambda reading: (reading.arrived, reading.episode))


class _Made(NamedTuple):
    """When, and by what, the first claims of a text were made, when they came to the file, and whether from another one."""

    at: int
    arrived: int
    by: str
    came: bool


def _made(db: apsw.Connection, arrivals: Arrivals) -> dict[int, _Made]:
    """By text: how its first claims were made."""
    found: dict[int, _Made] = {}
    rows: Any = db.execute("SELECT id, episode_id, made_by, created_at FROM claims ORDER BY id")
    for row, episode, by, at in rows:
        if episode is not None and by != BY_USER and episode not in found:
            found[episode] = _Made(at, arrivals.of("claims", row, at), by, arrivals.came("claims", row))
    return found


def _pairs(db: apsw.Connection, query: str) -> Iterator[tuple[int, Any]]:
    rows: Any = db.execute(query)
    return ((one, other) for one, other in rows if one is not None)


def unread(db: apsw.Connection) -> list[Reading]:
    """The texts that wait to be read, or could not be."""
    rows: Any = db.execute(
        "SELECT id, uuid, created_at, expired_at IS NOT NULL FROM episodes WHERE state <> 'done' AND extract ORDER BY id"
    )
    return [Reading(row, uuid, at, BY_RULES, at, hidden=bool(hidden)) for row, uuid, at, hidden in rows]


def episodes(db: apsw.Connection) -> list[tuple[int, int, bool]]:
    """Every text: its row, when it was stored, and whether it was read to the end; in the order of the rows."""
    rows: Any = db.execute("SELECT id, created_at, state = 'done' FROM episodes ORDER BY id")
    return [(row, at, bool(done)) for row, at, done in rows]


_OWN: tuple[tuple[Table, str], ...] = (
    ("relations", f"created_at > {ALWAYS}"),
    ("claims", "1"),
    ("aliases", "NOT (episode_id IS NULL AND name = (SELECT e.name FROM entities e WHERE e.id = entity_id))"),
    ("traits", "1"),
    ("merges", "1"),
    ("moves", "1"),
    ("conflicts", "1"),
)
"""The tables of what is told, in the order in which one refers to another, and which of their rows are told for themselves."""


def happenings(db: apsw.Connection, arrivals: Arrivals, readings: Sequence[Reading]) -> list[Happening]:
    """All that happened but for what the readings told, sorted: at one instant what is told comes first, then what it ends."""
    read = {reading.episode: reading for reading in readings}
    named: Any = db.execute(f"SELECT episode_id, created_at FROM claims WHERE made_by <> '{BY_USER}'")
    instants = {at for episode, at in named if _is_by(read, episode, at)}  # at which a text named relations for the first time
    found: list[Happening] = []
    came: dict[tuple[str, int], int] = {("episodes", row): arrivals.of("episodes", row, at) for row, at, _ in episodes(db)}
    for table, where in _OWN:
        of = "NULL" if table in ("relations", "moves") else "episode_id"
        by = "made_by" if table == "claims" else "''"
        rows: Any = db.execute(f"SELECT id, {of}, {by}, created_at FROM {table} WHERE {where} ORDER BY id")
        for row, episode, made_by, at in rows:
            again = at in instants if table == "relations" else _is_by(read, episode, at) and made_by != BY_USER
            came[table, row] = read[episode].arrived if again and episode in read else arrivals.of(table, row, at)
            if not again:
                found.append(Happening(came[table, row], "told", table, row))
    found += _ticks(db, read)
    return sorted([*found, *_ends(db, came)], key=lambda one: one.at)


def _ends(db: apsw.Connection, came: Mapping[tuple[str, int], int]) -> list[Happening]:
    """When rows ceased to be believed, and were again; not before they came to the file. In the order of their own instants."""
    ends: list[tuple[int, Happening]] = []
    for table in ("episodes", *(table for table, _ in _OWN)):
        closed: Any = db.execute(f"SELECT id, expired_at FROM {table} WHERE expired_at IS NOT NULL ORDER BY id")
        ends += [(at, Happening(max(at, came.get((table, row), at)), "closed", table, row)) for row, at in closed]
    gaps: Any = db.execute("SELECT id, created_at, expired_at FROM gaps ORDER BY id").fetchall()
    for row, begun, ended in gaps:
        there = came.get(interrupted(db, row), begun)
        ends.append((begun, Happening(max(begun, there), "interrupted", "gaps", row)))
        ends.append((ended, Happening(max(ended, there), "back", "gaps", row)))
    return [end for _, end in sorted(ends, key=lambda one: (one[0], one[1].what != "back"))]  # closed anew at that instant


def _is_by(read: Mapping[int, Reading], episode: int | None, at: int) -> bool:
    """Whether what a text told at an instant is from its reading."""
    return episode is not None and episode in read and read[episode].at == at


def _ticks(db: apsw.Connection, read: Mapping[int, Reading]) -> list[Happening]:
    """The changes of belief, but for those that a reading makes again."""
    query = "SELECT id, verb, episode_id, created_at, max(created_at) OVER (ORDER BY id) FROM transactions ORDER BY id"
    rows: Any = db.execute(query)
    return [
        Happening(arrived, "ticked", "transactions", row)
        for row, verb, episode, at, arrived in rows
        if not (verb == "add" and _is_by(read, episode, at))
    ]


def of_reading(db: apsw.Connection, reading: Reading) -> list[Happening]:
    """What one reading told, to be taken over as it is."""
    found = []
    for table, _ in _OWN:
        if table == "moves":
            continue
        where = {"relations": "?1 = ?1", "claims": f"episode_id = ?1 AND made_by <> '{BY_USER}'"}.get(table, "episode_id = ?1")
        rows: Any = db.execute(f"SELECT id FROM {table} WHERE {where} AND created_at = ?2", (reading.episode, reading.at))
        found += [Happening(reading.at, "told", table, row) for (row,) in rows]
    query = "SELECT id FROM transactions WHERE verb = 'add' AND episode_id = ? AND created_at = ?"
    ticks: Any = db.execute(query, (reading.episode, reading.at))
    return found + [Happening(reading.at, "ticked", "transactions", row) for (row,) in ticks]


def calls(db: apsw.Connection, episode: int, model: str) -> list[Call]:
    """What a model was asked for an episode and said, in order."""
    query = "SELECT key, purpose, request, response FROM model_calls WHERE episode_id = ? AND model = ? ORDER BY id"
    return [Call(*row) for row in db.execute(query, (episode, model))]


def forgot(db: apsw.Connection) -> bool:
    """Whether anything was ever forgotten."""
    return bool(db.execute("SELECT EXISTS (SELECT 1 FROM transactions WHERE verb = 'forget')").get)


def interrupted(db: apsw.Connection, gap: int) -> tuple[Table, int]:
    """Whose belief a gap interrupts: the table and the row."""
    values = db.execute(f"SELECT {', '.join(GAPS)} FROM gaps WHERE id = ?", (gap,)).fetchone() or ()
    [(table, row)] = [(table, row) for table, row in zip(GAPS.values(), values, strict=True) if row is not None]
    return table, row
