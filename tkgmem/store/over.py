"""What is over: what was ever asserted, or announced, by the asked system time and does not hold at the two clocks.

What says that something ends asserts nothing. An announcement without a date is over once it is no longer believed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import apsw

from tkgmem.store import claims
from tkgmem.store.clocks import At, believed, holds
from tkgmem.store.identity import Identity
from tkgmem.store.rows import in_list

Pair = tuple[int, int]
"""Two entities (rows), the lower first; twice the same where a fact is of one alone."""

_UNDATED = f"EXISTS (SELECT 1 FROM supports p WHERE p.claim_id = c.id AND p.undated AND {believed('p')})"
"""The claims c that are believed announcements without a date."""


def supports_nothing(claim: str) -> str:
    """The claims, by an SQL expression of their row, that support no fact that holds at :t as believed at :s."""
    return (
        "NOT EXISTS (SELECT 1 FROM supports p JOIN versions w ON w.fact_id = p.fact_id"
        f" WHERE p.claim_id = {claim} AND {believed('p')} AND {believed('w')} AND {holds('w')})"
    )


def pair(one: int, other: int) -> Pair:
    """Two entities as a pair."""
    return (one, other) if one <= other else (other, one)


def between(db: apsw.Connection, at: At, wanted: Collection[Pair]) -> set[Pair]:
    """Those of the pairs, of one group, between which something is over. Entities are who they are believed to be then."""
    if not wanted:
        return set()
    who = Identity(db, at.known_at)
    ends = sorted({end for both in wanted for end in both})
    who.load(ends)
    parts = in_list(sorted({part for end in ends for part in who.members(end)}))
    bindings = {"g": at.groups[0], "s": at.known_at, "t": at.valid_at, "parts": parts}
    query = (
        "SELECT DISTINCT v.fact_id, v.source_id, v.target_id FROM json_each(:parts) j"
        " CROSS JOIN versions v INDEXED BY versions_from ON v.group_id = :g AND v.source_id = j.value"
        " WHERE v.created_at <= :s AND v.target_id IN (SELECT value FROM json_each(:parts))"
        f" AND NOT ({believed('v')} AND {holds('v')}) ORDER BY 1, 2, 3"
    )
    ever = [(fact, pair(who.of(source), who.of(target))) for fact, source, target in db.execute(query, bindings)]
    ever = [(fact, both) for fact, both in ever if both in wanted]
    held = _held(db, at, who, [fact for fact, _ in ever])
    return {both for fact, both in ever if both not in held[fact]} | (_announced(db, at, who) & set(wanted))


def _held(db: apsw.Connection, at: At, who: Identity, rows: Iterable[int]) -> dict[int, set[Pair]]:
    """Between whom what these claims support holds."""
    query = (
        "SELECT p.claim_id, w.source_id, w.target_id FROM json_each(:rows) j CROSS JOIN supports p ON p.claim_id = j.value"
        f" JOIN versions w ON w.fact_id = p.fact_id WHERE {believed('p')} AND {believed('w')} AND {holds('w')}"
    )
    found: dict[int, set[Pair]] = defaultdict(set)
    bindings = {"rows": in_list(sorted(set(rows))), "s": at.known_at, "t": at.valid_at}
    for claim, source, target in db.execute(query, bindings):
        found[claim].add(pair(who.of(source), who.of(target)))
    return found


def _announced(db: apsw.Connection, at: At, who: Identity) -> set[Pair]:
    """Between whom there were announcements without a date that are over: they never had a version."""
    query = (
        "SELECT DISTINCT c.id FROM supports u INDEXED BY supports_undated CROSS JOIN claims c NOT INDEXED ON c.id = u.claim_id"
        f" WHERE u.undated AND u.created_at <= :s AND c.group_id = :g AND NOT {_UNDATED} AND {supports_nothing('c.id')}"
    )
    bindings = {"g": at.groups[0], "s": at.known_at, "t": at.valid_at}
    rows = claims.by_ids(db, [row for (row,) in db.execute(query, bindings)])
    who.load_claims(rows)
    return {pair(*who.ends(row)) for row in rows}


class _Told(NamedTuple):
    """Where the words of a claim are from."""

    uuid: str
    episode: int
    text: str | None
    span: Pair | None


def beside(db: apsw.Connection, at: At, uuids: Iterable[str]) -> set[str]:
    """Those of the claims whose words another claim of their episode rests on, too, that is over."""
    where = "c.uuid IN (SELECT value FROM json_each(:of)) AND c.episode_id IS NOT NULL"
    asked = _told(db, where, {"of": in_list(sorted(set(uuids)))})
    if not asked:
        return set()
    where = (
        "c.episode_id IN (SELECT value FROM json_each(:of)) AND c.kind <> 'end' AND c.created_at <= :s"
        f" AND {supports_nothing('c.id')} AND NOT {_UNDATED}"
    )
    episodes = in_list(sorted({one.episode for one in asked}))
    texts: set[tuple[int, str]] = set()
    spans: dict[int, list[Pair]] = defaultdict(list)
    for one in _told(db, where, {"of": episodes, "s": at.known_at, "t": at.valid_at}):
        if one.text is not None:
            texts.add((one.episode, one.text))
        if one.span is not None:
            spans[one.episode].append(one.span)
    joined = {episode: _joined(several) for episode, several in spans.items()}
    return {
        one.uuid
        for one in asked
        if (one.episode, one.text) in texts or (one.span is not None and _meets(one.span, joined.get(one.episode, ())))
    }


def _told(db: apsw.Connection, where: str, bindings: dict[str, object]) -> list[_Told]:
    query = f"SELECT c.uuid, c.episode_id, c.fact, c.span_start, c.span_end FROM claims c WHERE {where} ORDER BY c.id"
    return [
        _Told(uuid, episode, text, None if start is None or end is None else (start, end))
        for uuid, episode, text, start, end in db.execute(query, bindings)
    ]


def _joined(spans: Iterable[Pair]) -> list[Pair]:
    """The spans [start, end) in order, those that overlap as one."""
    found: list[Pair] = []
    for start, end in sorted(spans):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def _meets(span: Pair, apart: Sequence[Pair]) -> bool:
    """Whether a span overlaps one of several that are in order and apart.

    >>> [_meets(span, [(2, 4), (6, 8)]) for span in [(0, 2), (0, 3), (4, 6), (7, 9), (8, 9)]]
    [False, True, False, True, False]
    """
    last = bisect_left(apart, (span[1],)) - 1
    return last >= 0 and apart[last][1] > span[0]
