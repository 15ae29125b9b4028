"""Ids are UUIDv5: the same input with the same clock gives the same file."""

from __future__ import annotations

import json
import uuid as uuids

NAMESPACE = uuids.uuid5(uuids.NAMESPACE_URL, "tkgmem")


def make_uuid(*parts: object) -> str:
    """A UUIDv5 of the parts: the same input gives the same id."""
    return str(uuids.uuid5(NAMESPACE, json.dumps(parts, ensure_ascii=False)))
