"""Candidates: each method gives one named ranked list of rows, and sees only what is visible at the two clocks.

Words come first: they cost least. What there is no time for is named by the budget.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from tkgmem.search.budget import Budget
from tkgmem.search.fuse import Scored, by_scores
from tkgmem.search.named import named_entities
from tkgmem.search.question import Question
from tkgmem.search.walk import Walk, walk
from tkgmem.store import aliases, facts, identity, lexical, read, vectors
from tkgmem.store.bm25 import Words
from tkgmem.store.clocks import View, told_within
from tkgmem.store.connection import Connection
from tkgmem.store.limit import OutOfTime, time_limit
from tkgmem.store.shelves import Kind
from tkgmem.store.walk import ends

Owner = Callable[[list[int]], dict[int, int]]
"""Which fact, entity or episode some rows belong to; rows that belong to none are left out."""

Value = TypeVar("Value")

_STARTS, _BY_FACT = 5, 0.5
"""How many of the entities and of the facts found so far the walk starts from, and what a start by a fact weighs beside one by
name."""
_MOST = 4_096  # rows of one list
_WALK_MS = 4.0
_BEFORE, _AFTER, _FADES = 1.0, 7.0, 3.0  # days: people tell a thing up to a week later; after so many it is worth a third
_FAINT = 0.05
_DAY = 86_400_000_000


@dataclass(slots=True)
class Candidates:
    """What the methods found of one scope. more: scores that they give to rows which they did not list themselves."""

    lists: dict[str, list[Scored]] = field(default_factory=dict)
    more: dict[str, dict[int, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Search:
    """The methods, for one question on one snapshot of the file. names: its words, as the names of entities have them."""

    db: Connection
    question: Question
    budget: Budget
    names: Words

    def named(self) -> list[Scored]:
        """The entities that the question names, each worth 1 (see `named_entities`)."""
        return self._timed("graph", lambda: named_entities(self.db, self.question, self.names)) or []

    def episodes(self) -> Candidates:
        """Rows of episodes, by their words and meaning; those told in a time that the question speaks of are a list too."""
        question = self.question
        view = question.nodes("episodes")
        found = self._of_texts("episode", view)
        if question.told and found.lists:
            self._told(found, view)
        return found

    def facts(self, named: Sequence[Scored]) -> Candidates:
        """Rows of facts, by the words and meaning of every claim's text, a fact's best claim counts; and by the graph.

        named: the entities that the question names.
        """
        question = self.question
        claims = self._of_texts("claim", question.claims())
        fact_of = facts.supported_facts(self.db, sorted(_rows(claims)), question.known_at)
        found = Candidates(
            {name: _owned(listed, fact_of) for name, listed in claims.lists.items()},
            {name: dict(_owned(given.items(), fact_of)) for name, given in claims.more.items()},
        )
        if "graph" in question.recipe.methods:
            self._graph(found, named)
        return found

    def entities(self, named: Sequence[Scored]) -> Candidates:
        """Rows of entities, by the words and the meaning of the names they go by; an entity's best name counts."""
        question = self.question
        found = Candidates()
        if "bm25" in question.recipe.methods:
            owner: Owner = lambda rows: aliases.named(self.db, rows, question.known_at)  # noqa: E731
            listed = self._words(self.names, question.names(), owner)
            found.lists["bm25"] = _owned(listed, owner([row for row, _ in listed]))
        if "graph" in question.recipe.methods:
            found.lists["named"] = list(named)
            if named and self.budget.enough("graph", _WALK_MS):
                reached = self._timed("graph", lambda: self._walked(named).entities.ranked(question.depth)) or []
                found.lists["graph"] = self._seen_entities(_scaled(reached))
        near = question.neighbours
        if near is not None and "cosine" in question.recipe.methods:
            view = question.nodes("entities")
            listed = self._timed("cosine", lambda: vectors.nearest(self.db, "entity", near, view, question.depth)) or []
            who = identity.Identity(self.db, question.known_at)
            who.load([row for row, _ in listed])
            found.lists["cosine"] = _owned(listed, {row: who.of(row) for row, _ in listed})
        return found

    def _seen_entities(self, rows: Sequence[Scored]) -> list[Scored]:
        """Those that the question can see: a filter may leave out what the walk came by."""
        seen = set(self.question.nodes("entities").only(self.db, [row for row, _ in rows]))
        return [(row, score) for row, score in rows if row in seen]

    def _of_texts(self, kind: Kind, view: View) -> Candidates:
        """Rows of episodes or claims by words and meaning, each list with the scores of what only the other one holds."""
        db, question = self.db, self.question
        found = Candidates()
        wanted = question.recipe.methods
        near = question.neighbours if "cosine" in wanted else None
        words = lexical.words(db, "episode_text" if kind == "episode" else "claim_text", question.text)
        if "bm25" in wanted:
            found.lists["bm25"] = self._words(words, view, self._owner(kind))
        if near is not None:
            owner = self._owner(kind)
            listed = self._timed(
                "cosine", lambda: self._enough(owner, lambda limit: vectors.nearest(db, kind, near, view, limit))
            )
            found.lists["cosine"] = listed or []
        if near is not None and "bm25" in wanted and question.recipe.fusion == "scores":
            self._complete(found, kind, view, words)
        return found

    def _complete(self, found: Candidates, kind: Kind, view: View, words: Words) -> None:
        """Add what each of the two methods says of the rows that only the other one listed."""
        near = self.question.neighbours
        by_words, by_meaning = (dict(found.lists[name]) for name in ("bm25", "cosine"))
        only_words = [row for row in by_words if row not in by_meaning]
        only_meaning = [row for row in by_meaning if row not in by_words]
        if near is not None and only_words and by_meaning:
            likeness = self._timed("cosine", lambda: vectors.similarities(self.db, kind, near, view, only_words))
            found.more["cosine"] = likeness or {}
        if only_meaning and by_words:
            given = self._timed("bm25", lambda: lexical.scores(self.db, words, only_meaning)) or {}
            found.more["bm25"] = {row: score / words.most for row, score in given.items()}

    def _owner(self, kind: Kind) -> Owner:
        """What claims or episodes belong to: facts, or themselves."""
        if kind == "episode":
            return lambda rows: {row: row for row in rows}
        return lambda rows: facts.supported_facts(self.db, rows, self.question.known_at)

    def _words(self, words: Words, view: View, owner: Owner) -> list[Scored]:
        """Rows by BM25, as the share of the highest score that a text could have."""

        def search(limit: int) -> list[Scored]:
            return lexical.search(
                self.db, words, view, limit, ends=self.budget.share(0.5), cut=lambda: self.budget.skip("bm25")
            )

        return [(row, score / words.most) for row, score in self._enough(owner, search)] if words.terms else []

    def _enough(self, owner: Owner, search: Callable[[int], list[Scored]]) -> list[Scored]:
        """Rows, so many that they belong to as many owners as are wanted: one with many rows does not push others out."""
        limit = self.question.depth
        while True:
            rows = search(limit)
            if len(rows) < limit or limit >= _MOST:
                return rows
            if len(set(owner([row for row, _ in rows]).values())) >= self.question.limit:
                return rows
            limit = min(_MOST, limit * 4)

    def _told(self, found: Candidates, view: View) -> None:
        """Look among what was told in or soon after the time that the question speaks of too, and say of all rows how near they
        were told to it.
        """
        within = told_within(view, [_widened(stretch) for stretch in self.question.told])
        for part in ("lists", "more"):
            known, new = getattr(found, part), getattr(self._of_texts("episode", within), part)
            for name, more in new.items():
                known[name] = _joined(known.get(name, list), more) if part == "lists" else {**more, **known.get(name, {})}
        told = read.told_at(self.db, sorted({row for listed in found.lists.values() for row, _ in listed}))
        scores = ((row, max(_nearness(at, stretch) for stretch in self.question.told)) for row, at in told.items())
        found.lists["time"] = _ordered((row, score) for row, score in scores if score > _FAINT)

    def _graph(self, found: Candidates, named: Sequence[Scored]) -> None:
        """The facts around what the question names, and around the best facts found so far."""
        if not self.budget.enough("graph", _WALK_MS):
            return
        best = [one.row for one in by_scores(found.lists, found.more)[:_STARTS]]
        seen = self.question.versions()
        at: dict[int, set[int]] = self._timed("graph", lambda: ends(self.db, seen, sorted(_rows(found)))) or {}
        starts = [*named[:_STARTS]]
        starts += [(entity, _BY_FACT / (1 + place)) for place, row in enumerate(best) for entity in sorted(at.get(row, ()))]
        reached = self._timed("graph", lambda: self._walked(starts).facts.ranked(self.question.depth)) or []
        found.lists["graph"] = _scaled(reached)
        if named:
            at |= self._timed("graph", lambda: ends(self.db, seen, [row for row, _ in reached if row not in at])) or {}
            touched = ((row, sum(entity in entities for entity, _ in named) / len(named)) for row, entities in at.items())
            found.lists["named"] = _ordered((row, share) for row, share in touched if share)

    def _walked(self, starts: Sequence[Scored]) -> Walk:
        return walk(self.db, self.question.versions(), starts)

    def _timed(self, stage: str, work: Callable[[], Value]) -> Value | None:
        """What the work gives; None if the time is over first, and the stage is named."""
        try:
            with time_limit(self.db, self.budget.ends):
                return work()
        except OutOfTime:
            self.budget.skip(stage)
            return None


