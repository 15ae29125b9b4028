"""The vectors in step with the rows: sound ones for each text that is to have them, on the shelf of its script, each with the
signature that the shelf's frame gives.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from tkgmem.store import shelves, vectors
from tkgmem.store.checks import Finding, finding
from tkgmem.store.language import language
from tkgmem.store.passages import claim_passage, episode_passage
from tkgmem.store.shelves import Kind, Shelf

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_BATCH = 1_024
_UNIT = 1e-3  # by how much the length of a unit vector may differ from 1
_BITS = 2  # of a signature, that another processor's rounding may turn
_NEAR = 1e-6


class Owner(NamedTuple):
    """What has vectors: the row of an episode, claim or entity."""

    kind: Kind
    row: int


class Texts(NamedTuple):
    """What an owner's vectors are made of: a text, or each of its names. Empty where it is to have none."""

    group_id: int
    texts: tuple[str, ...]


_OWNERS = {
    "episode": "SELECT r.id, r.group_id, r.content, r.speaker FROM episodes r",
    "claim": "SELECT r.id, r.group_id, r.lead, r.fact FROM claims r",
    "entity": (
        "SELECT r.id, r.group_id, (SELECT json_group_array(a.name ORDER BY a.id) FROM aliases a"
        " WHERE a.entity_id = r.id AND a.episode_id IS NULL) FROM entities r"
    ),
}
_DUE = {
    # one that waits may be found by its words before it has a vector
    "episode": "(r.state = 'done' OR EXISTS (SELECT 1 FROM passages p WHERE p.episode_id = r.id))",
    "claim": "1",
    "entity": "EXISTS (SELECT 1 FROM aliases a WHERE a.entity_id = r.id AND a.episode_id IS NULL)",
}


def _texts(kind: Kind, columns: Sequence[Any]) -> tuple[str, ...]:
    if kind == "entity":
        return tuple(json.loads(columns[0]))
    return (episode_passage(*columns) if kind == "episode" else claim_passage(*columns),)


def texts_of(db: apsw.Connection, owner: Owner) -> Texts | None:
    """The texts of an owner, None if it is gone."""
    row = db.execute(f"{_OWNERS[owner.kind]} WHERE r.id = ?", (owner.row,)).fetchone()
    return None if row is None else Texts(row[1], _texts(owner.kind, row[2:]))


def due(db: apsw.Connection, kind: Kind, *, after: int, limit: int, lacking: str = "1") -> list[tuple[Owner, Texts]]:
    """The owners of a kind that are to have vectors, by row, after a row. lacking: an SQL condition of this package on r."""
    query = f"{_OWNERS[kind]} WHERE r.id > ? AND {_DUE[kind]} AND {lacking} ORDER BY r.id LIMIT ?"
    return [(Owner(kind, row), Texts(group, _texts(kind, rest))) for row, group, *rest in db.execute(query, (after, limit))]


def number_due(db: apsw.Connection, kind: Kind, *, lacking: str = "1") -> int:
    """How many owners of a kind are to have vectors. lacking: as for `due`."""
    table = {"episode": "episodes", "claim": "claims", "entity": "entities"}[kind]
    return int(db.execute(f"SELECT count(*) FROM {table} r WHERE {_DUE[kind]} AND {lacking}").get)


def number(db: apsw.Connection) -> int:
    """How many vectors there are."""
    return int(db.execute("SELECT count(*) FROM passages").get)


def out_of_step(db: apsw.Connection, dimension: int) -> tuple[int, dict[str, list[Owner]]]:
    """How many vectors there are, and what is wrong: in words, with the owners whose vectors are to be made again."""
    wrong: dict[str, list[Owner]] = {}

    def add(detail: str, kind: Kind, row: int) -> None:
        wrong.setdefault(detail, []).append(Owner(kind, row))

    for kind in vectors.KINDS:
        for row, detail in _misplaced(db, kind):
            add(detail, kind, row)
        for row in _unsound(db, kind, dimension):
            add("a vector is not finite, of another length, or not of unit length", kind, row)
    return number(db), wrong


