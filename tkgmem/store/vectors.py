"""Vectors in sqlite-vec tables, one each for episodes, claims and the names of entities, kept in step with `passages`.

A vector's row id is its passage's, which is never used again. What is not visible never takes a place in the ranking: the
condition is part of the nearest-neighbour query.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from tkgmem.errors import BadResponse, EmbedderMismatch
from tkgmem.store.clocks import View
from tkgmem.store.matrix import Copy, Kind, Matrices
from tkgmem.store.rows import in_list

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

KINDS: tuple[Kind, ...] = ("episode", "claim", "entity")
MAX_K = 4_096  # the limit of sqlite-vec
_DIGITS = 5  # of a cosine: nearer than that is as near, and the earlier row comes first
_CHUNK = 64  # vectors allocated at a time for each group: as fast as 1,024, and a small group costs 100 kB instead of 1.6 MB


class Fingerprint(NamedTuple):
    """What tells one embedder from another: name for people, length of a vector, checksum of the weights."""

    name: str
    dimension: int
    sha256: str

    def __str__(self) -> str:
        return f"{self.name} ({self.dimension} dimensions, sha256 {self.sha256[:12]})"


def kept(db: apsw.Connection) -> Fingerprint | None:
    """The embedder that the file's vectors were made by, None before the first."""
    meta = dict(db.execute("SELECT key, value FROM meta WHERE key LIKE 'embedder.%'"))
    if not meta:
        return None
    return Fingerprint(str(meta["embedder.name"]), int(str(meta["embedder.dimension"])), str(meta["embedder.sha256"]))


def check_embedder(db: apsw.Connection, given: Fingerprint, path: str) -> bool:
    """Whether the file's vectors were made by this embedder; False if it has none yet. EmbedderMismatch if by another."""
    found = kept(db)
    if found is not None and found != given:
        raise EmbedderMismatch(
            f"the vectors in {path} were made by {found}, not by {given}; open it with that embedder, or start a new file"
        )
    return found is not None


def adopt(db: apsw.Connection, embedder: Fingerprint) -> None:
    """Make the vector tables for this embedder and keep its fingerprint."""
    for kind in KINDS:
        _create(db, kind, embedder.dimension)
    rows = [(f"embedder.{key}", str(value)) for key, value in embedder._asdict().items()]
    db.executemany("INSERT INTO meta (key, value) VALUES (?, ?)", rows)


def upgrade(db: apsw.Connection) -> None:
    """Make the table of names in a file that has the other two already."""
    if (found := kept(db)) is not None:
        _create(db, "entity", found.dimension)


def _create(db: apsw.Connection, kind: Kind, dimension: int) -> None:
    db.execute(
        f"CREATE VIRTUAL TABLE {kind}_vectors USING vec0 ("
        f"group_id INTEGER PARTITION KEY, embedding FLOAT[{int(dimension)}] DISTANCE_METRIC=cosine, chunk_size={_CHUNK})"
    )


def checked(rows: Vectors, count: int, embedder: Fingerprint) -> Vectors:
    """The vectors, if there is one for each text and each is finite, of the right length and not zero; else BadResponse."""
    import numpy as np  # late: numpy is loaded with the first vector, not with the package

    array = np.asarray(rows, dtype=np.float32)
    if array.shape != (count, embedder.dimension):
        wanted = f"({count}, {embedder.dimension})"
        raise BadResponse(f"{embedder.name} gave vectors of shape {array.shape} instead of {wanted}; nothing was written")
    norms = np.linalg.norm(array.astype(np.float64), axis=1)
    bad = np.flatnonzero(~np.isfinite(norms) | (norms < 1e-6))
    if bad.size:
        raise BadResponse(
            f"{embedder.name} gave a vector that is not finite, or all zero, for text number {int(bad[0])}; nothing was written"
        )
    return array


def insert(db: apsw.Connection, kind: Kind, owner: int, group_id: int, vectors: Vectors) -> None:
    """Give an episode, claim or entity vectors, one for each piece of its text or for each of its names."""
    for vector in vectors:
        db.execute(f"INSERT INTO passages ({kind}_id) VALUES (?)", (owner,))
        db.execute(
            f"INSERT INTO {kind}_vectors (rowid, group_id, embedding) VALUES (?, ?, ?)",
            (db.last_insert_rowid(), group_id, vector.astype("float32").tobytes()),
        )


def has(db: apsw.Connection, kind: Kind, owner: int) -> bool:
    """Whether an episode, claim or entity has a vector."""
    return bool(db.execute(f"SELECT EXISTS (SELECT 1 FROM passages WHERE {kind}_id = ?)", (owner,)).get)


def forget(db: apsw.Connection, kind: Kind, owners: Sequence[int]) -> None:
    """Remove the vectors of episodes, claims or entities."""
    rows = db.execute(
        f"SELECT id FROM passages WHERE {kind}_id IN (SELECT value FROM json_each(?))", (in_list(owners),)
    ).fetchall()
    for (row,) in rows:
        db.execute(f"DELETE FROM {kind}_vectors WHERE rowid = ?", (row,))
        db.execute("DELETE FROM passages WHERE id = ?", (row,))


class Neighbours(NamedTuple):
    """A nearest-neighbour search: the question's vector in some groups, with the copies of their vectors that are in memory."""

    vector: Vectors
    groups: Sequence[int]
    matrices: Matrices


