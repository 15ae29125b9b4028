"""The verb `why`: where a fact comes from, what ended it, what was believed before. Found by its names or its uuid."""

from __future__ import annotations

import datetime as dt
import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

from tkgmem.cli.app import main
from tkgmem.cli.read import clocks, ids_option
from tkgmem.cli.recalled import show_recalled
from tkgmem.cli.session import Session
from tkgmem.errors import NotFound
from tkgmem.graph import Version
from tkgmem.memory import Memory
from tkgmem.reasons import Why
from tkgmem.temporal.period import Moment, to_datetime
from tkgmem.temporal.relations import normalise_relation

if TYPE_CHECKING:
    from tkgmem.cli.screen import Screen

_INSTANT = dt.timedelta(microseconds=1)


@main.command()
@click.argument("what", nargs=-1, metavar="UUID | NAME [RELATION] [TARGET]")
@clocks
@click.option("--query", metavar="TEXT", help="All that was given when this was asked, the last time (see `recalls`).")
@click.option("--at", metavar="DATE", help="With --query: the last time at or before this.")
@click.option("-n", "--limit", type=click.IntRange(1), default=5, show_default=True, help="How many facts at most.")
@ids_option
@click.pass_obj
def why(
    session: Session,
    *,
    what: tuple[str, ...],
    valid_at: str | None,
    known_at: str | None,
    query: str | None,
    at: str | None,
    limit: int,
    ids: bool,
) -> None:
    """Show why a fact is believed. Who said it when, what ended it, what was believed before.

    Of several facts with these names those that hold; if none does, the last that ended.

    \b
    tkgmem why Maya WORKS_AT
    tkgmem why Maya WORKS_AT Northwind --known-at 2025-06-01   as it was believed then
    tkgmem why --query "where does Maya work" --at 2025-06     what was answered then, and why
    """
    if query is not None:
        if what or valid_at or known_at:
            raise click.UsageError("--query stands alone, or with --at: the clocks are those it was asked at")
        show_recalled(session, query, at, limit=limit, ids=ids)
        return
    if at is not None or not what:
        raise click.UsageError("give a uuid, names, or --query; --at goes with --query")
    if len(what) > 3:
        raise click.UsageError(
            f"give a uuid, or at most a name, a relation and a target, not {len(what)} words; quote names, or ask by --query"
        )
    valid, known = session.moment(valid_at, "--valid-at"), session.moment(known_at, "--known-at")
    with session.reading() as memory:
        uuids = _found(memory, what, valid, known)
        whys = [memory.why(uuid, known_at=known) for uuid in uuids[:limit]]
    if len(uuids) > limit:
        session.say(f"{len(uuids) - limit} more; name the relation or the target, or ask for more with -n.")
    session.show({"whys": whys}, lambda screen: _show(screen, whys, ids=ids), lines=whys)


def _show(screen: Screen, whys: Sequence[Why], *, ids: bool) -> None:
    from tkgmem.cli.explained import show

    for number, one in enumerate(whys):
        if number:
            screen.line()
        show(screen, one, ids=ids, below=number > 0)


# --- which fact ---


def _found(memory: Memory, what: Sequence[str], valid: Moment | None, known: Moment | None) -> list[str]:
    """The uuids of the facts that are meant. NotFound if there is none."""
    if len(what) == 1:
        try:
            return [memory.why(what[0], known_at=known).uuid]
        except NotFound:  # not a fact's: a name
            pass
    name, relation, target = [*what, None, None][:3]
    assert name is not None
    asked = _Named(memory, name, relation, target)
    at = dt.datetime.now(dt.UTC) if valid is None else to_datetime(valid.micros)
    if holding := asked.holding(at, known):
        return holding
    for version, then in _candidates(memory, name, at, known):
        inside = version.valid_at or (version.invalid_at - _INSTANT if version.invalid_at else at)
        if version.uuid in asked.holding(inside, then):
            return [version.uuid]
        if version.planned and version.valid_at is None and asked.is_of(version):
            return [version.uuid]
    raise NotFound(f"nothing is known of {' '.join(what)}; `tkgmem timeline {shlex.quote(name)}` shows what is")


class _Named(NamedTuple):
    """The facts of an entity, of a relation to a target, where these are given."""

    memory: Memory
    name: str
    relation: str | None
    target: str | None

    def holding(self, at: dt.datetime, known: Moment | dt.datetime | None) -> list[str]:
        """The uuids of those that hold then: from the entity, else at its other end."""
        found = self.memory.as_of(at, known_at=known, source=self.name, relation=self.relation, target=self.target)
        if not found and self.target is None:
            found = self.memory.as_of(at, known_at=known, relation=self.relation, target=self.name)
        return [fact.uuid for fact in found]

    def is_of(self, version: Version) -> bool:
        """Whether an announcement is one of them, by its own names."""
        names = {name.casefold() for name in (version.target.name, *version.target.aliases)}
        same = self.relation is None or normalise_relation(self.relation) == version.relation
        return same and (self.target is None or self.target.casefold() in names)


def _candidates(
    memory: Memory, name: str, at: dt.datetime, known: Moment | None
) -> Iterator[tuple[Version, Moment | dt.datetime | None]]:
    """What is believed of an entity, the last that ended first, then what no longer is; each with when it was believed."""
    believed = memory.timeline(name, known_at=known)
    ended = [version for version in believed if version.invalid_at is not None and version.invalid_at <= at]
    for version in sorted(ended, key=lambda version: version.invalid_at or at, reverse=True):
        yield version, known
    for version in believed:
        if version not in ended:
            yield version, known
    for version in sorted(memory.history(name), key=lambda version: version.created_at, reverse=True):
        if known is None or version.created_at <= to_datetime(known.micros):
            yield version, version.created_at
