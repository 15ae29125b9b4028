"""What holds for every history: order of arrival, immutable earlier belief, repetition, groups, time zones, rebuilding."""

from __future__ import annotations

import contextlib
import datetime as dt
import random
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from histories import DATES, Assert, End, Op, histories, histories_that_keep_all, histories_that_only_grow
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import FUNCTIONAL, Twins, empty, tell, utc

from tkgmem import Fact, Memory
from tkgmem.store import derivation
from tkgmem.testing import FixedClock, HashEmbedder


@st.composite
def claims_with_distinct_dates(draw: st.DrawFn) -> list[Op]:
    """Claims about one functional pile, no two of which start, or end, on the same day."""
    starts = draw(st.lists(st.sampled_from(DATES), min_size=2, max_size=6, unique=True))
    ops: list[Op] = []
    for start in starts:
        triple = ("g", "ana", "WORKS_AT", draw(st.sampled_from(["x", "y", "z"])))
        kind = draw(st.sampled_from(["open", "bounded", "undated", "end"]))
        if kind == "end":
            ops.append(End(triple, start + dt.timedelta(hours=1), None))
        elif kind == "undated":
            ops.append(Assert(triple, None, None, start, None))
        else:
            end = start + dt.timedelta(days=draw(st.integers(1, 4)), hours=2) if kind == "bounded" else None
            ops.append(Assert(triple, start, end, None, None))
    return ops


@given(claims_with_distinct_dates(), st.randoms(use_true_random=False))
@settings(max_examples=55)
def test_claims_with_distinct_dates_give_one_present_answer_in_any_order_of_arrival(
    ops: list[Op], chance: random.Random
) -> None:
    shuffled = list(ops)
    chance.shuffle(shuffled)
    first, second = tell(ops), tell(shuffled)
    with contextlib.closing(first.memory), contextlib.closing(second.memory):
        assert first.answers() == second.answers(), first.story("another order of arrival answers differently")


@given(histories_that_keep_all)
@settings(max_examples=28)
def test_what_is_told_later_never_changes_what_was_believed_earlier(ops: list[Op]) -> None:
    twins = empty()
    with contextlib.closing(twins.memory):
        twins.groups, twins.boundaries = {"g", "h"}, set(DATES)
        believed = []
        for op in ops:
            twins.tell(op)
            believed.append(set_of_answers(twins, None))
        for n, answers in enumerate(believed, start=1):
            assert set_of_answers(twins, n) == answers, twins.story(f"known_at=T{n} changed its answer")


def set_of_answers(twins: Twins, known: int | None) -> set[tuple[dt.datetime, tuple[str, str, str, str]]]:
    """The answers on the dates of the grid, in both groups."""
    return {(date, triple) for date in DATES for triple in twins.answer(date, known)}


@given(histories)
@settings(max_examples=28)
def test_a_functional_relation_never_holds_two_targets_at_once(ops: list[Op]) -> None:
    twins = tell(ops)
    with contextlib.closing(twins.memory):
        for (t, known), triples in twins.answers((None, *range(1, twins.count + 1))).items():
            slots = [triple[:3] for triple in triples if triple[2] in FUNCTIONAL]
            assert len(slots) == len(set(slots)), twins.story(f"two targets at {t}, known at T{known}")


@given(histories_that_only_grow)
@settings(max_examples=28)
def test_a_second_group_with_mirrored_content_changes_nothing_in_the_first(ops: list[Op]) -> None:
    single, mirrored = tell(ops), empty()
    with contextlib.closing(single.memory), contextlib.closing(mirrored.memory):
        for op in ops:
            mirrored.tell(op)
            mirror(mirrored.memory, op)
        known = (None, *range(1, single.count + 1))
        assert mirrored.answers(known) == single.answers(known), single.story("the mirror was seen")


def mirror(memory: Memory, op: Op) -> None:
    """The same statement in a third group, where nothing else is told."""
    match op:
        case End(triple=(_, source, relation, target)):
            memory.end_fact(source, relation, target, at=utc(op.at), group="mirror")
        case Assert(triple=(_, source, relation, target)) if not (op.start and op.end and op.end <= op.start):
            memory.add_fact(
                source,
                relation,
                target,
                valid_at=utc(op.start),
                invalid_at=utc(op.end),
                reference_time=utc(op.ref),
                group="mirror",
            )


@given(histories)
@settings(max_examples=28)
def test_rebuilding_from_the_claims_reproduces_every_derived_row(ops: list[Op]) -> None:
    twins = tell(ops)
    with contextlib.closing(twins.memory):
        before = derived_rows(twins.memory)
        with twins.memory._store.write() as db:
            derivation.rebuild(db)
        assert derived_rows(twins.memory) == before, twins.story("a rebuild gives other rows")


