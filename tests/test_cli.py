"""The command line: every verb, both forms of output, dates in words, and errors as exit codes."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tkgmem import Memory
from tkgmem.cli import dates, main
from tkgmem.cli.app import exit_code
from tkgmem.cli.screen import Screen
from tkgmem.cli.session import Session
from tkgmem.errors import (
    AmbiguousName,
    BadResponse,
    EmbedderMismatch,
    FileBusy,
    InvalidPeriod,
    ModelFileMissing,
    NotFound,
    WriteConflict,
)
from tkgmem.testing import HashEmbedder

Run = Callable[..., Result]
REPOSITORY = Path(__file__).parent.parent


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No TKGMEM_* of the machine, and a data folder that is nobody's."""
    for name in [name for name in os.environ if name.startswith("TKGMEM_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "data"))


@pytest.fixture
def run(path: Path, environment: None, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command line on the file of this test, without weights: every command would load them again."""
    monkeypatch.setattr(Session, "embedder", staticmethod(lambda: HashEmbedder(64)))
    return real(path)


@pytest.fixture
def run_with_model(path: Path, environment: None) -> Run:
    """Run a command line on the file of this test with the model that ships, as another process would."""
    return real(path)


def real(path: Path) -> Run:
    def command(*args: str, **more: Any) -> Result:
        return CliRunner().invoke(main, ["--db", str(path), *args], **more)

    return command


def answer(result: Result) -> Any:
    """The JSON of a command that went well."""
    assert result.exit_code == 0, result.stderr
    assert result.stdout.isascii()
    return json.loads(result.stdout)


def uuid_of(run: Run, *args: str) -> str:
    return str(answer(run("add-fact", *args, "--json"))["uuid"])


# --- the worked example ---

WORKED = [
    ("A 公司", "2024-03-01"),
    ("B 公司", "2026-06-01"),
    ("C 公司", "2022-07-01"),
]


@pytest.fixture
def worked(run: Run) -> Run:
    for target, valid_at in WORKED:
        assert run("add-fact", "小李", "WORKS_AT", target, "--valid-at", valid_at).exit_code == 0
    return run


@pytest.mark.parametrize(
    ("date", "target", "bounds"),
    [
        ("2023-01-01", "C 公司", ("2022-07-01", "2024-03-01")),
        ("2025-01-01", "A 公司", ("2024-03-01", "2026-06-01")),
        ("2026-10-01", "B 公司", ("2026-06-01", None)),
    ],
)
def test_as_of_gives_the_worked_example(worked: Run, date: str, target: str, bounds: tuple[str, str | None]) -> None:
    [fact] = answer(worked("as-of", date, "--json"))["facts"]
    assert fact["target"]["name"] == target
    assert fact["valid_at"] == f"{bounds[0]}T00:00:00+00:00"
    assert fact["invalid_at"] == (bounds[1] and f"{bounds[1]}T00:00:00+00:00")


def test_as_of_before_anything_was_told_knows_nothing(worked: Run) -> None:
    result = worked("as-of", "2025-01-01", "--known-at", "2000")
    assert result.exit_code == 0
    assert "Nothing is known to hold at 2025-01-01, as believed at 2000" in result.stdout


def test_leaving_a_job_ends_it_and_nothing_else(worked: Run) -> None:
    ended = worked("end", "小李", "WORKS_AT", "B 公司", "--at", "2026-09")
    assert "Ended: 小李 works at B 公司, from 1 June 2026 until September 2026." in ended.stdout
    assert answer(worked("as-of", "2026-10-01", "--json"))["facts"] == []
    assert [fact["target"]["name"] for fact in answer(worked("as-of", "2026-08-01", "--json"))["facts"]] == ["B 公司"]


def test_a_timeline_reads_in_order_of_valid_time(worked: Run) -> None:
    table = worked("timeline", "小李").stdout
    assert "None" not in table
    rows = [line.split() for line in table.splitlines() if "公司" in line]
    assert [row[:2] for row in rows] == [["2022-07-01", "2024-03-01"], ["2024-03-01", "2026-06-01"], ["2026-06-01", "now"]]


# --- telling ---


def test_add_tells_what_it_understood_in_words(run: Run) -> None:
    run("add", "Maya works at Northwind since January 2024.", "--reference-time", "2025-01-10")
    result = run("add", "I joined Contoso in August.", "--speaker", "Maya", "--reference-time", "2025-09-01")
    assert result.exit_code == 0
    words = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert words == [
        "Remembered, told by Maya on 1 September 2025.",
        "Understood",
        "Maya works at Contoso since August 2025",
        "No longer current",
        "Maya works at Northwind from January 2024 until August 2025",
    ]
    assert answer(run("episodes", "--json"))["episodes"][0]["source"] == "message"


def test_add_says_when_nothing_was_understood(run: Run) -> None:
    result = run("add", "well", "well")
    assert "No dated fact was understood" in result.stdout
    assert answer(run("episodes", "--json"))["episodes"][0]["content"] == "well well"


def test_add_reads_standard_input_without_its_last_newline(run: Run) -> None:
    assert answer(run("add", "-", "--json", input="Tea.\n"))["episode"]["content"] == "Tea."
    assert answer(run("add", "--json", input="More tea.\n"))["episode"]["content"] == "More tea."


def test_add_keeps_a_file_word_for_word(run: Run, tmp_path: Path) -> None:
    text = tmp_path / "note.txt"
    text.write_bytes("Zwei\r\nZeilen, ohne Umlaut: ü\n".encode())
    assert answer(run("add", "--file", str(text), "--json"))["episode"]["content"] == "Zwei\r\nZeilen, ohne Umlaut: ü\n"


def test_add_without_extract_makes_no_facts(run: Run) -> None:
    assert answer(run("add", "Maya works at Northwind.", "--no-extract", "--json"))["facts"] == []


def test_json_lines_are_added_in_order_with_shared_options(run: Run) -> None:
    lines = [
        {"content": "I moved to Lisbon in May 2024.", "speaker": "Maya", "reference_time": "2024-06-01"},
        {"content": "Nice.", "reference_time": "2024-06-02", "metadata": {"turn": 2}, "speaker": None},
    ]
    result = run("add", "--jsonl", "-", "--name", "chat", "--json", input="\n\n".join(map(json.dumps, lines)))
    document = answer(result)
    assert (document["episodes"], document["facts"], document["warnings"]) == (2, 1, 0)
    assert [item["episode"]["content"] for item in document["results"]] == [line["content"] for line in lines]
    assert {item["episode"]["name"] for item in document["results"]} == {"chat"}
    assert document["results"][1]["episode"]["metadata"] == {"turn": 2}


def test_many_texts_are_summed_up(run: Run) -> None:
    result = run("add", "--jsonl", "-", input='{"content": "one"}\n{"content": "two"}')
    assert result.stdout.startswith("Remembered 2 texts in ")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "line 2: not JSON"),
        ("[1]", "line 2: not a JSON object"),
        ('{"content": "x", "colour": "red"}', "line 2: unknown member 'colour'"),
        ('{"speaker": "Maya"}', "line 2: content is missing"),
        ('{"content": 5}', "line 2: content is 5, not a text"),
        ('{"content": "x", "reference_time": "soon"}', "line 2: not a date: 'soon'"),
        ('{"content": " "}', "line 2: content is empty"),
        ('{"content": "x", "source": "radio"}', "line 2: unknown source 'radio'"),
        ('{"content": "x", "group": " "}', "line 2: a group is a name"),
        ("[" * 100_000, "line 2: "),
    ],
)
def test_a_bad_line_is_named_and_fails_alone(run: Run, path: Path, line: str, problem: str) -> None:
    result = run("add", "--jsonl", "-", input=f'{{"content": "good"}}\n{line}\n{{"content": "fine"}}\n')
    assert result.exit_code == 1
    assert result.stderr.startswith(f"tkgmem: {problem}")
    assert result.stdout.startswith("Remembered 2 texts")
    assert {one["content"] for one in answer(run("episodes", "--json"))["episodes"]} == {"good", "fine"}


def test_relative_words_resolve_in_the_asked_zone(run: Run) -> None:
    said = ["add", "I joined Contoso yesterday.", "--speaker", "Maya", "--json"]
    [tokyo] = answer(run(*said, "--tz", "Asia/Tokyo", "--reference-time", "2025-09-02T00:30"))["facts"]
    assert tokyo["valid_at"].startswith("2025-09-01")


# --- finding ---


def test_search_finds_facts_entities_and_texts(run: Run) -> None:
    run("add", "Maya moved to Lisbon in May 2024.")
    table = run("search", "Maya", "Lisbon").stdout
    assert [heading for heading in ("Facts", "Entities", "Texts") if heading in table] == ["Facts", "Entities", "Texts"]
    assert "2024-05" in table
    found = answer(run("search", "Lisbon", "--scope", "facts", "--json", "-n", "1"))
    assert [hit["item"]["target"]["name"] for hit in found["facts"]] == ["Lisbon"]
    assert found["episodes"] == []


def test_search_in_the_past_or_with_ended_ones(run: Run) -> None:
    run("add-fact", "Maya", "LIVES_IN", "Porto", "--valid-at", "2019", "--invalid-at", "2022")
    assert answer(run("search", "Porto", "--scope", "facts", "--json"))["facts"] == []
    for more in (["--valid-at", "2020"], ["--include-ended"]):
        [hit] = answer(run("search", "Porto", "--scope", "facts", "--json", *more))["facts"]
        assert hit["item"]["invalid_precision"] == "year"


def test_searching_in_vain_is_no_error(run: Run) -> None:
    run("init")
    result = run("search", "anything")
    assert (result.exit_code, result.stdout) == (0, "Nothing found.\n")


@pytest.mark.parametrize(
    ("options", "targets"),
    [
        (["--relation", "LIKES"], {"tea"}),
        (["--relation", "LIKES", "--relation", "works at"], {"tea", "Contoso"}),
        (["--source", "Bo"], {"Lisbon"}),
        (["--target", "Lisbon"], {"Lisbon"}),
        (["--attribute", "since=2020"], {"tea"}),
        (["--attribute", "how=green", "--attribute", "how=black"], {"tea"}),
        (["--type", "nothing of this type"], set()),
    ],
)
def test_search_can_be_held_to_some_facts(run: Run, path: Path, options: list[str], targets: set[str]) -> None:
    with Memory(path, embedder=HashEmbedder(64)) as memory:
        memory.add_fact("Maya", "LIKES", "tea", attributes={"since": 2020, "how": "green"})
        memory.add_fact("Maya", "WORKS_AT", "Contoso", attributes={"since": 2021})
        memory.add_fact("Bo", "LIVES_IN", "Lisbon")
    found = answer(run("search", "Maya", "Bo", "--scope", "facts", "--json", *options))["facts"]
    assert {hit["item"]["target"]["name"] for hit in found} == targets


@pytest.mark.parametrize(
    "options", [["--attribute", "since"], ["--recipe", "none such"], ["--deadline-ms", "0"], ["--limit", "0"]]
)
def test_a_search_that_cannot_be_meant_is_a_usage_error(run: Run, options: list[str]) -> None:
    run("init")
    assert run("search", "Maya", *options).exit_code == 2


def test_search_explains_its_order(run: Run) -> None:
    run("add", "Maya moved to Lisbon in May 2024.")
    result = run("search", "Lisbon", "--explain")
    table = result.stdout.partition("Why in this order")[2]
    assert {"hit", "score", "bm25", "cosine"} <= set(table.split())
    assert "Time: " in result.stderr
    assert " ms" in result.stderr
    assert "Why" not in run("search", "Lisbon").stdout
    [hit] = answer(run("search", "Lisbon", "--explain", "--json", "--scope", "facts"))["facts"]
    assert hit["scores"]


def test_a_time_in_the_question_is_used_and_said(run: Run) -> None:
    run("add-fact", "Maya", "LIVES_IN", "Porto", "--valid-at", "2019", "--invalid-at", "2022")
    result = run("search", "where did Maya live in 2020", "--scope", "facts")
    assert "Porto" in result.stdout
    assert "2020-01-01 to 2021-01-01" in result.stderr
    assert "--no-query-time" in result.stderr
    result = run("search", "where did Maya live in 2020", "--scope", "facts", "--no-query-time")
    assert "Porto" not in result.stdout
    assert result.stderr == ""


def test_what_was_left_out_for_want_of_time_is_said(run: Run) -> None:
    run("add", "Maya moved to Lisbon in May 2024.")
    result = run("search", "Lisbon", "--deadline-ms", "0.001")
    assert result.exit_code == 0
    assert "Left out for want of time: " in result.stderr


def test_context_is_text_for_a_language_model(run: Run) -> None:
    run("add-fact", "Maya", "LIVES_IN", "Porto", "--valid-at", "2019", "--invalid-at", "2022")
    run("add", "Maya moved to Lisbon in May 2024.", "--reference-time", "2024-06-01")
    text = run("context", "where does Maya live").stdout
    assert "What holds now:\n- Maya moved to Lisbon in May 2024 (since May 2024)\n" in text
    assert "What held earlier:\n- Maya lives in Porto (from 2019 until 2022)\n" in text
    assert answer(run("context", "where does Maya live", "--json"))["context"] == text.rstrip("\n")
    short = run("context", "Maya", "--max-tokens", "60", "--style", "simple", "--valid-at", "2020").stdout
    assert "At that time: Maya lives in Porto (from 2019 until 2022)" in short
    assert "[fact " in run("context", "Maya", "--ids").stdout


def test_context_of_nothing_is_nothing(run: Run) -> None:
    run("init")
    result = run("context", "anything")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "Nothing found.\n")
    assert run("context", "anything", "--known-at", "2020", "-q").stderr == ""
    result = run("context", "anything", "--style", "loud")
    assert result.exit_code == 2
    assert "plain, simple, iso" in result.stderr


def test_lines_are_one_object_each(run: Run) -> None:
    run("add", "Maya moved to Lisbon in May 2024.")
    lines = [json.loads(line) for line in run("--nl", "search", "Lisbon").stdout.splitlines()]
    assert list(dict.fromkeys(line["scope"] for line in lines)) == ["facts", "entities", "episodes"]
    assert [json.loads(line)["relation"] for line in run("as-of", "2025", "--nl").stdout.splitlines()] == ["LIVES_IN"]


def test_an_entity_is_shown_with_what_holds(run: Run) -> None:
    run("add-fact", "Maya", "LIVES_IN", "Lisbon")
    table = run("entity", "Maya").stdout
    assert "unknown" in table
    assert "now" in table
    assert "None" not in table


def test_stats_count_all_groups_or_one(run: Run) -> None:
    run("add-fact", "a", "LIKES", "b", "--group", "one")
    run("add-fact", "a", "LIKES", "b", "--group", "two")
    assert answer(run("stats", "--json"))["claims"] == 2
    assert answer(run("stats", "--json", "--group", "two"))["claims"] == 1
    assert "facts believed" in run("stats").stdout


def test_a_plan_is_shown_as_planned(run: Run) -> None:
    result = run("add-fact", "Maya", "LIVES_IN", "Berlin", "--planned")
    assert "planned, without a date" in result.stdout
    assert "planned" in run("timeline", "Maya").stdout


# --- taking back ---


def test_retract_keeps_the_earlier_belief_in_the_history(run: Run) -> None:
    uuid = uuid_of(run, "Maya", "LIVES_IN", "Lisbon", "--valid-at", "2024")
    assert run("retract", uuid, "--reason", "a mix-up").exit_code == 0
    assert answer(run("as-of", "2025", "--json"))["facts"] == []
    [version] = answer(run("history", uuid, "--json"))["versions"]
    assert version["expired_at"] is not None
    assert run("retract", uuid).exit_code == 5


def test_correct_changes_a_bound_or_clears_it(run: Run) -> None:
    uuid = uuid_of(run, "Maya", "LIVES_IN", "Lisbon", "--valid-at", "2024", "--invalid-at", "2025")
    corrected = answer(run("correct", uuid, "--valid-at", "2024-05", "--invalid-at", "unknown", "--json"))
    assert (corrected["valid_at"], corrected["valid_precision"]) == ("2024-05-01T00:00:00+00:00", "month")
    assert corrected["invalid_at"] is None
    assert "Lisbon" not in run("correct", uuid, "--target", "Porto").stdout


def test_forget_asks_and_can_be_rehearsed(run: Run) -> None:
    uuid = uuid_of(run, "Maya", "LIVES_IN", "Lisbon")
    unasked = run("forget", "--fact", uuid)
    assert unasked.exit_code == 2
    assert "--yes" in unasked.stderr
    assert run("forget", "--fact", uuid, "--dry-run").stdout == (
        "Would forget 1 statement, 1 fact, 2 entities.\n  Maya LIVES_IN Lisbon\n"
    )
    assert answer(run("stats", "--json"))["facts"] == 1
    assert run("forget", "--fact", uuid, "-y").stdout == "Forgot 1 statement, 1 fact, 2 entities.\n"
    assert answer(run("stats", "--json"))["facts"] == 0


def test_forgetting_a_text_takes_its_facts(run: Run) -> None:
    told = answer(run("add", "Maya moved to Lisbon in May 2024.", "--json"))
    assert answer(run("forget", "--episode", told["episode"]["uuid"], "--yes", "--json"))["episodes"] == 1
    assert answer(run("as-of", "2025", "--json"))["facts"] == []


def test_an_entity_several_texts_or_a_whole_group_can_be_forgotten(run: Run) -> None:
    told = [answer(run("add", f"Maya moved to {place} in 2024.", "--json"))["episode"]["uuid"] for place in ("Porto", "Oslo")]
    several = ["--episode", told[0], "--episode", told[1], "--dry-run"]
    assert run("forget", *several).stdout == (
        "Would forget 2 texts, 2 statements, 2 facts, 3 entities.\n  Maya LIVES_IN Porto\n  Maya LIVES_IN Oslo\n"
    )
    run("add-fact", "Bo", "LIKES", "tea", "--group", "work")
    assert run("forget", "--entity", "Bo", "--yes").exit_code == 5
    assert (
        run("forget", "--entity", "Bo", "--group", "work", "--dry-run").stdout
        == "Would forget 1 statement, 1 fact, 2 entities.\n  Bo LIKES tea\n"
    )
    assert run("forget", "--entity", "Maya", "--yes").stdout == "Forgot 2 texts, 2 statements, 2 facts, 3 entities.\n"
    assert run("forget", "--everything", "--entity", "Bo", "--yes").exit_code == 2
    assert run("forget", "--everything", "--group", "work", "--yes").exit_code == 0
    assert answer(run("stats", "--json"))["groups"] == ["default"]


def test_forgetting_says_that_others_keep_the_bytes(run: Run, path: Path) -> None:
    uuid = uuid_of(run, "Maya", "LIKES", "tea")
    with Memory(path, embedder=HashEmbedder(64)) as other, other._store.read() as db:
        assert db.execute("SELECT count(*) FROM claims").get == 1
        assert "-wal" in run("forget", "--fact", uuid, "--yes").stderr


def test_a_defined_relation_supersedes(run: Run) -> None:
    assert run("define-relation", "desk is", "--functional", "--alias", "sits at").exit_code == 0
    run("add-fact", "Maya", "DESK_IS", "12", "--valid-at", "2024")
    run("add-fact", "Maya", "SITS_AT", "14", "--valid-at", "2025")
    assert [fact["target"]["name"] for fact in answer(run("as-of", "2026", "--json"))["facts"]] == ["14"]


# --- where and in which zone ---


def test_an_argument_beats_the_environment_beats_the_usual_place(environment: None, tmp_path: Path) -> None:
    runner = CliRunner()
    usual = tmp_path / "data" / "tkgmem" / "memory.db"
    assert runner.invoke(main, ["init"]).exit_code == 0
    if sys.platform != "darwin":
        assert usual.exists()
    named = {"TKGMEM_DB": str(tmp_path / "env.db"), "TKGMEM_GROUP": "work"}
    assert runner.invoke(main, ["path"], env=named).stdout.strip() == named["TKGMEM_DB"]
    assert runner.invoke(main, ["path", "--db", "arg.db"], env=named).stdout == "arg.db\n"
    assert runner.invoke(main, ["add-fact", "a", "LIKES", "b"], env=named).exit_code == 0
    assert json.loads(runner.invoke(main, ["stats", "--json"], env=named).stdout)["groups"] == ["work"]


def test_a_named_folder_is_not_made(environment: None, tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["--db", str(tmp_path / "typo" / "me.db"), "init"])
    assert result.exit_code == 4
    assert not (tmp_path / "typo").exists()


def test_dates_are_read_and_shown_in_the_asked_zone(run: Run) -> None:
    run("add-fact", "Maya", "LIVES_IN", "Lisbon", "--valid-at", "2024-05", "--tz", "America/New_York")
    [fact] = answer(run("as-of", "2025", "--json"))["facts"]
    assert fact["valid_at"] == "2024-05-01T04:00:00+00:00"
    assert (
        answer(run("as-of", "2025", "--json", "--tz", "America/New_York"))["facts"][0]["valid_at"]
        == "2024-05-01T00:00:00-04:00"
    )
    there, here = run("as-of", "2025", "--tz", "America/New_York").stdout, run("as-of", "2025").stdout
    assert "dates in America/New_York" in there
    assert "2024-05 " in there
    assert "2024-05-01 04:00Z" in here
    assert answer(run("as-of", "2024-05-01", "--json"))["facts"] == []
    assert answer(run("as-of", "2024-05-01", "--json", "--tz", "-04:00"))["facts"] != []


def test_odd_variables_are_warned_about(run: Run) -> None:
    run("init")
    result = run("stats", "--json", env={"TKGMEM_BD": "x", "TKGMEM_MODEL": "some/model"})
    assert result.exit_code == 0
    assert result.stderr == "tkgmem: the environment variable TKGMEM_BD is not known and not used\n"


def test_another_model_folder_is_named_by_the_environment(run_with_model: Run, tmp_path: Path) -> None:
    run_with_model("init")
    assert run_with_model("stats", env={"TKGMEM_EMBEDDER": str(tmp_path / "none")}).exit_code == 4


# --- errors ---


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["frobnicate"], 2),
        (["as-of"], 2),
        (["as-of", "2025-13"], 2),
        (["as-of", "2025", "--tz", "Mars/Base"], 2),
        (["as-of", "2025", "--json", "--nl"], 2),
        (["add-fact", "Maya", "LIVES_IN", "Porto", "--valid-at", "2022", "--invalid-at", "2019"], 2),
        (["add-fact", "Maya", "!!!", "Porto"], 2),
        (["add", "x", "--file", "y"], 2),
        (["add", "x", "--reference-time", "soon"], 2),
        (["add", "--file", "missing.txt"], 4),
        (["correct", "abc"], 2),
        (["forget"], 2),
        (["forget", "--fact", "abc", "-y"], 5),
        (["retract", "abc"], 5),
        (["timeline", "nobody"], 5),
        (["add-fact", "Maya", "LIVES_IN", "Porto", "--episode", "abc"], 5),
        (["define-relation", "DESK_IS"], 2),
    ],
)
def test_an_error_is_one_line_and_a_code(run: Run, args: list[str], code: int) -> None:
    run("init")
    result = run(*args)
    assert result.exit_code == code
    assert result.stdout == ""
    assert result.stderr.startswith("tkgmem: ")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("args", [["search", "x"], ["as-of", "2025"], ["stats"], ["retract", "abc"], ["episodes"]])
def test_reading_makes_no_file(run: Run, path: Path, args: list[str]) -> None:
    result = run(*args)
    assert result.exit_code == 4
    assert "tkgmem init" in result.stderr
    assert "--db" in result.stderr
    assert not path.exists()


def test_a_file_that_is_not_ours_stays_as_it_is(run: Run, path: Path) -> None:
    path.write_bytes(b"a letter to a friend" * 100)
    for args in (["stats"], ["add", "x"], ["init"]):
        assert run(*args).exit_code == 4
    assert path.read_bytes() == b"a letter to a friend" * 100


def test_read_only_refuses_to_write(run: Run) -> None:
    run("init")
    assert run("add", "x", env={"TKGMEM_READ_ONLY": "1"}).exit_code == 4
    assert run("stats", env={"TKGMEM_READ_ONLY": "1"}).exit_code == 0
    assert run("stats", env={"TKGMEM_READ_ONLY": "perhaps"}).exit_code == 4


def test_reading_works_while_another_process_writes(run: Run, path: Path) -> None:
    with Memory(path, embedder=HashEmbedder(64)) as writer:
        writer.add_fact("Maya", "LIVES_IN", "Lisbon", valid_at="2024")
        assert len(answer(run("as-of", "2025", "--json"))["facts"]) == 1


def test_reading_changes_no_byte(run: Run, path: Path) -> None:
    run("add", "Maya moved to Lisbon in May 2024.")
    before = path.read_bytes()
    searches = (["search", "Lisbon", "--no-log"], ["context", "Lisbon", "--no-log"])
    for args in (*searches, ["timeline", "Maya"], ["stats"], ["entity", "Maya"], ["recalls"], ["why", "Maya"]):
        assert run(*args).exit_code == 0
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (FileBusy("locked"), 3),
        (WriteConflict("moved"), 3),
        (EmbedderMismatch("other weights"), 4),
        (ModelFileMissing("no weights"), 4),
        (PermissionError("no"), 4),
        (NotFound("nobody"), 5),
        (AmbiguousName("two of them"), 2),
        (InvalidPeriod("inverted"), 2),
        (BadResponse("odd"), 1),
        (KeyboardInterrupt(), 130),
    ],
)
def test_each_kind_of_error_has_its_code(error: BaseException, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        raise error

    assert exit_code(fail) == code
    assert capsys.readouterr().err == f"tkgmem: {str(error) or 'interrupted'}\n"


# --- as a process ---


def process(*args: str, env: dict[str, str] | None = None, **more: Any) -> subprocess.CompletedProcess[bytes]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("TKGMEM_")}
    inherited["PYTHONPATH"] = str(REPOSITORY)
    return subprocess.run(
        [sys.executable, "-m", "tkgmem.cli", *args], capture_output=True, check=False, env={**inherited, **(env or {})}, **more
    )


def test_a_console_without_the_characters_shows_question_marks(run_with_model: Run, path: Path) -> None:
    """T16-01"""
    run_with_model("add-fact", "小李", "LIKES", "🎉 party", "--fact", "小李 likes 🎉 parties")
    for args in (["as-of", "2030"], ["search", "party"], ["--help"], ["timeline", "小李"]):
        done = process("--db", str(path), *args, env={"PYTHONIOENCODING": "cp1252"})
        assert done.returncode == 0, done.stderr
    assert "? party" in process("--db", str(path), "as-of", "2030", env={"PYTHONIOENCODING": "cp1252"}).stdout.decode("cp1252")
    done = process("--db", str(path), "as-of", "2030", "--json", env={"PYTHONIOENCODING": "cp1252"})
    assert done.stdout.isascii()
    assert json.loads(done.stdout)["facts"][0]["source"]["name"] == "小李"


def test_the_zone_of_the_machine_does_not_matter(run_with_model: Run, path: Path) -> None:
    """T16-02"""
    run_with_model("add-fact", "Maya", "LIVES_IN", "Lisbon", "--valid-at", "2026-06-02")
    there = process("--db", str(path), "as-of", "2026-06-02", env={"TZ": "America/Los_Angeles"})
    assert there.stdout == process("--db", str(path), "as-of", "2026-06-02", env={"TZ": "UTC"}).stdout
    assert b"dates in UTC" in there.stdout
    named = process("--db", str(path), "as-of", "2026-06-02", "--tz", "America/Los_Angeles", env={"TZ": "Asia/Tokyo"})
    assert b"2026-06-01 17:00-07:00" in named.stdout


def test_nothing_is_cut_or_coloured_in_a_pipe(run_with_model: Run, path: Path) -> None:
    long = "A sentence about Maya that goes on and on. " * 40
    run_with_model("add", long, "--no-extract")
    out = process("--db", str(path), "episodes", env={"COLUMNS": "40", "TERM": "xterm-256color"}).stdout
    assert long.strip() in out.decode()
    assert b"\x1b" not in out


@pytest.mark.parametrize(("columns", "stacked"), [(200, False), (60, True)])
def test_a_narrow_terminal_gets_a_block_for_each_row(columns: int, stacked: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("NO_COLOR", "1")
    screen = Screen(terminal := Terminal(), dates.UTC)
    uuid = "088b15a1-7deb-56ad-8dbf-79642ffc56b1"
    screen.table(["from", "fact", "uuid"], [["2024-05-17", "Maya lives in Lisbon", uuid]] * 2)
    shown = terminal.getvalue()
    assert shown.count(uuid) == 2
    assert shown.count("from") == (2 if stacked else 1)


def test_what_would_drive_a_terminal_is_made_visible(run: Run) -> None:
    run("add", "bell \x07 and \x1b[31mred [bold]markup[/bold] :smile:", "--no-extract")
    table = run("episodes").stdout
    assert "\x1b" not in table
    assert "\x07" not in table
    assert "[bold]markup[/bold] :smile:" in table


def test_a_reader_that_leaves_early_is_no_error_message(run_with_model: Run, path: Path) -> None:
    run_with_model("add", "hello", "--no-extract")
    with subprocess.Popen(
        [sys.executable, "-m", "tkgmem.cli", "--db", str(path), "episodes"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    ) as left:
        assert left.stdout is not None
        assert left.stderr is not None
        left.stdout.close()
        assert left.stderr.read() == b""


def test_help_is_for_people_and_loads_little() -> None:
    code = (
        "import sys, tkgmem.cli\n"
        "try: tkgmem.cli.main(['--help'])\n"
        "except SystemExit as end: assert end.code == 0\n"
        "print(sorted({'rich', 'onnxruntime', 'tokenizers', 'asyncio'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=REPOSITORY)
    assert done.stdout.splitlines()[-1] == "[]"


def test_every_verb_has_help_with_words() -> None:
    for name in main.list_commands(None):
        result = CliRunner().invoke(main, [name, "--help"])
        assert result.exit_code == 0
        assert main.get_command(None, name).help
        assert "--db --group --model --json --nl --tz -q" in " ".join(result.stdout.split())
