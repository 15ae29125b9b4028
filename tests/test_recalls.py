"""The recall log: what was asked and given is kept, shows what was believed then, and tells nothing of what was forgotten."""

from __future__ import annotations

import datetime as dt
import logging
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from tkgmem import Memory, NotATkgmemFile, NotFound
from tkgmem.reasons import Recall
from tkgmem.store import recall_log, recalls, waiting
from tkgmem.testing import FixedClock, HashEmbedder

START = dt.datetime(2026, 6, 1, 12, tzinfo=dt.UTC)
DAY = dt.timedelta(days=1)


def opened(path: Path | str, clock: FixedClock | None = None, **more: Any) -> Memory:
    clock = FixedClock(START, dt.timedelta(seconds=1)) if clock is None else clock
    return Memory(path, embedder=HashEmbedder(16), clock=clock, **more)


def asked(memory: Memory) -> list[str]:
    """The questions of the log, newest first."""
    return [recall.query for recall in memory.recalls()]


def kept(path: Path) -> list[str]:
    """The questions that are in the file, in the order they were written."""
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    found = [query for (query,) in db.execute("SELECT query FROM recalls ORDER BY id")]
    db.close()
    return found


def told(recall: Recall) -> list[tuple[str, dt.datetime | None, dt.datetime | None]]:
    return [(fact.target.name, fact.valid_at, fact.invalid_at) for fact in recall.facts]


@pytest.fixture
def moving() -> FixedClock:
    return FixedClock(START)


@pytest.fixture
def maya(moving: FixedClock) -> Iterator[Memory]:
    with opened(":memory:", moving) as memory:
        memory.add_fact("Maya", "LIVES_IN", "Lisbon", valid_at="2024")
        moving.advance(DAY)
        yield memory


# --- what an entry tells ---


def test_an_entry_shows_what_was_given_as_it_was_believed_then(maya: Memory, moving: FixedClock) -> None:
    found = maya.search("where does Maya live")
    moving.advance(DAY)
    maya.add_fact("Maya", "LIVES_IN", "Porto", valid_at="2025")
    maya.add_alias("Maya", "May")
    [recall] = maya.recalls()
    assert recall.at == recall.valid_at == START + DAY
    assert (recall.kind, recall.query, recall.groups, recall.options) == ("search", "where does Maya live", ("default",), {})
    assert recall.known_at == found.basis == START
    assert recall.facts == tuple(hit.item for hit in found.facts)
    assert recall.entities == tuple(hit.item for hit in found.entities)
    assert told(recall) == [("Lisbon", dt.datetime(2024, 1, 1, tzinfo=dt.UTC), None)]


def test_a_context_is_kept_with_what_is_on_its_page(maya: Memory) -> None:
    maya.add("Maya said that the sea is near.", extract=False)
    for number in range(5):
        maya.add_fact("Maya", "LIKES", f"tea {number}", valid_at="2020")
    text = maya.context("where does Maya live, and what does she like", max_tokens=60, style="iso")
    [recall] = maya.recalls()
    assert (recall.kind, recall.options) == ("context", {"max_tokens": 60, "style": "iso"})
    assert 0 < len(recall.facts) < 6
    assert all(fact.target.name in text for fact in recall.facts)
    assert all(episode.content in text for episode in recall.episodes)


@pytest.mark.parametrize(
    "options",
    [
        {"limit": 3, "scopes": ["facts"], "include_ended": True},
        {"filters": {"relations": "MANAGES", "source": "Al", "dates": [("valid_at", ">=", "2019")]}},
        {"filters": {"relations": "MANAGES"}, "include_ended": True},
        {"recipe": "bm25", "min_score": 0.1, "explain": True, "center": "Al"},
    ],
)
def test_options_are_kept_where_they_differ_and_show_a_fact_as_it_was_read(options: dict[str, Any]) -> None:
    with opened(":memory:") as memory:
        memory.define_relation("REPORTS_TO", functional=True, inverse="MANAGES")
        memory.add_fact("Al", "MANAGES", "Bo", valid_at="2020")
        memory.add_fact("Al", "MANAGES", "Bo", valid_at="2010", invalid_at="2012")
        found = memory.search("who is managed by Al", valid_at="2021", **options)
        [recall] = memory.recalls()
        assert recall.options.keys() == options.keys()
        assert recall.facts == tuple(hit.item for hit in found.facts) != ()


