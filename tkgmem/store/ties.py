"""What ties entities: how many facts hold between each two of them at the two clocks. A fact of one alone ties nothing."""

from __future__ import annotations

from collections.abc import Iterable

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


def tied(db: apsw.Connection, group_id: int, entities: Iterable[int], *, valid_at: int, known_at: int) -> set[int]:
    """Those of these entities that anything ties to another."""
    ends = " OR ".join(
        f"EXISTS (SELECT 1 FROM versions v INDEXED BY {index} WHERE v.{end} = j.value AND {_HELD})"
        for end, index in (("source_id", "versions_from"), ("target_id", "versions_to"))
    )
    bindings = {"g": group_id, "t": valid_at, "s": known_at, "e": in_list(entities)}
    return {int(entity) for (entity,) in db.execute(f"SELECT j.value FROM json_each(:e) j WHERE {ends}", bindings)}


def changed_since(db: apsw.Connection, group_id: int, *, known: int, valid: int, now: int, known_at: int) -> list[int]:
    """The entities of which something was believed otherwise at `known_at` than at `known`, or began or ceased to hold in
    (valid, now], in the order of their rows.

    Versions carry the entities that their ends are believed to be, so what was merged, split or brought back is among them.
    """
    turned = "(v.valid_at > :valid AND v.valid_at <= :now OR v.invalid_at > :valid AND v.invalid_at <= :now)"
    then = "v.created_at <= :s AND v.expired_at"
    arms = [
        f"{then} IS NULL AND v.created_at > :known",
        f"{then} > :s AND v.created_at > :known",
        "v.expired_at > :known AND v.expired_at <= :s",
    ]
    arms += [f"{then} IS NULL AND {turned}", f"{then} > :s AND {turned}"] if now > valid else []
    query = " UNION ".join(
        f"SELECT v.source_id, v.target_id FROM versions v INDEXED BY versions_by_clocks WHERE v.group_id = :g AND {arm}"
        for arm in arms
    )
    bindings = {"g": group_id, "known": known, "valid": valid, "now": now, "s": known_at}
    used = {name: value for name, value in bindings.items() if f":{name}" in query}
    return sorted({int(end) for pair in db.execute(query, used) for end in pair})
