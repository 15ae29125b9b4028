"""ChatGPT's data export: `conversations.json`, in its ZIP or folder or alone. A conversation is a tree; its last branch counts.

What the user edited away, what is hidden, and what tools said are left out; the assistant's words are kept, not read for facts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tkgmem.importers.exports import CONVERSATIONS, elements, named
from tkgmem.importers.source import Found, Options, as_mapping, first_moment, joined, text_of

FORMAT = "chatgpt"
_TEXTS = {"text", "multimodal_text"}


def read(path: Path, options: Options) -> Found:
    """All conversations of an export."""
    found = Found()
    for where, file in named(path, CONVERSATIONS):
        for number, conversation in enumerate(elements(where, file)):
            place = f"{where}, conversation {number}"
            if not isinstance(conversation, Mapping) or not isinstance(conversation.get("mapping"), Mapping):
                found.skip(place, "it has no messages (`mapping`)")
                continue
            _conversation(place, conversation, options, found)
    return found.in_order()


def _conversation(place: str, conversation: Mapping[str, Any], options: Options, found: Found) -> None:
    own = text_of(conversation.get("conversation_id") or conversation.get("id")) or place
    title = text_of(conversation.get("title")) or None
    when, taken = None, 0
    for key, message in _branch(conversation):
        role = as_mapping(message.get("author")).get("role")
        content = _words(message)
        if role not in {"user", "assistant"} or not content:
            continue
        when = first_moment(message.get("create_time")) or when or first_moment(conversation.get("create_time"))
        if when is None:
            found.skip(f"{place}, message {key}", "neither it nor the conversation has a date")
            continue
        found.turn(
            content,
            when,
            form=FORMAT,
            conversation=own,
            key=key,
            options=options,
            assistant=None if role == "user" else "ChatGPT",
            title=title,
        )
        taken += 1
    found.conversations += bool(taken)


def _branch(conversation: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The messages from the first to the current one, with the keys of their nodes."""
    nodes = {str(key): node for key, node in conversation["mapping"].items() if isinstance(node, Mapping)}
    key = conversation.get("current_node")
    at = key if isinstance(key, str) and key in nodes else _last(nodes)
    line: dict[str, Mapping[str, Any]] = {}
    while isinstance(at, str) and at in nodes and at not in line:  # a tree that bites its tail ends there
        line[at] = nodes[at]
        at = nodes[at].get("parent")
    for key, node in reversed(line.items()):
        if isinstance(node.get("message"), Mapping):
            yield key, node["message"]


def _last(nodes: Mapping[str, Mapping[str, Any]]) -> str | None:
    """The latest message that has no answer."""
    dated = [
        (when, key)
        for key, node in nodes.items()
        if not node.get("children") and (when := first_moment(as_mapping(node.get("message")).get("create_time"))) is not None
    ]
    return max(dated)[1] if dated else None


def _words(message: Mapping[str, Any]) -> str:
    """What a message says to the other side; "" for what is hidden, for a tool, or no text."""
    content, about = as_mapping(message.get("content")), as_mapping(message.get("metadata"))
    if content.get("content_type") not in _TEXTS or message.get("recipient", "all") != "all":
        return ""
    if about.get("is_visually_hidden_from_conversation") or message.get("weight") == 0:
        return ""
    parts = content.get("parts")
    return joined(as_mapping(part).get("text", part) for part in parts) if isinstance(parts, list) else ""
