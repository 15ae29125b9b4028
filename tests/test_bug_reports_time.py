"""Faults that users of comparable programs reported about supersession and dates (T01, T02), each as a rule kept here."""

from __future__ import annotations

import datetime as dt
import itertools

import pytest

from tkgmem import Fact, InvalidPeriod, Memory
from tkgmem.testing import FixedClock


def utc(*parts: int) -> dt.datetime:
    return dt.datetime(*parts, tzinfo=dt.UTC)


def triples(facts: list[Fact]) -> set[tuple[str, str, str]]:
    return {(fact.source.name, fact.relation, fact.target.name) for fact in facts}


def test_an_unrelated_fact_is_never_retired(memory: Memory) -> None:
    """T01-01"""
    memory.add_fact("Tovik", "USES", "Helm", valid_at="2025-01")
    memory.add_fact("Helm", "USES", "Quill", valid_at="2025-02")
    memory.add_fact("Helm", "WRITTEN_BY", "Sana", valid_at="2025-03")
    assert triples(memory.as_of("2026-01-01")) == {
        ("Tovik", "USES", "Helm"),
        ("Helm", "USES", "Quill"),
        ("Helm", "WRITTEN_BY", "Sana"),
    }


@pytest.mark.parametrize(
    "other",
    [
        ("Ana", "LIVES_IN", "Porto"),
        ("Bo", "WORKS_AT", "Acme"),
        ("Ana", "LIKES", "Acme"),
        ("Acme", "WORKS_AT", "Ana"),
        ("Ana", "NEVER_DECLARED", "Bolt"),
    ],
)
def test_a_functional_change_retires_nothing_of_another_source_or_relation(memory: Memory, other: tuple[str, str, str]) -> None:
    """T01-01, the whole kind"""
    memory.add_fact(*other, valid_at="2020")
    memory.add_fact("Ana", "WORKS_AT", "Acme", valid_at="2021")
    result = memory.add_fact("Ana", "WORKS_AT", "Bolt", valid_at="2022")
    assert result.target.name == "Bolt"
    assert triples(memory.as_of("2023-01-01")) == {other, ("Ana", "WORKS_AT", "Bolt")}


@pytest.mark.parametrize("relation", ["MEMBER_OF", "WORKS_AT"])
def test_two_stints_of_one_triple_stay_two_facts(memory: Memory, relation: str) -> None:
    """T01-02"""
    first = memory.add_fact("Rolf", relation, "Atlas", valid_at="2026-01-01", invalid_at="2026-02-01")
    second = memory.add_fact("Rolf", relation, "Atlas", valid_at="2026-05-01")
    assert first.uuid != second.uuid
    assert [fact.uuid for fact in memory.as_of("2026-01-15")] == [first.uuid]
    assert memory.as_of("2026-03-01") == []
    assert [fact.uuid for fact in memory.as_of("2026-06-01")] == [second.uuid]


@pytest.mark.parametrize("start", ["2026-05-01", "2026-05-20", None])
def test_a_duplicate_that_brings_the_end_closes_the_fact(memory: Memory, start: str | None) -> None:
    """T01-02"""
    fact = memory.add_fact("Rolf", "MEMBER_OF", "Atlas", valid_at="2026-05-01")
    again = memory.add_fact("Rolf", "MEMBER_OF", "Atlas", valid_at=start, invalid_at="2026-07-01", reference_time="2026-06-01")
    assert again.uuid == fact.uuid
    assert (again.valid_at, again.invalid_at) == (utc(2026, 5, 1), utc(2026, 7, 1))


def test_the_instant_of_a_handover_has_one_answer(memory: Memory) -> None:
    """T01-03"""
    memory.add_fact("ticket", "status", "m7", valid_at="2026-05-01", invalid_at="2026-06-02")
    memory.add_fact("ticket", "status", "m8", valid_at="2026-06-02")
    (fact,) = memory.as_of("2026-06-02T00:00:00Z", source="ticket", relation="status")
    assert (fact.target.name, fact.relation) == ("m8", "HAS_STATUS")


TOLD_ABOUT_SPORT = {
    "no longer swims": ("2022-06-01", "end", "swimming"),
    "swims daily": ("2021-03-01", "start", "swimming"),
    "gave up swimming": ("2021-08-05", "end", "swimming"),
    "took up cycling": ("2021-08-09", "start", "cycling"),
}


