"""Questions over a range of valid time: they answer as `as_of` would, asked at every instant of it."""

from __future__ import annotations

import contextlib
import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import get_args

import pytest
from histories import DATES, Op, histories
from hypothesis import given, settings
from hypothesis import strategies as st
from merged import AnyOp, merged_histories, tell_merged
from test_identity_histories import Step, Story, steps
from twins import MICROSECOND, Twins, tell, told, utc

from tkgmem import Entity, Fact, InvalidPeriod, Memory
from tkgmem.reasons import Held, How
from tkgmem.store import facts as stored_facts
from tkgmem.store import intervals as stored
from tkgmem.temporal.period import Moment, Period
from tkgmem.temporal.stretches import cut, unit_end

Instant = dt.datetime | None


# --- against as_of, asked at every instant ---


@dataclass(frozen=True)
class Line:
    """What `as_of` answers along valid time. bounds: instants between which no answer can change."""

    memory: Memory
    bounds: Sequence[dt.datetime]
    known_at: Instant
    group: Sequence[str] | None = None
    asked: dict[object, set[str]] = field(default_factory=dict)

    def at(self, instant: dt.datetime, **who: str | Entity | None) -> set[str]:
        key = (instant, *((name, end.uuid if isinstance(end, Entity) else end) for name, end in who.items()))
        if key not in self.asked:
            facts = self.memory.as_of(instant, known_at=self.known_at, group=self.group, **who)  # type: ignore[arg-type]
            self.asked[key] = {fact.uuid for fact in facts}
        return self.asked[key]

    def samples(self, since: Instant, until: Instant) -> list[dt.datetime]:
        """An instant of every part of the range in which no answer can change."""
        first = since or self.bounds[0] - MICROSECOND
        return [first, *(bound for bound in self.bounds if first < bound and (until is None or bound < until))]

    def expected(self, since: Instant, until: Instant) -> dict[str, set[str]]:
        answers = [self.at(instant) for instant in self.samples(since, until)]
        turns = [
            (self.at(bound - MICROSECOND), self.at(bound))
            for bound in self.bounds
            if (since is None or since <= bound) and (until is None or bound < until)
        ]
        return {
            "any": set().union(*answers),
            "throughout": set.intersection(*answers),
            "began": set().union(*(after - before for before, after in turns)),
            "ended": set().union(*(before - after for before, after in turns)),
        }

    def check_held(self, since: Instant, until: Instant) -> None:
        for how, right in self.expected(since, until).items():
            found = self.memory.held(since, until, how=how, known_at=self.known_at, group=self.group)  # type: ignore[arg-type]
            assert len({fact.uuid for fact in found}) == len(found)
            assert {fact.uuid for fact in found} == right, f"{how} from {since} until {until}, known at {self.known_at}"
            for fact in found:
                assert meets(fact, how, since, until)

    def check_succession(self, relation: str, since: Instant, until: Instant, **who: str | Entity | None) -> None:
        found = self.memory.succession(
            relation,
            since=since,
            until=until,
            known_at=self.known_at,
            group=self.group,
            **who,  # type: ignore[arg-type]
        )
        stretches = found.stretches
        for instant in {i for s in self.samples(since, until) for i in (s, *(h.valid_at for h in stretches if h.valid_at))}:
            here = [stretch for stretch in stretches if contains(stretch, instant)]
            assert len(here) <= 1
            assert {f.uuid for h in here for f in h.facts} == self.at(instant, relation=relation, **who)
            assert all(contains(fact, instant) for held in here for fact in held.facts)
        for one, other in pairwise(stretches):
            assert one.invalid_at == other.valid_at is not None
            assert one.facts != other.facts
        assert bool(stretches) == bool(found.facts)
        if stretches:
            starts, ends = [fact.valid_at for fact in found.facts], [fact.invalid_at for fact in found.facts]
            assert stretches[0].valid_at == (since or (None if None in starts else min(starts)))  # type: ignore[type-var]
            assert stretches[-1].invalid_at == (until or (None if None in ends else max(ends)))  # type: ignore[type-var]
            known = [start for start in starts if start is not None]
            assert starts == [None] * (len(starts) - len(known)) + sorted(known)


def contains(period: Fact | Held, instant: dt.datetime) -> bool:
    start, end = period.valid_at, period.invalid_at
    return (start is None or start <= instant) and (end is None or instant < end)


