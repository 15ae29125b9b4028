"""The rows that a derivation gives: versions of facts, and which claim supports which fact.

A row is a value without system time; the store keeps when each was believed. What is believed at one instant is a set of rows,
so a change of belief is a set difference, the same whether it was reached step by step or by rebuilding.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from tkgmem.temporal.claim import Claim, Conflict, Held, Stint
from tkgmem.temporal.timeline import derive


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A fact, named by its first recorded claim's row, holds over one period."""

    fact: int
    triple: tuple[int, str, int]
    held: Held


@dataclass(frozen=True, slots=True)
class SupportRow:
    """A claim supports a fact. undated: an announcement without a date, a fact that has no version (R9)."""

    claim: int
    fact: int
    undated: bool = False


@dataclass(frozen=True, slots=True)
class Believed:
    """What follows from the claims believed at one instant."""

    versions: frozenset[VersionRow]
    supports: frozenset[SupportRow]
    stints: list[Stint]
    plans: list[list[Claim]]

    @classmethod
    def of(cls, claims: Sequence[Claim], conflicts: Sequence[Conflict] = ()) -> Believed:
        """Derive the rows from every believed claim of the slots concerned."""
        stints = derive(claims, conflicts)
        announced: dict[Hashable, list[Claim]] = defaultdict(list)
        for claim in claims:
            if claim.is_undated_plan:
                announced[claim.triple].append(claim)
        plans = [sorted(group, key=lambda claim: claim.order) for group in announced.values()]
        versions, supports = [], []
        for stint in stints:
            first = stint.first
            relation = first.relation
            versions += [VersionRow(first.id, (first.ends[0], relation, first.ends[1]), held) for held in stint.periods]
            supports += [SupportRow(claim.id, first.id) for claim in stint.claims]
        for group in plans:
            supports += [SupportRow(claim.id, group[0].id, undated=True) for claim in group]
        return cls(frozenset(versions), frozenset(supports), stints, plans)
