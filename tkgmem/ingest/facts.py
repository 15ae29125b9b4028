"""Facts told by a program, one claim each, and what takes them back: no model, no extraction."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import EllipsisType
from typing import TYPE_CHECKING, Any

from tkgmem.errors import NotFound, WriteConflict
from tkgmem.graph import ClaimKind, Entity, Episode, Fact
from tkgmem.ingest import reconcile
from tkgmem.ingest.resolve import find, resolve, unknown
from tkgmem.ingest.writer import Writer
from tkgmem.store import claims, facts, lexical, passages, read, relations, vectors, write
from tkgmem.store.claims import NewClaim
from tkgmem.store.clocks import EVERYTHING
from tkgmem.store.connection import Connection
from tkgmem.store.identity import Identity
from tkgmem.store.ids import make_uuid
from tkgmem.store.names import clean_name, clean_text, searchable
from tkgmem.temporal.period import Moment, Period, to_micros

if TYPE_CHECKING:
    from tkgmem.protocols import Vectors


TRIES = 3
"""How often a write that was planned on a state that has moved is planned again."""


@dataclass(frozen=True, slots=True)
class FactInput:
    """A fact or an ending as told by a program, without a model."""

    kind: ClaimKind
    source: str | Entity
    relation: str
    target: str | Entity
    group: str
    fact: str | None = None
    valid: Moment | None = None
    invalid: Moment | None = None
    reference_time: Moment | None = None
    episode: str | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    uuid: str | None = None


def add_claim(writer: Writer, new: FactInput) -> int:
    """Record one claim; its row. A uuid that is there already with the same content changes nothing.

    Raises InvalidPeriod, NotFound for an unknown episode, AmbiguousName, ValueError.
    """
    Period(new.valid.micros if new.valid else None, new.invalid.micros if new.invalid else None)
    if new.fact is not None and not clean_text(new.fact, "fact").strip():
        raise ValueError("fact is empty; leave it out, or give the sentence")
    source, target = (
        clean_name(name, what) if isinstance(name, str) else name.name
        for name, what in ((new.source, "source"), (new.target, "target"))
    )
    lead = passages.claim_lead(source, _relation_name(new.relation), target, new.fact)
    text = passages.claim_passage(lead, new.fact)
    for _ in range(TRIES):
        with writer.store.read() as db:
            names = _new_names(db, new)
        vector, *others = passages.embed(writer.embedder, [text, *names])
        with writer.store.write() as db:
            writer.prepare(db)
            if new.uuid is not None:
                there = _same_claim(db, clean_text(new.uuid, "uuid"), new, write.group(db, new.group))
                if there is not None:
                    return there
            if set(_new_names(db, new)) <= set(names):
                return _record_claim(db, writer, new, lead, vector, dict(zip(names, others, strict=True)))
    raise WriteConflict(f"a name of {text!r} was forgotten {TRIES} times while it was told; nothing was written; try again")


def _new_names(db: Connection, new: FactInput) -> list[str]:
    """The names of a fact that nobody goes by yet."""
    names = [clean_name(name) for name in (new.source, new.target) if isinstance(name, str)]
    groups = read.group_ids(db, [new.group])
    return unknown(db, groups[0], names) if groups else list(dict.fromkeys(names))


def _relation_name(name: str) -> str:
    """A relation's name, normalised; ValueError if it has no words."""
    return relations.normalise_relation(clean_text(name, "relation") if isinstance(name, str) else name)


