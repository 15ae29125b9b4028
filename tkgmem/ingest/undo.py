"""Undo (R11): take back what a text, an import, one change or a span of system time told, and keep the history.

Just what was told then is no longer believed from now on, and what it had closed is believed again, at its first recorded rank;
every earlier known_at answers as before. It is itself a change of belief, so it can be undone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tkgmem.errors import InvalidPeriod, NotFound
from tkgmem.ingest import define, reconcile
from tkgmem.ingest.writer import Writer
from tkgmem.reports import UndoReport
from tkgmem.store import beliefs, claims, gaps, identity, read, relations, transactions, undone, write
from tkgmem.store.clocks import Told
from tkgmem.store.connection import Connection
from tkgmem.store.facts import words
from tkgmem.store.rows import ClaimRow
from tkgmem.store.undone import Rows
from tkgmem.temporal.period import show, to_datetime, to_micros
from tkgmem.temporal.relations import Relation, Relations


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be undone: just one of a text (uuid), a change (its number), or a span of system time [since, until).

    group: whose changes the span is of.
    """

    group: str
    episode: str | None = None
    change: int | None = None
    since: int | None = None
    until: int | None = None
    reason: str | None = None

    def checked(self) -> Asked:
        """The same; ValueError unless just one thing is named, InvalidPeriod for an empty span."""
        span = self.since is not None or self.until is not None
        named = [name for name, given in (("episode", self.episode is not None), ("change", self.change is not None)) if given]
        named += ["since and until"] if span else []
        if len(named) != 1:
            also = f", not both {' and '.join(named)}" if named else ""
            raise ValueError(f"say what to undo: one of episode=uuid, change=number, or since=date with until=date{also}")
        if span and self.since is None:
            raise ValueError("an undo of a span needs its beginning: give since; until is now by default")
        if self.since is not None and self.until is not None and self.until <= self.since:
            raise InvalidPeriod(f"the span from {show(self.since)} to {show(self.until)} is empty; nothing was undone")
        return self


