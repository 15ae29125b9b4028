"""What the last use of a file left beside it: told apart from a file in use by SQLite's own locks, so it is never said of one.

Who has a file open in WAL mode holds a shared lock on it all the while. One that can be locked for itself alone is at rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import apsw

from tkgmem.errors import StoreError

_HEADER, _WAL = 100, b"\x02\x02"
_WAL_HEADER = 32
"""A -wal of no more bytes holds nothing."""


@contextmanager
def seen(path: str) -> Iterator[str | None]:
    """What to say of how a file was left, None where there is nothing to say, or others use it, or it cannot be told.

    Nobody else can find the same until the block ends; open the file within it. Raises StoreError where the -wal beside it
    belongs to a file that lay there before.
    """
    real = Path(path).resolve()  # SQLite keeps the -wal beside the file itself, not beside a link to it
    file = None
    with suppress(apsw.Error):  # it is another's, or only to be read, or on a disk without locks
        file = apsw.VFSFile("", str(real), [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READWRITE, 0])
    try:
        yield None if file is None else _left(file, path, real.with_name(f"{real.name}-wal"))
    finally:
        if file is not None:
            with suppress(apsw.Error):
                file.xUnlock(apsw.SQLITE_LOCK_NONE)
            file.xClose()


def _left(file: apsw.VFSFile, path: str, wal: Path) -> str | None:
    """What is to be said. Keeps a shared lock if there is something, else none: the journal is about to be switched."""
    said = None
    with suppress(apsw.Error):
        if _state(file, wal) is not None:
            file.xLock(apsw.SQLITE_LOCK_SHARED)
            file.xLock(apsw.SQLITE_LOCK_EXCLUSIVE)
            said = _state(file, wal)
    with suppress(apsw.Error):
        file.xUnlock(apsw.SQLITE_LOCK_NONE if said is None else apsw.SQLITE_LOCK_SHARED)
    if said == _REPLACED:
        raise StoreError(said.format(path=path, wal=wal))
    return None if said is None else said.format(path=path)


def _state(file: apsw.VFSFile, wal: Path) -> str | None:
    """What there is to say if nobody has it open."""
    if file.xFileSize() < _HEADER:
        return None
    if wal.with_name(f"{wal.name.removesuffix('-wal')}-journal").exists():
        return None  # SQLite rolls it back, and can do so only if nobody holds a lock on the file
    in_wal = file.xRead(_HEADER, 0)[18:20] == _WAL
    try:
        size = wal.stat().st_size
    except FileNotFoundError:
        return _COPIED if in_wal else None
    if size <= _WAL_HEADER:
        return None
    return _NOT_CLOSED if in_wal else _REPLACED


_NOT_CLOSED = (
    "{path} was not closed when it was last used, as after a crash or a power cut: what was committed lies in its -wal and is "
    "kept; nothing is lost, and the next write makes it one file again"
)
_COPIED = (
    "{path} may have been copied while it was in use: its newest changes may have stayed in the -wal of the original; copy "
    "that with `tkgmem backup`"
)
_REPLACED = (  # SQLite would play it into this file, and mix the two
    "{wal} holds changes of another file that lay at {path} before, as where a backup was put in its place; move it away, and "
    "open this again"
)
