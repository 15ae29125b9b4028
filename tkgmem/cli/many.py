"""Many texts: JSON lines, and `extract` for those that wait. One that is bad or fails costs the others nothing."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from tkgmem.cli.app import main
from tkgmem.cli.harmless import harmless
from tkgmem.cli.session import Session
from tkgmem.graph import AddResult
from tkgmem.memory import Memory

if TYPE_CHECKING:
    from tkgmem.cli.screen import Screen

MEMBERS: Mapping[str, tuple[type, ...]] = {
    "content": (str,),
    "reference_time": (str,),
    "source": (str,),
    "name": (str,),
    "description": (str,),
    "speaker": (str,),
    "metadata": (dict,),
    "group": (str,),
    "uuid": (str,),
    "extract": (bool, str),
    "facts": (list,),
    "instructions": (str,),
    "mapping": (dict, list),
    "reflexion": (bool,),
    "previous": (int,),
}
"""The members of a JSON line: the arguments of `Memory.add` and their types."""
AT_ONCE = 64
"""How many lines are handed to the memory together: an interruption loses no more than the work on these."""
SHOWN = 20
SECONDS_BETWEEN_LINES = 10.0
_NUMBERED = re.compile(r"episode (\d+): ")
_KINDS: Mapping[type, str] = {
    str: "text",
    dict: "JSON object",
    bool: "truth value (true or false)",
    list: "list",
    int: "number",
}

Prepare = Callable[[Mapping[str, Any]], dict[str, Any]]


@dataclass(slots=True)
class _Outcome:
    """What became of many texts. problems: one text each, those that could not be stored or whose model failed."""

    results: list[AddResult] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def take(self, places: Sequence[str], results: Sequence[AddResult]) -> None:
        for place, result in zip(places, results, strict=True):
            self.results.append(result)
            self.warnings += [f"{place}: {warning}" for warning in (*result.warnings, *result.ignored)]
            if result.episode.state == "failed":
                self.problems.append(f"{place}: kept, but not read: {result.episode.error}")


def add_lines(session: Session, text: str, prepare: Prepare, *, ids: bool) -> int:
    """Add the episodes of JSON lines. prepare: from a line's members to `Memory.add`'s arguments. Returns the exit code."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    outcome, started = _Outcome(), time.monotonic()
    with session.writing() as memory, progress(session, len(lines), "remembering") as tell:
        for start in range(0, len(lines), AT_ONCE):
            _add_some(memory, lines[start : start + AT_ONCE], prepare, outcome)
            if tell is not None:
                tell(min(start + AT_ONCE, len(lines)), len(lines))
    return _report(session, outcome, time.monotonic() - started, "Remembered", ids=ids)


def _add_some(memory: Memory, lines: Sequence[tuple[int, str]], prepare: Prepare, outcome: _Outcome) -> None:
    good: list[tuple[int, dict[str, Any]]] = []
    for number, line in lines:
        try:
            good.append((number, prepare(_members(line))))
        except (ValueError, click.UsageError) as error:
            outcome.problems.append(f"line {number}: {error.message if isinstance(error, click.UsageError) else error}")
    while good:
        try:
            results = memory.add_many([episode for _, episode in good])
        except (TypeError, ValueError) as error:  # nothing of these was written: leave the bad one out
            if (match := _NUMBERED.match(str(error))) is None:
                raise
            number, _ = good.pop(int(match[1]))
            outcome.problems.append(f"line {number}: {str(error)[match.end() :]}")
            continue
        outcome.take([f"line {number}" for number, _ in good], results)
        break


def _members(line: str) -> dict[str, Any]:
    try:
        members = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at column {error.colno}") from error
    except RecursionError as error:
        raise ValueError("not an episode: nested too deeply") from error
    if not isinstance(members, dict):
        raise ValueError('not a JSON object; write {"content": "..."}')
    if unknown := sorted(members.keys() - MEMBERS.keys()):
        raise ValueError(f"unknown member {unknown[0]!r}; use {', '.join(MEMBERS)}")
    members = {key: value for key, value in members.items() if value is not None}
    for key, value in members.items():
        if type(value) not in MEMBERS[key]:
            raise ValueError(f"{key} is {value!r:.60}, not a {' or a '.join(_KINDS[kind] for kind in MEMBERS[key])}")
    if "content" not in members:
        raise ValueError("content is missing")
    return members


