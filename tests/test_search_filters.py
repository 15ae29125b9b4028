"""Filters: every view of rows, and every method, sees just what a look at all facts, entities and episodes shows."""

import datetime as dt
import itertools
import json
import random
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from tkgmem import AmbiguousName, Entity, Episode, Fact, Memory, NotFound
from tkgmem.search.filters import Filters
from tkgmem.store import aliases, facts, periods, read, write
from tkgmem.store.clocks import EVERYTHING, At, view_claims, view_names, view_nodes, view_versions
from tkgmem.store.identity import Identity
from tkgmem.temporal.period import parse_moment, to_micros
from tkgmem.testing import FixedClock, HashEmbedder

GROUPS = ("mine", "yours")
PEOPLE = ("Ada", "Bo", "Chidi", "Dora")
WEIRD = ("x' OR 1=1 --", 'say "hi"', "a.b[0]$", "部门", "😀", "")
RELATIONS = ("MANAGES", "REPORTS_TO", "HAS_MANAGER", "LIKES", "ENJOYS", "MARRIED_TO", "LIVES_IN")
READ_AS = {"HAS_MANAGER": "REPORTS_TO", "ENJOYS": "LIKES"}
VALUES: tuple[Any, ...] = ("1", 1, 1.0, 1.5, True, False, None, "x' OR 1=1", "😀", ["a", 1], [], {"a": 1}, 2**70)
DATES = ("valid_at", "invalid_at", "created_at", "expired_at", "reference_time")


def day(number: int) -> str:
    return (dt.date(2020, 1, 1) + dt.timedelta(days=number)).isoformat()


def told(seed: int, path: str = ":memory:") -> tuple[Memory, FixedClock]:
    """A small history with everything in it that filters speak of."""
    rnd, clock = random.Random(seed), FixedClock(dt.datetime(2020, 1, 1, tzinfo=dt.UTC))
    memory = Memory(path, embedder=HashEmbedder(64), clock=clock, group="mine")
    for turn in range(36):
        clock.advance(dt.timedelta(days=10))
        group, (one, other) = rnd.choice(GROUPS), rnd.sample(PEOPLE, 2)
        attributes = {rnd.choice(WEIRD): rnd.choice(VALUES)} if rnd.random() < 0.6 else {}
        start = rnd.choice([None, rnd.randrange(400)])
        what = rnd.random()
        if what < 0.6:
            planned = rnd.random() < 0.2
            bounded = start is not None and not planned and rnd.random() < 0.3
            memory.add_fact(
                one, rnd.choice(RELATIONS), other, fact=f"number {turn}", attributes=attributes, planned=planned, group=group,
                valid_at=None if start is None else day(start), invalid_at=day(start + 30) if bounded and start else None,
            )  # fmt: skip
        elif what < 0.7:
            memory.end_fact(one, rnd.choice(RELATIONS), other, at=day(rnd.randrange(400)), group=group)
        elif what < 0.75 and (held := memory.as_of(day(rnd.randrange(400)), group=group)):
            memory.retract(held[0].uuid)
        elif what < 0.8:
            merge(memory, one, other)
        else:
            text = f"{one} works at {rnd.choice(['Acme', 'Initech'])}. number {turn}"
            episode = memory.add(text, metadata=attributes, reference_time=day(rnd.randrange(400)), group=group).episode
            trait(memory, clock, one, group, episode, rnd.choice(["Person", "person", "城市", "Robot", ""]), attributes)
    return memory, clock


def merge(memory: Memory, one: str, other: str) -> None:
    """Merge two of the memory's own group, where both are known and not one already."""
    with suppress(NotFound):
        found = sorted({memory.entity(name).entity.uuid for name in (one, other)})
        if len(found) == 2:
            memory.merge_entities(*found)


