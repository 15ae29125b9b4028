"""Which rows a part of a file consists of: of some groups, about some entities, told in some time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import apsw

from tkgmem.store import identity, read
from tkgmem.store.records import Chosen
from tkgmem.store.rows import in_list

_WITHIN = "(:since IS NULL OR {told} >= :since) AND (:until IS NULL OR {told} < :until)"
_CLAIMS = (
    "SELECT c.id, c.source_id, c.target_id, c.episode_id FROM claims c LEFT JOIN episodes e ON e.id = c.episode_id"
    " WHERE c.group_id IN (SELECT value FROM json_each(:g)) AND "
) + _WITHIN.format(told="coalesce(e.reference_time, c.reference_time, c.created_at)")
_EPISODES = ("SELECT e.id FROM episodes e WHERE e.group_id IN (SELECT value FROM json_each(:g)) AND ") + _WITHIN.format(
    told="e.reference_time"
)


def choose(
    db: apsw.Connection,
    groups: Sequence[int],
    entities: Sequence[int] | None,
    *,
    since: int | None,
    until: int | None,
    words: bool,
) -> Chosen:
    """What was told in [since, until), of these entities where some are named. words: with the texts that say so.

    Entities come along with what they were ever merged with. All their names come where they were asked for, or all of a group
    was; else those that the texts use.
    """
    bindings = {"g": in_list(groups), "since": since, "until": until}
    wanted = None if entities is None else identity.ever_one_with(db, entities)
    moved = _moved(db)
    claims, episodes, found = set[int](), set[int](), set[int](wanted or ())
    for claim, source, target, episode in db.execute(_CLAIMS, bindings):
        ends = {source, target, *moved.get(claim, ())}
        if wanted is None or not wanted.isdisjoint(ends):
            claims.add(claim)
            found |= ends
            if episode is not None:
                episodes.add(episode)
    if wanted is None:
        episodes |= {row for (row,) in db.execute(_EPISODES, bindings)}
        found |= set(read.named_in(db, sorted(episodes)))
    found = identity.ever_one_with(db, found)
    whole = since is None and until is None
    known = wanted if wanted is not None else found if whole else set[int]()
    sources = episodes if words else set[int]()
    return Chosen(frozenset(claims), frozenset(sources), frozenset(found), frozenset(known), words)


def _moved(db: apsw.Connection) -> dict[int, set[int]]:
    moved = defaultdict[int, set[int]](set)
    for claim, entity in db.execute("SELECT claim_id, entity_id FROM moves"):
        moved[claim].add(entity)
    return moved
