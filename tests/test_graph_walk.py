"""The graph walk: both ways, a few facts far, only through what is visible at the clocks; bounded, and the same each time."""

from __future__ import annotations

import contextlib
import datetime as dt
import random
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tkgmem import AmbiguousName, Fact, Memory, NotFound
from tkgmem.search import walk as graph
from tkgmem.store import facts, read
from tkgmem.store.clocks import EVERYTHING, view_versions
from tkgmem.store.walk import Seen
from tkgmem.temporal.period import parse_moment
from tkgmem.testing import FixedClock, HashEmbedder

HOUR = dt.timedelta(hours=1)


class Asked:
    """A memory at two clocks, with names for rows."""

    def __init__(
        self,
        memory: Memory,
        valid_at: Any = "2026-11-30",
        known_at: Any = None,
        *,
        groups: Iterable[str] = ("default",),
        include_ended: bool = False,
    ) -> None:
        self.db = memory._store._db
        assert self.db is not None
        self.valid_at = parse_moment(valid_at).micros
        self.known_at = EVERYTHING if known_at is None else parse_moment(known_at).micros
        rows = read.group_ids(self.db, list(groups))
        self.seen: Seen = view_versions(rows, valid_at=self.valid_at, known_at=self.known_at, include_ended=include_ended)

    def row(self, name: str) -> int:
        return int(self.db.execute("SELECT id FROM entities WHERE name = ? ORDER BY id LIMIT 1", (name,)).get)

    def names(self, rows: Iterable[int]) -> dict[int, str]:
        return {row: entity.name for row, entity in read.entities(self.db, list(rows), self.known_at).items()}

    def triples(self, rows: Iterable[int]) -> dict[int, str]:
        shown = facts.shown(self.db, (wanted := list(rows)), valid_at=self.valid_at, known_at=self.known_at)
        return {row: triple(fact) for row, fact in zip(wanted, shown, strict=True)}

    def walk(self, *names: str, **bounds: int) -> graph.Walk:
        return graph.walk(self.db, self.seen, [(self.row(name), 1.0) for name in names], **bounds)

    def facts(self, *names: str, **bounds: int) -> dict[str, int]:
        """Each fact that a walk from these entities finds, and its hops."""
        hops = self.walk(*names, **bounds).facts.hops
        return {text: hops[row] for row, text in self.triples(hops).items()}

    def entities(self, *names: str, **bounds: int) -> dict[str, int]:
        hops = self.walk(*names, **bounds).entities.hops
        return {name: hops[row] for row, name in self.names(hops).items()}

    def ranked(self, starts: dict[str, float], **bounds: int) -> list[str]:
        found = graph.walk(self.db, self.seen, [(self.row(name), weight) for name, weight in starts.items()], **bounds)
        triples = self.triples(found.facts.scores)
        return [triples[row] for row, _ in found.facts.ranked(100)]

    def hops(self, centre: str, *names: str, **bounds: int) -> dict[str, int]:
        found = graph.entity_hops(self.db, self.seen, self.row(centre), [self.row(name) for name in names], **bounds)
        return {name: found[self.row(name)] for name in names if self.row(name) in found}

    def fact_hops(self, centre: str, told: Iterable[Fact], **bounds: int) -> dict[str, int]:
        rows = {self.db.execute("SELECT id FROM claims WHERE uuid = ?", (fact.uuid,)).get: triple(fact) for fact in told}
        return {
            rows[row]: hops for row, hops in graph.fact_hops(self.db, self.seen, self.row(centre), list(rows), **bounds).items()
        }


def triple(fact: Fact) -> str:
    return f"{fact.source.name} {fact.relation} {fact.target.name}"


@pytest.fixture
def chain(memory: Memory) -> Memory:
    """a -> b <- c -> d <- e"""
    for source, target in (("a", "b"), ("c", "b"), ("c", "d"), ("e", "d")):
        memory.add_fact(source, "KNOWS", target, valid_at="2020")
    return memory


