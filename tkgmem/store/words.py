"""Words cut so that a plain FTS5 table finds them in any script, and questions made of words only, never of syntax.

A run of CJK is indexed as its pairs of characters and its last character, so a word of two characters is one token. The same
cut is made of a question, whose words are quoted: no text of a user can be an operator.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise

_RUN = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0003ffff]+")
_SYMBOLS = "\U0001f000-\U0001faff\u2600-\u27bf"
_SYMBOL = re.compile(f"[{_SYMBOLS}]")  # FTS5 would drop these; a name may be an emoji
_WORD = re.compile(rf"[^\W_]+|[{_SYMBOLS}]")
_JOINED = re.compile(r"[^\s'\u2019]+")  # what is written in one piece; an apostrophe joins nothing worth asking for
_LONG = 40_000  # characters at each end of an overlong question that are read
MAX_LOOKED_UP = 64
"""How many different words of a question are looked up at most."""

_FUNCTION_WORDS = frozenset(
    re.findall(
        r"\w+",
        """a an the and or but if of at by for with about to from in on is are was were be been being am do does did doing
        have has had having i you he she it we they me him her us them my your his its our their this that these those what
        which who whom whose when where why how not no so as than then there can could would should just s t""",
    )
)
"""English words that say how a question is put, not what it is about: asked for only where a question has no others.

Measured on BM25 alone, recall at 10 over LoCoMo turns: .566 with them, .618 without. A capital keeps one ("US", "The Who"),
except at the start; "may", "will", "might" and "must" are names and nouns too. No list of Chinese pairs gained anything.
"""


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def segment(text: str) -> str:
    """The text as FTS5 should see it: width and case folded, each CJK run as its pairs and last character, emoji as names.

    >>> segment("会议记录 ABC")
    ' 会议 议记 记录 录  abc'
    """
    spaced = _RUN.sub(lambda run: " " + " ".join([*_pairs(run[0]), run[0][-1]]) + " ", _fold(text))
    return _SYMBOL.sub(lambda symbol: f" u{ord(symbol[0]):x} ", spaced)


def _pairs(run: str) -> list[str]:
    return list(map("".join, pairwise(run)))


def terms(query: str) -> list[str]:
    """The FTS5 terms of a question, without repetition: quoted words, the quoted start of one, and quoted phrases.

    >>> terms("What did 小李 say about ZX-518?")
    ['"小李"', '"say"', '"zx"', '"518"', '"zx 518"']
    """
    if len(query) > 2 * _LONG:
        query = f"{query[:_LONG]} {query[-_LONG:]}"
    wide = unicodedata.normalize("NFKC", query)
    found: dict[str, None] = {}
    for run in dict.fromkeys(_RUN.findall(wide)):
        found.update(dict.fromkeys([f'"{pair}"' for pair in dict.fromkeys(_pairs(run))] or [f'"{run}"*']))
    spaced = _RUN.sub(" ", wide)
    found.update(dict.fromkeys(f'"{_name(word)}"' for word in _telling(list(dict.fromkeys(_WORD.findall(spaced))))))
    found.update(dict.fromkeys(f'"{phrase}"' for phrase in _phrases(spaced.casefold())))
    return _fewer(list(found))


def is_function_word(word: str) -> bool:
    """Whether an English word, in lower case, says how a sentence is put, not what it is about."""
    return word in _FUNCTION_WORDS


def _name(word: str) -> str:
    return f"u{ord(word):x}" if len(word) == 1 and _SYMBOL.fullmatch(word) else word


def _telling(words: list[str]) -> list[str]:
    """The words that are no function words, or are capitalised and not the first; all, if there are none."""
    folded = [word.casefold() for word in words]
    named = [place and len(word) > 1 and word[0].isupper() for place, word in enumerate(words)]
    return [word for word, name in zip(folded, named, strict=True) if name or word not in _FUNCTION_WORDS] or folded


def _phrases(folded: str) -> Iterator[str]:
    """What is one token to its writer and several to FTS5: "3.14", "kB/s", "9B1C-77AE", an emoji of several characters.

    Words that a hyphen or a slash joins are not among these: as a phrase they only cost recall (measured).
    """
    for piece in dict.fromkeys(_JOINED.findall(folded)):
        parts = [] if piece.isalnum() else _WORD.findall(piece)
        if len(parts) > 1 and any(len(part) == 1 or any(map(str.isdigit, part)) for part in parts):
            yield " ".join(map(_name, parts[:8]))


def _fewer(found: list[str]) -> list[str]:
    """Of too many terms the longest, which are mostly the rare ones, and as many spread evenly over the rest."""
    if len(found) <= MAX_LOOKED_UP:
        return found
    half = MAX_LOOKED_UP // 2
    kept = set(sorted(found, key=len, reverse=True)[:half])
    rest = [term for term in found if term not in kept]
    kept.update(rest[place * len(rest) // half] for place in range(half))
    return [term for term in found if term in kept]
