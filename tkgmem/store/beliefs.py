"""Versions and supports as rows: a change of belief closes rows and inserts new ones, at one instant of system time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import apsw

from tkgmem.store.rows import in_list
from tkgmem.temporal.believed import Believed, SupportRow, VersionRow
from tkgmem.temporal.claim import FUTURE, PAST, Held


class _Open(NamedTuple):
    """A version that is believed: its row, and when another claim told that it ends."""

    row: int
    learned: int | None


def _open_versions(db: apsw.Connection, facts: str) -> dict[VersionRow, _Open]:
    return {
        VersionRow(fact, (source, relation, target), Held(start, end, cause, by, vp, ip)): _Open(row, learned)
        for row, fact, source, relation, target, start, end, cause, by, learned, vp, ip in db.execute(
            "SELECT id, fact_id, source_id, relation, target_id, valid_at, invalid_at, cause, cause_id, learned_at,"
            " valid_precision, invalid_precision FROM versions"
            " WHERE fact_id IN (SELECT value FROM json_each(?)) AND expired_at IS NULL",
            (facts,),
        )
    }


def _open_supports(db: apsw.Connection, claims: str) -> set[SupportRow]:
    return {
        SupportRow(claim, fact, bool(undated))
        for claim, fact, undated in db.execute(
            "SELECT claim_id, fact_id, undated FROM supports"
            " WHERE claim_id IN (SELECT value FROM json_each(?)) AND expired_at IS NULL",
            (claims,),
        )
    }


def change(db: apsw.Connection, group_id: int, concerned: Iterable[int], now: Believed, at: int) -> list[int]:
    """Believe `now` from `at` on, in place of what was believed of the concerned claims and the facts they name.

    concerned: the rows of every claim of the derivation, those just closed included.
    Returns the facts (rows of claims) that are now believed to end earlier than before, or to hold at no time.
    """
    ids = in_list(sorted(set(concerned)))
    versions, supports = _open_versions(db, ids), _open_supports(db, ids)
    closed = [opened.row for version, opened in versions.items() if version not in now.versions]
    db.execute("UPDATE versions SET expired_at = ? WHERE id IN (SELECT value FROM json_each(?))", (at, in_list(closed)))
    for support in sorted(supports - now.supports, key=lambda row: (row.claim, row.fact)):
        db.execute(
            "UPDATE supports SET expired_at = ? WHERE claim_id = ? AND fact_id = ? AND expired_at IS NULL",
            (at, support.claim, support.fact),
        )
    by_fact: dict[int, list[VersionRow]] = defaultdict(list)
    for version in versions:
        by_fact[version.fact].append(version)
    for version in sorted(now.versions - versions.keys(), key=_order):
        before = _before(version, by_fact[version.fact])
        _insert_version(db, group_id, version, at, _learned(version, before, versions[before].learned if before else None, at))
    new = sorted(now.supports - supports, key=lambda row: (row.claim, row.fact))
    db.executemany(
        "INSERT INTO supports (claim_id, fact_id, undated, created_at) VALUES (?, ?, ?, ?)",
        [(row.claim, row.fact, int(row.undated), at) for row in new],
    )
    ended, ends = _ends(versions), _ends(now.versions)
    return sorted(fact for fact, end in ended.items() if ends.get(fact, PAST) < end)


def _order(version: VersionRow) -> tuple[int, bool, int]:
    return (version.fact, version.held.start is not None, version.held.start or 0)


def _ends(versions: Iterable[VersionRow]) -> dict[int, float]:
    """When each fact ends for good."""
    ends: dict[int, float] = {}
    for version in versions:
        end = FUTURE if version.held.end is None else version.held.end
        ends[version.fact] = max(end, ends.get(version.fact, PAST))
    return ends


def _before(version: VersionRow, opened: Sequence[VersionRow]) -> VersionRow | None:
    """What was believed of the fact where this version begins: the last period that began no later, else the first."""
    start = PAST if version.held.start is None else version.held.start
    begun = [old for old in opened if old.held.start is None or old.held.start <= start]
    return max(begun, key=_order) if begun else min(opened, key=_order, default=None)


def _learned(version: VersionRow, before: VersionRow | None, learned: int | None, at: int) -> int | None:
    """When another claim told that a period ends: at the change of belief that first made it so, without a break since."""
    held = version.held
    if held.end is None or held.cause == "stated":
        return held.told
    return at if before is None or before.held.cause in {None, "stated"} else learned


def _insert_version(db: apsw.Connection, group_id: int, version: VersionRow, at: int, learned: int | None) -> None:
    held, (source, relation, target) = version.held, version.triple
    db.execute(
        "INSERT INTO versions (fact_id, group_id, source_id, relation, target_id, valid_at, invalid_at, valid_precision,"
        " invalid_precision, cause, cause_id, learned_at, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            version.fact,
            group_id,
            source,
            relation,
            target,
            held.start,
            held.end,
            held.valid_precision,
            held.invalid_precision,
            held.cause,
            held.by,
            learned,
            at,
        ),
    )


def rewind(db: apsw.Connection, concerned: Iterable[int], since: int) -> None:
    """Take the derived rows of these claims back to what they were just before `since`."""
    ids = in_list(sorted(set(concerned)))
    for table, column in (("versions", "fact_id"), ("supports", "claim_id")):
        where = f"{column} IN (SELECT value FROM json_each(?))"
        db.execute(f"DELETE FROM {table} WHERE {where} AND created_at >= ?", (ids, since))
        db.execute(f"UPDATE {table} SET expired_at = NULL WHERE {where} AND expired_at >= ?", (ids, since))
