"""LongMemEval with its turns as episodes: whether the sessions that hold the answer are among the first five.

Haystack: a memory for each question with its own 48 sessions. Pool: all 940 sessions in one memory. Nothing is extracted: the
search finds turns, and sessions are ranked by their best ones. How much the second best turn and the assistant's turns count is
chosen two-fold. any@5: at least one of the question's gold sessions is there; all@5: all of them. Turn recall is over the turns
marked as holding the answer. The clock stands at the question's date. Questions to abstain from have no gold and are left out.
Ids never enter an index.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import itertools
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.chosen import SEED, gain, half, interval, two_fold
from benchmarks.datasets import rows
from benchmarks.numbers import spread
from benchmarks.recipes import RECIPES, asked, best_first, ranks, recall
from tkgmem import Memory
from tkgmem.protocols import Embedder
from tkgmem.testing import FixedClock

PARTS = ("haystack", "pool")
QUESTIONS, SESSIONS = "longmemeval/questions.jsonl.gz", "longmemeval/sessions.jsonl.gz"
FIRST = 5
TURNS = 50
"""How many turns are asked for to rank sessions by."""

_TURN_RECALL = 10
_QUICK = 6


class Ranking(NamedTuple):
    """How the turns found make the score of a session, from 0 to 1 each: the best one's and `second` times the second best's;
    `assistant` times that of a turn of the assistant.
    """

    second: float
    assistant: float


BEST_TURN = Ranking(0.0, 1.0)
RANKINGS = tuple(Ranking(*pair) for pair in itertools.product((0.0, 0.3), (1.0, 0.7)))


class Found(NamedTuple):
    """A turn that was found: its ids ("session:number"), its score and whether the assistant said it."""

    turns: frozenset[str]
    score: float
    by_assistant: bool


def run(
    data: Path | None,
    quick: bool,
    *,
    embedder: Embedder | None = None,
    recipes: Sequence[str] = RECIPES,
    parts: Sequence[str] = PARTS,
    sample: int | None = None,
) -> dict[str, Any]:
    """Ask each question of its haystack and of the pool. sample: only so many questions, always the same ones."""
    questions = [item for item in rows(data, QUESTIONS) if not item["abstain"]]
    sessions = {item["id"]: item for item in rows(data, SESSIONS)}
    questions.sort(key=lambda item: hashlib.sha256(item["id"].encode()).digest())
    questions = questions[: _QUICK if quick else sample]
    if quick:
        sessions = {name: sessions[name] for item in questions for name in item["haystack"]}
    answers: list[dict[str, Any]] = []
    for part in parts:
        asking = _haystacks if part == "haystack" else _pool
        answers += [{"part": part} | answer for answer in asking(questions, sessions, recipes, embedder)]
    summary: dict[str, Any] = {}
    for part, recipe in itertools.product(parts, recipes):
        items = [item for item in answers if (item["part"], item["recipe"]) == (part, recipe)]
        summary.setdefault(part, {})[recipe] = _judge(items)
    return {
        "seed": SEED,
        "settings": {"questions": len(questions), "sessions": len(sessions), "turns_asked_for": TURNS},
        "summary": summary,
        "samples": [{key: value for key, value in item.items() if key not in {"hits", "gold"}} for item in answers],
    }


def _haystacks(
    questions: Iterable[Mapping[str, Any]], sessions: Mapping[str, Any], recipes: Sequence[str], embedder: Embedder | None
) -> Iterator[dict[str, Any]]:
    for item in questions:
        with Memory(":memory:", embedder=embedder, clock=FixedClock(_moment(item["date"]))) as memory:
            turns_of = _ingest(memory, [sessions[name] for name in item["haystack"]])
            for recipe in recipes:
                yield _ask(memory, item, recipe, turns_of, sessions)


def _pool(
    questions: Iterable[Mapping[str, Any]], sessions: Mapping[str, Any], recipes: Sequence[str], embedder: Embedder | None
) -> Iterator[dict[str, Any]]:
    clock = FixedClock(max(_moment(item["date"]) for item in sessions.values()))
    with Memory(":memory:", embedder=embedder, clock=clock) as memory:
        turns_of = _ingest(memory, sessions.values())
        for item in questions:
            clock.set(_moment(item["date"]))
            for recipe in recipes:
                yield _ask(memory, item, recipe, turns_of, sessions)


def _ingest(memory: Memory, sessions: Iterable[Mapping[str, Any]]) -> dict[str, set[str]]:
    """Add the turns in order of time. Returns the turn ids of each episode: the same words twice in a session are one."""
    names, told = [], []
    for session in sorted(sessions, key=lambda item: (_moment(item["date"]), item["id"])):
        for number, turn in enumerate(session["turns"]):
            if turn["content"].strip():
                names.append(f"{session['id']}:{number}")
                told.append(_episode(session, turn))
    turns_of: dict[str, set[str]] = defaultdict(set)
    for name, result in zip(names, memory.add_many(told), strict=True):
        turns_of[result.episode.uuid].add(name)
    return turns_of


def _episode(session: Mapping[str, Any], turn: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "content": turn["content"],
        "speaker": turn["role"],
        "source": "message",
        "name": session["id"],
        "reference_time": _moment(session["date"]),
        "extract": False,
    }


def _moment(date: str) -> dt.datetime:
    """The instant of a date as the data has it.

    >>> _moment("2023/03/15 (Wed) 03:53").isoformat()
    '2023-03-15T03:53:00+00:00'
    """
    day, _, minute = date.split()
    return dt.datetime.strptime(f"{day} {minute}", "%Y/%m/%d %H:%M").replace(tzinfo=dt.UTC)


def _ask(
    memory: Memory, item: Mapping[str, Any], recipe: str, turns_of: Mapping[str, set[str]], sessions: Mapping[str, Any]
) -> dict[str, Any]:
    started = time.perf_counter()
    found = memory.search(item["question"], limit=TURNS, scopes=("episodes",), **asked(recipe))
    spent = (time.perf_counter() - started) * 1_000
    hits = [Found(frozenset(turns_of[hit.item.uuid]), hit.score, hit.item.speaker == "assistant") for hit in found.episodes]
    marked = {
        f"{name}:{number}"
        for name in item["gold"]
        for number, turn in enumerate(sessions[name]["turns"])
        if turn["has_answer"] and turn["content"].strip()
    }
    return {
        "question": item["id"],
        "type": item["type"],
        "recipe": recipe,
        "gold": set(item["gold"]),
        "hits": hits,
        "turns": ranks([hit.turns for hit in hits], marked),
        "ms": round(spent, 2),
    }


def rank_sessions(hits: Sequence[Found], ranking: Ranking) -> list[str]:
    """Sessions, best first, by the scores of their turns: from 1 for the best turn found to 0 for the last.

    >>> hits = [Found(frozenset({"a:0"}), 9, True), Found(frozenset({"b:0"}), 8, False), Found(frozenset({"b:1"}), 4, False)]
    >>> rank_sessions(hits, BEST_TURN), rank_sessions(hits, Ranking(0.0, 0.5))
    (['a', 'b'], ['b', 'a'])
    """
    if not hits:
        return []
    low, high = min(hit.score for hit in hits), max(hit.score for hit in hits)
    turns: dict[str, list[float]] = defaultdict(list)
    for hit in hits:
        score = (hit.score - low) / (high - low) if high > low else 1.0
        for session in sorted({turn.partition(":")[0] for turn in hit.turns}):
            turns[session].append(score * (ranking.assistant if hit.by_assistant else 1.0))
    best = {session: sorted(scores, reverse=True)[:2] for session, scores in turns.items()}
    return best_first({session: scores[0] + ranking.second * sum(scores[1:]) for session, scores in best.items()})


def _judge(answers: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Choose a ranking for each half, put the ranks of the gold sessions under it into the answers, and sum up."""
    ids = [item["question"] for item in answers]
    by_ranking = {ranking: [_sessions(item, ranking) for item in answers] for ranking in RANKINGS}

    def score(ranking: Ranking, places: Sequence[int]) -> float:
        found = [by_ranking[ranking][place] for place in places]
        return gain([_any(item) + _all(item) for item in found])

    chosen = two_fold(ids, RANKINGS, score)
    for place, item in enumerate(answers):
        item["sessions"] = by_ranking[chosen[half(item["question"])]][place]
    missed = Counter(item["type"] for item in answers if not _any(item["sessions"]))
    marked = [recall(item["turns"], _TURN_RECALL) for item in answers if item["turns"]]
    return {
        "any@5": interval([_any(item["sessions"]) for item in answers]),
        "all@5": interval([_all(item["sessions"]) for item in answers]),
        "any@5 misses": {"all": missed.total(), **dict(sorted(missed.items()))},
        "by type": {kind: _of_type(answers, kind) for kind in sorted({item["type"] for item in answers})},
        "turn@10": interval(marked),
        "best turn alone": {
            "any@5": gain([_any(found) for found in by_ranking[BEST_TURN]]),
            "all@5": gain([_all(found) for found in by_ranking[BEST_TURN]]),
        },
        "chosen": {f"half {number}": str(tuple(ranking)) for number, ranking in enumerate(chosen)},
        "search_ms": spread([item["ms"] for item in answers]),
    }


def _sessions(item: Mapping[str, Any], ranking: Ranking) -> list[int | None]:
    return ranks([{name} for name in rank_sessions(item["hits"], ranking)], item["gold"])


def _of_type(answers: Sequence[Mapping[str, Any]], kind: str) -> dict[str, Any]:
    found = [item["sessions"] for item in answers if item["type"] == kind]
    return {"any@5": round(gain(list(map(_any, found))), 4), "all@5": round(gain(list(map(_all, found))), 4), "n": len(found)}


def _any(found: Sequence[int | None]) -> float:
    return float(any(rank is not None and rank <= FIRST for rank in found))


def _all(found: Sequence[int | None]) -> float:
    return float(all(rank is not None and rank <= FIRST for rank in found))
