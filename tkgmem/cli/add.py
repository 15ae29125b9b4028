"""The verb `add`: one text, a file, or many as JSON lines, and what is said of what was understood."""

from __future__ import annotations

import datetime as dt
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tkgmem.cli import dates
from tkgmem.cli.app import main
from tkgmem.cli.harmless import harmless
from tkgmem.cli.many import add_lines, count
from tkgmem.cli.read import ids_option
from tkgmem.cli.session import Session
from tkgmem.errors import ProviderError
from tkgmem.graph import AddResult, Fact

if TYPE_CHECKING:
    from tkgmem.cli.screen import Screen


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
@click.option("--mapping", metavar="FILE", help="Where the facts of a record (--source json) are, as JSON.")
@click.option(
    "--facts", metavar="FILE", help="What was read from it already: a JSON list of source, relation, target, valid_at."
)
@click.option("--instructions", metavar="TEXT", help="What else the model should know.")
@click.option("--no-extract", is_flag=True, help="Keep the text, look for no facts.")
@click.option("--later", is_flag=True, help="Keep the text now; `tkgmem extract` looks for facts.")
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
    mapping: str | None,
    facts: str | None,
    instructions: str | None,
    no_extract: bool,
    later: bool,
    ids: bool,
) -> int:
    """Remember a text and its dated facts. The text is kept word for word; `-` is standard input.

    \b
    tkgmem add "Maya moved to Lisbon in May 2024."
    tkgmem add "I joined Contoso yesterday." --speaker Maya --reference-time 2025-09-02
    tkgmem add --jsonl turns.jsonl   {"content": "...", "speaker": "...", "reference_time": "2023-05-08T13:56"}

    After an interruption add the file again: what is there stays as it is. Lines without a reference_time are told anew.
    """
    if sum(map(bool, (text, file, jsonl))) > 1:
        raise click.UsageError("give one of: a text, --file, --jsonl")
    shared: dict[str, Any] = {"speaker": speaker, "name": name, "reference_time": reference_time, "instructions": instructions}
    shared |= {"source": "json" if mapping and not source else source, "mapping": json_in("--mapping", mapping)}
    shared |= {"facts": json_in("--facts", facts)}
    shared = {key: value for key, value in shared.items() if value is not None}
    if no_extract and later:
        raise click.UsageError("--no-extract and --later exclude each other; choose one")
    if no_extract or later:
        shared["extract"] = "later" if later else False
    if jsonl:
        return add_lines(session, _read(jsonl), lambda line: _episode(session, {**shared, **line}), ids=ids)
    episode = _episode(session, {**shared, "content": _content(text, file)})
    with session.writing() as memory:
        try:
            result = memory.add(**episode)
        except ProviderError:
            session.say("the text is kept and can be searched; `tkgmem extract` reads it when the model is there again")
            raise
    session.show(result, lambda screen: _understood(screen, result, ids=ids))
    return 0


def json_in(option: str, file: str | None) -> object:
    """What is in an option's file."""
    if file is None:
        return None
    try:
        return json.loads(_read(file))
    except ValueError as error:
        raise click.UsageError(f"{option}: {file} is not JSON: {error}") from error


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


# --- what was understood ---


def _understood(screen: Screen, result: AddResult, *, ids: bool) -> None:
    episode = result.episode
    by = f" by {episode.speaker}" if episode.speaker else ""
    told = dates.words(episode.reference_time.replace(second=0, microsecond=0), "time", screen.zone)
    screen.line(("Remembered", "bold"), f", told{by} on {told}.", f" uuid {episode.uuid}" if ids else "")
    if episode.state == "pending":
        screen.line("It is not read yet; `tkgmem extract` does that. Its words can be searched.")
    elif not result.facts and episode.source != "json":
        screen.line("No dated fact was understood in it; the text itself can be searched.")
    _facts(screen, "Understood", result.facts, ids=ids)
    _facts(screen, "No longer current", result.ended, ids=ids)
    if result.calls:
        screen.line(f"{count(result.calls, 'model call')}, {result.prompt_tokens + result.completion_tokens:,} tokens.")
    for warning in (*result.warnings, *result.ignored):
        click.echo(f"tkgmem: {harmless(warning)}", err=True)


def _facts(screen: Screen, heading: str, facts: Sequence[Fact], *, ids: bool) -> None:
    if facts:
        screen.line((heading, "bold"))
        rows = [(f"  {screen.triple(fact)}", screen.stretch(fact), *([fact.uuid] if ids else [])) for fact in facts]
        screen.table(None, rows)
