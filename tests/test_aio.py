"""AsyncMemory: Memory's own verbs in threads, equal to them by construction; cancelling leaves the file whole."""

from __future__ import annotations

import asyncio
import datetime as dt
import inspect
import threading
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.aio_stub import STUB, written
from tkgmem import AsyncMemory, Memory, NotFound, StoreError
from tkgmem.testing import FixedClock, HashEmbedder

TEXT = "Maya moved to Lisbon in May 2024."
VERBS = [name for name, _ in inspect.getmembers(Memory, inspect.isfunction) if not name.startswith("_")]


class Slow(HashEmbedder):
    """One that waits until it may; `begun` tells that it was asked."""

    def __init__(self) -> None:
        super().__init__(64)
        self.begun, self.may = threading.Event(), threading.Event()

    def embed_passages(self, texts: Sequence[str]) -> Any:
        self.begun.set()
        assert self.may.wait(20)
        return super().embed_passages(texts)


def run(path: Path | str, talk: Callable[[AsyncMemory], Coroutine[Any, Any, Any]], **options: Any) -> Any:
    async def session() -> Any:
        async with AsyncMemory(path, **{"embedder": HashEmbedder(64), **options}) as memory:
            return await talk(memory)

    return asyncio.run(session())


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_is_there_as_it_is(verb: str) -> None:
    own, other = getattr(Memory, verb), getattr(AsyncMemory, verb)
    assert inspect.iscoroutinefunction(other)
    assert inspect.signature(own) == inspect.signature(other)
    assert other.__doc__ == own.__doc__ or verb == "close"


def test_its_types_are_those_of_the_verbs() -> None:
    assert STUB.read_text(encoding="utf-8") == written(), "run: python -m tests.aio_stub"


def test_it_does_what_memory_does(path: Path) -> None:
    async def talk(memory: AsyncMemory) -> None:
        told = await memory.add(TEXT)
        assert [fact.target.name for fact in told.facts] == ["Lisbon"]
        assert (await memory.search("Lisbon")).facts[0].item.uuid == told.facts[0].uuid
        assert "Lisbon" in await memory.context("Where does Maya live?")
        with pytest.raises(NotFound, match="nobody"):
            await memory.entity("nobody")
        with pytest.raises(TypeError, match="txt"):
            await memory.add(txt="x")  # type: ignore[call-arg]

    run(path, talk)
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    run(path, lambda memory: memory.stats())


def test_many_at_once(path: Path) -> None:
    async def talk(memory: AsyncMemory) -> None:
        await asyncio.gather(*(memory.add(f"Person {number} moved to Lisbon in 2024.") for number in range(20)))
        assert (await memory.stats()).episodes == 20

    async def both() -> None:
        one, other = (AsyncMemory(path, embedder=HashEmbedder(64)) for _ in range(2))
        async with one, other:
            await asyncio.gather(*(memory.add(f"{n} is here", name=str(n)) for n, memory in enumerate([one, other] * 10)))
            assert (await one.stats()).episodes == (await other.stats()).episodes == 40

    run(path, talk)
    asyncio.run(both())


def test_a_slow_model_holds_up_nobody_who_reads(path: Path) -> None:
    embedder = Slow()

    async def talk(memory: AsyncMemory) -> None:
        telling = asyncio.create_task(memory.add(TEXT))
        await asyncio.to_thread(embedder.begun.wait, 20)
        assert (await memory.stats()).pending == 1
        embedder.may.set()
        assert (await telling).episode.state == "done"

    run(path, talk, embedder=embedder)


def test_a_cancelled_call_leaves_the_file_whole(path: Path) -> None:
    embedder = Slow()

    async def talk(memory: AsyncMemory) -> None:
        telling = asyncio.create_task(memory.add(TEXT))
        await asyncio.to_thread(embedder.begun.wait, 20)
        telling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await telling
        embedder.may.set()
        await memory.add("Ben likes tea.")

    run(path, talk, embedder=embedder)
    with Memory(path, embedder=HashEmbedder(64)) as memory:
        assert sorted((episode.content, episode.state) for episode in memory.episodes()) == [
            ("Ben likes tea.", "done"),
            (TEXT, "done"),  # it had begun, so it was done to its end
        ]
        assert memory.doctor().ok


