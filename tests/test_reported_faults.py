"""Faults found by using it hard, each as the small input that showed it."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import numpy as np
import pytest

from tkgmem import BadResponse, InvalidPeriod, Memory, Moment, NotFound
from tkgmem.store import derivation
from tkgmem.testing import FixedClock, HashEmbedder


def names(memory: Memory, when: str, **filters: object) -> list[str]:
    return sorted(f"{f.source.name} {f.relation} {f.target.name}" for f in memory.as_of(when, **filters))  # type: ignore[arg-type]


def derived(memory: Memory) -> list[list[tuple[object, ...]]]:
    with memory._store.read() as db:
        return [
            sorted((row[1:] for row in db.execute("SELECT * FROM versions")), key=repr),
            sorted(db.execute("SELECT * FROM supports"), key=repr),
        ]


def test_a_correction_of_an_inverse_keeps_who_it_speaks_of(memory: Memory) -> None:
    fact = memory.add_fact("Boss", "MANAGES", "Ana", valid_at="2020")
    assert names(memory, "2021") == ["Ana REPORTS_TO Boss"]
    memory.correct(fact.uuid, target="Chief")
    assert names(memory, "2021") == ["Ana REPORTS_TO Chief"]


def test_a_correction_of_a_symmetric_fact_keeps_the_source_it_shows(memory: Memory) -> None:
    memory.add_fact("Ana", "MARRIED_TO", "Bo", valid_at="2021")
    fact = memory.add_fact("Bo", "MARRIED_TO", "Ana", valid_at="2020")
    assert (fact.source.name, fact.target.name) == ("Ana", "Bo")
    memory.correct(fact.uuid, target="Carl")
    assert names(memory, "2022") == ["Ana MARRIED_TO Carl"]


def test_a_corrected_end_ends_at_the_new_date(memory: Memory) -> None:
    fact = memory.add_fact("Ana", "WORKS_AT", "Acme", valid_at="2020")
    memory.end_fact("Ana", "WORKS_AT", "Acme", at="2022")
    end = memory.timeline("Ana")[0].by
    assert end is not None
    assert memory.correct(end, invalid_at="2023").uuid == fact.uuid
    assert names(memory, "2022-06") == ["Ana WORKS_AT Acme"]
    assert names(memory, "2023-06") == []
    with pytest.raises(ValueError, match="ended"):
        memory.correct(memory.timeline("Ana")[0].by or "", target="Bolt")


@pytest.mark.parametrize("change", [{"inverse": "P"}, {"inverse": "OTHER"}], ids=["symmetric", "another inverse"])
def test_an_inverse_that_moves_leaves_nothing_behind(memory: Memory, change: dict[str, str]) -> None:
    memory.define_relation("P", functional=True, inverse="Q")
    memory.add_fact("a", "Q", "b", valid_at="2020")
    memory.define_relation("P", functional=True, **change)  # type: ignore[arg-type]
    memory.add_fact("c", "Q", "d", valid_at="2020")
    assert names(memory, "2021", relation="Q") == ["a Q b", "c Q d"]
    before = derived(memory)
    with memory._store.write() as db:
        derivation.rebuild(db)
    assert derived(memory) == before


def test_an_alias_of_an_alias_is_found_by_every_name(memory: Memory) -> None:
    memory.add_fact("c", "Q", "d", valid_at="2020")
    memory.define_relation("P", functional=True, aliases=["Q"])
    memory.define_relation("WORKS_AT", functional=True, aliases=["P"])
    for relation in ("Q", "P", "WORKS_AT", "EMPLOYED_BY"):
        assert names(memory, "2021", relation=relation) == ["c WORKS_AT d"]


def test_an_inverse_of_a_plain_relation_reads_it_from_the_other_end(memory: Memory) -> None:
    memory.define_relation("TEACHES", functional=False, inverse="TAUGHT_BY")
    memory.add_fact("Ana", "TEACHES", "Bo", valid_at="2020")
    memory.add_fact("Cy", "TAUGHT_BY", "Ana", valid_at="2020")
    assert names(memory, "2021", source="Ana", relation="TEACHES") == ["Ana TEACHES Bo", "Ana TEACHES Cy"]
    assert names(memory, "2021", source="Bo", relation="taught by") == ["Bo TAUGHT_BY Ana"]


def test_a_uuid_names_one_claim_only(memory: Memory) -> None:
    told = {"uuid": "u", "valid_at": "2020"}
    fact = memory.add_fact("Ana", "LIKES", "tea", **told)  # type: ignore[arg-type]
    assert memory.add_fact("ana ", "likes", "TEA", **told).uuid == fact.uuid  # type: ignore[arg-type]
    for other in (("Ana", "LIKES", "milk"), ("Ana", "OWNS", "tea"), ("Bo", "LIKES", "tea")):
        with pytest.raises(ValueError, match="taken"):
            memory.add_fact(*other, **told)  # type: ignore[arg-type]
    memory.correct("u", valid_at="2021")
    assert memory.add_fact("Ana", "LIKES", "tea", **told).valid_at == dt.datetime(2021, 1, 1, tzinfo=dt.UTC)  # type: ignore[arg-type]
    memory.retract("u")
    with pytest.raises(NotFound, match="taken back"):
        memory.add_fact("Ana", "LIKES", "tea", **told)  # type: ignore[arg-type]


def test_rare_words_of_another_group_or_of_later_texts_do_not_count(memory: Memory, clock: FixedClock) -> None:
    for number in range(30):
        memory.add(f"note {number}: tennis court", extract=False, group="a")
    clock.advance(dt.timedelta(hours=1))
    then = clock()
    clock.advance(dt.timedelta(hours=1))
    memory.add("zebra crossing", extract=False, group="b")
    memory.add("zebra crossing", extract=False, group="a")
    notes = {f"note {number}: tennis court" for number in range(30)}
    for asked, expected in (({"known_at": then}, notes), ({}, notes | {"zebra crossing"})):
        hits = memory.search("zebra tennis", limit=50, scopes=["episodes"], group="a", recipe="bm25", **asked).episodes  # type: ignore[arg-type]
        assert {hit.item.content for hit in hits} == expected
        assert hits[0].item.content == "zebra crossing" or "known_at" in asked


@pytest.mark.parametrize("bad", [Moment(10**18), Moment(1.5), Moment(0, "century")])  # type: ignore[arg-type]
def test_an_impossible_moment_is_refused(memory: Memory, bad: Moment) -> None:
    with pytest.raises(ValueError, match="not a date"):
        memory.add_fact("Ana", "LIKES", "tea", valid_at=bad)
    assert memory.stats().claims == 0


@pytest.mark.parametrize("text", ["2025-09-02 23:30-05:00", "2025-09-02T23:30-05:00", "2025-09-02t23:30-05:00"])
def test_an_offset_is_kept_however_it_is_written(memory: Memory, text: str) -> None:
    """T02-03: yesterday is the first of September where it was said."""
    [fact] = memory.add("Ana joined Acme yesterday.", reference_time=text).facts
    assert fact.valid_at == dt.datetime(2025, 9, 1, 5, tzinfo=dt.UTC)


def test_forgotten_words_are_nowhere_in_the_file(path: Path, clock: FixedClock) -> None:
    with Memory(path, embedder=HashEmbedder(8), clock=clock) as memory:
        kept = memory.add_fact("Ana", "LIVES_IN", "Paris", valid_at="2020")
        told = memory.add("the canarybird sang", speaker="Canaryman", name="canaryname", metadata={"canarykey": 1})
        memory.add_fact("Canaryman", "CANARYREL", "Canaryland", fact="canaryfact", episode=told.episode.uuid)
        memory.correct(kept.uuid, target="Canaryville", episode=told.episode.uuid, reason="canaryreason")
        memory.forget(episode=told.episode.uuid)
        assert names(memory, "2021") == ["Ana LIVES_IN Paris"]
    assert b"canary" not in path.read_bytes().lower()


def test_only_what_ends_earlier_than_before_is_said_to_end(memory: Memory) -> None:
    memory.add("Ana moved to Oslo in May 2020.", reference_time="2021-01-01")
    memory.add("Ana moved to Rome in May 2022.", reference_time="2022-06-01")
    late = memory.add("Ana moved to Lima in May 2017.", reference_time="2022-07-01")
    assert [fact.target.name for fact in late.facts] == ["Lima"]
    assert late.ended == []


def test_nothing_is_written_when_a_later_text_has_a_taken_uuid(memory: Memory) -> None:
    memory.add("one", uuid="u", extract=False)
    batch = [{"content": f"text {n}", "extract": False} for n in range(70)] + [{"content": "two", "uuid": "u"}]
    with pytest.raises(ValueError, match=r"episode 70: .*taken"):
        memory.add_many(batch)
    assert memory.stats().episodes == 1


def test_a_plan_that_came_true_is_no_plan_any_more(memory: Memory, clock: FixedClock) -> None:
    memory.add_fact("Ana", "WORKS_AT", "Acme", valid_at="2030", planned=True)
    assert [version.planned for version in memory.timeline("Ana")] == [True]
    clock.advance(dt.timedelta(days=1))
    memory.add_fact("Ana", "WORKS_AT", "Acme", valid_at="2030", invalid_at="2031")
    assert [version.planned for version in memory.timeline("Ana")] == [False]
    assert [version.planned for version in memory.history("Ana")] == [True, False]


@pytest.mark.parametrize("value", [None, 5, b"x"])
def test_a_uuid_that_is_no_text_is_refused(memory: Memory, value: object) -> None:
    with pytest.raises(ValueError, match="text"):
        memory.retract(value)  # type: ignore[arg-type]


def test_odd_arguments_are_refused_in_words(memory: Memory, clock: FixedClock) -> None:
    fact = memory.add_fact("Ana", "LIKES", "tea", valid_at="2020")
    with pytest.raises(NotFound):
        memory.retract("\ud800")
    with pytest.raises(ValueError, match="surrogate"):
        memory.retract(fact.uuid, reason="\ud800")
    with pytest.raises(ValueError, match="limit"):
        memory.episodes(limit="x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="path"):
        Memory(5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="clock"):
        Memory(":memory:", embedder=HashEmbedder(8), clock=lambda: 5).add("x")  # type: ignore[arg-type,return-value]
    with pytest.raises(ValueError, match="target"):
        memory.correct(fact.uuid, target=None)  # type: ignore[arg-type]
    with pytest.raises(InvalidPeriod, match=r"2020.*2019"):
        memory.correct(fact.uuid, invalid_at="2019")
    for argument in ({"metadata": {1: 2}}, {"metadata": {"a": float("nan")}}, {"metadata": {"a": object()}}):
        with pytest.raises(ValueError, match="metadata"):
            memory.add("x", **argument)  # type: ignore[arg-type]
    assert len(memory.search("tea", limit=2**70).facts) == 1


def test_a_bad_vector_of_a_question_is_named(memory: Memory) -> None:
    class Broken(HashEmbedder):
        def embed_queries(self, texts: object) -> np.ndarray:
            assert texts
            return np.full((1, 8), np.nan, dtype=np.float32)

    broken = Memory(":memory:", embedder=Broken(8))
    broken.add_fact("Ana", "LIKES", "tea")
    with pytest.raises(BadResponse, match="not finite"):
        broken.search("tea")


def test_the_same_words_of_two_people_or_conversations_are_two_episodes(memory: Memory) -> None:
    same = {"content": "Thanks!", "reference_time": "2024-01-01T10:00", "source": "message"}
    said = [{"speaker": "Ana", "name": "a"}, {"speaker": "Bo", "name": "a"}, {"speaker": "Ana", "name": "b"}, {}]
    memory.add_many([{**same, **who} for who in said])
    assert memory.stats().episodes == 4
    memory.add_many([{**same, **who} for who in said])
    assert memory.stats().episodes == 4
