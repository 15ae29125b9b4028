"""Who is who on the system clock: entities merged, split and given names; nothing said before is changed by it."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tkgmem import AmbiguousName, Entity, Fact, Memory, NotFound
from tkgmem.cli import main
from tkgmem.cli.session import Session
from tkgmem.ingest import identity, reconcile
from tkgmem.store import claims, derivation, relations, write
from tkgmem.testing import FixedClock, HashEmbedder

DAYS = ("2019", "2021-06", "2023", "2026")


@pytest.fixture
def tick(clock: FixedClock) -> Callable[[], dt.datetime]:
    """The instant up to which everything is told, and a later one for what comes next."""

    def told() -> dt.datetime:
        now = clock()
        clock.advance(dt.timedelta(hours=1))
        return now

    return told


@pytest.fixture
def ana(memory: Memory, tick: Callable[[], dt.datetime]) -> Memory:
    """Ana and Annie, who may be one, and Bo, who knows both."""
    for source, relation, target, start in (
        ("Ana", "WORKS_AT", "Acme", "2020"),
        ("Annie", "WORKS_AT", "Bolt", "2022"),
        ("Annie", "LIKES", "tea", "2021"),
        ("Ana", "LIKES", "tea", "2018"),
        ("Bo", "KNOWS", "Annie", "2018"),
        ("Ana", "KNOWS", "Annie", "2018"),
    ):
        memory.add_fact(source, relation, target, valid_at=start)
        tick()
    return memory


def lines(memory: Memory, **clocks: Any) -> list[str]:
    """What holds on some days, in words."""
    return [
        f"{day}: {fact.source.name} {fact.relation} {fact.target.name}" for day in DAYS for fact in memory.as_of(day, **clocks)
    ]


def everything(memory: Memory, known_at: dt.datetime | None = None) -> list[Any]:
    """All that the memory answers about all its entities."""
    answers: list[Any] = [memory.as_of(day, known_at=known_at) for day in DAYS]
    for query in ("Ana", "Annie", "Bo", "tea", "works at Acme"):
        found = memory.search(query, known_at=known_at, include_ended=True)
        answers += [[hit.item for hit in hits] for hits in (found.facts, found.entities)]
    held = [fact for facts in answers[: len(DAYS)] for fact in facts]
    for name in sorted({entity.uuid for fact in held for entity in (fact.source, fact.target)}):
        answers += [memory.entity(name, valid_at=day, known_at=known_at) for day in DAYS]
        answers += [[without_system_time(version) for version in memory.timeline(name, known_at=known_at)]]
    return answers


def without_system_time(version: Any) -> tuple[Any, ...]:
    """A version without when it was believed, which a change and its undoing leave in the history."""
    return (version.uuid, version.valid_at, version.invalid_at, version.cause, version.source, version.target, version.by)


def rows(memory: Memory, *tables: str) -> dict[str, list[Any]]:
    found = {}
    with memory._store.read() as db:
        for table in tables:
            columns = [name for _, name, *_ in db.execute(f"PRAGMA table_info({table})") if name not in ("id", "reason")]
            found[table] = sorted(db.execute(f"SELECT {', '.join(columns)} FROM {table}"), key=repr)
    return found


# --- merge ---


def test_a_merge_unites_what_is_said_of_both(ana: Memory) -> None:
    merged = ana.merge_entities("Ana", "Annie")
    assert (merged.name, merged.aliases) == ("Ana", ("Annie",))
    assert lines(ana) == [
        "2019: Ana LIKES tea",
        "2019: Bo KNOWS Ana",
        "2021-06: Ana LIKES tea",
        "2021-06: Ana WORKS_AT Acme",
        "2021-06: Bo KNOWS Ana",
        "2023: Ana LIKES tea",
        "2023: Ana WORKS_AT Bolt",
        "2023: Bo KNOWS Ana",
        "2026: Ana LIKES tea",
        "2026: Ana WORKS_AT Bolt",
        "2026: Bo KNOWS Ana",
    ]


def test_the_same_triple_becomes_one_fact_and_the_functional_rule_works_across(ana: Memory) -> None:
    before = {(fact.source.name, fact.target.name): fact for fact in ana.as_of("2026")}
    ana.merge_entities("Ana", "Annie")
    [tea] = ana.as_of("2026", target="tea")
    assert set(tea.claims) == {*before["Ana", "tea"].claims, *before["Annie", "tea"].claims}
    [acme] = ana.as_of("2021-06", target="Acme")
    assert acme.uuid == before["Ana", "Acme"].uuid
    assert (acme.invalid_at, acme.expired_at) == (before["Annie", "Bolt"].valid_at, ana._clock())


def test_the_merged_name_and_uuid_lead_to_the_kept_one_and_at_an_earlier_time_to_the_other(
    ana: Memory, tick: Callable[[], dt.datetime]
) -> None:
    annie, before = ana.entity("Annie").entity, tick()
    ana.merge_entities("Ana", "Annie")
    for name in ("Annie", annie.uuid, annie):
        assert ana.entity(name).entity.name == "Ana"
        assert ana.as_of("2023", source=name, relation="WORKS_AT")[0].source.name == "Ana"
        assert ana.entity(name, known_at=before).entity == annie
    assert [version.target.name for version in ana.timeline("Annie", valid_at="2021-06")] == ["tea", "Ana", "Acme"]


def test_nothing_changes_at_an_earlier_known_at(ana: Memory, tick: Callable[[], dt.datetime]) -> None:
    past = [(at, everything(ana, at)) for at in [tick()]]
    for change in (
        lambda: ana.merge_entities("Ana", "Annie"),
        lambda: ana.add_alias("Ana", "Nan"),
        lambda: ana.merge_entities("Bo", "Ana"),
        lambda: ana.add_fact("Annie", "LIVES_IN", "Porto", valid_at="2021"),
        lambda: ana.split_entity("Ana"),
        lambda: ana.split_entity("Bo", claims=[ana.as_of("2023", source="Bo")[0]], name="Bob"),
        lambda: ana.split_entity("Annie"),
        lambda: ana.merge_entities("Annie", "tea"),
    ):
        change()
        at = tick()
        past.append((at, everything(ana, at)))
        assert past[-1][1] == everything(ana)
        assert past[-1][1] != past[-2][1]
    assert [everything(ana, at) for at, _ in past] == [answers for _, answers in past]


def test_merging_what_is_one_already_changes_nothing(ana: Memory, tick: Callable[[], dt.datetime]) -> None:
    ana.merge_entities("Ana", "Annie")
    before = rows(ana, "transactions", "merges", "versions", "supports")
    tick()
    assert ana.merge_entities("Ana", "Annie").name == "Ana"
    assert ana.merge_entities("Annie", "Ana").name == "Ana"
    assert rows(ana, "transactions", "merges", "versions", "supports") == before


@pytest.mark.parametrize(
    ("keep", "other", "error"),
    [
        ("Ana", "Ana", ValueError),
        ("Ana", "ana ", ValueError),
        ("Ana", "Zoe", NotFound),
        ("Zoe", "Ana", NotFound),
        ("Ana", Entity("00000000-0000-0000-0000-000000000000", "default", "Zoe"), NotFound),
    ],
)
def test_a_merge_that_makes_no_sense_is_refused_and_changes_nothing(
    ana: Memory, keep: str, other: str | Entity, error: type[Exception]
) -> None:
    before = rows(ana, "transactions", "merges")
    with pytest.raises(error, match=r"Zoe|Ana"):
        ana.merge_entities(keep, other)
    assert rows(ana, "transactions", "merges") == before


def test_chains_lead_to_the_last_one_and_are_undone_one_by_one(ana: Memory, tick: Callable[[], dt.datetime]) -> None:
    states = [lines(ana)]
    for keep, other in (("Annie", "Ana"), ("Bo", "Annie")):
        tick()
        ana.merge_entities(keep, other)
        states.append(lines(ana))
    assert {fact.source.name for fact in ana.as_of("2026")} == {"Bo"}
    assert ana.entity("Ana").entity.aliases == ("Ana", "Annie")
    tick()
    assert ana.split_entity("Annie").aliases == ("Ana",)
    assert lines(ana) == states[1]
    tick()
    ana.split_entity("Ana")
    assert lines(ana) == states[0]


def test_taking_the_middle_of_a_chain_out_leaves_the_rest_together(ana: Memory, tick: Callable[[], dt.datetime]) -> None:
    ana.merge_entities("Annie", "Ana")
    tick()
    ana.merge_entities("Bo", "Annie")
    tick()
    assert ana.split_entity("Ana").name == "Ana"
    assert ana.entity("Annie").entity.name == "Bo"
    assert ana.as_of("2026", source="Ana", relation="WORKS_AT")[0].target.name == "Acme"


def test_what_joins_the_two_says_nothing_while_they_are_one(ana: Memory, tick: Callable[[], dt.datetime]) -> None:
    [knows] = ana.as_of("2026", source="Ana", relation="KNOWS")
    ana.merge_entities("Ana", "Annie")
    assert knows.uuid not in {fact.uuid for fact in ana.as_of("2026")}
    assert ana.history(knows.uuid)[-1].expired_at is not None
    tick()
    ana.split_entity("Annie")
    assert ana.as_of("2026", source="Ana", relation="KNOWS") == [knows]


def test_what_joins_the_two_can_be_corrected_and_retracted_meanwhile(ana: Memory, tick: Callable[[], dt.datetime]) -> None:
    [knows] = ana.as_of("2026", source="Ana", relation="KNOWS")
    ana.merge_entities("Ana", "Annie")
    tick()
    corrected = ana.correct(knows.uuid, target="Bo")
    assert (corrected.source.name, corrected.target.name, corrected.valid_at) == ("Ana", "Bo", knows.valid_at)
    tick()
    ana.retract(corrected.uuid)
    assert not ana.as_of("2026", source="Ana", relation="KNOWS")


def test_a_symmetric_relation_between_the_two_lets_another_hold(memory: Memory, tick: Callable[[], dt.datetime]) -> None:
    memory.define_relation("PAIRED_WITH", functional=True, inverse="PAIRED_WITH")
    memory.add_fact("Annie", "PAIRED_WITH", "Cy", valid_at="2018")
    tick()
    memory.add_fact("Ana", "PAIRED_WITH", "Annie", valid_at="2020")
    assert [fact.target.name for fact in memory.as_of("2022")] == ["Annie"]
    tick()
    memory.merge_entities("Ana", "Annie")
    assert [(fact.source.name, fact.target.name) for fact in memory.as_of("2022")] == [("Ana", "Cy")]


def test_new_statements_about_the_merged_name_are_about_the_kept_one(ana: Memory, tick: Callable[[], dt.datetime]) -> None:
    annie = ana.entity("Annie").entity
    ana.merge_entities("Ana", "Annie")
    tick()
    assert ana.add_fact(annie, "LIVES_IN", "Porto").source.name == "Ana"
    assert ana.add_fact("Bo", "LIKES", annie.uuid).target.name == "Ana"
    assert ana.end_fact("Annie", "LIKES", "tea", at="2022").invalid_at == dt.datetime(2022, 1, 1, tzinfo=dt.UTC)
    ana.split_entity("Annie")
    assert ana.as_of("2026", relation="LIVES_IN")[0].source.name == "Ana"
    assert [fact.source.name for fact in ana.as_of("2026", target="tea")] == ["Annie"]


def test_the_same_claim_again_after_a_merge_changes_nothing(memory: Memory, tick: Callable[[], dt.datetime]) -> None:
    memory.add_fact("Ana", "LIKES", "jazz", valid_at="2020")
    first = memory.add_fact("Annie", "LIKES", "tea", valid_at="2020", reference_time="2020", uuid="c1")
    tick()
    memory.merge_entities("Ana", "Annie")
    again = memory.add_fact("Annie", "LIKES", "tea", valid_at="2020", reference_time="2020", uuid="c1")
    assert (again.uuid, again.claims, again.source.name) == (first.uuid, first.claims, "Ana")


def test_announcements_without_a_date_go_along(memory: Memory, tick: Callable[[], dt.datetime]) -> None:
    memory.add_fact("Ana", "LIKES", "tea", valid_at="2020")
    tick()
    memory.add_fact("Annie", "LIVES_IN", "Porto", planned=True)
    before = tick()
    memory.merge_entities("Ana", "Annie")
    [_, plan] = memory.timeline("Annie")
    assert (plan.source.name, plan.target.name, plan.planned) == ("Ana", "Porto", True)
    [hit] = [hit.item for hit in memory.search("Porto").facts if hit.item.planned]
    assert hit.source.name == "Ana"
    assert memory.timeline("Annie", known_at=before)[0].source.name == "Annie"
    tick()
    moved = memory.split_entity("Ana", claims=[plan.uuid], name="Anne")
    assert [version.target.name for version in memory.timeline(moved)] == ["Porto"]
    assert [version.target.name for version in memory.timeline("Ana")] == ["tea"]


def test_groups_do_not_see_each_others_merges(ana: Memory) -> None:
    for name in ("Ana", "Annie"):
        ana.add_fact(name, "LIKES", "jazz", group="other", valid_at="2020")
    other = lines(ana, group="other")
    ana.merge_entities("Ana", "Annie")
    assert lines(ana, group="other") == other
    with pytest.raises(NotFound, match="Annie"):
        ana.merge_entities("Ana", ana.entity("Annie", group="other").entity)
    with pytest.raises(NotFound, match="no entity of the group 'third'"):
        ana.merge_entities("Ana", "Annie", group="third")


def test_a_dry_run_answers_and_changes_nothing(ana: Memory) -> None:
    before = rows(ana, "transactions", "merges", "moves", "entities", "versions")
    [tea] = ana.as_of("2026", source="Ana", target="tea")
    assert ana.merge_entities("Ana", "Annie", dry_run=True).aliases == ("Annie",)
    assert ana.split_entity("Ana", claims=[tea], name="Anne", dry_run=True).name == "Anne"
    assert rows(ana, "transactions", "merges", "moves", "entities", "versions") == before


def test_counts_see_one_entity(ana: Memory) -> None:
    before = ana.stats().entities
    ana.merge_entities("Ana", "Annie")
    ana.merge_entities("Bo", "Annie")
    assert ana.stats().entities == before - 2


# --- split ---


def test_a_split_restores_every_present_answer(ana: Memory, tick: Callable[[], dt.datetime]) -> None:
    before = everything(ana)
    tick()
    ana.merge_entities("Ana", "Annie")
    tick()
    assert ana.split_entity("Annie").name == "Annie"
    assert everything(ana) == before


@pytest.mark.parametrize("name", ["Ana", "Annie"])
def test_a_split_takes_the_name_of_either(ana: Memory, tick: Callable[[], dt.datetime], name: str) -> None:
    ana.merge_entities("Ana", "Annie")
    tick()
    assert ana.split_entity(name).name == "Annie"


def test_of_several_merged_ones_a_split_asks_which(ana: Memory, tick: Callable[[], dt.datetime]) -> None:
    annie, bo = (ana.entity(name).entity for name in ("Annie", "Bo"))
    ana.merge_entities("Ana", "Annie")
    tick()
    ana.merge_entities("Ana", "Bo")
    with pytest.raises(AmbiguousName) as error:
        ana.split_entity("Ana")
    assert annie.uuid in str(error.value)
    assert bo.uuid in str(error.value)
    assert ana.split_entity(bo.uuid) == bo
    assert ana.entity("Annie").entity.name == "Ana"


def test_a_split_of_what_is_not_merged_is_refused(ana: Memory) -> None:
    with pytest.raises(NotFound, match="nothing is merged with 'Ana'"):
        ana.split_entity("Ana")
    with pytest.raises(NotFound, match="Zoe"):
        ana.split_entity("Zoe")
    with pytest.raises(ValueError, match="which claims"):
        ana.split_entity("Ana", name="Anne")


def test_listed_claims_move_to_a_new_entity_and_back(ana: Memory, tick: Callable[[], dt.datetime]) -> None:
    before, at = everything(ana), tick()
    acme, tea = (ana.as_of("2021-06", source="Ana", target=target)[0] for target in ("Acme", "tea"))
    new = ana.split_entity("Ana", claims=[acme.uuid, tea])
    assert (new.name, new.created_at) == ("Ana", ana._clock())
    assert {fact.target.name for fact in ana.entity(new).facts} == {"Acme", "tea"}
    with pytest.raises(AmbiguousName, match=new.uuid):
        ana.entity("Ana")
    with pytest.raises(AmbiguousName, match=new.uuid):
        ana.add_fact("Ana", "LIKES", "jazz")
    assert everything(ana, at) == before
    tick()
    ana.merge_entities(acme.source, new)
    assert everything(ana) == before
    tick()
    assert ana.split_entity("Ana") == new


def test_one_claim_of_a_fact_moves_alone_and_the_facts_own_uuid_moves_all(
    memory: Memory, tick: Callable[[], dt.datetime]
) -> None:
    first = memory.add_fact("Ana", "LIKES", "tea", valid_at="2020")
    tick()
    both = memory.add_fact("Ana", "LIKES", "tea", valid_at="2021")
    tick()
    end = memory.end_fact("Ana", "LIKES", "tea", at="2024")
    tick()
    anne = memory.split_entity("Ana", claims=[both.claims[1]], name="Anne")
    assert [fact.invalid_at for fact in memory.as_of("2022", source=anne)] == [None]
    assert memory.as_of("2022", source="Ana") == [end] or memory.as_of("2022", source="Ana")[0].claims == (first.uuid,)
    tick()
    rest = memory.split_entity("Ana", claims=[first.uuid], name="Anita")
    [tea] = memory.as_of("2022", source=rest)
    assert (tea.uuid, tea.invalid_at) == (first.uuid, dt.datetime(2024, 1, 1, tzinfo=dt.UTC))
    assert memory.timeline("Ana") == []


def test_claims_of_another_entity_do_not_move(ana: Memory) -> None:
    [knows] = ana.as_of("2026", source="Bo")
    with pytest.raises(ValueError, match="says nothing of it"):
        ana.split_entity("Ana", claims=[knows.uuid])
    with pytest.raises(NotFound, match="no fact or claim"):
        ana.split_entity("Ana", claims=["nothing"])
    with pytest.raises(ValueError, match="at least one"):
        ana.split_entity("Ana", claims=[])
    with pytest.raises(ValueError, match="a list"):
        ana.split_entity("Ana", claims=knows.uuid)
    assert ana.split_entity("Annie", claims=[knows], name="Anne").name == "Anne"


# --- names ---


def test_an_alias_is_a_name_from_its_instant_on(ana: Memory, tick: Callable[[], dt.datetime]) -> None:
    before = tick()
    assert ana.add_alias("Ana", "  Nan ").aliases == ("Nan",)
    assert ana.entity("nan").entity.name == "Ana"
    assert [hit.item.name for hit in ana.search("Nan", scopes=["entities"], recipe="bm25").entities] == ["Ana"]
    with pytest.raises(NotFound):
        ana.entity("Nan", known_at=before)
    assert ana.search("Nan", scopes=["entities"], recipe="bm25", known_at=before).entities == []
    assert ana.entity("Ana", known_at=before).entity.aliases == ()
    assert ana.timeline("Ana", known_at=before)[0].source.aliases == ()


def test_an_alias_again_changes_nothing(ana: Memory, tick: Callable[[], dt.datetime]) -> None:
    first = ana.add_alias("Ana", "Nan")
    before = rows(ana, "transactions", "aliases")
    tick()
    assert ana.add_alias("Ana", "NAN") == first == ana.add_alias("Ana", "Ana")
    assert rows(ana, "transactions", "aliases") == before


def test_a_name_may_fit_two(ana: Memory) -> None:
    annie = ana.entity("Annie").entity
    ana.add_alias("Bo", "Annie")
    with pytest.raises(AmbiguousName, match="Bo"):
        ana.entity("Annie")
    assert {hit.item.name for hit in ana.search("Annie", scopes=["entities"], recipe="bm25").entities} == {"Annie", "Bo"}
    ana.merge_entities("Bo", annie)
    assert ana.entity("Annie").entity.name == "Bo"


def test_aliases_come_and_go_with_a_merge(ana: Memory, tick: Callable[[], dt.datetime]) -> None:
    ana.add_alias("Annie", "Nan")
    before = tick()
    ana.merge_entities("Ana", "Annie")
    assert ana.entity("Nan").entity.aliases == ("Annie", "Nan")
    merged = tick()
    ana.split_entity("Annie")
    assert ana.entity("Nan").entity.name == "Annie"
    assert ana.entity("Ana").entity.aliases == ()
    assert ana.entity("Nan", known_at=merged).entity.name == "Ana"
    assert ana.entity("Nan", known_at=before).entity.name == "Annie"
    for at, name in ((before, "Annie"), (merged, "Ana"), (None, "Annie")):
        assert [hit.item.name for hit in ana.search("Nan", scopes=["entities"], recipe="bm25", known_at=at).entities] == [name]


# --- forget ---


def told(memory: Memory, *facts: tuple[str, str, str, str], text: str) -> str:
    episode = memory.add(text, extract=False).episode.uuid
    for source, relation, target, start in facts:
        memory.add_fact(source, relation, target, valid_at=start, episode=episode)
    return episode


@pytest.mark.parametrize("steps", ["say merge forget", "merge say forget", "merge say split forget", "say merge split forget"])
def test_an_episode_forgotten_after_a_merge_was_never_said(clock: FixedClock, steps: str) -> None:
    start = clock()
    answers = []
    for said in (True, False):
        clock.set(start)
        with Memory(":memory:", embedder=HashEmbedder(64), clock=clock) as memory:
            for fact in (("Ana", "WORKS_AT", "Acme"), ("Annie", "WORKS_AT", "Bolt"), ("Annie", "LIKES", "tea")):
                memory.add_fact(*fact, valid_at="2020")
                clock.advance(dt.timedelta(hours=1))
            instants = []
            for step in steps.split():
                if step == "say" and said:
                    news = [
                        ("Annie", "WORKS_AT", "Cern", "2021"),
                        ("Annie", "LIKES", "tea", "2017"),
                        ("Ada", "KNOWS", "Ana", "2020"),
                    ]
                    episode = told(memory, *news, text="a note")
                elif step == "merge":
                    memory.merge_entities("Ana", "Annie")
                elif step == "split":
                    memory.split_entity("Annie")
                elif step == "forget" and said:
                    assert "Cern" in str(everything(memory))
                    memory.forget(episode=episode)
                instants.append(clock())
                clock.advance(dt.timedelta(hours=1))
            past = [everything(memory, at) for at in instants]
            answers.append([everything(memory), *past, rows(memory, "versions", "aliases")])
    assert answers[0][:-1] == answers[1][:-1]
    for table, found in answers[1][-1].items():
        assert len(answers[0][-1][table]) == len(found)


def test_a_merged_entity_that_nothing_names_stays_a_name_of_the_other(memory: Memory, tick: Callable[[], dt.datetime]) -> None:
    memory.add_fact("Ana", "LIKES", "tea", valid_at="2020")
    episode = told(memory, ("Annie", "LIKES", "jazz", "2020"), text="about Annie")
    tick()
    memory.merge_entities("Ana", "Annie")
    merged = tick()
    memory.forget(episode=episode)
    assert memory.entity("Annie").entity.name == "Ana"
    assert memory.entity("Annie", known_at=merged).facts[0].target.name == "tea"
    tick()
    assert memory.split_entity("Annie").name == "Annie"
    assert memory.entity("Annie").facts == []


def test_the_kept_entity_stays_while_the_other_is_named(memory: Memory, tick: Callable[[], dt.datetime]) -> None:
    memory.add_fact("Annie", "LIKES", "tea", valid_at="2020")
    episode = told(memory, ("Ana", "LIKES", "jazz", "2020"), text="about Ana")
    tick()
    memory.merge_entities("Ana", "Annie")
    merged = tick()
    memory.split_entity("Annie")
    tick()
    memory.forget(episode=episode)
    assert [fact.source.name for fact in memory.as_of("2026")] == ["Annie"]
    assert [fact.source.name for fact in memory.as_of("2026", known_at=merged)] == ["Ana"]


def test_when_nothing_names_either_both_go_with_the_reason(memory: Memory, path: Path, clock: FixedClock) -> None:
    with Memory(path, embedder=HashEmbedder(64), clock=clock) as kept:
        episodes = [told(kept, (name, "LIKES", "tea", "2020"), text=f"about {name}") for name in ("Ana", "Zuleika")]
        kept.merge_entities("Ana", "Zuleika", reason="Zuleika is a stage name")
        clock.advance(dt.timedelta(hours=1))
        tea = kept.as_of("2026")[0]
        kept.split_entity("Ana", claims=[tea], name="Zuleika II", reason="Zuleika again")
        for episode in episodes:
            kept.forget(episode=episode)
        assert not any(rows(kept, "entities", "aliases", "merges", "moves", "versions").values())
    assert b"uleika" not in path.read_bytes()


def test_a_merge_and_a_name_that_a_text_gave_go_with_the_text(ana: Memory, tick: Callable[[], dt.datetime]) -> None:
    before = everything(ana)
    tick()
    episode = ana.add("Annie, also called Nan, is Ana.", extract=False).episode.uuid
    with ana._store.write() as db:
        row = db.execute("SELECT id FROM episodes").get
        keep, other = (db.execute("SELECT id FROM entities WHERE name = ?", (name,)).get for name in ("Ana", "Annie"))
        at = write.tick(db, ana._now(), "add", episode_id=row)
        assert identity.merge(db, keep, other, at=at, episode_id=row)
        assert identity.give_alias(db, other, "Nan", at=at, episode_id=row)
        assert not identity.give_alias(db, keep, "Nan", at=at, episode_id=row)
    assert ana.entity("Nan").entity.aliases == ("Annie", "Nan")
    assert ana.search("Nan", scopes=["entities"], recipe="bm25").entities
    ana.forget(episode=episode)
    assert everything(ana) == before
    assert ana.search("Nan", scopes=["entities"], recipe="bm25").entities == []


def test_a_merge_told_by_two_texts_stands_on_either(ana: Memory, tick: Callable[[], dt.datetime]) -> None:
    episodes = []
    for text in ("Annie is Ana.", "Ana is Annie, by the way."):
        tick()
        episodes.append(ana.add(text, extract=False).episode.uuid)
        with ana._store.write() as db:
            row = db.execute("SELECT max(id) FROM episodes").get
            keep, other = (db.execute("SELECT id FROM entities WHERE name = ?", (name,)).get for name in ("Ana", "Annie"))
            identity.merge(db, keep, other, at=write.tick(db, ana._now(), "add"), episode_id=row)
    merged = lines(ana)
    ana.forget(episode=episodes[0])
    assert lines(ana) == merged
    tick()
    ana.split_entity("Annie")
    assert ana.entity("Annie").entity.name == "Annie"
    ana.forget(episode=episodes[1])
    assert rows(ana, "merges")["merges"] == []


def test_what_one_text_merges_and_says_is_one_change_of_belief(ana: Memory, tick: Callable[[], dt.datetime]) -> None:
    tick()
    ana.add("Annie is Ana.", extract=False)
    with ana._store.write() as db:
        keep, other, bo = (db.execute("SELECT id FROM entities WHERE name = ?", (name,)).get for name in ("Ana", "Annie", "Bo"))
        at = write.tick(db, ana._now(), "add")
        identity.merge(db, keep, other, at=at)
        identity.merge(db, bo, keep, at=at)
    versions = rows(ana, "versions", "supports")
    assert not [row for row in versions["versions"] if row[-1] is not None and row[-1] <= row[-2]]
    with ana._store.write() as db:
        derivation.rebuild(db)
    assert rows(ana, "versions", "supports") == versions
    assert {fact.source.name for fact in ana.as_of("2026")} == {"Bo"}


def test_history_shows_who_each_was_believed_to_be(ana: Memory, tick: Callable[[], dt.datetime]) -> None:
    bolt: Fact = ana.as_of("2026", target="Bolt")[0]
    ana.merge_entities("Ana", "Annie")
    tick()
    ana.split_entity("Annie")
    assert [version.source.name for version in ana.history(bolt.uuid)] == ["Annie", "Ana", "Annie"]
    assert [v.source.name for v in ana.history("Annie") if v.relation == "WORKS_AT"] == ["Annie", "Annie"]


# --- the command line ---


@pytest.fixture
def run(path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Run a command line, without weights; its output, or its exit code where that is not 0."""
    monkeypatch.setattr(Session, "embedder", staticmethod(lambda: HashEmbedder(64)))

    def command(*args: str) -> Any:
        result = CliRunner().invoke(main, ["--db", str(path), *args])
        if result.exit_code:
            return result.exit_code
        return json.loads(result.stdout) if "--json" in args else result.stdout

    return command


