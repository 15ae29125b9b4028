"""Label propagation on known graphs, beside networkx: modularity, number of communities, the largest, seconds.

networkx is a development dependency. Of its asynchronous label propagation the run with the median modularity counts; Louvain
is not asked about the ring, where that takes minutes.
"""

from __future__ import annotations

import random
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from tkgmem.communities.propagate import Network, modularity, propagate

Tie = tuple[int, int, float]
Labels = list[int | None]


class Graph(NamedTuple):
    """Nodes from 0, and what ties them."""

    size: int
    ties: list[Tie]


def seeds(*, quick: bool) -> int:
    """How often networkx's label propagation is run."""
    return 3 if quick else 10


def measured(*, quick: bool) -> dict[str, Any]:
    """Every graph by every method."""
    return {
        name: compared(make(), seeds(quick=quick), louvain=not name.startswith("ring")) for name, make in cases(quick=quick)
    }


def compared(graph: Graph, runs: int, *, louvain: bool = True) -> dict[str, Any]:
    """A graph by tkgmem and networkx. The same pass is made twice, and has to give the same."""
    nx = _networkx()
    network = Network.of(graph.size, graph.ties)
    labels, seconds = _timed(lambda: propagate(network))
    found = {"tkgmem": {**_row(network, labels, seconds), "same_twice": propagate(network) == labels}}
    theirs = nx.Graph()
    theirs.add_nodes_from(range(graph.size))
    for one, other, weight in graph.ties:
        before = theirs[one][other]["weight"] if theirs.has_edge(one, other) else 0.0
        theirs.add_edge(one, other, weight=before + weight)
    spread = []
    for seed in range(runs):
        labels, seconds = _timed(
            lambda seed=seed: _of_sets(graph.size, nx.community.asyn_lpa_communities(theirs, "weight", seed=seed))
        )
        spread.append((modularity(network, labels), labels, seconds))
    spread.sort(key=lambda one: one[0])
    median = spread[len(spread) // 2]
    found["asyn_lpa"] = {
        **_row(network, median[1], statistics.median(one[2] for one in spread)),
        "modularity_from_to": [round(spread[0][0], 4), round(spread[-1][0], 4)],
    }
    if louvain:
        labels, seconds = _timed(lambda: _of_sets(graph.size, nx.community.louvain_communities(theirs, seed=0)))
        found["louvain"] = _row(network, labels, seconds)
    return found


def _networkx() -> Any:
    try:
        import networkx as nx
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("networkx is not installed; `pip install 'tkgmem[dev]'` brings it") from error
    return nx


def _row(network: Network, labels: Labels, seconds: float) -> dict[str, Any]:
    sizes = sorted(Counter(label for label in labels if label is not None).values())
    return {
        "modularity": round(modularity(network, labels), 4),
        "communities": len(sizes),
        "largest": sizes[-1],
        "seconds": round(seconds, 3),
    }


def _of_sets(size: int, sets: Iterable[Iterable[int]]) -> Labels:
    labels: Labels = [None] * size
    for label, members in enumerate(sets):
        for node in members:
            labels[node] = label
    return labels


def _timed(make: Callable[[], Labels]) -> tuple[Labels, float]:
    started = time.perf_counter()
    labels = make()
    return labels, time.perf_counter() - started


# --- the graphs ---


def cases(*, quick: bool) -> list[tuple[str, Callable[[], Graph]]]:
    """The graphs by name."""
    large = 200 if quick else 10_000
    found: list[tuple[str, Callable[[], Graph]]] = [
        ("two nodes, two ties", lambda: Graph(2, [(0, 1, 1.0), (0, 1, 1.0)])),
        (f"ring of {large:,}", lambda: Graph(large, [(node, (node + 1) % large, 1.0) for node in range(large)])),
        ("star of 1,000", lambda: Graph(1_000, [(0, node, 1.0) for node in range(1, 1_000)])),
        ("two cliques of 8 with a bridge", lambda: Graph(16, [*_clique(0, 8), *_clique(8, 8), (0, 8, 1.0)])),
        ("one person who knows all of 12 circles", _ego),
        ("600 people, 60 places", _places),
    ]
    found += [
        (f"planted, {share:.0%} across", lambda share=share: planted(large, 5 * large, share)[0]) for share in (0.1, 0.3, 0.5)
    ]
    return found + [
        (name, lambda make=make: _of_networkx(make)) for name, make in _THEIRS.items() if not quick or "karate" in name
    ]


def _clique(first: int, size: int) -> list[Tie]:
    return [(one, other, 1.0) for one in range(first, first + size) for other in range(one + 1, first + size)]


def _ego(clusters: int = 12, size: int = 15, share: float = 0.4) -> Graph:
    chance = random.Random(2)
    count = clusters * size + 1
    ties = [(0, node, 1.0) for node in range(1, count)]
    for start in range(1, count, size):
        nodes = range(start, start + size)
        ties += [(one, other, 1.0) for one in nodes for other in nodes if one < other and chance.random() < share]
    return Graph(count, ties)


def _places(people: int = 600, places: int = 60, visits: int = 4, groups: int = 20) -> Graph:
    chance = random.Random(6)
    each = places // groups
    ties = []
    for person in range(people):
        for _ in range(visits):
            own = person % groups * each + chance.randrange(each)
            ties.append((person, people + (own if chance.random() < 0.8 else chance.randrange(places)), 1.0))
    return Graph(people + places, ties)


def planted(size: int, count: int, across: float, seed: int = 1) -> tuple[Graph, list[int]]:
    """Groups of 10 to 80 nodes, with the group of each. across: the share of ties whose other end is drawn from everywhere."""
    chance = random.Random(seed)
    homes: list[int] = []
    while len(homes) < size:
        homes += [homes[-1] + 1 if homes else 0] * min(size - len(homes), chance.choice((10, 10, 15, 20, 30, 50, 80)))
    members: dict[int, list[int]] = {}
    for node, home in enumerate(homes):
        members.setdefault(home, []).append(node)
    ties: dict[tuple[int, int], float] = {}
    while len(ties) < count:
        one = chance.randrange(size)
        other = chance.randrange(size) if chance.random() < across else chance.choice(members[homes[one]])
        if one != other:
            ties[min(one, other), max(one, other)] = float(chance.choice((1, 1, 1, 2, 3)))
    return Graph(size, [(one, other, weight) for (one, other), weight in ties.items()]), homes


_THEIRS: dict[str, Callable[[Any], Any]] = {
    "Zachary's karate club": lambda nx: nx.karate_club_graph(),
    "Les Misérables": lambda nx: nx.les_miserables_graph(),
    "Barabási-Albert 2,000": lambda nx: nx.barabasi_albert_graph(2_000, 3, seed=4),
    "Watts-Strogatz 1,000": lambda nx: nx.watts_strogatz_graph(1_000, 6, 0.05, seed=5),
}


def _of_networkx(make: Callable[[Any], Any]) -> Graph:
    graph = make(_networkx())
    number = {name: place for place, name in enumerate(graph)}
    ties = [(number[one], number[other], float(data.get("weight", 1))) for one, other, data in graph.edges(data=True)]
    return Graph(len(number), ties)
