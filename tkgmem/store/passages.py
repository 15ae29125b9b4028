"""The texts that are searched: what of an episode and of a claim goes into the full text and the vectors.

Each is a pure function of the row, so that indexes can be made again from the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tkgmem.protocols import Embedder
from tkgmem.store import vectors
from tkgmem.store.facts import words
from tkgmem.store.names import name_key

if TYPE_CHECKING:
    from tkgmem.protocols import Vectors


def episode_passage(content: str, speaker: str | None) -> str:
    """An episode's text, with who said it."""
    return f"{speaker}: {content}" if speaker else content


def claim_lead(source: str, relation: str, target: str, text: str | None) -> str | None:
    """What goes before a claim's text: the triple in words, where the text does not name both ends ("I moved there")."""
    key = name_key(text or "")
    return (
        None
        if text is not None and name_key(source) in key and name_key(target) in key
        else f"{source} {words(relation)} {target}"
    )


def claim_passage(lead: str | None, text: str | None) -> str:
    """A claim's text. One of the two is always there."""
    return f"{lead}: {text}" if lead and text else lead or text or ""


def embed(embedder: Embedder, texts: Sequence[str]) -> list[Vectors]:
    """For each text the vectors of its pieces, embedded in one batch.

    Raises BadResponse unless there is one finite vector of the right length for each piece, none of them zero.
    """
    import numpy as np

    pieces = [[text[start:end] for start, end in embedder.spans(text)] for text in texts]
    flat = [piece for group in pieces for piece in group]
    rows = vectors.checked(embedder.embed_passages(flat), len(flat), fingerprint(embedder))
    bounds = np.cumsum([len(group) for group in pieces])[:-1]
    return list(np.split(rows, bounds)) if texts else []


def fingerprint(embedder: Embedder) -> vectors.Fingerprint:
    """What tells this embedder from another."""
    return vectors.Fingerprint(embedder.name, embedder.dimension, embedder.sha256)
