"""The README is right: its Python runs, its commands exist, and no command is left out."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from benchmarks import readme
from tkgmem.cli import main

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
BLOCKS = [
    (match["language"], match["code"]) for match in re.finditer(r"```(?P<language>\w*)\n(?P<code>.*?)```", README, re.DOTALL)
]
PYTHON = [code for language, code in BLOCKS if language == "python"]
COMMANDS = [code for language, code in BLOCKS if language in {"sh", "bash", "console", "shell", "text", ""}]
GLOBAL_OPTION = r"(?:--(?:db|group|tz|limit)[ =]\S+\s+|--?[\w-]+\s+)*"


def verbs_in(text: str) -> set[str]:
    """The verbs after `tkgmem`, skipping its own options."""
    return set(re.findall(rf"(?:^|[|;&$`(\s])tkgmem\s+{GLOBAL_OPTION}([a-z][a-z-]*)", text))


def test_there_is_python_and_there_are_commands() -> None:
    assert PYTHON
    assert verbs_in("\n".join(COMMANDS))


@pytest.mark.parametrize("code", PYTHON, ids=[f"block {number}" for number in range(1, len(PYTHON) + 1)])
def test_a_python_block_runs(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {"__name__": "readme"})


def test_every_command_shown_exists() -> None:
    assert isinstance(main, click.Group)
    unknown = verbs_in("\n".join(COMMANDS)) - set(main.list_commands(click.Context(main)))
    assert not unknown


def test_every_command_is_mentioned() -> None:
    mentioned = verbs_in(README) | set(re.findall(r"`([a-z][a-z-]*)`", README))
    assert not set(main.list_commands(click.Context(main))) - mentioned


def test_the_measurements_in_the_readme_are_those_of_the_result_files() -> None:
    results = Path(readme.__file__).parent / "results"
    assert f"{readme.START}\n\n{readme.table(results)}\n\n{readme.END}" in README
