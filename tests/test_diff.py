"""What differs between two instants: which list each fact is in, with what was and what is believed; the list of changes."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
from collections.abc import Callable, Iterator, Sequence

import pytest
from histories import Op, histories
from hypothesis import given, settings
from merged import AnyOp, MergedTwins, merged_histories, tell_merged
from twins import Twins, tell, told

from tkgmem import Fact, Memory, NotFound, Version
from tkgmem.protocols import Request
from tkgmem.reasons import Change, Changed, Diff
from tkgmem.testing import FixedClock, HashEmbedder, ScriptedLLM

LISTS = ("learned", "ended", "corrected", "retracted", "revised", "began")
Day = Callable[[str], None]


@pytest.fixture
def memory(clock: FixedClock) -> Iterator[Memory]:
    clock.set(dt.datetime(2026, 1, 1, tzinfo=dt.UTC))
    with Memory(":memory:", embedder=HashEmbedder(8), clock=clock) as opened:
        yield opened


@pytest.fixture
def day(clock: FixedClock) -> Day:
    """Move the clock to a day."""
    return lambda date: clock.set(dt.datetime.fromisoformat(date).replace(tzinfo=dt.UTC))


def shown(fact: Fact | None, more: Sequence[Fact] = ()) -> str | None:
    """A fact in short, with the days of all its periods."""
    if fact is None:
        return None
    every = sorted((fact, *more), key=lambda one: (one.valid_at is not None, one.valid_at or one.created_at))
    bounds = (
        "..".join("" if bound is None else bound.date().isoformat() for bound in (one.valid_at, one.invalid_at))
        for one in every
    )
    return f"{fact.source.name} {fact.relation} {fact.target.name} {' '.join(bounds)}"


def listed(diff: Diff) -> dict[str, list[tuple[str | None, str | None]]]:
    """The lists that are not empty: before and after of each fact."""
    pairs = {
        name: [(shown(c.before, c.before_more), shown(c.after, c.after_more)) for c in getattr(diff, name)] for name in LISTS
    }
    return {name: found for name, found in pairs.items() if found}


# --- the known clock ---


def test_the_worked_example_shows_exactly_that_a_ended_and_b_was_learned(memory: Memory, day: Day) -> None:
    for at, target, valid_at in (
        ("2026-03-05", "A 公司", "2024-03-01"),
        ("2026-06-03", "B 公司", "2026-06-01"),
        ("2026-07-01", "C 公司", "2022-07-01"),
    ):
        day(at)
        memory.add_fact("小李", "WORKS_AT", target, valid_at=valid_at)
    diff = memory.diff("2026-06-02", "2026-06-04")
    assert listed(diff) == {
        "learned": [(None, "小李 WORKS_AT B 公司 2026-06-01..")],
        "ended": [("小李 WORKS_AT A 公司 2024-03-01..", "小李 WORKS_AT A 公司 2024-03-01..2026-06-01")],
    }
    [ended] = diff.ended
    assert ended.at == dt.datetime(2026, 6, 3, tzinfo=dt.UTC)
    assert ended.by is not None
    assert (ended.by.verb, ended.cause, shown(ended.successor)) == ("assert", "superseded", "小李 WORKS_AT B 公司 2026-06-01..")
    assert diff.forgotten == ()


def test_a_belief_that_begins_at_an_instant_is_believed_at_it(memory: Memory, day: Day) -> None:
    memory.add_fact("Ana", "LIKES", "tea")
    assert listed(memory.diff("2025", "2026")) == {"learned": [(None, "Ana LIKES tea ..")]}
    assert listed(memory.diff("2026", "2027")) == {}


def test_equal_instants_differ_in_nothing(memory: Memory) -> None:
    memory.add_fact("Ana", "LIKES", "tea")
    assert not memory.diff("2026", "2026")


def test_an_earlier_second_instant_is_refused_by_name(memory: Memory, day: Day) -> None:
    with pytest.raises(ValueError, match=r"2025-05-01 is before 2026-02-01"):
        memory.diff("2026-02-01", "2025-05-01")
    with pytest.raises(ValueError, match=r"now \(2026-01-01\) is before 2026-02-01"):
        memory.diff("2026-02-01")


def test_what_is_no_axis_and_a_third_instant_on_the_known_clock_are_refused(memory: Memory) -> None:
    with pytest.raises(ValueError, match="'sideways'"):
        memory.diff("2025", axis="sideways")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="known_at is for axis='valid'"):
        memory.diff("2025", known_at="2025")


def test_by_default_everything_recorded_so_far_counts_however_far_the_clock_was_nudged(memory: Memory) -> None:
    for target in ("tea", "jazz", "chess"):
        memory.add_fact("Ana", "LIKES", target)
    diff = memory.diff("2025")
    assert len(diff.learned) == 3
    assert diff.b == dt.datetime(2026, 1, 1, 0, 0, 0, 2, tzinfo=dt.UTC)


def test_what_came_and_went_in_between_is_in_no_list(memory: Memory, day: Day) -> None:
    fact = memory.add_fact("Ana", "LIVES_IN", "Porto", valid_at="2020")
    day("2026-02-01")
    other = memory.add_fact("Ana", "LIVES_IN", "Lisbon", valid_at="2024")
    day("2026-02-02")
    memory.retract(other.uuid)
    assert memory.as_of("2026")[0].uuid == fact.uuid
    assert not memory.diff("2026-01-15", "2026-02-15")


def test_an_end_told_with_the_fact_is_part_of_what_was_learned(memory: Memory) -> None:
    memory.add_fact("Ana", "LIVES_IN", "Porto", valid_at="2019", invalid_at="2022")
    assert listed(memory.diff("2025")) == {"learned": [(None, "Ana LIVES_IN Porto 2019-01-01..2022-01-01")]}


def test_one_more_source_for_the_same_is_no_difference(memory: Memory, day: Day) -> None:
    memory.add_fact("Ana", "LIVES_IN", "Porto", valid_at="2019")
    day("2026-02-01")
    memory.add_fact("Ana", "LIVES_IN", "Porto", valid_at="2020")
    assert not memory.diff("2026-01-15")


def test_a_bounded_stay_elsewhere_revises_without_an_end(memory: Memory, day: Day) -> None:
    memory.add_fact("Ana", "LIVES_IN", "Porto", valid_at="2019")
    day("2026-02-01")
    memory.add_fact("Ana", "LIVES_IN", "Rome", valid_at="2021", invalid_at="2022")
    assert listed(memory.diff("2026-01-15")) == {
        "learned": [(None, "Ana LIVES_IN Rome 2021-01-01..2022-01-01")],
        "revised": [("Ana LIVES_IN Porto 2019-01-01..", "Ana LIVES_IN Porto 2019-01-01..2021-01-01 2022-01-01..")],
    }


def test_a_correction_is_a_pair_and_what_it_made_is_not_learned_as_well(memory: Memory, day: Day) -> None:
    old = memory.add_fact("Ana", "LIVES_IN", "Porto", valid_at="2019")
    day("2026-02-01")
    memory.correct(old.uuid, valid_at="2018")
    day("2026-02-02")
    new = memory.correct(old.uuid, target="Braga", reason="misheard")
    diff = memory.diff("2026-01-15")
    assert listed(diff) == {"corrected": [("Ana LIVES_IN Porto 2019-01-01..", "Ana LIVES_IN Braga 2018-01-01..")]}
    [corrected] = diff.corrected
    assert corrected.before is not None
    assert (corrected.before.uuid, corrected.fact.uuid) == (old.uuid, new.uuid)
    assert listed(memory.diff("2026-01-15", "2026-02-01"))["corrected"][0][1] == "Ana LIVES_IN Porto 2018-01-01.."


def test_a_corrected_end_corrects_the_fact_that_it_ends(memory: Memory, day: Day) -> None:
    memory.add_fact("Ana", "LIVES_IN", "Porto", valid_at="2019")
    memory.end_fact("Ana", "LIVES_IN", "Porto", at="2023")
    end = memory.history("Ana")[-1].by
    day("2026-02-01")
    assert end is not None
    memory.correct(end, invalid_at="2022")
    before, after = "Ana LIVES_IN Porto 2019-01-01..2023-01-01", "Ana LIVES_IN Porto 2019-01-01..2022-01-01"
    assert listed(memory.diff("2026-01-15")) == {"corrected": [(before, after)]}


def test_a_later_told_equal_start_corrects_and_is_not_learned_as_well(memory: Memory, day: Day) -> None:
    memory.add_fact("Ana", "LIVES_IN", "Porto", valid_at="2019")
    day("2026-02-01")
    memory.add_fact("Ana", "LIVES_IN", "Braga", valid_at="2019")
    assert listed(memory.diff("2026-01-15")) == {
        "corrected": [("Ana LIVES_IN Porto 2019-01-01..", "Ana LIVES_IN Braga 2019-01-01..")]
    }


def test_a_retraction_tells_why_and_brings_back_what_was_superseded(memory: Memory, day: Day) -> None:
    memory.add_fact("Ana", "LIVES_IN", "Porto", valid_at="2019")
    wrong = memory.add_fact("Ana", "LIVES_IN", "Rome", valid_at="2022")
    day("2026-02-01")
    memory.retract(wrong.uuid, reason="another Ana")
    diff = memory.diff("2026-01-15")
    assert listed(diff) == {
        "retracted": [("Ana LIVES_IN Rome 2022-01-01..", None)],
        "revised": [("Ana LIVES_IN Porto 2019-01-01..2022-01-01", "Ana LIVES_IN Porto 2019-01-01..")],
    }
    by = diff.retracted[0].by
    assert by is not None
    assert (by.verb, by.reason, by.number) == ("retract", "another Ana", memory.changes()[0].number)


def test_what_lost_an_equal_start_comes_back_as_a_consequence(memory: Memory, day: Day) -> None:
    memory.add_fact("Ana", "LIVES_IN", "Porto", valid_at="2019")
    wrong = memory.add_fact("Ana", "LIVES_IN", "Braga", valid_at="2019")
    day("2026-02-01")
    memory.retract(wrong.uuid)
    assert listed(memory.diff("2026-01-15"))["revised"] == [(None, "Ana LIVES_IN Porto 2019-01-01..")]


def test_an_end_told_before_its_fact_is_revised_into_it(memory: Memory, day: Day) -> None:
    memory.end_fact("Ana", "LIVES_IN", "Porto", at="2023")
    day("2026-02-01")
    memory.add_fact("Ana", "LIVES_IN", "Porto", valid_at="2019")
    assert listed(memory.diff("2026-01-15")) == {
        "revised": [("Ana LIVES_IN Porto ..2023-01-01", "Ana LIVES_IN Porto 2019-01-01..2023-01-01")]
    }


def test_joining_two_names_revises_the_facts_of_the_one(memory: Memory, day: Day) -> None:
    memory.add_fact("Ana", "LIKES", "tea")
    memory.add_fact("Ana", "KNOWS", "A. Silva")
    memory.add_fact("A. Silva", "LIKES", "chess")
    day("2026-02-01")
    memory.merge_entities("Ana", "A. Silva")
    day("2026-02-02")
    joined = {
        "revised": [("A. Silva LIKES chess ..", "Ana LIKES chess .."), ("Ana KNOWS A. Silva ..", None)],
    }
    diff = memory.diff("2026-01-15")
    assert {name: sorted(found) for name, found in listed(diff).items()} == joined
    assert {changed.by.verb for changed in diff.revised if changed.by} == {"merge"}
    memory.split_entity("A. Silva")
    parted = listed(memory.diff("2026-02-01"))["revised"]
    assert sorted(parted, key=str) == [("Ana LIKES chess ..", "A. Silva LIKES chess .."), (None, "Ana KNOWS A. Silva ..")]
    assert not memory.diff("2026-01-15")


def test_a_definition_that_leaves_one_at_a_time_ends_the_other(memory: Memory, day: Day) -> None:
    memory.add_fact("Ana", "SITS_AT", "A1", valid_at="2019")
    memory.add_fact("Ana", "SITS_AT", "B2", valid_at="2022")
    day("2026-02-01")
    memory.define_relation("SITS_AT", functional=True)
    diff = memory.diff("2026-01-15")
    assert listed(diff) == {"ended": [("Ana SITS_AT A1 2019-01-01..", "Ana SITS_AT A1 2019-01-01..2022-01-01")]}
    assert shown(diff.ended[0].successor) == "Ana SITS_AT B2 2022-01-01.."


def test_an_announcement_without_a_date_is_learned_and_retracted(memory: Memory, day: Day) -> None:
    day("2026-02-01")
    plan = memory.add_fact("Ana", "LIVES_IN", "Rome", planned=True)
    assert [changed.fact.planned for changed in memory.diff("2026-01-15").learned] == [True]
    day("2026-02-02")
    memory.add_fact("Anna", "LIKES", "tea")
    memory.merge_entities("Anna", "Ana")
    assert ("Ana LIVES_IN Rome ..", "Anna LIVES_IN Rome ..") in listed(memory.diff("2026-02-01"))["revised"]
    day("2026-02-03")
    memory.retract(plan.uuid)
    assert listed(memory.diff("2026-02-02T12:00")) == {"retracted": [("Anna LIVES_IN Rome ..", None)]}


def test_deletions_are_listed_by_when_and_what_was_deleted_is_not(memory: Memory, day: Day) -> None:
    fact = memory.add_fact("Ana", "LIKES", "tea")
    day("2026-02-01")
    memory.forget(fact=fact.uuid)
    diff = memory.diff("2025")
    assert (listed(diff), [change.verb for change in diff.forgotten]) == ({}, ["forget"])
    assert not memory.diff("2026-02-01")
    memory.add_fact("Ana", "LIKES", "jazz")
    assert memory.diff("2025", entity="Ana").forgotten == ()


def test_an_undone_text_is_no_longer_believed_and_is_believed_again_when_that_is_undone(memory: Memory, day: Day) -> None:
    episode = memory.add("Ana moved to Rome.", extract=False).episode
    memory.add_fact("Ana", "LIVES_IN", "Porto", valid_at="2019")
    memory.add_fact("Ana", "LIVES_IN", "Rome", valid_at="2022", episode=episode.uuid)
    day("2026-02-01")
    undone = memory.undo(episode=episode.uuid)
    diff = memory.diff("2026-01-15")
    assert listed(diff) == {
        "retracted": [("Ana LIVES_IN Rome 2022-01-01..", None)],
        "revised": [("Ana LIVES_IN Porto 2019-01-01..2022-01-01", "Ana LIVES_IN Porto 2019-01-01..")],
    }
    assert diff.retracted[0].by is not None
    assert diff.retracted[0].by.verb == "undo"
    day("2026-02-02")
    memory.undo(change=undone.change)
    assert not memory.diff("2026-01-15")
    assert [shown(changed.after) for changed in memory.diff("2026-02-01").learned] == ["Ana LIVES_IN Rome 2022-01-01.."]
    assert listed(memory.diff("2026-01-15", "2026-02-01T12:00")) == listed(diff)


def test_a_correction_that_was_undone_is_still_one_between_earlier_instants(memory: Memory, day: Day) -> None:
    fact = memory.add_fact("Ana", "LIVES_IN", "Porto", valid_at="2019")
    day("2026-02-01")
    memory.correct(fact.uuid, valid_at="2018")
    corrected = listed(memory.diff("2026-01-15"))
    day("2026-02-02")
    memory.undo(change=memory.changes()[0].number)
    assert not memory.diff("2026-01-15")
    assert list(corrected) == ["corrected"]
    assert listed(memory.diff("2026-01-15", "2026-02-01")) == corrected


def test_groups_differ_apart(memory: Memory) -> None:
    memory.add_fact("Ana", "LIKES", "tea", group="work")
    assert not memory.diff("2025")
    assert len(memory.diff("2025", group=["default", "work"]).learned) == 1


# --- an entity, a question ---


def test_an_entity_is_asked_for_with_what_is_part_of_it_then(memory: Memory, day: Day) -> None:
    jazz = memory.add_fact("Bo", "LIKES", "jazz")
    memory.add_fact("Ana", "LIKES", "tea")
    memory.add_fact("Omar", "KNOWS", "A. Silva")
    day("2026-02-01")
    memory.retract(jazz.uuid)
    assert listed(memory.diff("2026-01-15", entity="Bo")) == {"retracted": [("Bo LIKES jazz ..", None)]}
    memory.merge_entities("Ana", "A. Silva")
    assert listed(memory.diff("2026-01-15", entity="Ana")) == {
        "revised": [("Omar KNOWS A. Silva ..", "Omar KNOWS Ana ..")],
    }
    assert listed(memory.diff("2025", "2026-01-15", entity="A. Silva")) == {"learned": [(None, "Omar KNOWS A. Silva ..")]}
    with pytest.raises(NotFound, match="'Nobody'"):
        memory.diff("2025", entity="Nobody")


def test_a_question_is_about_the_entities_that_it_names(memory: Memory) -> None:
    memory.add_fact("Ana", "LIKES", "tea")
    memory.add_fact("Bo", "KNOWS", "Ana")
    memory.add_fact("Bo", "LIKES", "jazz")
    asked = memory.diff("2025", query="what changed about Ana")
    assert [shown(changed.after) for changed in asked.learned] == ["Ana LIKES tea ..", "Bo KNOWS Ana .."]


def test_a_question_that_names_nobody_is_about_the_facts_it_finds(memory: Memory, day: Day) -> None:
    memory.add_fact("Ana", "DRINKS", "green tea", fact="Ana drinks green tea every morning.")
    memory.add_fact("Bo", "PLAYS", "chess", fact="Bo plays chess on Sundays.")
    [drink] = memory.diff("2025", query="who drinks something every morning").learned
    assert drink.fact.target.name == "green tea"
    day("2026-02-01")
    memory.retract(drink.fact.uuid)
    assert len(memory.diff("2026-01-15", query="who drinks something every morning").retracted) == 1
    assert not memory.diff("2025", query="quarterly budgets")


# --- the valid clock ---


def test_on_the_valid_clock_what_holds_at_one_instant_only_began_or_ended(memory: Memory) -> None:
    memory.add_fact("Ana", "LIVES_IN", "Porto", valid_at="2019")
    memory.add_fact("Ana", "LIVES_IN", "Rome", valid_at="2022-03")
    memory.add_fact("Ana", "LIKES", "tea")
    diff = memory.diff("2022", "2023", "valid")
    assert listed(diff) == {
        "ended": [("Ana LIVES_IN Porto 2019-01-01..2022-03-01", None)],
        "began": [(None, "Ana LIVES_IN Rome 2022-03-01..")],
    }
    assert diff.began[0].at == dt.datetime(2022, 3, 1, tzinfo=dt.UTC)
    assert shown(diff.ended[0].successor) == "Ana LIVES_IN Rome 2022-03-01.."
    assert not memory.diff("2022-03", "2023", "valid")
    assert list(listed(memory.diff("2022", "2022-03", "valid"))) == ["ended", "began"]


def test_on_the_valid_clock_it_counts_what_was_believed_at_known_at(memory: Memory, day: Day) -> None:
    memory.add_fact("Ana", "LIVES_IN", "Porto", valid_at="2019")
    day("2026-02-01")
    memory.add_fact("Ana", "LIVES_IN", "Rome", valid_at="2022-03")
    assert memory.diff("2022", "2023", "valid", entity="Rome")
    diff = memory.diff("2022", "2023", "valid", known_at="2026-01-15")
    assert (listed(diff), diff.known_at) == ({}, dt.datetime(2026, 1, 15, tzinfo=dt.UTC))


def test_what_resumed_after_a_bounded_break_holds_at_both_instants(memory: Memory) -> None:
    memory.add_fact("Ana", "LIVES_IN", "Porto", valid_at="2019")
    memory.add_fact("Ana", "LIVES_IN", "Rome", valid_at="2021", invalid_at="2022")
    assert not memory.diff("2020", "2023", "valid")


# --- the list of changes ---


def said(memory: Memory, **asked: str) -> list[tuple[str, str | None]]:
    return [(change.verb, change.words) for change in memory.changes(**asked)]  # type: ignore[arg-type]


def test_each_change_says_in_words_what_it_was_about(memory: Memory, day: Day) -> None:
    fact = memory.add_fact("Ana", "LIVES_IN", "Porto", valid_at="2019")
    memory.add_fact("A. Silva", "LIKES", "tea")
    memory.end_fact("Ana", "LIVES_IN", "Porto", at="2023")
    memory.correct(fact.uuid, target="Braga")
    memory.add_alias("Ana", "Annie")
    memory.merge_entities("Ana", "A. Silva", reason="same")
    memory.split_entity("A. Silva")
    memory.define_relation("SITS_AT", functional=True)
    plan = memory.add_fact("Ana", "LIVES_IN", "Rome", planned=True)
    memory.retract(plan.uuid)
    memory.retract(fact.uuid, reason="misheard")
    assert said(memory) == [
        ("retract", "Ana lives in Braga"),
        ("retract", "Ana lives in Rome"),
        ("planned", "Ana lives in Rome"),
        ("define", "sits at: one at a time"),
        ("split", "A. Silva is not Ana"),
        ("merge", "A. Silva is Ana"),
        ("alias", "Ana is also called Annie"),
        ("correct", "Ana lives in Braga"),
        ("end", "Ana lives in Porto"),
        ("assert", "A. Silva likes tea"),
        ("assert", "Ana lives in Porto"),
    ]
    first, *_ = memory.changes()
    assert (first.reason, first.group) == ("misheard", "default")
    assert [change.reason for change in memory.changes() if change.verb in {"define", "merge"}] == [None, "same"]


def test_a_text_that_says_several_things_is_one_change(memory: Memory) -> None:
    episode = memory.add("Ana lives in Porto. Ana works at Initech. Ana likes tea.").episode
    [change] = memory.changes()
    assert (change.verb, change.words, change.episode) == ("add", "Ana lives in Porto and 2 more", episode.uuid)


def test_an_undo_says_how_much_it_took_back(memory: Memory) -> None:
    memory.add("Ana lives in Porto. Ana works at Initech.")
    memory.undo(change=memory.changes()[0].number)
    change: Change = memory.changes()[0]
    assert (change.verb, change.words) == ("undo", "1 text, 2 statements, 2 facts")
    assert change.detail == {"episodes": 1, "claims": 2, "facts": 2}


def test_changes_are_listed_of_a_stretch_a_number_and_a_group(memory: Memory, day: Day) -> None:
    for number, date in enumerate(("2026-01-02", "2026-01-03", "2026-01-04")):
        day(date)
        memory.add_fact("Ana", "LIKES", f"tea {number}")
    memory.add_fact("Bo", "LIKES", "jazz", group="work")
    assert said(memory, since="2026-01-02", until="2026-01-04") == [
        ("assert", "Ana likes tea 1"),
        ("assert", "Ana likes tea 0"),
    ]
    assert [change.words for change in memory.changes(limit=1)] == ["Ana likes tea 2"]
    assert [change.words for change in memory.changes(group="work")] == ["Bo likes jazz"]


# --- whole histories ---

Belief = tuple[object, ...]


def believed(twins: Twins, at: dt.datetime) -> set[Belief]:
    """All that was believed at a system time, as the timelines of all entities tell it."""
    claims = twins.model.claims
    names = {(claim["key"][0], claim["key"][place]) for claim in claims for place in (1, 3)}
    if isinstance(twins, MergedTwins):
        names |= set(twins.entities())
    found: set[Belief] = set()
    for group, name in sorted(names):
        with contextlib.suppress(NotFound):
            found |= {belief(version) for version in twins.memory.timeline(name, known_at=at, group=group)}
    return found


def belief(one: Fact | Version) -> Belief:
    period = (one.valid_at, one.invalid_at, one.valid_precision, one.invalid_precision)
    return (one.source.uuid, one.relation, one.target.uuid, *period, one.planned and one.valid_at is None)


def sides(changed: Changed) -> tuple[set[Belief], set[Belief]]:
    """What was and what is believed of one fact."""
    before = {belief(fact) for fact in (changed.before, *changed.before_more) if fact is not None}
    return before, {belief(fact) for fact in (changed.after, *changed.after_more) if fact is not None}


def the_lists_lead_from_one_belief_to_the_other(twins: Twins) -> None:
    with contextlib.closing(twins.memory):
        instants = [told(number).replace(tzinfo=dt.UTC) for number in range(twins.count + 1)]
        beliefs = [believed(twins, at) for at in instants]
        for first in range(twins.count + 1):
            for last in sorted({min(first + step, twins.count) for step in (1, 3, twins.count)}):
                diff = twins.memory.diff(instants[first], instants[last], group=sorted(twins.groups))
                every = [changed for name in LISTS for changed in getattr(diff, name)]
                story = twins.story(f"{first} to {last}: {listed(diff)}")
                before = [side for side, _ in map(sides, every)]
                after = [side for _, side in map(sides, every)]
                assert set().union(*before) <= beliefs[first], story
                assert (beliefs[first] - set().union(*before)) | set().union(*after) == beliefs[last], story
                assert all(one != other for one, other in zip(before, after, strict=True)), story
                subjects = [(changed.before or changed.fact).uuid for changed in every]
                assert len(set(subjects)) == len(subjects), story
                assert all(instants[first] < changed.at <= instants[last] and changed.by for changed in every), story


@settings(max_examples=5)
@given(merged_histories)
def test_the_lists_lead_from_one_belief_to_the_other_each_fact_in_one(ops: list[AnyOp]) -> None:
    the_lists_lead_from_one_belief_to_the_other(tell_merged(ops))


@pytest.mark.slow
@settings(max_examples=1000)
@given(merged_histories)
def test_the_lists_of_a_thousand_merged_histories_lead_from_one_belief_to_the_other(ops: list[AnyOp]) -> None:
    the_lists_lead_from_one_belief_to_the_other(tell_merged(ops))


@pytest.mark.slow
@settings(max_examples=1000)
@given(histories)
def test_the_lists_of_a_thousand_histories_lead_from_one_belief_to_the_other(ops: list[Op]) -> None:
    the_lists_lead_from_one_belief_to_the_other(tell(ops))


def test_a_judged_conflict_is_an_end_by_judgement_that_names_what_took_over_and_goes_with_its_text(
    clock: FixedClock, day: Day
) -> None:
    def answer(request: Request) -> object:
        given = json.loads(request.user)
        if request.purpose == "judge":
            return {"contradictions": given["pairs"]}
        fact = {"source": 1, "relation": "DISLIKES", "target": 2, "sentence": given["text"], "kind": "assert"}
        return {"entities": [{"id": 1, "name": "Ana"}, {"id": 2, "name": "tea"}], "facts": [{**fact, "valid_at": "2026-02-01"}]}

    day("2026-01-01")
    with Memory(":memory:", embedder=HashEmbedder(8), clock=clock, llm=ScriptedLLM(answer)) as memory:
        memory.add_fact("Ana", "LIKES", "tea", valid_at="2020")
        day("2026-03-01")
        episode = memory.add("Ana dislikes tea now.").episode
        day("2026-04-01")
        likes, dislikes = "Ana LIKES tea 2020-01-01..", "Ana DISLIKES tea 2026-02-01.."
        diff = memory.diff("2026-02-01")
        assert listed(diff) == {"learned": [(None, dislikes)], "ended": [(likes, f"{likes}2026-02-01")]}
        [ended] = diff.ended
        assert (ended.cause, shown(ended.successor)) == ("judged", dislikes)
        [gone] = memory.diff("2026-01-15", "2026-02-15", "valid").ended
        assert (gone.cause, shown(gone.successor)) == ("judged", dislikes)
        memory.undo(episode=episode.uuid)
        assert listed(memory.diff("2026-02-01")) == {}
        assert listed(memory.diff("2026-03-15")) == {
            "retracted": [(dislikes, None)],
            "revised": [(f"{likes}2026-02-01", likes)],
        }
        assert listed(memory.diff("2026-01-15", "2026-02-15", "valid")) == {}
