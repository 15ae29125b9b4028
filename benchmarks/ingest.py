"""Ingest of one LoCoMo conversation without a model: turns a second, and how much of the time is not the embedder's.

Several runs into new files; the embedder is warm. What the vectors cost is measured around its calls, in the same run.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.locomo import conversations, passages
from benchmarks.numbers import spread
from tkgmem import Memory
from tkgmem.protocols import Embedder
from tkgmem.providers.onnx import OnnxEmbedder

if TYPE_CHECKING:
    from tkgmem.protocols import Vectors

RUNS = 3
_QUICK_SESSIONS = 2


class _Watched:
    """An embedder that counts the seconds spent in it."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name, self.dimension, self.sha256 = embedder.name, embedder.dimension, embedder.sha256
        self.seconds = 0.0

    def spans(self, text: str) -> list[tuple[int, int]]:
        started = time.perf_counter()
        found = self._embedder.spans(text)
        self.seconds += time.perf_counter() - started
        return found

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        started = time.perf_counter()
        vectors = self._embedder.embed_passages(texts)
        self.seconds += time.perf_counter() - started
        return vectors

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._embedder.embed_queries(texts)


def run(data: Path | None, quick: bool, *, embedder: Embedder | None = None) -> dict[str, Any]:
    """Add the turns of the first conversation in one call, into a new file each time."""
    watched = _Watched(OnnxEmbedder() if embedder is None else embedder)
    watched.embed_passages(["warm up"])
    turns = list(passages(conversations(data)[0], sessions=_QUICK_SESSIONS if quick else None))
    samples: list[dict[str, Any]] = []
    for _ in range(1 if quick else RUNS):
        with tempfile.TemporaryDirectory() as folder, Memory(Path(folder) / "me.db", embedder=watched) as memory:
            watched.seconds, started = 0.0, time.perf_counter()
            memory.add_many(turns)
            seconds = time.perf_counter() - started
            samples.append(
                {
                    "seconds": round(seconds, 3),
                    "embedder_seconds": round(watched.seconds, 3),
                    "turns_per_second": round(len(turns) / seconds, 2),
                    "share_besides_embedder": round(1 - watched.seconds / seconds, 4),
                    "facts": memory.stats().facts,
                }
            )
    return {
        "settings": {"turns": len(turns), "runs": len(samples)},
        "summary": {
            "turns_per_second": spread([sample["turns_per_second"] for sample in samples]),
            "share_besides_embedder": spread([sample["share_besides_embedder"] for sample in samples]),
            "facts": samples[0]["facts"],
        },
        "samples": samples,
    }
