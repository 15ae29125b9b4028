"""Forgetting: the bytes are nowhere in the file, what others support stays, and answers are as if it had never been said."""

from __future__ import annotations

import datetime as dt
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.reliability.canary import SEED, History
from benchmarks.reliability.raw_bytes import hits, needles_of
from tkgmem import AmbiguousName, Fact, Memory, NotFound
from tkgmem.protocols import Request
from tkgmem.store import lexical, remains, write
from tkgmem.store.connection import Connection, Store
from tkgmem.testing import FixedClock, HashEmbedder, ScriptedLLM

NOON = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
LATIN, HAN = "Qzvorklumptix", "獭貘鸮豺鼩蝾螈"


def opened(path: Path | str, answers: Any = None, **more: Any) -> Memory:
    clock = FixedClock(NOON, step=dt.timedelta(seconds=1))
    model = None if answers is None else ScriptedLLM(answers)
    return Memory(path, embedder=HashEmbedder(16), clock=clock, llm=model, **more)


@pytest.fixture
def kept(path: Path) -> Iterator[Memory]:
    with opened(path) as memory:
        memory.add("Nothing to see here.", extract=False)
        yield memory


def there(path: Path, *words: str) -> bool:
    """Whether any stretch of the words is in the file or beside it."""
    return bool(hits(path, {needle for word in words for needle in needles_of(word)})[0])


def lines(facts: list[Fact]) -> set[tuple[str, ...]]:
    return {tuple(map(str, (one.source.name, one.relation, one.target.name, one.valid_at, one.invalid_at))) for one in facts}


def query(memory: Memory, sql: str) -> list[tuple[Any, ...]]:
    with memory._store.read() as db:
        return [tuple(row) for row in db.execute(sql)]


# --- every place ---

TEXTS: dict[str, Callable[[str], dict[str, Any]]] = {
    "content": lambda word: {"content": f"one {word} two"},
    "a long text": lambda word: {"content": f"{'lorem ' * 2_500}{word} {'ipsum ' * 2_500}"},
    "name": lambda word: {"content": "hello", "name": word},
    "description": lambda word: {"content": "hello", "description": f"of {word}"},
    "speaker": lambda word: {"content": "hello", "speaker": word, "extract": True},
    "metadata": lambda word: {"content": "hello", "metadata": {word: {"a": [word]}}},
    "instructions": lambda word: {"content": "hello", "instructions": f"mind {word}"},
}
FACTS: dict[str, Callable[[str], dict[str, Any]]] = {
    "source": lambda word: {"source": word},
    "relation": lambda word: {"relation": word},
    "target": lambda word: {"target": f"the {word}"},
    "sentence": lambda word: {"fact": f'she said "{word}"\n'},
    "attributes": lambda word: {"attributes": {word: [f"{word}s"]}},
}


@pytest.mark.parametrize("place", TEXTS)
def test_nothing_of_a_text_is_left(kept: Memory, path: Path, place: str) -> None:
    told = {word: kept.add(**{"extract": False, **TEXTS[place](word)}).episode.uuid for word in (LATIN, HAN)}
    for word, uuid in told.items():
        assert there(path, word)
        kept.forget(episode=uuid)
        assert not there(path, word)


@pytest.mark.parametrize("place", FACTS)
def test_nothing_of_a_fact_is_left(kept: Memory, path: Path, place: str) -> None:
    told = {}
    for word, tea in (LATIN, "green tea"), (HAN, "black tea"):
        told[word] = kept.add_fact(**{"source": "Ana", "relation": "LIKES", "target": tea, **FACTS[place](word)}).uuid
    for word, uuid in told.items():
        kept.retract(uuid, reason=f"not {word}")
        assert there(path, word)
        kept.forget(fact=uuid)
        assert not there(path, word)


def test_nothing_of_an_entity_is_left_by_whichever_name(kept: Memory, path: Path) -> None:
    kept.add_fact(LATIN, "LIKES", "tea")
    kept.add_fact("Nan", "LIKES", "milk")
    kept.add_alias(LATIN, HAN)
    kept.merge_entities("Nan", HAN, reason=f"{LATIN} is her stage name")
    kept.add(f"{HAN} was here.", speaker="Nan")
    kept.forget(entity="Nan")
    assert not there(path, LATIN, HAN)
    assert kept.stats().entities == 0
    assert kept.doctor().ok


