"""Conversations, notes and tickets of other programs: counts, dates and roles as they are there; a second run adds nothing."""

from __future__ import annotations

import datetime as dt
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import foreign_exports as made
from tkgmem import Memory, MergeReport, StoreError
from tkgmem.testing import FixedClock, HashEmbedder


def day(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC)


def told(memory: Memory) -> list[tuple[str, str | None, dt.datetime]]:
    """Text, speaker and date of all that was told, the earliest first."""
    return [(one.content, one.speaker, one.reference_time) for one in reversed(memory.episodes(limit=1_000))]


def contents(memory: Memory) -> list[str]:
    return [content for content, _, _ in told(memory)]


def twice(memory: Memory, path: Path, **more: Any) -> MergeReport:
    """Import, and again: the second time nothing is new."""
    first = memory.import_(path, **more)
    before = (memory.stats(), told(memory))
    again = memory.import_(path, **more)
    assert (again.episodes, again.claims, again.entities) == (0, 0, 0)
    assert again.unchanged == first.episodes
    assert (memory.stats(), told(memory)) == before
    assert memory.doctor().ok
    return first


# --- ChatGPT ---


@pytest.mark.parametrize("shape", ["file", "folder", "zip", "parts"])
def test_a_chatgpt_export(memory: Memory, tmp_path: Path, shape: str) -> None:
    file = tmp_path / "conversations.json"
    if shape in {"file", "folder"}:
        file.write_text(json.dumps(made.chatgpt()), "utf-8")
    elif shape == "zip":
        file = made.zipped(
            tmp_path / "export.zip", {"conversations.json": made.chatgpt(), "user.json": {"id": "u"}, "chat.html": ""}
        )
    else:
        parts = {f"x/conversations-{n:03}.json": [one] for n, one in enumerate(made.chatgpt())}
        file = made.zipped(tmp_path / "export.zip", parts)
    report = twice(memory, tmp_path if shape == "folder" else file, speaker="Maya")
    assert (report.conversations, report.episodes, report.warnings) == (2, 4, ())
    assert told(memory) == [
        ("I work at Contoso since March 2023.", "Maya", day("2024-05-02T10:00")),
        ("I moved to Lisbon last month.", "Maya", day("2024-06-01T10:00")),
        ("Lovely! I moved to Mars.", "ChatGPT", day("2024-06-01T10:00:10")),
        ("This is my flat.", "Maya", day("2024-06-02T10:00")),
    ]
    assert {fact.target.name for fact in memory.entity("Maya").facts} == {"Contoso", "Lisbon"}
    assert memory.entity("ChatGPT").facts == []
    [lisbon] = memory.as_of("2024-06-02", target="Lisbon")
    assert lisbon.valid_at == day("2024-05-01")
    assert memory.search("Mars").episodes[0].item.metadata["role"] == "assistant"
    assert {one.name for one in memory.episodes()} == {"chatgpt/c-1", "chatgpt/c-2"}
    assert {one.description for one in memory.episodes()} == {"Work", "Moving"}


def test_a_grown_export_adds_what_is_new(memory: Memory, tmp_path: Path) -> None:
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps(made.chatgpt()), "utf-8")
    memory.import_(file)
    grown = made.chatgpt()
    more = made.chatgpt_message("m9", "user", "Thanks!", made.UNIX + 100_000)
    grown[0]["mapping"]["m9"] = {"id": "m9", "message": more, "parent": "m5", "children": []}
    grown[0]["current_node"] = "m9"
    file.write_text(json.dumps(grown), "utf-8")
    report = memory.import_(file)
    assert (report.episodes, report.unchanged) == (1, 4)


