"""The vectors of episodes, claims and the names of entities: the file's embedder, what is written and what is taken away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import apsw

from tkgmem.errors import BadResponse, EmbedderMismatch
from tkgmem.store import shelves
from tkgmem.store.frames import unit
from tkgmem.store.language import language
from tkgmem.store.nearest import Comparison, Neighbours, compare, nearest, nearest_names, vectors_of
from tkgmem.store.rows import in_list
from tkgmem.store.shelves import Kind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

__all__ = [
    "KINDS", "Comparison", "Fingerprint", "Neighbours", "adopt", "check_embedder", "checked", "compare", "forget",
    "has", "insert", "kept", "nearest", "nearest_names", "vectors_of",
]  # fmt: skip

KINDS: tuple[Kind, ...] = ("episode", "claim", "entity")


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
            f"the vectors in {path} were made by {found}, not by {given}; open it with that embedder, or make all vectors anew"
            " with this one: `tkgmem reindex`, or tkgmem.reembed(path, embedder)"
        )
    return found is not None


def adopt(db: apsw.Connection, embedder: Fingerprint) -> None:
    """Keep the fingerprint of the embedder that makes the file's vectors."""
    rows = [(f"embedder.{key}", str(value)) for key, value in embedder._asdict().items()]
    db.executemany("INSERT INTO meta (key, value) VALUES (?, ?)", rows)


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


def insert(db: apsw.Connection, kind: Kind, owner: int, group_id: int, vectors: Vectors, text: str) -> None:
    """Give an episode, claim or entity vectors, one for each piece of its text or for each of its names.

    text: what they were made of; it tells the language.
    """
    shelves.add(db, shelves.at(db, kind, group_id, language(text)), owner, unit(vectors.astype("float64")))


def has(db: apsw.Connection, kind: Kind, owner: int) -> bool:
    """Whether an episode, claim or entity has a vector."""
    return bool(db.execute(f"SELECT EXISTS (SELECT 1 FROM passages WHERE {kind}_id = ?)", (owner,)).get)


def forget(db: apsw.Connection, kind: Kind, owners: Sequence[int]) -> None:
    """Remove the vectors of episodes, claims or entities, and those that wait to take their place."""
    rows: list[tuple[int]] = db.execute(  # type: ignore[assignment]
        f"SELECT id FROM passages WHERE {kind}_id IN (SELECT value FROM json_each(?))", (in_list(owners),)
    ).fetchall()
    shelves.remove(db, [row for (row,) in rows])
    db.execute(f"DELETE FROM next_vectors WHERE {kind}_id IN (SELECT value FROM json_each(?))", (in_list(owners),))
