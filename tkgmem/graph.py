"""The values that leave this package: frozen, without behaviour that touches the file.

Every datetime here is aware UTC. `valid_at`/`invalid_at` bound when something holds in the world, `created_at`/`expired_at`
when this memory believed it; None is an unknown or open bound.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from tkgmem.temporal.period import Moment, Precision

ClaimKind = Literal["assert", "end", "planned"]
EpisodeState = Literal["pending", "done", "failed"]
Source = Literal["text", "message", "json"]


@dataclass(frozen=True, slots=True)
class Entity:
    """A person, place, organization, project or thing of one group. `aliases` does not repeat `name`.

    type, attributes: what kind of thing it is and what is said of it, where a model or a program told; None and empty else.
    """

    uuid: str
    group: str
    name: str
    aliases: tuple[str, ...] = ()
    created_at: dt.datetime | None = None
    type: str | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Episode:
    """What was said, kept word for word. `reference_time` keeps the offset it was given with.

    expired_at: since when it is taken back (see `undo`): it is kept, and no longer found; None where it is not.
    """

    uuid: str
    group: str
    source: Source
    content: str
    reference_time: dt.datetime
    created_at: dt.datetime
    state: EpisodeState
    name: str | None = None
    description: str | None = None
    speaker: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    error: str | None = None
    expired_at: dt.datetime | None = None


@dataclass(frozen=True, slots=True)
class Fact:
    """One stint of one triple, as believed at the asked system time.

    uuid: that of its first recorded claim; any uuid in `claims` addresses the same fact.
    fact: the text of the first claim, else "{source} {relation in words} {target}".
    valid_at, invalid_at: the period [valid_at, invalid_at) in which it holds; None is unknown or open.
    created_at: when the memory first learned it.
    expired_at: when the memory learned, from another claim, that it no longer holds; None while open and where the end was
    stated with the fact itself.
    valid_precision, invalid_precision: how finely each bound was stated ("year", "month", "day", "time"), None if unknown.
    planned: it rests on announcements only ("will", "plans to").
    episodes, claims: uuids of the sources and of the supporting claims, in recorded order.
    """

    uuid: str
    group: str
    source: Entity
    relation: str
    target: Entity
    fact: str
    valid_at: dt.datetime | None
    invalid_at: dt.datetime | None
    created_at: dt.datetime
    expired_at: dt.datetime | None
    episodes: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)
    valid_precision: Precision | None = None
    invalid_precision: Precision | None = None
    planned: bool = False


@dataclass(frozen=True, slots=True)
class Version:
    """What the memory believed of a fact over one stretch of system time: a row that is closed, never edited.

    uuid: the fact's. valid_at, invalid_at: the period it was believed to hold. created_at, expired_at: when this was believed.
    cause: why the period ends: "stated", "ended" (someone said so), "superseded" (a conflicting fact took over), "judged",
    or None while it is open.
    by: the uuid of the claim that ends it, where that is another claim.
    """

    uuid: str
    valid_at: dt.datetime | None
    invalid_at: dt.datetime | None
    created_at: dt.datetime
    expired_at: dt.datetime | None
    cause: str | None
    source: Entity
    relation: str
    target: Entity
    fact: str
    by: str | None = None
    planned: bool = False
    valid_precision: Precision | None = None
    invalid_precision: Precision | None = None


@dataclass(frozen=True, slots=True)
class Mention:
    """A stretch [start, end) of an episode's characters that names an entity."""

    entity: str
    episode: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ExtractedEntity:
    """Something that a text names, before it is resolved. span: where its name stands first, None if it does not."""

    name: str
    type: str | None = None
    aliases: tuple[str, ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)
    span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class ExtractedFact:
    """What one sentence of an episode states, before entities are resolved: the output of every extractor.

    kind: "assert" (holds, or held over a stated interval), "end" (it stopped: only `invalid_at` is meant), "planned" (a stated
    future). source, relation, target: names as written. fact: the sentence. valid_at, invalid_at: the stated bounds,
    `invalid_at` exclusive (a stint "in 2012" ends at 2013-01-01 with precision "year").
    span, source_span, target_span: character offsets [start, end) in the episode's content; None where the words are not there
    (a first person resolved to the speaker, a sentence that a model put in other words).
    source_at, target_at: which of the extraction's entities the name stands for, where the extractor tells it.
    """

    kind: ClaimKind
    source: str
    relation: str
    target: str
    fact: str
    span: tuple[int, int] | None
    valid_at: Moment | None = None
    invalid_at: Moment | None = None
    source_span: tuple[int, int] | None = None
    target_span: tuple[int, int] | None = None
    source_at: int | None = None
    target_at: int | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Extraction:
    """All that was read from one episode. warnings: what was dropped and why. excluded: keys of names that are left out."""

    entities: tuple[ExtractedEntity, ...] = ()
    facts: tuple[ExtractedFact, ...] = ()
    warnings: tuple[str, ...] = ()
    excluded: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One entry of the model-call log. key: the checksum of model and request. request: JSON of system, user and schema.

    usable: whether an object of the wanted shape was found in the response. cost: US dollars, None where unknown.
    """

    key: str
    episode: str
    purpose: str
    model: str
    request: str
    response: str
    usable: bool
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    created_at: dt.datetime


@dataclass(frozen=True, slots=True)
class Summary:
    """What is known of an entity, a community or a conversation as of two clocks, in plain dated sentences.

    facts: the uuids of the facts that it was made from. model: which one wrote it; None where it was put together of the facts.
    valid_at: it tells what held then. known_at: of what was recorded up to then, None for everything so far.
    created_at, expired_at: when it was kept, and when another one took its place; both None where it was made for this read.
    """

    text: str
    facts: tuple[str, ...]
    model: str | None
    valid_at: dt.datetime
    known_at: dt.datetime | None
    created_at: dt.datetime | None = None
    expired_at: dt.datetime | None = None


@dataclass(frozen=True, slots=True)
class Community:
    """Entities that facts tie more closely to each other than to the rest, with what holds among them.

    name: of those that most goes through, or as a model named it. members: the most connected first. facts: see `Summary`.
    created_at: since when it is kept; None where it was derived for this read, as for a `valid_at`. Its uuid is then that of
    the kept one that it resembles most, or one made of its members.
    """

    uuid: str
    group: str
    name: str
    summary: str
    members: tuple[Entity, ...]
    facts: tuple[str, ...] = ()
    model: str | None = None
    created_at: dt.datetime | None = None


@dataclass(frozen=True, slots=True)
class Membership:
    """An entity's belonging to a community, over the stretch of system time [created_at, expired_at).

    community, name: its uuid, and what it was called when it was kept last; "" where all that named it was forgotten.
    """

    entity: Entity
    community: str
    name: str
    created_at: dt.datetime
    expired_at: dt.datetime | None


Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Hit(Generic[Item]):
    """A search hit. score: higher is better, comparable within one scope. ranks: list to 1-based rank, of "bm25", "cosine",
    "graph", "named" (at what the question names), "time" (told when it speaks of); none where turns beside it brought it up.
    scores: what each method and reranker gave it, filled with `explain`.
    """

    item: Item
    score: float
    ranks: Mapping[str, int]
    scores: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class QueryTime:
    """The time that a question speaks of: [valid_at, valid_until) in the world. words: those that say so."""

    words: str
    valid_at: dt.datetime | None
    valid_until: dt.datetime | None


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits per scope, best first; `timings` in milliseconds per stage; the two clocks that were used.

    `known_at` None means everything recorded so far. query_time: the time that the question speaks of, where it was used in
    place of `valid_at`. `degraded` names the stages that were left out or cut short: "rerank", "beside", "graph", "cosine",
    "embed", "bm25"; and "communities" where these were asked for and one of the groups keeps none yet (see
    `Memory.refresh_communities`).
    basis: the greatest system time that this read saw, None where nothing was told yet. The same question with
    `valid_at=valid_at, known_at=basis, use_query_time=query_time is not None` sees the same facts at any later time, whatever
    was told, ended or retracted since; how rare a word is, and so the order, goes by all texts that there are.
    """

    facts: list[Hit[Fact]]
    entities: list[Hit[Entity]]
    episodes: list[Hit[Episode]]
    communities: list[Hit[Community]]
    timings: Mapping[str, float]
    degraded: tuple[str, ...]
    valid_at: dt.datetime
    known_at: dt.datetime | None
    query_time: QueryTime | None = None
    basis: dt.datetime | None = None


@dataclass(frozen=True, slots=True)
class AddResult:
    """What one episode brought; `episode.state` is "failed", with its `error`, where a model failed.

    facts: the facts it supports; created, extended: those that are new, and those that were known and have one more source;
    ended: earlier facts that it ended or superseded; entities: those it names; new_entities: those it made.
    warnings: what was dropped and why; ignored: what a model judged and the guard refused.
    calls: how many model calls were answered; prompt_tokens, completion_tokens, cost (US dollars, None where unknown): theirs.
    seconds: the time it took, the waiting for models shared with others of its batch included.
    """

    episode: Episode
    entities: list[Entity]
    facts: list[Fact]
    ended: list[Fact]
    warnings: list[str]
    calls: int
    created: list[Fact] = field(default_factory=list)
    extended: list[Fact] = field(default_factory=list)
    new_entities: list[Entity] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class EntityView:
    """An entity with the facts at either of its ends that hold at the asked clocks. `summary` tells them in a few sentences, or
    is what a model wrote of them (see `Memory.summary`); None where nothing holds.
    """

    entity: Entity
    facts: list[Fact]
    summary: str | None = None
