"""The graph walk: from entities along the facts that a question sees, both ways; what it reaches, how far, and its worth.

Breadth first, each fact is crossed once. The hops of an entity are the facts between it and the nearest start, those of a fact
are those of its nearer end: a fact at a start has 0. Bounds on facts hold the cost; nothing depends on the order of hashes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from tkgmem.store.connection import Connection
from tkgmem.store.walk import Seen, ends, steps

EACH, MOST, MOST_LOOKED_FOR = 50, 300, 600
"""Bounds: versions looked up at one entity in each direction, and facts after which no further entity is entered; the last
where distances are measured.
"""

_FADE = 0.5


class Reached(NamedTuple):
    """Rows of facts, or of entities: the hops from the nearest start, and how much of the starts' weight came there."""

    hops: dict[int, int]
    scores: dict[int, float]

    def ranked(self, limit: int) -> list[tuple[int, float]]:
        """The rows and their scores, best first; at a tie the one recorded last.

        >>> Reached({3: 0, 4: 1, 5: 0}, {3: 0.5, 4: 0.2, 5: 0.5}).ranked(2)
        [(5, 0.5), (3, 0.5)]
        """
        return sorted(self.scores.items(), key=lambda item: (-item[1], -item[0]))[:limit]


class Walk(NamedTuple):
    """What a walk reached: facts, and the entities at their ends. whole: False where the bound on all facts cut it short."""

    facts: Reached
    entities: Reached
    whole: bool


def walk(
    db: Connection, seen: Seen, starts: Iterable[tuple[int, float]], *, depth: int = 2, each: int = EACH, most: int = MOST
) -> Walk:
    """Walk `depth` facts far from entities (row, weight), of which only the relative size of the weights counts.

    A fact is worth the weight at the end it is met from, divided by the square root of the number of facts seen there; half
    of that goes on to its other end, where all that arrives adds up. A fact met from both ends at once is worth both. So
    worth falls with each hop and at hubs, and rises where starts meet. This is spreading activation (Collins and Loftus,
    1975) with a fan effect (Anderson, 1974), cut off after `depth` steps; unlike in personalised PageRank nothing flows
    back, so it takes neither iteration nor the whole graph. The root, where PageRank divides by the number itself, leaves
    some weight beyond an entity with many facts: the person whose memory this is has most of them. Heavier entities are
    entered first, so that `most` leaves out the lightest.
    """
    weights = _shares(starts)
    facts, entities, frontier, whole = Reached({}, {}), Reached({}, {}), weights, True
    for hop in range(depth):
        onward: dict[int, float] = {}
        for entity, near in steps(db, seen, sorted(frontier, key=lambda row: (-frontier[row], row)), each=each):
            if len(facts.hops) >= most:
                whole = False
                break
            if near:
                entities.hops.setdefault(entity, hop)
                share = frontier[entity] / len(near) ** 0.5
                for fact, other in near.items():
                    if facts.hops.setdefault(fact, hop) == hop:
                        facts.scores[fact] = facts.scores.get(fact, 0.0) + share
                        if other != entity:
                            onward[other] = onward.get(other, 0.0) + share * _FADE
        _add(entities.scores, onward.items())
        frontier = {row: weight for row, weight in onward.items() if entities.hops.setdefault(row, hop + 1) == hop + 1}
        if not whole:
            break
    _add(entities.scores, ((entity, weight) for entity, weight in weights.items() if entity in entities.hops))
    return Walk(facts, entities, whole)


def _add(scores: dict[int, float], more: Iterable[tuple[int, float]]) -> None:
    for row, score in more:
        scores[row] = scores.get(row, 0.0) + score


def _shares(starts: Iterable[tuple[int, float]]) -> dict[int, float]:
    """The weight of each entity to start from, as a share of all; those without weight are left out."""
    weights: dict[int, float] = {}
    _add(weights, ((entity, weight) for entity, weight in starts if weight > 0))
    total = sum(weights.values())
    return {entity: weight / total for entity, weight in weights.items()}


def entity_hops(
    db: Connection,
    seen: Seen,
    centre: int,
    entities: Collection[int],
    *,
    depth: int = 6,
    each: int = EACH,
    most: int = MOST_LOOKED_FOR,
) -> dict[int, int]:
    """Hops from a centre to each of these entities (rows), 0 for itself; one not reached within the bounds is absent.

    It goes out from the centre, and one step in from those still looked for, until they meet. No distance is too short; one may
    be too long, or missing, where the way leads into and out of a hub with more than `each` facts, or over more than `most`.
    """
    hops, read = {centre: 0}, 0
    frontier, beside = [centre], dict[int, set[int]]()
    for hop in range(1, depth + 1):
        if hop == 2:  # most of what is asked for is beside the centre: then nothing else is looked up
            missing = [entity for entity in dict.fromkeys(entities) if entity not in hops]
            beside = {entity: set(near.values()) for entity, near in steps(db, seen, missing, each=each)}
            frontier += _met(hops, beside, 1)
        met = _met(hops, beside, hop)
        if all(entity in hops for entity in entities):
            break
        onward: list[int] = []
        for _, near in steps(db, seen, frontier, each=each):
            if read >= most:
                break
            read += len(near)
            for other in near.values():
                if other not in hops:
                    hops[other] = hop
                    onward.append(other)
        frontier = onward + met
    return {entity: hops[entity] for entity in entities if entity in hops}


def _met(hops: dict[int, int], beside: Mapping[int, set[int]], hop: int) -> list[int]:
    """Those of no distance yet that are beside something one hop nearer than `hop`; that is then their distance."""
    met = [row for row, others in beside.items() if row not in hops and any(hops.get(other) == hop - 1 for other in others)]
    hops.update(dict.fromkeys(met, hop))
    return met


def fact_hops(
    db: Connection,
    seen: Seen,
    centre: int,
    facts: Collection[int],
    *,
    depth: int = 6,
    each: int = EACH,
    most: int = MOST_LOOKED_FOR,
) -> dict[int, int]:
    """Hops from a centre to each of these facts (rows), 0 for one at the centre itself (see `entity_hops`).

    Announcements without a date are found by their ends; no way leads through them.
    """
    at = ends(db, seen, facts)
    wanted = dict.fromkeys(entity for fact in facts for entity in sorted(at.get(fact, ())))
    hops = entity_hops(db, seen, centre, wanted, depth=depth, each=each, most=most)
    near = {fact: [hops[entity] for entity in at.get(fact, ()) if entity in hops] for fact in facts}
    return {fact: min(found) for fact, found in near.items() if found}
