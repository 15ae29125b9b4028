"""The verbs that change a memory without reading a text. End, retract and forget are three verbs on purpose.

End: the world changed. Retract and correct: the record was wrong. Forget: the bytes go.
"""

from __future__ import annotations

import sys
from functools import partial
from types import EllipsisType
from typing import TYPE_CHECKING

import click

from tkgmem.cli import dates
from tkgmem.cli.app import main
from tkgmem.cli.harmless import harmless
from tkgmem.cli.read import ids_option
from tkgmem.cli.session import Session
from tkgmem.graph import Entity, Fact
from tkgmem.reports import ForgetReport
from tkgmem.temporal.period import Moment

if TYPE_CHECKING:
    from tkgmem.cli.screen import Screen

_MOST_SHOWN = 20


@main.command()
@click.pass_obj
def init(session: Session) -> None:
    """Make the memory's file, if it is not there."""
    there = session.exists
    session.writing().close()
    place = session.settings.path
    session.show(
        {"path": place, "created": not there},
        lambda screen: screen.line(f"{'There is a memory' if there else 'Made a memory'} at {place}"),
    )


@main.command("add-fact")
@click.argument("source")
@click.argument("relation")
@click.argument("target")
@click.option("--valid-at", metavar="DATE", help="Since when it holds (unknown).")
@click.option("--invalid-at", metavar="DATE", help="Until when, itself not included (open).")
@click.option("--fact", metavar="SENTENCE", help="The sentence that says so.")
@click.option("--reference-time", metavar="DATE", help="When it was said (as the episode, else now).")
@click.option("--episode", metavar="UUID", help="The text that says so.")
@click.option("--planned", is_flag=True, help="It is announced, not yet so.")
@click.option("--uuid", help="The uuid of this statement; the same one again changes nothing.")
@ids_option
@click.pass_obj
def add_fact(
    session: Session,
    *,
    source: str,
    relation: str,
    target: str,
    valid_at: str | None,
    invalid_at: str | None,
    fact: str | None,
    reference_time: str | None,
    episode: str | None,
    planned: bool,
    uuid: str | None,
    ids: bool,
) -> None:
    """Record a fact without reading any text.

    \b
    tkgmem add-fact Maya LIVES_IN Lisbon --valid-at 2024-05
    tkgmem add-fact Maya LIVES_IN Porto --valid-at 2019 --invalid-at 2022
    """
    valid, invalid = session.moment(valid_at, "--valid-at"), session.moment(invalid_at, "--invalid-at")
    said = session.moment(reference_time, "--reference-time")
    with session.writing() as memory:
        added = memory.add_fact(
            source,
            relation,
            target,
            fact=fact,
            valid_at=valid,
            invalid_at=invalid,
            reference_time=said,
            episode=episode,
            planned=planned,
            uuid=uuid,
        )
    session.show(added, lambda screen: _recorded(screen, "Recorded", added, ids=ids))


@main.command()
@click.argument("source")
@click.argument("relation")
@click.argument("target")
@click.option("--at", metavar="DATE", required=True, help="Since when it no longer holds.")
@click.option("--episode", metavar="UUID", help="The text that says so.")
@ids_option
@click.pass_obj
def end(session: Session, *, source: str, relation: str, target: str, at: str, episode: str | None, ids: bool) -> None:
    """Say that a fact stopped holding: the world changed.

    \b
    tkgmem end Maya WORKS_AT Northwind --at 2025-08
    """
    when = session.date(at, "--at")
    with session.writing() as memory:
        ended = memory.end_fact(source, relation, target, at=when, episode=episode)
    session.show(ended, lambda screen: _recorded(screen, "Ended", ended, ids=ids))


@main.command()
@click.argument("uuid")
@click.option("--reason", help="Why; kept with the retraction.")
@click.pass_obj
def retract(session: Session, uuid: str, reason: str | None) -> None:
    """Stop believing a fact: the record was wrong. What was believed before is still seen with --known-at.

    UUID: of the fact; see --ids of the verbs that list facts.
    """
    with session.changing() as memory:
        memory.retract(uuid, reason=reason)
        said = memory.changes(limit=1)[0].words or uuid
    session.show({"retracted": uuid, "reason": reason}, lambda screen: screen.line(f"Retracted: {said}."))