@dataclass(slots=True)
class _Plan:
    """What an undo takes back and brings back. definitions: of relations, as they were; None for a name that had none."""

    rows: Rows
    groups: list[int]
    definitions: dict[str, Relation | None] = field(default_factory=dict)
    episode: int | None = None
    warnings: list[str] = field(default_factory=list)
    of: dict[str, Any] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to take back."""
        return not self.rows and not self.definitions


def undo(writer: Writer, asked: Asked, *, dry_run: bool) -> UndoReport:
    """Undo what is asked for (see `Memory.undo`)."""
    asked.checked()
    with writer.store.write() as db:
        writer.check(db)
        plan = _plan(db, asked, writer.now())
        report = _report(plan, dry_run=dry_run) if plan.is_empty else _take_back(db, plan, writer.now, asked.reason, dry_run)
        if dry_run:
            db.execute("ROLLBACK")
    return report


# --- what it is ---


def _plan(db: Connection, asked: Asked, clock: int) -> _Plan:
    if asked.episode is not None:
        return _of_episode(db, asked.episode)
    if asked.change is not None:
        return _of_change(db, asked.change)
    groups = read.group_ids(db, [asked.group])
    since = asked.since
    assert since is not None
    until = write.now(db, clock) + 1 if asked.until is None else asked.until
    return _of_span(db, since, until, groups)


def _of_episode(db: Connection, uuid: str) -> _Plan:
    found = read.episode(db, uuid)
    if found is None:
        raise NotFound(f"no episode has the uuid {uuid!r}; nothing was undone")
    row, episode = found
    plan = _Plan(undone.of_episode(db, row), read.group_ids(db, [episode.group]), episode=row, of={"of": "episode"})
    if episode.expired_at is not None:
        number = transactions.undo_at(db, to_micros(episode.expired_at))
        back = f"; undo(change={number}) brings it back" if number is not None else ""
        plan.warnings.append(f"this text is taken back already, since {show(to_micros(episode.expired_at))}{back}")
    return plan


def _of_change(db: Connection, number: int) -> _Plan:
    tick = transactions.numbered(db, number)
    if tick is None:
        raise NotFound(f"there is no change with the number {number}; `changes` lists them")
    if tick.verb == "forget":
        raise ValueError(f"change {number} forgot something; its bytes are gone and cannot be brought back")
    groups = transactions.groups_of(db, tick)
    if tick.verb == "import" and tick.detail is not None and "rows" in tick.detail:
        rows, _ = undone.of_import(db, tick.detail["rows"], tick.at, transactions.redone(db, number))
        plan, later = _Plan(rows, groups), list[str]()
        _before_import(db, tick.detail, plan.definitions, later)
        _define_as(db, plan, plan.definitions, later, tick.at)
    else:
        plan = _of_span(db, tick.at, tick.at + 1, groups, imports=False)
        if tick.verb == "add" and tick.episode is not None:
            plan.episode = tick.episode
            told = undone.of_episode(db, tick.episode)
            plan.rows.closing["episode"] |= told.closing["episode"]
    plan.of = {"of": "change", "change": number}
    return plan


def _of_span(db: Connection, since: int, until: int, groups: list[int], *, imports: bool = True) -> _Plan:
    plan = _Plan(undone.of_span(db, since, until, groups), groups, of={"of": "span", "since": since, "until": until})
    found, later = relations.before(db, since, until)
    ticks = list(transactions.between(db, since, until))
    for tick in reversed(ticks) if imports else ():  # of several imports the first knew what was there before all of them
        if tick.verb == "import" and tick.detail is not None and "rows" in tick.detail:
            again = [after.at for after in ticks if after.at > tick.at]
            plan.rows.overrule(*undone.of_import(db, tick.detail["rows"], since, again, groups))
            _before_import(db, tick.detail, found, later)
    _define_as(db, plan, found, later, until - 1)
    forgotten = sum(tick.verb == "forget" and tick.group in {None, *groups} for tick in ticks)
    if forgotten:
        plan.warnings.append(f"what was forgotten in this time ({forgotten} times) is gone and cannot be brought back")
    return plan


def _before_import(db: Connection, detail: dict[str, Any], found: dict[str, Relation | None], later: list[str]) -> None:
    """Take in what an import defined: as it was before to `found`, what was defined again since to `later`."""
    now = {relation.name: relation for relation in relations.load(db)}
    for name, (old, new) in detail.get("defined", {}).items():
        before, after = (None if one is None else relations.from_said(name, one) for one in (old, new))
        if name in later:
            continue
        if now.get(name) == before:
            found.pop(name, None)
        elif now.get(name) == after or name in found:
            found[name] = before
        else:
            later.append(name)


def _define_as(db: Connection, plan: _Plan, found: dict[str, Relation | None], later: Sequence[str], at: int) -> None:
    """Plan these definitions, without those that hang together with what was defined again since `at`."""
    left = define.changed_since(db, found, later, at)
    plan.definitions = {name: relation for name, relation in found.items() if name not in left}
    if left or later:
        plan.warnings.append(f"defined again since, and left as it is: {', '.join(sorted({*left, *later}))}")


# --- doing it ---


def _take_back(db: Connection, plan: _Plan, clock: Callable[[], int], reason: str | None, dry_run: bool) -> UndoReport:
    table = relations.load(db)
    touched = _touched(db, plan, table)
    near, _ = claims.component(db, [row for row in touched if row.expired_at is None], [table], ever=False)
    group = plan.groups[0] if len(plan.groups) == 1 else None
    now = max(clock(), undone.told_last(db, plan.rows.closing["episode"]) + 1)  # storing a text does not tick
    at = write.tick(db, now, "undo", group_id=group, episode_id=plan.episode, reason=reason)
    if plan.definitions:
        define.restore(db, plan.definitions, at)
    _toggle(db, plan.rows, at)
    new_table = relations.load(db)
    by_group: dict[int, dict[int, None]] = {}
    for row in [*touched, *near]:
        by_group.setdefault(row.group_id, {})[row.id] = None
    for rows in by_group.values():
        reconcile.derive_again(db, claims.by_ids(db, rows), new_table, at)
    facts = sorted({*(row for rows in by_group.values() for row in rows), *beliefs.turned(db, by_group, at)})
    gone, (back, ended) = beliefs.gone(db, facts, at), beliefs.back_and_ended(db, facts, at)
    number = write.set_detail(db, at, _detail(plan, gone, back))
    report = _report(plan, dry_run=dry_run)
    uuids = {row.id: row.uuid for row in claims.by_ids(db, [*gone, *back, *ended])}
    return replace(
        report,
        gone=tuple(uuids[fact] for fact in gone),
        back=tuple(uuids[fact] for fact in back),
        ended=tuple(uuids[fact] for fact in ended),
        gone_words=tuple(_in_words(db, gone)),
        back_words=tuple(_in_words(db, back)),
        ended_words=tuple(_in_words(db, ended)),
        at=None if dry_run else to_datetime(at),
        change=None if dry_run else number,
    )


def _touched(db: Connection, plan: _Plan, table: Relations) -> list[ClaimRow]:
    """The claims whose belief, ends, rivals or relations change."""
    rows = plan.rows
    both = {told: rows.closing[told] | rows.reopening[told] for told in gaps.TABLES}
    found = claims.by_ids(db, sorted(both["claim"] | undone.claims_of(db, both["conflict"], both["move"])))
    entities = undone.entities_of(db, both["merge"])
    if entities:
        found += claims.touching(db, identity.ever_one_with(db, entities))
    if plan.definitions:
        after = define.restored({relation.name: relation for relation in table}, plan.definitions)
        names = define.names_of([*plan.definitions], table) | define.names_of([*plan.definitions], Relations(after.values()))
        found += claims.named(db, sorted(names))
    return list({row.id: row for row in found}.values())


def _toggle(db: Connection, rows: Rows, at: int) -> None:
    for told in gaps.TABLES:
        again = rows.again if told == "claim" else {}
        gaps.reopen(db, told, sorted(rows.reopening[told] | (rows.otherwise.keys() if told == "claim" else set())), at)
        gaps.close(db, told, sorted(rows.closing[told] - again.keys()), at)
    gaps.close_again(db, rows.again | rows.otherwise, at)


# --- what it says ---


def _in_words(db: Connection, rows: Sequence[int]) -> list[str]:
    """Facts (by their first claims) in words, without their dates."""
    found = claims.by_ids(db, rows)
    named = read.entities(db, [end for row in found for end in (row.source_id, row.target_id)])
    said = {row.id: f"{named[row.source_id].name} {words(row.relation)} {named[row.target_id].name}" for row in found}
    return [said[row] for row in rows]


def _detail(plan: _Plan, gone: Sequence[int], back: Sequence[int]) -> dict[str, Any]:
    rows = plan.rows
    numbers = {
        "claims": len(rows.closing["claim"]),
        "reopened": len(rows.reopening["claim"]),
        "facts": len(gone),
        "back": len(back),
        "episodes": len(rows.closing["episode"]),
        "shown": len(rows.reopening["episode"]),
    }
    return {**plan.of, **{name: number for name, number in numbers.items() if number}}


def _report(plan: _Plan, *, dry_run: bool) -> UndoReport:
    rows = plan.rows
    others: tuple[Told, ...] = ("alias", "trait", "merge", "move", "conflict")
    return UndoReport(
        dry_run=dry_run,
        claims=len(rows.closing["claim"]),
        reopened=len(rows.reopening["claim"]),
        episodes=len(rows.closing["episode"]),
        shown=len(rows.reopening["episode"]),
        others=sum(len(side[told]) for side in (rows.closing, rows.reopening) for told in others) + len(plan.definitions),
        warnings=tuple(plan.warnings),
    )
