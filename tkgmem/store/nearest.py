"""Nearest neighbours: the rows whose vectors are most like a question's, seen from the middle of their shelf.

Small shelves are ranked exactly. Of large ones signatures choose what is then ranked exactly. What is not visible never takes
a place in the ranking: candidates are looked at until enough are seen, or only what is visible is ranked at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from tkgmem.store import frames, shelves
from tkgmem.store.clocks import View
from tkgmem.store.matrix import Copy, Matrices
from tkgmem.store.rows import in_list
from tkgmem.store.shelves import Kind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tkgmem.store.frames import Frame

    Floats = NDArray[np.float32]
    Doubles = NDArray[np.float64]

_DIGITS = 5  # of a cosine: nearer than that is as near, and the earlier row comes first
_LEAST, _PER_HIT = 100, 1  # candidates that are ranked exactly, at least and for each hit
_ENOUGH = 0.6  # of them will do, if the next ones would have to be looked at for more
_LOOKED_AT = 1.6  # for each candidate: as many as that are looked at first, for those that are visible
_REFINED = 2_048  # of a large shelf: those whose signatures are compared with the question itself, not with its signature
_BEHIND = 4.0  # puts the rest after them
_PATIENCE, _FEW = 2_000, 40  # having looked at so many, it counts whether so many times the wanted ones are visible at all


class Neighbours(NamedTuple):
    """A question's vector, the groups it is put to, and the copies of their shelves that are in memory.

    language: the question's (see `language`), None where it is not known. centres: of questions at large, by language, as far
    as the embedder tells them: they stand in where a group has no texts in the question's language.
    """

    vector: Floats
    groups: Sequence[int]
    matrices: Matrices
    language: str | None = None
    centres: Mapping[str, Floats] = MappingProxyType({})


class _Ranked(NamedTuple):
    """A shelf before a question. likeness: of each vector, as good as is known without reading it."""

    copy: Copy
    frame: Frame
    question: Floats
    likeness: Floats


class Comparison:
    """A question put to all vectors of one kind, once; what was ranked exactly is kept for the next that asks for it."""

    def __init__(self, db: apsw.Connection, ranked: Sequence[_Ranked]) -> None:
        import numpy as np

        self._db, self._ranked = db, ranked
        none = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
        self._owners: NDArray[np.int64] = _joined([one.copy.owners for one in ranked], none[0])
        self._likeness: Floats = _joined([one.likeness for one in ranked], none[1])
        self._exact: dict[int, float] = {}

    def nearest(self, view: View | None, limit: int) -> list[tuple[int, float]]:
        """The visible rows most like the question, with their cosine as seen from the centre, in [-1, 1]; best first, ties by
        row. A row's best vector counts. view: None sees all.
        """
        wanted = max(_LEAST, _PER_HIT * limit)
        return self._best(_chosen(self._db, view, self._owners, self._likeness, wanted, limit), limit)

    def nearest_of(self, rows: Sequence[int], limit: int) -> list[tuple[int, float]]:
        """The same among given rows, which are all taken to be visible."""
        import numpy as np

        places = self._places(rows)
        places = places[np.argsort(-self._likeness[places], kind="stable")]
        return self._best(_first(self._owners, places, max(_LEAST, _PER_HIT * limit)), limit)

    def similarities(self, rows: Sequence[int]) -> dict[int, float]:
        """The likeness of these rows to the question, as `nearest` gives it; rows without a vector are left out."""
        return dict(self._best(self._places(rows), len(rows)))

    def vectors(self, rows: Sequence[int]) -> dict[int, Floats]:
        """The first vector of each row as it is compared, of unit length: two rows' product is their likeness."""
        found: dict[int, Floats] = {}
        for _, one, part in _split(self._ranked, self._places(rows)):
            for owner, vector in zip(one.copy.owners[part].tolist(), _placed(self._db, one, part), strict=True):
                found.setdefault(owner, vector)
        return found

    def _places(self, rows: Sequence[int]) -> NDArray[np.intp]:
        """Where the vectors of these rows are."""
        import numpy as np

        return np.flatnonzero(np.isin(self._owners, np.asarray(rows, dtype=np.int64)))

    def _best(self, places: NDArray[np.intp], limit: int) -> list[tuple[int, float]]:
        """The owners of the vectors at these places with the likeness of their best, best first, ties by row."""
        import numpy as np

        new = np.array([place for place in places.tolist() if place not in self._exact], dtype=np.intp)
        for start, one, part in _split(self._ranked, new):
            scores = np.round(_scores(self._db, one, part), _DIGITS).tolist()
            self._exact.update(zip((part + start).tolist(), scores, strict=True))
        found: dict[int, float] = {}
        for owner, place in zip(self._owners[places].tolist(), places.tolist(), strict=True):
            score = self._exact[place]
            if score > found.get(owner, -2.0):
                found[owner] = score
        return sorted(found.items(), key=lambda item: (-item[1], item[0]))[:limit]


