"""All that is believed of some groups, a page at a time, so that a large file is gone through in little memory.

Each page is one snapshot's only if the caller reads all of them in one transaction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import apsw

from tkgmem.graph import Entity, Episode, Fact, Version
from tkgmem.store import facts, read
from tkgmem.store.clocks import EVERYTHING
from tkgmem.store.identity import Identity
from tkgmem.store.rows import in_list

SIZE = 500
"""Rows of a page."""

_IN_GROUPS = "IN (SELECT value FROM json_each(:g))"


class MentionRow(NamedTuple):
    """That an episode names an entity (uuids), and where: characters [start, end), -1 where the name is not in the text."""

    episode: str
    entity: str
    start: int
    end: int


def group_names(db: apsw.Connection) -> list[str]:
    """Every group of the file, in the order they were made."""
    return [name for (name,) in db.execute("SELECT name FROM groups ORDER BY id")]


def _ids(db: apsw.Connection, query: str, groups: Sequence[str]) -> Iterator[list[int]]:
    """Pages of rows. query: gives those of the groups :g after :after, in order."""
    bindings = {"g": in_list(read.group_ids(db, groups)), "after": 0, "size": SIZE}
    while page := [row for (row,) in db.execute(f"{query} LIMIT :size", bindings)]:
        yield page
        bindings["after"] = page[-1]


def entities(db: apsw.Connection, groups: Sequence[str]) -> Iterator[Entity]:
    """Every entity, as believed now; what is merged into another is part of that."""
    for page in _ids(db, f"SELECT id FROM entities WHERE group_id {_IN_GROUPS} AND id > :after ORDER BY id", groups):
        who = Identity(db)
        who.load(page)
        yield from read.entities(db, [row for row in page if who.of(row) == row]).values()


def episodes(db: apsw.Connection, groups: Sequence[str]) -> Iterator[Episode]:
    """Every episode, in the order they were stored."""
    for page in _ids(db, f"SELECT id FROM episodes WHERE group_id {_IN_GROUPS} AND id > :after ORDER BY id", groups):
        found = read.episodes(db, page)
        yield from (found[row] for row in page)


def mentions(db: apsw.Connection, groups: Sequence[str]) -> Iterator[MentionRow]:
    """Every mention, by episode; of the entity that it is now."""
    for page in _ids(db, f"SELECT id FROM episodes WHERE group_id {_IN_GROUPS} AND id > :after ORDER BY id", groups):
        rows: list[Any] = db.execute(
            "SELECT e.uuid, m.entity_id, m.span_start, m.span_end FROM mentions m JOIN episodes e ON e.id = m.episode_id"
            " WHERE m.episode_id IN (SELECT value FROM json_each(?)) ORDER BY m.episode_id, m.span_start, m.entity_id",
            (in_list(page),),
        ).fetchall()
        who = Identity(db)
        who.load(entity for _, entity, *_ in rows)
        named = read.entities(db, [who.of(entity) for _, entity, *_ in rows])
        for episode, entity, start, end in rows:
            yield MentionRow(episode, named[who.of(entity)].uuid, start, end)


def believed_facts(db: apsw.Connection, groups: Sequence[str]) -> Iterator[Fact]:
    """Every fact believed now, held or ended or announced: once for each period in which it holds, in the order recorded."""
    query = (
        f"SELECT fact_id FROM (SELECT v.fact_id FROM versions v WHERE v.group_id {_IN_GROUPS} AND v.expired_at IS NULL"
        " UNION SELECT s.fact_id FROM supports s JOIN claims c ON c.id = s.fact_id"
        f" WHERE s.undated AND s.expired_at IS NULL AND c.group_id {_IN_GROUPS}) WHERE fact_id > :after ORDER BY fact_id"
    )
    for page in _ids(db, query, groups):
        periods = facts.periods_of(db, page, EVERYTHING)
        yield from facts.facts(db, [record for row in page for record in periods[row]])


def versions(db: apsw.Connection, groups: Sequence[str]) -> Iterator[tuple[str, Version]]:
    """Every version there ever was with its group, in the order they were derived; of the entities that its ends are now."""
    query = f"SELECT v.id FROM versions v WHERE v.group_id {_IN_GROUPS} AND v.id > :after ORDER BY v.id"
    for page in _ids(db, query, groups):
        found = facts.versions(db, "v.id IN (SELECT value FROM json_each(:ids))", {"ids": in_list(page)})
        who = Identity(db)
        who.load(end for record in found for end in (record.source, record.target))
        found = [record._replace(source=who.of(record.source), target=who.of(record.target)) for record in found]
        found.sort(key=lambda record: record.row or 0)
        yield from ((version.source.group, version) for version in facts.version_values(db, found))