def trait(memory: Memory, clock: FixedClock, name: str, group: str, episode: Episode, kind: str, more: dict[str, Any]) -> None:
    with memory._store.write() as db:
        row = read.entity_named(db, read.group_ids(db, [group])[0], name)
        if row is not None:
            at, (place, _) = to_micros(clock()), read.episode(db, episode.uuid) or (0, None)
            write.insert_trait(db, row, episode_id=place, kind=kind, attributes=more, at=at)


@pytest.fixture(scope="module", params=range(3))
def history(request: pytest.FixtureRequest) -> Iterator[Memory]:
    memory, _ = told(request.param)
    yield memory
    memory.close()


# --- a look at everything ---


def fits_value(kept: Any, wanted: Any) -> bool:
    same = json.dumps(kept) == json.dumps(wanted)
    numbers = all(isinstance(one, int | float) and not isinstance(one, bool) for one in (kept, wanted))
    return same or (numbers and float(kept) == float(wanted))


def fits_attributes(kept: Any, wanted: Any) -> bool:
    for key, values in (wanted or {}).items():
        have = kept.get(key)
        held = have if isinstance(have, list) else [have]
        if not any(fits_value(one, value) for one in held for value in (values if isinstance(values, list) else [values])):
            return False
    return True


def fits_dates(item: Any, dates: Any) -> bool:
    if dates is None:
        return True
    dated = {"created_at", "reference_time"} if isinstance(item, Episode) else {*DATES}
    return any(
        all(fits_date(getattr(item, name), op, value) for name, op, value in branch if name in dated and hasattr(item, name))
        for branch in dates
    )


def fits_date(shown: dt.datetime | None, operator: str, value: str | None) -> bool:
    if value is None or operator == "!=":
        micros = None if value is None else parse_moment(value).micros
        return ((None if shown is None else to_micros(shown)) == micros) == (operator == "is")
    if shown is None:
        return False
    one, other = to_micros(shown), parse_moment(value).micros
    return {"=": one == other, "<": one < other, "<=": one <= other, ">": one > other, ">=": one >= other}[operator]


def names(given: Any) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def is_one(entity: Entity, given: Any) -> bool:
    return given is None or bool({entity.name, *entity.aliases, entity.uuid} & set(names(given)))


def has_type(entity: Entity, given: Any) -> bool:
    return given is None or (entity.type or "").casefold() in [kind.casefold() for kind in names(given)]


def readings(fact: Fact) -> list[tuple[Entity, str, Entity]]:
    """All ways to say a fact, as it is stored first."""
    name = READ_AS.get(fact.relation, fact.relation)
    if name == "MANAGES":
        return [(fact.target, "REPORTS_TO", fact.source), (fact.source, "MANAGES", fact.target)]
    if name == "REPORTS_TO":
        return [(fact.source, "REPORTS_TO", fact.target), (fact.target, "MANAGES", fact.source)]
    both = [(fact.target, name, fact.source)] if name == "MARRIED_TO" else []
    return [(fact.source, name, fact.target), *both]


def fits_fact(fact: Fact, asked: dict[str, Any]) -> bool:
    ways = readings(fact)
    wanted = None if asked.get("relations") is None else {READ_AS.get(name, name) for name in names(asked["relations"])}
    ways = [way for way in ways if way[1] in (wanted if wanted is not None else {ways[0][1]})]
    excluded = {READ_AS.get(name, name) for name in names(asked.get("not_relations") or [])}
    return (
        any(is_one(source, asked.get("source")) and is_one(target, asked.get("target")) for source, _, target in ways)
        and not excluded & {name for _, name, _ in readings(fact)}
        and (is_one(fact.source, asked.get("entity")) or is_one(fact.target, asked.get("entity")))
        and (has_type(fact.source, asked.get("entity_types")) or has_type(fact.target, asked.get("entity_types")))
        and fits_dates(fact, asked.get("dates"))
        and fits_attributes(fact.attributes, asked.get("attributes"))
    )


def fits_entity(entity: Entity, asked: dict[str, Any]) -> bool:
    return (
        is_one(entity, asked.get("entity"))
        and has_type(entity, asked.get("entity_types"))
        and fits_dates(entity, asked.get("dates"))
        and fits_attributes(entity.attributes, asked.get("attributes"))
    )


