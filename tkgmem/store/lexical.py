"""Full text: words cut so that a plain FTS5 table finds them in any script, and questions made of words only, never of syntax.

A run of CJK is indexed as its pairs of characters and its last character, so a word of two characters is one token. The same
cut is made of a question, whose words are quoted: no text of a user can be an operator.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise

import apsw

from tkgmem.store import aliases
from tkgmem.store.clocks import View
from tkgmem.store.rows import in_list

_RUN = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0003ffff]+")
_WORD = re.compile(r"[^\W_]+|[\U0001f000-\U0001faff\u2600-\u27bf]")
MAX_TERMS = 32
_COMMON, _FEW = 0.05, 10  # a word in more than this share of the rows, and in more than a few, says little


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def segment(text: str) -> str:
    """The text as FTS5 should see it: width and case folded, each CJK run as its pairs and last character, emoji as names.

    >>> segment("会议记录 ABC")
    ' 会议 议记 记录 录  abc'
    """
    spaced = _RUN.sub(lambda run: " " + " ".join([*_pairs(run[0]), run[0][-1]]) + " ", _fold(text))
    return _SYMBOL.sub(lambda symbol: f" u{ord(symbol[0]):x} ", spaced)


_SYMBOL = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf]")  # FTS5 would drop these; a name may be an emoji


def _pairs(run: str) -> list[str]:
    return [a + b for a, b in pairwise(run)]


def terms(query: str) -> list[str]:
    """The FTS5 terms of a question, each one a quoted word or the quoted start of one, without repetition."""
    found: dict[str, None] = {}
    folded = _fold(query)
    for run in _RUN.findall(folded):
        for pair in _pairs(run) or [run]:
            found[f'"{pair}"' if len(run) > 1 else f'"{pair}"*'] = None
    for word in _WORD.findall(_RUN.sub(" ", folded)):
        found[f'"u{ord(word):x}"' if _SYMBOL.fullmatch(word) else f'"{word}"'] = None
    return list(found)


def _selected(db: apsw.Connection, table: str, query: str, view: View) -> list[str]:
    """A question as FTS5 expressions to try in turn: its rare words, then all that occur in the rows of the scope."""
    rows = int(db.execute(view.size, view.bindings).get)
    common = max(_FEW, int(rows * _COMMON))
    count = (
        f"SELECT count(*) FROM (SELECT 1 FROM {table} f CROSS JOIN {view.table} r ON r.id = f.rowid"
        f" WHERE {table} MATCH :term AND {view.scope} LIMIT :most)"
    )
    counted = []
    for term in terms(query):
        found = int(db.execute(count, {**view.bindings, "term": term, "most": common + 1}).get)
        if found:
            counted.append((found, term))
    counted.sort(key=lambda item: item[0])
    rare = [term for found, term in counted if found <= common][:MAX_TERMS]
    every = [term for _, term in counted][:MAX_TERMS]
    return [" OR ".join(chosen) for chosen in ((rare, every) if rare != every else (every,)) if chosen]


def index_episode(db: apsw.Connection, row: int, text: str) -> None:
    """Make an episode's text searchable, in place of what was there."""
    _index(db, "episode_text", row, text)


def index_claim(db: apsw.Connection, row: int, text: str) -> None:
    """Make a claim's text searchable, in place of what was there."""
    _index(db, "claim_text", row, text)


def index_entity(db: apsw.Connection, row: int, name: str) -> None:
    """Make a name of an entity searchable. Each row of `aliases` is searched on its own: it has its own system time."""
    for alias in aliases.of_entities(db, [row], name):
        _index(db, "entity_text", alias, name)


def _index(db: apsw.Connection, table: str, row: int, text: str) -> None:
    db.execute(f"DELETE FROM {table} WHERE rowid = ?", (row,))
    db.execute(f"INSERT INTO {table} (rowid, text) VALUES (?, ?)", (row, segment(text)))


def forget(db: apsw.Connection, *, episodes: Sequence[int] = (), claims: Sequence[int] = (), names: Sequence[int] = ()) -> None:
    """Remove rows (of episodes, claims, aliases) from the full text, and the words that they alone held from its index."""
    for table, rows in (("episode_text", episodes), ("claim_text", claims), ("entity_text", names)):
        if rows:
            db.execute(f"DELETE FROM {table} WHERE rowid IN (SELECT value FROM json_each(?))", (in_list(rows),))
            db.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")  # a deleted word stays until segments are merged


def _ranked(db: apsw.Connection, table: str, query: str, view: View, limit: int) -> list[int]:
    """Rows by BM25, best first, the visible ones only: by the rare words of the question, by all where these find none."""
    for match in _selected(db, table, query, view):
        if rows := _matching(db, table, match, view, limit):
            return rows
    return []


def _matching(db: apsw.Connection, table: str, match: str, view: View, limit: int) -> list[int]:
    """The best are looked at first; if too few of them are visible, only visible ones are ranked at all."""
    bindings = {**view.bindings, "q": match, "k": 4 * limit}
    best = f"SELECT rowid FROM {table} WHERE {table} MATCH :q ORDER BY rank, rowid LIMIT :k"
    found = [row for (row,) in db.execute(best, bindings)]
    visible = view.only(db, found)
    if len(visible) >= limit or len(found) < 4 * limit:
        return visible[:limit]
    inside = (
        f"SELECT f.rowid FROM {table} f CROSS JOIN {view.table} r ON r.id = f.rowid WHERE {table} MATCH :q AND {view.where}"
        " ORDER BY f.rank, f.rowid LIMIT :k"
    )
    return [row for (row,) in db.execute(inside, {**bindings, "k": limit})]


def search_episodes(db: apsw.Connection, query: str, view: View, limit: int) -> list[int]:
    """Rows of episodes by BM25, best first."""
    return _ranked(db, "episode_text", query, view, limit)


def search_claims(db: apsw.Connection, query: str, view: View, limit: int) -> list[int]:
    """Rows of claims by BM25, best first."""
    return _ranked(db, "claim_text", query, view, limit)


def search_names(db: apsw.Connection, query: str, view: View, limit: int) -> list[int]:
    """Rows of `aliases` that hold words of the question, by BM25, best first."""
    return _ranked(db, "entity_text", query, view, limit)
