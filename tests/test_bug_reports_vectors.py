"""Faults that users of comparable programs reported about embeddings (T07)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tkgmem import EmbedderMismatch, Memory, TkgmemError
from tkgmem.testing import FixedClock, HashEmbedder


class OtherWeights(HashEmbedder):
    """The same dimension, another model."""

    @property
    def sha256(self) -> str:
        return "0" * 64

    @property
    def name(self) -> str:
        return "other"


@pytest.mark.parametrize("other", [HashEmbedder(48), OtherWeights(32)], ids=["another dimension", "other weights"])
def test_a_file_is_not_opened_with_another_embedder(path: Path, other: HashEmbedder) -> None:
    """T07-01"""
    with Memory(path, embedder=HashEmbedder(32)) as memory:
        memory.add_fact("Ana", "LIKES", "tea", valid_at="2020")
    with pytest.raises(EmbedderMismatch) as refused:
        Memory(path, embedder=other).close()
    assert HashEmbedder(32).name in str(refused.value)
    assert other.name in str(refused.value)
    with Memory(path, embedder=HashEmbedder(32)) as memory:
        assert len(memory.search("tea").facts) == 1


def replaced(value: float) -> Callable[[NDArray[np.float32]], NDArray[np.float32]]:
    """One number of the first vector replaced."""

    def spoil(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        vectors = vectors.copy()
        vectors[0, 0] = value
        return vectors

    return spoil


FAULTS: dict[str, Callable[[NDArray[np.float32]], NDArray[np.float32]]] = {
    "not a number": replaced(float("nan")),
    "infinite": replaced(float("inf")),
    "zeros": np.zeros_like,
    "too long a vector": lambda vectors: np.repeat(vectors, 2, axis=1),
    "too short a vector": lambda vectors: vectors[:, :-1],
    "too few rows": lambda vectors: vectors[:-1],
    "too many rows": lambda vectors: np.repeat(vectors, 2, axis=0),
}


class Faulty(HashEmbedder):
    """Gives good vectors until told to spoil them."""

    fault: str | None = None

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = super().embed_passages(texts)
        return vectors if self.fault is None else FAULTS[self.fault](vectors)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_bad_vector_is_refused_before_anything_is_written(clock: FixedClock, fault: str) -> None:
    """T07-02"""
    embedder = Faulty(32)
    with Memory(":memory:", embedder=embedder, clock=clock) as memory:
        memory.add_fact("Ana", "LIKES", "tea", valid_at="2020")
        before = (memory.stats(), memory.as_of("2021"), memory.search("tea").facts)
        embedder.fault = fault
        with pytest.raises((TkgmemError, ValueError)):
            memory.add_fact("Bo", "LIKES", "milk", valid_at="2020")
        embedder.fault = None
        assert (memory.stats(), memory.as_of("2021"), memory.search("tea").facts) == before
        memory.add_fact("Bo", "LIKES", "milk", valid_at="2020")
        assert {hit.item.target.name for hit in memory.search("Bo milk").facts} >= {"milk"}


def test_a_statement_forgotten_and_told_again_is_found_once(memory: Memory) -> None:
    """T07-03"""
    for _ in range(3):
        episode = memory.add("the boiler was serviced", extract=False).episode.uuid
        memory.add_fact("boiler", "HAS_STATUS", "serviced", valid_at="2020", episode=episode)
        memory.forget(episode=episode)
        assert memory.search("boiler serviced").facts == []
        assert memory.search("boiler serviced").episodes == []
    memory.add_fact("boiler", "HAS_STATUS", "serviced", valid_at="2020")
    assert len(memory.search("boiler serviced").facts) == 1


def test_a_forgotten_vector_never_answers_for_a_new_row(memory: Memory) -> None:
    """T07-03"""
    old = memory.add("blue kingfisher by the river", extract=False).episode
    memory.forget(episode=old.uuid)
    memory.add("quarterly tax return", extract=False)
    (hit,) = memory.search("blue kingfisher by the river", scopes={"episodes"}).episodes
    (exact,) = memory.search("quarterly tax return", scopes={"episodes"}).episodes
    assert hit.score < exact.score
    assert "bm25" not in hit.ranks


def test_the_own_group_is_found_however_many_nearer_lie_in_another(memory: Memory) -> None:
    """T07-04"""
    for n in range(49):
        memory.add_fact("kettle", "HAS_STATUS", f"boils {n}", fact="the kettle boils", valid_at=str(1950 + n), group="far")
        memory.add(f"the kettle boils {n}", extract=False, group="far")
    memory.add_fact("teapot", "HAS_STATUS", "empty", fact="a teapot is empty", valid_at="2000", group="near")
    memory.add("a teapot is empty", extract=False, group="near")
    result = memory.search("the kettle boils", limit=5, group="near")
    assert [hit.item.fact for hit in result.facts] == ["a teapot is empty"]
    assert [hit.item.content for hit in result.episodes] == ["a teapot is empty"]


def test_a_fact_that_holds_is_found_however_many_nearer_do_not(memory: Memory) -> None:
    """T07-04"""
    for n in range(60):
        memory.add_fact("kettle", "COSTS", f"{n} euro", fact="the kettle costs", valid_at="2020", invalid_at="2021")
    memory.add_fact("teapot", "COSTS", "9 euro", fact="a teapot is dear", valid_at="2000")
    (hit,) = memory.search("the kettle costs", limit=5, scopes={"facts"}, valid_at="2022").facts
    assert hit.item.fact == "a teapot is dear"


def test_a_belief_of_then_is_found_however_many_nearer_came_later(memory: Memory, clock: FixedClock) -> None:
    """T07-04"""
    memory.add_fact("teapot", "COSTS", "9 euro", fact="a teapot is dear", valid_at="2000")
    known_at = clock()
    for n in range(60):
        memory.add_fact("kettle", "COSTS", f"{n} euro", fact="the kettle costs", valid_at="2000")
    (hit,) = memory.search("the kettle costs", limit=5, scopes={"facts"}, known_at=known_at).facts
    assert hit.item.fact == "a teapot is dear"


@pytest.mark.parametrize("limit", [4096, 4097, 5000, 10**6])
def test_any_limit_is_allowed(memory: Memory, limit: int) -> None:
    """T07-05"""
    for n in range(20):
        memory.add_fact("Ana", "LIKES", f"tea {n}", valid_at="2020")
        memory.add(f"Ana drank tea {n}", extract=False)
    for recipe in ("bm25", "cosine", "graph", "hybrid", "rrf", "diverse"):
        found = memory.search("Ana and tea", limit=limit, recipe=recipe)
        assert len(found.facts) == 20
        assert len(found.episodes) == (0 if recipe == "graph" else 20)
        assert len(found.entities) == 21
