"""The tools under the names, arguments and fields of graphiti's MCP server, for prompts and programs that were written for it.

They do what tkgmem does: a text is committed before the reply, only what conflicts is retired, to delete is to forget.
`group_id` may name the server's own group and no other.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

from tkgmem.errors import NotFound
from tkgmem.graph import Entity, Fact
from tkgmem.mcp_server.desk import Desk
from tkgmem.mcp_server.reading import Arguments, explained, given_only, moment, status
from tkgmem.mcp_server.saying import Answer, fitting, joined, line_of_entity, line_of_fact, short
from tkgmem.mcp_server.tool import LIST, MANY, TEXT, Tool, gives, takes
from tkgmem.mcp_server.writing import remembered
from tkgmem.temporal.period import to_datetime

_SOURCES: Mapping[str, str] = {"text": "text", "message": "message", "json": "json"}


def add_memory(desk: Desk, given: Arguments) -> Answer:
    """Keep an episode and learn what it states."""
    _own_group(desk, given)
    said_at = moment(desk, given, "reference_time")
    source = given.get("source", "text")
    if source not in _SOURCES:
        raise ValueError(f"source is {source!r}; use one of {', '.join(_SOURCES)}")
    result = desk.remember(
        given["episode_body"],
        reference_time=desk.now() if said_at is None else to_datetime(said_at.micros),
        source=source,
        name=given["name"],
        description=given.get("source_description") or None,
        **given_only(given, "uuid"),
    )
    told = remembered(result)
    return Answer(told.text, {"message": told.text.splitlines()[0], "uuid": result.episode.uuid, "state": result.episode.state})


def search_memory_facts(desk: Desk, given: Arguments) -> Answer:
    """Facts that fit a question."""
    _own_group(desk, given)
    found = desk.memory.search(
        given["query"], limit=given.get("max_facts", 10), scopes=("facts",), center=given.get("center_node_uuid")
    )
    shown, lines = fitting([hit.item for hit in found.facts], line_of_fact)
    return Answer(joined(lines or ["No relevant facts found"]), {"message": _found(len(shown)), "facts": [*map(_edge, shown)]})


def search_nodes(desk: Desk, given: Arguments) -> Answer:
    """Entities that fit a question."""
    _own_group(desk, given)
    found = desk.memory.search(given["query"], limit=given.get("max_nodes", 10), scopes=("entities",)).entities
    kinds = {kind.casefold() for kind in given.get("entity_types") or ()}
    entities = [hit.item for hit in found if not kinds or (hit.item.type or "").casefold() in kinds]
    shown, lines = fitting(entities, line_of_entity)
    nodes = [_node(desk, entity) for entity in shown]
    return Answer(joined(lines or ["No relevant nodes found"]), {"message": _found(len(shown)), "nodes": nodes})


def get_entity_edge(desk: Desk, given: Arguments) -> Answer:
    """One fact by its uuid."""
    fact = explained(desk, given["uuid"]).fact
    return Answer(line_of_fact(fact), _edge(fact))


def get_episodes(desk: Desk, given: Arguments) -> Answer:
    """What was said, newest first."""
    _own_group(desk, given)
    found = desk.memory.episodes(limit=given.get("max_episodes", 10))
    shown, lines = fitting(found, lambda one: f"- {short(one.content)} [{one.uuid}]")
    told = [
        {
            "uuid": one.uuid, "name": one.name or "", "content": short(one.content), "created_at": _iso(one.created_at),
            "source": one.source, "source_description": one.description or "", "group_id": one.group,
        }
        for one in shown
    ]  # fmt: skip
    return Answer(joined(lines or ["No episodes found"]), {"message": _found(len(shown)), "episodes": told})


def delete_entity_edge(desk: Desk, given: Arguments) -> Answer:
    """Forget a fact."""
    uuid = explained(desk, given["uuid"]).uuid
    desk.memory.forget(fact=uuid)
    return _message(f"Entity edge with UUID {uuid} deleted")


def delete_episode(desk: Desk, given: Arguments) -> Answer:
    """Forget a text."""
    if not desk.memory.episodes(uuid=given["uuid"]):
        raise NotFound(f"there is no text {given['uuid']!r}; take a uuid from get_episodes")
    desk.memory.forget(episode=given["uuid"])
    return _message(f"Episode with UUID {given['uuid']} deleted")


def get_status(desk: Desk, given: Arguments) -> Answer:
    """Whether the memory can be read, and what waits."""
    told = status(desk, given)
    return Answer(told.text, {"status": "ok", "message": told.text})


def _own_group(desk: Desk, given: Arguments) -> None:
    groups: Sequence[str] = given.get("group_ids") or ([given["group_id"]] if given.get("group_id") else [])
    if other := [group for group in groups if group != desk.memory.group]:
        raise ValueError(f"this server serves the group {desk.memory.group!r} alone, not {other[0]!r}; leave it out")


def _edge(fact: Fact) -> dict[str, Any]:
    return {
        "uuid": fact.uuid, "name": fact.relation, "fact": short(fact.fact), "group_id": fact.group,
        "source_node_uuid": fact.source.uuid, "target_node_uuid": fact.target.uuid,
        "created_at": _iso(fact.created_at), "expired_at": _iso(fact.expired_at),
        "valid_at": _iso(fact.valid_at), "invalid_at": _iso(fact.invalid_at), "episodes": list(fact.episodes[:20]),
    }  # fmt: skip


def _node(desk: Desk, entity: Entity) -> dict[str, Any]:
    view = desk.memory.entity(entity.uuid)
    return {
        "uuid": entity.uuid, "name": short(entity.name), "labels": [entity.type] if entity.type else [],
        "created_at": _iso(entity.created_at), "summary": short(view.summary or "", 600), "group_id": entity.group,
    }  # fmt: skip


def _found(count: int) -> str:
    return f"{count} found"


def _message(text: str) -> Answer:
    return Answer(text, {"message": text})


def _iso(value: dt.datetime | None) -> str | None:
    return None if value is None else value.isoformat()


_GROUP = {"group_id": {**TEXT, "description": "the server's own, or none"}}
_GROUPS = {"group_ids": {"type": "array", "items": TEXT}}
_MESSAGE = gives(["message"], message=TEXT)
GRAPHITI: tuple[Tool, ...] = (
    Tool(
        "add_memory",
        "Add memory",
        "Add an episode to memory; what it states becomes dated facts.",
        takes(
            ["name", "episode_body"],
            name=TEXT,
            episode_body=TEXT,
            **_GROUP,
            source=TEXT,
            source_description=TEXT,
            uuid=TEXT,
            reference_time=TEXT,
        ),
        _MESSAGE,
        add_memory,
        "adds",
    ),
    Tool(
        "search_nodes",
        "Search nodes",
        "Search the memory for entities.",
        takes(["query"], query=TEXT, **_GROUPS, max_nodes=MANY, entity_types={"type": "array", "items": TEXT}),
        gives(["message", "nodes"], message=TEXT, nodes=LIST),
        search_nodes,
    ),
    Tool(
        "search_memory_facts",
        "Search memory facts",
        "Search the memory for facts.",
        takes(["query"], query=TEXT, **_GROUPS, max_facts=MANY, center_node_uuid=TEXT),
        gives(["message", "facts"], message=TEXT, facts=LIST),
        search_memory_facts,
    ),
    Tool(
        "get_entity_edge",
        "Get entity edge",
        "Get a fact by its UUID.",
        takes(["uuid"], uuid=TEXT),
        gives(["uuid", "fact"], uuid=TEXT, fact=TEXT),
        get_entity_edge,
    ),
    Tool(
        "get_episodes",
        "Get episodes",
        "Get the latest episodes.",
        takes(**_GROUPS, max_episodes=MANY),
        gives(["message", "episodes"], message=TEXT, episodes=LIST),
        get_episodes,
    ),
    Tool(
        "delete_entity_edge",
        "Delete entity edge",
        "Delete a fact for good.",
        takes(["uuid"], uuid=TEXT),
        _MESSAGE,
        delete_entity_edge,
        "destroys",
    ),
    Tool(
        "delete_episode",
        "Delete episode",
        "Delete an episode for good, with what it alone states.",
        takes(["uuid"], uuid=TEXT),
        _MESSAGE,
        delete_episode,
        "destroys",
    ),
    Tool(
        "get_status",
        "Get status",
        "Whether the memory is there, and what waits to be read.",
        takes(),
        gives(["status", "message"], status=TEXT, message=TEXT),
        get_status,
    ),
)  # fmt: skip
"""The tools, shown in the place of ours."""
