"""An English text being read for dates: its tokens, when it was said, and the values that readers hand each other.

A reader takes (said, i) and gives a Hit, the token after its phrase and what the phrase means, or None. Readers are layered
(numbers, days, stretches, clock, expressions) and call only lower layers, so that reading takes linear time.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any, NamedTuple, TypeVar

from tkgmem.temporal.period import Precision
from tkgmem.temporal.timex.calendar import Stretch, nearest_weekday, weekday_of_week, yearless
from tkgmem.temporal.timex.en.words import Token
from tkgmem.temporal.timex.expression import Prefer

_MIDNIGHT = dt.time()
_NOTHING = Token("", "", -1, -1, True, False)
_BEYOND = ("",) * 32
_GLUE = frozenset("$€£#@_/\\&%")


@dataclass(frozen=True, slots=True)
class When:
    """The local moments [first, after) that some words cover.

    grain: the unit that the words give. again: finds the same words anew around another day, for what names no year (the flag:
    ahead of it). edge: where it lies as the side of a range, for "the end of 2007". weak: counts only as the side of a range.
    """

    first: dt.datetime
    after: dt.datetime
    grain: str
    again: Callable[[dt.date, bool], When | None] | None = None
    edge: dt.datetime | None = None
    weak: bool = False

    @property
    def day(self) -> dt.date:
        return self.first.date()


class Hit(NamedTuple):
    """A phrase read: the index of the token after it, and what it means."""

    end: int
    when: When


@dataclass(frozen=True, slots=True)
class Said:
    """The tokens of a text, and the local moment at which it was said.

    words: the tokens' text, and empty words behind it for looking ahead and (by negative index) back. memo: what readers gave.
    """

    tokens: Sequence[Token]
    now: dt.datetime
    prefer: Prefer
    words: Sequence[str]
    memo: dict[tuple[str, int], Any] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, tokens: Sequence[Token], now: dt.datetime, prefer: Prefer) -> Said:
        """A text at the beginning of its reading."""
        return cls(tokens, now, prefer, [*(token.text for token in tokens), *_BEYOND])

    @property
    def today(self) -> dt.date:
        return self.now.date()

    def token(self, i: int) -> Token:
        """The token at i; an empty one outside the text."""
        return self.tokens[i] if 0 <= i < len(self.tokens) else _NOTHING

    def word(self, i: int) -> str:
        """The text of the token at i, in lower case; "" outside the text."""
        return self.words[i]

    def glued(self, i: int) -> bool:
        """Whether the token at i follows the one before without white space."""
        return 0 < i < len(self.tokens) and not self.tokens[i].gap

    def after(self, i: int, words: Collection[str]) -> int:
        """i + 1 if the token there is one of the words, else i."""
        return i + (self.words[i] in words)

    def phrase(self, i: int, phrases: Collection[str]) -> int | None:
        """The token after the longest of the phrases of up to three words that begins at i."""
        for length in (3, 2, 1):
            if " ".join(self.word(i + step) for step in range(length)) in phrases:
                return i + length
        return None

    def opens(self, i: int) -> bool:
        """Whether a date may begin at i: not within a word, a number, a price, an address or a name with an underscore."""
        before = self.token(i - 1)
        return not self.glued(i) or (before.kind == "s" and before.text not in _GLUE and not self._in_number(i))

    def _before_side(self, i: int) -> bool:
        """Whether a dash and digits are the other side of a range: 2014-2018, November 18-19."""
        side, before = self.token(i), self.token(i - 2)
        alike = side.kind == before.kind == "n" and len(side.text) == len(before.text) and side.text > before.text
        return alike and self.word(i - 1) == "-" and not (self.glued(i + 1) and self.word(i + 1) in ("-", "/"))

    def _in_number(self, i: int) -> bool:
        parted = self.word(i - 1) in (".", ",", ":", "+", "-") and self.glued(i - 1)
        return self.token(i).kind == "n" and parted and self.token(i - 2).kind == "n"

    def closes(self, i: int) -> bool:
        """Whether a date may end before i."""
        if not self.glued(i):
            return True
        token, following = self.token(i), self.token(i + 1)
        if token.kind != "s":
            return False
        if token.text == "'":
            return not (following.text == "s" and self.glued(i + 1))
        if token.text == "." and following.kind == self.token(i - 1).kind == "w" and self.glued(i + 1):
            return following.capital
        if token.text in ".,:-/":
            return not (self.glued(i + 1) and following.kind in ("wn" if token.text in "-/" else "n")) or self._before_side(
                i + 1
            )
        return token.text not in "%_@$#"


_Value = TypeVar("_Value")


def once(reader: Callable[[Said, int], _Value]) -> Callable[[Said, int], _Value]:
    """The reader, asked only once for each token of a text."""

    @wraps(reader)
    def remembered(said: Said, i: int) -> _Value:
        key = reader.__qualname__, i
        if key not in said.memo:
            said.memo[key] = reader(said, i)
        found: _Value = said.memo[key]
        return found

    return remembered


def of_stretch(stretch: Stretch | None, grain: str) -> When | None:
    """The same days as moments."""
    if stretch is None:
        return None
    return When(dt.datetime.combine(stretch.first, _MIDNIGHT), dt.datetime.combine(stretch.after, _MIDNIGHT), grain)


def on(day: dt.date) -> When:
    """One day."""
    first = dt.datetime.combine(day, _MIDNIGHT)
    return When(first, first + dt.timedelta(1), "day")


def of_year_unknown(said: Said, month: int, day: int | None) -> When | None:
    """A month, or a day of it, in the year that the preference gives."""
    grain = "month" if day is None else "day"

    def around(base: dt.date, ahead: bool) -> When | None:
        return of_stretch(yearless(base, month, day, future=ahead), grain)

    if said.prefer == "same_year":
        found = around(dt.date(said.today.year, 1, 1), True)
        found = found if found and found.first.year == said.today.year else around(said.today, False)
    else:
        found = around(said.today, said.prefer == "future")
    return found and replace(found, again=around)


def of_weekday(said: Said, weekday: int) -> When | None:
    """A weekday as the preference gives it: the latest up to today, the next after it, or that of this week."""

    def around(base: dt.date, ahead: bool) -> When | None:
        return of_stretch(nearest_weekday(base, weekday, future=ahead), "day")

    if said.prefer == "same_year":
        found = of_stretch(weekday_of_week(said.today, 0, weekday), "day")
    else:
        found = around(said.today, said.prefer == "future")
    return found and replace(found, again=around)


_PRECISIONS: dict[str, Precision] = {
    "century": "year", "decade": "year", "year": "year", "half": "month", "season": "month", "quarter": "month",
    "third": "year", "half month": "month", "month": "month",
    "part": "time", "hour": "time", "minute": "time", "second": "time",
}  # fmt: skip


def precision_of(grain: str) -> Precision:
    """How finely a grain dates: a week to the day, a vague part of a month or year only to that month or year."""
    return _PRECISIONS.get(grain, "day")
