"""Doctor finds each kind of damage, mends what is derived, leaves the rest as it is, and finds nothing in a sound file."""

from __future__ import annotations

import datetime as dt
import json
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from merged import AnyOp, merged_histories, tell_merged

from tkgmem import Memory, StoreError
from tkgmem.cli import main
from tkgmem.cli.session import Session
from tkgmem.store import shelves
from tkgmem.store.connection import Store
from tkgmem.testing import FixedClock, HashEmbedder, ScriptedLLM

NOW = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)


def opened(path: Path | str, **more: Any) -> Memory:
    return Memory(path, embedder=HashEmbedder(8), clock=FixedClock(NOW, step=dt.timedelta(seconds=1)), **more)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with some of everything."""
    path = tmp_path_factory.mktemp("sound") / "me.db"
    with opened(path) as memory:
        memory.add("Maya moved to Lisbon in May 2024. She works at Contoso.", reference_time="2024-06-01", name="notes")
        memory.add("I joined Fabrikam yesterday.", speaker="Maya", reference_time="2025-03-02", name="notes")
        memory.add("小李在 A 公司工作", reference_time="2024-03-05")
        tea = memory.add_fact("Maya", "LIKES", "tea", valid_at="2020", attributes={"how": "much"})
        memory.add_fact("Maya", "LIKES", "coffee", valid_at="2021", invalid_at="2022")
        memory.add_fact("Bo", "WILL_VISIT", "Porto", planned=True)
        memory.add_alias("Maya", "Ms. Silva")
        memory.correct(tea.uuid, valid_at="2019")
        memory.merge_entities("coffee", "tea")
        memory.define_relation("DESK_IS", functional=True, aliases=["SITS_AT"])
        memory.add_fact("Bo", "SITS_AT", "window", valid_at="2020", group="other")
        memory.end_fact("Bo", "SITS_AT", "window", at="2021", group="other")
        forgotten = memory.add("Bo moved to Rome in 2023.", reference_time="2024-01-01").episode
        memory.forget(episode=forgotten.uuid)
    return path


@pytest.fixture
def copied(sound: Path, path: Path) -> Path:
    shutil.copy(sound, path)
    return path


@pytest.fixture(scope="module")
def right(sound: Path) -> list[Any]:
    """What the file answers while it is sound."""
    return answers(sound)


def damage(path: Path, sql: str) -> None:
    """Change the file as any other program could."""
    db = sqlite3.connect(path)
    db.executescript(sql)
    db.close()


def answers(path: Path) -> list[Any]:
    """What the file answers, with scores."""
    with opened(path, read_only=True) as memory:
        found = [memory.search(query, explain=True) for query in ("Maya tea", "where does Maya live", "小李 公司")]
        return [
            *([*one.facts, *one.entities, *one.episodes] for one in found),
            *(memory.as_of(year) for year in ("2019", "2021", "2024-07", "2025-04")),
            *(memory.timeline(name) for name in ("Maya", "小李")),
            memory.history("Maya"),
            memory.entity("Ms. Silva"),
        ]


FIRST_VECTOR = "UPDATE vectors SET vector = {} WHERE id = (SELECT min(id) FROM vectors)"
DERIVED = {
    "a text is missing": ("DELETE FROM claim_text WHERE rowid = 1", "full text"),
    "a text says something else": ("UPDATE episode_text SET text = 'other words' WHERE rowid = 1", "full text"),
    "a text of nothing": ("INSERT INTO entity_text (rowid, text) VALUES (999, 'ghost')", "full text"),
    "no text at all": ("DELETE FROM claim_text; DELETE FROM episode_text; DELETE FROM entity_text", "full text"),
    "the order of the words is spoilt": ("UPDATE claim_text_content SET c0 = 'other words' WHERE id = 1", "sqlite"),
    "a vector is missing": ("DELETE FROM vectors WHERE id = 2", "vectors"),
    "a vector and its passage are missing": ("DELETE FROM vectors WHERE id = 2; DELETE FROM passages WHERE id = 2", "vectors"),
    "the vectors of a name are missing": ("DELETE FROM passages WHERE entity_id = 1", "foreign keys"),
    "a vector is zero": (FIRST_VECTOR.format("zeroblob(32)"), "vectors"),
    "a vector is too short": (FIRST_VECTOR.format("x'0000803f'"), "vectors"),
    "a vector is not a number": (FIRST_VECTOR.format(f"x'{'0000c07f' * 8}'"), "vectors"),
    "a vector is infinite": (FIRST_VECTOR.format(f"x'{'0000807f' * 8}'"), "vectors"),
    "a vector is on the shelf of another group": (
        (
            "UPDATE passages SET shelf_id = (SELECT s.id FROM shelves s JOIN groups g ON g.id = s.group_id"
            " WHERE g.name = 'other' AND s.kind = 'claim') WHERE claim_id = 1"
        ),
        "vectors",
    ),
    "a vector is on no shelf": ("UPDATE passages SET shelf_id = NULL WHERE id = 1", "shelves"),
    "a shelf counts wrongly": ("UPDATE shelves SET size = size + 1 WHERE id = 1", "shelves"),
    "a shelf has a frame of few": ("UPDATE shelves SET framed = 64, frame = x'00' WHERE id = 1", "shelves"),
    "a signature where none is due": ("UPDATE passages SET signature = x'00', length = 1 WHERE id = 1", "shelves"),
    "a vector waits for no model": ("INSERT INTO next_vectors (claim_id, vector) VALUES (1, zeroblob(32))", "vectors"),
    "a version says something else": ("UPDATE versions SET valid_at = 5 WHERE id = 1", "beliefs"),
    "a version of another time": ("UPDATE versions SET expired_at = created_at + 1 WHERE id = 1", "beliefs"),
    "the versions are missing": ("DELETE FROM versions", "beliefs"),
    "a version too many": (
        (
            "INSERT INTO versions (fact_id, group_id, source_id, relation, target_id, created_at)"
            " SELECT fact_id, group_id, source_id, relation, target_id, created_at FROM versions WHERE id = 1"
        ),
        "beliefs",
    ),
    "a version of no fact": ("UPDATE versions SET fact_id = 999 WHERE id = 1", "foreign keys"),
    "a support is missing": ("DELETE FROM supports WHERE claim_id = 1", "beliefs"),
    "a support of no claim": ("UPDATE supports SET claim_id = 999 WHERE claim_id = 1", "foreign keys"),
    "a name is kept under another key": ("UPDATE aliases SET key = 'x' WHERE id = 1", "names"),
}


@pytest.mark.parametrize("what", DERIVED)
def test_damage_to_what_is_derived_is_found_and_mended(copied: Path, right: list[Any], what: str) -> None:
    sql, check = DERIVED[what]
    recorded = rows(copied)
    damage(copied, sql)
    with opened(copied) as memory:
        found = memory.doctor(repair=True)
        assert check in {problem.check for problem in found.problems}
        assert all(problem.derived and problem.count and problem.repaired for problem in found.problems)
        assert found.ok
        assert memory.doctor().problems == ()
    assert answers(copied) == right
    assert rows(copied) == recorded


def rows(path: Path) -> list[Any]:
    """All that was recorded."""
    tables = ("episodes", "entities", "aliases", "mentions", "relations", "claims", "merges", "moves", "transactions", "traits")
    db = sqlite3.connect(path)
    db.text_factory = bytes
    found = [db.execute(f"SELECT * FROM {table}").fetchall() for table in tables]
    db.close()
    return found


RECORDED = {
    "a claim of no entity": ("UPDATE claims SET source_id = 999 WHERE id = 1", "foreign keys"),
    "an entity in another group": ("UPDATE entities SET group_id = (SELECT max(id) FROM groups) WHERE id = 1", "groups"),
    "a name in another group": ("UPDATE aliases SET group_id = (SELECT max(id) FROM groups) WHERE id = 1", "groups"),
    "an episode in another group": ("UPDATE episodes SET group_id = (SELECT max(id) FROM groups) WHERE id = 1", "groups"),
    "a merge in another group": ("UPDATE merges SET group_id = (SELECT max(id) FROM groups)", "groups"),
    "metadata that are no JSON": ("UPDATE episodes SET metadata = '{' WHERE id = 1", "values"),
    "attributes that are a list": ("UPDATE claims SET attributes = '[]' WHERE id = 1", "values"),
    "aliases that are no list": ("UPDATE relations SET aliases = '{}' WHERE id = 1", "values"),
    "an instant that no date can hold": ("UPDATE claims SET valid_at = 1 << 61 WHERE id = 1", "values"),
    "an offset of a week": ("UPDATE episodes SET reference_offset = 604800 WHERE id = 1", "values"),
    "a belief that ends before it began": ("UPDATE claims SET expired_at = created_at WHERE expired_at IS NOT NULL", "values"),
    "a place outside the text": ("UPDATE claims SET span_end = 999 WHERE id = 1", "spans"),
    "a mention outside the text": ("UPDATE mentions SET span_end = 999 WHERE span_start > 0", "spans"),
    "an inverted period": (
        "UPDATE claims SET invalid_at = valid_at, invalid_precision = 'day' WHERE valid_at IS NOT NULL",
        "claims",
    ),
    "an unknown precision": ("UPDATE claims SET valid_precision = 'century' WHERE valid_at IS NOT NULL", "claims"),
    "a claim without words": ("UPDATE claims SET fact = NULL, lead = NULL WHERE id = 1", "claims"),
    "a claim told at no time": ("UPDATE claims SET created_at = created_at + 1 WHERE id = 1", "claims"),
    "claims in a circle": ("UPDATE claims SET replaced_by_id = id WHERE id = 1", "claims"),
    "a first name is missing": (
        (
            "DELETE FROM aliases WHERE id = (SELECT a.id FROM aliases a JOIN entities e ON e.id = a.entity_id"
            " WHERE a.name = e.name AND a.entity_id IN (SELECT entity_id FROM aliases GROUP BY 1 HAVING count(*) > 1))"
        ),
        "names",
    ),
    "an entity that nothing names": ("INSERT INTO entities VALUES (999, 'u', 1, 'Nobody', 0)", "orphans"),
    "a NUL character": ("UPDATE claims SET fact = 'a' || char(0) WHERE id = 1", "text"),
    "text that is not UTF-8": ("UPDATE episodes SET content = CAST(x'ff61' AS TEXT) WHERE id = 1", "text"),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", RECORDED)
def test_damage_to_what_was_recorded_is_named_and_left_as_it_is(copied: Path, what: str) -> None:
    sql, check = RECORDED[what]
    damage(copied, sql)
    recorded = rows(copied)
    with opened(copied) as memory:
        found = memory.doctor(repair=True)
    assert not found.ok
    assert (check, False) in {(problem.check, problem.derived) for problem in found.problems if not problem.repaired}
    assert rows(copied) == recorded


def test_an_index_that_lacks_a_row_is_made_again(copied: Path) -> None:
    db = sqlite3.connect(copied)
    db.execute("PRAGMA writable_schema = ON")
    hidden = db.execute("SELECT * FROM sqlite_schema WHERE name = 'transactions_by_time'").fetchall()
    db.execute("DELETE FROM sqlite_schema WHERE name = 'transactions_by_time'")
    db.commit()
    db.close()
    damage(copied, "INSERT INTO transactions (created_at, verb) VALUES (1, 'add')")
    db = sqlite3.connect(copied)
    db.execute("PRAGMA writable_schema = ON")
    db.executemany("INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)", hidden)
    db.commit()
    db.close()
    with opened(copied) as memory:
        [problem] = memory.doctor().problems
        assert (problem.check, problem.derived, problem.examples) == ("sqlite", True, ("transactions_by_time",))
        assert memory.doctor(repair=True).ok
        assert memory.doctor().problems == ()


SIGNED = {
    "a signature is wrong": "UPDATE passages SET signature = zeroblob(length(signature)) WHERE id = 7",
    "a signature is missing": "UPDATE passages SET signature = NULL WHERE id = 7",
    "a length is wrong": "UPDATE passages SET length = length + 1 WHERE id = 7",
    "a frame is spoilt": "UPDATE shelves SET frame = x'0000c07f'",
    "a frame is missing": "UPDATE shelves SET framed = 0, frame = NULL",
}


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A file with signatures, which shelves have from 70 vectors on."""
    path = tmp_path_factory.mktemp("signed") / "me.db"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(shelves, "SIGNED", 70)
        with opened(path) as memory:
            memory.add_many(
                [{"content": f"text {n} of {n % 7}", "reference_time": "2024", "extract": False} for n in range(140)]
            )
        yield path


