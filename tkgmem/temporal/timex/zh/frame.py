"""Frames: what Chinese date words cover so far, each narrowed by the next (去年 > 3月 > 上旬), and the rules that build them.

All times are naive, in the reference's own calendar. A builder may raise ValueError or OverflowError: there is no such date.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from tkgmem.temporal.period import Precision
from tkgmem.temporal.timex.expression import Prefer, Role

Level = Literal[
    "century", "decade", "year", "quarter", "months", "month", "moon", "week", "days", "day", "part", "hour", "minute", "second"
]
"""What a frame is one of; "months" and "days" are several, "moon" is a lunar month, "part" is a part of a day."""

_PRECISIONS: dict[Level, Precision] = {
    "century": "year", "decade": "year", "year": "year", "quarter": "month", "months": "month", "month": "month",
    "moon": "month", "week": "day", "days": "day", "day": "day",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Frame:
    """The times [first, after) that some words cover; None on an open side.

    outer: the frame that this one narrows; a range's second side may start from it. weak: words that are a date only as a
    side of a range, narrowed further, or as the whole text (早上). floating: its year is chosen by the preference. lunar: a
    year of the lunar calendar. closing: an end of a unit (年底), so that what comes "before" it lasts until that unit ends.
    part: what an hour up to 12 means in a part of the day.
    """

    first: dt.datetime | None
    after: dt.datetime | None
    level: Level
    outer: Frame | None = None
    role: Role = "point"
    weak: bool = False
    floating: bool = False
    lunar: bool = False
    closing: bool = False
    part: str = ""

    @property
    def precision(self) -> Precision:
        return _PRECISIONS.get(self.level, "time")

    @property
    def begin(self) -> dt.datetime:
        """The start of a frame that narrows another, which is never open."""
        if self.first is None:
            raise ValueError("an open frame has no begin")
        return self.first

    @property
    def close(self) -> dt.datetime:
        """The end of a frame that narrows another, which is never open."""
        if self.after is None:
            raise ValueError("an open frame has no close")
        return self.after

    def chain(self) -> Iterator[Frame]:
        """This frame and the ones around it, the narrowest first."""
        frame: Frame | None = self
        while frame is not None:
            yield frame
            frame = frame.outer


class Told(NamedTuple):
    """When a text was said, and what words without a year mean.

    skip: how many suited years to pass over, where the nearest one does not have the day that the next words name.
    """

    now: dt.datetime
    prefer: Prefer
    skip: int = 0

    @property
    def today(self) -> dt.datetime:
        return midnight(self.now)

    def suits(self, frame: Frame) -> bool:
        """Whether a frame lies where words without a year are looked for."""
        if self.prefer == "same_year":
            return True
        return frame.close > self.today if self.prefer == "future" else frame.begin <= self.now


class Seen(NamedTuple):
    """A matched phrase, the frame it narrows (None where it stands alone), and when it was said."""

    match: re.Match[str]
    outer: Frame | None
    told: Told


Builder = Callable[[Seen], Frame | None]


class Rule(NamedTuple):
    """What follows a frame of one of the levels `inside`, or may stand alone."""

    pattern: re.Pattern[str]
    build: Builder
    inside: tuple[Level, ...] = ()
    alone: bool = True


def rule(pattern: str, build: Builder, *inside: Level, alone: bool = True) -> Rule:
    """A rule of a pattern as text."""
    return Rule(re.compile(pattern), build, inside, alone)


def taken(seen: Seen) -> str:
    """What the one named group holds that took part in the match."""
    return seen.match[seen.match.lastgroup or 0]


def midnight(moment: dt.datetime) -> dt.datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def first_of_month(year: int, month: int) -> dt.datetime:
    """Midnight of the first day of a month, which may lie outside 1 to 12 and carries into the year."""
    return dt.datetime(year + (month - 1) // 12, (month - 1) % 12 + 1, 1)  # noqa: DTZ001


def years(year: int, count: int = 1, level: Level = "year", *, lunar: bool = False) -> Frame:
    return Frame(first_of_month(year, 1), first_of_month(year + count, 1), level, lunar=lunar)


def months(year: int, month: int, count: int = 1, level: Level = "month", outer: Frame | None = None) -> Frame:
    return Frame(first_of_month(year, month), first_of_month(year, month + count), level, outer or _around(year, month))


def _around(year: int, month: int) -> Frame:
    return years(year + (month - 1) // 12)


def days(first: dt.date, count: int = 1, level: Level = "day", outer: Frame | None = None) -> Frame:
    """The frame of some days; what lies around it is their month."""
    start = dt.datetime(first.year, first.month, first.day)  # noqa: DTZ001
    return Frame(start, start + dt.timedelta(count), level, outer or months(first.year, first.month))


def shifted_month(moment: dt.datetime, count: int) -> dt.datetime:
    """The same day and time `count` months on; the last day of the month where that day is missing."""
    first = first_of_month(moment.year, moment.month + count)
    last = (first_of_month(first.year, first.month + 1) - dt.timedelta(1)).day
    return moment.replace(year=first.year, month=first.month, day=min(moment.day, last))


def of_year(told: Told, build: Callable[[int], Frame | None]) -> Frame | None:
    """What is named without a year, built in the year that the preference asks for; None if no near year has it."""
    year = told.now.year
    if told.prefer == "same_year":
        return build(year)
    left = told.skip
    for distance in range(9 + told.skip):
        try:
            found = build(year + (distance if told.prefer == "future" else -distance))
        except (ValueError, OverflowError):
            continue
        if found and told.suits(found):
            if not left:
                return replace(found, floating=True)
            left -= 1
    return None
