"""Facts without a model: English and Chinese statements read by grammar.

What is not understood gives nothing: a question, a wish, hearsay, a denial or an unknown turn of phrase makes no fact, and no
date is invented. Every name and sentence keeps its characters in the content.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import replace

from tkgmem.graph import ExtractedFact
from tkgmem.ingest.rules import en, zh
from tkgmem.ingest.rules.dates import Draft, settle
from tkgmem.ingest.rules.en_kin import Context
from tkgmem.ingest.rules.turns import turn
from tkgmem.temporal import timex
from tkgmem.temporal.period import to_micros
from tkgmem.temporal.timex import TimeExpression

SHORTEST_SENTENCE, LONGEST_SENTENCE = 3, 1000
"""Characters; shorter and longer sentences are left alone."""

_STOP = re.compile(r"(?<![.!?])[.!?]++[\"”’')\]]{0,3}(?=\s|\Z)|[。！？]++[”’」』）]{0,3}|\n")
_NO_STOP = re.compile(
    r"(?:\b(?:Dr|Mr|Mrs|Ms|Prof|St|Sgt|Capt|Lt|vs|etc|e\.g|i\.e|approx|No|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)|\b[A-Z])\Z"
)
_HAN = re.compile(r"[\u3400-\u9fff]")
_ANNOUNCED = re.compile(r"宣布|通知|公告|公示|任命|决定|将|自[^，。]{2,8}日起")
_GLOSS = re.compile(r"\([\u3400-\u9fff·]{2,8}\)")
_AHEAD = re.compile(r"\b(?:will|going to|plans?|planning|intends?)\b|['’]ll\b")


def extract(content: str, *, reference_time: dt.datetime, speaker: str | None = None) -> list[ExtractedFact]:
    """What a text states about people, tasks and things, in the order it is said.

    reference_time: when it was said, aware, with the offset of the episode: relative words resolve in that calendar. speaker:
    who "I" is; without one a first person states nothing.

    >>> [fact] = extract("Ana works at Acme.", reference_time=dt.datetime(2026, 1, 5, tzinfo=dt.UTC))
    >>> fact.source, fact.relation, fact.target, fact.kind
    ('Ana', 'WORKS_AT', 'Acme', 'assert')
    """
    facts: list[ExtractedFact] = []
    context = Context(speaker or None)
    now = to_micros(reference_time)
    ties: set[tuple[str, str, str]] = set()
    line_end = -1
    for begin, end in sentences(content):
        start = begin
        if begin > line_end:
            line_end = content.find("\n", begin)
            line_end = len(content) if line_end < 0 else line_end
            context.speaker, start = turn(content, begin, speaker or None)
        if not SHORTEST_SENTENCE <= end - start <= LONGEST_SENTENCE:
            continue
        calendar = _Calendar(content, (start, end), reference_time)
        if _HAN.search(_GLOSS.sub("", content[start:end])):
            drafts = zh.read(content, start, end, calendar.looking_back, context)
        else:
            drafts = en.read(content, start, end, calendar.as_it_leans, context)
        for draft in drafts:
            fact = _fact(calendar.resolved(draft), content, (start, end), now)
            tie = (draft.source.text, draft.relation, draft.target.text)
            if fact and fact not in facts and not (draft.undated and tie in ties):
                ties.add(tie)
                facts.append(fact)
    return facts


def sentences(content: str) -> Iterator[tuple[int, int]]:
    """The trimmed spans of a text's sentences."""
    begin = 0
    for match in _STOP.finditer(content):
        if match.group()[0] == "." and _NO_STOP.search(content, max(begin, match.start() - 8), match.start()):
            continue
        yield from _trimmed(content, begin, match.end())
        begin = match.end()
    yield from _trimmed(content, begin, len(content))


def _trimmed(content: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    sentence = content[start:end]
    start += len(sentence) - len(sentence.lstrip())
    end = start + len(sentence.strip())
    if end > start:
        yield start, end


class _Calendar:
    """The dates of one sentence. Plans look ahead for a month or day without a year, everything else looks back."""

    def __init__(self, content: str, span: tuple[int, int], reference: dt.datetime) -> None:
        self._content = content
        self._span = span
        self._reference = reference
        self._found: dict[bool, list[TimeExpression]] = {}

    def looking_back(self) -> list[TimeExpression]:
        """The sentence's dates, the latest not after the reference."""
        return self._dates(ahead=False)

    def as_it_leans(self) -> list[TimeExpression]:
        """The sentence's dates, ahead if it speaks of the future ("in two weeks" is a date only there)."""
        return self._dates(ahead=_AHEAD.search(self._content, *self._span) is not None)

    def resolved(self, draft: Draft) -> Draft:
        """The draft with its dates resolved in the direction of its mood."""
        if not draft.when:
            return draft
        ahead = draft.mood == "plan" or (draft.mood in ("going", "now") and draft.aspect != "state")
        found = {date.start: date for date in self._dates(ahead=ahead or self._announces(draft))}
        return replace(draft, when=tuple(found[date.start] for date in draft.when if date.start in found))

    def _announces(self, draft: Draft) -> bool:
        """Whether an announcement's "自7月1日起" is nearer ahead than back."""
        if not _ANNOUNCED.search(self._content, *self._span) or draft.when[0].role != "since":
            return False
        now = to_micros(self._reference)
        back, ahead = (
            next((date.period.start for date in self._dates(ahead=way) if date.start == draft.when[0].start), None)
            for way in (False, True)
        )
        return back is not None and ahead is not None and abs(ahead - now) < abs(now - back)

    def _dates(self, *, ahead: bool) -> list[TimeExpression]:
        if ahead not in self._found:
            start, end = self._span
            prefer: timex.Prefer = "future" if ahead else "past"
            found = timex.find(self._content[start:end], self._reference, prefer=prefer, parts_of_day=False)
            self._found[ahead] = [replace(date, start=date.start + start, end=date.end + start) for date in found]
        return self._found[ahead]


def _fact(draft: Draft, content: str, span: tuple[int, int], now: int) -> ExtractedFact | None:
    dating = settle(draft, now)
    source, target = draft.source, draft.target
    if dating is None or not source.text.strip() or not target.text.strip() or source.text == target.text:
        return None
    bounds = dating.valid_at, dating.invalid_at
    return ExtractedFact(
        dating.kind, source.text, draft.relation, target.text, content[slice(*span)], span, *bounds, source.span, target.span
    )