@main.command()
@click.argument("uuid")
@click.option("--target", metavar="NAME", help="What it really is about.")
@click.option("--valid-at", metavar="DATE", help="Since when it really holds, or unknown.")
@click.option("--invalid-at", metavar="DATE", help="Until when it really holds, or unknown.")
@click.option("--episode", metavar="UUID", help="The text that corrects it.")
@click.option("--reason", help="Why; kept with the correction.")
@ids_option
@click.pass_obj
def correct(
    session: Session,
    *,
    uuid: str,
    target: str | None,
    valid_at: str | None,
    invalid_at: str | None,
    episode: str | None,
    reason: str | None,
    ids: bool,
) -> None:
    """Give a fact another target or date. The record was wrong; from now on it is believed like this.

    \b
    tkgmem correct 0b6e... --valid-at 2024-04 --reason "typing error"
    tkgmem correct 0b6e... --invalid-at unknown
    """
    valid, invalid = _bound(session, valid_at, "--valid-at"), _bound(session, invalid_at, "--invalid-at")
    if target is None and valid is ... and invalid is ...:
        raise click.UsageError("nothing to correct; give --target, --valid-at or --invalid-at")
    with session.changing() as memory:
        corrected = memory.correct(
            uuid,
            target=... if target is None else target,
            valid_at=valid,
            invalid_at=invalid,
            episode=episode,
            reason=reason,
        )
    session.show(corrected, lambda screen: _recorded(screen, "Corrected", corrected, ids=ids))


def _bound(session: Session, text: str | None, option: str) -> Moment | EllipsisType | None:
    """A bound to correct: kept where the option is not given, None for "unknown"."""
    if text is None:
        return ...
    return None if text.strip().lower() == "unknown" else session.moment(text, option)


@main.command()
@click.option("--episode", "episodes", multiple=True, metavar="UUID", help="A text, and what it alone supports; repeatable.")
@click.option("--fact", "facts", multiple=True, metavar="UUID", help="Every statement of a fact; the texts stay. Repeatable.")
@click.option("--entity", metavar="NAME", help="Everything said of it, and the texts that name it. Or its uuid.")
@click.option("--everything", is_flag=True, help="The whole group (see --group), and its name.")
@click.option("--dry-run", is_flag=True, help="Tell what would go, and change nothing.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def forget(
    session: Session,
    *,
    episodes: tuple[str, ...],
    facts: tuple[str, ...],
    entity: str | None,
    everything: bool,
    dry_run: bool,
    yes: bool,
) -> None:
    """Delete for good. The bytes go, and answers become as if it had never been said.

    With an entity go the texts that name it, and what these alone say of others: --dry-run shows it. Backups, shares and files
    that it was merged into keep theirs.

    \b
    tkgmem forget --episode 0b6e... --episode 77aa...
    tkgmem forget --entity "Maya Chen" --dry-run
    tkgmem --group work forget --everything
    """
    if sum(map(bool, (episodes, facts, entity is not None, everything))) != 1:
        raise click.UsageError("give either --episode, --fact, --entity or --everything")
    if not (dry_run or yes or sys.stdin.isatty()):
        raise click.UsageError("forgetting cannot be taken back; without a terminal to ask on, say so with --yes")
    with session.changing() as memory:
        doomed = partial(
            memory.forget,
            episode=episodes or None,
            fact=facts or None,
            entity=entity,
            group=memory.group if everything else None,
        )
        if not (dry_run or yes):
            rehearsed = doomed(dry_run=True)
            lines = [f"This deletes {_lost(rehearsed)} for good.", *_shown(rehearsed)]
            click.echo("\n".join(map(harmless, lines)), err=True)
            click.confirm("Go on?", abort=True, err=True)
        report = doomed(dry_run=dry_run)
    verb = "Would forget" if dry_run else "Forgot"
    session.show(report, lambda screen: screen.line("\n".join([f"{verb} {_lost(report)}.", *_shown(report)])))
    if report.in_use:
        session.say("others have the memory open: what was deleted stays in its -wal until the last of them closes it")


def _lost(report: ForgetReport) -> str:
    counts = (
        (report.episodes, "text", "texts"),
        (report.claims, "statement", "statements"),
        (len(report.facts), "fact", "facts"),
        (report.entities, "entity", "entities"),
        (report.model_calls, "call of the model", "calls of the model"),
        (report.summaries, "kept summary", "kept summaries"),
    )
    parts = [f"{count:,} {one if count == 1 else many}" for count, one, many in counts if count]
    return ", ".join(parts) or "nothing"


