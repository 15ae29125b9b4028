"""A backup is the whole memory of one moment, sound, in a place where nothing was; a restored one answers the same."""

from __future__ import annotations

import datetime as dt
import errno
import json
import os
import resource
import shutil
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest
from click.testing import CliRunner

from tkgmem import CopyReport, Memory, NotATkgmemFile, SchemaTooNew, StoreError
from tkgmem.cli import main
from tkgmem.portable.backup import backup_file, restore
from tkgmem.store import copy, snapshot
from tkgmem.store.connection import Store
from tkgmem.testing import FixedClock, HashEmbedder

SCHEMA_1 = Path(__file__).parent / "files" / "schema_1.db"


class SilentEmbedder(HashEmbedder):
    """One that must not be asked."""

    def _embed(self, texts: object) -> Any:
        raise AssertionError(f"asked for the vectors of {texts}")


def opened(path: Path | str, *, embedder: HashEmbedder | None = None, read_only: bool = False) -> Memory:
    return Memory(path, embedder=embedder or HashEmbedder(8), read_only=read_only)


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    with opened(path) as memory:
        memory.add("Ana lives in Porto. Ana works at Acme.", reference_time="2024-05-01")
        memory.add_fact("Ana", "LIKES", "tea")
        yield memory


def triples(memory: Memory) -> set[tuple[str, str, str]]:
    return {(fact.source.name, fact.relation, fact.target.name) for fact in memory.as_of("2025")}


def beside(path: Path) -> set[str]:
    """The names in a file's folder."""
    return {file.name for file in path.parent.iterdir()}


# --- what a backup holds ---


def test_it_holds_what_was_committed_last_though_the_file_is_open(memory: Memory, tmp_path: Path) -> None:
    made = memory.backup(tmp_path / "copy.db")
    assert (made.episodes, made.claims, made.sealed) == (1, 3, False)
    assert made.bytes == (tmp_path / "copy.db").stat().st_size
    with opened(tmp_path / "copy.db") as copied:
        assert triples(copied) == triples(memory) != set()
        assert [hit.item.uuid for hit in copied.search("Porto").facts] == [
            hit.item.uuid for hit in memory.search("Porto").facts
        ]
        copied.add_fact("Bo", "LIKES", "milk")
        assert "Bo" not in {source for source, _, _ in triples(memory)}


def test_it_is_one_file_with_the_rights_of_the_original(memory: Memory, path: Path, tmp_path: Path) -> None:
    path.chmod(0o640)
    before = beside(path)
    memory.backup(tmp_path / "copy.db")
    assert beside(path) - before == {"copy.db"}
    assert stat.S_IMODE((tmp_path / "copy.db").stat().st_mode) == 0o640
    with opened(tmp_path / "copy.db", read_only=True) as copied:
        copied.as_of("2025")
        assert beside(path) - before == {"copy.db"}  # it is not in WAL mode


def test_one_of_a_memory_without_a_file_is_private(tmp_path: Path) -> None:
    with opened(":memory:") as memory:
        memory.add_fact("Ana", "LIKES", "tea")
        memory.backup(tmp_path / "copy.db")
    assert stat.S_IMODE((tmp_path / "copy.db").stat().st_mode) == 0o600
    with opened(tmp_path / "copy.db") as copied:
        assert triples(copied) == {("Ana", "LIKES", "tea")}


def test_no_embedder_is_asked(memory: Memory, path: Path, tmp_path: Path) -> None:
    backup_file(path, tmp_path / "copy.db")
    with opened(path, embedder=SilentEmbedder(8)) as silent:
        silent.backup(tmp_path / "other.db")
    restore(tmp_path / "other.db", tmp_path / "third.db")
    with opened(tmp_path / "third.db", embedder=SilentEmbedder(8)) as copied:
        assert triples(copied) == triples(memory)


def test_it_is_of_one_moment_while_others_write(memory: Memory, tmp_path: Path) -> None:
    """Pairs are told in one transaction each: a backup has both or none."""
    over = threading.Event()
    told: list[int] = []

    def tell() -> None:
        pair = [{"source": "$.box", "relation": "HOLDS", "target": target} for target in ("$.left", "$.right")]
        while not over.is_set():
            name = f"box {len(told)}"
            memory.add(json.dumps({"box": name, "left": f"l {name}", "right": f"r {name}"}), source="json", mapping=pair)
            told.append(1)

    writer = threading.Thread(target=tell)
    writer.start()
    try:
        counts = [memory.backup(tmp_path / f"{number}.db").claims for number in range(4)]
    finally:
        over.set()
        writer.join()
    assert counts == sorted(counts)
    assert all(count % 2 == 1 for count in counts)  # the three of the fixture, and pairs
    assert memory.stats().claims == 3 + 2 * len(told)


