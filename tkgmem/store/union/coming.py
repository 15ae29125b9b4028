"""What a union has seen so far: the rows that records stand for, what is new, what changed, and what the sides dispute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import apsw

from tkgmem.reports import MergeConflict
from tkgmem.store import write
from tkgmem.store.clocks import Told

Kind = Literal["episode", "entity", "claim"]
TABLES: Mapping[Kind, str] = {"episode": "episodes", "entity": "entities", "claim": "claims"}


@dataclass(slots=True)
class Known:
    """The rows of one kind that records stand for. rows: by the record's uuid. groups: by row. fresh: those that are new.

    filled: those whose words were not known before.
    """

    rows: dict[str, int] = field(default_factory=dict)
    groups: dict[int, int] = field(default_factory=dict)
    fresh: dict[int, None] = field(default_factory=dict)
    filled: dict[int, None] = field(default_factory=dict)


@dataclass(slots=True)
class Coming:
    """The state of one union. seeds: claims to derive again. touched: entities whose merges changed. joined: those of the two
    files that are one by their name. changed: how many known rows are believed for another time. closed: rows that were
    believed here, and when the other side closed them. opened: rows that were not, since when, and that the other side brought
    back. successors: gaps (rows) of claims, with the uuid of what had taken the claim's place. by_uuid: a uuid means one thing,
    whatever is said.
    """

    db: apsw.Connection
    by_uuid: bool = False
    episodes: Known = field(default_factory=Known)
    entities: Known = field(default_factory=Known)
    claims: Known = field(default_factory=Known)
    seeds: set[int] = field(default_factory=set)
    touched: set[int] = field(default_factory=set)
    joined: set[int] = field(default_factory=set)
    changed: int = 0
    closed: dict[Told, list[tuple[int, int]]] = field(default_factory=dict)
    opened: dict[Told, list[tuple[int, int]]] = field(default_factory=dict)
    successors: list[tuple[int, int, str]] = field(default_factory=list)
    conflicts: list[MergeConflict] = field(default_factory=list)
    _groups: dict[str, int] = field(default_factory=dict)

    def known(self, kind: Kind) -> Known:
        """What is known of one kind."""
        return {"episode": self.episodes, "entity": self.entities, "claim": self.claims}[kind]

    def group(self, name: str) -> int:
        """The row of a group, made if it is new."""
        if name not in self._groups:
            self._groups[name] = write.group(self.db, name)
        return self._groups[name]

    def row(self, kind: Kind, uuid: str, group: int | None = None) -> int:
        """The row that a record refers to. ValueError if no record before it has the uuid, or it is of another group."""
        known = self.known(kind)
        row = known.rows.get(uuid)
        if row is None:
            raise ValueError(f"a record refers to the {kind} {uuid!r}, which does not come before it")
        if group is not None and known.groups[row] != group:
            raise ValueError(f"a record joins two groups: the {kind} {uuid!r} is of another one; groups never see each other")
        return row

    def optional(self, kind: Kind, uuid: str | None, group: int | None = None) -> int | None:
        """The row that a record refers to, None where it refers to none."""
        return None if uuid is None else self.row(kind, uuid, group)

    def is_fresh(self, key: Mapping[str, Any]) -> bool:
        """Whether what a row is about (the entity or claim in its columns) is new."""
        about = self.claims if "claim_id" in key else self.entities
        return key.get("claim_id", key.get("entity_id")) in about.fresh

    def turn(self, told: Told, row: int, before: int | None, at: int | None) -> None:
        """Keep that a row which was believed here no longer is, by the other side's end, or the other way round."""
        if before is None and at is not None:
            self.closed.setdefault(told, []).append((row, at))
        elif before is not None and at is None:
            self.opened.setdefault(told, []).append((row, before))

    def dispute(self, what: str, uuid: str, detail: str) -> None:
        """Keep what the two sides tell differently."""
        self.conflicts.append(MergeConflict(what, uuid, detail))


def inside(db: apsw.Connection, episode: int, span: Sequence[int]) -> bool:
    """Whether a stretch of characters lies in an episode's text."""
    size = int(db.execute("SELECT length(content) FROM episodes WHERE id = ?", (episode,)).get)
    return 0 <= span[0] <= span[1] <= size