def test_it_walks_both_ways_up_to_the_depth_asked(chain: Memory) -> None:
    asked = Asked(chain)
    assert asked.facts("a", depth=1) == {"a KNOWS b": 0}
    assert asked.facts("a", depth=2) == {"a KNOWS b": 0, "c KNOWS b": 1}
    assert asked.facts("a", depth=3) == {"a KNOWS b": 0, "c KNOWS b": 1, "c KNOWS d": 2}
    assert asked.entities("a", depth=3) == {"a": 0, "b": 1, "c": 2, "d": 3}
    assert asked.facts("d", depth=3) == {"c KNOWS d": 0, "e KNOWS d": 0, "c KNOWS b": 1, "a KNOWS b": 2}


def test_hops_are_those_from_the_nearest_start(chain: Memory) -> None:
    assert Asked(chain).facts("a", "e", depth=3) == {"a KNOWS b": 0, "c KNOWS b": 1, "c KNOWS d": 1, "e KNOWS d": 0}


def test_an_ended_fact_leads_nowhere_but_does_at_a_time_when_it_held(chain: Memory) -> None:
    chain.end_fact("c", "KNOWS", "b", at="2023")
    assert Asked(chain).facts("a", depth=3) == {"a KNOWS b": 0}
    assert Asked(chain, "2022").facts("a", depth=3) == {"a KNOWS b": 0, "c KNOWS b": 1, "c KNOWS d": 2}
    assert Asked(chain, include_ended=True).facts("a", depth=3) == {"a KNOWS b": 0, "c KNOWS b": 1, "c KNOWS d": 2}
    assert Asked(chain, "2019").facts("a", depth=3) == {}


def test_a_superseded_fact_leads_on_only_where_it_held(memory: Memory) -> None:
    memory.add_fact("Ann", "WORKS_AT", "Acme", valid_at="2020")
    memory.add_fact("Ann", "WORKS_AT", "Bolt", valid_at="2024")
    memory.add_fact("Acme", "MAKES", "anvils", valid_at="2000")
    memory.add_fact("Bolt", "MAKES", "screws", valid_at="2000")
    assert Asked(memory).facts("Ann", depth=2) == {"Ann WORKS_AT Bolt": 0, "Bolt MAKES screws": 1}
    assert Asked(memory, "2022").facts("Ann", depth=2) == {"Ann WORKS_AT Acme": 0, "Acme MAKES anvils": 1}


def test_only_what_was_known_then_and_not_what_was_retracted_is_walked(chain: Memory, clock: FixedClock) -> None:
    before = clock()
    clock.advance(HOUR)
    bridge = chain.add_fact("b", "NEAR", "z", valid_at="2020")
    known = clock()
    clock.advance(HOUR)
    chain.retract(bridge.uuid)
    assert "z" not in Asked(chain, known_at=before).entities("a", depth=2)
    assert "z" in Asked(chain, known_at=known).entities("a", depth=2)
    assert "z" not in Asked(chain).entities("a", depth=2)


def test_a_walk_never_enters_another_group(chain: Memory) -> None:
    chain.add_fact("a", "KNOWS", "spy", valid_at="2020", group="other")
    assert Asked(chain).entities("a", depth=3) == {"a": 0, "b": 1, "c": 2, "d": 3}
    assert Asked(chain, groups=["other"]).entities("a", depth=3) == {}, "a start of a group that was not asked for"
    assert Asked(chain, groups=["default", "other"]).entities("spy", depth=3) == {"spy": 0, "a": 1}, "a is another one there"


