"""English verbs of work, study and going about: what they state depends on the kind of their object."""

from __future__ import annotations

from tkgmem.ingest.rules import en_words as words
from tkgmem.ingest.rules.dates import Mood, Name
from tkgmem.ingest.rules.en_contact import value_at
from tkgmem.ingest.rules.en_frames import Frame, Handler, Result, Said, Subject, apply, every, pair
from tkgmem.ingest.rules.en_group import Group
from tkgmem.ingest.rules.en_kinds import is_org
from tkgmem.ingest.rules.en_objects import is_group, past_job, spot, through
from tkgmem.ingest.rules.en_places import is_place, sounds_like_place
from tkgmem.ingest.rules.en_text import Phrases

_NEW_JOB = "|".join(
    f"{whose} {what}" for whose in ("a", "my", "his", "her") for what in ("new job at", "job at", "new role at")
)


def _join(said: Said) -> Result | None:
    phrases, group, subject = said[:3]
    found = phrases.titled(group.after)
    if not found:
        return apply(phrases, group, subject, (Frame("", "club", "MEMBER_OF", "start"),))
    if is_place(found[0].text):
        return None
    relation = "MEMBER_OF" if is_group(found[0].text) else "WORKS_AT"
    return every(subject, relation, [found[0]], "start", group.mood), found[1]


def _leave(said: Said) -> Result | None:
    """ "left Acme", "quit her job at Acme", "left Acme for Beta", "left Acme to join Beta"."""
    phrases, group, subject = said[:3]
    found = phrases.titled(past_job(phrases, group.after))
    if not found:
        return apply(phrases, group._replace(mood=_done(group.mood)), subject, (Frame("", "club", "MEMBER_OF", "end"),))
    if is_place(found[0].text):
        return None
    name, after = found
    drafts = every(subject, "MEMBER_OF" if is_group(name.text) else "WORKS_AT", [name], "end", _done(group.mood))
    dated = after
    while dated < len(phrases.tokens) and phrases.tokens[dated].when is not None:
        dated += 1
    begin = through(phrases, dated, "for|to join|to work at|to work for|to go to|to start at|to take a job at")
    following = phrases.titled(begin) if begin else None
    if following and not is_place(following[0].text):
        drafts += every(subject, "WORKS_AT", [following[0]], "start", group.mood)
        after = following[1]
    return drafts, after


def _done(mood: Mood) -> Mood:
    """ "no longer left" is nothing one says."""
    return "past" if mood == "over" else mood


def _switch(said: Said) -> Result | None:
    phrases, group, subject = said[:3]
    begin = group.after + (phrases.low(group.after) in ("jobs", "over"))
    job = said.job or phrases.low(group.after) == "jobs"
    old = phrases.name(begin + 1) if phrases.low(begin) == "from" else None
    begin = old[1] if old else begin
    new = phrases.name(begin + 1) if phrases.low(begin) == "to" else None
    if not new:
        return None
    job |= is_org(new[0].text) or (old is not None and is_org(old[0].text))
    return pair(subject, "WORKS_AT" if job else "USES", old[0] if old else None, new[0], group), new[1]


def _replace(said: Said) -> Result | None:
    """ "replaced Budgetly with Coinbook", "swapped my Canon for a Nikon", "ditched Notely for Scribbly"."""
    phrases, group, subject = said[:3]
    index = group.after
    owned = phrases.low(index) in words.POSSESSIVES
    old = phrases.thing(index) if owned else phrases.name(index)
    link = "with|by" if group.lemma == "replace" else "for|in favour of|in favor of"
    begin = through(phrases, old[1], link) if old else None
    if old is None or group.voice == "passive" or subject.kind not in ("person", "name"):
        return None
    dropped = every(subject, "OWNS" if owned else "USES", [old[0]], "end", _done(group.mood))
    if begin is None:
        return (dropped, old[1]) if group.lemma in ("ditch", "drop", "abandon") and not owned else None
    new = phrases.thing(begin) if owned else phrases.name(begin)
    return (dropped + every(subject, "OWNS" if owned else "USES", [new[0]], "start", group.mood), new[1]) if new else None


def _reach(said: Said) -> Result | None:
    """ "can be reached at", "reach Malik at", "call me on": a number or an address of the one who is reached."""
    phrases, group, subject = said[:3]
    index = group.after
    if group.lemma == "call" and group.voice == "active" and (home := _home(said)):
        return home
    if group.voice == "active":
        named = phrases.name(index)
        if phrases.low(index) == "me":
            index += 1
            subject = Subject((Name(said.speaker),) if said.speaker else (), "person")
        elif named:
            subject, index = Subject((named[0],), "person"), named[1]
        else:
            return None
    index += phrases.low(index) in ("at", "on", "via", "by")
    index += phrases.low(index) in ("email", "phone")
    index += phrases.low(index) in ("at", "on")
    for relation in ("EMAIL_IS", "PHONE_IS"):
        if value := value_at(phrases, index, relation):
            drafts = every(subject, relation, [value], "state", "now")
            other = "PHONE_IS" if relation == "EMAIL_IS" else "EMAIL_IS"
            for at in range(index + 2, index + 7 if phrases.low(index + 1) in ("or", "and", ",") else index):
                if further := value_at(phrases, at, other):
                    return [*drafts, *every(subject, other, [further], "state", "now")], at + 1
            return drafts, index + 1
    return None


