"""What a tool answers: lines that a language model reads well, and the same as fields for programs. Never more than a budget.

Dates are words in the lines ("since May 2024") and ISO text in the fields, as finely as they were stated; nothing is null.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from tkgmem.graph import Entity, Fact, Version
from tkgmem.search.context import tokens
from tkgmem.temporal.period import Moment, Precision, to_datetime
from tkgmem.wording import date_words, entity_line, fact_line, one_line, period_words, stated_day

BUDGET = 2_000
"""Tokens that the lines of an answer cost at most, and its fields about as much."""
LONGEST = 400
"""Characters of a sentence; a longer one is cut."""
_ISO: Mapping[Precision | None, str] = {"year": "", "month": "-{0:%m}", "day": "-{0:%m-%d}"}

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a call gives. text: for the model. fields: the same, by the tool's output schema."""

    text: str
    fields: Mapping[str, Any]


def fitting(items: Sequence[Item], line: Callable[[Item], str], room: int = BUDGET) -> tuple[list[Item], list[str]]:
    """The first items whose lines fit into so many tokens, at least one, and these lines."""
    lines: list[str] = []
    for item in items:
        told = line(item)
        room -= tokens.count(told)
        if lines and room < 0:
            break
        lines.append(told)
    return list(items[: len(lines)]), lines


def left_out(count: int, what: str) -> list[str]:
    """A line that says how many more there are; none for none."""
    return [f"({count} more {what}: ask for something narrower to see them)"] if count > 0 else []


def short(text: str, longest: int = LONGEST) -> str:
    """A text on one line, cut at `longest` characters."""
    line = one_line(text)
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def line_of_fact(fact: Fact | Version, valid_at: dt.datetime | None = None) -> str:
    """A fact with its dates and its uuid, which why and retract take: "- Maya works at Contoso (since May 2024) [uuid]"."""
    return f"- {short(fact_line(fact, valid_at))} [{fact.uuid}]"


def fact_fields(fact: Fact | Version) -> dict[str, Any]:
    """A fact for programs; a bound that is unknown or open is left out."""
    fields = {
        "uuid": fact.uuid,
        "fact": short(fact.fact),
        "source": short(fact.source.name),
        "relation": fact.relation,
        "target": short(fact.target.name),
        "period": period_words(fact),
    }
    if fact.valid_at is not None:
        fields["valid_at"] = iso(fact.valid_at, fact.valid_precision)
    if fact.invalid_at is not None:
        fields["invalid_at"] = iso(fact.invalid_at, fact.invalid_precision)
    return fields


def entity_fields(entity: Entity) -> dict[str, Any]:
    """An entity for programs."""
    fields: dict[str, Any] = {"uuid": entity.uuid, "name": short(entity.name)}
    if entity.aliases:
        fields["aliases"] = [short(alias) for alias in entity.aliases[:20]]
    if entity.type is not None:
        fields["type"] = entity.type
    if entity.attributes and tokens.count(json.dumps(dict(entity.attributes), ensure_ascii=False)) <= LONGEST:
        fields["attributes"] = dict(entity.attributes)
    return fields


def line_of_entity(entity: Entity) -> str:
    """An entity's name, kind and other names, on a line."""
    return short(entity_line(entity))


def iso(value: dt.datetime, precision: Precision | None = "time") -> str:
    """An instant as ISO text in UTC; a year, month or day is that of the calendar it was stated in."""
    utc = value.astimezone(dt.UTC)
    if precision in _ISO:
        day = stated_day(utc)
        return f"{day.year:04}{_ISO[precision].format(day)}"
    return utc.isoformat().replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class Clocks:
    """The two clocks of a question: what holds when, as believed when. None is now, and everything recorded so far."""

    valid_at: Moment | None
    known_at: Moment | None

    @property
    def lines(self) -> list[str]:
        """What was meant, in words, where anything was said of it: so that a misread "last March" shows."""
        told = [
            f"{what} {date_words(to_datetime(moment.micros), moment.precision)}"
            for what, moment in (("what held at", self.valid_at), ("as believed at", self.known_at))
            if moment is not None
        ]
        return [f"({', '.join(told)})"] if told else []

    @property
    def fields(self) -> dict[str, str]:
        """The clocks that were given, as ISO text."""
        given = {"valid_at": self.valid_at, "known_at": self.known_at}
        return {name: iso(to_datetime(moment.micros)) for name, moment in given.items() if moment is not None}


def joined(*parts: Iterable[str]) -> str:
    """Lines of several parts as one text."""
    return "\n".join(line for part in parts for line in part)
