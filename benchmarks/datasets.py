"""Reads the benchmark data: gzipped JSON lines in one folder per set."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any


def rows(data: Path | None, name: str) -> list[dict[str, Any]]:
    """The rows of one file, such as "locomo/conversations.jsonl.gz". FileNotFoundError names what is missing."""
    if data is None:
        raise FileNotFoundError(f"{name} is needed")
    if not (data / name).is_file():
        raise FileNotFoundError(f"{data / name} is missing")
    with gzip.open(data / name, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]
