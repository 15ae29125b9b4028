"""Communities, entities and conversations with their summaries, as of the two clocks. A summary never tells what is over.

It is put together of the facts that hold then. What a model wrote is shown only while every line that it was given reads the
same then; what it was not given yet follows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from tkgmem import wording
from tkgmem.communities import found, material, sentences
from tkgmem.communities.found import Found
from tkgmem.communities.material import Material
from tkgmem.communities.sentences import Line
from tkgmem.graph import Community, Entity, Summary
from tkgmem.store import claims, partition, read, summaries
from tkgmem.store.clocks import EVERYTHING, At
from tkgmem.store.connection import Connection
from tkgmem.temporal.period import to_datetime
from tkgmem.wording.phrases import phrases_for

NAMED = 3
"""Members that a community is named after."""
_SINCE = 6
"""Lines that follow what a model wrote, at most."""


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


def of_rows(db: Connection, at: At, rows: Sequence[int]) -> dict[int, Community]:
    """Communities that are kept, by row; one of which no fact holds then is left out."""
    by_group: dict[int, list[partition.Kept]] = {}
    for one in partition.by_rows(db, rows).values():
        by_group.setdefault(one.group_id, []).append(one)
    values: dict[int, Community] = {}
    for group, some in sorted(by_group.items()):
        wanted = {one.id for one in some}
        there = At([group], at.valid_at, at.known_at)
        several = [one for one in found.kept(db, group, valid_at=at.valid_at, known_at=at.known_at) or () if one.row in wanted]
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
        name = named(members) if written.version is None else written.version.name
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


def entity(db: Connection, at: At, row: int) -> Summary | None:
    """The summary of an entity; None where nothing that holds then is known of it."""
    what = material.of_entity(db, at, row)
    return of_material(db, at, what, summaries.then(db, summaries.Of(entity=row), at.groups[0], at.known_at))


def of_material(db: Connection, at: At, what: Material, version: summaries.Row | None) -> Summary | None:
    """A summary as a value; None where there is nothing to tell."""
    written = standing(db, at, what, version)
    if not written.text:
        return None
    shown = written.version
    return Summary(
        text=written.text,
        facts=_uuids(db, written.lines),
        model=None if shown is None else shown.model,
        valid_at=to_datetime(at.valid_at),
        known_at=None if at.known_at >= EVERYTHING else to_datetime(at.known_at),
        created_at=None if shown is None else to_datetime(shown.created_at),
        expired_at=None if shown is None or shown.expired_at is None else to_datetime(shown.expired_at),
    )


def standing(db: Connection, at: At, what: Material, version: summaries.Row | None) -> Written:
    """What is told then: the version that a model wrote, as far as it stands, or the lines themselves."""
    listed = None if version is None or version.model is None else still_right(db, at, what, version)
    if version is None or listed is None:
        return Written(sentences.text_of(what.lines), _checksums(what.lines), None)
    since = [line for line in what.lines if line.row not in listed][:_SINCE]
    more = sentences.text_of(since)
    space = phrases_for(version.text).between_sentences if more else ""
    return Written(f"{version.text}{space}{more}", {**listed, **_checksums(since)}, version)


def still_right(db: Connection, at: At, what: Material, version: summaries.Row) -> Mapping[int, str] | None:
    """The facts that a version was made from, if each of them reads then as it did; else None: it tells what is over."""
    listed = summaries.lines_of(db, [version.id]).get(version.id, {})
    if not all(row in what.records for row in listed):
        return None
    now = _checksums(sentences.lines(db, at, [what.records[row] for row in listed]))
    return listed if now == listed else None


def _checksums(lines: Iterable[Line]) -> dict[int, str]:
    return {line.row: line.checksum for line in lines}


def _uuids(db: Connection, rows: Iterable[int]) -> tuple[str, ...]:
    return tuple(claims.uuids_of(db, list(rows)))
