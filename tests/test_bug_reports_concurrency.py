"""Faults that users of comparable programs reported about several at once, full disks and copies, each as a rule kept here.

`benchmarks.reliability.concurrency` does the same at full size.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import apsw
import pytest

from benchmarks.reliability import concurrency
from tkgmem import FileBusy, Memory, StoreError
from tkgmem.store import connection
from tkgmem.store.header import first_bytes
from tkgmem.store.waiting import Patience
from tkgmem.testing import HashEmbedder


def opened(path: Path, *, read_only: bool = False) -> Memory:
    return Memory(path, embedder=HashEmbedder(8), read_only=read_only)


@contextmanager
def locked(path: Path) -> Iterator[apsw.Connection]:
    """Someone else is in the middle of a write."""
    with closing(apsw.Connection(str(path))) as other:
        other.execute("BEGIN IMMEDIATE")
        yield other


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Set as soon as something waits for a lock."""
    event = threading.Event()

    class Watched(Patience):
        def __call__(self, _calls: int = 0) -> bool:
            event.set()
            return super().__call__()

    monkeypatch.setattr(connection, "Patience", Watched)
    return event


def test_processes_that_write_and_read_at_once_lose_and_double_nothing(path: Path) -> None:
    """T10-01, T10-02"""
    result = concurrency.processes(path, writers=2, readers=1, writes=6)
    assert (result["errors"], result["wrong_answers"]) == ([], [])
    assert (result["acknowledged"], result["found"], result["doubled"]) == (12, 12, 0)


def test_threads_that_share_a_memory_lose_and_double_nothing(path: Path) -> None:
    """T10-04"""
    result = concurrency.threads(path, writers=8, readers=2, writes=2)
    assert (result["errors"], result["wrong_answers"]) == ([], [])
    assert (result["acknowledged"], result["found"], result["doubled"]) == (16, 16, 0)


def test_two_that_contradict_each_other_at_once_leave_one_current_value(path: Path) -> None:
    """T10-03"""
    result = concurrency.contradictions(path, workers=2, rounds=4, apart=False)
    assert result["errors"] == []
    assert (result["claims"], result["with_one_current_value"]) == (8, 4)


def test_opening_and_closing_at_once_fails_for_nobody_and_leaves_one_file(path: Path) -> None:
    result = concurrency.churn(path, workers=3, rounds=4, apart=False)
    assert result["errors"] == []
    assert (result["acknowledged"], result["found"], result["side_files"]) == (12, 12, [])


def test_of_two_that_close_at_once_the_later_leaves_one_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory, other, real = opened(path), apsw.Connection(str(path)), connection._leave
    other.execute("SELECT count(*) FROM claims").fetchall()

    def leave(db: apsw.Connection) -> bool:
        left = real(db)
        other.close()
        return left

    monkeypatch.setattr(connection, "_leave", leave)
    memory.close()
    assert first_bytes(path, 20)[18:] == b"\1\1"  # not in WAL mode
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("read_only", [True, False])
def test_a_writer_keeps_nobody_from_opening_and_reading(path: Path, read_only: bool, waiting: threading.Event) -> None:
    """T10-05"""
    with opened(path) as memory:
        memory.add_fact("Ana", "LIKES", "tea")
        with locked(path), opened(path, read_only=read_only) as other:
            assert [hit.item.target.name for hit in other.search("tea").facts] == ["tea"]
            assert not waiting.is_set()


def test_threads_go_on_reading_while_one_waits_to_write(path: Path, waiting: threading.Event) -> None:
    """T10-05, within one memory"""
    with opened(path) as memory, ThreadPoolExecutor(1) as pool:
        memory.add_fact("Ana", "LIKES", "tea")
        with locked(path):
            write = pool.submit(memory.add_fact, "Bo", "LIKES", "milk")
            assert waiting.wait(60)
            assert [hit.item.target.name for hit in memory.search("tea").facts] == ["tea"]
            assert not write.done()
        assert write.result(60).target.name == "milk"


def test_a_writer_waits_for_another_for_a_bounded_time(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """T10-01"""
    with opened(path) as memory:
        memory.add_fact("Ana", "LIKES", "tea")
        monkeypatch.setattr(connection, "BUSY_TIMEOUT_MS", 30)
        with locked(path), pytest.raises(FileBusy, match=r"me\.db is locked"):
            memory.add_fact("Bo", "LIKES", "milk")
        memory.add_fact("Bo", "LIKES", "milk")
        assert memory.stats().claims == 2


def test_opening_waits_for_who_uses_the_file_without_a_wal(
    path: Path, waiting: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite itself does not wait for the lock that changing the journal mode takes."""
    opened(path).close()
    with ThreadPoolExecutor(1) as pool:
        with locked(path) as other:
            opening = pool.submit(opened, path)
            assert waiting.wait(60)
            other.execute("COMMIT")
        opening.result(60).close()
    monkeypatch.setattr(connection, "BUSY_TIMEOUT_MS", 30)
    with locked(path), pytest.raises(FileBusy, match=r"me\.db is locked"):
        opened(path)


def test_a_full_disk_is_a_clear_error_and_costs_nothing_else(path: Path) -> None:
    """T11-02"""
    with opened(path) as memory:
        db = memory._store._connection()
        db.pragma("max_page_count", db.pragma("page_count") + 8)
        told = 0

        def tell_on() -> None:
            nonlocal told
            while told < 1000:
                memory.add_fact(f"visitor {told}", "LIKES", f"tea {told} {'leaf ' * 100}")
                told += 1

        with pytest.raises(StoreError, match="the disk is full; this change was not written"):
            tell_on()
        for _ in range(2):  # and again, without a word of transactions
            with pytest.raises(StoreError, match="the disk is full"):
                memory.add(f"One more. {'leaf ' * 20_000}")
        assert memory.stats().claims == len(memory.as_of("2030")) == told > 0
        assert memory._store._connection().pragma("integrity_check") == "ok"
        db.pragma("max_page_count", 100_000)
        memory.add_fact("last visitor", "LIKES", "tea")
        assert memory.stats().claims == told + 1


def test_a_backup_of_a_file_in_use_has_the_newest_rows(path: Path, tmp_path: Path) -> None:
    """T14-01"""
    with opened(path) as memory:
        for number in range(10):
            memory.add(f"Line {number}.", extract=False)
        assert memory.backup(tmp_path / "copy.db").episodes == 10
    with opened(tmp_path / "copy.db") as copied:
        assert {episode.content for episode in copied.episodes(limit=20)} == {f"Line {number}." for number in range(10)}
