"""One step of a walk: the facts at the ends of entities, in both directions, that a question sees.

Versions carry the entities that their ends are believed to be, so merges and splits need no further look. An announcement
without a date has no version: it has ends, but nothing is reached through it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import apsw

from tkgmem.store.facts import undated_plans
from tkgmem.store.rows import in_list

_AT_ONCE = 16  # entities in one query: a walk that has enough stops between two

_INDEXES = {"source_id": "versions_from", "target_id": "versions_to"}
"""By name, since without statistics the planner would go by the clocks, through every version of the group."""

Seen = tuple[str, Mapping[str, Any]]
"""What a question sees of versions: a condition on v with its bindings, as `clocks.view_versions` makes it."""


def _newest(end: str, other: str, where: str) -> str:
    """Fact and other end, one after the other with commas, of the visible versions with an entity (e) at one end.

    In the order of the index, so that nothing is sorted.
    """
    return (
        f"(SELECT group_concat(fact || ',' || other) FROM (SELECT v.fact_id AS fact, v.{other} AS other"
        f" FROM versions v INDEXED BY {_INDEXES[end]} WHERE v.group_id = e.group_id AND v.{end} = e.id AND {where}"
        " ORDER BY v.created_at DESC, v.expired_at DESC, v.valid_at DESC, v.invalid_at DESC, v.fact_id DESC LIMIT :each))"
    )


def steps(db: apsw.Connection, seen: Seen, entities: Sequence[int], *, each: int) -> Iterator[tuple[int, dict[int, int]]]:
    """Each entity, in the order given, with the facts at it: fact to the entity at its other end (rows).

    each: how many versions are looked up in each direction, those learned last first; what one entity costs has a bound.
    """
    where, bindings = seen
    query = (
        f"SELECT e.id, {_newest('source_id', 'target_id', where)}, {_newest('target_id', 'source_id', where)}"
        " FROM json_each(:walked) f CROSS JOIN entities e ON e.id = f.value"
    )
    for first in range(0, len(entities), _AT_ONCE):
        some = entities[first : first + _AT_ONCE]
        rows = db.execute(query, {**bindings, "walked": in_list(some), "each": each}).fetchall()
        numbers = json.loads("[" + ",".join(f"[{out or ''}],[{back or ''}]" for _, out, back in rows) + "]")
        listed = {row: numbers[2 * place : 2 * place + 2] for place, (row, *_) in enumerate(rows)}
        for entity in some:
            facts: dict[int, int] = {}
            for found in listed.get(entity, ()):
                facts.update(zip(found[::2], found[1::2], strict=True))
            yield entity, facts


def ends(db: apsw.Connection, seen: Seen, facts: Iterable[int]) -> dict[int, set[int]]:
    """Each of these facts that is seen, with the entities at its ends; also announcements without a date."""
    where, bindings = seen
    wanted = {**bindings, "walked": in_list(facts)}
    found: dict[int, set[int]] = defaultdict(set)
    query = (
        "SELECT v.fact_id, v.source_id, v.target_id FROM json_each(:walked) f CROSS JOIN versions v ON v.fact_id = f.value"
        f" WHERE {where}"
    )
    for fact, *pair in db.execute(query, wanted):
        found[fact].update(pair)
    plans = "v.id IN (SELECT value FROM json_each(:walked)) AND v.group_id IN (SELECT value FROM json_each(:g))"
    for plan in undated_plans(db, known_at=bindings["s"], where=plans, bindings=wanted):
        found[plan.fact].update((plan.source, plan.target))
    return dict(found)
