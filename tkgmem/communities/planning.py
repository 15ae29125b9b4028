"""What a language model may summarize, with all that it is given: the facts that hold, and where its last words still stand,
these and what is new. What is over is in no question.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from tkgmem import wording
from tkgmem.communities import asking, conversation, found, material, reading
from tkgmem.communities.asking import Thing
from tkgmem.communities.material import Material
from tkgmem.communities.sentences import Line
from tkgmem.store import partition, read, recalls, summaries
from tkgmem.store.clocks import At
from tkgmem.store.connection import Connection
from tkgmem.store.summaries import Of

GIVEN = 40
"""Facts of a thing that a model is given."""
_QUOTED = 12
"""Turns of a conversation that it is given."""
_MEMBERS = 12
"""Members of a community that it is given."""
_LONGEST_NAME, _LONGEST_LINES = 200, 12_000
"""Characters of a name, and bytes of the facts of one thing, that it is given."""


@dataclass(frozen=True, slots=True)
class Item:
    """Something that a model may summarize, as planned on one state of the file. label: what it is called in a warning.

    before: the version (row) that stands, whoever wrote it. facts, entities: what the summary will rest on, and may name.
    tick, change: the instant and the number of the last change of belief that was seen; known_at: the last system time that
    was. due: whether there is anything to tell that the version does not.
    """

    of: Of
    label: str
    thing: Thing
    before: summaries.Row | None
    facts: Mapping[int, str]
    entities: frozenset[int]
    tick: int
    change: int
    known_at: int
    due: bool


def entities(db: Connection, at: At, rows: Sequence[int]) -> list[Item]:
    """Entities of one group, each once, in the order given."""
    values = read.entities(db, rows)
    items = []
    for row in dict.fromkeys(rows):
        what, of = material.of_entity(db, at, row, most=GIVEN), Of(entity=row)
        thing = Thing(_short(values[row].type or "entity"), _short(values[row].name), ())
        items.append(_item(db, at, of, thing, what, summaries.then(db, of, at.groups[0]), named=[row]))
    return items


def communities(db: Connection, at: At) -> list[Item]:
    """The communities of one group that are kept, the largest first."""
    several = [one for one in found.kept(db, at.groups[0], valid_at=at.valid_at) or () if one.row is not None]
    standing = summaries.of_communities(db, [one.row for one in several if one.row is not None])
    materials = material.of_communities(db, at, several, most=GIVEN)
    values = read.entities(db, {entity for what in materials for entity in list(what.weights)[:_MEMBERS]})
    items = []
    for one, what in zip(several, materials, strict=True):
        members = list(what.weights)[:_MEMBERS]
        name = _short(reading.named([values[entity] for entity in members]))
        thing = Thing("community", name, (), members=[_short(values[entity].name) for entity in members])
        version = None if one.row is None else standing.get(one.row)
        items.append(_item(db, at, Of(community=one.row), thing, what, version, named=members))
    return items


def conversations(db: Connection, at: At, names: Sequence[str]) -> list[Item]:
    """Conversations of one group, each once, in the order given.

    Turns are given only where every fact is, so that whatever of them is over one day is known by its line.
    """
    items = []
    for name in dict.fromkeys(names):
        talk, of = conversation.of(db, at, name, most=GIVEN), Of(conversation=name)
        version = summaries.then(db, of, at.groups[0])
        stands = version is not None and reading.conversation_still_right(db, at, talk, version) is not None
        quoted = _QUOTED if len(_fitting(talk.what.lines)) == len(talk.what.records) else 0
        since = version.known_at if version is not None and stands else None
        said = conversation.quotes(talk, quoted, since=since, plans=False)
        thing = Thing("conversation", _short(name), (), said=said, about=conversation.opening(talk, talk.say))
        item = _item(db, at, of, thing, talk.what, version if stands else None, named=())
        items.append(replace(item, before=version, known_at=max([item.tick, *(turn.created_at for turn in talk.turns)])))
    return items


def _item(
    db: Connection,
    at: At,
    of: Of,
    thing: Thing,
    what: Material,
    version: summaries.Row | None,
    *,
    named: Collection[int],
) -> Item:
    """thing: still without its facts. version: the one that stands. named: entities that are named whatever the facts are."""
    listed = None if version is None else reading.still_right(db, at, version)
    new = [line for line in _fitting(what.lines) if listed is None or line.row not in listed]
    rests = {**(listed or {}), **reading.checksums(new)}
    ends = {end for line in new for end in line.ends}
    before = set() if version is None or listed is None else summaries.named_in(db, version.id)
    tick = recalls.last_tick(db)
    return Item(
        of=of,
        label=f"the summary of {thing.name!r}",
        thing=replace(
            thing,
            facts=[line.sentence for line in new],
            so_far=None if version is None or listed is None else version.text,
        ),
        before=version,
        facts=rests,
        entities=frozenset({*named, *ends, *before}),
        tick=tick,
        change=partition.last_change(db),
        known_at=tick,
        due=bool(new or thing.said),
    )


def _fitting(lines: Sequence[Line]) -> list[Line]:
    """The lines that are given, as far as there is room."""
    given: list[Line] = []
    room = _LONGEST_LINES
    for line in lines:
        room -= len(line.sentence.encode())
        if room >= 0:
            given.append(line)
    return given


def _short(name: str) -> str:
    return asking.shortened(wording.one_line(name), _LONGEST_NAME)
