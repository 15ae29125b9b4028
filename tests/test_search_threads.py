"""Two memories and ten threads: a read changes no later read and no write, whatever is asked and written at the same time."""

from __future__ import annotations

import datetime as dt
import itertools
import sqlite3
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tkgmem import RECIPES, Memory, Recipe
from tkgmem.testing import FixedClock, HashEmbedder

START = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)
KNOWN = START + dt.timedelta(days=1)
PEOPLE = ("Ana", "Bo", "Chidi", "Dara")
RANKED = sorted(RECIPES.keys() - {"model"})
QUESTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("where does Ana live", {}),
    ("who likes tea", {"limit": 3, "recipe": "rrf"}),
    ("tea and cities", {"limit": 5000, "recipe": "cosine"}),
    ("Bo", {"limit": 1, "recipe": "graph", "include_ended": True}),
    ("who lives beside Ana", {"center": "Chidi"}),
    ("what was said of tea in 2020", {"scopes": ["episodes"], "explain": True}),
    ("tea", {"recipe": Recipe(methods=("bm25",), rerank="mmr", depth=2), "filters": {"relations": "LIKES"}, "limit": 2}),
    ("Dara and tea", {"recipe": "mentioned", "deadline_ms": 600_000}),
)


def opened(path: Path, group: str) -> Memory:
    """At a time later than what is asked for."""
    return Memory(path, embedder=HashEmbedder(32), clock=FixedClock(KNOWN + dt.timedelta(hours=1)), group=group)


def told(path: Path, group: str) -> None:
    """The same people in each group, in other places and drinking other things."""
    with Memory(path, embedder=HashEmbedder(32), clock=FixedClock(START), group=group) as memory:
        memory.define_relation("LIVES_IN", functional=True)
        for number, name in enumerate(PEOPLE):
            memory.add(f"{name} told {group} about tea, number {number}", reference_time=f"{2018 + number}", extract=False)
            memory.add_fact(name, "LIVES_IN", f"{group} village {number % 2}", valid_at="2015")
            memory.add_fact(name, "LIVES_IN", f"{group} city {number % 2}", valid_at="2021")
            memory.add_fact(name, "LIKES", f"{group} tea {number % 3}", valid_at="2019")


def answers(memory: Memory, first: int = 0) -> dict[str, object]:
    """What all questions answer, scores and all, and the text for a model. first: the question to begin with."""
    found: dict[str, object] = {}
    for query, asked in (*QUESTIONS[first:], *QUESTIONS[:first]):
        result = memory.search(query, **asked)
        found[query] = (result.facts, result.entities, result.episodes, result.query_time, result.degraded)
    return found | {"context": memory.context("where does Ana live, and who likes tea?", max_tokens=300)}


def beliefs(memory: Memory) -> list[object]:
    """All that is found of what was known at `KNOWN`, in no order: how rare a word is goes by all texts of the file."""
    found: list[object] = []
    for query, recipe in itertools.product(("where does Ana live", "tea"), ("hybrid", "cosine", "graph")):
        result = memory.search(query, valid_at="2026-11-30", known_at=KNOWN, limit=1000, recipe=recipe)
        hits = (*result.facts, *result.entities, *result.episodes)
        found.append(sorted((hit.item for hit in hits), key=lambda item: (type(item).__name__, item.uuid)))
    return [*found, memory.as_of("2020", known_at=KNOWN), memory.entity("Ana", known_at=KNOWN, valid_at="2020")]


def together(works: Sequence[Callable[[], None]]) -> None:
    """Run each in a thread of its own, all at once; the first failure is raised."""
    failures: list[BaseException] = []
    start = threading.Barrier(len(works))

    def run(work: Callable[[], None]) -> None:
        try:
            start.wait(60)
            work()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_ten_threads_that_ask_different_things_change_no_answer(path: Path) -> None:
    for group in ("a", "b"):
        told(path, group)
    with opened(path, "a") as one, opened(path, "b") as two:
        before = {memory.group: answers(memory) for memory in (one, two)}
        assert before["a"] != before["b"]

        def asking(memory: Memory, first: int) -> Callable[[], None]:
            def ask() -> None:
                assert answers(memory, first) == before[memory.group]

            return ask

        together([asking(memory, first) for memory in (one, two) for first in range(5)])
        assert {memory.group: answers(memory) for memory in (one, two)} == before


