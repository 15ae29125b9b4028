"""Reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009, k = 60): only ranks count, so any lists can be mixed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

K = 60


def fuse(lists: Mapping[str, Sequence[int]], k: int = K) -> list[tuple[int, float, dict[str, int]]]:
    """Rows with their score and their 1-based rank in each list, best first; the lower row first at a tie.

    >>> [row for row, _, _ in fuse({"bm25": [7, 8], "cosine": [8, 9]})]
    [8, 7, 9]
    """
    ranks: dict[int, dict[str, int]] = {}
    for name, rows in lists.items():
        for rank, row in enumerate(rows, 1):
            ranks.setdefault(row, {}).setdefault(name, rank)
    scored = [(row, sum(1 / (k + rank) for rank in found.values()), found) for row, found in ranks.items()]
    return sorted(scored, key=lambda item: (-item[1], item[0]))
