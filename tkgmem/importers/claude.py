"""Claude's data export: `conversations.json` beside `users.json` and `memories.json`, in its ZIP or folder or alone.

The assistant's words, and what it remembered by itself, are kept and not read for facts; its thinking, its tools and attached
files are left out.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tkgmem.importers.exports import CONVERSATIONS, BrokenExport, elements, named
from tkgmem.importers.source import Found, Options, as_list, as_mapping, first_moment, joined, text_of

FORMAT = "claude"


def read(path: Path, options: Options) -> Found:
    """All conversations of an export, and what Claude remembered by itself."""
    found, options = Found(), Options(options.group, options.speaker or _user(path))
    for where, file in named(path, CONVERSATIONS):
        for number, conversation in enumerate(elements(where, file)):
            place = f"{where}, conversation {number}"
            if not isinstance(conversation, Mapping) or not isinstance(conversation.get("chat_messages"), list):
                found.skip(place, "it has no messages (`chat_messages`)")
                continue
            _conversation(place, conversation, options, found)
    _remembered(path, options, found)
    return found.in_order()


def _remembered(path: Path, options: Options, found: Found) -> None:
    """What `memories.json` holds, which has no date: as of the last message."""
    last = max((text["reference_time"] for text in found.texts), default=None)
    with contextlib.suppress(BrokenExport):
        for where, file in named(path, r"memories\.json"):
            for memory in map(as_mapping, elements(where, file)):
                projects = as_mapping(memory.get("project_memories"))
                for key, said in (("", memory.get("conversations_memory")), *projects.items()):
                    content = text_of(said)
                    if content and last is None:
                        found.skip(where, "there is no message that would date it")
                    elif content and last is not None:
                        conversation = f"memory {key}".strip()
                        found.turn(
                            content,
                            last,
                            form=FORMAT,
                            conversation=conversation,
                            key="memory",
                            options=options,
                            assistant="Claude",
                        )


def _conversation(place: str, conversation: Mapping[str, Any], options: Options, found: Found) -> None:
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
        found.turn(
            content,
            when,
            form=FORMAT,
            conversation=own,
            key=text_of(message.get("uuid")) or str(number),
            options=options,
            assistant=None if sender == "human" else "Claude",
            title=title,
            attachments=[text_of(as_mapping(one).get("file_name")) for one in as_list(message.get("attachments"))],
        )
        taken += 1
    found.conversations += bool(taken)


def _words(message: Mapping[str, Any]) -> str:
    parts = [as_mapping(part) for part in as_list(message.get("content"))]
    return joined(part.get("text") for part in parts if part.get("type") == "text") or text_of(message.get("text"))


def _user(path: Path) -> str | None:
    """The name in `users.json`, if there is just one."""
    names: list[str] = []
    with contextlib.suppress(BrokenExport):
        for where, file in named(path, r"users\.json"):
            names += [name for user in elements(where, file) if (name := text_of(as_mapping(user).get("full_name")))]
    return names[0] if len(names) == 1 else None