@pytest.mark.parametrize("order", [*itertools.permutations(TOLD_ABOUT_SPORT)], ids=" / ".join)
def test_an_end_closes_what_it_ends_in_any_order_of_arrival(memory: Memory, order: tuple[str, ...]) -> None:
    """T01-04"""
    for statement in order:
        date, kind, sport = TOLD_ABOUT_SPORT[statement]
        episode = memory.add(statement, reference_time=date, extract=False).episode.uuid
        if kind == "end":
            memory.end_fact("Ilse", "PRACTISES", sport, at=date, episode=episode)
        else:
            memory.add_fact("Ilse", "PRACTISES", sport, valid_at=date, episode=episode)
    (swims,) = memory.as_of("2021-05-01")
    assert (swims.target.name, swims.valid_at, swims.invalid_at) == ("swimming", utc(2021, 3, 1), utc(2021, 8, 5))
    assert memory.as_of("2021-02-28") == []
    assert memory.as_of("2021-08-06") == []
    for date in ("2021-08-09", "2022-07-01"):
        (now,) = memory.as_of(date)
        assert (now.target.name, now.valid_at, now.invalid_at) == ("cycling", utc(2021, 8, 9), None)


def test_a_stated_end_is_stored_as_given(memory: Memory) -> None:
    """T01-05"""
    fact = memory.add_fact("Ana", "WORKS_AT", "Acme", valid_at="2031-02-01", invalid_at="2031-03-09")
    assert fact.invalid_at == utc(2031, 3, 9)
    assert fact.invalid_precision == "day"
    assert memory.as_of("2031-03-08") == [fact]
    assert memory.as_of("2031-03-09") == []
    (version,) = memory.history(fact.uuid)
    assert (version.invalid_at, version.cause) == (utc(2031, 3, 9), "stated")


@pytest.mark.parametrize("wrong", ["valid_to", "ended", "end", "until", "invalid"])
def test_an_unknown_argument_is_an_error(memory: Memory, wrong: str) -> None:
    """T01-05"""
    fact = memory.add_fact("Ana", "WORKS_AT", "Acme", valid_at="2020")
    for call in (
        lambda **more: memory.add_fact("Ana", "WORKS_AT", "Bolt", **more),
        lambda **more: memory.end_fact("Ana", "WORKS_AT", "Acme", at="2022", **more),
        lambda **more: memory.correct(fact.uuid, **more),
        lambda **more: memory.add("text", **more),
        lambda **more: memory.search("text", **more),
        lambda **more: memory.as_of("2020", **more),
        memory.forget,
    ):
        with pytest.raises(TypeError, match=wrong):
            call(**{wrong: "2026"})
    assert memory.as_of("2026-01-01") == [fact]


def test_an_inverted_period_is_refused_and_nothing_changes(memory: Memory) -> None:
    """T01-06"""
    fact = memory.add_fact("Ana", "WORKS_AT", "Acme", valid_at="2026-03")
    with pytest.raises(InvalidPeriod, match=r"2026-03-01.*2026-01-01"):
        memory.add_fact("Ana", "WORKS_AT", "Bolt", valid_at="2026-03", invalid_at="2026-01")
    with pytest.raises(InvalidPeriod, match=r"2026-03-01.*2020-01-01"):
        memory.correct(fact.uuid, invalid_at="2020")
    assert memory.as_of("2026-04-01") == [fact]
    assert memory.stats().claims == 1


def test_an_end_before_the_start_leaves_the_fact_as_it_was(memory: Memory) -> None:
    """T01-06"""
    fact = memory.add_fact("Ana", "WORKS_AT", "Acme", valid_at="2026-03")
    record = memory.end_fact("Ana", "WORKS_AT", "Acme", at="2020")
    assert (record.valid_at, record.invalid_at) == (None, utc(2020, 1, 1))
    assert memory.as_of("2026-04-01") == [fact]
    assert memory.as_of("2023-01-01") == []
    assert [found.uuid for found in memory.as_of("2019-01-01")] == [record.uuid]


def test_a_reassignment_without_a_date_closes_the_old_one_at_its_own_time(memory: Memory) -> None:
    """T01-07"""
    one = memory.add("Priya works on Delta", reference_time="2026-01-10", extract=False).episode.uuid
    two = memory.add("Priya was moved from Delta to Echo", reference_time="2026-04-20", extract=False).episode.uuid
    memory.add_fact("Priya", "ASSIGNED_TO", "Delta", episode=one)
    memory.add_fact("Priya", "ASSIGNED_TO", "Echo", episode=two)
    (echo,) = memory.as_of("2026-05-01")
    assert (echo.target.name, echo.valid_at) == ("Echo", utc(2026, 4, 20))
    (delta,) = memory.as_of("2026-04-19")
    assert (delta.target.name, delta.invalid_at) == ("Delta", utc(2026, 4, 20))


