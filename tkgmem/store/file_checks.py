"""The file as SQLite sees it, its texts and its names: the checks that take more than a query, and what mends what they find.

Nothing but what is derived is ever changed: indexes, derived rows that name nothing, the keys of names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import apsw

from tkgmem.store.checks import Finding, finding
from tkgmem.store.names import name_key

DERIVED_TABLES = (
    "versions", "supports", "passages", "vectors", "shelves", "next_vectors", "passes", "communities", "members", "summaries",
    "summary_facts", "summary_entities", "summary_vectors",
)  # fmt: skip
_RESTED_ON = {"summary_facts": ("claim_id", "claims"), "summary_entities": ("entity_id", "entities")}
_INDEX = re.compile(r"(?:row \d+ missing from|wrong # of entries in) index (\w+)|FTS5 table (?:main\.)?(\w+)")
_REFERRING = (
    "SELECT count(*) FROM sqlite_schema s WHERE type = 'table' AND EXISTS (SELECT 1 FROM pragma_foreign_key_list(s.name))"
)


def sqlite(db: apsw.Connection) -> tuple[int, list[Finding]]:
    """How many pages there are, and what SQLite's own check finds, FTS5's of the full text among it."""
    damage, indexes = _sqlite_says(db)
    found = finding("the file is damaged", damage)
    derived = finding("an index is not in step with its table", indexes, derived=True)
    return int(db.pragma("page_count")), [one for one in (found, derived) if one is not None]


def _sqlite_says(db: apsw.Connection) -> tuple[list[str], list[str]]:
    """What is damaged, and the indexes that are not in step with their tables."""
    lines = [str(line) for (line,) in db.execute("PRAGMA integrity_check") if line != "ok"]
    matches = {line: _INDEX.search(line) for line in lines}
    indexes = dict.fromkeys(match[1] or match[2] for match in matches.values() if match is not None)
    return [line for line in lines if matches[line] is None], list(indexes)


def mend_indexes(db: apsw.Connection) -> None:
    """Make the indexes, and those of the full text, that are not in step with their tables again from these."""
    for name in _sqlite_says(db)[1]:
        kind: str | None = db.execute("SELECT type FROM sqlite_schema WHERE name = ?", (name,)).get
        if kind == "index":
            db.execute(f'REINDEX "{name}"')
        elif kind == "table":
            db.execute(f'INSERT INTO "{name}" ("{name}") VALUES (\'rebuild\')')


def dangling(db: apsw.Connection) -> tuple[int, list[Finding]]:
    """How many tables name rows of others, and where one that is named is not there."""
    looked = int(db.execute(_REFERRING).get)
    tables: dict[str, list[str]] = {}
    for table, row, parent, _ in db.execute("PRAGMA foreign_key_check"):
        tables.setdefault(f"{table} names rows of {parent} that are not there", []).append(f"{table} {row}")
    every = ((detail, places, detail.split(" ")[0] in DERIVED_TABLES) for detail, places in tables.items())
    return looked, [one for detail, places, derived in every if (one := finding(detail, places, derived=derived)) is not None]


def remove_dangling(db: apsw.Connection) -> None:
    """Delete the derived rows that name a row that is not there."""
    for table, row, _, _ in db.execute("PRAGMA foreign_key_check").fetchall():
        if table == "supports":  # its rows have no number
            for column in ("claim_id", "fact_id"):
                db.execute(f"DELETE FROM supports WHERE {column} NOT IN (SELECT id FROM claims)")
        elif table in _RESTED_ON:  # neither have theirs; and what is not known to rest on all that it does is not kept
            column, named = _RESTED_ON[table]
            lost = f"SELECT summary_id FROM {table} WHERE {column} NOT IN (SELECT id FROM {named})"
            db.execute(f"DELETE FROM summaries WHERE id IN ({lost})")
            db.execute(f"DELETE FROM {table} WHERE summary_id NOT IN (SELECT id FROM summaries)")
        elif table in DERIVED_TABLES:
            db.execute(f"DELETE FROM {table} WHERE rowid = ?", (row,))


_TEXTS = {
    "groups": ("name",),
    "transactions": ("verb", "reason"),
    "episodes": ("uuid", "name", "description", "speaker", "content", "metadata", "settings", "error"),
    "entities": ("uuid", "name"),
    "aliases": ("name", "key"),
    "traits": ("type", "attributes"),
    "relations": ("name", "inverse", "aliases"),
    "claims": ("uuid", "relation", "fact", "lead", "attributes", "made_by"),
    "model_calls": ("key", "model", "request", "response"),
    "meta": ("key", "value"),
    "communities": ("uuid",),
    "summaries": ("conversation", "name", "text", "model"),
    "summary_facts": ("line",),
    "summary_vectors": ("language",),
    "summary_calls": ("model",),
}


def unreadable(db: apsw.Connection) -> tuple[int, list[Finding]]:
    """How many texts there are, and where one has a NUL character or is not UTF-8: reading it would fail."""
    looked, found = 0, list[Finding]()
    for table, columns in _TEXTS.items():
        places, row_id = list[str](), "summary_id" if table in _RESTED_ON else "rowid"
        for row, *texts in db.execute(f"SELECT {row_id}, {', '.join(f'CAST({c} AS BLOB)' for c in columns)} FROM {table}"):
            looked += 1
            places += [f"{table} {row}"] if any(map(_bad, texts)) else []
        one = finding(f"text in {table} that is not UTF-8 without NUL characters", places)
        found += [] if one is None else [one]
    return looked, found


def _bad(text: object) -> bool:
    if not isinstance(text, bytes):
        return False
    try:
        return "\0" in text.decode()
    except UnicodeDecodeError:
        return True


def names(db: apsw.Connection) -> tuple[int, list[Finding]]:
    """How many names there are, and which are wrong: kept under another key, or an entity's first one is missing."""
    keys = finding("a name is kept under another key than its own", (f"aliases {row}" for row, _ in _keys(db)), derived=True)
    nameless = finding(
        "an entity is not found by its first name",
        (
            uuid
            for (uuid,) in db.execute(
                "SELECT e.uuid FROM entities e WHERE EXISTS (SELECT 1 FROM aliases a WHERE a.entity_id = e.id) AND NOT EXISTS"
                " (SELECT 1 FROM aliases a WHERE a.entity_id = e.id AND a.name = e.name AND a.episode_id IS NULL)"
            )
        ),
    )
    empty = finding(
        "a name of nothing visible", (row for (row,) in db.execute("SELECT 'aliases ' || id FROM aliases WHERE key = ''"))
    )
    looked = int(db.execute("SELECT count(*) FROM aliases").get)
    return looked, [one for one in (keys, nameless, empty) if one is not None]


def _keys(db: apsw.Connection) -> Iterator[tuple[int, str]]:
    """The rows of names whose key is wrong, with the right one."""
    for row, name, key in db.execute("SELECT id, name, key FROM aliases ORDER BY id"):
        if (right := name_key(str(name))) != key:
            yield int(row), right


def mend_keys(db: apsw.Connection) -> None:
    """Keep each name under its own key."""
    db.executemany("UPDATE aliases SET key = ?2 WHERE id = ?1", list(_keys(db)))


def waiting(db: apsw.Connection) -> dict[str, int]:
    """How many episodes are pending and how many failed."""
    return dict(db.execute("SELECT state, count(*) FROM episodes WHERE state <> 'done' GROUP BY state ORDER BY state DESC"))
