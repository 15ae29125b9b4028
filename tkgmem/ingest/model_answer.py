"""A model's answer as entities and facts. What cannot be understood of it is dropped with a warning; the rest is kept."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tkgmem.graph import ClaimKind, ExtractedEntity, ExtractedFact, Extraction
from tkgmem.ingest.extract_llm import KINDS, Reading
from tkgmem.ingest.model_dates import bounds
from tkgmem.store.names import clean_name, clean_text, name_key
from tkgmem.temporal.relations import normalise_relation

_FIRST_PERSON = frozenset((
    "i", "me", "my", "mine", "myself", "we", "us", "our", "speaker", "我", "我的", "本人", "俺", "咱",
    "我自己", "user",
))  # fmt: skip
_PRONOUNS = frozenset((
    "he", "she", "it", "they", "him", "her", "them", "his", "hers", "its", "their", "this", "that",
    "these", "those", "you", "your", "someone", "something", "他", "她", "它", "他们", "她们", "它们", "你",
    "您", "这", "那",
))  # fmt: skip
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass
class _Reader:
    """Reads one answer. offset: where the piece begins in the content. places: entities by the answer's own ids; unclear: ids
    that it gives to several things. excluded: ids, and excluded_names: names, of what the ontology leaves out.
    """

    content: str
    piece: str
    offset: int
    reading: Reading
    entities: list[ExtractedEntity] = field(default_factory=list)
    facts: list[ExtractedFact] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    own: set[str] = field(default_factory=set)
    unclear: set[str] = field(default_factory=set)
    excluded: set[str] = field(default_factory=set)
    excluded_names: set[str] = field(default_factory=set)

    @cached_property
    def said(self) -> str:
        """The piece, and what was said before, as names are compared."""
        return name_key(" ".join([self.piece, *(text for _, text in self.reading.earlier)]))


def extraction(
    answer: Mapping[str, Sequence[Any]],
    content: str,
    span: tuple[int, int],
    reading: Reading,
    *,
    before: Extraction | None = None,
) -> Extraction:
    """What an answer says of the piece content[span]. before: a first reading that it adds to, whose ids count from 1."""
    reader = _Reader(content, content[slice(*span)], span[0], reading)
    if before is not None:
        reader.entities, reader.facts, reader.warnings = list(before.entities), list(before.facts), list(before.warnings)
        reader.places = {str(place + 1): place for place in range(len(before.entities))}
        reader.excluded_names = set(before.excluded)
    reader.warnings += answer.get("warnings", [])
    for item in answer["entities"]:
        _read_entity(reader, item)
    for item in answer["facts"]:
        _read_fact(reader, item)
    return Extraction(tuple(reader.entities), tuple(reader.facts), tuple(reader.warnings), frozenset(reader.excluded_names))


def _read_entity(reader: _Reader, item: Any) -> None:
    if not isinstance(item, dict) or not isinstance(item.get("name"), str):
        reader.warnings.append(f"dropped an entity without a name: {_short(item)}")
        return
    number, name = _id(item.get("id")) or _id(item["name"]), _named(reader, item["name"])
    if number is None or name is None:
        reader.warnings.append(f"dropped an entity that is no name: {_short(item['name'])}")
        return
    ontology, kind = reader.reading.ontology, item.get("type") if isinstance(item.get("type"), str) else None
    kind = " ".join(kind.split()) or None if kind else None
    if ontology is not None:
        if ontology.excludes(kind):
            reader.excluded.add(number)
            reader.excluded_names.add(name_key(name))
            if kind is None:
                reader.warnings.append(f"dropped {_short(name)}: it has no type, and the ontology is strict")
            return
        defined = ontology.entity(kind)
        kind = defined.name if defined else kind
    aliases = _aliases(reader, item.get("aliases"), name)
    attributes = _attributes(reader, ontology.entity(kind) if ontology else None, item.get("attributes"), name)
    known = reader.places.get(number)
    if known is not None and name_key(reader.entities[known].name) == name_key(name):
        return
    if number in reader.own:
        reader.unclear.add(number)
        reader.warnings.append(
            f"the id {number} stands for several things, {_short(name)} among them: facts with it are dropped"
        )
        return
    reader.own.add(number)  # an id of this answer counts more than one of the first reading
    reader.places[number] = len(reader.entities)
    reader.entities.append(ExtractedEntity(name, kind, aliases, attributes, _find(reader, name)))


def _id(value: object) -> str | None:
    """An id as text; models write 1, "1" or a name."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    return str(value).strip().casefold() or None


def _named(reader: _Reader, name: str) -> str | None:
    """A name as it is kept: the speaker's for a first person; None for a pronoun and what cannot be one."""
    key = name_key(name) if isinstance(name, str) else ""
    if key in _FIRST_PERSON:
        return reader.reading.speaker
    if key in _PRONOUNS:
        return None
    try:
        return clean_name(name)
    except ValueError:
        return None


