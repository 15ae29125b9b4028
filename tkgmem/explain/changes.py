"""The changes of belief, as a list for people: when, by which verb, and what it was about, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from tkgmem.reasons import Change
from tkgmem.store import ticks
from tkgmem.store.connection import Connection
from tkgmem.store.facts import words as relation_words
from tkgmem.store.ticks import Instant, Subject, Tick
from tkgmem.temporal.period import to_datetime

Value = TypeVar("Value")

_COUNTED = (
    ("episodes", "text", "texts"),
    ("claims", "statement", "statements"),
    ("facts", "fact", "facts"),
    ("entities", "entity", "entities"),
    ("definitions", "definition", "definitions"),
)
_BACK = (("reopened", "statement", "statements"), ("back", "fact", "facts"), ("shown", "text", "texts"))
_SAID = {"is": "{} is {}", "is not": "{} is not {}", "moved": "{}, apart from {}", "called": "{} is also called {}"}


def listed(db: Connection, groups: Sequence[int], stretch: tuple[int | None, int | None], *, limit: int) -> list[Change]:
    """The last changes of these groups, and of none, in the system time [from, until), newest first."""
    return _described(db, groups, ticks.listed(db, groups, *stretch, limit))


def deletions(db: Connection, groups: Sequence[int], a: int, b: int) -> tuple[Change, ...]:
    """The changes in the system time (a, b] that forgot something, in order."""
    return tuple(_described(db, groups, ticks.deletions(db, groups, a, b)))


def by_instant(db: Connection, groups: Sequence[int], instants: Iterable[int]) -> dict[int, list[Change]]:
    """The changes at each of these instants, without words: they stand beside what they changed."""
    found = ticks.at_instants(db, groups, instants)
    return {at: [_change(tick, None) for tick in several] for at, several in found.items()}


def _change(tick: Tick, words: str | None) -> Change:
    return Change(
        number=tick.number,
        at=to_datetime(tick.at),
        verb=tick.verb,
        group=tick.group,
        episode=tick.episode,
        reason=None if tick.verb == "define" else tick.reason,  # there it is the relation's name
        words=words,
        detail=_counts(tick),
    )


def _counts(tick: Tick) -> dict[str, int]:
    """What the detail of a change counts; the rest of it is for an undo."""
    if not tick.detail:
        return {}
    return {name: tick.detail[name] for name, *_ in (*_COUNTED, *_BACK) if isinstance(tick.detail.get(name), int)}


def _described(db: Connection, groups: Sequence[int], found: Sequence[Tick]) -> list[Change]:
    """Each with what it was about, looked up for all of a kind at once."""
    if not found:
        return []
    instants = {tick.at for tick in found}
    about = (
        ticks.recorded(db, groups, instants),
        ticks.taken_back(db, groups, {tick.at for tick in found if tick.verb in {"retract", "undo"}}),
        ticks.brought_back(db, groups, {tick.at for tick in found if tick.verb == "undo"}),
    )
    named = ticks.named(db, groups, {tick.at for tick in found if tick.verb in {"add", "merge", "split", "alias", "undo"}})
    defined = ticks.defined(db, {tick.at for tick in found if tick.verb == "define"})
    return [_change(tick, _words(tick, about, named, defined)) for tick in found]


def _words(
    tick: Tick,
    about: Sequence[Mapping[Instant, Subject]],
    named: Mapping[Instant, tuple[str, str, str]],
    defined: Mapping[tuple[int, str], bool],
) -> str | None:
    """What a change was about; None where nothing tells it any more."""
    if tick.verb == "define":
        return _definition(tick, defined)
    if counts := _counted(tick):
        return counts
    said = _of(tick, named)
    if said is not None and tick.verb in {"merge", "split", "alias"}:
        return _SAID[said[0]].format(*said[1:])
    for subjects in about:
        if (subject := _of(tick, subjects)) is not None:
            return _triple(subject, tick.verb)
    return None if said is None else _SAID[said[0]].format(*said[1:])


def _of(tick: Tick, found: Mapping[Instant, Value]) -> Value | None:
    """What is known of a change; of one that is of no group, what is known of the first group that it concerned."""
    if tick.group is not None:
        return found.get((tick.at, tick.group))
    return next((found[key] for key in sorted(found) if key[0] == tick.at), None)


def _triple(subject: Subject, verb: str) -> str:
    said = f"{subject.source} {relation_words(subject.relation)} {subject.target}"
    if subject.kind == "end" and verb != "end":
        said += ", ended"
    return f"{said} and {subject.number - 1:,} more" if subject.number > 1 and verb != "correct" else said


def _definition(tick: Tick, defined: Mapping[tuple[int, str], bool]) -> str | None:
    if tick.reason is None:
        return None
    functional = defined.get((tick.at, tick.reason))
    kind = "" if functional is None else ": one at a time" if functional else ": several at a time"
    return relation_words(tick.reason) + kind


def _counted(tick: Tick) -> str | None:
    """The counts of a change in words: "2 texts, 5 statements"."""
    counts = _counts(tick)

    def said(kinds: Iterable[tuple[str, str, str]]) -> str:
        numbers = ((counts.get(name, 0), one, many) for name, one, many in kinds)
        return ", ".join(f"{number:,} {one if number == 1 else many}" for number, one, many in numbers if number)

    gone, back = said(_COUNTED), said(_BACK)
    return "; ".join([*([gone] if gone else []), *([f"brought back {back}"] if back else [])]) or None
