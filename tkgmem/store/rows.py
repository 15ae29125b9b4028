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
