"""Names to entities, in one group: the exact name or alias first, then names that are alike, then what a judge decides.

A name that means one entity is never given to another; where rules cannot tell, the candidates are left open.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from tkgmem.errors import NotFound
from tkgmem.graph import Entity, ExtractedEntity
from tkgmem.ingest import similar
from tkgmem.store import lexical, read, vectors, write
from tkgmem.store.clocks import EVERYTHING
from tkgmem.store.connection import Connection
from tkgmem.store.ids import make_uuid
from tkgmem.store.matrix import Matrices
from tkgmem.store.names import clean_name, name_key

if TYPE_CHECKING:
    from tkgmem.protocols import Vectors

NEAREST = 15
"""How many of the nearest names are looked at for one that is written in another way."""

COMMON = 20
"""A word that more names of a text have than so many tells nothing about which of them are alike."""

Reason = Literal["name", "alias", "alike"]


def find(db: Connection, group_id: int, name: str | Entity, what: str) -> int | None:
    """The row of the entity with this name or uuid, None if there is none.

    Raises AmbiguousName listing the entities that share the name, NotFound for an Entity that is not of this group.
    """
    if isinstance(name, Entity):
        row = read.entity_by_uuid(db, [group_id], name.uuid)
        if row is None:
            raise NotFound(f"{what} {name.name!r} ({name.uuid}) is not an entity of this group")
        return row
    row = read.entity_by_uuid(db, [group_id], name)
    return read.entity_named(db, group_id, name) if row is None else row


def resolve(
    db: Connection,
    group_id: int,
    group: str,
    name: str | Entity,
    *,
    what: str,
    first: str,
    at: int,
    names: Mapping[str, Vectors] | None = None,
) -> int:
    """The row of the entity with this exact name or uuid, made if it is new. first: the uuid of the claim that names it first.

    names: the vectors of names that may be new.
    """
    if not isinstance(name, Entity):
        name = clean_name(name, what)
    row = find(db, group_id, name, what)
    if row is not None or isinstance(name, Entity):
        assert row is not None
        return row
    return make(db, group_id, group, name, first=first, at=at, names=names or {})


def make(db: Connection, group_id: int, group: str, name: str, *, first: str, at: int, names: Mapping[str, Vectors]) -> int:
    """A new entity, whoever else goes by its name."""
    row = write.insert_entity(db, uuid=make_uuid("entity", group, name, first), group_id=group_id, name=name, at=at)
    lexical.index_entity(db, row, name)
    if (vector := names.get(name)) is not None:
        vectors.insert(db, "entity", row, group_id, vector, name)
    return row


def unknown(db: Connection, group_id: int, names: Iterable[str]) -> list[str]:
    """Of these names those that nobody in the group goes by, each once, in order."""
    return [name for name in dict.fromkeys(names) if not read.entity_ids(db, group_id, name_key(name), EVERYTHING)]


@dataclass(frozen=True, slots=True)
class Found:
    """What the ladder says of one mention: the entity's row; or who it may be, entities by row and earlier mentions of the same
    text by place; or, with neither, that it is new. why: the step that left it open.
    """

    row: int | None = None
    candidates: tuple[int, ...] = ()
    others: tuple[int, ...] = ()
    why: Reason = "name"
    same_as: int | None = None

    @property
    def is_open(self) -> bool:
        """Whether only a judge can tell."""
        return bool(self.candidates or self.others)


@dataclass(frozen=True, slots=True)
class Ladder:
    """Looks up the mentions of one text. names: the vectors of their names. judged: whether a judge may be asked; if not, what
    is merely possible is not offered. matrices: the copies of vectors in memory.
    """

    db: Connection
    group_id: int
    names: Mapping[str, Vectors] = field(default_factory=dict)
    judged: bool = False
    matrices: Matrices = field(default_factory=Matrices)

    def climb(self, mentions: Sequence[ExtractedEntity]) -> list[Found]:
        """What is found for each mention, in order."""
        keys = [name_key(mention.name) for mention in mentions]
        found: list[Found] = []
        sharing: dict[str, list[int]] = {}
        for place, mention in enumerate(mentions):
            twins = [
                other
                for other, key in enumerate(keys)
                if key == keys[place] and other != place and (self.judged or not _apart(mention.type, mentions[other].type))
            ]
            words = keys[place].split()
            near = sorted({other for word in words for other in sharing.get(word, ()) if len(sharing[word]) <= COMMON})
            for word in words:
                sharing.setdefault(word, []).append(place)
            found.append(self._exact(mention, twins, place) or self._other_names(mention) or self._alike(mentions, place, near))
        return found

    def _exact(self, mention: ExtractedEntity, twins: Sequence[int], place: int) -> Found | None:
        rows = read.entity_ids(self.db, self.group_id, name_key(mention.name), EVERYTHING)
        if rows and mention.type is not None and (len(rows) > 1 or not self.judged):
            kinds = {row: entity.type for row, entity in read.entities(self.db, rows).items()}
            fitting = [row for row in rows if not _apart(mention.type, kinds[row])]
            if len(fitting) == 1 or not self.judged:  # of one name, and told apart by what they are
                rows = fitting
        if len(rows) == 1 and not twins:
            return Found(rows[0])
        if rows:
            return Found(candidates=tuple(rows))
        earlier = tuple(other for other in twins if other < place)
        if earlier and not self.judged:  # told apart by nobody
            return Found(same_as=earlier[0])
        return Found(others=earlier, why="alike") if twins else None

    def _other_names(self, mention: ExtractedEntity) -> Found | None:
        """Who goes by one of the other names that the text gives: possible, not sure."""
        if not self.judged:
            return None
        rows = [
            row for alias in mention.aliases for row in read.entity_ids(self.db, self.group_id, name_key(alias), EVERYTHING)
        ]
        return Found(candidates=tuple(dict.fromkeys(rows)), why="alias") if rows else None

    def _alike(self, mentions: Sequence[ExtractedEntity], place: int, sharing: Sequence[int]) -> Found:
        """Names that are nearly the same: of known entities, and of earlier mentions (`sharing` a word with this one)."""
        mention = mentions[place]
        apart = [] if self.judged else read.entity_ids(self.db, self.group_id, name_key(mention.name), EVERYTHING)
        near = {row: names for row, names in self._near(mention.name).items() if row not in apart}
        verdicts = {row: self._likeness(mention, names) for row, names in near.items()}
        same = [row for row, verdict in verdicts.items() if verdict == "same"]
        earlier = {
            other: self._likeness(mention, [mentions[other].name, *mentions[other].aliases])
            for other in sharing
            if self.judged or not _apart(mention.type, mentions[other].type)
        }
        twins = [other for other, verdict in earlier.items() if verdict == "same"]
        if len(same) == 1 and not twins:
            return Found(same[0])
        if not self.judged:
            return Found(same_as=twins[0]) if len(twins) == 1 and not same else Found()
        maybe = [row for row, verdict in verdicts.items() if verdict != "different"]
        others = [other for other, verdict in earlier.items() if verdict != "different"]
        return Found(candidates=tuple(maybe), others=tuple(others), why="alike")

    def _near(self, name: str) -> dict[int, list[str]]:
        """The entities whose names are nearest in meaning, with the names they go by."""
        vector = self.names.get(name)
        if vector is None:
            return {}
        rows = vectors.nearest_names(self.db, self.group_id, vector[0], NEAREST, self.matrices)
        return {row: names for row, names in read.names_of(self.db, rows).items() if names}

    @staticmethod
    def _likeness(mention: ExtractedEntity, names: Sequence[str]) -> similar.Likeness:
        verdicts = similar.compare_all(mention.name, names, kind=mention.type)
        return "same" if "same" in verdicts else "maybe" if "maybe" in verdicts else "different"


def _apart(one: str | None, other: str | None) -> bool:
    """Whether two types tell two things of one name apart."""
    return one is not None and other is not None and name_key(one) != name_key(other)


def speaker(db: Connection, group_id: int, group: str, name: str, *, first: str, at: int, names: Mapping[str, Vectors]) -> int:
    """The row of who speaks: of several with that name the one who last spoke, else the first."""
    shown = clean_name(name, "speaker")
    rows = read.entity_ids(db, group_id, name_key(shown), EVERYTHING)
    if not rows:
        return make(db, group_id, group, shown, first=first, at=at, names=names)
    return rows[0] if len(rows) == 1 else read.last_speaker(db, rows)
