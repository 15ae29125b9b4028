"""What was asked and waits to be written to the recall log: a read stays a read, so it is written later, with other changes.

Nobody waits for it, and nothing fails because of it. A crash loses what waits.
"""

from __future__ import annotations

import logging
import threading
from contextlib import closing, suppress

import apsw

from tkgmem.store import recalls, schema
from tkgmem.store.hardened import harden
from tkgmem.store.recalls import Entry

MANY = 32
"""So many that wait are written at once."""
LONG = 5_000_000
"""Microseconds, by the memory's clock, after which they are written with the next."""
MOST = 1_000
"""What waits beyond so many is dropped, the oldest first."""
LEAVING_TIMEOUT_MS = 100
"""How long closing waits for others that write."""

_log = logging.getLogger("tkgmem")


class RecallLog:
    """The entries of one open file that wait, safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[int, Entry] = {}
        self._number = 0
        self._begun: set[int] = set()

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, entry: Entry) -> bool:
        """Let an entry wait. Whether it is time to write."""
        with self._lock:
            self._number += 1
            self._waiting[self._number] = entry
            if len(self._waiting) > MOST:
                del self._waiting[next(iter(self._waiting))]
            first = next(iter(self._waiting.values()))
            return len(self._waiting) >= MANY or entry.at - first.at >= LONG

    def write(self, db: apsw.Connection) -> None:
        """Write what waits, in the caller's transaction. It waits on until `written` says that this is committed."""
        with self._lock:
            new = {number: entry for number, entry in self._waiting.items() if number not in self._begun}
            self._begun |= new.keys()
        if new:
            recalls.insert(db, list(new.values()))

    def written(self) -> None:
        """The transaction is committed: what it wrote waits no more."""
        with self._lock:
            for number in self._begun:
                self._waiting.pop(number, None)
            self._begun.clear()

    def undone(self) -> None:
        """The transaction is rolled back: everything waits on."""
        with self._lock:
            self._begun.clear()

    def clear(self) -> None:
        """Drop what waits."""
        with self._lock:
            self._waiting.clear()

    def leave(self, path: str, *, appending: bool) -> None:
        """Nothing waits for a file that is closed. appending: write it now, as it was opened to be read only."""
        if appending:
            _append(path, self)
        if self._waiting:
            _log.warning(
                "%s: others write to it, or it cannot be written to; what was asked last is not in its recall log: %d",
                path,
                len(self._waiting),
            )
            self.clear()


def _append(path: str, log: RecallLog) -> None:
    """Write what waits to a file that is not open here, and nothing else: no journal mode, no schema, no upkeep."""
    if not len(log):
        return
    with suppress(apsw.Error), closing(apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)) as db:
        db.set_busy_timeout(LEAVING_TIMEOUT_MS)
        harden(db)
        db.pragma("secure_delete", True)
        db.execute("BEGIN IMMEDIATE")
        if db.pragma("user_version") != schema.latest() or schema.difference(db, schema.latest()) is not None:
            return  # another program has changed it since
        log.write(db)
        db.execute("COMMIT")
        log.written()
        if db.pragma("journal_mode") == "wal":  # whoever had it open may have gone meanwhile: then no -wal is left behind
            db.set_busy_timeout(0)
            db.pragma("journal_mode", "delete")
