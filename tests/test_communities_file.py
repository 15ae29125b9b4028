"""What carries, checks, deletes and makes again the file does so with communities and summaries too."""

from __future__ import annotations

import datetime as dt
import io
import json
import shutil
import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest

import tkgmem
from tkgmem import Memory, NotATkgmemFile, StoreError
from tkgmem.portable import union
from tkgmem.reports import ModelUse
from tkgmem.store import damage, schema, summaries
from tkgmem.store.connection import Store
from tkgmem.store.summaries import Draft, Of
from tkgmem.testing import FixedClock, HashEmbedder, ScriptedLLM

NOW = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)
CANARY = "Quizzaciously"
TRIANGLES = (("Ana", "Bo"), ("Bo", "Cy"), ("Cy", "Ana")), (("Di", "Ed"), ("Ed", "Fi"), ("Fi", "Di"))
PASSES = "SELECT id, group_id, whole, valid_at, known_at, entities, changed, modularity, created_at FROM passes"
TABLES = ("passes", "communities", "members", "summaries", "summary_facts", "summary_entities", "summary_vectors",
    "summary_text", "summary_calls")  # fmt: skip


def opened(path: Path | str = ":memory:", *, at: dt.datetime = NOW, dimension: int = 8, **more: Any) -> Memory:
    return Memory(path, embedder=HashEmbedder(dimension), clock=FixedClock(at, step=dt.timedelta(seconds=1)), **more)


