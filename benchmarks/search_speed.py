"""Milliseconds a search takes over 10,000 facts, plain and with both clocks in the past, the question's embedding included.

The facts are those of the histories data with made-up names for bare ids, filled up with made-up ones; without --data all are.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchmarks.datasets import rows
from benchmarks.numbers import mean, spread
from tkgmem import Memory, SearchResult
from tkgmem.protocols import Embedder
from tkgmem.providers.onnx import OnnxEmbedder
from tkgmem.testing import FixedClock

if TYPE_CHECKING:
    from tkgmem.protocols import Vectors

SEED = 5
_FACTS = 10_000
_RELATIONS = {
    "P6": "HEAD_OF_GOVERNMENT", "P17": "COUNTRY", "P35": "HEAD_OF_STATE", "P39": "HOLDS_POSITION", "P54": "PLAYS_FOR",
    "P102": "MEMBER_OF_PARTY", "P108": "WORKS_AT", "P127": "OWNED_BY", "P166": "RECEIVED_AWARD", "P286": "HEAD_COACH",
    "P488": "CHAIR", "P1082": "POPULATION", "P1087": "CHESS_RATING", "P1411": "NOMINATED_FOR",
}  # fmt: skip
_SYLLABLES = ("ba", "den", "ko", "lir", "ma", "nor", "pel", "qua", "ris", "sto", "tan", "ul", "ves", "wim", "yor", "zan")
_TOLD = dt.datetime(2024, 6, 1, tzinfo=dt.UTC)
_STEP = dt.timedelta(hours=1)


class Triple(NamedTuple):
    """A fact to add, in the order of add_fact's arguments."""

    source: str
    relation: str
    target: str
    valid_at: str
    invalid_at: str | None


def run(data: Path | None, quick: bool, *, embedder: Embedder | None = None) -> dict[str, Any]:
    """Add the facts, then ask the same questions plainly and with both clocks, in turn, so that noise hits both alike."""
    facts, questions = (500, 30) if quick else (_FACTS, 240)
    chance = random.Random(SEED)
    triples = chance.sample(list(islice(_triples(data, chance), _FACTS)), facts)
    asked = [_question(triple) for triple in chance.sample(triples, questions)]
    prepared = Prepared(embedder or OnnxEmbedder())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "speed.db"
        clock = FixedClock(_TOLD, step=_STEP)
        with Memory(path, embedder=prepared, clock=clock) as memory:
            ingest = _add(memory, prepared, triples)
            told = clock() - _TOLD
            samples = _measure(memory, asked, told, chance)
        ingest["file_bytes"] = path.stat().st_size
    return {
        "seed": SEED,
        "settings": {"facts": facts, "questions": questions, "embedder": prepared.name},
        "summary": {"search_ms": {name: _summary(found) for name, found in samples.items()}, "ingest": ingest},
        "samples": samples,
    }


class Prepared:
    """An embedder that has embedded many texts beforehand, in bulk, and asks the one behind it for any other."""

    def __init__(self, behind: Embedder) -> None:
        self._behind = behind
        self._vectors: dict[str, Vectors] = {}
        self.name, self.dimension, self.sha256 = behind.name, behind.dimension, behind.sha256

    def prepare(self, texts: Sequence[str]) -> None:
        """Embed these passages now."""
        self._vectors |= zip(texts, self._behind.embed_passages(texts), strict=True)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """As the embedder behind."""
        return [(0, len(text))] if text in self._vectors else self._behind.spans(text)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """The vectors made beforehand where all are known, else those of the embedder behind."""
        if texts and all(text in self._vectors for text in texts):
            return np.stack([self._vectors[text] for text in texts])
        return self._behind.embed_passages(texts)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """As the embedder behind."""
        return self._behind.embed_queries(texts)


def _add(memory: Memory, prepared: Prepared, triples: Sequence[Triple]) -> dict[str, Any]:
    sentences = [_sentence(triple) for triple in triples]
    started = time.perf_counter()
    prepared.prepare(sorted(set(sentences)))
    embedded = time.perf_counter()
    for triple, sentence in zip(triples, sentences, strict=True):
        source, relation, target, valid_at, invalid_at = triple
        memory.add_fact(source, relation, target, fact=sentence, valid_at=valid_at, invalid_at=invalid_at)
    done = time.perf_counter()
    return {
        "facts": memory.stats().facts,
        "embed_seconds": round(embedded - started, 1),
        "add_fact_ms": round((done - embedded) * 1_000 / len(triples), 3),
    }


