"""One SQLite connection with one lock: every read sees one snapshot, every write is all or nothing.

Opening changes nothing in a file that is not ours; the last one to close leaves a single file behind.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import apsw

from tkgmem.errors import FileBusy, NotATkgmemFile, StoreError, TkgmemError
from tkgmem.store import migrate
from tkgmem.store.matrix import Matrices

Connection = apsw.Connection
"""What `read` and `write` lend; only `store` runs SQL on it."""

BUSY_TIMEOUT_MS, CHECKPOINT_TIMEOUT_MS = 10_000, 500
_log = logging.getLogger("tkgmem")


class Store:
    """The file. Only the functions of this package's `store` modules run SQL, on the connection that `read` and `write` lend.

    Raises NotATkgmemFile, SchemaTooNew, FileBusy or StoreError when it cannot be opened.
    """

    def __init__(self, path: str | Path, *, read_only: bool = False) -> None:
        self.path = str(path)
        self.read_only = read_only
        self.matrices = Matrices()
        self._lock = threading.RLock()
        self._db: apsw.Connection | None = None
        self._check_path()
        with translated(self.path):
            self._db = self._open()
            try:
                self._prepare(self._db)
            except BaseException:
                self._db.close()
                self._db = None
                raise

    @property
    def in_memory(self) -> bool:
        """Whether there is no file at all."""
        return self.path == ":memory:"

    def _check_path(self) -> None:
        if self.in_memory:
            return
        if "\0" in self.path:
            raise StoreError(f"not a file path: {self.path!r} has a NUL character")
        path = Path(self.path)
        if path.is_dir():
            raise NotATkgmemFile(f"{self.path} is a folder; name a file in it, such as {path / 'me.db'}")
        if not path.parent.is_dir():
            raise StoreError(f"cannot open {self.path}: the folder {path.parent} does not exist; make it first")
        if self.read_only and not path.exists():
            raise StoreError(f"cannot open {self.path} read-only: there is no such file")

    def _open(self) -> apsw.Connection:
        flags = apsw.SQLITE_OPEN_READONLY if self.read_only else apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        db = apsw.Connection(self.path, flags=flags)
        db.set_busy_timeout(BUSY_TIMEOUT_MS)
        return db

    def _prepare(self, db: apsw.Connection) -> None:
        db.config(apsw.SQLITE_DBCONFIG_DQS_DDL, 0)
        db.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
        db.config(apsw.SQLITE_DBCONFIG_ENABLE_FKEY, 1)
        db.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        db.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)  # a plan never waits for what is bound: it is made once
        migrate.check(db, self.path)
        if not self.read_only and not db.readonly("main"):
            # A file that cannot be written to keeps its journal mode and its schema.
            if not self.in_memory:
                db.pragma("journal_mode", "wal")
            db.pragma("synchronous", "normal" if self.in_memory else "full")
            db.pragma("secure_delete", True)
            migrate.run(db, self.path)
        elif migrate.is_empty(db):
            raise NotATkgmemFile(f"{self.path} is empty and cannot be written to, so no memory can be made in it")
        else:
            migrate.require_latest(db, self.path)
        db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
        db.pragma("cache_size", -65_536)

    @property
    def writable(self) -> bool:
        """Whether the file can be written to."""
        return not self.read_only and self._db is not None and not self._db.readonly("main")

    @contextmanager
    def read(self) -> Iterator[apsw.Connection]:
        """The connection, inside a transaction that sees one snapshot."""
        with self._lock, translated(self.path):
            db = self._connection()
            if db.in_transaction:
                yield db
                return
            db.execute("BEGIN")
            try:
                yield db
            finally:
                if db.in_transaction:
                    db.execute("COMMIT")

    @contextmanager
    def write(self) -> Iterator[apsw.Connection]:
        """The connection, inside a transaction that is committed at the end, or rolled back if anything is raised."""
        with self._lock, translated(self.path):
            db = self._connection()
            if not self.writable:
                raise StoreError(f"{self.path} was opened read-only, or cannot be written to; nothing was written")
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                if db.in_transaction:
                    db.execute("COMMIT")
                else:  # a rehearsal rolls back by itself
                    self.matrices.clear()
            except BaseException:
                self.matrices.clear()  # they may hold rows whose ids are free again
                if db.in_transaction:  # a full disk has already rolled back
                    db.execute("ROLLBACK")
                raise

    def _connection(self) -> apsw.Connection:
        if self._db is None:
            raise StoreError(f"the memory {self.path} is closed; open it again with Memory({self.path!r})")
        return self._db

    def checkpoint(self) -> None:
        """Move what was committed into the file and empty the -wal, so that deleted bytes do not stay there."""
        with self._lock, translated(self.path):
            if self.in_memory:
                return
            db = self._connection()
            db.set_busy_timeout(CHECKPOINT_TIMEOUT_MS)
            busy, *_ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone() or (0,)
            db.set_busy_timeout(BUSY_TIMEOUT_MS)
            if busy:
                _log.warning("%s is in use: what was deleted stays in its -wal until the others close it", self.path)

    def close(self) -> None:
        """Close the file. The last connection to it leaves one file without side files."""
        with self._lock:
            self.matrices.clear()
            if self._db is None:
                return
            if self.writable and not self.in_memory:
                with suppress(apsw.Error):  # someone else has it open, and will do this
                    self._db.set_busy_timeout(0)
                    self._db.pragma("journal_mode", "delete")
            self._db.close()
            self._db = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


@contextmanager
def translated(path: str) -> Iterator[None]:
    """SQLite's errors as this package's, each with the path and what to do."""
    try:
        yield
    except TkgmemError:
        raise
    except (apsw.BusyError, apsw.LockedError) as error:
        raise FileBusy(f"{path} is locked by another process; nothing was written; try again ({error})") from error
    except apsw.NotADBError as error:
        raise NotATkgmemFile(f"{path} is not an SQLite file; choose another path") from error
    except apsw.CorruptError as error:
        raise NotATkgmemFile(f"{path} is damaged; restore a backup ({error})") from error
    except apsw.FullError as error:
        raise StoreError(f"{path}: the disk is full; nothing was written; free some space and try again") from error
    except apsw.ReadOnlyError as error:
        raise StoreError(f"{path} is read-only; open a copy that can be written to ({error})") from error
    except (apsw.CantOpenError, apsw.IOError, apsw.PermissionsError) as error:
        raise StoreError(f"cannot read or write {path}: {error}; check the path, its rights and the disk") from error
