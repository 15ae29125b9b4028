"""Claims to facts: the rules R1 to R9 as one pure function of the claims believed at one instant of system time.

Claims are laid down in order of (start, recorded), each on top of what began before it. A fact is one stint of one triple; it
holds where it covers an instant, nothing above it in any of its slots does, and no end of its triple came before. Whatever the
claims' order of arrival, the facts are the same; only equal starts are decided by it.

A slot is what only one target can hold at a time: (group, source, relation) where the relation is functional, each end of the
pair where it is also symmetric, the triple itself where it is not functional. Claims that share no slot and no judged conflict
never influence each other, so a derivation needs the claims of its own slots only.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from heapq import heappop, heappush

from tkgmem.temporal.claim import FUTURE, PAST, Claim, Conflict, Stint
from tkgmem.temporal.hold import hold


def derive(claims: Iterable[Claim], conflicts: Iterable[Conflict] = ()) -> list[Stint]:
    """The facts that follow from the claims believed at one instant of system time, in order of their starts.

    `claims` must hold every believed claim of each slot it touches, `conflicts` every believed judged conflict between them.
    Cost: O(n log n) in the number of claims.
    """
    believed = [claim for claim in claims if not claim.is_undated_plan]
    walk = _Walk(believed, conflicts)
    walk.run()
    hold(walk.stints, walk.rivals)
    return walk.stints


def _starts(claims: Sequence[Claim], partners: dict[str, list[Claim]]) -> dict[str, float]:
    """R5: where each claim that is not an end starts."""
    stated_end: dict[Hashable, float] = {}
    for claim in claims:
        if claim.end is not None:
            stated_end[claim.triple] = min(claim.end, stated_end.get(claim.triple, FUTURE))
    earliest = _earliest(claims)
    starts: dict[str, float] = {}
    for claim in claims:
        if claim.is_end:
            continue
        anchor = claim.anchor
        if anchor is None:
            starts[claim.uuid] = PAST if claim.start is None else claim.start
            continue
        rivals = [at for slot in claim.slots for other, at in earliest[slot] if other != claim.triple]
        rivals += [partner.said for partner in partners.get(claim.uuid, ()) if not partner.is_end]
        rivals.append(stated_end.get(claim.triple, FUTURE))
        starts[claim.uuid] = anchor if min(rivals) <= anchor else PAST
    return starts


def _earliest(claims: Sequence[Claim]) -> dict[Hashable, list[tuple[Hashable, float]]]:
    """The two triples of each slot that begin first, an undated one at its reference time."""
    begins: dict[Hashable, float] = {}
    for claim in claims:
        if not claim.is_end:
            begins[claim.triple] = min(claim.said, begins.get(claim.triple, FUTURE))
    for claim in claims:
        if claim.is_end and claim.end is not None and begins.get(claim.triple, FUTURE) >= claim.end:
            begins[claim.triple] = PAST  # an end with nothing to end is a record from the unknown past
    earliest: dict[Hashable, list[tuple[Hashable, float]]] = defaultdict(list)
    for triple, slots in {claim.triple: claim.slots for claim in claims}.items():
        for slot in slots:
            earliest[slot] = sorted([*earliest[slot], (triple, begins[triple])], key=lambda item: item[1])[:2]
    return earliest


class _Walk:
    """Lays the claims down in order of their starts and keeps the pile of each slot."""

    def __init__(self, claims: Sequence[Claim], conflicts: Iterable[Conflict]) -> None:
        by_uuid = {claim.uuid: claim for claim in claims}
        self.partners: dict[str, list[Claim]] = defaultdict(list)
        for conflict in conflicts:
            if conflict.a in by_uuid and conflict.b in by_uuid:
                self.partners[conflict.a].append(by_uuid[conflict.b])
                self.partners[conflict.b].append(by_uuid[conflict.a])
        self.starts = _starts(claims, self.partners)
        self.claims = claims
        self.stints: list[Stint] = []
        self.holder_of: dict[str, Stint] = {}  # claim uuid -> the stint it supports
        self.piles: dict[Hashable, list[tuple[int, Stint]]] = defaultdict(list)  # slot -> heap, the top of the pile first
        self.triples: dict[Hashable, set[Hashable]] = defaultdict(set)  # slot -> the triples begun in it
        self.open: dict[Hashable, list[Stint]] = defaultdict(list)  # triple -> its stints that no end has capped

    def run(self) -> None:
        """R1, R3, R7: walk the claims, ends before starts at the same instant."""
        begin: dict[Hashable, float] = {}
        for claim in self.claims:
            if not claim.is_end:
                begin[claim.triple] = min(self.starts[claim.uuid], begin.get(claim.triple, FUTURE))
        records, events = [], []
        for claim in self.claims:
            if not claim.is_end:
                events.append((self.starts[claim.uuid], 1, claim.order, claim))
            elif claim.end is not None and begin.get(claim.triple, FUTURE) < claim.end:
                events.append((claim.end, 0, claim.order, claim))
            else:
                records.append(claim)
        self._lay_records(records)
        for at, is_start, _, claim in sorted(events, key=lambda event: event[:3]):
            if is_start:
                self._lay(claim, at)
            else:
                for stint in self.open.pop(claim.triple, ()):
                    stint.cap, stint.cap_by = at, claim

    def _lay_records(self, records: list[Claim]) -> None:
        """Ends that end nothing: [None, t) below every claim, the one that ends first on top, the later recorded at a tie."""
        records.sort(key=lambda claim: claim.order, reverse=True)
        records.sort(key=lambda claim: FUTURE if claim.end is None else claim.end)
        of_triple: dict[Hashable, list[Claim]] = {}
        for claim in records:
            of_triple.setdefault(claim.triple, []).append(claim)
        for claims in reversed(of_triple.values()):
            self._new(claims, PAST)

    def _new(self, claims: list[Claim], start: float) -> Stint:
        first = claims[0]
        end = FUTURE if first.end is None else first.end
        stint = Stint(len(self.stints), list(claims), start, end, first.start is not None, first, first)
        self.stints.append(stint)
        for claim in claims:
            self.holder_of[claim.uuid] = stint
        for slot in first.slots:
            heappush(self.piles[slot], (-stint.index, stint))
            self.triples[slot].add(first.triple)
        self.open[first.triple].append(stint)
        return stint

    def _lay(self, claim: Claim, at: float) -> None:
        stint = self._top(claim, at)
        if stint is None or stint.triple != claim.triple or at >= stint.cap or self._judged_away(stint, claim, at):
            self._new([claim], at)
            return
        stint.claims.append(claim)
        self.holder_of[claim.uuid] = stint
        if not stint.dated and stint.start == PAST < at and self._may_begin(stint, at):
            stint.start, stint.dated, stint.start_by = at, True, claim
        if claim.end is not None and (stint.end == FUTURE or claim.end > stint.end):
            stint.end, stint.end_by = claim.end, claim

    def _top(self, claim: Claim, at: float) -> Stint | None:
        """The topmost stint that covers `at` in the claim's slots. What ended stays ended: `at` never goes back."""
        best: Stint | None = None
        for slot in claim.slots:
            pile = self.piles[slot]
            while pile and pile[0][1].end <= at:
                heappop(pile)
            if pile and (best is None or pile[0][1].index > best.index):
                best = pile[0][1]
        return best

    def _may_begin(self, stint: Stint, at: float) -> bool:
        """R7: a stated start fills an unknown one if no reference time lies before it and no conflicting claim began before."""
        alone = all(self.triples[slot] == {stint.triple} for slot in stint.slots)
        return alone and not self.rivals(stint) and all(c.anchor is None or at <= c.anchor for c in stint.claims)

    def _judged_away(self, stint: Stint, claim: Claim, at: float) -> bool:
        """Whether, with the claim in it, the stint would be overridden at `at` by a judged conflict."""
        with_claim = [*stint.claims, claim]
        return any(rival.index > stint.index and rival.covers(at) for rival in self.rivals(stint, with_claim))

    def rivals(self, stint: Stint, claims: Sequence[Claim] | None = None) -> list[Stint]:
        """The other stints that hold a claim judged to conflict with one of these, by default with one of the stint's."""
        found = []
        for claim in stint.claims if claims is None else claims:
            for partner in self.partners.get(claim.uuid, ()):
                rival = self.holder_of.get(partner.uuid)
                if rival is not None and rival is not stint:
                    found.append(rival)
        return found
