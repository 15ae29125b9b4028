"""Entities merged, split and given names: each a change of belief at one tick, which edits nothing that was recorded before.

Claims keep the entity they were recorded with; from a merge on they are read as claims about the other one, and every fact
concerned is derived again. Told again after that, a name means the entity that it leads to then.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tkgmem.errors import NotFound
from tkgmem.graph import Entity, Fact
from tkgmem.ingest import reconcile
from tkgmem.ingest.writer import Writer
from tkgmem.store import aliases, claims, identity, lexical, passages, read, relations, vectors, write
from tkgmem.store.connection import Connection
from tkgmem.store.identity import Identity
from tkgmem.store.ids import make_uuid
from tkgmem.store.names import searchable
from tkgmem.store.rows import ClaimRow

if TYPE_CHECKING:
    from tkgmem.protocols import Vectors

Name = str | Entity


def merge(db: Connection, keep_id: int, other_id: int, *, at: int, episode_id: int | None = None) -> list[int]:
    """Believe from `at` on that two entities are one, in the caller's transaction and tick. episode_id: the text that says so.

    Returns the facts (rows of claims) that now end earlier. If they are one already, a text only adds itself as a source.
    """
    who = Identity(db)
    keep, other = who.of(keep_id), who.of(other_id)
    group_id = read.group_of(db, keep)
    if keep == other:
        if episode_id is not None and keep_id != other_id and not identity.is_told(db, (keep_id, other_id), episode_id):
            identity.insert_merge(db, group_id, other_id, keep_id, at, episode_id)
        return []
    concerned = _concerned(db, claims.touching(db, who.members(other)))
    identity.insert_merge(db, group_id, other, keep, at, episode_id)
    return reconcile.derive_again(db, concerned, relations.load(db), at)


def unmerge(db: Connection, entity_id: int, *, at: int) -> list[int]:
    """Stop believing at `at` that an entity, with what was merged into it, is part of another. Returns as `merge` does."""
    inside = Identity(db).under(entity_id)
    concerned = _concerned(db, claims.touching(db, inside))
    identity.close_merges(db, inside, at)
    return reconcile.derive_again(db, concerned, relations.load(db), at)


def move(db: Connection, ends: Sequence[tuple[ClaimRow, str]], entity_id: int, *, at: int) -> list[int]:
    """Believe from `at` on that these ends ("source" or "target") of claims are an entity. Returns as `merge` does."""
    concerned = _concerned(db, [row for row, _ in ends])
    for row, end in ends:
        identity.insert_move(db, row.id, end, entity_id, at)
    return reconcile.derive_again(db, concerned, relations.load(db), at)


def _concerned(db: Connection, rows: Iterable[ClaimRow]) -> list[ClaimRow]:
    """The claims believed now that these share a slot with before a change: what leaves a slot lets others hold."""
    believed = [row for row in rows if row.expired_at is None]
    near, _ = claims.component(db, believed, [relations.load(db)], ever=False)
    return list({row.id: row for row in [*believed, *near]}.values())


def give_alias(
    db: Connection, entity_id: int, name: str, *, at: int, episode_id: int | None = None, vector: Vectors | None = None
) -> bool:
    """Let an entity go by one more name from `at` on, in the caller's transaction and tick; whether it did not before.

    episode_id: the text that says so; the name goes with it. vector: the name's.
    """
    who = Identity(db)
    entity = who.of(entity_id)
    if aliases.is_told(db, who.members(entity), name, episode_id):
        return False
    group_id = read.group_of(db, entity)
    aliases.insert(db, entity, group_id, name, at, episode_id=episode_id)
    lexical.index_entity(db, entity, name)
    if vector is not None:
        vectors.insert(db, "entity", entity, group_id, vector, name)
    return True


# --- the verbs ---


def merge_entities(
    writer: Writer, keep: Name, other: Name, *, group: str, reason: str | None = None, dry_run: bool = False
) -> Entity:
    """Believe from now on that two entities are one (see `Memory.merge_entities`)."""
    with writer.store.write() as db:
        rows = [_one(db, group, name) for name in (keep, other)]
        if rows[0] != rows[1]:
            at = write.tick(db, writer.now(), "merge", group_id=read.group_of(db, rows[0]), reason=reason)
            merge(db, rows[0], rows[1], at=at)
        elif _stored(db, group, keep) == _stored(db, group, other):
            raise ValueError(f"{_shown(keep)} and {_shown(other)} are the same entity; name two different ones")
        merged = read.entities(db, rows[:1])[rows[0]]
        _end(db, dry_run)
    return merged


def split_entity(
    writer: Writer,
    entity: Name,
    *,
    group: str,
    claims_of: Sequence[str | Fact] | None = None,
    name: str | None = None,
    reason: str | None = None,
    dry_run: bool = False,
) -> Entity:
    """Take an entity out of another again, or move claims to a new one (see `Memory.split_entity`)."""
    if claims_of is not None:
        return _split_claims(writer, entity, claims_of, group=group, name=name, reason=reason, dry_run=dry_run)
    if name is not None:
        raise ValueError(
            f"a name is for a new entity: say which claims move to {name!r}, or leave the name out to undo a merge"
        )
    with writer.store.write() as db:
        row = _merged(db, group, entity)
        unmerge(db, row, at=write.tick(db, writer.now(), "split", group_id=read.group_of(db, row), reason=reason))
        out = read.entities(db, [row])[row]
        _end(db, dry_run)
    return out


def _split_claims(
    writer: Writer,
    entity: Name,
    uuids: Sequence[str | Fact],
    *,
    group: str,
    name: str | None,
    reason: str | None,
    dry_run: bool,
) -> Entity:
    with writer.store.read() as db:
        row = _one(db, group, entity)
        shown = name or read.entities(db, [row])[row].name
        _ends_at(db, row, uuids)
    [vector] = passages.embed(writer.embedder, [shown])
    with writer.store.write() as db:
        writer.prepare(db)
        row = _one(db, group, entity)
        ends = _ends_at(db, row, uuids)
        group_id = read.group_of(db, row)
        at = write.tick(db, writer.now(), "split", group_id=group_id, reason=reason)
        new = write.insert_entity(db, uuid=make_uuid("entity", group, shown, "split", at), group_id=group_id, name=shown, at=at)
        lexical.index_entity(db, new, shown)
        vectors.insert(db, "entity", new, group_id, vector, shown)
        move(db, ends, new, at=at)
        out = read.entities(db, [new])[new]
        _end(db, dry_run)
    return out


def add_alias(writer: Writer, entity: Name, alias: str, *, group: str) -> Entity:
    """Let an entity go by one more name from now on (see `Memory.add_alias`)."""
    with writer.store.read() as db:
        row = _one(db, group, entity)
        if aliases.is_told(db, Identity(db).members(row), alias, None):
            return read.entities(db, [row])[row]
    [vector] = passages.embed(writer.embedder, [alias])
    with writer.store.write() as db:
        writer.prepare(db)
        row = _one(db, group, entity)
        if not aliases.is_told(db, Identity(db).members(row), alias, None):
            at = write.tick(db, writer.now(), "alias", group_id=read.group_of(db, row))
            give_alias(db, row, alias, at=at, vector=vector)
        return read.entities(db, [row])[row]


def _end(db: Connection, dry_run: bool) -> None:
    if dry_run:
        db.execute("ROLLBACK")


# --- which entity, which claims ---


def _stored(db: Connection, group: str, name: Name) -> list[int]:
    """The rows with this uuid or name, whatever they are part of now."""
    wanted = name.uuid if isinstance(name, Entity) else searchable(name)
    return [row for group_id in read.group_ids(db, [group]) for row in read.stored_as(db, group_id, wanted)]


def _one(db: Connection, group: str, name: Name) -> int:
    """The row of the entity with this name or uuid, as who it is now. NotFound, or AmbiguousName."""
    who = Identity(db)
    rows = sorted({who.of(row) for row in _stored(db, group, name)})
    if not rows:
        raise NotFound(f"no entity of the group {group!r} has the name or uuid {_shown(name)}; search for it")
    if len(rows) > 1:
        raise read.ambiguous(db, _shown(name), rows)
    return rows[0]


def _merged(db: Connection, group: str, name: Name) -> int:
    """The row of what is to be taken out of another entity: the one named, or the only one merged into the one named."""
    who = Identity(db)
    rows = _stored(db, group, name)
    inside = [row for row in rows if who.of(row) != row]
    if not inside:
        inside = who.merged_into(_one(db, group, name))
    if not inside:
        raise NotFound(f"nothing is merged with {_shown(name)}; to move statements to a new entity, list their uuids as claims")
    if len(inside) > 1:
        raise read.ambiguous(db, _shown(name), inside)
    return inside[0]


def _ends_at(db: Connection, entity: int, uuids: Sequence[str | Fact]) -> list[tuple[ClaimRow, str]]:
    """The claims that are to move, each with its end at the entity."""
    if isinstance(uuids, str | Fact) or not uuids:
        raise ValueError("claims is a list of at least one uuid of a claim or fact")
    who = Identity(db)
    found: dict[int, tuple[ClaimRow, str]] = {}
    for uuid in uuids:
        for row in reconcile.named_by(db, uuid.uuid if isinstance(uuid, Fact) else searchable(uuid)):
            ends = who.ends(row)
            if ends.count(entity) != 1:
                known = read.entities(db, [entity])[entity]
                why = "both its ends are it" if entity in ends else "it says nothing of it"
                raise ValueError(f"the claim {row.uuid} cannot move away from {known.name} ({known.uuid}): {why}")
            found[row.id] = (row, "source" if ends[0] == entity else "target")
    return [found[row] for row in sorted(found)]


def _shown(name: Name) -> str:
    return f"{name.name!r} ({name.uuid})" if isinstance(name, Entity) else repr(name)
