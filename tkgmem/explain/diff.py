"""What differs between two instants, on either clock, for all, one entity, or what a question is about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import get_args

from tkgmem.errors import NotFound
from tkgmem.explain import changes
from tkgmem.explain.differing import Kind, Pair, Records, changed_last, compare
from tkgmem.graph import Entity, Fact, SearchResult
from tkgmem.reasons import Axis, Change, Changed, Diff
from tkgmem.search.lookup import rows_of
from tkgmem.store import differences, facts, write
from tkgmem.store.clocks import EVERYTHING, At
from tkgmem.store.connection import Connection
from tkgmem.store.facts import VersionRecord
from tkgmem.temporal.period import show, to_datetime

MOST_FOUND = 20
"""Facts that a question that names no entity is taken to be about, on either side."""
FAIR = 0.5
"""The score that they must have, of 1 for the question's words and 1 for its meaning."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Two instants, in microseconds, and on which clock. b: None for now. known_at: on the valid clock, as believed then."""

    a: int
    b: int | None
    now: int
    axis: Axis
    known_at: int | None = None

    def checked(self) -> Asked:
        """The same; ValueError for an axis that is neither, and for a system time beside those of the known clock."""
        if self.axis not in get_args(Axis):
            raise ValueError(f"axis must be one of {', '.join(map(repr, get_args(Axis)))}, not {self.axis!r}")
        if self.known_at is not None and self.axis == "known":
            raise ValueError("on the known clock both instants are system times; known_at is for axis='valid'")
        return self

    @property
    def sides(self) -> tuple[int | None, int | None]:
        """The system times that what is compared was believed at, the earlier one first; None is everything."""
        return (self.a, self.b) if self.axis == "known" else (self.known_at, self.known_at)

    def until(self, now: int) -> int:
        """The later instant. Raises ValueError if it is before the first."""
        b = now if self.b is None else self.b
        if b < self.a:
            shown = show(b) if self.b is not None else f"now ({show(b)})"
            raise ValueError(f"{shown} is before {show(self.a)}; give the earlier instant first (a), then the later one (b)")
        return b


@dataclass(frozen=True, slots=True)
class About:
    """What is asked about: an entity, or what a question found on either side."""

    entity: str | Entity | None = None
    found: Sequence[SearchResult] | None = None

    @property
    def is_everything(self) -> bool:
        """Whether all facts are asked for."""
        return self.entity is None and self.found is None


def diff(db: Connection, at: At, asked: Asked, about: About) -> Diff:
    """What differs (see `Memory.diff`). at: the groups, and the system time on the valid clock."""
    b = asked.until(write.now(db, asked.now) if asked.axis == "known" else asked.now)
    empty = Diff(to_datetime(asked.a), to_datetime(b), asked.axis)
    concerned = _concerned(db, at, asked, about)
    if asked.axis == "valid":
        began, ended = differences.beginning_or_ending(db, at.groups, asked.a, b, at.known_at)
        return replace(
            empty,
            began=_moved(db, [record for record in began if concerned.has((), (record,))], at.known_at, begin=True),
            ended=_moved(db, [record for record in ended if concerned.has((record,), ())], at.known_at, begin=False),
            known_at=None if asked.known_at is None else to_datetime(asked.known_at),
        )
    pairs = [pair for pair in compare(db, at.groups, asked.a, b) if concerned.has(pair.before, pair.after)]
    lists: dict[Kind, list[Changed]] = {kind: [] for kind in get_args(Kind)}
    for pair, value in zip(pairs, _values(db, at.groups, pairs, asked.a, b), strict=True):
        lists[pair.kind].append(value)
    return replace(
        empty,
        learned=tuple(lists["learned"]),
        ended=tuple(lists["ended"]),
        corrected=tuple(lists["corrected"]),
        retracted=tuple(lists["retracted"]),
        revised=tuple(lists["revised"]),
        forgotten=changes.deletions(db, at.groups, asked.a, b) if about.is_everything else (),
    )


# --- which facts ---


@dataclass(frozen=True, slots=True)
class _Concerned:
    """The facts that are asked for: those at one of the entities (rows, as believed on each side), or those of the claims.

    None: all facts are.
    """

    entities: tuple[frozenset[int], frozenset[int]] | None = None
    claims: frozenset[int] | None = None

    def has(self, before: Records, after: Records) -> bool:
        """Whether a fact is asked for."""
        if self.entities is None and self.claims is None:
            return True
        if self.claims is not None and any(record.fact in self.claims for record in (*before, *after)):
            return True
        return self.entities is not None and any(
            end in rows
            for records, rows in zip((before, after), self.entities, strict=True)
            for record in records
            for end in (record.source, record.target)
        )


