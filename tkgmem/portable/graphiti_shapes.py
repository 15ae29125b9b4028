"""The shapes in which people write a graphiti graph down as JSON: lists of nodes and edges, or what Neo4j's APOC exports.

Here it is only told what each object is; what its fields mean is told in `graphiti`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tkgmem.portable.foreign import Sieve, require_shallow

Kind = Literal["node", "episode", "edge", "mention", "ignored"]

_SECTIONS: Mapping[str, Kind] = {
    "nodes": "node", "entities": "node", "entity_nodes": "node",
    "edges": "edge", "facts": "edge", "relationships": "edge", "rels": "edge", "entity_edges": "edge",
    "episodes": "episode", "episodic": "episode", "episodic_nodes": "episode", "episode_nodes": "episode",
    "mentions": "mention", "episodic_edges": "mention",
    "communities": "ignored", "community_nodes": "ignored", "community_edges": "ignored", "sagas": "ignored",
    "saga_nodes": "ignored", "has_episode_edges": "ignored", "next_episode_edges": "ignored",
}  # fmt: skip
_NODES: Mapping[str, Kind] = {"Episodic": "episode", "Community": "ignored", "Saga": "ignored"}
_EDGES: Mapping[str, Kind] = {
    "MENTIONS": "mention", "HAS_MEMBER": "ignored", "HAS_EPISODE": "ignored", "NEXT_EPISODE": "ignored",
}  # fmt: skip
_KEYS = ("id", "elementId", "identity")
_STARTS = ("source_node_uuid", "source_uuid", "start", "startNode", "startNodeElementId", "source")
_ENDS = ("target_node_uuid", "target_uuid", "end", "endNode", "endNodeElementId", "target")
_TOLD = 2  # the first so many of these name the node by its uuid, in the fields too; the others by the database's own id
_WRAPPING = {"type", "labels", "label", "properties", *_KEYS}


@dataclass(frozen=True, slots=True)
class Item:
    """One object of a dump. place: where it stands. labels: of a node. label, ends: type and nodes of an edge."""

    place: str
    fields: Mapping[str, Any]
    labels: tuple[str, ...] = ()
    label: str | None = None
    ends: tuple[str | None, str | None] = (None, None)


@dataclass(slots=True)
class Dump:
    """The objects of a dump by what they are, in the order they come in."""

    nodes: list[Item] = field(default_factory=list)
    episodes: list[Item] = field(default_factory=list)
    edges: list[Item] = field(default_factory=list)
    mentions: list[Item] = field(default_factory=list)


def read(document: object, sieve: Sieve) -> Dump:
    """The objects of a dump, given as JSON text, as JSON lines, or parsed. ValueError if it is none, or no JSON."""
    if isinstance(document, str):
        document = _parsed(document, sieve)
    require_shallow(document)
    found = list(_objects(document, sieve))
    if not any(kind != "ignored" for kind, _, _ in found):
        raise ValueError(
            'no graphiti dump: it has no nodes and no edges; one is an object with the lists "nodes" and "edges" (and '
            '"episodes"), or what apoc.export.json writes'
        )
    uuids = {key: uuid for kind, _, value in found if kind in ("node", "episode") for key, uuid in _keys(value)}
    dump = Dump()
    lists = {"node": dump.nodes, "episode": dump.episodes, "edge": dump.edges, "mention": dump.mentions}
    ignored: Counter[str] = Counter()
    for kind, place, value in found:
        if kind == "ignored":
            ignored[place.partition("[")[0]] += 1
        else:
            lists[kind].append(_item(kind, place, value, uuids))
    for section, count in ignored.items():
        sieve.warn(section, f"{count} objects of a kind that is made again or not kept here (communities, sagas) were left out")
    return dump


def _parsed(text: str, sieve: Sieve) -> object:
    """One JSON document, else one a line."""
    text = text.removeprefix("\ufeff")
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if len(lines) < 2:
        return sieve.parsed(text, "the dump")
    try:
        first = sieve.parsed(lines[0][1], "line 1")
    except ValueError:
        return sieve.parsed(text, "the dump")
    return [first, *(sieve.parsed(line, f"line {number}") for number, line in lines[1:])]


def _objects(document: object, sieve: Sieve) -> Iterator[tuple[Kind, str, Mapping[str, Any]]]:
    """What each object is, where it stands, and itself."""
    if isinstance(document, list):
        sections: list[tuple[str, Kind, object]] = [("item", "node", document)]
    elif isinstance(document, Mapping) and document.get("type") in ("node", "relationship"):
        sections = [("item", "node", [document])]
    elif isinstance(document, Mapping):
        sections = [(name, _SECTIONS[name], value) for name, value in document.items() if name in _SECTIONS]
        for name in document.keys() - _SECTIONS.keys():
            sieve.warn(name, "no part of a graphiti dump; it was left out")
    else:
        raise ValueError(f"no graphiti dump: it is {type(document).__name__}, not an object or a list")
    for name, kind, value in sections:
        values = list(value.values()) if isinstance(value, Mapping) else value
        if not isinstance(values, list):
            sieve.warn(name, "no list; it was left out")
            continue
        for number, item in enumerate(values):
            place = f"{name}[{number}]"
            if isinstance(item, Mapping):
                yield _kind(item, kind), place, item
            else:
                sieve.warn(place, "no object; it was left out")


def _kind(item: Mapping[str, Any], section: Kind) -> Kind:
    if section in ("node", "edge") and (item.get("type") == "relationship" or section == "edge" or _is_edge(item)):
        label = item.get("label") or item.get("type")
        return _EDGES.get(label, "edge") if isinstance(label, str) and "fact" not in _fields(item) else "edge"
    if section == "node":
        labels = _labels(item)
        if found := [_NODES[label] for label in labels if label in _NODES]:
            return found[0]
        fields = _fields(item)
        return "episode" if "content" in fields and "summary" not in fields and "Entity" not in labels else "node"
    return section


def _is_edge(item: Mapping[str, Any]) -> bool:
    return item.get("type") != "node" and any(key in item for key in _STARTS) and any(key in item for key in _ENDS)


def _labels(item: Mapping[str, Any]) -> tuple[str, ...]:
    """The labels of a node; its type where somebody wrote that instead."""
    found = item.get("labels", _fields(item).get("labels"))
    found = found if isinstance(found, list) else [found, item.get("label"), item.get("type")]
    return tuple(label for label in found if isinstance(label, str) and label != "node")


def _fields(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields of the object, wherever they stand."""
    properties = item.get("properties")
    return properties if isinstance(properties, Mapping) else item


