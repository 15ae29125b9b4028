"""English numbers, ordinals and years, in digits or in words."""

from __future__ import annotations

from typing import NamedTuple

from tkgmem.temporal.timex.en.said import Said
from tkgmem.temporal.timex.en.words import CARDINALS, ORDINAL_ENDINGS, ORDINALS, TENS, VAGUE_COUNTS


class Number(NamedTuple):
    """The index of the token after a number, and its value."""

    end: int
    value: int


def digits(said: Said, i: int, longest: int = 4) -> Number | None:
    """A run of at most `longest` digits."""
    token = said.token(i)
    return Number(i + 1, int(token.text)) if token.kind == "n" and len(token.text) <= longest else None


def below_hundred(said: Said, i: int) -> Number | None:
    """A number below 100 in words ("twenty-six")."""
    word = said.word(i)
    if word in CARDINALS:
        return Number(i + 1, CARDINALS[word])
    if word not in TENS:
        return None
    after = said.after(i + 1, "-")
    unit = CARDINALS.get(said.word(after), 0)
    return Number(after + 1, TENS[word] * 10 + unit) if 0 < unit < 10 else Number(i + 1, TENS[word] * 10)


def cardinal(said: Said, i: int) -> Number | None:
    """A number below 10,000 in digits, or below 100 in words."""
    return digits(said, i) or below_hundred(said, i)


def count(said: Said, i: int) -> Number | None:
    """How many: a number, "a", "an", "a couple of". A few are no number."""
    if found := cardinal(said, i):
        return found
    article = said.word(i) in ("a", "an")
    word = said.word(i + article)
    if word in VAGUE_COUNTS:
        return Number(said.after(i + article + 1, ("of",)), VAGUE_COUNTS[word])
    return Number(i + 1, 1) if article else None


def ordinal(said: Said, i: int) -> Number | None:
    """ "3rd", "third", "twenty-second"."""
    word = said.word(i)
    if (found := digits(said, i, 2)) and said.word(i + 1) in ORDINAL_ENDINGS and said.glued(i + 1):
        return Number(i + 2, found.value)
    if word in ORDINALS:
        return Number(i + 1, ORDINALS[word])
    if word in TENS:
        after = said.after(i + 1, "-")
        unit = ORDINALS.get(said.word(after), 0)
        return Number(after + 1, TENS[word] * 10 + unit) if 0 < unit < 10 else None
    return None


def day_number(said: Said, i: int, *, words: bool = True) -> Number | None:
    """A day of a month: an ordinal, one or two digits, or (`words`) a number in words."""
    found = ordinal(said, i) or digits(said, i, 2) or (below_hundred(said, i) if words else None)
    return found if found and 1 <= found.value <= 31 else None


def year(said: Said, i: int) -> Number | None:
    """A year from 1500 to 2199 in four digits or in words, or '87."""
    if (found := digits(said, i)) and len(said.word(i)) == 4:
        return found if 1500 <= found.value <= 2199 else None
    if said.word(i) == "'" and (found := digits(said, i + 1, 2)) and said.glued(i + 1) and len(said.word(i + 1)) == 2:
        return found._replace(value=_of_two_digits(found.value))
    return _year_in_words(said, i)


def short_year(said: Said, i: int, this_year: int) -> Number | None:
    """A year, or its last two digits: the one from 80 years before this year to 19 after it."""
    if found := year(said, i):
        return found
    found = digits(said, i, 2)
    if not found or len(said.word(i)) != 2:
        return None
    return found._replace(value=this_year - 80 + (found.value - this_year + 80) % 100)


def _of_two_digits(value: int) -> int:
    return value + (2000 if value < 40 else 1900)


def _year_in_words(said: Said, i: int) -> Number | None:
    if said.word(i + 1) == "thousand" and CARDINALS.get(said.word(i)) == 2:
        rest = below_hundred(said, said.after(i + 2, ("and",)))
        return Number(rest.end, 2000 + rest.value) if rest and rest.value else Number(i + 2, 2000)
    leading = CARDINALS.get(said.word(i)) or {"twenty": 20}.get(said.word(i))
    if leading is None or not 15 <= leading <= 21:
        return None
    if said.word(i + 1) == "hundred":
        rest = below_hundred(said, said.after(i + 2, ("and",)))
        return Number(rest.end, leading * 100 + rest.value) if rest else Number(i + 2, leading * 100)
    rest = below_hundred(said, said.after(i + 1, "-"))
    return Number(rest.end, leading * 100 + rest.value) if rest and rest.value >= 10 else None
