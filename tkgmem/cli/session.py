"""One run: its settings, its memory, and its voice. Data goes to stdout in the asked form, everything else to stderr."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tkgmem.cli import dates
from tkgmem.cli.harmless import harmless
from tkgmem.cli.plain import plain
from tkgmem.cli.settings import ConfigurationError, Settings
from tkgmem.temporal.period import Moment

if TYPE_CHECKING:
    from tkgmem.cli.screen import Screen
    from tkgmem.memory import Memory
    from tkgmem.protocols import Clock, Embedder


class Session:
    """What the verbs of one command line share. given: the options of tkgmem itself, from before and after the verb."""

    def __init__(self) -> None:
        self.given: dict[str, Any] = {}

    @cached_property
    def settings(self) -> Settings:
        """Read when a verb begins, so that options after it count. Says what is odd about the environment, once."""
        settings = Settings.of(self.given, os.environ)
        if settings.log_level:
            from tkgmem.providers.redact import KeyFilter

            handler = logging.StreamHandler(sys.stderr)
            handler.addFilter(KeyFilter())  # what any library logs goes through it
            logging.basicConfig(level=settings.log_level, handlers=[handler])
        for warning in settings.warnings:
            click.echo(f"tkgmem: {warning}", err=True)
        return settings

    @property
    def exists(self) -> bool:
        """Whether the memory's file is there."""
        return self.settings.path == ":memory:" or Path(self.settings.path).exists()

    def reading(self) -> Memory:
        """The memory, opened so that nothing in its file can change. ConfigurationError if there is none."""
        self.require()
        return self.open(self.settings.path, read_only=True)

    def asking(self, *, log: bool) -> Memory:
        """The same, but for its recall log, which is added to where the file and its folder can be written to."""
        self.require()
        path = Path(self.settings.path).resolve()
        can = self.settings.path != ":memory:" and all(os.access(place, os.W_OK) for place in (path, path.parent))
        return self.open(self.settings.path, read_only=True, log_recalls=log and can and not self.settings.read_only)

    def changing(self) -> Memory:
        """The memory, to change what is in it. ConfigurationError if there is none."""
        self.require()
        return self.open(self.settings.path)

    def writing(self) -> Memory:
        """The memory, made if there is none; a folder is made only for the usual place."""
        if self.settings.usual and not self.settings.read_only:
            Path(self.settings.path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self.open(self.settings.path)

    def open(
        self,
        path: str,
        *,
        read_only: bool = False,
        clock: Clock | None = None,
        by_rules: bool = False,
        log_recalls: bool | None = None,
    ) -> Memory:
        """A Memory on this file as the settings ask for it. by_rules: without the language model."""
        from tkgmem.memory import Memory  # late: some verbs open none

        settings = self.settings
        return Memory(
            path,
            group=settings.group,
            llm=None if by_rules else settings.model,
            embedder=self.embedder(),
            clock=clock,
            read_only=read_only or settings.read_only,
            log_recalls=log_recalls,
        )

    def embedder(self) -> Embedder | None:
        """The model of the folder that the environment names; None for the one that ships."""
        if self.settings.embedder is None:
            return None
        from tkgmem.providers.onnx import OnnxEmbedder

        return OnnxEmbedder(self.settings.embedder)

    def require(self) -> None:
        """ConfigurationError if there is no memory's file."""
        if not self.exists:
            path = self.settings.path
            raise ConfigurationError(f"there is no memory at {path}; make one with `tkgmem init`, or name another with --db")

    # --- dates ---

    def moment(self, text: str | None, option: str) -> Moment | None:
        """A date argument in the asked zone; None for None. A usage error that names the option."""
        try:
            return None if text is None else dates.moment(text, self.settings.zone)
        except ValueError as error:
            raise click.UsageError(f"{option}: {error}") from error

    def date(self, text: str, option: str) -> Moment:
        """A date argument that must be there."""
        found = self.moment(text, option)
        assert found is not None
        return found

    # --- answers ---

    def say(self, message: str) -> None:
        """A message for a person, on stderr; not with -q."""
        if not self.settings.quiet:
            click.echo(harmless(message), err=True)

    def show(
        self,
        document: Mapping[str, object] | object,
        human: Callable[[Screen], None],
        *,
        lines: Sequence[object] | None = None,
    ) -> None:
        """Print an answer: as one JSON object, as its lines (the document itself by default), or for a person."""
        settings = self.settings
        if settings.form == "json":
            click.echo(json.dumps(plain(document, settings.zone), indent=2))
        elif settings.form == "nl":
            for line in [document] if lines is None else lines:
                click.echo(json.dumps(plain(line, settings.zone)))
        else:
            from tkgmem.cli.screen import Screen

            human(Screen(sys.stdout, settings.zone))