def _play(said: Said) -> Result | None:
    """ "plays the oboe in the Marlborough Wind Band", "sings alto with the Larkspur Choir"."""
    phrases, group, subject = said[:3]
    for link in range(group.after, group.after + 4):
        found = phrases.titled(link + 1) if phrases.low(link) in ("in", "with", "for") else None
        if found and is_group(found[0].text):
            return every(subject, "MEMBER_OF", [found[0]], "state", group.mood), found[1]
        if not phrases.low(link).isalpha():
            break
    return None


def _in_tool(said: Said) -> Result | None:
    """ "keeps her recipes in Marlow Notes", "do all my drawings in Vectorly"."""
    phrases, group, subject = said[:3]
    begin = group.after + (phrases.low(group.after) == "all")
    thing = phrases.thing(begin) if phrases.low(begin) in words.POSSESSIVES and group.voice == "active" else None
    if (
        thing is None
        or phrases.low(thing[1] - 1) not in words.RECORDS
        or phrases.low(thing[1]) not in ("in", "with", "on", "using")
    ):
        return None
    tool = phrases.name(thing[1] + 1)
    if tool is None or sounds_like_place(tool[0].text) or is_org(tool[0].text):
        return None
    return every(subject, "USES", [tool[0]], "state", group.mood), tool[1]


def _shared_home(said: Said) -> Result | None:
    """ "shares a flat in Antwerp", "rents a house in Cork"."""
    phrases, group, subject = said[:3]
    thing = phrases.thing(group.after) if phrases.low(group.after) in ("a", "an", "the") else None
    place = phrases.name(thing[1] + 1) if thing and phrases.low(thing[1]) == "in" else None
    dwelling = thing and phrases.low(thing[1] - 1) in (
        "flat",
        "apartment",
        "house",
        "room",
        "studio",
        "cottage",
        "loft",
        "place",
    )
    return (every(subject, "LIVES_IN", [place[0]], "state", group.mood), place[1]) if place and dwelling else None


def _home(said: Said) -> Result | None:
    """ "has called Leeds home since 2016", "made Turin her home"."""
    phrases, group, subject = said[:3]
    named = phrases.name(group.after)
    begin = through(phrases, named[1], "home|my home|his home|her home|our home|their home") if named else None
    if named is None or begin is None or subject.kind not in ("person", "name"):
        return None
    return every(subject, "LIVES_IN", [named[0]], "state" if group.lemma == "call" else "start", group.mood), begin


def _run(said: Said) -> Result | None:
    """ "ran the Boston Marathon" is no management."""
    phrases, group, subject = said[:3]
    found = phrases.titled(group.after)
    race = found and phrases.low(found[1] - 1) in (
        "marathon",
        "race",
        "triathlon",
        "relay",
        "half",
        "10k",
        "5k",
        "ultra",
        "run",
    )
    if not found or not race or group.voice == "passive":
        return None
    if group.intends:
        return None
    return every(subject, "ATTENDED", [found[0]], "point", group.mood), found[1]


def _study(said: Said) -> Result | None:
    phrases, group, subject = said[:3]
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
    phrases, group, subject = said[:3]
    named = phrases.titled(group.after)
    if named and not words.SCHOOL_WORDS.isdisjoint(named[0].text.lower().split()):
        return _school(subject, group, named)
    low = phrases.low(group.after)
    found = phrases.name(group.after) or (phrases.thing(group.after) if low in words.ARTICLES else None)
    if not found or (low == "the" and " " not in found[0].text):
        return None
    last = found[0].text.split()[-1].lower()
    if last not in words.EVENT_WORDS and not (named and group.lemma == "attend"):
        return None
    return every(subject, "ATTENDED", [found[0]], "point", group.mood), found[1]


def _go(said: Said) -> Result | None:
    phrases, group, subject = said[:3]
    if phrases.low(group.after) != "to":
        return _go_otherwise(said)
    if subject.kind == "ticket":
        return apply(phrases, group, subject, (Frame("to", "assignee", "ASSIGNED_TO", "start", "ticket"),))
    if begin := through(phrases, group.after, "to school at|to university at|to college at|to uni at"):
        found = phrases.titled(begin)
        return _school(subject, group, found) if found else None
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


def _go_otherwise(said: Said) -> Result | None:
    """ "goes by Max", "went from Mercer Foods to Halden Dairy"."""
    phrases, group, subject = said[:3]
    if begin := through(phrases, group.after, "by the name|by"):
        return apply(phrases, group._replace(after=begin), subject, (Frame("", "name", "ALSO_KNOWN_AS", "state"),))
    return _switch(said) if phrases.low(group.after) == "from" else None


def _teach(said: Said) -> Result | None:
    phrases, group, subject = said[:3]
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
    phrases, group, subject = said[:3]
    school = through(phrases, group.after, "at|school at|university at|college at|reception at|kindergarten at|nursery at")
    named = phrases.titled(school) if school else None
    learns = school and (phrases.low(group.after) != "at" or any(name.text in said.learners for name in subject.names))
    if named and learns and not words.SCHOOL_WORDS.isdisjoint(named[0].text.lower().split()):
        return every(subject, "STUDIES_AT", [named[0]], "start", group.mood), named[1]
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
    "begin": _start,
    "run": _run,
    "make": _home,
    **dict.fromkeys(("play", "sing", "row"), _play),
    **dict.fromkeys(("share", "rent", "lease"), _shared_home),
    **dict.fromkeys(
        ("do", "keep", "manage", "track", "log", "draw", "write", "organise", "organize", "store", "plan"), _in_tool
    ),
    **dict.fromkeys(("replace", "swap", "ditch", "drop", "abandon"), _replace),
    **dict.fromkeys(("reach", "call", "email", "text", "phone"), _reach),
}
"""By verb."""
