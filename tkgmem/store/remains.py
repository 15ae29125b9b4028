"""Copies of deleted values in the unused bytes of the file: they are looked for, and only where there are any it is made anew.

`secure_delete` overwrites a row where it lies. But where a page fills or empties, SQLite moves rows to the pages beside it and
leaves the old copies in the gap that they came from, where no later DELETE reaches them. VACUUM writes the rows that are left.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING

import apsw

from tkgmem.store.words import segment

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Windows = NDArray[np.uint64]

_MARK = "remains"
_WIDTH = 6  # bytes that are compared: a pair of CJK characters
_LEAST = 3  # bytes of a value that is worth looking for
_ZEROS = 3  # so many zero bytes in a window say nothing
_MOST, _PART = 1_000_000, 20  # bytes of values, and what part of the file: to look for more costs more than to make it anew
_CHUNK = 1_000_000
_DOUBTS = 64  # windows that may be in rows that stay as well
_LEAVES, _INTERIORS = (0x0A, 0x0D), (0x02, 0x05)
_REWRITTEN = {"transactions": "reason", "entities": "name"}
"""What forgetting changes in rows that stay."""


@contextmanager
def noted(db: apsw.Connection) -> Iterator[list[str | bytes]]:
    """The texts and blobs of the rows that are deleted inside, whatever deletes them. The list is complete at the end."""
    found: list[str | bytes] = []
    triggers = []
    db.execute("CREATE TEMP TABLE deleted (value)")
    for table, columns in _columns(db).items():
        old = ", ".join(f"(old.{column})" for column in columns)
        events = ["DELETE", *(f"UPDATE OF {column}" for name, column in _REWRITTEN.items() if name == table)]
        for place, event in enumerate(events):
            triggers.append(f"{table}_{place}")
            db.execute(
                f"CREATE TEMP TRIGGER {triggers[-1]} BEFORE {event} ON main.{table} BEGIN INSERT INTO deleted VALUES {old}; END"
            )
    yield found
    if not db.in_transaction:  # a rehearsal rolls back by itself
        return
    wanted = "SELECT DISTINCT value FROM temp.deleted WHERE length(CAST(value AS BLOB)) >= ?"
    found += [value for (value,) in db.execute(wanted, (_LEAST,)) if isinstance(value, str | bytes)]
    for trigger in triggers:
        db.execute(f"DROP TRIGGER temp.{trigger}")
    db.execute("DROP TABLE temp.deleted")


def _columns(db: apsw.Connection) -> dict[str, list[str]]:
    """The columns of our own tables that hold texts and blobs."""
    found: dict[str, list[str]] = {}
    for table, column in db.execute(
        "SELECT m.name, c.name FROM main.sqlite_schema m JOIN pragma_table_info(m.name, 'main') c WHERE m.type = 'table'"
        " AND m.sql LIKE '% STRICT%' AND c.type IN ('TEXT', 'BLOB') ORDER BY m.name, c.cid"
    ):
        found.setdefault(table, []).append(column)
    return found


def found(db: apsw.Connection, values: Sequence[str | bytes]) -> bool:
    """Whether a part of these values is in an unused part of the file, and nowhere in what is used.

    Parts are of six bytes, or a whole value of three to five; a text also as the full text has it. True where it would take too
    long to tell. It reads the file into memory.
    """
    size = int(db.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").get)
    if sum(map(len, values)) > min(_MOST, size // _PART):
        return True
    texts = [value for value in values if isinstance(value, str)]
    written = {text.encode() for text in [*texts, *map(segment, texts)]}
    wanted = sorted(written.union(value for value in values if isinstance(value, bytes)))
    needles = _windows(b"\0".join(wanted))
    short = [value.strip() for value in wanted if _LEAST <= len(value.strip()) < _WIDTH]
    image = db.serialize("main")
    gaps = list(_gaps(image, [root for (root,) in db.execute("SELECT rootpage FROM sqlite_schema WHERE rootpage > 0")]))
    doubtful: set[bytes] = set()
    for chunk in _chunks(gaps):
        doubtful.update(value for value in short if value in chunk)
        doubtful.update(_bytes(window) for window in _shared(needles, _windows(chunk)))
        if len(doubtful) > _DOUBTS:
            return True
    return any(image.count(part) <= sum(gap.count(part) for gap in gaps) for part in sorted(doubtful))


def _gaps(image: bytes, roots: Iterable[int]) -> Iterator[bytes]:
    """What is not zero between the cell pointers and the cells of each page of the trees, and in the pages that are free."""
    size = 65_536 if image[16:18] == b"\0\x01" else int.from_bytes(image[16:18])
    waiting = [1, *roots]
    while waiting:
        page = waiting.pop()
        start = (page - 1) * size
        head = start + 100 * (page == 1)
        kind, cells = image[head], int.from_bytes(image[head + 3 : head + 5])
        if kind not in _LEAVES + _INTERIORS:
            continue
        pointers = head + (8 if kind in _LEAVES else 12)
        if kind in _INTERIORS:
            places = range(pointers, pointers + 2 * cells, 2)
            waiting += [_number(image, start + int.from_bytes(image[place : place + 2])) for place in places]
            waiting.append(_number(image, head + 8))
        content = int.from_bytes(image[head + 5 : head + 7]) or 65_536
        gap = image[pointers + 2 * cells : start + content].strip(b"\0")
        if gap:
            yield gap
    trunk = _number(image, 32)
    while trunk:
        start = (trunk - 1) * size
        free = range(start + 8, start + 8 + 4 * _number(image, start + 4), 4)
        for page in [_number(image, place) for place in free]:
            if gap := image[(page - 1) * size : page * size].strip(b"\0"):
                yield gap
        trunk = _number(image, start)


def _number(image: bytes, place: int) -> int:
    return int.from_bytes(image[place : place + 4])


def _chunks(gaps: Iterable[bytes]) -> Iterator[bytes]:
    parts: list[bytes] = []
    for gap in chain(gaps, [b""]):
        parts.append(gap)
        if not gap or sum(map(len, parts)) >= _CHUNK:
            yield b"\0".join(parts)
            parts = []


def _windows(data: bytes) -> Windows:
    """Every stretch of six bytes, as a number, but for those that are mostly zeros."""
    import numpy as np

    count = max(0, len(data) - _WIDTH + 1)
    row = np.frombuffer(data, np.uint8)
    windows, zeros = np.zeros(count, np.uint64), np.zeros(count, np.uint8)
    for place in range(_WIDTH if count else 0):
        part = row[place : place + count]
        windows = (windows << np.uint64(8)) | part
        zeros += part == 0
    return np.unique(windows[zeros < _ZEROS])


def _shared(one: Windows, other: Windows) -> list[int]:
    import numpy as np

    both: list[int] = np.intersect1d(one, other, assume_unique=True).tolist()
    return both


def _bytes(window: int) -> bytes:
    return window.to_bytes(_WIDTH)


def mark(db: apsw.Connection) -> None:
    """Keep in the file that it is to be made anew, so that it is even if this process ends now."""
    db.execute("INSERT INTO meta (key, value) VALUES (?, 'to be removed') ON CONFLICT DO NOTHING", (_MARK,))


def is_marked(db: apsw.Connection) -> bool:
    """Whether the file is to be made anew."""
    return bool(db.execute("SELECT EXISTS (SELECT 1 FROM meta WHERE key = ?)", (_MARK,)).get)


def remove(db: apsw.Connection) -> None:
    """Make the file anew, outside of a transaction. It takes the memory and for a while the space of one more copy of it."""
    db.execute("VACUUM")
    db.execute("DELETE FROM meta WHERE key = ?", (_MARK,))


def forget_statistics(db: apsw.Connection) -> None:
    """Drop what ANALYZE kept: it holds values of rows."""
    for (table,) in db.execute("SELECT name FROM sqlite_schema WHERE name GLOB 'sqlite_stat[0-9]'").fetchall():
        if re.fullmatch(r"sqlite_stat\d", str(table)):
            db.execute(f"DROP TABLE {table}")
