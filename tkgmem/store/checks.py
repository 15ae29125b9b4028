"""What a sound file never has in rows that are not derived: each check is a query that finds nothing, or says where."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

import apsw

from tkgmem.store.relations import ALWAYS

EXAMPLES = 5
FIRST, LAST = -62_135_596_800_000_000, 253_402_300_799_999_999
"""The instants that a datetime can hold."""


class Finding(NamedTuple):
    """Something that is not as it should be. derived: it can be made again from what was recorded. examples: uuids or rows."""

    detail: str
    number: int
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

_HITS = ("group_ids", "facts", "entities", "episodes", "communities")
_JSON = {
    "episodes": {"metadata": "object", "settings": "object"},
    "claims": {"attributes": "object"},
    "relations": {"aliases": "array"},
    "traits": {"attributes": "object"},
    "model_calls": {"request": "object"},
    "recalls": {
        "options": "object",
        **dict.fromkeys(_HITS, "array"),
    },
}
_INSTANTS = {
    "transactions": ("created_at",),
    "episodes": ("reference_time", "created_at", "expired_at"),
    "entities": ("created_at",),
    "aliases": ("created_at", "expired_at"),
    "claims": ("valid_at", "invalid_at", "reference_time", "created_at", "expired_at"),
    "relations": ("created_at", "expired_at"),
    "conflicts": ("created_at", "expired_at"),
    "traits": ("created_at", "expired_at"),
    "merges": ("created_at", "expired_at"),
    "moves": ("created_at", "expired_at"),
    "gaps": ("created_at", "expired_at"),
    "model_calls": ("created_at",),
    "recalls": ("valid_at", "known_at", "created_at"),
    "summary_calls": ("created_at",),
}


def _out_of_range(table: str, columns: Iterable[str]) -> tuple[str, str]:
    outside = " OR ".join(f"{column} NOT BETWEEN {FIRST} AND {LAST}" for column in columns)
    built_in = f" AND created_at <> {ALWAYS}" if table == "relations" else ""
    return f"instants in {table} that no date can hold", f"SELECT '{table} ' || id FROM {table} WHERE ({outside}){built_in}"


_VALUES = (
    *(
        (
            f"{table}.{column} is not a JSON {kind}",
            (
                f"SELECT '{table} ' || id FROM {table}"
                f" WHERE CASE WHEN json_valid({column}) THEN json_type({column}) ELSE '' END <> '{kind}'"
            ),
        )
        for table, columns in _JSON.items()
        for column, kind in columns.items()
    ),
    (
        "transactions.detail is not a JSON object",
        (
            "SELECT 'transactions ' || id FROM transactions WHERE detail IS NOT NULL"
            " AND CASE WHEN json_valid(detail) THEN json_type(detail) ELSE '' END <> 'object'"
        ),
    ),
    (
        "an entry of the recall log names what is no row; forget_recalls() deletes the log",
        " UNION ".join(
            f"SELECT 'recalls ' || r.id FROM recalls r, json_each(CASE WHEN json_valid(r.{hits}) THEN r.{hits} ELSE '[]' END) j"
            " WHERE j.type <> 'integer'"
            for hits in _HITS
        ),
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
        (
            "SELECT c.uuid FROM claims c LEFT JOIN episodes e ON e.id = c.episode_id"
            f" WHERE (c.span_start IS NULL) <> (c.span_end IS NULL) OR (c.span_start IS NOT NULL AND ({_IN_TEXT}) IS NOT TRUE)"
        ),
    ),
    (
        "a mention's place is outside its episode's text",
        (
            "SELECT e.uuid FROM mentions m JOIN episodes e ON e.id = m.episode_id WHERE NOT"
            f" ({_IN_TEXT} OR (span_start = 0 AND span_end = 0) OR (span_start = -1 AND span_end = -1))"
        ),
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
    ("episodes", "expired_at"),
    ("gaps", "created_at"),
    ("gaps", "expired_at"),
)
_CLAIMS = (
    ("an empty or inverted period", "SELECT uuid FROM claims WHERE invalid_at <= valid_at"),
    (
        "a bound without a known precision",
        (
            f"SELECT uuid FROM claims WHERE {_PRECISION.format('valid_at', 'valid_precision')}"
            f" OR {_PRECISION.format('invalid_at', 'invalid_precision')}"
        ),
    ),
    ("an end without a date", "SELECT uuid FROM claims WHERE kind = 'end' AND invalid_at IS NULL"),
    ("neither a sentence nor words for it", "SELECT uuid FROM claims WHERE fact IS NULL AND lead IS NULL"),
    *(
        (
            f"{table}.{column} is no change of belief that was recorded",
            (
                f"SELECT '{table} ' || r.id FROM {table} r WHERE {column} IS NOT NULL"
                f" AND NOT EXISTS (SELECT 1 FROM transactions t WHERE t.created_at = r.{column})"
            ),
        )
        for table, column in TICKS
    ),
    (
        "claims that took each other's place in a circle",
        (
            "WITH RECURSIVE open (id) AS (SELECT o.id FROM claims o WHERE o.replaced_by_id IS NULL"
            " AND EXISTS (SELECT 1 FROM claims c WHERE c.replaced_by_id = o.id)"
            " UNION SELECT c.id FROM open CROSS JOIN claims c ON c.replaced_by_id = open.id)"
            " SELECT uuid FROM claims WHERE replaced_by_id IS NOT NULL AND id NOT IN (SELECT id FROM open)"
        ),
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
    Check("claims", ("claims", "conflicts", "merges", "moves", "gaps"), _CLAIMS),
    Check("orphans", ("entities",), _ORPHANS),
)
"""The checks that SQL can do alone, in order."""
