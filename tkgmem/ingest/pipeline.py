"""The write path: store the raw episode, read it, embed, then per episode plan, ask a judge if need be, and commit.

The raw episode is committed before anything can fail. What follows is all or nothing for each episode: rows, full text and
vectors together. No lock is held while a model works; what a judge decided is checked again when it is written.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tkgmem.errors import BadResponse, LLMError, NotFound, ProviderError
from tkgmem.graph import AddResult
from tkgmem.ingest import judge, receipt
from tkgmem.ingest.asking import Question, ask
from tkgmem.ingest.commit import Committed, commit, lead_of, make_searchable
from tkgmem.ingest.episodes import EpisodeInput, check_uuids, store, stored
from tkgmem.ingest.planning import Plan, Work, plan
from tkgmem.ingest.reading import read_all
from tkgmem.ingest.resolve import unknown
from tkgmem.ingest.writer import Writer
from tkgmem.store import passages, read, write
from tkgmem.store.connection import Connection
from tkgmem.store.names import clean_name

BATCH = 64
"""How many episodes are embedded together, and read by a model at the same time as far as the model allows."""

LARGE = 20
"""A text that names more than so many things is looked up before the file is locked for it."""

Progress = Callable[[int, int], object]


@dataclass(frozen=True, slots=True)
class _Ahead:
    """A plan and the state of the file that it was made on."""

    plan: Plan
    state: tuple[int | None, ...]


def add(writer: Writer, episodes: Sequence[EpisodeInput], *, progress: Progress | None = None) -> list[AddResult]:
    """Store and work on episodes, in order; one that is there already is left as it is, an unfinished one is taken up again.

    An episode for which a model fails is marked as failed, with the reason, and costs the others nothing.
    """
    with writer.store.read() as db:
        check_uuids(db, episodes)
    results: list[AddResult] = []
    for start in range(0, len(episodes), BATCH):
        batch = episodes[start : start + BATCH]
        results += _worked(writer, *_stored(writer, batch))
        if progress is not None:
            progress(len(results), len(episodes))
    return results


def add_one(writer: Writer, episode: EpisodeInput) -> AddResult:
    """Store and work on one episode. Raises what failed; the text is kept, marked as failed."""
    with writer.store.read() as db:
        check_uuids(db, [episode])
    failed: dict[int, ProviderError] = {}
    [result] = _worked(writer, *_stored(writer, [episode]), failed)
    for error in failed.values():
        raise error
    return result


def _stored(writer: Writer, episodes: Sequence[EpisodeInput]) -> tuple[list[int], list[tuple[int, EpisodeInput]]]:
    """Store the raw texts, in one transaction: their rows, and those that wait to be worked on."""
    with writer.store.write() as db:
        if any(episode.extract != "later" for episode in episodes):  # else the embedder is not even looked at
            writer.prepare(db)
        rows = [store(db, episode, writer.now()) for episode in episodes]
        now = dict.fromkeys(row for row, episode in zip(rows, episodes, strict=True) if episode.extract != "later")
        return rows, [(row, stored(db, row)) for row in now if write.unfinished(db, row)]


def take_up(
    writer: Writer, groups: Sequence[str], *, uuids: Sequence[str] | None = None, progress: Progress | None = None
) -> list[AddResult]:
    """Work on the pending and failed episodes of these groups in the order they were stored, with what they came with.

    uuids: only on these, in this order; what is done is left as it is. NotFound for one that is in none of the groups.
    """
    with writer.store.read() as db:
        rows = read.waiting(db, read.group_ids(db, groups)) if uuids is None else [_row(db, groups, uuid) for uuid in uuids]
        waiting = {row: stored(db, row) for row in rows if write.unfinished(db, row)}
    if waiting:
        with writer.store.write() as db:
            writer.prepare(db)
    results: list[AddResult] = []
    for start in range(0, len(rows), BATCH):
        batch = rows[start : start + BATCH]
        results += _worked(writer, batch, [(row, waiting[row]) for row in dict.fromkeys(batch) if row in waiting])
        if progress is not None:
            progress(len(results), len(rows))
    return results


def _row(db: Connection, groups: Sequence[str], uuid: str) -> int:
    """The row of an episode of these groups."""
    found = read.episode(db, uuid)
    if found is None or found[1].group not in groups:
        raise NotFound(f"there is no episode {uuid!r} here; `episodes` lists those that there are")
    return found[0]


def _worked(
    writer: Writer,
    rows: Sequence[int],
    waiting: Sequence[tuple[int, EpisodeInput]],
    failed: dict[int, ProviderError] | None = None,
) -> list[AddResult]:
    """Read and commit what waits; the receipts of all rows. failed: takes the errors, by row."""
    started = time.perf_counter()
    failed = {} if failed is None else failed
    works = [Work(row, episode, done) for (row, episode), done in zip(waiting, read_all(writer.desk, waiting), strict=True)]
    failed |= {work.row: work.read.error for work in works if work.read.error is not None}
    works = embed_works(writer, works, failed)
    judged, done = commit_works(writer, [work for work in works if work.row not in failed], failed)
    by_row = {work.row: work for work in (*works, *judged)}
    if failed:
        with writer.store.write() as db:
            writer.prepare(db)
            for row, error in failed.items():
                if write.unfinished(db, row):  # another process may have been quicker
                    if by_row[row].texts:
                        make_searchable(db, write.group(db, by_row[row].episode.group), by_row[row])
                    write.set_state(db, row, "failed", f"{type(error).__name__}: {error}")
    seconds = time.perf_counter() - started
    with writer.store.read() as db:
        at = writer.now()
        return [receipt.of(db, row, by_row.pop(row, None), done.pop(row, None), now=at, seconds=seconds) for row in rows]


def embed_works(writer: Writer, works: Sequence[Work], failed: dict[int, ProviderError]) -> list[Work]:
    """The works with their vectors: all in one batch or, if that fails, each for itself, so that one bad text fails alone.

    failed: takes the errors, by row; such a work has no vectors.
    """
    if not works:
        return []
    with writer.store.read() as db:
        names = [_new_names(db, work) for work in works]
    texts = [_texts(work) for work in works]
    try:
        flat = [text for own, called in zip(texts, names, strict=True) for text in (*own, *called)]
        embedded = iter(passages.embed(writer.embedder, flat))
        each = [[next(embedded) for _ in (*own, *called)] for own, called in zip(texts, names, strict=True)]
    except Exception as error:  # whatever an embedder raises is a failure of the model, and the reason is kept
        if len(works) > 1:
            return [done for work in works for done in embed_works(writer, [work], failed)]
        failed.setdefault(works[0].row, _failure(error))
        return list(works)
    return [
        replace(
            work,
            texts=list(zip(own, found[: len(own)], strict=True)),
            names=dict(zip(called, found[len(own) :], strict=True)),
        )
        for work, own, called, found in zip(works, texts, names, each, strict=True)
    ]


def _failure(error: Exception) -> ProviderError:
    """An embedder's exception as an error of ours."""
    if isinstance(error, ProviderError):
        return error
    failure = ProviderError(f"{type(error).__name__}: {error}")
    failure.__cause__ = error
    return failure


