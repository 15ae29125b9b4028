"""What starting loads: nothing that the asked verb does not need. Told by the modules that are there, not by time."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import click
import pytest

import tkgmem
from tkgmem import Memory
from tkgmem.cli import main
from tkgmem.cli.verbs import VERBS

ROOT = Path(tkgmem.__file__).parent.parent
HEAVY = {"apsw", "numpy", "jsonschema", "onnxruntime", "tokenizers", "litellm", "rich", "mcp", "pydantic"}


def loaded(code: str) -> set[str]:
    """The modules that are loaded after this code, in a process of its own."""
    line = f"import sys\n{code}\nprint('loaded:', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(done.stdout.splitlines()[-1].split()[1:])


def test_the_package_alone_loads_nothing_else() -> None:
    modules = loaded("import tkgmem")
    assert not modules & {*HEAVY, "click", "tkgmem.memory"}


def test_a_memory_that_reads_facts_or_keeps_a_text_for_later_loads_neither(path: Path) -> None:
    modules = loaded(
        "from tkgmem import Memory\n"
        f"with Memory({str(path)!r}) as memory:\n"
        "    memory.add('Maya moved to Lisbon in May 2024.', extract='later')\n"
        "    memory.as_of('2024-06-01'), memory.episodes(), memory.stats()"
    )
    assert not modules & (HEAVY - {"apsw"})


def test_a_verb_loads_its_own_module_alone() -> None:
    modules = loaded("from tkgmem.cli import main\nmain(['path', '--json'], standalone_mode=False)")
    assert "tkgmem.cli.read" in modules
    assert not modules & {*HEAVY, "tkgmem.memory", "tkgmem.cli.write", "tkgmem.cli.demo"}


def test_a_verb_that_reads_facts_loads_neither_a_model_nor_numpy(path: Path) -> None:
    with Memory(path) as memory:  # the file of the model that ships, which reading it does not load
        memory.add("Maya moved to Lisbon in May 2024.")
    given = ["--db", str(path), "as-of", "2024-06-01", "--json"]
    modules = loaded(f"from tkgmem.cli import main\nmain({given}, standalone_mode=False)")
    assert "tkgmem.memory" in modules
    assert not modules & (HEAVY - {"apsw"})


@pytest.mark.parametrize("line", ["--help", "--version", "nothing"])
def test_what_asks_for_no_verb_loads_none(line: str) -> None:
    modules = loaded(f"from tkgmem.cli import main\ntry: main([{line!r}])\nexcept SystemExit: pass")
    assert "tkgmem.cli.app" in modules
    assert not modules & {*HEAVY, "tkgmem.memory", *(f"tkgmem.cli.{module}" for module in VERBS)}


@pytest.mark.parametrize("width", [40, 80, 400])
def test_the_list_of_verbs_is_as_click_writes_it(width: int) -> None:
    context = main.make_context("tkgmem", ["path"])
    ours, clicks = click.HelpFormatter(width=width), click.HelpFormatter(width=width)
    main.format_commands(context, ours)
    click.Group.format_commands(main, context, clicks)
    assert ours.getvalue() == clicks.getvalue()


def test_every_module_adds_the_verbs_that_are_said_of_it() -> None:
    context = main.make_context("tkgmem", ["path"])
    for module, verbs in VERBS.items():
        importlib.import_module(f"tkgmem.cli.{module}")
        for verb, does in verbs.items():
            command = main.get_command(context, verb)
            assert command is not None
            assert command.callback is not None
            assert command.callback.__module__ == f"tkgmem.cli.{module}"
            assert command.get_short_help_str(1000) == does
    assert sorted(main.commands) == main.list_commands(context)


@pytest.mark.parametrize("name", ["nothing", "", "Path"])
def test_there_is_no_other_verb(name: str) -> None:
    assert main.get_command(main.make_context("tkgmem", ["path"]), name) is None
