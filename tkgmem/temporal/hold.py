"""Where each fact holds: its stint cut down to where nothing lies on top of it, and what ends each piece.

Pieces of one slot never overlap.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from heapq import heappop, heappush
from itertools import pairwise

from tkgmem.temporal.claim import FUTURE, PAST, Held, Stint
from tkgmem.temporal.period import Precision


def hold(stints: Sequence[Stint], rivals: Callable[[Stint], list[Stint]]) -> None:
    """Fill in `periods` of every stint (R1, R2). `rivals` gives the stints judged to conflict with one."""
    members: dict[Hashable, list[Stint]] = defaultdict(list)
    for stint in stints:
        for slot in stint.slots:
            members[slot].append(stint)
    visible: dict[int, list[list[tuple[float, float]]]] = defaultdict(list)  # stint -> pieces, one list a slot
    tops: dict[Hashable, dict[float, Stint]] = {}
    for slot, pile in members.items():
        pieces = sweep(pile)
        tops[slot] = {start: stint for start, _, stint in pieces}
        own: dict[int, list[tuple[float, float]]] = {stint.index: [] for stint in pile}
        for start, end, stint in pieces:
            own[stint.index].append((start, end))
        for index, spans in own.items():
            visible[index].append(spans)
    endings: dict[float, list[Stint]] = defaultdict(list)
    for stint in stints:
        endings[stint.end].append(stint)
    for stint in stints:
        spans = visible[stint.index][0]
        for more in visible[stint.index][1:]:
            spans = _intersect(spans, more)
        spans = [(start, min(end, stint.cap)) for start, end in spans if start < stint.cap]
        judged = [rival for rival in rivals(stint) if rival.index > stint.index]
        for rival in judged:
            spans = _subtract(spans, rival.start, rival.end)
        stint.periods = [_held(stint, span, tops, judged, endings) for span in spans]


def sweep(stints: list[Stint]) -> list[tuple[float, float, Stint]]:
    """Which stint of one slot is on top, piece by piece: ascending, adjacent pieces of one stint joined."""
    bounds = sorted({stint.start for stint in stints} | {stint.end for stint in stints})
    waiting = sorted(stints, key=lambda stint: -stint.start)
    pile: list[tuple[int, Stint]] = []
    pieces = []
    for start, end in pairwise(bounds):
        while waiting and waiting[-1].start <= start:
            stint = waiting.pop()
            heappush(pile, (-stint.index, stint))
        while pile and pile[0][1].end <= start:
            heappop(pile)
        if pile:
            pieces.append((start, end, pile[0][1]))
    joined: list[tuple[float, float, Stint]] = []
    for start, end, stint in pieces:
        if joined and joined[-1][2] is stint and joined[-1][1] == start:
            joined[-1] = (joined[-1][0], end, stint)
        else:
            joined.append((start, end, stint))
    return joined


def _intersect(a: list[tuple[float, float]], b: list[tuple[float, float]]) -> list[tuple[float, float]]:
    cut = [(max(s, t), min(e, f)) for s, e in a for t, f in b]
    return [(start, end) for start, end in cut if start < end]


def _subtract(spans: list[tuple[float, float]], start: float, end: float) -> list[tuple[float, float]]:
    cut = [piece for s, e in spans for piece in ((s, min(e, start)), (max(s, end), e))]
    return [(s, e) for s, e in cut if s < e]


def _held(
    stint: Stint,
    span: tuple[float, float],
    tops: dict[Hashable, dict[float, Stint]],
    judged: list[Stint],
    endings: dict[float, list[Stint]],
) -> Held:
    """One period with what ends it: its own stated end, an end of its triple, or what lies above it."""
    start, end = span
    cause: str | None = None
    by: int | None = None
    told: int | None = None
    precision: Precision | None = None
    if end == stint.end < FUTURE:
        cause, precision = "stated", stint.end_by.invalid_precision
        first = min(claim.recorded for claim in stint.claims if claim.end == stint.end)
        if first > stint.created:
            by, told = stint.end_by.id, first
    elif end == stint.cap and stint.cap_by is not None:
        cause, by, precision = "ended", stint.cap_by.id, stint.cap_by.invalid_precision
    elif end < FUTURE:
        above = [top for slot in stint.slots if (top := tops[slot].get(end)) is not None and top.index > stint.index]
        cause = "superseded" if above else "judged"
        rival = max(above, key=lambda top: top.index) if above else next(rival for rival in judged if rival.start == end)
        by, precision = rival.first.id, rival.start_by.valid_precision
    return Held(
        start=None if start == PAST else int(start),
        end=None if end == FUTURE else int(end),
        cause=cause,
        by=by,
        valid_precision=_start_precision(stint, start, endings),
        invalid_precision=precision,
        told=told,
    )


def _start_precision(stint: Stint, start: float, endings: dict[float, list[Stint]]) -> Precision | None:
    if start == PAST:
        return None
    if start == stint.start:
        return stint.start_by.valid_precision or "time"
    before = next(other for other in endings[start] if other.index > stint.index)
    return before.end_by.invalid_precision
