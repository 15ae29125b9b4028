"""Relation definitions as claims: append-only rows, each believed over a stretch of system time."""

from __future__ import annotations

import json
from collections.abc import Iterable

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


def insert(db: apsw.Connection, relation: Relation, at: int, *, said: Relation | None = None) -> None:
    """Believe a definition from `at` on, in place of the one of the same name. said: as it was given, where it was."""
    close(db, relation.name, at)
    db.execute(
        "INSERT INTO relations (name, functional, inverse, aliases, created_at) VALUES (?, ?, ?, ?, ?)",
        (relation.name, int(relation.functional), relation.inverse, json.dumps(relation.aliases), at),
    )
    if said is not None:
        db.execute("UPDATE relations SET said = ? WHERE id = ?", (as_said(said), db.last_insert_rowid()))


def as_said(relation: Relation) -> str:
    """A definition as it was given, as JSON."""
    given = {"functional": relation.functional, "inverse": relation.inverse, "aliases": relation.aliases}
    return json.dumps(given, ensure_ascii=False)


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
            " OR created_at IN (SELECT created_at FROM transactions WHERE verb = 'define')) ORDER BY id",
            (ALWAYS,),
        )
    ]


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
