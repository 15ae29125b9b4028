"""LoCoMo conversations as messages: the share of a question's evidence turns among the first ten episodes found.

Category 5 (questions without an answer in the conversation) is shown apart. Labels are used as given; a question none of whose
evidence ids names a turn is left out. Ids of turns never enter an index.
"""

from __future__ import annotations

import datetime as dt
import re
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.datasets import rows
from benchmarks.numbers import mean, spread
from tkgmem import Memory
from tkgmem.protocols import Embedder

FILE = "locomo/conversations.jsonl.gz"
LIMIT = 10
UNANSWERABLE = 5
_EVIDENCE = re.compile(r"D\d+:\d+")
_SESSION = re.compile(r"session_(\d+)")
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


def run(data: Path | None, quick: bool, *, all_conversations: bool = False, embedder: Embedder | None = None) -> dict[str, Any]:
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
                answers += _ask(memory, conversation, said)
            facts = memory.stats().facts
        size = path.stat().st_size
    ingest = {"turns": turns, "turns_per_second": round(turns / seconds, 1), "facts": facts, "file_bytes": size}
    return {
        "settings": {"conversations": [item["sample_id"] for item in chosen], "limit": LIMIT, "sessions": sessions},
        "summary": {
            "evidence_found": _shares(answers),
            "search_ms": spread([item["ms"] for item in answers]),
            "ingest": ingest,
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


def _ask(memory: Memory, conversation: Mapping[str, Any], said: Mapping[str, set[str]]) -> Iterator[dict[str, Any]]:
    known = set().union(*said.values())
    for number, item in enumerate(conversation["qa"]):
        evidence = set(_EVIDENCE.findall(" ".join(item["evidence"]))) & known
        if not evidence:
            continue
        started = time.perf_counter()
        found = memory.search(item["question"], limit=LIMIT, scopes=("episodes",), group=conversation["sample_id"])
        spent = (time.perf_counter() - started) * 1_000
        turns = set().union(*(said[hit.item.uuid] for hit in found.episodes))
        yield {
            "conversation": conversation["sample_id"],
            "question": number,
            "category": item["category"],
            "evidence": len(evidence),
            "found": len(evidence & turns),
            "ms": round(spent, 2),
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
