"""The verbs that ask about a stretch of time: `held`, what held in it, and `succession`, who held one relation when."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import click

from tkgmem.cli.app import main
from tkgmem.cli.read import ids_option
from tkgmem.cli.session import Session
from tkgmem.reasons import Held, How, Succession
from tkgmem.temporal.period import Moment, to_datetime
from tkgmem.temporal.stretches import unit_end

if TYPE_CHECKING:
    from tkgmem.cli.screen import Screen

OPEN = ".."
"""What stands for "no bound" in place of a date, as in ISO 8601-2."""
GAP = "nothing known"
_KNOWN = click.option("--known-at", metavar="DATE", help="As believed at this time (everything recorded so far).")
_HOW = {
    "any": ("What held at some time", "held at some time"),
    "throughout": ("What held all the time", "held all the time"),
    "began": ("What began", "begun"),
    "ended": ("What ended", "ended"),
}


@main.command()
@click.argument("since")
@click.argument("until", required=False)
@click.option("--throughout", "how", flag_value="throughout", help="Only what held all the time.")
@click.option("--began", "how", flag_value="began", help="Only what began then.")
@click.option("--ended", "how", flag_value="ended", help="Only what ended then.")
@click.option("--source", metavar="NAME", help="Only facts about this.")
@click.option("--relation", metavar="NAME", help="Only this relation.")
@click.option("--target", metavar="NAME", help="Only facts with this at the other end.")
@_KNOWN
@ids_option
@click.pass_obj
def held(
    session: Session, /, *, since: str, until: str | None, how: How | None, known_at: str | None, ids: bool, **who: Any
) -> None:
    """List the facts that held in a stretch of time, or began or ended in it.

    SINCE alone is a whole year, month or day. UNTIL is no longer part of it; ".." is no bound.

    \b
    tkgmem held 2024                         at some time of that year
    tkgmem held 2024-03 2024-06 --began      in March, April or May
    tkgmem held 2024 .. --throughout         from 2024 on, with no known end
    """
    start, end = _bound(session, since, "SINCE"), _end(session, since, until)
    known = session.moment(known_at, "--known-at")
    way: How = how or "any"
    with session.reading() as memory:
        facts = memory.held(start, end, how=way, known_at=known, **who)
    when = _range(since, until) + _belief(known_at)

    def human(screen: Screen) -> None:
        some, none = _HOW[way]
        if facts:
            screen.title(f"{some} {when}")
            screen.facts(facts, ids=ids)
        else:
            screen.title(f"Nothing is known to have {none} {when}.")

    instants = {"since": _instant(start), "until": _instant(end), "known_at": _instant(known)}
    session.show({**instants, "how": way, "facts": facts}, human, lines=facts)


@main.command()
@click.argument("relation")
@click.option("--of", "source", metavar="NAME", help="Whose: what this one had, one after the other.")
@click.option("--to", "target", metavar="NAME", help="To what: who had this, one after the other.")
@click.option("--since", metavar="DATE", help="Only from this time on.")
@click.option("--until", metavar="DATE", help="Only before this time.")
@_KNOWN
@ids_option
@click.pass_obj
def succession(
    session: Session,
    *,
    relation: str,
    source: str | None,
    target: str | None,
    since: str | None,
    until: str | None,
    known_at: str | None,
    ids: bool,
) -> None:
    """Show who or what held a relation when, one after the other, with the gaps and what held at the same time.

    \b
    tkgmem succession WORKS_AT --of Maya     where she worked, when
    tkgmem succession LEADS --to "Team Red"  who led the team, when
    """
    if source is None and target is None:
        raise click.UsageError("whose? name it with --of (what Maya had), or with --to (who had it)")
    with session.reading() as memory:
        found = memory.succession(
            relation,
            source=source,
            target=target,
            since=session.moment(since, "--since"),
            until=session.moment(until, "--until"),
            known_at=session.moment(known_at, "--known-at"),
        )
    when = _belief(known_at) if since is until is None else f", {_range(since or OPEN, until or OPEN)}{_belief(known_at)}"
    session.show(found, lambda screen: _show(screen, found, (source, relation, target), when, ids=ids), lines=found.stretches)


# --- the range ---


def _bound(session: Session, text: str, name: str) -> Moment | None:
    return None if text.strip() == OPEN else session.date(text, name)


def _end(session: Session, since: str, until: str | None) -> Moment | None:
    """UNTIL; without one the end of the year, month or day that SINCE is in the asked zone."""
    if until is not None:
        return _bound(session, until, "UNTIL")
    start = _bound(session, since, "SINCE")
    try:
        return None if start is None else unit_end(start, session.settings.zone.info)
    except ValueError as error:
        raise click.UsageError(f'SINCE: {error}; give UNTIL too (".." for no end)') from error


def _range(since: str, until: str | None) -> str:
    """A range as it was given, in words."""
    since, until = since.strip(), until and until.strip()
    if since == OPEN:
        return f"before {until}" if until not in (None, OPEN) else "in all of time"
    if until is None:
        return f"{'on' if since.count('-') == 2 else 'in'} {since}"
    return f"from {since} on" if until == OPEN else f"from {since} until {until}"


def _belief(known_at: str | None) -> str:
    return f", as believed at {known_at}" if known_at else ""


def _instant(moment: Moment | None) -> dt.datetime | None:
    return None if moment is None else to_datetime(moment.micros)


# --- a succession ---

Asked = tuple[str | None, str, str | None]
"""Source, relation and target as they were given."""


def _show(screen: Screen, found: Succession, asked: Asked, when: str, *, ids: bool) -> None:
    screen.title(_title(found, asked, when))
    if not found.facts:
        return
    screen.table(
        ["from", "until", "who or what", *(["uuid"] if ids else [])],
        (
            [
                screen.short(stretch.valid_at, stretch.valid_precision),
                _until(screen, stretch),
                _who(stretch, from_source=asked[0] is not None),
                *([", ".join(fact.uuid for fact in stretch.facts)] if ids else []),
            ]
            for stretch in found.stretches
        ),
    )


def _title(found: Succession, asked: Asked, when: str) -> str:
    """What was asked for, by the names that the answer goes by, or that nothing is known of it."""
    from tkgmem.cli.screen import relation_words

    source, relation, target = asked
    if found.facts:
        first = found.facts[0]
        source, relation, target = source and first.source.name, first.relation, target and first.target.name
    words = relation_words(relation)
    if target is None:
        return f"{source} {words}: {'who or what, and when' if found.facts else 'nothing is known'}{when}"
    clause = f"who or what {words} {target}" if source is None else f"when {source} {words} {target}"
    if not found.facts:
        return f"Nothing is known of {clause}{when}"
    return f"{clause[0].upper()}{clause[1:]}{', and when' if source is None else ''}{when}"


def _until(screen: Screen, stretch: Held) -> str:
    if stretch.invalid_at is not None:
        return screen.short(stretch.invalid_at, stretch.invalid_precision)
    return "now" if stretch.valid_at is None or stretch.valid_at <= dt.datetime.now(dt.UTC) else "open"


def _who(stretch: Held, *, from_source: bool) -> str:
    """The names at the other end; several are marked as an overlap, none as a gap."""
    names = [
        (fact.target if from_source else fact.source).name + (" (planned)" if fact.planned else "") for fact in stretch.facts
    ]
    if len(names) < 2:
        return names[0] if names else GAP
    return f"{', '.join(names[:-1])} and {names[-1]}, at the same time"
