"""Ways to spoil a memory's file: bytes, pages, a schema that is not ours, and values that cannot be.

Each is a pure function of the sound file and a random source; `CANARY` is what foreign SQL would call or write.
"""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw

CANARY = "canary"
"""The name of a function, of a virtual table's module and of a key in `meta` that only foreign SQL uses."""

Mutation = Callable[[Path, Path, random.Random], None]
"""Writes a spoilt copy of the first path to the second."""


# --- bytes and pages ---


def _bytes(change: Callable[[bytearray, random.Random], None]) -> Mutation:
    def mutate(sound: Path, target: Path, dice: random.Random) -> None:
        image = bytearray(sound.read_bytes())
        change(image, dice)
        target.write_bytes(image)

    return mutate


def _flip(image: bytearray, dice: random.Random, places: range) -> None:
    for _ in range(dice.choice((1, 1, 1, 2, 4, 8, 16, 32, 64))):
        image[dice.choice(places)] ^= 1 << dice.randrange(8)


def _size(image: bytearray) -> int:
    return int.from_bytes(image[16:18], "big")


def _flip_anywhere(image: bytearray, dice: random.Random) -> None:
    _flip(image, dice, range(len(image)))


def _flip_header(image: bytearray, dice: random.Random) -> None:
    _flip(image, dice, range(100))


def _flip_schema(image: bytearray, dice: random.Random) -> None:
    _flip(image, dice, range(100, _size(image)))


