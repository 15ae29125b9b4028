"""Shelves: the vectors of one kind, group and script, with the frame they are compared in.

A shelf's row tells its state: vectors never change and the ids of passages are never used again, so equal sizes, last ids and
numbers of removals mean equal vectors. A frame is made again when twice as many vectors have come.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import apsw

from tkgmem.store import frames
from tkgmem.store.frames import Frame
from tkgmem.store.rows import Damaged, in_list

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Kind = Literal["episode", "claim", "entity"]
SIGNED = 1_024
"""From so many vectors on each has a signature, and they are not all read to answer a question."""
UNIT = 1.01
"""No vector's length has a larger square: they are of unit length, rounded, or zero."""
_LAST_FRAME = 16_384  # a frame of so many is kept for good: making another would take a second, and tell little more
_SAMPLE = 4_096
_BATCH = 1_024


class Shelf(NamedTuple):
    """The row of a shelf, but for its frame. Equal ones hold equal vectors in equal frames."""

    id: int
    kind: Kind
    group_id: int
    language: str
    size: int
    last: int
    removed: int
    framed: int

    @property
    def is_signed(self) -> bool:
        """Whether its vectors have signatures."""
        return self.framed >= SIGNED


_COLUMNS = ", ".join(Shelf._fields)


def of(db: apsw.Connection, kind: Kind, groups: Sequence[int]) -> list[Shelf]:
    """The shelves of some groups that are not empty, in the order of their rows."""
    query = f"SELECT {_COLUMNS} FROM shelves WHERE kind = ? AND group_id IN (SELECT value FROM json_each(?)) AND size > 0"
    return [Shelf(*row) for row in db.execute(f"{query} ORDER BY id", (kind, in_list(groups)))]


def at(db: apsw.Connection, kind: Kind, group_id: int, language: str) -> Shelf:
    """The shelf, made if it is new."""
    place = (kind, group_id, language)
    row = db.execute(f"SELECT {_COLUMNS} FROM shelves WHERE kind = ? AND group_id = ? AND language = ?", place).get
    if row is not None:
        return Shelf(*row)
    db.execute("INSERT INTO shelves (kind, group_id, language) VALUES (?, ?, ?)", place)
    return Shelf(db.last_insert_rowid(), *place, size=0, last=0, removed=0, framed=0)


def frame(db: apsw.Connection, shelf: Shelf) -> Frame | None:
    """The frame that is kept, None where the vectors are few."""
    blob = db.execute("SELECT frame FROM shelves WHERE id = ?", (shelf.id,)).get
    return None if blob is None else Frame.from_bytes(blob)


def add(db: apsw.Connection, shelf: Shelf, owner: int, rows: NDArray[np.float32]) -> Shelf:
    """Put unit vectors on a shelf, all of one owner. Returns the shelf as it is now."""
    found = frame(db, shelf) if shelf.is_signed else None
    marks = [(None, None)] * len(rows) if found is None else _marks(found, rows)
    for row, mark in zip(rows, marks, strict=True):
        db.execute(
            f"INSERT INTO passages ({shelf.kind}_id, shelf_id, signature, length) VALUES (?, ?, ?, ?)", (owner, shelf.id, *mark)
        )
        passage = db.last_insert_rowid()
        db.execute("INSERT INTO vectors (id, vector) VALUES (?, ?)", (passage, row.astype("<f4").tobytes()))
        shelf = shelf._replace(size=shelf.size + 1, last=passage)
    db.execute("UPDATE shelves SET size = ?, last = ? WHERE id = ?", (shelf.size, shelf.last, shelf.id))
    if wants_frame(shelf.size, shelf.framed):
        shelf = reframe(db, shelf, rows.shape[1])
    return shelf


def wants_frame(size: int, framed: int) -> bool:
    """Whether a frame is due on a shelf of so many vectors, whose frame was made of so many."""
    return size >= max(frames.LEAST, 2 * framed) and framed < _LAST_FRAME


def reframe(db: apsw.Connection, shelf: Shelf, dimension: int) -> Shelf:
    """Make the frame again, and every signature. Returns the shelf as it is now."""
    import numpy as np

    ids = [row for (row,) in db.execute("SELECT id FROM passages WHERE shelf_id = ? ORDER BY id", (shelf.id,))]
    places = np.linspace(0, len(ids) - 1, min(len(ids), _SAMPLE)).astype(np.int64)
    found = frames.made(read(db, [ids[place] for place in places], dimension))
    return _put_frame(db, shelf, found, len(ids), ids, dimension)


