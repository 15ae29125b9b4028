"""Names to entities: one entity for each name as compared, in its own group; an unknown name makes a new one."""

from __future__ import annotations

from tkgmem.errors import NotFound
from tkgmem.graph import Entity
from tkgmem.ingest.ids import make_uuid
from tkgmem.store import lexical, read, write
from tkgmem.store.connection import Connection
from tkgmem.store.names import clean_name


def find(db: Connection, group_id: int, name: str | Entity, what: str) -> int | None:
    """The row of the entity with this name or uuid, None if there is none.

    Raises AmbiguousName listing the entities that share the name, NotFound for an Entity that is not of this group.
    """
    if isinstance(name, Entity):
        row = read.entity_by_uuid(db, [group_id], name.uuid)
        if row is None:
            raise NotFound(f"{what} {name.name!r} ({name.uuid}) is not an entity of this group")
        return row
    row = read.entity_by_uuid(db, [group_id], name)
    return read.entity_named(db, group_id, name) if row is None else row


def resolve(db: Connection, group_id: int, group: str, name: str | Entity, *, what: str, first: str, at: int) -> int:
    """The row of the entity with this name or uuid, made if it is new. first: the claim or episode that names it, by uuid."""
    if not isinstance(name, Entity):
        name = clean_name(name, what)
    row = find(db, group_id, name, what)
    if row is not None or isinstance(name, Entity):
        assert row is not None
        return row
    row = write.insert_entity(db, uuid=make_uuid("entity", group, name, first), group_id=group_id, name=name, at=at)
    lexical.index_entity(db, row, name)
    return row