def meets(fact: Fact, how: str, since: Instant, until: Instant) -> bool:
    def within(bound: Instant) -> bool:
        return bound is not None and (since is None or since <= bound) and (until is None or bound < until)

    start, end = fact.valid_at, fact.invalid_at
    return {
        "any": (start is None or until is None or start < until) and (end is None or since is None or since < end),
        "throughout": (start is None or (since is not None and start <= since))
        and (end is None or (until is not None and until <= end)),
        "began": within(start),
        "ended": within(end),
    }[how]


def line(twins: Twins, known: int | None) -> Line:
    bounds = sorted({bound.replace(tzinfo=dt.UTC) for bound in twins.boundaries | set(DATES)})
    return Line(twins.memory, bounds, None if known is None else utc(told(known)), sorted(twins.groups) or ["g"])


sides = st.sampled_from([None, *(utc(date) for date in DATES), utc(DATES[2]) + dt.timedelta(hours=5)])  # type: ignore[operator]
ranges = st.tuples(sides, sides).filter(lambda pair: None in pair or pair[0] < pair[1])
knowing = st.sampled_from([None, None, 3, 5])


def intervals_agree(ops: Sequence[Op], range_: tuple[Instant, Instant], known: int | None) -> None:
    twins = tell(ops)
    with contextlib.closing(twins.memory):
        asked = line(twins, known)
        try:
            asked.check_held(*range_)
            for name, relation in product(("ana", "bo"), ("WORKS_AT", "LIKES", "PORT", "KEEPS")):
                asked.check_succession(relation, *range_, source=name)
            asked.check_succession("WORKS_AT", *range_, target="x")
            asked.check_succession("WORKS_AT", None, None, source="ana", target="y")
        except BaseException as error:
            error.add_note(twins.story("after"))
            raise


@settings(max_examples=12)
@given(histories, ranges, knowing)
def test_a_range_is_answered_as_its_instants_are(ops: list[Op], range_: tuple[Instant, Instant], known: int | None) -> None:
    intervals_agree(ops, range_, known)


@pytest.mark.slow
@settings(max_examples=200)
@given(histories, ranges, knowing)
def test_a_range_is_answered_as_its_instants_are_in_many_histories(
    ops: list[Op], range_: tuple[Instant, Instant], known: int | None
) -> None:
    intervals_agree(ops, range_, known)


def intervals_agree_where_entities_are_merged(ops: Sequence[AnyOp], range_: tuple[Instant, Instant], known: int | None) -> None:
    twins = tell_merged(ops)
    with contextlib.closing(twins.memory):
        asked = line(twins, known)
        asked.check_held(*range_)
        seen = twins.memory.held(None, None, known_at=asked.known_at, group=asked.group)
        for fact in seen[:4]:
            asked.check_succession(fact.relation, *range_, source=fact.source)
            asked.check_succession(fact.relation, None, None, target=fact.target)


@settings(max_examples=7)
@given(merged_histories, ranges, knowing)
def test_a_range_is_answered_as_its_instants_are_where_entities_are_merged(
    ops: list[AnyOp], range_: tuple[Instant, Instant], known: int | None
) -> None:
    intervals_agree_where_entities_are_merged(ops, range_, known)


@pytest.mark.slow
@settings(max_examples=120)
@given(merged_histories, ranges, knowing)
def test_a_range_is_answered_as_its_instants_are_in_many_histories_with_merges(
    ops: list[AnyOp], range_: tuple[Instant, Instant], known: int | None
) -> None:
    intervals_agree_where_entities_are_merged(ops, range_, known)


def intervals_agree_where_relations_chain(told_steps: Sequence[Step]) -> None:
    story = Story()
    with contextlib.closing(story.memory) as memory:
        for step in told_steps:
            story.tell(step)
        bounds = [dt.datetime(year, 1, 1, tzinfo=dt.UTC) for year in range(2019, 2027)]
        asked = Line(memory, bounds, None)
        asked.check_held(bounds[1], bounds[3])
        for fact in memory.held(None, None)[:5]:
            for relation in {fact.relation, "HEADED_BY"}:
                for end in (fact.source, fact.target):
                    asked.check_succession(relation, bounds[2], None, source=end)
                    asked.check_succession(relation, None, bounds[3], target=end)
            asked.check_succession(fact.relation, None, None, source=fact.target, target=fact.source)


