"""Everything that one episode brings, in the caller's transaction: entities, names, claims, indexes, one tick, state done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tkgmem.graph import ExtractedEntity, ExtractedFact
from tkgmem.ingest import identity, judge, reconcile
from tkgmem.ingest.planning import Plan, Work
from tkgmem.ingest.reading import ALIAS
from tkgmem.ingest.resolve import Found, make, speaker
from tkgmem.store import lexical, passages, read, vectors, write
from tkgmem.store.claims import NewClaim
from tkgmem.store.clocks import EVERYTHING
from tkgmem.store.connection import Connection
from tkgmem.store.facts import VersionRecord
from tkgmem.store.ids import make_uuid
from tkgmem.store.names import name_key
from tkgmem.temporal.period import Moment, to_micros

if TYPE_CHECKING:
    from tkgmem.protocols import Vectors

NOT_WRITTEN = (-1, -1)
"""Where an episode names an entity that it speaks of in other words; (0, 0) is who speaks."""


@dataclass(slots=True)
class Committed:
    """What an episode brought, for its receipt: rows of new entities, facts that now end, what was dropped and ignored."""

    entities: list[int] = field(default_factory=list)
    ended: list[int] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Commit:
    """One episode being written at the instant `at`. speaker: the entity that speaks. rows: the entity of each mention, None
    where nobody could tell.
    """

    db: Connection
    group_id: int
    work: Work
    plan: Plan
    at: int
    judgement: judge.Judgement
    speaker: int | None = None
    rows: list[int | None] = field(default_factory=list)
    done: Committed = field(default_factory=Committed)

    @property
    def mentions(self) -> Sequence[ExtractedEntity]:
        """The entities that were read."""
        return self.work.extraction.entities


def commit(db: Connection, group_id: int, work: Work, plan: Plan, clock: int) -> Committed:
    """Write the episode. What the plan leaves open and nobody judged is decided for the harmless side."""
    episode, extraction = work.episode, work.extraction
    make_searchable(db, group_id, work)
    believed = bool(extraction.facts) or any(mention.aliases for mention in extraction.entities)
    at = write.tick(db, clock, "add", group_id=group_id, episode_id=work.row) if believed else write.now(db, clock)
    writing = _Commit(db, group_id, work, plan, at, work.judgement or judge.Judgement())
    if episode.speaker is not None:
        known = write.last_entity(db)
        row = speaker(db, group_id, episode.group, episode.speaker, first=episode.id, at=at, names=work.names)
        writing.done.entities += [row] if row > known else []
        writing.speaker = row
        write.insert_mention(db, row, work.row, (0, 0), at)
    _place(writing)
    _describe(writing)
    _record(writing)
    write.set_state(db, work.row, "done")
    writing.done.warnings[:0] = [*extraction.warnings, *writing.judgement.warnings]
    return writing.done


def make_searchable(db: Connection, group_id: int, work: Work) -> None:
    """Index the words of an episode, unless they are; they are found even where nothing could be read from them."""
    if not vectors.has(db, "episode", work.row):
        text, vector = work.texts[0]
        lexical.index_episode(db, work.row, text)
        vectors.insert(db, "episode", work.row, group_id, vector, text)


def _place(writing: _Commit) -> None:
    """Find or make the entity of each mention."""
    own = name_key(writing.work.episode.speaker or "")
    for place, found in enumerate(writing.plan.found):
        mention = writing.mentions[place]
        another = place in writing.judgement.same and writing.judgement.same[place] is None
        if writing.speaker is not None and name_key(mention.name) == own and not another:
            writing.rows.append(writing.speaker)
            continue
        row = _explicit(writing, mention, found) if found.row is None and not found.is_open else found.row
        if row is None and found.same_as is not None:
            row = writing.rows[found.same_as]
        elif (
            row is None
            and found.is_open
            and (row := _judged(writing, place, found)) is None
            and _unclear(writing, place, found)
        ):
            names = ", ".join(
                f"{entity.name} ({entity.uuid})" for entity in read.entities(writing.db, found.candidates).values()
            )
            writing.done.warnings.append(f"{mention.name!r} fits several entities, its facts were dropped: {names}")
            writing.rows.append(None)
            continue
        writing.rows.append(_made(writing, place) if row is None else row)


def _judged(writing: _Commit, place: int, found: Found) -> int | None:
    """Who a mention is as the judge decided, if that is still possible."""
    chosen = writing.judgement.same.get(place)
    if isinstance(chosen, int):
        return writing.rows[chosen] if chosen in found.others and chosen < place else None
    if chosen is not None:
        row = read.entity_by_uuid(writing.db, [writing.group_id], chosen)
        return row if row in found.candidates else None
    if place in writing.judgement.same or found.why != "name" or len(found.candidates) > 1:
        return None
    [row] = found.candidates  # two mentions of one name, and nobody told them apart: the first is the one that is known
    return None if row in writing.rows else row


def _unclear(writing: _Commit, place: int, found: Found) -> bool:
    return place not in writing.judgement.same and found.why == "name" and len(found.candidates) > 1


def _explicit(writing: _Commit, mention: ExtractedEntity, found: Found) -> int | None:
    """For a new name that the text says is another name of somebody: that entity."""
    if found.same_as is not None:
        return None
    place = next(place for place, one in enumerate(writing.mentions) if one is mention)
    told = [fact.target for fact in writing.work.extraction.facts if fact.relation == ALIAS and fact.source_at == place]
    rows = {row for name in told for row in read.entity_ids(writing.db, writing.group_id, name_key(name), EVERYTHING)}
    return rows.pop() if len(rows) == 1 else None


def _made(writing: _Commit, place: int) -> int:
    work = writing.work
    name = writing.mentions[place].name
    claim = next((at for at, fact in enumerate(work.extraction.facts) if place in (fact.source_at, fact.target_at)), None)
    first = work.episode.id if claim is None else make_uuid("claim", work.episode.id, writing.at, claim)
    if any(other.name == name for other in writing.mentions[:place]):
        first = make_uuid("mention", first, place)  # another one of this name is in the same text
    row = make(writing.db, writing.group_id, work.episode.group, name, first=first, at=writing.at, names=work.names)
    writing.done.entities.append(row)
    return row


def _describe(writing: _Commit) -> None:
    """Record where each entity is named, its other names, its type and attributes."""
    db, episode = writing.db, writing.work.row
    for mention, row in zip(writing.mentions, writing.rows, strict=True):
        if row is None:
            continue
        write.insert_mention(db, row, episode, mention.span or NOT_WRITTEN, writing.at)
        for name in dict.fromkeys((mention.name, *mention.aliases)):
            _give_name(writing, row, name)
        if mention.type is not None or mention.attributes:
            write.insert_trait(db, row, episode_id=episode, kind=mention.type, attributes=mention.attributes, at=writing.at)


def _give_name(writing: _Commit, row: int, name: str) -> None:
    owners = read.entity_ids(writing.db, writing.group_id, name_key(name), EVERYTHING)
    if owners and row not in owners:
        [owner, *_] = read.entities(writing.db, owners).values()
        [known] = read.entities(writing.db, [row]).values()
        writing.done.warnings.append(
            f"{name!r} was not made a name of {known.name} ({known.uuid}): {owner.name} ({owner.uuid}) goes by it; "
            "merge_entities joins the two if they are one"
        )
        return
    identity.give_alias(writing.db, row, name, at=writing.at, episode_id=writing.work.row)


def _record(writing: _Commit) -> None:
    """Record the claims with what was judged of them, derive, index."""
    work, judged = writing.work, []
    claims: list[NewClaim] = []
    passages: list[tuple[str, Vectors]] = []
    contradicted: dict[int, list[str]] = {}
    for place, uuid in sorted(writing.judgement.contradictions):
        contradicted.setdefault(place, []).append(uuid)
    for place, (fact, passage) in enumerate(zip(work.extraction.facts, work.texts[1:], strict=True)):
        claim = _claim(writing, place, fact)
        if claim is None:
            continue
        accepted = [_accepted(writing, place, claim, uuid) for uuid in contradicted.get(place, ())]
        judged += [(len(claims), other) for other in accepted if other is not None]
        claims.append(claim)
        passages.append(passage)
    if not claims:
        return
    recorded = reconcile.record(
        writing.db, claims, writing.plan.table, group_id=writing.group_id, owner=work.episode.id, at=writing.at, judged=judged
    )
    for row, (words, vector) in zip(recorded.claims, passages, strict=True):
        lexical.index_claim(writing.db, row, words)
        vectors.insert(writing.db, "claim", row, writing.group_id, vector, words)
    writing.done.ended += recorded.ended


def _claim(writing: _Commit, place: int, fact: ExtractedFact) -> NewClaim | None:
    """The fact as a claim between the entities found, None if that says nothing."""
    source = None if fact.source_at is None else writing.rows[fact.source_at]
    if source is None:
        return None
    target = _other_name(writing, place, fact) if fact.target_at is None else writing.rows[fact.target_at]
    if target is None:
        return None
    if source == target:
        writing.done.warnings.append(f"dropped {fact.source} {fact.relation} {fact.target}: both ends are the same")
        return None
    relation, valid, invalid = writing.plan.table.canonical(fact.relation), fact.valid_at, fact.invalid_at
    if (known := _duplicated(writing, place, {source, target})) is not None:
        source, relation, target = known.source, known.relation, known.target
        # one more source of what is known, for the time that it is known for: it can move no bound of it
        valid = None if known.valid_at is None else Moment(known.valid_at, known.valid_precision or "time")
        invalid = None
    told = to_micros(writing.work.episode.reference_time)
    return NewClaim(
        kind=fact.kind,
        source_id=source,
        relation=relation,
        target_id=target,
        fact=fact.fact,
        valid=valid,
        invalid=Moment(told, "time") if fact.kind == "end" and invalid is None else invalid,
        reference_time=told,
        episode_id=writing.work.row,
        span=fact.span,
        attributes=fact.attributes,
        made_by=writing.work.read.made_by,
        lead=lead_of(fact),
    )


def lead_of(fact: ExtractedFact) -> str | None:
    """What goes before a fact's text where it is searched, by the names that its source uses."""
    return passages.claim_lead(fact.source, fact.relation, fact.target, fact.fact)


