"""Versions by a range of valid time: the condition is on the rows themselves, so that nothing is read only to be dropped.

Indexes are named: a condition that reads a relation from either end would otherwise make SQLite go through the whole group.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal

import apsw

from tkgmem.store.clocks import EVERYTHING, believed, holds_within
from tkgmem.store.facts import Ends, VersionRecord, versions
from tkgmem.store.rows import in_list
from tkgmem.temporal.period import Period

_MEETS: Mapping[str, str] = MappingProxyType(
    {
        "any": holds_within("v"),
        "throughout": "(v.valid_at IS NULL OR v.valid_at <= :t) AND (v.invalid_at IS NULL OR :u <= v.invalid_at)",
        "began": "v.valid_at >= :t AND v.valid_at < :u",
        "ended": "v.invalid_at >= :t AND v.invalid_at < :u",
    }
)
"""How a version meets the range [:t, :u). An unbounded side of it is earlier, or later, than every instant there is."""


def within(
    db: apsw.Connection,
    groups: Sequence[int],
    ends: Ends,
    range_: Period,
    how: Literal["any", "throughout", "began", "ended"],
    *,
    known_at: int,
) -> list[VersionRecord]:
    """The versions believed at `known_at` that hold at some time of a range, or throughout it, or that begin or end in it."""
    where, bindings = ends.where()
    seen = f"v.group_id IN (SELECT value FROM json_each(:g)) AND {believed('v')} AND {_MEETS[how]} AND {where}"
    some = " UNION ALL ".join(f"SELECT v.id FROM versions v INDEXED BY {arm} AND {seen}" for arm in _arms(ends))
    bindings |= {
        "g": in_list(groups),
        "s": known_at,
        "t": -EVERYTHING if range_.start is None else range_.start,
        "u": EVERYTHING if range_.end is None else range_.end,
    }
    return [ends.turned(record) for record in versions(db, f"v.id IN ({some})", bindings)]


def _arms(ends: Ends) -> list[str]:
    """The indexes to look in, each with the condition that it serves; together they find all that the ends ask for."""
    if ends.sources is None and ends.targets is None:
        return ["versions_by_clocks WHERE 1" if ends.relation is None else "versions_by_relation WHERE v.relation = :relation"]
    asked, end, other = ("sources", "source", "target") if ends.sources is not None else ("targets", "target", "source")
    among = f"IN (SELECT value FROM json_each(:{asked}))"
    clocks = {"source": "versions_from", "target": "versions_to"}[end]
    arms = [f"{clocks if ends.relation is None else f'versions_by_{end}'} WHERE v.{end}_id {among}"]
    if ends.symmetric if ends.relation is None else ends.relation in ends.symmetric:
        both = "v.relation IN (SELECT value FROM json_each(:both))"
        arms.append(f"versions_by_{other} WHERE v.{other}_id {among} AND {both}")
    return arms
