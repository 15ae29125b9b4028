"""A process killed at any moment of its work: what it acknowledged is there, nothing is there twice, the rest can be done.

A child works on a file and tells each call that has returned; its parent kills it (SIGKILL). The file is then opened, checked,
and the work is done to its end. Every state must be one that an undisturbed run went through, and the end the same as its end.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from benchmarks.reliability.contents import Rows, difference, problems, rows, side_files, state_of
from benchmarks.reliability.disk import Operation, watched
from benchmarks.reliability.work import NAME, Work, works
from tkgmem import Memory

SEED = 5
MOST_EXAMPLES = 5  # of each kind of work
SHARES = {"ingest": 60, "model": 15, "forget": 40, "merge": 40, "migration": 25, "backup": 10, "reembed": 10}
"""How the 200 kills are shared out."""


Place = Literal["statement", "write"]
Result = TypeVar("Result")


class Cut(NamedTuple):
    """Where a child kills itself: at the statement, or write to the disk, of this number in a step."""

    at: Place
    number: int
    step: int


class Ended(NamedTuple):
    """How a child ended. acknowledged: how much it had told to be done: opening, then each step, then closing."""

    killed: bool
    acknowledged: int
    seconds: tuple[float, ...]


@dataclass
class Course:
    """An undisturbed run: the rows after opening and after each step, and when each was over, in seconds."""

    states: list[Rows] = field(default_factory=list)
    seconds: tuple[float, ...] = ()


@dataclass
class Tally:
    """What was found after the kills of one kind of work. found: in what state the call that was cut off was."""

    kills: int = 0
    too_late: int = 0
    acknowledged: int = 0
    found: Counter[str] = field(default_factory=Counter)
    verbs: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """For the result file."""
        return {
            "kills": self.kills,
            "acknowledged": self.acknowledged,
            "cut_off": dict(sorted(self.verbs.items())),
            "found": dict(sorted(self.found.items())),
            "too_late": self.too_late,
            "problems": len(self.problems),
        }


def run(quick: bool, *, seed: int = SEED) -> dict[str, Any]:
    """200 kills at random moments; then one at every statement, and at every write to the disk, of one `add`."""
    shares, rounds, stride = (dict.fromkeys(SHARES, 2), 1, 20) if quick else (SHARES, 2, 1)
    parts = {
        "at_random_moments": isolated(kill_all, shares, rounds, seed),
        "at_every_statement_of_an_add": summed({"one add": isolated(everywhere, "one add", "statement", stride)}),
        "at_every_write_of_an_add": summed({"one add": isolated(everywhere, "one add", "write", stride)}),
    }
    examples = [f"{name}, {example}" for name, part in parts.items() for example in part.pop("examples")]
    return {**parts, "examples": examples}


def summed(tallies: Mapping[str, Tally]) -> dict[str, Any]:
    """The tallies of some kinds of work, with their sums. problems: how many; examples: what they are."""
    return {
        "kills": sum(tally.kills for tally in tallies.values()),
        "acknowledged": sum(tally.acknowledged for tally in tallies.values()),
        "problems": sum(len(tally.problems) for tally in tallies.values()),
        "work": {name: tally.as_dict() for name, tally in tallies.items()},
        "examples": [f"{name}, {problem}" for name, tally in tallies.items() for problem in tally.problems[:MOST_EXAMPLES]],
    }


def isolated(call: Callable[..., Result], *arguments: object) -> Result:
    """What a call returns in a process of its own, which may fork: it has no threads."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_quietly, call, *arguments).result()


def _quietly(call: Callable[..., Result], *arguments: object) -> Result:
    logging.getLogger("tkgmem").setLevel(logging.ERROR)  # of each file it is said that it was not closed
    return call(*arguments)


def everywhere(name: str, at: Place, stride: int) -> Tally:
    """Cut this kind of work off at every so many of its statements, or writes to the disk."""
    with tempfile.TemporaryDirectory() as folder:
        return Bench(works(1)[name], Path(folder) / "work").cut_everywhere(at, stride=stride)


def kill_all(shares: Mapping[str, int], rounds: int, seed: int) -> dict[str, Any]:
    """So many kills of each kind of work, at moments spread evenly over all of it."""
    started = time.perf_counter()
    tallies = {}
    with tempfile.TemporaryDirectory() as name:
        for work in works(rounds).values():
            if count := shares.get(work.name, 0):
                bench = Bench(work, Path(name) / work.name)
                tallies[work.name] = bench.kill(count, random.Random(f"{seed} {work.name}"))
    return {**summed(tallies), "seconds": round(time.perf_counter() - started, 1)}


