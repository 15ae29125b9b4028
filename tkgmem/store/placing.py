"""A new file appears whole or not at all, and never in the place of another.

It is written under another name in the same folder, forced to the disk, and only then given its own.
"""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tkgmem.errors import StoreError

SIDE_FILES = ("-wal", "-shm", "-journal")
"""What SQLite adds to a file's name; one that is left over would be taken for a part of the new file."""

PRIVATE = 0o600


def mode_of(path: str | Path) -> int:
    """Who may read and write a file; its owner alone where there is none."""
    try:
        return stat.S_IMODE(Path(path).stat().st_mode) & 0o777
    except OSError:
        return PRIVATE


@contextmanager
def new_file(path: Path, *, mode: int) -> Iterator[Path]:
    """An empty file to write to; it becomes `path` when the block ends, with these rights, and vanishes if anything is raised.

    StoreError if `path` is taken, at the beginning or the end, and for what the system says of the folder or the disk.
    """
    with _told(path):
        _refuse_taken(path)
        handle, name = tempfile.mkstemp(prefix=".tkgmem-", suffix=".part", dir=path.parent)
        os.close(handle)
        part = Path(name)
        try:
            yield part
            _sync(part)
            part.chmod(mode)
            _refuse_taken(path)
            _put(part, path)
            _sync_folder(path.parent)
        finally:
            for end in ("", *SIDE_FILES):
                Path(f"{part}{end}").unlink(missing_ok=True)


def _refuse_taken(path: Path) -> None:
    for end in ("", *SIDE_FILES):
        if os.path.lexists(f"{path}{end}"):
            raise StoreError(f"{path}{end} is there already; choose another name, or take it away first")


def _put(part: Path, path: Path) -> None:
    """Give the file its name, unless something has it by now."""
    try:
        os.link(part, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without links: the name is taken first, then the empty file that holds it replaced
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE))
        try:
            part.replace(path)
        except OSError:
            path.unlink()
            raise


def _sync(path: Path) -> None:
    with path.open("r+b") as file:
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":  # Windows does not open folders
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some network drives refuse; the file itself is on the disk
            os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """The system's errors as this package's."""
    try:
        yield
    except FileExistsError as error:
        raise StoreError(f"{path} appeared meanwhile and was left as it is; choose another name") from error
    except FileNotFoundError as error:
        raise StoreError(f"cannot write {path}: the folder {path.parent} does not exist; make it first") from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise StoreError(f"cannot write {path}: the disk is full; nothing was written; free some space first") from error
        raise StoreError(f"cannot write {path}: {error.strerror or error}; nothing was written") from error