def tell(memory: Memory, pairs: Iterable[tuple[str, str]], **more: Any) -> list[str]:
    return [memory.add_fact(one, "KNOWS", other, valid_at="2020", **more).uuid for one, other in pairs]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with two communities, of one of which there is an earlier version, and with what a model wrote."""
    path = tmp_path_factory.mktemp("sound") / "me.db"
    with opened(path) as memory:
        memory.add("We talked about the weather.", name="talk", extract=False)
        for triangle in TRIANGLES:
            tell(memory, triangle)
        memory.refresh_communities()
        tell(memory, [("Gus", "Ana"), ("Gus", "Bo")])
        memory.refresh_communities()
        written(memory, "Ana has many friends.", entity="Ana", facts=["Ana KNOWS Bo"])
        written(memory, "They talked.", conversation="talk", facts=["Ana KNOWS Bo"])
        tell(memory, TRIANGLES[0], group="other")
        memory.refresh_communities(group="other")
    return path


@pytest.fixture
def kept(sound: Path, path: Path) -> Path:
    shutil.copy(sound, path)
    return path


def query(memory: Memory | Path, sql: str, *values: object) -> list[Any]:
    if isinstance(memory, Path):
        db = sqlite3.connect(memory)
        found = db.execute(sql, values).fetchall()
        db.close()
        return found
    with memory._store.read() as db:
        return [tuple(row) for row in db.execute(sql, values)]  # type: ignore[arg-type]


def change(path: Path, sql: str) -> None:
    """Change the file as any other program could."""
    db = sqlite3.connect(path)
    db.executescript(sql)
    db.close()


def counts(memory: Memory | Path, tables: Iterable[str] = TABLES) -> dict[str, int]:
    return {table: query(memory, f"SELECT count(*) FROM {table}")[0][0] for table in tables}


def entity(memory: Memory, name: str) -> int:
    return int(query(memory, "SELECT id FROM entities WHERE name = ? ORDER BY id", name)[0][0])


def claim(memory: Memory, triple: str) -> int:
    sql = "SELECT c.id FROM claims c JOIN entities s ON s.id = source_id JOIN entities t ON t.id = target_id"
    return int(query(memory, f"{sql} WHERE s.name || ' ' || relation || ' ' || t.name = ? ORDER BY c.id", triple)[0][0])


def written(
    memory: Memory, text: str, *, facts: Iterable[str] = (), entities: Iterable[str] = (), at: int = 0, **of: Any
) -> None:
    """Keep a version as a model writes it. of: community (a row), entity (a name) or conversation."""
    what = Of(**{**of, "entity": entity(memory, of["entity"])} if "entity" in of else of)
    lines, named = {claim(memory, fact): "0" * 16 for fact in facts}, {entity(memory, name) for name in entities}
    vectors = memory._embedder.embed_passages([text])
    at = at or int(NOW.timestamp() * 1e6) + 50_000_000
    with memory._store.write() as db:
        draft = Draft(1, what, "", text, "some-model", at, at, lines, frozenset(named), vectors)
        summaries.insert(db, draft, at)
        summaries.spend(db, 1, model="some-model", prompt_tokens=70, completion_tokens=9, cost=0.25, at=at)


def there(path: Path, word: str = CANARY) -> bool:
    """Whether a word is in the bytes of the file or one beside it, as it was written or folded."""
    data = b"".join(file.read_bytes() for file in path.parent.glob(f"{path.name}*"))
    return any(form.encode() in data for form in (word, word.casefold()))


# --- forget ---


def in_a_name(memory: Memory) -> dict[str, Any]:
    tell(memory, [(CANARY, "Ana"), (CANARY, "Bo")])
    return {"entity": CANARY}


def in_a_relation(memory: Memory) -> dict[str, Any]:
    return {"fact": memory.add_fact("Ana", CANARY, "Bo", valid_at="2021").uuid}


def in_a_sentence(memory: Memory) -> dict[str, Any]:
    return {"fact": memory.add_fact("Ana", "LIKES", "Bo", fact=f"Ana {CANARY} likes Bo.").uuid}


@pytest.mark.parametrize("place", [in_a_name, in_a_relation, in_a_sentence])
def test_what_is_forgotten_is_in_no_version_of_a_summary(kept: Path, place: Callable[[Memory], dict[str, Any]]) -> None:
    with opened(kept) as memory:
        what = place(memory)
        memory.refresh_communities(whole=True)
        memory.add_fact("Bo", "LIKES", "tea")
        memory.refresh_communities()
        texts = query(memory, "SELECT name || ' ' || text, expired_at IS NULL FROM summaries WHERE community_id = 1")
        assert {now for text, now in texts if CANARY.casefold() in text.casefold()} == {0, 1}
        before = len(query(memory, "SELECT id FROM summaries"))
        would = memory.forget(**what, dry_run=True)
        assert len(query(memory, "SELECT id FROM summaries")) == before
        done = memory.forget(**what)
        assert done.summaries == would.summaries > 0
        assert len(query(memory, "SELECT id FROM summaries")) == before - done.summaries
        assert not there(kept)
        memory.refresh_communities()
        assert memory.doctor().ok


def by_a_name_that_a_text_gave(memory: Memory) -> dict[str, Any]:
    said = {"entities": [{"id": 1, "name": "Ana", "aliases": [CANARY]}], "facts": []}
    place = memory._store.path
    with Memory(
        place, embedder=HashEmbedder(8), llm=ScriptedLLM([said]), clock=FixedClock(NOW + dt.timedelta(days=1))
    ) as reads:
        told = reads.add(f"Ana, or {CANARY}.").episode
    written(memory, f"{CANARY} has friends.", community=1, entities=["Ana"])
    written(memory, f"{CANARY} is kind.", entity="Ana")
    return {"episode": told.uuid}


def by_its_own_words_of_an_entity(memory: Memory) -> dict[str, Any]:
    written(memory, f"A {CANARY} fellow.", entity="Ana")
    return {"entity": "Ana"}


def repeated_by_a_later_version(memory: Memory) -> dict[str, Any]:
    written(memory, f"Gus, the {CANARY}, is a friend.", community=1, entities=["Gus"])
    later = int(NOW.timestamp() * 1e6) + 90_000_000
    written(memory, f"Gus, the {CANARY}, is a friend. So is Cy.", community=1, facts=["Cy KNOWS Ana"], at=later)
    return {"entity": "Gus"}


def of_what_is_merged_with_it(memory: Memory) -> dict[str, Any]:
    memory.merge_entities("Gus", "Ana")
    written(memory, f"A {CANARY} fellow.", community=1, entities=["Gus"])
    return {"entity": "Ana"}


def of_a_conversation(memory: Memory) -> dict[str, Any]:
    written(memory, f"They talked {CANARY}.", conversation="talk")
    written(memory, "They talked.", conversation="talk", at=int(NOW.timestamp() * 1e6) + 90_000_000)
    return {"episode": memory.episodes()[0].uuid}


def of_a_fact_with_another_source(memory: Memory) -> dict[str, Any]:
    told = memory.add(f"Ana and Bo: {CANARY}.", extract=False).episode
    memory.add_fact("Ana", "KNOWS", "Bo", fact=f"Ana {CANARY} knows Bo.", episode=told.uuid)
    written(memory, f"Ana {CANARY} knows Bo.", community=1, facts=["Ana KNOWS Bo"])
    return {"episode": told.uuid}


def of_a_fact_that_another_one_ended(memory: Memory) -> dict[str, Any]:
    memory.define_relation("LIVES_IN", functional=True)
    memory.add_fact("Ana", "LIVES_IN", "Rome", valid_at="2020")
    moved = memory.add_fact("Ana", "LIVES_IN", "Oslo", valid_at="2024")
    written(memory, f"Until she moved, {CANARY}, Rome.", community=1, facts=["Ana LIVES_IN Rome"])
    return {"fact": moved.uuid}


@pytest.mark.parametrize(
    "place",
    [
        by_a_name_that_a_text_gave,
        by_its_own_words_of_an_entity,
        repeated_by_a_later_version,
        of_what_is_merged_with_it,
        of_a_conversation,
        of_a_fact_with_another_source,
        of_a_fact_that_another_one_ended,
    ],
)
def test_what_a_model_wrote_of_what_is_forgotten_goes(kept: Path, place: Callable[[Memory], dict[str, Any]]) -> None:
    with opened(kept) as memory:
        what = place(memory)
        assert there(kept)
        assert memory.forget(**what).summaries > 0
        assert not there(kept)
        assert memory.doctor().ok


def test_a_version_that_rests_on_nothing_of_it_stays(kept: Path) -> None:
    with opened(kept) as memory:
        before = query(memory, "SELECT id, text FROM summaries WHERE community_id = 2 OR group_id = 2 ORDER BY id")
        memory.forget(entity="Bo")
        assert query(memory, "SELECT id, text FROM summaries WHERE community_id = 2 OR group_id = 2 ORDER BY id") == before
        assert query(memory, "SELECT id FROM communities ORDER BY id") == [(1,), (2,), (3,)]
        assert memory.doctor().ok


def test_a_community_of_which_nobody_is_left_goes_with_the_questions_that_gave_it(kept: Path) -> None:
    with opened(kept) as memory:
        memory.add_fact("Fi", "LIKES", "tea")
        for name in ("what of Di", "what of Ana"):
            memory.search(name, limit=1)
        memory.add_alias("Ed", "Eddy")  # what waits is written along
    change(kept, "UPDATE recalls SET facts = '[]', entities = '[]', episodes = '[]', communities = '[1]'")
    change(kept, "UPDATE recalls SET query = 'who?', communities = '[2]' WHERE id = 1")
    with opened(kept) as memory:
        for name in ("Di", "Ed"):
            memory.forget(entity=name)
        assert query(memory, "SELECT id FROM communities ORDER BY id") == [(1,), (2,), (3,)]
        assert len(query(memory, "SELECT id FROM recalls WHERE query = 'who?'")) == 1
        memory.forget(entity="Fi")
        assert query(memory, "SELECT id FROM communities ORDER BY id") == [(1,), (3,)]
        assert query(memory, "SELECT id FROM recalls WHERE query = 'who?'") == []
        assert query(memory, "SELECT id FROM recalls WHERE query = 'what of Ana'") == [(2,)]
        assert memory.doctor().ok


def test_a_question_in_words_that_only_a_model_wrote_goes_with_them(kept: Path) -> None:
    with opened(kept) as memory:
        written(memory, f"Ana is {CANARY} weatherbeaten.", community=1, entities=["Ana"])
        written(memory, "Di is weatherbeaten.", community=2, entities=["Di"])
        for words in (f"who is {CANARY}", "who is weatherbeaten"):
            memory.search(words, scopes=["episodes"])
        memory.forget(entity="Ana")
        assert query(memory, "SELECT query FROM recalls") == [("who is weatherbeaten",)]
    assert not there(kept)


def test_of_a_group_that_is_forgotten_nothing_is_left(kept: Path) -> None:
    with opened(kept) as memory:
        written(memory, CANARY, community=1)
        of_other = "SELECT name, text FROM summaries WHERE group_id = 2"
        before = query(memory, of_other)
        went = memory.forget(group="default")
        assert went.summaries == 6
        assert query(memory, of_other) == before
        memory.forget(group="other")
        assert set(counts(memory).values()) == {0}
        tables = [
            name for (name,) in query(memory, "SELECT name FROM sqlite_schema WHERE sql LIKE '%group_id INTEGER%STRICT%'")
        ]
        assert {"passes", "communities", "summaries", "summary_calls"} <= set(tables)
        assert [row for table in tables for row in query(memory, f"SELECT 1 FROM {table} WHERE group_id IS NOT NULL")] == []
    assert not there(kept)


# --- doctor ---


def vector(numbers: float, count: int = 8) -> str:
    return f"x'{np.full(count, numbers, '<f4').tobytes().hex()}'"


_OTHER = "(SELECT id FROM summaries WHERE {} IS NOT NULL)"
DERIVED: dict[str, tuple[str, dict[str, int]]] = {
    "full text": (
        (
            "DELETE FROM summary_text WHERE rowid = 1; UPDATE summary_text SET text = 'other words' WHERE rowid = 2;"
            "INSERT INTO summary_text (rowid, text) VALUES (99, 'ghost');"
            f"INSERT INTO summary_text (rowid, text) SELECT id, text FROM summaries WHERE id = {_OTHER.format('entity_id')}"
        ),
        {"summary_text is not in step with its rows": 4},
    ),
    "vectors": (
        (
            f"INSERT INTO summary_vectors SELECT {_OTHER.format('entity_id')}, language, vector FROM summary_vectors"
            " WHERE id = 1;"
            f"DELETE FROM summary_vectors WHERE id = 1; UPDATE summary_vectors SET language = 'tlh' WHERE id = 2;"
            f"UPDATE summary_vectors SET vector = {vector(float('nan'))} WHERE id = 3"
        ),
        {
            "a vector of a summary that is not searched": 1,
            "a summary has no vector": 1,
            "a summary's vector is kept as one of another script": 1,
            "a summary's vector is not finite, of another length, or not of unit length": 1,
        },
    ),
    "foreign keys": (
        (
            "UPDATE summary_facts SET claim_id = 999 + claim_id WHERE summary_id = 1;"
            "UPDATE summary_entities SET entity_id = 999 + entity_id WHERE summary_id = 3;"
            "UPDATE members SET entity_id = 999 WHERE id = 1; DELETE FROM communities WHERE id = 2;"
            "DELETE FROM summaries WHERE conversation IS NOT NULL; UPDATE passes SET group_id = 9 WHERE id = 1"
        ),
        {
            "summary_facts names rows of claims that are not there": 3,
            "summary_entities names rows of entities that are not there": 4,
            "members names rows of entities that are not there": 1,
            "members names rows of communities that are not there": 3,
            "summaries names rows of communities that are not there": 1,
            "summary_facts names rows of summaries that are not there": 1,
            "passes names rows of groups that are not there": 1,
        },
    ),
}
FAULTS = {
    "an entity is a member of two communities at once": (
        "INSERT INTO members (community_id, entity_id, created_at) SELECT 2, entity_id, 7 FROM members WHERE id = 1;"
        "INSERT INTO members (community_id, entity_id, created_at, expired_at) SELECT community_id, entity_id, created_at,"
        " created_at + 5 FROM members WHERE id = 2"
    ),
    "a community and its member are of different groups": "UPDATE members SET community_id = 3 WHERE id = 1",
    "a member of a community that is not kept any more": "UPDATE communities SET expired_at = created_at + 1 WHERE id = 2",
    "members that end before they begin": "UPDATE members SET expired_at = created_at - 1 WHERE id = 1",
    "communities that end before they begin": "UPDATE communities SET expired_at = created_at - 1 WHERE id = 2",
    "summaries that end before they begin": "UPDATE summaries SET expired_at = created_at - 1 WHERE id = 1",
    "instants in passes that no date can hold": "UPDATE passes SET known_at = 9223372036854775807 WHERE id = 1",
    "two summaries of the same stand at once": "UPDATE summaries SET expired_at = NULL WHERE community_id = 1",
    "a summary and what it is of are of different groups": "UPDATE summaries SET group_id = 2 WHERE id = 2",
    "a summary and what it was made from are of different groups": (
        "UPDATE summaries SET group_id = 2, community_id = 3, expired_at = created_at + 1 WHERE id = 2"
    ),
    "a summary of a conversation that the group does not have": (
        "UPDATE summaries SET conversation = 'no' WHERE conversation = 'talk'"
    ),
}


@pytest.mark.parametrize("check", DERIVED)
def test_what_is_out_of_step_is_found_and_mended(kept: Path, check: str) -> None:
    sql, wrong = DERIVED[check]
    change(kept, sql)
    with opened(kept) as memory:
        assert {one.detail: one.count for one in memory.doctor().problems if one.check == check} == wrong
        found = memory.doctor(repair=True)
        assert {(one.derived, one.repaired) for one in found.problems} == {(True, True)}
        memory.refresh_communities()
        assert [len(one.members) for one in memory.communities()] == [4, 3]


@pytest.mark.parametrize("detail", FAULTS)
def test_what_no_sound_file_has_is_found_and_goes(kept: Path, detail: str) -> None:
    change(kept, FAULTS[detail])
    with opened(kept) as memory:
        found = memory.doctor(repair=True)
        assert ("communities", detail) in {(one.check, one.detail) for one in found.problems}
        assert {(one.derived, one.repaired) for one in found.problems} == {(True, True)}
        memory.refresh_communities()
        assert [len(one.members) for one in memory.communities()] == [4, 3]


def test_texts_and_vectors_are_as_they_were_once_mended(kept: Path) -> None:
    before = {table: query(kept, f"SELECT * FROM {table}") for table in TABLES if table != "summary_text"}
    text = query(kept, "SELECT rowid, text FROM summary_text")
    change(kept, f"DELETE FROM summary_text WHERE rowid < 3; UPDATE summary_vectors SET vector = {vector(0)} WHERE id > 1")
    with opened(kept) as memory:
        assert memory.doctor(repair=True).ok
    assert {table: query(kept, f"SELECT * FROM {table}") for table in TABLES if table != "summary_text"} == before
    assert query(kept, "SELECT rowid, text FROM summary_text") == text


def test_text_that_is_none_is_found(kept: Path) -> None:
    change(kept, "UPDATE summaries SET text = CAST(x'ff00' AS TEXT) WHERE id = 1")
    change(kept, "UPDATE summary_facts SET line = CAST(x'ff' AS TEXT) WHERE summary_id = 1")
    with Store(kept, read_only=True) as store, store.read() as db:
        from tkgmem.store import file_checks

        _, found = file_checks.unreadable(db)
    assert {one.detail.split(" ")[2] for one in found} == {"summaries", "summary_facts"}


DAMAGE = {
    "created_at of row 1 of members": "UPDATE members SET created_at = 9223372036854775807 WHERE id = 1",
    "known_at of row 1 of passes": "UPDATE passes SET known_at = -9223372036854775807 WHERE id = 1",
    "modularity of row 1 of passes": "UPDATE passes SET modularity = 1e300 WHERE id = 1",
    "vector of row 1 of summary_vectors": "UPDATE summary_vectors SET vector = x'00' WHERE id = 1",
    "communities of row 1 of recalls": "UPDATE recalls SET communities = '{}'",
    "summary_facts": "UPDATE summary_facts SET claim_id = 999 + claim_id",
    "members": "UPDATE members SET community_id = 999",
}


def test_a_value_that_cannot_be_is_damage(kept: Path) -> None:
    with opened(kept) as memory:
        memory.search("Ana")
    with Store(kept, read_only=True) as store, store.read() as db:
        assert damage.found(db) is None
    for said, sql in DAMAGE.items():
        db = apsw.Connection(str(kept))
        db.execute(f"BEGIN; {sql}")
        assert said in str(damage.found(db))
        db.execute("ROLLBACK")
        db.close()


def test_a_setting_of_the_full_text_that_is_not_ours_is_refused(kept: Path) -> None:
    change(kept, "INSERT INTO summary_text (summary_text, rank) VALUES ('rank', 'bm25(10.0)')")
    with pytest.raises(NotATkgmemFile, match="summary_text"):
        opened(kept)


# --- made again ---


def test_reindex_makes_texts_and_vectors_again(kept: Path) -> None:
    vectors = query(kept, "SELECT * FROM summary_vectors")
    change(kept, "DELETE FROM summary_text; DELETE FROM summary_vectors WHERE id <> 2")
    with opened(kept) as memory:
        assert memory.reindex().vectors == len(vectors) - 1
        assert memory.doctor().ok
    assert query(kept, "SELECT * FROM summary_vectors") == vectors


class Watched(HashEmbedder):
    """Calls back once, as soon as it embeds a summary."""

    def __init__(self, dimension: int, then: Callable[[], None]) -> None:
        super().__init__(dimension)
        self._then: list[Callable[[], None]] = [then]

    def embed_passages(self, texts: Any) -> Any:
        if self._then and any("knows" in text and ", " in text for text in texts):
            self._then.pop()()
        return super().embed_passages(texts)


def test_another_embedder_makes_the_vectors_of_summaries_anew_with_those_that_came_meanwhile(kept: Path) -> None:
    def refresh() -> None:
        with opened(kept) as other:
            tell(other, [("Gus", "Cy")])
            assert other.refresh_communities().renewed == 1

    before = counts(kept)["summary_vectors"]
    report = tkgmem.reembed(kept, Watched(12, refresh))
    lengths = query(kept, "SELECT length(vector) FROM summary_vectors")
    assert lengths == [(48,)] * (before + 1)
    assert report.vectors == before + 1 + query(kept, "SELECT count(*) FROM passages")[0][0]
    with opened(kept, dimension=12) as memory:
        assert memory.doctor().ok


def test_what_is_forgotten_while_vectors_are_made_anew_has_none(kept: Path) -> None:
    def forget() -> None:
        with opened(kept) as other:
            other.forget(group="default")

    tkgmem.reembed(kept, Watched(12, forget))
    with opened(kept, dimension=12) as memory:
        assert memory.doctor().ok
    assert counts(kept)["summary_vectors"] == 1


# --- carried ---


def exported(memory: Memory, **more: Any) -> str:
    stream = io.StringIO()
    memory.export(stream, **more)
    return stream.getvalue()


def shown(memory: Memory) -> list[object]:
    """What a memory tells of communities, of now and of before."""
    groups = ("default", "other")
    instants = (None, *sorted({NOW + dt.timedelta(seconds=number) for number in range(0, 40, 4)}))
    found: list[object] = [memory.communities(group=groups, known_at=at) for at in instants]
    found += [memory.memberships(name, group="default") for name in ("Ana", "Gus")]
    kept = "s.name, text, model, s.valid_at, s.known_at, s.created_at, s.expired_at, conversation"
    found.append(
        query(memory, f"SELECT {kept}, vector FROM summaries s LEFT JOIN summary_vectors x ON x.id = s.id ORDER BY s.id")
    )
    return [*found, memory.stats().model_use, query(memory, PASSES)]


@pytest.mark.parametrize("vectors", [False, True])
def test_an_empty_file_that_takes_an_export_in_shows_the_same(kept: Path, vectors: bool) -> None:
    with opened(kept) as memory, opened() as other:
        text = exported(memory, vectors=vectors)
        assert json.loads(text.splitlines()[0])["format"] == 3
        other.import_(io.StringIO(text))
        assert shown(other) == shown(memory)
        assert exported(other, vectors=vectors) == text
        assert other.doctor().ok
        assert counts(other) == counts(memory)
        assert "summary_call" not in exported(memory, logs=False)


def test_the_vectors_of_another_embedder_are_made_anew(kept: Path) -> None:
    with opened(kept) as memory, opened(dimension=12) as other:
        other.import_(io.StringIO(exported(memory, vectors=True)))
        assert other.doctor().ok
        assert other.communities() == memory.communities()


def test_an_older_version_refuses_communities_and_takes_what_has_none(export: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened() as plain:
        tell(plain, TRIANGLES[0])
        without = exported(plain)
    monkeypatch.setattr(union, "FORMAT", 2)
    with opened() as older:
        with pytest.raises(StoreError, match="has format 3, this version knows up to 2; install a newer tkgmem"):
            older.import_(io.StringIO(export))
        older.import_(io.StringIO(without))
        assert older.stats().claims == 3


def test_a_group_that_keeps_communities_keeps_its_own(kept: Path, tmp_path: Path) -> None:
    with opened(tmp_path / "own.db", at=NOW - dt.timedelta(days=1)) as own:
        tell(own, [("Ana", "Zoe"), ("Zoe", "Kim"), ("Kim", "Ana")])
        own.refresh_communities()
        before = {
            table: query(own, f"SELECT * FROM {table} WHERE group_id = 1") for table in ("passes", "communities", "summaries")
        }
        report = own.merge(kept)
        assert report.joined == 1
        assert [conflict.what for conflict in report.conflicts] == []
        assert {table: query(own, f"SELECT * FROM {table} WHERE group_id = 1") for table in before} == before
        assert len(own.communities(group="other")) == 1  # which kept none
        assert {"Bo", "Gus"} <= {member.name for one in own.communities() for member in one.members}
        assert own.doctor().ok


def test_a_group_that_keeps_none_takes_them_over_and_who_was_joined_is_in_one(kept: Path, tmp_path: Path) -> None:
    with opened(tmp_path / "own.db", at=NOW - dt.timedelta(days=1)) as own:
        tell(own, [("Ana", "Zoe"), ("Ana", "Bo")])
        ana = own.entity("Ana").entity
        own.merge(kept)
        [first, second] = own.communities()
        assert sorted(member.name for member in second.members) == ["Di", "Ed", "Fi"]
        assert sorted(member.name for member in first.members) == ["Ana", "Bo", "Cy", "Gus", "Zoe"]
        assert ana.uuid in {member.uuid for member in first.members}
        rows = query(own, "SELECT entity_id, count(*) FROM members WHERE expired_at IS NULL GROUP BY entity_id")
        assert {number for _, number in rows} == {1}
        assert entity(own, "Ana") in dict(rows)
        assert own.doctor().ok
        [(known,)] = query(own, "SELECT max(known_at) FROM passes WHERE group_id = 1")
        assert known < query(own, "SELECT min(created_at) FROM claims")[0][0]  # what was told here is told since


def test_merged_with_itself_and_with_a_fork_nothing_comes_twice(kept: Path, tmp_path: Path) -> None:
    fork = tmp_path / "fork.db"
    shutil.copy(kept, fork)
    with opened(fork) as forked:
        tell(forked, [("Hal", "Di"), ("Hal", "Ed")])
        forked.refresh_communities()
    with opened(kept) as memory:
        before, told = counts(memory), shown(memory)
        for path in (fork, fork):
            memory.merge(path)
            assert counts(memory) == before
        text = exported(memory)
        memory.import_(io.StringIO(text))
        assert exported(memory) == text
        assert shown(memory)[-5:] == told[-5:]
        assert "Hal" in {member.name for one in memory.communities() for member in one.members}
        assert memory.doctor().ok


@pytest.fixture(scope="module")
def export(sound: Path) -> str:
    with opened(sound, read_only=True) as memory:
        return exported(memory, vectors=True)


def records(export: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in export.splitlines()]


def told(what: str, **more: Any) -> Callable[[list[dict[str, Any]]], None]:
    """Change the first record of a type."""
    return lambda lines: next(record for record in lines if record["type"] == what).update(more)


REFUSED: dict[str, tuple[Callable[[list[dict[str, Any]]], None], str]] = {
    "a member of nothing": (told("member", community="no"), "community 'no'"),
    "a member that is nobody": (told("member", entity="no"), "entity 'no'"),
    "a community of another group": (told("community", group="elsewhere"), "of another one"),
    "a community twice": (
        lambda lines: lines.insert(
            next(n for n, one in enumerate(lines) if one["type"] == "community"),
            dict(next(one for one in lines if one["type"] == "community")),
        ),
        "comes twice",
    ),
    "a member for longer than it is kept": (told("community", expired_at=2**53), "longer than it is kept"),
    "a summary of two things": (told("summary", conversation="talk"), "of one of"),
    "a summary of nothing": (told("summary", community=None), "of one of"),
    "a conversation without texts": (told("summary", community=None, conversation="no"), "conversation 'no'"),
    "a fact that is not there": (told("summary", facts=[["no", "line"]]), "claim 'no'"),
    "a fact without its line": (told("summary", facts=[["no"]]), "impossible 'facts'"),
    "a vector that is none": (told("summary", vector="AAAA"), "no vector of 8"),
    "an endless modularity": (told("pass", modularity=1e300), "impossible 'modularity'"),
    "it ends before it begins": (told("summary", expired_at=-5), "empty period"),
    "an unknown field": (told("pass", last=3), "unknown field"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_record_that_cannot_be_is_refused_and_nothing_is_written(export: str, what: str) -> None:
    spoil, said = REFUSED[what]
    lines = records(export)
    spoil(lines)
    lines[-1]["records"] = len(lines) - 2
    with opened() as memory:
        with pytest.raises(ValueError, match=said):
            memory.import_(io.StringIO("\n".join(map(json.dumps, lines))))
        assert memory.stats().claims == 0
        assert set(counts(memory).values()) == {0}


def test_of_two_that_cannot_both_be_only_the_first_comes(export: str, sound: Path) -> None:
    lines = records(export)
    member = next(record for record in lines if record["type"] == "member")
    other = next(record["uuid"] for record in reversed(lines) if record["type"] == "community" and record["group"] == "default")
    summary = next(record for record in lines if record["type"] == "summary" and record.get("conversation"))
    place = lines.index(next(record for record in lines if record["type"] == "summary_call"))
    lines[place:place] = [{**member, "community": other}, {**summary, "text": "another"}]
    lines[-1]["records"] = len(lines) - 2
    with opened() as memory:
        memory.import_(io.StringIO("\n".join(map(json.dumps, lines))))
        assert memory.doctor().ok
        assert counts(memory) == counts(sound)


def test_a_share_has_none_of_it(kept: Path, tmp_path: Path) -> None:
    with opened(kept) as memory:
        memory.share(tmp_path / "part.db")
    assert set(counts(tmp_path / "part.db").values()) == {0}


# --- the rest ---


def test_a_replay_has_none_and_finds_the_same(kept: Path, tmp_path: Path) -> None:
    with opened(kept) as memory:
        report = memory.replay(tmp_path / "again.db")
        assert report.same, report
    assert set(counts(tmp_path / "again.db").values()) == {0}


def test_stats_tell_how_many_are_kept_and_what_summaries_cost(kept: Path) -> None:
    with opened(kept) as memory:
        found = memory.stats(group="default")
        assert found.communities == 2
        assert memory.stats().communities == 3
        assert found.model_use["summarize"] == ModelUse(2, 140, 18, 0.5)
        assert "summarize" not in memory.stats(group="other").model_use


def test_what_is_undone_leaves_them_readable(kept: Path) -> None:
    with opened(kept) as memory:
        tell(memory, [("Hal", "Di"), ("Hal", "Ed")])
        memory.refresh_communities()
        memory.undo(since=NOW)
        assert {one.summary for one in memory.communities()} <= {""}
        assert memory.doctor().ok
        memory.refresh_communities()
        assert memory.communities() == []
        assert memory.doctor().ok


def test_the_full_texts_that_are_looked_at_are_all_there_are(sound: Path) -> None:
    with Store(sound, read_only=True) as store, store.read() as db:
        assert "summary_text" in schema.full_texts(db)
        assert isinstance(db, apsw.Connection)
