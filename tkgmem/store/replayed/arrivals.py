"""When rows came to a file: those of an import with it, whatever their own instants are; all others when they were told.

An import names the rows that it brought. One of an earlier version is known by its claims: rows are numbered as they come and
the clock never steps back, so a claim that is earlier than one before it came from elsewhere, no sooner than that one.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import apsw

from tkgmem.store.relations import ALWAYS
from tkgmem.store.replayed.rows import GAPS


@dataclass(slots=True)
class Arrivals:
    """When the rows of a file came to it."""

    db: apsw.Connection
    _brought: dict[str, list[tuple[int, int, int]]] = field(default_factory=dict)
    _late: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        tables = {column.removesuffix("_id"): table for column, table in GAPS.items()}
        imports: Any = self.db.execute(
            "SELECT created_at, detail FROM transactions WHERE verb = 'import' AND detail IS NOT NULL ORDER BY id"
        )
        for at, detail in imports:
            rows = json.loads(detail).get("rows", {})
            if all(first == 1 for first, *_ in rows.values()):
                continue  # nothing was there before: it is as if all of it had been told here
            for told, (first, last, *_) in rows.items():
                self._brought.setdefault(tables[told], []).append((first, last, at))
        latest = ALWAYS
        claims: Any = self.db.execute("SELECT id, created_at FROM claims ORDER BY id")
        for row, at in claims:
            if self._by_import("claims", row) is None:
                if at < latest:
                    self._late[row] = latest
                latest = max(latest, at)

    @property
    def any_came(self) -> bool:
        """Whether anything came from another file, to what was there."""
        return bool(self._brought or self._late)

    def _by_import(self, table: str, row: int) -> int | None:
        return next((at for first, last, at in self._brought.get(table, ()) if first <= row <= last), None)

    def of(self, table: str, row: int, at: int) -> int:
        """When a row that was told at an instant came to the file."""
        brought = self._by_import(table, row)
        late = self._late.get(row) if table == "claims" else None
        return max(at, at if brought is None else brought, at if late is None else late)

    def came(self, table: str, row: int) -> bool:
        """Whether a row came from another file."""
        return self._by_import(table, row) is not None or (table == "claims" and row in self._late)
