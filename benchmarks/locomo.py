"""LoCoMo conversations as messages: the share of a question's evidence turns, and of their sessions, among the first found.

Sessions are ranked by their best turns. Category 5 (questions without an answer in the conversation) is shown apart. Labels are
used as given; a question none of whose evidence ids names a turn is left out. Ids of turns never enter an index.
"""

from __future__ import annotations

import datetime as dt
import re
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.chosen import SEED, interval
from benchmarks.datasets import rows
from benchmarks.numbers import mean, spread
from benchmarks.recipes import DEFAULT, RECIPES, asked, ranks, recall
from tkgmem import Memory
from tkgmem.protocols import Embedder

FILE = "locomo/conversations.jsonl.gz"
LIMIT = 10
UNANSWERABLE = 5
_EVIDENCE = re.compile(r"D\d+:\d+")
_SESSION = re.compile(r"session_(\d+)")
_TURNS = 100
"""How many turns are asked for to rank sessions by."""

_QUICK_SESSIONS = 3


def conversations(data: Path | None) -> list[dict[str, Any]]:
    """The conversations, each with "sample_id", "conversation" and "qa"."""
    return rows(data, FILE)


def passages(conversation: Mapping[str, Any], *, sessions: int | None = None) -> Iterator[dict[str, Any]]:
    """The turns in order, as `Memory.add` takes them; an image is described after the words. sessions: only the first few."""
    talk = conversation["conversation"]
    numbers = sorted(int(match[1]) for key in talk if (match := _SESSION.fullmatch(key)))
    for number in numbers[:sessions]:
        told = dt.datetime.strptime(talk[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=dt.UTC)
        for turn in talk[f"session_{number}"]:
            caption = turn.get("blip_caption")
            yield {
                "content": turn["text"] + (f" [image: {caption}]" if caption else ""),
                "speaker": turn["speaker"],
                "reference_time": told.isoformat(),
                "source": "message",
                "name": conversation["sample_id"],
                "metadata": {"dia_id": turn["dia_id"]},
            }


def run(
    data: Path | None,
    quick: bool,
    *,
    all_conversations: bool = False,
    embedder: Embedder | None = None,
    recipes: Sequence[str] = RECIPES,
) -> dict[str, Any]:
    """Ingest into one file, a group per conversation, then ask each question in its group."""
    chosen = conversations(data)[: None if all_conversations else 1]
    sessions = _QUICK_SESSIONS if quick else None
    answers: list[dict[str, Any]] = []
    turns, seconds = 0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "locomo.db"
        with Memory(path, embedder=embedder) as memory:
            memory.search("warm up", scopes=("episodes",))
            for conversation in chosen:
                told = list(passages(conversation, sessions=sessions))
                started = time.perf_counter()
                said = _ingest(memory, told, conversation["sample_id"])
                seconds += time.perf_counter() - started
                turns += len(told)
                for recipe in recipes:
                    answers += _ask(memory, conversation, said, recipe)
            facts = memory.stats().facts
        size = path.stat().st_size
    ingest = {"turns": turns, "turns_per_second": round(turns / seconds, 1), "facts": facts, "file_bytes": size}
    found = {recipe: [item for item in answers if item["recipe"] == recipe] for recipe in recipes}
    first = found[DEFAULT if DEFAULT in found else recipes[0]]
    return {
        "seed": SEED,
        "settings": {"conversations": [item["sample_id"] for item in chosen], "limit": LIMIT, "sessions": sessions},
        "summary": {
            "evidence_found": _shares(first),
            "search_ms": spread([item["ms"] for item in first]),
            "ingest": ingest,
            "recall": {recipe: _recall(items) for recipe, items in found.items()},
        },
        "samples": answers,
    }


def _ingest(memory: Memory, told: list[dict[str, Any]], group: str) -> dict[str, set[str]]:
    """Add the turns. Returns the turn ids of each episode: the same words twice in a session are one episode."""
    said: dict[str, set[str]] = defaultdict(set)
    results = memory.add_many([turn | {"group": group} for turn in told])
    for turn, result in zip(told, results, strict=True):
        said[result.episode.uuid].add(turn["metadata"]["dia_id"])
    return said


def _ask(
    memory: Memory, conversation: Mapping[str, Any], said: Mapping[str, set[str]], recipe: str
) -> Iterator[dict[str, Any]]:
    known = set().union(*said.values())
    place = {"scopes": ("episodes",), "group": conversation["sample_id"], **asked(recipe)}
    for number, item in enumerate(conversation["qa"]):
        evidence = set(_EVIDENCE.findall(" ".join(item["evidence"]))) & known
        if not evidence:
            continue
        started = time.perf_counter()
        found = memory.search(item["question"], limit=LIMIT, **place)
        spent = (time.perf_counter() - started) * 1_000
        turns = [said[hit.item.uuid] for hit in found.episodes]
        more = [said[hit.item.uuid] for hit in memory.search(item["question"], limit=_TURNS, **place).episodes]
        sessions = dict.fromkeys(_session(name) for names in more for name in sorted(names))
        yield {
            "conversation": conversation["sample_id"],
            "question": number,
            "category": item["category"],
            "recipe": recipe,
            "evidence": len(evidence),
            "found": len(evidence & set().union(*turns)),
            "turns": ranks(turns, evidence),
            "sessions": ranks([{name} for name in sessions], map(_session, evidence)),
            "ms": round(spent, 2),
        }


def _session(turn: str) -> str:
    return turn.partition(":")[0]


def _recall(answers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Turn and session recall with their intervals: over categories 1 to 4, and per category."""
    parts = {"categories 1-4": [item for item in answers if item["category"] != UNANSWERABLE]} | {
        f"category {category}": [item for item in answers if item["category"] == category]
        for category in sorted({item["category"] for item in answers})
    }
    return {
        name: {
            "turn@5": interval([recall(item["turns"], 5) for item in items]),
            "turn@10": interval([recall(item["turns"], 10) for item in items]),
            "session@10": interval([recall(item["sessions"], 10) for item in items]),
        }
        for name, items in parts.items()
    }


def _shares(answers: list[dict[str, Any]]) -> dict[str, Any]:
    """The mean share of evidence found: per category, over 1 to 4, and over all."""
    shares: dict[int, list[float]] = defaultdict(list)
    for answer in answers:
        shares[answer["category"]].append(answer["found"] / answer["evidence"])

    def row(categories: list[int]) -> dict[str, Any]:
        pooled = [share for category in categories for share in shares[category]]
        value = mean(pooled)
        return {"share": None if value is None else round(value, 4), "questions": len(pooled)}

    present = sorted(shares)
    return {
        **{f"category {category}": row([category]) for category in present},
        "categories 1-4": row([category for category in present if category != UNANSWERABLE]),
        "all": row(present),
    }
