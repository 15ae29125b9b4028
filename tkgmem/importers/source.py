"""What every reader gives: texts as arguments of `Memory.add`, with ids that are the same whenever the source is read again."""

from __future__ import annotations

import datetime as dt
import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

USER = "User"
"""Who speaks where the source does not name its user."""
_TEXTS = uuid.UUID("6e0f6c1a-6a51-5c0b-9d0e-0d6f9f2f7a11")
_LONGEST_REASON = 200


@dataclass(frozen=True, slots=True)
class Options:
    """speaker: who the user is. group: for the ids, since the same text may be in several groups."""

    group: str
    speaker: str | None = None


@dataclass(slots=True)
class Found:
    """What was read. texts: arguments of `Memory.add` for each. conversations: how many there are. skipped: what and why."""

    texts: list[dict[str, Any]] = field(default_factory=list)
    conversations: int = 0
    skipped: list[str] = field(default_factory=list)

    def skip(self, where: str, why: object) -> None:
        """Say that something is left out."""
        reason = " ".join(str(why).split())
        self.skipped.append(f"{where}: {reason if len(reason) <= _LONGEST_REASON else reason[:_LONGEST_REASON] + '…'}")

    def add(
        self,
        content: str,
        when: dt.datetime,
        *,
        form: str,
        key: str,
        options: Options,
        metadata: Mapping[str, Any],
        **more: Any,
    ) -> None:
        """Take a text in. key: what tells it from others of this format; the same words under one key are the same text."""
        told = {name: value for name, value in more.items() if value is not None}
        place = uuid.uuid5(_TEXTS, json.dumps([options.group, form, key, content]))
        self.texts.append({"content": content, "reference_time": when, "metadata": dict(metadata), "uuid": str(place), **told})

    def turn(
        self,
        content: str,
        when: dt.datetime,
        *,
        form: str,
        conversation: str,
        key: str,
        options: Options,
        assistant: str | None = None,
        title: str | None = None,
        attachments: Sequence[str] = (),
    ) -> None:
        """Take a message of a conversation in. assistant: who says it, None for the user; it is then not read for facts."""
        metadata: dict[str, Any] = {"from": form, "message": key}
        if assistant is not None:
            metadata["role"] = "assistant"
        if attachments:
            metadata["attachments"] = list(attachments)
        self.add(
            content,
            when,
            form=form,
            key=f"{conversation} {key}",
            options=options,
            metadata=metadata,
            name=f"{form}/{conversation}",
            description=title,
            source="message",
            speaker=assistant or options.speaker or USER,
            extract=None if assistant is None else False,
        )

    def in_order(self) -> Found:
        """The same, its texts by time; those of one moment as they were found."""
        self.texts.sort(key=lambda text: text["reference_time"])
        return self


def moment(value: object) -> dt.datetime | None:
    """A date of a source: ISO text, or Unix time in seconds; None for anything else. What names no offset is UTC."""
    try:
        if isinstance(value, str) and value.strip():
            found = dt.datetime.fromisoformat(value.strip())
        elif isinstance(value, int | float) and not isinstance(value, bool):
            found = dt.datetime.fromtimestamp(value, dt.UTC)
        else:
            return None
        aware = found if found.tzinfo else found.replace(tzinfo=dt.UTC)
        return aware if aware.astimezone(dt.UTC) else None
    except (ValueError, OverflowError, OSError):
        return None


def first_moment(*values: object) -> dt.datetime | None:
    """The first of these that is a date."""
    return next((found for value in values if (found := moment(value)) is not None), None)


def as_mapping(value: object) -> Mapping[str, Any]:
    """The value, if it is a mapping; else an empty one."""
    return value if isinstance(value, Mapping) else {}


def as_list(value: object) -> list[Any]:
    """The value, if it is a list; else an empty one."""
    return value if isinstance(value, list) else []


def text_of(value: object) -> str:
    """A text that can be kept: without NUL characters, and with a mark in place of half a character; "" for anything else."""
    if not isinstance(value, str):
        return ""
    return value.replace("\0", "").encode("utf-8", "replace").decode("utf-8").strip()


def joined(parts: Iterable[object]) -> str:
    """The texts among some parts as one."""
    return "\n\n".join(text for part in parts if (text := text_of(part)))
