"""What stands beside an English name: ", our lead at Northwind,", ", Bo's sister,", "is my favourite", and who that makes one.

An aside that is not understood is passed over when a verb follows it; it is never read as a date of the clause around it.
"""

from __future__ import annotations

from dataclasses import replace

from tkgmem.ingest.rules import en_words as words
from tkgmem.ingest.rules.dates import Draft, Name
from tkgmem.ingest.rules.en_frames import Result, Said, Subject, every
from tkgmem.ingest.rules.en_group import Group, group_at, undeclared
from tkgmem.ingest.rules.en_kin import Context, kin_draft, relative_at
from tkgmem.ingest.rules.en_places import is_place
from tkgmem.ingest.rules.en_text import Phrase, Phrases
from tkgmem.ingest.rules.en_ties import born

_OPENED = {",": (",",), "(": (")",), "–": ("–",), "—": ("—",), "-": ("-",)}
_LONGEST = 12
_DETERMINERS = words.ARTICLES | words.POSSESSIVES
_BYGONE = words.FORMERLY | {"former", "ex", "late", "then"}


def aside_at(phrases: Phrases, index: int, name: Name, context: Context) -> tuple[tuple[Draft, ...], int] | None:
    """What ", our lead at Northwind," states of the name before it, and the token behind it; None if no verb follows."""
    closing = _OPENED.get(phrases.low(index))
    if closing is None or not _begins(phrases, index + 1):
        return None
    end = next((at for at in range(index + 2, min(index + _LONGEST, len(phrases.tokens))) if phrases.low(at) in closing), None)
    if end is None or group_at(phrases, end + 1) is None:
        return None
    if any(phrases.tokens[at].low in words.OPAQUE or phrases.low(at) == ";" for at in range(index + 1, end)):
        return None
    return tuple(_stated(phrases, index + 1, name, context)), end + 1


def _begins(phrases: Phrases, index: int) -> bool:
    low = phrases.low(index)
    named = phrases.name(index)
    return (
        low in _DETERMINERS
        or low in words.FORMERLY
        or low.isdigit()
        or low in ("aged", "originally", "now", "born")
        or (named is not None and phrases.low(named[1]) == "'s")
    )


def _stated(phrases: Phrases, index: int, name: Name, context: Context) -> list[Draft]:
    subject = Subject((name,), "person")
    if phrases.low(index) in _BYGONE or phrases.low(index + 1) in _BYGONE:
        return []
    if phrases.low(index) == "born" and (group := undeclared(phrases, index)):
        told = born(Said(phrases, group, subject, False))
        return [replace(draft, undated=True) for draft in told[0]] if told else []
    if kin := relative_of(phrases, index, subject, context):
        return kin[0]
    return held(phrases, index + (phrases.low(index) in words.POSSESSIVES), subject)[0]


def held(phrases: Phrases, index: int, subject: Subject) -> Result:
    """The role that stands at a token, with its employer: "a nurse at Halden General"."""
    role = phrases.role(index, known=True)
    if role is None or phrases.low(role[1]) == "'s" or phrases.low(role[1] - 1) in words.LEARNERS:
        return [], index
    drafts = [Draft(source, "HAS_ROLE", role[0], "state", "now", undated=True) for source in subject.names]
    org = employer_behind(phrases, role[1])
    if org:
        drafts += [Draft(source, "WORKS_AT", org[0], "state", "now", undated=True) for source in subject.names]
    return drafts, org[1] if org else role[1]


def employer_behind(phrases: Phrases, index: int) -> Phrase | None:
    """The organisation of "at Acme", "for Acme", "with Acme"."""
    org = phrases.titled(index + 1) if phrases.low(index) in ("at", "for", "with") else None
    return org if org and not is_place(org[0].text) else None


def relative_of(phrases: Phrases, index: int, subject: Subject, context: Context) -> Result | None:
    """ "my favourite band", "Tobias Lang's mother", "the father of Mia" of a name: the tie, and the token after."""
    owner: Name | None = None
    begin = index
    if phrases.low(begin) in ("my", "our", "his", "her"):
        owner, begin = context.owner(phrases.low(begin)), begin + 1
    elif phrases.low(begin) in ("the", "a"):
        begin += 1
    elif (named := phrases.name(begin)) and phrases.low(named[1]) == "'s":
        owner, begin = named[0], named[1] + 1
    else:
        return None
    if owner and phrases.low(begin) in ("favorite", "favourite"):
        return every(Subject((owner,), "person"), "LIKES", list(subject.names), "state", "now"), begin + 2
    relative = relative_at(phrases, begin)
    if relative is None or not relative.relation:
        return None
    after = relative.after
    owners = [owner] if owner else []
    if owner is None and phrases.low(after) == "of":
        owners, after = phrases.listed(after + 1, phrases.name)
    if not owners or phrases.low(after) == "'s":
        return None
    if relative.relation == "HAS_PET" and not (owner and _closes(phrases, after)):
        return None
    return [kin_draft(holder, relative.relation, name) for name in subject.names for holder in owners], after


def _closes(phrases: Phrases, index: int) -> bool:
    return not phrases.low(index).isalpha() or phrases.low(index) in words.PHRASE_END


def is_relative(phrases: Phrases, group: Group, subject: Subject, context: Context) -> Result | None:
    """ "Low is my favourite band", "Sofia is my sister", "Vera is Tobias Lang's mother"."""
    if group.mood != "now" or subject.kind not in ("person", "name"):
        return None
    return relative_of(phrases, group.after, subject, context)


def with_more(phrases: Phrases, drafts: list[Draft], after: int) -> tuple[list[Draft], int]:
    """ "... at Acme as a data steward", "... as a lifeguard at Marlin Bay", a date in between or not."""
    held = [draft for draft in drafts if draft.aspect != "end" and not phrases.is_ticket(draft.target.text)]
    works = [draft for draft in held if draft.relation in ("WORKS_AT", "MEMBER_OF")]
    serves = [draft for draft in held if draft.relation in ("HAS_ROLE", "MANAGES")]
    index = after
    while index < len(phrases.tokens) and phrases.tokens[index].when is not None:
        index += 1
    low = phrases.low(index)
    role = phrases.role(index + 1, known=False) if works and not serves and low == "as" else None
    if role:
        return [*drafts, *(replace(draft, relation="HAS_ROLE", target=role[0]) for draft in works)], role[1]
    org = phrases.titled(index + 1) if serves and not works and low in ("at", "for", "with") else None
    if org and not is_place(org[0].text):
        return [*drafts, *(replace(draft, relation="WORKS_AT", target=org[0]) for draft in serves)], org[1]
    return drafts, after
