"""Claims as rows, and the claims that a derivation needs: those of its own slots, and what judged conflicts link to them."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import apsw

from tkgmem.graph import ClaimKind
from tkgmem.store.clocks import EVERYTHING, gaps_of
from tkgmem.store.identity import Identity
from tkgmem.store.rows import ClaimRow, Damaged, between, in_list
from tkgmem.temporal.claim import Claim, Conflict
from tkgmem.temporal.period import Moment
from tkgmem.temporal.relations import Relations

_COLUMNS = ", ".join(ClaimRow._fields[:-1]) + f", {gaps_of('claim', 'claims')}"


Link = tuple[int, int, int, int | None]
"""A judged conflict as believed over one stretch of system time: claim row, claim row, created_at, expired_at."""


@dataclass(frozen=True, slots=True)
class NewClaim:
    """A claim to record. source_id, target_id: entity rows. made_by: "user" or the extractor's name. lead: see `passages`."""

    kind: ClaimKind
    source_id: int
    relation: str
    target_id: int
    fact: str | None = None
    valid: Moment | None = None
    invalid: Moment | None = None
    reference_time: int | None = None
    episode_id: int | None = None
    span: tuple[int, int] | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    made_by: str = "user"
    lead: str | None = None


def insert(db: apsw.Connection, claim: NewClaim, *, uuid: str, group_id: int, position: int, at: int) -> int:
    """Record a claim at a system time; its row."""
    valid, invalid, span = claim.valid, claim.invalid, claim.span or (None, None)
    db.execute(
        "INSERT INTO claims (uuid, group_id, kind, source_id, relation, target_id, fact, valid_at, invalid_at, valid_precision,"
        " invalid_precision, reference_time, episode_id, span_start, span_end, attributes, made_by, lead, position, created_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            uuid,
            group_id,
            claim.kind,
            claim.source_id,
            claim.relation,
            claim.target_id,
            claim.fact,
            valid.micros if valid else None,
            invalid.micros if invalid else None,
            valid.precision if valid else None,
            invalid.precision if invalid else None,
            claim.reference_time,
            claim.episode_id,
            *span,
            json.dumps(claim.attributes, ensure_ascii=False, sort_keys=True),
            claim.made_by,
            claim.lead,
            position,
            at,
        ),
    )
    return db.last_insert_rowid()


def close(db: apsw.Connection, ids: Iterable[int], at: int, *, episode_id: int | None = None) -> None:
    """Stop believing these claims at a system time. episode_id: the source of the correction that does it."""
    db.execute(
        "UPDATE claims SET expired_at = ?, expired_by_episode_id = ? WHERE id IN (SELECT value FROM json_each(?))",
        (at, episode_id, in_list(ids)),
    )


def replace(db: apsw.Connection, ids: Iterable[int], new: int) -> None:
    """Let the uuids of corrected claims address the claim that took their place."""
    db.execute("UPDATE claims SET replaced_by_id = ? WHERE id IN (SELECT value FROM json_each(?))", (new, in_list(ids)))


def select(db: apsw.Connection, where: str, bindings: Mapping[str, Any] | Sequence[Any]) -> list[ClaimRow]:
    """The claims that meet an SQL condition of this package, in recorded order."""
    # +: or else SQLite reads all claims of a group by their time, so as to have less to sort
    query = f"SELECT {_COLUMNS} FROM claims WHERE {where} ORDER BY +created_at, position, uuid"
    return [ClaimRow(*row) for row in db.execute(query, bindings)]


def by_ids(db: apsw.Connection, ids: Iterable[int]) -> list[ClaimRow]:
    """Claims by row, in recorded order."""
    return select(db, "id IN (SELECT value FROM json_each(?))", (in_list(ids),))


def everything(db: apsw.Connection) -> list[ClaimRow]:
    """Every claim of the file, in recorded order."""
    return select(db, "1", {})


