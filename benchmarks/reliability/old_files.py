"""Files as the first release wrote them: schema 1, with vectors in vec0 tables."""

from __future__ import annotations

import datetime as dt
from importlib import resources
from pathlib import Path

import apsw
import sqlite_vec

from tkgmem import Memory
from tkgmem.store.migrate import APPLICATION_ID
from tkgmem.testing import FixedClock, HashEmbedder

DIMENSION = 8
_TABLES = (
    "meta", "groups", "transactions", "episodes", "entities", "aliases", "mentions", "relations", "claims", "conflicts",
    "versions", "supports",
)  # fmt: skip


def write_schema_1(path: Path, episodes: int) -> None:
    """A file with so many episodes and as many facts told by a program."""
    newer = path.with_name("newer.db")
    clock = FixedClock(dt.datetime(2025, 1, 1, tzinfo=dt.UTC), step=dt.timedelta(seconds=1))
    with Memory(newer, embedder=HashEmbedder(DIMENSION), clock=clock) as memory:
        for number in range(episodes):
            memory.add(f"Mira{number} lives in Porto since {1990 + number % 30}.", reference_time="2025-01-01")
            memory.add_fact(f"Mira{number % 7}", "WORKS_AT", f"Acme{number}", valid_at=f"{1990 + number % 30}")
    db = apsw.Connection(str(path))
    db.enable_load_extension(True)
    db.load_extension(sqlite_vec.loadable_path())
    with db:
        db.execute(resources.files("tkgmem.store").joinpath("migrations", "0001_first.sql").read_text(encoding="utf-8"))
        db.pragma("application_id", APPLICATION_ID)
        db.pragma("user_version", 1)
    db.execute("ATTACH ? AS newer", (str(newer),))
    with db:
        _copy(db)
    db.execute("DETACH newer")
    db.close()
    newer.unlink()


def _copy(db: apsw.Connection) -> None:
    for table in _TABLES:
        columns = ", ".join(str(name) for (name,) in db.execute("SELECT name FROM pragma_table_info(?)", (table,)))
        db.execute(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM newer.{table}")
    for table in ("episode_text", "claim_text", "entity_text"):
        db.execute(f"INSERT INTO {table} (rowid, text) SELECT rowid, text FROM newer.{table}")
    for kind in ("episode", "claim"):
        db.execute(
            f"CREATE VIRTUAL TABLE {kind}_vectors USING vec0 (group_id INTEGER PARTITION KEY,"
            f" embedding FLOAT[{DIMENSION}] DISTANCE_METRIC=cosine)"
        )
        rows = f"FROM newer.passages p WHERE p.{kind}_id IS NOT NULL"
        db.execute(f"INSERT INTO passages (id, {kind}_id) SELECT p.id, p.{kind}_id {rows}")
        db.execute(
            f"INSERT INTO {kind}_vectors (rowid, group_id, embedding) SELECT p.id, s.group_id, v.vector FROM newer.passages p"
            f" JOIN newer.shelves s ON s.id = p.shelf_id JOIN newer.vectors v ON v.id = p.id WHERE p.{kind}_id IS NOT NULL"
        )
