"""BM25 over an FTS5 table at a bounded cost: a question's rare words find the rows, all of its words score them.

The score is the one that FTS5 calls rank (Robertson and Zaragoza 2009; k1 = 1.2, b = .75), as a positive number. FTS5 takes
about 2 µs for each row that holds any word asked for, so which words find rows is decided by how many rows hold them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple, cast

import apsw

from tkgmem.store.rows import in_list
from tkgmem.store.words import terms

WORK = 2_000
"""How many rows the words that find may have in all: recall stays that of asking with every word (LifeBench, 8,000 rows)."""

MOST = 8_000
"""How many rows the rarest word may have and still find them."""

SCORED = 30_000
"""How many rows the words that only score may have together with those that find, for FTS5 to score by them too: it counts
the rows of each word first, whatever rows are ranked. Beyond, the texts of the best are read and scored here."""

_K1, _B = 1.2, 0.75
_OPENING = 8  # what opening a text costs, in tokens
_READ = 100_000  # characters of a text that are scored: the rest of a longer one changes little
_TOKENIZER = ("porter", ["unicode61", "remove_diacritics", "2"])  # of every table, see migrations


class Term(NamedTuple):
    """A term of a question. rows: how many rows hold it; where `exact` is not set, more than were counted, estimated."""

    match: str
    rows: float
    exact: bool


class Words(NamedTuple):
    """The words of a question that occur in a table, the rarest first.

    finding: how many of them, from the first, find rows; none where even the rarest is too common.
    rows, tokens: the size of the table. absent: how many words of the question no row holds.
    """

    table: str
    terms: tuple[Term, ...]
    finding: int
    rows: int
    tokens: int
    absent: int = 0

    @property
    def complete(self) -> bool:
        """Whether every word finds rows, so that nothing is lost."""
        return self.finding == len(self.terms)

    @property
    def ranked(self) -> bool:
        """Whether the rank of `match` is the score."""
        return self.complete or self.postings <= SCORED

    @property
    def most(self) -> float:
        """The score of a text that is nothing but the words of the question, each often: no score is higher.

        Words that no row holds count as the rarest: a question in another language has few words that any text here holds.
        """
        unheard = self.absent * math.log((self.rows + 0.5) / 0.5)
        return (sum(_weight(self, term) for term in self.terms) + unheard) * (_K1 + 1)

    @property
    def postings(self) -> float:
        """How many rows all the words have, each word counted for itself."""
        return sum(term.rows for term in self.terms)

    @property
    def match(self) -> str:
        """The FTS5 expression of the rows that the rare words find, with the others as far as the rank should count them."""
        finding = any_of(self.terms[: self.finding])
        return f"({finding}) AND ({any_of(self.terms)})" if self.ranked and not self.complete else finding


def any_of(chosen: Iterable[Term]) -> str:
    """The FTS5 expression for rows that hold one of these."""
    return " OR ".join(term.match for term in chosen)


def all_of(chosen: Iterable[Term]) -> str:
    """The FTS5 expression for rows that hold each of these."""
    return " AND ".join(term.match for term in chosen)


def choose(db: apsw.Connection, table: str, query: str) -> Words:
    """The words of a question as this table has them."""
    rows, tokens = _size(db, table)
    last = int(db.execute(f"SELECT rowid FROM {table} ORDER BY rowid DESC LIMIT 1").get or 0)
    counted = [_counted(db, table, match, WORK, last) for match in terms(query)] if last else []
    found = _by_rows(term for term in counted if term.rows)
    finding = _finding(found)
    if found and not finding:
        near = [term.match for term in found if term.rows <= 2 * MOST]
        found = _by_rows(_counted(db, table, term.match, MOST, last) if term.match in near else term for term in found)
        finding = _finding(found)
    return Words(table, tuple(found), finding, rows, tokens, absent=len(counted) - len(found))


def _by_rows(found: Iterable[Term]) -> list[Term]:
    return sorted(found, key=lambda term: (term.rows, term.match))


def _finding(found: Sequence[Term]) -> int:
    total = 0.0
    for number, term in enumerate(found):
        if not term.exact or (total and total + term.rows > WORK):
            return number
        total += term.rows
    return len(found)


def _counted(db: apsw.Connection, table: str, match: str, most: int, last: int) -> Term:
    """A term with its number of rows, exact up to `most`; above, from how far the first so many reach."""
    count = f"SELECT count(*), max(rowid) FROM (SELECT rowid FROM {table} WHERE {table} MATCH ? LIMIT ?)"
    found, reached = next(db.execute(count, (match, most + 1)))
    return Term(match, found, True) if found <= most else Term(match, found * last / max(1, reached), False)


def _size(db: apsw.Connection, table: str) -> tuple[int, int]:
    """Rows and tokens of a table, from the first two numbers of FTS5's record of averages: counting them would read it all."""
    block = db.execute(f"SELECT block FROM {table}_data WHERE id = 1").get or b""
    numbers, value = [], 0
    for byte in block:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            numbers.append(value)
            value = 0
    return (numbers[0], numbers[1]) if len(numbers) > 1 else (0, 0)


