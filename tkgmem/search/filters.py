"""What a search may be held to beside its clocks and groups. A filter is part of every candidate query, never applied after."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar, get_args

from tkgmem.graph import Entity
from tkgmem.search.lookup import rows_of
from tkgmem.store import asked as believed
from tkgmem.store import identity, read, relations
from tkgmem.store.clocks import At
from tkgmem.store.comparisons import AttributeCondition, DateCondition, DateName, Scalar
from tkgmem.store.conditions import Conditions
from tkgmem.store.connection import Connection
from tkgmem.store.facts import VersionRecord
from tkgmem.store.names import name_key, searchable
from tkgmem.temporal.period import parse_moment, to_micros
from tkgmem.temporal.relations import Relations, normalise_relation

Name = str | Entity
Value = TypeVar("Value")
_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
_UNKNOWN = ("is", "is not")


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What hits must be: all that is given. None asks nothing; of a list any one is enough, so an empty list fits nothing.

    Each filter acts on the scopes that have what it speaks of, and leaves the others alone; name `scopes` to leave those out.

    =============  ===========================================  ==========================  ==============================
    filter         facts                                        entities                    episodes
    =============  ===========================================  ==========================  ==============================
    relations      stated by one of these names                 -                           -
    not_relations  stated by none of these                      -                           -
    source         read from this entity                        -                           -
    target         read towards this entity                     -                           -
    entity         this entity at either end                    this entity                 that name it
    entity_types   an entity of this type at either end         of this type                -
    dates          valid_at, invalid_at, created_at,            created_at                  created_at, reference_time
                   expired_at
    attributes     `Fact.attributes`                            `Entity.attributes`         `Episode.metadata`
    =============  ===========================================  ==========================  ==============================

    relations: a name or several, with the aliases, inverse and symmetry believed at the asked system time (R12): a fact stored
    as "Bo REPORTS_TO Al" is found, and shown, as "Al MANAGES Bo" by relations="MANAGES", source="Al". not_relations leaves out
    a relation under all its names.
    source, target, entity: a name, uuid or Entity, or several; what nobody is called fits nothing, a name that fits several
    entities of a group raises AmbiguousName when it is used. Merged entities are one.
    entity_types: as believed at the asked system time; case and width do not count.
    dates: a list of alternatives, each a list of comparisons `(date, operator, value)` that must all hold; a plain list of
    comparisons is one alternative. The dates are those that the hit shows. Operators are = != < <= > >= with a date (any date
    argument; "2024" is its first instant), "is" and "is not" with None. An unknown date is different from every date, and
    neither before nor after one. Of a comparison of a date that a scope does not have nothing is asked there.
    attributes: keys (exact, of the top level) to a value or a list of values: text, numbers, booleans, None. 1 is 1.0, but
    neither "1" nor true. A list that is kept fits where one of its elements does. None is null, or no such key.

    >>> Filters(relations="works at", dates=[("valid_at", ">=", "2024")]).relations
    ('WORKS_AT',)
    """

    relations: str | Sequence[str] | None = None
    not_relations: str | Sequence[str] | None = None
    source: Name | Sequence[Name] | None = None
    target: Name | Sequence[Name] | None = None
    entity: Name | Sequence[Name] | None = None
    entity_types: str | Sequence[str] | None = None
    dates: Sequence[Any] | None = None
    attributes: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        """Read every value, once; ValueError names one that cannot be meant."""
        readers: dict[str, Callable[[str, Any], Any]] = {
            "relations": lambda what, value: _several(what, value, _relation),
            "not_relations": lambda what, value: _several(what, value, _relation),
            "source": lambda what, value: _several(what, value, _name),
            "target": lambda what, value: _several(what, value, _name),
            "entity": lambda what, value: _several(what, value, _name),
            "entity_types": lambda what, value: _several(what, value, _text),
            "dates": _alternatives,
            "attributes": _attributes,
        }
        for name, read_value in readers.items():
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, read_value(name, value))

    @classmethod
    def of(cls, given: Filters | Mapping[str, Any] | None) -> Filters | None:
        """Filters from a mapping such as JSON gives, with the same keys; None where nothing is asked."""
        if given is None or isinstance(given, Filters):
            return None if given == cls() else given
        if not isinstance(given, Mapping):
            raise ValueError(f"filters are a Filters or a mapping, not {type(given).__name__}: {given!r}")
        known = [field.name for field in fields(cls)]
        for key in given:
            if key not in known:
                raise ValueError(f"unknown filter {key!r}; use one of {', '.join(known)}")
        return cls.of(cls(**given))

    def resolve(self, db: Connection, at: At) -> Conditions:
        """The conditions on rows, as names, relations and types are believed at the asked system time."""
        table = relations.load(db, at.known_at)
        straight, turned = self._asked(table)
        entities = _rows(db, at, self.entity)
        found = Conditions(
            sources=_rows(db, at, self.source),
            targets=_rows(db, at, self.target),
            entities=entities,
            parts=_parts(db, at, entities or ()),
            straight=straight,
            turned=turned,
            recorded=tuple(sorted({key for name in (*(straight or ()), *turned) for key, _ in table.recorded_as(name)})),
            both=tuple(sorted(definition.name for definition in table if definition.symmetric)),
            excluded=tuple(dict.fromkeys(table.resolve(name).relation.name for name in self.not_relations or ())),
            types=None if self.entity_types is None else believed.spelt(db, self.entity_types, name_key),
            dates=self._dates(),
            attributes=tuple(AttributeCondition(key, values) for key, values in (self.attributes or {}).items()),
        )
        return _with_plans(db, at, _with_merged(db, at, found), table)

    def _asked(self, table: Relations) -> tuple[tuple[str, ...] | None, dict[str, str]]:
        """The stored relations asked for, and those asked for from the other end with the name that reads them from there."""
        if self.relations is None:
            return None, {}
        straight: dict[str, None] = {}
        turned: dict[str, str] = {}
        for name in self.relations:
            resolved = table.resolve(name)
            if resolved.swapped:
                turned.setdefault(resolved.relation.name, table.canonical(name))
            else:
                straight[resolved.relation.name] = None
        return tuple(straight), turned

    def _dates(self) -> tuple[tuple[DateCondition, ...], ...] | None:
        if self.dates is None:
            return None
        return tuple(
            tuple(DateCondition(name, operator, _instant(value)) for name, operator, value in branch) for branch in self.dates
        )


