"""The gaps of a row that two files know: those of both. What one side closed and the other brought back is back."""

from __future__ import annotations

from tkgmem.store.clocks import Told
from tkgmem.store.records import Record
from tkgmem.store.union.coming import Coming


def take(coming: Coming, told: Told, row: int, record: Record) -> bool:
    """Give a row the gaps of a record; whether one of them is new."""
    new = False
    for gap in record.get("gaps", ()):
        values = {"row": row, "from": gap["created_at"], "until": gap["expired_at"]}
        same = f"SELECT 1 FROM gaps WHERE {told}_id = :row AND created_at = :from AND expired_at = :until"
        if coming.db.execute(f"SELECT EXISTS ({same})", values).get:
            continue
        values["by"] = coming.optional("episode", gap.get("expired_by"))
        coming.db.execute(
            f"INSERT INTO gaps ({told}_id, created_at, expired_at, by_episode_id) VALUES (:row, :from, :until, :by)", values
        )
        new = True
        if gap.get("replaced_by") is not None:
            coming.successors.append((coming.db.last_insert_rowid(), row, gap["replaced_by"]))
    return new


def end(coming: Coming, told: Told, row: int, own: int | None, other: int | None) -> int | None:
    """When the belief in a row that has its gaps already ends, of the ends that two sides tell: the earlier one that stands."""
    starts = {start for (start,) in coming.db.execute(f"SELECT created_at FROM gaps WHERE {told}_id = ?", (row,))}
    return min((at for at in (own, other) if at is not None and at not in starts), default=None)


def name_successors(coming: Coming) -> None:
    """Once all claims are there: the claims that had taken the place of others while these were closed."""
    for gap, row, uuid in coming.successors:
        successor = coming.row("claim", uuid, coming.claims.groups[row])
        coming.db.execute("UPDATE gaps SET replaced_by_id = ? WHERE id = ?", (successor, gap))
