"""What rules leave open, put to a model in one question: which thing a mention is, which facts say the same, which contradict.

The answer is obeyed no further than what was offered, and a contradiction has to pass the guard: same source, and same relation
or same target, at the same time. One statement cannot retire unrelated facts.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tkgmem import answers
from tkgmem.graph import Entity, Fact
from tkgmem.ingest.asking import prompt
from tkgmem.protocols import Request
from tkgmem.store.claims import NewClaim
from tkgmem.store.facts import VersionRecord
from tkgmem.temporal.period import Moment, Precision, to_datetime
from tkgmem.temporal.relations import Relations

_WRITTEN: Mapping[Precision, int] = {"year": 4, "month": 7, "day": 10}
_KEYS = ("mentions", "duplicates", "contradictions")


@dataclass(frozen=True, slots=True)
class Told:
    """The text that the question is about."""

    text: str
    reference_time: str
    speaker: str | None


@dataclass(frozen=True, slots=True)
class OpenMention:
    """A mention (its place in the extraction) and who it may be: entities with some facts about each, and other mentions."""

    place: int
    name: str
    candidates: tuple[tuple[Entity, tuple[Fact, ...]], ...] = ()
    others: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class NewFact:
    """A fact of the text (its place in the extraction), as it is shown to the judge."""

    place: int
    words: str
    sentence: str
    valid_at: Moment | None
    invalid_at: Moment | None


@dataclass(frozen=True, slots=True)
class Judgement:
    """What was decided. same: per mention the uuid of the entity, or the place of the other mention, that it is; None where it
    is something new. duplicates, contradictions: (place of the new fact, uuid of the known one).
    """

    same: Mapping[int, str | int | None] = field(default_factory=dict)
    duplicates: frozenset[tuple[int, str]] = frozenset()
    contradictions: frozenset[tuple[int, str]] = frozenset()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """One question to the judge: what is open in one text."""

    told: Told
    mentions: tuple[OpenMention, ...]
    facts: tuple[NewFact, ...]
    known: tuple[Fact, ...]
    pairs: tuple[tuple[int, str], ...]

    @property
    def is_open(self) -> bool:
        """Whether there is anything to ask."""
        return bool(self.mentions or self.pairs)


@dataclass(frozen=True, slots=True)
class _Numbers:
    """The ids of a question: one row of whole numbers over everything in it."""

    mentions: Mapping[int, int]
    others: Mapping[int, int]
    entities: Mapping[str, int]
    facts: Mapping[int, int]
    known: Mapping[str, int]

    @classmethod
    def of(cls, case: Case) -> _Numbers:
        count = iter(range(1, 1_000_000))
        mentions = {mention.place: next(count) for mention in case.mentions}
        named = {place for mention in case.mentions for place, _ in mention.others}
        others = {place: mentions.get(place) or next(count) for place in sorted(named)}
        entities = [entity.uuid for mention in case.mentions for entity, _ in mention.candidates]
        return cls(
            mentions,
            others,
            {uuid: next(count) for uuid in dict.fromkeys(entities)},
            {fact.place: next(count) for fact in case.facts},
            {fact.uuid: next(count) for fact in case.known},
        )


def request(case: Case) -> Request:
    """The question."""
    numbers = _Numbers.of(case)
    given: dict[str, Any] = {"text": case.told.text, "reference_time": case.told.reference_time}
    if case.told.speaker is not None:
        given["speaker"] = case.told.speaker
    given["mentions"] = [
        {
            "id": numbers.mentions[mention.place],
            "name": mention.name,
            "candidates": [
                *(_shown(numbers.entities[entity.uuid], entity, facts) for entity, facts in mention.candidates),
                *({"id": numbers.others[place], "mention": name} for place, name in mention.others),
            ],
        }
        for mention in case.mentions
    ]
    given["new_facts"] = [_new(numbers.facts[fact.place], fact) for fact in case.facts]
    given["known_facts"] = [_known(numbers.known[fact.uuid], fact) for fact in case.known]
    given["pairs"] = [{"new": numbers.facts[place], "known": numbers.known[uuid]} for place, uuid in case.pairs]
    return Request("judge", prompt("judge"), json.dumps(given, ensure_ascii=False, indent=1), _schema())


def _shown(number: int, entity: Entity, facts: Sequence[Fact]) -> dict[str, Any]:
    shown: dict[str, Any] = {"id": number, "name": entity.name}
    if entity.aliases:
        shown["aliases"] = list(entity.aliases)
    if entity.type is not None:
        shown["type"] = entity.type
    return shown | {"known": [_dated(fact) for fact in facts]}


def _new(number: int, fact: NewFact) -> dict[str, Any]:
    dates = {"valid_at": _moment(fact.valid_at), "invalid_at": _moment(fact.invalid_at)}
    return {"id": number, "fact": fact.words, **dates, "sentence": fact.sentence}


def _known(number: int, fact: Fact) -> dict[str, Any]:
    dates = {
        "valid_at": _date(fact.valid_at, fact.valid_precision),
        "invalid_at": _date(fact.invalid_at, fact.invalid_precision),
    }
    return {"id": number, "fact": _words(fact), **dates, "sentence": fact.fact}


def _words(fact: Fact) -> str:
    return f"{fact.source.name} {fact.relation} {fact.target.name}"


def _dated(fact: Fact) -> str:
    since, until = _date(fact.valid_at, fact.valid_precision), _date(fact.invalid_at, fact.invalid_precision)
    return _words(fact) + (f" since {since}" if since else "") + (f" until {until}" if until else "")


def _moment(moment: Moment | None) -> str | None:
    return None if moment is None else _date(to_datetime(moment.micros), moment.precision)


def _date(value: dt.datetime | None, precision: Precision | None) -> str | None:
    """A date as precise as it was stated."""
    return None if value is None else value.isoformat()[: _WRITTEN.get(precision or "time")]


def _schema() -> dict[str, Any]:
    number = {"type": "integer"}
    mention = {"id": number, "same_as": {"type": ["integer", "null"]}}
    pair = {"new": number, "known": number}
    items: tuple[dict[str, Any], ...] = (mention, pair, pair)
    lists = {
        key: {
            "type": "array",
            "items": {"type": "object", "properties": item, "required": list(item), "additionalProperties": False},
        }
        for key, item in zip(_KEYS, items, strict=True)
    }
    return {"type": "object", "properties": lists, "required": list(_KEYS), "additionalProperties": False}


def parse(text: str, case: Case) -> Judgement:
    """What an answer decides; what was not offered is ignored and reported. BadResponse if the text holds no such object."""
    answer, warnings = answers.read(text, _lists)
    return _decided(answer, case, list(warnings))


def _lists(value: Mapping[str, Any]) -> Mapping[str, Any] | None:
    return value if any(isinstance(value.get(key), list) for key in _KEYS) else None


def _decided(answer: Mapping[str, Any], case: Case, warnings: list[str]) -> Judgement:
    numbers = _Numbers.of(case)
    warnings += [f"the judge's answer has no {key}; taken as none" for key in _KEYS if not isinstance(answer.get(key), list)]
    same: dict[int, str | int | None] = {}
    asked = {numbers.mentions[mention.place]: mention for mention in case.mentions}
    for item in _items(answer, "mentions"):
        mention = asked.get(_id(item.get("id"), asked) or 0)
        if mention is None or mention.place in same:
            warnings.append(f"ignored the judge's answer on a mention that was not asked: {_short(item)}")
            continue
        offered: dict[int, str | int] = {numbers.entities[entity.uuid]: entity.uuid for entity, _ in mention.candidates}
        offered |= {numbers.others[place]: place for place, _ in mention.others}
        names = [(entity.name, numbers.entities[entity.uuid]) for entity, _ in mention.candidates]
        names += [(name, numbers.others[place]) for place, name in mention.others]
        chosen = item.get("same_as")
        if chosen is None:
            same[mention.place] = None
        elif (number := _id(chosen, offered, names)) is not None:
            same[mention.place] = offered[number]
        else:
            warnings.append(f"ignored the judge's answer on {mention.name!r}: {_short(chosen)} was not offered")
    left = [mention.name for mention in case.mentions if mention.place not in same]
    warnings += [f"the judge did not say who {name!r} is" for name in left]
    pairs = {(numbers.facts[place], numbers.known[uuid]): (place, uuid) for place, uuid in case.pairs}
    new, known = ({pair[side] for pair in pairs} for side in (0, 1))
    judged: dict[str, set[tuple[int, str]]] = {"duplicates": set(), "contradictions": set()}
    for key, found in judged.items():
        for item in _items(answer, key):
            pair = pairs.get((_id(item.get("new"), new) or 0, _id(item.get("known"), known) or 0))
            if pair is None:
                warnings.append(f"ignored one of the judge's {key}: {_short(item)} was not offered")
            else:
                found.add(pair)
    contradictions = judged["contradictions"] - judged["duplicates"]
    return Judgement(same, frozenset(judged["duplicates"]), frozenset(contradictions), tuple(warnings))


def _items(answer: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    value = answer.get(key)
    return [item if isinstance(item, dict) else {"answer": item} for item in value] if isinstance(value, list) else []


def _id(value: object, offered: Collection[int], labels: Iterable[tuple[str, int]] = ()) -> int | None:
    """The one offered id that a value stands for."""
    found, _ = answers.ids(value, offered, labels)
    return found[0] if len(found) == 1 else None


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else text[:79] + "…"


def refused(new: NewClaim, known: VersionRecord, table: Relations) -> str | None:
    """Why a judged contradiction is not accepted, None if it is (the guard of judged conflicts).

    The two need the same source, and the same relation (as stored) or the same target, and periods that overlap.
    """
    resolved = table.resolve(new.relation)
    ends = (new.target_id, new.source_id) if resolved.swapped else (new.source_id, new.target_id)
    sides = [ends, ends[::-1]] if resolved.relation.symmetric else [ends]
    if not any(source == known.source for source, _ in sides):
        return "they have different sources"
    same_target = any((source, target) == (known.source, known.target) for source, target in sides)
    if resolved.relation.name != known.relation and not same_target:
        return "they have neither the relation nor the target in common"
    start = new.valid.micros if new.valid else new.reference_time
    if new.kind == "planned" and new.valid is None:
        return "the new one is an announcement without a date"
    after = new.invalid is not None and known.valid_at is not None and new.invalid.micros <= known.valid_at
    before = start is not None and known.invalid_at is not None and known.invalid_at <= start
    return "their times do not overlap" if after or before else None
