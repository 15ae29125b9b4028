"""The command line on much at once: communities, memberships over time, summaries."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from test_cli import Run, environment, real, run  # noqa: F401 - the fixtures of a command line

from tkgmem import Memory
from tkgmem.testing import HashEmbedder, ScriptedLLM


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("wide") / "told.db"
    with Memory(path, embedder=HashEmbedder(64)) as memory:
        memory.add_fact("Ana", "WORKS_AT", "Contoso", valid_at="2024-05")
        memory.add_fact("Bo", "WORKS_AT", "Contoso", valid_at="2020", invalid_at="2023")
        memory.add_fact("Ana", "LIKES", "tea \x1b[31m")
        memory.add("I had a long talk with the landlord.", speaker="Ana", name="chat", reference_time="2026-05-03")
    return path


@pytest.fixture
def wide(told: Path, tmp_path: Path, run: Run) -> Run:  # noqa: F811 - `run` readies the environment
    return real(Path(shutil.copy(told, tmp_path / "wide.db")))


def test_communities_are_shown_with_what_holds_and_kept_when_asked(wide: Run) -> None:
    shown = wide("communities").stdout
    assert shown.splitlines()[2].startswith("Ana, ")
    assert "Ana works at Contoso (since May 2024)." in shown
    assert "\x1b" not in shown
    assert json.loads(wide("communities", "--json").stdout)["communities"][0]["created_at"] is None
    kept = wide("communities", "--refresh").stdout
    assert kept.startswith("1 community of 3 entities: made anew, modularity 0.000, 1 summary renewed.")
    again = json.loads(wide("communities", "--refresh", "--whole", "--json").stdout)
    assert (again["report"]["drift"], again["report"]["renewed"]) == (0.0, 0)
    assert again["communities"][0]["created_at"] is not None


def test_communities_at_a_date_are_those_of_that_time(wide: Run) -> None:
    shown = wide("communities", "--valid-at", "2021").stdout
    assert "Bo works at Contoso" in shown
    assert "Ana works" not in shown
    assert wide("communities", "--valid-at", "1990", "--entity", "Bo").stdout.startswith("No community at 1990")


def test_memberships_are_a_table(wide: Run) -> None:
    assert "no community that was kept" in wide("memberships", "Ana").stdout
    wide("communities", "--refresh")
    shown = wide("memberships", "Ana").stdout
    assert shown.splitlines()[0].startswith("Ana: ")
    assert shown.splitlines()[-1].rstrip().endswith("now")
    assert wide("memberships", "Nobody").exit_code == 5


def test_a_summary_is_told_of_an_entity_a_community_or_a_conversation(wide: Run) -> None:
    assert wide("summary", "Ana").stdout.strip().endswith("Ana works at Contoso (since May 2024).")
    assert "Bo works at Contoso" in wide("summary", "Bo", "--valid-at", "2021").stdout
    assert "landlord" in wide("summary", "--conversation", "chat").stdout
    uuid = json.loads(wide("communities", "--refresh", "--json").stdout)["communities"][0]["uuid"]
    assert "Contoso" in wide("summary", "--community", uuid).stdout
    assert json.loads(wide("summary", "--community", uuid, "--versions", "--json").stdout)["versions"][0]["model"] is None
    assert wide("summary", "--conversation", "none").exit_code == 5


@pytest.mark.parametrize(
    "asked",
    [
        ("summary",),
        ("summary", "Ana", "--conversation", "chat"),
        ("summary", "Ana", "--max-calls", "1"),
        ("summary", "--community", "x", "--refresh"),
        ("summary", "Ana", "--versions", "--valid-at", "2021"),
        ("communities", "--whole"),
        ("communities", "--limit", "0"),
    ],
)
def test_what_cannot_be_meant_is_refused(wide: Run, asked: tuple[str, ...]) -> None:
    assert wide(*asked).exit_code == 2


def test_a_refresh_by_a_model_needs_one(wide: Run) -> None:
    refused = wide("summary", "Ana", "--refresh")
    assert refused.exit_code == 4
    assert "TKGMEM_MODEL" in refused.stderr


def answering(monkeypatch: pytest.MonkeyPatch, *answers: object) -> None:
    model = ScriptedLLM(answers)
    monkeypatch.setattr("tkgmem.providers.litellm.LiteLLM", lambda _: model)
    monkeypatch.setenv("TKGMEM_MODEL", "scripted")


def test_what_a_refresh_came_to_is_told_in_every_form(wide: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, {"summaries": [{"id": 1, "name": "Tea", "text": "Ana, of Contoso, drinks tea."}]})
    shown = wide("summary", "Ana", "--refresh", "--versions")
    assert (shown.exit_code, shown.stderr) == (0, "")
    assert shown.stdout.startswith("1 summary written (1 call")
    assert "drinks tea" in shown.stdout
    listed = json.loads(wide("summary", "Ana", "--refresh", "--versions", "--json").stdout)
    assert (listed["report"]["fresh"], listed["versions"][0]["text"]) == (1, "Ana, of Contoso, drinks tea.")
    lines = wide("summary", "Ana", "--refresh", "--versions", "--nl")
    assert (json.loads(lines.stdout)["text"], lines.stderr) == ("Ana, of Contoso, drinks tea.", "0 summaries written.\n")
    lines = wide("communities", "--refresh", "--nl")
    assert json.loads(lines.stdout)["members"]
    assert lines.stderr.startswith("1 community of 3 entities: ")


@pytest.mark.parametrize("asked", [("summary", "Ana"), ("communities", "--max-calls", "1")])
def test_a_model_that_fails_at_everything_is_an_error_and_what_holds_is_shown(
    wide: Run, monkeypatch: pytest.MonkeyPatch, asked: tuple[str, ...]
) -> None:
    answering(monkeypatch, "no object at all")
    failed = wide(*asked, "--refresh")
    assert failed.exit_code == 3
    assert "Ana works at Contoso (since May 2024)." in failed.stdout
    reason, said = failed.stderr.splitlines()
    assert "was not written: the model's answer holds no JSON object" in reason
    assert said == "tkgmem: the model wrote no summary; what is shown is made without it"
