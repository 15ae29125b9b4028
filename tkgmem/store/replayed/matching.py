"""The same thing in two files: a row of the one found in the other by uuid, else by name, else by all that it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import apsw

from tkgmem.store import lexical, read, write
from tkgmem.store.clocks import EVERYTHING
from tkgmem.store.ids import make_uuid
from tkgmem.store.names import name_key
from tkgmem.store.replayed.rows import COLUMNS, OF_ANOTHER, Table
from tkgmem.store.shelves import Kind

Unheard = tuple[Kind, int, int, str]
"""What is to get a vector: kind, row, group, and the text."""


@dataclass(slots=True)
class Same:
    """Rows of `old` in `new`. made: entities that had to be made there, as what is to get a vector.

    read: texts that are read again, so that an entity that came with one may have another uuid now.
    anew: they are read by something else, so that one may be there which a program named first.
    """

    old: apsw.Connection
    new: apsw.Connection
    read: frozenset[int] = frozenset()
    anew: bool = False
    made: list[Unheard] = field(default_factory=list)
    _episodes: dict[int, int] = field(default_factory=dict)
    _groups: dict[int, int] = field(default_factory=dict)
    _rows: dict[tuple[Table, int], int] = field(default_factory=dict)
    _taken: set[tuple[Table, int]] = field(default_factory=set)

    def knows(self, table: Table, row: int) -> bool:
        """Whether the row was taken over."""
        return (table, row) in self._rows

    def keep(self, table: Table, row: int, new: int) -> None:
        """Remember which row one was taken over as."""
        self._rows[table, row] = new
        self._taken.add((table, new))

    def group(self, row: int) -> int:
        """The group of this name, made if it is new."""
        if row not in self._groups:
            name = str(self.old.execute("SELECT name FROM groups WHERE id = ?", (row,)).get)
            self._groups[row] = write.group(self.new, name)
        return self._groups[row]

    def episode(self, row: int) -> int:
        """The text, stored as it was given and waiting to be read if it is not there yet."""
        if row not in self._episodes:
            values = self.values("episodes", row)
            assert values is not None
            names = [*values]
            self.new.execute(
                f"INSERT INTO episodes ({', '.join(names)}, state) VALUES (:{', :'.join(names)}, 'pending')", values
            )
            self._episodes[row] = self.new.last_insert_rowid()
        return self._episodes[row]

    def entity(self, row: int) -> int:
        """The entity with this uuid; else the one that goes by its name, if it is one; else it is made."""
        found = self._known(row)
        return self._make(row) if found is None else found

    def _known(self, row: int) -> int | None:
        query = "SELECT e.uuid, g.id, g.name, e.name, e.created_at FROM entities e JOIN groups g ON g.id = e.group_id"
        uuid, group, inside, name, at = self.old.execute(f"{query} WHERE e.id = ?", (row,)).get
        found: int | None = self.new.execute("SELECT id FROM entities WHERE uuid = ?", (uuid,)).get
        split = uuid == make_uuid("entity", inside, name, "split", at)  # from one of the same name, it may be
        if found is None and self._is_called(row, name) and (self._came_with(row, at) or (self.anew and not split)):
            rows = read.entity_ids(self.new, self.group(group), name_key(name), EVERYTHING)
            found = rows[0] if len(rows) == 1 else None
        return found

    def _came_with(self, row: int, at: int) -> bool:
        """Whether an entity came with a text that is read again."""
        query = "SELECT episode_id FROM mentions WHERE entity_id = ? AND created_at = ?"
        return any(episode in self.read for (episode,) in self.old.execute(query, (row, at)))

    def _is_called(self, row: int, name: str) -> bool:
        """Whether an entity goes by its first name; what is only another name of something does not."""
        query = "SELECT EXISTS (SELECT 1 FROM aliases WHERE entity_id = ? AND name = ? AND episode_id IS NULL)"
        return bool(self.old.execute(query, (row, name)).get)

    def _make(self, row: int) -> int:
        uuid, group, name, at = self.old.execute(
            "SELECT uuid, group_id, name, created_at FROM entities WHERE id = ?", (row,)
        ).get
        inside = self.group(group)
        if not self._is_called(row, name):
            return write.insert_name(self.new, uuid=uuid, group_id=inside, name=name, at=at)
        new = write.insert_entity(self.new, uuid=uuid, group_id=inside, name=name, at=at)
        first = "SELECT created_at FROM aliases WHERE entity_id = ? AND name = ? AND episode_id IS NULL ORDER BY id LIMIT 1"
        called = self.old.execute(first, (row, name)).get  # later than the entity where it came from another file
        self.new.execute("UPDATE aliases SET created_at = ? WHERE entity_id = ?", (called, new))
        lexical.index_entity(self.new, new, name)
        self.made.append(("entity", new, inside, name))
        return new

    def claim(self, row: int) -> int | None:
        """The claim with this uuid; else the first believed one of its triple from the same text."""
        uuid, kind, source, relation, target, episode = self.old.execute(
            "SELECT uuid, kind, source_id, relation, target_id, episode_id FROM claims WHERE id = ?", (row,)
        ).get
        found: int | None = self.new.execute("SELECT id FROM claims WHERE uuid = ?", (uuid,)).get
        if found is None and episode is not None:
            found = self.new.execute(
                "SELECT id FROM claims WHERE episode_id = ? AND kind = ? AND source_id IS ? AND relation = ? AND target_id IS ?"
                " AND expired_at IS NULL ORDER BY created_at, position LIMIT 1",
                (self.episode(episode), kind, self._known(source), relation, self._known(target)),
            ).get
        return found

    def values(self, table: Table, row: int, *, make: bool = True) -> Mapping[str, Any] | None:
        """What a row says, with the rows of the new file in it; None if it speaks of what is not there and cannot be made.

        make: entities that are not there are made.
        """
        columns = COLUMNS[table]
        quoted = ", ".join(f'"{column}"' for column in columns)
        kept = self.old.execute(f"SELECT {quoted} FROM {table} WHERE id = ?", (row,)).fetchone() or ()
        values: dict[str, Any] = dict(zip(columns, kept, strict=True))
        for column, of in OF_ANOTHER.items():
            if values.get(column) is not None:
                values[column] = self._there(of, values[column], make=make)
                if values[column] is None:
                    return None
        return None if table == "merges" and values["entity_id"] == values["into_id"] else values

    def _there(self, of: str, row: int, *, make: bool) -> int | None:
        match of:
            case "claim":
                return self.claim(row)
            case "entity":
                return self.entity(row) if make else self._known(row)
            case "episode":
                return self.episode(row)
            case _:
                return self.group(row)

    def match(self, table: Table, row: int) -> int | None:
        """The row of the new file that says what this one says, None if there is none."""
        if (table, row) in self._rows:
            return self._rows[table, row]
        if table == "episodes":
            return self.episode(row)
        if table == "claims":
            return self.claim(row)
        values = self.values(table, row, make=False)
        if values is None:
            return None
        same = " AND ".join(f'"{column}" IS :{column}' for column in values)
        for (new,) in self.new.execute(f"SELECT id FROM {table} WHERE {same} ORDER BY id", values):
            if (table, new) not in self._taken:  # a text may say the same twice
                self.keep(table, row, int(str(new)))
                return int(str(new))
        return None

    def adopt(self, episode: int, first: int, *, by_place: bool) -> None:
        """Give entities that a text brought (rows of the new file from `first` on) the uuids that they have in the old file.

        Those of entities whose first source was forgotten, or is another reading, do not follow from what is left.
        by_place: it is the same reading: what its claims and mentions are about is the same.
        """
        named = "SELECT e.id, e.uuid, g.name, e.name, e.created_at FROM entities e JOIN groups g ON g.id = e.group_id"
        for row, uuid, group, name, at in self.new.execute(f"{named} WHERE e.id >= ?", (first,)).fetchall():
            if self.old.execute("SELECT EXISTS (SELECT 1 FROM entities WHERE uuid = ?)", (uuid,)).get:
                continue
            meant = self._placed(episode, int(str(row))) if by_place else []
            meant += [
                str(known)
                for (known,) in self.old.execute(
                    "SELECT e.uuid FROM entities e JOIN groups g ON g.id = e.group_id"
                    " WHERE g.name = ? AND e.name = ? AND e.created_at = ? ORDER BY e.id",
                    (group, name, at),
                )
            ]
            there = "SELECT EXISTS (SELECT 1 FROM entities WHERE uuid = ?)"
            free = [known for known in meant if not self.new.execute(there, (known,)).get]
            if free:
                self.new.execute("UPDATE entities SET uuid = ? WHERE id = ?", (free[0], row))

    def _placed(self, episode: int, entity: int) -> list[str]:
        """The uuids of what stands in the place of an entity in the old file: in the claims of a text, then in its words."""
        named = "SELECT e.uuid FROM mentions m JOIN entities e ON e.id = m.entity_id"
        queries = [
            (
                f"SELECT uuid, ? FROM claims WHERE episode_id = ? AND {end}_id = ? ORDER BY position",
                f"SELECT e.uuid FROM claims c JOIN entities e ON e.id = c.{end}_id WHERE c.uuid = ? AND c.episode_id = ?",
            )
            for end in ("source", "target")
        ]
        said = (
            "SELECT DISTINCT span_start, ? FROM mentions WHERE episode_id = ? AND entity_id = ? AND span_start >= 0 ORDER BY 1"
        )
        queries.append((said, f"{named} WHERE m.span_start = ? AND m.episode_id = ?"))
        found: dict[str, None] = {}
        for places, who in queries:
            for place in self.new.execute(places, (episode, self.episode(episode), entity)).fetchall():
                found |= {str(uuid): None for (uuid,) in self.old.execute(who, place)}
        return [*found]
