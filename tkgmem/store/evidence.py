"""How many episodes stand behind a fact or an entity, as believed at an asked system time; each episode counts once."""

from __future__ import annotations

from collections.abc import Iterable

import apsw

from tkgmem.store.clocks import EVERYTHING, believed
from tkgmem.store.identity import Identity
from tkgmem.store.rows import in_list

_FACTS = (
    "SELECT p.fact_id, count(DISTINCT c.episode_id) FROM supports p CROSS JOIN claims c ON c.id = p.claim_id"
    f" WHERE p.fact_id IN (SELECT value FROM json_each(:ids)) AND {believed('p')} GROUP BY p.fact_id"
)


def _claims_at(end: str) -> str:
    """The episodes of believed claims that have a part at this end and were not moved to another entity."""
    return (
        f"SELECT part.entity, c.episode_id FROM part CROSS JOIN claims c ON c.{end}_id = part.id"
        f" WHERE {believed('c', 'claim')} AND c.episode_id IS NOT NULL"
        f" AND NOT EXISTS (SELECT 1 FROM moves m WHERE m.claim_id = c.id AND m.end = '{end}' AND {believed('m', 'move')})"
    )


_ENTITIES = (
    "WITH part (entity, id) AS (SELECT value ->> 0, value ->> 1 FROM json_each(:parts))"
    " SELECT entity, count(*) FROM ("
    "SELECT part.entity, m.episode_id FROM part CROSS JOIN mentions m ON m.entity_id = part.id WHERE m.created_at <= :s"
    f" UNION {_claims_at('source')} UNION {_claims_at('target')}"
    " UNION SELECT part.entity, c.episode_id FROM part CROSS JOIN moves m ON m.entity_id = part.id"
    f" CROSS JOIN claims c ON c.id = m.claim_id WHERE {believed('m', 'move')} AND {believed('c', 'claim')}"
    " AND c.episode_id IS NOT NULL) GROUP BY entity"
)


def of_facts(db: apsw.Connection, facts: Iterable[int], known_at: int = EVERYTHING) -> dict[int, int]:
    """For each fact (row) the number of episodes whose claims supported it then; a fact that no claim supports is left out."""
    return dict(db.execute(_FACTS, {"ids": in_list(facts), "s": known_at}))


def of_entities(db: apsw.Connection, entities: Iterable[int], known_at: int = EVERYTHING) -> dict[int, int]:
    """For each entity (row) the number of episodes that named it, or what is part of it, or stated something of it, by then.

    What no episode tells of is left out.
    """
    wanted = list(entities)
    who = Identity(db, known_at)
    who.load(wanted)
    parts = [(entity, part) for entity in wanted for part in who.members(entity)]
    return dict(db.execute(_ENTITIES, {"parts": in_list(parts), "s": known_at}))