def derived_rows(memory: Memory) -> dict[str, list[tuple[object, ...]]]:
    """The tables derived from the claims, without the row numbers."""
    rows = {}
    with memory._store.read() as db:
        for table in ("versions", "supports"):
            columns = [name for _, name, *_ in db.execute(f"PRAGMA table_info({table})") if name != "id"]
            rows[table] = sorted(db.execute(f"SELECT {', '.join(columns)} FROM {table}"), key=repr)
    return rows


@given(histories)
@settings(max_examples=28)
def test_the_same_history_gives_the_same_rows(ops: list[Op]) -> None:
    first, second = tell(ops), tell(ops)
    with contextlib.closing(first.memory), contextlib.closing(second.memory):
        for group in ("g", "h"):
            assert seen(first.memory, group) == seen(second.memory, group)


def seen(memory: Memory, group: str) -> list[Fact]:
    """Every fact that holds on some date of the grid, with all its fields."""
    return [fact for date in DATES for fact in memory.as_of(utc(date), group=group)]


@pytest.mark.parametrize(
    "content", ["Mira works at Acme since 2020.", "小李在 A 公司工作", "nothing to extract here", "Mira likes tea 😀"]
)
def test_the_same_episode_again_changes_nothing(memory: Memory, clock: FixedClock, content: str) -> None:
    first = memory.add(content, reference_time="2026-03-01", speaker="Mira")
    before = (memory.stats(), memory.as_of("2026-11-01"), memory.episodes())
    clock.advance(dt.timedelta(days=1))
    again = memory.add(content, reference_time="2026-03-01", speaker="Mira")
    assert again.episode == first.episode
    assert (memory.stats(), memory.as_of("2026-11-01"), memory.episodes()) == before


@pytest.mark.parametrize("relation", ["WORKS_AT", "LIKES"])
@pytest.mark.parametrize(
    "bounds",
    [{"valid_at": "2020"}, {"valid_at": "2020", "invalid_at": "2022"}, {"reference_time": "2021"}, {"invalid_at": "2022"}],
)
def test_the_same_statement_in_another_episode_changes_provenance_only(
    memory: Memory, relation: str, bounds: dict[str, str]
) -> None:
    one, two = (memory.add(content, reference_time="2021", extract=False).episode.uuid for content in ("one", "two"))
    first = memory.add_fact("Mira", relation, "Acme", episode=one, **bounds)
    again = memory.add_fact("Mira", relation, "Acme", episode=two, **bounds)
    assert again.episodes == (one, two)
    assert again.claims[0] == first.uuid == again.uuid
    assert replace(again, episodes=first.episodes, claims=first.claims) == first
    assert memory.as_of("2021-06-01") == [again]


@pytest.mark.parametrize("zone", ["Asia/Kolkata", "America/Los_Angeles", "Pacific/Kiritimati"])
def test_the_time_zone_of_the_machine_changes_no_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, zone: str) -> None:
    with local_time("UTC", monkeypatch):
        expected = rows_written(tmp_path / "utc.db")
    with local_time(zone, monkeypatch):
        assert rows_written(tmp_path / "local.db") == expected


@contextlib.contextmanager
def local_time(zone: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The process's local time set to a zone."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", zone)
        time.tzset()
        yield
    time.tzset()


def rows_written(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """All rows of all ordinary tables after one use of every way to give a date."""
    clock = FixedClock(dt.datetime(2026, 6, 7, 23, 30, tzinfo=dt.UTC))
    with Memory(path, embedder=HashEmbedder(16), clock=clock) as memory:
        memory.add("I work at Acme since yesterday.", speaker="Mira", reference_time="2026-03-01 10:00")
        memory.add("我今天搬到了杭州", speaker="小李")
        memory.add_fact("Mira", "LIVES_IN", "Porto", valid_at=dt.date(2026, 3, 29))
        memory.add_fact("Mira", "LIVES_IN", "Lyon", valid_at=dt.datetime(2026, 3, 29, 2, 30))  # noqa: DTZ001
        memory.add_fact("Mira", "LIKES", "tea")
        memory.end_fact("Mira", "LIVES_IN", "Lyon", at="2026-06-01T00:00:00-07:00")
    with contextlib.closing(sqlite3.connect(path)) as file:
        tables = file.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
        return {name: file.execute(f'SELECT * FROM "{name}"').fetchall() for (name,) in tables.fetchall()}
