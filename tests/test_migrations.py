"""A file of an earlier schema is brought up when it is opened, and answers as it did."""

from __future__ import annotations

import datetime as dt
import logging
import multiprocessing
import os
import shutil
import signal
from pathlib import Path

import apsw
import pytest

from tkgmem import Memory, NotATkgmemFile, SchemaTooNew, StoreError
from tkgmem.store import migrate, schema, upgrade_leads
from tkgmem.testing import FixedClock, HashEmbedder

SCHEMA_1 = Path(__file__).parent / "files" / "schema_1.db"
NOW = dt.datetime(2026, 11, 30, tzinfo=dt.UTC)


@pytest.fixture
def old(path: Path) -> Path:
    shutil.copy(SCHEMA_1, path)
    return path


def opened(path: Path, **more: bool) -> Memory:
    return Memory(path, embedder=HashEmbedder(16), clock=FixedClock(NOW), **more)


def dump(path: Path, table: str) -> list[tuple[object, ...]]:
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    columns = {
        "episodes": "id, uuid, content, state",
        "aliases": "id, entity_id, name, key, created_at, expired_at",
        "claims": "id, uuid, kind, source_id, relation, target_id, fact, valid_at, invalid_at, created_at, expired_at",
        "transactions": "created_at, verb, group_id, episode_id, reason",
        "relations": "id, name, functional, inverse, aliases, created_at, expired_at",
    }
    rows = db.execute(f"SELECT {columns.get(table, '*')} FROM {table}").fetchall()
    db.close()
    return rows


def test_nothing_that_was_recorded_changes_and_the_answers_stay(old: Path) -> None:
    tables = ("episodes", "entities", "aliases", "claims", "versions", "supports", "relations", "transactions", "mentions")
    before = {table: dump(SCHEMA_1, table) for table in tables}
    with opened(old) as memory:
        assert [one.target.name for one in memory.as_of("2025-01-01", source="小李")] == ["A 公司"]
        assert [one.target.name for one in memory.as_of("2026-07-01", source="小李")] == ["B 公司"]
        assert [one.target.name for one in memory.as_of("2026-07-01", source="Ana", group="other")] == ["Porto"]
        assert memory.search("小李在哪里工作", scopes=["facts", "episodes"]).episodes
        assert memory.search("小李", scopes=["entities"]).entities[0].item.name == "小李"
    assert {table: dump(old, table) for table in tables} == before
    assert dump(old, "pragma_user_version") == [(6,)]


def test_it_takes_everything_that_is_new(old: Path) -> None:
    with opened(old) as memory:
        memory.add_alias("小李", "Xiao Li")
        memory.add_fact("李明", "LIVES_IN", "北京")
        memory.merge_entities("小李", "李明")
        assert {one.relation for one in memory.entity("Xiao Li", valid_at="2026-07-01").facts} >= {"WORKS_AT", "LIVES_IN"}
        memory.add("Ana works at Northwind.", group="other")
        assert len(memory.entity("Ana", group="other").facts) == 2


def test_read_only_it_is_refused_with_a_word_on_what_to_do(old: Path) -> None:
    with pytest.raises(StoreError, match=r"schema 1.*tkgmem init.*schema 6"):
        opened(old, read_only=True)
    opened(old).close()
    opened(old, read_only=True).close()


# --- what is kept of the old file ---


def kept(path: Path) -> list[str]:
    return sorted(one.name for one in path.parent.iterdir())


def test_the_old_file_is_kept_beside_the_new_one(old: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "tkgmem")
    old.chmod(0o640)
    opened(old).close()
    backup = old.with_name("me.db.schema-1.bak")
    assert kept(old) == ["me.db", backup.name]
    assert backup.stat().st_mode & 0o777 == 0o640
    for table in ("pragma_user_version", "episodes", "claims", "versions", "episode_vectors_rowids"):
        assert dump(backup, table) == dump(SCHEMA_1, table)
    assert ["schema 1" in message and str(backup) in message for message in caplog.messages] == [True]
    opened(old).close()
    assert kept(old) == ["me.db", backup.name]


