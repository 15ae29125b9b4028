"""What is made again leaves every answer as it was; all vectors can be made anew by another model, whatever happens then."""

from __future__ import annotations

import datetime as dt
import io
import os
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import tkgmem
from tkgmem import EmbedderMismatch, Memory, StoreError, WriteConflict
from tkgmem.cli import main
from tkgmem.cli.session import Session
from tkgmem.portable import reindex
from tkgmem.store import vectors
from tkgmem.store.connection import Store
from tkgmem.testing import FixedClock, HashEmbedder

NOW = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)


class OtherWeights(HashEmbedder):
    """The same dimension, another model."""

    @property
    def name(self) -> str:
        return "other"

    @property
    def sha256(self) -> str:
        return "0" * 64


class Counting(HashEmbedder):
    """Counts the texts it is given, and does something before it embeds the n-th batch."""

    def __init__(self, dimension: int, before: dict[int, Callable[[], object]] | None = None) -> None:
        super().__init__(dimension)
        self.before, self.batches, self.texts = before or {}, 0, 0

    def embed_passages(self, texts: Sequence[str]) -> Any:
        self.batches += 1
        self.texts += len(texts)
        self.before.get(self.batches, lambda: None)()
        return super().embed_passages(texts)


def opened(path: Path, embedder: HashEmbedder | None = None, **more: Any) -> Memory:
    return Memory(path, embedder=embedder or HashEmbedder(8), clock=FixedClock(NOW, step=dt.timedelta(seconds=1)), **more)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("told") / "me.db"
    with opened(path) as memory:
        memory.add("Maya moved to Lisbon in May 2024.", reference_time="2024-06-01")
        memory.add("小李在 A 公司工作", reference_time="2024-03-05")
        memory.add_many([{"content": f"note {n} of {n % 5}", "reference_time": "2024", "extract": False} for n in range(70)])
        memory.add("I joined Fabrikam yesterday.", speaker="Maya", reference_time="2025-03-02")
        memory.add_fact("Maya", "LIKES", "tea", valid_at="2020")
        memory.add_alias("Maya", "Ms. Silva")
    return path


@pytest.fixture
def told(made: Path, path: Path) -> Path:
    shutil.copy(made, path)
    return path


def answers(path: Path, embedder: HashEmbedder | None = None) -> list[Any]:
    with opened(path, embedder, read_only=True) as memory:
        found = [memory.search(query, explain=True) for query in ("Maya in Lisbon", "note 7 of 2", "小李 公司")]
        return [*([*one.facts, *one.entities, *one.episodes] for one in found), memory.timeline("Maya")]


def rows(path: Path, query: str) -> list[Any]:
    db = sqlite3.connect(path)
    found = db.execute(query).fetchall()
    db.close()
    return found


PASSAGES = "SELECT p.*, v.vector FROM passages p JOIN vectors v USING (id) ORDER BY id"
WAITING = "SELECT count(*) FROM next_vectors"


def is_sound(path: Path, embedder: HashEmbedder) -> bool:
    with opened(path, embedder) as memory:
        return memory.doctor().problems == ()


def test_reindex_leaves_what_is_right_as_it_is(told: Path) -> None:
    before, passages = answers(told), rows(told, PASSAGES)
    with opened(told) as memory:
        made = memory.reindex()
    assert made.vectors == 0
    assert made.embedder.startswith("hash-8 ")
    assert made.texts == sum(rows(told, f"SELECT count(*) FROM {table}")[0][0] for table in ("episodes", "claims", "aliases"))
    assert answers(told) == before
    assert rows(told, PASSAGES) == passages


def test_reindex_makes_what_is_missing(told: Path) -> None:
    before = answers(told)
    db = sqlite3.connect(told)
    db.executescript("DELETE FROM claim_text; DELETE FROM episode_text WHERE rowid > 2; DELETE FROM vectors WHERE id % 9 = 0;")
    db.close()
    with opened(told) as memory:
        assert memory.reindex().vectors > 5
        assert memory.doctor().problems == ()
    assert [[hit.item for hit in found] for found in answers(told)[:3]] == [[hit.item for hit in found] for found in before[:3]]


def test_an_interrupted_reindex_leaves_the_file_sound(told: Path) -> None:
    before = answers(told)

    def stop(done: int, of: int) -> None:
        raise KeyboardInterrupt

    with opened(told) as memory:
        with pytest.raises(KeyboardInterrupt):
            memory.reindex(progress=stop)
        assert memory.doctor().problems == ()
    assert answers(told) == before