def _texts(work: Work) -> list[str]:
    """The episode's text, then one for each fact."""
    return [
        passages.episode_passage(work.episode.content, work.episode.speaker),
        *(passages.claim_passage(lead_of(fact), fact.fact) for fact in work.extraction.facts),
    ]


def _new_names(db: Connection, work: Work) -> list[str]:
    """The names that nobody goes by yet."""
    names = [mention.name for mention in work.extraction.entities]
    names += _speakers(work)
    groups = read.group_ids(db, [work.episode.group])
    return unknown(db, groups[0], names) if groups else list(dict.fromkeys(names))


def _speakers(work: Work) -> list[str]:
    """Who speaks, by the name that is stored; nobody, if it is not said."""
    return [] if work.episode.speaker is None else [clean_name(work.episode.speaker, "speaker")]


def commit_works(
    writer: Writer, works: Sequence[Work], failed: dict[int, ProviderError]
) -> tuple[list[Work], dict[int, Committed]]:
    """Commit the works in order, as many as possible in one transaction; where one needs a judge or a vector, that is asked for
    in between.

    Returns those that something was asked for, as they are then, and what was committed.
    """
    queue, judged, done = deque(works), list[Work](), dict[int, Committed]()
    while queue:
        ahead = _ahead(writer, queue[0])
        with writer.store.write() as db:
            writer.prepare(db)  # another process may have made all vectors anew since the texts were embedded
            needs = _until_open(db, writer, queue, done, ahead)
        if needs is None:
            continue
        work = queue.popleft()
        decided = _judged(writer, work, needs) if _is_open(work, needs) else _named(writer, work, needs)
        if isinstance(decided, Work):
            queue.appendleft(decided)
            judged.append(decided)
        else:
            failed[work.row] = decided
    return judged, done


