"""Chinese words for weeks, weekdays and days counted from another: 上上周, 第三个星期日, 大前天, 最后五天, 中秋后两天."""

from __future__ import annotations

import datetime as dt

from tkgmem.temporal.timex.zh.frame import Frame, Level, Rule, Seen, days, months, rule, taken
from tkgmem.temporal.timex.zh.numbers import SMALL, number
from tkgmem.temporal.timex.zh.years import STEP, steps

_WEEK = r"(?:周|星期|礼拜)"
_SEVEN = "[一二三四五六日天]"
_WEEKDAY = r"(?P<weekday>[一二三四五六日天1-7])(?![次个天年回遍趟点月百千万])"
_NOT_COUNTED = r"(?<![一二两三四五六七八九十\d每半几整第个])"
# 周一 also begins names: what follows it tells.
_BESIDE_MONDAY = (
    r"[的上下早晚中午凌傍夜周开去见有我你他她它在到前后就会要能可应该不没是和与或至~～—-吃看来回打搬参考休放请加做起准约]"
    r"|[^\u4e00-\u9fff]|\Z"
)
_NEAR_DAYS = {"前": -2, "昨": -1, "今": 0, "本": 0, "当": 0, "明": 1, "后": 2}
_UNIT_DAYS = {"天": 1, "日": 1, "周": 7, "星期": 7, "礼拜": 7}


def _near_week(seen: Seen) -> Frame | None:
    return _week(seen.told.today, steps(seen.match["step"]))


def _week(day: dt.datetime, weeks: int) -> Frame:
    return days(day.date() + dt.timedelta(7 * weeks - day.weekday()), 7, "week")


def _weekday_number(word: str) -> int:
    return 6 if word in "天7" else "一二三四五六日".index(word) if not word.isdecimal() else int(word) - 1


def _weekday(seen: Seen) -> Frame | None:
    """A weekday of the week around; alone, of the reference's week or the nearest one."""
    weekday = _weekday_number(taken(seen))
    if seen.outer:
        return days(seen.outer.begin.date() + dt.timedelta(weekday), outer=seen.outer)
    today, prefer = seen.told.today, seen.told.prefer
    away = weekday - today.weekday()
    if prefer == "past" and away > 0:
        away -= 7
    if prefer == "future" and away <= 0:
        away += 7
    return days(today.date() + dt.timedelta(away))


def _weekend(seen: Seen) -> Frame | None:
    week = seen.outer or _week(seen.told.today, 0)
    return days(week.begin.date() + dt.timedelta(5), 2, "days", week)


def _half_week(seen: Seen) -> Frame | None:
    week = _week(seen.told.today, 0)
    if seen.match["half"] == "上":
        return days(week.begin.date(), 3, "days", week)
    return days(week.begin.date() + dt.timedelta(3), 4, "days", week)


def _first_weekday(around: Frame, weekday: int) -> dt.date:
    first = around.begin.date()
    return first + dt.timedelta((weekday - first.weekday()) % 7)


def _nth(seen: Seen) -> Frame | None:
    """第三周, 第二个星期日, 第八个月, 第十天 of the frame around: weeks are counted from its first Monday."""
    assert seen.outer
    count = 1 if seen.match["nth"] == "首" else number(seen.match["nth"].removeprefix("第"))
    around, unit = seen.outer, seen.match["unit"]
    if unit == "月":
        return months(around.begin.year, around.begin.month + count - 1)
    if unit in ("天", "日"):
        found = days(around.begin.date() + dt.timedelta(count - 1))
    elif seen.match["weekday"]:
        found = days(_first_weekday(around, _weekday_number(seen.match["weekday"])) + dt.timedelta(7 * count - 7))
    else:
        found = days(_first_weekday(around, 0) + dt.timedelta(7 * count - 7), 7, "week")
    return found if found.begin < around.close else None


def _last(seen: Seen) -> Frame | None:
    assert seen.outer
    end = seen.outer.close.date()
    if seen.match["weekday"]:
        weekday = _weekday_number(seen.match["weekday"])
        return days(end - dt.timedelta((end.weekday() - weekday - 1) % 7 + 1))
    return _counted_edge(seen.outer, 1, seen.match["unit"], at_end=True)


def _edge(seen: Seen) -> Frame | None:
    """前十天, 最后两个月 of the frame around."""
    assert seen.outer
    return _counted_edge(seen.outer, number(seen.match["count"]), seen.match["unit"], at_end=seen.match["side"] != "前")


