"""A result file: the measurement with all that is needed to judge it. No host name, user or path is recorded."""

from __future__ import annotations

import datetime as dt
import importlib.metadata
import json
import os
import platform
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import apsw
from rich.console import Console
from rich.table import Table

_PACKAGES = ("tkgmem", "apsw", "sqlite-vec", "onnxruntime", "tokenizers", "numpy")


def record(name: str, started: dt.datetime, quick: bool, measured: Mapping[str, Any]) -> dict[str, Any]:
    """The whole result. `measured` has "summary" and "samples", and may have "settings" and "seed"."""
    return {
        "name": name,
        "commit": commit(),
        "started": started.isoformat(timespec="seconds"),
        "versions": {"python": platform.python_version(), "sqlite": apsw.sqlite_lib_version()}
        | {package: _version(package) for package in _PACKAGES},
        "machine": {
            "processors": os.cpu_count(),
            "model": _processor(),
            "memory_bytes": _memory(),
            "system": f"{platform.system()} {platform.machine()}",
        },
        "seed": measured.get("seed"),
        "settings": {"quick": quick, **measured.get("settings", {})},
        "summary": measured["summary"],
        "samples": measured["samples"],
    }


def with_parts(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """A result with the parts that were measured now in the place of those measured before; each names its commit."""
    joined = {key: {**before[key], **now[key]} for key in ("summary", "samples")}
    settings = {**now["settings"], "parts": sorted({*before["settings"]["parts"], *now["settings"]["parts"]})}
    return {**now, **joined, "settings": settings}


def write(path: Path, result: Mapping[str, Any]) -> None:
    """Write a result as JSON, one member a line except the samples."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [f"{json.dumps(key)}: {_layout(key, value)}" for key, value in result.items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def print_summary(result: Mapping[str, Any]) -> None:
    """Print a result's summary as a table on standard output."""
    table = Table(title=f"{result['name']} ({'quick' if result['settings']['quick'] else 'full'})")
    table.add_column("measure")
    table.add_column("value", justify="right")
    for name, value in flat(result["summary"]):
        table.add_row(
            name, f"{value:,.3f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
        )
    Console().print(table)


def flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The leaves of nested mappings, with their names joined.

    >>> list(flat({"a": {"b": 1}, "c": 2}))
    [('a b', 1), ('c', 2)]
    """
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{prefix}{key} ")
        else:
            yield prefix + key, value


def _layout(key: str, value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=None if key == "samples" else 2)


def commit() -> str | None:
    command = ["git", "rev-parse", "--verify", "HEAD"]
    try:
        found = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return found.stdout.strip()


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _processor() -> str | None:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or None
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), None)


def _memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
