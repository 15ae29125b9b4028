"""The vector index: exact at personal scale, by signatures beyond, and never blind to what lies behind what cannot be seen."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tkgmem.store import frames, nearest, shelves, vectors, write
from tkgmem.store.clocks import EVERYTHING, View, view_nodes
from tkgmem.store.connection import Connection, Store
from tkgmem.store.matrix import Matrices
from tkgmem.store.nearest import Neighbours

DIMENSION = 48
Floats = NDArray[np.float32]


@pytest.fixture
def store(path: Path) -> Store:
    return Store(path)


@pytest.fixture
def signed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shelves have signatures from 70 vectors on."""
    monkeypatch.setattr(shelves, "SIGNED", 70)


def unit(rows: NDArray[np.float64]) -> Floats:
    return np.asarray(rows / np.linalg.norm(rows, axis=-1, keepdims=True), dtype=np.float32)


def made_up(count: int, seed: int = 1) -> Floats:
    """Vectors that all lean the same way, and differ more along some axes than along others, as those of texts do."""
    chance = np.random.default_rng(seed)
    spread = np.linspace(1.0, 0.2, DIMENSION)
    return unit(3.0 + chance.standard_normal((count, DIMENSION)) * spread)


def told(db: Connection, rows: Floats, *, at: int = 0, text: str = "words", group: str = "default") -> list[int]:
    """An episode for each vector, recorded at an instant."""
    group_id = write.group(db, group)
    found = []
    for row in rows:
        last = int(db.execute("SELECT coalesce(max(id), 0) FROM episodes").get)
        episode = {
            "uuid": f"{last + 1}", "group_id": group_id, "source": "text", "content": text, "metadata": {}, "reference_time": 0,
            "reference_offset": 0, "extract": 0, "created_at": at,
        }  # fmt: skip
        found.append(write.insert_episode(db, episode))
        vectors.insert(db, "episode", found[-1], group_id, row[None], text)
    return found


def ask(store: Store, vector: Floats, view: View | None = None, limit: int = 20, **more: object) -> list[tuple[int, float]]:
    with store.read() as db:
        question = Neighbours(vector, more.pop("groups", [1]), store.matrices, **more)  # type: ignore[arg-type]
        return nearest.nearest(db, "episode", question, view, limit)


def episodes(known_at: int, groups: Sequence[int] = (1,)) -> View:
    return view_nodes("episodes", groups, known_at=known_at)


@pytest.mark.parametrize("count", [1, 2, 40, 64, 65, 90])
def test_the_nearest_are_those_of_the_exact_ranking(store: Store, count: int) -> None:
    rows = made_up(count)
    with store.write() as db:
        told(db, rows)
        [shelf] = shelves.of(db, "episode", [1])
        frame = shelves.frame(db, shelf) or frames.centred(rows)
    question = made_up(1, seed=2)[0]
    likeness = frame.placed(rows) @ frame.question(question, frame.centre)
    expected = sorted(enumerate(np.round(likeness.astype(float), 5).tolist(), start=1), key=lambda item: (-item[1], item[0]))
    assert [row for row, _ in ask(store, question)] == [row for row, _ in expected[:20]]
    assert [score for _, score in ask(store, question)] == pytest.approx([score for _, score in expected[:20]], abs=2e-5)


