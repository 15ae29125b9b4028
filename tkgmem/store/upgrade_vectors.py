"""Brings the vectors of a file of schema 1 or 2, which were in vec0 tables, to where they are now."""

from __future__ import annotations

from typing import Any

import apsw

from tkgmem.store import vectors

_TEXTS = {
    "episode": "SELECT id, group_id, content FROM episodes",
    "claim": (
        "SELECT c.id, c.group_id, coalesce(c.fact, s.name || ' ' || t.name) FROM claims c"
        " JOIN entities s ON s.id = c.source_id JOIN entities t ON t.id = c.target_id"
    ),
    "entity": "SELECT id, group_id, name FROM entities",
}


def upgrade(db: apsw.Connection) -> None:
    """Move every vector and drop the vec0 tables."""
    if vectors.kept(db) is None:
        return
    import numpy as np
    import sqlite_vec

    db.enable_load_extension(True)
    db.load_extension(sqlite_vec.loadable_path())
    db.enable_load_extension(False)
    old = db.execute("SELECT id, episode_id, claim_id, entity_id FROM passages ORDER BY id").fetchall()
    db.execute("DELETE FROM passages")
    texts: dict[str, dict[Any, Any]] = {
        kind: {row: (group, text) for row, group, text in db.execute(query)} for kind, query in _TEXTS.items()
    }
    for passage, *owners in old:
        kind, owner = next((kind, owner) for kind, owner in zip(vectors.KINDS, owners, strict=True) if owner is not None)
        blob = db.execute(f"SELECT embedding FROM {kind}_vectors WHERE rowid = ?", (passage,)).get
        group, text = texts[kind][owner]
        vectors.insert(db, kind, int(owner), group, np.frombuffer(blob, dtype=np.float32)[None], text)
    for kind in vectors.KINDS:
        db.execute(f"DROP TABLE IF EXISTS {kind}_vectors")