# --- what is asked ---


def asking(rnd: random.Random) -> dict[str, Any]:
    """One filter, or a few together."""
    makers = {
        "relations": lambda: rnd.choice(["LIKES", "manages", ["REPORTS_TO"], ["MARRIED_TO", "MANAGES"], []]),
        "not_relations": lambda: rnd.choice(["ENJOYS", ["HAS_MANAGER", "MARRIED_TO"]]),
        "source": lambda: rnd.choice([*PEOPLE, list(PEOPLE[:2]), "nobody", WEIRD[0]]),
        "target": lambda: rnd.choice([*PEOPLE, ["Ada", "Acme"]]),
        "entity": lambda: rnd.choice([*PEOPLE, ["Bo", "Initech"], "Acme"]),
        "entity_types": lambda: rnd.choice(["PERSON", "ｐｅｒｓｏｎ", ["城市", "robot"], "' OR 1=1"]),
        "dates": lambda: [[comparison(rnd) for _ in range(rnd.randrange(1, 3))] for _ in range(rnd.randrange(1, 4))],
        "attributes": lambda: {rnd.choice(WEIRD): wanted(rnd) for _ in range(rnd.choice([1, 1, 2]))},
    }
    return {name: makers[name]() for name in rnd.sample(sorted(makers), rnd.choice([1, 1, 2, 3]))}


def wanted(rnd: random.Random) -> Any:
    plain = [value for value in VALUES if not isinstance(value, list | dict)] + ["a"]
    return rnd.choice([*plain, [rnd.choice(plain), rnd.choice(plain)], []])


def comparison(rnd: random.Random) -> tuple[str, str, str | None]:
    operator = rnd.choice(["=", "!=", "<", "<=", ">", ">=", "is", "is not"])
    return (rnd.choice(DATES), operator, None if operator.startswith("is") else day(10 * rnd.randrange(40)))


def asked_as(asked: dict[str, Any]) -> dict[str, Any]:
    """As the look at everything reads names."""
    as_stored = {key: [name.upper() for name in names(asked[key])] for key in ("relations", "not_relations") if key in asked}
    folded = {"entity_types": ["person" if name.startswith("ｐ") else name for name in names(asked.get("entity_types", []))]}
    return {**asked, **as_stored, **(folded if "entity_types" in asked else {})}


def test_a_view_of_facts_is_what_a_look_at_all_facts_finds(history: Memory) -> None:
    rnd, found_some = random.Random(1), 0
    with history._store.read() as db:
        claims = [row for (row,) in db.execute("SELECT id FROM claims ORDER BY id")]
        for _ in range(60):
            asked, groups = asking(rnd), rnd.choice([["mine"], ["yours"], list(GROUPS)])
            t, s = to_micros_of(rnd.randrange(400)), rnd.choice([EVERYTHING, to_micros_of(rnd.randrange(370))])
            until, ended = rnd.choice([None, t + 40 * 86_400_000_000]), rnd.random() < 0.4
            at = At(read.group_ids(db, groups), t, s)
            expected = looked_up(db, claims, at, groups, until or t + 1, ended, asked_as(asked))
            conditions = Filters(**asked).resolve(db, at)
            clocks: Any = {"valid_at": t, "until": until, "known_at": s, "include_ended": ended, "conditions": conditions}
            view = view_claims(at.groups, **clocks)
            seen = {row for (row,) in db.execute(view.ids, view.bindings)}
            assert set(view.only(db, claims)) == seen, asked
            assert set(facts.supported_facts(db, seen, s).values()) == set(expected), asked
            where, bindings = view_versions(at.groups, **clocks)
            rows = {record.fact for record in facts.versions(db, where, bindings)}
            assert rows == {fact for fact, some in expected.items() if any(record.row is not None for record in some)}
            shown = periods.seen(db, claims, at.groups, **clocks)
            assert shown.keys() == expected.keys()
            for fact, record in shown.items():
                best = facts.best_period(expected[fact], t)
                assert (record.valid_at, record.invalid_at) == (best.valid_at, best.invalid_at)
            found_some += bool(expected)
    assert found_some > 10


