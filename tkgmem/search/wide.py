"""Communities as candidates: by the words and the meaning of their names and summaries, and by where the facts found lead.

What is searched are the versions of their summaries that stood at the asked system time. So that a community is found whose
summary has no room for what is asked, those in which the best facts lie are a list too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from tkgmem.communities import found
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
"""What is named as left out where one of the groups keeps none."""
_FACTS = 20
"""Of the best facts, those that lead to communities."""
_MEETING = 2_000
"""Versions that meet the conditions: of so few, their communities are looked up; of more, most communities have one."""


def candidates(search: Search, named: Sequence[Scored], facts: Sequence[Fused]) -> Candidates:
    """The communities (rows) that the methods find, those at a member of which the question sees a fact at its instant.

    named: the entities that the question names. facts: those found, best first.
    """
    question, db, budget = search.question, search.db, search.budget
    kept = partition.keeping(db, question.groups, question.known_at)
    if not kept.issuperset(question.groups):
        budget.skip(STAGE)
    if not kept:
        return Candidates()
    among = None
    if question.conditions is not None:
        arms = question.conditions.arms()
        among = search.timed("bm25", lambda: partition.of_few(db, question.holding(), arms, _MEETING))
    texts = _by_texts(search, among)
    rows = {row for listed in texts.lists.values() for row, _ in listed}
    owner = summaries.owners(db, sorted(rows.union(*texts.more.values())))
    lists = Candidates(
        {name: _owned(listed, owner) for name, listed in texts.lists.items()},
        {name: dict(_owned(list(given.items()), owner)) for name, given in texts.more.items()},
    )
    if "graph" in question.recipe.methods and budget.enough("graph"):
        lists.lists["graph"] = search.timed("graph", lambda: _led_to(search, named, facts)) or []
    return lists


def _by_texts(search: Search, among: Collection[int] | None) -> Candidates:
    """Versions of summaries by words and by meaning, each list with the scores of what the other one holds.

    among: the communities that are seen, where that is known.
    """
    question, db = search.question, search.db
    seen = question.holding() if among is None else None
    view = summaries.view(question.groups, question.known_at, among=among, seen=seen)
    words = lexical.words(db, "summary_text", question.text)
    near = question.neighbours if "cosine" in question.recipe.methods else None
    texts = Candidates()
    if "bm25" in question.recipe.methods:
        texts.lists["bm25"] = search.words(words, view)
    if near is None or not search.budget.enough("cosine"):
        return texts
    every = summaries.view(question.groups, question.known_at)  # what a text is like goes by all there are
    meant = search.timed("cosine", lambda: summary_likeness.nearest(db, near, every)) or []
    score = dict(meant)
    visible = search.timed("cosine", lambda: view.first(db, [row for row, _ in meant], question.depth)) or []
    texts.lists["cosine"] = [(row, score[row]) for row in visible]
    texts.more["cosine"] = score
    if "bm25" in texts.lists:
        texts.more["bm25"] = search.shares(words, visible)
    return texts


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
    homes = found.homes_at(db, sorted(weights), question.known_at)
    given: dict[int, float] = defaultdict(float)
    for entity, home in sorted(homes.items()):
        given[home] += weights[entity]
    alive = partition.alive(db, sorted(given), question.holding())
    total = sum(weights.values())
    shares = ((row, score / total) for row, score in given.items() if row in alive)
    return sorted(shares, key=lambda item: (-item[1], item[0]))


def hops(db: Connection, ways: Seen, centre: int, rows: Sequence[int], known_at: int) -> Mapping[int, int]:
    """How far from a centre the nearest member of each community is; of those that can be reached."""
    homes = found.homes_of(db, rows, known_at)
    reached: dict[int, int] = {}
    for entity, away in entity_hops(db, ways, centre, sorted(homes)).items():
        reached[homes[entity]] = min(away, reached.get(homes[entity], away))
    return reached


def vectors(
    db: Connection, near: Neighbours | None, groups: Sequence[int], known_at: int, rows: Sequence[int]
) -> tuple[NDArray[np.float32], dict[int, int]]:
    """The vectors of communities, one a row of a matrix, and where each stands."""
    import numpy as np

    if near is None:
        return np.empty((0, 0), dtype=np.float32), {}
    versions = {version.id: row for row, version in summaries.of_communities(db, rows, known_at).items()}
    placed = summary_likeness.vectors_of(db, near, summaries.view(groups, known_at), list(versions))
    order = sorted(placed)
    return np.array([placed[row] for row in order], dtype=np.float32), {versions[row]: place for place, row in enumerate(order)}


def _owned(rows: Sequence[Scored], owner: Mapping[int, int]) -> list[Scored]:
    return [(owner[row], score) for row, score in rows if row in owner]
