"""The time a question may take, and what it took: milliseconds per stage, and the stages left out for want of time."""

from __future__ import annotations

import time

ORDER = ("rerank", "beside", "graph", "cosine", "embed", "bm25", "communities")
"""The stages that may be left out or cut short, in the order in which they are given up; the last where there are none."""

_LEFT_OUT = ORDER[:4]
"""Those that begin only if no later one of them was given up before."""


class Budget:
    """One question's time. deadline_ms: None is no limit.

    Stages ask `enough` before they begin; one that is refused, or says `skip`, is named in `degraded`. Where one is given up,
    so are all before it in `ORDER`, even if there would be time for them.
    """

    def __init__(self, deadline_ms: float | None = None) -> None:
        self.timings: dict[str, float] = {}
        self._skipped: dict[str, None] = {}
        self._begun = self._last = time.perf_counter()
        self.ends = None if deadline_ms is None else self._begun + deadline_ms / 1_000

    def lap(self, stage: str) -> None:
        """Put the time since the last lap down to a stage."""
        now = time.perf_counter()
        self.timings[stage] = self.timings.get(stage, 0.0) + (now - self._last) * 1_000
        self._last = now

    @property
    def left_ms(self) -> float:
        """Milliseconds until the deadline, infinite where there is none, negative once it has passed."""
        return float("inf") if self.ends is None else (self.ends - time.perf_counter()) * 1_000

    def share(self, part: float) -> float | None:
        """When a stage should end that may take this part of what is left, in seconds of time.perf_counter."""
        now = time.perf_counter()
        return None if self.ends is None else now + part * (self.ends - now)

    def enough(self, stage: str, needed_ms: float = 0.0) -> bool:
        """Whether a stage that takes about so long may begin; if not, it is named as skipped."""
        worth_more = _LEFT_OUT[_LEFT_OUT.index(stage) + 1 :] if stage in _LEFT_OUT else ()
        if self.left_ms > needed_ms and self._skipped.keys().isdisjoint(worth_more):
            return True
        self.skip(stage)
        return False

    def skip(self, stage: str) -> None:
        """Name a stage that was left out, or cut short."""
        self._skipped[stage] = None

    @property
    def degraded(self) -> tuple[str, ...]:
        """The stages that were left out or cut short, in the order of `ORDER`."""
        return tuple(stage for stage in ORDER if stage in self._skipped)
