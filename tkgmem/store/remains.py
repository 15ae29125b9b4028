"""Copies of deleted values in the unused bytes of a file: after every deletion the file is made anew, without them.

`secure_delete` overwrites a row where it lies. But where a page fills or empties, SQLite moves rows to the pages beside it and
leaves the old copies in the gap that they came from, where no later DELETE reaches them. VACUUM writes the rows that are left.
To look for copies first, at parts of every value that went, takes as long as to make the file anew.
"""

from __future__ import annotations

import apsw

_MARK = "remains"


def mark(db: apsw.Connection) -> None:
    """Keep in the file that it is to be made anew, so that it is even if this process ends now."""
    db.execute("INSERT INTO meta (key, value) VALUES (?, 'to be removed') ON CONFLICT DO NOTHING", (_MARK,))


def is_marked(db: apsw.Connection) -> bool:
    """Whether the file is to be made anew."""
    return bool(db.execute("SELECT EXISTS (SELECT 1 FROM meta WHERE key = ?)", (_MARK,)).get)


def remove(db: apsw.Connection) -> None:
    """Make the file anew, outside of a transaction. It takes the memory and for a while the space of one more copy of it."""
    db.execute("VACUUM")
    db.execute("DELETE FROM meta WHERE key = ?", (_MARK,))


def forget_statistics(db: apsw.Connection) -> None:
    """Drop what ANALYZE kept: it holds values of rows."""
    for number in (1, 4):
        db.execute(f"DROP TABLE IF EXISTS sqlite_stat{number}")
