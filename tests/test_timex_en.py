"""English time expressions: what each kind covers, in which direction, and what only looks like a date."""

from __future__ import annotations

import datetime as dt
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tkgmem.temporal.period import show
from tkgmem.temporal.timex import Prefer, TimeExpression, find
from tkgmem.temporal.timex.holidays import easter

# A Wednesday.
TOLD = dt.datetime(2025, 10, 15, 16, 30, tzinfo=dt.UTC)


def read(text: str, prefer: Prefer = "past", told: dt.datetime = TOLD) -> list[tuple[str | None, str | None]]:
    return [bounds(found) for found in find(text, told, prefer=prefer)]


def bounds(found: TimeExpression) -> tuple[str | None, str | None]:
    start, end = found.period.start, found.period.end
    return None if start is None else show(start), None if end is None else show(end)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        # days and months in figures and in words
        ("on 3/4/2020", "2020-03-04", "2020-03-05"),
        ("on 25/4/2020", "2020-04-25", "2020-04-26"),
        ("on 31.3.2020", "2020-03-31", "2020-04-01"),
        ("on 23/Sep/2020", "2020-09-23", "2020-09-24"),
        ("backup 20170302 exists", "2017-03-02", "2017-03-03"),
        ("the 3rd of March 2020", "2020-03-03", "2020-03-04"),
        ("Dec. 31, 1994", "1994-12-31", "1995-01-01"),
        ("May twenty-nine", "2025-05-29", "2025-05-30"),
        ("on the fifteenth of August nineteen ninety three", "1993-08-15", "1993-08-16"),
        ("April of '87", "1987-04-01", "1987-05-01"),
        ("October last year", "2024-10-01", "2024-11-01"),
        # weekdays
        ("last Monday", "2025-10-06", "2025-10-07"),
        ("this past Monday", "2025-10-13", "2025-10-14"),
        ("on Tue May 13", "2025-05-13", "2025-05-14"),
        ("on May 17th (Saturday)", "2025-05-17", "2025-05-18"),
        ("Friday the 10th", "2025-10-10", "2025-10-11"),
        ("Tuesday of next week", "2025-10-21", "2025-10-22"),
        ("the third Friday of June", "2025-06-20", "2025-06-21"),
        ("the last Monday in May 2020", "2020-05-25", "2020-05-26"),
        ("on the 4th", "2025-10-04", "2025-10-05"),
        # whole units, counted units
        ("the previous quarter", "2025-07-01", "2025-10-01"),
        ("last weekend", "2025-10-11", "2025-10-13"),
        ("over the weekend", "2025-10-11", "2025-10-13"),
        ("last summer", "2025-06-01", "2025-09-01"),
        ("in the fall of 2020", "2020-09-01", "2020-12-01"),
        ("Q3 2026", "2026-07-01", "2026-10-01"),
        ("2026-H2", "2026-07-01", "2027-01-01"),
        ("in the nineties", "1990-01-01", "2000-01-01"),
        ("in the 1980s", "1980-01-01", "1990-01-01"),
        ("in the 1800s", "1800-01-01", "1900-01-01"),
        ("in the past week", "2025-10-08", "2025-10-15"),
        ("in the 19th century", "1800-01-01", "1900-01-01"),
        ("in two thousand and five", "2005-01-01", "2006-01-01"),
        ("for the last 3 weeks", "2025-09-24", "2025-10-15"),
        ("for the past five years", "2020-10-15", "2025-10-15"),
        ("in the next 3 days", "2025-10-16", "2025-10-19"),
        ("within 5 days", "2025-10-15", "2025-10-20"),
        ("over the next 4 business days", "2025-10-16", "2025-10-22"),
        ("in the last 2 hours", "2025-10-15T14:30:00Z", "2025-10-15T16:30:00Z"),
        ("year to date", "2025-01-01", "2025-10-15"),
        ("2 weeks and 2 days ago", "2025-09-29", "2025-09-30"),
        ("a couple of weeks ago", "2025-10-01", "2025-10-02"),
        ("two days before yesterday", "2025-10-12", "2025-10-13"),
        ("3 weeks after March 1st, 2020", "2020-03-22", "2020-03-23"),
        ("5 days before Christmas 2020", "2020-12-20", "2020-12-21"),
        ("Monday two weeks from now", "2025-10-27", "2025-10-28"),
        ("Thursday, two years from now", "2027-10-21", "2027-10-22"),
        ("the day after Thanksgiving 2023", "2023-11-24", "2023-11-25"),
        ("the week before Christmas 2020", "2020-12-18", "2020-12-25"),
        ("the weekend before 15 May 2024", "2024-05-11", "2024-05-13"),
        ("the weekend after 15 May 2024", "2024-05-18", "2024-05-20"),
        ("two Fridays ago", "2025-10-03", "2025-10-04"),
        ("the 3rd of last month", "2025-09-03", "2025-09-04"),
        ("three quarters ago", "2025-01-01", "2025-04-01"),
        ("a week starting tomorrow", "2025-10-16", "2025-10-23"),
        # parts
        ("early May 2020", "2020-05-01", "2020-05-16"),
        ("mid-November 2020", "2020-11-10", "2020-11-21"),
        ("late 2019", "2019-09-01", "2020-01-01"),
        ("the end of this month", "2025-10-16", "2025-11-01"),
        ("the first half of 2020", "2020-01-01", "2020-07-01"),
        ("earlier this year", "2025-01-01", "2025-07-01"),
        ("later this week", "2025-10-16", "2025-10-20"),
        # weeks belong to the month or year of their Thursday
        ("in week 40", "2025-09-29", "2025-10-06"),
        ("the first week of 2015", "2014-12-29", "2015-01-05"),
        ("the last week of Dec 2016", "2016-12-26", "2017-01-02"),
        ("the week of April 10th", "2025-04-07", "2025-04-14"),
        ("the first ten days of last year", "2024-01-01", "2024-01-11"),
        ("next year's first quarter", "2026-01-01", "2026-04-01"),
        # holidays
        ("at Christmas", "2024-12-25", "2024-12-26"),
        ("Thanksgiving 2023", "2023-11-23", "2023-11-24"),
        ("on Easter Monday 2024", "2024-04-01", "2024-04-02"),
        ("since Labor Day", "2025-09-01", None),
        # times of day
        ("at 3pm yesterday", "2025-10-14T15:00:00Z", "2025-10-14T16:00:00Z"),
        ("tonight at 7:30", "2025-10-15T19:30:00Z", "2025-10-15T19:31:00Z"),
        ("noon on 3 May 2020", "2020-05-03T12:00:00Z", "2020-05-03T13:00:00Z"),
        ("yesterday at half past nine in the evening", "2025-10-14T21:30:00Z", "2025-10-14T21:31:00Z"),
        ("this morning", "2025-10-15T08:00:00Z", "2025-10-15T12:00:00Z"),
        ("last night", "2025-10-14T20:00:00Z", "2025-10-15"),
        ("last Monday from 9:30 to 3pm", "2025-10-06T09:30:00Z", "2025-10-06T15:00:00Z"),
        ("from 5 to 6pm on 22 April 2020", "2020-04-22T17:00:00Z", "2020-04-22T18:00:00Z"),
        ("on 3 May 2020 before 5pm", None, "2020-05-03T17:00:00Z"),
        ("on 3 May 2020 from 9am for 7 hours", "2020-05-03T09:00:00Z", "2020-05-03T16:00:00Z"),
        # ranges and open sides
        ("from the end of 2007 to the middle of March 2008", "2008-01-01", "2008-03-16"),
        ("from 9 to 12 June 2020", "2020-06-09", "2020-06-13"),
        ("November 18-19, 2020", "2020-11-18", "2020-11-20"),
        ("Nov-Feb 2017", "2016-11-01", "2017-03-01"),
        ("from October 2024 to last week", "2024-10-01", "2025-10-13"),
        ("in 2014 through 2018", "2014-01-01", "2019-01-01"),
        ("2018 or later", "2018-01-01", None),
        ("from May 2020 to the present", "2020-05-01", None),
        ("no later than 1 May 2020", None, "2020-05-02"),
        ("before the end of 2019", None, "2020-01-01"),
        ("since the end of 1989", "1989-09-01", None),
        ("more than 2 weeks after 1 May 2020", "2020-05-15", None),
    ],
)
def test_a_phrase_covers_what_it_says(text: str, start: str | None, end: str | None) -> None:
    assert read(text) == [(start, end)]


