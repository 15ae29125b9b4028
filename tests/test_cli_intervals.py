"""The command line on stretches of time: what held, began or ended in one, and who held a relation when."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_cli import Run, answer, environment, real, run, worked  # noqa: F401 - the fixtures of a command line

from tkgmem import Memory
from tkgmem.testing import HashEmbedder


def lines(text: str) -> list[list[str]]:
    """The rows of a table, cut at wide blanks, without its head."""
    _, _, body = text.partition("\n")
    return [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in body.splitlines()[2:]]


@pytest.fixture(scope="module")
def team_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Who guided a team, told once: nothing here changes it."""
    path = tmp_path_factory.mktemp("team") / "team.db"
    with Memory(path, embedder=HashEmbedder(64)) as memory:
        for name, since, until in (("Ana", "2019", "2021-05"), ("Bo", "2021-03", "2022-01-15"), ("Cleo", "2023-02", None)):
            memory.add_fact(name, "GUIDES", "Team Red", valid_at=since, invalid_at=until)
        memory.add_fact("Dan", "GUIDES", "Team Red", valid_at="2123", planned=True)
    return path


@pytest.fixture
def team(team_file: Path, run: Run) -> Run:  # noqa: F811 - `run` readies the environment
    return real(team_file)


# --- succession ---


def test_a_succession_reads_as_a_table_with_its_gaps_and_overlaps(team: Run) -> None:
    shown = team("succession", "guides", "--to", "Team Red")
    assert shown.exit_code == 0
    assert shown.stdout.startswith("Who or what guides Team Red, and when  (dates in UTC)\n")
    assert lines(shown.stdout) == [
        ["2019", "2021-03", "Ana"],
        ["2021-03", "2021-05", "Ana and Bo, at the same time"],
        ["2021-05", "2022-01-15", "Bo"],
        ["2022-01-15", "2023-02", "nothing known"],
        ["2023-02", "2123", "Cleo"],
        ["2123", "open", "Cleo and Dan (planned), at the same time"],
    ]


def test_a_succession_of_one_speaks_of_the_other_end_up_to_now(worked: Run) -> None:  # noqa: F811
    shown = worked("succession", "WORKS_AT", "--of", "小李").stdout
    assert shown.startswith("小李 works at: who or what, and when  (dates in UTC)\n")
    assert [row[2] for row in lines(shown)] == ["C 公司", "A 公司", "B 公司"]
    assert lines(shown)[-1][:2] == ["2026-06-01", "now"]


def test_a_succession_shows_no_uuid_unless_it_is_asked_for(team: Run) -> None:
    uuids = {fact["uuid"] for fact in answer(team("succession", "GUIDES", "--to", "Team Red", "--json"))["facts"]}
    assert len(uuids) == 4
    plain, with_ids = (team("succession", "GUIDES", "--to", "Team Red", *more).stdout for more in ([], ["--ids"]))
    assert not any(uuid in plain for uuid in uuids)
    assert all(uuid in with_ids for uuid in uuids)


def test_a_succession_keeps_to_the_asked_range_and_says_so(team: Run) -> None:
    shown = team("succession", "GUIDES", "--to", "Team Red", "--since", "2018", "--until", "2020").stdout
    assert shown.startswith("Who or what guides Team Red, and when, from 2018 until 2020  ")
    assert lines(shown) == [["2018", "2019", "nothing known"], ["2019", "2020", "Ana"]]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--to", "Team Blue"), "Nothing is known of who or what guides Team Blue  ("),
        (("--of", "Eve"), "Eve guides: nothing is known  ("),
        (("--of", "Ana", "--to", "Team Blue"), "Nothing is known of when Ana guides Team Blue  ("),
        (("--of", "Ana", "--to", "Team Red", "--known-at", "2000"), "when Ana guides Team Red, as believed at 2000  ("),
    ],
)
def test_a_succession_without_a_fact_says_that_nothing_is_known(team: Run, args: tuple[str, ...], words: str) -> None:
    shown = team("succession", "GUIDES", *args)
    assert shown.exit_code == 0
    assert words in shown.stdout
    assert shown.stdout.count("\n") == 1


