"""Episode mentions: what more episodes tell of comes first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tkgmem.search.fuse import Scored
from tkgmem.search.rerank.order import by_score


def episode_mentions(ranked: Sequence[Scored], episodes: Mapping[int, int]) -> list[Scored]:
    """The rows by the number of episodes that support a fact or name an entity (see `store.evidence`), which is the new score.

    A row that is not in `episodes` has none. At a tie the better one before is first, then the lower row.
    """
    return by_score(ranked, {row: float(number) for row, number in episodes.items()})