@pytest.mark.parametrize(
    "text",
    [
        "I may 3 times march in",
        "Mar the surface, then sat on it for a second",
        "The sun was out and we sat at 5 tables",
        "it costs $2010 or 2000.50",
        "version 1.2.10 and 3.11",
        "call 555-2010 or 020 7946 0958",
        "add 1/2 cup and 2/3 of the rest",
        "a score of 9/10",
        "10-10-10 fertilizer",
        "the file from_2019_x",
        "we walked in 5 minutes walk",
        "he ran it in 2 minutes",
        "3 weeks later they had left",
        "a few years ago",
        "Saturday mornings",
        "every Monday, Wednesday, and Friday",
        "the Christmas tree",
        "our Easter eggs",
        "the November Project",
        "Sunday Riley",
        "monday.com",
        "at the end of the day it is fine",
        "it feels like yesterday",
        "the early years of the union",
        "two hours before Friday",
        "more than 2000 people",
        "she is 20 years old",
        "32 May 2020",
        "31 April 2020",
    ],
)
@pytest.mark.parametrize("prefer", ["past", "same_year"])
def test_what_only_looks_like_a_date_gives_nothing(text: str, prefer: Prefer) -> None:
    assert read(text, prefer) == []


@pytest.mark.parametrize(
    ("told", "text", "expected"),
    [("2026-01-31", "Monday", "2026-02-02"), ("2026-04-30", "Friday", "2026-05-01"), ("2026-12-31", "Friday", "2027-01-01")],
)
def test_a_weekday_ahead_crosses_the_end_of_the_month(told: str, text: str, expected: str) -> None:
    [(start, _)] = read(text, "future", dt.datetime.fromisoformat(told).replace(tzinfo=dt.UTC))
    assert start == expected


