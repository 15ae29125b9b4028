"""The values that explain an answer: why a fact is believed, what changed, what was recalled, who held what when. Frozen.

Every datetime is aware UTC; the periods are half-open, None is an unknown or open bound, as in `graph`.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from tkgmem.graph import ClaimKind, Community, Entity, Episode, Fact, ModelCall, QueryTime, Version
from tkgmem.temporal.period import Precision

Axis = Literal["known", "valid"]
How = Literal["any", "throughout", "began", "ended"]
Rule = Literal["later start", "same start", "bounded", "ended", "judged"]
"""Why one fact gives way to another, or ends: another begins later; it begins at the same time and was recorded later; another
holds for a stated stretch only; somebody said that it ended; a model judged that the two cannot both hold."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change of belief: a tick of the system clock. number: its name within this file, which `undo` takes.

    verb: "add", "assert", "planned", "end", "retract", "correct", "define", "merge", "split", "alias", "forget", "import",
    "undo". episode: the uuid of the text that it comes from. reason: as it was given. words: what it was about, in words; None
    where that stands beside it, or nothing tells it. detail: counts, where it was of many things.
    """

    number: int
    at: dt.datetime
    verb: str
    group: str | None = None
    episode: str | None = None
    reason: str | None = None
    words: str | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Told:
    """One claim: what a source said, and when.

    sentence: its exact words in the episode's text (`span` gives their place), else the claim's own text, else all of the
    episode's, else "". said_at: when it was said (the episode's reference time, else that of the claim), None where unknown.
    learned_at: when the memory recorded it. made_by: "user" for a program, else the extractor or model.
    valid_at, invalid_at: as stated. corrects: it is a correction of an earlier claim.
    taken_back_at: since when it is no longer believed, by which change (its verb, its reason); None while it is.
    """

    uuid: str
    kind: ClaimKind
    sentence: str
    span: tuple[int, int] | None
    episode: Episode | None
    said_at: dt.datetime | None
    learned_at: dt.datetime
    made_by: str
    valid_at: dt.datetime | None = None
    invalid_at: dt.datetime | None = None
    valid_precision: Precision | None = None
    invalid_precision: Precision | None = None
    corrects: bool = False
    taken_back_at: dt.datetime | None = None
    taken_back_by: Change | None = None

    @property
    def verbatim(self) -> bool:
        """Whether the sentence stands in the text that it comes from, word for word, or comes from none."""
        return self.episode is None or self.sentence in self.episode.content

    def excerpt(self, size: int, around: Sequence[str] = ()) -> str:
        """The sentence, cut as by the function of this name."""
        return excerpt(self.sentence, size, around)

    def context(self, size: int, around: Sequence[str] = ()) -> str:
        """Where the sentence is in other words than the text: the text itself, cut likewise; else ""."""
        return "" if self.verbatim or self.episode is None else excerpt(self.episode.content, size, around)


def excerpt(text: str, size: int, around: Sequence[str] = ()) -> str:
    """A text on one line, at most `size` characters of it: those around the first of these words that is in it.

    >>> excerpt("It was a long day before Maya came home to Porto.", 24, ["Porto"])
    '\u2026came home to Porto.'
    """
    line = " ".join(text.split())
    if len(line) <= size:
        return line
    folded = line.casefold()
    found = next((at for word in around if word and (at := folded.find(word.casefold())) >= 0), 0)
    start = max(0, min(found - size // 3, len(line) - size))
    part = line[start : start + size]
    if start:
        part = "\u2026" + part[part.find(" ", 1, size // 3) + 1 :][1 - size :]
    return part if start + size >= len(line) else part[: size - 1] + "\u2026"


@dataclass(frozen=True, slots=True)
class Supersession:
    """That one fact gives way to another, or ends: by which rule, by which claim, known since when.

    fact: the other one, as believed; None where the rule is "ended". by: the claim that does it, of whichever wins.
    judgement: the model call that judged it, where it is in the log. at: since when this memory believes it.
    """

    rule: Rule
    by: Told
    at: dt.datetime
    fact: Fact | None = None
    judgement: ModelCall | None = None


@dataclass(frozen=True, slots=True)
class Why:
    """Why a fact is believed, or was: as believed at `known_at` (None: everything recorded so far).

    fact: as it was then, with the period nearest to now. One that holds at no time has the period that was stated; one that is
    not believed then (`believed` is False) is shown as it was last believed.
    words: the fact in words, without its dates. claims: what supports it and what did until it was taken back, in recorded
    order; `ends`: what says, or said, that it ended. superseded_by, supersedes: what took over from it, and what it took over
    from. versions: everything that was ever believed of it, by system time, that of the facts it was corrected from included.
    corrected_from: the claims that a correction made it of. str(why), `text`: all of it in plain words, for a language model.
    """

    uuid: str
    words: str
    fact: Fact
    believed: bool
    claims: tuple[Told, ...]
    ends: tuple[Told, ...]
    superseded_by: tuple[Supersession, ...]
    supersedes: tuple[Supersession, ...]
    versions: tuple[Version, ...]
    corrected_from: tuple[Told, ...] = ()
    known_at: dt.datetime | None = None
    text: str = field(default="", repr=False)

    @property
    def periods(self) -> tuple[Version, ...]:
        """When it holds, as believed then; none where it holds at no time, is planned without a date, or is not believed."""
        return tuple(version for version in self.versions if version.expired_at is None)

    @property
    def before(self) -> tuple[Version, ...]:
        """What was believed of it and no longer is. A period that was believed all along is one, whatever its reasons were."""
        joined: dict[tuple[object, ...], list[Version]] = {}
        for version in self.versions:
            ends = (version.source.uuid, version.relation, version.target.uuid)
            told = joined.setdefault((*ends, version.valid_at, version.invalid_at, version.planned), [])
            if told and told[-1].expired_at == version.created_at:
                told[-1] = replace(told[-1], expired_at=version.expired_at)
            else:
                told.append(version)
        found = [version for told in joined.values() for version in told if version.expired_at is not None]
        return tuple(sorted(found, key=lambda version: version.created_at))

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Changed:
    """How the belief in one fact differs between two instants.

    before, after: the fact as believed at each, None where it was not believed to hold at any time. `after` may be another
    fact, with its own uuid: what a correction made of it, what won an equal start, what it is part of now. Of a fact that holds
    for several periods they are the last one that the other side lacks; before_more, after_more: its other periods.
    at: when that changed (the last time; what was learned: the first time), and by: by which change.
    cause, successor: of an end that was not believed before: why it ends (as in `Version`), and the fact that takes over.
    """

    before: Fact | None
    after: Fact | None
    at: dt.datetime
    by: Change | None = None
    before_more: tuple[Fact, ...] = ()
    after_more: tuple[Fact, ...] = ()
    cause: str | None = None
    successor: Fact | None = None

    @property
    def fact(self) -> Fact:
        """The fact as it is after, or was before."""
        fact = self.after or self.before
        assert fact is not None
        return fact


@dataclass(frozen=True, slots=True)
class Diff:
    """What differs between two instants, `a` before `b`. Each fact that is believed otherwise is in one list, once.

    On the "known" clock, between what was believed at a and at b; what came and went in between is in no list.
    learned: not believed at a, and at b. ended: known at b to end, or to give way for good, earlier than was believed at a.
    corrected: believed otherwise because a record was corrected, or because another one was told later with the same start:
    `after` is that one, which is not in `learned` then. retracted: no longer believed, as what said so was retracted or undone.
    revised: believed for another time, of other entities or not at all, or believed again, as a consequence of something else:
    what had superseded it was retracted, two entities were merged. forgotten: the deletions, with how much went; not where only
    an entity or a query was asked for, since nothing tells what they were about.
    On the "valid" clock, as believed at one system time: began: what holds at b and did not at a; ended: what held at a and
    does not at b; the other lists are empty. known_at: the system time of that, None for everything recorded so far.
    """

    a: dt.datetime
    b: dt.datetime
    axis: Axis
    learned: tuple[Changed, ...] = ()
    ended: tuple[Changed, ...] = ()
    corrected: tuple[Changed, ...] = ()
    retracted: tuple[Changed, ...] = ()
    forgotten: tuple[Change, ...] = ()
    revised: tuple[Changed, ...] = ()
    began: tuple[Changed, ...] = ()
    known_at: dt.datetime | None = None

    def __bool__(self) -> bool:
        return any((self.learned, self.ended, self.corrected, self.retracted, self.forgotten, self.revised, self.began))


@dataclass(frozen=True, slots=True)
class Recall:
    """One entry of the recall log: a question that was put to the memory, and what it gave.

    number: of the entry, None for a question that is asked again. at: when it was asked. kind: by which verb.
    valid_at, known_at: the clocks that it was answered at; everything recorded up to known_at was seen (None: nothing was).
    query_time: the time that the question speaks of, where it was used in place of valid_at. options: what else was asked for.
    facts, entities, episodes, communities: what was given, best first, as it was believed then; of a context what was on the
    page. What was forgotten since has taken its entries along.
    """

    number: int | None
    at: dt.datetime
    kind: Literal["search", "context"]
    query: str
    valid_at: dt.datetime
    known_at: dt.datetime | None
    groups: tuple[str, ...]
    facts: tuple[Fact, ...] = ()
    entities: tuple[Entity, ...] = ()
    episodes: tuple[Episode, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    query_time: QueryTime | None = None
    communities: tuple[Community, ...] = ()


@dataclass(frozen=True, slots=True)
class Recalled:
    """What the memory told at a time: the logged recall, or (`logged` is false) the same question asked again as of then.

    whys: why each fact of it was believed, in its order.
    """

    recall: Recall
    logged: bool
    whys: tuple[Why, ...]


@dataclass(frozen=True, slots=True)
class Held:
    """One stretch of a relation's succession: what held in [valid_at, invalid_at), cut to the asked range.

    facts: those that held in all of it; none: a gap; several: an overlap. valid_precision, invalid_precision: how finely the
    bound was stated, by a fact or in the question; None where it is not known or open.
    """

    valid_at: dt.datetime | None
    invalid_at: dt.datetime | None
    facts: tuple[Fact, ...]
    valid_precision: Precision | None = None
    invalid_precision: Precision | None = None


@dataclass(frozen=True, slots=True)
class Succession:
    """Who or what held one relation when: the facts in order of their starts, and the stretches that they cut time into.

    facts: one for each period; a fact that something else interrupts, and that resumes after it, is there twice.
    stretches: without a hole between them, from the start of the asked range to its end; where it is unbounded, from the first
    start to the last end. Without a fact there is none.
    """

    facts: tuple[Fact, ...]
    stretches: tuple[Held, ...]

    @property
    def gaps(self) -> tuple[Held, ...]:
        """Stretches in which nothing is known to have held."""
        return tuple(stretch for stretch in self.stretches if not stretch.facts)

    @property
    def overlaps(self) -> tuple[Held, ...]:
        """Stretches in which more than one held."""
        return tuple(stretch for stretch in self.stretches if len(stretch.facts) > 1)
