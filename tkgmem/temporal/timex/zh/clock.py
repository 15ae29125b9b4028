"""Chinese words for the time of day: 凌晨, 下午三点一刻, 9:30, 七八点. They narrow a day, else the reference's day."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

from tkgmem.temporal.timex.zh.frame import Frame, Level, Rule, Seen, days, rule
from tkgmem.temporal.timex.zh.numbers import number
from tkgmem.temporal.timex.zh.years import TO

# Parts of a day: first hour, hour after, and what an hour of the clock up to 12 means in it.
PARTS = {
    name: (first, after, half)
    for names, first, after, half in (
        (("凌晨",), 0, 6, "am"), (("拂晓", "黎明", "清早", "清晨", "大清早"), 4, 7, "am"),
        (("早上", "早晨", "早间", "晨间", "一早", "大早上", "早", "晨"), 6, 10, "am"), (("上午",), 7, 12, "am"),
        (("中午", "正午", "晌午", "午间", "午"), 12, 13, "noon"), (("午后",), 13, 15, "pm"), (("下午",), 13, 18, "pm"),
        (("傍晚", "黄昏"), 17, 19, "pm"),
        (("晚上", "晚间", "晚", "夜晚"), 18, 24, "pm"),
        (("夜里", "夜间", "深夜", "夜", "前半夜", "上半夜"), 20, 24, "night"),
        (("半夜", "大半夜", "三更半夜"), 23, 24, "night"),
        (("后半夜", "下半夜"), 2, 5, "night"), (("午夜",), 0, 1, "night"), (("白天", "大白天"), 6, 19, "day"),
        (("全天", "整天"), 0, 24, "day"),
    )
    for name in names
}  # fmt: skip
_LONG = "|".join(sorted((name for name in PARTS if len(name) > 1), key=len, reverse=True))
_AWAY = {"今": 0, "当": 0, "昨": -1, "前": -2, "明": 1, "后": 2}
_HOUR = r"(?P<hour>2[0-4]|1\d|0?\d|二十[一二三四]?|十[一二三四五六七八九]?|[零〇一二两三四五六七八九])"
_ANY_HOUR = _HOUR.replace("?P<hour>", "?:")
_TENS = r"[0-5]\d|[零〇][一二三四五六七八九]|[二三四五]?十[一二三四五六七八九]?"
_MINUTE = (
    rf"(?:整|(?P<half>半)|(?P<quarter>[一三13])刻|过?(?P<minute>{_TENS}|[1-9]|[一二三四五六七八九])\s?分(?!之)钟?"
    rf"(?:\s?(?P<second>{_TENS}|[1-9])\s?秒)?|(?P<bare>{_TENS})(?![\d.分个度元块万千百%一二三四五六七八九]))"
)
# 一点也不, 三点建议, 两点钟声: words that take 点 and 时 elsewhere.
_POINT = (
    r"(?:点(?:多?钟|多|整)?(?![滴点也儿都没不建意要原理好优缺心想看名球赞评数式位线])|时(?![间期候代段尚常速薪区空装光刻辰隔]))"
)


def _part(seen: Seen) -> Frame | None:
    match = seen.match
    day = seen.outer or days(seen.told.now.date() + dt.timedelta(_AWAY[match["near"]] if "near" in match.re.groupindex else 0))
    first, after, half = PARTS[match["part"]]
    start = day.begin
    weak = seen.outer is None and "near" not in match.re.groupindex
    return Frame(start + dt.timedelta(hours=first), start + dt.timedelta(hours=after), "part", day, part=half, weak=weak)


def _placed(hour: int, part: str) -> int:
    """An hour of the clock as hours since midnight: 下午三点 is 15, 晚上十二点 is 24, 半夜一点 stays 1."""
    if part in ("pm", "noon") and 1 <= hour <= (11 if part == "pm" else 3):
        return hour + 12
    if part == "night" and 6 <= hour <= 11:
        return hour + 12
    return hour


def _day_of(seen: Seen) -> tuple[dt.datetime, str, Frame]:
    """Midnight of the day, the part of it, and the frame around the clock time."""
    if seen.outer is None:
        day = days(seen.told.now.date())
        return day.begin, "", day
    if seen.outer.level == "part":
        assert seen.outer.outer
        return seen.outer.outer.begin, seen.outer.part, seen.outer
    return seen.outer.begin, "", seen.outer


def _at(seen: Seen, hour: int, minute: int = 0, second: int = 0, *, level: Level) -> Frame | None:
    midnight, part, around = _day_of(seen)
    placed = _placed(hour, part)
    if part in ("pm", "night") and hour == 12 and around.begin.hour >= 17:
        placed = 24
    if placed > 24 or minute > 59 or second > 59:
        return None
    start = midnight + dt.timedelta(hours=placed, minutes=minute, seconds=second)
    length = {"hour": dt.timedelta(hours=1), "minute": dt.timedelta(minutes=1)}.get(level, dt.timedelta(seconds=1))
    found = Frame(start, start + length, level, around)
    if seen.outer is None or seen.outer.weak:
        later = seen.told.prefer == "future" and start < seen.told.now
        if later:
            return replace(found, first=start + dt.timedelta(1), after=start + length + dt.timedelta(1))
    return found


def _clock(seen: Seen) -> Frame | None:
    match = seen.match
    minute = {"一": 15, "1": 15, "三": 45, "3": 45}[match["quarter"]] if match["quarter"] else 30 if match["half"] else None
    if minute is None and (match["minute"] or match["bare"]):
        minute = number(match["minute"] or match["bare"])
    if match["second"]:
        return _at(seen, number(match["hour"]), minute or 0, number(match["second"]), level="second")
    return _at(seen, number(match["hour"]), minute or 0, level="hour" if minute is None else "minute")


def _no_day(seen: Seen) -> Frame | None:
    """周末晚上八点: the hour of which day is not said, so the days stand."""
    return seen.outer


def _hour(seen: Seen) -> Frame | None:
    return _at(seen, number(seen.match["hour"]), level="hour")


def _two_hours(seen: Seen) -> Frame | None:
    first, second = (_at(seen, number(seen.match[side]), level="hour") for side in ("hour", "next"))
    if not first or not second or number(seen.match["next"]) != number(seen.match["hour"]) + 1:
        return None
    return replace(first, after=second.after)


def _colons(seen: Seen) -> Frame | None:
    match = seen.match
    if match["second"]:
        return _at(seen, int(match["hour"]), int(match["minute"]), int(match["second"]), level="second")
    return _at(seen, int(match["hour"]), int(match["minute"]), level="minute")


_SURE_HOUR = r"(?P<hour>2[0-4]|1\d|0?\d|二十[一二三四]?|十[一二三四五六七八九]?)"
_NOT_COUNTED = r"(?<![\d.,:第点一二三四五六七八九十百千零两有])"
_NO_DECIMAL = (
    r"(?!点[\d一二三四五六七八九零〇](?![\d十一二三四五六七八九分刻]))(?!点[\d一二三四五六七八九十零]{1,3}(?:度|元|块|个|%|倍))"
)
_SEVERAL: tuple[Level, ...] = ("days", "week")
RULES: tuple[Rule, ...] = (
    rule(rf"(?:{_LONG}|[早晚](?=\s?{_ANY_HOUR}\s?[点时:]))", _no_day, *_SEVERAL, alone=False),
    rule(rf"{_ANY_HOUR}\s?(?:{_POINT}(?:\s?{_MINUTE})?|:[0-5]\d)(?!\d)", _no_day, *_SEVERAL, alone=False),
    rule(
        rf"(?P<part>{_LONG}|[早晚](?=\s?{_ANY_HOUR}\s?[点时:])|[早晚夜](?![餐饭点年辈报高退来就到婚恋期自些已知])|晨|午夜)",
        _part,
        "day",
        alone=False,
    ),
    rule(rf"(?<![每一今昨明当前后])(?P<part>{_LONG}|[早晚](?=\s?{_ANY_HOUR}\s?[点时:]))", _part),
    rule(r"(?P<near>[今昨明当]|前(?=晚))(?P<part>晚上?|早上?|晨|夜里?|午)(?![餐饭报])", _part),
    rule(rf"{_HOUR}\s?(?={TO}{_ANY_HOUR}\s?(?:点|时))", _hour, "day", "part", alone=False),
    rule(rf"{_NOT_COUNTED}{_HOUR}\s?(?={TO}{_ANY_HOUR}\s?(?:点|时))", _hour),
    rule(rf"{_HOUR}{_NO_DECIMAL}\s?{_POINT}(?:\s?{_MINUTE})?", _clock, "day", "part", alone=False),
    rule(rf"{_NOT_COUNTED}{_SURE_HOUR}{_NO_DECIMAL}\s?{_POINT}(?:\s?{_MINUTE})?", _clock),
    rule(rf"{_NOT_COUNTED}{_HOUR}{_NO_DECIMAL}\s?(?:点钟?|时)\s?{_MINUTE}", _clock),
    rule(rf"{_NOT_COUNTED}(?P<hour>[一二两三四五六七八九])点钟(?!声)", _hour),
    rule(
        r"(?P<hour>[一二三四五六七八九十])(?P<next>[二三四五六七八九])[点时](?:多|左右|钟)?",
        _two_hours,
        "day",
        "part",
        alone=False,
    ),
    rule(
        r"[，,]?(?P<hour>2[0-4]|[01]?\d):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?(?!\d)(?:\s?[时分])?",
        _colons,
        "day",
        "part",
        alone=False,
    ),
    rule(
        r"-(?P<hour>2[0-4]|[01]\d):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?(?!\d)(?!\s?[-~～])", _colons, "day", alone=False
    ),
    rule(
        r"(?<![\d:.,比分率])(?P<hour>2[0-4]|[01]?\d):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?(?![\d:])(?:\s?[时分])?",
        _colons,
    ),
)
