"""Paths into a JSON record: what stands there, in the order of the record; a path that leads nowhere gives nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

Scalar = str | int | float | bool | None
Scope = tuple[Any, ...]
"""The record, and inside it each element on the way to the one a rule is applied to."""


@dataclass(frozen=True, slots=True)
class Path:
    """Where to look. up: how many elements further out, None for the record itself. steps: a key, an index, or None for [*]."""

    text: str
    up: int | None
    steps: tuple[str | int | None, ...]


def scopes_of(each: Path | None, record: Any) -> Iterator[Scope]:
    """The elements a rule is applied to, each with those around it."""
    scopes: list[tuple[Scope, Any]] = [((record,), record)]
    for step in each.steps if each is not None else ():
        if step is None:
            scopes = [((*scope, item), item) for scope, value in scopes if isinstance(value, list) for item in value]
        else:
            scopes = [(scope, inner) for scope, value in scopes for inner in _into(value, step)]
    for scope, value in scopes:
        yield scope if each is None or each.steps[-1] is None else (*scope[:-1], value)


def is_absent(each: Path, record: Any) -> bool:
    """Whether the list itself is not there: an empty one, or null, is an answer."""
    values = [record]
    for step in each.steps:
        if step is not None:
            values = [inner for value in values for inner in _into(value, step)]
            continue
        lists = [value or [] for value in values if value is None or isinstance(value, list)]
        values = [inner for value in lists for inner in value]
        if not values:
            return not lists
    return not values


def values_at(path: Path, scope: Scope) -> list[Any]:
    """What stands at a path: nothing if it is not there."""
    values = [scope[0] if path.up is None else scope[-1 - path.up]]
    for step in path.steps:
        values = [inner for value in values for inner in _into(value, step)]
    return values


def _into(value: Any, step: str | int | None) -> Sequence[Any]:
    if isinstance(value, list):
        if step is None:
            return value
        return [value[step]] if isinstance(step, int) and -len(value) <= step < len(value) else ()
    return [value[step]] if isinstance(value, dict) and isinstance(step, str) and step in value else ()


def opened(values: Sequence[Any]) -> list[Any]:
    """The values, a list among them opened once."""
    return [inner for value in values for inner in (value if isinstance(value, list) else [value])]


def as_text(value: Any) -> str | None:
    """A text or number as text; None for anything else."""
    if isinstance(value, str):
        return value.strip()
    return json.dumps(value) if isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) else None
