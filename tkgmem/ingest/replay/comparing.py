"""Two memories compared: row by row where they are to be equal, by names and dates where texts were read by something else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter

from tkgmem.reports import Difference
from tkgmem.store.connection import Connection
from tkgmem.store.facts import optional_datetime
from tkgmem.store.replayed import compared
from tkgmem.store.replayed.compared import Row, Shown

MOST = 50
"""How many differences of each side are told in words."""


@dataclass(slots=True)
class Compared:
    """How many facts and versions are the same, how many things are not, and the first of these on each side."""

    facts: int = 0
    versions: int = 0
    differences: int = 0
    here: list[Difference] = field(default_factory=list)
    there: list[Difference] = field(default_factory=list)

    def differs(self, what: str, row: Row, *, here: bool) -> None:
        """Count a row that only one side has, and keep it while there are few."""
        self.differences += 1
        side = self.here if here else self.there
        if len(side) < MOST:
            side.append(_difference(what, row.shown))


def rows(here: Connection, there: Connection) -> Compared:
    """All that two files say."""
    found = Compared()
    for what, query in compared.QUERIES.items():
        same = 0
        for one, other in _side_by_side(compared.rows(here, query), compared.rows(there, query)):
            if one is not None and other is not None:
                same += 1
            elif (row := one or other) is not None:
                found.differs(what, row, here=one is not None)
        if what == "fact":
            found.facts = same
        elif what == "version":
            found.versions = same
    return found


def _side_by_side(here: Iterator[Row], there: Iterator[Row]) -> Iterator[tuple[Row | None, Row | None]]:
    """The rows of both in order, those with equal keys together."""
    one, other = next(here, None), next(there, None)
    while one is not None or other is not None:
        if other is None or (one is not None and one.key < other.key):
            yield one, None
            one = next(here, None)
        elif one is None or other.key < one.key:
            yield None, other
            other = next(there, None)
        else:
            yield one, other
            one, other = next(here, None), next(there, None)


def facts(here: Connection, there: Connection) -> Compared:
    """The facts believed now, by names: the same where both sides have the triple; versions where they have its dates too."""
    found = Compared()
    sides = [compared.present(db) for db in (here, there)]
    triples = [{triple for triple, _ in side} for side in sides]
    found.facts = len(triples[0] & triples[1])
    first, second = (_once(row for _, row in side) for side in sides)
    for one, other in _side_by_side(first, second):
        if one is not None and other is not None:
            found.versions += 1
        elif (row := one or other) is not None:
            found.differs("fact", row, here=one is not None)
    return found


def _once(rows: Iterator[Row]) -> Iterator[Row]:
    """The first of the rows with one key."""
    for _, same in groupby(rows, itemgetter(0)):
        yield next(same)


def _difference(what: str, shown: Shown) -> Difference:
    return Difference(
        what=what,
        words=shown.words,
        uuid=shown.uuid,
        valid_at=optional_datetime(shown.valid_at),
        invalid_at=optional_datetime(shown.invalid_at),
        valid_precision=shown.valid_precision,
        invalid_precision=shown.invalid_precision,
        believed_from=optional_datetime(shown.believed),
        believed_until=optional_datetime(shown.until),
        said=shown.said,
        episode=shown.episode,
    )
