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
from tkgmem.ingest.rules.en_asides import aside_at, held, is_relative, with_more
from tkgmem.ingest.rules.en_brief import noted
from tkgmem.ingest.rules.en_frames import Said, Subject, apply
from tkgmem.ingest.rules.en_group import Group, group_at, moved_on, planned, undeclared
from tkgmem.ingest.rules.en_inverted import called_at, inverted_at
from tkgmem.ingest.rules.en_jobs import JOBS
from tkgmem.ingest.rules.en_kin import Context, Relative, mentions
from tkgmem.ingest.rules.en_leads import past_leads
from tkgmem.ingest.rules.en_plans import intention
from tkgmem.ingest.rules.en_subject import Opening, opening_at, tells
from tkgmem.ingest.rules.en_table import FRAMES
from tkgmem.ingest.rules.en_text import Phrases, Token, tokens
from tkgmem.ingest.rules.en_tickets import MOVES, ticket_noted
from tkgmem.ingest.rules.en_ties import TIES
from tkgmem.ingest.rules.en_verbs import FORMS, form_of
from tkgmem.temporal.timex import TimeExpression

_WORD = re.compile(r"[a-z]+")
_VERBAL = words.AUXILIARIES.union(FORMS)
_READABLE = _VERBAL.union(words.KIN)
_UNSURE = re.compile(
    r"\b(?:as though|i (?:think|guess|believe)|not sure|word is|they say|people say|it is said|were to"
    r"|\Ain (?:the|this|that|a|my) (?:novel|story|film|movie|game|dream|play|series|book)\b|according to|would(?! rather))\b"
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
_OF_THINGS = frozenset(
    ("ASSIGNED_TO", "HAS_STATUS", "LOCATED_IN", "PART_OF", "MANAGES", "FOUNDED", "ALSO_KNOWN_AS", "BOUGHT", "USES")
)
_OPENINGS = (called_at, inverted_at, opening_at)
_HANDLERS = {**JOBS, **MOVES, **TIES}
_NOTABLE = words.ROLES | {"email", "e", "number", "phone", "mobile", "birthday", "cell"}
_TICKET = re.compile(r"\b[A-Z][A-Z0-9]{0,9}-\d")
_FURTHEST_COMMA = 12
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
    if _READABLE.isdisjoint(said) and not _TICKET.search(content, start, end):
        return noted(Phrases(content, tokens(content, start, end, dates())), context) if not _NOTABLE.isdisjoint(said) else []
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
        self._beside = range(0)
        context.job = False
        context.begin = sentence[0].start if sentence else 0

    def read(self) -> list[Draft]:
        """All drafts of the sentence, each with the dates of its own clause."""
        drafts: list[Draft] = []
        position, begin = 0, 0
        subject: Subject | None = None
        lead: tuple[TimeExpression, ...] = ()
        while position < len(self._tokens):
            start = past_leads(self._phrases, position)
            self._name_all(begin, start)
            if fronted := self._fronted(start):
                drafts += fronted[0]
                position = begin = fronted[1]
                continue
            clause = self._clause(start, subject)
            if clause is None:
                if (following := self._boundary(start)) is None:
                    break
                subject = self._carried_on(start, following, subject)
                position = begin = following
                continue
            end = self._clause_end(clause.after)
            headed = start > begin and self._tokens[start - 1].low == ":"  # "17 June: ..." dates what happened, not what is
            apart = self._phrases.low(begin) in ("after", "before", "since")  # "After leaving Acme in 2010, ..."
            when = self._dates(start if headed or apart else begin, end)
            lead = () if apart else self._dates(begin, start) or (lead if self._tokens[begin].low in ("and", "then") else ())
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
        if opening is not None and self._phrases.low(opening.after) == "to":
            return None  # "Ana to review the draft"
        if opening is not None and not opening.done:
            group = group_at(self._phrases, opening.after)
            noun = self._phrases.low(following) in words.NOUNS | {"love"} and self._phrases.low(following + 1) != "to"
            if group and noun:
                return None  # "I love the song and love theme"
            return opening.subject if self._tokens[following - 1].low in ("and", "but", ",") else None
        if opening is None and subject is not None and group_at(self._phrases, begin):
            return subject if self._tokens[following - 1].low in ("and", "but", ",") else None
        verbless = _VERBAL.isdisjoint(token.low for token in self._tokens[begin:following])
        return subject if verbless else None

    def _clause(self, index: int, carried: Subject | None) -> _Clause | None:
        if carried and self._phrases.low(index) == "who" and words.is_role(self._phrases.low(index - 1)):
            index += 1  # "is a nurse who lives in Leeds"
        untold = carried is None and self._untold(index)
        opening = next(filter(None, (read(self._phrases, index, self._context) for read in _OPENINGS)), None)
        if opening is not None and not untold:
            return self._opened(opening)
        # "something rich, like coffee" is no liking.
        aside = self._phrases.low(index) == "like" and self._phrases.low(index - 1) not in ("and", "but")
        if (
            opening is None
            and words.asks_to_call(self._phrases.low(index), self._phrases.low(index + 1))
            and self._context.speaker
        ):
            speaker = Subject((Name(self._context.speaker),), "person")
            predicate = self._predicate(Group("reach", "now", "active", index + 1), speaker)
            return _Clause(predicate[0], predicate[1], speaker) if predicate else None
        if untold:
            carried = Subject((Name(self._context.speaker or ""),), "person")
        if carried is None or carried.kind == "nobody" or aside:
            return None
        group = group_at(self._phrases, index) or moved_on(self._phrases, index, self._last) or self._participle(index)
        if group is None and untold and (lemma := form_of(self._phrases.low(index), "ing")):
            group = planned(self._phrases, index) or undeclared(self._phrases, index)
            group = group or Group(lemma, "going", "active", index + 1)
        predicate = self._predicate(group, carried) if group else None
        return _Clause(predicate[0], predicate[1], carried) if predicate else None

    def _opened(self, opening: Opening) -> _Clause | None:
        """A clause whose subject was read."""
        if opening.done:
            return _Clause(list(opening.drafts), opening.after, opening.subject)
        aside = (
            aside_at(self._phrases, opening.after, opening.subject.names[0], self._context) if opening.subject.names else None
        )
        if aside and len(opening.subject.names) == 1:
            self._beside = range(opening.after, aside[1])
            opening = opening._replace(after=aside[1], drafts=(*opening.drafts, *aside[0]))
        comma = self._phrases.low(opening.after) == ","
        whose = self._phrases.low(opening.after + comma)
        if whose == "who" or (whose == "which" and comma):
            opening = opening._replace(after=opening.after + comma + 1)
        group = group_at(self._phrases, opening.after)
        if group and group.lemma in ("confirm", "announce") and group.voice == "active":
            return self._clause(group.after + (self._phrases.low(group.after) == "that"), None)
        predicate = self._predicate(group, opening.subject) if group else None
        if predicate is None and opening.subject.kind == "ticket":
            predicate = ticket_noted(self._phrases, opening.after, opening.subject)
        stated, after = predicate or ([], opening.after)
        understood = predicate or opening.drafts
        return _Clause([*opening.drafts, *stated], after, opening.subject) if understood else None

    def _untold(self, index: int) -> bool:
        """ "Sold the caravan in April.": a sentence without a subject is about its speaker."""
        low = self._phrases.low(index)
        first = self._context.speaker and all(
            token.low in words.ADVERBS or token.when or not token.word for token in self._tokens[:index]
        )
        told = form_of(low, "past") is not None and form_of(low, "base") is None
        still = form_of(low, "ing") in words.STANDING and self._phrases.low(index - 1) in ("still", "now", "currently")
        alone = words.AUXILIARIES.isdisjoint(token.low for token in self._tokens[index:])
        return bool(first) and (told or ((still or form_of(low, "ing") in words.UNDERTAKEN) and alone))

    def _participle(self, index: int) -> Group | None:
        """ "I'm a nurse, born in Trieste, living in Cardiff"."""
        last, low = self._last, self._phrases.low(index)
        if (
            last is None
            or (last.mood not in ("now", "going") and last.relation != "BORN_IN")
            or self._phrases.low(index - 1) not in {",", "and", "—", "–", *words.ADVERBS}
        ):
            return None
        if low in ("a", "an") and self._phrases.role(index, known=True):
            return Group("be", "now", "active", index)
        return undeclared(self._phrases, index)

    def _fronted(self, index: int) -> tuple[list[Draft], int] | None:
        """ "Born in Cusco, Inti Salcedo ...", "A nurse at Halden General, Bo ...": a predicate before its subject."""
        role = self._phrases.low(index) in ("a", "an")
        group = undeclared(self._phrases, index)
        if group is None and not role:
            return None
        ahead = range(index + 2, min(index + _FURTHEST_COMMA, len(self._tokens)))
        comma = next((at for at in ahead if self._phrases.low(at) == ","), None)
        opening = opening_at(self._phrases, comma + 1, self._context) if comma else None
        if comma is None or opening is None or opening.done or len(opening.subject.names) != 1:
            return None
        found = self._predicate(group, opening.subject) if group else held(self._phrases, index, opening.subject)
        if not found or not found[0] or any(token.when is None for token in self._tokens[found[1] : comma]):
            return None
        when = self._dates(index, comma)
        return [replace(draft, when=when, undated=True) for draft in found[0]], comma + 1

    def _predicate(self, group: Group, subject: Subject) -> tuple[list[Draft], int] | None:
        if group.bare and subject.kind == "name" and len(subject.names) == 1:
            return None  # "Themes like these": one person likes
        found = self._framed(group, subject)
        if found is None:
            return intention(self._phrases, group, subject) if group.intends else None
        drafts, after = found
        if subject.kind in ("thing", "ticket"):
            drafts = [draft for draft in drafts if draft.relation in _OF_THINGS]
        return with_more(self._phrases, drafts, after)

    def _framed(self, group: Group, subject: Subject) -> tuple[list[Draft], int] | None:
        handler = _HANDLERS.get(group.lemma)
        context = self._context
        said = Said(self._phrases, group, subject, context.job, context.learners(), context.speaker, context.ticket)
        found = (handler(said) if handler else None) if not self._names_owner(group) else self._is_owner(group, subject)
        key = group.lemma + ("/" if group.voice == "passive" else "")
        found = found or apply(self._phrases, group, subject, FRAMES.get(key, ()))
        passed = group.after < len(self._tokens) and (
            self._tokens[group.after].when is not None or self._phrases.low(group.after) in words.MANNERS
        )
        if not found and passed:
            return self._framed(group._replace(after=group.after + 1), subject)  # "was founded in 1987 by", "works nights at"
        if found or group.lemma != "be":
            return found
        return is_relative(self._phrases, group, subject, self._context)

    def _names_owner(self, group: Group) -> bool:
        return group.lemma == "be" and self._context.ticket is not None and self._phrases.at(group.after, "the", "owner")

    def _is_owner(self, group: Group, subject: Subject) -> tuple[list[Draft], int] | None:
        """ "Tamsin Cole is the owner", of the ticket just named."""
        ticket = self._context.ticket
        owned = [Draft(ticket, "ASSIGNED_TO", name, "state", group.mood) for name in subject.names] if ticket else []
        return (owned, group.after + 2) if owned else None

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
            joins = token.low == "and" and self._tokens[index - 2].capital and self._phrases.name(index) is not None
            heading = token.low == ":" and not tells(self._phrases, begin, index, self._context)
            if token.low in words.CONNECTORS and not heading and not (joins and index - 2 > begin):
                return index
        return None

    def _clause_end(self, index: int) -> int:
        if self._phrases.low(index) == "who" and words.is_role(self._phrases.low(index - 1)):
            return index
        while index < len(self._tokens) and self._tokens[index].low not in words.CONNECTORS:
            if self._tokens[index].low == "who" and self._phrases.name_before(index):
                break
            index += 1
        return index

    def _opaque(self, begin: int, end: int) -> bool:
        return any(token.low in words.OPAQUE for token in self._tokens[begin:end])

    def _dates(self, begin: int, end: int) -> tuple[TimeExpression, ...]:
        return tuple(
            token.when
            for index, token in enumerate(self._tokens[begin:end], begin)
            if token.when is not None
            and not token.deadline
            and self._phrases.low(index - 1) not in ("that", "same")
            and index not in self._beside
        )

    def _dated(self, draft: Draft, when: tuple[TimeExpression, ...], lead: tuple[TimeExpression, ...]) -> Draft:
        if draft.relation == "BIRTHDAY_ON" or draft.undated:
            return draft
        when = tuple(date for date in when if not (draft.mood == "past" and date.text.lower().startswith("the following")))
        return replace(draft, when=when or (lead if draft.aspect != "state" or draft.mood == "plan" else ()))

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