def test_naive_and_aware_dates_meet_without_an_error(memory: Memory) -> None:
    """T02-01"""
    naive = memory.add_fact("Ana", "WORKS_AT", "Acme", valid_at=dt.datetime(2026, 3, 1, 10))  # noqa: DTZ001
    aware = memory.add_fact("Ana", "WORKS_AT", "Bolt", reference_time=utc(2026, 3, 1, 11))
    text = memory.add_fact("Ana", "WORKS_AT", "Cog", valid_at="2026-03-01 12:00")
    assert [fact.valid_at for fact in (naive, aware, text)] == [utc(2026, 3, 1, hour) for hour in (10, 11, 12)]
    assert [fact.uuid for fact in memory.as_of(dt.datetime(2026, 3, 1, 10, 30))] == [naive.uuid]  # noqa: DTZ001


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("2026-1-5", "2026-01-06"),
        ("2026-9-30", "2026-10-01"),
        ("2026-01-01T00:00+09:00", "2025-12-31T20:00Z"),
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.5Z"),
        ("0999-12-31", "1000-01-01"),
        ("1969-12-31T23:59:59.999999", "1970-01-01"),
    ],
)
@pytest.mark.parametrize("told_later_first", [False, True])
def test_dates_are_compared_as_instants_not_as_text(memory: Memory, earlier: str, later: str, told_later_first: bool) -> None:
    """T02-02"""
    told = [("first", earlier), ("second", later)]
    for target, date in reversed(told) if told_later_first else told:
        memory.add_fact("Ana", "WORKS_AT", target, valid_at=date)
    assert [fact.target.name for fact in memory.as_of(earlier)] == ["first"]
    assert [fact.target.name for fact in memory.as_of(later)] == ["second"]


def test_two_spellings_of_one_day_are_one_day(memory: Memory) -> None:
    """T02-02"""
    first = memory.add_fact("Ana", "WORKS_AT", "Acme", valid_at="2026-1-5")
    again = memory.add_fact("Ana", "WORKS_AT", "Acme", valid_at="2026-01-05")
    assert (first.uuid, first.valid_at) == (again.uuid, again.valid_at)


@pytest.mark.parametrize("given", ["2026-06-07T23:30-05:00", "2026-06-08T13:30+09:00"])
def test_an_offset_is_converted_and_kept_never_relabelled(memory: Memory, given: str) -> None:
    """T02-03"""
    stored = memory.add("a note", reference_time=given).episode.reference_time
    assert stored == utc(2026, 6, 8, 4, 30)
    assert stored.utcoffset() == dt.datetime.fromisoformat(given).utcoffset()
    (read,) = memory.episodes()
    assert read.reference_time.utcoffset() == stored.utcoffset()


def test_today_is_the_day_of_the_speakers_calendar(memory: Memory) -> None:
    """T02-03"""
    (fact,) = memory.add("I moved to Porto today.", speaker="Ana", reference_time="2026-06-07T23:30-05:00").facts
    assert (fact.relation, fact.target.name, fact.valid_precision) == ("LIVES_IN", "Porto", "day")
    assert fact.valid_at is not None
    assert fact.valid_at.date() == dt.date(2026, 6, 7)


def test_only_the_memorys_clock_gives_the_time(memory: Memory, clock: FixedClock) -> None:
    """T02-04; that the machine's zone changes no row is an invariant tested for all ways to give a date."""
    episode = memory.add("a note").episode
    fact = memory.add_fact("Ana", "WORKS_AT", "Acme")
    assert (episode.reference_time, episode.created_at, fact.created_at) == (clock(),) * 3


def test_an_end_of_a_fact_that_another_overrides_entirely_is_recorded(memory: Memory) -> None:
    """R1, R3: the loser of two equal starts holds at no time; ending it is no error, and is there when the winner goes"""
    loser = memory.add_fact("Ana", "WORKS_AT", "Acme", valid_at="2024-01-01")
    winner = memory.add_fact("Ana", "WORKS_AT", "Bolt", valid_at="2024-01-01")
    assert memory.end_fact("Ana", "WORKS_AT", "Acme", at="2024-06-01").uuid == loser.uuid
    memory.retract(winner.uuid)
    (fact,) = memory.as_of("2024-05-31")
    assert (fact.uuid, fact.invalid_at) == (loser.uuid, utc(2024, 6, 1))
    assert memory.as_of("2024-06-01") == []


def test_a_reassignment_ends_the_one_it_names_and_nobody_elses(memory: Memory) -> None:
    """T01-07, from its sentences: Delta ends for Priya when she is moved; Bo still works on it."""
    memory.add("Priya works on Delta.", reference_time="2026-01-01")
    memory.add("Bo works on Delta.", reference_time="2026-01-02")
    memory.add("Priya was moved from Delta to Echo.", reference_time="2026-02-01")
    now = memory.as_of("2026-03-01", relation="WORKS_ON")
    assert sorted((fact.source.name, fact.target.name) for fact in now) == [("Bo", "Delta"), ("Priya", "Echo")]
    then = memory.as_of("2026-01-15", source="Priya", target="Delta")
    assert [str(fact.invalid_at)[:10] for fact in then] == ["2026-02-01"]
