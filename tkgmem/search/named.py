"""The entities that a question names: a name that they are believed to go by stands in it, word for word."""

from __future__ import annotations

import re

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
_WORD = r"[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]"


def named_entities(db: Connection, question: Question, words: Words) -> list[Scored]:
    """Rows of the entities that the question names, those with the longest names first, each worth 1.

    Of names that overlap in it the longest counts: "New York Times" is not New York. A name of one letter or one Chinese
    character is no name here.
    """
    listed = lexical.search(db, words, question.names(), _LISTED) if words.terms else []
    rows = [row for row, _ in listed]
    text = name_key(question.text[:_LONGEST])
    taken: list[tuple[int, int]] = []
    found: dict[int, None] = {}
    owners = aliases.named(db, rows, question.known_at)
    for key, row in sorted(((key, row) for row, key in aliases.keys(db, rows).items()), key=lambda item: (-len(item[0]), item)):
        spans = [match.span() for match in _standing(key, text)] if len(key) > 1 else []
        free = [span for span in spans if not any(a < span[1] and span[0] < b and (a, b) != span for a, b in taken)]
        if free and row in owners:
            taken += free
            found.setdefault(owners[row])
    return [(entity, 1.0) for entity in list(found)[:MOST]]


def _standing(key: str, text: str) -> list[re.Match[str]]:
    """Where a name stands in a text; a Latin one only as whole words."""
    before = rf"(?<!{_WORD})" if re.match(_WORD, key) else ""
    after = rf"(?!{_WORD})" if re.search(rf"{_WORD}$", key) else ""
    return list(re.finditer(before + re.escape(key) + after, text))
