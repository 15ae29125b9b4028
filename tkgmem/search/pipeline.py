"""The read path, straight down: question, candidates, fuse, rerank, hits. Any text is a question; a read changes nothing.

Where time is short, stages are left out in this order: reranking, the turns beside a hit, the graph, meaning; words are always
looked for. The result names what was left out.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from tkgmem.communities import reading
from tkgmem.graph import Community, Entity, Episode, Fact, Hit, SearchResult
from tkgmem.protocols import Embedder, Reranker
from tkgmem.search import fuse, lookup, recipes, when, wide
from tkgmem.search.budget import Budget
from tkgmem.search.candidates import Candidates, Search
from tkgmem.search.filters import Filters
from tkgmem.search.fuse import Fused, Scored
from tkgmem.search.question import Question
from tkgmem.search.recipes import Recipe
from tkgmem.search.rerank import About, rerank
from tkgmem.search.rerank import Name as RerankerName
from tkgmem.search.vector import question_vector
from tkgmem.search.walk import entity_hops, fact_hops
from tkgmem.store import evidence, facts, lexical, neighbours, periods, read, recalls, vectors
from tkgmem.store.clocks import EVERYTHING, At
from tkgmem.store.connection import Connection, Store
from tkgmem.store.language import language
from tkgmem.store.names import searchable
from tkgmem.store.shelves import Kind
from tkgmem.store.walk import Seen
from tkgmem.temporal.period import to_datetime, to_micros
from tkgmem.wording import line_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SCOPES = ("facts", "entities", "episodes", "communities")
_USUAL = SCOPES[:3]
"""Those that are looked in unless others are asked for."""
_WORD = re.compile(r"\w")
_BESIDE_MS = 3.0
_LIFTED = 60
"""Of the best turns, those that lift what was told around them."""

Item = TypeVar("Item", Fact, Entity, Episode, Community)


class Picture(NamedTuple):
    """The communities that are wanted to go with other hits: so many at most, of such a score at least.

    And none that fits a question less than the best fact, or the best episode, does: that is not about the whole.
    """

    limit: int
    min_score: float


@dataclass(frozen=True, slots=True)
class Asked:
    """What a search is given, its dates read (see `Memory.search`). now: its offset is the calendar of relative words.

    picture: the communities that are wanted, where they go with the other hits.
    """

    text: str
    limit: int
    now: dt.datetime
    valid_at: int | None
    known_at: int | None
    groups: Sequence[str]
    scopes: Sequence[str] | None = None
    filters: Filters | None = None
    recipe: str | Recipe | None = None
    center: str | Entity | None = None
    min_score: float | None = None
    include_ended: bool = False
    use_query_time: bool | None = None
    deadline_ms: float | None = None
    explain: bool = False
    picture: Picture | None = None


def search(store: Store, embedder: Embedder, reranker: Reranker | None, asked: Asked) -> SearchResult:
    """Hits per scope, best first (see `Memory.search`)."""
    return search_each(store, embedder, reranker, [asked])[0]


def search_each(store: Store, embedder: Embedder, reranker: Reranker | None, several: Sequence[Asked]) -> list[SearchResult]:
    """The same text asked in several ways, of one snapshot of the file; it is embedded once."""
    first = several[0]
    scopes = [_checked(asked) for asked in several]
    chosen = [recipes.chosen(asked.recipe, centred=asked.center is not None) for asked in several]
    if reranker is None and any(recipe.rerank == "model" for recipe in chosen):
        raise ValueError("this recipe reranks with a model; open the Memory with reranker=..., or choose another recipe")
    budget, words = Budget(first.deadline_ms), searchable(first.text)
    mine = vectors.Fingerprint(embedder.name, embedder.dimension, embedder.sha256)
    with store.read() as db:
        rows = read.group_ids(db, first.groups)
        has_vectors = vectors.check_embedder(db, mine, store.path)
    near = None
    if rows and has_vectors and any("cosine" in recipe.methods for recipe in chosen) and _WORD.search(words):
        vector = question_vector(embedder, mine, words, budget)
        centres = getattr(embedder, "centres", {})
        if vector is not None:
            near = vectors.Neighbours(vector, rows, store.matrices, language(words), centres)
    budget.lap("embed")
    answers = []
    with store.read() as db:
        vectors.check_embedder(db, mine, store.path)  # another process may have made all of them anew in between
        for asked, recipe, wanted in zip(several, chosen, scopes, strict=True):
            question = Question(
                text=words,
                groups=rows,
                valid_at=to_micros(asked.now) if asked.valid_at is None else asked.valid_at,
                known_at=EVERYTHING if asked.known_at is None else asked.known_at,
                include_ended=asked.include_ended,
                limit=asked.limit,
                recipe=recipe,
                neighbours=near,
            )
            answers.append(_answer(db, question, asked, wanted if words.strip() else (), budget, reranker))
    return answers


def _answer(
    db: Connection, question: Question, asked: Asked, scopes: Sequence[str], budget: Budget, reranker: Reranker | None
) -> SearchResult:
    at = At(question.groups, question.valid_at, question.known_at)
    spoken = None
    if asked.valid_at is None if asked.use_query_time is None else asked.use_query_time:
        now = to_datetime(at.valid_at).astimezone(asked.now.tzinfo)
        spoken = when.spoken(question.text, now) or when.anchored(db, question.text, question, budget)
    conditions = None if asked.filters is None else asked.filters.resolve(db, at)
    centre = None if asked.center is None else lookup.one(db, at, asked.center)
    question = replace(when.within(question, spoken), conditions=conditions)
    budget.lap("read")
    found = _Run(db, question, budget, reranker, asked, centre).all(scopes if question.groups else ())
    return SearchResult(
        facts=found.facts,
        entities=found.entities,
        episodes=found.episodes,
        communities=found.communities,
        timings=dict(budget.timings),
        degraded=budget.degraded,
        valid_at=to_datetime(at.valid_at),
        known_at=None if asked.known_at is None else to_datetime(asked.known_at),
        query_time=None if spoken is None else spoken.value(),
        basis=_basis(db, at),
    )


def _basis(db: Connection, at: At) -> dt.datetime | None:
    """The system time to repeat this read at: whatever is told later has a later one, also where `known_at` is to come."""
    seen = recalls.basis(db, at.groups)
    return None if seen is None else to_datetime(min(seen, at.known_at))


def _checked(asked: Asked) -> Sequence[str]:
    if not isinstance(asked.text, str):
        raise ValueError(f"a question is text, not {type(asked.text).__name__}: {asked.text!r}")
    if isinstance(asked.scopes, str) or not isinstance(asked.scopes, Iterable | None):
        raise ValueError(f"scopes is a list of some of {', '.join(SCOPES)}, not {asked.scopes!r}")
    scopes = _USUAL if asked.scopes is None else tuple(asked.scopes)
    for scope in scopes:
        if scope not in SCOPES:
            raise ValueError(f"unknown scope {scope!r}; use one of {', '.join(SCOPES)}")
    return scopes


@dataclass(slots=True)
class _Found:
    facts: list[Hit[Fact]]
    entities: list[Hit[Entity]]
    episodes: list[Hit[Episode]]
    communities: list[Hit[Community]]


@dataclass(frozen=True, slots=True)
class _Scope(Generic[Item]):
    """How the rows of one scope become hits. kind: whose vectors they have; None for communities, which have their own.
    episodes: how many stand behind each row, None where that says nothing.
    """

    kind: Kind | None
    fetch: Callable[[Sequence[int]], dict[int, Item]]
    hops: Callable[[Sequence[int]], Mapping[int, int]] | None = None
    episodes: Callable[[Sequence[int]], Mapping[int, int]] | None = None


@dataclass(frozen=True, slots=True)
class _Run:
    """One question on one snapshot of the file. centre: the row of the entity that distances are measured from."""

    db: Connection
    question: Question
    budget: Budget
    reranker: Reranker | None
    asked: Asked
    centre: int | None

    def all(self, scopes: Sequence[str]) -> _Found:
        """The hits of each scope. Reranking comes last, so that the time it takes for one costs no other its candidates."""
        search = Search(self.db, self.question, self.budget, lexical.words(self.db, "entity_text", self.question.text))
        by_name = "graph" in self.question.recipe.methods and not {"facts", "entities", "communities"}.isdisjoint(scopes)
        named = search.named() if by_name and self.budget.enough("graph") else []
        self.budget.lap("named")
        about = search.facts(named) if not {"facts", "communities"}.isdisjoint(scopes) else Candidates()
        facts = self._fused(about, "claim")
        entities = self._fused(search.entities(named, about.walked), "entity") if "entities" in scopes else []
        episodes = self._fused(search.episodes(), "episode") if "episodes" in scopes else []
        communities = self._fused(wide.candidates(search, named, facts), None) if "communities" in scopes else []
        return _Found(
            self._hits(facts, self._facts()) if "facts" in scopes else [],
            self._hits(entities, self._entities()),
            self._hits(episodes, self._episodes()),
            self._hits(communities, self._communities(), self._picture(facts, episodes)),
        )

    def _picture(self, *others: Sequence[Fused]) -> Picture | None:
        """What is wanted of communities beside these."""
        picture = self.asked.picture
        best = [fused[0].score for fused in others if fused]
        return picture and picture._replace(min_score=max(picture.min_score, *best, 0.0))

    def _ways(self) -> Seen:
        """The facts that distances are measured along: whatever hits are held to, all that hold at the clocks."""
        return replace(self.question, conditions=None).versions()

    def _facts(self) -> _Scope[Fact]:
        known = self.question.known_at
        return _Scope(
            "claim",
            self._shown,
            lambda rows: fact_hops(self.db, self._ways(), self.centre or 0, rows),
            lambda rows: evidence.of_facts(self.db, rows, known),
        )

    def _entities(self) -> _Scope[Entity]:
        known = self.question.known_at
        return _Scope(
            "entity",
            lambda rows: read.entities(self.db, rows, known),
            lambda rows: entity_hops(self.db, self._ways(), self.centre or 0, rows),
            lambda rows: evidence.of_entities(self.db, rows, known),
        )

    def _episodes(self) -> _Scope[Episode]:
        return _Scope("episode", lambda rows: read.episodes(self.db, rows, self.question.known_at))

    def _communities(self) -> _Scope[Community]:
        return _Scope(
            None,
            lambda rows: reading.of_rows(self.db, self.question.at, rows),
            lambda rows: wide.hops(self.db, self._ways(), self.centre or 0, rows, self.question.known_at),
        )

    def _shown(self, rows: Sequence[int]) -> dict[int, Fact]:
        """Facts by row, each with the period that the question sees."""
        question = self.question
        found = periods.seen(self.db, rows, question.groups, **question.asked_of_facts)
        return dict(zip(found, facts.facts(self.db, list(found.values()), question.known_at), strict=True))

    def _fused(self, found: Candidates, kind: Kind | None) -> list[Fused]:
        """The candidates of one scope as one list, best first."""
        recipe, budget = self.question.recipe, self.budget
        budget.lap("candidates")
        lifts = kind == "episode" and recipe.beside and found.lists and budget.enough("beside", _BESIDE_MS)
        if recipe.fusion == "rrf":
            fused = fuse.by_ranks(found.lists)
        else:
            fused = fuse.by_scores(found.lists, found.more, None if lifts else max(recipe.depth, self.question.limit))
        if lifts and fused:
            fused = self._lifted(fused)
        budget.lap("fuse")
        return fused

    def _hits(self, fused: list[Fused], scope: _Scope[Item], picture: Picture | None = None) -> list[Hit[Item]]:
        """The best, reranked, with what they stand for. picture: how many, and how good, where not as many as of others."""
        recipe, budget = self.question.recipe, self.budget
        limit, least = picture or (self.question.limit, self.asked.min_score)
        fused = fused if least is None else [one for one in fused if one.score >= least]
        if fused and recipe.rerank is not None:
            fused = self._reranked(fused[: max(recipe.depth, limit)], recipe.rerank, scope)
            budget.lap("rerank")
        hits: list[Hit[Item]] = []
        for first in range(0, len(fused), limit):  # mostly once: a community may turn out to have nothing to tell
            some = fused[first : first + limit]
            items = scope.fetch([one.row for one in some])
            given = ((one, one.scores if self.asked.explain else {}) for one in some if one.row in items)
            hits += [Hit(items[one.row], one.score, one.ranks, scores) for one, scores in given]
            if len(hits) >= limit:
                break
        budget.lap("fetch")
        return hits[:limit]

    def _lifted(self, fused: Sequence[Fused]) -> list[Fused]:
        """Turns with a part of the scores of those around them; only what the question can see comes in."""
        beside = neighbours.beside(self.db, [one.row for one in fused[:_LIFTED]], self.question.known_at)
        known = {one.row for one in fused}
        new = sorted({row for pair in beside.values() for rows in pair for row in rows} - known)
        hidden = set(new) - set(self.question.nodes("episodes").only(self.db, new))
        kept = {
            row: ([one for one in near if one not in hidden], [one for one in far if one not in hidden])
            for row, (near, far) in beside.items()
        }
        return fuse.lifted(fused, kept, neighbours.lengths(self.db, known | set(new)))

    def _reranked(self, fused: Sequence[Fused], name: RerankerName, scope: _Scope[Item]) -> list[Fused]:
        own = {one.row: one for one in fused}
        ranked: list[Scored] = [(one.row, one.score) for one in fused]
        about = About(
            vectors=lambda rows: self._vectors(scope, rows),
            texts=lambda rows: {
                row: line_of(item, to_datetime(self.question.at.valid_at)) for row, item in scope.fetch(rows).items()
            },
            hops=scope.hops if self.centre is not None else None,
            episodes=scope.episodes,
        )
        order = rerank(
            name,
            ranked,
            about,
            self.budget,
            query=self.question.text,
            diversity=self.question.recipe.diversity,
            model=self.reranker,
        )
        return [own[row]._replace(score=score, scores={**own[row].scores, "fused": own[row].score}) for row, score in order]

    def _vectors(self, scope: _Scope[Item], rows: Sequence[int]) -> tuple[NDArray[np.float32], dict[int, int]]:
        """The vectors of rows, one a row of a matrix, and where each stands."""
        import numpy as np

        near = self.question.neighbours
        if scope.kind is None:
            return wide.vectors(self.db, near, self.question.groups, self.question.known_at, rows)
        if near is None:
            return np.empty((0, 0), dtype=np.float32), {}
        found = vectors.vectors_of(self.db, scope.kind, near, None, rows)  # a fact's row is that of its first claim
        placed = [row for row in rows if row in found]
        matrix = np.array([found[row] for row in placed], dtype=np.float32)
        return matrix, {row: place for place, row in enumerate(placed)}
