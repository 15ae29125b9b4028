"""What every reranker takes and gives: rows with scores, best first; the same rows come out, each once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tkgmem.search.fuse import Scored


def by_score(ranked: Sequence[Scored], scores: Mapping[int, float], otherwise: float = 0.0) -> list[Scored]:
    """The rows by new scores, higher first; at a tie the better one before, then the lower row. otherwise: the score of a row
    that has none.

    >>> by_score([(7, 0.9), (8, 0.5), (9, 0.5)], {9: 2.0})
    [(9, 2.0), (7, 0.0), (8, 0.0)]
    """
    keyed = [(-scores.get(row, otherwise), -before, row) for row, before in ranked]
    return [(row, -score) for score, _, row in sorted(keyed)]
