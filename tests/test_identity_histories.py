"""Whole random histories with merges, splits and moves: every answer at both clocks equals the reference model's."""

from __future__ import annotations

import contextlib
import datetime as dt
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from merged import AnyOp, merged_histories, tell_merged
from test_invariants import derived_rows

from tkgmem import AmbiguousName, Fact, Memory, NotFound
from tkgmem.store import derivation
from tkgmem.testing import FixedClock, HashEmbedder


def answers_equal_the_reference_model(ops: list[AnyOp]) -> None:
    twins = tell_merged(ops)
    with contextlib.closing(twins.memory):
        twins.check()
        before = derived_rows(twins.memory)
        with twins.memory._store.write() as db:
            derivation.rebuild(db)
        assert derived_rows(twins.memory) == before, twins.story("a rebuild gives other rows")
        assert twins.memory._store._db.execute("PRAGMA foreign_key_check").fetchall() == []


@settings(max_examples=28)
@given(merged_histories)
def test_every_answer_equals_the_reference_model_told_who_is_who_and_a_rebuild_gives_the_same_rows(ops: list[AnyOp]) -> None:
    answers_equal_the_reference_model(ops)


@pytest.mark.slow
@settings(max_examples=3000)
@given(merged_histories)
def test_every_answer_of_three_thousand_histories_equals_the_reference_model(ops: list[AnyOp]) -> None:
    answers_equal_the_reference_model(ops)


@settings(max_examples=22)
@given(merged_histories)
def test_the_same_history_gives_the_same_rows(ops: list[AnyOp]) -> None:
    first, second = tell_merged(ops), tell_merged(ops)
    with contextlib.closing(first.memory), contextlib.closing(second.memory):
        for table in ("merges", "moves", "aliases", "entities", "claims"):
            query = f"SELECT * FROM {table} ORDER BY id"
            assert [*first.memory._store._db.execute(query)] == [*second.memory._store._db.execute(query)]
        assert derived_rows(first.memory) == derived_rows(second.memory)


# --- relations that chain: symmetric, with a functional inverse, redefined on the way ---

NAMES = "abcde"
Step = tuple[Any, ...]
_pair = st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)).filter(lambda pair: pair[0] != pair[1])
_fact = st.tuples(
    st.just("fact"),
    _pair,
    st.sampled_from(["PAIRED_WITH", "PAIRED_WITH", "HEADS", "HEADED_BY", "LIKES"]),
    st.sampled_from(["2020", "2021", "2022", None]),
    st.booleans(),
)
steps = st.one_of(
    _fact,
    _fact,
    st.tuples(st.just("merge"), _pair),
    st.tuples(st.just("split"), st.sampled_from(NAMES)),
    st.tuples(st.just("move"), st.integers(0, 9), st.booleans()),
    st.tuples(st.just("retract"), st.integers(0, 9)),
    st.tuples(st.just("define"), st.sampled_from(["LIKES", "PAIRED_WITH", "HEADS"]), st.booleans()),
)


class Story:
    """A memory that is told steps, one an hour; a step that makes no sense then is left out."""

    def __init__(self) -> None:
        self.clock = FixedClock(dt.datetime(2026, 1, 1, tzinfo=dt.UTC))
        self.memory = Memory(":memory:", embedder=HashEmbedder(8), clock=self.clock)
        self.memory.define_relation("PAIRED_WITH", functional=True, inverse="PAIRED_WITH")
        self.memory.define_relation("HEADED_BY", functional=True)
        self.memory.define_relation("HEADS", functional=True, inverse="HEADED_BY")
        self.past: list[tuple[dt.datetime, list[Fact]]] = []

    def tell(self, step: Step) -> None:
        self.clock.advance(dt.timedelta(hours=1))
        with contextlib.suppress(NotFound, AmbiguousName, ValueError):
            getattr(self, "_" + step[0])(*step[1:])
        self.past.append((self.clock(), self.answer()))

    def answer(self, known_at: dt.datetime | None = None) -> list[Fact]:
        return [fact for year in ("2019", "2020-06", "2021-06", "2026") for fact in self.memory.as_of(year, known_at=known_at)]

    def _fact(self, pair: tuple[str, str], relation: str, start: str | None, text: bool) -> None:
        episode = self.memory.add("a note", reference_time="2020", extract=False).episode.uuid if text else None
        self.memory.add_fact(pair[0], relation, pair[1], valid_at=start, episode=episode)

    def _merge(self, pair: tuple[str, str]) -> None:
        self.memory.merge_entities(*pair)

    def _split(self, name: str) -> None:
        self.memory.split_entity(name)

    def _move(self, pick: int, source: bool) -> None:
        if facts := self.answer():
            fact = facts[pick % len(facts)]
            self.memory.split_entity(fact.source if source else fact.target, claims=[fact], name=f"new {self.clock():%d %H}")

    def _retract(self, pick: int) -> None:
        if facts := self.answer():
            self.memory.retract(facts[pick % len(facts)].uuid)

    def _define(self, relation: str, functional: bool) -> None:
        self.memory.define_relation(relation, functional=functional)


@settings(max_examples=28)
@given(st.lists(steps, min_size=3, max_size=14), st.booleans())
def test_earlier_answers_stay_and_a_rebuild_gives_the_same_rows_where_relations_chain(steps: list[Step], forget: bool) -> None:
    story = Story()
    with contextlib.closing(story.memory) as memory:
        for step in steps:
            story.tell(step)
        for at, answers in story.past:
            assert story.answer(at) == answers
        for episode in memory.episodes() if forget else ():
            memory.forget(episode=episode.uuid)
        before, merges = derived_rows(memory), memory.stats()
        with memory._store.write() as db:
            derivation.rebuild(db)
        assert derived_rows(memory) == before
        assert memory.stats() == merges


@settings(max_examples=28)
@given(st.lists(_fact, min_size=2, max_size=8), st.lists(_pair, min_size=1, max_size=3))
def test_undoing_every_merge_restores_every_answer(facts: list[Step], pairs: list[tuple[str, str]]) -> None:
    """All but `expired_at`: an end that was not believed meanwhile is learned anew."""
    story = Story()
    with contextlib.closing(story.memory) as memory:
        for step in facts:
            story.tell(step)
        before = story.answer()
        merged = []
        for keep, other in pairs:
            with contextlib.suppress(NotFound, ValueError):
                story.clock.advance(dt.timedelta(hours=1))
                known = memory.entity(other).entity
                if memory.entity(keep).entity != known:
                    memory.merge_entities(keep, other)
                    merged.append(known)
        for entity in reversed(merged):
            story.clock.advance(dt.timedelta(hours=1))
            assert memory.split_entity(entity.uuid) == entity
        assert [replace(fact, expired_at=None) for fact in story.answer()] == [
            replace(fact, expired_at=None) for fact in before
        ]
