"""Dates at the edge: text to instants in the asked zone, instants to text with the precision they were stated with.

What names no offset is read in the zone of `--tz`, never in that of the machine. A bound is shown as coarsely as it was stated
only where that is true in the zone it is shown in.
"""

from __future__ import annotations

import datetime as dt
import zoneinfo
from typing import NamedTuple

from tkgmem.temporal.period import Moment, Precision, parse_moment, to_datetime


class Zone(NamedTuple):
    """A time zone under the name it was asked for."""

    name: str
    info: dt.tzinfo


UTC = Zone("UTC", dt.UTC)


def zone(name: str) -> Zone:
    """The zone of an IANA name ("Europe/Berlin") or an offset ("+02:00"); ValueError for anything else.

    >>> zone("+02:00").info
    datetime.timezone(datetime.timedelta(seconds=7200))
    """
    if name.upper() in {"UTC", "Z"}:
        return UTC
    try:
        if name[:1] in {"+", "-"}:
            info = dt.datetime.fromisoformat(f"2000-01-01T00:00{name}").tzinfo
            assert info is not None
            return Zone(name, info)
        return Zone(name, zoneinfo.ZoneInfo(name))
    except (ValueError, KeyError, OSError) as error:
        raise ValueError(
            f"unknown time zone {name!r}; use a name such as Europe/Berlin, or an offset such as +02:00"
        ) from error


def moment(text: str, zone: Zone) -> Moment:
    """A date as people type it, read in the zone where it names no offset. ValueError naming it otherwise."""
    return parse_moment(text, tz=zone.info)


def reference(text: str, zone: Zone) -> dt.datetime:
    """When something was said, with the offset that its text names, else in the zone: "today" is a day of that calendar."""
    instant = to_datetime(parse_moment(text, tz=zone.info).micros)
    try:
        named = dt.datetime.fromisoformat(text.strip()).tzinfo
    except ValueError:  # "2024" and "2024-05" are dates here, not there
        named = None
    return instant.astimezone(named or zone.info)


def iso(value: dt.datetime, zone: Zone) -> str:
    """The whole instant with its offset, for programs.

    >>> iso(dt.datetime(2024, 3, 1, tzinfo=dt.UTC), zone("+02:00"))
    '2024-03-01T02:00:00+02:00'
    """
    return value.astimezone(zone.info).isoformat()


def short(value: dt.datetime | None, precision: Precision | None, zone: Zone) -> str:
    """A bound for a table: "2024", "2024-03", "2024-03-01", or with its time and offset; "unknown" for None.

    >>> short(dt.datetime(2024, 3, 1, tzinfo=dt.UTC), "month", UTC)
    '2024-03'
    >>> short(dt.datetime(2024, 3, 1, tzinfo=dt.UTC), "month", zone("-08:00"))
    '2024-02-29 16:00-08:00'
    """
    if value is None:
        return "unknown"
    local = value.astimezone(zone.info)
    match _shown(local, precision):
        case "year":
            return f"{local.year:04}"
        case "month":
            return f"{local.year:04}-{local.month:02}"
        case "day":
            return local.date().isoformat()
    return local.date().isoformat() + " " + _clock(local)


def words(value: dt.datetime | None, precision: Precision | None, zone: Zone) -> str:
    """A bound for a sentence: "2024", "March 2024", "1 March 2024".

    >>> words(dt.datetime(2024, 3, 1, tzinfo=dt.UTC), "month", UTC)
    'March 2024'
    """
    if value is None:
        return "unknown"
    local = value.astimezone(zone.info)
    month = _MONTHS[local.month - 1]
    match _shown(local, precision):
        case "year":
            return f"{local.year}"
        case "month":
            return f"{month} {local.year}"
        case "day":
            return f"{local.day} {month} {local.year}"
    return f"{local.day} {month} {local.year} {_clock(local)}"


def stretch(
    start: dt.datetime | None, end: dt.datetime | None, precisions: tuple[Precision | None, Precision | None], zone: Zone
) -> str:
    """A period in words: "since March 2024", "from 2019 until 2022", "since an unknown date".

    >>> stretch(None, dt.datetime(2022, 1, 1, tzinfo=dt.UTC), (None, "year"), UTC)
    'from an unknown date until 2022'
    """
    begin = "an unknown date" if start is None else words(start, precisions[0], zone)
    return f"since {begin}" if end is None else f"from {begin} until {words(end, precisions[1], zone)}"


_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def _shown(local: dt.datetime, precision: Precision | None) -> Precision:
    """How finely to show an instant: as stated, but never more coarsely than it is true in this zone."""
    midnight = local.time() == dt.time()
    if precision == "year" and midnight and (local.month, local.day) == (1, 1):
        return "year"
    if precision == "month" and midnight and local.day == 1:
        return "month"
    return "day" if midnight else "time"


def _clock(local: dt.datetime) -> str:
    """A time of day with its offset, seconds only where there are any; a fraction of a second says nothing to people."""
    seconds = ":%S" if local.second else ""
    return local.strftime(f"%H:%M{seconds}") + (local.isoformat()[-6:] if local.utcoffset() else "Z")
