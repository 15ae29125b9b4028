"""A memory of 10,000 entities and 50,000 facts that hold: a whole refresh, one entity that joins, reads, room in the file.

What the embedder takes is counted apart. A tenth of the facts are those of one entity that touches everything, as a user does.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from benchmarks import bulk
from benchmarks.communities import graphs
from benchmarks.numbers import spread
from tkgmem import Memory
from tkgmem.communities import found, material, sentences
from tkgmem.communities.found import Found
from tkgmem.communities.propagate import propagate
from tkgmem.protocols import Embedder
from tkgmem.store import aliases, read
from tkgmem.store.clocks import EVERYTHING, At
from tkgmem.store.names import name_key
from tkgmem.testing import FixedClock

if TYPE_CHECKING:
    from tkgmem.protocols import Vectors

Value = TypeVar("Value")
_RELATIONS = ("KNOWS", "WORKS_WITH", "LIKES", "VISITED", "READS", "USES")
_JOINED, _ASKED = 100, 50


class Counted:
    """An embedder that counts the seconds it takes. Implements `Embedder`."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name, self.dimension, self.sha256 = embedder.name, embedder.dimension, embedder.sha256
        self.centres = getattr(embedder, "centres", {})
        self.seconds = 0.0

    def spans(self, text: str) -> list[tuple[int, int]]:
        """As the embedder cuts it."""
        return self._embedder.spans(text)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """What the embedder makes, with the time that took."""
        return self._timed(self._embedder.embed_passages, texts)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """What the embedder makes, with the time that took."""
        return self._timed(self._embedder.embed_queries, texts)

    def _timed(self, embed: Callable[[Sequence[str]], Vectors], texts: Sequence[str]) -> Vectors:
        started = time.perf_counter()
        try:
            return embed(texts)
        finally:
            self.seconds += time.perf_counter() - started

    def apart(self, work: Callable[[], Value]) -> tuple[Value, float, float]:
        """What the work gives, its seconds without the embedder's, and the embedder's."""
        before, started = self.seconds, time.perf_counter()
        value = work()
        embedding = self.seconds - before
        return value, time.perf_counter() - started - embedding, embedding


