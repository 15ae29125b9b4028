"""The vectors that a file has, in the place of the model that made them: the same text has the same one."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tkgmem.protocols import Embedder
from tkgmem.store import vectors
from tkgmem.store.connection import Connection
from tkgmem.store.replayed import heard

if TYPE_CHECKING:
    from tkgmem.protocols import Vectors


class KnownVectors:
    """An embedder that asks another one only for texts of which a file has no vector. Implements `Embedder`."""

    def __init__(self, embedder: Embedder, db: Connection) -> None:
        self.name, self.dimension, self.sha256 = embedder.name, embedder.dimension, embedder.sha256
        self._embedder, self._db = embedder, db
        self._rows: dict[bytes, int] = {}
        if vectors.kept(db) is not None:
            self._rows = {_digest(text): row for text, row in heard.passages(db, embedder.spans)}

    def spans(self, text: str) -> list[tuple[int, int]]:
        """As the other one cuts it; a text that has one vector is one piece."""
        return [(0, len(text))] if _digest(text) in self._rows else self._embedder.spans(text)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """One vector a text: that of the file, else of the other embedder."""
        import numpy as np

        found = np.zeros((len(texts), self.dimension), dtype=np.float32)
        rows = [self._rows.get(_digest(text)) for text in texts]
        known = [place for place, row in enumerate(rows) if row is not None]
        new = [place for place, row in enumerate(rows) if row is None]
        if known:
            found[known] = heard.vectors(self._db, [row for row in rows if row is not None], self.dimension)
        if new:
            found[new] = self._embedder.embed_passages([texts[place] for place in new])
        return found

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """As the other one does it."""
        return self._embedder.embed_queries(texts)


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()