def _record_claim(
    db: Connection, writer: Writer, new: FactInput, lead: str | None, vector: Vectors, names: Mapping[str, Vectors]
) -> int:
    episode = _episode_of(db, new.episode, new.group)
    group_id = write.group(db, new.group)
    clock = writer.now()
    at = write.tick(db, clock, new.kind, group_id=group_id, episode_id=episode[0] if episode else None)
    told = to_micros(episode[1].reference_time) if episode else clock
    owner = episode[1].uuid if episode else new.group
    first = new.uuid or make_uuid("claim", owner, at, 0)
    source_id = resolve(db, group_id, new.group, new.source, what="source", first=first, at=at, names=names)
    target_id = resolve(db, group_id, new.group, new.target, what="target", first=first, at=at, names=names)
    table = relations.load(db)
    claim = NewClaim(
        kind=new.kind,
        source_id=source_id,
        relation=table.canonical(new.relation),
        target_id=target_id,
        fact=new.fact,
        valid=new.valid,
        invalid=new.invalid,
        reference_time=new.reference_time.micros if new.reference_time else told,
        episode_id=episode[0] if episode else None,
        attributes=new.attributes,
        lead=lead,
    )
    [row] = reconcile.record(db, [claim], table, group_id=group_id, owner=owner, at=at, uuid=new.uuid).claims
    text = passages.claim_passage(lead, new.fact)
    lexical.index_claim(db, row, text)
    vectors.insert(db, "claim", row, group_id, vector, text)
    return row


def _episode_of(db: Connection, uuid: str | None, group: str) -> tuple[int, Episode] | None:
    if uuid is None:
        return None
    found = read.episode(db, searchable(uuid))
    if found is None or found[1].group != group:
        raise NotFound(f"no episode of the group {group!r} has the uuid {uuid!r}; add the episode first")
    return found


def _same_claim(db: Connection, uuid: str, new: FactInput, group_id: int) -> int | None:
    """The row that a claim's uuid addresses if the claim is there; ValueError if another claim has the uuid.

    NotFound if it is there, and is no longer believed.
    """
    there = claims.with_uuid(db, uuid)
    if there is None:
        return None
    ends = [find(db, group_id, name, what) for name, what in ((new.source, "source"), (new.target, "target"))]
    source, target = Identity(db).ends(there)
    told = there.reference_time if new.reference_time is None else new.reference_time.micros
    episode = _episode_of(db, new.episode, new.group)
    given = (group_id, new.kind, ends[0], relations.load(db).canonical(new.relation), ends[1], new.fact, _micros(new.valid),
             _micros(new.invalid), told, episode[0] if episode else None, dict(new.attributes))  # fmt: skip
    kept = (there.group_id, there.kind, source, there.relation, target, there.fact, there.valid_at,
            there.invalid_at, there.reference_time, there.episode_id, json.loads(there.attributes))  # fmt: skip
    if given != kept:
        raise ValueError(f"the uuid {uuid} is taken by another claim; leave it out, or give another")
    now = claims.addressed(db, uuid)
    if now is None or now.expired_at is not None:
        raise NotFound(f"the claim {uuid} is there and was taken back; give the new one another uuid")
    return now.id


def _micros(moment: Moment | None) -> int | None:
    return None if moment is None else moment.micros


def fact_for(db: Connection, row: int, *, valid_at: int) -> Fact:
    """The fact that a claim speaks of: the one it supports, or the one it ended."""
    [claim] = claims.by_ids(db, [row])
    return fact_before_end(db, row) if claim.kind == "end" else fact_of(db, row, valid_at=valid_at)


def fact_of(db: Connection, row: int, *, valid_at: int) -> Fact:
    """The fact that a believed claim supports now, with the period nearest to `valid_at`; as stated if it never holds."""
    fact = facts.supported_facts(db, [row], EVERYTHING).get(row)
    if fact is not None and (found := facts.shown(db, [fact], valid_at=valid_at)):
        return found[0]
    [claim] = claims.by_ids(db, [row])
    source, target = Identity(db).ends(claim)
    stated = facts.VersionRecord(
        None, claim.id if fact is None else fact, source, claim.relation, target, claim.valid_at,
        claim.invalid_at, claim.valid_precision, claim.invalid_precision, None, None, None, claim.created_at, claim.expired_at,
    )  # fmt: skip
    return facts.facts(db, [stated])[0]


