"""What an undo takes back and brings back: rows whose belief began, or ended, with what is undone, and did not change since.

Undoing the same twice is redoing: what was brought back then ends again, and the other way round.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import apsw

from tkgmem.store.clocks import Told
from tkgmem.store.gaps import TABLES, instants
from tkgmem.store.rows import in_list

_FIRST_NAME = "r.episode_id IS NULL AND EXISTS (SELECT 1 FROM entities e WHERE e.id = r.entity_id AND e.name = r.name)"
"""An entity's own name stays: whoever is told of it again means the same one."""

_GROUP: Mapping[Told, str] = {
    "claim": "r.group_id",
    "episode": "r.group_id",
    "alias": "r.group_id",
    "merge": "r.group_id",
    "trait": "(SELECT e.group_id FROM entities e WHERE e.id = r.entity_id)",
    "move": "(SELECT c.group_id FROM claims c WHERE c.id = r.claim_id)",
    "conflict": "(SELECT c.group_id FROM claims c WHERE c.id = r.claim_id)",
}


@dataclass(slots=True)
class Rows:
    """The rows of each kind that are to be closed, and those that are to be believed again.

    again: closing claims that were closed before the span: with the gap (row) that tells how. otherwise: claims that are not
    believed as before the span, but were closed in another way then: with the gap that tells how.
    """

    closing: dict[Told, set[int]] = field(default_factory=lambda: {told: set() for told in TABLES})
    reopening: dict[Told, set[int]] = field(default_factory=lambda: {told: set() for told in TABLES})
    again: dict[int, int] = field(default_factory=dict)
    otherwise: dict[int, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.otherwise) or any(rows for side in (self.closing, self.reopening) for rows in side.values())

    def overrule(self, other: Rows, decided: Mapping[Told, set[int]]) -> None:
        """Take these rows in as well, in place of what is said here of those that they decide about."""
        for told in TABLES:
            self.closing[told] = self.closing[told] - decided[told] | other.closing[told]
            self.reopening[told] = self.reopening[told] - decided[told] | other.reopening[told]
        self.again = {row: gap for row, gap in self.again.items() if row not in decided["claim"]} | other.again


def _in_groups(told: Told, groups: Iterable[int] | None) -> str:
    """The condition on a row r that it is of these groups, or of any, and can be taken back."""
    group = "1" if groups is None else f"{_GROUP[told]} IN (SELECT value FROM json_each(:g))"
    return f"{group} AND NOT ({_FIRST_NAME})" if told == "alias" else group


def of_span(db: apsw.Connection, since: int, until: int, groups: Iterable[int] | None) -> Rows:
    """What began or ended in the system time [since, until), in these groups or in all.

    What was believed just before `since` and is not now, because that ended in the span and nothing happened to it later, is
    believed again; what was not and is now, likewise, no longer is.
    """
    found = Rows()
    for told, table in TABLES.items():
        gaps = f"FROM gaps x WHERE x.{told}_id = r.id"
        inside = "{0} >= :a AND {0} < :b"
        touched = (
            f"SELECT id FROM {table} WHERE {inside.format('created_at')} UNION SELECT id FROM {table}"
            f" WHERE {inside.format('expired_at')} UNION SELECT {told}_id FROM gaps WHERE {told}_id IS NOT NULL"
            f" AND {inside.format('expired_at')}"
        )
        before = (
            "r.created_at < :a AND (r.expired_at IS NULL OR r.expired_at >= :a)"
            f" AND NOT EXISTS (SELECT 1 {gaps} AND x.created_at < :a AND x.expired_at >= :a)"
        )
        last = (
            "max(r.created_at, coalesce(r.expired_at, r.created_at),"
            f" coalesce((SELECT max(x.expired_at) {gaps}), r.created_at))"
        )
        group = _in_groups(told, groups)
        bindings: dict[str, Any] = {"a": since, "b": until}
        if groups is not None:
            bindings["g"] = in_list(groups)
        was = f"(SELECT max(x.id) {gaps} AND x.created_at < :a AND x.expired_at >= :a)"
        query = (
            f"SELECT r.id, r.expired_at IS NULL, {before}, {was} FROM {table} r WHERE r.id IN ({touched}) AND {group}"
            f" AND {last} < :b ORDER BY r.id"
        )
        for row, now, then, gap in db.execute(query, bindings):
            if now and not then:
                found.closing[told].add(row)
                if told == "claim" and gap is not None:
                    found.again[row] = gap
            elif then and not now:
                found.reopening[told].add(row)
    _leave_corrected(db, found, since, until)
    found.otherwise = _closed_otherwise(db, since, until, groups)
    return found


