"""What explains a fact: the claims that it rests on and ends by, what closed them, and what it gives way to.

Every read is as of a system time :s: what was recorded later, and what was closed later, is not seen.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import NamedTuple

import apsw

from tkgmem.graph import ClaimKind, ModelCall
from tkgmem.reasons import Change
from tkgmem.store.clocks import believed
from tkgmem.store.facts import VersionRecord, versions
from tkgmem.store.identity import Identity
from tkgmem.store.rows import Damaged, in_list
from tkgmem.temporal.period import Precision, to_datetime
from tkgmem.temporal.relations import Relations


class Recorded(NamedTuple):
    """A claim as it stood at a system time. closed: since when it was not believed then, None where it was.

    into: the claim that had taken its place. corrects: it took the place of another one.
    """

    id: int
    uuid: str
    group_id: int
    kind: ClaimKind
    fact: str | None
    valid_at: int | None
    invalid_at: int | None
    valid_precision: Precision | None
    invalid_precision: Precision | None
    reference_time: int | None
    episode_id: int | None
    span_start: int | None
    span_end: int | None
    made_by: str
    created_at: int
    closed: int | None
    into: int | None
    corrects: bool


def _then(column: str, of_gap: str) -> str:
    """A column that closing a claim (c) fills, as it stood at :s."""
    gap = f"SELECT x.{of_gap} FROM gaps x WHERE x.claim_id = c.id AND x.created_at <= :s AND :s < x.expired_at"
    return f"CASE WHEN c.expired_at <= :s THEN c.{column} ELSE ({gap} ORDER BY x.created_at LIMIT 1) END"


_CLOSED = _then("expired_at", "created_at")
_INTO = _then("replaced_by_id", "replaced_by_id")
_RECORDED = (
    "SELECT c.id, c.uuid, c.group_id, c.kind, c.fact, c.valid_at, c.invalid_at, c.valid_precision, c.invalid_precision,"
    " c.reference_time, c.episode_id, c.span_start, c.span_end, c.made_by, c.created_at,"
    f" {_CLOSED}, {_INTO}, EXISTS (SELECT 1 FROM claims o WHERE o.replaced_by_id = c.id)"
    " OR EXISTS (SELECT 1 FROM gaps x WHERE x.replaced_by_id = c.id) FROM claims c WHERE c.created_at <= :s AND {}"
    " ORDER BY +c.created_at, c.position, c.uuid"
)


def recorded(db: apsw.Connection, ids: Iterable[int], known_at: int) -> list[Recorded]:
    """These claims (rows), in recorded order."""
    query = _RECORDED.format("c.id IN (SELECT value FROM json_each(:ids))")
    found = db.execute(query, {"ids": in_list(sorted(set(ids))), "s": known_at})
    return [Recorded(*row)._replace(corrects=bool(row[-1])) for row in found]


def addressed(db: apsw.Connection, uuid: str, known_at: int) -> Recorded | None:
    """The claim that a uuid addressed then: its own, or the one that it had been corrected into."""
    row = next(iter(db.execute(_RECORDED.format("c.uuid = :uuid"), {"uuid": uuid, "s": known_at})), None)
    found = None if row is None else Recorded(*row)._replace(corrects=bool(row[-1]))
    seen: set[int] = set()
    while found is not None and found.into is not None:
        if found.id in seen:
            raise Damaged(f"claim {found.id} is replaced by itself")
        seen.add(found.id)
        [found] = recorded(db, [found.into], known_at)
    return found


def corrected_into(db: apsw.Connection, ids: Iterable[int], known_at: int) -> list[Recorded]:
    """The claims that had been corrected into one of these, at once or step by step, in recorded order."""
    wanted, found = set(ids), set[int]()
    query = (
        f"SELECT c.id FROM claims c WHERE c.id IN (SELECT o.id FROM claims o WHERE o.replaced_by_id IN"
        " (SELECT value FROM json_each(:ids)) UNION SELECT x.claim_id FROM gaps x WHERE x.replaced_by_id IN"
        f" (SELECT value FROM json_each(:ids))) AND {_INTO} IN (SELECT value FROM json_each(:ids))"
    )
    while wanted:
        into = in_list(sorted(wanted))
        wanted = {row for (row,) in db.execute(query, {"ids": into, "s": known_at})} - found
        found |= wanted
    return recorded(db, found, known_at) if found else []


def hidden(db: apsw.Connection, episodes: Iterable[int], known_at: int) -> dict[int, int]:
    """Those of these episodes (rows) that were taken back then, with since when."""
    gap = "SELECT x.created_at FROM gaps x WHERE x.episode_id = e.id AND x.created_at <= :s AND :s < x.expired_at"
    query = (
        f"SELECT e.id, CASE WHEN e.expired_at <= :s THEN e.expired_at ELSE ({gap} ORDER BY x.created_at LIMIT 1) END"
        " FROM episodes e WHERE e.id IN (SELECT value FROM json_each(:ids))"
    )
    found = db.execute(query, {"ids": in_list(episodes), "s": known_at})
    return {row: since for row, since in found if since is not None}


# --- which fact ---


def supported_last(db: apsw.Connection, claim: int, known_at: int) -> int | None:
    """The fact that a claim supported then, or when it was last believed before."""
    query = "SELECT fact_id FROM supports WHERE claim_id = ? AND created_at <= ? ORDER BY created_at DESC LIMIT 1"
    found: int | None = db.execute(query, (claim, known_at)).get
    return found


def capped_last(db: apsw.Connection, claim: int, known_at: int) -> int | None:
    """The fact that an end claim ended then, or was last believed to have ended before; of several the latest to begin."""
    query = (
        "SELECT fact_id FROM versions WHERE cause_id = ? AND cause = 'ended' AND created_at <= ?"
        " ORDER BY created_at DESC, valid_at DESC, fact_id LIMIT 1"
    )
    found: int | None = db.execute(query, (claim, known_at)).get
    return found


def supporting(db: apsw.Connection, fact: int, known_at: int) -> list[int]:
    """The claims that supported a fact then."""
    query = f"SELECT p.claim_id FROM supports p WHERE p.fact_id = :f AND {believed('p')} ORDER BY p.claim_id"
    return [row for (row,) in db.execute(query, {"f": fact, "s": known_at})]


def supported_until(db: apsw.Connection, fact: int, known_at: int) -> list[int]:
    """The claims that supported a fact when it was last believed."""
    query = (
        "SELECT claim_id FROM supports WHERE fact_id = :f AND expired_at ="
        " (SELECT max(expired_at) FROM supports WHERE fact_id = :f AND expired_at <= :s) ORDER BY claim_id"
    )
    return [row for (row,) in db.execute(query, {"f": fact, "s": known_at})]


def closed_with(db: apsw.Connection, fact: int, present: Iterable[int], known_at: int) -> list[int]:
    """The claims that supported the fact, or the one that the present claims supported then, until they were closed."""
    both = (
        "SELECT DISTINCT o.claim_id FROM supports o JOIN claims c ON c.id = o.claim_id"
        f" WHERE o.fact_id {{}} AND o.expired_at <= :s AND o.expired_at = ({_CLOSED}) AND {{}}"
    )
    own = both.format("= :f", "1")
    shared = (
        "EXISTS (SELECT 1 FROM supports p WHERE p.fact_id = o.fact_id AND p.claim_id IN (SELECT value FROM json_each(:present))"
        " AND p.created_at < o.expired_at AND (p.expired_at IS NULL OR p.expired_at >= o.expired_at))"
    )
    others = "IN (SELECT fact_id FROM supports WHERE claim_id IN (SELECT value FROM json_each(:present)) AND fact_id <> :f)"
    query = f"{own} UNION {both.format(others, shared)}"
    return [row for (row,) in db.execute(query, {"f": fact, "present": in_list(present), "s": known_at})]


def given_up(db: apsw.Connection, claims: Iterable[int], known_at: int) -> list[int]:
    """The facts that these claims supported before and that were no longer believed then."""
    query = (
        "SELECT DISTINCT p.fact_id FROM supports p WHERE p.claim_id IN (SELECT value FROM json_each(:ids))"
        " AND p.expired_at <= :s AND NOT EXISTS"
        f" (SELECT 1 FROM supports o WHERE o.fact_id = p.fact_id AND {believed('o')}) ORDER BY 1"
    )
    return [row for (row,) in db.execute(query, {"ids": in_list(claims), "s": known_at})]


# --- what it holds, and what ends it ---


def versions_until(db: apsw.Connection, facts: Iterable[int], known_at: int) -> list[VersionRecord]:
    """Every version of these facts recorded by then, in order of system time; what was closed later is open."""
    where = "v.fact_id IN (SELECT value FROM json_each(:ids)) AND v.created_at <= :s"
    found = versions(db, where, {"ids": in_list(sorted(set(facts))), "s": known_at})
    found.sort(key=lambda record: (record.created_at, record.valid_at is not None, record.valid_at or 0, record.row or 0))
    return [r if r.expired_at is None or r.expired_at <= known_at else r._replace(expired_at=None) for r in found]


def ended_by(db: apsw.Connection, claim: int, known_at: int) -> list[VersionRecord]:
    """The versions believed then that gave way to the fact whose first claim this is."""
    where = f"v.cause_id = :c AND v.cause IN ('superseded', 'judged') AND {believed('v')}"
    return versions(db, where, {"c": claim, "s": known_at})


def judged(db: apsw.Connection, claims: Iterable[int], known_at: int) -> bool:
    """Whether a judged conflict of one of these claims was believed then."""
    of = "IN (SELECT value FROM json_each(:ids))"
    query = (
        f"SELECT EXISTS (SELECT 1 FROM conflicts f WHERE (f.claim_id {of} OR f.other_id {of}) AND {believed('f', 'conflict')})"
    )
    return bool(db.execute(query, {"ids": in_list(claims), "s": known_at}).get)


def judgement(db: apsw.Connection, ones: Iterable[int], others: Iterable[int], known_at: int) -> ModelCall | None:
    """The logged call that judged that two of these claims, one of each list, cannot both hold."""
    one, other = "IN (SELECT value FROM json_each(:a))", "IN (SELECT value FROM json_each(:b))"
    query = (
        "SELECT m.key, e.uuid, m.purpose, m.model, m.request, m.response, m.usable, m.prompt_tokens, m.completion_tokens,"
        " m.cost, m.created_at FROM conflicts f JOIN model_calls m ON m.episode_id = f.episode_id"
        f" JOIN episodes e ON e.id = m.episode_id WHERE ((f.claim_id {one} AND f.other_id {other}) OR (f.claim_id {other}"
        f" AND f.other_id {one})) AND {believed('f', 'conflict')} AND m.purpose = 'judge'"
        " ORDER BY m.created_at <= f.created_at DESC, m.usable DESC, m.id DESC LIMIT 1"
    )
    row = next(iter(db.execute(query, {"a": in_list(ones), "b": in_list(others), "s": known_at})), None)
    if row is None:
        return None
    key, of, purpose, model, request, response, usable, prompt, completion, cost, at = row
    return ModelCall(key, of, purpose, model, request, response, bool(usable), prompt, completion, cost, to_datetime(at))


def contested(
    db: apsw.Connection, record: VersionRecord, group_id: int, own: Iterable[int], relations: Relations, known_at: int
) -> bool:
    """Whether rows may not tell what a fact took over from: a rival may begin with it, or have given way to a bounded one.

    record: the fact's first period. own: its claims.
    """
    sides = _sides(record, relations)
    if not sides:
        return False
    if not Identity(db, known_at).plain:
        return True
    query = (
        "SELECT EXISTS (SELECT 1 FROM claims c INDEXED BY {} WHERE c.group_id = :g AND c.{}_id = :e"
        " AND c.relation IN (SELECT value FROM json_each(:names))"
        f" AND {believed('c', 'claim')} AND c.id NOT IN (SELECT value FROM json_each(:own))"
        " AND (c.valid_at IS :t OR c.valid_at IS NULL OR (c.valid_at < :t AND c.invalid_at >= :t)))"
    )
    bindings = {"g": group_id, "own": in_list(own), "s": known_at, "t": record.valid_at}
    return any(
        db.execute(query.format(_INDEXES[column], column), {**bindings, "e": end, "names": in_list(names)}).get
        for column, end, names in sides
    )


_INDEXES = {"source": "claims_by_triple", "target": "claims_by_target"}


def _sides(record: VersionRecord, relations: Relations) -> list[tuple[str, int, list[str]]]:
    """Where the claims are that cannot hold beside a fact by its relation: the column, the entity, the relation names."""
    resolved, recorded_as = relations.resolve(record.relation), relations.recorded_as(record.relation)
    straight, swapped = ([name for name, turned in recorded_as if turned is side] for side in (False, True))
    sides = []
    if resolved.relation.functional:
        sides += [("source", record.source, straight), ("target", record.source, swapped)]
    if resolved.inverse_functional:
        sides += [("target", record.target, straight), ("source", record.target, swapped)]
    if resolved.relation.functional and resolved.relation.symmetric:
        sides += [
            (column, end, straight)
            for column, end in (("target", record.source), ("source", record.target), ("target", record.target))
        ]
    return [side for side in sides if side[2]]


# --- changes ---


def changes(db: apsw.Connection, instants: Iterable[int], group_id: int) -> dict[int, Change]:
    """The changes of belief at these instants that concern a group, by instant; of several, its own and the first."""
    query = (
        "SELECT t.created_at, t.id, t.verb, g.name, e.uuid, t.reason FROM transactions t"
        " LEFT JOIN groups g ON g.id = t.group_id LEFT JOIN episodes e ON e.id = t.episode_id"
        " WHERE t.created_at IN (SELECT value FROM json_each(?1))"
        " AND (t.group_id IS NULL OR t.group_id = ?2) ORDER BY t.group_id IS NULL DESC, t.id DESC"
    )
    found = db.execute(query, (json.dumps(sorted(set(instants))), group_id))
    return {at: Change(number, to_datetime(at), verb, group, of, reason) for at, number, verb, group, of, reason in found}
