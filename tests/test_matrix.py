"""Copies of vectors in memory answer as the file does, whoever writes in between."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from tkgmem import Memory
from tkgmem.store import matrix, shelves, vectors
from tkgmem.testing import FixedClock, HashEmbedder


def found(memory: Memory, query: str, **asked: object) -> list[tuple[str, dict[str, int]]]:
    """What the vectors find, with their ranks."""
    hits = memory.search(query, scopes=["facts"], limit=30, **asked).facts  # type: ignore[arg-type]
    return [(hit.item.fact, {"cosine": hit.ranks["cosine"]}) for hit in hits if "cosine" in hit.ranks]


@pytest.fixture
def told(path: Path, clock: FixedClock) -> Memory:
    memory = Memory(path, embedder=HashEmbedder(32), clock=clock)
    for number in range(60):
        memory.add_fact(
            f"Person {number % 7}", "LIKES", f"thing {number}", valid_at="2020", invalid_at=None if number % 3 else "2021"
        )
    return memory


@pytest.mark.parametrize("asked", [{}, {"valid_at": "2020-06"}, {"include_ended": True}, {"known_at": "2000"}], ids=str)
def test_the_first_and_the_later_questions_are_answered_alike(told: Memory, asked: dict[str, object]) -> None:
    with told as memory:
        first = found(memory, "person likes thing", **asked)
        assert [found(memory, "person likes thing", **asked) for _ in range(2)] == [first, first]


def test_what_is_added_and_forgotten_by_anyone_is_seen(told: Memory, path: Path, clock: FixedClock) -> None:
    with told as memory, Memory(path, embedder=HashEmbedder(32), clock=clock) as other:
        for _ in range(2):
            found(memory, "zebra")
        new = other.add_fact("Zoe", "LIKES", "zebra crossings")
        assert found(memory, "Zoe likes zebra crossings")[0][0] == "Zoe likes zebra crossings"
        memory.add_fact("Zoe", "LIKES", "zebra foals")
        assert {fact for fact, _ in found(memory, "Zoe likes zebra")[:2]} == {
            "Zoe likes zebra crossings",
            "Zoe likes zebra foals",
        }
        other.forget(fact=new.uuid)
        other.add_fact("Zoe", "LIKES", "tea")
        assert "Zoe likes zebra crossings" not in {fact for fact, _ in found(memory, "Zoe likes zebra")}
        other.search("zebra")
        assert found(memory, "Zoe likes zebra") == found(other, "Zoe likes zebra")


def test_copies_beyond_the_bound_are_dropped_and_all_at_the_end(told: Memory) -> None:
    with told as memory:
        first = found(memory, "person likes thing")
        copies = memory._store.matrices = matrix.Matrices(most_bytes=1)
        assert [found(memory, "person likes thing") for _ in range(3)] == [first] * 3
        memory.search("person")
        assert len(copies._kept) == 1, "the one in use is kept"
    assert not copies._kept


def test_a_write_that_was_taken_back_is_not_remembered(told: Memory) -> None:
    with told as memory:
        found(memory, "zebra crossings")
        with suppress(KeyError), memory._store.write() as db:
            vectors.insert(db, "claim", 1, 1, HashEmbedder(32).embed_passages(["zebra crossings"]), "zebra crossings")
            shelf = shelves.at(db, "claim", 1, "latin")
            assert memory._store.matrices.get(db, shelf, 32).shelf.size == 61
            raise KeyError
        memory.add_fact("Ana", "LIKES", "tea")
        fresh = matrix.Matrices()
        with memory._store.read() as db:
            [shelf] = shelves.of(db, "claim", [1])
            assert (memory._store.matrices.get(db, shelf, 32).rows == fresh.get(db, shelf, 32).rows).all()
