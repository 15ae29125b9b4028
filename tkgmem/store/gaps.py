"""Stretches of system time in which what was told was not believed, because an undo took it back until another brought it back.

A row of what was told is never edited but for when its belief ends; what was closed and is believed again keeps the stretch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import apsw

from tkgmem.store.clocks import Told
from tkgmem.store.rows import in_list

TABLES: Mapping[Told, str] = {
    "claim": "claims",
    "episode": "episodes",
    "alias": "aliases",
    "trait": "traits",
    "merge": "merges",
    "move": "moves",
    "conflict": "conflicts",
}
"""Where what is told is kept."""

Stretch = tuple[int, int]
"""Instants of system time [from, until)."""


def close(db: apsw.Connection, told: Told, rows: Iterable[int], at: int) -> None:
    """Stop believing these rows at a system time."""
    query = f"UPDATE {TABLES[told]} SET expired_at = ? WHERE id IN (SELECT value FROM json_each(?)) AND expired_at IS NULL"
    db.execute(query, (at, in_list(rows)))


def close_again(db: apsw.Connection, claims: Mapping[int, int], at: int) -> None:
    """Close claims as they were closed in a gap (its row): by which text, and into which claim."""
    db.executemany(
        "UPDATE claims SET (expired_at, expired_by_episode_id, replaced_by_id) = (SELECT ?1, by_episode_id, replaced_by_id"
        " FROM gaps WHERE id = ?3) WHERE id = ?2",
        [(at, claim, gap) for claim, gap in sorted(claims.items())],
    )


def reopen(db: apsw.Connection, told: Told, rows: Iterable[int], at: int) -> None:
    """Believe these rows again from a system time on; how they were closed is kept with the stretch until then."""
    ids = in_list(rows)
    closer = "expired_by_episode_id, replaced_by_id" if told == "claim" else "NULL, NULL"
    db.execute(
        f"INSERT INTO gaps ({told}_id, created_at, expired_at, by_episode_id, replaced_by_id)"
        f" SELECT id, expired_at, ?1, {closer} FROM {TABLES[told]} WHERE id IN (SELECT value FROM json_each(?2)) ORDER BY id",
        (at, ids),
    )
    more = ", expired_by_episode_id = NULL, replaced_by_id = NULL" if told == "claim" else ""
    db.execute(f"UPDATE {TABLES[told]} SET expired_at = NULL{more} WHERE id IN (SELECT value FROM json_each(?))", (ids,))


def returned(db: apsw.Connection, at: int) -> list[int]:
    """When what is believed again from `at` on had been closed."""
    return [start for (start,) in db.execute("SELECT DISTINCT created_at FROM gaps WHERE expired_at = ? ORDER BY 1", (at,))]


def instants(db: apsw.Connection, told: Told, rows: Iterable[int]) -> set[int]:
    """The instants at which the gaps of these rows begin and end."""
    found = db.execute(
        f"SELECT created_at, expired_at FROM gaps WHERE {told}_id IN (SELECT value FROM json_each(?))", (in_list(rows),)
    )
    return {at for pair in found for at in pair}


def forget(db: apsw.Connection, episodes: Iterable[int]) -> None:
    """Delete the gaps that began with corrections of these episodes."""
    db.execute("DELETE FROM gaps WHERE by_episode_id IN (SELECT value FROM json_each(?))", (in_list(sorted(episodes)),))


def closed_by(db: apsw.Connection, episodes: Iterable[int], claims: Iterable[int]) -> dict[int, int]:
    """The claims that corrections of these episodes, or into these claims, closed before an undo: claim to since when."""
    of = "IN (SELECT value FROM json_each(?{}))"
    return dict(
        db.execute(
            f"SELECT claim_id, min(created_at) FROM gaps WHERE claim_id IS NOT NULL AND (by_episode_id {of.format(1)}"
            f" OR replaced_by_id {of.format(2)}) GROUP BY claim_id",
            (in_list(episodes), in_list(claims)),
        )
    )
