"""Cuts a long text into pieces that each fit a model's window.

The pieces lie end to end and cover the text, so nothing is dropped; the time taken grows with the length of the text only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

CHARACTERS_PER_TOKEN = 32
"""A piece is at most this many characters per token of the window, however few tokens it has."""

_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]]*\s+|[。！？][”’」』）]*\s*|\n\s*")
_SPACE = re.compile(r"\s+")


def cut(text: str, ends: Callable[[str], Sequence[int]], budget: int) -> Iterator[tuple[int, int]]:
    """Character spans [start, end) of pieces with at most `budget` tokens, cut after a sentence, else after a space.

    ends(piece): for each token of the piece, in order, how many characters have passed at its end.
    Raises ValueError where a single character does not fit.

    >>> list(cut("One two. Three four.", lambda piece: range(1, len(piece) + 1), 12))
    [(0, 9), (9, 20)]
    """
    start, ahead, most = 0, 4 * budget, CHARACTERS_PER_TOKEN * budget
    while start < len(text):
        piece = text[start : start + ahead]
        offsets = ends(piece)
        if len(offsets) <= budget:
            size = len(piece)
            if start + size < len(text) and ahead < most:
                ahead = min(2 * ahead, most)
                continue
        else:
            size = _boundary(piece, max(1, offsets[budget - 1]))
            while len(ends(piece[:size])) > budget:  # a cut inside a word may be split into more tokens than before
                size //= 2
            if not size:
                raise ValueError(f"character {piece[0]!r} alone exceeds the window of {budget} tokens")
        yield start, start + size
        start += size
        ahead = min(2 * size, most)


def _boundary(piece: str, limit: int) -> int:
    """The best place to cut in the second half of piece[:limit]."""
    for pattern in (_SENTENCE_END, _SPACE):
        places = [match.end() for match in pattern.finditer(piece, limit // 2, limit)]
        if places:
            return places[-1]
    return limit