def _rows(found: Candidates) -> set[int]:
    """All rows that a method listed."""
    return {row for listed in found.lists.values() for row, _ in listed}


def _ordered(rows: Iterable[Scored]) -> list[Scored]:
    return sorted(rows, key=lambda item: (-item[1], item[0]))


def _owned(rows: Iterable[Scored], owner_of: Mapping[int, int]) -> list[Scored]:
    """What the rows belong to, each once, with its best score."""
    best: dict[int, float] = {}
    for row, score in rows:
        if row in owner_of:
            best[owner_of[row]] = max(score, best.get(owner_of[row], score))
    return _ordered(best.items())


def _joined(one: Sequence[Scored], other: Sequence[Scored]) -> list[Scored]:
    return _ordered({**dict(other), **dict(one)}.items())


def _scaled(rows: Sequence[Scored]) -> list[Scored]:
    """The scores as shares of the best."""
    return [(row, score / rows[0][1]) for row, score in rows] if rows and rows[0][1] > 0 else []


def _widened(stretch: tuple[int | None, int | None]) -> tuple[int | None, int | None]:
    start, end = stretch
    return (
        None if start is None else start - round(_BEFORE * _DAY),
        None if end is None else end + round(_AFTER * _DAY),
    )


def _nearness(at: int, stretch: tuple[int | None, int | None]) -> float:
    """1 in a stretch of time, less and less after it, and before it."""
    start, end = stretch
    early = 0 if start is None else max(0, start - at)
    late = 0 if end is None else max(0, at - end)
    return math.exp(-max(early, late) / _DAY / _FADES)
