"""Counts for people: how much is in the file."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from tkgmem.reports import Stats
from tkgmem.store import identity, model_calls, partition, summaries, vectors
from tkgmem.store.clocks import EVERYTHING, believed, holds
from tkgmem.store.facts import optional_datetime
from tkgmem.store.rows import in_list

_WAITING = (
    "SELECT count(*) FROM episodes WHERE group_id IN (SELECT value FROM json_each(:g)) AND expired_at IS NULL AND state = "
)
_COUNTS = {
    "episodes": "SELECT count(*) FROM episodes WHERE group_id IN (SELECT value FROM json_each(:g))",
    "pending": f"{_WAITING}'pending'",
    "failed": f"{_WAITING}'failed'",
    "entities": "SELECT count(*) FROM entities WHERE group_id IN (SELECT value FROM json_each(:g))",
    "claims": "SELECT count(*) FROM claims WHERE group_id IN (SELECT value FROM json_each(:g))",
    "facts": (
        "SELECT count(DISTINCT s.fact_id) FROM supports s JOIN claims c ON c.id = s.fact_id"
        f" WHERE c.group_id IN (SELECT value FROM json_each(:g)) AND {believed('s')}"
    ),
    "current_facts": (
        "SELECT count(*) FROM versions v"
        f" WHERE v.group_id IN (SELECT value FROM json_each(:g)) AND {believed('v')} AND {holds('v')}"
    ),
    "versions": "SELECT count(*) FROM versions WHERE group_id IN (SELECT value FROM json_each(:g))",
}


def stats(db: apsw.Connection, groups: Sequence[str] | None, now: int, file_bytes: int) -> Stats:
    """The counts of these groups, or of all."""
    names = [name for (name,) in db.execute("SELECT name FROM groups ORDER BY id") if groups is None or name in groups]
    rows = [
        row for (row,) in db.execute("SELECT id FROM groups WHERE name IN (SELECT value FROM json_each(?))", (in_list(names),))
    ]
    bindings = {"g": in_list(rows), "s": EVERYTHING, "t": now}
    counts = {name: int(db.execute(query, bindings).get) for name, query in _COUNTS.items()}
    counts["entities"] -= identity.number_merged(db, rows)
    first, last = db.execute(
        "SELECT min(created_at), max(created_at) FROM claims WHERE group_id IN (SELECT value FROM json_each(?))",
        (in_list(rows),),
    ).get
    embedder = vectors.kept(db)
    return Stats(
        groups=tuple(names),
        relations=int(db.execute("SELECT count(*) FROM relations WHERE expired_at IS NULL").get),
        file_bytes=file_bytes,
        embedder=None if embedder is None else str(embedder),
        first_learned=optional_datetime(first),
        last_learned=optional_datetime(last),
        model_use=model_calls.used(db, rows) | summaries.used(db, rows),
        communities=partition.sizes(db, rows)[0],
        **counts,
    )