def scores(db: apsw.Connection, words: Words, rows: Sequence[int]) -> dict[int, float]:
    """The scores of these rows, of those that hold any of the words.

    By FTS5, which walks through all rows of the words, or from the texts, whichever reads less: measured, a token of a text
    costs as much as a row of a word.
    """
    if not words.terms or not rows:
        return {}
    if words.postings > len(rows) * (words.tokens / max(1, words.rows) + _OPENING):
        return _scores_of_texts(db, words, rows)
    # the plus keeps FTS5 from being asked again for each row
    ranks = f"SELECT rowid, -rank FROM {words.table} WHERE {words.table} MATCH ? AND +rowid IN (SELECT value FROM json_each(?))"
    return dict(db.execute(ranks, (any_of(words.terms), in_list(rows))))


def _scores_of_texts(db: apsw.Connection, words: Words, rows: Sequence[int]) -> dict[int, float]:
    tokenizer = db.fts5_tokenizer(*_TOKENIZER)

    def cut(text: str, reason: int) -> list[str]:
        tokens = tokenizer(text.encode(), reason, None, include_offsets=False, include_colocated=False)
        return cast("list[str]", tokens)

    asked = [(cut(term.match.strip('"*'), apsw.FTS5_TOKENIZE_QUERY), term) for term in words.terms]
    wanted = [(tokens, term.match.endswith("*"), _weight(words, term)) for tokens, term in asked if tokens]
    average = max(1, words.tokens) / max(1, words.rows)
    texts = f"SELECT rowid, substr(text, 1, {_READ}) FROM {words.table} WHERE rowid IN (SELECT value FROM json_each(?))"
    found = {}
    for row, text in db.execute(texts, (in_list(rows),)):
        tokens = cut(text, apsw.FTS5_TOKENIZE_DOCUMENT)
        held, norm = set(tokens), _K1 * (1 - _B + _B * len(tokens) / average)
        score = 0.0
        for phrase, starts, weight in wanted:
            times = _times(tokens, held, phrase, starts)
            score += weight * times * (_K1 + 1) / (times + norm)
        if score:
            found[row] = score
    return found


def tokens(db: apsw.Connection, text: str) -> list[tuple[str, str]]:
    """The words of a text that is cut already (see `words.segment`), as the index has them, each with how it is written."""
    written = text.encode()
    cut = db.fts5_tokenizer(*_TOKENIZER)(written, apsw.FTS5_TOKENIZE_DOCUMENT, None, include_colocated=False)
    return [(token, written[start:end].decode()) for start, end, token in cast("list[tuple[int, int, str]]", cut)]


def _weight(words: Words, term: Term) -> float:
    return max(math.log((words.rows - term.rows + 0.5) / (term.rows + 0.5)) if term.rows < words.rows else 0.0, 1e-6)


def _times(tokens: Sequence[str], held: set[str], asked: Sequence[str], starts: bool) -> int:
    """How often a text has a word, the start of one, or a phrase."""
    if starts:
        return sum(token.startswith(asked[0]) for token in tokens)
    if not held.issuperset(asked):
        return 0
    if len(asked) == 1:
        return tokens.count(asked[0])
    return sum(tokens[at : at + len(asked)] == asked for at in range(len(tokens) - len(asked) + 1))
