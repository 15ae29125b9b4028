"""Items by namespace and key, kept as texts that replace each other: what a store of a framework needs, with the past kept.

A namespace is a group. The item of a key is the latest text there that goes by its name and is not taken back; putting another
takes the former back, and so does deleting: it is found no more, and an earlier `known_at` still shows it. The namespaces are
listed apart.
"""

from __future__ import annotations

import datetime as dt
import json
import threading
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tkgmem.errors import ProviderError
from tkgmem.graph import Episode
from tkgmem.memory import Memory
from tkgmem.search.recipes import Recipe

Namespace = tuple[str, ...]
_ITEMS = uuid.UUID("0c1e6a52-0d53-5f0e-8a39-3d0f2b7f6a10")
_MANY = 1_000_000
_ALONE = Recipe(methods=("bm25", "cosine"), beside=False)
"""An item says what it says: those put before and after it do not count."""
_LONGEST = 900
"""Characters of a namespace as JSON: a group's name has its limit."""


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


@dataclass(frozen=True, slots=True)
class New:
    """What a key is to have. value: as `as_json` gives it, None: nothing. text: what it says, None: it is not to be found."""

    namespace: Namespace
    key: str
    value: str | None
    text: str | None = None


class Items:
    """The items in one memory, under one prefix.

    They are not read for facts: a value that takes the place of another does not say since when anything holds.
    """

    def __init__(self, memory: Memory, prefix: str) -> None:
        self.memory = memory
        self._prefix = f"{prefix}:"
        self._writing = threading.Lock()

    def get(self, namespace: Namespace, key: str, known_at: dt.datetime | None = None) -> Kept | None:
        """The item of a key, as it was at `known_at`."""
        return next(iter(self._current(namespace, key, known_at)), None)

    def write(self, news: Sequence[New]) -> None:
        """Give keys, all different, their values in place of what is there. All are checked first, and stored together.

        What a key had is taken back once the new value is there, so that it has one at any moment. Raises ProviderError if
        values are stored and cannot be found by meaning yet, since the embedder failed.
        """
        with self._writing:
            before = [self._current(new.namespace, new.key) for new in news]
            failed = self._add([(new, old) for new, old in zip(news, before, strict=True) if new.value is not None])
            for kept in (kept for old in before for kept in old):
                self.memory.undo(episode=kept.uuid)
        if failed:
            raise ProviderError(f"it is stored, but not to be found by meaning before `memory.extract` runs: {failed[0]}")

    def history(self, namespace: Namespace, key: str, known_at: dt.datetime | None = None) -> list[Kept]:
        """Every value that a key ever had, up to `known_at`, the latest first."""
        return sorted(self._ever(namespace, key, known_at), key=lambda kept: kept.updated_at, reverse=True)

    def forget(self, namespace: Namespace, key: str) -> int:
        """Delete a key's values for good, byte for byte, the past ones too. How many there were."""
        with self._writing:
            gone = [kept.uuid for kept in self._ever(namespace, key)]
            if gone:
                self.memory.forget(episode=gone)
            return len(gone)

    def forget_namespace(self, namespace: Namespace) -> int:
        """Delete all that a namespace ever had for good, its name too; those below it stay. How many values there were."""
        with self._writing:
            group = self._group(namespace)
            texts = self.memory.episodes(group=group, taken_back=True, limit=_MANY)
            if texts:
                self.memory.forget(group=group)
            listed = self.memory.episodes(group=self._spaces, name=_text(namespace), taken_back=True, limit=_MANY)
            if listed:
                self.memory.forget(episode=[text.uuid for text in listed])
            return len(texts)

    def namespaces(self, known_at: dt.datetime | None = None) -> list[Namespace]:
        """The namespaces that have an item, in order."""
        there = (one for one in self._listed(()) if self.memory.episodes(group=self._group(one), known_at=known_at, limit=1))
        return sorted(there)

    def within(self, prefix: Namespace, known_at: dt.datetime | None = None, page: int = 256) -> Iterator[Kept]:
        """The items of all namespaces that begin like this, the latest put first, read a page at a time."""
        groups = [self._group(namespace) for namespace in self._listed(prefix)]
        seen: set[tuple[Namespace, str]] = set()
        first = 0
        while groups:
            texts = self.memory.episodes(group=groups, known_at=known_at, limit=page, offset=first)
            for kept in filter(None, map(_kept, texts)):
                if (kept.namespace, kept.key) not in seen:
                    seen.add((kept.namespace, kept.key))
                    yield kept
            if len(texts) < page:
                return
            first += page

    def search(self, prefix: Namespace, query: str, known_at: dt.datetime | None = None) -> Iterator[tuple[float, Kept]]:
        """The items there by how well they fit a question, best first, with their scores."""
        groups = [self._group(namespace) for namespace in self._listed(prefix)]
        seen: set[str] = set()
        limit = 32
        while groups:
            hits = self.memory.search(
                query,
                scopes=("episodes",),
                group=groups,
                limit=limit,
                known_at=known_at,
                use_query_time=False,
                recipe=_ALONE,
            ).episodes
            for hit in hits:
                kept = _kept(hit.item) if hit.item.uuid not in seen else None
                seen.add(hit.item.uuid)
                if kept is not None and kept.indexed and self._counts(kept, known_at):
                    yield hit.score, kept
            if len(hits) < limit:
                return
            limit *= 4

    # --- texts ---

    def _group(self, namespace: Namespace) -> str:
        text = _text(namespace)
        if len(text) > _LONGEST:
            raise ValueError(f"a namespace has {len(text)} characters, the limit is {_LONGEST}: {text[:60]}…")
        return self._prefix + text

    @property
    def _spaces(self) -> str:
        return f"{self._prefix}namespaces"

    def _current(self, namespace: Namespace, key: str, known_at: dt.datetime | None = None) -> list[Kept]:
        """What counts of a key, the latest first: one item, or more for a while where several write at once."""
        texts = self.memory.episodes(group=self._group(namespace), name=key, known_at=known_at, limit=_MANY)
        return list(filter(None, map(_kept, texts)))

    def _ever(self, namespace: Namespace, key: str, known_at: dt.datetime | None = None) -> list[Kept]:
        group = self._group(namespace)
        texts = self.memory.episodes(group=group, name=key, known_at=known_at, taken_back=True, limit=_MANY)
        return list(filter(None, map(_kept, texts)))

    def _counts(self, kept: Kept, known_at: dt.datetime | None) -> bool:
        """Whether it is the latest of its key."""
        latest = self.get(kept.namespace, kept.key, known_at)
        return latest is not None and latest.uuid == kept.uuid

    def _listed(self, prefix: Namespace) -> list[Namespace]:
        """The namespaces that begin like this and ever had an item."""
        texts = self.memory.episodes(group=self._spaces, limit=_MANY)
        found = (tuple(text.metadata["namespace"]) for text in texts if "namespace" in text.metadata)
        return [one for one in found if one[: len(prefix)] == prefix]

    def _add(self, puts: Sequence[tuple[New, list[Kept]]]) -> list[str]:
        """Store values, each in place of some; what failed."""
        spaces = dict.fromkeys(new.namespace for new, _ in puts)
        missing = [one for one in spaces if not self.memory.episodes(group=self._spaces, name=_text(one), limit=1)]
        texts = [self._space(one) for one in missing] + [self._item(new, old) for new, old in puts]
        results = self.memory.add_many(texts) if texts else []
        lost = [put for put, result in zip(puts, results[len(missing) :], strict=True) if result.episode.expired_at is not None]
        again = self._add(lost) if lost else []  # somebody put the same at the same time, and took it back already
        return [error for result in results if (error := result.episode.error)] + again

    def _space(self, namespace: Namespace) -> dict[str, Any]:
        name = _text(namespace)
        place = str(uuid.uuid5(_ITEMS, f"{self._spaces} {name}"))
        told = {"namespace": list(namespace)}
        return {
            "content": name, "name": name, "metadata": told, "group": self._spaces, "uuid": place, "extract": False,
        }  # fmt: skip

    def _item(self, new: New, old: list[Kept]) -> dict[str, Any]:
        """A text, always a new one: the same value may be put again, at the same instant too."""
        said = (new.text or "").replace("\0", " ").strip()
        ever = self._ever(new.namespace, new.key)
        told = [self._group(new.namespace), new.key, new.value, said, len(ever), *(kept.uuid for kept in ever[:1])]
        return {
            "content": said or new.key.strip() or "item",
            "name": new.key,
            "metadata": {
                "namespace": list(new.namespace),
                "value": new.value,
                "indexed": bool(said),
                "created_at": old[0].created_at.isoformat() if old else None,
            },
            "group": self._group(new.namespace),
            "uuid": str(uuid.uuid5(_ITEMS, json.dumps(told))),
            "extract": False,
        }


def as_json(value: Any, key: str) -> str:
    """A value as it is kept: its parts in their order. ValueError for what would not be read back the same."""
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False)
        text.encode()
        same = json.loads(text) == value
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"the value of {key!r} must be JSON: {error}") from error
    if not same:
        raise ValueError(f"the value of {key!r} must be JSON: use text keys, lists and plain values, not {value!r}")
    return text


def _text(namespace: Namespace) -> str:
    return json.dumps(list(namespace), ensure_ascii=False)


def _kept(text: Episode) -> Kept | None:
    """The item that a text is, None where somebody told a text of their own there."""
    told = text.metadata
    if text.name is None or not {"namespace", "value", "indexed"} <= told.keys():
        return None
    created = told.get("created_at")
    return Kept(
        tuple(told["namespace"]),
        text.name,
        json.loads(told["value"]),
        text.created_at if created is None else dt.datetime.fromisoformat(created),
        text.created_at,
        text.expired_at,
        told["indexed"],
        text.uuid,
    )
