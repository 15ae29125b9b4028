"""What graphiti says with the four dates of an edge, as claims: the facts show the same four after the import.

An edge becomes a claim, learned at its created_at and holding from its valid_at on, and one more for each further episode
that states it. Its end is a claim of its own where graphiti learned of it later (invalid_at, learned at expired_at), else part
of the claim. An edge that expired without an end was dropped: its claims are believed until then, and no longer.

The rules that relations have here count, not graphiti's model: of two open WORKS_AT edges of one person the later start ends
the earlier. How many edges that concerns, by the built-in relations, is told in a warning. Edges of one triple that overlap
become one fact, which ends with the last of them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import inf
from typing import Any

from tkgmem.portable.foreign import KNOWN, Sieve
from tkgmem.portable.format import Record
from tkgmem.store.ids import make_uuid
from tkgmem.store.passages import claim_lead
from tkgmem.temporal.period import Moment, show

ORIGIN = "graphiti"


@dataclass(slots=True)
class Edge:
    """An edge with its dates read, and its ends and episodes as records.

    triple, slots: which fact it states, and what that occupies alone by the built-in relations.
    """

    place: str
    uuid: str
    group: str
    source: Record
    target: Record
    relation: str
    fact: str | None
    episodes: list[Record]
    created_at: int
    expired_at: int | None
    valid: Moment | None
    invalid: Moment | None
    reference: int | None
    attributes: dict[str, Any]
    triple: Hashable = None
    slots: tuple[Hashable, ...] = ()

    @property
    def start(self) -> float:
        """Where it starts, as far as it can be told."""
        begun = self.reference if self.valid is None else self.valid.micros
        return -inf if begun is None else begun

    @property
    def end(self) -> float:
        """Where it ends; never, where no end is told."""
        return inf if self.invalid is None else self.invalid.micros

    @property
    def dropped(self) -> bool:
        """Whether it is no longer believed, without having ended."""
        return self.expired_at is not None and self.invalid is None

    def leave_out_end(self) -> None:
        """Keep the end as an attribute only."""
        if self.invalid is not None:
            self.attributes.setdefault("invalid_at", show(self.invalid.micros))
            self.invalid = None


def settle(sieve: Sieve, edge: Edge) -> Edge:
    """The edge without the bounds that cannot be, and with its triple."""
    if edge.valid is not None and edge.invalid is not None and edge.invalid.micros <= edge.valid.micros:
        bounds = f"it starts at {show(edge.valid.micros)} and ends at {show(edge.invalid.micros)}"
        sieve.warn(edge.place, f"{bounds}, an empty or inverted period; the end was left out")
        edge.leave_out_end()
    if edge.expired_at is not None and edge.expired_at <= edge.created_at:
        if edge.dropped:
            sieve.warn(edge.place, "it expired no later than it was created; it is believed for a microsecond")
        edge.expired_at = edge.created_at + 1 if edge.dropped else None
    resolved = KNOWN.resolve(edge.relation)
    name, both = resolved.relation.name, resolved.relation.symmetric
    ends = [edge.source["uuid"], edge.target["uuid"]]
    ends = sorted(ends) if both else ends[::-1] if resolved.swapped else ends
    edge.triple = (edge.group, name, *ends)
    if resolved.relation.functional:
        edge.slots = tuple((edge.group, name, end) for end in dict.fromkeys(ends if both else ends[:1]))
    return edge


def claims_of(sieve: Sieve, edges: Sequence[Edge]) -> Iterator[Record]:
    """The claims of all edges of a dump, each with its place among those learned at the same instant."""
    _tell_cut(sieve, edges)
    for edge in _ended_too_early(edges):
        ended = show(edge.invalid.micros) if edge.invalid is not None else ""
        sieve.warn(edge.place, f"its end at {ended} was left out: another edge of the same triple goes on")
        edge.leave_out_end()
        edge.expired_at = None
    positions: dict[int, int] = defaultdict(int)
    for edge in edges:
        for claim in _claims(edge):
            claim["position"] = positions[claim["created_at"]]
            positions[claim["created_at"]] += 1
            yield claim


def _ended_too_early(edges: Sequence[Edge]) -> list[Edge]:
    """The edges at whose end another one of the same triple holds: the fact that they are together goes on."""
    same: dict[Hashable, list[Edge]] = defaultdict(list)
    for edge in edges:
        if not edge.dropped:
            same[edge.triple].append(edge)
    found = []
    for group in same.values():
        ordered = sorted(group, key=lambda edge: edge.start)
        starts = [edge.start for edge in ordered]
        latest = [-inf, *accumulate((edge.end for edge in ordered), max)]  # of the first so many
        found += [edge for edge in group if edge.end < latest[bisect_left(starts, edge.end)]]
    return found


def _tell_cut(sieve: Sieve, edges: Sequence[Edge]) -> None:
    """Warn of the edges that hold until a later one with another target starts, whatever the dump says."""
    piles: dict[Hashable, list[Edge]] = defaultdict(list)
    for edge in edges:
        for slot in () if edge.dropped else edge.slots:
            piles[slot].append(edge)
    cut: dict[str, None] = {}
    for pile in piles.values():
        next_triple: Hashable = None
        next_start = other_start = inf  # where the next one starts, and the next of another triple than that
        for edge in sorted(pile, key=lambda edge: edge.start, reverse=True):
            if edge.triple != next_triple:
                other_start, next_triple = next_start, edge.triple
            if other_start < edge.end:
                cut[edge.uuid] = None
            next_start = edge.start
    if cut:
        some = ", ".join(list(cut)[:3])
        sieve.warn(
            "edges",
            f"{len(cut)} of relations that have one target at a time overlap with a later one, which ends them: {some}"
            f"{', …' if len(cut) > 3 else ''}",
        )


def _claims(edge: Edge) -> Iterator[Record]:
    """The claims of one edge: it, each further episode that states it, and its end."""
    names = edge.source["name"], edge.target["name"]
    told_later = edge.invalid is not None and edge.expired_at is not None
    triple: Record = {
        "type": "claim", "group": edge.group, "source": edge.source["uuid"], "relation": edge.relation,
        "target": edge.target["uuid"], "fact": edge.fact, "lead": claim_lead(names[0], edge.relation, names[1], edge.fact),
        "made_by": ORIGIN,
    }  # fmt: skip
    bounds = _bound("valid", edge.valid) | ({} if told_later else _bound("invalid", edge.invalid))
    closed = edge.expired_at if edge.dropped else None
    # told when it had ended already: as a start of its own the reference would come after the end
    over = edge.invalid is not None and edge.reference is not None and edge.reference >= edge.invalid.micros
    yield {
        **triple, **bounds, "uuid": edge.uuid, "kind": "assert", "reference_time": None if over else edge.reference,
        "episode": edge.episodes[0]["uuid"] if edge.episodes else None, "attributes": edge.attributes,
        "created_at": edge.created_at, "expired_at": closed,
    }  # fmt: skip
    for episode in edge.episodes[1:]:
        at = max(edge.created_at, episode["created_at"])
        if closed is None or at < closed:
            own = make_uuid(ORIGIN, "support", edge.uuid, episode["uuid"])
            dates = {"created_at": at, "expired_at": closed}
            yield {**triple, **bounds, **dates, "uuid": own, "kind": "assert", "episode": episode["uuid"]}
    if told_later:
        dates = {**_bound("invalid", edge.invalid), "created_at": edge.expired_at}
        yield {**triple, **dates, "uuid": make_uuid(ORIGIN, "end", edge.uuid), "kind": "end"}


def _bound(name: str, moment: Moment | None) -> Record:
    return {} if moment is None else {f"{name}_at": moment.micros, f"{name}_precision": moment.precision}
