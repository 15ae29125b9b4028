"""Facts and dates in the words of a picture: local, as fine as they were stated, without ids.

The zone is named once on the page, so no date repeats it.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from tkgmem.graph import Entity, Version
from tkgmem.temporal.period import Precision

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

ENDINGS = {
    "ended": "someone said that it ended",
    "superseded": "gave way to another fact",
    "judged": "contradicted by another fact",
}
"""What another claim did to a fact, by the cause of its version."""


def local(value: dt.datetime, zone: dt.tzinfo) -> dt.datetime:
    """An instant on the clocks of the zone; on those of UTC where the zone would lead out of years 1 to 9999."""
    try:
        return value.astimezone(zone)
    except OverflowError:
        return value.astimezone(dt.UTC)


def date(value: dt.datetime, precision: Precision | None, zone: dt.tzinfo) -> str:
    """A bound: "2024", "Mar 2024", "1 Mar 2024", "1 Mar 2024 09:30"; never more coarsely than it is true in the zone.

    >>> date(dt.datetime(2024, 3, 1, tzinfo=dt.UTC), "month", dt.UTC)
    'Mar 2024'
    >>> date(dt.datetime(2024, 3, 1, tzinfo=dt.UTC), "month", dt.timezone(dt.timedelta(hours=2)))
    '1 Mar 2024 02:00'
    """
    here = local(value, zone)
    midnight = here.time() == dt.time()
    if precision == "year" and midnight and (here.month, here.day) == (1, 1):
        return f"{here.year:04}"
    month = f"{MONTHS[here.month - 1]} {here.year:04}"
    if precision == "month" and midnight and here.day == 1:
        return month
    return f"{here.day} {month}" if midnight else f"{here.day} {month} {clock(here)}"


def day(value: dt.datetime, zone: dt.tzinfo) -> str:
    """The day of an instant: "1 Mar 2024"."""
    here = local(value, zone)
    return f"{here.day} {MONTHS[here.month - 1]} {here.year:04}"


def clock(here: dt.datetime) -> str:
    """A time of day; seconds only where there are any."""
    return here.strftime("%H:%M:%S" if here.second else "%H:%M")


def period(version: Version, zone: dt.tzinfo, now: dt.datetime) -> str:
    """When a fact holds: "since Mar 2024", "2019 to 2022", "until 2022, since unknown"; planned where it is only announced."""
    start, end = version.valid_at, version.invalid_at
    if undated(version):
        return "planned, without a date"
    if start is None:
        said = "since unknown" if end is None else f"until {date(end, version.invalid_precision, zone)}, since unknown"
    elif end is None:
        said = f"{'from' if start > now else 'since'} {date(start, version.valid_precision, zone)}"
    else:
        first, last = date(start, version.valid_precision, zone), date(end, version.invalid_precision, zone)
        last = last.removeprefix(f"{day(start, zone)} ") if first.startswith(day(start, zone)) else last
        said = f"{first} to {last}"
    return f"planned, {said}" if version.planned else said


def undated(version: Version) -> bool:
    """Whether it is an announcement without a date, which has no place on the axis."""
    return version.planned and version.valid_at is None


def relation(name: str) -> str:
    """A relation's name as words."""
    return name.replace("_", " ").lower()


def triple(version: Version) -> str:
    """A fact without its dates."""
    return f"{version.source.name} {relation(version.relation)} {version.target.name}"


def sentence(version: Version, zone: dt.tzinfo, now: dt.datetime) -> str:
    """A fact in full, for a reader who points at it: who, when, why it ends, and in which words it was told."""
    said = f"{triple(version)}: {period(version, zone, now)}"
    if version.cause in ENDINGS:
        said += f" ({ENDINGS[version.cause]})"
    told = "" if version.fact == triple(version) else f" Told as: {version.fact}"
    return f"{said}.{told}"


def subject(versions: Sequence[Version], name: str) -> Entity | None:
    """Whom the facts are about: who is at an end of most of them; of several, the one of that name, else the first."""
    found: dict[str, Entity] = {}
    times: Counter[str] = Counter()
    for version in versions:
        ends = {end.uuid: end for end in (version.source, version.target)}
        found.update((uuid, end) for uuid, end in ends.items() if uuid not in found)
        times.update(ends.keys())
    order = list(found)
    best = max(order, key=lambda uuid: (times[uuid], found[uuid].name == name, -order.index(uuid)), default=None)
    return None if best is None else found[best]


def counted(count: int, one: str, many: str) -> str:
    """A number of things.

    >>> counted(1, "fact", "facts"), counted(1200, "fact", "facts")
    ('1 fact', '1,200 facts')
    """
    return f"{count:,} {one if count == 1 else many}"


class Side(NamedTuple):
    """A fact seen from one entity. inward: the entity is at its far end. heading: the fact in words, with … for its other end.

    name: the name of that. whole: the heading with the name.
    """

    inward: bool
    heading: str
    name: str
    whole: str


def side(version: Version, about: Entity | None) -> Side:
    """How a fact is told of an entity; in full where it is about none of its ends."""
    source, target, said = version.source, version.target, relation(version.relation)
    if about is not None and target.uuid == about.uuid and source.uuid != about.uuid:
        rest = f" {said} {target.name}"
        return Side(True, f"…{rest}", source.name, source.name + rest)
    start = f"{said} " if about is not None and source.uuid == about.uuid else f"{source.name} {said} "
    return Side(False, f"{start}…", target.name, start + target.name)
