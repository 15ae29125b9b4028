"""When a model or the embedder fails: the words stay, nothing is half written, a retry completes, the log replays."""

from __future__ import annotations

import datetime as dt
import json
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tkgmem import LLMError, Memory, ProviderError
from tkgmem.protocols import LLM, Request, Response
from tkgmem.providers.replay import ReplayLLM
from tkgmem.testing import FixedClock, HashEmbedder, ScriptedLLM

TABLES = ("episodes", "entities", "aliases", "mentions", "traits", "relations", "claims", "conflicts", "versions", "supports",
          "transactions", "passages", "episode_text", "claim_text", "entity_text")  # fmt: skip

STORY = [
    {"content": "Ana works at Acme.", "name": "chat", "speaker": "Bo", "reference_time": "2026-01-01"},
    {"content": "Ana likes tea.", "name": "chat", "speaker": "Bo", "reference_time": "2026-01-02"},
    {"content": "Now Ana dislikes tea, and Duarte pays her.", "name": "chat", "speaker": "Bo", "reference_time": "2026-01-03"},
    {"content": "Ana moved to Globex.", "name": "chat", "speaker": "Bo", "reference_time": "2026-01-04"},
]
READINGS = {
    STORY[0]["content"]: [("Ana", "WORKS_AT", "Acme"), ("Ines Duarte", "WORKS_AT", "Acme")],
    STORY[1]["content"]: [("Ana", "LIKES", "tea")],
    STORY[2]["content"]: [("Ana", "DISLIKES", "tea"), ("Duarte", "PAYS", "Ana")],
    STORY[3]["content"]: [("Ana", "WORKS_AT", "Globex")],
}


def answer(request: Request) -> object:
    """A model that reads the story, and as a judge finds every pair contradictory and every mention known."""
    given = json.loads(request.user)
    if request.purpose == "judge":
        same = [{"id": one["id"], "same_as": one["candidates"][0]["id"]} for one in given["mentions"]]
        return {"mentions": same, "duplicates": [], "contradictions": given["pairs"]}
    facts = READINGS[given["text"]]
    names = list(dict.fromkeys(end for source, _, target in facts for end in (source, target)))
    return {
        "entities": [{"id": place, "name": name} for place, name in enumerate(names)],
        "facts": [
            {"source": names.index(a), "relation": r, "target": names.index(b), "sentence": f"{a} {r} {b}", "kind": "assert"}
            for a, r, b in facts
        ],
    }


class FailingLLM:
    """Fails at its k-th request, once, and passes the others on."""

    name = "scripted"

    def __init__(self, k: int) -> None:
        self.inner, self.left = ScriptedLLM(answer), k

    def complete(self, requests: Sequence[Request]) -> list[Response | LLMError]:
        """The answers, the k-th an error."""
        return [self._one(request) for request in requests]

    def _one(self, request: Request) -> Response | LLMError:
        self.left -= 1
        return LLMError("the provider is overloaded") if self.left == 0 else self.inner.complete([request])[0]


