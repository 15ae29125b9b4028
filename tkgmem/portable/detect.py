"""Which kind of file it is that somebody wants to import, told by its first bytes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

Detected = Literal["tkgmem", "graphiti", "mcp-memory", "sqlite"]

ENOUGH = 65_536
"""How many bytes are looked at."""

_KEY = re.compile(r'"([A-Za-z_]{1,40})"\s*:')
_TYPE = re.compile(r'"type"\s*:\s*"([A-Za-z_]{1,40})"')
_GRAPHITI = {
    "nodes", "edges", "rels", "facts", "relationships", "episodes", "entity_nodes", "entity_edges", "episodic_nodes",
    "group_id", "source_node_uuid", "labels",
}  # fmt: skip
_MCP = {"entityType", "observations", "relationType"}


def detect(given: str | Path | bytes) -> Detected | None:
    """The format of a file, given as its path or its first bytes; None if it is none of those that are known.

    "sqlite": a database, to be merged rather than imported.

    >>> detect(b'{"type":"entity","name":"Ana","entityType":"person","observations":[]}')
    'mcp-memory'
    """
    if isinstance(given, bytes):
        first = given[:ENOUGH]
    else:
        with Path(given).open("rb") as file:
            first = file.read(ENOUGH)
    if first.startswith(b"SQLite format 3\0"):
        return "sqlite"
    text = first.decode("utf-8", "replace").removeprefix("\ufeff").lstrip()
    if not text.startswith(("{", "[")):
        return None
    kinds = _TYPE.findall(text)
    if text.startswith("{") and kinds[:1] == ["tkgmem"]:
        return "tkgmem"
    keys = set(_KEY.findall(text))
    if keys & _MCP and not keys & {"source_node_uuid", "group_id"}:
        return "mcp-memory"
    return "graphiti" if keys & _GRAPHITI or set(kinds) & {"node", "relationship"} else None
