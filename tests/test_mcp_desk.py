"""What stands between the server and the memory: a text is committed before the reply, failures are shown and tried again."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tkgmem import Memory
from tkgmem.errors import ProviderError, TkgmemError
from tkgmem.mcp_server.desk import Desk
from tkgmem.mcp_server.saying import fitting
from tkgmem.mcp_server.tools import Refused, Toolset
from tkgmem.testing import HashEmbedder

TEXT = "Maya moved to Lisbon in May 2024."


def now() -> dt.datetime:
    return dt.datetime.now(dt.timezone(dt.timedelta(hours=8)))


class Embedder(HashEmbedder):
    """One that fails, or waits, until it is allowed to work. tried: set whenever it is asked."""

    def __init__(self) -> None:
        super().__init__(64)
        self.fails, self.may, self.tried = False, threading.Event(), threading.Event()
        self.may.set()

    def embed_passages(self, texts: Sequence[str]) -> Any:
        self.tried.set()
        self.may.wait(20)
        if self.fails:
            raise ProviderError("the model is away")
        return super().embed_passages(texts)


@pytest.fixture
def embedder() -> Embedder:
    return Embedder()


def desk(path: Path, embedder: Embedder, **more: Any) -> Desk:
    return Desk(lambda: Memory(path, embedder=embedder), str(path), now=now, **more)


@pytest.fixture
def tools(path: Path, embedder: Embedder) -> Iterator[Toolset]:
    opened = desk(path, embedder, first_pause=0.01)
    yield Toolset(opened, all_tools=True)
    embedder.may.set()
    opened.close(wait=20)


def test_the_file_is_opened_by_the_first_call(path: Path, tools: Toolset) -> None:
    assert not path.exists()
    assert tools.call("status", {}).fields["episodes"] == 0
    assert path.exists()


def test_a_text_is_committed_before_it_is_read(path: Path, embedder: Embedder) -> None:
    waiting = desk(path, embedder, patience=0.0)
    embedder.may.clear()
    answer = Toolset(waiting).call("remember", {"text": TEXT})
    assert answer.fields["state"] == "pending"
    assert "still being read" in answer.text
    with Memory(path, embedder=HashEmbedder(64), read_only=True) as other:
        assert [episode.content for episode in other.episodes()] == [TEXT]
    assert Toolset(waiting).call("status", {}).fields["pending"] == 1
    embedder.may.set()
    waiting.close(wait=20)
    with Memory(path, embedder=HashEmbedder(64)) as other:
        assert len(other.extract() or other.as_of(now())) == 1


def test_a_failure_is_told_and_shown_and_tried_again(path: Path, embedder: Embedder) -> None:
    opened = desk(path, embedder, first_pause=0.01)
    tools = Toolset(opened)
    embedder.fails = True
    answer = tools.call("remember", {"text": TEXT})
    assert (answer.fields["state"], "the model is away" in answer.text) == ("failed", True)
    status = tools.call("status", {})
    assert (status.fields["failed"], "the model is away" in status.text) == (1, True)
    embedder.tried.clear()
    embedder.fails = False
    assert embedder.tried.wait(20)  # nobody asked
    opened.close(wait=20)
    with Memory(path, embedder=HashEmbedder(64), read_only=True) as other:
        assert [fact.target.name for fact in other.entity("Maya").facts] == ["Lisbon"]


def test_what_another_server_left_is_read(path: Path, embedder: Embedder) -> None:
    with Memory(path, embedder=HashEmbedder(64), clock=lambda: now() - dt.timedelta(hours=1)) as earlier:
        earlier.add(TEXT, extract="later")
    opened = desk(path, embedder)
    assert opened.memory.stats().episodes == 1
    assert embedder.tried.wait(20)
    opened.close(wait=20)
    with Memory(path, embedder=HashEmbedder(64), read_only=True) as other:
        assert other.stats().pending == 0


def test_what_was_left_just_now_is_its_own_servers(path: Path, embedder: Embedder) -> None:
    opened = desk(path, embedder)
    with Memory(path, embedder=HashEmbedder(64)) as other:
        other.add(TEXT, extract="later")
    Toolset(opened).call("remember", {"text": "Ben likes tea."})
    opened.close(wait=20)
    with Memory(path, embedder=HashEmbedder(64), read_only=True) as other:
        assert other.stats().pending == 1


def test_many_that_wait_are_read_and_what_is_told_meanwhile_comes_first(path: Path, embedder: Embedder) -> None:
    with Memory(path, embedder=HashEmbedder(64), clock=lambda: now() - dt.timedelta(hours=1)) as earlier:
        for number in range(30):
            earlier.add(f"Person {number} moved to Lisbon in 2024.", extract="later")
    embedder.may.clear()
    opened = desk(path, embedder, patience=0.0)
    assert opened.memory.stats().pending == 30
    assert embedder.tried.wait(20)  # the first few are under way
    opened.remember("Ben likes tea.")
    opened.read_later()
    seen: list[int] = []
    done = threading.Event()
    asked = opened.memory.extract

    def watched(**given: Any) -> Any:
        results = asked(**given)
        seen.append(len(results))
        if sum(seen) == 30 - 8 + 1:
            done.set()
        return results

    opened.memory.extract = watched  # type: ignore[method-assign]
    embedder.may.set()
    assert done.wait(20)
    assert seen[0] == 1
    opened.close(wait=20)
    with Memory(path, embedder=HashEmbedder(64)) as other:
        assert other.stats().pending == 0


def test_a_text_whose_reading_broke_is_said_to_be_kept(path: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise OSError("the disk went away")

    opened = desk(path, embedder)
    monkeypatch.setattr(Memory, "extract", broken)
    answer = Toolset(opened).call("remember", {"text": TEXT})
    assert (answer.fields["state"], "the disk went away" in answer.text) == ("pending", True)
    opened.close(wait=20)


def test_after_closing_nothing_is_taken(path: Path, embedder: Embedder) -> None:
    opened = desk(path, embedder)
    opened.close()
    with pytest.raises(TkgmemError, match="shutting down"):
        _ = opened.memory
    assert not path.exists()


def test_an_unexpected_fault_is_one_failed_call(tools: Toolset, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("secret words")

    monkeypatch.setattr(Memory, "timeline", broken)
    with pytest.raises(Refused, match="timeline failed: ZeroDivisionError") as refused:
        tools.call("timeline", {"entity": "Maya"})
    assert "secret words" not in str(refused.value)
    assert tools.call("status", {}).fields["episodes"] == 0


def test_answers_keep_to_a_budget(tools: Toolset) -> None:
    facts = [
        {
            "source": "Maya",
            "relation": "KNOWS",
            "target": f"Person {number}",
            "fact": f"Maya knows Person {number}, {'x ' * 300}",
        }
        for number in range(100)
    ]
    told = tools.call("remember", {"text": "Maya knows many.", "facts": facts})
    for answer in (told, tools.call("get_entity", {"name": "Maya"}), tools.call("timeline", {"entity": "Maya"})):
        assert len(answer.text) < 12_000
        assert "more" in answer.text
    assert fitting(["a" * 100_000], str)[1] == ["a" * 100_000]


def test_dates_in_words_are_told_as_they_were_understood(tools: Toolset) -> None:
    tools.call("remember", {"text": TEXT, "when": "2024-06-01"})
    answer = tools.call("get_entity", {"name": "Maya", "valid_at": "March 2024"})
    assert answer.text.startswith("(what held at March 2024)")
    assert answer.fields["facts"] == []
    assert answer.fields["valid_at"] == "2024-02-29T16:00:00Z"
    answer = tools.call("as_of", {"source": "Maya", "known_at": "yesterday"})
    assert "as believed at" in answer.text
    assert answer.fields["facts"] == []


def test_graphitis_names_do_what_they_say(path: Path, embedder: Embedder) -> None:
    opened = desk(path, embedder)
    tools = Toolset(opened, graphiti=True)
    assert {*tools.tools} == {
        "add_memory", "search_nodes", "search_memory_facts", "get_entity_edge", "get_episodes", "delete_entity_edge",
        "delete_episode", "get_status",
    }  # fmt: skip
    told = tools.call("add_memory", {"name": "chat", "episode_body": TEXT, "group_id": "default", "source": "text"})
    assert told.fields["state"] == "done"
    [edge] = tools.call("search_memory_facts", {"query": "Where does Maya live?"}).fields["facts"]
    assert (edge["name"], edge["valid_at"], edge["invalid_at"]) == ("LIVES_IN", "2024-04-30T16:00:00+00:00", None)
    [node] = tools.call("search_nodes", {"query": "Maya", "max_nodes": 1}).fields["nodes"]
    assert (node["uuid"], "Lisbon" in node["summary"]) == (edge["source_node_uuid"], True)
    assert tools.call("get_entity_edge", {"uuid": edge["uuid"]}).fields["fact"] == TEXT
    [episode] = tools.call("get_episodes", {"group_ids": ["default"]}).fields["episodes"]
    assert (episode["uuid"], episode["name"]) == (told.fields["uuid"], "chat")
    assert tools.call("get_status", {}).fields["status"] == "ok"
    for name, arguments in [
        ("search_nodes", {"query": "x", "group_ids": ["other"]}),
        ("add_memory", {"name": "x", "episode_body": "x", "source": "video"}),
        ("delete_episode", {"uuid": "nothing"}),
        ("delete_entity_edge", {"uuid": "nothing"}),
        ("search_memory_facts", {"query": "x", "max_facts": 0}),
    ]:
        with pytest.raises(Refused):
            tools.call(name, arguments)
    tools.call("delete_entity_edge", {"uuid": edge["uuid"]})
    assert tools.call("search_memory_facts", {"query": "Maya"}).fields["facts"] == []
    tools.call("delete_episode", {"uuid": episode["uuid"]})
    assert tools.call("get_episodes", {}).fields["episodes"] == []
    opened.close(wait=20)


def test_the_other_tools_do_what_their_verbs_do(tools: Toolset) -> None:
    fact = tools.call("add_fact", {"source": "Maya", "relation": "works at", "target": "A", "valid_at": "2024"}).fields[
        "facts"
    ][0]
    fact = tools.call("correct", {"fact": fact["uuid"], "valid_at": "2023-05"}).fields["facts"][0]
    assert (fact["valid_at"], fact["period"]) == ("2023-05", "since May 2023")
    ended = tools.call("end_fact", {"source": "Maya", "relation": "works at", "target": "A", "at": "2025"}).fields["facts"][0]
    assert ended["invalid_at"] == "2025"
    kept = tools.call("remember", {"text": TEXT, "conversation": "c1", "speaker": "Maya"}).fields
    assert tools.call("episodes", {"conversation": "c1"}).fields["episodes"][0]["content"] == TEXT
    assert len(tools.call("episodes", {"uuid": kept["episode"]}).fields["episodes"]) == 1
    changed = tools.call("diff", {"since": "1 hour ago"}).fields["changes"]
    assert {"learned"} == {change["change"] for change in changed}
    assert tools.call("diff", {"since": "2024", "until": "2026", "of": "world"}).fields["changes"]
    assert tools.call("undo", {"episode": kept["episode"], "dry_run": True}).fields["claims"] == 1
    tools.call("undo", {"episode": kept["episode"]})
    assert tools.call("as_of", {"source": "Maya"}).fields["facts"] == []
    assert tools.call("forget", {"entity": "Maya", "dry_run": True}).fields["dry_run"] is True
    tools.call("forget", {"entity": "Maya"})
    with pytest.raises(Refused, match="Maya"):
        tools.call("get_entity", {"name": "Maya"})
    tools.call("add_fact", {"source": "Ben", "relation": "KNOWS", "target": "Ann"})
    tools.call("add_fact", {"source": "Benjamin", "relation": "KNOWS", "target": "Eve"})
    assert tools.call("merge_entities", {"keep": "Benjamin", "other": "Ben"}).fields["name"] == "Benjamin"
    assert tools.call("communities", {}).fields["communities"]
    assert tools.call("communities", {"query": "Ben"}).fields["communities"] == []
