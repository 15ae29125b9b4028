"""Whether a file is sound: what was recorded is as this package records it, and what is derived is what follows from it.

Checks only read. Repairs make again what is derived, and touch nothing that was recorded: that can only come from a backup.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from tkgmem.errors import NotATkgmemFile
from tkgmem.portable import reindex
from tkgmem.protocols import Embedder
from tkgmem.reports import DoctorReport, Problem
from tkgmem.store import (
    belief_state,
    checks,
    file_checks,
    next_vectors,
    passages,
    summary_vectors,
    text_state,
    vector_state,
    vectors,
    wide_state,
)
from tkgmem.store.checks import Finding
from tkgmem.store.connection import Connection, Store
from tkgmem.store.vectors import Fingerprint

_ROUNDS = 4  # one repair can bring to light what another one has to mend

Progress = Callable[[int, int], object]
_Result = tuple[int, list[Finding]]


def _foreign_keys(db: Connection, _: Fingerprint) -> _Result:
    return file_checks.dangling(db)


def _full_text(db: Connection, _: Fingerprint) -> _Result:
    every = (
        checks.finding(
            f"{table} is not in step with its rows", (entry.row for entry in text_state.out_of_step(db, table)), derived=True
        )
        for table in text_state.TABLES
    )
    return text_state.count(db), [one for one in every if one is not None]


def _vectors(db: Connection, mine: Fingerprint) -> _Result:
    dimension = (vectors.kept(db) or mine).dimension
    looked, wrong = vector_state.out_of_step(db, dimension)
    of_summaries: dict[str, list[str]] = {}
    for row, detail in summary_vectors.out_of_step(db, dimension):
        of_summaries.setdefault(detail, []).append(f"summary {row}")
    others = [checks.finding(detail, places, derived=True) for detail, places in of_summaries.items()]
    waiting = checks.finding(
        "a vector that is to take another's place is of no embedder, or of another length",
        next_vectors.unusable(db),
        derived=True,
    )
    looked += summary_vectors.number(db)
    return looked, [*vector_state.findings(wrong), *(one for one in (*others, waiting) if one is not None)]


def _shelves(db: Connection, mine: Fingerprint) -> _Result:
    return vector_state.check_shelves(db, (vectors.kept(db) or mine).dimension)


def _embedder(db: Connection, mine: Fingerprint) -> _Result:
    kept, looked = vectors.kept(db), vector_state.number(db)
    anew = "`tkgmem reindex` or tkgmem.reembed makes all anew"
    if kept is None and looked:
        return looked, [Finding(f"the file does not tell which model made its vectors; {anew}", 1, ())]
    if kept is not None and kept != mine:
        return looked, [Finding(f"the vectors were made by {kept}, not by {mine}; {anew}", 1, ())]
    return looked, []


_EXAMS: dict[str, Callable[[Connection, Fingerprint], _Result]] = {
    "sqlite": lambda db, _: file_checks.sqlite(db),
    "text": lambda db, _: file_checks.unreadable(db),
    "foreign keys": _foreign_keys,
    **{check.name: lambda db, _, check=check: check.run(db) for check in checks.CHECKS},  # type: ignore[misc]
    "names": lambda db, _: file_checks.names(db),
    "communities": lambda db, _: wide_state.check(db),
    "full text": _full_text,
    "embedder": _embedder,
    "vectors": _vectors,
    "shelves": _shelves,
    "beliefs": lambda db, _: belief_state.check(db),
}
_IN_PLACE = {
    "sqlite": file_checks.mend_indexes,
    "foreign keys": file_checks.remove_dangling,
    "names": file_checks.mend_keys,
    "communities": wide_state.mend,
}
_FIRST = ("sqlite", "text")  # where one of these finds something, the others cannot be relied on
_RELIED_ON = ("foreign keys", "groups", "values", "claims")  # by the derivation of what is believed


@dataclass(slots=True)
class _Findings:
    """What one round of checks found."""

    checked: dict[str, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def left_out(self, name: str) -> str | None:
        """The check that found what makes this one useless, None where nothing does."""
        relied_on = (*_FIRST, *_RELIED_ON) if name == "beliefs" else _FIRST
        return next(
            (p.check for p in self.problems if p.check in relied_on and (p.check in _FIRST or not p.derived)),
            None,
        )


def doctor(store: Store, embedder: Embedder, *, repair: bool, progress: Progress | None = None) -> DoctorReport:
    """Check everything, and mend what is derived if asked to (see `Memory.doctor`)."""
    mine = passages.fingerprint(embedder)
    found, seen = _examined(store, mine, progress), list[Problem]()
    for _ in range(_ROUNDS if repair else 0):
        seen += [problem for problem in found.problems if _same(problem) not in map(_same, seen)]
        mendable = list(dict.fromkeys(problem.check for problem in found.problems if problem.derived))
        if not mendable:
            break
        failed = [note for check in mendable if (note := _mended(store, embedder, check)) is not None]
        found = _examined(store, mine, progress)
        found.notes += failed
    left = [_same(problem) for problem in found.problems]
    repaired = [replace(problem, repaired=True) for problem in seen if _same(problem) not in left]
    return DoctorReport(found.checked, (*found.problems, *repaired), tuple(found.notes))


def _same(problem: Problem) -> tuple[str, str]:
    return problem.check, problem.detail


def _examined(store: Store, mine: Fingerprint, progress: Progress | None) -> _Findings:
    """One round of all checks, each on one state of the file."""
    found = _Findings()
    with _reading(store) as reader:
        for number, (name, exam) in enumerate(_EXAMS.items()):
            if (cause := found.left_out(name)) is not None:
                found.notes.append(f"{name} was not checked, because of what is wrong with {cause}")
                continue
            try:
                with reader.read() as db:
                    found.checked[name], findings = exam(db, mine)
            except NotATkgmemFile as error:  # so damaged that it cannot be read
                found.checked[name], findings = 0, [Finding(str(error), 1, ())]
            found.problems += [Problem(name, one.number, one.detail, one.derived, one.examples) for one in findings]
            if progress is not None:
                progress(number + 1, len(_EXAMS))
        if not any(problem.check in _FIRST for problem in found.problems):
            with reader.read() as db:
                found.notes += _notes(db)
    return found


@contextmanager
def _reading(store: Store) -> Iterator[Store]:
    """The file on a connection of its own, so that the threads of this memory go on meanwhile."""
    if store.in_memory:
        yield store
        return
    with Store(store.path, read_only=True) as reader:
        yield reader


def _notes(db: Connection) -> list[str]:
    """What is worth knowing, and no problem."""
    notes = []
    if waiting := file_checks.waiting(db):
        told = " and ".join(f"{number:,} text{'' if number == 1 else 's'} {state}" for state, number in waiting.items())
        notes.append(f"{told}; `tkgmem extract` reads what waits")
    coming = next_vectors.coming(db)
    if coming is not None:
        notes.append(
            f"vectors by {coming} are being made anew: {next_vectors.count(db):,} wait; call tkgmem.reembed with it to go on"
        )
    return notes


def _mended(store: Store, embedder: Embedder, check: str) -> str | None:
    """Make again what a check found wrong; in words, if damage to what was recorded does not let it."""
    try:
        _mend(store, embedder, check)
    except NotATkgmemFile as error:
        return f"{check} could not be repaired: {error}"
    return None


def _mend(store: Store, embedder: Embedder, check: str) -> None:
    """Make again what a check found wrong."""
    if check == "full text":
        reindex.mend_texts(store)
    elif check == "vectors":
        reindex.mend_vectors(store, embedder)
        reindex.mend_summaries(store, embedder)
        reindex.mend_waiting(store)
    elif check == "shelves":
        reindex.mend_shelves(store, passages.fingerprint(embedder))
    elif check == "beliefs":
        with _reading(store) as reader, reader.read() as db:
            wrong = belief_state.out_of_step(db)
        with store.write() as db:
            belief_state.mend(db, wrong)
    else:
        with store.write() as db:
            _IN_PLACE[check](db)
