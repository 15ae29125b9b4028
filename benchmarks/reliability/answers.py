"""What a memory answers, as values that can be compared: searches with scores, both clocks, timelines, histories, entities.

Questions are drawn from the memory itself: its names, its sentences, its dates and the instants at which it learned something.
"""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from tkgmem import Hit, Memory, NotFound, reembed
from tkgmem.protocols import Embedder

Kind = Literal["search", "as_of", "believed_at", "timeline", "history", "entity"]
_KINDS: tuple[Kind, ...] = ("search", "search", "search", "as_of", "believed_at", "timeline", "history", "entity")
_LIMIT = 10
_MANY = 100_000


@dataclass(frozen=True, slots=True)
class Question:
    """One question. valid_at, known_at: the clocks, None for now and for all that is recorded."""

    kind: Kind
    text: str
    group: str
    valid_at: dt.datetime | None = None
    known_at: dt.datetime | None = None


class Answer(NamedTuple):
    """What was found, in order, with the scores of hits."""

    items: tuple[Any, ...]
    scores: tuple[float, ...] = ()


def questions(memory: Memory, count: int, seed: int) -> list[Question]:
    """So many questions about what is in the memory, the same for the same content and seed."""
    chance = random.Random(seed)
    found: list[Question] = []
    sources = {group: _words(memory, group) for group in memory.stats().groups}
    groups = [group for group, (names, _, _) in sources.items() if names]
    while groups and len(found) < count:
        group = chance.choice(groups)
        names, sentences, instants = sources[group]
        kind = chance.choice(_KINDS)
        valid_at, known_at = (chance.choice([None, chance.choice(instants)]) for _ in range(2))
        text = chance.choice(names)
        if kind == "search" and sentences and chance.random() < 0.8:
            words = chance.choice(sentences).split()
            start = chance.randrange(len(words))
            text = " ".join(words[start : start + chance.randint(1, 8)])
        found.append(Question(kind, text, group, valid_at or (instants[0] if kind == "believed_at" else None), known_at))
    return found


def _words(memory: Memory, group: str) -> tuple[list[str], list[str], list[dt.datetime]]:
    """The names, sentences and instants of a group, each in an order that does not hang on row numbers."""
    episodes = memory.episodes(group=group, limit=_MANY)
    names: set[str] = set()
    sentences = {episode.content for episode in episodes}
    instants = {moment for episode in episodes for moment in (episode.reference_time, episode.created_at)}
    facts = {fact.uuid: fact for at in sorted(instants) for fact in memory.as_of(at, group=group)}
    facts |= {fact.uuid: fact for fact in memory.as_of("2100", group=group)}
    for fact in facts.values():
        names |= {fact.source.uuid, fact.target.uuid}
        sentences.add(fact.fact)
        instants |= {moment for moment in (fact.valid_at, fact.invalid_at, fact.created_at) if moment is not None}
    return sorted(names), sorted(sentences), sorted(instants)


def recorded(memory: Memory, asked: Sequence[Question]) -> list[Answer]:
    """The answers to all questions, in their order; that nothing was known then is one too."""
    answers = []
    for question in asked:
        try:
            answers.append(_answer(memory, question))
        except NotFound:
            answers.append(Answer(("not found",)))
    return answers


def _answer(memory: Memory, question: Question) -> Answer:
    text, group, valid_at, known_at = question.text, question.group, question.valid_at, question.known_at
    match question.kind:
        case "search":
            found = memory.search(text, group=group, limit=_LIMIT, valid_at=valid_at, known_at=known_at)
            hits: list[Hit[Any]] = [*found.facts, *found.entities, *found.episodes]
            return Answer(tuple(hit.item for hit in hits), tuple(hit.score for hit in hits))
        case "as_of":
            at = valid_at or dt.datetime(2100, 1, 1, tzinfo=dt.UTC)
            return Answer(tuple(memory.as_of(at, known_at=known_at, source=text, group=group)))
        case "believed_at":
            assert valid_at is not None
            return Answer(tuple(memory.believed_at(valid_at, group=group)))
        case "timeline":
            return Answer(tuple(memory.timeline(text, group=group, valid_at=valid_at, known_at=known_at)))
        case "history":
            return Answer(tuple(memory.history(text, group=group)))
        case "entity":
            view = memory.entity(text, group=group, valid_at=valid_at, known_at=known_at)
            return Answer((view.entity, *view.facts))


def compared(before: Sequence[Answer], after: Sequence[Answer]) -> dict[str, Any]:
    """How many of the answers are the same: in all, in what was found whatever its order, and how far scores are apart."""
    pairs = list(zip(before, after, strict=True))
    apart = [
        abs(one - other)
        for old, new in pairs
        if old.items == new.items
        for one, other in zip(old.scores, new.scores, strict=True)
    ]
    return {
        "questions": len(pairs),
        "found": sum(len(old.items) for old, _ in pairs),
        "equal": sum(old == new for old, new in pairs),
        "equal_but_for_scores": sum(old.items == new.items for old, new in pairs),
        "equal_but_for_order": sum(sorted(map(repr, old.items)) == sorted(map(repr, new.items)) for old, new in pairs),
        "scores_apart_by_at_most": max(apart, default=0.0),
    }


def made_again(path: Path, embedder: Embedder, asked: Sequence[Question], **more: Any) -> dict[str, Any]:
    """The answers of a file compared before and after its reindexing, and after re-embedding by the same model.

    more: what else the memory is opened with, such as its clock.
    """
    with Memory(path, embedder=embedder, **more) as memory:
        before = recorded(memory, asked)
        memory.reindex()
        reindexed = recorded(memory, asked)
    reembed(path, embedder)
    with Memory(path, embedder=embedder, **more) as memory:
        reembedded, is_sound = recorded(memory, asked), memory.doctor().ok
    return {"reindex": compared(before, reindexed), "reembed": compared(before, reembedded), "sound": is_sound}
