"""A connection that runs nothing of what a file holds: no triggers, no views, no functions that do more than compute.

The last two of these are asked for by https://www.sqlite.org/security.html; a schema that is not ours is refused besides (see
`schema`).
"""

from __future__ import annotations

import apsw

LONGEST = 256_000_000
"""Bytes of a value or a row. A text of 16 million characters has up to 64 MB, its words cut in pairs up to 144 MB."""

_SETTINGS = (
    (apsw.SQLITE_DBCONFIG_DEFENSIVE, 1),
    (apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_FKEY, 1),
    (apsw.SQLITE_DBCONFIG_DQS_DDL, 0),
    (apsw.SQLITE_DBCONFIG_DQS_DML, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1),  # a plan never waits for what is bound: it is made once
)
_LIMITS = (
    (apsw.SQLITE_LIMIT_LENGTH, LONGEST),
    (apsw.SQLITE_LIMIT_SQL_LENGTH, 1_000_000),  # also of the statements in a schema, which are read before it can be looked at
    (apsw.SQLITE_LIMIT_TRIGGER_DEPTH, 16),  # a deletion cascades through three tables
)


def harden(db: apsw.Connection) -> None:
    """Set it up so, before the first statement."""
    for setting, value in _SETTINGS:
        db.config(setting, value)
    for limit, value in _LIMITS:
        db.limit(limit, value)
    db.pragma("cell_size_check", True)
    db.pragma("mmap_size", 0)  # a page that changes under it, or a file that is cut short, would crash the process
    db.pragma("temp_store", "memory")  # what is forgotten leaves no copy in a temporary file
