"""Facts without a model: relatives, aliases, turns of talk, chains and asides."""

from __future__ import annotations

import datetime as dt

import pytest
from test_extract_rules import told

from tkgmem.ingest.extract_rules import extract

TOLD = dt.datetime(2026, 10, 10, 9, 0, tzinfo=dt.timezone(dt.timedelta(hours=8)))


def triples(text: str, *, speaker: str | None = "Robin") -> list[tuple[str | None, ...]]:
    """(source, relation, target) of every fact."""
    return [fact[1:4] for fact in told(text, speaker=speaker)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Robert Hale, also known as Bob, lives in Hull.", ("Robert Hale", "Bob")),
        ("Li Ming (李明) works at Tarn Labs.", ("Li Ming", "李明")),
        ("Maximilian Orr goes by Max.", ("Maximilian Orr", "Max")),
        ("Heliotrope Systems, formerly Sunflower Software, is based in Reading.", ("Heliotrope Systems", "Sunflower Software")),
        ("My friends call me Rob.", ("Robin", "Rob")),
        ("Novatrix was formerly called Dentrix.", ("Novatrix", "Dentrix")),
        ("李明（Li Ming）住在杭州。", ("李明", "Li Ming")),
        ("李知微小名豆豆。", ("李知微", "豆豆")),
        ("我的英文名是Judy。", ("Robin", "Judy")),
        ("长江智能科技有限公司简称长智科技。", ("长江智能科技有限公司", "长智科技")),
        ("星河计划（原名月光计划）隶属于深空研究院。", ("星河计划", "月光计划")),
        ("同事们都叫蔡明远老蔡。", ("蔡明远", "老蔡")),
    ],
)
def test_an_alias_is_a_fact_about_its_bearer(text: str, expected: tuple[str, str]) -> None:
    source, target = expected
    assert (source, "ALSO_KNOWN_AS", target) in triples(text)


def test_a_bare_relative_is_the_one_named_before() -> None:
    text = "My sister Ana just got back. We had dinner. My sister lives in Porto now."
    assert triples(text) == [("Robin", "SIBLING_OF", "Ana"), ("Ana", "LIVES_IN", "Porto")]


def test_two_sisters_leave_a_bare_one_unclear() -> None:
    text = "My sister Ana called. My sister Bea called too. My sister lives in Porto."
    assert triples(text) == [("Robin", "SIBLING_OF", "Ana"), ("Robin", "SIBLING_OF", "Bea")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I went hiking with my husband Tom.", [("Robin", "MARRIED_TO", "Tom")]),
        ("Lena Koch lives in Bonn with her two cats, Pip and Moss.", ["Bonn", "Pip", "Moss"]),
        ("My husband Tom and I live in Ghent.", ["Tom", "Ghent", "Ghent"]),
        ("Hugh Bell and his wife Ines live in Porto.", ["Ines", "Porto", "Porto"]),
        ("I have two sons, Max and Eli.", ["Max", "Eli"]),
        ("Una Bright has a rabbit. Her name is Thistle.", ["rabbit", "Thistle"]),
        ("我有一个女儿，叫糖糖。", ["糖糖"]),
        ("我养了两条狗，一条叫黑豆，一条叫红豆。", ["狗", "黑豆", "红豆"]),
        ("涂雅是涂红的妹妹。", [("涂红", "SIBLING_OF", "涂雅")]),
    ],
)
def test_relatives_and_pets_are_named_anywhere(text: str, expected: list[object]) -> None:
    found = triples(text)
    assert [fact if isinstance(want, tuple) else fact[2] for fact, want in zip(found, expected, strict=True)] == expected


@pytest.mark.parametrize(
    "text",
    [
        "My dog died last spring.",
        "I met a dog walker and my cat sitter.",
        "My old boss Ana called.",
        "Something rich and balanced, like coffee from Huila.",
        "I bought it from a shop for next week.",
        "I love the song and love theme.",
        "Quick Notes: I live in Porto.",
        "I passed my driving test.",
        "感谢使用微信支付。",
        "我开车去公司了。",
        "我要向钱总汇报。",
        "听同事讲，申小豹要跳槽去雷鸟汽车。",
    ],
)
def test_a_likeness_of_a_fact_is_none(text: str) -> None:
    assert triples(text) == []


def test_a_line_of_talk_is_its_speakers() -> None:
    text = "Me: I live in Porto.\nAna Reyes: I live in Oslo.\nUpdate: I moved to Faro."
    assert triples(text) == [("Robin", "LIVES_IN", "Porto"), ("Robin", "LIVES_IN", "Faro")]
    assert triples("李明：我住在苏州。\n【王雪】我住在无锡。") == [("李明", "LIVES_IN", "苏州"), ("王雪", "LIVES_IN", "无锡")]
    assert triples("李明：我住在苏州。", speaker=None) == []


