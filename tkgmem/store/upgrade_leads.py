"""Gives the claims of a file of schema 1 to 3 what goes before their texts, which was kept in the full text alone."""

from __future__ import annotations

import apsw

from tkgmem.store import lexical
from tkgmem.store.passages import claim_lead, claim_passage
from tkgmem.store.words import segment


def upgrade(db: apsw.Connection) -> None:
    """By the entities' names; a claim whose source called them otherwise is indexed anew."""
    rows = db.execute(
        "SELECT c.id, s.name, c.relation, t.name, c.fact, f.text FROM claims c JOIN entities s ON s.id = c.source_id"
        " JOIN entities t ON t.id = c.target_id LEFT JOIN claim_text f ON f.rowid = c.id ORDER BY c.id"
    ).fetchall()
    for row, source, relation, target, fact, indexed in rows:
        lead = claim_lead(str(source), str(relation), str(target), fact)  # type: ignore[arg-type]
        db.execute("UPDATE claims SET lead = ? WHERE id = ?", (lead, row))
        text = claim_passage(lead, fact)  # type: ignore[arg-type]
        if indexed != segment(text):
            lexical.index_claim(db, int(row), text)  # type: ignore[arg-type]
