"""The time that a question speaks of, and the events it is placed by."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tkgmem.search.query_time import Anchor, anchor, read
from tkgmem.temporal.period import show, to_micros

ASKED = dt.datetime(2026, 7, 15, 10, 30, tzinfo=dt.UTC)  # a Wednesday


def ranges(query: str, asked: dt.datetime = ASKED, **options: str) -> str | None:
    """The ranges as text, "2025-01-01/2026-01-01", several in order, None where nothing is read."""
    said = read(query, asked, **options)  # type: ignore[arg-type]
    return said and " ".join(f"{show(start)}/{show(end)}".replace("unknown", "..") for start, end in said.ranges)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("What did I buy last year?", "2025-01-01/2026-01-01"),
        ("Where did she work in 2023?", "2023-01-01/2024-01-01"),
        ("Who came to dinner on May 8th?", "2026-05-08/2026-05-09"),
        ("What did we plan in early September?", "2025-09-01/2025-09-16"),
        ("Where did he live between 2019 and 2021?", "2019-01-01/2022-01-01"),
        ("Which books have I read since March?", "2026-03-01/.."),
        ("Where did Ana live until 2022?", "../2023-01-01"),
        ("Where did Ana live before 2020?", "../2020-01-01"),
        ("What happened after last June?", "2026-07-01/.."),
        ("Where were we in the summer of 2024?", "2024-06-01/2024-09-01"),
        ("Whom did I call yesterday?", "2026-07-14/2026-07-15"),
        ("What time did I reach the clinic on Monday?", "2026-07-13/2026-07-14"),
        ("What music did he like in the 1990s?", "1990-01-01/2000-01-01"),
        ("How much did I spend since the start of the year?", "2026-01-01/.."),
        ("他去年6月住在哪里？", "2025-06-01/2025-07-01"),
        ("2023年他在哪家公司？", "2023-01-01/2024-01-01"),
        ("三月到五月她学了什么？", "2026-03-01/2026-06-01"),
        ("上周谁来过？", "2026-07-06/2026-07-13"),
        ("2020年之前他住哪里？", "../2020-01-01"),
        ("2020年以来他换过几次工作？", "2020-01-01/.."),
        ("三月之后他搬家了吗？", "2026-04-01/.."),
        ("今年年初他在做什么？", "2026-01-01/2026-03-01"),
        ("What is due next week?", "2026-07-20/2026-07-27"),
        ("Which cake did we bake at Easter?", "2026-04-04/2026-04-13"),
        ("What did he want to see during the summer vacation of 2025?", "2025-01-01/2026-01-01"),
        ("国庆我们去了哪里？", "2025-09-30/2025-10-09"),
        ("陆叔在2025-08-27，去了哪里？", "2025-08-27/2025-08-28"),
    ],
)
def test_a_date_in_a_question_is_a_range(query: str, expected: str) -> None:
    assert ranges(query) == expected


@pytest.mark.parametrize(
    "query",
    [
        "Where does she live now?",
        "What is he currently reading?",
        "What should I cook today?",
        "What did I cook today?",
        "Whom did she call this morning?",
        "What can I watch tonight?",
        "他现在住在哪里？",
        "目前谁是经理？",
        "今天吃什么？",
    ],
)
def test_now_is_no_range(query: str) -> None:
    assert ranges(query) is None


def test_now_beside_a_date_adds_nothing() -> None:
    assert ranges("What did I cook yesterday and today?") == "2026-07-14/2026-07-15"


@pytest.mark.parametrize(
    "query",
    ["When did she move to Lisbon?", "What year did he graduate?", "How many days ago did I meet Emma?", "她什么时候搬的家？"],
)
def test_a_question_that_asks_for_a_time_speaks_of_none(query: str) -> None:
    assert ranges(query) is None


@pytest.mark.parametrize(
    "query",
    [
        "Do I still own Windows 2000?",
        "Where is my Form 1040?",
        "Who bought the iPhone 15?",
        "Which site has 2,000 users?",
        "Does the 20 minutes walk suit her?",
        "Who is 20 years old?",
        "Which car was the 2019 Toyota?",
        "Who won the 2022 World Cup?",
        "What does the 2023 report say?",
        "What was in the 2023 annual report?",
        "What do we bake at Easter?",
        "Which photo is from December 1,2023?",
        "Which December photo is mine?",
        "Which flat of 2000 square feet did I see?",
        'Who sold the 1980s "Coconut" bottle?',
        "What did April say to May?",
        "Did I read the March 15th issue?",
        "Who was at the Sunday mass?",
        "Which plan is for 2027?",
        "Is the shop open 24/7?",
        "What do I do every Monday?",
        "What do I usually do on Sunday?",
        "What happened at 5pm?",
        "她住在3号楼吗？",
        "他上三年级吗？",
        "中秋月饼是谁送的？",
        "她筹备国庆时找了谁？",
        "他去健身房一月两次吗？",
        "去年和前年他在哪里？",
        "周一到周五我几点起床？",
        "收到第一季度奖金的是谁？",
    ],
)
def test_names_counts_and_habits_are_no_dates(query: str) -> None:
    assert ranges(query) is None


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("What did I do on June 3rd, 5th and 8th?", "2026-06-03/2026-06-04 2026-06-05/2026-06-06 2026-06-08/2026-06-09"),
        ("What did I do on the 3rd and 5th of June?", "2026-06-03/2026-06-04 2026-06-05/2026-06-06"),
        ("Where was I in 2019, 2021 and 2023?", "2019-01-01/2020-01-01 2021-01-01/2022-01-01 2023-01-01/2024-01-01"),
        ("Where was I in May, June and July?", "2026-05-01/2026-06-01 2026-06-01/2026-07-01 2026-07-01/2026-08-01"),
        ("2019、2020年他在哪里？", "2019-01-01/2020-01-01 2020-01-01/2021-01-01"),
    ],
)
def test_every_member_of_a_list_is_read(query: str, expected: str) -> None:
    assert ranges(query) == expected


def test_the_hull_of_several_ranges_and_their_words() -> None:
    query = "What did I do in May and in early June?"
    said = read(query, ASKED)
    assert said is not None
    assert (show(said.valid_at), show(said.valid_until)) == ("2026-05-01", "2026-06-16")
    assert said.words == "May; early June"
    assert [query[start:end] for start, end in said.spans] == ["May", "early June"]


def test_a_since_and_a_before_are_one_range() -> None:
    assert ranges("Where did she live after June 2023 but before May 2024?") == "2023-07-01/2024-05-01"


def test_an_open_side_has_no_bound_in_the_hull() -> None:
    said = read("What has she read since 2020?", ASKED)
    assert said is not None
    assert (said.valid_at, said.valid_until) == (to_micros(dt.datetime(2020, 1, 1, tzinfo=dt.UTC)), None)


def test_a_month_takes_the_year_named_beside_it() -> None:
    assert ranges("What films came in September and October 2024?") == "2024-09-01/2024-10-01 2024-10-01/2024-11-01"


def test_what_a_date_without_a_year_means_is_the_callers_choice() -> None:
    assert ranges("What is planned in October?") == "2025-10-01/2025-11-01"
    assert ranges("What is planned in October?", prefer="future") == "2026-10-01/2026-11-01"


def test_dates_are_those_of_the_calendar_of_the_one_who_asks() -> None:
    asked = dt.datetime(2026, 7, 15, 1, tzinfo=dt.timezone(dt.timedelta(hours=8)))
    assert ranges("Whom did I call yesterday?", asked) == "2026-07-13T16:00:00Z/2026-07-14T16:00:00Z"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("How many jobs has he had by 2022?", "../2023-01-01"),
        ("Where did he work as of May 2022?", "2022-05-01/2022-06-01"),
        ("Where did he live around 2010?", "2009-07-02T12:00:00Z/2011-07-02T12:00:00Z"),
        ("What did I do two weeks ago?", "2026-06-28/2026-07-05"),
        ("What did I bake in the past two weeks?", "2026-07-01/2026-07-16"),
        ("Who came on the Sunday before May 10, 2026?", "2026-05-02/2026-05-10"),
        ("去年春节谁来了？", "2025-01-28/2025-02-06"),
        ("她在2月下旬开始学什么？", "2026-02-21/2026-03-01"),
        ("他谈到2023年的什么？", "2023-01-01/2024-01-01"),
    ],
)
def test_a_range_is_as_wide_as_the_question_means(query: str, expected: str) -> None:
    assert ranges(query) == expected


def test_what_is_counted_from_another_date_reaches_on_from_it() -> None:
    assert ranges("What did I do on June 3rd and during the following week?") == "2026-06-03/2026-06-16"
    assert ranges("What did he do two days after the wedding, or the following week?") is None
    assert ranges("What did she do last weekend before April 10, 2026?") is None


def test_a_long_text_is_a_document_and_not_a_question() -> None:
    assert read("We met in May 2023. " * 60, ASKED) is None
    assert anchor("Where was she before she moved to Rome? " * 60) is None
    assert read(", ".join(f"{year}-01-02" for year in range(1960, 2020)), ASKED) is None


@given(st.text(max_size=80) | st.text("0123456789年月日/-周前後后去今上 ,到、", max_size=40))
def test_any_text_is_a_question(text: str) -> None:
    said = read(text, ASKED)
    if said is not None:
        assert said.ranges
        assert all(start is None or end is None or start < end for start, end in said.ranges)
    anchor(text)


@pytest.mark.parametrize(
    ("query", "relation", "clause", "rest"),
    [
        ("Where did Ana live before she moved to Lisbon?", "before", "she moved to Lisbon", "Where did Ana live?"),
        ("Before she moved to Lisbon, where did Ana live?", "before", "she moved to Lisbon", "where did Ana live?"),
        ("What did Bob do after he joined Contoso?", "after", "he joined Contoso", "What did Bob do?"),
        ("When Ana lived in Porto, where did she work?", "during", "Ana lived in Porto", "where did she work?"),
        ("While I was living in Porto what car did I drive?", "during", "I was living in Porto", "what car did I drive?"),
        ("What has she done since she left Contoso?", "since", "she left Contoso", "What has she done?"),
        ("Who was my boss until my sister quit Acme?", "until", "my sister quit Acme", "Who was my boss?"),
        ("在他搬家之前，他住在哪里？", "before", "他搬家", "他住在哪里？"),
        ("小李在加入B公司之前住在哪里？", "before", "小李加入B公司", "小李住在哪里？"),
        ("加入B公司之后，小李做什么？", "after", "加入B公司", "小李做什么？"),
        ("小李住在波尔图的时候在哪里上班？", "during", "小李住在波尔图", "在哪里上班？"),
        ("自从搬到北京以来，他的老板是谁？", "since", "搬到北京", "他的老板是谁？"),
    ],
)
def test_an_event_places_a_question(query: str, relation: str, clause: str, rest: str) -> None:
    found = anchor(query)
    assert found is not None
    assert (found.relation, found.clause, found.rest) == (relation, clause, rest)
    assert found.words in query


@pytest.mark.parametrize(
    "query",
    [
        "When did she move to Lisbon?",
        "Do you remember when she moved to Lisbon?",
        "What do I drink before lunch?",
        "After all, where does he live?",
        "What did they find before long?",
        "Since I like tea, what should I drink?",
        "Since I loved Dune, what should I read?",
        "What do I do when I feel sad?",
        "When I asked about hotels, what did you recommend?",
        "What did he like when he was younger?",
        "How long after she moved did she find a job?",
        "Where was she two weeks before she moved?",
        "Did I call before or after she moved?",
        "她什么时候搬到里斯本的？",
        "到目前为止，他住在哪里？",
        "2020年之前他住哪里？",
        "午休时，他吃了什么？",
        "他搬到上海是在结婚之前还是之后？",
        "她去上海是在完成哪个项目之后？",
        "他加入哪家公司之后搬到北京？",
    ],
)
def test_no_event_places_these(query: str) -> None:
    assert anchor(query) is None


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Where was he before he joined Contoso?", (None, 100)),
        ("Where was he after he joined Contoso?", (100, None)),
        ("Where was he before he left Contoso?", (None, 200)),
        ("Where was he after he left Contoso?", (200, None)),
        ("Where was he after he moved out of Porto?", (200, None)),
        ("Where was he after he worked at Contoso?", (200, None)),
        ("Where was he before he worked at Contoso?", (None, 100)),
        ("Where was he when he worked at Contoso?", (100, 200)),
        ("他从B公司离职之后去了哪里？", (200, None)),
        ("他加入B公司之后做什么？", (100, None)),
    ],
)
def test_the_range_of_an_event_is_from_the_period_of_its_fact(query: str, expected: tuple[int | None, int | None]) -> None:
    found = anchor(query)
    assert found is not None
    assert found.range(100, 200) == expected


def test_an_unknown_bound_gives_no_range() -> None:
    assert Anchor("before", "she moved", "start", "", "").range(None, 200) is None
    assert Anchor("after", "she left", "end", "", "").range(100, None) is None
    assert Anchor("during", "she lived", "start", "", "").range(None, None) is None
    assert Anchor("during", "she lived", "start", "", "").range(None, 200) == (None, 200)