def test_a_call_that_is_cancelled_before_it_begins_is_not_done(path: Path) -> None:
    embedder = Slow()

    async def talk(memory: AsyncMemory) -> None:
        busy = [asyncio.create_task(memory.add(f"Text {number}.")) for number in range(8)]
        await asyncio.to_thread(embedder.begun.wait, 20)
        late = asyncio.create_task(memory.add("Never."))
        await asyncio.sleep(0)
        late.cancel()
        embedder.may.set()
        await asyncio.gather(*busy)

    run(path, talk, embedder=embedder)
    with Memory(path, embedder=HashEmbedder(64)) as memory:
        assert {episode.content for episode in memory.episodes()} == {f"Text {number}." for number in range(8)}


def test_closing_waits_for_every_call_that_was_made(path: Path) -> None:
    embedder = Slow()

    async def session() -> None:
        memory = AsyncMemory(path, embedder=embedder)
        telling = [asyncio.create_task(memory.add(f"Text {number}.")) for number in range(20)]
        await asyncio.to_thread(embedder.begun.wait, 20)
        closing = asyncio.create_task(memory.close())
        await asyncio.sleep(0)
        closing.cancel()  # whoever waits may leave; it is closed all the same
        embedder.may.set()
        assert len({result.episode.uuid for result in await asyncio.gather(*telling)}) == 20
        await memory.close()
        assert [file.name for file in path.parent.iterdir()] == [path.name]

    asyncio.run(session())


def test_opening_that_is_cancelled_leaves_nothing_open(path: Path) -> None:
    class SlowToName(HashEmbedder):
        begun, may = threading.Event(), threading.Event()

        @property
        def name(self) -> str:
            self.begun.set()
            assert self.may.wait(20)
            return "slow"

    with Memory(path, embedder=HashEmbedder(64)) as memory:
        memory.add(TEXT)

    async def session() -> None:
        opening = asyncio.create_task(AsyncMemory(path, embedder=SlowToName(64)).__aenter__())
        await asyncio.to_thread(SlowToName.begun.wait, 20)
        opening.cancel()
        await asyncio.sleep(0)
        SlowToName.may.set()
        with pytest.raises(asyncio.CancelledError):
            await opening
        assert [file.name for file in path.parent.iterdir()] == [path.name]

    asyncio.run(session())


def test_one_memory_in_several_loops(path: Path) -> None:
    memory = AsyncMemory(path, embedder=HashEmbedder(64))
    asyncio.run(memory.add(TEXT))
    assert asyncio.run(memory.stats()).episodes == 1
    asyncio.run(memory.close())


def test_progress_is_told_in_the_event_loop(path: Path) -> None:
    told: list[tuple[int, int, bool]] = []
    here = threading.get_ident()

    async def talk(memory: AsyncMemory) -> None:
        await memory.add_many(
            [{"content": f"Text {number}."} for number in range(3)],
            progress=lambda done, total: told.append((done, total, threading.get_ident() == here)),
        )
        await asyncio.sleep(0)

    run(path, talk)
    assert told == [(3, 3, True)]


def test_after_closing_it_says_so(path: Path) -> None:
    async def session() -> None:
        memory = AsyncMemory(path, embedder=HashEmbedder(64), clock=FixedClock(dt.datetime(2026, 1, 1, tzinfo=dt.UTC)))
        await memory.add(TEXT)
        await memory.close()
        await memory.close()
        with pytest.raises(StoreError, match="closed; open it again with AsyncMemory"):
            await memory.stats()

    asyncio.run(session())


def test_wrong_options_are_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="modell"):
        AsyncMemory(tmp_path / "me.db", modell="x")  # type: ignore[call-arg]
    other = tmp_path / "other.db"
    other.write_bytes(b"no memory at all")
    with pytest.raises(StoreError, match=r"other\.db"):
        run(other, lambda memory: memory.stats())
