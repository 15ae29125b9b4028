"""The verb `undo` says in plain words what it takes back, what is believed again, and how to bring it back."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tkgmem.cli import main
from tkgmem.cli.session import Session
from tkgmem.testing import HashEmbedder

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command line on a memory that was told where Maya lives, twice."""
    for name in [name for name in os.environ if name.startswith("TKGMEM_")]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(Session, "embedder", staticmethod(lambda: HashEmbedder(8)))

    def command(*args: str) -> Result:
        return CliRunner().invoke(main, ["--db", str(tmp_path / "me.db"), *args])

    assert command("add", "Maya lives in Porto.", "--reference-time", "2024").exit_code == 0
    assert command("add", "Maya moved to Lisbon in May 2024.", "--reference-time", "2025").exit_code == 0
    return command


def test_the_last_change_is_taken_back_and_again_it_is_back(run: Run) -> None:
    dry = run("undo", "--last", "--dry-run")
    assert dry.stdout.splitlines() == [
        "Would change: 1 statement taken back, 1 text hidden.",
        "No longer believed:",
        "  Maya lives in Lisbon",
        "Believed again, or for longer:",
        "  Maya lives in Porto",
    ]
    assert "Lisbon" in run("as-of", "2025").stdout
    done = run("undo", "--last", "--reason", "told by mistake").stdout.splitlines()
    assert done[0] == "Changed: 1 statement taken back, 1 text hidden."
    assert done[-1] == "What was believed until now stays on record. To undo this: tkgmem undo --change 3"
    assert "Porto" in run("as-of", "2025").stdout
    assert "told by mistake" in run("--json", "changes").stdout
    again = run("undo", "--last").stdout.splitlines()
    assert again[0] == "Changed: 1 statement brought back, 1 text shown again."
    assert again[-3:-1] == ["Ended again, or earlier:", "  Maya lives in Porto"]
    assert "Lisbon" in run("as-of", "2025").stdout


def test_it_speaks_json_and_shows_uuids_only_when_asked(run: Run) -> None:
    [text] = [one for one in json.loads(run("--json", "episodes").stdout)["episodes"] if "Lisbon" in one["content"]]
    document = json.loads(run("--json", "undo", "--episode", text["uuid"], "--dry-run").stdout)
    assert (document["claims"], document["dry_run"], len(document["gone"])) == (1, True, 1)
    assert document["gone"][0] not in run("undo", "--change", "2", "--dry-run").stdout
    assert document["gone"][0] in run("undo", "--change", "2", "--dry-run", "--ids").stdout


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        ((), 2, "say what to undo: --last"),
        (("--last", "--change", "1"), 2, "--last or --change, not both"),
        (("--change", "9"), 5, "no change with the number 9"),
        (("--episode", "nothing"), 5, "'nothing'"),
        (("--last", "--since", "2020"), 2, "not both"),
        (("--until", "2020"), 2, "--until needs --since"),
        (("--since", "2026", "--until", "2025"), 2, "is empty"),
        (("--since", "soon"), 2, "--since"),
    ],
)
def test_what_cannot_be_is_one_line_and_a_code(run: Run, args: tuple[str, ...], code: int, message: str) -> None:
    result = run("undo", *args)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr


def test_a_time_in_which_nothing_was_told_is_said(run: Run) -> None:
    assert run("undo", "--since", "2030").stdout == "There was nothing to take back.\n"
