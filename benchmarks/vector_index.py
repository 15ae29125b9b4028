"""Ways to find the 20 nearest of 10,000 to 1,000,000 vectors: milliseconds, share of the exact ones found, memory, load time.

The vectors are real ones of about 10,000 texts of the data with a little noise, seen from their centre as `store.frames` places
them. "read" is the cost of reading one vector by its row id, which decides what ranking the candidates exactly costs.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw
import numpy as np
import sqlite_vec

from benchmarks.latency import texts_and_questions
from benchmarks.numbers import mean, spread
from tkgmem.protocols import Embedder
from tkgmem.providers.onnx import OnnxEmbedder
from tkgmem.store import frames

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tkgmem.protocols import Vectors

SEED = 13
_SIZES, _MILLION = (10_000, 100_000), 1_000_000
_K, _QUESTIONS, _BITS, _CANDIDATES, _REFINED, _NOISE = 20, 60, 200, 128, 2_048, 0.01

Find = Callable[["Vectors"], Sequence[int]]


class Way(NamedTuple):
    """How the nearest are found. bytes: kept in memory. load: seconds to get there from a file."""

    find: Find
    bytes: int
    load: float


def run(data: Path | None, quick: bool, *, embedder: Embedder | None = None, million: bool = False) -> dict[str, Any]:
    """Compare the ways at each size."""
    sizes = (2_000,) if quick else (*_SIZES, _MILLION) if million else _SIZES
    asking = OnnxEmbedder()
    sentences, questions = texts_and_questions(data)
    sentences, questions = sentences[: 300 if quick else 10_000], questions[: 10 if quick else _QUESTIONS]
    vectors, asked = (embedder or asking).embed_passages(sentences), asking.embed_queries(questions)
    summary, samples = {}, {}
    for size in sizes:
        frame = frames.made(vectors)
        rows = _grown(vectors, size, frame)
        placed = np.stack([frame.question(one, frame.centre) for one in asked])
        with tempfile.TemporaryDirectory() as folder:
            summary[str(size)], samples[str(size)] = _compared(Path(folder) / "vectors.db", rows, placed)
    return {
        "seed": SEED,
        "settings": {"sizes": list(sizes), "texts": len(sentences), "questions": len(questions), "k": _K},
        "summary": summary,
        "samples": samples,
    }


def _grown(vectors: Vectors, size: int, frame: frames.Frame) -> Vectors:
    """So many placed vectors: copies of the given ones, each with its own noise."""
    noise = np.random.default_rng(SEED)
    rows = np.empty((size, vectors.shape[1]), np.float32)
    for start in range(0, size, len(vectors)):
        some = vectors[: size - start]
        some = some + _NOISE * noise.standard_normal(some.shape, dtype=np.float32)
        rows[start : start + len(some)] = frame.placed(some / np.linalg.norm(some, axis=1, keepdims=True))
    return rows


def _compared(path: Path, rows: Vectors, asked: Vectors) -> tuple[dict[str, Any], dict[str, Any]]:
    db = _file(path, rows)
    exact = [set(np.argsort(-(rows @ question), kind="stable")[:_K].tolist()) for question in asked]
    summary: dict[str, Any] = {}
    samples: dict[str, Any] = {}
    for name, way in _ways(db, rows).items():
        found, times = [], []
        for question in (asked[0], *asked):
            started = time.perf_counter()
            found.append(way.find(question))
            times.append(round((time.perf_counter() - started) * 1_000, 3))
        shares = [len(best & set(given)) / _K for best, given in zip(exact, found[1:], strict=True)]
        summary[name] = {
            "ms": spread(times[1:]),
            "recall_20": round(mean(shares) or 0.0, 4),
            "memory_mb": round(way.bytes / 1e6, 1),
            "load_ms": round(way.load * 1_000, 1),
        }
        samples[name] = times[1:]
    chance = np.random.default_rng(SEED).integers(0, len(rows), _CANDIDATES).tolist()
    for name, table in (("vec0", "exact"), ("plain table", "plain")):
        started = time.perf_counter()
        _read(db, table, chance)
        summary[f"read, {name}"] = {"us": round((time.perf_counter() - started) / len(chance) * 1e6, 1)}
    db.close()
    return summary, samples


def _file(path: Path, rows: Vectors) -> apsw.Connection:
    db = apsw.Connection(str(path))
    db.enable_load_extension(True)
    db.load_extension(sqlite_vec.loadable_path())
    size = rows.shape[1]
    db.execute(f"CREATE VIRTUAL TABLE exact USING vec0 (embedding FLOAT[{size}] DISTANCE_METRIC=cosine)")
    db.execute(f"CREATE VIRTUAL TABLE bits USING vec0 (embedding BIT[{size}])")
    db.execute("CREATE TABLE plain (id INTEGER PRIMARY KEY, embedding BLOB)")
    db.execute("CREATE TABLE signatures (id INTEGER PRIMARY KEY, signature BLOB)")
    with db:
        for row, vector in enumerate(rows):
            blob = vector.tobytes()
            db.execute("INSERT INTO exact (rowid, embedding) VALUES (?, ?)", (row, blob))
            db.execute("INSERT INTO plain (id, embedding) VALUES (?, ?)", (row, blob))
            signature = frames.signatures(vector[None]).tobytes()
            db.execute("INSERT INTO bits (rowid, embedding) VALUES (?, vec_bit(?))", (row, signature[: size // 8]))
            db.execute("INSERT INTO signatures (id, signature) VALUES (?, ?)", (row, signature))
    db.execute("PRAGMA cache_size = -65536")
    return db


def _ways(db: apsw.Connection, rows: Vectors) -> dict[str, Way]:
    started = time.perf_counter()
    kept = [blob for (blob,) in db.execute("SELECT signature FROM signatures ORDER BY id")]
    words = np.ascontiguousarray(np.frombuffer(b"".join(kept), "<u8").reshape(len(rows), -1).T)
    signed = time.perf_counter() - started
    started = time.perf_counter()
    blobs: Iterator[bytes] = (blob for (blob,) in db.execute("SELECT embedding FROM plain ORDER BY id"))
    floats = np.frombuffer(b"".join(blobs), np.float32).reshape(len(rows), -1)
    loaded = time.perf_counter() - started

    def vec0(question: Vectors) -> Sequence[int]:
        found = db.execute("SELECT rowid FROM exact WHERE embedding MATCH ? AND k = ?", (question.tobytes(), _K))
        return [row for (row,) in found]

    def vec0_bit(question: Vectors) -> Sequence[int]:
        bits = frames.signatures(question[None]).tobytes()[: len(question) // 8]
        found = db.execute("SELECT rowid FROM bits WHERE embedding MATCH vec_bit(?) AND k = ?", (bits, _BITS))
        return _rescored(db, "exact", question, [row for (row,) in found])

    def in_memory(question: Vectors) -> Sequence[int]:
        likeness = floats @ question
        best = np.argpartition(-likeness, _K)[:_K]
        return [int(row) for row in best]

    def signs(question: Vectors) -> Sequence[int]:
        distances = frames.distances(words, question)
        return _rescored(db, "plain", question, np.argpartition(distances, _CANDIDATES)[:_CANDIDATES].tolist())

    def refined(question: Vectors) -> Sequence[int]:
        distances = frames.distances(words, question)
        closest = np.argpartition(distances, min(_REFINED, len(distances) - 1))[:_REFINED]
        estimates: NDArray[np.float32] = frames.estimates(words[:, closest], question)
        return _rescored(db, "plain", question, closest[np.argsort(-estimates)[:_CANDIDATES]].tolist())

    return {
        "vec0 float32": Way(vec0, 0, 0.0),
        f"vec0 bit, {_BITS} read": Way(vec0_bit, 0, 0.0),
        "numpy float32": Way(in_memory, floats.nbytes, loaded),
        f"signatures, {_CANDIDATES} read": Way(signs, words.nbytes, signed),
        f"signatures, {_REFINED} refined, {_CANDIDATES} read": Way(refined, words.nbytes, signed),
    }


def _read(db: apsw.Connection, table: str, rows: Sequence[int]) -> Vectors:
    blobs = [db.execute(f"SELECT embedding FROM {table} WHERE {_ID[table]} = ?", (row,)).get for row in rows]
    return np.frombuffer(b"".join(blobs), np.float32).reshape(len(rows), -1)


_ID = {"exact": "rowid", "plain": "id"}


def _rescored(db: apsw.Connection, table: str, question: Vectors, rows: Sequence[int]) -> Sequence[int]:
    likeness = _read(db, table, rows) @ question
    return [rows[place] for place in np.argsort(-likeness)[:_K]]
