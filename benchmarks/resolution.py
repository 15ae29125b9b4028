"""Names to entities: how alike labelled pairs of names are found to be, and people called by any of their names in two scripts.

Pairs (sanctions screening, MIT): "merged" counts a pair that `similar.compare` says is the same, "merged or asked" also one it
would ask a judge about. The kind is not given, as in real use, except under "kind_given". The rules of `compare` were worked
out on the pairs of `developed_on` alone; `held_out` is the rest.

People (LifeBench personas): one group a user; each person is made by a fact under the Chinese name, and the other names are
given as aliases. A name counts as found if reading it and writing a fact about it both reach its person. Empty names, and names
that two people of a user share, are left out.
"""

from __future__ import annotations

import datetime as dt
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.datasets import rows
from tkgmem import Memory, TkgmemError
from tkgmem.ingest.similar import Likeness, compare
from tkgmem.testing import FixedClock, HashEmbedder

SEED = 20261130
PAIRS, PEOPLE = "names/pairs.jsonl.gz", "names/zh_en_people.jsonl.gz"
_SEEN = 60
_KINDS = {"Person": "person", "Company": "organization", "Organization": "organization"}
_NAMES = ("zh", "en", "zh_nick", "en_nick")
_QUICK_PAIRS, _QUICK_PEOPLE = 60, 20

Judged = tuple[Likeness, bool]
"""What was said of a pair, and whether it is one."""


def run(data: Path | None, quick: bool) -> dict[str, Any]:
    """Score the pairs and the people."""
    pairs, people = rows(data, PAIRS), rows(data, PEOPLE)
    if quick:
        pairs, people = pairs[:_QUICK_PAIRS], people[:_QUICK_PEOPLE]
    judged = [judge(pair, None) for pair in pairs]
    halves = dict(zip(("developed_on", "held_out"), _halves(len(pairs)), strict=True))
    found = find_people(people)
    return {
        "seed": SEED,
        "settings": {"pairs": len(pairs), "people": len(people)},
        "summary": {
            "pairs": {
                "all": scores(judged),
                **{name: scores(judged[index] for index in part) for name, part in halves.items()},
                "kind_given": scores(judge(pair, _KINDS.get(pair["schema"])) for pair in pairs),
                **{
                    f"{field} {value}": scores(one for one, pair in zip(judged, pairs, strict=True) if pair[field] == value)
                    for field in ("schema", "quality")
                    for value in sorted({pair[field] for pair in pairs})
                },
            },
            "people": {
                name: {"found": _share(sum(found[name]), len(found[name])), "names": len(found[name])} for name in _NAMES
            }
            | {"all": {"found": _share(sum(map(sum, found.values())), sum(map(len, found.values())))}},
        },
        "samples": {"pairs": judged, "people": found},
    }


def judge(pair: Mapping[str, Any], kind: str | None) -> Judged:
    """What is said of one pair."""
    return compare(pair["name1"], pair["name2"], kind=kind), pair["is_match"] == "true"


def scores(judged: Iterable[Judged]) -> dict[str, Any]:
    """Precision and recall of what is merged, and of what is merged or asked about.

    >>> scores([("same", True), ("maybe", False), ("different", True)])["merged_or_asked"]
    {'precision': 0.5, 'recall': 0.5}
    """
    counts = Counter(judged)
    total = sum(count for (_, match), count in counts.items() if match)
    measured: dict[str, Any] = {"pairs": counts.total()}
    for name, said in (("merged", ("same",)), ("merged_or_asked", ("same", "maybe"))):
        right, wrong = (sum(counts[likeness, match] for likeness in said) for match in (True, False))
        measured[name] = {"precision": _share(right, right + wrong), "recall": _share(right, total)}
    return measured


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None


def _halves(size: int) -> tuple[Sequence[int], Sequence[int]]:
    """The first pairs, which were read before the split, with a random part of the rest; and the remaining ones."""
    rest = list(range(_SEEN, size))
    random.Random(SEED).shuffle(rest)
    cut = max(0, size // 2 - _SEEN)
    return [*range(min(_SEEN, size)), *rest[:cut]], rest[cut:]


def find_people(people: Sequence[Mapping[str, Any]]) -> dict[str, list[bool]]:
    """For each kind of name, whether each person is reached by it."""
    found: dict[str, list[bool]] = {name: [] for name in _NAMES}
    clock = FixedClock(dt.datetime(2026, 1, 1, tzinfo=dt.UTC), step=dt.timedelta(seconds=1))
    with Memory(":memory:", embedder=HashEmbedder(), clock=clock) as memory:
        for user in sorted({person["user"] for person in people}):
            own = [person for person in people if person["user"] == user]
            called = Counter(name for person in own for name in {person[key].casefold() for key in _NAMES})
            kept = [(person, _names(person, called)) for person in own if called[person["zh"].casefold()] == 1]
            made = []
            for person, names in kept:
                made.append(memory.add_fact(person["zh"], "KNOWN_TO", user, group=user).source.uuid)
                for key, name in names.items():
                    if key != "zh":
                        memory.add_alias(person["zh"], name, group=user)
            for (_, names), uuid in zip(kept, made, strict=True):
                for key, name in names.items():
                    found[key].append(_reaches(memory, name, user, uuid))
    return found


def _names(person: Mapping[str, Any], called: Mapping[str, int]) -> dict[str, str]:
    """The names that are not empty and that no other person of the user has."""
    return {key: person[key] for key in _NAMES if person[key] and called[person[key].casefold()] == 1}


def _reaches(memory: Memory, name: str, user: str, uuid: str) -> bool:
    try:
        read = memory.entity(name, group=user).entity.uuid
        written = memory.add_fact(name, "SEEN_BY", user, group=user).source.uuid
    except TkgmemError:
        return False
    return read == written == uuid
