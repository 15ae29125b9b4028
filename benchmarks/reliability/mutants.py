"""Spoilt copies of a memory's file, each opened in a process of its own: read in many ways, written to once, closed.

What may come of it: a TkgmemError, or the answers of the sound file, or others because the stored values themselves were
changed. Never another exception, a crash, a hang, or anything of the file being run. That others are due to changed values is
checked: the rows of the spoilt file differ from those of the sound one as plain SQL reads them, or SQLite says that an index
differs from its table; what is neither counts as unexplained.
"""

from __future__ import annotations

import datetime as dt
import itertools
import json
import logging
import os
import random
import resource
import shutil
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw

from benchmarks.reliability.mutations import CANARY, Listening, chosen
from tkgmem import Memory, StoreError, TkgmemError
from tkgmem.testing import FixedClock, HashEmbedder, ScriptedLLM

SEED, MUTANTS, QUICK = 5, 2_000, 60
FACTS = 70
"""More than it takes for vectors to be compared from a centre that is kept."""
SECONDS = 30
"""A process that takes longer hangs: the whole takes about a tenth of a second."""
_MEMORY = 4 << 30
_AT_ONCE = 2
_NOW = dt.datetime(2026, 11, 30, tzinfo=dt.UTC)
_MONTHS = [f"{year}-{month:02}" for year in (2021, 2022, 2023, 2024) for month in (1, 4, 7, 10)]
_PEOPLE = ("Ann", "Bo", "Chen Wei", "小李", "Dora")
_CITIES = ("Porto", "Lyon", "北京", "Oslo", "Quito")

BAD = ("other exceptions", "crashes", "hangs", "foreign code run", "unexplained answers")
"""The counts that must be 0."""


def run(quick: bool, seed: int = SEED) -> dict[str, Any]:
    """The counts over 2,000 spoilt files, or a few."""
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        counts, bad = spoil(Path(folder), QUICK if quick else MUTANTS, seed)
    return {**counts, "examples": bad[:10], "seconds": round(time.perf_counter() - begun, 1)}


def spoil(
    folder: Path, number: int, seed: int, *, facts: int = FACTS, only: str | None = None
) -> tuple[dict[str, Any], list[str]]:
    """Spoil and open so many files. The counts, and what each bad one was. facts: in the sound file. only: one kind."""
    sound = folder / "sound.db"
    make(sound, facts)
    shutil.copy(sound, folder / "asked.db")
    expected = _asked(folder / "asked.db").answers
    totals: Counter[str] = Counter(dict.fromkeys(("refused when opened", "refused later", "right", "values changed", *BAD), 0))
    kinds: dict[str, Counter[str]] = {}
    bad: list[str] = []
    for name, kind, path, outcome in _outcomes(sound, number, seed, only):
        said = _judged(outcome, expected, sound, path)
        if said in BAD:
            bad.append(f"{name}: {said}: {outcome.fault or outcome.differing(expected)}")
        totals[said] += 1
        kinds.setdefault(kind, Counter())[said] += 1
    return {"files": sum(totals.values()), **totals, "by kind": {kind: dict(found) for kind, found in kinds.items()}}, bad


@dataclass(slots=True)
class Outcome:
    """What came of one file. answers: by question, `refused: ...` where it was refused. fault: what must not be."""

    answers: dict[str, str]
    fault: str | None = None
    kind: str | None = None

    def differing(self, expected: dict[str, str]) -> list[str]:
        """The questions that were answered, and otherwise than by the sound file."""
        return [
            question
            for question, answer in self.answers.items()
            if answer != expected.get(question) and not answer.startswith("refused")
        ]


def _judged(outcome: Outcome, expected: dict[str, str], sound: Path, spoilt: Path) -> str:
    if outcome.kind is not None:
        return outcome.kind
    if outcome.differing(expected):
        return "values changed" if _rows(spoilt) != _rows(sound) or not _is_whole(spoilt) else "unexplained answers"
    if "open" in outcome.answers:
        return "refused when opened"
    return "refused later" if any(answer.startswith("refused") for answer in outcome.answers.values()) else "right"


def _rows(path: Path) -> list[object]:
    """What is stored, as plain SQL reads it."""
    found: list[object] = []
    try:
        with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as db:
            for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY name"):
                found.append((name, sorted(map(repr, db.execute(f'SELECT * FROM "{name}" NOT INDEXED')))))
    except (apsw.Error, UnicodeError) as error:
        found.append(repr(error))
    return found


def _is_whole(path: Path) -> bool:
    try:
        with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as db:
            return db.execute("PRAGMA integrity_check(1)").fetchall() == [("ok",)]
    except apsw.Error:
        return False


# --- the processes ---


