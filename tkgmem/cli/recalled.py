"""The recall log for people: what was asked and given, and why it was given (`why --query`)."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from tkgmem.cli import dates
from tkgmem.cli.app import main
from tkgmem.cli.many import count
from tkgmem.cli.session import Session
from tkgmem.temporal.period import Moment
from tkgmem.temporal.stretches import unit_end

if TYPE_CHECKING:
    from tkgmem.cli.screen import Screen
    from tkgmem.reasons import Recall, Recalled

_LATER = dt.timedelta(minutes=1)
"""Answered as of a time that is further from when it was asked is said."""


@main.command("recalls")
@click.option("-n", "--limit", type=click.IntRange(1), default=20, show_default=True, help="How many.")
@click.option("--query", metavar="TEXT", help="Only this question.")
@click.option("--forget", is_flag=True, help="Delete the whole log for good, or with --group what was asked of that group.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def recalls(session: Session, *, limit: int, query: str | None, forget: bool, yes: bool) -> None:
    """List what the memory was asked and what it gave, newest first. Kept by search and context, the last 10,000.

    \b
    tkgmem recalls
    tkgmem recalls --query "where does Maya live"
    tkgmem recalls --forget
    """
    if forget:
        _forget(session, query, yes=yes)
        return
    with session.reading() as memory:
        found = memory.recalls(query=query, limit=limit)

    def human(screen: Screen) -> None:
        if not found:
            screen.line("The log has no such question." if query else "The log has no questions.")
        else:
            screen.title("What was asked, newest first")
            screen.table(["asked", "question", "given", "best fact"], ([*_row(screen, recall)] for recall in found))

    session.show({"recalls": found}, human, lines=found)


def _row(screen: Screen, recall: Recall) -> Sequence[str]:
    best = f"{screen.triple(recall.facts[0])} ({screen.stretch(recall.facts[0])})" if recall.facts else ""
    return [screen.short(_minute(recall.at)), " ".join(recall.query.split()), _given(recall), best]


def _given(recall: Recall) -> str:
    """How much was given, in words."""
    counts = (
        (recall.facts, "fact", "facts"),
        (recall.entities, "name", "names"),
        (recall.episodes, "text", "texts"),
        (recall.communities, "community", "communities"),
    )
    return ", ".join(f"{len(hits):,} {one if len(hits) == 1 else many}" for hits, one, many in counts if hits) or "nothing"


def _minute(at: dt.datetime) -> dt.datetime:
    return at.replace(second=0, microsecond=0)


def _forget(session: Session, query: str | None, *, yes: bool) -> None:
    if query is not None:
        raise click.UsageError("--forget deletes the log, not one question; leave out --query")
    if not (yes or sys.stdin.isatty()):
        raise click.UsageError("deleting the log cannot be taken back; without a terminal to ask on, say so with --yes")
    if not yes:
        click.confirm("This deletes the recall log for good. Go on?", abort=True, err=True)
    with session.changing() as memory:
        gone = memory.forget_recalls(group=session.given.get("group"))
    session.show({"deleted": gone}, lambda screen: screen.line(f"Deleted {count(gone, 'question')} from the recall log."))


# --- why it was given ---


def show_recalled(session: Session, query: str, at: str | None, *, limit: int, ids: bool) -> None:
    """What the memory told when it was asked this, the last time before `at`, and why it believed each fact."""
    with session.reading() as memory:
        found = memory.recalled(query, at=_until(session, at))
    more = len(found.whys) - limit
    session.show(found, lambda screen: _show(screen, found, at, limit=limit, ids=ids))
    if more > 0 and session.settings.form == "table":
        session.say(f"{count(more, 'fact')} more; ask for more with -n.")


def _until(session: Session, at: str | None) -> Moment | None:
    """The end of the year, month or day that was named, in the asked zone; a time of day as it is."""
    asked = session.moment(at, "--at")
    if asked is None or asked.precision == "time":
        return asked
    end = unit_end(asked, session.settings.zone.info)
    return asked if end is None else Moment(end.micros - 1)


def _show(screen: Screen, found: Recalled, at: str | None, *, limit: int, ids: bool) -> None:
    from tkgmem.cli.explained import show

    recall = found.recall
    screen.title(" ".join(recall.query.split()))
    screen.indented(f"{_asked(screen, found, at)} It {'gave' if found.logged else 'gives'} {_given(recall)}.", indent=0)
    for why in found.whys[:limit]:
        screen.line()
        show(screen, why, ids=ids, below=True)
    if recall.entities:
        screen.line()
        screen.line(("Names", "bold"))
        screen.entities(recall.entities, ids=ids)
    if recall.episodes:
        screen.line()
        screen.line(("Texts", "bold"))
        screen.episodes(recall.episodes, ids=ids)
    if recall.communities:
        screen.line()
        screen.line(("Communities", "bold"))
        screen.communities(recall.communities, ids=ids)


def _asked(screen: Screen, found: Recalled, at: str | None) -> str:
    """When it was asked, and as of when it was answered where that is another time."""
    recall = found.recall
    if not found.logged:
        before = f" at or before {at}" if at else ""
        then = f"as of {at}, with what was known by then" if at else "now"
        return f"The log has no such question{before}, so it is asked {then}."
    said = f"Asked on {dates.words(_minute(recall.at), 'time', screen.zone)}"
    if recall.query_time is not None:
        words = " ".join(recall.query_time.words.split())
        return f"{said}, read as of {words!r}."
    if abs(recall.valid_at - recall.at) > _LATER:
        return f"{said} about {dates.words(recall.valid_at, 'time', screen.zone)}."
    return f"{said}."
