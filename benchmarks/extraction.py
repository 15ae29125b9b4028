"""The extractor without a model on its gold set (triples, kinds, dates), and the facts it makes of real chats, to be read.

Needs `--data DIR` with extraction/ (gold.jsonl, score.py, relations.json; the copy under tests/extraction is used without one),
locomo/ and lifebench/. The sample is fixed by its seed and printed with its sentences to stderr, for a reader's verdicts; the
result keeps none of their words, as the data are not ours.
"""

from __future__ import annotations

import datetime as dt
import importlib.util
import json
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks import locomo
from benchmarks.datasets import rows
from tkgmem.graph import ExtractedFact
from tkgmem.ingest.extract_rules import extract
from tkgmem.temporal.period import Moment, to_datetime

SEED = 20260
SAMPLE = {"locomo": 35, "lifebench-en": 34, "lifebench-zh": 31}
OWNERS = {
    "lifebench-en": {"fenghaoran": "Feng Haoran", "lumingqiang": "Lu Mingqiang"},
    "lifebench-zh": {"fenghaoran": "冯浩然", "lumingqiang": "陆明强"},
}
"""Whose phone a LifeBench file is."""

_SHIPPED = Path(__file__).parents[1] / "tests" / "extraction"
_FORMATS = {"year": "%Y", "month": "%Y-%m", "day": "%Y-%m-%d"}
_TEXTS = ("content", "description", "title", "text")
_SHORTEST = 13


def run(data: Path | None, quick: bool) -> dict[str, Any]:
    """Score the gold set, then extract from every text of the chats and sample the distinct facts of each corpus."""
    report = _score(data / "extraction" if data is not None and (data / "extraction").is_dir() else _SHIPPED)
    corpora = {} if quick or data is None else {name: _facts(name, data) for name in SAMPLE}
    chosen = [fact for name, (_, _, found) in corpora.items() for fact in _sampled(found, SAMPLE[name])]
    for fact in chosen:
        print(json.dumps(fact, ensure_ascii=False), file=sys.stderr)
    return {
        "seed": SEED,
        "settings": {"sample": SAMPLE},
        "summary": {
            "gold": report,
            "chats": {
                name: {"texts": texts, "facts": len(found), "ms_per_text": round(seconds * 1_000 / max(texts, 1), 3)}
                for name, (texts, seconds, found) in corpora.items()
            },
        },
        "samples": [{"corpus": fact["corpus"], "relation": fact["relation"], "kind": fact["kind"]} for fact in chosen],
    }


def _score(folder: Path) -> dict[str, Any]:
    scorer = _module(folder / "score.py")
    items = [json.loads(line) for line in (folder / "gold.jsonl").read_text("utf-8").splitlines() if line.strip()]
    report = scorer.score(items, {item["id"]: _predicted(item) for item in items})
    return {name: figures for name, figures in report.items() if name == "all" or name.startswith("lang=")}


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("extraction_score", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise FileNotFoundError(f"{path} is missing")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _predicted(item: dict[str, Any]) -> list[dict[str, Any]]:
    reference = dt.datetime.fromisoformat(item["reference_time"])
    found = extract(item["text"], reference_time=reference, speaker=item["speaker"])
    return [_written(fact, reference) for fact in found]


def _written(fact: ExtractedFact, reference: dt.datetime) -> dict[str, Any]:
    """A fact with its bounds in the reference's calendar; the end of a stint as the last unit it covers."""
    return {
        "kind": fact.kind,
        "source": fact.source,
        "relation": fact.relation,
        "target": fact.target,
        "valid_at": _bound(fact.valid_at, reference, covered=False),
        "invalid_at": _bound(fact.invalid_at, reference, covered=fact.kind != "end"),
    }


def _bound(moment: Moment | None, reference: dt.datetime, *, covered: bool) -> str | None:
    if moment is None:
        return None
    local = to_datetime(moment.micros).astimezone(reference.tzinfo)
    if covered and moment.precision != "time":
        local -= dt.timedelta(days=1)
    return local.strftime(_FORMATS.get(moment.precision, "%Y-%m-%dT%H:%M:%S"))


def _facts(name: str, data: Path) -> tuple[int, float, list[dict[str, Any]]]:
    """How many texts, the seconds they took, and the distinct facts with their sentences."""
    texts = list(_chats(name, data))
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    started = time.perf_counter()
    for text, told, speaker in texts:
        for fact in extract(text, reference_time=told, speaker=speaker):
            written = _written(fact, told)
            found.setdefault(tuple(written.values()), {"corpus": name, **written, "sentence": fact.fact, "speaker": speaker})
    return len(texts), time.perf_counter() - started, list(found.values())


def _chats(name: str, data: Path) -> Iterator[tuple[str, dt.datetime, str | None]]:
    """(text, when it was told, who speaks) of each turn or phone record."""
    if name == "locomo":
        for conversation in locomo.conversations(data):
            for turn in locomo.passages(conversation):
                yield turn["content"], dt.datetime.fromisoformat(turn["reference_time"]), turn["speaker"]
        return
    for person, owner in OWNERS[name].items():
        for row in rows(data, f"lifebench/{name.removeprefix('lifebench-')}-{person}.records.jsonl.gz"):
            told = _when(row["time"])
            if told is not None:
                yield from ((text, told, speaker) for text, speaker in _record_texts(row["record"], owner))


def _when(text: str | None) -> dt.datetime | None:
    """None for a record without a full time, such as a contact."""
    try:
        return dt.datetime.fromisoformat(text or "").replace(tzinfo=dt.UTC)
    except ValueError:
        return None


def _record_texts(record: dict[str, Any], owner: str) -> Iterator[tuple[str, str]]:
    """A text message speaks for its sender, everything else for the owner of the phone."""
    if "message_content" in record:
        received = record.get("message_type") in ("Receive", "接收")
        yield record["message_content"], (record.get("contactName") or owner) if received else owner
        return
    for field in _TEXTS:
        text = record.get(field)
        if isinstance(text, str) and len(text) >= _SHORTEST:
            yield text, owner


def _sampled(found: list[dict[str, Any]], size: int) -> list[dict[str, Any]]:
    return found if len(found) <= size else random.Random(SEED).sample(found, size)
