"""New claims against old: record, retract, correct, each one tick of system time, then derive again.

Only the claims of the slots concerned are read and derived. What an earlier known_at answers never changes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import EllipsisType
from typing import TYPE_CHECKING

from tkgmem.errors import NotFound
from tkgmem.graph import Entity
from tkgmem.ingest.resolve import resolve
from tkgmem.store import beliefs, claims, identity, relations, write
from tkgmem.store.claims import NewClaim
from tkgmem.store.clocks import EVERYTHING
from tkgmem.store.connection import Connection
from tkgmem.store.ids import make_uuid
from tkgmem.store.rows import ClaimRow
from tkgmem.temporal.believed import Believed
from tkgmem.temporal.claim import FUTURE, PAST, Claim, Stint
from tkgmem.temporal.period import Moment, Period, Precision, show
from tkgmem.temporal.relations import Relation, Relations

if TYPE_CHECKING:
    from tkgmem.protocols import Vectors


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a transaction wrote: the claims' rows, and the facts (claims' rows) that now end earlier."""

    claims: list[int]
    ended: list[int]


def record(
    db: Connection,
    new: Sequence[NewClaim],
    table: Relations,
    *,
    group_id: int,
    owner: str,
    at: int,
    uuid: str | None = None,
    judged: Sequence[tuple[int, int]] = (),
) -> Recorded:
    """Record claims at one tick and derive what follows. table: the definitions believed now.

    owner: the episode's uuid or the group's name, which goes into the claims' ids. judged: conflicts that passed the guard,
    each of a new claim (its position) with a claim that is there (its row).
    """
    for name in dict.fromkeys(claim.relation for claim in new):
        if name not in table:  # what it means does not change by it: an unknown name is not functional either
            relations.insert(db, Relation(name, functional=False), at)
    rows = [
        claims.insert(
            db,
            claim,
            uuid=uuid or make_uuid("claim", owner, at, position),
            group_id=group_id,
            position=position,
            at=at,
        )
        for position, claim in enumerate(new)
    ]
    for position, other in judged:
        write.insert_judgement(db, rows[position], other, episode_id=new[position].episode_id, at=at)
    return Recorded(rows, derive_again(db, claims.by_ids(db, rows), table, at))


def derive_again(db: Connection, seeds: Sequence[ClaimRow], table: Relations, at: int) -> list[int]:
    """Derive the slots of these claims from what is believed now, from `at` on. Returns the facts that now end earlier."""
    if not seeds:
        return []
    rows, links = claims.component(db, seeds, [table], ever=False)
    derived = Believed.of(claims.as_claims(db, rows, table, EVERYTHING), claims.as_conflicts(links, rows, at))
    concerned = {row.id for row in rows} | {row.id for row in seeds}
    if identity.changed_at(db, at):  # the same instant was derived before, as who is who changed
        beliefs.rewind(db, concerned, at)
    return beliefs.change(db, seeds[0].group_id, concerned, derived, at)


@dataclass(frozen=True, slots=True)
class _Believing:
    """A fact in the derivation of now: its claims, and the ends that would have nothing left to end without it (R4)."""

    table: Relations
    row: ClaimRow
    claims: list[Claim]
    ends: list[Claim]
    stint: Stint | None

    @property
    def closing(self) -> list[int]:
        return [claim.id for claim in [*self.claims, *self.ends]]


def _believing(db: Connection, uuid: str) -> _Believing:
    row = claims.addressed(db, uuid)
    if row is None:
        raise NotFound(f"no fact or claim has the uuid {uuid}")
    if row.expired_at is not None:
        raise NotFound(f"{uuid} is no longer believed since {show(row.expired_at)}; nothing to take back")
    table = relations.load(db)
    rows, links = claims.component(db, [row], [table], ever=False)
    believed = claims.as_claims(db, rows, table, EVERYTHING)
    derived = Believed.of(believed, claims.as_conflicts(links, rows, EVERYTHING))
    for plan in derived.plans:
        if any(claim.id == row.id for claim in plan):
            return _Believing(table, row, plan, [], None)
    for stint in derived.stints:
        if any(claim.id == row.id for claim in stint.claims):
            return _Believing(table, row, stint.claims, _idle_ends(stint, derived.stints, believed), stint)
    if any(claim.id == row.id for claim in believed):
        return _Believing(table, row, [claim for claim in believed if claim.id == row.id], [], None)  # an end: just that one
    return _alone(table, row)


