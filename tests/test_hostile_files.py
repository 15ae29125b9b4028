"""A file from someone else: what is not ours is refused before any of it runs, and values that cannot be are called damage."""

from __future__ import annotations

import datetime as dt
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import apsw
import pytest

from benchmarks.reliability import mutants
from benchmarks.reliability.mutations import CANARY, KINDS, Listening
from tkgmem import Memory, NotATkgmemFile, NotFound, StoreError, TkgmemError
from tkgmem.store import damage, read
from tkgmem.store.connection import Store
from tkgmem.testing import FixedClock, HashEmbedder

NOW = dt.datetime(2026, 11, 30, tzinfo=dt.UTC)


def opened(path: Path, *, read_only: bool = False) -> Memory:
    return Memory(path, embedder=HashEmbedder(16), clock=FixedClock(NOW), read_only=read_only)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sound") / "me.db"
    with opened(path) as memory:
        memory.add_fact("Ann", "LIVES_IN", "Porto", valid_at="2020", uuid="porto", attributes={"floor": 2})
        memory.correct("porto", valid_at="2021")
        memory.add_fact("Ann", "LIVES_IN", "Lyon", valid_at="2024")
        memory.add_fact("Bo", "KNOWS", "Annika")
        memory.merge_entities("Ann", "Annika")
        memory.add("Bo lives in Oslo.", name="talk", metadata={"page": 1})
    return path


@pytest.fixture
def path(tmp_path: Path, sound: Path) -> Path:
    return Path(shutil.copy(sound, tmp_path / "me.db"))


def spoilt(path: Path, *statements: str) -> None:
    """The file after these statements, with nothing of SQLite in their way."""
    db = apsw.Connection(str(path))
    db.create_scalar_function(CANARY, lambda *_: 1, flags=apsw.SQLITE_INNOCUOUS | apsw.SQLITE_DETERMINISTIC)
    db.create_module(CANARY, Listening())
    for statement in statements:
        db.pragma("foreign_keys", False)
        db.pragma("ignore_check_constraints", True)
        db.pragma("writable_schema", "sqlite_schema" in statement)
        db.execute(statement)
    db.close()


# --- a schema that is not ours ---

