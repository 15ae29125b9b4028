"""What a statement's grammar and its dates make of it: kind and bounds.

A date is only ever one the clause states. A past state without a date is no fact; a deadline neither dates nor ends anything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from tkgmem.graph import ClaimKind
from tkgmem.temporal.period import Moment
from tkgmem.temporal.timex import TimeExpression

Aspect = Literal["state", "start", "point", "end", "stint"]
"""state: works at; start: joined; point: visited; end: left; stint: interned at."""

Mood = Literal["now", "going", "past", "plan", "over", "not"]
"""now: present, or perfect up to now; going: "is moving"; past; plan: will, plans to; over: no longer, used "
"to; not: denied."""


class Name(NamedTuple):
    """A name as written and its characters [start, end) in the content; start is -1 for a first person."""

    text: str
    start: int = -1
    end: int = -1

    @property
    def span(self) -> tuple[int, int] | None:
        return (self.start, self.end) if self.start >= 0 else None


@dataclass(frozen=True, slots=True)
class Draft:
    """A statement before its dates are settled. undated: the dates around it are not its own "
    "("my sister Ana left in May")."""

    source: Name
    relation: str
    target: Name
    aspect: Aspect
    mood: Mood
    when: tuple[TimeExpression, ...] = ()
    undated: bool = False


class Dating(NamedTuple):
    """The kind and the bounds of a claim."""

    kind: ClaimKind
    valid_at: Moment | None = None
    invalid_at: Moment | None = None


_DEADLINE = re.compile(
    r"(?:\b(?:by|due|before|due (?:by|on|in|at)|deadline(?: is| of)?|no later than)|截止\w{0,4}|最晚|最迟|限期)"
    r"[\s:：]{0,2}(?:the end of )?\Z",
    re.IGNORECASE,
)
_DAY = 86_400_000_000
_LASTING = frozenset(("WORKS_AT", "LIVES_IN", "STUDIES_AT"))
"""What one has for longer than a day: "worked at the mall on Tuesday" is no job."""
_NEVER_PLANNED = frozenset(
    ("LIKES", "DISLIKES", "PREFERS", "ALLERGIC_TO", "SPEAKS", "BORN_IN", "STUDIED_AT", "ALSO_KNOWN_AS", "HAS_STATUS")
)


def is_deadline(content: str, expression: TimeExpression) -> bool:
    """Whether the words around a date make it a time limit ("by Friday", 截止日期是9月15日, 周五之前)."""
    if expression.role == "until" and re.match(r"before\b|.*(?:之|以)前\Z", expression.text, re.IGNORECASE):
        return True
    return _DEADLINE.search(content, max(0, expression.start - 24), expression.start) is not None


def is_counted(expression: TimeExpression) -> bool:
    """Whether a date is a stretch such as "the past 3 weeks", in which a state may hold but no event is dated."""
    return expression.role == "range" and expression.last is None


def _start(expression: TimeExpression) -> Moment | None:
    start = expression.period.start
    return None if start is None else Moment(start, expression.precision)


def _end(expression: TimeExpression) -> Moment | None:
    end = expression.period.end
    return None if end is None else Moment(end, expression.end_precision or expression.precision)


def settle(draft: Draft, now: int) -> Dating | None:
    """The kind and bounds of a draft at the reference instant `now`, or None where it states no fact."""
    stated = tuple(date for date in draft.when if draft.aspect == "state" or not is_counted(date))
    when = _the_date(stated)
    unclear = when is None and len(stated) > 0
    if draft.mood == "not" and draft.aspect == "state" and when and when.role == "since":
        return Dating("end", None, _start(when))  # "has not lived there since 2020"
    if unclear or draft.mood == "not" or (draft.mood == "plan" and draft.relation in _NEVER_PLANNED):
        return None
    if draft.aspect == "end" or draft.mood == "over":
        return _ending(draft, when, now)
    if draft.mood == "plan":
        return _planned(when, now)
    if draft.aspect == "state":
        found = _state(draft, when, now)
        return None if found and found.kind == "planned" and draft.relation in _NEVER_PLANNED else found
    return _event(draft, when, now)


def _the_date(when: Sequence[TimeExpression]) -> TimeExpression | None:
    """The clause's date; of several none, as one cannot know which is meant."""
    return when[0] if len({expression.period for expression in when}) == 1 else None


def _both(when: TimeExpression) -> Dating:
    return Dating("assert", _start(when), _end(when))


def _ending(draft: Draft, when: TimeExpression | None, now: int) -> Dating | None:
    if when is None:
        return Dating("end") if draft.mood in ("past", "over") else None
    if when.role == "until" or (when.role == "range" and draft.mood == "over"):
        return _both(when)
    start = _start(when)
    if start is None or (draft.mood in ("plan", "going", "now") and start.micros <= now and when.period.end != now):
        return None
    return Dating("end", None, start)


def _planned(when: TimeExpression | None, now: int) -> Dating | None:
    if when is None:
        return Dating("planned")
    if when.role == "until":
        return Dating("planned", None, _end(when))
    if when.period.end is not None and when.period.end <= now:
        return None
    return Dating("planned", _start(when), _end(when) if when.role == "range" else None)


def _state(draft: Draft, when: TimeExpression | None, now: int) -> Dating | None:
    if when is None:
        return Dating("assert") if draft.mood == "now" else None
    if when.role == "since":
        return Dating("planned" if (when.period.start or 0) > now else "assert", _start(when))
    if draft.mood in ("now", "past") and is_counted(when) and now - (when.period.end or 0) in range(_DAY):
        return Dating("assert", _start(when))
    if draft.mood == "past" or when.role == "range":
        return (
            None if draft.relation in _LASTING and when.role == "point" and when.precision in ("day", "time") else _both(when)
        )
    if when.role == "until" or (when.period.start or 0) > now:
        return _planned(when, now)
    return Dating("assert") if now in when.period else None


def _event(draft: Draft, when: TimeExpression | None, now: int) -> Dating | None:
    if draft.mood in ("now", "going") and draft.aspect == "point":
        return _planned(when, now) if when is not None and (when.period.start or 0) > now else None
    if when is None:
        unfinished = draft.aspect == "stint" and draft.mood != "past"
        return None if unfinished else Dating("planned" if draft.mood == "going" else "assert")
    if draft.mood == "going" or (when.role in ("point", "since") and (when.period.start or 0) > now):
        return _planned(when, now)
    if when.role in ("until", "range") or (draft.aspect == "stint" and when.role == "point"):
        return _both(when)
    return Dating("assert", _start(when))
