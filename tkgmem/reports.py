"""What the verbs on the whole file, and on all of a group, answer: frozen values of counts, findings and reasons."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ForgetReport:
    """What `forget` removed, or would remove (`dry_run`): counts, and the facts that nothing supports any more.

    words: these facts in words, with `dry_run` only. summaries: versions of summaries that went, as they rest on what does.
    in_use: another connection was reading, so that deleted bytes stay in the -wal beside the file until it is closed.
    """

    episodes: int
    claims: int
    entities: int
    facts: tuple[str, ...]
    dry_run: bool
    model_calls: int = 0
    words: tuple[str, ...] = ()
    in_use: bool = False
    summaries: int = 0


@dataclass(frozen=True, slots=True)
class SummaryReport:
    """What `summarize` brought. written: how many summaries the model wrote; fresh: how many said all that there is to say;
    waiting: how many were not written, for want of calls or because the model failed.

    calls, prompt_tokens, completion_tokens, cost: of the model's answers; cost in US dollars, None where no price is known.
    warnings: what went wrong.
    """

    written: int
    fresh: int
    waiting: int
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CommunityReport:
    """What `refresh_communities` brought. communities, members: how many there are now.

    joined, left: entities that came into a community that there was, and went out of all. moved: those that a whole pass put
    elsewhere. whole: whether all communities were made anew.
    drift: how much lower the modularity of what was kept was than that of a whole pass; None where none was made to compare.
    modularity: of the communities, -0.5 to 1, as it was when all of them were looked at last.
    renewed: how many summaries were put together anew. summaries: what the model did, None where none was asked.
    """

    communities: int
    members: int
    joined: int
    left: int
    moved: int
    whole: bool
    drift: float | None
    modularity: float
    renewed: int
    summaries: SummaryReport | None = None


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
    relations, that are new. joined: entities of the two files that are one by their name. change: its number, which `undo`
    takes; None where nothing was new.
    Of an import of texts: conversations: how many it has. unchanged: texts that were here already. failed: those that are kept,
    and whose model failed. claims: what the new ones state. warnings: also what was left out, and why. `change` is None.
    """

    episodes: int
    entities: int
    claims: int
    changed: int
    joined: int
    definitions: int = 0
    conflicts: tuple[MergeConflict, ...] = ()
    warnings: tuple[str, ...] = ()
    change: int | None = None
    conversations: int = 0
    unchanged: int = 0
    failed: int = 0


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


@dataclass(frozen=True, slots=True)
class UndoReport:
    """What `undo` took back, or would take back (`dry_run`): counts, and the facts concerned, by uuid and in words.

    at: the instant of system time since when it is so; change: its number, which `undo(change=...)` takes to bring it back.
    Both are None for a dry run, and where there was nothing to take back.
    claims: no longer believed; reopened: claims that are believed again. gone: facts that nothing supports now. back: facts
    that hold (again) at a time at which they did not. ended: those that only end (again) earlier, or begin later.
    episodes: texts that are hidden; shown: texts that are found again.
    others: merges, moves, names, traits, judgements and definitions that are as they were.
    warnings: what cannot be taken back, and why.
    """

    dry_run: bool
    claims: int
    reopened: int
    episodes: int
    shown: int
    others: int
    gone: tuple[str, ...] = ()
    back: tuple[str, ...] = ()
    ended: tuple[str, ...] = ()
    gone_words: tuple[str, ...] = ()
    back_words: tuple[str, ...] = ()
    ended_words: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    at: dt.datetime | None = None
    change: int | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that only one of two memories says. what: "fact", "version", "claim", "entity", "name" or another kind of row.

    words: what it says, without dates. valid_at, invalid_at: when it holds, as finely as stated; believed_from, believed_until:
    when that was believed. said: the sentence, of the text `episode` (its uuid), where there is one.
    """

    what: str
    words: str
    uuid: str | None = None
    valid_at: dt.datetime | None = None
    invalid_at: dt.datetime | None = None
    valid_precision: str | None = None
    invalid_precision: str | None = None
    believed_from: dt.datetime | None = None
    believed_until: dt.datetime | None = None
    said: str | None = None
    episode: str | None = None


@dataclass(frozen=True, slots=True)
class ReplayReport:
    """What a replay made of the texts, and how that compares with what is in the file.

    path: of the file that was made, None where it was only compared. episodes: texts that were read again; taken_over: those
    that were not, as another file read them or the log lacks an answer (`missing` of them).
    calls: requests put to a model, always 0 from the log; logged: answers that were taken from the log.
    facts, versions: how many are the same on both sides. From the log all rows of both are compared. Read anew, facts are the
    same by their names, and versions by names and dates; only what is believed now is compared.
    differences: how many things only one side says; only_here: the first that only this memory says; only_there: the first that
    only the other one says. warnings: what could not be told again, and why.
    """

    path: str | None
    episodes: int
    taken_over: int
    missing: int
    calls: int
    logged: int
    facts: int
    versions: int
    differences: int
    only_here: tuple[Difference, ...] = ()
    only_there: tuple[Difference, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """Whether the two say the same, and every text could be read again."""
        return not self.differences and not self.missing


@dataclass(frozen=True, slots=True)
class ModelUse:
    """What the logged calls for one purpose came to. cost: US dollars, None where no price is known."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts of one group, or of the whole file, with the file's size in bytes (0 in memory).

    model_use: by purpose ("extract", "reflect", "judge", "summarize"), as far as the file tells. communities: those kept now.
    """

    groups: tuple[str, ...]
    episodes: int
    pending: int
    failed: int
    entities: int
    claims: int
    facts: int
    current_facts: int
    versions: int
    relations: int
    file_bytes: int
    embedder: str | None
    first_learned: dt.datetime | None
    last_learned: dt.datetime | None
    model_use: Mapping[str, ModelUse] = field(default_factory=dict)
    communities: int = 0