def test_merged_entities_are_walked_as_one_while_they_are(memory: Memory, clock: FixedClock) -> None:
    memory.add_fact("Bob", "KNOWS", "Ann", valid_at="2020")
    memory.add_fact("Robert", "LIVES_IN", "Bern", valid_at="2020")
    apart = clock()
    clock.advance(HOUR)
    memory.merge_entities("Robert", "Bob")
    merged = clock()
    clock.advance(HOUR)
    memory.split_entity("Bob")
    assert Asked(memory, known_at=apart).facts("Ann", depth=2) == {"Bob KNOWS Ann": 0}
    assert Asked(memory, known_at=merged).facts("Ann", depth=2) == {"Robert KNOWS Ann": 0, "Robert LIVES_IN Bern": 1}
    assert Asked(memory).facts("Ann", depth=2) == {"Bob KNOWS Ann": 0}


def test_a_symmetric_relation_leads_from_either_end(memory: Memory) -> None:
    memory.define_relation("MARRIED_TO", functional=True, inverse="MARRIED_TO")
    memory.add_fact("Ann", "MARRIED_TO", "Ben", valid_at="2020")
    assert Asked(memory).entities("Ann", depth=1) == {"Ann": 0, "Ben": 1}
    assert Asked(memory).entities("Ben", depth=1) == {"Ben": 0, "Ann": 1}


def test_cycles_and_facts_of_an_entity_about_itself_come_to_an_end(memory: Memory) -> None:
    for source, target in (("a", "b"), ("b", "c"), ("c", "a"), ("a", "a"), ("b", "a")):
        memory.add_fact(source, "KNOWS", target, valid_at="2020")
    found = Asked(memory).facts("a", depth=50)
    assert found == {"a KNOWS b": 0, "c KNOWS a": 0, "a KNOWS a": 0, "b KNOWS a": 0, "b KNOWS c": 1}
    asked = Asked(memory)
    assert asked.walk("a", depth=1).entities.scores[asked.row("a")] == 1.0, "nothing comes back to where it came from"
    assert Asked(memory).hops("a", "a", "b", "c", depth=50) == {"a": 0, "b": 1, "c": 1}


def test_an_announcement_without_a_date_leads_nowhere(chain: Memory) -> None:
    plan = chain.add_fact("a", "VISITS", "Rome", planned=True)
    asked = Asked(chain)
    assert "Rome" not in asked.entities("a", depth=3)
    assert asked.hops("a", "Rome") == {}
    assert asked.fact_hops("a", [plan]) == {"a VISITS Rome": 0}
    assert asked.fact_hops("d", [plan]) == {"a VISITS Rome": 3}
    assert Asked(chain, groups=["other"]).fact_hops("a", [plan]) == {}


# --- worth ---


def test_a_fact_is_worth_less_with_each_hop_and_at_a_busy_entity(memory: Memory) -> None:
    for source, target in (("Ann", "Kim"), ("Kim", "oboe"), ("Ann", "town"), *(("town", f"shop {i}") for i in range(8))):
        memory.add_fact(source, "RELATES_TO", target, valid_at="2020")
    found = Asked(memory).walk("Ann")
    score = {text: found.facts.scores[row] for row, text in Asked(memory).triples(found.facts.scores).items()}
    assert score["Ann RELATES_TO Kim"] == score["Ann RELATES_TO town"] == pytest.approx(1 / 2**0.5)
    assert score["Kim RELATES_TO oboe"] == pytest.approx(0.5 / 2**0.5 / 2**0.5)
    assert score["town RELATES_TO shop 0"] == pytest.approx(0.5 / 2**0.5 / 9**0.5)


def test_what_connects_two_starts_comes_first(memory: Memory) -> None:
    for source, target in (("Ann", "x"), ("Ann", "Bea"), ("Ann", "shared"), ("Ben", "shared"), ("Ann", "Ben"), ("Ben", "y")):
        memory.add_fact(source, "KNOWS", target, valid_at="2020")
    memory.add_fact("shared", "HOLDS", "deep", valid_at="2020")
    memory.add_fact("x", "HOLDS", "deep too", valid_at="2020")
    ranked = Asked(memory).ranked({"Ann": 1.0, "Ben": 1.0})
    assert ranked[0] == "Ann KNOWS Ben"
    assert ranked.index("shared HOLDS deep") < ranked.index("x HOLDS deep too")
    asked = Asked(memory)
    near = asked.names(row for row, _ in asked.walk("Ann", "Ben").entities.ranked(3))
    assert set(near.values()) == {"Ann", "Ben", "shared"}


