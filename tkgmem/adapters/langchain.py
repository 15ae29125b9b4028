"""LangChain's retriever and key-value store over a memory.

What the retriever carries: both clocks. `valid_at` and `known_at` may be set when it is made or with a call, and every document
says when it holds, when that was learned and which texts it rests on. The key-value store has the memory's own clock only.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from itertools import chain, islice, zip_longest
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, get_args

from tkgmem.adapters.items import Items, New, as_json
from tkgmem.graph import Episode, Fact, Hit
from tkgmem.memory import Memory
from tkgmem.wording import fact_line

try:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.stores import BaseStore
    from pydantic import ConfigDict, Field
except ImportError as error:
    raise ImportError("the LangChain retriever needs one more package: pip install 'tkgmem[langchain]'") from error

Scope = Literal["facts", "episodes"]
PREFIX = "langchain"


class TkgmemRetriever(BaseRetriever):
    """Documents from a memory: its facts in words with their dates, and the texts that were told, the best of each in turn.

    k: how many. scopes: "facts", "episodes" or both. valid_at, known_at: the two clocks, now and everything by default.
    include_ended: also facts that do not hold at `valid_at`. group, min_score: as in `Memory.search`. All may be given with a
    call: `retriever.invoke("Where did Maya live?", valid_at="2023")`.

    A fact's document has the fact's uuid, its triple, its four dates as ISO text (None: unknown or open), and `episodes` and
    `claims`, what it rests on; `memory.why(document.id)` tells more. A text's has who said it when, and its own metadata, where
    that does not go by one of these names.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    memory: Memory
    k: int = Field(default=8, ge=1)
    scopes: tuple[Scope, ...] = ("facts", "episodes")
    valid_at: Any = None
    known_at: Any = None
    include_ended: bool = False
    group: Any = None
    min_score: float | None = None

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002  the framework gives it
        **given: Any,
    ) -> list[Document]:
        asked = {
            name: getattr(self, name) for name in ("scopes", "valid_at", "known_at", "include_ended", "group", "min_score")
        }
        if unknown := sorted(given.keys() - asked.keys() - {"k"}):
            raise TypeError(f"unknown argument {unknown[0]!r}; a call takes k, {', '.join(asked)}")
        count = given.pop("k", self.k)
        asked |= given
        if not set(asked["scopes"]) <= set(get_args(Scope)):
            raise ValueError(f"scopes is a list of some of {', '.join(get_args(Scope))}, not {asked['scopes']!r}")
        found = self.memory.search(query, limit=count, **asked)
        facts = [_fact(hit, found.valid_at) for hit in found.facts]
        episodes = [_episode(hit) for hit in found.episodes]
        in_turn = chain.from_iterable(zip_longest(facts, episodes))
        return list(islice((document for document in in_turn if document is not None), count))


def _fact(hit: Hit[Fact], valid_at: dt.datetime) -> Document:
    fact = hit.item
    metadata = {
        "kind": "fact",
        "uuid": fact.uuid,
        "group": fact.group,
        "score": hit.score,
        "source": fact.source.name,
        "relation": fact.relation,
        "target": fact.target.name,
        "valid_at": _iso(fact.valid_at),
        "invalid_at": _iso(fact.invalid_at),
        "created_at": _iso(fact.created_at),
        "expired_at": _iso(fact.expired_at),
        "planned": fact.planned,
        "episodes": list(fact.episodes),
        "claims": list(fact.claims),
    }
    return Document(id=fact.uuid, page_content=fact_line(fact, valid_at), metadata=metadata)


def _episode(hit: Hit[Episode]) -> Document:
    episode = hit.item
    metadata = {
        **episode.metadata,
        "kind": "episode",
        "uuid": episode.uuid,
        "group": episode.group,
        "score": hit.score,
        "speaker": episode.speaker,
        "conversation": episode.name,
        "reference_time": episode.reference_time.isoformat(),
        "created_at": _iso(episode.created_at),
    }
    return Document(id=episode.uuid, page_content=episode.content, metadata=metadata)


def _iso(value: dt.datetime | None) -> str | None:
    return None if value is None else value.isoformat()


class TkgmemKeyValueStore(BaseStore[str, Any]):
    """Values by key, as JSON, in a memory's file; what they were before stays known to `history`.

    memory: a Memory, or the path of its file, which is then closed with the store. namespace: keeps several stores in one file
    apart. Values are what JSON carries, or ValueError: give bytes as text (base64).
    """

    def __init__(self, memory: Memory | str | Path, *, namespace: str = "default") -> None:
        self._own = not isinstance(memory, Memory)
        self.memory = memory if isinstance(memory, Memory) else Memory(memory)
        self._items, self._namespace = Items(self.memory, PREFIX), (namespace,)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the memory, if it was opened here."""
        if self._own:
            self.memory.close()

    def mget(self, keys: Sequence[str]) -> list[Any | None]:
        """The values of these keys, None for those that have none."""
        found = [self._items.get(self._namespace, key) for key in keys]
        return [None if kept is None else kept.value["value"] for kept in found]

    def mset(self, key_value_pairs: Sequence[tuple[str, Any]]) -> None:
        """Give keys their values, of several for one key the last. ValueError for what JSON cannot carry, and none is kept."""
        values = dict(key_value_pairs)
        self._items.write([New(self._namespace, key, as_json({"value": value}, key)) for key, value in values.items()])

    def mdelete(self, keys: Sequence[str]) -> None:
        """Take the values of these keys away."""
        self._items.write([New(self._namespace, key, None) for key in dict.fromkeys(keys)])

    def yield_keys(self, *, prefix: str | None = None) -> Iterator[str]:
        """The keys that have a value, those that begin like this."""
        yield from (kept.key for kept in self._items.within(self._namespace) if kept.key.startswith(prefix or ""))

    def history(self, key: str) -> list[tuple[dt.datetime, Any]]:
        """All values that a key ever had, with since when, the latest first."""
        return [(kept.updated_at, kept.value["value"]) for kept in self._items.history(self._namespace, key)]

    def forget(self, keys: Sequence[str]) -> int:
        """Delete keys with all that they ever were, byte for byte. How many values went."""
        return sum(self._items.forget(self._namespace, key) for key in dict.fromkeys(keys))
