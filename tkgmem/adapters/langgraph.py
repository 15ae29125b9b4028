"""LangGraph's `BaseStore` over a memory: items that agents put by namespace and key, with everything they ever were.

What it carries: the memory's own clock. `at(known_at)` is the store as it was then, `history` all values of a key, `forget`
deletes bytes. What it cannot: a value has no valid time, since `put` does not say since when it holds; tell such things to the
memory itself (`store.memory.add`, `add_fact`), which answers for any `valid_at`.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tkgmem.adapters.items import Items, Kept, New, as_json
from tkgmem.memory import Memory
from tkgmem.temporal.period import parse_moment, to_datetime

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        InvalidNamespaceError,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        get_text_at_path,
        tokenize_path,
        validate_op_namespace,
    )
except ImportError as error:
    raise ImportError("the LangGraph store needs one more package: pip install 'tkgmem[langgraph]'") from error

PREFIX = "langgraph"


class TkgmemStore(BaseStore):
    """A store in a memory's file. memory: a Memory, or the path of its file, which is then closed with the store.

    fields: which parts of a value say what it is about ("$" is all of it), where `put` does not name them in `index`.
    Searching by a query is by words and by meaning, with the memory's own embedder; without one the latest put come first.
    Items do not expire (no `ttl`). Values are what JSON carries, or ValueError: a tuple would come back as a list.
    """

    supports_ttl = False

    def __init__(self, memory: Memory | str | Path, *, fields: Sequence[str] = ("$",)) -> None:
        self._own = not isinstance(memory, Memory)
        self.memory = memory if isinstance(memory, Memory) else Memory(memory)
        self._fields = _places(fields)
        self._items = Items(self.memory, PREFIX)
        self._known_at: dt.datetime | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the memory, if it was opened here."""
        if self._own:
            self.memory.close()

    def at(self, known_at: dt.datetime | dt.date | str) -> TkgmemStore:
        """The store as it was at an instant (a date, or ISO text: its first instant); it can only be read."""
        then = TkgmemStore(self.memory, fields=self._fields)
        then._known_at = to_datetime(parse_moment(known_at).micros)
        return then

    def history(self, namespace: tuple[str, ...], key: str) -> list[Kept]:
        """All values that a key ever had, the latest first, each with when it counted; not those that were forgotten."""
        return self._items.history(namespace, key, self._known_at)

    def forget(self, namespace: tuple[str, ...], key: str) -> int:
        """Delete a key with all that it ever was, byte for byte. `delete` keeps the past. How many values went."""
        self._writable()
        return self._items.forget(namespace, key)

    def forget_namespace(self, namespace: tuple[str, ...]) -> int:
        """Delete all that a namespace ever had, byte for byte, and its name; those below it stay. How many values went."""
        self._writable()
        return self._items.forget_namespace(namespace)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do several operations: reads see what was there before, of several puts of one key the last counts.

        What is put is checked first and stored together: one value that cannot be kept, and none is.
        """
        todo = list(ops)
        for op in todo:
            validate_op_namespace(op)
        puts = {(op.namespace, op.key): op for op in todo if isinstance(op, PutOp)}
        if puts:
            self._writable()
        news = [self._new(op) for op in puts.values()]
        results = [self._answer(op) for op in todo]
        self._items.write(news)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """The same in a thread; the event loop goes on."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _answer(self, op: Op) -> Result:
        match op:
            case GetOp():
                kept = self._items.get(op.namespace, op.key, self._known_at)
                return None if kept is None else Item(**_fields(kept))
            case SearchOp():
                return self._search(op)
            case ListNamespacesOp():
                return self._listed(op)
            case PutOp():
                return None
        raise ValueError(f"unknown operation {op!r}")

    def _search(self, op: SearchOp) -> list[SearchItem]:
        first = max(0, op.offset)
        wanted = first + max(0, op.limit)
        if not op.query:
            all_ = self._items.within(op.namespace_prefix, self._known_at, page=256 if op.filter else wanted + 1)
            there = (kept for kept in all_ if _fits(kept, op.filter))
            return [SearchItem(**_fields(kept)) for kept in islice(there, first, wanted)]
        scored = ((score, kept) for score, kept in self._items.search(op.namespace_prefix, op.query, self._known_at))
        found: list[tuple[float | None, Kept]] = list(islice((one for one in scored if _fits(one[1], op.filter)), wanted))
        if len(found) < wanted:  # what nothing scores comes after all that something does
            known = {kept.uuid for _, kept in found}
            rest = (kept for kept in self._items.within(op.namespace_prefix, self._known_at) if kept.uuid not in known)
            found += islice(((None, kept) for kept in rest if _fits(kept, op.filter)), wanted - len(found))
        return [SearchItem(**_fields(kept), score=score) for score, kept in found[first:]]

    def _listed(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        there = self._items.namespaces(self._known_at)
        found = [one for one in there if all(_matches(one, condition) for condition in op.match_conditions or ())]
        if op.max_depth is not None:
            found = sorted({one[: op.max_depth] for one in found})
        return found[op.offset : op.offset + op.limit]

    def _new(self, op: PutOp) -> New:
        """What a put asks for, if it can be kept."""
        if op.ttl is not None:
            raise NotImplementedError(f"items do not expire here; put {op.key!r} without ttl={op.ttl!r}")
        if op.value is None:
            return New(op.namespace, op.key, None)
        if not isinstance(op.value, Mapping):
            raise ValueError(f"the value of {op.key!r} must be a mapping, not {type(op.value).__name__}: {op.value!r}")
        return New(op.namespace, op.key, as_json(dict(op.value), op.key), self._text(op))

    def _text(self, op: PutOp) -> str | None:
        """What a value says, at the places that count; None where it is not to be found."""
        if op.index is False:
            return None
        places = self._fields if op.index is None else _places(op.index)
        told = (
            text for place in places for text in get_text_at_path(op.value, place if place == "$" else tokenize_path(place))
        )
        return "\n".join(told)

    def _writable(self) -> None:
        if self._known_at is not None:
            raise ValueError(f"the store as it was at {self._known_at} can only be read")


def _places(fields: Sequence[str]) -> list[str]:
    if isinstance(fields, str):
        raise ValueError(f"fields are a list, such as [{fields!r}]")
    return list(fields)


def _fields(kept: Kept) -> dict[str, Any]:
    return {
        "namespace": kept.namespace, "key": kept.key, "value": kept.value, "created_at": kept.created_at,
        "updated_at": kept.updated_at,
    }  # fmt: skip


def _matches(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    """Whether a namespace begins, or ends, with a path; "*" stands for any label."""
    path = tuple(condition.path)
    if len(namespace) < len(path):
        return False
    if condition.match_type not in {"prefix", "suffix"}:
        raise ValueError(f"unknown match type {condition.match_type!r}; use prefix or suffix")
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", label) for label, wanted in zip(part, path, strict=True))


def _fits(kept: Kept, filter_: Mapping[str, Any] | None) -> bool:
    return all(_meets(kept.value.get(key), wanted) for key, wanted in (filter_ or {}).items())


def _meets(value: object, wanted: object) -> bool:
    """Whether a part of a value is what is wanted: equal, alike in its own parts, or as operators ($eq, $gt ...) say."""
    if isinstance(wanted, Mapping):
        if any(str(key).startswith("$") for key in wanted):
            return all(_compares(value, operator, bound) for operator, bound in wanted.items())
        return isinstance(value, Mapping) and all(_meets(value.get(key), one) for key, one in wanted.items())
    if isinstance(wanted, list | tuple):
        same = isinstance(value, list | tuple) and len(value) == len(wanted)
        return same and all(_meets(one, other) for one, other in zip(value, wanted, strict=True))  # type: ignore[call-overload]
    return bool(value == wanted)


def _compares(value: Any, operator: str, bound: Any) -> bool:
    """An operator, numbers by size; what is no number fits none of the four that compare sizes."""
    if operator in {"$eq", "$ne"}:
        return bool(value == bound) == (operator == "$eq")
    if operator not in {"$gt", "$gte", "$lt", "$lte"}:
        raise ValueError(f"unknown operator {operator!r}; use $eq, $ne, $gt, $gte, $lt or $lte")
    try:
        number, limit = float(value), float(bound)
    except (TypeError, ValueError):
        return False
    fits = {"$gt": number > limit, "$gte": number >= limit, "$lt": number < limit, "$lte": number <= limit}
    return fits[operator]


__all__ = ["InvalidNamespaceError", "Kept", "TkgmemStore"]
