"""Summaries of entities, communities and conversations without a model, as of the two clocks: what is told is what holds."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

import pytest

from tkgmem import AmbiguousName, Memory, NotFound
from tkgmem.communities.quoting import telling, words_of
from tkgmem.testing import FixedClock, HashEmbedder

DAY = dt.timedelta(days=1)


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(dt.datetime(2026, 6, 1, tzinfo=dt.UTC))


@pytest.fixture
def memory(clock: FixedClock) -> Iterator[Memory]:
    with Memory(":memory:", embedder=HashEmbedder(8), clock=clock) as opened:
        yield opened


def say(memory: Memory, speaker: str | None, text: str, told: str = "2026-05-03", name: str = "chat", **more: object) -> str:
    given = {"reference_time": told, "name": name, "extract": False} | more
    return memory.add(text, speaker=speaker, **given).episode.uuid  # type: ignore[arg-type]


def talk(memory: Memory, **asked: object) -> str:
    return memory.summary(conversation="chat", **asked).text  # type: ignore[arg-type]


# --- what is asked for ---


def test_a_summary_is_of_just_one_thing_that_is_known(memory: Memory) -> None:
    memory.add_fact("Ana", "LIKES", "tea")
    say(memory, "Ana", "Hello there, everybody.", name="both")
    memory.add("Hello there.", name="both", group="other", extract=False)
    for wrong in ({}, {"entity": "Ana", "conversation": "both"}, {"community": "x", "conversation": "both"}):
        for verb in (memory.summary, memory.summaries):
            with pytest.raises(ValueError, match="of one thing"):
                verb(**wrong)  # type: ignore[arg-type]
    for unknown in ({"entity": "Zoe"}, {"conversation": "none"}, {"community": "none"}, {"entity": "Ana", "group": "other"}):
        for verb in (memory.summary, memory.summaries):
            with pytest.raises(NotFound, match=r"'(Zoe|none|Ana)'"):
                verb(**unknown)  # type: ignore[arg-type]
    with pytest.raises(NotFound):
        memory.summary("Ana", known_at="2026-05-01")
    with pytest.raises(NotFound):
        memory.summary(conversation="both", known_at="2026-05-31")
    with pytest.raises(AmbiguousName):
        memory.summary(conversation="both", group=["default", "other"])


def test_an_entity_is_told_of_at_the_asked_clocks_by_name_uuid_or_value(memory: Memory, clock: FixedClock) -> None:
    memory.add_fact("Ana", "WORKS_AT", "Contoso", valid_at="2020")
    clock.advance(DAY)
    memory.add_fact("Ana", "WORKS_AT", "Hooli", valid_at="2024-05")
    ana = memory.entity("Ana")
    assert ana.summary == "Ana works at Hooli (since May 2024)."
    for name in ("Ana", ana.entity.uuid, ana.entity):
        told = memory.summary(name)
        assert (told.text, told.model, told.created_at, told.known_at) == (ana.summary, None, None, None)
        assert told.facts == tuple(fact.uuid for fact in ana.facts)
    assert memory.summary("Ana", valid_at="2021").text == "Ana works at Contoso (from 2020 until May 2024)."
    assert memory.entity("Ana", known_at="2026-06-01T12:00").summary == "Ana works at Contoso (since 2020)."
    assert memory.summaries("Ana") == []


def test_of_what_is_known_and_of_which_nothing_holds_the_text_is_empty(memory: Memory) -> None:
    memory.add_fact("Ana", "WORKS_AT", "Contoso", valid_at="2020", invalid_at="2022")
    told = memory.summary("Ana")
    assert (told.text, told.facts, memory.entity("Ana").summary) == ("", (), None)
    assert memory.entity("Ana", valid_at="2021").summary == "Ana works at Contoso (from 2020 until 2022)."


def test_a_community_is_told_of_as_it_is_listed_and_of_a_past_time_as_of_then(memory: Memory) -> None:
    memory.add_fact("Ana", "WORKS_WITH", "Bo", valid_at="2020")
    memory.add_fact("Ana", "LIKES", "chess", valid_at="2020", invalid_at="2023")
    [derived] = memory.communities()
    assert memory.summary(community=derived).text == derived.summary
    assert memory.summaries(community=derived) == []
    memory.refresh_communities()
    [kept] = memory.communities()
    told = memory.summary(community=kept.uuid)
    assert (told.text, told.facts) == (kept.summary, kept.facts)
    assert "chess" not in told.text
    assert "chess" in memory.summary(community=kept.uuid, valid_at="2021").text
    [version] = memory.summaries(community=kept)
    assert (version.text, version.model, version.expired_at) == (told.text, None, None)
    with pytest.raises(NotFound):
        memory.summary(community=kept.uuid, group="other")


def test_a_community_that_is_no_more_has_an_empty_summary_now_and_its_own_before(memory: Memory, clock: FixedClock) -> None:
    memory.add_fact("Ana", "WORKS_WITH", "Bo")
    memory.refresh_communities()
    [kept] = memory.communities()
    clock.advance(DAY)
    memory.end_fact("Ana", "WORKS_WITH", "Bo", at="2026-06-02")
    memory.refresh_communities()
    assert memory.summary(community=kept.uuid).text == ""
    assert memory.summary(community=kept.uuid, known_at="2026-06-01T12:00").text == "Ana works with Bo."
    assert len(memory.summaries(community=kept.uuid)) == 1
    with pytest.raises(NotFound):
        memory.summary(community=kept.uuid, known_at="2026-05-01")


# --- what a fact's own text may say ---


def _ana(memory: Memory, **more: object) -> str:
    return memory.summary("Ana", **more).text  # type: ignore[arg-type]


@pytest.mark.parametrize("how", ["ended", "retracted", "superseded", "undone", "not yet"])
def test_a_text_that_tells_of_two_between_whom_something_is_over_gives_way_to_the_triple(
    memory: Memory, clock: FixedClock, how: str
) -> None:
    begun = "2026-06-10" if how == "not yet" else None
    until = "2026-06-20" if how == "not yet" else None
    memory.add_fact("Ana", "LIKES", "Contoso", fact="Ana works at Contoso and likes Contoso")
    memory.add_fact("Ana", "LIKES", "tea", fact="Ana, who works at Contoso, likes tea")
    clock.advance(DAY)
    job = memory.add_fact("Ana", "WORKS_AT", "Contoso", valid_at=begun, invalid_at=until)
    told = "Ana works at Contoso and likes Contoso. Ana, who works at Contoso, likes tea."
    clock.advance(30 * DAY)
    if how == "ended":
        memory.end_fact("Ana", "WORKS_AT", "Contoso", at="2026-06-15")
    elif how == "retracted":
        memory.retract(job.uuid)
    elif how == "superseded":
        memory.add_fact("Ana", "WORKS_AT", "Hooli", valid_at="2026-06-15")
    elif how == "undone":
        memory.undo(change=memory.changes()[0].number)
    assert _ana(memory).startswith("Ana likes Contoso and tea.")
    assert _ana(memory, known_at="2026-06-01T12:00").startswith(told)  # of the job nothing was known yet
    if how == "not yet":
        assert _ana(memory, valid_at="2026-06-05") == "Ana likes Contoso and tea."
        assert _ana(memory, valid_at="2026-06-15").startswith(told)
    else:
        assert _ana(memory, known_at="2026-06-10").startswith(told)


def test_a_sentence_of_which_one_fact_is_over_is_told_of_no_other(memory: Memory, clock: FixedClock) -> None:
    memory.add("Maya lives in Lisbon and loves Lisbon. Maya likes tea.", name="chat", speaker="Bo")
    clock.advance(DAY)
    memory.add("Maya moved to Porto.")
    assert memory.summary("Maya").text == "Maya likes Lisbon and tea. Maya moved to Porto (since 2 June 2026)."
    assert "loves" not in talk(memory)
    assert "loves Lisbon" in memory.summary("Maya", known_at="2026-06-01T12:00").text


def test_a_text_whose_words_another_fact_rests_on_that_is_over_gives_way(memory: Memory, clock: FixedClock) -> None:
    source = say(memory, "Ana", "Ana sings in the choir there and likes tea.")
    said = "Ana sings in the choir there and likes tea"
    choir = memory.add_fact("Ana", "SINGS_IN", "Contoso Choir", fact=said, episode=source)
    memory.add_fact("Ana", "LIKES", "tea", fact=said, episode=source)
    memory.add_fact("Ana", "LIKES", "jazz", fact="Ana adores jazz", episode=source)
    assert said in _ana(memory)
    clock.advance(DAY)
    memory.retract(choir.uuid)
    assert _ana(memory) == "Ana likes tea. Ana adores jazz."


def test_a_text_of_a_plan_that_was_dropped_gives_way_and_of_one_that_stands_does_not(memory: Memory, clock: FixedClock) -> None:
    told = "Ana likes Porto and will move to Porto some day."
    memory.add_fact("Ana", "LIKES", "Porto", fact=told)
    plan = memory.add_fact("Ana", "LIVES_IN", "Porto", planned=True)
    assert _ana(memory) == told
    clock.advance(DAY)
    memory.retract(plan.uuid)
    assert _ana(memory) == "Ana likes Porto."
    assert _ana(memory, known_at="2026-06-01T12:00") == told


def test_what_is_told_again_or_holds_on_under_another_name_is_not_over(memory: Memory, clock: FixedClock) -> None:
    told = "Ana, at Contoso these days, likes tea."
    memory.add_fact("Ana", "LIKES", "tea", fact=told)
    memory.add_fact("Anna", "WORKS_AT", "Contoso", valid_at="2021")
    clock.advance(DAY)
    memory.merge_entities("Anna", "Ana")
    memory.add_fact("Ana", "WORKS_AT", "Contoso", valid_at="2020")
    assert told in _ana(memory)
    memory.add_fact("Ana", "KNOWS", "Contoso")
    memory.end_fact("Ana", "WORKS_AT", "Contoso", at="2026-06-01")
    assert told not in _ana(memory)


# --- conversations ---


def test_a_conversation_tells_who_spoke_when_what_holds_and_quotes_turns(memory: Memory) -> None:
    first = say(memory, "Ana", "I moved to Lisbon, and the flat by the river is sunny.")
    say(memory, "Bo", "A flat by the river in Lisbon sounds lovely!\n\n## Ignore the rest", "2026-05-04")
    say(memory, "Ana", "ok", "2026-05-20")
    say(memory, "Cy", "Another conversation entirely, about trains.", name="other")
    memory.add_fact("Ana", "LIVES_IN", "Lisbon", valid_at="2026-05", episode=first)
    assert talk(memory) == (
        "Ana and Bo spoke in 3 turns, from 3 May 2026 to 20 May 2026. Ana lives in Lisbon (since May 2026)."
        ' Ana (3 May 2026): "I moved to Lisbon, and the flat by the river is sunny."'
        ' Bo (4 May 2026): "A flat by the river in Lisbon sounds lovely! ## Ignore the rest"'
    )
    told = memory.summary(conversation="chat")
    assert (told.facts, told.model) == (tuple(fact.uuid for fact in memory.entity("Ana").facts), None)


def test_texts_without_a_speaker_are_counted_as_texts_and_records_are_not_quoted(memory: Memory) -> None:
    say(memory, None, "The quarterly report praises the harbour project.")
    assert talk(memory) == ('1 text, on 3 May 2026. 3 May 2026: "The quarterly report praises the harbour project."')
    say(memory, None, '{"secret": "harbour project budget"}', source="json")
    assert talk(memory).startswith("2 texts, on 3 May 2026.")
    assert "budget" not in talk(memory)


def test_a_conversation_in_chinese_is_told_in_chinese(memory: Memory) -> None:
    told = say(memory, "小李", "我搬到上海了，新家离公司很近。")
    say(memory, "小王", "恭喜，新家离公司近真好。", "2026-05-04")
    memory.add_fact("小李", "LIVES_IN", "上海", fact="小李住在上海", valid_at="2026-05", episode=told)
    assert talk(memory) == (
        "小李和小王说了2段话，2026年5月3日至2026年5月4日。小李住在上海（自2026年5月起）。"
        "小李（2026年5月3日）：“我搬到上海了，新家离公司很近。”；小王（2026年5月4日）：“恭喜，新家离公司近真好。”"
    )


def test_a_long_turn_is_cut_after_a_word_and_many_speakers_are_counted(memory: Memory) -> None:
    say(memory, "Ana", "sunflowers " * 60)
    for number in range(8):
        say(memory, f"P{number}", "ok")
    [quote] = talk(memory).split('"')[1:2]
    assert len(quote) <= 160
    assert quote.endswith("sunflowers…")
    assert talk(memory).startswith("Ana, P0, P1, P2, P3, P4 and 3 more spoke in 9 turns")


@pytest.mark.parametrize("how", ["ended", "retracted", "superseded", "undone", "corrected", "time"])
def test_a_turn_of_which_anything_is_over_is_not_quoted_nor_one_that_names_it(
    memory: Memory, clock: FixedClock, how: str
) -> None:
    until = "2026-06-20" if how == "time" else None
    source = say(memory, "Ana", "I work at Contoso and walk to the office every morning.")
    say(memory, "Bo", "The Contoso office has a lovely garden, walk there!")
    say(memory, "Ana", "The walk along the garden every morning is lovely.")
    clock.advance(DAY)
    fact = memory.add_fact("Ana", "WORKS_AT", "Contoso", episode=source, invalid_at=until)
    assert talk(memory).count("Contoso") == 3
    clock.advance(30 * DAY)
    if how == "ended":
        memory.end_fact("Ana", "WORKS_AT", "Contoso", at="2026-06-15")
    elif how == "retracted":
        memory.retract(fact.uuid)
    elif how == "superseded":
        memory.add_fact("Ana", "WORKS_AT", "Hooli", valid_at="2026-06-15")
    elif how == "undone":
        memory.undo(change=memory.changes()[-1].number)
    elif how == "corrected":
        memory.correct(fact.uuid, target="Hooli")
    assert "Contoso" not in talk(memory)
    assert 'Ana (3 May 2026): "The walk along the garden every morning is lovely."' in talk(memory)
    then = {"valid_at" if how == "time" else "known_at": "2026-06-10"}
    assert talk(memory, **then).count("Contoso") == 3


def test_a_turn_is_not_quoted_before_it_was_stored_nor_after_it_was_taken_back(memory: Memory, clock: FixedClock) -> None:
    say(memory, "Ana", "The first lighthouse was built of wood.")
    clock.advance(DAY)
    late = say(memory, "Bo", "The second lighthouse was built of stone.", "2026-05-01")
    assert "from 1 May 2026 to 3 May 2026" in talk(memory)
    assert "stone" in talk(memory)
    assert "stone" not in talk(memory, known_at="2026-06-01T12:00")
    clock.advance(DAY)
    memory.undo(episode=late)
    assert talk(memory).startswith("Ana spoke in 1 turn, on 3 May 2026.")
    assert "stone" not in talk(memory)
    assert "stone" in talk(memory, known_at="2026-06-02T12:00")


def test_a_conversation_that_was_taken_back_is_empty_and_one_that_was_forgotten_unknown(memory: Memory) -> None:
    only = say(memory, "Ana", "The lighthouse was built of wood.")
    memory.undo(episode=only)
    assert talk(memory) == ""
    memory.forget(episode=only)
    with pytest.raises(NotFound):
        talk(memory)


def test_where_many_facts_are_known_no_turn_is_quoted(memory: Memory) -> None:
    for number in range(7):
        told = say(memory, "Ana", f"I know person number {number}, a colleague of long standing.")
        memory.add_fact("Ana", "KNOWS", f"person {number}", episode=told)
    assert '"' not in talk(memory)
    assert "Ana knows person 0, person 1" in talk(memory)


def test_a_turn_that_only_asks_is_quoted_only_if_no_other_can_be(memory: Memory) -> None:
    say(memory, "Bo", "Does the harbour lighthouse close in winter? ")
    assert "Does the harbour" in talk(memory)
    say(memory, "Ana", "The lighthouse closes in winter.")
    assert "Does the harbour" not in talk(memory)


def test_a_plan_without_a_date_may_be_quoted_while_it_is_believed(memory: Memory) -> None:
    told = say(memory, "Ana", "Some day I will move to Porto, by the ocean.")
    plan = memory.add_fact("Ana", "LIVES_IN", "Porto", planned=True, episode=told)
    assert "Porto" in talk(memory)
    memory.retract(plan.uuid)
    assert "Porto" not in talk(memory)


def test_turns_are_those_that_tell_most_and_no_two_tell_the_same() -> None:
    turns = [
        "the harbour bridge opens next spring",
        "lunch tomorrow at noon perhaps",
        "the harbour bridge opens next spring",
        "the bridge over the harbour needs paint",
        "yes",
    ]
    said = [words_of(text) for text in turns]
    places = telling(said, 3, may=lambda _: True)
    assert places[0] == 0
    assert 2 not in places
    assert 4 not in places
    assert 0 not in telling(said, 3, may=lambda place: place != 0)
    assert telling(said, 3, may=lambda _: False) == []
    assert telling([], 3, may=lambda _: True) == []
    many = [["thanks", "harbour", f"w{number}"] for number in range(6)] + [["thanks", "lighthouse", "keeper"]] * 2
    assert telling(many, 1, may=lambda _: True) == [6]  # what six turns say is how they talk
    assert telling(many[:6], 1, may=lambda _: True) == [0]
    assert telling([["a"] * 3, ["a", "b"] * 5], 1, may=lambda _: True) == [1]
    alike = ["harbour bridge opening soon", "harbour bridge opening again", "harbour bridge opening late", "keeper feeds owls"]
    assert telling([words_of(text) for text in alike], 2, may=lambda _: True) == [0, 3]


def test_reads_write_nothing_and_say_the_same_twice(memory: Memory) -> None:
    memory.add_fact("Ana", "LIKES", "tea", episode=say(memory, "Ana", "I like green tea in the morning."))
    with memory._store.read() as db:
        before = db.total_changes()
        told = [memory.summary("Ana"), memory.summary(conversation="chat"), memory.entity("Ana")]
        assert told == [memory.summary("Ana"), memory.summary(conversation="chat"), memory.entity("Ana")]
        assert db.total_changes() == before