# --- what is given ---


def _several(what: str, value: Any, one: Callable[[str, Any], Value]) -> tuple[Value, ...]:
    """A value or several, each read."""
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return tuple(dict.fromkeys(one(what, item) for item in value))
    if isinstance(value, set | frozenset):
        return tuple(dict.fromkeys(one(what, item) for item in sorted(value, key=repr)))
    return (one(what, value),)


def _text(what: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{what} is text, or a list of texts, not {value!r}")
    return searchable(value)


def _relation(what: str, value: Any) -> str:
    return normalise_relation(_text(what, value))


def _name(what: str, value: Any) -> str:
    if isinstance(value, Entity):
        return value.uuid
    if not isinstance(value, str):
        raise ValueError(f"{what} is a name, a uuid or an Entity, or a list of them, not {value!r}")
    return searchable(value)


def _alternatives(what: str, value: Any) -> tuple[tuple[tuple[str, str, Any], ...], ...]:
    listed = _listed(what, value)
    if listed and all(_is_list(item) and item and isinstance(item[0], str) for item in listed):
        listed = [listed]
    return tuple(tuple(_comparison(item) for item in _listed(what, branch)) for branch in listed)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _listed(what: str, value: Any) -> Sequence[Any]:
    if not _is_list(value):
        raise ValueError(f"{what} is a list of lists of comparisons, such as [[('valid_at', '>=', '2024')]], not {value!r}")
    listed: Sequence[Any] = value
    return listed


def _comparison(given: Any) -> tuple[str, str, Any]:
    if not _is_list(given) or len(given) != 3:
        raise ValueError(
            f"a comparison of a date is (date, operator, value), such as ('valid_at', '>=', '2024'), not {given!r}"
        )
    name, operator, value = given
    if name not in get_args(DateName):
        raise ValueError(f"unknown date {name!r}; use one of {', '.join(get_args(DateName))}")
    if operator not in _COMPARISONS + _UNKNOWN:
        raise ValueError(f"unknown operator {operator!r} for {name}; use one of {', '.join(_COMPARISONS + _UNKNOWN)}")
    if (operator in _UNKNOWN) != (value is None):
        need = (
            "None: it asks whether the date is known"
            if operator in _UNKNOWN
            else "a date; for an unknown one use 'is' or 'is not'"
        )
        raise ValueError(f"{name} {operator} needs {need}, not {value!r}")
    return (name, operator, None if value is None else parse_moment(value))


def _attributes(what: str, value: Any) -> dict[str, tuple[Scalar, ...]]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{what} is a mapping of keys to a value or a list of values, not {value!r}")
    found: dict[str, tuple[Scalar, ...]] = {}
    for key, wanted in value.items():
        if not isinstance(key, str):
            raise ValueError(f"the key of an attribute is text, not {key!r}")
        values = wanted if _is_list(wanted) else [wanted]
        found[searchable(key)] = tuple(_scalar(key, one) for one in values)
    return found


def _scalar(key: str, value: Any) -> Scalar:
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"attribute {key!r} can be no {value!r}: numbers that are kept are finite")
    if value is None or isinstance(value, str | int | float):
        return searchable(value) if isinstance(value, str) else value
    raise ValueError(f"attribute {key!r} is compared with text, a number, a boolean, None, or a list of them, not {value!r}")


