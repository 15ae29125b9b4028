"""Work that is cut off: calls on a file that give the same rows each time, so that a run that was cut off has one to equal.

A step is one call. Most are one transaction and are there whole or not at all; `parts` marks those that are several.
"""

from __future__ import annotations

import datetime as dt
import json
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.reliability.contents import plain_rows, problems
from benchmarks.reliability.old_files import write_schema_1
from tkgmem import EmbedderMismatch, Memory, reembed
from tkgmem.protocols import Request
from tkgmem.testing import FixedClock, HashEmbedder, ScriptedLLM

DIMENSION, OTHER_DIMENSION = 8, 12
NAME, OTHER = "me.db", "other.db"
_START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
_LONG = "It rained again that day. " * 500  # more than fits in a page
_FORGOTTEN = ("works at Acme", "acme", "box0", "group0")
_PAIR = [
    {"source": "$.box", "relation": "HOLDS", "target": "$.left"},
    {"source": "$.box", "relation": "HOLDS", "target": "$.right"},
]


@dataclass(frozen=True, slots=True)
class Step:
    """One call. again: made a second time it changes nothing. parts: it is several transactions."""

    verb: str
    call: Callable[[Memory], object]
    again: bool = False
    parts: bool = False


@dataclass(frozen=True, slots=True)
class Work:
    """Steps on a file. start: makes the files that it begins with, in a folder. model: texts are read by a scripted model.

    named: after how many steps names have vectors, which they had not in the first release. beside: what is wrong with the
    files beside, given the folder as it was at the start and as it is. gone: what no byte of the file says in the end.
    """

    name: str
    start: Callable[[Path], None]
    steps: tuple[Step, ...]
    model: bool = False
    named: int = 0
    beside: Callable[[Path, Path], list[str]] = lambda _, __: []
    gone: tuple[str, ...] = ()

    @contextmanager
    def opened(self, folder: Path) -> Iterator[tuple[Memory, Callable[[int], object]]]:
        """The memory, and what makes a step of it, each at its own hour of the clock."""
        clock = FixedClock(_START + dt.timedelta(days=1))
        model = ScriptedLLM(_read) if self.model else None
        with _memory(folder / NAME, clock, model) as memory:

            def make(number: int) -> object:
                clock.set(_START + dt.timedelta(days=1, hours=number + 1))
                return self.steps[number].call(memory)

            yield memory, make


def _memory(path: Path, clock: FixedClock, model: ScriptedLLM | None) -> Memory:
    """The memory, with the one of the two embedders that its vectors are of."""
    try:
        return Memory(path, embedder=HashEmbedder(DIMENSION), clock=clock, llm=model)
    except EmbedderMismatch:
        return Memory(path, embedder=HashEmbedder(OTHER_DIMENSION), clock=clock, llm=model)


def works(rounds: int) -> dict[str, Work]:
    """Every kind of work by its name, each with so many rounds of its steps."""
    every = (
        Work("ingest", _nothing, tuple(step for number in range(rounds) for step in _ingest(number))),
        Work("model", _nothing, tuple(step for number in range(rounds) for step in _model(number)), model=True),
        Work(
            "forget", _furnished(rounds), tuple(step for number in range(rounds) for step in _forget(number)), gone=_FORGOTTEN
        ),
        Work("merge", _two_files(rounds), _merge()),
        Work("migration", _of_schema_1(rounds), _migration(), named=2, beside=_kept_as_it_was),
        Work("backup", _furnished(rounds), _backup(rounds), beside=_copies_are_whole),
        Work("reembed", _furnished(rounds), _reembed()),
        Work("one add", _started, (_text(1),)),
        Work("one of each", _furnished(1), tuple(_ingest(1))),
    )
    return {work.name: work for work in every}


def _nothing(folder: Path) -> None:
    """Begin without a file: making it is part of the work."""


def _started(folder: Path) -> None:
    whole(Work("start", _nothing, (_text(0), _fact(0, "a", "LIVES_IN", "Rome", valid_at="2020"))), folder)


def _text(number: int) -> Step:
    text = f"Mira{number} works at Acme since 2020."
    return Step("add", lambda memory: memory.add(text, reference_time="2026-01-01"), again=True, parts=True)


def _fact(number: int, letter: str, relation: str, target: str, **more: Any) -> Step:
    def call(memory: Memory) -> object:
        return memory.add_fact(f"Bo{number}", relation, target, uuid=f"fact-{number}-{letter}", **more)

    return Step("add_fact", call, again=True)


def _ingest(number: int) -> list[Step]:
    """Every verb that writes, but for those on the whole file."""
    box = {"box": f"box{number}", "left": f"left{number}", "right": f"right{number}"}
    turns = [
        {"content": f"I moved to Lyon{turn}.", "speaker": f"Cy{number}", "reference_time": f"2026-01-{turn + 10}", "name": "x"}
        for turn in range(4)
    ]
    said: dict[str, Any] = {"reference_time": "2026-01-02", "uuid": f"episode-{number}"}
    return [
        _text(number),
        Step("add", lambda memory: memory.add("I live in Porto.", speaker=f"Mira{number}", **said), again=True, parts=True),
        Step(
            "add",
            lambda memory: memory.add(json.dumps(box), source="json", mapping=_PAIR, reference_time="2026-01-03"),
            again=True,
            parts=True,
        ),
        Step("add", lambda memory: memory.add(_LONG, reference_time=f"2026-02-{number % 28 + 1:02}"), again=True, parts=True),
        _fact(number, "a", "LIVES_IN", "Rome", valid_at="2020"),
        _fact(number, "b", "LIVES_IN", "Oslo", valid_at="2022", episode=f"episode-{number}"),
        _fact(number, "g", "LIKES", "tea", group=f"group{number}"),
        _fact(number, "c", "LIKES", "tea", fact=f"Bo{number} likes tea a lot"),
        Step("add_many", lambda memory: memory.add_many(turns), again=True, parts=True),
        Step("end_fact", lambda memory: memory.end_fact(f"Bo{number}", "LIVES_IN", "Oslo", at="2024")),
        Step("correct", lambda memory: memory.correct(f"fact-{number}-a", target="Turin", valid_at="2019")),
        Step("retract", lambda memory: memory.retract(f"fact-{number}-c", reason="not so")),
        Step("add_alias", lambda memory: memory.add_alias(f"Bo{number}", f"Bodo{number}"), again=True),
        Step("merge_entities", lambda memory: memory.merge_entities(f"Bo{number}", f"Cy{number}"), again=True),
        Step("split_entity", lambda memory: memory.split_entity(f"Cy{number}")),
        Step("define_relation", lambda memory: memory.define_relation("LIKES", functional=number % 2 == 0, aliases=["ENJOYS"])),
    ]


