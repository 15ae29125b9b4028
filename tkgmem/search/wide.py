"""Communities as candidates: by the words and the meaning of their names and summaries, and by where the facts found lead.

What is searched are the versions of their summaries that stood at the asked system time. So that a community is found whose
summary has no room for what is asked, those in which the best facts lie are a list too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tkgmem.search.candidates import Candidates, Search
from tkgmem.search.fuse import Fused, Scored
from tkgmem.search.walk import entity_hops
from tkgmem.store import lexical, partition, summaries, summary_likeness
from tkgmem.store.connection import Connection
from tkgmem.store.vectors import Neighbours
from tkgmem.store.walk import Seen, ends

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

STAGE = "communities"
"""What is named as left out where a group keeps none."""
_FACTS = 20
"""Of the best facts, those that lead to communities."""


def candidates(search: Search, named: Sequence[Scored], facts: Sequence[Fused]) -> Candidates:
    """The communities (rows) that the methods find, those of which something holds at the asked clocks.

    named: the entities that the question names. facts: those found, best first. Where hits must meet conditions, a community
    is seen if facts found lead to it.
    """
    question, db, budget = search.question, search.db, search.budget
    if not partition.any_kept(db, question.groups, question.known_at):
        budget.skip(STAGE)
        return Candidates()
    found = Candidates()
    view = summaries.view(question.groups, question.known_at)
    words = lexical.words(db, "summary_text", question.text)
    near = question.neighbours if "cosine" in question.recipe.methods else None
    listed = search.words(words, view) if "bm25" in question.recipe.methods else []
    meant: list[Scored] = []
    if near is not None and budget.enough("cosine"):
        meant = summary_likeness.nearest(db, near, view)
    by_words, most = dict(listed), words.most
    also = {row: 0.0 for row, _ in meant[: question.depth] if row not in by_words}
    if "bm25" in question.recipe.methods:
        found.lists["bm25"] = listed
        if words.terms:
            also |= {row: score / most for row, score in lexical.scores(db, words, list(also)).items()}
            found.more["bm25"] = also
    if meant:
        found.lists["cosine"] = meant[: question.depth]
        found.more["cosine"] = dict(meant[question.depth :])
    owner = summaries.owners(db, sorted({row for rows in found.lists.values() for row, _ in rows} | set(dict(meant))))
    found = Candidates(
        {name: _owned(rows, owner) for name, rows in found.lists.items()},
        {name: dict(_owned(list(given.items()), owner)) for name, given in found.more.items()},
    )
    if "graph" in question.recipe.methods or question.conditions is not None:
        found.lists["graph"] = _led_to(search, named, facts)
    return _visible(search, found)


def _led_to(search: Search, named: Sequence[Scored], facts: Sequence[Fused]) -> list[Scored]:
    """The communities that the best facts, and what the question names, lie in: each with its share of their scores."""
    db, question = search.db, search.question
    best = {one.row: one.score for one in facts[:_FACTS] if one.score > 0}
    at = ends(db, question.versions(), best)
    weights: dict[int, float] = defaultdict(float)
    for row, score in best.items():
        for entity in sorted(at.get(row, ())):
            weights[entity] += score / 2
    for entity, score in named:
        weights[entity] += score
    homes = partition.homes(db, sorted(weights), question.known_at)
    found: dict[int, float] = defaultdict(float)
    for entity, home in sorted(homes.items()):
        found[home] += weights[entity]
    total = sum(weights.values())
    return sorted(((row, score / total) for row, score in found.items()), key=lambda item: (-item[1], item[0]))


def _visible(search: Search, found: Candidates) -> Candidates:
    """Only communities of which something holds at the asked clocks, and that meet the conditions."""
    question = search.question
    rows = {row for listed in found.lists.values() for row, _ in listed}
    if question.conditions is not None:
        rows = {row for row, _ in found.lists["graph"]}
    until = question.valid_at + 1 if question.until is None else question.until
    seen = partition.alive(search.db, sorted(rows), valid_at=question.valid_at, until=until, known_at=question.known_at)
    return Candidates(
        {name: [(row, score) for row, score in listed if row in seen] for name, listed in found.lists.items()},
        {name: {row: score for row, score in given.items() if row in seen} for name, given in found.more.items()},
    )


def hops(db: Connection, ways: Seen, centre: int, rows: Sequence[int], known_at: int) -> Mapping[int, int]:
    """How far from a centre the nearest member of each community is; of those that can be reached."""
    members = partition.members(db, rows, known_at)
    near = entity_hops(db, ways, centre, sorted({entity for some in members.values() for entity in some}))
    reached = {row: [near[entity] for entity in some if entity in near] for row, some in members.items()}
    return {row: min(some) for row, some in reached.items() if some}


def vectors(
    db: Connection, near: Neighbours | None, groups: Sequence[int], known_at: int, rows: Sequence[int]
) -> tuple[NDArray[np.float32], dict[int, int]]:
    """The vectors of communities, one a row of a matrix, and where each stands."""
    import numpy as np

    if near is None:
        return np.empty((0, 0), dtype=np.float32), {}
    versions = {version.id: row for row, version in summaries.of_communities(db, rows, known_at).items()}
    found = summary_likeness.vectors_of(db, near, summaries.view(groups, known_at), list(versions))
    placed = sorted(found)
    return np.array([found[row] for row in placed], dtype=np.float32), {
        versions[row]: place for place, row in enumerate(placed)
    }


def _owned(rows: Sequence[Scored], owner: Mapping[int, int]) -> list[Scored]:
    return [(owner[row], score) for row, score in rows if row in owner]
