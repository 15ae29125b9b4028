"""A session of the OpenAI Agents SDK over a memory: a conversation's items as they were, and what the user said, remembered.

Every item is kept exactly, in a group of its own, for `get_items`. What the user says is told to the memory besides, where its
facts are dated by the clock; what the assistant says is kept there as a text, and not read for facts.
What it carries: facts with both clocks, from all sessions, by `context` and `instructions`. What it cannot: an item has no
valid time. `pop_item` takes back what the popped text told, as if corrected; `clear_session` deletes the items for good and
leaves what was learned: that is what `memory.forget` is for.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from tkgmem.errors import NotFound
from tkgmem.graph import Episode
from tkgmem.memory import Memory

try:
    from agents.memory import SessionABC, SessionSettings
except ImportError as error:
    raise ImportError("the session needs one more package: pip install 'tkgmem[openai-agents]'") from error

if TYPE_CHECKING:
    from agents import Agent, RunContextWrapper, TResponseInputItem

PREFIX = "openai-agents"
_ITEMS = uuid.UUID("a0f4f3a4-6a2b-5f5e-9c1d-2f8f4b9b6c1e")
_MANY = 1_000_000

Result = TypeVar("Result")


class TkgmemSession(SessionABC):
    """A session in a memory's file.

    memory: a Memory, or the path of its file, which `close` then closes. user, assistant: who they are by name. extract: as in
    `Memory.add`, for what the user says; "later" keeps a turn from waiting for it.
    """

    def __init__(
        self,
        session_id: str,
        memory: Memory | str | Path,
        *,
        user: str = "User",
        assistant: str = "Assistant",
        extract: bool | Literal["later"] = True,
        session_settings: SessionSettings | None = None,
    ) -> None:
        self._own = not isinstance(memory, Memory)
        self.memory = memory if isinstance(memory, Memory) else Memory(memory)
        self.session_id = session_id
        self.session_settings = session_settings
        self._user, self._assistant, self._extract = user, assistant, extract
        self._group = f"{PREFIX}:{session_id}"
        self._changing = threading.Lock()

    def close(self) -> None:
        """Close the memory, if it was opened here."""
        if self._own:
            self.memory.close()

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The items in order; limit: only the last so many, by default as `session_settings` say."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        if limit is not None and limit <= 0:
            return [] if limit == 0 else await self.get_items(_MANY)
        kept = await _done(lambda: self._kept(_MANY if limit is None else limit))
        return [text.metadata["item"] for text in reversed(kept)]

    async def add_items(self, items: Sequence[TResponseInputItem]) -> None:
        """Add items. ValueError for what JSON cannot carry; none of them is added then."""
        await _done(lambda: self._add(items))

    async def pop_item(self) -> TResponseInputItem | None:
        """Take the last item away, with what its text told; None where there is none."""
        return await _done(self._pop)

    async def clear_session(self) -> None:
        """Delete all items for good, byte for byte. What was learned from them stays."""
        await _done(self._clear)

    async def context(self, query: str, *, max_tokens: int = 1_600) -> str:
        """What the memory knows about a question, with dates, for a model to read; "" for nothing."""
        return await _done(lambda: self.memory.context(query, max_tokens=max_tokens))

    def instructions(self, text: str = "", *, max_tokens: int = 1_600) -> Callable[[RunContextWrapper[Any], Agent[Any]], Any]:
        """Instructions for an `Agent`: the text, and what the memory knows about what the user said last."""

        async def given(_: RunContextWrapper[Any], __: Agent[Any]) -> str:
            said = next((words for item in reversed(await self.get_items()) if (words := _words(item, "user"))), "")
            known = await self.context(said, max_tokens=max_tokens) if said else ""
            return "\n\n".join(part for part in (text, known) if part)

        return given

    # --- in a thread ---

    def _kept(self, limit: int) -> list[Episode]:
        """The items as texts, the last one first."""
        return self.memory.episodes(group=self._group, limit=limit)

    def _add(self, items: Sequence[TResponseInputItem]) -> None:
        if not items:
            return
        with self._changing:
            last, changes = self._kept(1), self.memory.changes(limit=1, group=self._group)
            state = [self._group, last[0].uuid if last else None, changes[0].number if changes else 0]
            texts: list[dict[str, Any]] = []
            for number, item in enumerate(items):
                texts += self._texts(item, [*state, number])
            self.memory.add_many(texts)

    def _texts(self, item: TResponseInputItem, state: list[Any]) -> list[dict[str, Any]]:
        """What is to be kept of an item: itself, and what it says."""
        try:
            own = str(uuid.uuid5(_ITEMS, json.dumps([*state, item], sort_keys=True)))
        except TypeError as error:
            raise ValueError(f"an item must be JSON: {error}") from error
        kept: dict[str, Any] = {"uuid": own, "group": self._group, "extract": False, "metadata": {"item": _plain(item)}}
        told = []
        for role, speaker, extract in (("user", self._user, self._extract), ("assistant", self._assistant, False)):
            if words := _words(item, role):
                place = str(uuid.uuid5(_ITEMS, f"{own} told"))
                kept["metadata"]["told"] = place
                told = [
                    {
                        "content": words,
                        "uuid": place,
                        "source": "message",
                        "speaker": speaker,
                        "name": self.session_id,
                        "extract": extract,
                        "metadata": {"from": PREFIX, "role": role},
                    }
                ]
        return [{"content": str(_plain(item).get("type") or _plain(item).get("role") or "item"), **kept}, *told]

    def _pop(self) -> TResponseInputItem | None:
        with self._changing:
            kept = self._kept(1)
            if not kept:
                return None
            self.memory.undo(episode=kept[0].uuid)
            told = kept[0].metadata.get("told")
            if told is not None and self.memory.episodes(uuid=told):
                self.memory.undo(episode=told)
            item: TResponseInputItem = kept[0].metadata["item"]
            return item

    def _clear(self) -> None:
        with self._changing, contextlib.suppress(NotFound):  # there never was an item
            self.memory.forget(group=self._group)


async def _done(work: Callable[[], Result]) -> Result:
    """Work of a thread; what has begun is done to its end, also where nobody waits any more."""
    return await asyncio.shield(asyncio.to_thread(work))


def _plain(item: TResponseInputItem) -> dict[str, Any]:
    """An item as a plain mapping."""
    if not isinstance(item, Mapping):
        raise ValueError(f"an item is a mapping, not {item!r:.100}")
    return dict(item)


def _words(item: TResponseInputItem, role: str) -> str:
    """What an item says in this role, "" for nothing."""
    told = _plain(item)
    if told.get("role") != role or told.get("type", "message") != "message":
        return ""
    content = told.get("content")
    parts = content if isinstance(content, list) else [{"text": content}]
    texts = [part.get("text") for part in parts if isinstance(part, Mapping)]
    return "\n".join(text for text in texts if isinstance(text, str)).strip()
