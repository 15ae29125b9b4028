"""Why a fact is believed: its sentences, what took over and by which rule, what was taken back; as it was known at any time."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
import json
from collections.abc import Iterator
from typing import Any

import pytest
from histories import Assert, End, Op, histories, histories_that_keep_all
from hypothesis import given, settings
from twins import Twins, empty, told, utc

from tkgmem import Memory
from tkgmem.errors import NotFound
from tkgmem.explain import rivals
from tkgmem.explain.subject import subject
from tkgmem.protocols import Request
from tkgmem.reasons import Why
from tkgmem.store.clocks import EVERYTHING
from tkgmem.testing import FixedClock, HashEmbedder, ScriptedLLM

TOLD = [
    ("2024-03-05", "小李从 2024 年 3 月 1 日起在 A 公司工作。"),
    ("2026-06-03", "今天收到消息。小李 6 月 1 日跳槽到 B 公司。大家都很惊讶。"),
    ("2026-07-01", "小李 2022 年 7 月起在 C 公司实习。"),
]
SENTENCES = {
    "A 公司": "小李从 2024 年 3 月 1 日起在 A 公司工作。",
    "B 公司": "小李 6 月 1 日跳槽到 B 公司。",
    "C 公司": "小李 2022 年 7 月起在 C 公司实习。",
}


def at(day: str) -> dt.datetime:
    return dt.datetime.fromisoformat(day).replace(tzinfo=dt.UTC)


@pytest.fixture
def memory(clock: FixedClock) -> Iterator[Memory]:
    clock.set(at("2024-01-01"))
    with Memory(":memory:", embedder=HashEmbedder(8), clock=clock) as opened:
        yield opened


@pytest.fixture
def worked(memory: Memory, clock: FixedClock) -> dict[str, str]:
    """The worked example, read from its sentences: target name to the fact's uuid."""
    facts = {}
    for day, text in TOLD:
        clock.set(at(day))
        facts |= {fact.target.name: fact.uuid for fact in memory.add(text).created}
    clock.set(at("2026-10-01"))
    assert sorted(facts) == sorted(SENTENCES)
    return facts


def gives_way(why: Why) -> list[tuple[str, str | None]]:
    return [(one.rule, one.fact and one.fact.target.name) for one in why.superseded_by]


def took_over(why: Why) -> list[tuple[str, str | None]]:
    return [(one.rule, one.fact and one.fact.target.name) for one in why.supersedes]


# --- the worked example ---


@pytest.mark.parametrize(
    ("target", "winner", "loser"),
    [("A 公司", "B 公司", "C 公司"), ("B 公司", None, "A 公司"), ("C 公司", "A 公司", None)],
)
def test_each_fact_names_its_sentence_and_its_superseder(
    memory: Memory, worked: dict[str, str], target: str, winner: str | None, loser: str | None
) -> None:
    why = memory.why(worked[target])
    [claim] = why.claims
    assert claim.sentence == SENTENCES[target]
    assert claim.episode is not None
    assert claim.span is not None
    assert claim.episode.content[slice(*claim.span)] == SENTENCES[target]
    assert gives_way(why) == ([("later start", winner)] if winner else [])
    assert took_over(why) == ([("later start", loser)] if loser else [])
    if winner:
        assert why.superseded_by[0].by.sentence == SENTENCES[winner]
    for words in (SENTENCES[target], winner, loser):
        assert words is None or words in str(why)


def test_a_supersession_says_since_when_it_is_known(memory: Memory, worked: dict[str, str]) -> None:
    assert memory.why(worked["A 公司"]).superseded_by[0].at == at("2026-06-03")
    assert memory.why(worked["C 公司"]).superseded_by[0].at == at("2026-07-01")
    [claim] = memory.why(worked["C 公司"]).claims
    assert (claim.said_at, claim.learned_at, claim.made_by) == (at("2026-07-01"), at("2026-07-01"), "rules")


