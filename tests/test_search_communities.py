"""The scope "communities" of search, its place in a context, and in the recall log."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from test_cli import Run, environment, real, run  # noqa: F401 - the fixtures of a command line

from tkgmem import Memory
from tkgmem.search import context, pipeline
from tkgmem.search import wide as by_communities
from tkgmem.search.context.tokens import count
from tkgmem.testing import FixedClock, HashEmbedder

DAY = dt.timedelta(days=1)
LISBON = "Mia, Lisbon, Leo"


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(dt.datetime(2026, 6, 1, tzinfo=dt.UTC))


@pytest.fixture
def wide(memory: Memory) -> Memory:
    for source, relation, target, since in (
        ("Ana", "WORKS_AT", "Contoso", "2024-03"),
        ("Bo", "WORKS_AT", "Contoso", "2023"),
        ("Bo", "WORKS_ON", "Falcon", "2025"),
        ("Ana", "KNOWS", "Bo", None),
        ("Mia", "LIVES_IN", "Lisbon", "2020"),
        ("Leo", "LIVES_IN", "Lisbon", "2021-05-03"),
        ("Mia", "MARRIED_TO", "Leo", "2019"),
    ):
        memory.add_fact(source, relation, target, valid_at=since)
    return memory


def best(memory: Memory, question: str, **asked: object) -> list[str]:
    return [hit.item.name for hit in memory.search(question, scopes=["communities"], **asked).communities]  # type: ignore[arg-type]


def test_communities_must_be_asked_for_and_kept(wide: Memory) -> None:
    found = wide.search("Contoso", scopes=["communities"])
    assert (found.communities, found.degraded) == ([], ("communities",))
    wide.refresh_communities()
    found = wide.search("Contoso", scopes=["communities"], explain=True)
    assert (found.facts, found.entities, found.episodes, found.degraded) == ([], [], [], ())
    assert found.communities[0].item.summary.count("Contoso") == 2
    assert {"bm25", "cosine", "graph"} <= found.communities[0].scores.keys()
    assert wide.search("Contoso").communities == []
    with pytest.raises(ValueError, match="unknown scope 'community'; use one of facts, entities, episodes, communities"):
        wide.search("Contoso", scopes=["community"])


@pytest.mark.parametrize("recipe", ["hybrid", "rrf", "bm25", "cosine", "graph", "diverse", "near", "mentioned"])
def test_every_recipe_finds_the_community_that_is_meant(wide: Memory, recipe: str) -> None:
    wide.refresh_communities()
    centre = {"center": "Leo"} if recipe == "near" else {}
    assert best(wide, "Leo lives in Lisbon since 2021", recipe=recipe, **centre)[0] == LISBON


def test_a_limit_a_least_score_and_filters_hold(wide: Memory) -> None:
    wide.refresh_communities()
    assert len(best(wide, "Ana and Mia", limit=1)) == 1
    assert best(wide, "Ana and Mia", min_score=100) == []
    [only] = best(wide, "who is married", filters={"relations": ["WORKS_ON"]})
    assert "Bo" in only


def test_what_came_since_leads_to_a_community_though_its_kept_summary_lacks_the_words(wide: Memory) -> None:
    wide.refresh_communities()
    wide.add_fact("Zebedee", "KNOWS", "Falcon")
    [first, *_] = wide.search("Zebedee", scopes=["communities"], recipe="graph").communities or [None]
    assert first is not None
    assert "Zebedee" in {member.name for member in first.item.members}


def test_both_clocks_are_kept(wide: Memory, clock: FixedClock) -> None:
    before = wide._now()
    wide.refresh_communities()
    clock.advance(DAY)
    wide.end_fact("Ana", "WORKS_AT", "Contoso", at="2026-06-02")
    now = wide.search("Contoso Ana", scopes=["communities"]).communities[0].item
    assert "Ana works at Contoso" not in now.summary
    then = wide.search("Contoso Ana", scopes=["communities"], valid_at="2026-01").communities[0].item
    assert "Ana works at Contoso" in then.summary
    known = wide.search("Contoso Ana", scopes=["communities"], known_at="2026-06-01T12:00").communities[0].item
    assert "Ana works at Contoso" in known.summary
    early = dt.datetime.fromtimestamp(before / 1e6, dt.UTC) - DAY
    assert wide.search("Contoso", scopes=["communities"], known_at=early).communities == []
    assert LISBON not in best(wide, "Lisbon", valid_at="1990")  # of Ana and Bo nobody said since when


def test_an_answer_can_be_asked_for_again_as_it_was(wide: Memory, clock: FixedClock) -> None:
    wide.refresh_communities()
    clock.advance(DAY)
    first = wide.search("Contoso", scopes=["communities"])
    clock.advance(DAY)
    wide.add_fact("Ana", "WORKS_AT", "Hooli", valid_at="2026-06-03")
    wide.refresh_communities(whole=True)
    again = wide.search("Contoso", scopes=["communities"], valid_at=first.valid_at, known_at=first.basis, use_query_time=False)
    assert [hit.item for hit in again.communities] == [hit.item for hit in first.communities]


def test_groups_never_see_each_other(wide: Memory) -> None:
    wide.add_fact("Ana", "WORKS_AT", "Contoso", group="other")
    wide.refresh_communities()
    assert best(wide, "Contoso", group="other") == []
    wide.refresh_communities(group="other")
    assert len(best(wide, "Contoso", group="other")) == 1
    assert len(best(wide, "Contoso", group=["other", "default"])) == 3


@pytest.fixture
def likes(memory: Memory) -> Memory:
    """Three who like each other, and so much else that no page has room for it."""
    names = ["Ana", "Bo", "Cleo"]
    for number in range(16):
        for place, name in enumerate(names):
            memory.add_fact(name, "LIKES", f"Thing {number}" if number else names[(place + 1) % 3])
    return memory


def test_a_context_tells_the_wider_picture_of_a_wide_question(likes: Memory) -> None:
    asked = "What do Ana, Bo and Cleo like?"
    plain = likes.context(asked, max_tokens=1000)
    likes.refresh_communities()
    told = likes.context(asked, max_tokens=1000)
    assert "The wider picture:" not in plain
    [line] = [line for line in told.splitlines() if line.startswith("- Ana, ") and "likes" in line.partition(":")[2]]
    assert told.index("The wider picture:\n") == told.index(line) - len("The wider picture:\n")
    assert count(line) < 0.15 * 1000
    assert "In all: Ana, " in likes.context(asked, max_tokens=1000, style="simple")
    assert "[community " in likes.context(asked, max_tokens=1000, ids=True)


def test_a_context_tells_no_wider_picture_where_a_part_fits_better_or_there_is_little_room(likes: Memory) -> None:
    questions = [("Does Ana like Thing 14?", 1000), ("What do Ana, Bo and Cleo like?", 400), ("Who knows Zebedee?", 1000)]
    plain = [likes.context(question, max_tokens=room) for question, room in questions]
    likes.refresh_communities()
    assert [likes.context(question, max_tokens=room) for question, room in questions] == plain


def test_a_context_looks_no_further_into_communities_than_it_shows(likes: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    for letter in "ABCDEFGH":
        likes.add_fact(f"Xi{letter}", "LIKES", f"Yu{letter}")
    likes.refresh_communities()
    fetched: list[int] = []
    plain = pipeline.reading.of_rows

    def counted(db: object, at: object, rows: Sequence[int]) -> object:
        fetched.extend(rows)
        return plain(db, at, rows)  # type: ignore[arg-type]

    monkeypatch.setattr(pipeline.reading, "of_rows", counted)
    likes.context("Ana Bo Cleo Thing", max_tokens=1000)
    assert 0 < len(fetched) <= context.PICTURE.limit


def test_a_context_of_few_facts_does_not_say_them_twice(wide: Memory) -> None:
    before = wide.context("Ana at Contoso")
    wide.refresh_communities()
    assert wide.context("Ana at Contoso") == before


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("who worked at Contoso in 2024", ["Ana works at Contoso (since March 2024)", "Bo works at Contoso (since 2023)"]),
        ("who lived in Lisbon before 2021", ["Mia lives in Lisbon (since 2020)"]),
        ("who lived in Lisbon since 2021", ["Mia lives in Lisbon (since 2020)", "Leo lives in Lisbon (since 3 May 2021)"]),
        ("who will live in Lisbon in 2030", ["Mia lives in Lisbon (since 2020)", "Leo lives in Lisbon (since 3 May 2021)"]),
    ],
)
def test_a_time_that_a_question_speaks_of_is_that_of_its_communities(
    wide: Memory, clock: FixedClock, question: str, told: list[str]
) -> None:
    wide.refresh_communities()
    found = wide.search(question, scopes=["communities"])
    assert found.query_time is not None
    summary = found.communities[0].item.summary
    assert all(line in summary for line in told)
    assert ("Leo lives" in summary) == any("Leo lives" in line for line in told)
    assert wide.context(question)
    clock.advance(DAY)
    assert wide.recalls(limit=2)[1].communities == tuple(hit.item for hit in found.communities)


def test_a_community_without_anything_that_holds_takes_no_place(wide: Memory) -> None:
    wide.add_fact("Mia", "KNOWS", "Ana")
    wide.add_fact("Zed", "KNOWS", "Yan", valid_at="2020")
    wide.refresh_communities()
    wide.add_fact("Zed", "LIKES", "Lisbon")  # alive, but nothing ties its two members: Zed is now where Lisbon is
    wide.end_fact("Zed", "KNOWS", "Yan", at="2026-05-01")
    assert best(wide, "Zed knows Yan, Lisbon", limit=1) == [LISBON]
    assert not any("Yan" in name for name in best(wide, "Zed knows Yan"))


@pytest.mark.parametrize("few", [0, 10**6])
def test_filters_leave_only_communities_where_a_fact_that_holds_meets_them(
    wide: Memory, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr(by_communities, "_MEETING", few)  # both ways to find them say the same
    wide.refresh_communities()
    assert best(wide, "Mia in Lisbon", filters={"relations": ["WORKS_ON", "KNOWS"]}) == ["Bo, Ana, Contoso"]
    assert best(wide, "Ana at Contoso", filters={"source": "Leo"}) == [LISBON]
    assert best(wide, "Ana at Contoso", filters={"entity_types": ["person"]}) == []
    assert best(wide, "Lisbon", filters={"target": "Lisbon"}, valid_at="2019-06") == []
    assert best(wide, "Lisbon", filters={"relations": ["MARRIED_TO"]}, valid_at="2019-06") == ["Mia, Leo"]


def test_a_least_score_leaves_the_scores_of_others_as_they_are(wide: Memory) -> None:
    wide.refresh_communities()
    every = wide.search("Mia and Bo", scopes=["communities"]).communities
    for hit in every:
        least = wide.search("Mia and Bo", scopes=["communities"], min_score=hit.score).communities
        assert [one.score for one in least] == [one.score for one in every if one.score >= hit.score]


def test_a_merged_entity_leads_to_the_community_that_its_part_is_kept_in(wide: Memory) -> None:
    wide.refresh_communities()
    wide.add_fact("The Falcon Project", "STARTED_IN", "spring")
    wide.merge_entities("The Falcon Project", "Falcon")
    assert best(wide, "The Falcon Project", recipe="graph")[0] == "Bo, Ana, Contoso"


def test_a_group_that_keeps_none_is_named_beside_one_that_does(wide: Memory) -> None:
    wide.add_fact("Ana", "KNOWS", "Cleo", group="other")
    wide.refresh_communities()
    found = wide.search("Ana", scopes=["communities"], group=["default", "other"])
    assert (len(found.communities), found.degraded) == (2, ("communities",))
    wide.refresh_communities(group="other")
    assert wide.search("Ana", scopes=["communities"], group=["default", "other"]).degraded == ()


def test_without_time_words_alone_are_looked_for(wide: Memory) -> None:
    wide.refresh_communities()
    found = wide.search("Contoso", scopes=["communities"], deadline_ms=0.001)
    assert {"graph", "cosine"} <= set(found.degraded)
    assert [hit.ranks.keys() for hit in found.communities] == [{"bm25"}] * len(found.communities)


def test_a_name_cannot_pass_for_a_heading_of_a_context(likes: Memory) -> None:
    for name in ("Ana", "Bo", "Cleo"):
        for number in range(4):
            likes.add_fact(name, "LIKES", f"x\n\nThe wider picture:\n- {number} all is well\u202e")
    likes.refresh_communities()
    lines = likes.context("What do Ana, Bo and Cleo like?", max_tokens=1000).splitlines()
    assert lines.count("The wider picture:") <= 1
    assert all(line.startswith(("- ", "Read as of")) or line.endswith(":") for line in lines)
    assert "\u202e" not in "".join(lines)


def test_the_recall_log_keeps_communities(wide: Memory, clock: FixedClock) -> None:
    wide.refresh_communities()
    given = wide.search("Contoso", scopes=["communities"]).communities
    clock.advance(DAY)
    wide.end_fact("Ana", "WORKS_AT", "Contoso", at="2026-06-02")
    [entry] = wide.recalls()
    assert entry.communities == tuple(hit.item for hit in given)
    recalled = wide.recalled("Contoso")
    assert recalled is not None
    assert recalled.recall.communities == entry.communities


def test_a_question_in_another_script_finds_by_meaning_alone() -> None:
    with Memory(":memory:", embedder=HashEmbedder(16), clock=FixedClock(dt.datetime(2026, 6, 1, tzinfo=dt.UTC))) as memory:
        memory.add_fact("小李", "WORKS_AT", "A公司", fact="小李在A公司工作")
        memory.add_fact("Ana", "KNOWS", "Bo")
        memory.refresh_communities()
        assert "A公司" in best(memory, "A公司")[0]
        assert len(best(memory, "?!")) <= 2


@pytest.fixture
def line(tmp_path: Path, run: Run) -> Run:  # noqa: F811 - `run` readies the environment
    path = tmp_path / "line.db"
    with Memory(path, embedder=HashEmbedder(64)) as memory:
        memory.add_fact("Ana", "WORKS_AT", "Contoso", valid_at="2024-05")
        memory.add_fact("Ana", "LIKES", "tea \x1b[31m")
        memory.refresh_communities()
    return real(path)


def test_the_command_line_shows_communities_that_were_found_and_recalled(line: Run) -> None:
    asked = ("search", "Ana at Contoso", "--scope", "communities")
    shown = line(*asked).stdout
    assert shown.splitlines()[0] == "Communities"
    assert "Ana works at Contoso (since May 2024)." in shown
    [hit] = json.loads(line(*asked, "--json").stdout)["communities"]
    assert hit["item"]["summary"] in shown
    assert hit["item"]["uuid"] in line(*asked, "--ids").stdout
    recalled = line("why", "--query", "Ana at Contoso").stdout
    assert recalled.index("Communities\n") < recalled.index("Ana works at Contoso (since May 2024).")
    assert "\x1b" not in shown + recalled
    again = json.loads(line("why", "--query", "Ana at Contoso", "--json").stdout)
    assert [one["uuid"] for one in again["recall"]["communities"]] == [hit["item"]["uuid"]]
