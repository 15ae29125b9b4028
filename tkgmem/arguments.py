"""The arguments that every public call takes: dates, names, groups. Read at the edge, once."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from tkgmem.graph import Entity
from tkgmem.store.names import MAX_NAME, clean_text
from tkgmem.temporal.period import Moment, parse_moment, to_datetime

Date = dt.datetime | dt.date | str | Moment
"""A date argument: a datetime (naive is UTC), a date, or ISO text; "YYYY", "YYYY-MM", "YYYY-MM-DD" keep their precision."""
Name = str | Entity
"""An entity by name, uuid or value."""
Groups = str | Sequence[str] | None
"""A group or several; None is the memory's own."""


def moment(value: Date | None) -> Moment | None:
    """A date with its precision, None for an unknown one."""
    return None if value is None else parse_moment(value)


def zoned(value: Date) -> dt.datetime:
    """A date as a datetime that keeps the offset it was given with."""
    if isinstance(value, str) and "T" in value:
        parsed = to_datetime(parse_moment(value).micros)
        return parsed.astimezone(dt.datetime.fromisoformat(value.strip()).tzinfo or dt.UTC)
    zone = value.tzinfo if isinstance(value, dt.datetime) and value.tzinfo else dt.UTC
    return to_datetime(parse_moment(value).micros).astimezone(zone)


def checked_group(group: str) -> str:
    """A group's name, if it can be one; ValueError otherwise."""
    if not isinstance(group, str) or not group.strip():
        raise ValueError(f"a group is a name with at least one visible character, not {group!r}")
    if len(group) > MAX_NAME:
        raise ValueError(f"the group's name is {len(group)} characters long, the limit is {MAX_NAME}")
    return clean_text(group, "group")


def group_list(group: Groups, own: str) -> list[str]:
    """The groups asked for."""
    if group is None:
        return [own]
    return [checked_group(name) for name in ([group] if isinstance(group, str) else group)]
