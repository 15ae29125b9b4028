"""One tool: what it takes and gives, and what it does to the memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tkgmem.mcp_server.desk import Desk
from tkgmem.mcp_server.saying import Answer

Schema = dict[str, Any]
Effect = Literal["reads", "adds", "changes", "destroys"]
"""reads: changes nothing. adds: loses nothing. changes: an earlier belief is closed, and kept. destroys: bytes go."""

TEXT: Schema = {"type": "string"}
LIST: Schema = {"type": "array"}
COUNT: Schema = {"type": "integer"}


def takes(required: Sequence[str] = (), /, **properties: Schema) -> Schema:
    """The schema of arguments: these and no others."""
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": list(required)} if required else schema


def gives(required: Sequence[str], /, **properties: Schema) -> Schema:
    """The schema of an answer's fields."""
    return {"type": "object", "properties": properties, "required": list(required)}


MANY: Schema = {"type": "integer", "minimum": 1, "maximum": 100}


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. effect: what it does to the memory. usual: shown by default. again: a second call changes nothing more."""

    name: str
    title: str
    description: str
    takes: Schema
    gives: Schema
    run: Callable[[Desk, Mapping[str, Any]], Answer]
    effect: Effect = "reads"
    usual: bool = True
    again: bool = False