def test_a_supersession_is_known_since_it_was_first_learned_whatever_came_between(memory: Memory, clock: FixedClock) -> None:
    rome = memory.add_fact("Ana", "LIVES_IN", "Rome", valid_at="2020")
    memory.add_fact("Ana", "LIVES_IN", "Oslo", valid_at="2023")
    clock.set(at("2024-02-01"))
    memory.add_fact("Ana", "LIVES_IN", "Bonn", valid_at="2021", invalid_at="2022")
    why = memory.why(rome.uuid)
    assert gives_way(why) == [("bounded", "Bonn"), ("later start", "Oslo")]
    assert [one.at.date() for one in why.superseded_by] == [at("2024-02-01").date(), at("2024-01-01").date()]


def test_what_was_believed_before_is_kept(memory: Memory, worked: dict[str, str]) -> None:
    why = memory.why(worked["A 公司"])
    assert [(v.invalid_at, v.created_at, v.expired_at) for v in why.before] == [(None, at("2024-03-05"), at("2026-06-03"))]
    assert [v.invalid_at for v in why.periods] == [at("2026-06-01")]
    assert "Believed before, from 5 March 2024 until 3 June 2026: since 1 March 2024." in str(why)


def test_an_earlier_explanation_knows_nothing_of_what_came_later(memory: Memory, worked: dict[str, str]) -> None:
    why = memory.why(worked["A 公司"], known_at="2026-06-02")
    assert (gives_way(why), took_over(why), why.before) == ([], [], ())
    assert why.fact.invalid_at is None
    assert "B 公司" not in str(why)
    with pytest.raises(NotFound, match="recorded by 2026-06-02"):
        memory.why(worked["B 公司"], known_at="2026-06-02")


# --- ends ---


def test_an_end_says_who_told_it_and_its_uuid_explains_the_fact_that_it_ends(
    memory: Memory, worked: dict[str, str], clock: FixedClock
) -> None:
    clock.set(at("2026-10-02"))
    memory.add("小李 2026 年 9 月从 B 公司离职。")
    why = memory.why(worked["B 公司"])
    [end] = why.ends
    assert end.sentence == "小李 2026 年 9 月从 B 公司离职。"
    assert (end.invalid_at, end.invalid_precision) == (at("2026-09-01"), "month")
    assert [(one.rule, one.by, one.fact, one.at) for one in why.superseded_by] == [("ended", end, None, at("2026-10-02"))]
    assert memory.why(end.uuid) == why
    assert "It ended in September 2026" in str(why)


def test_an_end_that_is_taken_back_stays_to_be_seen(memory: Memory, clock: FixedClock) -> None:
    fact = memory.add_fact("Ana", "LIKES", "tea", valid_at="2023")
    memory.end_fact("Ana", "LIKES", "tea", at="2023-06")
    [end] = memory.why(fact.uuid).ends
    clock.set(at("2024-02-01"))
    memory.retract(end.uuid, reason="misheard")
    why = memory.why(end.uuid)
    assert (why.uuid, why.superseded_by, [v.invalid_at for v in why.periods]) == (fact.uuid, (), [None])
    assert [one.taken_back_by and one.taken_back_by.reason for one in why.ends] == ["misheard"]


def test_an_end_that_changes_nothing_explains_the_fact_all_the_same(memory: Memory) -> None:
    fact = memory.add_fact("Ana", "LIKES", "tea", valid_at="2023")
    memory.end_fact("Ana", "LIKES", "tea", at="2023-06")
    with memory._store.write() as db:
        uuids = [uuid for (uuid,) in db.execute("SELECT uuid FROM claims WHERE kind = 'end'")]
    memory.end_fact("Ana", "LIKES", "tea", at="2023-07")
    with memory._store.read() as db:
        [later] = {uuid for (uuid,) in db.execute("SELECT uuid FROM claims WHERE kind = 'end'")} - set(uuids)
    assert memory.why(later).uuid == fact.uuid