def of_episode(db: apsw.Connection, episode: int) -> Rows:
    """What a text told: its claims, names, traits, merges and judgements; what its corrections closed is believed again."""
    found = Rows()
    for told, table in TABLES.items():
        if told == "move":
            continue
        column = "id" if told == "episode" else "episode_id"
        rows = db.execute(f"SELECT id FROM {table} WHERE {column} = ? AND expired_at IS NULL ORDER BY id", (episode,))
        found.closing[told] = {row for (row,) in rows}
    corrected = (
        "SELECT id FROM (SELECT id, episode_id FROM claims WHERE expired_by_episode_id = ?1 UNION SELECT c.id, c.episode_id"
        " FROM claims c JOIN claims n ON n.id = c.replaced_by_id WHERE n.episode_id = ?1) WHERE episode_id IS NOT ?1"
    )
    found.reopening["claim"] = {row for (row,) in db.execute(corrected, (episode,))}
    return found


def _leave_corrected(db: apsw.Connection, found: Rows, since: int, until: int) -> None:
    """Leave closed what was corrected, in the span, into a claim that changed again since."""
    back = "SELECT max(expired_at) FROM gaps x WHERE x.claim_id = n.id"
    last = f"coalesce(n.expired_at, n.created_at), coalesce(({back}), ?2)"
    query = (
        "WITH RECURSIVE chain (id, next) AS"
        " (SELECT id, replaced_by_id FROM claims WHERE id IN (SELECT value FROM json_each(?1))"
        " UNION SELECT chain.id, c.replaced_by_id FROM chain CROSS JOIN claims c ON c.id = chain.next)"
        " SELECT chain.id FROM chain CROSS JOIN claims n ON n.id = chain.next WHERE (n.created_at >= ?2 OR EXISTS (SELECT 1"
        f" FROM gaps x WHERE x.claim_id = n.id AND x.expired_at >= ?2)) AND max(n.created_at, {last}) >= ?3"
    )
    rows = in_list(sorted(found.reopening["claim"]))
    found.reopening["claim"] -= {row for (row,) in db.execute(query, (rows, since, until))}


def _closed_otherwise(db: apsw.Connection, since: int, until: int, groups: Iterable[int] | None) -> dict[int, int]:
    """The claims that were closed before a span and are closed since it, by another text or into another claim."""
    query = (
        "SELECT r.id, x.id FROM gaps x CROSS JOIN claims r ON r.id = x.claim_id WHERE x.expired_at >= :a AND x.expired_at < :b"
        " AND x.created_at < :a AND r.expired_at >= :a AND r.expired_at < :b AND r.created_at < :a"
        " AND (r.replaced_by_id IS NOT x.replaced_by_id OR r.expired_by_episode_id IS NOT x.by_episode_id)"
        f" AND {_in_groups('claim', groups)} ORDER BY x.id"
    )
    return dict(db.execute(query, {"a": since, "b": until, **({} if groups is None else {"g": in_list(groups)})}))


# --- imports ---


def last_rows(db: apsw.Connection) -> dict[Told, int]:
    """The highest row of each kind, 0 where there is none: what comes later is new."""
    return {told: int(db.execute(f"SELECT coalesce(max(id), 0) FROM {table}").get) for told, table in TABLES.items()}