def test_a_fact_shows_the_period_of_the_time_that_the_question_spoke_of(maya: Memory) -> None:
    maya.add_fact("Maya", "LIVES_IN", "Oslo", valid_at="2018", invalid_at="2019")
    maya.add_fact("Maya", "LIVES_IN", "Oslo", valid_at="2025-02")
    found = maya.search("where did Maya live in 2018")
    [recall] = maya.recalls()
    assert recall.query_time == found.query_time is not None
    assert recall.facts == tuple(hit.item for hit in found.facts)
    assert told(recall) == [("Oslo", dt.datetime(2018, 1, 1, tzinfo=dt.UTC), dt.datetime(2019, 1, 1, tzinfo=dt.UTC))]


def test_a_context_shows_and_keeps_the_period_that_its_time_is_in(maya: Memory) -> None:
    maya.add_fact("Bo", "LIVES_IN", "Oslo", valid_at="2010")
    maya.add_fact("Bo", "LIVES_IN", "Rome", valid_at="2015", invalid_at="2017")
    assert "Oslo (since 2017)" in maya.context("where did Bo live between 2016 and 2018")
    [recall] = maya.recalls()
    assert ("Oslo", dt.datetime(2017, 1, 1, tzinfo=dt.UTC), None) in told(recall)


def test_a_group_sees_what_was_asked_of_it_alone(maya: Memory) -> None:
    maya.add_fact("Bo", "LIVES_IN", "Oslo", group="work")
    maya.search("one", group="work")
    maya.search("both", group=["work", "default"])
    maya.search("none", group="nowhere")
    assert asked(maya) == []
    assert [recall.query for recall in maya.recalls(group="work")] == ["one"]
    assert [recall.query for recall in maya.recalls(group=["default", "work"])] == ["both", "one"]


def test_the_log_is_listed_newest_first_by_question_and_by_time(maya: Memory, moving: FixedClock) -> None:
    for query in ("tea", "milk", "  TEA "):
        maya.search(query)
        moving.advance(DAY)
    assert asked(maya) == ["  TEA ", "milk", "tea"]
    assert [recall.at for recall in maya.recalls(query="Tea")] == [START + 3 * DAY, START + DAY]
    assert [recall.query for recall in maya.recalls(since=START + 2 * DAY, until=START + 3 * DAY)] == ["milk"]
    assert [recall.query for recall in maya.recalls(limit=1)] == ["  TEA "]


@pytest.mark.parametrize("query", ["", "a\0b\ud800", '"; DROP TABLE recalls; --', "NEAR(", "x" * 10_000])
def test_any_text_is_kept_as_a_question(maya: Memory, query: str) -> None:
    maya.search(query, filters={"source": query, "attributes": {query: query}})
    [recall] = maya.recalls(query=query)
    assert recall.query == query.replace("\0", " ").replace("\ud800", "?")[: recalls.LONGEST_QUERY]


# --- why it was given ---


def test_what_was_told_comes_back_with_its_reasons(maya: Memory, moving: FixedClock) -> None:
    maya.search("where does Maya live")
    moving.advance(DAY)
    maya.add_fact("Maya", "LIVES_IN", "Porto", valid_at="2025")
    maya.search("Where does  MAYA live")
    before = maya.recalled("where does maya live", at="2026-06-02")
    assert before.logged
    assert [why.fact.target.name for why in before.whys] == ["Lisbon"]
    assert not before.whys[0].superseded_by
    after = maya.recalled("where does maya live")
    assert (after.logged, after.recall.number) == (True, 2)
    assert [why.fact.target.name for why in after.whys] == ["Porto"]
    assert [gone.fact.target.name for gone in after.whys[0].supersedes if gone.fact] == ["Lisbon"]


