"""Communities and summaries of a stream: a group that keeps none takes them over as they are, one that keeps some does not.

They are derived, so nothing is lost by that. What a group has beside what the other side saw counts as told since.
"""

from __future__ import annotations

import base64
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from tkgmem.store import summaries, summary_vectors
from tkgmem.store.identity import Identity
from tkgmem.store.ids import make_uuid
from tkgmem.store.language import language
from tkgmem.store.records import Record
from tkgmem.store.rows import in_list
from tkgmem.store.summaries import Of
from tkgmem.store.union.coming import Coming


class _Community(NamedTuple):
    """A community that is coming. number: among them."""

    number: int
    group: int
    record: Record


@dataclass(frozen=True, slots=True)
class _Summary:
    """A version that is coming. community: by its number, not yet a row."""

    group: int
    of: Of
    record: Record
    facts: dict[int, str]
    entities: tuple[int, ...]


@dataclass(slots=True)
class Wide:
    """What came of this, checked; it is written at the end, when it is known who is who. dimension: of the vectors among it,
    None where they are of another embedder.
    """

    coming: Coming
    dimension: int | None
    _keeps: dict[int, bool] = field(default_factory=dict)
    _passes: list[tuple[int, Record]] = field(default_factory=list)
    _communities: dict[str, _Community] = field(default_factory=dict)
    _members: list[tuple[_Community, int, Record]] = field(default_factory=list)
    _summaries: list[_Summary] = field(default_factory=list)
    _calls: Counter[tuple[Any, ...]] = field(default_factory=Counter)

    def _takes(self, group: int) -> bool:
        """Whether a group takes this over: it keeps none of its own."""
        if group not in self._keeps:
            own = " OR ".join(f"EXISTS (SELECT 1 FROM {t} WHERE group_id = :g)" for t in ("passes", "communities", "summaries"))
            self._keeps[group] = bool(self.coming.db.execute(f"SELECT {own}", {"g": group}).get)
        return not self._keeps[group]

    # --- one record at a time ---

    def take_pass(self, record: Record) -> None:
        """That the communities of a group were looked after."""
        group = self.coming.group(record["group"])
        if self._takes(group):
            self._passes.append((group, record))

    def take_community(self, record: Record) -> None:
        """A community, still without members."""
        if record["uuid"] in self._communities:
            raise ValueError(f"the community {record['uuid']!r} comes twice")
        group = self.coming.group(record["group"])
        self._takes(group)
        self._communities[record["uuid"]] = _Community(len(self._communities), group, record)

    def take_member(self, record: Record) -> None:
        """That an entity belonged to a community."""
        community = self._community(record["community"])
        entity = self.coming.row("entity", record["entity"], community.group)
        over, left = community.record.get("expired_at"), record.get("expired_at")
        if over is not None and (left is None or left > over):
            raise ValueError(
                f"{record['entity']!r} is a member of the community {record['community']!r} for longer than it is kept"
            )
        if self._takes(community.group):
            self._members.append((community, entity, record))

    def take_summary(self, record: Record) -> None:
        """A version of a summary."""
        coming, group = self.coming, self.coming.group(record["group"])
        named, conversation = record.get("community"), record.get("conversation")
        community = None if named is None else self._community(named)
        if community is not None and community.group != group:
            raise ValueError(f"a summary and its community {named!r} are of different groups")
        there = "SELECT EXISTS (SELECT 1 FROM episodes WHERE group_id = ? AND name = ?)"
        if conversation is not None and not coming.db.execute(there, (group, conversation)).get:
            raise ValueError(f"a summary is of the conversation {conversation!r}, of which no episode is there")
        entity = coming.optional("entity", record.get("entity"), group)
        facts = {coming.row("claim", uuid, group): line for uuid, line in record.get("facts", ())}
        entities = tuple(coming.row("entity", uuid, group) for uuid in record.get("entities", ()))
        vector = self._vector(record)
        if vector is not None and not summary_vectors.is_unit(vector, self.dimension or 0):
            raise ValueError(f"a summary has no vector of {self.dimension} finite numbers and unit length")
        if self._takes(group):
            of = Of(None if community is None else community.number, entity, conversation)
            self._summaries.append(_Summary(group, of, record, facts, entities))

    def take_call(self, record: Record) -> None:
        """What an answer cost: as often as the side that has it more often."""
        columns = ("model", "prompt_tokens", "completion_tokens", "cost", "created_at")
        values = (self.coming.group(record["group"]), *map(record.get, columns))
        self._calls[values] += 1
        names = ("group_id", *columns)
        same = " AND ".join(f"{name} IS ?" for name in names)
        if self.coming.db.execute(f"SELECT count(*) FROM summary_calls WHERE {same}", values).get < self._calls[values]:
            insert = f"INSERT INTO summary_calls ({', '.join(names)}) VALUES (?, ?, ?, ?, ?, ?)"
            self.coming.db.execute(insert, values)

    def _community(self, uuid: str) -> _Community:
        if uuid not in self._communities:
            raise ValueError(f"a record refers to the community {uuid!r}, which does not come before it")
        return self._communities[uuid]

    # --- all of it, at the end ---

    def keep(self) -> dict[int, str]:
        """Write it, once everything else is there and joined. Returns the versions without a vector, with their texts."""
        told = {group: self._told(group) for group, keeps in sorted(self._keeps.items()) if not keeps}
        for group, record in self._passes:
            self._keep_pass(group, record, told[group])
        rows = {one.number: self._keep_community(one) for one in self._communities.values() if one.group in told}
        who = Identity(self.coming.db)
        self._keep_members(rows, who)
        lacking, standing = dict[int, str](), set[tuple[int, Of]]()
        for one in self._summaries:
            entity = None if one.of.entity is None else self._joined(who, one.of.entity)
            community = None if one.of.community is None else rows[one.of.community]
            of = Of(community, entity, one.of.conversation)
            if one.record.get("expired_at") is None:
                if (one.group, of) in standing:
                    continue  # one stands at a time
                standing.add((one.group, of))
            row = self._keep_summary(replace(one, of=of), told[one.group])
            if community is not None and not self._keep_vector(row, one.record):
                lacking[row] = _passage(one.record)
        return lacking

    def _joined(self, who: Identity, entity: int) -> int:
        """The entity that one is now, if the two sides' were joined; who was one before stays as it was kept."""
        return who.of(entity) if entity in self.coming.joined else entity

    def _told(self, group: int) -> int | None:
        """When the first claim of a group was recorded that the other side never saw, None where there is none."""
        query = "SELECT min(created_at) FROM claims WHERE group_id = ? AND id NOT IN (SELECT value FROM json_each(?))"
        first: int | None = self.coming.db.execute(query, (group, in_list(self.coming.claims.groups))).get
        return first

    def _keep_pass(self, group: int, record: Record, told: int | None) -> None:
        columns = ("whole", "valid_at", "entities", "changed", "modularity", "created_at")
        values = {column: record[column] for column in columns} | {"group_id": group, "known_at": _seen_until(record, told)}
        _insert(self.coming, "passes", values | {"whole": int(record["whole"]), "change": 0})

    def _keep_community(self, one: _Community) -> int:
        uuid = one.record["uuid"]
        if self.coming.db.execute("SELECT EXISTS (SELECT 1 FROM communities WHERE uuid = ?)", (uuid,)).get:
            uuid = make_uuid("community", uuid, one.record["group"])  # one of another group has it
        values = {"uuid": uuid, "group_id": one.group, "created_at": one.record["created_at"]}
        return _insert(self.coming, "communities", values | {"expired_at": one.record.get("expired_at")})

    def _keep_members(self, rows: dict[int, int], who: Identity) -> None:
        """Of two stretches of one entity that overlap, the first counts: it is in one community at a time."""
        periods: dict[int, list[tuple[int, int | None]]] = defaultdict(list)
        for community, member, record in self._members:
            entity = self._joined(who, member)
            period = (record["created_at"], record.get("expired_at"))
            if not _overlaps(period, periods[entity]):
                periods[entity] += [period] if period[0] != period[1] else []
                values = {"community_id": rows[community.number], "entity_id": entity}
                _insert(self.coming, "members", values | dict(zip(("created_at", "expired_at"), period, strict=True)))

    def _keep_summary(self, one: _Summary, told: int | None) -> int:
        record = one.record
        values = dict(zip(("community_id", "entity_id", "conversation"), one.of, strict=True)) | {"group_id": one.group}
        values |= {column: record[column] for column in ("name", "text", "valid_at", "created_at")}
        values |= {column: record.get(column) for column in ("model", "expired_at")}
        row = _insert(self.coming, "summaries", values | {"known_at": _seen_until(record, told)})
        db = self.coming.db
        facts = [(row, *fact) for fact in sorted(one.facts.items())]
        db.executemany("INSERT INTO summary_facts (summary_id, claim_id, line) VALUES (?, ?, ?)", facts)
        named = [(row, entity) for entity in sorted({*one.entities})]
        db.executemany("INSERT INTO summary_entities (summary_id, entity_id) VALUES (?, ?)", named)
        if one.of.community is not None:
            summaries.index(db, row, _passage(record))
        return row

    def _vector(self, record: Record) -> bytes | None:
        """The vector that a version came with, if this file's embedder made it, and it is searched."""
        given = None if self.dimension is None or record.get("community") is None else record.get("vector")
        return None if given is None else base64.b64decode(given, validate=True)

    def _keep_vector(self, row: int, record: Record) -> bool:
        """Keep the vector that a version came with; whether there is one."""
        vector = self._vector(record)
        if vector is not None:
            _insert(self.coming, "summary_vectors", {"id": row, "language": language(_passage(record)), "vector": vector})
        return vector is not None


def _passage(record: Record) -> str:
    return summaries.passage(record["name"], record["text"])


def _seen_until(record: Record, told: int | None) -> int:
    """The system time up to which everything was seen that there is now."""
    known_at: int = record["known_at"]
    return known_at if told is None else min(known_at, told - 1)


def _overlaps(one: tuple[int, int | None], others: Iterable[tuple[int, int | None]]) -> bool:
    """Whether a stretch [from, until) has an instant in common with one of others."""
    start, end = one
    return start != end and any((end is None or begun < end) and (ended is None or start < ended) for begun, ended in others)


def _insert(coming: Coming, table: str, values: dict[str, Any]) -> int:
    names = [*values]
    coming.db.execute(f"INSERT INTO {table} ({', '.join(names)}) VALUES (:{', :'.join(names)})", values)
    return coming.db.last_insert_rowid()
