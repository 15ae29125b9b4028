"""The graph of graphiti-core (Zep's open core) as claims: what its four dates say of an edge, the facts say after the import.

`records` is a pure function of the dump: the same dump gives the same uuids, so that importing it again adds nothing.
How an edge is read: see `graphiti_edges`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tkgmem.portable import graphiti_shapes
from tkgmem.portable.foreign import UNNAMED, Foreign, Sieve, offset, span, texts
from tkgmem.portable.format import Record
from tkgmem.portable.graphiti_edges import ORIGIN, Edge, claims_of, settle
from tkgmem.portable.graphiti_shapes import Item
from tkgmem.store.ids import make_uuid

_SOURCES = ("text", "message", "json")
_VECTORS = {"embedding", "name_embedding", "fact_embedding", "content_embedding"}
_NODE = {"uuid", "name", "group_id", "labels", "created_at", "attributes"} | _VECTORS
_EDGE = {
    "uuid", "name", "group_id", "fact", "episodes", "created_at", "expired_at", "valid_at", "invalid_at", "reference_time",
    "attributes",
} | _VECTORS  # fmt: skip
_EPISODE = {
    "uuid", "name", "group_id", "labels", "source", "source_description", "content", "valid_at", "created_at", "entity_edges",
} | _VECTORS  # fmt: skip


def records(document: object, *, group: str, clock: int) -> Foreign:
    """The records of a dump: its JSON, as text (a document, or one object a line) or parsed. See `graphiti_shapes` for shapes.

    group: where what names no group goes. clock: the import's instant, in microseconds; what has no date was learned then.
    ValueError if it is no JSON or no such dump; what is odd in it is kept as well as it can be, with a warning.
    """
    sieve = Sieve(ORIGIN, group=group, clock=clock)
    dump = graphiti_shapes.read(document, sieve)
    graph = _Graph(sieve)
    for item in dump.episodes:
        graph.add_episode(item)
    for item in dump.nodes:
        graph.add_node(item)
    for item in [*dump.mentions, *dump.edges]:
        if item.ends[0] in graph.episodes:
            graph.add_mention(item)
    edges = [edge for item in dump.edges if item.ends[0] not in graph.episodes if (edge := graph.edge(item)) is not None]
    claims = list(claims_of(sieve, edges))
    for item in dump.mentions:
        if item.ends[0] not in graph.episodes:
            sieve.warn(item.place, f"a mention in an episode that is not in the dump, {item.ends[0]!r}; it was left out")
    return sieve.result([*graph.episodes.values(), *graph.described(claims), *claims])


@dataclass(slots=True)
class _Graph:
    """The nodes of a dump as records, by uuid, and what names them. alone: what it says of each node itself."""

    sieve: Sieve
    episodes: dict[str, Record] = field(default_factory=dict)
    entities: dict[str, Record] = field(default_factory=dict)
    traits: list[Record] = field(default_factory=list)
    alone: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    mentions: dict[tuple[str, str], int] = field(default_factory=dict)
    seen: dict[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)

    def add_episode(self, item: Item) -> None:
        """Take up an episode."""
        if (uuid := self._uuid("episode", item)) is None:
            return
        fields, place = item.fields, f"episode {uuid}"
        source = fields.get("source")
        if source not in _SOURCES:
            self.sieve.warn(place, f"unknown source {source!r}; it is kept as text")
        name = self.sieve.text(fields.get("name"), place)
        description = self.sieve.text(fields.get("source_description"), place)
        content = self.sieve.text(fields.get("content"), place)
        if content is None:
            self.sieve.warn(place, "its text is not in the dump")
        told = self.sieve.moment(fields.get("valid_at"), place)
        otherwise = None if told is None else min(told.micros, self.sieve.clock)
        created_at = self.sieve.recorded(fields.get("created_at"), place, otherwise)
        self.episodes[uuid] = {
            "type": "episode", "uuid": uuid, "group": self.sieve.group(fields.get("group_id"), place),
            "source": source if source in _SOURCES else "text", "name": name, "description": description,
            "content": content or description or name or "(no text)",
            "metadata": self.sieve.attributes(_rest(fields, _EPISODE), place),
            "reference_time": created_at if told is None else told.micros, "reference_offset": offset(fields.get("valid_at")),
            "extract": False, "created_at": created_at, "state": "done",
        }  # fmt: skip

    def add_node(self, item: Item) -> None:
        """Take up an entity."""
        if (uuid := self._uuid("entity", item)) is None:
            return
        fields, place = item.fields, f"node {uuid}"
        self.entities[uuid] = {
            "type": "entity", "uuid": uuid, "group": self.sieve.group(fields.get("group_id"), place),
            "name": self.sieve.name(fields.get("name"), place, uuid),
            "created_at": self.sieve.recorded(fields.get("created_at"), place),
        }  # fmt: skip
        self.alone[uuid] = {**_rest(fields, {*_VECTORS, "uuid", "group_id"}), "labels": list(item.labels)}
        kinds = [label for label in item.labels if label != "Entity" and not label.startswith("Entity_")]
        attributes = self._attributes(fields, _NODE, place)
        if len(kinds) > 1:
            attributes.setdefault("labels", self.sieve.attributes({"": kinds}, place)[""])
        kind = self.sieve.text(kinds[0], place) if kinds else None
        if kind is not None or attributes:
            entity = self.entities[uuid]
            self.traits.append({
                "type": "trait", "entity": uuid, "kind": kind, "attributes": attributes, "created_at": entity["created_at"],
            })  # fmt: skip

    def add_mention(self, item: Item) -> None:
        """Take up that an episode names an entity."""
        episode = self.episodes[str(item.ends[0])]
        if item.ends[1] is None:
            self.sieve.warn(item.place, "a mention of nothing; it was left out")
            return
        entity = self._end(item.ends[1], episode["group"], item.place)
        at = self.sieve.recorded(item.fields.get("created_at"), item.place, episode["created_at"])
        self._mention(entity, episode, at)

    def _mention(self, entity: Record, episode: Record, at: int) -> None:
        key = (episode["uuid"], entity["uuid"])
        self.mentions[key] = max(min(at, self.mentions.get(key, at)), episode["created_at"])

    def edge(self, item: Item) -> Edge | None:
        """An edge between entities, its dates read; None if it is there already or has no ends."""
        if None in item.ends:
            self.sieve.warn(item.place, f"an edge without both ends ({item.fields.get('uuid')!r}); it was left out")
            return None
        if (uuid := self._uuid("edge", item)) is None:
            return None
        fields, place, sieve = item.fields, f"edge {uuid}", self.sieve
        known = self.entities.get(str(item.ends[0])) or self.entities.get(str(item.ends[1]))
        group = known["group"] if known and not fields.get("group_id") else sieve.group(fields.get("group_id"), place)
        source, target = (self._end(str(end), group, place) for end in item.ends)
        if source is target:
            sieve.warn(place, "both its ends are the same node")
        attributes = self._attributes(fields, _EDGE, place)
        given = fields.get("name") or (item.label if item.label != "edge" else None)
        relation, named = (UNNAMED, True) if given is None else sieve.relation(given, place)
        if not named:
            attributes |= sieve.attributes({"name": given}, place)
        wanted = dict.fromkeys(texts(fields.get("episodes")))
        episodes = [self.episodes[key] for key in wanted if key in self.episodes and self.episodes[key]["group"] == group]
        if missing := [key for key in wanted if key not in {episode["uuid"] for episode in episodes}]:
            attributes |= sieve.attributes({"episodes": missing}, place)
        created_at = sieve.recorded(fields.get("created_at"), place, min((e["created_at"] for e in episodes), default=None))
        expired_at = sieve.learned(fields.get("expired_at"), place)
        reference = sieve.moment(fields.get("reference_time"), place)
        told = min((episode["reference_time"] for episode in episodes), default=None)
        edge = Edge(
            place, uuid, group, source, target, relation, sieve.text(fields.get("fact"), place), episodes, created_at,
            expired_at, sieve.moment(fields.get("valid_at"), place), sieve.moment(fields.get("invalid_at"), place),
            told if reference is None else reference.micros, attributes,
        )  # fmt: skip
        settle(sieve, edge)
        for episode in episodes:
            for entity in (source, target):
                self._mention(entity, episode, max(created_at, episode["created_at"]))
        return edge

    def _uuid(self, kind: str, item: Item) -> str | None:
        """The uuid to use; None if the same thing is there already. A second thing of the same uuid gets its own."""
        uuid = self.sieve.uuid(item.fields.get("uuid"), item.place, kind, [item.fields, item.ends])
        content = {**item.fields, "ends": item.ends}
        if (there := self.seen.setdefault((kind, uuid), content)) is content:
            return uuid
        if there == content:
            self.sieve.warn(item.place, f"the {kind} {uuid} is there twice; it is taken once")
            return None
        own = make_uuid(ORIGIN, kind, uuid, json.dumps(content, sort_keys=True))
        self.sieve.warn(item.place, f"the uuid {uuid} stands for two different things; this one goes by {own}")
        return None if self.seen.setdefault((kind, own), content) is not content else own

    def _end(self, uuid: str, group: str, place: str) -> Record:
        """The entity at an end of an edge; a stand-in where the dump has none of this uuid in the edge's group."""
        own = self.sieve.uuid(uuid, place, "entity", uuid)
        entity = self.entities.get(own)
        if entity is not None and entity["group"] != group:
            own = make_uuid(ORIGIN, "entity", group, own)
        if own in self.entities:
            return self.entities[own]
        if entity is None:
            self.sieve.warn(place, f"the node {uuid} is not in the dump; {own} stands for it")
        else:
            self.sieve.warn(place, f"the node {uuid} is of the group {entity['group']!r}; {own} stands for it in {group!r}")
        name = self.sieve.name(uuid, place, own) if entity is None else entity["name"]
        self.entities[own] = {"type": "entity", "uuid": own, "group": group, "name": name, "created_at": self.sieve.clock}
        return self.entities[own]

    def _attributes(self, fields: Mapping[str, Any], known: set[str], place: str) -> dict[str, Any]:
        """What a node or an edge has beside its own fields; a database without maps keeps its attributes as JSON text."""
        given = fields.get("attributes")
        if isinstance(given, str) and given.strip():
            try:
                given = self.sieve.parsed(given, place)
            except ValueError:
                given = {"attributes": given}
        if given is not None and given != "" and not isinstance(given, Mapping):
            given = {"attributes": given}
        return self.sieve.attributes({**_rest(fields, known), **(given or {})}, place)

    def described(self, claims: Iterable[Record]) -> Iterator[Record]:
        """The entities with their names, kinds and mentions. Each is there from its first claim or mention on."""
        first: dict[str, int] = {}
        for uuid, at in [
            *((claim[end], claim["created_at"]) for claim in claims for end in ("source", "target")),
            *((entity, at) for (_, entity), at in self.mentions.items()),
        ]:
            first[uuid] = min(at, first.get(uuid, at))
        for uuid, entity in self.entities.items():
            if uuid not in first:
                yield from self.sieve.told_of(entity, self.alone[uuid])
            entity["created_at"] = min(entity["created_at"], first.get(uuid, entity["created_at"]))
            yield entity
            yield {"type": "alias", "entity": uuid, "name": entity["name"], "created_at": entity["created_at"]}
        yield from self.traits
        for (episode, uuid), at in self.mentions.items():
            name = self.entities[uuid]["name"]
            place = span(self.episodes[episode]["content"], name)
            yield {"type": "mention", "entity": uuid, "episode": episode, "span": place, "created_at": at}


def _rest(fields: Mapping[str, Any], known: set[str]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if key not in known}
