"""Two histories of relation definitions become one: each definition holds from its instant until the next one of its name.

A name that was merely used says nothing where the other side defined it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

import apsw

from tkgmem.store import relations
from tkgmem.store.records import Record
from tkgmem.store.union.coming import Coming, earlier


class _Row(NamedTuple):
    """A definition, in the order that decides between two of one instant. told: somebody gave it; else a name in use."""

    created_at: int
    name: str
    functional: int
    inverse: str | None
    aliases: str
    expired_at: int | None
    told: bool

    @property
    def key(self) -> tuple[int, str, int, str, str]:
        """What makes it this definition."""
        return (self.created_at, self.name, self.functional, self.inverse or "", self.aliases)

    @property
    def is_plain(self) -> bool:
        """Whether it says no more than that there is such a name."""
        return (
            not (self.told or self.functional or self.inverse or self.created_at == relations.ALWAYS) and self.aliases == "[]"
        )


def unite(coming: Coming, records: Iterable[Record]) -> bool:
    """Take the other side's definitions in. Whether any that matters to a derivation is new or ends at another time."""
    mine = _own(coming.db)
    theirs = [_of(record) for record in records]
    found: dict[tuple[int, str, int, str, str], _Row] = {}
    for row in [*mine, *theirs]:
        known = found.get(row.key, row)
        ended = earlier(known.expired_at, row.expired_at)
        found[row.key] = known._replace(expired_at=ended, told=known.told or row.told)
    by_name: dict[str, list[_Row]] = defaultdict(list)
    for _, row in sorted(found.items()):
        by_name[row.name].append(row)
    both = {row.key for row in mine} & {row.key for row in theirs}
    united = [row for rows in by_name.values() for row in _in_turn(coming, _told(rows), both)]
    united.sort(key=lambda row: row.key)
    if [row[:-1] for row in united] == sorted((row[:-1] for row in mine), key=lambda row: (*row[:3], row[3] or "", row[4])):
        return False
    before = {row[:-1] for row in mine if not row.is_plain}
    _write(coming.db, united)
    return before != {row[:-1] for row in united if not row.is_plain}


def _own(db: apsw.Connection) -> list[_Row]:
    return [
        _Row(created_at, name, functional, inverse, aliases, expired_at, bool(told))
        for created_at, name, functional, inverse, aliases, expired_at, told in db.execute(
            "SELECT created_at, name, functional, inverse, aliases, expired_at, created_at IN (SELECT created_at FROM"
            " transactions WHERE verb = 'define') FROM relations ORDER BY created_at, name, id"
        )
    ]


def _of(record: Record) -> _Row:
    at = record.get("created_at")
    return _Row(
        relations.ALWAYS if at is None else at,
        record["name"],
        int(record["functional"]),
        record.get("inverse"),
        json.dumps(record.get("aliases", [])),
        record.get("expired_at"),
        bool(record.get("told")),
    )


def _told(rows: list[_Row]) -> list[_Row]:
    """The definitions that say something, else the first use of the name."""
    return [row for row in rows if not row.is_plain] or rows[:1]


def _in_turn(coming: Coming, rows: list[_Row], both: Iterable[tuple[int, str, int, str, str]]) -> list[_Row]:
    """Each until the next; of two of one instant the last by content."""
    kept = [
        row for row, after in zip(rows, [*rows[1:], None], strict=True) if after is None or after.created_at > row.created_at
    ]
    shared = set(both)
    if len(kept) < len(rows):
        coming.dispute("relation", rows[0].name, "is defined in two ways at one instant; one of them counts")
    elif sum(row.key not in shared for row in rows) > 1 and len({row.key[2:] for row in rows}) > 1:
        coming.dispute("relation", rows[0].name, "is defined in two ways; the later definition counts from its time on")
    return [
        row._replace(expired_at=row.expired_at if after is None else earlier(row.expired_at, after.created_at))
        for row, after in zip(kept, [*kept[1:], None], strict=True)
    ]


def _write(db: apsw.Connection, rows: Iterable[_Row]) -> None:
    db.execute("DELETE FROM relations")
    db.executemany(
        "INSERT INTO relations (created_at, name, functional, inverse, aliases, expired_at) VALUES (?, ?, ?, ?, ?, ?)",
        [row[:-1] for row in rows],
    )
