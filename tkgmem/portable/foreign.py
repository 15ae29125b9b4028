"""What the dumps of other memories have in common: a value may be anything, and becomes one that can be stored.

Whatever has to be changed or left out for it is told in a warning that names the place; only what is no such dump at all raises
ValueError.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import re
import reprlib
import zoneinfo
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tkgmem.portable.format import Record, compact, in_order
from tkgmem.store.ids import make_uuid
from tkgmem.store.names import MAX_NAME, clean_name, clean_text, name_key
from tkgmem.temporal.built_in import BUILT_IN
from tkgmem.temporal.period import Moment, parse_moment, show
from tkgmem.temporal.relations import Relations, normalise_relation

NOT_WRITTEN = [-1, -1]
"""The place of a mention whose name is not in the text."""

DEEPEST = 100
"""How many lists and objects may lie in each other."""

LONGEST_UUID = 200
UNNAMED = "RELATES_TO"
"""The relation of what names none."""

KNOWN = Relations(BUILT_IN)
_ZONE = re.compile(r"\[([^\[\]]{1,64})\]\Z")
_OFFSET = re.compile(r"(?:Z|[+-]\d\d:?\d\d(?::?\d\d)?)\Z")
_TOO_DEEP = f"lists and objects lie too deep in each other, the limit is {DEEPEST}"
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Foreign:
    """Another memory's dump as records of ours, in the order of the format, and what had to be changed or left out for it."""

    records: list[Record]
    warnings: tuple[str, ...]


class Sieve:
    """Makes the values of one dump storable, and keeps the warnings. origin: the kind of dump. clock: the import's instant."""

    def __init__(self, origin: str, *, group: str, clock: int) -> None:
        self.origin, self.clock = origin, clock
        self.warnings: list[str] = []
        self._group = group

    def warn(self, place: str, what: str) -> None:
        """Keep a warning: where, and what was changed or left out."""
        line = f"{place}: {what}"
        self.warnings.append("".join(char if char.isprintable() else "\ufffd" for char in line))

    def parsed(self, text: str, place: str) -> Any:
        """The value that a JSON text stands for. ValueError names the place and what is wrong with it."""

        def as_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
            found = dict(pairs)
            if len(found) != len(pairs):
                twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
                self.warn(place, f"the key {reprlib.repr(twice)} stands twice in one object; the last value counts")
            return found

        try:
            return json.loads(text, object_pairs_hook=as_object)
        except RecursionError as error:
            raise ValueError(f"{place}: {_TOO_DEEP}") from error
        except ValueError as error:
            raise ValueError(f"{place}: not JSON: {error}") from error

    def text(self, value: object, place: str) -> str | None:
        """The value as text that can be stored, None for nothing or blanks."""
        if value is None:
            return None
        if not isinstance(value, str):
            self.warn(place, f"{reprlib.repr(value)} is no text; it is kept as the text of its JSON")
            value = json.dumps(value)
        kept = _UNSTORABLE.sub("\ufffd", value)
        if kept != value:
            self.warn(place, "characters that cannot be stored (NUL, lone surrogates) were replaced by U+FFFD")
        return kept if kept.strip() else None

    def name(self, value: object, place: str, otherwise: str) -> str:
        """The value as the name of an entity; `otherwise` where nothing is to be seen of it."""
        text = " ".join((self.text(value, place) or "").split())
        if not name_key(text):
            self.warn(place, f"no name; {otherwise!r} stands for it")
            return clean_name(otherwise)
        if len(text) > MAX_NAME:
            self.warn(place, f"a name of {len(text)} characters was cut to {MAX_NAME}")
            text = text[:MAX_NAME].strip()
        return clean_name(text) if name_key(text) else clean_name(otherwise)

    def uuid(self, value: object, place: str, kind: str, content: object) -> str:
        """The dump's own id or, where it has none that could be one, an id made of the content."""
        given = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
        if isinstance(given, str) and len(given) <= LONGEST_UUID and not _UNSTORABLE.search(given) and name_key(given):
            return given
        made = make_uuid(self.origin, kind, json.dumps(content, sort_keys=True))
        self.warn(place, f"{reprlib.repr(value)} is no uuid; it goes by {made}")
        return made

    def group(self, value: object, place: str) -> str:
        """The group that a dump names, else the given one."""
        if value is None or value == "":
            return self._group
        text = self.text(value, place)
        if text is None or len(text) > MAX_NAME:
            self.warn(place, f"{reprlib.repr(value)} is no name of a group; it goes to the group {self._group!r}")
            return self._group
        return text

    def relation(self, value: object, place: str) -> tuple[str, bool]:
        """The relation of this name, and whether it is that; UNNAMED where it is no name."""
        try:
            if isinstance(value, str) and len(value) <= MAX_NAME:
                name = normalise_relation(clean_text(value, "a relation"))
                if normalise_relation(name) == name:
                    return name, True
        except ValueError:
            pass
        self.warn(place, f"{reprlib.repr(value)} is no name of a relation; {UNNAMED} stands for it")
        return UNNAMED, False

    def moment(self, value: object, place: str) -> Moment | None:
        """The instant of an ISO text, as Python, Neo4j and JavaScript write it; None for none or an unreadable one."""
        if value is None or value == "":
            return None
        if isinstance(value, str) and (moment := _moment(value)) is not None:
            return moment
        self.warn(place, f"{reprlib.repr(value)} is no date; use ISO text such as '2024-05-17T09:30:00Z'; it was left out")
        return None

    def recorded(self, value: object, place: str, otherwise: int | None = None) -> int:
        """When something was recorded: never after the import. `otherwise` (the import's instant) where it is not told."""
        at = self.learned(value, place)
        return at if at is not None else self.clock if otherwise is None else otherwise

    def learned(self, value: object, place: str) -> int | None:
        """When something was learned, if that is told: never after the import."""
        moment = self.moment(value, place)
        if moment is None:
            return None
        if moment.micros > self.clock:
            self.warn(place, f"{show(moment.micros)} is later than the import, which counts")
        return min(moment.micros, self.clock)

    def attributes(self, value: Mapping[str, Any], place: str) -> dict[str, Any]:
        """The values as JSON that can be stored; those that are nothing are left out."""
        kept = {key: self._plain(item, place) for key, item in value.items() if item is not None and item not in ("", [], {})}
        return {self._plain(key, place): item for key, item in kept.items()}

    def _plain(self, value: Any, place: str) -> Any:
        if isinstance(value, str) and _UNSTORABLE.search(value):
            self.warn(place, "characters that cannot be stored (NUL, lone surrogates) were replaced by U+FFFD")
            return _UNSTORABLE.sub("\ufffd", value)
        if isinstance(value, float) and not math.isfinite(value):
            self.warn(place, f"the number {value} is kept as text")
            return str(value)
        if isinstance(value, Mapping):
            return {self._plain(key, place): self._plain(item, place) for key, item in value.items()}
        if isinstance(value, list):
            return [self._plain(item, place) for item in value]
        return value

    def told_of(self, entity: Record, content: Mapping[str, Any]) -> list[Record]:
        """What a dump says of an entity that nothing else names, as an episode that names it: an entity needs a source."""
        kept = self.attributes(content, f"node {entity['uuid']}")
        text, at, name = json.dumps(kept, ensure_ascii=False, sort_keys=True), entity["created_at"], entity["name"]
        episode: Record = {
            "type": "episode", "uuid": make_uuid(self.origin, "node", entity["uuid"], text), "group": entity["group"],
            "source": "json", "name": name, "description": f"an entity of a {self.origin} dump", "content": text,
            "reference_time": at, "extract": False, "created_at": at, "state": "done",
        }  # fmt: skip
        mention = {"type": "mention", "entity": entity["uuid"], "episode": episode["uuid"], "span": span(text, name)}
        return [episode, {**mention, "created_at": at}]

    def result(self, made: Iterable[Record]) -> Foreign:
        """The records and what they need beside them: the relations that nobody knows, the ticks of the changes of belief."""
        records = [compact(record) for record in made]
        first: dict[str, int] = {}
        ticks: set[tuple[int, str]] = set()
        for claim in records:
            if claim["type"] == "claim":
                at, name = claim["created_at"], claim["relation"]
                ticks |= {(when, claim["group"]) for when in (at, claim.get("expired_at")) if when is not None}
                if name not in KNOWN:
                    first[name] = min(at, first.get(name, at))
        records += [
            {"type": "relation", "name": name, "functional": False, "created_at": at} for name, at in sorted(first.items())
        ]
        records += [{"type": "transaction", "created_at": at, "verb": "import", "group": group} for at, group in sorted(ticks)]
        return Foreign(in_order(records), tuple(self.warnings))


