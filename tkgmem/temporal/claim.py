"""What goes into a derivation, claims and judged conflicts, and what comes out of it, stints and the periods they hold.

Instants are integers (see `period`); an unknown start is PAST and an open end FUTURE where they are compared.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field

from tkgmem.temporal.period import Precision

PAST, FUTURE = -math.inf, math.inf


@dataclass(frozen=True, slots=True)
class Claim:
    """What a source asserted, with its stated period and its place in the order of recording.

    id: its row. order: (system time, position in its transaction, uuid). start, end: the stated bounds; an end claim has only
    `end`.
    reference: the episode's reference time, which only an undated claim uses (R5).
    relation, ends: the stored relation's name, and source and target as recorded under it.
    """

    id: int
    order: tuple[int, int, str]
    triple: Hashable
    slots: tuple[Hashable, ...]
    kind: str = "assert"
    start: int | None = None
    end: int | None = None
    reference: int | None = None
    valid_precision: Precision | None = None
    invalid_precision: Precision | None = None
    relation: str = ""
    ends: tuple[int, int] = (0, 0)

    @property
    def uuid(self) -> str:
        """The claim's uuid, the last part of its order."""
        return self.order[2]

    @property
    def recorded(self) -> int:
        """The system time of its transaction."""
        return self.order[0]

    @property
    def is_end(self) -> bool:
        """Whether it says that the triple stopped (R3)."""
        return self.kind == "end"

    @property
    def is_undated_plan(self) -> bool:
        """Whether it announces something without a date, which stays outside the derivation (R9)."""
        return self.kind == "planned" and self.start is None

    @property
    def anchor(self) -> int | None:
        """The reference time where R5 may use it: no stated start, and no stated end at or before it."""
        if self.is_end or self.start is not None or self.reference is None:
            return None
        return None if self.end is not None and self.reference >= self.end else self.reference

    @property
    def said(self) -> float:
        """The stated start, else the anchor, else the unknown past."""
        if self.start is not None:
            return self.start
        return PAST if self.anchor is None else self.anchor


@dataclass(frozen=True, slots=True)
class Conflict:
    """A judged conflict between two claims, by uuid, that passed the guard."""

    a: str
    b: str


@dataclass(frozen=True, slots=True)
class Held:
    """One period in which a fact holds, and why it ends: cause, and by which claim where that is another than the fact's first.

    told: when the fact's own claims told its end, if not with the first of them; no part of what the period is.
    """

    start: int | None
    end: int | None
    cause: str | None
    by: int | None
    valid_precision: Precision | None
    invalid_precision: Precision | None
    told: int | None = field(default=None, compare=False)


@dataclass(slots=True)
class Stint:
    """A fact as derived: its supporting claims, its bounds before anything overrides it, and where it holds.

    start: PAST where unknown. end: the stated end, FUTURE where open. cap: where an end of the triple stops it (R3).
    dated: the start was stated. periods: ascending and disjoint, empty where another claim overrides all of it.
    """

    index: int
    claims: list[Claim]
    start: float
    end: float
    dated: bool
    start_by: Claim
    end_by: Claim
    cap: float = FUTURE
    cap_by: Claim | None = None
    periods: list[Held] = field(default_factory=list)

    @property
    def triple(self) -> Hashable:
        """The triple it is a stint of."""
        return self.claims[0].triple

    @property
    def slots(self) -> tuple[Hashable, ...]:
        """The slots it occupies."""
        return self.claims[0].slots

    @property
    def recorded(self) -> list[Claim]:
        """Its claims in recorded order; the first one names the fact."""
        return sorted(self.claims, key=lambda claim: claim.order)

    @property
    def first(self) -> Claim:
        """Its first recorded claim, whose uuid is the fact's."""
        return min(self.claims, key=lambda claim: claim.order)

    @property
    def created(self) -> int:
        """When the memory first learned it."""
        return self.first.recorded

    def covers(self, instant: float) -> bool:
        """Whether the instant lies in its stated period, overridden or not."""
        return self.start <= instant < self.end
