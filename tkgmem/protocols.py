"""What a provider must offer: small, batch-first, index-aligned. Any object with these members will do."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from tkgmem.errors import LLMError

if TYPE_CHECKING:  # numpy is loaded with the first vector, not with the package
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    """Rows of unit length, shape (texts, dimension)."""

Clock = Callable[[], dt.datetime]
"""Tells the time as an aware datetime. The only source of system time."""


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors. `name`, `dimension` and `sha256` are its fingerprint, kept in the file."""

    @property
    def name(self) -> str:
        """The model's name, for people."""

    @property
    def dimension(self) -> int:
        """The length of a vector."""

    @property
    def sha256(self) -> str:
        """The checksum of the weights: two embedders with the same one give the same vectors."""

    def spans(self, text: str) -> list[tuple[int, int]]:
        """The character spans [start, end), in order and covering the text, of pieces that each fit the model's window."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """One unit vector per stored text. ValueError if one does not fit the window: cut it along `spans` first."""

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """One unit vector per question; one longer than the window is the mean of its pieces."""


@runtime_checkable
class Reranker(Protocol):
    """Says how well texts answer a question, all in one batch."""

    @property
    def name(self) -> str:
        """The model's name, for people."""

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """One finite number per text, in the same order; higher answers better. Only comparable within one call."""


Purpose = Literal["extract", "reflect", "judge", "rerank", "summarize"]
"""What a language model is asked for: the entities and facts of a text, those that were missed, a decision, an order, words."""


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a language model. It holds no uuid and no key, so that the same input makes the same request.

    system: the instructions. user: the data. schema: the JSON schema of the object that is wanted, for providers that can
    enforce one; the instructions describe it too.
    """

    purpose: Purpose
    system: str
    user: str
    schema: Mapping[str, Any]

    def key(self, model: str) -> str:
        """The checksum of this request to a model: two with the same one ask the same."""
        return hashlib.sha256(f"{model}\n{self.purpose}\n{self.text}".encode()).hexdigest()

    @property
    def text(self) -> str:
        """What is asked, as JSON."""
        asked = {"system": self.system, "user": self.user, "schema": self.schema}
        return json.dumps(asked, ensure_ascii=False, sort_keys=True)


@dataclass(frozen=True, slots=True)
class Response:
    """What a language model said, as it said it. prompt_tokens, completion_tokens: as counted by the provider, 0 where it does
    not say. cost: US dollars, None where the price is unknown. attempts: requests sent, the last one answered.
    """

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    attempts: int = 1


@runtime_checkable
class LLM(Protocol):
    """A language model. Retries, time limits and how many requests run at once are its own affair."""

    @property
    def name(self) -> str:
        """The model's name, kept in the model-call log."""

    def complete(self, requests: Sequence[Request]) -> list[Response | LLMError]:
        """The answer to each request, in the same order. A request that failed for good has its error in its place; the others
        are not affected. An error names no key."""
