"""A folder of notes in Markdown or plain text, or one note. A note is dated by its head, its file's name, or the file itself.

In this order: `date`, `created` or `updated` between the lines `---` that it begins with; a date in its file's name
(2024-05-17, 20240517, 2024年5月17日); when the file was changed last. A changed note is a new text, the old one stays.
"""

from __future__ import annotations

import datetime as dt
import os
import re
from collections.abc import Iterator
from pathlib import Path

from tkgmem.importers.source import Found, Options, moment, text_of

FORMAT = "notes"
ENDINGS = {".md", ".markdown", ".txt", ".org", ".rst"}
_LARGEST = 16_000_000
_HEAD = re.compile(r"---[ \t]*\r?\n(.*?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)", re.DOTALL)
_LINE = re.compile(r"^([A-Za-z_][\w -]*?)\s*:[ \t]*(.*?)[ \t]*$", re.MULTILINE)
_HEADING = re.compile(r"^#[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_DATED = re.compile(
    r"(?<!\d)(?:(\d{4})-(\d{1,2})-(\d{1,2})|(\d{4})_(\d{1,2})_(\d{1,2})|(\d{4})\.(\d{1,2})\.(\d{1,2})|((?:19|20)\d\d)(\d\d)(\d\d)"
    r"|(\d{4})年(\d{1,2})月(\d{1,2})日)(?!\d)"
)


def read(path: Path, options: Options) -> Found:
    """All notes of a folder and the folders in it, but for hidden ones and those behind links."""
    found = Found()
    for file, name in files(path, found):
        try:
            content = _decoded(file)
        except (OSError, ValueError) as error:
            found.skip(str(file), getattr(error, "strerror", None) or error)
            continue
        head = _HEAD.match(content)
        told = {key.strip().lower(): value.strip("\"'") for key, value in _LINE.findall(head[1])} if head else {}
        words = text_of(content[head.end() :] if head else content)
        if not words:
            continue
        heading = _HEADING.search(words)
        title = told.get("title") or (heading[1] if heading else None)
        found.add(
            words,
            _when(file, told),
            form=FORMAT,
            key=name,
            options=options,
            name=name,
            description=title,
            source="message" if options.speaker else "text",
            speaker=options.speaker,
            metadata={"from": FORMAT, "file": name},
        )
    return found.in_order()


def files(path: Path, found: Found | None = None) -> Iterator[tuple[Path, str]]:
    """The notes, with their names from the folder on. found: is told which folders cannot be looked into."""

    def closed(error: OSError) -> None:
        if found is not None:
            found.skip(str(error.filename), error.strerror or error)

    if path.is_file():
        yield path, path.name
        return
    for folder, inner, names in os.walk(path, onerror=closed):
        inner[:] = sorted(name for name in inner if not name.startswith(".") and name not in {"node_modules", "__pycache__"})
        for name in sorted(names):
            file = Path(folder, name)
            if file.suffix.lower() in ENDINGS and not name.startswith(".") and file.is_file() and not file.is_symlink():
                yield file, file.relative_to(path).as_posix()


def _decoded(file: Path) -> str:
    if file.stat().st_size > 4 * _LARGEST:
        raise ValueError(f"it has {file.stat().st_size:,} bytes, too many for a note")
    data = file.read_bytes()
    coding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        text = data.decode(coding)
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 text: byte {error.start}") from error
    if "\0" in text:
        raise ValueError("it holds NUL characters: it is no text")
    if len(text) > _LARGEST:
        raise ValueError(f"it has {len(text):,} characters, the limit is {_LARGEST:,}")
    return text


def _when(file: Path, told: dict[str, str]) -> dt.datetime:
    for key in ("date", "created", "created_at", "updated", "updated_at", "modified", "last_modified"):
        if (said := moment(told.get(key))) is not None:
            return said
    for match in _DATED.finditer(file.stem):
        year, month, day = (int(part) for part in match.groups() if part is not None)
        try:
            return dt.datetime(year, month, day, tzinfo=dt.UTC)
        except ValueError:
            continue
    return dt.datetime.fromtimestamp(int(file.stat().st_mtime), dt.UTC)
