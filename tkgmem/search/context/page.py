"""A block of text that never costs more than it may: whatever does not fit is not put in, and nothing is put in twice.

Every line is a heading of this module or one line that begins with a mark, so no user's text can pass for a heading.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import TypeVar

from tkgmem import wording
from tkgmem.graph import Community, Entity, Episode, Fact
from tkgmem.search.context.excerpt import CUT
from tkgmem.search.context.tokens import count
from tkgmem.store.neighbours import Around, Placed
from tkgmem.wording import one_line
from tkgmem.wording.phrases import Phrases

NOW, EARLIER, LATER = "now", "earlier", "later"
_NAME = 80
"""Characters of a conversation's name that are shown."""
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Form:
    """How a page is written. say: its language. headings: sections, else every line says what it is. ids: uuids are shown.

    valid_at: the time that is asked about; current: whether that is now. groups: whether the group of a conversation is said.
    """

    say: Phrases
    headings: bool
    ids: bool
    valid_at: dt.datetime
    current: bool
    groups: bool

    def id_of(self, kind: str, uuid: str) -> str:
        """What stands after a line to say where it comes from, if that is asked for."""
        return f" [{kind} {uuid}]" if self.ids else ""

    def turn_line(self, episode: Episode, text: str) -> str:
        """Words with who said them."""
        speaker = one_line(episode.speaker or "")
        return (self.say.speaker.format(speaker, text) if speaker else text) + self.id_of("episode", episode.uuid)


@dataclass(frozen=True, slots=True)
class Statement:
    """A fact in words. sentence: as it was told; whole: whether that alone says who, what and whom; period: when it holds."""

    fact: Fact
    sentence: str
    triple: str
    period: str
    whole: bool

    @classmethod
    def of(cls, fact: Fact, form: Form) -> Statement:
        """The words of a fact in the form of a page."""
        sentence = one_line(wording.sentence(fact))
        whole = all(wording.names(sentence, end) for end in (fact.source, fact.target))
        period = wording.period_words(fact, form.valid_at, form.say)
        return cls(fact, sentence, one_line(wording.triple_words(fact)), period, whole)


@dataclass(frozen=True, slots=True)
class Turn:
    """A shown episode. text: its words as shown; line: with who said them; before, after: the rows of the turns beside it.

    order: when it was told, in seconds, and its row. session: its conversation and the day there.
    """

    placed: Placed
    text: str
    line: str
    order: tuple[float, int]
    session: tuple[str, str | None, dt.date]
    before: int | None = None
    after: int | None = None

    @classmethod
    def of(cls, placed: Placed, text: str, form: Form, sides: Around | None) -> Turn:
        """An episode with the words of it that are shown. sides: what stands beside it, where known."""
        episode = placed.episode
        before, after = (None, None) if sides is None else (sides.before, sides.after)
        return cls(
            placed,
            text,
            form.turn_line(episode, text),
            (episode.reference_time.timestamp(), placed.row),
            (episode.group, episode.name, episode.reference_time.date()),
            before and before.row,
            after and after.row,
        )


