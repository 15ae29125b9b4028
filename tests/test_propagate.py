"""Communities of a network: label propagation ends, is exact, and finds the groups that anyone would see."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tkgmem.communities.propagate import Network, modularity, propagate

Tie = tuple[int, int, float]
SIZE = 12
NODES = st.integers(0, SIZE - 1)
TIES = st.lists(st.tuples(NODES, NODES, st.integers(1, 9).map(float)), max_size=40)
LABELS = st.lists(st.none() | st.integers(0, 3), min_size=SIZE, max_size=SIZE)


def groups(labels: Sequence[int | None]) -> list[list[int]]:
    """The members of each community, by the number of the community."""
    count = len({label for label in labels if label is not None})
    return [[node for node, one in enumerate(labels) if one == label] for label in range(count)]


def found(size: int, ties: Sequence[Tie]) -> list[list[int]]:
    return groups(propagate(Network.of(size, ties)))


def clique(nodes: Sequence[int]) -> list[Tie]:
    return [(one, other, 1.0) for one, other in itertools.combinations(nodes, 2)]


def planted(sizes: Sequence[int], inside: int, outside: int, seed: int = 1) -> tuple[list[int], list[Tie]]:
    """The group of each node, and ties: `inside` for each node within its group, `outside` in all between any two."""
    rng = random.Random(seed)
    homes = [group for group, size in enumerate(sizes) for _ in range(size)]
    rng.shuffle(homes)
    members = [[node for node, home in enumerate(homes) if home == group] for group in range(len(sizes))]
    ties = [(node, rng.choice(members[home]), 1.0) for node, home in enumerate(homes) for _ in range(inside)]
    ties += [(rng.randrange(len(homes)), rng.randrange(len(homes)), 1.0) for _ in range(outside)]
    return homes, ties


@settings(max_examples=50)
@given(TIES)
def test_every_node_with_ties_is_in_one_community_of_two_or_more_and_no_other_node_is(ties: list[Tie]) -> None:
    labels = propagate(Network.of(SIZE, ties))
    tied = {node for one, other, _ in ties if one != other for node in (one, other)}
    assert {node for node, label in enumerate(labels) if label is not None} == tied
    assert all(len(members) >= 2 for members in groups(labels))


@settings(max_examples=50)
@given(TIES)
def test_communities_are_numbered_by_size_and_then_by_their_lowest_node(ties: list[Tie]) -> None:
    members = found(SIZE, ties)
    assert members == sorted(members, key=lambda nodes: (-len(nodes), nodes[0]))
    assert {label for label in propagate(Network.of(SIZE, ties)) if label is not None} == set(range(len(members)))


@settings(max_examples=50)
@given(TIES)
def test_a_community_hangs_together_by_its_own_ties(ties: list[Tie]) -> None:
    network = Network.of(SIZE, ties)
    for members in groups(propagate(network)):
        reached, edge = {members[0]}, [members[0]]
        while edge:
            near = {other for other in network.neighbours[edge.pop()] if other in members} - reached
            reached |= near
            edge += near
        assert reached == set(members)


@settings(max_examples=50)
@given(TIES, st.randoms(use_true_random=False))
def test_neither_the_order_nor_the_direction_of_ties_matters(ties: list[Tie], rng: random.Random) -> None:
    turned = [(other, one, weight) if rng.random() < 0.5 else (one, other, weight) for one, other, weight in ties]
    rng.shuffle(turned)
    network, other = Network.of(SIZE, ties), Network.of(SIZE, turned)
    assert [list(row.items()) for row in network.neighbours] == [list(row.items()) for row in other.neighbours]
    assert propagate(network) == propagate(other)


@settings(max_examples=50)
@given(TIES, st.floats(1e-200, 1e200))
def test_the_scale_of_the_weights_does_not_matter(ties: list[Tie], scale: float) -> None:
    scaled = [(one, other, weight * scale) for one, other, weight in ties]
    assert Network.of(SIZE, ties) == Network.of(SIZE, scaled)


@settings(max_examples=50)
@given(TIES, LABELS)
def test_modularity_is_not_below_that_of_all_alone_of_all_as_one_and_of_the_start(
    ties: list[Tie], start: list[int | None]
) -> None:
    network = Network.of(SIZE, ties)
    fresh, mended = modularity(network, propagate(network)), modularity(network, propagate(network, start))
    alone, together = modularity(network, range(SIZE)), modularity(network, [0] * SIZE)
    assert min(fresh, mended) >= max(alone, together)
    assert mended >= modularity(network, start)


def test_where_no_division_is_better_than_none_there_is_none() -> None:
    assert found(6, clique(range(6))) == [list(range(6))]
    assert found(52, [(hub, node, 1.0) for hub in (0, 1) for node in range(2, 52)]) == [list(range(52))]


@settings(max_examples=50)
@given(TIES, LABELS)
def test_modularity_is_newmans(ties: list[Tie], labels: list[int | None]) -> None:
    weights: Counter[tuple[int, int]] = Counter()
    for one, other, weight in ties:
        if one != other:
            weights[one, other] += weight
            weights[other, one] += weight
    whole = sum(weights.values())
    strengths = [sum(weights[node, other] for other in range(SIZE)) for node in range(SIZE)]
    homes = [node + SIZE if label is None else label for node, label in enumerate(labels)]
    expected = sum(
        weights[one, other] / whole - strengths[one] * strengths[other] / whole**2
        for one in range(SIZE)
        for other in range(SIZE)
        if whole and homes[one] == homes[other]
    )
    assert modularity(Network.of(SIZE, ties), labels) == pytest.approx(expected, abs=1e-5)


def test_parallel_ties_add_up_and_a_tie_to_itself_is_none() -> None:
    network = Network.of(3, [(0, 1, 1.0), (1, 0, 2.0), (1, 2, 3.0), (2, 2, 3.0)])
    assert network.neighbours[1][0] == pytest.approx(network.neighbours[1][2], abs=1)
    assert Network.of(2, [(0, 1, 1.0), (1, 1, 9.0)]) == Network.of(2, [(0, 1, 1.0)])
    assert propagate(Network.of(1, [(0, 0, 1.0)])) == [None]


def test_a_tie_that_is_too_light_to_count_still_ties() -> None:
    assert propagate(Network.of(6, [(0, 1, 1e300), (2, 3, 5e-324), (4, 5, 1e300)])) == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("weight", [0.0, -1.0, float("nan"), float("inf")])
def test_a_weight_that_is_no_positive_number_is_an_error(weight: float) -> None:
    with pytest.raises(ValueError, match=r"tie \(0, 1\) weighs"):
        Network.of(2, [(0, 1, weight)])


@pytest.mark.parametrize("end", [-1, 2])
def test_an_end_that_is_no_node_is_an_error(end: int) -> None:
    with pytest.raises(ValueError, match="outside the nodes 0 to 1"):
        Network.of(2, [(0, end, 1.0)])


def test_a_start_of_another_length_is_an_error() -> None:
    with pytest.raises(ValueError, match="3 labels for 2 nodes"):
        propagate(Network.of(2, [(0, 1, 1.0)]), [0, 0, 1])


def test_nothing_and_isolated_nodes_make_no_community() -> None:
    assert propagate(Network.of(0, [])) == []
    assert propagate(Network.of(3, [])) == [None, None, None]
    assert modularity(Network.of(3, []), [None, 0, 0]) == 0.0


def test_two_nodes_with_two_ties_are_one_community() -> None:
    assert propagate(Network.of(2, [(0, 1, 1.0), (0, 1, 1.0)])) == [0, 0]


def test_a_ring_of_10_000_gives_short_stretches_of_similar_length() -> None:
    size = 10_000
    network = Network.of(size, [(node, (node + 1) % size, 1.0) for node in range(size)])
    labels = propagate(network)
    assert labels == propagate(network)
    lengths = [len(members) for members in groups(labels)]
    assert sum(labels[node] != labels[node - 1] for node in range(size)) == len(lengths)  # each is one stretch
    assert max(lengths) <= 3 * min(lengths)
    assert min(lengths) >= 20
    assert max(lengths) <= 200
    assert modularity(network, labels) > 0.95


def test_a_star_is_one_community() -> None:
    assert found(1000, [(500, node, 1.0) for node in range(1000) if node != 500]) == [list(range(1000))]


@settings(max_examples=50)
@given(st.permutations(range(12)))
def test_two_cliques_with_a_bridge_are_two_communities_whatever_their_numbers(numbers: list[int]) -> None:
    ties = [*clique(numbers[:6]), *clique(numbers[6:]), (numbers[0], numbers[6], 1.0)]
    assert sorted(found(12, ties)) == sorted([sorted(numbers[:6]), sorted(numbers[6:])])


def test_small_communities_are_not_lost_in_a_large_network() -> None:
    homes, ties = planted([10] * 200, inside=5, outside=600)
    members = found(2000, ties)
    assert max(len(nodes) for nodes in members) <= 40
    assert sum(Counter(homes[node] for node in nodes).most_common(1)[0][1] for nodes in members) >= 1200


def test_a_hub_that_is_tied_to_all_does_not_make_one_community_of_them() -> None:
    clusters = [range(start, start + 10) for start in range(1, 121, 10)]
    rng = random.Random(3)
    ties = [(0, node, 1.0) for node in range(1, 121)]
    ties += [tie for nodes in clusters for tie in clique(nodes) if rng.random() < 0.6]
    members = found(121, ties)
    assert sorted([node for node in nodes if node] for nodes in members) == [list(nodes) for nodes in clusters]


def test_people_are_grouped_with_the_places_they_go_to() -> None:
    rng = random.Random(4)
    ties = [(person, 60 + person % 4 * 3 + rng.randrange(3), 1.0) for person in range(60) for _ in range(4)]
    ties += [(person, 60 + rng.randrange(12), 1.0) for person in range(0, 60, 6)]
    homes = [person % 4 for person in range(60)] + [place // 3 for place in range(12)]
    assert sorted(found(72, ties)) == sorted(groups(homes))


@pytest.mark.parametrize("seed", [5, 34, 35])
def test_planted_groups_are_found(seed: int) -> None:
    homes, ties = planted([12] * 6, inside=3, outside=40, seed=seed)
    assert sorted(found(72, ties)) == sorted(groups(homes))


def test_planted_groups_of_many_sizes_are_found() -> None:
    homes, ties = planted([10, 15, 20, 25, 30, 40, 60], inside=5, outside=200)
    network = Network.of(200, ties)
    labels = propagate(network)
    assert modularity(network, labels) >= modularity(network, homes) - 0.01
    assert sum(Counter(homes[node] for node in members).most_common(1)[0][1] for members in groups(labels)) >= 190
    assert max(Counter(labels).values()) < 80


def test_no_label_runs_along_a_band() -> None:
    network = Network.of(1000, [(node, (node + step) % 1000, 1.0) for node in range(1000) for step in (1, 2, 3)])
    labels = propagate(network)
    assert modularity(network, labels) > 0.85
    assert max(Counter(labels).values()) < 100


def test_no_community_floods_a_network_that_has_grown_around_hubs() -> None:
    rng = random.Random(5)
    ends, ties = list(range(5)), []
    for node in range(5, 1500):
        near = sorted({rng.choice(ends) for _ in range(5)})
        ties += [(node, other, 1.0) for other in near]
        ends += [node] * len(near) + near
    assert max(len(members) for members in found(1500, ties)) < 150


def test_weights_decide_where_a_node_between_two_groups_belongs() -> None:
    for left, right in ((3.0, 1.0), (1.0, 3.0)):
        ties = [*clique(range(4)), *clique(range(4, 8)), (8, 0, left), (8, 4, right)]
        home = next(members for members in found(9, ties) if 8 in members)
        assert home == ([0, 1, 2, 3, 8] if left > right else [4, 5, 6, 7, 8])


def test_a_start_that_is_as_good_as_any_is_kept() -> None:
    network = Network.of(60, [(node, (node + 1) % 60, 1.0) for node in range(60)])
    for turn in range(10):
        start: list[int | None] = [(node + turn) % 60 // 10 + 100 for node in range(60)]
        assert {tuple(members) for members in groups(propagate(network, start))} == {
            tuple(node for node in range(60) if start[node] == label) for label in set(start)
        }


def test_a_start_is_mended_where_a_node_is_astray_or_new() -> None:
    homes, ties = planted([20] * 6, inside=5, outside=60)
    astray: list[int | None] = list(homes)
    astray[7], astray[8], astray[9] = None, (homes[8] + 1) % 6, (homes[9] + 2) % 6
    assert sorted(groups(propagate(Network.of(120, ties), astray))) == sorted(groups(homes))


def test_a_start_that_does_not_hang_together_is_taken_apart() -> None:
    ties = [*clique(range(3)), *clique(range(3, 6))]
    assert propagate(Network.of(7, ties), [0] * 7) == [0, 0, 0, 1, 1, 1, None]