@pytest.mark.parametrize("what", SIGNED)
def test_frames_and_signatures_are_checked_and_mended(signed: Path, path: Path, what: str) -> None:
    shutil.copy(signed, path)
    damage(path, SIGNED[what])
    with opened(path) as memory:
        found = memory.doctor(repair=True)
        assert {(problem.check, problem.derived, problem.repaired) for problem in found.problems} == {("shelves", True, True)}
        assert memory.search("text 12 of 5", recipe="cosine").episodes[0].item.content == "text 12 of 5"


def test_who_has_the_file_open_sees_what_was_mended(signed: Path, path: Path) -> None:
    shutil.copy(signed, path)
    damage(path, "UPDATE passages SET signature = zeroblob(length(signature))")
    with opened(path) as memory:
        memory.search("text 139 of 6", recipe="cosine")
        with opened(path) as other:
            assert other.doctor(repair=True).ok
            right = other.search("text 139 of 6", recipe="cosine")
        assert right.episodes[0].item.content == "text 139 of 6"
        assert memory.search("text 139 of 6", recipe="cosine").episodes == right.episodes


def test_a_frame_made_by_another_processor_is_as_good(signed: Path, path: Path) -> None:
    shutil.copy(signed, path)
    db = sqlite3.connect(path)
    [(signature,)] = db.execute("SELECT signature FROM passages WHERE id = 7").fetchall()
    words = np.frombuffer(signature, dtype="<u8").copy()
    words[0] ^= np.uint64(1)
    db.execute("UPDATE passages SET signature = ?, length = length * (1 + 1e-12) WHERE id = 7", (words.tobytes(),))
    db.commit()
    db.close()
    with opened(path) as memory:
        assert memory.doctor().ok


