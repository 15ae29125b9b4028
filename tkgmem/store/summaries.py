"""Summaries as they are kept: versions with what each was made from, and for communities what they are found by.

A version is closed, never edited; where something that it rests on is forgotten, it is deleted, however old it is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from tkgmem.reports import ModelUse
from tkgmem.store import partition
from tkgmem.store.clocks import EVERYTHING, View, believed
from tkgmem.store.frames import unit
from tkgmem.store.language import language
from tkgmem.store.rows import in_list, texts
from tkgmem.store.walk import Seen
from tkgmem.store.words import segment

if TYPE_CHECKING:
    from tkgmem.protocols import Vectors


class Of(NamedTuple):
    """What a summary is of: just one of these."""

    community: int | None = None
    entity: int | None = None
    conversation: str | None = None


class Row(NamedTuple):
    """A row of `summaries`."""

    id: int
    group_id: int
    of: Of
    name: str
    text: str
    model: str | None
    valid_at: int
    known_at: int
    created_at: int
    expired_at: int | None


@dataclass(frozen=True, slots=True)
class Draft:
    """A version to be kept. facts: the first claim (row) of each fact it was made from, with the checksum of its line.
    entities: rows of those that it may name. vectors: what it is found by; None where it is not searched.
    """

    group_id: int
    of: Of
    name: str
    text: str
    model: str | None
    valid_at: int
    known_at: int
    facts: Mapping[int, str]
    entities: frozenset[int]
    vectors: Vectors | None = None


_COLUMNS = (
    "r.id, r.group_id, r.community_id, r.entity_id, r.conversation, r.name, r.text, r.model, r.valid_at, r.known_at,"
    " r.created_at, r.expired_at"
)


SEARCHED = "(SELECT * FROM summaries WHERE community_id IS NOT NULL)"
"""The versions that are searched, of whatever age, in the place of a table."""


def passage(name: str, text: str) -> str:
    """What a community is found by: its name and its summary."""
    return f"{name}: {text}" if text else name


def versions(db: apsw.Connection, of: Of, group_id: int, known_at: int = EVERYTHING) -> list[Row]:
    """The versions kept up to a system time, in order."""
    where, bindings = _where(of, group_id)
    query = f"SELECT {_COLUMNS} FROM summaries r WHERE {where} AND r.created_at <= :s ORDER BY r.created_at, r.id"
    return [_row(row) for row in db.execute(query, {**bindings, "s": known_at})]


def then(db: apsw.Connection, of: Of, group_id: int, known_at: int = EVERYTHING) -> Row | None:
    """The version that stood at a system time."""
    where, bindings = _where(of, group_id)
    query = f"SELECT {_COLUMNS} FROM summaries r WHERE {where} AND {believed('r')} ORDER BY r.id DESC LIMIT 1"
    found = [_row(row) for row in db.execute(query, {**bindings, "s": known_at})]
    return found[0] if found else None


def of_communities(db: apsw.Connection, communities: Iterable[int], known_at: int = EVERYTHING) -> dict[int, Row]:
    """The version of each community that stood at a system time."""
    query = (
        f"SELECT {_COLUMNS} FROM summaries r WHERE r.community_id IN (SELECT value FROM json_each(:c)) AND {believed('r')}"
        " ORDER BY r.id"
    )
    rows = (_row(row) for row in db.execute(query, {"c": in_list(communities), "s": known_at}))
    return {row.of.community: row for row in rows if row.of.community is not None}


def last_names(db: apsw.Connection, communities: Iterable[int], known_at: int = EVERYTHING) -> dict[int, str]:
    """What each community was called last, by then."""
    query = (
        "SELECT r.community_id, r.name FROM summaries r WHERE r.community_id IN (SELECT value FROM json_each(:c))"
        " AND r.created_at <= :s ORDER BY r.created_at, r.id"
    )
    return dict(db.execute(query, {"c": in_list(communities), "s": known_at}))


def lines_of(db: apsw.Connection, summaries: Iterable[int]) -> dict[int, dict[int, str]]:
    """The facts of each version: the first claim of each, with the checksum of its line."""
    found: dict[int, dict[int, str]] = defaultdict(dict)
    query = "SELECT summary_id, claim_id, line FROM summary_facts WHERE summary_id IN (SELECT value FROM json_each(?))"
    for summary, claim, line in db.execute(f"{query} ORDER BY summary_id, claim_id", (in_list(summaries),)):
        texts(line)
        found[summary][claim] = line
    return found


def fact_uuids(db: apsw.Connection, rows: Sequence[int]) -> list[str]:
    """The uuids of claims, in the order given; of those that are in the file."""
    query = "SELECT id, uuid FROM claims WHERE id IN (SELECT value FROM json_each(?))"
    found: dict[int, str] = dict(db.execute(query, (in_list(rows),)))
    return [found[row] for row in rows if row in found]


def named_in(db: apsw.Connection, summary: int) -> set[int]:
    """The entities that a version may name."""
    return {row for (row,) in db.execute("SELECT entity_id FROM summary_entities WHERE summary_id = ?", (summary,))}


def last_at(db: apsw.Connection, group_id: int) -> int:
    """When the last version of a group was kept, 0 before the first."""
    query = "SELECT max(created_at) FROM summaries WHERE group_id = ?"
    return int(db.execute(query, (group_id,)).get or 0)


def last_row(db: apsw.Connection) -> int:
    """The highest row of a version, 0 if there is none."""
    return int(db.execute("SELECT coalesce(max(id), 0) FROM summaries").get)


def owners(db: apsw.Connection, rows: Iterable[int]) -> dict[int, int]:
    """The community that each version is of; versions of anything else are left out."""
    query = "SELECT id, community_id FROM summaries WHERE community_id IS NOT NULL AND id IN (SELECT value FROM json_each(?))"
    return dict(db.execute(query, (in_list(rows),)))


def view(groups: Sequence[int], known_at: int, *, among: Iterable[int] | None = None, seen: Seen | None = None) -> View:
    """The versions of communities that stood then. among: only of these; seen: and only where this is seen at a member."""
    scope = f"r.group_id IN (SELECT value FROM json_each(:g)) AND r.community_id IS NOT NULL AND {believed('r')}"
    asked = "" if among is None else " AND r.community_id IN (SELECT value FROM json_each(:among))"
    asked += "" if seen is None else f" AND {partition.living('r', 'community_id', seen[0])}"
    where = f"+{scope}{asked}"
    rows = f"SELECT r.id FROM summaries r WHERE r.id IN (SELECT value FROM json_each(:rows)) AND {where}"
    bindings = {**({} if seen is None else seen[1]), "g": in_list(groups), "s": known_at}
    if among is not None:
        bindings["among"] = in_list(among)
    return View("summaries", scope, where, rows, f"SELECT r.id FROM summaries r WHERE {scope}{asked}", bindings)


def vectors_in(db: apsw.Connection, seen: View) -> Iterator[tuple[int, str, bytes]]:
    """Every version in view that has a vector, with its language and that vector."""
    query = f"SELECT x.id, x.language, x.vector FROM ({seen.ids}) s CROSS JOIN summary_vectors x ON x.id = s.id ORDER BY x.id"
    yield from db.execute(query, dict(seen.bindings))


def _where(of: Of, group_id: int) -> tuple[str, dict[str, Any]]:
    column, value = next((f"{name}_id", value) for name, value in of._asdict().items() if value is not None)
    column = column if of.conversation is None else "conversation"
    return f"r.{column} = :of AND r.group_id = :g", {"of": value, "g": group_id}


def _row(row: Any) -> Row:
    number, group_id, community, entity, conversation, name, text, model, *instants = row
    texts(conversation, name, text, model)
    return Row(number, group_id, Of(community, entity, conversation), name, text, model, *instants)


# --- writing, in the caller's transaction ---


def insert(db: apsw.Connection, draft: Draft, at: int) -> int:
    """Keep a version, in place of the one that stands."""
    where, bindings = _where(draft.of, draft.group_id)
    db.execute(f"UPDATE summaries AS r SET expired_at = :at WHERE {where} AND r.expired_at IS NULL", {**bindings, "at": at})
    db.execute(
        "INSERT INTO summaries (group_id, community_id, entity_id, conversation, name, text, model, valid_at, known_at,"
        " created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            draft.group_id, *draft.of, draft.name, draft.text, draft.model, draft.valid_at, draft.known_at, at,
        ),
    )  # fmt: skip
    row = db.last_insert_rowid()
    db.executemany(
        "INSERT INTO summary_facts (summary_id, claim_id, line) VALUES (?, ?, ?)",
        [(row, claim, line) for claim, line in sorted(draft.facts.items())],
    )
    db.executemany(
        "INSERT INTO summary_entities (summary_id, entity_id) VALUES (?, ?)",
        [(row, entity) for entity in sorted(draft.entities)],
    )
    if draft.of.community is not None:
        index(db, row, passage(draft.name, draft.text))
        if draft.vectors is not None:
            set_vector(db, row, passage(draft.name, draft.text), draft.vectors)
    return row


def index(db: apsw.Connection, row: int, text: str) -> None:
    """Make a version searchable by its words, in place of what was there."""
    db.execute("DELETE FROM summary_text WHERE rowid = ?", (row,))
    db.execute("INSERT INTO summary_text (rowid, text) VALUES (?, ?)", (row, segment(text)))


def set_vector(db: apsw.Connection, row: int, text: str, pieces: Vectors) -> None:
    """Make a version searchable by meaning. pieces: the vectors of its text, one for each piece; their mean counts."""
    mean = pieces.astype("float64").mean(axis=0, keepdims=True)
    db.execute(
        "INSERT OR REPLACE INTO summary_vectors (id, language, vector) VALUES (?, ?, ?)",
        (row, language(text), unit(mean)[0].astype("<f4").tobytes()),
    )


def close(db: apsw.Connection, of: Of, group_id: int, at: int) -> None:
    """The version that stands no longer does."""
    where, bindings = _where(of, group_id)
    db.execute(f"UPDATE summaries AS r SET expired_at = :at WHERE {where} AND r.expired_at IS NULL", {**bindings, "at": at})


def spend(
    db: apsw.Connection, group_id: int, *, model: str, prompt_tokens: int, completion_tokens: int, cost: float | None, at: int
) -> None:
    """Record what one answer of a model cost."""
    db.execute(
        "INSERT INTO summary_calls (group_id, model, prompt_tokens, completion_tokens, cost, created_at)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (group_id, model, prompt_tokens, completion_tokens, cost, at),
    )


def used(db: apsw.Connection, groups: Sequence[int]) -> dict[str, ModelUse]:
    """What the summaries of these groups cost, by the purpose that their calls have; empty where no model was asked."""
    query = (
        "SELECT count(*), sum(prompt_tokens), sum(completion_tokens), sum(cost) FROM summary_calls"
        " WHERE group_id IN (SELECT value FROM json_each(?))"
    )
    sums: tuple[Any, ...] = db.execute(query, (in_list(groups),)).get
    return {"summarize": ModelUse(*sums)} if sums[0] else {}


def are_there(db: apsw.Connection, claims: Iterable[int], entities: Iterable[int]) -> bool:
    """Whether all of these claims and entities are in the file."""
    for table, rows in (("claims", set(claims)), ("entities", set(entities))):
        query = f"SELECT count(*) FROM {table} WHERE id IN (SELECT value FROM json_each(?))"
        if db.execute(query, (in_list(rows),)).get != len(rows):
            return False
    return True
