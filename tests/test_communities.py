"""Communities of a memory: kept, joined, refreshed, as of the two clocks; and what is told of them is what holds."""

from __future__ import annotations

import datetime as dt

import pytest

from tkgmem import Memory, NotFound
from tkgmem.testing import FixedClock, HashEmbedder

DAY = dt.timedelta(days=1)


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(dt.datetime(2026, 6, 1, tzinfo=dt.UTC))


def tell(memory: Memory, *facts: tuple[str, str, str]) -> None:
    for source, relation, target in facts:
        memory.add_fact(source, relation, target)


def rows(memory: Memory, query: str) -> list[tuple[object, ...]]:
    with memory._store.read() as db:
        return [tuple(row) for row in db.execute(query)]


def cliques(memory: Memory, bridge: tuple[str, str] = ("a0", "b0")) -> None:
    for letter in "ab":
        names = [f"{letter}{number}" for number in range(4)]
        tell(memory, *((one, "KNOWS", other) for one in names for other in names if one < other))
    tell(memory, (bridge[0], "KNOWS", bridge[1]))


def named(memory: Memory, **asked: object) -> list[set[str]]:
    return [{member.name for member in one.members} for one in memory.communities(**asked)]  # type: ignore[arg-type]


def test_two_entities_with_two_facts_are_one_community(memory: Memory) -> None:
    tell(memory, ("Ana", "KNOWS", "Bo"), ("Bo", "LIKES", "Ana"))
    assert named(memory) == [{"Ana", "Bo"}]
    first, second = memory.refresh_communities(), memory.refresh_communities(whole=True)
    assert (first.communities, first.members, first.whole, second.moved, second.drift) == (1, 2, True, 0, 0.0)
    assert named(memory) == [{"Ana", "Bo"}]


def test_a_pair_of_cliques_with_a_bridge_is_two_and_a_star_is_one(memory: Memory) -> None:
    cliques(memory)
    memory.refresh_communities()
    assert sorted(map(sorted, named(memory))) == [["a0", "a1", "a2", "a3"], ["b0", "b1", "b2", "b3"]]
    tell(memory, *(("hub", "KNOWS", f"leaf{number}") for number in range(12)))
    memory.refresh_communities()
    assert {"hub", *(f"leaf{number}" for number in range(12))} in named(memory)


def test_what_no_fact_ties_to_another_is_in_no_community(memory: Memory) -> None:
    tell(memory, ("Ana", "KNOWS", "Bo"), ("Narcissus", "LIKES", "Narcissus"))
    memory.refresh_communities()
    assert named(memory) == [{"Ana", "Bo"}]
    assert memory.communities(entity="Narcissus") == []


def test_a_memory_in_which_nothing_was_told_has_none(memory: Memory) -> None:
    report = memory.refresh_communities()
    assert (report.communities, report.members, report.drift) == (0, 0, None)
    assert memory.communities() == []


def test_an_entity_that_comes_later_is_where_most_of_its_facts_lead_before_and_after_a_refresh(memory: Memory) -> None:
    cliques(memory)
    memory.refresh_communities()
    kept = {one.uuid for one in memory.communities()}
    tell(memory, ("new", "KNOWS", "a0"), ("new", "KNOWS", "a1"), ("new", "LIKES", "b2"))
    assert "new" in {member.name for member in memory.communities(entity="a3")[0].members}
    assert memory.memberships("new") == []  # a read keeps nothing
    report = memory.refresh_communities(whole=False)
    assert (report.joined, report.left, report.whole) == (1, 0, False)
    [membership] = memory.memberships("new")
    assert (membership.community in kept, membership.expired_at) == (True, None)


def test_newcomers_that_know_only_each_other_are_a_community_of_their_own(memory: Memory) -> None:
    cliques(memory)
    memory.refresh_communities()
    tell(memory, ("x", "KNOWS", "y"), ("y", "KNOWS", "z"))
    [own] = memory.communities(entity="x")
    assert ({member.name for member in own.members}, own.created_at) == ({"x", "y", "z"}, None)
    memory.refresh_communities(whole=False)
    assert memory.communities(entity="x")[0].created_at is not None


