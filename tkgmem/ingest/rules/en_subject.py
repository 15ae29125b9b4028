"""Who an English clause is about: a first person, a relative, a name, a ticket; and what naming them already states."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from tkgmem.ingest.rules import en_words as words
from tkgmem.ingest.rules.dates import Draft, Name
from tkgmem.ingest.rules.en_contact import contact_at
from tkgmem.ingest.rules.en_frames import Subject
from tkgmem.ingest.rules.en_group import group_at
from tkgmem.ingest.rules.en_kin import Context, Relative, kin_drafts, names_behind, relative_at
from tkgmem.ingest.rules.en_kinds import NATIONS
from tkgmem.ingest.rules.en_objects import through
from tkgmem.ingest.rules.en_text import Phrases

_PRONOUNS = frozenset(("i", "we", "they", "it", "who", "he", "she", "you", "this", "that", "there"))
_HAN = re.compile(r"[\u3400-\u9fff·]{2,8}")
_NOBODY = Subject((), "nobody")
_ALIASES = (
    "formerly known as|also known as|better known as|previously known as|known as|aka|a.k.a|formerly|previously|née|alias"
    "|formerly called|previously called|or just|or simply|nicknamed|otherwise known as|short for"
)
_NAMED_AS = ("'s name is", "'s name 's", "is called", "is named", "'s called", "'s named", "was named", "named", "called")


class Opening(NamedTuple):
    """A clause's subject, the token after it, and what it states by itself. done: there is no verb to follow."""

    subject: Subject
    after: int
    drafts: tuple[Draft, ...] = ()
    done: bool = False


def opening_at(phrases: Phrases, index: int, context: Context) -> Opening | None:
    """The subject that begins at a token, or None."""
    low = phrases.low(index)
    if low == "me" and phrases.low(index + 1) == "and" and context.speaker:
        return _with_further(phrases, Opening(_speaking(context), index + 1), context)
    if low in _PRONOUNS:
        return _pronoun(phrases, index, context)
    if low in ("my", "his", "her", "our", "its"):
        owned = _owned(phrases, index + 1, context.owner(low) if low != "its" else None, context)
        return _with_further(phrases, owned, context) if owned else None
    if ticket := phrases.ticket(index):
        if phrases.low(ticket[1]) != "'s":
            context.ticket = ticket[0]
            return Opening(Subject((ticket[0],), "ticket"), ticket[1])
        return None
    return _noted(phrases, index, context) or _named(phrases, index, context) or _definite(phrases, index)


def _noted(phrases: Phrases, index: int, context: Context) -> Opening | None:
    """ "New email: ..."."""
    stated = contact_at(phrases, index, (Name(context.speaker),)) if context.speaker and index == 0 else None
    return Opening(_speaking(context), stated[1], stated[0], done=True) if stated else None


def _speaking(context: Context) -> Subject:
    return Subject((Name(context.speaker),), "person") if context.speaker else _NOBODY


def _pronoun(phrases: Phrases, index: int, context: Context) -> Opening:
    low = phrases.low(index)
    if low in ("he", "she"):
        return _he_or_she(phrases, index, context)
    subject = _NOBODY
    if low in ("i", "we"):
        subject = _speaking(context)
    elif low == "they" and (pair := context.pair()):
        subject = Subject(pair, "name")
    elif low == "it" and context.ticket is not None:
        subject = Subject((context.ticket,), "ticket")
    elif low == "who" and (named := phrases.name_before(index)):
        subject = Subject((named,), "person")
    return Opening(subject, index + 1)


def _he_or_she(phrases: Phrases, index: int, context: Context) -> Opening:
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
    """What is behind "my" or "Ana's": a relative, a pet, a phone number, "name is"."""
    owners = (owner,) if owner else ()
    if stated := contact_at(phrases, index, owners):
        return Opening(Subject(owners, "person"), stated[1], stated[0], done=True)
    if context.unnamed and (begin := through(phrases, index, "name is|name 's")) and (named := phrases.name(begin)):
        held, unnamed = context.unnamed
        context.met(named[0], unnamed.gender)
        drafts = kin_drafts(context, held, unnamed, [named[0]])
        return Opening(Subject((named[0],), "person"), named[1], drafts, done=True)
    relative = relative_at(phrases, index)
    if relative is None:
        return None
    named_as = through(phrases, relative.after, "|".join(_NAMED_AS)) or _is_someone(phrases, relative.after)
    names, after = names_behind(phrases, relative)
    if named_as and (named := phrases.name(named_as)):
        names, after = [named[0]], named[1]
    if not names:
        return _bare(relative, owner, context)
    for name in names:
        context.met(name, relative.gender)
    gone = relative.relation == "HAS_PET" and phrases.low(after) in ("died", "passed")
    if gone:
        named_as, after = after, after + 1
    drafts = tuple(draft for holder in owners for draft in kin_drafts(context, holder, relative, names))
    if len(names) == 1 and phrases.low(after) == "'s" and named_as is None:
        further = _owned(phrases, after + 1, names[0], context)  # "my daughter Mila's boyfriend, Jan"
        return further and further._replace(drafts=(*drafts, *further.drafts))
    if gone:
        drafts = tuple(replace(draft, aspect="end", mood="past", undated=False) for draft in drafts)
    done = named_as is not None and phrases.low(relative.after) not in ("named", "called")
    return Opening(Subject(tuple(names), "person"), after, drafts, done)


