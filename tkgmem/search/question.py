"""A question as its stages see it: its words and vector, the two clocks, the groups, and what else hits are held to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tkgmem.search.recipes import Recipe
from tkgmem.store.clocks import At, View, view_claims, view_names, view_nodes, view_versions
from tkgmem.store.conditions import Conditions
from tkgmem.store.vectors import Neighbours
from tkgmem.store.walk import Seen


@dataclass(frozen=True, slots=True)
class Question:
    """A question at two clocks.

    neighbours: None where it has no vector. valid_at, until: facts that hold at some time of [valid_at, until), at the instant
    valid_at where until is None. instant: that of this time at which communities are seen, None for valid_at. told: stretches
    of time that it speaks of, for when episodes were told. limit: how many hits are wanted.
    """

    text: str
    groups: Sequence[int]
    valid_at: int
    known_at: int
    include_ended: bool
    limit: int
    recipe: Recipe
    neighbours: Neighbours | None = None
    until: int | None = None
    instant: int | None = None
    told: Sequence[tuple[int | None, int | None]] = ()
    conditions: Conditions | None = None

    @property
    def depth(self) -> int:
        """How far down each list goes, so that fusion and duplicates leave enough."""
        return max(100, 3 * self.limit)

    @property
    def asked_of_facts(self) -> dict[str, Any]:
        """What facts must meet to be seen, as `view_claims` and its like take it."""
        return {
            "valid_at": self.valid_at,
            "until": self.until,
            "known_at": self.known_at,
            "include_ended": self.include_ended,
            "conditions": self.conditions,
        }

    def claims(self) -> View:
        """What it sees of facts, by their claims."""
        return view_claims(self.groups, **self.asked_of_facts)

    def versions(self) -> Seen:
        """What it sees of facts, for the graph walk."""
        return view_versions(self.groups, **self.asked_of_facts)

    @property
    def at(self) -> At:
        """The two clocks, where one instant of valid time is meant."""
        return At(self.groups, self.valid_at if self.instant is None else self.instant, self.known_at)

    def holding(self) -> Seen:
        """What it sees of facts at that one instant."""
        return view_versions(
            self.groups, valid_at=self.at.valid_at, known_at=self.known_at, include_ended=False, conditions=self.conditions
        )

    def names(self) -> View:
        """What it sees of the names of entities."""
        return view_names(self.groups, known_at=self.known_at, conditions=self.conditions)

    def nodes(self, table: str) -> View:
        """What it sees of "episodes" or "entities"."""
        return view_nodes(table, self.groups, known_at=self.known_at, conditions=self.conditions)
