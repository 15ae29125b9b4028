"""Chinese statements: a sentence is read clause by clause as subject, mood, predicate; a clause must be understood whole.

A subject left out is the one of the clause before, else the only one named so far, else the speaker of a text that begins so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from tkgmem.ingest.rules import zh_moods as moods
from tkgmem.ingest.rules import zh_words as words
from tkgmem.ingest.rules.dates import Draft, Mood, Name, is_deadline
from tkgmem.ingest.rules.en_frames import Subject
from tkgmem.ingest.rules.en_kin import Context, Relative
from tkgmem.ingest.rules.zh_names import Found, kin_statement, named_late, nicknamed, paired, without_aliases
from tkgmem.ingest.rules.zh_objects import Line, is_club, is_name, targets
from tkgmem.ingest.rules.zh_rules import MASK, Rule
from tkgmem.ingest.rules.zh_subject import Opening, bare_subject, relatives, subjects_at
from tkgmem.ingest.rules.zh_verbs import RULES
from tkgmem.temporal.timex import TimeExpression


class _Predicate(NamedTuple):
    """A rule that covers the rest of a clause, and the mood it is said in."""

    rule: Rule
    match: re.Match[str]
    mood: Mood


def read(content: str, start: int, end: int, dates: Callable[[], Sequence[TimeExpression]], context: Context) -> list[Draft]:
    """The statements of the sentence content[start:end]; `context` is what was named before, and is brought up to date."""
    if moods.DOUBTFUL.search(content, start, end):
        context.people, context.others = {}, {}
        return []
    found_dates = [date for date in dates() if not moods.NUMBERED.match(content, date.start, end)]
    line, drafts = without_aliases(Line(_masked(content, start, end, found_dates), start))
    context.stated = set()
    days = [date for date in found_dates if date.precision == "day"]
    carried = _implied(content, start, context)
    implied = carried is not None
    lead: tuple[TimeExpression, ...] = ()
    for first, after in _clauses(line.masked):
        when = tuple(date for date in found_dates if first <= date.start - start < after and not is_deadline(content, date))
        if days and when and when[0].precision == "time" and when[0] not in days:
            when = ()  # an hour of a day that was named before
        if moods.ONLY_WHEN.fullmatch(line.masked, first, after):
            if when and when[0].role == "until":
                drafts = [_until(draft, when) for draft in drafts]
            lead = when
            continue
        if implied and not moods.TOLD.search(line.masked, first, after):
            carried = None
        implied = False
        found = _clause(line, first, after, carried, context)
        bygone = moods.BYGONE.search(line.masked, first, after) is not None
        told = [_of_owner(draft, drafts) for draft in _past_states(found.drafts, bygone)]
        drafts += [_dated(draft, when or lead, content) for draft in told]
        drafts += _born_on(found.drafts, when)
        carried, lead = found.subject, ()
        if not found.understood:
            # Somebody may have been named in what was not understood.
            context.others["?"] = Name("?")
    return drafts


def _implied(content: str, start: int, context: Context) -> Subject | None:
    """Who a sentence without a subject is about: the only one named so far, or the speaker of a text that begins with it."""
    if context.people or context.others:
        only = context.referent("它") or context.referent("他") or context.referent("她")
        return Subject((only,), "person") if only else None
    begins = context.speaker is not None and not re.search(r"[。！？!?\n]", content[:start])
    return Subject((Name(context.speaker or ""),), "person") if begins else None


def _of_owner(draft: Draft, told: list[Draft]) -> Draft:
    """ "养了一只鹦鹉，叫泡泡，电话是…": what no animal has is its owner's."""
    owners = [known.source for known in told if known.relation == "HAS_PET" and known.target.text == draft.source.text]
    return replace(draft, source=owners[0]) if owners and draft.relation in moods.ONLY_HUMAN else draft


def _until(draft: Draft, when: tuple[TimeExpression, ...]) -> Draft:
    """ "一直在那里上班，直到去年5月": the end of an undated state that was just told."""
    ends = draft.aspect == "state" and not draft.when and not draft.undated and draft.mood in ("now", "past")
    return replace(draft, when=when, mood="past") if ends else draft


def _past_states(drafts: list[Draft], bygone: bool) -> list[Draft]:
    """ "当年我在照相馆工作": a state of those days, and not of now."""
    return [replace(draft, mood="past") if bygone and draft.mood == "now" and not draft.undated else draft for draft in drafts]


def _born_on(drafts: list[Draft], when: tuple[TimeExpression, ...]) -> list[Draft]:
    """ "1990年6月1日出生于扬州" also tells the birthday."""
    day = when[0] if len(when) == 1 and when[0].precision == "day" and when[0].text[-1:] in "日号" else None
    born = [draft.source for draft in drafts if draft.relation == "BORN_IN"] if day else []
    return [Draft(name, "BIRTHDAY_ON", Name(day.text, day.start, day.end), "state", "now") for name in born if day]


