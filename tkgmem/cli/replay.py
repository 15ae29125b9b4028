"""The verb that makes the memory again from its texts, and says in words what differs."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import click

from tkgmem.cli import dates
from tkgmem.cli.app import main
from tkgmem.cli.many import count, progress
from tkgmem.cli.read import ids_option
from tkgmem.cli.session import Session
from tkgmem.reports import Difference, ReplayReport
from tkgmem.temporal.period import Precision

if TYPE_CHECKING:
    from tkgmem.cli.screen import Screen

_KINDS = {
    "fact": "fact",
    "version": "belief",
    "claim": "statement",
    "support": "source of a fact",
    "merge": "merged entity",
    "move": "moved statement",
    "trait": "type or attribute",
    "change": "change of belief",
}


@main.command()
@click.option("--to", "path", metavar="FILE", help="Keep what is made, as a memory of its own.")
@click.option("--rules", is_flag=True, help="Read the texts anew by the rules of today, not as they were read.")
@ids_option
@click.pass_obj
def replay(session: Session, *, path: str | None, rules: bool, ids: bool) -> int:
    """Make the memory again from its texts, and compare. Nothing in it is changed.

    No language model is asked: what it answered then is in the log. Exit code 1 if anything differs.
    With --model NAME or --rules every text is read anew instead, and the facts believed now are compared.

    \b
    tkgmem replay                               is everything still what the texts and the log give?
    tkgmem replay --rules                       what do today's rules read differently?
    tkgmem replay --model NAME --to other.db    the same texts, read by another model
    """
    session.require()
    model = session.given.get("model") or None  # only one that is named here: a model may cost money
    if rules and model:
        raise click.UsageError("--rules and --model exclude each other; choose what is to read the texts")
    memory = session.open(session.settings.path, read_only=True, by_rules=True)
    with memory, progress(session, None, "replaying") as tell:
        report = memory.replay(path, llm=model, rules=rules, progress=tell)
    anew = "the rules of today" if rules else model
    session.show({"same": report.same, **_fields(report)}, lambda screen: _shown(screen, report, anew, ids=ids))
    return 0 if report.same or anew else 1


def _fields(report: ReplayReport) -> dict[str, object]:
    return {name: getattr(report, name) for name in report.__dataclass_fields__}


def _shown(screen: Screen, report: ReplayReport, anew: str | None, *, ids: bool) -> None:
    by = f", by {anew}" if anew else f", with {count(report.logged, 'answer')} from the log" if report.logged else ""
    asked = f"A model was asked {count(report.calls, 'question')}." if report.calls else "No model was asked."
    screen.indented((f"Read again: {count(report.episodes, 'text')}", "bold"), f"{by}. {asked}", indent=0)
    for warning in report.warnings:
        screen.indented(f"Note: {warning}.", indent=0)
    same = f"{count(report.facts, 'fact')} and {count(report.versions, 'version' if anew is None else 'period')}"
    if not report.differences:
        screen.line((f"The same: {same}", "bold"), ", and all else." if anew is None else ".")
    else:
        screen.line((f"The same: {same}. Different: {report.differences:,}.", "bold"), f" Dates in {screen.zone.name}.")
    made = "in the one that was read anew" if anew else "in the one that was made again"
    for side, found in (("in this memory", report.only_here), (made, report.only_there)):
        if found:
            screen.line(f"Only {side}:")
        for one in found:
            screen.indented(*_told(screen, one, ids=ids), indent=2)
    if report.differences > len(report.only_here) + len(report.only_there):
        screen.line("There is more; --json counts all of it.")
    if report.path is not None:
        screen.line(f"What was made is in {report.path}.")


def _told(screen: Screen, one: Difference, *, ids: bool) -> list[str | tuple[str, str]]:
    """A difference in one line: what it says, when that holds, and when it was believed where that is what differs."""
    parts: list[str | tuple[str, str]] = [] if one.what == "fact" else [f"{_KINDS.get(one.what, one.what)}: "]
    parts.append((one.words, "bold"))
    precisions = (cast("Precision | None", one.valid_precision), cast("Precision | None", one.invalid_precision))
    if one.valid_at or one.invalid_at:
        parts.append(f", {dates.stretch(one.valid_at, one.invalid_at, precisions, screen.zone)}")
    if one.what != "fact" and one.believed_from:
        until = f" until {screen.short(one.believed_until)}" if one.believed_until else ""
        parts.append(f"; believed from {screen.short(one.believed_from)}{until}")
    if one.said and one.said.casefold() != one.words.casefold():
        parts.append((f'; told: "{one.said}"', "dim"))
    if ids:
        parts.append(f" {one.uuid or ''}")
    return parts