def test_a_succession_for_programs_is_its_facts_and_its_stretches(team: Run) -> None:
    found = answer(team("succession", "GUIDES", "--to", "Team Red", "--json"))
    assert [len(stretch["facts"]) for stretch in found["stretches"]] == [1, 2, 1, 0, 1, 2]
    assert found["stretches"][0]["valid_at"] == "2019-01-01T00:00:00+00:00"
    assert found["stretches"][0]["valid_precision"] == "year"
    by_line = [json.loads(line) for line in team("succession", "GUIDES", "--to", "Team Red", "--nl").stdout.splitlines()]
    assert by_line == found["stretches"]


def test_a_succession_of_nobody_is_a_usage_error(run: Run) -> None:  # noqa: F811
    refused = run("succession", "GUIDES")
    assert refused.exit_code == 2
    assert "--of" in refused.stderr
    assert "--to" in refused.stderr


# --- held ---


@pytest.mark.parametrize(
    ("args", "title", "names"),
    [
        (("2020",), "What held at some time in 2020", ["Ana"]),
        (("2021",), "What held at some time in 2021", ["Ana", "Bo"]),
        (("2021-04", "--throughout"), "What held all the time in 2021-04", ["Ana", "Bo"]),
        (("2021-05-01",), "What held at some time on 2021-05-01", ["Bo"]),
        (("2021", "2022", "--began"), "What began from 2021 until 2022", ["Bo"]),
        (("2021", "--ended"), "What ended in 2021", ["Ana"]),
        (("2023-03", "..", "--throughout"), "What held all the time from 2023-03 on", ["Cleo"]),
        (("..", "2020"), "What held at some time before 2020", ["Ana"]),
        (("..",), "What held at some time in all of time", ["Ana", "Bo", "Cleo", "Dan"]),
        (("..", "--source", "Bo", "--relation", "guides"), "What held at some time in all of time", ["Bo"]),
    ],
)
def test_held_lists_what_meets_the_range(team: Run, args: tuple[str, ...], title: str, names: list[str]) -> None:
    shown = team("held", *args)
    assert shown.exit_code == 0, shown.stderr
    assert shown.stdout.startswith(f"{title}  (dates in UTC)\n")
    assert [row[0] for row in lines(shown.stdout)] == names


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("1999",), "Nothing is known to have held at some time in 1999"),
        (("1999", "--throughout"), "Nothing is known to have held all the time in 1999"),
        (("1999", "--began"), "Nothing is known to have begun in 1999"),
        (("2020", "--ended", "--known-at", "2000"), "Nothing is known to have ended in 2020, as believed at 2000"),
    ],
)
def test_held_says_where_nothing_is_known(team: Run, args: tuple[str, ...], words: str) -> None:
    assert team("held", *args).stdout.startswith(f"{words}.")


def test_a_year_is_that_of_the_asked_zone(run: Run) -> None:  # noqa: F811
    run("add-fact", "Ana", "MEETS", "Bo", "--valid-at", "2024-01-01T00:30+08:00", "--invalid-at", "2024-01-01T01:30+08:00")
    assert lines(run("held", "2024").stdout) == []
    assert [row[0] for row in lines(run("held", "2024", "--tz", "Asia/Shanghai").stdout)] == ["Ana"]
    found = answer(run("held", "2024-02", "--tz", "Asia/Shanghai", "--json"))
    assert (found["since"], found["until"]) == ("2024-02-01T00:00:00+08:00", "2024-03-01T00:00:00+08:00")


def test_held_for_programs_says_what_was_asked(team: Run) -> None:
    found = answer(team("held", "2021", "..", "--began", "--json"))
    assert (found["since"], found["until"], found["how"]) == ("2021-01-01T00:00:00+00:00", None, "began")
    by_line = [json.loads(line) for line in team("held", "2021", "..", "--began", "--nl").stdout.splitlines()]
    assert by_line == found["facts"]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("2024", "2024"), "since 2024-01-01 is not before until 2024-01-01"),
        (("2024-05-01T10:00",), "give UNTIL too"),
        (("soon",), "SINCE: not a date"),
        (("2024", "later"), "UNTIL: not a date"),
    ],
)
def test_held_refuses_what_is_no_range(team: Run, args: tuple[str, ...], words: str) -> None:
    refused = team("held", *args)
    assert refused.exit_code == 2
    assert words in refused.stderr


def test_a_plan_is_no_fact_that_holds_now(team: Run) -> None:
    for verb in (("timeline", "Dan"), ("held", "2123", "--source", "Dan")):
        shown = team(*verb).stdout
        assert "planned 2123" in shown
        assert "now" not in shown
        assert "open" not in shown
