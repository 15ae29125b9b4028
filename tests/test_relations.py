"""Relations through the public API: aliases, inverses, symmetry, and definitions that change."""

from __future__ import annotations

import datetime as dt

from tkgmem import Memory
from tkgmem.testing import FixedClock


def targets(memory: Memory, when: str, **filters: str) -> list[str]:
    return sorted(fact.target.name for fact in memory.as_of(when, **filters))  # type: ignore[arg-type]


def test_an_alias_and_its_relation_are_one(memory: Memory) -> None:
    memory.add_fact("Ana", "lives in", "Paris", valid_at="2020")
    memory.add_fact("Ana", "MOVED_TO", "Berlin", valid_at="2022")
    assert targets(memory, "2023", source="Ana") == ["Berlin"]
    assert targets(memory, "2021", source="Ana", relation="resides-in") == ["Paris"]


def test_a_name_of_any_script_is_a_relation(memory: Memory) -> None:
    fact = memory.add_fact("小李", "喜欢 喝", "茶")
    assert fact.relation == "喜欢_喝"
    assert targets(memory, "2026", relation="喜欢_喝") == ["茶"]


def test_a_manager_is_single_valued_from_either_side(memory: Memory) -> None:
    """R12: MANAGES is kept under REPORTS_TO, so another manager takes over."""
    memory.add_fact("Ana", "MANAGES", "Bo", valid_at="2020")
    memory.add_fact("Cy", "MANAGES", "Bo", valid_at="2022")
    memory.add_fact("Cy", "MANAGES", "Dee", valid_at="2022")
    assert [fact.target.name for fact in memory.as_of("2023", source="Bo", relation="REPORTS_TO")] == ["Cy"]
    assert targets(memory, "2023", source="Cy", relation="MANAGES") == ["Bo", "Dee"]
    [fact] = memory.as_of("2023", source="Cy", relation="manages", target="Bo")
    assert (fact.source.name, fact.relation, fact.fact) == ("Cy", "MANAGES", "Cy manages Bo")
    assert memory.as_of("2023", source="Ana", relation="MANAGES") == []


def test_a_symmetric_relation_is_one_fact_read_from_both_ends(memory: Memory) -> None:
    one = memory.add_fact("Ana", "MARRIED_TO", "Bo", valid_at="2010")
    assert memory.add_fact("Bo", "MARRIED_TO", "Ana", valid_at="2011").uuid == one.uuid
    for source, target in (("Ana", "Bo"), ("Bo", "Ana")):
        assert targets(memory, "2012", source=source, relation="MARRIED_TO") == [target]
        assert targets(memory, "2012", source=source) == [target]
        assert len(memory.entity(source, valid_at="2012").facts) == 1
        assert len(memory.timeline(source)) == 1
    memory.add_fact("Cy", "MARRIED_TO", "Bo", valid_at="2020")
    assert memory.as_of("2021", source="Ana", relation="MARRIED_TO") == []
    assert targets(memory, "2021", source="Bo", relation="MARRIED_TO") == ["Cy"]
    assert memory.end_fact("Bo", "MARRIED_TO", "Cy", at="2022").target.name in {"Bo", "Cy"}
    assert memory.as_of("2023", relation="MARRIED_TO") == []


def test_a_definition_acts_from_its_system_time_on(memory: Memory, clock: FixedClock) -> None:
    clock.advance(dt.timedelta(hours=1))
    memory.add_fact("Ana", "DESK", "one", valid_at="2020")
    memory.add_fact("Ana", "DESK", "two", valid_at="2021")
    before = clock() + dt.timedelta(minutes=1)
    clock.advance(dt.timedelta(hours=1))
    memory.define_relation("DESK", functional=True)
    assert targets(memory, "2022") == ["two"]
    [one] = memory.as_of("2020-06-01")
    assert one.expired_at == clock(), "only the definition told that the first desk is given up"
    assert targets(memory, "2022", known_at=before.isoformat()) == ["one", "two"]
    clock.advance(dt.timedelta(hours=1))
    memory.define_relation("DESK", functional=False)
    assert targets(memory, "2022") == ["one", "two"]


def test_an_alias_added_later_takes_in_what_was_recorded_under_it(memory: Memory, clock: FixedClock) -> None:
    memory.add_fact("Ana", "LIVES_IN", "Paris", valid_at="2020")
    memory.add_fact("Ana", "HOUSED_AT", "Berlin", valid_at="2021")
    assert targets(memory, "2022") == ["Berlin", "Paris"]
    before = clock() + dt.timedelta(minutes=1)
    clock.advance(dt.timedelta(hours=1))
    memory.define_relation("LIVES_IN", functional=True, aliases=["HOUSED_AT"])
    assert targets(memory, "2022") == ["Berlin"]
    assert targets(memory, "2022", relation="HOUSED_AT") == ["Berlin"]
    assert targets(memory, "2022", relation="MOVED_TO") == ["Berlin"], "the aliases that it had stay"
    assert targets(memory, "2022", known_at=before.isoformat()) == ["Berlin", "Paris"]
    memory.define_relation("HOUSED_AT", functional=False)
    assert targets(memory, "2022") == ["Berlin", "Paris"]


def test_the_same_definition_again_changes_nothing(memory: Memory) -> None:
    memory.add_fact("Ana", "LIVES_IN", "Paris", valid_at="2020")
    last = memory.history("Ana")
    memory.define_relation("lives in", functional=True)
    assert memory.history("Ana") == last