def test_the_weight_of_a_start_counts_relative_to_the_others(memory: Memory) -> None:
    memory.add_fact("a", "KNOWS", "b", valid_at="2020")
    memory.add_fact("c", "KNOWS", "d", valid_at="2020")
    asked = Asked(memory)
    assert asked.ranked({"a": 3.0, "c": 2.0}) == ["a KNOWS b", "c KNOWS d"]
    assert asked.ranked({"a": 0.02, "c": 0.03}) == ["c KNOWS d", "a KNOWS b"]
    assert asked.ranked({"a": 1.0, "c": 0.0}) == ["a KNOWS b"]
    small, large = (graph.walk(asked.db, asked.seen, [(asked.row("a"), weight)]) for weight in (0.01, 8.0))
    assert small == large
    assert asked.ranked({}) == []
    rows = [(asked.row("a"), 1.0), (asked.row("c"), 3.0), (asked.row("a"), 1.0)]
    assert (
        graph.walk(asked.db, asked.seen, rows).facts.scores
        == graph.walk(asked.db, asked.seen, [(rows[0][0], 2), rows[1]]).facts.scores
    )


# --- bounds ---


@pytest.fixture
def hub(memory: Memory, clock: FixedClock) -> Memory:
    """One entity with 40 facts, every other one ended; Kim has one fact there, and one of his own."""
    for number in range(40):
        memory.add_fact("hub", "HOLDS", f"item {number:02}", valid_at="2020", invalid_at="2021" if number % 2 else None)
        clock.advance(HOUR)
    memory.add_fact("Kim", "ZZZ", "hub", valid_at="2020")
    memory.add_fact("Kim", "LIKES", "jazz", valid_at="2020")
    return memory


def test_a_hub_gives_those_of_its_visible_facts_that_were_learned_last(hub: Memory) -> None:
    asked = Asked(hub)
    assert set(asked.facts("hub", depth=1, each=3)) == {
        "hub HOLDS item 38",
        "hub HOLDS item 36",
        "hub HOLDS item 34",
        "Kim ZZZ hub",
    }
    found = asked.facts("Kim", depth=3, each=3)
    assert len(found) == 5
    assert found["Kim LIKES jazz"] == 0


def test_the_bound_on_all_facts_leaves_out_the_lightest_entities_and_says_so(hub: Memory) -> None:
    asked = Asked(hub)
    assert asked.walk("Kim", "hub").whole
    both = [(asked.row("hub"), 1.0), (asked.row("Kim"), 2.0)]
    cut = graph.walk(asked.db, asked.seen, both, most=2)
    assert set(asked.triples(cut.facts.hops).values()) == {"Kim ZZZ hub", "Kim LIKES jazz"}
    assert not cut.whole
    assert set(cut.entities.hops) == {asked.row(name) for name in ("Kim", "hub", "jazz")}


def test_a_fact_behind_many_newer_ones_that_have_ended_is_found(memory: Memory) -> None:
    memory.add_fact("Ann", "OWNS", "house", valid_at="2000")
    for number in range(60):
        memory.add_fact("Ann", "RENTED", f"car {number}", valid_at="2010", invalid_at="2011")
    assert Asked(memory).facts("Ann", each=2) == {"Ann OWNS house": 0}


