"""Relation definitions as claims: append-only rows, each believed over a stretch of system time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import apsw

from tkgmem.temporal.built_in import BUILT_IN
from tkgmem.temporal.relations import Relation, Relations, normalise_relation

__all__ = ["ALWAYS", "as_said", "changes", "insert", "insert_built_in", "load", "normalise_relation"]

ALWAYS = -(1 << 62)
"""The system time of the built-in definitions: before every instant."""


def insert_built_in(db: apsw.Connection) -> None:
    """Give a new file the built-in definitions, so that a later version of this package reads it the same way."""
    for relation in BUILT_IN:
        insert(db, relation, ALWAYS)


def insert(db: apsw.Connection, relation: Relation, at: int, *, said: Relation | None = None, exact: bool = False) -> None:
    """Believe a definition from `at` on, in place of the one of the same name. said: as it was given, where it was.

    exact: it is to be just that, without the aliases and the inverse that it had.
    """
    close(db, relation.name, at)
    db.execute(
        "INSERT INTO relations (name, functional, inverse, aliases, created_at) VALUES (?, ?, ?, ?, ?)",
        (relation.name, int(relation.functional), relation.inverse, json.dumps(relation.aliases), at),
    )
    if said is not None:
        db.execute("UPDATE relations SET said = ? WHERE id = ?", (as_said(said, exact=exact), db.last_insert_rowid()))


def as_said(relation: Relation, *, exact: bool = False) -> str:
    """A definition as it was given, as JSON."""
    given = {"functional": relation.functional, "inverse": relation.inverse, "aliases": relation.aliases}
    if exact:
        given["exact"] = True
    return json.dumps(given, ensure_ascii=False)


def as_they_are(db: apsw.Connection) -> dict[str, dict[str, Any]]:
    """The definitions believed now, each as plain JSON, by name."""
    return {relation.name: json.loads(as_said(relation)) for relation in load(db)}


def from_said(name: str, given: Mapping[str, Any]) -> Relation:
    """A definition out of its JSON."""
    return Relation(name, bool(given["functional"]), given["inverse"], tuple(given["aliases"]))


def close(db: apsw.Connection, name: str, at: int) -> None:
    """Stop believing the definition of this name."""
    db.execute("UPDATE relations SET expired_at = ? WHERE name = ? AND expired_at IS NULL", (at, name))


def forget_unused(db: apsw.Connection, names: Iterable[str]) -> None:
    """Delete plain definitions of these names that no claim uses any more: they say no more than the name."""
    db.execute(
        "DELETE FROM relations WHERE name IN (SELECT value FROM json_each(?)) AND created_at > ? AND NOT functional"
        " AND inverse IS NULL AND aliases = '[]'"
        " AND NOT EXISTS (SELECT 1 FROM groups g CROSS JOIN claims c ON c.group_id = g.id AND c.relation = relations.name)"
        " AND NOT EXISTS (SELECT 1 FROM relations o WHERE o.name = relations.name AND o.id <> relations.id)",
        (json.dumps(sorted(names)), ALWAYS),
    )


def load(db: apsw.Connection, known_at: int | None = None) -> Relations:
    """The definitions believed at `known_at`, by default now."""
    return Relations(
        Relation(name, bool(functional), inverse, tuple(json.loads(aliases)))
        for name, functional, inverse, aliases in db.execute(
            "SELECT name, functional, inverse, aliases FROM relations"
            " WHERE created_at <= :s AND (expired_at IS NULL OR expired_at > :s) ORDER BY id",
            {"s": (1 << 62) if known_at is None else known_at},
        )
    )


def told(db: apsw.Connection) -> list[Relation]:
    """The definitions believed now that somebody gave: the built-in ones and `define_relation`'s, not names out of texts."""
    return [
        Relation(name, bool(functional), inverse, tuple(json.loads(aliases)))
        for name, functional, inverse, aliases in db.execute(
            "SELECT name, functional, inverse, aliases FROM relations WHERE expired_at IS NULL AND (created_at = ?"
            " OR created_at IN (SELECT created_at FROM transactions WHERE verb = 'define')"
            " OR (said IS NOT NULL AND (functional OR inverse IS NOT NULL OR aliases <> '[]'))) ORDER BY id",
            (ALWAYS,),
        )
    ]


def before(db: apsw.Connection, since: int, until: int) -> tuple[dict[str, Relation | None], list[str]]:
    """What was believed just before `since` of each name whose definition changed in [since, until); None: it had none.

    Left out is the mere use of a name. Second: names whose definition is another one since; they are left out too.
    """
    then, after, now = ({relation.name: relation for relation in load(db, at)} for at in (since - 1, until - 1, None))
    found: dict[str, Relation | None] = {}
    later = []
    inside = "({0} >= ?1 AND {0} < ?2)"
    for (name,) in db.execute(
        f"SELECT DISTINCT name FROM relations WHERE {inside.format('created_at')} OR {inside.format('expired_at')} ORDER BY 1",
        (since, until),
    ):
        old, new = then.get(name), now.get(name)
        if old == new or (old is None and new is not None and new.is_plain):
            continue
        if new != after.get(name):
            later.append(name)
        else:
            found[name] = old
    return found, later


def changes(db: apsw.Connection) -> list[int]:
    """The instants of system time at which a definition changed that matters to a derivation, ascending.

    The first, plain definition of a name does not: an unknown name behaves the same.
    """
    return [
        at
        for (at,) in db.execute(
            "SELECT DISTINCT created_at FROM relations r WHERE created_at > ? AND (functional OR inverse IS NOT NULL"
            " OR aliases <> '[]' OR EXISTS (SELECT 1 FROM relations o WHERE o.name = r.name AND o.id < r.id)) ORDER BY 1",
            (ALWAYS,),
        )
    ]
