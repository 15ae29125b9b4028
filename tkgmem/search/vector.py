"""The vector of a question. A long one is read in pieces, as many as there is time for, the first and the last among them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tkgmem.protocols import Embedder
from tkgmem.search.budget import Budget
from tkgmem.store import vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_PIECES = 4
"""Pieces of a question's text that are embedded at most, spread evenly over it."""

_READ = 100_000  # characters of a question that are cut into pieces
_NOTHING = 1e-6
_BASE_MS, _PER_CHARACTER_MS = 5.0, 0.15  # what embedding takes on a slow processor, to know whether there is time


def question_vector(embedder: Embedder, mine: vectors.Fingerprint, text: str, budget: Budget) -> NDArray[np.float32] | None:
    """The vector of a question, None where there is no time for one; then "cosine" is named as skipped.

    Of a text with more pieces than are read, "embed" is named as cut short.
    """
    pieces = [text[start:end] for start, end in embedder.spans(text[:_READ])]
    pieces = [piece for piece in pieces if piece.strip()] or [text]
    chosen = pieces if len(pieces) <= MOST_PIECES else [pieces[place] for place in _spread(len(pieces))]
    while len(chosen) > 1 and budget.left_ms < _needed(chosen):
        chosen = chosen[:-1]
    if not budget.enough("cosine", _needed(chosen)):
        return None
    if len(chosen) < len(pieces) or len(text) > _READ:
        budget.skip("embed")
    rows = vectors.checked(embedder.embed_queries(chosen), len(chosen), mine)
    mean: NDArray[np.float32] = rows.mean(axis=0)
    if float((mean**2).sum()) < _NOTHING:
        mean = rows[0:1].mean(axis=0)  # pieces that say the opposite of each other
    return mean


def _needed(pieces: Sequence[str]) -> float:
    return _BASE_MS + _PER_CHARACTER_MS * sum(len(piece) for piece in pieces)


def _spread(count: int) -> list[int]:
    """Places of the pieces that are read: the first, the last, and some between."""
    return sorted({round(step * (count - 1) / (MOST_PIECES - 1)) for step in range(MOST_PIECES)})
