"""Both tables of the worked example on the semantics page, exactly, through Python."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

import pytest

from tkgmem import Fact, Memory
from tkgmem.testing import FixedClock, HashEmbedder

SOURCE = "小李"
TOLD = [
    ("2024-03-05", "小李在 A 公司工作", "A 公司", "2024-03-01"),
    ("2026-06-03", "小李跳槽到 B 公司", "B 公司", "2026-06-01"),
    ("2026-07-01", "小李 2022 年在 C 公司实习", "C 公司", "2022-07-01"),
]
FACTS = {
    "A 公司": ("2024-03-01", "2026-06-01", "2024-03-05", "2026-06-03"),
    "B 公司": ("2026-06-01", None, "2026-06-03", None),
    "C 公司": ("2022-07-01", "2024-03-01", "2026-07-01", "2026-07-01"),
}


def utc(date: str | None) -> dt.datetime | None:
    return None if date is None else dt.datetime.fromisoformat(date).replace(tzinfo=dt.UTC)


@pytest.fixture
def facts() -> dict[str, str]:
    """Target name to the fact's uuid."""
    return {}


@pytest.fixture
def memory(clock: FixedClock, facts: dict[str, str]) -> Iterator[Memory]:
    clock.set(utc("2024-01-01"))
    with Memory(":memory:", embedder=HashEmbedder(64), clock=clock) as memory:
        for day, statement, target, valid_at in TOLD:
            clock.set(utc(day))
            episode = memory.add(statement, extract=False).episode
            fact = memory.add_fact(SOURCE, "WORKS_AT", target, fact=statement, valid_at=valid_at, episode=episode.uuid)
            facts[target] = fact.uuid
        clock.set(utc("2026-10-01"))
        yield memory


def bounds(fact: Fact) -> tuple[dt.datetime | None, ...]:
    return fact.valid_at, fact.invalid_at, fact.created_at, fact.expired_at


def names(facts: list[Fact]) -> list[str]:
    return [fact.target.name for fact in facts]


@pytest.mark.parametrize("target", FACTS)
def test_each_fact_has_its_four_dates(memory: Memory, facts: dict[str, str], target: str) -> None:
    valid_at, invalid_at, created_at, expired_at = FACTS[target]
    (fact,) = memory.as_of(valid_at)
    assert fact.uuid == facts[target]
    assert fact.target.name == target
    assert bounds(fact) == tuple(map(utc, (valid_at, invalid_at, created_at, expired_at)))


@pytest.mark.parametrize("target", FACTS)
def test_search_in_the_past_shows_the_same_four_dates(memory: Memory, target: str) -> None:
    hits = memory.search(f"{SOURCE} 公司", scopes={"facts"}, valid_at=FACTS[target][0]).facts
    assert [(hit.item.target.name, bounds(hit.item)) for hit in hits] == [(target, tuple(map(utc, FACTS[target])))]


@pytest.mark.parametrize(("target", "statement"), [(target, said) for _, said, target, _ in TOLD])
def test_each_fact_shows_the_sentence_that_said_it(memory: Memory, target: str, statement: str) -> None:
    (fact,) = memory.as_of(FACTS[target][0])
    assert fact.fact == statement
    stored = {episode.uuid: episode.content for episode in memory.episodes()}
    assert [stored[uuid] for uuid in fact.episodes] == [statement]


@pytest.mark.parametrize(
    ("t", "known_at", "right"),
    [
        ("2023-01-01", None, ["C 公司"]),
        ("2025-01-01", None, ["A 公司"]),
        ("2026-10-01", None, ["B 公司"]),
        ("2023-01-01", "2026-06-15", []),
        ("2026-07-15", "2026-06-02", ["A 公司"]),
    ],
)
def test_as_of_answers_on_both_clocks(memory: Memory, t: str, known_at: str | None, right: list[str]) -> None:
    assert names(memory.as_of(t, known_at=known_at)) == right
    assert names(memory.as_of(t, known_at=known_at, source=SOURCE, relation="WORKS_AT")) == right
    hits = memory.search("小李 在哪里工作", scopes={"facts"}, valid_at=t, known_at=known_at).facts
    assert names([hit.item for hit in hits]) == right


def test_believed_at_answers_what_was_believed_then(memory: Memory) -> None:
    (fact,) = memory.believed_at("2026-06-02")
    assert fact.target.name == "A 公司"
    assert bounds(fact) == (utc("2024-03-01"), None, utc("2024-03-05"), None)


def test_history_keeps_the_earlier_belief_beside_the_later_one(memory: Memory, facts: dict[str, str]) -> None:
    def rows(target: str) -> list[tuple[object, ...]]:
        return [(v.valid_at, v.invalid_at, v.created_at, v.expired_at, v.cause) for v in memory.history(facts[target])]

    assert rows("A 公司") == [
        (utc("2024-03-01"), None, utc("2024-03-05"), utc("2026-06-03"), None),
        (utc("2024-03-01"), utc("2026-06-01"), utc("2026-06-03"), None, "superseded"),
    ]
    assert rows("B 公司") == [(utc("2026-06-01"), None, utc("2026-06-03"), None, None)]
    assert rows("C 公司") == [(utc("2022-07-01"), utc("2024-03-01"), utc("2026-07-01"), None, "superseded")]


def test_a_superseded_version_names_the_claim_that_took_over(memory: Memory, facts: dict[str, str]) -> None:
    assert memory.history(facts["A 公司"])[-1].by == facts["B 公司"]
    assert memory.history(facts["C 公司"])[-1].by == facts["A 公司"]


def test_the_timeline_lists_what_is_believed_in_order_of_valid_time(memory: Memory) -> None:
    believed = [version for version in memory.timeline(SOURCE) if version.expired_at is None]
    assert [(v.target.name, v.valid_at, v.invalid_at) for v in believed] == [
        ("C 公司", utc("2022-07-01"), utc("2024-03-01")),
        ("A 公司", utc("2024-03-01"), utc("2026-06-01")),
        ("B 公司", utc("2026-06-01"), None),
    ]


def test_leaving_without_a_new_job_leaves_nothing_afterwards(memory: Memory, clock: FixedClock) -> None:
    clock.set(utc("2026-10-02"))
    episode = memory.add("小李 2026 年 9 月从 B 公司离职", extract=False).episode
    ended = memory.end_fact(SOURCE, "WORKS_AT", "B 公司", at="2026-09", episode=episode.uuid)
    assert bounds(ended) == tuple(map(utc, ("2026-06-01", "2026-09-01", "2026-06-03", "2026-10-02")))
    assert ended.invalid_precision == "month"
    assert memory.as_of("2026-10-01") == []
    assert names(memory.as_of("2026-08-01")) == ["B 公司"]
    assert names(memory.as_of("2026-10-01", known_at="2026-10-01")) == ["B 公司"]
    assert names(memory.as_of("2025-01-01")) == ["A 公司"]


def test_the_leaving_is_understood_from_its_sentence(memory: Memory, clock: FixedClock) -> None:
    clock.set(utc("2026-10-02"))
    memory.add("小李 2026 年 9 月从 B 公司离职")
    assert memory.as_of("2026-10-01") == []
    assert names(memory.as_of("2026-08-01")) == ["B 公司"]
