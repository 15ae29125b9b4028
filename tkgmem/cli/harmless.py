"""Text of users on a terminal: it is shown, and drives nothing."""

from __future__ import annotations

_MARKS: dict[int, str] = {
    **dict.fromkeys((*range(9), *range(11, 32), *range(127, 160)), "\N{REPLACEMENT CHARACTER}"),
    **dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)), ""),  # what turns the direction of all that follows
    **dict.fromkeys((0x2028, 0x2029), " "),
}


def harmless(text: str) -> str:
    """The text with the characters that drive a terminal made visible, and without those that turn its direction.

    >>> harmless("Ana\\x1b[2J \\u202etea")
    'Ana\\ufffd[2J tea'
    """
    return text.translate(_MARKS)