def compare(db: apsw.Connection, kind: Kind, question: Neighbours, view: View | None) -> Comparison:
    """Put a question to the vectors of the groups. view: tells which rows were there at the asked system time."""
    return Comparison(db, _ranked(db, kind, question, view))


def nearest(db: apsw.Connection, kind: Kind, question: Neighbours, view: View | None, limit: int) -> list[tuple[int, float]]:
    """The visible rows most like the question, best first (see `Comparison.nearest`)."""
    return compare(db, kind, question, view).nearest(view, limit)


def vectors_of(
    db: apsw.Connection, kind: Kind, question: Neighbours, view: View | None, rows: Sequence[int]
) -> dict[int, Floats]:
    """The first vector of each row (see `Comparison.vectors`)."""
    return compare(db, kind, question, view).vectors(rows)


def nearest_names(db: apsw.Connection, group_id: int, vector: Floats, limit: int, matrices: Matrices) -> list[int]:
    """Rows of the entities of a group whose names are most alike, best first; names given up are among them."""
    return [row for row, _ in nearest(db, "entity", Neighbours(vector, [group_id], matrices), None, limit)]


def _ranked(db: apsw.Connection, kind: Kind, question: Neighbours, view: View | None) -> list[_Ranked]:
    """The shelves of the groups with the likeness of all their vectors."""
    copies: dict[int, list[Copy]] = {}
    for shelf in shelves.of(db, kind, question.groups):
        copies.setdefault(shelf.group_id, []).append(question.matrices.get(db, shelf, len(question.vector)))
    found = []
    for group in copies.values():
        framed = _framed(db, group, view, question.centres)
        spoken: dict[str, Floats | Doubles] = dict(question.centres)
        spoken |= {copy.shelf.language: frame.centre for copy, frame in framed}
        for copy, frame in framed:
            centre = spoken.get(question.language or copy.shelf.language, frame.centre)
            placed = frame.question(question.vector, centre)
            found.append(_Ranked(copy, frame, placed, _likeness(copy, frame, placed)))
    return found


def _framed(
    db: apsw.Connection, copies: Sequence[Copy], view: View | None, usual: Mapping[str, Floats]
) -> list[tuple[Copy, Frame]]:
    """The shelves of one group, each with a frame, the largest first. That of few vectors is made of those that were there at
    the asked system time, so that it is what it was then, and leans on the frame of the largest shelf.
    """
    found: list[tuple[Copy, Frame]] = []
    there = [(copy, copy.rows[:, _there(db, copy, view)].T if copy.frame is None else copy.rows.T) for copy in copies]
    for copy, rows in sorted(there, key=lambda item: (-len(item[1]), item[0].shelf.id)):
        known = usual.get(copy.shelf.language) if found else None
        around = found[0][1].centre if found and known is None else known
        frame = copy.frame or frames.centred(rows, around, firmly=known is not None)
        found.append((copy, frame))
    return found


def _there(db: apsw.Connection, copy: Copy, view: View | None) -> NDArray[np.bool_]:
    """Which of a shelf's vectors belong to rows that were there."""
    import numpy as np

    if view is None:
        return np.ones(copy.shelf.size, dtype=np.bool_)
    query = f"SELECT r.id FROM {view.table} r WHERE r.id IN (SELECT value FROM json_each(:rows)) AND {view.scope}"
    found = db.execute(query, {**view.bindings, "rows": in_list(copy.owners.tolist())})
    return np.isin(copy.owners, np.array([row for (row,) in found], dtype=np.int64))