def test_a_hub_does_not_hide_that_something_is_beside_it(hub: Memory) -> None:
    asked = Asked(hub)
    assert asked.hops("hub", "item 00", "Kim", "jazz", each=3) == {"item 00": 1, "Kim": 1, "jazz": 2}
    assert asked.hops("Kim", "item 00", "item 01", each=3) == {"item 00": 2}, "item 01 is no longer there"
    assert asked.hops("jazz", "item 00", each=3) == {"item 00": 3}


def test_the_same_walk_gives_the_same_lists_whatever_the_order_of_the_starts(hub: Memory) -> None:
    asked = Asked(hub)
    starts = [(asked.row(name), weight) for name, weight in (("Kim", 0.3), ("hub", 0.2), ("jazz", 0.1))]
    first = graph.walk(asked.db, asked.seen, starts, each=5, most=9)
    again = graph.walk(asked.db, asked.seen, starts[::-1], each=5, most=9)
    for one, other in ((first.facts, again.facts), (first.entities, again.entities)):
        assert one.hops == other.hops
        assert [row for row, _ in one.ranked(50)] == [row for row, _ in other.ranked(50)]


# --- distance ---


def test_the_hops_of_facts_are_those_of_their_nearer_end(chain: Memory) -> None:
    told = chain.as_of("2026")
    expected = {"a KNOWS b": 0, "c KNOWS b": 1, "c KNOWS d": 2, "e KNOWS d": 3}
    assert Asked(chain).fact_hops("a", told) == expected
    assert Asked(chain).fact_hops("a", told, depth=2) == {text: hops for text, hops in expected.items() if hops < 3}
    assert Asked(chain, "2019").fact_hops("a", told) == {}, "none of them held"


def test_a_bound_on_what_is_read_may_cost_a_distance_but_never_shortens_one(chain: Memory) -> None:
    chain.add_fact("a", "KNOWS", "f", valid_at="2020")
    asked = Asked(chain)
    assert asked.hops("c", *"abef") == {"a": 2, "b": 1, "e": 2, "f": 3}
    assert asked.hops("c", "f", most=3) == {}, "d, learned later than b, was read first"
    assert asked.hops("c", *"abe", most=1) == {"a": 2, "b": 1, "e": 2}


def test_what_is_not_connected_has_no_distance(chain: Memory) -> None:
    lone = chain.add_fact("x", "KNOWS", "y", valid_at="2020")
    asked = Asked(chain)
    assert asked.hops("a", "x", "a", "e") == {"a": 0, "e": 4}
    assert asked.fact_hops("a", [lone]) == {}
    assert asked.hops("a") == {}


# --- against a plain search over what as_of answers ---

_names = st.sampled_from("abcdefgh")
_years = st.sampled_from([None, "2020", "2021", "2022"])
_step = st.one_of(
    st.tuples(st.just("fact"), _names, st.sampled_from(["KNOWS", "WORKS_AT"]), _names, _years),
    st.tuples(st.just("fact"), _names, st.sampled_from(["KNOWS", "WORKS_AT"]), _names, _years),
    st.tuples(st.just("end"), _names, st.just("KNOWS"), _names, st.sampled_from(["2021", "2022"])),
    st.tuples(st.just("retract"), st.integers(0, 20)),
    st.tuples(st.just("merge"), _names, _names),
)


def told(steps: list[tuple[Any, ...]]) -> tuple[Memory, list[dt.datetime]]:
    clock = FixedClock(dt.datetime(2026, 1, 1, tzinfo=dt.UTC))
    memory = Memory(":memory:", embedder=HashEmbedder(4), clock=clock)
    instants = []
    for kind, *rest in steps:
        clock.advance(HOUR)
        with contextlib.suppress(NotFound, AmbiguousName, ValueError):
            if kind == "fact":
                memory.add_fact(*rest[:3], valid_at=rest[3])
            elif kind == "end":
                memory.end_fact(*rest[:3], at=rest[3])
            elif kind == "merge":
                memory.merge_entities(*rest)
            elif found := memory.as_of("2022"):
                memory.retract(found[rest[0] % len(found)].uuid)
        instants.append(clock())
    return memory, instants


