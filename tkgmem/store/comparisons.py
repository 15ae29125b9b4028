"""Comparisons of dates and attributes as values, with what they say of a value; `conditions` says the same in SQL."""

from __future__ import annotations

import json
import operator as op
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

Scalar = str | int | float | bool | None
DateName = Literal["valid_at", "invalid_at", "created_at", "expired_at", "reference_time"]


COMPARE: Mapping[str, Callable[[int, int], bool]] = MappingProxyType(
    {"=": op.eq, "<": op.lt, "<=": op.le, ">": op.gt, ">=": op.ge}
)


class DateCondition(NamedTuple):
    """One comparison of a date. operator: one of `= != < <= > >=` with an instant, or `is`, `is not` with None."""

    name: DateName
    operator: str
    instant: int | None


class AttributeCondition(NamedTuple):
    """An attribute is one of these values; a list is if one of its elements is. None is null, or no such attribute."""

    key: str
    values: tuple[Scalar, ...]

    def fits(self, attributes: Mapping[str, Any]) -> bool:
        """Whether attributes meet it: the same as in SQL."""
        value = attributes.get(self.key)
        wanted = {_typed(one) for one in self.values}
        return any(_typed(one) in wanted for one in (value if isinstance(value, list) else [value]))


def _typed(value: Any) -> tuple[str, Any]:
    """A value that is equal to another where JSON has them equal: true is not 1, and "1" is not 1."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | None):
        return (type(value).__name__, json.dumps(value))
    return ("number" if isinstance(value, int | float) else type(value).__name__, value)


def meets(dates: Sequence[Sequence[DateCondition]] | None, shown: Mapping[str, int | None]) -> bool:
    """Whether dates meet any of the branches: what the conditions say in SQL. A date that is not shown asks nothing."""
    return dates is None or any(all(_meets(one, shown[one.name]) for one in branch if one.name in shown) for branch in dates)


def _meets(one: DateCondition, value: int | None) -> bool:
    if one.operator in {"is", "is not", "!="}:
        return (value == one.instant) == (one.operator == "is")
    return value is not None and one.instant is not None and COMPARE[one.operator](value, one.instant)
