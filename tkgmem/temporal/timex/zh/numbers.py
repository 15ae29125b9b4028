"""Chinese numerals, and counted spans of time (两个半月, 三年多) as numbers with a unit."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "○": 0, "两": 2, "俩": 2, "仨": 3}
_MULTIPLES = {"十": 10, "百": 100, "千": 1000}
NUMBER = r"(?:\d{1,4}|[零〇一二两俩仨三四五六七八九十百千廿卅]{1,7})"
SMALL = r"(?:[1-9]\d?|[一二三四五六七八九]?十?[一二两三四五六七八九]|[一二三四五六七八九]?十)"
"""1 to 99."""


def number(text: str) -> int:
    """A number below 10,000 in digits or in words (十五, 二十, 廿二, 一百零三); digits spelled one by one are read so.

    >>> number("二〇二一"), number("十五"), number("两"), number("二十"), number("廿二")
    (2021, 15, 2, 20, 22)
    """
    if text.isdecimal():
        return int(text)
    text = text.replace("廿", "二十").replace("卅", "三十")
    if not any(char in _MULTIPLES for char in text):
        return int("".join(char if char.isdecimal() else str(_DIGITS[char]) for char in text))
    total, pending = 0, 0
    for char in text:
        if char in _MULTIPLES:
            total += (pending or 1) * _MULTIPLES[char]
            pending = 0
        else:
            pending = _DIGITS[char]
    return total + pending


# 两三, 三五: one or the other, and not digits spelled one by one.
_PAIR = re.compile("[一二两三四五六七八][二两三四五六七八九]")


class Amount(NamedTuple):
    """How many of a unit: "year", "quarter", "month", "week", "day", "workday", "hour", "minute" or "second".

    least: less than number where the words leave it open (两三天).
    """

    number: Fraction
    unit: str
    least: Fraction


_UNITS = {
    "年": "year", "周年": "year", "季度": "quarter", "月": "month", "周": "week", "星期": "week", "礼拜": "week",
    "天": "day", "日": "day", "工作日": "workday", "交易日": "workday", "小时": "hour", "钟头": "hour",
    "刻钟": "quarter hour", "分钟": "minute", "分": "minute", "秒钟": "second", "秒": "second",
}  # fmt: skip
_UNIT = "|".join(sorted(_UNITS, key=len, reverse=True))
AMOUNT = (
    rf"(?:(?P<count>{NUMBER})\s?(?:多|来)?\s?个?多?(?P<mid>半)?|(?P<only>半)个?)\s?(?P<unit>{_UNIT})"
    r"(?:(?P<tail>半)钟?|多)?"
)
"""Groups count, mid, only, unit and tail, for `amount`. 多 (and more) changes nothing."""


def amount(match: re.Match[str]) -> Amount:
    """The amount that AMOUNT matched.

    >>> amount(re.fullmatch(AMOUNT, "两个半月"))
    Amount(number=Fraction(5, 2), unit='month', least=Fraction(5, 2))
    """
    words = match["count"] or "零"
    least, most = (_DIGITS[char] for char in words) if _PAIR.fullmatch(words) else (number(words),) * 2
    half = Fraction(1, 2) if match["only"] or match["mid"] or match["tail"] else Fraction(0)
    unit, times = _UNITS[match["unit"]], 1
    if unit == "quarter hour":
        unit, times = "minute", 15
    return Amount((most + half) * times, unit, (least + half) * times)
