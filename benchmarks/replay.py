"""Replay of 500 LoCoMo turns from the file alone: the same facts and versions, without a model, and how long it takes.

Once as the rules read them, and once as a model did whose answers are in the log. The model is made of rules as well, and has
much to say: the longest words of a turn are where its speaker works, what is liked and what was seen; of an open name it takes
the first one that is offered, and every other pair of facts that it is asked about contradicts. So every part of an ingest is
in the log, and a question that the log lacks would be a difference.
"""

from __future__ import annotations

import itertools
import json
import re
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.locomo import conversations, passages
from tkgmem import LLMError, Memory
from tkgmem.protocols import Embedder, Request, Response
from tkgmem.providers.onnx import OnnxEmbedder

TURNS = 500
_QUICK = 60
_RELATIONS = ("WORKS_AT", "LIKES", "SAW")
_WORD = re.compile(r"[a-z]{5,}", re.IGNORECASE)


class _Model:
    """A model that is made of rules, and counts what it is asked. Implements `LLM`."""

    name = "made-of-rules"

    def __init__(self) -> None:
        self.asked = 0

    def complete(self, requests: Sequence[Request]) -> list[Response | LLMError]:
        """What it says to each."""
        self.asked += len(requests)
        return [
            Response(json.dumps(_judged(request) if request.purpose == "judge" else _read(request))) for request in requests
        ]


def _read(request: Request) -> dict[str, Any]:
    given = json.loads(request.user)
    words = sorted(dict.fromkeys(_WORD.findall(given["text"])), key=lambda word: (-len(word), word))[: len(_RELATIONS)]
    names = [given["speaker"], *words]
    facts = [
        {"source": 0, "relation": relation, "target": place, "sentence": given["text"], "kind": "assert"}
        for place, relation in enumerate(_RELATIONS[: len(words)], 1)
    ]
    return {"entities": [{"id": place, "name": name} for place, name in enumerate(names)], "facts": facts}


def _judged(request: Request) -> dict[str, Any]:
    given = json.loads(request.user)
    same = [{"id": one["id"], "same_as": one["candidates"][0]["id"]} for one in given["mentions"] if one["candidates"]]
    return {"mentions": same, "duplicates": [], "contradictions": given["pairs"][::2]}


def run(data: Path | None, quick: bool, *, embedder: Embedder | None = None) -> dict[str, Any]:
    """Tell the turns to a new file, with each reader, and replay it."""
    embedder = OnnxEmbedder() if embedder is None else embedder
    everything = itertools.chain.from_iterable(passages(one) for one in conversations(data))
    turns = list(itertools.islice(everything, _QUICK if quick else TURNS))
    samples = [_replayed(turns, None, embedder), _replayed(turns, _Model(), embedder)]
    return {"settings": {"turns": len(turns)}, "summary": {one["reader"]: one for one in samples}, "samples": samples}


def _replayed(turns: Sequence[dict[str, Any]], model: _Model | None, embedder: Embedder) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "me.db"
        with Memory(path, llm=model, embedder=embedder) as memory:
            started = time.perf_counter()
            memory.add_many(turns)
            told = time.perf_counter() - started
        asked = 0 if model is None else model.asked
        with Memory(path, embedder=embedder) as memory:  # without a model
            started = time.perf_counter()
            report = memory.replay()
            seconds = time.perf_counter() - started
    return {
        "reader": "rules" if model is None else "model",
        "same": report.same,
        "texts": report.episodes,
        "facts": report.facts,
        "versions": report.versions,
        "differences": report.differences,
        "model_calls_then": asked,
        "answers_from_the_log": report.logged,
        "model_calls_in_replay": report.calls if model is None else model.asked - asked,
        "seconds_then": round(told, 2),
        "seconds_in_replay": round(seconds, 2),
    }
