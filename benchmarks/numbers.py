"""The statistics that results are given in. The samples they come from are kept beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence


def percentile(samples: Sequence[float], percent: float) -> float:
    """The nearest-rank percentile: the smallest sample that at least `percent` of all samples do not exceed.

    >>> percentile([4, 1, 3, 2], 50), percentile([4, 1, 3, 2], 95), percentile([7], 0)
    (2, 4, 7)
    """
    if not samples:
        raise ValueError("no samples")
    return sorted(samples)[max(0, math.ceil(len(samples) * percent / 100) - 1)]


def mean(samples: Sequence[float]) -> float | None:
    """The mean; None of no samples."""
    return math.fsum(samples) / len(samples) if samples else None


def spread(samples: Sequence[float]) -> dict[str, float]:
    """The median and the 95th percentile, in the unit of the samples, and how many there are."""
    return {"p50": round(percentile(samples, 50), 3), "p95": round(percentile(samples, 95), 3), "n": len(samples)}
