"""The verbs that tell what changed: `diff` between two instants on either clock, `changes` one by one."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

from tkgmem.cli import dates
from tkgmem.cli.app import main
from tkgmem.cli.dates import Zone
from tkgmem.cli.read import ids_option
from tkgmem.cli.session import Session
from tkgmem.reasons import Change
from tkgmem.temporal.period import Moment, to_datetime

if TYPE_CHECKING:
    from tkgmem.cli.screen import Screen

_LISTS = ("learned", "began", "ended", "corrected", "retracted", "revised", "forgotten")
_DATE = re.compile(r"[\d\s:.+TZ/-]+")
_SHOWN = 20
_WHAT = {
    "add": "told",
    "assert": "recorded",
    "planned": "announced",
    "end": "ended",
    "retract": "retracted",
    "correct": "corrected",
    "define": "relation defined",
    "merge": "names joined",
    "split": "names parted",
    "alias": "named",
    "forget": "forgotten",
    "import": "imported",
    "undo": "undone",
}


@main.command()
@click.argument("when", nargs=-1, metavar="[SINCE [UNTIL]] [QUESTION]")
@click.option("--entity", metavar="NAME", help="Only facts about this, or with this at the other end. Or its uuid.")
@click.option("--query", metavar="TEXT", help="Only what this is about.")
@click.option("--valid", is_flag=True, help="What holds in the world at one date and not at the other.")
@click.option("--known-at", metavar="DATE", help="With --valid: as believed at this time (everything recorded so far).")
@click.option("-n", "--limit", type=click.IntRange(1), help=f"Shown of each kind ({_SHOWN} on a terminal, else all).")
@ids_option
@click.pass_obj
def diff(
    session: Session,
    *,
    when: tuple[str, ...],
    entity: str | None,
    query: str | None,
    valid: bool,
    known_at: str | None,
    limit: int | None,
    ids: bool,
) -> None:
    """Show what changed between two dates: what was learned, ended, corrected, retracted, forgotten.

    UNTIL is now by default. In place of dates, a question that names a time will do.

    \b
    tkgmem diff 2026-06-02 2026-06-04
    tkgmem diff 2026-06-01 --entity Ana
    tkgmem diff "what changed about Ana since Monday?"
    tkgmem diff 2025 2026 --valid    what held on 1 January 2026 and not a year before, and the reverse
    """
    if known_at is not None and not valid:
        raise click.UsageError("--known-at goes with --valid; without it, both dates say what was believed when")
    asked = _asked(session, when)
    if query is not None and asked.about:
        raise click.UsageError(f"a question is there already ({asked.about!r}); leave out --query")
    about = query or asked.about
    if entity is not None and about:
        raise click.UsageError("give --entity or a question, not both")
    with session.reading() as memory:
        found = memory.diff(
            asked.start,
            asked.end,
            "valid" if valid else "known",
            entity=entity,
            query=about,
            known_at=session.moment(known_at, "--known-at"),
        )
    lines: list[object] = [{"list": name, "item": item} for name in _LISTS for item in getattr(found, name)]

    def human(screen: Screen) -> None:
        from tkgmem.cli.differences import Page

        some, none = "What changed", "Nothing changed"
        if valid:
            some, none = "What is different in the world", "Nothing is different in the world"
        of = f" about {entity}" if entity else ""
        belief = f", as believed at {known_at}" if known_at else ""
        if found:
            said = asked.question if asked.about else None
            screen.title(said or f"{some}{of} {_range(screen.zone, asked)}{belief}{f': {about}' if about else ''}")
        else:
            screen.title(f"{none}{of} {_range(screen.zone, asked)}{belief}{f': {about}' if about else ''}.")
        Page(screen, found, most=limit or (_SHOWN if screen.terminal else None), ids=ids).show()

    session.show(found, human, lines=lines)


class _Asked(NamedTuple):
    """From when until when (None: now), and what it is about. question: as it was put, where the time was read from it."""

    start: Moment
    end: Moment | None
    about: str | None
    question: str | None = None


def _asked(session: Session, words: Sequence[str]) -> _Asked:
    """What the arguments ask: dates, which come first, and a question. Without dates the question names the time."""
    given: list[Moment] = []
    left = list(words)
    while left and _DATE.fullmatch(left[0]):
        if len(given) == 2:
            raise click.UsageError(f"two dates at most, since when and until when; {left[0]!r} is one more")
        given.append(session.date(left.pop(0), "UNTIL" if given else "SINCE"))
    question = " ".join(" ".join(left).split())
    if len(given) == 2 and given[1].micros < given[0].micros:
        raise click.UsageError(f"{words[1]} is before {words[0]}; give the earlier date first")
    if given:
        return _Asked(given[0], given[1] if len(given) > 1 else None, question or None)
    from tkgmem.temporal import since  # late: it loads all that reads words for times

    found = since.read(question, dt.datetime.now(session.settings.zone.info))
    if found is None:
        what = f"{question!r} names no time" if question else "no time was given"
        raise click.UsageError(f"{what} to compare with now; say since when: 2026-06-01, or 'since Monday'")
    start, end = Moment(found.start, "day"), None if found.end is None else Moment(found.end, "day")
    asked = _Asked(start, end, found.rest or None, question)
    session.say(f"Read as {_range(session.settings.zone, asked)}.")
    return asked


def _range(zone: Zone, asked: _Asked) -> str:
    bounds = (asked.start, asked.end)
    first, last = (None if at is None else dates.words(to_datetime(at.micros), at.precision, zone) for at in bounds)
    return f"since {first}" if last is None else f"between {first} and {last}"


@main.command()
@click.option("-n", "--limit", type=click.IntRange(1), default=_SHOWN, show_default=True, help="How many, the last ones.")
@click.option("--since", metavar="DATE", help="Only from this time on.")
@click.option("--until", metavar="DATE", help="Only before this time.")
@ids_option
@click.pass_obj
def changes(session: Session, *, limit: int, since: str | None, until: str | None, ids: bool) -> None:
    """List the changes of belief, newest first. Each has a number, which undo takes.

    \b
    tkgmem changes -n 5
    tkgmem changes --since 2026-06-01
    """
    first, last = session.moment(since, "--since"), session.moment(until, "--until")
    with session.reading() as memory:
        found = memory.changes(limit=limit + 1, since=first, until=last)
    more, found = len(found) > limit, found[:limit]

    def human(screen: Screen) -> None:
        screen.title("What changed, newest first" if found else "Nothing changed.")
        if found:
            _table(screen, found, ids=ids)

    session.show({"changes": found}, human, lines=found)
    if more:
        session.say("There are older ones; -n tells how many to show.")


def _about(change: Change) -> str:
    """What a change is about. An undo is counted in what it took back and brought back."""
    words = change.words or ""
    return f"took back {words}" if change.verb == "undo" and words and not words.startswith("brought back") else words


def _table(screen: Screen, found: Sequence[Change], *, ids: bool) -> None:
    reasons = any(change.reason for change in found)
    screen.table(
        ["change", "when", "what", "about", *(["reason"] if reasons else []), *(["text"] if ids else [])],
        (
            [
                str(change.number),
                screen.short(change.at.replace(microsecond=0)),
                _WHAT.get(change.verb, change.verb),
                _about(change),
                *([change.reason or ""] if reasons else []),
                *([change.episode or ""] if ids else []),
            ]
            for change in found
        ),
    )