def test_odd_conversations_are_left_out_and_named(memory: Memory, tmp_path: Path) -> None:
    ring = made.chatgpt_tree(made.chatgpt_message("r1", "user", "Round.", made.UNIX))
    ring["mapping"]["root"]["parent"] = "r1"
    undated = made.chatgpt_tree(made.chatgpt_message("d1", "user", "When?", None))
    lost = {**made.chatgpt_tree(made.chatgpt_message("l1", "user", "No current node.", made.UNIX)), "current_node": "gone"}
    nan = made.chatgpt_tree(made.chatgpt_message("n1", "user", "Not a time.", float("nan")))
    half = made.chatgpt_tree(made.chatgpt_message("h1", "user", "half \ud800 a character\0", made.UNIX))
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([ring, 7, {"title": "none"}, undated, lost, {**nan, "create_time": made.UNIX}, half]), "utf-8")
    report = memory.import_(file, format="chatgpt")
    assert sorted(contents(memory)) == ["No current node.", "Not a time.", "Round.", "half ? a character"]
    assert len(report.warnings) == 3
    assert all("conversations.json, conversation" in warning for warning in report.warnings)
    assert "has a date" in report.warnings[2]


# --- Claude ---


def test_a_claude_export(memory: Memory, tmp_path: Path) -> None:
    users = [{"uuid": "a-1", "full_name": "Maya Chen", "email_address": "m@example.org"}]
    file = made.zipped(tmp_path / "data.zip", {"conversations.json": made.claude(), "users.json": users, "projects.json": []})
    report = twice(memory, file)
    assert (report.conversations, report.episodes, report.warnings) == (1, 3, ())
    assert told(memory) == [
        ("I joined Northwind yesterday.", "Maya Chen", day("2025-02-03T09:00:00.500")),
        ("Congratulations! I joined Initech yesterday.", "Claude", day("2025-02-03T09:00:09")),
        ("Ben Okafor is my manager.", "Maya Chen", day("2025-02-03T09:04")),
    ]
    assert memory.episodes()[0].metadata["attachments"] == ["offer.pdf"]
    [job] = memory.as_of("2025-03", relation="WORKS_AT")
    assert (job.source.name, job.target.name, job.valid_at) == ("Maya Chen", "Northwind", day("2025-02-02"))


def test_what_claude_remembered_by_itself_is_kept_and_not_read(memory: Memory, tmp_path: Path) -> None:
    remembered = [{"conversations_memory": "**Work**\n\nMaya works at Initech.", "project_memories": {"p-1": "Atlas."}}]
    file = made.zipped(tmp_path / "data.zip", {"conversations.json": made.claude(), "memories.json": remembered})
    report = twice(memory, file)
    assert (report.conversations, report.episodes) == (1, 5)
    assert ("**Work**\n\nMaya works at Initech.", "Claude", day("2025-02-03T09:04")) in told(memory)
    assert memory.as_of("2026", target="Northwind")
    assert memory.search("Initech", scopes=["facts"]).facts[0].item.target.name != "Initech"


def test_an_export_with_a_conversation_a_line(memory: Memory, tmp_path: Path) -> None:
    file = made.lines(tmp_path / "conversations.jsonl", made.claude())
    assert twice(memory, file).episodes == 3
    assert memory.import_(file.parent).unchanged == 3


def test_without_a_name_the_user_is_called_user(memory: Memory, tmp_path: Path) -> None:
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps(made.claude()), "utf-8")
    memory.import_(file)
    assert {one.speaker for one in memory.episodes()} == {"User", "Claude"}


# --- Claude Code ---


def test_sessions_and_notes_of_claude_code(memory: Memory, tmp_path: Path) -> None:
    project = tmp_path / "projects" / "-home-maya-atlas"
    (project / "memory").mkdir(parents=True)
    made.lines(project / "5e55-10.jsonl", made.session())
    (project / "memory" / "MEMORY.md").write_text("---\ndate: 2025-04-01\n---\nAtlas is written in Rust.\n", "utf-8")
    report = twice(memory, tmp_path / "projects", speaker="Maya")
    assert (report.conversations, report.episodes, report.warnings) == (1, 4, ())
    assert told(memory) == [
        ("Atlas is written in Rust.", "Maya", day("2025-04-01")),
        ("I work on Atlas since last week. Please build it.", "Maya", day("2025-05-01T08:00:02")),
        ("Building.", "Claude", day("2025-05-01T08:00:05")),
        ("Built.", "Claude", day("2025-05-01T08:00:09")),
    ]
    again = memory.import_(project / "5e55-10.jsonl", speaker="Maya")
    assert (again.episodes, again.unchanged) == (0, 3)