@pytest.mark.parametrize("other", [HashEmbedder(12), OtherWeights(8)], ids=["another dimension", "other weights"])
def test_all_vectors_are_made_anew_by_another_model(told: Path, other: HashEmbedder) -> None:
    """T07-01, T07-03"""
    before = answers(told)
    with pytest.raises(EmbedderMismatch, match="tkgmem reindex") as refused:
        opened(told, other)
    assert HashEmbedder(8).name in str(refused.value)
    assert other.name in str(refused.value)
    made = tkgmem.reembed(told, other)
    assert made.embedder.startswith(other.name)
    assert made.vectors == len(rows(told, PASSAGES))
    assert is_sound(told, other)
    with opened(told, other) as memory:
        assert memory.search("note 7 of 2", recipe="cosine").episodes[0].item.content == "note 7 of 2"
        memory.add_fact("Maya", "LIKES", "jazz")
    with pytest.raises(EmbedderMismatch):
        opened(told)
    tkgmem.reembed(told, HashEmbedder(8))
    assert is_sound(told, HashEmbedder(8))
    assert len(answers(told)[0]) > len(before[0])
    assert rows(told, WAITING) == [(0,)]


def test_the_same_model_gives_the_same_answers_with_the_same_scores(told: Path) -> None:
    before, embedder = answers(told), Counting(8)
    made = tkgmem.reembed(told, embedder)
    assert made.vectors == embedder.texts == len(rows(told, PASSAGES))
    assert answers(told) == before


def test_what_is_open_with_the_former_model_notices(told: Path) -> None:
    with opened(told) as memory:
        tkgmem.reembed(told, OtherWeights(8))
        for asked in (
            lambda: memory.search("Maya"),
            lambda: memory.context("Maya"),
            lambda: memory.add("Maya drinks tea.", extract=False),
            lambda: memory.add_fact("Maya", "LIKES", "jazz"),
            lambda: memory.add_alias("Maya", "M."),
            lambda: memory.forget(fact=memory.timeline("Maya")[0].uuid),
            memory.reindex,
        ):
            with pytest.raises(EmbedderMismatch, match="other"):
                asked()
        assert memory.timeline("Maya")
    assert is_sound(told, OtherWeights(8))


def test_a_text_on_its_way_in_waits_for_the_new_model(told: Path) -> None:
    embedder = Counting(8, {1: lambda: tkgmem.reembed(told, OtherWeights(8))})
    with opened(told, embedder) as memory, pytest.raises(EmbedderMismatch):
        memory.add("Maya moved to Porto in 2026.")
    assert is_sound(told, OtherWeights(8))
    with opened(told, OtherWeights(8)) as memory:
        assert memory.stats().pending == 1
        assert [result.episode.state for result in memory.extract()] == ["done"]


def test_a_question_on_its_way_is_not_put_to_the_vectors_of_another_model(told: Path) -> None:
    class Slow(HashEmbedder):
        def embed_queries(self, texts: Sequence[str]) -> Any:
            tkgmem.reembed(told, OtherWeights(8))
            return super().embed_queries(texts)

    with opened(told, Slow(8)) as memory, pytest.raises(EmbedderMismatch):
        memory.search("Maya")


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reindex, "BATCH", 16)


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("batch", [1, 3])
def test_killed_it_goes_on_where_it_was(told: Path, batch: int) -> None:
    before, total = answers(told), len(rows(told, PASSAGES))
    child = os.fork()
    if child == 0:
        tkgmem.reembed(told, Counting(12, {batch: lambda: os._exit(9)}))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    made = 16 * (batch - 1)
    assert rows(told, WAITING) == [(made,)]
    assert answers(told) == before
    with opened(told) as memory:
        found = memory.doctor()
        assert found.problems == ()
        assert any("hash-12" in note and str(made) in note for note in found.notes)
    embedder = Counting(12)
    tkgmem.reembed(told, embedder)
    assert embedder.texts == total - made
    assert is_sound(told, HashEmbedder(12))


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("batch", [3, 7], ids=["at first", "at last"])
def test_others_go_on_reading_and_writing_meanwhile(told: Path, batch: int) -> None:
    with opened(told) as other:
        gone = other.search("note 3 of 3", scopes=["episodes"]).episodes[0].item

        def meanwhile() -> None:
            other.add_fact("Bo", "LIKES", "tea")
            other.add("Bo moved to Rome in 2023.", speaker="Bo")
            other.add_alias("Maya", "Mrs. Silva")
            other.forget(episode=gone.uuid)
            assert other.search("Bo tea").facts

        seen: list[tuple[int, int]] = []
        embedder = Counting(12, {batch: meanwhile})
        tkgmem.reembed(told, embedder, progress=lambda done, of: seen.append((done, of)))
        assert embedder.batches > batch
        assert all(done <= of for done, of in seen)
    with opened(told, HashEmbedder(12)) as memory:
        assert memory.doctor().problems == ()
        assert memory.search("Bo likes tea", recipe="cosine").facts[0].item.source.name == "Bo"
        assert gone not in [hit.item for hit in memory.search("note 3 of 3", scopes=["episodes"]).episodes]


