"""A copy of the whole file while others write: one snapshot, which counts only once it is checked.

SQLite copies all pages in one step, so it never begins again; nobody who writes has to wait for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw

from tkgmem.store import header, snapshot
from tkgmem.store.connection import BUSY_TIMEOUT_MS, Store, translated
from tkgmem.store.hardened import harden
from tkgmem.store.snapshot import Contents


def copy_to_file(store: Store, target: Path, *, name: str) -> Contents:
    """Copy the whole file into `target`, an empty file that nobody else knows of, and check the copy. name: for the messages.

    StoreError if the disk is full, or if the copy is not sound because the original is not.
    """
    with _snapshot(store) as source, translated(name):
        copied = snapshot.contents(source)
        with closing(apsw.Connection(str(target), flags=apsw.SQLITE_OPEN_READWRITE)) as into:
            into.pragma("journal_mode", "off")  # what is half written is thrown away as a whole
            into.pragma("synchronous", "off")
            snapshot.take(source, into)
    header.mark_without_wal(target)
    with Store(target, read_only=True, older=True) as written:
        check(written, copied, of=store.path)
    return copied


def copy_to_bytes(store: Store) -> tuple[bytes, Contents]:
    """The bytes of such a copy, checked, without any file; they take twice the file's size in memory for a moment."""
    with _snapshot(store) as source, closing(apsw.Connection(":memory:")) as into:
        harden(into)
        copied = snapshot.contents(source)
        snapshot.take(source, into)
        snapshot.check(into, copied, of=store.path)
        image = into.serialize("main")
    return header.without_wal(image), copied


def check(store: Store, expected: Contents | None, *, of: str) -> Contents:
    """What is in a file, once it is known to be sound and to hold what is expected. of: the original, for the message."""
    with store.read() as db:
        return snapshot.check(db, expected, of=of)


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
