"""Export, import and merge: a file as records, and records into a file."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, Literal, get_args

from tkgmem.errors import StoreError
from tkgmem.portable import detect, graph_csv, graphiti, jsonl, mcp_memory
from tkgmem.portable.foreign import Foreign
from tkgmem.portable.format import Record
from tkgmem.portable.union import unite
from tkgmem.protocols import Embedder
from tkgmem.reports import CopyReport, MergeReport
from tkgmem.store import copy, header, snapshot
from tkgmem.store.connection import Store
from tkgmem.store.placing import PRIVATE, mode_of, new_file

ExportFormat = Literal["jsonl", "csv"]
ImportFormat = Literal["tkgmem", "graphiti", "mcp-memory"]


def export(
    store: Store, path: str | Path | IO[str], *, form: ExportFormat, vectors: bool, logs: bool, groups: Sequence[str] | None
) -> CopyReport:
    """Write a file as it is at this moment: as JSON lines all of it, as CSV the graph of some groups (or all), in a new folder.

    StoreError if `path` is taken.
    """
    if form not in get_args(ExportFormat):
        raise ValueError(f"unknown format {form!r}; use one of {', '.join(get_args(ExportFormat))}")
    with store.read() as db:
        found = snapshot.contents(db)
        if form == "csv":
            if not isinstance(path, str | Path):
                raise ValueError("CSV is several files; name a new folder for them")
            graph_csv.write(db, groups, path)
            size = sum(file.stat().st_size for file in Path(path).iterdir())
        elif groups:
            raise ValueError("an export as JSON lines holds the whole file; `share` writes a part of it")
        elif isinstance(path, str | Path):
            size = _write(jsonl.stream(db, vectors=vectors, logs=logs), Path(path), _mode(store))
        else:
            size = jsonl.write(
                jsonl.stream(db, vectors=vectors, logs=logs), path
            )  # characters: what a stream makes of them is its own
    return CopyReport(str(getattr(path, "name", path)), size, found.episodes, found.entities, found.claims, sealed=False)


def _mode(store: Store) -> int:
    return PRIVATE if store.in_memory else mode_of(store.path)


def _write(lines: Iterable[Record], path: Path, mode: int) -> int:
    with new_file(path, mode=mode) as part:
        with part.open("w", encoding="utf-8", newline="\n") as file:
            jsonl.write(lines, file)
        return part.stat().st_size


def checked_format(form: str | None) -> ImportFormat | None:
    """The format of a dump; ValueError names one that is not known."""
    known: tuple[ImportFormat, ...] = get_args(ImportFormat)
    found = next((one for one in known if one == form), None)
    if form is not None and found is None:
        raise ValueError(f"unknown format {form!r}; dumps are {', '.join(known)}; texts are read from a file or folder")
    return found


def import_(
    store: Store, embedder: Embedder, path: str | Path | IO[str], *, form: ImportFormat | None, group: str, now: int
) -> MergeReport:
    """Take an export in, into an empty file or a used one; or another memory's dump, as claims of ours in this group.

    A stream is read to a file first: it is gone through twice. ValueError for a format that is not known or not kept to.
    """
    if isinstance(path, str | Path) and not Path(path).exists():
        raise StoreError(f"there is no file {path} to import")
    if isinstance(path, str | Path) and Path(path).is_dir():
        raise StoreError(f"{path} is a folder without conversations or notes; name a file, or its format if it is one")
    if isinstance(path, str | Path) and not Path(path).is_file():  # a pipe with a name
        with Path(path).open(encoding="utf-8-sig") as stream:
            return import_(store, embedder, stream, form=form, group=group, now=now)
    with _as_file(path) as file:
        place = str(getattr(path, "name", path))
        kind = detect.detect(file) if form is None else form
        if header.is_sealed(file):
            raise ValueError(
                f"{place} is a sealed copy; `tkgmem restore` opens it with its password, and `merge` takes that in"
            )
        if kind == "sqlite":
            raise ValueError(f"{place} is an SQLite file; `tkgmem merge` takes in another memory's file")
        if kind == "tkgmem":
            return unite(store, embedder, lambda: jsonl.source(file, place), place, now=now)
        if kind not in {"graphiti", "mcp-memory"}:
            raise ValueError(
                f"{place} is of no format that is known (tkgmem, graphiti, mcp-memory, or texts: chatgpt, claude, claude-code,"
                " notes, records with a mapping); name its format if it is one"
            )
        dump = _dump(file, kind, group=group, now=now)
        told = [record for record in dump.records if record["type"] != "transaction"]
        report = unite(store, embedder, lambda: told, place, now=now, foreign=True)
        return replace(report, warnings=(*dump.warnings, *report.warnings))


def _dump(file: Path, kind: str, *, group: str, now: int) -> Foreign:
    with file.open(encoding="utf-8-sig", errors="replace") as lines:
        if kind == "graphiti":
            return graphiti.records(lines.read(), group=group, clock=now)
        return mcp_memory.records(lines, group=group, clock=now)


@contextmanager
def _as_file(path: str | Path | IO[str]) -> Iterator[Path]:
    if isinstance(path, str | Path):
        yield Path(path)
        return
    with tempfile.TemporaryDirectory(prefix="tkgmem-") as folder:
        spool = Path(folder) / "import.jsonl"
        try:
            with spool.open("w", encoding="utf-8", newline="\n") as file:
                shutil.copyfileobj(path, file)
        except UnicodeError as error:
            raise StoreError(f"{getattr(path, 'name', 'the stream')} is not UTF-8 text; is it an export?") from error
        yield spool


def merge(store: Store, embedder: Embedder, path: str | Path, *, now: int) -> MergeReport:
    """Take another file's memory in. It is only read; it is looked through first, as whoever sent it is not known.

    Raises NotATkgmemFile, SchemaTooNew or StoreError for a file that cannot be trusted or read.
    """
    if str(path) == ":memory:" or not Path(path).is_file():
        raise StoreError(f"there is no memory at {path} to merge; name another memory's file")
    with Store(path, read_only=True) as other, other.read() as db:
        copy.check(other, None, of=str(path))
        return unite(store, embedder, lambda: jsonl.stream(db, vectors=True), str(path), now=now)