def test_a_session_that_is_still_written_is_read_up_to_its_last_whole_line(memory: Memory, tmp_path: Path) -> None:
    file = made.lines(tmp_path / "s.jsonl", made.session())
    whole = file.read_bytes()
    file.write_bytes(whole[: whole.index(b'"u7"') + 3])
    report = memory.import_(file)
    assert contents(memory) == ["I work on Atlas since last week. Please build it.", "Building."]
    assert "line 8: not JSON" in report.warnings[0]
    file.write_bytes(whole)
    assert memory.import_(file).episodes == 1


# --- notes ---


def notes(folder: Path) -> Path:
    (folder / "daily").mkdir(parents=True)
    (folder / ".obsidian").mkdir()
    (folder / "daily" / "2024-05-17.md").write_text("Maya moved to Lisbon yesterday.", "utf-8")
    (folder / "daily" / "2024年5月18日.txt").write_text("小李昨天加入了 B 公司。", "utf-8")
    head = '---\ntitle: "Team"\ncreated: 2023-02-01T08:00:00+02:00\ntags: [a, b]\n---\n'
    (folder / "Team.md").write_text(f"{head}# People\n\nBen leads Atlas.\n", "utf-16")
    (folder / "plain.markdown").write_text("\ufeffNothing to see.", "utf-8")
    os.utime(folder / "plain.markdown", (1_600_000_000, 1_600_000_000))
    (folder / "empty.md").write_text("---\ndate: 2024\n---\n", "utf-8")
    (folder / "latin.txt").write_bytes(b"caf\xe9")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    (folder / ".obsidian" / "app.md").write_text("hidden", "utf-8")
    (folder / "loop").symlink_to(folder)
    (folder.parent / "secret.md").write_text("not in the folder", "utf-8")
    (folder / "link.md").symlink_to(folder.parent / "secret.md")
    return folder


def test_a_folder_of_notes(memory: Memory, tmp_path: Path) -> None:
    report = twice(memory, notes(tmp_path / "vault"))
    assert report.episodes == 4
    assert len(report.warnings) == 1
    assert "latin.txt: not UTF-8 text: byte 3" in report.warnings[0]
    assert told(memory) == [
        ("Nothing to see.", None, day("2020-09-13T12:26:40")),
        ("# People\n\nBen leads Atlas.", None, dt.datetime(2023, 2, 1, 8, tzinfo=dt.timezone(dt.timedelta(hours=2)))),
        ("Maya moved to Lisbon yesterday.", None, day("2024-05-17")),
        ("小李昨天加入了 B 公司。", None, day("2024-05-18")),
    ]
    assert {one.name: one.description for one in memory.episodes()}["Team.md"] == "Team"
    [move] = memory.as_of("2024-06", target="Lisbon")
    assert move.valid_at == day("2024-05-16")


def test_a_changed_note_is_a_new_text(memory: Memory, tmp_path: Path) -> None:
    folder = notes(tmp_path / "vault")
    memory.import_(folder)
    (folder / "daily" / "2024-05-17.md").write_text("Maya moved to Lisbon yesterday. She likes it.", "utf-8")
    assert memory.import_(folder).episodes == 1
    assert sum("Lisbon" in content for content in contents(memory)) == 2


def test_one_note_alone(memory: Memory, tmp_path: Path) -> None:
    file = tmp_path / "2024-05-17 moving.md"
    file.write_text("I moved to Lisbon.", "utf-8")
    memory.import_(file, speaker="Maya")
    assert told(memory) == [("I moved to Lisbon.", "Maya", day("2024-05-17"))]
    assert memory.entity("Maya").facts[0].target.name == "Lisbon"


# --- records ---