def _keys(item: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The database's own ids of a node, each with the node's uuid."""
    for key in _KEYS:
        value = item.get(key)
        if isinstance(value, str | int) and not isinstance(value, bool):
            yield str(value), str(_fields(item).get("uuid") or value)


def _item(kind: Kind, place: str, item: Mapping[str, Any], uuids: Mapping[str, str]) -> Item:
    fields = _fields(item)
    own = dict(fields) if fields is not item else {key: value for key, value in item.items() if key not in _WRAPPING}
    if not own.get("uuid"):
        own["uuid"] = next((item[key] for key in _KEYS if item.get(key) not in (None, "")), None)
    if kind not in ("edge", "mention"):
        return Item(place, own, _labels(item))
    label = item.get("label") or item.get("type")
    named = isinstance(label, str) and label != "relationship"
    ends = []
    for names in (_STARTS, _ENDS):
        name, uuid = _end(item, fields, names, uuids)
        own.pop(name, None)
        ends.append(uuid)
    return Item(place, own, label=str(label) if named else None, ends=(ends[0], ends[1]))


def _end(
    item: Mapping[str, Any], fields: Mapping[str, Any], names: tuple[str, ...], uuids: Mapping[str, str]
) -> tuple[str, str | None]:
    """The field that tells the node at one end of an edge, and the node's uuid."""
    for name in names:
        told = name in names[:_TOLD]
        value = item.get(name, fields.get(name) if told else None)
        if isinstance(value, Mapping):
            given = _fields(value).get("uuid")
            value = given or next((value[key] for key in _KEYS if key in value), None)
        if isinstance(value, str | int) and not isinstance(value, bool) and value != "":
            return name, str(value) if told else uuids.get(str(value), str(value))
    return names[0], None
