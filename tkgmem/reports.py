"""What the verbs on the whole file answer: frozen values of counts, findings and reasons."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ForgetReport:
    """What `forget` removed, or would remove (`dry_run`): counts, and the facts that nothing supports any more.

    words: these facts in words, with `dry_run` only. in_use: another connection was reading, so that deleted bytes stay in the
    -wal beside the file until it is closed.
    """

    episodes: int
    claims: int
    entities: int
    facts: tuple[str, ...]
    dry_run: bool
    model_calls: int = 0
    words: tuple[str, ...] = ()
    in_use: bool = False


@dataclass(frozen=True, slots=True)
class MergeConflict:
    """What two files say differently, settled by rule or left for a person. what: the kind of thing."""

    what: str
    uuid: str
    detail: str


@dataclass(frozen=True, slots=True)
class MergeReport:
    """What a merge or import brought: how many were new, and what the two sides tell differently.

    changed: what is known of known claims, texts and entities and is new, or believed for another time now. definitions: of
    relations, that are new. joined: entities of the two files that are one by their name.
    """

    episodes: int
    entities: int
    claims: int
    changed: int
    joined: int
    definitions: int = 0
    conflicts: tuple[MergeConflict, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Problem:
    """A finding of `doctor`. check: which check found it. derived: whether it is in what can be made again from the claims.

    examples: a few of the rows or uuids concerned. repaired: it was made again.
    """

    check: str
    count: int
    detail: str
    derived: bool
    examples: tuple[str, ...] = ()
    repaired: bool = False


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """What `doctor` looked at (check to how many things) and what it found; `ok` if nothing is wrong.

    notes: what is worth knowing and no problem: texts that wait to be read, checks that were left out and why.
    """

    checked: dict[str, int]
    problems: tuple[Problem, ...]
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong, or everything that was is repaired."""
        return all(problem.repaired for problem in self.problems)


@dataclass(frozen=True, slots=True)
class ReindexReport:
    """What `reindex` or `reembed` made again: rows of full text and vectors. embedder: whose vectors the file has now."""

    texts: int
    vectors: int
    embedder: str


@dataclass(frozen=True, slots=True)
class CopyReport:
    """A file that was written and checked: its path, size, what is in it, and whether it is sealed with a password."""

    path: str
    bytes: int
    episodes: int
    entities: int
    claims: int
    sealed: bool