EDIT = "UPDATE sqlite_schema SET "
ADD = "INSERT INTO sqlite_schema VALUES "
WRITE = f"BEGIN INSERT INTO meta (key, value) VALUES ('{CANARY}', ''); END"


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (f"CREATE TRIGGER spy AFTER INSERT ON claims {WRITE}", "the trigger 'spy' is not one that tkgmem makes"),
        (f"CREATE TRIGGER spy INSTEAD OF INSERT ON facts {WRITE}", "the trigger 'spy'"),
        (f"CREATE VIEW spy AS SELECT {CANARY}(1) AS a", "the view 'spy'"),
        (f"DROP VIEW facts; CREATE VIEW facts AS SELECT {CANARY}(1) AS a", "the view 'facts' is not as tkgmem makes it"),
        (
            f"ALTER TABLE meta RENAME TO old; CREATE VIEW meta AS SELECT *, {CANARY}(1) FROM old",
            "(table 'old'|index 'sqlite_autoindex_old_1') is not one",
        ),
        (f"CREATE INDEX spy ON claims ({CANARY}(1))", "the index 'spy'"),
        (f"CREATE INDEX spy ON claims (id) WHERE {CANARY}(1)", "the index 'spy'"),
        ("CREATE INDEX spy ON claims (fact)", "the index 'spy'"),
        (f"{EDIT} sql = replace(sql, 'cause TEXT', 'cause TEXT DEFAULT ({CANARY}(1))') WHERE name = 'versions'", "'versions'"),
        (f"ALTER TABLE claims ADD COLUMN spy TEXT GENERATED ALWAYS AS ({CANARY}(1)) VIRTUAL", "the table 'claims' is not as"),
        (f"CREATE VIRTUAL TABLE spy USING {CANARY}", "the table 'spy'"),
        ("CREATE VIRTUAL TABLE spy USING fts5 (text, content='claims')", "the table 'spy"),
        (
            f"DROP TABLE claim_text; CREATE VIRTUAL TABLE claim_text USING {CANARY}",
            "the table 'claim_text' is not as tkgmem makes it",
        ),
        ("CREATE TABLE spy (a)", "the table 'spy'"),
        (f"{EDIT} sql = replace(sql, '-- in its', CAST(x'2d2de9' AS TEXT)) WHERE name = 'claims'", "its schema is not UTF-8"),
        ("DROP INDEX claims_by_triple", "the index claims_by_triple is missing"),
        ("DROP TABLE next_vectors", "next_vectors.* is missing"),
        (f"{EDIT} sql = replace(sql, ' STRICT', '') WHERE name = 'claims'", "the table 'claims' is not as"),
        (f"{EDIT} sql = replace(sql, ') STRICT', ', CHECK ({CANARY}(1))) STRICT') WHERE name = 'claims'", "the table 'claims'"),
        (f"{EDIT} name = 'CLAIMS', tbl_name = 'CLAIMS' WHERE name = 'claims'", "CLAIMS|malformed"),
        (
            f"{EDIT} rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'merges') WHERE name = 'moves'",
            "two of its tables share a page",
        ),
        (f"{EDIT} sql = NULL WHERE name = 'claims_by_triple'", "malformed|claims_by_triple"),
        (f"{ADD} ('table', 'spy', 'spy', 0, 'CREATE VIRTUAL TABLE spy USING {CANARY}')", "the table 'spy'"),
        (f"{ADD} ('index', 'spy', 'sqlite_master', 3, 'CREATE INDEX spy ON sqlite_master (name)')", "share a page|malformed"),
        ("INSERT INTO claim_text_config VALUES ('rank', 'highlight(0, ''a'', ''b'')')", "claim_text is set up in another way"),
        ("UPDATE claim_text_config SET v = 99", "claim_text is set up in another way"),
        (
            f"{ADD} ('table', 'sqlite_stat1', 'sqlite_stat1', 0, 'CREATE VIRTUAL TABLE sqlite_stat1 USING {CANARY}')",
            "the table 'sqlite_stat1'",
        ),
        (f"{ADD} ('table', 'spy', 'spy', 0, 'CREATE VIEW spy AS SELECT ''' || hex(zeroblob(600000)) || '''')", "spy|too big"),
        ("PRAGMA user_version = 1", "is not"),
        ("PRAGMA user_version = 0", "is not one that tkgmem makes"),
        ("PRAGMA user_version = -1", "is not one that tkgmem makes"),
        ("PRAGMA application_id = 1", "another program"),
    ],
)
def test_a_schema_that_is_not_ours_is_refused_by_name_and_nothing_of_it_runs(path: Path, statement: str, said: str) -> None:
    spoilt(path, statement)
    heard: list[str] = []
    listening = Listening()

    def listen(db: apsw.Connection) -> None:
        db.create_scalar_function(CANARY, heard.append, flags=apsw.SQLITE_INNOCUOUS | apsw.SQLITE_DETERMINISTIC)
        db.create_module(CANARY, listening)

    apsw.connection_hooks.append(listen)
    before = path.read_bytes()
    try:
        for read_only in (True, False):
            with pytest.raises(StoreError, match=said):
                opened(path, read_only=read_only)
    finally:
        apsw.connection_hooks.remove(listen)
    assert not heard
    assert not listening.heard
    assert path.read_bytes() == before


def test_a_database_of_another_program_with_our_mark_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    db = apsw.Connection(str(path))
    db.execute(
        "CREATE TABLE claims (id); CREATE TABLE users (name); PRAGMA application_id = 0x746B676D; PRAGMA user_version = 4"
    )
    db.close()
    with pytest.raises(NotATkgmemFile, match=r"is missing|not as tkgmem makes it"):
        opened(path)


def test_text_in_another_encoding_is_refused(tmp_path: Path, sound: Path) -> None:
    path = tmp_path / "wide.db"
    db, old = apsw.Connection(str(path)), apsw.Connection(str(sound))
    db.pragma("encoding", "UTF-16")
    db.execute("BEGIN")
    rows = old.execute(
        "SELECT sql FROM sqlite_schema WHERE sql NOT NULL AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '%_text_%'"
    )
    for (sql,) in rows:
        db.execute(str(sql))
    db.execute(f"PRAGMA application_id = 0x746B676D; PRAGMA user_version = {old.pragma('user_version')}; COMMIT")
    db.close()
    old.close()
    with pytest.raises(NotATkgmemFile, match="not UTF-8"):
        opened(path)