def test_what_has_that_name_already_stays(old: Path) -> None:
    taken = old.with_name("me.db.schema-1.bak")
    taken.write_text("mine")
    opened(old).close()
    assert taken.read_text() == "mine"
    assert dump(old.with_name("me.db.schema-1-2.bak"), "pragma_user_version") == [(1,)]
    assert len(kept(old)) == 3


def test_a_new_file_is_kept_nowhere(path: Path) -> None:
    opened(path).close()
    path.with_name("empty.db").touch()
    opened(path.with_name("empty.db")).close()
    assert kept(path) == ["empty.db", "me.db"]


def test_a_migration_that_fails_leaves_the_file_as_it_was(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: apsw.Connection) -> None:
        raise apsw.FullError("no space")

    monkeypatch.setattr(upgrade_leads, "upgrade", fail)
    with pytest.raises(StoreError, match="disk is full"):
        opened(old)
    assert kept(old) == ["me.db"]
    for table in ("pragma_user_version", "sqlite_schema", "episodes", "claims", "passages"):
        assert dump(old, table) == dump(SCHEMA_1, table)


def test_no_copy_no_migration(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", fail)
    with pytest.raises(StoreError, match=r"no copy of it could be kept beside it .*schema-1\.bak: Permission denied"):
        opened(old)
    monkeypatch.undo()
    assert dump(old, "pragma_user_version") == [(1,)]
    assert kept(old) == ["me.db"]


def test_a_migration_that_is_killed_leaves_the_file_as_it_was(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upgrade_leads, "upgrade", lambda _: os.kill(os.getpid(), signal.SIGKILL))
    process = multiprocessing.get_context("fork").Process(target=opened, args=(old,))
    process.start()
    process.join()
    monkeypatch.undo()
    assert process.exitcode == -signal.SIGKILL
    assert dump(old, "pragma_user_version") == [(1,)]
    assert dump(old, "claims") == dump(SCHEMA_1, "claims")
    with opened(old) as memory:
        assert [one.target.name for one in memory.as_of("2026-07-01", source="小李")] == ["B 公司"]


def test_of_two_that_open_an_old_file_at_once_one_brings_it_up(old: Path) -> None:
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=lambda: opened(old).close()) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    assert dump(old, "pragma_user_version") == [(schema.latest(),)]
    assert kept(old) == ["me.db", "me.db.schema-1.bak"]


def test_an_old_file_with_values_that_cannot_be_is_left_as_it_is(old: Path) -> None:
    db = apsw.Connection(str(old))
    db.execute("UPDATE episode_vectors_rowids SET chunk_offset = 123456789")
    db.close()
    before = old.read_bytes()
    with pytest.raises(NotATkgmemFile, match="vector 1 of schema 2"):
        opened(old)
    assert dump(old, "pragma_user_version") == [(1,)]
    assert dump(old, "claims") == dump(SCHEMA_1, "claims")
    assert kept(old) == ["me.db"]
    assert len(old.read_bytes()) == len(before)


def test_a_later_file_is_refused_and_left_as_it_is(path: Path) -> None:
    opened(path).close()
    db = apsw.Connection(str(path))
    db.pragma("user_version", schema.latest() + 1)
    db.close()
    before = path.read_bytes()
    for read_only in (False, True):
        with pytest.raises(SchemaTooNew, match="install a newer tkgmem"):
            opened(path, read_only=read_only)
    assert path.read_bytes() == before


def test_the_checksum_of_the_schema_is_that_of_the_migrations() -> None:
    assert schema.checksum(schema.made(schema.latest())) == schema.LATEST, "put the new one into tkgmem/store/schema.py"


@pytest.mark.parametrize("number", [number for number, _ in schema.scripts()])
def test_a_file_that_stopped_at_any_schema_is_one_of_ours(path: Path, number: int) -> None:
    db = apsw.Connection(str(path))
    db.execute("BEGIN")
    for script, sql in schema.scripts()[:number]:
        db.execute(sql)
        db.pragma("user_version", script)
    db.pragma("application_id", migrate.APPLICATION_ID)
    db.execute("COMMIT")
    db.close()
    with opened(path) as memory:
        memory.add_fact("Ann", "LIVES_IN", "Porto")
