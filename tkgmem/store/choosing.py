"""Which rows a part of a file consists of: of some groups, about some entities, told in some time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import apsw

from tkgmem.store import read
from tkgmem.store.identity import Identity
from tkgmem.store.records import Chosen
from tkgmem.store.rows import in_list

_WITHIN = "(:since IS NULL OR {told} >= :since) AND (:until IS NULL OR {told} < :until)"
_TOLD = (
    "CASE WHEN c.episode_id IS NULL AND c.id IN (SELECT replaced_by_id FROM claims) THEN c.created_at"
    " ELSE coalesce(e.reference_time, c.reference_time, c.created_at) END"
)
"""When a claim was told. A program's correction keeps the reference time of what it corrects."""
_CLAIMS = (
    "SELECT c.id, c.source_id, c.target_id, c.episode_id FROM claims c LEFT JOIN episodes e ON e.id = c.episode_id"
    " WHERE c.group_id IN (SELECT value FROM json_each(:g)) AND e.expired_at IS NULL AND "
) + _WITHIN.format(told=_TOLD)
_EPISODES = (
    "SELECT e.id FROM episodes e WHERE e.group_id IN (SELECT value FROM json_each(:g)) AND e.expired_at IS NULL AND "
) + _WITHIN.format(told="e.reference_time")


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

    A text that was taken back stays here, with what it told.

    Said of an entity is what is said now of it and of what is merged with it now; a claim that was moved elsewhere is not. All
    names come along of the entities that were asked for, or of all where the group was; else those that the texts use.
    """
    bindings = {"g": in_list(groups), "since": since, "until": until}
    who = Identity(db)
    wanted = None if entities is None else {member for row in entities for member in who.members(who.of(row))}
    moved = _moved(db)
    claims, episodes, found = set[int](), set[int](), set[int](wanted or ())
    for claim, source, target, episode in db.execute(_CLAIMS, bindings):
        now = {"source": source, "target": target} | {
            end: at for end, at, expired_at in moved.get(claim, ()) if expired_at is None
        }
        if wanted is None or not wanted.isdisjoint(now.values()):
            claims.add(claim)
            found |= {source, target, *(at for _, at, _ in moved.get(claim, ()))}
            if episode is not None:
                episodes.add(episode)
    if wanted is None:
        episodes |= {row for (row,) in db.execute(_EPISODES, bindings)}
        found |= set(read.named_in(db, sorted(episodes)))
    found |= {member for row in sorted(found) for member in who.members(who.of(row))}
    whole = since is None and until is None
    known = wanted if wanted is not None else found if whole else set[int]()
    sources = episodes if words else set[int]()
    return Chosen(frozenset(claims), frozenset(sources), frozenset(found), frozenset(known), words, until)


def _moved(db: apsw.Connection) -> dict[int, list[tuple[str, int, int | None]]]:
    """The ends of claims that were moved: which, to what entity, and until when that was believed."""
    moved = defaultdict[int, list[tuple[str, int, int | None]]](list)
    for claim, end, entity, expired_at in db.execute("SELECT claim_id, end, entity_id, expired_at FROM moves ORDER BY id"):
        moved[claim].append((end, entity, expired_at))
    return moved
