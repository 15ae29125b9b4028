"""Who an English clause is about: a first person, a relative, a name, a ticket; and what naming a relative already states."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from tkgmem.ingest.rules import en_words as words
from tkgmem.ingest.rules.dates import Draft, Name
from tkgmem.ingest.rules.en_frames import Subject, kin_draft
from tkgmem.ingest.rules.en_objects import through
from tkgmem.ingest.rules.en_text import Phrases

_NOBODY = Subject((), "nobody")


@dataclass
class Context:
    """Who was named so far in a text: what a pronoun may point to."""

    speaker: str | None
    people: dict[str, Name] = field(default_factory=dict)
    others: dict[str, Name] = field(default_factory=dict)
    genders: dict[str, str] = field(default_factory=dict)
    ticket: Name | None = None
    pet: Name | None = None
    job: bool = False

    def referent(self, pronoun: str) -> Name | None:
        """The one person a pronoun can mean; None when several or none were named."""
        if len(self.people) != 1 or self.others.keys() - self.people.keys():
            return None
        (name,) = self.people.values()
        return name if self.genders.get(name.text, pronoun) in ("", pronoun) else None

    def met(self, name: Name, gender: str = "") -> None:
        """Someone was named as the one a clause is about."""
        self.people[name.text] = name
        if gender:
            self.genders[name.text] = gender


class Opening(NamedTuple):
    """A clause's subject, the token after it, and what it states by itself. done: there is no verb to follow."""

    subject: Subject
    after: int
    drafts: tuple[Draft, ...] = ()
    done: bool = False


def opening_at(phrases: Phrases, index: int, context: Context) -> Opening | None:
    """The subject that begins at a token, or None."""
    low = phrases.low(index)
    if low in ("i", "we", "you", "they", "it", "who", "this", "that", "there"):
        speaks = low == "i" and context.speaker is not None
        subject = Subject((Name(context.speaker or ""),), "person") if speaks else _NOBODY
        return Opening(subject, index + 1)
    if low in ("he", "she"):
        return _pronoun(phrases, index, context)
    if low in ("my", "his", "her"):
        return _owned(phrases, index + 1, _owner(low, context), context)
    if ticket := phrases.ticket(index):
        context.ticket = ticket[0]
        return Opening(Subject((ticket[0],), "ticket"), ticket[1])
    return _named(phrases, index, context) or _definite(phrases, index)


def _owner(low: str, context: Context) -> Name | None:
    if low == "my":
        return Name(context.speaker) if context.speaker is not None else None
    return context.referent("he" if low == "his" else "she")


def _pronoun(phrases: Phrases, index: int, context: Context) -> Opening:
    """ "she", "he (Vikram, that is)"."""
    if phrases.low(index + 1) == "(" and (named := phrases.name(index + 2)):
        after = named[1]
        while after < min(len(phrases.tokens), named[1] + 5) and phrases.low(after) != ")":
            after += 1
        if phrases.low(after) == ")":
            known = [name for name in {**context.others, **context.people}.values() if name.text.split()[0] == named[0].text]
            return Opening(Subject((known[0] if len(known) == 1 else named[0],), "person"), after + 1)
    found = context.referent(phrases.low(index))
    return Opening(Subject((found,), "person") if found else _NOBODY, index + 1)


def _owned(phrases: Phrases, index: int, owner: Name | None, context: Context) -> Opening | None:
    """What is behind "my" or "Ana's": a relative, a pet, a phone number."""
    owners = (owner,) if owner else ()
    if stated := _contact(phrases, index, owners):
        return stated
    while phrases.low(index) in words.KIN_QUALIFIERS:
        index += 1
    low = phrases.low(index)
    kin = words.KIN.get(low)
    if kin is None and low not in words.ANIMALS:
        return None
    relation, gender = kin or ("HAS_PET", "")
    after = index + 1 + (phrases.low(index + 1) == "," and phrases.name(index + 2) is not None and kin is not None)
    for linking in ("'s name is", "is called", "is named", "'s called"):
        if begin := through(phrases, after, linking):
            named = phrases.name(begin)
            return _introduced(named, owners, relation, gender, context, done=True) if named else None
    named = phrases.name(after + 1) if phrases.low(after) in ("is", "'s") else None
    if named and " " in named[0].text:
        return _introduced(named, owners, relation, gender, context, done=True)
    named = phrases.name(after)
    if named and phrases.low(after) in ("the", "a", "an"):
        named = None
    if named is None:
        return Opening(_NOBODY, after)
    skip = phrases.low(index + 1) == "," and phrases.low(named[1]) == ","
    return _introduced((named[0], named[1] + skip), owners, relation, gender, context, done=False)