def _likeness(copy: Copy, frame: Frame, question: Floats) -> Floats:
    """The cosine with every vector of a shelf; of signatures, the one that they stand for."""
    import numpy as np

    if not copy.shelf.is_signed:
        rows = copy.rows if copy.frame is not None else frame.placed(copy.rows.T).T
        return frames.products(rows.T, question)
    distances = frames.distances(copy.rows, question)
    likeness: Floats = distances * np.float32(-1 / len(question)) - np.float32(_BEHIND)
    within = np.cumsum(np.bincount(distances))
    closest = np.flatnonzero(distances <= np.searchsorted(within, min(_REFINED, len(distances))))
    likeness[closest] = frames.estimates(copy.rows[:, closest], question)
    return likeness


def _chosen(
    db: apsw.Connection, view: View | None, owners: NDArray[np.int64], likeness: Floats, wanted: int, limit: int
) -> NDArray[np.intp]:
    """The places of the vectors that are most alike and visible, of about as many rows as wanted, at least `limit`, if there
    are.
    """
    import numpy as np

    found = [np.empty(0, dtype=np.intp)]
    rows: set[int] = set()
    looked = 0
    for places in _descending(likeness, int(_LOOKED_AT * wanted)):
        if view is None:
            seen = np.unique(owners[places])
        elif looked >= _PATIENCE and view.few(db, _FEW * wanted):
            return _first(owners, _visible(db, view, owners, likeness), wanted)
        else:
            seen = np.array(view.only(db, np.unique(owners[places]).tolist()), dtype=np.int64)
        found.append(places[np.isin(owners[places], seen)])
        rows.update(seen.tolist())
        looked += len(places)
        if len(rows) >= max(limit, wanted * _ENOUGH):
            break
    return _first(owners, np.concatenate(found), wanted)


def _visible(db: apsw.Connection, view: View, owners: NDArray[np.int64], likeness: Floats) -> NDArray[np.intp]:
    """The places of all vectors that are visible, the most alike first."""
    import numpy as np

    seen = np.fromiter((row for (row,) in db.execute(view.ids, view.bindings)), dtype=np.int64)
    places = np.flatnonzero(np.isin(owners, seen))
    return places[np.argsort(-likeness[places], kind="stable")]


def _first(owners: NDArray[np.int64], places: NDArray[np.intp], wanted: int) -> NDArray[np.intp]:
    """The places down to the last of the first `wanted` different owners."""
    import numpy as np

    _, firsts = np.unique(owners[places], return_index=True)
    return places if len(firsts) <= wanted else places[: np.sort(firsts)[wanted]]


def _descending(likeness: Floats, size: int) -> Iterator[NDArray[np.intp]]:
    """The places in portions, each less alike than the one before and as large as all before; ties by place."""
    import numpy as np

    sharp = likeness > -_BEHIND / 2
    for part in (np.flatnonzero(sharp), np.flatnonzero(~sharp)):
        if not len(part):
            continue
        order = part[np.argsort(-likeness[part], kind="stable")]
        done = 0
        while done < len(order):
            yield order[done : done + size]
            done, size = done + size, 2 * size


def _scores(db: apsw.Connection, one: _Ranked, places: NDArray[np.intp]) -> Doubles:
    """The cosines of the vectors at these places of a shelf, exactly."""
    import numpy as np

    if one.copy.shelf.is_signed:
        vectors = shelves.read(db, one.copy.passages[places].tolist(), len(one.question))
        return one.frame.likeness(one.question, vectors, one.copy.lengths[places])
    return np.asarray(frames.products(_placed(db, one, places).astype(np.float64), one.question.astype(np.float64)))


def _joined(parts: Sequence[NDArray[Any]], none: NDArray[Any]) -> NDArray[Any]:
    """The arrays one after the other; one alone is not copied."""
    import numpy as np

    return np.concatenate(parts) if len(parts) > 1 else parts[0] if parts else none


def _split(ranked: Sequence[_Ranked], places: NDArray[np.intp]) -> Iterator[tuple[int, _Ranked, NDArray[np.intp]]]:
    """The places by shelf, each with its first place, as places on it."""
    start = 0
    for one in ranked:
        end = start + len(one.likeness)
        part = places[(places >= start) & (places < end)] - start
        if len(part):
            yield start, one, part
        start = end


def _placed(db: apsw.Connection, one: _Ranked, places: NDArray[np.intp]) -> Floats:
    """The vectors at these places of a shelf, as they are compared."""
    if one.copy.shelf.is_signed:
        return one.frame.placed(shelves.read(db, one.copy.passages[places].tolist(), len(one.question)))
    rows = one.copy.rows[:, places].T
    return rows if one.copy.frame is not None else one.frame.placed(rows)