@main.command()
@click.pass_obj
def extract(session: Session) -> int:
    """Read the texts that wait: those whose model failed, and those left by an interruption.

    They are read with what they were added with. `tkgmem stats` tells how many wait.
    """
    outcome, started = _Outcome(), time.monotonic()
    with session.changing() as memory:
        stats = memory.stats(group=memory.group)
        with progress(session, stats.pending + stats.failed, "reading") as tell:
            results = memory.extract(progress=tell)
        outcome.take([f"episode {result.episode.uuid}" for result in results], results)
    return _report(session, outcome, time.monotonic() - started, "Read", ids=False)


def _report(session: Session, outcome: _Outcome, seconds: float, verb: str, *, ids: bool) -> int:
    """Say what came of it: problems and warnings on stderr, the sums on stdout. The exit code is 1 if there was a problem."""
    for heading, texts in (("warnings", outcome.warnings), ("problems", outcome.problems)):
        for text in texts[:SHOWN]:
            session.say(f"tkgmem: {text}") if heading == "warnings" else click.echo(f"tkgmem: {harmless(text)}", err=True)
        if len(texts) > SHOWN:
            session.say(f"tkgmem: and {len(texts) - SHOWN} more {heading}; --json lists them all")
    results = outcome.results
    sums = {
        "episodes": len(results),
        "facts": len({fact.uuid for result in results for fact in result.facts}),
        "ended": len({fact.uuid for result in results for fact in result.ended}),
        "calls": sum(result.calls for result in results),
        "tokens": sum(result.prompt_tokens + result.completion_tokens for result in results),
        "warnings": len(outcome.warnings),
        "failed": len(outcome.problems),
    }

    def human(screen: Screen) -> None:
        rate = f" ({len(results) / seconds:,.0f} a second)" if seconds > 0 and results else ""
        screen.line(f"{verb} {count(len(results), 'text')} in {seconds:.1f} s{rate}.")
        understood = f"They support {count(sums['facts'], 'fact')}{_also(sums['ended'])}."
        nothing = "No dated fact was understood in them; the texts can be searched."
        screen.line(understood if sums["facts"] else nothing if results else "Nothing waits.")
        if sums["calls"]:
            screen.line(f"{count(sums['calls'], 'model call')}, {sums['tokens']:,} tokens.")
        if ids:
            screen.episodes([result.episode for result in results], ids=True)

    document = {**sums, "seconds": round(seconds, 3), "problems": outcome.problems, "results": results}
    session.show(document, human, lines=results)
    return 1 if outcome.problems else 0


def count(number: int, noun: str, several: str | None = None) -> str:
    """A number with its noun. several: the noun for other numbers than one, where it takes more than an s."""
    return f"{number:,} {noun if number == 1 else several or f'{noun}s'}"


def _also(ended: int) -> str:
    return f" and ended {count(ended, 'earlier one')}" if ended else ""


@contextmanager
def progress(session: Session, total: int | None, doing: str) -> Iterator[Callable[[int, int], object] | None]:
    """How far it is: a bar on a terminal, else a line every ten seconds; nothing with -q. total: None if not known before."""
    if session.settings.quiet:
        yield None
    elif not sys.stderr.isatty():
        yield _Lines(session)
    else:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn(doing), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("", total=total)
            yield lambda done, of: bar.update(task, completed=done, total=of)


class _Lines:
    """Progress where nothing can be drawn twice."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._next = time.monotonic() + SECONDS_BETWEEN_LINES

    def __call__(self, done: int, total: int) -> None:
        if time.monotonic() >= self._next:
            self._session.say(f"{done:,} of {total:,} done")
            self._next = time.monotonic() + SECONDS_BETWEEN_LINES
