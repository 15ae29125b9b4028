"""The power goes: only what was synced is on the disk for sure; what was written since may be there, be missing, or be torn.

All writes and syncs of a run are recorded. From any moment of it the states are built that a disk might be found in: nothing of
what was not synced, all of it, or some of it by chance, each write whole or in some of its sectors. Each is opened and examined
as after a kill. A file comes into being, or goes, for sure only when its folder is synced, which SQLite does when it syncs a
journal that is new.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from benchmarks.reliability.disk import Operation, watched
from benchmarks.reliability.kills import SEED, Bench, Tally, isolated, summed
from benchmarks.reliability.work import NAME, works

SECTOR = 512
WORKS = ("ingest", "model", "forget", "merge", "migration", "reembed")
MOMENTS = 40
"""How many moments of each kind of work."""

Fate = Literal["none", "all", "some"]
FATES: tuple[Fate, ...] = ("none", "all", "some", "some")
"""What becomes of the writes that were not synced."""

_FILES = (NAME, f"{NAME}-wal", f"{NAME}-journal")  # not the copies beside: other means than SQLite's put them in place
_Log = Sequence[Operation | None]


@dataclass(slots=True)
class _Copy:
    """One file as it is on the disk, and what was done to it since it was last synced."""

    data: bytearray
    waiting: list[Operation] = field(default_factory=list)

    def sync(self) -> None:
        for operation in self.waiting:
            _apply(self.data, operation, range(len(operation.data)))
        self.waiting.clear()

    def found(self, fate: Fate, chance: random.Random) -> bytes:
        data = bytearray(self.data)
        for operation in self.waiting if fate != "none" else ():
            sectors: Sequence[int] = range(0, len(operation.data), SECTOR)
            if fate == "some":
                if chance.random() < 0.5:
                    continue
                if chance.random() < 0.3:
                    sectors = [sector for sector in sectors if chance.random() < 0.5]
            _apply(data, operation, [byte for start in sectors for byte in range(start, start + SECTOR)])
        return bytes(data)


def _apply(data: bytearray, operation: Operation, kept: Sequence[int]) -> None:
    """Do a write or a truncation to the bytes, of a write only the kept ones."""
    end = operation.offset + len(operation.data)
    if operation.action == "truncate":
        del data[operation.offset :]
    if len(data) < end:
        data.extend(bytes(end - len(data)))
    for byte in kept:
        if byte < len(operation.data):
            data[operation.offset + byte] = operation.data[byte]


@dataclass(slots=True)
class _Folder:
    """The files of a folder. was: what is there for sure. changes: names that came or went since the folder was synced."""

    now: dict[str, _Copy]
    was: dict[str, _Copy]
    changes: list[tuple[str, _Copy | None]] = field(default_factory=list)

    def do(self, operation: Operation) -> None:
        name = operation.path.name
        if operation.action == "delete":
            self._change(name, None)
            if operation.synced:
                self._sync()
            return
        if name not in self.now:
            self._change(name, _Copy(bytearray()))
        if operation.action != "sync":
            self.now[name].waiting.append(operation)
            return
        self.now[name].sync()
        if self.was.get(name) is not self.now[name]:
            self._sync()

    def _change(self, name: str, copy: _Copy | None) -> None:
        self.changes.append((name, copy))
        _put(self.now, name, copy)

    def _sync(self) -> None:
        self.was, self.changes = dict(self.now), []

    def write(self, folder: Path, fate: Fate, chance: random.Random) -> None:
        """Leave in a folder what might be found on the disk."""
        there = dict(self.was)
        happened = {"none": 0, "all": len(self.changes), "some": chance.randint(0, len(self.changes))}[fate]
        for name, copy in self.changes[:happened]:
            _put(there, name, copy)
        for file in folder.iterdir():
            file.unlink()
        for name, copy in there.items():
            (folder / name).write_bytes(copy.found(fate, chance))


def _put(files: dict[str, _Copy], name: str, copy: _Copy | None) -> None:
    if copy is None:
        files.pop(name, None)
    else:
        files[name] = copy


def run(quick: bool, *, seed: int = SEED) -> dict[str, Any]:
    """Power cuts in every kind of work."""
    return isolated(cut_all, WORKS, 2 if quick else MOMENTS, seed)


def cut_all(names: Sequence[str], moments: int, seed: int) -> dict[str, Any]:
    """Power cuts at so many moments of each of these kinds of work."""
    started, tallies, every = time.perf_counter(), dict[str, Tally](), works(1)
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            bench = Bench(every[name], Path(folder) / name)
            tallies[name] = cut(bench, moments, random.Random(f"{seed} {name}"))
    found = summed(tallies)
    return {"states": found.pop("kills"), **found, "seconds": round(time.perf_counter() - started, 1)}


def cut(bench: Bench, moments: int, chance: random.Random) -> Tally:
    """The power goes at so many moments of a work, spread evenly over its writes, with each fate."""
    files, log = _recorded(bench)
    tally = Tally()
    for part in range(moments):
        moment = int((part + chance.random()) / moments * len(log))
        was = {name: _Copy(bytearray(data)) for name, data in files.items()}
        folder = _Folder(dict(was), was)
        for operation in log[:moment]:
            if operation is not None:
                folder.do(operation)
        for fate in FATES:
            folder.write(bench.folder, fate, chance)
            done = log[:moment].count(None)
            bench.examine(tally, done, f"power cut at {moment} of {len(log)}, {fate} of what was not synced there")
    return tally


def _recorded(bench: Bench) -> tuple[dict[str, bytes], _Log]:
    """The files that a work begins with, and all it does to the disk; None where something is acknowledged."""
    log: list[Operation | None] = []

    def note(operation: Operation) -> None:
        if operation.action not in ("open", "read") and operation.path.name in _FILES:
            log.append(operation)

    bench.furnish()
    files = {file.name: file.read_bytes() for file in bench.folder.iterdir()}
    with watched(note):
        with bench.work.opened(bench.folder) as (_, make):
            log.append(None)
            for number in range(len(bench.work.steps)):
                make(number)
                log.append(None)
        log.append(None)
    return files, log
