"""Versions and supports as rows: a change of belief closes rows and inserts new ones, at one instant of system time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import apsw

from tkgmem.store import gaps
from tkgmem.store.rows import in_list
from tkgmem.temporal.believed import Believed, SupportRow, VersionRow
from tkgmem.temporal.claim import FUTURE, PAST, Held


class _Believed(NamedTuple):
    """A version that is or was believed: its row, and when another claim told that it ends."""

    row: int
    learned: int | None


def _versions(db: apsw.Connection, facts: str, closed_at: int | None = None) -> dict[VersionRow, _Believed]:
    """The versions of these facts whose belief ended at an instant, by default those that are believed."""
    return {
        VersionRow(fact, (source, relation, target), Held(start, end, cause, by, vp, ip)): _Believed(row, learned)
        for row, fact, source, relation, target, start, end, cause, by, learned, vp, ip in db.execute(
            "SELECT id, fact_id, source_id, relation, target_id, valid_at, invalid_at, cause, cause_id, learned_at,"
            " valid_precision, invalid_precision FROM versions"
            " WHERE fact_id IN (SELECT value FROM json_each(?)) AND expired_at IS ?",
            (facts, closed_at),
        )
    }


def _returning(db: apsw.Connection, facts: str, at: int) -> dict[VersionRow, int | None]:
    """What an undo at `at` may bring back of these facts: what was believed when it was closed, and when its end was told."""
    found: dict[VersionRow, int | None] = {}
    for start in gaps.returned(db, at):
        found |= {version: row.learned for version, row in _versions(db, facts, start).items()}
    return found


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
    versions, supports = _versions(db, ids), _open_supports(db, ids)
    known = _returning(db, ids, at)
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
        learned = _learned(version, before, versions[before].learned if before else None, at)
        _insert_version(db, group_id, version, at, known.get(version, learned))
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


# --- what a change of belief came to ---

_AT_ONE_TRIPLE = (
    "v.group_id = n.group_id AND v.source_id = n.source_id AND v.relation = n.relation AND v.target_id = n.target_id"
)


def turned(db: apsw.Connection, groups: Iterable[int], at: int) -> list[int]:
    """The facts of these groups of which something else is believed since `at`."""
    query = (
        "SELECT v.fact_id FROM json_each(?1) g CROSS JOIN versions v INDEXED BY versions_by_clocks ON v.group_id = g.value"
        " AND v.expired_at = ?2 UNION SELECT v.fact_id FROM json_each(?1) g CROSS JOIN versions v INDEXED BY versions_by_clocks"
        " ON v.group_id = g.value AND v.expired_at IS NULL AND v.created_at = ?2 ORDER BY 1"
    )
    return [fact for (fact,) in db.execute(query, (in_list(groups), at))]


def gone(db: apsw.Connection, facts: Iterable[int], at: int) -> list[int]:
    """Of these facts (rows of claims) those that were believed just before `at` and that no claim supports since."""
    query = (
        "SELECT DISTINCT s.fact_id FROM supports s WHERE s.fact_id IN (SELECT value FROM json_each(?1)) AND s.expired_at = ?2"
        " AND NOT EXISTS (SELECT 1 FROM supports b CROSS JOIN supports o ON o.claim_id = b.claim_id AND o.expired_at IS NULL"
        " WHERE b.fact_id = s.fact_id AND b.expired_at = ?2) ORDER BY 1"
    )
    return [fact for (fact,) in db.execute(query, (in_list(facts), at))]


def back_and_ended(db: apsw.Connection, facts: Iterable[int], at: int) -> tuple[list[int], list[int]]:
    """Of these facts those that since `at` are believed to hold at a time at which they were not just before; and those that
    only no longer hold at a time at which they did.
    """
    before: dict[int, list[tuple[float, float]]] = defaultdict(list)
    after: dict[int, list[tuple[float, float]]] = defaultdict(list)
    query = (
        "SELECT n.fact_id, v.valid_at, v.invalid_at, v.created_at < ?2, v.expired_at IS NULL FROM versions n"
        f" CROSS JOIN versions v INDEXED BY versions_by_source ON {_AT_ONE_TRIPLE}"
        " WHERE n.fact_id IN (SELECT value FROM json_each(?1)) AND n.created_at = ?2 AND n.expired_at IS NULL"
        " AND (v.expired_at IS NULL OR v.expired_at = ?2) ORDER BY n.fact_id, v.valid_at"
    )
    for fact, start, end, then, now in db.execute(query, (in_list(facts), at)):
        period = (PAST if start is None else start, FUTURE if end is None else end)
        if then:
            before[fact].append(period)
        if now:
            after[fact].append(period)
    found = [fact for fact in sorted(after) if not all(_covered(period, before[fact]) for period in after[fact])]
    less = [fact for fact in sorted(after) if not all(_covered(period, after[fact]) for period in before[fact])]
    return found, [fact for fact in less if fact not in found]


def _covered(period: tuple[float, float], others: Iterable[tuple[float, float]]) -> bool:
    """Whether every instant of a period lies in one of the others."""
    at, end = period
    for start, stop in sorted(others):
        if start <= at < stop:
            at = stop
    return at >= end
