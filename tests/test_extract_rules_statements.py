"""Facts without a model over hundreds of invented statements: every relation, tense and turn of phrase the rules promise."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from test_extract_rules import predicted, scorer

EXTRACTION = Path(__file__).parent / "extraction"
REFERENCE = {"en": "2025-06-18T10:00:00+01:00", "zh": "2025-06-18T10:00:00+08:00", "mixed": "2025-06-18T10:00:00+08:00"}
PRECISIONS = {4: "year", 7: "month", 10: "day"}
PADDING = {4: "-01-01", 7: "-01", 10: ""}


def statements(name: str) -> list[dict[str, Any]]:
    """The items of a file, in the scorer's form; the file says how it is written."""
    items: list[dict[str, Any]] = []
    settings = {"lang": "en", "topic": ""}
    for number, line in enumerate((EXTRACTION / name).read_text("utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("@"):
            settings |= dict(part.split("=") for part in line[1:].split())
        elif line[0] != " ":
            speaker, text = re.fullmatch(r"(?:\[([^\]]+)\]\s*)?(.*)", line).groups()  # type: ignore[union-attr]
            items.append(
                {
                    "id": f"{name}:{number}",
                    **settings,
                    "reference_time": REFERENCE[settings["lang"]],
                    "speaker": speaker,
                    "text": text,
                    "facts": [],
                    "must_not": [],
                    "optional": [],
                }
            )
        elif line.strip()[:2] in ("x ", "o "):
            key = "must_not" if line.strip()[0] == "x" else "optional"
            items[-1][key].append([part.strip() for part in line.strip()[2:].split(">")])
        else:
            items[-1]["facts"].append(fact(line.strip()))
    return items


def fact(line: str) -> dict[str, Any]:
    """One expected fact."""
    marks = dict.fromkeys("!@~", "")
    for mark in marks:
        if found := re.search(rf" {mark} ?(\S+)", line):
            marks[mark] = found[1]
            line = line.replace(found[0], "")
    source, relation, target = (part.strip().split("/") for part in line.split(">"))
    name, *others = relation[0].split(",")
    result: dict[str, Any] = {
        "source": source[0],
        "source_alts": source[1:],
        "relation": name,
        "alt_relations": others,
        "target": target[0],
        "target_alts": target[1:],
        "kind": marks["!"] or "assert",
    }
    for bound, mark in (("valid", "@"), ("invalid", "~")):
        day = marks[mark].removesuffix("?")
        result |= {
            f"{bound}_at": day + PADDING[len(day)] if day else None,
            f"{bound}_precision": PRECISIONS.get(len(day), "none"),
            f"{bound}_optional": marks[mark].endswith("?"),
        }
    return result


@pytest.mark.parametrize("name", ["statements_en.txt", "statements_zh.txt"])
def test_the_statements_stay_above_their_floors(name: str) -> None:
    items = statements(name)
    everything = scorer().score(items, {item["id"]: predicted(item) for item in items})["all"]
    assert len(items) > 300
    assert everything["precision"] >= 0.98
    assert everything["recall"] >= 0.94
    assert everything["date_acc"] >= 0.94
    assert everything["undated_acc"] >= 0.98
    assert everything["kind_acc"] >= 0.98
    assert everything["false_fact_rate"] == 0