def set_frame(db: apsw.Connection, shelf: Shelf, frame: bytes, framed: int, dimension: int) -> Shelf:
    """Compare a shelf's vectors in a known frame, made of so many (`framed`). ValueError for one of another shape."""
    found = Frame.from_bytes(frame)
    if found.centre.shape != (dimension,) or not (abs(found.centre) <= 1).all():
        raise ValueError(f"not the frame of vectors of {dimension} numbers")
    ids = [row for (row,) in db.execute("SELECT id FROM passages WHERE shelf_id = ? ORDER BY id", (shelf.id,))]
    return _put_frame(db, shelf, found, min(framed, len(ids)), ids, dimension)


def kept_frames(db: apsw.Connection) -> list[tuple[Shelf, bytes]]:
    """The shelves whose vectors are compared in a frame that is kept, with it."""
    rows: list[Any] = db.execute(f"SELECT {_COLUMNS}, frame FROM shelves WHERE frame IS NOT NULL ORDER BY id").fetchall()
    return [(Shelf(*row[:-1]), row[-1]) for row in rows]


def owners(db: apsw.Connection, shelf: Shelf) -> set[int]:
    """The rows that have a vector on a shelf."""
    query = f"SELECT DISTINCT {shelf.kind}_id FROM passages WHERE shelf_id = ?"
    return {row for (row,) in db.execute(query, (shelf.id,))}


def _put_frame(db: apsw.Connection, shelf: Shelf, found: Frame, framed: int, ids: Sequence[int], dimension: int) -> Shelf:
    db.execute("UPDATE shelves SET framed = ?, frame = ? WHERE id = ?", (framed, found.to_bytes(), shelf.id))
    shelf = shelf._replace(framed=framed)
    for batch in _batches(ids) if shelf.is_signed else ():
        marks = zip(_marks(found, read(db, batch, dimension)), batch, strict=True)
        db.executemany("UPDATE passages SET signature = ?, length = ? WHERE id = ?", [(*mark, row) for mark, row in marks])
    return shelf


def _batches(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(ids), _BATCH):
        yield ids[start : start + _BATCH]


def _marks(found: Frame, rows: NDArray[np.float32]) -> list[tuple[bytes, float]]:
    signatures, lengths = found.signed(rows)
    return [(words.tobytes(), length) for words, length in zip(signatures, lengths.tolist(), strict=True)]


def remove(db: apsw.Connection, passages: Sequence[int]) -> None:
    """Take vectors off their shelves."""
    gone = in_list(passages)
    for shelf, count in db.execute(
        "SELECT shelf_id, count(*) FROM passages WHERE id IN (SELECT value FROM json_each(?)) GROUP BY shelf_id", (gone,)
    ).fetchall():
        db.execute("UPDATE shelves SET size = size - ?, removed = removed + ? WHERE id = ?", (count, count, shelf))
        db.execute("UPDATE shelves SET framed = 0, frame = NULL WHERE id = ? AND size = 0", (shelf,))
    db.execute("DELETE FROM vectors WHERE id IN (SELECT value FROM json_each(?))", (gone,))
    db.execute("DELETE FROM passages WHERE id IN (SELECT value FROM json_each(?))", (gone,))


def read(db: apsw.Connection, passages: Sequence[int], dimension: int) -> NDArray[np.float32]:
    """The vectors of these passages, in their order. One that cannot be would spoil every comparison: Damaged."""
    import numpy as np

    query = "SELECT v.id, v.vector FROM json_each(?) j CROSS JOIN vectors v ON v.id = j.value ORDER BY j.key"
    found: list[tuple[int, bytes]] = db.execute(query, (in_list(passages),)).fetchall()  # type: ignore[assignment]
    if len(found) != len(passages):
        raise Damaged(f"{len(passages) - len(found)} of its passages have no vector")
    if wrong := [row for row, blob in found if len(blob) != 4 * dimension]:
        raise Damaged(f"vector {wrong[0]} has another length than {dimension}")
    rows = np.frombuffer(b"".join(blob for _, blob in found), dtype="<f4").reshape(len(found), dimension)
    odd = np.flatnonzero(~(np.einsum("ij,ij->i", rows, rows) < UNIT))  # so put, it also finds what is no number
    if odd.size:
        raise Damaged(f"vector {found[int(odd[0])][0]} is not of unit length")
    return rows
