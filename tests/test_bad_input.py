"""Bad input gets a clear error or a right result, and an error changes nothing."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tkgmem import InvalidPeriod, Memory, NotATkgmemFile, NotFound, SchemaTooNew, StoreError
from tkgmem.testing import FixedClock, HashEmbedder

EMPTY = ["", " ", "\n\t", "\u3000"]
UNSTORABLE = {"a\x00b": 1, "\x00": 0, "ab\ud800": 2, "\udfffx": 0}
"""Text that no database keeps whole, and where it goes wrong."""


def opened(path: Path | str, **more: object) -> Memory:
    return Memory(path, embedder=HashEmbedder(16), **more)


@pytest.mark.parametrize("text", EMPTY)
def test_empty_text_is_refused(memory: Memory, text: str) -> None:
    with pytest.raises(ValueError, match=r"empty|visible"):
        memory.add(text, extract=False)
    for arguments in ((text, "LIKES", "tea"), ("Ana", text, "tea"), ("Ana", "LIKES", text)):
        with pytest.raises(ValueError, match=r"empty|visible|not a relation"):
            memory.add_fact(*arguments)
    assert (memory.stats().episodes, memory.stats().entities, memory.stats().claims) == (0, 0, 0)


@pytest.mark.parametrize(("text", "position"), [*UNSTORABLE.items()], ids=ascii)
def test_text_that_cannot_be_stored_is_refused_with_its_position(memory: Memory, text: str, position: int) -> None:
    for call in (
        lambda: memory.add(text, extract=False),
        lambda: memory.add("fine", name=text, extract=False),
        lambda: memory.add("fine", speaker=text, extract=False),
        lambda: memory.add_fact(text, "LIKES", "tea"),
        lambda: memory.add_fact("Ana", "LIKES", text),
        lambda: memory.add_fact("Ana", "LIKES", "tea", fact=text),
    ):
        with pytest.raises(ValueError, match=rf"(?i)(NUL|surrogate).*\b{position}\b"):
            call()
    assert (memory.stats().episodes, memory.stats().entities, memory.stats().claims) == (0, 0, 0)


@pytest.mark.parametrize("text", UNSTORABLE, ids=ascii)
def test_text_that_cannot_be_stored_is_harmless_in_a_question(memory: Memory, text: str) -> None:
    memory.add_fact("Ana", "LIKES", "tea", valid_at="2020")
    memory.search(f"tea {text}")
    assert memory.as_of("2021", source=text) == []
    assert memory.as_of("2021", target=text) == []
    with pytest.raises(NotFound):
        memory.entity(text)


@pytest.mark.parametrize(
    "content", ["🎉 Ana moved 🏠", "👩‍👩‍👧‍👦", "🇵🇹🇨🇳", "e\u0301\u0323", "\u202eright to left", "a\r\nb\tc"]
)
def test_unusual_text_is_kept_word_for_word(memory: Memory, content: str) -> None:
    episode = memory.add(content, extract=False).episode
    assert episode.content == content
    assert memory.episodes() == [episode]


def test_the_end_of_an_enormous_text_is_found(memory: Memory) -> None:
    filler = "the quick brown fox jumps over the lazy dog. "
    content = filler * (1_000_000 // len(filler)) + "The canary sings at Zanzibar."
    episode = memory.add(content, extract=False).episode
    memory.add("something short about a dog", extract=False)
    assert episode.content == content
    hit = memory.search("canary Zanzibar", scopes={"episodes"}).episodes[0]
    assert hit.item.uuid == episode.uuid
    assert set(hit.ranks) >= {"bm25", "cosine"}


def test_an_enormous_word_is_accepted(memory: Memory) -> None:
    memory.add("x" * 200_000 + " canary", extract=False)
    assert memory.search("canary", scopes={"episodes"}).episodes
    memory.search("y" * 200_000)


def test_an_enormous_text_goes_through_the_rules(memory: Memory) -> None:
    content = "It rained all day and nobody said anything at all. " * 4_000 + "Mira works at Acme."
    memory.add(content, reference_time="2026-01-01")
    assert [(fact.source.name, fact.target.name) for fact in memory.as_of("2026-06-01")] == [("Mira", "Acme")]


@pytest.mark.parametrize(
    "date",
    [
        "yesterday",
        "2026-13-01",
        "2026-02-30",
        "",
        "20260101T",
        "-0044-03-15",
        "10000-01-01",
        "Q3 2026",
        20260101,
        1.5,
        b"2026",
        True,
    ],
)
def test_what_is_not_a_date_is_named_in_the_error(memory: Memory, date: object) -> None:
    for call in (
        lambda: memory.add("text", reference_time=date, extract=False),
        lambda: memory.add_fact("Ana", "LIKES", "tea", valid_at=date),
        lambda: memory.add_fact("Ana", "LIKES", "tea", invalid_at=date),
        lambda: memory.end_fact("Ana", "LIKES", "tea", at=date),
        lambda: memory.as_of(date),
        lambda: memory.as_of("2020", known_at=date),
        lambda: memory.believed_at(date),
        lambda: memory.search("tea", valid_at=date),
        lambda: memory.search("tea", known_at=date),
    ):
        with pytest.raises(ValueError) as refused:  # noqa: PT011  the message is checked below
            call()
        assert repr(date) in str(refused.value)
    assert (memory.stats().episodes, memory.stats().claims) == (0, 0)


@pytest.mark.parametrize(
    "date",
    [
        dt.datetime(2026, 3, 1),  # noqa: DTZ001
        dt.datetime(2026, 3, 1, tzinfo=dt.UTC),
        dt.datetime(2026, 3, 1, 5, 30, tzinfo=dt.timezone(dt.timedelta(hours=5, minutes=30))),
        dt.date(2026, 3, 1),
        "2026-03-01",
        "2026-03",
        "2026-03-01T00:00:00Z",
        "2026-02-28 19:00-05:00",
    ],
    ids=repr,
)
def test_every_way_to_write_a_date_is_one_instant(memory: Memory, date: object) -> None:
    fact = memory.add_fact("Ana", "LIKES", "tea", valid_at=date)
    assert fact.valid_at == dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
    assert fact.valid_at.utcoffset() == dt.timedelta(0)
    assert memory.as_of(date) == [fact]
    assert memory.as_of("2026-02-28T23:59:59.999999") == []


@pytest.mark.parametrize(
    ("given", "precision"), [("2026", "year"), ("2026-03", "month"), ("2026-03-01", "day"), ("2026-03-01T00:00", "time")]
)
def test_a_date_keeps_the_precision_it_was_written_with(memory: Memory, given: str, precision: str) -> None:
    assert memory.add_fact("Ana", "LIKES", "tea", valid_at=given).valid_precision == precision


@pytest.mark.parametrize(
    ("start", "end"), [("2026-03", "2026-01"), ("2026-03", "2026-03"), ("2026-03-01T00:00+09:00", "2026-02-28T15:00Z")]
)
def test_a_period_without_an_instant_is_refused_everywhere(memory: Memory, start: str, end: str) -> None:
    with pytest.raises(InvalidPeriod):
        memory.add_fact("Ana", "LIKES", "tea", valid_at=start, invalid_at=end)
    fact = memory.add_fact("Ana", "LIKES", "tea", valid_at=start)
    with pytest.raises(InvalidPeriod):
        memory.correct(fact.uuid, invalid_at=end)
    with pytest.raises(InvalidPeriod):
        memory.correct(fact.uuid, valid_at="2027", invalid_at="2026")
    assert memory.as_of("2026-06-01") == [fact]


def test_an_unknown_relation_is_created_and_ends_nothing(memory: Memory) -> None:
    memory.add_fact("Ana", "plays chess with", "Bo", valid_at="2020")
    fact = memory.add_fact("Ana", "Plays-Chess-With", "Cy", valid_at="2021")
    assert fact.relation == "PLAYS_CHESS_WITH"
    assert len(memory.as_of("2022", relation="plays_chess_with")) == 2
    assert memory.add_fact("安娜", "喜欢 喝", "茶").relation == "喜欢_喝"


@pytest.mark.parametrize("relation", ["...", "---", "😀", " "])
def test_a_relation_without_a_word_is_refused(memory: Memory, relation: str) -> None:
    with pytest.raises(ValueError, match=r"relation|empty|visible"):
        memory.add_fact("Ana", relation, "tea")
    assert memory.stats().claims == 0


UNKNOWN = "00000000-0000-5000-8000-000000000000"


@pytest.mark.parametrize("uuid", [UNKNOWN, "no uuid at all", ""])
def test_an_unknown_uuid_is_not_found(memory: Memory, uuid: str) -> None:
    for call in (
        lambda: memory.retract(uuid),
        lambda: memory.correct(uuid, target="x"),
        lambda: memory.forget(episode=uuid or " "),
        lambda: memory.forget(fact=uuid or " "),
        lambda: memory.history(uuid),
        lambda: memory.timeline(uuid),
        lambda: memory.entity(uuid),
        lambda: memory.add_fact("Ana", "LIKES", "tea", episode=uuid),
        lambda: memory.end_fact("Ana", "LIKES", "tea", at="2020", episode=uuid),
    ):
        with pytest.raises(NotFound):
            call()
    assert memory.stats().claims == 0


def test_forget_without_a_filter_is_refused(memory: Memory) -> None:
    fact = memory.add_fact("Ana", "LIKES", "tea", valid_at="2020")
    with pytest.raises((TypeError, ValueError)):
        memory.forget()
    assert memory.as_of("2021") == [fact]


@pytest.mark.parametrize("arguments", [{"scopes": {"everything"}}, {"scopes": "facts and more"}, {"limit": 0}, {"limit": -1}])
def test_a_search_argument_that_means_nothing_is_refused(memory: Memory, arguments: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"scope|limit"):
        memory.search("tea", **arguments)


@pytest.mark.parametrize("argument", ["ontology", "model", "timezone"])
def test_an_unknown_argument_of_a_memory_is_an_error(path: Path, argument: str) -> None:
    with pytest.raises(TypeError, match=argument):
        opened(path, **{argument: None})
    assert not path.exists()


def test_an_unknown_source_kind_is_refused(memory: Memory) -> None:
    with pytest.raises(ValueError, match="video"):
        memory.add("text", source="video", extract=False)


def test_a_folder_is_not_a_memory(tmp_path: Path) -> None:
    with pytest.raises(NotATkgmemFile, match=r"folder|directory"):
        opened(tmp_path)


def test_a_file_in_a_folder_that_is_missing_is_a_store_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="missing"):
        opened(tmp_path / "missing" / "me.db")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"just some text\n" * 200, b"short", b"\x89PNG\r\n\x1a\n" + bytes(5000)])
def test_another_kind_of_file_is_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(NotATkgmemFile) as refused:
        opened(path)
    assert path.name in str(refused.value)
    assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]


def test_the_database_of_another_program_is_left_alone(path: Path) -> None:
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE episodes (x)")
    other.close()
    content = path.read_bytes()
    with pytest.raises(NotATkgmemFile):
        opened(path)
    assert path.read_bytes() == content


def test_an_empty_file_becomes_a_memory(path: Path) -> None:
    path.touch()
    with opened(path) as memory:
        memory.add_fact("Ana", "LIKES", "tea", valid_at="2020")
    with opened(path) as memory:
        assert len(memory.as_of("2021")) == 1


def test_a_truncated_file_is_a_store_error(path: Path) -> None:
    with opened(path) as memory:
        memory.add_fact("Ana", "LIKES", "tea")
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(StoreError), opened(path) as memory:
        memory.as_of("2021")


def test_a_file_of_a_later_version_is_refused_and_unchanged(path: Path) -> None:
    opened(path).close()
    with sqlite3.connect(path) as file:
        (version,) = file.execute("PRAGMA user_version").fetchone()
        file.execute(f"PRAGMA user_version = {version + 1}")
    file.close()
    content = path.read_bytes()
    with pytest.raises(SchemaTooNew, match=str(version + 1)):
        opened(path)
    assert path.read_bytes() == content


@pytest.fixture
def written(path: Path, clock: FixedClock) -> Path:
    """A file with one fact and one episode."""
    with opened(path, clock=clock) as memory:
        episode = memory.add("Ana likes tea", extract=False).episode.uuid
        memory.add_fact("Ana", "LIKES", "tea", valid_at="2020", episode=episode)
    return path


def only_reads(memory: Memory) -> None:
    """Reads answer; every write is refused in words that say why."""
    assert [hit.item.target.name for hit in memory.search("tea").facts] == ["tea"]
    (fact,) = memory.as_of("2021")
    episode = memory.episodes()[0].uuid
    for call in (
        lambda: memory.add("more", extract=False),
        lambda: memory.add_fact("Ana", "LIKES", "milk"),
        lambda: memory.end_fact("Ana", "LIKES", "tea", at="2022"),
        lambda: memory.retract(fact.uuid),
        lambda: memory.correct(fact.uuid, target="milk"),
        lambda: memory.forget(episode=episode),
        lambda: memory.define_relation("PORT", functional=True),
    ):
        with pytest.raises(StoreError, match=r"(?i)read.only"):
            call()
    assert memory.as_of("2021") == [fact]


def test_a_memory_opened_read_only_reads_and_refuses_to_write(written: Path) -> None:
    content = written.read_bytes()
    with opened(written, read_only=True) as memory:
        only_reads(memory)
    assert written.read_bytes() == content


@pytest.mark.parametrize("folder_mode", [0o777, 0o555], ids=["folder can be written to", "folder cannot"])
def test_a_read_only_file_reads_and_refuses_to_write(written: Path, folder_mode: int) -> None:
    """T11-03"""
    with tempfile.TemporaryDirectory() as name:
        path = Path(shutil.copy(written, name))
        path.chmod(0o444)
        path.parent.chmod(folder_mode)
        with as_ordinary_user(), opened(path) as memory:
            only_reads(memory)
        assert path.read_bytes() == written.read_bytes()
        path.parent.chmod(0o777)


@contextlib.contextmanager
def as_ordinary_user() -> Iterator[None]:
    """Without the superuser's right to write to any file, where the tests run as one."""
    superuser = os.geteuid() == 0
    if superuser:
        os.seteuid(65534)
    try:
        yield
    finally:
        if superuser:
            os.seteuid(0)


def test_read_only_makes_no_file(path: Path) -> None:
    with pytest.raises(StoreError, match=path.name):
        opened(path, read_only=True)
    assert not path.exists()


def test_a_closed_memory_says_so(path: Path) -> None:
    memory = opened(path)
    memory.close()
    memory.close()
    with pytest.raises(StoreError, match="closed"):
        memory.as_of("2020")


def test_closing_leaves_one_file(written: Path) -> None:
    assert list(written.parent.iterdir()) == [written]
