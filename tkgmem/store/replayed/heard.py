"""The vectors of a file by the texts that they were made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import apsw

from tkgmem.store import shelves, vector_state
from tkgmem.store.vectors import KINDS

if TYPE_CHECKING:
    from tkgmem.protocols import Vectors

_BATCH = 1_024


def passages(db: apsw.Connection, spans: Callable[[str], Sequence[tuple[int, int]]]) -> Iterator[tuple[str, int]]:
    """Each piece of text with the row of its vector. spans: how a text is cut that has several."""
    for kind in KINDS:
        after = 0
        while found := vector_state.due(db, kind, after=after, limit=_BATCH):
            after = found[-1][0].row
            rows = _rows(db, kind, found[0][0].row, after)
            for owner, (_, texts) in found:
                own = rows.get(owner.row, [])
                pieces: Sequence[str] = texts
                if len(texts) == 1 and len(own) > 1:
                    pieces = [texts[0][start:end] for start, end in spans(texts[0])]
                if len(pieces) == len(own) and (len(own) == 1 or kind != "entity"):
                    yield from zip(pieces, own, strict=True)


def _rows(db: apsw.Connection, kind: str, first: int, last: int) -> dict[int, list[int]]:
    """The rows of vectors of these owners, in order."""
    found: dict[int, list[int]] = {}
    query = f"SELECT {kind}_id, id FROM passages WHERE {kind}_id BETWEEN ? AND ? ORDER BY id"
    rows: Any = db.execute(query, (first, last))
    for owner, row in rows:
        found.setdefault(owner, []).append(row)
    return found


def vectors(db: apsw.Connection, rows: Sequence[int], dimension: int) -> Vectors:
    """The vectors in these rows."""
    return shelves.read(db, rows, dimension)
