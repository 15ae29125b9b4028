"""Scores of texts by a language model that puts them in order, all in one request.

Texts are quoted as data and numbered; an answer is obeyed no further than the numbers that were given out.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import resources
from typing import Any

from tkgmem.errors import BadResponse, LLMError
from tkgmem.protocols import LLM, Request

MOST_CHARACTERS = 2_000
"""A longer text, or question, is cut here, and marked with an ellipsis."""

_SCHEMA = {
    "type": "object",
    "properties": {"order": {"type": "array", "items": {"type": "integer"}}},
    "required": ["order"],
    "additionalProperties": False,
}
_DECODER = json.JSONDecoder(strict=False)
_MOST_OBJECTS = 200


class LLMReranker:
    """Lets a language model put texts in the order in which they help to answer a question. Implements `Reranker`.

    llm: any `LLM`, such as `tkgmem.providers.litellm.LiteLLM`. One request is made for each question.
    """

    def __init__(self, llm: LLM) -> None:
        self._llm = llm

    def __repr__(self) -> str:
        return f"LLMReranker({self._llm!r})"

    @property
    def name(self) -> str:
        """The model's name."""
        return self._llm.name

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """The number of texts for the one named first, one less for each that follows, 0 for those that are not named.

        Numbers that were not given out, and repeated ones, are ignored. Raises LLMError where the request failed, BadResponse
        where the answer holds no order, or none of the numbers.
        """
        if isinstance(texts, str):
            raise TypeError("texts must be a list of strings, not one string")
        if not texts:
            return []
        answers = self._llm.complete([_request(query, texts)])
        if len(answers) != 1:
            raise LLMError(f"{self.name} gave {len(answers)} answers to 1 request")
        if isinstance(answers[0], LLMError):
            raise answers[0]
        order = _order(answers[0].text, len(texts))
        return [float(len(texts) - order.index(number)) if number in order else 0.0 for number in range(1, len(texts) + 1)]


def _request(query: str, texts: Sequence[str]) -> Request:
    candidates = [{"id": number, "text": _short(text)} for number, text in enumerate(texts, 1)]
    given = {"question": _short(query), "candidates": candidates}
    prompt = resources.files("tkgmem.providers").joinpath("prompts", "rerank.md").read_text(encoding="utf-8")
    return Request("rerank", prompt.rstrip("\n"), json.dumps(given, ensure_ascii=False, indent=1), _SCHEMA)


def _short(text: str) -> str:
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"


def _order(text: str, count: int) -> list[int]:
    """The numbers from 1 to `count` in the last order that an answer gives, each once. BadResponse if it gives none."""
    orders = [found["order"] for found in _objects(text) if isinstance(found.get("order"), list)]
    if not orders:
        raise BadResponse(f'the answer holds no object {{"order": [...]}}: {text[:80]!r}')
    numbers = [_number(entry) for entry in orders[-1]]
    order = list(dict.fromkeys(number for number in numbers if number is not None and 1 <= number <= count))
    if numbers and not order:
        raise BadResponse(f"none of the ids in the answer was given out: {text[:80]!r}")
    return order


def _objects(text: str) -> list[dict[str, Any]]:
    """The outermost JSON objects in a text, in order."""
    found: list[dict[str, Any]] = []
    position = text.find("{")
    for _ in range(_MOST_OBJECTS):
        if position < 0:
            break
        try:
            value, end = _DECODER.raw_decode(text, position)
            found.append(value)
        except (ValueError, RecursionError):
            end = position + 1
        position = text.find("{", end)
    return found


def _number(entry: object) -> int | None:
    """The whole number that an entry is, or spells."""
    if isinstance(entry, str) and entry.strip().isdecimal() and len(entry) < 10:
        return int(entry)
    return entry if isinstance(entry, int) and not isinstance(entry, bool) else None
