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
from tkgmem.store.vectors import Comparison
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
_FEW_TOLD = 500  # episodes of a time that are all compared


@dataclass(slots=True)
class Candidates:
    """What the methods found of one scope. more: scores that they give to rows which they did not list themselves.
    walked: where the graph walk came to, if there was one.
    """

    lists: dict[str, list[Scored]] = field(default_factory=dict)
    more: dict[str, dict[int, float]] = field(default_factory=dict)
    walked: Walk | None = None


@dataclass(frozen=True, slots=True)
class _Texts:
    """The texts of one kind before a question: its words as they have them, what its meaning is compared with, and whose they
    are.
    """

    kind: Kind
    words: Words
    compared: Comparison | None
    owner: Owner


@dataclass(frozen=True, slots=True)
class Search:
    """The methods, for one question on one snapshot of the file. names: its words, as the names of entities have them."""

    db: Connection
    question: Question
    budget: Budget
    names: Words

    def named(self) -> list[Scored]:
        """The entities that the question names, each worth 1 (see `named_entities`)."""
        return self.timed("graph", lambda: named_entities(self.db, self.question, self.names)) or []

    def episodes(self) -> Candidates:
        """Rows of episodes, by their words and meaning; those told in a time that the question speaks of are a list too."""
        question = self.question
        view = question.nodes("episodes")
        texts = self._texts("episode", view)
        found = self._seen(texts, view)
        if question.told and found.lists:
            self._told(found, texts, view)
        return found

    def facts(self, named: Sequence[Scored]) -> Candidates:
        """Rows of facts, by the words and meaning of every claim's text, a fact's best claim counts; and by the graph.

        named: the entities that the question names.
        """
        question = self.question
        view = question.claims()
        texts = self._texts("claim", view)
        claims = self._seen(texts, view)
        fact_of = texts.owner(sorted(_rows(claims)))
        found = Candidates(
            {name: _owned(listed, fact_of) for name, listed in claims.lists.items()},
            {name: dict(_owned(given.items(), fact_of)) for name, given in claims.more.items()},
        )
        if "graph" in question.recipe.methods:
            self._graph(found, named)
        return found

    def entities(self, named: Sequence[Scored], walked: Walk | None = None) -> Candidates:
        """Rows of entities, by the words and the meaning of the names they go by; an entity's best name counts.

        walked: a walk for this question that was made already.
        """
        question = self.question
        found = Candidates()
        if "bm25" in question.recipe.methods:
            owner: Owner = lambda rows: aliases.named(self.db, rows, question.known_at)  # noqa: E731
            listed = self._words(self.names, question.names(), owner)
            found.lists["bm25"] = _owned(listed, owner([row for row, _ in listed]))
        if "graph" in question.recipe.methods:
            found.lists["named"] = self._seen_entities(named)
            if walked is None and named and self.budget.enough("graph", _WALK_MS):
                walked = self.timed("graph", lambda: walk(self.db, question.versions(), named))
            if walked is not None:
                found.lists["graph"] = self._seen_entities(_scaled(walked.entities.ranked(question.depth)))
        near = question.neighbours
        if near is not None and "cosine" in question.recipe.methods:
            view = question.nodes("entities")
            who = identity.Identity(self.db, question.known_at)

            def whole(rows: list[int]) -> dict[int, int]:
                who.load(rows)
                return {row: who.of(row) for row in rows}

            def search() -> list[Scored]:
                compared = vectors.compare(self.db, "entity", near, view)
                return self._enough(whole, lambda limit: compared.nearest(view, limit))

            listed = self.timed("cosine", search) or []
            found.lists["cosine"] = _owned(listed, whole([row for row, _ in listed]))
        return found

    def _seen_entities(self, rows: Sequence[Scored]) -> list[Scored]:
        """Those that the question can see: a filter may leave out what the walk came by."""
        seen = set(self.question.nodes("entities").only(self.db, [row for row, _ in rows]))
        return [(row, score) for row, score in rows if row in seen]

    def _texts(self, kind: Kind, view: View) -> _Texts:
        """Episodes or claims, and what the question finds in all of them."""
        db, question = self.db, self.question
        near = question.neighbours if "cosine" in question.recipe.methods else None
        words = lexical.words(db, "episode_text" if kind == "episode" else "claim_text", question.text)
        compared = None if near is None else self.timed("cosine", lambda: vectors.compare(db, kind, near, view))
        return _Texts(kind, words, compared, self._owner(kind))

    def _seen(self, texts: _Texts, view: View) -> Candidates:
        """Rows in view by words and meaning, each list with the scores of what only the other one holds."""
        found = Candidates()
        compared, owner = texts.compared, texts.owner
        if "bm25" in self.question.recipe.methods:
            found.lists["bm25"] = self._words(texts.words, view, owner)
        if compared is not None:
            listed = self.timed("cosine", lambda: self._enough(owner, lambda limit: compared.nearest(view, limit)))
            found.lists["cosine"] = listed or []
        self._complete(found, texts)
        return found

    def _given(self, texts: _Texts, rows: Sequence[int]) -> Candidates:
        """The same of given rows, all of them visible."""
        found, depth = Candidates(), self.question.depth
        compared = texts.compared
        if "bm25" in self.question.recipe.methods:
            found.lists["bm25"] = _ordered(self.shares(texts.words, rows).items())[:depth]
        if compared is not None:
            found.lists["cosine"] = self.timed("cosine", lambda: compared.nearest_of(rows, depth)) or []
        self._complete(found, texts)
        return found

    def _complete(self, found: Candidates, texts: _Texts) -> None:
        """Add what each of the two methods says of the rows that only the other one listed."""
        if self.question.recipe.fusion != "scores" or found.lists.keys() != {"bm25", "cosine"}:
            return
        by_words, by_meaning = (dict(found.lists[name]) for name in ("bm25", "cosine"))
        only_words = [row for row in by_words if row not in by_meaning]
        only_meaning = [row for row in by_meaning if row not in by_words]
        compared = texts.compared
        if compared is not None and only_words and by_meaning:
            found.more["cosine"] = self.timed("cosine", lambda: compared.similarities(only_words)) or {}
        if only_meaning and by_words:
            found.more["bm25"] = self.shares(texts.words, only_meaning)

    def shares(self, words: Words, rows: Sequence[int]) -> dict[int, float]:
        """The BM25 scores of these rows, as shares of the highest that a text could have."""
        given = self.timed("bm25", lambda: lexical.scores(self.db, words, rows)) or {}
        most = words.most
        return {row: score / most for row, score in given.items()}

    def _owner(self, kind: Kind) -> Owner:
        """What claims or episodes belong to: facts, or themselves. Each row is looked up once."""
        if kind == "episode":
            return lambda rows: {row: row for row in rows}
        known: dict[int, int] = {}
        asked: set[int] = set()

        def fact_of(rows: list[int]) -> dict[int, int]:
            if new := [row for row in rows if row not in asked]:
                asked.update(new)
                known.update(facts.supported_facts(self.db, new, self.question.known_at))
            return {row: known[row] for row in rows if row in known}

        return fact_of

    def words(self, words: Words, view: View) -> list[Scored]:
        """Rows in view by BM25, as the share of the highest score that a text could have."""
        return self._words(words, view, lambda rows: {row: row for row in rows})

    def timed(self, stage: str, work: Callable[[], Value]) -> Value | None:
        """What the work gives; None if the time is over first, and the stage is named."""
        try:
            with time_limit(self.db, self.budget.ends):
                return work()
        except OutOfTime:
            self.budget.skip(stage)
            return None

    def _words(self, words: Words, view: View, owner: Owner) -> list[Scored]:
        """Rows by BM25, as the share of the highest score that a text could have."""

        def search(limit: int) -> list[Scored]:
            return lexical.search(
                self.db, words, view, limit, ends=self.budget.share(0.5), cut=lambda: self.budget.skip("bm25")
            )

        if not words.terms:
            return []
        most = words.most
        return [(row, score / most) for row, score in self._enough(owner, search)]

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

    def _told(self, found: Candidates, texts: _Texts, view: View) -> None:
        """Look among what was told in or soon after the time that the question speaks of too, and say of all rows how near they
        were told to it.
        """
        within = told_within(view, [_widened(stretch) for stretch in self.question.told])
        few = self.timed("bm25", lambda: within.all(self.db, _FEW_TOLD))
        new = self._seen(texts, within) if few is None else self._given(texts, few)
        for name, listed in new.lists.items():
            found.lists[name] = _joined(found.lists.get(name, []), listed)
        for name, given in new.more.items():
            found.more[name] = {**given, **found.more.get(name, {})}
        told = read.told_at(self.db, sorted({row for listed in found.lists.values() for row, _ in listed}))
        scores = ((row, max(_nearness(at, stretch) for stretch in self.question.told)) for row, at in told.items())
        found.lists["time"] = _ordered((row, score) for row, score in scores if score > _FAINT)

    def _graph(self, found: Candidates, named: Sequence[Scored]) -> None:
        """The facts around what the question names, and around the best facts found so far."""
        if not self.budget.enough("graph", _WALK_MS):
            return
        best = [one.row for one in by_scores(found.lists, found.more, most=_STARTS)]
        seen = self.question.versions()
        wanted = sorted(_rows(found)) if named else best
        at: dict[int, set[int]] = self.timed("graph", lambda: ends(self.db, seen, wanted)) or {}
        starts = [*named[:_STARTS]]
        starts += [(entity, _BY_FACT / (1 + place)) for place, row in enumerate(best) for entity in sorted(at.get(row, ()))]
        found.walked = self.timed("graph", lambda: walk(self.db, seen, starts))
        reached = [] if found.walked is None else found.walked.facts.ranked(self.question.depth)
        found.lists["graph"] = _scaled(reached)
        if named:
            at |= self.timed("graph", lambda: ends(self.db, seen, [row for row, _ in reached if row not in at])) or {}
            touched = ((row, sum(entity in entities for entity, _ in named) / len(named)) for row, entities in at.items())
            found.lists["named"] = _ordered((row, share) for row, share in touched if share)


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
