"""The verbs that look after the file: is it sound, and what is derived made again. What was recorded is never touched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tkgmem.cli.app import main
from tkgmem.cli.many import count, progress
from tkgmem.cli.session import Session
from tkgmem.cli.settings import ConfigurationError
from tkgmem.errors import EmbedderMismatch
from tkgmem.memory import reembed

if TYPE_CHECKING:
    from tkgmem.cli.screen import Screen
    from tkgmem.reports import DoctorReport, Problem, ReindexReport


@main.command()
@click.option("--repair", is_flag=True, help="Make again what is derived, where it is wrong.")
@click.pass_obj
def doctor(session: Session, *, repair: bool) -> int:
    """Check the whole file: what was recorded, and that what is derived follows from it. Exit code 1 if something is wrong.

    \b
    tkgmem doctor
    tkgmem doctor --repair
    """
    with (session.changing if repair else session.reading)() as memory, progress(session, None, "checking") as tell:
        report = memory.doctor(repair=repair, progress=tell)
    document = {"ok": report.ok, "checked": report.checked, "problems": report.problems, "notes": report.notes}
    session.show(document, lambda screen: _examined(screen, report), lines=report.problems)
    return 0 if report.ok else 1


def _examined(screen: Screen, report: DoctorReport) -> None:
    for problem in report.problems:
        screen.line((f"{problem.check}: ", "bold"), _told(problem))
    for note in report.notes:
        screen.line(f"Note: {note}.")
    looked = ", ".join(f"{name} {number:,}" for name, number in report.checked.items())
    screen.line(f"Checked: {looked}.")
    left = [problem for problem in report.problems if not problem.repaired]
    if any(not problem.derived for problem in left):
        screen.line("What was recorded is damaged, which nothing can make again: restore a backup.")
    elif left:
        screen.line("All that is wrong can be made again from what was recorded: `tkgmem doctor --repair`.")
    else:
        screen.line("The file is sound." if not report.problems else "The file is sound again.")


def _told(problem: Problem) -> str:
    where = f" ({', '.join(problem.examples)}{', ...' if problem.count > len(problem.examples) else ''})"
    return f"{problem.detail}: {problem.count:,}{where if problem.examples else ''}{'; repaired' if problem.repaired else ''}"


@main.command()
@click.pass_obj
def reindex(session: Session) -> None:
    """Make the full text and missing vectors again; all vectors, if another model made them than the one in use.

    The model is the one that ships, or that of TKGMEM_EMBEDDER. Others go on reading and writing meanwhile, and what was
    interrupted goes on where it was.
    """
    if session.settings.read_only:
        raise ConfigurationError("TKGMEM_READ_ONLY is set, so nothing is made again; unset it, or set it to 0")
    try:
        with session.changing() as memory, progress(session, None, "indexing") as tell:
            report = memory.reindex(progress=tell)
    except EmbedderMismatch as mismatch:
        session.say(f"{mismatch}\nMaking all vectors anew; what is done stays if this is interrupted.")
        with progress(session, None, "embedding") as tell:
            report = reembed(session.settings.path, session.embedder(), progress=tell)
    session.show(report, lambda screen: _made(screen, report))


def _made(screen: Screen, report: ReindexReport) -> None:
    texts = f"{count(report.texts, 'text')} indexed, " if report.texts else ""
    screen.line(f"{texts}{count(report.vectors, 'vector')} made by {report.embedder}.")
