"""A memory block for LlamaIndex's `Memory`: what falls out of its short-term memory is told here, what is known comes back.

What it carries: dated facts from all that was said, asked for with what the user says now; the block's text has the dates in
words. What it cannot: a block is asked as of now; for another time ask `block.memory` with `valid_at` and `known_at`.
"""

from __future__ import annotations

import asyncio
from typing import Any

from tkgmem.memory import Memory

try:
    from llama_index.core.base.llms.types import ChatMessage, MessageRole
    from llama_index.core.memory import BaseMemoryBlock
    from pydantic import Field
except ImportError as error:
    raise ImportError("the memory block needs one more package: pip install 'tkgmem[llama-index]'") from error


class TkgmemMemoryBlock(BaseMemoryBlock[str]):
    """A block over a memory: `Memory.from_defaults(memory_blocks=[TkgmemMemoryBlock(memory=memory)])`.

    user, assistant: who they are by name. max_tokens: of the text that it gives. extract: as in `Memory.add`, for what the user
    says; what the assistant says is kept, and not read for facts.
    """

    memory: Memory
    name: str = "tkgmem"
    user: str = "User"
    assistant: str = "Assistant"
    max_tokens: int = Field(default=800, ge=100)
    extract: Any = True

    async def _aget(self, messages: list[ChatMessage] | None = None, **_: Any) -> str:
        """What is known about what the user said last; "" for nothing."""
        said = next((_words(one) for one in reversed(messages or []) if one.role == MessageRole.USER and _words(one)), "")
        return await asyncio.to_thread(self.memory.context, said, max_tokens=self.max_tokens) if said else ""

    async def _aput(self, messages: list[ChatMessage]) -> None:
        """Remember messages."""
        texts = [self._text(message) for message in messages if _words(message) and message.role in _SPOKEN]
        await asyncio.shield(asyncio.to_thread(self.memory.add_many, texts))

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """The text without so many tokens' worth of lines from its end; None where no line is left."""
        from tkgmem.search.context import tokens

        lines = content.splitlines()
        while lines and tokens_to_truncate > 0:
            tokens_to_truncate -= tokens.count(lines.pop())
        return "\n".join(lines) or None

    def _text(self, message: ChatMessage) -> dict[str, Any]:
        by_user = message.role == MessageRole.USER
        return {
            "content": _words(message),
            "source": "message",
            "speaker": self.user if by_user else self.assistant,
            "name": message.additional_kwargs.get("session_id"),
            "extract": self.extract if by_user else False,
            "metadata": {"from": "llama-index", "role": message.role.value},
        }


_SPOKEN = frozenset({MessageRole.USER, MessageRole.ASSISTANT})


def _words(message: ChatMessage) -> str:
    return (message.content or "").strip()
