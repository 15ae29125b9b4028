"""What changed, on the command line: for people, for programs, and asked in words."""

from __future__ import annotations

import datetime as dt
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from rich.cells import cell_len

from tkgmem import Memory
from tkgmem.cli import dates, main
from tkgmem.cli.differences import Page
from tkgmem.cli.screen import Screen
from tkgmem.cli.session import Session
from tkgmem.temporal import since
from tkgmem.testing import FixedClock, HashEmbedder

Run = Callable[..., Result]


def at(date: str) -> dt.datetime:
    return dt.datetime.fromisoformat(date).replace(tzinfo=dt.UTC)


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the story of these tests, which they only read."""
    path = tmp_path_factory.mktemp("diff") / "me.db"
    tell(path)
    return path


@pytest.fixture
def run(story: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command line on the story."""
    monkeypatch.setattr(Session, "embedder", staticmethod(lambda: HashEmbedder(8)))
    return lambda *args, **more: CliRunner().invoke(main, ["--db", str(story), *args], env={"TKGMEM_DB": None}, **more)


def tell(path: Path) -> None:
    clock = FixedClock(at("2026-01-05"))
    with Memory(path, embedder=HashEmbedder(8), clock=clock) as memory:
        memory.add_fact("小李", "WORKS_AT", "A 公司", valid_at="2024-03-01")
        home = memory.add_fact("Maya", "LIVES_IN", "Lisbon", valid_at="2024-05")
        wrong = memory.add_fact("Maya", "LIKES", "chess")
        clock.set(at("2026-06-03T22:30"))
        memory.add_fact("小李", "WORKS_AT", "B 公司", valid_at="2026-06-01")
        clock.set(at("2026-06-10"))
        memory.correct(home.uuid, valid_at="2024-04", reason="typing\x1b[31m error")
        memory.retract(wrong.uuid)
        memory.add_fact("Omar", "LIKES", "tea")
        memory.merge_entities("Maya", "Omar")
        memory.forget(fact=memory.add_fact("Ana", "LIKES", "jazz").uuid)


def answer(result: Result) -> Any:
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


# --- for people ---


def test_the_worked_example_reads_as_one_learned_and_one_ended(run: Run) -> None:
    assert run("diff", "2026-06-02", "2026-06-04").stdout.splitlines() == [
        "What changed between 2 June 2026 and 4 June 2026  (dates in UTC)",
        "",
        "Learned",
        "  小李 works at B 公司, since 1 June 2026  (learned 3 June 2026)",
        "",
        "Ended",
        "  小李 works at A 公司",
        "    before: since 1 March 2024",
        "    after: from 1 March 2024 until 1 June 2026",
        "    why: replaced by 小李 works at B 公司, since 1 June 2026 (learned 3 June 2026)",
    ]


def test_each_kind_of_change_says_what_was_before_and_why(run: Run) -> None:
    shown = run("diff", "2026-06-05").stdout
    assert shown.startswith("What changed since 5 June 2026")
    assert (
        "Corrected\n  Maya lives in Lisbon\n    before: since May 2024\n    after: since April 2024\n"
        "    why: corrected on 10 June 2026: typing\N{REPLACEMENT CHARACTER}[31m error\n"
    ) in shown
    assert "No longer believed\n  Maya likes chess, since an unknown date\n    retracted on 10 June 2026\n" in shown
    assert "Deleted for good\n  10 June 2026: 1 statement, 1 fact, 2 entities\n" in shown
    assert (
        "Changed as a consequence\n  Maya likes tea\n"
        "    before: Omar likes tea, since an unknown date\n    after: since an unknown date\n"
        "    why: on 10 June 2026 two names were joined as one\n"
    ) in run("diff", "2026-06-10T00:00:00.000002+00:00").stdout


def test_days_are_those_of_the_asked_zone(run: Run) -> None:
    shown = run("diff", "2026-06-04", "2026-06-05", "--tz", "Asia/Shanghai").stdout
    assert "(dates in Asia/Shanghai)" in shown
    assert "(learned 4 June 2026)" in shown
    assert "Nothing changed between 4 June 2026 and 5 June 2026." in run("diff", "2026-06-04", "2026-06-05").stdout


