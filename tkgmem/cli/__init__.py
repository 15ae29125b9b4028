"""The command line: a thin skin over Memory, with the same verbs. The only place that reads the environment."""

from __future__ import annotations

from tkgmem.cli.app import main

__all__ = ["main"]
