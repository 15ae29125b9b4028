"""Versions and supports as rows: a change of belief closes rows and inserts new ones, at one instant of system time."""

from __future__ import annotations

from collections.abc import Iterable

import apsw

from tkgmem.store.read import in_list
from tkgmem.temporal.believed import Believed, SupportRow, VersionRow
from tkgmem.temporal.claim import Held


def _open_versions(db: apsw.Connection, facts: str) -> dict[VersionRow, int]:
    return {
        VersionRow(fact, (source, relation, target), Held(start, end, cause, by, learned, vp, ip)): row
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
    Returns the facts (rows of claims) of which a version was closed.
    """
    ids = in_list(sorted(set(concerned)))
    versions, supports = _open_versions(db, ids), _open_supports(db, ids)
    closed = [(row, version.fact) for version, row in versions.items() if version not in now.versions]
    db.execute(
        "UPDATE versions SET expired_at = ? WHERE id IN (SELECT value FROM json_each(?))", (at, in_list(r for r, _ in closed))
    )
    for support in sorted(supports - now.supports, key=lambda row: (row.claim, row.fact)):
        db.execute(
            "UPDATE supports SET expired_at = ? WHERE claim_id = ? AND fact_id = ? AND expired_at IS NULL",
            (at, support.claim, support.fact),
        )
    for version in sorted(now.versions - versions.keys(), key=_order):
        _insert_version(db, group_id, version, at)
    db.executemany(
        "INSERT INTO supports (claim_id, fact_id, undated, created_at) VALUES (?, ?, ?, ?)",
        [
            (row.claim, row.fact, int(row.undated), at)
            for row in sorted(now.supports - supports, key=lambda r: (r.claim, r.fact))
        ],
    )
    return sorted({fact for _, fact in closed})


def _order(version: VersionRow) -> tuple[int, bool, int]:
    return (version.fact, version.held.start is not None, version.held.start or 0)


def _insert_version(db: apsw.Connection, group_id: int, version: VersionRow, at: int) -> None:
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
            held.learned,
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
