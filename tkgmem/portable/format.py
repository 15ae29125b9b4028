"""The export format, version 3: one JSON object a line, each with its "type"; instants are microseconds since 1970-01-01 UTC.

A record is as one row of the file, with uuids and names in the place of row numbers; what is unknown, open or empty may be left
out. The same records carry what is merged and shared. `checked` is the gate: nothing that it lets through can break the file.

The first line is a "tkgmem" record, the last an "end" record. Those between come in this order, so that what a record refers to
comes before it, except for a claim's "replaced_by". Every created_at and expired_at is system time: believed from, until. What
has both may have gaps too: stretches in between in which it was taken back (version 1 has none). The recall log, and which rows
an import brought, stay in the file. Passes, communities, members and summaries came with version 3; they are derived, have no
gaps, and are taken in only by a group that keeps none. An export without them is of version 2.

    tkgmem       format, embedder (name, dimension, sha256), vectors (whether they are in it)
    relation     name, functional, inverse, aliases, said (as it was given; exact: not added to what was), created_at (none:
                 built in), expired_at
    episode      uuid, group, source, name, description, speaker, content, metadata, reference_time, reference_offset (seconds
                 east of UTC), extract, created_at, expired_at (taken back), state, error, settings (what its extraction is
                 asked with)
    entity       uuid, group, name, created_at
    alias        entity, name, episode (the text that gave it), created_at, expired_at
    trait        entity, kind, attributes, episode, created_at, expired_at
    mention      entity, episode, span ([first, last) character; [0, 0]: who speaks; [-1, -1]: in other words), created_at
    claim        uuid, group, kind (assert, end, planned), source, relation, target, fact (the sentence), lead (what is searched
                 before it), valid_at, invalid_at, valid_precision, invalid_precision (year, month, day, time), reference_time,
                 episode, span, attributes, made_by, position (in its transaction), created_at, expired_at, expired_by (the
                 episode of the correction that closed it), replaced_by (the claim in its place)
                 A gap of a claim also has expired_by and replaced_by, as they were while it was closed.
    conflict     claim, other, episode, created_at, expired_at: a judge found that they cannot both hold
    merge        entity, into, episode, created_at, expired_at: the one is the other
    move         claim, end (source, target), entity, created_at, expired_at: that end is this entity
    transaction  created_at, verb, group, episode, reason: a change of belief
    pass         group, whole, valid_at, known_at, entities, changed, modularity, created_at: its communities were looked
                 after
    community    uuid, group, created_at, expired_at
    member       community, entity, created_at, expired_at
    summary      group, one of community, entity and conversation (the name of its episodes), name, text, model, valid_at,
                 known_at, created_at, expired_at, facts (pairs of a claim, the first of its fact, and a checksum of the line
                 as it read), entities (that it may name), vector (float32, base64)
    summary_call group, model, prompt_tokens, completion_tokens, cost, created_at
    model_call   key, episode, purpose, model, request, response, usable, prompt_tokens, completion_tokens, cost, created_at,
                 quotes (other episodes whose words are in it)
    vector       kind (episode, claim, entity), uuid, language (script), vector (float32, base64)
    frame        kind, group, language, size, framed, frame: how these vectors are compared
    end          records: how many are between the first and the last
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tkgmem.store.names import clean_mapping, clean_name, clean_text
from tkgmem.store.records import Record, compact
from tkgmem.temporal.period import to_datetime
from tkgmem.temporal.relations import normalise_relation

FORMAT = 3
PLAIN = 2
"""The version of an export without communities and summaries, which an earlier version of this package can read."""

ORDER = (
    "tkgmem", "relation", "episode", "entity", "alias", "trait", "mention", "claim", "conflict", "merge", "move", "transaction",
    "pass", "community", "member", "summary", "summary_call", "model_call", "vector", "frame", "end",
)  # fmt: skip
"""The types of records, in the order they come in."""

__all__ = ["FORMAT", "ORDER", "PLAIN", "Record", "checked", "compact", "in_order"]

_Check = Callable[[Any], bool]


def _one_of(*values: object) -> _Check:
    return lambda value: isinstance(value, str) and value in values


def _text(value: Any) -> bool:
    return isinstance(value, str) and bool(clean_text(value, "text") or True)


def _words(value: Any) -> bool:
    return _text(value) and bool(value.strip())


def _name(value: Any) -> bool:
    return isinstance(value, str) and clean_name(value) == value


def _relation(value: Any) -> bool:
    return isinstance(value, str) and normalise_relation(value) == value


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -(1 << 63) <= value < 1 << 63


def _count(value: Any) -> bool:
    return _whole(value) and value >= 0


def _instant(value: Any) -> bool:
    return _whole(value) and to_datetime(value) is not None


def _offset(value: Any) -> bool:
    return _whole(value) and abs(value) < 86_400


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


def _object(value: Any) -> bool:
    return isinstance(value, Mapping) and clean_mapping(value, "object") is not None


def _span(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_whole, value))


def _names(value: Any) -> bool:
    return isinstance(value, list) and all(map(_relation, value))


def _said(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() - {"exact"} == {"functional", "inverse", "aliases"}
        and value.get("exact", True) is True
        and _flag(value["functional"])
        and (value["inverse"] is None or _relation(value["inverse"]))
        and _names(value["aliases"])
    )


def _gaps(value: Any) -> bool:
    return isinstance(value, list) and all(map(_gap, value))


def _gap(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() <= {"created_at", "expired_at", "expired_by", "replaced_by"}
        and _instant(value.get("created_at"))
        and _instant(value.get("expired_at"))
        and value["created_at"] < value["expired_at"]
        and all(_words(value[name]) for name in ("expired_by", "replaced_by") if value.get(name) is not None)
    )


def _uuids(value: Any) -> bool:
    return isinstance(value, list) and all(map(_words, value))


def _base64(value: Any) -> bool:
    return isinstance(value, str) and base64.b64decode(value, validate=True) is not None


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _modularity(value: Any) -> bool:
    return _number(value) and abs(value) <= 1


def _lines(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(pair, list) and len(pair) == 2 and _uuids(pair) for pair in value)


_PRECISION = _one_of("year", "month", "day", "time")
_DATED = {"created_at!": _instant, "expired_at": _instant, "gaps": _gaps}
_FIELDS: Mapping[str, Mapping[str, _Check]] = {
    "tkgmem": {"format!": _count, "embedder": _object, "vectors": _flag},
    "relation": {
        "name!": _relation, "functional!": _flag, "inverse": _relation, "aliases": _names, "said": _said,
        "created_at": _instant, "expired_at": _instant,
    },
    "episode": {
        "uuid!": _words, "group!": _words, "source!": _one_of("text", "message", "json"), "name": _text, "description": _text,
        "speaker": _text, "content!": _words, "metadata": _object, "reference_time!": _instant, "reference_offset": _offset,
        "extract": _flag, **_DATED, "state": _one_of("pending", "done", "failed"), "error": _text,
        "settings": _object,
    },
    "entity": {"uuid!": _words, "group!": _words, "name!": _name, "created_at!": _instant},
    "alias": {"entity!": _words, "name!": _name, "episode": _words, **_DATED},
    "trait": {"entity!": _words, "episode": _words, "kind": _text, "attributes": _object, **_DATED},
    "mention": {"entity!": _words, "episode!": _words, "span!": _span, "created_at!": _instant},
    "claim": {
        "uuid!": _words, "group!": _words, "kind!": _one_of("assert", "end", "planned"), "source!": _words,
        "relation!": _relation, "target!": _words, "fact": _words, "lead": _words, "valid_at": _instant,
        "invalid_at": _instant, "valid_precision": _PRECISION, "invalid_precision": _PRECISION, "reference_time": _instant,
        "episode": _words, "span": _span, "attributes": _object, "made_by": _words, "position": _count, **_DATED,
        "expired_by": _words, "replaced_by": _words,
    },
    "conflict": {"claim!": _words, "other!": _words, "episode": _words, **_DATED},
    "merge": {"entity!": _words, "into!": _words, "episode": _words, **_DATED},
    "move": {"claim!": _words, "end!": _one_of("source", "target"), "entity!": _words, **_DATED},
    "transaction": {"created_at!": _instant, "verb!": _words, "group": _words, "episode": _words, "reason": _text},
    "pass": {
        "group!": _words, "whole!": _flag, "valid_at!": _instant, "known_at!": _instant,
        "entities!": _count, "changed!": _count, "modularity!": _modularity, "created_at!": _instant,
    },
    "community": {"uuid!": _words, "group!": _words, "created_at!": _instant, "expired_at": _instant},
    "member": {"community!": _words, "entity!": _words, "created_at!": _instant, "expired_at": _instant},
    "summary": {
        "group!": _words, "community": _words, "entity": _words, "conversation": _words, "name!": _text, "text!": _text,
        "model": _words, "valid_at!": _instant, "known_at!": _instant, "created_at!": _instant, "expired_at": _instant,
        "facts": _lines, "entities": _uuids, "vector": _base64,
    },
    "summary_call": {
        "group!": _words, "model!": _words, "prompt_tokens!": _count, "completion_tokens!": _count, "cost": _number,
        "created_at!": _instant,
    },
    "model_call": {
        "key!": _words, "episode!": _words, "purpose!": _words, "model!": _text, "request!": _text, "response!": _text,
        "usable!": _flag, "prompt_tokens": _count, "completion_tokens": _count, "cost": _number, "created_at!": _instant,
        "quotes": _uuids,
    },
    "vector": {"kind!": _one_of("episode", "claim", "entity"), "uuid!": _words, "language!": _words, "vector!": _base64},
    "frame": {
        "kind!": _one_of("episode", "claim", "entity"), "group!": _words, "language!": _words, "framed!": _count,
        "size!": _count, "frame!": _base64,
    },
    "end": {"records!": _count},
}  # fmt: skip
"""Type to fields; "!" marks those that must be there."""
_REPLACED = ("community", "member", "summary")  # another one may take their place at the instant at which they came


def checked(record: object, place: str) -> Record:
    """The record, if it is one of ours and every value is of its kind. ValueError names the place, the field and the value."""
    if not isinstance(record, dict) or record.get("type") not in _FIELDS:
        kind = record.get("type") if isinstance(record, dict) else record
        raise ValueError(f'{place}: no record of a tkgmem export: {_shown(kind)}; a record is an object with a known "type"')
    fields = _FIELDS[record["type"]]
    for field, check in fields.items():
        name, needed = field.rstrip("!"), field.endswith("!")
        value = record.get(name)
        if value is None:
            if needed:
                raise ValueError(f"{place}: {record['type']} without {name!r}")
        elif not _passes(check, value):
            raise ValueError(f"{place}: {record['type']} has an impossible {name!r}: {_shown(value)}")
    if unknown := record.keys() - {"type"} - {field.rstrip("!") for field in fields}:
        raise ValueError(
            f"{place}: {record['type']} has an unknown field {min(unknown)!r}; a later version may have written it"
        )
    _check_periods(record, place)
    return record


def _passes(check: _Check, value: object) -> bool:
    try:
        return check(value)
    except (ValueError, OverflowError):
        return False


def _check_periods(record: Mapping[str, Any], place: str) -> None:
    for start, end in (("valid_at", "invalid_at"), ("created_at", "expired_at")):
        first, last = record.get(start), record.get(end)
        if first is not None and last is not None and (last < first or (last == first and record["type"] not in _REPLACED)):
            raise ValueError(f"{place}: {record['type']} has the empty period from {first} to {last} ({start}, {end})")
    for bound in ("valid", "invalid") if record["type"] == "claim" else ():
        if (record.get(f"{bound}_at") is None) != (record.get(f"{bound}_precision") is None):
            raise ValueError(f"{place}: {record['type']} has one of '{bound}_at' and '{bound}_precision' without the other")
    if record["type"] == "summary" and sum(record.get(of) is not None for of in ("community", "entity", "conversation")) != 1:
        raise ValueError(f"{place}: a summary is of one of community, entity and conversation")
    if record["type"] == "claim" and record["kind"] == "end" and record.get("invalid_at") is None:
        raise ValueError(f"{place}: an end without 'invalid_at'")


def _shown(value: object) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 80 else f"{text[:80]}…"


def in_order(records: Iterable[Record]) -> list[Record]:
    """Records in the order that the format wants, each type in the order given."""
    return sorted(records, key=lambda record: ORDER.index(record["type"]))
