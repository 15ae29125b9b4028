"""What is derived, made again: full text and vectors from the rows, or all vectors by another model.

Every step is a short transaction that leaves the file right, so it can stop at any moment. No lock is held while a model works.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tkgmem.errors import StoreError, WriteConflict
from tkgmem.protocols import Embedder
from tkgmem.reports import ReindexReport
from tkgmem.store import next_vectors, passages, summary_vectors, text_state, vector_state, vectors
from tkgmem.store.connection import Connection, Store
from tkgmem.store.vector_state import Owner, Texts
from tkgmem.store.vectors import Fingerprint

if TYPE_CHECKING:
    from tkgmem.protocols import Vectors

BATCH = 64
"""How many texts are embedded together."""

_ROWS = 512  # of a full text that are written together

Progress = Callable[[int, int], object]


def reindex(store: Store, embedder: Embedder, *, progress: Progress | None = None) -> ReindexReport:
    """Make the full text again from the rows, and what vectors are missing or wrong (see `Memory.reindex`)."""
    mine = passages.fingerprint(embedder)
    with store.write() as db:
        require(db, mine, store.path)
    mend_texts(store)
    texts = 0
    for number, table in enumerate(text_state.TABLES):
        with store.write() as db:
            texts += text_state.rebuild(db, table)
        if progress is not None:
            progress(number + 1, len(text_state.TABLES))
    made = mend_vectors(store, embedder, progress=progress) + mend_summaries(store, embedder)
    mend_shelves(store, mine)
    return ReindexReport(texts, made, str(mine))


def require(db: Connection, mine: Fingerprint, path: str) -> None:
    """Let the file's vectors be this embedder's; EmbedderMismatch if they are another's."""
    if not vectors.check_embedder(db, mine, path):
        vectors.adopt(db, mine)


def mend_texts(store: Store) -> None:
    """Put right the rows of the full text that are not in step with what they are of."""
    for table in text_state.TABLES:
        with store.read() as db:
            wrong = [entry.row for entry in text_state.out_of_step(db, table)]
        for start in range(0, len(wrong), _ROWS):
            with store.write() as db:
                text_state.mend(db, table, list(text_state.out_of_step(db, table, wrong[start : start + _ROWS])))


def mend_vectors(store: Store, embedder: Embedder, *, progress: Progress | None = None) -> int:
    """Make the vectors that are missing, and anew those that are wrong; how many. What is right stays as it is."""
    mine = passages.fingerprint(embedder)
    with store.read() as db:
        _, wrong = vector_state.out_of_step(db, mine.dimension)
    owners = list(dict.fromkeys(owner for found in wrong.values() for owner in found))
    made = 0
    for start in range(0, len(owners), BATCH):
        with store.read() as db:
            batch = owners[start : start + BATCH]
            found = [(owner, texts) for owner in batch if (texts := vector_state.texts_of(db, owner)) is not None]
        embedded = list(_embedded(embedder, found))
        with store.write() as db:
            require(db, mine, store.path)
            for owner, texts, rows in embedded:
                if vector_state.texts_of(db, owner) == texts:  # nobody changed it meanwhile
                    vectors.forget(db, owner.kind, [owner.row])
                    for text, some in zip(texts.texts, rows, strict=True):
                        vectors.insert(db, owner.kind, owner.row, texts.group_id, some, text)
                        made += len(some)
        if progress is not None:
            progress(min(start + BATCH, len(owners)), len(owners))
    return made


def mend_summaries(store: Store, embedder: Embedder) -> int:
    """Make the vectors of summaries that are missing or wrong, and remove those of none; how many were made."""
    mine = passages.fingerprint(embedder)
    with store.read() as db:
        wrong = [row for row, _ in summary_vectors.out_of_step(db, mine.dimension)]
        wanted = summary_vectors.texts(db, wrong)
    if not wrong:
        return 0
    made = _of_summaries(embedder, wanted)
    with store.write() as db:
        require(db, mine, store.path)
        summary_vectors.drop(db, wrong)
        return summary_vectors.put(db, made)


def _of_summaries(embedder: Embedder, wanted: Mapping[int, str]) -> dict[int, tuple[str, Vectors]]:
    """The vectors of the pieces of each text, with that text, by the row of its version."""
    rows, made = list(wanted.items()), dict[int, "tuple[str, Vectors]"]()
    for start in range(0, len(rows), BATCH):
        batch = rows[start : start + BATCH]
        pieces = passages.embed(embedder, [text for _, text in batch])
        made |= {row: (text, some) for (row, text), some in zip(batch, pieces, strict=True)}
    return made


