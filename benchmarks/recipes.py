"""The ways of searching that the retrieval benchmarks compare: the default, its lists by ranks, and each main one alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

DEFAULT = "hybrid"
RECIPES = (DEFAULT, "rrf", "bm25", "cosine")


def asked(recipe: str) -> dict[str, Any]:
    """The argument of `Memory.search` that asks for a recipe; none for the default, which is what people get."""
    return {} if recipe == DEFAULT else {"recipe": recipe}


def ranks(ranked: Iterable[Collection[str]], wanted: Iterable[str]) -> list[int | None]:
    """The 1-based rank of each wanted id, lowest first, None for those that are not there. A place may stand for several ids.

    >>> ranks([{"a"}, {"b"}, {"c", "d"}], {"c", "x", "a"})
    [1, 3, None]
    """
    places: dict[str, int] = {}
    for rank, names in enumerate(ranked, 1):
        for name in names:
            places.setdefault(name, rank)
    asked_for = set(wanted)
    found = sorted(places[name] for name in asked_for if name in places)
    return [*found, *[None] * (len(asked_for) - len(found))]


def recall(found: Sequence[int | None], limit: int) -> float:
    """The share of wanted ids among the first `limit`, by their ranks.

    >>> recall([1, 3, None], 2)
    0.3333333333333333
    """
    return sum(rank is not None and rank <= limit for rank in found) / len(found)


def best_first(scores: Mapping[str, float]) -> list[str]:
    """Names by falling score; those with the same score in the order they came in."""
    return sorted(scores, key=lambda name: -scores[name])
