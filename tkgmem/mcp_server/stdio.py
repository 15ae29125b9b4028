"""A session over standard input and output: the first request is answered at once, the rest by the MCP library.

A line that is no message is answered with an error, under its own id where that can be read, and does nothing else.
"""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Self

from tkgmem.mcp_server.opening import Identity
from tkgmem.mcp_server.wire import TooLong, Wire

if TYPE_CHECKING:
    import asyncio

    from mcp.server.lowlevel import Server

_PARSE_ERROR, _INVALID_REQUEST = -32700, -32600


def serve(identity: Identity, load: Callable[[], Server[Any]]) -> None:
    """Serve the one client at standard input until it closes that, or until SIGTERM. load: makes the server, meanwhile."""
    wire = Wire.claim()
    loading = _begun(load)
    opening, answered = _opened(wire, identity)
    server = loading.result()

    import anyio
    from mcp.server.stdio import stdio_server

    async def session() -> None:
        incoming = Incoming(wire, opening)
        signal.signal(signal.SIGTERM, lambda *_: incoming.end())
        outgoing = Outgoing(wire, answered)
        async with stdio_server(incoming, outgoing) as (read, write):  # type: ignore[arg-type]  # what it uses of a file
            await server.run(read, write, server.create_initialization_options())

    anyio.run(session)


def _begun(load: Callable[[], Server[Any]]) -> Future[Server[Any]]:
    """What a thread of its own makes; one that dies with the process."""
    made: Future[Server[Any]] = Future()

    def run() -> None:
        try:
            made.set_result(load())
        except BaseException as error:
            made.set_exception(error)

    threading.Thread(target=run, name="tkgmem load", daemon=True).start()
    return made


def _opened(wire: Wire, identity: Identity) -> tuple[bytes | None, Any]:
    """The first line, for the library to take up, and the id of the request in it, if it is answered already."""
    try:
        line = wire.read()
    except TooLong as error:
        wire.write(_failure(None, _INVALID_REQUEST, str(error)))
        return _opened(wire, identity)
    if line is None:
        return None, None
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return line, None
    answer = identity.answer(message)
    if answer is None:
        return line, None
    wire.write(json.dumps(answer, separators=(",", ":")))
    return line, answer["id"]


class Incoming:
    """The lines of a wire as the library reads them, beginning with the one that was read already."""

    def __init__(self, wire: Wire, opening: bytes | None) -> None:
        import asyncio

        self._wire = wire
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._room = threading.Semaphore(16)
        threading.Thread(target=self._read, args=(opening,), name="tkgmem read", daemon=True).start()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        line = await self._lines.get()
        self._room.release()
        if line is None:
            raise StopAsyncIteration
        return line

    def end(self) -> None:
        """As if the client had closed its end. Safe in a signal's handler and in another thread."""
        try:
            self._loop.call_soon_threadsafe(self._lines.put_nowait, None)
        except RuntimeError:  # the session is over
            sys.exit(0)

    def _read(self, line: bytes | None) -> None:
        try:
            while line is not None:
                message = self._checked(line)
                if message is not None:
                    self._room.acquire()
                    self._loop.call_soon_threadsafe(self._lines.put_nowait, message)
                line = self._next()
            self._loop.call_soon_threadsafe(self._lines.put_nowait, None)
        except (OSError, RuntimeError):  # nobody is there: the client went, or the session is over
            return

    def _next(self) -> bytes | None:
        while True:
            try:
                return self._wire.read()
            except TooLong as error:
                self._wire.write(_failure(None, _INVALID_REQUEST, str(error)))

    def _checked(self, line: bytes) -> str | None:
        """The line, if it is a message; otherwise its sender is told, and None."""
        import mcp_types

        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            self._wire.write(_failure(_id_in(line), _PARSE_ERROR, f"not UTF-8: byte {error.start} of the message"))
            return None
        try:
            mcp_types.jsonrpc_message_adapter.validate_json(text, by_name=False)
        except ValueError:
            code, fault = _fault(text)
            self._wire.write(_failure(_id_in(line), code, fault))
            return None
        return text


class Outgoing:
    """A wire as the library writes to it. answered: the id of the request that was answered already, None for none."""

    def __init__(self, wire: Wire, answered: Any) -> None:
        self._wire, self._answered = wire, answered

    async def write(self, line: str) -> None:
        """Send a line, unless it is the second answer to the first request."""
        import anyio.to_thread

        if self._answered is not None and _answers(line, self._answered):
            self._answered = None
            return
        await anyio.to_thread.run_sync(self._wire.write, line.rstrip("\n"))

    async def flush(self) -> None:
        """Nothing waits here."""


def _answers(line: str, id_: Any) -> bool:
    message = json.loads(line)
    return "method" not in message and message.get("id") == id_ and type(message.get("id")) is type(id_)


def _fault(text: str) -> tuple[int, str]:
    """What is wrong with a line that the library cannot read."""
    try:
        message = json.loads(text)
        json.dumps(message, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return _PARSE_ERROR, "half of a surrogate pair is no character: \\ud800 to \\udfff stand in pairs"
    except (ValueError, RecursionError) as error:
        return _PARSE_ERROR, f"not JSON: {error}"
    return _INVALID_REQUEST, "not a JSON-RPC 2.0 request, notification or response"


def _id_in(line: bytes) -> Any:
    """The id that a broken message has, None where there is none to be read."""
    try:
        message = json.loads(line.decode(errors="replace"))
    except (ValueError, RecursionError):
        return None
    found = message.get("id") if isinstance(message, dict) else None
    return found if isinstance(found, int | str) and not isinstance(found, bool) and "\ufffd" not in str(found) else None


def _failure(id_: Any, code: int, message: str) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": id_, "error": {"code": code, "message": message}})