def _misplaced(db: apsw.Connection, kind: Kind) -> Iterator[tuple[int, str]]:
    """The owners whose vectors are missing, or not on the shelves of their texts' scripts."""
    placed = (
        "(SELECT json_group_array(json_array(s.kind, s.group_id, s.language)) FROM passages p LEFT JOIN shelves s"
        f" ON s.id = p.shelf_id WHERE p.{kind}_id = r.id)"
    )
    query = _OWNERS[kind].replace("SELECT r.id", f"SELECT {placed}, {_DUE[kind]}, r.id", 1)
    for found, is_due, row, group, *columns in db.execute(query):
        there = Counter(tuple(place) for place in json.loads(str(found)))
        wanted = Counter((kind, group, language(text)) for text in _texts(kind, columns))
        if there.keys() - wanted.keys():
            yield int(row), "a vector is on another shelf than its text's"
        elif (is_due or there) and wanted - there:
            yield int(row), "a text has no vector"


def _unsound(db: apsw.Connection, kind: Kind, dimension: int) -> Iterator[int]:
    """The owners of vectors that cannot be compared."""
    import numpy as np

    cursor = db.execute(
        f"SELECT p.{kind}_id, v.vector FROM passages p LEFT JOIN vectors v ON v.id = p.id WHERE p.{kind}_id IS NOT NULL"
        " ORDER BY p.id"
    )
    while batch := list(islice(cursor, _BATCH)):
        good: list[tuple[int, bytes]] = []
        bad: list[int] = []
        for owner, blob in batch:
            if isinstance(blob, bytes) and len(blob) == 4 * dimension:
                good.append((int(owner), blob))
            else:
                bad.append(int(owner))
        if good:
            rows = np.frombuffer(b"".join(blob for _, blob in good), dtype="<f4").reshape(len(good), dimension)
            lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
            bad += [good[place][0] for place in np.flatnonzero(~(np.abs(lengths - 1) <= _UNIT))]
        yield from dict.fromkeys(bad)


def findings(wrong: dict[str, list[Owner]]) -> list[Finding]:
    """What is wrong as findings."""
    every = (
        finding(detail, (f"{owner.kind} {owner.row}" for owner in dict.fromkeys(owners)), derived=True)
        for detail, owners in wrong.items()
    )
    return [one for one in every if one is not None]


# --- shelves ---


def _all_shelves(db: apsw.Connection) -> list[Shelf]:
    return [Shelf(*row) for row in db.execute(f"SELECT {', '.join(Shelf._fields)} FROM shelves ORDER BY id")]


def check_shelves(db: apsw.Connection, dimension: int) -> tuple[int, list[Finding]]:
    """How many shelves there are, and what is wrong with them."""
    every, wrong = _all_shelves(db), dict[str, list[str]]()
    for shelf in every:
        for detail in _faults(db, shelf, dimension):
            wrong.setdefault(detail, []).append(f"shelf {shelf.id}")
    alone = "SELECT p.id FROM passages p LEFT JOIN vectors v ON v.id = p.id WHERE v.id IS NULL OR p.shelf_id IS NULL"
    wrong["a passage without a vector or a shelf"] = [f"passage {row}" for (row,) in db.execute(alone)]
    found = (finding(detail, places, derived=True) for detail, places in wrong.items())
    return len(every), [one for one in found if one is not None]


def _faults(db: apsw.Connection, shelf: Shelf, dimension: int) -> list[str]:
    size, last = db.execute("SELECT count(*), coalesce(max(id), 0) FROM passages WHERE shelf_id = ?", (shelf.id,)).get
    found = ["a shelf counts its vectors wrongly"] if size != shelf.size or last > shelf.last else []
    if not _frame_is_right(db, shelf, int(size), dimension):
        found.append("a shelf's frame is missing or spoilt")
    elif _signed_wrongly(db, shelf, dimension):
        found.append("a signature is not what the shelf's frame gives")
    return found


def _frame_is_right(db: apsw.Connection, shelf: Shelf, size: int, dimension: int) -> bool:
    import numpy as np

    blob = db.execute("SELECT frame FROM shelves WHERE id = ?", (shelf.id,)).get
    if blob is None:
        return shelf.framed == 0 and not shelves.wants_frame(size, 0)
    if shelf.framed == 0 or len(blob) != 4 * dimension or shelves.wants_frame(size, shelf.framed):
        return False
    return bool(np.isfinite(np.frombuffer(blob, dtype="<f4")).all())


