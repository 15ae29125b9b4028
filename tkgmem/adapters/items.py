"""Items by namespace and key, kept as texts that replace each other: what a store of a framework needs, with the past kept.

A namespace is a group. The item of a key is the one text there that goes by its name; putting another takes the former back, so
that it is found no more and an earlier `known_at` still shows it. Deleting leaves a mark apart, which leads to the last one.
The namespaces are listed apart as well.
"""

from __future__ import annotations

import datetime as dt
import json
import threading
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tkgmem.graph import Episode
from tkgmem.memory import Memory

Namespace = tuple[str, ...]
_ITEMS = uuid.UUID("0c1e6a52-0d53-5f0e-8a39-3d0f2b7f6a10")
_MANY = 1_000_000


@dataclass(frozen=True, slots=True)
class Kept:
    """An item as it was put. created_at: when its key was first put. updated_at: when this value was; expired_at: until when it
    counted, None while it does. indexed: whether it is to be found by what it says. uuid: of the text.
    """

    namespace: Namespace
    key: str
    value: dict[str, Any]
    created_at: dt.datetime
    updated_at: dt.datetime
    expired_at: dt.datetime | None
    indexed: bool
    uuid: str


class Items:
    """The items in one memory, under one prefix.

    They are not read for facts: a value that takes the place of another does not say since when anything holds.
    """

    def __init__(self, memory: Memory, prefix: str) -> None:
        self.memory = memory
        self._prefix = f"{prefix}:"
        self._putting = threading.Lock()
        self._listed: set[Namespace] = set()

    def get(self, namespace: Namespace, key: str, known_at: dt.datetime | None = None) -> Kept | None:
        """The item of a key, as it was at `known_at`."""
        found = self._current(namespace, key, known_at, 1)
        return _kept(found[0]) if found else None

    def put(self, namespace: Namespace, key: str, value: Mapping[str, Any], text: str | None) -> None:
        """Put a value in place of what is there. text: what it says, to be found by; None: it is not to be found.

        Raises ValueError for what JSON cannot carry.
        """
        with self._putting:
            before = self._current(namespace, key, None, _MANY)
            last = before[0].uuid if before else self._last_deleted(namespace, key)
            created = _kept(before[0]).created_at.isoformat() if before else None
            self._list(namespace)
            self._add(
                self._group(namespace),
                key,
                text if text and text.strip() else key,
                {
                    "namespace": list(namespace),
                    "value": dict(value),
                    "indexed": bool(text and text.strip()),
                    "created_at": created,
                    "before": last,
                },
            )
            self._hide(before)

    def delete(self, namespace: Namespace, key: str) -> None:
        """Take the item of a key away, if there is one. What it was stays known; `forget` deletes for good."""
        with self._putting:
            before = self._current(namespace, key, None, _MANY)
            if before:
                mark = {"namespace": list(namespace), "before": before[0].uuid}
                self._hide(self.memory.episodes(group=self._marks, name=_mark(namespace, key), limit=_MANY))
                self._add(self._marks, _mark(namespace, key), "deleted", mark)
                self._hide(before)

    def history(self, namespace: Namespace, key: str) -> list[Kept]:
        """Every value that a key ever had, the latest first."""
        current = self._current(namespace, key, None, 1)
        last = current[0].uuid if current else self._last_deleted(namespace, key)
        found: dict[str, Kept] = {}
        while last is not None and last not in found:
            texts = self.memory.episodes(uuid=last, group=self._group(namespace))
            if not texts:
                break  # forgotten
            found[last] = _kept(texts[0])
            last = texts[0].metadata.get("before")
        return list(found.values())

    def forget(self, namespace: Namespace, key: str) -> int:
        """Delete a key's values for good, byte for byte, the past ones too. How many there were."""
        with self._putting:
            gone = [kept.uuid for kept in self.history(namespace, key)]
            marks = self.memory.episodes(group=self._marks, name=_mark(namespace, key), limit=_MANY)
            if gone or marks:
                self.memory.forget(episode=[*gone, *(mark.uuid for mark in marks)])
            return len(gone)

    def namespaces(self, known_at: dt.datetime | None = None) -> list[Namespace]:
        """The namespaces that have an item, in order."""
        listed = [tuple(text.metadata["namespace"]) for text in self.memory.episodes(group=self._spaces, limit=_MANY)]
        there = (one for one in listed if self.memory.episodes(group=self._group(one), known_at=known_at, limit=1))
        return sorted(there)

    def within(self, prefix: Namespace, known_at: dt.datetime | None = None) -> Iterator[Kept]:
        """The items of all namespaces that begin like this, by namespace, in the order they were put."""
        for namespace in self.namespaces(known_at):
            if namespace[: len(prefix)] == prefix:
                texts = self.memory.episodes(group=self._group(namespace), known_at=known_at, limit=_MANY)
                yield from ({text.name: _kept(text) for text in reversed(texts)}).values()

    def search(self, prefix: Namespace, query: str, known_at: dt.datetime | None = None) -> Iterator[tuple[float, Kept]]:
        """The items there by how well they fit a question, best first, with their scores."""
        groups = [self._group(namespace) for namespace in self.namespaces(known_at) if namespace[: len(prefix)] == prefix]
        seen: set[str] = set()
        limit = 32
        while groups:
            hits = self.memory.search(
                query, scopes=("episodes",), group=groups, limit=limit, known_at=known_at, use_query_time=False
            ).episodes
            for hit in hits:
                kept = _kept(hit.item) if hit.item.uuid not in seen else None
                seen.add(hit.item.uuid)
                if kept is not None and kept.indexed and self.get(kept.namespace, kept.key, known_at) == kept:
                    yield hit.score, kept
            if len(hits) < limit:
                return
            limit *= 4

    # --- texts ---

    def _group(self, namespace: Namespace) -> str:
        return self._prefix + json.dumps(list(namespace), ensure_ascii=False)

    def _list(self, namespace: Namespace) -> None:
        """Note that there is a namespace, once."""
        if namespace not in self._listed:
            name = json.dumps(list(namespace), ensure_ascii=False)
            place = str(uuid.uuid5(_ITEMS, f"{self._spaces} {name}"))
            told = {"namespace": list(namespace)}
            self.memory.add(name, name=name, metadata=told, group=self._spaces, uuid=place, extract=False)
            self._listed.add(namespace)

    @property
    def _spaces(self) -> str:
        return f"{self._prefix}namespaces"

    @property
    def _marks(self) -> str:
        return f"{self._prefix}deleted"

    def _current(self, namespace: Namespace, key: str, known_at: dt.datetime | None, limit: int) -> list[Episode]:
        return self.memory.episodes(group=self._group(namespace), name=key, known_at=known_at, limit=limit)

    def _last_deleted(self, namespace: Namespace, key: str) -> str | None:
        marks = self.memory.episodes(group=self._marks, name=_mark(namespace, key), limit=1)
        return marks[0].metadata["before"] if marks else None

    def _add(self, group: str, name: str, text: str, metadata: dict[str, Any]) -> None:
        """Add a text, always as a new one: the same value may be put again, at the same instant too."""
        last = self.memory.changes(limit=1, group=group)
        try:
            told = json.dumps([group, name, text, metadata, last[0].number if last else 0], sort_keys=True)
        except TypeError as error:
            raise ValueError(f"a value must be JSON: {error}") from error
        place = str(uuid.uuid5(_ITEMS, told))
        self.memory.add(text, name=name, metadata=metadata, group=group, uuid=place, extract=False)

    def _hide(self, texts: Sequence[Episode]) -> None:
        for text in texts:
            self.memory.undo(episode=text.uuid)


def _mark(namespace: Namespace, key: str) -> str:
    return json.dumps([*namespace, key], ensure_ascii=False)


def _kept(text: Episode) -> Kept:
    told = text.metadata
    created = told.get("created_at")
    return Kept(
        tuple(told["namespace"]),
        text.name or "",
        told["value"],
        text.created_at if created is None else dt.datetime.fromisoformat(created),
        text.created_at,
        text.expired_at,
        told["indexed"],
        text.uuid,
    )