def named(db: apsw.Connection, relations: Iterable[str]) -> list[ClaimRow]:
    """Every claim recorded under one of these relation names, in recorded order."""
    return select(db, "relation IN (SELECT value FROM json_each(?))", (in_list(relations),))


def of_episode(db: apsw.Connection, episode_id: int) -> list[ClaimRow]:
    """Every claim that an episode made, in recorded order."""
    return select(db, "episode_id = ?", (episode_id,))


def of_episodes(db: apsw.Connection, episodes: Iterable[int]) -> list[ClaimRow]:
    """Every claim that these episodes made, in recorded order."""
    return select(db, "episode_id IN (SELECT value FROM json_each(?))", (in_list(episodes),))


def closed_by_episodes(db: apsw.Connection, episodes: Iterable[int]) -> list[ClaimRow]:
    """The claims that corrections of these episodes closed."""
    return select(db, "expired_by_episode_id IN (SELECT value FROM json_each(?))", (in_list(episodes),))


def replaced_by(db: apsw.Connection, ids: Iterable[int]) -> list[ClaimRow]:
    """The claims that were corrected into one of these."""
    return select(db, "replaced_by_id IN (SELECT value FROM json_each(?))", (in_list(ids),))


def judged_by_episodes(db: apsw.Connection, episodes: Iterable[int]) -> list[ClaimRow]:
    """The claims that judgements of these episodes link."""
    linked = "SELECT {} FROM conflicts WHERE episode_id IN (SELECT value FROM json_each(?1))"
    return select(db, f"id IN ({linked.format('claim_id')} UNION {linked.format('other_id')})", (in_list(episodes),))


def sentences(db: apsw.Connection, ids: Iterable[int]) -> list[str]:
    """How these claims are told to a model: their sentences, and their triples in words."""
    query = (
        "SELECT c.fact, c.lead, s.name || ' ' || c.relation || ' ' || t.name FROM claims c"
        " JOIN entities s ON s.id = c.source_id JOIN entities t ON t.id = c.target_id"
        " WHERE c.id IN (SELECT value FROM json_each(?)) ORDER BY c.id"
    )
    return [text for row in db.execute(query, (in_list(ids),)) for text in row if text is not None]


def triples(db: apsw.Connection, ids: Iterable[int]) -> list[str]:
    """These claims as triples, for people."""
    query = (
        "SELECT s.name || ' ' || c.relation || ' ' || t.name FROM claims c JOIN entities s ON s.id = c.source_id"
        " JOIN entities t ON t.id = c.target_id WHERE c.id IN (SELECT value FROM json_each(?)) ORDER BY c.id"
    )
    return [str(text) for (text,) in db.execute(query, (in_list(ids),))]


def unsupported(db: apsw.Connection, ids: Iterable[int]) -> list[ClaimRow]:
    """The facts (by their first claims) believed now that these claims support and no other claim does."""
    gone = "(SELECT value FROM json_each(?1))"
    return select(
        db,
        f"id IN (SELECT p.fact_id FROM supports p WHERE p.claim_id IN {gone} AND p.expired_at IS NULL AND NOT EXISTS (SELECT 1"
        f" FROM supports o WHERE o.fact_id = p.fact_id AND o.expired_at IS NULL AND o.claim_id NOT IN {gone}))",
        (in_list(ids),),
    )


def of_fact(db: apsw.Connection, row: ClaimRow) -> list[ClaimRow]:
    """The claims that support the fact of this one, now or when it was last believed, and those corrected into them."""
    ids = {row.id} | {
        claim
        for (claim,) in db.execute(
            "SELECT o.claim_id FROM"
            " (SELECT fact_id, expired_at FROM supports WHERE claim_id = ? ORDER BY created_at DESC LIMIT 1) s"
            " JOIN supports o ON o.fact_id = s.fact_id AND o.expired_at IS s.expired_at",
            (row.id,),
        )
    }
    while True:
        found = {r.id for r in select(db, "replaced_by_id IN (SELECT value FROM json_each(?))", (in_list(ids),))}
        if found <= ids:
            return by_ids(db, ids)
        ids |= found


