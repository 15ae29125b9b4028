"""A time limit on running queries: a statement that is still at work when it ends is interrupted, and the transaction goes on.

SQLite looks at the clock between the steps of its virtual machine, so one long step, such as FTS5 moving to the next row that
holds three words, is seen out.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import apsw

_STEPS = 400  # of the virtual machine between two looks at the clock: well under a millisecond


class OutOfTime(Exception):
    """The time for a query is over: whoever set the limit answers with what there is. Never leaves this package."""


@contextmanager
def time_limit(db: apsw.Connection, ends: float | None) -> Iterator[None]:
    """Interrupt the reads inside at `ends` (seconds of time.perf_counter; None: never) and raise OutOfTime.

    Limits nest: each raises for its own end, and the earliest is met first.
    """
    if ends is None:
        yield
        return

    def late() -> bool:
        return time.perf_counter() >= ends

    if late():
        raise OutOfTime
    mine = object()
    db.set_progress_handler(late, _STEPS, id=mine)
    try:
        yield
    except apsw.InterruptError as error:
        if late():
            raise OutOfTime from error
        raise
    finally:
        db.set_progress_handler(None, id=mine)