def test_a_community_keeps_its_uuid_while_it_keeps_its_members_and_membership_has_a_history(
    memory: Memory, clock: FixedClock
) -> None:
    cliques(memory)
    memory.refresh_communities()
    before = {one.uuid: {member.name for member in one.members} for one in memory.communities()}
    clock.advance(DAY)
    for other in ("a1", "a2", "a3", "b0"):
        memory.end_fact("a0", "KNOWS", other, at="2026-06-02")
    tell(memory, ("a0", "KNOWS", "b1"), ("a0", "KNOWS", "b2"), ("a0", "LIKES", "b3"))
    memory.refresh_communities(whole=True)
    after = {one.uuid: {member.name for member in one.members} for one in memory.communities()}
    assert after.keys() == before.keys()
    [home] = [uuid for uuid, members in after.items() if "a0" in members]
    assert after[home] == {"a0", "b0", "b1", "b2", "b3"}
    left, came = memory.memberships("a0")
    assert (left.community != came.community, left.expired_at, came.expired_at) == (True, came.created_at, None)
    assert [one.entity.name for one in memory.memberships(home) if one.created_at == came.created_at] == ["a0"]
    assert sorted(map(sorted, named(memory, known_at="2026-06-01T12:00"))) == sorted(map(sorted, before.values()))


def test_an_asked_valid_time_derives_the_communities_of_the_facts_that_held_then(memory: Memory) -> None:
    for other in ("Bo", "Cy"):
        memory.add_fact("Ana", "WORKS_WITH", other, valid_at="2020", invalid_at="2023")
        memory.add_fact(other, "WORKS_WITH", "Ana", valid_at="2020", invalid_at="2023")
    memory.add_fact("Ana", "WORKS_WITH", "Dee", valid_at="2024")
    memory.refresh_communities()
    assert named(memory) == [{"Ana", "Dee"}]
    assert named(memory, valid_at="2021") == [{"Ana", "Bo", "Cy"}]
    assert "Bo" in memory.communities(valid_at="2021")[0].summary
    assert "Bo" not in memory.communities()[0].summary
    assert named(memory, valid_at="2021", known_at="2025") == []


@pytest.mark.parametrize("how", ["ended", "retracted", "superseded", "undone", "time"])
def test_what_is_over_is_in_no_summary_though_another_facts_text_names_it(memory: Memory, clock: FixedClock, how: str) -> None:
    until = "2026-06-20" if how == "time" else None
    over = memory.add_fact("Ana", "WORKS_AT", "Contoso", invalid_at=until)
    memory.add_fact("Ana", "LIKES", "tea", fact="Ana, who works at Contoso, likes tea")
    memory.add_fact("Ana", "KNOWS", "Bo", fact="Ana has known Bo for ages")
    memory.refresh_communities()
    assert "who works at Contoso, likes tea" in memory.communities()[0].summary
    clock.advance(30 * DAY)
    change = memory.changes()[-1].number if how == "undone" else 0
    if how == "ended":
        memory.end_fact("Ana", "WORKS_AT", "Contoso", at="2026-06-15")
    elif how == "retracted":
        memory.retract(over.uuid)
    elif how == "superseded":
        memory.add_fact("Ana", "WORKS_AT", "Hooli", valid_at="2026-06-15")
    elif how == "undone":
        memory.undo(change=change)
    for _ in range(2):
        [summary] = [one.summary for one in memory.communities()]
        assert "Contoso" not in summary
        assert "Ana likes tea" in summary
        assert "Ana has known Bo for ages" in summary
        memory.refresh_communities()
    then = {"valid_at" if how == "time" else "known_at": "2026-06-10"}
    assert "Contoso" in memory.communities(**then)[0].summary  # type: ignore[arg-type]
    assert not any("Contoso" in text for (text,) in rows(memory, "SELECT text FROM summaries WHERE expired_at IS NULL"))


def test_summaries_tell_the_dates_that_are_known_and_say_what_is_alike_at_once(memory: Memory) -> None:
    memory.add_fact("Ana", "LIVES_IN", "Lisbon", valid_at="2024-05")
    tell(memory, ("Ana", "LIKES", "tea"), ("Ana", "LIKES", "jazz"), ("Ana", "LIKES", "hiking"))
    assert memory.communities()[0].summary == "Ana likes tea, jazz and hiking. Ana lives in Lisbon (since May 2024)."


def test_a_summary_in_chinese_is_worded_in_chinese(memory: Memory) -> None:
    memory.add("小李2024年3月在A公司工作。", reference_time="2024-03-05")
    memory.add_fact("小王", "WORKS_AT", "A公司", fact="小王在A公司工作", valid_at="2023")
    [one] = memory.communities()
    assert "A公司" in one.name
    assert "小王在A公司工作（自2023年起）。" in one.summary


def test_groups_never_see_each_other(memory: Memory) -> None:
    tell(memory, ("Ana", "KNOWS", "Bo"))
    memory.add_fact("Cy", "KNOWS", "Dee", group="other")
    memory.refresh_communities()
    assert named(memory) == [{"Ana", "Bo"}]
    assert named(memory, group="other") == [{"Cy", "Dee"}]  # derived: nothing is kept there
    assert memory.communities(group="other")[0].created_at is None
    assert len(memory.communities(group=["default", "other"])) == 2
    with pytest.raises(NotFound):
        memory.memberships(memory.communities()[0].uuid, group="other")


