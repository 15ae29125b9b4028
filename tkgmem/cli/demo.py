"""The verb `demo`: tells two stories to a new file on the days they were told, and asks dated questions.

It only replaces a file in which there is nothing but an earlier demo, and only when asked to.
"""

from __future__ import annotations

import datetime as dt
import itertools
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tkgmem.cli import dates
from tkgmem.cli.app import main
from tkgmem.cli.session import Session
from tkgmem.cli.settings import ConfigurationError
from tkgmem.cli.stories import STORIES, Chart, Question, Story, Telling
from tkgmem.errors import NotFound, StoreError
from tkgmem.graph import Episode, Fact
from tkgmem.memory import Memory

if TYPE_CHECKING:
    from tkgmem.cli.chart import Bar
    from tkgmem.cli.screen import Screen

FILE = "tkgmem-demo.db"
NAME = "tkgmem demo"
"""The name of every text that the demo tells; a file with others is not replaced."""

_LABEL = 18
_CELLS = 68
_COLOURS = ("cyan", "green", "magenta", "yellow")


@main.command()
@click.option("--path", "place", metavar="FILE", help=f"The file to make ({FILE} in this folder).")
@click.option("-f", "--force", "-y", "--yes", "force", is_flag=True, help="Replace the file of an earlier demo.")
@click.pass_obj
def demo(session: Session, place: str | None, force: bool) -> None:
    """Tell two stories to a new file and question it. What was true when, and what was known when?"""
    place = place or session.given.get("db") or FILE
    _make_room(session, Path(place), force=force)
    clock = StoryClock()
    with session.open(place, clock=clock, by_rules=True) as memory:  # a story that everybody can be told
        for telling in sorted((telling for story in STORIES for telling in story.tellings), key=lambda telling: telling.day):
            clock.day = telling.day
            _tell(memory, telling)
        answers = [[_asked(memory, question) for question in story.questions] for story in STORIES]
        lines = [answer for story in answers for answer in story]
        commands = _commands(session, place)
        session.show({"path": place, "answers": lines}, lambda screen: _show(screen, memory, answers, commands), lines=lines)


class StoryClock:
    """A clock that stands at midnight UTC of the day of the story."""

    day = "2024-01-01"

    def __call__(self) -> dt.datetime:
        """That day."""
        return _utc(self.day)


def _make_room(session: Session, path: Path, *, force: bool) -> None:
    """Remove the file of an earlier demo. ConfigurationError if something is there that may not be removed."""
    if not path.exists():
        return
    if not _is_demo(session, path):
        raise ConfigurationError(
            f"{path} is there and holds something else than a demo; it stays as it is; choose another file with --path"
        )
    if not force:
        raise ConfigurationError(
            f"{path} is there from an earlier demo; run again with --force to replace it, or choose another file with --path"
        )
    path.unlink()


def _is_demo(session: Session, path: Path) -> bool:
    """Whether there is nothing in the file but what a demo told."""
    try:
        with session.open(str(path), read_only=True) as memory:
            counts = memory.stats()
            told = memory.episodes(name=NAME, group=counts.groups, limit=counts.episodes + 1)
            return 0 < len(told) == counts.episodes
    except StoreError:
        return False


def _tell(memory: Memory, telling: Telling) -> None:
    """Add the sentence; where it corrects an earlier one, correct the fact that stands on that."""
    fix = telling.correction
    episode = memory.add(
        telling.text,
        name=NAME,
        source="message" if telling.speaker else "text",
        speaker=telling.speaker,
        extract=fix is None,
    ).episode
    if fix is not None:
        [fact] = memory.as_of(fix.at, source=fix.source, relation=fix.relation, target=fix.target)
        memory.correct(fact.uuid, valid_at=fix.valid_at, episode=episode.uuid)


# --- questions ---


@dataclass(frozen=True, slots=True)
class Answer:
    """A question's facts as the memory gives them. evidence: the latest text behind each; without a fact, the text by which the
    last one ended, if there is one."""

    question: str
    valid_at: str
    known_at: str | None
    facts: Sequence[Fact]
    evidence: Sequence[Episode]


def _asked(memory: Memory, question: Question) -> Answer:
    if question.known_at == question.valid_at:
        facts = memory.believed_at(question.valid_at, source=question.source, relation=question.relation)
    else:
        facts = memory.as_of(question.valid_at, known_at=question.known_at, source=question.source, relation=question.relation)
    evidence = [memory.episodes(uuid=fact.episodes[-1])[0] for fact in facts] or _ending(memory, question)
    return Answer(question.words, question.valid_at, question.known_at, facts, evidence)


