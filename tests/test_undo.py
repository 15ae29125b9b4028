"""Undo takes back just what was told, keeps the history, and can itself be taken back."""

from __future__ import annotations

import datetime as dt
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tkgmem import Fact, InvalidPeriod, LLMError, Memory, NotATkgmemFile, NotFound
from tkgmem.testing import FixedClock, HashEmbedder, ScriptedLLM


@pytest.fixture
def story(memory: Memory, clock: FixedClock) -> Memory:
    """The worked example, each statement with its text."""
    for day, text, target, start in (
        ("2024-03-05", "小李在 A 公司工作", "A 公司", "2024-03-01"),
        ("2026-06-03", "小李跳槽到 B 公司", "B 公司", "2026-06-01"),
        ("2026-07-01", "小李 2022 年在 C 公司实习", "C 公司", "2022-07-01"),
    ):
        on(clock, day)
        episode = memory.add(text, extract=False).episode
        memory.add_fact("小李", "WORKS_AT", target, fact=text, valid_at=start, episode=episode.uuid)
    on(clock, "2026-10-01")
    return memory


def on(clock: FixedClock, day: str) -> None:
    clock.set(dt.datetime.fromisoformat(f"{day}T12:00+00:00"))


def at(memory: Memory, t: str, known_at: str | None = None) -> list[str]:
    return [fact.target.name for fact in memory.as_of(t, known_at=known_at, source="小李")]


def present(memory: Memory) -> list[Fact]:
    return [fact for t in ("2020", "2023", "2025", "2026-10", "2027") for fact in memory.as_of(t)]


def text_of(memory: Memory, words: str) -> str:
    [episode] = [episode for episode in memory.episodes() if words in episode.content]
    return episode.uuid


def test_undoing_the_second_text_of_the_worked_example_makes_a_current_and_keeps_the_earlier_belief(story: Memory) -> None:
    before, second = present(story), text_of(story, "B 公司")
    report = story.undo(episode=second)
    assert (report.claims, report.episodes, report.reopened) == (1, 1, 0)
    assert (report.gone_words, report.back_words) == (("小李 works at B 公司",), ("小李 works at A 公司",))
    assert (at(story, "2026-10"), at(story, "2025"), at(story, "2023")) == (["A 公司"], ["A 公司"], ["C 公司"])
    [fact] = story.as_of("2026-10", source="小李")
    assert (fact.invalid_at, fact.expired_at) == (None, None)
    assert at(story, "2026-10", "2026-09-30") == ["B 公司"]
    assert [one.target.name for one in story.believed_at("2026-09-30", source="小李")] == ["B 公司"]
    again = story.undo(change=report.change)
    assert (again.claims, again.reopened, again.shown) == (0, 1, 1)
    assert (again.back_words, again.ended_words) == (("小李 works at B 公司",), ("小李 works at A 公司",))
    assert present(story) == before
    assert at(story, "2026-10", report.at.isoformat() if report.at else None) == ["A 公司"]


def test_a_text_that_is_taken_back_is_kept_and_no_longer_found(story: Memory) -> None:
    second = text_of(story, "B 公司")
    report = story.undo(episode=second)
    found = story.search("B 公司跳槽", scopes=["episodes", "facts"], include_ended=True)
    assert second not in [hit.item.uuid for hit in found.episodes]
    assert [hit.item.target.name for hit in found.facts] == ["A 公司", "C 公司"] or "B 公司" not in [
        hit.item.target.name for hit in found.facts
    ]
    assert "跳槽" not in story.context("小李在哪里工作 B 公司")
    assert second not in [episode.uuid for episode in story.episodes()]
    assert second in [episode.uuid for episode in story.episodes(known_at="2026-09-30")]
    [kept] = story.episodes(uuid=second)
    assert kept.expired_at == report.at
    [listed] = [episode for episode in story.episodes(taken_back=True) if episode.uuid == second]
    assert listed == kept
    [then] = [episode for episode in story.episodes(taken_back=True, known_at="2026-09-30") if episode.uuid == second]
    assert then.expired_at is None
    assert story.episodes(taken_back=True, known_at="2020") == []
    earlier = story.search("B 公司跳槽", scopes=["episodes"], known_at="2026-09-30")
    assert second in [hit.item.uuid for hit in earlier.episodes]
    story.undo(change=report.change)
    assert second in [hit.item.uuid for hit in story.search("B 公司跳槽", scopes=["episodes"]).episodes]
    now, gap = story.episodes(known_at="2026-10-02"), story.episodes(known_at=report.at)
    assert second in [episode.uuid for episode in now]
    assert second not in [episode.uuid for episode in gap]


