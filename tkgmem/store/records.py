"""A file, or a chosen part of it, as a stream of records: each row with uuids and names in the place of row numbers.

The order is such that what a record refers to comes before it, but for what a claim was replaced by. See `portable.format`.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import apsw

from tkgmem.store import relations, vectors, wide_records
from tkgmem.store.clocks import Told
from tkgmem.store.facts import words

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Chosen:
    """The rows that are wanted. known: entities of which all is told; of the others only the first name and what texts say.

    words: also texts and sentences; without them a claim is a triple with its dates and has no source. until: what was learned
    later (instants of system time) is left out of what comes along, None for nothing.
    """

    claims: frozenset[int]
    episodes: frozenset[int]
    entities: frozenset[int]
    known: frozenset[int]
    words: bool = True
    until: int | None = None

    def learned(self, at: int) -> bool:
        """Whether what was learned at an instant comes along."""
        return self.until is None or at < self.until


def compact(record: Mapping[str, Any]) -> Record:
    """The record without what is unknown, open or empty."""
    return {key: value for key, value in record.items() if value is not None and value not in ({}, [])}


def records(db: apsw.Connection, *, vectors: bool, logs: bool, chosen: Chosen | None = None) -> Iterator[Record]:
    """Every record between the first and the last. vectors: those of texts and names too. logs: the model-call log too."""
    readers: list[Callable[[apsw.Connection, Chosen | None], Iterator[Record]]] = [
        _relations, _episodes, _entities, _aliases, _traits, _mentions, _claims, _conflicts, _merges, _moves, _transactions,
    ]  # fmt: skip
    readers += [lambda db, chosen: _wide(db, chosen, vectors=vectors, logs=logs)]
    readers += [_model_calls] if logs else []
    readers += [_vectors] if vectors else []
    readers += [_frames]
    for reader in readers:
        yield from map(compact, reader(db, chosen))


def _wide(db: apsw.Connection, chosen: Chosen | None, *, vectors: bool, logs: bool) -> Iterator[Record]:
    """Communities and summaries; of a part none: they tell of the rest."""
    if chosen is None:
        yield from wide_records.records(db, vectors=vectors)
        yield from wide_records.calls(db) if logs else ()


def header(db: apsw.Connection, *, number: int, vectors: bool) -> Record:
    """The first record. number: of the format."""
    found = _kept(db)
    return compact({"type": "tkgmem", "format": number, "embedder": found, "vectors": vectors or None})


def _kept(db: apsw.Connection) -> Record | None:
    found = vectors.kept(db)
    return None if found is None else found._asdict()


def relation_rows(db: apsw.Connection) -> Iterator[Record]:
    """The definitions. said: as it was given; without that it is built in, a name in use, or follows from another one."""
    for name, functional, inverse, aliases, at, expired_at, said in db.execute(
        "SELECT name, functional, inverse, aliases, created_at, expired_at, said FROM relations ORDER BY created_at, name, id"
    ):
        yield {
            "type": "relation",
            "name": name,
            "functional": bool(functional),
            "inverse": inverse,
            "aliases": json.loads(aliases),
            "said": None if said is None else json.loads(said),
            "created_at": None if at == relations.ALWAYS else at,
            "expired_at": expired_at,
        }


def _gaps(db: apsw.Connection, told: Told, chosen: Chosen | None) -> dict[int, list[Record]]:
    """The gaps of the rows of one kind, by row, in order."""
    found: dict[int, list[Record]] = {}
    for row, created_at, expired_at, closer, by, successor_id, successor in db.execute(
        f"SELECT x.{told}_id, x.created_at, x.expired_at, x.by_episode_id, e.uuid, x.replaced_by_id, c.uuid FROM gaps x"
        " LEFT JOIN episodes e ON e.id = x.by_episode_id LEFT JOIN claims c ON c.id = x.replaced_by_id"
        f" WHERE x.{told}_id IS NOT NULL ORDER BY x.created_at, x.expired_at, x.id"
    ):
        if chosen is None or chosen.learned(expired_at):
            known = chosen is None or successor_id in chosen.claims
            told_by = {"expired_by": _source(chosen, closer, by), "replaced_by": successor if known else None}
            found.setdefault(row, []).append(compact({"created_at": created_at, "expired_at": expired_at, **told_by}))
    return found


def _relations(db: apsw.Connection, chosen: Chosen | None) -> Iterator[Record]:
    """The definitions; of a part only what is built in, or in use there."""
    used = _used(db, chosen)
    for record in relation_rows(db):
        if used is None or record["created_at"] is None or used & {record["name"], record["inverse"], *record["aliases"]}:
            yield record


def _used(db: apsw.Connection, chosen: Chosen | None) -> set[str] | None:
    """The names of relations that a part has claims of; None for a whole file."""
    if chosen is None:
        return None
    return {name for row, name in db.execute("SELECT id, relation FROM claims") if row in chosen.claims}


def _episodes(db: apsw.Connection, chosen: Chosen | None) -> Iterator[Record]:
    columns = (
        "uuid", "group", "source", "name", "description", "speaker", "content", "metadata", "reference_time",
        "reference_offset", "extract", "created_at", "expired_at", "state", "error", "settings",
    )  # fmt: skip
    selected, gaps = ", ".join(f"e.{column}" for column in columns).replace("e.group", "g.name"), _gaps(db, "episode", chosen)
    for row, *values in db.execute(f"SELECT e.id, {selected} FROM episodes e JOIN groups g ON g.id = e.group_id ORDER BY e.id"):
        if chosen is None or row in chosen.episodes:
            record = dict(zip(columns, values, strict=True))
            record |= {"metadata": json.loads(record["metadata"]), "settings": json.loads(record["settings"])}
            if chosen is not None:  # what a model was to look for, and what a provider said when it failed
                record |= {"settings": None, "error": None}
            yield {"type": "episode", **record, "extract": bool(record["extract"]), "gaps": gaps.get(row)}


def _entities(db: apsw.Connection, chosen: Chosen | None) -> Iterator[Record]:
    query = "SELECT e.id, e.uuid, g.name, e.name, e.created_at FROM entities e JOIN groups g ON g.id = e.group_id ORDER BY e.id"
    for row, uuid, group, name, created_at in db.execute(query):
        if chosen is None or row in chosen.entities:
            yield {"type": "entity", "uuid": uuid, "group": group, "name": name, "created_at": created_at}


def _source(chosen: Chosen | None, row: int | None, uuid: str | None) -> str | None:
    """The uuid of an episode, if it comes along."""
    return uuid if chosen is None or row in chosen.episodes else None


def _of_entity(chosen: Chosen | None, entity: int, episode: int | None, at: int, *, first: bool = False) -> bool:
    """Whether a name or trait comes along."""
    if chosen is None or (episode is not None and episode in chosen.episodes and entity in chosen.entities):
        return True
    return entity in chosen.entities and (first or (entity in chosen.known and chosen.learned(at)))


def _aliases(db: apsw.Connection, chosen: Chosen | None) -> Iterator[Record]:
    gaps = _gaps(db, "alias", chosen)
    for row, entity, uuid, name, episode, source, created_at, expired_at, first in db.execute(
        "SELECT a.id, a.entity_id, e.uuid, a.name, a.episode_id, p.uuid, a.created_at, a.expired_at,"
        " a.episode_id IS NULL AND a.name = e.name FROM aliases a JOIN entities e ON e.id = a.entity_id"
        " LEFT JOIN episodes p ON p.id = a.episode_id ORDER BY a.id"
    ):
        if _of_entity(chosen, entity, episode, created_at, first=bool(first)):
            told = _source(chosen, episode, source)
            dates = {"created_at": created_at, "expired_at": expired_at, "gaps": gaps.get(row)}
            yield {"type": "alias", "entity": uuid, "name": name, "episode": told, **dates}


def _traits(db: apsw.Connection, chosen: Chosen | None) -> Iterator[Record]:
    gaps = _gaps(db, "trait", chosen)
    for row, entity, uuid, kind, attributes, episode, source, created_at, expired_at in db.execute(
        "SELECT t.id, t.entity_id, e.uuid, t.type, t.attributes, t.episode_id, p.uuid, t.created_at, t.expired_at FROM traits t"
        " JOIN entities e ON e.id = t.entity_id LEFT JOIN episodes p ON p.id = t.episode_id ORDER BY t.id"
    ):
        if _of_entity(chosen, entity, episode, created_at):
            told = _source(chosen, episode, source)
            values = {"kind": kind, "attributes": json.loads(attributes), "created_at": created_at, "expired_at": expired_at}
            yield {"type": "trait", "entity": uuid, "episode": told, **values, "gaps": gaps.get(row)}


def _mentions(db: apsw.Connection, chosen: Chosen | None) -> Iterator[Record]:
    for entity, episode, uuid, source, start, end, created_at in db.execute(
        "SELECT m.entity_id, m.episode_id, e.uuid, p.uuid, m.span_start, m.span_end, m.created_at FROM mentions m"
        " JOIN entities e ON e.id = m.entity_id JOIN episodes p ON p.id = m.episode_id"
        " ORDER BY m.episode_id, m.entity_id, m.span_start, m.span_end"
    ):
        if chosen is None or (entity in chosen.entities and episode in chosen.episodes):
            yield {"type": "mention", "entity": uuid, "episode": source, "span": [start, end], "created_at": created_at}


_CLAIM = (
    "SELECT c.id, c.uuid, g.name, c.kind, s.uuid, c.relation, t.uuid, c.fact, c.lead, c.valid_at, c.invalid_at,"
    " c.valid_precision, c.invalid_precision, c.reference_time, c.episode_id, e.uuid, c.span_start, c.span_end, c.attributes,"
    " c.made_by, c.position, c.created_at, c.expired_at, c.expired_by_episode_id, x.uuid, r.id, r.uuid, s.name, t.name"
    " FROM claims c JOIN groups g ON g.id = c.group_id JOIN entities s ON s.id = c.source_id"
    " JOIN entities t ON t.id = c.target_id LEFT JOIN episodes e ON e.id = c.episode_id"
    " LEFT JOIN episodes x ON x.id = c.expired_by_episode_id LEFT JOIN claims r ON r.id = c.replaced_by_id ORDER BY c.id"
)


def _claims(db: apsw.Connection, chosen: Chosen | None) -> Iterator[Record]:
    gaps = _gaps(db, "claim", chosen)
    for row, *values in db.execute(_CLAIM):
        if chosen is None or row in chosen.claims:
            yield {**_claim(values, chosen), "gaps": gaps.get(row)}


def _claim(values: list[Any], chosen: Chosen | None) -> Record:
    uuid, group, kind, source, relation, target, fact, lead, *rest = values
    valid_at, invalid_at, valid_precision, invalid_precision, reference_time, episode_id, episode, start, end, *rest = rest
    attributes, made_by, position, created_at, expired_at, closer_id, closer, successor_id, successor, *names = rest
    if chosen is not None and not chosen.words and episode_id is not None:  # the sentence is the text's
        fact, lead, attributes = None, f"{names[0]} {words(relation)} {names[1]}", "{}"
    if chosen is not None and successor_id not in chosen.claims:
        successor = None
        if expired_at is not None and closer_id not in chosen.episodes and not chosen.learned(expired_at):
            expired_at = None
    told = _source(chosen, episode_id, episode)
    return {
        "type": "claim", "uuid": uuid, "group": group, "kind": kind, "source": source, "relation": relation, "target": target,
        "fact": fact, "lead": lead, "valid_at": valid_at, "invalid_at": invalid_at, "valid_precision": valid_precision,
        "invalid_precision": invalid_precision, "reference_time": reference_time, "episode": told,
        "span": None if start is None or told is None else [start, end], "attributes": json.loads(attributes),
        "made_by": made_by, "position": position, "created_at": created_at, "expired_at": expired_at,
        "expired_by": _source(chosen, closer_id, closer),
        "replaced_by": successor,
    }  # fmt: skip


def _conflicts(db: apsw.Connection, chosen: Chosen | None) -> Iterator[Record]:
    gaps = _gaps(db, "conflict", chosen)
    for row, claim, other, uuid, against, episode, source, created_at, expired_at in db.execute(
        "SELECT f.id, f.claim_id, f.other_id, c.uuid, o.uuid, f.episode_id, p.uuid, f.created_at, f.expired_at FROM conflicts f"
        " JOIN claims c ON c.id = f.claim_id JOIN claims o ON o.id = f.other_id LEFT JOIN episodes p ON p.id = f.episode_id"
        " ORDER BY f.id"
    ):
        if chosen is None or {claim, other} <= chosen.claims:
            told = _source(chosen, episode, source)
            dates = {"created_at": created_at, "expired_at": expired_at, "gaps": gaps.get(row)}
            yield {"type": "conflict", "claim": uuid, "other": against, "episode": told, **dates}


def _merges(db: apsw.Connection, chosen: Chosen | None) -> Iterator[Record]:
    gaps = _gaps(db, "merge", chosen)
    for row, entity, into, uuid, other, episode, source, created_at, expired_at in db.execute(
        "SELECT m.id, m.entity_id, m.into_id, e.uuid, i.uuid, m.episode_id, p.uuid, m.created_at, m.expired_at FROM merges m"
        " JOIN entities e ON e.id = m.entity_id JOIN entities i ON i.id = m.into_id"
        " LEFT JOIN episodes p ON p.id = m.episode_id ORDER BY m.created_at, m.id"
    ):
        if chosen is None or ({entity, into} <= chosen.entities and chosen.learned(created_at)):
            told = _source(chosen, episode, source)
            dates = {"created_at": created_at, "expired_at": expired_at, "gaps": gaps.get(row)}
            yield {"type": "merge", "entity": uuid, "into": other, "episode": told, **dates}


def _moves(db: apsw.Connection, chosen: Chosen | None) -> Iterator[Record]:
    gaps = _gaps(db, "move", chosen)
    for row, claim, entity, uuid, end, to, created_at, expired_at in db.execute(
        "SELECT m.id, m.claim_id, m.entity_id, c.uuid, m.end, e.uuid, m.created_at, m.expired_at FROM moves m"
        " JOIN claims c ON c.id = m.claim_id JOIN entities e ON e.id = m.entity_id ORDER BY m.created_at, m.id"
    ):
        if chosen is None or (claim in chosen.claims and entity in chosen.entities and chosen.learned(created_at)):
            dates = {"created_at": created_at, "expired_at": expired_at, "gaps": gaps.get(row)}
            yield {"type": "move", "claim": uuid, "end": end, "entity": to, **dates}


def _transactions(db: apsw.Connection, chosen: Chosen | None) -> Iterator[Record]:
    """The ticks; of a part only those of the definitions in it, whose reasons are names: the others say why in words.

    That something was imported is a matter of this file.
    """
    names = {record["name"] for record in _relations(db, chosen)} if chosen is not None else set[str]()
    for created_at, verb, group, episode, reason in db.execute(
        "SELECT t.created_at, t.verb, g.name, p.uuid, t.reason FROM transactions t LEFT JOIN groups g ON g.id = t.group_id"
        " LEFT JOIN episodes p ON p.id = t.episode_id WHERE t.verb <> 'import' OR t.detail IS NULL ORDER BY t.created_at, t.id"
    ):
        if chosen is None or (verb == "define" and reason in names):
            said = {"verb": verb, "group": group, "episode": episode, "reason": reason}
            yield {"type": "transaction", "created_at": created_at, **said}


def _model_calls(db: apsw.Connection, _: Chosen | None) -> Iterator[Record]:
    columns = (
        "key", "episode", "purpose", "model", "request", "response", "usable", "prompt_tokens", "completion_tokens", "cost",
        "created_at", "quotes",
    )  # fmt: skip
    selected = ", ".join(f"m.{column}" for column in columns[2:-1])
    quotes = (
        "(SELECT json_group_array(o.uuid ORDER BY o.uuid) FROM model_call_quotes q JOIN episodes o ON o.id = q.episode_id"
        " WHERE q.call_id = m.id)"
    )
    query = (
        f"SELECT m.key, p.uuid, {selected}, {quotes} FROM model_calls m JOIN episodes p ON p.id = m.episode_id ORDER BY m.id"
    )
    for values in db.execute(query):
        record = dict(zip(columns, values, strict=True))
        yield {"type": "model_call", **record, "usable": bool(record["usable"]), "quotes": json.loads(str(record["quotes"]))}


def _vectors(db: apsw.Connection, chosen: Chosen | None) -> Iterator[Record]:
    wanted: dict[str, frozenset[int]] = {}
    if chosen is not None:  # a vector tells of the words that it was made of
        claims = chosen.claims if chosen.words else frozenset[int]()
        wanted = {"episode": chosen.episodes, "claim": claims, "entity": chosen.known}
    for kind, owner, uuid, language, vector in db.execute(
        "SELECT s.kind, coalesce(p.episode_id, p.claim_id, p.entity_id), coalesce(e.uuid, c.uuid, n.uuid), s.language, v.vector"
        " FROM passages p JOIN shelves s ON s.id = p.shelf_id JOIN vectors v ON v.id = p.id"
        " LEFT JOIN episodes e ON e.id = p.episode_id LEFT JOIN claims c ON c.id = p.claim_id"
        " LEFT JOIN entities n ON n.id = p.entity_id ORDER BY p.id"
    ):
        if chosen is None or owner in wanted[str(kind)]:
            text = base64.b64encode(bytes(vector)).decode("ascii")
            yield {"type": "vector", "kind": kind, "uuid": uuid, "language": language, "vector": text}


def _frames(db: apsw.Connection, chosen: Chosen | None) -> Iterator[Record]:
    """How the vectors are compared; a part is compared in its own way."""
    if chosen is not None:
        return
    for kind, group, language, framed, size, frame in db.execute(
        "SELECT s.kind, g.name, s.language, s.framed, s.size, s.frame FROM shelves s JOIN groups g ON g.id = s.group_id"
        " WHERE s.frame IS NOT NULL ORDER BY s.id"
    ):
        text = base64.b64encode(bytes(frame)).decode("ascii")
        place = {"kind": kind, "group": group, "language": language}
        yield {"type": "frame", **place, "framed": framed, "size": size, "frame": text}
