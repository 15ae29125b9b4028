"""Files in which things were taken back, and brought back, are carried and merged like any others."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_merge_sides import Side, Tell, define, fact, same_in_every_way

from tkgmem import Memory


def told(text: str, source: str, relation: str, target: str, since: str) -> Tell:
    def tell(memory: Memory) -> None:
        episode = memory.add(text, reference_time="2024", extract=False).episode
        if memory.episodes(uuid=episode.uuid)[0].expired_at is None:
            memory.add_fact(source, relation, target, valid_at=since, episode=episode.uuid)

    return tell


def undo(pick: int) -> Tell:
    def tell(memory: Memory) -> None:
        changes = memory.changes(limit=100)
        if changes:
            memory.undo(change=changes[pick % len(changes)].number)

    return tell


def undo_text(pick: int) -> Tell:
    def tell(memory: Memory) -> None:
        texts = memory.episodes()
        if texts:
            memory.undo(episode=texts[pick % len(texts)].uuid)

    return tell


def correct(pick: int, target: str) -> Tell:
    def tell(memory: Memory) -> None:
        facts = memory.as_of("2023")
        if facts:
            memory.correct(facts[pick % len(facts)].uuid, target=target)

    return tell


def retract(pick: int) -> Tell:
    def tell(memory: Memory) -> None:
        facts = memory.as_of("2023")
        if facts:
            memory.retract(facts[pick % len(facts)].uuid)

    return tell


def join(one: str, other: str) -> Tell:
    def tell(memory: Memory) -> None:
        known = {fact.source.name for fact in memory.as_of("2023")} | {fact.source.name for fact in memory.as_of("2025")}
        if {one, other} <= known and memory.entity(one).entity != memory.entity(other).entity:
            memory.merge_entities(one, other)

    return tell


picks = st.integers(0, 5)
people, places, years = (
    st.sampled_from(["Ann", "Bo"]),
    st.sampled_from(["x", "y", "z"]),
    st.sampled_from(["2020", "2022", "2024"]),
)
telling = st.one_of(
    st.builds(fact, people, st.sampled_from(["WORKS_AT", "DESK"]), places, years),
    st.builds(told, st.sampled_from(["one", "two", "three"]), people, st.just("WORKS_AT"), places, years),
    st.builds(correct, picks, places),
    st.builds(retract, picks),
    st.builds(undo, picks),
    st.builds(undo, picks),
    st.builds(undo_text, picks),
    st.builds(join, people, people),
    st.builds(lambda functional: define("DESK", functional=functional), st.booleans()),
)
stories = st.lists(telling, max_size=5)


def strangers(left: Sequence[Tell], right: Sequence[Tell]) -> None:
    same_in_every_way(
        [(2 * day + 1, tell) for day, tell in enumerate(left)], [(2 * day + 2, tell) for day, tell in enumerate(right)]
    )


def forked(common: Sequence[Tell], left: Sequence[Tell], right: Sequence[Tell]) -> None:
    """Either order gives the same answers; a repeat changes nothing; what each believed before the fork stays."""
    start = len(common)
    past = [(day, tell) for day, tell in enumerate(common, 1)]
    one = Side().told(*past)
    sides = [Side(), Side(), Side()]
    for side in sides:
        side.take(one)
    first, second, third = sides
    first.told(*[(start + 2 * day + 1, tell) for day, tell in enumerate(left)])
    third.told(*[(start + 2 * day + 1, tell) for day, tell in enumerate(left)])
    second.told(*[(start + 2 * day + 2, tell) for day, tell in enumerate(right)])
    first.take(second)
    second.take(third)
    for known in (None, *range(start + 14)):
        assert first.facts(known) == second.facts(known), known
    for known in range(start + 1):
        assert first.facts(known) == one.facts(known), known
    before = first.export()
    assert first.take(second).change is None
    first.take(third)
    assert first.export() == before
    again = Side()
    again.take(first)
    assert again.export() == before
    for side in (first, second, again):
        assert side.memory.doctor().problems == ()


@settings(max_examples=5)
@given(stories, stories)
def test_strangers_come_together_the_same_in_either_order(left: list[Tell], right: list[Tell]) -> None:
    strangers(left, right)


@settings(max_examples=6)
@given(stories, stories, stories)
def test_files_that_forked_come_together_the_same_in_either_order(
    common: list[Tell], left: list[Tell], right: list[Tell]
) -> None:
    forked(common, left, right)


@pytest.mark.slow
@settings(max_examples=150)
@given(stories, stories, stories)
def test_many_files_that_forked_come_together_the_same_in_either_order(
    common: list[Tell], left: list[Tell], right: list[Tell]
) -> None:
    forked(common, left, right)
