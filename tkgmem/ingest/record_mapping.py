"""The mapping from a JSON record to facts: its words, its paths, and what is wrong with a wrong one.

A text is a path if and only if it begins with "$"; any other text means itself. A mapping that passes `check` fails on no
record.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from tkgmem.graph import ClaimKind
from tkgmem.ingest.record_paths import Path, Scalar
from tkgmem.store.names import clean_name
from tkgmem.temporal.period import Moment, parse_moment
from tkgmem.temporal.relations import normalise_relation

_START = re.compile(r"\$(\$|\^*)")
_STEP = re.compile(r"""\.([^.\[\]"'\s]+)|\["((?:[^"\\]|\\.)+)"\]|\[(-?\d+|\*)\]""")
_SLOT = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_SYNTAX = (
    'a path is "$" (the element; without "each" the record), "$^" (the element around it) or "$$" (the record), then .key,'
    ' ["a key"], [0], [-1] or [*]'
)
_DATES = ("valid_at", "invalid_at", "until")
_KEYS = ("each", "where", "unless", "source", "relation", "target", "fact", "kind", "required", "source_type", "target_type",
         "attributes", *_DATES)  # fmt: skip
_SLOTS = ("source", "relation", "target", "valid_at", "invalid_at")


Term = Path | str
"""A place in the record, or a text that means itself."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One checked rule; the fields are the keys that `check` explains. fact: literal texts and slots, in turn."""

    number: int
    source: Term
    relation: Term
    target: Term
    each: Path | None = None
    where: tuple[tuple[Path, tuple[Scalar, ...]], ...] = ()
    unless: tuple[tuple[Path, tuple[Scalar, ...]], ...] = ()
    kind: ClaimKind = "assert"
    valid_at: Path | Moment | None = None
    invalid_at: Path | Moment | None = None
    until: Path | Moment | None = None
    fact: tuple[Term, ...] = ()
    required: bool = False
    source_type: Term | None = None
    target_type: Term | None = None
    attributes: tuple[tuple[str, Term], ...] = ()


def check(mapping: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> tuple[Rule, ...]:
    """The rules of a mapping: one rule or a list of rules, each a JSON object with these keys.

    source, relation, target: a name or a path; a path to several values, or to a list, makes several facts.
    each: a path with [*]: the rule is applied to every element, and "$" in it is the element.
    where: path to a value or a list of values, all of which must match; unless: none of which may. null matches a missing one.
    kind: "assert" (default), "end" (it stopped at invalid_at, by default when it was told) or "planned".
    valid_at, invalid_at: the bounds [start, end), a path or a date. until: instead of invalid_at, the last day, month or year.
    fact: the sentence, with {source}, {relation}, {target}, {valid_at}, {invalid_at} and {$.paths} filled in.
    required: say so whenever source or target is missing. source_type, target_type: what kind of thing each is.
    attributes: names to values or paths, kept with the fact.
    A text that begins with "$" and is no path is written {"text": "$AAPL"}.

    Raises ValueError naming the rule, the key and what is allowed.
    """
    if isinstance(mapping, Mapping):
        mapping = [mapping]
    if isinstance(mapping, str) or not isinstance(mapping, Sequence) or not mapping:
        raise ValueError(
            f"a mapping is a rule or a list of rules, each an object with source, relation and target: {mapping!r}"
        )
    return tuple(_Checker(number).rule(rule) for number, rule in enumerate(mapping, 1))


@dataclass(frozen=True, slots=True)
class _Checker:
    number: int
    depth: int = 0

    def rule(self, given: object) -> Rule:
        if not isinstance(given, Mapping):
            raise self.error("", f"a rule is an object, not {given!r}")
        if unknown := [key for key in given if key not in _KEYS]:
            raise self.error("", f"unknown key {unknown[0]!r}; the keys are {', '.join(_KEYS)}")
        if missing := [key for key in ("source", "relation", "target") if given.get(key) is None]:
            raise self.error(missing[0], "is missing")
        given = {key: value for key, value in given.items() if value is not None}
        each = self.each(given["each"]) if "each" in given else None
        inner = _Checker(self.number, 0 if each is None else each.steps.count(None))
        kind = given.get("kind", "assert")
        if kind not in get_args(ClaimKind):
            raise self.error("kind", f"is one of {', '.join(get_args(ClaimKind))}, not {kind!r}")
        if kind == "end" and "valid_at" in given:
            raise self.error("valid_at", 'an "end" has no start; say in invalid_at when it stopped')
        if "invalid_at" in given and "until" in given:
            raise self.error("until", "give invalid_at or until, not both")
        if not isinstance(required := given.get("required", False), bool):
            raise self.error("required", f"is true or false, not {required!r}")
        types = {key: inner.term(key, given[key]) if key in given else None for key in ("source_type", "target_type")}
        dates = {key: inner.date(key, given[key]) if key in given else None for key in _DATES}
        return Rule(
            self.number,
            each=each,
            kind=kind,
            required=required,
            source=inner.term("source", given["source"]),
            relation=inner.relation(given["relation"]),
            target=inner.term("target", given["target"]),
            where=inner.conditions("where", given.get("where", {})),
            unless=inner.conditions("unless", given.get("unless", {})),
            fact=inner.template(given["fact"]) if "fact" in given else (),
            attributes=inner.attributes(given.get("attributes", {})),
            source_type=types["source_type"],
            target_type=types["target_type"],
            valid_at=dates["valid_at"],
            invalid_at=dates["invalid_at"],
            until=dates["until"],
        )

    def error(self, key: str, what: str) -> ValueError:
        return ValueError(f"mapping rule {self.number}{key and ', '}{key}: {what}")

    def path(self, key: str, text: object) -> Path:
        """A checked path."""
        start = _START.match(text) if isinstance(text, str) else None
        if start is None or not isinstance(text, str):
            raise self.error(key, f"{text!r} is no path; {_SYNTAX}")
        at, steps = start.end(), list[str | int | None]()
        while at < len(text):
            step = _STEP.match(text, at)
            if step is None:
                raise self.error(key, f"{text!r} is no path from character {at} on; {_SYNTAX}")
            name, quoted, index = step.groups()
            steps.append(name or (re.sub(r"\\(.)", r"\1", quoted) if quoted else None if index == "*" else int(index)))
            at = step.end()
        up = None if start[1] == "$" else len(start[1])
        if up is not None and up > self.depth:
            raise self.error(key, f'{text!r} goes out {up} levels, but "each" goes in {self.depth}')
        return Path(text, up, tuple(steps))

    def each(self, text: object) -> Path:
        found = self.path("each", text)
        if None not in found.steps or found.up != 0:
            raise self.error("each", f'{text!r} must begin with "$" and have [*] where the elements are')
        return found

    def term(self, key: str, value: object) -> Term:
        """A path, or a text that means itself."""
        if isinstance(value, Mapping) and list(value) == ["text"]:
            value = value["text"]
        elif isinstance(value, str) and value.startswith("$"):
            return self.path(key, value)
        if not isinstance(value, str) or not value.strip():
            raise self.error(key, f'is a path or a text, not {value!r}; {_SYNTAX}; {{"text": "$5"}} means itself')
        return self.clean(key, value)

    def clean(self, key: str, text: str) -> str:
        try:
            return clean_name(text, "it")
        except ValueError as error:
            raise self.error(key, str(error)) from error

    def relation(self, value: object) -> Term:
        term = self.term("relation", value)
        try:
            return term if isinstance(term, Path) else normalise_relation(term)
        except ValueError as error:
            raise self.error("relation", str(error)) from error

    def date(self, key: str, value: object) -> Path | Moment:
        if isinstance(value, str) and value.startswith("$"):
            return self.path(key, value)
        try:
            return parse_moment(value)  # type: ignore[arg-type]  # it names what is no date
        except ValueError as error:
            raise self.error(key, f"{error}; or a path, which begins with $") from error

    def conditions(self, key: str, value: object) -> tuple[tuple[Path, tuple[Scalar, ...]], ...]:
        if not isinstance(value, Mapping):
            raise self.error(key, f"is an object of paths and values, not {value!r}")
        return tuple((self.path(key, path), self.scalars(key, wanted)) for path, wanted in value.items())

    def scalars(self, key: str, wanted: object) -> tuple[Scalar, ...]:
        values = tuple(wanted) if isinstance(wanted, list | tuple) else (wanted,)
        if bad := [value for value in values if not (value is None or isinstance(value, str | int | float))]:
            raise self.error(key, f"compares with a text, number, true, false or null, or a list of them, not {bad[0]!r}")
        return values

    def template(self, text: object) -> tuple[Term, ...]:
        """Literal texts and slots, in turn: a literal one first and last. A slot is a path, or one of the names in `_SLOTS`."""
        if not isinstance(text, str) or not text.strip():
            raise self.error("fact", f"is a sentence, not {text!r}")
        text = self.clean("fact", text)
        parts: list[Term] = [""]
        at = 0
        for found in _SLOT.finditer(text):
            literal = text[at : found.start()] + (found[0][0] if found[0] in ("{{", "}}") else "")
            parts[-1] = f"{parts[-1]}{literal}"
            at = found.end()
            if found[0] in ("{", "}"):
                raise self.error("fact", f"a lone {found[0]} in {text!r}; write it twice")
            if found[1] is not None:
                parts += [self.slot(found[1]), ""]
        parts[-1] = f"{parts[-1]}{text[at:]}"
        return tuple(parts)

    def slot(self, name: str) -> Term:
        if name.startswith("$"):
            return self.path("fact", name)
        if name not in _SLOTS:
            raise self.error("fact", f"{{{name}}} is neither a path nor one of {', '.join(_SLOTS)}")
        return name

    def attributes(self, value: object) -> tuple[tuple[str, Term], ...]:
        if not isinstance(value, Mapping) or not all(isinstance(name, str) and name for name in value):
            raise self.error("attributes", f"is an object of names and paths or texts, not {value!r}")
        return tuple((name, self.term("attributes", path)) for name, path in value.items())
