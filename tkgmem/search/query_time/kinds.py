"""Which of the dates that stand in a question are the time it asks about.

A date counts if it names its year, is counted from the moment of asking ("last week", 上周), or stands where a time stands
("in March", 在三月). Today, times of day, habits, festivals told in the present, and dates counted from something else do not.
"""

from __future__ import annotations

import re
from typing import Literal

from tkgmem.temporal.timex import TimeExpression

Kind = Literal["year", "yearless", "now", "ahead", "then"]
"""year: names its year; yearless: a month, day, weekday or festival; now: counted back from the asking; ahead: on from it;
then: on from another date or event ("the following week")."""

_YEAR = re.compile(
    r"(?<!\d)(?:1[5-9]|20|21)\d\d(?![\d,])|[\d零〇○一二三四五六七八九]{2,4}年(?!前|后)|\d[-/.]\d+[-/.]\d",
    re.IGNORECASE,
)
_DECADE = re.compile(r"\d0s\b|centur|年代|世纪", re.IGNORECASE)
_DECADE_LEADS = re.compile(r"\b(?:in|during|since|until|before|after|of|from|between|by|throughout|and|to)\s+$", re.IGNORECASE)
_TODAY = re.compile(
    r"\b(?:today|tonight|tonite|now|this (?:morning|afternoon|evening))\b|(?<!年)今[天日晚早晨夜]"
    r"|^[早晚上中下午晨夜凌傍深间半]+$|当[天日晚年月]",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"\b(?:following|within|later)\b|(?:天|(?<![上这本])周|星期|个月|(?<![去今前])年|小时|分钟)(?:之|以)?[后後]$"
    r"|次日|翌日|第二天|随后|同[年月日]",
    re.IGNORECASE,
)
_AHEAD = re.compile(
    r"\b(?:next|coming|tomorrow|from now|upcoming)\b|明[天日年晚]|后[天年]"
    r"|[下来](?:个|一)?[周月年]|下(?:个)?(?:星期|礼拜|季度)",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"\bof the (?:year|month|week)$|\b(?:last|past|previous|this|ago|yesterday|recent)\b"
    r"|[去今前昨本这][年天日晚个周月季星]|上(?:个|一)?(?:[周月]|季度|星期|礼拜)"
    r"|上上|大前天|前$|最近|过去|近|以前",
    re.IGNORECASE,
)
_MONTH = re.compile(
    r"(?<![a-z])(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*|[月]|\bq[1-4]\b|quarter", re.IGNORECASE
)
_LONE_MONTH = re.compile(r"[a-z]+\.?|q[1-4]", re.IGNORECASE)
_WEEKDAY = re.compile(
    r"(?<![a-z])(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*(?:\s+\w+)?|(?:周|星期|礼拜)[一二三四五六日天]", re.IGNORECASE
)
_MONTH_LEADS = re.compile(
    r"\b(?:in|during|since|until|till|before|after|by|from|of|between|throughout|through|to|and|or|&|early|late|mid|around)[\s-]+$",
    re.IGNORECASE,
)
_DAY_LEADS = re.compile(r"\b(?:on|since|until|till|before|after|by|from|between|and|or|to)\s+$", re.IGNORECASE)
_OF_THAT = re.compile(
    r"\s+(?:before|after|prior to|of|following)\s+(?:the\s+)?(?:\d|jan|feb|mar|apr|may|june?\b|july?\b|aug|sep|oct|nov|dec)",
    re.IGNORECASE,
)
"""A date that these words are counted from: "last weekend before April 10"."""
_ADJECTIVE = re.compile(r"the \d{4}")
_IN_THE = re.compile(r"\b(?:during|throughout|since|until|before|after)\s+the\s+(?:\w+\s+){1,3}of $", re.IGNORECASE)
_HABIT = re.compile(r"\b(?:usually|typically|normally|generally|always|often)\b|通常|一般|平时|总是|经常|往往", re.IGNORECASE)
_CUT = re.compile(r".\s*,?\s*\d{4}|前[年天]|一般", re.DOTALL)
_NAMED_AFTER = re.compile(
    r"\s*(?:\d|[-–]?(?:issue|edition|version|release|model|vintage)\b|'s\b|[A-Z](?!\b)|st\b)|[路街号楼版届款级型刊]"
)
_AT_START = re.compile(r"(?:^|[，。？！；：、,.?!;:（(\s“]|[在于从自当到至和与及或])$")
_HAN_NUMBER = re.compile(r"[\d一二三四五六七八九十正腊]")
_TIMES = re.compile(r"[\d一两二三四五六七八九十几]+[次回]")
_FREE_AFTER = re.compile(r"[期，,。？?\s我你他她咱那当去买吃时]|$")
"""After a festival, a quarter or a year's end that stands alone, as in 中秋我们; in 中秋月饼 it is part of a name."""
_LIST = re.compile(r"\s*(?:,|and|or|&|to|-)\s*\d", re.IGNORECASE)
_PAST_TENSE = re.compile(r"\b(?:did|was|were|had|didn't|wasn't|weren't)\b", re.IGNORECASE)
_HAN_DAY = re.compile(r"日|天|季|年|月底|月初|节|假|除夕|元旦|国庆|五一|十一|端午|中秋|清明")


