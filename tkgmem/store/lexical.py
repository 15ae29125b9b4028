"""Full text: what is indexed, and the rows that words of a question find, by BM25, among those that the question can see.

The cost of an answer is bounded by how many rows its words have, and by the time there is. It is exact where the words can be
asked for in full or few rows are seen; else rows are found by the rare words, and by common ones among the newest.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Literal

import apsw

from tkgmem.store import aliases, bm25
from tkgmem.store.bm25 import Words
from tkgmem.store.clocks import View
from tkgmem.store.limit import OutOfTime, time_limit
from tkgmem.store.rows import in_list
from tkgmem.store.words import segment

Table = Literal["episode_text", "claim_text", "entity_text", "summary_text"]

Found = list[tuple[int, float]]
"""Rows with their BM25 scores, the higher the better, best first."""

_FEW = 500  # rows in sight that are all read and scored, rather than asking with words that are common elsewhere
_NEWEST = 50_000  # rows of the table in which words that are all common are looked for first
_TOGETHER = 6  # of such words, how many are asked for together
_GRACE = 0.008  # seconds kept for an answer when the time is over


def index_episode(db: apsw.Connection, row: int, text: str) -> None:
    """Make an episode's text searchable, in place of what was there."""
    _index(db, "episode_text", row, text)


def index_claim(db: apsw.Connection, row: int, text: str) -> None:
    """Make a claim's text searchable, in place of what was there."""
    _index(db, "claim_text", row, text)


def index_entity(db: apsw.Connection, row: int, name: str) -> None:
    """Make a name of an entity searchable. Each row of `aliases` is searched on its own: it has its own system time."""
    for alias in aliases.of_entities(db, [row], name):
        index_alias(db, alias, name)


def index_alias(db: apsw.Connection, row: int, name: str) -> None:
    """Make the name in one row of `aliases` searchable, in place of what was there."""
    _index(db, "entity_text", row, name)


def _index(db: apsw.Connection, table: str, row: int, text: str) -> None:
    db.execute(f"DELETE FROM {table} WHERE rowid = ?", (row,))
    db.execute(f"INSERT INTO {table} (rowid, text) VALUES (?, ?)", (row, segment(text)))


def forget(db: apsw.Connection, *, episodes: Sequence[int] = (), claims: Sequence[int] = (), names: Sequence[int] = ()) -> None:
    """Remove rows (of episodes, claims, aliases) from the full text, and the words that they alone held from its index.

    The index is made again from the rows that are left: 'optimize' keeps a deleted word, marked as such, where the index once
    had more levels, and FTS5's own option for this ('secure-delete') makes a file that SQLite before 3.42 cannot search.
    """
    for table, rows in (("episode_text", episodes), ("claim_text", claims), ("entity_text", names)):
        if rows:
            db.execute(f"DELETE FROM {table} WHERE rowid IN (SELECT value FROM json_each(?))", (in_list(rows),))
            db.execute(f"INSERT INTO {table} ({table}) VALUES ('rebuild')")


def _nothing() -> None:
    """Nobody asked to be told."""


def words(db: apsw.Connection, table: Table, question: str) -> Words:
    """The words of a question that this table has, with how many of its rows hold each."""
    return bm25.choose(db, table, question)


def scores(db: apsw.Connection, words: Words, rows: Sequence[int]) -> dict[int, float]:
    """The scores of given rows, of those that hold any of the words."""
    return bm25.scores(db, words, rows)


def search(
    db: apsw.Connection, words: Words, view: View, limit: int, *, ends: float | None = None, cut: Callable[[], None] = _nothing
) -> Found:
    """Rows in view that hold any of the words, best first, ties by row: of episodes, claims or aliases, as the table has them.

    ends: when the answer is due, in seconds of time.perf_counter. cut: called if not every row with these words was looked at.
    """
    if not words.terms:
        return []
    due = None if ends is None else ends - _GRACE
    with suppress(OutOfTime), time_limit(db, due):
        if words.complete:
            return _found_by_rare(db, words, view, limit)
        few = _all_of_small_groups(db, view)
        if few is None and words.finding and (found := _found_by_rare(db, words, view, limit)):
            return found
        if few is not None or (few := view.all(db, _FEW)) is not None:
            return _best(bm25.scores(db, words, few), limit)
    cut()
    return _best(bm25.scores(db, words, _newest(db, words, view, limit, due)), limit)


