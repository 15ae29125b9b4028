"""Replay: the whole memory made again from its texts and the log of model calls, or from its texts read anew, and compared.

The memory itself is never changed, and nobody who uses it has to wait.
"""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

from tkgmem.errors import StoreError
from tkgmem.ingest.replay import comparing
from tkgmem.ingest.replay.answers import Counted
from tkgmem.ingest.replay.telling import Progress, Telling, Told, Way
from tkgmem.ingest.replay.vectors import KnownVectors
from tkgmem.protocols import LLM, Embedder
from tkgmem.reports import ReplayReport
from tkgmem.store.connection import Connection, Store
from tkgmem.store.copy import copy_to_file
from tkgmem.store.placing import PRIVATE, mode_of, new_file
from tkgmem.store.replayed import apart, happenings

_LOST = {
    "claims": "statements that are taken back or corrected",
    "moves": "statements that were moved to another entity",
    "conflicts": "statements judged to contradict each other",
    "merges": "merged entities",
    "aliases": "names",
    "traits": "types and attributes",
    "relations": "definitions",
}


def replay(
    store: Store,
    embedder: Embedder,
    path: str | Path | None,
    *,
    llm: LLM | None,
    rules: bool,
    progress: Progress | None,
) -> ReplayReport:
    """Make a memory again and compare (see `Memory.replay`). path: where it is to stay, None for nowhere.

    llm: read the texts anew by it; rules: by rules; neither: as they were read, from the log.
    """
    if str(path) == ":memory:":
        raise StoreError("':memory:' is no file; name one, or leave it out to compare only")
    target = None if path is None else Path(path)
    model = None if llm is None else Counted(llm)
    way = Way(anew=rules or llm is not None, llm=model)
    mode = PRIVATE if store.in_memory else mode_of(store.path)
    with (
        nullcontext(None) if target is None else new_file(target, mode=mode) as part,
        apart.one_state(store) as old,
        apart.new_store(old) as new,
    ):
        telling = Telling(old, new, KnownVectors(embedder, old), way, keep=target is not None)
        told = telling.tell(progress)
        with new.read() as db:
            found = comparing.facts(old, db) if way.anew else comparing.rows(old, db)
        warnings = _warnings(old, told, way)
        if part is not None:
            copy_to_file(new, part, name=str(target))
    return ReplayReport(
        path=None if target is None else str(target),
        episodes=told.episodes,
        taken_over=told.came + told.missing,
        missing=told.missing,
        calls=0 if model is None else model.calls,
        logged=told.logged,
        facts=found.facts,
        versions=found.versions,
        differences=found.differences,
        only_here=tuple(found.here),
        only_there=tuple(found.there),
        warnings=warnings,
    )


def _warnings(old: Connection, told: Told, way: Way) -> tuple[str, ...]:
    """What a comparison alone does not tell."""
    said = []
    if told.missing:
        said.append(
            f"{_count(told.missing, 'text')} could not be read again, and {_was(told.missing)} taken over as before:"
            f" {told.reason}; was log_model_calls off, or was it forgotten?"
        )
    if told.failed:
        said.append(f"{_count(told.failed, 'text')} could not be read, the first because: {told.reason}")
    if told.came:
        said.append(f"{_count(told.came, 'text')} came from another file and {_was(told.came)} taken over as read there")
    if told.unread:
        said.append(f"{_count(told.unread, 'text')} had not been read, and {_was(told.unread)} left so")
    said += [
        f"{number} of the {_LOST.get(table, table)} are about something that was read otherwise, and were left out"
        for table, number in told.lost.items()
    ]
    if not way.anew and happenings.forgot(old):
        said.append("something was forgotten since: what other texts still say of it comes back when they are read again")
    return tuple(said)


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _was(number: int) -> str:
    return "was" if number == 1 else "were"
