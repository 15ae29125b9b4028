"""The two clocks as SQL conditions, the same in every query: `:s` is the asked system time, `:t` the asked valid time.

A question about a stretch of time [`:t`, `:u`) sees what holds at some instant of it. What else a question asks of rows (see
`conditions`) is part of the same condition, so what qualifies is found however much that does not is nearer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import apsw

if TYPE_CHECKING:
    from tkgmem.store.conditions import Conditions

EVERYTHING = 1 << 62
"""The system time that sees everything recorded so far."""


def believed(table: str) -> str:
    """The rows of `table` that were believed at :s."""
    return f"{table}.created_at <= :s AND ({table}.expired_at IS NULL OR :s < {table}.expired_at)"


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
    ids. ids: a query of the ids of all that are seen, some perhaps more than once. size: a query of about how many there are in
    scope.
    """

    table: str
    scope: str
    where: str
    ids: str
    size: str
    bindings: Mapping[str, Any]

    def only(self, db: apsw.Connection, rows: Sequence[int]) -> list[int]:
        """Those of the rows that can be seen, in the same order."""
        query = f"SELECT r.id FROM {self.table} r WHERE r.id IN (SELECT value FROM json_each(:rows)) AND {self.where}"
        seen = {row for (row,) in db.execute(query, {**self.bindings, "rows": json.dumps(list(rows))})}
        return [row for row in rows if row in seen]

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


def view_nodes(table: str, groups: Sequence[int], *, known_at: int, conditions: Conditions | None = None) -> View:
    """Episodes or entities: those that this memory had at `known_at` and that meet the conditions.

    A part of an entity is seen where the whole is.
    """
    bindings = {"g": json.dumps(list(groups)), "s": known_at}
    asked = ""
    if conditions is not None:
        asked = conditions.entity("r.id") if table == "entities" else conditions.episode()
        bindings |= conditions.bindings
    ids = f"SELECT r.id FROM {table} r WHERE {_and(_THERE, asked)}"
    return View(table, _THERE, _and(_IS_THERE, asked), ids, _size(table), bindings)


def told_within(view: View, stretches: Sequence[tuple[int | None, int | None]]) -> View:
    """The episodes in view that were told within one of these stretches of time [from, until), None where it is unbounded."""
    within = (
        "EXISTS (SELECT 1 FROM json_each(:told) w WHERE (w.value ->> 0 IS NULL OR w.value ->> 0 <= r.reference_time)"
        " AND (w.value ->> 1 IS NULL OR r.reference_time < w.value ->> 1))"
    )
    bindings = {**view.bindings, "told": json.dumps([list(stretch) for stretch in stretches])}
    ids = f"SELECT r.id FROM {view.table} r WHERE r.id IN ({view.ids}) AND {within}"
    return replace(view, where=_and(view.where, within), ids=ids, bindings=bindings)


def _size(table: str) -> str:
    return f"SELECT count(*) FROM {table} r WHERE {_THERE}"


def _and(condition: str, more: str) -> str:
    return f"{condition} AND {more}" if more else condition


def view_names(groups: Sequence[int], *, known_at: int, conditions: Conditions | None = None) -> View:
    """The names of entities (rows of `aliases`): those believed at `known_at`, of entities that meet the conditions."""
    scope, bindings = f"{_in_groups('r')} AND {believed('r')}", {"g": json.dumps(list(groups)), "s": known_at}
    asked = ""
    if conditions is not None:
        asked = conditions.entity("r.entity_id")
        bindings |= conditions.bindings
    ids = f"SELECT r.id FROM aliases r WHERE {_and(scope, asked)}"
    return View("aliases", scope, _and(f"+{scope}", asked), ids, _size("entities"), bindings)


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
    where = (
        f"{_IS_THERE} AND EXISTS (SELECT 1 FROM supports s WHERE s.claim_id = r.id AND {believed('s')}"
        f" AND (({undated}) OR EXISTS ("
        f"SELECT 1 FROM versions v INDEXED BY versions_by_fact WHERE v.fact_id = s.fact_id AND {seen})))"
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
    return View("claims", _THERE, where, " UNION ALL ".join(ids), _size("claims"), bindings)
