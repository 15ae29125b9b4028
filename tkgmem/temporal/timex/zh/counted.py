"""Counted spans of time from the moment of speaking: 三年前, 两个半月以来, 近三个月, 未来五天, 60日内."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

from tkgmem.temporal.timex.zh.frame import Frame, Level, Rule, Seen, days, months, rule, shifted_month, years
from tkgmem.temporal.timex.zh.numbers import AMOUNT, Amount, amount, number

_EXACT = {"hour": 3600, "minute": 60, "second": 1}
_LEVELS: dict[str, Level] = {"year": "year", "quarter": "months", "month": "month"}


def _away(now: dt.datetime, span: Amount, sign: int) -> Frame:
    """The unit that lies the amount before or after now: a year, month or day, or an hour, minute or second from then on."""
    count, unit = span.number * sign, span.unit
    if unit in _EXACT:
        start = now + dt.timedelta(seconds=float(count * _EXACT[unit]))
        return Frame(start, start + dt.timedelta(seconds=_EXACT[unit]), unit, days(start.date()))  # type: ignore[arg-type]
    if unit == "year" and count.denominator == 1:
        return years(now.year + int(count))
    if unit == "workday":
        return days(_workdays(now.date(), int(count)))
    if unit in _LEVELS:
        whole = count * {"year": 12, "quarter": 3, "month": 1}[unit]
        if whole.denominator == 1:
            return months(now.year, now.month + int(whole))
        return days((shifted_month(now, int(whole)) + dt.timedelta(15 * sign)).date())
    return days((now + dt.timedelta(float(count * (7 if unit == "week" else 1)))).date())


def _workdays(day: dt.date, count: int) -> dt.date:
    """`count` working days from a day, by weekends alone."""
    step = 1 if count > 0 else -1
    weeks, left = divmod(abs(count), 5)
    day += dt.timedelta(7 * step * weeks)
    while left or day.weekday() > 4:
        day += dt.timedelta(step)
        left -= left > 0 and day.weekday() <= 4
    return day


def _edge(now: dt.datetime, span: Amount, sign: int) -> dt.datetime:
    """The moment that the amount lies from now: to the day, or to the second for hours and less."""
    count, unit = span.number * sign, span.unit
    if unit in _EXACT:
        return now + dt.timedelta(seconds=float(count * _EXACT[unit]))
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit in _LEVELS:
        whole = count * {"year": 12, "quarter": 3, "month": 1}[unit]
        moved = shifted_month(today, int(whole))
        return moved if whole.denominator == 1 else moved + dt.timedelta(15 * sign)
    if unit == "workday":
        found = _workdays(today.date(), int(count))
        return today.replace(year=found.year, month=found.month, day=found.day)
    return today + dt.timedelta(float(count * (7 if unit == "week" else 1)))


def _level(span: Amount) -> Level:
    return _LEVELS.get(span.unit, "minute" if span.unit in _EXACT else "days")


def _ago(seen: Seen) -> Frame | None:
    span = amount(seen.match)
    far, near = _away(seen.told.now, span, -1), _away(seen.told.now, span._replace(number=span.least), -1)
    return replace(far, after=near.after)


def _ahead(seen: Seen) -> Frame | None:
    span = amount(seen.match)
    far, near = _away(seen.told.now, span, 1), _away(seen.told.now, span._replace(number=span.least), 1)
    return replace(far, first=near.first)


def _since(seen: Seen) -> Frame | None:
    return replace(_away(seen.told.now, amount(seen.match), -1), after=None, role="since")


def _recent(seen: Seen) -> Frame | None:
    span = amount(seen.match)
    return Frame(_edge(seen.told.now, span, -1), None, _level(span), role="since")


def _past(seen: Seen) -> Frame | None:
    span = amount(seen.match)
    return Frame(_edge(seen.told.now, span, -1), seen.told.now, _level(span), role="range")


def _coming(seen: Seen) -> Frame | None:
    span = amount(seen.match)
    return Frame(seen.told.now, _edge(seen.told.now, span, 1), _level(span), role="range")


def _within(seen: Seen) -> Frame | None:
    span = amount(seen.match)
    last = _away(seen.told.now, span, 1)
    return Frame(seen.told.now, last.first if span.unit in _EXACT else last.after, _level(span), role="range")


def _vague_ago(seen: Seen) -> Frame | None:
    """十几年前: between ten and twenty years ago."""
    return years(seen.told.now.year - number(f"{seen.match['tens']}十") - 10, 11)


# A number that goes on to the left, an ordinal, or a fixed word such as 百年 is no count from now.
_COUNT = rf"(?<![\d.第一二三四五六七八九十百千万几数多每零]){AMOUNT}"
_MONTH_DAY = r"(?!\d{1,2}\s?[月日](?:之|以)?[前后内])"
_YEAR_DATE = r"(?!(?:1[6-9]|20)\d\d\s?年|0\d\s?年|[一二][一二三四五六七八九〇零○]{3}年)"
_NO_UNIT = r"(?![一二三四五六七八九十\d]{1,3}\s?月(?:之|以)?[前后])"
RULES: tuple[Rule, ...] = (
    rule(
        rf"{_MONTH_DAY}{_YEAR_DATE}{_NO_UNIT}{_COUNT}\s?(?:之前|以前|前)(?![往去台面提期景方途程夕言列锋线卫辈身任夫妻男女臂一二三四五六七八九十\d半])",
        _ago,
    ),
    rule(rf"{_MONTH_DAY}{_YEAR_DATE}{_NO_UNIT}{_COUNT}\s?(?:之后|以后|过后|后)(?![来天台面期悔续退仰勤卫代人果宫裔])", _ahead),
    rule(r"(?<![\d一二三四五六七八九])(?P<tens>[二三四五六七八九]?)十(?:几|多)年(?:以|之)?前", _vague_ago),
    rule(rf"{_YEAR_DATE}{_COUNT}(?:里|间)?(?:以来|来)(?![\w]{{0,1}}[自说电源访])", _since),
    rule(rf"{_YEAR_DATE}{_COUNT}(?:以内|之内|内)(?![容部在心衣科外存地行])", _within),
    rule(rf"(?:过去|往前)的?{AMOUNT}(?:[以之]?内|间|里)?", _past),
    rule(rf"(?<![以之目跟面眼当超先提])前(?!一[天日])\s?{AMOUNT}(?:[以之]?内|间|里)?(?![前后])", _past),
    rule(rf"(?:(?<=\A)|(?<=[^\w]))(?:之前|以前)\s?{AMOUNT}", _past),
    rule(rf"(?:最近|近|这)的?(?!一[天日])(?:这)?{AMOUNT}(?:[以之]?[内来]|间|里)?(?!后|前)", _recent),
    rule(rf"(?:未来|今后|接下来|往后|随后|还剩|此后)的?\s?{AMOUNT}(?:[以之]?内|间|里)?", _coming),
    rule(rf"(?<![最今以之然随落午先往此])后\s?{AMOUNT}(?:[以之]?内|间|里)?(?![前后])", _coming),
    rule(rf"(?:(?<=\A)|(?<=[^\w]))(?:之后|以后)\s?{AMOUNT}", _coming),
    rule(rf"(?:再过|(?<![度超通经不越路])过(?=两[天周]|[\d三四五六七八九十]{{1,2}}[天周])){AMOUNT}(?:[之以]?后)?", _ahead),
)
