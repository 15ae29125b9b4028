"""Which entity a name means when a text is read: exact names, other names, names alike, and names that fit several."""

from __future__ import annotations

import json

import pytest

from tkgmem import Memory
from tkgmem.protocols import Request
from tkgmem.testing import FixedClock, HashEmbedder, ScriptedLLM


def names(memory: Memory) -> set[str]:
    with memory._store.read() as db:
        return {name for (name,) in db.execute("SELECT name FROM entities e WHERE id IN (SELECT entity_id FROM aliases)")}


def facts(memory: Memory, name: str) -> set[tuple[str, str, str]]:
    return {(one.source.name, one.relation, one.target.name) for one in memory.entity(name).facts}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Northwind Trading Ltd", "Northwind Trading Limited"),
        ("Kranzler Motors Inc", "Kranzler Motors Incorporated"),
        ("Zurich Insurance Group", "Zürich Insurance Group"),
    ],
)
def test_one_name_written_in_two_ways_is_one_entity_with_both_names(memory: Memory, first: str, second: str) -> None:
    memory.add(f"Ana Sousa works at {first}.")
    result = memory.add(f"Bo Lindqvist works at {second}.")
    assert [one.name for one in result.new_entities] == ["Bo Lindqvist"]
    assert memory.entity(second).entity.name == first
    assert memory.entity(first).entity.aliases == (second,)
    assert {source for source, _, _ in facts(memory, first)} == {"Ana Sousa", "Bo Lindqvist"}
    memory.forget(episode=result.episode.uuid)
    assert memory.entity(first).entity.aliases == ()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Bay 41", "Bay 42"),
        ("KX700", "KX701"),
        ("Helix 3", "Helix 4"),
        ("Ana", "Ann"),
        ("李明", "李鸣"),
        ("Duarte", "Ines Duarte"),
    ],
)
def test_what_is_merely_possible_is_two_entities_without_a_judge(memory: Memory, first: str, second: str) -> None:
    memory.add_fact("Maya", "KNOWS", first)
    memory.add_fact("Maya", "KNOWS", second)
    with memory._store.read() as db:
        assert db.execute("SELECT count(*) FROM entities").get == 3
    assert names(memory) == {"Maya", first, second}


def test_a_second_name_that_a_text_tells_finds_the_one_who_has_it(memory: Memory) -> None:
    memory.add("Robert Hale, also known as Bobby, works at Northwind.")
    result = memory.add("Bobby lives in Porto.")
    assert [one.name for one in result.new_entities] == ["Porto"]
    assert facts(memory, "Bobby") >= {("Robert Hale", "LIVES_IN", "Porto"), ("Robert Hale", "ALSO_KNOWN_AS", "Bobby")}
    assert facts(memory, "Robert Hale") == facts(memory, "Bobby")
    assert [hit.item.name for hit in memory.search("Bobby", scopes=["entities"], recipe="bm25").entities] == ["Robert Hale"]


def test_a_new_name_for_one_who_is_known_by_the_other_is_the_same_entity(memory: Memory) -> None:
    known = memory.add("Bobby lives in Porto.").facts[0].source
    memory.add("Robert Hale, also known as Bobby, works at Northwind.")
    assert memory.entity("Robert Hale").entity.uuid == known.uuid
    assert {relation for _, relation, _ in facts(memory, "Bobby")} >= {"LIVES_IN", "WORKS_AT"}


def test_two_who_are_known_apart_are_not_joined_by_a_text_alone(memory: Memory) -> None:
    memory.add("Bobby lives in Porto.")
    memory.add("Robert Hale works at Northwind.")
    result = memory.add("Robert Hale, also known as Bobby, likes tea.")
    assert any("merge_entities" in warning for warning in result.warnings)
    assert memory.entity("Bobby").entity.uuid != memory.entity("Robert Hale").entity.uuid
    memory.merge_entities("Robert Hale", "Bobby")
    assert {relation for _, relation, _ in facts(memory, "Bobby")} >= {"LIVES_IN", "WORKS_AT", "LIKES"}


def test_a_name_that_fits_several_makes_no_fact_and_says_so(memory: Memory) -> None:
    one, two = memory.add_fact("Ana", "LIVES_IN", "Porto"), memory.add_fact("Ana Sousa", "LIVES_IN", "Oslo")
    memory.add_alias("Ana Sousa", "Ana")
    result = memory.add("Ana works at Northwind.")
    assert result.facts == []
    [warning] = [text for text in result.warnings if "fits several" in text]
    assert one.source.uuid in warning
    assert two.source.uuid in warning
    assert result.episode.state == "done"


def test_a_speaker_whose_name_fits_several_is_the_one_who_spoke_last(memory: Memory) -> None:
    first = memory.add("I live in Porto.", speaker="Ana", source="message")
    memory.add_fact("Ana Sousa", "LIVES_IN", "Oslo")
    memory.add_alias("Ana Sousa", "Ana")
    second = memory.add("I work at Northwind.", speaker="Ana", source="message")
    assert {one.source.uuid for one in second.facts} == {one.source.uuid for one in first.facts}


