"""Facts, episodes and entities as lines of plain words, for people and for models that read text: no raw date field, no None.

A date is said as finely as it was stated, in the language asked for and never in that of the machine; an end is exclusive, so
"until 2021" is over when 2021 begins.
"""

from __future__ import annotations

import datetime as dt
import re

from tkgmem.graph import Community, Entity, Episode, Fact, Version
from tkgmem.store.facts import words
from tkgmem.temporal.period import Precision
from tkgmem.wording.phrases import ENGLISH, Phrases

_EASTERNMOST = dt.timedelta(hours=13)
_INVISIBLE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]+")
_ASCII_WORD = re.compile(r"\w", re.ASCII)


def date_words(value: dt.datetime, precision: Precision | None = "day", say: Phrases = ENGLISH) -> str:
    """A bound as finely as it was stated: "2024", "May 2024", "17 May 2024", "17 May 2024 at 09:30 UTC".

    A year, month or day is that of the calendar it was stated in. An unknown precision, and a time of day at midnight, is a
    day's or a time's by what the instant shows.

    >>> date_words(dt.datetime(2024, 5, 1, tzinfo=dt.UTC), "month")
    'May 2024'
    >>> date_words(dt.datetime(2021, 12, 31, 16, tzinfo=dt.UTC), "year")  # stated at +08:00
    '2022'
    """
    utc = value.astimezone(dt.UTC)
    if precision in {None, "time"} and utc.time() != dt.time():
        seconds = ":%S" if utc.second else ""
        return say.moment.format(day=day_words(utc.date(), say), clock=utc.strftime(f"%H:%M{seconds}"))
    day = stated_day(utc)
    if precision == "year":
        return say.year.format(year=day.year)
    return _calendar_words(say.month, day, say) if precision == "month" else day_words(day, say)


def period_words(fact: Fact | Version, valid_at: dt.datetime | None = None, say: Phrases = ENGLISH) -> str:
    """When a fact holds: "since May 2024", "from 2019 until 2021", "until May 2024", "in 2012", "since an unknown date".

    What was only announced is "planned from May 2027" or "planned without a date". valid_at: the time that is asked about; what
    begins later is said to begin "from" then, not "since" then.
    """
    start, end = fact.valid_at, fact.invalid_at
    begins = None if start is None else date_words(start, fact.valid_precision, say)
    ends = None if end is None else date_words(end, fact.invalid_precision, say)
    if fact.planned:
        told = [say.starting.format(begins) if begins else say.undated, *([say.until.format(ends)] if ends else [])]
        return say.planned.format(say.space.join(told))
    if begins is None:
        return say.until.format(ends) if ends else say.unknown
    if ends is None:
        later = start is not None and valid_at is not None and valid_at < start
        return (say.starting if later else say.since).format(begins)
    if _is_one_unit(fact):
        return (say.on if fact.valid_precision == "day" else say.within).format(begins)
    return say.between.format(begins, ends)


def fact_line(fact: Fact | Version, valid_at: dt.datetime | None = None, say: Phrases = ENGLISH) -> str:
    """A fact's text with its dates, on one line: "Maya works at Contoso (since August 2025)".

    Where the text does not name who it is about ("She moved to Rome"), the triple is said first. valid_at: see `period_words`.
    """
    text = sentence(fact)
    if not names(text, fact.source):
        text = say.speaker.format(triple_words(fact), text)
    return say.also.format(text, period_words(fact, valid_at, say))


def sentence(fact: Fact | Version) -> str:
    """A fact's text on one line, without its full stop."""
    return _one_line(fact.fact).removesuffix(".").removesuffix("。")


def triple_words(fact: Fact | Version) -> str:
    """Which ends a fact joins and how: "Maya works at Contoso"."""
    return _one_line(f"{fact.source.name} {words(fact.relation)} {fact.target.name}")


