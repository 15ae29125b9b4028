"""Who is to belong where from now on: by what changed since the last pass, or by all the facts that hold.

What changed touches few communities: an entity that came joins where most of its facts lead, one that nothing ties leaves, a
member left alone joins its neighbours. Past a limit the whole is looked at, and made anew where it drifted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from tkgmem.communities import found
from tkgmem.communities.agreement import drift, matched
from tkgmem.communities.found import Graph
from tkgmem.communities.propagate import modularity, propagate
from tkgmem.store import partition, recalls, ties
from tkgmem.store.clocks import EVERYTHING
from tkgmem.store.connection import Connection
from tkgmem.store.partition import Pass

COMPARED = 0.05
"""From this share of entities on that joined or left, the communities are compared with those of a whole pass."""
DRIFT = 0.02
"""Modularity that may be lost to a whole pass before it takes the place of what is kept."""


class Plan(NamedTuple):
    """What communities are to be, of those that are looked at.

    before: where entities belong in these now (entity to community, rows). groups: the community that goes on (row, None for a
    new one), and its members. made: the pass to be recorded. drift: see `CommunityReport`.
    """

    group_id: int
    before: Mapping[int, int]
    groups: Sequence[tuple[int | None, tuple[int, ...]]]
    made: Pass
    drift: float | None
    joined: int


def planned(db: Connection, group_id: int, now: int, *, whole: bool | None) -> Plan:
    """The plan for a group (see `Memory.refresh_communities`)."""
    last = partition.last_pass(db, group_id)
    if last is None or whole or now < last.valid_at:
        return _whole(db, group_id, now, last, anew=True)
    if partition.rewritten_since(db, last.change):
        return _whole(db, group_id, now, last, anew=False)
    plan = _changed(db, group_id, now, last)
    due = whole is None and plan.made.changed >= COMPARED * plan.made.entities
    return _whole(db, group_id, now, last, anew=False) if due else plan


def _changed(db: Connection, group_id: int, now: int, last: Pass) -> Plan:
    """By what changed since the last pass alone."""
    changed = ties.changed_since(db, group_id, known=last.known_at, valid=last.valid_at, now=now, known_at=EVERYTHING)
    near = ties.ties_of(db, group_id, changed, valid_at=now, known_at=EVERYTHING)
    homes = found.homes_at(db, changed)
    left = {entity for entity in homes if not near[entity]}
    touched = {entity: home for entity, home in found.homes_of(db, set(homes.values())).items() if entity not in left}
    lonely = found.alone(touched)
    new = sorted({*lonely, *(entity for entity in changed if entity not in homes and near[entity])})
    joined = found.joining(db, group_id, new, None, valid_at=now)
    rows = set(partition.by_rows(db, {*homes.values(), *joined.values()}))
    after = {entity: home for entity, home in found.homes_of(db, rows).items() if entity not in left | lonely} | joined
    before = _before(db, rows)
    groups = [(home if home in rows else None, some) for home, some in sorted(_by_home(after).items())]
    moves = len(set(joined) - lonely) + len(left)
    made = _made(db, now, last.entities + len(set(joined) - lonely) - len(left), last.changed + moves)
    return Plan(group_id, before, groups, made._replace(modularity=last.modularity), None, len(set(joined) - lonely))


def _whole(db: Connection, group_id: int, now: int, last: Pass | None, *, anew: bool) -> Plan:
    """By all the facts that hold, compared with a pass that begins anew. anew: that is kept, whatever the drift."""
    graph = found.graph(db, group_id, valid_at=now, known_at=EVERYTHING)
    rows = [one.id for one in partition.communities(db, [group_id])]
    nodes = set(graph.nodes)
    homes = {entity: home for entity, home in found.homes_of(db, rows).items() if entity in nodes}
    lonely = found.alone(homes)
    stays = {entity: home for entity, home in homes.items() if entity not in lonely}
    joined = found.joining(db, group_id, sorted(nodes - stays.keys()), stays, valid_at=now) if last else {}
    labels, lost, begun = _settled(graph, graph.labels(stays | joined), first=last is None, anew=anew)
    before = _before(db, rows)
    made = _made(db, now, len(graph.nodes), 0)._replace(whole=begun, modularity=modularity(graph.network, labels))
    return Plan(group_id, before, _continued(graph.groups(labels), before), made, lost, len(set(joined) - lonely))


def _before(db: Connection, rows: Collection[int]) -> dict[int, int]:
    """Where entities are kept, of these communities, as the rows have it."""
    return {entity: row for row, entities in partition.members(db, rows).items() for entity in entities}


def _made(db: Connection, now: int, entities: int, changed: int) -> Pass:
    """The pass to be recorded, but for what it came to. changed: entities that joined or left since all were compared."""
    return Pass(0, False, now, recalls.last_tick(db), partition.last_change(db), entities, changed, 0.0, 0)


def _settled(
    graph: Graph, kept: Sequence[int | None], *, first: bool, anew: bool
) -> tuple[Sequence[int | None], float | None, bool]:
    """The labels to keep, how far those that there were had drifted (None: there were none), and whether all were made anew."""
    full = propagate(graph.network)
    if first:
        return full, None, True
    lost = drift(graph.network, kept, full)
    if anew:
        return full, lost, True
    if lost <= DRIFT:
        return kept, lost, False
    near = propagate(graph.network, start=kept)  # fewer entities change places than in a pass that begins anew
    return (near if drift(graph.network, near, full) <= DRIFT / 2 else full), lost, True


def _by_home(homes: Mapping[int, int]) -> dict[int, tuple[int, ...]]:
    found: dict[int, list[int]] = {}
    for entity in sorted(homes):
        found.setdefault(homes[entity], []).append(entity)
    return {home: tuple(entities) for home, entities in found.items()}


def _continued(groups: Iterable[tuple[int, ...]], before: Mapping[int, int]) -> list[tuple[int | None, tuple[int, ...]]]:
    """Each group with the community that it goes on as."""
    listed = list(groups)
    same = matched({row: set(some) for row, some in sorted(_by_home(before).items())}, dict(enumerate(map(set, listed))))
    return [(same.get(place), members) for place, members in enumerate(listed)]