@pytest.mark.parametrize(
    ("text", "past", "future", "same_year"),
    [
        ("in March", "2025-03-01", "2026-03-01", "2025-03-01"),
        ("in December", "2024-12-01", "2025-12-01", "2025-12-01"),
        ("on 20 October", "2024-10-20", "2025-10-20", "2025-10-20"),
        ("on Monday", "2025-10-13", "2025-10-20", "2025-10-13"),
        ("on Friday", "2025-10-10", "2025-10-17", "2025-10-17"),
        ("at Easter", "2025-04-20", "2026-04-05", "2025-04-20"),
        ("from November to March", "2024-11-01", "2025-11-01", "2025-11-01"),
        ("in the nineties", "1990-01-01", "1990-01-01", "1990-01-01"),
    ],
)
def test_what_names_no_year_follows_the_preference(text: str, past: str, future: str, same_year: str) -> None:
    assert [read(text, prefer)[0][0] for prefer in ("past", "future", "same_year")] == [past, future, same_year]


@pytest.mark.parametrize(
    ("text", "start"),
    [("in two weeks", "2025-10-29"), ("30 minutes later", "2025-10-15T17:00:00Z"), ("in a fortnight's time", "2025-10-29")],
)
def test_a_duration_is_a_date_only_where_the_text_looks_ahead(text: str, start: str) -> None:
    assert read(text, "past") == []
    assert read(text, "future")[0][0] == start