def to_micros_of(number: int) -> int:
    return parse_moment(day(number)).micros


def looked_up(
    db: Any, claims: list[int], at: At, groups: list[str], until: int, ended: bool, asked: dict[str, Any]
) -> dict[int, list[facts.VersionRecord]]:
    """Every fact with the periods that should be seen."""
    expected: dict[int, list[facts.VersionRecord]] = {}
    for fact, records in facts.periods_of(db, claims, at.known_at).items():
        for record, value in zip(records, facts.facts(db, records, at.known_at), strict=True):
            begun = record.valid_at is None or record.valid_at < until
            holds = record.row is None or ended or (begun and (record.invalid_at is None or at.valid_at < record.invalid_at))
            if value.group in groups and holds and fits_fact(value, asked):
                expected.setdefault(fact, []).append(record)
    return expected


def test_views_of_entities_and_names_are_what_a_look_at_all_entities_finds(history: Memory) -> None:
    rnd, found_some = random.Random(2), 0
    with history._store.read() as db:
        for _ in range(60):
            asked, groups = asking(rnd), rnd.choice([["mine"], list(GROUPS)])
            at = At(read.group_ids(db, groups), 0, rnd.choice([EVERYTHING, to_micros_of(rnd.randrange(370))]))
            who = Identity(db, at.known_at)
            parts = [row for (row,) in db.execute("SELECT id FROM entities WHERE created_at <= ? ORDER BY id", (at.known_at,))]
            values = read.entities(db, [who.of(row) for row in parts], at.known_at)
            expected = {row for row, value in values.items() if value.group in groups and fits_entity(value, asked_as(asked))}
            conditions = Filters(**asked).resolve(db, at)
            view = view_nodes("entities", at.groups, known_at=at.known_at, conditions=conditions)
            rows = {row for (row,) in db.execute(view.ids, view.bindings)}
            assert {who.of(row) for row in rows} == expected, asked
            assert set(view.only(db, parts)) == rows == {row for row in parts if who.of(row) in expected}
            view = view_names(at.groups, known_at=at.known_at, conditions=conditions)
            called = [row for (row,) in db.execute(view.ids, view.bindings)]
            assert set(aliases.named(db, called, at.known_at).values()) == expected
            found_some += bool(expected)
    assert found_some > 10


def test_a_view_of_episodes_is_what_a_look_at_all_episodes_finds(history: Memory) -> None:
    rnd, found_some = random.Random(3), 0
    with history._store.read() as db:
        every = [row for (row,) in db.execute("SELECT id FROM episodes ORDER BY id")]
        for _ in range(60):
            asked, groups = asking(rnd), rnd.choice([["mine"], list(GROUPS)])
            at = At(read.group_ids(db, groups), 0, rnd.choice([EVERYTHING, to_micros_of(rnd.randrange(370))]))
            who, expected = Identity(db, at.known_at), set()
            for row, value in read.episodes(db, every).items():
                roots = [who.of(entity) for entity in read.named_in(db, [row])]
                named = "entity" not in asked or any(
                    is_one(entity, asked["entity"]) for entity in read.entities(db, roots, at.known_at).values()
                )
                there = value.group in groups and to_micros(value.created_at) <= at.known_at
                fits = fits_dates(value, asked.get("dates")) and fits_attributes(value.metadata, asked.get("attributes"))
                if there and named and fits:
                    expected.add(row)
            view = view_nodes("episodes", at.groups, known_at=at.known_at, conditions=Filters(**asked).resolve(db, at))
            assert {row for (row,) in db.execute(view.ids, view.bindings)} == expected == set(view.only(db, every)), asked
            found_some += bool(expected)
    assert found_some > 10


