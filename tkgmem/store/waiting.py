"""Waiting for another connection: short even steps up to a limit, and then it is busy.

SQLite's own back-off grows to 100 ms, so that who waits longest is overtaken most; and when two connections want to change the
journal mode at once it does not wait at all.
"""

from __future__ import annotations

import time

STEP_SECONDS = 0.002


class Patience:
    """A limit that starts now. Called, it waits one step; False once the limit is over. A busy handler of apsw."""

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds

    def __call__(self, _calls: int = 0) -> bool:
        if time.monotonic() >= self._until:
            return False
        time.sleep(STEP_SECONDS)
        return True