def test_uuids_are_shown_when_asked_for_only(run: Run) -> None:
    uuid = answer(run("diff", "2026-06-02", "2026-06-04", "--json"))["learned"][0]["after"]["uuid"]
    assert uuid not in run("diff", "2026-06-02", "2026-06-04").stdout
    assert f"uuid: {uuid}" in run("diff", "2026-06-02", "2026-06-04", "--ids").stdout


def test_one_entity_or_the_world_is_asked_for(run: Run) -> None:
    shown = run("diff", "2026-06-05", "--entity", "Maya").stdout
    assert shown.startswith("What changed about Maya since 5 June 2026")
    assert ("Lisbon" in shown, "Deleted" in shown) == (True, False)
    world = run("diff", "2026-05-01", "2026-07-01", "--valid").stdout
    assert world.startswith("What is different in the world between 1 May 2026 and 1 July 2026")
    assert "Began\n  小李 works at B 公司, since 1 June 2026\n" in world
    assert "    then: 小李 works at B 公司, since 1 June 2026\n" in world
    then = run("diff", "2026-05-01", "2026-07-01", "--valid", "--known-at", "2026-06-01").stdout
    assert "Nothing is different in the world between 1 May 2026 and 1 July 2026, as believed at 2026-06-01." in then


def test_an_undo_in_the_list_says_that_it_took_back(run: Run, path: Path) -> None:
    with Memory(path, embedder=HashEmbedder(8)) as memory:
        memory.add_fact("Maya", "LIKES", "tea")
        memory.undo(change=1)
        memory.undo(change=2)
    last, before, *_ = run("--db", str(path), "changes").stdout.splitlines()[3:]
    assert "undone     brought back 1 statement" in last
    assert "undone     took back 1 statement" in before


