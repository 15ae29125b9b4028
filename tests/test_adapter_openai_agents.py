"""The session of the OpenAI Agents SDK: items as its own SQLiteSession gives them, and what the user said remembered."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from agents import Agent, ModelResponse, RunConfig, Runner, Usage
from agents.memory import Session, SessionSettings, SQLiteSession
from agents.models.interface import Model
from openai.types.responses import ResponseOutputMessage, ResponseOutputText

from tkgmem import Memory
from tkgmem.adapters.openai_agents import TkgmemSession
from tkgmem.testing import FixedClock, HashEmbedder

ITEMS: list[Any] = [
    {"role": "user", "content": "I moved to Lisbon in May 2024. 小李 🦉"},
    {"id": "rs_1", "summary": [{"text": "hm", "type": "summary_text"}], "type": "reasoning", "encrypted_content": None},
    {"type": "function_call", "call_id": "c1", "name": "lookup", "arguments": '{"x": 1}', "id": "fc_1", "status": "completed"},
    {"type": "function_call_output", "call_id": "c1", "output": "sunny"},
    {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": "I moved to Mars in May 2024.", "annotations": []}],
    },
    {"role": "user", "content": [{"type": "input_text", "text": "Thanks!"}, {"type": "input_image", "image_url": "x"}]},
    {"role": "user", "content": [{"type": "input_text", "text": "Thanks!"}, {"type": "input_image", "image_url": "x"}]},
]


@pytest.fixture
def memory() -> Iterator[Memory]:
    clock = FixedClock(dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC))
    with Memory(":memory:", embedder=HashEmbedder(64), clock=clock) as opened:
        yield opened


@pytest.fixture(params=["sdk", "tkgmem"])
async def session(request: pytest.FixtureRequest, memory: Memory) -> AsyncIterator[Any]:
    made = SQLiteSession("s1") if request.param == "sdk" else TkgmemSession("s1", memory, user="Maya")
    yield made
    made.close()


async def test_items_come_back_as_they_were(session: Any) -> None:
    assert isinstance(session, Session)
    assert await session.get_items() == []
    await session.add_items(ITEMS[:3])
    await session.add_items([])
    await session.add_items(ITEMS[3:])
    assert await session.get_items() == ITEMS
    assert await session.get_items(limit=2) == ITEMS[-2:]
    assert await session.get_items(limit=100) == ITEMS
    assert await session.get_items(limit=0) == []
    session.session_settings = SessionSettings(limit=3)
    assert await session.get_items() == ITEMS[-3:]


async def test_the_last_one_is_taken_away(session: Any) -> None:
    assert await session.pop_item() is None
    await session.add_items(ITEMS)
    for item in reversed(ITEMS):
        assert await session.pop_item() == item
    assert await session.get_items() == []
    await session.add_items(ITEMS[:1])
    assert await session.get_items() == ITEMS[:1]


async def test_clearing_leaves_nothing(session: Any) -> None:
    await session.clear_session()
    await session.add_items(ITEMS)
    await session.clear_session()
    assert await session.get_items() == []
    await session.add_items(ITEMS[:2])
    assert await session.get_items() == ITEMS[:2]


# --- what only a memory has ---


async def test_what_the_user_says_is_remembered(memory: Memory) -> None:
    session = TkgmemSession("s1", memory, user="Maya")
    await session.add_items(ITEMS)
    assert [fact.target.name for fact in memory.entity("Maya").facts] == ["Lisbon"]
    assert [(one.content, one.speaker, one.name) for one in reversed(memory.episodes())] == [
        ("I moved to Lisbon in May 2024. 小李 🦉", "Maya", "s1"),
        ("I moved to Mars in May 2024.", "Assistant", "s1"),
        ("Thanks!", "Maya", "s1"),
        ("Thanks!", "Maya", "s1"),
    ]
    assert "Lisbon" in await session.context("Where does Maya live?")
    other = TkgmemSession("s2", memory, user="Maya")
    assert await other.get_items() == []
    assert "Lisbon" in await other.context("Where does Maya live?")


async def test_popping_takes_back_and_clearing_does_not(memory: Memory) -> None:
    session = TkgmemSession("s1", memory, user="Maya")
    await session.add_items(ITEMS[:1])
    await session.pop_item()
    assert memory.entity("Maya").facts == []
    await session.add_items(ITEMS[:1])
    await session.clear_session()
    assert [fact.target.name for fact in memory.entity("Maya").facts] == ["Lisbon"]
    assert memory.doctor().ok


async def test_cleared_items_are_gone_from_the_bytes(path: Path) -> None:
    with Memory(path, embedder=HashEmbedder(64)) as memory:
        session = TkgmemSession("s1", memory)
        await session.add_items([{"type": "function_call_output", "call_id": "c1", "output": "canarybird"}])
        await session.clear_session()
    assert b"canarybird" not in path.read_bytes()


@pytest.mark.parametrize("item", ["text", {"x": float("nan")}, {"x": object()}, {"x": "\ud800"}])
async def test_what_json_cannot_carry_is_refused(memory: Memory, item: Any) -> None:
    session = TkgmemSession("s1", memory)
    with pytest.raises(ValueError, match=r"item|metadata"):
        await session.add_items([ITEMS[0], item])
    assert await session.get_items() == []
    assert memory.episodes() == []


async def test_sessions_at_once_keep_their_own(path: Path) -> None:
    with Memory(path, embedder=HashEmbedder(64)) as one, Memory(path, embedder=HashEmbedder(64)) as other:
        sessions = [TkgmemSession(f"s{number}", [one, other][number % 2]) for number in range(4)]
        for number in range(5):
            await asyncio.gather(*(s.add_items([{"role": "user", "content": f"{s.session_id} {number}"}]) for s in sessions))
        for session in sessions:
            said = [item["content"] for item in await session.get_items()]  # type: ignore[typeddict-item]
            assert said == [f"{session.session_id} {number}" for number in range(5)]


class Scripted(Model):
    """A model that answers with what it was told to do, and keeps what it saw."""

    def __init__(self) -> None:
        self.seen: list[tuple[str | None, Any]] = []

    async def get_response(self, system_instructions: str | None, input: Any, *_: Any, **__: Any) -> ModelResponse:  # noqa: A002
        self.seen.append((system_instructions, input))
        text = ResponseOutputText(text=f"Answer {len(self.seen)}.", type="output_text", annotations=[])
        message = ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


async def test_an_agent_that_is_run_over_several_turns(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("something connects to a network")

    monkeypatch.setattr("socket.socket.connect", refused)
    model, session = Scripted(), TkgmemSession("talk", memory, user="Maya")
    agent = Agent(name="helper", model=model, instructions=session.instructions("Be brief."))
    quiet = RunConfig(tracing_disabled=True)
    first = await Runner.run(agent, "I moved to Lisbon in May 2024.", session=session, run_config=quiet)
    assert first.final_output == "Answer 1."
    await Runner.run(agent, "Where does Maya live?", session=session, run_config=quiet)
    instructions, history = model.seen[-1]
    assert instructions is not None
    assert instructions.startswith("Be brief.\n\n")
    assert "Lisbon" in instructions
    assert [item["content"] if item["role"] == "user" else item["content"][0]["text"] for item in history] == [
        "I moved to Lisbon in May 2024.",
        "Answer 1.",
        "Where does Maya live?",
    ]
    assert len(await session.get_items()) == 4


def test_it_opens_and_closes_a_file_of_its_own(tmp_path: Path) -> None:
    session = TkgmemSession("s1", tmp_path / "me.db", extract=False)
    asyncio.run(session.clear_session())
    session.close()
    assert not (tmp_path / "me.db-wal").exists()
