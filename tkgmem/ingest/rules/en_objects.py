"""English objects: each reader takes the token behind a verb and gives the names that stand there, or none."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from tkgmem.ingest.rules import en_words as words
from tkgmem.ingest.rules.dates import Name
from tkgmem.ingest.rules.en_kin import animal_at, is_animal, names_behind, relative_at
from tkgmem.ingest.rules.en_kinds import is_org
from tkgmem.ingest.rules.en_liked import favourite, preferred, things
from tkgmem.ingest.rules.en_places import is_place
from tkgmem.ingest.rules.en_text import Phrase, Phrases

_JOB_AT = "|".join(
    f"{whose} {what} at" for whose in ("my", "his", "her", "a", "the") for what in ("job", "position", "post", "role")
)
_HOW_WELL = words.closed("fluent some basic good a little bit of excellent native conversational both decent broken passable")
_ANYTHING = words.closed("items item things thing stuff one ones something everything second-hand used new")
_UNITS = words.GROUP_WORDS | {"department", "division", "office", "unit", "branch", "shop", "shift", "ward", "desk", "kitchen"}


def through(phrases: Phrases, index: int, accepted: str) -> int | None:
    """The index behind the first of the accepted word sequences ("a|b c") that stands at `index`."""
    low = phrases.low(index)
    for first, others in _options(accepted):
        if first == "":
            return index
        if first == low and phrases.at(index + 1, *others):
            return index + 1 + len(others)
    return None


@cache
def _options(accepted: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    split = sorted(
        (option.split(" ") for option in accepted.split("|")), key=lambda option: (len(option), option != [""]), reverse=True
    )
    return tuple((first, tuple(others)) for first, *others in split)


def past_job(phrases: Phrases, index: int) -> int:
    """The index behind "her job at", if that stands there."""
    return through(phrases, index, _JOB_AT) or index


def is_group(name: str) -> bool:
    """Whether a name says that it is a club or the like."""
    return not words.GROUP_WORDS.isdisjoint(name.lower().split())


def _single(phrase: Phrase | None) -> tuple[list[Name], int]:
    return ([phrase[0]], phrase[1]) if phrase else ([], 0)


def _org(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    phrase = phrases.titled(index)
    return _single(None if phrase and is_place(phrase[0].text) else phrase)


def _employer(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    return _org(phrases, past_job(phrases, index))


def _group(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    phrase = phrases.titled(index)
    return _single(phrase if phrase and is_group(phrase[0].text) else None)


def _name(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    """A name, or the name of someone's relative ("married to my brother Pelle")."""
    if phrases.low(index) in words.POSSESSIVES and (relative := relative_at(phrases, index + 1)):
        names, after = names_behind(phrases, relative)
        return (names, after) if len(names) == 1 else ([], 0)
    return _single(phrases.name(index))


