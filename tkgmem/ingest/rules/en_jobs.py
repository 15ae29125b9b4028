"""English verbs of work, study and going about: what they state depends on the kind of their object."""

from __future__ import annotations

from tkgmem.ingest.rules import en_words as words
from tkgmem.ingest.rules.dates import Mood, Name
from tkgmem.ingest.rules.en_frames import Frame, Handler, Result, Said, Subject, apply, every, pair
from tkgmem.ingest.rules.en_group import Group
from tkgmem.ingest.rules.en_objects import is_group, is_place, past_job, spot, through
from tkgmem.ingest.rules.en_text import Phrases

_NEW_JOB = "|".join(
    f"{whose} {what}" for whose in ("a", "my", "his", "her") for what in ("new job at", "job at", "new role at")
)


def _join(said: Said) -> Result | None:
    phrases, group, subject, _ = said
    found = phrases.titled(group.after)
    if not found or is_place(found[0].text):
        return None
    relation = "MEMBER_OF" if is_group(found[0].text) else "WORKS_AT"
    return every(subject, relation, [found[0]], "start", group.mood), found[1]


def _leave(said: Said) -> Result | None:
    """ "left Acme", "quit her job at Acme", "left Acme for Beta", "left Acme to join Beta"."""
    phrases, group, subject, _ = said
    found = phrases.titled(past_job(phrases, group.after))
    if not found or is_place(found[0].text):
        return None
    name, after = found
    drafts = every(subject, "MEMBER_OF" if is_group(name.text) else "WORKS_AT", [name], "end", _done(group.mood))
    begin = through(phrases, after, "for|to join|to work at|to work for")
    following = phrases.titled(begin) if begin else None
    if following and not is_place(following[0].text):
        drafts += every(subject, "WORKS_AT", [following[0]], "start", group.mood)
        after = following[1]
    return drafts, after


def _done(mood: Mood) -> Mood:
    """ "no longer left" is nothing one says."""
    return "past" if mood == "over" else mood


def _switch(said: Said) -> Result | None:
    phrases, group, subject, _ = said
    begin = group.after + (phrases.low(group.after) in ("jobs", "over"))
    job = said.job or phrases.low(group.after) == "jobs"
    old = phrases.name(begin + 1) if phrases.low(begin) == "from" else None
    begin = old[1] if old else begin
    new = phrases.name(begin + 1) if phrases.low(begin) == "to" else None
    if not new:
        return None
    return pair(subject, "WORKS_AT" if job else "USES", old[0] if old else None, new[0], group), new[1]


def _study(said: Said) -> Result | None:
    phrases, group, subject, _ = said
    index = group.after
    while (
        index < group.after + 4
        and phrases.low(index).isalpha()
        and phrases.low(index) not in ("at", "in", "with", "for", "and")
    ):
        index += 1
    found = phrases.titled(index + 1) if phrases.low(index) == "at" else None
    return _school(subject, group, found) if found else None


def _school(subject: Subject, group: Group, found: tuple[Name, int]) -> Result:
    if group.mood in ("past", "over"):
        return every(subject, "STUDIED_AT", [found[0]], "stint", "past"), found[1]
    if group.mood == "going":
        group = group._replace(mood="now")
    return every(subject, "STUDIES_AT", [found[0]], "state", group.mood), found[1]


def _attend(said: Said) -> Result | None:
    phrases, group, subject, _ = said
    named = phrases.titled(group.after)
    if named and not words.SCHOOL_WORDS.isdisjoint(named[0].text.lower().split()):
        return _school(subject, group, named)
    found = phrases.name(group.after) or (phrases.thing(group.after) if phrases.low(group.after) in words.ARTICLES else None)
    if not found:
        return None
    last = found[0].text.split()[-1].lower()
    if last not in words.EVENT_WORDS and not (named and group.lemma == "attend"):
        return None
    return every(subject, "ATTENDED", [found[0]], "point", group.mood), found[1]


def _go(said: Said) -> Result | None:
    phrases, group, subject, _ = said
    if phrases.low(group.after) != "to":
        return None
    inner = group._replace(after=group.after + 1)
    named = phrases.name(inner.after)
    if named and not words.SCHOOL_WORDS.isdisjoint(named[0].text.lower().split()):
        return _school(subject, group, named)
    if attended := _attend(said._replace(group=inner)):
        return attended
    places, after = spot(phrases, inner.after)
    return (
        (every(subject, "VISITED", places, "point", group.mood), after) if places and phrases.low(inner.after) != "a" else None
    )


def _teach(said: Said) -> Result | None:
    phrases, group, subject, _ = said
    index = group.after
    while (
        index < group.after + 3
        and phrases.low(index).isalpha()
        and phrases.low(index) not in ("at", "in", "to", "me", "us", "him", "her")
    ):
        index += 1
    return apply(phrases, group._replace(after=index), subject, (Frame("at", "org", "WORKS_AT", "state"),))


def _start(said: Said) -> Result | None:
    """ "started a new job at Acme", "started a company called Acme"."""
    phrases, group, subject, _ = said
    if (begin := through(phrases, group.after, _NEW_JOB)) is not None:
        return apply(phrases, group._replace(after=begin), subject, (Frame("", "org", "WORKS_AT", "start"),))
    thing = (
        phrases.thing(group.after, longest=5) if phrases.low(group.after) in ("a", "an", "the", "my", "his", "her") else None
    )
    if thing and phrases.low(_before(phrases, thing[0])) in ("called", "named"):
        return every(subject, "FOUNDED", [thing[0]], "start", group.mood), thing[1]
    return None


def _before(phrases: Phrases, name: Name) -> int:
    """The index of the token before a phrase."""
    return next(index for index, token in enumerate(phrases.tokens) if token.start == name.start) - 1


JOBS: dict[str, Handler] = {
    "join": _join,
    "leave": _leave,
    "quit": _leave,
    "switch": _switch,
    "study": _study,
    "attend": _attend,
    "go": _go,
    "teach": _teach,
    "start": _start,
}
"""By verb."""
