"""What ties entities: how many facts hold between each two of them at the two clocks. A fact of one alone ties nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

import apsw

from tkgmem.store.clocks import believed, holds
from tkgmem.store.rows import in_list

_HELD = f"v.group_id = :g AND {believed('v')} AND {holds('v')} AND v.source_id <> v.target_id"

Tie = tuple[int, int, int]
"""Two entities (rows), the lower first, and the number of facts between them."""


def ties(db: apsw.Connection, group_id: int, *, valid_at: int, known_at: int) -> list[Tie]:
    """All ties of a group."""
    found = db.execute(
        "SELECT min(v.source_id, v.target_id) AS one, max(v.source_id, v.target_id) AS other, count(*)"
        f" FROM versions v WHERE {_HELD} GROUP BY one, other ORDER BY one, other",
        {"g": group_id, "t": valid_at, "s": known_at},
    )
    return [(int(one), int(other), int(number)) for one, other, number in found]


def ties_of(
    db: apsw.Connection, group_id: int, entities: Iterable[int], *, valid_at: int, known_at: int
) -> dict[int, dict[int, int]]:
    """What ties each of these entities, by the entity at the other end."""
    found: dict[int, dict[int, int]] = {entity: {} for entity in entities}
    bindings = {"g": group_id, "t": valid_at, "s": known_at, "e": in_list(found)}
    for end, other, index in (("source_id", "target_id", "versions_from"), ("target_id", "source_id", "versions_to")):
        query = (
            f"SELECT v.{end}, v.{other}, count(*) FROM json_each(:e) j CROSS JOIN versions v INDEXED BY {index}"
            f" ON v.{end} = j.value WHERE {_HELD} GROUP BY 1, 2"
        )
        for entity, neighbour, number in db.execute(query, bindings):
            found[entity][neighbour] = found[entity].get(neighbour, 0) + number
    return found


def came_since(db: apsw.Connection, group_id: int, *, last_entity: int, since: int, known_at: int) -> list[int]:
    """The entities of a group that came after one, and those of which something was told in the system time (since, known_at].

    In the order of their rows, as they were recorded: what they are part of is not looked at.
    """
    bindings = {"g": group_id, "last": last_entity, "since": since, "s": known_at}
    told = (
        "FROM claims c INDEXED BY claims_by_system_time WHERE c.group_id = :g AND c.created_at > :since AND c.created_at <= :s"
    )
    query = (
        "SELECT id FROM entities WHERE id > :last AND group_id = :g AND created_at <= :s"
        f" UNION SELECT c.source_id {told} UNION SELECT c.target_id {told} ORDER BY 1"
    )
    return [int(row) for (row,) in db.execute(query, bindings)]


def ever_tied(db: apsw.Connection, group_id: int, entities: Iterable[int]) -> dict[int, set[int]]:
    """Each of these entities with those that any fact ever tied it to, whatever became of that."""
    found: dict[int, set[int]] = defaultdict(set)
    bindings = {"g": group_id, "e": in_list(sorted(set(entities)))}
    for entity, other in _pairs(db, bindings):
        found[entity].add(other)
    return found


def _pairs(db: apsw.Connection, bindings: dict[str, object]) -> Iterator[tuple[int, int]]:
    for end, other, index in (("source_id", "target_id", "versions_from"), ("target_id", "source_id", "versions_to")):
        query = (
            f"SELECT DISTINCT v.{end}, v.{other} FROM json_each(:e) j CROSS JOIN versions v INDEXED BY {index}"
            f" ON v.{end} = j.value WHERE v.group_id = :g"
        )
        yield from db.execute(query, bindings)
