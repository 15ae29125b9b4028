"""A session with the server's real command, line by line, for what the library's own client cannot say."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
COMMAND = [sys.executable, "-m", "tkgmem.cli"]
INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"roots": {"listChanged": True}, "sampling": {}},
    "clientInfo": {"name": "test", "version": "1"},
}


_DATA = tempfile.TemporaryDirectory(prefix="tkgmem-tests-")


def environment(**more: str) -> dict[str, str]:
    """What a server is started with: nothing of this process's own settings, and no place of the user's."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TKGMEM_")}
    return {**kept, "PYTHONPATH": str(ROOT), "XDG_DATA_HOME": _DATA.name, **more}


class Raw:
    """One server over pipes. Everything that it wrote to standard output is in `lines`."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.lines: list[bytes] = []
        self._last = 0

    def send(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        """The next line, which must be a JSON-RPC message."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the server has ended"
        self.lines.append(line)
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        return message

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Send a request; its response, whatever came before it."""
        self._last += 1
        message = {"jsonrpc": "2.0", "id": self._last, "method": method, **({} if params is None else {"params": params})}
        self.send(json.dumps(message).encode())
        while (answer := self.read()).get("id") != self._last:
            pass
        return answer

    def initialize(self) -> dict[str, Any]:
        answer = self.ask("initialize", INITIALIZE)
        self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        return answer

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """The result of a tool."""
        return self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]

    def close(self) -> str:
        """Close its input, wait until it ends, and give what it wrote to standard error."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.process.stdin.close()
        for line in self.process.stdout:
            self.lines.append(line)
            assert json.loads(line)["jsonrpc"] == "2.0"
        said = self.process.stderr.read().decode()
        assert self.process.wait() == 0, said
        return said


@contextmanager
def server(*arguments: str, command: list[str] | None = None, opened: bool = True, **more: str) -> Iterator[Raw]:
    """A running server. opened: the handshake is done already."""
    process = subprocess.Popen(
        [*(command or COMMAND), *arguments],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(**more),
    )  # fmt: skip
    try:
        session = Raw(process)
        if opened:
            session.initialize()
        yield session
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            assert stream is not None
            stream.close()
