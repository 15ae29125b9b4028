"""Requests put to a language model, which may be the user's own and raise anything, and what its answers cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tkgmem.errors import LLMError
from tkgmem.protocols import LLM, Request, Response

_MOST = 1 << 53
"""Tokens, or dollars, of one answer past which a number is none: sums of them stay whole numbers that the file can keep."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What model calls cost: how many were answered, their tokens, and US dollars, None where no price is known."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None

    def __add__(self, other: Spent) -> Spent:
        costs = [cost for cost in (self.cost, other.cost) if cost is not None]
        return Spent(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            sum(costs) if costs else None,
        )


def complete(llm: LLM, requests: Sequence[Request], *, alone: bool = True) -> Sequence[Response | LLMError]:
    """What the model answers to each request, in order; an LLMError in the place of one that failed, or is no answer.

    alone: where it raises, put each request to it alone, and it fails alone; else all of them have failed.
    """
    try:
        responses = llm.complete(requests)
    except Exception as error:  # a model of the user's own may raise anything; the reason is kept beside the text
        if len(requests) > 1 and alone:
            return [answer for request in requests for answer in complete(llm, [request])]
        failure = LLMError(f"{type(error).__name__}: {error}")
        failure.__cause__ = error
        return [failure] * len(requests)
    if not isinstance(responses, list | tuple):
        wrong = f"{llm.name} gave {_kind(responses)}, not a list; give a Response or an LLMError for each request, in order"
        return [LLMError(wrong)] * len(requests)
    if len(responses) != len(requests):
        return [LLMError(f"{llm.name} gave {len(responses)} answers to {len(requests)} requests")] * len(requests)
    return [_checked(llm, response) for response in responses]


def _checked(llm: LLM, answer: object) -> Response | LLMError:
    """The answer, if it can be read and kept; else an LLMError that says what is wrong with it."""
    if isinstance(answer, LLMError):
        return answer
    if not isinstance(answer, Response):
        return LLMError(f"{llm.name} gave {_kind(answer)} as an answer; give a Response, or an LLMError if it failed")
    if not isinstance(answer.text, str):
        return LLMError(f"{llm.name} gave {_kind(answer.text)} as the text of an answer; give what the model said")
    for what, count in (("prompt_tokens", answer.prompt_tokens), ("completion_tokens", answer.completion_tokens)):
        if type(count) is not int or not 0 <= count <= _MOST:
            return LLMError(f"{llm.name} gave {_kind(count)} as {what}; give a whole number from 0 to 2**53, 0 if unknown")
    if answer.cost is not None and not (type(answer.cost) in {int, float} and 0 <= answer.cost <= _MOST):
        return LLMError(f"{llm.name} gave {_kind(answer.cost)} as cost; give US dollars, None if unknown")
    return answer


def _kind(value: object) -> str:
    """What a value is: only numbers as themselves, for of the rest a log should show nothing."""
    if type(value) is float or (type(value) is int and abs(value) < 1 << 64):
        return repr(value)
    return "None" if value is None else f"a value of type {type(value).__name__}"