def _measure(
    memory: Memory, asked: Sequence[str], told: dt.timedelta, chance: random.Random
) -> dict[str, list[dict[str, Any]]]:
    samples: dict[str, list[dict[str, Any]]] = {"plain": [], "both_clocks": []}
    for question in asked[:5]:
        memory.search(question, scopes=("facts",))
    for question in asked:
        clocks = {
            "valid_at": dt.datetime(chance.randint(2010, 2024), chance.randint(1, 12), 1, tzinfo=dt.UTC),
            "known_at": _TOLD + told * chance.uniform(0.3, 1),
        }
        for name, arguments in (("plain", {}), ("both_clocks", clocks)):
            started = time.perf_counter()
            found = memory.search(question, scopes=("facts",), **arguments)
            samples[name].append(_sample((time.perf_counter() - started) * 1_000, found))
    return samples


def _sample(spent: float, found: SearchResult) -> dict[str, Any]:
    stages = {stage: round(value, 3) for stage, value in found.timings.items()}
    return {"ms": round(spent, 3), "hits": len(found.facts), "stages": stages}


def _summary(samples: Sequence[dict[str, Any]]) -> dict[str, Any]:
    stages = {stage for sample in samples for stage in sample["stages"]}
    return {
        "total": spread([sample["ms"] for sample in samples]),
        "hits": mean([sample["hits"] for sample in samples]),
        **{stage: spread([sample["stages"].get(stage, 0.0) for sample in samples]) for stage in sorted(stages)},
    }


def _sentence(triple: Triple) -> str:
    return f"{triple.source} {triple.relation.replace('_', ' ').lower()} {triple.target}"


def _question(triple: Triple) -> str:
    return f"What is the {triple.relation.replace('_', ' ').lower()} of {triple.source}?"


def _triples(data: Path | None, chance: random.Random) -> Iterator[Triple]:
    if data is not None:
        yield from _snapshots(data)
        yield from _intervals(data)
    people = [_name(f"person {number}") for number in range(1_500)]
    places = [_name(f"place {number}") for number in range(400)]
    relations = ("WORKS_AT", "LIVES_IN", "MEMBER_OF_PARTY", "PLAYS_FOR", "OWNED_BY", "CHAIR", "LIKES", "KNOWS")
    while True:
        year = chance.randint(1990, 2024)
        until = str(year + chance.randint(1, 6)) if chance.random() < 0.4 else None
        yield Triple(chance.choice(people), chance.choice(relations), chance.choice(places), str(year), until)


def _snapshots(data: Path) -> Iterator[Triple]:
    """Each answer from the first date that shows it; the questions about a previous holder are left out."""
    for row in rows(data, "histories/snapshots.jsonl.gz"):
        if "currently" not in row["template"]:
            continue
        seen: set[str] = set()
        for day, answers in sorted(row["answers_as_of"].items()):
            for answer in answers:
                if answer not in seen:
                    seen.add(answer)
                    yield Triple(row["subject_label"], _RELATIONS[row["relation"][0]], answer, day, None)


def _intervals(data: Path) -> Iterator[Triple]:
    for row in rows(data, "histories/intervals.jsonl.gz"):
        if row["ordered"]:
            target = _name(row["o"]) if row["o"].startswith("Q") else row["o"]
            until = str(int(row["until"]) + 1)
            yield Triple(_name(row["s"]), _RELATIONS.get(row["r"], row["r"]), target, row["since"], until)


def _name(identifier: str) -> str:
    """A made-up name of two words, always the same for the same identifier."""
    digest = hashlib.blake2b(identifier.encode(), digest_size=6).digest()
    syllables = [_SYLLABLES[byte % len(_SYLLABLES)] for byte in digest]
    return f"{''.join(syllables[:3]).title()} {''.join(syllables[3:]).title()}"
