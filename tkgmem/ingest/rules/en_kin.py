"""English relatives and pets: "my sister Ilka", "her two cats, Pip and Moss", wherever in a sentence they are named.

Naming one states the tie whatever the sentence says of it; a later bare "my sister" is the one who was named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tkgmem.ingest.rules import en_words as words
from tkgmem.ingest.rules.dates import Draft, Name
from tkgmem.ingest.rules.en_kinds import NATIONS
from tkgmem.ingest.rules.en_text import Phrase, Phrases

_BYGONE = words.closed("died passed lost miss missed late childhood used kid rehomed growing had was were")
_CLOSING = frozenset((",", ".", ")", "!", ";", ":", "-", "–", "—", "", "…"))
_BREEDS_DEEP = 3


class Relative(NamedTuple):
    """A relative or an animal behind a possessive. word: in the singular; after: the token behind it."""

    relation: str
    gender: str
    word: str
    after: int
    plural: bool = False


@dataclass
class Context:
    """Who was named so far in a text: what a pronoun or a bare "my sister" may point to."""

    speaker: str | None
    people: dict[str, Name] = field(default_factory=dict)
    others: dict[str, Name] = field(default_factory=dict)
    genders: dict[str, str] = field(default_factory=dict)
    ticket: Name | None = None
    job: bool = False
    stated: set[str] = field(default_factory=set)
    kin: dict[tuple[str, str], Name | None] = field(default_factory=dict)
    unnamed: tuple[Name, Relative] | None = None
    begin: int = 0

    def referent(self, pronoun: str, before: int | None = None) -> Name | None:
        """The one person a pronoun can mean; None when several or none were named, as far as `before` in the content."""
        earlier = [name for name in self.people.values() if before is None or name.start < before]
        people = [name for name in earlier if self.genders.get(name.text, pronoun) in ("", pronoun)]
        rivals = [name for text, name in self.others.items() if text not in self.people]
        rivals = [name for name in rivals if before is None or name.start < before]
        told = [name for name in people if self.genders.get(name.text) == pronoun]
        here = [name for name in people if name.start >= self.begin]
        if len(told) == 1 and len(people) == len(earlier) and not rivals:
            return told[0]
        if len(here) == 1 and not any(name.start >= self.begin for name in rivals):
            return here[0]
        return people[0] if len(people) == 1 and not rivals else None

    def pair(self) -> tuple[Name, ...]:
        """The two people "they" can mean; empty when it was not exactly two that were named."""
        everyone = {**self.others, **self.people}
        return tuple(sorted(everyone.values(), key=lambda name: name.start)) if len(everyone) == 2 else ()

    def met(self, name: Name, gender: str = "") -> None:
        """Someone was named as the one a clause is about."""
        self.people[name.text] = name
        if gender:
            self.genders[name.text] = gender

    def owner(self, low: str, before: int | None = None) -> Name | None:
        """Who "my", "our", "his" or "her" stands for; `before`: where in the content the word is."""
        if low in ("my", "our"):
            return Name(self.speaker) if self.speaker else None
        gender = "he" if low == "his" else "she"
        found = self.referent(gender, before)
        if found is not None:
            self.genders.setdefault(found.text, gender)
        return found

    def learners(self) -> frozenset[str]:
        """The children who were named."""
        young = ("daughter", "son", "child", "kid")
        return frozenset(name.text for (_, word), name in self.kin.items() if name and word in young)

    def introduce(self, owner: Name, relative: Relative, name: Name) -> Draft:
        """A relative is named: the tie it states. Two of one word leave a later bare one unclear."""
        key = (owner.text, relative.word)
        known = self.kin.setdefault(key, name)
        if known is not None and known.text != name.text:
            self.kin[key] = None
        return kin_draft(owner, relative.relation, name)


def kin_drafts(context: Context, owner: Name, relative: Relative, names: Sequence[Name]) -> tuple[Draft, ...]:
    """The ties that naming someone's relatives states; a cousin or colleague is known but states none."""
    stated = tuple(context.introduce(owner, relative, name) for name in names)
    return stated if relative.relation else ()


def kin_draft(owner: Name, relation: str, name: Name) -> Draft:
    """ "my sister Ilka"; a relation with ~ runs from the relative to the owner."""
    if relation.startswith("~"):
        return Draft(name, relation[1:], owner, "state", "now", undated=True)
    return Draft(owner, relation, name, "state", "now", undated=True)


def relative_at(phrases: Phrases, index: int) -> Relative | None:
    """The relative or animal that stands behind a possessive."""
    start = index
    ties = True
    while (phrases.low(index) in words.KIN_QUALIFIERS and not _last_kin(phrases, index)) or (
        phrases.low(index) in words.COUNTS - words.ARTICLES
    ):
        ties &= phrases.low(index) not in ("old", "first")
        index += 1
    low = phrases.low(index)
    singular = words.KIN_PLURALS.get(low, low)
    if kin := words.KIN.get(singular):
        lasting = ties or kin[0] in ("SIBLING_OF", "FRIEND_OF", "PARENT_OF", "~PARENT_OF", "")
        return Relative(*kin, singular, index + 1, singular != low) if lasting else None
    return animal_at(phrases, start)


