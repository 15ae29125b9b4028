"""The part of a long text that a question is about, and of a record its words. What is left out shows as "…"."""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_right
from collections import Counter
from itertools import pairwise

from tkgmem.graph import Episode
from tkgmem.search.context.tokens import count
from tkgmem.store.words import segment
from tkgmem.wording import one_line

CUT = "…"
_STOP = re.compile(r"[.!?;]\s+|[。！？；]\s*|\s*\n\s*")
_WORD = re.compile(r"\w{2,}")
_STEM = 5
_LEAST = 20
"""Characters of a piece at least."""
_DENSE = 1.5
"""Bytes a character from which a text is written without spaces."""


def words_of(episode: Episode) -> str:
    """What was told; of a record its keys and values, without the marks of JSON."""
    if episode.source != "json":
        return episode.content
    try:
        record = json.loads(episode.content)
    except ValueError:  # kept as it came
        return episode.content
    if not isinstance(record, dict):
        return episode.content
    values = (
        (key, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)) for key, value in record.items()
    )
    return "; ".join(f"{key}: {value}" for key, value in values)


class Excerpts:
    """Cuts texts around what one question is about, by the words that they share with it, the rarer in the text the better."""

    def __init__(self, question: str) -> None:
        stems = sorted({word[:_STEM] for word in _WORD.findall(segment(question))})
        patterns = [rf"\b{stem}" if stem.isascii() else stem for stem in map(re.escape, stems)]
        self._asked = re.compile("|".join(patterns) or r"(?!)", re.IGNORECASE)

    def cut(self, text: str, tokens: int) -> str:
        """The text on one line, or as many of its sentences around the best one as fit into the tokens; "" if none does."""
        if len(text) <= 10 * max(tokens, 1) and count(whole := one_line(text)) <= tokens:
            return whole
        pieces = _pieces(text, max(_LEAST, tokens // 2 if len(text.encode()) > _DENSE * len(text) else 2 * tokens))
        return _grown(text, pieces, self._best(text, pieces), tokens)

    def _best(self, text: str, pieces: list[tuple[int, int]]) -> int:
        """The first of the pieces that say most of what is asked."""
        starts = [start for start, _ in pieces]
        said = {(bisect_right(starts, match.start()) - 1, match[0].casefold()) for match in self._asked.finditer(text)}
        often = Counter(stem for _, stem in said)
        scores = [0.0] * len(pieces)
        for piece, stem in sorted(said):
            scores[piece] += math.log(1 + len(pieces) / often[stem])
        return scores.index(max(scores))


def _pieces(text: str, most: int) -> list[tuple[int, int]]:
    """The spans of the sentences, end to end; one of more than so many characters is cut between words."""
    ends = [match.end() for match in _STOP.finditer(text)]
    cuts = [0]
    for end in [*ends, len(text)]:
        while end - cuts[-1] > most:
            space = text.rfind(" ", cuts[-1] + most // 2, cuts[-1] + most)
            cuts.append(cuts[-1] + most if space < 0 else space + 1)
        if end > cuts[-1]:
            cuts.append(end)
    return list(pairwise(cuts))


def _grown(text: str, pieces: list[tuple[int, int]], best: int, tokens: int) -> str:
    """The best piece with those after and before it in turn, as long as they fit; the start of it if it does not fit alone."""
    room = tokens - count(f"{CUT} {CUT}") - _cost(text, pieces[best])
    if room < 0:
        return _start(one_line(text[slice(*pieces[best])]), tokens)
    ends = {1: best, -1: best}
    open_sides = [1, -1]
    while open_sides:
        for side in list(open_sides):
            place = ends[side] + side
            cost = _cost(text, pieces[place]) if 0 <= place < len(pieces) else room + 1
            if cost > room:
                open_sides.remove(side)
            else:
                room, ends[side] = room - cost, place
    first, last = ends[-1], ends[1]
    shown = [CUT] if first else []
    shown.append(one_line(text[pieces[first][0] : pieces[last][1]]))
    return " ".join([*shown, *([CUT] if last < len(pieces) - 1 else [])])


def _cost(text: str, span: tuple[int, int]) -> int:
    return count(text[slice(*span)])


def _start(line: str, tokens: int) -> str:
    """As much of a line's start as fits, with the mark of the cut; "" if nothing does."""
    low, high = 0, len(line)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count(f"{line[:middle]} {CUT}") <= tokens else (low, middle - 1)
    return f"{line[:low].rstrip()} {CUT}" if low else ""