TICKETS = [
    {"key": "KX-7", "updated": "2026-03-02T09:00:00Z", "assignee": "Ana", "since": "2026-03-02", "status": "Open"},
    {"key": "KX-7", "updated": "2026-03-09T09:00:00Z", "assignee": "Ben", "since": "2026-03-09", "status": "QA"},
    {"key": "KX-8", "updated": "2026-03-10T09:00:00Z", "assignee": "Ana", "since": "2026-03-10", "status": "Open"},
]
MAPPING = [
    {"source": "$.key", "relation": "ASSIGNED_TO", "target": "$.assignee", "valid_at": "$.since"},
    {"source": "$.key", "relation": "HAS_STATUS", "target": "$.status", "valid_at": "$.updated"},
]


def test_tickets_tell_who_had_them_and_when_they_went_to_qa(memory: Memory, tmp_path: Path) -> None:
    for relation in ("ASSIGNED_TO", "HAS_STATUS"):
        memory.define_relation(relation, functional=True)
    file = made.lines(tmp_path / "tickets.jsonl", TICKETS)
    report = twice(memory, file, mapping=MAPPING, told_at="updated")
    assert (report.episodes, report.claims) == (3, 6)

    def had(when: str, relation: str = "ASSIGNED_TO") -> list[str]:
        return [fact.target.name for fact in memory.as_of(when, source="KX-7", relation=relation)]

    assert (had("2026-03-05"), had("2026-03-20")) == (["Ana"], ["Ben"])
    assert (had("2026-03-05", "HAS_STATUS"), had("2026-03-20", "HAS_STATUS")) == (["Open"], ["QA"])
    [qa] = memory.as_of("2026-03-20", target="QA")
    assert qa.valid_at == day("2026-03-09T09:00")
    assert [fact.source.name for fact in memory.as_of("2026-03-20", target="Ana")] == ["KX-8"]


def test_records_need_a_mapping(memory: Memory, tmp_path: Path) -> None:
    file = made.lines(tmp_path / "tickets.jsonl", TICKETS)
    with pytest.raises(ValueError, match="records need a mapping"):
        memory.import_(file, format="records")
    with pytest.raises(ValueError, match="no format that is known"):
        memory.import_(file)
    with pytest.raises(ValueError, match="source"):
        memory.import_(file, mapping=[{"relation": "X"}])
    assert memory.episodes() == []


