"""`python -m benchmarks.locomo_jsonl DATA OUT [CONVERSATION]`: a LoCoMo conversation as JSON lines for `tkgmem add`.

Each line is a mapping of add's arguments. Without CONVERSATION it is the first one.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from benchmarks.locomo import conversations, passages


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.locomo_jsonl", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path, help="folder with the benchmark data")
    parser.add_argument("out", type=Path, help="file to write")
    parser.add_argument("conversation", nargs="?", help="its id, such as conv-26")
    given = parser.parse_args(arguments)
    by_id = {item["sample_id"]: item for item in conversations(given.data)}
    chosen = given.conversation or next(iter(by_id))
    if chosen not in by_id:
        parser.error(f"no conversation {chosen}; there are {', '.join(by_id)}")
    with given.out.open("w", encoding="utf-8") as file:
        for turn in passages(by_id[chosen]):
            file.write(json.dumps(turn, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
