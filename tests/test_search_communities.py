"""The scope "communities" of search, its place in a context, and in the recall log."""

from __future__ import annotations

import datetime as dt

import pytest

from tkgmem import Memory
from tkgmem.testing import FixedClock, HashEmbedder

DAY = dt.timedelta(days=1)


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
    assert best(wide, "Leo lives in Lisbon since 2021", recipe=recipe, **centre)[0] == "Mia, Lisbon, Leo"


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
    assert "Mia, Lisbon, Leo" not in best(wide, "Lisbon", valid_at="1990")  # of Ana and Bo nobody said since when


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


def test_a_context_tells_the_wider_picture_where_there_is_one_and_it_is_not_yet_told(wide: Memory) -> None:
    for number in range(40):
        wide.add_fact("Bo", "WORKS_ON", f"Project {number}")
    asked = "which project works Bo on, at Contoso"
    plain = wide.context(asked, max_tokens=450)
    wide.refresh_communities()
    assert "The wider picture:" not in plain
    assert "The wider picture:\n- Bo, " in wide.context(asked, max_tokens=450)
    assert "In all: Bo, " in wide.context(asked, max_tokens=450, style="simple")
    assert "[community " in wide.context(asked, max_tokens=900, ids=True)
    assert len(plain) < len(wide.context(asked, max_tokens=450))
    assert "wider picture" not in wide.context(asked, max_tokens=120)


def test_a_context_of_few_facts_does_not_say_them_twice(wide: Memory) -> None:
    before = wide.context("Ana at Contoso")
    wide.refresh_communities()
    assert wide.context("Ana at Contoso") == before


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
