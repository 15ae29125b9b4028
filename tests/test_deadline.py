"""A deadline: stages are left out in one fixed order and named, words are always looked for, and nothing fails.

Time passes only where the test says so: the clock of the budget stands still but for what the doubles take.
"""

from __future__ import annotations

import datetime as dt
import itertools
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pytest

from tkgmem import RECIPES, LLMError, Memory, SearchResult
from tkgmem.search.budget import ORDER, Budget
from tkgmem.testing import FixedClock, HashEmbedder

if TYPE_CHECKING:
    from tkgmem.protocols import Vectors

NOW = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)
QUESTION = "what does Ana like?"


class StoppedTime:
    """Seconds that pass when told to, and `tick_ms` whenever somebody looks."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.tick_ms = 0.0

    def __call__(self) -> float:
        self.take(self.tick_ms)
        return self.now

    def take(self, milliseconds: float) -> None:
        self.now += milliseconds / 1_000


class SlowEmbedder(HashEmbedder):
    """Takes its time for a question."""

    takes_ms = 0.0
    asked: int

    def __init__(self, watch: StoppedTime) -> None:
        super().__init__(32)
        self.watch = watch
        self.asked = 0

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        self.watch.take(self.takes_ms)
        self.asked += len(texts)
        return super().embed_queries(texts)


class SlowReranker:
    """Takes its time, and keeps the order that there is; or fails."""

    name = "slow"
    takes_ms = 0.0
    fails = False

    def __init__(self, watch: StoppedTime) -> None:
        self.watch = watch
        self.asked = 0

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        assert query
        self.asked += 1
        self.watch.take(self.takes_ms)
        if self.fails:
            raise LLMError("nobody is there")
        return [float(-place) for place in range(len(texts))]


class Desk:
    """A memory with slow models, and the watch that they go by."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.watch = StoppedTime()
        self.embedder, self.reranker = SlowEmbedder(self.watch), SlowReranker(self.watch)
        clock = FixedClock(NOW)
        self.memory = Memory(":memory:", embedder=self.embedder, reranker=self.reranker, clock=clock)
        for number in range(4):
            self.memory.add_fact("Ana", "LIKES", f"tea {number}", fact=f"Ana likes tea {number}", valid_at="2020")
            self.memory.add(f"Ana said that she likes tea {number}", name="talk", extract=False)
        monkeypatch.setattr(time, "perf_counter", self.watch)

    def ask(self, query: str = QUESTION, **asked: Any) -> SearchResult:
        return self.memory.search(query, recipe=asked.pop("recipe", "model"), **asked)


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(monkeypatch)


def methods(found: SearchResult) -> set[str]:
    return {name for hit in (*found.facts, *found.entities, *found.episodes) for name in hit.ranks}


def by_words(found: SearchResult) -> bool:
    """Whether words found something in each scope."""
    return all(any("bm25" in hit.ranks for hit in hits) for hits in (found.facts, found.entities, found.episodes))


def test_with_time_enough_nothing_is_left_out(desk: Desk) -> None:
    for deadline in (None, 1_000, 10**300):
        found = desk.ask(deadline_ms=deadline)
        assert found.degraded == ()
        assert {"bm25", "cosine", "graph"} <= methods(found)
        assert {"embed", "read", "named", "candidates", "fuse", "rerank", "fetch"} == found.timings.keys()


@pytest.mark.parametrize(
    ("takes", "left_out"),
    [
        (0, ()),
        (96.5, ("rerank", "beside", "graph")),
        (97.5, ("rerank", "beside", "graph")),
        (150, ("rerank", "beside", "graph", "cosine")),
    ],
)
def test_what_comes_after_a_slow_embedding_is_left_out_in_order(desk: Desk, takes: float, left_out: tuple[str, ...]) -> None:
    desk.embedder.takes_ms = takes
    found = desk.ask(deadline_ms=100)
    assert tuple(stage for stage in found.degraded if stage != "bm25") == left_out
    assert by_words(found)
    assert found.timings["embed"] == pytest.approx(takes)


