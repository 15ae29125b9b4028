"""New nodes join communities by the weighted majority of their neighbours, and two partitions are compared."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tkgmem.communities.agreement import drift, matched, moved
from tkgmem.communities.joining import join, majority
from tkgmem.communities.propagate import Network, modularity, propagate

SIZE = 10
NODES = st.integers(0, SIZE - 1)
TIES = st.lists(st.tuples(NODES, NODES, st.integers(1, 5).map(float)), max_size=25)
LABELS = st.lists(st.none() | st.integers(0, 3), min_size=SIZE, max_size=SIZE)


def rows(ties: Sequence[tuple[int, int, float]]) -> dict[int, dict[int, float]]:
    found: dict[int, dict[int, float]] = {}
    for one, other, weight in ties:
        if one != other:
            found.setdefault(one, {})[other] = weight
            found.setdefault(other, {})[one] = weight
    return found


def test_the_heavier_label_wins_and_the_lower_one_at_a_tie() -> None:
    assert majority({1: 2.0, 2: 1.0, 3: 1.5}, {1: 7, 2: 4, 3: 4}) == 4
    assert majority({1: 2.0, 2: 1.0, 3: 1.0}, {1: 7, 2: 4, 3: 4}) == 4
    assert majority({1: 2.0}, {2: 4}) is None
    assert majority({}, {1: 0}) is None


@settings(max_examples=20)
@given(st.permutations([(1, 0.1), (2, 0.2), (3, 0.3), (4, 0.6)]))
def test_the_order_of_the_neighbours_does_not_matter(ties: list[tuple[int, float]]) -> None:
    assert majority(dict(ties), {1: 1, 2: 1, 3: 1, 4: 0}) == 0


def test_each_new_node_sees_the_new_ones_that_joined_before_it() -> None:
    ties = rows([(0, 10, 1.0), (1, 11, 1.0), (10, 12, 2.0), (11, 12, 1.0)])
    assert join([10, 11, 12], ties, {0: 0, 1: 1}, first=2) == {10: 0, 11: 1, 12: 0}
    assert join([12, 10, 11], ties, {0: 0, 1: 1}, first=2) == {10: 0, 11: 1, 12: 0}
    assert join([11, 12, 10], ties, {0: 0, 1: 1}, first=2) == {10: 1, 11: 1, 12: 1}


def test_a_node_that_has_joined_stays_where_it_is() -> None:
    ties = rows([(0, 10, 9.0), (10, 12, 1.0), (11, 12, 5.0), (1, 11, 9.0)])
    assert join([10, 12, 11], ties, {0: 0, 1: 1}, first=2) == {10: 0, 12: 0, 11: 1}


def test_a_chain_of_new_nodes_joins_through_its_end() -> None:
    chain = list(range(1, 2000))
    ties = rows([(node - 1, node, 1.0) for node in chain])
    assert join(chain[::-1], ties, {0: 3}, first=4) == dict.fromkeys(chain, 3)


def test_new_nodes_tied_to_each_other_only_become_communities_of_their_own() -> None:
    groups = [range(10, 14), range(20, 23)]
    ties = rows([(one, other, 1.0) for nodes in groups for one, other in itertools.combinations(nodes, 2)] + [(0, 5, 1.0)])
    expected = {5: 1} | dict.fromkeys(groups[0], 8) | dict.fromkeys(groups[1], 9)
    assert join([20, 10, 21, 11, 5, 22, 12, 13], ties, {0: 1}, first=8) == expected


def test_a_node_without_ties_or_with_ties_to_unplaced_nodes_only_joins_nothing() -> None:
    assert join([1, 2], {2: {9: 1.0}}, {0: 0}, first=1) == {}


def test_a_label_that_a_new_node_had_does_not_count() -> None:
    assert join([1, 2], rows([(1, 2, 5.0), (0, 2, 1.0)]), {0: 0, 1: 6, 2: 6}, first=7) == {1: 0, 2: 0}


@settings(max_examples=50)
@given(TIES, LABELS, st.permutations(range(SIZE)))
def test_every_new_node_with_a_way_to_others_is_placed_and_old_ones_are_not_touched(
    ties: list[tuple[int, int, float]], labels: list[int | None], order: list[int]
) -> None:
    old = {node: label for node, label in enumerate(labels) if label is not None}
    new = [node for node in order if node not in old]
    joined = join(new, rows(ties), old, first=4)
    assert set(joined) == {node for node in new if rows(ties).get(node)}
    fresh = [label for label in joined.values() if label >= 4]
    assert set(fresh) == set(range(4, 4 + len(set(fresh))))
    assert all(fresh.count(label) >= 2 for label in fresh)
    assert all(label in {old.get(other, joined.get(other)) for other in rows(ties)[node]} for node, label in joined.items())


def test_joining_follows_the_ties_of_the_new_node_only() -> None:
    class Watched(dict[int, int]):
        def __iter__(self) -> None:  # type: ignore[override]
            raise AssertionError("walked through all labels")

    assert join([100], {100: {3: 1.0, 4: 2.0}}, Watched(zip(range(100), range(100), strict=True)), first=100) == {100: 4}


def planted(groups: int, size: int) -> list[tuple[int, int, float]]:
    rng = random.Random(2)
    count = groups * size
    ties = [(node, node % groups + groups * rng.randrange(size), 1.0) for node in range(count) for _ in range(3)]
    return ties + [(rng.randrange(count), rng.randrange(count), 1.0) for _ in range(count // 4)]


def test_what_drifts_while_nodes_join_is_restored_by_a_full_pass() -> None:
    ties = planted(8, 25)
    network, early = Network.of(200, ties), range(60)
    labels = propagate(Network.of(200, [tie for tie in ties if tie[0] in early and tie[1] in early]))
    old = {node: label for node, label in enumerate(labels) if label is not None}
    joined = join([node for node in range(200) if node not in old], rows(ties), old, first=60)
    kept = [(old | joined).get(node) for node in range(200)]
    full = propagate(network)
    assert drift(network, kept, full) == modularity(network, full) - modularity(network, kept) > 0.02
    assert 0.1 < moved(kept, full) < 1.0
    assert drift(network, full, full) == moved(full, full) == drift(network, full, kept) == 0.0


def test_moved_counts_nodes_and_not_numbers() -> None:
    assert moved([1, 1, 0, 0], [0, 0, 1, 1]) == 0.0
    assert moved([0, 0, 0, 0], [0, 0, 0, 1]) == 0.25
    assert moved([0, 0, 1, 1], [0, 0, 0, 0]) == 0.5
    assert moved([None, 0, 0, 1], [0, 0, 0, None]) == pytest.approx(1 / 3)
    assert moved([0], [None]) == 0.0


def test_a_community_that_is_split_goes_on_as_its_largest_part_and_one_that_takes_in_another_stays_itself() -> None:
    before = {"a": range(10), "b": range(10, 16), "c": range(16, 20)}
    assert matched(before, {7: range(4), 8: range(4, 10), 9: range(10, 20)}) == {8: "a", 9: "b"}


def test_what_shares_less_than_half_of_the_smaller_is_new() -> None:
    assert matched({"a": range(10)}, {0: [*range(4), *range(20, 26)]}) == {}
    assert matched({"a": range(10)}, {0: [*range(5), *range(20, 25)]}) == {0: "a"}
    assert matched({"a": range(10)}, {0: [8, 9]}) == {0: "a"}


SETS = st.lists(st.integers(0, 4), min_size=20, max_size=20).map(
    lambda labels: {label: [node for node in range(20) if labels[node] == label] for label in sorted(set(labels))}
)


@settings(max_examples=40)
@given(SETS, SETS)
def test_matching_pairs_one_to_one_and_keeps_what_is_the_same(
    before: Mapping[int, list[int]], after: Mapping[int, list[int]]
) -> None:
    pairs = matched(before, after)
    assert len(set(pairs.values())) == len(pairs)
    assert all(set(before[old]) & set(after[new]) for new, old in pairs.items())
    assert matched(before, before) == {label: label for label in before}


def test_at_a_tie_those_that_stand_first_are_paired() -> None:
    halves = {"x": [1, 2], "y": [3, 4]}
    assert matched({"a": [1, 2, 3, 4]}, halves) == {"x": "a"}
    assert matched({"a": [1, 2, 3, 4]}, dict(reversed(halves.items()))) == {"y": "a"}