def _counted_edge(around: Frame, count: int, unit: str, *, at_end: bool) -> Frame | None:
    if unit == "月":
        last = around.close
        return (
            months(last.year, last.month - count, count, "months") if at_end else months(around.begin.year, 1, count, "months")
        )
    length = count * _UNIT_DAYS[unit]
    if at_end:
        return days(around.close.date() - dt.timedelta(length), length, "days", around)
    first = _first_weekday(around, 0) if _UNIT_DAYS[unit] == 7 else around.begin.date()
    return days(first, length, "days", around)


def _near_day(seen: Seen) -> Frame | None:
    word = seen.match["near"]
    away = _NEAR_DAYS[word[-1]]
    more = len(word) - 1
    return days(seen.told.now.date() + dt.timedelta(away + (more if away > 0 else -more)))


def _next_day(seen: Seen) -> Frame | None:
    assert seen.outer
    return days(seen.outer.begin.date() + dt.timedelta(1))


def _same_day(seen: Seen) -> Frame | None:
    """去年今天: the reference's day of that year."""
    assert seen.outer
    return days(seen.told.now.replace(year=seen.outer.begin.year).date())


def _two_days(seen: Seen) -> Frame | None:
    first, last = (_NEAR_DAYS[word] for word in seen.match["coming"] or (seen.match["left"], seen.match["right"]))
    return days(seen.told.now.date() + dt.timedelta(first), last - first + 1, "days") if first < last else None


def _beside_day(seen: Seen) -> Frame | None:
    """节前三天, 中秋后两天, 元旦前一天, counted from the day around."""
    assert seen.outer
    match = seen.match
    count = number(match["count"] or match["count2"]) * (-1 if "前" in (match["side"], match["side2"]) else 1)
    return days(seen.outer.begin.date() + dt.timedelta(count))


def _same(seen: Seen) -> Frame | None:
    return seen.outer


_UNIT = rf"(?P<unit>{_WEEK}|月|天|日)"
_WHOLE: tuple[Level, ...] = ("year", "months", "month", "quarter")
RULES: tuple[Rule, ...] = (
    rule(rf"{STEP}一?个?{_WEEK}(?![围遭年密全详到期])", _near_week),
    rule(rf"{_WEEK}?{_WEEKDAY}", _weekday, "week", alone=False),
    rule(rf"{_WEEK}?末", _weekend, "week", alone=False),
    rule(rf"{_NOT_COUNTED}(?:星期|礼拜){_WEEKDAY}", _weekday),
    rule(rf"(?:{_NOT_COUNTED}|(?<=周{_SEVEN}))周(?P<weekday>[二三四五六日])(?![福次个天年回遍趟])", _weekday),
    rule(rf"{_NOT_COUNTED}周(?P<weekday>一)(?={_BESIDE_MONDAY})", _weekday),
    rule(rf"{_NOT_COUNTED}{_WEEK}末", _weekend),
    rule(rf"(?<=[日号天])[,，]?\s?{_WEEK}{_SEVEN}|\s?[(（]{_WEEK}{_SEVEN}[)）]", _same, "day", alone=False),
    rule(r"(?<![一二三四五六七八九十\d])(?P<half>[上下])半周", _half_week),
    rule(rf"(?P<nth>第{SMALL}|首)个?{_UNIT}(?:{_WEEKDAY})?", _nth, *_WHOLE, alone=False),
    rule(rf"最后一?个?{_UNIT}(?:{_WEEKDAY})?", _last, *_WHOLE, "week", alone=False),
    rule(rf"(?P<side>前|头|最后|后)\s?(?P<count>{SMALL})\s?个?{_UNIT}(?!前|后|内)", _edge, *_WHOLE, "week", alone=False),
    rule(
        r"(?<!\d)(?P<near>大{1,4}[前后]|(?<![当目眼提以之])前|昨|今|明|(?<![先最以之])后|本|当)[天日](?!\w?常|性|赋)", _near_day
    ),
    rule("今[天日]|同一?[天日]", _same_day, "year", alone=False),
    rule(r"次日|翌日|第二天|隔天|隔日", _next_day, "day", alone=False),
    rule(r"(?P<left>[前昨今明])(?P<right>[昨今明后])两[天日]|(?P<coming>明后)天", _two_days),
    rule(
        rf"[的之]?(?:[之以]?(?P<side>[前后])的?第?(?P<count>{SMALL})[天日]|(?P<count2>{SMALL})[天日][之以]?(?P<side2>[前后]))",
        _beside_day, "day", alone=False,
    ),
)  # fmt: skip
