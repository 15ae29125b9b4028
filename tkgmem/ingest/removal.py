"""What goes with episodes, claims and entities that go, in the caller's transaction: rows, full text, vectors, logs, beliefs.

Afterwards everything is as if they had never been: what they closed is believed again, and what they alone supported is gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tkgmem.store import (
    aliases,
    beliefs,
    claims,
    derivation,
    gaps,
    identity,
    lexical,
    model_calls,
    read,
    relations,
    resting,
    undone,
    vectors,
    write,
)
from tkgmem.store.connection import Connection
from tkgmem.store.rows import ClaimRow
from tkgmem.store.traces import Traces

if TYPE_CHECKING:
    from tkgmem.protocols import Vectors


@dataclass(frozen=True, slots=True)
class Going:
    """What is to go, of one group: rows of episodes, claims, and entities that go whatever else would name them."""

    group_id: int
    episodes: frozenset[int] = frozenset()
    claims: tuple[ClaimRow, ...] = ()
    entities: frozenset[int] = frozenset()


@dataclass(slots=True)
class Gone:
    """What went. facts, words: those that nothing supports any more, by uuid and in words. unnamed: names without a vector.

    traces: what of it may be in the recall log.
    """

    episodes: int = 0
    claims: int = 0
    entities: int = 0
    model_calls: int = 0
    summaries: int = 0
    facts: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    unnamed: list[str] = field(default_factory=list)
    traces: Traces = field(default_factory=Traces)

    @property
    def counts(self) -> dict[str, int]:
        """How much went, for the record that something did."""
        return {"episodes": self.episodes, "claims": self.claims, "entities": self.entities, "facts": len(self.facts)}

    def take_summaries(self, db: Connection, versions: set[int], communities: set[int]) -> None:
        """Delete versions of summaries, and communities, and keep what of them may be in the recall log."""
        self.traces.say(db, *resting.written(db, versions))
        self.traces.communities |= communities
        resting.delete(db, versions)
        resting.delete_communities(db, communities)
        self.summaries += len(versions)

    def take_facts(self, db: Connection, rows: Sequence[ClaimRow]) -> None:
        """Keep which facts go, before they do."""
        self.facts += [row.uuid for row in rows]
        self.words += claims.triples(db, [row.id for row in rows])


def remove(db: Connection, going: Going, named: Mapping[str, Vectors], gone: Gone) -> None:
    """Delete it all and derive again what is left. named: the vectors of names that take the place of others."""
    episodes, wiped = going.episodes, going.entities
    own = {row.id: row for row in [*going.claims, *claims.of_episodes(db, episodes)]}
    near = {end for row in own.values() for end in (row.source_id, row.target_id)} | identity.moved_to(db, own)
    near |= wiped | set(read.named_in(db, episodes))
    ticks = {at for row in own.values() for at in row.instants}
    ticks |= identity.instants_of(db, wiped, own) | undone.instants_of(db, episodes)
    names, calls = aliases.of_episodes(db, episodes), model_calls.number(db)
    gone.take_facts(db, claims.unsupported(db, own))
    gone.traces.take(db, episodes=episodes, claims=own)
    resting_on = _resting_on(db, going, own)

    _forget_calls(db, going, own.values())
    vectors.forget(db, "episode", sorted(episodes))
    vectors.forget(db, "claim", sorted(own))
    near |= _take_back(db, going, own)
    write.delete_episodes(db, episodes)
    relations.forget_unused(db, {row.relation for row in own.values()})

    lost = sorted({*identity.orphans(db, near - wiped), *wiped})
    ticks |= identity.instants_of(db, lost, ())
    gone.traces.take(db, entities=lost, ticks=ticks)
    write.blank_reasons(db, going.group_id, episodes, ticks)
    _forget_summaries(db, going.group_id, resting_on, lost, gone)
    names += _forget_entities(db, going.group_id, lost)
    left = near - set(lost)
    if episodes:  # who was called so by these texts alone is called as the others call them
        gone.traces.say(db, *aliases.names_of(db, left).values())
        names += _rename(db, going.group_id, left, named, gone)
    identity.refresh(db, left)
    lexical.forget(db, episodes=sorted(episodes), claims=sorted(own), names=names)

    gone.episodes += len(episodes)
    gone.claims += len(own)
    gone.entities += len(lost)
    gone.model_calls += calls - model_calls.number(db)


def _take_back(db: Connection, going: Going, own: Mapping[int, ClaimRow]) -> set[int]:
    """Delete the claims, and what the episodes judged, corrected and merged. Returns the entities that were merged."""
    reopened = _others(own, [*claims.closed_by_episodes(db, going.episodes), *claims.replaced_by(db, own)])
    judged = claims.judged_by_episodes(db, going.episodes)
    merged, merges = identity.merges_of(db, going.episodes, going.entities)
    before = gaps.closed_by(db, going.episodes, own)  # and an undo opened again
    lifted = _others(own, claims.by_ids(db, before))
    regrouped = claims.touching(db, identity.ever_one_with(db, merged)) if merged else []
    write.delete_judgements(db, going.episodes)
    identity.forget_merges(db, going.episodes, going.entities)
    gaps.forget(db, going.episodes)
    since = [row.created_at for row in judged] + merges + [before[row.id] for row in lifted]
    _derive_without(db, list(own.values()), reopened, _others(own, [*judged, *regrouped, *lifted]), since)
    return merged


def _forget_entities(db: Connection, group_id: int, rows: Sequence[int]) -> list[int]:
    """Delete entities with their names, and the questions that show these. Returns the rows of the names."""
    names = aliases.names_of(db, rows)
    model_calls.forget_words(db, group_id, names.values())
    vectors.forget(db, "entity", rows)
    write.delete_entities(db, rows)
    return list(names)


def _resting_on(db: Connection, going: Going, own: Iterable[int]) -> set[int]:
    """The versions of summaries that rest on what goes, as far as that is known before it does."""
    if resting.is_empty(db):
        return set()
    merged, _ = identity.merges_of(db, going.episodes, going.entities)  # who is one with nobody now had the names of both
    return resting.on(db, going.group_id, episodes=going.episodes, claims=own, entities=going.entities | merged)


def _forget_summaries(db: Connection, group_id: int, versions: set[int], lost: Sequence[int], gone: Gone) -> None:
    """Delete versions of summaries, with those that name entities which go, and the communities that are empty without them."""
    if resting.is_empty(db):
        return
    gone.take_summaries(db, versions | resting.on(db, group_id, entities=lost), set())
    emptied = resting.emptied_without(db, group_id, lost)
    gone.take_summaries(db, resting.of_communities(db, emptied), emptied)


def _others(own: Mapping[int, ClaimRow], rows: Iterable[ClaimRow]) -> list[ClaimRow]:
    return list({row.id: row for row in rows if row.id not in own}.values())


def _forget_calls(db: Connection, going: Going, rows: Iterable[ClaimRow]) -> None:
    """Forget the questions with these episodes in them, and those with the words of a claim that a program told."""
    model_calls.forget(db, going.episodes)
    told = [row for row in rows if row.episode_id is None]
    if told and model_calls.number(db):
        said = [*claims.sentences(db, [row.id for row in told]), *(text for row in told for text in _triples(db, row))]
        model_calls.forget_words(db, going.group_id, said)


def _triples(db: Connection, row: ClaimRow) -> Iterator[str]:
    """A claim as it may have been shown to a model: by any name that its ends had, also while they were one with others."""
    moved = identity.moved_to(db, [row.id])
    sources, targets = (
        dict.fromkeys(aliases.names_of(db, identity.ever_one_with(db, {end, *moved})).values())
        for end in (row.source_id, row.target_id)
    )
    yield from (f"{one} {row.relation} {other}" for one in sources for other in targets)


def _rename(db: Connection, group_id: int, entities: Iterable[int], named: Mapping[str, Vectors], gone: Gone) -> list[int]:
    """Give entities the names that are left, with their vectors. Returns the rows of the names that went."""
    rows, renamed = aliases.give_way(db, entities)
    vectors.forget(db, "entity", renamed)
    for entity, name in aliases.given(db, renamed):
        if name in named:
            vectors.insert(db, "entity", entity, group_id, named[name], name)
        else:
            gone.unnamed.append(name)
    return rows


def _derive_without(
    db: Connection, gone: Sequence[ClaimRow], reopened: Sequence[ClaimRow], also: Sequence[ClaimRow], instants: Iterable[int]
) -> None:
    """Delete claims and reopen those that they had closed, as if they had never been; derive everything after them again.

    also: claims that something else which went had acted on, a judged conflict or a merge. instants: when it began to.
    What cannot have influenced each other is derived apart.
    """
    waiting = {row.id: row for row in [*gone, *reopened, *also]}
    removed = {row.id for row in gone}
    acted = min(instants, default=0)
    first = {row.id: row.created_at for row in gone} | {row.id: acted for row in also}
    for row in reopened:
        first[row.id] = min(at for at in (row.expired_at, first.get(row.id)) if at is not None)
    tables = derivation.tables(db)
    parts = []
    while waiting:
        seed = waiting[next(iter(waiting))]
        rows, _ = claims.component(db, [seed], tables, ever=True)
        ids = {row.id for row in rows} | {seed.id}
        since = min(first[row] for row in ids if row in first)
        beliefs.rewind(db, ids, since)
        parts.append((ids - removed, since))
        for claim in ids:
            waiting.pop(claim, None)
    write.reopen_claims(db, [row.id for row in reopened])
    write.delete_claims(db, removed)
    for left, since in parts:
        derivation.derive_from(db, claims.by_ids(db, left), since)
