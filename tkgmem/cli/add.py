"""The verb `add`: one text, a file, or many as JSON lines. All are checked before the first is written."""

from __future__ import annotations

import datetime as dt
import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tkgmem.cli import dates
from tkgmem.cli.app import main
from tkgmem.cli.read import ids_option
from tkgmem.cli.session import Session
from tkgmem.graph import AddResult, Fact

if TYPE_CHECKING:
    from tkgmem.cli.screen import Screen

MEMBERS: Mapping[str, type] = {
    "content": str,
    "reference_time": str,
    "source": str,
    "name": str,
    "description": str,
    "speaker": str,
    "metadata": dict,
    "group": str,
    "uuid": str,
    "extract": bool,
}
"""The members of a JSON line: the arguments of `Memory.add` and their types."""
SHOWN_WARNINGS = 20
SECONDS_BETWEEN_LINES = 10.0
_NUMBERED = re.compile(r"episode (\d+): ")


@main.command()
@click.argument("text", nargs=-1)
@click.option("--file", "file", metavar="FILE", help="Read the text from a file.")
@click.option("--jsonl", "jsonl", metavar="FILE", help="Read many texts, one JSON object a line; - for standard input.")
@click.option("--reference-time", metavar="DATE", help='When it was said (now); "yesterday" is the day before.')
@click.option("--speaker", metavar="NAME", help='Who says it: who "I" is.')
@click.option(
    "--source", type=click.Choice(["text", "message", "json"]), help="What it is (with a speaker a message, else text)."
)
@click.option("--name", help="The conversation or document that it belongs to.")
@click.option("--no-extract", is_flag=True, help="Keep the text, look for no facts.")
@ids_option
@click.pass_obj
def add(
    session: Session,
    *,
    text: tuple[str, ...],
    file: str | None,
    jsonl: str | None,
    reference_time: str | None,
    speaker: str | None,
    source: str | None,
    name: str | None,
    no_extract: bool,
    ids: bool,
) -> None:
    """Remember a text and its dated facts. The text is kept word for word; `-` is standard input.

    \b
    tkgmem add "Maya moved to Lisbon in May 2024."
    tkgmem add "I joined Contoso yesterday." --speaker Maya --reference-time 2025-09-02
    tkgmem add --jsonl turns.jsonl   {"content": "...", "speaker": "...", "reference_time": "2023-05-08T13:56"}
    """
    if sum(map(bool, (text, file, jsonl))) > 1:
        raise click.UsageError("give one of: a text, --file, --jsonl")
    shared: dict[str, Any] = {"speaker": speaker, "source": source, "name": name, "reference_time": reference_time}
    shared = {key: value for key, value in shared.items() if value is not None}
    if no_extract:
        shared["extract"] = False
    if jsonl:
        _add_lines(session, jsonl, shared, ids=ids)
        return
    episode = _episode(session, {**shared, "content": _content(text, file)})
    with session.writing() as memory:
        result = memory.add(**episode)
    session.show(result, lambda screen: _understood(screen, result, ids=ids))


def _content(text: tuple[str, ...], file: str | None) -> str:
    if file:
        return _read(file)
    if text == ("-",) or (not text and not sys.stdin.isatty()):
        return _read("-").removesuffix("\n").removesuffix("\r")
    if not text:
        raise click.UsageError("give the text, or - to read it from standard input")
    return " ".join(text)


def _read(place: str) -> str:
    """The text of a file, or of standard input for "-"; UTF-8 whatever the machine's habit."""
    content = sys.stdin.buffer.read() if place == "-" else Path(place).read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        name = "standard input" if place == "-" else place
        raise click.UsageError(f"{name} is not UTF-8 text: byte {error.start} is 0x{content[error.start]:02x}") from error


