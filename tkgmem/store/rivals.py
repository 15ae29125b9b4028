"""The facts believed now that a new one may repeat or contradict: candidates for a judge, never more than were asked for."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from tkgmem.store.facts import VersionRecord, versions
from tkgmem.store.rows import in_list

_IN = "IN (SELECT value FROM json_each({}))"


def joining(db: apsw.Connection, group_id: int, ends: Sequence[int], others: Sequence[int], limit: int) -> list[VersionRecord]:
    """Facts between one of these entities and one of those, in either direction, the latest to begin first."""
    a, b = _IN.format(":a"), _IN.format(":b")
    where = f"((v.source_id {a} AND v.target_id {b}) OR (v.source_id {b} AND v.target_id {a}))"
    return _latest(db, group_id, where, {"a": in_list(ends), "b": in_list(others)}, limit)


def leaving(db: apsw.Connection, group_id: int, sources: Sequence[int], relation: str, limit: int) -> list[VersionRecord]:
    """Facts of a relation from one of these entities, the latest to begin first."""
    where = f"v.source_id {_IN.format(':a')} AND v.relation = :r"
    return _latest(db, group_id, where, {"a": in_list(sources), "r": relation}, limit)


def _latest(db: apsw.Connection, group_id: int, where: str, bindings: dict[str, str], limit: int) -> list[VersionRecord]:
    found = versions(db, f"v.group_id = :g AND v.expired_at IS NULL AND {where}", {"g": group_id, **bindings})
    found.sort(key=lambda record: (record.valid_at is None, -(record.valid_at or 0), record.fact, record.row or 0))
    unique = {record.fact: record for record in reversed(found)}
    return [record for record in found if unique[record.fact] is record][:limit]
