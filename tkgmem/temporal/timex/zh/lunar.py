"""The Chinese lunar calendar from 1900 to 2100, the solar terms, and the festivals of both calendars, as civil days.

Outside those years, and for a month or day that a year does not have, every answer is None.
"""

from __future__ import annotations

import datetime as dt
import math
from typing import NamedTuple

_FIRST_YEAR = 1900
# One number of three bytes a year. Bits 0 to 11: the month (1 is bit 0) has 30 days and not 29; 12 to 15: the number of the
# month that a leap month follows, or 0; 16: the leap month has 30 days; from 17 on: days from 1 January to the lunar new year.
_CODES = bytes.fromhex("""
    3c8bd2 620752 4c0ea5 385b2a 5c064b 440a9b 314aa6 56056a 400b59 2a2baa 500752 3a6da5 600b25 480a4b 335a4b
    5802ad 42056b 2c25b5 520da9 3f7e92 640e92 4c0d25 365d2d 5c0a56 4602b6 2f4ad5 5606d4 400ea9 2c2f4a 500e92
    3a66a6 5e052b 480a57 335956 580b5a 4406d4 2f3761 520749 3d7b13 620a93 4c052b 35651b 5a0aad 46056a 314da5
    560ba4 400b49 2a2d4b 500a95 387aad 5e0536 480aad 355aca 5805b2 420da5 2f3ea2 540d4a 3c8595 600a97 4c0556
    366575 5a0ad5 4606d2 304755 560ea5 40064a 28364f 4e0a9b 3a7ada 5e056a 480b69 345bb2 5a0b52 420b25 2c4b2b
    520a4b 3c8aab 6002ad 4a056d 3765a9 5c0da9 460d92 304e95 560d25 40ae4d 640a56 4e02b6 3862f5 5e06d5 480ea9
    345f52 5a0e92 440d26 2c352e 500a57 3c8ad6 62035a 4a06d5 365b69 5c0749 460693 2e4a9b 54052b 3e0a5b 2a2aae
    4e056a 387dd5 600ba4 4a0b49 325d53 580a95 42052d 2c455d 500ab5 3c9baa 6205d2 4c0da5 376e8a 5c0d4a 460c95
    304a9e 540556 3e0ab5 2a2ada 5006d2 386765 5e0725 48064b 325657 560cab 42055a 2c356e 520b69 3cbf52 620b52
    4c0b25 376d0b 5a0a4b 4404ab 2e52bb 5405ad 3e0b6a 2a2daa 500d92 3a7ea5 5e0d25 480a55 335a4d 5804b6 4005b5
    2d36d2 520ec9 3e8f92 620e92 4c0d26 376516 5a0a57 4404d6 2f4365 540755 400749 28374b 4e0693 387aab 5e052b
    460a5b 325aba 58056a 420b65 2c4baa 520b4a 3c8d95 620a95 4a052d 34656d 5a0ab5 4605aa 2e45d5 540da5 400d4a
    2a3e4d 4e0c96 387cce 5e0556 480ab5 335ad2 5806d2 420ea5 2e472a 50068b 3a8697 6004ab 4a055b 356556 5a0b6a
    460752 304b95 540b45 3e0a8b 282a4f 4e04ab
""")
_YEARS = tuple(int.from_bytes(_CODES[at : at + 3], "big") for at in range(0, len(_CODES), 3))

TERMS = (
    "春分", "清明", "谷雨", "立夏", "小满", "芒种", "夏至", "小暑", "大暑", "立秋", "处暑", "白露",
    "秋分", "寒露", "霜降", "立冬", "小雪", "大雪", "冬至", "小寒", "大寒", "立春", "雨水", "惊蛰",
)  # fmt: skip
"""The solar terms in the order of the sun's longitude, 15 degrees each, from the spring equinox on."""

# Those that fall within ten minutes of midnight, where the formula is a day off.
_CLOSE_TO_MIDNIGHT = {
    (1912, "寒露"): 1, (1917, "大雪"): 1, (1923, "雨水"): -1, (1950, "谷雨"): -1, (1951, "冬至"): 1, (1978, "小雪"): 1,
    (2008, "小满"): 1, (2014, "惊蛰"): 1, (2016, "小暑"): 1, (2045, "小暑"): 1, (2047, "惊蛰"): 1, (2051, "春分"): -1,
    (2082, "大寒"): 1, (2084, "芒种"): 1, (2097, "立夏"): 1,
}  # fmt: skip


class Festival(NamedTuple):
    """A day of every year: calendar "solar" or "lunar" with month and day; or the nth weekday (Monday is 0) of a month.

    A lunar day 0 is the last day of the month before.
    """

    calendar: str
    month: int
    day: int
    weekday: int = 0


def _festivals(calendar: str, lines: str) -> dict[str, Festival]:
    """Each line holds the numbers of a festival and its names."""
    table: dict[str, Festival] = {}
    for line in lines.strip().splitlines():
        numbers, *names = line.split()
        table |= dict.fromkeys(names, Festival(calendar, *(int(number) for number in numbers.split("-"))))
    return table


