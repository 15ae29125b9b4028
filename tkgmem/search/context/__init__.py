"""What was found, as a block of text for a language model: within a budget of tokens, the best first, nothing twice.

Facts that hold, turns with those around them, what held earlier, names and communities each get their part of the room; what is
left goes to whatever comes next. A turn in which a question is asked brings its answer.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from tkgmem import wording
from tkgmem.graph import Community, Entity, Episode, Fact, QueryTime, SearchResult
from tkgmem.search.context.excerpt import Excerpts, words_of
from tkgmem.search.context.page import EARLIER, LATER, NOW, Form, Page, Statement, Turn
from tkgmem.search.context.tokens import count
from tkgmem.search.pipeline import Picture
from tkgmem.store import neighbours
from tkgmem.store.clocks import EVERYTHING
from tkgmem.store.connection import Store
from tkgmem.store.neighbours import Around, Placed
from tkgmem.temporal.period import to_micros
from tkgmem.wording import one_line
from tkgmem.wording.phrases import Phrases, iso_dates, phrases_for

STYLES = ("plain", "simple", "iso")
"""plain: sections and dates in words. simple: no sections, each line says what it is. iso: as plain, dates as 2024-05."""

_FACTS, _TURNS, _EARLIER, _LATER, _NAMES, _WIDE = 0.3, 0.55, 0.65, 0.7, 0.75, 0.85
"""Up to which share of the budget each kind may fill the page; the best fact and the best turn may take all there is."""
_BEST, _HIT, _BESIDE = 3, 6, 12
"""The best turn takes a third of the budget at most, others a sixth, those beside them a twelfth; each may take _WHOLE."""
_WHOLE, _WORTH = 100, 30
"""Tokens that any turn may take, and those below which it is not begun, in a budget that has them."""
_HEADING = 20
"""Tokens that the name and the day of a conversation, and who speaks, may cost."""
_ENTITIES = 8
PICTURE = Picture(2, 0.5)
"""The communities that are wanted."""
_PART, _LEAST = 0.075, 60
"""The part of the budget that what is said of each may take, and the tokens below which it is not begun."""
_ASKS = ("?", "？")


def limit_for(max_tokens: int) -> int:
    """How many hits of each scope are worth asking for."""
    return min(60, max(10, max_tokens // 50))


def check(max_tokens: int, style: str) -> None:
    """ValueError naming the value, if a context cannot be made so."""
    if isinstance(max_tokens, bool) or not isinstance(max_tokens, int) or max_tokens < 1:
        raise ValueError(f"max_tokens must be a whole number of at least 1, not {max_tokens!r}")
    if style not in STYLES:
        raise ValueError(f"unknown style {style!r}; use one of {', '.join(STYLES)}")


class Written(NamedTuple):
    """A context. shown: what is on it, of each kind the best first."""

    text: str
    shown: Sequence[Fact | Entity | Episode | Community]


def written(
    store: Store,
    question: str,
    found: SearchResult,
    *,
    max_tokens: int,
    style: str,
    ids: bool,
    current: bool,
    ended: SearchResult | None = None,
    spoken: QueryTime | None = None,
) -> Written:
    """The text for a question, "" where nothing was found (see `Memory.context`), with what it shows.

    found: what holds, entities and episodes. ended: facts found among those that do not hold too. current: whether
    `found.valid_at` is the present. spoken: the time that the question speaks of, if it was used.
    """
    check(max_tokens, style)
    by_uuid: dict[str, Fact] = {}
    for hit in (*found.facts, *(ended.facts if ended else ())):  # of what holds then the period that does
        by_uuid.setdefault(hit.item.uuid, hit.item)
    facts = list(by_uuid.values())
    entities, episodes = [hit.item for hit in found.entities], [hit.item for hit in found.episodes]
    say = phrases_for(question)
    say = iso_dates(say) if style == "iso" else say
    current = current and spoken is None
    groups = len({fact.group for fact in facts} | {episode.group for episode in episodes}) > 1
    at = found.valid_at if spoken is None or spoken.valid_until is None else spoken.valid_until - dt.timedelta.resolution
    form = Form(say, style != "simple", ids, at, current, groups)
    page = Page(form, _opening(found, say, current, spoken), max_tokens)
    known = EVERYTHING if found.known_at is None else to_micros(found.known_at)
    with store.read() as db:
        around = neighbours.around(db, [episode.uuid for episode in episodes], known)
    hits = [Placed(around[episode.uuid].row, episode) for episode in episodes if episode.uuid in around]
    sides = {place.row: around[place.episode.uuid] for place in hits}
    wide = [hit.item for hit in found.communities]
    _Filling(page, Excerpts(question), sides, spoken).fill(facts, hits, entities, wide)
    if not page.empty:
        return Written(page.text(), page.shown())
    return Written(_smallest(page, Excerpts(question), facts, episodes), (facts or episodes)[:1])


def _opening(found: SearchResult, say: Phrases, current: bool, spoken: QueryTime | None) -> str:
    """As of when it is read."""
    known = "" if found.known_at is None else say.known.format(wording.date_words(found.known_at, "time", say))
    if spoken is not None:
        return say.spoken.format(one_line(spoken.words), _stretch(spoken, say)) + known
    when = wording.day_words(found.valid_at.date(), say) if current else wording.date_words(found.valid_at, "time", say)
    return say.read.format(when) + known


def _stretch(spoken: QueryTime, say: Phrases) -> str:
    """The time that a question speaks of, in words."""
    start, end = (
        None if bound is None else wording.date_words(bound, "time", say) for bound in (spoken.valid_at, spoken.valid_until)
    )
    if start is None:
        return say.unknown if end is None else say.until.format(end)
    return say.starting.format(start) if end is None else say.between.format(start, end)


@dataclass(slots=True)
class _Filling:
    """Puts what was found on a page. sides: what was told around each hit, by its row. spoken: see `written`."""

    page: Page
    excerpts: Excerpts
    sides: dict[int, Around]
    spoken: QueryTime | None

    def fill(
        self, facts: Sequence[Fact], hits: Sequence[Placed], entities: Sequence[Entity], wide: Sequence[Community]
    ) -> None:
        """All kinds, the most wanted first, each up to its share; then whatever still fits."""
        form = self.page.form
        sorted_facts: dict[str, list[Statement]] = {NOW: [], EARLIER: [], LATER: []}
        for fact in facts:
            sorted_facts[_section(fact, form.valid_at, self.spoken)].append(Statement.of(fact, form))
        self._facts(NOW, sorted_facts, _FACTS)
        self._hits(hits, _TURNS)
        self._facts(EARLIER, sorted_facts, _EARLIER)
        self._facts(LATER, sorted_facts, _LATER)
        for entity in [entity for entity in entities if entity.type or entity.aliases or entity.attributes][:_ENTITIES]:
            self.page.add_entity(entity, _NAMES)
        for community in wide:
            self._picture(community)
        self._neighbours(hits)
        self._hits(hits, 1.0)
        for section in (NOW, EARLIER, LATER):
            self._facts(section, sorted_facts, 1.0)

    def _facts(self, section: str, statements: dict[str, list[Statement]], share: float) -> None:
        """Facts, best first, until one does not fit; of those that hold the best one may take all the room."""
        waiting = statements[section]
        while waiting:
            first = section == NOW and self.page.empty
            if not self.page.add_fact(section, waiting[0], 1.0 if first else share):
                return
            waiting.pop(0)

    def _picture(self, community: Community) -> None:
        """What a community's summary says of what is asked, if it tells mostly of facts that are not on the page."""
        told = {statement.fact.uuid for section in self.page.facts.values() for statement in section}
        known = 2 * len(told.intersection(community.facts)) > len(community.facts)
        room = int(_PART * self.page.limit)
        if not known and room >= _LEAST and (summary := self.excerpts.cut(community.summary, room)):
            self.page.add_picture(replace(community, summary=summary), _WIDE)

    def _hits(self, hits: Sequence[Placed], share: float) -> None:
        """The turns found, best first, until there is no room; a question with its answer. The best may take all the room."""
        for hit in hits:
            if hit.row in self.page.turns:
                continue
            upto = share if self.page.turns else 1.0
            room = self._room(_HIT if self.page.turns else _BEST, upto)
            if not room:
                return
            turn = self._turn(hit, room)
            answer = self.sides[hit.row].after if _asks(hit) else None
            pair = [turn] if answer is None else [turn, self._turn(answer, room)]
            if not (self.page.add_turns(pair, upto) or self.page.add_turns([turn], upto)):
                return

    def _neighbours(self, hits: Sequence[Placed]) -> None:
        """The turns after and before those shown, of the best hit first; a hit that is shown as one of them has its own."""
        for hit in hits:
            if hit.row in self.page.turns:
                for beside in (self.sides[hit.row].after, self.sides[hit.row].before):
                    room = self._room(_BESIDE)
                    if beside is not None and beside.row not in self.page.turns and room:
                        self.page.add_turns([self._turn(beside, room)])

    def _room(self, part: int, share: float = 1.0) -> int:
        """The tokens that the next turn may take, of which this is the part of the budget at most; 0 for too few."""
        limit = self.page.limit
        left = int(limit * share - self.page.cost)
        if not self.page.turns and self.page.form.headings:
            left -= count(self.page.form.say.said) + _HEADING
        return min(left, max(_WHOLE, limit // part)) if left >= min(_WORTH, limit // 5) else 0

    def _turn(self, placed: Placed, tokens: int) -> Turn:
        text = self.excerpts.cut(words_of(placed.episode), tokens)
        return Turn.of(placed, text, self.page.form, self.sides.get(placed.row))


def _asks(placed: Placed) -> bool:
    """Whether a turn ends in a question."""
    return placed.episode.content.rstrip().endswith(_ASKS)


def _section(fact: Fact, valid_at: dt.datetime, spoken: QueryTime | None) -> str:
    """Where a fact stands in a page about a time, or about a stretch of it."""
    start = valid_at if spoken is None else spoken.valid_at
    if fact.invalid_at is not None and start is not None and fact.invalid_at <= start:
        return EARLIER
    if fact.valid_at is None:
        return LATER if fact.planned else NOW  # what was announced with a date holds from then on (R9)
    if spoken is None:
        return NOW if fact.valid_at <= valid_at else LATER
    return NOW if spoken.valid_until is None or fact.valid_at < spoken.valid_until else LATER


def _smallest(page: Page, excerpts: Excerpts, facts: Sequence[Fact], episodes: Sequence[Episode]) -> str:
    """The best line alone, cut to what little room there is."""
    say = page.form.say
    lines = [wording.fact_line(fact, page.form.valid_at, say) for fact in facts[:1]]
    lines += [wording.episode_line(episode, say) for episode in episodes[:1]]
    return excerpts.cut(lines[0], page.limit) if lines else ""
