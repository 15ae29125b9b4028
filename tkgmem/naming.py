"""Who is who, as a memory is told: entities merged, split and given names, each dated on the system clock and reversible."""

from __future__ import annotations

from collections.abc import Sequence

from tkgmem.arguments import Name, checked_group
from tkgmem.graph import Entity, Fact
from tkgmem.ingest import identity
from tkgmem.ingest.writer import Writer
from tkgmem.store.names import clean_name, clean_text


class Naming:
    """The verbs of a memory that say which entity is which."""

    group: str
    _writer: Writer

    def merge_entities(
        self, keep: Name, other: Name, *, group: str | None = None, reason: str | None = None, dry_run: bool = False
    ) -> Entity:
        """Believe from now on that `other` is `keep`: what is said of the one is said of the other. Returns `keep`.

        The rules decide between the facts of the two, the same triple becomes one fact. What was said between the two holds no
        more while they are one. Names and uuid of `other` lead to `keep`, and what is told of them from now on is about `keep`.
        An earlier known_at still sees two entities; `split_entity` takes it back.

        dry_run: the entity as it would be, and nothing changed. Merging what is one entity already changes nothing.
        Raises NotFound, AmbiguousName, ValueError for an entity and itself.
        """
        return identity.merge_entities(
            self._writer,
            keep,
            other,
            group=self._entity_group(group),
            reason=_reason(reason),
            dry_run=dry_run,
        )

    def split_entity(
        self,
        entity: Name,
        *,
        claims: Sequence[str | Fact] | None = None,
        name: str | None = None,
        group: str | None = None,
        reason: str | None = None,
        dry_run: bool = False,
    ) -> Entity:
        """Take back a merge, or move statements from an entity to a new one, from now on. Returns the entity that comes out.

        Without `claims`: `entity` is what was merged, by its uuid or a name it has; or what one other was merged into. It takes
        along what had been merged into it before; statements recorded since the merge stay where they are.
        claims: facts, or uuids; a fact's uuid moves all of the fact, another one just that claim. name: of the new entity, by
        default the same, which then fits two entities. Merging the new one back takes it back.

        dry_run: the entity as it would be, and nothing changed.
        Raises NotFound (nothing is merged, or no longer believed), AmbiguousName listing what it may be, ValueError for a claim
        that is not of this entity.
        """
        return identity.split_entity(
            self._writer,
            entity,
            claims_of=claims,
            name=None if name is None else clean_name(name),
            group=self._entity_group(group),
            reason=_reason(reason),
            dry_run=dry_run,
        )

    def add_alias(self, entity: Name, alias: str, *, group: str | None = None) -> Entity:
        """Let an entity go by one more name from now on; one that it has already changes nothing.

        Another entity may go by it too: the name then fits both. Raises NotFound, AmbiguousName, ValueError.
        """
        return identity.add_alias(self._writer, entity, clean_name(alias, "alias"), group=self._entity_group(group))

    def _entity_group(self, group: str | None) -> str:
        return self.group if group is None else checked_group(group)


def _reason(reason: str | None) -> str | None:
    return None if reason is None else clean_text(reason, "reason")
