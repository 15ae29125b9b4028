"""The union of a file and a stream of records, in the caller's transaction: what is there stays, what is new comes in.

It is the same in either order and a repeat changes nothing. Versions are derived from the claims of both.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import apsw

from tkgmem.reports import MergeReport
from tkgmem.store import checks, claims, derivation, identity, lexical, relations, shelves, summaries, undone, vectors
from tkgmem.store.passages import claim_passage, episode_passage
from tkgmem.store.records import Record
from tkgmem.store.rows import in_list
from tkgmem.store.union import dated, definitions, gaps, keyed, namesakes, rival_starts
from tkgmem.store.union.coming import Coming, Kind
from tkgmem.store.union.wide import Wide

if TYPE_CHECKING:
    from tkgmem.protocols import Vectors

__all__ = ["Missing", "Union"]


class Missing(Exception):
    """Texts that have no vector yet; nothing was written that is to stay."""

    def __init__(self, texts: list[str]) -> None:
        super().__init__(f"{len(texts)} texts without a vector")
        self.texts = texts


class Union:
    """Takes records in, in the order of the format.

    foreign: they are another program's, whose uuids mean one thing each. known: vectors of texts, by the text.
    fingerprint: of the embedder that makes this file's vectors. same: it made those among the records, too.
    """

    def __init__(
        self,
        db: apsw.Connection,
        known: Mapping[str, Vectors],
        *,
        fingerprint: vectors.Fingerprint,
        same: bool = False,
        foreign: bool = False,
    ) -> None:
        self._db, self._vectors, self._fingerprint, self._same = db, known, fingerprint, same
        self._coming = Coming(db, by_uuid=foreign)
        self._last = undone.last_rows(db)
        self._defined = relations.as_they_are(db)
        self._definitions: list[Record] = []
        self._corrected: list[Record] = []
        self._names: dict[int, None] = {}
        self._new_names: dict[int, None] = {}
        self._given: set[tuple[Kind, int]] = set()
        self._frames: list[Record] = []
        self._wide = Wide(self._coming, dimension=fingerprint.dimension if same else None)
        last = "SELECT (SELECT coalesce(max(id), 0) FROM aliases), (SELECT coalesce(max(id), 0) FROM entities)"
        self._last_alias, self._last_entity = db.execute(last).get
        self._takes: dict[str, Callable[[Record], object]] = {
            "relation": self._definitions.append,
            "episode": lambda record: keyed.episode(self._coming, record),
            "entity": lambda record: keyed.entity(self._coming, record),
            "alias": self._alias,
            "trait": lambda record: dated.trait(self._coming, record),
            "mention": lambda record: dated.mention(self._coming, record),
            "claim": self._claim,
            "conflict": lambda record: dated.conflict(self._coming, record),
            "merge": lambda record: dated.merge(self._coming, record),
            "move": lambda record: dated.move(self._coming, record),
            "transaction": lambda record: dated.transaction(self._coming, record),
            "pass": self._wide.take_pass,
            "community": self._wide.take_community,
            "member": self._wide.take_member,
            "summary": self._wide.take_summary,
            "summary_call": self._wide.take_call,
            "model_call": lambda record: dated.model_call(self._coming, record),
            "vector": self._vector,
            "frame": self._frames.append,
        }

    def add(self, record: Record) -> None:
        """Take one checked record in. ValueError for a reference to nothing, or out of the group."""
        self._takes[record["type"]](record)

    def finish(self) -> MergeReport:
        """Join, index and derive. Raises Missing, before anything is derived, if texts have no vector."""
        coming = self._coming
        for record in self._corrected:
            keyed.replaced(coming, record)
        gaps.name_successors(coming)
        defined, redefined = definitions.unite(coming, self._definitions)
        joined = namesakes.join(coming, set(self._names), self._last_alias, self._last_entity)
        self._index(self._wide.keep())
        for record in self._frames:
            self._frame(record)
        _tick_all(self._db)
        rows = claims.by_ids(self._db, sorted(coming.seeds))
        rows += claims.touching(self._db, identity.ever_one_with(self._db, coming.touched)) if coming.touched else []
        rivals = rival_starts.find(coming, self._fresh_claims())
        if redefined or rows:
            derivation.rebuild(self._db, None if redefined else list({row.id: row for row in rows}.values()))
        return MergeReport(
            episodes=sum(row in coming.episodes.fresh for row in coming.episodes.groups),
            entities=len(coming.entities.fresh),
            claims=len(coming.claims.fresh),
            changed=coming.changed,
            definitions=defined,
            joined=joined,
            conflicts=(*coming.conflicts, *rivals),
        )

    @property
    def brought(self) -> dict[str, Any]:
        """Which rows came in, were closed and brought back, and the definitions that changed: what undoing this takes."""
        now, closed, opened = undone.last_rows(self._db), self._coming.closed, self._coming.opened
        rows = {
            told: [first + 1, now[told], closed.get(told, []), opened.get(told, [])]
            for told, first in self._last.items()
            if now[told] > first or closed.get(told) or opened.get(told)
        }
        before, after = self._defined, relations.as_they_are(self._db)
        names = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
        changed = {
            name: [before.get(name), after.get(name)]
            for name in names
            if name in before or not relations.from_said(name, after[name]).is_plain
        }
        return {"rows": rows, **({"defined": changed} if changed else {})}

    def _fresh_claims(self) -> list[int]:
        return [*self._coming.claims.fresh]

    def _alias(self, record: Record) -> None:
        row, outcome = dated.alias(self._coming, record)
        self._names[row] = None
        if outcome == "new" and record.get("episode") is None:
            self._new_names[row] = None

    def _claim(self, record: Record) -> None:
        keyed.claim(self._coming, record)
        if record.get("replaced_by") is not None:
            self._corrected.append(record)

    # --- full text and vectors ---

    def _vector(self, record: Record) -> None:
        import numpy as np

        kind: Kind = record["kind"]
        known = self._coming.known(kind)
        row = self._coming.row(kind, record["uuid"])
        if not self._same or (row not in known.fresh and row not in known.filled):
            return
        if row in known.filled and (kind, row) not in self._given:
            vectors.forget(self._db, kind, [row])
        blob, size = base64.b64decode(record["vector"], validate=True), self._fingerprint.dimension
        vector = np.frombuffer(blob if len(blob) == 4 * size else b"", dtype="<f4").astype(np.float32)
        if not 0.999 < float(vector @ vector) < 1.001:  # what is no number does not pass either
            raise ValueError(f"the {kind} {record['uuid']!r} has no vector of {size} finite numbers and unit length")
        shelves.add(self._db, shelves.at(self._db, kind, known.groups[row], record["language"]), row, vector[None])
        self._given.add((kind, row))

    def _index(self, of_summaries: Mapping[int, str]) -> None:
        """Make what is new searchable, in the order it came. of_summaries: versions without a vector, with their texts."""
        waiting: list[tuple[Kind, int, int, str]] = []
        for row, speaker, content, state in self._read("SELECT id, speaker, content, state FROM episodes", "episode"):
            if state != "pending":
                text = episode_passage(content, speaker)
                lexical.index_episode(self._db, row, text)
                waiting.append(("episode", row, self._coming.episodes.groups[row], text))
        unheard = [row for row in self._coming.claims.filled if ("claim", row) not in self._given]
        vectors.forget(self._db, "claim", unheard)
        for row, lead, fact in self._read("SELECT id, lead, fact FROM claims", "claim"):
            text = claim_passage(lead, fact)
            lexical.index_claim(self._db, row, text)
            waiting.append(("claim", row, self._coming.claims.groups[row], text))
        query = "SELECT entity_id, group_id, name FROM aliases WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id"
        names: list[Any] = self._db.execute(query, (in_list(self._new_names),)).fetchall()
        waiting += [("entity", *row) for row in names]
        waiting = [one for one in waiting if one[:2] not in self._given]
        texts = [*(text for *_, text in waiting), *of_summaries.values()]
        if missing := [text for text in texts if text not in self._vectors]:
            raise Missing(list(dict.fromkeys(missing)))
        for kind, row, group, text in waiting:
            vectors.insert(self._db, kind, row, group, self._vectors[text], text)
        for row, text in of_summaries.items():
            summaries.set_vector(self._db, row, text, self._vectors[text])

    def _read(self, query: str, kind: Kind) -> list[Any]:
        known = self._coming.known(kind)
        rows = in_list({**known.fresh, **known.filled})
        return self._db.execute(f"{query} WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id", (rows,)).fetchall()

    def _frame(self, record: Record) -> None:
        """Compare a shelf's vectors as the other file does, where it holds just these."""
        group = self._coming.group(record["group"])
        shelf = shelves.at(self._db, record["kind"], group, record["language"])
        fresh = set(self._coming.known(record["kind"]).fresh)
        if self._same and shelf.size == record["size"] and shelves.owners(self._db, shelf) <= fresh:
            blob = base64.b64decode(record["frame"], validate=True)
            shelves.set_frame(self._db, shelf, blob, record["framed"], self._fingerprint.dimension)


def _tick_all(db: apsw.Connection) -> None:
    """Every instant at which something began or ceased to be believed is a tick."""
    instants = " UNION ".join(f"SELECT {column} AS at FROM {table}" for table, column in checks.TICKS)
    db.execute(
        f"INSERT INTO transactions (created_at, verb) SELECT at, 'import' FROM ({instants}) WHERE at IS NOT NULL"
        " AND at NOT IN (SELECT created_at FROM transactions) ORDER BY at"
    )
