"""Chinese statements: a sentence is read clause by clause as subject, mood, predicate; a clause must be understood whole.

A subject left out is the one of the clause before, never one of an earlier sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from tkgmem.ingest.rules import zh_words as words
from tkgmem.ingest.rules.dates import Draft, Mood, Name, is_deadline
from tkgmem.ingest.rules.en_frames import Subject
from tkgmem.ingest.rules.en_kin import Context, Relative
from tkgmem.ingest.rules.zh_names import Found, kin_statement, named_late, nicknamed, paired, without_aliases
from tkgmem.ingest.rules.zh_objects import Line, is_club, is_name, targets
from tkgmem.ingest.rules.zh_rules import MASK, Rule
from tkgmem.ingest.rules.zh_subject import Opening, relatives, subjects_at
from tkgmem.ingest.rules.zh_verbs import RULES
from tkgmem.temporal.timex import TimeExpression

_DOUBTFUL = re.compile(
    r"[？?]|吗|是不是|有没有|会不会|能不能|要不要|是否|难道|谁|什么|哪[里儿个家天]|怎么|怎样|多少|为何|几[点岁]"
    r"|如果|要是|假如|假设|万一|倘若|的话|除非|即使|哪怕"
    r"|听说|听[^，。]{1,6}[说讲提]|据说|据传|传言|传闻|谣传|有人说|好像|似乎|可能|也许|或许|大概|估计|恐怕|应该"
    r"|说不定|看来|希望|梦见|差点(?!忘)|差一点(?!忘)|以为|认为|觉得|建议|推荐|假装|本来"
)
_CLAUSE = re.compile(r"[，,；;：:（）()—]+")
_LEAD = re.compile(
    r"(?:[\s\x00「」『』“”\"]++|[于在自从](?=\x00)|(?<=\x00)[初底末中]|忘[了记](?:跟你|告诉你|和大家)?[说讲提]?|差点忘了?说?|想起来了|哦对了?|补记|补一条|插一句|提一下"
    r"|说一下|回想起来|想起来|想当年|记得|事实上|简单说|汇报一下|通知一下|好消息|更正|备忘|跟你说|报告|"
    r"对了|补充一下|顺便说一?[下句]|顺便提一下|另外|而且|但是?|不过|所以|因此|然后|后来|最后|只是?|仅仅?|其实"
    r"|目前|现在|如今|当时|当年|平时|一直|最近|也|还|又|并且?|同时|因为|由于|"
    r"由(?=[^\x00，。]{2,4}(?:接任|担任|出任|兼任|升任|接替|继任))|(?<=\x00)是(?=我)|周报|日报|日记|消息|近况|"
    r"更新一下|备注|确认一下|话说|说起来|早年|大家好|你好|哈哈|嗯|哦|啊|哎){0,12}+"
)
_ADVERBS = re.compile(
    r"(?:[\s\x00]++|[于在自从](?=\x00)|(?<=\x00)[初底末中]|已经|曾经?(?=[于在]\x00)|仍旧|刚刚?|刚好|正式|正在"
    r"|一直都?|目前|现在|如今|平时|非常|特别|十分|其实|终于|后来|最近|仍然?|依然|当时|当年|今后|(?:大学|研究生"
    r"|本科)?毕业[之以]?后|同时|真的|超级?|尤其|始终|只是?|仅"
    r"|早就|早已|总算|这才|刚|跟着|正式|果然|顺利|成功|偷偷|悄悄|马上|很快|紧接着|随后|接着|不久[前后]?|毕业后"
    r"|[和跟与同陪][^\x00，。；]{1,8}?一[起同](?=[\x00去到参看听逛飞在开])|[跟和陪带][^\x00，。；我你他她]{1,6}?(?=去[了过看听逛参趟])"
    r"|一般|通常|开始|两人|二人|俩|[也都就还又很最正已]){0,10}"
)
_ONCE = re.compile(r"曾经?|从小|小时候|最初|起初|早先|先")
_FORMERLY = re.compile(r"(?:(?:退休|婚|出国|毕业|离职|转行|生病|来这)?之?前|之前|以前|原来|原先|原本|过去|从前)(?:一直|都)?")
_PLAN = re.compile(r"(?:计划|打算|准备|将要?|即将|要|会(?![说讲计议])|预计|决定)[在于]?(?=[\s\x00]|.)")
_OVER = re.compile(r"不再|不(?=[在住用使][^，。]{1,24}了[\s\x00]*\Z)")
_MOODS: tuple[tuple[re.Pattern[str], Mood], ...] = ((_PLAN, "plan"), (_OVER, "over"), (_FORMERLY, "over"), (_ONCE, "past"))
_OTHERS = re.compile(r"(?<!会)说|[问让请叫带陪帮跟和与给把被]|告诉|觉得|认为|提到|表示|介绍|通知|建议|邀请|遇[见到]|认识")
_GOES_ON = re.compile(
    r"[\s\x00]*(?:[\x00于自从没不未别也都还就又很最刚在去来是要想会有做做写出获得拿开始学吃喝买]|已经|正在|平时|目前"
    r"|现在|今年|从来|退休|毕业|每|一(?![个家位名])|挺|才|先|随后|之后|后来|从此|终于|如今|为了|虽然|尽管|经常|常常|偶尔|独自|专门|主要"
    r"|性格|为人|大学|负责|擅长|听|看|跑|跟|和[^，。]{1,6}一起|干|待|谈|姓|属|戴)"
)
_TOLD = re.compile(r"[了过刚\x00]|终于|打算|准备|计划|现在|目前|平时|一直|最近|(?:\A|[\s，,：:。])(?:住|家)?在|对[^，]{1,8}过敏|生日")
_BYGONE = re.compile(r"当年|当时|早年|那时|那会儿|那阵子|年轻时")
_NUMBERED = re.compile(
    r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})号[\u4e00-\u9fff]{0,2}(?:楼|仓库|车间|会议室|机房|库|馆|厂|门店|店|产线|生产线|站|线|基地|院|校区|分店|房|厅|桌|机|塔|井|炉|船|车|桥|门|池|棚|田|岗|台|窗口)"
)
_CONFIRMED = re.compile(r"(?P<who>[^\x00，。]{2,12}?)(?:已经?)?(?:确认|证实|宣布)了?[，,：:]?\s?")
_INTENTION = re.compile(
    r"(?:打算|准备(?=[\s\x00]*(?:去|年底|暑假|国庆|春节|周末)?(?:学|考|练|写|跑|参加|报))"
    r"|计划(?=[\s\x00去学做买考搬写开办换参到跑练养请年月暑寒国春周]))[\s\x00在于]{0,24}"
    r"(?:(?:[今明后]?年底|年内|月底|下半年|暑假|寒假|国庆|春节|周末|有空)(?:之?前|期间|里)?(?:就|能)?)?(?P<o>[^\x00，。；了过在]{2,14})[\s\x00]*\Z"
)


class _Predicate(NamedTuple):
    """A rule that covers the rest of a clause, and the mood it is said in."""

    rule: Rule
    match: re.Match[str]
    mood: Mood


def read(content: str, start: int, end: int, dates: Callable[[], Sequence[TimeExpression]], context: Context) -> list[Draft]:
    """The statements of the sentence content[start:end]; `context` is what was named before, and is brought up to date."""
    if _DOUBTFUL.search(content, start, end):
        context.people, context.others = {}, {}
        return []
    found_dates = [date for date in dates() if not _NUMBERED.match(content, date.start, end)]
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
        if not line.masked[first:after].strip(MASK + " 从自于在起"):
            lead = when
            continue
        if implied and not _TOLD.search(line.masked, first, after):
            carried = None
        implied = False
        found = _clause(line, first, after, carried, context)
        bygone = _BYGONE.search(line.masked, first, after) is not None
        drafts += [_dated(draft, when or lead, content) for draft in _past_states(found.drafts, bygone)]
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
    for mark in _CLAUSE.finditer(line):
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
    begin = _past(_LEAD, clause.masked, first)
    if confirmed := _CONFIRMED.match(clause.masked, begin):
        witness = clause.name(begin, begin + len(confirmed["who"]))
        if is_name(witness.text):
            context.met(witness)
        begin = _past(_LEAD, clause.masked, confirmed.end())
        carried = None
        if begin >= after:
            return Found([], None, True)
    if found := nicknamed(clause, begin, context) or named_late(clause, begin, context):
        return found
    former = _FORMERLY.match(clause.masked, begin)
    for opening in _openings(clause, former.end() if former else begin, carried, context):
        drafts = _statements(clause, opening.after, opening.subject, context)
        if drafts and former:
            mood: Mood = "past" if MASK in clause.masked[first:] else "over"
            drafts = [replace(draft, mood=mood) if draft.mood == "now" else draft for draft in drafts]
        whole = drafts is not None or (opening.drafts and not clause.masked[opening.after :].strip(MASK + " "))
        if whole:
            _meet(context, opening.subject, opening.introduced)
            return Found([*opening.drafts, *(drafts or [])], opening.subject, True)
        if opening.drafts and re.match(r"[\s\x00]|[在对是也都很养住喜最]", clause.masked[opening.after : opening.after + 1]):
            _meet(context, opening.subject, opening.introduced)
            return Found(list(opening.drafts), opening.subject, False)
    drafts = _statements(clause, begin, carried, context) if carried else None
    if drafts is None and (kept := _kept(clause, begin, carried, context)):
        return Found([], kept, True)
    return Found(drafts or [], carried if drafts is not None else None, drafts is not None)


def _openings(line: Line, begin: int, carried: Subject | None, context: Context) -> Iterator[Opening]:
    """The subjects a clause may begin with; "女儿叫糖糖" is of the one spoken of."""
    yield from subjects_at(line, begin, context)
    if carried and len(carried.names) == 1 and carried.kind == "person":
        yield from relatives(line, begin, carried.names[0], context)


def _kept(line: Line, begin: int, carried: Subject | None, context: Context) -> Subject | None:
    """Who the next clause is about after one that states nothing we know, if nobody else came into it."""
    text = line.masked[begin:]
    if _OTHERS.search(text):
        return None
    for opening in subjects_at(line, begin, context):
        if opening.subject.kind == "person" and _GOES_ON.match(line.masked, opening.after):
            _meet(context, opening.subject, opening.introduced)
            return opening.subject
    return carried if _GOES_ON.match(text) else None


def _past(pattern: re.Pattern[str], text: str, index: int) -> int:
    found = pattern.match(text, index)
    return found.end() if found else index


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
    begin, mood = _said(line.masked, index)
    if (tie := kin_statement(line, begin, subject, context)) is not None:
        return tie
    return paired(line, begin, subject, mood) or _intention(line, index, subject)


def _said(text: str, index: int) -> tuple[int, Mood]:
    """Past adverbs and the words for plans and endings: where the predicate begins, and its mood."""
    begin = _past(_ADVERBS, text, index)
    for pattern, said in _MOODS:
        if found := pattern.match(text, begin):
            # "以前" with a date is a stint, without one something that has ended.
            mood = "past" if pattern is _FORMERLY and MASK in text[index:] else said
            return _past(_ADVERBS, text, found.end()), mood
    return begin, "now"


def _predicates(text: str, index: int) -> Iterator[_Predicate]:
    """The rules that cover the text from `index` on."""
    begin, mood = _said(text, index)
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
    if not objects or (meets and said == "plan"):
        return None  # "要向钱总汇报" is a meeting, "预计5点到东广场" an hour
    mood = "now" if rule.relation == "ALSO_KNOWN_AS" else _mood(rule, match, said)
    relation = rule.relation
    if relation == "WORKS_AT" and rule.aspect in ("start", "end") and is_club(objects[0].text):
        relation = "MEMBER_OF"
    pairs = [(target, name) if rule.swap else (name, target) for name in subject.names for target in objects]
    drafts = [Draft(source, relation, target, rule.aspect, mood) for source, target in pairs]
    drafts += _roles(line, predicate, subject, mood)
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
    planned = _INTENTION.match(line.masked, _past(_ADVERBS, line.masked, index))
    if not planned or subject.kind != "person" or not words.PRONOUN_CHARS.isdisjoint(planned["o"]):
        return None
    return [Draft(name, "PLANS_TO", line.name(*planned.span("o")), "state", "plan") for name in subject.names]
