"""What a sound file never has in rows that are not derived: each check is a query that finds nothing, or says where.

A check reads only; what it cannot read as text is for `unreadable`, which comes before the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import apsw

from tkgmem.store.names import name_key
from tkgmem.store.relations import ALWAYS

EXAMPLES = 5
DERIVED_TABLES = ("versions", "supports", "passages", "vectors", "shelves", "next_vectors")
_INDEX = re.compile(r"(?:row \d+ missing from|wrong # of entries in) index (\w+)|FTS5 table (?:main\.)?(\w+)")
_REFERRING = (
    "SELECT count(*) FROM sqlite_schema s WHERE type = 'table' AND EXISTS (SELECT 1 FROM pragma_foreign_key_list(s.name))"
)
_FIRST, _LAST = -62_135_596_800_000_000, 253_402_300_799_999_999  # the instants that a datetime can hold


class Finding(NamedTuple):
    """Something that is not as it should be. derived: it can be made again from what was recorded. examples: uuids or rows."""

    detail: str
    count: int
    examples: tuple[str, ...]
    derived: bool = False


class Check(NamedTuple):
    """A check of rows. wrong: pairs of what would be wrong, in words, and the query that names where it is."""

    name: str
    tables: tuple[str, ...]
    wrong: tuple[tuple[str, str], ...]

    def run(self, db: apsw.Connection) -> tuple[int, list[Finding]]:
        """How many rows there are to look at, and what is wrong with them."""
        looked = sum(int(db.execute(f"SELECT count(*) FROM {table}").get) for table in self.tables)
        found = [one for detail, query in self.wrong if (one := finding(detail, (w for (w,) in db.execute(query)))) is not None]
        return looked, found


def finding(detail: str, places: Iterable[object], *, derived: bool = False) -> Finding | None:
    """A finding at these places, None where there are none."""
    rest = iter(places)
    examples = tuple(str(place) for place in islice(rest, EXAMPLES))
    return Finding(detail, len(examples) + sum(1 for _ in rest), examples, derived) if examples else None


def _apart(what: str, query: str) -> tuple[str, str]:
    return f"{what} are of different groups", query


_GROUPS = (
    _apart(
        "a claim and its entities",
        "SELECT c.uuid FROM claims c JOIN entities e ON e.id IN (c.source_id, c.target_id) WHERE e.group_id <> c.group_id",
    ),
    _apart(
        "a claim and its episode",
        "SELECT c.uuid FROM claims c JOIN episodes e ON e.id IN (c.episode_id, c.expired_by_episode_id)"
        " WHERE e.group_id <> c.group_id",
    ),
    _apart(
        "a claim and the one that took its place",
        "SELECT c.uuid FROM claims c JOIN claims o ON o.id = c.replaced_by_id WHERE o.group_id <> c.group_id",
    ),
    _apart(
        "a name and its entity",
        "SELECT 'aliases ' || a.id FROM aliases a JOIN entities e ON e.id = a.entity_id WHERE e.group_id <> a.group_id",
    ),
    _apart(
        "a name and its episode",
        "SELECT 'aliases ' || a.id FROM aliases a JOIN episodes e ON e.id = a.episode_id WHERE e.group_id <> a.group_id",
    ),
    _apart(
        "a mention's entity and episode",
        "SELECT e.uuid FROM mentions m JOIN entities e ON e.id = m.entity_id JOIN episodes o ON o.id = m.episode_id"
        " WHERE o.group_id <> e.group_id",
    ),
    _apart(
        "what is told of an entity and its episode",
        "SELECT 'traits ' || t.id FROM traits t JOIN entities e ON e.id = t.entity_id JOIN episodes o ON o.id = t.episode_id"
        " WHERE o.group_id <> e.group_id",
    ),
    _apart(
        "a merge and its entities",
        "SELECT 'merges ' || m.id FROM merges m JOIN entities e ON e.id IN (m.entity_id, m.into_id)"
        " WHERE e.group_id <> m.group_id",
    ),
    _apart(
        "a merge and its episode",
        "SELECT 'merges ' || m.id FROM merges m JOIN episodes e ON e.id = m.episode_id WHERE e.group_id <> m.group_id",
    ),
    _apart(
        "a moved claim and its entity",
        "SELECT c.uuid FROM moves m JOIN claims c ON c.id = m.claim_id JOIN entities e ON e.id = m.entity_id"
        " WHERE e.group_id <> c.group_id",
    ),
    _apart(
        "claims judged to conflict",
        "SELECT c.uuid FROM conflicts x JOIN claims c ON c.id = x.claim_id JOIN claims o ON o.id = x.other_id"
        " WHERE o.group_id <> c.group_id",
    ),
    _apart(
        "a judgement and its episode",
        "SELECT c.uuid FROM conflicts x JOIN claims c ON c.id = x.claim_id JOIN episodes e ON e.id = x.episode_id"
        " WHERE e.group_id <> c.group_id",
    ),
    _apart(
        "a change of belief and its episode",
        "SELECT 'transactions ' || t.id FROM transactions t JOIN episodes e ON e.id = t.episode_id"
        " WHERE e.group_id <> t.group_id",
    ),
)

_JSON = {
    "episodes": {"metadata": "object", "settings": "object"},
    "claims": {"attributes": "object"},
    "relations": {"aliases": "array"},
    "traits": {"attributes": "object"},
    "model_calls": {"request": "object"},
}
_INSTANTS = {
    "transactions": ("created_at",),
    "episodes": ("reference_time", "created_at"),
    "entities": ("created_at",),
    "aliases": ("created_at", "expired_at"),
    "claims": ("valid_at", "invalid_at", "reference_time", "created_at", "expired_at"),
    "relations": ("created_at", "expired_at"),
    "conflicts": ("created_at", "expired_at"),
    "traits": ("created_at", "expired_at"),
    "merges": ("created_at", "expired_at"),
    "moves": ("created_at", "expired_at"),
    "model_calls": ("created_at",),
}


def _out_of_range(table: str, columns: Iterable[str]) -> tuple[str, str]:
    outside = " OR ".join(f"{column} NOT BETWEEN {_FIRST} AND {_LAST}" for column in columns)
    built_in = f" AND created_at <> {ALWAYS}" if table == "relations" else ""
    return f"instants in {table} that no date can hold", f"SELECT '{table} ' || id FROM {table} WHERE ({outside}){built_in}"


_VALUES = (
    *(
        (
            f"{table}.{column} is not a JSON {kind}",
            f"SELECT '{table} ' || id FROM {table}"
            f" WHERE CASE WHEN json_valid({column}) THEN json_type({column}) ELSE '' END <> '{kind}'",
        )
        for table, columns in _JSON.items()
        for column, kind in columns.items()
    ),
    *(_out_of_range(table, columns) for table, columns in _INSTANTS.items()),
    ("an offset of a day or more", "SELECT uuid FROM episodes WHERE reference_offset NOT BETWEEN -86399 AND 86399"),
    (
        "an end before the beginning of what was believed",
        " UNION ALL ".join(
            f"SELECT '{table} ' || id FROM {table} WHERE expired_at <= created_at"
            for table, columns in _INSTANTS.items()
            if "expired_at" in columns
        ),
    ),
)

_IN_TEXT = "span_start >= 0 AND span_start < span_end AND span_end <= length(e.content)"
_SPANS = (
    (
        "a claim's place is outside its episode's text",
        "SELECT c.uuid FROM claims c LEFT JOIN episodes e ON e.id = c.episode_id"
        f" WHERE (c.span_start IS NULL) <> (c.span_end IS NULL) OR (c.span_start IS NOT NULL AND ({_IN_TEXT}) IS NOT TRUE)",
    ),
    (
        "a mention's place is outside its episode's text",
        "SELECT e.uuid FROM mentions m JOIN episodes e ON e.id = m.episode_id WHERE NOT"
        f" ({_IN_TEXT} OR (span_start = 0 AND span_end = 0) OR (span_start = -1 AND span_end = -1))",
    ),
)

_PRECISION = "(({0} IS NULL) <> ({1} IS NULL) OR {1} NOT IN ('year', 'month', 'day', 'time'))"
TICKS = (
    ("claims", "created_at"),
    ("claims", "expired_at"),
    ("conflicts", "created_at"),
    ("merges", "created_at"),
    ("merges", "expired_at"),
    ("moves", "created_at"),
    ("moves", "expired_at"),
)
_CLAIMS = (
    ("an empty or inverted period", "SELECT uuid FROM claims WHERE invalid_at <= valid_at"),
    (
        "a bound without a known precision",
        f"SELECT uuid FROM claims WHERE {_PRECISION.format('valid_at', 'valid_precision')}"
        f" OR {_PRECISION.format('invalid_at', 'invalid_precision')}",
    ),
    ("an end without a date", "SELECT uuid FROM claims WHERE kind = 'end' AND invalid_at IS NULL"),
    ("neither a sentence nor words for it", "SELECT uuid FROM claims WHERE fact IS NULL AND lead IS NULL"),
    *(
        (
            f"{table}.{column} is no change of belief that was recorded",
            f"SELECT '{table} ' || r.id FROM {table} r WHERE {column} IS NOT NULL"
            f" AND NOT EXISTS (SELECT 1 FROM transactions t WHERE t.created_at = r.{column})",
        )
        for table, column in TICKS
    ),
    (
        "claims that took each other's place in a circle",
        "WITH RECURSIVE open (id) AS (SELECT o.id FROM claims o WHERE o.replaced_by_id IS NULL"
        " AND EXISTS (SELECT 1 FROM claims c WHERE c.replaced_by_id = o.id)"
        " UNION SELECT c.id FROM open CROSS JOIN claims c ON c.replaced_by_id = open.id)"
        " SELECT uuid FROM claims WHERE replaced_by_id IS NOT NULL AND id NOT IN (SELECT id FROM open)",
    ),
)
_NAMED_BY = (("claims", "source_id"), ("claims", "target_id"), ("mentions", "entity_id"), ("moves", "entity_id"),
    ("merges", "entity_id"), ("merges", "into_id"))  # fmt: skip
_ORPHANS = (
    (
        "an entity that nothing names; it does no harm",
        "SELECT uuid FROM entities e WHERE "
        + " AND ".join(f"NOT EXISTS (SELECT 1 FROM {table} r WHERE r.{column} = e.id)" for table, column in _NAMED_BY),
    ),
)

CHECKS = (
    Check("groups", ("claims", "aliases", "mentions", "traits", "merges", "moves", "conflicts", "transactions"), _GROUPS),
    Check("values", tuple(_INSTANTS), _VALUES),
    Check("spans", ("claims", "mentions"), _SPANS),
    Check("claims", ("claims", "conflicts", "merges", "moves"), _CLAIMS),
    Check("orphans", ("entities",), _ORPHANS),
)
"""The checks that SQL can do alone, in order."""


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
}


def unreadable(db: apsw.Connection) -> tuple[int, list[Finding]]:
    """How many texts there are, and where one has a NUL character or is not UTF-8: reading it would fail."""
    looked, found = 0, list[Finding]()
    for table, columns in _TEXTS.items():
        places = []
        for row, *texts in db.execute(f"SELECT rowid, {', '.join(f'CAST({c} AS BLOB)' for c in columns)} FROM {table}"):
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
            yield int(row), right  # type: ignore[arg-type]


def mend_keys(db: apsw.Connection) -> None:
    """Keep each name under its own key."""
    db.executemany("UPDATE aliases SET key = ?2 WHERE id = ?1", list(_keys(db)))


def waiting(db: apsw.Connection) -> dict[str, int]:
    """How many episodes are pending and how many failed."""
    return dict(db.execute("SELECT state, count(*) FROM episodes WHERE state <> 'done' GROUP BY state ORDER BY state DESC"))
