"""Versions and supports against what the claims derive.

They are derived beside the real ones, in temporary tables of the same names, so that a file that is only read can be checked,
and nobody who writes has to wait.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice

import apsw

from tkgmem.store import claims, derivation
from tkgmem.store.checks import EXAMPLES, Finding

_COLUMNS = {
    "versions": (
        "fact_id, group_id, source_id, relation, target_id, valid_at, invalid_at, valid_precision, invalid_precision,"
        " cause, cause_id, learned_at, created_at, expired_at"
    ),
    "supports": "claim_id, fact_id, undated, created_at, expired_at",
}
_MADE = (
    f"CREATE TEMP TABLE versions (id INTEGER PRIMARY KEY, {_COLUMNS['versions']});"
    "CREATE INDEX temp.versions_of_fact ON versions (fact_id) WHERE expired_at IS NULL;"
    "CREATE TEMP TABLE supports (claim_id, fact_id, undated DEFAULT 0, created_at, expired_at);"
    "CREATE INDEX temp.supports_of_claim ON supports (claim_id) WHERE expired_at IS NULL;"
)
_WRONG = "a fact's periods, or what supports it, are not what the claims say"


@contextmanager
def _derived(db: apsw.Connection) -> Iterator[None]:
    """While it lasts, `versions` and `supports` are what the claims derive; the file's own are `main.versions` and so on."""
    db.execute(_MADE)
    try:
        derivation.rebuild(db)
        yield
    finally:
        db.execute("DROP TABLE temp.versions; DROP TABLE temp.supports;")


def out_of_step(db: apsw.Connection) -> list[int]:
    """The claims (rows) whose facts' versions, or whose supports, differ from what is derived, ascending."""
    found: set[int] = set()
    with _derived(db):
        for table, columns in _COLUMNS.items():
            each = f"SELECT {columns}, {{}} AS n FROM {{}}.{table}"
            both = f"{each.format(1, 'main')} UNION ALL {each.format(-1, 'temp')}"
            differing = f"SELECT {columns} FROM ({both}) GROUP BY {columns} HAVING sum(n) <> 0"
            for (row,) in db.execute(f"SELECT DISTINCT {'fact_id' if table == 'versions' else 'claim_id'} FROM ({differing})"):
                found.add(int(row))
    return sorted(found)


def check(db: apsw.Connection) -> tuple[int, list[Finding]]:
    """How many derived rows there are, and what is wrong with them."""
    looked = sum(int(db.execute(f"SELECT count(*) FROM main.{table}").get) for table in _COLUMNS)
    wrong = out_of_step(db)
    if not wrong:
        return looked, []
    uuids = tuple(row.uuid for row in islice(claims.by_ids(db, wrong[: 10 * EXAMPLES]), EXAMPLES))
    return looked, [Finding(_WRONG, len(wrong), uuids, derived=True)]


def mend(db: apsw.Connection, wrong: list[int]) -> None:
    """Derive the facts of these claims again, and all that is tied to them, in the caller's transaction."""
    for table, columns in (("versions", ("fact_id",)), ("supports", ("claim_id", "fact_id"))):
        for column in columns:
            db.execute(f"DELETE FROM {table} WHERE {column} NOT IN (SELECT id FROM claims)")
    derivation.rebuild(db, claims.by_ids(db, wrong))
