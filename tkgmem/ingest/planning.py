"""What one episode will write, planned on the state of the file: who its mentions are, and what only a judge can tell.

Planning reads and never writes, so it can be done again on a state that has moved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tkgmem.graph import ExtractedFact, Extraction, Fact
from tkgmem.ingest import judge
from tkgmem.ingest.episodes import EpisodeInput
from tkgmem.ingest.reading import ALIAS, Read
from tkgmem.ingest.resolve import Found, Ladder
from tkgmem.store import facts, read, relations, rivals
from tkgmem.store.clocks import EVERYTHING
from tkgmem.store.connection import Connection
from tkgmem.store.facts import VersionRecord
from tkgmem.store.matrix import Matrices
from tkgmem.temporal.period import to_micros
from tkgmem.temporal.relations import Relations

if TYPE_CHECKING:
    from tkgmem.protocols import Vectors

MOST_PAIRS = 40
"""How many pairs of a new and a known fact one question holds, at most."""
_PER_FACT = 6
_ABOUT = 5
_AROUND = 1_500


@dataclass(slots=True)
class Work:
    """One stored episode on its way in: what was read, the vectors of its texts and names, what was judged."""

    row: int
    episode: EpisodeInput
    read: Read
    texts: Sequence[tuple[str, Vectors]] = ()
    names: Mapping[str, Vectors] = field(default_factory=dict)
    judgement: judge.Judgement | None = None

    @property
    def extraction(self) -> Extraction:
        """What was read."""
        return self.read.extraction


@dataclass(frozen=True, slots=True)
class Plan:
    """found: what the ladder says of each mention. case: what is left to a judge. known: the facts in it as rows, by uuid.
    quotes: the other episodes whose words the case repeats.
    """

    found: Sequence[Found]
    case: judge.Case
    known: Mapping[str, VersionRecord]
    table: Relations
    quotes: tuple[int, ...] = ()


def plan(db: Connection, group_id: int, work: Work, matrices: Matrices) -> Plan:
    """Look everything up. Without a judge nothing is left open but names that fit several entities."""
    table = relations.load(db)
    ladder = Ladder(db, group_id, work.names, judged=work.read.may_judge, matrices=matrices)
    found = ladder.climb(work.extraction.entities)
    told = judge.Told(_around(work), work.episode.reference_time.isoformat(), work.episode.speaker)
    if not work.read.may_judge:
        return Plan(found, judge.Case(told, (), (), (), ()), {}, table)
    mentions = tuple(_open(db, work, place, one) for place, one in enumerate(found) if one.is_open)
    pairs = _pairs(db, group_id, work, found, table)
    records = list({record.fact: record for _, record in pairs}.values())
    values = dict(zip((record.fact for record in records), facts.facts(db, records), strict=True))
    new = tuple(_new_fact(work.extraction.facts[place], place) for place in dict.fromkeys(place for place, _ in pairs))
    case = judge.Case(
        told,
        mentions,
        new,
        tuple(values.values()),
        tuple((place, values[record.fact].uuid) for place, record in pairs),
    )
    known = {values[record.fact].uuid: record for record in records}
    rows = [row for one in found for row in one.candidates] + [end for _, r in pairs for end in (r.source, r.target)]
    return Plan(found, case, known, table, _quoted(db, case, rows))


def _around(work: Work) -> str:
    """The text, or of a long one what is around its facts."""
    content = work.episode.content
    if len(content) <= 2 * _AROUND:
        return content
    return "\n".join(dict.fromkeys(fact.fact for fact in work.extraction.facts))[: 4 * _AROUND] or content[: 2 * _AROUND]


def _open(db: Connection, work: Work, place: int, found: Found) -> judge.OpenMention:
    entities = read.entities(db, found.candidates)
    mentions = work.extraction.entities
    return judge.OpenMention(
        place,
        mentions[place].name,
        tuple((entities[row], tuple(_about(db, row))) for row in found.candidates),
        tuple((other, mentions[other].name) for other in found.others),
    )


def _about(db: Connection, row: int) -> list[Fact]:
    """The latest facts about an entity."""
    return facts.facts(db, facts.timeline(db, row, valid_at=None, known_at=EVERYTHING)[-_ABOUT:])


def _new_fact(fact: ExtractedFact, place: int) -> judge.NewFact:
    return judge.NewFact(place, f"{fact.source} {fact.relation} {fact.target}", fact.fact, fact.valid_at, fact.invalid_at)


def _pairs(
    db: Connection, group_id: int, work: Work, found: Sequence[Found], table: Relations
) -> list[tuple[int, VersionRecord]]:
    """The new facts (by place) with the known ones that they may repeat or contradict, where no rule decides.

    These are facts of the same two entities under another relation and, for a relation that nobody defined, facts of the same
    source; what is never true at the same time is left out.
    """
    defined = {definition.name for definition in relations.told(db)}
    pairs: list[tuple[int, VersionRecord]] = []
    for place, fact in enumerate(work.extraction.facts):
        if fact.kind != "assert" or fact.relation == ALIAS or fact.target_at is None or fact.source_at is None:
            continue
        sources, targets = (_who(found, end) for end in (fact.source_at, fact.target_at))
        stored = table.resolve(fact.relation).relation.name
        near: list[VersionRecord] = []
        if sources and targets:
            near += [
                record for record in rivals.joining(db, group_id, sources, targets, _PER_FACT) if record.relation != stored
            ]
        if sources and stored not in defined:
            near += [
                record
                for record in rivals.leaving(db, group_id, sources, stored, _PER_FACT)
                if record.target not in targets or len(targets) > 1
            ]
        told = to_micros(work.episode.reference_time)
        pairs += [(place, record) for record in near[:_PER_FACT] if _meet(fact, record, told)]
    return pairs[:MOST_PAIRS]


def _who(found: Sequence[Found], place: int) -> list[int]:
    """The entities that a mention is or may be."""
    one = found[place]
    if one.same_as is not None:
        return _who(found, one.same_as)
    rows = [one.row] if one.row is not None else [*one.candidates]
    return list(dict.fromkeys([*rows, *(row for other in one.others for row in _who(found, other))]))


def _meet(fact: ExtractedFact, record: VersionRecord, told: int) -> bool:
    """Whether there is a time at which both hold."""
    start = fact.valid_at.micros if fact.valid_at else told
    before = record.invalid_at is not None and record.invalid_at <= start
    after = fact.invalid_at is not None and record.valid_at is not None and fact.invalid_at.micros <= record.valid_at
    return not before and not after


def _quoted(db: Connection, case: judge.Case, rows: Sequence[int]) -> tuple[int, ...]:
    """The episodes that told what is in the case. rows: the entities in it."""
    about = [fact for mention in case.mentions for _, known in mention.candidates for fact in known]
    uuids = dict.fromkeys(uuid for fact in (*case.known, *about) for uuid in fact.episodes)
    told = [found[0] for uuid in uuids if (found := read.episode(db, uuid)) is not None]
    return tuple(dict.fromkeys([*told, *read.described_by(db, rows)]))
