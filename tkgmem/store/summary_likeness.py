"""How like a question the summaries of communities are: all in view are compared, seen from the middle of their script.

They are few, one for each community, so that they are read and compared exactly.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

import apsw

from tkgmem.store import frames, summaries
from tkgmem.store.clocks import View
from tkgmem.store.nearest import Neighbours

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_DIGITS = 5  # of a cosine, as of other vectors


def nearest(db: apsw.Connection, question: Neighbours, view: View) -> list[tuple[int, float]]:
    """Every version in view that has a vector, with its cosine as seen from the centre, in [-1, 1]; best first, ties by row."""
    import numpy as np

    found: list[tuple[int, float]] = []
    placed = _placed(db, question, view)
    centres = dict(question.centres) | {language: frame.centre for language, (_, _, frame) in placed.items()}
    for language, (rows, vectors, frame) in placed.items():
        asked = frame.question(question.vector, centres.get(question.language or language, frame.centre))
        likeness = np.round(frames.products(vectors.astype(np.float64), asked.astype(np.float64)), _DIGITS)
        found += zip(rows, likeness.tolist(), strict=True)
    return sorted(found, key=lambda item: (-item[1], item[0]))


def vectors_of(db: apsw.Connection, question: Neighbours, view: View, rows: Sequence[int]) -> dict[int, Floats]:
    """The vector of each of these versions as it is compared."""
    wanted = set(rows)
    return {
        row: vector
        for some, vectors, _ in _placed(db, question, view).values()
        for row, vector in zip(some, vectors, strict=True)
        if row in wanted
    }


def _placed(db: apsw.Connection, question: Neighbours, view: View) -> dict[str, tuple[list[int], Floats, frames.Frame]]:
    """The versions of each script, their vectors as they are compared, and their frame; the most common script first.

    As on a small shelf, the centre of few leans on that of many, or on that of questions at large.
    """
    import numpy as np

    by_language: dict[str, tuple[list[int], list[bytes]]] = defaultdict(lambda: ([], []))
    for row, language, blob in summaries.vectors_in(db, view):
        if len(blob) == question.vector.nbytes:
            by_language[language][0].append(row)
            by_language[language][1].append(blob)
    found: dict[str, tuple[list[int], Floats, frames.Frame]] = {}
    around: NDArray[np.float64] | None = None
    for language, (rows, blobs) in sorted(by_language.items(), key=lambda item: (-len(item[1][0]), item[0])):
        vectors = np.frombuffer(b"".join(blobs), dtype="<f4").reshape(len(rows), -1)
        known = question.centres.get(language) if found else None
        frame = frames.centred(vectors, around if known is None else known, firmly=known is not None)
        around = frame.centre if around is None else around
        found[language] = (rows, frame.placed(vectors), frame)
    return found
