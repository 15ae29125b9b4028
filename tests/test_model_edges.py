"""Where answers, settings and circumstances are at their worst: no wrong row, no stuck text, no trace of what was forgotten."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from pydantic import BaseModel, Field

from tkgmem import LLMError, Memory, Ontology
from tkgmem.protocols import Request, Response
from tkgmem.providers.replay import ReplayLLM
from tkgmem.testing import FixedClock, HashEmbedder, ScriptedLLM

NOW = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)


def opened(answers: Any, path: Path | str = ":memory:", **more: Any) -> tuple[Memory, ScriptedLLM]:
    model = ScriptedLLM(answers)
    return Memory(path, embedder=HashEmbedder(64), clock=FixedClock(NOW), llm=model, **more), model


def entity(number: object, name: str, kind: str | None = None, **more: Any) -> dict[str, Any]:
    return {"id": number, "name": name, "type": kind, "aliases": [], **more}


def fact(source: object, relation: str, target: object, sentence: str = "", **more: Any) -> dict[str, Any]:
    return {"source": source, "relation": relation, "target": target, "sentence": sentence, "kind": "assert", **more}


def said(entities: Sequence[Any], facts: Sequence[Any] = ()) -> dict[str, Any]:
    return {"entities": list(entities), "facts": list(facts)}


def triples(memory: Memory) -> set[tuple[str, str, str]]:
    return {(one.source.name, one.relation, one.target.name) for one in memory.as_of("2026-12-31")}


def test_an_entity_that_is_named_in_other_words_goes_with_its_text(tmp_path: Path) -> None:
    path = tmp_path / "me.db"
    memory, _ = opened([said([entity(1, "Quokka family", "Person")])], path)
    result = memory.add("My neighbours are nice.")
    assert [one.name for one in result.new_entities] == ["Quokka family"]
    assert memory.forget(episode=result.episode.uuid).entities == 1
    memory.close()
    assert b"uokka" not in path.read_bytes()


def test_ids_of_a_second_answer_are_its_own() -> None:
    first = said([entity(1, "Ana"), entity(2, "Acme")], [fact(1, "WORKS_AT", 2)])
    second = said([entity(1, "Bo"), entity(3, "Globex")], [fact(1, "WORKS_AT", 3)])
    memory, _ = opened([first, second])
    memory.add("Ana works at Acme, Bo at Globex.", reflexion=True)
    assert triples(memory) == {("Ana", "WORKS_AT", "Acme"), ("Bo", "WORKS_AT", "Globex")}


def test_an_id_for_two_things_makes_no_fact() -> None:
    memory, _ = opened([said([entity(1, "Ana"), entity(1, "Bo"), entity(2, "Acme")], [fact(1, "WORKS_AT", 2)])])
    result = memory.add("Bo works at Acme.")
    assert triples(memory) == set()
    assert any("several things" in warning for warning in result.warnings)


def test_ids_as_decimals_are_ids() -> None:
    memory, _ = opened([said([entity(1.0, "Ana"), entity(2.0, "Acme")], [fact(1.0, "WORKS_AT", 2)])])
    memory.add("Ana works at Acme.")
    assert triples(memory) == {("Ana", "WORKS_AT", "Acme")}


def test_a_pattern_that_cannot_be_checked_is_refused_at_once() -> None:
    class Person(BaseModel):
        name: str = Field(pattern=r"^\p{Lu}+$")

    with pytest.raises(ValueError, match=r"pattern.*Person"):
        Ontology(entities=[Person])


def test_a_model_that_speaks_of_itself_keeps_its_attributes() -> None:
    class Person(BaseModel):
        born: int | None = None
        friends: list[Person] = []

    memory, _ = opened([said([entity(1, "Ana", "Person", attributes={"born": 1990, "friends": [{"born": "?"}]})])])
    memory.add("Ana was born in 1990.", ontology=Ontology(entities=[Person]))
    assert memory.entity("Ana").entity.attributes == {"born": 1990}


@pytest.mark.parametrize(
    "wrong", [{"previous": 10**30}, {"previous": -1}, {"reflexion": "yes"}, {"extract": "no"}, {"ontology": {}}]
)
def test_settings_that_cannot_be_are_refused_before_anything_is_kept(wrong: dict[str, Any]) -> None:
    memory, _ = opened([])
    with pytest.raises(ValueError, match=next(iter(wrong))):
        memory.add("Ana.", **wrong)
    assert memory.stats().episodes == 0


def test_a_judged_duplicate_moves_no_bound_and_no_other_fact() -> None:
    def answer(request: Request) -> object:
        if request.purpose == "judge":
            return {"duplicates": json.loads(request.user)["pairs"]}
        return said(
            [entity(1, "Ana"), entity(2, "Acme")], [fact(1, "ADORED_BY", 2, "long ago", valid_at="2010", invalid_at="2029")]
        )

    memory, _ = opened(answer)
    memory.add_fact("Ana", "WORKS_AT", "Globex", valid_at="2008")
    memory.add_fact("Ana", "WORKS_AT", "Acme", valid_at="2020")
    before = [(one.target.name, one.valid_at, one.invalid_at) for one in memory.timeline("Ana")]
    result = memory.add("Acme has adored Ana since 2010.")
    assert [(one.target.name, one.valid_at, one.invalid_at) for one in memory.timeline("Ana")] == before
    assert [len(one.claims) for one in result.extended] == [2]


def test_excluded_things_come_back_under_no_id_and_in_no_piece() -> None:
    by_name = said([entity(1, "Ana", "Secret"), entity(2, "Porto")], [fact("Ana", "LIVES_IN", 2)])
    again = said([entity(5, "Ana", "Secret"), entity(6, "Oslo")], [fact("ana", "LIVES_IN", 6)])
    memory, _ = opened([by_name, again])
    memory.add("Ana lives in Porto.", ontology=Ontology(excluded=["secret"]), reflexion=True)
    assert triples(memory) == set()
    pieces = iter([said([entity(1, "Ana", "Secret")]), said([entity(1, "Ana"), entity(2, "Rome")], [fact(1, "LIVES_IN", 2)])])
    memory, _ = opened(pieces)
    memory.add("Ana. " * 2_000, ontology=Ontology(excluded=["Secret"]))
    assert triples(memory) == set()


def test_an_ontology_knows_the_other_names_of_its_relations() -> None:
    ontology = Ontology(relations=["WORKS_AT"], pairs={("Person", "Company"): ["WORKS_AT"]}, strict=True)
    entities = [entity(1, "Ana", "Person"), entity(2, "Acme", "Company"), entity(3, "Porto", "Place")]
    memory, _ = opened([said(entities, [fact(1, "EMPLOYED_BY", 2), fact(1, "EMPLOYED_BY", 3)])])
    memory.add("Ana is employed.", ontology=ontology)
    assert triples(memory) == {("Ana", "WORKS_AT", "Acme")}


def test_another_one_of_the_speakers_name_is_another_one_where_the_judge_says_so() -> None:
    def answer(request: Request) -> object:
        if request.purpose == "judge":
            return {"mentions": [{"id": one["id"], "same_as": None} for one in json.loads(request.user)["mentions"]]}
        met = [fact(1, "MET", 2, "I met another Ana"), fact(2, "WORKS_AT", 3, "who works at Acme")]
        return said([entity(1, "I"), entity(2, "Ana"), entity(3, "Acme")], met)

    memory, _ = opened(answer)
    result = memory.add("I met another Ana, who works at Acme.", speaker="Ana", source="message")
    [works] = [one for one in result.facts if one.relation == "WORKS_AT"]
    [met] = [one for one in result.facts if one.relation == "MET"]
    assert works.source.uuid == met.target.uuid != met.source.uuid


def test_things_of_one_name_are_told_apart_by_their_type() -> None:
    memory, _ = opened([])
    mapping = {"source": "$.a", "relation": "PART_OF", "target": "$.b", "source_type": {"text": "Person"},
               "target_type": {"text": "Component"}}  # fmt: skip
    for number in range(3):
        result = memory.add(json.dumps({"a": "Phoenix", "b": "Phoenix", "n": number}), source="json", mapping=mapping)
        assert result.warnings == []
    assert memory.stats().entities == 2
    assert len(memory.as_of("2026-12-31")) == 1


def test_many_things_in_one_text_are_looked_up_before_the_file_is_locked() -> None:
    names = [f"Person {chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(120)]
    entities = [entity(n, name) for n, name in enumerate(names)]
    reading = said(entities, [fact(n, "KNOWS", n + 1) for n in range(119)])
    memory, _ = opened(lambda request: {"mentions": []} if request.purpose == "judge" else reading)
    result = memory.add(", ".join(names))
    assert (len(result.new_entities), len(result.facts)) == (120, 119)


def test_what_a_judge_was_shown_goes_with_the_text_that_told_it(tmp_path: Path) -> None:
    path = tmp_path / "me.db"

    def answer(request: Request) -> object:
        given = json.loads(request.user)
        if request.purpose == "judge":
            return {"mentions": [{"id": one["id"], "same_as": None} for one in given["mentions"]]}
        if "Quokka" in given["text"]:
            return said([entity(1, "Ines Duarte", "Marsupial", aliases=["Quokka"])])
        return said([entity(1, "Duarte"), entity(2, "Acme")], [fact(1, "WORKS_AT", 2)])

    memory, _ = opened(answer, path)
    first = memory.add("Ines Duarte, the Quokka.")
    memory.add("Duarte works at Acme.")
    assert any("Quokka" in call.request for call in memory.model_calls())
    memory.forget(episode=first.episode.uuid)
    memory.close()
    content = path.read_bytes()
    assert b"uokka" not in content
    assert b"arsupial" not in content


def test_who_was_called_so_by_a_forgotten_text_alone_is_called_as_the_others_call_them(tmp_path: Path) -> None:
    path = tmp_path / "me.db"

    def answer(request: Request) -> object:
        given = json.loads(request.user)
        if request.purpose == "judge":
            return {"mentions": [{"id": one["id"], "same_as": one["candidates"][0]["id"]} for one in given["mentions"]]}
        if "Quokka" in given["text"]:
            return said([entity(1, "Ines Quokka Duarte"), entity(2, "Porto")], [fact(1, "LIVES_IN", 2)])
        return said([entity(1, "Duarte"), entity(2, "Acme")], [fact(1, "WORKS_AT", 2, "Duarte works at Acme.")])

    memory, _ = opened(answer, path)
    first = memory.add("Ines Quokka Duarte lives in Porto.")
    memory.add("Duarte works at Acme.")
    assert triples(memory) == {("Ines Quokka Duarte", "LIVES_IN", "Porto"), ("Ines Quokka Duarte", "WORKS_AT", "Acme")}
    memory.forget(episode=first.episode.uuid)
    assert triples(memory) == {("Duarte", "WORKS_AT", "Acme")}
    assert [hit.item.name for hit in memory.search("Duarte", scopes=["entities"], recipe="bm25").entities] == ["Duarte"]
    memory.close()
    assert b"uokka" not in path.read_bytes()


def test_a_name_that_another_text_uses_too_stays(tmp_path: Path) -> None:
    def answer(request: Request) -> object:
        given = json.loads(request.user)
        if request.purpose == "judge":
            return {"mentions": [{"id": one["id"], "same_as": one["candidates"][0]["id"]} for one in given["mentions"]]}
        name = "Ines Duarte" if "Ines" in given["text"] else "Duarte"
        return said([entity(1, name), entity(2, given["text"].split()[-1].strip("."))], [fact(1, "LIKES", 2)])

    memory, _ = opened(answer)
    first = memory.add("Ines Duarte likes tea.")
    memory.add("Duarte likes milk.")
    memory.add("Ines Duarte likes jam.")
    memory.forget(episode=first.episode.uuid)
    assert triples(memory) == {("Ines Duarte", "LIKES", "milk"), ("Ines Duarte", "LIKES", "jam")}


def test_forgetting_a_fact_that_a_program_told_forgets_its_sentence_in_the_log() -> None:
    def answer(request: Request) -> object:
        if request.purpose == "judge":
            return {"contradictions": []}
        return said([entity(1, "Ana"), entity(2, "tea")], [fact(1, "DISLIKES", 2)])

    memory, _ = opened(answer)
    known = memory.add_fact("Ana", "LIKES", "tea", fact='Ana said "I\'d love a quokka\\cup".\n')
    memory.add("Ana dislikes tea.")
    assert any("quokka" in call.request for call in memory.model_calls())
    memory.forget(fact=known.uuid)
    assert not any("quokka" in call.request for call in memory.model_calls())


def test_the_words_that_are_in_the_file_count_for_a_uuid_that_is_given_again() -> None:
    reading = said([entity(1, "I"), entity(2, "Acme")], [fact(1, "WORKS_AT", 2)])
    memory, _ = opened([LLMError("busy"), reading])
    with pytest.raises(LLMError):
        memory.add("I work at Acme.", uuid="u1", reference_time="2020", speaker="Ana")
    result = memory.add("I work at Acme.", uuid="u1", reference_time="2024", speaker="Bo")
    assert {(one.source.name, one.target.name) for one in result.facts} == {("Ana", "Acme")}
    assert result.episode.reference_time.year == 2020


def test_a_retry_reads_dates_in_the_same_calendar_as_the_first_try() -> None:
    reading = said([entity(1, "Ana"), entity(2, "Acme")], [fact(1, "WORKS_AT", 2, valid_at="2026-01-15")])
    noon = dt.datetime(2026, 7, 1, 12, tzinfo=ZoneInfo("Europe/Lisbon"))
    once, _ = opened([reading])
    twice, _ = opened([LLMError("busy"), reading])
    once.add("Ana works at Acme.", reference_time=noon)
    with pytest.raises(LLMError):
        twice.add("Ana works at Acme.", reference_time=noon)
    twice.extract()
    assert [one.valid_at for one in once.as_of("2026-12-31")] == [one.valid_at for one in twice.as_of("2026-12-31")]


def test_a_retry_after_a_second_try_asks_nothing_again() -> None:
    class Picky(HashEmbedder):
        calls = 0

        def embed_passages(self, texts: Sequence[str]) -> Any:
            self.calls += 1
            if self.calls == 1:
                raise RuntimeError("out of memory")
            return super().embed_passages(texts)

    model = ScriptedLLM(["no", said([])])
    with Memory(":memory:", embedder=Picky(64), clock=FixedClock(NOW), llm=model) as memory:
        [failed] = memory.add_many([{"content": "Ana."}])
        assert failed.episode.state == "failed"
        [done] = memory.extract()
        assert (done.episode.state, len(model.requests)) == ("done", 2)


def test_what_a_model_answered_is_kept_when_it_is_interrupted_later() -> None:
    def answer(request: Request) -> object:
        if "text 20." in request.user:
            raise KeyboardInterrupt
        return said([])

    memory, _ = opened(answer)
    with pytest.raises(KeyboardInterrupt):
        memory.add_many([{"content": f"text {number}."} for number in range(30)])
    assert len(memory.model_calls()) == 16


def test_a_model_that_raises_at_one_text_fails_that_one() -> None:
    class Raising:
        name = "raising"

        def complete(self, requests: Sequence[Request]) -> list[Response | LLMError]:
            if any(json.loads(request.user)["text"] == "text 3." for request in requests):
                raise RuntimeError("not this one \udcff")
            return [Response('{"facts": []}') for _ in requests]

    with Memory(":memory:", embedder=HashEmbedder(64), clock=FixedClock(NOW), llm=Raising()) as memory:
        results = memory.add_many([{"content": f"text {number}."} for number in range(6)])
        assert [one.episode.state for one in results] == ["done"] * 3 + ["failed"] + ["done"] * 2
        assert "not this one" in (results[3].episode.error or "")


def test_a_replay_tells_apart_the_same_question_put_twice() -> None:
    def one(name: str) -> dict[str, Any]:
        return said([entity(1, name), entity(2, "Porto")], [fact(1, "LIVES_IN", 2)])

    memory, _ = opened([one("Ana"), one("Bo")])
    for group in ("a", "b"):
        memory.add("Somebody lives in Porto.", group=group, reference_time="2026")
    calls = memory.model_calls(group=["a", "b"])
    with Memory(":memory:", embedder=HashEmbedder(64), clock=FixedClock(NOW), llm=ReplayLLM(calls)) as again:
        for group, name in (("a", "Ana"), ("b", "Bo")):
            [found] = again.add("Somebody lives in Porto.", group=group, reference_time="2026").facts
            assert found.source.name == name


def test_a_corrected_target_is_found_under_a_name_that_is_nearly_the_same() -> None:
    with Memory(":memory:", embedder=HashEmbedder(64), clock=FixedClock(NOW)) as memory:
        told = memory.add_fact("Ana Sousa", "WORKS_AT", "Initech")
        corrected = memory.correct(told.uuid, target="Globex Corporation Inc.")
        result = memory.add("Bo Lindqvist works at Globex Corporation Inc.")
        assert {one.target.uuid for one in result.facts} == {corrected.target.uuid}


def test_nothing_connects_anywhere_unless_a_model_is_asked() -> None:
    code = (
        "import socket, sys\n"
        "def refuse(*_, **__): raise AssertionError('a connection was tried')\n"
        "socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = socket.create_connection = refuse\n"
        "from tkgmem import Memory\n"
        "with Memory(':memory:') as memory:\n"
        "    memory.add('Ana moved to Porto in May 2024.')\n"
        "    memory.add_fact('Ana', 'LIKES', 'tea')\n"
        "    assert memory.search('where does Ana live').facts\n"
        "with Memory(':memory:', llm='openai/some-model') as memory:\n"
        "    memory.add('Ana moved to Porto in May 2024.', extract=False)\n"
        "    assert memory.search('where does Ana live').episodes\n"
        "print('no connection', 'litellm' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "no connection False\n"
