"""Histories with known answers at known times: what `as_of` says of them, by valid time and by both clocks.

Snapshots (CC0): a question's answers on up to three days. The source is the subject, the relation the question's template (not
functional). Each day is told with the clock at its beginning: a new answer is valid from that day, one that has vanished ended
on it. At noon of each day `as_of`, with and without `known_at`, must give exactly the answers of that day; so must a much later
`valid_at` with that `known_at`, as the ends were not known yet. Noon, because the clock ticks with everything that is told.

Intervals (BSD-3), the ordered ones: `until` counts in full, so a fact ends with the next year. On each 1 July from `since` to
`until` the facts of that source and relation must be exactly those whose years contain it.

Meaning plays no part, so the vectors are those of a hash.
"""

from __future__ import annotations

import datetime as dt
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.chosen import SEED, interval
from benchmarks.datasets import rows
from benchmarks.numbers import spread
from tkgmem import Fact, Memory
from tkgmem.testing import FixedClock, HashEmbedder

SNAPSHOTS, INTERVALS = "histories/snapshots.jsonl.gz", "histories/intervals.jsonl.gz"
_WAYS = ("as_of", "both_clocks", "known_then")
_QUICK = 60
_NOON = dt.timedelta(hours=12)
_LAST = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)

Key = tuple[str, str]
"""A source and a relation."""


def run(data: Path | None, quick: bool) -> dict[str, Any]:
    """Tell both sets, each to a memory of its own, and ask."""
    questions = rows(data, SNAPSHOTS)
    facts = [row for row in rows(data, INTERVALS) if row["ordered"]]
    if quick:
        questions, facts = questions[:_QUICK], facts[:_QUICK]
    snapshots, intervals = _snapshots(questions), _intervals(facts)
    return {
        "seed": SEED,
        "settings": {"questions": len(questions), "intervals": len(facts), "embedder": HashEmbedder().name},
        "summary": {
            "snapshots": {way: interval([item[way] for item in snapshots["answers"]]) for way in _WAYS} | _speed(snapshots),
            "intervals": {"as_of": interval([item["as_of"] for item in intervals["answers"]])} | _speed(intervals),
        },
        "samples": {
            "snapshots": [item for item in snapshots["answers"] if not all(item[way] for way in _WAYS)],
            "intervals": [item for item in intervals["answers"] if not item["as_of"]],
        },
    }


def _speed(part: Mapping[str, Any]) -> dict[str, Any]:
    return {"told": part["told"], "add_ms": part["add_ms"], "as_of_ms": spread([item["ms"] for item in part["answers"]])}


def _snapshots(questions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    days = sorted({day for item in questions for day in item["answers_as_of"]})
    clock = FixedClock(_midnight(days[0]))
    told = 0
    answers: list[dict[str, Any]] = []
    with Memory(":memory:", embedder=HashEmbedder(), clock=clock) as memory:
        for relation in sorted({item["template"] for item in questions}):
            memory.define_relation(relation, functional=False)
        started = time.perf_counter()
        held: dict[Key, list[str]] = defaultdict(list)
        for day in days:
            clock.set(_midnight(day))
            for item in questions:
                if day in item["answers_as_of"]:
                    now, key = item["answers_as_of"][day], (item["subject"], item["template"])
                    told += _tell(memory, key, held[key], now, day)
                    held[key] = now
        spent = time.perf_counter() - started
        clock.set(_LAST)
        for item in questions:
            answers += _ask_snapshots(memory, item)
    return {"told": told, "add_ms": round(spent * 1_000 / max(1, told), 3), "answers": answers}


def _midnight(day: str) -> dt.datetime:
    return dt.datetime.fromisoformat(day).replace(tzinfo=dt.UTC)


def _tell(memory: Memory, key: Key, before: Sequence[str], now: Sequence[str], day: str) -> int:
    """Tell what is new and what has vanished; how many statements that were."""
    new = [answer for answer in now if answer not in before]
    gone = [answer for answer in before if answer not in now]
    for answer in new:
        memory.add_fact(*key, answer, valid_at=day)
    for answer in gone:
        memory.end_fact(*key, answer, at=day)
    return len(new) + len(gone)


def _ask_snapshots(memory: Memory, item: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    asked_for = {"source": item["subject"], "relation": item["template"]}
    for day, wanted in item["answers_as_of"].items():
        noon = _midnight(day) + _NOON
        started = time.perf_counter()
        found = memory.as_of(noon, **asked_for)
        spent = (time.perf_counter() - started) * 1_000
        yield {
            "subject": item["subject"],
            "property": item["relation"],
            "day": day,
            "as_of": _same(found, wanted),
            "both_clocks": _same(memory.as_of(noon, known_at=noon, **asked_for), wanted),
            "known_then": _same(memory.as_of(_LAST, known_at=noon, **asked_for), wanted),
            "ms": round(spent, 3),
        }


def _intervals(facts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    held: dict[Key, list[Mapping[str, Any]]] = defaultdict(list)
    for row in facts:
        held[row["s"], row["r"]].append(row)
    answers: list[dict[str, Any]] = []
    with Memory(":memory:", embedder=HashEmbedder(), clock=FixedClock(_LAST)) as memory:
        for relation in sorted({row["r"] for row in facts}):
            memory.define_relation(relation, functional=False)
        started = time.perf_counter()
        for row in facts:
            memory.add_fact(row["s"], row["r"], row["o"], valid_at=row["since"], invalid_at=f"{int(row['until']) + 1:04}")
        spent = time.perf_counter() - started
        for row in facts:
            years = range(int(row["since"]), int(row["until"]) + 1)
            answers += [_ask_july(memory, row, year, held[row["s"], row["r"]]) for year in years]
    return {"told": len(facts), "add_ms": round(spent * 1_000 / max(1, len(facts)), 3), "answers": answers}


def _ask_july(memory: Memory, row: Mapping[str, Any], year: int, held: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    wanted = {other["o"] for other in held if int(other["since"]) <= year <= int(other["until"])}
    started = time.perf_counter()
    found = memory.as_of(dt.datetime(year, 7, 1, tzinfo=dt.UTC), source=row["s"], relation=row["r"])
    spent = (time.perf_counter() - started) * 1_000
    return {"source": row["s"], "relation": row["r"], "year": year, "as_of": _same(found, wanted), "ms": round(spent, 3)}


def _same(found: Iterable[Fact], wanted: Iterable[str]) -> bool:
    return sorted(fact.target.name for fact in found) == sorted(wanted)
