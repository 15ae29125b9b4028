"""The README's table of measurements, made from the committed result files and from nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

START, END = "<!-- measured: made by `python -m benchmarks --readme` -->", "<!-- /measured -->"


def refresh(readme: Path, results: Path) -> None:
    """Put the table of these results into the README, between its two marks."""
    text = readme.read_text(encoding="utf-8")
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    readme.write_text(f"{before}{START}\n\n{table(results)}\n\n{END}{after}", encoding="utf-8")


def table(results: Path) -> str:
    """The results as a Markdown table."""
    lines = ["| what | measured |", "|---|---|", *(f"| {what} | {value} |" for what, value in _rows(results))]
    return "\n".join(lines)


def _rows(results: Path) -> Iterator[tuple[str, str]]:
    locomo, machine = _summary(results, "locomo")
    found = locomo["evidence_found"]
    yield "machine", f"{machine['processors']} processors, {machine['model']}"
    all_found, apart = found["all"], (found["categories 1-4"]["share"], found["category 5"]["share"])
    shares = f"{all_found['share']:.3f} ({apart[0]:.3f} in categories 1 to 4, {apart[1]:.3f} in category 5)"
    what = f"share of the evidence turns of {all_found['questions']} LoCoMo questions (conv-26) among the first ten found"
    yield what, shares
    ingest = locomo["ingest"]
    size = ingest["file_bytes"] / 1e6
    yield "ingest of its turns, without a model", f"{ingest['turns_per_second']:.0f} turns a second, a file of {size:.1f} MB"
    alone, _ = _summary(results, "ingest")
    yield "... of that, everything but the embedder", f"{alone['share_besides_embedder']['p50']:.0%} of the time"
    dates, _ = _summary(results, "dates")
    chinese, _ = _summary(results, "jionlp")
    told = f"{dates['english']['right']:.3f} English, {dates['chinese']['right']:.3f} Chinese; JioNLP {chinese['right']:.3f}"
    yield "time expressions of the Recognizers-Text and JioNLP specifications read right", told
    names, _ = _summary(results, "resolution")
    yield "names that are one, merged without asking (495 labelled pairs)", _names(names)
    speed, _ = _summary(results, "search_speed")
    for name, what in (("plain", "plain"), ("both_clocks", "with both clocks in the past")):
        total = speed["search_ms"][name]["total"]
        yield (
            f"search over {speed['ingest']['facts']:,} facts {what}, the question's embedding included",
            f"{total['p50']:.0f} ms median, {total['p95']:.0f} ms p95",
        )
    embedder, _ = _summary(results, "embedder")
    question = embedder["query_ms"]
    yield "embedding one question", f"{question['p50']:.0f} ms median, {question['p95']:.0f} ms p95"
    derivation, _ = _summary(results, "derivation")
    told = " and ".join(f"{derivation['add_fact_ms'][size]['p50']:.0f} ms" for size in ("10", "1000"))
    yield "one more claim on a pile of 10, and of 1,000", told


def _names(names: dict[str, Any]) -> str:
    merged, asked = names["pairs"]["all"]["merged"], names["pairs"]["all"]["merged_or_asked"]
    precision = f"precision {merged['precision']:.2f}, recall {merged['recall']:.2f}"
    return f"{precision}; with those that a judge is asked about {asked['precision']:.2f} and {asked['recall']:.2f}"


def _summary(results: Path, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    result = json.loads((results / f"{name}.json").read_text(encoding="utf-8"))
    return result["summary"], result["machine"]
