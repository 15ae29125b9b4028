"""A conversation as of the two clocks: who spoke and when, the facts that its turns support, and its most telling turns.

A turn is quoted only if all that it told still holds, and only if it names nothing that is over.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain
from typing import NamedTuple

from tkgmem import wording
from tkgmem.communities import choosing, quoting, sentences
from tkgmem.communities.material import Material
from tkgmem.graph import Entity
from tkgmem.store import conversations, read
from tkgmem.store.clocks import At
from tkgmem.store.connection import Connection
from tkgmem.store.conversations import Over, Turn
from tkgmem.store.identity import Identity
from tkgmem.store.names import name_key
from tkgmem.temporal.period import to_datetime
from tkgmem.wording.phrases import Phrases, phrases_for

_FEW = 6
"""Facts from which on turns are not quoted without a model."""
_QUOTED = 5
_QUOTED_BESIDE = 3
"""Turns that are quoted at most where there is no fact, and at least beside some."""
_LONGEST = 160
"""Characters of a turn that are quoted."""
_NAMED = 6
"""Speakers that are named."""
_SAMPLE = 4_000
_ASKS = ("?", "？")
"""What only asks tells nothing: it is quoted only if nothing else can be."""


class Talk(NamedTuple):
    """What is known of a conversation then. turns: in the order of telling; over: claims of them that tell nothing that holds.

    names: the entities that those claims are about and that nothing which holds is about.
    """

    name: str
    turns: Sequence[Turn]
    what: Material
    over: Sequence[Over]
    names: Sequence[Entity]

    @property
    def say(self) -> Phrases:
        """The words of its language."""
        text = ""
        for turn in self.turns:
            text += turn.content
            if len(text) > _SAMPLE:
                break
        return phrases_for(text[:_SAMPLE])

    @property
    def speakers(self) -> list[str]:
        """Who spoke, those first who did so most."""
        counted = Counter(turn.speaker for turn in self.turns if turn.speaker)
        return [wording.one_line(name) for name in sorted(counted, key=lambda name: -counted[name])]


def of(db: Connection, at: At, name: str, *, most: int = choosing.MOST) -> Talk:
    """A conversation of one group. most: facts that are told."""
    turns = conversations.turns(db, at.groups[0], name, at.known_at)
    records = conversations.held(db, at, name)
    over = conversations.over(db, at, name)
    ends = Counter(end for record in records for end in {record.source, record.target})
    weights = {end: float(number) for end, number in sorted(ends.items(), key=lambda item: (-item[1], item[0]))}
    told = sentences.lines(db, at, choosing.chosen(records, weights, most))
    what = Material(weights, {record.fact: record for record in records}, tuple(told))
    who = Identity(db, at.known_at)
    ended = sorted({end for claim in over if not claim.planned for end in claim.ends})
    who.load(ended)
    names = read.entities(db, {who.of(end) for end in ended} - weights.keys(), at.known_at).values()
    speakers = {name_key(name) for name in {turn.speaker for turn in turns} if name}
    return Talk(name, turns, what, over, [one for one in names if name_key(one.name) not in speakers])


def text_of(talk: Talk) -> str:
    """Its summary without a model."""
    say = talk.say
    number = 0 if len(talk.what.lines) >= _FEW else max(_QUOTED_BESIDE, _QUOTED - len(talk.what.lines))
    facts = sentences.text_of(talk.what.lines, left=talk.what.left)
    parts = [opening(talk, say), facts, say.between_quotes.join(quotes(talk, number))]
    return say.between_sentences.join(part for part in parts if part)


def opening(talk: Talk, say: Phrases) -> str:
    """Who spoke, how often, and when: "Ana and Bo spoke in 12 turns, from 3 May 2024 to 7 June 2024." """
    number, names = len(talk.turns), talk.speakers
    if not number:
        return ""
    one, many = (say.turn, say.turns) if names else (say.text, say.texts)
    what = one if number == 1 else many.format(number)
    if names:
        shown = names[:_NAMED]
        who = say.and_.format(say.listed.join(shown[:-1]), shown[-1]) if len(shown) > 1 else shown[0]
        if len(names) > _NAMED:
            who = say.others.format(say.listed.join(shown), len(names) - _NAMED)
        what = say.spoke.format(who, what)
    first, last = (wording.day_words(_day(turn), say) for turn in (talk.turns[0], talk.turns[-1]))
    when = say.on.format(first) if first == last else say.days.format(first, last)
    return say.when.format(what, when) + say.stop


def quotes(talk: Talk, most: int, *, since: int | None = None, plans: bool = True) -> list[str]:
    """The most telling turns as dated quotes, in the order of telling.

    since: only of those stored later. plans: also those that announce something without a date.
    """
    if not most:
        return []
    say = talk.say
    hidden = {claim.turn for claim in talk.over if not (plans and claim.planned)}
    some = [turn for turn in talk.turns if turn.source != "json" and turn.row not in hidden]
    some = [turn for turn in some if since is None or turn.created_at > since]
    some = [turn for turn in some if not turn.content.rstrip().endswith(_ASKS)] or some
    without = frozenset(chain.from_iterable(quoting.words_of(speaker) for speaker in talk.speakers))
    said = [quoting.words_of(turn.content, without) for turn in some]
    places = quoting.telling(said, most, may=_may(talk, some))
    return [_quote(some[place], say) for place in places]


def _may(talk: Talk, some: Sequence[Turn]) -> Callable[[int], bool]:
    """Whether one of these turns (its place) names nothing that is over."""

    def may(place: int) -> bool:
        text = wording.one_line(some[place].content)
        return not any(wording.names(text, one) for one in talk.names)

    return may


def _quote(turn: Turn, say: Phrases) -> str:
    """ "Ana (17 May 2024): "I moved to Rome"" """
    text = wording.one_line(turn.content)
    if len(text) > _LONGEST:
        cut = text[: _LONGEST - 1]
        space = cut.rfind(" ", _LONGEST // 2)
        text = (cut if space < 0 else cut[:space]) + "…"
    day = wording.day_words(_day(turn), say)
    who = say.also.format(wording.one_line(turn.speaker), day) if turn.speaker else day
    return say.speaker.format(who, say.quoted.format(text))


def _day(turn: Turn) -> dt.date:
    """The day it was said, in the calendar it was said in."""
    try:
        return to_datetime(turn.told_at).astimezone(dt.timezone(dt.timedelta(seconds=turn.offset))).date()
    except OverflowError:
        return to_datetime(turn.told_at).date()