def _ahead(writer: Writer, work: Work) -> _Ahead | None:
    """The plan of a work that names much, made before the file is locked; small ones are planned where they are written."""
    if not _is_large(work):
        return None
    with writer.store.read() as db:
        writer.check(db)
        groups = read.group_ids(db, [work.episode.group])
        return _Ahead(plan(db, groups[0], work, writer.store.matrices), read.state(db)) if groups else None


def _is_large(work: Work) -> bool:
    return len(work.extraction.entities) > LARGE


def _until_open(
    db: Connection, writer: Writer, queue: deque[Work], done: dict[int, Committed], ahead: _Ahead | None
) -> Plan | None:
    """Commit from the queue until it is empty, the next one is large, or its first needs a judge or a name's vector: its plan.

    ahead: the plan of the first, which counts if nothing was told since.
    """
    while queue:
        work = queue[0]
        if write.unfinished(db, work.row):  # another process may have been quicker
            group_id = write.group(db, work.episode.group)
            fresh = ahead is not None and ahead.state == read.state(db)
            planned = ahead.plan if ahead and fresh else plan(db, group_id, work, writer.store.matrices)
            if _is_open(work, planned) or _lacking(db, group_id, work, planned):
                return planned
            done[work.row] = commit(db, group_id, work, planned, writer.now())
        queue.popleft()
        ahead = None
        if queue and _is_large(queue[0]):
            break
    return None


def _is_open(work: Work, planned: Plan) -> bool:
    """Whether a judge is to be asked, and was not."""
    return planned.case.is_open and work.judgement is None


def _lacking(db: Connection, group_id: int, work: Work, planned: Plan) -> list[str]:
    """The names without a vector that a new entity may be made by: somebody went by them when the texts were embedded."""
    mentions = zip(work.extraction.entities, planned.found, strict=True)
    names = [mention.name for mention, found in mentions if found.row is None]
    names += unknown(db, group_id, _speakers(work))
    return [name for name in dict.fromkeys(names) if name not in work.names]


def _judged(writer: Writer, work: Work, open_: Plan) -> Work | ProviderError:
    """The work with what the judge says of it. An answer that cannot be read decides nothing; a failed call is an error."""
    assert writer.desk is not None
    case = open_.case
    question = Question(work.row, judge.request(case), lambda text: judge.parse(text, case), open_.quotes)
    [answer] = ask(writer.desk, [question], again=False)
    judgement = answer.value
    if judgement is None:
        if not isinstance(answer.error, BadResponse):
            return answer.error or LLMError("the judge did not answer")
        judgement = judge.Judgement(
            warnings=(f"the judge's answer could not be read, nothing was decided by it: {answer.error}",)
        )
    spent = replace(work.read, spent=work.read.spent + answer.spent)
    return _named(writer, replace(work, judgement=judgement, read=spent), open_)


def _named(writer: Writer, work: Work, planned: Plan) -> Work | ProviderError:
    """The work with the vectors of the names that it lacks."""
    with writer.store.read() as db:
        names = _lacking(db, read.group_ids(db, [work.episode.group])[0], work, planned)
    try:
        return replace(work, names={**work.names, **dict(zip(names, passages.embed(writer.embedder, names), strict=True))})
    except Exception as error:  # as where the texts are embedded
        return _failure(error)
