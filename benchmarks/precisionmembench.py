"""PrecisionMemBench: beliefs as facts with aliases; how much of what a search returns should have been, and the reverse.

A belief is the fact (user, its type, its canonical name), its content the sentence, its aliases those of the name; one that has
participants is also a fact from it to each of them. Its scope is its group, its period runs from `created_at` to `resolved_at`
or, where it was superseded, to `updated_at`. A search sees the groups of the case's scopes and of its user alone.

Only what is expected of `relevantBeliefs` is judged. `shouldOnlyInclude` lists what must be returned, and nothing else; an
empty list is an empty case, counted apart: nothing must come back. `mustExclude` and `mustNotSurface` list what must not come
back; that is counted, as "leaks". `maxBeliefs` is shared with the pinned decisions, preferences and entities of the scopes,
which have it first: the rest is the limit, and where nothing is left nothing is asked.
What the data shows elsewhere (pinned beliefs, open questions, universal ones) has places of its own in it, so it is judged two
ways: "all tiers", where returning such a belief is wrong, and "relevant tier", where they are left out of what came back.

A session is asked turn by turn, with the user's words; what a turn makes or adds is there from the next turn on.
One `min_score` is chosen on each half of the cases and applied to the other: the best precision at the wanted recall.
"""

from __future__ import annotations

import datetime as dt
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.chosen import SEED, half, interval, two_fold
from benchmarks.numbers import spread
from benchmarks.recipes import RECIPES, asked
from tkgmem import Memory
from tkgmem.protocols import Embedder
from tkgmem.testing import FixedClock

FILES = tuple(f"precisionmembench/{name}.json" for name in ("beliefs.seed", "retrieval.cases", "session-retrieval.cases"))
RECALL = 0.9
TIERS = ("all tiers", "relevant tier")
_LIMIT = 20
_NOW = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)
_QUICK = 20
_UNIVERSAL = "user:universal"


def run(
    data: Path | None, quick: bool, *, embedder: Embedder | None = None, recipes: Sequence[str] = RECIPES
) -> dict[str, Any]:
    """Tell the beliefs, ask every case, choose the score from which a fact counts."""
    beliefs, cases, sessions = (_read(data, name) for name in FILES)
    if quick:
        cases, sessions = cases[:_QUICK], []
    answers: list[dict[str, Any]] = []
    for recipe in recipes:
        bench = _Bench(embedder, beliefs, recipe)
        with bench.memory:
            answers += [answer for case in cases for answer in bench.ask(case["caseId"], case["query"], case)]
            answers += [answer for session in sessions for answer in bench.play(session)]
    summary: dict[str, Any] = {}
    for recipe in recipes:
        for tier in TIERS:
            items = [item for item in answers if (item["recipe"], item["tier"]) == (recipe, tier)]
            summary.setdefault(recipe, {})[tier] = judge(items)
    return {
        "seed": SEED,
        "settings": {"beliefs": len(beliefs), "cases": len(cases), "sessions": len(sessions), "recall": RECALL},
        "summary": summary,
        "samples": answers,
    }


def _read(data: Path | None, name: str) -> list[dict[str, Any]]:
    if data is None or not (data / name).is_file():
        raise FileNotFoundError(f"{name if data is None else data / name} is missing")
    found: list[dict[str, Any]] = json.loads((data / name).read_text(encoding="utf-8"))
    return found


