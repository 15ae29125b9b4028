"""Looking for words and vectors in the bytes of a file and of the files beside it, whatever they are part of."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import apsw
import numpy as np

_SIDES = ("", "-wal", "-shm", "-journal")
_FEW = 200  # needles that are looked for one by one


def needles_of(word: str) -> set[bytes]:
    """The stretches of a canary that are looked for."""
    found = set()
    for form in {word, word.casefold()}:
        if form.isascii():
            found |= {form[start : start + 8].encode() for start in range(len(form) - 7)}
        else:
            found |= {form[start : start + 2].encode() for start in range(len(form) - 1)}
            found |= {json.dumps(form)[1:-1].encode()}
    return found


def vectors_in(path: Path) -> set[bytes]:
    """Every stretch of 16 bytes, at steps of 4, of the vectors in use, but for those that are mostly zeros."""
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    tables = ("vectors", "next_vectors", "summary_vectors")
    rows = [bytes(blob) for table in tables for (blob,) in db.execute(f"SELECT vector FROM {table}")]
    db.close()
    parts = {row[start : start + 16] for row in rows for start in range(0, len(row) - 15, 4)}
    return {part for part in parts if part.count(0) < 4}


def hits(path: Path, needles: Iterable[bytes]) -> tuple[set[bytes], int]:
    """The needles that are in the file or a side file, and how many bytes were looked through."""
    wanted, looked, found = set(needles), 0, set[bytes]()
    for side in _SIDES:
        file = Path(f"{path}{side}")
        data = file.read_bytes() if file.exists() else b""
        looked += len(data)
        if len(wanted) < _FEW:
            found |= {needle for needle in wanted if needle in data}
            continue
        for width in sorted({min(len(needle), 8) for needle in wanted}):
            heads: dict[int, list[bytes]] = {}
            for needle in wanted:
                if min(len(needle), 8) == width:
                    heads.setdefault(int.from_bytes(needle[:width]), []).append(needle)
            there = _starts(data, width, np.array(sorted(heads), np.uint64))
            found |= {needle for head in there for needle in heads[head] if needle in data}
    return found, looked


def _starts(data: bytes, width: int, heads: np.ndarray[Any, np.dtype[np.uint64]]) -> list[int]:
    """Which of these stretches, as numbers, are in the data."""
    row = np.frombuffer(data, np.uint8)
    seen = np.zeros(len(heads), bool)
    for start in range(0, len(row), 1 << 20):
        part = row[start : start + (1 << 20) + width - 1].astype(np.uint64)
        count = len(part) - width + 1
        if count <= 0:
            break
        windows = np.zeros(count, np.uint64)
        for place in range(width):
            windows = (windows << np.uint64(8)) | part[place : place + count]
        seen |= np.isin(heads, windows)
    there: list[int] = heads[seen].tolist()
    return there
