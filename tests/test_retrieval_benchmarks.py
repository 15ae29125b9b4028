"""The benchmarks of what is found and of what held when, on made-up data."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import chosen, histories, lifebench, locomo, longmemeval, precisionmembench
from benchmarks.cache import CachedEmbedder
from benchmarks.recipes import DEFAULT, asked
from tkgmem.testing import HashEmbedder

HYBRID = (DEFAULT,)


def put(data: Path, name: str, rows: list[dict[str, Any]]) -> None:
    path = data / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def test_a_half_is_judged_with_what_did_best_on_the_other() -> None:
    ids = [f"case {number}" for number in range(40)]
    does_well = {"even": lambda name: chosen.half(name) == 0, "odd": lambda name: chosen.half(name) == 1}
    found = chosen.two_fold(ids, list(does_well), lambda option, places: sum(does_well[option](ids[at]) for at in places))
    assert found == ("odd", "even")
    assert 10 < sum(map(chosen.half, ids)) < 30


def test_an_interval_is_wider_where_less_is_known() -> None:
    few, many = chosen.interval([0.0, 1.0] * 10), chosen.interval([0.0, 1.0] * 1_000)
    assert few["mean"] == many["mean"] == 0.5
    assert few["interval"][0] < many["interval"][0] < 0.5 < many["interval"][1] < few["interval"][1]
    assert chosen.interval([1, 0], [3, 1])["mean"] == 0.25
    assert chosen.interval([0, 0], [0, 0]) == {"mean": None, "interval": None, "n": 2}


def test_only_the_default_recipe_needs_no_argument() -> None:
    assert asked(DEFAULT) == {}
    assert asked("bm25") == {"recipe": "bm25"}


def test_a_text_is_embedded_once_and_a_question_each_time(tmp_path: Path) -> None:
    class Counting(HashEmbedder):
        texts = 0

        def _embed(self, texts: Any) -> Any:
            self.texts += len(texts)
            return super()._embed(texts)

    behind = Counting()
    for _ in range(2):
        kept = CachedEmbedder(behind, tmp_path / "vectors.db")
        assert (kept.embed_passages(["tea", "a blue car"]) == HashEmbedder().embed_passages(["tea", "a blue car"])).all()
    assert behind.texts == 2
    kept.embed_queries(["tea"])
    kept.embed_queries(["tea"])
    assert behind.texts == 4


@pytest.fixture
def haystacks(tmp_path: Path) -> Path:
    def turns(*said: str) -> list[dict[str, Any]]:
        return [
            {"role": ("user", "assistant")[place % 2], "content": text, "has_answer": "piano" in text}
            for place, text in enumerate(said)
        ]

    topics = ("bread", "trains", "tulips", "chess", "rowing", "glaciers")
    sessions = [
        {"id": f"s{number}", "date": "2023/01/02 (Mon) 10:00", "turns": turns(f"Tell me about {topic}.", f"{topic}: yes.", "")}
        for number, topic in enumerate(topics)
    ]
    sessions.append({"id": "s6", "date": "2023/02/02 (Thu) 10:00", "turns": turns("My old piano is green.", "A green piano!")})
    names = [session["id"] for session in sessions]
    question = {"date": "2023/03/15 (Wed) 03:53", "haystack": names, "abstain": False}
    questions = [
        question | {"id": "q0", "type": "single", "question": "Which colour is my old piano?", "gold": ["s6"]},
        question | {"id": "q1", "type": "multi", "question": "piano tulips", "gold": ["s6", "s2"]},
        question | {"id": "q2", "type": "single", "question": "What about zebras?", "gold": [], "abstain": True},
    ]
    put(tmp_path, longmemeval.SESSIONS, sessions)
    put(tmp_path, longmemeval.QUESTIONS, questions)
    return tmp_path


@pytest.mark.parametrize("part", longmemeval.PARTS)
def test_longmemeval_ranks_sessions_by_their_turns(haystacks: Path, part: str) -> None:
    measured = longmemeval.run(haystacks, True, embedder=HashEmbedder(), recipes=HYBRID, parts=(part,))
    [(_, summary)] = measured["summary"][part].items()
    assert (summary["any@5"]["mean"], summary["any@5"]["n"]) == (1.0, 2), "the question to abstain from is left out"
    assert summary["all@5"]["mean"] == summary["turn@10"]["mean"] == 1.0
    assert summary["any@5 misses"] == {"all": 0}
    assert [item["sessions"][0] for item in measured["samples"]] == [1, 1]
    assert "piano" not in json.dumps(measured), "no words of the data in a result"


def test_a_session_gains_by_its_second_best_turn() -> None:
    hits = [
        longmemeval.Found(frozenset({name}), score, False) for name, score in (("a:0", 9), ("b:0", 8), ("b:1", 7), ("c:0", 0))
    ]
    assert longmemeval.rank_sessions(hits, longmemeval.BEST_TURN) == ["a", "b", "c"]
    assert longmemeval.rank_sessions(hits, longmemeval.Ranking(0.5, 1.0)) == ["b", "a", "c"]


def test_lifebench_counts_a_record_once_whichever_twin_is_found(tmp_path: Path) -> None:
    said = {
        "zh": ("我把蓝色自行车放在地下室", "父亲修好了钢琴", "蓝色自行车在哪里"),
        "en": ("I put the blue bicycle in the cellar", "Father repaired the piano", "Where is the blue bicycle"),
    }
    for language, (first, second, question) in said.items():
        records = [
            {"id": "sms:1", "time": "2025-01-04 08:10:00", "record": {"type": "sms", "message_content": first}},
            {"id": "note:1", "time": "2025-01-05", "record": {"content": second}},
            {"id": "contact:1", "time": None, "record": {"name": "Chen"}},
        ]
        questions = [
            {"id": f"{language}-0", "type": "x", "question": question, "gold": ["sms:1"]},
            {"id": f"{language}-1", "type": "x", "question": "?", "gold": []},
        ]
        put(tmp_path, f"lifebench/{language}-lumingqiang.records.jsonl.gz", records)
        put(tmp_path, f"lifebench/{language}-lumingqiang.questions.jsonl.gz", questions)
    measured = lifebench.run(tmp_path, False, embedder=HashEmbedder(), recipes=HYBRID)
    shares = measured["summary"][DEFAULT]["recall@10"]
    assert set(shares) == {f"{language} on {pool}" for language in ("zh", "en") for pool in ("zh", "en", "mixed")}
    assert {(share["mean"], share["n"]) for share in shares.values()} == {(1.0, 1)}
    assert measured["summary"][DEFAULT]["mixed of single"] == {"zh": 1.0, "en": 1.0}
    assert [item["ranks"] for item in measured["samples"] if item["pool"] == "mixed"] == [[1], [1]]


def belief(name: str, content: str, **given: Any) -> dict[str, Any]:
    plain = {"user_id": "test-user", "type": "entity", "aliases": [], "scope": ["domain:code"], "pinned": False}
    dated = {"created_at": "2026-09-01T00:00:00Z", "updated_at": "2026-09-01T00:00:00Z"}
    ended = {"resolved_at": None, "superseded_by": None}
    return {"_id": f"b-{name}", "canonical_name": name, "content": content, **plain, **dated, **ended, **given}


def test_precisionmembench_counts_what_comes_back_and_should_not(tmp_path: Path) -> None:
    past = {"created_at": "2026-01-01T00:00:00Z"}
    beliefs = [
        belief("redis_cache", "Redis is the cache of the backend", aliases=["Redis"]),
        belief("postgres_old", "Redis came after Postgres", superseded_by="b-redis_cache", **past),
        belief("redis_character", "Redis is a jazz pianist", scope=["domain:writing"]),
        belief("mail", "Mail goes out at night", pinned=True),
        belief("auth_uses", "Auth needs its store", type="relation", relation_type="needs", participants=["b-redis_cache"]),
    ]
    only = {"relevantBeliefs": {"shouldOnlyInclude": ["b-redis_cache"], "mustExclude": ["b-postgres_old"]}}
    nothing = {"relevantBeliefs": {"shouldOnlyInclude": []}}
    case = {"category": "a", "scope": ["domain:code"]}
    cases = [
        case | {"caseId": "1", "query": "What is Redis the cache of?", "expect": only},
        case | {"caseId": "2", "query": "When does mail go out at night?", "expect": nothing},
        case | {"caseId": "3", "query": "Redis cache", "expect": nothing, "budget": {"maxBeliefs": 1}},
        case | {"caseId": "4", "query": "Redis cache", "expect": nothing, "userId": "somebody else"},
        case | {"caseId": "5", "query": "Redis cache", "expect": {"pinnedFacts": {}}},
    ]
    turn = {"scope": ["domain:code"], "expect": only}
    added = {"beliefId": "b-redis_cache", "addAliases": ["maxmemory"]}
    turns = [turn | {"turnIndex": 0, "userMessage": "Redis cache?", "updateBeliefAtTurn": added}]
    turns.append(turn | {"turnIndex": 1, "userMessage": "cache", "createBeliefAtTurn": belief("new", "Pods restart")})
    for name, rows in zip(precisionmembench.FILES, (beliefs, cases, [{"caseId": "s", "turns": turns}]), strict=True):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps(rows))
    measured = precisionmembench.run(tmp_path, False, embedder=HashEmbedder(), recipes=HYBRID)
    strict, lenient = (measured["summary"][DEFAULT][tier] for tier in precisionmembench.TIERS)
    assert strict["recall"] == {"mean": 1.0, "interval": [1.0, 1.0], "n": 3}
    assert strict["leaks"] == 0, "what was superseded does not come back"
    assert (strict["empty cases"]["cases"], strict["empty cases"]["nothing returned"]["mean"]) == (3, 0.6667)
    assert strict["empty cases"]["returned"] > lenient["empty cases"]["returned"], "pinned ones have a place of their own"
    returned = {item["case"]: dict(item["returned"]) for item in measured["samples"] if item["tier"] == "all tiers"}
    assert next(iter(returned["1"])) == "b-redis_cache"
    assert "b-redis_character" not in returned["1"], "another scope"
    assert "jazz" not in json.dumps(measured), "no words of the data in a result"


def test_the_least_score_is_chosen_on_the_other_half() -> None:
    cases = [
        {"case": f"case {number}", "category": "a", "expected": [name], "excluded": [], "ms": 1.0}
        | {"returned": [[name, 0.9], ["b-wrong", 0.4]]}
        for number, name in enumerate(("b-one", "b-two") * 5)
    ]
    empty = {"case": "empty", "category": "a", "expected": [], "excluded": ["b-two"], "ms": 1.0}
    cases += [empty | {"returned": [["b-one", 0.3]]}, empty | {"case": "loud", "returned": [["b-two", 0.95]]}]
    found = precisionmembench.judge(cases)
    assert found["min_score"] == {"half 0": 0.9, "half 1": 0.9}
    assert (found["precision"]["mean"], found["recall"]["mean"], found["leaks"]) == (1.0, 1.0, 1)
    assert (found["empty cases"]["nothing returned"]["mean"], found["empty cases"]["returned"]) == (0.5, 1)


def test_histories_tell_each_day_and_ask_for_it(tmp_path: Path) -> None:
    days = {"2021-12-30": ["Lee", "Ann"], "2023-12-30": ["Lee", "Kim"], "2024-03-31": ["Ann"]}
    question = {"subject": "Q1", "template": "Who coaches {subject}?", "relation": ["P286"], "answers_as_of": days}
    interval = {"s": "Q1", "r": "P54", "o": "Q2", "since": "2011", "until": "2013", "ordered": True}
    put(tmp_path, histories.SNAPSHOTS, [question, question | {"subject": "Q2", "answers_as_of": {"2023-12-30": ["Lee"]}}])
    put(tmp_path, histories.INTERVALS, [interval, interval | {"o": "Q3", "until": "2011"}, interval | {"ordered": False}])
    summary = histories.run(tmp_path, False)["summary"]
    ways = [summary["snapshots"][way] for way in ("as_of", "both_clocks", "known_then")]
    assert [(way["mean"], way["n"]) for way in ways] == [(1, 4)] * 3
    assert summary["snapshots"]["told"] == 8
    assert (summary["intervals"]["as_of"]["mean"], summary["intervals"]["as_of"]["n"]) == (1.0, 4)


def test_locomo_ranks_sessions_by_their_turns(tmp_path: Path) -> None:
    talk = {
        f"session_{number}": [{"speaker": "Ann", "dia_id": f"D{number}:1", "text": text}]
        for number, text in enumerate(("The blue bicycle is in the cellar.", "I repaired the old piano."), 1)
    }
    dates = {f"session_{number}_date_time": "1:56 pm on 8 May, 2023" for number in (1, 2)}
    asked_for = [
        {"question": "Who repaired the old piano?", "evidence": ["D2:1"], "category": 1},
        {"question": "Where is the bicycle, and the piano?", "evidence": ["D1:1", "D2:1"], "category": 5},
    ]
    put(tmp_path, locomo.FILE, [{"sample_id": "talk", "conversation": talk | dates, "qa": asked_for}])
    measured = locomo.run(tmp_path, False, embedder=HashEmbedder(), recipes=HYBRID)
    recall = measured["summary"]["recall"][DEFAULT]
    assert {name: (found["turn@5"]["mean"], found["session@10"]["n"]) for name, found in recall.items()} == {
        "categories 1-4": (1.0, 1),
        "category 1": (1.0, 1),
        "category 5": (1.0, 1),
    }
    assert [item["sessions"] for item in measured["samples"]] == [[1], [1, 2]]
