"""Share: a part of a memory as a new file of its own, in which nothing else ever was."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tkgmem.errors import NotFound
from tkgmem.portable import jsonl
from tkgmem.portable.backup import backup
from tkgmem.portable.union import unite
from tkgmem.protocols import Embedder
from tkgmem.reports import CopyReport
from tkgmem.store import choosing, read
from tkgmem.store.connection import Connection, Store


def share(
    store: Store,
    embedder: Embedder,
    path: str | Path,
    *,
    groups: Sequence[str],
    entities: Sequence[str] | None,
    since: int | None,
    until: int | None,
    episodes: bool,
    password: str | None,
    now: int,
) -> CopyReport:
    """Write the chosen part to a new file. entities: names or uuids; None for all. since, until: when it was told.

    It is put together in memory: what is not chosen never touches the new file. NotFound if nothing is chosen.
    """
    with Store(":memory:") as part:
        with store.read() as db:
            rows = read.group_ids(db, groups)
            wanted = None if entities is None else [row for name in entities for row in _entity(db, rows, name)]
            chosen = choosing.choose(db, rows, wanted, since=since, until=until, words=episodes)
            if not chosen.claims and not chosen.episodes:
                raise NotFound(f"nothing in {', '.join(map(repr, groups))} fits what was asked for; nothing was written")
            unite(part, embedder, lambda: jsonl.stream(db, vectors=True, logs=False, chosen=chosen), store.path, now=now)
        part.vacuum()
        return backup(part, path, password=password)


def _entity(db: Connection, groups: Sequence[int], name: str) -> list[int]:
    """The rows of an entity: the one with this uuid, else one in each group that has the name. NotFound, or AmbiguousName."""
    by_uuid = read.entity_by_uuid(db, groups, name)
    if by_uuid is not None:
        return [by_uuid]
    found = [row for group in groups if (row := read.entity_named(db, group, name)) is not None]
    if not found:
        raise NotFound(f"no entity has the name or uuid {name!r}; search for it")
    return found