def _masked(content: str, start: int, end: int, dates: Sequence[TimeExpression]) -> str:
    line = content[start:end].replace(MASK, " ").rstrip("。！!.… ")
    for date in dates:
        first, after = date.start - start, min(date.end - start, len(line))
        line = line[:first] + MASK * (after - first) + line[after:]
    return line


def _clauses(line: str) -> Iterator[tuple[int, int]]:
    begin = 0
    for mark in moods.CLAUSE.finditer(line):
        if mark.start() > begin:
            yield begin, mark.start()
        begin = mark.end()
    if len(line) > begin:
        yield begin, len(line)


def _dated(draft: Draft, when: tuple[TimeExpression, ...], content: str) -> Draft:
    if draft.undated:
        return draft
    if draft.relation == "BIRTHDAY_ON":
        _, first, after = draft.target
        whole = when and when[0].precision == "day" and when[0].text[-1] in "日号"
        return replace(draft, target=Name(content[first:after] if whole else "", first, after))
    mood = draft.mood
    if mood == "over" and draft.aspect != "state":
        mood = "past"
    # Chinese has no tense: a state said to hold in some past year is over.
    if draft.aspect == "state" and mood == "now" and when and when[0].role in ("point", "range", "until"):
        mood = "past"
    return replace(draft, when=when, mood=mood)


def _clause(line: Line, first: int, after: int, carried: Subject | None, context: Context) -> Found:
    clause = Line(line.masked[:after], line.base)
    begin = moods.past(moods.LEAD, clause.masked, first)
    if confirmed := moods.CONFIRMED.match(clause.masked, begin):
        witness = clause.name(begin, begin + len(confirmed["who"]))
        if is_name(witness.text):
            context.met(witness)
        begin = moods.past(moods.LEAD, clause.masked, confirmed.end())
        carried = None
        if begin >= after:
            return Found([], None, True)
    found = _of_names(clause, begin, carried, context) or _of_someone(clause, first, begin, carried, context)
    if found:
        return found
    drafts = _statements(clause, begin, carried, context) if carried else None
    if drafts is None and (kept := _kept(clause, begin, carried, context)):
        return Found([], kept, True)
    return Found(drafts or [], carried if drafts is not None else None, drafts is not None)


def _of_names(clause: Line, begin: int, carried: Subject | None, context: Context) -> Found | None:
    """A clause that tells what somebody is called, one that only names, and one of two who were named."""
    if found := nicknamed(clause, begin, context) or named_late(clause, begin, context):
        return found
    if carried is None and (alone := bare_subject(clause, begin, context)):
        return Found([], alone, True)
    if both := moods.BOTH.match(clause.masked, begin):
        drafts = _statements(clause, both.end(), carried, context) if carried and len(carried.names) == 2 else None
        return Found(drafts or [], carried, drafts is not None)
    return None


def _of_someone(clause: Line, first: int, begin: int, carried: Subject | None, context: Context) -> Found | None:
    """A clause with a subject of its own; a relative whose name is followed by anything but a name counts as named."""
    former = moods.FORMERLY.match(clause.masked, begin)
    for opening in _openings(clause, former.end() if former else begin, carried, context):
        drafts = _statements(clause, opening.after, opening.subject, context)
        if drafts and former:
            mood: Mood = "past" if MASK in clause.masked[first:] else "over"
            drafts = [replace(draft, mood=mood) if draft.mood == "now" else draft for draft in drafts]
        whole = drafts is not None or (opening.drafts and not clause.masked[opening.after :].strip(MASK + " "))
        if whole or (opening.drafts and moods.BEHIND_NAME.match(clause.masked, opening.after)):
            _meet(context, opening.subject, opening.introduced)
            return Found([*opening.drafts, *(drafts or [])], opening.subject, bool(whole))
    return None


def _openings(line: Line, begin: int, carried: Subject | None, context: Context) -> Iterator[Opening]:
    """The subjects a clause may begin with; "女儿叫糖糖" is of the one spoken of."""
    yield from subjects_at(line, begin, context)
    if carried and len(carried.names) == 1 and carried.kind == "person":
        for opening in relatives(line, begin, carried.names[0], context):
            if all(draft.relation != "REPORTS_TO" for draft in opening.drafts):  # a 老板 who is nobody's may own the shop
                yield opening


def _kept(line: Line, begin: int, carried: Subject | None, context: Context) -> Subject | None:
    """Who the next clause is about after one that states nothing we know, if nobody else came into it."""
    text = line.masked[begin:]
    if moods.OTHERS.search(text):
        return None
    for opening in subjects_at(line, begin, context):
        if opening.subject.kind in ("person", "ticket", "project", "thing") and moods.GOES_ON.match(line.masked, opening.after):
            _meet(context, opening.subject, opening.introduced)
            return opening.subject
    return carried if moods.GOES_ON.match(text) else None


def _meet(context: Context, subject: Subject, introduced: tuple[Name, str] | None) -> None:
    """A relative who is introduced is the one spoken of from then on."""
    if subject.kind != "person":
        return
    if introduced:
        context.people, context.others = {}, {}
        context.met(introduced[0], introduced[1])
        return
    if any(name.text not in context.people for name in subject.names):
        context.people = {}
    for name in subject.names:
        context.met(name)