def test_nothing_of_a_group_is_left(kept: Memory, path: Path) -> None:
    before = lines(kept.as_of("2026"))
    kept.add(f"{HAN} moved to Porto.", group=LATIN, speaker=HAN)
    kept.add_fact(HAN, f"{HAN}S", "milk", group=LATIN)
    kept.forget(group=LATIN)
    assert not there(path, LATIN, HAN)
    assert kept.stats().groups == ("default",)
    assert lines(kept.as_of("2026")) == before
    assert kept.doctor().ok


def reading(request: Request) -> object:
    if request.purpose == "judge":
        return {"contradictions": [], "mentions": []}
    entities = [{"id": 1, "name": "Ana", "aliases": [HAN]}, {"id": 2, "name": LATIN.title(), "attributes": {"mood": LATIN}}]
    return {"entities": entities, "facts": [{"source": 1, "relation": LATIN, "target": 2, "sentence": "so"}], "note": HAN}


def test_nothing_of_what_a_model_read_is_left_nor_its_log(path: Path) -> None:
    with opened(path, reading) as memory:
        told = memory.add("Ana, as ever.", instructions=HAN).episode
        assert there(path, LATIN)
        assert memory.forget(episode=told.uuid).model_calls == 1
        assert not there(path, LATIN, HAN)
        assert memory.doctor().ok


@pytest.mark.parametrize("merged", [False, True])
def test_a_fact_that_a_model_was_shown_goes_from_the_log(path: Path, merged: bool) -> None:
    def answer(request: Request) -> object:
        if request.purpose == "judge":
            return {"contradictions": []}
        entities = [{"id": 1, "name": "Ana"}, {"id": 2, "name": "tea"}]
        return {"entities": entities, "facts": [{"source": 1, "relation": "DISLIKES", "target": 2, "sentence": "so"}]}

    with opened(path, answer) as memory:
        known = memory.add_fact("Anouk" if merged else "Ana", f"ADORES {LATIN}", "tea")
        if merged:  # the model is then shown another name than the fact was told with
            memory.add_fact("Ana", "LIKES", "milk")
            memory.merge_entities("Ana", "Anouk")
        memory.add("Ana dislikes tea.")
        assert any(f"Ana ADORES_{LATIN.upper()} tea" in call.request for call in memory.model_calls())
        memory.forget(fact=known.uuid)
        assert [call.purpose for call in memory.model_calls()] == ["extract"]
        assert not there(path, LATIN.upper())


def test_what_analyze_kept_goes_too(kept: Memory, path: Path) -> None:
    facts = [kept.add_fact(f"{LATIN} {number}", "LIKES", "tea").uuid for number in range(8)]
    with kept._store.write() as db:
        db.execute("ANALYZE")
    kept.forget(fact=facts)
    assert not there(path, LATIN)


def test_the_vectors_go_bit_by_bit(kept: Memory, path: Path) -> None:
    told = kept.add("the kingfisher sits by the river", speaker="Ana")
    vectors = [blob for (blob,) in query(kept, "SELECT vector FROM vectors")]
    kept.forget(episode=told.episode.uuid)
    left = {blob for (blob,) in query(kept, "SELECT vector FROM vectors")}
    gone = {blob[start : start + 16] for blob in set(vectors) - left for start in range(0, 49, 4)}
    assert gone
    assert not hits(path, {part for part in gone if part.count(0) < 4})[0]


def test_words_go_from_an_index_that_once_had_more_levels() -> None:
    """There 'optimize' keeps a deleted word, marked as deleted."""
    chance, live, row = random.Random(4), dict[int, list[str]](), 0
    with Store(":memory:") as store:
        for step in range(24):
            with store.write() as db:
                for _ in range(chance.choice([1, 1, 3, 50])):
                    row += 1
                    live[row] = ["".join(chance.choices(LETTERS, k=16)) for _ in range(chance.choice([1, 2, 30]))]
                    lexical.index_claim(db, row, f"{' '.join(live[row])} in common words")
            if step % 3 == 1:
                continue
            gone = sorted(live) if step % 8 == 5 else chance.sample(sorted(live), min(3, len(live)))
            words = [word for one in gone for word in live.pop(one)]
            with store.write() as db:
                lexical.forget(db, claims=gone)
                index = b"".join(block for (block,) in db.execute("SELECT block FROM claim_text_data"))
                assert not [word for word in words if word[6:].encode() in index]
                assert [found for (found,) in db.execute("SELECT rowid FROM claim_text")] == sorted(live)


