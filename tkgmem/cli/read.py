"""The verbs that only read. They open the file read-only; a missing file is an error, never made."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tkgmem.cli.app import main
from tkgmem.cli.picture import called, deliver, svg_option
from tkgmem.cli.session import Session
from tkgmem.reports import Stats
from tkgmem.temporal.period import Moment, to_datetime

if TYPE_CHECKING:
    from tkgmem.cli.screen import Screen

Function = TypeVar("Function", bound=Callable[..., Any])

ids_option = click.option("--ids", is_flag=True, help="Show uuids too, which retract, correct and forget take.")


def clocks(function: Function) -> Function:
    """The options of both clocks."""
    valid = click.option("--valid-at", metavar="DATE", help="What holds at this time in the world (now).")
    known = click.option("--known-at", metavar="DATE", help="As believed at this time (everything recorded so far).")
    return valid(known(function))


@main.command()
@click.pass_obj
def path(session: Session) -> None:
    """Print where the memory's file is, or would be."""
    place = session.settings.path
    session.show({"path": place, "exists": session.exists}, lambda screen: screen.line(place))


@main.command("as-of")
@click.argument("date")
@click.option("--known-at", metavar="DATE", help="As believed at this time (everything recorded so far).")
@click.option("--source", metavar="NAME", help="Only facts about this.")
@click.option("--relation", metavar="NAME", help="Only this relation.")
@click.option("--target", metavar="NAME", help="Only facts with this at the other end.")
@ids_option
@click.pass_obj
def as_of(
    session: Session,
    *,
    date: str,
    known_at: str | None,
    source: str | None,
    relation: str | None,
    target: str | None,
    ids: bool,
) -> None:
    """List the facts that held at a date.

    \b
    tkgmem as-of 2025-01-01
    tkgmem as-of 2026-07-15 --known-at 2026-06-02   what was believed on 2 June about 15 July
    """
    at, known = session.date(date, "DATE"), session.moment(known_at, "--known-at")
    with session.reading() as memory:
        facts = memory.as_of(at, known_at=known, source=source, relation=relation, target=target)
    belief = f", as believed at {known_at}" if known_at else ""

    def human(screen: Screen) -> None:
        if facts:
            screen.title(f"What holds at {date}{belief}")
            screen.facts(facts, ids=ids)
        else:
            screen.title(f"Nothing is known to hold at {date}{belief}.")

    session.show({"valid_at": _instant(at), "known_at": _instant(known), "facts": facts}, human, lines=facts)


@main.command()
@click.argument("entity")
@clocks
@svg_option
@ids_option
@click.pass_obj
def timeline(session: Session, *, entity: str, valid_at: str | None, known_at: str | None, svg: str | None, ids: bool) -> None:
    """Show what holds of an entity when. Announcements without a date come last.

    \b
    tkgmem timeline Maya
    tkgmem timeline Maya --svg maya.svg --known-at 2025-06-01
    """
    at, known = session.moment(valid_at, "--valid-at"), session.moment(known_at, "--known-at")
    with session.reading() as memory:
        versions = memory.timeline(entity, valid_at=at, known_at=known)
    if svg is not None:
        from tkgmem.pictures import timeline_svg

        drawn = timeline_svg(
            versions,
            title=called(entity, versions),
            now=dt.datetime.now(dt.UTC),
            zone=session.settings.zone.info,
            valid_at=_instant(at),
            known_at=_instant(known),
        )
        return deliver(session, svg, drawn)

    def human(screen: Screen) -> None:
        screen.title(f"{entity}: what holds when" + (f", as believed at {known_at}" if known_at else ""))
        screen.timeline(versions, ids=ids)

    return session.show({"entity": entity, "versions": versions}, human, lines=versions)


