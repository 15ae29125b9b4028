"""What a language model says is read as the object that was asked for, or refused with a reason."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tkgmem.answers import ids, read
from tkgmem.answers.salvage import CUT, REPAIRED
from tkgmem.errors import BadResponse


def lists(*names: str) -> Callable[[dict[str, Any]], dict[str, Any] | None]:
    """Objects in which each of the names is a list."""
    return lambda found: found if all(isinstance(found.get(name), list) for name in names) else None


FACTS = lists("facts")
BOTH = lists("entities", "facts")
ONE = {"facts": [{"fact": "Ann moved to Rome."}]}
ONE_TEXT = json.dumps(ONE)
SCHEMA = {"type": "object", "properties": {"facts": {"type": "array", "items": {"type": "object"}}}, "required": ["facts"]}


def facts(text: str) -> tuple[dict[str, Any], list[str]]:
    return read(text, FACTS, bare="facts")


@pytest.mark.parametrize(
    "text",
    [
        ONE_TEXT,
        f"```json\n{ONE_TEXT}\n```",  # T08-01
        f"```\n{ONE_TEXT}\n```",
        f"```JSON {ONE_TEXT}```\nThese are the facts I found.",
        f"Here you go:\n```json\n{ONE_TEXT}",
        f"~~~json\n{ONE_TEXT}\n~~~",
        f'<think>{{"x":1}}</think>{ONE_TEXT} see [1]',  # T08-03
        f'<think>{{"facts": []}}</think>\n{ONE_TEXT}',
        f'<thinking>\nFirst {{"facts": []}}\n</thinking>{ONE_TEXT}',
        f'[THINK]{{"facts": []}}[/THINK]{ONE_TEXT}',
        f'so the list is {{"facts": []}} maybe</think>\n\n{ONE_TEXT}',
        f"<think>never closed, then\n{ONE_TEXT}",
        f"<think>never closed, then\n```json\n{ONE_TEXT}\n```\n",
        f"According to [1] and {{the text}}: {ONE_TEXT} (see [2], {{x}}).",
        f'{{"note": "nothing"}} {ONE_TEXT}',
        f'{ONE_TEXT}\n{{"facts": []}}',
        f"{json.dumps(SCHEMA)}\n{ONE_TEXT}",
        json.dumps([ONE]),
        json.dumps({"result": ONE}),
        json.dumps({"properties": ONE}),
        json.dumps(ONE["facts"]),
        f"The facts: {json.dumps(ONE['facts'])}",
        json.dumps(ONE_TEXT),
        f"\ufeff{ONE_TEXT}\u200b",
    ],
)
def test_an_object_is_found_whatever_is_around_it(text: str) -> None:
    assert facts(text) == (ONE, [])


@pytest.mark.parametrize(
    "value",
    [
        "run ```ls``` now",  # T08-02
        "```json\n{}\n```",
        "she wrote <think>{}</think> on the wall",
        'brackets ] } { [ and "quotes" and \\ and \\" at the end \\',
        "it's None, True, NaN, // not a comment",
        "two\nlines, a\ttab, 小李在 A 公司工作，😀",
        "trailing, comma,]",
        "",
    ],
)
@pytest.mark.parametrize("around", ["{}", "```json\n{}\n```", "<think>hm ```</think> So: {} Done ```."])
def test_a_value_stays_as_it_was_written(value: str, around: str) -> None:
    wanted = {"facts": [{"fact": value}]}
    for ascii_only in (True, False):
        text = around.replace("{}", json.dumps(wanted, ensure_ascii=ascii_only))
        assert facts(text) == (wanted, [])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is empty"),
        (" \n", "is empty"),
        ("```json\n```", "no JSON object"),  # T08-02
        ("ok", "no JSON object"),  # T08-05
        ("{}", "empty object"),
        ("[]", "is a list"),
        ("[1, 2]", "is a list"),
        ("see [1]", "is a list"),
        ('{"facts": null}', "has other keys"),
        ('{"facts": {"fact": "x"}}', "has other keys"),
        ('{"facts": "none"}', "has other keys"),
        ('{"Facts": []}', "has other keys"),
        ("null", "no JSON object"),
        (json.dumps(SCHEMA), "repeats the schema"),
        (f"```json\n{json.dumps(SCHEMA, indent=1)}\n```", "repeats the schema"),
        ('{"facts": [{"fact": "Ann mo', "cut off"),
        ('{"facts": [', "cut off"),
        ('{"fa', "cut off"),
        ('<think>maybe {"facts": []}, but wait, there is', "no JSON object"),
        ('<think>{"facts": []}</think>', "no JSON object"),
        ('{"facts": []}</think>', "no JSON object"),
    ],
)
def test_what_is_no_answer_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(BadResponse, match=reason):
        facts(text)


def test_both_keys_are_needed() -> None:
    with pytest.raises(BadResponse, match="has other keys than those asked for"):
        read(ONE_TEXT, BOTH)
    assert read('{"facts": [], "entities": [], "more": 1}', BOTH)[0] == {"facts": [], "entities": [], "more": 1}


def test_a_bare_list_needs_a_key_and_objects() -> None:
    with pytest.raises(BadResponse, match="is a list"):
        read(json.dumps(ONE["facts"]), FACTS)
    with pytest.raises(BadResponse):
        facts('["Ann moved to Rome."]')


def test_an_object_comes_before_a_bare_list() -> None:
    assert facts(f'[{{"example": 1}}] {ONE_TEXT}') == (ONE, [])
    assert facts(json.dumps([{"facts": [{"fact": "a"}]}, {"facts": []}]))[0] == {"facts": [{"fact": "a"}]}


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('{"facts": [{"fact": "a"}, {"fact": "b', ["a"]),
        ('{"facts": [{"fact": "a"}, {"fact": "b"}', ["a", "b"]),
        ('{"facts": [{"fact": "a"}, {"fact": "b"},', ["a", "b"]),
        ('{"facts": [{"fact": "a"}, {"fact": "b"}]', ["a", "b"]),
        ('```json\n{"facts": [{"fact": "a"}, {"fact": "b", "aliases": ["x", "y"', ["a"]),
        ('{"facts": [{"fact": "a"}, {"fact": "b\\', ["a"]),
        ('{"facts": [{"fact": "a"}, {"fact": "b\\"', ["a"]),
        ('{"facts": [{"fact": "a"},\n```', ["a"]),
        ('[{"fact": "a"}, {"fact": "b", "valid_at": "20', ["a"]),
        ('{"result": {"facts": [{"fact": "a"}, {"fact"', ["a"]),
        ('[{"facts": [{"fact": "a"}, {"fact"', ["a"]),
        ("{'facts': [{'fact': 'a'}, {'fact': 'b], ", ["a"]),
    ],
)
def test_a_cut_answer_keeps_its_complete_items_and_says_so(text: str, kept: list[str]) -> None:
    found, warnings = facts(text)
    assert [item["fact"] for item in found["facts"]] == kept
    assert warnings == [CUT]


def test_a_cut_list_in_a_cut_item_does_not_pass_for_the_answer() -> None:
    with pytest.raises(BadResponse, match="cut off"):
        facts('{"facts": [{"fact": "a", "people": [{"name": "Ann"}], "fro')


def test_the_list_before_the_cut_one_stays_whole() -> None:
    text = '{"entities": [{"name": "Ann", "aliases": ["A"]}, {"name": "Bo"}], "facts": [{"fact": "a"}, {"fa'
    assert read(text, BOTH) == (
        {"entities": [{"name": "Ann", "aliases": ["A"]}, {"name": "Bo"}], "facts": [{"fact": "a"}]},
        [CUT],
    )
    with pytest.raises(BadResponse, match="cut off"):
        read('{"entities": [{"name": "Ann"}, {"na', BOTH)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'facts': [{'fact': 'a'}]}", "a"),
        ("{'facts': [{'fact': \"it's\"}]}", "it's"),
        ('{"facts": [{"fact": "a",},],}', "a"),
        ('{"facts": [{"fact": None}]}', None),
        ('{"facts": [{"fact": True}]}', True),
        ('{facts: [{fact: "a"}]}', "a"),
        ('{"facts": [{"fact": "a"}] // all\n}', "a"),
        ('{"facts": [{"fact": "a" "source": "Ann"}]}', "a"),
        ('{"facts": [{"fact": "she said "hi" twice"}]}', 'she said "hi" twice'),
        ("{“facts”: [{“fact”: “a”}]}", "a"),
        ("Sure:\n```python\n{'facts': [{'fact': 'a'}]}\n```\nThat's [all].", "a"),
    ],
)
def test_slips_are_repaired_and_told(text: str, value: object) -> None:
    found, warnings = facts(text)
    assert found["facts"][0]["fact"] == value
    assert warnings == [REPAIRED]


def test_a_lone_quote_in_a_sentence_loses_no_later_item() -> None:
    found, _ = facts('{"facts": [{"fact": "a 5" tall plant"}, {"fact": "b"}]}')
    assert [item["fact"] for item in found["facts"]][-1] == "b"
    assert len(found["facts"]) == 2


def test_what_json_cannot_say_or_a_file_cannot_hold_is_replaced() -> None:
    found, warnings = facts('{"facts": [{"a": NaN, "b": -Infinity, "c": 1e999, "d": "x\\ud83d", "e\\udc00": 1.5}]}')
    assert found == {"facts": [{"a": None, "b": None, "c": None, "d": "x\ufffd", "e\ufffd": 1.5}]}
    assert warnings == []


def test_a_line_break_inside_a_string_is_kept() -> None:
    assert facts('{"facts": [{"fact": "a\nb"}]}') == ({"facts": [{"fact": "a\nb"}]}, [])


def test_accept_decides_and_its_value_is_returned() -> None:
    answer = read('{"same": "no"} {"same": 3}', lambda found: found["same"] if isinstance(found["same"], int) else None)
    assert answer == (3, [])


@pytest.mark.parametrize(
    ("value", "found", "warned"),
    [
        (None, [], 0),
        ([], [], 0),
        (2, [2], 0),
        ([0, 0, 7, -3], [0], 3),  # T08-04
        (["3", "#2", "[0]", " 1 "], [3, 2, 0, 1], 0),
        ([3.0, 2.5, True, None, {"id": 1}, [0]], [3, 1], 4),
        (["0b3c4a1e-5d3e-5f0a-9a51-000000000001"], [1], 0),  # T08-06
        (["0b3c4a1e-5d3e-5f0a-9a51-00000000ffff"], [], 1),
        (["ann  LIVES in Rome."], [3], 0),
        (["Ann lives"], [], 1),
        (["twins"], [], 1),
        ("Ann lives in Rome.", [3], 0),
        ([3, "Ann lives in Rome."], [3], 1),
        ([10**30, "9" * 400, "x" * 400], [], 3),
        ({"id": 1, "why": "same"}, [], 1),
    ],
)
def test_only_ids_that_were_offered_count_and_the_rest_is_reported(value: object, found: list[int], warned: int) -> None:
    labels = [
        ("0b3c4a1e-5d3e-5f0a-9a51-000000000001", 1),
        ("Ann lives in Rome.", 3),
        ("twins", 1),
        ("Twins", 2),
        ("twins elsewhere", 99),
    ]
    numbers, warnings = ids(value, range(4), labels)
    assert (numbers, len(warnings)) == (found, warned)
    assert all(len(warning) < 120 for warning in warnings)


def test_a_label_of_another_list_is_never_a_row_of_this_one() -> None:
    assert ids(["Bo moved.", 12], {1, 2}, [("Bo moved.", 12)]) == ([], ["id 12 was not offered"] * 2)


WORDS = [
    "```",
    "```json\n",
    "<think>",
    "</think>",
    "facts",
    '"facts"',
    "[]",
    "null",
    "NaN",
    "True",
    '{"facts": [',
    '{"a": 1}',
    "]}",
]
PIECES = st.sampled_from([*"{}[]\"',:/\\1-\n é小“\ud800\x00", *WORDS])
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
PROSE = st.text(alphabet="abc é小.,:!?()\n", max_size=30)


@given(st.lists(PIECES | st.text(max_size=4), max_size=30).map("".join))
@example("[" * 5000)
@example('{"facts":' * 5000)
@example('{"facts": [' * 3000)
@example('{"' * 3000)
@example("<think>" * 3000)
@example('{"facts": [' + "9" * 5000 + "]}")
@example("{'facts': [{'a': '\\d'}]}")
def test_any_text_is_an_accepted_object_or_a_bad_response(text: str) -> None:
    try:
        found, warnings = facts(text)
    except BadResponse:
        return
    assert isinstance(found["facts"], list)
    assert set(warnings) <= {CUT, REPAIRED}
    json.dumps(found, ensure_ascii=False, allow_nan=False).encode()


@given(
    st.lists(st.dictionaries(st.text(max_size=6), JSON_VALUES, max_size=3), max_size=3),
    st.sampled_from(["", "```", "```json\n", "```JSON\n", "~~~\n"]),
    st.sampled_from(
        ["", '<think>{"facts": [0]} hm</think>', "<thinking>\n```\n[{}]\n```</thinking>\n", '{"facts": [0]} so</think>']
    ),
    PROSE,
    PROSE,
    st.sampled_from([None, 1]),
    st.booleans(),
)
def test_a_valid_object_comes_back_equal_from_any_wrapping(
    items: list[Any], fence: str, thought: str, before: str, after: str, indent: int | None, closed: bool
) -> None:
    wanted = {"facts": items}
    wrapped = f"{thought}{before}{fence}{json.dumps(wanted, ensure_ascii=False, indent=indent)}"
    text = f"{wrapped}\n{fence[:3] if closed else ''}{after}"
    assert facts(text) == (wanted, [])


ITEMS = st.fixed_dictionaries({"fact": st.text(max_size=8), "more": st.lists(st.text(max_size=4), max_size=2)})


@given(st.lists(ITEMS, min_size=1), st.data())
def test_a_cut_anywhere_keeps_a_prefix_of_the_items(items: list[Any], data: st.DataObject) -> None:
    text = json.dumps({"facts": items})
    cut = text[: data.draw(st.integers(0, len(text) - 1))]
    try:
        found, warnings = facts(cut)
    except BadResponse:
        return
    assert found["facts"] == items[: len(found["facts"])]
    assert warnings == [CUT]