def test_what_was_never_asked_is_asked_again_as_of_then(maya: Memory, moving: FixedClock) -> None:
    moving.advance(DAY)
    maya.add_fact("Maya", "LIVES_IN", "Porto", valid_at="2025")
    then = maya.recalled("where does Maya live", at=START + DAY)
    assert (then.logged, then.recall.number, told(then.recall)) == (False, None, [("Lisbon", *_BOUNDS)])
    assert [why.fact.target.name for why in then.whys] == ["Lisbon"]
    assert [fact.target.name for fact in maya.recalled("where does Maya live").recall.facts] == ["Porto"]
    assert asked(maya) == []


_BOUNDS = (dt.datetime(2024, 1, 1, tzinfo=dt.UTC), None)


@pytest.mark.parametrize("query", ["where does Maya live", "where did Maya live last year", "what did Maya like before 2025"])
def test_a_read_is_repeated_at_its_basis(maya: Memory, moving: FixedClock, query: str) -> None:
    maya.add_fact("Maya", "LIVES_IN", "Oslo", valid_at="2025", invalid_at="2025-06")
    liked = maya.add_fact("Maya", "LIKES", "tea", valid_at="2020")
    text = maya.add("Maya spoke of tea and of Oslo.", extract=False).episode
    first = maya.search(query)
    moving.advance(400 * DAY)
    maya.add_fact("Maya", "LIVES_IN", "Porto", valid_at="2025-03")
    maya.retract(liked.uuid)
    maya.end_fact("Maya", "LIVES_IN", "Lisbon", at="2024-06")
    maya.add("Maya lives in a house in Oslo.", extract=False)
    maya.undo(episode=text.uuid)
    again = maya.search(query, valid_at=first.valid_at, known_at=first.basis, use_query_time=first.query_time is not None)
    assert again.basis == first.basis
    assert again.query_time == first.query_time
    for scope in ("facts", "entities", "episodes"):
        items = [sorted((hit.item for hit in getattr(found, scope)), key=lambda item: item.uuid) for found in (first, again)]
        assert items[0] == items[1] != []
    assert sorted(maya.recalls()[-1].episodes, key=lambda item: item.uuid) == items[1]


def test_the_basis_is_what_was_seen_even_if_more_was_asked_for(maya: Memory, moving: FixedClock) -> None:
    assert maya.search("Maya", known_at="2030").basis == START
    assert maya.search("Maya", known_at=START - DAY).basis == START - DAY
    maya.add("Maya", extract=False)
    assert maya.search("Maya").basis == START + DAY
    with opened(":memory:") as empty:
        assert empty.search("Maya").basis is None


