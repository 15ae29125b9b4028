"""Pictures as files: one appears whole or not at all, and never in the place of another."""

from __future__ import annotations

import os
import sys
import tempfile
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from tkgmem.cli.session import Session
from tkgmem.errors import StoreError
from tkgmem.graph import Version

Function = TypeVar("Function", bound=Callable[..., Any])


def svg_option(function: Function) -> Function:
    """The option that asks for a picture in place of a table."""
    return click.option("--svg", metavar="FILE", help="Draw it as a picture in a new file; - is standard output.")(function)


def deliver(session: Session, path: str, picture: str) -> None:
    """Write a picture where it was asked for, and say so. StoreError if there is something already."""
    if session.settings.form in {"json", "nl"}:
        raise click.UsageError("--svg draws a picture, which is neither --json nor --nl; choose one")
    if path == "-":
        sys.stdout.buffer.write(picture.encode())
        sys.stdout.buffer.flush()
    else:
        _write(Path(path), picture.encode())
        session.say(f"Wrote {path}; any browser shows it.")


def called(asked: str, versions: Sequence[Version]) -> str:
    """What a picture is of, in words: a uuid says nothing to people."""
    from tkgmem.cli.screen import relation_words

    names = {end.uuid: end.name for version in versions for end in (version.source, version.target)}
    if not _is_uuid(asked) or not versions or asked in names:
        return names.get(asked, asked)
    last = versions[-1]
    return f"{last.source.name} {relation_words(last.relation)} {last.target.name}"


def _is_uuid(text: str) -> bool:
    try:
        uuid.UUID(text)
    except ValueError:
        return False
    return True


def _write(path: Path, content: bytes) -> None:
    if os.path.lexists(path):
        raise StoreError(f"{path} is there already; choose another name, or take it away first")
    if not path.parent.is_dir():
        raise StoreError(f"cannot write {path}: there is no folder {path.parent}; make it first")
    handle, name = tempfile.mkstemp(prefix=".tkgmem-", suffix=".part", dir=path.parent)
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        part.rename(path)
    finally:
        part.unlink(missing_ok=True)
