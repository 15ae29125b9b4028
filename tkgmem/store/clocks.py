"""The two clocks as SQL conditions, the same in every query: `:s` is the asked system time, `:t` the asked valid time.

A question about a stretch of time [`:t`, `:u`) sees what holds at some instant of it. What else a question asks of rows (see
`conditions`) is part of the same condition, so what qualifies is found however much that does not is nearer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import apsw

if TYPE_CHECKING:
    from tkgmem.store.conditions import Conditions

EVERYTHING = 1 << 62
"""The system time that sees everything recorded so far."""


class At(NamedTuple):
    """Where and when a read looks: groups by row, valid time, system time."""

    groups: Sequence[int]
    valid_at: int
    known_at: int = EVERYTHING


_MARGIN = 1.1  # rows that are looked at beyond those expected to do


Told = Literal["claim", "episode", "alias", "trait", "merge", "move", "conflict"]
"""What is told, and can be taken back and brought back: its belief has gaps (rows of `gaps`)."""


def believed(table: str, told: Told | None = None) -> str:
    """The rows of `table` that were believed at :s. told: what its rows are, where they are not derived."""
    when = f"{table}.created_at <= :s AND ({table}.expired_at IS NULL OR :s < {table}.expired_at)"
    if told is None:
        return when
    gap = f"SELECT 1 FROM gaps x WHERE x.{told}_id = {table}.id AND x.created_at <= :s AND :s < x.expired_at"
    return f"{when} AND NOT EXISTS ({gap})"


def gaps_of(told: Told, table: str) -> str:
    """The gaps of a row of `table` as a value: JSON of pairs of instants."""
    pairs = "json_group_array(json_array(x.created_at, x.expired_at) ORDER BY x.created_at, x.expired_at)"
    return f"(SELECT {pairs} FROM gaps x WHERE x.{told}_id = {table}.id)"


def holds(table: str) -> str:
    """The rows of `table` whose period contains :t."""
    return f"({table}.valid_at IS NULL OR {table}.valid_at <= :t) AND ({table}.invalid_at IS NULL OR :t < {table}.invalid_at)"


def holds_within(table: str) -> str:
    """The rows of `table` whose period has an instant of [:t, :u)."""
    return f"({table}.valid_at IS NULL OR {table}.valid_at < :u) AND ({table}.invalid_at IS NULL OR :t < {table}.invalid_at)"


@dataclass(frozen=True, slots=True)
class View:
    """What a question can see of one table: the rows of its groups that meet the two clocks.

    scope: the condition on a row r of the table that it was there at all. where: that it is seen, for rows looked up by their
    ids. among: a query of the ids of those that are seen of `:rows`. ids: one of the ids of all that are seen. Both may give an
    id more than once.
    """

    table: str
    scope: str
    where: str
    among: str
    ids: str
    bindings: Mapping[str, Any]

    def only(self, db: apsw.Connection, rows: Sequence[int]) -> list[int]:
        """Those of the rows that can be seen, in the same order."""
        if not rows:
            return []
        seen = {row for (row,) in db.execute(self.among, {**self.bindings, "rows": json.dumps(list(rows))})}
        return [row for row in rows if row in seen]

    def first(self, db: apsw.Connection, rows: Sequence[int], wanted: int) -> list[int]:
        """The first so many of the rows that can be seen, in the same order; not many more are looked at than it takes."""
        seen: list[int] = []
        looked = 0
        while looked < len(rows) and len(seen) < wanted:
            share = len(seen) / looked if seen else 1.0
            portion = rows[looked : looked + int((wanted - len(seen)) / share * _MARGIN) + 1]
            seen += self.only(db, portion)
            looked += len(portion)
        return seen[:wanted]

    def all(self, db: apsw.Connection, most: int) -> list[int] | None:
        """The ids of all that are seen, in order; None if they are more than `most`; as cheap as finding that many."""
        query = f"SELECT DISTINCT id FROM ({self.ids}) LIMIT :number"
        rows = sorted(row for (row,) in db.execute(query, {**self.bindings, "number": most + 1}))
        return rows if len(rows) <= most else None

    def few(self, db: apsw.Connection, number: int) -> bool:
        """Whether fewer than this many rows are seen; as cheap as finding that many."""
        query = f"SELECT count(*) FROM (SELECT 1 FROM ({self.ids}) LIMIT :number)"
        return int(db.execute(query, {**self.bindings, "number": number}).get) < number


def _in_groups(table: str) -> str:
    return f"{table}.group_id IN (SELECT value FROM json_each(:g))"


_THERE = f"{_in_groups('r')} AND r.created_at <= :s"
_IS_THERE = f"+{_THERE}"
"""The same of a row that is looked up by its id. The plus keeps SQLite from going through the whole group for it, whatever it
expects by statistics that were perhaps taken when the file was small."""


def _among(table: str, where: str) -> str:
    return f"SELECT r.id FROM {table} r WHERE r.id IN (SELECT value FROM json_each(:rows)) AND {where}"


def view_nodes(table: str, groups: Sequence[int], *, known_at: int, conditions: Conditions | None = None) -> View:
    """Episodes or entities: those that this memory had at `known_at` and that meet the conditions.

    A part of an entity is seen where the whole is. An episode that was taken back by then is not seen.
    """
    bindings = {"g": json.dumps(list(groups)), "s": known_at}
    there = f"{_in_groups('r')} AND {believed('r', 'episode')}" if table == "episodes" else _THERE
    asked = ""
    if conditions is not None:
        asked = conditions.entity("r.id") if table == "entities" else conditions.episode()
        bindings |= conditions.bindings
    ids = f"SELECT r.id FROM {table} r WHERE {_and(there, asked)}"
    where = _and(f"+{there}", asked)
    return View(table, there, where, _among(table, where), ids, bindings)


def told_within(view: View, stretches: Sequence[tuple[int | None, int | None]]) -> View:
    """The episodes in view that were told within one of these stretches of time [from, until), None where it is unbounded."""
    start, end = (f"coalesce(w.value ->> {place}, {bound})" for place, bound in ((0, -EVERYTHING), (1, EVERYTHING)))
    within = f"EXISTS (SELECT 1 FROM json_each(:told) w WHERE r.reference_time >= {start} AND r.reference_time < {end})"
    bindings = {**view.bindings, "told": json.dumps([list(stretch) for stretch in stretches])}
    where = _and(view.where, within)
    ids = (
        "SELECT r.id FROM json_each(:told) w CROSS JOIN json_each(:g) g CROSS JOIN episodes r INDEXED BY episodes_by_time"
        f" ON r.group_id = g.value AND r.reference_time >= {start} AND r.reference_time < {end} WHERE {view.where}"
    )
    return replace(view, where=where, among=_among(view.table, where), ids=ids, bindings=bindings)


def _and(condition: str, more: str) -> str:
    return f"{condition} AND {more}" if more else condition


def view_names(groups: Sequence[int], *, known_at: int, conditions: Conditions | None = None) -> View:
    """The names of entities (rows of `aliases`): those believed at `known_at`, of entities that meet the conditions."""
    scope, bindings = f"{_in_groups('r')} AND {believed('r', 'alias')}", {"g": json.dumps(list(groups)), "s": known_at}
    asked = ""
    if conditions is not None:
        asked = conditions.entity("r.entity_id")
        bindings |= conditions.bindings
    ids = f"SELECT r.id FROM aliases r WHERE {_and(scope, asked)}"
    where = _and(f"+{scope}", asked)
    return View("aliases", scope, where, _among("aliases", where), ids, bindings)


def view_versions(
    groups: Sequence[int],
    *,
    valid_at: int,
    until: int | None = None,
    known_at: int,
    include_ended: bool,
    conditions: Conditions | None = None,
) -> tuple[str, dict[str, Any]]:
    """Versions: the condition on a row v of `versions` that a question sees it, and what it binds.

    Seen is what holds at some time in [valid_at, until), without `until` at the instant `valid_at`, as believed at `known_at`;
    with `include_ended` all that is believed then. conditions: only what meets them.
    """
    bindings = {
        "g": json.dumps(list(groups)),
        "s": known_at,
        "t": valid_at,
        "u": valid_at + 1 if until is None else until,
        **({} if conditions is None else conditions.bindings),
    }
    when = believed("v") if include_ended else f"{believed('v')} AND {holds_within('v')}"
    return _and(f"{_in_groups('v')} AND {when}", "" if conditions is None else conditions.versions()), bindings


def view_claims(
    groups: Sequence[int],
    *,
    valid_at: int,
    until: int | None = None,
    known_at: int,
    include_ended: bool,
    conditions: Conditions | None = None,
) -> View:
    """Claims: those whose fact a question sees (see `view_versions`), announcements without a date while they are believed."""
    seen, bindings = view_versions(
        groups, valid_at=valid_at, until=until, known_at=known_at, include_ended=include_ended, conditions=conditions
    )
    undated = "s.undated" if conditions is None else _and("s.undated", conditions.plan("s.fact_id"))
    in_sight = f"SELECT 1 FROM versions v INDEXED BY versions_by_fact WHERE v.fact_id = s.fact_id AND {seen}"
    where = (
        f"{_IS_THERE} AND EXISTS (SELECT 1 FROM supports s WHERE s.claim_id = r.id AND {believed('s')}"
        f" AND (({undated}) OR EXISTS ({in_sight})))"
    )
    its_group = f"EXISTS (SELECT 1 FROM claims r WHERE r.id = s.claim_id AND +{_in_groups('r')})"
    among = (
        f"SELECT s.claim_id FROM json_each(:rows) j CROSS JOIN supports s ON s.claim_id = j.value WHERE {believed('s')}"
        f" AND (({undated} AND {its_group}) OR EXISTS ({in_sight}))"
    )
    arms = [("versions v INDEXED BY versions_by_clocks", "1")] if conditions is None else conditions.arms()
    ids = [
        f"SELECT s.claim_id AS id FROM {rows} CROSS JOIN supports s INDEXED BY supports_by_fact ON s.fact_id = v.fact_id"
        f" WHERE {start} AND {seen} AND {believed('s')}"
        for rows, start in arms
    ]
    ids.append(
        "SELECT s.claim_id FROM supports s INDEXED BY supports_undated CROSS JOIN claims c NOT INDEXED ON c.id = s.claim_id"
        f" WHERE {undated} AND +{_in_groups('c')} AND {believed('s')}"
    )
    return View("claims", _THERE, where, among, " UNION ALL ".join(ids), bindings)
