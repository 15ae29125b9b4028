"""The graph as CSV: every edge has its two nodes, every value comes back as it was, and nothing is overwritten."""

from __future__ import annotations

import csv
import datetime as dt
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tkgmem import Memory, StoreError
from tkgmem.portable import graph_csv
from tkgmem.store import pages
from tkgmem.testing import FixedClock, HashEmbedder

NASTY = '=HYPERLINK("x","y"); a,b\r\nsecond line — "猫" 😀'


@pytest.fixture
def memory() -> Iterator[Memory]:
    """A job that changed, a plan without a date, a period in two parts, two names of one person, another group."""
    clock = FixedClock(dt.datetime(2024, 3, 5, tzinfo=dt.UTC), step=dt.timedelta(minutes=1))
    with Memory(":memory:", embedder=HashEmbedder(8), clock=clock) as memory:
        memory.add("Ana works at Acme.", reference_time="2024-03-01", speaker="Ben")
        memory.add_fact("Ana", "WORKS_AT", "Bolt", valid_at="2026", attributes={"via": "a;b"})
        memory.add_fact("Ana", "WORKS_AT", "Core", valid_at="2024-06", invalid_at="2024-09")
        memory.add_fact("Annie", "LIKES", NASTY.split("\r", maxsplit=1)[0], fact=NASTY)
        memory.add_fact("Ana", "VISITED", "Rome", planned=True)
        memory.merge_entities("Ana", "Annie")
        memory.add_fact("Zoe", "LIKES", "tea", group="other")
        yield memory


def written(memory: Memory, folder: Path, groups: list[str] | None = None) -> dict[str, list[dict[str, str]]]:
    with memory._store.read() as db:
        counts = graph_csv.write(db, groups, folder)
    tables = {}
    for path in sorted(folder.iterdir()):
        with path.open(encoding="utf-8", newline="") as file:
            tables[path.name] = list(csv.DictReader(file, strict=True))
    assert {name: len(rows) for name, rows in tables.items()} == counts
    return tables


def test_every_fact_is_an_edge_between_nodes_with_its_four_dates(memory: Memory, tmp_path: Path) -> None:
    tables = written(memory, tmp_path / "graph")
    nodes = {row["uuid:ID(Entity)"]: row for row in tables["nodes.csv"]}
    assert len(nodes) == len(tables["nodes.csv"])
    assert "Annie" not in [row["name"] for row in nodes.values()]
    shown = ("valid_at:datetime", "valid_precision", "invalid_at:datetime", "planned:boolean")
    edges = [
        (
            nodes[row[":START_ID(Entity)"]]["name"],
            row[":TYPE"],
            nodes[row[":END_ID(Entity)"]]["name"][:5],
            *(row[name] for name in shown),
        )
        for row in tables["edges.csv"]
    ]
    ana = "Ana"
    assert sorted(edges) == [
        (ana, "LIKES", "=HYPE", "", "", "", "false"),
        (ana, "VISITED", "Rome", "", "", "", "true"),
        (ana, "WORKS_AT", "Acme", "", "", "2024-06-01T00:00:00Z", "false"),
        (ana, "WORKS_AT", "Acme", "2024-09-01T00:00:00Z", "month", "2026-01-01T00:00:00Z", "false"),
        (ana, "WORKS_AT", "Bolt", "2026-01-01T00:00:00Z", "year", "", "false"),
        (ana, "WORKS_AT", "Core", "2024-06-01T00:00:00Z", "month", "2024-09-01T00:00:00Z", "false"),
        ("Zoe", "LIKES", "tea", "", "", "", "false"),
    ]
    [bolt] = [row for row in tables["edges.csv"] if row["valid_precision"] == "year"]
    [fact] = memory.as_of("2026-10-01", relation="WORKS_AT")
    assert (bolt["uuid"], bolt["created_at:datetime"]) == (fact.uuid, fact.created_at.isoformat().replace("+00:00", "Z"))
    assert json.loads(bolt["attributes"]) == {"via": "a;b"}
    assert json.loads(nodes[fact.source.uuid]["aliases"]) == ["Annie"]
    [acme] = [row for row in tables["edges.csv"] if row["valid_precision"] == "month" and row["expired_at:datetime"]]
    assert json.loads(acme["episodes"]) == [memory.episodes()[0].uuid]


