"""Who a Chinese clause may be about: nothing marks where a name ends, so every fair reading is offered, the "
"longest first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tkgmem.ingest.rules import zh_words as words
from tkgmem.ingest.rules.dates import Draft, Name
from tkgmem.ingest.rules.en_frames import Subject, SubjectKind
from tkgmem.ingest.rules.en_kin import Context, Relative, kin_draft
from tkgmem.ingest.rules.zh_objects import TICKET, Line, is_name

_KIN_NAMES = "|".join(sorted(words.KIN, key=len, reverse=True))
_KIN = re.compile(
    rf"\s?的?\s?(?:大|二|小|亲|好|前同事兼|双胞胎|最好的)?(?P<kin>{_KIN_NAMES})\s?(?P<is>的名字[叫是]"
    rf"|名字[叫是]|名?叫|是)?\s?"
)
_LATIN = re.compile(r"[A-ZÀ-Þ][A-Za-zÀ-ɏ'’.-]*(?: [A-ZÀ-Þ][A-Za-zÀ-ɏ'’.-]*){0,3}")
_FOREIGN = re.compile(r"[\u4e00-\u9fff]{1,5}(?:·[\u4e00-\u9fff]{1,6}){1,2}?(?=[\s\x00，在是的]|\Z)")
_CALLED = re.compile(r"[\u4e00-\u9fff]{2,4}(?=[\s\x00，。]|\Z)")
_OF_A_PHRASE = frozenset("从在向到把被让给对需自是")
_DOUBLED = re.compile(r"([\u4e00-\u9fff])\1")
_HOUSEHOLD = re.compile(r"家(?=里?(?:有|养|一共有))")
_WITH_KIN = re.compile(r"\s?(?:和|与|跟)\s?我?")
_JOIN = re.compile(r"\s?(?:和|与|跟|、|以及)\s?")
_TITLED = re.compile(rf"[\u4e00-\u9fff]{{1,3}}?(?:{words.TITLES})")
_THING = re.compile(
    r"(?P<o>(?:(?!(?:开发|测试|后续|剩下|设计|代码|前端|后端|处理|下一步|我们?|现在)(?:由|归|转|分|移|交)|显示"
    r"|检测|明确|表示|发现|地址|时间|[\x00，。；我你您他她它【】看到])[\w &.-]){2,14}?)"
    r"(?=由|归|位于|[成创]立于|创办于|坐落|隶属|从属|归属|属于|设在|地处|简称|又称|又名|原名|旧称|旧名|曾名|前称"
    r"|也叫|曾用名|前身是|以前叫|更名为"
    r"|改名为|的?负责人|的?状态|"
    r"是[^\x00，。]{1,12}(?:的一部分|的下属|旗下|的子公司|创办|创立)|转给|分配给|移交|交给|已经?(?:完成|关闭"
    r"|上线|取消|暂停|搁置|结束|通过|归档))"
)
_USERS = re.compile(
    r"(?P<o>(?:[一二三四五六七八九十\d]{1,3}组|[\u4e00-\u9fff]{1,8}(?:部|部门|组|团队|小组|公司|集团|科技"
    r"|学校)))(?=(?:都|也|一直|目前|现在)?(?:使用|在用|改用|用的是))"
)
_SITE = re.compile(
    rf"(?P<o>{words.NUMBERED.pattern}|[\w]{{2,12}}?(?:总部|分公司|门店|校区|工厂|仓库|办公室|旗舰店|分店|工作室"
    rf"|公司|科技|集团|画廊|书店|餐厅|酒店|医院|学校|大学|学院|博物馆|美术馆|图书馆|咖啡馆|茶馆|民宿|实验室|研究院"
    rf"|研究所|中心|基地|分部|办事处|旅馆"
    rf"|剧院|体育馆|大厦|分行|书院|小学|中学|幼儿园))(?=[就也]?在|[\x00已刚]*(?:搬|迁)[到至去往]|开在|坐落|落户"
    rf"|位于|设在|使用|在用|的?(?:现任)?(?:负责人|经理|店长|主管|组长|队长|主任|厂长|馆长|站长|总经理))"
)
_QUOTED = re.compile(r"(?:项目|计划|任务|课题) ?[“\"「『《](?P<o>[^”\"」』》\x00]{2,14})[”\"」』》]")
_PROJECT = re.compile(
    r"(?P<o>(?:[\u4e00-\u9fffA-Za-z0-9]{2,10}?)(?:项目|计划|工程|任务|需求|报告|方案|改版|迁移|审计|评审"
    r"|预算|合同))(?=的?(?:状态|代号|负责人|原名|简称|别名|旧名|又名|由|归|已|目前|还|仍|处于|被|正))"
)


_UNDERTAKING = re.compile(
    r"[\u4e00-\u9fffA-Za-z]{2,10}(?:工程|项目|计划|平台|系统|公司|集团|科技|实验室|研究院|大厦|基金会|学院|大学|医院|部)"
)
_SAYS = re.compile(r"[于是由在归叫名称离来去管了着过属有我你他她]|着手|负责|参加|加入|入职")
_STATED = re.compile(
    r"(?P<o>[\u4e00-\u9fff]{2,6}?)(?=[\s\x00]*(?:出生[于在]|毕业于|就读于|就职于|任职于|供职于|现居|现任|嫁给))"
)
_NOBODY = re.compile(
    r"[人们生员师者友长的都多少些个位家后前时我你他她它这那其]|校|企|队|业|司|女儿|儿子|孩子|妈|爸|妻|夫|兄|弟|姐"
    r"|妹|本科|硕士|博士|大学"
)
_KINDS: tuple[tuple[re.Pattern[str], SubjectKind], ...] = (
    (_QUOTED, "project"),
    (_USERS, "site"),
    (_SITE, "site"),
    (_PROJECT, "project"),
    (_THING, "thing"),
)


class Opening(NamedTuple):
    """A reading of a clause's subject: who, the character after it, what it states by itself, who a pronoun "
    "will mean now."""

    subject: Subject
    after: int
    drafts: tuple[Draft, ...] = ()
    introduced: tuple[Name, str] | None = None


