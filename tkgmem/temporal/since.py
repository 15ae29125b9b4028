"""The time that a question about changes names: "what changed about Ana since Monday?" asks from that Monday until now."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass

from tkgmem.temporal import timex
from tkgmem.temporal.period import to_micros
from tkgmem.temporal.timex import TimeExpression

_FRAME = re.compile(
    r"(?:a|about|all|an|and|any|anything|are|at|been|being|believe|believed|between|by|can|change|changed|changes"
    r"|changing|could|difference|differences|different|did|do|does|ever|everything|find|for|from|give|had|happen"
    r"|happened|happening|happens|has|have|i|in|is|it|its|knew|know|known|learn|learned|learning|learnt|list|me|memory"
    r"|my|new|news|now|of|on|our|please|show|since|so|some|something|tell|than|that|the|then|there|these|they|thing"
    r"|things|this|those|to|until|up|update|updated|updates|was|we|were|what|what's|whats|when|which|who|with|you|your)"
)
"""Words that ask what changed, and name nothing."""
_HAN_FRAME = re.compile(
    "什么|什麼|哪些|哪里|有没有|没有|有|没|变化|變化|改变|變更|变更|变动|变了|变|新|学到|学会|学|知道|了解|发生|过|关于|有关|的|了|吗|呢|请|告诉|列出"
    "|最近|是|我们|我|你们|你|以来|之后|都|内容|消息|更新|事情|事|记忆|和|与|在|从|自|起|间|期间|不同|差别|区别|不一样"
)
_HAN = re.compile("[\u3400-\u9fff]")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Asked:
    """From when until when a question asks, in microseconds: [start, end), end None for now.

    words: those of the time. rest: the question without them, "" where it is about nothing in particular.
    """

    words: str
    start: int
    end: int | None
    rest: str


def read(text: str, now: dt.datetime) -> Asked | None:
    """The first time with a beginning that a question names; None where it names none.

    now: the aware moment of asking; its offset is the calendar of "since Monday". What ends later than that asks until now, and
    so does "the last three days", which a calendar ends before today.

    >>> from tkgmem.temporal.period import show
    >>> asked = read("What changed about Ana since Monday?", dt.datetime(2026, 6, 10, 15, tzinfo=dt.UTC))
    >>> show(asked.start), asked.end, asked.words, asked.rest
    ('2026-06-08', None, 'since Monday', 'What changed about Ana')
    """
    moment = to_micros(now)
    for found in timex.find(text, now):
        start = found.period.start
        if start is not None and start <= moment:
            rest = " ".join(f"{text[: found.start]} {text[found.end :]}".split()).strip(" ?？!！.。,，")
            return Asked(found.text, start, _end(found, now), rest if _is_about_something(rest) else "")
    return None


def _end(found: TimeExpression, now: dt.datetime) -> int | None:
    """Where a time ends, None for now."""
    end = found.period.end
    today = to_micros(now.replace(hour=0, minute=0, second=0, microsecond=0))
    counted_back = found.role == "range" and found.last is None and end is not None and end >= today
    return None if end is None or end > to_micros(now) or counted_back else end


def _is_about_something(rest: str) -> bool:
    """Whether a question names anything beside that something changed."""
    left = _HAN_FRAME.sub(" ", rest) if _HAN.search(rest) else rest
    return any(not _FRAME.fullmatch(word.lower().replace("’", "'")) for word in _WORD.findall(left))