def test_texts_come_back_as_they_were(memory: Memory, tmp_path: Path) -> None:
    tables = written(memory, tmp_path / "graph")
    assert NASTY in [row["fact"] for row in tables["edges.csv"]]
    raw = (tmp_path / "graph" / "edges.csv").read_bytes()
    assert '"=HYPERLINK(""x"",""y""); a,b\r\nsecond line — ""猫"" 😀"'.encode() in raw


def test_what_was_once_believed_is_beside_the_graph(memory: Memory, tmp_path: Path) -> None:
    tables = written(memory, tmp_path / "graph")
    nodes = {row["uuid:ID(Entity)"]: row["name"] for row in tables["nodes.csv"]}
    ends = {row[end] for row in tables["versions.csv"] for end in (":START_ID(Entity)", ":END_ID(Entity)")}
    assert ends <= set(nodes)
    acme = [row for row in tables["versions.csv"] if nodes[row[":END_ID(Entity)"]] == "Acme"]
    assert [(row["invalid_at:datetime"][:7], row["cause"], row["believed_until:datetime"] == "") for row in acme] == [
        ("", "", False),
        ("2026-01", "superseded", False),
        ("2024-06", "superseded", True),
        ("2026-01", "superseded", True),
    ]
    assert len(tables["versions.csv"]) == memory.stats().versions


def test_texts_and_what_they_name_are_nodes_and_edges_too(memory: Memory, tmp_path: Path) -> None:
    tables = written(memory, tmp_path / "graph")
    [told] = tables["episodes.csv"]
    assert (told["content"], told["reference_time:datetime"], told["speaker"], told[":LABEL"]) == (
        "Ana works at Acme.", "2024-03-01T00:00:00Z", "Ben", "Episode",
    )  # fmt: skip
    nodes = {row["uuid:ID(Entity)"]: row["name"] for row in tables["nodes.csv"]}
    named = [(nodes[row[":END_ID(Entity)"]], row["start:int"], row["end:int"]) for row in tables["mentions.csv"]]
    assert sorted(named) == [("Acme", "13", "17"), ("Ana", "0", "3"), ("Ben", "0", "0")]
    assert {row[":START_ID(Episode)"] for row in tables["mentions.csv"]} == {told["uuid:ID(Episode)"]}


def test_one_group_is_written_alone(memory: Memory, tmp_path: Path) -> None:
    tables = written(memory, tmp_path / "graph", ["other"])
    assert [row["name"] for row in tables["nodes.csv"]] == ["Zoe", "tea"]
    assert {row["group"] for row in tables["edges.csv"]} == {"other"}
    assert tables["episodes.csv"] == []


def test_pages_do_not_change_what_is_written(memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = written(memory, tmp_path / "whole")
    monkeypatch.setattr(pages, "SIZE", 1)
    assert written(memory, tmp_path / "paged") == whole


def test_nothing_is_overwritten_and_nothing_left_behind(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "nodes.csv").write_text("kept")
    (tmp_path / "file").write_text("kept")
    with memory._store.read() as db:
        for taken in ("mine", "file"):
            with pytest.raises(StoreError, match="there already"):
                graph_csv.write(db, None, tmp_path / taken)
        with pytest.raises(StoreError, match="cannot write"):
            graph_csv.write(db, None, tmp_path / "missing" / "graph")
        (tmp_path / "empty").mkdir()
        assert graph_csv.write(db, None, tmp_path / "empty")["edges.csv"] == 7

        def broken(*_: object) -> Iterator[object]:
            raise OSError(28, "No space left on device")
            yield

        monkeypatch.setattr(pages, "episodes", broken)
        with pytest.raises(StoreError, match="No space left"):
            graph_csv.write(db, None, tmp_path / "full")
    assert (tmp_path / "mine" / "nodes.csv").read_text() == "kept"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "file", "mine"]
