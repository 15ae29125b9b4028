"""The schema and its versions: numbered SQL files, run with their record in one transaction, after a copy of what was there.

`application_id` marks the file as ours, `user_version` is the number of the last file run.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from pathlib import Path

import apsw

from tkgmem.errors import NotATkgmemFile, SchemaTooNew, StoreError
from tkgmem.store import older, relations, schema, upgrade_leads, upgrade_vectors

APPLICATION_ID = 0x746B676D
"""The bytes "tkgm" in the file's header."""

_log = logging.getLogger("tkgmem")


def is_empty(db: apsw.Connection) -> bool:
    """Whether the file holds no schema at all."""
    return not db.execute("SELECT count(*) FROM sqlite_schema NOT INDEXED").get


def check(db: apsw.Connection, path: str) -> None:
    """Refuse a file of another program or with anything in its schema that is not ours (NotATkgmemFile), or of a later version
    (SchemaTooNew), before anything is written and before anything in it can run.
    """
    if is_empty(db):
        return
    if db.pragma("application_id") != APPLICATION_ID:
        raise NotATkgmemFile(f"{path} is an SQLite file of another program; choose another path")
    latest, found = schema.latest(), int(db.pragma("user_version"))
    if found > latest:
        raise SchemaTooNew(f"{path} has schema {found}, this version knows up to {latest}; install a newer tkgmem")
    try:
        wrong = schema.difference(db, found)
    except UnicodeDecodeError:
        wrong = "its schema is not UTF-8"
    if wrong is None and db.pragma("encoding") != "UTF-8":
        wrong = "its text is not UTF-8"
    if wrong is not None:
        raise NotATkgmemFile(
            f"{path} is not as tkgmem makes it: {wrong}; nothing of it was run. Restore a backup, or ask whoever sent it for "
            "what `tkgmem export` writes; what you put in yourself can be dropped again with another SQLite program"
        )


def require_latest(db: apsw.Connection, path: str) -> None:
    """Refuse a file that cannot be written to and has an earlier schema: StoreError says how to bring it up."""
    latest, found = schema.latest(), db.pragma("user_version")
    if found < latest:
        raise StoreError(
            f"{path} has schema {found}, an earlier version's, and is opened to be read only; open it once without read_only "
            f"(`tkgmem init` does) to bring it to schema {latest}; a copy is kept beside it"
        )


def run(db: apsw.Connection, path: str) -> None:
    """Bring the file to the latest schema. An earlier one is kept beside it first; nothing is changed if that fails."""
    if db.pragma("user_version") >= schema.latest():
        return
    kept: Path | None = None
    db.execute("BEGIN IMMEDIATE")
    try:
        check(db, path)
        found = int(db.pragma("user_version"))  # another process may have come first
        if 0 < found < schema.latest() and db.db_filename("main"):
            kept = older.keep(db, path, found)
            _log.info("%s has schema %d and is brought to %d; as it was, it is kept in %s", path, found, schema.latest(), kept)
        db.config(apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 1)  # SQLite reads ours (no other is there) when a table is renamed
        for number, sql in schema.scripts():
            if number > found:
                _step(db, number, sql)
        db.execute("COMMIT")
    except BaseException:
        with suppress(apsw.Error):  # the error that led here is the one to tell
            if db.in_transaction:
                db.execute("ROLLBACK")
        if kept is not None:
            kept.unlink(missing_ok=True)  # the file is as it was
        raise
    finally:
        db.config(apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0)


def _step(db: apsw.Connection, number: int, sql: str) -> None:
    db.execute(sql)
    if number == 1:
        relations.insert_built_in(db)
    if number == 3:
        upgrade_vectors.upgrade(db)
    if number == 4:
        upgrade_leads.upgrade(db)
    db.pragma("application_id", APPLICATION_ID)
    db.pragma("user_version", number)
