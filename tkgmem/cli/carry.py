"""The verbs that carry a memory, or a part of it, into other files and out of them."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING, Any

import click

from tkgmem.cli.add import json_in
from tkgmem.cli.app import main
from tkgmem.cli.files import described, password_of, password_options
from tkgmem.cli.many import progress
from tkgmem.cli.session import Session
from tkgmem.graph import Entity
from tkgmem.reports import MergeReport

if TYPE_CHECKING:
    from tkgmem.cli.screen import Screen
    from tkgmem.memory import Memory


@main.command()
@click.argument("path")
@click.option("--format", "form", type=click.Choice(["jsonl", "csv"]), default="jsonl", help="JSON lines, or a folder of CSV.")
@click.option("--vectors", is_flag=True, help="The vectors too, so that an import need not make them.")
@click.option("--no-logs", is_flag=True, help="Without what a language model was asked and said.")
@click.pass_obj
def export(session: Session, *, path: str, form: str, vectors: bool, no_logs: bool) -> None:
    """Write everything to a new file that any program can read; - is standard output.

    \b
    tkgmem export me.jsonl
    tkgmem export - --no-logs | gzip > me.jsonl.gz
    tkgmem export graph --format csv                  nodes and edges for a graph database
    """
    with session.reading() as memory:
        if path == "-" and form == "jsonl":
            stream = io.TextIOWrapper(sys.stdout.buffer, "utf-8", newline="\n")  # whatever the console takes
            try:
                memory.export(stream, vectors=vectors, logs=not no_logs)
            finally:
                stream.detach()
            return
        made = memory.export(path, format="csv" if form == "csv" else "jsonl", vectors=vectors, logs=not no_logs)
    session.show(made, lambda screen: screen.line((f"Wrote {made.path}: ", "bold"), f"{described(made)}."))


FORMATS = ("tkgmem", "graphiti", "mcp-memory", "chatgpt", "claude", "claude-code", "notes", "records")


@main.command("import")
@click.argument("what", metavar="[FORMAT] PATH", nargs=-1, required=True)
@click.option("--format", "form", type=click.Choice(FORMATS), help="What it is (what it looks like).")
@click.option("--speaker", metavar="NAME", help="Who the user is in conversations, or wrote the notes.")
@click.option("--mapping", metavar="FILE", help="Of records: where their facts are, as JSON.")
@click.option("--told-at", metavar="MEMBER", help="Of records: the member with their date, such as fields.updated.")
@click.option("--no-extract", is_flag=True, help="Keep the texts, look for no facts.")
@click.option("--later", is_flag=True, help="Keep the texts now; `tkgmem extract` looks for facts.")
@click.option("--dry-run", is_flag=True, help="Say what there is, and take in nothing.")
@click.pass_obj
def import_(
    session: Session,
    *,
    what: tuple[str, ...],
    form: str | None,
    speaker: str | None,
    mapping: str | None,
    told_at: str | None,
    no_extract: bool,
    later: bool,
    dry_run: bool,
) -> int:
    """Take in conversations and notes, what `export` wrote, or another memory's dump. A second time changes nothing.

    Conversations are those of the data exports of ChatGPT and Claude, as they come, and the sessions of Claude Code. What
    assistants said is kept and found, and not read for facts. Of a dump - is standard input.

    \b
    tkgmem import chatgpt-export.zip --speaker Maya      or with its format: tkgmem import chatgpt export.zip
    tkgmem import ~/notes --dry-run                      Markdown or plain text
    tkgmem import ~/.claude/projects
    tkgmem import tickets.jsonl --format records --mapping tickets.json --told-at updated
    tkgmem import me.jsonl
    """
    path, form = _named(what, form)
    if no_extract and later:
        raise click.UsageError("--no-extract and --later exclude each other; choose one")
    texts: dict[str, Any] = {"speaker": speaker, "told_at": told_at, "mapping": json_in("--mapping", mapping)}
    texts = {name: value for name, value in texts.items() if value is not None}
    if no_extract or later:
        texts["extract"] = "later" if later else False
    if dry_run:
        texts["dry_run"] = True
    with _to_take_in(session, dry_run) as memory, progress(session, None, "taking in") as tell:
        stream = io.TextIOWrapper(sys.stdin.buffer, "utf-8-sig") if path == "-" else path
        report = memory.import_(stream, format=form, progress=tell, **texts)  # type: ignore[arg-type]  # checked by click
    _show(session, f"{'Would take in' if dry_run else 'Took in'} {path}", report)
    return 1 if report.failed else 0


def _named(what: tuple[str, ...], form: str | None) -> tuple[str, str | None]:
    """The path, and the format that may stand before it."""
    if len(what) == 1:
        return what[0], form
    named = "tkgmem" if what[0] == "jsonl" else what[0]
    if len(what) > 2 or named not in FORMATS:
        raise click.UsageError(f"give one path, with its format before it if need be: {', '.join(FORMATS)}")
    if form not in {None, named}:
        raise click.UsageError(f"the format is said twice: {what[0]} and --format {form}")
    return what[1], named


def _to_take_in(session: Session, dry_run: bool) -> Memory:
    """The memory, made if there is none; for a dry run none is made."""
    if not dry_run:
        return session.writing()
    return session.reading() if session.exists else session.open(":memory:")


@main.command()
@click.argument("path")
@click.pass_obj
def merge(session: Session, *, path: str) -> None:
    """Take in the memory of another file, which stays as it is. A second time changes nothing.

    What the two tell differently is settled by rule and shown. What was forgotten here comes back if the other still has it.

    \b
    tkgmem merge laptop.db
    """
    with session.changing() as memory:
        report = memory.merge(path)
    _show(session, f"Merged {path}", report)


@main.command()
@click.argument("path")
@click.option("--entity", "entities", multiple=True, metavar="NAME", help="Only what is told of it; repeatable.")
@click.option("--since", metavar="DATE", help="Only what was told since then.")
@click.option("--until", metavar="DATE", help="Only what was told before then.")
@click.option("--no-episodes", is_flag=True, help="Without the texts and the sentences taken from them.")
@password_options
@click.pass_obj
def share(
    session: Session,
    *,
    path: str,
    entities: tuple[str, ...],
    since: str | None,
    until: str | None,
    no_episodes: bool,
    password: bool,
    password_file: str | None,
) -> None:
    """Write a part of the memory to a new file, in which nothing else ever was: the group, or what is told of some in it.

    The texts that say it come along whole, with all that they say of others; --no-episodes leaves them out. Told is when it was
    said, not when it was learned.

    \b
    tkgmem share for-ana.db --entity Ana --since 2026
    tkgmem share team.age --group work --no-episodes --password
    """
    first, last = session.moment(since, "--since"), session.moment(until, "--until")
    secret = password_of(password, password_file, twice=True)
    with session.reading() as memory:
        made = memory.share(
            path,
            entities=list[str | Entity](entities) or None,
            since=first,
            until=last,
            episodes=not no_episodes,
            password=secret,
        )
    session.show(made, lambda screen: screen.line((f"Wrote {made.path}: ", "bold"), f"{described(made)}."))


def _show(session: Session, what: str, report: MergeReport) -> None:
    for warning in report.warnings:
        session.say(f"tkgmem: {warning}")
    session.show(report, lambda screen: _merged(screen, what, report))


def _merged(screen: Screen, what: str, report: MergeReport) -> None:
    counts = (
        (report.episodes, "text", "texts"),
        (report.claims, "statement", "statements"),
        (report.entities, "entity", "entities"),
    )
    parts = [f"{count:,} new {one if count == 1 else many}" for count, one, many in counts if count]
    parts += [f"{report.changed:,} known {'one' if report.changed == 1 else 'ones'} changed"] if report.changed else []
    parts += [f"{report.definitions:,} new definitions of relations"] if report.definitions else []
    parts += [f"{report.joined:,} joined by name"] if report.joined else []
    parts += [f"{report.unchanged:,} known already"] if report.unchanged else []
    parts += [f"{report.failed:,} kept but not read"] if report.failed else []
    parts += (
        [f"of {report.conversations:,} conversation{'' if report.conversations == 1 else 's'}"] if report.conversations else []
    )
    screen.line((f"{what}: ", "bold"), f"{', '.join(parts) or 'nothing new'}.")
    for conflict in report.conflicts:
        screen.line("  told differently: ", f"{conflict.detail} ({conflict.what} {conflict.uuid})")