def test_a_dry_run_tells_the_same_and_changes_nothing(story: Memory) -> None:
    second = text_of(story, "B 公司")
    before, changes = present(story), story.changes()
    dry = story.undo(episode=second, dry_run=True)
    assert (present(story), story.changes()) == (before, changes)
    assert (dry.dry_run, dry.at, dry.change) == (True, None, None)
    real = story.undo(episode=second)
    assert (dry.gone, dry.back, dry.claims, dry.episodes) == (real.gone, real.back, real.claims, real.episodes)


def test_a_text_told_again_after_it_was_taken_back_says_so_and_stays_hidden(memory: Memory) -> None:
    added = memory.add("Ana lives in Porto.", reference_time="2026-01-01")
    memory.undo(episode=added.episode.uuid)
    again = memory.add("Ana lives in Porto.", reference_time="2026-01-01")
    assert (again.facts, again.episode.expired_at is not None) == ([], True)
    assert "was taken back" in again.warnings[0]
    assert "undo(change=2)" in again.warnings[0]
    told_anew = memory.add("Ana lives in Porto.", reference_time="2026-02-01")
    assert [fact.target.name for fact in told_anew.facts] == ["Porto"]


def test_a_span_takes_back_what_was_told_ended_retracted_and_corrected_in_it(story: Memory, clock: FixedClock) -> None:
    on(clock, "2026-10-02")
    b, c = story.as_of("2026-10")[0], story.as_of("2023")[0]
    tea = story.add_fact("小李", "LIKES", "tea")
    before = present(story)
    on(clock, "2026-10-03")
    story.end_fact("小李", "WORKS_AT", "B 公司", at="2026-09")
    story.correct(c.uuid, target="D 公司")
    story.retract(tea.uuid, reason="a slip")
    coffee = story.add_fact("小李", "LIKES", "coffee")
    on(clock, "2026-10-04")
    story.add_fact("小李", "LIKES", "cake")
    report = story.undo(since="2026-10-03", until="2026-10-04")
    kept = [fact for fact in present(story) if fact.target.name != "cake"]
    assert kept == before
    assert (report.claims, report.reopened) == (3, 2)
    assert coffee.uuid in report.gone
    assert {"小李 works at C 公司", "小李 likes tea"} <= set(report.back_words)
    assert story.why(c.uuid).fact == c
    assert b.uuid in [fact.uuid for fact in story.as_of("2026-10")]
    assert at(story, "2026-10", "2026-10-03T13:00") == ["coffee"]


def test_what_was_changed_again_later_stays_as_it_is(memory: Memory, clock: FixedClock) -> None:
    on(clock, "2026-01-01")
    home = memory.add_fact("Ana", "LIVES_IN", "Porto", valid_at="2020")
    on(clock, "2026-01-02")
    fixed = memory.correct(home.uuid, target="Rome")
    on(clock, "2026-01-03")
    memory.correct(fixed.uuid, target="Oslo")
    report = memory.undo(since="2026-01-02", until="2026-01-03")
    assert [fact.target.name for fact in memory.as_of("2026")] == ["Oslo"]
    assert (report.change, report.claims, report.reopened) == (None, 0, 0)
    memory.undo(since="2026-01-02")
    assert [fact.target.name for fact in memory.as_of("2026")] == ["Porto"]
    assert memory.as_of("2026")[0].uuid == home.uuid


