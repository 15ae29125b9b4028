"""Time expressions: what words cover, how finely, and what is not a date."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tkgmem.temporal.period import to_datetime
from tkgmem.temporal.timex import TimeExpression, find

BEIJING = dt.timezone(dt.timedelta(hours=8))
WEDNESDAY = dt.datetime(2025, 10, 15, 0, 30, tzinfo=BEIJING)


def day(micros: int | None) -> str:
    return "" if micros is None else to_datetime(micros).astimezone(BEIJING).date().isoformat()


def shown(found: TimeExpression) -> tuple[str, str, str, str]:
    return day(found.period.start), day(found.period.end), found.precision, found.role


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on 2020-02-03", ("2020-02-03", "2020-02-04", "day", "point")),
        ("during 2020-02", ("2020-02-01", "2020-03-01", "month", "point")),
        ("on 3 February 2020", ("2020-02-03", "2020-02-04", "day", "point")),
        ("on Feb 3, 2020", ("2020-02-03", "2020-02-04", "day", "point")),
        ("in Oct 2018", ("2018-10-01", "2018-11-01", "month", "point")),
        ("on January 13th", ("2025-01-13", "2025-01-14", "day", "point")),
        ("back in 2012", ("2012-01-01", "2013-01-01", "year", "point")),
        ("in December", ("2024-12-01", "2025-01-01", "month", "point")),
        ("yesterday", ("2025-10-14", "2025-10-15", "day", "point")),
        ("the day before yesterday", ("2025-10-13", "2025-10-14", "day", "point")),
        ("two weeks ago", ("2025-10-01", "2025-10-02", "day", "point")),
        ("3 months ago", ("2025-07-01", "2025-08-01", "month", "point")),
        ("a year ago", ("2024-01-01", "2025-01-01", "year", "point")),
        ("last month", ("2025-09-01", "2025-10-01", "month", "point")),
        ("last March", ("2025-03-01", "2025-04-01", "month", "point")),
        ("last November", ("2024-11-01", "2024-12-01", "month", "point")),
        ("this January", ("2025-01-01", "2025-02-01", "month", "point")),
        ("next year", ("2026-01-01", "2027-01-01", "year", "point")),
        ("last week", ("2025-10-06", "2025-10-13", "day", "point")),
        ("on Monday", ("2025-10-13", "2025-10-14", "day", "point")),
        ("next Tuesday", ("2025-10-21", "2025-10-22", "day", "point")),
        ("Q3 2026", ("2026-07-01", "2026-10-01", "month", "point")),
        ("since June", ("2025-06-01", "", "month", "since")),
        ("from 2020 onwards", ("2020-01-01", "", "year", "since")),
        ("until May 2024", ("", "2024-06-01", "month", "until")),
        ("before May 2024", ("", "2024-05-01", "month", "until")),
        ("after May 2024", ("2024-06-01", "", "month", "since")),
        ("2011 to 2013", ("2011-01-01", "2014-01-01", "year", "range")),
        ("2011–2013", ("2011-01-01", "2014-01-01", "year", "range")),
        ("between May 2019 and June 2020", ("2019-05-01", "2020-07-01", "month", "range")),
        ("from March to May 2020", ("2020-03-01", "2020-06-01", "month", "range")),
        ("2021年9月", ("2021-09-01", "2021-10-01", "month", "point")),
        ("２０２１年９月", ("2021-09-01", "2021-10-01", "month", "point")),
        ("二〇二一年三月五日", ("2021-03-05", "2021-03-06", "day", "point")),
        ("2012年", ("2012-01-01", "2013-01-01", "year", "point")),
        ("4月18号", ("2025-04-18", "2025-04-19", "day", "point")),
        ("12月", ("2024-12-01", "2025-01-01", "month", "point")),
        ("去年3月", ("2024-03-01", "2024-04-01", "month", "point")),
        ("前天", ("2025-10-13", "2025-10-14", "day", "point")),
        ("明年", ("2026-01-01", "2027-01-01", "year", "point")),
        ("上个月", ("2025-09-01", "2025-10-01", "month", "point")),
        ("两周前", ("2025-10-01", "2025-10-02", "day", "point")),
        ("十五天前", ("2025-09-30", "2025-10-01", "day", "point")),
        ("三年前", ("2022-01-01", "2023-01-01", "year", "point")),
        ("下周一", ("2025-10-20", "2025-10-21", "day", "point")),
        ("上周五", ("2025-10-10", "2025-10-11", "day", "point")),
        ("今年1月起", ("2025-01-01", "", "month", "since")),
        ("自2020年3月以来", ("2020-03-01", "", "month", "since")),
        ("直到2024年5月", ("", "2024-06-01", "month", "until")),
        ("从2018年3月到5月", ("2018-03-01", "2018-06-01", "month", "range")),
    ],
)
def test_words_cover_the_stated_units(text: str, expected: tuple[str, str, str, str]) -> None:
    assert [shown(found) for found in find(text, WEDNESDAY)] == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "I walked 2000 steps",
        "in 2000 steps",
        "room 1984",
        "it costs 2010",
        "30 February 2020",
        "2020-02-30",
        "2020-13-01",
        "2月30日",
        "0000-00-00",
        "10000-01-01",
        "I may go, and April will march on",
        "every Friday",
        "Fridays are fine",
        "周一鸣来了",
        "last year's model",
        "in two weeks",
        "",
    ],
)
def test_what_is_not_a_date_gives_nothing(text: str) -> None:
    assert find(text, WEDNESDAY) == []


@pytest.mark.parametrize(
    ("reference", "text", "expected"),
    [
        ("2026-01-31T12:00:00+00:00", "Monday", "2026-02-02"),
        ("2026-04-30T12:00:00+00:00", "Friday", "2026-05-01"),
        ("2025-10-07T12:00:00+00:00", "in January", "2026-01-01"),
        ("2025-10-07T12:00:00+00:00", "on 3 March", "2026-03-03"),
        ("2024-12-31T12:00:00+00:00", "tomorrow", "2025-01-01"),
        ("2024-01-31T12:00:00+00:00", "next month", "2024-02-01"),
        ("2025-10-07T12:00:00+00:00", "in two weeks", "2025-10-21"),
        ("2024-03-01T12:00:00+00:00", "on 29 February", "2028-02-29"),
    ],
)
def test_a_plan_looks_ahead(reference: str, text: str, expected: str) -> None:
    [found] = find(text, dt.datetime.fromisoformat(reference), prefer="future")
    assert found.period.start is not None
    assert to_datetime(found.period.start).date().isoformat() == expected


def test_relative_words_resolve_in_the_calendar_of_the_references_own_offset() -> None:
    evening = dt.datetime.fromisoformat("2026-06-07T23:30:00-05:00")
    [found] = find("today", evening)
    assert to_datetime(found.period.start or 0) == dt.datetime(2026, 6, 7, 5, tzinfo=dt.UTC)


def test_a_timestamp_keeps_its_offset_and_its_time() -> None:
    [found] = find("at 2026-05-17T09:30:00+02:00", WEDNESDAY)
    assert (found.precision, found.role) == ("time", "point")
    assert to_datetime(found.period.start or 0) == dt.datetime(2026, 5, 17, 7, 30, tzinfo=dt.UTC)


def test_a_range_may_end_more_finely_than_it_began() -> None:
    [found] = find("from 2018 to May 2020", WEDNESDAY)
    assert (found.precision, found.end_precision, day(found.period.end)) == ("year", "month", "2020-06-01")


def test_several_expressions_come_in_order_without_overlap() -> None:
    found = find("joined in 2015, left on 3 May 2018, 2021年回来", WEDNESDAY)
    assert [item.text for item in found] == ["2015", "3 May 2018", "2021年"]


@pytest.mark.parametrize("year", [1, 9999])
def test_the_edges_of_the_calendar_give_no_error(year: int) -> None:
    reference = dt.datetime(year, 1 if year == 1 else 12, 1 if year == 1 else 31, tzinfo=BEIJING)
    for text in ("yesterday", "tomorrow", "last year", "next year", "3 years ago", "下周一", "前年", "2月29日", "next week"):
        for found in find(text, reference, prefer="future"):
            assert found.text


PIECES = [
    "in ",
    "on ",
    "since ",
    "2012",
    " to ",
    "May ",
    "3 ",
    "三月",
    "年",
    "月",
    "号",
    "去",
    "上周",
    "-",
    "२०",
    "²",
    "\x00",
    "\ud800",
    "前",
]


@given(
    st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=12).map("".join)),
    st.sampled_from(["past", "future"]),
)
@example("百十零年前", "past")
def test_any_text_gives_expressions_that_slice_back(text: str, prefer: str) -> None:
    position = 0
    for found in find(text, WEDNESDAY, prefer=prefer):  # type: ignore[arg-type]
        assert position <= found.start < found.end <= len(text)
        assert text[found.start : found.end] == found.text
        position = found.end


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["a ", "我", "in ", "((((", "1", "2012-", "May ", "三", "from May 2012 to "])
def test_a_long_monotonous_text_is_read_to_its_end(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    assert all(text[found.start : found.end] == found.text for found in find(text, WEDNESDAY))
