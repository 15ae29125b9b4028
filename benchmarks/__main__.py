"""`python -m benchmarks NAME --data DIR [--quick] [--out FILE]`, `--list`, or `--readme`."""

from __future__ import annotations

import argparse
import datetime as dt
import inspect
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks import (
    assistants,
    communities,
    dates,
    derivation,
    embedder,
    extraction,
    histories,
    ingest,
    jionlp,
    latency,
    lexical,
    lifebench,
    locomo,
    longmemeval,
    precisionmembench,
    readme,
    reliability,
    replay,
    resolution,
    vector_index,
)
from benchmarks.cache import CachedEmbedder
from benchmarks.recipes import RECIPES
from benchmarks.report import print_summary, record, with_parts, write
from tkgmem.providers.onnx import OnnxEmbedder

BENCHMARKS = (
    embedder,
    locomo,
    longmemeval,
    lifebench,
    precisionmembench,
    histories,
    latency,
    vector_index,
    lexical,
    ingest,
    derivation,
    dates,
    jionlp,
    resolution,
    extraction,
    reliability,
    replay,
    communities,
    assistants,
)
"""What can be run, by the last part of the module's name. Each has `run(data, quick)`; its docstring says what it measures."""

RESULTS = Path(__file__).parent / "results"
_OPTIONS = {
    "all_conversations": ("--all-conversations", "all_conversations"),
    "recipes": ("--recipe", "recipes"),
    "parts": ("--part", "parts"),
    "sample": ("--sample", "sample"),
    "million": ("--million", "million"),
    "cache": ("--cache", "embedder"),
}
"""What only some benchmarks take: how it is asked for, and the argument of `run` that it becomes."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one benchmark, write its result and print its summary. Returns the exit code."""
    names = {module.__name__.rpartition(".")[2]: module for module in BENCHMARKS}
    parser = _parser(names)
    given = parser.parse_args(arguments)
    if given.list:
        for name, module in names.items():
            print(f"{name:17} {(module.__doc__ or '').partition('.')[0]}.")
        return 0
    if given.readme:
        readme.refresh(RESULTS.parents[1] / "README.md", RESULTS)
        return 0
    if given.name is None:
        parser.error("name a benchmark, or use --list")
    run = names[given.name].run
    options = {argument: value for name, (_, argument) in _OPTIONS.items() if (value := getattr(given, name))}
    for option, argument in _OPTIONS.values():
        if argument in options and argument not in inspect.signature(run).parameters:
            parser.error(f"{option} is not for {given.name}")
    if given.cache is not None:
        options["embedder"] = CachedEmbedder(OnnxEmbedder(), given.cache)
    started = dt.datetime.now(dt.UTC)
    try:
        measured = run(given.data, given.quick, **options)
    except FileNotFoundError as error:
        print(f"{error}; point --data at the folder with the benchmark data", file=sys.stderr)
        return 4
    result = record(given.name, started, given.quick, measured)
    result["settings"]["vectors_kept_before"] = given.cache is not None
    out = given.out or RESULTS / f"{given.name}.json"
    if given.name == "reliability" and given.parts and out.exists():
        result = with_parts(json.loads(out.read_text(encoding="utf-8")), result)
    write(out, result)
    print_summary(result)
    print(f"written to {out}", file=sys.stderr)
    return 0


def _parser(names: Iterable[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Run one benchmark and keep its result.")
    parser.add_argument("name", nargs="?", choices=names, metavar="NAME", help=", ".join(names))
    parser.add_argument("--list", action="store_true", help="show the benchmarks and what they measure")
    parser.add_argument("--readme", action="store_true", help="make the README's table from the committed results")
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder with the benchmark data")
    parser.add_argument("--quick", action="store_true", help="a small sample, to see that it runs")
    parser.add_argument("--out", type=Path, metavar="FILE", help="result file (default benchmarks/results/NAME.json)")
    parser.add_argument("--all-conversations", action="store_true", help="locomo: all conversations, not the first alone")
    parser.add_argument("--recipe", action="append", choices=RECIPES, dest="recipes", help="retrieval: this way alone")
    parts = (*longmemeval.PARTS, *reliability.PARTS)
    parser.add_argument(
        "--part", action="append", choices=parts, dest="parts", help="longmemeval, reliability: this part alone"
    )
    parser.add_argument("--sample", type=int, metavar="N", help="longmemeval: only N questions")
    parser.add_argument("--million", action="store_true", help="latency, vector_index, lexical: 1,000,000 rows too")
    parser.add_argument("--cache", type=Path, metavar="FILE", help="retrieval: keep the vectors of texts here between runs")
    return parser


if __name__ == "__main__":
    sys.exit(main())