def test_stale_copies_of_rows_are_removed(path: Path) -> None:
    """SQLite leaves some when it moves rows between pages, and overwrites only the rows themselves."""
    chance, live, stale = random.Random(5), dict[int, str](), 0
    with Store(path) as store:
        with store.write() as db:
            group = write.group(db, "default")
        for _ in range(5):
            with store.write() as db:
                for _ in range(60):
                    word = "".join(chance.choices(LETTERS, k=16))
                    name = word + "x" * chance.choice([0, 0, 20, 90, 900])
                    live[write.insert_entity(db, uuid=word, group_id=group, name=name, at=1)] = word
            gone = chance.sample(sorted(live), len(live) // 4)
            words = [live.pop(row) for row in gone]
            with store.write() as db:
                write.delete_entities(db, gone)
            assert store.clean()
            stale += there(path, *words)
            with store.write() as db:
                remains.mark(db)
            assert store.clean()
            assert not there(path, *words)
    assert stale


def test_who_forgot_and_was_stopped_before_the_end_is_followed_up_by_the_next_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(db: Connection) -> None:
        raise KeyboardInterrupt

    with opened(path) as memory:
        uuid = memory.add(f"{LATIN} was here", extract=False).episode.uuid
        with monkeypatch.context() as patch:
            patch.setattr(remains, "remove", stop)
            with pytest.raises(KeyboardInterrupt):
                memory.forget(episode=uuid)
    done: list[bool] = []
    monkeypatch.setattr(remains, "remove", lambda db, real=remains.remove: done.append(real(db) is None))
    with opened(path) as memory:
        assert done == [True]
        assert memory.episodes() == []
    with opened(path):
        assert done == [True]


@pytest.mark.slow
def test_a_random_memory_forgotten_in_random_order_leaves_no_canary(path: Path) -> None:
    counts = History(path, random.Random(SEED), 1024).run(sources=9)
    assert counts["scans"] > 2
    assert counts["needles"] > 100
    assert counts["hits"] == 0


# --- what stays ---


def test_what_another_source_supports_stays(kept: Memory) -> None:
    texts = [kept.add(text, extract=False).episode.uuid for text in ("Ana likes tea.", "Tea is what Ana likes.")]
    for text in texts:
        kept.add_fact("Ana", "LIKES", "tea", valid_at="2020", episode=text)
    [fact] = kept.as_of("2021")
    assert kept.forget(episode=texts[0]).facts == ()
    assert [one.episodes for one in kept.as_of("2021")] == [(texts[1],)]
    assert kept.forget(episode=texts[1]).facts == fact.claims[1:]
    assert kept.as_of("2021") == []


STORY = (
    ("Ana", "WORKS_AT", "Acme", "2018", "a"),
    ("Ana", "WORKS_AT", "Bolt", "2020", "b"),
    ("Bo", "KNOWS", "Ana", "2019", "b"),
    ("Bo", "WORKS_AT", "Cern", "2021", None),
    ("Ana", "WORKS_AT", "Cern", "2022", "c"),
    ("Bo", "LIKES", "tea", "2017", None),
    ("Bo", "LIVES_IN", "Porto", "2018", "c"),
    ("Bo", "LIVES_IN", "Rome", "2016", None),
)
AFTER = {
    "episode": lambda fact: fact[4] != "b",
    "entity": lambda fact: "Acme" not in fact and fact[4] != "a",
    "fact": lambda fact: fact[3] != "2021",
}


@pytest.mark.parametrize("what", AFTER)
def test_answers_at_every_time_are_as_if_it_had_never_been_said(what: str) -> None:
    answers = []
    for said in (True, False):
        clock = FixedClock(NOON)
        with Memory(":memory:", embedder=HashEmbedder(16), clock=clock) as memory:
            texts = {key: memory.add(f"text {key}", extract=False).episode.uuid for key in "abc"}
            told = {}
            for fact in STORY:
                clock.advance(dt.timedelta(hours=1))
                if said or AFTER[what](fact):
                    told[fact[3]] = memory.add_fact(*fact[:3], valid_at=fact[3], episode=texts.get(fact[4] or "")).uuid
            if said:
                doomed = {"episode": texts["b"], "entity": "Acme", "fact": told["2021"]}
                memory.forget(**{what: doomed[what]})
            answers.append(
                [
                    lines(memory.as_of(str(year), known_at=NOON + dt.timedelta(hours=hour)))
                    for year in range(2016, 2027)
                    for hour in range(10)
                ]
            )
            assert memory.doctor().ok
    assert answers[0] == answers[1]


def test_a_correction_goes_with_the_entity_that_it_names(kept: Memory) -> None:
    fact = kept.add_fact("Ana", "LIVES_IN", "Paris", valid_at="2020")
    kept.correct(fact.uuid, target="Lyon")
    kept.forget(entity="Lyon")
    assert [one.target.name for one in kept.as_of("2021")] == ["Paris"]
    assert kept.history(fact.uuid)


def test_an_entity_goes_with_what_is_said_of_it_and_the_texts_that_name_it(kept: Memory) -> None:
    kept.add("Maya moved to Lisbon in 2021.", speaker="Bo")
    kept.add("Zoe moved to Lisbon in 2022.", speaker="Bo")
    kept.add_fact("Zoe", "KNOWS", "Maya")
    kept.add_fact("Zoe", "LIKES", "tea")
    would = kept.forget(entity="Maya", dry_run=True)
    assert (would.episodes, would.claims, len(would.facts), would.dry_run) == (1, 2, 2, True)
    assert kept.entity("Maya").facts
    done = kept.forget(entity=kept.entity("Maya").entity)
    assert (done.episodes, done.claims, done.entities, done.facts) == (would.episodes, would.claims, 1, would.facts)
    assert lines(kept.as_of("2026-12")) == {
        ("Zoe", "LIVES_IN", "Lisbon", "2022-01-01 00:00:00+00:00", "None"),
        ("Zoe", "LIKES", "tea", "None", "None"),
    }
    assert [one.content for one in kept.episodes(limit=1)] == ["Zoe moved to Lisbon in 2022."]
    with pytest.raises(NotFound):
        kept.forget(entity="Maya")


def test_an_entity_that_was_merged_goes_alone_after_a_split(clock: FixedClock) -> None:
    with Memory(":memory:", embedder=HashEmbedder(16), clock=clock) as memory:
        memory.add_fact("Ana", "WORKS_AT", "Acme", valid_at="2018")
        memory.add_fact("Annie", "WORKS_AT", "Bolt", valid_at="2020")
        memory.merge_entities("Ana", "Annie")
        merged = clock()
        clock.advance(dt.timedelta(hours=1))
        assert [fact.target.name for fact in memory.as_of("2026")] == ["Bolt"]
        memory.split_entity("Annie")
        memory.forget(entity="Annie")
        for known_at in (merged, None):
            assert [fact.target.name for fact in memory.as_of("2026", known_at=known_at)] == ["Acme"]
        assert memory.doctor().ok


def test_a_name_that_fits_several_forgets_none(kept: Memory) -> None:
    fact = kept.add_fact("Alex", "LIKES", "tea")
    kept.add_fact("Alex", "LIKES", "milk")
    kept.split_entity("Alex", claims=[fact.uuid])
    with pytest.raises(AmbiguousName):
        kept.forget(entity="Alex")
    kept.add_fact("Bo", "LIKES", "tea", group="other")
    with pytest.raises(NotFound, match="default"):
        kept.forget(entity="Bo")
    assert kept.stats().facts == 3


# --- several, and refusals ---


def test_several_go_together_or_not_at_all(kept: Memory) -> None:
    texts = [kept.add(f"Ana moved to Town {number} in {2000 + number}.").episode.uuid for number in range(6)]
    texts += [kept.add("Bo likes tea.", group="other", extract=False).episode.uuid]
    before = lines(kept.as_of("2026"))
    with pytest.raises(NotFound, match="no such"):
        kept.forget(episode=[*texts[:3], "no such"])
    assert lines(kept.as_of("2026")) == before
    report = kept.forget(episode=[*texts[3:], texts[3]])
    assert (report.episodes, report.claims) == (4, 3)
    assert [line[2] for line in lines(kept.as_of("2026"))] == ["Town 2"]
    facts = [fact.uuid for fact in kept.as_of("2001-06") + kept.as_of("2002-06")]
    assert kept.forget(fact=facts).claims == 2
    assert kept.doctor().ok


@pytest.mark.parametrize(
    "wanted",
    [
        {}, {"episode": ""}, {"fact": ""}, {"entity": ""}, {"group": ""}, {"episode": []}, {"fact": ()}, {"episode": ["a", ""]},
        {"group": " "}, {"group": None}, {"episode": "a", "fact": "b"}, {"entity": "Ana", "group": "default"}, {"episode": 7},
    ],
)  # fmt: skip
def test_what_names_nothing_or_too_much_is_refused(kept: Memory, wanted: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"give|say|name"):
        kept.forget(**wanted)
    assert kept.stats().episodes == 1


# --- vectors, readers, interruptions ---


class Busy(HashEmbedder):
    """Tells whether the file was locked while it worked."""

    path: Path | None = None
    locked: bool = False

    def embed_passages(self, texts: Any) -> NDArray[np.float32]:
        if self.path is not None:
            other = apsw.Connection(str(self.path))
            try:
                other.execute("BEGIN IMMEDIATE; ROLLBACK")
            except apsw.BusyError:
                self.locked = True
            other.close()
        return super().embed_passages(texts)


def test_who_is_called_otherwise_has_the_vector_of_that_name(path: Path) -> None:
    def answer(request: Request) -> object:
        given = json.loads(request.user)
        if request.purpose == "judge":
            return {"mentions": [{"id": one["id"], "same_as": one["candidates"][0]["id"]} for one in given["mentions"]]}
        name = "Ines Duarte" if "Ines" in given["text"] else "Duarte"
        return {"entities": [{"id": 1, "name": name}], "facts": []}

    embedder = Busy(16)
    with Memory(path, embedder=embedder, clock=FixedClock(NOON), llm=ScriptedLLM(answer)) as memory:
        first = memory.add("Ines Duarte sings.").episode.uuid
        memory.add("Duarte sings.")
        embedder.path = path
        report = memory.forget(episode=first)
        assert not embedder.locked
        assert (report.episodes, report.entities) == (1, 0)
        assert not there(path, "Ines Duarte")
        wanted = embedder.embed_passages(["Duarte"])[0].astype("<f4").tobytes()
        assert (wanted,) in query(memory, "SELECT vector FROM vectors WHERE id IN (SELECT id FROM passages WHERE entity_id)")
        assert memory.doctor().ok


def test_while_others_read_the_bytes_stay_beside_the_file_until_they_close_it(kept: Memory, path: Path) -> None:
    uuid = kept.add(f"{LATIN} was here", extract=False).episode.uuid
    with opened(path, read_only=True) as other, other._store.read() as db:
        assert db.execute("SELECT count(*) FROM episodes").get == 2
        assert kept.forget(episode=uuid).in_use
        assert there(path, LATIN)
    kept.close()
    assert not there(path, LATIN)
    assert not path.with_name("me.db-wal").exists()


def test_stopped_before_it_is_done_it_changes_nothing(kept: Memory, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept.add("Maya moved to Lisbon in 2021.")
    uuid = kept.add("Maya moved to Porto in 2023.", speaker="Bo").episode.uuid
    state = query(kept, "SELECT * FROM versions"), kept.stats()

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    for place in (write, "delete_entities"), (lexical, "forget"), (remains, "forget_statistics"):
        with monkeypatch.context() as patch:
            patch.setattr(*place, stop)
            with pytest.raises(KeyboardInterrupt):
                kept.forget(episode=uuid)
        assert (query(kept, "SELECT * FROM versions"), kept.stats()) == state
    assert kept.forget(episode=uuid).episodes == 1
