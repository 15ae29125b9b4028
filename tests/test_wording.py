"""Facts, episodes and entities in plain words."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest

from tkgmem.graph import Entity, Episode, Fact
from tkgmem.temporal.period import Precision, parse_moment, to_datetime
from tkgmem.wording import date_words, entity_line, episode_line, fact_line, line_of, period_words

MAYA = Entity("m", "g", "Maya Chen", ("Maya",), type="person")
CONTOSO = Entity("c", "g", "Contoso")


def fact(
    since: str | None = None, until: str | None = None, *, text: str = "Maya works at Contoso", planned: bool = False
) -> Fact:
    bounds: list[tuple[dt.datetime | None, Precision | None]] = []
    for stated in (since, until):
        moment = None if stated is None else parse_moment(stated)
        bounds.append((to_datetime(moment.micros), moment.precision) if moment else (None, None))
    (start, start_as), (end, end_as) = bounds
    learned = dt.datetime(2025, 9, 1, tzinfo=dt.UTC)
    return Fact(
        "f", "g", MAYA, "WORKS_AT", CONTOSO, text, start, end, learned, None,
        valid_precision=start_as, invalid_precision=end_as, planned=planned,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("since", "until", "said"),
    [
        ("2025-08", None, "since August 2025"),
        ("2019", "2021", "from 2019 until 2021"),
        (None, "2024-05", "until May 2024"),
        (None, None, "since an unknown date"),
        ("2024-05-17", None, "since 17 May 2024"),
        ("2024-05-17T09:30Z", "2024-05-18T00:00Z", "from 17 May 2024 at 09:30 UTC until 18 May 2024"),
        ("2024-05-17T09:30:05Z", None, "since 17 May 2024 at 09:30:05 UTC"),
        ("2012", "2013", "in 2012"),
        ("2012", "2014", "from 2012 until 2014"),
        ("2011-12", "2012-01", "in December 2011"),
        ("2024-02-29", "2024-03-01", "on 29 February 2024"),
        ("2012", "2013-01", "from 2012 until January 2013"),
        ("0044", None, "since 44"),
    ],
)
def test_a_period_is_said_as_finely_as_it_was_stated(since: str | None, until: str | None, said: str) -> None:
    assert period_words(fact(since, until)) == said


@pytest.mark.parametrize(
    ("since", "until", "said"),
    [
        ("2027-05", None, "planned from May 2027"),
        ("2027-05", "2027-06", "planned from May 2027 until June 2027"),
        (None, None, "planned without a date"),
        (None, "2028", "planned without a date until 2028"),
    ],
)
def test_what_was_only_announced_is_said_to_be_planned(since: str | None, until: str | None, said: str) -> None:
    assert period_words(fact(since, until, planned=True)) == said


def test_what_begins_after_the_asked_time_does_not_hold_since_then() -> None:
    begins = fact("2027-05")
    assert period_words(begins, dt.datetime(2026, 1, 1, tzinfo=dt.UTC)) == "from May 2027"
    assert period_words(begins, dt.datetime(2027, 5, 1, tzinfo=dt.UTC)) == "since May 2027"


@pytest.mark.parametrize("hours", [-10, -5, 0, 5.5, 8, 13])
def test_a_year_month_or_day_is_that_of_the_calendar_it_was_stated_in(hours: float) -> None:
    there = dt.timezone(dt.timedelta(hours=hours))
    new_year = dt.datetime(2022, 1, 1, tzinfo=there)
    assert date_words(new_year, "year") == "2022"
    assert date_words(new_year, "month") == "January 2022"
    assert date_words(new_year, "day") == "1 January 2022"
    assert date_words(dt.datetime(2022, 3, 31, tzinfo=there).astimezone(dt.UTC), "day") == "31 March 2022"
    stint = replace(fact("2020", "2021"), valid_at=new_year, invalid_at=new_year.replace(year=2023))
    assert period_words(stint) == "in 2022"


@pytest.mark.parametrize("precision", ["year", "month", "day", "time", None])
def test_the_first_and_last_instants_have_words(precision: Precision | None) -> None:
    for extreme in (dt.datetime(1, 1, 1, tzinfo=dt.UTC), dt.datetime(9999, 12, 31, 23, 59, 59, tzinfo=dt.UTC)):
        assert str(extreme.year) in date_words(extreme, precision)


def test_a_fact_is_one_line_with_its_dates() -> None:
    assert fact_line(fact("2025-08")) == "Maya works at Contoso (since August 2025)"
    assert fact_line(fact("2025-08", text="Maya works\n at  Contoso.")) == "Maya works at Contoso (since August 2025)"
    assert "None" not in fact_line(fact())


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("maya joined the team", True),
        ("Maya's desk is there", True),
        ("She moved to the new office", False),
        ("The Mayas built pyramids", False),
        ("小李Maya上周入职", True),
    ],
)
def test_a_sentence_that_does_not_say_who_gets_the_triple(text: str, named: bool) -> None:
    line = fact_line(fact("2025-08", text=text))
    assert line == f"{'' if named else 'Maya Chen works at Contoso: '}{text} (since August 2025)"


def test_a_chinese_name_needs_no_spaces_around_it() -> None:
    named = replace(fact("2024", text="小李2024年跳槽到B公司。"), source=Entity("l", "g", "小李"))
    assert fact_line(named) == "小李2024年跳槽到B公司 (since 2024)"


def test_an_episode_says_who_and_when_before_what() -> None:
    told = dt.datetime(2024, 5, 17, 1, tzinfo=dt.timezone(dt.timedelta(hours=8)))
    episode = Episode("e", "g", "message", "I moved\nto Rome.", told, told, "done", speaker="Maya")
    assert episode_line(episode) == "Maya (17 May 2024): I moved to Rome."
    assert episode_line(replace(episode, speaker=None)) == "17 May 2024: I moved to Rome."


def test_an_entity_has_its_kind_and_other_names() -> None:
    assert entity_line(MAYA) == "Maya Chen (person, also Maya)"
    assert entity_line(CONTOSO) == "Contoso"
    assert entity_line(replace(MAYA, type=None)) == "Maya Chen (also Maya)"


def test_whatever_is_found_has_a_line() -> None:
    told = dt.datetime(2024, 5, 17, tzinfo=dt.UTC)
    assert line_of(fact("2025-08")) == "Maya works at Contoso (since August 2025)"
    assert line_of(fact("2025-08"), told) == "Maya works at Contoso (from August 2025)"
    assert line_of(MAYA) == "Maya Chen (person, also Maya)"
    assert line_of(Episode("e", "g", "text", "Tea.", told, told, "done")) == "17 May 2024: Tea."
