"""What is in a file, and whether it hangs together: counted by SQL, apart from `Memory.doctor`, so that each checks the other.

Full text and vectors are derived from rows: every name, claim and finished episode has its own, and nothing else has any.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import apsw

from tkgmem import Memory
from tkgmem.store import derivation
from tkgmem.store.connection import Connection

Rows = Mapping[str, list[tuple[Any, ...]]]
"""Every row of every table, in an order of its own."""

_TEXT_TABLES = {"episode_text": "episodes", "claim_text": "claims", "entity_text": "aliases"}
_TABLES = (
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
    " AND name NOT GLOB '*_text_*' AND name NOT GLOB 'sqlite_*' ORDER BY name"
)
_NAMED = ("episodes", "claims", "entities")  # their second column is a uuid
_NAMES = "entities with another number of names than of vectors"
_UNCLEAN = "remains"  # forgotten bytes are to be removed by whoever opens it next
_MISSING = {
    "forgotten bytes that are still there": f"SELECT count(*) FROM meta WHERE key = '{_UNCLEAN}'",
    "episodes without full text": (
        "SELECT count(*) FROM episodes WHERE state <> 'pending' AND id NOT IN (SELECT rowid FROM episode_text)"
    ),
    "claims without full text": "SELECT count(*) FROM claims WHERE id NOT IN (SELECT rowid FROM claim_text)",
    "names without full text": "SELECT count(*) FROM aliases WHERE id NOT IN (SELECT rowid FROM entity_text)",
    "full text without an episode": "SELECT count(*) FROM episode_text WHERE rowid NOT IN (SELECT id FROM episodes)",
    "full text without a claim": "SELECT count(*) FROM claim_text WHERE rowid NOT IN (SELECT id FROM claims)",
    "full text without a name": "SELECT count(*) FROM entity_text WHERE rowid NOT IN (SELECT id FROM aliases)",
    "episodes without a vector": (
        "SELECT count(*) FROM episodes e WHERE state <> 'pending'"
        " AND NOT EXISTS (SELECT 1 FROM passages p WHERE p.episode_id = e.id)"
    ),
    "claims without a vector": (
        "SELECT count(*) FROM claims c WHERE NOT EXISTS (SELECT 1 FROM passages p WHERE p.claim_id = c.id)"
    ),
    _NAMES: (
        "SELECT count(*) FROM entities e"
        " WHERE (SELECT count(*) FROM aliases a WHERE a.entity_id = e.id AND a.episode_id IS NULL)"
        " <> (SELECT count(*) FROM passages p WHERE p.entity_id = e.id)"
    ),
    "passages without a vector": "SELECT count(*) FROM passages WHERE id NOT IN (SELECT id FROM vectors)",
    "vectors without a passage": "SELECT count(*) FROM vectors WHERE id NOT IN (SELECT id FROM passages)",
    "shelves that miscount": (
        "SELECT count(*) FROM shelves s WHERE s.size <> (SELECT count(*) FROM passages p WHERE p.shelf_id = s.id)"
    ),
    "vectors that wait for no embedder": (
        "SELECT count(*) FROM next_vectors WHERE NOT EXISTS (SELECT 1 FROM meta WHERE key GLOB 'next_embedder.*')"
    ),
}


def rows(memory: Memory) -> Rows:
    """All that the file says, row numbers included; of the full text its words. Not that it is still to be cleaned."""
    with memory._store.read() as db:  # noqa: SLF001 - the rows are below what a user can reach
        found = {str(name): _sorted(db, f'SELECT * FROM "{name}"') for (name,) in db.execute(_TABLES).fetchall()}
        found["meta"] = [row for row in found["meta"] if row[0] != _UNCLEAN]
        return found | {name: _sorted(db, f"SELECT rowid, text FROM {name}") for name in _TEXT_TABLES}


def plain_rows(path: Path) -> Rows:
    """Every row of every ordinary table of a closed file, of whatever schema."""
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY name"
        return {str(name): _sorted(db, f'SELECT * FROM "{name}"') for (name,) in db.execute(tables).fetchall()}
    finally:
        db.close()


def problems(memory: Memory, *, named: bool = True) -> list[str]:
    """What is wrong with an open file; nothing, if it is as it should be. Nothing in it changes.

    named: whether names have vectors; those of a file of schema 1 have none.
    """
    with memory._store.write() as db:  # noqa: SLF001 - so are these
        found = [*_database(db), *_derived(db)]
        counts = {what: db.execute(query).get for what, query in _MISSING.items() if named or what != _NAMES}
        found += [f"{count} {what}" for what, count in counts.items() if count]
        db.execute("ROLLBACK")
    told = [problem for problem in memory.doctor().problems if named or problem.check != "vectors"]
    return found + [f"doctor: {problem.check}: {problem.detail}" for problem in told]


def side_files(path: Path) -> list[str]:
    """The names of the files beside a file that begin with its name and a hyphen."""
    return sorted(file.name for file in path.parent.glob(f"{path.name}-*"))


def state_of(left: Rows, before: Rows, after: Rows | None) -> str:
    """The state of the call that was cut off: not begun, done, or done in part, with all that was there and nothing else."""
    if left == before:
        return "before"
    if after is None:
        return "other"
    if left == after:
        return "after"
    keys = [[{row[1] for row in state[table]} for table in _NAMED] for state in (before, left, after)]
    counts = [[len(state[table]) for table in _NAMED] for state in (before, left, after)]
    inside = all(first <= now <= last for first, now, last in zip(*keys, strict=True))
    return "part" if inside and all(a <= b <= c for a, b, c in zip(*counts, strict=True)) else "other"


def difference(wanted: Rows, found: Rows) -> str:
    """The tables that differ, with the first row of each that is only in one."""
    tables = [name for name in {**wanted, **found} if wanted.get(name) != found.get(name)]
    first = {
        name: [row for row in wanted.get(name, []) if row not in found.get(name, [])][:1]
        + [row for row in found.get(name, []) if row not in wanted.get(name, [])][:1]
        for name in tables
    }
    return str(first)[:1_000]


def _sorted(db: Connection, query: str) -> list[tuple[Any, ...]]:
    return sorted(db.execute(query).fetchall(), key=repr)


def _database(db: Connection) -> list[str]:
    """What SQLite itself finds, in the tables, the references between them and the full text."""
    found = [f"integrity: {row[0]}" for row in db.execute("PRAGMA integrity_check") if row[0] != "ok"]
    found += [f"reference: {row}" for row in db.execute("PRAGMA foreign_key_check")]
    for table in _TEXT_TABLES:
        db.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('integrity-check', 1)")
    return found


def _derived(db: Connection) -> list[str]:
    """Whether deriving the beliefs again gives the same; the transaction is rolled back by the caller."""
    before = _beliefs(db)
    derivation.rebuild(db)
    return [f"{table} differ from what the claims derive" for table, kept in _beliefs(db).items() if kept != before[table]]


def _beliefs(db: Connection) -> dict[str, list[tuple[Any, ...]]]:
    found = {}
    for table in ("versions", "supports"):
        columns = [str(name) for _, name, *_ in db.execute(f"PRAGMA table_info({table})") if name != "id"]
        found[table] = _sorted(db, f"SELECT {', '.join(columns)} FROM {table}")
    return found