def test_a_page_that_is_spoilt_is_told_and_the_rest_left_out(copied: Path) -> None:
    db = sqlite3.connect(copied)
    [(root,)] = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'mentions_by_episode'").fetchall()
    [(size,)] = db.execute("PRAGMA page_size").fetchall()
    db.close()
    with copied.open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xff" * size)
    with opened(copied, read_only=True) as memory:
        found = memory.doctor()
    assert not found.ok
    assert {(problem.check, problem.derived) for problem in found.problems} == {("sqlite", False)}
    assert any("beliefs was not checked" in note for note in found.notes)


@given(merged_histories)
@settings(max_examples=5)
def test_whatever_was_told_the_file_is_sound(ops: list[AnyOp]) -> None:
    memory = tell_merged(ops).memory
    assert memory.doctor().problems == ()
    memory.close()


def test_what_a_model_reads_is_sound(path: Path) -> None:
    read = {
        "entities": [{"name": "Ana", "type": "Person"}, {"name": "Acme", "type": "Company"}],
        "facts": [{"source": "Ana", "relation": "WORKS_AT", "target": "Acme", "fact": "Ana works at Acme"}],
    }
    with opened(path, llm=ScriptedLLM([read])) as memory:
        memory.add("Ana works at Acme.", reference_time="2024-05-01")
        assert memory.doctor().problems == ()
        assert memory.model_calls()