def test_the_command_line_merges_splits_and_names(run: Callable[..., Any]) -> None:
    run("add-fact", "Ana", "WORKS_AT", "Acme", "--valid-at", "2020")
    tea = run("add-fact", "Annie", "LIKES", "tea", "--json")
    assert "Would be one: Ana, also called Annie." in run("merge-entities", "Ana", "Annie", "--dry-run")
    merged = run("merge-entities", "Ana", "Annie", "--reason", "one person", "--json")
    assert (merged["entity"]["aliases"], merged["dry_run"]) == (["Annie"], False)
    assert "also called Annie, Nan." in run("add-alias", "Ana", "Nan")
    assert "Now on its own: Annie." in run("split-entity", "Annie")
    moved = run("split-entity", "Annie", "--claim", tea["uuid"], "--name", "Anne", "--json")
    assert moved["entity"]["name"] == "Anne"
    assert f"uuid {moved['entity']['uuid']}" in run("merge-entities", "Anne", "Annie", "--ids")
    assert [fact["source"]["name"] for fact in run("as-of", "2026", "--json")["facts"]] == ["Ana", "Anne"]


@pytest.mark.parametrize(("args", "code"), [(("merge-entities", "Ana", "Zoe"), 5), (("merge-entities", "Ana", "Ana"), 2)])
def test_the_command_line_tells_a_bad_merge_by_its_exit_code(run: Callable[..., Any], args: tuple[str, ...], code: int) -> None:
    run("add-fact", "Ana", "LIKES", "tea")
    assert run(*args) == code


