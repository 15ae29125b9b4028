"""Requests put to a language model, which may be the user's own and raise anything, and what its answers cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tkgmem.errors import LLMError
from tkgmem.protocols import LLM, Request, Response


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
    """What the model answers to each request, in order; an LLMError in the place of one that failed.

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
    if len(responses) != len(requests):
        return [LLMError(f"{llm.name} gave {len(responses)} answers to {len(requests)} requests")] * len(requests)
    return responses
