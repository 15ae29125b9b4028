"""Events that a question is placed by: "before she moved to Lisbon", 加入B公司之后.

Only a clause with a subject and a verb in the past is an event; a cause, a habit, a noun and a clause that is itself asked for
are not. The event's own period is the caller's to find, as that of a fact.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from tkgmem.search.query_time import verbs

Relation = Literal["before", "after", "during", "since", "until"]

LONGEST = 1_000
"""Characters. A longer text is a document, not a question placed by one event."""

_RELATIONS: dict[str, Relation] = {
    "before": "before", "after": "after", "when": "during", "while": "during", "since": "since", "until": "until",
    "till": "until", "back when": "during", "ever since": "since", "by the time": "until",
    "之前": "before", "以前": "before", "之后": "after", "以后": "after", "的时候": "during", "时": "during", "期间": "during",
    "那段时间": "during", "以来": "since", "前": "before", "后": "after",
}  # fmt: skip
_LEAD = re.compile(r"\b(ever since|since|before|after|by the time|back when|when|while|until|till)\s+(?=[\w'’])", re.IGNORECASE)
_SUBJECT = (
    r"(?:I|you|he|she|we|they"
    r"|(?:[Mm]y|[Yy]our|[Hh]is|[Hh]er|[Oo]ur|[Tt]heir|[Tt]he|[A-Z][\w-]*['’]s)\s+(?:[\w-]+\s+){0,2}?[\w-]+"
    r"|[A-Z][\w.-]*(?:\s+(?:[A-Z][\w.-]*|and|of|de|van|von)){0,4})"
)
_CLAUSE = re.compile(
    rf"{_SUBJECT}\s+(?:(?:first|finally|last|just|originally|both|had|has|have|also|officially|recently|still)\s+){{0,2}}(?P<verb>[A-Za-z]+)\b"
)
_END = re.compile(r"[,;?!:\n，；？！：]|\.(?=\s|$)|\s+and\s+(?=(?:what|where|who|which|how|why|did|was|were)\b)", re.IGNORECASE)
_QUESTION = re.compile(r"\b(?:what|where|who|whom|whose|which|how|why)\b", re.IGNORECASE)
_ASKS_FOR_IT = re.compile(
    r"(?:\b(?:know|knows|remember|recall|remind|tell|told|say|says|said|mention|mentioned|ask|asked|wonder|sure|idea|find out"
    r"|figure out|me|us|exactly|date|days?|times?|moment|weeks?|months?|years?|hours?|minutes?|night|morning|before or|is|was"
    r"|long|soon|shortly|right|just|not|that|or)|^(?:so|and|but))\s+$",
    re.IGNORECASE,
)
_DISTANCE = re.compile(
    r"\bhow\s+(?:long|soon|often|many\s+(?:\w+\s+)?(?:minutes|hours|days|weeks|months|years))\b|\bbefore\s+or\s+after\b|多久|[几多少]+\s*(?:天|周|个月|年)"
    r"|[前后]还是|第几天",
    re.IGNORECASE,
)
_PERFECT = re.compile(r"\b(?:has|have|had|haven't|hasn't|hadn't)\b|['’](?:ve|s)\b", re.IGNORECASE)
_HAN_LEAD = re.compile(
    r"(?P<clause>[^，。？！；：、,?!;:\n]{2,40}?)(?P<lead>之前|以前|之后|以后|以来|的时候|那段时间|期间|时(?=[，,])|[前后](?=[，,]))"
)
_HAN_OPENING = re.compile(r"^(?:自从|自打|自|从|当|在|等)|(?<![住现正存实内放待])在(?=[^，]{2,}$)")
_HAN_ASKS = re.compile(r"什么|哪|谁|多少|几|何|怎|吗|如何|还是|是否|每|一般|通常|平时")
_MAX_WORDS, _MOST = 14, 8


@dataclass(frozen=True, slots=True)
class Anchor:
    """An event that a question is placed by.

    relation: how it is placed. clause: the event in the question's own words, to look for as a fact. edge: which end of that
    fact's period the event is: its "start" ("she moved to Lisbon", 加入B公司), or its "end" ("she left Contoso", 离职; and
    where a state is over: "after she lived in Porto"). rest: the question without the words. words: clause and connective.
    """

    relation: Relation
    clause: str
    edge: Literal["start", "end"]
    rest: str
    words: str

    def range(self, valid_at: int | None, invalid_at: int | None) -> tuple[int | None, int | None] | None:
        """The closed-open range of the question, given the period of the fact that the clause speaks of, in microseconds.

        During is the whole period. Before and until end at the edge, after and since begin there; None where that edge is
        unknown, or where the period has neither bound.

        >>> Anchor("before", "she moved to Lisbon", "start", "where did she live?", "").range(5, None)
        (None, 5)
        >>> Anchor("after", "she left Contoso", "end", "where did she work?", "").range(5, 9)
        (9, None)
        """
        if self.relation == "during":
            return None if valid_at is None and invalid_at is None else (valid_at, invalid_at)
        at = valid_at if self.edge == "start" else invalid_at
        if at is None:
            return None
        return (None, at) if self.relation in ("before", "until") else (at, None)


def anchor(query: str) -> Anchor | None:
    """The event that a question is placed by, the first of several; None where there is none, or in over 1,000 characters.

    >>> found = anchor("Where did Ana live before she moved to Lisbon?")
    >>> found.relation, found.clause, found.rest
    ('before', 'she moved to Lisbon', 'Where did Ana live?')
    >>> anchor("When did she move to Lisbon?"), anchor("What do I drink before lunch?")
    (None, None)
    """
    if len(query) > LONGEST or _DISTANCE.search(query):
        return None
    for lead in islice(_LEAD.finditer(query), _MOST):
        if found := _english(query, lead):
            return found
    for lead in islice(_HAN_LEAD.finditer(query), _MOST):
        if found := _chinese(query, lead):
            return found
    return None


def _english(query: str, lead: re.Match[str]) -> Anchor | None:
    before, opened = query[: lead.start()], not query[: lead.start()].strip()
    if not opened and _ASKS_FOR_IT.search(before):
        return None
    end = _END.search(query, lead.end())
    stop = end.start() if end else len(query)
    if opened and (asked := _QUESTION.search(query, lead.end(), stop)):
        stop = asked.start()
    clause = query[lead.end() : stop].strip()
    match = _CLAUSE.match(clause)
    if match is None or len(clause.split()) > _MAX_WORDS or _QUESTION.search(clause):
        return None
    kind = verbs.english(match["verb"].lower(), clause[match.end("verb") :])
    relation = _RELATIONS[lead[1].lower()]
    rest = _joined(before, query[stop:])
    if kind is None or len(rest.split()) < 2 or (relation == "since" and not _PERFECT.search(rest)):
        return None
    return Anchor(relation, clause, _edge(relation, kind), rest, query[lead.start() : stop].strip())


def _chinese(query: str, lead: re.Match[str]) -> Anchor | None:
    said = lead["clause"]
    opening = list(_HAN_OPENING.finditer(said))
    subject, clause, start = "", said, lead.start()
    if opening:
        at = opening[-1]
        subject, clause, start = said[: at.start()], said[at.end() :], lead.start() + at.start()
    kind = verbs.chinese(clause)
    if kind is None or (kind == "lasts" and len(lead["lead"]) == 1):
        return None  # 工作时 and 上学前 are times of any day
    if _HAN_ASKS.search(said) or len(subject) > 8:
        return None
    rest = _joined(query[:start], query[lead.end() :])
    if len(rest) < 3:
        return None
    relation = _RELATIONS[lead["lead"]]
    return Anchor(relation, subject + clause, _edge(relation, kind), rest, query[start : lead.end()])


def _edge(relation: Relation, kind: verbs.Sort) -> Literal["start", "end"]:
    """After a state is after it was over; before and since a state is about its beginning."""
    return "end" if kind == "ends" or (kind == "lasts" and relation == "after") else "start"


def _joined(left: str, right: str) -> str:
    """What is left of a question without its clause."""
    left, right = left.rstrip(" ,，"), right.lstrip(" ,，")
    gap = " " if left and right and right[0].isascii() and right[0].isalnum() else ""
    return left + gap + right
