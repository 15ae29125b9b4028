"""Gives the claims of a file of schema 1 to 3 what goes before their texts, which was kept in the full text alone.

And its definitions how they were given, as far as that can be told.
"""

from __future__ import annotations

import json

import apsw

from tkgmem.store import lexical, relations
from tkgmem.store.passages import claim_lead, claim_passage
from tkgmem.store.words import segment
from tkgmem.temporal.relations import Relation


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
    defined = (
        "SELECT r.id, r.name, r.functional, r.inverse, r.aliases FROM relations r JOIN transactions t"
        " ON t.created_at = r.created_at AND t.verb = 'define' AND t.reason = r.name ORDER BY r.id"
    )
    for row, name, functional, inverse, aliases in db.execute(defined).fetchall():
        given = Relation(str(name), bool(functional), inverse, tuple(json.loads(str(aliases))))  # type: ignore[arg-type]
        db.execute("UPDATE relations SET said = ? WHERE id = ?", (relations.as_said(given), row))
