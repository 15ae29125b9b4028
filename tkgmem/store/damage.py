"""What is wrong with a file, looked for when something went wrong that never does with a sound one.

Every row is read. What reading relies on beyond what SQLite itself keeps is checked here; nothing is changed.
"""

from __future__ import annotations

import datetime as dt
import dis
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, get_args

import apsw

from tkgmem.store.frames import signature_bytes
from tkgmem.store.schema import full_texts
from tkgmem.store.shelves import SIGNED, UNIT
from tkgmem.temporal.period import Precision, to_micros

SURPRISES = (
    ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError, apsw.Error,
)  # fmt: skip
"""What a value that cannot be makes of the code that trusts it."""

_FIRST, _LAST = (to_micros(bound) for bound in (dt.datetime.min.replace(tzinfo=dt.UTC), dt.datetime.max.replace(tzinfo=dt.UTC)))
_DAY = 86_400
_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%STRICT%' ORDER BY name"
_UNDECLARED = (
    ("versions", "source_id", "entities"), ("versions", "target_id", "entities"), ("versions", "group_id", "groups"),
    ("aliases", "group_id", "groups"),
)  # fmt: skip
"""References that the schema does not declare: table, column, and the table that it is of."""
_ROWS = ("group_ids", "facts", "entities", "episodes", "communities")  # columns of the recall log that list rows

_Check = Callable[[Any], bool]


def is_meant(error: BaseException) -> bool:
    """Whether an error is about an argument: this package raised it, with a `raise` that says what is wrong.

    What a function outside of `store` refuses when it is called from there was a stored value.
    """
    last, store = error.__traceback__, False
    while last is not None and last.tb_next is not None:
        module = str(last.tb_frame.f_globals.get("__name__"))
        store |= module.startswith("tkgmem.store.") and module != "tkgmem.store.connection"  # which only passes it on
        last = last.tb_next
    if last is None or not isinstance(error, TypeError | ValueError):
        return False
    code, module = last.tb_frame.f_code.co_code, str(last.tb_frame.f_globals.get("__name__"))
    ours = module.startswith("tkgmem.store." if store else "tkgmem.")
    return ours and code[last.tb_lasti] == dis.opmap["RAISE_VARARGS"]


def found(db: apsw.Connection) -> str | None:
    """The first damage, in words; None where there is none that can be told."""
    try:
        return next(_all(db), None)
    except (apsw.CorruptError, apsw.IOError, apsw.SQLError, apsw.TooBigError, UnicodeError) as error:
        return str(error)  # full text whose own tables are spoilt is an SQLError, a text that is none a UnicodeError


def _all(db: apsw.Connection) -> Iterator[str]:
    yield from (str(row).splitlines()[-1] for (row,) in db.execute("PRAGMA integrity_check(1)") if row != "ok")
    tables = [str(name) for (name,) in db.execute(_TABLES)]
    for table, row, parent, _ in db.execute("PRAGMA foreign_key_check"):
        yield f"row {row} of {table} names one of {parent} that is not there"
    for table, column, parent in _UNDECLARED:
        for (row,) in db.execute(f"SELECT id FROM {table} WHERE {column} NOT IN (SELECT id FROM {parent})"):
            yield f"row {row} of {table} names one of {parent} that is not there"
    meta = {str(key): str(value) for key, value in db.execute("SELECT key, value FROM meta")}
    yield from _embedder(meta)
    rules = _rules(meta)
    for table in tables:
        yield from _values(db, table, rules)
    for table in full_texts(db):
        db.execute(f"SELECT c0 FROM {table}_content").fetchall()  # what is no text cannot be read
    yield from _circle(dict(db.execute("SELECT id, replaced_by_id FROM claims WHERE replaced_by_id IS NOT NULL")))
    if "shelves" in tables:
        yield from _shelves(db)


def _embedder(meta: Mapping[str, str]) -> Iterator[str]:
    for embedder in ("embedder", "next_embedder"):
        parts = [part for part in ("name", "dimension", "sha256") if f"{embedder}.{part}" in meta]
        if parts and (len(parts) < 3 or not meta[f"{embedder}.dimension"].isdecimal()):
            yield f"meta does not tell the {embedder.replace('_', ' ')}"


def _rules(meta: Mapping[str, str]) -> Mapping[str, _Check]:
    """What the values of a column must meet, NULL aside; by its name, and that of its table where it tells more."""
    dimension, coming = (int(meta.get(f"{of}.dimension", "0")) for of in ("embedder", "next_embedder"))
    return {
        **dict.fromkeys(
            ("valid_at", "invalid_at", "created_at", "expired_at", "known_at", "learned_at", "reference_time"), _is_instant
        ),
        **dict.fromkeys(("metadata", "attributes", "settings", "recalls.options"), _is_object),
        "detail": _is_detail,
        **dict.fromkeys(("valid_precision", "invalid_precision"), lambda value: value in get_args(Precision)),
        "reference_offset": lambda value: abs(value) < _DAY,
        "relations.aliases": _is_names,
        **dict.fromkeys((f"recalls.{column}" for column in _ROWS), _is_rows),
        "relations.created_at": lambda value: isinstance(value, int),  # the built-in ones were always there
        "vectors.vector": lambda value: _is_vector(value, dimension),
        "summary_vectors.vector": lambda value: _is_vector(value, dimension),
        "next_vectors.vector": lambda value: _is_vector(value, coming),
        "shelves.frame": lambda value: _is_vector(value, dimension),
        "passages.signature": lambda value: len(value) == signature_bytes(dimension),
        "passages.length": lambda value: value >= 0,
        "passes.modularity": lambda value: abs(value) <= 1,
    }


