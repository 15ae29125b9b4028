"""A memory told again from its beginning, in the order of its system time and by its clock, into a new file.

What programs told is taken over row by row, as nothing in it could come out otherwise; each text is read again on the state
that the file then has. No lock of the memory itself is held.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tkgmem.errors import BadResponse, ProviderError
from tkgmem.ingest.asking import Desk
from tkgmem.ingest.episodes import stored
from tkgmem.ingest.pipeline import BATCH as AT_ONCE
from tkgmem.ingest.pipeline import commit_works, embed_works
from tkgmem.ingest.planning import Work
from tkgmem.ingest.reading import Read, read_all
from tkgmem.ingest.replay.answers import Log
from tkgmem.ingest.writer import Writer
from tkgmem.protocols import LLM, Embedder
from tkgmem.store import claims, derivation, passages, vectors, write
from tkgmem.store.connection import Connection, Store
from tkgmem.store.replayed import happenings
from tkgmem.store.replayed.arrivals import Arrivals
from tkgmem.store.replayed.happenings import BY_MAPPING, BY_RULES, GIVEN, LAST, Happening, Reading
from tkgmem.store.replayed.matching import Same
from tkgmem.store.replayed.taking_over import Taking, take_model_calls

if TYPE_CHECKING:
    from tkgmem.protocols import Vectors

Progress = Callable[[int, int], object]
_BATCH = 256


@dataclass(frozen=True, slots=True)
class Way:
    """How texts are read: as the log has it (`anew` is false), or anew, by a model or by rules (llm is None)."""

    anew: bool = False
    llm: LLM | None = None


@dataclass(slots=True)
class Told:
    """What came of it. episodes: texts that were read again; logged: answers of the log that were used.

    came, missing: texts that were taken over, since another file or program read them, or since the log lacks an answer, with
    the first reason. failed: texts that could not be read anew, with the first reason. unread: texts that wait as before.
    lost: what speaks of something that the new file does not have, by table.
    """

    episodes: int = 0
    logged: int = 0
    came: int = 0
    missing: int = 0
    failed: int = 0
    unread: int = 0
    reason: str | None = None
    lost: dict[str, int] = field(default_factory=dict)


class Telling:
    """One memory on its way from `old` into `new`. keep: the new file is to stay, so that all of it is to be searchable."""

    def __init__(self, old: Connection, new: Store, embedder: Embedder, way: Way, *, keep: bool) -> None:
        self._old, self._new, self._embedder, self._way, self._keep = old, new, embedder, way, keep
        self.told = Told()
        self._arrivals = Arrivals(old)
        self._readings = happenings.readings(old, self._arrivals)
        again = frozenset(one.episode for one in self._readings if not one.dumped and (way.anew or not one.came))
        self._waiting = deque(happenings.episodes(old))
        self._pending: list[Happening] = []
        self._reads: dict[int, Read] = {}
        with new.write() as db:
            Writer(new, embedder, lambda: 0).prepare(db)
            self._taking = Taking(old, db, Same(old, db, again, way.anew))
            self._taking.begin()

    def tell(self, progress: Progress | None = None) -> Told:
        """Tell everything again."""
        steps = self._steps()
        for number, step in enumerate(steps, 1):
            if isinstance(step, Happening):
                self._pending.append(step)
            else:
                self._settle()
                if self._way.anew and step.episode not in self._reads:
                    self._read_ahead(steps[number - 1 :])
                self._hear(step)
            if progress is not None:
                progress(number, len(steps))
        self._settle()
        self._finish()
        self.told.lost = dict(sorted(self._taking.lost.items()))
        return self.told

    def _steps(self) -> list[Reading | Happening]:
        """Everything that happened, in order. At one instant a text that ticks the clock comes before what happened besides."""
        readings = [*self._readings, *(happenings.unread(self._old) if self._way.anew else ())]
        events = happenings.happenings(self._old, self._arrivals, self._readings)
        places: dict[int, int] = {}
        for entity, at in happenings.made_by_programs(self._old).items():
            places[at] = max(entity, places.get(at, 0))
        ordered: list[tuple[int, int, int, int, Reading | Happening]]
        ordered = [(one.arrived, one.place, 0, one.episode, one) for one in readings]
        ordered += [(one.at, places.get(one.at, 0), 1, number, one) for number, one in enumerate(events)]
        return [step for *_, step in sorted(ordered, key=lambda one: one[:4])]

    # --- what is taken over ---

    def _settle(self) -> None:
        """Take over what waits, and derive what follows from it."""
        if not self._pending:
            return
        with self._new.write() as db:
            for happening in self._pending:
                self._store_until(happening.at)
                self._taking.apply(happening)
            self._derive(db)
        self._pending.clear()

    def _derive(self, db: Connection) -> None:
        seeds = list(self._taking.seeds)
        self._taking.seeds.clear()
        if seeds:
            derivation.rebuild(db, claims.by_ids(db, seeds))
        self._embed(db)

    def _embed(self, db: Connection) -> None:
        """Give what was taken over its vectors; of what nobody will search, only names, which decide who is who."""
        unheard = [*self._taking.unheard, *self._taking.same.made]
        self._taking.unheard.clear()
        self._taking.same.made.clear()
        wanted = [one for one in unheard if self._keep or one[0] == "entity"]
        for start in range(0, len(wanted), _BATCH):
            batch = wanted[start : start + _BATCH]
            found: list[Vectors] = passages.embed(self._embedder, [text for *_, text in batch])
            for (kind, row, group, text), vector in zip(batch, found, strict=True):
                vectors.insert(db, kind, row, group, vector, text)

    def _store_until(self, at: int, episode: int | None = None) -> int:
        """Store the texts that were there by then, in their order, and this one; its row."""
        while self._waiting and self._waiting[0][1] <= at:
            self._taking.same.episode(self._waiting.popleft()[0])
        return 0 if episode is None else self._taking.same.episode(episode)

    def _take_over(self, reading: Reading) -> None:
        with self._new.write() as db:
            self._store_until(reading.arrived, reading.episode)
            self._taking.reading(reading)
            self._derive(db)

    def _finish(self) -> None:
        with self._new.write() as db:
            for row, at, done in happenings.episodes(self._old):
                self._store_until(at, row)
                if not done and not self._way.anew:
                    self._taking.settle(row)
                    self.told.unread += 1
            if self._arrivals.any_came and not self._way.anew:
                self._taking.define()
                self._taking.lost.pop("relations", None)
            if self._keep and not self._way.anew:
                take_model_calls(self._old, db)
            self._derive(db)

    # --- what is read again ---

    def _hear(self, reading: Reading) -> None:
        """Read a text again, or take over what was read from it where nothing can read it."""
        if self._way.anew and reading.hidden:
            return
        if reading.dumped or (reading.came and not self._way.anew):
            self._take_over(reading)
            self.told.came += 1
            return
        with self._new.write() as db:
            row = self._store_until(reading.arrived, reading.episode)
            first = write.last_entity(db) + 1
        error = self._read_anew(reading, row) if self._way.anew else self._read_again(reading, row)
        if error is None:
            self.told.episodes += 1
            with self._new.write():
                self._taking.same.adopt(reading.episode, first, by_place=not self._way.anew)
            return
        self.told.reason = self.told.reason or str(error)
        if self._way.anew:
            self.told.failed += 1
        else:
            self.told.missing += 1
            self._take_over(reading)

    def _read_again(self, reading: Reading, row: int) -> ProviderError | None:
        """Read a text as it was read: by rules, mapping, the facts given with it, or what the log has of its model. What
        failed, if anything did.
        """
        writer = Writer(self._new, self._embedder, lambda: reading.at, log=False)
        if reading.made_by in (BY_RULES, BY_MAPPING, GIVEN):
            return self._commit(writer, row, self._read(writer, row))
        log = Log(reading.made_by, happenings.calls(self._old, reading.episode, reading.made_by))
        writer = replace(writer, llm=log)
        read = self._read(writer, row)
        while isinstance(read.error, BadResponse) and log.has_more:  # it failed then, and was taken up again
            left = log.used
            read = self._read(writer, row)
            if log.used == left:
                break
        error = self._commit(writer, row, replace(read, may_judge=read.may_judge or log.judged))
        self.told.logged += log.used
        if error is not None and reading.silent:  # a model failed at it, and it was taken up without one, with nothing found
            by_rules = self._read(replace(writer, llm=None), row)
            found = by_rules.extraction.facts and reading.place == LAST  # then it told nothing that could be believed
            return error if found else self._commit(writer, row, by_rules)
        return error

    def _read_anew(self, reading: Reading, row: int) -> ProviderError | None:
        """Read a text by another model, or by the rules of today. What failed, which stays with the text."""
        writer = Writer(self._new, self._embedder, lambda: reading.at, self._way.llm)
        error = self._commit(writer, row, self._reads.pop(reading.episode))
        if error is not None:
            with self._new.write() as db:
                self._taking.searchable(reading.episode)
                write.set_state(db, row, "failed", f"{type(error).__name__}: {error}")
        return error

    def _read_ahead(self, steps: Sequence[Reading | Happening]) -> None:
        """Read the next texts together, so that a model can work at several at once; up to where a relation is defined."""
        ahead: list[Reading] = []
        for step in steps:
            if len(ahead) == AT_ONCE or (isinstance(step, Happening) and step.table == "relations"):
                break
            if isinstance(step, Reading) and not step.hidden and not step.dumped:
                ahead.append(step)
        if not ahead:
            return
        with self._new.write() as db:
            waiting = [(row, stored(db, row)) for row in (self._store_until(one.arrived, one.episode) for one in ahead)]
        writer = Writer(self._new, self._embedder, lambda: ahead[0].arrived, self._way.llm)
        for reading, read in zip(ahead, read_all(writer.desk, waiting), strict=True):
            self._reads[reading.episode] = read

    def _read(self, writer: Writer, row: int) -> Read:
        with self._new.read() as db:
            episode = stored(db, row)
        desk: Desk | None = writer.desk
        [read] = read_all(desk, [(row, episode)])
        return read

    def _commit(self, writer: Writer, row: int, read: Read) -> ProviderError | None:
        if read.error is not None:
            return read.error
        with self._new.read() as db:
            work = Work(row, stored(db, row), read)
        failed: dict[int, ProviderError] = {}
        [work] = embed_works(writer, [work], failed)
        if not failed:
            commit_works(writer, [work], failed)
        return failed.get(row)
