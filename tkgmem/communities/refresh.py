"""Communities brought to what the facts are now, and kept, with what they are found by.

No lock is held while it is thought about, or a summary is embedded: what was planned on a state of the file that has moved is
planned again. A community keeps its identity over refreshes, by the members that it keeps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tkgmem.communities import belonging, found, material, reading, sentences
from tkgmem.communities.belonging import Plan
from tkgmem.communities.found import Found
from tkgmem.errors import WriteConflict
from tkgmem.protocols import Embedder
from tkgmem.reports import CommunityReport
from tkgmem.store import partition, passages, read, summaries, vectors, write
from tkgmem.store.clocks import At
from tkgmem.store.connection import Connection, Store
from tkgmem.store.ids import make_uuid

if TYPE_CHECKING:
    from tkgmem.protocols import Vectors

_TRIES = 4

Drafts = Sequence[summaries.Draft | None]
"""For each group of a plan the version to be kept; None where the one that stands will do."""


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
            seen = state(db, rows[0])
            plan = belonging.planned(db, rows[0], now(), whole=whole)
            drafts = _drafts(db, plan)
        listed = sorted({summaries.passage(draft.name, draft.text) for draft in drafts if draft is not None} - made.keys())
        made |= dict(zip(listed, passages.embed(embedder, listed), strict=True))
        with store.write() as db:
            if state(db, plan.group_id) != seen or partition.rewritten_since(db, plan.made.change):
                continue
            if not vectors.check_embedder(db, mine, store.path):
                vectors.adopt(db, mine)
            return _kept(db, plan, drafts, made, write.now(db, now()))
    raise WriteConflict("others kept changing the memory while its communities were refreshed; try again")


def state(db: Connection, group_id: int) -> tuple[int, ...]:
    """What a plan rests on besides the facts: the last pass, and the last summary.

    Facts that come meanwhile are later than what the pass says it saw, so that they are looked at by the next one.
    """
    last = partition.last_pass(db, group_id)
    return 0 if last is None else last.id, summaries.last_row(db)


def _drafts(db: Connection, plan: Plan) -> Drafts:
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
        if version is not None and version.model is not None and reading.still_right(db, at, version) is not None:
            drafts.append(None)
            continue
        most = [entity for entity, weight in what.weights.items() if weight][: reading.NAMED]
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


def _kept(db: Connection, plan: Plan, drafts: Drafts, made: Mapping[str, Vectors], at: int) -> CommunityReport:
    """Write it all, in the caller's transaction."""
    last = partition.last_pass(db, plan.group_id)
    at = max(at, 0 if last is None else last.created_at + 1, summaries.last_at(db, plan.group_id) + 1)
    goes_on = {row for row, _ in plan.groups if row is not None}
    over = sorted(set(plan.before.values()) - goes_on)
    for gone in over:
        summaries.close(db, summaries.Of(community=gone), plan.group_id, at)
    partition.close_communities(db, over, at)
    homes: dict[int, int] = {}
    for (row, members), draft in zip(plan.groups, drafts, strict=True):
        home = row
        if home is None:
            uuid = found.own_uuid(db, plan.group_id, members)
            uuid = uuid if partition.by_uuid(db, [plan.group_id], uuid) is None else make_uuid(uuid, at)
            home = partition.insert_community(db, uuid=uuid, group_id=plan.group_id, at=at)
        homes |= dict.fromkeys(members, home)
        if draft is not None:
            text = made[summaries.passage(draft.name, draft.text)]
            summaries.insert(db, replace(draft, of=summaries.Of(community=home), vectors=text), at)
    partition.set_members(db, homes, at, communities={*plan.before.values(), *homes.values()})
    partition.insert_pass(db, plan.group_id, plan.made._replace(created_at=at))
    number, entities = partition.sizes(db, [plan.group_id])
    return CommunityReport(
        communities=number,
        members=entities,
        joined=plan.joined,
        left=len(plan.before.keys() - homes.keys()),
        moved=sum(1 for entity, row in plan.before.items() if homes.get(entity, row) != row),
        whole=plan.made.whole,
        drift=plan.drift,
        modularity=plan.made.modularity,
        renewed=sum(draft is not None for draft in drafts),
    )