def _values(db: apsw.Connection, table: str, rules: Mapping[str, _Check]) -> Iterator[str]:
    names = [str(name) for (name,) in db.execute("SELECT name FROM pragma_table_info(?)", (table,))]
    checks = [(place, name, rules.get(f"{table}.{name}", rules.get(name))) for place, name in enumerate(names)]
    listed = ", ".join(f'"{name}"' for name in names)
    for row in db.execute(f"SELECT {listed} FROM {table}"):
        for place, name, check in checks:
            if check is not None and row[place] is not None and not check(row[place]):
                yield f"{name} of row {row[0]} of {table} is {_short(row[place])}"
        if table == "versions":
            named = dict(zip(names, row, strict=True))
            start, end = named["valid_at"], named["invalid_at"]
            if start is not None and end is not None and start >= end:
                yield f"row {row[0]} of versions ends before it begins"


def _is_instant(value: Any) -> bool:
    return isinstance(value, int) and _FIRST <= value <= _LAST


def _is_object(value: Any) -> bool:
    return isinstance(_json(value), dict)


def _is_names(value: Any) -> bool:
    found = _json(value)
    return isinstance(found, list) and all(isinstance(name, str) for name in found)


def _is_rows(value: Any) -> bool:
    found = _json(value)
    return isinstance(found, list) and all(isinstance(row, int) for row in found)


def _is_detail(value: Any) -> bool:
    """Whether it is counts, and what an import brought, if that is told, is rows and definitions."""
    found = _json(value)
    if not isinstance(found, dict):
        return False
    rows, defined = found.get("rows", {}), found.get("defined", {})
    if not isinstance(rows, dict) or not isinstance(defined, dict):
        return False
    pairs = [pair for pair in defined.values() if not isinstance(pair, list) or len(pair) != 2 or not all(map(_is_said, pair))]
    return not pairs and all(map(_is_brought, rows.values()))


def _is_brought(value: Any) -> bool:
    """Whether it is a first and a last row, and two lists of rows with instants."""
    if not isinstance(value, list) or len(value) != 4 or not all(isinstance(listed, list) for listed in value[2:]):
        return False
    pairs = [value[:2], *value[2], *value[3]]
    return all(isinstance(pair, list) and len(pair) == 2 and all(map(_is_row, pair)) for pair in pairs)


def _is_row(value: Any) -> bool:
    return isinstance(value, int) and -(1 << 63) <= value < 1 << 63


def _is_said(value: Any) -> bool:
    if value is None:
        return True
    if not isinstance(value, dict) or not isinstance(value.get("functional"), bool):
        return False
    inverse, aliases = value.get("inverse", 0), value.get("aliases")
    return (inverse is None or isinstance(inverse, str)) and isinstance(aliases, list) and _is_names(json.dumps(aliases))


def _json(value: Any) -> object:
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


def _is_vector(blob: bytes, dimension: int) -> bool:
    """Whether it is a vector of this length, finite and no longer than 1."""
    import numpy as np

    if len(blob) != 4 * dimension:
        return False
    squares = np.square(np.frombuffer(blob, dtype="<f4").astype(np.float64)).sum()
    return bool(squares < UNIT)


def _circle(replaced: Mapping[Any, Any]) -> Iterator[str]:
    sound: set[Any] = set()
    for claim in sorted(replaced):
        path: dict[Any, None] = {}
        at = claim
        while at in replaced and at not in sound:
            if at in path:
                yield f"claim {at} is replaced by itself"
                return
            path[at] = None
            at = replaced[at]
        sound.update(path)


def _shelves(db: apsw.Connection) -> Iterator[str]:
    query = (
        "SELECT s.id FROM shelves s WHERE s.size <> (SELECT count(*) FROM passages p WHERE p.shelf_id = s.id)"
        " OR s.last < (SELECT coalesce(max(p.id), 0) FROM passages p WHERE p.shelf_id = s.id)"
        " OR (s.framed > 0) <> (s.frame IS NOT NULL)"
    )
    for (row,) in db.execute(query):
        yield f"row {row} of shelves does not tell what is on it"
    query = "SELECT id FROM passages WHERE shelf_id IS NOT NULL AND id NOT IN (SELECT id FROM vectors)"
    for (row,) in db.execute(query):
        yield f"row {row} of passages has no vector"
    query = (
        "SELECT p.id FROM passages p JOIN shelves s ON s.id = p.shelf_id WHERE (s.framed >= ?)"
        " <> (p.signature IS NOT NULL) OR (p.signature IS NULL) <> (p.length IS NULL)"
    )
    for (row,) in db.execute(query, (SIGNED,)):
        yield f"row {row} of passages has no signature"


def _short(value: object) -> str:
    text = f"{len(value)} bytes" if isinstance(value, bytes) else repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."
