"""The verb `why`: a fact found by its names, and a page that a person understands who has never seen the program."""

from __future__ import annotations

import datetime as dt
import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tkgmem import Memory
from tkgmem.cli import dates, main
from tkgmem.cli.explained import show
from tkgmem.cli.screen import Screen
from tkgmem.cli.session import Session
from tkgmem.testing import FixedClock, HashEmbedder

Run = Callable[..., Result]
SECOND_STEP = "小李跳槽到 B 公司"
_STYLES = re.compile(r"\x1b\[[\d;]*m")


def at(day: str) -> dt.datetime:
    return dt.datetime.fromisoformat(day).replace(tzinfo=dt.UTC)


@pytest.fixture
def told(path: Path, clock: FixedClock) -> Iterator[Memory]:
    """The worked example in a file."""
    with Memory(path, embedder=HashEmbedder(8), clock=clock) as memory:
        for day, sentence, target, valid_at in [
            ("2024-03-05", "小李在 A 公司工作", "A 公司", "2024-03-01"),
            ("2026-06-03", SECOND_STEP, "B 公司", "2026-06-01"),
            ("2026-07-01", "小李 2022 年在 C 公司实习", "C 公司", "2022-07-01"),
        ]:
            clock.set(at(day))
            episode = memory.add(sentence, extract=False).episode.uuid
            memory.add_fact("小李", "WORKS_AT", target, fact=sentence, valid_at=valid_at, episode=episode)
        yield memory