def _signed_wrongly(db: apsw.Connection, shelf: Shelf, dimension: int) -> bool:
    import numpy as np

    if not shelf.is_signed:
        query = "SELECT EXISTS (SELECT 1 FROM passages WHERE shelf_id = ? AND (signature IS NOT NULL OR length IS NOT NULL))"
        return bool(db.execute(query, (shelf.id,)).get)
    frame = shelves.frame(db, shelf)
    cursor = db.execute(
        "SELECT p.signature, p.length, v.vector FROM passages p JOIN vectors v ON v.id = p.id WHERE p.shelf_id = ?"
        " AND length(v.vector) = ? ORDER BY p.id",
        (shelf.id, 4 * dimension),
    )
    while batch := list(islice(cursor, _BATCH)):
        rows = np.frombuffer(b"".join(blob for *_, blob in batch), dtype="<f4").reshape(len(batch), dimension)
        if frame is None or not np.isfinite(rows).all():
            continue  # these vectors are made again, and signed then
        signatures, lengths = frame.signed(rows)
        kept = [(blob, length) for blob, length, _ in batch]
        if any(not isinstance(blob, bytes) or len(blob) != signatures[0].nbytes or length is None for blob, length in kept):
            return True
        words = np.frombuffer(b"".join(blob for blob, _ in kept), dtype="<u8").reshape(signatures.shape)
        if (np.bitwise_count(words ^ signatures).sum(axis=1) > _BITS).any():
            return True
        if not np.allclose(np.array([length for _, length in kept], dtype=np.float64), lengths, rtol=_NEAR, atol=_NEAR):
            return True
    return False


def mend_shelves(db: apsw.Connection, dimension: int) -> int:
    """Make what is wrong with shelves right, in the caller's transaction; how many there were. What is right stays as it is."""
    db.execute("DELETE FROM passages WHERE shelf_id IS NULL OR id NOT IN (SELECT id FROM vectors)")
    mended = 0
    for shelf in _all_shelves(db):
        if _faults(db, shelf, dimension):
            _mend(db, shelf, dimension)
            mended += 1
    return mended


def _mend(db: apsw.Connection, shelf: Shelf, dimension: int) -> None:
    db.execute(
        "UPDATE shelves SET size = (SELECT count(*) FROM passages WHERE shelf_id = ?1),"
        " last = max(last, (SELECT coalesce(max(id), 0) FROM passages WHERE shelf_id = ?1)),"
        " removed = removed + 1 WHERE id = ?1",  # so that copies in memory are not taken for equal
        (shelf.id,),
    )
    [now] = [one for one in _all_shelves(db) if one.id == shelf.id]
    if not _frame_is_right(db, now, now.size, dimension):
        db.execute("UPDATE shelves SET framed = 0, frame = NULL WHERE id = ?", (shelf.id,))
        db.execute("UPDATE passages SET signature = NULL, length = NULL WHERE shelf_id = ?", (shelf.id,))
        if shelves.wants_frame(now.size, 0):
            shelves.reframe(db, now._replace(framed=0), dimension)
    elif _signed_wrongly(db, now, dimension):
        _sign(db, now, dimension)


def _sign(db: apsw.Connection, shelf: Shelf, dimension: int) -> None:
    """Give each vector of a shelf its signature, none where the shelf has none."""
    db.execute("UPDATE passages SET signature = NULL, length = NULL WHERE shelf_id = ?", (shelf.id,))
    frame = shelves.frame(db, shelf)
    if frame is None or not shelf.is_signed:
        return
    ids = [row for (row,) in db.execute("SELECT id FROM passages WHERE shelf_id = ? ORDER BY id", (shelf.id,))]
    for start in range(0, len(ids), _BATCH):
        batch = ids[start : start + _BATCH]
        signatures, lengths = frame.signed(shelves.read(db, batch, dimension))
        marks = zip(signatures, lengths.tolist(), batch, strict=True)
        db.executemany(
            "UPDATE passages SET signature = ?, length = ? WHERE id = ?",
            [(words.tobytes(), length, row) for words, length, row in marks],
        )
