"""Version rows to facts and versions, as believed at an asked system time."""

from __future__ import annotations

import datetime as dt
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import apsw

from tkgmem.graph import Entity, Fact, Version
from tkgmem.store import claims
from tkgmem.store.clocks import EVERYTHING, believed, holds
from tkgmem.store.identity import Identity
from tkgmem.store.read import entities
from tkgmem.store.rows import in_list, texts
from tkgmem.temporal.period import Precision, to_datetime


def optional_datetime(micros: int | None) -> dt.datetime | None:
    """The aware UTC datetime of an instant, None for None."""
    return None if micros is None else to_datetime(micros)


class VersionRecord(NamedTuple):
    """A row of `versions`, or an announcement without a date in the same shape (`planned`, no `row`)."""

    row: int | None
    fact: int
    source: int
    relation: str
    target: int
    valid_at: int | None
    invalid_at: int | None
    valid_precision: Precision | None
    invalid_precision: Precision | None
    cause: str | None
    cause_id: int | None
    learned_at: int | None
    created_at: int
    expired_at: int | None


_VERSION = (
    "SELECT v.id, v.fact_id, v.source_id, v.relation, v.target_id, v.valid_at, v.invalid_at, v.valid_precision,"
    " v.invalid_precision, v.cause, v.cause_id, v.learned_at, v.created_at, v.expired_at FROM versions v "
)
_AT_EITHER_END = "(v.source_id = :e OR v.target_id = :e)"
_ORDER = " ORDER BY v.source_id, v.relation, v.valid_at, v.fact_id, v.id"


def versions(db: apsw.Connection, where: str, bindings: Mapping[str, Any]) -> list[VersionRecord]:
    """The rows of `versions` (as v) that meet an SQL condition of this package, in a total order."""
    return [VersionRecord(*row) for row in db.execute(_VERSION + "WHERE " + where + _ORDER, dict(bindings))]


class Ends(NamedTuple):
    """Which facts a read asks for: entity rows at each end and a stored relation, None for any.

    symmetric: the relations that read the same from both ends; their facts are found from either.
    asked: the name asked for, where its facts are stored under the inverse: they are read from the other end.
    """

    sources: list[int] | None = None
    relation: str | None = None
    targets: list[int] | None = None
    symmetric: frozenset[str] = frozenset()
    asked: str | None = None

    def where(self) -> tuple[str, dict[str, Any]]:
        """As an SQL condition on v, with its bindings."""
        bindings: dict[str, Any] = {"both": in_list(sorted(self.symmetric))}
        straight, turned = [], []
        for name, rows, column, other in (
            ("sources", self.sources, "source_id", "target_id"),
            ("targets", self.targets, "target_id", "source_id"),
        ):
            if rows is not None:
                bindings[name] = in_list(rows)
                straight.append(f"v.{column} IN (SELECT value FROM json_each(:{name}))")
                turned.append(f"v.{other} IN (SELECT value FROM json_each(:{name}))")
        condition = "1"
        if straight:
            both = "v.relation IN (SELECT value FROM json_each(:both))"
            condition = f"(({' AND '.join(straight)}) OR ({both} AND {' AND '.join(turned)}))"
        else:
            del bindings["both"]
        if self.relation is not None:
            bindings["relation"] = self.relation
            condition += " AND v.relation = :relation"
        return condition, bindings

    def turned(self, record: VersionRecord) -> VersionRecord:
        """The record read from the end, and by the relation, that was asked for."""
        if self.asked is not None:
            return record._replace(source=record.target, relation=self.asked, target=record.source)
        if not self.symmetric:
            return record
        straight = record.source in (self.sources or [record.source]) and record.target in (self.targets or [record.target])
        return record if straight else record._replace(source=record.target, target=record.source)


def of_triple(
    db: apsw.Connection, group_id: int, relation: str, ends: tuple[int, int], *, symmetric: bool
) -> list[VersionRecord]:
    """The versions of one triple believed now."""
    where, bindings = Ends([ends[0]], relation, [ends[1]], frozenset([relation] if symmetric else [])).where()
    condition = f"v.group_id = :g AND {believed('v')} AND {where}"
    return versions(db, condition, {"g": group_id, "s": EVERYTHING, **bindings})


def of_fact(db: apsw.Connection, fact: int) -> list[VersionRecord]:
    """Every version of a fact there ever was, by system time."""
    return _by_system_time(versions(db, "v.fact_id = :f", {"f": fact}))


def of_entity(db: apsw.Connection, entity: int) -> list[VersionRecord]:
    """Every version of every fact at either end of an entity there ever was, and of what is part of it now, by system time."""
    parts = Identity(db).members(entity)
    found = {record.row: record for part in parts for record in versions(db, _AT_EITHER_END, {"e": part})}
    return _by_system_time(list(found.values()))


