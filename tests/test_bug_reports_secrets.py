"""Faults that users of comparable programs reported about keys that leak, and programs that call home (T15, T18)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.loopback import Loopback, Reply
from tests.mcp_session import ROOT, environment, server
from tests.test_mcp_stdio import quick
from tkgmem import Memory
from tkgmem.testing import HashEmbedder

KEY = "sk-TEST-0123456789abcdef0123456789abcdef"
ECHO = {
    "error": {
        "message": f"Incorrect API key provided: {KEY}. See https://x.test/v1?key={KEY}&x=1",
        "headers": {"Authorization": f"Bearer {KEY}", "x-api-key": KEY},
    }
}


def settings(url: str, **more: str) -> dict[str, str]:
    """The environment of a user who has a key, with everything turned on that tells more."""
    return environment(
        OPENAI_API_KEY=KEY,
        OPENAI_API_BASE=url,
        TKGMEM_MODEL="openai/loopback",
        TKGMEM_LOG_LEVEL="debug",
        LITELLM_LOG="DEBUG",
        **more,
    )


def leaks(text: str | bytes) -> bool:
    """Whether a text has more of the key than its first four characters."""
    data = text.encode() if isinstance(text, str) else text
    return any(part.encode() in data for part in (KEY, KEY[:10], KEY[-10:], KEY[8:20]))


def test_a_key_is_in_no_answer_of_the_server_nor_in_its_log_nor_in_the_file(path: Path) -> None:
    """T15-01, T18-01, T18-03"""
    with Loopback(lambda _: Reply(401, ECHO, {"x-echo": f"Bearer {KEY}"})) as loopback:
        given = settings(loopback.url)
        with server("--db", str(path), "mcp", command=quick(), **given) as session:
            kept = session.call("remember", text="They know one another.")
            assert kept["structuredContent"]["state"] == "failed"
            status = session.call("status")
            assert (status["structuredContent"]["failed"], "AuthenticationError" in json.dumps(status)) == (1, True)
            log = session.close()
        assert loopback.calls
        assert loopback.calls[0].headers["authorization"] == f"Bearer {KEY}"
    assert "loopback" in log  # the library did tell what it does
    assert not leaks(b"".join(session.lines))
    assert not leaks(log)
    assert not leaks(path.read_bytes())


@pytest.mark.parametrize("verb", [["add", "They know one another."], ["extract"], ["episodes", "--json"], ["stats", "--json"]])
def test_a_key_is_in_nothing_that_the_command_line_says(path: Path, verb: list[str]) -> None:
    """T18-01, T18-03"""
    with Memory(path, embedder=HashEmbedder(64)) as memory:
        memory.add("They know one another.", extract="later")
    with Loopback(lambda _: Reply(401, ECHO)) as loopback:
        done = subprocess.run(
            [*quick(), "--db", str(path), *verb], env=settings(loopback.url), capture_output=True, check=False, cwd=path.parent
        )
    assert done.returncode in {0, 1, 3}
    assert not leaks(done.stdout + done.stderr)
    assert not leaks(path.read_bytes())


OFFLINE = """
import socket, sys
asked = []
def refuse(name):
    def call(*args, **more):
        asked.append((name, args))
        raise OSError(f"{name} is not allowed")
    return call
for name in ("connect", "connect_ex", "sendto"):
    setattr(socket.socket, name, refuse(name))
for name in ("getaddrinfo", "gethostbyname", "create_connection"):
    setattr(socket, name, refuse(name))
import tkgmem
with tkgmem.Memory(sys.argv[1]) as memory:
    memory.add("Maya moved to Lisbon in May 2024.")
    assert memory.search("Where does Maya live?").facts
    assert "Lisbon" in memory.context("Where does Maya live?")
    memory.export(sys.argv[1] + ".jsonl")
from tkgmem.cli import main
for verb in (["search", "Lisbon"], ["stats"], ["add", "Ben likes tea."], ["doctor"], ["--help"]):
    main(["--db", sys.argv[1], *verb], standalone_mode=False)
assert not asked, asked
print("nobody was called")
"""


def test_nobody_is_called_without_a_model(path: Path) -> None:
    """T18-02"""
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE, str(path)], env=environment(), capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("nobody was called\n")


def test_the_server_calls_nobody_either(path: Path) -> None:
    """T18-02"""
    blocked = "import socket\n"
    blocked += "def refuse(*_, **__): raise SystemExit('something connects')\n"
    blocked += "socket.socket.connect = socket.getaddrinfo = refuse"
    with server("--db", str(path), "mcp", command=quick(blocked)) as session:
        assert session.call("remember", text="Maya moved to Lisbon in May 2024.")["structuredContent"]["state"] == "done"
        assert session.call("recall", query="Where does Maya live?")["structuredContent"]["found"] is True
        assert "something connects" not in session.close()
