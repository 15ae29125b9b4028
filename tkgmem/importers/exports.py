"""The files of an export: a JSON file, a folder or a ZIP of them, read piece by piece and never unpacked onto the disk."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

_CHUNK = 1 << 20
_LARGEST = 16 << 30
"""Bytes that one file of a ZIP may have; a ZIP can claim any number."""
_SPACE = re.compile(r"[\s,]*")


class BrokenExport(ValueError):
    """A file is not what its format says; where, and what is wrong."""


def named(path: Path, pattern: str) -> Iterator[tuple[str, IO[bytes]]]:
    """The files of an export whose names match, each opened while it is the current one; a single file matches always."""
    wanted = re.compile(pattern)
    if path.is_dir():
        for file in sorted(path.iterdir()):
            if wanted.fullmatch(file.name) and file.is_file():
                with file.open("rb") as opened:
                    yield str(file), opened
        return
    if not zipfile.is_zipfile(path):
        if pattern == CONVERSATIONS:
            with path.open("rb") as opened:
                yield str(path), opened
        return
    try:
        with zipfile.ZipFile(path) as archive:
            for info in sorted(archive.infolist(), key=lambda one: one.filename):
                if not info.is_dir() and wanted.fullmatch(info.filename.rpartition("/")[2]):
                    if info.file_size > _LARGEST:
                        raise BrokenExport(f"{path}: {info.filename} claims {info.file_size:,} bytes; unpack it first")
                    with archive.open(info) as member:
                        yield f"{path}/{info.filename}", member
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise BrokenExport(f"{path}: {error}") from error


CONVERSATIONS = r"conversations(?:[-_]\d+)?\.jsonl?"


def elements(where: str, file: IO[bytes]) -> Iterator[Any]:
    """The elements of the JSON list in a file, in turn, or its values, one after the other. BrokenExport names the place."""
    reader = _Reader(where, file)
    listed = reader.skip("[")
    while not (reader.skip("]") if listed else reader.is_over()):
        yield reader.value()


class _Reader:
    """JSON values out of a stream, holding no more than one."""

    def __init__(self, where: str, file: IO[bytes]) -> None:
        self._where, self._file = where, file
        self._decoder = json.JSONDecoder()
        self._rest, self._text, self._at, self._seen = b"", "", 0, 0
        self._more()
        self._text = self._text.removeprefix("\ufeff")

    def skip(self, mark: str) -> bool:
        """Pass over space and commas, and over this mark if it comes next."""
        while True:
            found = _SPACE.match(self._text, self._at)
            assert found is not None
            self._at = found.end()
            if self._at < len(self._text) or not self._more():
                break
        if not self._text.startswith(mark, self._at):
            return False
        self._at += len(mark)
        return True

    def is_over(self) -> bool:
        """Whether nothing but space is left."""
        self.skip("")
        return self._at >= len(self._text)

    def value(self) -> Any:
        """The next value."""
        wanted = _CHUNK
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if not self._more(wanted):
                    raise BrokenExport(f"{self._where}: not JSON after {self._seen:,} characters: {error.msg}") from error
                wanted *= 2  # so that a long value is not tried too often
                continue
            except RecursionError as error:
                raise BrokenExport(f"{self._where}: nested too deeply after {self._seen:,} characters") from error
            self._seen += end - self._at
            self._at = end
            return value

    def _more(self, wanted: int = _CHUNK) -> bool:
        data = self._file.read(wanted)
        if not data and not self._rest:
            return False
        self._rest += data
        try:
            text, self._rest = self._rest.decode(), b""
        except UnicodeDecodeError as error:
            if len(self._rest) - error.start > 3 or not data:
                raise BrokenExport(f"{self._where}: not UTF-8 after {self._seen:,} characters") from error
            text, self._rest = self._rest[: error.start].decode(), self._rest[error.start :]
        self._text, self._at = self._text[self._at :] + text, 0
        return True
