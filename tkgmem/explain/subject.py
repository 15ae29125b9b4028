"""Which fact a uuid speaks of at a system time, and the claims that made and make it.

A fact's uuid, that of any claim of it and that of its end all lead to it, also after a correction, a join, or after the claim
that gave it its name was taken back while others stand.
"""

from __future__ import annotations

from dataclasses import dataclass

from tkgmem.errors import NotFound
from tkgmem.explain.rivals import derived_with
from tkgmem.store import facts, reasons
from tkgmem.store.clocks import EVERYTHING
from tkgmem.store.connection import Connection
from tkgmem.store.facts import VersionRecord
from tkgmem.store.reasons import Recorded
from tkgmem.temporal.period import show


@dataclass(frozen=True, slots=True)
class Subject:
    """A fact (a row) as it stood at a system time.

    present: the claims that supported it; past: those that had, until they were closed; old: those that it was corrected from;
    each in recorded order. records: every version of it by then.
    """

    fact: int
    present: list[Recorded]
    past: list[Recorded]
    old: list[Recorded]
    records: list[VersionRecord]

    @property
    def own(self) -> list[Recorded]:
        """Its claims, those taken back too."""
        return sorted([*self.present, *self.past], key=lambda claim: (claim.created_at, claim.id))

    @property
    def periods(self) -> list[VersionRecord]:
        """When it holds, in order of valid time."""
        held = [record for record in self.records if record.fact == self.fact and record.expired_at is None]
        return sorted(held, key=lambda record: (record.valid_at is not None, record.valid_at or 0))


def subject(db: Connection, uuid: str, known_at: int) -> Subject:
    """What a uuid speaks of. NotFound if nothing recorded by then has it."""
    asked = reasons.addressed(db, uuid, known_at)
    if asked is None:
        then = "" if known_at == EVERYTHING else f" that was recorded by {show(known_at)}"
        raise NotFound(f"no fact or claim{then} has the uuid {uuid}; search with ids shows those that there are")
    fact = _living(db, _spoken_of(db, asked, known_at), known_at)
    present = reasons.recorded(db, reasons.supporting(db, fact, known_at), known_at)
    gone = reasons.closed_with(db, fact, [claim.id for claim in present], known_at)
    past = [claim for claim in reasons.recorded(db, gone, known_at) if claim.into is None]
    own = [*present, *past] or [asked]
    old = reasons.corrected_into(db, [claim.id for claim in own], known_at)
    earlier = reasons.given_up(db, [claim.id for claim in [*own, *old]], known_at)
    records = reasons.versions_until(db, [fact, *earlier], known_at)
    return Subject(fact, present, own if not present else past, old, records)


def _spoken_of(db: Connection, asked: Recorded, known_at: int) -> int:
    """The fact that a claim supports or ends, or did when it was last believed; itself where it says nothing."""
    supported = reasons.supported_last(db, asked.id, known_at)
    if asked.kind != "end":
        return asked.id if supported is None else supported
    if supported is not None and asked.id in reasons.supporting(db, supported, known_at):
        return supported  # it ends nothing: a record of its own
    ended = reasons.capped_last(db, asked.id, known_at)
    if ended is None:
        ended = _of_its_triple(db, asked, known_at if asked.closed is None else asked.closed - 1)
    return next((row for row in (ended, supported) if row is not None), asked.id)


def _of_its_triple(db: Connection, end: Recorded, known_at: int) -> int | None:
    """The fact of an end's triple that began last before it, where another end came first or something overrides all of it."""
    derived = derived_with(db, end.id, known_at)
    said = next((claim for claim in derived.claims if claim.id == end.id), None)
    if said is None or said.end is None:
        return None
    begun = [stint for stint in derived.stints if stint.triple == said.triple and stint.start < said.end]
    return begun[-1].first.id if begun else None


def _living(db: Connection, fact: int, known_at: int) -> int:
    """The fact itself while it is believed, else the one that those of its claims support which are."""
    if reasons.supporting(db, fact, known_at):
        return fact
    last = reasons.recorded(db, reasons.supported_until(db, fact, known_at), known_at)
    supported = facts.supported_facts(db, [claim.id for claim in last], known_at)
    return next((supported[claim.id] for claim in last if claim.id in supported), fact)
