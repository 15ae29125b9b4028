"""Faults that users of comparable programs reported about deletion (T12) and about texts that are too large (T19)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tkgmem import Memory
from tkgmem.testing import FixedClock, HashEmbedder


def counts(memory: Memory) -> dict[str, int]:
    """How many rows there are, and in the indexes made of them."""
    tables = ("episodes", "claims", "aliases", "episode_text", "claim_text", "entity_text", "passages", "vectors")
    with memory._store.read() as db:
        return {table: int(db.execute(f"SELECT count(*) FROM {table}").get) for table in tables}


def test_a_new_row_inherits_nothing_of_a_deleted_one(memory: Memory) -> None:
    """T12-01"""
    old = memory.add_fact("kingfisher", "SITS_BY", "river", fact="a kingfisher by the river", valid_at="2020")
    with memory._store.read() as db:
        ids = {table: db.execute(f"SELECT max(id) FROM {table}").get for table in ("claims", "entities", "aliases", "passages")}
    memory.forget(fact=old.uuid)
    assert set(counts(memory).values()) == {0}
    new = memory.add_fact("ledger", "SHOWS", "tax", fact="quarterly tax return", valid_at="2020")
    with memory._store.read() as db:
        assert all(db.execute(f"SELECT min(id) FROM {table}").get > last for table, last in ids.items())
    for recipe in ("bm25", "hybrid"):
        found = memory.search("a kingfisher by the river", recipe=recipe).facts
        assert {hit.item.uuid for hit in found} <= {new.uuid}
        assert all("bm25" not in hit.ranks for hit in found)
    now = counts(memory)
    assert (now["claims"], now["aliases"]) == (now["claim_text"], now["entity_text"]) == (1, 2)
    assert now["passages"] == now["vectors"] == 3
    assert memory.doctor().ok


def test_a_deleted_text_takes_just_what_it_alone_supports(memory: Memory) -> None:
    """T12-02"""
    texts = [
        memory.add(text).episode.uuid
        for text in ("Maya moved to Lisbon in 2021.", "Maya likes tea. Maya moved to Lisbon in 2021.")
    ]
    memory.forget(episode=texts[0])
    [home] = memory.as_of("2022", relation="LIVES_IN")
    assert home.episodes == (texts[1],)
    assert memory.entity("Maya").entity.name == "Maya"
    memory.forget(episode=texts[1])
    assert set(counts(memory).values()) == {0}
    assert memory.stats().entities == 0
    assert memory.search("Maya Lisbon tea").entities == []


def test_the_same_text_of_another_group_stays(memory: Memory) -> None:
    """T12-03"""
    texts = {group: memory.add("Maya moved to Lisbon in 2021.", group=group).episode.uuid for group in "ab"}
    memory.forget(episode=texts["a"])
    assert memory.search("Lisbon", group="a").facts == []
    [hit] = memory.search("Lisbon", group="b").facts
    assert hit.item.target.name == "Lisbon"
    assert [found.item.uuid for found in memory.search("Lisbon", group="b").episodes] == [texts["b"]]
    memory.group = "a"
    assert memory.episodes() == []


@pytest.mark.parametrize("what", ["episode", "entity", "group"])
def test_what_is_deleted_and_told_again_is_there_once(memory: Memory, what: str) -> None:
    """T12-04"""
    for _ in range(3):
        told = memory.add("Maya moved to Lisbon in 2021.", reference_time="2026-01-01")
        memory.forget(**{what: {"episode": told.episode.uuid, "entity": "Maya", "group": "default"}[what]})
    again = memory.add("Maya moved to Lisbon in 2021.", reference_time="2026-01-01")
    assert again.episode.uuid == told.episode.uuid
    assert len(again.facts) == 1
    assert [hit.item.uuid for hit in memory.search("Lisbon 2021").episodes] == [told.episode.uuid]
    assert len(memory.search("Lisbon 2021").facts) == 1
    assert memory.doctor().ok


def test_deleting_a_group_or_nothing_leaves_the_others(memory: Memory) -> None:
    """T12-06"""
    for group in ("a", "b"):
        memory.add("Maya moved to Lisbon in 2021.", group=group)
        memory.add_fact("Maya", "MUSES_ON", "tea", group=group, valid_at="2020")
    before = memory.as_of("2022", group="b"), memory.episodes(group="b"), memory.search("Maya tea", group="b").facts
    for wrong in ({}, {"group": ""}, {"group": None}, {"group": " "}, {"episode": []}, {"fact": None, "entity": None}):
        with pytest.raises(ValueError, match=r"forget|group"):
            memory.forget(**wrong)
    assert memory.stats().groups == ("a", "b")
    memory.forget(group="a")
    assert memory.stats().groups == ("b",)
    assert (memory.as_of("2022", group="b"), memory.episodes(group="b"), memory.search("Maya tea", group="b").facts) == before
    with memory._store.read() as db:
        assert db.execute("SELECT count(*) FROM relations WHERE name = 'MUSES_ON'").get == 1
    memory.forget(group="b")
    with memory._store.read() as db:
        assert db.execute("SELECT count(*) FROM relations WHERE name = 'MUSES_ON'").get == 0
    assert memory.doctor().ok


def test_every_piece_of_a_long_text_goes(path: Path, clock: FixedClock) -> None:
    """T19-01"""
    with Memory(path, embedder=HashEmbedder(8), clock=clock) as memory:
        long = memory.add(f"{'a long line without an end ' * 8_000}zyxwvutsrq", extract=False).episode
        assert counts(memory)["vectors"] > 50
        assert memory.search("zyxwvutsrq").episodes
        memory.forget(episode=long.uuid)
        assert set(counts(memory).values()) == {0}
        assert b"zyxwvuts" not in path.read_bytes()
        assert b"without an" not in path.read_bytes()


def test_many_texts_are_deleted_for_the_price_of_one(memory: Memory) -> None:
    """The full text is made anew once a call, which costs most of it."""
    uuids = [told.episode.uuid for told in memory.add_many({"content": f"Ana moved to Town {n}."} for n in range(12))]
    statements: list[str] = []

    def trace(_cursor: object, sql: str, _bindings: object) -> bool:
        statements.append(sql)
        return True

    with memory._store.read() as db:
        db.exec_trace = trace
    memory.forget(episode=uuids[:-1])
    assert sum("'rebuild'" in sql for sql in statements) == 3
    assert sum(sql.startswith("BEGIN") for sql in statements) == 1
    assert [one.uuid for one in memory.episodes()] == uuids[-1:]
