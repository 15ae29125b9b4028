"""Reads by name and by clock: as of, history, timeline, an entity. What belongs to another group does not exist."""

from __future__ import annotations

from tkgmem.communities import reading
from tkgmem.errors import AmbiguousName, NotFound
from tkgmem.graph import Entity, EntityView, Fact, Version
from tkgmem.store import claims, facts, intervals, read, relations
from tkgmem.store.clocks import At
from tkgmem.store.connection import Connection
from tkgmem.store.names import searchable
from tkgmem.temporal.period import Period
from tkgmem.temporal.relations import Relations


def rows_of(db: Connection, at: At, name: str | Entity) -> list[int]:
    """The entities with this name or uuid, at most one a group, as known then. AmbiguousName if a group has two."""
    if isinstance(name, Entity):
        name = name.uuid
    if not isinstance(name, str):
        raise ValueError(f"an entity is a name, a uuid or an Entity, not {name!r}")
    name = searchable(name)
    row = read.entity_by_uuid(db, at.groups, name, at.known_at)
    if row is not None:
        return [row]
    found = [read.entity_named(db, group, name, at.known_at) for group in at.groups]
    return [row for row in found if row is not None]


def one(db: Connection, at: At, name: str | Entity) -> int:
    """The one entity with this name or uuid. NotFound if there is none, AmbiguousName if several groups have one."""
    rows = rows_of(db, at, name)
    shown = name.name if isinstance(name, Entity) else name
    if not rows:
        raise NotFound(f"no entity has the name or uuid {shown!r} here; search for it, or check the group")
    if len(rows) > 1:
        raise AmbiguousName(f"{shown!r} is in several groups; give the group, or the uuid")
    return rows[0]


def ends_of(
    db: Connection, at: At, source: str | Entity | None, relation: str | None, target: str | Entity | None
) -> facts.Ends:
    """What a read asks for, with the relation's alias, inverse and symmetry resolved as believed then (R12)."""
    sources = None if source is None else rows_of(db, at, source)
    targets = None if target is None else rows_of(db, at, target)
    if source is None and target is None and relation is None:
        return facts.Ends()
    table = relations.load(db, at.known_at)
    if relation is None:
        return facts.Ends(sources, None, targets, _symmetric(table))
    resolved = table.resolve(relation)
    if resolved.swapped:
        sources, targets = targets, sources
    asked = table.canonical(relation) if resolved.swapped else None
    return facts.Ends(sources, resolved.relation.name, targets, _symmetric(table), asked)


def _symmetric(table: Relations) -> frozenset[str]:
    return frozenset(definition.name for definition in table if definition.symmetric)


def as_of(db: Connection, at: At, source: str | Entity | None, relation: str | None, target: str | Entity | None) -> list[Fact]:
    """The facts that held at the asked valid time as believed at the asked system time."""
    ends = ends_of(db, at, source, relation, target)
    return facts.facts(db, _held(db, at, ends), at.known_at)


def _held(db: Connection, at: At, ends: facts.Ends) -> list[facts.VersionRecord]:
    """What held at the asked instant."""
    instant = Period(at.valid_at, at.valid_at + 1)
    return intervals.within(db, at.groups, ends, instant, "any", known_at=at.known_at)


def history(db: Connection, at: At, what: str | Entity | Fact) -> list[Version]:
    """Every version there ever was of a fact (by uuid) or of the facts of an entity, in order of system time."""
    if isinstance(what, Fact):
        what = what.uuid
    if isinstance(what, str) and (claim := claims.addressed(db, searchable(what))) is not None:
        fact = facts.last_supported(db, claim.id)
        return facts.version_values(db, [] if fact is None else facts.of_fact(db, fact))
    return facts.version_values(db, facts.of_entity(db, one(db, at, what)))


def timeline(db: Connection, at: At, name: str | Entity, *, only_at: int | None) -> list[Version]:
    """What is believed of an entity, by valid time. only_at: just what holds then."""
    row = one(db, at, name)
    return facts.version_values(db, facts.timeline(db, row, valid_at=only_at, known_at=at.known_at), at.known_at)


def entity(db: Connection, at: At, name: str | Entity) -> EntityView:
    """An entity with the facts at either of its ends that hold then, and what they come to in a few sentences."""
    row = one(db, at, name)
    ends = [facts.Ends(sources=[row]), facts.Ends(targets=[row])]
    records = [record for end in ends for record in _held(db, at, end)]
    unique = list({record.row: record for record in records}.values())
    value = read.entities(db, [row], at.known_at)[row]
    told = reading.entity(db, At([read.group_of(db, row)], at.valid_at, at.known_at), row)
    return EntityView(value, facts.facts(db, unique, at.known_at), told.text or None)
