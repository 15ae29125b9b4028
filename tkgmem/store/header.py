"""The first bytes of a file, read the way SQLite does: another way would drop the locks that this process holds on it.

POSIX takes every lock of a process on a file when it closes any descriptor of it.
"""

from __future__ import annotations

from pathlib import Path

import apsw

SEALED = (b"age-encryption.org/v1\n", b"-----BEGIN AGE ENCRYPTED FILE-----")
"""How a file of the age format begins: binary, or as text."""

_MODES_AT, _ROLLBACK = 18, b"\x01\x01"
"""Where the header says how the file is written and read, and the value for a rollback journal, which needs no side files."""


def first_bytes(path: str | Path, number: int) -> bytes:
    """Up to so many bytes from the beginning of a file; none if it cannot be opened."""
    flags = apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY
    try:
        file = apsw.VFSFile("", str(path), [flags, 0])
    except apsw.CantOpenError:
        return b""
    try:
        return file.xRead(min(number, file.xFileSize()), 0)
    finally:
        file.xClose()


def is_sealed(path: str | Path) -> bool:
    """Whether a file is encrypted in the age format."""
    return first_bytes(path, max(map(len, SEALED))).startswith(SEALED)


def without_wal(image: bytes) -> bytes:
    """The bytes of a whole database, marked as one that has no -wal."""
    return b"".join((image[:_MODES_AT], _ROLLBACK, memoryview(image)[_MODES_AT + len(_ROLLBACK) :]))


def mark_without_wal(path: Path) -> None:
    """The same for a file that nobody has open."""
    with path.open("r+b") as file:
        file.seek(_MODES_AT)
        file.write(_ROLLBACK)
