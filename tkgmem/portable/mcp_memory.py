"""The JSON lines of the MCP reference server "memory" as records: entities with observations, and relations between them.

The file has no dates: all of it was learned, and said, at the import's instant. Ids are made of the content, so that importing
the same file again adds nothing, and importing one that has grown adds what is new.

An observation becomes an episode about its entity: the words are kept, with the entity's name before them where they do not say
it, so that they are found and read by themselves. It is not read for facts: its words are found at once, what the file tells as
facts are its relations, and a model is not asked about hundreds of lines without being told to.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tkgmem.portable.foreign import KNOWN, Foreign, Sieve, require_shallow, span
from tkgmem.portable.format import Record
from tkgmem.store.ids import make_uuid
from tkgmem.store.names import name_key
from tkgmem.store.passages import claim_lead

ORIGIN = "mcp-memory"
_ENTITY = {"type", "name", "entityType", "observations"}
_RELATION = {"type", "from", "to", "relationType"}
_WORDS = ("content", "text", "observation")
_TOLD = ("timestamp", "createdAt", "created_at")


def records(lines: Iterable[str], *, group: str, clock: int) -> Foreign:
    """The records of such a file, also where it is one object with the lists "entities" and "relations" (as read_graph gives).

    group: where all of it goes. clock: the import's instant, in microseconds. A line that is no JSON is left out with a
    warning, as the server itself does. ValueError if nothing in it is an entity or a relation.
    """
    sieve = Sieve(ORIGIN, group=group, clock=clock)
    graph = _Graph(sieve, group)
    items = list(_items(lines, sieve))
    for place, item in items:
        if item.get("type") == "entity":
            graph.add_entity(place, item)
    for place, item in items:
        if item.get("type") == "relation":
            graph.add_relation(place, item)
    if not graph.entities:
        raise ValueError(
            f"no file of the MCP memory server: none of its lines is an entity or a relation{_first(sieve.warnings)}"
        )
    graph.tell_replaced()
    alone = [entity for uuid, entity in graph.entities.items() if uuid not in graph.named]
    told = [record for entity in alone for record in sieve.told_of(entity, graph.alone[entity["uuid"]])]
    return sieve.result([*graph.episodes.values(), *graph.entities.values(), *graph.about, *told, *graph.claims.values()])


def _first(warnings: list[str]) -> str:
    return f" ({warnings[0]})" if warnings else ""


def _items(lines: Iterable[str], sieve: Sieve) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The objects of the file, each with where it stands."""
    kept = [line.removeprefix("\ufeff") for line in lines]
    places = [(f"line {number}", line) for number, line in enumerate(kept, 1) if line.strip()]
    if len(places) > 1 and isinstance(_value(sieve, *places[0]), ValueError):
        whole = _value(sieve, "the file", "\n".join(kept))  # one object, written over several lines
        if not isinstance(whole, ValueError):
            yield from _objects("the file", whole, sieve)
            return
    for place, line in places:
        value = _value(sieve, place, line)
        if isinstance(value, ValueError):
            sieve.warn(place, f"{value}; it was left out")
        else:
            yield from _objects(place, value, sieve)


def _value(sieve: Sieve, place: str, text: str) -> object:
    """The value that a text stands for, or why it stands for none."""
    try:
        value = sieve.parsed(text, place)
        require_shallow(value)
    except ValueError as error:
        return error
    return value


def _objects(place: str, value: object, sieve: Sieve) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from _objects(f"{place}[{number}]", item, sieve)
    elif isinstance(value, Mapping) and value.get("type") in ("entity", "relation"):
        yield place, value
    elif isinstance(value, Mapping) and isinstance(value.get("entities"), list):
        for name, kind in (("entities", "entity"), ("relations", "relation")):
            listed = value.get(name)
            for number, item in enumerate(listed if isinstance(listed, list) else []):
                if isinstance(item, Mapping):
                    yield f"{place}, {name}[{number}]", {**item, "type": kind}
                else:
                    sieve.warn(f"{place}, {name}[{number}]", "no object; it was left out")
    elif not (isinstance(value, Mapping) and value.get("type") == "_aim"):  # the mark that a fork puts first
        sieve.warn(place, "neither an entity nor a relation; it was left out")