def _bare(relative: Relative, owner: Name | None, context: Context) -> Opening:
    """ "my sister": the one who was named, else someone whose name may follow."""
    known = context.kin.get((owner.text, relative.word)) if owner else None
    if owner and not known:
        context.unnamed = (owner, relative)
    return Opening(Subject((known,), "person") if known else _NOBODY, relative.after)


def _is_someone(phrases: Phrases, index: int) -> int | None:
    """ "is Gloria Tan": the index behind "is" where a name and not a nationality follows."""
    if phrases.low(index) not in ("is", "'s", "was"):
        return None
    named = phrases.name(index + 1)
    if not named or phrases.low(index + 1) in (*words.ARTICLES, *NATIONS):
        return None
    closes = phrases.low(named[1]) in (",", ".", "!", ";", ")", "", "and", "—", "–", "-", "…")
    return index + 1 if " " in named[0].text or closes else None


def _with_further(phrases: Phrases, opening: Opening, context: Context) -> Opening:
    """ "... and I", "... and her brother Tom": the further people a clause is about."""
    while not opening.done and phrases.low(opening.after) in ("and", "&"):
        index = opening.after + 1
        low = phrases.low(index)
        if low == "i" and context.speaker:
            further = Opening(_speaking(context), index + 1)
        elif low in ("my", "his", "her", "our") and (owner := context.owner(low)):
            relative = relative_at(phrases, index + 1)
            if relative is None:
                return opening
            names, after = names_behind(phrases, relative)
            if not names:
                return opening
            drafts = kin_drafts(context, owner, relative, names)
            further = Opening(Subject(tuple(names), "person"), after, drafts)
        else:
            return opening
        subject = Subject((*opening.subject.names, *further.subject.names), "person")
        opening = Opening(subject, further.after, (*opening.drafts, *further.drafts))
    return opening


def _named(phrases: Phrases, index: int, context: Context) -> Opening | None:
    found = phrases.titled(index) if phrases.low(index) == "the" else phrases.name(index)
    if not found or phrases.low(index) in ("a", "an"):
        return None
    name, after = found
    if name.text.count(" ") > 3 or phrases.low(index) in words.POSSESSIVES:
        return None  # a heading that runs into the sentence
    if phrases.low(after) == "'s":
        owned = _owned(phrases, after + 1, name, context)
        if owned:
            if owned.done or not owned.subject.names:
                context.met(name)
            return owned
    aliases: tuple[Draft, ...] = ()
    names = [name]
    if appositive := _also_known(phrases, after, name):
        aliases, after = appositive
    while further := _next_name(phrases, after):
        names.append(further[0])
        after = further[1]
    for each in names:
        context.met(each)
    opening = Opening(Subject(tuple(names), "name"), after, aliases)
    return _with_further(phrases, opening, context) if len(names) == 1 else opening


def _next_name(phrases: Phrases, index: int) -> tuple[Name, int] | None:
    """ ", Gareth", " and Simone", ", and Bo"."""
    begin = index + (phrases.low(index) == ",")
    begin += phrases.low(begin) in ("and", "&")
    if begin == index or phrases.low(begin) == "the" or phrases.low(begin) in words.PRONOUNS | words.POSSESSIVES:
        return None
    return phrases.name(begin)


def _also_known(phrases: Phrases, index: int, name: Name) -> tuple[tuple[Draft, ...], int] | None:
    """ ", formerly known as Project Wren,"."""
    opened = phrases.low(index) in (",", "(", "-", "–", "—")
    begin = through(phrases, index + opened, _ALIASES)
    if phrases.low(index) == "(" and phrases.low(index + 2) == ")" and _HAN.fullmatch(phrases.low(index + 1)):
        return (Draft(name, "ALSO_KNOWN_AS", phrases.span(index + 1, index + 2), "state", "now", undated=True),), index + 3
    if begin is None or not (opened or phrases.low(index) in ("aka", "a.k.a", "alias")):
        return None
    if not (other := phrases.name(begin)):
        return None
    draft = Draft(name, "ALSO_KNOWN_AS", other[0], "state", "now", undated=True)
    return (draft,), other[1] + (phrases.low(other[1]) in (",", ")", "-", "–", "—"))


def _definite(phrases: Phrases, index: int) -> Opening | None:
    """ "The grant audit": a thing that may be assigned, located or part of something."""
    thing = phrases.thing(index + 1, subject=True) if phrases.low(index) == "the" else None
    return Opening(Subject((thing[0],), "thing"), thing[1]) if thing else None


def tells(phrases: Phrases, begin: int, colon: int, context: Context) -> bool:
    """Whether a clause about someone stands before a colon: "Bo became a father last week: ..."."""
    opening = opening_at(phrases, begin, context)
    person = opening is not None and opening.subject.kind in ("person", "name") and opening.after < colon
    return person and opening is not None and group_at(phrases, opening.after) is not None