class Bench:
    """One kind of work, with its undisturbed run, to cut off again and again."""

    def __init__(self, work: Work, folder: Path) -> None:
        self.work = work
        self._start, self.folder = folder / "start", folder / "run"
        self._start.mkdir(parents=True)
        work.start(self._start)
        self.course = self._undisturbed()

    def _undisturbed(self) -> Course:
        course = Course()
        self.furnish()
        with self.work.opened(self.folder) as (memory, make):
            course.states.append(rows(memory))
            for number in range(len(self.work.steps)):
                make(number)
                course.states.append(rows(memory))
        self.furnish()
        course.seconds = self._child(None, None).seconds
        return course

    def furnish(self) -> None:
        """Lay the files out that the work begins with."""
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self._start, self.folder)

    def kill(self, count: int, chance: random.Random) -> Tally:
        """So many kills, one at a random moment of each of as many equal parts of the time that all takes."""
        tally, parts = Tally(), self.course.seconds[-1] / count
        for part in range(count):
            for _ in range(50):
                moment = (part + chance.random()) * parts
                done = sum(seconds <= moment for seconds in self.course.seconds)
                after = moment - (self.course.seconds[done - 1] if done else 0.0)
                if self.cut_off(tally, kill=(done, after)):
                    break
                tally.too_late += 1
        return tally

    def cut_everywhere(self, at: Place, *, stride: int = 1) -> Tally:
        """Cut each step off at every `stride`-th statement, or write, that it makes."""
        tally = Tally()
        for step in range(len(self.work.steps)):
            number = 1
            while self.cut_off(tally, cut=Cut(at, number, step)):
                number += stride
        return tally

    def cut_off(self, tally: Tally, *, cut: Cut | None = None, kill: tuple[int, float] | None = None) -> bool:
        """Cut a run off, and look at what it left. Whether it was cut off at all."""
        self.furnish()
        ended = self._child(cut, kill)
        if not ended.killed:
            return False
        self.examine(tally, ended.acknowledged, str(cut or kill))
        return True

    def examine(self, tally: Tally, acknowledged: int, where: str) -> None:
        """Look at what was left after so much was acknowledged, and do the rest."""
        tally.kills += 1
        tally.acknowledged += max(acknowledged - 1, 0)
        where = f"{acknowledged} acknowledged, {where}: "
        try:
            tally.problems += [where + problem for problem in self._left(acknowledged, tally)]
        except Exception:  # whatever it is, it is a finding, and the other kills are still to be made
            tally.problems.append(where + traceback.format_exc())

    # --- the child ---

    def _child(self, cut: Cut | None, kill: tuple[int, float] | None) -> Ended:
        """Fork, and kill the child so many seconds after so many acknowledgements, unless it ends by itself."""
        listening, telling = os.pipe()
        child = os.fork()
        if not child:
            os.close(listening)
            _work(self.work, self.folder, telling, cut)
        os.close(telling)
        started, seconds = time.perf_counter(), list[float]()

        def listen(most: int | None) -> None:
            while (most is None or len(seconds) < most) and os.read(listening, 1):
                seconds.append(time.perf_counter() - started)

        os.read(listening, 1)
        started = time.perf_counter()
        if kill is not None:
            listen(kill[0])
            time.sleep(kill[1])
            os.kill(child, signal.SIGKILL)
        listen(None)
        os.close(listening)
        _, status = os.waitpid(child, 0)
        if os.waitstatus_to_exitcode(status) not in (0, -signal.SIGKILL):
            raise RuntimeError(f"{self.work.name}: the child ended with {os.waitstatus_to_exitcode(status)}")
        return Ended(os.WIFSIGNALED(status), len(seconds), tuple(seconds))

    # --- what is left ---

    def _left(self, acknowledged: int, tally: Tally) -> list[str]:
        """What is wrong after a kill: now, after doing the rest, and when it is closed."""
        states, done = self.course.states, min(max(acknowledged - 1, 0), len(self.work.steps))
        found = self.work.beside(self._start, self.folder)
        with self.work.opened(self.folder) as (memory, make):
            found += problems(memory, named=done >= self.work.named)
            left = rows(memory)
            step = self.work.steps[done] if done < len(self.work.steps) else None
            state = state_of(left, states[done], states[done + 1] if step else None)
            tally.found[state] += 1
            tally.verbs["opening" if not acknowledged else step.verb if step else "closing"] += 1
            if state == "other" or (state == "part" and not (step and step.parts)):
                return [*found, f"not a state of an undisturbed run: {difference(states[done], left)}"]
            if step and (state != "after" or step.again):
                make(done)
            for number in range(done + 1, len(self.work.steps)):
                make(number)
        found += [f"{name} is left beside the closed file" for name in side_files(self.folder / NAME)]
        with self.work.opened(self.folder) as (memory, _):
            found += problems(memory)
            if (end := rows(memory)) != states[-1]:
                found.append(f"the end is another one: {difference(states[-1], end)}")
        data = (self.folder / NAME).read_bytes()
        found += [f"{text!r} is in the file still" for text in self.work.gone if text.encode() in data]
        return found + self.work.beside(self._start, self.folder)


def _work(work: Work, folder: Path, telling: int, cut: Cut | None) -> None:
    """What the child does: all of the work, telling each part that is done. It never returns."""
    code = 1
    try:
        with ExitStack() as stack:
            arm = _armed(stack, cut)
            os.write(telling, b".")
            with work.opened(folder) as (memory, make):
                os.write(telling, b".")
                for number in range(len(work.steps)):
                    arm(number, memory)
                    make(number)
                    os.write(telling, b".")
            os.write(telling, b".")
        code = 0
    except BaseException:
        traceback.print_exc(file=sys.stderr)
    finally:
        os._exit(code)


def _armed(stack: ExitStack, cut: Cut | None) -> Callable[[int, Memory], None]:
    """What is called before each step, and sets the trap where the cut is to be."""
    counted, armed = 0, False

    def count(*_: object) -> bool:
        nonlocal counted
        counted += armed
        if armed and cut is not None and counted == cut.number:
            os.kill(os.getpid(), signal.SIGKILL)
        return True

    def written(operation: Operation) -> None:
        if operation.action in ("write", "truncate", "delete"):
            count()

    def arm(number: int, memory: Memory) -> None:
        nonlocal armed
        armed = cut is not None and cut.step == number
        if cut is not None and cut.at == "statement":
            memory._store._connection().exec_trace = count  # noqa: SLF001 - statements are the connection's

    if cut is not None and cut.at == "write":
        stack.enter_context(watched(written))
    return arm
