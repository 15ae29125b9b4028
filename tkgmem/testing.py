"""Doubles for tests of programs that use this package: an embedder without weights and a clock that obeys.

Both are deterministic across runs and machines.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import itertools
import json
import re
import threading
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tkgmem.errors import LLMError
from tkgmem.protocols import Request, Response

if TYPE_CHECKING:
    from tkgmem.protocols import Vectors

_WORD = re.compile(r"\w+")
_DENSE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_WINDOW = 2000


class HashEmbedder:
    """Embeds a text by the hashes of its words, pairs of words, and pieces of words.

    Texts that share words get like vectors; it knows nothing of meaning or of other languages. Case and width are folded, and
    each Chinese, Japanese or Korean character is a word. The window is 2,000 characters. Implements `Embedder`.

    >>> embedder = HashEmbedder()
    >>> tea, green, car = embedder.embed_passages(["Ann drinks tea.", "Ann drinks green tea", "the car broke down"])
    >>> bool(tea @ green > tea @ car), embedder.embed_passages([]).shape
    (True, (0, 64))
    """

    def __init__(self, dimension: int = 64) -> None:
        if dimension < 1:
            raise ValueError(f"dimension must be at least 1, not {dimension}")
        self._dimension = dimension

    @property
    def name(self) -> str:
        """The name: "hash-" and the dimension."""
        return f"hash-{self._dimension}"

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        return self._dimension

    @property
    def sha256(self) -> str:
        """A checksum of the name: the name decides the vectors."""
        return hashlib.sha256(self.name.encode()).hexdigest()

    def spans(self, text: str) -> list[tuple[int, int]]:
        """The spans [start, end) of pieces of at most 2,000 characters, end to end over the text, cut after a space."""
        spans, start = [], 0
        while len(text) - start > _WINDOW:
            space = text.rfind(" ", start + _WINDOW // 2, start + _WINDOW)
            end = start + _WINDOW if space < 0 else space + 1
            spans.append((start, end))
            start = end
        return [*spans, (start, len(text))]

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """One unit vector per text. ValueError naming the first text over 2,000 characters."""
        for index, text in enumerate(texts):
            if len(text) > _WINDOW:
                raise ValueError(
                    f"text {index} has {len(text)} characters, {self.name} takes at most {_WINDOW}; cut it along spans(text)"
                )
        return self._embed(texts)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """One unit vector per question, of any length."""
        return self._embed(texts)

    def _embed(self, texts: Sequence[str]) -> Vectors:
        if isinstance(texts, str):
            raise TypeError("texts must be a list of strings, not one string")
        vectors = np.zeros((len(texts), self._dimension))
        for row, text in enumerate(texts):
            for feature, weight in _features(text):
                digest = hashlib.blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest()
                number = int.from_bytes(digest, "big")
                vectors[row, (number >> 1) % self._dimension] += weight if number & 1 else -weight
            if not vectors[row].any():  # no word at all, or all of them cancelled out
                vectors[row, 0] = 1.0
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def _features(text: str) -> Iterator[tuple[str, float]]:
    """The words of a text, neighbouring pairs of them, and the three-letter pieces of each, with their weights."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = _WORD.findall(_DENSE.sub(r" \g<0> ", folded))
    for word in words:
        yield word, 1.0
        for start in range(len(word) - 3):
            yield f"piece {word[start : start + 3]}", 0.25
    for first, second in itertools.pairwise(words):
        yield f"{first} {second}", 0.5


class ScriptedLLM:
    """A language model that says what it is told to, and keeps what it was asked in `requests`. Implements `LLM`.

    answers: one after another, whatever is asked, or a callable that is given the request. A text is said as it is, a mapping
    or list as JSON; an LLMError is returned as the failure of its request, any other exception is raised. When there are no
    answers left, the request fails.

    >>> model = ScriptedLLM([{"facts": []}, LLMError("busy")])
    >>> ask = Request("extract", "Say what it states.", "Ann moved.", {})
    >>> [getattr(answer, "text", "failed") for answer in model.complete([ask, ask])], len(model.requests)
    (['{"facts": []}', 'failed'], 2)
    """

    def __init__(self, answers: Callable[[Request], object] | Iterable[object], *, name: str = "scripted") -> None:
        self._next = answers if callable(answers) else _one_by_one(answers)
        self._name = name
        self._lock = threading.Lock()
        self.requests: list[Request] = []

    @property
    def name(self) -> str:
        """The name it was given."""
        return self._name

    def complete(self, requests: Sequence[Request]) -> list[Response | LLMError]:
        """The next answers, in order. A word counts as a token."""
        return [self._answer(request) for request in requests]

    def _answer(self, request: Request) -> Response | LLMError:
        with self._lock:
            self.requests.append(request)
            said = self._next(request)
        if isinstance(said, LLMError):
            return said
        if isinstance(said, BaseException):
            raise said
        text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
        return Response(text, len(f"{request.system} {request.user}".split()), len(text.split()))


def _one_by_one(answers: Iterable[object]) -> Callable[[Request], object]:
    left = iter(answers)
    return lambda request: next(left, LLMError(f"no answer is left for a request to {request.purpose}"))


class FixedClock:
    """A clock that stands still, or moves on by `step` after each reading, until told otherwise.

    A naive datetime is UTC. Safe to read from several threads.

    >>> clock = FixedClock(dt.datetime(2024, 3, 5), step=dt.timedelta(seconds=1))
    >>> clock().isoformat(), clock().isoformat()
    ('2024-03-05T00:00:00+00:00', '2024-03-05T00:00:01+00:00')
    >>> clock.set(dt.datetime(2026, 6, 3))
    >>> clock.advance(dt.timedelta(days=1))
    >>> clock().isoformat()
    '2026-06-04T00:00:00+00:00'
    """

    def __init__(self, start: dt.datetime, step: dt.timedelta = dt.timedelta(0)) -> None:
        self._now = _aware(start)
        self._step = step
        self._lock = threading.Lock()

    def __call__(self) -> dt.datetime:
        """The time, as an aware datetime."""
        with self._lock:
            now = self._now
            self._now += self._step
        return now

    def set(self, value: dt.datetime) -> None:
        """Make it the given time, earlier or later."""
        with self._lock:
            self._now = _aware(value)

    def advance(self, delta: dt.timedelta) -> None:
        """Move on by `delta`; a negative one moves back."""
        with self._lock:
            self._now += delta


def _aware(value: dt.datetime) -> dt.datetime:
    return value.replace(tzinfo=dt.UTC) if value.tzinfo is None else value
