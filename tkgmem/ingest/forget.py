"""Forget: the words go from the rows, the full text, the vectors and the derived beliefs, as if the source had never spoken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from tkgmem.errors import NotFound
from tkgmem.ingest import reconcile
from tkgmem.reports import ForgetReport
from tkgmem.store import aliases, claims, facts, identity, lexical, model_calls, read, relations, vectors, write
from tkgmem.store.clocks import EVERYTHING
from tkgmem.store.connection import Connection, Store
from tkgmem.store.rows import ClaimRow


def forget(store: Store, *, episode: str | None, fact: str | None, clock: int, dry_run: bool) -> ForgetReport:
    """Forget one episode with its claims, or every claim of one fact.

    NotFound for an unknown uuid; ValueError unless just one is given.

    dry_run: rehearse it and roll back.
    """
    if (episode is None) == (fact is None):
        raise ValueError("say what to forget: either episode=uuid or fact=uuid")
    with store.write() as db:
        report = _episode(db, episode, clock) if episode is not None else _fact(db, str(fact), clock)
        if dry_run:
            db.execute("ROLLBACK")
    if not dry_run:
        store.checkpoint()
    return ForgetReport(**report, dry_run=dry_run)


class _Counts(TypedDict):
    episodes: int
    claims: int
    entities: int
    facts: tuple[str, ...]


def _episode(db: Connection, uuid: str, clock: int) -> _Counts:
    found = read.episode(db, uuid)
    if found is None:
        raise NotFound(f"no episode has the uuid {uuid!r}")
    row, episode = found
    group_id = write.group(db, episode.group)
    gone = claims.of_episode(db, row)
    own = {claim.id for claim in gone}
    reopened = [claim for claim in claims.closed_by_episode(db, row) if claim.id not in own]
    judged = [claim for claim in claims.judged_by_episode(db, row) if claim.id not in own]
    write.tick(db, clock, "forget", group_id=group_id)
    merged, merges = identity.told_by_episode(db, row)
    regrouped = [claim for claim in claims.touching(db, identity.ever_one_with(db, merged)) if claim.id not in own]
    entities = merged | set(read.mentioned(db, row))
    lexical.forget(db, episodes=[row], names=aliases.of_episode(db, row))
    vectors.forget(db, "episode", [row])
    write.delete_judgements(db, row)
    identity.forget_merges(db, row)
    model_calls.forget(db, row)
    since = [claim.created_at for claim in judged] + merges
    return _claims(db, gone, reopened, [*judged, *regrouped], since, entities, episode_id=row)


def _fact(db: Connection, uuid: str, clock: int) -> _Counts:
    gone = reconcile.claims_to_forget(db, uuid)
    write.tick(db, clock, "forget", group_id=gone[0].group_id)
    model_calls.forget_words(db, [claim.fact for claim in gone if claim.fact is not None and claim.episode_id is None])
    return _claims(db, gone, [], [], [], set())


def _claims(
    db: Connection,
    gone: Sequence[ClaimRow],
    reopened: Sequence[ClaimRow],
    also: Sequence[ClaimRow],
    instants: Sequence[int],
    entities: set[int],
    episode_id: int | None = None,
) -> _Counts:
    ids = [claim.id for claim in gone]
    entities |= {end for claim in gone for end in (claim.source_id, claim.target_id)} | identity.moved_to(db, ids)
    supported = sorted(set(facts.supported_facts(db, ids, EVERYTHING).values()))
    before = [claim.uuid for claim in claims.by_ids(db, supported)]
    lexical.forget(db, claims=ids)
    vectors.forget(db, "claim", ids)
    ticks = {at for claim in gone for at in (claim.created_at, claim.expired_at) if at is not None}
    ticks |= identity.instants_of(db, (), ids)
    reconcile.forget_claims(db, gone, reopened, also, instants)
    if episode_id is not None:
        write.delete_episode(db, episode_id)
    write.blank_reasons(db, episode_id, ticks)
    relations.forget_unused(db, {claim.relation for claim in gone})
    lost = identity.orphans(db, entities)
    write.blank_reasons(db, None, identity.instants_of(db, lost, ()))
    lexical.forget(db, names=aliases.of_entities(db, lost))
    vectors.forget(db, "entity", lost)
    write.delete_entities(db, lost)
    left_over = entities - set(lost)
    if episode_id is not None:  # who was called so by this text alone is called as the others call them
        names, renamed = aliases.give_way(db, left_over)
        lexical.forget(db, names=names)
        vectors.forget(db, "entity", renamed)
    identity.refresh(db, left_over)
    left = {uuid for uuid in before if claims.addressed(db, uuid) is not None}
    return {
        "episodes": 0 if episode_id is None else 1,
        "claims": len(ids),
        "entities": len(lost),
        "facts": tuple(uuid for uuid in before if uuid not in left),
    }
