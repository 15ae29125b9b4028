"""The two ends of a session over standard input and output, kept for the protocol alone.

From `claim` on, whatever any library prints goes to standard error, be it with print, from C or by a child process, and whoever
reads standard input finds it empty.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import BinaryIO

LONGEST = 64 << 20
"""Bytes of a message; a longer one is not taken in."""


class TooLong(ValueError):
    """A line of more than LONGEST bytes, which was passed over."""


class Wire:
    """Lines in and lines out, each a message."""

    def __init__(self, incoming: BinaryIO, outgoing: BinaryIO) -> None:
        self._incoming, self._outgoing = incoming, outgoing
        self._sending = threading.Lock()

    @classmethod
    def claim(cls) -> Wire:
        """Take the process's standard input and output. OSError where one of them is closed."""
        incoming, outgoing = os.dup(0), os.dup(1)  # not inherited by children
        _point(0, os.open(os.devnull, os.O_RDONLY))
        sys.stdout.flush()
        try:
            elsewhere = os.dup(2)
        except OSError:  # no standard error either
            elsewhere = os.open(os.devnull, os.O_WRONLY)
        _point(1, elsewhere)
        return cls(os.fdopen(incoming, "rb"), os.fdopen(outgoing, "wb"))

    def read(self) -> bytes | None:
        """The next line that is not blank, without its end; None when there is no more. Raises TooLong."""
        while line := self._incoming.readline(LONGEST + 1):
            if len(line) > LONGEST and not line.endswith(b"\n"):
                while (rest := self._incoming.readline(1 << 20)) and not rest.endswith(b"\n"):
                    pass
                raise TooLong(f"a message is longer than {LONGEST >> 20} MB")
            if line.strip():
                return line.rstrip(b"\r\n")
        return None

    def write(self, line: str) -> None:
        """Send a message, as a whole. BrokenPipeError where nobody reads any more."""
        with self._sending:
            self._outgoing.write(line.encode() + b"\n")
            self._outgoing.flush()


def _point(descriptor: int, elsewhere: int) -> None:
    os.dup2(elsewhere, descriptor)
    os.close(elsewhere)
