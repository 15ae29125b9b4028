"""What the queries of this layer share: lists as bindings, and claims as rows."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from tkgmem.graph import ClaimKind
from tkgmem.temporal.period import Precision


class Damaged(Exception):
    """A stored value that cannot be, said in words. `Store` raises it as NotATkgmemFile, with the path and what to do."""


def texts(*values: object) -> None:
    """Damaged if one of these, where it is not None, is no text."""
    for value in values:
        if value is not None and not isinstance(value, str):
            raise Damaged(f"where a text belongs there is {value!r:.60}")


def in_list(ids: Iterable[Any]) -> str:
    """The values as JSON, for `IN (SELECT value FROM json_each(?))`."""
    return json.dumps(list(ids))


def between(begun: int, ended: int | None, gaps: Iterable[tuple[int, int]]) -> list[tuple[int, int | None]]:
    """The stretches of [begun, ended) outside of gaps, which come in order of their starts.

    >>> between(1, None, [(3, 5), (4, 6)])
    [(1, 3), (6, None)]
    """
    found: list[tuple[int, int | None]] = []
    for start, end in gaps:
        if begun < start:
            found.append((begun, start))
        begun = max(begun, end)
    return [*found, (begun, ended)] if ended is None or begun < ended else found


class ClaimRow(NamedTuple):
    """A row of `claims`."""

    id: int
    uuid: str
    group_id: int
    kind: ClaimKind
    source_id: int
    relation: str
    target_id: int
    fact: str | None
    valid_at: int | None
    invalid_at: int | None
    valid_precision: Precision | None
    invalid_precision: Precision | None
    reference_time: int | None
    episode_id: int | None
    attributes: str
    position: int
    created_at: int
    expired_at: int | None
    replaced_by_id: int | None
    gaps: str
    """The stretches of system time (JSON) in which an undo took it back, or after which one brought it back."""

    def believed_at(self, known_at: int) -> bool:
        """Whether it was believed at a system time."""
        if known_at < self.created_at or (self.expired_at is not None and self.expired_at <= known_at):
            return False
        return self.gaps == "[]" or not any(start <= known_at < end for start, end in json.loads(self.gaps))

    @property
    def instants(self) -> set[int]:
        """The instants at which its belief began or ended."""
        ends = {self.created_at} if self.expired_at is None else {self.created_at, self.expired_at}
        return ends if self.gaps == "[]" else ends | {at for gap in json.loads(self.gaps) for at in gap}
