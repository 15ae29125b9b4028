"""The vectors of summaries in step with their texts: a sound one for each version that is searched, and none for another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import apsw

from tkgmem.store import summaries
from tkgmem.store.language import language
from tkgmem.store.rows import in_list

if TYPE_CHECKING:
    from tkgmem.protocols import Vectors

_UNIT = 1e-3  # by how much the length of a unit vector may differ from 1


def texts(db: apsw.Connection, rows: Iterable[int] | None = None) -> dict[int, str]:
    """What is searched, by the version's row: of these versions, those among them that are searched, or of all there are."""
    which = "" if rows is None else " WHERE r.id IN (SELECT value FROM json_each(:rows))"
    bindings = {} if rows is None else {"rows": in_list(rows)}
    query = f"SELECT r.id, r.name, r.text FROM {summaries.SEARCHED} r{which} ORDER BY r.id"
    return {row: summaries.passage(name, text) for row, name, text in db.execute(query, bindings)}


def number(db: apsw.Connection) -> int:
    """How many there are."""
    return int(db.execute("SELECT count(*) FROM summary_vectors").get)


def out_of_step(db: apsw.Connection, dimension: int) -> Iterator[tuple[int, str]]:
    """The versions (rows) whose vector is to be made anew, or is one too many, with what is wrong in words."""
    query = (
        "SELECT r.id, r.name, r.text, x.id IS NOT NULL, x.language, x.vector"
        f" FROM {summaries.SEARCHED} r LEFT JOIN summary_vectors x ON x.id = r.id ORDER BY r.id"
    )
    for row, name, text, there, kept, blob in db.execute(query):
        if not there:
            yield row, "a summary has no vector"
        elif kept != language(summaries.passage(name, text)):
            yield row, "a summary's vector is kept as one of another script"
        elif not is_unit(blob, dimension):
            yield row, "a summary's vector is not finite, of another length, or not of unit length"
    for (row,) in db.execute(
        f"SELECT id FROM summary_vectors WHERE id NOT IN (SELECT id FROM {summaries.SEARCHED}) ORDER BY id"
    ):
        yield row, "a vector of a summary that is not searched"


def is_unit(blob: bytes, dimension: int) -> bool:
    """Whether it is a vector of this length, and of unit length."""
    import numpy as np

    if len(blob) != 4 * dimension:
        return False
    vector = np.frombuffer(blob, dtype="<f4").astype(np.float64)
    return bool(abs(float(np.sqrt(vector @ vector)) - 1) <= _UNIT)


# --- in the caller's transaction ---


def put(db: apsw.Connection, made: Mapping[int, tuple[str, Vectors]]) -> int:
    """Keep vectors that were made of these texts, where they are still what is searched; how many."""
    there = texts(db, made)
    kept = [(row, text, pieces) for row, (text, pieces) in made.items() if there.get(row) == text]
    for row, text, pieces in kept:
        summaries.set_vector(db, row, text, pieces)
    return len(kept)


def drop(db: apsw.Connection, rows: Sequence[int] | None = None) -> None:
    """Remove the vectors of these versions, or all there are."""
    which = "" if rows is None else " WHERE id IN (SELECT value FROM json_each(?))"
    db.execute(f"DELETE FROM summary_vectors{which}", () if rows is None else (in_list(rows),))
