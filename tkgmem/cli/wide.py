"""The verbs that look at much at once: `communities`, `memberships` over time, and `summary` of what is known."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from tkgmem.cli.app import main
from tkgmem.cli.many import count
from tkgmem.cli.read import clocks, ids_option
from tkgmem.cli.session import Session
from tkgmem.cli.settings import ConfigurationError
from tkgmem.graph import Membership, Summary
from tkgmem.temporal.period import Moment, to_datetime

if TYPE_CHECKING:
    from tkgmem.cli.screen import Screen
    from tkgmem.memory import Memory
    from tkgmem.reports import CommunityReport, SummaryReport

_calls = click.option(
    "--max-calls", type=click.IntRange(0), metavar="N", help="Model calls at most, with --refresh (0 for communities, 2 else)."
)


@main.command()
@click.option("--entity", metavar="NAME", help="Only the one that this is in.")
@clocks
@click.option("-n", "--limit", type=click.IntRange(1), default=10, show_default=True, help="How many.")
@click.option("--refresh", is_flag=True, help="First bring them to what the facts are now, and keep them.")
@click.option("--whole", is_flag=True, help="With --refresh: make all of them anew.")
@_calls
@ids_option
@click.pass_obj
def communities(
    session: Session,
    *,
    entity: str | None,
    valid_at: str | None,
    known_at: str | None,
    limit: int,
    refresh: bool,
    whole: bool,
    max_calls: int | None,
    ids: bool,
) -> int:
    """Show who and what belongs together by the facts, each group with what holds there; the largest first.

    Without --refresh nothing is written. `search` finds communities once they are kept.

    \b
    tkgmem communities --refresh
    tkgmem communities --entity Maya
    tkgmem communities --valid-at 2023        by the facts that held then
    """
    if not refresh and (whole or max_calls is not None):
        raise click.UsageError("--whole and --max-calls say how to refresh; add --refresh")
    if max_calls:
        _require_model(session)
    at, known = session.moment(valid_at, "--valid-at"), session.moment(known_at, "--known-at")
    report = None
    with (session.changing if refresh else session.reading)() as memory:
        if refresh:
            report = memory.refresh_communities(whole=True if whole else None, max_calls=max_calls or 0)
        found = memory.communities(entity=entity, valid_at=at, known_at=known, limit=limit)
    when = (f" at {valid_at}" if valid_at else "") + (f", as believed at {known_at}" if known_at else "")

    def human(screen: Screen) -> None:
        if report is not None:
            screen.line(_refreshed(report))
        if not found:
            what = "no facts tie entities to each other" if entity is None else f"no fact ties {entity} to another entity"
            screen.line(f"No community{when}: {what}.")
            return
        screen.title(f"What belongs together{when}", zone=False)
        screen.line()
        screen.communities(found, ids=ids)

    session.show(_with_clocks(at, known, {"report": report, "communities": found}), human, lines=found)
    if report is not None and session.settings.form == "nl":
        session.say(_refreshed(report))
    return _complaints(session, None if report is None else report.summaries)


@main.command()
@click.argument("name", metavar="ENTITY|UUID")
@click.option("--known-at", metavar="DATE", help="As far as it was kept by then.")
@ids_option
@click.pass_obj
def memberships(session: Session, *, name: str, known_at: str | None, ids: bool) -> None:
    """Show where an entity belonged over time, or who belonged to a community, as it was kept by `communities --refresh`.

    \b
    tkgmem memberships Maya
    """
    with session.reading() as memory:
        found = memory.memberships(name, known_at=session.moment(known_at, "--known-at"))

    def human(screen: Screen) -> None:
        if not found:
            screen.line(f"{name} was in no community that was kept. `tkgmem communities --refresh` keeps them.")
            return
        screen.title(f"{name}: what belonged together, as it was kept")
        columns = ["who", "community", "from", "until", *(["community's uuid"] if ids else [])]
        screen.table(columns, (_membership(screen, one, ids=ids) for one in found))

    session.show({"memberships": found}, human, lines=found)


@main.command()
@click.argument("name", metavar="ENTITY", required=False)
@click.option("--conversation", metavar="NAME", help="Of a conversation, by the name of its texts.")
@click.option("--community", metavar="UUID", help="Of a community.")
@clocks
@click.option("--versions", is_flag=True, help="Those that were kept, one after the other.")
@click.option("--refresh", is_flag=True, help="First have the model write it, where it has something new to tell.")
@_calls
@click.pass_obj
def summary(
    session: Session,
    *,
    name: str | None,
    conversation: str | None,
    community: str | None,
    valid_at: str | None,
    known_at: str | None,
    versions: bool,
    refresh: bool,
    max_calls: int | None,
) -> int:
    """Tell in a few sentences what holds of an entity, a community or a conversation.

    \b
    tkgmem summary Maya
    tkgmem summary Maya --valid-at 2023
    tkgmem summary --conversation standup --refresh
    """
    if sum(what is not None for what in (name, conversation, community)) != 1:
        raise click.UsageError("of one thing: name an entity, or give --conversation, or --community")
    if versions and valid_at is not None:
        raise click.UsageError("--versions lists what was kept over time, whatever --valid-at; leave one of them out")
    _check_refresh(session, refresh=refresh, max_calls=max_calls, community=community)
    of: dict[str, Any] = {"community": community, "conversation": conversation}
    at, known = session.moment(valid_at, "--valid-at"), session.moment(known_at, "--known-at")
    report = None
    with (session.changing if refresh else session.reading)() as memory:
        if refresh:
            report = _written(memory, name, conversation, 2 if max_calls is None else max_calls)
        if versions:
            kept = memory.summaries(name, **of, known_at=known)
        else:
            told = memory.summary(name, **of, valid_at=at, known_at=known)

    def human(screen: Screen) -> None:
        if report is not None:
            screen.line(_spent(report))
        if versions:
            _versions(screen, kept)
        else:
            screen.indented(told.text or "Nothing holds then that is known.", indent=0)

    shown = {"versions": kept} if versions else {"summary": told}
    session.show({"report": report, **shown}, human, lines=kept if versions else None)
    if report is not None and versions and session.settings.form == "nl":
        session.say(_spent(report))
    return _complaints(session, report)


def _complaints(session: Session, report: SummaryReport | None) -> int:
    """Say on stderr what the model failed at. The exit code: as for a model that cannot be used, if it wrote nothing at all."""
    if report is None:
        return 0
    for warning in report.warnings:
        session.say(f"tkgmem: {warning}")
    if report.written or not report.warnings:
        return 0
    click.echo("tkgmem: the model wrote no summary; what is shown is made without it", err=True)
    return 3


def _check_refresh(session: Session, *, refresh: bool, max_calls: int | None, community: str | None) -> None:
    if refresh and community is not None:
        raise click.UsageError("communities are refreshed together: `tkgmem communities --refresh --max-calls 2`")
    if max_calls is not None and not refresh:
        raise click.UsageError("--max-calls says how to refresh; add --refresh")
    if refresh:
        _require_model(session)


def _require_model(session: Session) -> None:
    if not session.settings.model:
        raise ConfigurationError("there is no language model to write summaries; name one with --model, or set TKGMEM_MODEL")


def _written(memory: Memory, name: str | None, conversation: str | None, calls: int) -> SummaryReport:
    entities = [] if name is None else [name]
    conversations = [] if conversation is None else [conversation]
    return memory.summarize(entities=entities, conversations=conversations, max_calls=calls)


def _with_clocks(at: Moment | None, known: Moment | None, rest: dict[str, Any]) -> dict[str, Any]:
    instants = {name: _instant(value) for name, value in (("valid_at", at), ("known_at", known))}
    return {**instants, **rest}


def _membership(screen: Screen, one: Membership, *, ids: bool) -> Sequence[str]:
    until = "now" if one.expired_at is None else screen.short(one.expired_at)
    return [one.entity.name, one.name, screen.short(one.created_at), until, *([one.community] if ids else [])]


def _versions(screen: Screen, kept: Sequence[Summary]) -> None:
    if not kept:
        screen.line("None was kept: summaries are made when they are read.")
    for one in kept:
        until = "now" if one.expired_at is None else screen.short(one.expired_at)
        by = f", written by {one.model}" if one.model else ""
        screen.line((f"{screen.short(one.created_at)} to {until}{by}", "bold"))
        screen.indented(one.text, indent=0)


def _refreshed(report: CommunityReport) -> str:
    what = "made anew" if report.whole else f"{report.joined:,} joined, {report.left:,} left"
    parts = [
        f"{count(report.communities, 'community', 'communities')} of {count(report.members, 'entity', 'entities')}: {what}"
    ]
    parts.append(f"modularity {report.modularity:.3f}")
    if report.drift is not None:
        parts.append(f"drift {report.drift:.3f}")
    parts.append(count(report.renewed, "summary", "summaries") + " renewed")
    text = ", ".join(parts) + "."
    return text if report.summaries is None else f"{text} {_spent(report.summaries)}"


def _spent(report: SummaryReport) -> str:
    spent = f"{report.prompt_tokens + report.completion_tokens:,} tokens"
    cost = "" if report.cost is None else f", {report.cost:.4f} US dollars"
    calls = f" ({count(report.calls, 'call')}, {spent}{cost})" if report.calls else ""
    parts = [f"{count(report.written, 'summary', 'summaries')} written{calls}"]
    if report.waiting:
        parts.append(f"{report.waiting:,} waiting")
    return ", ".join(parts) + "."


def _instant(moment: Moment | None) -> dt.datetime | None:
    return None if moment is None else to_datetime(moment.micros)
