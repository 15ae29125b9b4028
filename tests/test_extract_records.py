"""Business records become dated facts by a declarative mapping, without a model."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tkgmem.graph import Extraction
from tkgmem.ingest.extract_records import extract_records
from tkgmem.ingest.record_mapping import check
from tkgmem.temporal.period import show

TOLD = dt.datetime(2024, 6, 1, tzinfo=dt.UTC)
TICKET = {
    "key": "KX-701",
    "title": "Pump fails at low pressure",
    "project": {"name": "Aquifer"},
    "labels": ["pump", "field"],
    "changes": [
        {"at": "2024-03-01T09:00:00Z", "field": "assignee", "from": None, "to": "Ana Brandt", "by": "Lead Bot"},
        {"at": "2024-03-04T10:30:00+02:00", "field": "status", "from": "Open", "to": "QA", "by": "Ana Brandt"},
        {"at": "2024-03-09", "field": "assignee", "from": "Ana Brandt", "to": "Ravi Sen", "by": "Ana Brandt"},
        {"at": "2024-03-12", "field": "assignee", "from": "Ravi Sen", "to": None, "by": "Ravi Sen"},
    ],
}


def read(record: Any, mapping: Any, told: dt.datetime = TOLD) -> Extraction:
    return extract_records(json.dumps(record, ensure_ascii=False), mapping, told)


def lines(found: Extraction) -> list[str]:
    shown = []
    for fact in found.facts:
        bounds = [show(date.micros) if date else "-" for date in (fact.valid_at, fact.invalid_at)]
        shown.append(f"{fact.kind} {fact.source} {fact.relation} {fact.target} {' '.join(bounds)}")
    return shown


def test_a_ticket_history_tells_who_had_it_when_and_when_it_went_to_qa() -> None:
    assigned = {"each": "$.changes[*]", "where": {"$.field": "assignee"}, "source": "$$.key", "relation": "assigned to"}
    found = read(
        TICKET,
        [
            assigned | {"target": "$.to", "valid_at": "$.at"},
            assigned
            | {"target": "$.from", "kind": "end", "invalid_at": "$.at", "where": {"$.field": "assignee", "$.to": None}},
            {
                "each": "$.changes[*]",
                "where": {"$.field": ["status", "state"]},
                "source": "$$.key",
                "relation": "HAS_STATUS",
                "target": "$.to",
                "valid_at": "$.at",
                "fact": "{$.by} moved {source} ({$$.title}) to {target}",
                "source_type": "Ticket",
            },
        ],
    )
    assert lines(found) == [
        "assert KX-701 ASSIGNED_TO Ana Brandt 2024-03-01T09:00:00Z -",
        "assert KX-701 ASSIGNED_TO Ravi Sen 2024-03-09 -",
        "end KX-701 ASSIGNED_TO Ravi Sen - 2024-03-12",
        "assert KX-701 HAS_STATUS QA 2024-03-04T08:30:00Z -",
    ]
    assert [fact.fact for fact in found.facts[1::2]] == [
        "KX-701 assigned to Ravi Sen",
        "Ana Brandt moved KX-701 (Pump fails at low pressure) to QA",
    ]
    assert [(entity.name, entity.type) for entity in found.entities] == [("KX-701", "Ticket")]
    assert [fact.source_at for fact in found.facts] == [None, None, None, 0]
    assert found.warnings == ()


def test_names_are_found_where_they_stand_in_the_text() -> None:
    content = json.dumps(TICKET)
    [fact] = extract_records(content, {"source": "$.key", "relation": "PART_OF", "target": "$.project.name"}, TOLD).facts
    assert fact.span == (0, len(content))
    assert fact.source_span is not None
    assert fact.target_span is not None
    assert (content[slice(*fact.source_span)], content[slice(*fact.target_span)]) == ("KX-701", "Aquifer")


def test_elements_inside_elements_see_those_around_them() -> None:
    issue = {
        "key": "AQ-3",
        "changelog": {
            "histories": [
                {"created": "2024-01-02T08:00:00.000+0000", "items": [{"f": "assignee", "to": "Ana"}, {"f": "rank", "to": 3}]},
                {"created": "2024-02-02T08:00:00.000+0000", "items": [{"f": "assignee", "to": "Bo"}]},
            ]
        },
    }
    rule = {
        "each": "$.changelog.histories[*].items[*]",
        "where": {"$.f": "assignee"},
        "source": "$^^.key",
        "relation": "ASSIGNED_TO",
        "target": "$.to",
        "valid_at": "$^.created",
    }
    assert lines(read(issue, rule)) == [
        "assert AQ-3 ASSIGNED_TO Ana 2024-01-02T08:00:00Z -",
        "assert AQ-3 ASSIGNED_TO Bo 2024-02-02T08:00:00Z -",
    ]
    assert read({"changelog": {"histories": []}}, rule).warnings == ()


def test_a_customer_record_tells_its_owner_from_day_to_day() -> None:
    record = {"account": {"name": "Fern Robotics", "id": 4711}, "owners": [{"who": "Ana", "from": 2021, "to": "2023-05"}]}
    rule = {"each": "$.owners[*]", "source": "$$.account.name", "relation": "OWNED_BY", "target": "$.who", "valid_at": "$.from"}
    [fact] = read(record, rule | {"invalid_at": "$.to"}).facts
    assert fact.valid_at is not None
    assert fact.invalid_at is not None
    assert (fact.valid_at.precision, fact.invalid_at.precision) == ("year", "month")
    assert lines(read(record, rule | {"invalid_at": "$.to"})) == ["assert Fern Robotics OWNED_BY Ana 2021-01-01 2023-05-01"]
    assert lines(read(record, rule | {"until": "$.to"})) == ["assert Fern Robotics OWNED_BY Ana 2021-01-01 2023-06-01"]
    assert lines(read(record, {"source": "$.account.id", "relation": "NAMED", "target": "$.account.name"})) == [
        "assert 4711 NAMED Fern Robotics - -"
    ]


def test_a_staff_record_with_its_last_day_and_a_planned_move() -> None:
    staff = {
        "name": "李娜",
        "jobs": [{"at": "A 公司", "since": "2020-02-01", "last_day": "2023-12-31", "level": 4}],
        "next": "B 公司",
    }
    found = read(
        staff,
        [
            {
                "each": "$.jobs[*]",
                "source": "$$.name",
                "relation": "WORKS_AT",
                "target": "$.at",
                "valid_at": "$.since",
                "until": "$.last_day",
                "attributes": {"level": "$.level", "system": "HR"},
                "target_type": "Company",
            },
            {"source": "$.name", "relation": "WORKS_AT", "target": "$.next", "kind": "planned", "valid_at": "2024-09"},
        ],
        dt.datetime(2024, 6, 1, tzinfo=dt.timezone(dt.timedelta(hours=8))),
    )
    assert lines(found) == [
        "assert 李娜 WORKS_AT A 公司 2020-01-31T16:00:00Z 2023-12-31T16:00:00Z",
        "planned 李娜 WORKS_AT B 公司 2024-09-01 -",
    ]
    assert found.facts[0].attributes == {"level": 4, "system": "HR"}
    assert found.facts[0].target_at == 0


def test_an_order_with_several_goods_and_stamps_in_seconds_and_milliseconds() -> None:
    order = {
        "no": 88,
        "customer": {"first name": "Ana"},
        "goods": ["pump", "hose", "pump"],
        "paid": 1709251200,
        "sent": 1709337600000,
    }
    found = read(
        order,
        [
            {"source": '$.customer["first name"]', "relation": "ORDERED", "target": "$.goods", "valid_at": "$.paid"},
            {"source": "$.no", "relation": "SENT_TO", "target": '$["customer"]["first name"]', "valid_at": "$.sent"},
            {"source": "$.no", "relation": "HAS_FIRST", "target": "$.goods[0]"},
            {"source": "$.no", "relation": "PAID_IN", "target": {"text": "$ cash"}},
        ],
    )
    assert lines(found) == [
        "assert Ana ORDERED pump 2024-03-01 -",
        "assert Ana ORDERED hose 2024-03-01 -",
        "assert 88 SENT_TO Ana 2024-03-02 -",
        "assert 88 HAS_FIRST pump - -",
        "assert 88 PAID_IN $ cash - -",
    ]


def test_a_list_of_records_is_read_like_one() -> None:
    rule = {"each": "$[*]", "source": "$.who", "relation": "$.what", "target": "$.whom", "unless": {"$.draft": True}}
    people = [{"who": "Ana", "what": "reports to", "whom": "Bo"}, {"who": "Bo", "what": "knows", "whom": "Cy", "draft": True}]
    assert lines(read(people, rule)) == ["assert Ana REPORTS_TO Bo - -"]
    assert lines(read([people[0] | {"draft": 1}], rule)) == ["assert Ana REPORTS_TO Bo - -"], "1 is not true"


def test_what_is_null_is_no_fact_and_no_warning_unless_it_is_required() -> None:
    rule = {"source": "$.key", "relation": "ASSIGNED_TO", "target": "$.assignee"}
    assert read({"key": "K", "assignee": None}, rule) == Extraction()
    assert read({"key": "K", "assignee": None}, rule | {"required": True}).warnings == (
        "mapping rule 1: no target at $.assignee, which is required",
    )


def test_a_place_that_is_in_no_element_is_told() -> None:
    rule = {"source": "$.key", "relation": "ASSIGNED_TO", "target": "$.asignee"}
    assert read({"key": "K", "assignee": "Ana"}, rule).warnings == ("mapping rule 1: nothing at $.asignee",)
    assert read(TICKET, rule | {"each": "$.history[*]"}).warnings == ("mapping rule 1: nothing at $.history[*]",)
    assert read(TICKET | {"changes": []}, rule | {"each": "$.changes[*]"}).warnings == ()


@pytest.mark.parametrize("date", ["soon", "2024-13", 7, True, {"y": 2024}, ["2024", "2025"], 1e300])
def test_a_bad_date_is_dropped_and_the_fact_kept(date: Any) -> None:
    found = read(
        {"a": "Ana", "b": "Bo", "at": date}, {"source": "$.a", "relation": "KNOWS", "target": "$.b", "valid_at": "$.at"}
    )
    assert lines(found) == ["assert Ana KNOWS Bo - -"]
    [warning] = found.warnings
    assert warning.startswith("mapping rule 1: dropped the valid_at at $.at: ")


def test_an_end_that_is_not_after_the_start_is_dropped() -> None:
    rule = {"source": "Ana", "relation": "KNOWS", "target": "Bo", "valid_at": "$.from", "invalid_at": "$.to"}
    found = read({"from": "2024-05-01", "to": "2024-05-01"}, rule)
    assert lines(found) == ["assert Ana KNOWS Bo 2024-05-01 -"]
    assert found.warnings == ("mapping rule 1: dropped the end 2024-05-01: it is not after the start 2024-05-01",)
    assert lines(read({"from": "2024", "to": "9999"}, rule | {"invalid_at": None, "until": "$.to"})) == [
        "assert Ana KNOWS Bo 2024-01-01 -"
    ]


def test_an_ending_without_its_date_is_no_fact() -> None:
    rule = {"source": "Ana", "relation": "WORKS_AT", "target": "Fern", "kind": "end"}
    assert lines(read({}, rule)) == ["end Ana WORKS_AT Fern - -"]
    assert read({"left": "soon"}, rule | {"invalid_at": "$.left"}).facts == ()


@pytest.mark.parametrize("name", [True, {"name": "Ana"}, "\u200b", "a\0b", "\ud800", "x" * 1_001, [["Ana"]]])
def test_what_is_no_name_is_told_and_makes_no_fact(name: Any) -> None:
    found = extract_records(json.dumps({"n": name}), {"source": "$.n", "relation": "KNOWS", "target": "Bo"}, TOLD)
    assert found.facts == ()
    assert found.warnings[0].startswith("mapping rule 1: no source at $.n: ")


def test_a_thing_is_not_tied_to_itself_and_no_fact_comes_twice() -> None:
    rule = {"each": "$[*]", "source": "$.a", "relation": "KNOWS", "target": "$.b"}
    found = read([{"a": "Ana", "b": "ANA"}, {"a": "Ana", "b": "Bo"}, {"a": "Ana", "b": "Bo"}], rule)
    assert lines(found) == ["assert Ana KNOWS Bo - -"]
    assert found.warnings == ("mapping rule 1: dropped Ana KNOWS ANA: both ends are the same",)


def test_the_same_trouble_is_told_once_with_how_often() -> None:
    found = read([{"n": True}] * 3, {"each": "$[*]", "source": "$.n", "relation": "KNOWS", "target": "Bo"})
    [warning] = found.warnings
    assert warning.endswith(" (3 times)")


@pytest.mark.parametrize("content", ["", "{", "not json", '{"a": NaN}', "[" * 100_000, '{"a": 1} {"a": 2}', "1" * 5_000])
def test_what_is_no_json_is_told(content: str) -> None:
    found = extract_records(content, {"source": "$.a", "relation": "KNOWS", "target": "Bo"}, TOLD)
    assert found.facts == ()
    assert found.warnings[0].startswith("not JSON, so the mapping gave no facts: ")


def test_a_sentence_with_a_gap_is_not_told() -> None:
    rule = {"source": "Ana", "relation": "WORKS_AT", "target": "Fern", "fact": "{{{source}}} as {$.role} of {target}"}
    assert read({"role": ["cook", "host"]}, rule).facts[0].fact == "{Ana} as cook, host of Fern"
    assert read({"role": None}, rule).facts[0].fact == "Ana works at Fern"


GOOD = {"source": "$.a", "relation": "KNOWS", "target": "$.b"}


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ([], "a mapping is a rule or a list of rules"),
        ("$.a", "a mapping is a rule or a list of rules"),
        ([GOOD, 3], "mapping rule 2: a rule is an object, not 3"),
        (GOOD | {"sorce": "$.a"}, "mapping rule 1: unknown key 'sorce'; the keys are each, where"),
        ({"source": "$.a", "relation": "KNOWS"}, "mapping rule 1, target: is missing"),
        (GOOD | {"source": "$a"}, r"mapping rule 1, source: '\$a' is no path from character 1 on; a path is"),
        (GOOD | {"source": "$.a[x]"}, r"'\$.a\[x\]' is no path from character 3 on"),
        (GOOD | {"target": 3}, "mapping rule 1, target: is a path or a text, not 3"),
        (GOOD | {"target": " "}, "mapping rule 1, target: is a path or a text"),
        (GOOD | {"relation": "--"}, "mapping rule 1, relation: not a relation name"),
        (GOOD | {"target": "\ud800"}, "mapping rule 1, target: it has a lone surrogate"),
        (GOOD | {"source": "$^.a"}, 'goes out 1 levels, but "each" goes in 0'),
        (GOOD | {"each": "$.a"}, r"must begin with \"\$\" and have \[\*\]"),
        (GOOD | {"each": "a[*]"}, "mapping rule 1, each: 'a.*' is no path"),
        (GOOD | {"kind": "maybe"}, "mapping rule 1, kind: is one of assert, end, planned"),
        (GOOD | {"kind": "end", "valid_at": "$.at"}, 'an "end" has no start'),
        (GOOD | {"until": "$.x", "invalid_at": "$.y"}, "give invalid_at or until, not both"),
        (GOOD | {"valid_at": "soon"}, "mapping rule 1, valid_at: not a date: 'soon'.*or a path"),
        (GOOD | {"valid_at": 3}, "mapping rule 1, valid_at: not a date: 3"),
        (GOOD | {"where": {"a": 1}}, "mapping rule 1, where: 'a' is no path"),
        (GOOD | {"where": "$.a"}, "mapping rule 1, where: is an object of paths"),
        (GOOD | {"unless": {"$.a": {"b": 1}}}, "mapping rule 1, unless: compares with"),
        (GOOD | {"fact": "{who}"}, r"mapping rule 1, fact: \{who\} is neither a path nor one of source, relation"),
        (GOOD | {"fact": "{source"}, "mapping rule 1, fact: a lone {"),
        (GOOD | {"fact": 1}, "mapping rule 1, fact: is a sentence"),
        (GOOD | {"required": "yes"}, "mapping rule 1, required: is true or false"),
        (GOOD | {"attributes": ["$.a"]}, "mapping rule 1, attributes: is an object"),
        (GOOD | {"source_type": 1}, "mapping rule 1, source_type: is a path or a text"),
    ],
)
def test_a_wrong_mapping_is_refused_by_name(mapping: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check(mapping)


KEYS = st.sampled_from("abc")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(["2024-05", "Ana", "9999"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=25,
)
STEPS = st.lists(st.sampled_from([".a", ".b", ".c", "[0]", "[-1]", "[*]", '["a"]']), max_size=3).map("".join)
EACH = st.none() | STEPS.map(lambda steps: f"$.a[*]{steps}")
PATHS = st.tuples(st.sampled_from(["$", "$$"]), STEPS).map("".join)
TERMS = PATHS | st.sampled_from(["Ana", "Bo"])
DATES = st.none() | PATHS | st.sampled_from(["2024", "2024-05-06"])
RULES = st.fixed_dictionaries(
    {"source": TERMS, "relation": TERMS, "target": TERMS, "each": EACH, "kind": st.sampled_from(["assert", "planned", "end"])},
    optional={
        "valid_at": DATES,
        "until": DATES,
        "where": st.dictionaries(PATHS, st.none() | st.booleans() | st.integers() | st.text(max_size=3), max_size=1),
        "fact": PATHS.map(lambda path: f"{{source}} {{{path}}} {{valid_at}}"),
        "required": st.booleans(),
        "source_type": TERMS,
        "attributes": st.dictionaries(KEYS, TERMS, max_size=2),
    },
)


@settings(max_examples=300)
@given(JSON, st.lists(RULES, min_size=1, max_size=3))
def test_no_record_fails_with_a_right_mapping(record: Any, rules: list[dict[str, Any]]) -> None:
    for rule in rules:
        if rule["kind"] == "end":
            rule.pop("valid_at", None)
    found = extract_records(json.dumps(record), rules, TOLD)
    for fact in found.facts:
        assert fact.source
        assert fact.target
        assert fact.fact
        json.dumps(dict(fact.attributes), allow_nan=False).encode()
        if fact.valid_at and fact.invalid_at:
            assert fact.valid_at.micros < fact.invalid_at.micros