def _outcomes(sound: Path, number: int, seed: int, only: str | None) -> Iterator[tuple[str, str, Path, Outcome]]:
    """Each file's name, kind, an untouched copy of it, and what came of it; two processes at a time."""
    waiting: dict[int, tuple[str, str, Path, Path]] = {}
    work = [one for one in chosen(number) if only is None or one[0] == only]
    for index, (kind, mutation) in enumerate(work):
        spoilt, used = sound.with_name(f"{index}.db"), sound.with_name(f"{index}.used.db")
        mutation(sound, spoilt, random.Random(f"{seed} {index}"))
        shutil.copyfile(spoilt, used)
        waiting[_child(used)] = (f"{kind} {index}", kind, spoilt, used)
        if len(waiting) >= _AT_ONCE:
            yield from _finished(waiting)
    while waiting:
        yield from _finished(waiting)


def _child(path: Path) -> int:
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            signal.signal(signal.SIGALRM, signal.SIG_DFL)  # ends it, wherever it is
            signal.setitimer(signal.ITIMER_REAL, SECONDS)
            found = _asked(path)
            path.with_suffix(".json").write_text(json.dumps([found.answers, found.fault, found.kind]), encoding="utf-8")
            code = 0
        finally:
            os._exit(code)
    return pid


def _finished(waiting: dict[int, tuple[str, str, Path, Path]]) -> Iterator[tuple[str, str, Path, Outcome]]:
    pid, status = os.wait()
    name, kind, spoilt, used = waiting.pop(pid)
    said = used.with_suffix(".json")
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM:
        outcome = Outcome({}, f"took longer than {SECONDS} s", "hangs")
    elif status != 0:
        outcome = Outcome({}, f"ended with status {status}", "crashes")
    else:
        outcome = Outcome(*json.loads(said.read_text(encoding="utf-8")))
    if outcome.kind is None and _wrote_canary(used):
        outcome = Outcome({}, f"the row {CANARY} was written", "foreign code run")
    yield name, kind, spoilt, outcome
    for path in _with_side_files(used):
        path.unlink(missing_ok=True)
    spoilt.unlink()
    said.unlink(missing_ok=True)


def _with_side_files(path: Path) -> list[Path]:
    """A database and what SQLite may have left beside it."""
    return [Path(f"{path}{end}") for end in ("", "-wal", "-shm", "-journal")]


def _wrote_canary(path: Path) -> bool:
    try:
        with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as db:
            return bool(db.execute("SELECT EXISTS (SELECT 1 FROM meta WHERE key = ?)", (CANARY,)).get)
    except apsw.Error:
        return False


def _asked(path: Path) -> Outcome:
    """Open it, read, write and close it, listening for whatever of the file is run."""
    heard: list[str] = []
    listening = Listening()

    def listen(db: apsw.Connection) -> None:
        db.create_scalar_function(
            CANARY, lambda *_: heard.append("its function"), flags=apsw.SQLITE_INNOCUOUS | apsw.SQLITE_DETERMINISTIC
        )
        db.create_module(CANARY, listening)

    hooks = list(apsw.connection_hooks)
    apsw.connection_hooks.append(listen)
    logging.disable(logging.CRITICAL)
    answers: dict[str, str] = {}
    try:
        fault = _talk(path, answers)
    finally:
        apsw.connection_hooks[:] = hooks
        logging.disable(logging.NOTSET)
    if heard or listening.heard:
        return Outcome(answers, "its function or module was called", "foreign code run")
    return Outcome(answers, fault, None if fault is None else "other exceptions")


def _talk(path: Path, answers: dict[str, str]) -> str | None:
    """Every question's answer into `answers`; the first exception that must not be."""
    question = "open"
    try:
        with Memory(path, embedder=HashEmbedder(16), clock=FixedClock(_NOW)) as memory:
            for question, ask in QUESTIONS.items():
                try:
                    answers[question] = _plain(ask(memory))
                except StoreError as error:
                    answers[question] = f"refused: {type(error).__name__}: {error}"
                except TkgmemError as error:  # there is no such name any more
                    answers[question] = f"{type(error).__name__}: {error}"
            question = "close"
    except StoreError as error:
        answers[question] = f"refused: {type(error).__name__}: {error}"
    except Exception as error:
        place = error.__traceback__
        while place is not None and place.tb_next is not None:
            place = place.tb_next
        where = "" if place is None else f" at {place.tb_frame.f_globals.get('__name__')}:{place.tb_lineno}"
        return f"{question}: {type(error).__name__}: {error}{where}"
    return None


