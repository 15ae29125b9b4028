"""Chinese words for years, what is wider, and their parts down to a quarter: 上世纪80年代, 康熙二十年, 去年下半年, 三季度."""

from __future__ import annotations

from dataclasses import replace

from tkgmem.temporal.timex.zh.frame import Frame, Level, Rule, Seen, months, of_year, rule, years
from tkgmem.temporal.timex.zh.lunar import FESTIVALS, TERMS
from tkgmem.temporal.timex.zh.numbers import SMALL, number

TO = r"\s?(?:[-–—~～]{1,2}|到|至)\s?"
OR = r"[、和及]"
_NAMES = "|".join(sorted((*FESTIVALS, *TERMS), key=len, reverse=True))
# What makes two digits before 年 a year and not a count of years.
_AFTER_SHORT_YEAR = (
    rf"(?=\s?的?(?:(?:1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九正腊冬]|闰.)月|第?[一二三四1-4]个?季|[上下]半年|年?[初底末]|[春夏秋冬]|暑|寒假"
    rf"|第{SMALL}个?(?:周|星期|礼拜|月)|[前后]{SMALL}个?月|首|{_NAMES}|出?生|毕业|入[学伍职党]|参军|结婚))"
)
_FAR_YEARS = r"(?!1[0-5]\d\d\s?年(?:之|以)?[前后来])"

TURNS = {
    "大前年": -3, "前年": -2, "去年": -1, "上年": -1, "上一年": -1, "今年": 0, "本年": 0, "这一年": 0,
    "这年": 0, "当年": 0, "明年": 1, "次年": 1, "翌年": 1, "来年": 1, "下一年": 1, "下年": 1, "后年": 2,
    "大后年": 3,
}  # fmt: skip
# First years of eras whose dates are still written; their months are read as the civil ones.
ERAS = {
    "武德": 618, "贞观": 627, "永徽": 650, "神龙": 705, "开元": 713, "天宝": 742, "建隆": 960,
    "熙宁": 1068, "元丰": 1078, "宣和": 1119, "洪武": 1368, "建文": 1399, "永乐": 1403, "宣德": 1426,
    "正统": 1436, "景泰": 1450, "成化": 1465, "弘治": 1488, "正德": 1506, "嘉靖": 1522, "隆庆": 1567,
    "万历": 1573, "天启": 1621, "崇祯": 1628, "顺治": 1644, "康熙": 1662, "雍正": 1723, "乾隆": 1736,
    "嘉庆": 1796, "道光": 1821, "咸丰": 1851, "同治": 1862, "光绪": 1875, "宣统": 1909, "民国": 1912,
    "明治": 1868, "大正": 1912, "昭和": 1926, "平成": 1989, "令和": 2019,
}  # fmt: skip
STEP = r"(?P<step>(?<![马早晚以之及])上{1,3}|下{1,3}|这|本|当|同|次)"
# Part of a year: its first month and how many; of a decade or century: the share of it in tenths.
_YEAR_PARTS = {"初": (1, 2), "伊始": (1, 1), "中": (6, 2), "底": (11, 2), "末": (11, 2), "尾": (11, 2), "关": (11, 2)}
_LONG_PARTS = {"初": (0, 3), "前": (0, 3), "早": (0, 3), "中": (3, 7), "末": (7, 10), "后": (7, 10), "晚": (7, 10)}
_SEASONS = {"春": 3, "夏": 6, "秋": 9, "冬": 12, "暑": 7, "寒": 1}
_HALVES = {"上": 1, "前": 1, "下": 7, "后": 7}


def steps(word: str) -> int:
    """How many units away 上上, 下 or 本 points."""
    return word.count("下") + word.count("次") - word.count("上")


def short_year(digits: int, now: int) -> int:
    """The year of two digits: in this century up to ten years ahead, else in the one before."""
    return 2000 + digits if 2000 + digits <= now + 10 else 1900 + digits


def _year(seen: Seen) -> Frame | None:
    return years(number(seen.match["year"]), lunar=bool(seen.match["lunar"]))


