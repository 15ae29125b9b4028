"""A language model that says again what another one said: the model-call log in place of the model."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Protocol

from tkgmem.errors import LLMError
from tkgmem.protocols import Request, Response


class Logged(Protocol):
    """An entry of a model-call log, such as `Memory.model_calls` gives."""

    @property
    def key(self) -> str:
        """The checksum of model and request."""

    @property
    def model(self) -> str:
        """The model's name."""

    @property
    def response(self) -> str:
        """What it said."""


class ReplayLLM:
    """Answers every request that is in a log as it was answered then, and no other; one that was put several times as it was
    answered each time, in order. Implements `LLM`.

    calls: the log, of one model. The same texts added again in the same order with it give the same facts, without a model.
    Raises ValueError if the log is of several models, or empty.
    """

    def __init__(self, calls: Iterable[Logged]) -> None:
        kept = list(calls)
        names = sorted({call.model for call in kept})
        if len(names) != 1:
            raise ValueError(f"a replay needs the log of one model, this one has {', '.join(names) or 'no calls'}")
        self._name = names[0]
        self._said: dict[str, deque[str]] = {}
        for call in kept:
            self._said.setdefault(call.key, deque()).append(call.response)

    @property
    def name(self) -> str:
        """The name of the model that was asked then."""
        return self._name

    def complete(self, requests: Sequence[Request]) -> list[Response | LLMError]:
        """What the log has for each request; an LLMError where it has nothing. It costs no tokens."""
        return [self._answer(request) for request in requests]

    def _answer(self, request: Request) -> Response | LLMError:
        said = self._said.get(request.key(self._name))
        if not said:
            return LLMError(f"the log has no answer of {self._name} to this request to {request.purpose}")
        return Response(said.popleft() if len(said) > 1 else said[0])