def distances(pairs: list[tuple[Any, ...]], start: Any) -> dict[Any, int]:
    """Hops from one end of these pairs to others, one pair after the other."""
    hops, level = {start: 0}, 0
    while True:
        near = {b for pair in pairs for a, b in (pair, pair[::-1]) if hops.get(a) == level and b not in hops}
        if not near:
            return hops
        level += 1
        hops.update(dict.fromkeys(near, level))


@settings(max_examples=25)
@given(st.lists(_step, min_size=3, max_size=16), st.integers(0, 15), st.sampled_from(["2019", "2020-06", "2021-06", "2026-06"]))
def test_it_reaches_just_what_a_plain_search_reaches_at_any_clocks(
    steps: list[tuple[Any, ...]], pick: int, valid_at: str
) -> None:
    memory, instants = told(steps)
    with contextlib.closing(memory):
        known_at = instants[pick % len(instants)]
        asked, answer = Asked(memory, valid_at, known_at), memory.as_of(valid_at, known_at=known_at)
        rows = dict(asked.db.execute("SELECT uuid, id FROM entities"))
        for start in sorted({end.uuid for fact in answer for end in (fact.source, fact.target)}):
            expected = distances([(fact.source.uuid, fact.target.uuid) for fact in answer], start)
            for depth in (1, 2, 3):
                found = graph.walk(asked.db, asked.seen, [(rows[start], 1.0)], depth=depth)
                assert found.entities.hops == {rows[uuid]: hops for uuid, hops in expected.items() if hops <= depth}
                at = {fact.uuid: min(expected.get(fact.source.uuid, 9), expected.get(fact.target.uuid, 9)) for fact in answer}
                uuids = {
                    one.uuid
                    for one in facts.shown(asked.db, found.facts.hops, valid_at=asked.valid_at, known_at=asked.known_at)
                }
                assert uuids == {uuid for uuid, hops in at.items() if hops < depth}
                assert found.facts.hops.keys() == found.facts.scores.keys()
                assert found.entities.hops.keys() == found.entities.scores.keys()
            hops = graph.entity_hops(asked.db, asked.seen, rows[start], list(rows.values()), depth=9)
            assert hops == {rows[uuid]: number for uuid, number in expected.items()}


def test_distances_in_a_larger_graph_are_those_of_a_plain_search(memory: Memory) -> None:
    chance, db = random.Random(4), memory._store._db
    assert db is not None
    memory.add_fact("n0", "KNOWS", "n1", valid_at="2020")
    with memory._store.write():
        for table, number in (("entities", 300), ("claims", 450), ("versions", 450)):
            columns = [name for (name,) in db.execute("SELECT name FROM pragma_table_info(?)", (table,)) if name != "id"]
            copied = ["?1" if name == "uuid" else name for name in columns]
            insert = f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(copied)} FROM {table} WHERE id = 1 AND ?1"
            db.executemany(insert, [(f"{row} of {table}",) for row in range(1, number + 1)])
        names = [row for (row,) in db.execute("SELECT id FROM entities ORDER BY id")]
        for row in range(2, 452):
            pair = (chance.choice(names), chance.choice(names))
            db.execute("UPDATE versions SET fact_id = ?1, source_id = ?2, target_id = ?3 WHERE id = ?1", (row, *pair))
    pairs = [tuple(row) for row in db.execute("SELECT source_id, target_id FROM versions ORDER BY id")]
    asked = Asked(memory)
    for centre in chance.sample(names, 5):
        expected = distances(pairs, centre)
        found = graph.entity_hops(db, asked.seen, centre, names, depth=99, most=9_999)
        assert found == expected
        wanted = chance.sample(names, 5)
        assert graph.entity_hops(db, asked.seen, centre, wanted, most=9_999) == {
            row: hops for row in wanted if (hops := expected.get(row, 9)) <= 6
        }
