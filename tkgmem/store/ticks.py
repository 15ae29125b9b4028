"""The changes of belief as people see them: each with the names of its group and text, and what it was about.

What a change was about is looked up by its instant. A group sees what is its own, and changes that are of no group.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import apsw

from tkgmem.store.rows import in_list, texts


class Tick(NamedTuple):
    """A change of belief. episode: the uuid of its text. detail: as it was written, {} where nothing was."""

    number: int
    at: int
    verb: str
    group: str | None
    episode: str | None
    reason: str | None
    detail: dict[str, Any]


_TICKS = (
    "SELECT t.id, t.created_at, t.verb, g.name, e.uuid, t.reason, t.detail FROM transactions t"
    " LEFT JOIN groups g ON g.id = t.group_id LEFT JOIN episodes e ON e.id = t.episode_id"
    " WHERE (t.group_id IS NULL OR t.group_id IN (SELECT value FROM json_each(:g))) AND {} ORDER BY {}"
)


def _read(db: apsw.Connection, where: str, order: str, bindings: dict[str, Any]) -> Iterator[Tick]:
    for number, at, verb, group, episode, reason, detail in db.execute(_TICKS.format(where, order), bindings):
        tick = Tick(number, at, verb, group, episode, reason, {} if detail is None else json.loads(detail))
        texts(tick.verb, tick.group, tick.episode, tick.reason)
        yield tick


def listed(db: apsw.Connection, groups: Sequence[int], since: int | None, until: int | None, limit: int) -> list[Tick]:
    """The last changes in the system time [since, until), newest first; None is unbounded."""
    bounds = {"since": since, "until": until}
    where = " AND ".join(
        f"t.created_at {sign} :{name}" for name, sign in (("since", ">="), ("until", "<")) if bounds[name] is not None
    )
    bindings = {name: bound for name, bound in bounds.items() if bound is not None} | {"g": in_list(groups), "limit": limit}
    return list(_read(db, where or "1", "t.created_at DESC, t.id DESC LIMIT :limit", bindings))


def deletions(db: apsw.Connection, groups: Sequence[int], a: int, b: int) -> list[Tick]:
    """The changes in the system time (a, b] that forgot something, in order."""
    where = "t.verb = 'forget' AND t.created_at > :a AND t.created_at <= :b"
    return list(_read(db, where, "t.created_at, t.id", {"g": in_list(groups), "a": a, "b": b}))


def at_instants(db: apsw.Connection, groups: Sequence[int], instants: Iterable[int]) -> dict[int, list[Tick]]:
    """The changes at each of these instants: two files that became one may both have had one then."""
    found: dict[int, list[Tick]] = defaultdict(list)
    where = "t.created_at IN (SELECT value FROM json_each(:at))"
    for tick in _read(db, where, "t.created_at, t.id", {"g": in_list(groups), "at": in_list(sorted(instants))}):
        found[tick.at].append(tick)
    return found


# --- what they were about: by instant and group ---


class Subject(NamedTuple):
    """A claim that a change recorded or took back, in names, and how many there were."""

    kind: str
    source: str
    relation: str
    target: str
    number: int


Instant = tuple[int, str]
"""System time, and the name of a group."""

_FIRST = (
    "SELECT at, g.name, c.kind, s.name, c.relation, t.name, number FROM ({}) f JOIN claims c ON c.id = f.claim"
    " JOIN groups g ON g.id = c.group_id JOIN entities s ON s.id = c.source_id JOIN entities t ON t.id = c.target_id"
)
_EACH = "FROM json_each(:at) j CROSS JOIN json_each(:g) g CROSS JOIN"


def _subjects(db: apsw.Connection, query: str, groups: Sequence[int], instants: Iterable[int]) -> dict[Instant, Subject]:
    wanted = sorted(instants)
    found: dict[Instant, Subject] = {}
    rows = db.execute(_FIRST.format(query), {"g": in_list(groups), "at": in_list(wanted)}) if wanted else ()
    for at, group, *row in rows:
        subject = Subject(*row)
        texts(group, *subject[:4])
        found[at, group] = subject
    return found


def recorded(db: apsw.Connection, groups: Sequence[int], instants: Iterable[int]) -> dict[Instant, Subject]:
    """The first claim recorded at each instant, and how many were."""
    first = (
        "SELECT c.created_at AS at, c.id AS claim, row_number() OVER (own ORDER BY c.position, c.uuid) AS place,"
        f" count(*) OVER own AS number {_EACH} claims c INDEXED BY claims_by_system_time ON c.group_id = g.value"
        " AND c.created_at = j.value WINDOW own AS (PARTITION BY c.created_at, c.group_id)"
    )
    return _subjects(db, f"SELECT at, claim, number FROM ({first}) WHERE place = 1", groups, instants)


def taken_back(db: apsw.Connection, groups: Sequence[int], instants: Iterable[int]) -> dict[Instant, Subject]:
    """The first fact that was no longer believed from each instant on, as its claims were closed, else an end; how many."""
    closed = (
        "SELECT v.expired_at AS at, x.value AS claim"
        f" {_EACH} versions v INDEXED BY versions_by_clocks ON v.group_id = g.value AND v.expired_at = j.value"
        " CROSS JOIN json_each(json_array(v.fact_id, v.cause_id)) x"
        " UNION SELECT p.expired_at, p.claim_id FROM supports p INDEXED BY supports_undated WHERE p.undated"
        " AND p.expired_at IN (SELECT value FROM json_each(:at))"
    )
    own = (
        f"SELECT n.at, c.id AS claim, c.group_id, c.kind <> 'end' AS is_fact FROM ({closed}) n CROSS JOIN claims c"
        " ON c.id = n.claim WHERE c.group_id IN (SELECT value FROM json_each(:g)) AND (c.expired_at = n.at"
        " OR EXISTS (SELECT 1 FROM gaps y WHERE y.claim_id = c.id AND y.created_at = n.at))"
    )
    first, number = "coalesce(min(iif(is_fact, claim, NULL)), min(claim))", "iif(max(is_fact), sum(is_fact), count(*))"
    query = f"SELECT at, {first} AS claim, {number} AS number FROM ({own}) GROUP BY at, group_id"
    return _subjects(db, query, groups, instants)


def brought_back(db: apsw.Connection, groups: Sequence[int], instants: Iterable[int]) -> dict[Instant, Subject]:
    """The first claim that was believed again from each instant on, and how many were."""
    query = (
        "SELECT x.expired_at AS at, min(c.id) AS claim, count(*) AS number FROM gaps x JOIN claims c ON c.id = x.claim_id"
        " WHERE x.expired_at IN (SELECT value FROM json_each(:at)) AND c.group_id IN (SELECT value FROM json_each(:g))"
        " AND c.expired_at IS NOT x.expired_at AND NOT EXISTS (SELECT 1 FROM gaps o WHERE o.claim_id = c.id"
        " AND o.created_at = x.expired_at) GROUP BY x.expired_at, c.group_id"
    )
    return _subjects(db, query, groups, instants)


def named(db: apsw.Connection, groups: Sequence[int], instants: Iterable[int]) -> dict[Instant, tuple[str, str, str]]:
    """What was told of names at each instant, the first of each: how ("is", "is not", "moved", "called"), and two names.

    "is", "is not": an entity, and the one that it is or is no longer part of. "moved": where statements moved to, and where
    from. "called": an entity, and one more name of it.
    """
    wanted = sorted(instants)
    if not wanted:
        return {}
    of = "IN (SELECT value FROM json_each(:at))"
    ours = "CROSS JOIN groups g ON g.id = {}.group_id WHERE g.id IN (SELECT value FROM json_each(:g)) AND"
    pair = "e.name, i.name, m.id FROM merges m CROSS JOIN entities e ON e.id = m.entity_id JOIN entities i ON i.id = m.into_id"
    recorded_end = "JOIN entities o ON o.id = iif(m.end = 'source', c.source_id, c.target_id)"
    called = (
        "SELECT a.created_at, g.name, 'called', e.name, a.name, a.id FROM aliases a CROSS JOIN entities e ON e.id = a.entity_id"
        f" {ours.format('e')} a.created_at {of} AND a.name <> e.name"
    )
    moved = (
        "SELECT m.created_at, g.name, 'moved', e.name, o.name, m.id FROM moves m CROSS JOIN claims c ON c.id = m.claim_id"
        f" JOIN entities e ON e.id = m.entity_id {recorded_end} {ours.format('c')} m.created_at {of}"
    )
    merged, split = (
        f"SELECT m.{column}, g.name, '{how}', {pair} {ours.format('m')} m.{column} {of}"
        for column, how in (("created_at", "is"), ("expired_at", "is not"))
    )
    query = f"{called} UNION ALL {moved} UNION ALL {merged} UNION ALL {split}"
    rows = db.execute(query, {"g": in_list(groups), "at": in_list(wanted)})
    order = ["called", "moved", "is not", "is"]  # what says most of a change comes last, and counts
    found: dict[Instant, tuple[str, str, str]] = {}
    for at, group, how, one, other, _ in sorted(rows, key=lambda row: (order.index(row[2]), -row[-1])):
        texts(group, one, other)
        found[at, group] = (how, one, other)
    return found


def defined(db: apsw.Connection, instants: Iterable[int]) -> dict[tuple[int, str], bool]:
    """The relations defined at each instant, and whether each has one target at a time."""
    query = "SELECT created_at, name, functional FROM relations WHERE created_at IN (SELECT value FROM json_each(?))"
    return {(at, name): bool(functional) for at, name, functional in db.execute(query, (in_list(sorted(instants)),))}
