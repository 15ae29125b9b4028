"""A Memory and the reference model that are told the same history, the one through its public API.

The n-th operation is told at `told(n)`, which lies between the dates of the grid, so that a claim dated by the clock has
neighbours on both sides.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from types import EllipsisType
from typing import Any

import pytest
from histories import DATES, Assert, Correct, End, Forget, Op, Retract, Triple
from reference_model import M

from tkgmem import Fact, InvalidPeriod, Memory
from tkgmem.testing import FixedClock, HashEmbedder

MICROSECOND = dt.timedelta(microseconds=1)
FUNCTIONAL = {"WORKS_AT", "PORT"}
EPISODE_TIMES = {1: DATES[3], 2: None}
"""The reference times of a group's two episodes; None is the clock's when it is stored."""


def told(n: int) -> dt.datetime:
    """The naive UTC instant at which the n-th operation is told; told(0) precedes all of them."""
    return DATES[1] + dt.timedelta(hours=1 + 10 * n)


def utc(moment: dt.datetime | None) -> dt.datetime | None:
    return None if moment is None else moment.replace(tzinfo=dt.UTC)


@dataclass
class Twins:
    """A Memory and a reference model that have been told the same history.

    `lines` is the history in words, as it came out: which claim a pick named, what was refused by both.
    """

    memory: Memory
    clock: FixedClock
    model: M = field(default_factory=lambda: M(FUNCTIONAL))
    count: int = 0
    lines: list[str] = field(default_factory=list)
    boundaries: set[dt.datetime] = field(default_factory=set)
    groups: set[str] = field(default_factory=set)
    uuids: dict[str, str] = field(default_factory=dict)
    became: dict[str, str] = field(default_factory=dict)
    told_episodes: dict[str, tuple[str, dt.datetime]] = field(default_factory=dict)

    def tell(self, op: Op) -> None:
        """Tell both, at a new instant. An operation with nothing to act on is told to neither."""
        self.count += 1
        self.clock.set(told(self.count).replace(tzinfo=dt.UTC))
        match op:
            case Assert():
                self._assert(op)
            case End():
                self._end(op)
            case Retract():
                self._retract(op)
            case Correct():
                self._correct(op)
            case Forget():
                self._forget(op)

    def _assert(self, op: Assert) -> None:
        episode, ref = self._episode(op.triple[0], op.episode)
        ref = op.ref or ref
        self._seen(op.triple[0], op.start, op.end, ref if op.start is None else None)
        group, source, relation, target = op.triple
        fact = self._both(
            self._model_op("assert", op.triple, v=op.start, e=op.end, ref=ref, ep=episode and episode[0]),
            lambda: self.memory.add_fact(
                source,
                relation,
                target,
                valid_at=utc(op.start),
                invalid_at=utc(op.end),
                reference_time=utc(op.ref),
                episode=episode and episode[1],
                group=group,
            ),
        )
        if fact is not None:
            self.uuids[self._id()] = fact.claims[-1]

    def _end(self, op: End) -> None:
        episode, _ = self._episode(op.triple[0], op.episode)
        self._seen(op.triple[0], op.at)
        group, source, relation, target = op.triple
        fact = self._both(
            self._model_op("terminate", op.triple, at=op.at, ep=episode and episode[0]),
            lambda: self.memory.end_fact(source, relation, target, at=utc(op.at), episode=episode and episode[1], group=group),
        )
        uuid = self._uuid_of_end(fact)
        if uuid is not None:
            self.uuids[self._id()] = uuid

    def _retract(self, op: Retract) -> None:
        if (named := self._named(op.pick, op.by_old_uuid, lambda _: True)) is None:
            return
        claim, uuid = named
        self._both({"op": "retract", "id": claim["id"], "tx": self.count}, lambda: self.memory.retract(uuid))

    def _correct(self, op: Correct) -> None:
        if (named := self._named(op.pick, op.by_old_uuid, self._holds_a_fact)) is None:
            return
        claim, uuid = named
        group = claim["key"][0]
        episode, _ = self._episode(group, op.episode)
        self._seen(group, op.change.get("v"), op.change.get("e"))
        keywords: dict[str, str | dt.datetime | EllipsisType | None] = {
            name: utc(op.change[short]) if short != "o" else op.change[short]
            for short, name in (("o", "target"), ("v", "valid_at"), ("e", "invalid_at"))
            if short in op.change
        }
        open_before = [c for c in self.model.claims if c["x"] is None]
        fact = self._both(
            {
                "op": "correct",
                "id": claim["id"],
                "newid": self._id(),
                **op.change,
                "tx": self.count,
                "ep": episode and episode[0],
            },
            lambda: self.memory.correct(uuid, **keywords, episode=episode and episode[1]),
        )
        if fact is not None:
            self.uuids[self._id()] = fact.claims[-1]
            for closed in open_before:
                if closed["x"] is not None and closed["k"] == "A" and closed["id"] is not None:
                    self.became[closed["id"]] = self._id()

    def _forget(self, op: Forget) -> None:
        if not self.told_episodes:
            return
        name = sorted(self.told_episodes)[op.pick % len(self.told_episodes)]
        uuid, _ = self.told_episodes.pop(name)
        self._both({"op": "delete_episode", "ep": name, "tx": self.count}, lambda: self.memory.forget(episode=uuid))

    def _both(self, model_op: dict[str, Any], call: Callable[[], Any]) -> Any:
        """Tell both; an inverted or empty period must be refused by both. None when it was."""
        words = ", ".join(f"{key}={_short(value)}" for key, value in model_op.items() if key not in ("op", "tx"))
        line = f"T{self.count} {model_op['op']} {words}"
        self.lines.append(line)
        try:
            self.model.op(model_op)
        except ValueError:
            self.lines[-1] = f"{line}   (refused)"
            with pytest.raises(InvalidPeriod):
                call()
            return None
        return call()

    def _model_op(self, op: str, triple: Triple, **rest: Any) -> dict[str, Any]:
        return {"op": op, **dict(zip("gsro", triple, strict=True)), **rest, "tx": self.count, "id": self._id()}

    def _id(self) -> str:
        return f"c{self.count}"

    def _seen(self, group: str, *dates: dt.datetime | None) -> None:
        self.groups.add(group)
        self.boundaries.update(date for date in dates if date is not None)

    def _episode(self, group: str, number: int | None) -> tuple[tuple[str, str] | None, dt.datetime]:
        """The episode's name and uuid, stored on first use, and the reference time that a claim of it takes."""
        if number is None:
            return None, told(self.count)
        name = f"{group}{number}"
        if name not in self.told_episodes:
            stored = self.memory.add(
                f"note {name}", reference_time=utc(EPISODE_TIMES[number]), group=group, extract=False
            ).episode
            self.told_episodes[name] = (stored.uuid, stored.reference_time.astimezone(dt.UTC).replace(tzinfo=None))
            assert self.told_episodes[name][1] == (EPISODE_TIMES[number] or told(self.count))
        uuid, reference_time = self.told_episodes[name]
        return (name, uuid), reference_time

    def _named(self, pick: int, by_old_uuid: bool, fits: Callable[[dict[str, Any]], bool]) -> tuple[dict[str, Any], str] | None:
        """A believed claim, and a uuid that addresses its fact: its own, or that of a claim corrected into it."""
        live = [c for c in self.model.claims if c["x"] is None and c["id"] in self.uuids and fits(c)]
        if not live:
            return None
        claim = live[pick % len(live)]
        if by_old_uuid:
            for old in self.model.claims:
                if old["x"] is not None and old["id"] in self.uuids and self.became.get(old["id"]) == claim["id"]:
                    return claim, self.uuids[old["id"]]
        return claim, self.uuids[claim["id"]]

    def _holds_a_fact(self, claim: dict[str, Any]) -> bool:
        return any(claim in fact["cl"] for fact in self.model.facts(claim["key"][:3], None))

    def _uuid_of_end(self, fact: Fact) -> str | None:
        """The uuid of the end just told, as the API shows it: the record's last claim, or what ended a version just now.

        None when it changed no answer: nothing shows it then.
        """
        if self._holds_a_fact(self.model.claims[-1]):
            return fact.claims[-1]
        news = [
            v for v in self.memory.history(fact.uuid, group=fact.group) if v.created_at == self.clock() and v.cause == "ended"
        ]
        return news[0].by if news else None

    def answer(self, t: dt.datetime, known: int | None) -> set[Triple]:
        """What the memory answers in all its groups; no triple may be answered by two facts."""
        known_at = None if known is None else utc(told(known))
        facts = self.memory.as_of(utc(t), known_at=known_at, group=sorted(self.groups))
        triples = [(fact.group, fact.source.name, fact.relation, fact.target.name) for fact in facts]
        assert len(set(triples)) == len(triples), self.story(f"as_of({t}, known_at=T{known}) answers one triple twice")
        return set(triples)

    def answers(self, known: Iterable[int | None] = (None,)) -> dict[tuple[dt.datetime, int | None], set[Triple]]:
        """The memory's answers at every boundary, and 1 µs before it, for every given known_at."""
        return {(t, k): self.answer(t, k) for k in known for t in self.instants()}

    def instants(self) -> list[dt.datetime]:
        return sorted({t for b in self.boundaries for t in (b, b - MICROSECOND)})

    def check(self) -> None:
        """Every answer at every boundary and every known_at equals the reference model's."""
        piles = {c["key"][:3] for c in self.model.claims}
        for known in (None, *range(self.count + 1)):
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
                    f"\n  answers {_names(got)}\n  right is {_names(right)}"
                )

    def story(self, fault: str) -> str:
        """The fault, and the history that led to it, one operation a line."""
        return "\n".join([fault, *("  " + line for line in self.lines), "  T(n) is told at " + str(told(0)) + " + 10 h * n"])


def empty(relations: Iterable[str] = FUNCTIONAL) -> Twins:
    """An empty memory and an empty model; the functional relations that are not built in are declared."""
    clock = FixedClock(told(0).replace(tzinfo=dt.UTC))
    memory = Memory(":memory:", embedder=HashEmbedder(8), clock=clock)
    if "PORT" in set(relations):
        memory.define_relation("PORT", functional=True)
    return Twins(memory, clock)


def tell(ops: Sequence[Op]) -> Twins:
    """Both, told the whole history."""
    twins = empty({op.triple[2] for op in ops if isinstance(op, Assert | End)})
    for op in ops:
        try:
            twins.tell(op)
        except BaseException as error:
            error.add_note(twins.story("raised while telling the last of these:"))
            raise
    return twins


def _short(value: Any) -> str:
    if isinstance(value, dt.datetime):
        return value.isoformat() if value.time() != dt.time() else value.date().isoformat()
    return str(value)


def _names(triples: set[Triple]) -> str:
    return ", ".join(" ".join(triple) for triple in sorted(triples)) or "nothing"