def _aliases(reader: _Reader, given: Any, name: str) -> tuple[str, ...]:
    """The further names that were really said, here or before."""
    kept: dict[str, str] = {}
    for item in given if isinstance(given, list) else []:
        alias = _named(reader, item) if isinstance(item, str) else None
        if alias is None or name_key(alias) == name_key(name) or name_key(alias) in _FIRST_PERSON | _PRONOUNS:
            continue
        if name_key(alias) in reader.said:
            kept.setdefault(name_key(alias), alias)
        else:
            reader.warnings.append(f"dropped the alias {_short(alias)} of {_short(name)}: the text does not have it")
    return tuple(kept.values())


def _attributes(reader: _Reader, kind: Any, given: Any, of: str) -> dict[str, Any]:
    """The attributes that the ontology lists for this kind and whose values fit."""
    if kind is None or not isinstance(given, dict):
        return {}
    from jsonschema import Draft202012Validator

    kept = {}
    for name, value in given.items():
        schema = kind.attributes.get(name)
        if value is None or schema is None:
            if schema is None:
                reader.warnings.append(
                    f"dropped the attribute {_short(name)} of {_short(of)}: {kind.name} has no such attribute"
                )
            continue
        if Draft202012Validator({"$defs": kind.schema.get("$defs", {}), **schema}).is_valid(value):
            kept[name] = value
        else:
            reader.warnings.append(f"dropped the attribute {_short(name)} of {_short(of)}: {_short(value)} does not fit")
    return kept


def _read_fact(reader: _Reader, item: Any) -> None:
    if not isinstance(item, dict):
        reader.warnings.append(f"dropped a fact that is no object: {_short(item)}")
        return
    ends = [_end(reader, item.get(what)) for what in ("source", "target")]
    if any(isinstance(item.get(what), int | str) and _id(item[what]) in reader.excluded for what in ("source", "target")):
        return
    relation = _relation(reader, item.get("relation"))
    if ends[0] is None or ends[1] is None or relation is None:
        reader.warnings.append(f"dropped a fact without source, relation or target: {_short(item)}")
        return
    source, target = reader.entities[ends[0]], reader.entities[ends[1]]
    if ends[0] == ends[1]:
        reader.warnings.append(f"dropped {source.name} {relation} {target.name}: both ends are the same")
        return
    ontology = reader.reading.ontology
    if ontology is not None and not ontology.allows(relation, source.type, target.type):
        reader.warnings.append(f"dropped {source.name} {relation} {target.name}: the ontology does not allow it")
        return
    kind: ClaimKind = item["kind"] if item.get("kind") in KINDS else "assert"
    sentence = item.get("sentence") if isinstance(item.get("sentence"), str) else ""
    sentence = _cleaned(sentence or "") or f"{source.name} {relation.replace('_', ' ').lower()} {target.name}"
    span = _find(reader, sentence)
    dated = bounds(item, kind, sentence if span is None else reader.content[slice(*span)], reader.reading.reference_time)
    reader.warnings += dated.warnings
    reader.facts.append(
        ExtractedFact(
            kind=kind,
            source=source.name,
            relation=relation,
            target=target.name,
            fact=sentence,
            span=span,
            valid_at=dated.valid_at,
            invalid_at=dated.invalid_at,
            source_span=source.span,
            target_span=target.span,
            source_at=ends[0],
            target_at=ends[1],
            attributes=_attributes(
                reader, ontology.relation(relation) if ontology else None, item.get("attributes"), f"{source.name} {relation}"
            ),
        )
    )


def _end(reader: _Reader, value: object) -> int | None:
    """Which entity an end means: one of the answer by its id or its name, else a name that it did not list."""
    number = _id(value)
    if number is None or number in reader.excluded | reader.unclear:
        return None
    if number in reader.places:
        return reader.places[number]
    name = _named(reader, value) if isinstance(value, str) and not number.lstrip("-").isdigit() else None
    return None if name is None else _by_name(reader, number, name)


def _by_name(reader: _Reader, number: str, name: str) -> int | None:
    """The one entity of this name; one more if there is none."""
    key, ontology = name_key(name), reader.reading.ontology
    if key in reader.excluded_names:
        return None
    same = [place for place, one in enumerate(reader.entities) if key in map(name_key, (one.name, *one.aliases))]
    if not same and not (ontology is not None and ontology.excludes(None)):
        same = [len(reader.entities)]
        reader.entities.append(ExtractedEntity(name, span=_find(reader, name)))
        reader.places[number] = same[0]
    return same[0] if len(same) == 1 else None


def _relation(reader: _Reader, value: object) -> str | None:
    """A relation's name as it is stored, aliases resolved."""
    if not isinstance(value, str):
        return None
    try:
        return reader.reading.table.canonical(normalise_relation(_CAMEL.sub("_", clean_text(value, "relation"))))
    except ValueError:
        return None


def _cleaned(sentence: str) -> str:
    try:
        return clean_text(sentence, "sentence").strip()
    except ValueError:
        return ""


def _find(reader: _Reader, words: str) -> tuple[int, int] | None:
    """Where the words stand in the content, white space and case aside; the piece's own place first."""
    exact = reader.piece.find(words)
    if exact >= 0:
        return reader.offset + exact, reader.offset + exact + len(words)
    pattern = r"\s+".join(re.escape(part) for part in words.split())
    match = re.search(pattern, reader.piece, re.IGNORECASE)
    return None if match is None else (reader.offset + match.start(), reader.offset + match.end())


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return repr(text if len(text) <= 80 else text[:79] + "…")