def test_definitions_and_merges_are_as_they_were(memory: Memory, clock: FixedClock) -> None:
    on(clock, "2026-01-01")
    memory.define_relation("SITS_AT", functional=False)
    memory.add_fact("Ann", "SITS_AT", "4.1", valid_at="2020")
    memory.add_fact("Anna", "SITS_AT", "4.2", valid_at="2021")
    before = memory.as_of("2026")
    on(clock, "2026-01-02")
    memory.merge_entities("Ann", "Anna")
    memory.define_relation("DESK_IS", functional=True, aliases=["SITS_AT"])
    assert [fact.target.name for fact in memory.as_of("2026")] == ["4.2"]
    report = memory.undo(since="2026-01-02")
    assert memory.as_of("2026") == before
    assert report.others == 3
    memory.undo(change=report.change)
    assert [(fact.relation, fact.target.name) for fact in memory.as_of("2026")] == [("DESK_IS", "4.2")]
    assert memory.doctor().problems == ()


def test_an_import_is_taken_back_as_a_whole_and_comes_back(tmp_path: Path, clock: FixedClock) -> None:
    with (
        Memory(tmp_path / "a.db", embedder=HashEmbedder(8), clock=clock) as mine,
        Memory(tmp_path / "b.db", embedder=HashEmbedder(8), clock=clock) as other,
    ):
        on(clock, "2026-01-01")
        mine.add_fact("Ana", "LIVES_IN", "Porto", valid_at="2019")
        on(clock, "2025-01-01")
        other.add("Ana moved to Rome in 2021.")
        other.define_relation("DESK_IS", functional=True)
        other.add_fact("Bo", "DESK_IS", "4.12")
        on(clock, "2026-01-02")
        before = mine.as_of("2026")
        report = mine.merge(tmp_path / "b.db")
        after = mine.as_of("2026")
        assert {fact.target.name for fact in after} == {"Rome", "4.12"}
        assert mine.merge(tmp_path / "b.db").change is None
        undone = mine.undo(change=report.change)
        assert mine.as_of("2026") == before
        assert mine.episodes() == []
        assert (undone.claims, undone.episodes) == (2, 1)
        mine.undo(change=undone.change)
        assert mine.as_of("2026") == after
        mine.undo(since="2026-01-02")  # the time of an import is when it was taken in
        assert mine.as_of("2026") == before
        assert mine.doctor().problems == ()


def test_groups_never_see_each_others_undo(memory: Memory) -> None:
    memory.add_fact("Ana", "LIVES_IN", "Porto", group="a")
    memory.add_fact("Ana", "LIVES_IN", "Rome", group="b")
    report = memory.undo(since="2020", group="a")
    assert report.gone_words == ("Ana lives in Porto",)
    assert memory.as_of("2026", group="a") == []
    assert [fact.target.name for fact in memory.as_of("2026", group="b")] == ["Rome"]


def test_a_text_that_failed_and_was_taken_back_is_not_read_later(path: Path, clock: FixedClock) -> None:
    said = {"entities": [], "facts": []}
    with Memory(path, embedder=HashEmbedder(8), clock=clock, llm=ScriptedLLM([LLMError("busy"), said])) as memory:
        with pytest.raises(LLMError):
            memory.add("Ana lives in Porto.")
        [failed] = memory.episodes()
        report = memory.undo(episode=failed.uuid)
        assert (memory.extract(), memory.stats().failed) == ([], 0)
        memory.undo(change=report.change)
        assert [result.episode.state for result in memory.extract()] == ["done"]


def test_a_judgement_of_a_text_goes_with_it_and_comes_back(memory: Memory, clock: FixedClock) -> None:
    likes = memory.add_fact("Ana", "LIKES", "tea", valid_at="2020")
    episode = memory.add("Ana now hates tea.", extract=False).episode
    hates = memory.add_fact("Ana", "DISLIKES", "tea", valid_at="2025", episode=episode.uuid)
    with memory._store.write() as db:
        rows = [db.execute("SELECT id FROM claims WHERE uuid = ?", (uuid,)).get for uuid in (hates.uuid, likes.uuid)]
        judge(db, rows, episode.uuid)
    assert [fact.relation for fact in memory.as_of("2026")] == ["DISLIKES"]
    before = memory.as_of("2026")
    report = memory.undo(episode=episode.uuid)
    assert [fact.relation for fact in memory.as_of("2026")] == ["LIKES"]
    memory.undo(change=report.change)
    assert memory.as_of("2026") == before
    assert memory.doctor().problems == ()


