"""A conversation: the texts of one name in one group, and what became of the claims that they brought.

Every query goes by the texts themselves, so that one told late, or taken back, counts at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import apsw

from tkgmem.store.clocks import At, believed, holds
from tkgmem.store.facts import VersionRecord, versions
from tkgmem.store.over import supports_nothing
from tkgmem.store.rows import in_list, texts

_READ = 2_000
"""Characters of a text that are read."""


class Turn(NamedTuple):
    """A text of a conversation. content: how it begins. told_at, offset: when, and in which calendar (seconds east of UTC)."""

    row: int
    told_at: int
    offset: int
    created_at: int
    source: str
    speaker: str | None
    content: str


class Over(NamedTuple):
    """A claim of a turn (row) that supports no fact that holds then. recorded_at: when it came; ends: rows of its entities.

    planned: it is believed, and has no date yet.
    """

    turn: int
    turn_created_at: int
    recorded_at: int
    ends: tuple[int, int]
    planned: bool


_OF = "e.group_id = :g AND e.name = :name"


def groups_with(db: apsw.Connection, groups: Sequence[int], name: str, known_at: int) -> list[int]:
    """Those of the groups in which a text with this name was stored by then, whether it was taken back or not."""
    query = (
        "SELECT value FROM json_each(:groups) j WHERE EXISTS"
        " (SELECT 1 FROM episodes e WHERE e.group_id = j.value AND e.name = :name AND e.created_at <= :s) ORDER BY 1"
    )
    return [row for (row,) in db.execute(query, {"groups": in_list(groups), "name": name, "s": known_at})]


def turns(db: apsw.Connection, group_id: int, name: str, known_at: int) -> list[Turn]:
    """What was said and is not taken back, as known then, in the order of telling."""
    query = (
        f"SELECT e.id, e.reference_time, e.reference_offset, e.created_at, e.source, e.speaker, substr(e.content, 1, {_READ})"
        f" FROM episodes e WHERE {_OF} AND {believed('e', 'episode')} ORDER BY e.reference_time, e.id"
    )
    found = [Turn(*row) for row in db.execute(query, {"g": group_id, "name": name, "s": known_at})]
    texts(*(text for turn in found for text in (turn.source, turn.speaker, turn.content)))
    return found


def visible(db: apsw.Connection, group_id: int, name: str, known_at: int) -> set[int]:
    """The rows of what was said and is not taken back, as known then."""
    query = f"SELECT e.id FROM episodes e WHERE {_OF} AND {believed('e', 'episode')}"
    return {row for (row,) in db.execute(query, {"g": group_id, "name": name, "s": known_at})}


def held(db: apsw.Connection, at: At, name: str) -> list[VersionRecord]:
    """The facts that texts of a conversation support and that hold at the two clocks, in a total order."""
    supported = (
        "SELECT p.fact_id FROM episodes e JOIN claims c ON c.episode_id = e.id JOIN supports p ON p.claim_id = c.id"
        f" WHERE {_OF} AND {believed('p')}"
    )
    where = f"v.fact_id IN ({supported}) AND v.group_id = :g AND {believed('v')} AND {holds('v')}"
    return versions(db, where, {"g": at.groups[0], "name": name, "s": at.known_at, "t": at.valid_at})


def over(db: apsw.Connection, at: At, name: str) -> list[Over]:
    """The claims of a conversation that support nothing that holds at the two clocks, in recorded order."""
    planned = f"EXISTS (SELECT 1 FROM supports p WHERE p.claim_id = c.id AND p.undated AND {believed('p')})"
    query = (
        f"SELECT e.id, e.created_at, c.created_at, c.source_id, c.target_id, {planned}"
        f" FROM episodes e JOIN claims c ON c.episode_id = e.id WHERE {_OF} AND c.created_at <= :s"
        f" AND {supports_nothing('c.id')} ORDER BY c.id"
    )
    bindings = {"g": at.groups[0], "name": name, "s": at.known_at, "t": at.valid_at}
    return [
        Over(turn, stored, recorded, (source, target), bool(plan))
        for turn, stored, recorded, source, target, plan in db.execute(query, bindings)
    ]
