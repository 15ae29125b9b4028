"""What a memory answers. Every read takes the two clocks and a group, sees one snapshot of the file, and changes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tkgmem.arguments import Date, Groups, Name, finite_number, group_list, told_by, whole_number, zoned
from tkgmem.graph import EntityView, Episode, Fact, ModelCall, SearchResult, Version
from tkgmem.protocols import Clock, Embedder, Reranker
from tkgmem.reports import Stats
from tkgmem.search import context, logged, lookup, pipeline
from tkgmem.search.filters import Filters
from tkgmem.search.pipeline import Asked
from tkgmem.search.recipes import Recipe
from tkgmem.store import model_calls, read, recalls, stats
from tkgmem.store.clocks import EVERYTHING, At
from tkgmem.store.connection import Connection, Store
from tkgmem.store.names import searchable
from tkgmem.temporal.period import parse_moment, to_micros


class Reader:
    """The reading half of a memory: everything that answers, nothing that changes."""

    group: str
    _store: Store
    _embedder: Embedder
    _reranker: Reranker | None
    _clock: Clock
    _logs: bool

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        scopes: Sequence[str] | None = None,
        valid_at: Date | None = None,
        known_at: Date | None = None,
        group: Groups = None,
        filters: Filters | Mapping[str, Any] | None = None,
        recipe: str | Recipe | None = None,
        center: Name | None = None,
        min_score: float | None = None,
        include_ended: bool = False,
        use_query_time: bool | None = None,
        deadline_ms: float | None = None,
        explain: bool = False,
    ) -> SearchResult:
        """Find by words, by meaning and along the graph. Any text is a question, never syntax.

        limit: hits per scope. scopes: of "facts", "entities", "episodes", the three by default, and "communities" (those that
        are kept, see `refresh_communities`, and tell of something that holds; with filters those at a member of which a fact
        that meets them does).
        valid_at: facts that held then, now by default; include_ended: also those that did not. known_at: as believed then.
        use_query_time: where no valid_at is given, a time that the question speaks of ("last year", "before she moved") takes
        its place: facts that held at some time of it, and what was told about then first; communities as they were at its
        moment nearest to now. The result's `query_time` says so.
        True: also where a valid_at is given, which is then the present of "last year"; False: never.
        filters: what hits must be, see `Filters`; a mapping of its names does too.
        recipe: how lists are made, fused and reranked: a name in `RECIPES` or a `Recipe`. "hybrid" by default, and with a
        center (an entity) "near": what is fewer facts away from it comes first.
        min_score: leave out hits of a lower score before reranking. By "hybrid" a score adds a cosine, the share of the
        question's words in the hit, and less for names and times; .5 is a fair hit.
        deadline_ms: the time it should take. Stages are left out in a fixed order, and named in `degraded`; words are always
        looked for. explain: fill `Hit.scores` with what each method gave.
        """
        tick = self._tick()
        asked = Asked(
            text=query,
            limit=whole_number(limit, "limit", least=1),
            scopes=scopes,
            now=zoned(told_by(self._clock)),
            valid_at=None if valid_at is None else parse_moment(valid_at).micros,
            known_at=None if known_at is None else parse_moment(known_at).micros,
            groups=group_list(group, self.group),
            filters=Filters.of(filters),
            recipe=recipe,
            center=center,
            min_score=None if min_score is None else finite_number(min_score, "min_score"),
            include_ended=include_ended,
            use_query_time=use_query_time,
            deadline_ms=None if deadline_ms is None else finite_number(deadline_ms, "deadline_ms"),
            explain=explain,
        )
        found = self._found(asked)
        if tick is not None:
            self._log(logged.entry(asked, found, kind="search", tick=tick))
        return found

    def context(
        self,
        query: str,
        *,
        max_tokens: int = 1600,
        style: str = "plain",
        ids: bool = False,
        valid_at: Date | None = None,
        known_at: Date | None = None,
        group: Groups = None,
    ) -> str:
        """What a language model should read before it answers: facts with their dates in words, names, and what was said.

        Facts that hold, what held earlier, communities, entities, and the turns found with those around them; "" for nothing.
        max_tokens: never exceeded, by an estimate on the safe side. style: "plain", "simple" (for weak models: each line says
        what it is) or "iso" (dates as 2024-05). ids: with the uuids of facts and episodes.
        """
        context.check(max_tokens, style)
        tick = self._tick()
        asked = Asked(
            text=query,
            limit=context.limit_for(max_tokens),
            now=zoned(told_by(self._clock)),
            valid_at=None if valid_at is None else parse_moment(valid_at).micros,
            known_at=None if known_at is None else parse_moment(known_at).micros,
            groups=group_list(group, self.group),
            scopes=pipeline.SCOPES,
            picture=context.PICTURE,
        )
        more = replace(asked, scopes=("facts",), include_ended=True)  # apart: what ended must not push out what holds
        found, ended = pipeline.search_each(self._store, self._embedder, self._reranker, [asked, more])
        with self._store.read():
            page = context.written(
                self._store,
                query,
                found,
                max_tokens=max_tokens,
                style=style,
                ids=ids,
                current=valid_at is None,
                ended=ended,
                spoken=found.query_time,
            )
        if tick is not None:
            given = {"max_tokens": (max_tokens, 1600), "style": (style, "plain"), "ids": (ids, False)}
            options = {name: value for name, (value, usual) in given.items() if value != usual}
            self._log(logged.entry(asked, found, kind="context", tick=tick, given=page.shown, options=options))
        return page.text

    def as_of(
        self,
        valid_at: Date,
        *,
        known_at: Date | None = None,
        source: Name | None = None,
        relation: str | None = None,
        target: Name | None = None,
        group: Groups = None,
    ) -> list[Fact]:
        """The facts that held at `valid_at`, as believed at `known_at` (by default everything recorded so far)."""
        with self._store.read() as db:
            at = self._at(db, group, valid_at, known_at)
            return lookup.as_of(db, at, source, relation, target)

    def believed_at(
        self,
        t: Date,
        *,
        source: Name | None = None,
        relation: str | None = None,
        target: Name | None = None,
        group: Groups = None,
    ) -> list[Fact]:
        """What this memory would have answered at that moment: both clocks at `t`."""
        return self.as_of(t, known_at=t, source=source, relation=relation, target=target, group=group)

    def history(self, fact_or_entity: Name | Fact, *, group: Groups = None) -> list[Version]:
        """Every version there ever was of a fact, or of all facts at either end of an entity, in order of system time."""
        with self._store.read() as db:
            return lookup.history(db, self._at(db, group), fact_or_entity)

    def timeline(
        self, entity: Name, *, valid_at: Date | None = None, known_at: Date | None = None, group: Groups = None
    ) -> list[Version]:
        """What is believed of an entity, in order of valid time, announcements without a date last.

        valid_at: only what holds then. known_at: as believed then.
        """
        with self._store.read() as db:
            at = self._at(db, group, valid_at, known_at)
            return lookup.timeline(db, at, entity, only_at=None if valid_at is None else at.valid_at)

    def entity(
        self,
        name_or_uuid: Name,
        *,
        valid_at: Date | None = None,
        known_at: Date | None = None,
        group: Groups = None,
    ) -> EntityView:
        """An entity with the facts at either of its ends that hold at `valid_at` (now), as believed at `known_at`."""
        with self._store.read() as db:
            return lookup.entity(db, self._at(db, group, valid_at, known_at), name_or_uuid)

    def episodes(
        self,
        *,
        uuid: str | None = None,
        name: str | None = None,
        state: str | None = None,
        known_at: Date | None = None,
        taken_back: bool = False,
        group: Groups = None,
        limit: int = 50,
        offset: int = 0,
    ) -> list[Episode]:
        """What was said, newest first. uuid: just that one. name: of one conversation. state: "pending", "done", "failed".

        taken_back: also what was taken back (see `undo`), with since when in `expired_at`.
        """
        size, first = whole_number(limit, "limit", least=1), whole_number(offset, "offset", least=0)
        with self._store.read() as db:
            at = self._at(db, group, None, known_at)
            if uuid is not None:
                found = read.episode(db, searchable(uuid))
                visible = found is not None and to_micros(found[1].created_at) <= at.known_at
                return [found[1]] if found and visible and found[1].group in group_list(group, self.group) else []
            name, state = (None if text is None else searchable(text) for text in (name, state))
            return read.list_episodes(
                db, at.groups, known_at=at.known_at, name=name, state=state, taken_back=taken_back, limit=size, offset=first
            )

    def model_calls(self, *, episode: str | None = None, group: Groups = None) -> list[ModelCall]:
        """The model-call log, in the order of the calls. episode: only those made for the episode with this uuid."""
        with self._store.read() as db:
            at = self._at(db, group)
            return model_calls.listed(db, at.groups, None if episode is None else searchable(episode))

    def stats(self, *, group: Groups = None) -> Stats:
        """Counts over all groups, or over the given ones."""
        size = 0 if self._store.in_memory else Path(self._store.path).stat().st_size
        with self._store.read() as db:
            return stats.stats(db, None if group is None else group_list(group, self.group), self._now(), size)

    def _found(self, asked: Asked) -> SearchResult:
        """What a search finds, without a word in the log."""
        return pipeline.search(self._store, self._embedder, self._reranker, asked)

    def _tick(self) -> int | None:
        """The last change of belief before a question that is to be logged; None where none is."""
        if not self._logs:
            return None
        with self._store.read() as db:
            return recalls.last_tick(db)

    def _log(self, entry: recalls.Entry | None) -> None:
        """Let an entry of the recall log wait, and write all that wait where it is time to."""
        if entry is not None and self._store.recall_log.put(entry):
            self._store.write_recalls()

    def _now(self) -> int:
        return to_micros(told_by(self._clock))

    def _valid(self, value: Date | None) -> int:
        return self._now() if value is None else parse_moment(value).micros

    def _at(self, db: Connection, group: Groups, valid_at: Date | None = None, known_at: Date | None = None) -> At:
        known = EVERYTHING if known_at is None else parse_moment(known_at).micros
        return At(read.group_ids(db, group_list(group, self.group)), self._valid(valid_at), known)
