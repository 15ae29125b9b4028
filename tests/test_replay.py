"""A memory told again from its texts and the log of model calls: the same rows without a model, and what differs in words."""

from __future__ import annotations

import datetime as dt
import json
import random
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import apsw
import pytest
from click.testing import CliRunner, Result

from tkgmem import LLMError, Memory, StoreError, TkgmemError
from tkgmem.cli import main
from tkgmem.cli.session import Session
from tkgmem.ingest import extract_llm, judge, reading
from tkgmem.protocols import LLM, Request, Response
from tkgmem.reports import ReplayReport
from tkgmem.testing import FixedClock, HashEmbedder, ScriptedLLM

EMBEDDER = HashEmbedder(16)
START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


def opened(path: Path | str, llm: LLM | None = None, **more: Any) -> Memory:
    clock = more.pop("clock", None) or FixedClock(START, dt.timedelta(seconds=1))
    return Memory(path, llm=llm, embedder=EMBEDDER, clock=clock, **more)


def says(*facts: tuple[str, str, str], **more: object) -> dict[str, object]:
    """A model's answer that states these facts."""
    names = list(dict.fromkeys(end for source, _, target in facts for end in (source, target)))
    told = [
        {
            "source": names.index(a),
            "relation": r,
            "target": names.index(b),
            "sentence": f"{a} {r} {b}",
            "kind": "assert",
            **more,
        }
        for a, r, b in facts
    ]
    return {"entities": [{"id": place, "name": name} for place, name in enumerate(names)], "facts": told}


def judged(request: Request) -> dict[str, object]:
    """A judge to whom every name is the first one offered, and every pair contradicts."""
    given = json.loads(request.user)
    same = [{"id": one["id"], "same_as": one["candidates"][0]["id"]} for one in given["mentions"]]
    return {"mentions": same, "duplicates": [], "contradictions": given["pairs"]}


def reader(texts: dict[str, object], name: str = "scripted") -> ScriptedLLM:
    """A model that reads these texts, and judges; it fails at any other."""
    return ScriptedLLM(
        lambda request: (
            judged(request)
            if request.purpose == "judge"
            else texts.get(json.loads(request.user)["text"], LLMError("unknown text"))
        ),
        name=name,
    )


def assert_same(report: ReplayReport) -> None:
    told = [(side, one.what, one.words) for side, found in (("here", report.only_here), ("there", report.only_there))
            for one in found]  # fmt: skip
    assert (told, report.differences, report.calls, report.missing) == ([], 0, 0, 0), report.warnings
    assert report.same


STORY = {
    "Ana works at Acme.": says(("Ana", "WORKS_AT", "Acme"), ("Ines Duarte", "WORKS_AT", "Acme")),
    "Ana likes tea.": says(("Ana", "LIKES", "tea")),
    "Now Ana dislikes tea, and Duarte pays her.": says(("Ana", "DISLIKES", "tea"), ("Duarte", "PAYS", "Ana")),
    "Ana moved to Globex.": says(("Ana", "WORKS_AT", "Globex")),
}


def tell_story(memory: Memory) -> None:
    memory.add_many({"content": text, "speaker": "Bo", "name": "chat", "reference_time": "2026-01-01"} for text in STORY)


# --- from the log ---


def test_all_that_programs_and_rules_told_is_the_same() -> None:
    with opened(":memory:") as memory:
        memory.add("Ana works at Acme since 2020. Bo lives in Lisbon.", speaker="Cy")
        memory.add("Nothing here at all.", speaker="Di")
        tea = memory.add_fact("Ana", "LIKES", "tea", valid_at="2020", attributes={"how": "much"})
        memory.add_fact("Ana", "WORKS_AT", "Globex", valid_at="2024", planned=True)
        memory.correct(tea.uuid, target="coffee", reason="misheard")
        memory.define_relation("MENTORS", functional=True, inverse="MENTORED_BY", aliases=["COACHES"])
        mentor = memory.add_fact("Bo", "COACHES", "Ana", episode=memory.episodes()[0].uuid)
        memory.end_fact("Bo", "MENTORS", "Ana", at="2025")
        memory.merge_entities("Bo", "Cy")
        memory.add("Cy works at Initech.")
        memory.split_entity("Cy")
        memory.split_entity("Ana", claims=[memory.as_of("2023", source="Ana", relation="LIKES")[0]], name="Ana B.")
        memory.add_alias("Ana", "Annie")
        memory.add("Annie lives in Rome since 2025.")
        memory.retract(mentor.uuid)
        before = memory.stats()
        report = memory.replay()
        assert memory.stats() == before
    assert_same(report)
    assert (report.episodes, report.taken_over, report.logged, report.warnings) == (4, 0, 0, ())
    assert report.facts > 6
    assert report.versions > report.facts