def test_what_waits_is_worth_a_note_and_no_problem(path: Path) -> None:
    class Broken(HashEmbedder):
        def embed_passages(self, texts: Any) -> Any:
            raise RuntimeError(f"out of order for {len(texts)} texts")

    with Memory(path, embedder=Broken(8)) as memory:
        [result] = memory.add_many([{"content": "Ana lives in Porto.", "reference_time": "2024"}])
        assert result.episode.state == "failed"
    with opened(path) as memory:
        found = memory.doctor()
        assert found.ok
        assert found.notes == ("1 text failed; `tkgmem extract` reads what waits",)


def test_it_can_be_asked_while_another_writes_and_where_nothing_can_be_written(copied: Path) -> None:
    with Store(copied) as other, other.write(), opened(copied, read_only=True) as memory:
        assert memory.doctor().ok
        with pytest.raises(StoreError, match="read-only"):
            memory.reindex()


def test_in_memory_too() -> None:
    with opened(":memory:") as memory:
        memory.add("Maya moved to Lisbon in May 2024.", reference_time="2024-06-01")
        steps: list[tuple[int, int]] = []
        assert memory.doctor(progress=lambda done, of: steps.append((done, of))).ok
        assert steps[-1][0] == steps[-1][1] == len(steps)
        assert memory.doctor(repair=True).problems == ()


@pytest.fixture
def run(copied: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setattr(Session, "embedder", staticmethod(lambda: HashEmbedder(8)))
    monkeypatch.setenv("TKGMEM_DB", str(copied))
    return lambda *args: CliRunner().invoke(main, args, standalone_mode=False)


def test_the_command_tells_by_its_exit_code(copied: Path, run: Any) -> None:
    done = run("doctor")
    assert (done.return_value, "The file is sound." in done.stdout) == (0, True)
    damage(copied, "DELETE FROM claim_text WHERE rowid = 1")
    done = run("doctor", "--json")
    assert done.return_value == 1
    told = json.loads(done.stdout)
    assert not told["ok"]
    assert [(one["check"], one["count"], one["examples"]) for one in told["problems"]] == [("full text", 1, ["1"])]
    assert "tkgmem doctor --repair" in run("doctor").stdout
    done = run("doctor", "--repair")
    assert (done.return_value, "sound again" in done.stdout) == (0, True)
    damage(copied, "UPDATE entities SET group_id = (SELECT max(id) FROM groups) WHERE id = 1")
    done = run("doctor", "--repair")
    assert (done.return_value, "restore a backup" in done.stdout) == (1, True)
