"""Which reader a path is for, and what it reads there."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any, Literal, get_args

from tkgmem.importers import chatgpt, claude, claude_code, notes, tickets
from tkgmem.importers.exports import CONVERSATIONS, named
from tkgmem.importers.source import Found, Options

TextFormat = Literal["chatgpt", "claude", "claude-code", "notes", "records"]
FORMATS: tuple[TextFormat, ...] = get_args(TextFormat)
_ENOUGH = 65_536


def detect(path: Path) -> TextFormat | None:
    """The format of a folder or file, by what is in it; None for none of these. Records are never guessed."""
    if path.is_dir() or zipfile.is_zipfile(path):
        for _, file in named(path, CONVERSATIONS):
            return _of_export(file.read(_ENOUGH))
        return _of_folder(path) if path.is_dir() else None
    if path.suffix.lower() in notes.ENDINGS:
        return "notes"
    if path.suffix.lower() not in {".json", ".jsonl"}:
        return None
    if path.suffix.lower() == ".jsonl" and _is_session(path):
        return "claude-code"
    with path.open("rb") as file:
        return _of_export(file.read(_ENOUGH))


def _of_folder(path: Path) -> TextFormat | None:
    if any(_is_session(file) for file in sorted(path.rglob("*.jsonl"))[:5]):
        return "claude-code"
    return "notes" if next(notes.files(path), None) is not None else None


def read(path: Path, form: TextFormat, options: Options, *, mapping: Any = None, told_at: str | None = None) -> Found:
    """What there is. ValueError for what is no such thing, OSError for what cannot be read."""
    if form != "records":
        for name, value in (("mapping", mapping), ("told_at", told_at)):
            if value is not None:
                raise ValueError(f'{name} is for format="records", not {form!r}')
    match form:
        case "chatgpt":
            return chatgpt.read(path, options)
        case "claude":
            return claude.read(path, options)
        case "claude-code":
            return claude_code.read(path, options)
        case "notes":
            return notes.read(path, options)
        case "records":
            if mapping is None:
                raise ValueError("records need a mapping that says where their facts are; see the README")
            return tickets.read(path, options, mapping=mapping, told_at=told_at)


def _of_export(head: bytes) -> TextFormat | None:
    if b'"chat_messages"' in head:
        return "claude"
    return "chatgpt" if b'"mapping"' in head and (b'"conversation_id"' in head or b'"current_node"' in head) else None


def _is_session(file: Path) -> bool:
    """Whether one of the first lines is an entry of a session."""
    with file.open("rb") as opened:
        head = opened.read(_ENOUGH)
    for line in head.split(b"\n")[:20]:
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, dict) and ("sessionId" in entry or "leafUuid" in entry):
            return True
    return False