def judge(db: object, rows: list[int], episode: str) -> None:
    """As a model's judgement is committed."""
    from tkgmem.ingest import reconcile
    from tkgmem.store import claims, read, relations, write

    found = read.episode(db, episode)  # type: ignore[arg-type]
    assert found is not None
    at = write.tick(db, write.now(db, 0), "add")  # type: ignore[arg-type]
    write.insert_judgement(db, *rows, episode_id=found[0], at=at)  # type: ignore[arg-type]
    reconcile.derive_again(db, claims.by_ids(db, rows), relations.load(db), at)  # type: ignore[arg-type]


def test_forgetting_what_was_taken_back_leaves_nothing_of_it(story: Memory) -> None:
    second = text_of(story, "B 公司")
    story.undo(change=story.undo(episode=second).change)
    story.undo(episode=second)
    story.forget(episode=second)
    assert story.doctor().problems == ()
    assert at(story, "2026-10", "2026-09-30") == ["A 公司"]
    assert story._store._db.execute("SELECT count(*) FROM gaps").get == 0


def test_forgetting_a_correction_that_was_taken_back_is_as_if_it_had_never_been(memory: Memory, clock: FixedClock) -> None:
    on(clock, "2026-01-01")
    home = memory.add_fact("Ana", "LIVES_IN", "Porto", valid_at="2020")
    on(clock, "2026-01-02")
    source = memory.add("No, it is Rome.", extract=False).episode.uuid
    memory.correct(home.uuid, target="Rome", episode=source)
    on(clock, "2026-01-03")
    memory.undo(change=memory.undo(episode=source).change)
    memory.forget(episode=source)
    for known in (None, "2026-01-02T13:00", "2026-01-04"):
        assert [fact.target.name for fact in memory.as_of("2025", known_at=known)] == ["Porto"]
    assert memory.doctor().problems == ()


@pytest.mark.parametrize(
    ("asked", "error", "words"),
    [
        ({}, ValueError, "say what to undo"),
        ({"episode": "x", "change": 1}, ValueError, "not both episode and change"),
        ({"until": "2026"}, ValueError, "give since"),
        ({"since": "2026", "until": "2025"}, InvalidPeriod, "is empty"),
        ({"episode": "nothing"}, NotFound, "'nothing'"),
        ({"change": 99}, NotFound, "99"),
        ({"change": 0}, ValueError, "change"),
        ({"since": "soon"}, ValueError, "soon"),
    ],
)
def test_what_cannot_be_undone_is_told_and_nothing_is_changed(
    memory: Memory, asked: dict[str, object], error: type[Exception], words: str
) -> None:
    memory.add_fact("Ana", "LIVES_IN", "Porto")
    before = memory.changes()
    with pytest.raises(error, match=words):
        memory.undo(**asked)  # type: ignore[arg-type]
    assert memory.changes() == before


def test_what_was_forgotten_cannot_be_brought_back_and_it_is_said(memory: Memory) -> None:
    fact = memory.add_fact("Ana", "LIVES_IN", "Porto")
    memory.add_fact("Ana", "LIKES", "tea")
    memory.forget(fact=fact.uuid)
    [change] = [change for change in memory.changes() if change.verb == "forget"]
    with pytest.raises(ValueError, match="cannot be brought back"):
        memory.undo(change=change.number)
    assert "forgotten" in memory.undo(since="2020").warnings[0]


def test_nothing_to_take_back_is_no_change(memory: Memory) -> None:
    memory.add_fact("Ana", "LIVES_IN", "Porto")
    report = memory.undo(since="2030")
    assert (report.change, report.claims, len(memory.changes())) == (None, 0, 1)


def test_a_second_undo_of_a_text_names_the_first_one(story: Memory) -> None:
    second = text_of(story, "B 公司")
    first = story.undo(episode=second)
    report = story.undo(episode=second)
    assert report.change is None
    assert f"undo(change={first.change})" in report.warnings[0]


def test_a_share_leaves_out_what_was_taken_back(story: Memory, tmp_path: Path) -> None:
    story.undo(episode=text_of(story, "B 公司"))
    story.share(tmp_path / "part.db")
    with Memory(tmp_path / "part.db", embedder=HashEmbedder(64)) as part:
        assert "B 公司" not in str([*part.history("小李"), *part.episodes(known_at="2027")])


