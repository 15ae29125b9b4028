"""English objects: each reader takes the token behind a verb and gives the names that stand there, or none."""

from __future__ import annotations

from collections.abc import Callable

from tkgmem.ingest.rules import en_words as words
from tkgmem.ingest.rules.dates import Name
from tkgmem.ingest.rules.en_text import Phrase, Phrases

_PART_OF_PLACE = frozenset(("new", "the", "south", "north", "san", "los", "hong", "kong", "united", "kingdom", "states"))
_JOB_AT = "|".join(
    f"{whose} {what} at" for whose in ("my", "his", "her", "a", "the") for what in ("job", "position", "post", "role")
)
_UNITS = words.GROUP_WORDS | {"department", "division", "office", "unit", "branch", "shop"}


def through(phrases: Phrases, index: int, accepted: str) -> int | None:
    """The index behind the first of the accepted word sequences ("a|b c") that stands at `index`."""
    low = phrases.low(index)
    for option in accepted.split("|"):
        first, *others = option.split(" ")
        if first == "":
            return index
        if first == low and phrases.at(index + 1, *others):
            return index + 1 + len(others)
    return None


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


def is_place(name: str) -> bool:
    """Whether a name is a well-known place, or a home or school without a name."""
    return all(word in words.PLACES or word in _PART_OF_PLACE for word in name.lower().split())


def _employer(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    return _org(phrases, past_job(phrases, index))


def _group(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    phrase = phrases.titled(index)
    return _single(phrase if phrase and is_group(phrase[0].text) else None)


def _name(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    return _single(phrases.name(index))


def _names(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    return phrases.listed(index, phrases.name)


def _unit(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    """A team, unit, shop or person that one can be in charge of."""
    if found := phrases.titled(index):
        return _single(found)
    phrase = phrases.thing(index)
    if phrase and (phrases.low(phrase[1] - 1) in _UNITS or phrase[0].text[0].isupper()):
        return _single(phrase)
    return [], 0


def _company(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    if found := phrases.name(index):
        return _single(found)
    phrase = phrases.thing(index, longest=5)
    return _single(phrase if phrase and phrase[0].text[:1].isupper() else None)


def _possession(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    return _single(phrases.thing(index) if phrases.low(index) in words.POSSESSIVES or phrases.low(index) == "the" else None)


def _thing(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    return _single(phrases.thing(index))


def _bought(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    return ([], 0) if phrases.low(index) == "your" else phrases.listed(index, phrases.thing)


def spot(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    """A place one can visit: not a person, nor something of a person's."""
    phrase = phrases.name(index)
    person = phrase and (phrase[0].text.split()[0].lower().rstrip(".") in words.TITLES or phrases.low(phrase[1]) == "'s")
    return _single(None if person else phrase)


def _things(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    if phrases.low(index) in words.POSSESSIVES or phrases.low(index) in ("the", "a", "an", "some"):
        return [], 0
    return phrases.listed(index, phrases.liked)


def _task(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    if found := phrases.ticket(index):
        return _single(found)
    return _single(phrases.thing(index) if phrases.low(index) == "the" else None)


def _ticket(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    return _single(phrases.ticket(index))


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


def _known_role(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    return _single(phrases.role(index, known=True))


def _languages(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    def language(at: int) -> Phrase | None:
        at += phrases.low(at) in ("fluent", "some", "basic", "good")
        return (phrases.span(at, at + 1), at + 1) if phrases.low(at) in words.LANGUAGES else None

    return phrases.listed(index, language)


def animals(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    """ "a dog named Max", "two ferrets, Pip and Moss", "a rescue dog": the names, else the species."""
    counted = phrases.low(index) in words.COUNTS or phrases.low(index).isdigit()
    begin = index = index + counted
    while index - begin < 4 and not _is_animal(phrases.low(index)) and phrases.low(index).isalpha():
        index += 1
    if not counted or not _is_animal(phrases.low(index)):
        return [], 0
    after = index + 1
    follow = after + (phrases.low(after) in (",", ":", "-", "—", "called", "named"))
    if follow > after:
        names, end = phrases.listed(follow, phrases.name)
        if names:
            return names, end
    return [phrases.span(begin, after)], after


def _is_animal(low: str) -> bool:
    return not words.ANIMALS.isdisjoint((low, low.removesuffix("s"), low.removesuffix("ies") + "y"))


OBJECTS: dict[str, Callable[[Phrases, int], tuple[list[Name], int]]] = {
    "org": _org,
    "employer": _employer,
    "place": _name,
    "name": _name,
    "names": _names,
    "group": _group,
    "unit": _unit,
    "company": _company,
    "possession": _possession,
    "thing": _thing,
    "bought": _bought,
    "spot": spot,
    "things": _things,
    "task": _task,
    "ticket": _ticket,
    "project": _project,
    "assignee": _assignee,
    "event": _event,
    "role": _role,
    "known_role": _known_role,
    "languages": _languages,
    "animals": animals,
}
