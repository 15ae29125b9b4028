"""The full text in step with the rows: every text that is to be searched is in it, word for word, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import apsw

from tkgmem.store import summaries
from tkgmem.store.lexical import Table
from tkgmem.store.passages import claim_passage, episode_passage
from tkgmem.store.words import segment


class Entry(NamedTuple):
    """What a row of a full text ought to be. text: None where there ought to be none."""

    row: int
    text: str | None


class _Source(NamedTuple):
    """Where the texts of a full text come from: a table, or a query in its place, with the columns after the id for `passage`,
    and which rows must be searchable.
    """

    table: str
    columns: str
    passage: Callable[..., str]
    due: str = "1"


_SOURCES: dict[Table, _Source] = {
    "episode_text": _Source(
        "episodes",
        "r.content, r.speaker",
        episode_passage,
        # one whose embedder failed is neither in the full text nor has a vector
        "r.state = 'done' OR EXISTS (SELECT 1 FROM passages p WHERE p.episode_id = r.id)",
    ),
    "claim_text": _Source("claims", "r.lead, r.fact", claim_passage),
    "entity_text": _Source("aliases", "r.name", str),
    "summary_text": _Source(summaries.SEARCHED, "r.name, r.text", summaries.passage),
}
TABLES: tuple[Table, ...] = tuple(_SOURCES)


def count(db: apsw.Connection) -> int:
    """How many rows the full text has."""
    return sum(int(db.execute(f"SELECT count(*) FROM {table}").get) for table in TABLES)


def out_of_step(db: apsw.Connection, table: Table, rows: Sequence[int] | None = None) -> Iterator[Entry]:
    """The rows of a full text that are missing, say something else, or are of nothing, as they should be. rows: only these."""
    source, some = _SOURCES[table], "" if rows is None else f" AND {{}} IN ({', '.join(str(int(row)) for row in rows)})"
    query = (
        f"SELECT r.id, f.text, {source.due}, {source.columns} FROM {source.table} r"
        f" LEFT JOIN {table} f ON f.rowid = r.id WHERE 1{some.format('r.id')} ORDER BY r.id"
    )
    for row, indexed, due, *columns in _rows(db, query):
        text = source.passage(*columns)
        if (indexed is None and due) or (indexed is not None and indexed != segment(text)):
            yield Entry(row, text)
    left = f"SELECT rowid FROM {table} WHERE rowid NOT IN (SELECT id FROM {source.table}){some.format('rowid')} ORDER BY rowid"
    for (row,) in _rows(db, left):
        yield Entry(row, None)


def _rows(db: apsw.Connection, query: str) -> Iterator[tuple[Any, ...]]:
    yield from db.execute(query)


def mend(db: apsw.Connection, table: Table, entries: Iterable[Entry]) -> None:
    """Make rows of a full text what they ought to be, in the caller's transaction."""
    for row, text in entries:
        db.execute(f"DELETE FROM {table} WHERE rowid = ?", (row,))
        if text is not None:
            db.execute(f"INSERT INTO {table} (rowid, text) VALUES (?, ?)", (row, segment(text)))


def rebuild(db: apsw.Connection, table: Table) -> int:
    """Make the index of a full text again from its rows; how many there are."""
    db.execute(f"INSERT INTO {table} ({table}) VALUES ('rebuild')")
    return int(db.execute(f"SELECT count(*) FROM {table}").get)
