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
from tkgmem.ingest.rules.en_frames import FRAMES, Said, Subject, apply, kin_draft
from tkgmem.ingest.rules.en_group import Group, group_at
from tkgmem.ingest.rules.en_jobs import JOBS
from tkgmem.ingest.rules.en_subject import Context, opening_at
from tkgmem.ingest.rules.en_text import Phrases, Token, tokens
from tkgmem.ingest.rules.en_tickets import MOVES
from tkgmem.ingest.rules.en_ties import TIES
from tkgmem.ingest.rules.en_verbs import FORMS
from tkgmem.temporal.timex import TimeExpression

_WORD = re.compile(r"[a-z]+")
_VERBAL = words.AUXILIARIES.union(FORMS)
_UNSURE = re.compile(r"\b(?:as though|i (?:think|guess|believe)|not sure|word is|they say|people say|it is said|were to)\b")
_QUESTION = re.compile(
    r"\W*(?:(?:and|but|so|well|ok|okay|hey|oh),?\s)?(?:do|does|did|is|are|am|was|were|will|would|can|could|should|shall|has|have|had"
    r"|isn['’]t|aren['’]t|don['’]t|doesn['’]t|didn['’]t|what|where|who|whom|whose|which|when|why|how)\b",
    re.IGNORECASE,
)
_BETWEEN_PEOPLE = frozenset(
    ("MARRIED_TO", "DATING", "PARENT_OF", "SIBLING_OF", "FRIEND_OF", "REPORTS_TO", "ASSIGNED_TO", "MANAGES")
)
_OF_THINGS = frozenset(("ASSIGNED_TO", "HAS_STATUS", "LOCATED_IN", "PART_OF", "MANAGES", "FOUNDED", "ALSO_KNOWN_AS"))
_LONGEST_ACTIVITY = 12
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
            start = self._skip(position)
            self._name_all(begin, start)
            clause = self._clause(start, subject)
            if clause is None:
                if (following := self._boundary(start)) is None:
                    break
                position = begin = following
                subject = None
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
        self._forget_earlier()
        return drafts

    def _skip(self, index: int) -> int:
        """Past conjunctions, dates, adverbs and "by the way,"."""
        while index < len(self._tokens):
            token = self._tokens[index]
            if token.when is not None or token.low in words.CONNECTORS or token.low in words.ADVERBS or token.low in "'\"":
                index += 1
            elif self._phrases.at(index, "by", "the", "way") or self._phrases.at(index, "for", "the", "record"):
                index += 3
            elif self._phrases.at(index, "looking", "back") or self._phrases.at(index, "fun", "fact"):
                index += 2
            elif token.low in (
                "fyi",
                "btw",
                "update",
                "note",
                "yes",
                "yeah",
                "well",
                "oh",
                "hi",
                "hey",
                "hello",
                "thanks",
                "ok",
                "okay",
                "wow",
            ):
                index = self._past_greeting(index)
            else:
                break
        return index

    def _past_greeting(self, index: int) -> int:
        """ "Hey Caroline!" and "Thanks, Mel," are addressed to someone, not about them."""
        index += 1 + (self._phrases.low(index + 1) == ",")
        named = self._phrases.name(index)
        if named and self._phrases.low(named[1]) in (",", "!", ":", "-", "—"):
            return named[1]
        return index

    def _clause(self, index: int, carried: Subject | None) -> _Clause | None:
        if found := self._called(index):
            return found
        opening = opening_at(self._phrases, index, self._context)
        if opening is not None:
            if opening.done:
                return _Clause(list(opening.drafts), opening.after, opening.subject)
            group = group_at(self._phrases, opening.after)
            if group and group.lemma in ("confirm", "announce") and group.voice == "active":
                return self._clause(group.after + (self._phrases.low(group.after) == "that"), None)
            predicate = self._predicate(group, opening.subject) if group else None
            stated, after = predicate or ([], opening.after)
            understood = predicate or opening.drafts
            return _Clause([*opening.drafts, *stated], after, opening.subject) if understood else None
        if carried is None or carried.kind == "nobody":
            return None
        group = group_at(self._phrases, index) or self._moved_on(index)
        predicate = self._predicate(group, carried) if group else None
        return _Clause(predicate[0], predicate[1], carried) if predicate else None

    def _moved_on(self, index: int) -> Group | None:
        """ "moved to Ghent last March and then to Bruges": the verb is not said again."""
        last = self._last
        if last is None or last.relation != "LIVES_IN" or last.aspect != "start" or self._phrases.low(index) != "to":
            return None
        return Group("move", last.mood, "active", index)

    def _predicate(self, group: Group, subject: Subject) -> tuple[list[Draft], int] | None:
        if group.bare and subject.kind == "name" and len(subject.names) == 1:
            return None  # "Themes like these": one person likes
        found = self._framed(group, subject)
        if found is None:
            return self._intention(group, subject) if group.intends else None
        drafts, after = found
        if subject.kind in ("thing", "ticket"):
            drafts = [draft for draft in drafts if draft.relation in _OF_THINGS]
        return self._with_role(drafts, after)

    def _framed(self, group: Group, subject: Subject) -> tuple[list[Draft], int] | None:
        handler = _HANDLERS.get(group.lemma)
        found = handler(Said(self._phrases, group, subject, self._context.job)) if handler else None
        key = group.lemma + ("/" if group.voice == "passive" else "")
        found = found or apply(self._phrases, group, subject, FRAMES.get(key, ()))
        if found or group.lemma != "be":
            return found
        return self._is_relative(group, subject) or self._is_owner(group, subject)

    def _is_relative(self, group: Group, subject: Subject) -> tuple[list[Draft], int] | None:
        """ "Sofia is my sister"."""
        speaker = self._context.speaker
        if group.mood != "now" or self._phrases.low(group.after) != "my" or speaker is None:
            return None
        index = group.after + 1
        while self._phrases.low(index) in words.KIN_QUALIFIERS:
            index += 1
        kin = words.KIN.get(self._phrases.low(index))
        return ([kin_draft(Name(speaker), kin[0], name) for name in subject.names], index + 1) if kin else None

    def _is_owner(self, group: Group, subject: Subject) -> tuple[list[Draft], int] | None:
        """ "Tamsin Cole is the owner", of the ticket just named."""
        if not self._phrases.at(group.after, "the", "owner"):
            return None
        ticket = self._context.ticket
        owned = [Draft(ticket, "ASSIGNED_TO", name, "state", group.mood) for name in subject.names] if ticket else []
        return (owned, group.after + 2) if owned else None

    def _with_role(self, drafts: list[Draft], after: int) -> tuple[list[Draft], int]:
        """ "... at Acme as a data steward", a date in between or not."""
        works = [draft for draft in drafts if draft.relation in ("WORKS_AT", "MEMBER_OF") and draft.aspect != "end"]
        index = after
        while index < len(self._tokens) and self._tokens[index].when is not None:
            index += 1
        role = self._phrases.role(index + 1, known=False) if works and self._phrases.low(index) == "as" else None
        if role is None:
            return drafts, after
        return [*drafts, *(replace(draft, relation="HAS_ROLE", target=role[0]) for draft in works)], role[1]

    def _intention(self, group: Group, subject: Subject) -> tuple[list[Draft], int] | None:
        """ "plans to take up pottery": the activity in the speaker's words."""
        first = index = group.after - (group.lemma != "")
        while self._goes_on(index):
            if self._phrases.low(index) in words.PRONOUNS:
                return None
            index += 1
        whole = 2 <= index - first <= _LONGEST_ACTIVITY and not self._phrases.low(index - 1).isdigit()
        if not whole or subject.kind not in ("person", "name"):
            return None
        activity = self._phrases.span(first, index)
        return [Draft(name, "PLANS_TO", activity, "state", group.mood) for name in subject.names], index

    def _goes_on(self, index: int) -> bool:
        if index >= len(self._tokens):
            return False
        token = self._tokens[index]
        return (token.word or token.low == "'s") and token.low not in words.CONNECTORS

    def _called(self, index: int) -> _Clause | None:
        """ "Everyone calls Wilhelmina Stroud 'Billie'"."""
        if self._phrases.low(index) not in ("everyone", "everybody", "people", "friends") or self._phrases.low(
            index + 1
        ) not in ("calls", "call"):
            return None
        first_person = self._phrases.low(index + 2) == "me" and self._context.speaker is not None
        named = (Name(self._context.speaker or ""), index + 3) if first_person else self._phrases.name(index + 2)
        alias = self._phrases.name(named[1]) if named else None
        if not named or not alias:
            return None
        return _Clause([Draft(named[0], "ALSO_KNOWN_AS", alias[0], "state", "now")], alias[1], Subject((named[0],), "name"))

    def _boundary(self, index: int) -> int | None:
        """Where reading may go on after a clause that was not understood; None if the rest is silenced."""
        while index < len(self._tokens):
            token = self._tokens[index]
            if token.low in words.OPAQUE:
                return None
            index += 1
            if token.low in words.CONNECTORS and token.low not in (":", "-"):
                return index
        return None

    def _clause_end(self, index: int) -> int:
        while index < len(self._tokens) and self._tokens[index].low not in words.CONNECTORS:
            index += 1
        return index

    def _opaque(self, begin: int, end: int) -> bool:
        return any(token.low in words.OPAQUE for token in self._tokens[begin:end])

    def _dates(self, begin: int, end: int) -> tuple[TimeExpression, ...]:
        return tuple(token.when for token in self._tokens[begin:end] if token.when is not None and not token.deadline)

    def _dated(self, draft: Draft, when: tuple[TimeExpression, ...], lead: tuple[TimeExpression, ...]) -> Draft:
        if draft.relation == "BIRTHDAY_ON":
            return draft
        return replace(draft, when=when or (lead if draft.aspect != "state" else ()))

    def _note(self, clause: _Clause) -> None:
        """Keep what later clauses lean on: a job that was spoken of, the last statement, and which names are not people."""
        for draft in clause.drafts:
            self._last = draft
            self._context.job |= draft.relation == "WORKS_AT"
            if draft.relation in ("ASSIGNED_TO", "HAS_STATUS"):
                self._context.ticket = draft.source
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
