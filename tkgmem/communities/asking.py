"""Several things put to a language model in one question, to be summarized, and what it wrote of each.

What the facts and quotes say is data inside JSON: it cannot leave its place. What comes back is cut to one line of plain text.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, NamedTuple

from tkgmem import answers, wording
from tkgmem.protocols import Request
from tkgmem.store.names import searchable

TOGETHER = 8
"""Things that are put in one question at most."""
BUDGET = 6_000
"""Estimated tokens of the things of one question; one alone may cost more."""
_LONGEST_TEXT, _LONGEST_NAME = 1_200, 80
_ABSURD = 20_000
"""Characters from which on an answer is no summary."""
_STOP = re.compile(r"[.!?…](?=\s|$)|[。！？]")


@dataclass(frozen=True, slots=True)
class Thing:
    """What is to be summarized. facts, said: sentences and quotes; where there is a text `so_far`, those that it lacks."""

    kind: str
    name: str
    facts: Sequence[str]
    said: Sequence[str] = ()
    about: str = ""
    members: Sequence[str] = ()
    so_far: str | None = None

    def given(self, number: int) -> dict[str, Any]:
        """As the model is given it, under a number."""
        told = {"about": self.about, "members": self.members, "so_far": self.so_far, "facts": self.facts, "said": self.said}
        return {"id": number, "kind": self.kind, "name": self.name} | {key: value for key, value in told.items() if value}

    @property
    def tokens(self) -> int:
        """About what it costs, rather too many: a token has three bytes or more in most languages."""
        return len(json.dumps(self.given(1), ensure_ascii=False).encode()) // 3


class Told(NamedTuple):
    """What a model wrote of a thing. name: "" where it gave none."""

    name: str
    text: str


def batches(things: Sequence[Thing]) -> Iterator[list[int]]:
    """The places of things that go into one question, in order."""
    some: list[int] = []
    spent = 0
    for place, thing in enumerate(things):
        if some and (len(some) == TOGETHER or spent + thing.tokens > BUDGET):
            yield some
            some, spent = [], 0
        some.append(place)
        spent += thing.tokens
    if some:
        yield some


def request(things: Sequence[Thing], today: dt.datetime) -> Request:
    """The question. Things go by their place in it, from 1."""
    given = {"today": f"{today:%Y-%m-%d}", "things": [thing.given(number) for number, thing in enumerate(things, 1)]}
    system = resources.files("tkgmem.communities").joinpath("prompts", "summarize.md").read_text(encoding="utf-8").rstrip("\n")
    return Request("summarize", system, json.dumps(given, ensure_ascii=False, indent=1), _schema())


def _schema() -> dict[str, Any]:
    """The JSON schema of an answer."""
    text = {"type": "string"}
    entry = {"id": {"type": "integer"}, "name": text, "text": text}
    items = {"type": "object", "properties": entry, "required": list(entry), "additionalProperties": False}
    lists = {"summaries": {"type": "array", "items": items}}
    return {"type": "object", "properties": lists, "required": ["summaries"], "additionalProperties": False}


def parse(text: str, number: int) -> tuple[dict[int, Told], list[str]]:
    """What was written of each of so many things, by place from 0, and warnings. BadResponse if there is no such object."""
    entries, warnings = answers.read(text, _entries, bare="summaries")
    warnings = list(warnings)
    found: dict[int, Told] = {}
    for entry in entries:
        if not isinstance(entry, Mapping):
            warnings.append(f"{entry!r:.60} is no summary")
            continue
        meant, wrong = answers.ids(entry.get("id", 1 if number == 1 else None), range(1, number + 1))
        warnings += wrong
        for one in meant:
            if one - 1 in found:
                warnings.append(f"id {one} is given twice")
            elif (told := _told(entry)) is None:
                warnings.append(f"what was written of id {one} is no summary")
            else:
                found[one - 1] = told
    return found, warnings


def _entries(value: Mapping[str, Any]) -> list[Any] | None:
    entries = value.get("summaries")
    return entries if isinstance(entries, list) else None


def _told(entry: Mapping[str, Any]) -> Told | None:
    """An entry's words as they are kept; None where they are no summary."""
    text, name = entry.get("text"), entry.get("name")
    if not isinstance(text, str) or len(text) > _ABSURD:
        return None
    shown = shortened(wording.one_line(searchable(text)))
    if not any(map(str.isalpha, shown)):
        return None
    name = wording.one_line(searchable(name)) if isinstance(name, str) else ""
    return Told(name if any(map(str.isalnum, name)) and len(name) <= _LONGEST_NAME else "", shown)


def shortened(text: str, most: int = _LONGEST_TEXT) -> str:
    """A text of at most so many characters, cut after a sentence, else after a word.

    >>> shortened("Ana likes tea. She lives in Lisbon.", 20)
    'Ana likes tea.'
    """
    if len(text) <= most:
        return text
    ends = [stop.end() for stop in _STOP.finditer(text, 0, most)]
    if ends and ends[-1] > most // 2:
        return text[: ends[-1]]
    space = text.rfind(" ", most // 2, most - 1)
    return text[: space if space > 0 else most - 1] + "…"