def test_source_relation_and_target_find_what_as_of_finds(history: Memory) -> None:
    rnd, ends = random.Random(4), [None, *PEOPLE]
    for source, relation, target in rnd.sample(list(itertools.product(ends, RELATIONS, ends)), 40):
        expected = history.as_of(day(200), source=source, relation=relation, target=target)
        asked = {"relations": relation, "source": source, "target": target}
        found = seen_facts(history, Filters.of(asked), valid_at=day(200))
        triples = [(one.uuid, one.source.name, one.relation, one.target.name) for one in found]
        assert sorted(triples) == sorted((one.uuid, one.source.name, one.relation, one.target.name) for one in expected)


def seen_facts(memory: Memory, filters: Filters | None, *, valid_at: str, group: str | None = None) -> list[Fact]:
    """The facts that have a period and that a question sees."""
    with memory._store.read() as db:
        at = At(read.group_ids(db, [group or memory.group]), parse_moment(valid_at).micros)
        conditions = None if filters is None else filters.resolve(db, at)
        every = [row for (row,) in db.execute("SELECT id FROM claims ORDER BY id")]
        found = periods.seen(
            db, every, at.groups, valid_at=at.valid_at, known_at=at.known_at, include_ended=False, conditions=conditions
        )
        return facts.facts(db, [record for record in found.values() if record.row is not None], at.known_at)


# --- what is given ---


def test_filters_can_be_given_as_plain_data() -> None:
    given = {
        "relations": ["works at", "LIKES"],
        "source": "Ada",
        "dates": [[["valid_at", ">=", "2024"], ["valid_at", "<", "2025"]], [["invalid_at", "is", None]]],
        "attributes": {"tier": ["gold", 1], "note": None},
    }
    filters = Filters.of(json.loads(json.dumps(given)))
    assert filters is not None
    assert (filters.relations, filters.source) == (("WORKS_AT", "LIKES"), ("Ada",))
    assert filters == Filters.of(filters) == Filters(**given)
    assert filters != Filters.of({**given, "source": "Bo"})
    assert Filters.of(None) is Filters.of({}) is Filters.of(Filters()) is None