@pytest.mark.parametrize("deadline", [-(10**300), -1, 0, 1e-9, 0.5])
def test_without_any_time_only_words_are_looked_for(desk: Desk, deadline: float) -> None:
    found = desk.ask(deadline_ms=deadline)
    assert tuple(stage for stage in found.degraded if stage != "bm25") == ("rerank", "beside", "graph", "cosine")
    assert methods(found) == {"bm25"}
    assert by_words(found)
    assert (desk.embedder.asked, desk.reranker.asked) == (0, 0)


@pytest.mark.parametrize("deadline", [3.5, 4.5, 6])
def test_where_there_is_no_time_for_meaning_nothing_that_is_worth_less_takes_it(desk: Desk, deadline: float) -> None:
    found = desk.ask("Ana and the tea that she likes in the morning, with a slice of lemon", deadline_ms=deadline)
    assert tuple(stage for stage in found.degraded if stage != "bm25") == ("rerank", "beside", "graph", "cosine")
    assert methods(found) == {"bm25"}
    assert by_words(found)


@pytest.mark.parametrize("tick", [0.05, 0.3, 1, 5, 40])
def test_wherever_time_runs_out_words_answer_and_what_is_missing_is_named(desk: Desk, tick: float) -> None:
    desk.watch.tick_ms = tick
    for recipe, deadline in itertools.product(RECIPES, (5, 20, 60)):
        found = desk.ask(deadline_ms=deadline, recipe=recipe)
        assert list(found.degraded) == [stage for stage in ORDER if stage in found.degraded]
        methods_used = RECIPES[recipe].methods
        assert by_words(found) or "bm25" not in methods_used
        assert "cosine" in found.degraded or "cosine" in methods(found) or "cosine" not in methods_used
        assert "graph" in found.degraded or "graph" in methods(found) or "graph" not in methods_used


def test_a_slow_model_costs_no_other_scope_its_candidates(desk: Desk) -> None:
    desk.reranker.takes_ms = 500
    found = desk.ask(deadline_ms=100)
    assert found.degraded == ("rerank",)  # of entities and episodes
    assert desk.reranker.asked == 1
    assert all({"bm25", "cosine"} <= hits[0].ranks.keys() for hits in (found.facts, found.entities, found.episodes))
    assert found.timings["rerank"] == pytest.approx(500)


def test_a_model_that_fails_leaves_the_fused_order_and_says_so(desk: Desk) -> None:
    desk.reranker.fails = True
    found, plain = desk.ask(), desk.ask(recipe="hybrid")
    assert (found.degraded, plain.degraded) == (("rerank",), ())
    assert [hit.item for hit in found.facts] == [hit.item for hit in plain.facts]


def test_a_long_question_is_read_as_far_as_there_is_time(desk: Desk) -> None:
    long = "Ana likes tea, and this is a long story about it. " * 200  # six pieces
    assert desk.ask(long).degraded == ("embed",)
    read = desk.embedder.asked
    found = desk.ask(long, deadline_ms=700)
    assert found.degraded == ("embed",)
    assert 0 < desk.embedder.asked - read < read
    assert desk.ask(long, deadline_ms=20).degraded == ("rerank", "beside", "graph", "cosine")


def test_the_budget_gives_up_stages_in_the_documented_order() -> None:
    budget = Budget(3_600_000)
    assert [budget.enough(stage) for stage in ORDER] == [True] * len(ORDER)
    for place, stage in enumerate(ORDER[:4]):
        budget = Budget(3_600_000)
        budget.skip(stage)
        assert [budget.enough(other) for other in ORDER[:4]] == [at >= place for at in range(4)]
        assert budget.degraded == ORDER[: place + 1]
    budget.skip("bm25")
    budget.skip("embed")
    budget.skip("communities")
    assert budget.degraded == ORDER


def test_the_order_is_the_one_that_the_result_documents() -> None:
    assert SearchResult.__doc__ is not None
    places = [SearchResult.__doc__.index(f'"{stage}"') for stage in ORDER]
    assert places == sorted(places)