def with_uuid(db: apsw.Connection, uuid: str) -> ClaimRow | None:
    """The claim with just this uuid."""
    rows = select(db, "uuid = ?", (uuid,))
    return rows[0] if rows else None


def addressed(db: apsw.Connection, uuid: str) -> ClaimRow | None:
    """The claim with this uuid or, if it was corrected, the one that took its place."""
    row = with_uuid(db, uuid)
    seen: set[int] = set()
    while row is not None and row.replaced_by_id is not None:
        if row.id in seen:
            raise Damaged(f"claim {row.id} is replaced by itself")
        seen.add(row.id)
        [row] = by_ids(db, [row.replaced_by_id])
    return row


def touching(db: apsw.Connection, entities: Iterable[int]) -> list[ClaimRow]:
    """Every claim that was recorded of one of these entities or ever moved to it, in recorded order."""
    of = "IN (SELECT value FROM json_each(?1))"
    where = f"source_id {of} OR target_id {of} OR id IN (SELECT claim_id FROM moves WHERE entity_id {of})"
    return select(db, where, (in_list(sorted(entities)),))


def as_claims(db: apsw.Connection, rows: Sequence[ClaimRow], relations: Relations, known_at: int) -> list[Claim]:
    """The rows as the derivation sees them: under the definitions given, of the entities that their ends are at `known_at`.

    A claim whose two ends a merge made the same entity says nothing while they are the same; it is left out.
    """
    who = Identity(db, known_at)
    who.load_claims(rows)
    return [as_claim(row, relations, who.ends(row)) for row in rows if who.plain or not who.loops(row)]


def as_claim(row: ClaimRow, relations: Relations, entities: tuple[int, int]) -> Claim:
    """The row as a claim about these two entities, under the definitions given."""
    resolved = relations.resolve(row.relation)
    source, target = entities
    triple = resolved.triple(row.group_id, source, target)
    ends = (target, source) if resolved.swapped else (source, target)
    return Claim(
        id=row.id,
        order=(row.created_at, row.position, row.uuid),
        triple=triple,
        slots=resolved.slots(triple),
        kind=row.kind,
        start=row.valid_at,
        end=row.invalid_at,
        reference=row.reference_time,
        valid_precision=row.valid_precision,
        invalid_precision=row.invalid_precision,
        relation=resolved.relation.name,
        ends=ends,
    )


def component(
    db: apsw.Connection, seeds: Iterable[ClaimRow], tables: Sequence[Relations], *, ever: bool
) -> tuple[list[ClaimRow], list[Link]]:
    """Every claim that can influence, or be influenced by, the seeds, and the judged conflicts among them.

    tables: the definitions to follow, one set now, all there ever were for a rebuild. ever: also claims no longer believed, and
    every entity that an end of a claim ever was.
    Returns the claims in recorded order, and the conflicts as (claim row, claim row, created_at, expired_at).
    """
    found: dict[int, ClaimRow] = {}
    seen: set[tuple[int, Hashable]] = set()
    who = Identity(db, None if ever else EVERYTHING)
    judged = bool(db.execute("SELECT EXISTS (SELECT 1 FROM conflicts)").get)
    links: dict[int, list[Link]] = {}
    waiting = list(seeds)
    who.load_claims(waiting)
    while waiting:
        row = waiting.pop()
        fetched: list[ClaimRow] = []
        for index, relations in _differing(tables, row.relation) if len(tables) > 1 else enumerate(tables):
            for claim in [as_claim(row, relations, spot) for spot in who.spots(row)]:
                for slot in claim.slots:
                    if (index, slot) not in seen:
                        seen.add((index, slot))
                        fetched += _in_slot(db, row.group_id, claim.relation, slot, relations, who, ever=ever)
        if judged:
            fetched += _linked(db, row.id, links, ever=ever)
        for new in fetched:
            if new.id not in found:
                found[new.id] = new
                if len(tables) > 1 or judged or tables[0].resolve(new.relation).chained or (ever and not who.plain):
                    waiting.append(new)
    return sorted(found.values(), key=lambda row: (row.created_at, row.position, row.uuid)), list(chain(*links.values()))