def test_statistics_that_sqlite_made_are_welcome(path: Path) -> None:
    spoilt(path, "ANALYZE")
    with opened(path) as memory:
        assert memory.entity("Ann").facts


def test_a_trigger_that_comes_while_a_file_is_open_does_not_run(path: Path) -> None:
    with opened(path) as memory:
        spoilt(path, f"CREATE TRIGGER spy AFTER INSERT ON claims {WRITE}")
        memory.add_fact("Bo", "LIKES", "tea")
        with Store.read(memory._store) as db:
            assert db.execute("SELECT count(*) FROM meta WHERE key = ?", (CANARY,)).get == 0
            assert db.execute("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'").get == 1


def test_what_belongs_to_a_row_still_goes_with_it(path: Path) -> None:
    with Store(path) as store, store.write() as db:
        passage = db.execute("SELECT min(id) FROM passages WHERE claim_id IS NOT NULL").get
        db.execute("DELETE FROM passages WHERE id = ?", (passage,))
        assert db.execute("SELECT count(*) FROM vectors WHERE id = ?", (passage,)).get == 0


# --- values that cannot be ---


def read_everything(memory: Memory) -> None:
    memory.search("Where does Ann live?", include_ended=True)
    memory.context("Ann and Bo")
    memory.as_of("2025", relation="LIVES_IN")
    memory.history("Ann")
    memory.history("porto")
    memory.timeline("Ann")
    memory.entity("Ann")
    memory.episodes()
    memory.stats()
    memory.model_calls()


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE claims SET replaced_by_id = id WHERE uuid = 'porto'", "replaced by itself"),
        ("UPDATE claims SET replaced_by_id = 3 - id WHERE id IN (1, 2)", "replaced by itself"),
        ("UPDATE claims SET replaced_by_id = 999 WHERE uuid = 'porto'", "names one of claims that is not there"),
        ("UPDATE versions SET source_id = 999", "names one of entities that is not there"),
        ("UPDATE versions SET fact_id = 999", "names one of claims that is not there"),
        ("UPDATE versions SET cause_id = 999 WHERE cause_id IS NOT NULL", "names one of claims that is not there"),
        ("UPDATE claims SET attributes = '{'", "attributes of row"),
        ("UPDATE claims SET attributes = '[1]'", "attributes of row"),
        ("UPDATE claims SET attributes = replace(hex(zeroblob(50000)), '0', '[')", "attributes of row"),
        ("UPDATE episodes SET metadata = 'null, no'", "metadata of row"),
        ("UPDATE episodes SET reference_time = 9223372036854775807", "reference_time of row"),
        ("UPDATE episodes SET reference_offset = 86400", "reference_offset of row"),
        ("UPDATE versions SET valid_at = -9223372036854775807", "valid_at of row"),
        ("UPDATE entities SET created_at = 4611686018427387904", "created_at of row"),
        ("UPDATE relations SET aliases = '7'", "aliases of row"),
        ("UPDATE episodes SET content = CAST(x'fffe' AS TEXT)", "utf-8|codec"),
        ("UPDATE vectors SET vector = substr(vector, 5)", "another length"),
        ("UPDATE vectors SET vector = CAST(x'0000c07f' || substr(vector, 5) AS BLOB) WHERE id = 1", "not of unit length"),
        ("UPDATE vectors SET vector = CAST(x'0000807f' || substr(vector, 5) AS BLOB)", "not of unit length"),
        ("UPDATE vectors SET vector = CAST(x'00008043' || substr(vector, 5) AS BLOB)", "not of unit length"),
        ("DELETE FROM claim_text_config", "invalid fts5 file format"),
        ("DELETE FROM vectors", "have no vector"),
        ("UPDATE shelves SET size = size + 1", "says that it holds"),
        ("UPDATE shelves SET framed = 5000", "without its signature"),
        ("UPDATE shelves SET framed = 100, frame = x'00'", "frame of row"),
        ("DELETE FROM meta WHERE key = 'embedder.sha256'", "embedder"),
        ("UPDATE meta SET value = 'many' WHERE key = 'embedder.dimension'", "embedder"),
    ],
)
def test_a_value_that_cannot_be_is_said_to_be_damage(path: Path, statement: str, said: str) -> None:
    spoilt(path, statement)
    with pytest.raises(NotATkgmemFile, match=rf"me\.db is damaged: .*({said})"), opened(path, read_only=True) as memory:
        read_everything(memory)


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("entities", "name", "x'00ff'"),
        ("episodes", "content", "x'07'"),
        ("episodes", "reference_time", "'yesterday'"),
        ("claims", "uuid", "x'00'"),
        ("claims", "fact", "x'00'"),
        ("claims", "created_at", "'text'"),
        ("versions", "relation", "x'00'"),
        ("supports", "created_at", "'text'"),
        ("vectors", "vector", "'text'"),
        ("relations", "name", "x'00'"),
        ("relations", "name", "NULL"),
        ("groups", "name", "x'00'"),
        ("aliases", "name", "x'07'"),
    ],
)
def test_a_value_of_another_type_is_said_to_be_damage(path: Path, table: str, column: str, value: str) -> None:
    strict = f"(SELECT sql FROM sqlite_schema WHERE name = '{table}')"
    db = apsw.Connection(str(path))
    kept = db.execute(f"SELECT {strict}").get
    db.close()
    spoilt(path, f"{EDIT} sql = replace(replace(sql, ' STRICT', ''), ' NOT NULL', '') WHERE name = '{table}'")
    spoilt(path, f"UPDATE {table} SET {column} = {value} WHERE rowid = (SELECT min(rowid) FROM {table})" if table != "supports"
           else f"UPDATE {table} SET {column} = {value}")  # fmt: skip
    db = apsw.Connection(str(path))
    db.pragma("writable_schema", True)
    db.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (kept, table))
    db.close()
    with opened(path, read_only=True) as memory:
        with suppress(TkgmemError):
            read_everything(memory)
        with memory._store.read() as db:
            assert damage.found(db)