def timeline(db: apsw.Connection, entity: int, *, valid_at: int | None, known_at: int) -> list[VersionRecord]:
    """The versions at either end of an entity believed at `known_at`, by valid time, then announcements without a date.

    valid_at: only those that hold then.
    """
    when = "" if valid_at is None else f" AND {holds('v')}"
    found = versions(db, f"{_AT_EITHER_END} AND {believed('v')}{when}", {"e": entity, "s": known_at, "t": valid_at})
    found.sort(key=lambda record: (record.valid_at is not None, record.valid_at or 0))
    if valid_at is None:
        found += _plans_of(db, entity, known_at)
    return found


def _plans_of(db: apsw.Connection, entity: int, known_at: int) -> list[VersionRecord]:
    """Announcements without a date at either end of an entity, as believed then."""
    who = Identity(db, known_at)
    if who.plain:
        return undated_plans(db, known_at=known_at, where=_AT_EITHER_END, bindings={"e": entity})
    parts = "IN (SELECT value FROM json_each(:parts))"
    where = f"v.source_id {parts} OR v.target_id {parts} OR v.id IN (SELECT claim_id FROM moves WHERE entity_id {parts})"
    plans = undated_plans(db, known_at=known_at, where=where, bindings={"parts": in_list(who.members(entity))})
    return [record for record in plans if entity in {record.source, record.target}]


def _by_system_time(records: list[VersionRecord]) -> list[VersionRecord]:
    return sorted(records, key=lambda record: (record.created_at, record.valid_at is not None, record.valid_at or 0))


def undated_plans(db: apsw.Connection, *, known_at: int, where: str, bindings: Mapping[str, Any]) -> list[VersionRecord]:
    """Announcements without a date believed at `known_at`, as records; `where` speaks of the claim as v."""
    rows = db.execute(
        "SELECT NULL, v.id, v.source_id, v.relation, v.target_id, NULL, v.invalid_at, NULL, v.invalid_precision,"
        " NULL, NULL, NULL,"
        " p.created_at, p.expired_at FROM supports p JOIN claims v ON v.id = p.fact_id"
        f" WHERE p.undated AND p.claim_id = p.fact_id AND {believed('p')} AND ({where}) ORDER BY v.id",
        {"s": known_at, **bindings},
    )
    return _as_then(db, [VersionRecord(*row) for row in rows], known_at)


def _as_then(db: apsw.Connection, records: list[VersionRecord], known_at: int) -> list[VersionRecord]:
    """Records made of claims, with the entities that their ends were then."""
    if not records or (who := Identity(db, known_at)).plain:
        return records
    ends = {row.id: who.ends(row) for row in claims.by_ids(db, [record.fact for record in records])}
    return [record._replace(source=ends[record.fact][0], target=ends[record.fact][1]) for record in records]


class _Support(NamedTuple):
    uuid: str
    text: str | None
    kind: str
    created_at: int
    attributes: str
    episode: str | None


def _supports(db: apsw.Connection, fact_ids: Iterable[int], known_at: int) -> dict[int, list[_Support]]:
    """The claims behind each fact, in recorded order; just the claim itself where it supports nothing then."""
    found: dict[int, list[_Support]] = defaultdict(list)
    wanted = sorted(set(fact_ids))
    for fact, *rest in db.execute(
        "SELECT p.fact_id, c.uuid, c.fact, c.kind, c.created_at, c.attributes, e.uuid FROM supports p"
        " JOIN claims c ON c.id = p.claim_id LEFT JOIN episodes e ON e.id = c.episode_id"
        f" WHERE p.fact_id IN (SELECT value FROM json_each(:ids)) AND {believed('p')}"
        " ORDER BY p.fact_id, c.created_at, c.position, c.uuid",
        {"ids": in_list(wanted), "s": known_at},
    ):
        found[fact].append(_Support(*rest))
    alone = [fact for fact in wanted if fact not in found]
    for row, *rest in (
        db.execute(
            "SELECT c.id, c.uuid, c.fact, c.kind, c.created_at, c.attributes, e.uuid FROM claims c"
            " LEFT JOIN episodes e ON e.id = c.episode_id WHERE c.id IN (SELECT value FROM json_each(?))",
            (in_list(alone),),
        )
        if alone
        else ()
    ):
        found[row].append(_Support(*rest))
    return found


def words(relation: str) -> str:
    """A relation's name as words.

    >>> words("WORKS_AT")
    'works at'
    """
    return relation.replace("_", " ").lower()


def facts(db: apsw.Connection, records: Sequence[VersionRecord], known_at: int = EVERYTHING) -> list[Fact]:
    """The facts behind version records, one each, in the same order, as believed at `known_at`."""
    names = entities(db, [end for record in records for end in (record.source, record.target)], known_at)
    supports = _supports(db, [record.fact for record in records], known_at)
    return [_fact(record, names, supports[record.fact]) for record in records]


def _fact(record: VersionRecord, names: Mapping[int, Entity], supports: Sequence[_Support]) -> Fact:
    source, target, first = names[record.source], names[record.target], supports[0]
    attributes: dict[str, Any] = {}
    for support in supports:
        texts(support.uuid, support.text, support.episode, record.relation)
        attributes |= json.loads(support.attributes)
    return Fact(
        uuid=first.uuid,
        group=source.group,
        source=source,
        relation=record.relation,
        target=target,
        fact=first.text or f"{source.name} {words(record.relation)} {target.name}",
        valid_at=optional_datetime(record.valid_at),
        invalid_at=optional_datetime(record.invalid_at),
        created_at=to_datetime(first.created_at),
        expired_at=optional_datetime(record.learned_at),
        episodes=tuple(dict.fromkeys(support.episode for support in supports if support.episode is not None)),
        claims=tuple(support.uuid for support in supports),
        attributes=attributes,
        valid_precision=record.valid_precision,
        invalid_precision=record.invalid_precision,
        planned=all(support.kind == "planned" for support in supports),
    )