def require_shallow(value: object) -> None:
    """ValueError if more than DEEPEST lists and objects lie in each other."""
    level: list[object] = [value]
    for _ in range(DEEPEST + 1):
        level = [
            inner
            for outer in level
            if isinstance(outer, Mapping | list)
            for inner in (outer.values() if isinstance(outer, Mapping) else outer)
        ]
        if not level:
            return
    raise ValueError(_TOO_DEEP)


def span(text: str, name: str) -> list[int]:
    """Where a name stands first in a text."""
    start = text.find(name)
    return NOT_WRITTEN if start < 0 else [start, start + len(name)]


def texts(value: object) -> list[str]:
    """The texts of a list; nothing of anything else."""
    return (
        [item for item in value if isinstance(item, str)] if isinstance(value, Sequence) and not isinstance(value, str) else []
    )


def offset(value: object) -> int:
    """The seconds east of UTC that an ISO text names, 0 where it names none."""
    try:
        given = dt.datetime.fromisoformat(_ZONE.sub("", value.strip())).utcoffset() if isinstance(value, str) else None
    except ValueError:
        return 0
    return 0 if given is None else int(given.total_seconds())


def _moment(text: str) -> Moment | None:
    text = text.strip()
    zone: dt.tzinfo = dt.UTC
    try:
        if named := _ZONE.search(text):
            text = text[: named.start()]
            zone = dt.UTC if _OFFSET.search(text) or named.group(1) == "Z" else zoneinfo.ZoneInfo(named.group(1))
        return parse_moment(text, tz=zone)
    except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
        return None
