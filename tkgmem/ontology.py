"""What kinds of entity and relation a text is read for: given as pydantic models, kept as plain JSON beside the episode.

The models' JSON schemas are what is asked of a language model and what its answers are checked against.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from tkgmem.temporal.relations import normalise_relation


class Model(Protocol):
    """A pydantic model: its name is the type's, its docstring says what it means, its fields are attributes."""

    __name__: str

    def model_json_schema(self) -> dict[str, Any]:
        """The JSON schema of the model's fields."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A type of entity, or a relation. schema: the JSON schema of its attributes, an object's."""

    name: str
    description: str = ""
    schema: Mapping[str, Any] = field(default_factory=dict)

    @property
    def attributes(self) -> Mapping[str, Any]:
        """The schema of each attribute by name."""
        return dict(self.schema.get("properties", {}))


@dataclass(frozen=True, slots=True)
class Ontology:
    """Entity types and relations to look for.

    entities, relations: pydantic models (a relation's class WorksAt is WORKS_AT), or names alone.
    pairs: which relations may join which types, {("Person", "Company"): ["WORKS_AT"]}; a relation named there joins only those.
    excluded: entity types that are left out, with their facts. strict: nothing but these types and relations.
    Attributes are checked against the models' JSON schema; a value that does not fit is dropped with a warning.

    >>> Ontology(relations=["works at"], pairs={("Person", "Company"): ["works at"]}).allows("WORKS_AT", "Person", "Place")
    False
    """

    entities: Sequence[type[Model] | Kind | str] = ()
    relations: Sequence[type[Model] | Kind | str] = ()
    pairs: Mapping[tuple[str, str], Sequence[str]] = field(default_factory=dict)
    excluded: Sequence[str] = ()
    strict: bool = False

    def __post_init__(self) -> None:
        for what in ("entities", "relations", "excluded"):
            if isinstance(getattr(self, what), str):
                raise ValueError(f"{what} of an ontology is a list, such as [{getattr(self, what)!r}]")
        entities = tuple(_kind(item) for item in self.entities)
        relations = tuple(_kind(item, relation=True) for item in self.relations)
        pairs = {}
        for ends, names in self.pairs.items():
            if not (isinstance(ends, tuple) and len(ends) == 2) or isinstance(names, str):
                raise ValueError(f"pairs of an ontology map (source type, target type) to a list of relations, not {ends!r}")
            pairs[_type_name(ends[0]), _type_name(ends[1])] = tuple(normalise_relation(name) for name in names)
        excluded = tuple(_type_name(name) for name in self.excluded)
        for name, value in (("entities", entities), ("relations", relations), ("pairs", pairs), ("excluded", excluded)):
            object.__setattr__(self, name, value)

    def under(self, canonical: Callable[[str], str]) -> Ontology:
        """The same with every relation under the name that it is stored as."""
        return Ontology(
            entities=self.entities,
            relations=[Kind(canonical(kind.name), kind.description, kind.schema) for kind in self._kinds(self.relations)],
            pairs={ends: [canonical(name) for name in names] for ends, names in self.pairs.items()},
            excluded=self.excluded,
            strict=self.strict,
        )

    def entity(self, name: str | None) -> Kind | None:
        """The entity type of this name, whatever its case."""
        return next((kind for kind in self._kinds(self.entities) if name and kind.name.casefold() == name.casefold()), None)

    def relation(self, name: str) -> Kind | None:
        """The relation of this normalised name."""
        return next((kind for kind in self._kinds(self.relations) if kind.name == name), None)

    def excludes(self, kind: str | None) -> bool:
        """Whether entities of this type are left out."""
        if kind is not None and kind.casefold() in {name.casefold() for name in self.excluded}:
            return True
        return self.strict and bool(self.entities) and self.entity(kind) is None

    def allows(self, relation: str, source: str | None, target: str | None) -> bool:
        """Whether a relation may join entities of these types."""
        if self.strict and self.relations and self.relation(relation) is None:
            return False
        named = [ends for ends, names in self.pairs.items() if relation in names]
        given = ((source or "").casefold(), (target or "").casefold())
        return not named or any((a.casefold(), b.casefold()) == given for a, b in named)

    @staticmethod
    def _kinds(items: Sequence[object]) -> list[Kind]:
        return [item for item in items if isinstance(item, Kind)]

    def spec(self) -> dict[str, Any]:
        """The ontology as plain JSON."""
        return {
            "entities": [_plain(kind) for kind in self._kinds(self.entities)],
            "relations": [_plain(kind) for kind in self._kinds(self.relations)],
            "pairs": [[*ends, list(names)] for ends, names in self.pairs.items()],
            "excluded": list(self.excluded),
            "strict": self.strict,
        }

    @classmethod
    def of(cls, spec: Mapping[str, Any]) -> Ontology:
        """The ontology that `spec` was made from."""
        return cls(
            entities=[Kind(**kind) for kind in spec["entities"]],
            relations=[Kind(**kind) for kind in spec["relations"]],
            pairs={(source, target): names for source, target, names in spec["pairs"]},
            excluded=spec["excluded"],
            strict=spec["strict"],
        )


def _plain(kind: Kind) -> dict[str, Any]:
    return {"name": kind.name, "description": kind.description, "schema": dict(kind.schema)}


def _kind(item: type[Model] | Kind | str, *, relation: bool = False) -> Kind:
    if isinstance(item, str):
        return Kind(normalise_relation(item) if relation else _type_name(item))
    if isinstance(item, Kind):
        _check(item.schema, item.schema, item.name)
        name = normalise_relation(item.name) if relation else _type_name(item.name)
        return Kind(name, item.description, dict(item.schema))
    schema = getattr(item, "model_json_schema", None)
    if not isinstance(item, type) or schema is None:
        raise ValueError(f"an ontology is made of pydantic models or names, not {item!r}")
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", item.__name__) if relation else item.__name__
    whole = schema()
    if "$ref" in whole:  # a model that speaks of itself is given by reference
        whole = {**whole, **whole["$defs"][whole["$ref"].rpartition("/")[2]]}
    kept = {key: value for key, value in whole.items() if key in ("properties", "required", "$defs")}
    _check(kept, kept, item.__name__)
    return Kind(
        normalise_relation(name) if relation else name, inspect.cleandoc(item.__doc__ or ""), json.loads(json.dumps(kept))
    )


def _check(schema: object, whole: Mapping[str, Any], model: str) -> None:
    """ValueError for a schema that nothing can be checked against: a pattern of another dialect, a reference to nowhere."""
    if isinstance(schema, Mapping):
        for key, value in schema.items():
            if key == "pattern" and isinstance(value, str):
                try:
                    re.compile(value)
                except re.error as error:
                    raise ValueError(f"the pattern {value!r} of {model} is none of Python's re: {error}") from error
            if key == "$ref" and (not isinstance(value, str) or value.rpartition("/")[::2] not in _defined(whole)):
                raise ValueError(f"the schema of {model} refers to {value!r}, which it does not define")
            _check(value, whole, model)
    elif isinstance(schema, list):
        for value in schema:
            _check(value, whole, model)


def _defined(whole: Mapping[str, Any]) -> set[tuple[str, str]]:
    return {("#/$defs", name) for name in whole.get("$defs", {})}


def _type_name(name: str) -> str:
    """A type's name without white space around it and with single spaces in it."""
    if not isinstance(name, str) or not name.strip():
        raise ValueError(f"an entity type is a name, not {name!r}")
    return " ".join(name.split())
