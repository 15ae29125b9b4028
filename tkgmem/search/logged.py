"""A question with what was found, as an entry of the recall log: rows and options, never the texts that were found."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from typing import Any

from tkgmem.graph import Community, Entity, Episode, Fact, QueryTime, SearchResult
from tkgmem.search.filters import Filters
from tkgmem.search.pipeline import Asked
from tkgmem.search.recipes import Recipe
from tkgmem.store.names import searchable
from tkgmem.store.recalls import LONGEST_QUERY, MOST_HITS, Entry, Kind
from tkgmem.temporal.period import Moment, to_datetime, to_micros

_LONGEST_OPTIONS = 20_000
_CLOCKS = frozenset({"text", "now", "valid_at", "known_at", "groups"})
"""What an entry has of its own."""

Item = Fact | Entity | Episode | Community


def entry(
    asked: Asked,
    found: SearchResult,
    *,
    kind: Kind,
    tick: int,
    given: Sequence[Item] | None = None,
    options: Mapping[str, Any] | None = None,
) -> Entry | None:
    """The entry; None where nothing was ever told. tick: the last change of belief before it was asked.

    given: what was handed on, best first, by default all that was found. options: what was asked for, by default what differs
    from the defaults of a search.
    """
    if found.basis is None:
        return None
    if given is None:
        given = [hit.item for hits in (found.facts, found.entities, found.episodes, found.communities) for hit in hits]
    return Entry(
        kind=kind,
        query=searchable(asked.text)[:LONGEST_QUERY],
        groups=tuple(dict.fromkeys(asked.groups)),
        valid_at=to_micros(found.valid_at),
        known_at=to_micros(found.basis),
        options=_text(_options(asked) if options is None else options, found.query_time),
        facts=_uuids(given, Fact),
        entities=_uuids(given, Entity),
        episodes=_uuids(given, Episode),
        communities=_uuids(given, Community),
        at=to_micros(asked.now),
        tick=tick,
    )


def _uuids(given: Sequence[Item], kind: type[Item]) -> tuple[str, ...]:
    return tuple(item.uuid for item in given if isinstance(item, kind))[:MOST_HITS]


def _options(asked: Asked) -> dict[str, Any]:
    """What differs from the defaults, as JSON has it. What `Filters.of` reads again is written so."""
    plain = Asked(asked.text, 10, asked.now, None, None, asked.groups)
    changed = {field.name: getattr(asked, field.name) for field in fields(Asked) if field.name not in _CLOCKS}
    return {name: _plain(value) for name, value in changed.items() if value != getattr(plain, name)}


def _plain(value: Any) -> Any:
    if isinstance(value, Filters | Recipe):
        held = {field.name: getattr(value, field.name) for field in fields(value)}
        return {name: _plain(one) for name, one in held.items() if one is not None}
    if isinstance(value, Entity):
        return value.uuid
    if isinstance(value, Moment):
        return to_datetime(value.micros).isoformat()
    if isinstance(value, Mapping):
        return {searchable(key): _plain(held) for key, held in value.items()}
    if isinstance(value, str):
        return searchable(value)
    return [_plain(held) for held in value] if isinstance(value, Iterable) else value


def _text(options: Mapping[str, Any], spoken: QueryTime | None) -> str:
    """The options with the time that the question speaks of. Filters that are too long to keep are left out."""
    kept = dict(options)
    if spoken is not None:
        bounds = (None if at is None else to_micros(at) for at in (spoken.valid_at, spoken.valid_until))
        kept["query_time"] = [spoken.words[:LONGEST_QUERY], *bounds]
    text = json.dumps(kept, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    if len(text) > _LONGEST_OPTIONS and "filters" in kept:
        return _text({name: value for name, value in options.items() if name != "filters"}, spoken)
    return text


def spoken_in(options: Mapping[str, Any]) -> QueryTime | None:
    """The time that the question of an entry speaks of."""
    match options.get("query_time"):
        case [str(words), (int() | None) as start, (int() | None) as end]:
            with suppress(OverflowError):  # no date that was ever written
                return QueryTime(words, *(None if at is None else to_datetime(at) for at in (start, end)))
    return None
