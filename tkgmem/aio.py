"""The memory for asyncio programs: the same verbs, each done by a thread while the event loop goes on.

The methods are made from Memory's own, so that there is one of each. A call that is cancelled before its thread takes it up is
not done at all; one that has begun is done to its end, and its outcome dropped: the file never holds half of it.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import functools
import inspect
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tkgmem.memory import Memory

THREADS = 8
"""Calls of one memory that are worked on at a time; what waits for a language model does not hold up what reads."""


class AsyncMemory:
    """A Memory whose verbs are awaited; the arguments are Memory's. The file is opened by `async with`, or by the first call.

    Calls that are awaited one after the other are done in that order; of calls that run together any may be first. `progress`
    functions are called in the event loop. llm, embedder, reranker and clock are called in threads.

        async with AsyncMemory("me.db") as memory:
            await memory.add("Maya moved to Lisbon in May 2024.")
            result = await memory.search("Where does Maya live?")

    Raises what Memory raises, when the file is opened.
    """

    def __init__(self, path: str | Path, **options: Any) -> None:
        inspect.signature(Memory).bind(path, **options)  # a wrong argument is an error here and now
        self._path = path
        self._open = functools.partial(Memory, path, **options)
        self._opening = threading.Lock()
        self._memory: Memory | None = None
        self._closed = False
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="tkgmem")

    async def __aenter__(self) -> Self:
        try:
            await self._run(lambda _: None)
        except BaseException:  # cancelled too: what is opened meanwhile is closed
            await self.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the file, once every call that was made before, and not cancelled, is done. Calling it again does nothing."""
        self._closed = True
        await asyncio.shield(asyncio.get_running_loop().run_in_executor(None, self._end))

    def _end(self) -> None:
        self._threads.shutdown(wait=True)
        if self._memory is not None:
            self._memory.close()

    def _opened(self) -> Memory:
        with self._opening:
            if self._memory is None:
                self._memory = self._open()
            return self._memory

    async def _run(self, work: Callable[[Memory], Any]) -> Any:
        if self._closed:
            from tkgmem.errors import StoreError

            raise StoreError(f"the memory {self._path} is closed; open it again with AsyncMemory({str(self._path)!r})")
        context = contextvars.copy_context()
        doing = functools.partial(context.run, lambda: work(self._opened()))
        return await asyncio.get_running_loop().run_in_executor(self._threads, doing)


def _awaited(name: str, method: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
    """The method of a Memory, to be awaited."""

    @functools.wraps(method)
    async def call(self: AsyncMemory, /, *args: Any, **given: Any) -> Any:
        if given.get("progress") is not None:
            given["progress"] = _in_loop(given["progress"])
        return await self._run(lambda memory: getattr(memory, name)(*args, **given))

    return call


def _in_loop(progress: Callable[..., object]) -> Callable[..., None]:
    """A function for other threads that calls this one in the event loop."""
    loop = asyncio.get_running_loop()

    def told(*args: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens
            loop.call_soon_threadsafe(progress, *args)

    return told


for _name, _method in inspect.getmembers(Memory, inspect.isfunction):
    if not _name.startswith("_") and _name != "close":
        setattr(AsyncMemory, _name, _awaited(_name, _method))
