"""Structured records to facts without a model, by a mapping that says where in the record each part of a fact stands.

No record can fail: what is not there, or is no name or no date, is left out and said. Nothing is guessed.
"""

from __future__ import annotations

import datetime as dt
import itertools
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from tkgmem.graph import ExtractedEntity, ExtractedFact, Extraction
from tkgmem.ingest.record_mapping import Rule, Term, check
from tkgmem.ingest.record_paths import Path, Scalar, Scope, as_text, is_absent, opened, scopes_of, values_at
from tkgmem.store.names import clean_name, clean_text, name_key
from tkgmem.temporal.period import Moment, parse_moment, show, to_datetime, to_micros
from tkgmem.temporal.relations import normalise_relation

_SHOWN = 200
_SECONDS, _MILLISECONDS = range(10**9, 10**10), range(10**12, 10**13)


def extract_records(
    content: str, mapping: Mapping[str, Any] | Sequence[Mapping[str, Any]], reference_time: dt.datetime
) -> Extraction:
    """The facts that a JSON text states, read by a mapping (see `record_mapping.check`), with what was left out and why.

    reference_time: when it was told; dates without an offset are read in its own. A date is ISO text, a year, or Unix time in
    seconds or milliseconds (10 or 13 digits). A bad date is dropped and the fact kept, except where it is all that the fact
    says ("end"). entities: the ends for which the mapping gives a type.

    Raises ValueError for a wrong mapping only.

    >>> rule = {"source": "$.key", "relation": "ASSIGNED_TO", "target": "$.to.name", "valid_at": "$.at"}
    >>> found = extract_records('{"key": "KX-7", "to": {"name": "Ana"}, "at": "2024-05"}', rule, dt.datetime(2024, 6, 1))
    >>> [(fact.fact, show(fact.valid_at.micros)) for fact in found.facts]
    [('KX-7 assigned to Ana', '2024-05-01')]
    """
    rules = check(mapping)
    try:
        record = json.loads(content.removeprefix("\ufeff"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        return Extraction(warnings=(f"not JSON, so the mapping gave no facts: {error or type(error).__name__}",))
    reading = _Reading(content, reference_time.tzinfo or dt.UTC)
    for rule in rules:
        reading.apply(rule, record)
    return reading.result()


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


@dataclass(frozen=True, slots=True)
class _Reading:
    """What was found in one record so far."""

    content: str
    tz: dt.tzinfo
    facts: dict[tuple[object, ...], ExtractedFact] = field(default_factory=dict)
    entities: list[ExtractedEntity] = field(default_factory=list)
    warnings: Counter[str] = field(default_factory=Counter)
    spans: dict[str, tuple[int, int] | None] = field(default_factory=dict)
    indexes: dict[tuple[str, str], int] = field(default_factory=dict)

    def result(self) -> Extraction:
        """All of it; what was said several times is said once, with how often."""
        said = (text if count == 1 else f"{text} ({count} times)" for text, count in self.warnings.items())
        return Extraction(tuple(self.entities), tuple(self.facts.values()), tuple(said))

    def warn(self, rule: Rule, what: str) -> None:
        self.warnings[f"mapping rule {rule.number}: {what if len(what) <= _SHOWN else what[:_SHOWN] + '…'}"] += 1

    def apply(self, rule: Rule, record: Any) -> None:
        """One rule on the whole record. A place that is in no element is said once: it may be a slip in the mapping."""
        scopes = list(scopes_of(rule.each, record))
        if rule.each is not None and not scopes and is_absent(rule.each, record):
            self.warn(rule, f"nothing at {rule.each.text}")
        scopes = [scope for scope in scopes if _applies(rule, scope)]
        for term in (rule.source, rule.relation, rule.target):
            if isinstance(term, Path) and scopes and not any(values_at(term, scope) for scope in scopes):
                self.warn(rule, f"nothing at {term.text}")
        for scope in scopes:
            self.read(rule, scope)

    def read(self, rule: Rule, scope: Scope) -> None:
        """The facts of one element."""
        sources, targets = self.names(rule, "source", rule.source, scope), self.names(rule, "target", rule.target, scope)
        if not sources or not targets:
            return
        dates = self.dates(rule, scope)
        if dates is None:
            return
        for relation in self.relations(rule, scope):
            for source, target in itertools.product(sources, targets):
                places = self.entity(source, rule.source_type, scope), self.entity(target, rule.target_type, scope)
                if name_key(source) == name_key(target) and places[0] == places[1]:
                    self.warn(rule, f"dropped {source} {relation} {target}: both ends are the same")
                else:
                    self.add(rule, scope, source, relation, target, dates)

    def add(
        self, rule: Rule, scope: Scope, source: str, relation: str, target: str, dates: tuple[Moment | None, Moment | None]
    ) -> None:
        sentence = _sentence(rule, scope, source, relation, target, dates)
        attributes = {name: value for name, term in rule.attributes if (value := _attribute(term, scope)) is not None}
        fact = ExtractedFact(
            rule.kind,
            source,
            relation,
            target,
            sentence,
            (0, len(self.content)),
            *dates,
            source_span=self.span(source),
            target_span=self.span(target),
            source_at=self.entity(source, rule.source_type, scope),
            target_at=self.entity(target, rule.target_type, scope),
            attributes=attributes,
        )
        self.facts.setdefault((rule.kind, source, relation, target, sentence, dates, *attributes.items()), fact)

    def names(self, rule: Rule, what: str, term: Term, scope: Scope) -> list[str]:
        """The names a term gives, each once; what is no name is said."""
        if not isinstance(term, Path):
            return [term]
        found: dict[str, None] = {}
        for value in opened(values_at(term, scope)):
            text = as_text(value)
            try:
                if text is None and value is not None:
                    raise ValueError(f"{json.dumps(value)[:60]} is no name; a path to a name ends at a text or number")
                if text:
                    found.setdefault(clean_name(text, what))
            except ValueError as error:
                self.warn(rule, f"no {what} at {term.text}: {error}")
        if not found and rule.required:
            self.warn(rule, f"no {what} at {term.text}, which is required")
        return list(found)

    def relations(self, rule: Rule, scope: Scope) -> list[str]:
        if not isinstance(rule.relation, Path):
            return [rule.relation]
        found: dict[str, None] = {}
        for text in map(as_text, opened(values_at(rule.relation, scope))):
            try:
                found.setdefault(normalise_relation(clean_text(text or "", "relation")))
            except ValueError as error:
                self.warn(rule, f"no relation at {rule.relation.text}: {error}")
        return list(found)

    def dates(self, rule: Rule, scope: Scope) -> tuple[Moment | None, Moment | None] | None:
        """The stated bounds, the end exclusive; None where an ending has lost its date."""
        start = self.date(rule, "valid_at", rule.valid_at, scope)
        end = self.date(rule, "invalid_at", rule.invalid_at, scope)
        if rule.until is not None and (last := self.date(rule, "until", rule.until, scope)):
            end = _after(last, self.tz)
            if end is None:
                self.warn(rule, f"dropped the end {show(last.micros)}: it is the last day of the calendar")
        if rule.kind == "end" and end is None and (rule.invalid_at or rule.until):
            self.warn(rule, "dropped an ending: it has no date")
            return None
        if start is not None and end is not None and end.micros <= start.micros:
            self.warn(rule, f"dropped the end {show(end.micros)}: it is not after the start {show(start.micros)}")
            end = None
        return start, end

    def date(self, rule: Rule, key: str, place: Path | Moment | None, scope: Scope) -> Moment | None:
        if not isinstance(place, Path):
            return place
        values = [value for value in values_at(place, scope) if value is not None and value != ""]
        if not values:
            return None
        try:
            if len(values) > 1:
                raise ValueError(f"{len(values)} values where one date is wanted")
            return _moment(values[0], self.tz)
        except ValueError as error:
            self.warn(rule, f"dropped the {key} at {place.text}: {error}")
            return None

    def span(self, name: str) -> tuple[int, int] | None:
        """Where a name stands first as a whole JSON text."""
        if name not in self.spans:
            at = self.content.find(json.dumps(name, ensure_ascii=False))
            self.spans[name] = None if at < 0 or '"' in name or "\\" in name else (at + 1, at + 1 + len(name))
        return self.spans[name]

    def entity(self, name: str, term: Term | None, scope: Scope) -> int | None:
        """Which of the entities a name with a type is; None without a type."""
        kind = term if not isinstance(term, Path) else next(filter(None, map(_kept, opened(values_at(term, scope)))), None)
        if kind is None:
            return None
        key = (name_key(name), kind)
        if key not in self.indexes:
            self.indexes[key] = len(self.entities)
            self.entities.append(ExtractedEntity(name, kind, span=self.span(name)))
        return self.indexes[key]


def _applies(rule: Rule, scope: Scope) -> bool:
    return all(_matches(scope, *condition) for condition in rule.where) and not any(
        _matches(scope, *condition) for condition in rule.unless
    )


def _matches(scope: Scope, path: Path, wanted: tuple[Scalar, ...]) -> bool:
    """Whether a value there is one of those wanted; true and 1 are two values."""
    found = opened(values_at(path, scope)) or [None]
    return any(value == one and isinstance(value, bool) == isinstance(one, bool) for value in found for one in wanted)


def _attribute(term: Term, scope: Scope) -> Scalar:
    """The first plain value there that can be kept."""
    if not isinstance(term, Path):
        return term
    return next(
        (value for value in opened(values_at(term, scope)) if isinstance(value, bool) or _kept(value) is not None), None
    )


def _kept(value: Any) -> str | None:
    """A text or number as text that can be kept, None for anything else."""
    text = as_text(value)
    try:
        return text and clean_text(text, "a value")
    except ValueError:
        return None


def _moment(value: Any, tz: dt.tzinfo) -> Moment:
    """A date of a record. ValueError names anything else."""
    if isinstance(value, int) and not isinstance(value, bool):
        if value in _SECONDS or value in _MILLISECONDS:
            return Moment(value * (1_000_000 if value in _SECONDS else 1_000), "time")
        value = str(value) if 1_000 <= value <= 9_999 else value
    return parse_moment(value, tz=tz)


def _after(last: Moment, tz: dt.tzinfo) -> Moment | None:
    """The start of the unit after the last one (R8); a time of day is its own end. None at the end of the calendar."""
    try:
        day = to_datetime(last.micros).astimezone(tz)
        if last.precision == "day":
            day += dt.timedelta(days=1)
        elif last.precision == "month":
            day = day.replace(year=day.year + day.month // 12, month=day.month % 12 + 1)
        elif last.precision == "year":
            day = day.replace(year=day.year + 1)
        return Moment(to_micros(day), last.precision)
    except (ValueError, OverflowError):
        return None


def _sentence(
    rule: Rule, scope: Scope, source: str, relation: str, target: str, dates: tuple[Moment | None, Moment | None]
) -> str:
    """The sentence as the mapping words it, else as every fact without a sentence reads."""
    words = relation.replace("_", " ").lower()
    plain = f"{source} {words} {target}"
    start, end = (None if date is None else show(date.micros) for date in dates)
    slots = {"source": source, "relation": words, "target": target, "valid_at": start, "invalid_at": end}
    said = []
    for index, part in enumerate(rule.fact):
        if index % 2 == 0:
            said.append(str(part))
            continue
        filled = [slots[part]] if isinstance(part, str) else list(map(as_text, opened(values_at(part, scope))))
        if not filled or None in filled:
            return plain
        said.append(", ".join(map(str, filled)))
    try:
        return " ".join(clean_text("".join(said), "fact").split()) or plain
    except ValueError:
        return plain
