"""What the queries of this layer share: lists as bindings, and claims as rows."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from tkgmem.graph import ClaimKind
from tkgmem.temporal.period import Precision


def in_list(ids: Iterable[Any]) -> str:
    """The values as JSON, for `IN (SELECT value FROM json_each(?))`."""
    return json.dumps(list(ids))


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

    def believed_at(self, known_at: int) -> bool:
        """Whether it was believed at a system time."""
        return self.created_at <= known_at and (self.expired_at is None or known_at < self.expired_at)
