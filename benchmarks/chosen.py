"""Parameters chosen without looking at what they are judged by, and how sure a figure is.

The cases are cut in two halves by their ids alone; each half is judged with what did best on the other one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from benchmarks.numbers import mean

SEED = 11
RESAMPLES = 1_000
_PERCENT = (2.5, 97.5)

Option = TypeVar("Option")


def half(identifier: str) -> int:
    """0 or 1, always the same for an id.

    >>> [half(name) for name in ("a", "b", "e", "f")]
    [0, 0, 1, 1]
    """
    return hashlib.sha256(identifier.encode()).digest()[0] & 1


def two_fold(
    ids: Sequence[str], options: Sequence[Option], score: Callable[[Option, Sequence[int]], Any]
) -> tuple[Option, Option]:
    """The options that half 0 and half 1 of the cases are judged with: each was the best on the other half.

    score: how well an option does on the cases at these places, a number or a tuple of them; higher is better, the earlier
    option at a tie. A half without cases to choose by takes the first option.

    >>> gains = {"low": [1, 1, 1, 0], "high": [0, 0, 1, 5]}
    >>> two_fold("abef", ["low", "high"], lambda option, places: sum(gains[option][place] for place in places))
    ('high', 'low')
    """
    chosen = []
    for judged in (0, 1):
        others = [place for place, name in enumerate(ids) if half(name) != judged]
        chosen.append(max(options, key=lambda option: score(option, others)) if others else options[0])
    return chosen[0], chosen[1]


def interval(parts: Sequence[float], wholes: Sequence[float] | None = None) -> dict[str, Any]:
    """The mean of `parts`, or their sum over that of `wholes`, between the bounds that hold 95% of the resampled ones.

    The bootstrap of Efron (1979) over the cases, with a fixed seed. Values are None where there is nothing to divide by.

    >>> interval([1.0, 1.0]), interval([], [])["mean"]
    ({'mean': 1.0, 'interval': [1.0, 1.0], 'n': 2}, None)
    """
    import numpy as np

    over = [1.0] * len(parts) if wholes is None else wholes
    if not sum(over):
        return {"mean": None, "interval": None, "n": len(parts)}
    above, below = np.asarray(parts, float), np.asarray(over, float)
    drawn = np.random.default_rng(SEED).integers(0, len(above), (RESAMPLES, len(above)))
    sums = below[drawn].sum(axis=1)
    ratios = above[drawn].sum(axis=1)[sums > 0] / sums[sums > 0]
    low, high = np.percentile(ratios, _PERCENT)
    return {
        "mean": round(float(above.sum() / below.sum()), 4),
        "interval": [round(float(low), 4), round(float(high), 4)],
        "n": len(parts),
    }


def gain(values: Sequence[float]) -> float:
    """The mean, 0 of nothing: a score to choose by."""
    return mean(values) or 0.0
