"""Fusion: the methods' lists of candidates made one, by scores or by ranks. Pure; at a tie the lower row comes first."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, TypeVar

Scored = tuple[int, float]
"""A row and its score; higher is better, comparable within one list."""

Value = TypeVar("Value")

K = 60
"""The constant of reciprocal rank fusion."""

WEIGHTS: Mapping[str, float] = MappingProxyType({"cosine": 1.0, "bm25": 1.0, "named": 0.3, "graph": 0.1, "time": 0.35})
"""What a full score of each method is worth beside a cosine of 1. Measured: see the README's table of recipes."""

BESIDE = (0.25, 0.1)
"""How much of a turn's own score goes to those told next to it, and next but one."""

SHORT = 150
"""Characters. A longer turn says more by itself, and takes that much less from those around it."""


class Fused(NamedTuple):
    """A row with its score, its 1-based rank in each list, and what each method gave it."""

    row: int
    score: float
    ranks: dict[str, int]
    scores: dict[str, float]


def by_ranks(lists: Mapping[str, Sequence[Scored]], k: int = K) -> list[Fused]:
    """Reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009): only ranks count, so any lists can be mixed.

    >>> [one.row for one in by_ranks({"bm25": [(7, 2.0), (8, 1.0)], "cosine": [(8, 0.9), (9, 0.8)]})]
    [8, 7, 9]
    """
    ranks = _ranks(lists)
    given = {name: dict(found) for name, found in lists.items()}
    return _ordered(
        Fused(row, sum(1 / (k + rank) for rank in found.values()), found, {name: given[name][row] for name in found})
        for row, found in ranks.items()
    )


def by_scores(
    lists: Mapping[str, Sequence[Scored]], more: Mapping[str, Mapping[int, float]] | None = None, most: int | None = None
) -> list[Fused]:
    """The weighted sum of what the methods gave, for the best `most` rows. more: scores of rows that a method did not list.

    Measured against reciprocal ranks it finds more, as long as the scores of a method mean the same from question to question:
    here a cosine seen from the centre of its texts, and the share of a question's words, by their weight, that a text holds.

    >>> [one.row for one in by_scores({"bm25": [(7, 0.5)], "cosine": [(8, 0.4), (7, 0.3)]})]
    [7, 8]
    """
    given = {name: {**(more or {}).get(name, {}), **dict(found)} for name, found in lists.items()}
    totals = dict.fromkeys((row for found in lists.values() for row, _ in found), 0.0)
    for name, values in given.items():
        weight = WEIGHTS[name]
        for row, score in values.items():
            if score > 0 and row in totals:  # being unlike says nothing: two texts may differ in many ways
                totals[row] += weight * score
    ranks = {name: {row: rank for rank, (row, _) in enumerate(found, 1)} for name, found in lists.items()}
    best = heapq.nsmallest(len(totals) if most is None else most, totals, key=lambda row: (-totals[row], row))
    return [Fused(row, totals[row], _of(row, ranks), _of(row, given)) for row in best]


def _of(row: int, lists: Mapping[str, Mapping[int, Value]]) -> dict[str, Value]:
    return {name: values[row] for name, values in lists.items() if row in values}


def _ranks(lists: Mapping[str, Sequence[Scored]]) -> dict[int, dict[str, int]]:
    ranks: dict[int, dict[str, int]] = {}
    for name, rows in lists.items():
        for rank, (row, _) in enumerate(rows, 1):
            ranks.setdefault(row, {}).setdefault(name, rank)
    return ranks


def _ordered(rows: Iterable[Fused]) -> list[Fused]:
    return sorted(rows, key=lambda one: (-one.score, one.row))


def lifted(
    fused: Sequence[Fused],
    beside: Mapping[int, tuple[Sequence[int], Sequence[int]]],
    lengths: Mapping[int, int] = MappingProxyType({}),
) -> list[Fused]:
    """Each turn with a part of the scores of those told around it: an answer stands beside its question.

    beside: for each row those next to it, and those next but one. lengths: the characters of each, if it is not short. Rows
    that were no candidates themselves come in.
    """
    own = {one.row: one for one in fused}
    scores = {one.row: one.score for one in fused}
    for one in fused:
        for share, rows in zip(BESIDE, beside.get(one.row, ((), ())), strict=True):
            for row in rows:
                leans = min(1.0, SHORT / max(1, lengths.get(row, 0)))
                scores[row] = scores.get(row, 0.0) + share * leans * one.score
    return _ordered(
        [own[row]._replace(score=score) if row in own else Fused(row, score, {}, {}) for row, score in scores.items()]
    )
