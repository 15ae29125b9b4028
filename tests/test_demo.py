"""The demo: its file holds the worked example exactly, its answers are right, and it never replaces what is not its own."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tkgmem import Memory
from tkgmem.cli import main
from tkgmem.cli.stories import STORIES


def demo(*args: str) -> Result:
    return CliRunner().invoke(main, ["demo", *args])


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A demo's file and what it printed."""
    path = tmp_path_factory.mktemp("demo") / "demo.db"
    result = demo("--path", str(path))
    assert result.exit_code == 0, result.stderr
    return path, result.stdout


def day(moment: dt.datetime | None) -> str | None:
    return None if moment is None else moment.date().isoformat()


def test_the_worked_example_comes_out_exactly(told: tuple[Path, str]) -> None:
    with Memory(told[0], read_only=True) as memory:
        facts = {
            fact.target.name: (day(fact.valid_at), day(fact.invalid_at), day(fact.created_at), day(fact.expired_at))
            for date in ("2023-01-01", "2025-01-01", "2026-10-01")
            for fact in memory.as_of(date, known_at="2026-10-01", source="小李")
        }
        assert facts == {
            "A 公司": ("2024-03-01", "2026-06-01", "2024-03-05", "2026-06-03"),
            "B 公司": ("2026-06-01", None, "2026-06-03", None),
            "C 公司": ("2022-07-01", "2024-03-01", "2026-07-01", "2026-07-01"),
        }
        assert memory.as_of("2026-10-01", source="小李") == []
        assert [fact.target.name for fact in memory.as_of("2026-07-15", known_at="2026-06-02", source="小李")] == ["A 公司"]


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("2023-01-01", ("C 公司", "2022-07-01", "2024-03-01", "2026-07-01", "2026-07-01")),
        ("2025-01-01", ("A 公司", "2024-03-01", "2026-06-01", "2024-03-05", "2026-06-03")),
        ("2026-10-01", ("B 公司", "2026-06-01", None, "2026-06-03", None)),
        ("2023-01-01 --known-at 2026-06-15", None),
        ("2026-07-15 --known-at 2026-06-02", ("A 公司", "2024-03-01", None, "2024-03-05", None)),
        ("2026-06-02 --known-at 2026-06-02", ("A 公司", "2024-03-01", None, "2024-03-05", None)),
    ],
)
def test_the_worked_example_comes_out_exactly_on_the_command_line(
    told: tuple[Path, str], asked: str, answer: tuple[str | None, ...] | None
) -> None:
    known = [] if "--known-at" in asked else ["--known-at", "2026-10-01"]
    line = ["--db", str(told[0]), "--json", "as-of", *asked.split(), *known, "--source", "小李"]
    facts = json.loads(CliRunner().invoke(main, line).stdout)["facts"]
    dates = ("valid_at", "invalid_at", "created_at", "expired_at")
    found = [(fact["target"]["name"], *(fact[key] and fact[key][:10] for key in dates)) for fact in facts]
    assert found == ([] if answer is None else [answer])


def test_every_question_gets_its_answer(tmp_path: Path) -> None:
    result = demo("--path", str(tmp_path / "demo.db"), "--json")
    answers = json.loads(result.stdout)["answers"]
    assert [[fact["target"]["name"] for fact in answer["facts"]] for answer in answers] == [
        ["C 公司"], [], ["A 公司"], ["A 公司"], ["B 公司"], [],
        ["Northwind"], ["Contoso"], ["Porto"], [], ["Omar"], ["Maya"],
    ]  # fmt: skip
    assert answers[5]["evidence"][0]["content"] == "小李 2026 年 9 月从 B 公司离职。"
    assert [episode["content"] for episode in answers[10]["evidence"]] == ["Correction: Omar took over T-41 on 5 June already."]


def test_each_answer_rests_on_a_sentence_of_the_story(told: tuple[Path, str]) -> None:
    sentences = {telling.text for story in STORIES for telling in story.tellings}
    quoted = [line.split("“")[1].split("”")[0] for line in told[1].splitlines() if "“" in line]
    assert len(quoted) >= 9
    assert set(quoted) <= sentences


def test_the_pictures_show_each_belief_once(told: tuple[Path, str]) -> None:
    lines = told[1].splitlines()
    bars = [line for line in lines if "━━" in line and not line.startswith("━━")]
    assert len(bars) == 4 + 2 + 2 + 3
    jobs = [line[18:].replace("━", "").split() for line in bars[:4]]
    assert jobs == [["A▶"], ["AB▶"], ["CAB▶"], ["CAB"]]


def test_it_fits_a_terminal_of_a_hundred_columns(told: tuple[Path, str]) -> None:
    commands = told[1].index("Try next")
    assert max(len(line) for line in told[1][:commands].splitlines()) <= 100
    assert "None" not in told[1]


def test_it_ends_with_commands_that_work(told: tuple[Path, str]) -> None:
    lines = told[1].splitlines()
    commands = lines[lines.index("Try next") + 1 :]
    assert len(commands) == 4
    for command in commands[:3]:
        verb = command.split(str(told[0]))[1].replace('"', "").split()
        result = CliRunner().invoke(main, ["--db", str(told[0]), *verb])
        assert result.exit_code == 0
        assert any(word in result.stdout for word in ("Lisbon", "T-41", "I joined Contoso in August."))


def test_an_earlier_demo_is_replaced_only_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "demo.db"
    assert demo("--path", str(path)).exit_code == 0
    again = demo("--path", str(path))
    assert again.exit_code == 4
    assert "--force" in again.stderr
    assert demo("--path", str(path), "--force").exit_code == 0


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_another_file_is_never_replaced(tmp_path: Path, force: list[str]) -> None:
    letter, memory = tmp_path / "letter.txt", tmp_path / "me.db"
    letter.write_text("Dear all")
    with Memory(memory) as mine:
        mine.add("A note of mine.", group="other")
    for path in (letter, memory, tmp_path):
        assert demo("--path", str(path), *force).exit_code == 4
    assert letter.read_text() == "Dear all"
    with Memory(memory) as mine:
        assert mine.stats().episodes == 1


def test_a_demo_with_something_added_is_yours(tmp_path: Path) -> None:
    path = tmp_path / "demo.db"
    demo("--path", str(path))
    CliRunner().invoke(main, ["--db", str(path), "add", "I moved to Berlin last week.", "--speaker", "Maya"])
    assert demo("--path", str(path), "--force").exit_code == 4


def test_the_demo_asks_no_model_whatever_the_environment_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TKGMEM_MODEL", "openai/nobody-answers")
    result = demo("--path", str(tmp_path / "demo.db"))
    assert result.exit_code == 0, result.stderr
