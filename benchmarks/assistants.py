"""How long an assistant waits: the MCP server from its start to its first answers, calls on a warm one, and the hooks.

Each start is a process of its own; the memory has 1,000 facts, and the model that ships. Times are wall clock, in milliseconds.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

from benchmarks.numbers import spread
from tkgmem import Memory
from tkgmem.protocols import Embedder
from tkgmem.providers.onnx import OnnxEmbedder
from tkgmem.search.context import tokens

_ROOT = Path(__file__).parent.parent
_COMMAND = [sys.executable, "-m", "tkgmem.cli"]
_INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"roots": {"listChanged": True}},
    "clientInfo": {"name": "benchmark", "version": "1"},
}
_CITIES = ("Lisbon", "Porto", "Faro", "Braga", "Evora", "Aveiro", "Sintra", "Lagos")


def run(data: Path | None, quick: bool, *, embedder: Embedder | None = None) -> dict[str, Any]:
    """Measure in an empty folder; no data is needed."""
    del data
    starts, calls = (2, 3) if quick else (9, 30)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "me.db"
        facts = _told(path, 20 if quick else 1_000, OnnxEmbedder() if embedder is None else embedder)
        environment = {**os.environ, "PYTHONPATH": str(_ROOT), "XDG_DATA_HOME": folder}
        samples: dict[str, list[float]] = {}
        for _ in range(starts):
            for what, spent in _start(path, environment).items():
                samples.setdefault(what, []).append(spent)
        for how in ("hook_context_alone", "hook_exchange_alone"):
            samples[how] = [_hook(path, environment, how) for _ in range(starts)]
        with _Session(path, environment) as session:
            listed = session.ask("tools/list")["tools"]
            samples |= _warm(session, calls)
            for how in ("hook_context_served", "hook_exchange_served"):
                samples[how] = [_hook(path, environment, how) for _ in range(starts)]
    text = json.dumps(listed, separators=(",", ":"), ensure_ascii=False)
    return {
        "settings": {"facts": facts, "starts": starts, "calls": calls},
        "summary": {
            "ms": {what: spread(values) for what, values in samples.items()},
            "tools": {"count": len(listed), "characters": len(text), "tokens_at_most": tokens.count(text)},
        },
        "samples": samples,
    }


def _told(path: Path, count: int, embedder: Embedder) -> int:
    """A memory with so many facts."""
    texts = [
        {
            "content": f"Person{number} moved to {_CITIES[number % len(_CITIES)]} in {2000 + number % 24}.",
            "name": f"talk {number // 20}",
        }
        for number in range(count)
    ]
    with Memory(path, embedder=embedder) as memory:
        memory.add_many(texts)
        return memory.stats().facts


def _start(path: Path, environment: Mapping[str, str]) -> dict[str, float]:
    """From the start of a process to its answers, one after the other."""
    begun = time.perf_counter()
    with _Session(path, environment) as session:
        found = {"initialize_cold": session.opened - begun}
        session.ask("tools/list")
        found["tools_list_cold"] = time.perf_counter() - begun
        session.call("recall", query="Where does Person7 live?")
        found["first_recall_cold"] = time.perf_counter() - begun
    return {what: round(1_000 * spent, 1) for what, spent in found.items()}


def _warm(session: _Session, calls: int) -> dict[str, list[float]]:
    session.call("recall", query="Where does Person1 live?")

    def timed(work: Callable[[int], object]) -> list[float]:
        spent = []
        for number in range(calls):
            begun = time.perf_counter()
            work(number)
            spent.append(round(1_000 * (time.perf_counter() - begun), 1))
        return spent

    fact = {"source": "Maya", "relation": "VISITED", "target": "Lisbon", "valid_at": "2025"}
    return {
        "recall": timed(lambda number: session.call("recall", query=f"Where does Person{number} live?")),
        "search_facts": timed(lambda number: session.call("search_facts", query=f"who moved to {_CITIES[number % 8]}")),
        "remember": timed(lambda number: session.call("remember", text=f"Maya visited Lisbon {number} times in 2025.")),
        "remember_given": timed(lambda number: session.call("remember", text=f"Maya visited, {number}.", facts=[fact])),
    }


def _hook(path: Path, environment: Mapping[str, str], how: str) -> float:
    """One hook as a process, from its start to its end."""
    what = "context" if "context" in how else "exchange"
    event = {"session_id": "s", "prompt": f"Where does Person7 live? {how}", "response": "In Lisbon."}
    begun = time.perf_counter()
    subprocess.run(
        [*_COMMAND, "--db", str(path), "hook", what, *(["--later"] if what == "exchange" else [])],
        input=json.dumps(event).encode(), env=environment, stdout=subprocess.DEVNULL, check=True,
    )  # fmt: skip
    return round(1_000 * (time.perf_counter() - begun), 1)


class _Session:
    """A server over standard input and output. opened: when `initialize` was answered."""

    def __init__(self, path: Path, environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [*_COMMAND, "--db", str(path), "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(environment)
        )
        self._last = 0
        self.ask("initialize", _INITIALIZE)
        self.opened = time.perf_counter()
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        self._last += 1
        self._send({"jsonrpc": "2.0", "id": self._last, "method": method, **({} if params is None else {"params": params})})
        assert self._process.stdout is not None
        while (answer := json.loads(self._process.stdout.readline())).get("id") != self._last:
            pass
        result: dict[str, Any] = answer["result"]
        return result

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        assert not result.get("isError"), result
        return result

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()
