"""The schema and its versions: numbered SQL files, each run with its record in one transaction.

`application_id` marks the file as ours, `user_version` is the number of the last file run.
"""

from __future__ import annotations

import re
from importlib import resources

import apsw

from tkgmem.errors import NotATkgmemFile, SchemaTooNew, StoreError
from tkgmem.store import relations, upgrade_leads, upgrade_vectors

APPLICATION_ID = 0x746B676D
"""The bytes "tkgm" in the file's header."""


def _migrations() -> list[tuple[int, str]]:
    folder = resources.files("tkgmem.store").joinpath("migrations")
    found = [(int(name.group(1)), file) for file in folder.iterdir() if (name := re.match(r"(\d+)_.*\.sql$", file.name))]
    return [(number, file.read_text(encoding="utf-8")) for number, file in sorted(found, key=lambda item: item[0])]


def is_empty(db: apsw.Connection) -> bool:
    """Whether the file holds no schema at all."""
    return not db.execute("SELECT count(*) FROM sqlite_schema").get


def check(db: apsw.Connection, path: str) -> None:
    """Refuse a file of another program (NotATkgmemFile) or of a later version (SchemaTooNew), before anything is written."""
    if is_empty(db):
        return
    if db.pragma("application_id") != APPLICATION_ID:
        raise NotATkgmemFile(f"{path} is an SQLite file of another program; choose another path")
    latest, found = _migrations()[-1][0], db.pragma("user_version")
    if found > latest:
        raise SchemaTooNew(f"{path} has schema {found}, this version knows up to {latest}; install a newer tkgmem")


def require_latest(db: apsw.Connection, path: str) -> None:
    """Refuse a file that cannot be written to and has an earlier schema: StoreError says how to bring it up."""
    latest, found = _migrations()[-1][0], db.pragma("user_version")
    if found < latest:
        raise StoreError(
            f"{path} has schema {found}, an earlier version's, and cannot be written to; open it once without read_only "
            f"(`tkgmem init` does) to bring it to schema {latest}"
        )


def run(db: apsw.Connection, path: str) -> None:
    """Bring the file to the latest schema."""
    for number, sql in _migrations():
        if db.pragma("user_version") >= number:
            continue
        db.execute("BEGIN IMMEDIATE")
        try:
            if db.pragma("user_version") < number:  # another process may have come first
                check(db, path)
                db.execute(sql)
                if number == 1:
                    relations.insert_built_in(db)
                if number == 3:
                    upgrade_vectors.upgrade(db)
                if number == 4:
                    upgrade_leads.upgrade(db)
                db.pragma("application_id", APPLICATION_ID)
                db.pragma("user_version", number)
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise
