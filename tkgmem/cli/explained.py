"""An explanation as a page for a person: the fact, bars of what held when, the sentences with who said them and when."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence

from tkgmem.cli import dates
from tkgmem.cli.lanes import Lane, draw
from tkgmem.cli.screen import Screen, relation_words
from tkgmem.graph import Fact, Version
from tkgmem.reasons import Change, Supersession, Told, Why

_FIRST, _LAST = 3, 2  # of many sources
_SENTENCE = 200  # characters

_GAVE_WAY = {
    "later start": "Only one of the two can hold at a time, and it begins later.",
    "same start": "Both begin at the same time; it was told later, so it counts.",
    "bounded": "Only one of the two can hold at a time, and it was told for just that time.",
    "judged": "The two cannot both hold, as a language model judged{}.",
}
_TOOK_OVER = {
    "later start": "Only one of the two can hold at a time, and this one begins later.",
    "same start": "Both begin at the same time; this one was told later, so it counts.",
    "bounded": "Only one of the two can hold at a time, and this one was told for just its time.",
    "judged": "The two cannot both hold, as a language model judged{}.",
}
_MEMORIES = frozenset({"graphiti", "mcp-memory"})
"""What the memories that `import` reads are called as makers of statements."""
_TAKEN_BACK = {"retract": "retracted", "undo": "undone", "correct": "corrected"}


def show(screen: Screen, why: Why, *, ids: bool = False, below: bool = False) -> None:
    """All of an explanation. below: under a line that has named the zone, and when it was so known."""
    _Page(screen, why, ids).show(below=below)


class _Page:
    def __init__(self, screen: Screen, why: Why, ids: bool) -> None:
        self.screen, self.why, self.ids = screen, why, ids
        self.around = (why.fact.target.name, why.fact.source.name)

    def show(self, *, below: bool) -> None:
        why = self.why
        title = f"{why.words}, {self._when()}" if why.believed else f"{why.words}: no longer believed"
        self.screen.title(title, zone=not below)
        if why.known_at is not None and not below:
            self._line(f"As it was known on {self._moment(why.known_at)}.")
        if not why.believed:
            self._line(f"It was believed to hold {self.screen.stretch(why.fact)}.")
        if self.ids:
            self._line(f"uuid: {why.uuid}")
        draw(self.screen, self._lanes())
        self._sources("Why: it was told" if why.believed else "It had been told", why.claims)
        self._endings()
        self._above()
        self._below()
        self._sources("It corrects what had been told before", why.corrected_from)
        self._before()

    # --- parts ---

    def _when(self) -> str:
        why = self.why
        if why.fact.planned or not (why.periods or why.fact.planned):
            held = self.screen.stretch(why.fact)
            return held if why.fact.planned else f"{held} as it was told, but it holds at no time"
        return ", and ".join(self.screen.stretch(version) for version in why.periods)

    def _lanes(self) -> list[Lane]:
        why = self.why
        held = [(version.valid_at, version.invalid_at) for version in why.periods]
        counts = why.believed and bool(held) and not why.fact.planned
        others = [(one.fact, True) for one in why.superseded_by if one.fact is not None]
        others += [(one.fact, one.rule != "same start") for one in why.supersedes if one.fact is not None]
        label = _labels([why.fact, *(fact for fact, _ in others)])
        if why.fact.planned and not held:
            return []
        lanes = [Lane(label(why.fact), tuple(held) or (_period(why.fact),), True, counts)]
        lanes += [Lane(label(fact), (_period(fact),), False, holds) for fact, holds in others]
        return sorted(lanes, key=lambda lane: (lane.periods[0][0] is not None, lane.periods[0][0] or why.fact.created_at))

    def _sources(self, heading: str, claims: Sequence[Told]) -> None:
        if not claims:
            return
        many = len(claims) > _FIRST + _LAST + 1
        self._heading(f"{heading} {len(claims)} times" if len(claims) > 1 else heading)
        for claim in claims[:_FIRST] if many else claims:
            self._quote(claim)
        if many:
            self._line(f"... and {len(claims) - _FIRST - _LAST} times more, last:", indent=2)
            for claim in claims[-_LAST:]:
                self._quote(claim)

    def _endings(self) -> None:
        for claim in self.why.ends:
            when = dates.words(claim.invalid_at, claim.invalid_precision, self.screen.zone)
            gone = claim.taken_back_at is not None
            self._heading(f"It was said to have ended: {when}" if gone else f"It ended: {when}")
            self._quote(claim)

    def _above(self) -> None:
        for number, one in enumerate(one for one in self.why.superseded_by if one.fact is not None):
            if not number:
                self._heading("What took its place")
            again = one.rule == "bounded" and one.fact is not None and self._resumes(one.fact)
            self._rival(one, _GAVE_WAY[one.rule] + (" After that, this one holds again." if again else ""))
            self._quote(one.by, indent=4)

    def _below(self) -> None:
        for number, one in enumerate(one for one in self.why.supersedes if one.fact is not None):
            if not number:
                self._heading("What it took the place of")
            self._rival(one, _TOOK_OVER[one.rule])

    def _before(self) -> None:
        before = self.why.before
        if not before:
            return
        self._heading("What was believed before")
        for version in before:
            named = self.screen.triple(version)
            other = "" if named == self.why.words else f"{named}, "
            self._line(f"{self._belief(version)}: {other}{self.screen.stretch(version)}", indent=2)

    # --- lines ---

    def _rival(self, one: Supersession, reason: str) -> None:
        assert one.fact is not None
        model = f" ({one.judgement.model})" if one.judgement is not None else ""
        self._line(f"{self.screen.triple(one.fact)}, {self.screen.stretch(one.fact)}", indent=2, style="bold")
        self._line(f"{reason.format(model)} Known since {self._moment(one.at)}.", indent=4)
        if self.ids:
            self._line(f"uuid: {one.fact.uuid}", indent=4)

    def _quote(self, claim: Told, indent: int = 2) -> None:
        words = claim.excerpt(_SENTENCE, self.around)
        if words:
            self._line(self._marked(words), indent=indent, style="italic")
        self._line(self._source(claim, bool(words)), indent=indent + (2 if words else 0), style="dim")
        if text := claim.context(_SENTENCE, self.around):
            self._line(f"the text: {self._marked(text)}", indent=indent + 2, style="dim")
        if self.ids:
            of = f"   text: {claim.episode.uuid}" if claim.episode is not None else ""
            self._line(f"uuid: {claim.uuid}{of}", indent=indent + 2, style="dim")

    def _marked(self, words: str) -> str:
        return f'"{words}"' if self.screen.plain else f"“{words}”"

    def _source(self, claim: Told, quoted: bool) -> str:
        """Who said it, when, how it was understood, and what became of it."""
        how = "corrected" if claim.corrects else "announced" if claim.kind == "planned" else "told"
        said = claim.said_at or claim.learned_at
        parts = [f"{how} on {self._day(said)}"]
        if claim.episode is not None and claim.episode.speaker:
            parts[0] += f" by {' '.join(claim.episode.speaker.split())}"
        if self._day(claim.learned_at) != self._day(said):
            parts.append(f"learned on {self._day(claim.learned_at)}")
        if claim.made_by == "user":
            parts += [] if quoted else ["entered as a fact, without a sentence"]
        elif claim.made_by in _MEMORIES:
            parts.append(f"imported from {claim.made_by}")
        else:
            parts.append(f"understood by {claim.made_by}" if claim.verbatim else f"in the words of {claim.made_by}")
        if claim.taken_back_at is not None:
            parts.append(self._taken_back(claim.taken_back_at, claim.taken_back_by))
        return ", ".join(parts)

    def _taken_back(self, at: dt.datetime, by: Change | None) -> str:
        verb = _TAKEN_BACK.get(by.verb, "taken back") if by is not None else "taken back"
        reason = f" ({' '.join(by.reason.split())})" if by is not None and by.reason else ""
        return f"{verb} on {self._moment(at)}{reason}"

    def _resumes(self, other: Fact) -> bool:
        return any(version.valid_at == other.invalid_at for version in self.why.periods)

    def _belief(self, version: Version) -> str:
        start, end = version.created_at, version.expired_at
        assert end is not None
        if self._moment(start) == self._moment(end):
            return f"for a moment, {self._moment(start)}"
        if self._day(start) == self._day(end):
            return f"from {self._moment(start)} until {self._moment(end)}"
        return f"from {self._day(start)} until {self._day(end)}"

    def _day(self, value: dt.datetime) -> str:
        """The day on which something was said or learned, in the asked zone."""
        local = value.astimezone(self.screen.zone.info)
        return dates.words(local.replace(hour=0, minute=0, second=0, microsecond=0), "day", self.screen.zone)

    def _moment(self, value: dt.datetime) -> str:
        """An instant of the memory's own clock, to the second."""
        return dates.words(value.replace(microsecond=0), "time", self.screen.zone)

    def _heading(self, text: str) -> None:
        self.screen.line()
        self._line(text, style="bold")

    def _line(self, text: str, *, indent: int = 0, style: str = "") -> None:
        self.screen.indented((text, style), indent=indent)


def _period(fact: Fact) -> tuple[dt.datetime | None, dt.datetime | None]:
    return (fact.valid_at, fact.invalid_at)


def _labels(facts: Sequence[Fact]) -> Callable[[Fact], str]:
    """What tells the facts apart: their targets, with the relation or the source as well where these differ."""
    one_source = len({fact.source.uuid for fact in facts}) == 1
    one_relation = len({fact.relation for fact in facts}) == 1

    def label(fact: Fact) -> str:
        parts = [
            "" if one_source else fact.source.name,
            "" if one_relation and one_source else relation_words(fact.relation),
            fact.target.name,
        ]
        return " ".join(" ".join(part for part in parts if part).split())

    return label
