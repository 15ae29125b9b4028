"""The command line keeps what it was asked, and tells what it answered then and why; a search changes nothing else."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest
from click.testing import CliRunner, Result

from tkgmem import Memory
from tkgmem.cli import main
from tkgmem.cli.session import Session
from tkgmem.testing import HashEmbedder

Run = Callable[..., Result]
OLDER = Path(__file__).parent / "files"


@pytest.fixture
def run(path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    for name in [name for name in os.environ if name.startswith("TKGMEM_")]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(Session, "embedder", staticmethod(lambda: HashEmbedder(16)))

    def command(*args: str, **more: Any) -> Result:
        return CliRunner().invoke(main, ["--db", str(path), *args], **more)

    return command


@pytest.fixture
def told(path: Path) -> None:
    with Memory(path, embedder=HashEmbedder(16)) as memory:
        memory.add("Maya moved to Lisbon in May 2024.")


def rows(path: Path) -> dict[str, list[object]]:
    """All that the file holds, but for the log."""
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    names = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    found: dict[str, list[object]] = {name: db.execute(f'SELECT * FROM "{name}"').fetchall() for name in names}
    found["settings"] = [db.execute(f"PRAGMA {name}").fetchone() for name in ("user_version", "journal_mode", "page_size")]
    db.close()
    found.pop("recalls")
    found["sqlite_sequence"] = [row for row in found["sqlite_sequence"] if row[0] != "recalls"]  # type: ignore[index]
    return found


def test_search_and_context_are_kept_and_change_nothing_else(run: Run, told: None, path: Path) -> None:
    before = rows(path)
    assert run("search", "where does Maya live").exit_code == 0
    assert run("context", "Maya", "--max-tokens", "99").exit_code == 0
    assert run("search", "not this", "--no-log").exit_code == 0
    assert run("context", "nor this", env={"TKGMEM_READ_ONLY": "1"}).exit_code == 0
    assert rows(path) == before
    assert [one.name for one in path.parent.iterdir()] == [path.name]
    found = json.loads(run("recalls", "--json").stdout)["recalls"]
    assert [(one["kind"], one["query"], one["options"]) for one in found] == [
        ("context", "Maya", {"max_tokens": 99}),
        ("search", "where does Maya live", {}),
    ]
    assert found[1]["facts"][0]["target"]["name"] == "Lisbon"
    shown = run("recalls", "--query", "WHERE does Maya live").stdout
    assert "Maya lives in Lisbon (since May 2024)" in shown
    assert "1 fact, 2 names, 1 text" in shown
    assert "max" not in run("recalls", "-n", "1").stdout


def test_a_search_never_waits_or_fails_because_of_the_log(run: Run, told: None, path: Path) -> None:
    other = apsw.Connection(str(path))
    other.execute("BEGIN IMMEDIATE")
    assert "Lisbon" in run("search", "Maya").stdout
    other.execute("ROLLBACK")
    assert "Lisbon" in run("search", "again").stdout
    other.close()
    path.chmod(0o400)
    assert "Lisbon" in run("search", "Maya").stdout
    path.chmod(0o600)
    queries = [one["query"] for one in json.loads(run("recalls", "--json").stdout)["recalls"]]
    assert queries[-1] == "again"
    assert len(queries) == (2 if os.access("/", os.W_OK) else 1)  # for root, any file can be written to


def test_it_is_kept_while_another_memory_has_the_file_open(run: Run, told: None, path: Path) -> None:
    with Memory(path, embedder=HashEmbedder(16)) as memory:
        assert run("search", "Maya").exit_code == 0
        assert [recall.query for recall in memory.recalls()] == ["Maya"]
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_an_old_file_is_not_brought_up_by_a_search(run: Run, path: Path) -> None:
    [first, *_] = sorted(OLDER.glob("*schema*1*.db"))
    path.write_bytes(first.read_bytes())
    assert run("search", "Maya").exit_code == 4
    assert path.read_bytes() == first.read_bytes()
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_why_a_question_was_answered_so(run: Run, told: None) -> None:
    run("search", "where does Maya live")
    run("end", "Maya", "LIVES_IN", "Lisbon", "--at", "2025")
    shown = run("why", "--query", "Where does Maya  live").stdout
    assert "Asked on " in shown
    assert (shown.count("dates in UTC"), shown.count("As it was known")) == (1, 0)
    assert "It gave 1 fact, 2 names, 1 text." in shown
    assert "Maya lives in Lisbon, since May 2024" in shown
    assert "Maya moved to Lisbon in May 2024." in shown
    answer = json.loads(run("why", "--query", "where does Maya live", "--json").stdout)
    assert answer["logged"] is True
    assert [one["fact"]["target"]["name"] for one in answer["whys"]] == ["Lisbon"]


def test_what_was_not_asked_is_asked_as_of_then(run: Run, told: None) -> None:
    shown = run("why", "--query", "where does Maya live", "--at", "2020").stdout
    assert "The log has no such question at or before 2020" in shown
    assert "It gives nothing." in shown
    assert "Lisbon" in run("why", "--query", "where does Maya live").stdout


@pytest.mark.parametrize(
    "args",
    [
        ["why"],
        ["why", "--at", "2025"],
        ["why", "Maya", "--query", "x"],
        ["why", "--query", "x", "--known-at", "2025"],
        ["recalls", "--forget"],
        ["recalls", "--forget", "-y", "--query", "x"],
    ],
)
def test_what_cannot_be_meant_is_a_usage_error(run: Run, told: None, args: list[str]) -> None:
    assert run(*args).exit_code == 2


def test_the_log_can_be_deleted(run: Run, told: None, path: Path) -> None:
    assert run("recalls").stdout == "The log has no questions.\n"
    run("search", "qwertzomat")
    assert b"qwertzomat" in path.read_bytes()
    assert "Deleted 1 question from the recall log." in run("recalls", "--forget", "--yes").stdout
    assert b"qwertzomat" not in path.read_bytes()
    assert json.loads(run("recalls", "--json").stdout)["recalls"] == []
