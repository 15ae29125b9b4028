"""The worked cases of cases/bitemporal.json, told and asked through the public API."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tkgmem import InvalidPeriod, Memory
from tkgmem.testing import FixedClock, HashEmbedder

GIVEN: dict[str, Any] = json.loads((Path(__file__).parent / "cases" / "bitemporal.json").read_text(encoding="utf-8"))
BUILT_IN = {"lives_in", "married_to", "status", "works_at"}
CASES = {case["id"]: case for case in GIVEN["cases"]}


def told(tx: str | None) -> dt.datetime | None:
    """The instant of transaction "T1", "T2", ..."""
    return None if tx is None else dt.datetime(2026, 11, int(tx[1:]), tzinfo=dt.UTC)


class Teller:
    """Tells the operations of a case to a memory."""

    def __init__(self, memory: Memory, clock: FixedClock) -> None:
        self.memory, self.clock = memory, clock
        self.episodes: dict[str, str] = {}
        self.claims: dict[str, str] = {}
        for name in GIVEN["functional"]:
            if name not in BUILT_IN:
                memory.define_relation(name, functional=True)

    def tell(self, op: dict[str, Any]) -> None:
        self.clock.set(told(op["tx"]))
        match op["op"]:
            case "assert":
                fact = self.memory.add_fact(
                    op["s"],
                    op["r"],
                    op["o"],
                    valid_at=op["v"],
                    invalid_at=op["e"],
                    reference_time=op["ref"],
                    episode=self._episode(op),
                    group=op["g"],
                )
                self.claims[op["id"]] = fact.claims[-1]
            case "terminate":
                self.memory.end_fact(op["s"], op["r"], op["o"], at=op["at"], episode=self._episode(op), group=op["g"])
            case "retract":
                self.memory.retract(self.claims[op["id"]])
            case "correct":
                self.memory.correct(self.claims[op["id"]], target=op["o"])
            case "delete_episode":
                self.memory.forget(episode=self.episodes[op["ep"]])

    def _episode(self, op: dict[str, Any]) -> str:
        """The uuid of the operation's episode, stored when it is first named."""
        if op["ep"] not in self.episodes:
            stored = self.memory.add(f"episode {op['ep']}", group=op["g"], extract=False)
            self.episodes[op["ep"]] = stored.episode.uuid
        return self.episodes[op["ep"]]


@pytest.fixture
def teller() -> Iterator[Teller]:
    clock = FixedClock(dt.datetime(2026, 10, 31, tzinfo=dt.UTC))
    with Memory(":memory:", embedder=HashEmbedder(16), clock=clock) as memory:
        yield Teller(memory, clock)


def tell(teller: Teller, case: str) -> Memory:
    for op in CASES[case]["ops"]:
        teller.tell(op)
    return teller.memory


def targets(memory: Memory, query: dict[str, Any]) -> list[str]:
    facts = memory.as_of(
        query["t"],
        known_at=told(query["known"]),
        source=query["s"],
        relation=query["r"],
        group=query["g"],
    )
    return sorted(fact.target.name for fact in facts)


@pytest.mark.parametrize("case", [*CASES.values()], ids=lambda case: f"{case['id']} {case['name']}")
def test_a_worked_case_answers_as_given(teller: Teller, case: dict[str, Any]) -> None:
    memory = tell(teller, case["id"])
    got = [(query["t"], query["known"], targets(memory, query)) for query in case["q"]]
    assert got == [(query["t"], query["known"], query["exp"]) for query in case["q"]]


@pytest.mark.parametrize("op", GIVEN["invalid"], ids=lambda op: op["why"])
def test_a_period_that_holds_no_instant_is_refused_naming_both_bounds(teller: Teller, op: dict[str, Any]) -> None:
    with pytest.raises(InvalidPeriod) as refused:
        teller.memory.add_fact("mira", "works_at", "acme", valid_at=op["v"], invalid_at=op["e"])
    assert isinstance(refused.value, ValueError)
    assert op["v"] in str(refused.value)
    assert op["e"] in str(refused.value)
    assert teller.memory.as_of(op["v"]) == []
    assert teller.memory.stats().claims == 0


def test_coming_back_makes_a_second_fact_of_the_same_triple(teller: Teller) -> None:
    memory = tell(teller, "O05")
    first, second = (memory.as_of(date, source="mira", relation="works_at", group="g")[0] for date in ("2021", "2025"))
    assert first.uuid != second.uuid
    assert (first.valid_at, first.invalid_at) == (utc("2020-01-01"), utc("2022-01-01"))
    assert (second.valid_at, second.invalid_at) == (utc("2024-01-01"), None)


def test_a_corrected_fact_is_believed_at_no_date_any_more(teller: Teller) -> None:
    memory = tell(teller, "O12")
    for date in ("1990", "2020", "2026-11-02", "2100"):
        for known in ("T2", "T3", None):
            facts = memory.as_of(date, known_at=told(known), source="mira", group="g")
            assert "acme" not in {fact.target.name for fact in facts}
    assert [fact.target.name for fact in memory.as_of("2021", known_at=told("T1"), group="g")] == ["acme"]


def test_a_contradiction_leaves_the_stated_end_of_a_closed_fact_alone(teller: Teller) -> None:
    fact = tell(teller, "O19").as_of("2021", source="mira", group="g")[0]
    assert fact.invalid_at == utc("2022-01-01")
    assert fact.expired_at is None


def test_a_duplicate_adds_its_episode_to_the_one_fact(teller: Teller) -> None:
    facts = tell(teller, "O27").as_of("2021", source="mira", group="g")
    assert [fact.episodes for fact in facts] == [(teller.episodes["T1"], teller.episodes["T2"])]


def test_a_future_change_leaves_the_current_fact_in_the_default_search(teller: Teller) -> None:
    memory = tell(teller, "O31")
    teller.clock.set(utc("2026-11-30"))
    result = memory.search("where does mira work", scopes=["facts"], group="g")
    assert [hit.item.target.name for hit in result.facts] == ["acme"]


def test_an_undated_duplicate_keeps_the_stated_start(teller: Teller) -> None:
    facts = tell(teller, "O28").as_of("2026-06-01", source="mira", group="g")
    assert [(fact.valid_at, fact.invalid_at) for fact in facts] == [(utc("2020-01-01"), None)]


def test_deleting_one_of_two_sources_takes_it_out_of_the_provenance(teller: Teller) -> None:
    facts = tell(teller, "O39").as_of("2026-06-01", source="mira", group="g")
    assert [fact.episodes for fact in facts] == [(teller.episodes["e2"],)]


def utc(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC)


def test_ending_a_fact_that_something_else_overrides_at_every_time_returns_it(memory: Memory) -> None:
    hidden = memory.add_fact("Ana", "WORKS_AT", "Acme", reference_time="2024-01-01")
    memory.add_fact("Ana", "WORKS_AT", "Bolt", reference_time="2024-01-01")
    assert [fact.target.name for fact in memory.as_of("2024-01-01")] == ["Bolt"]
    assert memory.end_fact("Ana", "WORKS_AT", "Acme", at="2024-01-02").uuid == hidden.uuid
