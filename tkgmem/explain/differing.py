"""Which facts are believed otherwise at one instant of system time than at an earlier one, each in one list.

A fact is believed while it holds at some time, or is announced without a date. One more source for the same is no difference,
nor is another name of the same fact, where the claim that named it is gone and others support it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

from tkgmem.store import claims, derivation, differences, facts, relations
from tkgmem.store.connection import Connection
from tkgmem.store.differences import Closing
from tkgmem.store.facts import VersionRecord
from tkgmem.store.rows import Damaged, in_list
from tkgmem.temporal.believed import Believed
from tkgmem.temporal.claim import FUTURE, PAST, Stint
from tkgmem.temporal.relations import Relations

Kind = Literal["learned", "ended", "corrected", "retracted", "revised"]
Records = tuple[VersionRecord, ...]


class Pair(NamedTuple):
    """What was and what is believed of a fact, one record for each period; empty: nothing. at: since when it is so."""

    kind: Kind
    at: int
    before: Records
    after: Records

    @property
    def fact(self) -> int:
        """The fact (row) that it speaks of."""
        return (self.before or self.after)[0].fact


def compare(db: Connection, groups: Sequence[int], a: int, b: int) -> list[Pair]:
    """All differences between what these groups believed at `a` and at `b`, in the order in which they came."""
    found = _Comparison(db, a, b, differences.touched(db, groups, a, b)).pairs()
    return sorted(found, key=lambda pair: (pair.at, pair.fact))


def _key(record: VersionRecord) -> tuple[object, ...]:
    """What of a record is belief: the triple, and when it holds, as finely as it was stated."""
    period = (record.valid_at, record.invalid_at, record.valid_precision, record.invalid_precision)
    return (record.source, record.relation, record.target, *period, record.row is None)


def same(one: Iterable[VersionRecord], other: Iterable[VersionRecord]) -> bool:
    """Whether two sets of records say the same."""
    return {_key(record) for record in one} == {_key(record) for record in other}


def changed_last(records: Sequence[VersionRecord], among: Iterable[VersionRecord]) -> VersionRecord:
    """The record to show where there are several: the last one that is not among the others, else the last."""
    if len(records) == 1:
        return records[0]
    there = {_key(record) for record in among}
    return next((record for record in reversed(records) if _key(record) not in there), records[-1])


def _believed(records: Iterable[VersionRecord], at: int) -> Records:
    return tuple(r for r in records if r.created_at <= at and (r.expired_at is None or at < r.expired_at))


def _last_end(records: Records) -> float:
    return max((FUTURE if record.invalid_at is None else record.invalid_at for record in records), default=PAST)


class _Comparison:
    """The facts of which a belief changed between two instants, with what was believed of them at both and in between."""

    def __init__(self, db: Connection, a: int, b: int, touched: Sequence[int]) -> None:
        self.db, self.a, self.b = db, a, b
        self.rows = differences.versions_between(db, touched, a, b)
        plans_before, plans_after = self._plans(touched, a), self._plans(touched, b)
        self.before = {fact: _believed(self.rows[fact], a) + plans_before.get(fact, ()) for fact in touched}
        self.after = {fact: _believed(self.rows[fact], b) + plans_after.get(fact, ()) for fact in touched}
        self.new = {fact for fact in touched if self.after[fact] and not self.before[fact]}

    def _plans(self, touched: Sequence[int], at: int) -> dict[int, Records]:
        where, bindings = "v.id IN (SELECT value FROM json_each(:ids))", {"ids": in_list(touched)}
        return {plan.fact: (plan,) for plan in facts.undated_plans(self.db, known_at=at, where=where, bindings=bindings)}

    def pairs(self) -> list[Pair]:
        """Every difference once: what is gone, then what differs, then what is new and did not come out of what is gone."""
        gone = [fact for fact in self.before if self.before[fact] and not self.after[fact]]
        both = [fact for fact in self.before if self.before[fact] and self.after[fact]]
        differing = [fact for fact in both if not same(self.before[fact], self.after[fact])]
        self._look_up_ends([*gone, *differing])
        found = _Gone(self, gone).pairs()
        found += [self.changed(fact, fact) for fact in differing]
        return found + self._appeared(sorted(self.new))

    def _look_up_ends(self, changed: Sequence[int]) -> None:
        said = {r.cause_id for fact in changed for r in self.before[fact] if r.cause == "ended" and r.cause_id is not None}
        closed = differences.closings(self.db, sorted(said), self.b)
        self.corrected_ends = {claim for claim, closing in closed.items() if closing.replaced_by is not None}

    def changed(self, fact: int, now: int) -> Pair:
        """A fact that holds at another time than before. now: the fact that it is now, by the name of another claim."""
        before, after = self.before[fact], self.after[now]
        kind: Kind = "ended" if _last_end(after) < _last_end(before) else "revised"
        if any(record.cause_id in self.corrected_ends for record in before if record.cause == "ended"):
            kind = "corrected"
        return Pair(kind, self.since([fact, now]), before, after)

    def _appeared(self, new: Sequence[int]) -> list[Pair]:
        """Facts that nothing was before: learned, if some claim of theirs was not believed at `a`, else a consequence."""
        support = differences.supporters(self.db, new, self.b)
        every = [claim for listed in support.values() for claim in listed]
        news = differences.recorded_after(self.db, every, self.a) | differences.closings(self.db, every, self.a).keys()
        found = []
        for fact in new:
            kind: Kind = "revised" if news.isdisjoint(support[fact]) else "learned"
            begun = [record.created_at for record in (*self.rows[fact], *self.after[fact])]
            found.append(Pair(kind, min(begun), (), self.after[fact]))
        return found

    def since(self, of: Sequence[int]) -> int:
        """Since when what is believed of facts at `b` was believed, if something else was at `a`."""
        rows = [record for fact in dict.fromkeys(of) for record in self.rows.get(fact, ())]
        now = _believed(rows, self.b)
        instants = {at for r in rows for at in (r.created_at, r.expired_at) if at is not None and self.a < at <= self.b}
        for at in sorted(instants, reverse=True):
            if not same(_believed(rows, at - 1), now):
                return at
        return self._since_of_plan(of)

    def _since_of_plan(self, of: Sequence[int]) -> int:
        """The same of an announcement without a date, whose ends changed, or which was closed."""
        merged = [differences.became_another(self.db, fact, self.a, self.b) for fact in of]
        closed = [record.expired_at for fact in of for record in self.before[fact]]
        return max((at for at in (*merged, *closed) if at is not None and self.a < at <= self.b), default=self.a)

    def believed_after(self, fact: int) -> Records:
        """What is believed at `b` of any fact, also of one that did not change."""
        if fact not in self.after:
            self.after[fact] = tuple(facts.periods_of(self.db, [fact], self.b)[fact])
        return self.after[fact]


class _Gone:
    """Facts that are no longer believed, and what became of them."""

    def __init__(self, comparison: _Comparison, gone: Sequence[int]) -> None:
        self.all, self.db, self.b = comparison, comparison.db, comparison.b
        self.gone = gone
        self.support = differences.supporters(self.db, gone, comparison.a)
        every = [claim for listed in self.support.values() for claim in listed]
        self.closed = differences.closings(self.db, every, self.b)
        kept = [claim for claim in every if claim not in self.closed]
        self.supported = facts.supported_facts(self.db, kept, self.b)
        self.ends = differences.ended_by(self.db, kept, self.b)
        self.successors = _successors(self.db, {c: self.closed[c] for c in every if c in self.closed}, self.b)

    def pairs(self) -> list[Pair]:
        found = []
        for fact in self.gone:
            kept = [claim for claim in self.support[fact] if claim not in self.closed]
            pair = self._kept(fact, kept) if kept else self._closed(fact)
            if pair is not None:
                found.append(pair)
        return found

    def _kept(self, fact: int, kept: Sequence[int]) -> Pair | None:
        """One whose claims are believed: it goes on in another fact, or gives way to an equal start, or says nothing now."""
        candidates = [found[claim] for found in (self.supported, self.ends) for claim in kept if claim in found]
        now = next((one for one in candidates if one != fact and self.all.believed_after(one)), None)
        if now is not None and now in self.all.new:
            self.all.new.remove(now)
            return None if same(self.all.before[fact], self.all.after[now]) else self.all.changed(fact, now)
        if now is not None:  # one with another fact
            return self._pair("revised", fact, now)
        winner = self._winner(kept[0])
        return self._pair("revised" if winner is None else "corrected", fact, winner)

    def _closed(self, fact: int) -> Pair | None:
        """One whose claims are closed: corrected into another, or taken back."""
        at = max(self.closed[claim].at for claim in self.support[fact])
        now = next((self.successors[claim] for claim in self.support[fact] if claim in self.successors), None)
        if now is None:
            return Pair("retracted", at, self.all.before[fact], ())
        return self._pair("corrected", fact, now, at)

    def _pair(self, kind: Kind, fact: int, now: int | None, at: int | None = None) -> Pair | None:
        """A fact that another takes the place of; None if that one says the same."""
        if now is not None:
            self.all.new.discard(now)
        before, after = self.all.before[fact], () if now is None else self.all.believed_after(now)
        return None if same(before, after) else Pair(kind, self.all.since([fact]) if at is None else at, before, after)

    @cached_property
    def _tables(self) -> list[Relations]:
        return derivation.tables(self.db)

    def _winner(self, claim: int) -> int | None:
        """The fact that lies on top of the one of a believed claim where it would begin, as derived again for `b`."""
        rows, links = claims.component(self.db, claims.by_ids(self.db, [claim]), self._tables, ever=True)
        believed = [row for row in rows if row.believed_at(self.b)]
        table = relations.load(self.db, self.b)
        conflicts = claims.as_conflicts(links, believed, self.b)
        stints = Believed.of(claims.as_claims(self.db, believed, table, self.b), conflicts).stints
        own = next((stint for stint in stints if any(one.id == claim for one in stint.claims)), None)
        if own is None:
            return None
        judged = {frozenset((conflict.a, conflict.b)) for conflict in conflicts}
        above = [
            stint for stint in stints if stint.index > own.index and stint.covers(own.start) and _rivals(own, stint, judged)
        ]
        top = max(above, key=lambda stint: stint.index, default=None)
        return None if top is None else top.first.id


def _rivals(one: Stint, other: Stint, judged: set[frozenset[str]]) -> bool:
    """Whether two facts cannot hold together."""
    if not set(one.slots).isdisjoint(other.slots):
        return True
    return any(frozenset((a.uuid, b.uuid)) in judged for a in one.claims for b in other.claims)


def _successors(db: Connection, closed: Mapping[int, Closing], at: int) -> dict[int, int]:
    """Claim to the fact that corrections made of it, as believed then; those that were taken back after all are left out."""
    waiting = {claim: closing.replaced_by for claim, closing in closed.items() if closing.replaced_by is not None}
    last: dict[int, int] = {}
    seen: set[tuple[int, int]] = set()
    while waiting:
        if not seen.isdisjoint(waiting.items()):
            raise Damaged(f"claim {min(waiting)} is replaced by itself")
        seen |= waiting.items()
        again = differences.closings(db, sorted(set(waiting.values())), at)
        last |= {claim: successor for claim, successor in waiting.items() if successor not in again}
        waiting = {
            claim: following
            for claim, successor in waiting.items()
            if successor in again and (following := again[successor].replaced_by) is not None
        }
    ended = differences.ended_by(db, sorted(set(last.values())), at)
    supported = ended | facts.supported_facts(db, sorted(set(last.values())), at)
    return {claim: supported[successor] for claim, successor in last.items() if successor in supported}