@dataclass(slots=True)
class _Graph:
    """What the file tells, as records: entities by their uuids, traits and mentions, episodes, claims.

    named: the entities that an observation or a relation names. alone: what the file says of each entity itself.
    """

    sieve: Sieve
    group: str
    entities: dict[str, Record] = field(default_factory=dict)
    about: list[Record] = field(default_factory=list)
    episodes: dict[str, Record] = field(default_factory=dict)
    claims: dict[str, Record] = field(default_factory=dict)
    named: set[str] = field(default_factory=set)
    alone: dict[str, Record] = field(default_factory=dict)

    def add_entity(self, place: str, item: Mapping[str, Any]) -> None:
        """Take up an entity with its observations."""
        sieve = self.sieve
        name = sieve.name(item.get("name"), place, f"unnamed ({place})")
        known = name_key(name)
        entity = self._entity(name)
        if name_key(entity["name"]) == known and entity["name"] != name:
            sieve.warn(place, f"{name!r} is taken to be {entity['name']!r}")
        kind = sieve.text(item.get("entityType"), place)
        attributes = sieve.attributes({key: value for key, value in item.items() if key not in _ENTITY}, place)
        if kind is not None or attributes:
            self.about.append({
                "type": "trait", "entity": entity["uuid"], "kind": kind, "attributes": attributes, "created_at": sieve.clock,
            })  # fmt: skip
        self.alone.setdefault(entity["uuid"], {key: value for key, value in item.items() if key != "observations"})
        observations = item.get("observations")
        if isinstance(observations, str | Mapping):
            observations = [observations]
        if observations is not None and not isinstance(observations, list):
            sieve.warn(place, "its observations are no list; they were left out")
            return
        for number, observation in enumerate(observations or ()):
            self._add_observation(f"{place}, observation {number}", entity, observation)

    def _entity(self, name: str) -> Record:
        """The entity of a name, made if it is new."""
        uuid = make_uuid(ORIGIN, "entity", self.group, name_key(name))
        if uuid not in self.entities:
            at = self.sieve.clock
            self.entities[uuid] = {"type": "entity", "uuid": uuid, "group": self.group, "name": name, "created_at": at}
            self.about.append({"type": "alias", "entity": uuid, "name": name, "created_at": at})
        return self.entities[uuid]

    def _add_observation(self, place: str, entity: Record, observation: object) -> None:
        """One thing that is said of an entity: text, or an object that some servers write, with text and a date."""
        sieve, given = self.sieve, observation
        metadata: dict[str, Any] = {}
        told = None
        if isinstance(observation, Mapping) and (key := next((key for key in _WORDS if key in observation), None)):
            given = observation[key]
            metadata = {name: value for name, value in observation.items() if name != key}
            when = next((name for name in _TOLD if isinstance(metadata.get(name), str)), None)
            told = sieve.moment(metadata[when], place) if when else None
        text = sieve.text(given, place)
        if text is None:
            sieve.warn(place, "an observation without words; it was left out")
            return
        name = entity["name"]
        content = text if name_key(name) in name_key(text) else f"{name}: {text}"
        uuid = make_uuid(ORIGIN, "episode", self.group, name_key(name), text)
        if uuid in self.episodes:
            sieve.warn(place, "it is there twice; it is taken once")
            return
        self.episodes[uuid] = {
            "type": "episode", "uuid": uuid, "group": self.group, "source": "text", "name": name,
            "description": "observation", "content": content, "metadata": sieve.attributes(metadata, place),
            "reference_time": sieve.clock if told is None else told.micros, "reference_offset": 0, "extract": False,
            "created_at": sieve.clock, "state": "done",
        }  # fmt: skip
        self.about.append({
            "type": "mention", "entity": entity["uuid"], "episode": uuid, "span": span(content, name),
            "created_at": sieve.clock,
        })  # fmt: skip
        self.named.add(entity["uuid"])

    def add_relation(self, place: str, item: Mapping[str, Any]) -> None:
        """Take up a relation as a claim without dates."""
        sieve = self.sieve
        ends = []
        for end in ("from", "to"):
            name = sieve.name(item.get(end), place, f"unnamed ({place})")
            if make_uuid(ORIGIN, "entity", self.group, name_key(name)) not in self.entities:
                sieve.warn(place, f"{name!r} is not among the entities; it was made")
            ends.append(self._entity(name))
        source, target = ends
        relation, named = sieve.relation(item.get("relationType"), place)
        attributes = sieve.attributes({key: value for key, value in item.items() if key not in _RELATION}, place)
        if not named:
            attributes |= sieve.attributes({"relationType": item.get("relationType")}, place)
        if source is target:
            sieve.warn(place, "both its ends are the same entity")
        told = [] if named else [json.dumps(item.get("relationType"), sort_keys=True)]
        self.named |= {source["uuid"], target["uuid"]}
        uuid = make_uuid(ORIGIN, "claim", source["uuid"], relation, target["uuid"], *told)
        if uuid in self.claims:
            sieve.warn(place, "it is there twice; it is taken once")
            return
        self.claims[uuid] = {
            "type": "claim", "uuid": uuid, "group": self.group, "kind": "assert", "source": source["uuid"],
            "relation": relation, "target": target["uuid"], "attributes": attributes,
            "lead": claim_lead(source["name"], relation, target["name"], None), "reference_time": sieve.clock,
            "made_by": ORIGIN, "position": len(self.claims), "created_at": sieve.clock,
        }  # fmt: skip

    def tell_replaced(self) -> None:
        """Warn where the file has several targets of a relation that has one at a time here: the last listed counts."""
        targets: Counter[tuple[str, str]] = Counter()
        for claim in self.claims.values():
            resolved = KNOWN.resolve(claim["relation"])
            if resolved.relation.functional:
                targets[claim["target" if resolved.swapped else "source"], resolved.relation.name] += 1
        for (uuid, relation), count in targets.items():
            if count > 1:
                name = self.entities[uuid]["name"]
                self.sieve.warn(name, f"{relation} has one target at a time, the file has {count}; the last one counts")
