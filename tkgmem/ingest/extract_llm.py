"""One question to the language model for one text, and its answer as entities and facts.

What the text says is data inside JSON: it cannot leave its place in the question. What cannot be understood of an answer is
dropped with a warning; the rest is kept.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tkgmem.graph import ClaimKind, ExtractedEntity, ExtractedFact, Extraction
from tkgmem.ingest import answers
from tkgmem.ingest.asking import prompt
from tkgmem.ingest.model_dates import bounds
from tkgmem.ontology import Ontology
from tkgmem.protocols import Purpose, Request
from tkgmem.store.names import clean_name, clean_text, name_key
from tkgmem.temporal.relations import Relation, normalise_relation

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
_KINDS: tuple[ClaimKind, ...] = ("assert", "end", "planned")


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text is read with. earlier: what was said before, oldest first, each with its speaker, None if unknown."""

    reference_time: dt.datetime
    speaker: str | None = None
    earlier: Sequence[tuple[str | None, str]] = ()
    relations: Sequence[Relation] = ()
    ontology: Ontology | None = None
    instructions: str | None = None


def request(text: str, reading: Reading, *, read: Mapping[str, Any] | None = None) -> Request:
    """The question for one text, or one piece of it. read: a first answer, to be asked what it missed."""
    purpose: Purpose = "extract" if read is None else "reflect"
    told = reading.reference_time
    given: dict[str, Any] = {"reference_time": f"{told.isoformat()}, a {told:%A}"}
    if reading.speaker is not None:
        given["speaker"] = reading.speaker
    given["relations"] = [f"{item.name} (one at a time)" if item.functional else item.name for item in reading.relations]
    if reading.ontology is not None:
        given |= _asked(reading.ontology)
    if reading.instructions is not None:
        given["instructions"] = reading.instructions
    if reading.earlier:
        given["earlier"] = [{"speaker": speaker, "text": said} for speaker, said in reading.earlier]
    given["text"] = text
    if read is not None:
        given["read"] = read
    system = prompt("extract") + (prompt("reflect") if read is not None else "")
    return Request(purpose, system, json.dumps(given, ensure_ascii=False, indent=1), _schema(reading.ontology))


def _asked(ontology: Ontology) -> dict[str, Any]:
    spec = ontology.spec()
    types = [{"name": kind["name"], "meaning": kind["description"], "attributes": kind["schema"]} for kind in spec["entities"]]
    relations = [
        {"name": kind["name"], "meaning": kind["description"], "attributes": kind["schema"]} for kind in spec["relations"]
    ]
    asked = {"types": types, "own_relations": relations, "pairs": spec["pairs"], "excluded_types": spec["excluded"]}
    return {key: value for key, value in asked.items() if value} | ({"strict": True} if ontology.strict else {})


def _schema(ontology: Ontology | None) -> dict[str, Any]:
    """The JSON schema of an answer."""
    text, date = {"type": "string"}, {"type": ["string", "null"]}
    entity: dict[str, Any] = {
        "id": {"type": "integer"},
        "name": text,
        "type": date,
        "aliases": {"type": "array", "items": text},
    }
    fact: dict[str, Any] = {"source": {"type": "integer"}, "relation": text, "target": {"type": "integer"}, "sentence": text,
                            "kind": {"enum": list(_KINDS)}, "valid_text": date, "valid_at": date, "invalid_text": date,
                            "invalid_at": date}  # fmt: skip
    if ontology is not None and ontology.entities:
        entity["attributes"] = {"type": "object"}
    if ontology is not None and ontology.relations:
        fact["attributes"] = {"type": "object"}
    lists = {
        name: {
            "type": "array",
            "items": {"type": "object", "properties": item, "required": list(item), "additionalProperties": False},
        }
        for name, item in (("entities", entity), ("facts", fact))
    }
    return {"type": "object", "properties": lists, "required": ["entities", "facts"], "additionalProperties": False}


def parse(text: str) -> dict[str, list[Any]]:
    """The answer's "entities" and "facts", and "warnings" on what was repaired. BadResponse if there is no such object."""
    found, warnings = answers.read(text, _lists, bare="facts")
    return {**found, "warnings": list(warnings)}


def _lists(value: Mapping[str, Any]) -> dict[str, list[Any]] | None:
    """An object with a list of facts and, unless they name their ends, one of entities."""
    entities = value.get("entities", [])
    if not isinstance(value.get("facts"), list) or not (entities is None or isinstance(entities, list)):
        return None
    return {"entities": entities or [], "facts": value["facts"]}


@dataclass(slots=True)
class _Reader:
    """Reads one answer. offset: where the piece begins in the content. places: entities by the answer's own ids."""

    content: str
    piece: str
    offset: int
    reading: Reading
    entities: list[ExtractedEntity] = field(default_factory=list)
    facts: list[ExtractedFact] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    excluded: set[str] = field(default_factory=set)


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
    reader.warnings += answer.get("warnings", [])
    for item in answer["entities"]:
        _read_entity(reader, item)
    for item in answer["facts"]:
        _read_fact(reader, item)
    return Extraction(tuple(reader.entities), tuple(reader.facts), tuple(reader.warnings))


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
            return
        defined = ontology.entity(kind)
        kind = defined.name if defined else kind
    aliases = _aliases(reader, item.get("aliases"), name)
    attributes = _attributes(reader, ontology.entity(kind) if ontology else None, item.get("attributes"), name)
    if number in reader.places:
        if name_key(reader.entities[reader.places[number]].name) != name_key(name):
            reader.warnings.append(f"dropped a second entity with the id {number}: {_short(name)}")
        return
    reader.places[number] = len(reader.entities)
    reader.entities.append(ExtractedEntity(name, kind, aliases, attributes, _find(reader, name)))


def _id(value: object) -> str | None:
    """An id as text; models write 1, "1" or a name."""
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
    said = name_key(" ".join([reader.content, *(text for _, text in reader.reading.earlier)]))
    kept: dict[str, str] = {}
    for item in given if isinstance(given, list) else []:
        alias = _named(reader, item) if isinstance(item, str) else None
        if alias is None or name_key(alias) == name_key(name) or name_key(alias) in _FIRST_PERSON | _PRONOUNS:
            continue
        if name_key(alias) in said:
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
    relation = _relation(item.get("relation"))
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
    kind: ClaimKind = item["kind"] if item.get("kind") in _KINDS else "assert"
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
    if number is None or number in reader.excluded:
        return None
    if number in reader.places:
        return reader.places[number]
    name = _named(reader, value) if isinstance(value, str) and not number.lstrip("-").isdigit() else None
    return None if name is None else _by_name(reader, number, name)


def _by_name(reader: _Reader, number: str, name: str) -> int | None:
    """The one entity of this name; one more if there is none."""
    key, ontology = name_key(name), reader.reading.ontology
    same = [place for place, one in enumerate(reader.entities) if key in map(name_key, (one.name, *one.aliases))]
    if not same and not (ontology is not None and ontology.excludes(None)):
        same = [len(reader.entities)]
        reader.entities.append(ExtractedEntity(name, span=_find(reader, name)))
        reader.places[number] = same[0]
    return same[0] if len(same) == 1 else None


def _relation(value: object) -> str | None:
    try:
        return normalise_relation(_CAMEL.sub("_", clean_text(value, "relation"))) if isinstance(value, str) else None
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
