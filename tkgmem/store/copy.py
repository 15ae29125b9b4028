"""A copy of the whole file while others write: one snapshot, which counts only once it is checked.

SQLite copies all pages in one step, so it never begins again; nobody who writes has to wait for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import apsw

from tkgmem.errors import StoreError
from tkgmem.store import header
from tkgmem.store.connection import BUSY_TIMEOUT_MS, Store, translated
from tkgmem.store.hardened import harden


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


def copy_to_file(store: Store, target: Path, *, name: str) -> Contents:
    """Copy the whole file into `target`, an empty file that nobody else knows of, and check the copy. name: for the messages.

    StoreError if the disk is full, or if the copy is not sound because the original is not.
    """
    with _snapshot(store) as source, translated(name):
        copied = contents(source)
        with closing(apsw.Connection(str(target), flags=apsw.SQLITE_OPEN_READWRITE)) as into:
            into.pragma("journal_mode", "off")  # what is half written is thrown away as a whole
            into.pragma("synchronous", "off")
            _copy(source, into)
    header.mark_without_wal(target)
    with Store(target, read_only=True, older=True) as written:
        check(written, copied, of=store.path)
    return copied


def copy_to_bytes(store: Store) -> tuple[bytes, Contents]:
    """The bytes of such a copy, checked, without any file; they take twice the file's size in memory for a moment."""
    with _snapshot(store) as source, closing(apsw.Connection(":memory:")) as into:
        harden(into)
        copied = contents(source)
        _copy(source, into)
        _check(into, copied, of=store.path)
        image = into.serialize("main")
    return header.without_wal(image), copied


def check(store: Store, expected: Contents | None, *, of: str) -> Contents:
    """What is in a file, once it is known to be sound and to hold what is expected. of: the original, for the message."""
    with store.read() as db:
        return _check(db, expected, of=of)


def _check(db: apsw.Connection, expected: Contents | None, *, of: str) -> Contents:
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


def _copy(source: apsw.Connection, into: apsw.Connection) -> None:
    with into.backup("main", source, "main") as copying:
        copying.step(-1)


@contextmanager
def _snapshot(store: Store) -> Iterator[apsw.Connection]:
    """A connection that sees one state of the file: its own, so that the threads of this memory go on."""
    with store.read() as db:
        if store.in_memory:
            yield db
            return
        place = db.db_filename("main")
    with translated(store.path), closing(apsw.Connection(place, flags=apsw.SQLITE_OPEN_READONLY)) as source:
        source.set_busy_timeout(BUSY_TIMEOUT_MS)
        harden(source)
        source.execute("BEGIN")
        yield source
