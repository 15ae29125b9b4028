"""Communities: groups on known graphs beside networkx, a large memory, drift, nothing that is over in a summary, a talk.

The parts: `graphs` (pure label propagation), `scale` (10,000 entities and 50,000 facts), `drift` (1,000 additions, then a whole
refresh), `ended` (random histories), `talk` (wide questions about a LoCoMo conversation).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.communities import drift, ended, graphs, scale, talk
from tkgmem.protocols import Embedder
from tkgmem.providers.onnx import OnnxEmbedder


def run(data: Path | None, quick: bool, *, embedder: Embedder | None = None) -> dict[str, Any]:
    """Run every part. embedder: of the large memory and of the talk, by default the one that ships."""
    embedder = OnnxEmbedder() if embedder is None else embedder
    large, joined = scale.measured(embedder, quick=quick)
    summary = {
        "graphs": graphs.measured(quick=quick),
        "scale": large,
        "drift": drift.measured(quick=quick),
        "ended": ended.measured(quick=quick),
        "talk": talk.measured(data, embedder, quick=quick),
    }
    settings = {"seeds_of_asyn_lpa": graphs.seeds(quick=quick), "embedder": embedder.name}
    return {"settings": settings, "summary": summary, "samples": joined}
