"""The README is right: its Python runs, its commands exist, and no command is left out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click
import pytest

from benchmarks import readme
from tests.loopback import Loopback
from tkgmem import Memory
from tkgmem.cli import main
from tkgmem.testing import HashEmbedder

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


def test_the_assistant_of_the_readme_answers_with_what_it_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    [code] = [block for block in PYTHON if "def turn(" in block]
    there: dict[str, Any] = {"__name__": "readme"}
    exec(compile(code, "README.md", "exec"), there)
    with Loopback(["In Lisbon.", "Since May 2024."]) as server, Memory(":memory:", embedder=HashEmbedder(64)) as memory:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        memory.add("I moved to Lisbon in May 2024.", speaker="Maya")
        assert there["turn"](memory, "Where do I live?", model="openai/loopback") == "In Lisbon."
        assert there["turn"](memory, "Since when?", model="openai/loopback") == "Since May 2024."
        assert "Maya moved to Lisbon" in server.calls[0].system or "I moved to Lisbon" in server.calls[0].system
        assert [one.content for one in reversed(memory.episodes(name="chat"))] == [
            "Where do I live?", "In Lisbon.", "Since when?", "Since May 2024.",
        ]  # fmt: skip


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
