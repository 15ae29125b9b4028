"""One SQLite connection with one lock: every read sees one snapshot, every write is all or nothing.

Opening changes nothing in a file that is not ours; the last one to close leaves a single file behind.
"""

from __future__ import annotations

import ctypes
import logging
import random
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import apsw

from tkgmem.errors import FileBusy, NotATkgmemFile, StoreError, TkgmemError
from tkgmem.store import damage, header, left_behind, migrate, place, recall_log, remains
from tkgmem.store.hardened import LONGEST, harden
from tkgmem.store.matrix import Matrices
from tkgmem.store.rows import Damaged
from tkgmem.store.waiting import STEP_SECONDS, Patience

Connection = apsw.Connection
"""What `read` and `write` lend; only `store` runs SQL on it."""

BUSY_TIMEOUT_MS, CHECKPOINT_TIMEOUT_MS, LEAVING_TIMEOUT_MS, LEAVING_TRIES = 10_000, 500, 20, 3
_TOLD = (
    apsw.BusyError, apsw.LockedError, apsw.ProtocolError, apsw.NotADBError, apsw.CorruptError, apsw.FullError,
    apsw.ReadOnlyError, apsw.CantOpenError, apsw.IOError, apsw.PermissionsError,
)  # fmt: skip
"""The errors of SQLite that say by themselves what is wrong."""
_log = logging.getLogger("tkgmem")


