"""One question to the language model for one text, or one piece of it.

What the text says is data inside JSON: it cannot leave its place in the question.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tkgmem import answers
from tkgmem.graph import ClaimKind
from tkgmem.ingest.asking import prompt
from tkgmem.ontology import Ontology
from tkgmem.protocols import Purpose, Request
from tkgmem.temporal.relations import Relation, Relations

KINDS: tuple[ClaimKind, ...] = ("assert", "end", "planned")
"""What a fact of an answer may be."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text is read with. earlier: what was said before, oldest first, each with its speaker, None if unknown.

    relations: those to use where one fits. table: all definitions; the ontology's relations are named as it has them.
    """

    reference_time: dt.datetime
    speaker: str | None = None
    earlier: Sequence[tuple[str | None, str]] = ()
    relations: Sequence[Relation] = ()
    table: Relations = field(default_factory=lambda: Relations(()))
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
                            "kind": {"enum": list(KINDS)}, "valid_text": date, "valid_at": date, "invalid_text": date,
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