def kind(query: str, item: TimeExpression) -> Kind | None:
    """What sort of time of the question these words are, None if they are none."""
    words, before, after = item.text, query[: item.start], query[item.end :]
    now = _NOW.search(words) is not None
    if before.endswith(("for ", "for the ")) and not now:
        return None  # a plan or a budget for that time
    if _DECADE.search(words) or _YEAR.search(words):
        return "year" if _dates(words, before, after) else None
    if _ELSEWHERE.search(words):
        return "then"
    if _TODAY.search(words) or _CUT.match(words[-1] + after):
        return None  # today is now, and a date that misses the year beside it would be another
    if _AHEAD.search(words) or now:
        counted_from = now and words.isascii() and _OF_THAT.match(after)
        return None if counted_from else "now" if now and not _AHEAD.search(words) else "ahead"
    return "yearless" if _placed(query, words, before, after) else None


def _dates(words: str, before: str, after: str) -> bool:
    """Whether a year or decade dates the question, and is no part of a name ("the 1980s bottle", "the 2022 World Cup")."""
    if _DECADE.search(words):
        return (_DECADE_LEADS if words.isascii() else _AT_START).search(before) is not None
    if _ADJECTIVE.fullmatch(words) or (words.isdigit() and before.endswith("of ") and not _IN_THE.search(before)):
        return False  # "the 2023 report", "a flat of 2000 square feet"
    named = _NAMED_AFTER.match(after) is not None and " of " not in words
    return not (named and (words.startswith("the ") or before.endswith("the ")))


def _placed(query: str, words: str, before: str, after: str) -> bool:
    """Whether a date without a year stands where the time of a sentence stands."""
    if not words.isascii():
        return _placed_in_chinese(query, words, before, after)
    if _MONTH.search(words):
        lone = _LONE_MONTH.fullmatch(words) is not None
        return not _NAMED_AFTER.match(after) and (not lone or _MONTH_LEADS.search(before) is not None)
    if _WEEKDAY.fullmatch(words):
        return _DAY_LEADS.search(before) is not None and not _NAMED_AFTER.match(after) and not _HABIT.search(query)
    if re.search(r"\d", words):
        return re.fullmatch(r"the \d+(?:st|nd|rd|th)", words) is not None and before.endswith("on ") and not _LIST.match(after)
    return _PAST_TENSE.search(query) is not None


def _placed_in_chinese(query: str, words: str, before: str, after: str) -> bool:
    at_start = _AT_START.search(before) is not None
    if "月" in words and _HAN_NUMBER.search(words):
        return at_start or not _TIMES.match(after)
    if _WEEKDAY.fullmatch(words):
        return (
            at_start
            and not after.startswith(("到", "至", "-"))
            and not before.endswith(("到", "至"))
            and not _HABIT.search(query)
        )
    if re.fullmatch(r"\d+日", words):
        return at_start
    return at_start and _HAN_DAY.search(words) is not None and (words[-1] in "间假前后" or _FREE_AFTER.match(after) is not None)