class Store:
    """The file. Only the functions of this package's `store` modules run SQL, on the connection that `read` and `write` lend.

    older: take a file of an earlier schema as it is, to copy or to look at; only with read_only.
    Raises NotATkgmemFile, SchemaTooNew, FileBusy or StoreError when it cannot be opened.
    """

    def __init__(self, path: str | Path, *, read_only: bool = False, older: bool = False) -> None:
        self.path = str(path)
        self.read_only = read_only
        self._older = older
        self.matrices = Matrices()
        self.recall_log = recall_log.RecallLog()  # what waits in it is written along with any change
        self._lock = threading.RLock()
        self._db: apsw.Connection | None = None
        self._sound: tuple[object, int] | None = None  # what was looked through last, and found in order
        self._check_path()
        if self.in_memory:
            self._db = self._open(Patience(0))
            return
        with translated(self.path), left_behind.seen(self.path) as left:
            self._db = self._open(Patience(BUSY_TIMEOUT_MS / 1000))
        for said in (left, None if read_only else place.warning(self.path)):
            if said is not None:
                _log.warning("%s", said)

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

    def _open(self, patience: Patience) -> apsw.Connection:
        flags = apsw.SQLITE_OPEN_READONLY if self.read_only else apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        while True:
            db = apsw.Connection(self.path, flags=flags)
            db.set_busy_handler(patience)
            try:
                with self._explained(db):
                    self._prepare(db)
            except BaseException as error:
                with suppress(apsw.Error):
                    db.close()
                if not (isinstance(error, apsw.BusyError) and patience()):
                    raise
            else:
                db.set_busy_timeout(BUSY_TIMEOUT_MS)
                return db

    def _prepare(self, db: apsw.Connection) -> None:
        harden(db)
        migrate.check(db, self.path)
        if not self.read_only and not db.readonly("main"):
            # A file that cannot be written to keeps its journal mode and its schema.
            if not self.in_memory:
                db.pragma("journal_mode", "wal")
            db.pragma("synchronous", "normal" if self.in_memory else "full")
            db.pragma("secure_delete", True)
            try:
                migrate.run(db, self.path)
            except BaseException:
                _leave(db)
                raise
            with suppress(apsw.BusyError, apsw.FullError):  # whoever opens it next sees to it
                if remains.is_marked(db):  # who forgot something was stopped before the end
                    remains.remove(db)
        elif migrate.is_empty(db):
            raise NotATkgmemFile(f"{self.path} is empty and cannot be written to, so no memory can be made in it")
        elif not self._older:
            migrate.require_latest(db, self.path)
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
                with self._explained(db):
                    yield db
            finally:
                if db.in_transaction:
                    db.execute("COMMIT")

    @contextmanager
    def write(self, wait: float = BUSY_TIMEOUT_MS / 1000) -> Iterator[apsw.Connection]:
        """The connection, inside a transaction that is committed at the end, or rolled back if anything is raised.

        wait: seconds for other processes that write.
        """
        with translated(self.path), self._begun(Patience(wait)) as db, self._explained(db):
            try:
                if _is_elsewhere(db):
                    raise StoreError(
                        f"{self.path} was deleted, renamed or replaced while it was open; nothing was written; close this "
                        "memory and open the file again"
                    )
                yield db
                if db.in_transaction:
                    self.recall_log.write(db)
                    db.execute("COMMIT")
                    self.recall_log.written()
                else:  # a rehearsal rolls back by itself
                    self.recall_log.undone()
                    self.matrices.clear()
            except BaseException:
                self.recall_log.undone()
                self.matrices.clear()  # they may hold rows whose ids are free again
                with suppress(apsw.Error):  # the error that led here is the one to tell
                    if db.in_transaction:  # a full disk has already rolled back
                        db.execute("ROLLBACK")
                raise

    @contextmanager
    def _explained(self, db: apsw.Connection) -> Iterator[None]:
        """What only the values of a damaged file bring about, as NotATkgmemFile that says what is wrong with it."""
        try:
            yield
        except Damaged as error:
            raise self._damaged(str(error)) from error
        except damage.SURPRISES as error:
            if isinstance(error, (TkgmemError, *_TOLD)) or damage.is_meant(error):
                raise
            state = (db.pragma("data_version"), db.total_changes())
            found = None if state == self._sound else damage.found(db)
            if found is None:
                self._sound = state
                raise
            raise self._damaged(found) from error

    def _damaged(self, what: str) -> NotATkgmemFile:
        return NotATkgmemFile(f"{self.path} is damaged: {what}; restore a backup, or see what `tkgmem doctor` can mend")

    @contextmanager
    def _begun(self, patience: Patience) -> Iterator[apsw.Connection]:
        """The connection, locked for writing. While another process writes, this one's other threads go on reading."""
        while True:
            with self._lock:
                db = self._connection()
                if not self.writable:
                    raise StoreError(f"{self.path} was opened read-only, or cannot be written to; nothing was written")
                busy = _begin(db)
                if busy is None:
                    yield db
                    return
            if not patience():
                raise busy

    def write_recalls(self, wait: float = 0.0) -> None:
        """Write what waits in the recall log, unless others write for longer than so many seconds: then it waits on."""
        if not (self.recall_log and self._lock.acquire(timeout=wait)):
            return
        try:
            with suppress(StoreError):
                if self.writable and not self._connection().in_transaction:
                    with self.write(wait):
                        pass
        finally:
            self._lock.release()

    def _connection(self) -> apsw.Connection:
        if self._db is None:
            raise StoreError(f"the memory {self.path} is closed; open it again with Memory({self.path!r})")
        return self._db

    def clean(self) -> bool:
        """Leave no deleted bytes in the file and its -wal. False if others read it: they stay until the last one closes it."""
        with self._lock, translated(self.path):
            if self.in_memory:
                return True
            db = self._connection()
            cleaned = _cleaned(db, self.path)
            db.set_busy_timeout(CHECKPOINT_TIMEOUT_MS)
            busy, *_ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone() or (0,)
            db.set_busy_timeout(BUSY_TIMEOUT_MS)
            return cleaned and not busy

    def vacuum(self) -> None:
        """Write the file anew without what is free in it."""
        with self._lock, translated(self.path):
            self._connection().execute("VACUUM")

    def close(self) -> None:
        """Close the file. The last connection to it leaves one file without side files."""
        self.write_recalls(recall_log.LEAVING_TIMEOUT_MS / 1000)
        with self._lock:
            self.matrices.clear()
            if self._db is None:
                return
            place = self._db.db_filename("main")
            left = self.in_memory or not self.writable or _leave(self._db)
            with suppress(apsw.Error):  # what was committed is in the file or its -wal
                self._db.close()
            self._db = None
            if not left:
                _leave_last(place)
            self.recall_log.leave(place, appending=self.read_only)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _leave(db: apsw.Connection) -> bool:
    """Leave one file; False while others have it open. Then at least an empty -wal: who only reads could not empty it."""
    try:
        db.set_busy_timeout(0)
        db.pragma("journal_mode", "delete")
    except apsw.Error:
        with suppress(apsw.Error):
            db.set_busy_timeout(LEAVING_TIMEOUT_MS)
            busy, *_ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone() or (1,)
            if not busy:  # an empty -wal says that nothing is missing: SQLite is not to take it away
                db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        return False
    return True


