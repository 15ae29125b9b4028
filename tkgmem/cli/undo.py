"""The verb `undo`: what was told is taken back, with what followed from it, and can be brought back. Nothing is deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tkgmem.cli.app import main
from tkgmem.cli.many import count
from tkgmem.cli.session import Session
from tkgmem.cli.write import dry_run_option
from tkgmem.reports import UndoReport

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tkgmem.cli.screen import Screen
    from tkgmem.memory import Memory

_MOST_SHOWN = 20


@main.command()
@click.option("--last", is_flag=True, help="The last change, whatever it was; again, and it is back.")
@click.option("--change", type=click.IntRange(1), metavar="NUMBER", help="One change, as `tkgmem changes` numbers them.")
@click.option("--episode", metavar="UUID", help="All that a text told; the text is hidden.")
@click.option("--since", metavar="DATE", help="All that was told from then on.")
@click.option("--until", metavar="DATE", help="And before this date (now).")
@click.option("--reason", help="Why; kept with the undo.")
@dry_run_option
@click.option("--ids", is_flag=True, help="Show uuids too.")
@click.pass_obj
def undo(
    session: Session,
    *,
    last: bool,
    change: int | None,
    episode: str | None,
    since: str | None,
    until: str | None,
    reason: str | None,
    dry_run: bool,
    ids: bool,
) -> None:
    """Take back what was told: one change, a text, an import, or all of some time. What it had replaced is back.

    What was believed before stays on record, for --known-at. An undo can be undone.

    \b
    tkgmem changes                              what was changed, with numbers
    tkgmem undo --last --dry-run                what would come of it
    tkgmem undo --change 12
    tkgmem undo --since 2026-06-03 --until 2026-06-04
    """
    ways = {"--last": last, "--change": change, "--episode": episode, "--since": since}
    if until and not since:
        raise click.UsageError("--until needs --since: give the date from which all that was told is to be taken back")
    if not any(ways.values()):
        raise click.UsageError("say what to undo: --last, --change NUMBER, --episode UUID, or --since DATE")
    if len(given := [name for name, value in ways.items() if value]) > 1:
        raise click.UsageError(f"{given[0]} or {given[1]}, not both; each says what to undo")
    first, end = session.moment(since, "--since"), session.moment(until, "--until")
    with session.changing() as memory:
        number = _last(memory) if last else change
        report = memory.undo(episode=episode, change=number, since=first, until=end, reason=reason, dry_run=dry_run)
    for warning in report.warnings:
        session.say(f"Note: {warning}.")
    session.show(report, lambda screen: _told(screen, report, ids=ids))


def _last(memory: Memory) -> int:
    changes = memory.changes(limit=1)
    if not changes:
        raise click.UsageError("nothing was ever told to this memory; there is nothing to undo")
    return changes[0].number


def _told(screen: Screen, report: UndoReport, *, ids: bool) -> None:
    parts = _parts(report)
    if not parts:
        screen.line("There is nothing to take back." if report.dry_run else "There was nothing to take back.")
        return
    screen.indented(("Would change: " if report.dry_run else "Changed: ", "bold"), f"{', '.join(parts)}.", indent=0)
    _facts(screen, "No longer believed", report.gone_words, report.gone if ids else ())
    _facts(screen, "Believed again, or for longer", report.back_words, report.back if ids else ())
    _facts(screen, "Ended again, or earlier", report.ended_words, report.ended if ids else ())
    if report.change is not None:
        again = f"To undo this: tkgmem undo --change {report.change}"
        screen.indented(f"What was believed until now stays on record. {again}", indent=0)


def _parts(report: UndoReport) -> list[str]:
    named = (
        (report.claims, "statement", "taken back"),
        (report.reopened, "statement", "brought back"),
        (report.episodes, "text", "hidden"),
        (report.shown, "text", "shown again"),
    )
    found = [f"{count(number, what)} {done}" for number, what, done in named if number]
    return found or ([f"{count(report.others, 'name, merge or definition')} as before"] if report.others else [])


def _facts(screen: Screen, title: str, words: Sequence[str], uuids: Sequence[str]) -> None:
    if not words:
        return
    screen.line((f"{title}:", "bold"))
    for place, said in enumerate(words[:_MOST_SHOWN]):
        screen.indented(said, f"  {uuids[place]}" if uuids else "", indent=2)
    if len(words) > _MOST_SHOWN:
        screen.line(f"  and {len(words) - _MOST_SHOWN:,} more")