FESTIVALS = (
    _festivals(
        "solar",
        """
        1-1 元旦节 元旦
        2-14 情人节
        3-8 妇女节 三八节
        3-12 植树节
        3-15 消费者权益日
        4-1 愚人节
        5-1 国际劳动节 劳动节 五一节 五一
        5-4 青年节 五四青年节
        6-1 国际儿童节 儿童节 六一儿童节 六一节 六一
        7-1 建党节
        8-1 建军节
        9-10 教师节
        10-1 国庆节 国庆 十一国庆节 十一国庆 十一
        10-31 万圣夜
        11-1 万圣节
        11-11 光棍节 双十一 双11
        12-12 双十二 双12
        12-24 平安夜
        12-25 圣诞节 圣诞
        12-31 跨年夜
        """,
    )
    | _festivals("nth", "5-2-6 母亲节 \n 6-3-6 父亲节 \n 11-4-3 感恩节")
    | _festivals(
        "lunar",
        """
        1-1 春节 大年初一 年初一 农历新年
        1-15 元宵节 元宵
        2-2 龙抬头
        5-5 端午节 端午 端阳节
        7-7 七夕节 七夕
        7-15 中元节
        8-15 中秋节 中秋
        9-9 重阳节 重阳
        12-8 腊八节 腊八
        12-23 北方小年
        13-0 除夕夜 除夕 大年三十 年三十 大年夜 年三十儿
        """,
    )
)
"""Names, as in 中秋节, to their day."""


def _new_year(year: int) -> dt.date | None:
    index = year - _FIRST_YEAR
    return dt.date(year, 1, 1) + dt.timedelta(_YEARS[index] >> 17) if 0 <= index < len(_YEARS) else None


def lunar_month(year: int, month: int, *, leap: bool = False) -> tuple[dt.date, int] | None:
    """The first day of a lunar month and its number of days; month 13 is the first of the next year.

    >>> lunar_month(2020, 4, leap=True)
    (datetime.date(2020, 5, 23), 29)
    """
    if month > 12:
        year, month = year + 1, month - 12
    first = _new_year(year)
    if first is None or not 1 <= month <= 12:
        return None
    code = _YEARS[year - _FIRST_YEAR]
    after_leap = code >> 12 & 15
    if leap and after_leap != month:
        return None
    days = sum(29 + (code >> index & 1) for index in range(month - 1))
    if 0 < after_leap < month:
        days += 29 + (code >> 16 & 1)
    length = 29 + (code >> (month - 1) & 1)
    if leap:
        days, length = days + length, 29 + (code >> 16 & 1)
    return first + dt.timedelta(days), length


def lunar_day(year: int, month: int, day: int, *, leap: bool = False) -> dt.date | None:
    """The civil day of a lunar one; day 0 is the last day of the month before.

    >>> lunar_day(1991, 8, 23), lunar_day(2023, 13, 0)
    (datetime.date(1991, 9, 30), datetime.date(2024, 2, 9))
    """
    found = lunar_month(year, month, leap=leap)
    return found[0] + dt.timedelta(day - 1) if found and 0 <= day <= found[1] else None


def festival(name: str, year: int) -> dt.date | None:
    """The day of a festival or a solar term in a year; of a lunar one in that lunar year, of 大寒 and 小寒 at its end."""
    if name in TERMS:
        return solar_term(year + (name in ("小寒", "大寒")), TERMS.index(name))
    found = FESTIVALS[name]
    if found.calendar == "lunar":
        return lunar_day(year, found.month, found.day)
    if found.calendar == "nth":
        first = dt.date(year, found.month, 1)
        return first + dt.timedelta((found.weekday - first.weekday()) % 7 + 7 * (found.day - 1))
    return dt.date(year, found.month, found.day)


def solar_term(year: int, index: int) -> dt.date | None:
    """The day, in China, on which the sun reaches 15 degrees times index within a civil year.

    Meeus, Astronomical Algorithms, chapter 25, low accuracy.

    >>> solar_term(2024, TERMS.index("冬至"))
    datetime.date(2024, 12, 21)
    """
    if not _FIRST_YEAR <= year <= _FIRST_YEAR + len(_YEARS):
        return None
    # Days since 2000-01-01 12:00; the spring equinox falls about day 79 of a year, and a term takes 15.22 days.
    start = dt.date(year, 1, 1).toordinal() - dt.date(2000, 1, 1).toordinal() - 0.5
    moment = start + (79 + 15.22 * index) % 365.25
    for _ in range(5):
        behind = (15 * index - _solar_longitude(moment) + 180) % 360 - 180
        moment += behind * 365.2422 / 360
    # From dynamical time to universal time (about a minute in this span), then to the clock of Beijing.
    local = moment + 0.5 - 65 / 86400 + 8 / 24
    return dt.date(2000, 1, 1) + dt.timedelta(math.floor(local) + _CLOSE_TO_MIDNIGHT.get((year, TERMS[index]), 0))


def _solar_longitude(days: float) -> float:
    """The apparent longitude of the sun in degrees, right to about 0.01."""
    century = days / 36525
    mean = 280.46646 + 36000.76983 * century + 0.0003032 * century**2
    anomaly = math.radians(357.52911 + 35999.05029 * century - 0.0001537 * century**2)
    centre = (
        (1.914602 - 0.004817 * century) * math.sin(anomaly)
        + (0.019993 - 0.000101 * century) * math.sin(2 * anomaly)
        + 0.000289 * math.sin(3 * anomaly)
    )
    node = math.radians(125.04 - 1934.136 * century)
    return mean + centre - 0.00569 - 0.00478 * math.sin(node)
