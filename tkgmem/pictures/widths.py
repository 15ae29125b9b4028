"""How wide a text will be, without its font: rather too wide than too narrow, so that no two labels touch."""

from __future__ import annotations

import unicodedata

_NARROW = frozenset("ijlIftr.,:;'|!()[]/ ")
_BROAD = frozenset("mwMW@%&—…")


def width(text: str, size: float) -> float:
    """The estimated width of one line in pixels. size: of the font. A Chinese character is as wide as it is high.

    >>> width("公司", 10), round(width("Ann", 10))
    (20.0, 20)
    """
    return sum(map(_ems, text)) * size


def cut(text: str, size: float, room: float) -> str:
    """The text, or as much of it as fits into `room` pixels, with an ellipsis; "" where not even that fits.

    >>> cut("Northwind", 10, 40)
    'North…'
    """
    if width(text, size) <= room:
        return text
    left = room - width("…", size)
    end = 0
    for character in text:
        left -= _ems(character) * size
        if left < 0:
            break
        end += 1
    while 0 < end < len(text) and _joins(text[end]):  # what stands on a character stays with it
        end -= 1
    return text[:end].rstrip() + "…" if end else ""


def wrapped(text: str, size: float, room: float, lines: int) -> list[str]:
    """The text in at most so many lines, broken at spaces where there are any, the last one cut.

    >>> wrapped("is responsible for", 10, 90, 2)
    ['is responsible', 'for']
    """
    found: list[str] = []
    left = text.strip()
    while left and len(found) < lines - 1 and width(left, size) > room:
        fitting = len(cut(left, size, room + width("…", size))) - 1
        space = left.rfind(" ", 0, fitting + 1)
        end = space if space > 0 else max(fitting, 1)
        found.append(left[:end].rstrip())
        left = left[end:].lstrip()
    return [*found, cut(left, size, room)] if left else found


def _ems(character: str) -> float:
    if character in _NARROW or character in _BROAD:
        return 0.42 if character in _NARROW else 1.0
    if character.isascii():
        return 0.72 if character.isupper() else 0.64
    if _joins(character):
        return 0.0
    kind = unicodedata.east_asian_width(character)
    if kind in {"W", "F"} or (kind == "A" and not character.isalpha()):
        return 1.3 if unicodedata.category(character) == "So" else 1.0
    return 0.8 if character.isupper() else 0.66


def _joins(character: str) -> bool:
    """Whether it has no width of its own: accents, joiners, variants."""
    return unicodedata.category(character) in {"Mn", "Me", "Cf"}
