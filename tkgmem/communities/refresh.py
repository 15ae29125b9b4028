"""Communities looked after: what came joins, what nothing ties any more leaves, and past a limit all are made anew.

No lock is held while it is thought about, or a summary is embedded: what was planned on a state of the file that has moved is
planned again. A community keeps its identity over refreshes, by the members that it keeps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tkgmem.communities import found, material, reading, sentences
from tkgmem.communities.agreement import drift, matched
from tkgmem.communities.found import Found, Graph
from tkgmem.communities.propagate import modularity, propagate
from tkgmem.errors import WriteConflict
from tkgmem.protocols import Embedder
from tkgmem.reports import CommunityReport
from tkgmem.store import partition, passages, read, recalls, summaries, vectors, write
from tkgmem.store.clocks import EVERYTHING, At
from tkgmem.store.connection import Connection, Store
from tkgmem.store.ids import make_uuid
from tkgmem.store.partition import Pass

if TYPE_CHECKING:
    from tkgmem.protocols import Vectors

COMPARED = 0.05
"""From this share of entities on that joined or left, the communities are compared with those of a whole pass."""
DRIFT = 0.02
"""Modularity that may be lost to a whole pass before it takes the place of what is kept."""
_TRIES = 4


@dataclass(frozen=True, slots=True)
class Plan:
    """What a refresh is about to write, planned on one state of the file (`seen`)."""

    group_id: int
    seen: tuple[int, int, int]
    made: Pass
    before: Mapping[int, int]
    """Homes as they are kept: entity to community (rows)."""
    groups: Sequence[tuple[int | None, tuple[int, ...]]]
    """What is to be kept: the community that goes on (row; None for a new one) and its members."""
    drift: float | None
    joined: int
    moved: int
    drafts: list[summaries.Draft | None] = field(default_factory=list)
    """For each group the version to be kept, its community still unknown; None where the one that stands will do."""


def refresh(store: Store, embedder: Embedder, now: Callable[[], int], group: str, *, whole: bool | None) -> CommunityReport:
    """Look after the communities of a group (see `Memory.refresh_communities`), and put their summaries together anew."""
    made: dict[str, Vectors] = {}
    mine = passages.fingerprint(embedder)
    for _ in range(_TRIES):
        with store.read() as db:
            vectors.check_embedder(db, mine, store.path)
            rows = read.group_ids(db, [group])
            if not rows:
                return CommunityReport(0, 0, 0, 0, 0, whole=False, drift=None, modularity=0.0, renewed=0)
            plan = _planned(db, rows[0], now(), whole=whole)
            plan = replace(plan, drafts=_drafts(db, plan))
        texts = {summaries.passage(draft.name, draft.text) for draft in plan.drafts if draft is not None} - made.keys()
        listed = sorted(texts)
        made |= dict(zip(listed, passages.embed(embedder, listed), strict=True))
        with store.write() as db:
            if _state(db, plan.group_id) != plan.seen:
                continue
            if not vectors.check_embedder(db, mine, store.path):
                vectors.adopt(db, mine)
            return _kept(db, plan, made, write.now(db, now()))
    raise WriteConflict("others kept changing the memory while its communities were refreshed; try again")


def _state(db: Connection, group_id: int) -> tuple[int, int, int]:
    """What tells one state of the file from another, as far as communities go: changes of belief, deletions, passes."""
    last = partition.last_pass(db, group_id)
    return recalls.last_tick(db), partition.last_change(db), 0 if last is None else last.id


def _planned(db: Connection, group_id: int, now: int, *, whole: bool | None) -> Plan:
    """Who is to belong where, by the facts that hold now."""
    graph = found.graph(db, group_id, valid_at=now, known_at=EVERYTHING)
    last = partition.last_pass(db, group_id)
    rows = {one.id: one for one in partition.communities(db, [group_id])}
    before = found.homes_of(db, rows)
    tied = set(graph.nodes)
    homes = {entity: row for entity, row in before.items() if entity in tied}
    new = sorted(tied - homes.keys())
    joined = found.joining(db, group_id, new, homes, valid_at=now)
    stays = _of_two({**homes, **joined})
    changed = (0 if last is None else last.changed) + len(joined) + len(before.keys() - tied)
    labels, measured, anew = _settled(graph, stays, changed, first=last is None, whole=whole)
    groups = _continued(graph.groups(labels), before)
    seen_until = recalls.last_tick(db)
    made = Pass(
        0, anew, now, seen_until, write.last_entity(db), len(tied), 0 if anew else changed, modularity(graph.network, labels), 0
    )
    home_of = {entity: row for row, members in groups if row is not None for entity in members}
    moved = sum(1 for entity, row in homes.items() if home_of.get(entity) != row)
    return Plan(group_id, _state(db, group_id), made, before, groups, measured, 0 if last is None else len(joined), moved)


def _settled(
    graph: Graph, stays: Mapping[int, int], changed: int, *, first: bool, whole: bool | None
) -> tuple[Sequence[int | None], float | None, bool]:
    """The labels to keep, how far those that there were had drifted (None: not measured), and whether all were made anew."""
    if first:
        return propagate(graph.network), None, True
    kept = graph.labels(stays)
    if whole is False or (whole is None and changed < COMPARED * len(graph.nodes)):
        return kept, None, False
    anew = propagate(graph.network)
    lost = drift(graph.network, kept, anew)
    if whole:
        return anew, lost, True
    if lost <= DRIFT:
        return kept, lost, False
    near = propagate(graph.network, start=kept)  # fewer entities change places than in a pass that begins anew
    return (near if drift(graph.network, near, anew) <= DRIFT / 2 else anew), lost, True


def _of_two(homes: Mapping[int, int]) -> dict[int, int]:
    """The homes, without those of one entity alone."""
    sizes: dict[int, int] = {}
    for home in homes.values():
        sizes[home] = sizes.get(home, 0) + 1
    return {entity: home for entity, home in homes.items() if sizes[home] > 1}


def _continued(groups: Sequence[tuple[int, ...]], before: Mapping[int, int]) -> list[tuple[int | None, tuple[int, ...]]]:
    """Each group with the community that it goes on as."""
    old: dict[int, set[int]] = {}
    for entity, row in sorted(before.items(), key=lambda item: (item[1], item[0])):
        old.setdefault(row, set()).add(entity)
    same = matched(old, dict(enumerate(map(set, groups))))
    return [(same.get(place), members) for place, members in enumerate(groups)]


def _drafts(db: Connection, plan: Plan) -> list[summaries.Draft | None]:
    """A version for each community of which the one that stands says something else."""
    at = At([plan.group_id], plan.made.valid_at)
    several = [Found("", plan.group_id, members, row) for row, members in plan.groups]
    materials = material.of_communities(db, at, several)
    shown = [entity for what in materials for entity in list(what.weights)[: reading.NAMED]]
    names = read.entities(db, shown)
    standing = summaries.of_communities(db, [row for row, _ in plan.groups if row is not None])
    lines = summaries.lines_of(db, [version.id for version in standing.values()])
    drafts: list[summaries.Draft | None] = []
    for one, what in zip(several, materials, strict=True):
        version = None if one.row is None else standing.get(one.row)
        if version is not None and version.model is not None and reading.still_right(db, at, what, version) is not None:
            drafts.append(None)
            continue
        most = list(what.weights)[: reading.NAMED]
        draft = summaries.Draft(
            group_id=plan.group_id,
            of=summaries.Of(community=one.row),
            name=reading.named([names[entity] for entity in most]),
            text=sentences.text_of(what.lines),
            model=None,
            valid_at=plan.made.valid_at,
            known_at=plan.made.known_at,
            facts={line.row: line.checksum for line in what.lines},
            entities=frozenset({*most, *(end for line in what.lines for end in line.ends)}),
        )
        same = version is not None and _alike(version, draft) and lines.get(version.id, {}) == draft.facts
        drafts.append(None if same else draft)
    return drafts


def _alike(version: summaries.Row, draft: summaries.Draft) -> bool:
    return (version.name, version.text, version.model) == (draft.name, draft.text, draft.model)


def _kept(db: Connection, plan: Plan, made: Mapping[str, Vectors], at: int) -> CommunityReport:
    """Write it all, in the caller's transaction."""
    last = partition.last_pass(db, plan.group_id)
    at = at if last is None else max(at, last.created_at + 1)
    uuids = read.uuids_of(db, [entity for _, members in plan.groups for entity in members])
    homes: dict[int, int] = {}
    renewed = 0
    goes_on = {row for row, _ in plan.groups if row is not None}
    over = [one.id for one in partition.communities(db, [plan.group_id]) if one.id not in goes_on]
    for gone in over:
        summaries.close(db, summaries.Of(community=gone), plan.group_id, at)
    partition.close_communities(db, over, at)
    for (row, members), draft in zip(plan.groups, plan.drafts, strict=True):
        home = row
        if home is None:
            uuid = make_uuid("community", read.group_name(db, plan.group_id), at, min(uuids[entity] for entity in members))
            home = partition.insert_community(db, uuid=uuid, group_id=plan.group_id, at=at)
        homes |= dict.fromkeys(members, home)
        if draft is not None:
            text = made[summaries.passage(draft.name, draft.text)]
            summaries.insert(db, replace(draft, of=summaries.Of(community=home), vectors=text), at)
            renewed += 1
    partition.set_members(db, homes, at, of=partition.all_members(db, plan.group_id))
    partition.insert_pass(db, plan.group_id, plan.made._replace(created_at=at))
    return CommunityReport(
        communities=len(plan.groups),
        members=len(homes),
        joined=plan.joined,
        left=len(plan.before.keys() - homes.keys()),
        moved=plan.moved,
        whole=plan.made.whole,
        drift=plan.drift,
        modularity=plan.made.modularity,
        renewed=renewed,
    )