def _introduced(
    named: tuple[Name, int], owners: tuple[Name, ...], relation: str, gender: str, context: Context, *, done: bool
) -> Opening:
    name, after = named
    context.met(name, gender)
    drafts = tuple(kin_draft(owner, relation, name) for owner in owners)
    return Opening(Subject((name,), "person"), after, drafts, done)


def _contact(phrases: Phrases, index: int, owners: tuple[Name, ...]) -> Opening | None:
    """ "email is", "phone number is", "birthday is", "nickname is"."""
    index += phrases.low(index) in ("new", "work", "personal", "current", "mobile", "cell", "home")
    for opening, relation in (
        ("email address is|email is|e-mail is|email address 's|email 's", "EMAIL_IS"),
        ("phone number is|phone is|number is|mobile is|mobile number is|cell is|phone number 's|cell number is", "PHONE_IS"),
        ("birthday is|birthday 's|birthday falls", "BIRTHDAY_ON"),
        ("nickname is|nickname 's", "ALSO_KNOWN_AS"),
    ):
        begin = through(phrases, index, opening)
        if begin is None or begin >= len(phrases.tokens):
            continue
        target = _contact_value(phrases, begin, relation)
        if target is None:
            return None
        drafts = tuple(Draft(owner, relation, target, "state", "now") for owner in owners)
        return Opening(Subject(owners, "person"), begin + 1, drafts, done=True)
    return None


def _contact_value(phrases: Phrases, index: int, relation: str) -> Name | None:
    token = phrases.tokens[index]
    if relation == "BIRTHDAY_ON":
        when = token.when
        named = when is not None and when.role == "point" and any(char.isdigit() for char in when.text)
        return Name(when.text, when.start, when.end) if when and named and when.precision == "day" else None
    if relation == "EMAIL_IS":
        return phrases.span(index, index + 1) if "@" in token.text[1:] else None
    if relation == "PHONE_IS":
        return (
            phrases.span(index, index + 1) if token.when is None and sum(char.isdigit() for char in token.text) >= 5 else None
        )
    named_as = phrases.name(index)
    return named_as[0] if named_as else None


def _named(phrases: Phrases, index: int, context: Context) -> Opening | None:
    found = phrases.name(index)
    if not found or phrases.low(index) in ("a", "an"):
        return None
    name, after = found
    if name.text.count(" ") > 3:
        return None  # a heading that runs into the sentence
    if phrases.low(after) == "'s":
        owned = _owned(phrases, after + 1, name, context)
        if owned:
            context.met(name)
            return owned
    aliases: tuple[Draft, ...] = ()
    names = [name]
    if appositive := _also_known(phrases, after, name):
        aliases, after = appositive
    while phrases.low(after) in ("and", ",", "&") and (further := phrases.name(after + 1)) and phrases.low(after + 1) != "the":
        names.append(further[0])
        after = further[1]
    for each in names:
        context.met(each)
    return Opening(Subject(tuple(names), "name"), after, aliases)


def _also_known(phrases: Phrases, index: int, name: Name) -> tuple[tuple[Draft, ...], int] | None:
    """ ", formerly known as Project Wren,"."""
    opened = phrases.low(index) in (",", "(")
    begin = through(phrases, index + opened, "formerly known as|also known as|better known as|previously known as|aka|formerly")
    if not opened or begin is None or not (other := phrases.name(begin)):
        return None
    return (Draft(name, "ALSO_KNOWN_AS", other[0], "state", "now"),), other[1] + (phrases.low(other[1]) in (",", ")"))


def _definite(phrases: Phrases, index: int) -> Opening | None:
    """ "The grant audit": a thing that may be assigned, located or part of something."""
    thing = phrases.thing(index + 1) if phrases.low(index) == "the" else None
    return Opening(Subject((thing[0],), "thing"), thing[1]) if thing else None
