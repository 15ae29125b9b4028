"""Rerankers: each takes the fused rows, best first, and gives the same rows in a new order with new scores.

One that cannot be used leaves the fused order as it is, and the budget names the stage as skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from tkgmem.errors import ProviderError
from tkgmem.protocols import Reranker
from tkgmem.search.budget import Budget
from tkgmem.search.fuse import Scored
from tkgmem.search.rerank.distance import node_distance
from tkgmem.search.rerank.mentions import episode_mentions
from tkgmem.search.rerank.mmr import mmr
from tkgmem.search.rerank.model import by_model

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Name = Literal["mmr", "node_distance", "episode_mentions", "model"]
NAMES: tuple[str, ...] = get_args(Name)
STAGE = "rerank"
"""What the stage is called where it is skipped."""

Rows = Sequence[int]


@dataclass(frozen=True, slots=True)
class About:
    """What can be told of the rows of one scope; only what the chosen reranker needs is asked for.

    vectors: a matrix, and the place in it of each row that has a vector. hops: from the centre, of the rows that can be
    reached; None where there is no centre. episodes: how many support or name each row; None for a scope of episodes.
    texts: each row as the line that a model reads (see `tkgmem.wording`).
    """

    vectors: Callable[[Rows], tuple[NDArray[np.float32], Mapping[int, int]]]
    texts: Callable[[Rows], Mapping[int, str]]
    hops: Callable[[Rows], Mapping[int, int]] | None = None
    episodes: Callable[[Rows], Mapping[int, int]] | None = None


def rerank(
    name: Name,
    ranked: Sequence[Scored],
    about: About,
    budget: Budget,
    *,
    query: str,
    diversity: float = 0.5,
    model: Reranker | None = None,
) -> list[Scored]:
    """The rows in the order of the named reranker; the fused order where there is nothing that it could go by.

    ranked: all that is to be reranked, best first. query: the question, for "model". diversity: in [0, 1], for "mmr".
    model: for "model"; where it fails with a ProviderError, and where no time is left, the stage is skipped.
    Raises ValueError for another name, or for "model" without one.
    """
    if name not in NAMES:
        raise ValueError(f"unknown reranker {name!r}; use one of {', '.join(NAMES)}")
    if name == "model" and model is None:
        raise ValueError("this recipe reranks with a model; open the Memory with reranker=..., or choose another recipe")
    rows = [row for row, _ in ranked]
    if len(rows) < 2 or not budget.enough(STAGE):
        return list(ranked)
    if name == "mmr":
        return mmr(ranked, *about.vectors(rows), diversity=diversity)
    if name == "node_distance":
        return list(ranked) if about.hops is None else node_distance(ranked, about.hops(rows))
    if name == "episode_mentions":
        return list(ranked) if about.episodes is None else episode_mentions(ranked, about.episodes(rows))
    assert model is not None
    try:
        return by_model(ranked, model, query, about.texts(rows))
    except ProviderError:
        budget.skip(STAGE)
        return list(ranked)
