"""Random histories: what is told, in which order.

Dates come from a small grid so that periods touch, nest and coincide, and few piles make claims collide.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

DATES = tuple(dt.datetime(2024, 1, day) for day in range(1, 7))  # noqa: DTZ001  the reference model takes naive dates

Triple = tuple[str, str, str, str]
"""Group, source, relation, target."""


@dataclass(frozen=True)
class Assert:
    triple: Triple
    start: dt.datetime | None
    end: dt.datetime | None
    ref: dt.datetime | None
    episode: int | None


@dataclass(frozen=True)
class End:
    triple: Triple
    at: dt.datetime
    episode: int | None


@dataclass(frozen=True)
class Retract:
    pick: int
    by_old_uuid: bool


@dataclass(frozen=True)
class Correct:
    pick: int
    by_old_uuid: bool
    change: dict[str, Any]
    episode: int | None


@dataclass(frozen=True)
class Forget:
    pick: int


Op = Assert | End | Retract | Correct | Forget


def weighted(weights: dict[SearchStrategy[Any], int]) -> SearchStrategy[Any]:
    """One of the strategies, as often as its weight says (`one_of` counts equal ones once)."""
    return st.sampled_from([which for which, weight in weights.items() for _ in range(weight)]).flatmap(lambda which: which)


dates = st.sampled_from(DATES)
maybe = st.sampled_from([None, *DATES])
seldom = st.sampled_from([*[None] * len(DATES), *DATES])
episodes = st.sampled_from([None, 1, 1, 2, 2])
targets = st.sampled_from(["x", "x", "y", "y", "z"])
piles = st.tuples(
    st.sampled_from(["g", "g", "h"]),
    st.sampled_from(["ana", "ana", "bo"]),
    st.sampled_from(["WORKS_AT", "WORKS_AT", "WORKS_AT", "LIKES", "PORT", "KEEPS"]),
)
triples = st.tuples(st.sampled_from([0, 0, 0, 1]), targets)
"""A place in the history's few piles, and a target; `placed` makes triples of them."""


def _in_order(op: Assert) -> Assert:
    """With its bounds in order; equal ones stay, to be refused."""
    return replace(op, start=op.end, end=op.start) if op.start and op.end and op.end < op.start else op


asserts = st.builds(Assert, triples, maybe, seldom, maybe, episodes).map(_in_order)
undated = st.builds(Assert, triples, st.none(), seldom, maybe, episodes)
ends = st.builds(End, triples, dates, episodes)
picks = st.integers(0, 7)
retractions = st.builds(Retract, picks, st.booleans())
changes = st.one_of(
    st.fixed_dictionaries({"o": targets}, optional={"v": maybe, "e": maybe}),
    st.fixed_dictionaries({"v": maybe}, optional={"e": maybe}),
    st.fixed_dictionaries({"e": maybe}),
)
corrections = st.builds(Correct, picks, st.booleans(), changes, episodes)
forgets = st.builds(Forget, picks)
additions = weighted({asserts: 3, undated: 1, ends: 1})
changes_of_mind = weighted({asserts: 3, undated: 2, ends: 2, retractions: 1, corrections: 3})
anything = weighted({asserts: 3, undated: 2, ends: 2, retractions: 1, corrections: 3, forgets: 1})


def placed(ops: SearchStrategy[list[Op]]) -> SearchStrategy[list[Op]]:
    """The operations on one or two piles (group, source, relation), so that most of them meet."""

    def place(drawn: tuple[list[tuple[str, str, str]], list[Op]]) -> list[Op]:
        few, unplaced = drawn
        return [
            replace(op, triple=(*few[op.triple[0] % len(few)], op.triple[1])) if isinstance(op, Assert | End) else op
            for op in unplaced
        ]

    return st.tuples(st.lists(piles, min_size=1, max_size=2), ops).map(place)


def after_additions(ops: SearchStrategy[Op], most: int) -> SearchStrategy[list[Op]]:
    """A few additions, then operations of any kind, so that these find something to act on."""
    parts = st.tuples(st.lists(additions, min_size=1, max_size=4), st.lists(ops, min_size=2, max_size=most))
    return placed(parts.map(lambda both: both[0] + both[1]))


histories = after_additions(anything, 8)
histories_that_keep_all = after_additions(changes_of_mind, 6)
histories_that_only_grow = placed(st.lists(additions, min_size=1, max_size=6))
