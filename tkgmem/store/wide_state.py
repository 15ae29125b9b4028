"""Communities and summaries as a sound file has them. What is not so goes: it is derived, a refresh makes it again."""

from __future__ import annotations

from typing import NamedTuple

import apsw

from tkgmem.store import resting
from tkgmem.store.checks import FIRST, LAST, Finding, finding

TABLES = ("passes", "communities", "members", "summaries")
_INSTANTS = {
    "passes": ("valid_at", "known_at", "created_at"),
    "communities": ("created_at", "expired_at"),
    "members": ("created_at", "expired_at"),
    "summaries": ("valid_at", "known_at", "created_at", "expired_at"),
}
_LATER = "coalesce({0}.expired_at, {1}.created_at + 1) > {1}.created_at"  # the one still lasts when the other begins


class _Wrong(NamedTuple):
    """What would be wrong with rows of a table, in words, and the query that finds them."""

    detail: str
    table: str
    query: str


def _outside(table: str, columns: tuple[str, ...]) -> _Wrong:
    where = " OR ".join(f"{column} NOT BETWEEN {FIRST} AND {LAST}" for column in columns)
    return _Wrong(f"instants in {table} that no date can hold", table, f"SELECT id FROM {table} WHERE {where}")


_WRONG = (
    *(_outside(table, columns) for table, columns in _INSTANTS.items()),
    *(
        _Wrong(f"{table} that end before they begin", table, f"SELECT id FROM {table} WHERE expired_at < created_at")
        for table in ("communities", "members", "summaries")
    ),
    _Wrong(
        "a community and its member are of different groups",
        "members",
        "SELECT m.id FROM members m JOIN communities c ON c.id = m.community_id JOIN entities e ON e.id = m.entity_id"
        " WHERE e.group_id <> c.group_id",
    ),
    _Wrong(
        "an entity is a member of two communities at once",
        "members",
        "SELECT b.id FROM members a JOIN members b ON b.entity_id = a.entity_id AND b.id <> a.id"
        f" WHERE {_LATER.format('a', 'b')} AND {_LATER.format('b', 'a')} AND b.expired_at IS NOT b.created_at"
        " AND a.expired_at IS NOT a.created_at AND (b.created_at, b.id) > (a.created_at, a.id)",
    ),
    _Wrong(
        "a member of a community that is not kept any more",
        "members",
        "SELECT m.id FROM members m JOIN communities c ON c.id = m.community_id"
        " WHERE c.expired_at IS NOT NULL AND (m.expired_at IS NULL OR m.expired_at > c.expired_at)",
    ),
    _Wrong(
        "a summary and what it is of are of different groups",
        "summaries",
        "SELECT s.id FROM summaries s JOIN communities c ON c.id = s.community_id WHERE c.group_id <> s.group_id"
        " UNION SELECT s.id FROM summaries s JOIN entities e ON e.id = s.entity_id WHERE e.group_id <> s.group_id",
    ),
    _Wrong(
        "a summary and what it was made from are of different groups",
        "summaries",
        "SELECT s.id FROM summary_facts f JOIN summaries s ON s.id = f.summary_id JOIN claims c ON c.id = f.claim_id"
        " WHERE c.group_id <> s.group_id UNION SELECT s.id FROM summary_entities n JOIN summaries s ON s.id = n.summary_id"
        " JOIN entities e ON e.id = n.entity_id WHERE e.group_id <> s.group_id",
    ),
    _Wrong(
        "a summary of a conversation that the group does not have",
        "summaries",
        "SELECT s.id FROM summaries s WHERE s.conversation IS NOT NULL AND NOT EXISTS"
        " (SELECT 1 FROM episodes e WHERE e.group_id = s.group_id AND e.name = s.conversation)",
    ),
    _Wrong(
        "two summaries of the same stand at once",
        "summaries",
        "SELECT a.id FROM summaries a WHERE a.expired_at IS NULL AND EXISTS (SELECT 1 FROM summaries b WHERE b.id > a.id"
        " AND b.group_id = a.group_id AND b.expired_at IS NULL AND b.community_id IS a.community_id"
        " AND b.entity_id IS a.entity_id AND b.conversation IS a.conversation)",
    ),
)


def check(db: apsw.Connection) -> tuple[int, list[Finding]]:
    """How many rows there are to look at, and what is wrong with them."""
    looked = sum(int(db.execute(f"SELECT count(*) FROM {table}").get) for table in TABLES)
    every = (finding(wrong.detail, (f"{wrong.table} {row}" for row in _found(db, wrong)), derived=True) for wrong in _WRONG)
    return looked, [one for one in every if one is not None]


def mend(db: apsw.Connection) -> None:
    """Delete what is wrong, in the caller's transaction."""
    for wrong in _WRONG:
        rows = _found(db, wrong)
        if wrong.table == "summaries":
            resting.delete(db, rows)
        elif wrong.table == "communities":
            resting.delete(db, resting.of_communities(db, rows))
            resting.delete_communities(db, rows)
        elif rows:
            db.execute(f"DELETE FROM {wrong.table} WHERE id IN ({', '.join(map(str, rows))})")


def _found(db: apsw.Connection, wrong: _Wrong) -> list[int]:
    return [int(row) for (row,) in db.execute(f"SELECT DISTINCT id FROM ({wrong.query}) ORDER BY id")]
