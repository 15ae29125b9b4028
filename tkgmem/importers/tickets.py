"""Records as JSON lines, such as tickets, whose facts a mapping finds: who had it assigned when, when it went to QA.

A record that has changed is one more text; what its dates say decides what held when.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tkgmem.importers.source import Found, Options, moment

FORMAT = "records"
_LONGEST_LINE = 64 << 20


def read(path: Path, options: Options, *, mapping: Any, told_at: str | None = None) -> Found:
    """The records of a file, one a line.

    told_at: the member that says when a record was as it is, with dots for members of members ("fields.updated"); by default,
    and where a record lacks it, when the file was changed last.
    """
    found = Found()
    changed = dt.datetime.fromtimestamp(int(path.stat().st_mtime), dt.UTC)
    for place, line, record in _lines(path, found):
        when = changed if told_at is None else moment(_member(record, told_at))
        if when is None:
            found.skip(place, f"{told_at} is no date; it was taken as told when the file was changed last")
            when = changed
        found.add(
            line,
            when,
            form=FORMAT,
            key="",
            options=options,
            name=path.name,
            source="json",
            mapping=mapping,
            metadata={"from": FORMAT, "file": path.name},
        )
    return found.in_order()


def _lines(path: Path, found: Found) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    with path.open("rb") as lines:
        for number, data in enumerate(lines, start=1):
            place = f"{path}, line {number}"
            try:
                if len(data) > _LONGEST_LINE:
                    raise ValueError(f"the line has {len(data):,} bytes")
                line = data.decode("utf-8-sig").strip()
                record = json.loads(line) if line else None
            except (ValueError, RecursionError) as error:
                found.skip(place, f"not JSON: {error}")
                continue
            if isinstance(record, Mapping):
                yield place, line, record
            elif line:
                found.skip(place, "not a JSON object")


def _member(record: Any, path: str) -> object:
    for key in path.split("."):
        record = record.get(key) if isinstance(record, Mapping) else None
    return record
