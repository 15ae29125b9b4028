"""The memory of one server, and who reads what it is told: a text is committed before the reply, and read behind it.

The file is opened with the first call. One thread reads texts in the order they came; what failed, or was left by a server that
ended, is taken up again after a minute, and with each failure after twice the time, up to an hour. Nothing is ever dropped.
"""

from __future__ import annotations

import datetime as dt
import logging
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from tkgmem.errors import TkgmemError
from tkgmem.graph import AddResult, Episode
from tkgmem.memory import Memory

_LOG = logging.getLogger(__name__)
FIRST_PAUSE, LONGEST_PAUSE = 60.0, 3600.0
"""Seconds until what failed is read again: the first time, and at most."""
ALL: Final = "all"
"""In the queue: everything that waits is to be read."""

AT_ONCE = 8
"""How many texts that wait are read together: what is told meanwhile waits for no more than these."""


@dataclass(slots=True)
class _Round:
    """One going through the texts that wait. age: seconds that one must have waited; tried: those that were read in it."""

    age: float
    tried: set[str] = field(default_factory=set)
    failed: bool = False


class Desk:
    """Opens the memory when it is needed, and reads texts behind the replies.

    open_memory: makes the Memory. place: its path, for people. now: the moment of asking, in the calendar that words such as
    "yesterday" are meant in. patience: seconds that `remember` waits for a text to be read. first_pause: seconds until what
    failed is read again for the first time.
    """

    def __init__(
        self,
        open_memory: Callable[[], Memory],
        place: str,
        *,
        now: Callable[[], dt.datetime],
        read_only: bool = False,
        patience: float = 20.0,
        first_pause: float = FIRST_PAUSE,
    ) -> None:
        self.place, self.now, self.read_only = place, now, read_only
        self._open, self._patience, self._first_pause = open_memory, patience, first_pause
        self._opening = threading.Lock()
        self._memory: Memory | None = None
        self._closed = False
        self._reader: threading.Thread | None = None
        self._told: queue.SimpleQueue[tuple[str, Future[AddResult]] | Literal["all"] | None] = queue.SimpleQueue()

    @property
    def memory(self) -> Memory:
        """The memory, opened by whoever asks first. Raises what opening it raises."""
        with self._opening:
            if self._closed:
                raise TkgmemError("the server is shutting down")
            if self._memory is None:
                self._memory = self._open()
                if not self.read_only:
                    self._reader = threading.Thread(target=self._read, args=(self._memory,), name="tkgmem desk", daemon=True)
                    self._reader.start()
            return self._memory

    def remember(self, content: str, **given: Any) -> AddResult:
        """Commit a text; then wait a while for what it brings. The result's episode is "pending" where that is not known yet.

        given: `Memory.add`'s other arguments.
        """
        kept = self.memory.add(content, extract="later", **given)
        if kept.episode.state == "done":
            return kept
        reading: Future[AddResult] = Future()
        self._told.put((kept.episode.uuid, reading))
        try:
            return reading.result(timeout=self._patience)
        except TimeoutError:
            return kept
        except Exception as error:  # it is kept all the same
            return replace(kept, warnings=[*kept.warnings, f"reading it failed, and is tried again: {error}"])

    def read_later(self) -> None:
        """Let the thread read whatever waits, when what came before is done."""
        self._told.put(ALL)

    def close(self, *, wait: float = 2.0) -> None:
        """End what reads, and close the file. A text that is being read is waited for; later it is left to the next server."""
        with self._opening:
            self._closed = True
            memory, reader = self._memory, self._reader
        if reader is not None:
            self._told.put(None)
            reader.join(wait)
            if reader.is_alive():
                return  # the process ends now: what is committed is safe, and the rest is pending
        if memory is not None:
            memory.close()

    # --- the thread that reads ---

    def _read(self, memory: Memory) -> None:
        round_, pause, due = _Round(self._first_pause), self._first_pause, time.monotonic()
        while True:
            try:
                told = self._told.get(timeout=max(0.0, due - time.monotonic()))
            except queue.Empty:
                if self._take_up(memory, round_):
                    continue  # there are more, but what is told now comes first
                pause = min(2 * pause, LONGEST_PAUSE) if round_.failed else self._first_pause
                round_, due = _Round(self._first_pause), time.monotonic() + pause
                continue
            if told is None or self._closed:
                return
            if told == ALL:
                round_.age, due = 0.0, time.monotonic()
                continue
            uuid, reading = told
            try:
                reading.set_result(memory.extract(uuid=uuid)[0])
            except Exception as error:  # whatever a model or a disk does, the next text is read
                _LOG.warning("the text %s was not read: %s", uuid, error, exc_info=_LOG.isEnabledFor(logging.DEBUG))
                reading.set_exception(error)

    def _take_up(self, memory: Memory, round_: _Round) -> bool:
        """Read a few of those that failed or wait, the earliest first. Whether there are more of this round."""
        try:
            before = self.now() - dt.timedelta(seconds=round_.age)
            left = [
                episode.uuid
                for episode in reversed(self.unread(memory))
                if episode.uuid not in round_.tried and (episode.state == "failed" or episode.created_at <= before)
            ]
            some = left[:AT_ONCE]
            round_.tried |= {*some}
            round_.failed |= any(result.episode.state != "done" for result in (memory.extract(uuid=some) if some else ()))
        except Exception as error:  # the file is busy, or was moved away: there is another time
            _LOG.warning("texts that wait were not read: %s", error, exc_info=_LOG.isEnabledFor(logging.DEBUG))
            round_.failed = True
            return False
        return len(left) > AT_ONCE

    @staticmethod
    def unread(memory: Memory, limit: int = 1_000) -> list[Episode]:
        """The texts that failed or wait, newest first within each."""
        return [episode for state in ("failed", "pending") for episode in memory.episodes(state=state, limit=limit)]
