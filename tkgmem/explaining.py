"""What explains an answer: why a fact is believed, what changed between two instants, what was recalled, who held what when."""

from __future__ import annotations

from types import EllipsisType
from typing import TYPE_CHECKING

from tkgmem.arguments import Date, Groups, Name, group_list, moment, told_by, whole_number, zoned
from tkgmem.explain import changes, diff, intervals, recalls, why
from tkgmem.graph import Fact, SearchResult
from tkgmem.reader import Reader
from tkgmem.reasons import Axis, Change, Diff, How, Recall, Recalled, Succession, Why
from tkgmem.search import pipeline
from tkgmem.store import read
from tkgmem.store.names import searchable
from tkgmem.temporal.period import parse_moment, to_datetime

if TYPE_CHECKING:
    from collections.abc import Iterable

_PATIENCE = 0.5
"""Seconds that reading the recall log waits for others that write, so that what was asked just now is in it."""


class Explaining(Reader):
    """The verbs of a memory that explain what it answers; they change nothing."""

    def why(self, fact_uuid: str | Fact, *, known_at: Date | None = None) -> Why:
        """Why a fact is believed: who said it in which words, when that was learned, what it took over from and what from it.

        fact_uuid: the fact, or the uuid of any claim that supports or supported it, or ends it. known_at: as believed then.
        One that is no longer believed is explained as well. Raises NotFound for a uuid that was never recorded (or only later).
        """
        uuid = searchable(fact_uuid.uuid if isinstance(fact_uuid, Fact) else fact_uuid)
        with self._store.read() as db:
            return why.why(db, self._at(db, None, None, known_at), uuid)

    def diff(
        self,
        a: Date,
        b: Date | None = None,
        axis: Axis = "known",
        *,
        entity: Name | None = None,
        query: str | None = None,
        known_at: Date | None = None,
        group: Groups = None,
    ) -> Diff:
        """What differs between two instants, a before b (now, with everything recorded so far, by default).

        axis="known": between what was believed at a and at b: what was learned, ended, corrected, retracted, forgotten.
        axis="valid": between what held at a and at b in the world, as believed at `known_at` (by default all recorded so far).
        entity: only facts at either end of it, and of what is merged into it, as believed at a and at b.
        query: only what it is about ("what changed about Ana"): the facts of the entities that it names, else the best hits on
        either side. It names no time here: that is a and b.
        Raises ValueError for an axis that is neither, if b is before a, or for a known_at on the known clock; NotFound for an
        entity that is known on neither side; AmbiguousName.
        """
        end = None if b is None else parse_moment(b).micros
        known = None if known_at is None else parse_moment(known_at).micros
        asked = diff.Asked(parse_moment(a).micros, end, self._now(), axis, known).checked()
        found = None if query is None else self._about(query, asked.sides, group)
        with self._store.read() as db:
            return diff.diff(db, self._at(db, group, None, known_at), asked, diff.About(entity, found))

    def _about(self, query: str, sides: Iterable[int | None], group: Groups) -> list[SearchResult]:
        """What a question is about, as believed at each of these system times; whether it holds does not matter."""
        return pipeline.search_each(
            self._store,
            self._embedder,
            self._reranker,
            [
                pipeline.Asked(
                    text=query,
                    limit=diff.MOST_FOUND,
                    now=zoned(told_by(self._clock)),
                    valid_at=None,
                    known_at=known_at,
                    groups=group_list(group, self.group),
                    scopes=("facts", "entities"),
                    min_score=diff.FAIR,
                    include_ended=True,
                    use_query_time=False,
                )
                for known_at in dict.fromkeys(sides)
            ],
        )

    def changes(
        self, *, limit: int = 50, since: Date | None = None, until: Date | None = None, group: Groups = None
    ) -> list[Change]:
        """The changes of belief, newest first: when, by which verb, about what. since, until: system time [since, until).

        The number of each is what `undo` takes.
        """
        size, stretch = whole_number(limit, "limit", least=1), _stretch(since, until)
        with self._store.read() as db:
            return changes.listed(db, self._at(db, group).groups, stretch, limit=size)

    def recalls(
        self,
        *,
        query: str | None = None,
        limit: int = 50,
        since: Date | None = None,
        until: Date | None = None,
        group: Groups = None,
    ) -> list[Recall]:
        """What `search` and `context` were asked of this group, newest first, and what they gave, as it was believed then.

        query: only this question; case and white space do not count. since, until: asked in [since, until). Of several groups
        what was asked of some of them and of no other. The last 10,000 questions are kept, unless `log_recalls=False`; a crash
        loses those of the last seconds, and a deletion those that tell of what was deleted.
        """
        size, stretch = whole_number(limit, "limit", least=1), _stretch(since, until)
        self._store.write_recalls(_PATIENCE)
        with self._store.read() as db:
            return recalls.listed(db, self._at(db, group).groups, stretch, query=query, limit=size)

    def recalled(self, query: str, *, at: Date | None = None, group: Groups = None) -> Recalled:
        """What the memory told when it was asked this, the last time at or before `at` (now), and why it believed each fact.

        query: as it was asked; case and white space do not count. at: of a year, month or day its end.
        Where the log has no such question, it is asked again as of then: both clocks at `at`; `logged` is false.
        """
        until = None if at is None else recalls.until(parse_moment(at))
        groups = group_list(group, self.group)
        self._store.write_recalls(_PATIENCE)
        with self._store.read() as db:
            found = recalls.last(db, read.group_ids(db, groups), query, until)
            if found is not None:
                return recalls.explained(db, found, logged=True)
        now = zoned(told_by(self._clock)) if until is None else to_datetime(until)
        asked = pipeline.Asked(query, 10, now, None, until, groups)
        again = recalls.again(asked, self._found(asked))
        with self._store.read() as db:
            return recalls.explained(db, again, logged=False)

    def held(
        self,
        since: Date | None,
        until: Date | EllipsisType | None = ...,
        *,
        how: How = "any",
        known_at: Date | None = None,
        source: Name | None = None,
        relation: str | None = None,
        target: Name | None = None,
        group: Groups = None,
    ) -> list[Fact]:
        """The facts that held in the range [since, until) of valid time, as believed at `known_at`, each once, by start.

        until: by default the end of the year, month or day that `since` is: held("2024") is about all of 2024, as is
        held("2024", "2025"): a date is its first instant. None on either side is unbounded.
        how: "any": at some time of it; "throughout": at all of it, without a break; "began", "ended": whose `valid_at`, or
        `invalid_at` (then by end), lies in it. A fact that something else interrupts ends there, and begins again afterwards.
        The period that is shown is the one that meets the range, the first of several.
        Raises InvalidPeriod for an empty range, ValueError for another `how` or where `until` has no default.
        """
        range_ = intervals.asked(moment(since), until if isinstance(until, EllipsisType) else moment(until))
        with self._store.read() as db:
            at = self._at(db, group, None, known_at)
            return intervals.held(db, at, range_, how, source=source, relation=relation, target=target)

    def succession(
        self,
        relation: str,
        *,
        source: Name | None = None,
        target: Name | None = None,
        since: Date | None = None,
        until: Date | None = None,
        known_at: Date | None = None,
        group: Groups = None,
    ) -> Succession:
        """Who or what held a relation when: of a source ("where did Ana live"), or of a target ("who led the team").

        With the gaps, in which nothing is known to have held, and the overlaps. since, until: only this range of valid time.
        Raises ValueError unless a source or a target is given, or if a million facts would be listed; InvalidPeriod for an
        empty range.
        """
        range_ = intervals.asked(moment(since), moment(until))
        with self._store.read() as db:
            at = self._at(db, group, None, known_at)
            return intervals.succession(db, at, range_, relation=relation, source=source, target=target)


def _stretch(since: Date | None, until: Date | None) -> tuple[int | None, int | None]:
    """[since, until) in microseconds, None where it is unbounded."""
    first, last = moment(since), moment(until)
    return (None if first is None else first.micros, None if last is None else last.micros)
