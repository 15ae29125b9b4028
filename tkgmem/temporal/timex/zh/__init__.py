"""Chinese time expressions: phrases narrowed word by word (去年 > 3月 > 上旬), then joined to ranges and given open sides.

Each rule matches a bounded stretch and a phrase is read a bounded number of times, so time is linear in the text.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple, get_args

from tkgmem.errors import InvalidPeriod
from tkgmem.temporal.period import Period, to_micros
from tkgmem.temporal.timex.expression import Prefer, Role, TimeExpression
from tkgmem.temporal.timex.zh import clock, counted, months, weeks, years
from tkgmem.temporal.timex.zh.frame import Frame, Level, Rule, Seen, Told
from tkgmem.temporal.timex.zh.lunar import FESTIVALS, TERMS
from tkgmem.temporal.timex.zh.years import TO

_SIMPLE = str.maketrans(
    "週後個禮兩號點時間從開來過現農曆臘節國慶聖誕將這幾陽陰歲舊還鐘內勞動兒婦",
    "周后个礼两号点时间从开来过现农历腊节国庆圣诞将这几阳阴岁旧还钟内劳动儿妇",
)
_RULES = (*years.RULES, *months.RULES, *weeks.RULES, *clock.RULES, *counted.RULES)
_ALONE = tuple(rule for rule in _RULES if rule.alone)
_INSIDE = {level: tuple(rule for rule in _RULES if level in rule.inside) for level in get_args(Level)}

# What an expression can begin with: most characters of a text are none of these.
_FIRST = "".join(
    sorted(
        {name[0] for names in (years.ERAS, years.TURNS, clock.PARTS, FESTIVALS, TERMS) for name in names}
        | set(
            "0123456789零〇一二两俩仨三四五六七八九十百千廿卅半第首Q农阴旧公阳西上下这本当同次今昨明前后去春夏秋冬年岁正腊闰月周星礼最近过往未接随还此之以再"
        )
    )
)
_TRIGGER = re.compile(
    f"(?=[{_FIRST}])(?:{'|'.join(re.sub(r'[(][?]P<[a-z0-9]+>', '(?:', rule.pattern.pattern) for rule in _ALONE)})"
)
_LONGEST_PREFIX = 8

# A day that only some years have.
_LEAP_DAY = re.compile("29|二十九|廿九")
_GLUE = re.compile(r"\s{0,2}(?:的\s?|之(?=初|末|夜)|:\s?(?=上午|下午|早上|晚上|中午|[01]?\d:))?")
_TO = re.compile(rf"(?:起|开始)?{TO}")
_AND = re.compile(r"\s?[和与跟]\s?")
_LISTED = re.compile(r"\s?[、，,和及与或]\s?")
_BETWEEN = re.compile(r"\s?(?:之间|期间|间)")
_RECURRING = re.compile(
    r"(?:每个?|每一个?|每[逢隔到]|逢|历年|往年|常年|每[年月周天日晚早](?:的|份)?|每个?(?:月|星期|礼拜|工作日|季度)的?)\Z"
)
_ABOUT = re.compile(r"\s?(?:左右|前后|上下|许)")
_SINCE_TAIL = re.compile(
    r"\s?(?:(?:起|开始|以来)?(?:至今|到现在|到今天|到目前(?:为止)?|截至目前)|以来|以降|开始|起(?![床飞跑来诉立草步码伏初名火身义舞劲色源因薪夜家哄价死伤案]))"
)
_OR_BEFORE_TAIL = re.compile(r"\s?(?:或者?|及|以及|和)(?:之|以)?前")
_OR_AFTER_TAIL = re.compile(r"\s?(?:或者?|及|以及|和)(?:之|以)?后")
_AFTER_TAIL = re.compile(r"\s?(?:之后|以后|过后|后(?![来天台面期悔续退仰勤卫代人果宫裔半年两几]|\d))")
_BEFORE_TAIL = re.compile(
    r"\s?(?:之前|以前|前(?![往去台面提期景方途程夕言列锋线卫辈身任夫妻男女臂后一二三四五六七八九十\d半两几]))"
)
_UNTIL_TAIL = re.compile(r"\s?(?:为止|止(?![痛血咳步]))")
_SINCE_HEAD = re.compile(r"(?:自从|打从|从|自)\s?(?:包括)?\Z")
_UNTIL_HEAD = re.compile(r"(?:直到|截至|截止到?|一直到|(?<![改调推迟延期前挪约定拖等提轮拿赶安排想得])[到至])\s?\Z")


class _Read(NamedTuple):
    """A frame and the characters [start, end) that gave it."""

    start: int
    end: int
    frame: Frame


def find(text: str, reference: dt.datetime, *, prefer: Prefer, parts_of_day: bool = True) -> Iterator[TimeExpression]:
    """The Chinese time expressions of a text with narrow digits, in order, without overlap; see `timex.find`."""
    reader = _Reader(text, reference, prefer, parts_of_day=parts_of_day)
    position, listed = 0, None
    while trigger := _TRIGGER.search(reader.text, position):
        start = trigger.start()
        left = reader.phrase(start, listed if listed and _LISTED.fullmatch(reader.text, position, start) else None)
        if isinstance(left, int):
            position = max(left, start + 1)
            continue
        found, position = reader.joined(left, position)
        listed = left.frame if position == left.end else None
        if found:
            yield found


class _Sides(NamedTuple):
    """Characters [start, end) and the times [first, after) that they cover, with the start of the last named unit."""

    start: int
    end: int
    first: dt.datetime | None
    after: dt.datetime | None
    role: Role
    last: dt.datetime | None = None


class _Reader:
    """One text with the moment at which it was said."""

    def __init__(self, text: str, reference: dt.datetime, prefer: Prefer, *, parts_of_day: bool) -> None:
        self.text = text.translate(_SIMPLE)
        self._given = text
        self._parts_of_day = parts_of_day
        self._zone = reference.tzinfo
        self._told = Told(reference.replace(tzinfo=None), prefer)

    def phrase(self, start: int, left: Frame | None = None) -> _Read | int:
        """The longest chain of words from `start` on, each narrowing the one before; the first may narrow a frame of `left`.

        Where the words name no real date, the end of those words.
        """
        found, floating = self._chain(start, left, self._told)
        if not floating or self._suits(found) or (isinstance(found, int) and not _LEAP_DAY.search(self.text, start, found)):
            return found
        for skip in range(1, 9):
            again, _ = self._chain(start, left, self._told._replace(skip=skip))
            if self._suits(again):
                return again
        return found

    def _suits(self, found: _Read | int) -> bool:
        return not isinstance(found, int) and self._told.suits(found.frame)

    def _chain(self, start: int, left: Frame | None, told: Told) -> tuple[_Read | int, bool]:
        """A phrase, and whether the year of its first words was chosen by the preference."""
        floating = False
        frame: Frame | None = None
        end = start
        while True:
            position = end
            if frame is not None and (glue := _GLUE.match(self.text, end)):
                position = glue.end()
            step = self._step(position, frame, left, told)
            if step is None and position > end:
                step = self._step(end, frame, left, told)
            if step is None:
                return (_Read(start, end, frame) if frame else start), floating
            if step.frame is None:
                return step.end, floating
            floating = step.frame.floating if frame is None else floating
            frame, end = step.frame, step.end

    def _step(self, position: int, frame: Frame | None, left: Frame | None, told: Told) -> _Step | None:
        """The longest rule that matches here, with what it builds: None where the words name no real date."""
        best: tuple[int, int] | None = None
        chosen: tuple[Rule, re.Match[str], Frame | None] | None = None
        for rule in _RULES if left is not None and frame is None else _ALONE if frame is None else _INSIDE[frame.level]:
            outer = frame if frame is not None else left and _around(rule, left)
            if outer is None and not rule.alone:
                continue
            match = rule.pattern.match(self.text, position)
            if match and (best is None or (match.end(), outer is not None) > best):
                best = (match.end(), outer is not None)
                chosen = (rule, match, outer)
        if chosen is None:
            return None
        rule, match, outer = chosen
        try:
            built = rule.build(Seen(match, outer, told))
        except (ValueError, OverflowError):
            built = None
        return _Step(match.end(), built)

    def joined(self, left: _Read, floor: int) -> tuple[TimeExpression | None, int]:
        """The expression that begins with a phrase, and where to read on."""
        recurring = self._before(_RECURRING, left.start, floor)
        if ranged := self._range(left, floor):
            return (None if recurring else ranged), ranged.end
        if recurring:
            return None, left.end
        single = self._single(left, floor)
        return single, single.end if single else left.end

    def _range(self, left: _Read, floor: int) -> TimeExpression | None:
        if left.frame.role != "point":
            return None
        gap = _TO.match(self.text, left.end)
        between = None if gap else _AND.match(self.text, left.end)
        joint = gap or between
        right = self.phrase(joint.end(), left.frame) if joint else left.end
        if (
            isinstance(right, int)
            or right.frame.role != "point"
            or (left.frame.weak and right.frame.weak and not self._whole(left.start, right.end))
        ):
            return None
        last = right.frame
        if last.begin < left.frame.begin:
            last = self._carried(left.frame, right) or last
        end = right.end
        if between:
            tail = _BETWEEN.match(self.text, end)
            if not tail:
                return None
            end = tail.end()
        if last.begin < left.frame.begin:
            return None
        if tail := _UNTIL_TAIL.match(self.text, end):
            end = tail.end()
        head = self._before(_SINCE_HEAD, left.start, floor)
        after = last.begin if last.level == "hour" and last.begin > left.frame.begin else last.close
        found = _Sides(head.start() if head else left.start, end, left.frame.begin, after, "range", last.begin)
        return self._expression(found, (left.frame, last))

    def _carried(self, left: Frame, right: _Read) -> Frame | None:
        """The right side in the next year, month or day after the frame that both sides share."""
        for frame in left.chain():
            if frame.level not in ("year", "month", "day") or frame.role != "point":
                continue
            moved = _next(frame)
            again = self.phrase(right.start, moved) if moved else right.end
            if not isinstance(again, int) and again.end == right.end and left.begin <= again.frame.begin:
                return again.frame
        return None

    def _whole(self, start: int, end: int) -> bool:
        return not self.text[:start].strip() and not self.text[end:].strip()

    def _single(self, read: _Read, floor: int) -> TimeExpression | None:
        frame, end = read.frame, read.end
        if frame.level == "part" and frame.outer and not self._parts_of_day:
            frame = replace(frame.outer, weak=frame.weak)
        if about := _ABOUT.match(self.text, end):
            end = about.end()
        if frame.weak and not self._whole(read.start, end):
            return None
        found = _Sides(read.start, end, frame.first, frame.after, frame.role)
        if frame.role == "point":
            found = self._tailed(found, frame, floor) or self._headed(found, frame, floor) or found
        return self._expression(found, (frame, frame))

    def _tailed(self, point: _Sides, frame: Frame, floor: int) -> _Sides | None:
        """What the words after a point make of it: 起, 或之前, 之后, 前."""
        clock = frame.level in ("hour", "minute", "second")
        tails: tuple[tuple[re.Pattern[str], dt.datetime | None, dt.datetime | None, Role, dt.datetime | None], ...] = (
            (_SINCE_TAIL, frame.first, None, "since", None),
            (_OR_BEFORE_TAIL, None, frame.after, "until", frame.first),
            (_OR_AFTER_TAIL, frame.first, None, "since", None),
            (_AFTER_TAIL, frame.first if clock else frame.after, None, "since", frame.first),
            (_BEFORE_TAIL, None, frame.after if frame.closing else frame.first, "until", None),
        )
        for pattern, first, after, role, last in tails:
            if tail := pattern.match(self.text, point.end):
                head = self._before(_SINCE_HEAD, point.start, floor) if pattern is _SINCE_TAIL else None
                return _Sides(head.start() if head else point.start, tail.end(), first, after, role, last)
        return None

    def _headed(self, point: _Sides, frame: Frame, floor: int) -> _Sides | None:
        """What the words before a point make of it: 自从, 直到."""
        if head := self._before(_SINCE_HEAD, point.start, floor):
            return _Sides(head.start(), point.end, frame.first, None, "since")
        if head := self._before(_UNTIL_HEAD, point.start, floor):
            tail = _UNTIL_TAIL.match(self.text, point.end)
            return _Sides(head.start(), tail.end() if tail else point.end, None, frame.after, "until", frame.first)
        return None

    def _before(self, pattern: re.Pattern[str], start: int, floor: int) -> re.Match[str] | None:
        return pattern.search(self.text, max(floor, start - _LONGEST_PREFIX), start)

    def _expression(self, found: _Sides, frames: tuple[Frame, Frame]) -> TimeExpression | None:
        try:
            period = Period(self._instant(found.first), self._instant(found.after))
            named = self._instant(found.last)
        except (InvalidPeriod, OverflowError, ValueError):
            return None
        first, second = (frame.precision for frame in frames)
        text = self._given[found.start : found.end]
        return TimeExpression(
            found.start, found.end, text, period, first, found.role, second if second != first else None, named
        )

    def _instant(self, moment: dt.datetime | None) -> int | None:
        return None if moment is None else to_micros(moment.replace(tzinfo=self._zone))


class _Step(NamedTuple):
    end: int
    frame: Frame | None


def _around(rule: Rule, left: Frame) -> Frame | None:
    """The nearest frame of a range's first side that a rule at the start of its second side would narrow."""
    return next((frame for frame in left.chain() if frame.level in rule.inside), None)


def _next(frame: Frame) -> Frame | None:
    """The next year, month or day."""
    try:
        length = frame.close - frame.begin
        if frame.level == "day":
            return replace(frame, first=frame.close, after=frame.close + length)
        return replace(frame, first=frame.close, after=_after(frame))
    except (ValueError, OverflowError):
        return None


def _after(frame: Frame) -> dt.datetime:
    close = frame.close
    if frame.level == "year":
        return close.replace(year=close.year + 1)
    return close.replace(year=close.year + close.month // 12, month=close.month % 12 + 1)