class FailingEmbedder(HashEmbedder):
    """Fails at its k-th call, once."""

    def __init__(self, k: int) -> None:
        super().__init__(64)
        self.left = k

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors, or at the k-th call an error."""
        self.left -= 1
        if self.left == 0:
            raise RuntimeError("out of memory")
        return super().embed_passages(texts)


def opened(llm: LLM | None, embedder: HashEmbedder | None = None, path: Path | str = ":memory:", **more: Any) -> Memory:
    clock = FixedClock(dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC))
    return Memory(path, embedder=embedder or HashEmbedder(64), clock=clock, llm=llm, **more)


def rows(memory: Memory) -> dict[str, list[tuple[Any, ...]]]:
    """Everything that was written but the log, the numbers of vectors, and when a text was stored."""
    with memory._store.read() as db:
        columns = {"episodes": "id, uuid, content, reference_time, speaker, settings, state, error", "passages": "count(*)"}
        return {table: list(db.execute(f"SELECT {columns.get(table, '*')} FROM {table}")) for table in TABLES}


def told(llm: LLM | None = None) -> dict[str, list[tuple[Any, ...]]]:
    with opened(llm or ScriptedLLM(answer)) as memory:
        for turn in STORY:
            memory.add(**turn)
        return rows(memory)


def test_the_story_needs_both_kinds_of_calls() -> None:
    model = ScriptedLLM(answer)
    with opened(model) as memory:
        for turn in STORY:
            assert memory.add(**turn).calls <= 2
        assert [one.purpose for one in model.requests] == ["extract", "extract", "extract", "judge", "extract"]
        facts = {(one.source.name, one.relation, one.target.name) for one in memory.as_of("2026-01-05")}
    assert facts == {
        ("Ana", "WORKS_AT", "Globex"), ("Ines Duarte", "WORKS_AT", "Acme"), ("Ana", "DISLIKES", "tea"),
        ("Ines Duarte", "PAYS", "Ana"),
    }  # fmt: skip


def first_failure(memory: Memory) -> tuple[dict[str, str], dict[str, list[tuple[Any, ...]]], ProviderError]:
    """Tell the story until something fails: the turn, what the file held before it, and the error."""
    for turn in STORY:
        before = rows(memory)
        try:
            memory.add(**turn)
        except ProviderError as error:
            return turn, before, error
    raise AssertionError("nothing failed")


def changed(memory: Memory, before: dict[str, list[tuple[Any, ...]]]) -> set[str]:
    after = rows(memory)
    return {name for name in TABLES if after[name] != before[name]}


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_at_whatever_call_the_model_fails_the_words_stay_and_a_retry_completes(k: int) -> None:
    with opened(FailingLLM(k)) as memory:
        turn, before, error = first_failure(memory)
        assert isinstance(error, LLMError)
        [failed] = memory.episodes(state="failed")
        assert (failed.content, failed.error) == (turn["content"], f"LLMError: {error}")
        assert changed(memory, before) == {"episodes", "episode_text", "passages"}
        assert turn["content"] in [hit.item.content for hit in memory.search(turn["content"]).episodes]
        assert [one.episode.state for one in memory.extract()] == ["done"]
        for later in STORY[STORY.index(turn) + 1 :]:
            memory.add(**later)
        assert memory.stats().failed == memory.stats().pending == 0
        assert rows(memory) == told()


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_at_whatever_call_the_embedder_fails_the_words_stay_and_a_retry_completes(k: int) -> None:
    model = ScriptedLLM(answer)
    with opened(model, FailingEmbedder(k)) as memory:
        turn, before, error = first_failure(memory)
        assert "out of memory" in str(error)
        searchable = {"episode_text", "passages"} if k == 4 else set()  # a judge made an entity: its name is embedded last
        assert changed(memory, before) == {"episodes", *searchable}
        asked = len(model.requests)
        memory.add(**turn)  # again, with the same words, is a retry too
        assert [one.purpose for one in model.requests[asked:] if one.purpose == "extract"] == []  # the log had the answer
        for later in STORY[STORY.index(turn) + 1 :]:
            memory.add(**later)
        assert rows(memory) == told()


def test_one_bad_text_of_many_fails_alone(tmp_path: Path) -> None:
    with opened(FailingLLM(3)) as memory:
        seen: list[tuple[int, int]] = []
        results = memory.add_many(STORY, progress=lambda done, of: seen.append((done, of)))
        assert [one.episode.state for one in results] == ["done", "done", "failed", "done"]
        assert results[2].episode.error == "LLMError: the provider is overloaded"
        assert results[2].facts == []
        assert seen[-1] == (4, 4)
        again = memory.add_many(STORY)
        assert [one.episode.state for one in again] == ["done"] * 4
        assert [one.calls for one in again][:2] == [0, 0]


def test_one_text_that_the_embedder_refuses_fails_alone() -> None:
    class Picky(HashEmbedder):
        def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
            if any("Ana likes tea" in text for text in texts):
                raise ValueError("no tea")
            return super().embed_passages(texts)

    with opened(None, Picky(64)) as memory:
        results = memory.add_many(STORY)
        assert [one.episode.state for one in results] == ["done", "failed", "done", "done"]
        assert "no tea" in (results[1].episode.error or "")


def test_many_at_once_give_the_same_rows_as_one_by_one() -> None:
    with opened(ScriptedLLM(answer)) as memory:
        memory.add_many(STORY)
        assert rows(memory) == told()


def test_conflicts_inside_a_batch_are_those_of_one_by_one() -> None:
    turns = [
        {"content": f"Ana moved to {place} in {year}.", "reference_time": "2026-01-01"}
        for place, year in (("Porto", 2019), ("Oslo", 2024), ("Lisbon", 2021), ("Oslo", 2023), ("Rome", 2022), ("Porto", 2025))
    ]
    with opened(None) as one, opened(None) as many:
        for turn in turns:
            one.add(**turn)
        many.add_many(turns)
        assert rows(one) == rows(many)
        assert one.stats().facts == 5  # Oslo from 2023 on is one


def test_a_log_replayed_gives_the_same_rows_without_the_model() -> None:
    with opened(FailingLLM(4)) as memory:
        for turn in STORY:
            try:
                memory.add(**turn)
            except LLMError:
                memory.extract()
        calls = memory.model_calls()
        assert len(calls) == 5
        assert {one.model for one in calls} == {"scripted"}
        kept = rows(memory)
    assert told(ReplayLLM(calls)) == kept
    with pytest.raises(LLMError, match="no answer"):
        opened(ReplayLLM(calls)).add("Something else.")


def test_a_broken_answer_in_the_log_is_replayed_as_it_was() -> None:
    broken = ["no json here", {"entities": [], "facts": []}]
    with opened(ScriptedLLM(broken)) as memory:
        memory.add("Quiet.")
        calls = memory.model_calls()
        assert [one.usable for one in calls] == [False, True]
    with opened(ReplayLLM(calls)) as memory:
        assert memory.add("Quiet.").calls == 2


def test_without_the_log_nothing_is_kept_of_calls() -> None:
    with opened(ScriptedLLM(answer), log_model_calls=False) as memory:
        assert memory.add(**STORY[0]).calls == 1
        assert memory.model_calls() == []


def test_forgetting_an_episode_forgets_every_call_that_quotes_it() -> None:
    with opened(ScriptedLLM(answer)) as memory:
        episodes = [memory.add(**turn).episode for turn in STORY]
        memory.forget(episode=episodes[0].uuid)
        left = memory.model_calls()
        assert "Acme" not in " ".join(one.request + one.response for one in left)
        memory.forget(episode=episodes[1].uuid)
        assert all("likes tea" not in one.request for one in memory.model_calls())


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_an_interruption_leaves_pending_texts_that_are_taken_up(tmp_path: Path, k: int) -> None:
    class Interrupted(FailingLLM):
        def _one(self, request: Request) -> Response | LLMError:
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt
            return self.inner.complete([request])[0]

    path = tmp_path / "me.db"
    with opened(Interrupted(k), path=path) as memory, pytest.raises(KeyboardInterrupt):
        memory.add_many(STORY)
    with opened(ScriptedLLM(answer), path=path) as memory:
        done = 2 if k == 5 else 0  # at the judge's call two were committed
        assert memory.stats().pending == 4 - done
        assert memory.stats().claims == (3 if done else 0)
        results = memory.extract()
        assert [one.episode.state for one in results] == ["done"] * (4 - done)
        assert rows(memory) == told()


def test_the_judge_failing_in_a_batch_costs_the_others_nothing() -> None:
    with opened(FailingLLM(5)) as memory:  # four readings at once, then the judge
        results = memory.add_many(STORY)
        assert [one.episode.state for one in results] == ["done", "done", "failed", "done"]
        assert memory.stats().facts == 4
        [done] = memory.extract()
        assert done.calls == 1  # the judge alone: the reading is in the log
        assert done.episode.state == "done"


def test_a_model_that_gives_too_few_answers_is_an_error_and_the_text_stays() -> None:
    class Short:
        name = "short"

        def complete(self, _: Sequence[Request]) -> list[Response | LLMError]:
            return []

    with opened(Short()) as memory:
        with pytest.raises(ProviderError, match="0 answers to 1"):
            memory.add("Ana.")
        assert [one.state for one in memory.episodes()] == ["failed"]


def test_whatever_exception_a_model_raises_the_text_stays() -> None:
    with opened(ScriptedLLM([RuntimeError("boom")])) as memory:
        with pytest.raises(ProviderError, match="boom"):
            memory.add("Ana.")
        [episode] = memory.episodes()
        assert episode.state == "failed"
        assert "boom" in (episode.error or "")


def test_two_writers_whose_models_answer_at_once_leave_one_current_value(tmp_path: Path) -> None:
    path, both = tmp_path / "me.db", threading.Barrier(2, timeout=30)

    class Together(FailingLLM):
        def _one(self, request: Request) -> Response | LLMError:
            both.wait()
            return self.inner.complete([request])[0]

    def tell(turn: dict[str, str]) -> None:
        with opened(Together(0), path=path) as memory:
            memory.add(**turn)

    with opened(None, path=path) as memory:
        memory.add_fact("Bo", "LIKES", "Ana")
    threads = [threading.Thread(target=tell, args=(turn,)) for turn in (STORY[0] | {"name": "a"}, STORY[3] | {"name": "b"})]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with opened(None, path=path) as memory:
        assert [one.target.name for one in memory.as_of("2026-02-01", source="Ana", relation="WORKS_AT")] == ["Globex"]
        assert memory.stats().failed == memory.stats().pending == 0
        assert len([one for one in memory.search("Ana", scopes=["entities"]).entities if one.item.name == "Ana"]) == 1


def no_text_lacks_a_vector(memory: Memory) -> bool:
    return not [problem for problem in memory.doctor().problems if problem.check == "vectors"]


def test_a_second_thing_of_a_known_name_has_a_vector_where_no_judge_could_be_asked() -> None:
    names = ["Acme", "Acme", "Bo"]
    twice = {"entities": [{"id": place, "name": name, "type": "x"} for place, name in enumerate(names)], "facts": []}
    with opened(ScriptedLLM(["no json here", twice])) as memory:  # the second try used up the calls of this text
        memory.add_fact("Ana", "WORKS_AT", "Acme")
        assert memory.add("Acme is not Acme, says Bo.").calls == 2
        assert no_text_lacks_a_vector(memory)


def test_a_thing_of_a_known_name_and_another_type_has_a_vector() -> None:
    def typed(kind: str) -> dict[str, object]:
        return {"entities": [{"id": 0, "name": "Mercury", "type": kind}], "facts": []}

    with opened(ScriptedLLM([typed("planet"), "no json here", typed("metal")])) as memory:
        memory.add("Mercury is near.")
        memory.add("Mercury is wet.")
        assert len([hit for hit in memory.search("Mercury").entities if hit.item.name == "Mercury"]) == 2
        assert no_text_lacks_a_vector(memory)


@pytest.mark.parametrize("speaker", [" Ana ", "Ana  Duarte", "\tAna\n"])
def test_who_speaks_has_a_vector_however_the_name_is_spaced(speaker: str) -> None:
    with opened(None) as memory:
        memory.add("Good morning.", speaker=speaker)
        assert no_text_lacks_a_vector(memory)


def test_a_name_that_is_forgotten_while_a_text_is_read_has_a_vector() -> None:
    class Slow(HashEmbedder):
        during: Callable[[], object] | None = None

        def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
            during, self.during = self.during, None
            if during is not None:
                during()
            return super().embed_passages(texts)

    embedder = Slow(8)
    with opened(None, embedder) as memory:
        fact = memory.add_fact("Bo", "LIKES", "tea")
        ways: list[Callable[[], object]] = [
            lambda: memory.add("Good morning.", speaker="Ana"),
            lambda: memory.add_fact("Bo", "LIKES", "Ana"),
            lambda: memory.correct(fact.uuid, target="Ana"),
        ]
        for tell in ways:
            memory.add_fact("Ana", "LIKES", "tea")
            embedder.during = lambda: memory.forget(entity="Ana")
            tell()
            assert embedder.during is None
            assert no_text_lacks_a_vector(memory)
            memory.forget(entity="Ana")
