"""Dumps of other memories: what their dates say, the facts say after the import, and nothing vanishes untold."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tkgmem import Fact, Memory
from tkgmem.portable import detect, graphiti, mcp_memory
from tkgmem.portable.doctor import doctor
from tkgmem.portable.foreign import Foreign, Sieve
from tkgmem.portable.format import ORDER, checked
from tkgmem.portable.union import unite
from tkgmem.reports import MergeReport
from tkgmem.temporal.period import to_datetime, to_micros
from tkgmem.testing import FixedClock, HashEmbedder

NOW = to_micros(dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC))
LATER = NOW + 86_400_000_000
EMBEDDER = HashEmbedder(8)


@pytest.fixture
def memory(clock: FixedClock) -> Iterator[Memory]:
    with Memory(":memory:", embedder=EMBEDDER, clock=clock) as opened:
        yield opened


def node(uuid: str, name: str, **more: Any) -> dict[str, Any]:
    return {"uuid": uuid, "name": name, "group_id": "", "labels": ["Entity"], "created_at": "2024-01-01T00:00:00Z", **more}


def edge(uuid: str, name: str, ends: str = "ana acme", **more: Any) -> dict[str, Any]:
    source, target = ends.split()
    given: dict[str, Any] = {
        "uuid": uuid, "name": name, "group_id": "", "source_node_uuid": source, "target_node_uuid": target,
        "fact": f"{uuid} said", "episodes": [], "created_at": "2024-03-05T10:00:00Z", "expired_at": None, "valid_at": None,
        "invalid_at": None,
    }  # fmt: skip
    return given | more


def episode(uuid: str, content: str, at: str, **more: Any) -> dict[str, Any]:
    given = {
        "uuid": uuid, "name": "chat", "group_id": "", "source": "message", "source_description": "a chat", "content": content,
        "created_at": at, "valid_at": at, "entity_edges": [],
    }  # fmt: skip
    return {**given, **more}


NODES = [node("ana", "Ana"), node("acme", "Acme"), node("bolt", "Bolt")]


def dump(*edges: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"nodes": NODES, "edges": list(edges), **more}


def from_graphiti(document: object, clock: int = NOW) -> Foreign:
    return graphiti.records(document, group="default", clock=clock)


def from_mcp(*lines: object, clock: int = NOW) -> Foreign:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    return mcp_memory.records(texts, group="default", clock=clock)


def take(memory: Memory, foreign: Foreign) -> MergeReport:
    return unite(memory._store, EMBEDDER, lambda: foreign.records, "the dump", now=NOW, foreign=True)


def instant(text: str | None) -> dt.datetime | None:
    return None if text is None else dt.datetime.fromisoformat(text)


def four_dates(fact: Fact) -> tuple[dt.datetime | None, ...]:
    return fact.valid_at, fact.invalid_at, fact.created_at, fact.expired_at


def of(foreign: Foreign, kind: str) -> list[dict[str, Any]]:
    return [record for record in foreign.records if record["type"] == kind]


@pytest.mark.parametrize(
    ("valid_at", "invalid_at", "created_at", "expired_at"),
    [
        ("2024-03-01T00:00:00Z", None, "2024-03-05T10:00:00Z", None),
        (None, None, "2024-03-05T10:00:00Z", None),
        ("2024-03-01T00:00:00Z", "2026-06-01T00:00:00Z", "2024-03-05T10:00:00Z", "2026-06-03T08:00:00.000123Z"),
        (None, "2026-06-01T00:00:00Z", "2024-03-05T10:00:00Z", "2026-06-03T08:00:00Z"),
        ("2022-03-01T00:00:00Z", "2023-06-01T00:00:00Z", "2024-03-05T10:00:00Z", None),
        (None, "2023-06-01T00:00:00Z", "2024-03-05T10:00:00Z", "2024-03-05T10:00:01Z"),
    ],
)
@pytest.mark.parametrize("relation", ["WORKS_AT", "ADVISES"])
def test_an_edge_keeps_its_four_dates(
    memory: Memory,
    relation: str,
    valid_at: str | None,
    invalid_at: str | None,
    created_at: str,
    expired_at: str | None,
) -> None:
    dates = {"valid_at": valid_at, "invalid_at": invalid_at, "created_at": created_at, "expired_at": expired_at}
    told = episode("p", "It is so.", "2024-03-05T09:00:00Z")
    foreign = from_graphiti(dump(edge("e", relation, episodes=["p"], **dates), episodes=[told]))
    assert not foreign.warnings
    take(memory, foreign)
    [fact] = memory.as_of("2023-01-01" if valid_at is None or valid_at < "2023" else "2025-01-01")
    assert four_dates(fact) == (instant(valid_at), instant(invalid_at), instant(created_at), instant(expired_at))
    assert (fact.uuid, fact.fact, fact.relation, fact.episodes) == ("e", "e said", relation, ("p",))


def test_the_end_was_not_known_before_it_was_learned(memory: Memory) -> None:
    take(
        memory,
        from_graphiti(
            dump(
                edge("a", "WORKS_AT", valid_at="2024-03-01", invalid_at="2026-06-01", expired_at="2026-06-03T09:00:00Z"),
                edge("b", "WORKS_AT", "ana bolt", valid_at="2026-06-01", created_at="2026-06-03T09:00:00Z"),
            )
        ),
    )
    assert [fact.target.name for fact in memory.as_of("2025-01-01")] == ["Acme"]
    assert [fact.target.name for fact in memory.as_of("2026-10-01")] == ["Bolt"]
    assert [fact.target.name for fact in memory.believed_at("2026-06-02")] == ["Acme"]
    assert memory.as_of("2025-01-01", known_at="2024-03-01") == []
    assert [(version.target.name, version.cause) for version in memory.timeline("Ana")] == [("Acme", "ended"), ("Bolt", None)]


def test_an_edge_that_expired_without_an_end_was_dropped(memory: Memory) -> None:
    take(memory, from_graphiti(dump(edge("e", "ADVISES", valid_at="2024-03-01", expired_at="2025-01-01T00:00:00Z"))))
    assert memory.as_of("2024-06-01") == []
    assert [fact.uuid for fact in memory.as_of("2024-06-01", known_at="2024-12-31")] == ["e"]


def test_a_second_import_adds_nothing_and_a_later_dump_what_is_new(memory: Memory) -> None:
    over = {"valid_at": "2024-03-01", "invalid_at": "2024-04-01", "expired_at": "2026-12-24", "created_at": "nonsense"}
    first = dump(edge("e", "ADVISES", valid_at="2024-03-01", created_at="nonsense"), edge("f", "MET", "ana bolt", **over))
    take(memory, from_graphiti(first))
    before = memory.stats()
    again = take(memory, from_graphiti(first, clock=LATER))
    assert (again.claims, again.entities, again.episodes, again.changed) == (0, 0, 0, 0)
    assert memory.stats() == before
    ended = dump(edge("e", "ADVISES", valid_at="2024-03-01", invalid_at="2025-01-01", expired_at="2025-02-01"))
    assert take(memory, from_graphiti(ended)).claims == 1
    assert memory.as_of("2025-06-01") == []


def test_what_apoc_exports_is_read_like_the_plain_lists() -> None:
    plain = dump(edge("e", "ADVISES", reason="asked"), episodes=[episode("p", "Ana helps Acme.", "2024-03-05T09:00:00Z")])
    plain["edges"][0]["episodes"] = ["p"]
    mention = {"uuid": "m", "group_id": "", "created_at": "2024-03-05T09:00:00Z"}
    plain["mentions"] = [{**mention, "source_node_uuid": "p", "target_node_uuid": "ana"}]
    lines: list[dict[str, Any]] = []
    for number, (label, item) in enumerate([("Entity", item) for item in NODES] + [("Episodic", plain["episodes"][0])]):
        inner = {key: value for key, value in item.items() if key not in ("labels", "attributes")}
        lines.append({"type": "node", "id": str(number), "labels": [label], "properties": inner})
    inner = {key: value for key, value in plain["edges"][0].items() if not key.endswith("_node_uuid")}
    for label, start, end, fields in (("RELATES_TO", "0", "1", inner), ("MENTIONS", "3", "0", mention)):
        lines.append({
            "type": "relationship", "id": start, "label": label, "properties": fields,
            "start": {"id": start, "labels": []}, "end": {"id": end, "labels": []},
        })  # fmt: skip
    expected = from_graphiti(plain)
    for document in ("\n".join(map(json.dumps, lines)), lines, {"nodes": lines[:4], "rels": lines[4:]}):
        found = from_graphiti(document)
        assert found.records == expected.records
        assert not found.warnings
    assert [mention["span"] for mention in of(expected, "mention") if mention["episode"] == "p"] == [[0, 3], [10, 14]]


def test_texts_are_the_sources_of_their_edges(memory: Memory) -> None:
    texts = [episode("p", "Ana: I help Acme", "2024-03-05T09:00:00+01:00"), episode("q", "Still so.", "2024-05-05T09:00:00Z")]
    edges = [edge("e", "ADVISES", episodes=["p", "q", "gone"], reason="asked", fact_embedding=[0.5])]
    take(memory, from_graphiti(dump(*edges, episodes=texts)))
    [fact] = memory.as_of("2025-01-01")
    assert fact.episodes == ("p", "q")
    assert fact.attributes == {"reason": "asked", "episodes": ["gone"]}
    found = {one.uuid: one for one in memory.episodes()}
    assert found["p"].reference_time.isoformat() == "2024-03-05T09:00:00+01:00"
    assert (found["p"].state, found["p"].description, found["q"].content) == ("done", "a chat", "Still so.")
    assert next(hit.item.uuid for hit in memory.search("who helps Acme").episodes) == "p"
    assert memory.extract() == []


def test_mentions_are_kept_where_no_edge_speaks_of_them(memory: Memory) -> None:
    told = episode("p", "Bolt and Ana.", "2024-03-05T09:00:00Z")
    mention = {"uuid": "m", "source_node_uuid": "p", "target_node_uuid": "bolt", "created_at": "2024-03-06T09:00:00Z"}
    late = {**mention, "uuid": "n", "source_node_uuid": "q"}
    foreign = from_graphiti(dump(episodes=[told], mentions=[mention, late]))
    assert [one["span"] for one in of(foreign, "mention") if one["episode"] == "p"] == [[0, 4]]
    assert [line for line in foreign.warnings if "'q'" in line]
    take(memory, foreign)


def test_an_entity_is_there_from_its_first_fact_on_and_unknown_relations_are_defined(memory: Memory) -> None:
    nodes = [node("ana", "Ana", created_at="2025-01-01"), node("acme", "Acme")]
    foreign = from_graphiti({"nodes": nodes, "edges": [edge("e", "ADVISES"), edge("f", "WORKS_AT")]})
    [relation] = of(foreign, "relation")
    assert (relation["name"], relation["functional"]) == ("ADVISES", False)
    take(memory, foreign)
    assert memory.entity("Ana", known_at="2024-06-01").entity.name == "Ana"
    assert memory.entity("Ana").entity.created_at == instant("2024-03-05T10:00:00Z")


def test_labels_and_attributes_are_traits_and_an_unlinked_node_has_a_source(memory: Memory) -> None:
    alone = node("zed", "Zed", labels=["Entity", "Person", "Pilot"], summary="flies", attributes={"age": 30})
    take(memory, from_graphiti({"nodes": [alone]}))
    entity = memory.entity("Zed").entity
    assert (entity.type, entity.attributes) == ("Person", {"age": 30, "summary": "flies", "labels": ["Person", "Pilot"]})
    assert doctor(memory._store, EMBEDDER, repair=False).problems == ()


def test_groups_stay_apart(memory: Memory) -> None:
    nodes = [node("ana", "Ana", group_id="one"), node("acme", "Acme", group_id="two")]
    foreign = from_graphiti({"nodes": nodes, "edges": [edge("e", "ADVISES", group_id="one"), edge("f", "KNOWS", group_id="")]})
    assert {claim["group"] for claim in of(foreign, "claim")} == {"one"}
    assert "'two'" in foreign.warnings[0]
    assert foreign.warnings[0].startswith("edge e:")
    take(memory, foreign)
    assert {fact.target.name for fact in memory.as_of("2025-01-01", group="one")} == {"Acme"}
    assert memory.as_of("2025-01-01", group="two") == []


def test_what_is_odd_is_kept_and_told_with_its_uuid(memory: Memory) -> None:
    odd = [
        edge("inverted", "ADVISES", valid_at="2024-03-01", invalid_at="2023-01-01"),
        edge("unread", "KNOWS", valid_at="in spring"),
        edge("dangling", "KNOWS", "ana ghost"),
        edge("loop", "KNOWS", "bolt bolt"),
        edge("nameless", "?!"),
        edge("ahead", "MET", created_at="2031-01-01T00:00:00Z"),
        edge("unsure", "KNEW", expired_at="recently"),
        edge("brief", "SAW", expired_at="2020-01-01T00:00:00Z"),
    ]
    foreign = from_graphiti(dump(*odd, communities=[{"uuid": "c"}], version=1))
    for one in odd:
        assert [line for line in foreign.warnings if line.startswith(f"edge {one['uuid']}:")], one["uuid"]
    assert len(foreign.warnings) == len(odd) + 2
    assert take(memory, foreign).claims == len(odd)
    claims = {claim["uuid"]: claim for claim in of(foreign, "claim")}
    assert "invalid_at" not in claims["inverted"]
    assert claims["inverted"]["attributes"] == {"invalid_at": "2023-01-01"}
    assert claims["nameless"]["relation"] == "RELATES_TO"
    assert claims["nameless"]["attributes"] == {"name": "?!"}
    assert claims["ahead"]["created_at"] == NOW
    assert "expired_at" not in claims["unsure"]
    assert claims["brief"]["expired_at"] == claims["brief"]["created_at"] + 1
    assert memory.entity("ghost").facts
    assert doctor(memory._store, EMBEDDER, repair=False).ok


def test_edges_without_both_ends_are_left_out_and_told() -> None:
    foreign = from_graphiti(dump({"uuid": "half", "name": "KNOWS", "source_node_uuid": "ana"}, edge("e", "KNOWS")))
    assert [claim["uuid"] for claim in of(foreign, "claim")] == ["e"]
    assert "half" in foreign.warnings[0]


def test_a_fact_that_two_edges_state_goes_on_with_the_later(memory: Memory) -> None:
    edges = [
        edge("a", "LIKES", valid_at="2020-01-01", invalid_at="2022-01-01", expired_at="2024-06-01"),
        edge("b", "LOVES", valid_at="2021-01-01"),
    ]
    foreign = from_graphiti(dump(*edges))
    assert [line.split(":")[0] for line in foreign.warnings] == ["edge a"]
    take(memory, foreign)
    [fact] = memory.as_of("2026-01-01")
    assert fact.claims == ("a", "b")
    assert fact.attributes == {"invalid_at": "2022-01-01"}


def test_one_more_stint_leaves_the_end_of_the_first(memory: Memory) -> None:
    edges = [
        edge("a", "LIKES", valid_at="2020-01-01", invalid_at="2022-01-01", expired_at="2024-06-01"),
        edge("b", "LIKES", valid_at="2023-01-01"),
    ]
    take(memory, from_graphiti(dump(*edges)))
    assert [len(memory.as_of(f"{year}-06-01")) for year in (2019, 2021, 2022, 2024)] == [0, 1, 0, 1]


def test_open_edges_that_our_rules_end_are_counted() -> None:
    edges = [
        edge("a", "WORKS_AT", valid_at="2020-01-01"),
        edge("b", "WORKS_FOR", "ana bolt", valid_at="2021-01-01"),
        edge("c", "LIKES", valid_at="2020-01-01"),
        edge("d", "LIKES", "ana bolt", valid_at="2021-01-01"),
        edge("m", "MANAGES", "acme bolt", valid_at="2020-01-01"),
        edge("n", "REPORTS_TO", "bolt ana", valid_at="2021-01-01"),
    ]
    [warning] = from_graphiti(dump(*edges)).warnings
    assert warning.startswith("edges: 2 ")
    assert warning.endswith(": a, m")


def test_one_uuid_for_two_edges_keeps_both() -> None:
    twice = [edge("e", "KNOWS"), edge("e", "KNOWS"), edge("e", "KNOWS", "ana bolt")]
    foreign = from_graphiti(dump(*twice))
    assert [claim["target"] for claim in of(foreign, "claim")] == ["acme", "bolt"]
    assert len(foreign.warnings) == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-05-17T09:30:00Z", "2024-05-17T09:30:00"),
        ("2024-05-17 09:30:00+00:00", "2024-05-17T09:30:00"),
        ("2024-05-17T09:30:00.123456789Z", "2024-05-17T09:30:00.123456"),
        ("2024-05-17T09:30:00.5+02:00", "2024-05-17T07:30:00.5"),
        ("2024-05-17T09:30:00+0200", "2024-05-17T07:30:00"),
        ("2024-05-17T09:30Z[UTC]", "2024-05-17T09:30:00"),
        ("2024-05-17T09:30+02:00[Europe/Berlin]", "2024-05-17T07:30:00"),
        ("2024-05-17T09:30:00[Asia/Shanghai]", "2024-05-17T01:30:00"),
        ("2024-05-17T09:30:00", "2024-05-17T09:30:00"),
        ("2024-05-17", "2024-05-17T00:00:00"),
        ("2024", "2024-01-01T00:00:00"),
    ],
)
def test_dates_are_read_as_other_programs_write_them(text: str, expected: str) -> None:
    sieve = Sieve("a test", group="default", clock=NOW)
    moment = sieve.moment(text, "here")
    assert moment is not None
    assert to_datetime(moment.micros) == dt.datetime.fromisoformat(expected).replace(tzinfo=dt.UTC)
    assert not sieve.warnings


@pytest.mark.parametrize("value", ["soon", "2024-13-01", 1715938200, "2024-05-17T09:30[../../x]", "9999-12-31T23:59-12:00", {}])
def test_what_is_no_date_is_told(value: object) -> None:
    sieve = Sieve("a test", group="default", clock=NOW)
    assert sieve.moment(value, "here") is None
    assert sieve.warnings[0].startswith("here: ")


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("[" * 5000 + "]" * 5000, "too deep"),
        (dump(edge("e", "KNOWS", attributes=json.loads("[" * 150 + "]" * 150))), "too deep"),
        ('{"nodes": [', "the dump: not JSON"),
        ('{"type":"node"}\n{"type"\n', "line 2: not JSON"),
        ("{}", "no nodes and no edges"),
        ("7", "no graphiti dump"),
        ({"communities": [{}]}, "no nodes and no edges"),
        ('{"nodes": [' + "9" * 5000 + "]}", "the dump: not JSON"),
    ],
)
def test_what_is_no_dump_is_refused(document: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        from_graphiti(document)


def test_texts_that_cannot_be_stored_are_mended_and_told(memory: Memory) -> None:
    text = json.dumps(dump(edge("e", "KNOWS", fact="a\ud800b\0c", odd=[float("nan")]), nodes=[node("ana", "x" * 1200)]))
    foreign = from_graphiti(text[:-1] + ', "episodes": [], "episodes": []}')
    [claim] = of(foreign, "claim")
    assert (claim["fact"], claim["attributes"]) == ("a\ufffdb\ufffdc", {"odd": ["nan"]})
    assert {len(entity["name"]) for entity in of(foreign, "entity")} == {1000, 4}
    assert len(foreign.warnings) == 5
    take(memory, foreign)


ODD = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=4),
    st.sampled_from(["ana", "acme", "p", "g", "2024-01-01", "2025-01-01T00:00Z", "2031-01-01", "WORKS_AT", "\ud800", "Entity"]),
)  # fmt: skip
VALUES = ODD | st.lists(ODD, max_size=2) | st.dictionaries(st.text(max_size=3), ODD, max_size=2)
FIELDS = [
    "uuid", "name", "group_id", "source_node_uuid", "target_node_uuid", "fact", "episodes", "created_at", "expired_at",
    "valid_at", "invalid_at", "reference_time", "attributes", "labels", "content", "source", "type", "start", "end", "id",
]  # fmt: skip
OBJECTS = st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=len(FIELDS))
SECTIONS = st.fixed_dictionaries(
    {name: st.lists(OBJECTS | ODD, max_size=3) for name in ("nodes", "edges", "episodes", "mentions")}
)


def assert_sound(foreign: Foreign) -> None:
    for number, record in enumerate(foreign.records):
        checked(record, str(number))
    assert foreign.records == sorted(foreign.records, key=lambda record: ORDER.index(record["type"]))
    there = {kind: {record["uuid"] for record in of(foreign, kind)} for kind in ("entity", "episode", "claim")}
    assert sum(map(len, there.values())) == sum("uuid" in record for record in foreign.records)
    for claim in of(foreign, "claim"):
        assert {claim["source"], claim["target"]} <= there["entity"]
        assert claim.get("episode") is None or claim["episode"] in there["episode"]
    "\n".join(foreign.warnings).encode()


@settings(max_examples=30)
@given(SECTIONS | st.lists(OBJECTS, max_size=4))
def test_whatever_a_dump_holds_its_records_are_sound(document: Any) -> None:
    try:
        foreign = from_graphiti(document)
    except ValueError:
        assert not any(isinstance(item, dict) for item in (document if isinstance(document, list) else document["nodes"]))
        return
    assert_sound(foreign)


ANA = {"type": "entity", "name": "Ana", "entityType": "person", "observations": ["Speaks fluent Spanish", "Ana dives"]}
WORKS = {"type": "relation", "from": "Ana", "to": "Acme Corp", "relationType": "works at"}
ACME = {"type": "entity", "name": "Acme Corp", "entityType": "company", "observations": []}


def test_observations_are_found_and_relations_hold(memory: Memory) -> None:
    foreign = from_mcp(ANA, ACME, WORKS, {**ACME, "name": "Lone"})
    assert not foreign.warnings
    take(memory, foreign)
    assert json.loads(memory.episodes(name="Lone")[0].content) == {"type": "entity", "name": "Lone", "entityType": "company"}
    [fact] = memory.as_of("2026-12-01")
    assert (fact.source.name, fact.relation, fact.target.name, fact.valid_at) == ("Ana", "WORKS_AT", "Acme Corp", None)
    assert (fact.source.type, fact.target.type, fact.created_at) == ("person", "company", to_datetime(NOW))
    assert {one.content for one in memory.episodes(name="Ana")} == {"Ana: Speaks fluent Spanish", "Ana dives"}
    assert memory.search("Spanish").episodes[0].item.content == "Ana: Speaks fluent Spanish"
    assert [mention["span"] for mention in of(foreign, "mention")][:2] == [[0, 3], [0, 3]]
    assert memory.extract() == []
    assert doctor(memory._store, EMBEDDER, repair=False).problems == ()


def test_the_same_file_again_adds_nothing_and_a_grown_one_what_is_new(memory: Memory) -> None:
    take(memory, from_mcp(ANA, ACME, WORKS))
    before = memory.stats()
    again = take(memory, from_mcp(ANA, ACME, WORKS, clock=LATER))
    assert (again.claims, again.entities, again.episodes, again.changed) == (0, 0, 0, 0)
    assert memory.stats() == before
    grown = {**ANA, "observations": [*ANA["observations"], "Has a boat"]}
    report = take(memory, from_mcp(grown, ACME, WORKS, {**WORKS, "relationType": "likes"}, clock=LATER))
    assert (report.episodes, report.claims, report.entities) == (1, 1, 0)
    assert len(memory.as_of("2026-12-05")) == 2


def test_a_current_relation_follows_a_dated_fact(memory: Memory) -> None:
    memory.add_fact("Ana", "WORKS_AT", "Old Works", valid_at="2020-01-01")
    take(memory, from_mcp(ANA, ACME, WORKS))
    assert [fact.target.name for fact in memory.as_of("2024-01-01")] == ["Old Works"]
    assert [fact.target.name for fact in memory.as_of("2026-12-01")] == ["Acme Corp"]


def test_one_object_and_dated_observations_are_read_too() -> None:
    dated = {"content": "Has a boat", "timestamp": "2025-06-26T18:45:00.000Z", "durability": "permanent"}
    graph = {"entities": [{"name": "Ana", "entityType": "person", "observations": [dated]}], "relations": []}
    for lines in ([json.dumps(graph)], json.dumps(graph, indent=2).splitlines()):
        foreign = mcp_memory.records(lines, group="default", clock=NOW)
        [told] = of(foreign, "episode")
        assert (told["content"], told["metadata"]["durability"]) == ("Ana: Has a boat", "permanent")
        assert to_datetime(told["reference_time"]) == dt.datetime(2025, 6, 26, 18, 45, tzinfo=dt.UTC)
        assert not foreign.warnings


def test_odd_lines_are_told_with_their_number(memory: Memory) -> None:
    foreign = from_mcp(
        ANA,
        "{broken",
        "[" * 5000,
        {"type": "note"},
        {**WORKS, "to": "Nowhere", "relationType": "!!"},
        {**ANA, "name": "ANA", "observations": [None, 7, "Speaks fluent Spanish"]},
        {"type": "relation", "from": "\u200b", "to": "Ana", "relationType": "works at"},
    )
    assert {line.split(":")[0].split(",")[0] for line in foreign.warnings} == {f"line {number}" for number in range(2, 8)}
    assert_sound(foreign)
    assert {entity["name"] for entity in of(foreign, "entity")} == {"Ana", "Nowhere", "unnamed (line 7)"}
    take(memory, foreign)


def test_several_targets_where_one_can_hold_are_told() -> None:
    [first, second] = from_mcp(ANA, WORKS, {**WORKS, "to": "Bolt"}, ACME).warnings
    assert "Bolt" in first
    assert second.startswith("Ana: WORKS_AT has one target at a time, the file has 2")


def test_a_file_without_entities_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no file of the MCP memory server.*line 1: not JSON"):
        from_mcp("hello", "you")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (json.dumps(dump(edge("e", "WORKS_AT", valid_at="2024-03-01"), edge("f", "KNOWS", "ana ghost"))), ["Acme", "ghost"]),
        ("\n".join(map(json.dumps, [ANA, ACME, WORKS, "odd"])), ["Acme Corp"]),
    ],
)
def test_a_file_is_imported_as_what_it_looks_like(memory: Memory, tmp_path: Path, text: str, answer: list[str]) -> None:
    (tmp_path / "dump.json").write_text(text, encoding="utf-8")
    report = memory.import_(tmp_path / "dump.json", group="theirs")
    assert (report.claims, len(report.warnings)) == (len(answer), 1)
    assert sorted(fact.target.name for fact in memory.as_of("2026-12-01", group="theirs")) == answer
    again = memory.import_(tmp_path / "dump.json", group="theirs")
    assert (again.claims, again.entities, again.episodes, again.changed, again.conflicts) == (0, 0, 0, 0, ())
    memory.export(tmp_path / "all.jsonl")
    assert doctor(memory._store, EMBEDDER, repair=False).problems == ()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"type":"tkgmem","format":1}\n', "tkgmem"),
        (json.dumps(dump(edge("e", "KNOWS"))), "graphiti"),
        ('\ufeff {"entities": [{"uuid": "a", "group_id": ""}]}', "graphiti"),
        ('{"type":"node","id":"0","labels":["Entity"],"properties":{}}\n', "graphiti"),
        (json.dumps(ANA), "mcp-memory"),
        (json.dumps({"entities": [ANA], "relations": []}, indent=2), "mcp-memory"),
        (json.dumps(WORKS), "mcp-memory"),
        ("SQLite format 3\0", "sqlite"),
        ("uuid,name\n", None),
        ('{"a": 1}', None),
        ("", None),
    ],
)
def test_the_kind_of_a_file_is_told_by_its_beginning(tmp_path: Path, text: str, kind: str | None) -> None:
    assert detect.detect(text.encode()) == kind
    (tmp_path / "file").write_text(text, encoding="utf-8")
    assert detect.detect(tmp_path / "file") == kind
