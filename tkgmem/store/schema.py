"""What a file of ours looks like: the tables, indexes and views that the migrations make, word for word, and nothing else.

SQLite runs what a schema holds: triggers, views, virtual tables, expressions in indexes and defaults. So one that is not ours
is refused before any of it can run.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from importlib import resources
from typing import NamedTuple

import apsw

LATEST = "9b85a7c1295b72953258bc178a120760e294526bb1e5fc1c6ce966acba6054d4"
"""A checksum of the schema that the migrations make, so that opening a file need not run them; the tests keep it right."""

_STATISTICS = {
    "sqlite_stat1": "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
    "sqlite_stat4": "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
}
_FULL_TEXTS = ("episode_text", "claim_text", "entity_text", "summary_text")
_FTS5_VERSIONS = (4, 5)
_VECTOR_TABLE = re.compile(
    r"CREATE VIRTUAL TABLE (?:episode|claim|entity)_vectors USING vec0 \(group_id INTEGER PARTITION KEY,"
    r" embedding FLOAT\[\d{1,5}\] DISTANCE_METRIC=cosine(?:, chunk_size=\d{1,5})?\)"
)
_VECTOR_SHADOWS = {
    "info": " (key text primary key, value any)",
    "chunks": (
        "(chunk_id INTEGER PRIMARY KEY AUTOINCREMENT,size INTEGER NOT NULL,sequence_id integer,partition00,"
        "validity BLOB NOT NULL, rowids BLOB NOT NULL)"
    ),
    "rowids": "(rowid INTEGER PRIMARY KEY AUTOINCREMENT,id,chunk_id INTEGER,chunk_offset INTEGER)",
    "vector_chunks00": "(rowid PRIMARY KEY,vectors BLOB NOT NULL)",
}
"""What vec0 kept beside each table of vectors in schema 1 and 2; info and vector_chunks00 have an index."""


_NOT = ("not one that tkgmem makes", "not as tkgmem makes it")


class Thing(NamedTuple):
    """A row of sqlite_schema. stored: whether it has pages of its own."""

    type: str
    name: str
    table: str
    sql: str | None
    stored: bool


@cache
def scripts() -> tuple[tuple[int, str], ...]:
    """The migrations: number and SQL, in order."""
    folder = resources.files("tkgmem.store").joinpath("migrations")
    found = [(int(name.group(1)), file) for file in folder.iterdir() if (name := re.match(r"(\d+)_.*\.sql$", file.name))]
    return tuple((number, file.read_text(encoding="utf-8")) for number, file in sorted(found, key=lambda item: item[0]))


def latest() -> int:
    """The number of the last migration."""
    return scripts()[-1][0]


@cache
def made(version: int) -> frozenset[Thing]:
    """The schema that the migrations up to a version make."""
    db = apsw.Connection(":memory:")
    db.execute("BEGIN")
    for number, sql in scripts():
        if number <= version:
            db.execute(sql)
    found = frozenset(_things(db)[0])
    db.close()
    return found


def checksum(things: Iterable[Thing]) -> str:
    """What tells one schema from another."""
    return hashlib.sha256("\0".join(sorted(repr(tuple(thing)) for thing in things)).encode()).hexdigest()


def difference(db: apsw.Connection, version: int) -> str | None:
    """How the schema is not what the migrations up to a version make, in words; None where it is just that."""
    found, pages = _things(db)
    if len(pages) != len(set(pages)):
        return "two of its tables share a page"
    twice = [name for name, count in Counter(thing.name.lower() for thing in found).items() if count > 1]
    if twice:
        return f"it has two objects named {_short(twice[0])}"
    rest = {thing for thing in found if not _is_statistics(thing)}
    if version == latest() and checksum(rest) == LATEST:
        return _other_setting(db)
    wanted = made(version) | (_vec0(rest) if version < 3 else frozenset())
    ours, theirs = {thing.name for thing in wanted}, {thing.name for thing in rest}
    said = [f"the {thing.type} {thing.name} is missing" for thing in wanted - rest if thing.name not in theirs]
    said += [f"the {_kind(thing.type)} {_short(thing.name)} is {_NOT[thing.name in ours]}" for thing in rest - wanted]
    return min(said) if said else _other_setting(db)


def _other_setting(db: apsw.Connection) -> str | None:
    """A setting of the full text that we never make: one tells FTS5 what to call for the rank."""
    for table in full_texts(db):
        for key, value in db.execute(f"SELECT k, v FROM {table}_config"):
            if key != "version" or value not in _FTS5_VERSIONS:
                return f"the full text {table} is set up in another way"
    return None


def full_texts(db: apsw.Connection) -> list[str]:
    """The full texts of a file, whichever version made it."""
    there = {name for (name,) in db.execute("SELECT name FROM sqlite_schema NOT INDEXED WHERE type = 'table'")}
    return [table for table in _FULL_TEXTS if table in there]


def _things(db: apsw.Connection) -> tuple[list[Thing], list[object]]:
    """The rows of sqlite_schema, read without any index, and the pages where those that are stored begin."""
    found, pages = [], []
    for kind, name, table, page, sql in db.execute("SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema NOT INDEXED"):
        found.append(Thing(_text(kind), _text(name), _text(table), None if sql is None else _text(sql), bool(page)))
        if page:
            pages.append(page)
    return found, pages


def _text(value: object) -> str:
    """A value that ought to be text; another one is shown as what it is, which no name of ours equals."""
    return value if isinstance(value, str) else repr(value)


def _kind(name: str) -> str:
    return name if name in {"table", "index", "view", "trigger"} else _short(name)


def _short(name: str) -> str:
    return repr(name if len(name) <= 60 else f"{name[:60]}...")


def _is_statistics(thing: Thing) -> bool:
    return thing == Thing("table", thing.name, thing.name, _STATISTICS.get(thing.name, ""), True)


def _vec0(found: Iterable[Thing]) -> frozenset[Thing]:
    """The tables of vectors that are as schema 1 and 2 had them, with what belongs to them."""
    wanted: set[Thing] = set()
    for thing in found:
        if thing.type == "table" and thing.sql is not None and _VECTOR_TABLE.fullmatch(thing.sql):
            name = thing.sql.split(" ")[3]
            wanted.add(Thing("table", name, name, thing.sql, False))
            for end, columns in _VECTOR_SHADOWS.items():
                shadow = f"{name}_{end}"
                wanted.add(Thing("table", shadow, shadow, f'CREATE TABLE "{shadow}"{columns}', True))
                if end in {"info", "vector_chunks00"}:
                    wanted.add(Thing("index", f"sqlite_autoindex_{shadow}_1", shadow, None, True))
    return frozenset(wanted)
