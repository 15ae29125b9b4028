"""English statements that name the holder last: "
""the owner of T-15 is Jana", "Acme's founder is Bo", "my favourite tea is oolong"."""

from __future__ import annotations

from tkgmem.ingest.rules import en_words as words
from tkgmem.ingest.rules.dates import Draft, Name
from tkgmem.ingest.rules.en_frames import Subject
from tkgmem.ingest.rules.en_kin import Context
from tkgmem.ingest.rules.en_kinds import is_project
from tkgmem.ingest.rules.en_objects import OBJECTS, through
from tkgmem.ingest.rules.en_subject import Opening
from tkgmem.ingest.rules.en_text import Phrases
from tkgmem.ingest.rules.en_tickets import status_at

_HELD = {
    **dict.fromkeys(("owner", "assignee", "handler"), "ASSIGNED_TO"),
    **dict.fromkeys(("founder", "co-founder", "cofounder"), "FOUNDED"),
    **dict.fromkeys(("manager", "head", "boss", "leader", "director", "chair", "captain", "lead", "supervisor"), "MANAGES"),
    "status": "HAS_STATUS",
    **dict.fromkeys(("headquarters", "office", "hq"), "LOCATED_IN"),
}
_SOME_OF = frozenset(("most", "all", "some", "of", "close", "old", "the", "school", "college", "work"))
_BE = ("is", "'s", "are")
_LONGEST_FAVOURITE = 5


def inverted_at(phrases: Phrases, index: int, context: Context) -> Opening | None:
    """What such a statement states, or None if none begins here."""
    return (
        _status(phrases, index, context)
        or _favourite(phrases, index, context)
        or _of(phrases, index)
        or _possessive(phrases, index)
    )


def _status(phrases: Phrases, index: int, context: Context) -> Opening | None:
    """ "status: open" of the ticket just named."""
    index += phrases.low(index) in ("the", "its", "current", "new")
    said = phrases.low(index) == "status" and phrases.low(index + 1) in (":", "is")
    state = status_at(phrases, index + 2) if said and context.ticket else None
    return (
        _opening(Draft(context.ticket, "HAS_STATUS", state[0], "state", "now"), state[1]) if state and context.ticket else None
    )


def _of(phrases: Phrases, index: int) -> Opening | None:
    """ "the owner of OPS-15 is Jana Novak"."""
    bare = phrases.low(index) in _HELD and phrases.low(index + 1) in ("of", "for")
    if phrases.low(index) not in ("the", "current") and not bare:
        return None
    index += not bare
    index += phrases.low(index) in ("new", "current", "head")
    relation = _HELD.get(phrases.low(index))
    if phrases.low(index) in ("person", "one", "engineer", "developer", "team", "colleague", "contact") and (
        begin := through(phrases, index + 1, "responsible for|in charge of|handling|assigned to|working on|looking after")
    ):
        relation, index = "ASSIGNED_TO", begin - 2
    elif relation is None or phrases.low(index + 1) not in ("of", "for"):
        return None
    held = phrases.ticket(index + 2) or phrases.titled(index + 2) or phrases.thing(index + 2)
    return _stated(phrases, relation, held[0], held[1]) if held else None


def _possessive(phrases: Phrases, index: int) -> Opening | None:
    """ "OPS-15's owner is Jana Novak"."""
    held = phrases.ticket(index) or (phrases.titled(index) if phrases.low(index) == "the" else phrases.name(index))
    if held is None or phrases.low(held[1]) != "'s":
        return None
    at = held[1] + 1 + (phrases.low(held[1] + 1) in ("new", "current", "main", "head"))
    relation = _HELD.get(phrases.low(at))
    return _stated(phrases, relation, held[0], at + 1) if relation and relation != "MANAGES" else None


