"""What is known of communities and entities at the two clocks: the facts that summaries are made of, chosen and worded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from tkgmem.communities import choosing, sentences
from tkgmem.communities.found import Found
from tkgmem.communities.sentences import Line
from tkgmem.store import intervals
from tkgmem.store.clocks import At
from tkgmem.store.connection import Connection
from tkgmem.store.facts import Ends, VersionRecord
from tkgmem.temporal.period import Period

_FEW = 2_000
"""Entities whose facts are looked up one by one; of more, all facts of the group are read."""


class Material(NamedTuple):
    """The facts of a community or an entity that hold then. weights: how much goes through each member, the most first.

    records: those considered, by the row of their first claim: of a community the facts among its members, and where these are
    fewer than are told also those that lead out of it. lines: those that are told.
    """

    weights: Mapping[int, float]
    records: Mapping[int, VersionRecord]
    lines: tuple[Line, ...]

    @property
    def left(self) -> int:
        """How many of those considered are not told."""
        return len(self.records) - len(self.lines)


def of_communities(db: Connection, at: At, several: Sequence[Found], *, most: int = choosing.MOST) -> list[Material]:
    """The material of communities of one group, in the order given. most: facts of each that are told."""
    homes = {entity: place for place, found in enumerate(several) for entity in found.members}
    considered: dict[int, dict[int, VersionRecord]] = defaultdict(dict)
    for record in _among(db, at, list(homes)):
        if homes[record.source] == homes[record.target]:
            considered[homes[record.source]][record.fact] = record
    weighed = [_weights(found.members, considered[place].values()) for place, found in enumerate(several)]
    few = {place: found.members for place, found in enumerate(several) if len(considered[place]) < most}
    for record in held(db, at, [entity for members in few.values() for entity in members]):
        for place in {homes[end] for end in (record.source, record.target) if homes.get(end) in few}:
            considered[place][record.fact] = record
    told = [choosing.chosen(list(considered[place].values()), weights, most) for place, weights in enumerate(weighed)]
    lines = iter(sentences.lines(db, at, [record for records in told for record in records]))
    return [
        Material(weights, considered[place], tuple(next(lines) for _ in records))
        for place, (weights, records) in enumerate(zip(weighed, told, strict=True))
    ]


def of_entity(db: Connection, at: At, row: int, *, most: int = choosing.MOST) -> Material:
    """The material of one entity. most: facts that are told."""
    records = held(db, at, [row])
    weights = {row: 1.0} | {end: 1.0 for record in records for end in (record.source, record.target)}
    told = choosing.chosen(records, weights, most)
    return Material({row: 1.0}, {record.fact: record for record in records}, tuple(sentences.lines(db, at, told)))


def _among(db: Connection, at: At, entities: list[int]) -> list[VersionRecord]:
    """The facts with both ends among these entities that hold then."""
    instant = Period(at.valid_at, at.valid_at + 1)
    if len(entities) <= _FEW:
        return intervals.within(db, at.groups, Ends(entities, None, entities), instant, "any", known_at=at.known_at)
    wanted = set(entities)
    every = intervals.within(db, at.groups, Ends(), instant, "any", known_at=at.known_at)
    return [record for record in every if record.source in wanted and record.target in wanted]


def held(db: Connection, at: At, entities: Sequence[int]) -> list[VersionRecord]:
    """The facts at either end of any of these entities that hold then."""
    instant = Period(at.valid_at, at.valid_at + 1)
    if len(entities) > _FEW:
        wanted = set(entities)
        every = intervals.within(db, at.groups, Ends(), instant, "any", known_at=at.known_at)
        return [record for record in every if record.source in wanted or record.target in wanted]
    sides = (Ends(sources=list(entities)), Ends(targets=list(entities)))
    found = [record for ends in sides for record in intervals.within(db, at.groups, ends, instant, "any", known_at=at.known_at)]
    return list({record.row: record for record in found}.values())


def _weights(members: Sequence[int], among: Iterable[VersionRecord]) -> dict[int, float]:
    """Each member with the number of facts that tie it to the others, the most first. among: the facts between members."""
    counted = dict.fromkeys(members, 0.0)
    for record in among:
        if record.source != record.target:
            counted[record.source] += 1.0
            counted[record.target] += 1.0
    return dict(sorted(counted.items(), key=lambda item: (-item[1], item[0])))