def _shown(report: ForgetReport) -> list[str]:
    """The first facts that would go, in words."""
    more = len(report.words) - _MOST_SHOWN
    return [f"  {words}" for words in report.words[:_MOST_SHOWN]] + ([f"  and {more:,} more"] if more > 0 else [])


@main.command("define-relation")
@click.argument("name")
@click.option(
    "--functional/--not-functional", default=None, help="One target at a time, so that a later one takes its place, or several."
)
@click.option("--alias", "aliases", multiple=True, metavar="NAME", help="Another name for it; repeatable.")
@click.option("--inverse", metavar="NAME", help="The relation that reads it from the other end; itself if symmetric.")
@click.pass_obj
def define_relation(
    session: Session, *, name: str, functional: bool | None, aliases: tuple[str, ...], inverse: str | None
) -> None:
    """Say how a relation behaves from now on.

    \b
    tkgmem define-relation DESK_IS --functional --alias SITS_AT
    """
    if functional is None:
        raise click.UsageError("say --functional (one target at a time) or --not-functional (several)")
    with session.writing() as memory:
        memory.define_relation(name, functional=functional, aliases=aliases, inverse=inverse)
    kind = "one target at a time" if functional else "several targets at a time"
    session.show(
        {"name": name, "functional": functional, "aliases": aliases, "inverse": inverse},
        lambda screen: screen.line(f"Defined {name}: {kind}."),
    )


dry_run_option = click.option("--dry-run", is_flag=True, help="Tell what would come of it, and change nothing.")


@main.command("merge-entities")
@click.argument("keep")
@click.argument("other")
@click.option("--reason", help="Why; kept with the merge.")
@dry_run_option
@ids_option
@click.pass_obj
def merge_entities(session: Session, *, keep: str, other: str, reason: str | None, dry_run: bool, ids: bool) -> None:
    """Say that OTHER is KEEP. What is said of the one is said of the other from now on; split-entity takes it back.

    \b
    tkgmem merge-entities "Maya Chen" Maya
    """
    with session.changing() as memory:
        merged = memory.merge_entities(keep, other, reason=reason, dry_run=dry_run)
    what = "Would be one" if dry_run else "Now one"
    session.show({"entity": merged, "dry_run": dry_run}, lambda screen: _entity(screen, what, merged, ids=ids))


@main.command("split-entity")
@click.argument("entity")
@click.option("--claim", "claims", multiple=True, metavar="UUID", help="A fact or statement that moves out; repeatable.")
@click.option("--name", metavar="NAME", help="Of the new entity that statements move to (the same).")
@click.option("--reason", help="Why; kept with the split.")
@dry_run_option
@ids_option
@click.pass_obj
def split_entity(
    session: Session, *, entity: str, claims: tuple[str, ...], name: str | None, reason: str | None, dry_run: bool, ids: bool
) -> None:
    """Take back a merge, or move statements to a new entity. Merging the two takes it back.

    \b
    tkgmem split-entity Maya
    tkgmem split-entity Alex --claim 0b6e... --claim 77aa... --name "Alex Kim"
    """
    with session.changing() as memory:
        out = memory.split_entity(entity, claims=claims or None, name=name, reason=reason, dry_run=dry_run)
    what = "Would be on its own" if dry_run else "Now on its own"
    session.show({"entity": out, "dry_run": dry_run}, lambda screen: _entity(screen, what, out, ids=ids))


@main.command("add-alias")
@click.argument("entity")
@click.argument("alias")
@ids_option
@click.pass_obj
def add_alias(session: Session, *, entity: str, alias: str, ids: bool) -> None:
    """Give an entity one more name.

    \b
    tkgmem add-alias "Maya Chen" MC
    """
    with session.changing() as memory:
        known = memory.add_alias(entity, alias)
    session.show(known, lambda screen: _entity(screen, "Known", known, ids=ids))


def _entity(screen: Screen, what: str, entity: Entity, *, ids: bool) -> None:
    also = f", also called {', '.join(entity.aliases)}" if entity.aliases else ""
    screen.line((f"{what}: ", "bold"), f"{entity.name}{also}.")
    if ids:
        screen.line("uuid ", entity.uuid)


def _recorded(screen: Screen, what: str, fact: Fact, *, ids: bool) -> None:
    screen.line((f"{what}: ", "bold"), f"{screen.triple(fact)}, {screen.stretch(fact)}.")
    learned = dates.words(fact.created_at.replace(second=0, microsecond=0), "time", screen.zone)
    if ids:
        screen.line("uuid ", fact.uuid, f", first learned {learned}")