def fact_before_end(db: Connection, row: int) -> Fact:
    """The fact that an end claim ended: the one holding just before it, else the latest that began before, else its record."""
    [claim] = claims.by_ids(db, [row])
    assert claim.invalid_at is not None
    at = claim.invalid_at - 1
    if facts.supported_facts(db, [row], EVERYTHING):
        return fact_of(db, row, valid_at=at)
    table = relations.load(db)
    stated = claims.as_claim(claim, table, Identity(db).ends(claim))
    records = facts.of_triple(db, claim.group_id, stated.relation, stated.ends, symmetric=table.get(stated.relation).symmetric)
    if records:
        return facts.facts(db, [facts.best_period(records, at)])[0]
    rows, _ = claims.component(db, [claim], [table], ever=False)
    ended = [c for c in claims.as_claims(db, rows, table, EVERYTHING) if not c.is_end and c.triple == stated.triple]
    return fact_of(db, ended[-1].id if ended else row, valid_at=at)  # something else overrides all of it, or it says nothing


@dataclass(frozen=True, slots=True)
class Change:
    """What a correction changes; `...` keeps a bound, None makes it unknown, a target of None keeps it."""

    target: str | Entity | None
    valid: Moment | EllipsisType | None
    invalid: Moment | EllipsisType | None
    episode: str | None = None
    reason: str | None = None


def correct(writer: Writer, uuid: str, change: Change) -> int:
    """Record a correction; the row of its claim (see `Memory.correct`). No lock is held while its text is embedded."""
    for _ in range(TRIES):
        with writer.store.read() as db:
            plan = reconcile.plan_correction(db, uuid, _correction(db, uuid, change))
            plan = _led(db, plan, change)
            texts = _texts(plan)
            target = [clean_name(change.target, "target")] if isinstance(change.target, str) else []
            new = unknown(db, plan.fact.row.group_id, target)
        embedded = passages.embed(writer.embedder, [*texts, *new])
        names = dict(zip(new, embedded[len(texts) :], strict=True))
        with writer.store.write() as db:
            writer.prepare(db)
            correction = _correction(db, uuid, change)
            plan = _led(db, reconcile.plan_correction(db, uuid, correction), change)
            if _texts(plan) != texts or set(unknown(db, plan.fact.row.group_id, target)) - set(new):
                continue  # someone changed the fact meanwhile, or forgot its new target
            group = read.group_name(db, plan.fact.row.group_id)
            rows = reconcile.correct(
                db,
                plan,
                replace(correction, names=names),
                clock=writer.now(),
                owner=_owner(db, change.episode, group),
                group=group,
            )
            for row, text, vector in zip(rows, texts, embedded[: len(texts)], strict=True):
                lexical.index_claim(db, row, text)
                vectors.insert(db, "claim", row, plan.fact.row.group_id, vector, text)
            return rows[0]
    raise WriteConflict(
        f"{uuid} was changed by others {TRIES} times while it was being corrected; nothing was written; try again"
    )


def _correction(db: Connection, uuid: str, change: Change) -> reconcile.Correction:
    old = claims.addressed(db, uuid)
    if old is None:
        raise NotFound(f"no fact or claim has the uuid {uuid}")
    episode = _episode_of(db, change.episode, read.group_name(db, old.group_id))
    return reconcile.Correction(change.target, change.valid, change.invalid, episode[0] if episode else None, change.reason)


def _owner(db: Connection, episode: str | None, group: str) -> str:
    found = _episode_of(db, episode, group)
    return found[1].uuid if found else group


def _led(db: Connection, plan: reconcile.Corrected, change: Change) -> reconcile.Corrected:
    """The plan, with what goes before the texts of its claims."""
    names = read.entities(db, [end for claim in plan.new for end in (claim.source_id, claim.target_id)])
    target = change.target.name if isinstance(change.target, Entity) else change.target
    leads = [
        passages.claim_lead(
            names[claim.source_id].name,
            claim.relation,
            names[claim.target_id].name if target is None else clean_name(target, "target"),
            claim.fact,
        )
        for claim in plan.new
    ]
    return replace(plan, new=[replace(claim, lead=lead) for claim, lead in zip(plan.new, leads, strict=True)])


def _texts(plan: reconcile.Corrected) -> list[str]:
    return [passages.claim_passage(claim.lead, claim.fact) for claim in plan.new]