@dataclass(slots=True)
class Page:
    """What is shown so far. opening: the first line. limit, cost: estimated tokens that the whole may cost, and does."""

    form: Form
    opening: str
    limit: int
    facts: dict[str, list[Statement]] = field(default_factory=lambda: {NOW: [], EARLIER: [], LATER: []})
    pictures: list[Community] = field(default_factory=list)
    entities: list[Entity] = field(default_factory=list)
    turns: dict[int, Turn] = field(default_factory=dict)
    cost: int = 0
    _costs: dict[str, int] = field(default_factory=dict)
    _headings: dict[tuple[int, bool], str] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """Whether nothing is shown but the opening."""
        return not (self.turns or self.entities or self.pictures or any(self.facts.values()))

    def shown(self) -> list[Fact | Entity | Episode | Community]:
        """What is shown, of each kind the best first; facts that hold before others."""
        facts = [statement.fact for section in self.facts.values() for statement in section]
        return [*facts, *self.entities, *(turn.placed.episode for turn in self._worth_showing()), *self.pictures]

    def add_fact(self, section: str, statement: Statement, share: float = 1.0) -> bool:
        """Show a fact, if the page then costs at most this share of its limit."""
        return self._add(self.facts[section], statement, share)

    def add_entity(self, entity: Entity, share: float = 1.0) -> bool:
        """Show what an entity is, likewise."""
        return self._add(self.entities, entity, share)

    def add_picture(self, community: Community, share: float = 1.0) -> bool:
        """Show a community, likewise."""
        return self._add(self.pictures, community, share)

    def add_turns(self, turns: Sequence[Turn], share: float = 1.0) -> bool:
        """Show all of these turns that are not shown yet, or none of them, likewise."""
        new = {turn.placed.row: turn for turn in turns if turn.placed.row not in self.turns}
        self.turns |= new
        if self._fits(share):
            return True
        for row in new:
            del self.turns[row]
        return False

    def _add(self, shown: list[Item], item: Item, share: float) -> bool:
        shown.append(item)
        if self._fits(share):
            return True
        shown.pop()
        return False

    def text(self) -> str:
        """The whole, without a line break at its end."""
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """The opening, facts, names and turns, each kind under its heading."""
        say, headings = self.form.say, self.form.headings
        now = (say.now, say.simple_now) if self.form.current else (say.then, say.simple_then)
        lines = [self.opening]
        seen: set[str] = set()
        for section, heading, simple in (
            (NOW, *now),
            (EARLIER, say.earlier, say.simple_earlier),
            (LATER, say.later, say.simple_later),
        ):
            lines += self._section(heading, simple, self._fact_lines(self.facts[section], seen))
        lines += self._section(say.wide, say.simple_wide, map(self._picture_line, self.pictures))
        lines += self._section(say.entities, say.simple_entity, map(self._entity_line, self.entities))
        turns = _in_order(self._worth_showing())
        if turns and headings:
            return [*lines, say.said, *self._sessions(turns)]
        return lines + [self._simple_turn(turn) for turn in turns]

    # --- lines ---

    def _worth_showing(self) -> list[Turn]:
        """The turns, without one of nobody that stands alone and says no more than a shown fact; where ids are wanted, all."""
        often = self._often()
        facts = (statement for section in self.facts.values() for statement in section)
        said = {fact.sentence for fact in facts if fact.whole and often[fact.sentence] == 1 and not self.form.ids}
        return [
            turn
            for turn in self.turns.values()
            if turn.text.rstrip(".。") not in said
            or turn.placed.episode.speaker is not None
            or turn.before in self.turns
            or turn.after in self.turns
        ]

    def _often(self) -> Counter[str]:
        """On how many of the facts shown a sentence stands."""
        return Counter(statement.sentence for section in self.facts.values() for statement in section)

    def _section(self, heading: str, simple: str, lines: Iterable[str]) -> list[str]:
        if not self.form.headings:
            return [simple.format(line) for line in lines]
        marked = [f"- {line}" for line in lines]
        return [heading, *marked] if marked else []

    def _fact_lines(self, facts: Sequence[Statement], seen: set[str]) -> Iterator[str]:
        """Facts in words. A sentence is said once: a fact whose sentence stands elsewhere is said as its triple alone."""
        told = "\n".join(turn.text for turn in self.turns.values())
        often = self._often()
        for statement in facts:
            sentence = words = statement.sentence
            if not statement.whole or often[sentence] > 1:
                once = sentence in told or sentence in seen
                words = statement.triple if once else self.form.say.speaker.format(statement.triple, sentence)
            line = self.form.say.also.format(words, statement.period)
            if line not in seen:
                seen |= {sentence, line}
                yield line + self.form.id_of("fact", statement.fact.uuid)

    def _entity_line(self, entity: Entity) -> str:
        say = self.form.say
        attributes = say.listed.join(say.speaker.format(key, value) for key, value in sorted(entity.attributes.items()))
        line = wording.entity_line(entity, say)
        return one_line(f"{line}; {attributes}" if attributes else line) + self.form.id_of("entity", entity.uuid)

    def _picture_line(self, community: Community) -> str:
        return wording.community_line(community, self.form.say) + self.form.id_of("community", community.uuid)

    def _sessions(self, turns: Sequence[Turn]) -> Iterator[str]:
        """Turns under the name and day of their conversation; CUT where others stand between two of them."""
        for _, group in groupby(turns, key=attrgetter("session")):
            session = list(group)
            times = {turn.order[0] for turn in session}
            yield self._session_heading(session[0], with_time=len(times) == 1)
            for place, turn in enumerate(session):
                if place and turn.placed.episode.name is not None and not _adjacent(session[place - 1], turn):
                    yield CUT
                clock = "" if len(times) == 1 else f"{turn.placed.episode.reference_time:%H:%M} "
                yield f"- {clock}{turn.line}"

    def _session_heading(self, turn: Turn, *, with_time: bool) -> str:
        key = (turn.placed.row, with_time)
        if key not in self._headings:
            episode = turn.placed.episode
            day, name = self._day(episode, with_time=with_time), one_line(episode.name or "")[:_NAME]
            name = f"{one_line(episode.group)[:_NAME]}/{name}" if self.form.groups else name
            say = self.form.say
            self._headings[key] = say.session.format(name, day) if name else say.speaker.format(day, "").rstrip()
        return self._headings[key]

    def _simple_turn(self, turn: Turn) -> str:
        return self.form.say.simple_said.format(self._day(turn.placed.episode, with_time=True), turn.line)

    def _day(self, episode: Episode, *, with_time: bool) -> str:
        """The day in the calendar that it was told in, with the time of day where there is one."""
        told = episode.reference_time
        day = wording.day_words(told.date(), self.form.say)
        return f"{day} {told:%H:%M}" if with_time and told.time() != dt.time() else day

    def _fits(self, share: float) -> bool:
        """Whether the page as it is now costs at most this share; if so, that is its cost."""
        costs = self._costs
        cost = 0
        for line in self.lines():
            if line not in costs:
                costs[line] = count(line)
            cost += costs[line]
        fits = cost <= self.limit * share
        self.cost = cost if fits else self.cost
        return fits


def _in_order(turns: Iterable[Turn]) -> list[Turn]:
    """Conversations by their first turn, the turns of each as they were told."""
    told = sorted(turns, key=attrgetter("order"))
    first: dict[tuple[str, str | None, dt.date], int] = {}
    for place, turn in enumerate(told):
        first.setdefault(turn.session, place)
    return sorted(told, key=lambda turn: first[turn.session])


def _adjacent(turn: Turn, later: Turn) -> bool:
    return turn.after == later.placed.row or later.before == turn.placed.row
