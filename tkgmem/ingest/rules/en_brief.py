"""English notes without a verb: "Ana Reyes: data analyst at Northwind, 2019-2022", "Data analyst at Northwind since 2021".

Only a note that is read to its last word states anything.
"""

from __future__ import annotations

from dataclasses import replace

from tkgmem.ingest.rules.dates import Draft, Name
from tkgmem.ingest.rules.en_asides import employer_behind
from tkgmem.ingest.rules.en_contact import contact_at
from tkgmem.ingest.rules.en_frames import Subject
from tkgmem.ingest.rules.en_kin import Context
from tkgmem.ingest.rules.en_leads import past_leads
from tkgmem.ingest.rules.en_places import is_place
from tkgmem.ingest.rules.en_text import Phrase, Phrases

_MARKS = frozenset((",", ":", "-", "–", "—", "(", ")", ".", ";", "!", "|"))


def noted(phrases: Phrases, context: Context) -> list[Draft]:
    """The role and employer, or the address, that a note gives someone; without a name, its speaker."""
    index = past_leads(phrases, 0)
    if context.speaker and (contact := contact_at(phrases, index, (Name(context.speaker),))):
        return list(contact[0])
    found = phrases.name(index)
    named = found if found and phrases.low(found[1]) in _MARKS else None
    subject = Subject((named[0],) if named else (Name(context.speaker),) if context.speaker else (), "person")
    begin = past_leads(phrases, named[1]) if named else index
    role = phrases.role(begin, known=True)
    if role is None or not subject.names or (named is not None and " " not in named[0].text):
        return []
    org = _employer(phrases, role[1], named=named is not None)
    after = org[1] if org else role[1]
    rest = phrases.tokens[after:]
    if org is None or any(token.when is None and token.low not in _MARKS for token in rest):
        return []
    when = tuple(token.when for token in phrases.tokens if token.when is not None and not token.deadline)
    facts = [(role[0], "HAS_ROLE"), (org[0], "WORKS_AT")]
    return [
        replace(Draft(source, relation, target, "state", "now"), when=when)
        for source in subject.names
        for target, relation in facts
    ]


def _employer(phrases: Phrases, index: int, *, named: bool) -> Phrase | None:
    """ "at Northwind"; behind a name also ", Northwind"."""
    if org := employer_behind(phrases, index):
        return org
    org = phrases.titled(index + 1) if named and phrases.low(index) == "," else None
    return org if org and not is_place(org[0].text) else None
