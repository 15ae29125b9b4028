"""Export and import as JSON lines: see `format`. Written beside and put in place when whole; read as a stream, twice."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from tkgmem.errors import StoreError
from tkgmem.portable.format import FORMAT, PLAIN, Record
from tkgmem.store import records, wide_records
from tkgmem.store.connection import Connection

LONGEST = 512_000_000
"""Characters of a line: a text of 16 million, quoted in a question to a model."""


def stream(
    db: Connection, *, vectors: bool = False, logs: bool = True, chosen: records.Chosen | None = None
) -> Iterator[Record]:
    """All records, first and last included."""
    plain = chosen is not None or wide_records.is_empty(db)
    yield records.header(db, number=PLAIN if plain else FORMAT, vectors=vectors)
    number = 0
    for record in records.records(db, vectors=vectors, logs=logs, chosen=chosen):
        number += 1
        yield record
    yield {"type": "end", "records": number}


def write(lines: Iterable[Record], file: IO[str]) -> int:
    """Write records, one a line; how many characters."""
    return sum(file.write(f"{json.dumps(record, ensure_ascii=False, separators=(',', ':'))}\n") for record in lines)


def read(file: IO[str], place: str) -> Iterator[Record]:
    """The records of an export. ValueError names the line that is none."""
    number = 0
    while line := file.readline(LONGEST):
        number += 1
        if len(line) == LONGEST:
            raise ValueError(f"{place}, line {number}: longer than {LONGEST} characters")
        if line.strip():
            yield _record(line, f"{place}, line {number}")


def _record(line: str, place: str) -> Record:
    try:
        record = json.loads(line, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError(f"{place}: nested too deeply") from error
    except ValueError as error:
        raise ValueError(f"{place}: not JSON: {error}") from error
    if not isinstance(record, dict):
        raise ValueError(f"{place}: not an object but {type(record).__name__}")
    return record


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is no number of JSON")


def source(path: Path, place: str) -> Iterator[Record]:
    """The records of an export file. place: what it is called in an error."""
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            yield from read(file, place)
    except UnicodeDecodeError as error:
        raise StoreError(f"{place} is not UTF-8 text at byte {error.start}; is it an export?") from error
