"""From texts to what they state, before anything is resolved: as given, by mapping, a model or rules. Only the log is written.

Every extractor gives the same: entities, facts whose ends are places in the list of entities, warnings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from tkgmem.answers.calls import Spent
from tkgmem.errors import ProviderError
from tkgmem.graph import ExtractedEntity, ExtractedFact, Extraction
from tkgmem.ingest import extract_llm, given
from tkgmem.ingest.asking import Answer, Desk, Question, ask
from tkgmem.ingest.chunks import Chunk, chunks
from tkgmem.ingest.episodes import EpisodeInput
from tkgmem.store import read, relations
from tkgmem.store.names import name_key
from tkgmem.temporal.period import show

ALIAS = "ALSO_KNOWN_AS"
"""The relation whose target is another name of its source."""

_JSON_TEXT = re.compile(r'"((?:[^"\\\n]|\\.)*)"(\s*:)?')


@dataclass(frozen=True, slots=True)
class Read:
    """What was read from one episode, or why nothing could be. made_by: the extractor. may_judge: whether the budget of model
    calls leaves one for a judge: a piece is asked about once, and one more call is for whatever is left open.
    """

    extraction: Extraction = field(default_factory=Extraction)
    made_by: str = "rules"
    error: ProviderError | None = None
    spent: Spent = field(default_factory=Spent)
    may_judge: bool = False


def read_all(desk: Desk | None, waiting: Sequence[tuple[int, EpisodeInput]]) -> list[Read]:
    """What each stored episode (its row) states. With a model, all are asked about at once; desk None: without one."""
    found: list[Read | None] = [_without_model(episode, desk is None) for _, episode in waiting]
    asked = [place for place, done in enumerate(found) if done is None]
    if desk is not None:
        for place, done in zip(asked, _by_model(desk, [waiting[place] for place in asked]), strict=True):
            found[place] = done
    return [done for done in found if done is not None]


def _without_model(episode: EpisodeInput, no_model: bool) -> Read | None:
    if not episode.extract:
        return Read()
    if episode.facts is not None:
        return Read(placed(given.extraction(episode.facts, episode.content, episode.reference_time)), "given")
    if episode.mapping is not None:
        from tkgmem.ingest.extract_records import extract_records

        return Read(placed(extract_records(episode.content, episode.mapping, episode.reference_time)), "mapping")
    return Read(placed(_by_rules(episode))) if no_model else None


def _by_rules(episode: EpisodeInput) -> Extraction:
    from tkgmem.ingest import extract_rules  # late: its patterns take a while to compile

    if episode.source != "json":
        texts: Iterable[tuple[int, str]] = [(0, episode.content)]
    else:  # what people wrote into the values; one with escapes has other offsets than the content, and is left out
        found = _JSON_TEXT.finditer(episode.content)
        texts = [(match.start(1), match[1]) for match in found if match[2] is None and "\\" not in match[1]]
    facts = [
        _moved(fact, offset)
        for offset, text in texts
        for fact in extract_rules.extract(text, reference_time=episode.reference_time, speaker=episode.speaker)
    ]
    kept, warnings = _possible(facts)
    return Extraction(facts=tuple(kept), warnings=tuple(warnings))


def _moved(fact: ExtractedFact, offset: int) -> ExtractedFact:
    """A fact with its places counted from `offset` characters earlier."""
    if not offset:
        return fact

    def moved(span: tuple[int, int] | None) -> tuple[int, int] | None:
        return None if span is None else (span[0] + offset, span[1] + offset)

    return replace(fact, span=moved(fact.span), source_span=moved(fact.source_span), target_span=moved(fact.target_span))


def _possible(facts: Iterable[ExtractedFact]) -> tuple[list[ExtractedFact], list[str]]:
    """The facts without an impossible end (R8), and without those from a thing to itself; what was dropped is said."""
    kept, warnings = [], []
    for fact in facts:
        if name_key(fact.source) == name_key(fact.target):
            warnings.append(f"dropped {fact.source} {fact.relation} {fact.target}: both ends are the same")
        elif fact.valid_at is not None and fact.invalid_at is not None and fact.invalid_at.micros <= fact.valid_at.micros:
            warnings.append(f"dropped the end {show(fact.invalid_at.micros)} of {fact.fact!r}: it is not after its start")
            kept.append(replace(fact, invalid_at=None))
        else:
            kept.append(fact)
    return kept, warnings


def placed(extraction: Extraction) -> Extraction:
    """The same with an entity for every name in it, and each end of a fact as its place in that list.

    What a fact calls another name becomes an alias, not an entity; a fact that is there twice is kept once.
    """
    entities = list(extraction.entities)
    places: dict[str, int] = {}
    for place, entity in enumerate(entities):
        places.setdefault(name_key(entity.name), place)

    def place_of(name: str, span: tuple[int, int] | None, given: int | None) -> int:
        if given is not None:
            return given
        if name_key(name) not in places:
            places[name_key(name)] = len(entities)
            entities.append(ExtractedEntity(name, span=span))
        return places[name_key(name)]

    facts: dict[object, ExtractedFact] = {}
    for fact in extraction.facts:
        source, target = place_of(fact.source, fact.source_span, fact.source_at), fact.target_at
        if fact.relation == ALIAS and target is None:
            known = entities[source]
            if name_key(fact.target) not in map(name_key, (known.name, *known.aliases)):
                entities[source] = replace(known, aliases=(*known.aliases, fact.target))
        else:
            target = place_of(fact.target, fact.target_span, target)
        key = (
            source,
            fact.relation,
            name_key(fact.target) if target is None else target,
            fact.kind,
            fact.valid_at,
            fact.invalid_at,
        )
        facts.setdefault(key, replace(fact, source_at=source, target_at=target))
    return Extraction(tuple(entities), tuple(facts.values()), extraction.warnings)


@dataclass(slots=True)
class _Asked:
    """An episode on its way through the model: its pieces, and what was read of them."""

    row: int
    episode: EpisodeInput
    reading: extract_llm.Reading
    quotes: tuple[int, ...]
    pieces: list[Chunk]
    parts: list[Extraction] = field(default_factory=list)
    error: ProviderError | None = None
    spent: Spent = field(default_factory=Spent)

    def questions(self) -> list[Question[dict[str, list[object]]]]:
        return [self._question(piece, None) for piece in self.pieces]

    def second_questions(self) -> list[Question[dict[str, list[object]]]]:
        """What was missed, for each piece."""
        return [self._question(piece, part) for piece, part in zip(self.pieces, self.parts, strict=True)]

    def _question(self, piece: Chunk, part: Extraction | None) -> Question[dict[str, list[object]]]:
        text = self.episode.content[piece.lead : piece.end]
        read = None if part is None else _as_read(part)
        return Question(self.row, extract_llm.request(text, self.reading, read=read), extract_llm.parse, self.quotes)

    def take(self, answers: Sequence[Answer[dict[str, list[object]]]], *, second: bool = False) -> None:
        """Read the answers to `questions` or `second_questions`."""
        from tkgmem.ingest import model_answer  # late: the patterns of dates take a while to compile

        for place, (piece, answer) in enumerate(zip(self.pieces, answers, strict=True)):
            self.spent += answer.spent
            if answer.value is None:
                self.error = self.error or answer.error
                continue
            span = (piece.lead, piece.end)
            before = self.parts[place] if second else None
            part = model_answer.extraction(answer.value, self.episode.content, span, self.reading, before=before)
            if second:
                self.parts[place] = part
            else:
                self.parts.append(part)


def _by_model(desk: Desk, waiting: Sequence[tuple[int, EpisodeInput]]) -> list[Read]:
    items = _prepared(desk, waiting)
    _ask(desk, items, second=False)
    _ask(desk, [item for item in items if item.episode.reflexion and item.error is None], second=True)
    return [_read(desk, item) for item in items]


def _prepared(desk: Desk, waiting: Sequence[tuple[int, EpisodeInput]]) -> list[_Asked]:
    items = []
    with desk.store.read() as db:
        known, table = relations.told(db), relations.load(db)
        for row, episode in waiting:
            earlier = read.earlier(db, row, episode.previous)
            reading = extract_llm.Reading(
                reference_time=episode.reference_time,
                speaker=episode.speaker,
                earlier=[(said.speaker, said.content[-2_000:]) for _, said in earlier],
                relations=known,
                table=table,
                ontology=None if episode.ontology is None else episode.ontology.under(table.canonical),
                instructions=episode.instructions,
            )
            items.append(_Asked(row, episode, reading, tuple(place for place, _ in earlier), chunks(episode.content)))
    return items


def _ask(desk: Desk, items: Sequence[_Asked], *, second: bool) -> None:
    questions = [item.second_questions() if second else item.questions() for item in items]
    answers: Iterator[Answer[dict[str, list[object]]]] = iter(ask(desk, [one for own in questions for one in own]))
    for item, own in zip(items, questions, strict=True):
        item.take([next(answers) for _ in own], second=second)


def _read(desk: Desk, item: _Asked) -> Read:
    if item.error is not None:
        return Read(error=item.error, spent=item.spent)
    allowed = len(item.pieces) * (2 if item.episode.reflexion else 1)
    return Read(placed(_joined(item.parts)), desk.llm.name, None, item.spent, item.spent.calls <= allowed)


def _joined(parts: Sequence[Extraction]) -> Extraction:
    """The pieces of one text as one: a name that stands for one thing in each piece is the same thing in all, and what one
    piece excludes is excluded from all.
    """
    excluded = frozenset[str]().union(*(part.excluded for part in parts))
    parts = [_without(part, excluded) for part in parts]
    if len(parts) == 1:
        return parts[0]
    entities: list[ExtractedEntity] = []
    facts: list[ExtractedFact] = []
    for part in parts:
        keys = [name_key(entity.name) for entity in part.entities]
        before = [name_key(entity.name) for entity in entities]
        moved = []
        for entity, key in zip(part.entities, keys, strict=True):
            if keys.count(key) == 1 and before.count(key) == 1:
                place = before.index(key)
                entities[place] = _united(entities[place], entity)
            else:
                place = len(entities)
                entities.append(entity)
            moved.append(place)
        facts += [
            replace(
                fact,
                source_at=None if fact.source_at is None else moved[fact.source_at],
                target_at=None if fact.target_at is None else moved[fact.target_at],
            )
            for fact in part.facts
        ]
    return Extraction(tuple(entities), tuple(facts), tuple(warning for part in parts for warning in part.warnings))


def _without(part: Extraction, excluded: frozenset[str]) -> Extraction:
    """A part without the entities of these names, and without their facts."""
    gone = {place for place, entity in enumerate(part.entities) if name_key(entity.name) in excluded}
    if not gone:
        return part
    left = [place for place in range(len(part.entities)) if place not in gone]
    moved = {old: new for new, old in enumerate(left)}
    facts = [fact for fact in part.facts if not {fact.source_at, fact.target_at} & gone]
    return replace(
        part,
        entities=tuple(part.entities[place] for place in left),
        facts=tuple(
            replace(fact, source_at=moved.get(fact.source_at or 0), target_at=moved.get(fact.target_at or 0)) for fact in facts
        ),
    )


def _united(one: ExtractedEntity, other: ExtractedEntity) -> ExtractedEntity:
    known = {name_key(alias): alias for alias in (*other.aliases, *one.aliases) if name_key(alias) != name_key(one.name)}
    return replace(
        one,
        type=one.type or other.type,
        aliases=tuple(known.values()),
        attributes={**one.attributes, **other.attributes},
        span=one.span or other.span,
    )


def _as_read(part: Extraction) -> dict[str, object]:
    """A first reading as it is shown when the model is asked what it missed."""
    return {
        "entities": [{"id": place + 1, "name": entity.name} for place, entity in enumerate(part.entities)],
        "facts": [
            {"source": (fact.source_at or 0) + 1, "relation": fact.relation, "target": (fact.target_at or 0) + 1}
            for fact in part.facts
        ],
    }
