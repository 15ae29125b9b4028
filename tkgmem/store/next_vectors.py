"""Vectors of another embedder, made beside those in use: kept as they come, and put in their place all at once.

What is there is never made again, so that making them can stop at any moment and go on later. Until the change nothing else
reads them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import apsw

from tkgmem.store import frames, shelves, vector_state, vectors
from tkgmem.store.frames import unit
from tkgmem.store.language import language
from tkgmem.store.shelves import Kind, Shelf
from tkgmem.store.vector_state import Owner, Texts
from tkgmem.store.vectors import KINDS, Fingerprint

if TYPE_CHECKING:
    from tkgmem.protocols import Vectors

_BATCH = 1_024
_LACKING = {
    "episode": "NOT EXISTS (SELECT 1 FROM next_vectors n WHERE n.episode_id = r.id)",
    "claim": "NOT EXISTS (SELECT 1 FROM next_vectors n WHERE n.claim_id = r.id)",
    "entity": (
        "(SELECT count(*) FROM next_vectors n WHERE n.entity_id = r.id)"
        " < (SELECT count(*) FROM aliases a WHERE a.entity_id = r.id AND a.episode_id IS NULL)"
    ),
}


class _Place(NamedTuple):
    """A shelf by what it is for."""

    kind: Kind
    group_id: int
    language: str


class _Row(NamedTuple):
    """A vector that waits: its row, and whose it is."""

    row: int
    owner: Owner


def coming(db: apsw.Connection) -> Fingerprint | None:
    """The embedder whose vectors wait, None if none do."""
    meta = dict(db.execute("SELECT substr(key, 15), value FROM meta WHERE key LIKE 'next_embedder.%'"))
    return Fingerprint(str(meta["name"]), int(str(meta["dimension"])), str(meta["sha256"])) if meta else None


def begin(db: apsw.Connection, embedder: Fingerprint) -> None:
    """Let the vectors of this embedder be made; those of another one that wait are thrown away."""
    if coming(db) != embedder:
        discard(db)
        rows = [(f"next_embedder.{key}", str(value)) for key, value in embedder._asdict().items()]
        db.executemany("INSERT INTO meta (key, value) VALUES (?, ?)", rows)


def discard(db: apsw.Connection) -> None:
    """Throw away what waits."""
    db.execute("DELETE FROM next_vectors")
    db.execute("DELETE FROM meta WHERE key LIKE 'next_embedder.%'")


def unusable(db: apsw.Connection) -> list[int]:
    """The rows that wait for no embedder, or are of another length than its vectors."""
    embedder = coming(db)
    wanted = 0 if embedder is None else 4 * embedder.dimension
    return [row for (row,) in db.execute("SELECT id FROM next_vectors WHERE length(vector) <> ? ORDER BY id", (wanted,))]


def count(db: apsw.Connection) -> int:
    """How many vectors wait."""
    return int(db.execute("SELECT count(*) FROM next_vectors").get)


def lacking(db: apsw.Connection, kind: Kind, *, after: int, limit: int) -> list[tuple[Owner, Texts]]:
    """The owners of a kind, by row after a row, for which no vectors wait yet, with what these are made of."""
    return vector_state.due(db, kind, after=after, limit=limit, lacking=_LACKING[kind])


def number_lacking(db: apsw.Connection) -> int:
    """How many owners have no vectors waiting."""
    return sum(vector_state.number_due(db, kind, lacking=_LACKING[kind]) for kind in KINDS)


def put(db: apsw.Connection, owner: Owner, rows: Sequence[Vectors]) -> None:
    """Let an owner's vectors wait, in place of those that did. rows: for each of its texts those of its pieces."""
    db.execute(f"DELETE FROM next_vectors WHERE {owner.kind}_id = ?", (owner.row,))
    for some in rows:
        for row in unit(some.astype("float64")):
            blob = row.astype("<f4").tobytes()
            db.execute(f"INSERT INTO next_vectors ({owner.kind}_id, vector) VALUES (?, ?)", (owner.row, blob))


def change_over(db: apsw.Connection, pieces: Callable[[str], int]) -> int:
    """Put all that waits in the place of the vectors in use, in the caller's transaction; how many there are now.

    They come to lie in the order of those that they replace, and those of the same embedder are compared in the frames that
    there are, so that equal vectors give equal answers. pieces: into how many pieces a text is cut.
    """
    embedder = coming(db)
    assert embedder is not None
    kept = shelves.kept_frames(db) if vectors.kept(db) == embedder else []
    placed: dict[_Place, list[_Row]] = {}
    for place, row in _placed(db, pieces):
        placed.setdefault(place, []).append(row)
    for table in ("vectors", "passages", "shelves"):
        db.execute(f"DELETE FROM {table}")
    for place, rows in placed.items():
        _fill(db, shelves.at(db, *place), rows, embedder.dimension)
    for old, frame in kept:
        shelf = shelves.at(db, old.kind, old.group_id, old.language)
        if shelf.size == old.size:
            shelves.set_frame(db, shelf, frame, old.framed, embedder.dimension)
    db.execute("DELETE FROM meta WHERE key LIKE 'embedder.%'")
    vectors.adopt(db, embedder)
    discard(db)
    return sum(map(len, placed.values()))


