"""Nodes and edges as CSV for graph databases, with the headers that Neo4j's bulk import reads: no value is changed in writing.

    neo4j-admin database import full --multiline-fields=true --nodes=nodes.csv --nodes=episodes.csv \\
        --relationships=edges.csv --relationships=mentions.csv

nodes.csv: entities. edges.csv: facts as believed now, once for each period, with their four dates. versions.csv: all that was
ever believed, with when it was (believed_from, believed_until); a history beside the graph, not a second set of its edges.
episodes.csv, mentions.csv: what was said, and what it names. Dates are ISO text in UTC; how finely one was stated is in its own
column. Lists and attributes are JSON text, as a name may hold any delimiter.

A text that begins with "=", "+", "-" or "@" is written as it is: a mark before it would be in the database for good. A
spreadsheet may take such a text for a formula; let it import the columns as text.
"""

from __future__ import annotations

import csv
import datetime as dt
import json
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tkgmem.errors import StoreError
from tkgmem.store import pages
from tkgmem.store.connection import Connection

Row = Sequence[object]

_NOT_A_LABEL = re.compile(r"[^\w ]+")
_PERIOD = ("valid_at:datetime", "valid_precision", "invalid_at:datetime", "invalid_precision")
_ENDS = (":START_ID(Entity)", ":TYPE", ":END_ID(Entity)")
_HEADERS: Mapping[str, Sequence[str]] = {
    "nodes.csv": (
        "uuid:ID(Entity)", ":LABEL", "name", "group", "type", "aliases", "attributes", "created_at:datetime",
    ),
    "edges.csv": (
        *_ENDS, "uuid", "group", "fact", *_PERIOD, "created_at:datetime", "expired_at:datetime", "planned:boolean", "episodes",
        "claims", "attributes",
    ),
    "versions.csv": (
        *_ENDS, "uuid", "group", "fact", *_PERIOD, "believed_from:datetime", "believed_until:datetime", "planned:boolean",
        "cause", "by",
    ),
    "episodes.csv": (
        "uuid:ID(Episode)", ":LABEL", "group", "source", "name", "description", "speaker", "content", "reference_time:datetime",
        "created_at:datetime", "state", "metadata",
    ),
    "mentions.csv": (":START_ID(Episode)", ":TYPE", ":END_ID(Entity)", "start:int", "end:int"),
}  # fmt: skip


def write(db: Connection, groups: Sequence[str] | None, folder: str | Path) -> dict[str, int]:
    """Write the graph of these groups (None: of all) to a new folder: rows by file name. See the module for the files.

    The folder appears whole or not at all. StoreError if there is something in it already, or it cannot be written.
    """
    target = Path(folder)
    names = pages.group_names(db) if groups is None else list(groups)
    try:
        _refuse_taken(target)
        with tempfile.TemporaryDirectory(prefix=".tkgmem-", dir=target.parent) as held:
            part = Path(held) / "graph"
            part.mkdir(mode=0o700)
            written = {name: _write(part / name, _HEADERS[name], rows(db, names)) for name, rows in _ROWS.items()}
            _refuse_taken(target)
            if target.is_dir():
                target.rmdir()  # empty: Windows does not put one folder in the place of another
            part.rename(target)
    except OSError as error:
        raise StoreError(f"cannot write {target}: {error.strerror or error}; nothing was written") from error
    return written


def _refuse_taken(folder: Path) -> None:
    if folder.is_symlink() or (folder.exists() and (not folder.is_dir() or any(folder.iterdir()))):
        raise StoreError(f"{folder} is there already; choose a new folder, or take it away first")


def _write(path: Path, header: Sequence[str], rows: Iterable[Row]) -> int:
    number = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        for row in rows:
            writer.writerow(row)
            number += 1
    return number


def _nodes(db: Connection, groups: Sequence[str]) -> Iterator[Row]:
    for entity in pages.entities(db, groups):
        label = " ".join(_NOT_A_LABEL.sub(" ", entity.type or "").split())
        labels = f"Entity;{label}" if label and label != "Entity" else "Entity"
        yield (
            entity.uuid, labels, entity.name, entity.group, entity.type, _json(entity.aliases), _json(entity.attributes),
            _date(entity.created_at),
        )  # fmt: skip


def _edges(db: Connection, groups: Sequence[str]) -> Iterator[Row]:
    for fact in pages.believed_facts(db, groups):
        yield (
            fact.source.uuid, fact.relation, fact.target.uuid, fact.uuid, fact.group, fact.fact,
            _date(fact.valid_at), fact.valid_precision, _date(fact.invalid_at), fact.invalid_precision,
            _date(fact.created_at), _date(fact.expired_at), _flag(fact.planned), _json(fact.episodes), _json(fact.claims),
            _json(fact.attributes),
        )  # fmt: skip


def _versions(db: Connection, groups: Sequence[str]) -> Iterator[Row]:
    for group, version in pages.versions(db, groups):
        yield (
            version.source.uuid, version.relation, version.target.uuid, version.uuid, group, version.fact,
            _date(version.valid_at), version.valid_precision, _date(version.invalid_at), version.invalid_precision,
            _date(version.created_at), _date(version.expired_at), _flag(version.planned), version.cause, version.by,
        )  # fmt: skip


def _episodes(db: Connection, groups: Sequence[str]) -> Iterator[Row]:
    for episode in pages.episodes(db, groups):
        yield (
            episode.uuid, "Episode", episode.group, episode.source, episode.name, episode.description, episode.speaker,
            episode.content, _date(episode.reference_time), _date(episode.created_at), episode.state, _json(episode.metadata),
        )  # fmt: skip


def _mentions(db: Connection, groups: Sequence[str]) -> Iterator[Row]:
    for mention in pages.mentions(db, groups):
        span = (None, None) if mention.start < 0 else (mention.start, mention.end)
        yield (mention.episode, "MENTIONS", mention.entity, *span)


_ROWS: Mapping[str, Callable[[Connection, Sequence[str]], Iterator[Row]]] = {
    "nodes.csv": _nodes,
    "edges.csv": _edges,
    "versions.csv": _versions,
    "episodes.csv": _episodes,
    "mentions.csv": _mentions,
}


def _date(value: dt.datetime | None) -> str | None:
    return None if value is None else value.astimezone(dt.UTC).isoformat().replace("+00:00", "Z")


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _json(value: Sequence[str] | Mapping[str, Any]) -> str | None:
    return json.dumps(value, ensure_ascii=False, sort_keys=True) if value else None
