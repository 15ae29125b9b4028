"""What a running server does for the hooks of coding assistants: the context for a prompt, and a session taken in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tkgmem.mcp_server.desk import Desk


def answer(desk: Desk, request: Mapping[str, Any]) -> Mapping[str, Any]:
    """The answer to a request; ValueError for one that is not known."""
    match request.get("do"):
        case "context":
            return {"text": desk.memory.context(request["query"], max_tokens=request["max_tokens"])}
        case "session" if not desk.read_only:
            report = desk.memory.import_(request["path"], format="claude-code", extract="later", speaker=request["speaker"])
            desk.read_later()
            return {"episodes": report.episodes}
        case "texts" if not desk.read_only:
            results = desk.memory.add_many(request["texts"])
            desk.read_later()
            return {"episodes": len(results)}
    raise ValueError(f"this server does not do {request.get('do')!r}")