def test_the_same_operations_give_the_same_bytes(tmp_path: Path, clock: FixedClock) -> None:
    start = clock()
    for name in ("one.db", "two.db"):
        clock.set(start)
        with Memory(tmp_path / name, embedder=HashEmbedder(16), clock=clock) as memory:
            for source in ("Ana", "Annie"):
                fact = memory.add_fact(source, "LIKES", "tea", valid_at="2020")
            memory.merge_entities("Ana", "Annie")
            memory.split_entity("Ana", claims=[memory.as_of("2026")[0].claims[1]], name="Anne")
            memory.add_alias("Anne", "Nan")
            memory.split_entity("Annie")
            memory.retract(fact.uuid)
    assert (tmp_path / "one.db").read_bytes() == (tmp_path / "two.db").read_bytes()


def test_a_judged_conflict_acts_between_the_two_while_they_are_one(ana: Memory, tick: Callable[[], dt.datetime]) -> None:
    tea, acme = (ana.as_of("2021-06", source=name, target=target)[0] for name, target in (("Annie", "tea"), ("Ana", "Acme")))
    with ana._store.write() as db:
        first, second = (claims.with_uuid(db, fact.uuid) for fact in (acme, tea))
        assert first is not None
        assert second is not None
        at = write.tick(db, ana._now(), "judge")
        conflict = "INSERT INTO conflicts (claim_id, other_id, created_at) VALUES (?, ?, ?)"
        db.execute(conflict, (first.id, second.id, at))
        reconcile.derive_again(db, [first, second], relations.load(db), at)
    before = lines(ana)
    tick()
    ana.merge_entities("Ana", "Annie")
    tick()
    ana.split_entity("Annie")
    assert lines(ana) == before
    versions = rows(ana, "versions", "supports")
    with ana._store.write() as db:
        derivation.rebuild(db)
    assert rows(ana, "versions", "supports") == versions
