"""Two histories of relation definitions become one: what was defined on either side is defined again, in the order of time.

So the result is what one file would hold that had been told all of it. A name that is merely used says nothing where it has a
meaning by then.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
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
    exact: bool = False

    @property
    def relation(self) -> Relation:
        """What it says."""
        return Relation(self.name, self.functional, self.inverse or None, self.aliases)

    @property
    def names(self) -> set[str]:
        """The names that it gives a meaning to."""
        return {self.name, *self.aliases}


_Row = tuple[int, str, int, str | None, str, int | None, str | None]
"""A row of `relations`: created_at, name, functional, inverse, aliases, expired_at, said."""


def unite(coming: Coming, records: Iterable[Record]) -> tuple[int, bool]:
    """Take the other side's definitions in. Returns how many are new, and whether any that matters to a derivation changed."""
    own = {said for record in relation_rows(coming.db) if (said := _said(record)) is not None}
    theirs = {said for record in records if (said := _said(record)) is not None}
    new = sorted(theirs - own)
    before = _rows(coming.db)
    after = _replayed(sorted(own | theirs)) if new else before
    if after == before:
        return 0, False
    _dispute(coming, [said for said in sorted(own - theirs) if said.told], [said for said in new if said.told])
    coming.db.execute("DELETE FROM relations")
    coming.db.executemany(
        "INSERT INTO relations (created_at, name, functional, inverse, aliases, expired_at, said) VALUES (?, ?, ?, ?, ?, ?, ?)",
        after,
    )
    return sum(said.told for said in new), _that_matter(before) != _that_matter(after)


def _that_matter(rows: Iterable[_Row]) -> set[tuple[object, ...]]:
    """The rows that say more than that there is a name."""
    return {row[:6] for row in rows if row[2] or row[3] or row[4] != "[]" or row[5] is not None}


def _said(record: Mapping[str, Any]) -> _Said | None:
    """What a row says: as given, that it was always there, or that a name is in use. None where it follows from another."""
    at = record.get("created_at")
    given = record.get("said")
    if given is None and at is not None and (record["functional"] or record.get("inverse") or record.get("aliases")):
        return None
    content = record if given is None else given
    return _Said(
        relations.ALWAYS if at is None else at,
        given is not None,
        record["name"],
        bool(content["functional"]),
        content.get("inverse") or "",
        tuple(content.get("aliases") or ()),
        bool(content.get("exact")),
    )


def _rows(db: apsw.Connection) -> list[_Row]:
    query = (
        "SELECT created_at, name, functional, inverse, aliases, expired_at, said FROM relations ORDER BY created_at, name, id"
    )
    rows: list[Any] = db.execute(query).fetchall()
    return rows


def _replayed(everything: Sequence[_Said]) -> list[_Row]:
    """The rows that saying all this in turn makes. What is built in was always there, and is taken as it is."""
    table: dict[str, Relation] = {}
    since: dict[str, tuple[int, str | None]] = {}
    rows: list[_Row] = []

    def close(name: str, at: int | None) -> None:
        relation, (begun, words) = table[name], since[name]
        if at is None or at > begun:
            aliases = json.dumps(relation.aliases)
            rows.append((begun, name, int(relation.functional), relation.inverse, aliases, at, words))

    for said in everything:
        after = _after(table, said)
        for name in sorted(table.keys() | after.keys()):
            own = said.told and name == said.name
            if table.get(name) == after.get(name) and not own:
                continue
            if name in table:
                close(name, said.at)
            since[name] = (said.at, relations.as_said(said.relation, exact=said.exact) if own else None)
        table = after
    for name in table:
        close(name, None)
    return sorted(rows, key=lambda row: row[:2])


def _after(table: dict[str, Relation], said: _Said) -> dict[str, Relation]:
    """The definitions after one more was given or, where nothing is known of the name, used."""
    if said.exact:
        return _with(table, said.relation)
    if said.told:
        return redefined(table, said.relation)
    if said.at == relations.ALWAYS or said.name not in Relations(table.values()):
        return {**table, said.name: said.relation}
    return table


def _with(table: Mapping[str, Relation], new: Relation) -> dict[str, Relation]:
    """The definitions with just this one, as an undo brings it back; what the other side defined since goes along with it."""
    taken = {new.name, *new.aliases}
    after: dict[str, Relation] = {}
    for name, kept in table.items():
        if name not in taken:
            inverse = new.name if name == new.inverse else None if kept.inverse in taken else kept.inverse
            after[name] = replace(kept, inverse=inverse, aliases=tuple(alias for alias in kept.aliases if alias not in taken))
    if new.inverse is not None and new.inverse not in taken and new.inverse not in after:
        after[new.inverse] = Relation(new.inverse, functional=False, inverse=new.name)
    return after | {new.name: new}


def _dispute(coming: Coming, mine: Sequence[_Said], theirs: Sequence[_Said]) -> None:
    for name in sorted({name for said in theirs for name in said.names}):
        told = {(said.name, said.functional, said.inverse) for side in (mine, theirs) for said in side if name in said.names}
        if len(told) > 1 and any(name in said.names for said in mine):
            coming.dispute("relation", name, "is defined in two ways; the later definition counts from its time on")
