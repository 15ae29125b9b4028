"""Chinese dates: which stretch of days a phrase means, seen from the day it was said.

Digits may be Arabic or 汉字 (二〇二一年, 十二月, 两周前).
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator

from tkgmem.temporal.timex_calendar import (
    Atom,
    Seen,
    Stretch,
    a_day,
    a_month,
    a_week,
    a_year,
    nearest_weekday,
    of_date,
    shifted,
    weekday_of_week,
    yearless,
)

_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "○": 0, "两": 2}
_NUMBER = r"(?:[1-9]\d{0,2}|[一二两三四五六七八九十百]{1,5})"
_YEAR = r"(?:(?<![\d.])(?P<year>\d{4}|[一二][一二三四五六七八九〇零○]{3})\s?年|(?P<turn>今年|本年|去年|前年|明年|后年)的?)"
_MONTH = r"(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])\s?月份?"
_DAY = r"(?P<day>[12]\d|3[01]|0?[1-9]|三十一?|二十[一二三四五六七八九]?|十[一二三四五六七八九]?|[一二三四五六七八九])\s?[日号]"
_NEAR_MONTH = r"(?P<near_month>上上个?月|上个?月|这个?月|本月|下下个?月|下个?月)的?"
_WEEK = r"(?P<week>上上个?|上个?|这个?|本|下下个?|下个?)(?:周|星期|礼拜)"
_WEEKDAY = r"(?P<weekday>[一二三四五六日天末])"
_TURNS = {"今年": 0, "本年": 0, "去年": -1, "前年": -2, "明年": 1, "后年": 2}
_NEAR_DAYS = {"大前": -3, "前": -2, "昨": -1, "今": 0, "当": 0, "明": 1, "后": 2, "大后": 3}
_UNITS = {"天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month", "年": "year"}

_Builder = Callable[[Seen], Stretch | None]


def _number(text: str) -> int:
    """A number below 1,000 in digits or in words (十五, 二十, 一百零三); digits spelled one by one are read so.

    >>> _number("二〇二一"), _number("十五"), _number("两"), _number("二十")
    (2021, 15, 2, 20)
    """
    if text.isdecimal():
        return int(text)
    if "十" not in text and "百" not in text:
        return int("".join(str(_DIGITS[char]) for char in text))
    total, pending = 0, 0
    for char in text:
        if char in "十百":
            total += (pending or 1) * (10 if char == "十" else 100)
            pending = 0
        else:
            pending = _DIGITS[char]
    return total + pending


def _steps(word: str) -> int:
    """How many months or weeks away a word such as 上上个 or 下 points."""
    return word.count("下") - word.count("上")


def _stated_year(match: re.Match[str], today: dt.date) -> int:
    return _number(match["year"]) if match["year"] else today.year + _TURNS[match["turn"]]


def _year(seen: Seen) -> Stretch | None:
    return a_year(_stated_year(seen.match, seen.today))


def _month_of_year(seen: Seen) -> Stretch | None:
    match = seen.match
    year, month = _stated_year(match, seen.today), _number(match["month"])
    return a_day(year, month, _number(match["day"])) if match["day"] else a_month(year, month)


def _short_year(seen: Seen) -> Stretch | None:
    match = seen.match
    year, month = 2000 + int(match["short"]), _number(match["month"])
    return a_day(year, month, _number(match["day"])) if match["day"] else a_month(year, month)


def _bare(seen: Seen) -> Stretch | None:
    match = seen.match
    return yearless(seen.today, _number(match["month"]), _number(match["day"]) if match["day"] else None, future=seen.future)


def _near_month(seen: Seen) -> Stretch | None:
    match = seen.match
    month = shifted(seen.today, _steps(match["near_month"]), "month")
    if month and match["day"]:
        return a_day(month.first.year, month.first.month, _number(match["day"]))
    return month


def _near_day(seen: Seen) -> Stretch | None:
    return shifted(seen.today, _NEAR_DAYS[seen.match["near"]], "day")


def _away(seen: Seen) -> Stretch | None:
    match = seen.match
    count = _number(match["count"])
    return shifted(seen.today, -count if match["side"] == "前" else count, _UNITS[match["unit"]])


def _of_week(seen: Seen) -> Stretch | None:
    match = seen.match
    weeks = _steps(match["week"])
    if not match["weekday"]:
        return a_week(seen.today, weeks)
    return _weekend_or_day(seen.today, weeks, match["weekday"])


def _weekend_or_day(today: dt.date, weeks: int, word: str) -> Stretch | None:
    if word == "末":
        saturday = weekday_of_week(today, weeks, 5)
        return of_date(saturday.first, 2) if saturday else None
    return weekday_of_week(today, weeks, 6 if word == "天" else "一二三四五六日".index(word))


def _bare_weekday(seen: Seen) -> Stretch | None:
    word = seen.match["weekday"]
    if word == "末":
        return None
    return nearest_weekday(seen.today, 6 if word == "天" else "一二三四五六日".index(word), future=seen.future)


_RULES: tuple[tuple[re.Pattern[str], _Builder], ...] = (
    (re.compile(rf"{_YEAR}\s?{_MONTH}(?:\s?{_DAY})?"), _month_of_year),
    (re.compile(rf"(?<![\d.])(?P<short>[012]\d)\s?年\s?{_MONTH}(?:\s?{_DAY})?"), _short_year),
    (re.compile(rf"{_YEAR}(?!\s?{_MONTH.replace('(?P<month>', '(?:')})"), _year),
    (re.compile(rf"(?<![\d.一二三四五六七八九十个年]){_MONTH}(?:\s?{_DAY})?"), _bare),
    (re.compile(rf"{_NEAR_MONTH}(?:\s?{_DAY})?"), _near_month),
    (re.compile(r"(?P<near>大前|大后|前|昨|今|明|后)[天日](?!\w?常)"), _near_day),
    (re.compile(r"(?P<near>今|昨|明|当)[早晚]上?"), _near_day),
    (
        re.compile(rf"(?<![\d.])(?P<count>{_NUMBER})\s?个?(?P<unit>天|日|周|星期|礼拜|月|年)(?:之|以)?(?P<side>[前后])(?!半)"),
        _away,
    ),
    (re.compile(rf"{_WEEK}{_WEEKDAY}?"), _of_week),
    (re.compile(rf"(?<![上下这本个每\d])(?:星期|礼拜){_WEEKDAY}"), _bare_weekday),
    # A bare 周一 may also begin a person's name.
    (re.compile(rf"(?<!\w)周{_WEEKDAY}(?=[的上下早晚中开去见有我你他她在到前后]|[^\u4e00-\u9fff]|\Z)"), _bare_weekday),
)


def atoms(text: str, today: dt.date, *, future: bool) -> Iterator[Atom]:
    """The dated phrases of a Chinese text, overlapping ones included."""
    for pattern, build in _RULES:
        for match in pattern.finditer(text):
            stretch = build(Seen(match, today, future))
            if not stretch:
                continue
            start, end = match.span()
            if build is _bare:
                day = _number(match["day"]) if match["day"] else None
                yield Atom(start, end, stretch, _number(match["month"]), day)
            else:
                yield Atom(start, end, stretch)
