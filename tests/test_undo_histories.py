"""Undo over random histories: the present is as if it was never told, each earlier known_at stays, a redo brings it back."""

from __future__ import annotations

import contextlib
import copy
import datetime as dt
from dataclasses import replace

import pytest
from histories import Op, histories_that_keep_all
from hypothesis import given, settings
from hypothesis import strategies as st
from merged import AnyOp, merged_histories, tell_merged
from test_identity_histories import Step, Story, steps
from test_invariants import derived_rows
from twins import MICROSECOND, Twins, tell, told

from tkgmem import Fact
from tkgmem.reports import UndoReport
from tkgmem.store import derivation

picks = st.integers(0, 7)


def present(twins: Twins) -> list[list[Fact]]:
    groups = sorted(twins.groups)
    return [sorted(twins.memory.as_of(t, group=groups), key=lambda fact: fact.uuid) for t in _utc(twins)]


def unlearned(answers: list[list[Fact]]) -> list[list[Fact]]:
    """Without when it was learned that a fact ends: what an undo tells by taking something back is told anew each time."""
    return [[replace(fact, expired_at=None) for fact in facts] for facts in answers]


def _utc(twins: Twins) -> list[dt.datetime]:
    return [t.replace(tzinfo=dt.UTC) for t in twins.instants()]


def is_what_a_rebuild_gives(twins: Twins) -> None:
    before = derived_rows(twins.memory)
    with twins.memory._store.write() as db:
        derivation.rebuild(db)
    assert derived_rows(twins.memory) == before, twins.story("a rebuild gives other rows")


def an_episode_is_taken_back(ops: list[Op], pick: int) -> None:
    """As forget would have it, but the history stays; then redone, undone again and redone again."""
    twins = tell(ops)
    with contextlib.closing(twins.memory):
        if not twins.told_episodes:
            return
        name = sorted(twins.told_episodes)[pick % len(twins.told_episodes)]
        uuid, _ = twins.told_episodes[name]
        knowns = [*range(twins.count + 1)]
        past, now = twins.answers(knowns), present(twins)
        without = copy.deepcopy(twins.model)
        without.op({"op": "delete_episode", "ep": name, "tx": twins.count + 1})
        twins.count += 1
        twins.clock.set(told(twins.count).replace(tzinfo=dt.UTC))
        report = twins.memory.undo(episode=uuid)
        twins.lines.append(f"T{twins.count} undo {name}: {report}")
        kept, twins.model = twins.model, without
        check_present(twins)
        twins.model = kept
        assert twins.answers(knowns) == past, twins.story("an earlier known_at answers otherwise")
        undone = present(twins)
        is_what_a_rebuild_gives(twins)
        for _ in range(2):
            report = redo(twins, report)
            assert present(twins) == now, twins.story("the redo does not give the first answers")
            report = redo(twins, report)
            assert unlearned(present(twins)) == unlearned(undone), twins.story("undoing the redo is not as the undo was")
        redo(twins, report)
        assert present(twins) == now, twins.story("the last redo does not give the first answers")
        assert twins.answers(knowns) == past, twins.story("an earlier known_at answers otherwise after the redo")
        is_what_a_rebuild_gives(twins)


def check_present(twins: Twins) -> None:
    """The present answers equal the reference model's."""
    model, memory_now = twins.model, twins.answers()
    for (t, _), got in memory_now.items():
        right = set()
        for pile in {claim["key"][:3] for claim in model.claims}:
            facts = model.facts(pile, None)
            right |= {(*pile, f["o"]) for f in facts if model.holder(facts, f["o"], t, pile[2] in {"WORKS_AT", "PORT"})}
        assert got == right, twins.story(f"as_of({t}) after the undo answers {got}, right is {right}")


def redo(twins: Twins, report: UndoReport) -> UndoReport:
    """Undo the undo, if it did anything."""
    twins.count += 1
    twins.clock.set(told(twins.count).replace(tzinfo=dt.UTC))
    if report.change is None:
        return report
    again = twins.memory.undo(change=report.change)
    twins.lines.append(f"T{twins.count} undo of change {report.change}: {again}")
    return again


@settings(max_examples=10)
@given(histories_that_keep_all, picks)
def test_an_episode_is_taken_back_as_forget_would_and_comes_back(ops: list[Op], pick: int) -> None:
    an_episode_is_taken_back(ops, pick)


@pytest.mark.slow
@settings(max_examples=600)
@given(histories_that_keep_all, picks)
def test_six_hundred_episodes_are_taken_back_and_come_back(ops: list[Op], pick: int) -> None:
    an_episode_is_taken_back(ops, pick)


