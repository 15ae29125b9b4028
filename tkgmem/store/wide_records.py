"""Communities and summaries as a stream of records, with what they rest on by uuid. They only come with the whole file."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

import apsw

_Record = dict[str, Any]

_TABLES = ("passes", "communities", "summaries", "summary_calls")


def is_empty(db: apsw.Connection) -> bool:
    """Whether the file has none of this."""
    return not any(db.execute(f"SELECT EXISTS (SELECT 1 FROM {table})").get for table in _TABLES)


def records(db: apsw.Connection, *, vectors: bool) -> Iterator[_Record]:
    """The passes, communities, members and summaries. vectors: those of the summaries too."""
    yield from _passes(db)
    yield from _communities(db)
    yield from _members(db)
    yield from _summaries(db, vectors=vectors)


def _passes(db: apsw.Connection) -> Iterator[_Record]:
    columns = ("group", "whole", "valid_at", "known_at", "entities", "changed", "modularity", "created_at")
    query = (
        "SELECT g.name, p.whole, p.valid_at, p.known_at, p.entities, p.changed, p.modularity, p.created_at"
        " FROM passes p JOIN groups g ON g.id = p.group_id ORDER BY p.id"
    )
    for values in db.execute(query):
        record = dict(zip(columns, values, strict=True))
        yield {"type": "pass", **record, "whole": bool(record["whole"])}


def _communities(db: apsw.Connection) -> Iterator[_Record]:
    query = (
        "SELECT c.uuid, g.name, c.created_at, c.expired_at FROM communities c JOIN groups g ON g.id = c.group_id ORDER BY c.id"
    )
    for uuid, group, created_at, expired_at in db.execute(query):
        yield {"type": "community", "uuid": uuid, "group": group, "created_at": created_at, "expired_at": expired_at}


def _members(db: apsw.Connection) -> Iterator[_Record]:
    query = (
        "SELECT c.uuid, e.uuid, m.created_at, m.expired_at FROM members m JOIN communities c ON c.id = m.community_id"
        " JOIN entities e ON e.id = m.entity_id ORDER BY m.id"
    )
    for community, entity, created_at, expired_at in db.execute(query):
        dates = {"created_at": created_at, "expired_at": expired_at}
        yield {"type": "member", "community": community, "entity": entity, **dates}


def _summaries(db: apsw.Connection, *, vectors: bool) -> Iterator[_Record]:
    columns = (
        "group", "community", "entity", "conversation", "name", "text", "model", "valid_at", "known_at", "created_at",
        "expired_at", "facts", "entities", "vector",
    )  # fmt: skip
    facts = (
        "(SELECT json_group_array(json_array(c.uuid, f.line) ORDER BY f.claim_id) FROM summary_facts f"
        " JOIN claims c ON c.id = f.claim_id WHERE f.summary_id = s.id)"
    )
    entities = (
        "(SELECT json_group_array(e.uuid ORDER BY e.id) FROM summary_entities n JOIN entities e ON e.id = n.entity_id"
        " WHERE n.summary_id = s.id)"
    )
    query = (
        "SELECT g.name, c.uuid, e.uuid, s.conversation, s.name, s.text, s.model, s.valid_at, s.known_at, s.created_at,"
        f" s.expired_at, {facts}, {entities}, {'x.vector' if vectors else 'NULL'} FROM summaries s"
        " JOIN groups g ON g.id = s.group_id LEFT JOIN communities c ON c.id = s.community_id"
        " LEFT JOIN entities e ON e.id = s.entity_id LEFT JOIN summary_vectors x ON x.id = s.id ORDER BY s.id"
    )
    for values in db.execute(query):
        record = dict(zip(columns, values, strict=True))
        vector = None if record["vector"] is None else base64.b64encode(bytes(record["vector"])).decode("ascii")
        of = {"facts": json.loads(record["facts"]), "entities": json.loads(record["entities"])}
        yield {"type": "summary", **record, **of, "vector": vector}


def calls(db: apsw.Connection) -> Iterator[_Record]:
    """What summaries cost."""
    columns = ("group", "model", "prompt_tokens", "completion_tokens", "cost", "created_at")
    query = (
        "SELECT g.name, s.model, s.prompt_tokens, s.completion_tokens, s.cost, s.created_at FROM summary_calls s"
        " JOIN groups g ON g.id = s.group_id ORDER BY s.id"
    )
    for values in db.execute(query):
        yield {"type": "summary_call", **dict(zip(columns, values, strict=True))}
