"""Random histories of given facts and texts that wait: sound at any moment, the same when replayed, carried and merged."""

from __future__ import annotations

import datetime as dt
import random
from pathlib import Path
from typing import Any

import pytest

from tkgmem import Memory
from tkgmem.testing import FixedClock, HashEmbedder

NAMES, RELATIONS = ("Ana", "Ben", "Cy"), ("WORKS_AT", "LIKES", "a new one")
DATES = ("2020", "last March", "2024-05-17", None)


def given(chance: random.Random, word: str) -> list[dict[str, Any]] | None:
    if chance.random() < 0.4:
        return None
    facts: list[dict[str, Any]] = []
    for _ in range(chance.randint(0, 3)):
        fact = {
            "source": chance.choice(NAMES),
            "relation": chance.choice(RELATIONS),
            "target": chance.choice([word, "Acme", "tea"]),
            "valid_at": chance.choice(DATES),
            "source_type": chance.choice([None, "Person"]),
            "attributes": {"how": word} if chance.random() < 0.3 else None,
        }
        facts.append({name: value for name, value in fact.items() if value is not None})
    return facts


@pytest.mark.parametrize("seed", range(6))
def test_what_was_told_is_sound_and_the_same_elsewhere(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    clock = FixedClock(dt.datetime(2026, 1, 1, tzinfo=dt.UTC), dt.timedelta(seconds=1))
    forgotten: list[str] = []
    with Memory(tmp_path / "a.db", embedder=HashEmbedder(16), clock=clock) as memory:
        told: list[tuple[str, str]] = []
        for number in range(15):
            word = "".join(chance.choices("abcdefghij", k=14))
            kept = memory.add(
                f"{word} text {number}. Ana moved to {word} in 2024.",
                extract=chance.choice([True, "later", "later"]),
                facts=given(chance, word),
                name=chance.choice([None, "talk"]),
                speaker=chance.choice([None, "Zed"]),
            )
            told.append((kept.episode.uuid, word))
            if chance.random() < 0.2:
                memory.extract()
            if chance.random() < 0.2:
                uuid, word = told.pop(chance.randrange(len(told)))
                memory.forget(episode=uuid)
                forgotten.append(word)
            if told and chance.random() < 0.15:
                memory.undo(episode=chance.choice(told)[0])
            assert memory.doctor().ok
        memory.export(tmp_path / "all.jsonl")
        assert memory.replay().same
        held = [(fact.uuid, fact.valid_at, fact.invalid_at) for fact in memory.as_of("2026")]
    data = (tmp_path / "a.db").read_bytes()
    assert not [word for word in forgotten if word.encode() in data]
    with Memory(tmp_path / "b.db", embedder=HashEmbedder(16), clock=clock) as other:
        other.import_(tmp_path / "all.jsonl")
        assert [(fact.uuid, fact.valid_at, fact.invalid_at) for fact in other.as_of("2026")] == held
        other.extract()
        assert (other.stats().pending, other.doctor().ok) == (0, True)
    with Memory(tmp_path / "c.db", embedder=HashEmbedder(16), clock=clock) as third:
        third.add("Ana likes milk.", facts=[{"source": "Ana", "relation": "LIKES", "target": "milk"}])
        third.merge(tmp_path / "a.db")
        third.extract()
        assert third.doctor().ok
        assert third.merge(tmp_path / "a.db").claims == 0
