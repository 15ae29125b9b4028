"""Twins that are also told who is who: random merges, their undoing, and claims moved to new entities.

The reference model knows no merges. It is told names; before each question its claims are given the names that their ends lead
to at the asked system time, by the plainest possible reading of "claims keep the entity they were recorded with".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from histories import Assert, End, Forget, Op, additions, corrections, forgets, placed, retractions, weighted
from hypothesis import strategies as st
from twins import FUNCTIONAL, Twins, _short, told, utc

from tkgmem import Memory
from tkgmem.testing import FixedClock, HashEmbedder

Name = tuple[str, str]
"""Group and name; each name belongs to one entity."""


@dataclass(frozen=True)
class Merge:
    pick: int
    other: int


@dataclass(frozen=True)
class Unmerge:
    pick: int


@dataclass(frozen=True)
class Move:
    pick: int
    end: str


@dataclass
class _Told:
    """A merge, or a move of one end of a claim, in system time."""

    what: Any
    to: Name
    since: int
    until: int | None = None

    def believed(self, known: int | None) -> bool:
        return self.until is None if known is None else self.since <= known and (self.until is None or known < self.until)


@dataclass
class MergedTwins(Twins):
    """Twins, and who is who. `merges` are of names, `moves` of (claim, end)."""

    merges: list[_Told] = field(default_factory=list)
    moves: list[_Told] = field(default_factory=list)

    def tell(self, op: Op | Merge | Unmerge | Move) -> None:  # type: ignore[override]
        self._name_claims(None)
        if isinstance(op, Merge | Unmerge | Move):
            self.count += 1
            self.clock.set(told(self.count).replace(tzinfo=utc(told(0)).tzinfo))  # type: ignore[union-attr]
            {Merge: self._merge, Unmerge: self._unmerge, Move: self._move}[type(op)](op)  # type: ignore[operator]
        else:
            super().tell(op)
        self._name_claims(None)

    # --- who is who ---

    def is_now(self, name: Name, known: int | None = None) -> Name:
        """The entity that a name leads to."""
        while True:
            into = [merge.to for merge in self.merges if merge.what == name and merge.believed(known)]
            if not into:
                return name
            [name] = into

    def recorded(self, claim: dict[str, Any], known: int | None = None) -> tuple[Name, Name]:
        """The ends of a claim before merges."""
        group, source, _, target = claim["raw"]
        ends = {"source": (group, source), "target": (group, target)}
        for move in self.moves:
            if move.what[0] is claim and move.believed(known):
                ends[move.what[1]] = move.to
        return ends["source"], ends["target"]

    def ends(self, claim: dict[str, Any], known: int | None = None) -> tuple[Name, Name]:
        source, target = self.recorded(claim, known)
        return self.is_now(source, known), self.is_now(target, known)

    def loops(self, claim: dict[str, Any], known: int | None = None) -> bool:
        source, target = self.recorded(claim, known)
        return source != target and self.is_now(source, known) == self.is_now(target, known)

    def _name_claims(self, known: int | None) -> None:
        """Give the model's claims the names of that time; one between the two halves of one entity gets a pile of its own."""
        for number, claim in enumerate(self.model.claims):
            claim.setdefault("raw", claim["key"])
            group, relation = claim["raw"][0], claim["raw"][2]
            if self.loops(claim, known):
                claim["key"] = (group, f"aside {number}", relation, claim["raw"][3])
            else:
                (_, source), (_, target) = self.ends(claim, known)
                claim["key"] = (group, source, relation, target)

    def entities(self) -> list[Name]:
        """Every entity there is."""
        named = {(claim["raw"][0], claim["raw"][place]) for claim in self.model.claims for place in (1, 3)}
        moved, merged = {move.to for move in self.moves}, {end for merge in self.merges for end in (merge.what, merge.to)}
        return sorted(named | moved | merged)

    # --- the operations ---

    def _model_op(self, op: str, triple: Any, **rest: Any) -> dict[str, Any]:
        group, source, relation, target = triple
        (_, source), (_, target) = self.is_now((group, source)), self.is_now((group, target))
        return super()._model_op(op, (group, source, relation, target), **rest)

    def _both(self, model_op: dict[str, Any], call: Callable[[], Any]) -> Any:
        ends = None
        if model_op["op"] == "correct":
            claim = next(c for c in self.model.claims if c["id"] == model_op["id"] and c["x"] is None)
            fact = self._fact_of(claim)
            assert fact is not None
            ends = self.recorded(min(fact["cl"], key=lambda c: (c["tx"], c["seq"])))
            if "o" in model_op:
                model_op = {**model_op, "o": self.is_now((claim["raw"][0], model_op["o"]))[1]}
        before = len(self.model.claims)
        result = super()._both(model_op, call)
        if ends is not None:
            for new in self.model.claims[before:]:
                target = model_op.get("o") or ends[1][1]
                new["raw"] = (ends[0][0], ends[0][1], new["key"][2], target)
        return result

    def _fact_of(self, claim: dict[str, Any]) -> dict[str, Any] | None:
        return next((fact for fact in self.model.facts(claim["key"][:3], None) if claim in fact["cl"]), None)

    def _forget(self, op: Forget) -> None:
        super()._forget(op)
        self.moves = [move for move in self.moves if any(move.what[0] is claim for claim in self.model.claims)]
        named = {(c["raw"][0], c["raw"][place]) for c in self.model.claims for place in (1, 3)} | {m.to for m in self.moves}
        for name in self.entities():
            family = self._family(name)
            near = [merge for merge in self.merges if name in (merge.what, merge.to)]
            loose = all(m.what == name and m.until is not None for m in near) and len({m.to for m in near}) < 2
            if name not in named and (loose or not family & named):
                self.merges = [merge for merge in self.merges if merge not in near]

    def _family(self, name: Name) -> set[Name]:
        family = {name}
        while more := {end for m in self.merges if family & {m.what, m.to} for end in (m.what, m.to)} - family:
            family |= more
        return family

    def _merge(self, op: Merge) -> None:
        there = self.entities()
        if not there:
            return
        keep = there[op.pick % len(there)]
        others = [name for name in there if name[0] == keep[0] and name != keep]
        if not others:
            return
        other = others[op.other % len(others)]
        self._say("merge", f"{keep} <- {other}")
        self.memory.merge_entities(keep[1], other[1], group=keep[0])
        if self.is_now(keep) != self.is_now(other):
            self.merges.append(_Told(self.is_now(other), self.is_now(keep), self.count))

    def _unmerge(self, op: Unmerge) -> None:
        standing = [merge for merge in self.merges if merge.until is None]
        if not standing:
            return
        merge = standing[op.pick % len(standing)]
        self._say("unmerge", str(merge.what))
        assert self.memory.split_entity(merge.what[1], group=merge.what[0]).name == merge.what[1]
        merge.until = self.count

    def _move(self, op: Move) -> None:
        if (named := self._named(op.pick, False, lambda c: self.ends(c)[0] != self.ends(c)[1])) is None:
            return
        claim, uuid = named
        entity = self.ends(claim)[op.end == "target"]
        new = (entity[0], f"new{self.count}")
        moved = [claim]
        fact = self._fact_of(claim)
        if fact is not None and claim is min(fact["cl"], key=lambda c: (c["tx"], c["seq"])):
            moved = self._whole(fact)
        self._say("move", f"{claim['id']} ({op.end}) from {entity} to {new}")
        assert self.memory.split_entity(entity[1], claims=[uuid], name=new[1], group=entity[0]).name == new[1]
        for each in moved:
            for move in self.moves:
                if move.what[0] is each and move.what[1] == op.end and move.until is None:
                    move.until = self.count
            self.moves.append(_Told((each, op.end), new, self.count))

    def _whole(self, fact: dict[str, Any]) -> list[dict[str, Any]]:
        """The claims of a fact, and the ends that would have nothing left to end."""
        key = fact["cl"][0]["key"]
        left = [other for other in self.model.facts(key[:3], None) if other["o"] == fact["o"] and other["cl"] != fact["cl"]]
        idle = [
            c
            for c in self.model.claims
            if c["k"] == "T" and c["x"] is None and c["key"] == key and c not in fact["cl"]
            and fact["v"] < c["e"] and all(other["v"] >= c["e"] for other in left)
        ]  # fmt: skip
        return [*fact["cl"], *idle]

    def _say(self, what: str, words: str) -> None:
        self.lines.append(f"T{self.count} {what} {words}")

    # --- questions ---

    def check(self) -> None:
        """Every answer at every boundary and every known_at, under the names of that time."""
        for known in (None, *range(self.count + 1)):
            self._name_claims(known)
            piles = {c["key"][:3] for c in self.model.claims if not c["key"][1].startswith("aside ")}
            derived = {pile: self.model.facts(pile, known) for pile in piles}
            for t in self.instants():
                right = {
                    (*pile, fact["o"])
                    for pile, facts in derived.items()
                    for fact in facts
                    if self.model.holder(facts, fact["o"], t, pile[2] in FUNCTIONAL)
                }
                got = self.answer(t, known)
                assert got == right, self.story(
                    f"as_of({_short(t)}, known_at={'now' if known is None else f'T{known}'})"
                    f"\n  answers {sorted(got)}\n  right is {sorted(right)}"
                )
        self._name_claims(None)


