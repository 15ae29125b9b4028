"""The write path: store the raw episode, extract, embed, then resolve, reconcile and index in one transaction.

The raw episode is committed before anything can fail. What follows is all or nothing: rows, full text and vectors together.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, get_args

from tkgmem.graph import AddResult, ExtractedFact, Source
from tkgmem.ingest import passages, reconcile
from tkgmem.ingest.ids import make_uuid
from tkgmem.ingest.resolve import resolve
from tkgmem.protocols import Embedder
from tkgmem.store import claims, facts, lexical, read, relations, vectors, write
from tkgmem.store.claims import NewClaim
from tkgmem.store.clocks import EVERYTHING
from tkgmem.store.connection import Connection, Store
from tkgmem.store.names import clean_name, clean_text, name_key
from tkgmem.temporal.period import Moment, show, to_micros
from tkgmem.temporal.relations import Relations

MAX_CONTENT = 16_000_000
BATCH = 64

if TYPE_CHECKING:
    from tkgmem.protocols import Vectors


@dataclass(frozen=True, slots=True)
class Writer:
    """What the write path works with. now: the clock's time as an instant."""

    store: Store
    embedder: Embedder
    now: Callable[[], int]

    def check(self, db: Connection) -> bool:
        """Whether the file has vectors of this embedder; EmbedderMismatch if they are of another."""
        return vectors.check_embedder(db, self._fingerprint, self.store.path)

    def prepare(self, db: Connection) -> None:
        """Make the vector tables on the first write; refuse another embedder."""
        if not self.check(db):
            vectors.adopt(db, self._fingerprint)

    @property
    def _fingerprint(self) -> vectors.Fingerprint:
        return passages.fingerprint(self.embedder)


@dataclass(frozen=True, slots=True)
class EpisodeInput:
    """A checked episode, ready to be stored."""

    content: str
    reference_time: dt.datetime
    group: str
    source: Source = "text"
    name: str | None = None
    description: str | None = None
    speaker: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    uuid: str | None = None
    extract: bool = True

    def checked(self) -> EpisodeInput:
        """Itself, if it can be stored exactly; ValueError naming what is wrong."""
        if not clean_text(self.content, "content").strip():
            raise ValueError("content is empty; an episode needs words")
        if len(self.content) > MAX_CONTENT:
            raise ValueError(f"content has {len(self.content)} characters, the limit is {MAX_CONTENT}; add it in parts")
        if self.source not in get_args(Source):
            raise ValueError(f"unknown source {self.source!r}; use one of {', '.join(get_args(Source))}")
        for what in ("name", "description", "uuid"):
            if getattr(self, what) is not None:
                clean_text(getattr(self, what), what)
        if self.speaker is not None:
            clean_name(self.speaker, "speaker")
        return self

    @property
    def id(self) -> str:
        """The uuid given, else one made of what makes it this episode."""
        parts = ["episode", self.group, self.source, to_micros(self.reference_time), self.content]
        if self.speaker is not None or self.name is not None:
            parts += [self.speaker, self.name]  # two people may say "Thanks!" at the same minute
        return self.uuid or make_uuid(*parts)


def add(
    writer: Writer, episodes: Sequence[EpisodeInput], *, progress: Callable[[int, int], object] | None = None
) -> list[AddResult]:
    """Store and work on episodes, in order; one that is there already is left as it is, an unfinished one is taken up again.

    Raises what the embedder raises; the episodes not worked on then stay, marked as failed with the reason.
    """
    _check_uuids(writer, episodes)
    results: list[AddResult] = []
    for start in range(0, len(episodes), BATCH):
        batch = episodes[start : start + BATCH]
        with writer.store.write() as db:
            writer.prepare(db)
            rows = [_store(db, episode, writer.now()) for episode in batch]
            waiting = [
                (row, episode) for row, episode in dict(zip(rows, batch, strict=True)).items() if write.unfinished(db, row)
            ]
        done = _work(writer, waiting)
        with writer.store.read() as db:
            at = writer.now()
            results += [_result(db, row, done.pop(row, None), at) for row in rows]
        if progress is not None:
            progress(len(results), len(episodes))
    return results


def _check_uuids(writer: Writer, episodes: Sequence[EpisodeInput]) -> None:
    """ValueError if a uuid that was given stands for another text, in the file or among these."""
    seen: dict[str, EpisodeInput] = {}
    with writer.store.read() as db:
        for number, episode in enumerate(episodes):
            if episode.uuid is None:
                continue
            found = read.episode(db, episode.uuid)
            there = found[1] if found else seen.setdefault(episode.uuid, episode)
            if (there.group, there.content) != (episode.group, episode.content):
                where = f"episode {number}: " if len(episodes) > 1 else ""
                raise ValueError(f"{where}the uuid {episode.uuid} is taken by another text; leave it out, or give another")


def _store(db: Connection, episode: EpisodeInput, clock: int) -> int:
    found = read.episode(db, episode.id)
    if found is not None:
        return found[0]
    offset = episode.reference_time.utcoffset() or dt.timedelta(0)
    return write.insert_episode(
        db,
        {
            "uuid": episode.id,
            "group_id": write.group(db, episode.group),
            "source": episode.source,
            "name": episode.name,
            "description": episode.description,
            "speaker": episode.speaker,
            "content": episode.content,
            "metadata": dict(episode.metadata),
            "reference_time": to_micros(episode.reference_time),
            "reference_offset": int(offset.total_seconds()),
            "extract": int(episode.extract),
            "created_at": write.now(db, clock),
        },
    )


@dataclass(frozen=True, slots=True)
class _Done:
    ended: list[int]
    warnings: list[str] = field(default_factory=list)


