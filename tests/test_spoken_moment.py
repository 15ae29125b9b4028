"""A date argument as people and language models say it."""

from __future__ import annotations

import datetime as dt

import pytest

from tkgmem.temporal.period import show
from tkgmem.temporal.spoken import moment_of

NOW = dt.datetime(2026, 12, 1, 9, 30, tzinfo=dt.UTC)  # a Tuesday


@pytest.mark.parametrize(
    ("text", "start", "precision"),
    [
        ("2024", "2024-01-01", "year"),
        ("2024-05", "2024-05-01", "month"),
        ("2024-05-17", "2024-05-17", "day"),
        ("2024-05-17T09:30:00+02:00", "2024-05-17T07:30:00Z", "time"),
        ("May 2024", "2024-05-01", "month"),
        ("in March 2023", "2023-03-01", "month"),
        ("as of last March", "2026-03-01", "month"),
        ("17 May 2024", "2024-05-17", "day"),
        ("yesterday", "2026-11-30", "day"),
        ("yesterday at 5pm", "2026-11-30T17:00:00Z", "time"),
        ("last Friday", "2026-11-27", "day"),
        ("two weeks ago", "2026-11-17", "day"),
        ("an hour ago", "2026-12-01T08:30:00Z", "time"),
        ("next month", "2027-01-01", "month"),
        ("Q2 2024", "2024-04-01", "month"),
        ("before May 2024", "2024-05-01", "month"),
        ("去年三月", "2025-03-01", "month"),
        ("上周五", "2026-11-27", "day"),
        ("三年前", "2023-12-01", "day"),
        ("2 years ago", "2024-12-01", "day"),
        ("a month ago", "2026-11-01", "day"),
        ("3 days ago", "2026-11-28", "day"),
        ("大前年", "2023-01-01", "year"),
        ("2024年5月17日", "2024-05-17", "day"),
    ],
)
def test_a_period_counts_from_its_start(text: str, start: str, precision: str) -> None:
    found = moment_of(text, NOW)
    assert (show(found.micros), found.precision) == (start, precision)


@pytest.mark.parametrize("text", ["now", "Today", "this week", "this year", "现在", "今年", "today"])
def test_what_is_not_over_is_now_where_a_question_is_asked(text: str) -> None:
    assert show(moment_of(text, NOW).micros) == "2026-12-01T09:30:00Z"


def test_where_something_is_told_it_is_the_start_all_the_same() -> None:
    assert show(moment_of("this year", NOW, asking=False).micros) == "2026-01-01"
    assert show(moment_of("今天", NOW, asking=False).micros) == "2026-12-01"
    assert show(moment_of("2 years ago", NOW, asking=False).micros) == "2024-01-01"


def test_so_long_ago_is_the_last_day_of_a_shorter_month() -> None:
    end = NOW.replace(month=3, day=31)
    assert show(moment_of("a month ago", end).micros) == "2026-02-28"


def test_words_are_in_the_calendar_of_the_asking() -> None:
    berlin = NOW.astimezone(dt.timezone(dt.timedelta(hours=1)))
    assert show(moment_of("yesterday", berlin).micros) == "2026-11-29T23:00:00Z"
    assert show(moment_of("2024-05", berlin).micros) == "2024-04-30T23:00:00Z"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "soon",
        "March and May 2024",
        "2024-13",
        "2024-02-30",
        "-5",
        "10000",
        "1700000000",
        "x" * 100_000,
        "\ud800",
        "a 2024 b",
    ],
)
def test_anything_else_is_named_in_short(text: str) -> None:
    with pytest.raises(ValueError, match="not a date") as caught:
        moment_of(text, NOW)
    assert len(str(caught.value)) < 300