class _Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("columns", [40, 80])
def test_many_changes_are_cut_on_a_terminal_and_fit_its_width(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    stream = _Terminal()
    with Memory(":memory:", embedder=HashEmbedder(8), clock=FixedClock(at("2026-06-03"))) as memory:
        for number in range(25):
            memory.add_fact("小李", "LIKES", f"第 {number} 种茶 of the garden behind the house")
        Page(Screen(stream, dates.UTC), memory.diff("2026"), most=20).show()
    lines = stream.getvalue().splitlines()
    assert lines[-1].strip().endswith("... and 5 more; --limit 25 shows all\x1b[0m") or columns == 40
    assert "第 19 种茶" in stream.getvalue()
    assert "第 20 种茶" not in stream.getvalue()
    plain = [line.replace("\x1b[1m", "").replace("\x1b[2m", "").replace("\x1b[0m", "") for line in lines]
    assert max(map(cell_len, plain)) <= columns


def test_into_a_pipe_nothing_is_cut_unless_asked(run: Run, story: Path, path: Path) -> None:
    shutil.copy(story, path)
    with Memory(path, embedder=HashEmbedder(8), clock=FixedClock(at("2026-07-01"))) as memory:
        for number in range(5):
            memory.add_fact("小李", "LIKES", f"tea {number}")
    assert "tea 4" in run("--db", str(path), "diff", "2026-06-20").stdout
    cut = run("--db", str(path), "diff", "2026-06-20", "-n", "3").stdout
    assert "Learned: 5" in cut
    assert "  ... and 2 more; --limit 5 shows all" in cut
    assert "tea 3," not in cut


# --- for programs ---


def test_programs_get_lists_or_a_line_each(run: Run) -> None:
    found = answer(run("diff", "2026-06-02", "2026-06-04", "--json"))
    assert [len(found[name]) for name in ("learned", "ended", "corrected", "retracted", "revised", "forgotten")] == [
        1,
        1,
        0,
        0,
        0,
        0,
    ]
    assert found["ended"][0]["after"]["invalid_at"] == "2026-06-01T00:00:00+00:00"
    assert found["ended"][0]["by"]["verb"] == "assert"
    lines = [json.loads(line) for line in run("diff", "2026-06-02", "2026-06-04", "--nl").stdout.splitlines()]
    assert [line["list"] for line in lines] == ["learned", "ended"]


# --- asked in words ---

WEDNESDAY = dt.datetime(2026, 6, 10, 15, tzinfo=dt.timezone(dt.timedelta(hours=2)))


@pytest.mark.parametrize(
    ("question", "start", "end", "rest"),
    [
        ("what changed about Ana since Monday?", "2026-06-08", None, "what changed about Ana"),
        ("What's new this week", "2026-06-08", None, ""),
        ("what did you learn between 2 and 4 June?", "2026-06-02", "2026-06-05", ""),
        ("yesterday", "2026-06-09", "2026-06-10", ""),
        ("what happened in the last two days", "2026-06-08", None, ""),
        ("what happened to May since March", "2026-03-01", None, "what happened to May"),
        ("小李从周一以来有什么变化？", "2026-06-08", None, "小李 有什么变化"),
        ("昨天学到了什么", "2026-06-09", "2026-06-10", ""),
    ],
)
def test_a_question_names_its_time_and_what_it_is_about(question: str, start: str, end: str | None, rest: str) -> None:
    asked = since.read(question, WEDNESDAY)
    assert asked is not None

    def day(micros: int | None) -> str | None:
        return None if micros is None else dt.datetime.fromtimestamp(micros / 1e6, WEDNESDAY.tzinfo).isoformat(" ")[:-15]

    assert (day(asked.start), day(asked.end), asked.rest) == (start, end, rest)


@pytest.mark.parametrize("question", ["what changed about Ana", "until May", "what changes next week", ""])
def test_a_question_without_a_beginning_names_no_time(question: str) -> None:
    assert since.read(question, WEDNESDAY) is None


def test_a_question_is_answered_from_the_time_that_it_names(run: Run) -> None:
    result = run("diff", "what changed about 小李 since 2 June 2026?")
    assert result.stderr == "Read as since 2 June 2026.\n"
    assert result.stdout.startswith("what changed about 小李 since 2 June 2026?  (dates in UTC)\n")
    assert ("B 公司" in result.stdout, "Maya" in result.stdout) == (True, False)
    assert "Maya" in run("diff", "what", "changed", "since", "2026-06-02").stdout
    assert "Lisbon" not in run("diff", "2026-06-02", "about 小李").stdout


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), "no time was given to compare with now; say since when"),
        (("what changed about Ana",), "'what changed about Ana' names no time"),
        (("2026-13-01",), "SINCE: not a date: '2026-13-01'"),
        (("2026", "2026-31-12"), "UNTIL: not a date: '2026-31-12'"),
        (("2024", "2025", "2026"), "two dates at most"),
        (("2026", "2025"), "2025 is before 2026; give the earlier date first"),
        (("2025", "--known-at", "2026"), "--known-at goes with --valid"),
        (("2025", "about Ana", "--query", "Bo"), "leave out --query"),
        (("2025", "about Ana", "--entity", "Bo"), "--entity or a question, not both"),
    ],
)
def test_what_cannot_be_meant_is_a_usage_error(run: Run, args: tuple[str, ...], message: str) -> None:
    result = run("diff", *args)
    assert result.exit_code == 2
    assert message in result.stderr


def test_an_unknown_entity_is_not_found(run: Run) -> None:
    assert run("diff", "2025", "--entity", "Nobody").exit_code == 5


# --- the list of changes ---


def test_changes_are_listed_newest_first_with_numbers(run: Run) -> None:
    lines = run("changes").stdout.splitlines()
    assert lines[0] == "What changed, newest first  (dates in UTC)"
    assert [line.split()[0] for line in lines[3:]] == [str(number) for number in range(len(lines) - 3, 0, -1)]
    words = [" ".join(line.split()) for line in lines]
    assert "4 2026-06-03 22:30Z recorded 小李 works at B 公司" in words
    assert "5 2026-06-10 corrected Maya lives in Lisbon typing\N{REPLACEMENT CHARACTER}[31m error" in words
    assert "8 2026-06-10 names joined Omar is Maya" in words


def test_older_changes_are_announced(run: Run) -> None:
    result = run("changes", "-n", "2", "--until", "2026-06-01")
    assert len(result.stdout.splitlines()) == 5
    assert result.stderr == "There are older ones; -n tells how many to show.\n"
    assert run("changes", "--since", "2027").stdout.startswith("Nothing changed.")
    assert [change["number"] for change in answer(run("changes", "--json", "-n", "1"))["changes"]] == [10]