def _work(writer: Writer, waiting: Sequence[tuple[int, EpisodeInput]]) -> dict[int, _Done]:
    """Extract from and index episodes that are stored."""
    found = [_extract(episode) for _, episode in waiting]
    texts: list[str] = []
    for (_, episode), (stated, _) in zip(waiting, found, strict=True):
        texts.append(passages.episode_passage(episode.content, episode.speaker))
        texts += [passages.claim_passage(fact.source, fact.relation, fact.target, fact.fact) for fact in stated]
    try:
        embedded = iter(zip(texts, passages.embed(writer.embedder, texts), strict=True))
    except Exception as error:  # whatever an embedder raises, the reason is kept beside the text
        with writer.store.write() as db:
            for row, _ in waiting:
                write.set_state(db, row, "failed", f"{type(error).__name__}: {error}")
        raise
    done = {}
    with writer.store.write() as db:
        for (row, episode), (stated, warnings) in zip(waiting, found, strict=True):
            own = [next(embedded) for _ in range(1 + len(stated))]
            if write.unfinished(db, row):  # another process may have been quicker
                done[row] = replace(_commit(db, writer, row, episode, stated, own), warnings=warnings)
    return done


def _extract(episode: EpisodeInput) -> tuple[list[ExtractedFact], list[str]]:
    """What the episode states; an impossible end (R8) or a fact from a thing to itself is dropped, with a warning."""
    if not episode.extract or episode.source == "json":
        return [], []
    from tkgmem.ingest import extract_rules  # late: its patterns take a while to compile

    kept, warnings = [], []
    for fact in extract_rules.extract(episode.content, reference_time=episode.reference_time, speaker=episode.speaker):
        if name_key(fact.source) == name_key(fact.target):
            warnings.append(f"dropped {fact.source} {fact.relation} {fact.target}: both ends are the same")
        elif fact.valid_at is not None and fact.invalid_at is not None and fact.invalid_at.micros <= fact.valid_at.micros:
            warnings.append(f"dropped the end {show(fact.invalid_at.micros)} of {fact.fact!r}: it is not after its start")
            kept.append(replace(fact, invalid_at=None))
        else:
            kept.append(fact)
    return kept, warnings


def _commit(
    db: Connection,
    writer: Writer,
    row: int,
    episode: EpisodeInput,
    stated: Sequence[ExtractedFact],
    embedded: Sequence[tuple[str, Vectors]],
) -> _Done:
    """Everything that one episode brings, inside the caller's transaction."""
    group_id = write.group(db, episode.group)
    text, vector = embedded[0]
    lexical.index_episode(db, row, text)
    vectors.insert(db, "episode", row, group_id, vector)
    at = write.tick(db, writer.now(), "add", group_id=group_id, episode_id=row) if stated else write.now(db, writer.now())
    if episode.speaker is not None:
        speaker = resolve(db, group_id, episode.group, episode.speaker, what="speaker", first=episode.id, at=at)
        write.insert_mention(db, speaker, row, (0, 0), at)
    table = relations.load(db)
    new = [
        _new_claim(db, row, episode, fact, table, position=position, group_id=group_id, at=at)
        for position, fact in enumerate(stated)
    ]
    recorded = reconcile.record(db, new, table, group_id=group_id, owner=episode.id, at=at)
    for claim, (words, vector) in zip(recorded.claims, embedded[1:], strict=True):
        lexical.index_claim(db, claim, words)
        vectors.insert(db, "claim", claim, group_id, vector)
    write.set_state(db, row, "done")
    return _Done(recorded.ended)


def _new_claim(
    db: Connection,
    row: int,
    episode: EpisodeInput,
    fact: ExtractedFact,
    table: Relations,
    *,
    position: int,
    group_id: int,
    at: int,
) -> NewClaim:
    first = make_uuid("claim", episode.id, at, position)
    ends = []
    for what, name, span in (("source", fact.source, fact.source_span), ("target", fact.target, fact.target_span)):
        entity = resolve(db, group_id, episode.group, name, what=what, first=first, at=at)
        if span is not None:
            write.insert_mention(db, entity, row, span, at)
        ends.append(entity)
    return NewClaim(
        kind=fact.kind,
        source_id=ends[0],
        relation=table.canonical(fact.relation),
        target_id=ends[1],
        fact=fact.fact,
        valid=fact.valid_at,
        invalid=_ending(fact, episode),
        reference_time=to_micros(episode.reference_time),
        episode_id=row,
        span=fact.span,
        made_by="rules",
    )


def _ending(fact: ExtractedFact, episode: EpisodeInput) -> Moment | None:
    """The stated end; an ending without a date is one at the time it was told."""
    if fact.kind == "end" and fact.invalid_at is None:
        return Moment(to_micros(episode.reference_time), "time")
    return fact.invalid_at


def _result(db: Connection, row: int, done: _Done | None, now: int) -> AddResult:
    """What an episode brought, read back from the file."""
    [episode] = read.episodes(db, [row]).values()
    own = [claim for claim in claims.of_episode(db, row) if claim.expired_at is None]
    supported = set(facts.supported_facts(db, [claim.id for claim in own], EVERYTHING).values())
    ended = set(done.ended if done else ()) - supported
    entities = read.entities(db, [end for claim in own for end in (claim.source_id, claim.target_id)])
    for speaker in read.mentioned(db, row):
        entities |= read.entities(db, [speaker])
    return AddResult(
        episode=episode,
        entities=[entities[key] for key in sorted(entities)],
        facts=facts.shown(db, sorted(supported), valid_at=now),
        ended=[fact for fact in facts.shown(db, sorted(ended), valid_at=now) if fact.invalid_at is not None],
        warnings=list(done.warnings if done else ()),
        calls=0,
    )
