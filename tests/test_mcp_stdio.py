"""`tkgmem mcp` over standard input and output, as its real command: with the library's own client, and line by line."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import signal
import sqlite3
import sys
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from tests.mcp_session import COMMAND, INITIALIZE, Raw, environment, server
from tkgmem import Memory
from tkgmem.search.context import tokens
from tkgmem.testing import HashEmbedder

USUAL = ["remember", "recall", "search_facts", "get_entity", "timeline", "why", "retract", "status"]
QUICK = """import sys, tkgmem.memory, tkgmem.testing
tkgmem.memory._shipped_embedder = lambda: tkgmem.testing.HashEmbedder(64)
{more}
from tkgmem.cli import main
main()"""
TOLD = [
    ("2024-03-05", "小李在 A 公司工作", "A 公司", "2024-03-01"),
    ("2026-06-03", "小李跳槽到 B 公司", "B 公司", "2026-06-01"),
    ("2026-07-01", "小李 2022 年在 C 公司实习", "C 公司", "2022-07-01"),
]


def quick(more: str = "") -> list[str]:
    """The command with a double in place of the embedder, where meaning does not matter."""
    return [sys.executable, "-c", QUICK.format(more=more)]


def talk(
    path: Path, session: Callable[[Client], Coroutine[Any, Any, None]], *, mode: Any = "auto", quickly: bool = True
) -> None:
    """A talk between the library's own client and the real command."""

    async def run() -> None:
        command, *arguments = quick() if quickly else COMMAND
        parameters = StdioServerParameters(command=command, args=[*arguments, "--db", str(path), "mcp"], env=environment())
        async with Client(parameters, mode=mode) as client:
            await session(client)

    asyncio.run(run())