@pytest.mark.parametrize(
    ("text", "precision"),
    [
        ("late 2019", "year"),
        ("early May 2020", "month"),
        ("last week", "day"),
        ("three months ago", "month"),
        ("the past 3 years", "year"),
        ("in the summer of 2020", "month"),
        ("yesterday at 5pm", "time"),
    ],
)
def test_precision_is_no_finer_than_the_words(text: str, precision: str) -> None:
    assert [found.precision for found in find(text, TOLD)] == [precision]


def test_a_part_of_a_day_can_be_read_as_the_day() -> None:
    [found] = find("last night", TOLD, parts_of_day=False)
    assert (bounds(found), found.precision) == (("2025-10-14", "2025-10-15"), "day")
    [timed] = find("last night at 9", TOLD, parts_of_day=False)
    assert timed.precision == "time"


def test_days_that_share_a_month_are_each_found() -> None:
    assert read("on 18 and 19 June 2020") == [("2020-06-18", "2020-06-19"), ("2020-06-19", "2020-06-20")]


def test_a_state_that_lasts_until_now_has_no_end() -> None:
    assert read("from May 2020 until now") == [("2020-05-01", None)]
    assert read("between May 2020 and today") == [("2020-05-01", "2025-10-15T16:30:00Z")]


def test_a_range_tells_where_its_last_unit_begins() -> None:
    [named] = find("from 2011 to 2013", TOLD)
    [counted] = find("for the past 3 years", TOLD)
    assert (show(named.last), counted.last) == ("2013-01-01", None)


@pytest.mark.parametrize(
    ("year", "month", "day"), [(1818, 3, 22), (1943, 4, 25), (2000, 4, 23), (2024, 3, 31), (2038, 4, 25), (2285, 3, 22)]
)
def test_easter_at_its_earliest_and_latest(year: int, month: int, day: int) -> None:
    assert easter(year) == dt.date(year, month, day)


WORDS = re.findall(
    r"\S+",
    "the a in on of from to between and until since before after at by for within next last this first third two 3 "
    "12 31 2019 '87 s day week month year weekend quarter decade century ago later now today tomorrow tonight "
    "morning night noon pm : - / . , ' ( March May Dec mon Friday easter christmas summer early mid end half past "
    "couple twenty nineteen 0 99 9999 hours minutes th ",
)


@given(st.lists(st.sampled_from(WORDS), max_size=14), st.sampled_from(["past", "future", "same_year"]), st.booleans())
def test_any_words_give_expressions_in_order_that_slice_back(words: list[str], prefer: Prefer, spaced: bool) -> None:
    text = (" " if spaced else "").join(words)
    position = 0
    for found in find(text, TOLD, prefer=prefer):
        assert position <= found.start < found.end <= len(text)
        assert text[found.start : found.end] == found.text
        position = found.end


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
def test_the_edges_of_the_calendar_give_no_error(day: str) -> None:
    told = dt.datetime.fromisoformat(day).replace(tzinfo=dt.timezone(dt.timedelta(hours=8)))
    texts = (
        "the past 3000 years",
        "9999 weeks from now",
        "last weekend",
        "next Easter",
        "the 4th week of next month",
        "at Christmas",
    )
    for text in texts:
        for prefer in ("past", "future", "same_year"):
            for found in find(text, told, prefer=prefer):
                assert found.text


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    ["2 days after ", "first week of ", "the end of ", "monday, ", "twenty-", "3:", "12/", "between 2 and ", "'", "May-"],
)
def test_a_long_monotonous_text_is_read_to_its_end(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    assert all(text[found.start : found.end] == found.text for found in find(text, TOLD))


@pytest.mark.parametrize("words", ["since the start of the year", "ever since the beginning of the year"])
def test_since_the_start_of_a_unit_is_open(words: str) -> None:
    [found] = find(f"She has been there {words}.", dt.datetime(2026, 3, 10, 12, tzinfo=dt.UTC))
    assert (found.role, found.period.end) == ("since", None)