def test_a_merge_makes_one_member_of_two(memory: Memory) -> None:
    cliques(memory)
    memory.refresh_communities()
    memory.merge_entities("a0", "a1")
    assert {"a0", "a2", "a3"} in named(memory)
    memory.refresh_communities(whole=False)
    assert {"a0", "a2", "a3"} in named(memory)
    memory.split_entity("a1")
    assert {"a0", "a1", "a2", "a3"} in named(memory)


def test_a_refresh_that_changes_nothing_writes_no_version_and_reads_write_nothing(memory: Memory) -> None:
    cliques(memory)
    memory.refresh_communities()
    before = {table: rows(memory, f"SELECT * FROM {table}") for table in ("communities", "members", "summaries")}
    assert memory.refresh_communities(whole=True).renewed == 0
    memory.communities(valid_at="2020")
    assert {table: rows(memory, f"SELECT * FROM {table}") for table in before} == before


def test_drift_is_measured_after_many_joined_and_a_whole_refresh_restores_it(memory: Memory) -> None:
    cliques(memory)
    memory.refresh_communities()
    for number in range(6):  # all come by way of a0, and then turn out to belong to each other
        tell(memory, (f"n{number}", "KNOWS", "a0"))
    memory.refresh_communities(whole=False)
    tell(memory, *((f"n{one}", "KNOWS", f"n{other}") for one in range(6) for other in range(one)))
    assert memory.refresh_communities(whole=False).drift is None
    assert {"a0", "n0", "n5"} <= named(memory)[0]
    report = memory.refresh_communities()
    assert report.whole
    assert report.drift is not None
    assert report.drift > 0.02
    assert {"n0", "n1", "n2", "n3", "n4", "n5"} in named(memory)
    again = memory.refresh_communities(whole=True)
    assert (again.drift, again.moved) == (0.0, 0)


def test_the_same_input_with_the_same_clock_gives_the_same_communities() -> None:
    answers = []
    for _ in range(2):
        clock = FixedClock(dt.datetime(2026, 6, 1, tzinfo=dt.UTC))
        with Memory(":memory:", embedder=HashEmbedder(8), clock=clock) as memory:
            cliques(memory)
            memory.refresh_communities()
            answers.append(memory.communities())
    assert answers[0] == answers[1]


def test_a_text_that_names_what_is_over_for_somebody_else_gives_way_to_its_triple(memory: Memory, clock: FixedClock) -> None:
    tell(memory, ("Ilka", "WORKS_AT", "Contoso"))
    memory.add_fact("Ana", "LIKES", "tea", fact="Ana, whose sister works at Contoso, likes tea")
    memory.add_fact("Ana", "KNOWS", "Ilka", fact="Ana has long known Ilka")
    clock.advance(DAY)
    memory.end_fact("Ilka", "WORKS_AT", "Contoso", at="2026-06-02")
    for summary in (memory.communities()[0].summary, memory.summary("Ana").text):
        assert "Contoso" not in summary
        assert "Ana likes tea" in summary
        assert "Ana has long known Ilka" in summary


def test_a_community_is_not_named_after_a_member_that_nothing_ties_any_more(memory: Memory, clock: FixedClock) -> None:
    tell(memory, ("Ana", "WORKS_AT", "Contoso"), ("Ana", "KNOWS", "Bo"))
    memory.refresh_communities()
    assert "Contoso" in memory.communities()[0].name
    clock.advance(DAY)
    memory.end_fact("Ana", "WORKS_AT", "Contoso", at="2026-06-02")
    assert memory.communities()[0].name == "Ana, Bo"


def test_what_nothing_ties_any_more_is_no_member_at_once(memory: Memory) -> None:
    tell(memory, ("Ana", "KNOWS", "Bo"), ("Bo", "KNOWS", "Cy"))
    over = memory.add_fact("Bo", "WORKS_AT", "Contoso")
    memory.refresh_communities()
    memory.retract(over.uuid)
    memory.add_fact("Bo", "LIKES", "Bo")
    assert named(memory) == [{"Ana", "Bo", "Cy"}]
    [hit] = memory.search("Bo", scopes=["communities"]).communities
    assert "Contoso" not in (hit.item.name, *(member.name for member in hit.item.members))


