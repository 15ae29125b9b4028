"""A disk that is full or broken in the middle of a call: a clear error, nothing half written, and the same call works after it.

Three ways: a limit of pages in SQLite, a limit of file sizes in the system, and a disk on which one opening, write, sync,
truncation, deletion or read fails, or all do from then on. Each call is made on the files as they were before it in an
undisturbed run.
"""

from __future__ import annotations

import io
import resource
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, redirect_stderr
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import apsw

from benchmarks.reliability.contents import Rows, difference, problems, rows, side_files, state_of
from benchmarks.reliability.disk import Action, Operation, watched
from benchmarks.reliability.kills import isolated
from benchmarks.reliability.work import NAME, Work, works
from tkgmem import Memory, NotATkgmemFile, StoreError, TkgmemError

SEED = 5
PLACES = {"pages": 5, "sizes": 5, "open": 2, "write": 4, "sync": 3, "truncate": 2, "delete": 2, "read": 3}
"""How many places of a call it is made to fail at, of each kind of fault."""

WORKS = ("one of each", "model", "forget", "merge", "migration", "backup", "reembed")
MOST_EXAMPLES = 20
OPENING, CLOSING = -1, -2
"""Calls that are no steps."""

_ERRORS: Mapping[Action, tuple[type[apsw.Error], ...]] = {
    "open": (apsw.CantOpenError,),
    "write": (apsw.FullError, apsw.IOError),
    "sync": (apsw.IOError,),
    "truncate": (apsw.IOError,),
    "delete": (apsw.IOError,),
    "read": (apsw.IOError,),
}
Opened = tuple[Memory, Callable[[int], object]]
_CHANGES: tuple[Action, ...] = ("write", "sync", "truncate", "delete")
Breaking = Callable[[Memory | None], AbstractContextManager[object]]
"""Breaks the disk for as long as its context lasts; it is given the open memory, None while one is being opened."""


@dataclass
class Found:
    """What came of the faults of one kind in one kind of call. left: in what state the call was left that failed."""

    faults: int = 0
    unnoticed: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)

    def add(self, other: Found) -> None:
        """Count another's too."""
        self.faults += other.faults
        self.unnoticed += other.unnoticed
        self.errors += other.errors
        self.left += other.left

    def as_dict(self) -> dict[str, Any]:
        """For the result file."""
        return {"faults": self.faults, "unnoticed": self.unnoticed, "errors": dict(self.errors), "left": dict(self.left)}


class Fault:
    """Makes a watched disk fail at an action of a kind, once or from then on; until it is active it does not count."""

    def __init__(self, action: Action, number: int, error: type[apsw.Error] = apsw.IOError, *, lasting: bool = False) -> None:
        self.action, self.number, self.error, self.lasting = action, number, error, lasting
        self.is_active, self.seen, self.fired = False, 0, 0

    def __call__(self, operation: Operation) -> None:
        """Be shown what is about to be done."""
        if not self.is_active:
            return
        self.seen += operation.action == self.action
        broken = self.fired and self.lasting and operation.action in {self.action, *_CHANGES}
        if broken or (operation.action == self.action and self.seen == self.number):
            self.fired += 1
            raise self.error(f"fault {self.fired}")

    @contextmanager
    def active(self, _: Memory | None) -> Iterator[None]:
        """Fail inside."""
        self.is_active = True
        try:
            yield
        finally:
            self.is_active = False