# --- a read stays a read ---


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four are many."""
    monkeypatch.setattr(recall_log, "MANY", 4)


def test_what_is_asked_waits_until_many_wait_or_one_has_waited_long(few: None, path: Path, moving: FixedClock) -> None:
    with opened(path, moving) as memory:
        memory.add_fact("Maya", "LIVES_IN", "Lisbon")
        for number in range(recall_log.MANY - 1):
            memory.search(f"question {number}")
        assert kept(path) == []
        memory.search("the last")
        assert len(kept(path)) == recall_log.MANY
        memory.search("once")
        moving.advance(dt.timedelta(seconds=6))
        assert kept(path)[-1] == "the last"
        memory.search("twice")
        assert kept(path)[-2:] == ["once", "twice"]
        memory.search("with a change")
        memory.add_fact("Maya", "LIKES", "tea")
        assert kept(path)[-1] == "with a change"
        memory.search("at the end")
    assert kept(path)[-1] == "at the end"


def test_a_change_that_fails_leaves_what_waits_and_writes_it_once_later(path: Path) -> None:
    with opened(path) as memory:
        memory.add_fact("Maya", "LIVES_IN", "Lisbon", uuid="one")
        memory.search("Maya")
        with pytest.raises(ValueError, match="one"):
            memory.add_fact("Maya", "LIVES_IN", "Porto", uuid="one")
        with pytest.raises(NotFound):
            memory.forget(fact="nobody")
        memory.forget(fact="one", dry_run=True)
        assert kept(path) == []
        memory.add_fact("Maya", "LIKES", "tea")
        memory.add_fact("Maya", "LIKES", "milk")
        assert kept(path) == ["Maya"]


def test_a_search_neither_waits_for_a_writer_nor_fails_and_is_logged_afterwards(
    few: None, path: Path, moving: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slept(_seconds: float) -> None:
        raise AssertionError("it waited")

    with opened(path, moving) as memory:
        memory.add_fact("Maya", "LIVES_IN", "Lisbon")
        other = apsw.Connection(str(path))
        other.execute("BEGIN IMMEDIATE")
        monkeypatch.setattr(waiting.time, "sleep", slept)
        for number in range(recall_log.MANY + 2):
            assert memory.search(f"question {number}").facts
        monkeypatch.undo()
        assert kept(path) == []
        other.execute("ROLLBACK")
        other.close()
        memory.search("at last")
        memory.add_fact("Maya", "LIKES", "tea")
        assert kept(path)[-2:] == ["question 5", "at last"]


def test_what_cannot_be_written_at_the_end_is_said(
    path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recall_log, "LEAVING_TIMEOUT_MS", 1)
    caplog.set_level(logging.WARNING, "tkgmem")
    memory = opened(path)
    memory.add_fact("Maya", "LIVES_IN", "Lisbon")
    memory.search("Maya")
    other = apsw.Connection(str(path))
    other.execute("BEGIN IMMEDIATE")
    memory.close()
    other.close()
    assert ["recall log: 1" in message for message in caplog.messages] == [True]
    assert kept(path) == []


def test_what_waits_is_bounded() -> None:
    log = recall_log.RecallLog()
    entry = recalls.Entry("search", "q", ("default",), 0, 0, "{}", (), (), (), (), 0, 0)
    for _ in range(recall_log.MOST + 5):
        log.put(entry)
    assert len(log) == recall_log.MOST


def test_only_the_last_entries_are_kept(maya: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recalls, "KEPT", 3)
    for number in range(5):
        maya.search(f"question {number}")
    assert asked(maya) == ["question 4", "question 3", "question 2"]


def test_off_keeps_nothing_and_read_only_writes_nothing_unless_asked_to(path: Path) -> None:
    with opened(path, log_recalls=False) as memory:
        memory.add_fact("Maya", "LIVES_IN", "Lisbon")
        memory.search("off")
    before = path.read_bytes()
    with opened(path, read_only=True) as memory:
        memory.search("read only")
    assert path.read_bytes() == before
    with opened(path, read_only=True, log_recalls=True) as memory:
        memory.context("asked for")
        assert path.read_bytes() == before
    assert kept(path) == ["asked for"]
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_what_is_added_at_the_end_leaves_one_file_whatever_was_left(path: Path) -> None:
    with opened(path) as memory:
        memory.add_fact("Maya", "LIVES_IN", "Lisbon")
    db = apsw.Connection(str(path))
    db.pragma("journal_mode", "wal")
    db.close()
    with opened(path, read_only=True, log_recalls=True) as memory:
        memory.search("Maya")
    assert kept(path) == ["Maya"]
    assert path.read_bytes()[18:20] == b"\1\1"  # not in WAL mode
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_threads_and_two_memories_log_everything_once(few: None, path: Path) -> None:
    with opened(path) as one, opened(path) as two:
        one.add_fact("Maya", "LIVES_IN", "Lisbon")

        def ask(memory: Memory, name: str) -> Callable[[], None]:
            def run() -> None:
                for number in range(6):
                    memory.search(f"{name} {number}")

            return run

        threads = [threading.Thread(target=ask(memory, f"{name} {part}")) for memory, name in ((one, "a"), (two, "b"))
                   for part in range(2)]  # fmt: skip
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(kept(path)) == sorted(f"{name} {part} {number}" for name in "ab" for part in range(2) for number in range(6))


# --- what is forgotten ---


def test_a_long_question_that_is_cut_within_a_word_that_goes_goes_too(canaries: Memory) -> None:
    episode = canaries.add("The Qwertzomat hums.", extract=False).episode
    for said in ("qwertzomat", "music"):
        canaries.search("x " * (recalls.LONGEST_QUERY // 2 - 2) + f"{said} again", scopes=["entities"])
    assert [recall.query[-4:] for recall in canaries.recalls(limit=2)] == ["musi", "qwer"]
    canaries.forget(episode=episode.uuid)
    assert [recall.query[-4:] for recall in canaries.recalls(limit=2)] == ["musi", "usic"]


@pytest.fixture
def canaries() -> Iterator[Memory]:
    with opened(":memory:") as memory:
        talked(memory)
        yield memory


@pytest.fixture
def filed(path: Path) -> Iterator[Memory]:
    with opened(path) as memory:
        talked(memory)
        yield memory


def talked(memory: Memory) -> None:
    memory.add_fact("Ana", "LIVES_IN", "Oslo", valid_at="2020", uuid="ana")
    for number in range(4):
        memory.add_fact(f"Friend {number}", "LIKES", f"music {number}", valid_at="2020")
    memory.search("music", limit=2, scopes=["facts"])


def test_entries_that_gave_what_was_forgotten_go(canaries: Memory) -> None:
    canaries.search("who is in town", limit=1, filters={"source": "Ana"})
    assert canaries.recalls()[0].facts
    canaries.forget(fact="ana")
    assert asked(canaries) == ["music"]


@pytest.mark.parametrize(
    ("told", "query", "options"),
    [
        ({"content": "The qwertzomat hums."}, "is the Qwertzomats loud", {}),
        ({"content": "他们去了麒麟洞附近散步。"}, "麒麟在哪里", {}),
        ({"content": "x", "metadata": {"deep": [{"note": "qwertzomat"}]}}, "qwertzomat", {}),
        ({"content": "x", "name": "qwertzomat"}, "music", {"filters": {"attributes": {"qwertzomat": 1}}}),
        ({"content": "x", "speaker": "Qwertzomat"}, "music", {"filters": {"source": "qwertzomat"}}),
        ({"content": "x", "description": "the qwertzomat"}, "music", {"center": None, "recipe": "bm25"}),
    ],
)
def test_entries_with_words_of_what_was_forgotten_go(
    canaries: Memory, told: dict[str, Any], query: str, options: dict[str, Any]
) -> None:
    episode = canaries.add(extract=False, **told).episode
    mentions = "qwertz" in (query + repr(options)).lower() or "麒麟" in query
    canaries.search(query, scopes=["facts"], limit=1, **options)
    canaries.search("which music is there", scopes=["facts"], limit=1)
    canaries.forget(episode=episode.uuid)
    left = ["which music is there", *([] if mentions else [query]), "music"]
    assert asked(canaries) == left


def test_a_word_that_another_text_has_is_not_forgotten(canaries: Memory) -> None:
    first = canaries.add("The qwertzomat hums.", extract=False).episode
    second = canaries.add("A qwertzomat sings.", extract=False, group="elsewhere").episode
    canaries.search("qwertzomat", scopes=["facts"])
    canaries.forget(episode=first.uuid)
    assert asked(canaries) == ["qwertzomat", "music"]
    canaries.forget(episode=second.uuid)
    assert asked(canaries) == ["music"]


def test_reasons_names_and_claims_without_a_text_count_too(canaries: Memory) -> None:
    canaries.retract("ana", reason="qwertzomat")
    for query in ("qwertzomat", "oslo"):
        canaries.search(query, scopes=["episodes"])
    canaries.forget(fact="ana")
    assert asked(canaries) == ["music"]


def test_a_forgotten_group_takes_what_was_asked_of_it(canaries: Memory) -> None:
    canaries.add_fact("Bo", "LIKES", "Qwertzomat", group="gone")
    canaries.search("anything", group=["gone", "default"])
    canaries.search("qwertzomat", scopes=["episodes"])
    canaries.search("everything gone", scopes=["episodes"])
    canaries.forget(group="gone")
    assert [recall.query for recall in canaries.recalls(group=["gone", "default"])] == ["music"]


def test_nothing_that_another_memory_asked_before_is_written_after_a_forget(filed: Memory, path: Path) -> None:
    with opened(path) as other:
        other.search("what of Oslo")
        filed.forget(fact="ana")
        other.search("what of music")
    filed.close()
    assert kept(path) == ["music", "what of music"]
    assert b"of oslo" not in path.read_bytes().lower()


def test_the_log_is_deleted_as_a_whole_or_by_group(filed: Memory, path: Path) -> None:
    filed.add_fact("Bo", "LIKES", "tea", group="work")
    filed.search("qwertzomat", group="work")
    assert filed.forget_recalls(group="work") == 1
    assert asked(filed) == ["music"]
    filed.search("qwertzomat")
    assert filed.forget_recalls() == 2
    assert filed.recalls(group=["work", "default"]) == []
    filed.close()
    assert b"qwertzomat" not in path.read_bytes()


# --- the file ---


def test_the_log_is_in_a_backup_and_in_no_export_share_or_merge(filed: Memory, path: Path, tmp_path: Path) -> None:
    filed.search("qwertzomat")
    assert asked(filed)[0] == "qwertzomat"
    filed.backup(tmp_path / "backup.db")
    filed.share(tmp_path / "share.db")
    filed.export(tmp_path / "export.jsonl")
    assert b"qwertzomat" not in (tmp_path / "export.jsonl").read_bytes()
    with opened(tmp_path / "other.db") as other:
        other.merge(tmp_path / "backup.db")
        assert other.recalls() == []
    assert kept(tmp_path / "backup.db") == ["music", "qwertzomat"]
    assert kept(tmp_path / "share.db") == []


def test_doctor_tells_of_entries_that_cannot_be_read(filed: Memory, path: Path) -> None:
    for column in ("facts", "options", "episodes"):
        filed.search(column)
    assert filed.doctor().ok
    assert asked(filed) == ["episodes", "options", "facts", "music"]
    db = apsw.Connection(str(path))
    for column, value in (("facts", "[1,"), ("options", "[]"), ("episodes", '{"a": 1}')):
        db.execute(f"UPDATE recalls SET {column} = ? WHERE query = ?", (value, column))
    db.close()
    found = filed.doctor()
    assert sorted((problem.check, problem.examples, problem.derived) for problem in found.problems) == [
        ("values", (f"recalls {number}",), False) for number in (2, 3, 4)
    ]
    with pytest.raises(NotATkgmemFile, match=r"recall log|is not a JSON"):
        filed.recalls()


@pytest.mark.parametrize("value", ["", "[1,", "[null]", '["a"]', "[" * 5_000])
def test_a_damaged_entry_is_said_everywhere_and_goes_with_the_log(filed: Memory, path: Path, value: str) -> None:
    assert filed.recalls()
    db = apsw.Connection(str(path))
    for column in ("facts", "entities", "episodes"):
        db.execute(f"UPDATE recalls SET {column} = ?", (value,))
        with pytest.raises(NotATkgmemFile, match="is damaged"):
            filed.recalls()
        assert [(problem.check, problem.examples) for problem in filed.doctor().problems] == [("values", ("recalls 1",))]
        db.execute(f"UPDATE recalls SET {column} = '[]'")
    db.execute("UPDATE recalls SET facts = ?", (value,))
    db.close()
    assert filed.search("music").facts
    assert filed.forget_recalls() == 2
    filed.forget(fact="ana")