def test_a_move_that_comes_back_beside_a_later_one_gives_way_to_it(memory: Memory, clock: FixedClock) -> None:
    def move(name: str) -> None:
        clock.advance(dt.timedelta(days=1))
        fact = memory.as_of("2026")[0]
        memory.split_entity(fact.source, claims=[fact], name=name)

    memory.add_fact("Ana", "LIKES", "tea")
    move("Ana 2")
    first = memory.undo(change=memory.changes(limit=1)[0].number)
    move("Ana 3")
    last = memory.changes(limit=1)[0].number
    memory.undo(change=first.change)
    assert [fact.source.name for fact in memory.as_of("2026")] == ["Ana 3"]
    memory.undo(change=last)
    assert [fact.source.name for fact in memory.as_of("2026")] == ["Ana 2"]
    assert memory.doctor().problems == ()


def test_a_uuid_addresses_again_what_it_addressed_before_the_span(memory: Memory, clock: FixedClock) -> None:
    on(clock, "2026-10-01")
    home = memory.add_fact("Ana", "LIVES_IN", "Porto", valid_at="2020")
    memory.correct(home.uuid, target="Rome")
    on(clock, "2026-10-02")
    memory.undo(change=memory.changes(limit=1)[0].number)
    memory.correct(home.uuid, target="Oslo")
    report = memory.undo(since="2026-10-02")
    for target in ("Rome", "Oslo", "Rome"):
        [fact] = memory.as_of("2026")
        assert (fact.target.name, memory.why(home.uuid).fact) == (target, fact)
        report = memory.undo(change=report.change)
    assert memory.replay().differences == 0


def test_definitions_that_hang_together_with_a_later_one_are_left_together(memory: Memory) -> None:
    memory.define_relation("SEAT", functional=True)
    memory.add_fact("Ann", "SEAT", "4.1", valid_at="2020")
    memory.define_relation("DESK", functional=False, aliases=["SEAT"])
    desk = memory.changes(limit=1)[0].number
    memory.define_relation("DESK", functional=True)
    report = memory.undo(change=desk)
    assert report.change is None
    assert report.warnings == ("defined again since, and left as it is: DESK, SEAT",)
    assert [fact.relation for fact in memory.as_of("2026")] == ["DESK"]
    memory.undo(change=memory.changes(limit=1)[0].number)  # DESK is as it was told first: that can be undone now
    assert memory.undo(change=desk).change is not None
    assert [fact.relation for fact in memory.as_of("2026")] == ["SEAT"]


def test_forgetting_takes_the_reasons_of_undos_and_the_names_of_relations_with_it(path: Path, clock: FixedClock) -> None:
    other = path.with_name("other.db")
    with Memory(other, embedder=HashEmbedder(8), clock=clock) as memory:
        fact = memory.add_fact("Ana", "CANARY_OF", "Porto")
    with Memory(path, embedder=HashEmbedder(8), clock=clock) as memory:
        memory.undo(change=memory.merge(other).change)
        text = memory.add("a note", extract=False).episode
        back = memory.undo(change=memory.undo(episode=text.uuid, reason="canary one").change, reason="canary two")
        memory.undo(change=back.change, reason="canary three")
        memory.forget(fact=fact.uuid)
        memory.forget(episode=text.uuid)
        assert memory.doctor().problems == ()
    assert b"canary" not in path.read_bytes().lower()


@pytest.mark.parametrize(
    "detail",
    [
        '{"rows": {"claim": [1, 99999999999999999999999, [], []]}}',
        '{"rows": {"claim": [1]}}',
        '{"rows": {}, "defined": {"X": [null, {"functional": 1}]}}',
    ],
)
def test_what_no_import_brought_is_told_as_damage(path: Path, clock: FixedClock, detail: str) -> None:
    with Memory(path, embedder=HashEmbedder(8), clock=clock) as memory:
        memory.add_fact("Ana", "LIVES_IN", "Porto")
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE transactions SET verb = 'import', detail = ?", (detail,))
    with Memory(path, embedder=HashEmbedder(8), clock=clock) as memory, pytest.raises(NotATkgmemFile, match="detail"):
        memory.undo(change=1)
