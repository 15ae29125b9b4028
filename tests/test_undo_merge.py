"""Files in which things were taken back, and brought back, are carried and merged like any others."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_merge_sides import Side, Tell, at, define, fact, same_in_every_way

from tkgmem import Memory
from tkgmem.store import relations


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


# --- imports that are taken back ---


def last_change(side: Side) -> int:
    return side.memory.changes(limit=1)[0].number


def test_a_correction_that_was_taken_back_and_made_again_is_carried() -> None:
    side = Side().told((1, fact("Ann", "LIVES_IN", "x", "2020")), (2, correct(0, "y")))
    uuid = side.memory.history("Ann")[0].uuid
    side.memory.undo(change=side.memory.undo(change=last_change(side)).change)
    other = Side()
    other.take(side)
    assert other.export() == side.export()
    assert other.memory.why(uuid).fact == side.memory.as_of("2023")[0]


def test_a_span_in_which_an_import_was_taken_in_and_taken_back_leaves_it_out() -> None:
    one, two = Side().told((1, fact("Ann", "LIVES_IN", "x", "2020"))), Side().told((2, fact("Ann", "LIVES_IN", "y", "2021")))
    two.memory.define_relation("DESK", functional=True)
    change = one.take(two).change
    one.memory.undo(change=change)
    before = one.facts()
    for _ in range(2):
        one.memory.undo(since=at(100))
        assert one.facts() == before
        assert [name for _, _, _, name, *_ in before] == ["x"] * len(before)


def test_what_was_told_before_an_import_in_the_same_span_is_not_brought_back_by_undoing_both() -> None:
    one = Side().told((1, fact("Ann", "LIVES_IN", "x", "2020")))
    two = Side()
    two.take(one)
    two.told((2, retract(0)))
    one.take(two)
    one.memory.undo(since=at(0))
    assert one.facts() == []


def test_what_an_import_brought_back_is_taken_back_with_it() -> None:
    one = Side().told((1, fact("Ann", "LIVES_IN", "x", "2020")), (2, undo(0)))
    two = Side()
    two.take(one)
    two.memory.undo(change=next(change.number for change in two.memory.changes() if change.verb == "undo"))
    brought = one.take(two).change
    assert len(one.facts()) == 3
    for asked in ({"change": brought}, {"since": at(100)}):
        report = one.memory.undo(**asked)
        assert one.facts() == []
        one.memory.undo(change=report.change)
        assert len(one.facts()) == 3
    assert one.memory.doctor().problems == ()


def test_an_import_that_corrected_can_be_taken_back_again_after_it_came_back() -> None:
    one = Side().told((1, fact("Ann", "LIVES_IN", "x", "2020")))
    two = Side()
    two.take(one)
    two.told((2, correct(0, "y")))
    before, brought = one.facts(), one.take(two).change
    after = one.facts()
    for _ in range(2):
        report = one.memory.undo(change=brought)
        assert one.facts() == before
        one.memory.undo(change=report.change)
        assert one.facts() == after


def test_a_definition_that_was_taken_back_on_one_side_leaves_no_inverse_that_does_not_point_back() -> None:
    one = Side().told((1, define("HEADED_BY")), (2, define("HEADS", inverse="HEADED_BY")))
    two = Side()
    two.take(one)
    one.told((3, define("HEADED_BY", inverse="PLACE")))
    given = max(change.number for change in two.memory.changes() if change.verb == "define")
    two.told((4, lambda memory: memory.undo(change=given)))
    for mine, theirs in ((one, two), (two, one)):
        mine.take(theirs)
        with mine.memory._store.read() as db:
            table = relations.load(db)
        assert all(table.get(each.inverse).inverse == each.name for each in table if each.inverse is not None)
        assert mine.memory.doctor().problems == ()
