"""The command line: a thin skin over Memory, with the same verbs. The only place that reads the environment."""

from __future__ import annotations

from tkgmem.cli import (
    add,
    care,
    carry,
    demo,
    diff,
    files,
    intervals,
    many,
    read,
    recall,
    recalled,
    replay,
    serve,
    undo,
    why,
    wide,
    write,
)  # each registers its verbs
from tkgmem.cli.app import main

__all__ = [
    "add",
    "care",
    "carry",
    "demo",
    "diff",
    "files",
    "intervals",
    "main",
    "many",
    "read",
    "recall",
    "recalled",
    "replay",
    "serve",
    "undo",
    "why",
    "wide",
    "write",
]
