"""English verbs of being and having: roles, relatives, friends, pets, allergies, the state of a ticket."""

from __future__ import annotations

from tkgmem.ingest.rules import en_words as words
from tkgmem.ingest.rules.dates import Aspect, Draft, Name
from tkgmem.ingest.rules.en_contact import birthday
from tkgmem.ingest.rules.en_frames import Frame, Handler, Result, Said, Subject, apply, every
from tkgmem.ingest.rules.en_group import Group
from tkgmem.ingest.rules.en_kin import kin_draft, names_behind, relative_at
from tkgmem.ingest.rules.en_kinds import is_org, is_project
from tkgmem.ingest.rules.en_objects import animals, through
from tkgmem.ingest.rules.en_places import is_place
from tkgmem.ingest.rules.en_table import copula
from tkgmem.ingest.rules.en_text import Phrases
from tkgmem.ingest.rules.en_tickets import is_task, status_at

_ALLERGY = "|".join(
    f"{how} to"
    for how in ("an allergy", "a severe allergy", "a bad allergy", "a mild allergy", "allergies", "severe allergies")
)
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
    ("siblings|sisters|brothers|twins|brother and sister|twin sisters|twin brothers", "SIBLING_OF"),
    ("husband and wife|wife and husband|spouses|newlyweds|married to each other", "MARRIED_TO"),
    ("a couple|dating|in a relationship|together|engaged", "DATING"),
)


def _have(said: Said) -> Result | None:
    phrases, group, subject = said[:3]
    index = group.after
    found, after = animals(phrases, index)
    if found:
        return every(subject, "HAS_PET", found, "state", group.mood), after
    begin = through(phrases, index, _ALLERGY)
    if begin is not None:
        return apply(phrases, group._replace(after=begin), subject, (Frame("", "things", "ALLERGIC_TO", "state"),))
    seat = through(
        phrases, index, "its headquarters in|its head office in|its offices in|its base in|its main office in|offices in"
    )
    if seat and (city := phrases.name(seat)):
        return every(subject, "LOCATED_IN", [city[0]], "state", group.mood), city[1]
    kin: list[Draft] = []
    while found_kin := _kin_named(phrases, index):
        relation, names, index = found_kin
        kin += [kin_draft(owner, relation, name) for owner in subject.names for name in names]
        after = index
        index += phrases.low(index) == ","
        index += phrases.low(index) == "and"
    if kin:
        return kin, after
    if allergic := _named_allergy(phrases, index):
        return every(subject, "ALLERGIC_TO", [allergic[0]], "state", group.mood), allergic[1]
    return _belonging(phrases, group, subject)


def _belonging(phrases: Phrases, group: Group, subject: Subject) -> Result | None:
    """ "has a narrowboat", "have two bikes": only what one owns for long."""
    index = group.after
    gone = group.mood == "over" and phrases.low(index) in {"the", *words.POSSESSIVES}  # "no longer have the caravan"
    thing = phrases.thing(index) if gone or phrases.low(index) in ("a", "an", "two", "three") else None
    last = phrases.low(thing[1] - 1) if thing else ""
    if thing and (last in words.OWNED or (last.removesuffix("s") in words.OWNED and phrases.low(index) != "a")):
        return every(subject, "OWNS", [thing[0]], "state", group.mood), thing[1]
    return None


def _kin_named(phrases: Phrases, index: int) -> tuple[str, list[Name], int] | None:
    """ "a daughter named Posy", "two sons, Max and Eli"."""
    if phrases.low(index) not in words.COUNTS:
        return None
    relative = relative_at(phrases, index + 1)
    if not relative or relative.relation in ("HAS_PET", ""):
        return None
    names, after = names_behind(phrases, relative)
    if not names and phrases.low(relative.after) == "," and (named := phrases.name(relative.after + 1)):
        further = phrases.at(named[1], ",", "and") and phrases.low(named[1] + 2) in words.COUNTS
        names, after = ([named[0]], named[1]) if further else (names, after)
    return (relative.relation, names, after) if names else None


def _named_allergy(phrases: Phrases, index: int) -> tuple[Name, int] | None:
    """ "a peanut allergy", "a severe latex allergy"."""
    if phrases.low(index) not in ("a", "an"):
        return None
    index += 1 + (
        phrases.low(index + 1) in ("severe", "bad", "mild", "serious", "strong", "slight", "terrible", "life-threatening")
    )
    if phrases.low(index + 1) in ("allergy", "intolerance") and phrases.low(index).isalpha():
        return phrases.span(index, index + 1), index + 2
    return None


def _be(said: Said) -> Result | None:
    phrases, group, subject = said[:3]
    if subject.kind in ("ticket", "thing") or (subject.kind == "name" and all(is_project(name.text) for name in subject.names)):
        return _be_in_state(phrases, group, subject) or copula(phrases, group, subject)
    found = copula(phrases, group, subject)
    if found or subject.kind == "nobody":
        return found
    return _whereabouts(said) or _friends(phrases, group, subject) or _be_role(phrases, group, subject)