def test_what_was_known_is_found_alike_before_during_and_after_writes(path: Path) -> None:
    for group in ("a", "b"):
        told(path, group)

    with opened(path, "a") as one, opened(path, "b") as two:
        before = {memory.group: beliefs(memory) for memory in (one, two)}

        def reading(memory: Memory) -> Callable[[], None]:
            def read() -> None:
                for _ in range(2):
                    assert beliefs(memory) == before[memory.group]

            return read

        def writing(memory: Memory) -> Callable[[], None]:
            def write() -> None:
                for number in range(5):
                    memory.add(f"Ana spoke of tea again, page {number}", extract=False)
                    memory.add_fact(PEOPLE[number % 4], "LIVES_IN", f"island {number}", valid_at=str(2022 + number))

            return write

        together([reading(memory) for memory in (one, two) for _ in range(4)] + [writing(memory) for memory in (one, two)])
        for memory in (one, two):
            assert beliefs(memory) == before[memory.group]
            assert memory.stats(group=memory.group).episodes == len(PEOPLE) + 5
            [hit] = memory.search("where does Ana live", limit=1, scopes=["facts"], filters={"relations": "LIVES_IN"}).facts
            assert hit.item.target.name == "island 4"


def rows(path: Path) -> dict[str, list[Any]]:
    """All that the file holds, but for the log of what it was asked."""
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    found: dict[str, list[Any]] = {name: db.execute(f'SELECT * FROM "{name}"').fetchall() for name in tables}
    db.close()
    del found["recalls"]
    found["sqlite_sequence"] = [row for row in found["sqlite_sequence"] if row[0] != "recalls"]
    return found


def test_what_is_written_is_the_same_whatever_is_read_between(tmp_path: Path) -> None:
    for name, reads in (("quiet.db", False), ("asked.db", True)):
        told(tmp_path / name, "a")
        with opened(tmp_path / name, "a") as memory, opened(tmp_path / name, "a") as other:
            for number in range(2):
                memory.add_fact(PEOPLE[number], "LIKES", f"milk {number}", valid_at="2022")
                if reads:
                    assert answers(memory) == answers(other)
                memory.add(f"Ana lives in a village called tea {number}.")
    assert rows(tmp_path / "quiet.db") == rows(tmp_path / "asked.db")


def test_a_read_leaves_every_byte_of_the_file(path: Path) -> None:
    told(path, "a")
    closed = path.read_bytes()
    with Memory(path, embedder=HashEmbedder(32), clock=FixedClock(KNOWN), group="a", read_only=True) as memory:
        asked = answers(memory)
        memory.search("tea", deadline_ms=0)
    assert path.read_bytes() == closed
    with opened(path, "a") as memory:
        memory.search("tea")
        before = {found.name: found.read_bytes() for found in path.parent.iterdir() if found.suffix != ".db-shm"}
        assert answers(memory) == asked
        assert before == {found.name: found.read_bytes() for found in path.parent.iterdir() if found.suffix != ".db-shm"}
    assert [found.name for found in path.parent.iterdir()] == [path.name]


def test_two_memories_of_one_file_answer_alike_in_the_same_order(path: Path) -> None:
    told(path, "a")
    with opened(path, "a") as one, opened(path, "a") as two:
        two.search("Dara", limit=1, recipe="rrf")
        for query, recipe in itertools.product(("tea city", "Ana Bo Chidi Dara", "who likes tea in 2020?"), RANKED):
            first, second = one.search(query, recipe=recipe), two.search(query, recipe=recipe, explain=True)
            for scope in ("facts", "entities", "episodes"):
                hits = list(zip(getattr(first, scope), getattr(second, scope), strict=True))
                assert [(a.item, a.score, a.ranks) for a, _ in hits] == [(b.item, b.score, b.ranks) for _, b in hits]
                assert all(b.scores and not a.scores for a, b in hits)