def test_a_record_that_something_stopped_is_a_fact_of_its_own(memory: Memory) -> None:
    ended = memory.end_fact("Ana", "LIKES", "tea", at="2023-06")
    why = memory.why(ended.uuid)
    assert [claim.kind for claim in why.claims] == ["end"]
    assert [(v.valid_at, v.invalid_at) for v in why.periods] == [(None, at("2023-06-01"))]


# --- rules ---


def test_of_two_equal_starts_the_loser_is_explained_though_it_holds_at_no_time(memory: Memory) -> None:
    rome = memory.add_fact("Ana", "LIVES_IN", "Rome", valid_at="2023")
    oslo = memory.add_fact("Ana", "LIVES_IN", "Oslo", valid_at="2023")
    why = memory.why(rome.uuid)
    assert why.believed
    assert (why.periods, gives_way(why)) == ((), [("same start", "Oslo")])
    assert (why.fact.valid_at, why.fact.invalid_at) == (at("2023-01-01"), None)
    assert took_over(memory.why(oslo.uuid)) == [("same start", "Rome")]


def test_the_beginning_that_another_takes_is_explained_too(memory: Memory) -> None:
    rome = memory.add_fact("Ana", "LIVES_IN", "Rome", valid_at="2021")
    memory.add_fact("Ana", "LIVES_IN", "Oslo", valid_at="2021", invalid_at="2022")
    why = memory.why(rome.uuid)
    assert [v.valid_at for v in why.periods] == [at("2022-01-01")]
    assert gives_way(why) == [("same start", "Oslo")]


def test_a_bounded_fact_takes_its_portion_and_the_other_resumes(memory: Memory) -> None:
    rome = memory.add_fact("Ana", "LIVES_IN", "Rome", valid_at="2020")
    oslo = memory.add_fact("Ana", "LIVES_IN", "Oslo", valid_at="2021", invalid_at="2022")
    why = memory.why(rome.uuid)
    assert gives_way(why) == [("bounded", "Oslo")]
    assert [(v.valid_at, v.invalid_at) for v in why.periods] == [(at("2020-01-01"), at("2021-01-01")), (at("2022-01-01"), None)]
    assert "and then it holds again" in str(why)
    assert took_over(memory.why(oslo.uuid)) == [("bounded", "Rome")]


def test_what_ends_a_fact_for_good_is_named_where_a_bounded_one_came_first(memory: Memory) -> None:
    rome = memory.add_fact("Ana", "LIVES_IN", "Rome", valid_at="2020")
    memory.add_fact("Ana", "LIVES_IN", "Oslo", valid_at="2021", invalid_at="2022")
    bonn = memory.add_fact("Ana", "LIVES_IN", "Bonn", valid_at="2022")
    assert gives_way(memory.why(rome.uuid)) == [("bounded", "Oslo"), ("later start", "Bonn")]
    assert ("later start", "Rome") in took_over(memory.why(bonn.uuid))


def test_a_judged_conflict_names_the_model_call_that_judged_it(clock: FixedClock) -> None:
    def answer(request: Request) -> object:
        if request.purpose == "judge":
            return {"mentions": [], "duplicates": [], "contradictions": json.loads(request.user)["pairs"]}
        tea = {"relation": "DISLIKES", "source": 1, "target": 2, "fact": "Ana cannot stand tea", "valid_at": "2024-03"}
        entities = [{"id": 1, "name": "Ana", "type": "Person"}, {"id": 2, "name": "tea", "type": "Thing"}]
        return {"entities": entities, "facts": [tea]}

    with Memory(":memory:", embedder=HashEmbedder(8), clock=clock, llm=ScriptedLLM(answer, name="judge-1")) as memory:
        likes = memory.add_fact("Ana", "LIKES", "tea", valid_at="2020")
        added = memory.add("Ana cannot stand tea any more, since March.", reference_time="2024-06-01")
        why = memory.why(likes.uuid)
        [one] = why.superseded_by
        assert (one.rule, one.fact and one.fact.uuid) == ("judged", added.created[0].uuid)
        assert one.judgement is not None
        assert (one.judgement.purpose, one.judgement.episode) == ("judge", added.episode.uuid)
        assert "as a model judged (judge-1)" in str(why)
        back = memory.why(added.created[0].uuid)
        assert [(one.rule, one.fact and one.fact.uuid) for one in back.supersedes] == [("judged", likes.uuid)]
        assert back.claims[0].episode == added.episode