def subjects_at(line: Line, index: int, context: Context) -> Iterator[Opening]:
    """The subjects that may begin at a character of the line."""
    text = line.masked
    if text.startswith(("我们", "咱", "你", "您", "他们", "她们", "它们", "大家"), index):
        return
    if text.startswith(("我", "本人"), index):
        yield from _speaking(line, index, context)
        return
    if text[index : index + 1] in ("他", "她", "它"):
        owner = context.referent(text[index])
        yield from relatives(line, index + 1, owner, context)
        yield Opening(Subject((owner,) if owner else (), "person"), index + 1)
        return
    if ticket := TICKET.match(text, index):
        yield Opening(Subject((line.name(*ticket.span("id")),), "ticket"), ticket.end())
        return
    yield from _named(line, index, context)
    yield from _apposed(line, index)
    if (stated := _STATED.match(text, index)) and not _NOBODY.search(stated["o"]) and stated["o"] not in words.NOT_PEOPLE:
        yield Opening(Subject((line.name(*stated.span("o")),), "person"), stated.end("o"))
    for pattern, kind in _KINDS:
        if thing := pattern.match(text, index):
            after = thing.end() if pattern is _QUOTED else thing.end("o")
            yield Opening(Subject((line.name(*thing.span("o")),), kind), after)


def _speaking(line: Line, index: int, context: Context) -> Iterator[Opening]:
    """ "我", "我姐姐倪若雪", "我和我哥哥荀武", "我家"."""
    text = line.masked
    after = index + (1 if text[index] == "我" else 2)
    owner = Name(context.speaker) if context.speaker is not None else None
    yield from relatives(line, after, owner, context)
    if owner and (join := _WITH_KIN.match(text, after)):
        for opening in relatives(line, join.end(), owner, context):
            yield opening._replace(subject=Subject((owner, *opening.subject.names), "person"), introduced=None)
    if owner and (bare := _KIN.match(text, after)):
        relation, gender = words.KIN[bare["kin"]]
        context.unnamed = (owner, Relative(relation, gender, bare["kin"], 0))
    if _HOUSEHOLD.match(text, after):
        after += 1
    yield Opening(Subject((owner,) if owner else (), "person"), after)


