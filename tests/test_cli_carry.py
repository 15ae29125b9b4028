"""The command line carries a memory: export, import, merge and share say what they brought, in words and as JSON."""

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
    """Run a command line in a folder of its own; the first argument names the memory."""
    for name in [name for name in os.environ if name.startswith("TKGMEM_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Session, "embedder", staticmethod(lambda: HashEmbedder(16)))

    def command(memory: str, *args: str, **more: object) -> Result:
        return CliRunner().invoke(main, ["--db", memory, *args], **more)  # type: ignore[arg-type]

    return command


@pytest.fixture
def told(run: Run) -> Run:
    assert run("me.db", "add", "Maya moved to Lisbon in May 2024.", "--reference-time", "2025").exit_code == 0
    assert run("me.db", "add-fact", "Zoë", "LIVES_IN", "Malmö", "--valid-at", "2020").exit_code == 0
    return run


def said(result: Result, code: int = 0) -> str:
    assert result.exit_code == code, result.stderr
    return result.stdout if code == 0 else result.stderr


def test_a_merge_says_what_it_brought_and_what_is_told_differently(told: Run) -> None:
    told("b.db", "add-fact", "Zoë", "LIVES_IN", "Oslo", "--valid-at", "2020")
    lines = said(told("me.db", "merge", "b.db")).splitlines()
    assert lines[0] == "Merged b.db: 1 new statement, 2 new entities, 1 joined by name."
    assert lines[1].startswith("  told differently: from 2020-01-01 on: Zoë LIVES_IN Malmö / Zoë LIVES_IN Oslo;")
    assert said(told("me.db", "merge", "b.db")) == "Merged b.db: nothing new.\n"
    report = json.loads(said(told("me.db", "merge", "b.db", "--json")))
    assert (report["claims"], report["conflicts"]) == (0, [])


def test_an_export_comes_back_through_a_pipe(told: Run) -> None:
    assert said(told("me.db", "export", "me.jsonl")).startswith("Wrote me.jsonl: 1 text, 2 statements, 4 entities, ")
    text = said(told("me.db", "export", "-"))
    assert text == Path("me.jsonl").read_text("utf-8")
    assert said(told("new.db", "import", "-", input=text)) == "Took in -: 1 new text, 2 new statements, 4 new entities.\n"
    assert "Malmö" in said(told("new.db", "as-of", "2026"))
    assert "is there already" in said(told("me.db", "export", "me.jsonl"), 4)


def test_a_pipe_is_utf_8_whatever_the_console_is(told: Run) -> None:
    done = CliRunner(charset="ascii").invoke(main, ["--db", "me.db", "export", "-"])
    assert done.exit_code == 0
    assert "Zoë" in done.stdout_bytes.decode("utf-8")


def test_a_csv_folder_is_written_once(told: Run) -> None:
    said(told("me.db", "export", "graph", "--format", "csv"))
    assert "Malmö" in Path("graph/nodes.csv").read_text("utf-8")
    assert "graph" in said(told("me.db", "export", "graph", "--format", "csv"), 4)


def test_a_part_is_shared_by_name_and_time(told: Run) -> None:
    assert said(told("me.db", "share", "zoe.db", "--entity", "Zoë")).startswith(
        "Wrote zoe.db: 0 texts, 1 statement, 2 entities, "
    )
    assert "Lisbon" not in said(told("zoe.db", "as-of", "2026"))
    assert said(told("me.db", "share", "old.db", "--until", "2025-06", "--no-episodes")).startswith(
        "Wrote old.db: 0 texts, 1 statement"
    )
    assert "no entity has the name" in said(told("me.db", "share", "x.db", "--entity", "Nobody"), 5)


def test_a_dry_run_of_an_import_makes_no_file(told: Run) -> None:
    Path("notes").mkdir()
    Path("notes/2024-05-17.md").write_text("Maya moved to Lisbon.", "utf-8")
    assert said(told("new.db", "import", "notes", "--dry-run")) == "Would take in notes: 1 new text.\n"
    assert not Path("new.db").exists()
    assert said(told("new.db", "import", "notes", "notes")) == "Took in notes: 1 new text, 1 new statement, 2 new entities.\n"
    assert said(told("new.db", "import", "notes", "--dry-run")) == "Would take in notes: 1 known already.\n"


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["merge", "no.db"], 4, "there is no memory at no.db"),
        (["merge", "me.jsonl"], 4, "not an SQLite file"),
        (["import", "no.jsonl"], 4, "there is no file no.jsonl"),
        (["import", "me.db"], 2, "tkgmem merge"),
        (["import", "notes.bin"], 2, "of no format that is known"),
        (["import", "empty"], 4, "a folder without conversations or notes"),
        (["import", "me.jsonl", "--speaker", "Ana"], 2, "are for texts"),
        (["import", "a.jsonl", "b.jsonl"], 2, "give one path"),
        (["import", "notes", "me.jsonl", "--format", "claude"], 2, "said twice"),
        (["import", "claude", "me.jsonl"], 2, "nothing there could be read as claude: me.jsonl, conversation 0"),
        (["import", "me.jsonl", "--later", "--no-extract"], 2, "exclude each other"),
        (["export", "no/x.jsonl"], 4, "the folder no does not exist"),
        (["share", "me.db"], 4, "is there already"),
    ],
)
def test_what_cannot_be_is_one_line_and_a_code(told: Run, args: list[str], code: int, message: str) -> None:
    said(told("me.db", "export", "me.jsonl"))
    Path("notes.bin").write_text("hello", "utf-8")
    Path("empty").mkdir()
    text = said(told("me.db", *args), code)
    assert message in text
    assert text.count("\n") == 1
