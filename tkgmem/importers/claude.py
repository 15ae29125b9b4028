"""Claude's data export: `conversations.json` beside `users.json` and `memories.json`, in its ZIP or folder or alone.

The assistant's words are kept and not read for facts; its thinking, its tools and attached files are left out.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tkgmem.importers.exports import CONVERSATIONS, BrokenExport, elements, named
from tkgmem.importers.source import ASSISTANT_METADATA, USER, Found, Options, first_moment, joined, text_of

FORMAT = "claude"


def read(path: Path, options: Options) -> Found:
    """All conversations of an export, and what Claude remembered by itself."""
    found, me = Found(), options.speaker or _user(path) or USER
    for where, file in named(path, CONVERSATIONS):
        for number, conversation in enumerate(elements(where, file)):
            place = f"{where}, conversation {number}"
            if not isinstance(conversation, Mapping) or not isinstance(conversation.get("chat_messages"), list):
                found.skip(place, "it has no messages (`chat_messages`)")
                continue
            _conversation(place, conversation, me, options, found)
    return found.in_order()


def _conversation(place: str, conversation: Mapping[str, Any], me: str, options: Options, found: Found) -> None:
    own = text_of(conversation.get("uuid")) or place
    title = text_of(conversation.get("name")) or None
    when, taken = None, 0
    for number, message in enumerate(conversation["chat_messages"]):
        sender = message.get("sender") if isinstance(message, Mapping) else None
        if sender not in {"human", "assistant"}:
            found.skip(f"{place}, message {number}", f"nobody known said it: {sender!r}")
            continue
        content = _words(message)
        if not content:
            continue
        when = first_moment(message.get("created_at")) or when or first_moment(conversation.get("created_at"))
        if when is None:
            found.skip(f"{place}, message {number}", "neither it nor the conversation has a date")
            continue
        key, by_user = text_of(message.get("uuid")) or str(number), sender == "human"
        attached = [name for one in _list(message.get("attachments")) if (name := text_of(_mapping(one).get("file_name")))]
        found.add(
            content,
            when,
            form=FORMAT,
            key=f"{own} {key}",
            options=options,
            name=f"claude/{own}",
            description=title,
            source="message",
            speaker=me if by_user else "Claude",
            extract=None if by_user else False,
            metadata={
                "from": FORMAT,
                "message": key,
                **({} if by_user else ASSISTANT_METADATA),
                **({"attachments": attached} if attached else {}),
            },
        )
        taken += 1
    found.conversations += bool(taken)


def _words(message: Mapping[str, Any]) -> str:
    parts = [_mapping(part) for part in _list(message.get("content"))]
    return joined(part.get("text") for part in parts if part.get("type") == "text") or text_of(message.get("text"))


def _user(path: Path) -> str | None:
    """The name in `users.json`, if there is just one."""
    names: list[str] = []
    with contextlib.suppress(BrokenExport):
        for where, file in named(path, r"users\.json"):
            names += [name for user in elements(where, file) if (name := text_of(_mapping(user).get("full_name")))]
    return names[0] if len(names) == 1 else None


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
