"""The communities of a group at the two clocks: those that are kept, with entities that came since, or derived on the spot.

Where nothing is kept, and for an asked valid time, they are derived from the facts that hold then: a pure function of these.
What is kept is joined at reading by entities that came later, each where most of its facts lead.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from tkgmem.communities.agreement import matched
from tkgmem.communities.joining import join
from tkgmem.communities.propagate import Network, propagate
from tkgmem.store import partition, read, ties
from tkgmem.store.clocks import EVERYTHING
from tkgmem.store.connection import Connection
from tkgmem.store.identity import Identity
from tkgmem.store.ids import make_uuid


class Found(NamedTuple):
    """A community. row, created_at: of the one that is kept, None where it is not. members: entities (rows), in their order."""

    uuid: str
    group_id: int
    members: tuple[int, ...]
    row: int | None = None
    created_at: int | None = None


class Graph(NamedTuple):
    """The network of a group at the two clocks. nodes: its entities (rows) by their uuids, in the order of their numbers."""

    nodes: tuple[int, ...]
    network: Network

    def groups(self, labels: Iterable[int | None]) -> list[tuple[int, ...]]:
        """The entities with each label, in the order of the labels."""
        found: dict[int, list[int]] = defaultdict(list)
        for entity, label in zip(self.nodes, labels, strict=True):
            if label is not None:
                found[label].append(entity)
        return [tuple(sorted(found[label])) for label in sorted(found)]

    def labels(self, homes: Mapping[int, int]) -> list[int | None]:
        """The home of each node; None for one without."""
        return [homes.get(entity) for entity in self.nodes]


def graph(db: Connection, group_id: int, *, valid_at: int, known_at: int) -> Graph:
    """What ties the entities of a group then."""
    found = ties.ties(db, group_id, valid_at=valid_at, known_at=known_at)
    uuids = read.uuids_of(db, sorted({end for one, other, _ in found for end in (one, other)}))
    nodes = tuple(sorted(uuids, key=lambda row: uuids[row]))
    number = {row: place for place, row in enumerate(nodes)}
    return Graph(nodes, Network.of(len(nodes), ((number[one], number[other], float(weight)) for one, other, weight in found)))


def derived(db: Connection, group_id: int, *, valid_at: int, known_at: int = EVERYTHING) -> list[Found]:
    """The communities of the facts that hold at the two clocks, the largest first."""
    whole = graph(db, group_id, valid_at=valid_at, known_at=known_at)
    groups = whole.groups(propagate(whole.network))
    kept = partition.communities(db, [group_id], known_at)
    before = partition.members(db, [one.id for one in kept], known_at)
    same = matched({row: set(members) for row, members in before.items()}, dict(enumerate(map(set, groups))))
    known = {one.id: one.uuid for one in kept}
    return [
        Found(known[same[place]] if place in same else own_uuid(db, group_id, members), group_id, members)
        for place, members in enumerate(groups)
    ]


def kept(
    db: Connection, group_id: int, *, valid_at: int, known_at: int = EVERYTHING, only: Collection[int] | None = None
) -> list[Found] | None:
    """The communities that are kept, with the entities that came since, the largest first; None where none ever were.

    What no fact ties then is in none, and a member that is left alone is where its neighbours are. only: just these (rows).
    """
    last = partition.last_pass(db, group_id, known_at)
    if last is None:
        return None
    rows = {one.id: one for one in partition.communities(db, [group_id], known_at) if only is None or one.id in only}
    homes = homes_of(db, rows, known_at)
    tied = ties.tied(db, group_id, homes, valid_at=valid_at, known_at=known_at)
    homes = {entity: home for entity, home in homes.items() if entity in tied}
    lonely = alone(homes)
    new = sorted({*lonely, *_newcomers(db, group_id, last, valid_at=valid_at, known_at=known_at)})
    joined = joining(db, group_id, new, None, valid_at=valid_at, known_at=known_at)
    members: dict[int, list[int]] = defaultdict(list)
    for entity, home in {**{one: home for one, home in homes.items() if one not in lonely}, **joined}.items():
        if only is None or home in rows:
            members[home].append(entity)
    found = []
    for home, entities in members.items():
        some = tuple(sorted(entities))
        one = rows.get(home)
        if len(some) > 1:
            uuid = own_uuid(db, group_id, some) if one is None else one.uuid
            found.append(Found(uuid, group_id, some, None if one is None else home, None if one is None else one.created_at))
    return sorted(found, key=lambda one: (-len(one.members), one.members))


def home_of(db: Connection, group_id: int, entity: int, *, valid_at: int, known_at: int = EVERYTHING) -> int | None:
    """The community (row) that an entity is kept in, or that it joins as one that came since; None where there is none yet."""
    home = homes_at(db, [entity], known_at).get(entity)
    last = partition.last_pass(db, group_id, known_at)
    if home is not None or last is None:
        return home
    new = _newcomers(db, group_id, last, valid_at=valid_at, known_at=known_at)
    joined = joining(db, group_id, new, None, valid_at=valid_at, known_at=known_at).get(entity)
    return joined if joined in partition.by_rows(db, [] if joined is None else [joined]) else None


def homes_of(db: Connection, rows: Collection[int], known_at: int = EVERYTHING) -> dict[int, int]:
    """The community (row) of each entity in some that are kept. What has become part of another entity is where that one is."""
    members = partition.members(db, rows, known_at)
    who = Identity(db, known_at)
    everyone = [entity for entities in members.values() for entity in entities]
    who.load(everyone)
    homes = homes_at(db, sorted({who.of(entity) for entity in everyone}), known_at)
    return {entity: home for entity, home in homes.items() if home in members}


def homes_at(db: Connection, entities: Sequence[int], known_at: int = EVERYTHING) -> dict[int, int]:
    """The community (row) that each of these entities is kept in, by itself, else by what has become part of it."""
    who = Identity(db, known_at)
    if who.plain:
        return partition.homes(db, entities, known_at)
    who.load(entities)
    parts = {entity: who.members(entity) for entity in entities}
    found = partition.homes(db, sorted({part for some in parts.values() for part in some}), known_at)
    homes = {entity: [found[part] for part in (entity, *some) if part in found] for entity, some in parts.items()}
    return {entity: some[0] for entity, some in homes.items() if some}


def alone(homes: Mapping[int, int]) -> set[int]:
    """The entities that are the only one where they belong."""
    sizes = Counter(homes.values())
    return {entity for entity, home in homes.items() if sizes[home] < 2}


def _newcomers(db: Connection, group_id: int, last: partition.Pass, *, valid_at: int, known_at: int) -> list[int]:
    """The entities without a home of which something changed since the last pass, in the order of their rows.

    Where what was believed earlier was rewritten since, all that have none.
    """
    if partition.rewritten_since(db, last.change):
        tied = ties.ties(db, group_id, valid_at=valid_at, known_at=known_at)
        came = sorted({end for one, other, _ in tied for end in (one, other)})
    else:
        came = ties.changed_since(db, group_id, known=last.known_at, valid=last.valid_at, now=valid_at, known_at=known_at)
    homes = homes_at(db, came, known_at)
    return [entity for entity in came if entity not in homes]


def joining(
    db: Connection,
    group_id: int,
    new: Sequence[int],
    homes: Mapping[int, int] | None,
    *,
    valid_at: int,
    known_at: int = EVERYTHING,
) -> dict[int, int]:
    """Where each of these entities belongs: where most of its facts lead. Higher numbers than any home stand for new ones.

    homes: where the others belong; None for where they are kept.
    """
    if not new:
        return {}
    near = ties.ties_of(db, group_id, new, valid_at=valid_at, known_at=known_at)
    if homes is None:
        homes = homes_at(db, sorted({other for others in near.values() for other in others}.difference(new)), known_at)
    weights = {entity: {other: float(number) for other, number in others.items()} for entity, others in near.items()}
    return join(new, weights, homes, first=1 + partition.last_community(db))


def own_uuid(db: Connection, group_id: int, members: Sequence[int]) -> str:
    """The uuid of a community that is not kept: the same entities give the same."""
    return make_uuid("community", read.group_name(db, group_id), *sorted(read.uuids_of(db, members).values()))