def test_broken_lines_and_dates_of_records_are_named(memory: Memory, tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    file.write_bytes(b'{"key": "A", "assignee": "Ana", "updated": "soon"}\n{\n\n[1]\n\xff\n')
    report = memory.import_(file, mapping=MAPPING[:1], told_at="updated")
    assert report.episodes == 1
    assert [warning.split(", ")[1].split(":")[0] for warning in report.warnings] == ["line 1", "line 2", "line 4", "line 5"]


# --- what is the same for all ---


def export_of(path: Path) -> Path:
    path.write_text(json.dumps(made.chatgpt()), "utf-8")
    return path


def test_a_dry_run_counts_and_adds_nothing(memory: Memory, tmp_path: Path) -> None:
    report = memory.import_(export_of(tmp_path / "conversations.json"), dry_run=True)
    assert (report.episodes, report.conversations) == (4, 2)
    assert memory.episodes() == []


def test_facts_may_be_looked_for_later_or_never(memory: Memory, tmp_path: Path) -> None:
    file = export_of(tmp_path / "conversations.json")
    memory.import_(file, extract="later", speaker="Maya")
    assert memory.stats().pending == 4
    assert memory.import_(file, extract="later", speaker="Maya").unchanged == 0  # those that wait are not done
    memory.extract()
    assert memory.entity("Maya").facts
    assert memory.entity("ChatGPT").facts == []
    assert memory.import_(file, speaker="Maya").unchanged == 4
    memory.import_(file, extract=False, group="apart")
    assert memory.as_of("2025", group="apart") == []


def test_groups_are_apart(memory: Memory, tmp_path: Path) -> None:
    file = export_of(tmp_path / "conversations.json")
    memory.import_(file)
    assert memory.import_(file, group="other").episodes == 4
    assert memory.stats(group="other").episodes == 4


def test_progress_is_told(memory: Memory, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    memory.import_(export_of(tmp_path / "conversations.json"), progress=lambda done, total: seen.append((done, total)))
    assert seen == [(4, 4)]


def test_after_a_kill_the_next_run_makes_the_same_file(tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    folder.mkdir()
    for number in range(150):
        (folder / f"2024-01-{number % 28 + 1:02}-{number:03}.md").write_text(
            f"Person {number} moved to Lisbon in 2023.", "utf-8"
        )
    code = (
        "import datetime as dt, os, sys\nfrom tkgmem import Memory\nfrom tkgmem.testing import FixedClock, HashEmbedder\n"
        "clock = FixedClock(dt.datetime(2026, 1, 1, tzinfo=dt.UTC))\n"
        "Memory(sys.argv[1], embedder=HashEmbedder(64), clock=clock).import_("
        "sys.argv[2], progress=lambda done, total: os._exit(9) if done > 100 else None)"
    )
    killed = subprocess.run([sys.executable, "-c", code, str(tmp_path / "killed.db"), str(folder)], check=False)
    assert killed.returncode == 9
    facts = []
    for name in ("killed.db", "whole.db"):
        with Memory(
            tmp_path / name, embedder=HashEmbedder(64), clock=FixedClock(dt.datetime(2026, 1, 1, tzinfo=dt.UTC))
        ) as memory:
            before = memory.stats().episodes
            report = memory.import_(folder)
            assert report.episodes == 150 - before
            facts.append({(fact.uuid, fact.source.name) for fact in memory.as_of("2025")})
    assert facts[0] == facts[1]
    assert len(facts[0]) == 150


BROKEN: list[tuple[str, Callable[[Path], object], str]] = [
    ("conversations.json", lambda path: path.write_bytes(b'[{"mapping": {"a": '), "not JSON after"),
    ("conversations.json", lambda path: path.write_bytes(b'[{"mapping": "' + b"\xff" * 10), "not UTF-8"),
    ("conversations.json", lambda path: path.write_bytes(b"[" * 100_000), "nested too deeply"),
]


@pytest.mark.parametrize(("name", "spoil", "told_"), BROKEN)
def test_a_broken_export_is_an_error_that_names_it(
    memory: Memory, tmp_path: Path, name: str, spoil: Callable[[Path], object], told_: str
) -> None:
    path = tmp_path / name
    spoil(path)
    with pytest.raises(ValueError, match=told_) as caught:
        memory.import_(path, format="chatgpt")
    assert name in str(caught.value)
    assert memory.episodes() == []


def test_a_zip_that_claims_too_much_is_refused(memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tkgmem.importers.exports._LARGEST", 1_000)
    file = made.zipped(tmp_path / "bomb.zip", {"conversations.json": " " * 100_000})
    with pytest.raises(ValueError, match="claims 100,000 bytes"):
        memory.import_(file, format="claude")


def test_what_is_not_there_or_of_no_format_is_said(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no file"):
        memory.import_(tmp_path / "none")
    with pytest.raises(StoreError, match="without conversations or notes"):
        memory.import_(tmp_path)
    with pytest.raises(ValueError, match="unknown format 'chatgtp'"):
        memory.import_(tmp_path, format="chatgtp")  # type: ignore[arg-type]


def test_a_large_export_is_read_piece_by_piece(memory: Memory, tmp_path: Path) -> None:
    long = "word " * 300_000  # longer than what is read at a time
    conversation = made.claude()[0]
    conversation["chat_messages"][0]["content"][1]["text"] = f"{long}é"
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([conversation, made.claude()[0] | {"uuid": "k-9"}], ensure_ascii=False), "utf-8")
    report = memory.import_(file, extract=False)
    assert (report.episodes, report.conversations) == (6, 2)
    assert f"{long}é" in contents(memory)