def _concerned(db: Connection, at: At, asked: Asked, about: About) -> _Concerned:
    """Raises NotFound for an entity that is known on neither side, AmbiguousName."""
    if about.is_everything:
        return _Concerned()
    sides = [at._replace(known_at=EVERYTHING if side is None else side) for side in asked.sides]
    if about.entity is not None:
        before, after = (frozenset(rows_of(db, side, about.entity)) for side in sides)
        if not before | after:
            shown = about.entity.name if isinstance(about.entity, Entity) else about.entity
            raise NotFound(f"no entity has the name or uuid {shown!r} here; search for it, or check the group")
        return _Concerned((before, after))
    found = about.found or ()
    named = {hit.item.uuid for result in found for hit in result.entities if "named" in hit.ranks}
    if named:
        before, after = (frozenset(row for uuid in sorted(named) for row in rows_of(db, side, uuid)) for side in sides)
        return _Concerned((before, after))
    uuids = {uuid for result in found for hit in result.facts for uuid in hit.item.claims}
    return _Concerned(claims=frozenset(differences.rows_of_claims(db, sorted(uuids))))


# --- as values ---


def _moved(db: Connection, records: list[VersionRecord], known_at: int, *, begin: bool) -> tuple[Changed, ...]:
    """What began or ended in the world, in that order."""

    def when(record: VersionRecord) -> int:
        at = record.valid_at if begin else record.invalid_at
        assert at is not None  # what holds at one of two instants begins or ends between them
        return at

    records.sort(key=lambda record: (when(record), record.fact))
    changed = []
    taken_over = _successors(db, records, known_at) if not begin else {}
    for record, fact in zip(records, facts.facts(db, records, known_at), strict=True):
        before, after = (None, fact) if begin else (fact, None)
        cause = None if begin else record.cause
        changed.append(Changed(before, after, to_datetime(when(record)), cause=cause, successor=taken_over.get(record)))
    return tuple(changed)


def _values(db: Connection, groups: Sequence[int], pairs: Sequence[Pair], a: int, b: int) -> list[Changed]:
    before = _as_facts(db, (record for pair in pairs for record in pair.before), a)
    after = _as_facts(db, (record for pair in pairs for record in pair.after), b)
    by = changes.by_instant(db, groups, {pair.at for pair in pairs})
    ends = {pair: record for pair in pairs if (record := _new_end(pair)) is not None}
    taken_over = _successors(db, ends.values(), b)
    values = []
    for pair in pairs:
        was = changed_last(pair.before, pair.after) if pair.before else None
        now = changed_last(pair.after, pair.before) if pair.after else None
        end = ends.get(pair)
        fact = after[now] if now is not None else before[was] if was is not None else None
        values.append(
            Changed(
                before=None if was is None else before[was],
                after=None if now is None else after[now],
                at=to_datetime(pair.at),
                by=None if fact is None else _of_group(by.get(pair.at, ()), fact.group),
                before_more=tuple(before[record] for record in pair.before if record is not was),
                after_more=tuple(after[record] for record in pair.after if record is not now),
                cause=None if end is None else end.cause,
                successor=None if end is None else taken_over.get(end),
            )
        )
    return values


def _as_facts(db: Connection, records: Iterable[VersionRecord], known_at: int) -> dict[VersionRecord, Fact]:
    wanted = list(dict.fromkeys(records))
    return dict(zip(wanted, facts.facts(db, wanted, known_at), strict=True))


def _of_group(several: Iterable[Change], group: str) -> Change | None:
    """Of the changes at one instant the one of this group, else one that is of no group."""
    return min((change for change in several if change.group in {group, None}), key=lambda c: c.group is None, default=None)


def _new_end(pair: Pair) -> VersionRecord | None:
    """The period that ends where none did before, if a fact that was believed has one."""
    if not (pair.before and pair.after) or pair.kind == "corrected":
        return None
    now = changed_last(pair.after, pair.before)
    return None if now.cause is None or now.invalid_at in {record.invalid_at for record in pair.before} else now


def _successors(db: Connection, ends: Iterable[VersionRecord], known_at: int) -> dict[VersionRecord, Fact]:
    """The facts that take over where others give way, each with the period that begins there."""
    giving_way = [record for record in ends if record.cause in {"superseded", "judged"} and record.cause_id is not None]
    owners = facts.supported_facts(db, {record.cause_id for record in giving_way if record.cause_id is not None}, known_at)
    periods = facts.periods_of(db, owners.values(), known_at)
    chosen = {
        record: facts.best_period(periods[owner], record.invalid_at)
        for record in giving_way
        if record.invalid_at is not None and (owner := owners.get(record.cause_id or 0)) is not None and periods.get(owner)
    }
    shown = _as_facts(db, chosen.values(), known_at)
    return {record: shown[period] for record, period in chosen.items()}
