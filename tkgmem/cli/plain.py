"""Values as plain JSON: every field by its own name, dates as ISO text with the offset of the asked zone."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Mapping, Sequence

from tkgmem.cli.dates import Zone, iso


def plain(value: object, zone: Zone) -> object:
    """What `json.dumps` takes, from the values that leave a Memory.

    >>> from tkgmem.cli.dates import UTC
    >>> plain({"at": dt.datetime(2024, 3, 1, tzinfo=dt.UTC), "ids": ("a",)}, UTC)
    {'at': '2024-03-01T00:00:00+00:00', 'ids': ['a']}
    """
    if isinstance(value, dt.datetime):
        return iso(value, zone)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name), zone) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item, zone) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(item, zone) for item in value]
    return value
