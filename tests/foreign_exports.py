"""Exports of other programs in their real shape, made here: what a user gets when asking for the data."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

UNIX = 1_717_236_000.0
"""2024-06-01 10:00 UTC, in seconds."""


def chatgpt_message(
    key: str, role: str, text: str | list[Any], at: float | None, *, kind: str = "text", **more: Any
) -> dict[str, Any]:
    return {
        "id": key,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": at,
        "update_time": None,
        "content": {"content_type": kind, "parts": text if isinstance(text, list) else [text]},
        "status": "finished_successfully",
        "end_turn": True,
        "weight": 1.0,
        "metadata": {},
        "recipient": "all",
        **more,
    }


def chatgpt_tree(*messages: dict[str, Any] | None, branch: list[tuple[str, dict[str, Any]]] | None = None) -> dict[str, Any]:
    """A root without a message, then a line of messages; branch: others, each with the key of what it follows."""
    mapping: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
    last = "root"
    for message in messages:
        assert message is not None
        mapping[message["id"]] = {"id": message["id"], "message": message, "parent": last, "children": []}
        mapping[last]["children"].append(message["id"])
        last = message["id"]
    for parent, message in branch or []:
        mapping[message["id"]] = {"id": message["id"], "message": message, "parent": parent, "children": []}
        mapping[parent]["children"].append(message["id"])
    return {"mapping": mapping, "current_node": last}


def chatgpt() -> list[dict[str, Any]]:
    """Two conversations, the newer one first, with an edited question, a tool, a hidden prompt and a picture."""
    moving = chatgpt_tree(
        chatgpt_message("m0", "system", "", None, metadata={"is_visually_hidden_from_conversation": True}),
        chatgpt_message("m1", "user", "I moved to Lisbon last month.", UNIX),
        chatgpt_message("m2", "assistant", "Lovely! I moved to Mars.", UNIX + 10),
        chatgpt_message("m3", "assistant", {"x": 1} and ["search()"], UNIX + 11, recipient="browser", kind="code"),  # type: ignore[arg-type]
        chatgpt_message("m4", "tool", "a page", UNIX + 12),
        chatgpt_message(
            "m5",
            "user",
            [{"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"}, "This is my flat."],
            UNIX + 86_400,
            kind="multimodal_text",
        ),
        branch=[("root", chatgpt_message("old", "user", "I moved to Porto last month.", UNIX - 60))],
    )
    work = chatgpt_tree(chatgpt_message("w1", "user", "I work at Contoso since March 2023.", UNIX - 30 * 86_400))
    return [
        {"title": "Moving", "create_time": UNIX, "update_time": UNIX + 90_000, "conversation_id": "c-2", "id": "c-2", **moving},
        {"title": "Work", "create_time": UNIX - 30 * 86_400, "conversation_id": "c-1", "id": "c-1", **work},
    ]


def claude() -> list[dict[str, Any]]:
    def message(key: str, sender: str, text: str, at: str, **more: Any) -> dict[str, Any]:
        content = [
            {"start_timestamp": at, "stop_timestamp": at, "type": "thinking", "thinking": "hm"},
            {"start_timestamp": at, "stop_timestamp": at, "type": "text", "text": text, "citations": []},
        ]
        return {
            "uuid": key, "text": text, "content": content, "sender": sender, "created_at": at, "updated_at": at,
            "attachments": [], "files": [], **more,
        }  # fmt: skip

    return [
        {
            "uuid": "k-1",
            "name": "New job",
            "summary": "",
            "created_at": "2025-02-03T09:00:00.123456Z",
            "updated_at": "2025-02-03T09:05:00.123456Z",
            "account": {"uuid": "a-1"},
            "chat_messages": [
                message("k1", "human", "I joined Northwind yesterday.", "2025-02-03T09:00:00.500000Z"),
                message("k2", "assistant", "Congratulations! I joined Initech yesterday.", "2025-02-03T09:00:09.000000Z"),
                message(
                    "k3", "human", "Ben Okafor is my manager.", "2025-02-03T09:04:00Z",
                    attachments=[{"file_name": "offer.pdf", "file_size": 3, "extracted_content": "Ana is my manager."}],
                ),
            ],
        },
        {"uuid": "k-2", "name": "", "created_at": "2025-02-04T09:00:00Z", "chat_messages": []},
    ]  # fmt: skip


def session() -> list[dict[str, Any]]:
    """A session of Claude Code."""

    def entry(key: str, kind: str, content: Any, at: str, **more: Any) -> dict[str, Any]:
        return {
            "parentUuid": None, "isSidechain": False, "userType": "external", "cwd": "/home/maya/atlas",
            "sessionId": "5e55-10", "version": "2.0.1", "gitBranch": "main", "type": kind,
            "message": {"role": kind, "content": content, **more.pop("message", {})}, "uuid": key, "timestamp": at, **more,
        }  # fmt: skip

    answer = {"id": "msg_1", "type": "message", "model": "claude-x"}
    tool = [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}]
    return [
        {"type": "summary", "summary": "Atlas build", "leafUuid": "u9"},
        entry("u1", "user", "<command-name>/clear</command-name>", "2025-05-01T08:00:00.000Z"),
        entry("u2", "user", "Caveat: The messages below were generated", "2025-05-01T08:00:01.000Z", isMeta=True),
        entry("u3", "user", "I work on Atlas since last week. Please build it.", "2025-05-01T08:00:02.000Z"),
        entry("u4", "assistant", [{"type": "text", "text": "Building."}], "2025-05-01T08:00:05.000Z", message=answer),
        entry("u5", "assistant", tool, "2025-05-01T08:00:06.000Z", message=answer),
        entry("u6", "user", [{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}], "2025-05-01T08:00:07.000Z"),
        entry("u7", "assistant", [{"type": "text", "text": "Built."}], "2025-05-01T08:00:09.000Z", message={"id": "msg_2"}),
        entry("u8", "user", "a prompt of a subagent", "2025-05-01T08:00:10.000Z", isSidechain=True),
        {"type": "file-history-snapshot", "messageId": "x", "snapshot": {}},
    ]


def zipped(path: Path, files: dict[str, Any]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in files.items():
            archive.writestr(name, value if isinstance(value, str | bytes) else json.dumps(value))
    return path


def lines(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records), "utf-8")
    return path
