"""Why a fact is believed: the claims it rests on with their words, what took over from it, what it took over from.

Nothing that was recorded after the asked system time is seen, so an explanation can be asked for again later.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tkgmem.explain import why_text
from tkgmem.explain.rivals import Rivalry, Yields, rivalry
from tkgmem.explain.subject import Subject, subject
from tkgmem.explain.told import told
from tkgmem.graph import Fact
from tkgmem.reasons import Supersession, Told, Why
from tkgmem.store import claims, facts, reasons, relations
from tkgmem.store.clocks import EVERYTHING, At
from tkgmem.store.connection import Connection
from tkgmem.store.facts import VersionRecord
from tkgmem.store.identity import Identity
from tkgmem.store.reasons import Recorded
from tkgmem.temporal.period import to_datetime
from tkgmem.wording import triple_words

__all__ = ["why"]


def why(db: Connection, at: At, uuid: str) -> Why:
    """Why the fact with this uuid is believed at `at.known_at`, or no longer is. uuid: or that of any claim of it or its end.

    NotFound if nothing recorded by then has the uuid.
    """
    known = at.known_at
    of = subject(db, uuid, known)
    fact = _shown(db, of, at)
    found = rivalry(db, of.fact, of.periods, of.present, known) if of.present else Rivalry()
    ends = _ends(db, of, known)
    winners = reasons.recorded(db, {yields.to for yields in (*found.above, *found.below)}, known)
    said = told(db, [*of.own, *of.old, *ends, *winners], known)
    rivals = _Rivals.of(db, of, found, said, known)
    explained = Why(
        uuid=fact.uuid,
        words=triple_words(fact),
        fact=fact,
        believed=bool(of.present),
        claims=tuple(said[claim.id] for claim in of.own),
        ends=tuple(said[claim.id] for claim in ends),
        superseded_by=(*map(rivals.above, found.above), *_ended(of, said)),
        supersedes=tuple(map(rivals.below, found.below)),
        versions=tuple(facts.version_values(db, of.records, known)),
        corrected_from=tuple(said[claim.id] for claim in of.old),
        known_at=None if known == EVERYTHING else to_datetime(known),
    )
    return replace(explained, text=why_text.text(explained))


# --- the fact ---


def _shown(db: Connection, of: Subject, at: At) -> Fact:
    """The fact as it stood, with the period nearest to the asked valid time."""
    known, periods = at.known_at, of.periods
    if of.present and not periods:
        periods = facts.undated_plans(db, known_at=known, where="v.id = :f", bindings={"f": of.fact})
    if not of.present:
        last = [record for record in of.records if record.fact == of.fact]
        ended = max((record.expired_at for record in last if record.expired_at is not None), default=None)
        periods = [record for record in last if record.expired_at == ended]
        known = max((claim.closed - 1 for claim in of.own if claim.closed is not None), default=known)
    record = facts.best_period(periods, at.valid_at) if periods else _as_stated(db, of.fact, of.own, known)
    return facts.facts(db, [record], known)[0]


def _as_stated(db: Connection, fact: int, own: Sequence[Recorded], known_at: int) -> VersionRecord:
    """A fact that holds at no time, with the period that its claims state."""
    [row] = claims.by_ids(db, [fact])
    stated = claims.as_claim(row, relations.load(db, known_at), Identity(db, known_at).ends(row))
    starts = [claim for claim in own if claim.kind != "end" and claim.valid_at is not None]
    ends = [claim for claim in own if claim.invalid_at is not None]
    first = min(starts, key=lambda claim: claim.valid_at or 0) if len(starts) == len(own) else None
    last = max(ends, key=lambda claim: claim.invalid_at or 0, default=None)
    return VersionRecord(
        None, fact, stated.ends[0], stated.relation, stated.ends[1],
        first.valid_at if first else None, last.invalid_at if last else None,
        first.valid_precision if first else None, last.invalid_precision if last else None,
        None, None, None, row.created_at, None,
    )  # fmt: skip


# --- what ends it ---


def _ends(db: Connection, of: Subject, known_at: int) -> list[Recorded]:
    """What says that the fact ended, and what did and was taken back, in recorded order."""
    ending = {record.cause_id for record in of.periods if record.cause == "ended"}
    ever = {record.cause_id for record in of.records if record.cause == "ended" and record.cause_id is not None}
    found = reasons.recorded(db, ever, known_at)
    return [claim for claim in found if claim.id in ending or (claim.closed is not None and claim.into is None)]


def _ended(of: Subject, said: Mapping[int, Told]) -> list[Supersession]:
    """The ends that somebody told of, as what the fact gives way to."""
    return [
        Supersession("ended", said[record.cause_id], to_datetime(_since(of.records, record)))
        for record in of.periods
        if record.cause == "ended" and record.cause_id is not None
    ]


def _since(records: Iterable[VersionRecord], last: VersionRecord) -> int:
    """Since when it is believed, without a break, that a period ends by what it ends by."""
    since = last.created_at
    for record in sorted(records, key=lambda record: record.created_at, reverse=True):
        if record.fact == last.fact and record.cause_id == last.cause_id and record.expired_at == since:
            since = record.created_at
    return since


# --- what it gives way to, and what gives way to it ---


@dataclass(frozen=True, slots=True)
class _Rivals:
    """The facts around one, as they stood: `shown` with the period that matters to it, `records` with all that was believed."""

    db: Connection
    known_at: int
    said: Mapping[int, Told]
    records: Sequence[VersionRecord]
    shown: Mapping[int, Fact]

    @classmethod
    def of(cls, db: Connection, of: Subject, found: Rivalry, said: Mapping[int, Told], known_at: int) -> _Rivals:
        """Look up the facts at the other end of each."""
        others = {yields.to: yields for yields in found.above} | {yields.fact: yields for yields in found.below}
        records = reasons.versions_until(db, others, known_at) if others else []
        nearest = [_nearest(db, row, yields, records, known_at) for row, yields in others.items()]
        shown = dict(zip(others, facts.facts(db, nearest, known_at), strict=True))
        return cls(db, known_at, said, [*of.records, *records], shown)

    def above(self, yields: Yields) -> Supersession:
        """The fact gives way to another."""
        return self._value(yields, self.shown[yields.to])

    def below(self, yields: Yields) -> Supersession:
        """Another gives way to the fact."""
        return self._value(yields, self.shown[yields.fact])

    def _value(self, yields: Yields, other: Fact) -> Supersession:
        last = [r for r in self.records if (r.fact, r.cause_id, r.expired_at) == (yields.fact, yields.to, None)]
        since = min((_since(self.records, record) for record in last), default=None)
        if since is None:
            since = max(claim.created_at for claim in reasons.recorded(self.db, [yields.fact, yields.to], self.known_at))
        judgement = None
        if yields.rule == "judged":
            loser, winner = (reasons.supporting(self.db, row, self.known_at) for row in (yields.fact, yields.to))
            judgement = reasons.judgement(self.db, loser, winner, self.known_at)
        return Supersession(yields.rule, self.said[yields.to], to_datetime(since), other, judgement)


def _nearest(db: Connection, row: int, yields: Yields, records: Iterable[VersionRecord], known_at: int) -> VersionRecord:
    """Of a fact that takes over, or gives way, the period at which that is."""
    held = [record for record in records if record.fact == row and record.expired_at is None]
    ending = [record for record in held if record.cause_id == yields.to and record.invalid_at == yields.start]
    if ending or held:
        return ending[0] if ending else facts.best_period(held, -EVERYTHING if yields.start is None else yields.start)
    return _as_stated(db, row, reasons.recorded(db, reasons.supporting(db, row, known_at), known_at), known_at)
