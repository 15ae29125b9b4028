"""The shipped embedder: milliseconds a question, passages a second on one and two threads, milliseconds to load.

The texts are the turns and questions of the first LoCoMo conversation, or made-up ones without --data.
"""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

from benchmarks.locomo import conversations, passages
from benchmarks.numbers import percentile, spread
from tkgmem.providers.onnx import OnnxEmbedder

SEED = 7
_WORDS = "the a river house train green slow paints keeps near after city garden letter brings his her old small week"


def run(data: Path | None, quick: bool) -> dict[str, Any]:
    """Measure. Each rate is that of the fastest of three passes over all texts: the machine may be shared."""
    texts, questions = _texts(data)
    texts, questions = (texts[:40], questions[:20]) if quick else (texts[:400], questions[:200])
    started = time.perf_counter()
    embedder = OnnxEmbedder()
    embedder.embed_queries(["warm up"])
    load = (time.perf_counter() - started) * 1_000
    latencies = [_milliseconds(embedder, question) for question in questions]
    rates: dict[str, list[float]] = {}
    for threads in (1, 2):
        bulk = OnnxEmbedder(threads=threads)
        bulk.embed_passages(texts[:1])
        rates[f"threads_{threads}"] = [_rate(bulk, texts) for _ in range(1 if quick else 3)]
    return {
        "seed": SEED,
        "settings": {
            "texts": len(texts),
            "characters": sum(map(len, texts)),
            "source": "made up" if data is None else "locomo",
        },
        "summary": {
            "load_ms": round(load, 1),
            "query_ms": spread(latencies),
            "passages_per_second": {name: round(percentile(found, 100), 1) for name, found in rates.items()},
        },
        "samples": {"query_ms": [round(value, 3) for value in latencies], "passages_per_second": rates},
    }


def _texts(data: Path | None) -> tuple[list[str], list[str]]:
    if data is None:
        chance = random.Random(SEED)
        made = [" ".join(chance.choices(_WORDS.split(), k=chance.randint(5, 40))) for _ in range(600)]
        return made[:400], made[400:]
    first = conversations(data)[0]
    return [f"{turn['speaker']}: {turn['content']}" for turn in passages(first)], [item["question"] for item in first["qa"]]


def _milliseconds(embedder: OnnxEmbedder, question: str) -> float:
    started = time.perf_counter()
    embedder.embed_queries([question])
    return (time.perf_counter() - started) * 1_000


def _rate(embedder: OnnxEmbedder, texts: list[str]) -> float:
    started = time.perf_counter()
    embedder.embed_passages(texts)
    return len(texts) / (time.perf_counter() - started)
