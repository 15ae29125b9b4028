"""What a run works with: argument over environment over default. Everything the environment says is read here, once."""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import click

from tkgmem.cli.dates import Zone, zone

Form = Literal["table", "json", "nl"]
KNOWN = frozenset({"TKGMEM_DB", "TKGMEM_GROUP", "TKGMEM_MODEL", "TKGMEM_EMBEDDER", "TKGMEM_READ_ONLY", "TKGMEM_LOG_LEVEL"})
_YES, _NO = frozenset({"1", "true", "yes", "on"}), frozenset({"", "0", "false", "no", "off"})


class ConfigurationError(click.ClickException):
    """The environment or a file does not allow what was asked: exit code 4."""

    exit_code = 4


@dataclass(frozen=True, slots=True)
class Settings:
    """path: the memory's file. usual: nobody named it, so its folder is made on the first write. embedder: a model folder.
    model: the language model's name, None for none.
    """

    path: str
    usual: bool
    group: str
    zone: Zone
    form: Form
    quiet: bool
    read_only: bool
    embedder: str | None
    model: str | None
    log_level: str | None
    warnings: tuple[str, ...]

    @classmethod
    def of(cls, given: Mapping[str, Any], environ: Mapping[str, str]) -> Settings:
        """Raises UsageError for options that exclude each other, ConfigurationError for an impossible environment."""
        if given.get("as_json") and given.get("nl"):
            raise click.UsageError("--json and --nl exclude each other; choose one")
        named = given.get("db") or environ.get("TKGMEM_DB")
        try:
            chosen = zone(given.get("tz", "UTC"))
        except ValueError as error:
            raise click.UsageError(f"--tz: {error}") from error
        return cls(
            path=named or str(data_folder(environ) / "memory.db"),
            usual=not named,
            group=given.get("group") or environ.get("TKGMEM_GROUP") or "default",
            zone=chosen,
            form="json" if given.get("as_json") else "nl" if given.get("nl") else "table",
            quiet=bool(given.get("quiet")),
            read_only=_flag(environ, "TKGMEM_READ_ONLY"),
            embedder=environ.get("TKGMEM_EMBEDDER") or None,
            model=(given["model"] if given.get("model") is not None else environ.get("TKGMEM_MODEL")) or None,
            log_level=_level(environ),
            warnings=tuple(_warnings(environ)),
        )


def data_folder(environ: Mapping[str, str], platform: str = sys.platform) -> Path:
    """The user's data folder for this program, by the custom of the system; it may not exist yet."""
    if platform == "win32":
        usual = environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif platform == "darwin":
        usual = str(Path.home() / "Library" / "Application Support")
    else:
        named = environ.get("XDG_DATA_HOME", "")
        usual = named if Path(named).is_absolute() else str(Path.home() / ".local" / "share")
    return Path(usual) / "tkgmem"


def _flag(environ: Mapping[str, str], name: str) -> bool:
    value = environ.get(name, "").strip().lower()
    if value not in _YES | _NO:
        raise ConfigurationError(f"{name} is {environ[name]!r}; set it to 1 or 0")
    return value in _YES


def _level(environ: Mapping[str, str]) -> str | None:
    level = environ.get("TKGMEM_LOG_LEVEL", "").strip().upper()
    if level and level not in logging.getLevelNamesMapping():
        raise ConfigurationError(f"TKGMEM_LOG_LEVEL is {level!r}; set it to debug, info, warning or error")
    return level or None


def _warnings(environ: Mapping[str, str]) -> list[str]:
    return [
        f"the environment variable {name} is not known and not used"
        for name in sorted(environ)
        if name.upper().startswith("TKGMEM_") and name not in KNOWN
    ]