async def said(client: Client, tool: str, /, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content[0].text  # type: ignore[union-attr]
    assert result.structured_content is not None
    return result.structured_content


async def tell_the_worked_example(client: Client) -> str:
    """Sentence by sentence, with the facts as a host's model would read them; an instant before the last one."""
    between = ""
    for when, text, target, valid_at in TOLD:
        between = dt.datetime.now(dt.UTC).isoformat()
        fact = {"source": "小李", "relation": "WORKS_AT", "target": target, "valid_at": valid_at}
        kept = await said(client, "remember", text=text, when=when, facts=[fact])
        assert (kept["state"], [one["target"] for one in kept["facts"]]) == ("done", [target])
    return between


async def works_at(client: Client, **clocks: str) -> list[str]:
    found = await said(client, "get_entity", name="小李", **clocks)
    searched = await said(client, "search_facts", query="小李在哪里工作", **clocks)
    targets = [fact["target"] for fact in found["facts"]]
    assert [fact["target"] for fact in searched["facts"]] == targets
    return targets


async def ask_the_worked_example(client: Client, between: str) -> None:
    assert await works_at(client, valid_at="2023-01-01") == ["C 公司"]
    assert await works_at(client, valid_at="2025-01-01") == ["A 公司"]
    assert await works_at(client, valid_at="October 2026") == ["B 公司"]
    assert await works_at(client, valid_at="2023-01-01", known_at=between) == []
    result = await client.call_tool("recall", {"query": "小李在哪里工作？", "valid_at": "2025-01-01"})
    assert "A 公司" in result.content[0].text  # type: ignore[union-attr]
    assert "(what held at 1 January 2025)" in result.content[0].text  # type: ignore[union-attr]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_worked_example_with_the_librarys_own_client(path: Path, mode: str) -> None:
    async def session(client: Client) -> None:
        assert [tool.name for tool in (await client.list_tools()).tools] == USUAL
        between = await tell_the_worked_example(client)
        await ask_the_worked_example(client, between)
        fact = (await said(client, "search_facts", query="小李", valid_at="2025-01-01"))["facts"][0]
        reasons = await client.call_tool("why", {"fact": fact["uuid"]})
        assert "小李在 A 公司工作" in reasons.content[0].text  # type: ignore[union-attr]
        await said(client, "retract", fact=fact["uuid"], reason="a mix-up")
        assert await works_at(client, valid_at="2025-01-01") == ["C 公司"]

    talk(path, session, mode=mode, quickly=False)


def test_sentences_are_read_without_a_model_too(path: Path) -> None:
    async def session(client: Client) -> None:
        await said(client, "remember", text="I work at Contoso since March 2024.", speaker="Maya", when="2024-05-01")
        moved = await said(client, "remember", text="I left Contoso yesterday.", speaker="Maya", when="2026-06-02")
        assert [(fact["target"], fact["period"]) for fact in moved["ended"]] == [
            ("Contoso", "from March 2024 until 1 June 2026")
        ]
        found = await said(client, "timeline", entity="Maya")
        assert [version["period"] for version in found["versions"]] == ["from March 2024 until 1 June 2026"]
        beliefs = await said(client, "timeline", entity="Maya", beliefs=True)
        assert ["believed_until" in version for version in beliefs["versions"]] == [True, False]
        counts = await said(client, "status")
        assert (counts["episodes"], counts["pending"], counts["failed"]) == (2, 0, 0)

    talk(path, session)


def test_the_list_of_tools_is_small_and_says_what_each_does(path: Path) -> None:
    with server("--db", str(path), "mcp", command=quick()) as session:
        listed = session.ask("tools/list")["result"]["tools"]
    assert [tool["name"] for tool in listed] == USUAL
    assert tokens.count(json.dumps(listed, separators=(",", ":"))) < 3_000
    for tool in listed:
        assert tool["outputSchema"]["type"] == "object"
        assert tool["inputSchema"]["additionalProperties"] is False
        assert set(tool["annotations"]) >= {"readOnlyHint", "destructiveHint", "idempotentHint"}
    readers = {tool["name"] for tool in listed if tool["annotations"]["readOnlyHint"]}
    assert readers == {*USUAL} - {"remember", "retract"}


def test_all_tools_and_only_those_that_read(path: Path) -> None:
    Memory(path, embedder=HashEmbedder(64)).close()
    with server("--db", str(path), "mcp", "--tools", "all", command=quick()) as session:
        names = [tool["name"] for tool in session.ask("tools/list")["result"]["tools"]]
        assert names[: len(USUAL)] == USUAL
        assert {"as_of", "forget", "undo", "correct", "add_fact", "end_fact", "diff"} <= {*names}
    before = path.read_bytes()
    with server("--db", str(path), "mcp", "--tools", "all", "--read-only", command=quick()) as session:
        tools = session.ask("tools/list")["result"]["tools"]
        assert all(tool["annotations"]["readOnlyHint"] for tool in tools)
        assert session.ask("tools/call", {"name": "remember", "arguments": {"text": "x"}})["error"]["code"] == -32602
        assert session.call("status")["structuredContent"]["read_only"] is True
        session.close()
    assert path.read_bytes() == before


def test_the_first_answer_is_the_one_that_the_library_would_give(path: Path) -> None:
    """`capabilities.tasks` is something that only the library answers."""
    answers = []
    for more in ({}, {"tasks": {}}):
        with server("--db", str(path), "mcp", opened=False, command=quick()) as session:
            params = {**INITIALIZE, "capabilities": {**INITIALIZE["capabilities"], **more}}
            answers.append(session.ask("initialize", params))
            session.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
            assert "tools" in session.ask("tools/list")["result"]
            session.close()
    assert answers[0] == answers[1]
    envelope = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": INITIALIZE["clientInfo"],
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    with server("--db", str(path), "mcp", opened=False, command=quick()) as session:
        first, second = (session.ask("server/discover", {"_meta": envelope}) for _ in range(2))
        assert first["result"] == second["result"]


def test_other_versions_of_the_protocol_are_agreed_on(path: Path) -> None:
    for asked, agreed in (("2024-11-05", "2024-11-05"), ("1999-01-01", "2025-11-25")):
        with server("--db", str(path), "mcp", opened=False, command=quick()) as session:
            answer = session.ask("initialize", {**INITIALIZE, "protocolVersion": asked})
            assert answer["result"]["protocolVersion"] == agreed


# --- nothing but the protocol on standard output ---

NOISE = """
import os, sys, warnings, logging
class Noisy(tkgmem.testing.HashEmbedder):
    def embed_passages(self, texts):
        print("a library prints"); sys.stdout.flush(); os.write(1, b"C code prints\\n"); os.system("echo a child prints")
        assert sys.stdin.read() == "" and os.read(0, 10) == b""
        warnings.warn("a library warns"); logging.getLogger("x").error("a library logs")
        return super().embed_passages(texts)
tkgmem.memory._shipped_embedder = lambda: Noisy(64)
"""


def test_whatever_prints_standard_output_is_the_protocol(path: Path) -> None:
    """T15-01, T15-02"""
    with server("--db", str(path), "mcp", command=quick(NOISE), LITELLM_LOG="DEBUG") as session:
        assert session.call("remember", text="Maya moved to Lisbon in May 2024.")["structuredContent"]["state"] == "done"
        assert "Lisbon" in session.call("recall", query="Where does Maya live?")["content"][0]["text"]
        assert session.call("recall", query="x", valid_at="when?")["isError"] is True
        noise = session.close()
    for said in ("a library prints", "C code prints", "a child prints", "a library warns", "a library logs"):
        assert said in noise


def test_what_is_no_message_is_answered_and_the_session_goes_on(path: Path) -> None:
    with server("--db", str(path), "mcp", command=quick()) as session:
        for line, code, number in [
            (b"\xff\xfe nothing", -32700, None),
            (
                b'{"jsonrpc":"2.0","id":71,"method":"tools/call","params":{"name":"remember","arguments":{"text":"\xff"}}}',
                -32700,
                71,
            ),
            (
                b'{"jsonrpc":"2.0","id":72,"method":"tools/call","params":{"name":"x","arguments":{"text":"\\ud800"}}}',
                -32700,
                72,
            ),
            (b"{", -32700, None),
            (b"[" * 100_000, -32700, None),
            (b"7", -32600, None),
            (b"[]", -32600, None),
            (b'{"jsonrpc":"1.0","id":"a","method":"ping"}', -32600, "a"),
        ]:
            session.send(b"")
            session.send(line)
            answer = session.read()
            assert (answer["error"]["code"], answer.get("id")) == (code, number)
        assert session.call("status")["structuredContent"]["episodes"] == 0
        assert session.ask("no/such/method")["error"]["code"] == -32601


def test_a_large_message_is_kept_whole(path: Path) -> None:
    text = "Maya moved to Lisbon. " + "x" * 1_000_000 + "é"
    with server("--db", str(path), "mcp", command=quick()) as session:
        assert session.call("remember", text=text)["structuredContent"]["state"] == "done"
        session.close()
    with Memory(path, embedder=HashEmbedder(64), read_only=True) as memory:
        assert memory.episodes()[0].content == text


def test_wrong_arguments_are_named_and_nothing_is_done(path: Path) -> None:
    """T15-04"""
    fact = {"source": "Maya", "relation": "LIVES_IN", "target": "Lisbon"}
    with server("--db", str(path), "mcp", "--tools", "all", command=quick()) as session:
        for name, arguments, told in [
            ("remember", {"txt": "x"}, "'txt'"),
            ("remember", {}, "'text' is missing"),
            ("remember", {"text": 7}, "7"),
            ("remember", {"text": ""}, "content is empty"),
            ("remember", {"text": "x", "facts": [fact, {**fact, "when": "now"}]}, "facts[1]: unknown argument 'when'"),
            ("remember", {"text": "x", "facts": [{**fact, "valid_at": "someday"}]}, "someday"),
            ("remember", {"text": "x", "when": "at dawn of time"}, "when: not a date"),
            ("search_facts", {"query": "x", "limit": 10**9}, "limit"),
            ("search_facts", {"query": "x", "limit": "ten"}, "limit"),
            ("recall", {"query": "x", "max_tokens": 0}, "max_tokens"),
            ("get_entity", {"name": "Nobody"}, "Nobody"),
            ("why", {"fact": "not-a-uuid"}, "not-a-uuid"),
            ("retract", {"fact": "' OR 1=1 --"}, "OR 1=1"),
            ("forget", {}, "episode, fact, entity"),
            ("forget", {"episode": "none"}, "none"),
            ("diff", {"since": "never"}, "since"),
        ]:
            answer = session.call(name, **arguments)
            assert answer["isError"] is True
            assert told in answer["content"][0]["text"]
        assert session.call("status")["structuredContent"]["episodes"] == 0
        made = session.call("add_fact", **fact)
        assert made["structuredContent"]["facts"][0]["target"] == "Lisbon"
        for name in ("Maya", "Lisbon"):  # both ends are made, and each leads to the fact
            assert len(session.call("get_entity", name=name)["structuredContent"]["facts"]) == 1


def test_a_server_cannot_leave_its_group(path: Path) -> None:
    with Memory(path, embedder=HashEmbedder(64), group="theirs") as memory:
        fact = memory.add_fact("Maya", "LIVES_IN", "Lisbon")
        episode = memory.add("Maya moved to Lisbon.").episode
    with server("--db", str(path), "mcp", "--tools", "all", command=quick()) as session:
        for name, arguments in [
            ("why", {"fact": fact.uuid}),
            ("retract", {"fact": fact.uuid}),
            ("correct", {"fact": fact.uuid, "target": "Porto"}),
            ("forget", {"fact": fact.uuid}),
            ("forget", {"episode": episode.uuid}),
            ("forget", {"entity": fact.source.uuid}),
            ("undo", {"episode": episode.uuid}),
            ("timeline", {"entity": fact.source.uuid}),
            ("timeline", {"entity": fact.uuid, "beliefs": True}),
            ("get_entity", {"name": fact.source.uuid}),
        ]:
            assert session.call(name, **arguments).get("isError") is True, name
        assert session.call("episodes", uuid=episode.uuid)["structuredContent"]["episodes"] == []
        assert session.call("search_facts", query="Maya Lisbon")["structuredContent"]["facts"] == []
    with Memory(path, embedder=HashEmbedder(64), group="theirs") as memory:
        assert len(memory.as_of(dt.datetime.now(dt.UTC))) == 1


# --- nothing is lost ---


def remembered(path: Path, who: str, count: int) -> None:
    with server("--db", str(path), "mcp", command=quick()) as session:
        for number in range(count):
            kept = session.call("remember", text=f"{who} moved to Place {number} of {who} in 2024.")
            assert kept["structuredContent"]["state"] == "done"
        session.close()


def test_two_servers_write_to_one_file_at_once(path: Path) -> None:
    threads = [threading.Thread(target=remembered, args=(path, who, 20)) for who in ("Ana", "Ben")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT count(*), count(DISTINCT content) FROM episodes WHERE state = 'done'").fetchone() == (40, 40)
    db.close()
    assert sorted(file.name for file in path.parent.iterdir()) == [path.name]


def test_what_was_acknowledged_is_there_after_a_kill(path: Path) -> None:
    acknowledged = []
    with server("--db", str(path), "mcp", command=quick()) as session:
        for number in range(200):
            arguments = {"name": "remember", "arguments": {"text": f"Fact number {number}."}}
            request = {"jsonrpc": "2.0", "id": f"r{number}", "method": "tools/call", "params": arguments}
            session.send(json.dumps(request).encode())
        while len(acknowledged) < 10:
            answer = session.read()
            acknowledged.append(answer["result"]["structuredContent"]["episode"])
        session.process.send_signal(signal.SIGKILL)
        session.process.wait()
        assert session.process.stdout is not None
        whole = [line for line in session.process.stdout if line.endswith(b"\n")]
        acknowledged += [json.loads(line)["result"]["structuredContent"]["episode"] for line in whole]
    with Memory(path, embedder=HashEmbedder(64)) as memory:
        there = {episode.uuid for episode in memory.episodes(limit=1_000)}
        assert {*acknowledged} <= there
        memory.extract()
        assert memory.stats().pending == 0
        assert memory.doctor().ok


def test_a_server_that_is_asked_to_end_leaves_one_file(path: Path) -> None:
    with server("--db", str(path), "mcp", command=quick()) as session:
        session.call("remember", text="Maya moved to Lisbon in May 2024.")
        session.process.send_signal(signal.SIGTERM)
        assert session.process.wait(20) == 0
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_without_the_library_the_install_line_is_named(path: Path) -> None:
    hidden = "import importlib.util\nreal = importlib.util.find_spec\n"
    hidden += "importlib.util.find_spec = lambda name, *more: None if name == 'mcp' else real(name, *more)"
    with server("--db", str(path), "mcp", command=quick(hidden), opened=False) as session:
        assert session.process.wait() == 4
        assert session.process.stderr is not None
        assert b"pip install 'tkgmem[mcp]'" in session.process.stderr.read()


def test_a_file_that_is_no_memory_is_an_error_of_the_call(tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    other.write_bytes(b"SQLite format 3\0 but no more than that")
    with server("--db", str(other), "mcp", command=quick()) as session:
        answer = session.call("status")
        assert answer["isError"] is True
        assert str(other) in answer["content"][0]["text"]
        assert isinstance(session, Raw)