def test_names_of_another_group_are_never_candidates(clock: FixedClock) -> None:
    def answer(request: Request) -> object:
        if request.purpose == "judge":
            return {"mentions": []}
        return {
            "entities": [{"id": 1, "name": "Duarte"}, {"id": 2, "name": "Acme"}],
            "facts": [{"source": 1, "relation": "PAID_BY", "target": 2, "sentence": ""}],
        }

    model = ScriptedLLM(answer)
    with Memory(":memory:", embedder=HashEmbedder(64), clock=clock, llm=model) as memory:
        memory.add_fact("Ines Duarte", "WORKS_AT", "Acme", group="other")
        memory.add_fact("Duarte", "WORKS_AT", "Acme", group="other")
        result = memory.add("Duarte is paid by Acme.")
        assert [one.purpose for one in model.requests] == ["extract"]
        assert len(result.new_entities) == 2
        memory.add("Duarte is paid by Acme.", group="other")
        assert [one.purpose for one in model.requests] == ["extract", "extract", "judge"]
        assert json.loads(model.requests[2].user)["known_facts"][0]["fact"] == "Duarte WORKS_AT Acme"


def test_a_text_without_extraction_or_with_a_mapping_asks_no_model(clock: FixedClock) -> None:
    model = ScriptedLLM(lambda _: {"facts": []})
    with Memory(":memory:", embedder=HashEmbedder(64), clock=clock, llm=model) as memory:
        memory.add("Ana lives in Porto.", extract=False)
        record = json.dumps({"who": "Ana", "where": "Porto", "since": "2024"})
        mapping = {"source": "$.who", "relation": "LIVES_IN", "target": "$.where", "valid_at": "$.since"}
        assert memory.add(record, source="json", mapping=mapping).facts[0].target.name == "Porto"
        assert model.requests == []
        memory.add(record + " ", source="json")
        assert len(model.requests) == 1


def test_sentences_inside_a_record_without_a_mapping_are_read_by_the_rules(memory: Memory) -> None:
    content = json.dumps({"id": 7, "note": "Ana Sousa moved to Porto in May 2024.", "tags": ["Bo lives in Oslo."]})
    result = memory.add(content, source="json", reference_time="2026-01-01")
    assert {(one.source.name, one.target.name) for one in result.facts} == {("Ana Sousa", "Porto"), ("Bo", "Oslo")}
    with memory._store.read() as db:
        spans = [content[a:b] for a, b in db.execute("SELECT span_start, span_end FROM claims ORDER BY id")]
    assert [text.rstrip(".") for text in spans] == ["Ana Sousa moved to Porto in May 2024", "Bo lives in Oslo"]


@pytest.mark.parametrize(
    "mapping",
    [
        {},
        {"source": "$.a"},
        {"source": "$.a", "relation": "LIKES", "target": "$.b", "colour": "red"},
        {"source": "$a", "relation": "LIKES", "target": "$.b"},
        [],
        "x",
        5,
    ],
)
def test_a_wrong_mapping_is_refused_before_anything_is_kept(memory: Memory, mapping: object) -> None:
    with pytest.raises(ValueError, match="mapping"):
        memory.add("{}", source="json", mapping=mapping)  # type: ignore[arg-type]
    assert memory.stats().episodes == 0


def test_a_mapping_is_for_records_only(memory: Memory) -> None:
    with pytest.raises(ValueError, match="json"):
        memory.add("{}", mapping={"source": "$.a", "relation": "LIKES", "target": "$.b"})


def test_a_ticket_tells_who_had_it_when_and_when_it_went_to_testing(memory: Memory) -> None:
    ticket = {
        "key": "OPS-7",
        "log": [
            {"field": "assignee", "to": "Ana", "at": "2026-03-01T09:00:00Z"},
            {"field": "status", "to": "Open", "at": "2026-03-01T09:00:00Z"},
            {"field": "assignee", "to": "Bo", "at": "2026-03-09T10:00:00Z"},
            {"field": "status", "to": "QA", "at": "2026-03-10T10:00:00Z"},
        ],
    }
    mapping = [
        {
            "each": "$.log[*]",
            "where": {"$.field": field},
            "source": "$$.key",
            "relation": relation,
            "target": "$.to",
            "valid_at": "$.at",
        }
        for field, relation in (("assignee", "ASSIGNED_TO"), ("status", "HAS_STATUS"))
    ]
    result = memory.add(json.dumps(ticket), source="json", mapping=mapping)
    assert len(result.facts) == 4
    assert [one.target.name for one in memory.as_of("2026-03-05", source="OPS-7", relation="ASSIGNED_TO")] == ["Ana"]
    assert [one.target.name for one in memory.as_of("2026-04-01", source="OPS-7", relation="ASSIGNED_TO")] == ["Bo"]
    [testing] = [one for one in memory.timeline("OPS-7") if one.target.name == "QA"]
    assert testing.valid_at is not None
    assert testing.valid_at.isoformat() == "2026-03-10T10:00:00+00:00"
