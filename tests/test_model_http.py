"""A memory that asks a model through litellm, over HTTP to a server on this machine: calls counted where they arrive."""

from __future__ import annotations

import datetime as dt
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.loopback import Loopback, Reply, Said
from tkgmem import LLMError, Memory, ProviderError
from tkgmem.cli.app import exit_code
from tkgmem.providers.litellm import LiteLLM
from tkgmem.testing import FixedClock, HashEmbedder

PEOPLE = ("Ana", "Bo", "Chidi", "Dora", "Emil")
READING = {
    "entities": [{"id": n, "name": name, "type": "Person", "aliases": []} for n, name in enumerate(PEOPLE)],
    "facts": [
        {"source": n, "relation": "KNOWS", "target": (n + 1) % 5, "sentence": "They know one another.", "kind": "assert"}
        for n in range(5)
    ],
}
KEY = "sk-TEST-0123456789abcdef0123456789abcdef"


@contextmanager
def served(replies: Any, path: Path | str = ":memory:", **more: Any) -> Iterator[tuple[Memory, Loopback]]:
    with Loopback(replies) as server:
        settings: dict[str, Any] = {"api_key": KEY, "api_base": server.url, "sleep": lambda _: None, "timeout": 30} | more
        model = LiteLLM("openai/loopback", **settings)
        clock = FixedClock(dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC))
        with Memory(path, embedder=HashEmbedder(64), clock=clock, llm=model) as memory:
            yield memory, server


def test_five_entities_and_five_facts_are_one_request() -> None:
    with served([READING]) as (memory, server):
        for name in PEOPLE:
            memory.add_fact(name, "WORKS_AT", "Northwind", valid_at="2024")
        result = memory.add("They know one another.")
        assert (len(server.calls), result.calls, len(result.created)) == (1, 1, 5)
        assert (result.prompt_tokens, result.completion_tokens) == (10, 5)
        assert json.loads(server.calls[0].user)["text"] == "They know one another."


def test_what_is_ambiguous_is_one_request_more() -> None:
    def reply(body: Any) -> Said:
        asked = json.loads(body["messages"][-1]["content"])
        if "mentions" in asked:
            same = [{"id": one["id"], "same_as": None} for one in asked["mentions"]]
            return {"mentions": same, "duplicates": [], "contradictions": []}
        return READING

    with served(reply) as (memory, server):
        memory.add_fact("Emil Nolan", "LIVES_IN", "Porto")
        memory.add_fact("Bo Berg", "LIVES_IN", "Porto")
        assert memory.add("They know one another.").calls == 2
        assert len(server.calls) == 2


@pytest.mark.parametrize(
    ("replies", "requests"),
    [
        ([Reply(429, {"error": {"message": "slow down"}}), READING], 2),
        ([Reply(500, {"error": {"message": "oops"}}), Reply(503), READING], 3),
        (["I would say: {", READING], 2),
        ([json.dumps(READING)[:-40]], 1),
        ([f"<think>{{}}</think>Here:\n```json\n{json.dumps(READING)}\n```\nDone."], 1),
        ([Reply(400, {"error": {"message": "response_format is not supported"}}), READING], 2),
    ],
    ids=["rate limited", "overloaded", "broken JSON", "cut off", "with prose", "no schemas"],
)
def test_what_passes_is_got_over(replies: list[Said], requests: int) -> None:
    with served(replies) as (memory, server):
        result = memory.add("They know one another.")
        assert result.episode.state == "done"
        assert len(result.facts) >= 4
        assert len(server.calls) == requests
        assert result.calls <= 2


@pytest.mark.parametrize(
    ("status", "body"),
    [(429, {}), (500, {}), (401, {"error": {"message": f"bad key {KEY} at https://x.test/?key={KEY}"}}), (200, b"{oops")],
)
def test_what_does_not_pass_leaves_the_text_and_names_no_key(status: int, body: Any, tmp_path: Path) -> None:
    path = tmp_path / "me.db"
    with served(lambda _: Reply(status, body), path) as (memory, server):
        with pytest.raises(ProviderError) as raised:
            memory.add("They know one another.")
        assert KEY not in str(raised.value)
        [episode] = memory.episodes(state="failed")
        assert episode.error
        assert memory.stats().claims == 0
    assert KEY.encode() not in path.read_bytes()
    with served([READING], path) as (memory, server):
        [done] = memory.extract()
        assert (done.episode.state, len(done.facts), len(server.calls)) == ("done", 5, 1)


def test_a_server_that_is_silent_costs_only_the_time_limit() -> None:
    release = threading.Event()

    def reply(_: Any) -> Said:
        release.wait(30)
        return READING

    with served(reply, timeout=0.2, retries=0) as (memory, _):
        with pytest.raises(LLMError, match=r"[Tt]ime|answer"):
            memory.add("They know one another.")
        release.set()
        assert [one.state for one in memory.episodes()] == ["failed"]


def test_many_texts_are_read_at_the_same_time_and_one_bad_one_fails_alone() -> None:
    together = threading.Barrier(4, timeout=30)

    def reply(body: Any) -> Said:
        text = json.loads(body["messages"][-1]["content"])["text"]
        if text in {"text 0", "text 1", "text 2", "text 3"}:
            together.wait()  # passes only if four are under way at once
        return Reply(401) if text == "text 2" else READING

    with served(reply, concurrency=4) as (memory, server):
        results = memory.add_many([{"content": f"text {number}"} for number in range(8)])
        assert [one.episode.state == "done" for one in results] == [number != 2 for number in range(8)]
        assert len(server.calls) == 8


def test_the_command_line_names_the_model_and_keeps_the_text_when_it_cannot_be_reached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tkgmem.cli import main

    with Loopback([READING]) as server:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        monkeypatch.setenv("TKGMEM_DB", str(tmp_path / "me.db"))
        monkeypatch.setenv("TKGMEM_MODEL", "openai/loopback")

        def run(*args: str) -> tuple[int, str, str]:
            code = exit_code(lambda: main.main(args=list(args), standalone_mode=False))
            out = capsys.readouterr()
            return code, out.out, out.err

        code, out, _ = run("add", "They know one another.")
        assert code == 0
        assert "1 model call, 15 tokens" in out
        server._replies = iter([Reply(401, {"error": {"message": f"wrong key {KEY}"}}), READING])
        code, out, err = run("add", "Once more.")
        assert code == 3
        assert "401" in err or "key" in err
        assert KEY not in err + out
        assert json.loads(run("stats", "--json")[1])["failed"] == 1
        code, out, _ = run("extract")
        assert (code, out.splitlines()[0][:11]) == (0, "Read 1 text")
