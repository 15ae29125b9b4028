"""Two places to work in beside a memory that is in use: one state of its file, and a new file that vanishes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw

from tkgmem.store import snapshot
from tkgmem.store.connection import Store
from tkgmem.store.hardened import harden

SMALL = 256_000_000
"""A file of up to so many bytes is made again in memory, a larger one on the disk."""


@contextmanager
def one_state(store: Store) -> Iterator[apsw.Connection]:
    """A connection of its own that sees one state of the file; whoever reads and writes it goes on."""
    if store.in_memory:
        with closing(apsw.Connection(":memory:")) as copy:
            harden(copy)
            with store.read() as db:
                snapshot.take(db, copy)
            yield copy
        return
    with store.read() as db:
        place = db.db_filename("main")
    with Store(place, read_only=True) as other, other.read() as db:
        yield db


@contextmanager
def new_store(like: apsw.Connection) -> Iterator[Store]:
    """An empty memory to build in, in memory or in the system's folder for such files. Nothing of it is left."""
    if int(like.pragma("page_count")) * int(like.pragma("page_size")) <= SMALL:
        with Store(":memory:") as made:
            yield made
        return
    with tempfile.TemporaryDirectory(prefix="tkgmem-") as folder, Store(Path(folder) / "replay.db") as made:
        yield made
