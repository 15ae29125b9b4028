"""Time expressions of JioNLP's tests (Apache-2.0), Chinese: the share of time points and spans read right.

The files are Python; the lists in them are read as literals, never run. An item of the parser's tests counts if its type is
time_point or time_span, and is right if `timex.find` gives an expression equal to it as [start, end):

- the reference is JioNLP's, at +08:00, missing fields at their least; tests made for the moment of the run get a fixed one;
- an end in second 59 of a minute is inclusive and becomes the next second; an end equal to its start is that second;
- "inf" is an open side, and so is the reference itself where we leave a side open ("since 2001" ends there in JioNLP).

Months and days without a year are those of the reference's year, in the tests of future times the next ones. "strict" counts
the base time as no open side. The extractor's items (which phrases are dates, no values) are scored apart: right if the same
phrases are found.
"""

from __future__ import annotations

import ast
import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tkgmem.temporal import timex
from tkgmem.temporal.period import to_datetime
from tkgmem.temporal.timex import Prefer, TimeExpression

_ZONE = dt.timezone(dt.timedelta(hours=8))
_NOW = dt.datetime(2024, 6, 1, 12, tzinfo=_ZONE)
_FIELDS = ("year", "month", "day", "hour", "minute", "second")
_TYPES = ("time_point", "time_span")
_QUICK_ITEMS = 40


class Item(NamedTuple):
    """A text, when it was said, what years it leaves out, and its [start, end); None is an open side."""

    text: str
    base: dt.datetime
    base_end: dt.datetime
    prefer: Prefer
    start: dt.datetime | None
    end: dt.datetime | None


def run(data: Path | None, quick: bool) -> dict[str, Any]:
    """Score the parser's and the extractor's items."""
    folder = (data or Path()) / "dates" / "jionlp"
    items = list(parser_items(folder / "test_time_parser.py"))[: _QUICK_ITEMS if quick else None]
    judged = [_judged(item) for item in items]
    phrases = [_extracted(text, wanted) for text, wanted in extractor_items(folder / "test_time_extractor.py")]
    right, strict = (sum(answer[key] for answer in judged) for key in ("right", "strict"))
    found = sum(answer["right"] for answer in phrases)
    return {
        "summary": {
            "right": round(right / len(judged), 4),
            "items": f"{right}/{len(judged)}",
            "strict": f"{strict}/{len(judged)}",
            "extractor": f"{found}/{len(phrases)}",
        },
        "samples": judged + phrases,
    }


def parser_items(path: Path) -> Iterator[Item]:
    """The time points and spans of the parser's tests; those that ask JioNLP for future times look ahead."""
    for rows, options in _lists(path):
        prefer: Prefer = "future" if "ret_future" in options else "same_year"
        for row in rows:
            if len(row) != 3 or row[2]["type"] not in _TYPES:
                continue
            base, base_end = _base(row[1])
            start, end = (_moment(text) for text in row[2]["time"])
            if end is not None and (end == start or end.second == 59):
                end += dt.timedelta(seconds=1)
            yield Item(row[0], base, base_end, prefer, start, end)


def extractor_items(path: Path) -> Iterator[tuple[str, list[str]]]:
    """The texts of the extractor's tests, and the phrases in each that are dates."""
    for rows, _ in _lists(path):
        for text, found in rows:
            yield text, [item["text"] for item in found if item["type"] in _TYPES]


class _Literal(ast.NodeTransformer):
    """Names of the fixed references as their numbers; calls (now, a datetime) as tuples of their arguments."""

    def __init__(self, known: dict[str, ast.expr]) -> None:
        self._known = known

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self._known.get(node.id, node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        return ast.Tuple(elts=node.args, ctx=ast.Load())


def _lists(path: Path) -> Iterator[tuple[list[Any], set[str]]]:
    """Each list of items in a file, with the names of the options that the loop over it passes. Raises FileNotFoundError."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        known: dict[str, ast.expr] = {}
        for statement in function.body:
            if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
                continue
            if isinstance(statement.value, ast.Constant):
                known[statement.targets[0].id] = statement.value
            elif isinstance(statement.value, ast.List):
                loop = next(later for later in function.body[function.body.index(statement) :] if isinstance(later, ast.For))
                options = {node.arg or "" for node in ast.walk(loop) if isinstance(node, ast.keyword)}
                yield [ast.literal_eval(_Literal(known).visit(item)) for item in statement.value.elts], options


def _base(given: Any) -> tuple[dt.datetime, dt.datetime]:
    """The first moment of a reference and the one after: [2019, 6] is that June."""
    if isinstance(given, int | float):
        moment = dt.datetime.fromtimestamp(int(given), _ZONE)
        return moment, moment
    if isinstance(given, dict):
        given = [given[field] for field in _FIELDS if field in given]
    numbers = list(given or ())
    if not numbers:
        return _NOW, _NOW
    first = dt.datetime(*(numbers + [1, 1, 1][len(numbers) :])).replace(tzinfo=_ZONE)  # noqa: DTZ001
    if len(numbers) > 2:
        return first, first + dt.timedelta(**{_FIELDS[len(numbers) - 1] + "s": 1})
    months = first.year * 12 + first.month - 1 + (1 if len(numbers) == 2 else 12)
    return first, first.replace(year=months // 12, month=months % 12 + 1)


def _moment(text: str) -> dt.datetime | None:
    return None if text.strip("-") == "inf" else dt.datetime.fromisoformat(text).replace(tzinfo=_ZONE)


def _judged(item: Item) -> dict[str, Any]:
    """The verdict on one item, without its text, as the data are not ours."""
    found = timex.find(item.text, item.base, prefer=item.prefer)
    return {
        "right": any(_equal(item, expression, strict=False) for expression in found),
        "strict": any(_equal(item, expression, strict=True) for expression in found),
    }


def _sides(expression: TimeExpression) -> tuple[dt.datetime | None, dt.datetime | None]:
    start, end = expression.period.start, expression.period.end
    return tuple(None if micros is None else to_datetime(micros).astimezone(_ZONE) for micros in (start, end))  # type: ignore[return-value]


def _equal(item: Item, expression: TimeExpression, *, strict: bool) -> bool:
    start, end = _sides(expression)
    if strict:
        return (item.start, item.end) == (start, end)
    at_base = {item.base, item.base_end}
    start_is = item.start == start or (start is None and item.start in at_base)
    return start_is and (item.end == end or (end is None and item.end in at_base))


def _extracted(text: str, wanted: list[str]) -> dict[str, Any]:
    found = [expression.text for expression in timex.find(text, _NOW, prefer="same_year")]
    return {"right": found == wanted}