def _plain(value: Any) -> str:
    """An answer without what the clock on the wall and the file's size have to do with."""
    if hasattr(value, "timings"):
        value = [value.facts, value.entities, value.episodes, value.degraded, value.query_time]
    if hasattr(value, "file_bytes"):
        value = {name: getattr(value, name) for name in value.__slots__ if name != "file_bytes"}
    return repr(value)


QUESTIONS: dict[str, Callable[[Memory], Any]] = {
    "search": lambda memory: memory.search("Where does Ann live?"),
    "search zh": lambda memory: memory.search("小李在哪里工作", limit=5),
    "search ended": lambda memory: memory.search("Lyon", include_ended=True, explain=True),
    "search then": lambda memory: memory.search("Who moved?", valid_at="2022-06", known_at="2026-02-01"),
    "search group": lambda memory: memory.search("Ann", group=["default", "other"], scopes=["entities", "episodes"]),
    "search near": lambda memory: memory.search("works", center="Ann"),
    "context": lambda memory: memory.context("What is known of Ann and Bo?", ids=True),
    "as of": lambda memory: memory.as_of("2023-05"),
    "as of known": lambda memory: memory.as_of("2023-05", known_at="2026-01-20", source="Ann"),
    "believed at": lambda memory: memory.believed_at("2026-02-02"),
    "timeline": lambda memory: memory.timeline("Bo"),
    "history": lambda memory: memory.history("Ann"),
    "history of facts": lambda memory: [memory.history(uuid) for uuid in _corrected(memory)],
    "entity": lambda memory: memory.entity("Annie"),
    "entity zh": lambda memory: memory.entity("小李", valid_at="2024"),
    "episodes": lambda memory: memory.episodes(limit=100),
    "stats": lambda memory: memory.stats(),
    "model calls": lambda memory: memory.model_calls(),
    "write": lambda memory: memory.add_fact("Ann", "LIVES_IN", "Quito", valid_at="2026-11").target.name,
    "write a text": lambda memory: memory.add("Dora moved to Oslo.", speaker="Bo", source="message").episode.state,
    "correct": lambda memory: memory.correct(_corrected(memory)[0], valid_at="2020-02").valid_at,
    "end": lambda memory: memory.end_fact("Ann", "LIVES_IN", "Quito", at="2026-11-20").invalid_at,
}


def _corrected(memory: Memory) -> list[str]:
    """The uuids that a correction left to address what took their place."""
    return ["claim-to-correct", "claim-to-retract", "claim-0"] if memory.stats().claims else []


# --- the sound file ---


def make(path: Path, facts: int = FACTS) -> None:
    """A memory with a little of everything: facts of two groups, texts, merges, corrections, ends, plans, model calls."""
    clock = FixedClock(dt.datetime(2026, 1, 1, tzinfo=dt.UTC), step=dt.timedelta(hours=6))
    answer = {"entities": [], "facts": []}
    with Memory(path, embedder=HashEmbedder(16), clock=clock, llm=ScriptedLLM(lambda _: answer)) as memory:
        for number, month in enumerate(itertools.islice(itertools.cycle(_MONTHS), facts)):
            person, city = _PEOPLE[number % 5], _CITIES[(number * 3 + number // 5) % 5]
            relation = ("LIVES_IN", "WORKS_AT", "LIKES")[number % 3]
            memory.add_fact(person, relation, city, valid_at=month, uuid=f"claim-{number}", attributes={"number": number})
        for number in range(6):
            memory.add(
                f"Ann told Bo on day {number} that tea is better than coffee.", name="talk", speaker="Ann", source="message"
            )
        memory.add_fact("Ann", "LIVES_IN", "Lyon", valid_at="2020", uuid="claim-to-correct")
        memory.correct("claim-to-correct", valid_at="2020-03")
        memory.add_fact("Bo", "KNOWS", "Dora", uuid="claim-to-retract")
        memory.retract("claim-to-retract", reason="a mistake")
        memory.end_fact("Bo", "LIKES", "Porto", at="2025")
        memory.add_fact("Dora", "MOVES_TO", "Oslo", planned=True)
        memory.add_fact("Annika", "KNOWS", "Bo", fact="Annika has known Bo for years.")
        memory.add_alias("Ann", "Annie")
        memory.merge_entities("Ann", "Annika")
        memory.split_entity("Bo", claims=["claim-1"], name="Bo Junior")
        memory.define_relation("MANAGES", functional=False, inverse="REPORTS_TO")
        memory.add_fact("Ann", "MANAGES", "Bo", valid_at="2024")
        memory.add_fact("Ann", "LIVES_IN", "Rome", group="other", valid_at="2024")
    with Memory(path, embedder=HashEmbedder(16), clock=clock) as memory:
        memory.add("Dora lives in Quito. 小李在北京工作。", metadata={"from": "a note"})
        memory.add("A note in the other group.", group="other")
