"""A model reads the question and each text, and says how well they fit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tkgmem.errors import BadResponse
from tkgmem.protocols import Reranker
from tkgmem.search.fuse import Scored
from tkgmem.search.rerank.order import by_score


def by_model(ranked: Sequence[Scored], model: Reranker, query: str, texts: Mapping[int, str]) -> list[Scored]:
    """The rows by the model's scores of their texts; at a tie the better one before is first, then the lower row.

    A row without a text comes after those that have one. Raises BadResponse unless there is one finite score per text, and what
    the model raises.
    """
    rows = [row for row, _ in ranked if row in texts]
    if not rows:
        return list(ranked)
    found = [float(score) for score in model.score(query, [texts[row] for row in rows])]
    if len(found) != len(rows) or not all(map(math.isfinite, found)):
        raise BadResponse(f"{model.name} gave {found[:5]}… for {len(rows)} texts; expected a finite score for each")
    return by_score(ranked, dict(zip(rows, found, strict=True)), min(found) - 1)