def _ending(memory: Memory, question: Question) -> list[Episode]:
    """The text told when the last fact before the question's date got its end; the clock stands still while a text is told."""
    ended = [
        version.created_at
        for version in memory.timeline(question.source, known_at=question.known_at)
        if version.relation == question.relation and version.invalid_at and version.invalid_at <= _utc(question.valid_at)
    ]
    return [episode for episode in memory.episodes(name=NAME) if ended and episode.created_at == ended[-1]]


# --- what is shown ---


def _show(screen: Screen, memory: Memory, answers: Sequence[Sequence[Answer]], commands: Sequence[str]) -> None:
    screen.line("A memory is told things, sometimes late and sometimes wrong. It keeps what was true when,")
    screen.line("and what it knew when. Each answer below shows the sentence that it rests on.")
    for story, answered in zip(STORIES, answers, strict=True):
        _show_story(screen, memory, story)
        for answer in answered:
            _show_answer(screen, answer)
    screen.line()
    screen.line(("Try next", "bold"))
    for command in commands:
        screen.line(f"  {command}")


def _show_story(screen: Screen, memory: Memory, story: Story) -> None:
    screen.line()
    screen.line((f"{'==' if screen.plain else '━━'} {story.title}", "bold"))
    for telling in story.tellings:
        said = f"{telling.speaker}: {telling.text}" if telling.speaker else telling.text
        gloss = f"  ({telling.gloss})" if telling.gloss else ""
        screen.line((_day(_utc(telling.day)).ljust(_LABEL), "dim"), said, (gloss, "dim"))
    for chart in story.charts:
        _show_chart(screen, memory, story, chart)
    screen.line()


def _show_chart(screen: Screen, memory: Memory, story: Story, chart: Chart) -> None:
    """One line for each belief: what was thought, from the day it was told until the next line."""
    from tkgmem.cli.chart import Axis

    axis = Axis(_utc(chart.first), _utc(chart.last), _CELLS, plain=screen.plain)
    screen.line()
    screen.line((chart.title, "bold"), ", as believed from each day on:")
    screen.line(" " * _LABEL, (axis.marks([(_utc(day), text) for day, text in chart.marks]), "dim"))
    colours: dict[str, str] = {}
    before: list[Bar] = []
    for telling in story.tellings:
        bars = _bars(memory, chart, telling.day)
        if bars != before:
            for bar in bars:
                colours.setdefault(bar.name, _COLOURS[len(colours) % len(_COLOURS)])
            drawn = [(text, "" if name is None else colours[name]) for text, name in axis.pieces(bars)]
            screen.line((_day(_utc(telling.day)).ljust(_LABEL), "dim"), *drawn)
        before = bars


def _bars(memory: Memory, chart: Chart, day: str) -> list[Bar]:
    from tkgmem.cli.chart import Bar

    try:
        believed = memory.timeline(chart.source, known_at=day)
    except NotFound:  # not heard of yet
        return []
    return [
        Bar(version.target.name.removesuffix(" 公司"), version.valid_at, version.invalid_at)
        for version in believed
        if version.relation == chart.relation and version.source.name == chart.source
    ]


def _show_answer(screen: Screen, answer: Answer) -> None:
    screen.line((answer.question, "bold"))
    absent = "nothing any more" if answer.evidence else "nothing yet" if answer.known_at else "nothing"
    names = [fact.target.name for fact in answer.facts] or [absent]
    for name, episode in itertools.zip_longest(names, answer.evidence):
        screen.line("   ", (name, "bold green"), *_evidence(episode))


def _evidence(episode: Episode | None) -> list[str | tuple[str, str]]:
    if episode is None:
        return []
    return [f"  “{episode.content}” ", (f"told {_day(episode.reference_time)}", "dim")]


def _commands(session: Session, place: str) -> list[str]:
    called = sys.argv[0]
    program = "tkgmem" if Path(called).stem != "tkgmem" or shutil.which("tkgmem") == called else shlex.quote(called)
    group = "" if session.settings.group == "default" else f" --group {shlex.quote(session.settings.group)}"
    start = f"{program} --db {shlex.quote(place)}{group}"
    return [
        f'{start} search "where does Maya live"',
        f"{start} why Maya WORKS_AT",
        f"{start} history T-41",
        f'{start} add "I moved to Berlin last week." --speaker Maya',
    ]


def _day(moment: dt.datetime) -> str:
    return dates.words(moment, "day", dates.UTC)


def _utc(day: str) -> dt.datetime:
    return dt.datetime.fromisoformat(day).replace(tzinfo=dt.UTC)
