"""Facts that came with a text, from whoever read it already: checked wholly before anything is stored, and taken at their word.

Dates may be words ("last March"); they are read in the calendar of the text's reference time.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tkgmem.errors import InvalidPeriod
from tkgmem.graph import ClaimKind, ExtractedEntity, ExtractedFact, Extraction
from tkgmem.store.facts import words
from tkgmem.store.names import clean_mapping, clean_name, clean_text, name_key
from tkgmem.temporal.period import Moment, show
from tkgmem.temporal.relations import normalise_relation

MEMBERS = (
    "source", "relation", "target", "fact", "valid_at", "invalid_at", "planned", "attributes", "source_type", "target_type",
)  # fmt: skip
MOST = 1_000
"""How many facts may come with one text."""
_SHORT = 500
"""A text of so many characters is quoted as a whole, where a fact is in other words."""


def checked(facts: object, reference_time: dt.datetime) -> list[dict[str, Any]]:
    """The facts as plain JSON, as they are kept with the text. ValueError or TypeError names the first that is wrong."""
    if isinstance(facts, str | bytes | Mapping) or not isinstance(facts, Sequence):
        raise ValueError(f"facts is a list of mappings, not {facts!r:.100}")
    if len(facts) > MOST:
        raise ValueError(f"{len(facts)} facts came with one text, the limit is {MOST}; add it in parts")
    kept = []
    for number, fact in enumerate(facts):
        try:
            plain = _plain(fact)
            _read(plain, "", reference_time)
        except (TypeError, ValueError) as error:
            raise type(error)(f"facts[{number}]: {error}") from error
        kept.append(plain)
    return kept


def extraction(facts: Sequence[Mapping[str, Any]], content: str, reference_time: dt.datetime) -> Extraction:
    """Facts that were checked as what was read from the text."""
    entities: list[ExtractedEntity] = []
    places: dict[tuple[str, str | None], int] = {}
    read = []
    for given in facts:
        fact = _read(given, content, reference_time)
        ends = {}
        for end in ("source", "target"):
            kind = given.get(f"{end}_type")
            if kind is not None:
                key = (name_key(given[end]), kind)
                if key not in places:
                    places[key] = len(entities)
                    entities.append(ExtractedEntity(given[end], kind, span=_span(content, given[end])))
                ends[end] = places[key]
        read.append(replace(fact, source_at=ends.get("source"), target_at=ends.get("target")))
    return Extraction(tuple(entities), tuple(read))


def _plain(fact: object) -> dict[str, Any]:
    if not isinstance(fact, Mapping):
        raise ValueError(f"a fact is a mapping with source, relation and target, not {fact!r:.100}")
    if unknown := [name for name in fact if name not in MEMBERS]:
        raise ValueError(f"unknown member {unknown[0]!r}; a fact has {', '.join(MEMBERS)}")
    given = {name: value for name, value in fact.items() if value is not None}
    if missing := [name for name in ("source", "relation", "target") if name not in given]:
        raise ValueError(f"{missing[0]} is missing")
    plain: dict[str, Any] = {name: clean_name(given[name], name) for name in ("source", "target")}
    plain["relation"] = normalise_relation(clean_text(given["relation"], "relation"))
    plain |= {name: _words(given[name], name) for name in ("fact", "source_type", "target_type") if name in given}
    plain |= {name: _date_text(given[name]) for name in ("valid_at", "invalid_at") if name in given}
    if not isinstance(given.get("planned", False), bool):
        raise ValueError(f"planned must be True or False, not {given['planned']!r}")
    if given.get("planned"):
        plain["planned"] = True
    if attributes := clean_mapping(given.get("attributes"), "attributes"):
        plain["attributes"] = dict(attributes)
    return plain


def _words(value: Any, name: str) -> str:
    text = clean_text(value, name)
    if not text.strip():
        raise ValueError(f"{name} is empty; leave it out")
    return text


def _date_text(value: object) -> str:
    if isinstance(value, dt.datetime | dt.date):
        return value.isoformat()
    if isinstance(value, str):
        return clean_text(value, "a date")
    raise ValueError(f"not a date: {value!r}; use text, a date or a datetime")


def _read(given: Mapping[str, Any], content: str, reference_time: dt.datetime) -> ExtractedFact:
    """One fact. ValueError for a date that cannot be read, InvalidPeriod for an end that is not after its start."""
    source, relation, target = given["source"], given["relation"], given["target"]
    if name_key(source) == name_key(target):
        raise ValueError(f"source and target are both {source!r}")
    start, end = (_moment(given, name, reference_time) for name in ("valid_at", "invalid_at"))
    if start is not None and end is not None and end.micros <= start.micros:
        raise InvalidPeriod(
            f"invalid_at {show(end.micros)} is not after valid_at {show(start.micros)}; give a later one or none"
        )
    text = given.get("fact") or f"{source} {words(relation)} {target}"
    whole = (0, len(content)) if len(content) <= _SHORT else None
    return ExtractedFact(
        _kind(given, start, end),
        source,
        relation,
        target,
        text,
        _span(content, text) or whole,
        start,
        end,
        source_span=_span(content, source),
        target_span=_span(content, target),
        attributes=given.get("attributes", {}),
    )


def _kind(given: Mapping[str, Any], start: Moment | None, end: Moment | None) -> ClaimKind:
    """What has only an end tells that something known is over."""
    if given.get("planned"):
        return "planned"
    return "end" if end is not None and start is None else "assert"


def _moment(given: Mapping[str, Any], name: str, reference_time: dt.datetime) -> Moment | None:
    if name not in given:
        return None
    from tkgmem.temporal.spoken import moment_of  # late: the patterns of dates take a while to compile

    try:
        return moment_of(given[name], reference_time, asking=False)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def _span(content: str, told: str) -> tuple[int, int] | None:
    """Where words stand first in the text."""
    at = content.find(told)
    return None if at < 0 else (at, at + len(told))