def _last_kin(phrases: Phrases, index: int) -> bool:
    """Whether "twin" is the relative and not what kind of brother one is."""
    alone = not phrases.low(index + 1).isalpha() or phrases.name(index + 1) is not None
    return phrases.low(index) in words.KIN and alone


def animal_at(phrases: Phrases, index: int) -> Relative | None:
    """An animal, with up to three words before it ("two rescue dogs")."""
    for at in range(index, index + 1 + _BREEDS_DEEP):
        low = phrases.low(at)
        if is_animal(low) and not (is_animal(phrases.low(at + 1)) and phrases.low(at + 1).isalpha()):
            return Relative("HAS_PET", "", _singular(low), at + 1, low not in words.ANIMALS)
        if not low.isalpha() or low in words.PHRASE_END or low in words.ADVERBS or (at > index and low in words.ARTICLES):
            return None
    return None


def is_animal(low: str) -> bool:
    """Whether a word, in the singular or plural, is an animal one keeps."""
    return _singular(low) in words.ANIMALS


def _singular(low: str) -> str:
    for singular in (low, low.removesuffix("s"), low.removesuffix("es"), low.removesuffix("ies") + "y"):
        if singular in words.ANIMALS:
            return singular
    return low


def names_behind(phrases: Phrases, relative: Relative) -> tuple[list[Name], int]:
    """The names that follow a relative: "Ilka", ", Ilka,", "named Max", "Max and Moss" of several."""
    begin = relative.after
    mark = phrases.low(begin)
    if mark in (",", ":", "(", "-", "–", "—", "called", "named"):
        begin += 1
    if phrases.low(begin) in words.ARTICLES:
        return [], relative.after
    if relative.plural:
        names, after = phrases.listed(begin, lambda at: _aged(phrases, at))
    else:
        named = phrases.name(begin)
        names, after = ([named[0]], named[1]) if named else ([], begin)
    if not names or any(name.text.lower() in NATIONS or name.text.isupper() for name in names):
        return [], relative.after
    if mark in (",", "-", "–", "—") and not relative.plural:
        closes = phrases.low(after) in _CLOSING and not (phrases.low(after) == "," and phrases.low(after + 1) == "and")
        if not closes:
            return [], relative.after
    closed = mark in (",", "(") and phrases.low(after) in (",", ")")
    return names, after + closed


def _aged(phrases: Phrases, index: int) -> Phrase | None:
    """ "Tuva (7)"."""
    named = phrases.name(index)
    aged = named and phrases.low(named[1]) == "(" and phrases.low(named[1] + 1).isdigit() and phrases.low(named[1] + 2) == ")"
    return (named[0], named[1] + 3) if named and aged else named


def mentions(phrases: Phrases, context: Context) -> list[Draft]:
    """The ties that a sentence states by naming someone's relative or pet; also a pet without a name ("my dog")."""
    found: list[Draft] = []
    for index, token in enumerate(phrases.tokens):
        if (nickname := phrases.nickname(index)) and (whole := _around(phrases, index)):
            found.append(Draft(whole, "ALSO_KNOWN_AS", nickname, "state", "now", undated=True))
        if token.low not in ("my", "our", "his", "her"):
            continue
        owner = context.owner(token.low, token.start)
        relative = relative_at(phrases, index + 1) if owner else None
        if owner is None or relative is None:
            continue
        names, _ = names_behind(phrases, relative)
        found += kin_drafts(context, owner, relative, names)
        if not names and relative.relation == "HAS_PET" and _kept_still(phrases, context, owner, relative, token.low):
            first = index + 1 + (phrases.low(index + 1) in words.COUNTS | words.KIN_QUALIFIERS)
            found.append(Draft(owner, "HAS_PET", phrases.span(first, relative.after), "state", "now", undated=True))
    return found


def _around(phrases: Phrases, index: int) -> Name | None:
    """The whole name in which a nickname stands."""
    first = index - 1
    while first > 0 and phrases.tokens[first - 1].capital and phrases.name(first - 1):
        first -= 1
    named = phrases.name(first)
    return named[0] if named and named[1] > index else None


def _kept_still(phrases: Phrases, context: Context, owner: Name, relative: Relative, whose: str) -> bool:
    """Whether an animal without a name is said to be someone's own, now: not "my dog walker", not one that died."""
    following = phrases.low(relative.after)
    alone = not following.isalpha() or following in words.PHRASE_END or phrases.finite(following)
    known = (owner.text, relative.word) in context.kin
    return whose in ("my", "our") and alone and not known and not any(token.low in _BYGONE for token in phrases.tokens)