class Trial:
    """One kind of work, and what came of faults in its calls. found: by kind of fault and call."""

    def __init__(self, work: Work, folder: Path) -> None:
        self.work, self.folder = work, folder / "run"
        self.found: dict[str, dict[str, Found]] = {}
        self.problems: list[str] = []
        self.states: list[Rows] = []
        self._start = folder / "start"
        self._start.mkdir(parents=True)
        work.start(self._start)
        shutil.copytree(self._start, self.folder)
        for number in range(len(work.steps) + 1):
            with work.opened(self.folder) as (memory, make):
                if number:
                    make(number - 1)
                self.states.append(rows(memory))
            shutil.copytree(self.folder, folder / str(number))

    def furnish(self, step: int) -> None:
        """Lay out the files as they were before a call."""
        shutil.rmtree(self.folder, ignore_errors=True)
        before = self._start if step == OPENING else self.folder.with_name(str(max(step, 0)))
        shutil.copytree(before, self.folder)

    def attempt(self, kind: str, step: int, breaking: Breaking, *, lasting: bool = False, fault: Fault | None = None) -> bool:
        """Make a call while the disk is broken, then once more. Whether it failed.

        lasting: the file is closed while the disk still is broken, and opened again; else the memory is used on.
        """
        self.furnish(step)
        before, after = self.states[max(step, 0)], self.states[max(step + 1, 0)]
        wrong = list[str]()
        with watched(fault) if fault else nullcontext(), ExitStack() as stack:
            error, opened = self._broken(step, breaking, stack, wrong, lasting=lasting)
            memory, make = opened or stack.enter_context(self.work.opened(self.folder))
            left = rows(memory)
            state = state_of(left, before, after)
            if state == "other" or (state == "part" and not (step >= 0 and self.work.steps[step].parts)):
                wrong.append(f"not a state of an undisturbed run: {difference(before, left)}")
            elif step >= 0 and (state != "after" or self.work.steps[step].again):
                make(step)
            if (end := rows(memory)) != after:
                wrong.append(f"the end is another one: {difference(after, end)}")
        wrong += self._closed(after, named=max(step + 1, 0) >= self.work.named)
        found = self.found.setdefault(kind, {}).setdefault(self._verb(step), Found())
        found.faults += 1
        if error is None:
            found.unnoticed += 1
        else:
            found.errors[type(error).__name__] += 1
            found.left[state] += 1
            wrong += _unclear(error, self.folder, fault)
        self.problems += [f"{self.work.name}, {kind}, {self._verb(step)}: {problem}" for problem in wrong]
        return error is not None

    def _broken(
        self, step: int, breaking: Breaking, stack: ExitStack, wrong: list[str], *, lasting: bool
    ) -> tuple[Exception | None, Opened | None]:
        """Make the call with the disk broken: its error, and the memory if it is open still."""
        if step == OPENING:
            with breaking(None):
                error = _error(lambda: stack.enter_context(self.work.opened(self.folder)))
            stack.close()
            return error, None
        memory, make = stack.enter_context(self.work.opened(self.folder))
        with breaking(memory):
            error = _error(stack.close if step == CLOSING else lambda: make(step))
            if lasting and (second := _error(stack.close)) is not None and not isinstance(second, StoreError):
                wrong.append(f"closing raises {second!r}")
        return error, None if lasting or step == CLOSING else (memory, make)

    def _closed(self, after: Rows, *, named: bool) -> list[str]:
        """What is wrong with the closed file."""
        wrong = [f"{name} is left beside the closed file" for name in side_files(self.folder / NAME)]
        with self.work.opened(self.folder) as (memory, _):
            wrong += problems(memory, named=named)
            if (end := rows(memory)) != after:
                wrong.append(f"another file after closing and opening: {difference(after, end)}")
        return wrong

    def _verb(self, step: int) -> str:
        return {OPENING: "opening", CLOSING: "closing"}.get(step) or self.work.steps[step].verb

    # --- the three ways ---

    def few_pages(self, step: int, most: int) -> None:
        """The file may grow by so many pages: 0, 1, 3, 7 and so on, until they are enough."""
        for power in range(most):
            if not self.attempt("pages", step, partial(_few_pages, 2**power - 1)):
                return

    def small_files(self, step: int, most: int) -> None:
        """The file, its -wal and its -shm may have so many bytes and no more. Every second time it is closed like that."""
        self.furnish(step)
        sizes = _Sizes()
        with watched(sizes), self.work.opened(self.folder) as (_, make):
            if step >= 0:
                make(step)
        for place, size in enumerate(_some(most, sizes.largest)):
            self.attempt("sizes", step, partial(_small_files, size), lasting=place % 2 == 1)

    def broken_disk(self, step: int, action: Action, most: int) -> None:
        """One action fails, or all do from then on."""
        counting = Fault(action, 0)
        self.furnish(step)
        with watched(counting), ExitStack() as stack:
            self._broken(step, counting.active, stack, [], lasting=False)
        for number in _some(most, counting.seen):
            for error in _ERRORS[action]:
                for lasting in (False, True):
                    fault = Fault(action, number + 1, error, lasting=lasting)
                    self.attempt(f"{action}: {error.__name__}", step, fault.active, lasting=lasting, fault=fault)


