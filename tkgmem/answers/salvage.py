"""Makes JSON values of text that is almost JSON: cut off, or written with slips.

A cut list keeps its complete items and loses the incomplete one, never half of it; where no item is complete nothing is kept.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, Final

CUT: Final = "the model's answer was cut off; what was incomplete is dropped"
REPAIRED: Final = "the model's answer was not valid JSON and was repaired"

_UNREADABLE = (ValueError, TypeError, RecursionError)
_DECODER = json.JSONDecoder(strict=False)  # a line break inside a string is a slip that changes nothing
_TOKEN = re.compile(r'(?P<string>"(?:[^"\\]|\\.)*+"?)|[\[\]{},]', re.DOTALL)
_TOKEN_OF_PYTHON = re.compile(r"""(?P<string>"(?:[^"\\]|\\.)*+"?|'(?:[^'\\]|\\.)*+'?)|[\[\]{},]""", re.DOTALL)
_INNER_QUOTE = re.compile(r'(?P<before>[^\s\[{,:\\]\s*)"(?=\s*[^\s,:}\]])')  # neither opens nor closes a string
_PYTHON = re.compile(r"[\[{\s]*'")
_CLOSER = {"{": "}", "[": "]"}
_SURROGATE = re.compile("[\ud800-\udfff]")
_MOST = 200_000  # characters; the repair of nonsense takes more than linear time


def parse(text: str, start: int = 0) -> tuple[Any, int] | None:
    """The JSON value that begins at `start` and one past its end, or None. NaN and infinity are None, which JSON can say; half
    of a surrogate pair is U+FFFD, which a file can hold.

    >>> parse('so {"a": [1, NaN]}.', 3)
    ({'a': [1, None]}, 18)
    """
    try:
        value, end = _DECODER.raw_decode(text, start)
        return _plain(value), end
    except _UNREADABLE:
        return None


def extent(text: str, start: int) -> int:
    """One past the bracket that closes the one at `start`; the length of the text if nothing does."""
    return _walk(text, start)[0]


def salvage(text: str, start: int) -> Iterator[tuple[Any, str]]:
    """What the value that begins with the bracket at `start` may have been, best guess first, each with what was done to it.

    >>> list(salvage('{"facts": [{"fact": "a"}, {"fact": "b', 0))[0][0]
    {'facts': [{'fact': 'a'}]}
    """
    end, inside_string, opened = _walk(text, start)
    if (found := parse(_INNER_QUOTE.sub(r"\g<before>\"", text[start:]))) is not None:
        yield found[0], REPAIRED
    slip = not opened or (inside_string and text.rstrip("` \r\n")[-1:] == _CLOSER[text[start]])
    if slip and (value := _repair(text[start:end])) is not None:
        yield value, REPAIRED
    if (cut := _cut(text, opened)) is not None:
        found = parse(cut)
        value = found[0] if found is not None and found[1] == len(cut) else _repair(cut)
        if value is not None:
            yield value, CUT


def _walk(text: str, start: int) -> tuple[int, bool, list[tuple[str, int, int]]]:
    """Where the bracket at `start` closes, else the end of the text, whether that is inside a string, and the brackets still
    open there: each with one past itself and one past its last complete item.
    """
    opened: list[tuple[str, int, int]] = []
    token = _TOKEN_OF_PYTHON if _PYTHON.match(text, start) else _TOKEN
    for match in token.finditer(text, start):
        mark = match[0]
        if match["string"]:
            if len(mark) == 1 or mark[-1] != mark[0] or _escaped(mark):
                return len(text), True, opened
            complete = match.end() if opened[-1][0] == "[" else None
        elif mark in _CLOSER:
            opened.append((mark, match.end(), match.end()))
            continue
        elif mark == ",":
            complete = match.start()
        elif mark != _CLOSER[opened[-1][0]]:
            continue
        else:
            opened.pop()
            if not opened:
                return match.end(), False, []
            complete = match.end()
        if complete is not None:
            opened[-1] = (*opened[-1][:2], complete)
    return len(text), False, opened


def _escaped(string: str) -> bool:
    """Whether the last character follows an odd number of backslashes: then it does not close the string."""
    body = string[:-1]
    return (len(body) - len(body.rstrip("\\"))) % 2 == 1


def _cut(text: str, opened: list[tuple[str, int, int]]) -> str | None:
    """The text up to the last complete item of the outermost open list, with its brackets closed; None if there is none."""
    if not opened:
        return None
    depth = next((depth for depth, (bracket, _, _) in enumerate(opened) if bracket == "["), len(opened) - 1)
    _, first, complete = opened[depth]
    if complete > first:
        return text[opened[0][1] - 1 : complete] + "".join(_CLOSER[bracket] for bracket, _, _ in reversed(opened[: depth + 1]))
    return _cut(text, opened[1:]) if depth == 0 and text[first:].lstrip()[:1] == "{" else None  # an object in a list of one


def _repair(text: str) -> Any:
    import json_repair

    if len(text) > _MOST:
        return None
    try:
        return _plain(json_repair.loads(text, skip_json_loads=True))
    except _UNREADABLE:
        return None


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {_plain(str(key)): _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value
