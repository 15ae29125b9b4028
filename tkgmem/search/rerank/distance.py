"""Node distance: what lies fewer facts away from a centre comes first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tkgmem.search.fuse import Scored
from tkgmem.search.rerank.order import by_score


def node_distance(ranked: Sequence[Scored], hops: Mapping[int, int]) -> list[Scored]:
    """The rows by their distance from a centre, the unreachable ones last; at a tie the better one before, then the lower row.

    hops: how many facts lie between the centre and a row, 0 for the centre itself, as walked through facts that are visible at
    the asked clocks; a row that was not reached is not in it. The new score is 1 / (1 + hops), 0 for the unreachable.
    """
    return by_score(ranked, {row: 1 / (1 + away) for row, away in hops.items()})