chains = st.lists(steps, min_size=3, max_size=12)


@settings(max_examples=7)
@given(chains)
def test_a_range_is_answered_as_its_instants_are_where_relations_have_two_ends(told_steps: list[Step]) -> None:
    intervals_agree_where_relations_chain(told_steps)


@pytest.mark.slow
@settings(max_examples=120)
@given(chains)
def test_a_range_is_answered_as_its_instants_are_in_many_stories_of_two_ends(told_steps: list[Step]) -> None:
    intervals_agree_where_relations_chain(told_steps)


# --- worked by hand ---


@pytest.fixture
def jobs(memory: Memory) -> Memory:
    for company, since in (("A 公司", "2024-03-01"), ("B 公司", "2026-06-01"), ("C 公司", "2022-07")):
        memory.add_fact("小李", "WORKS_AT", company, valid_at=since)
    memory.end_fact("小李", "WORKS_AT", "C 公司", at="2023")
    memory.add_fact("小李", "LIVES_IN", "上海")
    return memory


def targets(facts: Sequence[Fact]) -> list[str]:
    return [fact.target.name for fact in facts]


def rows(stretches: Sequence[Held]) -> list[tuple[str | None, str | None, list[str]]]:
    return [
        (
            stretch.valid_at and stretch.valid_at.date().isoformat(),
            stretch.invalid_at and stretch.invalid_at.date().isoformat(),
            targets(stretch.facts),
        )
        for stretch in stretches
    ]


@pytest.mark.parametrize(
    ("range_", "how", "right"),
    [
        (("2024",), "any", ["上海", "A 公司"]),
        (("2024",), "throughout", ["上海"]),
        (("2025",), "throughout", ["上海", "A 公司"]),
        (("2024", None), "throughout", ["上海"]),
        ((None, None), "throughout", ["上海"]),
        (("2022", "2027"), "began", ["C 公司", "A 公司", "B 公司"]),
        ((None, None), "began", ["C 公司", "A 公司", "B 公司"]),
        (("2023",), "ended", ["C 公司"]),
        (("2022",), "ended", []),
        (("2022", None), "ended", ["C 公司", "A 公司"]),
        (("2026-06-01",), "began", ["B 公司"]),
        (("2026-06",), "ended", ["A 公司"]),
        ((None, "2022-07"), "any", ["上海"]),
        (("9999",), "any", ["上海", "B 公司"]),
    ],
)
def test_what_held_began_or_ended_in_a_range(jobs: Memory, range_: tuple[str | None], how: How, right: list[str]) -> None:
    assert targets(jobs.held(*range_, how=how)) == right


def test_what_ended_is_listed_by_its_end_and_all_else_by_its_start(memory: Memory) -> None:
    memory.add_fact("Ana", "LIKES", "tea", valid_at="2020", invalid_at="2024-06")
    memory.add_fact("Ana", "LIKES", "jazz", valid_at="2021", invalid_at="2024-02")
    assert targets(memory.held("2024", how="ended")) == ["jazz", "tea"]
    assert targets(memory.held("2024")) == ["tea", "jazz"]


def test_a_planned_end_is_an_end_in_its_range_and_an_announcement_without_a_date_holds_never(memory: Memory) -> None:
    memory.add_fact("Ana", "VISITS", "Rome", valid_at="2027", invalid_at="2028", planned=True)
    memory.add_fact("Ana", "VISITS", "Oslo", planned=True)
    assert targets(memory.held("2028", how="ended")) == ["Rome"]
    assert targets(memory.held(None, None)) == ["Rome"]
    assert targets(memory.succession("VISITS", source="Ana").facts) == ["Rome"]


def test_the_period_that_answers_is_the_one_that_meets_the_range(memory: Memory) -> None:
    memory.add_fact("Ana", "WORKS_AT", "X", valid_at="2020")
    memory.add_fact("Ana", "WORKS_AT", "Y", valid_at="2021-03", invalid_at="2021-06")
    assert [fact.invalid_at for fact in memory.held("2022", how="throughout", target="X")] == [None]
    [first] = memory.held("2020", "2023", target="X")
    assert (first.valid_at, first.invalid_at) == (utc(dt.datetime(2020, 1, 1)), utc(dt.datetime(2021, 3, 1)))  # noqa: DTZ001
    assert memory.held("2020", "2023", how="throughout") == []
    assert targets(memory.held("2021-06", how="began")) == ["X"]
    found = memory.succession("WORKS_AT", source="Ana")
    assert targets(found.facts) == ["X", "Y", "X"]
    assert not found.gaps and not found.overlaps  # noqa: PT018


