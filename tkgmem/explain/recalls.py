"""The recall log as values: each entry shows what was given as it was believed then, and for the time that was asked about."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from tkgmem.communities import reading
from tkgmem.explain.why import why
from tkgmem.graph import Community, Fact, SearchResult
from tkgmem.reasons import Recall, Recalled
from tkgmem.search.filters import Filters
from tkgmem.search.logged import spoken_in
from tkgmem.search.pipeline import Asked
from tkgmem.search.when import nearest
from tkgmem.store import facts, periods, read, recalls
from tkgmem.store.clocks import EVERYTHING, At
from tkgmem.store.conditions import Conditions
from tkgmem.store.connection import Connection
from tkgmem.store.recalls import Row, Stretch
from tkgmem.temporal.period import Moment, to_datetime, to_micros
from tkgmem.temporal.stretches import unit_end


def listed(db: Connection, groups: Sequence[int], stretch: Stretch, *, query: str | None, limit: int) -> list[Recall]:
    """The last entries in a stretch of system time, newest first; query: only those of this question."""
    return [_value(db, row) for row in recalls.listed(db, groups, stretch, query=query, limit=limit)]


def until(at: Moment) -> int:
    """The last microsecond that a date speaks of: of a year, month or day its end."""
    with suppress(ValueError):  # a time of day
        if (end := unit_end(at)) is not None:
            return end.micros - 1
    return at.micros


def last(db: Connection, groups: Sequence[int], query: str, at: int | None) -> Recall | None:
    """The last entry of this question at or before an instant of system time (None: of all)."""
    until = None if at is None else at + 1
    return next(iter(listed(db, groups, (None, until), query=query, limit=1)), None)


def again(asked: Asked, found: SearchResult) -> Recall:
    """What was found now, as it would have been logged then."""
    return Recall(
        number=None,
        at=asked.now.astimezone(dt.UTC),
        kind="search",
        query=asked.text,
        valid_at=found.valid_at,
        known_at=found.basis,
        groups=tuple(asked.groups),
        facts=tuple(hit.item for hit in found.facts),
        entities=tuple(hit.item for hit in found.entities),
        episodes=tuple(hit.item for hit in found.episodes),
        query_time=found.query_time,
        communities=tuple(hit.item for hit in found.communities),
    )


def explained(db: Connection, recall: Recall, *, logged: bool) -> Recalled:
    """A recall with why each of its facts was believed then."""
    groups = read.group_ids(db, recall.groups)
    known_at = EVERYTHING if recall.known_at is None else to_micros(recall.known_at)
    at = At(groups, to_micros(recall.valid_at), known_at)
    return Recalled(recall, logged, tuple(why(db, at, fact.uuid) for fact in recall.facts))


def _value(db: Connection, row: Row) -> Recall:
    entities, episodes = read.entities(db, row.entities, row.known_at), read.episodes(db, row.episodes, row.known_at)
    return Recall(
        number=row.number,
        at=to_datetime(row.at),
        kind=row.kind,
        query=row.query,
        valid_at=to_datetime(row.valid_at),
        known_at=to_datetime(row.known_at),
        groups=tuple(read.group_name(db, group) for group in row.groups),
        facts=tuple(_facts(db, row)),
        entities=tuple(entities[one] for one in row.entities if one in entities),
        episodes=tuple(episodes[one] for one in row.episodes if one in episodes),
        options={name: value for name, value in row.options.items() if name != "query_time"},
        query_time=spoken_in(row.options),
        communities=tuple(_communities(db, row)),
    )


def _facts(db: Connection, row: Row) -> list[Fact]:
    """The facts of an entry, each with the period that the question saw, else its best one at the asked time."""
    at, spoken = At(row.groups, row.valid_at, row.known_at), spoken_in(row.options)
    if spoken is not None:
        at = at._replace(valid_at=_bound(spoken.valid_at, -EVERYTHING))
    now = facts.supported_facts(db, row.facts, row.known_at)  # what an import or a deletion has joined or split since
    wanted = list(dict.fromkeys(now.get(fact, fact) for fact in row.facts))
    shown = periods.seen(
        db,
        wanted,
        row.groups,
        valid_at=at.valid_at,
        until=None if spoken is None else _bound(spoken.valid_until, EVERYTHING),
        known_at=row.known_at,
        include_ended=bool(row.options.get("include_ended")),
        conditions=_conditions(db, at, row.options),
    )
    others = facts.periods_of(db, [fact for fact in wanted if fact not in shown], row.known_at)
    for fact, found in others.items():
        shown[fact] = facts.best_period(found, at.valid_at)
    return facts.facts(db, [shown[fact] for fact in wanted if fact in shown], row.known_at)


def _communities(db: Connection, row: Row) -> Iterable[Community]:
    """The communities of an entry, with what held there at the instant that the question saw them at."""
    at, spoken = At(row.groups, row.valid_at, row.known_at), spoken_in(row.options)
    if spoken is not None:
        start, end = (None if bound is None else to_micros(bound) for bound in (spoken.valid_at, spoken.valid_until))
        at = at._replace(valid_at=nearest(row.valid_at, start, end))
    return reading.of_rows(db, at, row.communities).values()


def _bound(value: dt.datetime | None, unbounded: int) -> int:
    return unbounded if value is None else to_micros(value)


def _conditions(db: Connection, at: At, options: Mapping[str, Any]) -> Conditions | None:
    """What hits had to meet: it decides from which end a fact was read, and which of its periods was shown."""
    filters = options.get("filters")
    with suppress(ValueError):  # names that an import has made ambiguous since, or filters of another version
        found = Filters.of(filters) if isinstance(filters, Mapping) else None
        return None if found is None else found.resolve(db, at)
    return None
