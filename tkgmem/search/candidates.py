"""Candidates: each method gives one named ranked list of rows, and sees only what is visible at the two clocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tkgmem.store import aliases, facts, lexical, vectors
from tkgmem.store.clocks import view_claims, view_names, view_nodes
from tkgmem.store.connection import Connection
from tkgmem.store.vectors import Neighbours

Ranked = dict[str, list[int]]


@dataclass(frozen=True, slots=True)
class Question:
    """A question at two clocks. neighbours: None where it holds no word to embed. limit: how many hits are wanted."""

    text: str
    neighbours: Neighbours | None
    groups: Sequence[int]
    valid_at: int
    known_at: int
    include_ended: bool
    limit: int

    @property
    def depth(self) -> int:
        """How far down each list goes, so that fusion and duplicates leave enough."""
        return max(50, 3 * self.limit)


def of_episodes(db: Connection, question: Question) -> Ranked:
    """Rows of episodes, by BM25 and by cosine."""
    view = view_nodes("episodes", question.groups, known_at=question.known_at)
    lists = {"bm25": lexical.search_episodes(db, question.text, view, question.depth)}
    if question.neighbours is not None:
        lists["cosine"] = vectors.search_episodes(db, question.neighbours, view, question.depth)
    return lists


def of_facts(db: Connection, question: Question) -> Ranked:
    """Rows of facts, by BM25 and by cosine over every claim's text; a fact's best claim counts."""
    view = view_claims(
        question.groups, valid_at=question.valid_at, known_at=question.known_at, include_ended=question.include_ended
    )
    lists = {"bm25": _facts(db, question, lambda limit: lexical.search_claims(db, question.text, view, limit))}
    near = question.neighbours
    if near is not None:
        lists["cosine"] = _facts(db, question, lambda limit: vectors.search_claims(db, near, view, limit))
    return lists


def of_entities(db: Connection, question: Question) -> Ranked:
    """Rows of entities, by BM25 over the names they go by; an entity's best name counts."""
    view = view_names(question.groups, known_at=question.known_at)
    return {"bm25": _entities(db, question, lambda limit: lexical.search_names(db, question.text, view, limit))}


def _facts(db: Connection, question: Question, search: Callable[[int], list[int]]) -> list[int]:
    """The facts of the claims found."""
    return _owners(question, search, lambda claims: facts.supported_facts(db, claims, question.known_at))


def _entities(db: Connection, question: Question, search: Callable[[int], list[int]]) -> list[int]:
    """The entities that go by the names found."""
    return _owners(question, search, lambda names: aliases.named(db, names, question.known_at))


def _owners(
    question: Question, search: Callable[[int], list[int]], owner_of: Callable[[list[int]], dict[int, int]]
) -> list[int]:
    """What the rows found belong to, each once; one that has many rows does not push others out."""
    limit = question.depth
    while True:
        rows = search(limit)
        owners = owner_of(rows)
        found = _unique(owners[row] for row in rows if row in owners)
        if len(found) >= question.limit or len(rows) < limit or limit >= vectors.MAX_K:
            return found
        limit = min(vectors.MAX_K, limit * 4)


def _unique(rows: Iterable[int]) -> list[int]:
    return list(dict.fromkeys(rows))