def test_a_range_is_answered_as_believed_then(jobs: Memory) -> None:
    jobs.add_fact("小李", "WORKS_AT", "D 公司", valid_at="2025")
    assert targets(jobs.held("2025", relation="WORKS_AT")) == ["D 公司"]
    before = jobs.as_of("2025", relation="WORKS_AT")[0].created_at - MICROSECOND
    assert targets(jobs.held("2025", relation="WORKS_AT", known_at=before)) == ["A 公司"]
    assert "D 公司" not in targets(jobs.succession("WORKS_AT", source="小李", known_at=before).facts)


def test_one_group_does_not_see_another_in_a_range(jobs: Memory) -> None:
    jobs.add_fact("小李", "WORKS_AT", "E 公司", valid_at="2025", group="other")
    assert targets(jobs.held("2025", relation="WORKS_AT")) == ["A 公司"]
    assert targets(jobs.held("2025", relation="WORKS_AT", group="other")) == ["E 公司"]
    assert targets(jobs.succession("WORKS_AT", source="小李", group=["default", "other"]).overlaps[0].facts) == [
        "A 公司",
        "E 公司",
    ]


def test_a_succession_has_its_gaps(jobs: Memory) -> None:
    found = jobs.succession("works at", source="小李")
    assert rows(found.stretches) == [
        ("2022-07-01", "2023-01-01", ["C 公司"]),
        ("2023-01-01", "2024-03-01", []),
        ("2024-03-01", "2026-06-01", ["A 公司"]),
        ("2026-06-01", None, ["B 公司"]),
    ]
    assert found.gaps == (found.stretches[1],)
    precisions = [(stretch.valid_precision, stretch.invalid_precision) for stretch in found.stretches]
    assert precisions == [("month", "year"), ("year", "day"), ("day", "day"), ("day", None)]
    assert rows(jobs.succession("LIVES_IN", source="小李").stretches) == [(None, None, ["上海"])]


def test_an_asked_range_is_covered_to_both_its_ends(jobs: Memory) -> None:
    found = jobs.succession("WORKS_AT", source="小李", since="2020", until="2023-07-01")
    assert rows(found.stretches) == [
        ("2020-01-01", "2022-07-01", []),
        ("2022-07-01", "2023-01-01", ["C 公司"]),
        ("2023-01-01", "2023-07-01", []),
    ]
    assert (found.stretches[0].valid_precision, found.stretches[-1].invalid_precision) == ("year", "day")
    assert jobs.succession("WORKS_AT", source="小李", since="2023", until="2024").stretches == ()


def test_who_held_something_at_the_same_time_is_an_overlap(memory: Memory) -> None:
    memory.define_relation("LEADS", functional=False, inverse="LED_BY")
    for name, since, until in (("Ana", "2019", "2021-05"), ("Bo", "2021-03", "2022"), ("Cleo", "2021-04", None)):
        memory.add_fact(name, "LEADS", "Team Red", valid_at=since, invalid_at=until)
    found = memory.succession("LEADS", target="Team Red")
    names = [[fact.source.name for fact in stretch.facts] for stretch in found.stretches]
    assert names == [["Ana"], ["Ana", "Bo"], ["Ana", "Bo", "Cleo"], ["Bo", "Cleo"], ["Cleo"]]
    assert len(found.overlaps) == 3
    turned = memory.succession("LED_BY", source="Team Red")
    assert [targets(stretch.facts) for stretch in turned.stretches] == names
    assert {fact.relation for fact in turned.facts} == {"LED_BY"}


def test_a_succession_of_what_is_not_known_is_empty(jobs: Memory) -> None:
    for found in (
        jobs.succession("PAINTS", source="小李"),
        jobs.succession("WORKS_AT", source="nobody"),
        jobs.succession("WORKS_AT", target="小李"),
    ):
        assert (found.facts, found.stretches, found.gaps, found.overlaps) == ((), (), (), ())


# --- what is refused ---


