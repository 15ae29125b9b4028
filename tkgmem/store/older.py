"""A file of an earlier schema is kept beside itself before it is changed: a sound copy, never in the place of another file."""

from __future__ import annotations

import itertools
import os
from contextlib import closing
from pathlib import Path

import apsw

from tkgmem.errors import StoreError
from tkgmem.store import header, snapshot
from tkgmem.store.hardened import harden
from tkgmem.store.placing import SIDE_FILES, mode_of, new_file


def keep(db: apsw.Connection, path: str, version: int) -> Path:
    """Copy a file of an earlier schema to `<name>.schema-<version>.bak`, with its rights; the copy, checked.

    db: the file's, which holds the write lock. Where that name is taken the next free number is added to it. StoreError if it
    cannot be written, or the file is damaged; nothing is left behind then.
    """
    target = _free(path, version)
    try:
        with new_file(target, mode=mode_of(path)) as part:
            before = snapshot.contents(db)
            # whose connection is writing, if only in name, cannot be copied from
            with closing(_reading(db.db_filename("main"))) as source, closing(apsw.Connection(str(part))) as copy:
                copy.pragma("journal_mode", "off")  # what is half written is thrown away as a whole
                snapshot.take(source, copy)
            header.mark_without_wal(part)
            with closing(_reading(str(part))) as copy:
                snapshot.check(copy, before, of=path)
    except StoreError as error:
        raise StoreError(
            f"{path} has an earlier schema, and no copy of it could be kept beside it ({error}); nothing was changed; see to "
            "the folder and the space on the disk, and open it again"
        ) from error
    return target


def _reading(path: str) -> apsw.Connection:
    db = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
    harden(db)
    return db


def _free(path: str, version: int) -> Path:
    for number in itertools.count(1):
        more = "" if number == 1 else f"-{number}"
        target = Path(f"{path}.schema-{version}{more}.bak")
        if not any(os.path.lexists(f"{target}{end}") for end in ("", *SIDE_FILES)):
            return target
    raise AssertionError
