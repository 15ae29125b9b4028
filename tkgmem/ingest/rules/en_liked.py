"""English things that one likes: short activities and nouns that are whole, or none.

"Getting lost in different worlds" is no liking worth a fact, and "action" of "action and sci-fi movies" is half of one.
"""

from __future__ import annotations

from tkgmem.ingest.rules import en_words as words
from tkgmem.ingest.rules.dates import Name
from tkgmem.ingest.rules.en_text import Phrase, Phrases
from tkgmem.ingest.rules.en_verbs import gerund

_SHARED_HEADS = words.closed(
    "movies films books novels games flavors flavours songs shows stories dishes genres sports music cuisine food comics "
    "podcasts classes styles colors colours magazines documentaries literature poetry art tunes wines teas"
)
_NO_KIND = words.closed("old new long short good great bad classic black-and-white early late big small live my your our all")
_LONGEST_LIKED, _LONGEST_LIGHT = 5, 3


def single(phrase: Phrase | None) -> tuple[list[Name], int]:
    """A phrase as a list of one name, or none."""
    return ([phrase[0]], phrase[1]) if phrase else ([], 0)


def things(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    """What one can like or be allergic to, one or more."""
    if phrases.low(index) in words.POSSESSIVES or phrases.low(index) in ("the", "a", "an", "some"):
        return [], 0
    if phrases.low(index) == "to":
        return _doing(phrases, index + 1)
    found, after = phrases.listed(index, phrases.liked)
    return [name for name in _whole_items(found) if not _too_long(name)], after


def _whole_items(found: list[Name]) -> list[Name]:
    """Without what lacks its noun: "action" of "action and sci-fi movies"."""
    last = found[-1].text.lower().split() if found else []
    shared = len(last) > 1 and not last[0].endswith("ing") and last[-1] in _SHARED_HEADS and last[-2] not in _NO_KIND
    found = [name for name in found if not (shared and " " not in name.text and not name.text.endswith(("s", "ing")))]
    return [name for name in found if name.text.split()[0] not in words.LIGHT or 1 < len(name.text.split()) <= _LONGEST_LIGHT]


def _too_long(name: Name) -> bool:
    """Whether an activity is told at more length than one can like: "getting lost in different worlds"."""
    parts = name.text.split()
    return len(parts) > _LONGEST_LIKED and parts[0].endswith("ing")


def _doing(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    """ "to collect stamps": the activity as a gerund, which is no longer in the words of the text."""
    phrase = phrases.activity(index)
    if phrase is None or not phrases.low(index).isalpha() or phrases.low(index) in ("be", "have", "get", "see", "know", "do"):
        return [], 0
    first, _, rest = phrase[0].text.partition(" ")
    doing = Name(f"{gerund(first.lower())} {rest}".strip())
    return _whole_items([doing]) if len(doing.text.split()) <= _LONGEST_LIKED else [], phrase[1]


def favourite(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    """What is named as a favourite: no comparison, no clause, nothing that was pointed at."""
    if phrases.low(index) in words.POSSESSIVES or phrases.low(index) in words.PRONOUNS:
        return [], 0
    if phrases.low(index) in ("a", "an"):
        return [], 0
    if phrases.low(index) == "the":
        return single(phrases.titled(index) or phrases.thing(index))
    return phrases.listed(index, lambda at: phrases.name(at) or phrases.liked(at))


def preferred(phrases: Phrases, index: int) -> tuple[list[Name], int]:
    """What is chosen, without what it is chosen over."""
    if phrases.low(index) == "to":
        return single(phrases.activity(index + 1))
    if not phrases.low(index).endswith("ing"):
        return single(phrases.thing(index))
    found = phrases.activity(index)
    for at in range(index + 1, found[1] if found else index):
        against = phrases.low(at) in ("over", "rather", "than") or (
            phrases.low(at) == "to" and phrases.low(at + 1).endswith("ing")
        )
        if against:
            return [phrases.span(index, at)], at
    return single(found)