def _short_year(seen: Seen) -> Frame | None:
    return years(short_year(number(seen.match["year"]), seen.told.now.year))


def _weak_short_year(seen: Seen) -> Frame | None:
    """三三年, 24年: also a count of years, and so only a side of a range or the whole text."""
    return replace(years(short_year(number(seen.match["year"]), seen.told.now.year)), weak=True)


def _turn(seen: Seen) -> Frame | None:
    return years(seen.told.now.year + TURNS[seen.match["turn"]])


def _era(seen: Seen) -> Frame | None:
    count = 1 if seen.match["count"] == "元" else number(seen.match["count"])
    return years(ERAS[seen.match["era"]] + count - 1)


def _two_years(seen: Seen) -> Frame | None:
    first, last = (TURNS[f"{seen.match[side]}年"] for side in ("left", "right"))
    return years(seen.told.now.year + first, last - first + 1) if first < last else None


def _century(seen: Seen) -> Frame | None:
    count = number(seen.match["count"]) if seen.match["count"] else seen.told.now.year // 100 + 1 + steps(seen.match["step"])
    return years(max(count * 100 - 100, 1), 100, "century")


def _decade(seen: Seen) -> Frame | None:
    digits = number(seen.match["decade"])
    if digits >= 100:
        return years(digits, 10, "decade")
    if seen.outer:
        return replace(years(seen.outer.begin.year // 100 * 100 + digits, 10, "decade"), outer=seen.outer)
    now = seen.told.now.year
    return years(2000 + digits if 2000 + digits <= now and digits < 20 else 1900 + digits, 10, "decade")


def _long_part(seen: Seen) -> Frame | None:
    assert seen.outer
    first, after = _LONG_PARTS[seen.match["part"][0]]
    if seen.outer.level == "century":
        first, after = {0: (0, 20), 3: (40, 60), 7: (80, 100)}[first]
    start = seen.outer.begin.year // 10 * 10
    return replace(years(max(start + first, 1), after - first, seen.outer.level), outer=seen.outer)


def _in_year(seen: Seen, month: int, count: int, level: Level = "months", *, closing: bool = False) -> Frame | None:
    """Some months of the year around, else of the year that the preference asks for."""

    def build(year: int) -> Frame:
        return replace(months(year, month, count, level), closing=closing)

    return build(seen.outer.begin.year) if seen.outer else of_year(seen.told, build)


def _quarter(seen: Seen) -> Frame | None:
    word = seen.match["quarter"] or seen.match["q"]
    count = 1 if word == "首" else number(word)
    if seen.match["upto"]:
        return _in_year(seen, 1, 3 * count)
    return _in_year(seen, count * 3 - 2, 3, "quarter")


def _near_quarter(seen: Seen) -> Frame | None:
    now = seen.told.now
    return months(now.year, (now.month - 1) // 3 * 3 + 1 + 3 * steps(seen.match["step"]), 3, "quarter")


def _quarter_part(seen: Seen) -> Frame | None:
    assert seen.outer
    year, month = seen.outer.begin.year, seen.outer.begin.month
    return months(year, month if seen.match["part"] == "初" else month + 2, outer=seen.outer)


def _half(seen: Seen) -> Frame | None:
    if seen.outer:
        return _in_year(seen, _HALVES[seen.match["half"]], 6)
    return months(seen.told.now.year, _HALVES[seen.match["half"]], 6, "months")


def _near_half(seen: Seen) -> Frame | None:
    now = seen.told.now
    return months(now.year, (1 if now.month < 7 else 7) + 6 * steps(seen.match["step"]), 6, "months")


def _year_part(seen: Seen) -> Frame | None:
    first, count = _YEAR_PARTS[seen.match["part"] or seen.match["mid"] or "底"]
    return _in_year(seen, first, count, closing=first > 6)


def _season(seen: Seen) -> Frame | None:
    return _in_year(seen, _SEASONS[seen.match["season"]], 3)


def _lone_season(seen: Seen) -> Frame | None:
    found = _season(seen)
    return replace(found, weak=True) if found else None


def _holidays(seen: Seen) -> Frame | None:
    return _in_year(seen, _SEASONS[seen.match["season"]], 2)


def _turned_season(seen: Seen) -> Frame | None:
    return months(seen.told.now.year + TURNS[f"{seen.match['turn']}年"], _SEASONS[seen.match["season"]], 3, "months")


RULES: tuple[Rule, ...] = (
    rule(
        r"(?P<lunar>农历|阴历|旧历)?(?:公元|公历|阳历|西元)?(?<![\d.])"
        rf"{_FAR_YEARS}(?P<year>[12]\d{{3}}|[一二][一二三四五六七八九〇零○]{{3}})\s?(?:年度?(?![级代款版])|(?={TO}\d\d(?:\d\d)?\s?年))",
        _year,
    ),
    rule(rf"(?<![\d.第])(?P<year>\d\d|[一二三四五六七八九〇零]{{2}})\s?年{_AFTER_SHORT_YEAR}", _short_year),
    rule(
        r"(?<![\d.第一二三四五六七八九十])(?P<year>0\d|[〇零][一二三四五六七八九]|[一二三五六七八九][〇零]|九[一二三四五六七九])\s?年(?![级代款版])",
        _short_year,
    ),
    rule(r"(?<![\d.第前近每过一二三四五六七八九十])(?P<year>\d\d|[一二三四五六七八九]{2})\s?年", _weak_short_year),
    rule(rf"(?<![\d.马早晚])(?P<turn>{'|'.join(sorted(set(TURNS) - {'当年'}, key=len, reverse=True))})度?", _turn),
    rule(r"(?P<turn>当年)(?=\d{1,2}月)", _turn),
    rule(rf"(?P<era>{'|'.join(ERAS)})(?P<count>元|{SMALL})年", _era),
    rule(r"(?P<left>[今去明前])(?P<right>[今明后])两?年", _two_years),
    rule(rf"(?<![\d前])(?:(?P<count>{SMALL})|(?P<step>上|本|这|下)一?个?)世纪", _century),
    rule(r"(?<!\d)(?P<decade>(?:1[5-9]|20)\d0|\d0|[一二三四五六七八九]十|[零〇]零)\s?年代", _decade, "century"),
    rule(r"(?P<part>[初末](?:[期叶年]|(?![一-鿿]))|[前早中后晚][期叶])", _long_part, "century", "decade", alone=False),
    rule(
        r"(?:(?P<upto>前)|第)?(?P<quarter>[一二三四两1-4首])个?季度|(?<![A-Za-z])Q(?P<q>[1-4])(?:季度)?(?!\d)",
        _quarter,
        "year",
    ),
    rule(rf"{STEP}一?个?季度", _near_quarter),
    rule(r"(?P<part>[初末])", _quarter_part, "quarter", alone=False),
    rule(r"(?P<half>[上下前后])半年度?", _half, "year", alone=False),
    rule(r"(?<![\d一二两三四五六七八九十多个大])(?P<half>[上下])半年度?", _half),
    rule(r"(?P<step>[上下])个半年", _near_half),
    rule(
        r"年?(?P<part>初(?![中一二三四五六次步级恋期高夏春秋冬试赛始])|底(?![部层下线])|末(?!日)|尾(?![声巴])|伊始)|年(?P<mid>中)",
        _year_part,
        "year",
        alone=False,
    ),
    rule(r"(?<![\d一二三四五六七八九〇零每历一-鿿])(?:年(?P<part>[初底末尾])|岁[末尾]|年(?P<mid>中))", _year_part),
    rule(r"(?P<season>[春夏秋冬])(?:天|季|(?![节运晚游分令至利招奥装一-鿿]))", _season, "year", alone=False),
    rule(r"(?P<season>[春夏秋冬])[天季]", _lone_season),
    rule(r"(?P<season>[暑寒])(?:假|期)", _holidays, "year", alone=False),
    rule(r"(?P<turn>[去今明前])年?(?P<season>[春夏秋冬])[天季]?(?![装至分节运晚游令利招奥])", _turned_season),
)