class _Sizes:
    """Watches how long files get."""

    def __init__(self) -> None:
        self.largest = 0

    def __call__(self, operation: Operation) -> None:
        self.largest = max(self.largest, operation.offset + len(operation.data))


def _some(most: int, count: int) -> list[int]:
    """At most so many of the numbers below `count`, evenly, the first and the last among them."""
    if count <= most:
        return list(range(count))
    return [count // 2] if most == 1 else sorted({place * (count - 1) // (most - 1) for place in range(most)})


@contextmanager
def _few_pages(extra: int, memory: Memory | None) -> Iterator[None]:
    assert memory is not None
    db = memory._store._connection()  # noqa: SLF001 - the limit is the connection's
    unlimited = db.pragma("max_page_count")
    db.pragma("max_page_count", db.pragma("page_count") + extra)
    try:
        yield
    finally:
        db.pragma("max_page_count", unlimited)


@contextmanager
def _small_files(size: int, _: Memory | None) -> Iterator[None]:
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, unlimited[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)


def _error(call: Callable[[], object]) -> Exception | None:
    """What a call raises of what a broken disk may lead to; anything else is raised on."""
    try:
        call()
    except (TkgmemError, apsw.Error, OSError) as error:
        return error
    return None


def _unclear(error: Exception, folder: Path, fault: Fault | None) -> list[str]:
    """What is wrong with an error as the answer to a disk that is full or broken."""
    if not isinstance(error, StoreError) or isinstance(error, NotATkgmemFile):
        return [f"raises {error!r}, caused by {error.__cause__!r}"]
    if str(folder) not in str(error):
        return [f"does not name a file: {error}"]
    causes = [error.__cause__]
    while causes[-1] is not None:
        causes.append(causes[-1].__context__)
    if fault is not None and "fault 1" not in map(str, causes):
        return [f"says nothing of the first fault: {error}, caused by {causes}"]
    return []


# --- all of it ---


def run(quick: bool, *, seed: int = SEED) -> dict[str, Any]:  # noqa: ARG001
    """Faults in every kind of call, in a process of their own: the limit of file sizes is the process's."""
    return isolated(break_all, WORKS, dict.fromkeys(PLACES, 1) if quick else PLACES)


def break_all(names: Sequence[str], places: Mapping[str, int], *, ends: bool = True) -> dict[str, Any]:
    """At most so many faults of each kind in each call of these kinds of work. ends: in opening and closing too."""
    started, every = time.perf_counter(), works(1)
    found: dict[str, dict[str, Found]] = {}
    wrong: list[str] = []
    quiet = redirect_stderr(io.StringIO())  # apsw shows there what fails while SQLite gives up after an earlier fault
    with quiet, tempfile.TemporaryDirectory() as folder:
        for name in names:
            trial = Trial(every[name], Path(folder) / name)
            for step in (*range(len(trial.work.steps)), *((OPENING, CLOSING) if ends else ())):
                break_call(trial, step, places)
            wrong += trial.problems
            for kind, calls in trial.found.items():
                for verb, one in calls.items():
                    found.setdefault(kind, {}).setdefault(verb, Found()).add(one)
    return {
        "faults": sum(one.faults for calls in found.values() for one in calls.values()),
        "errors": sum((one.errors for calls in found.values() for one in calls.values()), Counter[str]()),
        "unnoticed": sum(one.unnoticed for calls in found.values() for one in calls.values()),
        "problems": len(wrong),
        "examples": wrong[:MOST_EXAMPLES],
        "kinds": {kind: {verb: one.as_dict() for verb, one in calls.items()} for kind, calls in found.items()},
        "seconds": round(time.perf_counter() - started, 1),
    }


def break_call(trial: Trial, step: int, places: Mapping[str, int]) -> None:
    """Every kind of fault in one call."""
    if step not in (OPENING, CLOSING):
        trial.few_pages(step, places["pages"])
    trial.small_files(step, places["sizes"])
    for action in _ERRORS:
        trial.broken_disk(step, action, places[action])