def mend_waiting(store: Store) -> None:
    """Throw away what was made for another model, if some of it cannot be used: it is made again when it is asked for."""
    with store.write() as db:
        if next_vectors.unusable(db):
            next_vectors.discard(db)


def mend_shelves(store: Store, mine: Fingerprint) -> None:
    """Put right the counts, frames and signatures of the shelves that are wrong."""
    with store.write() as db:
        require(db, mine, store.path)
        if vector_state.mend_shelves(db, mine.dimension):
            store.matrices.clear()


def _embedded(embedder: Embedder, owners: Sequence[tuple[Owner, Texts]]) -> Iterator[tuple[Owner, Texts, list[Vectors]]]:
    """The vectors of some owners, made in one batch: for each of its texts those of its pieces."""
    rows = iter(passages.embed(embedder, [text for _, texts in owners for text in texts.texts]))
    for owner, texts in owners:
        yield owner, texts, [next(rows) for _ in texts.texts]


# --- another model ---


def reembed(path: str | Path, embedder: Embedder, *, progress: Progress | None = None) -> ReindexReport:
    """Make all vectors of a file anew, by any embedder (see `tkgmem.reembed`)."""
    if not Path(path).exists():
        raise StoreError(f"cannot re-embed {path}: there is no such file")
    mine = passages.fingerprint(embedder)
    with Store(path) as store:
        with store.write() as db:
            next_vectors.begin(db, mine)
        made, of_summaries = None, dict[int, "tuple[str, Vectors]"]()
        while made is None:
            _make_waiting(store, embedder, mine, progress)
            with store.read() as db:
                lacking = _lacking(db, of_summaries)
            of_summaries |= _of_summaries(embedder, lacking)
            made = _change_over(store, embedder, mine, of_summaries)
        with store.read() as db:
            return ReindexReport(0, made, str(vectors.kept(db)))


def _make_waiting(store: Store, embedder: Embedder, mine: Fingerprint, progress: Progress | None) -> None:
    """Make the vectors that are lacking beside those in use, a batch at a time."""
    with store.read() as db:
        total = sum(vector_state.number_due(db, kind) for kind in vectors.KINDS)
        done = total - next_vectors.number_lacking(db)
    for kind in vectors.KINDS:
        after = 0
        while True:
            with store.read() as db:
                found = next_vectors.lacking(db, kind, after=after, limit=BATCH)
            if not found:
                break
            embedded = list(_embedded(embedder, found))
            with store.write() as db:
                _require_coming(db, mine, store.path)
                _put(db, embedded)
            after, done = found[-1][0].row, done + len(found)
            if progress is not None:
                progress(min(done, total), total)


def _put(db: Connection, embedded: Iterable[tuple[Owner, Texts, list[Vectors]]]) -> None:
    for owner, texts, rows in embedded:
        if vector_state.texts_of(db, owner) == texts:  # what changed meanwhile is lacking still
            next_vectors.put(db, owner, rows)


def _require_coming(db: Connection, mine: Fingerprint, path: str) -> None:
    coming = next_vectors.coming(db)
    if coming != mine:
        raise WriteConflict(
            f"the vectors of {path} are being made anew by {coming}, which was begun later, not by {mine}"
            if coming is not None
            else f"the vectors of {path} were made anew by another process meanwhile; nothing is left to do"
        )


def _lacking(db: Connection, made: Mapping[int, tuple[str, Vectors]]) -> dict[int, str]:
    """The texts of summaries that no vector was made of yet. They are few, so these wait in memory."""
    return {row: text for row, text in summary_vectors.texts(db).items() if row not in made or made[row][0] != text}


def _change_over(
    store: Store, embedder: Embedder, mine: Fingerprint, of_summaries: Mapping[int, tuple[str, Vectors]]
) -> int | None:
    """Put the vectors that wait in the place of those in use; None while more than a few are still lacking."""
    with store.write() as db:
        _require_coming(db, mine, store.path)
        lacking = _lacking(db, of_summaries)
        if next_vectors.number_lacking(db) + len(lacking) > BATCH:
            return None
        for kind in vectors.KINDS:  # few: what others told since the last look
            _put(db, _embedded(embedder, next_vectors.lacking(db, kind, after=0, limit=BATCH)))
        made = next_vectors.change_over(db, lambda text: len(embedder.spans(text)))
        summary_vectors.drop(db)
        made += summary_vectors.put(db, {**of_summaries, **_of_summaries(embedder, lacking)})
        store.matrices.clear()
        return made