@pytest.fixture
def run(path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr(Session, "embedder", staticmethod(lambda: HashEmbedder(8)))
    for name in ("TKGMEM_DB", "TKGMEM_GROUP", "TKGMEM_MODEL", "TKGMEM_EMBEDDER"):
        monkeypatch.delenv(name, raising=False)
    return lambda *args: CliRunner().invoke(main, ["--db", str(path), "why", *args])


def found(result: Result) -> list[str]:
    """The targets of the facts that were explained."""
    assert result.exit_code == 0, result.stderr
    return [why["fact"]["target"]["name"] for why in json.loads(result.stdout)["whys"]]


def page(memory: Memory, uuid: str, *, width: int | None = None, zone: str = "UTC", encoding: str = "utf-8") -> list[str]:
    """The page as the lines of a pipe, or of a terminal of this width."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="replace")
    if width is not None:
        stream.isatty = lambda: True  # type: ignore[method-assign]
    screen = Screen(stream, dates.zone(zone))
    if width is not None:
        screen.console.width = width
    show(screen, memory.why(uuid))
    stream.seek(0)
    return stream.read().splitlines()


def fact_at(memory: Memory, day: str) -> str:
    [fact] = memory.as_of(day, source="小李")
    return fact.uuid


# --- finding ---


@pytest.mark.parametrize(
    ("asked", "targets"),
    [
        (["小李", "WORKS_AT"], ["B 公司"]),
        (["小李", "works at"], ["B 公司"]),
        (["小李"], ["B 公司"]),
        (["A 公司", "--valid-at", "2025"], ["A 公司"]),
        (["小李", "WORKS_AT", "--valid-at", "2023"], ["C 公司"]),
        (["小李", "WORKS_AT", "A 公司"], ["A 公司"]),
        (["小李", "--known-at", "2026-06-02", "--valid-at", "2026-06-02"], ["A 公司"]),
        (["小李", "WORKS_AT", "--valid-at", "2020"], ["C 公司"]),
    ],
)
def test_a_fact_is_found_by_its_names_and_dates(told: Memory, run: Run, asked: list[str], targets: list[str]) -> None:
    assert found(run(*asked, "--json")) == targets


def test_of_facts_that_do_not_hold_the_last_that_ended_is_meant(told: Memory, run: Run) -> None:
    told.end_fact("小李", "WORKS_AT", "B 公司", at="2026-09")
    assert found(run("小李", "WORKS_AT", "--valid-at", "2026-10-05", "--json")) == ["B 公司"]


def test_what_is_no_longer_believed_is_found_last(told: Memory, run: Run) -> None:
    fact = told.add_fact("小李", "LIKES", "tea", fact="小李 likes tea")
    told.retract(fact.uuid, reason="that was 小王")
    result = run("小李", "LIKES")
    assert result.stdout.startswith("小李 likes tea: no longer believed")
    assert "retracted on 1 July 2026 00:00:00Z (that was 小王)" in result.stdout.replace(
        "1 July 2026 (", "1 July 2026 00:00:00Z ("
    )


def test_an_announcement_without_a_date_is_found_by_its_names(told: Memory, run: Run) -> None:
    told.add_fact("小李", "MOVES_TO", "Rome", planned=True)
    assert found(run("小李", "MOVES_TO", "rome", "--json")) == ["Rome"]


def test_a_uuid_needs_no_name(told: Memory, run: Run) -> None:
    assert found(run(fact_at(told, "2025"), "--json")) == ["A 公司"]


def test_of_many_facts_some_are_shown_and_the_rest_is_counted(told: Memory, run: Run) -> None:
    for number in range(4):
        told.add_fact("Ana", "LIKES", f"thing {number}")
    result = run("Ana", "-n", "3", "--json")
    assert len(found(result)) == 3
    assert result.stderr.startswith("1 more; ")


@pytest.mark.parametrize(
    ("asked", "code", "words"),
    [
        (["Nobody"], 5, "no entity has the name or uuid 'Nobody'"),
        (["小李", "HATES"], 5, "nothing is known of 小李 HATES"),
        (["a", "b", "c", "d"], 2, "not 4 words"),
        ([], 2, "give a uuid, names, or --query"),
    ],
)
def test_what_cannot_be_found_says_so(told: Memory, run: Run, asked: list[str], code: int, words: str) -> None:
    result = run(*asked)
    assert result.exit_code == code
    assert words in result.stderr


def test_lines_are_one_explanation_each_with_its_text(told: Memory, run: Run) -> None:
    [line] = run("小李", "--nl").stdout.splitlines()
    assert SECOND_STEP in json.loads(line)["text"]


def test_the_zone_is_named_once_above_several_facts(told: Memory, run: Run) -> None:
    told.add_fact("小李", "LIKES", "茶")
    shown = run("小李").stdout
    assert (shown.count("小李 likes 茶, "), shown.count("小李 works at B 公司, "), shown.count("dates in UTC")) == (1, 1, 1)


def test_what_came_from_another_memory_says_so(told: Memory, run: Run, tmp_path: Path) -> None:
    (dump := tmp_path / "memory.jsonl").write_text(
        "\n".join(
            json.dumps(one)
            for one in [
                {"type": "entity", "name": "Gina", "entityType": "person", "observations": []},
                {"type": "entity", "name": "Acme", "entityType": "company", "observations": []},
                {"type": "relation", "from": "Gina", "to": "Acme", "relationType": "works_at"},
            ]
        )
    )
    told.import_(dump)
    assert "imported from mcp-memory" in run("Gina").stdout


# --- the page ---


def test_the_page_tells_the_sentence_and_what_took_its_place(told: Memory) -> None:
    assert page(told, fact_at(told, "2025")) == [
        "小李 works at A 公司, from 1 March 2024 until 1 June 2026  (dates in UTC)",
        "",
        "                2023           2024            2025           2026",
        "C 公司  ━━━━━━━━━━━━━━━━━━━━━━━━━━",
        "A 公司                            ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━",
        "B 公司                                                               ━━━━━━▶",
        "",
        "Why: it was told",
        "  “小李在 A 公司工作”",
        "    told on 5 March 2024",
        "",
        "What took its place",
        "  小李 works at B 公司, since 1 June 2026",
        "    Only one of the two can hold at a time, and it begins later. Known since 3 June 2026.",
        "    “小李跳槽到 B 公司”",
        "      told on 3 June 2026",
        "",
        "What it took the place of",
        "  小李 works at C 公司, from 1 July 2022 until 1 March 2024",
        "    Only one of the two can hold at a time, and this one begins later. Known since 1 July 2026.",
        "",
        "What was believed before",
        "  from 5 March 2024 until 3 June 2026: since 1 March 2024",
    ]


def test_ids_are_shown_where_they_are_asked_for(told: Memory, run: Run) -> None:
    uuid = fact_at(told, "2026-07-01")
    assert uuid not in run("小李").stdout
    assert f"uuid: {uuid}" in run("小李", "--ids").stdout


def test_days_are_those_of_the_asked_zone(told: Memory) -> None:
    assert "    told on 2 June 2026" in page(told, fact_at(told, "2026-07-01"), zone="-08:00")


@pytest.mark.parametrize("width", [16, 40, 80, 200])
def test_no_line_is_wider_than_the_terminal(told: Memory, width: int) -> None:
    from rich.cells import cell_len

    told.add("A long story. " * 200, extract=False)
    lines = page(told, fact_at(told, "2025"), width=width)
    shown = [_STYLES.sub("", line) for line in lines]
    assert max(cell_len(line) for line in shown) <= width
    assert not [line for line in shown if line.endswith(" ")]
    assert any("━" in line for line in lines) == (width > 16)


def test_without_unicode_everything_is_drawn_in_ascii(told: Memory) -> None:
    lines = page(told, fact_at(told, "2026-07-01"), encoding="ascii")
    assert any(line.endswith("==>") for line in lines)
    assert not any(mark in line for line in lines for mark in "“━")


def test_what_does_not_count_is_dotted(memory: Memory) -> None:
    memory.add_fact("Ticket", "LIVES_IN", "Rome", valid_at="2024-03-05")
    oslo = memory.add_fact("Ticket", "LIVES_IN", "Oslo", valid_at="2024-03-05")
    lines = page(memory, oslo.uuid)
    assert [line.split()[1][0] for line in lines if line.startswith(("Oslo", "Rome"))] == ["━", "┈"]
    assert any("dotted: was told, but does not hold" in line for line in lines)


def test_many_sources_are_counted_and_the_first_and_last_quoted(memory: Memory) -> None:
    for number in range(12):
        fact = memory.add_fact("Ana", "LIKES", "tea", fact=f"source {number}")
    lines = page(memory, fact.uuid)
    assert "Why: it was told 12 times" in lines
    assert "  ... and 7 times more, last:" in lines
    assert [line.strip(" “”") for line in lines if "source" in line] == [f"source {n}" for n in (0, 1, 2, 10, 11)]


def test_of_a_long_sentence_the_part_that_names_the_target_is_quoted(memory: Memory) -> None:
    long = "It rained. " * 100 + "Then Ana said that she liked Porto best. " + "It rained. " * 100
    fact = memory.add_fact("Ana", "LIKES", "Porto", fact=long)
    [quoted] = [line for line in page(memory, fact.uuid) if "“" in line]
    assert "Then Ana said that she liked Porto best." in quoted
    assert len(quoted) <= 210


def test_words_that_are_not_those_of_the_text_are_shown_with_it(memory: Memory) -> None:
    episode = memory.add("Tea is what Ana adores.", extract=False, speaker="Bo").episode
    fact = memory.add_fact("Ana", "LIKES", "tea", fact="Ana likes tea", episode=episode.uuid)
    assert "    the text: “Tea is what Ana adores.”" in page(memory, fact.uuid)


def test_the_text_of_a_user_drives_no_terminal(memory: Memory) -> None:
    fact = memory.add_fact("Ana\x1b[2J\u202e", "LIKES", "[red]tea", fact="\x1b]0;owned\x07 [bold]tea\u2067")
    memory.retract(fact.uuid, reason="\x1b[31mred")
    text = "\n".join(page(memory, fact.uuid))
    assert not re.search("[\x1b\u202a-\u202e\u2066-\u2069]", text)
    assert "[bold]tea" in text


def test_neither_does_it_in_a_message(run: Run, told: Memory) -> None:
    result = run("Ana\x1b[2J\u202e", "LIKES", "tea", "\x1b]0;owned\x07")
    assert result.exit_code == 2
    assert not re.search("[\x1b\x07\u202e]", result.stderr)