AnyOp = Op | Merge | Unmerge | Move
_merges = st.builds(Merge, st.integers(0, 9), st.integers(0, 9))
_unmerges = st.builds(Unmerge, st.integers(0, 3))
_moves = st.builds(Move, st.integers(0, 7), st.sampled_from(["source", "target"]))
_ops = weighted({additions: 4, _merges: 5, _unmerges: 3, _moves: 2, retractions: 1, corrections: 3, forgets: 1})
merged_histories = placed(
    st.tuples(
        st.lists(additions, min_size=2, max_size=5), _merges.map(lambda op: [op]), st.lists(_ops, min_size=3, max_size=9)
    ).map(lambda parts: [op for part in parts for op in part])
)
"""A few additions, a merge, then operations of any kind."""


def tell_merged(ops: Sequence[AnyOp]) -> MergedTwins:
    """Both, told the whole history."""
    clock = FixedClock(told(0).replace(tzinfo=utc(told(0)).tzinfo))  # type: ignore[union-attr]
    memory = Memory(":memory:", embedder=HashEmbedder(8), clock=clock)
    if any(isinstance(op, Assert | End) and op.triple[2] == "PORT" for op in ops):
        memory.define_relation("PORT", functional=True)
    twins = MergedTwins(memory, clock)
    for op in ops:
        try:
            twins.tell(op)
        except BaseException as error:
            error.add_note(twins.story("raised while telling the last of these:"))
            raise
    return twins
