"""The entities that a question names: a name that they are believed to go by stands in it, word for word."""

from __future__ import annotations

import re
from dataclasses import replace

from tkgmem.search.fuse import Scored
from tkgmem.search.question import Question
from tkgmem.store import aliases, lexical
from tkgmem.store.bm25 import Words
from tkgmem.store.connection import Connection
from tkgmem.store.names import name_key

MOST = 20
"""How many entities a question is taken to name at most."""

_LISTED = 200  # names that share a word with the question, which are looked at
_LONGEST = 4_000  # characters of a question in which names are looked for
_LETTER = re.compile(r"[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
"""A letter or digit of a script that has spaces between words."""


def named_entities(db: Connection, question: Question, words: Words) -> list[Scored]:
    """Rows of the entities that the question names, those with the longest names first, each worth 1.

    Of names that overlap in it the longest counts: "New York Times" is not New York. A name of one letter or one Chinese
    character is no name here. What hits are held to does not matter: a question names Ann and asks for a city.
    """
    everyone = replace(question, conditions=None).names()
    listed = lexical.search(db, words, everyone, _LISTED) if words.terms else []
    rows = [row for row, _ in listed]
    text = name_key(question.text[:_LONGEST])
    taken: list[tuple[int, int]] = []
    found: dict[int, None] = {}
    owners = aliases.named(db, rows, question.known_at)
    for key, row in sorted(((key, row) for row, key in aliases.keys(db, rows).items()), key=lambda item: (-len(item[0]), item)):
        spans = _standing(key, text) if len(key) > 1 else []
        free = [span for span in spans if not any(a < span[1] and span[0] < b and (a, b) != span for a, b in taken)]
        if free and row in owners:
            taken += free
            found.setdefault(owners[row])
    return [(entity, 1.0) for entity in list(found)[:MOST]]


def _standing(key: str, text: str) -> list[tuple[int, int]]:
    """The spans where a name stands in a text; one in Latin letters only as whole words.

    No pattern is made of the name: to compile one takes a hundred times as long as to look.
    """
    found, start = [], text.find(key)
    while start >= 0:
        end = start + len(key)
        inside = _joins(text[start - 1 : start], key[0]) or _joins(key[-1], text[end : end + 1])
        if not inside:
            found.append((start, end))
        start = text.find(key, start + 1 if inside else end)
    return found


def _joins(one: str, other: str) -> bool:
    """Whether two neighbouring characters are within one word."""
    return bool(_LETTER.match(one) and _LETTER.match(other))
