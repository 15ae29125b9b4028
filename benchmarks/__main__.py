"""`python -m benchmarks NAME --data DIR [--quick] [--out FILE]`, `--list`, or `--readme`."""

from __future__ import annotations

import argparse
import datetime as dt
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import dates, derivation, embedder, extraction, ingest, jionlp, locomo, readme, resolution, search_speed
from benchmarks.report import print_summary, record, write

BENCHMARKS = (embedder, locomo, ingest, search_speed, derivation, dates, jionlp, resolution, extraction)
"""What can be run, by the last part of the module's name. Each has `run(data, quick)`; its docstring says what it measures."""

RESULTS = Path(__file__).parent / "results"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one benchmark, write its result and print its summary. Returns the exit code."""
    names = {module.__name__.rpartition(".")[2]: module for module in BENCHMARKS}
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Run one benchmark and keep its result.")
    parser.add_argument("name", nargs="?", choices=names, metavar="NAME", help=", ".join(names))
    parser.add_argument("--list", action="store_true", help="show the benchmarks and what they measure")
    parser.add_argument("--readme", action="store_true", help="make the README's table from the committed results")
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder with the benchmark data")
    parser.add_argument("--quick", action="store_true", help="a small sample, to see that it runs")
    parser.add_argument("--out", type=Path, metavar="FILE", help="result file (default benchmarks/results/NAME.json)")
    parser.add_argument("--all-conversations", action="store_true", help="locomo: all conversations, not the first alone")
    given = parser.parse_args(arguments)
    if given.list:
        for name, module in names.items():
            print(f"{name:14} {(module.__doc__ or '').partition('.')[0]}.")
        return 0
    if given.readme:
        readme.refresh(RESULTS.parents[1] / "README.md", RESULTS)
        return 0
    if given.name is None:
        parser.error("name a benchmark, or use --list")
    if given.all_conversations and given.name != "locomo":
        parser.error("--all-conversations is for locomo")
    started = dt.datetime.now(dt.UTC)
    try:
        if given.all_conversations:
            measured = locomo.run(given.data, given.quick, all_conversations=True)
        else:
            measured = names[given.name].run(given.data, given.quick)
    except FileNotFoundError as error:
        print(f"{error}; point --data at the folder with the benchmark data", file=sys.stderr)
        return 4
    result = record(given.name, started, given.quick, measured)
    out = given.out or RESULTS / f"{given.name}.json"
    write(out, result)
    print_summary(result)
    print(f"written to {out}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