def _leave_last(path: str) -> None:
    """Leave one file after all: two that close at the same moment were both in the other's way, and may be so again."""
    dice = random.Random()
    for _ in range(LEAVING_TRIES):
        time.sleep(dice.uniform(0, STEP_SECONDS))
        with suppress(apsw.Error), closing(apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)) as db:
            if _leave(db):
                return


def _cleaned(db: apsw.Connection, path: str) -> bool:
    """Make the file anew if something that was deleted is left in it; False while others write. The deletion itself stands."""
    if not remains.is_marked(db):
        return True
    try:
        remains.remove(db)
    except apsw.BusyError:
        return False
    except (apsw.FullError, apsw.IOError, apsw.CantOpenError) as error:
        what = "is full" if isinstance(error, apsw.FullError) else f"fails ({error})"
        raise StoreError(
            f"{path}: forgotten, but the disk {what}, so that parts of it may be left in unused bytes of the file; free as "
            "much space as the file takes and open it again, which removes them"
        ) from error
    return True


def _begin(db: apsw.Connection) -> apsw.BusyError | None:
    """Take the write lock if nobody has it; what SQLite says if somebody has."""
    db.set_busy_timeout(0)
    try:
        db.execute("BEGIN IMMEDIATE")
    except apsw.BusyError as error:
        return error
    finally:
        db.set_busy_timeout(BUSY_TIMEOUT_MS)
    return None


def _is_elsewhere(db: apsw.Connection) -> bool:
    """Whether the open file is no longer the one at its path: writes would succeed, and nobody would find them."""
    elsewhere = ctypes.c_int(0)
    db.file_control("main", apsw.SQLITE_FCNTL_HAS_MOVED, ctypes.addressof(elsewhere))
    return bool(elsewhere.value)


@contextmanager
def translated(path: str) -> Iterator[None]:
    """SQLite's errors as this package's, each with the path and what to do."""
    try:
        yield
    except TkgmemError:
        raise
    except (apsw.BusyError, apsw.LockedError, apsw.ProtocolError) as error:
        raise FileBusy(f"{path} is locked by another process; this change was not written; try again ({error})") from error
    except apsw.NotADBError as error:
        if header.is_sealed(path):
            what = f"{path} is a sealed copy (age-encrypted); `tkgmem restore --password` makes a memory of it"
            raise NotATkgmemFile(what) from error
        raise NotATkgmemFile(f"{path} is not an SQLite file; choose another path") from error
    except apsw.CorruptError as error:
        raise NotATkgmemFile(f"{path} is damaged; restore a backup ({error})") from error
    except apsw.FullError as error:
        raise StoreError(f"{path}: the disk is full; this change was not written; free some space and try again") from error
    except apsw.TooBigError as error:
        raise StoreError(f"{path} takes values of up to {LONGEST:,} bytes; this change was not written") from error
    except apsw.ReadOnlyError as error:
        raise StoreError(f"{path} is read-only; open a copy that can be written to ({error})") from error
    except (apsw.CantOpenError, apsw.IOError, apsw.PermissionsError) as error:
        raise StoreError(f"cannot read or write {path}: {error}; check the path, its rights and the disk") from error
