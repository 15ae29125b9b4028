"""Vectors in memory, for exact search at personal scale: a copy of one group's vectors, at most a bound of bytes in all.

A copy is right for as long as the table has the same rows: vectors never change and row ids are never used again, so the count
and the highest id tell. What other processes write is seen. The first question of a program does not wait for a copy.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import apsw

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Kind = Literal["episode", "claim", "entity"]
MOST_BYTES = 64_000_000
_MARGIN = 256  # rows of room, so that one more vector is no new copy of all


class Copy(NamedTuple):
    """Unit vectors, one a row, and what each belongs to."""

    rows: NDArray[np.float32]
    owners: NDArray[np.int64]


@dataclass(slots=True)
class _Matrix:
    """The vectors of a group, the first `size` rows of `rows`, with the episode or claim of each. state: see `_state`."""

    rows: NDArray[np.float32]
    owners: NDArray[np.int64]
    size: int
    state: tuple[int, int]


class Matrices:
    """The copies of one open file, the least recently used dropped first."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[tuple[Kind, int], _Matrix | None] = OrderedDict()

    def get(self, db: apsw.Connection, kind: Kind, group: int, dimension: int) -> Copy | None:
        """The vectors of a group and whose they are; None at the first question, and where they are too many to keep."""
        key = (kind, group)
        if key not in self._kept:
            self._kept[key] = None  # the second question makes the copy
            return None
        state = _state(db, kind)
        matrix = self._kept[key]
        if matrix is None or matrix.state != state:
            base = matrix if matrix and _kept_all(db, kind, matrix.state) else None
            matrix = self._loaded(db, kind, group, dimension, base, state)
        self._kept[key] = matrix
        self._kept.move_to_end(key)
        self._drop()
        return None if matrix is None else Copy(matrix.rows[: matrix.size], matrix.owners[: matrix.size])

    def clear(self) -> None:
        """Drop every copy."""
        self._kept.clear()

    def _drop(self) -> None:
        while sum(matrix.rows.nbytes for matrix in self._kept.values() if matrix) > self._most_bytes:
            self._kept.popitem(last=False)

    def _loaded(
        self, db: apsw.Connection, kind: Kind, group: int, dimension: int, matrix: _Matrix | None, state: tuple[int, int]
    ) -> _Matrix | None:
        """The copy with the rows that are new since it was made; None if it would be too large."""
        import numpy as np

        table = {"episode": "episodes", "claim": "claims"}[kind]
        last = matrix.state[1] if matrix else 0
        new: list[tuple[int, int]] = db.execute(  # type: ignore[assignment]
            f"SELECT p.id, p.{kind}_id FROM passages p CROSS JOIN {table} o ON o.id = p.{kind}_id"
            f" WHERE p.{kind}_id IS NOT NULL AND p.id > ? AND o.group_id = ?",
            (last, group),
        ).fetchall()
        size = (matrix.size if matrix else 0) + len(new)
        if size * dimension * 4 > self._most_bytes:
            return None
        if matrix is None or size > len(matrix.rows):
            rows = np.empty((size + _MARGIN, dimension), dtype=np.float32)
            owners = np.empty(size + _MARGIN, dtype=np.int64)
            if matrix is not None:
                rows[: matrix.size], owners[: matrix.size] = matrix.rows[: matrix.size], matrix.owners[: matrix.size]
        else:
            rows, owners = matrix.rows, matrix.owners
        for place, (passage, owner) in enumerate(new, start=size - len(new)):
            blob = db.execute(f"SELECT embedding FROM {kind}_vectors WHERE rowid = ?", (passage,)).get
            rows[place] = np.frombuffer(blob, dtype=np.float32)
            rows[place] /= np.linalg.norm(rows[place])
            owners[place] = owner
        return _Matrix(rows, owners, size, state)


def _state(db: apsw.Connection, kind: Kind) -> tuple[int, int]:
    """How many vectors there are, and the highest row id: equal states have equal rows."""
    count, highest = db.execute(f"SELECT count(*), coalesce(max(id), 0) FROM passages WHERE {kind}_id IS NOT NULL").get
    return int(count), int(highest)


def _kept_all(db: apsw.Connection, kind: Kind, old: tuple[int, int]) -> bool:
    """Whether every row of an earlier state is still there."""
    there = db.execute(f"SELECT count(*) FROM passages WHERE {kind}_id IS NOT NULL AND id <= ?", (old[1],)).get
    return int(there) == old[0]
