"""The texts that are searched: what of an episode and of a claim goes into the full text and the vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tkgmem.errors import BadResponse
from tkgmem.protocols import Embedder
from tkgmem.store.facts import words

if TYPE_CHECKING:
    from tkgmem.protocols import Vectors
from tkgmem.store.names import name_key


def episode_passage(content: str, speaker: str | None) -> str:
    """An episode's text, with who said it."""
    return f"{speaker}: {content}" if speaker else content


def claim_passage(source: str, relation: str, target: str, text: str | None) -> str:
    """A claim's text; where the sentence does not name both ends ("I moved there"), the triple in words before it."""
    triple = f"{source} {words(relation)} {target}"
    if text is None:
        return triple
    key = name_key(text)
    return text if name_key(source) in key and name_key(target) in key else f"{triple}: {text}"


def embed(embedder: Embedder, texts: Sequence[str]) -> list[Vectors]:
    """For each text the vectors of its pieces, embedded in one batch.

    Raises BadResponse unless there is one finite vector of the right length for each piece, none of them zero.
    """
    import numpy as np

    pieces = [[text[start:end] for start, end in embedder.spans(text)] for text in texts]
    flat = [piece for group in pieces for piece in group]
    vectors = checked(embedder, embedder.embed_passages(flat), len(flat))
    bounds = np.cumsum([len(group) for group in pieces])[:-1]
    return list(np.split(vectors, bounds)) if texts else []


def checked(embedder: Embedder, vectors: Vectors, count: int) -> Vectors:
    """The vectors, if there is one for each text and each is finite, of the right length and not zero; else BadResponse."""
    import numpy as np

    array = np.asarray(vectors, dtype=np.float32)
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