def test_what_is_wrong_with_an_argument_is_not_laid_on_the_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spoilt(path, "UPDATE episodes SET reference_offset = 86400")
    looked: list[object] = []
    monkeypatch.setattr(damage, "found", looked.append)
    with opened(path, read_only=True) as memory:
        with pytest.raises(ValueError, match="an entity is a name"):
            memory.entity(7)  # type: ignore[arg-type]
        with pytest.raises(NotFound):
            memory.entity("Nobody")
    assert looked == []


@pytest.mark.parametrize(
    "error", [KeyError("x"), AttributeError("x"), ValueError("x"), RecursionError("x"), apsw.SQLError("x")]
)
def test_a_fault_of_ours_in_a_sound_file_stays_what_it_is(
    path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    looked: list[object] = []
    found: Callable[[apsw.Connection], str | None] = damage.found

    def fail(*_: object, **__: object) -> None:
        raise error

    def look(db: apsw.Connection) -> str | None:
        looked.append(db)
        return found(db)

    monkeypatch.setattr(read, "list_episodes", fail)
    monkeypatch.setattr(damage, "found", look)
    with opened(path) as memory:
        for _ in range(3):
            with pytest.raises(type(error), match="x"):
                memory.episodes()
        assert len(looked) == 1  # a sound file is looked through once
        memory.add_fact("Bo", "LIKES", "tea")
        with pytest.raises(type(error), match="x"):
            memory.episodes()
        assert len(looked) == 2


@pytest.mark.slow
def test_of_a_sample_of_spoilt_files_none_is_answered_wrongly_or_otherwise_than_by_an_error(tmp_path: Path) -> None:
    counts, bad = mutants.spoil(tmp_path, 1, seed=11, facts=15)
    assert bad == []
    assert len(counts["by kind"]) == len(KINDS)
    assert counts["refused when opened"] + counts["refused later"] > 3
