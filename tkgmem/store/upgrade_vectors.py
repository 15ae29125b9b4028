"""Brings the vectors of a file of schema 1 or 2, which were in vec0 tables, to where they are now.

They are read from the tables beneath, whose schema is known: vec0 itself would trust what a file from elsewhere says in them.
"""

from __future__ import annotations

from typing import Any

import apsw

from tkgmem.store import vectors
from tkgmem.store.rows import Damaged

_TEXTS = {
    "episode": "SELECT id, group_id, content FROM episodes",
    "claim": (
        "SELECT c.id, c.group_id, coalesce(c.fact, s.name || ' ' || t.name) FROM claims c"
        " JOIN entities s ON s.id = c.source_id JOIN entities t ON t.id = c.target_id"
    ),
    "entity": "SELECT id, group_id, name FROM entities",
}
_VECTOR = (
    "SELECT substr(v.vectors, r.chunk_offset * :bytes + 1, :bytes) FROM {kind}_vectors_rowids r"
    " JOIN {kind}_vectors_vector_chunks00 v ON v.rowid = r.chunk_id WHERE r.rowid = :passage"
)
_BENEATH = ("info", "chunks", "rowids", "vector_chunks00")


def upgrade(db: apsw.Connection) -> None:
    """Move every vector and drop the vec0 tables."""
    embedder = vectors.kept(db)
    if embedder is None:
        return
    import numpy as np

    old = db.execute("SELECT id, episode_id, claim_id, entity_id FROM passages ORDER BY id").fetchall()
    db.execute("DELETE FROM passages")
    texts: dict[str, dict[Any, Any]] = {
        kind: {row: (group, text) for row, group, text in db.execute(query)} for kind, query in _TEXTS.items()
    }
    for passage, *owners in old:
        kind, owner = next((kind, owner) for kind, owner in zip(vectors.KINDS, owners, strict=True) if owner is not None)
        given = {"bytes": 4 * embedder.dimension, "passage": passage}
        blob = db.execute(_VECTOR.format(kind=kind), given).get
        row = np.frombuffer(blob, dtype="<f4") if isinstance(blob, bytes) and len(blob) == given["bytes"] else None
        if row is None or not np.isfinite(row).all():
            raise Damaged(f"vector {passage} of schema 2 is not one")
        group, text = texts[kind][owner]
        vectors.insert(db, kind, int(owner), group, row[None], text)
    db.create_module("vec0", _Emptied())
    for kind in vectors.KINDS:
        if db.table_exists("main", f"{kind}_vectors"):
            db.execute(f"DROP TABLE {kind}_vectors")
            for end in _BENEATH:
                db.execute(f"DROP TABLE {kind}_vectors_{end}")
    db.create_module("vec0", None)


class _Emptied:
    """Stands in for vec0 so that its tables can be dropped; what is beneath them is left to be dropped."""

    def Create(self, *_: Any, **__: Any) -> Any:  # noqa: N802
        """A table without anything in it."""
        return "CREATE TABLE emptied (a)", self

    Connect = Create

    def Destroy(self) -> None:  # noqa: N802
        """Nothing is kept."""

    Disconnect = Destroy

    def ShadowName(self, _suffix: str) -> bool:  # noqa: N802
        """Whether a table belongs to one of its own: none does."""
        return False