def _flip_page_header(image: bytearray, dice: random.Random) -> None:
    """The type of a page, its counts, and where its cells are."""
    start = dice.randrange(len(image) // _size(image)) * _size(image)
    start += 100 if start == 0 else 0
    _flip(image, dice, range(start, start + 48))


def _truncate(image: bytearray, dice: random.Random) -> None:
    size = _size(image)
    del image[dice.choice((dice.randrange(len(image)), dice.randrange(len(image) // size) * size)) :]


def _pages(image: bytearray, dice: random.Random) -> tuple[slice, slice]:
    size = _size(image)
    first, second = dice.sample(range(len(image) // size), 2)
    return slice(first * size, (first + 1) * size), slice(second * size, (second + 1) * size)


def _zero_page(image: bytearray, dice: random.Random) -> None:
    image[_pages(image, dice)[0]] = bytes(_size(image))


def _duplicate_page(image: bytearray, dice: random.Random) -> None:
    source, target = _pages(image, dice)
    image[target] = image[source]


def _swap_pages(image: bytearray, dice: random.Random) -> None:
    first, second = _pages(image, dice)
    image[first], image[second] = image[second], image[first]


# --- schema ---

_TABLES = ("claims", "episodes", "entities", "versions", "meta", "passages", "vectors", "transactions")
_WRITE = f"INSERT INTO meta (key, value) VALUES ('{CANARY}', 'x')"

_FOREIGN = (
    "CREATE TRIGGER x AFTER INSERT ON {table} BEGIN " + _WRITE + "; END",
    "CREATE TRIGGER x BEFORE UPDATE ON {table} BEGIN " + _WRITE + "; END",
    "CREATE TRIGGER x AFTER DELETE ON {table} BEGIN " + _WRITE + "; END",
    f"CREATE TRIGGER x INSTEAD OF INSERT ON facts BEGIN {_WRITE}; END",
    f"CREATE VIEW x AS SELECT {CANARY}(1) AS a",
    f"ALTER TABLE {{table}} RENAME TO x; CREATE VIEW {{table}} AS SELECT *, {CANARY}(1) FROM x",
    f"ALTER TABLE {{table}} RENAME TO x; CREATE VIRTUAL TABLE {{table}} USING {CANARY}",
    f"CREATE VIRTUAL TABLE x USING {CANARY}",
    "CREATE VIRTUAL TABLE x USING fts5 (text, content='claims')",
    "CREATE VIRTUAL TABLE x USING fts5vocab ('claim_text', 'row')",
    "CREATE VIRTUAL TABLE x USING rtree (id, a, b)",
    "CREATE TABLE x (a)",
    "CREATE TABLE [claims ] (a)",
    f"CREATE INDEX x ON {{table}} ({CANARY}(1))",
    f"CREATE INDEX x ON {{table}} (1) WHERE {CANARY}(1)",
    "CREATE INDEX x ON {table} (1)",
    f"ALTER TABLE {{table}} ADD COLUMN x DEFAULT ({CANARY}(1))",
    f"ALTER TABLE {{table}} ADD COLUMN x TEXT GENERATED ALWAYS AS ({CANARY}(1)) VIRTUAL",
    f"ALTER TABLE {{table}} ADD COLUMN x TEXT CHECK ({CANARY}(1))",
    "DROP VIEW facts",
    "DROP INDEX claims_by_triple",
    "DROP TABLE claim_text",
    f"DROP VIEW facts; CREATE VIEW facts AS SELECT {CANARY}(1) AS a",
    "DROP TABLE claim_text; CREATE VIRTUAL TABLE claim_text USING fts5 (text, content='meta', content_rowid='value')",
    f"DROP TABLE claim_text; CREATE VIRTUAL TABLE claim_text USING {CANARY}",
)
_EDITS = (
    "UPDATE sqlite_schema SET sql = replace(sql, 'DEFAULT ''{}''', 'DEFAULT (" + CANARY + "(1))') WHERE name = 'claims'",
    "UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ', CHECK (" + CANARY + "(1))) STRICT') WHERE name = '{table}'",
    "UPDATE sqlite_schema SET sql = replace(sql, ' STRICT', '') WHERE name = '{table}'",
    "UPDATE sqlite_schema SET name = upper(name), tbl_name = upper(name) WHERE name = '{table}'",
    "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'claims') WHERE name = 'entities'",
    "UPDATE sqlite_schema SET rootpage = 0 WHERE name = '{table}'",
    "UPDATE sqlite_schema SET tbl_name = 'meta' WHERE name = 'claims_by_triple'",
    "UPDATE sqlite_schema SET sql = NULL WHERE name = 'claims_by_triple'",
    "UPDATE sqlite_schema SET sql = x'00ff' WHERE name = '{table}'",
    "DELETE FROM sqlite_schema WHERE name = '{table}'",
    "UPDATE sqlite_schema SET type = 'view' WHERE name = '{table}'",
    "INSERT INTO sqlite_schema VALUES ('table', 'x', 'x', 0, 'CREATE VIRTUAL TABLE x USING " + CANARY + "')",
    "INSERT INTO sqlite_schema VALUES ('index', 'x', 'sqlite_master', 3, 'CREATE INDEX x ON sqlite_master (name)')",
    "INSERT INTO sqlite_schema VALUES ('table', 'sqlite_stat1', 'sqlite_stat1', 0, 'CREATE VIRTUAL TABLE sqlite_stat1 USING "
    + CANARY
    + "')",
    "INSERT INTO sqlite_schema SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema WHERE name = '{table}'",
    "INSERT INTO sqlite_schema VALUES ('trigger', 'x', '{table}', 0, 'CREATE TRIGGER x AFTER INSERT ON {table} BEGIN "
    + _WRITE.replace("'", "''")
    + "; END')",
    "PRAGMA user_version = 1",
    "PRAGMA user_version = 0",
    "PRAGMA user_version = 99",
    "PRAGMA application_id = 0",
)


def _opened(sound: Path, target: Path) -> apsw.Connection:
    """A copy that anything can be done to."""
    shutil.copyfile(sound, target)
    db = apsw.Connection(str(target))
    db.create_scalar_function(CANARY, lambda *_: 1, flags=apsw.SQLITE_INNOCUOUS | apsw.SQLITE_DETERMINISTIC)
    db.create_module(CANARY, Listening())
    db.pragma("journal_mode", "off")
    db.pragma("synchronous", "off")
    db.pragma("ignore_check_constraints", True)
    db.pragma("foreign_keys", False)
    return db


class Listening:
    """A module of virtual tables that keeps whether a table of it was ever made or opened."""

    def __init__(self) -> None:
        self.heard = False

    def Create(self, *_: object) -> tuple[str, Listening]:  # noqa: N802
        self.heard = True
        return "CREATE TABLE x (a)", self

    Connect = Create

    def Disconnect(self) -> None:  # noqa: N802
        """Nothing is kept."""

    Destroy = Disconnect


def foreign(sound: Path, target: Path, dice: random.Random) -> None:
    """A schema that is not ours."""
    statement = dice.choice(_FOREIGN + _EDITS).replace("{table}", dice.choice(_TABLES))
    db = _opened(sound, target)
    if "sqlite_schema" in statement:
        db.pragma("writable_schema", True)
    try:
        db.execute(statement)
    except apsw.Error:  # not every statement goes with every table; the file may still be changed
        if db.in_transaction:
            db.execute("ROLLBACK")
    finally:
        db.close()


# --- values ---

_VALUES = (
    "NULL", "'text'", "''", "-1", "0", "1", "4611686018427387904", "-9223372036854775808", "9223372036854775807", "1e308",
    "0.5", "x'fffe'", "CAST(x'fffe' AS TEXT)", "zeroblob(64)", "zeroblob(63)", "x'0000c07f' || zeroblob(60)",
    "CAST(x'0000c07f' || zeroblob(60) AS BLOB)", "CAST(replace(hex(zeroblob(32)), '0', 'z') AS BLOB)", "'{'", "'[]'", "'[1]'",
    "'[\"a\"]'", "'null'", "'{\"a\": 1}'", "replace(hex(zeroblob(50000)), '0', '[')", "'a' || char(0) || 'b'",
    "replace(hex(zeroblob(500000)), '0', 'long ')", "char(55296)", "'year'", "'9999999999999999999999'",
)  # fmt: skip


def values(sound: Path, target: Path, dice: random.Random) -> None:
    """Values that cannot be, in a table whose schema is ours again afterwards."""
    db = _opened(sound, target)
    tables = [name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%STRICT%'")]
    table = dice.choice(sorted(str(name) for name in tables if db.execute(f"SELECT count(*) FROM {name}").get))
    column = dice.choice([str(name) for (name,) in db.execute("SELECT name FROM pragma_table_info(?)", (table,))])
    every = db.execute(f"SELECT count(*) FROM {table}").get
    number = dice.choice((1, 1, 1, every))
    kept = db.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (table,)).get
    lax = (
        re.sub(r"(?<!IS) NOT NULL", "", str(kept)).replace(" STRICT, WITHOUT ROWID", " WITHOUT ROWID").replace(") STRICT", ")")
    )
    _set_sql(db, table, lax)
    db.close()
    db = apsw.Connection(str(target))
    db.pragma("ignore_check_constraints", True)
    db.pragma("journal_mode", "off")
    key = next(str(name) for (name,) in db.execute("SELECT name FROM pragma_table_info(?) WHERE pk = 1", (table,)))
    query = f"SELECT {_quoted(key)} FROM {table} ORDER BY 1 LIMIT ? OFFSET ?"
    rows = [row for (row,) in db.execute(query, (number, dice.randrange(every - number + 1)))]
    value = dice.choice(_VALUES)
    for row in rows:
        try:
            db.execute(f"UPDATE {table} SET {_quoted(column)} = {value} WHERE {_quoted(key)} = ?", (row,))
        except apsw.Error:  # a name that must be unique, or a key that must be a number
            break
    _set_sql(db, table, str(kept))
    db.close()


def _quoted(name: str) -> str:
    return f'"{name}"'


def _set_sql(db: apsw.Connection, table: str, sql: str) -> None:
    db.pragma("writable_schema", True)
    db.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (sql, table))
    db.pragma("writable_schema", False)


_PICK = "(SELECT id FROM {of} ORDER BY id LIMIT 1 OFFSET {number})"
_TANGLES = (
    "UPDATE claims SET replaced_by_id = id",
    "UPDATE claims SET replaced_by_id = CASE WHEN id = (SELECT max(id) FROM claims) THEN 1 ELSE id + 1 END",
    "UPDATE claims SET replaced_by_id = {missing} WHERE id = {claim}",
    "UPDATE claims SET source_id = {missing} WHERE id = {claim}",
    "UPDATE claims SET target_id = source_id",
    "UPDATE claims SET group_id = {missing} WHERE id = {claim}",
    "UPDATE claims SET episode_id = {missing}",
    "UPDATE versions SET fact_id = {missing} WHERE id = {version}",
    "UPDATE versions SET fact_id = {claim}",
    "UPDATE versions SET source_id = {missing} WHERE id = {version}",
    "UPDATE versions SET cause_id = {missing}",
    "UPDATE versions SET valid_at = invalid_at",
    "UPDATE versions SET group_id = {missing}",
    "DELETE FROM supports",
    "UPDATE supports SET fact_id = {missing} WHERE claim_id = {claim}",
    "UPDATE supports SET fact_id = {claim}",
    "UPDATE merges SET into_id = entity_id",
    "INSERT INTO merges (group_id, entity_id, into_id, created_at) SELECT group_id, into_id, entity_id, created_at FROM merges",
    "UPDATE merges SET into_id = {missing}",
    "UPDATE moves SET entity_id = {missing}",
    "UPDATE aliases SET entity_id = {missing}",
    "UPDATE aliases SET key = 'ann'",
    "DELETE FROM aliases",
    "DELETE FROM entities WHERE id = {entity}",
    "DELETE FROM entities",
    "DELETE FROM claims WHERE id = {claim}",
    "DELETE FROM claims",
    "DELETE FROM groups",
    "UPDATE groups SET name = name || 'x'",
    "DELETE FROM meta WHERE key = 'embedder.sha256'",
    "UPDATE meta SET value = '9223372036854775808' WHERE key = 'embedder.dimension'",
    "UPDATE relations SET inverse = name",
    "UPDATE relations SET name = 'LIVES_IN'",
    "UPDATE relations SET aliases = '[\"LIVES_IN\"]'",
    "DELETE FROM relations",
    "DELETE FROM vectors WHERE id = (SELECT max(id) FROM vectors)",
    "DELETE FROM passages WHERE id = (SELECT max(id) FROM passages)",
    "UPDATE passages SET shelf_id = {missing}",
    "UPDATE passages SET shelf_id = 1",
    "UPDATE vectors SET vector = zeroblob(length(vector))",
    "UPDATE vectors SET vector = substr(vector, 1, 60)",
    "UPDATE vectors SET vector = x'0000c07f' || substr(vector, 5) WHERE id = (SELECT min(id) FROM vectors)",
    "UPDATE vectors SET vector = CAST(x'0000807f' || substr(vector, 5) AS BLOB)",
    "UPDATE shelves SET size = size + 1",
    "UPDATE shelves SET size = 9223372036854775807",
    "UPDATE shelves SET framed = 5000",
    "UPDATE shelves SET frame = x'00'",
    "UPDATE shelves SET kind = 'claim' WHERE id = 1",
    "UPDATE mentions SET span_start = -5, span_end = 9223372036854775807",
    "UPDATE claims SET span_start = 900000, span_end = 10",
    "UPDATE sqlite_sequence SET seq = 9223372036854775807",
    "UPDATE sqlite_sequence SET seq = 'x'",
    "DELETE FROM sqlite_sequence",
    "UPDATE claim_text_data SET block = CAST(hex(block) AS BLOB)",
    "UPDATE claim_text_content SET c0 = x'ff'",
    "UPDATE claim_text_config SET v = 99",
    "INSERT INTO claim_text_config VALUES ('rank', 'canary(1)')",
    "DELETE FROM episode_text_idx",
)


def tangles(sound: Path, target: Path, dice: random.Random) -> None:
    """References that go round, or nowhere, and rows that are not there."""
    db = _opened(sound, target)
    statement = dice.choice(_TANGLES)
    picked = {
        of: _PICK.format(of=table, number=dice.randrange(20))
        for of, table in (("claim", "claims"), ("version", "versions"), ("entity", "entities"))
    }
    for name, value in {**picked, "missing": "123456789"}.items():
        statement = statement.replace(f"{{{name}}}", value)
    try:
        db.execute(statement)
    except apsw.Error:  # two that must be different became the same
        pass
    finally:
        db.close()


KINDS: dict[str, tuple[int, Mutation]] = {
    "bits anywhere": (500, _bytes(_flip_anywhere)),
    "bits of the header": (150, _bytes(_flip_header)),
    "bits of page headers": (300, _bytes(_flip_page_header)),
    "bits of the schema page": (150, _bytes(_flip_schema)),
    "cut short": (100, _bytes(_truncate)),
    "page of zeros": (150, _bytes(_zero_page)),
    "page twice": (150, _bytes(_duplicate_page)),
    "pages swapped": (100, _bytes(_swap_pages)),
    "foreign schema": (200, foreign),
    "wrong values": (100, values),
    "tangled references": (100, tangles),
}
"""The ways, and how many of 2,000 files are spoilt by each."""


def chosen(number: int) -> Iterator[tuple[str, Mutation]]:
    """So many ways in their proportions, each at least once."""
    total = sum(share for share, _ in KINDS.values())
    for kind, (share, mutation) in KINDS.items():
        for _ in range(max(1, round(number * share / total))):
            yield kind, mutation
