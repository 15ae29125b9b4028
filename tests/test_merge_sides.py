"""What two files tell differently of relations, names and words comes together as if one file had been told all of it."""

from __future__ import annotations

import datetime as dt
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tkgmem import LLMError, Memory, MergeReport
from tkgmem.testing import FixedClock, HashEmbedder, ScriptedLLM

Tell = Callable[[Memory], object]


def at(day: int) -> dt.datetime:
    return dt.datetime(2026, 1, 1, tzinfo=dt.UTC) + dt.timedelta(days=day)


class Side:
    """A memory that is told things on given days."""

    def __init__(self, **more: object) -> None:
        self.clock = FixedClock(at(0))
        self.memory = Memory(":memory:", embedder=HashEmbedder(8), clock=self.clock, **more)  # type: ignore[arg-type]

    def told(self, *things: tuple[int, Tell]) -> Side:
        for day, tell in things:
            self.clock.set(at(day))
            tell(self.memory)
        self.clock.set(at(100))
        return self

    def take(self, other: Side) -> MergeReport:
        stream = io.StringIO()
        other.memory.export(stream, vectors=True)
        stream.seek(0)
        return self.memory.import_(stream)

    def export(self) -> str:
        stream = io.StringIO()
        self.memory.export(stream, vectors=True)
        return stream.getvalue()

    def facts(self, known_at: int | None = None) -> list[tuple[str, ...]]:
        known = None if known_at is None else at(known_at)
        return sorted(
            (year, f.source.name, f.relation, f.target.name, str(f.valid_at), str(f.invalid_at))
            for year in ("2021", "2023", "2025")
            for f in self.memory.as_of(year, known_at=known)
        )


def fact(source: str, relation: str, target: str, since: str | None = None) -> Tell:
    return lambda memory: memory.add_fact(source, relation, target, valid_at=since)


def define(name: str, *aliases: str, functional: bool = True, inverse: str | None = None) -> Tell:
    return lambda memory: memory.define_relation(name, functional=functional, aliases=aliases, inverse=inverse)


def same_in_every_way(left: list[tuple[int, Tell]], right: list[tuple[int, Tell]]) -> Side:
    """Either order gives the same answers, and a repeat changes nothing."""
    one, two, other = Side().told(*left), Side().told(*right), Side().told(*left)
    one.take(two)
    two.take(other)
    for known in (None, *range(0, 20, 2)):
        assert one.facts(known) == two.facts(known)
    before = one.export()
    one.take(two)
    one.take(other)
    assert one.export() == before
    again = Side()
    again.take(one)
    assert again.export() == before
    for side in (one, two, again):
        assert side.memory.doctor().ok
    return one


USE, DEFINE = (2, fact("Ann", "SEAT", "s1", "2020")), (1, define("DESK", "SEAT"))


MEETINGS: dict[str, tuple[list[tuple[int, Tell]], list[tuple[int, Tell]]]] = {
    "used here after it was defined there": ([USE], [DEFINE]),
    "used here before it was defined there": (
        [USE],
        [(4, define("DESK", "SEAT")), (5, fact("Ann", "DESK", "s2", "2022"))],
    ),
    "another name here, defined on its own there later": (
        [DEFINE, (2, fact("Ann", "SEAT", "s1", "2020"))],
        [(3, define("SEAT")), (4, fact("Ann", "SEAT", "s2", "2022"))],
    ),
    "another name here, defined on its own there before": (
        [(3, define("DESK", "SEAT")), (4, fact("Ann", "SEAT", "s1", "2020"))],
        [(1, define("SEAT")), (2, fact("Ann", "SEAT", "s2", "2022"))],
    ),
    "with an inverse here, another name there": (
        [(1, define("OWNS", inverse="OWNED_BY", functional=False)), (2, fact("Ann", "OWNS", "x"))],
        [(3, define("HAS", "OWNS")), (4, fact("y", "OWNED_BY", "Ann"))],
    ),
    "functional here, not there": (
        [(1, define("DESK")), (3, fact("Ann", "DESK", "s1", "2020"))],
        [(2, define("DESK", functional=False)), (4, fact("Ann", "DESK", "s2", "2022"))],
    ),
}


@pytest.mark.parametrize("how", MEETINGS)
def test_definitions_that_meet_are_as_if_given_to_one_file(how: str) -> None:
    left, right = MEETINGS[how]
    merged = same_in_every_way(left, right)
    assert merged.facts() == Side().told(*sorted(left + right, key=lambda told: told[0])).facts()
    merged.memory.add_fact("Ann", "SEAT", "s9", valid_at="2024")
    assert merged.memory.doctor().ok


names = st.sampled_from(["DESK", "SEAT", "CHAIR"])
acts = st.one_of(
    st.builds(fact, st.sampled_from(["Ann", "Bo"]), names, st.sampled_from(["x", "y"]), st.sampled_from(["2020", "2022"])),
    st.builds(
        lambda name, other, functional, inverse: define(name, *other, functional=functional, inverse=inverse),
        names,
        st.lists(names, max_size=2),
        st.booleans(),
        st.sampled_from([None, None, "HOLDS", "DESK"]),
    ),
)


@settings(max_examples=12)
@given(st.lists(st.tuples(acts, st.booleans()), min_size=2, max_size=7))
def test_any_definitions_that_meet_come_together_the_same_in_either_order(told: list[tuple[Tell, bool]]) -> None:
    check_definitions(told)


