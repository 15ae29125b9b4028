"""English verbs of being and having: roles, relatives, friends, pets, allergies, the state of a ticket."""

from __future__ import annotations

import re

from tkgmem.ingest.rules import en_words as words
from tkgmem.ingest.rules.dates import Aspect, Draft, Name
from tkgmem.ingest.rules.en_frames import Frame, Handler, Result, Said, Subject, apply, copula, every, kin_draft
from tkgmem.ingest.rules.en_group import Group
from tkgmem.ingest.rules.en_objects import animals, is_place, through
from tkgmem.ingest.rules.en_text import Phrases
from tkgmem.ingest.rules.en_tickets import status_at

_ALLERGY = "an allergy to|a severe allergy to|a bad allergy to|a mild allergy to|allergies to"
_COUPLED: dict[str, tuple[str, Aspect]] = {
    "marry": ("MARRIED_TO", "start"),
    "divorce": ("MARRIED_TO", "end"),
    "date": ("DATING", "state"),
    "break": ("DATING", "end"),
    "split": ("DATING", "end"),
}
_BOUND = (
    ("friends|good friends|best friends|close friends|old friends", "FRIEND_OF"),
    ("married", "MARRIED_TO"),
    ("siblings|sisters|brothers|twins", "SIBLING_OF"),
)


def _have(said: Said) -> Result | None:
    phrases, group, subject, _ = said
    index = group.after
    found, after = animals(phrases, index)
    if found:
        return every(subject, "HAS_PET", found, "state", group.mood), after
    begin = through(
        phrases, index, "an allergy to|a allergy to|a severe allergy to|a bad allergy to|allergies to|a nut allergy to"
    )
    if begin is not None:
        return apply(phrases, group._replace(after=begin), subject, (Frame("", "things", "ALLERGIC_TO", "state"),))
    if kin := _kin_named(phrases, index):
        relation, name, after = kin
        return [kin_draft(owner, relation, name) for owner in subject.names], after
    thing = phrases.thing(index) if phrases.low(index) in ("a", "an") else None
    if thing and phrases.low(thing[1] - 1) in words.OWNED:
        return every(subject, "OWNS", [thing[0]], "state", group.mood), thing[1]
    return None


def _kin_named(phrases: Phrases, index: int) -> tuple[str, Name, int] | None:
    index += phrases.low(index) in words.COUNTS
    while phrases.low(index) in words.KIN_QUALIFIERS:
        index += 1
    kin = words.KIN.get(phrases.low(index))
    index += 1 + (phrases.low(index + 1) == ",")
    if not kin or phrases.low(index) not in ("named", "called") or not (named := phrases.name(index + 1)):
        return None
    return kin[0], *named


def _be(said: Said) -> Result | None:
    phrases, group, subject, _ = said
    if subject.kind in ("ticket", "thing"):
        return _be_in_state(phrases, group, subject) or copula(phrases, group, subject)
    found = copula(phrases, group, subject)
    if found or subject.kind == "nobody":
        return found
    return _friends(phrases, group, subject) or _be_role(phrases, group, subject)


def _be_in_state(phrases: Phrases, group: Group, subject: Subject) -> Result | None:
    state = status_at(phrases, group.after)
    if not state or subject.kind != "ticket":
        return None
    return every(subject, "HAS_STATUS", [state[0]], "state", group.mood), state[1]


def _friends(phrases: Phrases, group: Group, subject: Subject) -> Result | None:
    if len(subject.names) != 2:
        return None
    first, second = subject.names
    for words_, relation in (
        ("friends|good friends|best friends|close friends|old friends", "FRIEND_OF"),
        ("married", "MARRIED_TO"),
        ("siblings|sisters|brothers|twins", "SIBLING_OF"),
    ):
        if (after := through(phrases, group.after, words_)) is not None:
            return [Draft(first, relation, second, "state", group.mood)], after
    return None


def _be_role(phrases: Phrases, group: Group, subject: Subject) -> Result | None:
    if phrases.low(group.after) == "the" and subject.kind == "person":
        return None
    role = phrases.role(group.after, known=True)
    if not role or phrases.low(role[1]) == "'s":
        return None
    drafts, after = every(subject, "HAS_ROLE", [role[0]], "state", group.mood), role[1]
    if phrases.low(after) in ("at", "for", "with") and (org := phrases.titled(after + 1)) and not is_place(org[0].text):
        drafts += every(subject, "WORKS_AT", [org[0]], "state", group.mood)
        after = org[1]
    return drafts, after


def _couple(said: Said) -> Result | None:
    """ "Ana and Bo got married", "are dating", "broke up"."""
    phrases, group, subject, _ = said
    relation, aspect = _COUPLED[group.lemma]
    parted = group.lemma in ("break", "split")
    if len(subject.names) != 2 or phrases.name(group.after) or (parted and phrases.low(group.after) != "up"):
        return None
    if group.voice == "passive" and group.mood == "now" and aspect == "start":
        aspect = "state"
    mood = "now" if group.mood == "going" else group.mood
    return [Draft(subject.names[0], relation, subject.names[1], aspect, mood)], group.after + parted


def _born(said: Said) -> Result | None:
    """ "was born on 3 May 1990": the birthday as written."""
    phrases, group, subject, _ = said
    token = phrases.tokens[group.after] if group.after < len(phrases.tokens) else None
    when = token.when if token else None
    if group.voice != "passive" or when is None or when.precision != "day" or not re.search(r"\d", when.text):
        return None
    day = Name(when.text, when.start, when.end)
    return every(subject, "BIRTHDAY_ON", [day], "state", "now"), group.after + 1


TIES: dict[str, Handler] = {"have": _have, "be": _be, "bear": _born, **dict.fromkeys(_COUPLED, _couple)}
"""By verb."""
