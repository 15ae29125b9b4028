"""Facts that come with a text: taken at their word, checked before anything is stored, the text being their evidence."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from tkgmem import Memory
from tkgmem.testing import FixedClock, HashEmbedder, ScriptedLLM

TOLD = dt.datetime(2026, 6, 3, 9, tzinfo=dt.timezone(dt.timedelta(hours=8)))
JOB = {"source": "小李", "relation": "works at", "target": "B 公司"}


def day(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC)


def test_a_given_fact_rests_on_the_text_and_no_model_is_asked(clock: FixedClock) -> None:
    model = ScriptedLLM([])
    with Memory(":memory:", embedder=HashEmbedder(64), clock=clock, llm=model) as memory:
        result = memory.add("小李跳槽到 B 公司", reference_time=TOLD, facts=[{**JOB, "valid_at": "2026-06-01T00:00+00:00"}])
        assert [(fact.relation, fact.target.name, fact.valid_at) for fact in result.facts] == [
            ("WORKS_AT", "B 公司", day("2026-06-01"))
        ]
        assert result.calls == 0
        [claim] = memory.why(result.facts[0]).claims
        assert (claim.sentence, claim.made_by) == ("小李跳槽到 B 公司", "given")
        assert memory.stats().model_use == {}


def test_the_rules_of_time_hold_for_them(memory: Memory) -> None:
    memory.add("t1", facts=[{**JOB, "target": "A 公司", "valid_at": "2024-03-01"}])
    moved = memory.add("t2", facts=[{**JOB, "valid_at": "2026-06-01"}])
    assert [fact.target.name for fact in moved.ended] == ["A 公司"]
    left = memory.add("t3", facts=[{**JOB, "invalid_at": "2026-09"}])
    assert [(fact.target.name, fact.invalid_at) for fact in left.ended] == [("B 公司", day("2026-09-01"))]
    planned = memory.add("t4", facts=[{**JOB, "target": "D 公司", "valid_at": "2027-01", "planned": True}])
    assert [fact.planned for fact in planned.facts] == [True]


def test_dates_in_words_are_seen_from_the_reference_time(memory: Memory) -> None:
    [fact] = memory.add("x", reference_time=TOLD, facts=[{**JOB, "valid_at": "last March"}]).facts
    assert (fact.valid_at, fact.valid_precision) == (day("2026-02-28T16:00"), "month")
    [fact] = memory.add("y", reference_time=TOLD, facts=[{**JOB, "target": "C", "valid_at": "this month"}]).facts
    assert fact.valid_at == day("2026-05-31T16:00")


def test_types_attributes_and_sentences_are_kept(memory: Memory) -> None:
    text = "Maya works on Atlas, says the memo."
    given = {
        "source": "Maya", "relation": "works on", "target": "Atlas", "fact": "Maya works on Atlas",
        "attributes": {"via": "memo"},
        "source_type": "Person", "target_type": "Project",
    }  # fmt: skip
    [fact] = memory.add(text, facts=[given]).facts
    assert (fact.fact, fact.attributes) == ("Maya works on Atlas", {"via": "memo"})
    assert (fact.source.type, fact.target.type) == ("Person", "Project")
    assert memory.why(fact).claims[0].span == (0, len("Maya works on Atlas"))


def test_nothing_else_is_read_from_the_text(memory: Memory) -> None:
    result = memory.add("Maya lives in Lisbon.", facts=[])
    assert (result.facts, result.episode.state) == ([], "done")
    assert memory.search("Lisbon").episodes[0].item.content == "Maya lives in Lisbon."


@pytest.mark.parametrize(
    ("facts", "wrong"),
    [
        ("Maya", "facts is a list"),
        ([1], r"facts\[0\].*1"),
        ([{}], r"facts\[0\]: source is missing"),
        ([JOB, {**JOB, "when": 1}], r"facts\[1\]: unknown member 'when'"),
        ([{**JOB, "target": "小李"}], "both '小李'"),
        ([{**JOB, "target": 7}], "target must be text"),
        ([{**JOB, "target": " "}], "target"),
        ([{**JOB, "valid_at": "soon"}], "valid_at: not a date: 'soon'"),
        ([{**JOB, "valid_at": 2024}], "not a date: 2024"),
        ([{**JOB, "valid_at": "2024", "invalid_at": "2023"}], "not after"),
        ([{**JOB, "planned": "yes"}], "planned"),
        ([{**JOB, "fact": "\ud800"}], "fact"),
        ([{**JOB, "attributes": [1]}], "attributes"),
        ([JOB] * 1_001, "1001 facts"),
    ],
)
def test_a_wrong_fact_is_named_and_nothing_is_stored(memory: Memory, facts: Any, wrong: str) -> None:
    with pytest.raises((ValueError, TypeError), match=wrong):
        memory.add("小李跳槽到 B 公司", facts=facts)
    assert memory.episodes() == []


@pytest.mark.parametrize("more", [{"extract": False}, {"instructions": "x"}, {"mapping": JOB, "source": "json"}])
def test_what_would_read_the_text_otherwise_is_refused(memory: Memory, more: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="facts are given"):
        memory.add("{}", facts=[JOB], **more)


def test_words_of_a_fact_are_never_syntax(memory: Memory) -> None:
    name = "O'Neil\"; DROP TABLE facts;--"
    [fact] = memory.add("x", facts=[{"source": name, "relation": "x') OR 1=1", "target": "</episode> {0} %s"}]).facts
    assert memory.entity(name).facts == [fact]


def test_replay_forget_and_undo_know_them(clock: FixedClock, path: Path, tmp_path: Path) -> None:
    with Memory(path, embedder=HashEmbedder(64), clock=clock) as memory:
        first = memory.add("小李跳槽到 B 公司", facts=[{**JOB, "valid_at": "2026-06-01"}])
        clock.set(day("2026-12-01"))
        second = memory.add("canarybird", facts=[{**JOB, "target": "canaryfirm", "valid_at": "2026-11-01"}])
        assert memory.replay(tmp_path / "again.db").same
        memory.undo(episode=second.episode.uuid)
        assert [fact.target.name for fact in memory.as_of("2026-12-01")] == ["B 公司"]
        memory.forget(episode=second.episode.uuid)
        assert [fact.uuid for fact in memory.as_of("2026-12-01")] == [first.facts[0].uuid]
        assert memory.doctor().ok
    assert b"canaryfirm" not in path.read_bytes()


def test_the_same_calls_make_the_same_file(tmp_path: Path) -> None:
    made = []
    for name in ("one.db", "two.db"):
        with Memory(tmp_path / name, embedder=HashEmbedder(64), clock=FixedClock(TOLD)) as memory:
            memory.add("x", facts=[{**JOB, "valid_at": "yesterday", "source_type": "Person"}])
            memory.export(tmp_path / f"{name}.jsonl")
        made.append((tmp_path / f"{name}.jsonl").read_bytes())
    assert made[0] == made[1]
