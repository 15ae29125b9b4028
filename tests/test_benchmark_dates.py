"""The dates benchmark: which items count, and what is equal to a reading."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import dates

SAID = "2025-10-15T16:30:00"


def item(text: str, kind: str, *readings: dict[str, str]) -> dict[str, Any]:
    found = {"Text": text, "TypeName": f"datetimeV2.{kind}", "Resolution": {"values": list(readings)}}
    return {"Input": text, "Context": {"ReferenceDateTime": SAID}, "Results": [found]}


def summary(folder: Path, *items: dict[str, Any]) -> dict[str, Any]:
    (folder / "dates").mkdir(parents=True)
    for language in dates.LANGUAGES:
        with gzip.open(folder / "dates" / f"recognizers.{language}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(one) + "\n" for one in items)
    measured: dict[str, Any] = dates.run(folder, quick=False)["summary"]["english"]
    return measured


@pytest.mark.parametrize(
    ("text", "kind", "reading", "right"),
    [
        ("on 3 May 2020", "date", {"value": "2020-05-03"}, True),
        ("in May 2020", "date", {"value": "2020-05-01"}, False),
        ("on 3 May 2020 at 5pm", "datetime", {"value": "2020-05-03 17:00:00"}, True),
        ("on 3 May 2020", "datetime", {"value": "2020-05-03 00:00:00"}, False),
        ("from 2014 to 2018", "daterange", {"start": "2014-01-01", "end": "2018-01-01"}, True),
        ("from 2014 to 2018", "daterange", {"start": "2014-01-01", "end": "2019-01-01"}, False),
        ("in May 2020", "daterange", {"start": "2020-05-01", "end": "2020-06-01"}, True),
        ("since May 2020", "daterange", {"start": "2020-05-01", "Mod": "since"}, True),
        ("since May 2020", "daterange", {"start": "2020-05-01", "end": "2020-06-01"}, False),
        ("after 3 May 2020", "daterange", {"start": "2020-05-03", "Mod": "after"}, True),
        ("yesterday night", "datetimerange", {"start": "2025-10-14 20:00:00", "end": "2025-10-14 23:59:59"}, True),
    ],
)
def test_a_reading_is_equal_as_a_closed_open_period(
    tmp_path: Path, text: str, kind: str, reading: dict[str, str], right: bool
) -> None:
    assert summary(tmp_path, item(text, kind, reading))["items"] == f"{int(right)}/1"


def test_one_of_several_readings_is_enough_and_unresolved_items_do_not_count(tmp_path: Path) -> None:
    found = summary(
        tmp_path,
        item("in March", "daterange", *({"start": f"{year}-03-01", "end": f"{year}-04-01"} for year in (2025, 2026))),
        item("this summer", "daterange", {"value": "not resolved"}),
        item("3 hours", "duration", {"value": "10800"}),
    )
    assert (found["items"], found["right"]) == ("1/1", 1.0)
