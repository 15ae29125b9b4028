"""Questions over a range of valid time: what held, began or ended in it, and who held one relation when.

They answer as `as_of` would, asked at every instant of the range.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import EllipsisType
from typing import get_args

from tkgmem.errors import InvalidPeriod
from tkgmem.graph import Entity, Fact
from tkgmem.reasons import Held, How, Succession
from tkgmem.search.lookup import ends_of
from tkgmem.store import facts, intervals
from tkgmem.store.clocks import At
from tkgmem.store.connection import Connection
from tkgmem.store.facts import VersionRecord, optional_datetime
from tkgmem.temporal.period import Moment, Period, Precision, show
from tkgmem.temporal.stretches import Stretch, cut, unit_end

MOST = 1_000_000
"""Facts in all stretches of one succession together: of n that hold at once there are n in each of 2n stretches."""

Range = tuple[Moment | None, Moment | None]
"""From when until when a question asks, half-open; None is unbounded."""


def asked(since: Moment | None, until: Moment | EllipsisType | None = None) -> Range:
    """The range of a question. An `until` of `...` is the end of the year, month or day that `since` names (in UTC).

    Raises InvalidPeriod, naming both, if it is empty; ValueError if `since` names no stretch of time by itself.
    """
    if isinstance(until, EllipsisType):
        until = _end_of(since)
    if since is not None and until is not None and until.micros <= since.micros:
        raise InvalidPeriod(
            f"empty or inverted range: since {show(since.micros)} is not before until {show(until.micros)}, which is no longer "
            "part of it; give a later until, or leave that side open"
        )
    return since, until


def _end_of(since: Moment | None) -> Moment | None:
    try:
        if since is not None:
            return unit_end(since)
        fault = "without a start there is no year, month or day that would be the whole range"
    except ValueError as error:
        fault = str(error)
    raise ValueError(f"{fault}; give until too (None: no end)")


def held(
    db: Connection,
    at: At,
    range_: Range,
    how: How,
    *,
    source: str | Entity | None,
    relation: str | None,
    target: str | Entity | None,
) -> list[Fact]:
    """The facts that meet the range, each once, in order of their starts (of their ends, where these are asked for)."""
    if how not in get_args(How):
        raise ValueError(f"how must be one of {', '.join(map(repr, get_args(How)))}, not {how!r}")
    ends = ends_of(db, at, source, relation, target)
    records = intervals.within(db, at.groups, ends, _period(range_), how, known_at=at.known_at)
    records.sort(key=_by_end if how == "ended" else _by_start)
    first: dict[int, VersionRecord] = {}
    for record in records:
        first.setdefault(record.fact, record)
    return facts.facts(db, list(first.values()), at.known_at)


def succession(
    db: Connection,
    at: At,
    range_: Range,
    *,
    relation: str,
    source: str | Entity | None,
    target: str | Entity | None,
) -> Succession:
    """Who or what held a relation when: the periods in order of their starts, and the stretches that they cut time into."""
    if source is None and target is None:
        raise ValueError(f"whose {relation!r}? give the source (where did Ana live), or the target (who led the team)")
    ends, period = ends_of(db, at, source, relation, target), _period(range_)
    records = intervals.within(db, at.groups, ends, period, "any", known_at=at.known_at)
    records.sort(key=_by_start)
    found = facts.facts(db, records, at.known_at)
    stated = _precisions(range_, records)
    stretches = _few(cut([Period(record.valid_at, record.invalid_at) for record in records], period), relation)
    return Succession(
        tuple(found),
        tuple(
            Held(
                optional_datetime(stretch.period.start),
                optional_datetime(stretch.period.end),
                tuple(found[place] for place in stretch.holding),
                stated.get(stretch.period.start),
                stated.get(stretch.period.end),
            )
            for stretch in stretches
        ),
    )


def _period(range_: Range) -> Period:
    start, end = range_
    return Period(None if start is None else start.micros, None if end is None else end.micros)


def _by_start(record: VersionRecord) -> tuple[bool, int, bool, int]:
    return record.valid_at is not None, record.valid_at or 0, record.invalid_at is None, record.invalid_at or 0


def _by_end(record: VersionRecord) -> int:
    assert record.invalid_at is not None  # one that ended in a range
    return record.invalid_at


def _precisions(range_: Range, records: Sequence[VersionRecord]) -> dict[int | None, Precision]:
    """How finely each bound was stated: by the facts that begin or end there, the finest counts; else in the question."""
    found: dict[int | None, Precision] = {}
    fine = get_args(Precision).index
    for record in records:
        for bound, precision in ((record.valid_at, record.valid_precision), (record.invalid_at, record.invalid_precision)):
            if bound is not None and precision is not None and fine(precision) >= fine(found.get(bound, "year")):
                found[bound] = precision
    return {moment.micros: moment.precision for moment in range_ if moment is not None} | found


def _few(stretches: Iterable[Stretch], relation: str) -> list[Stretch]:
    """All of the stretches. ValueError if they are too many to be told apart one by one."""
    found, size = [], 0
    for stretch in stretches:
        found.append(stretch)
        size += len(stretch.holding)
        if size > MOST:
            raise ValueError(
                f"too many hold {relation!r} at the same time to list who did in each stretch (over {MOST:,} entries); "
                "narrow it with since and until, or ask what held in a range"
            )
    return found
