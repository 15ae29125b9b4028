"""A process killed, and the power gone, at any moment: what was acknowledged is there, and the rest can be done."""

from __future__ import annotations

import shutil
from pathlib import Path

import apsw
import pytest

from benchmarks.reliability import kills, power_cuts
from benchmarks.reliability.disk import Operation, watched
from tkgmem import Memory
from tkgmem.store.connection import Store
from tkgmem.testing import HashEmbedder


def opened(path: Path) -> Memory:
    return Memory(path, embedder=HashEmbedder(8))


def test_an_add_killed_between_statements_is_whole_or_not_there_and_can_be_made_again() -> None:
    """T11-01: at every 24th statement, and at all of them in the slow test below."""
    tally = kills.isolated(kills.everywhere, "one add", "statement", 24)
    assert tally.problems == []
    assert tally.kills > 4
    assert {"before", "part", "after"} >= set(tally.found) > {"before"}


@pytest.mark.parametrize("number", [3, 40, 80])
def test_an_add_that_is_interrupted_changes_nothing_that_was_told_and_can_be_made_again(path: Path, number: int) -> None:
    """T09-06"""
    text = "Bo moved to Porto in 2021."
    with opened(path) as memory:
        memory.add("Bo lives in Rome since 2019.", reference_time="2020-01-01")
        left = number

        def interrupt(_: apsw.Connection, __: str, ___: object) -> bool:
            nonlocal left
            left -= 1
            if left == 0:
                raise KeyboardInterrupt
            return True

        db = memory._store._connection()
        db.exec_trace = interrupt
        with pytest.raises(KeyboardInterrupt):
            memory.add(text, reference_time="2022-01-01")
        db.exec_trace = None
        assert [fact.target.name for fact in memory.as_of("2020-06-01")] == ["Rome"]
        assert memory.doctor().ok
        memory.add(text, reference_time="2022-01-01")
        assert [fact.target.name for fact in memory.as_of("2022-06-01")] == ["Porto"]
        assert (memory.stats().episodes, memory.stats().claims, memory.stats().pending) == (2, 2, 0)


@pytest.mark.slow
@pytest.mark.parametrize(("at", "stride"), [("statement", 1), ("write", 5)])
def test_an_add_killed_at_any_statement_or_write_is_whole_or_not_there(at: kills.Place, stride: int) -> None:
    """T11-01"""
    tally = kills.isolated(kills.everywhere, "one add", at, stride)
    assert tally.problems == []
    assert tally.kills > 100 / stride


@pytest.mark.slow
def test_every_kind_of_work_survives_a_kill_at_a_random_moment() -> None:
    found = kills.isolated(kills.kill_all, dict.fromkeys(kills.SHARES, 2), 1, kills.SEED)
    assert found["examples"] == []
    assert found["kills"] == 2 * len(kills.SHARES)


def test_what_was_acknowledged_survives_a_power_cut() -> None:
    found = power_cuts.cut_all(["one add"], 2, seed=1)
    assert found["examples"] == []
    assert found["states"] == 2 * len(power_cuts.FATES)


@pytest.mark.slow
def test_every_kind_of_work_survives_power_cuts() -> None:
    found = power_cuts.cut_all(power_cuts.WORKS, 3, seed=2)
    assert found["examples"] == []


@pytest.mark.slow
def test_the_simulated_power_cut_loses_what_is_not_synced(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the tests above say something."""
    prepare = Store._prepare

    def careless(store: Store, db: object) -> None:
        prepare(store, db)
        db.pragma("synchronous", "normal")

    monkeypatch.setattr(Store, "_prepare", careless)
    found = power_cuts.cut_all(["ingest"], 6, seed=1)
    assert found["problems"]


def test_a_file_left_at_any_write_of_closing_and_opening_opens_with_everything_in_it(tmp_path: Path) -> None:
    """A journal that SQLite has to roll back may lie beside it, which nobody else's lock must prevent."""
    folder, left = tmp_path / "used", tmp_path / "left"
    folder.mkdir()
    with opened(folder / "me.db") as memory:
        memory.add_fact("Ann", "LIKES", "tea")
    copies: list[set[str]] = []

    def leave(operation: Operation) -> None:
        if operation.action not in ("open", "read"):
            shutil.copytree(folder, left / str(len(copies)))
            copies.append({file.name for file in folder.iterdir()})

    with watched(leave), opened(folder / "me.db"):
        pass
    assert any("me.db-journal" in files for files in copies)
    for number in range(len(copies)):
        with opened(left / str(number) / "me.db") as memory:
            assert memory.stats().claims == 1
        assert [file.name for file in (left / str(number)).iterdir()] == ["me.db"]