def _named(line: Line, index: int, context: Context) -> Iterator[Opening]:
    for after in _ends(line.masked, index):
        name = line.name(index, after)
        yield from relatives(line, after, name, context)
        yield from _joined(line, (name,), after)
        yield Opening(Subject((name,), "person"), after)


def bare_subject(line: Line, begin: int, context: Context) -> Subject | None:
    """ "晨曦工程，原名破晓工程", "江映雪，三十二岁，住在绍兴": a clause that only names (to somebody: calls)."""
    name = line.name(begin, len(line.masked))
    if context.speaker is None and is_name(name.text) and not name.text.isascii():
        context.met(name)
        return Subject((name,), "person")
    return Subject((name,), "site") if _UNDERTAKING.fullmatch(name.text) and not _SAYS.search(name.text) else None


def _joined(line: Line, names: tuple[Name, ...], after: int) -> Iterator[Opening]:
    """ "冷锋、尹正和龙小云": every way to read the names, the longest list first."""
    join = _JOIN.match(line.masked, after)
    if join is None or len(names) > 5:
        return
    for end in _ends(line.masked, join.end()):
        everyone = (*names, line.name(join.end(), end))
        yield from _joined(line, everyone, end)
        yield Opening(Subject(everyone, "person"), end)


def _apposed(line: Line, index: int) -> Iterator[Opening]:
    """ "客户经理苏晴", "市场部的林晚", "表姐周蕙": who somebody is before the name."""
    text = line.masked
    for length in range(2, 10):
        before = text[index : index + length]
        if not before.isalpha() or len(before) < length:
            return
        if before[-1] not in words.LAST_OF_TITLES or not _OF_A_PHRASE.isdisjoint(before):
            continue
        if before in words.KIN or words.OF_UNIT.fullmatch(before) or (words.ROLE.fullmatch(before) and not before.isascii()):
            for after in _ends(text, index + length):
                if is_name(text[index + length : after]):
                    yield Opening(Subject((line.name(index + length, after),), "person"), after)


def _ends(text: str, index: int) -> Iterator[int]:
    """Where a person's name that begins here may end."""
    if latin := _LATIN.match(text, index):
        if not (latin.group().isupper() and len(latin.group()) > 1):
            yield latin.end()
        return
    mixed = _LATIN.match(text, index + 1) if text[index : index + 1] in words.SURNAMES else None
    if foreign := mixed or _FOREIGN.match(text, index):
        yield foreign.end()  # 林Tina, 安娜·李
        return
    yield from _chinese_ends(text, index)


def _chinese_ends(text: str, index: int) -> Iterator[int]:
    if text[index : index + 1] not in words.NAME_STARTS:
        return
    titled = _TITLED.match(text, index)
    if titled and is_name(titled.group()):
        yield titled.end()
    for length in (5, 4, 3, 2):
        after = index + length
        if after <= len(text) and words.is_person(text[index:after]) and text[after - 1 : after + 1] not in words.VERB_PAIRS:
            yield after
    for length in (5, 4, 3):
        if index + length <= len(text) and words.may_be_person(text[index : index + length]):
            yield index + length


def relatives(line: Line, index: int, owner: Name | None, context: Context) -> Iterator[Opening]:
    """ "我姐姐倪若雪", "毕长青的女儿叫毕芽芽", "我 girlfriend Noor"."""
    found = _KIN.match(line.masked, index)
    if not found:
        return
    relation, gender = words.KIN[found["kin"]]
    known = context.kin.get((owner.text, found["kin"])) if owner else None
    if known:
        yield Opening(Subject((known,), "person"), found.end(), introduced=(known, gender))
    named = [*_ends(line.masked, found.end())]
    if not named and (pet_name := _DOUBLED.match(line.masked, found.end())) and pet_name.group() not in words.NOT_DOUBLED:
        named = [pet_name.end()]
    if not named and found["is"] and "叫" in found["is"] and (called := _CALLED.match(line.masked, found.end())):
        named = [called.end()]
    for after in named:
        relative = line.name(found.end(), after)
        if not relative.text.isascii() and words.ROLE.fullmatch(relative.text):
            continue
        drafts = (kin_draft(owner, relation, relative),) if owner and relation else ()
        if owner:
            context.kin.setdefault((owner.text, found["kin"]), relative)
        yield Opening(Subject((relative,), "person"), after, drafts, (relative, gender))
