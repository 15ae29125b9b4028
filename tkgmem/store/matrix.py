"""Shelves in memory: the placed vectors of a small one, the signatures of a large one, within a bound of bytes in all.

A copy is right for as long as its shelf's row is the same. What other processes write is seen.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import apsw

from tkgmem.store import shelves
from tkgmem.store.frames import Frame, signature_bytes
from tkgmem.store.rows import Damaged
from tkgmem.store.shelves import Shelf

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_BYTES = 192_000_000
_MARGIN = 1.1  # room for more, so that one more vector is no new copy of all


@dataclass(slots=True)
class Copy:
    """A shelf in memory. passages and owners: ids, one a vector. frame: None where the vectors are few. lengths: as compared.

    rows: a vector a column. Signatures where the shelf has them, as words; else floats, placed if there is a frame.
    """

    shelf: Shelf
    frame: Frame | None
    passages: NDArray[np.int64]
    owners: NDArray[np.int64]
    lengths: NDArray[np.float64]
    rows: NDArray[Any]

    @property
    def bytes(self) -> int:
        """What it takes of the bound."""
        return self.rows.nbytes + self.owners.nbytes + self.passages.nbytes + self.lengths.nbytes


class Matrices:
    """The copies of one open file, the least recently used dropped first. One that is too large alone is kept while in use."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[int, Copy] = OrderedDict()

    def get(self, db: apsw.Connection, shelf: Shelf, dimension: int) -> Copy:
        """The shelf as it is now. Good until the next call."""
        copy = self._kept.get(shelf.id)
        if copy is None or copy.shelf != shelf:
            old = copy.shelf if copy else None
            grown = old is not None and (old.removed, old.framed) == (shelf.removed, shelf.framed) and shelf.framed > 0
            copy = _loaded(db, shelf, dimension, copy if grown else None)
            self._kept[shelf.id] = copy
        self._kept.move_to_end(shelf.id)
        while len(self._kept) > 1 and sum(one.bytes for one in self._kept.values()) > self._most_bytes:
            self._kept.popitem(last=False)
        size = shelf.size
        return Copy(shelf, copy.frame, copy.passages[:size], copy.owners[:size], copy.lengths[:size], copy.rows[:, :size])

    def clear(self) -> None:
        """Drop every copy."""
        self._kept.clear()


def _loaded(db: apsw.Connection, shelf: Shelf, dimension: int, copy: Copy | None) -> Copy:
    """The shelf, with what is new since the copy was made."""
    import numpy as np

    frame = copy.frame if copy else shelves.frame(db, shelf)
    new: list[tuple[int, int, bytes | None, float | None]] = db.execute(  # type: ignore[assignment]
        f"SELECT id, {shelf.kind}_id, signature, length FROM passages WHERE shelf_id = ? AND id > ? ORDER BY id",
        (shelf.id, copy.shelf.last if copy else 0),
    ).fetchall()
    size = copy.shelf.size if copy else 0
    if size + len(new) != shelf.size:
        raise Damaged(f"shelf {shelf.id} says that it holds {shelf.size} vectors, not {size + len(new)}")
    ids, owners, signatures, lengths = zip(*new, strict=True) if new else ((), (), (), ())
    if shelf.is_signed:
        if any(len(one or b"") != signature_bytes(dimension) for one in signatures) or None in lengths:
            raise Damaged(f"shelf {shelf.id} has a vector without its signature")
        words = np.frombuffer(b"".join(one or b"" for one in signatures), dtype="<u8")
        rows: NDArray[Any] = words.reshape(len(new), -1)
    else:
        rows = shelves.read(db, ids, dimension)
        rows = rows if frame is None else frame.placed(rows)
    return Copy(
        shelf,
        frame,
        _appended(copy.passages if copy else None, size, np.array(ids, dtype=np.int64)),
        _appended(copy.owners if copy else None, size, np.array(owners, dtype=np.int64)),
        _appended(copy.lengths if copy else None, size, np.array(lengths, dtype=np.float64)),
        _appended(copy.rows if copy else None, size, rows.T),
    )


def _appended(array: NDArray[Any] | None, size: int, more: NDArray[Any]) -> NDArray[Any]:
    """The first `size` of the array and more, along the last axis, in place where there is room."""
    import numpy as np

    wanted = size + more.shape[-1]
    if array is None or wanted > array.shape[-1]:
        grown = np.empty((*more.shape[:-1], int(wanted * _MARGIN)), dtype=more.dtype)
        if array is not None:
            grown[..., :size] = array[..., :size]
        array = grown
    array[..., size:wanted] = more
    return array
