"""A file of the first release is the contract of its format: it is kept, and every later version must answer from it as it did.

`python tests/test_first_release.py` made it, and the answers beside it. It is not to be made again after the release.
"""

from __future__ import annotations

import datetime as dt
import io
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tkgmem import LLMError, Memory
from tkgmem.testing import FixedClock, HashEmbedder, ScriptedLLM

FILE = Path(__file__).parent / "files" / "schema_4.db"
ANSWERS = FILE.with_suffix(".json")
ADDED = {"Episode": ("expired_at",)}
"""Fields that a later release added: None for what the first one told."""
DAYS = ("1970", "2023-01-01", "2025-01-01", "2026-06-02", "2026-08-01", "2026-10-01")
KNOWN = (None, "2024-04", "2026-06-02", "2026-06-15", "2026-09-15")


def opened(path: Path | str) -> Memory:
    said = {"entities": [{"name": "Dora", "type": "Person"}, {"name": "Lund", "type": "City"}], "facts": []}
    model = ScriptedLLM([said, LLMError("busy")])
    return Memory(path, embedder=HashEmbedder(16), clock=FixedClock(dt.datetime(2026, 11, 30, tzinfo=dt.UTC)), llm=model)


def tell(memory: Memory) -> None:
    """Something of everything that the first release can keep."""
    clock = memory._clock
    assert isinstance(clock, FixedClock)

    def on(day: str) -> None:
        clock.set(dt.datetime.fromisoformat(f"{day}T09:00+00:00"))

    on("2024-03-05")
    memory.add_fact("小李", "WORKS_AT", "A 公司", fact="小李在 A 公司工作", valid_at="2024-03-01")
    on("2026-06-03")
    memory.add_fact("小李", "WORKS_AT", "B 公司", fact="小李跳槽到 B 公司", valid_at="2026-06-01")
    on("2026-07-01")
    memory.add_fact("小李", "WORKS_AT", "C 公司", fact="小李 2022 年在 C 公司实习", valid_at="2022-07-01")
    memory.add("Dora's notes from Lund.", name="notes", metadata={"pages": [1, 2]}, reference_time="2026-06-30T23:30-05:00")
    memory.add_many([{"content": "This one was not read.", "speaker": "Ana", "group": "other"}])
    on("2026-09-05")
    memory.end_fact("小李", "WORKS_AT", "B 公司", at="2026-09")
    memory.define_relation("DESK_IS", functional=True, aliases=["SITS_AT"])
    memory.add_fact("小李", "SITS_AT", "4.12", attributes={"floor": 4})
    memory.add_fact("Ana", "LIVES_IN", "Porto", valid_at="2019", invalid_at="2022", group="other")
    memory.add_fact("Ana", "PLANS_TO", "travel", planned=True, group="other")
    on("2026-09-10")
    memory.add_alias("小李", "Xiao Li")
    memory.add_fact("Li Ming", "LIKES", "tea")
    memory.merge_entities("小李", "Li Ming", reason="the same person")
    memory.correct(memory.as_of("2025", source="小李", relation="WORKS_AT")[0].uuid, valid_at="2024-04", reason="a slip")
    memory.retract(memory.as_of("2026", source="小李", relation="DESK_IS")[0].uuid, reason="not his desk")
    on("2026-09-20")
    memory.split_entity("小李", claims=[memory.as_of("2026", relation="LIKES")[0]], name="Li Mei")


def answers(memory: Memory) -> dict[str, Any]:
    """What the file answers, as plain JSON."""
    groups = ["default", "other"]
    said: dict[str, Any] = {
        f"as_of({day}, known_at={known})": memory.as_of(day, known_at=known, group=groups) for day in DAYS for known in KNOWN
    }
    said |= {f"believed_at({day})": memory.believed_at(day, group=groups) for day in DAYS}
    said |= {f"history({name})": memory.history(name) for name in ("小李", "Li Mei", "Dora")}
    said["episodes"] = memory.episodes(group=groups)
    said["calls"] = memory.model_calls(group=groups)
    said["found"] = [hit.item.uuid for hit in memory.search("公司 tea Lund Porto", group=groups, valid_at="2026-08").facts]
    return {question: json.loads(json.dumps(found, default=_plain)) for question, found in said.items()}


def _plain(value: Any) -> Any:
    if hasattr(value, "__dataclass_fields__"):
        known = [name for name in value.__dataclass_fields__ if name not in ADDED.get(type(value).__name__, ())]
        assert all(getattr(value, name) is None for name in ADDED.get(type(value).__name__, ()))
        return {name: getattr(value, name) for name in known}
    return str(value)


@pytest.fixture
def kept(path: Path) -> Path:
    shutil.copy(FILE, path)
    return path


def test_a_file_of_the_first_release_answers_as_it_did(kept: Path) -> None:
    with opened(kept) as memory:
        assert answers(memory) == json.loads(ANSWERS.read_text("utf-8"))
        assert memory.doctor().ok
    with Memory(kept, embedder=HashEmbedder(16), read_only=True) as memory:
        assert answers(memory) == json.loads(ANSWERS.read_text("utf-8"))


def test_the_same_input_with_the_same_clock_still_makes_the_same_content(kept: Path) -> None:
    with opened(":memory:") as made, opened(kept) as memory:
        tell(made)
        texts = [io.StringIO(), io.StringIO()]
        made.export(texts[0], vectors=True)
        memory.export(texts[1], vectors=True)
    assert texts[0].getvalue() == texts[1].getvalue()


if __name__ == "__main__":
    with opened(FILE) as first:
        tell(first)
        ANSWERS.write_text(json.dumps(answers(first), ensure_ascii=False, indent=1) + "\n", "utf-8")
    sys.exit(0)
