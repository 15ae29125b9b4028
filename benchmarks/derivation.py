"""The cost of one more claim on a pile of 10 against one of 1,000: the next add_fact, and the derivation alone.

A pile is what can conflict: the claims of one group, source and functional relation.
"""

from __future__ import annotations

import datetime as dt
import random
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.numbers import spread
from tkgmem import Memory
from tkgmem.temporal.claim import Claim
from tkgmem.temporal.timeline import derive
from tkgmem.testing import FixedClock, HashEmbedder

SEED = 11
_START = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)


def run(data: Path | None, quick: bool) -> dict[str, Any]:  # noqa: ARG001
    """Measure both at each size; the next claim starts at a random day among the others, so the pile is in no order."""
    repeats = 5 if quick else 30
    samples: dict[str, dict[str, list[float]]] = {"add_fact_ms": {}, "derive_ms": {}}
    for size in (10, 100) if quick else (10, 1_000):
        claims = _pile(size)
        samples["derive_ms"][str(size)] = [_milliseconds(partial(derive, claims)) for _ in range(repeats)]
        samples["add_fact_ms"][str(size)] = _next_facts(size, repeats)
    return {
        "seed": SEED,
        "settings": {"repeats": repeats, "embedder": HashEmbedder().name},
        "summary": {name: {size: spread(found) for size, found in sizes.items()} for name, sizes in samples.items()},
        "samples": samples,
    }


def _pile(size: int) -> list[Claim]:
    chance = random.Random(SEED)
    return [
        Claim(
            id=number,
            order=(number, 0, f"claim-{number:06}"),
            triple=("Ann", "WORKS_AT", number),
            slots=(("Ann", "WORKS_AT"),),
            start=chance.randrange(10**15),
        )
        for number in range(size)
    ]


def _next_facts(size: int, repeats: int) -> list[float]:
    """Milliseconds of each of `repeats` further facts on a pile of `size`."""
    chance = random.Random(SEED)
    clock = FixedClock(_START, step=dt.timedelta(seconds=1))
    with Memory(":memory:", embedder=HashEmbedder(), clock=clock) as memory:

        def add(number: int) -> None:
            day = _START + dt.timedelta(days=chance.randrange(2_000))
            memory.add_fact("Ann", "WORKS_AT", f"Company {number}", valid_at=day)

        for number in range(size):
            add(number)
        return [_milliseconds(partial(add, number)) for number in range(size, size + repeats)]


def _milliseconds(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return round((time.perf_counter() - started) * 1_000, 3)