def _site(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    """Where something stands: a name, or a part of what is named ("the third floor of Alder House")."""
    if found := phrases.name(index):
        return _single(found)
    thing = phrases.thing(index, longest=6) if phrases.low(index) == "the" else None
    return _single(thing if thing and any(part[0].isupper() for part in thing[0].text.split()) else None)


def _names(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    return phrases.listed(index, phrases.name)


def _unit(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    """A team, unit, shop or person that one can be in charge of."""
    if found := phrases.titled(index):
        return _single(None if phrases.low(found[1] - 1) in words.EVENT_WORDS else found)
    phrase = phrases.thing(index)
    if phrase and (phrases.low(phrase[1] - 1) in _UNITS or phrase[0].text[0].isupper()):
        return _single(phrase)
    return [], 0


def _company(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    if found := phrases.titled(index) if phrases.low(index) == "the" else phrases.name(index):
        return _single(None if phrases.plain(found[1]) else found)
    phrase = phrases.thing(index, longest=5)
    return _single(phrase if phrase and phrase[0].text[:1].isupper() else None)


def _possession(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    return _single(phrases.thing(index) if phrases.low(index) in words.POSSESSIVES or phrases.low(index) == "the" else None)


def _thing(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    return _single(phrases.thing(index))


def _bought(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    if phrases.low(index) == "your":
        return [], 0
    index += phrases.low(index) in ("that", "this", "these", "those")
    found, after = phrases.listed(index, phrases.thing)
    return [name for name in found if name.text.lower() not in _ANYTHING], after


def spot(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    """A place one can visit: not a person, nor something of a person's."""
    phrase = phrases.name(index)
    person = phrase and (
        phrase[0].text.split()[0].lower() in ("unit", "room", "gate", "floor")
        or phrase[0].text.split()[0].lower().rstrip(".") in words.TITLES
        or phrases.low(phrase[1]) == "'s"
    )
    return _single(None if person else phrase)


def _spots(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    def one(at: int) -> Phrase | None:
        found, after = spot(phrases, at)
        return (found[0], after) if found else None

    return phrases.listed(index, one)


def _org_like(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    phrase = phrases.titled(index)
    return _single(phrase if phrase and is_org(phrase[0].text) else None)


def _home(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    """Where one may come from: a place, not an organisation or a department."""
    phrase = phrases.name(index)
    unfit = phrase and (is_org(phrase[0].text) or phrase[0].text.isupper() or is_group(phrase[0].text))
    return _single(None if unfit else phrase)


def _club(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    """A club, by name or by kind ("a travel club")."""
    if phrase := phrases.titled(index):
        return _single(phrase if is_group(phrase[0].text) else None)
    thing = phrases.thing(index) if phrases.low(index) in ("a", "an", *words.POSSESSIVES) else None
    last = thing[0].text.split()[-1].lower() if thing else ""
    return _single(thing if is_group(last) or last in words.CLUB_KINDS else None)


def _task(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    if found := phrases.ticket(index):
        return _single(found)
    return _single(phrases.thing(index) if phrases.low(index) == "the" else None)


def _ticket(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    return _single(phrases.ticket(index))


def _ticket_over(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    found = phrases.ticket(index)
    return ([found[0]], found[1] + 1) if found and phrases.low(found[1]) in ("over", "on") else ([], 0)


def _project(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    return _single(phrases.ticket(index) or phrases.name(index))


def _assignee(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    return _single(phrases.titled(index))


def _event(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    phrase = phrases.name(index) or phrases.thing(index)
    last = phrases.low(phrase[1] - 1) if phrase else ""
    return _single(phrase if phrase and (last in words.EVENT_WORDS or phrase[0].text[0].isupper()) else None)


def _role(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    return _single(phrases.role(index, known=phrases.low(index) not in ("a", "an")))


def _post(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    return _single(phrases.role(index, known=False))


def _known_role(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    return _single(phrases.role(index, known=True))


def _languages(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    def language(at: int) -> Phrase | None:
        while phrases.low(at) in _HOW_WELL:
            at += 1
        known = phrases.low(at) in words.LANGUAGES or (at == index and _names_tongue(phrases, at))
        return (phrases.span(at, at + 1), at + 1) if known else None

    return phrases.listed(index, language)


def _names_tongue(phrases: Phrases, index: int) -> bool:
    """ "speaks Twi": one capitalised word that is no one's name."""
    spoken = index < len(phrases.tokens) and phrases.tokens[index].capital and phrases.low(index - 1).startswith("spe")
    named = phrases.name(index) if spoken else None
    return (
        named is not None
        and named[1] == index + 1
        and phrases.low(index + 1) in ("", ".", ",", ";", "and", "at", "!", "too", "as")
    )


def animals(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    """ "a dog named Max", "two ferrets, Pip and Moss", "a rescue dog": the names, else the species."""
    found: list[Name] = []
    after = index
    if is_animal(phrases.low(index)) and phrases.low(index) not in words.ANIMALS - {"bees", "goldfish", "sheep"}:
        return phrases.listed(index, lambda at: (phrases.span(at, at + 1), at + 1) if is_animal(phrases.low(at)) else None)
    while counted := _count(phrases, index):
        relative = animal_at(phrases, counted)
        if relative is None:
            break
        names, after = names_behind(phrases, relative)
        if not names and relative.plural and phrases.low(after) in (":", ",", "-", "–", "—") and _count(phrases, after + 1):
            named, end = animals(phrases, after + 1)
            if named:
                return [*found, *named], end
        found += names or [phrases.span(counted, relative.after)]
        index = after + (phrases.low(after) == ",")
        index += phrases.low(index) in ("and", "&")
        if index == after:
            break
    return found, after if found else 0


def _count(phrases: Phrases, index: int) -> int:
    """The index behind "a", "two" or "a pair of"; 0 without one."""
    low = phrases.low(index)
    if low not in words.COUNTS and not low.isdigit():
        return 0
    index += 1
    return index + 2 if phrases.low(index) in ("pair", "couple") and phrases.low(index + 1) == "of" else index


OBJECTS: dict[str, Callable[[Phrases, int], tuple[list[Name], int]]] = {
    "org": _org,
    "employer": _employer,
    "place": _name,
    "name": _name,
    "names": _names,
    "group": _group,
    "site": _site,
    "unit": _unit,
    "company": _company,
    "org_like": _org_like,
    "home": _home,
    "club": _club,
    "possession": _possession,
    "thing": _thing,
    "bought": _bought,
    "spot": spot,
    "spots": _spots,
    "things": things,
    "preferred": preferred,
    "favourite": favourite,
    "task": _task,
    "ticket": _ticket,
    "ticket_over": _ticket_over,
    "project": _project,
    "assignee": _assignee,
    "event": _event,
    "role": _role,
    "known_role": _known_role,
    "post": _post,
    "languages": _languages,
    "animals": animals,
}
