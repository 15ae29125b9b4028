"""Claude Code's session transcripts: JSON lines, one file per session, or a folder of them with the notes that it keeps there.

What the user typed and what the assistant answered; not what tools said, what subagents did, or what the program put in.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tkgmem.importers import notes
from tkgmem.importers.source import Found, Options, first_moment, joined, text_of

FORMAT = "claude-code"
_PUT_IN = (
    "<command-",
    "<local-command-",
    "<system-reminder>",
    "<bash-",
    "<user-prompt-submit-hook>",
    "<task-notification>",
    "Caveat: The messages below",
    "[Request interrupted",
)
"""How texts begin that the program wrote in the user's place."""
_LONGEST_LINE = 64 << 20


def read(path: Path, options: Options) -> Found:
    """A session, or all sessions and notes in a folder and the folders in it."""
    found = Found()
    for file in [path] if path.is_file() else sorted(one for one in path.rglob("*.jsonl") if not one.is_symlink()):
        try:
            with file.open("rb") as lines:
                _session(str(file), lines, options, found)
        except OSError as error:
            found.skip(str(file), error.strerror or error)
    if path.is_dir():
        kept = notes.read(path, options)
        found.texts += kept.texts
        found.skipped += kept.skipped
    return found.in_order()


def _session(where: str, lines: Iterable[bytes], options: Options, found: Found) -> None:
    taken, when = 0, None
    for message in _messages(where, lines, found):
        when = first_moment(message["timestamp"]) or when
        if when is None:
            found.skip(f"{where}, line {message['line']}", "it has no date")
            continue
        found.turn(
            message["content"],
            when,
            form=FORMAT,
            conversation=message["session"],
            key=message["key"],
            options=options,
            assistant=None if message["role"] == "user" else "Claude",
            title=message["folder"] or None,
        )
        taken += 1
    found.conversations += bool(taken)


def _messages(where: str, lines: Iterable[bytes], found: Found) -> Iterator[dict[str, Any]]:
    """What was said, in order; the pieces that one answer came in are one."""
    last: dict[str, Any] | None = None
    for number, line in enumerate(lines, start=1):
        said = _said(where, number, line, found)
        if said is None:
            continue
        if last is not None and said["answer"] is not None and said["answer"] == last["answer"]:
            last["content"] = joined([last["content"], said["content"]])
            continue
        if last is not None:
            yield last
        last = said
    if last is not None:
        yield last


def _said(where: str, number: int, line: bytes, found: Found) -> dict[str, Any] | None:
    if not line.strip():
        return None
    try:
        if len(line) > _LONGEST_LINE:
            raise ValueError(f"the line has {len(line):,} bytes")
        entry = json.loads(line)
    except (ValueError, RecursionError) as error:
        found.skip(f"{where}, line {number}", f"not JSON: {error}")
        return None
    message = entry.get("message") if isinstance(entry, Mapping) else None
    if not isinstance(message, Mapping) or entry.get("type") not in {"user", "assistant"}:
        return None
    if any(entry.get(mark) for mark in ("isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage")):
        return None
    content = _words(message.get("content"))
    if not content or (entry["type"] == "user" and content.startswith(_PUT_IN)):
        return None
    session = text_of(entry.get("sessionId")) or Path(where).stem
    return {
        "line": number,
        "role": entry["type"],
        "content": content,
        "timestamp": entry.get("timestamp"),
        "session": session,
        "folder": text_of(entry.get("cwd")),
        "key": text_of(entry.get("uuid")) or f"{session} {number}",
        "answer": message.get("id") if entry["type"] == "assistant" else None,
    }


def _words(content: object) -> str:
    if isinstance(content, str):
        return text_of(content)
    parts = content if isinstance(content, list) else []
    return joined(
        part.get("text")
        for part in parts
        if isinstance(part, Mapping) and part.get("type") == "text"
        if not text_of(part.get("text")).startswith(_PUT_IN)
    )