def test_what_is_forgotten_does_not_wait_either(told: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        tkgmem.reembed(told, Counting(12, {3: interrupt}))
    with Store(told) as store, store.write() as db:
        waiting = "SELECT count(*) FROM next_vectors WHERE episode_id = 1"
        assert db.execute(waiting).get == 1
        vectors.forget(db, "episode", [1])
        assert db.execute(waiting).get == 0


@pytest.mark.usefixtures("small_batches")
def test_of_two_models_at_once_the_later_one_goes_on(told: Path) -> None:
    first = Counting(12, {2: lambda: tkgmem.reembed(told, Counting(9, {2: lambda: os.strerror(0)}))})
    with pytest.raises(WriteConflict, match="another process"):
        tkgmem.reembed(told, first)
    assert is_sound(told, HashEmbedder(9))

    def begin_another() -> None:
        with pytest.raises(KeyboardInterrupt):
            tkgmem.reembed(told, Counting(10, {1: interrupt}))

    with pytest.raises(WriteConflict, match="hash-10"):
        tkgmem.reembed(told, Counting(12, {2: begin_another}))
    assert rows(told, WAITING) == [(0,)]
    assert is_sound(told, HashEmbedder(9))


def interrupt() -> None:
    raise KeyboardInterrupt


def test_a_bad_vector_is_refused_and_nothing_changes(told: Path) -> None:
    """T07-02"""

    class Bad(HashEmbedder):
        def embed_passages(self, texts: Sequence[str]) -> Any:
            return super().embed_passages(texts) * float("nan")

    before = answers(told)
    with pytest.raises(tkgmem.BadResponse):
        tkgmem.reembed(told, Bad(12))
    assert answers(told) == before
    assert rows(told, WAITING) == [(0,)]


def test_a_file_that_is_not_there_is_not_made(path: Path) -> None:
    with pytest.raises(StoreError, match="no such file"):
        tkgmem.reembed(path, HashEmbedder(8))
    assert not path.exists()


def test_more_than_five_thousand_hits_may_be_asked_for_afterwards(told: Path) -> None:
    """T07-05"""
    tkgmem.reembed(told, HashEmbedder(12))
    with opened(told, HashEmbedder(12)) as memory:
        assert len(memory.search("note", limit=5000, scopes=["episodes"]).episodes) == 73


def test_the_command_does_what_is_needed(told: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = HashEmbedder(8)
    monkeypatch.setattr(Session, "embedder", staticmethod(lambda: chosen))
    monkeypatch.setenv("TKGMEM_DB", str(told))
    done = CliRunner().invoke(main, ["reindex"])
    assert (done.exit_code, "0 vectors made by hash-8" in done.stdout) == (0, True)
    chosen = HashEmbedder(12)
    done = CliRunner().invoke(main, ["reindex"])
    assert (done.exit_code, "vectors made by hash-12" in done.stdout) == (0, True)
    assert "Making all vectors anew" in done.stderr
    monkeypatch.setenv("TKGMEM_READ_ONLY", "1")
    assert CliRunner().invoke(main, ["reindex"]).exit_code == 4


def test_what_was_forgotten_before_changes_no_answer_of_vectors_made_again(path: Path, clock: FixedClock) -> None:
    """How vectors are compared comes from those there were: it stays where the same model makes them again, or an export."""

    def answers(memory: Memory) -> list[tuple[str, float]]:
        asked = ("thing 4", "place 3 thing", "spoke of 12")
        return [(hit.item.uuid, hit.score) for words in asked for hit in memory.search(words, scopes=["episodes"]).episodes]

    embedder, lines = HashEmbedder(16), io.StringIO()
    texts = [f"They spoke of thing {number * 7 % 31} and place {number % 13}, {number} times." for number in range(90)]
    with Memory(path, embedder=embedder, clock=clock) as memory:
        told = memory.add_many([{"content": text, "reference_time": "2025"} for text in texts])
        memory.forget(episode=[one.episode.uuid for one in told[:25]])
        before = answers(memory)
        memory.export(lines)
    lines.seek(0)
    with Memory(":memory:", embedder=embedder, clock=clock) as other:
        other.import_(lines)
        assert answers(other) == before
    tkgmem.reembed(path, embedder)
    with Memory(path, embedder=embedder, clock=clock) as memory:
        assert answers(memory) == before
        assert memory.doctor().ok