# --- taken back ---


def test_a_retracted_fact_says_when_and_why_it_went(memory: Memory, clock: FixedClock) -> None:
    fact = memory.add_fact("Ana", "LIKES", "tea", fact="Ana likes tea")
    clock.set(at("2024-02-01"))
    memory.retract(fact.uuid, reason="that was Mia")
    why = memory.why(fact.uuid)
    assert (why.believed, why.periods, why.fact.fact) == (False, (), "Ana likes tea")
    [claim] = why.claims
    assert claim.taken_back_at == at("2024-02-01")
    assert claim.taken_back_by is not None
    assert (claim.taken_back_by.verb, claim.taken_back_by.reason) == ("retract", "that was Mia")
    assert "no longer believed" in str(why)
    assert "retracted on 1 February 2024 (that was Mia)" in str(why)
    assert memory.why(fact.uuid, known_at="2024-01-15").believed


def test_a_correction_keeps_what_it_corrects(memory: Memory, clock: FixedClock) -> None:
    old = memory.add_fact("Ana", "LIVES_IN", "Rome", valid_at="2022", fact="Ana moved to Rome in 2022")
    clock.set(at("2024-02-01"))
    new = memory.correct(old.uuid, valid_at="2021", reason="she said so")
    why = memory.why(old.uuid)
    assert why == memory.why(new.uuid)
    assert why.uuid == new.uuid
    [claim], [before] = why.claims, why.corrected_from
    assert (claim.corrects, claim.sentence, before.sentence) == (True, "", "Ana moved to Rome in 2022")
    assert before.taken_back_by is not None
    assert before.taken_back_by.reason == "she said so"
    assert [v.valid_at for v in why.before] == [at("2022-01-01")]
    then = memory.why(old.uuid, known_at="2024-01-15")
    assert (then.uuid, then.corrected_from) == (old.uuid, ())


def test_an_undone_fact_says_so_and_is_back_after_the_undo_of_the_undo(memory: Memory, clock: FixedClock) -> None:
    first = memory.add("Ana lives in Rome since 2020.")
    second = memory.add("Ana moved to Oslo in May 2023.")
    clock.set(at("2024-02-01"))
    report = memory.undo(episode=second.episode.uuid, reason="a joke")
    why = memory.why(second.created[0].uuid)
    assert not why.believed
    assert why.claims[0].taken_back_by is not None
    assert (why.claims[0].taken_back_by.verb, why.claims[0].taken_back_by.reason) == ("undo", "a joke")
    rome = memory.why(first.created[0].uuid)
    assert gives_way(rome) == []
    assert [v.invalid_at for v in rome.before] == [None, at("2023-05-01")]
    clock.set(at("2024-03-01"))
    memory.undo(change=report.change)
    assert memory.why(second.created[0].uuid).claims[0].taken_back_at is None
    assert gives_way(memory.why(first.created[0].uuid)) == [("later start", "Oslo")]
    assert memory.why(second.created[0].uuid, known_at="2024-02-15").claims == why.claims