# --- what is believed of it ---


def _instant(value: Any) -> int | None:
    return None if value is None else parse_moment(value).micros


def _rows(db: Connection, at: At, names: Any) -> tuple[int, ...] | None:
    return None if names is None else tuple(dict.fromkeys(row for name in names for row in rows_of(db, at, name)))


def _parts(db: Connection, at: At, rows: Sequence[int]) -> tuple[int, ...]:
    who = identity.Identity(db, at.known_at)
    who.load(rows)
    return tuple(part for row in rows for part in who.members(row))


def _with_merged(db: Connection, at: At, asked: Conditions) -> Conditions:
    """What is asked of an entity is asked of the whole: for entities that are several in one, it is looked up here."""
    if asked.types is None and asked.dates is None and not asked.attributes:
        return asked
    wholes = believed.merged(db, at.groups, at.known_at)
    values = read.entities(db, wholes, at.known_at)
    typed = [row for row, value in values.items() if asked.types is not None and value.type in asked.types]
    fitting = [
        row for row, value in values.items() if asked.fits(value, to_micros(value.created_at) if value.created_at else 0)
    ]
    every, some, fit = (tuple(part for row in rows for part in wholes[row]) for rows in (wholes, typed, fitting))
    return replace(asked, merged=every, merged_typed=some, merged_fit=fit)


def _with_plans(db: Connection, at: At, asked: Conditions, table: Relations) -> Conditions:
    """Announcements without a date are claims, kept under the name that they were told by: they are looked up here."""
    about_facts = (asked.sources, asked.targets, asked.entities, asked.straight, asked.types)
    if all(given is None for given in about_facts) and not asked.excluded:
        return asked
    typed: set[int] | None = None
    records = [_stored(record, table) for record in believed.plans(db, at.groups, at.known_at)]
    if asked.types is not None:
        ends = [end for record in records for end in (record.source, record.target)]
        typed = believed.meeting(db, asked.has_type("e.id"), asked.bindings, ends, at.known_at)
    return replace(asked, plans=tuple(record.fact for record in records if _fits(record, asked, typed)))


def _stored(record: VersionRecord, table: Relations) -> VersionRecord:
    """An announcement as it would be stored if it had a date."""
    resolved = table.resolve(record.relation)
    source, target = (record.target, record.source) if resolved.swapped else (record.source, record.target)
    return record._replace(source=source, relation=resolved.relation.name, target=target)


def _fits(record: VersionRecord, asked: Conditions, typed: set[int] | None) -> bool:
    ends = {record.source, record.target}
    triple = (record.source, record.relation, record.target)
    return (
        (asked.from_stored_end(*triple) or asked.from_other_end(*triple))
        and record.relation not in asked.excluded
        and (asked.entities is None or not ends.isdisjoint(asked.entities))
        and (typed is None or not ends.isdisjoint(typed))
    )
