"""Faults that users of comparable programs reported about dates, answers and names that a model gives (T03, T08, T09, T17)."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tkgmem import AddResult, Fact, Memory
from tkgmem.protocols import Request
from tkgmem.testing import FixedClock, HashEmbedder, ScriptedLLM

NOW = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)


@pytest.fixture
def reader(clock: FixedClock) -> Iterator[Any]:
    memories: list[Memory] = []

    def read(content: str, *facts: dict[str, Any], reference_time: str = "2019-05-04", **more: Any) -> tuple[Memory, AddResult]:
        """A memory in which a model read these facts of a text; each is between two names of its own."""
        names = [name for fact in facts for name in (fact["source"], fact["target"])]
        answer = {"entities": [{"id": name, "name": name} for name in dict.fromkeys(names)], "facts": list(facts)}
        memory = Memory(":memory:", embedder=HashEmbedder(64), clock=clock, llm=ScriptedLLM([answer]))
        memories.append(memory)
        return memory, memory.add(content, reference_time=reference_time, **more)

    yield read
    for memory in memories:
        memory.close()


def one(result: AddResult) -> Fact:
    [fact] = result.facts
    return fact


def day(value: dt.datetime | None) -> str | None:
    return None if value is None else value.date().isoformat()


def stated(source: str, relation: str, target: str, sentence: str, **more: Any) -> dict[str, Any]:
    return {"source": source, "relation": relation, "target": target, "sentence": sentence, "kind": "assert"} | more


def test_an_undated_fact_is_never_dated_by_the_wall_clock(reader: Any) -> None:
    memory, result = reader("Ona joined Fern.", stated("Ona", "MEMBER_OF", "Fern", "Ona joined Fern", valid_at=None))
    assert one(result).valid_at is None
    assert [fact.target.name for fact in memory.as_of("2019-05-04", source="Ona")] == ["Fern"]
    with memory._store.read() as db:
        assert db.execute("SELECT count(*) FROM claims WHERE valid_at IS NOT NULL").get == 0


@pytest.mark.parametrize("words", ["by Friday", "before Friday", "no later than Friday"])
def test_a_deadline_does_not_end_a_fact(reader: Any, words: str) -> None:
    sentence = f"Ivo works on the audit, due {words}."
    memory, result = reader(
        sentence,
        stated("Ivo", "WORKS_ON", "the audit", sentence, invalid_text=words, invalid_at="2026-06-05"),
        reference_time="2026-06-02",
    )
    assert one(result).invalid_at is None
    assert any("deadline" in warning for warning in result.warnings)
    assert memory.as_of("2026-06-02", source="Ivo")
    assert memory.as_of("2026-06-20", source="Ivo")


def test_what_ends_on_a_day_does_end(reader: Any) -> None:
    sentence = "Ivo's visa ends on Friday."
    _, result = reader(
        sentence,
        stated("Ivo", "HAS_VISA", "Norway", sentence, kind="end", invalid_text="on Friday", invalid_at="2026-06-05"),
        reference_time="2026-06-02",
    )
    assert day(one(result).invalid_at) == "2026-06-05"


@pytest.mark.parametrize(
    "bad",
    ["-0044-03-15", "0000-00-00", "10000-01-01", "2026-02-30", "2026-13-01", "soon", "the ides of March 44 BC", "999999999"],
)
@pytest.mark.parametrize("which", ["valid_at", "invalid_at"])
def test_a_date_that_is_none_costs_only_that_bound(reader: Any, bad: str, which: str) -> None:
    dates = {"valid_at": "2015", "invalid_at": "2017"} | {which: bad}
    _, result = reader(
        "Ona was at Fern. Bo is at Elm.",
        stated("Ona", "MEMBER_OF", "Fern", "Ona was at Fern.", **dates),
        stated("Bo", "MEMBER_OF", "Elm", "Bo is at Elm.", valid_at="2018"),
    )
    facts = {fact.source.name: fact for fact in result.facts}
    assert day(facts["Bo"].valid_at) == "2018-01-01"
    kept = {"valid_at": (None, "2018-01-01"), "invalid_at": ("2015-01-01", None)}[which]
    assert (day(facts["Ona"].valid_at), day(facts["Ona"].invalid_at)) == kept
    assert [warning for warning in result.warnings if bad in warning]


@pytest.mark.parametrize("none", [None, "", "unknown", "null", "N/A", "present", "至今"])
def test_a_word_for_no_date_is_no_date_and_no_warning(reader: Any, none: str | None) -> None:
    _, result = reader("Ona is at Fern.", stated("Ona", "MEMBER_OF", "Fern", "Ona is at Fern.", valid_at=none, invalid_at=none))
    assert (one(result).valid_at, one(result).invalid_at, result.warnings) == (None, None, [])


@pytest.mark.parametrize(
    ("written", "start", "precision"),
    [
        ("2026", "2026-01-01", "year"),
        (2026, "2026-01-01", "year"),
        ("2026-04", "2026-04-01", "month"),
        ("April 2026", "2026-04-01", "month"),
        ("Q3 2026", "2026-07-01", "month"),
        ("2026-04-05T10:00:00Z", "2026-04-05", "time"),
        ("2026年4月", "2026-04-01", "month"),
    ],
)
def test_dates_as_models_write_them_keep_their_precision(reader: Any, written: object, start: str, precision: str) -> None:
    _, result = reader(
        "Ona is at Fern.", stated("Ona", "MEMBER_OF", "Fern", "Ona is at Fern.", valid_at=written), reference_time="2026-12-01"
    )
    assert (day(one(result).valid_at), one(result).valid_precision) == (start, precision)


def test_what_the_model_did_not_resolve_is_resolved_from_its_words(reader: Any) -> None:
    _, result = reader(
        "Ona has been at Fern since last March.",
        stated("Ona", "MEMBER_OF", "Fern", "Ona has been at Fern since last March.", valid_text="since last March"),
        reference_time="2026-06-02",
    )
    assert (day(one(result).valid_at), one(result).valid_precision) == ("2026-03-01", "month")


def test_the_end_of_a_stint_is_the_unit_after_and_of_an_ending_the_unit_itself(reader: Any) -> None:
    _, result = reader(
        "Ona was at Fern from 2011 to 2013. Bo left Elm in 2022.",
        stated("Ona", "MEMBER_OF", "Fern", "Ona was at Fern from 2011 to 2013.", valid_at="2011", invalid_at="2013"),
        stated("Bo", "MEMBER_OF", "Elm", "Bo left Elm in 2022.", kind="end", invalid_at="2022"),
        reference_time="2026-06-02",
    )
    ends = {fact.source.name: day(fact.invalid_at) for fact in result.facts}
    assert ends == {"Ona": "2014-01-01", "Bo": "2022-01-01"}


def test_an_inverted_period_of_a_model_costs_the_end_only(reader: Any) -> None:
    _, result = reader(
        "Ona is at Fern.", stated("Ona", "MEMBER_OF", "Fern", "Ona is at Fern.", valid_at="2018", invalid_at="2010")
    )
    assert (day(one(result).valid_at), one(result).invalid_at) == ("2018-01-01", None)
    assert any("2018-01-01" in warning and "2011-01-01" in warning for warning in result.warnings)


def test_a_date_without_an_offset_is_in_the_calendar_of_the_text(reader: Any) -> None:
    _, result = reader(
        "Ona joined Fern today.",
        stated("Ona", "MEMBER_OF", "Fern", "Ona joined Fern today.", valid_at="2026-06-07"),
        reference_time="2026-06-07T23:30-05:00",
    )
    assert one(result).valid_at == dt.datetime(2026, 6, 7, 5, tzinfo=dt.UTC)


def test_ids_out_of_range_repeated_or_missing_cost_only_their_fact(clock: FixedClock) -> None:
    answer = {
        "entities": [
            {"id": 0, "name": "Ana"},
            {"id": 0, "name": "Bo"},
            {"id": 7, "name": "Porto"},
            {"name": "Oslo"},
            {"id": 9},
            3,
        ],
        "facts": [
            {"source": 0, "relation": "LIVES_IN", "target": 7, "sentence": "Ana lives in Porto"},
            {"source": 0, "relation": "LIVES_IN", "target": -3},
            {"source": 99, "relation": "LIVES_IN", "target": 7},
            {"source": "5b1f3c1e-0000-5000-8000-000000000000", "relation": "LIKES", "target": 7},
            {"source": 0, "relation": "", "target": 7},
            {"source": 0, "relation": "...", "target": 7},
            {"source": True, "relation": "LIKES", "target": [7]},
            "nonsense",
            None,
            {"source": "Ana", "relation": "likes", "target": "Oslo", "kind": "maybe", "valid_at": {"a": 1}},
        ],
    }
    with Memory(":memory:", embedder=HashEmbedder(64), clock=clock, llm=ScriptedLLM([answer])) as memory:
        result = memory.add("Ana lives in Porto and likes Oslo.")
    found = {(one.source.name, one.relation, one.target.name) for one in result.facts}
    assert ("Ana", "LIKES", "Oslo") in found  # by its names; the id 0 is two things, and what it says of either is not known
    assert not {("Ana", "LIVES_IN", "Porto"), ("Bo", "LIVES_IN", "Porto")} & found
    assert len(result.warnings) >= 7


def test_extra_keys_wrong_types_and_strange_names_never_abort_an_episode(clock: FixedClock) -> None:
    strange = ["", " ", "\u200b", "x" * 5_000, "a\0b", "\ud800", 5, None, ["a"], "O'Neil\"; DROP TABLE facts;--", "💥"]
    answers = {
        "entities": [{"id": n, "name": name, "type": n, "aliases": "no", "extra": {}} for n, name in enumerate(strange)],
        "facts": [{"source": a, "relation": "KNOWS", "target": b, "sentence": 5} for a in range(11) for b in (9, 10)],
    }
    with Memory(":memory:", embedder=HashEmbedder(64), clock=clock, llm=ScriptedLLM([answers])) as memory:
        result = memory.add("O'Neil\"; DROP TABLE facts;-- knows 💥.")
        assert {(one.source.name, one.target.name) for one in result.facts} >= {
            ("O'Neil\"; DROP TABLE facts;--", "💥"),
            ("💥", "O'Neil\"; DROP TABLE facts;--"),
        }
        assert memory.search("O'Neil\"; DROP TABLE facts;--").facts
        assert all(len(one.name) < 1_000 for one in result.entities)


@pytest.mark.parametrize("name", ["x') OR 1=1--", '"; DROP TABLE claims; --', "LIKES' UNION SELECT 1", "日本", "a b", "%", "*"])
def test_relation_and_type_names_with_quotes_are_only_names(clock: FixedClock, name: str) -> None:
    answer = {
        "entities": [{"id": 1, "name": name, "type": name}, {"id": 2, "name": "Bo", "type": name}],
        "facts": [{"source": 2, "relation": name, "target": 1, "sentence": name}],
    }
    with Memory(":memory:", embedder=HashEmbedder(64), clock=clock, llm=ScriptedLLM([answer])) as memory:
        memory.add_fact("Ana", "LIKES", "tea")
        memory.add(name)
        assert memory.entity(name).entity.type == " ".join(name.split())
        assert [fact.target.name for fact in memory.as_of("2026-12-01", source="Ana")] == ["tea"]
        assert memory.stats().facts <= 2


def test_a_uuid_in_an_answer_of_the_judge_is_ignored_and_reported(clock: FixedClock) -> None:
    uuid: list[str] = []

    def answer(request: Request) -> object:
        if request.purpose == "judge":
            known = json.loads(request.user)["known_facts"]
            return {
                "mentions": [],
                "duplicates": [{"new": known[0]["id"], "known": known[0]["id"]}, {"new": 0, "known": uuid[0]}],
                "contradictions": [uuid[0], {"new": uuid[0], "known": 7}, {"known": 1}, None],
            }
        return {
            "entities": [{"id": 1, "name": "Ana"}, {"id": 2, "name": "tea"}],
            "facts": [{"source": 1, "relation": "DISLIKES", "target": 2, "sentence": "no tea"}],
        }

    with Memory(":memory:", embedder=HashEmbedder(64), clock=clock, llm=ScriptedLLM(answer)) as memory:
        uuid.append(memory.add_fact("Ana", "LIKES", "tea", valid_at="2020").uuid)
        result = memory.add("Ana: no tea.")
        assert result.ended == []
        assert len([warning for warning in result.warnings if "not offered" in warning]) == 6
        assert {fact.relation for fact in memory.as_of("2026-12-01")} == {"LIKES", "DISLIKES"}
