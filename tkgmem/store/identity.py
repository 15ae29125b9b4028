"""Who is who: merges and moves as rows, and which entity another one, or one end of a claim, is at an instant of system time.

Entities that merges connect are one entity: the one that all of them were merged into. That is a pure function of the merges
believed at the instant, in recorded order. A row of `merges` or `moves` is never edited, only closed in system time.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Sequence

import apsw

from tkgmem.store.clocks import EVERYTHING, Told, believed
from tkgmem.store.rows import ClaimRow

_ENDS = ("source", "target")


def _linked(when: str) -> str:
    """A table `same` of the entities that merges connect with :ids."""
    return (
        "WITH RECURSIVE same (id) AS (SELECT value FROM json_each(:ids)"
        f" UNION SELECT m.into_id FROM same CROSS JOIN merges m ON m.entity_id = same.id WHERE {when}"
        f" UNION SELECT m.entity_id FROM same CROSS JOIN merges m ON m.into_id = same.id WHERE {when}) "
    )


class Identity:
    """Who is who as believed at `known_at`; None: all that was ever believed, taken together.

    Taken together, every entity that was ever merged with another one is the same as it, and an end of a claim is every entity
    it ever was: what can influence each other is then never apart. plain: no entity of the file was ever merged or split.
    """

    def __init__(self, db: apsw.Connection, known_at: int | None = EVERYTHING) -> None:
        self._db, self._known_at = db, known_at
        self.plain = not db.execute("SELECT EXISTS (SELECT 1 FROM merges) OR EXISTS (SELECT 1 FROM moves)").get
        self._into: dict[int, int] = {}
        self._members: dict[int, list[int]] = {}
        self._loaded: set[int] = set()
        self._moves: dict[int, dict[str, list[int]]] = {}

    def _when(self, told: Told) -> str:
        return "1" if self._known_at is None else believed("m", told)

    def load(self, entities: Iterable[int]) -> None:
        """Look up several entities at once; one that was not looked up before is when it is asked for."""
        new = set(entities) - self._loaded
        if self.plain or not new:
            return
        when = self._when("merge")
        query = (
            f"{_linked(when)}SELECT m.entity_id, m.into_id FROM same CROSS JOIN merges m ON m.entity_id = same.id WHERE {when}"
            " ORDER BY m.created_at, (SELECT uuid FROM entities WHERE id = m.entity_id),"
            " (SELECT uuid FROM entities WHERE id = m.into_id), m.id"
        )
        found = set(new)
        for entity, into in self._db.execute(query, {"ids": json.dumps(sorted(new)), "s": self._known_at}):
            found |= {entity, into}
            root, other = self._root(entity), self._root(into)
            if root != other:
                self._into[root] = other
        self._loaded |= found
        for entity in sorted(found):
            self._members.setdefault(self._root(entity), []).append(entity)

    def load_claims(self, rows: Sequence[ClaimRow]) -> None:
        """Look up the ends of several claims at once."""
        new = [] if self.plain else [row.id for row in rows if row.id not in self._moves]
        for claim in new:
            self._moves[claim] = {}
        if new:
            query = (
                "SELECT claim_id, end, entity_id FROM moves m WHERE claim_id IN (SELECT value FROM json_each(:ids))"
                f" AND {self._when('move')} ORDER BY created_at, id"
            )
            for claim, end, entity in self._db.execute(query, {"ids": json.dumps(new), "s": self._known_at}):
                self._moves[claim].setdefault(end, []).append(entity)
        moved = [entity for claim in new for ends in self._moves[claim].values() for entity in ends]
        self.load([*(end for row in rows for end in (row.source_id, row.target_id)), *moved])

    def _root(self, entity: int) -> int:
        while entity in self._into:
            entity = self._into[entity]
        return entity

    def of(self, entity: int) -> int:
        """The entity that this one is: itself, or the one it is merged into."""
        self.load([entity])
        return self._root(entity)

    def members(self, entity: int) -> list[int]:
        """All that stand for an entity, itself included; only itself where it is merged into another."""
        self.load([entity])
        return self._members.get(entity, [entity])

    def under(self, entity: int) -> list[int]:
        """An entity and all that became part of it before it became part of another."""
        return [member for member in self.members(self.of(entity)) if entity in self._above(member)]

    def merged_into(self, entity: int) -> list[int]:
        """The entities that were merged into just this one."""
        return [member for member in self.members(self.of(entity)) if self._into.get(member) == entity]

    def _above(self, entity: int) -> list[int]:
        chain = [entity]
        while chain[-1] in self._into:
            chain.append(self._into[chain[-1]])
        return chain

    def recorded(self, row: ClaimRow) -> tuple[int, int]:
        """The ends of a claim as recorded, or moved to, whatever they are merged into."""
        [pair] = self._pairs(row)
        return pair

    def ends(self, row: ClaimRow) -> tuple[int, int]:
        """The entities at the ends of a claim."""
        source, target = self.recorded(row)
        return (self.of(source), self.of(target))

    def spots(self, row: ClaimRow) -> list[tuple[int, int]]:
        """Every pair of entities that the ends of a claim are; one pair at an instant."""
        return list(dict.fromkeys((self.of(source), self.of(target)) for source, target in self._pairs(row)))

    def loops(self, row: ClaimRow) -> bool:
        """Whether a merge made both ends of a claim the same entity: it says nothing while they are."""
        source, target = self.recorded(row)
        return source != target and self.of(source) == self.of(target)

    def _pairs(self, row: ClaimRow) -> list[tuple[int, int]]:
        """What the two ends are, before merges."""
        if self.plain:
            return [(row.source_id, row.target_id)]
        self.load_claims([row])
        moves, ever = self._moves[row.id], self._known_at is None
        sources, targets = (
            [recorded, *moves.get(end, [])] if ever else moves.get(end, [recorded])[-1:]  # a move brought back: the later
            for end, recorded in zip(_ENDS, (row.source_id, row.target_id), strict=True)
        )
        return list(itertools.product(sources, targets))


# --- rows ---


def insert_merge(db: apsw.Connection, group_id: int, entity: int, into: int, at: int, episode_id: int | None) -> None:
    """Believe from `at` on that one entity is another."""
    db.execute(
        "INSERT INTO merges (group_id, entity_id, into_id, episode_id, created_at) VALUES (?, ?, ?, ?, ?)",
        (group_id, entity, into, episode_id, at),
    )


def is_told(db: apsw.Connection, entities: tuple[int, int], episode_id: int | None) -> bool:
    """Whether this source says already that the two are one."""
    query = (
        "SELECT EXISTS (SELECT 1 FROM merges WHERE expired_at IS NULL AND episode_id IS ?3"
        " AND ((entity_id = ?1 AND into_id = ?2) OR (entity_id = ?2 AND into_id = ?1)))"
    )
    return bool(db.execute(query, (*entities, episode_id)).get)


def close_merges(db: apsw.Connection, inside: Iterable[int], at: int) -> None:
    """Stop believing at `at` that any of these entities is one outside of them."""
    db.execute(
        "UPDATE merges SET expired_at = ?1 WHERE expired_at IS NULL AND"
        " (entity_id IN (SELECT value FROM json_each(?2))) <> (into_id IN (SELECT value FROM json_each(?2)))",
        (at, json.dumps(sorted(inside))),
    )


def insert_move(db: apsw.Connection, claim: int, end: str, entity: int, at: int) -> None:
    """Believe from `at` on that one end ("source" or "target") of a claim is another entity."""
    db.execute("UPDATE moves SET expired_at = ? WHERE claim_id = ? AND end = ? AND expired_at IS NULL", (at, claim, end))
    db.execute("INSERT INTO moves (claim_id, end, entity_id, created_at) VALUES (?, ?, ?, ?)", (claim, end, entity, at))


def moved_to(db: apsw.Connection, claims: Iterable[int]) -> set[int]:
    """The entities that ends of these claims were ever moved to."""
    query = "SELECT entity_id FROM moves WHERE claim_id IN (SELECT value FROM json_each(?))"
    return {entity for (entity,) in db.execute(query, (json.dumps(list(claims)),))}


def merges_of(db: apsw.Connection, episodes: Iterable[int], entities: Iterable[int]) -> tuple[set[int], list[int]]:
    """The entities that merges speak of which these episodes told, or which are of these entities, and when these began."""
    of = "IN (SELECT value FROM json_each(?{}))"
    rows = list(
        db.execute(
            f"SELECT entity_id, into_id, created_at FROM merges WHERE episode_id {of.format(1)} OR entity_id {of.format(2)}"
            f" OR into_id {of.format(2)}",
            (json.dumps(sorted(episodes)), json.dumps(sorted(entities))),
        )
    )
    return {end for row in rows for end in row[:2]}, [row[2] for row in rows]


def ever_one_with(db: apsw.Connection, entities: Iterable[int]) -> set[int]:
    """These entities, and all that were ever merged with one of them."""
    ever = Identity(db, None)
    ever.load(entities)
    return {member for entity in entities for member in ever.members(ever.of(entity))}


def instants_of(db: apsw.Connection, entities: Iterable[int], claims: Iterable[int]) -> set[int]:
    """When a merge of one of these entities, or a move of one of these claims, began or ended."""
    found = db.execute(
        "WITH merged AS (SELECT id, created_at, expired_at FROM merges WHERE entity_id IN (SELECT value FROM json_each(?1))"
        " OR into_id IN (SELECT value FROM json_each(?1))),"
        " moved AS (SELECT id, created_at, expired_at FROM moves WHERE claim_id IN (SELECT value FROM json_each(?2)))"
        " SELECT created_at, expired_at FROM merged UNION ALL SELECT created_at, expired_at FROM moved"
        " UNION ALL SELECT created_at, expired_at FROM gaps WHERE merge_id IN (SELECT id FROM merged)"
        " UNION ALL SELECT created_at, expired_at FROM gaps WHERE move_id IN (SELECT id FROM moved)",
        (json.dumps(sorted(entities)), json.dumps(sorted(claims))),
    )
    return {at for row in found for at in row if at is not None}


def forget_merges(db: apsw.Connection, episodes: Iterable[int], entities: Iterable[int]) -> None:
    """Delete the merges that these episodes told, and those of these entities."""
    of = "IN (SELECT value FROM json_each(?{}))"
    db.execute(
        f"DELETE FROM merges WHERE episode_id {of.format(1)} OR entity_id {of.format(2)} OR into_id {of.format(2)}",
        (json.dumps(sorted(episodes)), json.dumps(sorted(entities))),
    )


def changed_at(db: apsw.Connection, at: int) -> bool:
    """Whether a merge or a move began or ended, or was brought back, at just this instant."""
    clause = "WHERE created_at = ?1 OR expired_at = ?1"
    back = "FROM gaps WHERE expired_at = ?1 AND (merge_id IS NOT NULL OR move_id IS NOT NULL)"
    return bool(
        db.execute(
            f"SELECT EXISTS (SELECT 1 FROM merges {clause}) OR EXISTS (SELECT 1 FROM moves {clause})"
            f" OR EXISTS (SELECT 1 {back})",
            (at,),
        ).get
    )


def changes(db: apsw.Connection, rows: Sequence[ClaimRow]) -> set[int]:
    """The instants of system time at which an end of one of these claims became another entity."""
    ever = Identity(db, None)
    if ever.plain:
        return set()
    ever.load_claims(rows)
    entities = {member for row in rows for spot in ever.spots(row) for end in spot for member in ever.members(end)}
    return instants_of(db, entities, [row.id for row in rows])


def number_merged(db: apsw.Connection, groups: Sequence[int]) -> int:
    """How many entities of these groups are part of another one now."""
    who = Identity(db)
    query = "SELECT entity_id FROM merges WHERE expired_at IS NULL AND group_id IN (SELECT value FROM json_each(?))"
    entities = [] if who.plain else [entity for (entity,) in db.execute(query, (json.dumps(list(groups)),))]
    who.load(entities)
    return sum(len(who.members(root)) - 1 for root in {who.of(entity) for entity in entities})


# --- what forgetting leaves ---

_NAMED = (
    "SELECT created_at AS at FROM claims c WHERE c.source_id = e.id"
    " UNION ALL SELECT created_at FROM claims c WHERE c.target_id = e.id"
    " UNION ALL SELECT created_at FROM mentions n WHERE n.entity_id = e.id"
    " UNION ALL SELECT created_at FROM moves m WHERE m.entity_id = e.id"
)
"""When an entity (e) is named: by claims, by episodes, as what a claim was moved to."""


def orphans(db: apsw.Connection, candidates: Iterable[int]) -> list[int]:
    """Of these entities and those ever merged with them, the ones that nothing names any more.

    One that nothing else names stays while a merge that stands makes it one with an entity that is named, and where one that is
    named was ever part of it: what others are called depends on it.
    """
    ever = Identity(db, None)
    near = sorted(ever_one_with(db, candidates))
    ever.load(near)
    query = f"SELECT id FROM entities e WHERE id IN (SELECT value FROM json_each(?)) AND NOT EXISTS ({_NAMED})"
    bare = {entity for (entity,) in db.execute(query, (json.dumps(near),))}
    alone = {entity for entity in bare if bare.issuperset(ever.members(ever.of(entity)))}
    return sorted(entity for entity in bare if entity in alone or _is_loose(db, entity))


def _is_loose(db: apsw.Connection, entity: int) -> bool:
    """Whether an entity was only ever part of one other, if of any, and no longer is."""
    rows = list(db.execute("SELECT entity_id, into_id, expired_at FROM merges WHERE entity_id = ?1 OR into_id = ?1", (entity,)))
    alone = all(expired is not None and into != entity for _, into, expired in rows)
    return alone and len({into for _, into, _ in rows}) < 2


def refresh(db: apsw.Connection, ids: Iterable[int]) -> None:
    """Let entities exist from the first claim, mention, move or merge that is left."""
    wanted = json.dumps(sorted(ids))
    merged = "SELECT created_at FROM merges m WHERE m.{} = e.id"
    every = f"{_NAMED} UNION ALL {merged.format('entity_id')} UNION ALL {merged.format('into_id')}"
    db.execute(
        f"UPDATE entities AS e SET created_at = (SELECT min(at) FROM ({every})) WHERE id IN (SELECT value FROM json_each(?))",
        (wanted,),
    )
    db.execute(
        "UPDATE aliases AS a SET created_at = (SELECT e.created_at FROM entities e WHERE e.id = a.entity_id)"
        " WHERE entity_id IN (SELECT value FROM json_each(?)) AND episode_id IS NULL"
        " AND name = (SELECT e.name FROM entities e WHERE e.id = a.entity_id)",
        (wanted,),
    )