def what_was_told_last_is_taken_back(twins: Twins, pick: int) -> None:
    """From some instant on, in every group: the present is what was believed just before it."""
    with contextlib.closing(twins.memory):
        first = pick % twins.count + 1
        knowns = [*range(twins.count + 1)]
        past, now = twins.answers(knowns), present(twins)
        since = told(first).replace(tzinfo=dt.UTC)
        twins.count += 1
        twins.clock.set(told(twins.count).replace(tzinfo=dt.UTC))
        reports = [
            twins.memory.undo(since=since, until=twins.clock() - dt.timedelta(hours=1), group=group)
            for group in sorted(twins.groups)
        ]
        twins.lines.append(f"T{twins.count} undo since T{first}: {reports}")
        for t in twins.instants():
            assert twins.answer(t, None) == past[t, first - 1], twins.story(
                f"as_of({t}) is not what was believed at T{first - 1}"
            )
        assert twins.answers(knowns) == past, twins.story("an earlier known_at answers otherwise")
        is_what_a_rebuild_gives(twins)
        for report in reversed(reports):
            redo(twins, report)
        assert present(twins) == now, twins.story("the redo does not give the first answers")
        assert twins.answers(knowns) == past, twins.story("an earlier known_at answers otherwise after the redo")
        is_what_a_rebuild_gives(twins)


@settings(max_examples=10)
@given(histories_that_keep_all, picks)
def test_what_was_told_last_is_taken_back_and_comes_back(ops: list[Op], pick: int) -> None:
    what_was_told_last_is_taken_back(tell(ops), pick)


@settings(max_examples=8)
@given(merged_histories, picks)
def test_merges_splits_and_moves_are_taken_back_and_come_back(ops: list[AnyOp], pick: int) -> None:
    what_was_told_last_is_taken_back(tell_merged(ops), pick)


@pytest.mark.slow
@settings(max_examples=400)
@given(histories_that_keep_all, picks)
def test_four_hundred_spans_are_taken_back_and_come_back(ops: list[Op], pick: int) -> None:
    what_was_told_last_is_taken_back(tell(ops), pick)


@pytest.mark.slow
@settings(max_examples=400)
@given(merged_histories, picks)
def test_four_hundred_histories_with_merges_are_taken_back_and_come_back(ops: list[AnyOp], pick: int) -> None:
    what_was_told_last_is_taken_back(tell_merged(ops), pick)


def a_story_is_taken_back(told_steps: list[Step], pick: int) -> None:
    """Relations that chain, definitions included."""
    story = Story()
    with contextlib.closing(story.memory):
        for step in told_steps:
            story.tell(step)
        since, before = story.past[pick % len(story.past)][0], [story.memory.as_of(year) for year in YEARS]
        then = [as_told(story.memory.as_of(year, known_at=since - MICROSECOND)) for year in YEARS]
        story.clock.advance(dt.timedelta(hours=1))
        report = story.memory.undo(since=since, until=story.clock())
        assert [as_told(story.memory.as_of(year)) for year in YEARS] == then, report
        same_as_rebuilt(story)
        story.clock.advance(dt.timedelta(hours=1))
        if report.change is not None:
            story.memory.undo(change=report.change)
        assert [sorted(story.memory.as_of(year), key=str) for year in YEARS] == [sorted(facts, key=str) for facts in before]
        for at, facts in story.past:
            assert story.answer(at) == facts
        same_as_rebuilt(story)


YEARS = ("2019", "2020-06", "2021-06", "2026")


def as_told(facts: list[Fact]) -> list[tuple[object, ...]]:
    """The facts without when it was learned that they end: that is learned anew."""
    return sorted(
        (f.uuid, f.source.uuid, f.relation, f.target.uuid, str(f.valid_at), str(f.invalid_at), f.claims) for f in facts
    )


def same_as_rebuilt(story: Story) -> None:
    rows = derived_rows(story.memory)
    with story.memory._store.write() as db:
        derivation.rebuild(db)
    assert derived_rows(story.memory) == rows


@settings(max_examples=10)
@given(st.lists(steps, min_size=3, max_size=9), picks)
def test_definitions_are_taken_back_and_come_back(told_steps: list[Step], pick: int) -> None:
    a_story_is_taken_back(told_steps, pick)


@pytest.mark.slow
@settings(max_examples=500)
@given(st.lists(steps, min_size=3, max_size=12), picks)
def test_five_hundred_stories_are_taken_back_and_come_back(told_steps: list[Step], pick: int) -> None:
    a_story_is_taken_back(told_steps, pick)
