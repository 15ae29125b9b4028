"""The verbs that copy the whole file. A password is asked for or read from a file: others can see a program's arguments."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tkgmem.cli.app import main
from tkgmem.cli.session import Session
from tkgmem.cli.settings import ConfigurationError
from tkgmem.portable import backup as backups
from tkgmem.portable import sealed
from tkgmem.reports import CopyReport

if TYPE_CHECKING:
    from tkgmem.cli.screen import Screen


def password_options(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Two ways to give a password; `password_of` reads it."""
    file = click.option("--password-file", metavar="FILE", help="The same, read from a file of one line; - is standard input.")
    return click.option("--password", is_flag=True, help="Sealed with a password, which is asked for.")(file(verb))


def password_of(asked: bool, file: str | None, *, twice: bool) -> str | None:
    """The password, None if none is wanted. twice: ask again, as it is a new one. UsageError if it cannot be had."""
    if not asked and file is None:
        return None
    if asked and file is not None:
        raise click.UsageError("--password and --password-file exclude each other; choose one")
    sealed.require()
    if file is not None:
        return _read(file)
    if not sys.stdin.isatty():
        raise click.UsageError("without a terminal to ask for the password on, use --password-file")
    return str(click.prompt("Password", hide_input=True, confirmation_prompt=twice, err=True))


def _read(file: str) -> str:
    content = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    try:
        lines = content.decode().splitlines()
    except UnicodeDecodeError:
        raise click.UsageError(f"--password-file: {file} is not UTF-8 text") from None  # its message shows what is in it
    if len(lines) != 1 or not lines[0]:
        raise click.UsageError(f"--password-file: {file} is not one line with the password")
    return lines[0]


@main.command()
@click.argument("path")
@password_options
@click.pass_obj
def backup(session: Session, *, path: str, password: bool, password_file: str | None) -> None:
    """Copy the memory to a new file, whoever writes to it meanwhile. It is checked after it was written.

    \b
    tkgmem backup me-2026-11-30.db
    tkgmem backup me-2026-11-30.age --password
    """
    session.require()
    secret = password_of(password, password_file, twice=True)
    made = backups.backup_file(session.settings.path, path, password=secret)
    session.show(made, lambda screen: _copied(screen, f"Copied {session.settings.path}", made))


@main.command()
@click.argument("backup")
@password_options
@click.pass_obj
def restore(session: Session, *, backup: str, password: bool, password_file: str | None) -> None:
    """Make the memory's file from a backup. There must be none yet, and the backup stays as it is.

    \b
    tkgmem --db new.db restore me-2026-11-30.db
    """
    settings = session.settings
    if settings.read_only:
        raise ConfigurationError("TKGMEM_READ_ONLY is set, so no memory is made; unset it, or set it to 0")
    secret = password_of(password, password_file, twice=False)
    if settings.usual:
        Path(settings.path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    made = backups.restore(backup, settings.path, password=secret)
    session.show(made, lambda screen: _copied(screen, f"Restored {backup}", made))


def _copied(screen: Screen, what: str, made: CopyReport) -> None:
    screen.line((f"{what} to {made.path}: ", "bold"), f"{described(made)}.")


def described(made: CopyReport) -> str:
    """What is in a copy, in words."""
    counts = ((made.episodes, "text", "texts"), (made.claims, "statement", "statements"), (made.entities, "entity", "entities"))
    parts = [f"{count:,} {one if count == 1 else many}" for count, one, many in counts]
    return f"{', '.join(parts)}, {made.bytes / 1_000_000:,.2f} MB{', sealed with its password' if made.sealed else ''}"
