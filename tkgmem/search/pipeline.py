"""The read path, straight down: question, candidates, fuse, hits. Any text is a question; a read changes nothing."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from tkgmem.graph import Entity, Episode, Fact, Hit, SearchResult
from tkgmem.protocols import Embedder
from tkgmem.search import candidates
from tkgmem.search.candidates import Question
from tkgmem.search.fuse import fuse
from tkgmem.store import facts, read, vectors
from tkgmem.store.clocks import EVERYTHING
from tkgmem.store.connection import Connection, Store
from tkgmem.store.names import searchable
from tkgmem.temporal.period import to_datetime

SCOPES = ("facts", "entities", "episodes")
_WORD = re.compile(r"\w")
Item = TypeVar("Item", Fact, Entity, Episode)


@dataclass(slots=True)
class Stopwatch:
    """Milliseconds per stage."""

    timings: dict[str, float] = field(default_factory=dict)
    _last: float = field(default_factory=time.perf_counter)

    def lap(self, stage: str) -> None:
        """Put the time since the last lap down to a stage."""
        now = time.perf_counter()
        self.timings[stage] = self.timings.get(stage, 0.0) + (now - self._last) * 1_000
        self._last = now


def search(
    store: Store,
    embedder: Embedder,
    text: str,
    *,
    limit: int,
    scopes: Sequence[str] | None,
    valid_at: int,
    known_at: int | None,
    groups: Sequence[str],
    include_ended: bool,
) -> SearchResult:
    """Hits per scope, best first (see `Memory.search`)."""
    wanted = _checked(text, scopes)
    watch = Stopwatch()
    words = searchable(text)
    known = EVERYTHING if known_at is None else known_at
    with store.read() as db:
        rows = read.group_ids(db, groups)
        mine = vectors.Fingerprint(embedder.name, embedder.dimension, embedder.sha256)
        has_vectors = vectors.check_embedder(db, mine, store.path)
    vector = (
        vectors.checked(embedder.embed_queries([words]), 1, mine)[0] if rows and has_vectors and _WORD.search(words) else None
    )
    watch.lap("embed")
    near = None if vector is None else vectors.Neighbours(vector, rows, store.matrices)
    question = Question(words, near, rows, valid_at, known, include_ended, limit)
    with store.read() as db:
        if not (rows and words.strip()):
            wanted = ()
        fact_hits = _hits(db, question, candidates.of_facts, _facts, watch) if "facts" in wanted else []
        entity_hits = _hits(db, question, candidates.of_entities, _entities, watch) if "entities" in wanted else []
        episode_hits = _hits(db, question, candidates.of_episodes, _episodes, watch) if "episodes" in wanted else []
    return SearchResult(
        facts=fact_hits,
        entities=entity_hits,
        episodes=episode_hits,
        timings=watch.timings,
        degraded=(),
        valid_at=to_datetime(valid_at),
        known_at=None if known_at is None else to_datetime(known_at),
    )


def _checked(text: str, scopes: Sequence[str] | None) -> Sequence[str]:
    if not isinstance(text, str):
        raise ValueError(f"a question is text, not {type(text).__name__}: {text!r}")
    if isinstance(scopes, str):
        raise ValueError(f"scopes is a list, such as [{scopes!r}]")
    for scope in scopes or ():
        if scope not in SCOPES:
            raise ValueError(f"unknown scope {scope!r}; use one of {', '.join(SCOPES)}")
    return SCOPES if scopes is None else scopes


def _hits(
    db: Connection,
    question: Question,
    find: Callable[[Connection, Question], candidates.Ranked],
    fetch: Callable[[Connection, Question, list[int]], dict[int, Item]],
    watch: Stopwatch,
) -> list[Hit[Item]]:
    lists = find(db, question)
    watch.lap("candidates")
    fused = fuse(lists)[: question.limit]
    watch.lap("fuse")
    items = fetch(db, question, [row for row, _, _ in fused])
    watch.lap("fetch")
    return [Hit(items[row], score, ranks) for row, score, ranks in fused if row in items]


def _facts(db: Connection, question: Question, rows: list[int]) -> dict[int, Fact]:
    periods = facts.periods_of(db, rows, question.known_at)
    records = [facts.best_period(periods[row], question.valid_at) for row in rows if periods[row]]
    found = facts.facts(db, records, question.known_at)
    return {record.fact: fact for record, fact in zip(records, found, strict=True)}


def _entities(db: Connection, question: Question, rows: list[int]) -> dict[int, Entity]:
    return read.entities(db, rows, question.known_at)


def _episodes(db: Connection, question: Question, rows: list[int]) -> dict[int, Episode]:  # noqa: ARG001
    return read.episodes(db, rows)
