"""Who is to belong where from now on: by what changed since the last pass, or by all the facts that hold.

What changed touches few communities: an entity that came joins where most of its facts lead, one that nothing ties leaves, a
member left alone joins its neighbours. Past a limit the whole is looked at, and made anew where it drifted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
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
        return _whole(db, group_id, now, last, whole=True)
    plan = _changed(db, group_id, now, last)
    due = whole is None and plan.made.changed >= COMPARED * plan.made.entities
    return _whole(db, group_id, now, last, whole=False) if due else plan


def _changed(db: Connection, group_id: int, now: int, last: Pass) -> Plan:
    """By what changed since the last pass alone."""
    changed = ties.changed_since(db, group_id, known=last.known_at, valid=last.valid_at, now=now)
    near = ties.ties_of(db, group_id, changed, valid_at=now, known_at=EVERYTHING)
    homes = partition.homes(db, changed)
    left = {entity for entity in homes if not near[entity]}
    new = [entity for entity in changed if entity not in homes and near[entity]]
    joined = found.joining(db, group_id, new, None, valid_at=now)
    looked_at = {*homes.values(), *joined.values()}
    members = partition.members(db, sorted(looked_at & {one.id for one in partition.by_rows(db, looked_at).values()}))
    before = {entity: row for row, entities in members.items() for entity in entities}
    after = {entity: row for entity, row in before.items() if entity not in left} | joined
    alone = _alone(after)
    if alone:
        after = {entity: row for entity, row in after.items() if entity not in alone}
        moved = found.joining(db, group_id, sorted(alone), None, valid_at=now)
        members = partition.members(db, sorted({*moved.values()} - members.keys()))
        before |= {entity: row for row, entities in members.items() for entity in entities}
        after |= {entity: row for row, entities in members.items() for entity in entities} | moved
        after = {entity: row for entity, row in after.items() if entity not in _alone(after)}
    kept = set(before.values())
    groups = [(row if row in kept else None, some) for row, some in sorted(_by_home(after).items())]
    entities = last.entities + len(joined) - len(left)
    made = Pass(0, False, now, recalls.last_tick(db), entities, last.changed + len(joined) + len(left), last.modularity, 0)
    return Plan(group_id, before, groups, made, None, len(joined))


def _whole(db: Connection, group_id: int, now: int, last: Pass | None, *, whole: bool) -> Plan:
    """By all the facts that hold. whole: begin anew, whatever the drift."""
    graph = found.graph(db, group_id, valid_at=now, known_at=EVERYTHING)
    before = found.homes_of(db, [one.id for one in partition.communities(db, [group_id])])
    tied = set(graph.nodes)
    homes = {entity: row for entity, row in before.items() if entity in tied}
    new = sorted(tied - homes.keys()) if last is not None else []
    joined = found.joining(db, group_id, new, homes, valid_at=now)
    after = {**homes, **joined}
    alone = _alone(after)
    stays = {entity: row for entity, row in after.items() if entity not in alone}
    labels, lost, anew = _settled(graph, graph.labels(stays), first=last is None, whole=whole)
    changed = 0 if anew or last is None else last.changed + len(joined) + len(before.keys() - tied)
    made = Pass(0, anew, now, recalls.last_tick(db), len(tied), changed, modularity(graph.network, labels), 0)
    return Plan(group_id, before, _continued(graph.groups(labels), before), made, lost, len(joined))


def _settled(
    graph: Graph, kept: Sequence[int | None], *, first: bool, whole: bool
) -> tuple[Sequence[int | None], float | None, bool]:
    """The labels to keep, how far those that there were had drifted (None: there were none), and whether all were made anew."""
    anew = propagate(graph.network)
    if first:
        return anew, None, True
    lost = drift(graph.network, kept, anew)
    if whole:
        return anew, lost, True
    if lost <= DRIFT:
        return kept, lost, False
    near = propagate(graph.network, start=kept)  # fewer entities change places than in a pass that begins anew
    return (near if drift(graph.network, near, anew) <= DRIFT / 2 else anew), lost, True


def _alone(homes: Mapping[int, int]) -> set[int]:
    """The entities that are the only one where they belong."""
    sizes = Counter(homes.values())
    return {entity for entity, home in homes.items() if sizes[home] < 2}


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
