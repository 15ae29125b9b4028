"""A disk that is full or broken, and a file that is taken away while it is open: clear errors, and nothing half written."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import apsw
import pytest

from benchmarks.reliability import faults
from benchmarks.reliability.kills import isolated
from tkgmem import Memory, StoreError
from tkgmem.testing import HashEmbedder


def opened(path: Path) -> Memory:
    return Memory(path, embedder=HashEmbedder(8))


def test_a_full_or_broken_disk_in_an_add_is_a_clear_error_and_the_add_can_be_made_again() -> None:
    """T11-02"""
    found = isolated(partial(faults.break_all, ends=False), ["one add"], dict.fromkeys(faults.PLACES, 1))
    assert found["examples"] == []
    for kind in ("write: FullError", "write: IOError", "sync: IOError", "read: IOError"):
        assert found["kinds"][kind]["add"]["errors"] == {"StoreError": 2}


@pytest.mark.slow
@pytest.mark.parametrize("name", faults.WORKS)
def test_a_full_or_broken_disk_in_any_call_is_a_clear_error_and_the_call_can_be_made_again(name: str) -> None:
    """T11-02"""
    found = isolated(faults.break_all, [name], dict.fromkeys(faults.PLACES, 1))
    assert found["examples"] == []
    assert found["faults"] > 20


def test_an_error_while_rolling_back_does_not_take_the_place_of_the_first(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(path) as memory:
        memory.add_fact("Ann", "LIKES", "tea")

        def refuse(_: apsw.Connection, statement: str, __: object) -> bool:
            if statement == "ROLLBACK":
                raise apsw.IOError("the second")
            if statement.startswith("INSERT INTO claims"):
                raise apsw.FullError("the first")
            return True

        memory._store._connection().exec_trace = refuse
        with pytest.raises(StoreError, match="the disk is full") as raised:
            memory.add_fact("Ann", "LIKES", "rain")
        assert str(raised.value.__cause__) == "the first"


@pytest.mark.parametrize("how", ["deleted", "renamed", "replaced"])
def test_nothing_is_written_to_a_file_that_was_taken_away(path: Path, tmp_path: Path, how: str) -> None:
    with opened(path) as memory:
        memory.add_fact("Ann", "LIKES", "tea")
        other = tmp_path / "other.db"
        with opened(other) as another:
            another.add_fact("Bo", "LIKES", "rain")
        if how == "deleted":
            path.unlink()
        elif how == "renamed":
            path.rename(tmp_path / "elsewhere.db")
        else:
            other.replace(path)
        with pytest.raises(StoreError, match=r"me\.db was deleted, renamed or replaced while it was open; nothing was written"):
            memory.add_fact("Ann", "LIKES", "coffee")
        assert [fact.target.name for fact in memory.as_of("2030")] == ["tea"]
    if how == "replaced":
        for side in tmp_path.glob("me.db-*"):
            side.unlink()
        with opened(path) as memory:
            assert [fact.target.name for fact in memory.as_of("2030")] == ["rain"]
