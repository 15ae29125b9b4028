"""Vectors kept between runs, by the checksum of the weights and the text: the same text is embedded once on a machine."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tkgmem.protocols import Embedder

if TYPE_CHECKING:
    from tkgmem.protocols import Vectors

_AT_ONCE = 256


class CachedEmbedder:
    """An embedder that looks into a file first, and puts there what the one behind it had to embed.

    Questions never come from it, so that their time is real, unless `questions` says so.
    """

    def __init__(self, behind: Embedder, path: Path, *, questions: bool = False) -> None:
        self._behind = behind
        self._questions = questions
        self._spans: dict[str, list[tuple[int, int]]] = {}
        self._db = sqlite3.connect(path, check_same_thread=False)
        self._db.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID")
        self.name, self.dimension, self.sha256 = behind.name, behind.dimension, behind.sha256
        self.centres = getattr(behind, "centres", {})

    def spans(self, text: str) -> list[tuple[int, int]]:
        """As the embedder behind, asked once for each text."""
        if text not in self._spans:
            self._spans[text] = self._behind.spans(text)
        return self._spans[text]

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """The kept vectors, and those of the embedder behind for the rest."""
        return self._kept("passage", texts, self._behind.embed_passages)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """As the embedder behind, or kept as well."""
        return self._kept("query", texts, self._behind.embed_queries) if self._questions else self._behind.embed_queries(texts)

    def _kept(self, kind: str, texts: Sequence[str], embed: Callable[[Sequence[str]], Vectors]) -> Vectors:
        keys = [hashlib.sha256(f"{self.sha256}\n{kind}\n{text}".encode("utf-8", "surrogatepass")).digest() for text in texts]
        vectors = np.empty((len(texts), self.dimension), np.float32)
        missing = []
        for place, key in enumerate(keys):
            found = self._db.execute("SELECT vector FROM vectors WHERE key = ?", (key,)).fetchone()
            if found is None:
                missing.append(place)
            else:
                vectors[place] = np.frombuffer(found[0], np.float32)
        missing.sort(key=lambda place: len(texts[place]))
        for start in range(0, len(missing), _AT_ONCE):
            places = missing[start : start + _AT_ONCE]
            vectors[places] = embed([texts[place] for place in places])
            rows = [(keys[place], vectors[place].tobytes()) for place in places]
            with self._db:
                self._db.executemany("INSERT OR REPLACE INTO vectors (key, vector) VALUES (?, ?)", rows)
        return vectors
