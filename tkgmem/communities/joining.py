"""New nodes join the communities there are: the cost follows their own ties, never the size of the network. Pure."""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from tkgmem.communities.propagate import Network, propagate

_NONE: Mapping[int, float] = MappingProxyType({})


def majority(ties: Mapping[int, float], labels: Mapping[int, int]) -> int | None:
    """The label with most weight among a node's neighbours, the lowest at a tie; None where no neighbour has one.

    ties: what the tie to each neighbour weighs. labels: those of the neighbours that have one; others in it do not matter.

    >>> majority({4: 1.0, 5: 1.0, 6: 1.5}, {4: 0, 5: 0, 6: 1})
    0
    """
    weights: dict[int, list[float]] = defaultdict(list)
    for other, weight in ties.items():
        if (label := labels.get(other)) is not None:
            weights[label].append(weight)
    return min(weights, key=lambda label: (-math.fsum(weights[label]), label), default=None)


def join(
    new: Sequence[int], ties: Mapping[int, Mapping[int, float]], labels: Mapping[int, int], *, first: int
) -> dict[int, int]:
    """The labels of new nodes: each takes the weighted majority of its neighbours, in the order given.

    ties: the neighbours of each new node; a tie between two new ones stands at both. labels: those of the nodes that are no
    new ones, as far as they are neighbours; they stay as they are. A node without a neighbour in a community waits until
    one of its neighbours is in one. New nodes that are tied to each other only become communities of their own by `propagate`,
    numbered from `first`, which is above every label there is. A node without ties is left out.

    Raises ValueError for a tie of the latter whose weight is not a positive finite number.

    >>> join([7, 8, 9], {7: {8: 1.0}, 8: {7: 1.0, 2: 1.0}}, {2: 5}, first=6)
    {8: 5, 7: 5}
    """
    waiting = dict.fromkeys(new)
    joined: dict[int, int] = {}
    turn = deque(waiting)
    while turn:
        node = turn.popleft()
        if node in joined:
            continue
        row = ties.get(node, _NONE)
        near = {other: joined.get(other) if other in waiting else labels.get(other) for other in row}
        label = majority(row, {other: one for other, one in near.items() if one is not None})
        if label is not None:
            joined[node] = label
            turn.extend(other for other in row if other in waiting and other not in joined)
    return joined | _among([node for node in waiting if node not in joined], ties, first)


def _among(nodes: Sequence[int], ties: Mapping[int, Mapping[int, float]], first: int) -> dict[int, int]:
    numbers = {node: number for number, node in enumerate(nodes)}
    between = (
        (numbers[node], numbers[other], weight)
        for node in nodes
        for other, weight in ties.get(node, _NONE).items()
        if other in numbers and numbers[node] < numbers[other]
    )
    found = propagate(Network.of(len(nodes), between))
    return {node: first + label for node, label in zip(nodes, found, strict=True) if label is not None}