@main.command()
@click.argument("entity", metavar="ENTITY|UUID")
@svg_option
@ids_option
@click.pass_obj
def history(session: Session, entity: str, svg: str | None, ids: bool) -> None:
    """Show what was believed when. Everything that ever was, of an entity or of one fact.

    \b
    tkgmem history Maya
    tkgmem history Maya --svg maya.svg                a layer for each change of belief
    """
    with session.reading() as memory:
        versions = memory.history(entity)
    if svg is not None:
        from tkgmem.pictures import history_svg

        now, zone = dt.datetime.now(dt.UTC), session.settings.zone.info
        return deliver(session, svg, history_svg(versions, title=called(entity, versions), now=now, zone=zone))

    def human(screen: Screen) -> None:
        screen.title(f"{entity}: what was believed when")
        screen.history(versions, ids=ids)

    return session.show({"of": entity, "versions": versions}, human, lines=versions)


@main.command()
@click.argument("name")
@clocks
@ids_option
@click.pass_obj
def entity(session: Session, *, name: str, valid_at: str | None, known_at: str | None, ids: bool) -> None:
    """Show one entity with the facts that hold of it."""
    with session.reading() as memory:
        view = memory.entity(
            name, valid_at=session.moment(valid_at, "--valid-at"), known_at=session.moment(known_at, "--known-at")
        )

    def human(screen: Screen) -> None:
        also = f", also called {', '.join(view.entity.aliases)}" if view.entity.aliases else ""
        screen.title(view.entity.name + also)
        if ids:
            screen.line("uuid: ", view.entity.uuid)
        if view.facts:
            screen.facts(view.facts, ids=ids)
        else:
            screen.line("No fact holds at that time.")

    session.show(view, human)


@main.command()
@click.option("-n", "--limit", type=click.IntRange(1), default=20, show_default=True, help="How many.")
@click.option("--offset", type=click.IntRange(0), default=0, help="How many to pass over first.")
@click.option("--name", help="Only those of this conversation or document.")
@click.option("--state", type=click.Choice(["pending", "done", "failed"]), help="Only those in this state.")
@click.option("--known-at", metavar="DATE", help="Only those that were stored by then.")
@ids_option
@click.pass_obj
def episodes(
    session: Session, *, limit: int, offset: int, name: str | None, state: str | None, known_at: str | None, ids: bool
) -> None:
    """List the texts that were told, newest first."""
    with session.reading() as memory:
        found = memory.episodes(
            limit=limit, offset=offset, name=name, state=state, known_at=session.moment(known_at, "--known-at")
        )

    def human(screen: Screen) -> None:
        screen.title("Texts, newest first" if found else "No texts.")
        if found:
            screen.episodes(found, ids=ids)

    session.show({"episodes": found}, human, lines=found)


@main.command()
@click.pass_obj
def stats(session: Session) -> None:
    """Count what is in the file. All groups, or the one named by --group."""
    with session.reading() as memory:
        counts = memory.stats(group=session.given.get("group"))
    place = session.settings.path

    def human(screen: Screen) -> None:
        screen.title(place)
        screen.pairs(_counted(counts, screen))

    session.show(counts, human)


def _counted(counts: Stats, screen: Screen) -> Sequence[tuple[str, str]]:
    learned = (counts.first_learned, counts.last_learned)
    return [
        ("texts", f"{counts.episodes:,}" + _open_work(counts)),
        ("entities", f"{counts.entities:,}"),
        ("facts believed", f"{counts.facts:,}, of which {counts.current_facts:,} hold now"),
        ("statements behind them", f"{counts.claims:,}"),
        ("beliefs, old ones too", f"{counts.versions:,}"),
        ("relations defined", f"{counts.relations:,}"),
        ("communities kept", f"{counts.communities:,}"),
        ("groups", ", ".join(counts.groups) or "none yet"),
        ("learned", " to ".join(screen.short(date) for date in learned) if all(learned) else "nothing yet"),
        ("file", f"{counts.file_bytes / 1_000_000:,.2f} MB"),
        ("embedder", counts.embedder or "none yet"),
    ]


def _open_work(counts: Stats) -> str:
    states = [f"{count:,} {state}" for count, state in ((counts.pending, "pending"), (counts.failed, "failed")) if count]
    return f" ({', '.join(states)})" if states else ""


def _instant(moment: Moment | None) -> dt.datetime | None:
    return None if moment is None else to_datetime(moment.micros)
