"""`tkgmem mcp --http`: the same session over streamable HTTP on loopback, and what other sites may not do."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client

from tests.mcp_session import INITIALIZE, environment
from tests.test_mcp_stdio import USUAL, ask_the_worked_example, quick, said, tell_the_worked_example


@pytest.fixture
def address(path: Path) -> Iterator[str]:
    """A running server's address, on a port of its own."""
    process = subprocess.Popen(
        [*quick(), "--db", str(path), "mcp", "--http", "--port", "0"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment(),
    )  # fmt: skip
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        found = re.search(r"at (http://127\.0\.0\.1:\d+/mcp)", line)
        assert found is not None, line + process.stderr.read()
        yield found[1]
        process.terminate()
        assert process.wait(20) == 0, process.stderr.read()
        assert [file.name for file in path.parent.iterdir()] in ([path.name], [])
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def post(address: str, message: Any, **headers: str) -> tuple[int, bytes]:
    """One request as a program without the library would send it."""
    host = address.removeprefix("http://").removesuffix("/mcp")
    connection = http.client.HTTPConnection(host, timeout=30)
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    usual = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    connection.request("POST", "/mcp", body, {**usual, **headers})
    response = connection.getresponse()
    try:
        return response.status, response.read()
    finally:
        connection.close()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_worked_example_with_the_librarys_own_client(address: str, mode: Any) -> None:
    async def talk() -> None:
        async with Client(address, mode=mode) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == USUAL
            between = await tell_the_worked_example(client)
            await ask_the_worked_example(client, between)
            assert (await said(client, "remember", text="x" * 1_000_000))["state"] == "done"
            wrong = await client.call_tool("remember", {"txt": "x"})
            assert wrong.is_error

    asyncio.run(talk())


def test_only_this_machine_may_ask(address: str) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}
    assert post(address, message)[0] == 200
    assert post(address, message, Host="evil.example")[0] == 421
    assert post(address, message, Origin="https://evil.example")[0] == 403
    assert post(address, message, Origin="http://localhost:3000")[0] == 200
    assert post(address, b"\xff\xfe")[0] == 400
    assert post(address, b"{")[0] == 400
    assert post(address, message)[0] == 200


def test_a_port_that_is_taken_is_a_clear_error(address: str, path: Path) -> None:
    port = address.removesuffix("/mcp").rpartition(":")[2]
    done = subprocess.run(
        [*quick(), "--db", str(path), "mcp", "--http", "--port", port], capture_output=True, text=True, env=environment(),
        check=False,
    )  # fmt: skip
    assert done.returncode == 4
    assert port in done.stderr
    assert "in use" in done.stderr
