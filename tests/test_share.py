"""A part of a memory as a file of its own: what was not chosen is not in it, in no byte."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from tkgmem import LLMError, Memory, NotFound, StoreError, restore
from tkgmem.testing import FixedClock, HashEmbedder, ScriptedLLM


@pytest.fixture
def told(memory: Memory, clock: FixedClock) -> Memory:
    memory.add("I have worked at Northwind since January 2024.", speaker="Maya", reference_time="2025-01-10")
    memory.add("Bo lives in Gdansk.", reference_time="2025-02-10")
    memory.add("Ana secretly moved to Reykjavik in 2023. Maya knows.", reference_time="2025-03-10")
    clock.advance(dt.timedelta(days=1))
    memory.add_fact("Maya", "KNOWS", "Bo", fact="Maya knows Bo from the harbour.", reference_time="2025-04-01")
    memory.add_fact("Maya", "LIVES_IN", "Tartu", valid_at="2020", reference_time="2026-04-01")
    memory.add_alias("Bo", "Bogdan")
    memory.add_fact("Oslo", "PART_OF", "Norway", group="geo")
    memory.retract(memory.as_of("2026", source="Maya", relation="LIVES_IN")[0].uuid, reason="Wellington said so")
    return memory


def shared(path: Path) -> Memory:
    memory = Memory(path, embedder=HashEmbedder(64))
    assert memory.doctor().ok
    return memory


def holds(path: Path, *words: str) -> list[bool]:
    content = path.read_bytes().lower()
    return [word.lower().encode() in content for word in words]


def facts(memory: Memory, **asked: str) -> set[tuple[str, str, str]]:
    return {(one.source.name, one.relation, one.target.name) for one in memory.as_of("2026", **asked)}


def test_of_an_entity_only_what_is_told_of_it_with_the_texts_that_say_so(told: Memory, path: Path) -> None:
    report = told.share(path, entities=["Maya"])
    assert (report.episodes, report.claims) == (1, 3)
    assert holds(path, "Northwind", "harbour", "tartu") == [True] * 3
    assert holds(path, "Reykjavik", "Gdansk", "Bogdan", "Oslo", "Wellington", "secretly") == [False] * 6
    with shared(path) as part:
        assert facts(part) == {("Maya", "WORKS_AT", "Northwind"), ("Maya", "KNOWS", "Bo")}
        assert facts(part, known_at="2026-12-01T12:00:00.000002") >= {("Maya", "LIVES_IN", "Tartu")}  # what was believed
        assert part.search("where does Maya work").facts[0].item.target.name == "Northwind"
        assert part.entity("Bo").entity.aliases == ()


def test_without_texts_no_sentence_of_a_text_is_in_it(told: Memory, path: Path) -> None:
    told.share(path, entities=["Maya"], episodes=False)
    assert holds(path, "I have worked", "since January", "Reykjavik") == [False] * 3
    with shared(path) as part:
        [job] = part.as_of("2026", relation="WORKS_AT")
        assert (job.fact, job.episodes, str(job.valid_at.date())) == ("Maya works at Northwind", (), "2024-01-01")
        assert part.episodes() == []
        assert part.search("Maya Northwind").facts[0].item.uuid == job.uuid
        assert [one.fact for one in part.as_of("2026", relation="KNOWS")] == ["Maya knows Bo from the harbour."]  # a program's


def test_of_a_time_only_what_was_told_in_it(told: Memory, path: Path) -> None:
    told.share(path, since="2025-02", until="2025-03")
    assert holds(path, "Gdansk", "Northwind", "Reykjavik", "harbour", "Bogdan") == [True, False, False, False, False]


def test_of_a_group_all_of_it_and_nothing_of_the_others(told: Memory, path: Path) -> None:
    told.share(path, group="geo")
    with shared(path) as part:
        assert part.stats().groups == ("geo",)
        assert facts(part, group="geo") == {("Oslo", "PART_OF", "Norway")}
    assert holds(path, "Maya", "Northwind", "Gdansk") == [False] * 3


def test_the_log_never_comes_along(path: Path, clock: FixedClock) -> None:

    said = {"entities": [{"name": "Ana"}], "facts": [], "note": "Zanzibar"}
    with Memory(":memory:", embedder=HashEmbedder(64), clock=clock, llm=ScriptedLLM([said])) as memory:
        memory.add("Ana says hello.")
        assert "Zanzibar" in memory.model_calls()[0].response
        memory.share(path)
    assert holds(path, "hello", "Zanzibar") == [True, False]


def test_who_is_who_comes_along(memory: Memory, path: Path, clock: FixedClock) -> None:
    memory.add_fact("Bob", "LIKES", "tea")
    memory.add_fact("Robert", "LIKES", "jam")
    memory.merge_entities("Robert", "Bob")
    memory.share(path, entities=["Robert"])
    with shared(path) as part:
        assert facts(part) == {("Robert", "LIKES", "tea"), ("Robert", "LIKES", "jam")}


@pytest.mark.slow  # a password is made hard to guess on purpose
def test_sealed_it_opens_with_its_password_only(told: Memory, path: Path, tmp_path: Path) -> None:
    told.share(path, entities=["Maya"], password="correct horse")
    assert holds(path, "Northwind", "SQLite") == [False, False]
    with pytest.raises(StoreError, match="password"):
        restore(path, tmp_path / "other.db", password="wrong")
    restore(path, tmp_path / "other.db", password="correct horse")
    with shared(tmp_path / "other.db") as part:
        assert ("Maya", "WORKS_AT", "Northwind") in facts(part)


def test_what_fits_nothing_writes_nothing(told: Memory, path: Path) -> None:
    with pytest.raises(NotFound, match="'Nobody'"):
        told.share(path, entities=["Nobody"])
    with pytest.raises(NotFound, match="nothing in 'default'"):
        told.share(path, since="2030")
    with pytest.raises(NotFound):
        told.share(path, group="no such")
    with pytest.raises(ValueError, match=r"entities is a list, such as \['Maya'\]"):
        told.share(path, entities="Maya")  # type: ignore[arg-type]
    assert not path.exists()


def test_who_was_told_apart_does_not_come_along(memory: Memory, path: Path, clock: FixedClock) -> None:
    memory.add_fact("Ann Lee", "LIKES", "jasmine")
    memory.add_fact("Ann Kowalski", "HAS_DISEASE", "Zebrapox")
    memory.add_fact("Ann Lee", "KNOWS", "Wolfram")
    memory.merge_entities("Ann Lee", "Ann Kowalski")
    clock.advance(dt.timedelta(days=1))
    memory.split_entity("Ann Lee")
    memory.split_entity("Ann Lee", claims=[memory.as_of("2026", relation="KNOWS")[0]], name="Ann B.")
    memory.share(path, entities=["Ann Lee"])
    assert holds(path, "jasmine", "Zebrapox", "Wolfram", "Kowalski") == [True, False, False, False]
    memory.share(path.with_name("b.db"), entities=["Ann B."])
    assert holds(path.with_name("b.db"), "Wolfram", "jasmine") == [True, False]
    with shared(path.with_name("b.db")) as part:
        assert facts(part) == {("Ann B.", "KNOWS", "Wolfram")}


def test_what_was_taken_back_later_still_holds_in_a_share_of_before(memory: Memory, path: Path, clock: FixedClock) -> None:
    wrong = memory.add_fact("Maya", "LIVES_IN", "Porto", valid_at="2020", reference_time="2026-11-01")
    later = memory.add_fact("Maya", "LIKES", "tea", reference_time="2026-11-01")
    memory.add_alias("Maya", "MM")
    clock.advance(dt.timedelta(days=30))
    memory.correct(wrong.uuid, valid_at="1999")
    memory.retract(later.uuid)
    memory.add_alias("Maya", "Old Maya")
    memory.share(path, entities=["Maya"], until="2026-12-10")
    with shared(path) as part:
        assert facts(part) == {("Maya", "LIVES_IN", "Porto"), ("Maya", "LIKES", "tea")}
        assert str(part.as_of("2026", relation="LIVES_IN")[0].valid_at.date()) == "2020-01-01"
        assert part.entity("Maya").entity.aliases == ("MM",)


def test_attributes_settings_and_errors_of_texts_stay_behind(path: Path, clock: FixedClock) -> None:
    said = {"entities": [{"name": "Ana"}, {"name": "Porto"}], "facts": []}
    model = ScriptedLLM([said, LLMError("Quagga said no")])
    with Memory(":memory:", embedder=HashEmbedder(64), clock=clock, llm=model) as memory:
        memory.add("Ana is in Porto.", instructions="my boss Grumpel")
        memory.add_many([{"content": "Ana waits."}])
        told = memory.episodes(state="done")[0].uuid
        memory.add_fact("Ana", "LIVES_IN", "Porto", episode=told, attributes={"quote": "Xylophone"})
        memory.define_relation("KEEPS_SECRET", functional=False)
        memory.share(path)
        memory.share(path.with_name("b.db"), episodes=False)
    assert holds(path, "Ana waits", "Grumpel", "Quagga", "KEEPS_SECRET", "Xylophone") == [True, False, False, False, True]
    assert holds(path.with_name("b.db"), "Xylophone") == [False]


def test_an_entity_is_looked_for_in_every_group_that_was_asked_for(memory: Memory, path: Path) -> None:
    for group in ("g1", "家"):
        memory.add_fact("Ann", "LIKES", f"tea {group}", group=group)
    assert memory.share(path, group=["g1", "家"], entities=["Ann"]).claims == 2
