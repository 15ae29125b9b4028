"""The two clocks as SQL conditions, the same in every query; `:s` is the asked system time, `:t` the asked valid time."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import apsw

EVERYTHING = 1 << 62
"""The system time that sees everything recorded so far."""


def believed(table: str) -> str:
    """The rows of `table` that were believed at :s."""
    return f"{table}.created_at <= :s AND ({table}.expired_at IS NULL OR :s < {table}.expired_at)"


def holds(table: str) -> str:
    """The rows of `table` whose period contains :t."""
    return f"({table}.valid_at IS NULL OR {table}.valid_at <= :t) AND ({table}.invalid_at IS NULL OR :t < {table}.invalid_at)"


@dataclass(frozen=True, slots=True)
class View:
    """What a question can see of one table: the rows of its groups that meet the two clocks.

    scope: the condition on a row r of the table that it was there at all. where: that it is seen, for a few rows. ids: a query
    of the ids of all that are seen, some perhaps more than once. size: a query of about how many there are in scope.
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


def view_nodes(table: str, groups: Sequence[int], *, known_at: int) -> View:
    """Episodes or entities: those that this memory had at `known_at`."""
    bindings = {"g": json.dumps(list(groups)), "s": known_at}
    return View(table, _THERE, _THERE, f"SELECT r.id FROM {table} r WHERE {_THERE}", _size(table), bindings)


def _size(table: str) -> str:
    return f"SELECT count(*) FROM {table} r WHERE {_THERE}"


def view_names(groups: Sequence[int], *, known_at: int) -> View:
    """The names of entities (rows of `aliases`): those believed at `known_at`."""
    where = f"{_in_groups('r')} AND {believed('r')}"
    bindings = {"g": json.dumps(list(groups)), "s": known_at}
    return View("aliases", where, where, f"SELECT r.id FROM aliases r WHERE {where}", _size("entities"), bindings)


def view_claims(groups: Sequence[int], *, valid_at: int, known_at: int, include_ended: bool) -> View:
    """Claims: those whose fact holds at `valid_at` as believed at `known_at`; with `include_ended`, at any time.

    An announcement without a date is seen while it is believed.
    """
    when = believed("v") if include_ended else f"{believed('v')} AND {holds('v')}"
    where = (
        f"{_THERE} AND EXISTS (SELECT 1 FROM supports s WHERE s.claim_id = r.id AND {believed('s')}"
        f" AND (s.undated OR EXISTS (SELECT 1 FROM versions v WHERE v.fact_id = s.fact_id AND {when})))"
    )
    ids = (
        "SELECT s.claim_id AS id FROM versions v CROSS JOIN supports s ON s.fact_id = v.fact_id"
        f" WHERE {_in_groups('v')} AND {when} AND {believed('s')}"
        f" UNION ALL SELECT s.claim_id FROM supports s JOIN claims c ON c.id = s.claim_id"
        f" WHERE s.undated AND {_in_groups('c')} AND {believed('s')}"
    )
    return View("claims", _THERE, where, ids, _size("claims"), {"g": json.dumps(list(groups)), "s": known_at, "t": valid_at})
