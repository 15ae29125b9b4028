"""How two words differ: the same name spelt otherwise, one slip of the pen, or something near.

A slip is one letter too many, too few or another, or two neighbours swapped (Damerau 1964). A change of the first letter, or of
the last one of a given name, is none: it makes another name (Harry and Larry, Mikhail and Mikhaila).
"""

from __future__ import annotations

import re
from typing import Literal

Edit = Literal["doubled", "swapped", "inserted", "replaced"]
Place = Literal["given", "family", "organization", "thing"]

_SPELLINGS = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"(.)\1+", r"\1"),
        (r"ph", "f"),
        (r"(?<=.)(?:ck|q)|^q", "k"),
        (r"x", "ks"),
        (r"tz", "ts"),
        (r"(?<=[aou])e(?=[^aeiouy])", ""),
        (r"ou", "u"),
        (r"w", "v"),
        (r"(?:iy|ij|ii|yi|y|ey|ei)$", "i"),
        (r"(?<=[aeou])[yj](?=[^aeiou])", "i"),
        (r"(?<=[^aeiou])[yj](?=[^ei])", "i"),
        (r"(?<=[tdg])h", ""),
        (r"kh", "h"),
    )
)
_PINYIN = re.compile(
    r"(?:(?:[bpmfdtnlgkhjqxrzcsyw]|[zcs]h)?"
    r"(?:iang|iong|uang|ang|eng|ing|ong|iao|ian|uai|uan|ai|ei|ao|ou|an|en|in|un|ia|ie|iu|ua|ue|ui|uo|er|a|e|i|o|u|v))+"
)
_SHORTEST: dict[Place, dict[Edit, int]] = {
    "given": {"doubled": 5, "swapped": 5, "inserted": 7},
    "family": {"doubled": 5, "swapped": 5, "inserted": 6, "replaced": 7},
    "organization": {"doubled": 6, "swapped": 6, "inserted": 6, "replaced": 7},
    "thing": {"doubled": 6, "swapped": 6, "inserted": 8, "replaced": 9},
}
"""The letters the shorter word needs for a slip to be nothing but one."""


def spelling(word: str) -> str:
    """The word as spelt under one of the ways to write it in Latin letters: Zelenskyy and Zelenskiy, Müller and Mueller.

    >>> spelling("zelenskyy") == spelling("zelenskiy"), spelling("muller") == spelling("mueller")
    (True, True)
    """
    for pattern, replacement in _SPELLINGS:
        word = pattern.sub(replacement, word)
    return word


def is_pinyin(word: str) -> bool:
    """Whether a word reads as Chinese syllables in Latin letters, each of which carries a name by itself."""
    return _PINYIN.fullmatch(word) is not None


def one_edit(first: str, second: str) -> tuple[Edit, int] | None:
    """The one edit that makes the longer word of the shorter one, and where; None if there is not exactly one.

    >>> one_edit("donald", "donlad"), one_edit("sergi", "sergei"), one_edit("cook", "cock"), one_edit("scholz", "schulze")
    (('swapped', 3), ('inserted', 4), ('replaced', 2), None)
    """
    short, long = sorted((first, second), key=len)
    start = 0
    while start < len(short) and short[start] == long[start]:
        start += 1
    end = 0
    while end < len(short) - start and short[-1 - end] == long[-1 - end]:
        end += 1
    left, right = short[start : len(short) - end], long[start : len(long) - end]
    if len(left) == len(right) == 1:
        return "replaced", start
    if len(left) == len(right) == 2 and left == right[::-1]:
        return "swapped", start
    if not left and len(right) == 1:
        return ("doubled" if start and long[start - 1] == right else "inserted"), start
    return None


def is_slip(first: str, second: str, place: Place) -> bool:
    """Whether two words are one, mistyped; `place` says what a change of it would mean."""
    edit = one_edit(first, second)
    if edit is None or any(word.isdigit() or not word.isalpha() for word in (first, second)):
        return False
    kind, start = edit
    shortest = _SHORTEST[place].get(kind)
    last = start + (2 if kind == "swapped" else 1) >= max(len(first), len(second))
    return shortest is not None and min(len(first), len(second)) >= shortest and start > 0 and (not last or kind == "doubled")


def is_other_ending(first: str, second: str) -> bool:
    """Whether one edit at the end makes one given name of the other: Mikhail and Mikhaila, Christian and Christina."""
    edit = one_edit(first, second)
    return edit is not None and edit[1] + 2 >= min(len(first), len(second)) and edit[0] != "doubled"


def is_near(first: str, second: str) -> bool:
    """Whether two words may be one: at most one edit in four letters, two in seven, of words that hold no digit."""
    short = min(len(first), len(second))
    if not (first.isalpha() and second.isalpha()) or short < 4:
        return False
    return one_edit(first, second) is not None or (short > 6 and distance(first, second, 2) is not None)


def distance(first: str, second: str, most: int) -> int | None:
    """The Levenshtein distance of two texts, None if it is over `most`.

    >>> distance("stellaris", "stellantis", 2), distance("kitten", "sitting", 2)
    (2, None)
    """
    if abs(len(first) - len(second)) > most:
        return None
    row = list(range(len(second) + 1))
    for index, letter in enumerate(first, 1):
        before, row[0] = row[0], index
        for place, other in enumerate(second, 1):
            before, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, before + (letter != other))
        if min(row) > most:
            return None
    return row[-1] if row[-1] <= most else None
