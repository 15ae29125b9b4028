"""Milliseconds of the default search over 1,000 to 100,000 facts, a third of them superseded, now and as of two past clocks.

The rows have real vectors of about 10,000 texts of the data, with a little noise; the question is embedded for real. Beside the
times: how much of the 20 nearest by exact comparison the index finds, the first search of a new process, and its memory.
"""

from __future__ import annotations

import datetime as dt
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import bulk
from benchmarks.datasets import rows
from benchmarks.locomo import conversations, passages
from benchmarks.numbers import mean, spread
from tkgmem import Memory
from tkgmem.protocols import Embedder
from tkgmem.providers.onnx import OnnxEmbedder
from tkgmem.store import nearest, shelves
from tkgmem.store.clocks import EVERYTHING, view_claims
from tkgmem.temporal.period import to_micros
from tkgmem.testing import FixedClock

SEED = 11
_SIZES, _MILLION = (1_000, 10_000, 100_000), 1_000_000
_TEXTS, _QUESTIONS, _WARM = 10_000, 120, 10
_LIFEBENCH = ("lifebench/en-lumingqiang.records.jsonl.gz", "lifebench/en-fenghaoran.records.jsonl.gz")
_NOW = bulk.TOLD + dt.timedelta(days=900)
_COLD = """
import json, resource, sys, time
started = time.perf_counter()
from tkgmem import Memory
imported = time.perf_counter()
with Memory(sys.argv[1]) as memory:
    opened = time.perf_counter()
    memory.search(sys.argv[2])
    first = time.perf_counter()
    memory.search(sys.argv[2])
    second = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
spans = {"import": imported - started, "open": opened - imported, "first": first - opened, "second": second - first}
print(json.dumps({**{name: round(value * 1000, 1) for name, value in spans.items()}, "peak_mb": round(peak)}))
"""


def run(data: Path | None, quick: bool, *, embedder: Embedder | None = None, million: bool = False) -> dict[str, Any]:
    """Build a file of each size, ask it, and ask it anew in another process."""
    sizes = (1_000,) if quick else (*_SIZES, _MILLION) if million else _SIZES
    sentences, questions = texts_and_questions(data)
    sentences, questions = sentences[: 300 if quick else _TEXTS], questions[: 20 if quick else _QUESTIONS]
    asking = OnnxEmbedder()
    vectors = (embedder or asking).embed_passages(sentences)
    summary, samples = {}, {}
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "latency.db"
            bulk.build(path, size, sentences, vectors, asking)
            summary[str(size)], samples[str(size)] = _measured(path, asking, questions, size)
    return {
        "seed": SEED,
        "settings": {"sizes": list(sizes), "texts": len(sentences), "questions": len(questions), "embedder": asking.name},
        "summary": summary,
        "samples": samples,
    }


def texts_and_questions(data: Path | None) -> tuple[list[str], list[str]]:
    """Short texts and questions, in an order that does not depend on the run."""
    chance = random.Random(SEED)
    if data is None:
        words = "the a river house train green slow paints keeps near after city garden letter brings his her old week"
        made = [" ".join(chance.choices(words.split(), k=chance.randint(5, 40))) for _ in range(600)]
        return made[:500], [f"When did {one}?" for one in made[500:]]
    texts = [f"{turn['speaker']}: {turn['content']}" for talk in conversations(data) for turn in passages(talk)]
    for file in _LIFEBENCH:
        texts += [". ".join(str(value) for value in row["record"].values())[:300] for row in rows(data, file)]
    texts = sorted({text[:300] for text in texts})
    questions = sorted({item["question"] for talk in conversations(data) for item in talk["qa"]})
    chance.shuffle(texts)
    chance.shuffle(questions)
    return texts, questions


def _measured(path: Path, embedder: Embedder, questions: Sequence[str], size: int) -> tuple[dict[str, Any], dict[str, Any]]:
    chance = random.Random(SEED)
    cold = subprocess.run([sys.executable, "-c", _COLD, path, questions[0]], capture_output=True, text=True, check=True)
    samples: dict[str, list[dict[str, Any]]] = {"plain": [], "both_clocks": []}
    with Memory(path, embedder=embedder, clock=FixedClock(_NOW)) as memory:
        for number, question in enumerate([*questions[:_WARM], *questions]):
            if number % 2:  # half of them name someone
                question = f"{bulk.name(chance.randrange(size // 20))}: {question}"  # noqa: PLW2901
            told = bulk.TOLD + chance.uniform(0.3, 1) * size * bulk.STEP
            clocks = {"valid_at": dt.datetime(chance.randint(2014, 2023), 6, 1, tzinfo=dt.UTC), "known_at": told}
            for name, asked in (("plain", {}), ("both_clocks", clocks)):
                started = time.perf_counter()
                found = memory.search(question, **asked)
                spent = (time.perf_counter() - started) * 1_000
                if number >= _WARM:
                    stages = {stage: round(value, 3) for stage, value in found.timings.items()}
                    hits = [len(found.facts), len(found.entities), len(found.episodes)]
                    samples[name].append({"ms": round(spent, 3), "hits": hits, "stages": stages})
        recall = [_recall(memory, embedder, question) for question in questions[:60]]
    summary = {name: _summary(found) for name, found in samples.items()}
    summary["both_clocks_to_plain"] = round(summary["both_clocks"]["rest"]["p50"] / summary["plain"]["rest"]["p50"], 3)
    summary["recall_20"] = mean(recall)
    summary["cold_ms"] = json.loads(cold.stdout)
    return summary, samples


def _summary(samples: Sequence[dict[str, Any]]) -> dict[str, Any]:
    stages = sorted({stage for sample in samples for stage in sample["stages"]})
    return {
        "total": spread([sample["ms"] for sample in samples]),
        "rest": spread([sample["ms"] - sample["stages"].get("embed", 0.0) for sample in samples]),
        **{stage: spread([sample["stages"].get(stage, 0.0) for sample in samples]) for stage in stages},
    }


def _recall(memory: Memory, embedder: Embedder, question: str) -> float:
    """The share of the 20 visible claims nearest by exact comparison that the index gives as its first 20."""
    vector = embedder.embed_queries([question])[0]
    with memory._store.read() as db:  # noqa: SLF001 - the index below the search
        group = int(db.execute("SELECT id FROM groups WHERE name = 'default'").get)
        view = view_claims([group], valid_at=to_micros(_NOW), known_at=EVERYTHING, include_ended=False)
        asked = nearest.Neighbours(vector, [group], memory._store.matrices)  # noqa: SLF001
        given = [row for row, _ in nearest.nearest(db, "claim", asked, view, 20)]
        visible = {row for (row,) in db.execute(view.ids, view.bindings)}
        [shelf] = shelves.of(db, "claim", [group])
        frame = shelves.frame(db, shelf)
        placed = frame.question(vector, frame.centre)
        scored: list[tuple[float, int]] = []
        query = "SELECT p.claim_id, v.vector FROM passages p JOIN vectors v ON v.id = p.id WHERE p.shelf_id = ?"
        found = db.execute(query, (shelf.id,))
        while batch := list(islice(found, 4_096)):
            stored = np.frombuffer(b"".join(blob for _, blob in batch), np.float32).reshape(len(batch), -1)
            likeness = (frame.placed(stored) @ placed).tolist()
            scored += [(-value, row) for value, (row, _) in zip(likeness, batch, strict=True) if row in visible]
    best = {row for _, row in sorted(scored)[:20]}
    return len(best & set(given)) / len(best)