def _whereabouts(said: Said) -> Result | None:
    """ "she's at Nightjar Books now" after a job was spoken of, "we've been in Breda since 2023"."""
    phrases, group, subject = said[:3]
    low = phrases.low(group.after)
    dated = any(token.when is not None for token in phrases.tokens)
    if (
        low == "in"
        and group.mood == "plan"
        and dated
        and (city := phrases.name(group.after + 1))
        and not city[0].text.isupper()
    ):
        return every(subject, "VISITED", [city[0]], "point", "plan"), city[1]
    place = phrases.titled(group.after + 1) if low in ("at", "in") and group.mood == "now" else None
    if place is None:
        return None
    name, after = place
    if low == "at":
        employed = (said.job or is_org(name.text)) and (said.job or phrases.low(after) == "now") and not is_place(name.text)
        return (every(subject, "WORKS_AT", [name], "state", "now"), after) if employed else None
    since = any(token.when is not None and token.when.role == "since" for token in phrases.tokens)
    fit = since and not is_org(name.text) and not name.text.isupper()
    return (every(subject, "LIVES_IN", [name], "state", "now"), after) if fit else None


def _be_in_state(phrases: Phrases, group: Group, subject: Subject) -> Result | None:
    state = status_at(phrases, group.after)
    task = is_task(subject)
    if not state or not task or phrases.low(state[1]) in words.POSSESSIVES | words.ARTICLES:
        return None
    # "was closed last Thursday" tells when it began, "was in review in May" how long it held.
    reached = group.mood == "past" and state[0].text.lower().endswith(("ed", "done"))
    return every(subject, "HAS_STATUS", [state[0]], "start" if reached else "state", group.mood), state[1]


def _friends(phrases: Phrases, group: Group, subject: Subject) -> Result | None:
    if len(subject.names) != 2:
        return None
    first, second = subject.names
    for words_, relation in _BOUND:
        if (after := through(phrases, group.after, words_)) is not None:
            return [Draft(first, relation, second, "state", group.mood)], after
    return None


def _be_role(phrases: Phrases, group: Group, subject: Subject) -> Result | None:
    role = phrases.role(group.after, known=True)
    if not role or phrases.low(role[1]) == "'s":
        return None
    placed = phrases.low(role[1]) in ("at", "for", "of") and phrases.titled(role[1] + 1)
    if phrases.low(group.after) == "the" and subject.kind == "person" and not placed:
        return None
    if phrases.low(role[1] - 1) in words.LEARNERS:
        return _learns(phrases, group, subject, role[1])
    drafts, after = every(subject, "HAS_ROLE", [role[0]], "state", group.mood), role[1]
    if phrases.low(after) in ("at", "for", "with") and (org := phrases.titled(after + 1)) and not is_place(org[0].text):
        drafts += every(subject, "WORKS_AT", [org[0]], "state", group.mood)
        after = org[1]
    return drafts, after


def _learns(phrases: Phrases, group: Group, subject: Subject, index: int) -> Result | None:
    """ "is a doctoral student at Aurland University"."""
    school = phrases.titled(index + 1) if phrases.low(index) in ("at", "of") else None
    if not school:
        return None
    over = group.mood in ("past", "over")
    relation = "STUDIED_AT" if over else "STUDIES_AT"
    return every(subject, relation, [school[0]], "stint" if over else "state", "past" if over else group.mood), school[1]


def _couple(said: Said) -> Result | None:
    """ "Ana and Bo got married", "are dating", "broke up"."""
    phrases, group, subject = said[:3]
    relation, aspect = _COUPLED[group.lemma]
    parted = group.lemma in ("break", "split")
    if len(subject.names) != 2 or phrases.name(group.after) or (parted and phrases.low(group.after) != "up"):
        return None
    if group.voice == "passive" and group.mood == "now" and aspect == "start":
        aspect = "state"
    mood = "now" if group.mood == "going" and aspect == "state" else group.mood
    return [Draft(subject.names[0], relation, subject.names[1], aspect, mood)], group.after + parted


def born(said: Said) -> Result | None:
    """ "was born on 3 May 1990": the birthday as written."""
    phrases, group, subject = said[:3]
    if group.voice != "passive":
        return None
    drafts: list[Draft] = []
    index = group.after
    if day := birthday(phrases, index):
        drafts += every(subject, "BIRTHDAY_ON", [day], "state", "now")
        index += 1
    born = apply(phrases, group._replace(after=index), subject, (Frame("in", "place", "BORN_IN", "point"),))
    if born:
        drafts += born[0]
        index = born[1]
        if not day and (day := birthday(phrases, index)):
            drafts += every(subject, "BIRTHDAY_ON", [day], "state", "now")
    return (drafts, index) if drafts else None


def _celebrate(said: Said) -> Result | None:
    """ "celebrates her birthday on 9 March"."""
    phrases, group, subject = said[:3]
    begin = through(phrases, group.after, "her birthday|his birthday|my birthday|a birthday|birthdays")
    day = birthday(phrases, begin) if begin else None
    return (every(subject, "BIRTHDAY_ON", [day], "state", "now"), begin + 1) if begin and day and group.mood == "now" else None


TIES: dict[str, Handler] = {
    "have": _have,
    "be": _be,
    "bear": born,
    "celebrate": _celebrate,
    **dict.fromkeys(_COUPLED, _couple),
}
"""By verb."""