def test_what_models_read_comes_from_the_log_alone(tmp_path: Path) -> None:
    model = reader(STORY)
    clock = FixedClock(START)
    with opened(tmp_path / "me.db", model, clock=clock) as memory:
        tell_story(memory)
        assert {one.purpose for one in memory.model_calls()} == {"extract", "judge"}
    with opened(tmp_path / "me.db", reader({"Bo pays Ana.": says(("Bo", "PAYS", "Ana"))}, "other"), clock=clock) as memory:
        memory.add("Bo pays Ana.")
        asked = len(memory.model_calls())
    with opened(tmp_path / "me.db", clock=clock) as memory:
        memory.add("Duarte lives in Lisbon since 2020.")
        put = len(model.requests)
        report = memory.replay()
    assert_same(report)
    assert (report.episodes, report.logged, len(model.requests)) == (6, asked, put)


def test_a_text_that_failed_and_was_read_later_is_read_as_then() -> None:
    answers = ["no json", "none again", LLMError("busy"), "still none", says(("Ana", "LIKES", "tea")), "no json"]
    with opened(":memory:", ScriptedLLM(answers)) as memory:
        with pytest.raises(TkgmemError):
            memory.add("Ana likes tea.")  # two answers that cannot be read
        memory.extract()
        memory.extract()
        with pytest.raises(TkgmemError):
            memory.add("Bo.")
        states = [episode.state for episode in memory.episodes()]
        assert sorted(states) == ["done", "failed"]
        report = memory.replay()
    assert_same(report)
    assert report.episodes == 1
    assert report.warnings == ("1 text had not been read, and was left so",)


