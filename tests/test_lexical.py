"""Full text at the store: which words of a question find rows, how rows are scored, and what an answer may cost."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tkgmem import Memory
from tkgmem.store import bm25, lexical
from tkgmem.store.clocks import EVERYTHING, View, view_claims, view_names, view_nodes
from tkgmem.store.limit import OutOfTime, time_limit
from tkgmem.store.words import MAX_LOOKED_UP, terms
from tkgmem.testing import HashEmbedder

LONG_READ = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000000) SELECT count(*) FROM n"


@contextmanager
def texts(contents: Sequence[str], *, groups: Sequence[str] = ()) -> Iterator[tuple[apsw.Connection, View]]:
    """A connection to a memory with these episodes, rows 1, 2, ..., and the view of those in the default group."""
    with Memory(":memory:", embedder=HashEmbedder(8)) as memory:
        for content, group in zip(contents, [*groups, *["default"] * len(contents)], strict=False):
            memory.add(content, extract=False, group=group)
        with memory._store.read() as db:
            [group] = db.execute("SELECT id FROM groups WHERE name = 'default'").fetchone() or ()
            yield db, view_nodes("episodes", [group], known_at=EVERYTHING)


def rows(found: Sequence[tuple[int, float]]) -> list[int]:
    return [row for row, _ in found]


def found(contents: Sequence[str], query: str, limit: int = 10) -> list[int]:
    with texts(contents) as (db, view):
        return rows(lexical.search(db, lexical.words(db, "episode_text", query), view, limit))


SOME = [
    "Ana likes green tea and green cups",
    "Bo drinks tea",
    "昨天的会议记录已归档，会议很长",
    "pi is 3.14 or so, 3.14159 at best, 14 of 3",
    "running and run and ran",
    "Café in İzmir, cafe",
    "...",
]


@pytest.mark.parametrize("opening", [-1_000_000, 1_000_000], ids=["from the texts", "by FTS5"])
@pytest.mark.parametrize("query", ["green tea", "3.14", "会议记录", "长", "runs cafe", "tea tea 3 14 or", "izmir ana bo"])
def test_the_score_is_the_rank_of_fts5(query: str, opening: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bm25, "_OPENING", opening)
    with texts([*SOME, *["tea for two"] * 5]) as (db, view):
        match = " OR ".join(terms(query))
        rank = "SELECT rowid, -rank FROM episode_text WHERE episode_text MATCH ? ORDER BY rank, rowid"
        expected = dict(db.execute(rank, (match,)))
        assert expected
        assert lexical.scores(db, lexical.words(db, "episode_text", query), range(1, 13)) == pytest.approx(expected)
        assert lexical.search(db, lexical.words(db, "episode_text", query), view, 20) == [
            (row, pytest.approx(score)) for row, score in expected.items()
        ]
        assert min(expected.values()) > 0


def test_equal_scores_are_in_the_order_of_the_rows() -> None:
    assert found(["other", "tea cup", "tea cup", "big tea cup", "tea cup"], "tea", limit=3) == [2, 3, 5]


def test_a_row_without_a_word_of_the_question_has_no_score() -> None:
    with texts(["green tea", "black coffee", "water"]) as (db, _):
        assert lexical.scores(db, lexical.words(db, "episode_text", "tea or coffee"), [1, 3]).keys() == {1}
        assert lexical.scores(db, lexical.words(db, "episode_text", "absent"), [1, 2, 3]) == {}


def test_names_and_claims_are_found_too() -> None:
    with Memory(":memory:", embedder=HashEmbedder(8)) as memory:
        memory.add_fact("Ana Silva", "LIKES", "tea", fact="Ana is fond of tea")
        with memory._store.read() as db:
            facts = view_claims([1], valid_at=0, known_at=EVERYTHING, include_ended=True)
            assert rows(lexical.search(db, lexical.words(db, "claim_text", "fond"), facts, 5)) == [1]
            [(row, _)] = lexical.search(db, lexical.words(db, "entity_text", "silva"), view_names([1], known_at=EVERYTHING), 5)
            assert db.execute("SELECT name FROM aliases WHERE id = ?", (row,)).get == "Ana Silva"


def test_the_words_that_only_put_the_question_find_nothing() -> None:
    said = ["what did you do when it was on", "the and of", "Ana bought a boat"]
    assert found(said, "What did Ana do with the boat?") == [3]


@pytest.mark.parametrize("query", ["who are they", "the who", "The Who"])
def test_a_question_of_function_words_alone_is_asked_with_them(query: str) -> None:
    assert found(["the who played", "a band", "who are they"], query) != []


def test_a_capital_makes_a_name_of_a_function_word() -> None:
    said = ["she moved to the US in May", "give us the cup", "nothing more"]
    assert set(found(said, "Who lives in the US?")) == {1, 2}
    assert found(said, "who told us of Peru") == []


@pytest.mark.parametrize(
    ("query", "literal", "apart"),
    [
        ("3.14", "pi is 3.14 now", "at 14 there were 3 here"),
        ("kB/s", "at 20 kB/s", "s is not in kB"),
        ("ZX-518", "order ZX-518 left", "518 orders of ZX"),
        ("👨\u200d👩\u200d👧", "us 👨\u200d👩\u200d👧 now", "👧 and 👩 and 👨"),
        ("🇵🇹", "from 🇵🇹 soon", "🇹🇵 is none"),
    ],
)
def test_what_is_written_in_one_piece_is_found_first_in_one_piece(query: str, literal: str, apart: str) -> None:
    assert found([apart, literal, apart, "nothing of it", "of it nothing"], query)[0] == 2


def test_of_very_many_words_the_telling_one_is_asked_for() -> None:
    noise = " ".join(f"w{number}" for number in range(10_000))
    for query in (f"{noise} unmistakable", f"unmistakable {noise}"):
        assert len(terms(query)) <= MAX_LOOKED_UP
        assert found(["the unmistakable one", "any other"], query) == [1]


@pytest.mark.parametrize("query", ["x" * 1_000_000, "会议" * 500_000, "😀" * 300_000, "a-" * 400_000, "\u0301" * 100_000])
def test_a_question_of_a_megabyte_costs_few_look_ups(query: str) -> None:
    assert len(terms(query)) <= MAX_LOOKED_UP
    assert found(["other"], query) == []


@settings(max_examples=150)
@given(st.text(st.characters(codec=None), max_size=40))
def test_any_text_is_asked_and_scored_alike_in_both_ways(query: str) -> None:
    with SHELF._store.read() as db:
        view = view_nodes("episodes", [1], known_at=EVERYTHING)
        for text in (query, f'tea {query}"'):
            answer = lexical.search(db, lexical.words(db, "episode_text", text), view, 5)
            words = bm25.choose(db, "episode_text", text)
            assert bm25._scores_of_texts(db, words, [1, 2]) == pytest.approx(dict(answer))


SHELF = Memory(":memory:", embedder=HashEmbedder(8))
SHELF.add("Ana likes tea (green), 绿茶 3.14", extract=False)
SHELF.add("a 0 b", extract=False)


class Cut:
    """How often an answer said that it had not looked at every row."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> None:
        self.times += 1


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds so low that a few rows are many."""
    monkeypatch.setattr(bm25, "WORK", 3)
    monkeypatch.setattr(bm25, "MOST", 5)
    monkeypatch.setattr(lexical, "_FEW", 5)
    monkeypatch.setattr(lexical, "_NEWEST", 16)


COMMON = ["red boat", "red cup", "blue boat", "red blue boat", *(f"a {word} plum" for word in "bcdefghi")] * 3


def test_common_words_score_the_rows_that_rare_ones_find(tiny: None) -> None:
    cut = Cut()
    with texts(["a quince", *COMMON, "red quince", "quince of glass"]) as (db, view):
        answer = lexical.search(db, lexical.words(db, "episode_text", "red quince"), view, 10, cut=cut)
    assert rows(answer)[0] == 38
    assert sorted(rows(answer)) == [1, 38, 39]
    assert answer[0][1] > 1.02 * answer[1][1]
    assert cut.times == 0


def test_a_word_that_is_not_too_common_is_ranked_over_all_its_rows(tiny: None) -> None:
    cut = Cut()
    said = [
        "blue",
        *["a plum"] * 20,
        "blue boat of tin",
        *["a plum"] * 9,
        "blue boat of oak",
        "blue boat of ash",
        "blue and tin",
    ]
    with texts(said) as (db, view):
        assert rows(lexical.search(db, lexical.words(db, "episode_text", "blue"), view, 1, cut=cut)) == [1]
    assert cut.times == 0


def test_where_every_word_is_common_the_newest_rows_with_most_of_them_come_first(tiny: None) -> None:
    cut = Cut()
    with texts([*COMMON, *["blue fig", "red fig", "fig boat"] * 2]) as (db, view):
        assert rows(lexical.search(db, lexical.words(db, "episode_text", "red blue boat"), view, 1, cut=cut)) == [28]
        assert len(lexical.search(db, lexical.words(db, "episode_text", "red blue boat"), view, 8)) == 8
        assert lexical.search(db, lexical.words(db, "episode_text", "red blue boat"), view, 8) == lexical.search(
            db, lexical.words(db, "episode_text", "red blue boat"), view, 8
        )
    assert cut.times == 1


def test_an_answer_from_every_row_is_not_called_cut() -> None:
    cut = Cut()
    with texts(COMMON) as (db, view):
        assert rows(lexical.search(db, lexical.words(db, "episode_text", "red blue boat"), view, 4, cut=cut)) == [4, 16, 28, 3]
    assert cut.times == 0


def test_what_is_common_in_another_group_still_finds_in_a_small_one(tiny: None) -> None:
    cut = Cut()
    mine = ["a red boat", "a cup", "quince cup"]
    with texts([*COMMON, *mine], groups=["other"] * len(COMMON)) as (db, view):
        assert rows(lexical.search(db, lexical.words(db, "episode_text", "red quince"), view, 5, cut=cut)) in (
            [37, 39],
            [39, 37],
        )
        assert rows(lexical.search(db, lexical.words(db, "episode_text", "boat"), view, 5, cut=cut)) == [37]
    assert cut.times == 0


def test_an_old_row_of_a_large_group_is_found_behind_newer_rows_of_another(tiny: None) -> None:
    mine = ["a red boat", *["a plum"] * 8]
    with texts([*mine, *COMMON], groups=["default"] * len(mine) + ["other"] * len(COMMON)) as (db, view):
        assert rows(lexical.search(db, lexical.words(db, "episode_text", "boat"), view, 5)) == [1]


def test_a_row_in_sight_is_found_behind_many_better_ones_out_of_sight() -> None:
    with texts(["boat"] * 40 + ["one boat of many"], groups=["other"] * 40) as (db, view):
        assert rows(lexical.search(db, lexical.words(db, "episode_text", "boat"), view, 1)) == [41]


def test_a_claim_is_found_behind_many_that_no_longer_hold() -> None:
    with Memory(":memory:", embedder=HashEmbedder(8)) as memory:
        for year in range(1960, 2000):
            memory.add_fact("Ana", "OWNS", "boat", fact="boat", valid_at=str(year), invalid_at=str(year + 1))
        memory.add_fact("Ana", "LIKES", "boat", fact="Ana likes one boat of many", valid_at="2001")
        with memory._store.read() as db:
            view = view_claims([1], valid_at=2**50, known_at=EVERYTHING, include_ended=False)
            assert rows(lexical.search(db, lexical.words(db, "claim_text", "boat"), view, 1)) == [41]


def test_a_deadline_that_has_passed_still_gets_an_answer() -> None:
    cut = Cut()
    with texts(COMMON) as (db, view):
        answer = lexical.search(
            db, lexical.words(db, "episode_text", "red blue boat"), view, 3, ends=time.perf_counter() - 1, cut=cut
        )
        assert len(answer) == 3
        assert cut.times == 1
        assert (
            rows(
                lexical.search(db, lexical.words(db, "episode_text", "absent"), view, 3, ends=time.perf_counter() - 1, cut=cut)
            )
            == []
        )


def test_a_read_is_interrupted_and_the_transaction_goes_on() -> None:
    with texts(["tea"]) as (db, view):
        with pytest.raises(OutOfTime), time_limit(db, time.perf_counter() + 0.01):
            db.execute(LONG_READ).fetchone()
        assert db.in_transaction
        assert rows(lexical.search(db, lexical.words(db, "episode_text", "tea"), view, 1)) == [1]
        with time_limit(db, None):
            assert db.execute("SELECT 1").get == 1


def test_limits_nest_and_the_earliest_is_met_first() -> None:
    with Memory(":memory:", embedder=HashEmbedder(8))._store as store, store.read() as db:
        with time_limit(db, time.perf_counter() + 60):
            with pytest.raises(OutOfTime), time_limit(db, time.perf_counter() + 0.01):
                db.execute(LONG_READ).fetchone()
            assert db.execute("SELECT 1").get == 1
        with pytest.raises(OutOfTime), time_limit(db, time.perf_counter() + 0.01), time_limit(db, time.perf_counter() + 60):
            db.execute(LONG_READ).fetchone()
        with pytest.raises(OutOfTime), time_limit(db, time.perf_counter() - 1):
            pytest.fail("nothing is begun when the time is over")
        assert db.execute("SELECT count(*) FROM episodes").get == 0


def test_an_interruption_by_someone_else_stays_one() -> None:
    with Memory(":memory:", embedder=HashEmbedder(8))._store as store, store.read() as db:
        db.set_progress_handler(lambda: True, 100, id="someone else")
        with pytest.raises(apsw.InterruptError), time_limit(db, time.perf_counter() + 60):
            db.execute(LONG_READ).fetchone()
        db.set_progress_handler(None, id="someone else")