def _stated(phrases: Phrases, relation: str, held: Name, index: int) -> Opening | None:
    if phrases.low(index) not in _BE:
        return None
    index += 1
    while phrases.low(index) in words.ADVERBS:
        index += 1
    if relation == "HAS_STATUS":
        state = status_at(phrases, index)
        return _opening(Draft(held, relation, state[0], "state", "now"), state[1]) if state else None
    if relation == "LOCATED_IN":
        place = phrases.name(index + 1) if phrases.low(index) in ("in", "at", "on") else None
        return _opening(Draft(held, relation, place[0], "state", "now"), place[1]) if place else None
    index = through(phrases, index, "a woman named|a man named|a woman called|a man called") or index
    holder = phrases.titled(index)
    if not holder or phrases.low(index) in ("a", "an"):
        return None
    task = phrases.is_ticket(held.text) or is_project(held.text)
    if relation == "ASSIGNED_TO" and task:
        return _opening(Draft(held, relation, holder[0], "state", "now"), holder[1])
    relation = "OWNS" if relation == "ASSIGNED_TO" else relation
    return _opening(Draft(holder[0], relation, held, "start" if relation == "FOUNDED" else "state", "now"), holder[1])


def _opening(draft: Draft, after: int) -> Opening:
    return Opening(Subject((draft.source,), "name"), after, (draft,), done=True)


def _favourite(phrases: Phrases, index: int, context: Context) -> Opening | None:
    """ "my favourite tea is oolong", "Ana's favorite band is Low"."""
    low = phrases.low(index)
    owner, at = (context.owner(low), index + 1) if low in ("my", "his", "her") else (None, index)
    if low not in ("my", "his", "her"):
        named = phrases.name(index)
        if not named or phrases.low(named[1]) != "'s":
            return None
        owner, at = named[0], named[1] + 1
    at += phrases.low(at) in ("all-time", "absolute", "current")
    usual = phrases.low(at) in ("go-to", "default") and not words.TOOLS.isdisjoint((phrases.low(at + 1), phrases.low(at + 2)))
    if owner is None or (phrases.low(at) not in ("favorite", "favourite", "favorites", "favourites") and not usual):
        return None
    for link in range(at + 1, at + 1 + _LONGEST_FAVOURITE):
        if phrases.low(link) in _BE:
            found, after = OBJECTS["favourite"](phrases, link + 1)
            drafts = tuple(Draft(owner, "USES" if usual else "LIKES", thing, "state", "now") for thing in found)
            return Opening(Subject((owner,), "person"), after, drafts, done=True) if found else None
        if not phrases.low(link).isalpha():
            return None
    return None


def _past_callers(phrases: Phrases, index: int) -> int:
    """The index behind "most of my friends at work just"; -1 if nobody who calls stands there."""
    while phrases.low(index) in words.POSSESSIVES or phrases.low(index) in _SOME_OF:
        index += 1
    if phrases.low(index) not in words.CALLERS:
        return -1
    index += 1
    if phrases.low(index) in ("at", "in") and phrases.low(index + 1) in ("work", "school", "college", "town", "home", "uni"):
        index += 2
    while phrases.low(index) in words.ADVERBS or phrases.low(index) == "all":
        index += 1
    return index


def called_at(phrases: Phrases, index: int, context: Context) -> Opening | None:
    """ "Everyone calls Wilhelmina Stroud 'Billie'", "my friends call me Kat", "you can call me Zach"."""
    if phrases.low(index) == "you" and phrases.low(index + 1) == "can":
        index += 2
    index += phrases.low(index) in ("just", "please")
    if phrases.at(index, "call", "me") and context.speaker and (alias := phrases.name(index + 2)):
        speaker = Name(context.speaker)
        return _opening(Draft(speaker, "ALSO_KNOWN_AS", alias[0], "state", "now"), alias[1])
    index = _past_callers(phrases, index)
    if phrases.low(index) not in ("calls", "call"):
        return None
    whom = phrases.low(index + 1)
    named = phrases.name(index + 1)
    who = named[0] if named else None
    if whom == "me" and context.speaker:
        who = Name(context.speaker)
    elif whom in ("him", "her"):
        who = context.referent("he" if whom == "him" else "she")
    alias = phrases.name(named[1] if named else index + 2) if who else None
    if who is None or alias is None:
        return None
    return _opening(Draft(who, "ALSO_KNOWN_AS", alias[0], "state", "now"), alias[1])
