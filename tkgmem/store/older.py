"""A file of an earlier schema is kept beside itself before it is changed: a sound copy, never in the place of another file."""

from __future__ import annotations

import itertools
import os
import stat
from pathlib import Path

from tkgmem.errors import StoreError
from tkgmem.store import copy
from tkgmem.store.connection import Store

_SIDE_FILES = ("", "-wal", "-shm", "-journal")


def keep(path: str, version: int) -> Path:
    """Copy a file of an earlier schema to `<name>.schema-<version>.bak`, with its rights; the copy, checked.

    The caller holds the file's write lock. Where that name is taken the next free number is added to it. StoreError if it
    cannot be written, or the file is damaged; nothing is left behind then.
    """
    target = _free(path, version)
    part = target.with_name(f"{target.name}.part")  # of a process that was killed, if there is one: only one has the lock
    try:
        _remove(part)
        mode = stat.S_IMODE(Path(path).stat().st_mode)
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        with Store(path, read_only=True, older=True) as store:
            copy.copy_to_file(store, part, name=str(target))
        with part.open("r+b") as file:
            os.fsync(file.fileno())
        part.chmod(mode)
        part.rename(target)
    except OSError as error:
        raise StoreError(
            f"{path} has an earlier schema, and no copy of it could be kept in {target}: {error.strerror or error}; nothing "
            "was changed; see to the folder and the space on the disk, and open it again"
        ) from error
    finally:
        _remove(part)
    return target


def _free(path: str, version: int) -> Path:
    for number in itertools.count(1):
        more = "" if number == 1 else f"-{number}"
        target = Path(f"{path}.schema-{version}{more}.bak")
        if not any(os.path.lexists(f"{target}{end}") for end in _SIDE_FILES):
            return target
    raise AssertionError


def _remove(part: Path) -> None:
    for end in _SIDE_FILES:
        Path(f"{part}{end}").unlink(missing_ok=True)
