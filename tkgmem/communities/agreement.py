"""Two partitions of the same nodes: how much worse one is, how many nodes differ, which community continues which. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from tkgmem.communities.propagate import Network, modularity

Old = TypeVar("Old")
New = TypeVar("New")


def drift(network: Network, kept: Sequence[int | None], full: Sequence[int | None]) -> float:
    """How much higher the modularity of a full pass is than that of the labels that were kept; 0.0 where it is not higher."""
    return max(0.0, modularity(network, full) - modularity(network, kept))


def moved(kept: Sequence[int | None], full: Sequence[int | None]) -> float:
    """The share of the nodes in a community of `full` that are elsewhere in `kept`, 0 to 1; communities paired by overlap.

    >>> moved([5, 5, 5, 9, 9, None], [0, 0, 0, 0, 1, None])
    0.2
    """
    before, after = _members(kept), _members(full)
    nodes = sum(len(members) for members in after.values())
    same = sum(shared for shared, _, _ in _one_to_one(_overlaps(before, after)))
    return (nodes - same) / nodes if nodes else 0.0


def matched(before: Mapping[Old, Collection[Hashable]], after: Mapping[New, Collection[Hashable]]) -> dict[New, Old]:
    """Which community of `before` each of `after` continues: one of each at most, those that share most members first.

    A community continues another only if they share at least half of the members of the smaller; at a tie, those that stand
    first in their mappings. What continues none is left out: it is new.

    >>> matched({"work": {1, 2, 3}, "home": {4, 5}}, {0: {1, 2, 3, 4}, 1: {5, 6}})
    {0: 'work', 1: 'home'}
    """
    half = [
        (shared, old, new)
        for shared, old, new in _overlaps(before, after)
        if 2 * shared >= min(len(set(before[old])), len(set(after[new])))
    ]
    return {new: old for _, old, new in _one_to_one(half)}


def _members(labels: Sequence[int | None]) -> dict[int, list[int]]:
    members: dict[int, list[int]] = defaultdict(list)
    for node, label in enumerate(labels):
        if label is not None:
            members[label].append(node)
    return members


def _overlaps(
    before: Mapping[Old, Collection[Hashable]], after: Mapping[New, Collection[Hashable]]
) -> list[tuple[int, Old, New]]:
    """Pairs that share a member, with how many they share; most first, then in the order of the mappings."""
    homes: dict[Hashable, Old] = {member: old for old, members in before.items() for member in members}
    found = []
    for new, members in after.items():
        shared = Counter(homes[member] for member in set(members) if member in homes)
        found += [(count, old, new) for old, count in shared.items()]
    places = {old: place for place, old in enumerate(before)}, {new: place for place, new in enumerate(after)}
    return sorted(found, key=lambda pair: (-pair[0], places[0][pair[1]], places[1][pair[2]]))


def _one_to_one(pairs: Iterable[tuple[int, Old, New]]) -> list[tuple[int, Old, New]]:
    olds: set[Old] = set()
    news: set[New] = set()
    taken = []
    for shared, old, new in pairs:
        if old not in olds and new not in news:
            olds.add(old)
            news.add(new)
            taken.append((shared, old, new))
    return taken
