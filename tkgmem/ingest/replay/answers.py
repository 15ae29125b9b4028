"""The model-call log in the place of a model: what was said of one text is said again, and nothing else is ever asked."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from tkgmem.errors import LLMError
from tkgmem.protocols import LLM, Request, Response
from tkgmem.store.replayed.happenings import Call


class Log:
    """Answers as the log has it for one text, in order. Implements `LLM`.

    A question that is worded differently now (another version of this package asks in other words) is found by its data, then
    by the piece of text in it. used: how many answers were given. missing: what was asked in vain.
    """

    def __init__(self, model: str, calls: Iterable[Call]) -> None:
        self.name = model
        self.used = 0
        self.missing: list[str] = []
        self._left = [_Kept(call) for call in calls]
        self._given: dict[str, str] = {}
        self.judged = any(kept.call.purpose == "judge" for kept in self._left)

    @property
    def has_more(self) -> bool:
        """Whether answers are left: a text may have been read again after it failed."""
        return bool(self._left)

    def complete(self, requests: Sequence[Request]) -> list[Response | LLMError]:
        """What the log has for each request; an LLMError where it has nothing."""
        return [self._answer(request) for request in requests]

    def _answer(self, request: Request) -> Response | LLMError:
        key = request.key(self.name)
        kept = next((kept for kept in self._left if kept.call.key == key), None)
        if kept is None and key in self._given:
            self.used += 1
            return Response(self._given[key])
        kept = kept or next((kept for kept in self._left if kept.is_like(request, whole=True)), None)
        kept = kept or next((kept for kept in self._left if kept.is_like(request, whole=False)), None)
        if kept is None:
            self.missing.append(request.purpose)
            return LLMError(f"the log has no answer of {self.name} to this request to {request.purpose}")
        self._left.remove(kept)
        self._given[key] = kept.call.response
        self.used += 1
        return Response(kept.call.response)


class _Kept:
    """A call that was not used yet."""

    def __init__(self, call: Call) -> None:
        self.call = call

    def is_like(self, request: Request, *, whole: bool) -> bool:
        """Whether it asks for the same: of all that it is told (whole), or of the same piece of text."""
        if self.call.purpose != request.purpose:
            return False
        told, asked = json.loads(self.call.request).get("user"), request.user
        if whole:
            return bool(told == asked)
        return request.purpose != "judge" and _piece(told) == _piece(asked)


def _piece(told: str) -> object:
    """The piece of text in the data of a question to extract; something that is like nothing where there is none."""
    try:
        return json.loads(told)["text"]
    except (ValueError, TypeError, KeyError):
        return object()


class Counted:
    """A model, with how many requests were put to it. Implements `LLM`."""

    def __init__(self, llm: LLM) -> None:
        self._llm = llm
        self.calls = 0

    @property
    def name(self) -> str:
        """The model's name."""
        return self._llm.name

    def complete(self, requests: Sequence[Request]) -> list[Response | LLMError]:
        """What the model says."""
        self.calls += len(requests)
        return self._llm.complete(requests)
