"""The wide view: communities of entities, and summaries of a community, an entity or a conversation, as of the two clocks."""

from __future__ import annotations

from collections.abc import Callable

from tkgmem.arguments import Date, Groups, Name, checked_group, whole_number
from tkgmem.communities import reading, refresh
from tkgmem.graph import Community, Membership
from tkgmem.reader import Reader
from tkgmem.reports import CommunityReport
from tkgmem.search import lookup
from tkgmem.store import partition, read, summaries
from tkgmem.store.clocks import At
from tkgmem.store.names import searchable
from tkgmem.temporal.period import to_datetime


class Summing(Reader):
    """The verbs of a memory that look at much at once."""

    _now: Callable[[], int]

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
                several = reading.of_group(db, there, now=valid_at is None)
                several = [one for one in several if wanted is None or wanted in one.members]
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

    def refresh_communities(self, *, whole: bool | None = None, group: str | None = None) -> CommunityReport:
        """Keep the communities of a group as its facts are now, and put the summaries that are searched together anew.

        The first time, and with whole=True, all are made by label propagation over the facts that hold. Else entities that came
        join where most of their facts lead, those that nothing ties leave, and where many did (1 in 20) the modularity is
        compared with that of a whole pass: if it drifted by more than .02, all are made anew, with as few changes as do.
        whole=False: never. A community keeps its uuid as long as it keeps its members; earlier states stay, see `memberships`.

        Raises WriteConflict if others kept changing the memory meanwhile.
        """
        name = self.group if group is None else checked_group(group)
        return refresh.refresh(self._store, self._embedder, self._now, name, whole=whole)
