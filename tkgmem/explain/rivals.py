"""What a fact gives way to, and what gives way to it: by the rows where they tell, else derived again as it was believed then.

Rows name what ends a period. What takes all of a fact, or its beginning, shows in the derivation only.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tkgmem.reasons import Rule
from tkgmem.store import claims, derivation, reasons, relations
from tkgmem.store.clocks import EVERYTHING
from tkgmem.store.connection import Connection
from tkgmem.store.facts import VersionRecord
from tkgmem.store.reasons import Recorded
from tkgmem.temporal.claim import FUTURE, PAST, Claim, Conflict, Stint
from tkgmem.temporal.hold import sweep
from tkgmem.temporal.timeline import derive


@dataclass(frozen=True, slots=True)
class Yields:
    """One fact (a row) gives way to another, from a valid time on (None: the unknown past), by a rule."""

    fact: int
    to: int
    start: int | None
    rule: Rule


@dataclass(frozen=True, slots=True)
class Rivalry:
    """What a fact gives way to and what gives way to it, each in order of valid time."""

    above: tuple[Yields, ...] = ()
    below: tuple[Yields, ...] = ()


def rivalry(db: Connection, fact: int, periods: Sequence[VersionRecord], own: Sequence[Recorded], known_at: int) -> Rivalry:
    """What a fact that is believed then gives way to, and what gives way to it. periods: when it holds; own: its claims."""
    if all(claim.kind == "planned" and claim.valid_at is None for claim in own):
        return Rivalry()
    return _by_rows(db, fact, periods, own, known_at) or _derived(db, fact, known_at)


# --- by rows ---


def _by_rows(
    db: Connection, fact: int, periods: Sequence[VersionRecord], own: Sequence[Recorded], known_at: int
) -> Rivalry | None:
    """None where the rows may not tell all of it."""
    ids = [claim.id for claim in own]
    if not periods or all(claim.kind == "end" for claim in own) or reasons.judged(db, ids, known_at):
        return None  # of ends that end nothing, another one may hold first
    if reasons.contested(db, periods[0], own[0].group_id, ids, relations.load(db, known_at), known_at):
        return None
    below = reasons.ended_by(db, fact, known_at)
    ending = [record for record in periods if record.cause == "superseded" and record.cause_id is not None]
    ends = {row: _stated_end(db, row, known_at) for row in dict.fromkeys([fact, *(r.cause_id for r in ending if r.cause_id)])}
    last = periods[-1]
    if last in ending and last.cause_id is not None and (end := ends[last.cause_id]) is not None and _goes_on(own, end):
        return None
    return Rivalry(tuple(_row_yields(record, ends) for record in ending), tuple(_row_yields(record, ends) for record in below))


def _stated_end(db: Connection, fact: int, known_at: int) -> int | None:
    """R2: where a fact ends by what its own claims state; None if it is open-ended."""
    own = reasons.recorded(db, reasons.supporting(db, fact, known_at), known_at)
    return max((claim.invalid_at for claim in own if claim.invalid_at is not None), default=None)


def _goes_on(own: Iterable[Recorded], after: int) -> bool:
    """Whether a fact's own claims let it hold after an instant."""
    ends = [claim.invalid_at for claim in own]
    stated = [end for end in ends if end is not None]
    return not stated or max(stated) > after


def _row_yields(record: VersionRecord, ends: dict[int, int | None]) -> Yields:
    assert record.cause_id is not None
    return Yields(
        record.fact, record.cause_id, record.invalid_at, "later start" if ends[record.cause_id] is None else "bounded"
    )


# --- by deriving again ---


class Derived(NamedTuple):
    """What followed at a system time from claims and the judged conflicts among them."""

    stints: list[Stint]
    claims: list[Claim]
    conflicts: list[Conflict]


def derived_with(db: Connection, fact: int, known_at: int) -> Derived:
    """What followed then from all the claims that have to do with a claim, or a fact (a row)."""
    table, now = relations.load(db, known_at), known_at == EVERYTHING
    tables = [table] if now else derivation.tables(db)
    rows, links = claims.component(db, claims.by_ids(db, [fact]), tables, ever=not now)
    then = [row for row in rows if row.believed_at(known_at)]
    believed, conflicts = claims.as_claims(db, then, table, known_at), claims.as_conflicts(links, then, known_at)
    return Derived(derive(believed, conflicts), believed, conflicts)


def _derived(db: Connection, fact: int, known_at: int) -> Rivalry:
    derived = derived_with(db, fact, known_at)
    piles = _Piles(derived.stints, derived.conflicts)
    own = next((stint for stint in derived.stints if stint.first.id == fact), None)
    if own is None:
        return Rivalry()
    above = tuple(piles.above(own))
    earlier = [stint for stint in derived.stints if stint.index < own.index and own.start < min(stint.end, stint.cap)]
    below = [found for stint in earlier for found in piles.above(stint) if found.to == fact]
    return Rivalry(above, tuple(below))


class _Piles:
    """The stints of a derivation and, for each slot, which of them is on top when."""

    def __init__(self, stints: Sequence[Stint], conflicts: Iterable[Conflict]) -> None:
        members: dict[Hashable, list[Stint]] = defaultdict(list)
        for stint in stints:
            for slot in stint.slots:
                members[slot].append(stint)
        self._pieces = {slot: sweep(pile) for slot, pile in members.items()}
        holder = {claim.uuid: stint for stint in stints for claim in stint.claims}
        self._rivals: dict[int, list[Stint]] = defaultdict(list)
        for conflict in conflicts:
            one, other = holder.get(conflict.a), holder.get(conflict.b)
            if one is not None and other is not None and one is not other:
                self._rivals[min(one.index, other.index)].append(max(one, other, key=lambda stint: stint.index))

    def above(self, stint: Stint) -> list[Yields]:
        """What lies on top of a stint, in order of time, up to the first that is open-ended: that ends it for good."""
        found: dict[int, Yields] = {}
        for start, top, judged in sorted(self._over(stint), key=lambda piece: (piece[0], piece[1].index)):
            rule: Rule = "judged" if judged else "same start" if top.start == stint.start else "later start"
            if top.end < FUTURE and (rule == "later start" or all(claim.is_end for claim in top.claims)):
                rule = "bounded"  # of two ends that end nothing the one that ends first holds first, whichever was told later
            at = max(start, stint.start)
            found.setdefault(top.index, Yields(stint.first.id, top.first.id, None if at == PAST else int(at), rule))
            if top.end == FUTURE:
                break
        return list(found.values())

    def _over(self, stint: Stint) -> Iterator[tuple[float, Stint, bool]]:
        end = min(stint.end, stint.cap)
        for slot in stint.slots:
            pieces = self._pieces[slot]
            first = bisect_right(pieces, stint.start, key=lambda piece: piece[1])
            for start, _, top in pieces[first:]:
                if start >= end:
                    break
                if top.index > stint.index:
                    yield start, top, False
                    if top.end == FUTURE:
                        break
        for rival in self._rivals[stint.index]:
            if rival.start < end and stint.start < rival.end:
                yield rival.start, rival, True