def test_comparisons_without_alternatives_are_one_alternative() -> None:
    assert Filters(dates=[("valid_at", ">=", "2024"), ("valid_at", "<", "2025")]) == Filters(
        dates=[[("valid_at", ">=", "2024"), ("valid_at", "<", "2025")]]
    )


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ("LIKES", "LIKES"),
        ({"relation": "LIKES"}, "'relation'; use one of relations, not_relations"),
        ({"relations": 7}, "relations is text, or a list of texts, not 7"),
        ({"relations": "?"}, "not a relation name: '?'"),
        ({"source": [None]}, "source is a name, a uuid or an Entity, or a list of them, not None"),
        ({"entity_types": [1]}, "entity_types is text"),
        ({"dates": "2024"}, "'2024'"),
        ({"dates": ["2024"]}, "'2024'"),
        ({"dates": [[("valid_at", "2024")]]}, r"is \(date, operator, value\)"),
        ({"dates": [("valid", ">", "2024")]}, "unknown date 'valid'; use one of valid_at, invalid_at"),
        ({"dates": [("valid_at", "LIKE", "2024")]}, "unknown operator 'LIKE' for valid_at; use one of =, !="),
        ({"dates": [("valid_at", ">", "yesterday-ish")]}, "not a date: 'yesterday-ish'"),
        ({"dates": [("valid_at", ">", None)]}, "valid_at > needs a date"),
        ({"dates": [("valid_at", "is", "2024")]}, "valid_at is needs None"),
        ({"attributes": ["tier"]}, "attributes is a mapping"),
        ({"attributes": {1: "gold"}}, "not 1"),
        ({"attributes": {"tier": {"a": 1}}}, "attribute 'tier' is compared with text, a number"),
        ({"attributes": {"tier": float("nan")}}, "attribute 'tier' can be no nan"),
    ],
)
def test_what_cannot_be_meant_is_named(given: Any, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        Filters.of(given)


@pytest.mark.parametrize("text", ["' OR 1=1 --", "\0", "\ud800", '"', "$.a[0]", "💥" * 500])
def test_any_text_is_a_value_and_never_syntax(memory: Memory, text: str) -> None:
    memory.add_fact("Ada", "LIKES", "tea", attributes={"tier": "gold"})
    for asked in (
        {"source": text},
        {"entity": text},
        {"entity_types": text},
        {"attributes": {text: "gold"}},
        {"attributes": {"tier": text}},
    ):
        assert seen_facts(memory, Filters.of(asked), valid_at="2027") == []
    assert len(seen_facts(memory, Filters(attributes={"tier": ["silver", "gold"]}), valid_at="2027")) == 1


def test_a_name_that_fits_several_entities_is_not_guessed_at(memory: Memory) -> None:
    one, other = (memory.add_fact(name, "LIKES", "tea").source for name in ("Ada", "Bo"))
    with memory._store.write() as db:
        for entity in (one, other):
            row = read.entity_by_uuid(db, read.group_ids(db, [memory.group]), entity.uuid)
            assert row is not None
            aliases.insert(db, row, 1, "Captain", 0, episode_id=None)
    with pytest.raises(AmbiguousName, match="Captain"):
        seen_facts(memory, Filters(entity="Captain"), valid_at="2027")
    assert len(seen_facts(memory, Filters(entity=[one, other]), valid_at="2027")) == 2


def test_a_later_claim_overrides_an_attribute_until_it_is_retracted(memory: Memory, clock: FixedClock) -> None:
    memory.add_fact("Ada", "LIKES", "tea", valid_at="2020", attributes={"how": "much"})
    clock.advance(dt.timedelta(days=1))
    memory.add_fact("Ada", "LIKES", "tea", valid_at="2021", attributes={"how": "little"})
    much, little = Filters(attributes={"how": "much"}), Filters(attributes={"how": "little"})
    assert [len(seen_facts(memory, one, valid_at="2027")) for one in (much, little)] == [0, 1]
    with memory._store.read() as db:
        first = At(read.group_ids(db, [memory.group]), to_micros_of(0), to_micros(clock()) - 1)
        found = [
            view_claims(
                first.groups,
                valid_at=first.valid_at,
                known_at=first.known_at,
                include_ended=True,
                conditions=one.resolve(db, first),
            )
            for one in (much, little)
        ]
        assert [len(view.only(db, [1, 2])) for view in found] == [1, 0]


def test_a_value_is_equal_where_json_has_it_equal_and_a_list_by_its_elements(memory: Memory) -> None:
    for number, kept in enumerate(VALUES):
        memory.add_fact("Ada", "LIKES", f"number {number}", attributes={"it's": kept})
    for value in ["1", 1, 1.0, 2, True, False, None, "a", "true", "null", "[]", "", 2**70, 2.0**70]:
        expected = {f"number {number}" for number, kept in enumerate(VALUES) if fits_attributes({"k": kept}, {"k": value})}
        found = seen_facts(memory, Filters(attributes={"it's": value}), valid_at="2027")
        assert {fact.target.name for fact in found} == expected, value


@pytest.mark.parametrize(
    ("asked", "index"),
    [
        ({"source": "Ada"}, "versions_by_source"),
        ({"target": "tea", "relations": "LIKES"}, "versions_by_target"),
        ({"entity": "tea"}, "versions_by_target"),
        ({"relations": "LIKES"}, "claims_by_triple"),
        ({"entity_types": "person"}, "versions_by_source"),
        ({"dates": [("created_at", ">", "2026")]}, "claims_by_system_time"),
    ],
)
def test_a_view_begins_at_the_selective_side(memory: Memory, asked: dict[str, Any], index: str) -> None:
    with memory._store.read() as db:
        at = At([1], to_micros_of(0))
        conditions = Filters(**asked).resolve(db, at)
        view = view_claims(at.groups, valid_at=0, known_at=at.known_at, include_ended=False, conditions=conditions)
        steps = [str(row[3]) for row in db.execute("EXPLAIN QUERY PLAN " + view.ids, dict(view.bindings))]
    assert any(index in step for step in steps)
    scans = ("SCAN v", "SCAN s", "SCAN a", "SCAN c", "SCAN p")
    assert [step for step in steps if step.startswith(scans)] == ["SCAN s USING INDEX supports_undated"]


# --- through search ---


def crowd(memory: Memory, clock: FixedClock) -> Fact:
    """One fact that is asked for, behind many that are nearer: of another group, and with newer versions."""
    wanted = memory.add_fact(
        "Ada", "LIKES", "green tea", fact="Ada likes green tea a little, now and then", valid_at="2019", invalid_at="2020",
        attributes={"tier": "gold"},
    )  # fmt: skip
    for number in range(500):
        clock.advance(dt.timedelta(seconds=1))
        memory.add_fact("Ada", "LIKES", f"green tea {number}", fact="green tea", valid_at="2021", attributes={"tier": "tin"})
    for number in range(100):
        memory.add_fact("Ada", "LIKES", f"green tea {number}", fact="green tea", group="other", attributes={"tier": "gold"})
    return wanted


def test_what_qualifies_is_found_behind_five_hundred_that_are_nearer(memory: Memory, clock: FixedClock) -> None:
    wanted = crowd(memory, clock)
    filters: list[Any] = [
        {"attributes": {"tier": "gold"}},
        {"dates": [("invalid_at", "is not", None)], "source": "Ada"},
        {
            "dates": [[("valid_at", "<", "2020"), ("valid_at", ">=", "2019")], [("valid_at", ">", "2025")]],
            "relations": "ENJOYS",
        },
    ]
    for asked in filters:
        for _ in range(2):
            found = memory.search("green tea", filters=asked, include_ended=True, limit=5, scopes=["facts"])
            assert [hit.item.uuid for hit in found.facts] == [wanted.uuid]
            assert {"bm25", "cosine"} <= found.facts[0].ranks.keys()
    assert memory.search("green tea", filters=filters[0], scopes=["facts"]).facts == []


def test_a_hit_shows_a_period_that_meets_the_dates_and_reads_as_asked(memory: Memory) -> None:
    memory.add_fact("Bo", "REPORTS_TO", "Ada", valid_at="2010")
    memory.add_fact("Bo", "REPORTS_TO", "Chidi", valid_at="2015", invalid_at="2016")
    asked = {"relations": "MANAGES", "source": "Ada", "dates": [("invalid_at", "is", None)]}
    [hit] = memory.search("who reports to Ada?", filters=asked, include_ended=True, valid_at="2011", scopes=["facts"]).facts
    assert (hit.item.source.name, hit.item.relation, hit.item.target.name) == ("Ada", "MANAGES", "Bo")
    assert hit.item.valid_at == dt.datetime(2016, 1, 1, tzinfo=dt.UTC)


def test_a_filter_leaves_scopes_alone_that_do_not_have_what_it_speaks_of(memory: Memory) -> None:
    memory.add("Ada works at Acme.", metadata={"channel": "mail"})
    memory.add("Bo works at Acme.", metadata={"channel": "chat"})
    found = memory.search("Acme", filters={"source": "Ada"})
    assert ([hit.item.source.name for hit in found.facts], len(found.entities), len(found.episodes)) == (["Ada"], 3, 2)
    found = memory.search("Acme Ada Bo", filters={"entity": "Ada"})
    assert ([hit.item.name for hit in found.entities], len(found.episodes)) == (["Ada"], 1)
    found = memory.search("Acme", filters=Filters(attributes={"channel": "chat"}))
    assert (found.facts, found.entities, [hit.item.content for hit in found.episodes]) == ([], [], ["Bo works at Acme."])
