"""Random histories: what is over is in no summary, what was forgotten in no byte, and a summary of then tells what held then.

Every target has a name of its own, so that a name in a summary is that fact and no other. Facts' own words name earlier ones
too: what is forgotten is forgotten with all that names it, so that no summary has a right to the name. `as_of` says what holds.
"""

from __future__ import annotations

import datetime as dt
import json
import random
import tempfile
from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchmarks.reliability.raw_bytes import hits
from tkgmem import LLMError, Memory, NotFound
from tkgmem.protocols import Request, Response
from tkgmem.testing import FixedClock, HashEmbedder

_RELATIONS = ("WORKS_AT", "LIVES_IN", "LIKES", "USES", "KNOWS")
_PEOPLE = ("Ana", "Bo", "Cleo", "Dan", "Eva", "Finn")
_COUNTED = ("histories", "operations", "summaries", "summaries_of_the_past", "over", "forgets", "names_forgotten", "canaries")


class _Echo:
    """A model that repeats all that it is given. Implements `LLM`."""

    name = "echo"

    def complete(self, requests: Sequence[Request]) -> list[Response | LLMError]:
        """A summary of each thing: every line of it."""
        return [Response(json.dumps({"summaries": [_said(one) for one in json.loads(r.user)["things"]]})) for r in requests]


def _said(thing: dict[str, Any]) -> dict[str, Any]:
    told = [thing.get("so_far", ""), *thing.get("facts", ()), *thing.get("said", ())]
    return {"id": thing["id"], "name": " ".join(thing.get("members", ())[:2]), "text": ". ".join(part for part in told if part)}


def measured(*, quick: bool) -> dict[str, int]:
    """Counts of what was checked and of what was wrong."""
    counted: Counter[str] = Counter(dict.fromkeys(_COUNTED, 0))
    for seed in range(2 if quick else 24):
        with tempfile.TemporaryDirectory() as folder:
            _History(Path(folder) / "me.db", seed, counted).run(15 if quick else 60)
    return dict(counted)


class _History:
    def __init__(self, path: Path, seed: int, counted: Counter[str]) -> None:
        self.path, self.counted = path, counted
        self.chance = random.Random(seed)
        self.clock = FixedClock(dt.datetime(2026, 1, 1, tzinfo=dt.UTC))
        self.targets: list[str] = []
        self.there: list[str] = []

    def run(self, operations: int) -> None:
        self.counted["histories"] += 1
        model = _Echo() if self.chance.random() < 0.5 else None
        with Memory(self.path, embedder=HashEmbedder(8), clock=self.clock, llm=None) as memory:
            writer = Memory(self.path, embedder=HashEmbedder(8), clock=self.clock, llm=model) if model else memory
            for step in range(operations):
                self.clock.advance(dt.timedelta(hours=self.chance.randint(1, 60)))
                with suppress(NotFound, ValueError):
                    self._change(memory)
                self.counted["operations"] += 1
                if step % 5 == 4:
                    writer.refresh_communities(whole=self.chance.choice((None, True)), max_calls=1 if model else 0)
                    self._check(memory)
            if writer is not memory:
                writer.close()

    def _change(self, memory: Memory) -> None:
        what = self.chance.choices(("add", "text", "end", "correct", "retract", "undo", "forget"), (8, 3, 3, 1, 2, 2, 2))[0]
        now = memory.as_of(self.clock(), group="default")
        if what == "add" or not now:
            self._add(memory, None)
        elif what == "text":
            text = memory.add(f"Note {len(self.targets)}.", extract=False, name="notes").episode.uuid
            for _ in range(2):
                self._add(memory, text)
        elif what == "undo":
            memory.undo(change=self.chance.choice(memory.changes(limit=10)).number)
        elif what == "forget":
            self._forget(memory)
        else:
            fact = self.chance.choice(now)
            if what == "end":
                memory.end_fact(fact.source, fact.relation, fact.target, at=self.clock())
            elif what == "correct":
                memory.correct(fact.uuid, target=(target := self._target()))
                self.there.append(target)
            else:
                memory.retract(fact.uuid)

    def _target(self) -> str:
        self.targets.append(f"Target{len(self.targets):03}x")
        return self.targets[-1]

    def _add(self, memory: Memory, text: str | None) -> None:
        person, other = self.chance.choice(_PEOPLE), self.chance.choice(self.there or _PEOPLE)
        target = self._target()
        told = self.chance.choice((None, f"{person}, known from {other}, has {target}", f"{person} and {target}"))
        end = self.clock() + dt.timedelta(days=self.chance.randint(5, 40)) if self.chance.random() < 0.2 else None
        relation = self.chance.choice(_RELATIONS)
        memory.add_fact(person, relation, target, fact=told, valid_at="2025", invalid_at=end, episode=text)
        self.there.append(target)

    def _forget(self, memory: Memory) -> None:
        """Forget an entity and all whose words name it, then look for the names in the bytes of the file.

        What goes with it, since the same text told of it, is treated likewise.
        """
        lost = {self.chance.choice(self.there)} if self.there else set()
        gone: set[str] = set()
        while lost:
            gone |= lost | self._naming(memory, lost)
            for name in sorted(gone):
                with suppress(NotFound):  # it went with another
                    memory.forget(entity=name)
            lost = {name for name in self.there if not _is_there(memory, name)} - gone
        self.there = [name for name in self.there if name not in gone]
        self.counted["forgets"] += 1
        self.counted["names_forgotten"] += len(gone)
        self.counted["canaries"] += len(hits(self.path, [form.encode() for name in gone for form in (name, name.lower())])[0])

    @staticmethod
    def _naming(memory: Memory, names: Collection[str]) -> set[str]:
        """The targets of all facts ever told whose words have one of these names, or that of such a target, and so on."""
        with memory._store.read() as db:  # noqa: SLF001 - all that was ever said, which no one call gives
            query = "SELECT e.name, c.fact FROM claims c JOIN entities e ON e.id = c.target_id WHERE c.fact IS NOT NULL"
            said = [(str(target), str(words)) for target, words in db.execute(query)]
        found = set(names)
        while more := {target for target, words in said if any(name in words for name in found)} - found:
            found |= more
        return found

    def _check(self, memory: Memory) -> None:
        """Every summary, now and as of a past instant on each clock."""
        now = self.clock()
        past = now - dt.timedelta(days=self.chance.randint(1, 30))
        for valid_at, known_at in ((None, None), (past, None), (None, past), (past, past)):
            asked = {"valid_at": valid_at, "known_at": known_at}
            holds = {fact.target.name for fact in memory.as_of(valid_at or now, known_at=known_at)}
            told = [f"{one.name} {one.summary}" for one in memory.communities(**asked)]  # type: ignore[arg-type]
            for person in _PEOPLE:
                with suppress(NotFound):
                    told.append(memory.summary(person, **asked).text)  # type: ignore[arg-type]
            with suppress(NotFound):
                told.append(memory.summary(conversation="notes", **asked).text)  # type: ignore[arg-type]
            found = memory.search("who has what", scopes=["communities"], valid_at=valid_at, known_at=known_at)
            told += [f"{hit.item.name} {hit.item.summary}" for hit in found.communities]
            self.counted["summaries"] += len(told)
            self.counted["summaries_of_the_past"] += 0 if (valid_at, known_at) == (None, None) else len(told)
            self.counted["over"] += sum(target in text for text in told for target in self.targets if target not in holds)


def _is_there(memory: Memory, name: str) -> bool:
    try:
        memory.entity(name)
    except NotFound:
        return False
    return True
