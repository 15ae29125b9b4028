"""Two histories of relation definitions become one: what was defined on either side is defined again, in the order of time.

So the result is what one file would hold that had been told all of it. A name that is merely used says nothing where it has a
meaning by then.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import apsw

from tkgmem.store import relations
from tkgmem.store.records import Record, relation_rows
from tkgmem.store.union.coming import Coming
from tkgmem.temporal.relations import Relation, Relations, redefined


class _Said(NamedTuple):
    """A definition as it was given, or (`told` is false) the first use of a name; in the order that decides at one instant."""

    at: int
    told: bool
    name: str
    functional: bool
    inverse: str
    aliases: tuple[str, ...]

    @property
    def relation(self) -> Relation:
        """What it says."""
        return Relation(self.name, self.functional, self.inverse or None, self.aliases)

    @property
    def names(self) -> set[str]:
        """The names that it gives a meaning to."""
        return {self.name, *self.aliases}


_Row = tuple[int, str, int, str | None, str, int | None]
"""A row of `relations`: created_at, name, functional, inverse, aliases, expired_at."""


def unite(coming: Coming, records: Iterable[Record]) -> tuple[int, bool]:
    """Take the other side's definitions in. Returns how many are new, and whether any that matters to a derivation changed."""
    mine = [_said(record) for record in relation_rows(coming.db)]
    theirs = [_said(record) for record in records if _says(record)]
    own = {said for said in mine if said is not None}
    new = sorted({said for said in theirs if said is not None} - own)
    if not new:
        return 0, False
    _dispute(coming, [said for said in own - set(theirs) if said.told], [said for said in new if said.told])
    before = _rows(coming.db)
    after = _replayed(sorted(own | set(new)))
    if after == before:
        return 0, False
    coming.db.execute("DELETE FROM relations")
    coming.db.executemany(
        "INSERT INTO relations (created_at, name, functional, inverse, aliases, expired_at) VALUES (?, ?, ?, ?, ?, ?)", after
    )
    matters = [{row for row in rows if row[2] or row[3] or row[4] != "[]" or row[5] is not None} for rows in (before, after)]
    return sum(said.told for said in new), matters[0] != matters[1]


def _says(record: Mapping[str, Any]) -> bool:
    """Whether a row is a definition that was given, or a name in use; not what followed from another one."""
    plain = not (record["functional"] or record.get("inverse") or record.get("aliases"))
    return bool(record.get("told")) or record.get("created_at") is None or plain


def _said(record: Mapping[str, Any]) -> _Said | None:
    if not _says(record):
        return None
    at = record.get("created_at")
    told = bool(record.get("told")) or at is None
    inverse, aliases = record.get("inverse") or "", tuple(record.get("aliases", ()))
    return _Said(relations.ALWAYS if at is None else at, told, record["name"], bool(record["functional"]), inverse, aliases)


def _rows(db: apsw.Connection) -> list[_Row]:
    query = "SELECT created_at, name, functional, inverse, aliases, expired_at FROM relations ORDER BY created_at, name, id"
    rows: list[Any] = db.execute(query).fetchall()
    return rows


def _replayed(everything: Sequence[_Said]) -> list[_Row]:
    """The rows that saying all this in turn makes. What is built in was always there, and is taken as it is."""
    table: dict[str, Relation] = {}
    since: dict[str, int] = {}
    rows: list[_Row] = []

    def close(name: str, at: int | None) -> None:
        relation, begun = table[name], since[name]
        if at is None or at > begun:
            rows.append((begun, name, int(relation.functional), relation.inverse, json.dumps(relation.aliases), at))

    for said in everything:
        if said.at == relations.ALWAYS:
            after = {**table, said.name: said.relation}
        elif said.told:
            after = redefined(table, said.relation)
        else:
            after = table if said.name in Relations(table.values()) else {**table, said.name: said.relation}
        for name in sorted(table.keys() | after.keys()):
            if table.get(name) == after.get(name):
                continue
            if name in table:
                close(name, said.at)
            since[name] = said.at
        table = after
    for name in table:
        close(name, None)
    return sorted(rows, key=lambda row: row[:2])


def _dispute(coming: Coming, mine: Sequence[_Said], theirs: Sequence[_Said]) -> None:
    for name in sorted({name for said in theirs for name in said.names}):
        told = {(said.name, said.functional, said.inverse) for side in (mine, theirs) for said in side if name in said.names}
        if len(told) > 1 and any(name in said.names for said in mine):
            coming.dispute("relation", name, "is defined in two ways; the later definition counts from its time on")