def _model(number: int) -> list[Step]:
    text = f"Guest{number} has been to see Ana."
    return [
        Step("add by a model", lambda memory: memory.add(text, reference_time="2026-01-01"), again=True, parts=True),
    ]


def _read(request: Request) -> dict[str, Any]:
    """What the scripted model finds in a text: the latest guest visits Ana."""
    last = max(re.findall(r"Guest\d+", request.user), key=lambda name: int(name.removeprefix("Guest")))
    return {
        "entities": [
            {"id": place, "name": name, "type": "Person", "aliases": []} for place, name in enumerate((last, "Ana"), start=1)
        ],
        "facts": [{"source": 1, "relation": "VISITS", "target": 2, "sentence": f"{last} visits Ana", "kind": "assert"}],
    }


def _furnished(rounds: int) -> Callable[[Path], None]:
    return lambda folder: whole(Work("furnish", _nothing, tuple(s for n in range(rounds) for s in _ingest(n))), folder)


def _forget(number: int) -> list[Step]:
    def by_words(memory: Memory) -> object:
        text = f"Mira{number} works at Acme since 2020."
        [episode] = [one for one in memory.episodes() if one.content == text]
        return memory.forget(episode=episode.uuid)

    return [
        Step("forget an episode", lambda memory: memory.forget(episode=f"episode-{number}")),
        Step("forget a fact", lambda memory: memory.forget(fact=f"fact-{number}-a")),
        Step("forget an episode", by_words),
        Step("forget an entity", lambda memory: memory.forget(entity=f"box{number}")),
        Step("forget a group", lambda memory: memory.forget(group=f"group{number}")),
    ]


def _two_files(rounds: int) -> Callable[[Path], None]:
    """A file and another that shares half of its rounds with it."""

    def start(folder: Path) -> None:
        elsewhere = folder / "elsewhere"
        elsewhere.mkdir()
        half = rounds // 2
        whole(Work("other", _nothing, tuple(s for n in range(half, rounds + half) for s in _ingest(n))), elsewhere)
        (elsewhere / NAME).rename(folder / OTHER)
        elsewhere.rmdir()
        _furnished(rounds)(folder)

    return start


def _merge() -> tuple[Step, ...]:
    """Before and after the merge there is something to lose."""
    merge = Step("merge", lambda memory: memory.merge(_beside(memory, OTHER)), again=True)
    return (_text(1_000), merge, _text(1_001))


def _of_schema_1(rounds: int) -> Callable[[Path], None]:
    return lambda folder: write_schema_1(folder / NAME, rounds * 20)


def _migration() -> tuple[Step, ...]:
    """Opening it has brought the file up; what it never had is made."""
    return (_text(0), Step("reindex", lambda memory: memory.reindex(), again=True, parts=True), _text(1))


def _kept_as_it_was(start: Path, folder: Path) -> list[str]:
    """What is wrong with the copies of the earlier file: they must be it, every row."""
    was = plain_rows(start / NAME)
    return [f"{copy.name} is not as it was" for copy in sorted(folder.glob("*.bak")) if plain_rows(copy) != was]


def _backup(number: int) -> tuple[Step, ...]:
    """Copies while there is more and more."""

    def copied(name: str) -> Step:
        def call(memory: Memory) -> object:
            target = _beside(memory, name)
            target.unlink(missing_ok=True)  # of a call that was cut off after it was done: it has been looked at
            return memory.backup(target)

        return Step("backup", call, again=True)

    return (copied("copy1.db"), _text(number), copied("copy2.db"), _text(number + 1), copied("copy3.db"))


def _reembed() -> tuple[Step, ...]:
    """All vectors by another model, and back."""

    def call(memory: Memory, dimension: int) -> object:
        return reembed(_beside(memory, NAME), HashEmbedder(dimension))

    there, back = (partial(call, dimension=dimension) for dimension in (OTHER_DIMENSION, DIMENSION))
    return (Step("reembed", there, parts=True), Step("reembed", back, parts=True))


def _copies_are_whole(_: Path, folder: Path) -> list[str]:
    """What is wrong with the copies that are there."""
    found = []
    for copy in sorted(folder.glob("copy?.db")):
        opened = folder / "opened.db"
        shutil.copy(copy, opened)
        with Memory(opened, embedder=HashEmbedder(DIMENSION)) as memory:
            found += [f"{copy.name}: {problem}" for problem in problems(memory)]
        opened.unlink()
    return found


def _beside(memory: Memory, name: str) -> Path:
    return Path(memory._store.path).with_name(name)  # noqa: SLF001 - the step is given the memory alone


def whole(work: Work, folder: Path) -> None:
    """All steps, without interruption."""
    with work.opened(folder) as (_, make):
        for number in range(len(work.steps)):
            make(number)