def _placed(db: apsw.Connection, pieces: Callable[[str], int]) -> Iterator[tuple[_Place, _Row]]:
    """What waits, with the shelf it goes to, in the order of the vectors that it replaces, then of its own."""
    seen: Counter[Owner] = Counter()
    owner, texts, languages = None, None, list[str]()
    for row, owner_kind, owner_row in db.execute(_ORDER):
        now = Owner(owner_kind, int(owner_row))
        if now != owner:
            owner, texts = now, vector_state.texts_of(db, now)
            languages = [] if texts is None else _languages(texts.texts, pieces)
        number = seen[now]
        seen[now] += 1
        if texts is not None and number < len(languages):
            yield _Place(now.kind, texts.group_id, languages[number]), _Row(int(row), now)


_NUMBERED = (
    "SELECT id, kind, owner, row_number() OVER (PARTITION BY kind, owner ORDER BY id) AS number FROM (SELECT id,"
    " CASE WHEN episode_id IS NOT NULL THEN 'episode' WHEN claim_id IS NOT NULL THEN 'claim' ELSE 'entity' END AS kind,"
    " coalesce(episode_id, claim_id, entity_id) AS owner FROM {})"
)
_ORDER = (
    f"WITH next AS ({_NUMBERED.format('next_vectors')}), old AS ({_NUMBERED.format('passages')})"
    " SELECT next.id, next.kind, next.owner FROM next LEFT JOIN old USING (kind, owner, number)"
    " ORDER BY old.id IS NULL, old.id, next.id"
)


def _languages(texts: Sequence[str], pieces: Callable[[str], int]) -> list[str]:
    """The language of each piece of some texts."""
    return [language(text) for text in texts for _ in range(pieces(text))]


def _fill(db: apsw.Connection, shelf: Shelf, rows: Sequence[_Row], dimension: int) -> None:
    """Put rows on an empty shelf. It ends up as if they had come one owner after another, which would take longer."""
    framed = 0
    for size, row in enumerate(rows, start=1):
        last_of_owner = size == len(rows) or rows[size].owner != row.owner
        if (last_of_owner or shelf.kind == "entity") and shelves.wants_frame(size, framed):
            framed = size
    shelf = _put(db, shelf, rows[:framed])
    frame = None
    if framed:
        shelf = shelves.reframe(db, shelf, dimension)
        frame = shelves.frame(db, shelf) if shelf.is_signed else None
    _put(db, shelf, rows[framed:], frame, dimension)


def _put(
    db: apsw.Connection, shelf: Shelf, rows: Sequence[_Row], frame: frames.Frame | None = None, dimension: int = 0
) -> Shelf:
    """Append rows to a shelf, with their signatures in its frame. Returns the shelf as it is now."""
    import numpy as np

    for start in range(0, len(rows), _BATCH):
        batch = rows[start : start + _BATCH]
        blobs = [db.execute("SELECT vector FROM next_vectors WHERE id = ?", (row.row,)).get for row in batch]
        marks: list[tuple[bytes | None, float | None]] = [(None, None)] * len(batch)
        if frame is not None:
            signatures, lengths = frame.signed(np.frombuffer(b"".join(blobs), dtype="<f4").reshape(len(batch), dimension))
            marks = [(words.tobytes(), length) for words, length in zip(signatures, lengths.tolist(), strict=True)]
        first = int(db.execute("SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'passages'), 0) + 1").get)
        ids = range(first, first + len(batch))
        db.executemany(
            f"INSERT INTO passages (id, {shelf.kind}_id, shelf_id, signature, length) VALUES (?, ?, ?, ?, ?)",
            [(row, one.owner.row, shelf.id, *mark) for row, one, mark in zip(ids, batch, marks, strict=True)],
        )
        db.executemany("INSERT INTO vectors (id, vector) VALUES (?, ?)", zip(ids, blobs, strict=True))
        shelf = shelf._replace(size=shelf.size + len(batch), last=ids[-1])
    db.execute("UPDATE shelves SET size = ?, last = ? WHERE id = ?", (shelf.size, shelf.last, shelf.id))
    return shelf
