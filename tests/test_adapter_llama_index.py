"""The memory block for LlamaIndex: its real `Memory` hands over what falls out, and puts what is known before the model."""

from __future__ import annotations

import datetime as dt
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.memory import Memory as ShortTerm
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import StaticPool

from tkgmem import Memory
from tkgmem.adapters.llama_index import TkgmemMemoryBlock
from tkgmem.testing import FixedClock, HashEmbedder


def said(text: str, role: MessageRole = MessageRole.USER) -> ChatMessage:
    return ChatMessage(role=role, content=text)


@pytest.fixture
def memory() -> Iterator[Memory]:
    clock = FixedClock(dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC), dt.timedelta(seconds=1))
    with Memory(":memory:", embedder=HashEmbedder(64), clock=clock) as opened:
        yield opened


@asynccontextmanager
async def talking(**more: Any) -> AsyncIterator[ShortTerm]:
    """LlamaIndex's own memory, on an engine that is closed in the end."""
    engine = create_async_engine("sqlite+aiosqlite:///:memory:", poolclass=StaticPool)
    try:
        yield ShortTerm.from_defaults(session_id="talk", async_engine=engine, **more)
    finally:
        await engine.dispose()


def words(messages: list[ChatMessage]) -> str:
    return "\n".join(message.content or "" for message in messages)


async def test_what_falls_out_of_the_short_term_memory_is_remembered(memory: Memory) -> None:
    block = TkgmemMemoryBlock(memory=memory, user="Maya")
    async with talking(token_limit=60, chat_history_token_ratio=0.7, token_flush_size=10, memory_blocks=[block]) as talk:
        await talk.aput(said("I moved to Lisbon in May 2024."))
        await talk.aput(said("I moved to Mars in May 2024.", MessageRole.ASSISTANT))
        for number in range(12):
            await talk.aput(said(f"And one more thing, number {number}, of no weight at all."))
        history = await talk.aget(input="Where does Maya live? Lisbon?")
    assert [fact.target.name for fact in memory.entity("Maya").facts] == ["Lisbon"]
    earliest = memory.episodes(limit=100)[-1]
    assert (earliest.speaker, earliest.name) == ("Maya", "talk")
    assert any(one.speaker == "Assistant" for one in memory.episodes(limit=100))
    assert "Lisbon" not in words([message for message in history if message.role == MessageRole.ASSISTANT])


async def test_what_is_known_is_put_before_the_model(memory: Memory) -> None:
    memory.add("Maya moved to Lisbon in May 2024.")
    async with talking(memory_blocks=[TkgmemMemoryBlock(memory=memory)]) as talk:
        await talk.aput(said("Where does Maya live?"))
        told = words(await talk.aget())
    assert "<tkgmem>" in told
    assert "Maya moved to Lisbon in May 2024 (since May 2024)" in told


async def test_without_a_question_there_is_nothing(memory: Memory) -> None:
    memory.add("Maya moved to Lisbon in May 2024.")
    block = TkgmemMemoryBlock(memory=memory)
    assert await block.aget([]) == ""
    assert await block.aget([said("Hello!", MessageRole.ASSISTANT)]) == ""
    await block.aput([said(""), said("a tool speaks", MessageRole.TOOL)])
    assert len(memory.episodes()) == 1


async def test_it_is_cut_by_lines(memory: Memory) -> None:
    for number in range(20):
        memory.add(f"Maya visited Place{number} in 2024.")
    block = TkgmemMemoryBlock(memory=memory)
    whole = await block.aget([said("Which places did Maya visit?")])
    cut = await block.atruncate(whole, 50)
    assert cut is not None
    assert whole.startswith(cut)
    assert whole[len(cut)] == "\n"
    assert await block.atruncate(whole, 100_000) is None
