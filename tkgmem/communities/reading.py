"""Communities, entities and conversations with their summaries, as of the two clocks. A summary never tells what is over.

It is put together of the facts that hold then. What a model wrote is shown only while every line that it was given reads the
same then; what it was not given yet follows it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from tkgmem import wording
from tkgmem.communities import conversation, found, material, sentences
from tkgmem.communities.conversation import Talk
from tkgmem.communities.found import Found
from tkgmem.communities.material import Material
from tkgmem.communities.sentences import Line
from tkgmem.graph import Community, Entity, Summary
from tkgmem.store import conversations, facts, partition, read, summaries
from tkgmem.store.clocks import EVERYTHING, At, view_versions
from tkgmem.store.connection import Connection
from tkgmem.temporal.period import to_datetime
from tkgmem.wording.phrases import phrases_for

NAMED = 3
"""Members that a community is named after."""
_SINCE = 6
"""Lines that follow what a model wrote, at most."""
_QUOTED = 3
"""Turns that do, where no line does."""


class Written(NamedTuple):
    """A summary's words, the facts (first claims) that they rest on, and the version that it is, where it is one."""

    text: str
    lines: Mapping[int, str]
    version: summaries.Row | None


def of_group(db: Connection, at: At, *, now: bool) -> list[Found]:
    """The communities of one group, the largest first. now: those that are kept, if any are, else those of `at` alone."""
    [group] = at.groups
    kept = found.kept(db, group, valid_at=at.valid_at, known_at=at.known_at) if now else None
    return found.derived(db, group, valid_at=at.valid_at, known_at=at.known_at) if kept is None else kept


def around(db: Connection, at: At, entity: int) -> list[Found]:
    """The community of one group that an entity is in, of those that are kept if any are; as `of_group` would find it."""
    [group] = at.groups
    home = found.home_of(db, group, entity, valid_at=at.valid_at, known_at=at.known_at)
    only = set() if home is None else {home}
    several = found.kept(db, group, valid_at=at.valid_at, known_at=at.known_at, only=only) or []
    if not any(entity in one.members for one in several):  # it came since, or was left alone where it is kept
        several = of_group(db, at, now=True)
    return [one for one in several if entity in one.members]


def alive(db: Connection, at: At, several: Sequence[Found]) -> list[Found]:
    """Those communities in which something holds then: what was kept may have ended since."""
    rows = [one.row for one in several if one.row is not None]
    holding = view_versions(at.groups, valid_at=at.valid_at, known_at=at.known_at, include_ended=False)
    seen = partition.alive(db, rows, holding)
    return [one for one in several if one.row is None or one.row in seen]


def of_rows(db: Connection, at: At, rows: Sequence[int]) -> dict[int, Community]:
    """Communities that are kept, by row; one of which no fact holds then is left out."""
    by_group: dict[int, list[partition.Kept]] = {}
    for one in partition.by_rows(db, rows).values():
        by_group.setdefault(one.group_id, []).append(one)
    values: dict[int, Community] = {}
    for group, some in sorted(by_group.items()):
        wanted = {one.id for one in some}
        there = At([group], at.valid_at, at.known_at)
        several = found.kept(db, group, valid_at=at.valid_at, known_at=at.known_at, only=wanted) or []
        made = communities(db, there, several)
        values |= {one.row: value for one, value in zip(several, made, strict=True) if one.row is not None and value.facts}
    return {row: values[row] for row in rows if row in values}


def communities(db: Connection, at: At, several: Sequence[Found]) -> list[Community]:
    """The values of communities of one group, in the order given."""
    materials = material.of_communities(db, at, several)
    names = read.entities(db, {entity for one in several for entity in one.members}, at.known_at)
    kept = summaries.of_communities(db, [one.row for one in several if one.row is not None], at.known_at)
    values = []
    for one, what in zip(several, materials, strict=True):
        version = None if one.row is None else kept.get(one.row)
        written = standing(db, at, what, version)
        members = tuple(names[entity] for entity in what.weights)
        tied = [names[entity] for entity, weight in what.weights.items() if weight]
        name = named(tied or members) if written.version is None else written.version.name
        values.append(
            Community(
                uuid=one.uuid,
                group=read.group_name(db, one.group_id),
                name=name,
                summary=written.text,
                members=members,
                facts=_uuids(db, written.lines),
                model=None if written.version is None else written.version.model,
                created_at=None if one.created_at is None else to_datetime(one.created_at),
            )
        )
    return values


def named(members: Sequence[Entity]) -> str:
    """What a community is called without a model: its members through which most goes, the most connected given first."""
    names = [wording.one_line(member.name) for member in members[:NAMED]]
    return phrases_for("".join(names)).listed.join(names)


def entity(db: Connection, at: At, row: int) -> Summary:
    """The summary of an entity of one group; without a text where nothing that holds then is known of it."""
    what = material.of_entity(db, at, row)
    version = summaries.then(db, summaries.Of(entity=row), at.groups[0], at.known_at)
    return _summary(db, at, standing(db, at, what, version))


