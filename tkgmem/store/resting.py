"""What of the wide view rests on what is forgotten, and goes with it: versions of summaries of any age, emptied communities.

A version goes where a fact that it was made from loses a source or what ended it, where an entity that it may name goes or may
lose a name, and where a text of its conversation goes; with it what a model wrote of the same later, which may repeat it.
"""

from __future__ import annotations

from collections.abc import Iterable

import apsw

from tkgmem.store.rows import in_list

_OF = "IN (SELECT value FROM json_each({}))"


def is_empty(db: apsw.Connection) -> bool:
    """Whether the file has neither a summary nor a community."""
    return not db.execute("SELECT EXISTS (SELECT 1 FROM summaries) OR EXISTS (SELECT 1 FROM communities)").get


def on(
    db: apsw.Connection,
    group_id: int,
    *,
    episodes: Iterable[int] = (),
    claims: Iterable[int] = (),
    entities: Iterable[int] = (),
) -> set[int]:
    """The versions that rest on these rows, before they go. entities: also those that only lose a name."""
    told, of = in_list(sorted(episodes)), _OF.format(":told")
    facts = (
        "SELECT value FROM json_each(:claims) UNION"
        f" SELECT fact_id FROM supports WHERE claim_id {_OF.format(':claims')} UNION"
        f" SELECT fact_id FROM versions WHERE cause_id {_OF.format(':claims')}"
    )
    named = " UNION ".join(
        ["SELECT value FROM json_each(:entities)"]
        + [f"SELECT entity_id FROM {table} WHERE episode_id {of}" for table in ("mentions", "aliases", "traits")]
    )
    query = (
        f"SELECT summary_id FROM summary_facts WHERE claim_id IN ({facts}) UNION"
        f" SELECT summary_id FROM summary_entities WHERE entity_id IN ({named}) UNION"
        f" SELECT id FROM summaries WHERE entity_id IN ({named}) UNION"
        " SELECT id FROM summaries WHERE group_id = :g AND conversation IN"
        f" (SELECT name FROM episodes WHERE id {of})"
    )
    bindings = {
        "told": told, "g": group_id, "claims": in_list(sorted(claims)), "entities": in_list(sorted(entities)),
    }  # fmt: skip
    found = {row for (row,) in db.execute(query, bindings)}
    return found | _repeating(db, found)


def _repeating(db: apsw.Connection, versions: Iterable[int]) -> set[int]:
    """What a model wrote later of what it wrote these versions of: it was given the earlier text."""
    query = " UNION ".join(
        f"SELECT n.id FROM summaries o CROSS JOIN summaries n ON n.{of} = o.{of} AND n.group_id = o.group_id AND n.id > o.id"
        f" WHERE o.id {_OF.format('?1')} AND o.model IS NOT NULL AND n.model IS NOT NULL"
        for of in ("community_id", "entity_id", "conversation")
    )
    return {row for (row,) in db.execute(query, (in_list(sorted(versions)),))}


def of_group(db: apsw.Connection, group_id: int) -> tuple[set[int], set[int]]:
    """The versions and the communities of a group, of whatever age."""
    versions, communities = (
        {row for (row,) in db.execute(f"SELECT id FROM {table} WHERE group_id = ?", (group_id,))}
        for table in ("summaries", "communities")
    )
    return versions, communities


def emptied_without(db: apsw.Connection, group_id: int, entities: Iterable[int]) -> set[int]:
    """The communities of a group that nothing but these entities ever belonged to."""
    others = f"SELECT 1 FROM members m WHERE m.community_id = c.id AND m.entity_id NOT {_OF.format(':e')}"
    query = f"SELECT c.id FROM communities c WHERE c.group_id = :g AND NOT EXISTS ({others})"
    return {row for (row,) in db.execute(query, {"g": group_id, "e": in_list(sorted(entities))})}


def of_communities(db: apsw.Connection, communities: Iterable[int]) -> set[int]:
    """The versions of these communities."""
    query = f"SELECT id FROM summaries WHERE community_id {_OF.format('?')}"
    return {row for (row,) in db.execute(query, (in_list(sorted(communities)),))}


def written(db: apsw.Connection, versions: Iterable[int]) -> list[str]:
    """What a model wrote in these versions. The others say nothing that their facts and entities do not."""
    query = f"SELECT name, text FROM summaries WHERE model IS NOT NULL AND id {_OF.format('?')} ORDER BY id"
    return [text for row in db.execute(query, (in_list(sorted(versions)),)) for text in row]


# --- deleting, in the caller's transaction ---


def delete(db: apsw.Connection, versions: Iterable[int]) -> None:
    """Delete versions with all that belongs to them, and the words that they alone held from the full text.

    The index is made again from the rows that are left, as `lexical.forget` does it.
    """
    rows = in_list(sorted(versions))
    if rows == "[]":
        return
    db.execute(f"DELETE FROM summaries WHERE id {_OF.format('?')}", (rows,))
    db.execute(f"DELETE FROM summary_text WHERE rowid {_OF.format('?')}", (rows,))
    db.execute("INSERT INTO summary_text (summary_text) VALUES ('rebuild')")


def delete_communities(db: apsw.Connection, rows: Iterable[int]) -> None:
    """Delete communities with who ever belonged to them. Their versions are to be deleted before."""
    db.execute(f"DELETE FROM communities WHERE id {_OF.format('?')}", (in_list(sorted(rows)),))
