"""Time expressions of the Recognizers-Text specifications (MIT), English and Chinese: the share of items read right.

An item counts if it has a resolved date, daterange, datetime or datetimerange, and is right if each of these has one listed
reading equal to an expression that `timex.find` gives. Equal means equal as [start, end):

- a date is its day; a datetime is the moment at which the hour, minute or second begins that the text gives;
- a reading ends a range where its last named unit begins ("2014 to 2018" ends on 2018-01-01), which is `TimeExpression.last`;
  "after" a day is dated likewise; a range that ends in second 59 of a minute ends with that second;
- a side that the reading leaves open is open.

"as written" counts a range only where its period has the reading's bounds as they stand. Ours has the last unit in it ("2011 to
2013" is over when 2014 begins), so most ranges between two named units differ there by that unit.

The sentences are requests and plans, so months and weekdays are sought ahead; the summary gives the other preferences too, and
the share of the items that the specification's own Python library supports.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

from benchmarks.datasets import rows
from tkgmem.temporal import timex
from tkgmem.temporal.period import to_micros
from tkgmem.temporal.timex import Prefer, TimeExpression

LANGUAGES = ("english", "chinese")
PREFER: Prefer = "future"
_TYPES = ("date", "daterange", "datetime", "datetimerange")
_DAY, _HOUR, _SECOND = 86_400_000_000, 3_600_000_000, 1_000_000
_QUICK_ITEMS = 50

Reading = Mapping[str, str]


def run(data: Path | None, quick: bool) -> dict[str, Any]:
    """Score both languages at each preference."""
    summary: dict[str, Any] = {}
    samples: list[dict[str, Any]] = []
    for language in LANGUAGES:
        items = [item for item in rows(data, f"dates/recognizers.{language}.jsonl.gz") if _results(item)]
        items = items[: _QUICK_ITEMS if quick else None]
        for prefer in get_args(Prefer):
            judged = [_judged(item, number, prefer) for number, item in enumerate(items)]
            if prefer == PREFER:
                summary[language] = _shares(judged)
                samples += [{"language": language} | answer for answer in judged]
            else:
                summary[f"{language}, {prefer}"] = _shares(judged)["right"]
    return {"settings": {"prefer": PREFER}, "summary": summary, "samples": samples}


def _results(item: Mapping[str, Any]) -> list[tuple[str, list[Reading]]]:
    """The kind and the readings of each resolved date of an item."""
    found = []
    for result in item["Results"]:
        kind = str(result.get("TypeName") or result.get("Typename")).rpartition(".")[2]
        readings = [
            value for value in (result.get("Resolution") or {}).get("values", ()) if value.get("value") != "not resolved"
        ]
        if kind in _TYPES and readings:
            found.append((kind, readings))
    return found


def _judged(item: Mapping[str, Any], number: int, prefer: Prefer) -> dict[str, Any]:
    """The verdict on one item, without its text. number: its place among the items that count."""
    reference = dt.datetime.fromisoformat(item["Context"]["ReferenceDateTime"]).replace(tzinfo=dt.UTC)
    found = timex.find(item["Input"], reference, prefer=prefer)
    results = _results(item)

    def right(equal: Callable[[str, Reading, TimeExpression], bool]) -> bool:
        return all(any(equal(kind, reading, one) for reading in readings for one in found) for kind, readings in results)

    return {
        "item": number,
        "kinds": sorted({kind for kind, _ in results}),
        "supported": "python" not in item.get("NotSupported", "") + item.get("NotSupportedByDesign", ""),
        "right": right(_equal),
        "as_written": right(_equal_as_written),
    }


def _equal(kind: str, reading: Reading, found: TimeExpression) -> bool:
    period, named = found.period, (found.last,) if found.last is not None else ()
    if kind == "date":
        start = _instant(reading["value"])
        return period.start == start and period.end == start + _DAY
    if kind == "datetime":
        moment, length = _instant(reading["value"]), (period.end or 0) - (period.start or 0)
        return moment == period.start and found.precision == "time" and period.end is not None and length <= _HOUR
    start_is = (period.start, *named) if reading.get("Mod") == "after" else (period.start,)
    end_is = named if named and period.end is not None else (period.end,)
    return _bound(reading, "start") in start_is and _bound(reading, "end") in end_is


def _equal_as_written(kind: str, reading: Reading, found: TimeExpression) -> bool:
    if kind in ("date", "datetime"):
        return _equal(kind, reading, found)
    return (_bound(reading, "start"), _bound(reading, "end")) == (found.period.start, found.period.end)


def _bound(reading: Reading, side: str) -> int | None:
    if side not in reading:
        return None
    return _instant(reading[side]) + (_SECOND if side == "end" and reading[side].endswith(":59") else 0)


def _instant(text: str) -> int:
    return to_micros(dt.datetime.fromisoformat(text))


def _shares(judged: list[dict[str, Any]]) -> dict[str, Any]:
    """The share of right items: of all, of those that the reference library supports, and by kind of date."""

    def share(answers: Iterator[dict[str, Any]]) -> str:
        right = [answer["right"] for answer in answers]
        return f"{sum(right)}/{len(right)}"

    return {
        "right": round(sum(answer["right"] for answer in judged) / len(judged), 4),
        "as written": round(sum(answer["as_written"] for answer in judged) / len(judged), 4),
        "items": share(iter(judged)),
        "supported": share(answer for answer in judged if answer["supported"]),
        **{kind: share(answer for answer in judged if answer["kinds"] == [kind]) for kind in _TYPES},
        "several kinds": share(answer for answer in judged if len(answer["kinds"]) > 1),
    }
