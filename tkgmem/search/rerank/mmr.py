"""Maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998): each pick is weighed against all picks before it, so of
several rows that say the same one comes back among the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tkgmem.search.fuse import Scored

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SAME = 1 - 1e-5  # a cosine in float32 of a vector with itself
_STEPS = 2.0**20
_TINY = 1e-30


def mmr(
    ranked: Sequence[Scored],
    vectors: NDArray[np.float32],
    places: Mapping[int, int],
    *,
    diversity: float = 0.5,
) -> list[Scored]:
    """The rows in the order of picking: each maximises (1 - diversity) * score - diversity * its likeness to what is picked.

    ranked: rows with fused scores, which are scaled to [0, 1]. vectors: of any length, shape (n, dimension); places: a row's
    place in them. Likeness is the highest cosine to a picked row, 0 where that is negative or a row has no vector; vectors that
    are centred tell more. diversity: in [0, 1], 1 less the lambda of the paper; 0 changes no order. Above 0, a row with the
    same vector as a picked one comes after all others. The new score is the value that was maximised, 1 less for such a
    duplicate, so scores never rise; at a tie the better one before is first, then the lower row.

    Raises ValueError for a diversity outside [0, 1].
    """
    if not 0 <= diversity <= 1:
        raise ValueError(f"diversity must lie in [0, 1], not {diversity}")
    if not ranked:
        return []
    import numpy as np

    fused = sorted(ranked, key=lambda scored: (-scored[1], scored[0]))  # argmax takes the first of equals
    values = np.float32(1 - diversity) * _scaled([score for _, score in fused])
    costs = _likeness(vectors, [places.get(row) for row, _ in fused])
    same = costs >= _SAME
    costs *= np.float32(diversity)
    if diversity > 0:
        costs += same
    paid = np.zeros_like(values)
    now = values.copy()
    picked: list[Scored] = []
    for _ in fused:
        best = int(now.argmax())
        picked.append((fused[best][0], float(now[best])))
        np.maximum(paid, costs[best], out=paid)
        values[best] = -np.inf
        np.subtract(values, paid, out=now)
    return picked


def _scaled(scores: Sequence[float]) -> NDArray[np.float32]:
    """Scores from 0, the lowest, to 1, the highest; all 1 where they are equal."""
    import numpy as np

    given = np.array(scores)
    low, high = given.min(), given.max()
    scaled = (given - low) / (high - low) if high > low else np.ones_like(given)
    return scaled.astype(np.float32)


def _likeness(vectors: NDArray[np.float32], places: Sequence[int | None]) -> NDArray[np.float32]:
    """The cosine of every two rows; a row without a vector is like none. Rounded: the last bits decide no tie."""
    import numpy as np

    there = [index for index, place in enumerate(places) if place is not None]
    chosen = vectors[[place for place in places if place is not None]]
    unit = np.zeros((len(places), vectors.shape[1]), np.float32)
    unit[there] = chosen / np.maximum(np.linalg.norm(chosen, axis=1, keepdims=True), _TINY)
    found = unit @ unit.T
    found *= _STEPS
    np.rint(found, out=found)
    found /= _STEPS
    return found
