"""A file of an earlier schema is brought up when it is opened, and answers as it did."""

from __future__ import annotations

import datetime as dt
import shutil
from pathlib import Path

import apsw
import pytest

from tkgmem import Memory, StoreError
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
    assert dump(old, "pragma_user_version") == [(4,)]


def test_it_takes_everything_that_is_new(old: Path) -> None:
    with opened(old) as memory:
        memory.add_alias("小李", "Xiao Li")
        memory.add_fact("李明", "LIVES_IN", "北京")
        memory.merge_entities("小李", "李明")
        assert {one.relation for one in memory.entity("Xiao Li", valid_at="2026-07-01").facts} >= {"WORKS_AT", "LIVES_IN"}
        memory.add("Ana works at Northwind.", group="other")
        assert len(memory.entity("Ana", group="other").facts) == 2


def test_read_only_it_is_refused_with_a_word_on_what_to_do(old: Path) -> None:
    with pytest.raises(StoreError, match=r"schema 1.*tkgmem init.*schema 4"):
        opened(old, read_only=True)
    opened(old).close()
    opened(old, read_only=True).close()
