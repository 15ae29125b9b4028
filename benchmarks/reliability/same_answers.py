"""Whatever is done to carry a memory or to make its indexes again, recorded questions are answered as before, scores included.

Exported and imported, merged with itself and into an empty file, backed up while others write, indexed and embedded again.
"""

from __future__ import annotations

import datetime as dt
import itertools
import random
import shutil
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import bulk
from benchmarks.reliability import answers
from tkgmem import Memory, reembed
from tkgmem.protocols import Embedder
from tkgmem.providers.onnx import OnnxEmbedder
from tkgmem.testing import FixedClock, HashEmbedder

SEED = 20261130
NOW = dt.datetime(2026, 11, 30, tzinfo=dt.UTC)


def run(quick: bool, *, seed: int = SEED) -> dict[str, Any]:
    """With an embedder of 32 dimensions, and a smaller memory with the one that ships."""
    count = 100 if quick else 500
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = carried(folder / "hash", HashEmbedder(32), 300 if quick else 2_000, count, seed)
        return {"hash": found} if quick else {"hash": found, "onnx": carried(folder / "onnx", OnnxEmbedder(), 300, 200, seed)}


def carried(folder: Path, embedder: Embedder, facts: int, count: int, seed: int) -> dict[str, Any]:
    """The answers of a memory of so many facts, compared with those after each thing that is done to it."""
    folder.mkdir()
    path = folder / "me.db"
    build(path, embedder, facts, seed)
    with opened(path, embedder) as memory:
        asked = answers.questions(memory, count, seed)
        before = answers.recorded(memory, asked)
        found: dict[str, Any] = {}
        memory.export(folder / "with.jsonl", vectors=True)
        memory.export(folder / "without.jsonl")
        for vectors in ("with", "without"):
            with opened(folder / f"{vectors}.db", embedder) as other:
                other.import_(folder / f"{vectors}.jsonl")
                found[f"imported_{vectors}_vectors"] = answers.compared(before, answers.recorded(other, asked))
        with opened(folder / "merged.db", embedder) as other:
            other.merge(path)
            found["merged_into_an_empty_file"] = answers.compared(before, answers.recorded(other, asked))
        memory.merge(path)
        found["merged_with_itself"] = answers.compared(before, answers.recorded(memory, asked))
    found["backed_up_while_written_to"] = _backed_up(path, folder / "copy.db", embedder, asked, before)
    found |= answers.made_again(folder / "merged.db", embedder, asked, clock=FixedClock(NOW))
    return found


def opened(path: Path, embedder: Embedder) -> Memory:
    """A memory whose clock stands still."""
    return Memory(path, embedder=embedder, clock=FixedClock(NOW))


def build(path: Path, embedder: Embedder, facts: int, seed: int) -> None:
    """A memory with a history: facts and texts in bulk, then corrections, ends, merges, splits and forgotten texts."""
    sentences = [f"They spoke of {word} and {other} until late." for word in _WORDS for other in _WORDS]
    bulk.build(path, facts, sentences, embedder.embed_passages(sentences), embedder)
    chance = random.Random(seed)
    clock = FixedClock(NOW - dt.timedelta(days=30))
    reembed(path, embedder)  # in bulk some noise is added to each vector
    with Memory(path, embedder=embedder, clock=clock) as memory:
        for number in range(12):
            clock.advance(dt.timedelta(hours=7))
            memory.add(f"I moved to Town {number} in 20{10 + number}.", speaker=bulk.name(number), name="talk")
            current = memory.as_of("2026", source=bulk.name(number))
            clock.advance(dt.timedelta(hours=1))
            memory.correct(chance.choice(current).uuid, valid_at="2019-05")
        memory.merge_entities(bulk.name(1), bulk.name(2))
        memory.split_entity(bulk.name(3), claims=[memory.as_of("2026", source=bulk.name(3))[0]], name="Somebody Else")
        told = [episode.uuid for episode in memory.episodes(limit=1_000)]
        memory.forget(episode=chance.sample(told, k=min(20, len(told))))


def _backed_up(
    path: Path, target: Path, embedder: Embedder, asked: Sequence[answers.Question], before: Sequence[answers.Answer]
) -> dict[str, Any]:
    """A backup that is made while another memory writes all the time: what says nothing of what is asked, and has no words."""
    busy = path.with_name("busy.db")
    shutil.copy(path, busy)
    begun, done, numbers = threading.Event(), threading.Event(), itertools.count(1)

    def write() -> None:
        with Memory(busy, embedder=embedder) as memory:
            while not done.is_set():
                memory.define_relation(f"ASIDE_{next(numbers)}", functional=False)
                begun.set()

    with opened(busy, embedder) as memory:
        writer = threading.Thread(target=write)
        writer.start()
        begun.wait()
        memory.backup(target)
        done.set()
        writer.join()
    with opened(target, embedder) as copy:
        found = answers.compared(before, answers.recorded(copy, asked))
        return {**found, "writes_meanwhile": next(numbers) - 1, "sound": copy.doctor().ok}


_WORDS = ("bread", "rain", "music", "boats", "garden", "stone", "letters", "snow", "horses", "lamps")
