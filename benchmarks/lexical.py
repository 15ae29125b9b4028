"""Time of the full text search alone, at 10,000 to 1,000,000 rows of made-up text, also where every word is common.

The rows are written straight into the file, without vectors or a model: what is measured are `claims` and `episodes` of
`tkgmem.store.lexical`, on facts of which a third has ended, with two groups in one file. `cut` counts the answers that did not
look at every row. With a deadline the time includes what an answer took beyond it.
"""

from __future__ import annotations

import random
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from benchmarks.numbers import mean, spread
from tkgmem.store import lexical
from tkgmem.store.clocks import EVERYTHING, View, view_claims, view_nodes
from tkgmem.store.connection import Store

SEED = 12
_LIMIT, _DEADLINE_MS, _QUESTIONS = 50, 25.0, 60
_RELATIONS = ("works at", "lives in", "member of", "plays for", "is owned by", "chairs", "likes", "knows")
_COMMON = [f"{a}{b}m" for a in "bdfgklnr" for b in "aeiou"]
_WORDS = [
    f"{a}{b}{c}{d}" for a in "bdfgklnrstvz" for b in "aeiou" for c in "bdfgklnrstvz" for d in ("an", "el", "ir", "ox", "um")
]
_CHANCES = list(accumulate(1 / (place + 3) for place in range(len(_WORDS))))


class Method(NamedTuple):
    """What is asked: a table, the rows of it that are seen, and questions."""

    table: lexical.Table
    view: View
    questions: Sequence[str]


def run(data: Path | None, quick: bool, *, million: bool = False) -> dict[str, Any]:  # noqa: ARG001 - needs no data
    """Measure each size in turn, in one growing file."""
    sizes = (1_000, 5_000) if quick else (10_000, 100_000, 1_000_000) if million else (10_000, 100_000)
    chance = random.Random(SEED)
    samples: dict[str, dict[str, list[dict[str, Any]]]] = {}
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "lexical.db") as store:
        for before, size in zip((0, *sizes), sizes, strict=False):
            with store.write() as db:
                _fill(db, chance, before, size)
            samples[f"{size:,} rows"] = _measure(store, chance, 5 if quick else _QUESTIONS)
    return {
        "seed": SEED,
        "settings": {"sizes": list(sizes), "limit": _LIMIT, "deadline_ms": _DEADLINE_MS},
        "summary": {size: {name: _summary(found) for name, found in asked.items()} for size, asked in samples.items()},
        "samples": samples,
    }


def _measure(store: Store, chance: random.Random, number: int) -> dict[str, list[dict[str, Any]]]:
    clocks = {"valid_at": 1_000, "known_at": EVERYTHING, "include_ended": False}
    facts, small = view_claims([1], **clocks), view_claims([2], **clocks)
    said = view_nodes("episodes", [1], known_at=EVERYTHING)
    named = [f"What is the {chance.choice(_RELATIONS)} of {_name(chance)}?" for _ in range(number)]
    worded = [f"Did anyone say {_said(chance, 5)}?" for _ in range(number)]
    common = [" ".join(chance.sample(_COMMON, 6)) for _ in range(number)]
    methods = {
        "a name": Method("claim_text", facts, named),
        "a name, in the small group": Method("claim_text", small, named),
        "five words": Method("claim_text", facts, worded),
        "six common words": Method("episode_text", said, common),
    }
    samples: dict[str, list[dict[str, Any]]] = {}
    with store.read() as db:
        for name, method in methods.items():
            samples[name] = [_asked(db, method, question, None) for question in method.questions]
            samples[f"{name}, deadline"] = [_asked(db, method, question, _DEADLINE_MS) for question in method.questions]
    return samples


def _asked(db: apsw.Connection, method: Method, question: str, deadline_ms: float | None) -> dict[str, Any]:
    cuts: list[bool] = []
    started = time.perf_counter()
    ends = None if deadline_ms is None else started + deadline_ms / 1_000
    found = lexical.search(
        db, lexical.words(db, method.table, question), method.view, _LIMIT, ends=ends, cut=lambda: cuts.append(True)
    )
    return {"ms": round((time.perf_counter() - started) * 1_000, 3), "rows": len(found), "cut": len(cuts)}


def _summary(found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {
        **spread([one["ms"] for one in found]),
        "rows": mean([one["rows"] for one in found]),
        "without an answer": sum(not one["rows"] for one in found),
        "cut": sum(one["cut"] for one in found),
    }


def _name(chance: random.Random) -> str:
    return f"{chance.choice(_WORDS)} {chance.choice(_WORDS)}".title()


def _said(chance: random.Random, number: int) -> str:
    return " ".join(chance.choices(_WORDS, cum_weights=_CHANCES, k=number))


def _fill(db: apsw.Connection, chance: random.Random, first: int, last: int) -> None:
    """Rows first + 1 to last of episodes and of claims, each claim a fact of its own; every 200th is in the second group."""
    if not first:
        db.executemany("INSERT INTO groups (id, name) VALUES (?, ?)", [(1, "large"), (2, "small")])
        db.executemany(
            "INSERT INTO entities (id, uuid, group_id, name, created_at) VALUES (?, ?, ?, ?, 0)",
            [(group, str(uuid.UUID(int=group)), group, "anyone") for group in (1, 2)],
        )
    rows = range(first + 1, last + 1)
    db.executemany(
        "INSERT INTO episodes (id, uuid, group_id, source, content, reference_time, reference_offset, created_at, state)"
        " VALUES (?, ?, ?, 'text', '', 0, 0, ?, 'done')",
        ((row, str(uuid.UUID(int=row)), _group(row), row) for row in rows),
    )
    db.executemany(
        "INSERT INTO claims (id, uuid, group_id, kind, source_id, relation, target_id, made_by, position, created_at)"
        " VALUES (?, ?, ?, 'assert', ?, 'SAID', ?, 'benchmark', 0, ?)",
        ((row, str(uuid.UUID(int=row)), _group(row), _group(row), _group(row), row) for row in rows),
    )
    db.executemany(
        "INSERT INTO versions (fact_id, group_id, source_id, relation, target_id, valid_at, invalid_at, created_at)"
        " VALUES (?, ?, ?, 'SAID', ?, 0, ?, ?)",
        ((row, _group(row), _group(row), _group(row), None if row % 3 else 500, row) for row in rows),
    )
    db.executemany("INSERT INTO supports (claim_id, fact_id, created_at) VALUES (?, ?, ?)", ((row, row, row) for row in rows))
    for row, said, fact in _texts(chance, rows):
        lexical.index_episode(db, row, said)
        lexical.index_claim(db, row, fact)


def _texts(chance: random.Random, rows: range) -> Iterator[tuple[int, str, str]]:
    for row in rows:
        fact = f"{_name(chance)} {chance.choice(_RELATIONS)} {_name(chance)} {_said(chance, 6)}"
        yield row, " ".join(chance.choices(_COMMON, k=10)), fact


def _group(row: int) -> int:
    return 1 if row % 200 else 2