def test_a_fact_that_begins_as_time_passes_ties_from_then_on(memory: Memory, clock: FixedClock) -> None:
    cliques(memory)
    memory.add_fact("late", "KNOWS", "a1", valid_at="2026-07")
    memory.refresh_communities()
    assert memory.communities(entity="late") == []
    clock.advance(60 * DAY)
    assert {"late", "a1"} <= named(memory, entity="late")[0]
    assert memory.refresh_communities(whole=False).joined == 1


def test_newcomers_that_have_nothing_to_do_with_each_other_are_not_put_together(memory: Memory) -> None:
    first, second = memory.add_fact("A", "KNOWS", "X"), memory.add_fact("B", "KNOWS", "Y")
    tell(memory, *(("Z0", "KNOWS", f"Z{number}") for number in range(1, 4)))
    memory.refresh_communities()
    memory.retract(first.uuid)
    memory.retract(second.uuid)
    tell(memory, ("X", "KNOWS", "Y"), ("P", "KNOWS", "Q"))
    memory.refresh_communities(whole=False)
    assert sorted(map(sorted, named(memory))) == [["P", "Q"], ["X", "Y"], ["Z0", "Z1", "Z2", "Z3"]]


def test_what_a_forget_brings_back_or_takes_is_seen(memory: Memory) -> None:
    cliques(memory)
    memory.add_fact("a0", "WORKS_AT", "Old", valid_at="2020")
    new = memory.add_fact("a0", "WORKS_AT", "New", valid_at="2025")
    alone = memory.add_fact("b0", "LIKES", "tea")
    memory.refresh_communities()
    memory.forget(fact=[new.uuid, alone.uuid])
    for _ in range(2):
        assert memory.communities(entity="Old")[0].name == memory.communities(entity="a1")[0].name
        assert "tea" not in {member for members in named(memory) for member in members}
        memory.refresh_communities()
    memory.forget(entity="b1")
    memory.refresh_communities()
    assert all(len(one.members) > 1 for one in memory.communities())


def test_a_pair_of_which_one_is_forgotten_is_no_community(memory: Memory) -> None:
    cliques(memory)
    tell(memory, ("C", "KNOWS", "D"))
    memory.refresh_communities()
    memory.forget(entity="D")
    report = memory.refresh_communities()
    assert (report.communities, report.members) == (2, 8)
    with pytest.raises(NotFound):
        memory.memberships("C")  # only its one fact named it


def test_a_search_and_a_list_agree_after_a_merge(memory: Memory) -> None:
    tell(memory, *((one, "KNOWS", other) for one, other in ("AB", "BC", "AC", "XY", "YZ", "XZ", "ZV")))
    memory.refresh_communities()
    memory.merge_entities("A", "X")
    listed = sorted(map(sorted, named(memory)))
    for limit in (1, 5):
        hits = memory.search("Z V", scopes=["communities"], limit=limit).communities
        assert all(sorted(member.name for member in hit.item.members) in listed for hit in hits)


def test_facts_that_come_while_a_refresh_is_at_work_wait_for_the_next(clock: FixedClock) -> None:
    embedder = HashEmbedder(8)
    with Memory(":memory:", embedder=embedder, clock=clock) as memory:
        cliques(memory)
        made, busy = embedder.embed_passages, [True]

        def while_adding(texts: list[str]) -> object:
            if busy and any(":" in text for text in texts):
                busy.clear()
                memory.add_fact("late", "KNOWS", "a1")
            return made(texts)

        embedder.embed_passages = while_adding  # type: ignore[method-assign, assignment]
        assert memory.refresh_communities().members == 8
        assert not busy
        assert "late" in named(memory, entity="a1")[0]
        assert memory.refresh_communities(whole=False).joined == 1


def test_the_uuid_of_a_community_that_is_derived_stays_when_it_is_kept(memory: Memory) -> None:
    cliques(memory)
    before = {one.uuid for one in memory.communities()}
    memory.refresh_communities()
    assert {one.uuid for one in memory.communities()} == before


def test_a_summary_that_has_no_room_for_all_that_holds_says_how_much_it_leaves_out(memory: Memory) -> None:
    tell(memory, *(("Ana", "LIKES", f"thing {number}") for number in range(14)))
    assert memory.communities()[0].summary.endswith(" 2 more facts hold.")
    assert memory.summary("Ana").text.endswith(" 2 more facts hold.")
    assert "more fact" not in memory.summary("thing 3").text


def test_a_membership_has_a_name_though_what_was_kept_of_it_was_forgotten(memory: Memory) -> None:
    tell(memory, ("Ana", "KNOWS", "Bo"), ("Ana", "KNOWS", "Cy"), ("Bo", "KNOWS", "Cy"))
    memory.refresh_communities()
    memory.forget(entity="Cy")
    assert [one.name for one in memory.memberships("Ana")] == ["Ana, Bo"]
