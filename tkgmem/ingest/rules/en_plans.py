"""English intentions for which no relation is known: the activity in the words of whoever plans it, or nothing."""

from __future__ import annotations

from tkgmem.ingest.rules import en_words as words
from tkgmem.ingest.rules.dates import Draft
from tkgmem.ingest.rules.en_frames import Result, Subject
from tkgmem.ingest.rules.en_group import Group
from tkgmem.ingest.rules.en_text import Phrases
from tkgmem.ingest.rules.en_verbs import form_of

_LONGEST_ACTIVITY = 12


def intention(phrases: Phrases, group: Group, subject: Subject) -> Result | None:
    """ "plans to take up pottery": the activity in the speaker's words."""
    first = index = group.after - (group.lemma != "")
    while _goes_on(phrases, index):
        if phrases.low(index) in words.PRONOUNS or phrases.low(index) in ("their", "his", "her", "its"):
            return None
        index += 1
    cut = phrases.low(index - 1) in words.PHRASE_END | words.ARTICLES | words.POSSESSIVES
    whole = not cut and 2 <= index - first <= _LONGEST_ACTIVITY and not phrases.low(index - 1).isdigit()
    if not whole or subject.kind not in ("person", "name"):
        return None
    activity = phrases.span(first, index)
    return [Draft(name, "PLANS_TO", activity, "state", group.mood) for name in subject.names], index


def _goes_on(phrases: Phrases, index: int) -> bool:
    if index >= len(phrases.tokens):
        return False
    token = phrases.tokens[index]
    if token.low == "and":
        following = phrases.low(index + 1)
        return (
            following.isalpha() and following not in words.PRONOUNS | words.AUXILIARIES and form_of(following, "base") is None
        )
    return token.low != "now" and (token.word or token.low == "'s") and token.low not in words.CONNECTORS