def _differing(tables: Sequence[Relations], name: str) -> list[tuple[int, Relations]]:
    """The definitions with their places, without those that keep claims of this name as an earlier one does."""
    kept: dict[Hashable, tuple[int, Relations]] = {}
    for place, relations in enumerate(tables):
        resolved = relations.resolve(name)
        kept.setdefault((resolved, *relations.recorded_as(resolved.relation.name)), (place, relations))
    return list(kept.values())


def _in_slot(
    db: apsw.Connection, group: int, name: str, slot: Hashable, relations: Relations, who: Identity, *, ever: bool
) -> list[ClaimRow]:
    assert isinstance(slot, tuple)
    recorded = relations.recorded_as(name)
    names = [in_list(key for key, swapped in recorded if swapped is turned) for turned in (False, True)]
    first, second = ["source_id {x}"], ["target_id {x}"]
    straight: list[str]
    swapped: list[str]
    if len(slot) == 3:  # one end of a symmetric relation
        asked, (straight, swapped) = [slot[2]], (first + second, [])
    elif slot[2] in {">", "<"}:
        asked, (straight, swapped) = [slot[3]], (first, second) if slot[2] == ">" else (second, first)
    else:
        asked = [slot[1], slot[3]]
        straight, swapped = ["source_id {x} AND target_id {y}"], ["source_id {y} AND target_id {x}"]
        if relations.get(name).symmetric:
            straight = straight + swapped
    members = {key: who.members(entity) for key, entity in zip("xy", asked, strict=False)}
    same = {key: f"= :{key}" if len(ids) == 1 else f"IN (SELECT value FROM json_each(:{key}))" for key, ids in members.items()}
    given = {key: ids[0] if len(ids) == 1 else in_list(ids) for key, ids in members.items()}
    believed = "" if ever else " AND expired_at IS NULL"
    rows: list[ClaimRow] = []
    for listed, conditions in zip(names, (straight, swapped), strict=True):
        for condition in conditions if listed != "[]" else ():
            where = f"group_id = :g AND relation IN (SELECT value FROM json_each(:names)) AND {condition.format(**same)}"
            rows += select(db, where + believed, {"g": group, "names": listed, **given})
    if who.plain:
        return rows
    moved = f"id IN (SELECT claim_id FROM moves WHERE entity_id IN (SELECT value FROM json_each(?))){believed}"
    rows += select(db, moved, (in_list(entity for ids in members.values() for entity in ids),))
    who.load_claims(rows)
    return [row for row in rows if any(slot in as_claim(row, relations, spot).slots for spot in who.spots(row))]


def _linked(db: apsw.Connection, row: int, links: dict[int, list[Link]], *, ever: bool) -> list[ClaimRow]:
    believed = "" if ever else " AND expired_at IS NULL"
    others = []
    for link, a, b, created_at, expired_at, gaps in db.execute(
        f"SELECT id, claim_id, other_id, created_at, expired_at, {gaps_of('conflict', 'conflicts')} FROM conflicts"
        f" WHERE (claim_id = ?1 OR other_id = ?1){believed}",
        (row,),
    ):
        links[link] = [(a, b, *stretch) for stretch in between(created_at, expired_at, json.loads(gaps))]
        others.append(b if a == row else a)
    if not others:
        return []
    return select(db, "id IN (SELECT value FROM json_each(?))" + believed, (in_list(others),))


def as_conflicts(links: Iterable[Link], rows: Iterable[ClaimRow], known_at: int) -> list[Conflict]:
    """The judged conflicts believed at a system time, by the claims' uuids."""
    uuid = {row.id: row.uuid for row in rows}
    return [
        Conflict(uuid[a], uuid[b])
        for a, b, created_at, expired_at in links
        if a in uuid and b in uuid and created_at <= known_at and (expired_at is None or known_at < expired_at)
    ]