def episode_line(episode: Episode, say: Phrases = ENGLISH) -> str:
    """What was said, with who said it and when, on one line: "Maya (17 May 2024): I moved to Rome".

    The day is that of the calendar it was said in. It comes first, so that it stays where a long text is cut.
    """
    day = day_words(episode.reference_time.date(), say)
    said = say.also.format(episode.speaker, day) if episode.speaker else day
    return _one_line(say.speaker.format(said, episode.content))


def entity_line(entity: Entity, say: Phrases = ENGLISH) -> str:
    """An entity's name with what kind of thing it is and its other names: "Maya Chen (person, also Maya)"."""
    aliases = say.aliases.format(say.listed.join(entity.aliases)) if entity.aliases else ""
    told = say.listed.join(part for part in (entity.type, aliases) if part)
    return _one_line(say.also.format(entity.name, told) if told else entity.name)


def community_line(community: Community, say: Phrases = ENGLISH) -> str:
    """A community's name with its summary, on one line: "Ana, Contoso: Ana works at Contoso (since May 2024)."."""
    return one_line(say.speaker.format(community.name, community.summary) if community.summary else community.name)


def line_of(item: Fact | Episode | Entity | Community, valid_at: dt.datetime | None = None) -> str:
    """The line of whatever a search finds: what a reranker reads. valid_at: see `period_words`."""
    if isinstance(item, Fact):
        return fact_line(item, valid_at)
    if isinstance(item, Community):
        return community_line(item)
    return episode_line(item) if isinstance(item, Episode) else entity_line(item)


def one_line(text: str) -> str:
    """The text without line breaks, control characters and marks that hide or turn what follows.

    >>> one_line("fine.\\n\\n## What holds now:\\u202e\\t- all")
    'fine. ## What holds now: - all'
    """
    return " ".join(_INVISIBLE.sub(" ", text).split())


def _one_line(text: str) -> str:
    return " ".join(text.split())


def names(text: str, entity: Entity) -> bool:
    """Whether a text names an entity, by any of its names: "Ann" is not in "annual", 小李 is in 小李去年."""
    lowered = text.lower()
    return any(_stands_in(lowered, _one_line(name).lower()) for name in (entity.name, *entity.aliases))


def _stands_in(text: str, name: str) -> bool:
    """Whether a text has a name as a word; a Latin word ends where no Latin letter follows, other scripts need no space."""
    first, last = (bool(_ASCII_WORD.match(edge)) for edge in (name[:1], name[-1:]))
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        begins = not (first and start and _ASCII_WORD.match(text[start - 1]))
        if begins and not (last and end < len(text) and _ASCII_WORD.match(text[end])):
            return True
        start = text.find(name, start + 1)
    return False


def day_words(day: dt.date, say: Phrases = ENGLISH) -> str:
    """A day in words: "17 May 2024"."""
    return _calendar_words(say.day, day, say)


def _calendar_words(pattern: str, day: dt.date, say: Phrases) -> str:
    return pattern.format(year=day.year, month=day.month, day=day.day, name=say.months[day.month - 1] if say.months else "")


def stated_day(utc: dt.datetime) -> dt.date:
    """The day that began at this instant in the calendar of whoever stated it: its midnight lies near that of UTC."""
    try:
        return utc.date() if utc.time() == dt.time() else (utc + _EASTERNMOST).date()
    except OverflowError:
        return utc.date()


def _is_one_unit(fact: Fact | Version) -> bool:
    """Whether the period is just one year, month or day."""
    if fact.valid_at is None or fact.invalid_at is None or fact.valid_precision != fact.invalid_precision:
        return False
    first, after = (stated_day(bound.astimezone(dt.UTC)) for bound in (fact.valid_at, fact.invalid_at))
    months = (after.year - first.year) * 12 + after.month - first.month
    match fact.valid_precision:
        case "year":
            return months == 12
        case "month":
            return months == 1
        case "day":
            return after - first == dt.timedelta(days=1)
    return False