@pytest.mark.usefixtures("signed")
def test_signatures_leave_the_nearest_among_the_candidates(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = made_up(600)
    with store.write() as db:
        told(db, rows)
        [shelf] = shelves.of(db, "episode", [1])
        frame = shelves.frame(db, shelf)
        assert shelf.is_signed
        assert frame is not None
    monkeypatch.setattr(nearest, "_LEAST", 120)
    monkeypatch.setattr(nearest, "_REFINED", 400)
    missed = 0
    for question in unit(made_up(20, seed=3) + 0.5 * made_up(20, seed=4)):
        likeness = frame.placed(rows) @ frame.question(question, frame.centre)
        best = (np.argsort(-likeness)[:10] + 1).tolist()
        missed += len(set(best) - {row for row, _ in ask(store, question)})
    assert missed <= 20, "of 200"


@pytest.mark.usefixtures("signed")
@pytest.mark.parametrize("candidates", [5, 256], ids=["what is visible is ranked", "what is nearest is looked at"])
@pytest.mark.parametrize("count", [30, 600], ids=["few", "many"])
def test_what_is_visible_is_found_behind_any_number_of_nearer_ones(
    store: Store, monkeypatch: pytest.MonkeyPatch, candidates: int, count: int
) -> None:
    monkeypatch.setattr(nearest, "_LEAST", candidates)
    monkeypatch.setattr(nearest, "_PATIENCE", 4 * candidates)
    monkeypatch.setattr(nearest, "_PER_HIT", 1)
    question, far = made_up(2, seed=5)
    near = unit(question + 0.05 * made_up(count, seed=6))
    with store.write() as db:
        [early] = told(db, far[None], at=0)
        told(db, near, at=10)
        [other] = told(db, far[None], at=0, group="other")
        told(db, near[:30], at=0, group="third")
    assert [row for row, _ in ask(store, question, episodes(5), limit=3)] == [early]
    assert early in dict(ask(store, question, episodes(EVERYTHING), limit=2000))
    with store.read() as db:
        group = int(db.execute("SELECT id FROM groups WHERE name = 'other'").get)
    assert [row for row, _ in ask(store, question, episodes(EVERYTHING, [group]), groups=[group])] == [other]


@pytest.mark.usefixtures("signed")
@pytest.mark.parametrize("count", [20, 66, 100])
def test_two_processes_and_a_copy_of_the_file_answer_alike(store: Store, path: Path, count: int) -> None:
    question = made_up(1, seed=7)[0]
    with Store(path) as other:
        with store.write() as db:
            told(db, made_up(count))
        ask(store, question)
        ask(other, question)
        with other.write() as db:
            told(db, made_up(5, seed=8))
            vectors.forget(db, "episode", [3])
        with store.write() as db:
            told(db, made_up(30, seed=9))
        answers = [ask(store, question), ask(other, question)]
    assert 3 not in dict(answers[0])
    store.close()
    shutil.copy(path, path.with_name("copy.db"))
    with Store(path.with_name("copy.db")) as copy:
        answers.append(ask(copy, question))
    assert answers[0] == answers[1] == answers[2]


@pytest.mark.usefixtures("signed")
def test_what_is_forgotten_leaves_no_vector(store: Store) -> None:
    with store.write() as db:
        rows = told(db, made_up(80))
        vectors.forget(db, "episode", rows)
        assert [db.execute(f"SELECT count(*) FROM {table}").get for table in ("passages", "vectors")] == [0, 0]
        assert db.execute("SELECT size, framed, frame FROM shelves").fetchall() == [(0, 0, None)]
    assert ask(store, made_up(1)[0]) == []


def test_a_new_row_changes_no_likeness_as_of_before_while_they_are_few(store: Store) -> None:
    question = made_up(1, seed=10)[0]
    with store.write() as db:
        told(db, made_up(10), at=0)
    before = ask(store, question, episodes(0))
    with store.write() as db:
        told(db, made_up(10, seed=11), at=1)
    assert ask(store, question, episodes(0)) == before
    assert dict(ask(store, question, episodes(1)))[1] != dict(before)[1]


def test_given_rows_have_the_likeness_that_the_search_gives(store: Store) -> None:
    question = made_up(1, seed=12)[0]
    with store.write() as db:
        told(db, made_up(70))
    found = dict(ask(store, question))
    with store.read() as db:
        asked = Neighbours(question, [1], store.matrices)
        compared = nearest.compare(db, "episode", asked, None)
        assert compared.similarities([*found, 10_000]) == pytest.approx(found)
        assert dict(compared.nearest_of([*found, 10_000], 100)) == pytest.approx(found)
        assert [row for row, _ in compared.nearest_of([*found], 4)] == list(found)[:4]
        placed = compared.vectors([*found])
    assert placed.keys() == found.keys()
    assert {round(float(np.linalg.norm(vector)), 4) for vector in placed.values()} == {1.0}


@pytest.mark.parametrize("count", [30, 120], ids=["few", "many"])
@pytest.mark.parametrize("known", [True, False], ids=["texts of its language", "none of its language"])
def test_a_question_in_one_script_finds_what_another_script_says(store: Store, count: int, known: bool) -> None:
    chance = np.random.default_rng(20)
    bias = {script: chance.standard_normal(DIMENSION) * 3 for script in ("latin", "han")}
    said = chance.standard_normal((2 * count, DIMENSION))
    with store.write() as db:
        english = told(db, unit(said[:count] + bias["latin"]), text="some words")
        told(db, unit(said[count:] + bias["han"]) if known else unit(said[:0]), text="一些话")
    centres = {} if known and count > frames.LEAST else {"han": unit(bias["han"])}
    for place in range(10):
        question = unit(said[place] + bias["han"])
        [(first, _), *_] = ask(store, question, language="han", centres=centres)
        assert first == english[place]


def test_identical_vectors_are_equally_near(store: Store) -> None:
    row = made_up(1)
    with store.write() as db:
        told(db, np.repeat(row, 66, axis=0))
    assert ask(store, row[0], limit=3) == [(1, 0.0), (2, 0.0), (3, 0.0)]


def test_a_copy_made_step_by_step_is_the_one_made_at_once(store: Store) -> None:
    with store.write() as db:
        told(db, made_up(70))
    for seed in range(3):
        ask(store, made_up(1)[0])
        with store.write() as db:
            told(db, made_up(2, seed=30 + seed))
    with store.read() as db:
        [shelf] = shelves.of(db, "episode", [1])
        grown, fresh = store.matrices.get(db, shelf, DIMENSION), Matrices().get(db, shelf, DIMENSION)
    assert (grown.owners == fresh.owners).all()
    assert grown.rows == pytest.approx(fresh.rows, abs=1e-6)
