"""Everything goes out as JSON lines and comes back the same; what cannot be is refused whole, with the place."""

from __future__ import annotations

import datetime as dt
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from histories import Op, histories
from hypothesis import given, settings
from merged import merged_histories, tell_merged
from twins import tell

from tkgmem import LLMError, Memory, StoreError
from tkgmem.testing import FixedClock, HashEmbedder, ScriptedLLM

Records = list[dict[str, Any]]


def exported(memory: Memory, **more: Any) -> str:
    stream = io.StringIO()
    memory.export(stream, **more)
    return stream.getvalue()


def imported(text: str, clock: FixedClock | None = None) -> Memory:
    memory = Memory(":memory:", embedder=HashEmbedder(8), clock=clock)
    memory.import_(io.StringIO(text))
    return memory


def rich(clock: FixedClock) -> Memory:
    """A memory with something of everything."""
    said = {"entities": [{"name": "Ana", "type": "Person"}, {"name": "Porto"}], "facts": []}
    memory = Memory(":memory:", embedder=HashEmbedder(8), clock=clock, llm=ScriptedLLM([said, LLMError("busy")]))
    memory.add(
        "Ana likes Porto. 安娜喜欢波尔图 🍷", name="chat", metadata={"n": [1, None]}, reference_time="2026-03-01T10:00+02:00"
    )
    memory.add_many([{"content": "This one fails.", "group": "other"}])
    for day in range(1, 4):
        clock.advance(dt.timedelta(days=1))
        memory.add_fact("Ana", "LIVES_IN", f"City {day}", valid_at=f"2024-0{day}", attributes={"how": {"deep": ["é"]}})
    memory.define_relation("DESK_IS", functional=True, aliases=["SITS_AT"])
    clock.advance(dt.timedelta(days=1))
    [home] = memory.as_of("2024-02-10", source="Ana")
    memory.correct(home.uuid, valid_at="2024-02-05", reason="a slip")
    memory.end_fact("Ana", "LIVES_IN", "City 3", at="2025")
    memory.add_fact("Bo", "PLANS_TO", "travel", planned=True, group="other")
    memory.add_alias("Ana", "Anna")
    memory.add_fact("A. Silva", "WORKS_AT", "Northwind", valid_at="1969-12-31")
    memory.merge_entities("Ana", "A. Silva", reason="the same")
    memory.split_entity("Ana", claims=[memory.as_of("2024-03-10", relation="LIVES_IN")[0]], name="Ana B.")
    return memory


def everything(memory: Memory) -> list[object]:
    groups = memory.stats().groups
    days = ("1970", "2024-01-15", "2024-02-03", "2024-02-10", "2024-06", "2026")
    asked: list[object] = [
        memory.as_of(day, known_at=known, group=groups)
        for day in days
        for known in (None, "2026-12-01T13:00", "2026-12-03T13:00")
    ]
    asked += [memory.history("Ana"), memory.timeline("Ana", known_at="2026-12-04"), memory.episodes(group=groups)]
    return [*asked, memory.model_calls(group=groups), memory.search("Ana Porto City", group=groups).facts]


@pytest.mark.parametrize("vectors", [False, True])
def test_what_comes_back_answers_the_same_and_is_exported_the_same(clock: FixedClock, vectors: bool) -> None:
    memory = rich(clock)
    text = exported(memory, vectors=vectors)
    again = imported(text, clock)
    assert exported(again, vectors=vectors) == text
    assert everything(again) == everything(memory)
    assert again.doctor().ok
    report = again.import_(io.StringIO(text))
    assert (report.episodes, report.entities, report.claims, report.changed, report.joined) == (0, 0, 0, 0, 0)
    assert exported(again, vectors=vectors) == text


@settings(max_examples=8)
@given(histories)
def test_any_history_comes_back(ops: list[Op]) -> None:
    twins = tell(ops)
    text = exported(twins.memory)
    twins.memory = imported(text, twins.clock)
    twins.check()
    assert exported(twins.memory) == text


@settings(max_examples=5)
@given(merged_histories)
def test_any_history_of_merges_and_splits_comes_back(ops: list[Any]) -> None:
    twins = tell_merged(ops)
    text = exported(twins.memory)
    twins.memory = imported(text, twins.clock)
    twins.check()
    assert exported(twins.memory) == text


def test_each_line_is_one_object_that_says_what_it_is(clock: FixedClock) -> None:
    lines = [json.loads(line) for line in exported(rich(clock), vectors=True).splitlines()]
    assert (lines[0]["type"], lines[0]["format"], lines[-1]) == ("tkgmem", 2, {"type": "end", "records": len(lines) - 2})
    assert {line["type"] for line in lines} >= {
        "relation", "episode", "entity", "alias", "trait", "mention", "claim", "merge", "move", "transaction", "model_call",
        "vector",
    }  # fmt: skip
    assert "model_call" not in exported(rich(clock), logs=False)