def test_a_fact_lives_on_by_its_other_source_under_the_uuid_of_the_first(memory: Memory, clock: FixedClock) -> None:
    first = memory.add("Ana lives in Rome since 2020.")
    clock.set(at("2024-02-01"))
    second = memory.add("Ana has lived in Rome since 2020.")
    uuid = first.created[0].uuid
    assert [claim.episode for claim in memory.why(uuid).claims] == [first.episode, second.episode]
    clock.set(at("2024-03-01"))
    memory.undo(episode=first.episode.uuid)
    why = memory.why(uuid)
    assert why.believed
    assert [claim.taken_back_at for claim in why.claims] == [at("2024-03-01"), None]
    assert why.before == ()  # it was believed to hold then all along


# --- what it addresses ---


def test_any_claim_leads_to_its_fact(memory: Memory) -> None:
    facts = [memory.add_fact("Ana", "LIVES_IN", "Rome", valid_at="2020", fact=f"source {n}") for n in range(3)]
    assert len({fact.uuid for fact in facts}) == 1
    why = memory.why(facts[0])
    assert [claim.sentence for claim in why.claims] == ["source 0", "source 1", "source 2"]
    assert all(memory.why(claim.uuid) == why for claim in why.claims)


def test_an_announcement_without_a_date_is_explained(memory: Memory) -> None:
    plan = memory.add_fact("Ana", "MOVES_TO", "Rome", planned=True, fact="Ana plans to move to Rome")
    why = memory.why(plan.uuid)
    assert (why.believed, why.fact.planned, why.periods, gives_way(why)) == (True, True, (), [])
    assert str(why).splitlines() == [
        "Ana moves to Rome (planned without a date).",
        'Announced on 1 January 2024: "Ana plans to move to Rome"',
    ]


def test_another_group_is_reached_by_uuid_and_never_mixed_in(memory: Memory) -> None:
    mine = memory.add_fact("Ana", "LIVES_IN", "Rome", valid_at="2020")
    other = memory.add_fact("Ana", "LIVES_IN", "Oslo", valid_at="2021", group="work")
    assert gives_way(memory.why(mine.uuid)) == []
    why = memory.why(other.uuid)
    assert (why.fact.group, took_over(why)) == ("work", [])


@pytest.mark.parametrize("uuid", ["", "nobody", "' OR 1=1 --", "\ud800"])
def test_an_unknown_uuid_is_not_found(memory: Memory, uuid: str) -> None:
    memory.add_fact("Ana", "LIKES", "tea")
    with pytest.raises(NotFound):
        memory.why(uuid)


def test_many_sources_are_told_by_their_first_and_last(memory: Memory) -> None:
    for number in range(12):
        fact = memory.add_fact("Ana", "LIKES", "tea", fact=f"source {number}")
    why = memory.why(fact.uuid)
    assert len(why.claims) == 12
    assert [line.split('"')[1] for line in str(why).splitlines() if "source" in line] == [
        "source 0", "source 1", "source 2", "source 10", "source 11",
    ]  # fmt: skip


def test_explaining_reads_no_table_through(memory: Memory, worked: dict[str, str]) -> None:
    asked: list[tuple[str, Any]] = []
    with memory._store.read() as db:
        db.exec_trace = lambda _, query, bindings: asked.append((query, bindings)) or True
    memory.why(worked["A 公司"])
    memory.why(worked["A 公司"], known_at="2026-06-15")
    with memory._store.read() as db:
        db.exec_trace = None
        plans = {
            (query, step[3])
            for query, bindings in asked
            if query.lstrip().startswith(("SELECT", "WITH"))
            for step in db.execute(f"EXPLAIN QUERY PLAN {query}", bindings)
        }
    large = ("claims", "c", "o", "p", "supports", "versions", "v", "episodes", "e", "transactions", "t", "model_calls", "m")
    assert plans
    assert not [(query, step) for query, step in plans if step.split() and step.startswith("SCAN") and step.split()[1] in large]
    assert not [query for query, step in plans if "claims_by_system_time" in step]


# --- whole histories ---


