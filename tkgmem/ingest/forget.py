"""Forget: the words go from the rows, the full text, the vectors and the derived beliefs, as if the source had never spoken.

All that one call forgets goes in one transaction. No lock is held while a name is embedded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tkgmem.errors import NotFound
from tkgmem.graph import Entity
from tkgmem.ingest import reconcile
from tkgmem.ingest.removal import Going, Gone, remove
from tkgmem.ingest.resolve import find
from tkgmem.ingest.writer import Writer
from tkgmem.reports import ForgetReport
from tkgmem.store import claims, lexical, model_calls, passages, read, recalls, relations, remains, resting, write
from tkgmem.store.connection import Connection, Store
from tkgmem.store.identity import Identity
from tkgmem.store.names import searchable
from tkgmem.store.rows import ClaimRow
from tkgmem.store.traces import Traces

if TYPE_CHECKING:
    from tkgmem.protocols import Vectors

Uuids = str | Sequence[str]
Name = str | Entity


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be forgotten: just one of these. own: the group that the entity is looked for in."""

    own: str
    episodes: Uuids | None = None
    facts: Uuids | None = None
    entity: Name | None = None
    group: str | None = None

    def checked(self) -> Asked:
        """The same; ValueError unless just one thing is named, and by more than an empty text or list."""
        named = {"episode": self.episodes, "fact": self.facts, "entity": self.entity, "group": self.group}
        given = [what for what, value in named.items() if value is not None]
        if len(given) != 1:
            also = f", not both {' and '.join(given)}" if given else ""
            raise ValueError(f"say what to forget: one of episode=uuid, fact=uuid, entity=name or group=name{also}")
        [what] = given
        value = named[what]
        several = value if what in {"episode", "fact"} and not isinstance(value, str) else [value]
        if not isinstance(several, Iterable) or not (several := list(several)) or any(one == "" for one in several):
            raise ValueError(f"{what}={value!r} names nothing to forget; give {_WANTED[what]}")
        return self


_WANTED = {
    "episode": "the uuid of an episode, or a list of them",
    "fact": "the uuid of a fact, or a list of them",
    "entity": "a name, a uuid or an Entity",
    "group": "the name of a group",
}


def forget(writer: Writer, asked: Asked, *, dry_run: bool) -> ForgetReport:
    """Forget what is asked for (see `Memory.forget`)."""
    store, named = writer.store, dict[str, "Vectors"]()
    while True:
        with store.write() as db:
            writer.check(db)
            store.recall_log.write(db)  # what waits might tell of it too
            gone = _forget(db, asked, writer.now(), named)
            if dry_run or gone.unnamed:
                db.execute("ROLLBACK")
            elif not store.in_memory:
                remains.mark(db)
        if dry_run or not gone.unnamed:
            break
        names = sorted({*gone.unnamed, *named})
        named = dict(zip(names, passages.embed(writer.embedder, names), strict=True))
    in_use = not dry_run and not store.clean()
    return ForgetReport(
        episodes=gone.episodes,
        claims=gone.claims,
        entities=gone.entities,
        facts=tuple(gone.facts),
        words=tuple(gone.words) if dry_run else (),
        dry_run=dry_run,
        model_calls=gone.model_calls,
        in_use=in_use,
        summaries=gone.summaries,
    )


def forget_recalls(store: Store, groups: Sequence[str] | None) -> int:
    """Delete the recall log, or what was asked of some groups (see `Memory.forget_recalls`)."""
    with store.write() as db:
        store.recall_log.write(db)
        gone = recalls.delete_of_groups(db, None if groups is None else read.group_ids(db, groups))
        if gone and not store.in_memory:
            remains.mark(db)
    store.clean()
    return gone


def _forget(db: Connection, asked: Asked, clock: int, named: dict[str, Vectors]) -> Gone:
    gone = Gone(traces=Traces(wanted=not recalls.is_empty(db)))
    if asked.group is not None:
        _forget_group(db, asked.group, clock, gone)
    else:
        parts = _going(db, asked)
        at = write.tick(db, clock, "forget", group_id=parts[0].group_id if len(parts) == 1 else None)
        for going in parts:
            remove(db, going, named, gone)
        write.set_detail(db, at, gone.counts)
    gone.traces.remove(db)
    remains.forget_statistics(db)
    return gone


def _going(db: Connection, asked: Asked) -> list[Going]:
    """What is to go, by group: no claim of one says anything of another."""
    if asked.entity is not None:
        return [_entity(db, asked.own, asked.entity)]
    if asked.episodes is not None:
        return _episodes(db, _listed(asked.episodes))
    by_group: dict[int, dict[int, ClaimRow]] = {}
    for uuid in _listed(asked.facts or ()):
        for row in reconcile.claims_to_forget(db, uuid):
            by_group.setdefault(row.group_id, {})[row.id] = row
    return [Going(group_id, claims=tuple(rows.values())) for group_id, rows in sorted(by_group.items())]


def _listed(uuids: Uuids) -> list[str]:
    return [searchable(uuid) for uuid in dict.fromkeys([uuids] if isinstance(uuids, str) else uuids)]


def _episodes(db: Connection, uuids: Sequence[str]) -> list[Going]:
    found = read.episode_ids(db, uuids)
    if missing := [uuid for uuid in uuids if uuid not in found]:
        raise NotFound(f"no episode has the uuid {missing[0]!r}; nothing was forgotten")
    by_group: dict[int, set[int]] = {}
    for row, group_id in found.values():
        by_group.setdefault(group_id, set()).add(row)
    return [Going(group_id, frozenset(rows)) for group_id, rows in sorted(by_group.items())]


def _entity(db: Connection, group: str, name: Name) -> Going:
    """An entity with all that is merged into it now, the texts that name it, and all that was ever said of it."""
    shown = repr(name) if isinstance(name, str) else f"{name.name!r} ({name.uuid})"
    groups = read.group_ids(db, [group])
    row = find(db, groups[0], searchable(name) if isinstance(name, str) else name, "entity") if groups else None
    if row is None:
        raise NotFound(f"no entity of the group {group!r} has the name or uuid {shown}; search for it")
    members = Identity(db).members(row)
    return Going(
        group_id=groups[0],
        episodes=frozenset(read.naming(db, members)),
        claims=tuple(claims.touching(db, members)),
        entities=frozenset(members),
    )


def _forget_group(db: Connection, name: str, clock: int, gone: Gone) -> None:
    groups = read.group_ids(db, [name])
    if not groups:
        raise NotFound(f"there is no group {name!r}; nothing was forgotten")
    [group_id] = groups
    rows, calls = read.rows_of(db, group_id), model_calls.number(db)
    gone.episodes, gone.claims = len(rows["episodes"]), len(rows["claims"])
    gone.entities = read.number_of_entities(db, group_id)
    gone.take_facts(db, claims.unsupported(db, rows["claims"]))
    told = {row.relation for row in claims.by_ids(db, rows["claims"])}
    gone.traces.take_group(db, group_id)
    gone.traces.say(db, name)
    gone.take_summaries(db, *resting.of_group(db, group_id))
    write.delete_group(db, group_id)
    lexical.forget(db, **rows)
    relations.forget_unused(db, told)
    gone.model_calls = calls - model_calls.number(db)
    write.set_detail(db, write.tick(db, clock, "forget"), gone.counts)