def test_a_chain_of_jobs_is_no_chain_of_homes() -> None:
    text = "Mina Sorrel started at Pinnacle Print in 2011, moved to Larkfield Media in 2016 and joined Quillhouse in 2021."
    assert [fact[2:5:2] for fact in told(text)] == [("WORKS_AT", "2011"), ("WORKS_AT", "2016"), ("WORKS_AT", "2021")]
    text = "严冬2015年进了天工机械公司，2018年跳槽到海纳软件，2022年又去了星图导航。"
    assert [fact[2:5:2] for fact in told(text)] == [("WORKS_AT", "2015"), ("WORKS_AT", "2018"), ("WORKS_AT", "2022")]


def test_a_date_that_belongs_to_something_else_dates_nothing() -> None:
    assert told("Bram Teller owns a 1972 Saab.") == [("assert", "Bram Teller", "OWNS", "1972 Saab", None, None)]
    assert told("I bought apples for next week.", speaker="Robin")[0][4] is None
    assert told("My brother Anton moved to Gdansk in 2019.", speaker="Robin")[0] == (
        *("assert", "Robin", "SIBLING_OF", "Anton"),
        *(None, None),
    )


def test_both_sides_of_a_swap_are_told() -> None:
    assert [fact[:4] for fact in told("I've replaced Budgetly with Coinbook.", speaker="Robin")] == [
        ("end", "Robin", "USES", "Budgetly"),
        ("assert", "Robin", "USES", "Coinbook"),
    ]
    assert [fact[:4] for fact in told("我不用小纸条了，现在用轻记事。", speaker="Robin")] == [
        ("end", "Robin", "USES", "小纸条"),
        ("assert", "Robin", "USES", "轻记事"),
    ]


def test_a_long_list_of_relatives_is_read_in_time_and_once() -> None:
    text = "My sister Ana called. " * 2_000
    assert len(extract(text, reference_time=TOLD, speaker="Robin")) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I moved from Notely to Scribbly.", []),
        ("I moved to Lisbon.", [("Robin", "LIVES_IN", "Lisbon")]),
        ("I moved from Notely to Scribbly for my notes.", [("Robin", "USES", "Notely"), ("Robin", "USES", "Scribbly")]),
        (
            "The design team moved from Figjam to Penpot.",
            [("design team", "USES", "Figjam"), ("design team", "USES", "Penpot")],
        ),
        (
            "We moved from Elmswell to Barrowby with the kids.",
            [("Robin", "LIVES_IN", "Elmswell"), ("Robin", "LIVES_IN", "Barrowby")],
        ),
        ("Una Lind moved from Falun, Sweden to Tarn.", [("Una Lind", "LIVES_IN", "Falun"), ("Una Lind", "LIVES_IN", "Tarn")]),
    ],
)
def test_a_move_between_unknown_names_is_told_apart_by_its_words(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert triples(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I love action and sci-fi movies.", ["sci-fi movies"]),
        ("I like to collect jerseys.", ["collecting jerseys"]),
        ("I love tea and rainy mornings.", ["tea", "rainy mornings"]),
        ("I love seeing my teammates succeed.", []),
        ("I enjoy chess, baking and curling up on the sofa with a good book.", ["chess", "baking"]),
    ],
)
def test_what_is_liked_is_whole_and_short(text: str, expected: list[str]) -> None:
    assert triples(text) == [("Robin", "LIKES", target) for target in expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Ana Reyes, our lead at Northwind, lives in Porto.",
            {("Ana Reyes", "WORKS_AT", "Northwind"), ("Ana Reyes", "LIVES_IN", "Porto")},
        ),
        ("Born in Cusco, Inti Roca lives in Lima.", {("Inti Roca", "BORN_IN", "Cusco"), ("Inti Roca", "LIVES_IN", "Lima")}),
        (
            "I'm a nurse, born in Trieste, living in Cardiff.",
            {("Robin", "HAS_ROLE", "nurse"), ("Robin", "BORN_IN", "Trieste"), ("Robin", "LIVES_IN", "Cardiff")},
        ),
        ("Sold the caravan in April.", {("Robin", "OWNS", "caravan")}),
        (
            "Ana Reyes — data analyst at Northwind.",
            {("Ana Reyes", "HAS_ROLE", "data analyst"), ("Ana Reyes", "WORKS_AT", "Northwind")},
        ),
        ("T-410 in progress (Anne).", {("T-410", "HAS_STATUS", "in progress"), ("T-410", "ASSIGNED_TO", "Anne")}),
        (
            'Penelope "Nell" Ashe lives in Hull.',
            {("Penelope Ashe", "ALSO_KNOWN_AS", "Nell"), ("Penelope Ashe", "LIVES_IN", "Hull")},
        ),
    ],
)
def test_asides_notes_and_fronted_predicates_are_read(text: str, expected: set[tuple[str, str, str]]) -> None:
    assert expected <= set(triples(text))


@pytest.mark.parametrize(
    "text",
    [
        "The Global Policy Evolution and Trends Report has been released.",
        "Joining a church can be really encouraging.",
        "I'm going to the supermarket.",
        "After leaving Tarn Labs in 2010, it rained.",
        "Nobody says she works at Acme, where she manages the office.",
    ],
)
def test_a_fragment_of_a_sentence_gives_no_fact(text: str) -> None:
    assert triples(text) == []
