"""Reads what a language model said as the object it was asked for.

An answer that parses as it stands is taken as it stands: no character of a value is changed. Only when nothing in the text
parses is it repaired, and a repaired or cut answer says so. What a model thought aloud is never its answer.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from tkgmem.answers.salvage import extent, parse, salvage
from tkgmem.errors import BadResponse

T = TypeVar("T")

_THOUGHT = r"(?:think(?:ing)?|thoughts?|reasoning|reflection|scratchpad)"
_MARK = re.compile(
    rf"(?P<open>[<\[]{_THOUGHT}[>\]])|(?P<close>[<\[]/{_THOUGHT}[>\]])|(?P<object>\{{(?=\s*[\"'“”\w}}]))"
    r"|(?P<list>\[(?=\s*[\"'“\[{\]\d-]))",
    re.IGNORECASE,
)
_CLOSE = re.compile(rf"[<\[]/{_THOUGHT}[>\]]", re.IGNORECASE)
_MOST_ROOTS = 200
_NUMBER = re.compile(r"[#\[(]?\s*([+-]?[0-9]{1,9})\s*[\])]?")


def read(text: str, accept: Callable[[dict[str, Any]], T | None], *, bare: str | None = None) -> tuple[T, list[str]]:
    """The first object in a model's answer that `accept` takes, as `accept` returns it, and warnings on what was repaired.

    accept(object): what to make of it, or None if it is not what was asked for; it sees plain JSON values only. bare: the key
    for a list of objects that comes without an object around it. Code fences, prose, thinking, a list around the object and one
    key above it are looked through. Objects come before bare lists, all that parses before all that is repaired.
    Raises BadResponse with the reason.

    >>> has_facts = lambda found: found if isinstance(found.get("facts"), list) else None
    >>> read('<think>{"facts": [1]}</think>Sure! ```json\\n{"facts": []}\\n``` see [1]', has_facts)
    ({'facts': []}, [])
    >>> read('[{"fact": "Ann moved."}, {"fact": "Ann bou', has_facts, bare="facts")[0]
    {'facts': [{'fact': 'Ann moved.'}]}
    """
    roots = _roots(text)
    for candidate, warnings in _candidates(text, roots, bare):
        if (taken := accept(candidate)) is not None:
            return taken, warnings
    raise BadResponse(f"the model's answer {_reason(text, roots)}; ask again, or use another model")


def ids(value: object, offered: Collection[int], labels: Iterable[tuple[str, int]] = ()) -> tuple[list[int], list[str]]:
    """The ids in a model's answer that were offered to it, each once, in its order, and warnings on the others.

    value: what the model put where ids belong: a list, one id, or nothing. A number may be written as text. labels: (text, id)
    of what was offered; an entry equal to the text of one id only, spaces and case aside, stands for it.

    >>> ids([0, 0, 7, "3", True], {0, 3})
    ([0, 3], ['id 0 is given twice', 'id 7 was not offered', 'True is not an id'])
    >>> ids("ann lives in Rome. ", {4}, [("Ann lives in Rome.", 4)])
    ([4], [])
    """
    named: dict[str, set[int]] = {}
    for label, number in labels:
        named.setdefault(_folded(label), set()).add(number)
    found: list[int] = []
    warnings: list[str] = []
    entries = [] if value is None else value if isinstance(value, list) else [value]
    for entry in entries:
        meant, wrong = _id(entry, named)
        if meant is None:
            warnings.append(wrong)
        elif meant not in offered:
            warnings.append(f"id {meant} was not offered")
        elif meant in found:
            warnings.append(f"id {meant} is given twice")
        else:
            found.append(meant)
    return found, warnings


def _id(entry: object, named: dict[str, set[int]]) -> tuple[int | None, str]:
    """The id that an entry stands for, or why it stands for none."""
    if isinstance(entry, dict) and len(entry) == 1:
        (entry,) = entry.values()
    if isinstance(entry, float) and entry.is_integer():
        entry = int(entry)
    if isinstance(entry, int) and not isinstance(entry, bool):
        return entry, ""
    shown = repr(entry)
    shown = shown if len(shown) <= 60 else f"{shown[:60]}…"
    if not isinstance(entry, str):
        return None, f"{shown} is not an id"
    fitting = named.get(_folded(entry), set())
    if len(fitting) == 1:
        return next(iter(fitting)), ""
    if fitting:
        return None, f"{shown} fits several of the ids offered"
    number = _NUMBER.fullmatch(entry.strip())
    return (int(number[1]), "") if number else (None, f"{shown} is not an id")


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


@dataclass(frozen=True, slots=True)
class _Root:
    """An outermost bracket that may begin the answer, one past its end, and its value; None if it does not parse."""

    start: int
    end: int
    value: Any


def _roots(text: str) -> list[_Root]:
    """What may be the answer, in order, without what was thought. A block of thinking that is never closed counts as thought,
    except for an object that the text ends with.
    """
    whole = parse(text.strip())
    if whole is not None and isinstance(whole[0], str) and whole[1] == len(text.strip()):
        return _roots(whole[0])  # an object written as a JSON string
    roots: list[_Root] = []
    unclosed: int | None = None
    position = 0
    while len(roots) < _MOST_ROOTS and (mark := _MARK.search(text, position)) is not None:
        position = mark.end()
        if mark["open"]:
            if unclosed is None and (closing := _CLOSE.search(text, position)):
                position = closing.end()
            elif unclosed is None:
                unclosed = len(roots)
        elif mark["close"]:  # some templates open the block in the prompt: all before this was thinking
            roots.clear()
        else:
            found = parse(text, mark.start())
            value, position = found if found is not None else (None, extent(text, mark.start()))
            roots.append(_Root(mark.start(), position, value))
    if unclosed is not None:
        last = [root for root in roots[unclosed:][-1:] if root.value is not None and not text[root.end :].strip("` \r\n")]
        roots[unclosed:] = last
    return roots


def _candidates(text: str, roots: list[_Root], bare: str | None) -> Iterator[tuple[dict[str, Any], list[str]]]:
    for candidate in _objects([root.value for root in roots], bare):
        yield candidate, []
    damaged = [root for root in roots if root.value is None]
    for root in damaged:
        for candidate in _objects(list(_inner(text, root)), None):
            yield candidate, []
    for root in damaged:
        for value, warning in salvage(text, root.start):
            for candidate in _objects([value], bare):
                yield candidate, [warning]


def _objects(values: list[Any], bare: str | None) -> Iterator[dict[str, Any]]:
    """The objects that values are or hold, then the lists of objects as objects."""
    for value in values:
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, dict):
                yield item
                yield from (inner for inner in item.values() if isinstance(inner, dict))
    for value in values:
        if bare is not None and isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            yield {bare: value}


def _inner(text: str, root: _Root) -> Iterator[Any]:
    """The objects that parse inside of a root that does not, such as a stray bracket in prose."""
    position = root.start + 1
    for _ in range(_MOST_ROOTS):
        mark = _MARK.search(text, position, root.end)
        if mark is None:
            return
        position = mark.end()
        if mark["object"] and (found := parse(text, mark.start())) is not None:
            value, position = found
            yield value


def _reason(text: str, roots: list[_Root]) -> str:
    objects = [root.value for root in roots if isinstance(root.value, dict)]
    if not text.strip():
        return "is empty"
    if not roots:
        return "holds no JSON object"
    if any("properties" in found for found in objects):
        return "repeats the schema instead of following it"
    if any(root.value is None for root in roots):
        return "is cut off or is not valid JSON"
    if objects:
        return "has other keys than those asked for" if any(objects) else "is an empty object"
    return "is a list, not the object asked for"