def _best(scored: Mapping[int, float], limit: int) -> Found:
    return sorted(scored.items(), key=lambda item: (-item[1], item[0]))[:limit]


def _all_of_small_groups(db: apsw.Connection, view: View) -> list[int] | None:
    """All rows in sight, if the groups hold few at all: then what is common in other groups says nothing."""
    there = f"SELECT r.id FROM {view.table} r WHERE {view.scope} LIMIT :k"
    rows = [row for (row,) in db.execute(there, {**view.bindings, "k": _FEW + 1})]
    return view.only(db, rows) if len(rows) <= _FEW else None


def _found_by_rare(db: apsw.Connection, words: Words, view: View, limit: int) -> Found:
    """By the words that find rows. The best are looked at first; if too few are in sight, only those in sight are ranked."""
    table, wanted = words.table, limit if words.ranked else 2 * limit
    bindings = {**view.bindings, "q": words.match, "k": 4 * limit}
    # ORDER BY rank alone would have FTS5 sort every row found; with the row id it is SQLite, which keeps the first k
    best = f"SELECT rowid, -rank FROM {table} WHERE {table} MATCH :q ORDER BY rank, rowid LIMIT :k"
    found: dict[int, float] = dict(db.execute(best, bindings))
    seen = view.first(db, list(found), wanted)
    if len(seen) < wanted and len(found) == 4 * limit:
        inside = (
            f"SELECT f.rowid, -f.rank FROM {table} f CROSS JOIN {view.table} r ON r.id = f.rowid"
            f" WHERE {table} MATCH :q AND {view.where} ORDER BY f.rank, f.rowid LIMIT :k"
        )
        found = dict(db.execute(inside, {**bindings, "k": wanted}))
        seen = list(found)
    if words.ranked:
        return [(row, found[row]) for row in seen[:limit]]
    return _best(bm25.scores(db, words, seen), limit)


def _newest(db: apsw.Connection, words: Words, view: View, limit: int, due: float | None) -> list[int]:
    """Rows in sight that hold words which are all common: with many of them together first, always the newest first."""
    found: dict[int, None] = {}
    with suppress(OutOfTime), time_limit(db, due):
        floor = int(db.execute(f"SELECT rowid FROM {words.table} ORDER BY rowid DESC LIMIT 1").get) - _NEWEST
        for number in range(min(len(words.terms), _TOGETHER), 0, -1):
            _collect(db, words, bm25.all_of(words.terms[:number]), view, 2 * limit, floor, found)
        if len(found) < limit:
            _collect(db, words, bm25.any_of(words.terms), view, 2 * limit, 0, found)
    if due is not None and len(found) < limit:
        _hurry(db, words, view, limit, found)
    return list(found)


def _hurry(db: apsw.Connection, words: Words, view: View, limit: int, found: dict[int, None]) -> None:
    """Add what is had at once, by work and not by the clock, so that a busy machine too answers with something."""
    newest = f"SELECT rowid FROM {words.table} WHERE {words.table} MATCH ? ORDER BY rowid DESC LIMIT ?"
    for match in (words.terms[0].match, bm25.any_of(words.terms)):
        found.update(dict.fromkeys(view.only(db, [row for (row,) in db.execute(newest, (match, 2 * limit))])))
    if not found:
        with suppress(OutOfTime), time_limit(db, time.perf_counter() + _GRACE):
            _collect(db, words, bm25.any_of(words.terms), view, limit, 0, found)


def _collect(
    db: apsw.Connection, words: Words, match: str, view: View, number: int, floor: int, found: dict[int, None]
) -> None:
    """Add rows in sight above `floor`, until there are so many. What was found before the time is over stays found."""
    if len(found) >= number:
        return
    newest = (
        f"SELECT f.rowid FROM {words.table} f CROSS JOIN {view.table} r ON r.id = f.rowid"
        f" WHERE {words.table} MATCH :q AND f.rowid > :floor AND {view.where} ORDER BY f.rowid DESC LIMIT :k"
    )
    for (row,) in db.execute(newest, {**view.bindings, "q": match, "floor": floor, "k": number}):
        found[row] = None
