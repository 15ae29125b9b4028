"""Judged conflicts as rows of the file: they act, they go with their claims, and taking back sees them too."""

from __future__ import annotations

import pytest

from tkgmem import Fact, Memory
from tkgmem.ingest import reconcile
from tkgmem.store import claims, derivation, relations, write


def judge(memory: Memory, a: Fact, b: Fact) -> None:
    """Record that the claims that these facts were first told by contradict each other."""
    with memory._store.write() as db:
        rows = [claims.with_uuid(db, fact.uuid) for fact in (a, b)]
        at = write.tick(db, memory._now(), "judge")
        db.execute(
            "INSERT INTO conflicts (claim_id, other_id, created_at) VALUES (?, ?, ?)", (*(row.id for row in rows if row), at)
        )
        reconcile.derive_again(db, [row for row in rows if row], relations.load(db), at)


def held(memory: Memory, when: str) -> list[str]:
    return sorted(f"{fact.relation} {fact.target.name}" for fact in memory.as_of(when))


@pytest.fixture
def judged(memory: Memory) -> tuple[Memory, Fact, Fact]:
    likes = memory.add_fact("Ana", "LIKES", "tea", valid_at="2020")
    dislikes = memory.add_fact("Ana", "DISLIKES", "tea", valid_at="2022")
    memory.add_fact("Ana", "LIKES", "milk", valid_at="2020")
    judge(memory, likes, dislikes)
    return memory, likes, dislikes


def test_a_judged_conflict_ends_the_earlier_fact_and_no_other(judged: tuple[Memory, Fact, Fact]) -> None:
    memory, likes, dislikes = judged
    assert held(memory, "2021") == ["LIKES milk", "LIKES tea"]
    assert held(memory, "2023") == ["DISLIKES tea", "LIKES milk"]
    version = next(v for v in memory.timeline("tea") if v.uuid == likes.uuid)
    assert (version.cause, version.by) == ("judged", dislikes.uuid)


@pytest.mark.parametrize("take_back", ["retract", "forget"])
def test_it_goes_when_either_claim_goes(judged: tuple[Memory, Fact, Fact], take_back: str) -> None:
    memory, _, dislikes = judged
    if take_back == "retract":
        memory.retract(dislikes.uuid)
    else:
        memory.forget(fact=dislikes.uuid)
    assert held(memory, "2023") == ["LIKES milk", "LIKES tea"]


def test_taking_back_what_it_ended_leaves_the_same_triple_told_later(judged: tuple[Memory, Fact, Fact]) -> None:
    memory, likes, dislikes = judged
    again = memory.add_fact("Ana", "LIKES", "tea", valid_at="2025")
    assert again.uuid != likes.uuid
    memory.retract(likes.uuid)
    assert held(memory, "2021") == ["LIKES milk"]
    assert held(memory, "2026") == ["DISLIKES tea", "LIKES milk", "LIKES tea"]
    assert dislikes.uuid in {fact.uuid for fact in memory.as_of("2026")}


def test_a_rebuild_gives_the_same_rows(judged: tuple[Memory, Fact, Fact]) -> None:
    memory, *_ = judged
    before = memory.history("Ana")
    with memory._store.write() as db:
        derivation.rebuild(db)
    assert memory.history("Ana") == before
