"""Fusion of ranked lists, as pure functions: reciprocal ranks, weighted scores, and what is told beside a hit."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tkgmem.search.fuse import BESIDE, WEIGHTS, Fused, by_ranks, by_scores, lifted

METHODS = ("bm25", "cosine", "graph", "named", "time")


def ranked(scores: Mapping[int, float]) -> list[tuple[int, float]]:
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


LISTS = st.dictionaries(
    st.sampled_from(METHODS), st.dictionaries(st.integers(1, 9), st.floats(-1, 1), max_size=6).map(ranked), max_size=4
)


def rows(fused: list[Fused]) -> list[int]:
    return [one.row for one in fused]


@settings(max_examples=40)
@given(LISTS)
def test_reciprocal_rank_fusion_is_the_sum_over_the_lists(lists: dict[str, list[tuple[int, float]]]) -> None:
    expected: dict[int, float] = {}
    for listed in lists.values():
        for place, (row, _) in enumerate(listed):
            expected[row] = expected.get(row, 0.0) + 1 / (60 + 1 + place)
    found = by_ranks(lists)
    assert {one.row: one.score for one in found} == pytest.approx(expected)
    assert [(-one.score, one.row) for one in found] == sorted((-one.score, one.row) for one in found)


@settings(max_examples=40)
@given(LISTS)
def test_ranks_and_scores_say_what_each_list_gave(lists: dict[str, list[tuple[int, float]]]) -> None:
    for fuse in (by_ranks, by_scores):
        for one in fuse(lists):
            assert one.ranks == {
                name: place for name, listed in lists.items() for place, (row, _) in enumerate(listed, 1) if row == one.row
            }
            assert one.scores == {name: dict(lists[name])[one.row] for name in one.ranks}


@settings(max_examples=40)
@given(LISTS)
def test_the_order_of_the_lists_changes_nothing(lists: dict[str, list[tuple[int, float]]]) -> None:
    turned = dict(reversed(lists.items()))
    for fuse in (by_ranks, by_scores):
        here, there = fuse(lists), fuse(turned)
        assert {one.row: one.score for one in here} == pytest.approx({one.row: one.score for one in there})


def test_only_ranks_count_in_reciprocal_rank_fusion() -> None:
    lists = {"bm25": [(1, 900.0), (2, 0.1)], "cosine": [(2, 0.99), (3, 0.98), (1, -1.0)]}
    scaled = {name: [(row, score / 1_000 - 5) for row, score in listed] for name, listed in lists.items()}
    assert [(one.row, one.score) for one in by_ranks(lists)] == [(one.row, one.score) for one in by_ranks(scaled)]
    assert rows(by_ranks(lists)) == [2, 1, 3]


def test_scores_are_added_by_their_weights_with_what_a_method_says_of_rows_it_did_not_list() -> None:
    found = by_scores({"bm25": [(1, 0.5)], "cosine": [(2, 0.4)]}, {"cosine": {1: 0.2, 9: 0.9}})
    assert {one.row: one.score for one in found} == pytest.approx(
        {1: 0.5 * WEIGHTS["bm25"] + 0.2 * WEIGHTS["cosine"], 2: 0.4 * WEIGHTS["cosine"]}
    )
    [first] = [one for one in found if one.row == 1]
    assert (first.ranks, first.scores) == ({"bm25": 1}, {"bm25": 0.5, "cosine": 0.2})


def test_every_method_has_a_weight_that_nobody_can_change() -> None:
    assert set(WEIGHTS) >= set(METHODS)
    with pytest.raises(TypeError):
        WEIGHTS["bm25"] = 2.0  # type: ignore[index]


@pytest.mark.parametrize("fuse", [by_ranks, by_scores])
def test_equal_rows_are_in_the_order_of_their_numbers_and_nothing_is_nothing(fuse: object) -> None:
    assert callable(fuse)
    for first, second in itertools.permutations((7, 8)):
        assert rows(fuse({"bm25": [(first, 0.5)], "cosine": [(second, 0.5)]})) == [7, 8]
    assert fuse({}) == fuse({"bm25": [], "cosine": []}) == []


def test_what_is_told_beside_a_hit_is_lifted_by_its_own_score_once() -> None:
    next_to, next_but_one = BESIDE
    fused = [Fused(1, 1.0, {"bm25": 1}, {"bm25": 1.0}), Fused(2, 0.5, {"cosine": 1}, {"cosine": 0.5})]
    found = {one.row: one for one in lifted(fused, {1: ((2, 3), (4,)), 2: ((1,), (5,))})}
    assert {row: one.score for row, one in found.items()} == pytest.approx(
        {1: 1.0 + 0.5 * next_to, 2: 0.5 + next_to, 3: next_to, 4: next_but_one, 5: 0.5 * next_but_one}
    )
    assert (found[1].ranks, found[3].ranks, found[3].scores) == ({"bm25": 1}, {}, {})


def test_nothing_beside_leaves_the_order() -> None:
    fused = [Fused(4, 0.9, {}, {}), Fused(2, 0.9, {}, {}), Fused(3, 0.1, {}, {})]
    assert rows(lifted(fused, {})) == [2, 4, 3]
    assert lifted([], {}) == []
