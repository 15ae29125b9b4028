"""The wide view: communities of entities, and summaries of a community, an entity or a conversation, as of the two clocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from tkgmem.arguments import Date, Groups, Name, checked_group, whole_number
from tkgmem.communities import planning, reading, refresh, writing
from tkgmem.errors import AmbiguousName, NotFound
from tkgmem.graph import Community, Membership, Summary
from tkgmem.ingest.writer import Writer
from tkgmem.reader import Reader
from tkgmem.reports import CommunityReport, SummaryReport
from tkgmem.search import lookup
from tkgmem.store import conversations, partition, read, summaries
from tkgmem.store.clocks import At
from tkgmem.store.connection import Connection
from tkgmem.store.names import searchable
from tkgmem.temporal.period import to_datetime


class Summing(Reader):
    """The verbs of a memory that look at much at once."""

    _now: Callable[[], int]
    _writer: Writer

    def communities(
        self,
        *,
        entity: Name | None = None,
        valid_at: Date | None = None,
        known_at: Date | None = None,
        group: Groups = None,
        limit: int = 50,
    ) -> list[Community]:
        """Groups of entities that facts tie closely, the largest first, each with a summary of what holds.

        entity: only the one that this entity is in. Without a valid_at: the communities that are kept (see
        `refresh_communities`), as they were at `known_at`; entities that came later are where most of their facts lead. With a
        valid_at, and where nothing is kept: those of the facts that held then, derived for this read.
        Entities that no fact ties to another are in none.

        Raises NotFound and AmbiguousName for the entity.
        """
        size = whole_number(limit, "limit", least=1)
        found: list[Community] = []
        with self._store.read() as db:
            at = self._at(db, group, valid_at, known_at)
            wanted = None if entity is None else lookup.one(db, at, entity)
            for number in at.groups:
                there = At([number], at.valid_at, at.known_at)
                if wanted is not None and valid_at is None:
                    several = reading.around(db, there, wanted)
                else:
                    several = reading.of_group(db, there, now=valid_at is None)
                    several = [one for one in several if wanted is None or wanted in one.members]
                several = reading.alive(db, there, several)
                found += reading.communities(db, there, several[:size])
        return sorted(found, key=lambda one: -len(one.members))[:size]

    def memberships(
        self, entity_or_community: Name | Community, *, known_at: Date | None = None, group: Groups = None
    ) -> list[Membership]:
        """Where an entity belonged, or who belonged to a community (its uuid), over time: in order of system time.

        Only what was kept, by `refresh_communities`. known_at: as far as it was kept by then.
        Raises NotFound and AmbiguousName.
        """
        what = entity_or_community.uuid if isinstance(entity_or_community, Community) else entity_or_community
        with self._store.read() as db:
            at = self._at(db, group, None, known_at)
            community = partition.by_uuid(db, at.groups, searchable(what)) if isinstance(what, str) else None
            if community is not None:
                rows = partition.belongings(db, communities=[community.id], known_at=at.known_at)
            else:
                rows = partition.belongings(db, entities=[lookup.one(db, at, what)], known_at=at.known_at)
            entities = read.entities(db, [row.entity for row in rows], at.known_at)
            communities = partition.by_rows(db, [row.community for row in rows])
            names = summaries.last_names(db, communities, at.known_at)
            unnamed = [row for row in communities if row not in names]
            names |= {row: one.name for row, one in reading.of_rows(db, at, unnamed).items()}
        return [
            Membership(
                entity=entities[row.entity],
                community=communities[row.community].uuid,
                name=names.get(row.community, ""),
                created_at=to_datetime(row.created_at),
                expired_at=None if row.expired_at is None or row.expired_at > at.known_at else to_datetime(row.expired_at),
            )
            for row in rows
        ]

    def summary(
        self,
        entity: Name | None = None,
        *,
        community: str | Community | None = None,
        conversation: str | None = None,
        valid_at: Date | None = None,
        known_at: Date | None = None,
        group: Groups = None,
    ) -> Summary:
        """What holds of an entity, a community or a conversation in a few dated sentences, as of the two clocks.

        Just one of the three. community: its uuid. conversation: the `name` of its texts. What a model wrote is told where all
        that it rests on holds then and reads as it did, with what came since; else the facts of that time are put together. A
        conversation's tells who spoke and when, too, and where few facts are known it quotes some turns: none that told
        anything which is over, or that was taken back.
        The text is "" where nothing holds then of what is known. Nothing is written.

        Raises ValueError unless just one is given, NotFound for what was not known then, AmbiguousName for what is several.
        """
        _check_one(entity, community, conversation)
        with self._store.read() as db:
            at = self._at(db, group, valid_at, known_at)
            if entity is not None:
                row = lookup.one(db, at, entity)
                return reading.entity(db, at._replace(groups=[read.group_of(db, row)]), row)
            if conversation is not None:
                there, name = _conversation(db, at, conversation)
                return reading.of_conversation(db, there, name)
            _, told = _community(db, at, community, now=valid_at is None)
            return told

    def summaries(
        self,
        entity: Name | None = None,
        *,
        community: str | Community | None = None,
        conversation: str | None = None,
        known_at: Date | None = None,
        group: Groups = None,
    ) -> list[Summary]:
        """The versions that were kept of a summary, by system time, each as it was written.

        Just one of the three, as for `summary`. Kept are those of communities, and of the rest what a model wrote.
        Raises ValueError, NotFound and AmbiguousName as `summary` does.
        """
        _check_one(entity, community, conversation)
        with self._store.read() as db:
            at = self._at(db, group, None, known_at)
            if entity is not None:
                row = lookup.one(db, at, entity)
                return reading.versions(db, at._replace(groups=[read.group_of(db, row)]), summaries.Of(entity=row))
            if conversation is not None:
                there, name = _conversation(db, at, conversation)
                return reading.versions(db, there, summaries.Of(conversation=name))
            there, _ = _community(db, at, community, now=True)
            kept = partition.by_uuid(db, there.groups, _uuid(community))
            return [] if kept is None else reading.versions(db, there, summaries.Of(community=kept.id))

    def summarize(
        self,
        *,
        entities: Sequence[Name] = (),
        conversations: Sequence[str] = (),
        max_calls: int = 2,
        group: str | None = None,
    ) -> SummaryReport:
        """Have the model write the summaries of these entities and conversations of a group, where there is something new.

        Several are put in one question; in at most `max_calls` of them, the first first. Where all that its last summary rests
        on still holds, the model is given that and what is new, else the facts that hold now: never what is over. A failed or
        unreadable answer is not asked for again: its things wait, and the report's `warnings` say why. What was forgotten
        while the model wrote stays forgotten. Of communities: `refresh_communities(max_calls=...)`.

        Raises ValueError without a model, NotFound and AmbiguousName for the names.
        """
        desk = self._desk()
        calls = whole_number(max_calls, "max_calls", least=0)
        name = self.group if group is None else checked_group(group)
        with self._store.read() as db:
            at = self._at(db, name)
            rows = [lookup.one(db, at, entity) for entity in _listed(entities, "entities")]
            talks = [_conversation(db, at, talk)[1] for talk in _listed(conversations, "conversations")]
            items = planning.entities(db, at, rows) + planning.conversations(db, at, talks)
        return writing.write(desk, name, at, items, calls)

    def refresh_communities(
        self, *, whole: bool | None = None, max_calls: int = 0, group: str | None = None
    ) -> CommunityReport:
        """Keep the communities of a group as its facts are now, and put the summaries that are searched together anew.

        The first time, and with whole=True, all are made by label propagation over the facts that hold. Else entities that came
        join where most of their facts lead, those that nothing ties leave, and where many did (1 in 20) the modularity is
        compared with that of a whole pass: if it drifted by more than .02, all are made anew, with as few changes as do.
        whole=False: never. A community keeps its uuid as long as it keeps its members; earlier states stay, see `memberships`.
        max_calls: questions to the model, which then writes names and summaries of the communities that have anything new to
        tell, the largest first, several in one question; what that came to is in the report's `summaries`, see `summarize`.
        None is asked by default: a refresh costs nothing unless it is told to.

        Raises WriteConflict if others kept changing the memory meanwhile, ValueError for calls without a model.
        """
        if whole is not None and not isinstance(whole, bool):
            raise ValueError(f"whole is True, False or None, not {whole!r}")
        name = self.group if group is None else checked_group(group)
        calls = whole_number(max_calls, "max_calls", least=0)
        desk = self._desk() if calls else None
        report = refresh.refresh(self._store, self._embedder, self._now, name, whole=whole)
        if desk is None:
            return report
        with self._store.read() as db:
            at = self._at(db, name)
            items = planning.communities(db, at) if at.groups else []
        return replace(report, summaries=writing.write(desk, name, at, items, calls))

    def _desk(self) -> writing.Desk:
        if self._writer.llm is None:
            raise ValueError("there is no language model to write summaries; open the Memory with llm=, its name or an object")
        return writing.Desk(self._writer.llm, self._store, self._embedder, self._now)


def _check_one(*given: object) -> None:
    if sum(one is not None for one in given) != 1:
        raise ValueError("a summary is of one thing: give an entity, community=uuid or conversation=name")


def _listed(names: Sequence[Any], what: str) -> Sequence[Any]:
    if isinstance(names, str):
        raise ValueError(f"{what} is a list, such as [{names!r}]")
    if not isinstance(names, Iterable):
        raise ValueError(f"{what} is a list, not {names!r}")
    return list(names)


def _uuid(community: str | Community | None) -> str:
    return searchable(community.uuid if isinstance(community, Community) else community or "")


def _conversation(db: Connection, at: At, name: str) -> tuple[At, str]:
    """Where the conversation of this name is, and its name as it can be asked for."""
    wanted = searchable(name)
    groups = conversations.groups_with(db, at.groups, wanted, at.known_at)
    if not groups:
        raise NotFound(f"no text has the name {name!r} here; give the name that its texts were added with, or check the group")
    if len(groups) > 1:
        raise AmbiguousName(f"{name!r} is the name of texts in several groups; give the group")
    return at._replace(groups=groups), wanted


def _community(db: Connection, at: At, community: str | Community | None, *, now: bool) -> tuple[At, Summary]:
    """Where a community is, and its summary."""
    for number in at.groups:
        there = at._replace(groups=[number])
        told = reading.community(db, there, _uuid(community), now=now)
        if told is not None:
            return there, told
    raise NotFound(
        f"no community has the uuid {_uuid(community)!r} here then; `communities` lists them (on the command line with --ids)"
    )