def _duplicated(writing: _Commit, place: int, ends: set[int]) -> VersionRecord | None:
    """The known fact that the judge says a new one repeats, if it is between the same two entities."""
    for uuid in sorted(uuid for new, uuid in writing.judgement.duplicates if new == place):
        known = writing.plan.known.get(uuid)
        if known is not None and {known.source, known.target} == ends and (place, uuid) in writing.plan.case.pairs:
            return known
        writing.done.ignored.append(f"a duplicate of {uuid} was ignored: it is not between the same two entities")
    return None


def _other_name(writing: _Commit, place: int, fact: ExtractedFact) -> int:
    """The target of "also known as": a name and nothing else. Nobody is found by it but the one whose name it is."""
    uuid = make_uuid("name", writing.work.episode.id, writing.at, place)
    return write.insert_name(writing.db, uuid=uuid, group_id=writing.group_id, name=fact.target, at=writing.at)


def _accepted(writing: _Commit, place: int, claim: NewClaim, uuid: str) -> int | None:
    """The known fact's claim, if a judged contradiction with it passes the guard."""
    known = writing.plan.known.get(uuid)
    if known is None or (place, uuid) not in writing.plan.case.pairs:
        writing.done.ignored.append(f"a contradiction with {uuid} was ignored: it was not offered")
        return None
    if (reason := judge.refused(claim, known, writing.plan.table)) is not None:
        writing.done.ignored.append(f"a contradiction of {claim.fact!r} with {uuid} was ignored: {reason}")
        return None
    return known.fact
