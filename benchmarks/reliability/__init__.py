"""Reliability: several processes, kills, power cuts, broken disks, spoilt files, forgotten bytes, answers that stay the same.

Each part is a module with `run(quick, seed=...)` that gives plain counts, and under "examples" what it found wrong. A part that
is measured alone (`--part`) takes the place of the one in the result file, and names its commit.
"""

from __future__ import annotations

import importlib
import re
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import report

PARTS = ("concurrency", "kills", "power_cuts", "faults", "mutants", "canary", "same_answers")
SEED = 20261130


def run(data: Path | None = None, quick: bool = False, *, parts: Sequence[str] | None = None) -> dict[str, Any]:  # noqa: ARG001
    """Every part, or some. No data is needed: the files are made up."""
    wanted = list(PARTS) if parts is None else [part for part in PARTS if part in parts]
    if parts is not None and (unknown := sorted(set(parts) - set(PARTS))):
        raise ValueError(f"no part {unknown[0]!r}; the parts are {', '.join(PARTS)}")
    samples, summary = {}, {}
    for part in wanted:
        began = time.perf_counter()
        found = importlib.import_module(f"benchmarks.reliability.{part}").run(quick, seed=SEED)
        folder = re.compile(re.escape(tempfile.gettempdir()) + r"/[^/\s]*/")  # a result file names no path
        samples[part] = [folder.sub("", str(example)) for example in found.pop("examples", [])]
        summary[part] = {**found, "seconds": round(time.perf_counter() - began, 1), "commit": report.commit()}
    return {"seed": SEED, "settings": {"parts": wanted}, "summary": summary, "samples": samples}
