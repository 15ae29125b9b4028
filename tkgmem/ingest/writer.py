"""What every write works with: the file, the embedder, the clock and, where there is one, the language model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tkgmem.ingest.asking import Desk
from tkgmem.protocols import LLM, Embedder
from tkgmem.store import passages, vectors
from tkgmem.store.connection import Connection, Store


@dataclass(frozen=True, slots=True)
class Writer:
    """What the write path works with. now: the clock's time as an instant. llm: None reads by rules. log: keep model calls."""

    store: Store
    embedder: Embedder
    now: Callable[[], int]
    llm: LLM | None = None
    log: bool = True

    def check(self, db: Connection) -> bool:
        """Whether the file has vectors of this embedder; EmbedderMismatch if they are of another."""
        return vectors.check_embedder(db, self._fingerprint, self.store.path)

    def prepare(self, db: Connection) -> None:
        """Make the vector tables on the first write; refuse another embedder."""
        if not self.check(db):
            vectors.adopt(db, self._fingerprint)

    @property
    def desk(self) -> Desk | None:
        """Where questions to the model are put."""
        return None if self.llm is None else Desk(self.llm, self.store, self.now, self.log)

    @property
    def _fingerprint(self) -> vectors.Fingerprint:
        return passages.fingerprint(self.embedder)
