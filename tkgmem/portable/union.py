"""Records into a file: embed what has no vector, then all of it in one transaction, or nothing.

No lock is held while a model embeds: what is missing is found by a rehearsal, which is rolled back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tkgmem.errors import StoreError, WriteConflict
from tkgmem.portable.format import FORMAT, Record, checked
from tkgmem.protocols import Embedder
from tkgmem.reports import MergeReport
from tkgmem.store import passages, vectors, write
from tkgmem.store.connection import Connection, Store
from tkgmem.store.union import Missing, Union

if TYPE_CHECKING:
    from tkgmem.protocols import Vectors

Source = Callable[[], Iterable[Record]]
"""Gives the records again each time it is called, the first one included."""

_TRIES = 4
_BATCH = 256
_DAY = 86_400_000_000


def unite(store: Store, embedder: Embedder, source: Source, place: str, *, now: int, foreign: bool = False) -> MergeReport:
    """Bring records into a file. place: what the records are called in an error. now: the clock's time, to warn of a fast one.

    foreign: they are made of another program's dump: they have no first and last record.

    Raises ValueError naming the record that cannot be, WriteConflict, BadResponse; nothing is written then.
    """
    known: dict[str, Vectors] = {}
    for _ in range(_TRIES):
        with suppress(Missing), store.write() as db:
            try:
                union = _Taking(db, place, known, passages.fingerprint(embedder), foreign)
                if not vectors.check_embedder(db, union.fingerprint, store.path):
                    vectors.adopt(db, union.fingerprint)
                return union.take(source(), now)
            except Missing as missing:
                texts = missing.texts
                raise
        for start in range(0, len(texts), _BATCH):
            batch = texts[start : start + _BATCH]
            known.update(zip(batch, passages.embed(embedder, batch), strict=True))
    raise WriteConflict(f"{store.path} kept changing while {place} was being read in; nothing was written; try again")


@dataclass(slots=True)
class _Taking:
    """One reading of the records. number: how many there were. latest: the last instant in them."""

    db: Connection
    place: str
    known: dict[str, Vectors]
    fingerprint: vectors.Fingerprint
    foreign: bool
    number: int = 0
    latest: int = 0

    def take(self, records: Iterable[Record], now: int) -> MergeReport:
        """Take all of them in."""
        before = write.total_changes(self.db)
        union = None if not self.foreign else Union(self.db, self.known, fingerprint=self.fingerprint, foreign=True)
        whole = self.foreign
        for self.number, record in enumerate(records, 1):
            checked(record, f"{self.place}, record {self.number}")
            if union is None:
                self._check_header(record)
                same = record.get("embedder") == self.fingerprint._asdict()
                union = Union(self.db, self.known, fingerprint=self.fingerprint, same=same)
            elif record["type"] == "end":
                whole = self._is_whole(record)
            elif record["type"] == "tkgmem" or (whole and not self.foreign):
                raise ValueError(f"{self.place}, record {self.number}: a second export begins; import them one by one")
            else:
                try:
                    union.add(record)
                except ValueError as error:
                    raise ValueError(f"{self.place}, record {self.number}: {error}") from error
                self.latest = max(self.latest, record.get("created_at") or 0)
        if union is None or not whole:
            raise StoreError(f"{self.place} is not whole: it breaks off after {self.number} records; nothing was taken in")
        report = self._record(union, union.finish(), now)
        ahead = self.latest > now + _DAY and write.total_changes(self.db) != before
        return (
            replace(report, warnings=(f"{self.place} was written by a clock that is ahead of this one",)) if ahead else report
        )

    def _record(self, union: Union, report: MergeReport, now: int) -> MergeReport:
        """Record the import as a change of belief that can be undone, if it brought anything."""
        counts = {
            name: getattr(report, name) for name in ("episodes", "entities", "claims", "changed", "joined", "definitions")
        }
        if not any(counts.values()):
            return report
        at = write.tick(self.db, now, "import")
        return replace(report, change=write.set_detail(self.db, at, {**counts, **union.brought}))

    def _check_header(self, record: Record) -> None:
        if record["type"] != "tkgmem":
            raise ValueError(f"{self.place} is no tkgmem export: its first record is {record['type']!r}")
        if record["format"] > FORMAT:
            known = f"has format {record['format']}, this version knows up to {FORMAT}"
            raise StoreError(f"{self.place} {known}; install a newer tkgmem")

    def _is_whole(self, record: Record) -> bool:
        there = self.number - 2
        if record["records"] != there:
            raise StoreError(f"{self.place} is not whole: {record['records']} records were written, {there} are there")
        return True
