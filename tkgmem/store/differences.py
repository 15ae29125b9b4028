"""What differs between two instants of system time, (a, b]: found by when rows began and ended, so that little is read where
little changed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import apsw

from tkgmem.store import claims, facts, identity
from tkgmem.store.clocks import believed
from tkgmem.store.facts import VersionRecord
from tkgmem.store.rows import in_list

_WITHIN = "{0} > :a AND {0} <= :b"
_IN_GROUP = "SELECT v.fact_id FROM json_each(:g) g CROSS JOIN versions v INDEXED BY versions_by_clocks ON v.group_id = g.value"
_VERSIONS = " UNION ".join(
    f"{_IN_GROUP} AND {when}"
    for when in (
        _WITHIN.format("v.expired_at"),
        f"v.expired_at IS NULL AND {_WITHIN.format('v.created_at')}",
        f"v.expired_at > :b AND {_WITHIN.format('v.created_at')}",
    )
)
_SOME_MERGE = " OR ".join(
    f"EXISTS (SELECT 1 FROM {table} WHERE {what} AND (({_WITHIN.format('created_at')}) OR ({_WITHIN.format('expired_at')})))"
    for table, what in (("merges", "1"), ("moves", "1"), ("gaps", "(merge_id IS NOT NULL OR move_id IS NOT NULL)"))
)
_PLANS = (
    "SELECT p.fact_id FROM supports p INDEXED BY supports_undated CROSS JOIN claims c ON c.id = p.claim_id WHERE p.undated"
    f" AND c.group_id IN (SELECT value FROM json_each(:g)) AND (({_WITHIN.format('p.created_at')})"
    f" OR ({_WITHIN.format('p.expired_at')}) OR {_SOME_MERGE})"
)


def touched(db: apsw.Connection, groups: Sequence[int], a: int, b: int) -> list[int]:
    """The facts of which some belief began or ended in (a, b], and all announcements without a date if somebody was merged."""
    rows = db.execute(f"{_VERSIONS} UNION {_PLANS} ORDER BY 1", {"g": in_list(groups), "a": a, "b": b})
    return [fact for (fact,) in rows]


def versions_between(db: apsw.Connection, fact_ids: Iterable[int], a: int, b: int) -> dict[int, list[VersionRecord]]:
    """The versions of each of these facts that were believed at some instant of [a, b]."""
    found: dict[int, list[VersionRecord]] = defaultdict(list)
    when = "v.created_at <= :b AND (v.expired_at IS NULL OR v.expired_at > :a)"
    where = f"v.fact_id IN (SELECT value FROM json_each(:ids)) AND {when}"
    for record in facts.versions(db, where, {"ids": in_list(fact_ids), "a": a, "b": b}):
        found[record.fact].append(record)
    return found


def supporters(db: apsw.Connection, fact_ids: Iterable[int], at: int) -> dict[int, list[int]]:
    """The claims that support each of these facts, as believed then, in recorded order."""
    found: dict[int, list[int]] = defaultdict(list)
    for fact, claim in db.execute(
        "SELECT p.fact_id, c.id FROM supports p JOIN claims c ON c.id = p.claim_id"
        f" WHERE p.fact_id IN (SELECT value FROM json_each(:ids)) AND {believed('p')}"
        " ORDER BY p.fact_id, c.created_at, c.position, c.uuid",
        {"ids": in_list(fact_ids), "s": at},
    ):
        found[fact].append(claim)
    return found


class Closing(NamedTuple):
    """Since when a claim was not believed, and the claim that a correction put in its place."""

    at: int
    replaced_by: int | None


def closings(db: apsw.Connection, claim_ids: Iterable[int], at: int) -> dict[int, Closing]:
    """Those of these claims that had been taken back or corrected by then."""
    of = "IN (SELECT value FROM json_each(:ids))"
    rows = db.execute(
        f"SELECT id, expired_at, replaced_by_id FROM claims WHERE id {of} AND expired_at <= :s"
        f" UNION ALL SELECT claim_id, created_at, replaced_by_id FROM gaps WHERE claim_id {of} AND created_at <= :s"
        " AND :s < expired_at",
        {"ids": in_list(claim_ids), "s": at},
    )
    return {claim: Closing(since, successor) for claim, since, successor in rows}


def recorded_after(db: apsw.Connection, claim_ids: Iterable[int], at: int) -> set[int]:
    """Those of these claims that were recorded after an instant."""
    query = "SELECT id FROM claims WHERE id IN (SELECT value FROM json_each(?)) AND created_at > ?"
    return {claim for (claim,) in db.execute(query, (in_list(claim_ids), at))}


def ended_by(db: apsw.Connection, claim_ids: Iterable[int], at: int) -> dict[int, int]:
    """Claim to the fact that ends by it, as believed then: the last one, if there are several."""
    rows = db.execute(
        "SELECT v.cause_id, v.fact_id FROM versions v INDEXED BY versions_by_cause"
        f" WHERE v.cause_id IN (SELECT value FROM json_each(:ids)) AND v.cause = 'ended' AND {believed('v')}"
        " ORDER BY v.valid_at, v.fact_id",
        {"ids": in_list(claim_ids), "s": at},
    )
    return dict(rows)


def rows_of_claims(db: apsw.Connection, uuids: Iterable[str]) -> set[int]:
    """The rows of claims by their uuids."""
    query = "SELECT id FROM claims WHERE uuid IN (SELECT value FROM json_each(?))"
    return {row for (row,) in db.execute(query, (in_list(uuids),))}


def became_another(db: apsw.Connection, fact: int, a: int, b: int) -> int | None:
    """When in (a, b] an end of a claim last became another entity, None if it did not."""
    return max((at for at in identity.changes(db, claims.by_ids(db, [fact])) if a < at <= b), default=None)


def beginning_or_ending(
    db: apsw.Connection, groups: Sequence[int], a: int, b: int, known_at: int
) -> tuple[list[VersionRecord], list[VersionRecord]]:
    """The facts that hold at `b` and not at `a` in valid time, and those that hold at `a` and not at `b`, as believed then.

    Each with the period that contains `b`, or `a`.
    """
    scope = f"v.group_id IN (SELECT value FROM json_each(:g)) AND {believed('v')}"
    other = f"SELECT 1 FROM versions o WHERE o.fact_id = v.fact_id AND {believed('o')} AND {{}}"
    holds = "({0}.valid_at IS NULL OR {0}.valid_at <= {1}) AND ({0}.invalid_at IS NULL OR {0}.invalid_at > {1})"
    bindings = {"g": in_list(groups), "s": known_at, "a": a, "b": b}
    began = f"{scope} AND {_WITHIN.format('v.valid_at')} AND (v.invalid_at IS NULL OR v.invalid_at > :b)"
    ended = f"{scope} AND {_WITHIN.format('v.invalid_at')} AND (v.valid_at IS NULL OR v.valid_at <= :a)"
    return (
        facts.versions(db, f"{began} AND NOT EXISTS ({other.format(holds.format('o', ':a'))})", bindings),
        facts.versions(db, f"{ended} AND NOT EXISTS ({other.format(holds.format('o', ':b'))})", bindings),
    )