@pytest.mark.slow
@settings(max_examples=100)
@given(st.lists(st.tuples(acts, st.booleans()), min_size=2, max_size=9))
def test_many_definitions_that_meet_come_together_the_same_in_either_order(told: list[tuple[Tell, bool]]) -> None:
    check_definitions(told)


def check_definitions(told: list[tuple[Tell, bool]]) -> None:
    days = [(2 * number + 1, tell) for number, (tell, _) in enumerate(told)]
    left, right = ([day for day, (_, side) in zip(days, told, strict=True) if side is where] for where in (True, False))
    same_in_every_way(left, right)


def test_a_new_definition_is_counted_and_only_a_contradiction_is_a_conflict() -> None:
    one, two = Side().told((1, define("DESK"))), Side().told((2, define("CHAIR")), (3, define("DESK", functional=False)))
    report = one.take(two)
    assert report.definitions == 2
    assert [conflict.uuid for conflict in report.conflicts] == ["DESK"]
    assert Side().take(one).conflicts == ()


# --- who is who ---


def alias(name: str, other: str) -> Tell:
    return lambda memory: memory.add_alias(name, other)


def test_what_both_are_called_first_counts_before_other_names() -> None:
    left = [(1, fact("Ann", "LIKES", "tea")), (2, alias("Ann", "Annie")), (3, fact("Beth", "LIKES", "jam"))]
    right = [(4, fact("Beth", "LIKES", "ham")), (5, alias("Beth", "Annie")), (6, fact("Ann", "LIKES", "gin"))]
    one = Side().told(*left)
    report = one.take(Side().told(*right))
    assert report.joined == 2
    assert {target for _, source, _, target, *_ in one.facts() if source == "Ann"} == {"tea", "gin"}
    assert ["'annie' may be one or several" in conflict.detail for conflict in report.conflicts] == [True]


def test_who_was_told_apart_stays_apart_and_is_reported() -> None:
    apart = Side().told((1, fact("Ann", "LIKES", "tea")), (2, fact("Anna", "LIKES", "gin")))
    other = Side().told((3, fact("Ann", "LIKES", "jam")), (4, alias("Ann", "Anna")))
    report = apart.take(other)
    assert report.joined == 1
    assert any("'anna'" in conflict.detail for conflict in report.conflicts)


def test_a_merge_on_the_other_side_alone_is_told_of() -> None:
    one = Side().told((1, fact("Ann", "LIKES", "tea")), (1, fact("Bo", "LIKES", "gin")))
    two = Side()
    two.take(one)
    two.told((5, lambda memory: memory.merge_entities("Ann", "Bo")))
    assert one.take(two).changed == 1


# --- words ---


def test_a_share_without_texts_taken_in_again_changes_nothing(tmp_path: Path) -> None:
    one = Side().told(
        (1, lambda memory: memory.add("I have worked at Northwind since January 2024.", speaker="Maya", reference_time="2025")),
        (2, fact("Maya", "LIKES", "tea")),
    )
    one.memory.share(tmp_path / "bare.db", episodes=False)
    before, facts = one.export(), one.memory.as_of("2026")
    report = one.memory.merge(tmp_path / "bare.db")
    assert (report.claims, report.entities, report.changed, report.conflicts) == (0, 0, 0, ())
    assert one.memory.as_of("2026") == facts
    assert one.export() == before
    one.memory.retract(one.memory.as_of("2026", relation="WORKS_AT")[0].uuid)
    one.memory.merge(tmp_path / "bare.db")
    assert one.memory.as_of("2026", relation="WORKS_AT") == []


def test_a_claim_without_words_gets_those_that_the_other_side_has(tmp_path: Path) -> None:
    one = Side().told((1, lambda memory: memory.add("Maya moved to Porto in 2024.", reference_time="2025")))
    one.memory.share(tmp_path / "bare.db", episodes=False)
    one.memory.share(tmp_path / "full.db")
    friend = Side()
    friend.memory.merge(tmp_path / "bare.db")
    assert friend.memory.merge(tmp_path / "full.db").claims == 0
    assert friend.memory.as_of("2026") == one.memory.as_of("2026")
    assert friend.memory.doctor().ok
    assert friend.memory.search("moved").facts[0].item.fact == "Maya moved to Porto in 2024."


def test_a_text_that_failed_here_is_still_read_although_the_other_side_only_kept_it() -> None:
    said = {"entities": [{"name": "Ana"}], "facts": []}
    one = Side(llm=ScriptedLLM([LLMError("busy"), said]))
    one.told((1, lambda memory: memory.add_many([{"content": "Ana waits.", "reference_time": "2026"}])))
    one.take(Side().told((2, lambda memory: memory.add("Ana waits.", reference_time="2026", extract=False))))
    assert one.memory.stats().failed == 1
    assert [done.episode.state for done in one.memory.extract()] == ["done"]


@pytest.mark.parametrize("span", [[900, 950], [5, 2], [-5, 3]])
@pytest.mark.parametrize("kind", ["claim", "mention"])
def test_a_place_outside_of_the_text_is_refused(kind: str, span: list[int]) -> None:
    lines = [
        json.loads(line)
        for line in Side().told((1, lambda memory: memory.add("Maya moved to Porto in 2024."))).export().splitlines()
    ]
    next(line for line in lines if line["type"] == kind)["span"] = span
    with pytest.raises(ValueError, match="outside of its episode's text"):
        Side().memory.import_(io.StringIO("\n".join(map(json.dumps, lines))))