def _alone(table: Relations, row: ClaimRow) -> _Believing:
    """A claim whose two ends are one entity by a merge, as if there were no merges and no other claims."""
    claim = claims.as_claim(row, table, (row.source_id, row.target_id))
    stints = Believed.of([claim]).stints
    return _Believing(table, row, [claim], [], stints[0] if stints else None)


def _idle_ends(stint: Stint, stints: Iterable[Stint], believed: Iterable[Claim]) -> list[Claim]:
    left = [other for other in stints if other is not stint and other.triple == stint.triple]
    own = {claim.id for claim in stint.claims}
    return [
        claim
        for claim in believed
        if claim.is_end
        and claim.triple == stint.triple
        and claim.id not in own
        and claim.end is not None
        and stint.start < claim.end
        and all(other.start >= claim.end for other in left)
    ]


def retract(db: Connection, uuid: str, *, clock: int, reason: str | None) -> None:
    """Stop believing a fact, or an end (R4). NotFound if it is unknown or no longer believed."""
    fact = _believing(db, uuid)
    at = write.tick(db, clock, "retract", group_id=fact.row.group_id, reason=reason)
    claims.close(db, fact.closing, at)
    derive_again(db, claims.by_ids(db, fact.closing), fact.table, at)


@dataclass(frozen=True, slots=True)
class Correction:
    """What to change of a fact; `...` keeps a bound, None makes it unknown, a target of None keeps it.

    names: the vector of the new target's name, if it is new.
    """

    target: str | Entity | None
    valid: Moment | EllipsisType | None
    invalid: Moment | EllipsisType | None
    episode_id: int | None
    reason: str | None
    names: Mapping[str, Vectors] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Corrected:
    """A correction as planned: the fact as it is believed, and the claims to record in place of its own, the fact's first."""

    fact: _Believing
    new: list[NewClaim]


def plan_correction(db: Connection, uuid: str, change: Correction) -> Corrected:
    """What a correction would record. Of an end only the date can be corrected.

    Raises NotFound, InvalidPeriod, or ValueError for what an end does not have.
    """
    fact = _believing(db, uuid)
    if fact.row.kind == "end" and fact.stint is None:
        return Corrected(fact, [_corrected_end(db, fact, change)])
    return Corrected(fact, _corrected_fact(db, fact, change))


def correct(db: Connection, plan: Corrected, change: Correction, *, clock: int, owner: str, group: str) -> list[int]:
    """Record a fact anew with some of it changed, in place of all its claims (R4). Returns the rows, the new fact's first."""
    fact, new, group_id = plan.fact, plan.new, plan.fact.row.group_id
    at = write.tick(db, clock, "correct", group_id=group_id, episode_id=change.episode_id, reason=change.reason)
    ids = [make_uuid("claim", owner, at, position) for position in range(len(new))]
    if change.target is not None:
        target = resolve(db, group_id, group, change.target, what="target", first=ids[0], at=at, names=change.names)
        new = [replace(claim, target_id=target) for claim in new]
    claims.close(db, fact.closing, at, episode_id=change.episode_id)
    rows = [
        claims.insert(db, claim, uuid=ids[position], group_id=group_id, position=position, at=at)
        for position, claim in enumerate(new)
    ]
    claims.replace(db, fact.closing, rows[0])
    derive_again(db, claims.by_ids(db, [*fact.closing, *rows]), fact.table, at)
    return rows