def essence(why: Why) -> Why:
    """What an explanation says, without what the present valid time chooses to show, and the time that was asked for."""
    period = dict.fromkeys(("valid_at", "invalid_at", "valid_precision", "invalid_precision", "expired_at"))
    return dataclasses.replace(why, fact=dataclasses.replace(why.fact, **period), known_at=None, text="")  # type: ignore[arg-type]


def claims_of(twins: Twins) -> list[str]:
    with twins.memory._store.read() as db:
        return [uuid for (uuid,) in db.execute("SELECT uuid FROM claims ORDER BY id")]


def every_step(ops: list[Op]) -> Iterator[Twins]:
    """Both twins after each operation."""
    twins = empty({op.triple[2] for op in ops if isinstance(op, Assert | End)})
    with contextlib.closing(twins.memory):
        for op in ops:
            twins.tell(op)
            yield twins


def whats_believed_is_explained(ops: list[Op]) -> None:
    for twins in every_step(ops):
        for uuid in claims_of(twins):
            why = twins.memory.why(uuid)
            assert why.believed == any(claim.taken_back_at is None for claim in why.claims), twins.story(str(why))
            ends = {version.by for version in why.periods if version.cause in {"superseded", "ended"}}
            assert ends <= {one.by.uuid for one in why.superseded_by}, twins.story(str(why))
            assert why.periods or why.superseded_by or not why.believed, twins.story(str(why))
            for one in why.superseded_by:
                if one.fact is not None:
                    back = twins.memory.why(one.fact).supersedes
                    there = {(two.rule, two.at, two.fact and two.fact.uuid) for two in back}
                    assert (one.rule, one.at, why.uuid) in there, twins.story(str(why))
            with twins.memory._store.read() as db:
                of = subject(db, uuid, EVERYTHING)
                by_rows = of.present and rivals._by_rows(db, of.fact, of.periods, of.present, EVERYTHING)
                if by_rows:
                    derived = rivals._derived(db, of.fact, EVERYTHING)
                    assert (set(by_rows.above), set(by_rows.below)) == (set(derived.above), set(derived.below)), twins.story("")


def explanations_can_be_asked_for_again(ops: list[Op]) -> None:
    given: dict[tuple[str, int], Why] = {}
    twins = None
    for twins in every_step(ops):
        given |= {(uuid, twins.count): twins.memory.why(uuid) for uuid in claims_of(twins)}
        if twins.count == len(ops):
            for (uuid, count), why in given.items():
                again = twins.memory.why(uuid, known_at=utc(told(count)))
                assert essence(again) == essence(why), twins.story(f"{uuid} at T{count}")


@settings(max_examples=6)
@given(histories)
def test_every_period_that_another_ends_is_explained_from_both_sides(ops: list[Op]) -> None:
    whats_believed_is_explained(ops)


@settings(max_examples=6)
@given(histories_that_keep_all)
def test_an_explanation_is_the_same_when_it_is_asked_for_again(ops: list[Op]) -> None:
    explanations_can_be_asked_for_again(ops)


@pytest.mark.slow
@settings(max_examples=100)
@given(histories, histories_that_keep_all)
def test_a_hundred_histories_are_explained(ops: list[Op], kept: list[Op]) -> None:
    whats_believed_is_explained(ops)
    explanations_can_be_asked_for_again(kept)


@pytest.mark.parametrize("order", [["Rome", "Oslo"], ["Oslo", "Rome"]])
def test_of_two_ends_with_nothing_to_end_the_one_that_ends_first_is_named_whichever_came_first(
    memory: Memory, order: list[str]
) -> None:
    for place in order:
        memory.end_fact("Ana", "LIVES_IN", place, at={"Rome": "2020", "Oslo": "2022"}[place])
    rome, oslo = memory.held(None, None)
    assert gives_way(memory.why(oslo)) == [("bounded", "Rome")]
    assert took_over(memory.why(rome)) == [("bounded", "Oslo")]