def told(entities: int, facts: int) -> list[bulk.Told]:
    """Facts between planted groups, 30 in 100 across, a tenth of all those of the first entity."""
    graph, _ = graphs.planted(entities, facts - facts // 10, 0.3)
    chance = random.Random(7)
    ends = [(one, other) for one, other, _ in graph.ties]
    ends += [(0, other) for other in chance.sample(range(1, entities), min(facts // 10, entities - 1))]
    return [
        bulk.Told(one, chance.choice(_RELATIONS), other, 2010 + chance.randrange(15), 0, supersedes=False)
        for one, other in dict.fromkeys(ends)
    ]


def measured(embedder: Embedder, *, quick: bool) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """All of it, in a file that is made for it; and what each that joined took."""
    entities = 200 if quick else 10_000
    counted = Counted(embedder)
    facts = told(entities, 5 * entities)
    said = ["they met"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "wide.db"
        bulk.build(path, len(facts), said, counted.embed_passages(said), counted, told=facts)
        clock = FixedClock(bulk.TOLD + len(facts) * bulk.STEP)
        before = path.stat().st_size
        with Memory(path, embedder=counted, clock=clock) as memory:
            memory.stats()
            report, seconds, embedding = counted.apart(memory.refresh_communities)
            steps = _steps(memory)
        added = path.stat().st_size - before
        with Memory(path, embedder=counted, clock=clock) as memory:
            _, again, _ = counted.apart(lambda: memory.refresh_communities(whole=True))
            networkx = _rivals(memory, runs=graphs.seeds(quick=quick))
            reads = _reads(memory, counted, facts, 5 if quick else _ASKED)
            joined = list(_joining(memory, counted, entities, 5 if quick else _JOINED))
            largest = len(memory.communities(limit=1)[0].members)
    return {
        "entities": entities,
        "facts": len(facts),
        "whole_refresh_seconds": round(seconds, 2),
        "of_which_seconds": steps | {"the_rest_with_writing": round(max(0.0, seconds - sum(steps.values())), 2)},
        "whole_refresh_again_seconds": round(again, 2),
        "embedding_of_summaries_seconds": round(embedding, 2),
        "communities": report.communities,
        "largest": largest,
        "bytes_of_communities": added,
        "modularity": round(report.modularity, 4),
        "networkx": networkx,
        "joining_ms": {what: _spread([one[what] for one in joined]) for what in joined[0] if what != "facts"},
        "reads_ms": reads,
    }, joined


def _steps(memory: Memory) -> dict[str, float]:
    """The parts of a whole refresh that only read, each made once more by itself: seconds."""
    with memory._store.read() as db:  # noqa: SLF001 - the parts alone, which no public call gives
        [group] = read.group_ids(db, [memory.group])
        at = At([group], memory._now())  # noqa: SLF001
        whole, of_graph = _seconds(lambda: found.graph(db, group, valid_at=at.valid_at, known_at=at.known_at))
        labels, of_labels = _seconds(lambda: propagate(whole.network))
        several = [Found("", group, members) for members in whole.groups(labels)]
        materials, of_summaries = _seconds(lambda: material.of_communities(db, at, several))
        _, of_texts = _seconds(lambda: [sentences.text_of(what.lines) for what in materials])
    return {"graph": of_graph, "propagation": of_labels, "summaries": round(of_summaries + of_texts, 2)}


def _seconds(work: Callable[[], Value]) -> tuple[Value, float]:
    started = time.perf_counter()
    value = work()
    return value, round(time.perf_counter() - started, 2)


def _rivals(memory: Memory, runs: int) -> dict[str, Any]:
    """The same graph by networkx."""
    with memory._store.read() as db:  # noqa: SLF001 - the graph as it is stored, which no public call gives
        [group] = read.group_ids(db, [memory.group])
        whole = found.graph(db, group, valid_at=memory._now(), known_at=EVERYTHING)  # noqa: SLF001
    ties = [
        (one, other, float(weight))
        for one, near in enumerate(whole.network.neighbours)
        for other, weight in near.items()
        if one < other
    ]
    compared = graphs.compared(graphs.Graph(len(whole.nodes), ties), runs)
    return {name: compared[name] for name in ("asyn_lpa", "louvain")}


def _joining(memory: Memory, counted: Counted, entities: int, number: int) -> Iterator[dict[str, Any]]:
    """One entity after the other comes with 1 to 5 facts: read before it is kept, then kept. Milliseconds."""
    chance = random.Random(11)
    for new in range(number):
        name, facts = f"Newcomer {new}", chance.randint(1, 5)
        for _ in range(facts):
            memory.add_fact(name, chance.choice(_RELATIONS), bulk.name(chance.randrange(1, entities)))
        home, placing, _ = counted.apart(partial(_placed, memory, name))
        where, reading, _ = counted.apart(partial(memory.communities, entity=name))
        assert home, f"{name} is in no community"
        assert where, f"{name} is in no community"
        report, keeping, embedding = counted.apart(partial(memory.refresh_communities, whole=False))
        assert report.joined == 1, f"{name} did not join"
        yield {
            "facts": facts,
            "placed": round(placing * 1_000, 2),
            "read_with_its_community": round(reading * 1_000, 2),
            "kept_by_a_refresh": round(keeping * 1_000, 2),
            "embedding_of_the_summary": round(embedding * 1_000, 2),
        }


def _placed(memory: Memory, name: str) -> dict[int, int]:
    """Where an entity belongs that is not kept yet, without what holds there."""
    with memory._store.read() as db:  # noqa: SLF001 - the joining alone, which no public call gives
        [group] = read.group_ids(db, [memory.group])
        [rows] = aliases.called(db, group, [name_key(name)], EVERYTHING).values()
        return found.joining(db, group, sorted(rows), None, valid_at=memory._now())  # noqa: SLF001


def _reads(memory: Memory, counted: Counted, facts: Sequence[bulk.Told], number: int) -> dict[str, Any]:
    """What reading takes without the embedder, milliseconds."""
    chance = random.Random(13)
    asked = [bulk.name(chance.choice(facts).source) for _ in range(number)]
    return {
        "communities, the 50 largest": _timed(counted, [memory.communities] * max(3, number * 2 // 5)),
        "summary of an entity": _timed(counted, [partial(memory.summary, name) for name in asked]),
        "search": _timed(
            counted, [partial(memory.search, f"what is going on around {name}", scopes=["communities"]) for name in asked]
        ),
    }


def _timed(counted: Counted, works: Iterable[Callable[[], object]]) -> dict[str, float]:
    return _spread([counted.apart(work)[1] * 1_000 for work in works])


def _spread(samples: Sequence[float]) -> dict[str, float]:
    return {**spread(samples), "worst": round(max(samples), 3)}