def community(db: Connection, at: At, uuid: str, *, now: bool) -> Summary | None:
    """The summary of a community of one group, as `communities` shows it then; None where no community has this uuid.

    Of one that is not among those of `at`, but was kept, it tells what holds then among those that belong to it.
    """
    [group] = at.groups
    kept = partition.by_uuid(db, at.groups, uuid)
    if now and kept is not None:
        several = found.kept(db, group, valid_at=at.valid_at, known_at=at.known_at, only={kept.id}) or []
    else:
        several = [one for one in of_group(db, at, now=now) if one.uuid == uuid]
    if not several:
        if kept is None or kept.created_at > at.known_at:
            return None
        members = partition.members(db, [kept.id], at.known_at)[kept.id]
        several = [Found(uuid, group, tuple(members), kept.id, kept.created_at)]
    [what] = material.of_communities(db, at, several)
    row = several[0].row
    version = None if row is None else summaries.of_communities(db, [row], at.known_at).get(row)
    return _summary(db, at, standing(db, at, what, version))


def of_conversation(db: Connection, at: At, name: str) -> Summary:
    """The summary of a conversation of one group; without a text where all of it was taken back."""
    talk = conversation.of(db, at, name)
    of = summaries.Of(conversation=name)
    return _summary(db, at, told(db, at, talk, summaries.then(db, of, at.groups[0], at.known_at)))


def versions(db: Connection, at: At, of: summaries.Of) -> list[Summary]:
    """The versions that were kept, by system time, as they were written."""
    rows = summaries.versions(db, of, at.groups[0], at.known_at)
    lines = summaries.lines_of(db, [row.id for row in rows])
    return [
        Summary(
            text=row.text,
            facts=_uuids(db, lines.get(row.id, {})),
            model=row.model,
            valid_at=to_datetime(row.valid_at),
            known_at=to_datetime(row.known_at),
            created_at=to_datetime(row.created_at),
            expired_at=_until(row, at),
        )
        for row in rows
    ]


def _summary(db: Connection, at: At, written: Written) -> Summary:
    shown = written.version
    return Summary(
        text=written.text,
        facts=_uuids(db, written.lines),
        model=None if shown is None else shown.model,
        valid_at=to_datetime(at.valid_at),
        known_at=None if at.known_at >= EVERYTHING else to_datetime(at.known_at),
        created_at=None if shown is None else to_datetime(shown.created_at),
        expired_at=None if shown is None else _until(shown, at),
    )


def _until(version: summaries.Row, at: At) -> dt.datetime | None:
    """Since when another version has taken its place, as far as that was so by then."""
    return None if version.expired_at is None or version.expired_at > at.known_at else to_datetime(version.expired_at)


def standing(db: Connection, at: At, what: Material, version: summaries.Row | None) -> Written:
    """What is told then: the version that a model wrote, as far as it stands, or the lines themselves."""
    listed = None if version is None else still_right(db, at, version)
    if version is None or listed is None:
        return Written(sentences.text_of(what.lines, left=what.left), checksums(what.lines), None)
    return _followed(version, listed, [line for line in what.lines if line.row not in listed], "")


def told(db: Connection, at: At, talk: Talk, version: summaries.Row | None) -> Written:
    """What is told of a conversation then: the version that a model wrote, as far as it stands, or what it is without one."""
    listed = None if version is None else conversation_still_right(db, at, talk, version)
    if version is None or listed is None:
        return Written(conversation.text_of(talk), checksums(talk.what.lines), None)
    new = [line for line in talk.what.lines if line.row not in listed]
    said = conversation.quotes(talk, _QUOTED, since=version.known_at) if not new else []
    return _followed(version, listed, new, talk.say.between_quotes.join(said))


def _followed(version: summaries.Row, listed: Mapping[int, str], new: Sequence[Line], said: str) -> Written:
    """What a model wrote, and what came since."""
    since = new[:_SINCE]
    space = phrases_for(version.text).between_sentences
    text = space.join(part for part in (version.text, sentences.text_of(since), said) if part)
    return Written(text, {**listed, **checksums(since)}, version)


def conversation_still_right(db: Connection, at: At, talk: Talk, version: summaries.Row) -> Mapping[int, str] | None:
    """As `still_right`; the turns that it was made from have to stand as well."""
    return still_right(db, at, version) if turns_stand(db, at, talk, version.known_at) else None


def turns_stand(db: Connection, at: At, talk: Talk, seen: int) -> bool:
    """Whether what was seen of a conversation at the system time `seen` is still there, and told nothing since that is over.

    What its turns told before is known by its lines.
    """
    if any(claim.turn_created_at <= seen < claim.recorded_at and not claim.planned for claim in talk.over):
        return False
    return not conversations.visible(db, at.groups[0], talk.name, seen) - {turn.row for turn in talk.turns}


def still_right(db: Connection, at: At, version: summaries.Row) -> Mapping[int, str] | None:
    """The facts that a model wrote a version from, if each of them reads then as it did; else None: it tells what is over."""
    listed = None if version.model is None else summaries.lines_of(db, [version.id]).get(version.id, {})
    return listed if listed is not None and lines_now(db, at, listed) == listed else None


def lines_now(db: Connection, at: At, rows: Iterable[int]) -> dict[int, str]:
    """Of these facts (first claims) those that hold then, as they are kept with a version."""
    instant = at.valid_at
    held = [
        record
        for records in facts.periods_of(db, rows, at.known_at).values()
        for record in records
        if record.row is not None
        and (record.valid_at is None or record.valid_at <= instant)
        and (record.invalid_at is None or instant < record.invalid_at)
    ]
    return checksums(sentences.lines(db, at, held))


def checksums(lines: Iterable[Line]) -> dict[int, str]:
    """The lines by the row of the first claim, as they are kept with a version."""
    return {line.row: line.checksum for line in lines}


def _uuids(db: Connection, rows: Iterable[int]) -> tuple[str, ...]:
    return tuple(summaries.fact_uuids(db, list(rows)))
