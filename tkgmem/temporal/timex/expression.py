"""What reading a text for dates gives: dated phrases with their periods. Each language's reader builds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tkgmem.temporal.period import Period, Precision

Role = Literal["point", "range", "since", "until"]
"""point: one unit ("May 2024"); range: from one to another, or a counted stretch; since: an open end; until: an open start."""

Prefer = Literal["past", "future", "same_year"]
"""What a month, day or weekday without a year means: the latest not after the reference, the next one, or that of its year."""


@dataclass(frozen=True, slots=True)
class TimeExpression:
    """A dated phrase: text[start:end], and what it covers.

    period: instants; it begins with the first unit and ends where the last one ends (so "2011 to 2013" ends with the start of
    2014, and "until May" with the start of June; "before May" ends with the start of May, "after May" starts with June). None
    on an open side. precision: of the start, or of the only bound; end_precision: of the end, where it differs. last: where the
    last named unit begins, where the period ends with that unit or starts after it ("2011 to 2013": the start of 2013; "after
    3 May": the start of that day); None elsewhere.
    """

    start: int
    end: int
    text: str
    period: Period
    precision: Precision
    role: Role
    end_precision: Precision | None = None
    last: int | None = None
