"""All pages of a file as they are at one moment, and whether a copy of them is sound and whole. Works on bare connections."""

from __future__ import annotations

from typing import NamedTuple

import apsw

from tkgmem.errors import StoreError


class Contents(NamedTuple):
    """What tells whether a copy is the whole: its schema's number, and the rows of the tables that the rest hangs on."""

    schema: int
    episodes: int
    entities: int
    claims: int
    versions: int


def contents(db: apsw.Connection) -> Contents:
    """The contents of a file, in the transaction that `db` is in."""
    tables = Contents._fields[1:]
    return Contents(int(db.pragma("user_version")), *(int(db.execute(f"SELECT count(*) FROM {table}").get) for table in tables))


def take(source: apsw.Connection, into: apsw.Connection) -> None:
    """Copy all pages in one step, so that it never begins again; nobody who writes has to wait for it."""
    with into.backup("main", source, "main") as copying:
        copying.step(-1)


def check(db: apsw.Connection, expected: Contents | None, *, of: str) -> Contents:
    """What is in a copy, once it is known to be sound and to hold what is expected. of: the original, for the message."""
    found = [line for (line,) in db.execute("PRAGMA integrity_check(1)")]
    if found != ["ok"]:
        raise StoreError(
            f"{of} is damaged, and so would its copy be: {found[0]}; `tkgmem doctor` says more; nothing was written"
        )
    dangling = db.execute("PRAGMA foreign_key_check").fetchone()
    if dangling is not None:
        table, row, parent, _ = dangling
        raise StoreError(f"{of} is damaged: row {row} of {table} names a missing row of {parent}; nothing was written")
    there = contents(db)
    if expected is not None and there != expected:
        raise StoreError(f"the copy of {of} has {there}, not {expected}; nothing was written; try again")
    return there
