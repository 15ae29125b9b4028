"""An explanation in plain English words, one line for each thing, for a language model or a log. Texts stay as they were told.

Dates are in UTC, as finely as they were stated; those of the memory's own clock by the day, with the time where it matters.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence

from tkgmem.graph import Fact, Version
from tkgmem.reasons import Change, Supersession, Told, Why
from tkgmem.wording import date_words, day_words, period_words, triple_words

FIRST, LAST = 3, 2
"""Of many sources so many of the first and of the last are told."""
SIZE = 300
"""Characters of a sentence that are quoted at most."""

_GIVES_WAY = {
    "later start": "which begins later",
    "same start": "which begins at the same time and was told later",
    "bounded": "which holds for a stated time only",
    "judged": "which contradicts it, as a model judged",
}
_TOOK_OVER = {
    "later start": "since this begins later",
    "same start": "since this begins at the same time and was told later",
    "bounded": "since this holds then, for a stated time only",
    "judged": "since the two contradict each other, as a model judged",
}
_VERBS = {"retract": "retracted", "undo": "undone", "correct": "corrected"}


def text(why: Why) -> str:
    """All of an explanation."""
    return "\n".join(_lines(why))


def _lines(why: Why) -> Iterator[str]:
    if why.known_at is not None:
        yield f"As known on {date_words(why.known_at, 'time')}:"
    yield f"{why.words} ({_when(why)})." if why.believed else f"{why.words} ({_when(why)}): no longer believed."
    around = (why.fact.target.name, why.fact.source.name)
    yield from _told(why.claims, around)
    for claim in why.ends:
        yield f"It ended{_ending(claim)}, as was {_quoted(claim, around)}"
    for one in why.superseded_by:
        if one.fact is not None:
            again = one.rule == "bounded" and any(version.valid_at == one.fact.invalid_at for version in why.periods)
            after = ", and then it holds again" if again else ""
            reason = f"{_GIVES_WAY[one.rule]}{_judge(one)}{after}"
            yield f"It gave way to {_named(one.fact)}, {reason}; {_known(one)}; {_quoted(one.by, around)}"
    for one in why.supersedes:
        if one.fact is not None:
            yield f"It took over from {_named(one.fact)}, {_TOOK_OVER[one.rule]}{_judge(one)}; {_known(one)}."
    if why.corrected_from:
        yield "It is the correction of what was told before."
        yield from _told(why.corrected_from, around)
    for version in why.before:
        other = "" if (named := triple_words(version)) == why.words else f"{named} "
        yield f"Believed before, {_stretch(version)}: {other}{period_words(version)}."


def _when(why: Why) -> str:
    """When a fact holds."""
    if not why.believed or why.fact.planned:
        return period_words(why.fact)
    if not why.periods:
        return f"stated {period_words(why.fact)}, and holds at no time"
    return ", and ".join(period_words(version) for version in why.periods)


def _told(claims: Sequence[Told], around: Sequence[str]) -> Iterator[str]:
    lines = [quoted[0].upper() + quoted[1:] for quoted in (_quoted(claim, around) for claim in _some(claims))]
    if len(lines) < len(claims):
        yield f"It was told {len(claims)} times; the first {FIRST} and the last {LAST}:"
    yield from lines


def _some(claims: Sequence[Told]) -> Sequence[Told]:
    """The first and the last of many."""
    return claims if len(claims) <= FIRST + LAST + 1 else [*claims[:FIRST], *claims[-LAST:]]


def _quoted(claim: Told, around: Sequence[str]) -> str:
    """Who said what and when, and what became of it: 'told on 5 March 2024 by Maya: "I moved to Rome"'."""
    how = "corrected" if claim.corrects else "announced" if claim.kind == "planned" else "told"
    said, learned = claim.said_at, day_words(claim.learned_at.date())
    line = f"{how} on {learned if said is None else day_words(said.date())}"
    if claim.episode is not None and claim.episode.speaker:
        line += f" by {' '.join(claim.episode.speaker.split())}"
    if said is not None and day_words(said.date()) != learned:
        line += f", learned on {learned}"
    if not claim.verbatim:
        line += f", in the words of {claim.made_by}"
    if claim.taken_back_at is not None:
        line += f", {_taken_back(claim.taken_back_at, claim.taken_back_by)}"
    words = claim.excerpt(SIZE, around)
    text = f', from the text "{claim.context(SIZE, around)}"' if not claim.verbatim else ""
    return f'{line}: "{words}"{text}' if words else f"{line}, without a sentence."


def _taken_back(at: dt.datetime, by: Change | None) -> str:
    verb = "taken back" if by is None else _VERBS.get(by.verb, "taken back")
    reason = f" ({' '.join(by.reason.split())})" if by is not None and by.reason else ""
    return f"{verb} on {day_words(at.date())}{reason}"


def _ending(claim: Told) -> str:
    if claim.invalid_at is None:
        return ""
    precision = claim.invalid_precision
    return f" {'on' if precision in {None, 'day', 'time'} else 'in'} {date_words(claim.invalid_at, precision)}"


def _named(fact: Fact) -> str:
    return f"{triple_words(fact)} ({period_words(fact)})"


def _judge(one: Supersession) -> str:
    return "" if one.judgement is None else f" ({one.judgement.model})"


def _known(one: Supersession) -> str:
    return f"known since {day_words(one.at.date())}"


def _stretch(version: Version) -> str:
    """When a version was believed: with the time of day where that is one day."""
    start, end = version.created_at, version.expired_at or version.created_at
    if start.date() == end.date():
        return f"from {date_words(start, 'time')} until {date_words(end, 'time')}"
    return f"from {day_words(start.date())} until {day_words(end.date())}"
