"""A disk that is watched: each opening, write, sync, truncation, deletion and read of SQLite is shown before it is done.

Who watches may record it, raise an apsw error in its place, or end the process. Connections opened meanwhile are on this disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

import apsw

Action = Literal["open", "write", "sync", "truncate", "delete", "read"]


class Operation(NamedTuple):
    """What is about to be done to a file. data: what is written. offset: where; of a truncation the new length.

    synced: whether a deletion is on the disk when it returns.
    """

    action: Action
    path: Path
    offset: int = 0
    data: bytes = b""
    synced: bool = False


Watch = Callable[[Operation], None]


def _path(name: str | apsw.URIFilename | None) -> Path:
    return Path(name.filename() if isinstance(name, apsw.URIFilename) else name or "temporary")


class _File(apsw.VFSFile):
    def __init__(self, base: str, name: str | apsw.URIFilename | None, flags: list[int], watch: Watch) -> None:
        self._path = _path(name)
        self._watch = watch
        super().__init__(base, name, flags)

    def excepthook(self, *_: object) -> bool:
        """Be silent where SQLite can go on without what failed."""
        return True

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._watch(Operation("write", self._path, offset, bytes(data)))
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._watch(Operation("sync", self._path))
        super().xSync(flags)

    def xTruncate(self, size: int) -> None:  # noqa: N802
        self._watch(Operation("truncate", self._path, size))
        super().xTruncate(size)

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        self._watch(Operation("read", self._path, offset))
        return super().xRead(amount, offset)


class _Disk(apsw.VFS):
    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._base = apsw.vfs_names()[0]
        super().__init__("watched", self._base, makedefault=True)

    def excepthook(self, *_: object) -> bool:
        """Be silent, as the files are."""
        return True

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        self._watch(Operation("open", _path(name)))
        return _File(self._base, name, flags, self._watch)

    def xDelete(self, name: str, sync: bool) -> None:  # noqa: N802
        self._watch(Operation("delete", Path(name), synced=bool(sync)))
        super().xDelete(name, sync)


@contextmanager
def watched(watch: Watch) -> Iterator[None]:
    """Every connection opened inside is on the watched disk, and must be closed inside."""
    disk = _Disk(watch)
    try:
        yield
    finally:
        disk.unregister()