def test_a_question_worded_by_another_version_is_found_by_its_data(monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(":memory:", reader(STORY)) as memory:
        tell_story(memory)
        for module in (extract_llm, judge):
            monkeypatch.setattr(module, "prompt", lambda name: f"Other words for {name}.")
        assert_same(memory.replay())
        monkeypatch.setattr(reading.read, "earlier", lambda *_: [])  # and with other data around the text
        assert_same(memory.replay())


def test_without_the_log_texts_are_taken_over_and_it_says_so() -> None:
    with opened(":memory:", reader(STORY), log_model_calls=False) as memory:
        tell_story(memory)
        report = memory.replay()
    assert (report.episodes, report.taken_over, report.missing, report.differences) == (0, 4, 4, 0)
    assert not report.same
    assert "the log has no answer of scripted" in report.warnings[0]
    assert "log_model_calls" in report.warnings[0]


def test_what_was_changed_by_hand_is_told_in_words(tmp_path: Path) -> None:
    with opened(tmp_path / "me.db") as memory:
        episode = memory.add("Ana works at Acme since 2020.").episode
    db = apsw.Connection(str(tmp_path / "me.db"))
    db.execute("UPDATE versions SET valid_at = valid_at + 86400000000")
    db.close()
    with opened(tmp_path / "me.db") as memory:
        report = memory.replay()
    [here], [there] = report.only_here, report.only_there
    assert (report.facts, report.versions, report.differences, report.same) == (1, 0, 2, False)
    assert (here.what, here.words, here.said, here.episode) == (
        "version", "Ana works at Acme", "Ana works at Acme since 2020.", episode.uuid,
    )  # fmt: skip
    assert (here.valid_at, there.valid_at) == (dt.datetime(2020, 1, 2, tzinfo=dt.UTC), dt.datetime(2020, 1, 1, tzinfo=dt.UTC))


def test_groups_stay_apart() -> None:
    with opened(":memory:") as memory:
        for group in ("one", "two", "one"):
            memory.add(f"Ana works at {group.title()}.", group=group)
            memory.add_fact("Ana", "LIKES", group, group=group)
        assert_same(memory.replay())


def test_an_undo_and_its_undo_are_told_again() -> None:
    with opened(":memory:") as memory:
        memory.add("Ana works at Acme since 2020.", reference_time="2026-01-01")
        moved = memory.add("Ana works at Globex since 2024, also known as Annie.", reference_time="2026-01-02").episode
        change = memory.undo(episode=moved.uuid).change
        assert_same(memory.replay())
        memory.undo(change=change)
        memory.add("Annie lives in Rome since 2025.")
        assert_same(memory.replay())


def test_who_was_named_first_by_a_forgotten_text_stays_who_it_is() -> None:
    with opened(":memory:") as memory:
        first = memory.add("Ana works at Acme since 2020.").episode
        memory.add("Ana lives in Lisbon since 2021.")
        memory.forget(episode=first.uuid)
        report = memory.replay()
    assert report.differences == 0
    assert (report.facts, report.missing) == (1, 0)
    assert any("forgotten" in warning for warning in report.warnings)


def test_what_came_from_another_file_is_taken_over(tmp_path: Path) -> None:
    with opened(tmp_path / "b.db", clock=FixedClock(START, dt.timedelta(days=1))) as other:
        other.add("Ana works at Globex since 2022.")
        other.add("Bo, also known as Bobby, lives in Rome.")
    with opened(tmp_path / "a.db", clock=FixedClock(START + dt.timedelta(hours=1))) as memory:
        memory.add("Ana works at Acme since 2020.")
        memory.merge(tmp_path / "b.db")
        memory.add("Bobby likes tea.")
        report = memory.replay()
    assert_same(report)
    assert (report.episodes, report.taken_over) == (2, 2)


# --- read anew ---


def test_another_model_is_compared_by_names_and_dates() -> None:
    with opened(":memory:", reader({"Ana is at Acme.": says(("Ana", "WORKS_AT", "Acme"), ("Ana", "LIKES", "tea"))})) as memory:
        episode = memory.add("Ana is at Acme.").episode
        memory.add_fact("Ana", "OWNS", "a car", valid_at="2020")
        other = reader({"Ana is at Acme.": says(("Ana", "WORKS_AT", "Acme"), ("Ana", "LIKES", "coffee"))}, "other")
        report = memory.replay(llm=other)
    assert (report.calls, len(other.requests), report.logged) == (1, 1, 0)
    assert report.warnings == ()
    assert (report.facts, report.versions, report.differences) == (2, 2, 2)
    [here], [there] = report.only_here, report.only_there
    assert (here.words, there.words) == ("Ana likes tea", "Ana likes coffee")
    assert (here.episode, there.episode) == (episode.uuid, episode.uuid)


def test_another_model_is_asked_about_many_texts_at_once() -> None:
    class Counting:
        name = "other"
        sizes: list[int] = []  # noqa: RUF012  a test's own

        def complete(self, requests: Sequence[Request]) -> list[Response | LLMError]:
            self.sizes.append(len(requests))
            return [Response(json.dumps(says(("Ana", "LIKES", "tea")))) for _ in requests]

    with opened(":memory:") as memory:
        memory.add_many({"content": f"Ana has tea for the {n}th time."} for n in range(20))
        memory.define_relation("DRINKS", functional=False)
        memory.add("Ana drinks tea.")
        report = memory.replay(llm=Counting())
    assert (report.calls, Counting.sizes) == (21, [16, 4, 1])
    assert (report.facts, [one.words for one in report.only_there]) == (0, ["Ana likes tea"])


def test_todays_rules_read_texts_of_a_model_and_leave_what_was_taken_back() -> None:
    told = {text: says(("x", "LIKES", "y")) for text in ("Ana works at Acme.", "Bo works at Acme. Bo likes tea.")}
    with opened(":memory:", reader(told)) as memory:
        _, second = (memory.add(text).episode for text in told)
        memory.undo(episode=second.uuid)
        report = memory.replay(rules=True)
    assert report.calls == 0
    assert [one.words for one in report.only_there] == ["Ana works at Acme"]
    with pytest.raises(ValueError, match="exclude each other"):
        memory.replay(rules=True, llm=reader({}))


def test_a_text_that_another_model_fails_at_does_not_stop_the_others(tmp_path: Path) -> None:
    with opened(":memory:") as memory:
        memory.add("Ana works at Acme.")
        memory.add("Bo works at Acme.")
        memory.replay(tmp_path / "new.db", llm=reader({"Bo works at Acme.": says(("Bo", "WORKS_AT", "Acme"))}, "other"))
    with opened(tmp_path / "new.db") as made:
        failed, done = sorted(made.episodes(), key=lambda episode: episode.content)
        assert (failed.state, failed.error) == ("failed", "LLMError: unknown text")
        assert done.state == "done"
        assert made.search("Ana", scopes=["episodes"]).episodes[0].item.uuid == failed.uuid


# --- the file that is made ---


def test_the_file_that_is_made_is_a_memory_of_its_own(tmp_path: Path) -> None:
    with opened(tmp_path / "me.db", reader(STORY)) as memory:
        tell_story(memory)
        report = memory.replay(tmp_path / "new.db")
        assert_same(report)
        assert report.path == str(tmp_path / "new.db")
        kept = (memory.as_of("2026-06-01"), memory.model_calls(), memory.episodes())
        with pytest.raises(StoreError, match="there already"):
            memory.replay(tmp_path / "new.db")
    with opened(tmp_path / "new.db") as made:
        assert (made.as_of("2026-06-01"), made.model_calls(), made.episodes()) == kept
        assert made.doctor().ok
        assert made.search("tea").facts
        assert_same(made.replay())


def test_an_interruption_leaves_nothing(tmp_path: Path) -> None:
    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with opened(tmp_path / "me.db") as memory:
        memory.add("Ana works at Acme.")
        with pytest.raises(KeyboardInterrupt):
            memory.replay(tmp_path / "new.db", progress=interrupt)
    assert [file.name for file in tmp_path.iterdir()] == ["me.db"]


def test_it_sees_one_state_while_others_write(tmp_path: Path) -> None:
    with opened(tmp_path / "me.db") as writing, opened(tmp_path / "me.db", read_only=True) as memory:
        writing.add("Ana works at Acme.")
        report = memory.replay(progress=lambda done, total: writing.add(f"Bo works at Acme, number {done} of {total}."))
        assert_same(report)
        assert report.episodes == 1
        assert memory.replay().episodes == 2


# --- the command line ---


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("TKGMEM_DB", "TKGMEM_MODEL", "TKGMEM_GROUP", "TKGMEM_EMBEDDER", "TKGMEM_READ_ONLY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Session, "embedder", staticmethod(lambda: EMBEDDER))
    with opened(tmp_path / "me.db") as memory:
        memory.add("Maya moved to Lisbon in May 2024.")
        memory.add_fact("Zoë", "LIVES_IN", "Malmö", valid_at="2020")
    return tmp_path / "me.db"


def run(path: Path, *args: str) -> Result:
    return CliRunner().invoke(main, ["--db", str(path), "-q", "replay", *args])


def test_the_command_says_that_all_is_the_same(told: Path) -> None:
    done = run(told, "--to", str(told.with_name("new.db")))
    assert done.exit_code == 0, done.stderr
    assert done.stdout.splitlines() == [
        "Read again: 1 text. No model was asked.",
        "The same: 2 facts and 2 versions, and all else.",
        f"What was made is in {told.with_name('new.db')}.",
    ]
    assert run(told, "--to", str(told.with_name("new.db"))).exit_code == 4
    assert json.loads(run(told, "--json").stdout)["same"] is True


def test_the_command_names_what_differs_and_fails(told: Path) -> None:
    db = apsw.Connection(str(told))
    db.execute("UPDATE versions SET invalid_at = valid_at + 86400000000, invalid_precision = 'day' WHERE relation = 'LIVES_IN'")
    db.close()
    done = run(told)
    assert done.exit_code == 1
    lines = done.stdout.splitlines()
    assert lines[1] == "The same: 2 facts and 0 versions. Different: 4. Dates in UTC."
    assert lines[2] == "Only in this memory:"
    assert lines[3].startswith(
        "  belief: Maya lives in Lisbon, from May 2024 until 2 May 2024; believed from 2026-01-01 00:00:0"
    )
    assert lines[5] == "Only in the one that was made again:"
    assert lines[6].startswith("  belief: Maya lives in Lisbon, since May 2024; believed from")


def test_reading_by_rules_is_no_failure_and_a_model_is_only_asked_by_name(told: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TKGMEM_MODEL", "costs/money")
    assert run(told).stdout.startswith("Read again: 1 text. No model was asked.")
    done = run(told, "--rules")
    assert (done.exit_code, done.stdout.splitlines()[0]) == (
        0,
        "Read again: 1 text, by the rules of today. No model was asked.",
    )
    assert run(told, "--rules", "--model", "x").exit_code == 2


# --- whatever happened ---

NAMES = ("Ana", "Bo", "Ana Duarte", "Bob Smith", "Robert Smith")
THINGS = ("Acme", "Globex", "Porto", "tea")
TEXTS = (
    "{a} works at {t} since 2020.",
    "{a} moved to {t} in 2021.",
    "{a} left {t}.",
    "{a}, also known as {b}, likes {t}.",
    "Oh.",
)


def chance(dice: random.Random) -> ScriptedLLM:
    """A model that says and judges anything."""

    def answer(request: Request) -> object:
        given = json.loads(request.user)
        if request.purpose == "judge":
            found = judged(request)
            return dice.choice([found, {**found, "contradictions": [], "duplicates": given["pairs"]}, "no json"])
        names = dice.sample(NAMES + THINGS, 3)
        relations = dice.choices(("WORKS_AT", "LIKES", "PAYS", "ALSO_KNOWN_AS"), k=2)
        read = says((names[0], relations[0], names[1]), (names[2], relations[1], names[0]))
        return dice.choice([read, read, read, LLMError("busy"), "no json"])

    return ScriptedLLM(answer)


def happen(memory: Memory, dice: random.Random) -> None:
    """Let something happen, or be refused."""
    a, b, thing = dice.choice(NAMES), dice.choice(NAMES), dice.choice(THINGS)
    facts = memory.as_of("2025")
    acts: list[Any] = [
        *(lambda: memory.add(dice.choice(TEXTS).format(a=a, b=b, t=thing), speaker=dice.choice([None, "Bo"])),) * 6,
        lambda: memory.add_many({"content": dice.choice(TEXTS).format(a=a, b=b, t=thing), "name": f"{n}"} for n in range(2)),
        memory.extract,
        lambda: memory.add_fact(a, "OWNS", thing, valid_at=dice.choice([None, "2022"])),
        lambda: memory.end_fact(a, "WORKS_AT", thing, at="2024"),
        lambda: memory.retract(dice.choice(facts).uuid),
        lambda: memory.correct(dice.choice(facts).uuid, target=thing),
        lambda: memory.define_relation("OWNS", functional=dice.random() < 0.5, aliases=["HAS"]),
        lambda: memory.merge_entities(a, b),
        lambda: memory.split_entity(a, claims=[dice.choice(facts)]),
        lambda: memory.add_alias(a, "Nick"),
        lambda: memory.undo(change=dice.choice(memory.changes()).number),
    ]
    with suppress(TkgmemError, ValueError, IndexError):
        dice.choice(acts)()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_a_random_history_is_the_same_when_it_is_told_again(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    clock = FixedClock(START, dt.timedelta(seconds=seed % 2))
    model = chance(dice)
    for _ in range(12):
        with opened(tmp_path / "me.db", dice.choice([None, model]), clock=clock, group=dice.choice(["g", "h"])) as memory:
            for _ in range(3):
                clock.advance(dt.timedelta(hours=dice.choice([0, 1])))
                happen(memory, dice)
    with opened(tmp_path / "me.db", clock=clock) as memory:
        assert_same(memory.replay())
