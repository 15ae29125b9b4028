"""Two files become one: the union of what both were told, the same in either order, and a repeat changes nothing."""

from __future__ import annotations

import copy
import datetime as dt
import itertools
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import pytest
from histories import Op, anything, placed
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import Twins, empty, told

from tkgmem import Memory, MergeReport
from tkgmem.portable import jsonl
from tkgmem.portable.union import unite
from tkgmem.testing import FixedClock, HashEmbedder

Records = list[dict[str, Any]]


def records(memory: Memory) -> Records:
    with memory._store.read() as db:
        return list(jsonl.stream(db, vectors=True))


def take(memory: Memory, given: Records) -> MergeReport:
    return unite(memory._store, memory._embedder, lambda: given, "the other", now=memory._now())


def fresh(clock: FixedClock) -> Memory:
    return Memory(":memory:", embedder=HashEmbedder(8), clock=clock)


# --- histories that fork ---


def fork(twins: Twins) -> Twins:
    """A second memory and model that know the same."""
    other = copy.copy(twins)
    other.clock = FixedClock(twins.clock())
    other.memory = fresh(other.clock)
    take(other.memory, records(twins.memory))
    for name in ("lines", "boundaries", "groups", "uuids", "became", "told_episodes"):
        setattr(other, name, copy.copy(getattr(twins, name)))
    other.model = copy.deepcopy(twins.model)
    return other


def go_on(twins: Twins, ops: Sequence[Op], start: int, step: int) -> None:
    for number, op in enumerate(ops):
        twins.count = start + step * number
        twins.tell(op)


def claims_by_place(twins: Twins) -> dict[tuple[int, int], dict[str, Any]]:
    """The model's claims, by when they were told and in which order then."""
    places: dict[int, itertools.count[int]] = defaultdict(itertools.count)
    ordered = sorted(twins.model.claims, key=lambda claim: claim["seq"])
    return {(claim["tx"], next(places[claim["tx"]])): claim for claim in ordered}


def united(one: Twins, other: Twins) -> Twins:
    """What both were told, in the model; the memory is `one`'s, with the other's taken in."""
    both = copy.copy(one)
    both.model = copy.deepcopy(one.model)
    claims = claims_by_place(both)
    for place, claim in claims_by_place(other).items():
        mine = claims.setdefault(place, copy.deepcopy(claim))
        ends = [end for end in (mine["x"], claim["x"]) if end is not None]
        mine["x"] = min(ends, default=None)
    both.model.claims = [claim for _, claim in sorted(claims.items())]
    for number, claim in enumerate(both.model.claims):
        claim["seq"] = number
    both.count = max(one.count, other.count)
    both.groups, both.boundaries = one.groups | other.groups, one.boundaries | other.boundaries
    both.lines = [*one.lines, "   and the other:", *other.lines]
    return both


forks = st.tuples(*(placed(st.lists(anything, min_size=low, max_size=4)) for low in (0, 1, 1)))


def check_fork(histories: tuple[list[Op], list[Op], list[Op]]) -> None:
    common, left, right = histories
    one = empty()
    for op in common:
        one.tell(op)
    other = fork(one)
    count = one.count
    go_on(one, left, count + 1, 2)
    go_on(other, right, count + 2, 2)
    mine, theirs = records(one.memory), records(other.memory)
    both = united(one, other)
    take(one.memory, theirs)
    both.check()
    take(other.memory, mine)
    everything = [(t, known) for t in both.instants() for known in (None, *range(both.count + 1))]
    assert all(facts(one.memory, both, *at) == facts(other.memory, both, *at) for at in everything), both.story("by order")
    before = records(one.memory)
    for again in (theirs, mine, before):
        report = take(one.memory, again)
        counts = (report.episodes, report.entities, report.claims, report.changed, report.joined)
        assert counts == (0, 0, 0, 0, 0), both.story(f"a repeat brought {report}")
    assert records(one.memory) == before, both.story("a repeat changed it")


def facts(memory: Memory, twins: Twins, t: dt.datetime, known: int | None) -> list[Any]:
    known_at = None if known is None else told(known).replace(tzinfo=dt.UTC)
    found = memory.as_of(t.replace(tzinfo=dt.UTC), known_at=known_at, group=sorted(twins.groups))
    return sorted((one.uuid, str(one)) for one in found)


@settings(max_examples=10)
@given(forks)
def test_files_that_forked_come_together_as_the_union_of_what_both_were_told(
    histories: tuple[list[Op], list[Op], list[Op]],
) -> None:
    check_fork(histories)


@pytest.mark.slow
@settings(max_examples=200)
@given(forks)
def test_many_files_that_forked_come_together_as_the_union_of_what_both_were_told(
    histories: tuple[list[Op], list[Op], list[Op]],
) -> None:
    check_fork(histories)


# --- histories that know nothing of each other ---


def check_strangers(left: list[Op], right: list[Op]) -> None:
    """Told at the same instants, so that uuids and ticks meet although they mean different things."""
    one, other = empty(), empty()
    go_on(one, left, 1, 1)
    go_on(other, right, 1, 1)
    mine, theirs = records(one.memory), records(other.memory)
    take(one.memory, theirs)
    take(other.memory, mine)
    both = copy.copy(one)
    both.count, both.groups = max(one.count, other.count), one.groups | other.groups
    both.boundaries, both.lines = one.boundaries | other.boundaries, [*one.lines, "   and the other:", *other.lines]
    for at in [(t, known) for t in both.instants() for known in (None, *range(both.count + 1))]:
        assert facts(one.memory, both, *at) == facts(other.memory, both, *at), both.story(f"by order at {at}")
    assert one.memory.stats(group=sorted(both.groups)).claims == other.memory.stats(group=sorted(both.groups)).claims
    before = records(one.memory)
    for again in (theirs, mine, before):
        take(one.memory, again)
        assert records(one.memory) == before, both.story("a repeat changed it")
    for memory in (one.memory, other.memory):
        report = memory.doctor()
        assert report.ok, both.story(str(report.problems))


strangers = st.tuples(*(placed(st.lists(anything, min_size=1, max_size=5)) for _ in range(2)))


@settings(max_examples=6)
@given(strangers)
def test_files_that_know_nothing_of_each_other_come_together_the_same_in_either_order(
    histories: tuple[list[Op], list[Op]],
) -> None:
    check_strangers(*histories)


@pytest.mark.slow
@settings(max_examples=100)
@given(strangers)
def test_many_files_that_know_nothing_of_each_other_come_together(histories: tuple[list[Op], list[Op]]) -> None:
    check_strangers(*histories)
