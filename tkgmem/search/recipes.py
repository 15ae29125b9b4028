"""Recipes: how lists of candidates become one. Values, never changed; a search takes one by name, or one of your own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

from tkgmem.search import rerank

Method = Literal["bm25", "cosine", "graph"]
Fusion = Literal["scores", "rrf"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How a search finds and orders.

    methods: the ranked lists that are made: "bm25" (words), "cosine" (meaning), "graph" (facts around what the question names).
    fusion: "scores" adds what the methods gave, weighted, which keeps how good a hit is; "rrf" adds reciprocal ranks (k = 60).
    beside: whether a turn is lifted by those told around it in its conversation.
    rerank: None, "mmr" (less of the same), "node_distance" (near the centre first), "episode_mentions" (told most often first)
    or "model" (the memory's reranker). depth: how many hits are reranked, at least. diversity: of "mmr", in [0, 1].
    """

    methods: tuple[Method, ...] = ("bm25", "cosine", "graph")
    fusion: Fusion = "scores"
    beside: bool = True
    rerank: rerank.Name | None = None
    depth: int = 30
    diversity: float = 0.3

    def __post_init__(self) -> None:
        """Refuse what no search could follow."""
        known = get_args(Method)
        if isinstance(self.methods, str) or not isinstance(self.methods, Sequence):
            raise ValueError(f"methods is a list of some of {', '.join(known)}, not {self.methods!r}")
        object.__setattr__(self, "methods", tuple(self.methods))
        if unknown := [method for method in self.methods if method not in known]:
            raise ValueError(f"unknown method {unknown[0]!r}; use some of {', '.join(known)}")
        if not self.methods:
            raise ValueError(f"a recipe needs at least one method of {', '.join(known)}")
        if self.fusion not in get_args(Fusion):
            raise ValueError(f"unknown fusion {self.fusion!r}; use one of {', '.join(get_args(Fusion))}")
        if self.rerank is not None and self.rerank not in rerank.NAMES:
            raise ValueError(f"unknown reranker {self.rerank!r}; use one of {', '.join(rerank.NAMES)}, or None")
        if isinstance(self.depth, bool) or not isinstance(self.depth, int) or self.depth < 1:
            raise ValueError(f"depth must be a whole number of at least 1, not {self.depth!r}")
        if isinstance(self.diversity, bool) or not isinstance(self.diversity, int | float) or not 0 <= self.diversity <= 1:
            raise ValueError(f"diversity must be between 0 and 1, not {self.diversity!r}")


RECIPES: Mapping[str, Recipe] = MappingProxyType(
    {
        "hybrid": Recipe(),
        "rrf": Recipe(fusion="rrf", beside=False),
        "bm25": Recipe(methods=("bm25",), beside=False),
        "cosine": Recipe(methods=("cosine",), beside=False),
        "graph": Recipe(methods=("graph",), beside=False),
        "diverse": Recipe(rerank="mmr"),
        "near": Recipe(rerank="node_distance"),
        "mentioned": Recipe(rerank="episode_mentions"),
        "model": Recipe(rerank="model"),
    }
)
"""hybrid: the default. rrf: by ranks. bm25, cosine, graph: one method alone. diverse, near, mentioned, model: reranked."""


def chosen(recipe: str | Recipe | None, *, centred: bool) -> Recipe:
    """The recipe asked for; by default "near" where there is a centre, else "hybrid". ValueError lists the names."""
    if isinstance(recipe, Recipe):
        return recipe
    name = ("near" if centred else "hybrid") if recipe is None else recipe
    if not isinstance(name, str) or name not in RECIPES:
        raise ValueError(f"unknown recipe {recipe!r}; use one of {', '.join(RECIPES)}, or a Recipe")
    return RECIPES[name]
