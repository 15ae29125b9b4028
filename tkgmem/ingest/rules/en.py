"""English statements: a sentence is read clause by clause as subject, verb group, object, dates.

A clause that is not understood gives nothing, and talk, thought, doubt or wish silences the rest of its sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from tkgmem.ingest.rules import en_words as words
from tkgmem.ingest.rules.dates import Draft, Name
from tkgmem.ingest.rules.en_frames import Said, Subject, apply, every
from tkgmem.ingest.rules.en_group import Group, group_at
from tkgmem.ingest.rules.en_inverted import called_at, inverted_at
from tkgmem.ingest.rules.en_jobs import JOBS
from tkgmem.ingest.rules.en_kin import Context, Relative, kin_draft, mentions, relative_at
from tkgmem.ingest.rules.en_leads import past_leads
from tkgmem.ingest.rules.en_objects import is_place
from tkgmem.ingest.rules.en_subject import Opening, opening_at
from tkgmem.ingest.rules.en_table import FRAMES
from tkgmem.ingest.rules.en_text import Phrases, Token, tokens
from tkgmem.ingest.rules.en_tickets import MOVES
from tkgmem.ingest.rules.en_ties import TIES
from tkgmem.ingest.rules.en_verbs import FORMS, form_of
from tkgmem.temporal.timex import TimeExpression

_WORD = re.compile(r"[a-z]+")
_VERBAL = words.AUXILIARIES.union(FORMS)
_UNSURE = re.compile(
    r"\b(?:as though|i (?:think|guess|believe)|not sure|word is|they say|people say|it is said|were to"
    r"|according to|would(?! rather))\b"
    r"|['’]d (?:love|like|want|prefer|be)\b"
)
_QUESTION = re.compile(
    r"\W*(?:(?:and|but|so|well|ok|okay|hey|oh),?\s)?(?:do|does|did|is|are|am|was|were|will|would|can|could"
    r"|should|shall|has|have|had"
    r"|isn['’]t|aren['’]t|don['’]t|doesn['’]t|didn['’]t|what|where|who|whom|whose|which|when|why|how)\b",
    re.IGNORECASE,
)
_BETWEEN_PEOPLE = frozenset(
    ("MARRIED_TO", "DATING", "PARENT_OF", "SIBLING_OF", "FRIEND_OF", "REPORTS_TO", "ASSIGNED_TO", "MANAGES")
)
_OF_THINGS = frozenset(("ASSIGNED_TO", "HAS_STATUS", "LOCATED_IN", "PART_OF", "MANAGES", "FOUNDED", "ALSO_KNOWN_AS"))
_LONGEST_ACTIVITY = 12
_OPENINGS = (called_at, inverted_at, opening_at)
_HANDLERS = {**JOBS, **MOVES, **TIES}
_QUOTE = re.compile(r"[\"“«].{12,}?[\"”»]")


class _Clause(NamedTuple):
    """What a clause states and the token after what was understood of it."""

    drafts: list[Draft]
    after: int
    subject: Subject


def read(content: str, start: int, end: int, dates: Callable[[], Sequence[TimeExpression]], context: Context) -> list[Draft]:
    """The statements of the sentence content[start:end]; `context` is what was named before, and is brought up to date."""
    sentence = content[start:end].lower()
    said = _WORD.findall(sentence)
    if not words.DOUBTFUL.isdisjoint(said) or sentence.endswith("?") or _asks_or_quotes(sentence):
        context.people, context.others = {}, {}
        return []
    if _VERBAL.isdisjoint(said):
        return []
    return _Reader(content, tokens(content, start, end, dates()), context).read()


def _asks_or_quotes(sentence: str) -> bool:
    return bool(_QUESTION.match(sentence) or _QUOTE.search(sentence) or _UNSURE.search(sentence))


class _Reader:
    def __init__(self, content: str, sentence: list[Token], context: Context) -> None:
        self._phrases = Phrases(content, sentence)
        self._tokens = sentence
        self._context = context
        self._earlier = (dict(context.people), dict(context.others))
        self._targets: set[int] = set()
        self._last: Draft | None = None
        context.job = False

    def read(self) -> list[Draft]:
        """All drafts of the sentence, each with the dates of its own clause."""
        drafts: list[Draft] = []
        position, begin = 0, 0
        subject: Subject | None = None
        lead: tuple[TimeExpression, ...] = ()
        while position < len(self._tokens):
            start = past_leads(self._phrases, position)
            self._name_all(begin, start)
            clause = self._clause(start, subject)
            if clause is None:
                if (following := self._boundary(start)) is None:
                    break
                subject = self._carried_on(start, following, subject)
                position = begin = following
                continue
            end = self._clause_end(clause.after)
            when = self._dates(begin, end)
            lead = self._dates(begin, start) or (lead if self._tokens[begin].low in ("and", "then") else ())
            drafts += [self._dated(draft, when, lead) for draft in clause.drafts]
            self._note(clause)
            subject = clause.subject
            if self._opaque(clause.after, end):
                break
            position = begin = end
        self._name_all(begin, len(self._tokens))
        drafts += mentions(self._phrases, self._context)
        self._forget_earlier()
        return drafts

    def _carried_on(self, begin: int, following: int, subject: Subject | None) -> Subject | None:
        """Who the next clause is about after one that stated nothing: who that one was about, if only its verb was unknown."""
        opening = opening_at(self._phrases, begin, self._context)
        if opening is not None and not opening.done:
            group = group_at(self._phrases, opening.after)
            noun = self._phrases.low(following) in words.NOUNS | {"love"} and self._phrases.low(following + 1) != "to"
            if group and noun:
                return None  # "I love the song and love theme"
            return opening.subject if self._tokens[following - 1].low in ("and", "but", ",") else None
        verbless = _VERBAL.isdisjoint(token.low for token in self._tokens[begin:following])
        return subject if verbless else None

    def _clause(self, index: int, carried: Subject | None) -> _Clause | None:
        opening = next(filter(None, (read(self._phrases, index, self._context) for read in _OPENINGS)), None)
        if opening is not None:
            return self._opened(opening)
        # "something rich, like coffee" is no liking.
        aside = self._phrases.low(index) == "like" and self._phrases.low(index - 1) not in ("and", "but")
        if carried is None or carried.kind == "nobody" or aside:
            return None
        group = group_at(self._phrases, index) or self._moved_on(index)
        predicate = self._predicate(group, carried) if group else None
        return _Clause(predicate[0], predicate[1], carried) if predicate else None

    def _opened(self, opening: Opening) -> _Clause | None:
        """A clause whose subject was read."""
        if opening.done:
            return _Clause(list(opening.drafts), opening.after, opening.subject)
        comma = self._phrases.low(opening.after) == ","
        if self._phrases.low(opening.after + comma) == "who":
            opening = opening._replace(after=opening.after + comma + 1)
        group = group_at(self._phrases, opening.after)
        if group and group.lemma in ("confirm", "announce") and group.voice == "active":
            return self._clause(group.after + (self._phrases.low(group.after) == "that"), None)
        predicate = self._predicate(group, opening.subject) if group else None
        stated, after = predicate or ([], opening.after)
        understood = predicate or opening.drafts
        return _Clause([*opening.drafts, *stated], after, opening.subject) if understood else None

    def _moved_on(self, index: int) -> Group | None:
        """ "moved to Ghent last March and then to Bruges": the verb is not said again."""
        last, low = self._last, self._phrases.low(index)
        if last is None or last.relation not in ("LIVES_IN", "WORKS_AT"):
            return None
        if low == "to" and last.aspect == "start":
            return Group("move", last.mood, "active", index)
        if last.aspect == "state" and low == ("in" if last.relation == "LIVES_IN" else "at"):
            return Group("live" if low == "in" else "work", last.mood, "active", index)
        return None

    def _predicate(self, group: Group, subject: Subject) -> tuple[list[Draft], int] | None:
        if group.bare and subject.kind == "name" and len(subject.names) == 1:
            return None  # "Themes like these": one person likes
        found = self._framed(group, subject)
        if found is None:
            return self._intention(group, subject) if group.intends else None
        drafts, after = found
        if subject.kind in ("thing", "ticket"):
            drafts = [draft for draft in drafts if draft.relation in _OF_THINGS]
        return self._with_more(drafts, after)

    def _framed(self, group: Group, subject: Subject) -> tuple[list[Draft], int] | None:
        handler = _HANDLERS.get(group.lemma)
        said = Said(self._phrases, group, subject, self._context.job, self._context.learners(), self._context.speaker)
        found = (handler(said) if handler else None) if not self._names_owner(group) else self._is_owner(group, subject)
        key = group.lemma + ("/" if group.voice == "passive" else "")
        found = found or apply(self._phrases, group, subject, FRAMES.get(key, ()))
        if found or group.lemma != "be":
            return found
        return self._is_relative(group, subject)

    def _is_relative(self, group: Group, subject: Subject) -> tuple[list[Draft], int] | None:
        """ "Low is my favourite band", "Sofia is my sister", "Vera is Tobias Lang's mother", "Bo is the father of Mia"."""
        phrases, begin = self._phrases, group.after
        if group.mood != "now" or subject.kind not in ("person", "name"):
            return None
        owner: Name | None = None
        if phrases.low(begin) in ("my", "our", "his", "her"):
            owner, begin = self._context.owner(phrases.low(begin)), begin + 1
        elif phrases.low(begin) in ("the", "a"):
            begin += 1
        elif (named := phrases.name(begin)) and phrases.low(named[1]) == "'s":
            owner, begin = named[0], named[1] + 1
        else:
            return None
        if owner and phrases.low(begin) in ("favorite", "favourite"):
            return every(Subject((owner,), "person"), "LIKES", list(subject.names), "state", "now"), begin + 2
        relative = relative_at(phrases, begin)
        if relative is None or relative.relation == "HAS_PET":
            return None
        after = relative.after
        owners = [owner] if owner else []
        if owner is None and phrases.low(after) == "of":
            owners, after = phrases.listed(after + 1, phrases.name)
        if not owners or phrases.low(after) == "'s":
            return None
        return [kin_draft(holder, relative.relation, name) for name in subject.names for holder in owners], after

    def _names_owner(self, group: Group) -> bool:
        return group.lemma == "be" and self._context.ticket is not None and self._phrases.at(group.after, "the", "owner")

    def _is_owner(self, group: Group, subject: Subject) -> tuple[list[Draft], int] | None:
        """ "Tamsin Cole is the owner", of the ticket just named."""
        ticket = self._context.ticket
        owned = [Draft(ticket, "ASSIGNED_TO", name, "state", group.mood) for name in subject.names] if ticket else []
        return (owned, group.after + 2) if owned else None

    def _with_more(self, drafts: list[Draft], after: int) -> tuple[list[Draft], int]:
        """ "... at Acme as a data steward", "... as a lifeguard at Marlin Bay", a date in between or not."""
        held = [draft for draft in drafts if draft.aspect != "end" and not self._phrases.is_ticket(draft.target.text)]
        works = [draft for draft in held if draft.relation in ("WORKS_AT", "MEMBER_OF")]
        serves = [draft for draft in held if draft.relation in ("HAS_ROLE", "MANAGES")]
        index = after
        while index < len(self._tokens) and self._tokens[index].when is not None:
            index += 1
        low = self._phrases.low(index)
        role = self._phrases.role(index + 1, known=False) if works and not serves and low == "as" else None
        if role:
            return [*drafts, *(replace(draft, relation="HAS_ROLE", target=role[0]) for draft in works)], role[1]
        org = self._phrases.titled(index + 1) if serves and not works and low in ("at", "for", "with") else None
        if org and not is_place(org[0].text):
            return [*drafts, *(replace(draft, relation="WORKS_AT", target=org[0]) for draft in serves)], org[1]
        return drafts, after

    def _intention(self, group: Group, subject: Subject) -> tuple[list[Draft], int] | None:
        """ "plans to take up pottery": the activity in the speaker's words."""
        first = index = group.after - (group.lemma != "")
        while self._goes_on(index):
            if self._phrases.low(index) in words.PRONOUNS or self._phrases.low(index) in ("their", "his", "her", "its"):
                return None
            index += 1
        cut = self._phrases.low(index - 1) in words.PHRASE_END | words.ARTICLES | words.POSSESSIVES
        whole = not cut and 2 <= index - first <= _LONGEST_ACTIVITY and not self._phrases.low(index - 1).isdigit()
        if not whole or subject.kind not in ("person", "name"):
            return None
        activity = self._phrases.span(first, index)
        return [Draft(name, "PLANS_TO", activity, "state", group.mood) for name in subject.names], index

    def _goes_on(self, index: int) -> bool:
        if index >= len(self._tokens):
            return False
        token = self._tokens[index]
        if token.low == "and":
            following = self._phrases.low(index + 1)
            return following.isalpha() and following not in words.PRONOUNS and form_of(following, "base") is None
        return (token.word or token.low == "'s") and token.low not in words.CONNECTORS

    def _boundary(self, index: int) -> int | None:
        """Where reading may go on after a clause that was not understood; None if the rest is silenced."""
        begin = index
        while index < len(self._tokens):
            token = self._tokens[index]
            if token.low == "who" and index > begin and self._phrases.name_before(index):
                return index
            if token.low in words.OPAQUE:
                return None
            index += 1
            if token.low in words.CONNECTORS and token.low != ":":
                return index
        return None

    def _clause_end(self, index: int) -> int:
        while index < len(self._tokens) and self._tokens[index].low not in words.CONNECTORS:
            if self._tokens[index].low == "who" and self._phrases.name_before(index):
                break
            index += 1
        return index

    def _opaque(self, begin: int, end: int) -> bool:
        return any(token.low in words.OPAQUE for token in self._tokens[begin:end])

    def _dates(self, begin: int, end: int) -> tuple[TimeExpression, ...]:
        return tuple(token.when for token in self._tokens[begin:end] if token.when is not None and not token.deadline)

    def _dated(self, draft: Draft, when: tuple[TimeExpression, ...], lead: tuple[TimeExpression, ...]) -> Draft:
        if draft.relation == "BIRTHDAY_ON" or draft.undated:
            return draft
        return replace(draft, when=when or (lead if draft.aspect != "state" else ()))

    def _note(self, clause: _Clause) -> None:
        """Keep what later clauses lean on: a job that was spoken of, the last statement, and which names are not people."""
        for draft in clause.drafts:
            self._last = draft
            self._context.job |= draft.relation == "WORKS_AT"
            if draft.relation in ("ASSIGNED_TO", "HAS_STATUS"):
                self._context.ticket = draft.source
            if draft.relation == "HAS_PET" and draft.target.text.islower():
                self._context.unnamed = (draft.source, Relative("HAS_PET", "", draft.target.text, 0))
            if draft.relation not in _BETWEEN_PEOPLE:
                self._targets.add(draft.target.start)

    def _name_all(self, begin: int, end: int) -> None:
        """Everyone else a pronoun might mean: capitalised names that are not places, employers or things."""
        index = begin
        while index < end:
            named = self._phrases.name(index) if self._tokens[index].capital else None
            if named and named[0].start not in self._targets and not named[0].text.isupper():
                self._context.others[named[0].text] = named[0]
            index = named[1] if named else index + 1

    def _forget_earlier(self) -> None:
        """A pronoun means someone of its own or of the preceding sentence."""
        people, others = self._earlier
        context = self._context
        fresh = {text: name for text, name in context.people.items() if people.get(text) != name}
        unknown = {text: name for text, name in context.others.items() if others.get(text) != name and text not in people}
        if fresh or unknown:
            context.people, context.others = fresh, unknown