def best_period(records: Sequence[VersionRecord], valid_at: int) -> VersionRecord:
    """The period to show of one fact: the one containing `valid_at`, else the latest that began before it, else the first."""
    ordered = sorted(records, key=lambda record: (record.valid_at is not None, record.valid_at or 0))
    begun = [record for record in ordered if record.valid_at is None or record.valid_at <= valid_at]
    return begun[-1] if begun else ordered[0]


def supported_facts(db: apsw.Connection, claim_ids: Iterable[int], known_at: int) -> dict[int, int]:
    """Claim to fact (both rows), as believed at `known_at`."""
    return dict(
        db.execute(
            "SELECT p.claim_id, p.fact_id FROM supports p"
            f" WHERE p.claim_id IN (SELECT value FROM json_each(:ids)) AND {believed('p')}",
            {"ids": in_list(claim_ids), "s": known_at},
        )
    )


def last_supported(db: apsw.Connection, claim_id: int) -> int | None:
    """The fact that a claim supports, or supported when it was last believed."""
    query = "SELECT fact_id FROM supports WHERE claim_id = ? ORDER BY created_at DESC LIMIT 1"
    fact: int | None = db.execute(query, (claim_id,)).get
    return fact


def periods_of(db: apsw.Connection, fact_ids: Iterable[int], known_at: int) -> dict[int, list[VersionRecord]]:
    """The versions of each fact believed at `known_at`; an announcement without a date as a record without a row."""
    ids = {"ids": in_list(sorted(set(fact_ids)))}
    found: dict[int, list[VersionRecord]] = defaultdict(list)
    where = f"v.fact_id IN (SELECT value FROM json_each(:ids)) AND {believed('v')}"
    for record in versions(db, where, {**ids, "s": known_at}):
        found[record.fact].append(record)
    for record in undated_plans(db, known_at=known_at, where="v.id IN (SELECT value FROM json_each(:ids))", bindings=ids):
        found[record.fact].append(record)
    return found


def shown(db: apsw.Connection, fact_ids: Iterable[int], *, valid_at: int, known_at: int = EVERYTHING) -> list[Fact]:
    """Facts by the row of their first claim, each with its best period; one that holds at no time is left out."""
    wanted = list(fact_ids)
    periods = periods_of(db, wanted, known_at)
    return facts(db, [best_period(periods[fact], valid_at) for fact in wanted if periods[fact]], known_at)


def version_values(db: apsw.Connection, records: Sequence[VersionRecord], known_at: int = EVERYTHING) -> list[Version]:
    """The rows as values, with the names believed at `known_at`, the first claim's text and the claim that ended each."""
    names = entities(db, [end for record in records for end in (record.source, record.target)], known_at)
    wanted = {record.fact for record in records} | {record.cause_id for record in records if record.cause_id is not None}
    said = {
        row: (uuid, fact)
        for row, uuid, fact in db.execute(
            "SELECT id, uuid, fact FROM claims WHERE id IN (SELECT value FROM json_each(?))", (in_list(sorted(wanted)),)
        )
    }
    said_so = _asserted(db, [record.fact for record in records])
    values = []
    for record in records:
        uuid, text = said[record.fact]
        texts(uuid, text, record.relation, record.cause)
        source, target = names[record.source], names[record.target]
        values.append(
            Version(
                uuid=uuid,
                valid_at=optional_datetime(record.valid_at),
                invalid_at=optional_datetime(record.invalid_at),
                created_at=to_datetime(record.created_at),
                expired_at=optional_datetime(record.expired_at),
                cause=record.cause,
                source=source,
                relation=record.relation,
                target=target,
                fact=text or f"{source.name} {words(record.relation)} {target.name}",
                by=None if record.cause_id is None else said[record.cause_id][0],
                planned=not any(begun <= record.created_at < ended for begun, ended in said_so[record.fact]),
                valid_precision=record.valid_precision,
                invalid_precision=record.invalid_precision,
            )
        )
    return values


def _asserted(db: apsw.Connection, fact_ids: Iterable[int]) -> dict[int, list[tuple[int, int]]]:
    """When, in system time, each fact had a claim that is no announcement."""
    found: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for fact, begun, ended in db.execute(
        "SELECT p.fact_id, p.created_at, coalesce(p.expired_at, ?) FROM supports p JOIN claims c ON c.id = p.claim_id"
        " WHERE c.kind <> 'planned' AND p.fact_id IN (SELECT value FROM json_each(?))",
        (EVERYTHING, in_list(sorted(set(fact_ids)))),
    ):
        found[fact].append((begun, ended))
    return found