def test_who_writes_does_not_wait_for_it(memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write in the middle of a backup is done at once, and is not in it."""
    real = snapshot.take

    def write_first(source: apsw.Connection, into: apsw.Connection) -> None:
        writer = threading.Thread(target=lambda: memory.add_fact("Bo", "LIKES", "milk"))
        writer.start()
        writer.join(30)
        assert not writer.is_alive()
        real(source, into)

    monkeypatch.setattr(snapshot, "take", write_first)
    assert memory.backup(tmp_path / "copy.db").claims == 3
    assert memory.stats().claims == 4


# --- what it refuses ---


@pytest.mark.parametrize("end", ["", "-wal", "-shm", "-journal"])
def test_nothing_that_is_there_is_overwritten(memory: Memory, path: Path, tmp_path: Path, end: str) -> None:
    taken = tmp_path / f"copy.db{end}"
    taken.write_text("mine")
    before = beside(path)
    for make in (lambda: memory.backup(tmp_path / "copy.db"), lambda: restore(path, tmp_path / "copy.db")):
        with pytest.raises(StoreError, match=r"is there already"):
            make()
    assert taken.read_text() == "mine"
    assert beside(path) == before


def test_neither_is_a_link_that_leads_nowhere_nor_the_memory_itself(memory: Memory, path: Path, tmp_path: Path) -> None:
    (tmp_path / "copy.db").symlink_to(tmp_path / "nowhere.db")
    for target in (tmp_path / "copy.db", path, tmp_path):
        with pytest.raises(StoreError, match="is there already"):
            memory.backup(target)
    assert not (tmp_path / "nowhere.db").exists()
    with pytest.raises(StoreError, match="is no file"):
        memory.backup(":memory:")


@pytest.mark.parametrize("links", [True, False], ids=["links", "no links"])
def test_a_file_that_appears_meanwhile_is_left_as_it_is(
    memory: Memory, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    target, real = tmp_path / "copy.db", os.link
    before = beside(path)

    def appear(source: str, wanted: str) -> None:
        target.write_text("mine")
        if not links:
            raise OSError(errno.EPERM, "no links here")
        real(source, wanted)

    monkeypatch.setattr(os, "link", appear)
    with pytest.raises(StoreError, match="appeared meanwhile"):
        memory.backup(target)
    assert target.read_text() == "mine"
    assert beside(path) == before | {"copy.db"}


def test_it_is_put_in_place_on_a_file_system_without_links(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", refuse)
    memory.backup(tmp_path / "copy.db")
    with opened(tmp_path / "copy.db") as copied:
        assert triples(copied) == triples(memory)


# --- when it goes wrong ---


@contextmanager
def small_disk(size: int) -> Iterator[None]:
    """No file can grow beyond so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_leaves_nothing_behind(memory: Memory, path: Path, tmp_path: Path) -> None:
    before = beside(path)
    with small_disk(50_000), pytest.raises(StoreError, match=r"copy\.db"):
        memory.backup(tmp_path / "copy.db")
    assert beside(path) == before
    memory.add_fact("Bo", "LIKES", "milk")
    assert memory.backup(tmp_path / "copy.db").claims == 4


def test_neither_does_an_interruption(memory: Memory, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(copy, "check", interrupt)
    before = beside(path)
    with pytest.raises(KeyboardInterrupt):
        memory.backup(tmp_path / "copy.db")
    assert beside(path) == before


def test_a_copy_that_is_not_the_whole_is_refused(
    memory: Memory, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = snapshot.take

    def lose(source: apsw.Connection, into: apsw.Connection) -> None:
        real(source, into)
        into.execute("DELETE FROM versions")

    monkeypatch.setattr(snapshot, "take", lose)
    before = beside(path)
    with pytest.raises(StoreError, match="not Contents"):
        memory.backup(tmp_path / "copy.db")
    assert beside(path) == before


def damage_an_index(path: Path) -> None:
    """An index that lost its entries: reading by it finds nothing, and only a check of the whole file sees it."""
    db = apsw.Connection(str(path))
    [(root,)] = db.execute(
        "SELECT rootpage FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'versions' LIMIT 1"
    ).fetchall()
    size = db.pragma("page_size")
    db.close()
    content = bytearray(path.read_bytes())
    start = (root - 1) * size
    content[start + 3 : start + 5] = b"\0\0"  # the number of its entries
    path.write_bytes(content)


def test_neither_a_damaged_memory_nor_a_damaged_backup_is_copied(memory: Memory, path: Path, tmp_path: Path) -> None:
    memory.close()
    damage_an_index(path)
    before = beside(path)
    for make in (backup_file, restore):
        with pytest.raises(StoreError, match="damaged"):
            make(path, tmp_path / "copy.db")
    assert beside(path) == before


# --- restore ---


def test_a_restored_memory_answers_the_same_and_the_backup_stays(memory: Memory, tmp_path: Path) -> None:
    memory.backup(tmp_path / "copy.db")
    content = (tmp_path / "copy.db").read_bytes()
    made = restore(tmp_path / "copy.db", tmp_path / "new.db")
    assert (made.path, made.episodes, made.claims) == (str(tmp_path / "new.db"), 1, 3)
    with opened(tmp_path / "new.db") as restored:
        assert triples(restored) == triples(memory)
        assert restored.history("Ana") == memory.history("Ana")
    assert (tmp_path / "copy.db").read_bytes() == content


def test_a_memory_in_use_can_be_restored_from(memory: Memory, path: Path, tmp_path: Path) -> None:
    restore(path, tmp_path / "new.db")
    with opened(tmp_path / "new.db") as restored:
        assert triples(restored) == triples(memory)
    leave = f"import apsw; apsw.Connection({str(path)!r}).pragma('journal_mode', 'delete')"
    other = subprocess.run([sys.executable, "-c", leave], capture_output=True, text=True, check=False)
    assert "BusyError" in other.stderr  # reading it dropped none of the locks on it


@pytest.mark.parametrize("make", [backup_file, restore])
def test_a_file_of_an_earlier_schema_is_copied_as_it_is_and_brought_up_when_opened(
    tmp_path: Path, make: Callable[[Path, Path], CopyReport]
) -> None:
    made = make(SCHEMA_1, tmp_path / "new.db")
    with closing(apsw.Connection(str(tmp_path / "new.db"))) as copied:
        assert copied.pragma("user_version") == 1
    assert made.claims > 0
    with Memory(
        tmp_path / "new.db", embedder=HashEmbedder(16), clock=FixedClock(dt.datetime(2026, 11, 30, tzinfo=dt.UTC))
    ) as restored:
        assert [fact.target.name for fact in restored.as_of("2025-01-01", source="小李")] == ["A 公司"]


def foreign(path: Path) -> None:
    db = apsw.Connection(str(path))
    db.execute("CREATE TABLE t (a)")
    db.close()


def newer(path: Path) -> None:
    opened(path).close()
    db = apsw.Connection(str(path))
    db.pragma("user_version", 999)
    db.close()


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (foreign, NotATkgmemFile),
        (newer, SchemaTooNew),
        (lambda path: path.write_bytes(b""), NotATkgmemFile),
        (lambda path: path.write_bytes(b"not a database, " * 100), NotATkgmemFile),
        (lambda path: path.write_bytes(SCHEMA_1.read_bytes()[:20_000]), NotATkgmemFile),
        (Path.mkdir, StoreError),
        (Path.exists, StoreError),
    ],
    ids=["of another program", "of a later version", "empty", "text", "cut off", "a folder", "missing"],
)
def test_what_is_no_backup_is_refused(tmp_path: Path, make: Callable[[Path], object], error: type[StoreError]) -> None:
    source = tmp_path / "backup.db"
    make(source)
    before = beside(source)
    with pytest.raises(error, match=r"backup\.db"):
        restore(source, tmp_path / "new.db")
    assert beside(source) == before


# --- the command line ---


def test_the_command_line_copies_and_restores(
    memory: Memory, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TKGMEM_DB", str(path))
    copied = CliRunner().invoke(main, ["backup", str(tmp_path / "copy.db"), "--json"])
    assert copied.exit_code == 0, copied.stderr
    assert {key: json.loads(copied.stdout)[key] for key in ("claims", "sealed")} == {"claims": 3, "sealed": False}
    again = CliRunner().invoke(main, ["backup", str(tmp_path / "copy.db")])
    assert (again.exit_code, again.stdout) == (4, "")
    assert "is there already" in again.stderr
    restored = CliRunner().invoke(main, ["--db", str(tmp_path / "new.db"), "restore", str(tmp_path / "copy.db")])
    assert restored.exit_code == 0, restored.stderr
    assert "1 text, 3 statements" in restored.stdout
    with Store(tmp_path / "new.db", read_only=True) as store:
        assert copy.check(store, None, of="it").claims == 3


def test_the_command_line_says_that_there_is_no_memory(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["--db", str(tmp_path / "me.db"), "backup", str(tmp_path / "copy.db")])
    assert result.exit_code == 4
    assert "there is no memory" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_usual_place_is_made_for_a_restored_memory(
    memory: Memory, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(tmp_path / "data", ignore_errors=True)
    for name in ("XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("TKGMEM_DB", raising=False)
    result = CliRunner().invoke(main, ["restore", str(path), "--json"])
    assert result.exit_code == 0, result.stderr
    assert Path(json.loads(result.stdout)["path"]).is_file()
