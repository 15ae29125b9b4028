"""English dates in figures, read month first as in the United States unless that gives no date or the year stands first.

Two numbers alone (3/31) are a day only where a preposition asks for one: they may be a fraction or a score.
"""

from __future__ import annotations

from dataclasses import replace

from tkgmem.temporal.timex.calendar import Stretch, a_day, a_month
from tkgmem.temporal.timex.en.numbers import digits, short_year, year
from tkgmem.temporal.timex.en.said import Hit, Said, When, of_stretch, of_year_unknown
from tkgmem.temporal.timex.en.words import CLOCK_SIGNS, DATE_PREPOSITIONS, FUNCTION_WORDS, MONTHS

_SEPARATORS = ("/", "-", ".")


def _hit(end: int, when: When | None) -> Hit | None:
    return Hit(end, when) if when else None


def numeric(said: Said, i: int) -> Hit | None:
    """2015-03-31, 3/31/2015, 31.3.2015, 23/Sep/2020, 2020 10 16, 20170302; 3/31 after a preposition; 2015-3, 12-2015."""
    if said.token(i).kind == "n" and len(said.word(i)) == 8:
        text = said.word(i)
        stretch = a_day(int(text[:4]), int(text[4:6]), int(text[6:])) if text[:2] in ("19", "20") else None
        return _hit(i + 1, of_stretch(stretch, "day"))
    sign = said.word(i + 1)
    if sign in _SEPARATORS and said.glued(i + 1) and said.glued(i + 2):
        if said.word(i + 3) == sign and said.glued(i + 3) and said.glued(i + 4):
            return _hit(i + 5, of_stretch(_three(said, (i, i + 2, i + 4), sign), "day"))
        return _two(said, i, sign)
    if [len(said.word(i + step)) for step in range(3)] == [4, 2, 2]:
        return _hit(i + 3, of_stretch(_three(said, (i, i + 1, i + 2), " "), "day"))
    return None


def _three(said: Said, at: tuple[int, int, int], sign: str) -> Stretch | None:
    words = [said.word(place) for place in at]
    months = [MONTHS[word] for word in words if word in MONTHS]
    numbers = [word for word in words if word not in MONTHS]
    if len(months) > 1 or any(not (word.isascii() and word.isdecimal() and len(word) in (1, 2, 4)) for word in numbers):
        return None
    long = [index for index, word in enumerate(numbers) if len(word) == 4]
    if len(long) > 1 or (sign == "." and not long and len(numbers[-1]) != 2):
        return None
    if not long and sign != "/" and not months:
        return None  # 1.2.10 is a version, 10-10-10 a fertilizer
    index = long[0] if long else len(numbers) - 1
    found = year(said, at[words.index(numbers[index])]) if long else short_year(said, at[2], said.today.year)
    rest = [int(word) for place, word in enumerate(numbers) if place != index]
    if found is None:
        return None
    if months:
        return a_day(found.value, months[0], rest[0])
    month_first = index == 0 or (rest[0] <= 12 if sign != "." else rest[1] > 12)
    return a_day(found.value, *(rest if month_first else rest[::-1]))


def _two(said: Said, i: int, sign: str) -> Hit | None:
    left, right = said.token(i), said.token(i + 2)
    if left.kind != "n" or right.kind != "n" or sign == ".":
        return None
    for at, other in ((i, i + 2), (i + 2, i)):
        found, part = year(said, at), digits(said, other, 2)
        if found and part and sign == "-" and (at == i or len(said.word(other)) == 2):
            return _hit(i + 3, of_stretch(a_month(found.value, part.value), "month")) if 1 <= part.value <= 12 else None
    if len(left.text) > 2 or len(right.text) > 2:
        return None
    first, second = int(left.text), int(right.text)
    month, day = (first, second) if first <= 12 else (second, first)
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    if sign == "/" and said.word(i + 3) == "," and (found := year(said, i + 4)):
        return _hit(found.end, of_stretch(a_day(found.value, month, day), "day"))
    when = of_year_unknown(said, month, day)
    return _hit(i + 3, replace(when, weak=not _after_preposition(said, i) or sign == "-")) if when else None


def _after_preposition(said: Said, i: int) -> bool:
    """Whether 3/4 is asked to be a day: "on 3/4", but not "of 3/4" or "by 1/2 cup"."""
    following = said.token(i + 3)
    apart = following.kind != "w" or following.text in (*FUNCTION_WORDS, *CLOCK_SIGNS)
    return (i == 0 and following.text in ("", ",")) or (said.word(i - 1) in _BEFORE_SLASHES and apart)


_BEFORE_SLASHES = DATE_PREPOSITIONS - {"of", "and", "to", "between"}