def test_the_vectors_of_another_embedder_are_made_anew(clock: FixedClock) -> None:
    text = exported(rich(clock), vectors=True)
    memory = Memory(":memory:", embedder=HashEmbedder(12))
    memory.import_(io.StringIO(text))
    assert memory.doctor().ok
    assert memory.search("City 2", scopes=["facts"], include_ended=True).facts[0].ranks["cosine"] == 1


def test_a_file_is_written_whole_and_never_over_another(clock: FixedClock, tmp_path: Path) -> None:
    memory, path = rich(clock), tmp_path / "out.jsonl"
    report = memory.export(path)
    assert report.bytes == path.stat().st_size
    assert path.read_text("utf-8") == exported(memory)
    with pytest.raises(StoreError, match=r"out\.jsonl is there already"):
        memory.export(path)
    with pytest.raises(StoreError, match=r"the folder .* does not exist"):
        memory.export(tmp_path / "no" / "out.jsonl")
    assert [file.name for file in tmp_path.iterdir()] == ["out.jsonl"]


# --- what cannot be ---


def changed(text: str, kind: str, change: Callable[[dict[str, Any]], object]) -> str:
    lines = [json.loads(line) for line in text.splitlines()]
    change(next(line for line in lines if line["type"] == kind))
    return "\n".join(map(json.dumps, lines))


WRONG: dict[str, tuple[str, Callable[[dict[str, Any]], object], str]] = {
    "an unknown field": ("claim", lambda r: r.update(sql="DROP TABLE claims"), r"unknown field 'sql'"),
    "a reference to nothing": (
        "claim",
        lambda r: r.update(source="nobody"),
        r"record \d+: a record refers to the entity 'nobody'",
    ),
    "a vector that is no base64": ("vector", lambda r: r.update(vector="?"), "impossible 'vector'"),
    "a text for an instant": ("claim", lambda r: r.update(created_at="now"), r"impossible 'created_at': \"now\""),
    "an instant after the year 9999": ("claim", lambda r: r.update(valid_at=1 << 60), "impossible 'valid_at'"),
    "a period that is empty": ("claim", lambda r: r.update(valid_at=5, invalid_at=5), "empty period from 5 to 5"),
    "a name that is not as names are kept": ("entity", lambda r: r.update(name=" Ana"), "impossible 'name'"),
    "a NUL": ("episode", lambda r: r.update(content="a\0b"), "impossible 'content'"),
    "a lone surrogate": ("episode", lambda r: r.update(content="\ud800"), "impossible 'content'"),
    "an entity of another group": ("entity", lambda r: r.update(group="elsewhere"), "joins two groups"),
    "a circle of corrections": (
        "claim",
        lambda r: r.update(replaced_by=r["uuid"], expired_at=r["created_at"] + 1),
        "replaced by",
    ),
    "a merge with itself": ("merge", lambda r: r.update(into=r["entity"]), "cannot be merged into itself"),
    "a vector of another length": ("vector", lambda r: r.update(vector="AAAA"), "no vector of 8 finite numbers"),
    "a vector that is not finite": (
        "vector",
        lambda r: r.update(vector="AADAfwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="),
        "no vector of 8 finite numbers",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_record_that_cannot_be_is_refused_and_nothing_is_written(clock: FixedClock, what: str) -> None:
    kind, change, message = WRONG[what]
    text = changed(exported(rich(clock), vectors=True), kind, change)
    memory = Memory(":memory:", embedder=HashEmbedder(8), clock=clock)
    before = exported(memory)
    with pytest.raises((ValueError, StoreError), match=message):
        memory.import_(io.StringIO(text))
    assert exported(memory) == before
    assert memory.stats().episodes == 0


@pytest.mark.parametrize(
    ("cut", "message"),
    [
        (lambda lines: lines[:-1], "breaks off after"),
        (lambda lines: [*lines[:5], *lines[6:]], "is not whole"),
        (lambda lines: lines[1:], "no format that is known|no tkgmem export"),
        (lambda lines: [*lines, *lines], "second export"),
        (lambda lines: ['{"type": "tkgmem", "format": 99}', *lines[1:]], "format 99.*newer tkgmem"),
        (lambda lines: [lines[0], "[" * 100_000, *lines[1:]], "nested too deeply|not JSON"),
        (lambda lines: [lines[0], '{"type": "end", "records": NaN}'], "not JSON"),
        (lambda _: ["hello"], "no format that is known"),
        (lambda _: [""], "no format that is known"),
    ],
)
def test_a_file_that_is_not_whole_is_refused(clock: FixedClock, cut: Callable[[list[str]], list[str]], message: str) -> None:
    text = "\n".join(cut(exported(rich(clock)).splitlines()))
    memory = Memory(":memory:", embedder=HashEmbedder(8))
    with pytest.raises((ValueError, StoreError), match=message):
        memory.import_(io.StringIO(text))
    assert memory.stats().relations == Memory(":memory:", embedder=HashEmbedder(8)).stats().relations