@pytest.mark.parametrize("range_", [("2024", "2024"), ("2025", "2024-06-01"), ("2024-01-01T00:00:00", "2024")])
def test_an_empty_range_is_refused_by_both_its_bounds(memory: Memory, range_: tuple[str, str]) -> None:
    with pytest.raises(InvalidPeriod, match=rf"since {range_[0][:4]}.* until 2024"):
        memory.held(*range_)
    with pytest.raises(InvalidPeriod):
        memory.succession("LEADS", source="Ana", since=range_[0], until=range_[1])


@pytest.mark.parametrize("since", [None, "2024-05-01T10:00", Moment(-8 * 3_600_000_000, "month"), Moment(1, "day")])
def test_a_start_that_names_no_stretch_of_time_needs_an_end(memory: Memory, since: str | Moment | None) -> None:
    with pytest.raises(ValueError, match="give until too"):
        memory.held(since)
    assert memory.held(since, None) == []


def test_what_cannot_be_asked_is_named(memory: Memory) -> None:
    with pytest.raises(ValueError, match="'sometimes'"):
        memory.held("2024", how="sometimes")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"'LEADS'.*source.*target"):
        memory.succession("LEADS")


def test_a_succession_too_large_to_list_is_refused(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tkgmem.explain.intervals.MOST", 5)
    for number in range(4):
        memory.add_fact(f"p{number}", "LIKES", "tea", valid_at=f"202{number}")
    with pytest.raises(ValueError, match="too many hold 'LIKES'"):
        memory.succession("LIKES", target="tea")
    assert len(memory.succession("LIKES", target="tea", until="2022").stretches) == 2


# --- how it is found ---


@pytest.mark.parametrize("symmetric", [frozenset[str](), frozenset({"KNOWS"})])
@pytest.mark.parametrize("how", get_args(How))
def test_nothing_is_looked_for_by_going_through_the_whole_group_where_an_entity_is_given(
    memory: Memory, how: How, symmetric: frozenset[str]
) -> None:
    queries: list[tuple[str, object]] = []
    with memory._store.read() as db:

        class Watched:
            def execute(self, query: str, bindings: object) -> object:
                queries.append((query, bindings))
                return db.execute(query, bindings)  # type: ignore[arg-type]

        for ends in (
            stored_facts.Ends([1], None, None, symmetric),
            stored_facts.Ends(None, "KNOWS", [1], symmetric),
            stored_facts.Ends([1], "KNOWS", [2], symmetric),
        ):
            stored.within(Watched(), [1], ends, Period(0, 1), how, known_at=1)  # type: ignore[arg-type]
        for query, bindings in queries:
            plan = [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {query}", bindings)]  # type: ignore[arg-type]
            found = [step for step in plan if " v USING" in step]
            assert found
            assert all("_id=?" in step.replace("group_id=?", "") or "rowid=?" in step for step in found), plan


# --- the algebra ---

periods = st.tuples(st.integers(0, 9) | st.none(), st.integers(0, 9) | st.none()).filter(
    lambda pair: None in pair or pair[0] < pair[1]
)


@settings(max_examples=50)
@given(st.lists(periods, max_size=6), periods)
def test_stretches_say_of_every_instant_which_periods_contain_it(
    pairs: list[tuple[int | None, int | None]], within: tuple[int | None, int | None]
) -> None:
    listed, range_ = [Period(*pair) for pair in pairs], Period(*within)
    stretches = list(cut(listed, range_))
    for instant in range(-1, 11):
        here = [stretch.holding for stretch in stretches if instant in stretch.period]
        right = tuple(place for place, period in enumerate(listed) if instant in period and instant in range_)
        assert here == [right] or (here, right) == ([], ())
    for one, other in pairwise(stretches):
        assert one.period.end == other.period.start is not None
    if stretches and None not in within:
        assert (stretches[0].period.start, stretches[-1].period.end) == within


@pytest.mark.parametrize(
    ("date", "end"),
    [("2024-02-28", "2024-02-29"), ("2024-02", "2024-03"), ("2024-12", "2025-01"), ("2024", "2025"), ("2023-12-31", "2024")],
)
def test_a_unit_is_over_where_the_next_begins(date: str, end: str) -> None:
    from tkgmem.temporal.period import parse_moment

    for zone in (dt.UTC, dt.timezone(dt.timedelta(hours=8))):
        over = unit_end(parse_moment(date, tz=zone), zone)
        assert over is not None and over.micros == parse_moment(end, tz=zone).micros  # noqa: PT018
    assert unit_end(parse_moment("9999-12-31")) is None
