"""Chinese words for months, their days, and days with a name or in digits: 去年3月, 腊月初十, 上旬, 中秋节, 2019.04.12."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

from tkgmem.temporal.timex.zh.frame import Frame, Level, Rule, Seen, days, first_of_month, months, of_year, rule, taken, years
from tkgmem.temporal.timex.zh.lunar import FESTIVALS, TERMS, festival, lunar_day, lunar_month
from tkgmem.temporal.timex.zh.numbers import number
from tkgmem.temporal.timex.zh.years import OR, STEP, TO, steps

_NINE = "[一二三四五六七八九]"
_MONTH = rf"(?P<month>1[0-2]|0?[1-9]|十[一二]?|{_NINE})"
_ANY_MONTH = _MONTH.replace("?P<month>", "?:")
_DAY = rf"(?P<day>3[01]|[12]\d|0?[1-9]|三十一?|二十{_NINE}?|廿{_NINE}?|十{_NINE}?|{_NINE})"
_ANY_DAY = _DAY.replace("?P<day>", "?:")
# Of two digits at least, as 一日 and 三日 are mostly counts.
_LONE_DAY = rf"(?P<day>3[01]|[12]\d|0?[1-9]|三十一?|二十{_NINE}?|十{_NINE}?)"
# Written so, a day of the lunar calendar.
_MOON_DAY = rf"(?P<day>初[一二三四五六七八九十]|初\d|十五|廿{_NINE}?|卅)"
_NO_FIVE = "[一二三四六七八九]"
# What may follow a month and a bare number (十月31): no word that is counted.
_NO_WORD = r"(?=\s|\Z|[^\w]|[至到上下早晚中凌傍出])"
# What stands before a number that is counted, or a house, or a day that recurs.
_COUNTED = r"(?<![\d./:第路街巷弄道一二三四五六七八九十百前近每过个后内了共达满续期长隔])"
# 号 after a number also names buildings, lines, players and the like.
_NUMBERED = r"(?![楼线院门馆厅机店位桌房车选球文令员公铺仓库路站口床坑井字电宿柜窗柱岛船舰]|会议|包[间厢]|航站|实验|教学|展)"
_MOONS = {"正": 1, "冬": 11, "腊": 12}
# Parts of a month: the first day and the one after, 0 for its end.
_MONTH_PARTS = {
    "初": (1, 6), "上旬": (1, 11), "中旬": (11, 21), "下旬": (21, 0), "底": (25, 0), "末": (25, 0),
    "上半月": (1, 16), "下半月": (16, 0),
}  # fmt: skip


def _month(seen: Seen) -> Frame | None:
    month = number(seen.match["month"])
    if not seen.outer:
        return of_year(seen.told, lambda year: months(year, month))
    if seen.outer.lunar:
        return _lunar(seen.outer.begin.year, month, leap=False)
    return months(seen.outer.begin.year, month)


def _lunar(year: int, month: int, *, leap: bool) -> Frame | None:
    found = lunar_month(year, month, leap=leap)
    return days(found[0], found[1], "moon", years(year)) if found else None


def _moon(seen: Seen) -> Frame | None:
    word, leap = seen.match["month"], bool(seen.match["leap"])
    month = _MOONS.get(word) or number(word)
    if seen.outer:
        return _lunar(seen.outer.begin.year, month, leap=leap)
    return of_year(seen.told, lambda year: _lunar(year, month, leap=leap))


def _near_month(seen: Seen) -> Frame | None:
    now = seen.told.now
    return months(now.year, now.month + steps(seen.match["step"]))


def _month_part(seen: Seen) -> Frame | None:
    now = seen.told.now
    around = seen.outer or months(now.year, now.month)
    first, after = _MONTH_PARTS[taken(seen)]
    start = around.begin + dt.timedelta(first - 1)
    end = around.begin + dt.timedelta(after - 1) if after else around.close
    return Frame(start, end, "days", around, closing=not after)


def _day(seen: Seen) -> Frame | None:
    """A day of the month around; alone, the one of this month or the nearest that has it."""
    day = number(taken(seen).removeprefix("初"))
    if seen.outer:
        found = days(seen.outer.begin.date() + dt.timedelta(day - 1), outer=seen.outer)
        return found if found.begin < seen.outer.close else None
    now, prefer = seen.told.now, seen.told.prefer
    for distance in range(3):
        first = first_of_month(now.year, now.month + (distance if prefer == "future" else -distance))
        found = days(first.date() + dt.timedelta(day - 1))
        ahead = found.close > seen.told.today if prefer == "future" else found.begin <= now
        if found.begin.month == first.month and (ahead or prefer == "same_year"):
            return found
        if prefer == "same_year":
            return None
    return None


def _moon_day(seen: Seen) -> Frame | None:
    """八月十五: a month and a day without 日 or 号 in words are lunar."""
    day = number(seen.match["day"].removeprefix("初"))
    month = _MOONS.get(seen.match["month"]) or number(seen.match["month"])

    def build(year: int) -> Frame | None:
        found = lunar_day(year, month, day, leap=bool(seen.match["leap"]))
        return days(found) if found else None

    return build(seen.outer.begin.year) if seen.outer else of_year(seen.told, build)


def _festival(seen: Seen) -> Frame | None:
    name = seen.match["name"]

    def build(year: int) -> Frame | None:
        found = festival(name, year)
        return days(found) if found else None

    if seen.outer:
        return build(seen.outer.begin.year)
    return of_year(seen.told, build)


def _new_year_day(seen: Seen) -> Frame | None:
    day = number(taken(seen))

    def build(year: int) -> Frame | None:
        found = lunar_day(year, 1, day)
        return days(found) if found else None

    return build(seen.outer.begin.year) if seen.outer else of_year(seen.told, build)


def _numeric(seen: Seen) -> Frame | None:
    """2019.04.12; a month and day in digits alone (12/1) may be a fraction or a score: weak unless 号 or 日 follows."""
    match = seen.match
    month, day = int(match["month"]), int(match["day"])
    if match["year"]:
        return days(dt.date(int(match["year"]), month, day))
    found = of_year(seen.told, lambda year: days(dt.date(year, month, day)))
    return replace(found, weak=not match["sure"]) if found else None


def _numeric_month(seen: Seen) -> Frame | None:
    return months(int(seen.match["year"]), int(seen.match["month"]))


def _lone_year(seen: Seen) -> Frame | None:
    return replace(years(int(seen.match["year"])), weak=True)


_SURE_TERMS = "|".join(term for term in TERMS if term not in ("雨水", "小雪", "大雪", "小满", "白露"))
# Names that are also other things are held back to what stands beside them.
_HELD = {
    "国庆": r"(?<![张王李刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董程曹袁邓许沈曾彭吕])国庆(?![路村镇街])",
    "五一": r"(?<![\d一二三四五六七八九十])五一(?!路|劳动奖|广场|街|大道|村|[\d一二三四五六七八九十零])",
    "六一": r"(?<![\d一二三四五六七八九十])六一(?!路|堂|[\d一二三四五六七八九十零])",
    "十一": r"(?<![\d一二三四五六七八九十第])十一(?=长假|黄金周|期间|假期|放假|小长假|出游)",
    "圣诞": r"圣诞(?![树老帽礼歌卡袜])",
    "元宵": r"(?<=农历)元宵|元宵(?=夜|佳节)",
    "重阳": r"(?<=农历)重阳",
    "腊八": r"腊八(?![粥蒜])",
    "七夕": r"七夕(?!青鸟)",
}
_PLAIN = "|".join(sorted((name for name in FESTIVALS if name not in _HELD), key=len, reverse=True))
_ANY = "|".join((*sorted(FESTIVALS, key=len, reverse=True), *TERMS))
_FEAST_TAIL = r"(?:节?当[天日]|节?那天|节?期间|节?前后|小?长假|假期|黄金周)?"
_LUNAR = "(?:农历|阴历|旧历)"
_IN_YEAR: tuple[Level, ...] = ("year", "months", "quarter")
RULES: tuple[Rule, ...] = (
    rule(
        rf"(?:(?<![\d.一二三四五六七八九十百个年第几])|(?<=每年)){_MONTH}\s?(?:月份?(?![子饼票薪嫂台亮色经球])|(?=(?:{TO}|{OR}){_ANY_MONTH}月))(?!天(?!气)|怀)",
        _month, *_IN_YEAR,
    ),
    rule(rf"{_MONTH}\s?(?:月份?|(?=(?:{TO}|{OR}){_ANY_MONTH}月))", _month, *_IN_YEAR, alone=False),
    rule(rf"(?P<leap>){_LUNAR}?(?P<month>[正冬腊])\s?月份?", _moon, *_IN_YEAR),
    rule(rf"{_LUNAR}(?P<leap>闰)?{_MONTH}\s?月份?", _moon, *_IN_YEAR),
    rule(rf"(?P<leap>闰){_MONTH}\s?月份?", _moon, *_IN_YEAR),
    rule(
        rf"(?<![\d.一二三四五六七八九十百个]){_LUNAR}?(?P<leap>闰)?{_MONTH}月{_MOON_DAY}(?![日号年多几来余个元万千百.%人点])",
        _moon_day, *_IN_YEAR,
    ),
    rule(rf"{_DAY}\s?(?:日|号{_NUMBERED}|(?=(?:{TO}|{OR}){_ANY_DAY}[日号]))", _day, "month", "moon", alone=False),
    rule(rf"(?P<day>3[01]|[12]\d|0?[1-9]|二十{_NO_FIVE}?|三十一?|十{_NO_FIVE}){_NO_WORD}", _day, "month", alone=False),
    rule(rf"{_MOON_DAY}|{_DAY.replace('day', 'digits')}(?![个万千\d])", _day, "moon", alone=False),
    rule(rf"{_COUNTED}{_LONE_DAY}\s?(?:日(?![游内均语本元报用常程夜谈])|号{_NUMBERED})", _day),
    rule(rf"{STEP}一?个?月(?![台票光饼亮薪刊球经色])", _near_month),
    rule(
        r"月?(?P<part>初(?![中一二三四五六七八九十次步级恋])|[上中下]旬|底(?![部层下线])|末(?!日)|[上下]半月)",
        _month_part, "month", "moon", alone=False,
    ),
    rule(r"(?<![\d一二三四五六七八九十个每腊正])(?:月(?P<part>[初底末])|(?P<third>[上下]半月|[上中下]旬))", _month_part),
    rule(rf"(?P<name>{_PLAIN}){_FEAST_TAIL}", _festival, "year"),
    rule(rf"(?P<name>{_ANY})(?![\d月点个日号人岁次分时级层楼万千百条届名位]){_FEAST_TAIL}", _festival, "year", alone=False),
    *(rule(rf"(?P<name>{pattern}){_FEAST_TAIL}", _festival) for pattern in _HELD.values()),
    rule(rf"(?P<name>{_SURE_TERMS})节?(?=当天|那天|节气|前|后|时|这|到|来|已|了|的|是|有|\s|\Z|[^\w])", _festival),
    rule(rf"大年初(?P<day>{_NINE}|十)|(?<![今去明前后\d])年初(?P<other>[二三四五六七八九])", _new_year_day, "year"),
    rule(
        r"(?<![\d./-])(?P<year>(?:1[89]|20)\d\d)[-/.](?P<month>\d{1,2})[-/.](?P<day>3[01]|[12]\d|0?[1-9])"
        r"(?:(?!\d)[日号]?|(?=\d\d:\d\d))",
        _numeric,
    ),
    rule(
        r"(?<![A-Za-z0-9#_])(?P<year>(?:19|20)\d\d)\s?(?P<month>0[1-9]|1[0-2])\s?(?P<day>0[1-9]|[12]\d|3[01])(?!\d)",
        _numeric,
    ),
    rule(r"(?<![\d./-])(?P<year>(?:19|20)\d\d)[-/.](?P<month>0?[1-9]|1[0-2])(?![\d./%])", _numeric_month),
    rule(
        r"(?<![\d./·-])(?P<year>)(?P<month>0?[1-9]|1[0-2])(?:[/·]|(?<=\d\d)-(?=\d\d)|\.(?=\d{1,2}[日号（(]))"
        r"(?P<day>3[01]|[12]\d|0?[1-9])(?![\d./%])(?P<sure>[日号]|(?=[（(]周))?",
        _numeric,
    ),
    rule(r"(?<![\d./:·-])(?P<year>(?:19|20)\d\d)(?![\d年./:-])", _lone_year),
)  # fmt: skip
