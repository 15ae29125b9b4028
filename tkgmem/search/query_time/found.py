"""What timex finds in a question, reading only the words beside what looks like a date: most questions have none."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import replace

from tkgmem.temporal import timex
from tkgmem.temporal.timex import Prefer, TimeExpression

_BEFORE, _AFTER, _HAN_BESIDE = 24, 20, 12
"""Characters beside a date's core that may belong to it ("the beginning of the second week of", "to August 15 2023")."""

_MOST = 24
"""Cores ("June", "3rd", 年). A text with more is a list of dates, and costs milliseconds."""

_CORE = re.compile(
    r"(?:(?<![\w.,$€£#])(?:1[5-9]|20|21)\d\d(?![\d,]|\.\d)|\b\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\b"
    r"|\b(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec|january|february|march|april|august|september|october|november"
    r"|december|(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?|yesterday|tomorrow|ago|q[1-4]|century|\d0s"
    r"|\d{1,2}(?:st|nd|rd|th)|(?:last|past|previous|this|next|coming|following)\s+(?:[\w-]+\s+){0,2}?"
    r"(?:days?|nights?|weeks?|weekends?|months?|years?|quarters?|decades?|century|spring|summer|autumn|fall|winter|season)"
    r"|easter|christmas|xmas|thanksgiving|halloween|new year'?s?|valentine'?s?|of the (?:year|month|week)|from now)\b)",
    re.IGNORECASE | re.ASCII,
)
_HAN_CORE = re.compile(
    r"[年月日号周昨春夏秋冬节]|星期|礼拜|[天时]前|前天|明天|后天|季度|国庆|元旦|五一|十一|端午|中秋|清明|世纪"
)
_TO_VERB = re.compile(r"[^\W\d_从直截]$")


def find(query: str, reference: dt.datetime, prefer: Prefer) -> Iterator[TimeExpression]:
    """The time expressions of a question, in order; see `timex.find`. None where it lists very many."""
    for start, end in _windows(query):
        for item in timex.find(query[start:end], reference, prefer=prefer, parts_of_day=False):
            yield _without_verb(query, replace(item, start=item.start + start, end=item.end + start), reference, prefer)


def again(query: str, item: TimeExpression, reference: dt.datetime, prefer: Prefer) -> Iterator[TimeExpression]:
    """The same words read alone, or from another reference."""
    for found in timex.find(f"in {query[item.start : item.end]}", reference, prefer=prefer, parts_of_day=False):
        yield replace(found, start=found.start + item.start - 3, end=found.end + item.start - 3)


def _windows(query: str) -> list[tuple[int, int]]:
    """The stretches around what looks like a date, widened to whole words, merged where they meet."""
    cores = [(m.start() - _BEFORE, m.end() + _AFTER) for m in _CORE.finditer(query)]
    cores += [(m.start() - _HAN_BESIDE, m.end() + _HAN_BESIDE) for m in _HAN_CORE.finditer(query)]
    if len(cores) > _MOST:
        return []
    merged: list[tuple[int, int]] = []
    for left, right in sorted(cores):
        start, end = max(left, 0), min(right, len(query))
        while start > 0 and _inside_word(query, start):
            start -= 1
        while end < len(query) and _inside_word(query, end):
            end += 1
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _inside_word(query: str, at: int) -> bool:
    """Whether a cut here would part a word or a number; Chinese has no such places."""
    return all(char.isascii() and not char.isspace() for char in query[at - 1 : at + 1])


def _without_verb(query: str, item: TimeExpression, reference: dt.datetime, prefer: Prefer) -> TimeExpression:
    """In 收到第一季度 and 2月开始学 the 到 and the 开始 are of the verb, and say nothing of an open side."""
    if item.role == "until" and item.text.startswith("到") and _TO_VERB.search(query[: item.start]):
        return next(again(query, replace(item, start=item.start + 1), reference, prefer), item)
    if item.role == "since" and item.text.endswith("开始") and item.text[0] not in "从自":
        return next(again(query, replace(item, end=item.end - 2), reference, prefer), item)
    return item
