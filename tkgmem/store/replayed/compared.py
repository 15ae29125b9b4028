"""What two files say, row by row: each row as values that do not depend on its number, so that equal files have equal rows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import apsw

from tkgmem.store.names import name_key
from tkgmem.store.relations import load
from tkgmem.temporal.period import Precision


class Shown(NamedTuple):
    """A row for people. words: what it says. believed, until: system time. said: its sentence; episode: of which text."""

    uuid: str | None
    words: str
    valid_at: int | None = None
    invalid_at: int | None = None
    valid_precision: Precision | None = None
    invalid_precision: Precision | None = None
    believed: int | None = None
    until: int | None = None
    said: str | None = None
    episode: str | None = None


class Row(NamedTuple):
    """key: all that it says, as JSON; shown: the same for people."""

    key: str
    shown: Shown


def _ends(row: str) -> str:
    """The joins that name what a row of facts or claims is about."""
    return (
        f"JOIN entities s ON s.id = {row}.source_id JOIN entities t ON t.id = {row}.target_id"
        f" JOIN groups g ON g.id = {row}.group_id"
    )


def _triple(row: str) -> str:
    return f"s.name || ' ' || lower(replace({row}.relation, '_', ' ')) || ' ' || t.name"


def _period(row: str) -> str:
    """When it holds, and when that is believed."""
    names = ("valid_at", "invalid_at", "valid_precision", "invalid_precision", "created_at", "expired_at")
    return ", ".join(f"{row}.{name}" for name in names)


def _text(column: str) -> str:
    return f"(SELECT x.uuid FROM episodes x WHERE x.id = {column})"


def _claim(column: str) -> str:
    return f"(SELECT x.uuid FROM claims x WHERE x.id = {column})"


_NEVER = "NULL, NULL, NULL, NULL"
_SAID = f"f.fact, {_text('f.episode_id')}"
_BELIEVED = "n.created_at, n.expired_at"


def _fact(row: str, tables: str) -> str:
    """Facts as rows of v, each once. row: where its ends are."""
    key = f"json_array(f.uuid, g.name, s.uuid, s.name, {row}.relation, t.uuid, t.name)"
    shown = f"f.uuid, {_triple(row)}, {_NEVER}, NULL, NULL, {_SAID}"
    return f"SELECT {key}, {shown} FROM {tables.format(ends=f'JOIN claims f ON f.id = v.fact_id {_ends(row)}')}"


def _version() -> str:
    key = f"json_array(f.uuid, s.uuid, v.relation, t.uuid, v.cause, {_claim('v.cause_id')}, v.learned_at, {_period('v')})"
    shown = f"f.uuid, {_triple('v')}, {_period('v')}, {_SAID}"
    return f"SELECT {key}, {shown} FROM versions v JOIN claims f ON f.id = v.fact_id {_ends('v')}"


def _claims() -> str:
    told = ("uuid", "kind", "relation", "fact", "lead", "reference_time", "span_start", "span_end", "attributes", "made_by",
            "position")  # fmt: skip
    others = f"{_text('f.episode_id')}, {_text('f.expired_by_episode_id')}, {_claim('f.replaced_by_id')}"
    key = f"json_array({', '.join(f'f.{name}' for name in told)}, g.name, s.uuid, t.uuid, {others}, {_period('f')})"
    return f"SELECT {key}, f.uuid, {_triple('f')}, {_period('f')}, {_SAID} FROM claims f {_ends('f')}"


def _supports() -> str:
    key = "json_array(c.uuid, f.uuid, v.undated, v.created_at, v.expired_at)"
    shown = f"f.uuid, {_triple('f')}, {_NEVER}, v.created_at, v.expired_at, {_SAID}"
    tables = f"supports v JOIN claims c ON c.id = v.claim_id JOIN claims f ON f.id = v.fact_id {_ends('f')}"
    return f"SELECT {key}, {shown} FROM {tables}"


def _other(key: str, uuid: str, words: str, tables: str, *, believed: str = _BELIEVED) -> str:
    """What holds at no time of the world, as rows of n. believed: since and until when it is."""
    return f"SELECT json_array({key}, {believed}), {uuid}, {words}, {_NEVER}, {believed}, NULL, NULL FROM {tables}"


_OF_ENTITY = "JOIN entities e ON e.id = n.entity_id"
_SINCE = "n.created_at, NULL"
_BY = _text("n.episode_id")

QUERIES: Mapping[str, str] = {
    "fact": (
        f"{_fact('v', 'versions v {ends}')} UNION {_fact('f', 'supports v {ends} WHERE v.undated AND v.claim_id = v.fact_id')}"
    ),
    "version": _version(),
    "claim": _claims(),
    "support": _supports(),
    "entity": _other(
        "n.uuid, g.name, n.name", "n.uuid", "n.name", "entities n JOIN groups g ON g.id = n.group_id", believed=_SINCE
    ),
    "name": _other(f"e.uuid, n.name, {_BY}", "e.uuid", "e.name || ' is called ' || n.name", f"aliases n {_OF_ENTITY}"),
    "trait": _other(
        f"e.uuid, n.type, n.attributes, {_BY}",
        "e.uuid",
        "e.name || ': ' || coalesce(n.type, '') || ' ' || n.attributes",
        f"traits n {_OF_ENTITY}",
    ),
    "mention": _other(
        f"e.uuid, {_BY}, n.span_start, n.span_end",
        "e.uuid",
        "e.name || ' is named in a text'",
        f"mentions n {_OF_ENTITY}",
        believed=_SINCE,
    ),
    "merge": _other(
        f"e.uuid, i.uuid, {_BY}",
        "e.uuid",
        "e.name || ' is ' || i.name",
        f"merges n {_OF_ENTITY} JOIN entities i ON i.id = n.into_id",
    ),
    "move": _other(
        f'{_claim("n.claim_id")}, n."end", e.uuid',
        _claim("n.claim_id"),
        "'a statement is about ' || e.name",
        f"moves n {_OF_ENTITY}",
    ),
    "judgement": _other(
        f"{_claim('n.claim_id')}, {_claim('n.other_id')}, {_BY}",
        _claim("n.claim_id"),
        "'two statements contradict each other'",
        "conflicts n",
    ),
    "break": _other(
        f"{_claim('n.claim_id')}, {_text('n.episode_id')}, n.alias_id IS NULL, n.trait_id IS NULL, n.merge_id IS NULL,"
        f" n.move_id IS NULL, n.conflict_id IS NULL, {_text('n.by_episode_id')}, {_claim('n.replaced_by_id')}",
        _claim("n.claim_id"),
        "'something was not believed for a while'",
        "gaps n",
    ),
    "relation": _other("n.name, n.functional, n.inverse, n.aliases, n.said", "NULL", "n.name", "relations n"),
    "change": _other(
        f"n.verb, g.name, {_BY}, n.reason",
        "NULL",
        "n.verb",
        "transactions n LEFT JOIN groups g ON g.id = n.group_id",
        believed=_SINCE,
    ),
    "text": _other("n.uuid, n.state", "n.uuid", "substr(n.content, 1, 80)", "episodes n"),
}
"""What the rows of each kind say, and what is shown of them; in the order in which differences are told."""


def rows(db: apsw.Connection, query: str) -> Iterator[Row]:
    """The rows of one of the queries, sorted by all that they say."""
    found: Any = db.execute(f"{query} ORDER BY 1")
    for key, *shown in found:
        yield Row(key, Shown(*shown))


def present(db: apsw.Connection) -> list[tuple[str, Row]]:
    """The facts believed now, each with the periods for which it holds, told apart by names and dates alone, sorted.

    Each with what tells the fact from others, whenever it holds.
    """
    both = {definition.name for definition in load(db) if definition.symmetric}
    found = []
    for row, tables in (
        ("v", "versions v {ends} WHERE v.expired_at IS NULL"),
        ("f", "supports v {ends} WHERE v.undated AND v.claim_id = v.fact_id AND v.expired_at IS NULL"),
    ):
        joined = tables.format(ends=f"JOIN claims f ON f.id = v.fact_id {_ends(row)}")
        shown = f"f.uuid, {_triple(row)}, {_period(row)}, {_SAID}"
        rows: Any = db.execute(f"SELECT g.name, s.name, {row}.relation, t.name, {shown} FROM {joined}")
        for group, source, relation, target, *rest in rows:
            ends = [name_key(source), name_key(target)]
            triple = (group, relation, *(sorted(ends) if relation in both else ends))
            found.append((json.dumps(triple), Row(json.dumps((triple, rest[2:6])), Shown(*rest))))
    return sorted(found, key=lambda one: one[1].key)