class _Bench:
    """A memory of the beliefs, and which belief each of its facts is."""

    def __init__(self, embedder: Embedder | None, beliefs: Sequence[Mapping[str, Any]], recipe: str) -> None:
        self.memory = Memory(":memory:", embedder=embedder, clock=FixedClock(_NOW))
        self._recipe = recipe
        self._beliefs = {belief["_id"]: belief for belief in beliefs}
        self._belief_of: dict[str, str] = {}
        for belief in beliefs:
            self._tell(belief)
        for belief in beliefs:
            for participant in belief.get("participants", ()):
                self._relate(belief, self._beliefs[participant])

    def _tell(self, belief: Mapping[str, Any]) -> None:
        self._beliefs[belief["_id"]] = belief
        ended = belief["updated_at"] if belief["superseded_by"] else belief["resolved_at"]
        for group in _groups(belief["user_id"], belief["scope"]):
            fact = self.memory.add_fact(
                "user",
                belief["type"],
                _name(belief),
                fact=belief["content"],
                valid_at=belief["created_at"],
                invalid_at=ended,
                attributes={"scope": belief["scope"], "pinned": belief["pinned"]},
                group=group,
            )
            self._belief_of[fact.uuid] = belief["_id"]
            for alias in belief["aliases"]:
                self.memory.add_alias(fact.target, alias, group=group)

    def _relate(self, belief: Mapping[str, Any], participant: Mapping[str, Any]) -> None:
        for group in _groups(belief["user_id"], belief["scope"]):
            if group in _groups(participant["user_id"], participant["scope"]):
                relation, valid_at = belief["relation_type"], belief["created_at"]
                fact = self.memory.add_fact(_name(belief), relation, _name(participant), valid_at=valid_at, group=group)
                self._belief_of[fact.uuid] = belief["_id"]

    def play(self, session: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Ask the turns of a session in order."""
        for turn in session["turns"]:
            yield from self.ask(f"{session['caseId']}:{turn['turnIndex']}", turn["userMessage"], turn | {"category": "session"})
            if "createBeliefAtTurn" in turn:
                self._tell(turn["createBeliefAtTurn"])
            if "updateBeliefAtTurn" in turn:
                belief = self._beliefs[turn["updateBeliefAtTurn"]["beliefId"]]
                for group in _groups(belief["user_id"], belief["scope"]):
                    for alias in turn["updateBeliefAtTurn"]["addAliases"]:
                        self.memory.add_alias(_name(belief), alias, group=group)

    def ask(self, name: str, query: str, case: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """What comes back, with and without the beliefs that have places of their own."""
        expected = case["expect"].get("relevantBeliefs")
        if expected is None:
            return
        user = case.get("userId", "test-user")
        limit = self._limit(user, case)
        started = time.perf_counter()
        found = self._search(query, user, case["scope"]) if limit else []
        spent = (time.perf_counter() - started) * 1_000
        excluded = {*expected.get("mustExclude", ()), *case["expect"].get("noiseCheck", {}).get("mustNotSurface", ())}
        for tier in TIERS:
            kept = [(belief, score) for belief, score in found if tier == TIERS[0] or not _elsewhere(self._beliefs[belief])]
            yield {
                "case": name,
                "category": case["category"],
                "recipe": self._recipe,
                "tier": tier,
                "expected": expected.get("shouldOnlyInclude"),
                "excluded": sorted(excluded),
                "returned": [[belief, round(score, 5)] for belief, score in kept[:limit]],
                "ms": round(spent, 2),
            }

    def _search(self, query: str, user: str, scopes: Sequence[str]) -> list[tuple[str, float]]:
        """Beliefs with their scores, best first."""
        groups = _groups(user, scopes)
        found = self.memory.search(query, limit=_LIMIT, scopes=("facts",), group=groups, **asked(self._recipe))
        scores: dict[str, float] = {}
        for hit in found.facts:
            scores.setdefault(self._belief_of[hit.item.uuid], hit.score)
        return list(scores.items())

    def _limit(self, user: str, case: Mapping[str, Any]) -> int:
        """How many beliefs have a place, after the pinned ones of the scopes took theirs."""
        most: int | None = case.get("budget", {}).get("maxBeliefs")
        if most is None:
            return _LIMIT
        pinned = sum(
            belief["pinned"] and belief["type"] != "open_question" and not (belief["superseded_by"] or belief["resolved_at"])
            for belief in self._beliefs.values()
            if belief["user_id"] == user and set(belief["scope"]) & set(case["scope"])
        )
        return max(0, most - int(pinned))


def _groups(user: str, scopes: Sequence[str]) -> list[str]:
    return [f"{user} {scope}" for scope in scopes]


def _name(belief: Mapping[str, Any]) -> str:
    return str(belief["canonical_name"]).replace("_", " ")


def _elsewhere(belief: Mapping[str, Any]) -> bool:
    """Whether the data shows a belief in another place than among the relevant ones."""
    return bool(belief["pinned"]) or belief["type"] == "open_question" or _UNIVERSAL in belief["scope"]


def judge(answers: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Precision and recall over the cases that expect something, and how the others did, at the scores chosen two-fold."""
    ids = [item["case"] for item in answers]
    scores = sorted({score for item in answers for _, score in item["returned"]})

    def worth(least: float, places: Sequence[int]) -> tuple[float, float]:
        found = _counts([answers[place] for place in places], least)
        recall = _share(found["right"], found["wanted"])
        return (1.0, _share(found["right"], found["given"])) if recall >= RECALL else (0.0, recall)

    chosen = two_fold(ids, [0.0, *scores], worth)
    for item in answers:
        item["kept"] = [belief for belief, score in item["returned"] if score >= chosen[half(item["case"])]]
    wanting = [item for item in answers if item["expected"]]
    empty = [item for item in answers if item["expected"] == []]
    return {
        **_precision_recall(wanting),
        "by category": {
            kind: _plain([item for item in wanting if item["category"] == kind])
            for kind in sorted({item["category"] for item in wanting})
        },
        "empty cases": {
            "cases": len(empty),
            "nothing returned": interval([float(not item["kept"]) for item in empty]),
            "returned": sum(len(item["kept"]) for item in empty),
        },
        "leaks": sum(len(set(item["kept"]) & set(item["excluded"])) for item in answers),
        "min_score": {f"half {number}": score for number, score in enumerate(chosen)},
        "search_ms": spread([item["ms"] for item in answers]),
    }


def _precision_recall(answers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    right = [len(set(item["kept"]) & set(item["expected"])) for item in answers]
    return {
        "precision": interval(right, [len(item["kept"]) for item in answers]),
        "recall": interval(right, [len(item["expected"]) for item in answers]),
    }


def _plain(answers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Too few to resample: the figures alone."""
    return {name: found["mean"] for name, found in _precision_recall(answers).items()} | {"cases": len(answers)}


def _counts(answers: Sequence[Mapping[str, Any]], least: float) -> dict[str, int]:
    """Over the cases that expect something: how many beliefs come back from a score on, are wanted, and are both."""
    counts = {"right": 0, "given": 0, "wanted": 0}
    for item in answers:
        if item["expected"]:
            kept = {belief for belief, score in item["returned"] if score >= least}
            counts["right"] += len(kept & set(item["expected"]))
            counts["given"] += len(kept)
            counts["wanted"] += len(item["expected"])
    return counts


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