def of_import(
    db: apsw.Connection,
    brought: Mapping[Told, Sequence[Any]],
    since: int,
    again: Iterable[int],
    groups: Iterable[int] | None = None,
) -> tuple[Rows, Mapping[Told, set[int]]]:
    """What an import brought, and the rows that this decides about, whatever their own instants say.

    brought: of each kind the first and the last new row, those that it closed, with when, and those that it brought back, with
    when they had been closed. since: what a row was just before it is what it is to be. again: the instants at which what the
    import closed was perhaps closed again.
    """
    found, decided = Rows(), dict[Told, set[int]]()
    for told, table in TABLES.items():
        first, last, closed, opened = brought.get(told, (1, 0, (), ()))
        group = _in_groups(told, groups)
        given: dict[str, Any] = {} if groups is None else {"g": in_list(groups)}
        new = f"SELECT r.id, r.expired_at IS NULL FROM {table} r WHERE r.id BETWEEN :first AND :last AND {group}"
        came = dict(db.execute(new, {**given, "first": first, "last": last}))
        listed = f"FROM {table} r JOIN json_each(:listed) j ON r.id = j.value ->> 0"
        gaps = f"FROM gaps x WHERE x.{told}_id = r.id"
        shut = (
            f"SELECT r.id, coalesce(r.expired_at = j.value ->> 1 OR (EXISTS (SELECT 1 {gaps} AND x.created_at = j.value ->> 1)"
            f" AND r.expired_at IN (SELECT value FROM json_each(:again))), 0) {listed} WHERE r.created_at < :a AND NOT EXISTS"
            f" (SELECT 1 {gaps} AND x.created_at < :a AND x.expired_at >= :a AND x.created_at <> j.value ->> 1) AND {group}"
        )
        gone = dict(db.execute(shut, {**given, "listed": in_list(closed), "a": since, "again": in_list(again)}))
        brought_back = (
            f"SELECT r.id, CASE WHEN r.expired_at IS NULL THEN (SELECT max(x.id) {gaps} AND x.created_at = j.value ->> 1) END"
            f" {listed} WHERE j.value ->> 1 < :a AND {group}"
        )
        back = dict(db.execute(brought_back, {**given, "listed": in_list(opened), "a": since}))
        found.reopening[told] = {row for row, is_shut in gone.items() if is_shut}
        found.closing[told] = {row for row, believed in came.items() if believed} | {row for row, gap in back.items() if gap}
        if told == "claim":
            found.again |= {row: gap for row, gap in back.items() if gap}
        decided[told] = {*came, *gone, *back}
    return found, decided


# --- what that concerns ---


def instants_of(db: apsw.Connection, episodes: Iterable[int]) -> set[int]:
    """When these texts were taken back, and brought back."""
    ids = in_list(sorted(episodes))
    since = "SELECT expired_at FROM episodes WHERE id IN (SELECT value FROM json_each(?)) AND expired_at IS NOT NULL"
    return instants(db, "episode", episodes) | {at for (at,) in db.execute(since, (ids,))}


def told_last(db: apsw.Connection, episodes: Iterable[int]) -> int:
    """When the last of these texts was stored, 0 if there is none."""
    query = "SELECT coalesce(max(created_at), 0) FROM episodes WHERE id IN (SELECT value FROM json_each(?))"
    return int(db.execute(query, (in_list(sorted(episodes)),)).get)


def claims_of(db: apsw.Connection, conflicts: Iterable[int], moves: Iterable[int]) -> set[int]:
    """The claims that these judged conflicts and moves are of."""
    judged, moved = in_list(sorted(conflicts)), in_list(sorted(moves))
    rows = db.execute(
        "SELECT claim_id FROM conflicts WHERE id IN (SELECT value FROM json_each(?1)) UNION"
        " SELECT other_id FROM conflicts WHERE id IN (SELECT value FROM json_each(?1)) UNION"
        " SELECT claim_id FROM moves WHERE id IN (SELECT value FROM json_each(?2))",
        (judged, moved),
    )
    return {row for (row,) in rows}


def entities_of(db: apsw.Connection, merges: Iterable[int]) -> set[int]:
    """The entities that these merges are of."""
    query = "SELECT entity_id, into_id FROM merges WHERE id IN (SELECT value FROM json_each(?))"
    return {entity for pair in db.execute(query, (in_list(sorted(merges)),)) for entity in pair}