def _statements(line: Line, index: int, subject: Subject, context: Context) -> list[Draft] | None:
    """What the predicate at `index` states of a subject; None when the clause is not understood to its end."""
    for predicate in _predicates(line.masked, index):
        rule = predicate.rule
        if subject.kind not in rule.kinds.split() or (rule.needs and rule.needs not in context.stated):
            continue
        drafts = _drafts(line, predicate, subject)
        if drafts is not None:
            context.stated |= {draft.relation for draft in drafts}
            if predicate.rule.relation == "HAS_PET" and drafts and drafts[0].target.text:
                context.unnamed = (drafts[0].source, Relative("HAS_PET", "", drafts[0].target.text, 0))
            return drafts
    begin, mood = moods.said(line.masked, index)
    if (tie := kin_statement(line, begin, subject, context)) is not None:
        return tie
    return paired(line, begin, subject, mood) or _intention(line, index, subject)


def _predicates(text: str, index: int) -> Iterator[_Predicate]:
    """The rules that cover the text from `index` on."""
    begin, mood = moods.said(text, index)
    # An adverb may also begin the predicate (最 of 最爱).
    for at in range(begin, max(index, begin - 2) - 1, -1):
        for rule in RULES:
            if match := rule.pattern.match(text, at):
                begins = rule.aspect == "state" and "开始" in text[index:at]
                yield _Predicate(rule._replace(aspect="start") if begins else rule, match, mood)


def _drafts(line: Line, predicate: _Predicate, subject: Subject) -> list[Draft] | None:
    rule, match, said = predicate
    if rule.relation == "BIRTHDAY_ON":
        return _birthdays(line, match, subject)
    objects = targets(line, match.span("o"), rule.check)
    meets = rule.relation == "REPORTS_TO" or (rule.relation == "VISITED" and match.group().startswith("到"))
    animal = match.groupdict().get("animal")
    tame = not animal or match.group().startswith("养") or words.ANIMAL.fullmatch(animal)
    if not objects or not tame or (meets and said == "plan"):
        return None  # "要向钱总汇报" is a meeting, "预计5点到东广场" an hour
    mood = "now" if rule.relation == "ALSO_KNOWN_AS" else _mood(rule, match, said)
    relation = rule.relation
    if relation == "WORKS_AT" and rule.aspect in ("start", "end") and is_club(objects[0].text):
        relation = "MEMBER_OF"
    pairs = [(target, name) if rule.swap else (name, target) for name in subject.names for target in objects]
    drafts = [Draft(source, relation, target, rule.aspect, mood) for source, target in pairs]
    roles = _roles(line, predicate, subject, mood)
    if rule.check == "employer_of" and not roles:
        return None
    drafts += roles
    drafts += _ended(line, predicate, subject, relation, mood)
    places = targets(line, match.span("p"), "place") if match.groupdict().get("p") else []
    return drafts + [Draft(objects[0], "LOCATED_IN", place, "state", "now", undated=True) for place in places]


def _mood(rule: Rule, match: re.Match[str], said: Mood) -> Mood:
    if said == "now" and rule.aspect == "state":
        marks = match.groupdict()
        return "past" if "过" in (marks.get("le"), marks.get("tail")) else "now"
    return "past" if said == "now" else said


def _roles(line: Line, predicate: _Predicate, subject: Subject, mood: Mood) -> list[Draft]:
    """The role held there ("在青禾科技做算法工程师")."""
    if predicate.match.groupdict().get("r") is None:
        return []
    roles = targets(line, predicate.match.span("r"), "role")
    return [Draft(name, "HAS_ROLE", role, predicate.rule.aspect, mood) for name in subject.names for role in roles]


def _ended(line: Line, predicate: _Predicate, subject: Subject, relation: str, mood: Mood) -> list[Draft]:
    """What ended as something else began ("从蓝桥教育跳槽到小满文创")."""
    if predicate.match.groupdict().get("old") is None:
        return []
    olds = targets(line, predicate.match.span("old"), "assignee" if relation == "ASSIGNED_TO" else "name")
    return [Draft(name, relation, old, "end", mood) for name in subject.names for old in olds]


def _birthdays(line: Line, match: re.Match[str], subject: Subject) -> list[Draft]:
    """The target is a date as written: only its place is known here."""
    first, after = match.span("birthday")
    return [
        Draft(name, "BIRTHDAY_ON", Name("", line.base + first, line.base + after), "state", "now") for name in subject.names
    ]


def _intention(line: Line, index: int, subject: Subject) -> list[Draft] | None:
    """ "打算学吉他": the activity in its own words."""
    planned = moods.INTENTION.match(line.masked, moods.past(moods.ADVERBS, line.masked, index))
    if not planned or subject.kind != "person" or not words.PRONOUN_CHARS.isdisjoint(planned["o"]):
        return None
    return [Draft(name, "PLANS_TO", line.name(*planned.span("o")), "state", "plan") for name in subject.names]
