"""The benchmark harness, on made-up data."""

from __future__ import annotations

import gzip
import json
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest

from benchmarks import __main__ as harness
from benchmarks import bulk, communities, derivation, locomo, locomo_jsonl, report
from tkgmem import Memory
from tkgmem.testing import HashEmbedder

CONVERSATION = {
    "sample_id": "talk-1",
    "conversation": {
        "speaker_a": "Ann",
        "speaker_b": "Bob",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ann", "dia_id": "D1:1", "text": "The blue bicycle is in the cellar."},
            {"speaker": "Bob", "dia_id": "D1:2", "text": "Look!", "blip_caption": "a photo of a lighthouse"},
            {"speaker": "Ann", "dia_id": "D1:3", "text": "Nice."},
            {"speaker": "Ann", "dia_id": "D1:4", "text": "Nice."},
        ],
        "session_2_date_time": "12:09 am on 13 September, 2023",
        "session_2": [{"speaker": "Bob", "dia_id": "D2:1", "text": "I repaired the old piano in March."}],
        "session_3_date_time": "9:00 am on 1 October, 2023",
    },
    "qa": [
        {"question": "Where is the blue bicycle?", "evidence": ["D1:1"], "category": 1},
        {"question": "Who repaired the old piano?", "evidence": ["D2:1; D9:9"], "category": 2},
        {"question": "Which lighthouse did Bob photograph?", "evidence": ["D1:2", "D"], "category": 5},
        {"question": "What was nice?", "evidence": ["D1:3", "D1:4"], "category": 1},
        {"question": "Nothing to find", "evidence": ["D7:7"], "category": 4},
    ],
}
SNAPSHOT = {
    "subject_label": "Rovers",
    "relation": ["P286"],
    "template": "Who is the head coach of the team {subject} currently?",
    "answers_as_of": {"2021-12-30": ["Lee"], "2023-12-30": ["Lee", "Kim"]},
}
INTERVAL = {"s": "Q1", "r": "P54", "o": "Q2", "since": "2011", "until": "2011", "ordered": True}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    files = {
        locomo.FILE: [CONVERSATION, CONVERSATION | {"sample_id": "talk-2"}],
        "histories/snapshots.jsonl.gz": [SNAPSHOT, SNAPSHOT | {"template": "Who was the previous head coach of {subject}?"}],
        "histories/intervals.jsonl.gz": [INTERVAL, INTERVAL | {"ordered": False}],
    }
    for name, rows in files.items():
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with gzip.open(path, "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    return tmp_path / "data"


def test_list_shows_every_benchmark_and_runs_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert harness.main(["--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [module.__name__.rpartition(".")[2] for module in harness.BENCHMARKS]


@pytest.mark.parametrize(
    "arguments", [[], ["nothing"], ["embedder", "--all-conversations"], ["dates", "--cache", "vectors.db"]]
)
def test_wrong_usage_is_exit_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        harness.main(arguments)


def test_missing_data_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert harness.main(["locomo"]) == 4
    assert harness.main(["locomo", "--data", str(tmp_path)]) == 4
    assert "conversations.jsonl.gz is missing; point --data" in capsys.readouterr().err


def test_a_result_says_what_it_was_measured_on(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def measured(data: Path | None, quick: bool) -> dict[str, Any]:
        return {"seed": 3, "settings": {"size": 1}, "summary": {"ms": {"p50": 1.5}}, "samples": [1.5]}

    monkeypatch.setattr(derivation, "run", measured)
    out = tmp_path / "new" / "result.json"
    assert harness.main(["derivation", "--quick", "--data", str(data), "--out", str(out)]) == 0
    result = json.loads(out.read_text())
    assert list(result) == ["name", "commit", "started", "versions", "machine", "seed", "settings", "summary", "samples"]
    assert (result["name"], result["seed"]) == ("derivation", 3)
    assert result["settings"] == {"quick": True, "size": 1, "vectors_kept_before": False}
    assert set(result["versions"]) >= {"python", "sqlite", "apsw", "sqlite-vec", "onnxruntime", "numpy", "tkgmem"}
    assert result["machine"]["processors"] >= 1
    assert str(tmp_path) not in out.read_text()
    assert "ms p50" in capsys.readouterr().out


def test_the_commit_is_null_outside_a_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(command: list[str], **_: object) -> None:
        raise subprocess.CalledProcessError(128, command)

    monkeypatch.setattr(subprocess, "run", refuse)
    assert report.record("x", harness.dt.datetime.now(harness.dt.UTC), False, {"summary": {}, "samples": []})["commit"] is None


def test_turns_become_messages_with_their_session_time(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "talk.jsonl"
    locomo_jsonl.main([str(data), str(out), "talk-2"])
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 5
    assert lines[1] == {
        "content": "Look! [image: a photo of a lighthouse]",
        "speaker": "Bob",
        "reference_time": "2023-05-08T13:56:00+00:00",
        "source": "message",
        "name": "talk-2",
        "metadata": {"dia_id": "D1:2"},
    }
    assert lines[4]["reference_time"] == "2023-09-13T00:09:00+00:00"
    with pytest.raises(SystemExit, match="2"):
        locomo_jsonl.main([str(data), str(out), "talk-9"])


def test_locomo_counts_evidence_among_the_first_ten(data: Path) -> None:
    measured = locomo.run(data, False, all_conversations=True, embedder=HashEmbedder(), recipes=("hybrid",))
    found = measured["summary"]["evidence_found"]
    assert found["category 1"] == {"share": 1.0, "questions": 4}
    assert found["category 5"] == {"share": 1.0, "questions": 2}
    assert found["categories 1-4"] == {"share": 1.0, "questions": 6}
    assert found["all"] == {"share": 1.0, "questions": 8}
    assert measured["summary"]["ingest"]["turns"] == 10
    assert measured["summary"]["ingest"]["file_bytes"] > 0
    assert all(str(item["question"]).isdecimal() for item in measured["samples"]), "no words of the data in a result"


def test_derivation_measures_each_size() -> None:
    measured = derivation.run(None, True)
    for name in ("add_fact_ms", "derive_ms"):
        assert {size: row["n"] for size, row in measured["summary"][name].items()} == {"10": 5, "100": 5}


@pytest.mark.slow
def test_communities_are_measured_in_every_part(data: Path) -> None:
    talk = CONVERSATION | {
        "observation": {
            "session_1_observation": {"Ann": [["Ann owns a blue bicycle.", "D1:1"], ["Ann likes the cellar.", "D1:1"]]},
            "session_2_observation": {"Bob": [["Bob repaired the old piano in March.", "D2:1"]]},
        },
        "qa": [
            {"question": "What does Ann own?", "answer": "a blue bicycle", "category": 1},
            {"question": "What do Ann and Bob own?", "answer": "a piano", "category": 1},
            {"question": "When did Bob repair it?", "answer": "in March", "category": 2},
        ],
    }
    with gzip.open(data / locomo.FILE, "wt", encoding="utf-8") as file:
        file.write(json.dumps(talk))
    measured = communities.run(data, True, embedder=HashEmbedder(16))["summary"]
    assert all(rows["tkgmem"]["same_twice"] for rows in measured["graphs"].values())
    assert measured["scale"]["joining_ms"]["kept_by_a_refresh"]["n"] == 5
    assert measured["drift"]["whole_refresh"]["drift_after"] == 0.0
    assert (measured["ended"]["over"], measured["ended"]["canaries"]) == (0, 0)
    assert measured["talk"]["facts"] == 3
    assert measured["talk"]["with_answers"] == {
        "questions": 1,
        "best_is_that_of_the_person": 1,
        "answer_words_in_its_summary": 1.0,
        "answer_words_in_it_or_its_members": 1.0,
        "answer_words_in_another_or_its_members": 0.0,
    }
    assert "bicycle" not in json.dumps(measured), "no words of the data in a result"


def test_rows_written_in_bulk_are_those_that_the_program_writes(tmp_path: Path) -> None:
    embedder, said = HashEmbedder(), ["Ann keeps a garden by the river", "letters come late", "an old house near the city"]
    paths = tmp_path / "bulk.db", tmp_path / "told.db"
    bulk.build(paths[0], 44, said, embedder.embed_passages(said), embedder)
    now = bulk.TOLD - bulk.STEP
    with Memory(paths[1], embedder=embedder, clock=lambda: now) as memory:
        for relation in bulk.TOPICS:
            memory.define_relation(relation, functional=True)
        memory.add_fact("One", "LIKES", "Two", valid_at="2000", group="other")
        for number, fact in enumerate(bulk.facts(44, len(said))):
            now = bulk.TOLD + number * bulk.STEP
            ends = bulk.name(fact.source), fact.relation, bulk.name(fact.target)
            memory.add_fact(*ends, fact=bulk.text(fact, said), valid_at=str(fact.year))
            if number % 10 == 0 and number < 40:
                memory.add(said[number // 10 % len(said)], name=bulk.talk(number // 10), extract=False)
    written, told = (_rows(path) for path in paths)
    assert written.keys() == told.keys()
    assert {table: rows for table, rows in written.items() if rows != told[table]} == {}


def _rows(path: Path) -> dict[str, list[Any]]:
    """All rows of a file, but for uuids and vectors; passages by what they belong to."""
    db = sqlite3.connect(path)
    left_out = {"uuid", "vector", "last"}
    found = {}
    shadows = ("\\_text\\_%", "sqlite%", "vectors")
    query = "SELECT name FROM sqlite_schema WHERE type = 'table' AND NOT (name LIKE ? ESCAPE '\\' OR name LIKE ? OR name = ?)"
    for (table,) in db.execute(query, ("%" + shadows[0], *shadows[1:])).fetchall():
        names = [row[1] for row in db.execute(f"PRAGMA table_info ({table})")]
        by_owner = table in {"passages", "versions"}
        kept = ", ".join(name for name in names if name not in left_out and not (by_owner and name == "id"))
        found[table] = sorted(db.execute(f"SELECT {kept} FROM {table}").fetchall(), key=repr)
    db.close()
    return found
