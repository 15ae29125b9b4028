"""The verbs on the whole file: forget what is in it, copy it, carry it, look after it."""

from __future__ import annotations

from collections.abc import Callable

from tkgmem.ingest import forget
from tkgmem.ingest.writer import Writer
from tkgmem.reports import ForgetReport
from tkgmem.store.connection import Store
from tkgmem.store.names import searchable


class Keeping:
    """The verbs of a memory that concern its file."""

    group: str
    _store: Store
    _writer: Writer
    _now: Callable[[], int]

    def forget(self, *, episode: str | None = None, fact: str | None = None, dry_run: bool = False) -> ForgetReport:
        """Delete an episode with what it alone supports, or every claim of a fact. The bytes go, as if it had never been said.

        Answers at an earlier known_at change too. Forgetting a fact leaves the episodes that state it; forget them as well if
        their words should go. dry_run: tell what would go, and change nothing. NotFound for an unknown uuid.
        """
        return forget.forget(
            self._store,
            episode=None if episode is None else searchable(episode),
            fact=None if fact is None else searchable(fact),
            clock=self._now(),
            dry_run=dry_run,
        )