def search_episodes(db: apsw.Connection, question: Neighbours, view: View, limit: int) -> list[int]:
    """Rows of episodes by cosine, nearest first."""
    return _nearest(db, "episode", question, view, limit)


def search_claims(db: apsw.Connection, question: Neighbours, view: View, limit: int) -> list[int]:
    """Rows of claims by cosine, nearest first."""
    return _nearest(db, "claim", question, view, limit)


def nearest_names(db: apsw.Connection, group_id: int, vector: Vectors, limit: int) -> list[int]:
    """Rows of the entities of a group whose names are nearest by cosine, nearest first; names given up are among them."""
    rows = db.execute(
        "SELECT p.entity_id FROM"
        " (SELECT rowid, distance FROM entity_vectors WHERE embedding MATCH ? AND k = ? AND group_id = ?) n"
        " JOIN passages p ON p.id = n.rowid ORDER BY round(n.distance, ?), p.entity_id",
        (vector.astype("float32").tobytes(), min(MAX_K, 4 * limit), group_id, _DIGITS),
    )
    return list(dict.fromkeys(row for (row,) in rows))[:limit]


def _nearest(db: apsw.Connection, kind: Kind, question: Neighbours, view: View, limit: int) -> list[int]:
    """The owners of the nearest passages, each once, the visible ones only.

    Where many are visible, the nearest of all are found and looked at; where few are, or too few of the nearest, only visible
    ones are ranked at all.
    """
    copies = [question.matrices.get(db, kind, group, len(question.vector)) for group in question.groups]
    held = [copy for copy in copies if copy is not None]
    ranked = _Memory(held, question.vector) if len(held) == len(copies) else _Table(db, kind, question)
    if not view.few(db, 40 * limit):
        owners, complete = ranked.nearest(20 * limit)
        visible: list[int] = []
        for start in range(0, len(owners), 4 * limit):
            visible += view.only(db, owners[start : start + 4 * limit])
            if len(visible) >= limit:
                return visible[:limit]
        if complete:
            return visible
    return ranked.nearest_of(db, view, limit)


class _Memory:
    """Ranks by copies in memory; exact, like the table."""

    def __init__(self, copies: Sequence[Copy], vector: Vectors) -> None:
        import numpy as np

        unit = vector / np.linalg.norm(vector)
        self._near = np.concatenate([np.round(copy.rows @ unit, _DIGITS) for copy in copies])
        self._owners = np.concatenate([copy.owners for copy in copies])

    def nearest(self, k: int) -> tuple[list[int], bool]:
        """The owners of the k nearest passages, and whether these are all there are."""
        return self._best(self._near, self._owners, k), len(self._near) <= k

    def nearest_of(self, db: apsw.Connection, view: View, limit: int) -> list[int]:
        """The owners of the nearest visible passages."""
        import numpy as np

        visible = np.fromiter((row for (row,) in db.execute(view.ids, view.bindings)), dtype=np.int64)
        seen = np.isin(self._owners, visible)
        return self._best(self._near[seen], self._owners[seen], int(seen.sum()))[:limit]

    @staticmethod
    def _best(near: Vectors, owners: NDArray[np.int64], k: int) -> list[int]:
        import numpy as np

        if k < len(near):
            least = np.partition(near, len(near) - k)[len(near) - k]
            near, owners = near[near >= least], owners[near >= least]
        order = np.lexsort((owners, -near))[: k or None]
        return list(dict.fromkeys(owners[order].tolist()))


class _Table:
    """Ranks by the sqlite-vec table."""

    def __init__(self, db: apsw.Connection, kind: Kind, question: Neighbours) -> None:
        self._db, self._kind = db, kind
        self._groups, self._blob = question.groups, question.vector.astype("float32").tobytes()

    def nearest(self, k: int) -> tuple[list[int], bool]:
        """The owners of the k nearest passages of each group, and whether these are all there are."""
        return self._owners("", {}, min(MAX_K, k))

    def nearest_of(self, db: apsw.Connection, view: View, limit: int) -> list[int]:  # noqa: ARG002
        """The owners of the nearest visible passages."""
        inside = f" AND rowid IN (SELECT p.id FROM ({view.ids}) r JOIN passages p ON p.{self._kind}_id = r.id)"
        k = min(MAX_K, 4 * limit)
        while True:
            owners, complete = self._owners(inside, view.bindings, k)
            if len(owners) >= limit or complete or k == MAX_K:
                return owners[:limit]
            k = min(MAX_K, k * 4)  # several pieces of one long text took the places

    def _owners(self, condition: str, bindings: Mapping[str, Any], k: int) -> tuple[list[int], bool]:
        best: dict[int, float] = {}
        complete = True
        for group in self._groups:
            rows: list[tuple[int, float]] = self._db.execute(  # type: ignore[assignment]
                f"SELECT p.{self._kind}_id, n.distance FROM (SELECT rowid, distance FROM {self._kind}_vectors"
                f" WHERE embedding MATCH :q AND k = :k AND group_id = :one{condition}) n JOIN passages p ON p.id = n.rowid",
                {**bindings, "q": self._blob, "one": group, "k": k},
            ).fetchall()
            complete = complete and len(rows) < k
            for owner, exact in rows:
                distance = round(exact, _DIGITS)
                best[owner] = min(distance, best.get(owner, distance))
        return [owner for owner, _ in sorted(best.items(), key=lambda item: (item[1], item[0]))], complete