def _episode(session: Session, members: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of `Memory.add`: dates read in the asked zone, a text with a speaker is a message."""
    episode = dict(members)
    zone = session.settings.zone
    if (said := episode.get("reference_time")) is not None:
        episode["reference_time"] = dates.reference(said, zone)
    else:
        episode["reference_time"] = dt.datetime.now(zone.info)
    if episode.get("speaker") is not None:
        episode.setdefault("source", "message")
    return episode


# --- many ---


def _add_lines(session: Session, place: str, shared: Mapping[str, Any], *, ids: bool) -> None:
    numbered = list(_lines(session, place, shared))
    started = time.monotonic()
    with session.writing() as memory, _progress(session, len(numbered)) as progress:
        try:
            results = memory.add_many([episode for _, episode in numbered], progress=progress)
        except (TypeError, ValueError) as error:
            if match := _NUMBERED.match(str(error)):
                line, _ = numbered[int(match[1])]
                raise click.UsageError(f"line {line}: {str(error)[match.end() :]}") from error
            raise
    seconds = time.monotonic() - started
    warnings = [f"line {line}: {text}" for (line, _), result in zip(numbered, results, strict=True) for text in result.warnings]
    for warning in warnings[:SHOWN_WARNINGS]:
        session.say(f"tkgmem: {warning}")
    if len(warnings) > SHOWN_WARNINGS:
        session.say(f"tkgmem: and {len(warnings) - SHOWN_WARNINGS} more warnings; --json lists them all")
    counts = {
        "episodes": len(results),
        "facts": len({fact.uuid for result in results for fact in result.facts}),
        "ended": len({fact.uuid for result in results for fact in result.ended}),
        "warnings": len(warnings),
    }

    def human(screen: Screen) -> None:
        rate = f" ({len(results) / seconds:,.0f} a second)" if seconds > 0 else ""
        screen.line(f"Remembered {_count(len(results), 'text')} in {seconds:.1f} s{rate}.")
        understood = f"They support {_count(counts['facts'], 'fact')}{_also(counts['ended'])}."
        screen.line(understood if counts["facts"] else "No dated fact was understood in them; the texts can be searched.")
        if ids:
            screen.episodes([result.episode for result in results], ids=True)

    session.show({**counts, "seconds": round(seconds, 3), "results": results}, human, lines=results)


def _lines(session: Session, place: str, shared: Mapping[str, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The arguments of each line with its number, blank lines passed over. A usage error names the line and the problem."""
    for number, line in enumerate(_read(place).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield number, _episode(session, {**shared, **_members(line)})
        except ValueError as error:
            raise click.UsageError(f"line {number}: {error}") from error


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
        if type(value) is not MEMBERS[key]:
            raise ValueError(f"{key} is {value!r:.60}, not a {_KINDS[MEMBERS[key]]}")
    if "content" not in members:
        raise ValueError("content is missing")
    return members


_KINDS: Mapping[type, str] = {str: "text", dict: "JSON object", bool: "truth value (true or false)"}


@contextmanager
def _progress(session: Session, total: int) -> Iterator[Callable[[int, int], object] | None]:
    """How far it is: a bar on a terminal, else a line every ten seconds; nothing with -q."""
    if session.settings.quiet:
        yield None
    elif not sys.stderr.isatty():
        yield _Lines(session)
    else:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("remembering"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("", total=total)
            yield lambda done, _: bar.update(task, completed=done)


class _Lines:
    """Progress where nothing can be drawn twice."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._next = time.monotonic() + SECONDS_BETWEEN_LINES

    def __call__(self, done: int, total: int) -> None:
        if time.monotonic() >= self._next:
            self._session.say(f"{done:,} of {total:,} remembered")
            self._next = time.monotonic() + SECONDS_BETWEEN_LINES


# --- what was understood ---


def _understood(screen: Screen, result: AddResult, *, ids: bool) -> None:
    episode = result.episode
    by = f" by {episode.speaker}" if episode.speaker else ""
    told = dates.words(episode.reference_time.replace(second=0, microsecond=0), "time", screen.zone)
    screen.line(("Remembered", "bold"), f", told{by} on {told}.", f" uuid {episode.uuid}" if ids else "")
    if not result.facts and episode.source != "json":
        screen.line("No dated fact was understood in it; the text itself can be searched.")
    _facts(screen, "Understood", result.facts, ids=ids)
    _facts(screen, "No longer current", result.ended, ids=ids)
    for warning in result.warnings:
        click.echo(f"tkgmem: {warning}", err=True)


def _facts(screen: Screen, heading: str, facts: Sequence[Fact], *, ids: bool) -> None:
    if facts:
        screen.line((heading, "bold"))
        rows = [(f"  {screen.triple(fact)}", screen.stretch(fact), *([fact.uuid] if ids else [])) for fact in facts]
        screen.table(None, rows)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _also(ended: int) -> str:
    return f" and ended {_count(ended, 'earlier one')}" if ended else ""
