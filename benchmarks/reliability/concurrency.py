"""Several processes and threads on one file: what was acknowledged is there once, and every answer in between is consistent.

A write is one transaction of beliefs. Every second one tells a record that makes two facts, which a reader must see together or
not at all; the others give one of some desks a place, by a functional relation: a reader must see one place at most, and none
only before the first. Counts must never go down. Beside the counts: the seconds, and the longest time that one write took.
"""

from __future__ import annotations

import itertools
import json
import multiprocessing
import random
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from tkgmem import Memory, TkgmemError
from tkgmem.testing import HashEmbedder

SEED = 5
DIMENSION = 16
DESKS = 30
_PAIR = [
    {"source": "$.box", "relation": "HOLDS", "target": "$.left"},
    {"source": "$.box", "relation": "HOLDS", "target": "$.right"},
]
_PLACED = "PLACED_AT"


class Flag(Protocol):
    """An Event, of threads or of processes."""

    def set(self) -> None: ...
    def is_set(self) -> bool: ...


class Gate(Protocol):
    """A Barrier, of threads or of processes."""

    def wait(self, timeout: float | None = None) -> int: ...


@dataclass
class Seen:
    """What one writer or reader met. seconds: of each write, or of each round of reading."""

    seconds: list[float] = field(default_factory=list)
    done: int = 0
    errors: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def run(quick: bool, *, seed: int = SEED) -> dict[str, Any]:
    """Each part with a file of its own."""
    writes = 20 if quick else 500
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        return {
            "processes": processes(folder / "processes.db", writers=4, readers=4, writes=writes, seed=seed),
            "threads": threads(folder / "threads.db", writers=8, readers=4, writes=writes // 2, seed=seed),
            "open_write_close": churn(folder / "churn.db", workers=4, rounds=5 if quick else 100),
            "contradictions": contradictions(folder / "race.db", workers=2, rounds=3 if quick else 50),
        }


def opened(path: Path, *, read_only: bool = False) -> Memory:
    """A memory without a model."""
    return Memory(path, embedder=HashEmbedder(DIMENSION), read_only=read_only)


# --- writers and readers ---


def processes(path: Path, *, writers: int, readers: int, writes: int, seed: int = SEED) -> dict[str, Any]:
    """Writing and reading processes on one file."""
    _furnish(path)
    with _workers(writers + readers, apart=True) as (pool, gate, over):
        writing = [pool.submit(_write_alone, path, gate, number, writes, seed) for number in range(writers)]
        reading = [pool.submit(_read_alone, path, gate, over, number, writers) for number in range(readers)]
        return _together(path, writing, reading, over, writes)


def threads(path: Path, *, writers: int, readers: int, writes: int, seed: int = SEED) -> dict[str, Any]:
    """Writing and reading threads on one Memory."""
    _furnish(path)
    with opened(path) as memory, _workers(writers + readers, apart=False) as (pool, gate, over):
        writing = [pool.submit(_write, memory, gate, number, writes, seed) for number in range(writers)]
        reading = [pool.submit(_read, memory, gate, over, number, writers) for number in range(readers)]
        return _together(path, writing, reading, over, writes)


@contextmanager
def _workers(number: int, *, apart: bool) -> Iterator[tuple[Executor, Gate, Flag]]:
    """Processes (apart) or threads, with a gate that opens when all are there, and a flag."""
    if not apart:
        with ThreadPoolExecutor(number) as pool:
            yield pool, threading.Barrier(number), threading.Event()
        return
    context = multiprocessing.get_context("spawn")
    with context.Manager() as manager, ProcessPoolExecutor(number, mp_context=context) as processes:
        yield processes, manager.Barrier(number), manager.Event()


def _furnish(path: Path) -> None:
    with opened(path) as memory:
        memory.define_relation(_PLACED, functional=True)


def _together(
    path: Path, writing: Sequence[Future[Seen]], reading: Sequence[Future[Seen]], over: Flag, writes: int
) -> dict[str, Any]:
    started = time.perf_counter()
    try:
        wrote = [future.result() for future in writing]
    finally:
        over.set()
    seconds = time.perf_counter() - started
    read = [future.result() for future in reading]
    with opened(path, read_only=True) as memory:
        found = _found(memory, len(writing), writes)
    return {
        "writes": len(writing) * writes,
        "acknowledged": sum(seen.done for seen in wrote),
        **found,
        "errors": [error for seen in (*wrote, *read) for error in seen.errors],
        "reads": sum(seen.done for seen in read),
        "wrong_answers": [wrong for seen in read for wrong in seen.wrong],
        "seconds": round(seconds, 2),
        "longest_write_seconds": _longest(wrote),
        "longest_read_seconds": _longest(read),
    }


def _longest(seen: Sequence[Seen]) -> float:
    return round(max((seconds for one in seen for seconds in one.seconds), default=0.0), 3)


def _write_alone(path: Path, gate: Gate, number: int, writes: int, seed: int) -> Seen:
    with opened(path) as memory:
        return _write(memory, gate, number, writes, seed)


def _write(memory: Memory, gate: Gate, number: int, writes: int, seed: int) -> Seen:
    seen, chance = Seen(), random.Random(f"{seed} {number}")
    gate.wait(120)
    for index in range(writes):
        started = time.perf_counter()
        try:
            if index % 2:
                box = f"box {number} {index}"
                record = {"box": box, "left": f"left {number} {index}", "right": f"right {number} {index}"}
                memory.add(json.dumps(record), source="json", mapping=_PAIR, reference_time="2024-01-01")
            else:
                day = f"{chance.randrange(2000, 2024)}-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}"
                memory.add_fact(f"desk {chance.randrange(DESKS)}", _PLACED, f"room {number} {index}", valid_at=day)
            seen.done += 1
        except TkgmemError as error:
            seen.errors.append(f"{type(error).__name__}: {error}")
        seen.seconds.append(time.perf_counter() - started)
    return seen


def _found(memory: Memory, writers: int, writes: int) -> dict[str, int]:
    """How many of the writes are there, and whether any is there twice."""
    stats = memory.stats()
    there = 0
    for number, index in itertools.product(range(writers), range(writes)):
        if index % 2:
            there += len(memory.as_of("2025", source=f"box {number} {index}")) == 2
        else:
            there += len(memory.history(memory.entity(f"room {number} {index}").entity)) > 0
    doubled = stats.claims - writers * (writes // 2 * 2 + (writes + 1) // 2) + stats.episodes - writers * (writes // 2)
    return {"found": there, "doubled": doubled}


def _read_alone(path: Path, gate: Gate, over: Flag, number: int, writers: int) -> Seen:
    with opened(path, read_only=number % 2 == 0) as memory:
        return _read(memory, gate, over, number, writers)


def _read(memory: Memory, gate: Gate, over: Flag, number: int, writers: int) -> Seen:
    seen, placed, chance = Seen(), set[str](), random.Random(number)
    counts: tuple[int, ...] = (0, 0, 0)
    gate.wait(120)
    while not over.is_set():
        started = time.perf_counter()
        try:
            counts = _look(memory, seen, counts, placed)
            newest = counts[0] // writers * 2 + chance.choice((-3, -1, 1, 3))
            _look_in(memory, seen, f"box {chance.randrange(writers)} {max(newest, 1)}")
            seen.done += 1
        except TkgmemError as error:
            seen.errors.append(f"{type(error).__name__}: {error}")
        seen.seconds.append(time.perf_counter() - started)
    return seen


def _look(memory: Memory, seen: Seen, before: tuple[int, ...], placed: set[str]) -> tuple[int, ...]:
    """The counts, and where the desks are; what cannot be is noted."""
    stats = memory.stats()
    counts = stats.episodes, stats.claims, stats.versions
    if any(now < then for now, then in zip(counts, before, strict=True)):
        seen.wrong.append(f"counts went down from {before} to {counts}")
    held = Counter(fact.source.name for fact in memory.as_of("2025", relation=_PLACED))
    seen.wrong += [f"{name} is in {number} places" for name, number in held.items() if number != 1]
    seen.wrong += [f"{name} is gone" for name in sorted(placed - set(held))]
    placed.update(held)
    for hit in memory.search("where is the desk", valid_at="2025", limit=5).facts:
        if hit.item.relation == _PLACED and hit.item.invalid_at is not None:
            seen.wrong.append(f"search shows {hit.item.fact}, which is over")
    return counts


def _look_in(memory: Memory, seen: Seen, box: str) -> None:
    """A box that is perhaps being told of right now holds two things or none."""
    held = memory.as_of("2025", source=box)
    if len(held) not in (0, 2):
        seen.wrong.append(f"{box} holds {len(held)} things")


# --- opening and closing ---


def churn(path: Path, *, workers: int, rounds: int, apart: bool = True) -> dict[str, Any]:
    """Processes, or threads, that open the file, write a fact and close it, again and again; the last leaves one file."""
    started = time.perf_counter()
    with _workers(workers, apart=apart) as (pool, gate, _):
        seen = [future.result() for future in [pool.submit(_churn, path, gate, n, rounds) for n in range(workers)]]
    seconds = time.perf_counter() - started
    with opened(path) as memory:  # the last of them may only have read, and can take nothing away
        found = memory.stats().claims
    beside = sorted(file.name for file in path.parent.glob(f"{path.name}-*"))
    return {
        "rounds": workers * rounds,
        "acknowledged": sum(one.done for one in seen),
        "found": found,
        "errors": [error for one in seen for error in one.errors],
        "side_files": beside,
        "seconds": round(seconds, 2),
        "longest_round_seconds": _longest(seen),
    }


def _churn(path: Path, gate: Gate, number: int, rounds: int) -> Seen:
    seen = Seen()
    gate.wait(120)
    for index in range(rounds):
        started = time.perf_counter()
        try:
            with opened(path) as memory:
                memory.add_fact(f"visitor {number}", "CAME", f"day {index}")
                seen.done += 1
            if index % 5 == 0:
                with opened(path, read_only=True) as memory:
                    memory.stats()
        except TkgmemError as error:
            seen.errors.append(f"{type(error).__name__}: {error}")
        seen.seconds.append(time.perf_counter() - started)
    return seen


# --- contradictions ---


def contradictions(path: Path, *, workers: int, rounds: int, apart: bool = True) -> dict[str, Any]:
    """Processes, or threads, that say another place of the same desk at the same moment, again and again: one of them holds."""
    _furnish(path)
    started = time.perf_counter()
    with _workers(workers, apart=apart) as (pool, gate, _):
        seen = [future.result() for future in [pool.submit(_contradict, path, gate, n, rounds) for n in range(workers)]]
    with opened(path, read_only=True) as memory:
        current = [len(memory.as_of("2025", source=f"desk {index}")) for index in range(rounds)]
        claims = memory.stats().claims
    return {
        "rounds": rounds,
        "claims": claims,
        "with_one_current_value": current.count(1),
        "errors": [error for one in seen for error in one.errors],
        "seconds": round(time.perf_counter() - started, 2),
    }


def _contradict(path: Path, gate: Gate, number: int, rounds: int) -> Seen:
    seen = Seen()
    with opened(path) as memory:
        for index in range(rounds):
            gate.wait(120)
            try:
                memory.add_fact(f"desk {index}", _PLACED, f"room {number}", valid_at="2024-01-01")
                seen.done += 1
            except TkgmemError as error:
                seen.errors.append(f"{type(error).__name__}: {error}")
    return seen
