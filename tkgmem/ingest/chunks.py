"""Long texts in pieces that a model reads whole: cut between turns or paragraphs, each with the end of the one before it.

The pieces cover the text, and their own parts do not overlap.
"""

from __future__ import annotations

import re
from typing import NamedTuple

MOST = 8_000
"""Characters of a piece that are its own; about 2,000 tokens of English, 6,000 of Chinese."""
OVERLAP = 800
"""Characters of the piece before that come along, at most."""

_BREAKS = (re.compile(r"\n\s*\n\s*"), re.compile(r"\n"), re.compile(r"(?<=[.!?])\s+|(?<=[。！？])"), re.compile(r"\s+"))


class Chunk(NamedTuple):
    """A piece of a text: text[start:end] is its own, text[lead:start] is repeated from the one before."""

    lead: int
    start: int
    end: int


def chunks(text: str, *, most: int = MOST, overlap: int = OVERLAP) -> list[Chunk]:
    """The pieces of a text, in order; one for a text of at most `most` characters.

    >>> chunks("One. Two. Three.", most=10, overlap=5)
    [Chunk(lead=0, start=0, end=10), Chunk(lead=5, start=10, end=16)]
    """
    found: list[Chunk] = []
    start = 0
    while len(text) - start > most:
        end = _cut(text, start + most // 2, start + most) or start + most
        found.append(Chunk(_lead(text, start, overlap), start, end))
        start = end
    return [*found, Chunk(_lead(text, start, overlap), start, len(text))]


def _lead(text: str, start: int, overlap: int) -> int:
    """Where the repeated part begins: after the first good break in reach, so that it is whole turns or sentences."""
    earliest = max(0, start - overlap)
    if start == 0 or earliest == 0:
        return earliest
    for pattern in _BREAKS:
        if (match := pattern.search(text, earliest, start - 1)) and match.end() < start:
            return match.end()
    return earliest


def _cut(text: str, first: int, last: int) -> int | None:
    """The last good place to cut in text[first:last], the best kind of break first."""
    for pattern in _BREAKS:
        ends = [match.end() for match in pattern.finditer(text, first, last)]
        if ends:
            return ends[-1]
    return None