def _corrected_end(db: Connection, fact: _Believing, change: Correction) -> NewClaim:
    row = fact.row
    if change.target is not None or change.valid is not ... or not isinstance(change.invalid, Moment):
        raise ValueError(f"{row.uuid} says that a fact ended; only its invalid_at can be corrected (or retract it)")
    return NewClaim("end", *_triple_of(db, row, fact.table), row.fact, invalid=change.invalid, episode_id=change.episode_id)


def _triple_of(db: Connection, row: ClaimRow, table: Relations) -> tuple[int, str, int]:
    """What a claim is about, under the stored relation.

    A correction is of the entities that the claim was recorded with, so that it goes where they go.
    """
    claim = claims.as_claim(row, table, identity.Identity(db).recorded(row))
    return (claim.ends[0], claim.relation, claim.ends[1])


def _corrected_fact(db: Connection, fact: _Believing, change: Correction) -> list[NewClaim]:
    """The fact as it is shown, by its first recorded claim, with what the correction changes."""
    rows = claims.by_ids(db, [claim.id for claim in fact.claims])
    valid, invalid, end = _stated(fact)
    if not isinstance(change.valid, EllipsisType):
        valid = change.valid
    if not isinstance(change.invalid, EllipsisType):
        invalid, end = change.invalid, None
    for bound in (invalid, end):
        Period(valid.micros if valid else None, bound.micros if bound else None)
    attributes: dict[str, object] = {}
    for row in rows:
        attributes |= json.loads(row.attributes)
    source, relation, target = _triple_of(db, rows[0], fact.table)
    new = NewClaim(
        kind="planned" if all(row.kind == "planned" for row in rows) else "assert",
        source_id=source,
        relation=relation,
        target_id=target,
        fact=next((row.fact for row in rows if row.fact), None) if change.target is None else None,
        valid=valid,
        invalid=invalid,
        reference_time=fact.claims[0].anchor,
        episode_id=change.episode_id,
        attributes=attributes,
    )
    if end is None:
        return [new]
    return [new, NewClaim("end", *_triple(new), invalid=end, episode_id=change.episode_id)]


def _triple(claim: NewClaim) -> tuple[int, str, int]:
    return (claim.source_id, claim.relation, claim.target_id)


def _stated(fact: _Believing) -> tuple[Moment | None, Moment | None, Moment | None]:
    """The fact's stated start, its stated end, and the end that something else put to it."""
    stint = fact.stint
    if stint is None:  # an announcement without a date
        claim = fact.claims[0]
        return None, _moment(claim.end, claim.invalid_precision), None
    valid = None if not stint.dated or stint.start == PAST else _moment(int(stint.start), stint.start_by.valid_precision)
    invalid = None if stint.end == FUTURE else _moment(int(stint.end), stint.end_by.invalid_precision)
    end = None
    if stint.cap < stint.end and stint.cap_by is not None:
        end = _moment(int(stint.cap), stint.cap_by.invalid_precision)
    return valid, invalid, end


def _moment(micros: int | None, precision: Precision | None) -> Moment | None:
    return None if micros is None else Moment(micros, precision or "time")


def named_by(db: Connection, uuid: str) -> list[ClaimRow]:
    """The claims believed now that a uuid names: a fact's own names all of the fact, another one just its claim."""
    fact = _believing(db, uuid)
    first = min(fact.claims, key=lambda claim: claim.order)
    return claims.by_ids(db, fact.closing) if first.id == fact.row.id else [fact.row]


def claims_to_forget(db: Connection, uuid: str) -> list[ClaimRow]:
    """Every claim that ever stood for the fact with this uuid, and the ends that have nothing left to end without it."""
    row = claims.addressed(db, uuid)
    if row is None:
        raise NotFound(f"no fact or claim has the uuid {uuid}")
    found = {claim.id: claim for claim in claims.of_fact(db, row)}
    if row.expired_at is None:
        found |= {claim.id: claim for claim in claims.by_ids(db, _believing(db, uuid).closing)}
    return list(found.values())
