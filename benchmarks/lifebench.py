"""LifeBench phone records as JSON episodes: the share of a question's records among the first ten found, in each language.

One file per pool: the Chinese records, the English ones, and both together, where a record counts once, whichever of its twins
is found. Questions are asked in both languages of each pool. The ids are parallel in the two languages. Questions without gold
records are left out. Ids never enter an index.
"""

from __future__ import annotations

import datetime as dt
import json
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.chosen import SEED, interval
from benchmarks.datasets import rows
from benchmarks.numbers import spread
from benchmarks.recipes import RECIPES, asked, ranks, recall
from tkgmem import Memory
from tkgmem.protocols import Embedder
from tkgmem.testing import FixedClock

PERSON = "lumingqiang"
LANGUAGES = ("zh", "en")
POOLS = {"zh": ("zh",), "en": ("en",), "mixed": LANGUAGES}
LIMIT = 10
_QUICK_RECORDS, _QUICK_QUESTIONS = 300, 20


def run(
    data: Path | None, quick: bool, *, embedder: Embedder | None = None, recipes: Sequence[str] = RECIPES
) -> dict[str, Any]:
    """Ingest each pool and ask each question of it."""
    questions = {language: _questions(data, language) for language in LANGUAGES}
    records = {language: rows(data, f"lifebench/{language}-{PERSON}.records.jsonl.gz") for language in LANGUAGES}
    if quick:
        questions = {language: asked_first[:_QUICK_QUESTIONS] for language, asked_first in questions.items()}
        wanted = {name for item in questions["zh"] for name in item["gold"]}
        records = {language: _sample(told, wanted) for language, told in records.items()}
    answers: list[dict[str, Any]] = []
    for pool, languages in POOLS.items():
        told = [record for language in languages for record in records[language]]
        clock = FixedClock(max(filter(None, map(_moment, told))) + dt.timedelta(days=1))
        with Memory(":memory:", embedder=embedder, clock=clock) as memory:
            results = memory.add_many([episode(record) for record in told])
            records_of: dict[str, set[str]] = defaultdict(set)  # the same words at the same time twice are one episode
            for record, result in zip(told, results, strict=True):
                records_of[result.episode.uuid].add(record["id"])
            memory.search("warm up", scopes=("episodes",))
            for recipe in recipes:
                for language in LANGUAGES:
                    answers += [
                        {"pool": pool, "recipe": recipe, "language": language} | _ask(memory, item, recipe, records_of)
                        for item in questions[language]
                    ]
    return {
        "seed": SEED,
        "settings": {"person": PERSON, "limit": LIMIT, "records": {name: len(told) for name, told in records.items()}},
        "summary": {recipe: _summary([item for item in answers if item["recipe"] == recipe]) for recipe in recipes},
        "samples": answers,
    }


def episode(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record as `Memory.add` takes it."""
    return {
        "content": json.dumps(record["record"], ensure_ascii=False),
        "source": "json",
        "reference_time": _moment(record),
        "extract": False,
    }


def _questions(data: Path | None, language: str) -> list[dict[str, Any]]:
    return [item for item in rows(data, f"lifebench/{language}-{PERSON}.questions.jsonl.gz") if item["gold"]]


def _sample(records: Sequence[dict[str, Any]], wanted: set[str]) -> list[dict[str, Any]]:
    """The first records, and those that are asked for."""
    return [record for place, record in enumerate(records) if place < _QUICK_RECORDS or record["id"] in wanted]


def _moment(record: Mapping[str, Any]) -> dt.datetime | None:
    """When it was recorded; contacts have no time, and are told when the memory is made."""
    return dt.datetime.fromisoformat(record["time"]).replace(tzinfo=dt.UTC) if record["time"] else None


def _ask(memory: Memory, item: Mapping[str, Any], recipe: str, records_of: Mapping[str, set[str]]) -> dict[str, Any]:
    started = time.perf_counter()
    found = memory.search(item["question"], limit=LIMIT, scopes=("episodes",), **asked(recipe))
    spent = (time.perf_counter() - started) * 1_000
    names = [records_of[hit.item.uuid] for hit in found.episodes]
    return {"question": item["id"], "type": item["type"], "ranks": ranks(names, item["gold"]), "ms": round(spent, 2)}


def _summary(answers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Recall per pool and language of the question, by type too, and what mixing the languages leaves of it."""
    found = {
        f"{language} on {pool}": [item for item in answers if (item["pool"], item["language"]) == (pool, language)]
        for pool in POOLS
        for language in LANGUAGES
    }
    shares = {name: _recall(items) for name, items in found.items()}
    types = sorted({item["type"] for item in answers})
    return {
        "recall@10": shares,
        "mixed of single": {
            language: _ratio(shares[f"{language} on mixed"]["mean"], shares[f"{language} on {language}"]["mean"])
            for language in LANGUAGES
        },
        "recall@10 by type": {
            f"{language} {kind}": _recall([item for item in found[f"{language} on {language}"] if item["type"] == kind])
            for language in LANGUAGES
            for kind in types
        },
        "search_ms": spread([item["ms"] for item in answers]),
    }


def _recall(items: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return interval([recall(item["ranks"], LIMIT) for item in items])


def _ratio(part: float | None, whole: float | None) -> float | None:
    return round(part / whole, 4) if part is not None and whole else None
