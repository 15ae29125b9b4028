"""The arguments that every public call takes: dates, names, groups. Read at the edge, once."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from pathlib import Path

from tkgmem.graph import Entity
from tkgmem.protocols import Clock
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
    """A date as a datetime that keeps the offset it was given with, UTC where there is none."""
    moment = parse_moment(value)
    zone = value.tzinfo if isinstance(value, dt.datetime) else None
    if isinstance(value, str) and moment.precision == "time":
        zone = dt.datetime.fromisoformat(value.strip()).tzinfo
    aware = to_datetime(moment.micros).astimezone(zone or dt.UTC)
    return aware.astimezone(dt.timezone(aware.utcoffset() or dt.timedelta(0)))  # the offset is kept, not the zone's name


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


def whole_number(value: int, what: str, *, least: int) -> int:
    """A count, at most a million; ValueError names what it cannot be."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ValueError(f"{what} must be a whole number of at least {least}, not {value!r}")
    return min(value, 1_000_000)


def finite_number(value: float, what: str) -> float:
    """A number; ValueError if it is anything else, or not finite."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{what} must be a finite number, not {value!r}")
    return float(value)


def told_by(clock: Clock) -> dt.datetime:
    """The clock's time; ValueError if it tells anything but a datetime."""
    now = clock()
    if not isinstance(now, dt.datetime):
        raise ValueError(f"the clock must tell a datetime, not {now!r}")
    return now


def file_path(path: str | Path) -> str | Path:
    """The path of a file, or ":memory:"."""
    if not isinstance(path, str | Path) or not str(path):
        raise ValueError(f"a memory is a file path or ':memory:', not {path!r}")
    return path
