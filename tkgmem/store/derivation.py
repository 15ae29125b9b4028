"""Versions derived from the claims again, transaction by transaction: a pure function of the claims gives the same rows."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import apsw

from tkgmem.store import beliefs, claims, identity, relations
from tkgmem.store.rows import ClaimRow
from tkgmem.temporal.believed import Believed
from tkgmem.temporal.relations import Relations


def derive_from(db: apsw.Connection, rows: Sequence[ClaimRow], since: int) -> None:
    """Replay the derivation of these claims at every instant from `since` on at which something about them changed.

    rows: everything that can influence one another, of one group.
    """
    if rows:
        every = tables(db)
        _, links = claims.component(db, rows, every, ever=True)
        _derive(db, rows, links, since, every, relations.changes(db))


def tables(db: apsw.Connection) -> list[Relations]:
    """Every set of definitions that there ever was."""
    return [relations.load(db, at) for at in [relations.ALWAYS, *relations.changes(db)]]


def rebuild(db: apsw.Connection, seeds: Sequence[ClaimRow] | None = None) -> None:
    """Derive every version and support again: of all claims, or of all that are tied to the seeds."""
    waiting = {row.id: row for row in (claims.everything(db) if seeds is None else seeds)}
    every, redefined = tables(db), relations.changes(db)
    if seeds is None:
        beliefs.rewind(db, waiting, relations.ALWAYS)
    while waiting:
        seed = waiting[next(iter(waiting))]
        rows, links = claims.component(db, [seed], every, ever=True)
        ids = {row.id for row in rows} | {seed.id}
        if seeds is not None:
            beliefs.rewind(db, ids, relations.ALWAYS)
        _derive(db, rows, links, relations.ALWAYS, every, redefined)
        for row in ids:
            waiting.pop(row, None)


def _derive(
    db: apsw.Connection,
    rows: Sequence[ClaimRow],
    links: Sequence[claims.Link],
    since: int,
    every: Sequence[Relations],
    redefined: Sequence[int],
) -> None:
    """every: the definitions there ever were, the first before all instants in `redefined`, then those from each on."""
    instants = {at for row in rows for at in row.instants}
    instants |= {at for link in links for at in link[2:] if at is not None} | set(redefined)
    instants |= identity.changes(db, rows)
    ids = [row.id for row in rows]
    first = max(since, rows[0].created_at)  # nothing was believed before
    for at in sorted(instant for instant in instants if instant >= first):
        table = every[bisect_right(redefined, at)]
        believed = [row for row in rows if row.believed_at(at)]
        derived = Believed.of(claims.as_claims(db, believed, table, at), claims.as_conflicts(links, believed, at))
        beliefs.change(db, rows[0].group_id, ids, derived, at)
